//! HTTP plumbing.

use super::Case;

pub(super) const HITS: &[Case] = &[
    (
        "scan.raw-post",
        "t.sh",
        "curl -X POST $URL -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}'",
    ),
    (
        "scan.raw-post",
        "a.ts",
        "await fetch(url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) });",
    ),
    (
        "scan.raw-post",
        "load.py",
        "import httpx\nhttpx.post(url, json={\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"})\n",
    ),
    (
        "scan.default-version",
        "a.ts",
        "const version = req.headers['mcp-protocol-version'] ?? '2025-03-26';",
    ),
    (
        "scan.batch",
        "a.ts",
        "await fetch(url, { body: JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'tools/list' }]) });",
    ),
    (
        "scan.batch",
        "t.sh",
        "curl $URL -d '[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}]'",
    ),
    (
        "scan.header-allow-list",
        "a.ts",
        "app.use(cors({ allowedHeaders: ['Content-Type', 'mcp-session-id'] }));",
    ),
    (
        "scan.sse-transport",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst t = new SSEServerTransport('/messages', res);",
    ),
    (
        "scan.sse-transport",
        "a.py",
        "from fastmcp import FastMCP\nmcp.run(transport=\"sse\")\n",
    ),
    (
        "scan.proxy-buffering",
        "nginx.conf",
        "location /mcp {\n  proxy_pass http://u;\n  proxy_set_header mcp-protocol-version $x;\n}",
    ),
    (
        "scan.origin",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst t = new StreamableHTTPServerTransport({});",
    ),
    (
        "scan.origin",
        "a.py",
        "from mcp.server import x\ns = TransportSecuritySettings(enable_dns_rebinding_protection=False)\n",
    ),
];

pub(super) const MISSES: &[Case] = &[
    (
        "scan.raw-post",
        "t.sh",
        "curl $URL -H 'Mcp-Method: tools/list' -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}'",
    ),
    (
        "scan.raw-post",
        "a.test.ts",
        "const res = await fetch(url, { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) });\nexpect(res.status).toBe(400);",
    ),
    (
        "scan.raw-post",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\ntransport.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });",
    ),
    (
        "scan.default-version",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst day = picked ?? '2025-03-26';",
    ),
    (
        "scan.batch",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst cases = [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }];",
    ),
    (
        "scan.header-allow-list",
        "a.ts",
        "app.use(cors({ allowedHeaders: ['mcp-session-id', 'mcp-method', 'mcp-name', 'mcp-protocol-version'] }));",
    ),
    (
        "scan.sse-transport",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\n// SSEServerTransport is gone\nconst kind = format === 'sse';",
    ),
    (
        "scan.proxy-buffering",
        "nginx.conf",
        "location /mcp {\n  proxy_pass http://u;\n  proxy_buffering off;\n  proxy_set_header mcp-protocol-version $x;\n}",
    ),
    (
        "scan.origin",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst t = new StreamableHTTPServerTransport({ allowedOrigins });",
    ),
];
