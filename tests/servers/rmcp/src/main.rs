//! A small ledger served by the Rust SDK, over HTTP or stdio.
//!
//! It shows one of everything the checker looks at: tools with and without an
//! output schema, a tool with a parameter header, one that asks the user, one
//! that reports progress, resources as text and as bytes, a template, prompts
//! and completion. What goes over the wire is the SDK's doing: nothing here
//! repairs or reshapes it, so that the checker sees the SDK as it is.
//!
//! `ledger-rmcp --http | --stdio  [--strict]`
//!
//! `--strict` turns on what the SDK offers but leaves off: checking `Origin`,
//! insisting on per-request metadata, and speaking only the newest revision.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::handler::server::tool::{InputResponses as Answers, RequestState};
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::*;
use rmcp::schemars::{self, JsonSchema};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{prompt, prompt_handler, prompt_router, tool, tool_handler, tool_router};
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::broadcast;

/// The smallest valid PNG: one transparent pixel.
const LOGO: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const INVOICES: [(&str, &str, &str, i64, Status); 3] = [
    ("INV-1001", "acme", "north", 125_000, Status::Open),
    ("INV-1002", "globex", "south", 9_900, Status::Paid),
    ("INV-1003", "acme", "south", 43_050, Status::Open),
];
const CUSTOMERS: [&str; 2] = ["acme", "globex"];

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Open,
    Paid,
}

#[derive(Serialize, JsonSchema)]
struct Invoice {
    id: String,
    customer: String,
    region: String,
    cents: i64,
    status: Status,
}

#[derive(Serialize, JsonSchema)]
struct Total {
    region: String,
    cents: i64,
}

#[derive(Deserialize, JsonSchema)]
struct ById {
    /// Invoice number, such as INV-1001
    id: String,
}

#[derive(Deserialize, JsonSchema)]
struct ByStatus {
    status: Option<Status>,
}

#[derive(Deserialize, JsonSchema)]
struct ByRegion {
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
    #[serde(default)]
    #[schemars(extend("x-mcp-header" = "Above"))]
    above: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Mail {
    id: String,
    to: String,
}

#[derive(Deserialize, JsonSchema)]
struct Steps {
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 20))]
    steps: u8,
}

#[derive(Deserialize, JsonSchema)]
struct Year {
    #[schemars(regex(pattern = r"^[0-9]{4}$"))]
    year: String,
}

#[derive(Deserialize, JsonSchema)]
struct Dunning {
    /// Who owes
    customer: String,
    tone: Option<String>,
}

fn three() -> u8 {
    3
}

fn invoices() -> impl Iterator<Item = Invoice> {
    INVOICES.into_iter().map(|(id, customer, region, cents, status)| Invoice {
        id: id.into(),
        customer: customer.into(),
        region: region.into(),
        cents,
        status,
    })
}

fn find(id: &str) -> Option<Invoice> {
    invoices().find(|invoice| invoice.id == id)
}

fn said(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn refused(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

#[derive(Clone)]
struct Ledger {
    strict: bool,
    /// Shared by all connections, since HTTP makes a handler for every request.
    years: Arc<Mutex<BTreeSet<String>>>,
    changed: broadcast::Sender<()>,
}

#[tool_router]
impl Ledger {
    fn new(strict: bool) -> Self {
        let years = ["2025", "2026"].map(String::from).into();
        Self { strict, years: Arc::new(Mutex::new(years)), changed: broadcast::channel(8).0 }
    }

    fn open_years(&self) -> BTreeSet<String> {
        self.years.lock().map(|years| years.clone()).unwrap_or_default()
    }

    /// Returns one invoice by its number.
    #[tool(title = "Get an invoice", annotations(read_only_hint = true, open_world_hint = false))]
    async fn get_invoice(&self, Parameters(ById { id }): Parameters<ById>) -> Result<Json<Invoice>, String> {
        find(&id).map(Json).ok_or_else(|| format!("there is no invoice {id}"))
    }

    /// Lists invoice numbers, all of them or those with one status.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn list_invoices(&self, Parameters(ByStatus { status }): Parameters<ByStatus>) -> String {
        let wanted = invoices().filter(|invoice| status.is_none_or(|status| invoice.status == status));
        wanted.map(|invoice| invoice.id).collect::<Vec<_>>().join("\n")
    }

    /// Adds up the invoices of one region. The region travels in a header too.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn region_total(&self, Parameters(ByRegion { region, above }): Parameters<ByRegion>) -> Json<Total> {
        let counted = invoices().filter(|invoice| invoice.region == region && invoice.cents > above);
        Json(Total { cents: counted.map(|invoice| invoice.cents).sum(), region })
    }

    /// Emails an invoice after asking the user. Nothing leaves this process.
    #[tool(annotations(read_only_hint = false, destructive_hint = false, open_world_hint = true))]
    async fn email_invoice(
        &self,
        Parameters(Mail { id, to }): Parameters<Mail>,
        RequestState(_state): RequestState,
        Answers(answers): Answers,
    ) -> Result<CallToolResponse, ErrorData> {
        if find(&id).is_none() {
            return Ok(refused(format!("there is no invoice {id}")).into());
        }
        let Some(answer) = answers.as_ref().and_then(|answers| answers.get("consent")) else {
            return Ok(ask_consent(&id, &to)?.into());
        };
        let agreed = answer["action"] == "accept" && answer["content"]["send"] == true;
        Ok(said(if agreed { format!("sent {id} to {to}") } else { format!("did not send {id}") }).into())
    }

    /// Compares the books step by step and reports progress.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn reconcile(
        &self,
        Parameters(Steps { steps }): Parameters<Steps>,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let token = context.meta.get_progress_token();
        for step in 1..=steps {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let Some(token) = token.clone() else { continue };
            let progress = ProgressNotificationParam::new(token, f64::from(step))
                .with_total(f64::from(steps))
                .with_message(format!("step {step}"));
            if context.peer.notify_progress(progress).await.is_err() {
                break;
            }
        }
        Ok(said(format!("reconciled in {steps} steps")))
    }

    /// Opens the book of a year: the list of resources grows.
    #[tool(annotations(read_only_hint = false, destructive_hint = false, open_world_hint = false))]
    async fn open_year(&self, Parameters(Year { year }): Parameters<Year>) -> CallToolResult {
        if year.len() != 4 || !year.bytes().all(|byte| byte.is_ascii_digit()) {
            return refused(format!("{year} is not a year"));
        }
        let is_new = self.years.lock().is_ok_and(|mut years| years.insert(year.clone()));
        if !is_new {
            return said(format!("{year} was open"));
        }
        // Nobody may be listening, which is no fault.
        let _ = self.changed.send(());
        said(format!("opened {year}"))
    }
}

fn ask_consent(id: &str, to: &str) -> Result<InputRequiredResult, ErrorData> {
    let schema = json!({
        "type": "object",
        "properties": { "send": { "type": "boolean", "description": "Really send it?" } },
        "required": ["send"],
    });
    let form = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!("Send {id} to {to}?"),
        requested_schema: serde_json::from_value(schema)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?,
    };
    let mut requests = InputRequests::new();
    requests.insert("consent".into(), InputRequest::Elicitation(ElicitRequest::new(form)));
    Ok(InputRequiredResult::new(Some(requests), Some(format!("{id} {to}"))))
}

#[prompt_router]
impl Ledger {
    #[prompt(description = "Checklist for closing a month")]
    async fn month_end(&self) -> Vec<PromptMessage> {
        vec![PromptMessage::new_text(Role::User, "List what is open at the end of the month.")]
    }

    #[prompt(description = "A reminder to a customer")]
    async fn dunning_letter(&self, Parameters(asked): Parameters<Dunning>) -> Vec<PromptMessage> {
        let tone = asked.tone.as_deref().unwrap_or("friendly");
        vec![PromptMessage::new_text(Role::User, format!("Write a {tone} reminder to {}.", asked.customer))]
    }
}

#[tool_handler]
#[prompt_handler(router = Self::prompt_router())]
impl ServerHandler for Ledger {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("ledger-rmcp", "0.1.0").with_title("Ledger"))
            .with_instructions("Invoices of a small company. Amounts are in cents.")
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        if self.strict {
            Cow::Owned(vec![ProtocolVersion::V_2026_07_28])
        } else {
            Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
        }
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let books = self.open_years().into_iter().map(|year| {
            Resource::new(format!("ledger://{year}"), format!("book-{year}"))
                .with_title(format!("Book of {year}"))
                .with_description("All invoices of the year")
                .with_mime_type("application/json")
        });
        let logo = Resource::new("ledger://logo.png", "logo")
            .with_description("The letterhead")
            .with_mime_type("image/png");
        Ok(ListResourcesResult::with_all_items(books.chain([logo]).collect()))
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new("invoice://{id}", "invoice")
            .with_description("One invoice")
            .with_mime_type("application/json");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let book = uri.strip_prefix("ledger://").filter(|year| self.open_years().contains(*year));
        let contents = if uri == "ledger://logo.png" {
            ResourceContents::blob(LOGO, uri).with_mime_type("image/png")
        } else if let Some(year) = book {
            let invoices: Vec<_> = invoices().collect();
            let book = json!({ "year": year, "invoices": invoices });
            ResourceContents::text(book.to_string(), uri).with_mime_type("application/json")
        } else if let Some(invoice) = uri.strip_prefix("invoice://").and_then(find) {
            ResourceContents::text(json!(invoice).to_string(), uri).with_mime_type("application/json")
        } else {
            return Err(ErrorData::resource_not_found("there is no such resource", Some(json!({ "uri": uri }))));
        };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let known: Vec<&str> = match request.argument.name.as_str() {
            "customer" => CUSTOMERS.to_vec(),
            "tone" => vec!["friendly", "firm"],
            "id" => INVOICES.iter().map(|invoice| invoice.0).collect(),
            _ => Vec::new(),
        };
        let fitting = known.into_iter().filter(|value| value.starts_with(&request.argument.value));
        let values = fitting.map(String::from).collect();
        let completion = CompletionInfo::with_all_values(values)
            .map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(completion))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changed.subscribe();
        loop {
            tokio::select! {
                () = subscription.cancelled() => return Ok(()),
                _ = changes.recv() => {
                    // The sink itself refuses what this client did not ask for.
                    let _ = subscription.sink().notify_resource_list_changed().await;
                }
            }
        }
    }
}

async fn serve_http(ledger: Ledger) -> Result<(), Box<dyn Error>> {
    let mut config = StreamableHttpServerConfig::default();
    if ledger.strict {
        config = config
            .with_allowed_origins(["http://127.0.0.1:*", "http://localhost:*"])
            .with_legacy_session_mode(false)
            .with_stateless_protocol_metadata_required(true);
    }
    let service = StreamableHttpService::new(
        move || Ok(ledger.clone()),
        Arc::<LocalSessionManager>::default(),
        config,
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}

async fn serve_stdio(ledger: Ledger) -> Result<(), Box<dyn Error>> {
    ledger.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut flags: Vec<String> = std::env::args().skip(1).collect();
    let strict = flags.iter().any(|flag| flag == "--strict");
    flags.retain(|flag| flag != "--strict");
    let ledger = Ledger::new(strict);
    // SIGTERM ends the process through the system's own default.
    match flags.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--http"] => serve_http(ledger).await,
        ["--stdio"] => serve_stdio(ledger).await,
        _ => Err("usage: ledger-rmcp --http | --stdio  [--strict]".into()),
    }
}
