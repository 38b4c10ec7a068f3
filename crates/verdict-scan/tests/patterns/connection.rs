//! Lifecycle and session.

use super::Case;

pub(super) const HITS: &[Case] = &[
    (
        "scan.ping",
        "A.java",
        "import io.modelcontextprotocol.client.McpSyncClient;\nObject result = client.ping();",
    ),
    (
        "scan.session-id",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst transport = transports[sessionId];",
    ),
    (
        "scan.initialize",
        "a.test.ts",
        "// x\nawait rpc({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }); rpc('tools/list')",
    ),
    (
        "scan.initialize",
        "a.py",
        "from mcp import ClientSession\nasync def f(session):\n    await session.initialize()\n",
    ),
    (
        "scan.initialize",
        "t.sh",
        "curl -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}' $URL -H 'Mcp-Session-Id: x'",
    ),
    (
        "scan.initialize",
        "a.go",
        "// x\nimport \"github.com/modelcontextprotocol/go-sdk/mcp\"\nswitch req.Method {\ncase \"initialize\":\n}",
    ),
    (
        "scan.initialize",
        "list.json",
        "[{\"method\": \"tools/list\"}, {\"method\": \"initialize\"}]",
    ),
    (
        "scan.initialized",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nsend({ method: 'notifications/initialized' });",
    ),
    (
        "scan.initialized",
        "a.rs",
        "use rmcp::x;\nfn f() { let m = match method { \"notifications/initialized\" => 1, _ => 2 }; }",
    ),
    (
        "scan.version-literal",
        "a.py",
        "import mcp\nLATEST_PROTOCOL_VERSION = \"2025-06-18\"\n",
    ),
    (
        "scan.version-literal",
        "a.yaml",
        "# x\nheaders: {Mcp-Session-Id: a}\nprotocolVersion: 2025-03-26\n",
    ),
    (
        "scan.connection-memory",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nif (server.getClientCapabilities()?.sampling) ask();",
    ),
    (
        "scan.connection-memory",
        "a.py",
        "from mcp.server import x\nif ctx.session.client_params.capabilities: pass\n",
    ),
    (
        "scan.server-info",
        "a.test.ts",
        "import '@modelcontextprotocol/sdk';\nexpect(result.serverInfo.name).toBe('x');",
    ),
    (
        "scan.server-info",
        "test_a.py",
        "import mcp\nassert body['result']['serverInfo']['name'] == 'x'\n",
    ),
    (
        "scan.session-id",
        "a.ts",
        "const id = req.headers['mcp-session-id'];",
    ),
    (
        "scan.session-id",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst t = { sessionIdGenerator: () => randomUUID() };",
    ),
    (
        "scan.session-id",
        "t.sh",
        "curl -H \"Mcp-Session-Id: $ID\" $URL",
    ),
    (
        "scan.session-id",
        "nginx.conf",
        "upstream u { ip_hash; }\nproxy_set_header mcp-protocol-version $x;",
    ),
    (
        "scan.resumption",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst transport = new T({ eventStore });",
    ),
    (
        "scan.resumption",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst id = req.headers['last-event-id'];",
    ),
    (
        "scan.get-stream",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\napp.get('/mcp', async (req, res) => { await transport.handleRequest(req, res); });",
    ),
    (
        "scan.delete-session",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\napp.delete('/mcp', async (req, res) => { close(req); });",
    ),
    (
        "scan.delete-session",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nawait transport.terminateSession();",
    ),
    (
        "scan.ping",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nawait client.ping();",
    ),
    (
        "scan.ping",
        "a.json",
        "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"x\":\"tools/list\"}",
    ),
    (
        "scan.shared-client",
        "a.test.ts",
        "import { Client } from '@modelcontextprotocol/sdk';\nbeforeAll(async () => { client = new Client({}); await client.connect(t); });",
    ),
    (
        "scan.shared-client",
        "test_a.py",
        "from mcp import ClientSession\n@pytest.fixture(scope=\"module\")\nasync def client():\n    async with ClientSession(a, b) as s:\n        yield s\n",
    ),
];

pub(super) const MISSES: &[Case] = &[
    (
        "scan.ping",
        "A.cs",
        "using ModelContextProtocol.Client;\nclass A { public Task PingAsync(int a) { } }",
    ),
    (
        "scan.connection-memory",
        "A.java",
        "import io.modelcontextprotocol.spec.McpSchema;\nclass A { Mono<Void> getClientCapabilities() { } }",
    ),
    (
        "scan.session-id",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst user = users[sessionId]; log(sessionId);",
    ),
    (
        "scan.resumption",
        "a.py",
        "from mcp.server import x\nmanager = M(app=app, event_store=None)\n",
    ),
    (
        "scan.initialize",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\n// send({ method: 'initialize' })\nawait database.initialize(); it('initialize', f);",
    ),
    (
        "scan.initialize",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nserver.registerTool('initialize', {}, f); const words = { name: 'initialize' };",
    ),
    (
        "scan.initialize",
        "a.test.ts",
        "import '@modelcontextprotocol/sdk';\nconst r = await rpc({ method: 'initialize' });\nexpect(r.error.code).toBe(-32601);",
    ),
    (
        "scan.initialize",
        "README.md",
        "Speaks `@modelcontextprotocol/sdk`: call `initialize(` with method: 'initialize'.",
    ),
    (
        "scan.initialized",
        "a.test.ts",
        "import '@modelcontextprotocol/sdk';\nit('notifications/initialized', () => {});",
    ),
    (
        "scan.version-literal",
        "a.py",
        "import mcp\nreleased = \"2025-06-18\"\n",
    ),
    (
        "scan.version-literal",
        "a.py",
        "\"\"\"MCP 2025-06-18, fastmcp.\"\"\"\nversion = 1\n",
    ),
    (
        "scan.connection-memory",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\n// getClientCapabilities()\nfunction getClientCapabilities() {}",
    ),
    (
        "scan.server-info",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst serverInfo = { name: 'x' }; options.serverInfo;",
    ),
    (
        "scan.session-id",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst t = { sessionIdGenerator: undefined };",
    ),
    (
        "scan.session-id",
        "a.test.ts",
        "// modern\nexpect(res.headers).not.toHaveProperty('mcp-session-id');",
    ),
    (
        "scan.session-id",
        "a.ts",
        "req.headers.delete('mcp-session-id');",
    ),
    (
        "scan.session-id",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst sessionId = cookie.sessionId;",
    ),
    (
        "scan.resumption",
        "a.ts",
        "import { x } from '@modelcontextprotocol/sdk';\nclass Orders extends EventStore {}",
    ),
    (
        "scan.get-stream",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\napp.get('/mcp', (req, res) => { res.status(405).end(); });",
    ),
    (
        "scan.get-stream",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\napp.get('/health', f); map.get('mcp-x');",
    ),
    (
        "scan.delete-session",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\napp.delete('/users/1', f); map.delete('mcps');",
    ),
    (
        "scan.ping",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nserver.registerTool('ping', {}, f); await redis.ping(); switch (name) { case 'ping': break; }",
    ),
    (
        "scan.shared-client",
        "a.test.ts",
        "import { Client } from '@modelcontextprotocol/sdk';\nbeforeAll(async () => { await seed(); });\nbeforeEach(() => { client = new Client({}); });",
    ),
];
