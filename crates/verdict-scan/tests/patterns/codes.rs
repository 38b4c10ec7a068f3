//! Error codes.

use super::Case;

pub(super) const HITS: &[Case] = &[
    (
        "scan.resource-not-found-code",
        "a.test.ts",
        "import '@modelcontextprotocol/sdk';\n// unknown resource\nexpect(error.code).toBe(-32002);",
    ),
    (
        "scan.resource-not-found-code",
        "a.go",
        "import \"github.com/mark3labs/mcp-go\"\nreturn RESOURCE_NOT_FOUND",
    ),
    (
        "scan.header-mismatch-code",
        "a.ts",
        "// tools/call\nconst HEADER_MISMATCH = -32001; send('tools/call')",
    ),
    (
        "scan.header-mismatch-code",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst RequestTimeout = -32001;",
    ),
    (
        "scan.missing-capability-code",
        "test_a.py",
        "import mcp\n# missing capability\nassert error.code == -32003\n",
    ),
    (
        "scan.unsupported-version-code",
        "a.rs",
        "use rmcp::x;\nconst UNSUPPORTED_PROTOCOL_VERSION: i32 = -32004;",
    ),
    (
        "scan.legacy-range-code",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nreturn { error: { code: -32000, message: 'x' } };",
    ),
    (
        "scan.reserved-code",
        "a.py",
        "import mcp\nraise McpError(ErrorData(code=-32050, message='x'))\n",
    ),
    (
        "scan.status-200",
        "a.test.ts",
        "import '@modelcontextprotocol/sdk';\nexpect(res.status).toBe(200);\nexpect((await res.json()).error.code).toBe(-32601);",
    ),
    (
        "scan.capability-list",
        "a.json",
        "{\"error\":{\"data\":{\"requiredCapabilities\":[\"sampling\"]}},\"x\":\"tools/call\"}",
    ),
];

pub(super) const MISSES: &[Case] = &[
    (
        "scan.resource-not-found-code",
        "a.ts",
        "if (e.code === -32002) wait(); // the language server is not ready",
    ),
    (
        "scan.header-mismatch-code",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\n// -32001 was the header mismatch of a draft\nconst code = -32020;",
    ),
    (
        "scan.missing-capability-code",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst id = 32003; const low = x - 32;",
    ),
    (
        "scan.unsupported-version-code",
        "a.ts",
        "// version\nconst code = -32004;",
    ),
    (
        "scan.legacy-range-code",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nif (code >= -32019 && code <= -32000) x(); const own = -31999;",
    ),
    (
        "scan.reserved-code",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nif (code >= -32099 && code <= -32000) x(); if (e.code === -32050) y(); const c = -32022;",
    ),
    (
        "scan.status-200",
        "a.test.ts",
        "import '@modelcontextprotocol/sdk';\nexpect(res.status).toBe(404);\nexpect((await res.json()).error.code).toBe(-32601);",
    ),
    (
        "scan.capability-list",
        "a.json",
        "{\"error\":{\"data\":{\"requiredCapabilities\":{\"sampling\":{}}}},\"x\":\"tools/call\"}",
    ),
];
