//! A small client made with the Rust SDK: what an agent does in one visit.
//!
//!     MCP_SERVER_URL=http://127.0.0.1:8000/mcp visitor-rmcp
//!
//! Every step is told on standard output, every failure on standard error; the exit code is 1 when a step failed.

use rmcp::model::*;
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RequestContext};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::{json, Map, Value};
use std::future::Future;
use std::process::ExitCode;

struct Visitor;

impl ClientHandler for Visitor {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(serde_json::from_value(json!({ "form": {} })).expect("a capability"));
        ClientConfig::new(capabilities, Implementation::new("visitor-rmcp", "0.1.0"))
    }

    /// Answers a form by its schema, as a user would who agrees to all.
    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { requested_schema, .. } = request else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        let schema = serde_json::to_value(requested_schema).unwrap_or_default();
        let mut content = Map::new();
        for (name, rule) in schema["properties"].as_object().into_iter().flatten() {
            let value = match (rule["enum"].get(0), rule["type"].as_str()) {
                (Some(first), _) => first.clone(),
                (None, Some("boolean")) => json!(true),
                (None, Some("integer" | "number")) => json!(1),
                _ => json!("yes"),
            };
            content.insert(name.clone(), value);
        }
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(content)))
    }
}

/// Tells what a step gave; whether it failed.
async fn step<E: std::fmt::Display>(
    name: &str,
    work: impl Future<Output = Result<Vec<String>, E>>,
) -> bool {
    match work.await {
        Ok(lines) => {
            for line in lines {
                println!("{name}: {line}");
            }
            false
        }
        Err(error) => {
            eprintln!("{name} failed: {error}");
            true
        }
    }
}

fn calls() -> [(&'static str, Value); 2] {
    [
        ("search_invoices", json!({ "customer": "acme", "limit": 3 })),
        (
            "convert",
            json!({ "reference": "Köln 42", "cents": 4200, "to": "USD", "exact": true }),
        ),
    ]
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = std::env::var("MCP_SERVER_URL").expect("MCP_SERVER_URL is set");
    let lifecycle = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    };
    let transport = StreamableHttpClientTransport::from_uri(url);
    let client = match Visitor.serve_with_lifecycle(transport, lifecycle).await {
        Ok(client) => client,
        Err(error) => {
            eprintln!("visit failed: {error}");
            return ExitCode::FAILURE;
        }
    };
    let names = || async {
        let tools = client.list_all_tools().await?;
        Ok::<_, rmcp::ServiceError>(tools.into_iter().map(|tool| tool.name.into_owned()).collect())
    };
    let mut failed = step("tool", names()).await;
    for (name, arguments) in calls() {
        let mut params = CallToolRequestParams::new(name);
        params.arguments = arguments.as_object().cloned();
        failed |= step(&format!("call {name}"), async {
            let result = client.call_tool(params).await?;
            let before = if result.is_error == Some(true) { "tool error: " } else { "" };
            let texts = result.content.iter().filter_map(|block| block.as_text());
            Ok::<_, rmcp::ServiceError>(texts.map(|block| format!("{before}{}", block.text)).collect())
        })
        .await;
    }
    failed |= step("tool again", names()).await;
    failed |= step("resource", async {
        let listed = client.list_all_resources().await?;
        let Some(first) = listed.first() else { return Ok(vec![]) };
        let result = client.read_resource(ReadResourceRequestParams::new(first.uri.clone())).await?;
        let contents = serde_json::to_value(result.contents).unwrap_or_default();
        let texts = contents.as_array().into_iter().flatten();
        Ok::<_, rmcp::ServiceError>(texts.map(|item| item["text"].to_string()).collect())
    })
    .await;
    failed |= step("prompt", async {
        let listed = client.list_all_prompts().await?;
        let Some(first) = listed.first() else { return Ok(vec![]) };
        let result = client.get_prompt(GetPromptRequestParams::new(first.name.clone())).await?;
        let messages = serde_json::to_value(result.messages).unwrap_or_default();
        let contents = messages.as_array().into_iter().flatten();
        Ok::<_, rmcp::ServiceError>(contents.map(|message| message["content"]["text"].to_string()).collect())
    })
    .await;
    let _ = client.cancel().await;
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
