//! What revision 2026-07-28 breaks, in TypeScript and Python.

use super::Snippet;

pub(super) const SNIPPETS: &[Snippet] = &[
    (
        "scan.initialize",
        "test/handshake.test.ts",
        r"
import { expect, it } from 'vitest';
it('shakes hands', async () => {
  const answer = await post('/mcp', {
    jsonrpc: '2.0', id: 0, method: 'initialize',
    params: { capabilities: {}, clientInfo: { name: 't', version: '1' } },
  });
  expect(answer.status).toBe(200);
});
",
    ),
    (
        "scan.session-id",
        "src/http.ts",
        r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
app.post('/mcp', async (request, response) => {
  const known = request.headers['mcp-session-id'] as string | undefined;
  const found = known ? open.get(known) : undefined;
  await (found ?? create()).handleRequest(request, response, request.body);
});
",
    ),
    (
        "scan.resumption",
        "src/transport.ts",
        r"
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
export const transport = new StreamableHTTPServerTransport({
  eventStore: new RedisEventStore(redis),
});
",
    ),
    (
        "scan.sampling-request",
        "src/tools/summarise.ts",
        r"
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export async function summarise(mcp: McpServer, text: string) {
  const reply = await mcp.server.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 300,
  });
  return reply.content;
}
",
    ),
    (
        "scan.elicitation-request",
        "src/tools/book.ts",
        r"
import { server } from './server.js'; // uses @modelcontextprotocol/sdk
import { z } from '@modelcontextprotocol/sdk/types.js';
const answer = await server.server.elicitInput({
  message: 'Which seat?', requestedSchema: { type: 'object', properties: {} },
});
",
    ),
    (
        "scan.result-type",
        "test/client.test.ts",
        r"
import nock from 'nock';
nock('http://localhost:3000').post('/mcp').reply(200, {
  jsonrpc: '2.0', id: 7,
  result: { content: [{ type: 'text', text: '42' }], isError: false },
});
await client.callTool({ name: 'answer' }); // tools/call
",
    ),
    (
        "scan.status-200",
        "test/errors.test.ts",
        r"
it('knows no such method', async () => {
  const response = await rpc({ jsonrpc: '2.0', id: 1, method: 'tools/nope' });
  expect(response.status).toBe(200);
  const body = await response.json();
  expect(body.error.code).toBe(-32601);
});
",
    ),
    (
        "scan.get-stream",
        "src/routes.ts",
        r"
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
router.get('/mcp', async (request, response) => {
  const transport = transports.get(request.query.id);
  await transport.handleRequest(request, response);
});
",
    ),
    (
        "scan.delete-session",
        "src/end.ts",
        r"
import { isInitializeRequest } from '@modelcontextprotocol/sdk/types.js';
app.delete('/mcp', async (request, response) => {
  await close(request);
  response.status(204).end();
});
",
    ),
    (
        "scan.client-handler",
        "test/sampling.test.ts",
        r"
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js';
client.setRequestHandler(CreateMessageRequestSchema, async () => canned);
",
    ),
    (
        "scan.initialized",
        "tests/test_stdio.py",
        r#"
import json

def open_server(process):
    send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    return process
"#,
    ),
    (
        "scan.ping",
        "app/health.py",
        r"
from mcp import ClientSession

async def alive(session: ClientSession) -> bool:
    await session.send_ping()
    return True
",
    ),
    (
        "scan.resource-subscribe",
        "app/watch.py",
        r"
from mcp import ClientSession
from pydantic import AnyUrl

async def watch(session: ClientSession, uri: str) -> None:
    await session.subscribe_resource(AnyUrl(uri))
",
    ),
    (
        "scan.set-level",
        "app/verbose.py",
        r#"
from mcp import ClientSession

async def loud(session: ClientSession):
    await session.set_logging_level("debug")
"#,
    ),
    (
        "scan.roots-request",
        "server/files.py",
        r#"
from mcp.server.fastmcp import Context, FastMCP

@server.tool()
async def tree(ctx: Context) -> list[str]:
    """Lists what the client opened."""
    answer = await ctx.session.list_roots()
    return [str(root.uri) for root in answer.roots]
"#,
    ),
    (
        "scan.url-elicitation-error",
        "server/login.py",
        r"
from mcp.shared.exceptions import UrlElicitationRequiredError

async def report(ctx):
    if not token(ctx):
        raise UrlElicitationRequiredError([login_request(ctx)])
",
    ),
    (
        "scan.raw-post",
        "loadtest/locustfile.py",
        r#"
import httpx

def hammer(base):
    for number in range(1000):
        httpx.post(base + "/mcp", json={"jsonrpc": "2.0", "id": number, "method": "tools/list"})
"#,
    ),
    (
        "scan.sse-transport",
        "app/connect.py",
        r"
from mcp import ClientSession
from mcp.client.sse import sse_client

async def connect(url):
    async with sse_client(url) as (read, write):
        yield ClientSession(read, write)
",
    ),
    (
        "scan.log-message",
        "server/progress.py",
        r#"
from mcp.server.lowlevel import Server

async def work(server: Server):
    await server.request_context.session.send_log_message(level="info", data="half way")
"#,
    ),
    (
        "scan.resource-not-found-code",
        "tests/test_resources.py",
        r#"
import pytest
from mcp import McpError

async def test_missing(session):
    with pytest.raises(McpError) as raised:
        await session.read_resource("memo://nothing")
    assert raised.value.error.code == -32002
"#,
    ),
];
