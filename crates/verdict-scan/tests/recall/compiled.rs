//! What revision 2026-07-28 breaks, in Rust, Go and Java, and in data.

use super::Snippet;

pub(super) const SNIPPETS: &[Snippet] = &[
    (
        "scan.server-info",
        "tests/handshake.rs",
        r#"
use rmcp::model::*;
#[tokio::test]
async fn names_itself() {
    let body: serde_json::Value = call("server/discover").await;
    assert_eq!(body["result"]["serverInfo"]["name"], "ledger");
}
"#,
    ),
    (
        "scan.version-literal",
        "src/protocol.rs",
        r#"
//! What we speak.
use rmcp::service::RoleServer;
pub const PROTOCOL_VERSION: &str = "2025-06-18";
"#,
    ),
    (
        "scan.unsolicited-change",
        "tests/changes.rs",
        r#"
use rmcp::transport::child_process::TokioChildProcess;
#[tokio::test]
async fn tells_of_new_tools() {
    add_tool(&server).await;
    let next = lines.next_message().await;
    assert_eq!(next["method"], "notifications/tools/list_changed");
}
"#,
    ),
    (
        "scan.legacy-range-code",
        "src/errors.rs",
        r#"
use rmcp::model::{ErrorCode, ErrorData};
pub fn busy() -> ErrorData {
    ErrorData::new(ErrorCode(-32010), "the queue is full", None)
}
"#,
    ),
    (
        "scan.header-mismatch-code",
        "tests/headers.rs",
        r#"
use rmcp::model::ErrorData;
#[tokio::test]
async fn refuses_a_header_that_differs() {
    let error = post_with("Mcp-Method", "tools/call", &list()).await.unwrap_err();
    assert_eq!(error.code, -32001, "header mismatch");
}
"#,
    ),
    (
        "scan.cancel-direction",
        "client/cancel.go",
        r#"
package client

// Cancel tells an MCP server (modelcontextprotocol) that nobody waits any more.
func Cancel(id int) error {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
	_, err := http.Post(endpoint, "application/json", strings.NewReader(body))
	return err
}
"#,
    ),
    (
        "scan.tasks-list",
        "client/tasks.go",
        r#"
package client

import "github.com/modelcontextprotocol/go-sdk/mcp"

func (c *Client) Tasks(ctx context.Context) (json.RawMessage, error) {
	return c.call(ctx, "tasks/list", nil)
}
"#,
    ),
    (
        "scan.tasks-result",
        "client/wait.go",
        r#"
package client

import "github.com/mark3labs/mcp-go/client"

func (c *Client) Wait(ctx context.Context, id string) (json.RawMessage, error) {
	return c.call(ctx, "tasks/result", map[string]any{"taskId": id})
}
"#,
    ),
    (
        "scan.batch",
        "client/many_test.go",
        r#"
package client

func TestMany(t *testing.T) {
	body := `[{"jsonrpc":"2.0","id":1,"method":"tools/list"},{"jsonrpc":"2.0","id":2,"method":"prompts/list"}]`
	answer := post(t, body)
	if len(answer) != 2 {
		t.Fatal("two answers are due")
	}
}
"#,
    ),
    (
        "scan.missing-capability-code",
        "server/sampling_test.go",
        r#"
package server

import "github.com/modelcontextprotocol/go-sdk/mcp"

func TestWantsSampling(t *testing.T) {
	err := callWithout("sampling")
	if err.Code != -32003 {
		t.Fatalf("a missing client capability is -32003, got %d", err.Code)
	}
}
"#,
    ),
    (
        "scan.reserved-code",
        "server/quota.go",
        r#"
package server

import "github.com/modelcontextprotocol/go-sdk/jsonrpc"

func overQuota() error {
	return &jsonrpc.Error{Code: -32050, Message: "over quota"}
}
"#,
    ),
    (
        "scan.roots-changed",
        "src/test/java/RootsTest.java",
        r#"
import io.modelcontextprotocol.client.McpSyncClient;
class RootsTest {
    @Test void tellsOfNewRoots() {
        assertEquals("notifications/roots/list_changed", transport.lastSent().method());
    }
}
"#,
    ),
    (
        "scan.include-context",
        "src/main/java/Ask.java",
        r#"
import io.modelcontextprotocol.spec.McpSchema.CreateMessageRequest;
class Ask {
    Map<String, Object> params() {
        return Map.of("maxTokens", 100, "includeContext", "thisServer");
    }
}
"#,
    ),
    (
        "scan.elicitation-complete",
        "src/main/java/Notices.java",
        r#"
import io.modelcontextprotocol.spec.McpSchema;
class Notices {
    void heard(String method) {
        switch (method) {
            case "notifications/elicitation/complete" -> resume();
            default -> ignore(method);
        }
    }
}
"#,
    ),
    (
        "scan.task-status",
        "src/main/java/Status.java",
        r#"
import io.modelcontextprotocol.spec.McpSchema;
class Status {
    static final String TASK_STATUS = "notifications/tasks/status";
}
"#,
    ),
    (
        "scan.cache-hints",
        "fixtures/tools.json",
        r#"{"jsonrpc": "2.0", "id": 2, "result": {"resultType": "complete", "tools": [{"name": "add", "inputSchema": {"type": "object"}}]}}"#,
    ),
    (
        "scan.network-ref",
        "tools/order.json",
        r#"{
  "name": "order",
  "description": "Orders a book",
  "inputSchema": {
    "type": "object",
    "properties": { "book": { "$ref": "https://schemas.example/book.json" } }
  },
  "annotations": { "readOnlyHint": false }
}"#,
    ),
    (
        "scan.capability-list",
        "fixtures/refusal.json",
        r#"{"jsonrpc": "2.0", "id": 3, "error": {"code": -32021, "message": "no", "data": {"requiredCapabilities": ["sampling"]}}}"#,
    ),
    (
        "scan.task-fields",
        "fixtures/task.json",
        r#"{"jsonrpc": "2.0", "id": 4, "result": {"taskId": "t-1", "status": "working", "ttl": 60000, "pollInterval": 500}}"#,
    ),
    (
        "scan.header-allow-list",
        "deploy/nginx.conf",
        r#"
location /mcp {
    proxy_pass http://mcp:8000;
    add_header Access-Control-Allow-Headers "Content-Type, Mcp-Session-Id, Last-Event-ID";
}
"#,
    ),
];
