//! Tasks, details of sampling, authorization.

use super::Case;

pub(super) const HITS: &[Case] = &[
    (
        "scan.tasks-list",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nsend({ method: 'tasks/list' });",
    ),
    (
        "scan.tasks-result",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nawait client.getTaskResult({ taskId });",
    ),
    (
        "scan.tasks-core",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nsend({ method: 'tasks/get' });",
    ),
    (
        "scan.tasks-capability",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst capabilities = { tasks: { list: {}, requests: {} } };",
    ),
    (
        "scan.tasks-capability",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst t = { execution: { taskSupport: 'optional' } };",
    ),
    (
        "scan.tasks-capability",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\ncall({ name: 'x', arguments: {}, task: { ttl: 1 } });",
    ),
    (
        "scan.task-fields",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nreturn { taskId: 'x', status: 'working', ttl: 60000 };",
    ),
    (
        "scan.task-status",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nsend({ method: 'notifications/tasks/status' });",
    ),
    (
        "scan.include-context",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nask({ includeContext: 'thisServer' });",
    ),
    (
        "scan.deprecated-capability",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nnew Client({}, { capabilities: { sampling: {} } });",
    ),
    (
        "scan.client-registration",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nawait post(metadata.registration_endpoint, body);",
    ),
    (
        "scan.issuer",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nawait post(url, { grant_type: 'authorization_code', code });",
    ),
];

pub(super) const MISSES: &[Case] = &[
    (
        "scan.tasks-list",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\napi.get('/tasks/list'); describe('tasks/list', f);",
    ),
    (
        "scan.tasks-result",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\n// tasks/result\nqueue.getResult('tasks/results');",
    ),
    (
        "scan.tasks-core",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nsend({ method: 'tasks/get', ext: 'io.modelcontextprotocol/tasks' });",
    ),
    (
        "scan.tasks-capability",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst state = { tasks: { open: 1 } }; const job = { task: { title: 'x' } };",
    ),
    (
        "scan.task-fields",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst cache = { ttl: 60000 }; return { taskId: 'x', ttlMs: 1 };",
    ),
    (
        "scan.task-status",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nsend({ method: 'notifications/tasks' });",
    ),
    (
        "scan.include-context",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nask({ includeContext: 'none' });",
    ),
    (
        "scan.deprecated-capability",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst options = { logging: true, sampling: 0.5 };",
    ),
    (
        "scan.client-registration",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nconst m = { application_type: 'native' }; post(metadata.registration_endpoint, m);",
    ),
    (
        "scan.issuer",
        "a.ts",
        "import '@modelcontextprotocol/sdk';\nif (url.searchParams.get('iss') !== issuer) throw e; post(url, { grant_type: 'authorization_code' });",
    ),
];
