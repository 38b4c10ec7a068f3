//! Results and schemas.

use super::Case;

pub(super) const HITS: &[Case] = &[
    (
        "scan.old-dialect",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst t = { inputSchema: { type: 'object', properties: { a: { type: 'array', items: [{ type: 'string' }] } } } };",
    ),
    (
        "scan.result-type",
        "a.json",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]},\"x\":\"tools/call\"}",
    ),
    (
        "scan.result-type",
        "test_a.py",
        "import mcp\nBODY = {\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {\"tools\": []}}\n",
    ),
    (
        "scan.result-type",
        "test_a.py",
        "import mcp\nm = JSONRPCResponse(jsonrpc=\"2.0\", id=1, result={\"tools\": []})\n",
    ),
    (
        "scan.result-type",
        "a.rs",
        "use rmcp::x;\nlet m = r#\"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}\"#;",
    ),
    (
        "scan.cache-hints",
        "a.json",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"tools\":[]},\"x\":\"tools/list\"}",
    ),
    (
        "scan.result-read",
        "a.py",
        "import mcp\ntext = body[\"result\"][\"content\"][0][\"text\"]\n",
    ),
    (
        "scan.result-read",
        "a.ts",
        "send('tools/call'); const text = message.result.content[0].text;",
    ),
    (
        "scan.narrow-schema",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\ninterface T { inputSchema: { type: 'object'; properties?: object; required?: string[] } }",
    ),
    (
        "scan.object-content",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\ninterface R { structuredContent?: Record<string, unknown>; }",
    ),
    (
        "scan.object-content",
        "a.py",
        "import mcp\nclass R:\n    structured_content: dict[str, Any] | None = None\n",
    ),
    (
        "scan.object-content",
        "a.go",
        "import \"github.com/mark3labs/mcp-go\"\ntype R struct {\n\tStructuredContent map[string]any\n}",
    ),
    (
        "scan.old-dialect",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst t = { inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#' } };",
    ),
    (
        "scan.network-ref",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst t = { inputSchema: { $ref: 'https://example.com/a.json' } };",
    ),
    (
        "scan.enum-names",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst s = { type: 'string', enum: ['a'], enumNames: ['A'] };",
    ),
];

pub(super) const MISSES: &[Case] = &[
    (
        "scan.old-dialect",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst t = { inputSchema: { properties: { a: { items: { type: 'string' } } } } }; const cart = { items: [1] };",
    ),
    (
        "scan.result-type",
        "a.test.ts",
        "import '@modelcontextprotocol/sdk';\nexpect(answer).toMatchObject({ jsonrpc: '2.0', result: { content: [] } });",
    ),
    (
        "scan.result-type",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nserver.registerTool('x', {}, async () => ({ content: [] }));",
    ),
    (
        "scan.result-type",
        "a.json",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"content\":[]},\"x\":\"tools/call\"}",
    ),
    (
        "scan.result-type",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nsend({ jsonrpc: '2.0', id, result: { ...result } }); send({ jsonrpc: '2.0', id, result });",
    ),
    (
        "scan.result-type",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\ninterface R { jsonrpc: '2.0'; id: number; result: { [key: string]: unknown } }",
    ),
    (
        "scan.result-type",
        "a.json",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"uri\":\"textDocument/x\"},\"x\":\"tools/call\"}",
    ),
    (
        "scan.cache-hints",
        "a.json",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"public\",\"tools\":[]},\"x\":\"tools/list\"}",
    ),
    (
        "scan.cache-hints",
        "a.json",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[]},\"x\":\"tools/call\"}",
    ),
    (
        "scan.result-read",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst result = await client.callTool({ name }); result.content[0];",
    ),
    (
        "scan.narrow-schema",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst t = { inputSchema: { type: 'object', properties: {}, required: [] } };",
    ),
    (
        "scan.object-content",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\ninterface R { structuredContent?: unknown; } return { structuredContent: { a: 1 } };",
    ),
    (
        "scan.old-dialect",
        "a.json",
        "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"title\":\"config of an MCP server, fastmcp\"}",
    ),
    (
        "scan.network-ref",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst t = { inputSchema: { $ref: '#/$defs/a', $schema: 'https://json-schema.org/draft/2020-12/schema' } };",
    ),
    (
        "scan.enum-names",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst enumNames = read(); // enumNames: []",
    ),
];
