//! What only looks like it, and what is as 2026-07-28 wants it.

use super::Snippet;

pub(super) const SNIPPETS: &[Snippet] = &[
    (
        "another protocol with the same words",
        "src/language.ts",
        r"
import { createConnection } from 'vscode-languageserver/node';
const connection = createConnection();
connection.onInitialize(() => ({ capabilities: {} }));
await client.sendRequest('initialize', { processId: null, rootUri: null });
",
    ),
    (
        "the ping of a database",
        "src/store.ts",
        r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export const healthy = async () => (await redis.ping()) === 'PONG';
",
    ),
    (
        "a page beside the endpoint",
        "src/pages.ts",
        r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
app.get('/healthz', (request, response) => response.send('ok'));
app.delete('/users/:id', remove);
",
    ),
    (
        "a header that is taken out",
        "src/strip.ts",
        r"
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
// Old clients still send it.
delete request.headers['mcp-session-id'];
",
    ),
    (
        "a request with all that it needs",
        "test/list.test.ts",
        r"
const response = await fetch(endpoint, {
  method: 'POST',
  headers: {
    'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list',
  },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  } } }),
});
",
    ),
    (
        "prose about the handshake",
        "docs/history.md",
        r"
# History

Until 2025-11-25 a client sent `initialize` and `notifications/initialized`, and kept the
`Mcp-Session-Id` that it got.
",
    ),
    (
        "the time to live of a cache",
        "server/cache.py",
        r#"
from mcp.server.fastmcp import FastMCP

SETTINGS = {"ttl": 30, "size": 1_000}
"#,
    ),
    (
        "comments and docstrings",
        "server/old.py",
        r#"
"""Until 2025-11-25 servers sent sampling/createMessage and roots/list themselves."""
from mcp.server.fastmcp import FastMCP

# There was a method logging/setLevel, and ping.
server = FastMCP("ledger")
"#,
    ),
    (
        "the value that a tool returns",
        "server/tools.py",
        r#"
from mcp.server.fastmcp import FastMCP

@server.tool()
def add(a: int, b: int) -> dict:
    """Adds."""
    return {"content": [{"type": "text", "text": str(a + b)}]}
"#,
    ),
    (
        "a result in full",
        "tests/test_wire.py",
        r#"
EXPECTED = {"jsonrpc": "2.0", "id": 1, "result": {
    "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": []}}
METHOD = "tools/list"
"#,
    ),
    (
        "other routes of an application",
        "server/app.py",
        r#"
from fastapi import FastAPI
from fastmcp import FastMCP

@app.delete("/invoices/{number}")
def remove(number: str): ...

@app.get("/invoices")
def invoices(): ...
"#,
    ),
    (
        "codes of this revision",
        "tests/codes.rs",
        r"
use rmcp::model::ErrorCode;
const KNOWN: [i32; 4] = [-32020, -32021, -32022, -32602];
",
    ),
    (
        "a time-out that has that code elsewhere",
        "src/retry.rs",
        r"
fn is_timeout(code: i64) -> bool {
    code == -32001
}
",
    ),
    (
        "a subscription of a message broker",
        "src/events.rs",
        r#"
use rmcp::service::RoleServer;
async fn follow(broker: &Broker) {
    broker.subscribe("invoices").await;
}
"#,
    ),
    (
        "a list of tools",
        "server/tools_test.go",
        r#"
package server

import "github.com/modelcontextprotocol/go-sdk/mcp"

var want = `[{"name":"add","inputSchema":{"type":"object"}},{"name":"sub","inputSchema":{"type":"object"}}]`
"#,
    ),
    (
        "a listen",
        "client/listen.go",
        r#"
package client

import "github.com/modelcontextprotocol/go-sdk/mcp"

func (c *Client) Listen(ctx context.Context) error {
	return c.stream(ctx, "subscriptions/listen", map[string]any{"notifications": map[string]any{"toolsListChanged": true}})
}
"#,
    ),
    (
        "the session of a web application",
        "src/main/java/Login.java",
        r#"
import jakarta.servlet.http.HttpSession;
class Login {
    String user(HttpSession session) {
        return (String) session.getAttribute("user");
    }
}
"#,
    ),
    (
        "the extension for tasks",
        "src/main/java/Poll.java",
        r#"
import io.modelcontextprotocol.spec.McpSchema;
class Poll {
    static final String EXTENSION = "io.modelcontextprotocol/tasks";
    static final String NOTICE = "notifications/tasks";
}
"#,
    ),
    (
        "references within a schema",
        "tools/book.json",
        r##"{
  "name": "book",
  "inputSchema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": { "at": { "$ref": "#/$defs/place" } },
    "$defs": { "place": { "type": "string" } }
  }
}"##,
    ),
    (
        "header fields in full",
        "deploy/cors.yaml",
        r"
mcp:
  cors:
    allow-headers: [Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Param-Region]
",
    ),
];
