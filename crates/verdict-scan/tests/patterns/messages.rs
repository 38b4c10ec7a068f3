//! Server-to-client requests; subscriptions, logging, progress and cancellation.

use super::Case;

pub(super) const HITS: &[Case] = &[
    (
        "scan.elicitation-request",
        "a.json",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/create\",\"params\":{}}",
    ),
    (
        "scan.sampling-request",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst request = { method: 'sampling/createMessage', params: { messages } };",
    ),
    (
        "scan.sampling-request",
        "a.py",
        "from fastmcp import Context\nasync def f(ctx: Context):\n    r = await ctx.sample('x')\n",
    ),
    (
        "scan.sampling-request",
        "a.cs",
        "using ModelContextProtocol.Server;\nvar r = await server.SampleAsync(messages);",
    ),
    (
        "scan.elicitation-request",
        "a.go",
        "import \"github.com/modelcontextprotocol/go-sdk/mcp\"\nres, err := req.Session.Elicit(ctx, &mcp.ElicitParams{})",
    ),
    (
        "scan.sampling-request",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst r = await server.server.createMessage({ messages });",
    ),
    (
        "scan.sampling-request",
        "a.py",
        "from mcp.server import x\nr = await ctx.session.create_message(messages=[], max_tokens=1)\n",
    ),
    (
        "scan.sampling-request",
        "a.go",
        "import \"github.com/mark3labs/mcp-go\"\nreq := Request{Method: \"sampling/createMessage\", Params: params}",
    ),
    (
        "scan.elicitation-request",
        "a.py",
        "from fastmcp import Context\nasync def f(ctx: Context):\n    r = await ctx.elicit('x', str)\n",
    ),
    (
        "scan.elicitation-request",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst r = await server.elicitInput({ message });",
    ),
    (
        "scan.roots-request",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst { roots } = await server.listRoots();",
    ),
    (
        "scan.roots-changed",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst capabilities = { roots: { listChanged: true } };",
    ),
    (
        "scan.roots-changed",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nawait client.sendRootsListChanged();",
    ),
    (
        "scan.elicitation-complete",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nask({ mode: 'url', elicitationId: id });",
    ),
    (
        "scan.url-elicitation-error",
        "a.py",
        "import mcp\nraise McpError(ErrorData(code=-32042, message='x'))\n",
    ),
    (
        "scan.url-elicitation-error",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nthrow new UrlElicitationRequiredError([]);",
    ),
    (
        "scan.client-handler",
        "a.test.ts",
        "import '@modelcontextprotocol/sdk';\nclient.setRequestHandler(CreateMessageRequestSchema, f);",
    ),
    (
        "scan.resource-subscribe",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nawait client.subscribeResource({ uri });",
    ),
    (
        "scan.resource-subscribe",
        "a.json",
        "{\"jsonrpc\":\"2.0\",\"method\":\"resources/subscribe\"}",
    ),
    (
        "scan.resource-unsubscribe",
        "a.py",
        "import mcp\nawait session.unsubscribe_resource(uri)\n",
    ),
    (
        "scan.unsolicited-change",
        "a.test.ts",
        "import '@modelcontextprotocol/sdk';\nexpect(seen[0].method).toBe('notifications/tools/list_changed');",
    ),
    (
        "scan.unsolicited-change",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nclient.setNotificationHandler(ToolListChangedNotificationSchema, f);",
    ),
    (
        "scan.set-level",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nawait client.setLoggingLevel('debug');",
    ),
    (
        "scan.log-message",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nawait server.sendLoggingMessage({ level: 'info', data });",
    ),
    (
        "scan.cancel-direction",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nawait fetch(url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled' }) });",
    ),
    (
        "scan.disconnect-continues",
        "a.test.ts",
        "import '@modelcontextprotocol/sdk';\nit('does not cancel the tool when clients disconnect', f);",
    ),
];

pub(super) const MISSES: &[Case] = &[
    (
        "scan.elicitation-request",
        "a.rs",
        "use rmcp::x;\nmatch method { \"elicitation/create\" => 1, _ => 2 }; const M: &str = \"elicitation/create\"; assert_eq!(json[\"method\"], \"elicitation/create\");",
    ),
    (
        "scan.sampling-request",
        "a.py",
        "from fastmcp import Context\nrows = frame.sample(10)\n",
    ),
    (
        "scan.sampling-request",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst inputRequests = { a: { method: 'sampling/createMessage', params } };",
    ),
    (
        "scan.sampling-request",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nawait mail.createMessage({ to });",
    ),
    (
        "scan.elicitation-request",
        "a.py",
        "from fastmcp import Context\nawait user_interview.elicit('x')\n",
    ),
    (
        "scan.roots-request",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nawait tree.listRoots(); // server.listRoots()",
    ),
    (
        "scan.roots-changed",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst capabilities = { roots: {} }; const plot = { roots: { left: 1 } };",
    ),
    (
        "scan.elicitation-complete",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\n// elicitationId: gone\nconst id = elicitationIds;",
    ),
    (
        "scan.url-elicitation-error",
        "a.ts",
        "if (e.code === -32042) throw e;",
    ),
    (
        "scan.client-handler",
        "a.ts",
        "import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk';\nserver.setRequestHandler(ListToolsRequestSchema, f);",
    ),
    (
        "scan.resource-subscribe",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\napp.get('/resources/subscribe', f); import x from './resources/subscribe';",
    ),
    (
        "scan.resource-unsubscribe",
        "a.test.ts",
        "import '@modelcontextprotocol/sdk';\ndescribe('resources/unsubscribe', f);",
    ),
    (
        "scan.unsolicited-change",
        "a.test.ts",
        "import '@modelcontextprotocol/sdk';\nsend({ method: 'subscriptions/listen' });\nexpect(seen[0].method).toBe('notifications/tools/list_changed');",
    ),
    (
        "scan.set-level",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nlogger.setLevel('debug');",
    ),
    (
        "scan.log-message",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nif (meta['io.modelcontextprotocol/logLevel']) await server.sendLoggingMessage({});",
    ),
    (
        "scan.cancel-direction",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nstdin.write(frame({ jsonrpc: '2.0', method: 'notifications/cancelled' }));",
    ),
    (
        "scan.disconnect-continues",
        "a.test.ts",
        "import '@modelcontextprotocol/sdk';\nit('does not cancel the tool when asked twice', f);",
    ),
];
