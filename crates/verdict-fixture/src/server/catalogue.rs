//! What the server offers, as the lists show it.

use super::ledger::{ACME, CUSTOMERS, LOGO, POLICY, STATUSES};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Ends of the integers that every JSON reader keeps.
const SAFE: i64 = 9_007_199_254_740_991;

fn money() -> Value {
    json!({
        "type": "object",
        "properties": {
            "cents": { "type": "integer" },
            "currency": { "type": "string" }
        },
        "required": ["cents", "currency"]
    })
}

fn invoice_id() -> Value {
    json!({ "type": "string", "description": "Invoice number", "examples": ["INV-1001"] })
}

/// Tools, in the order of the list. `reports` of them were added while the server ran.
pub(crate) fn tools(reports: u32) -> Vec<Value> {
    let mut tools = vec![
        search_invoices(),
        read_invoice(),
        email_invoice(),
        reconcile(),
        convert(),
        export_invoice(),
        void_invoice(),
        add_tool(),
    ];
    tools.extend((1..=reports).map(|number| {
        json!({
            "name": format!("report_{number}"),
            "title": format!("Report {number}"),
            "description": "A report that was added while the server ran.",
            "inputSchema": { "type": "object", "additionalProperties": false },
            "annotations": { "readOnlyHint": true, "openWorldHint": false }
        })
    }));
    tools
}

fn search_invoices() -> Value {
    json!({
        "name": "search_invoices",
        "title": "Search invoices",
        "description": "Finds invoices by customer and status, newest last.",
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "customer": { "type": "string", "enum": CUSTOMERS },
                "status": { "type": "string", "enum": STATUSES },
                "limit": { "type": "integer", "minimum": 1, "maximum": 50, "default": 10 }
            },
            "required": ["customer"],
            "additionalProperties": false
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "invoices": { "type": "array", "items": { "$ref": "#/$defs/line" } },
                "total": { "type": "integer" }
            },
            "required": ["invoices", "total"],
            "$defs": {
                "line": {
                    "type": "object",
                    "properties": {
                        "id": { "type": "string" },
                        "total": { "$ref": "#/$defs/money" }
                    },
                    "required": ["id", "total"]
                },
                "money": money()
            }
        },
        "annotations": { "title": "Search", "readOnlyHint": true, "openWorldHint": false }
    })
}

fn read_invoice() -> Value {
    json!({
        "name": "get_invoice",
        "title": "Get an invoice",
        "description": "Shows one invoice with customer, date, status and total.",
        "inputSchema": {
            "type": "object",
            "properties": { "id": invoice_id() },
            "required": ["id"],
            "additionalProperties": false
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "id": { "type": "string" },
                "customer": { "type": "string" },
                "issued": { "type": "string" },
                "status": { "enum": STATUSES },
                "total": { "$ref": "#/$defs/money" }
            },
            "required": ["id", "customer", "issued", "status", "total"],
            "$defs": { "money": money() }
        },
        "icons": [{ "src": format!("data:image/png;base64,{LOGO}"), "mimeType": "image/png" }],
        "annotations": { "readOnlyHint": true, "openWorldHint": false }
    })
}

fn email_invoice() -> Value {
    json!({
        "name": "email_invoice",
        "title": "Email an invoice",
        "description": "Sends one invoice to an address, after the user has confirmed it.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "id": invoice_id(),
                "to": { "type": "string", "format": "email", "examples": ["a@b.example"] }
            },
            "required": ["id", "to"],
            "additionalProperties": false
        },
        "annotations": { "readOnlyHint": false, "destructiveHint": false, "openWorldHint": true }
    })
}

fn reconcile() -> Value {
    json!({
        "name": "reconcile",
        "title": "Reconcile a month",
        "description": "Compares the invoices of one month with the bank's statement, step by step.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "month": { "type": "string", "examples": ["2026-06"] },
                "pace": {
                    "type": "integer", "minimum": 0, "maximum": 1000, "default": 100,
                    "description": "Milliseconds each of the five steps takes"
                }
            },
            "required": ["month"],
            "additionalProperties": false
        },
        "annotations": { "readOnlyHint": true, "openWorldHint": false }
    })
}

fn convert() -> Value {
    json!({
        "name": "convert",
        "title": "Convert an amount",
        "description": "Converts cents of a euro to another currency at the rate of the ledger.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "reference": {
                    "type": "string", "examples": ["INV-1001"], "x-mcp-header": "Reference",
                    "description": "What the conversion is for"
                },
                "cents": {
                    "type": "integer", "minimum": -SAFE, "maximum": SAFE, "examples": [42],
                    "x-mcp-header": "Cents"
                },
                "to": { "type": "string", "enum": ["USD", "GBP"] },
                "exact": { "type": "boolean", "x-mcp-header": "Exact" },
                "options": {
                    "type": "object",
                    "properties": {
                        "rounding": { "type": "string", "x-mcp-header": "Rounding" }
                    }
                }
            },
            "required": ["reference", "cents", "to"],
            "additionalProperties": false
        },
        "outputSchema": { "type": "integer" },
        "annotations": {
            "readOnlyHint": true, "idempotentHint": true, "openWorldHint": false
        }
    })
}

fn export_invoice() -> Value {
    json!({
        "name": "export_invoice",
        "title": "Export an invoice",
        "description": "Gives one invoice as document, link, picture and sound.",
        "inputSchema": {
            "type": "object",
            "properties": { "id": invoice_id() },
            "required": ["id"],
            "additionalProperties": false
        },
        "annotations": { "readOnlyHint": true, "openWorldHint": false }
    })
}

fn void_invoice() -> Value {
    json!({
        "name": "void_invoice",
        "title": "Void an invoice",
        "description": "Takes one invoice out of the books.",
        "inputSchema": {
            "type": "object",
            "properties": { "id": invoice_id(), "reason": { "type": "string" } },
            "required": ["id"],
            "additionalProperties": false
        },
        "annotations": { "readOnlyHint": false, "destructiveHint": true, "openWorldHint": false }
    })
}

fn add_tool() -> Value {
    json!({
        "name": "add_tool",
        "title": "Add a report",
        "description": "Adds a report: a tool, a prompt and a resource; the ledger of 2026 notes it.",
        "inputSchema": { "type": "object", "additionalProperties": false },
        "annotations": { "readOnlyHint": false, "destructiveHint": false, "openWorldHint": false }
    })
}

/// Resources, in the order of the list.
pub(crate) fn resources(reports: u32) -> Vec<Value> {
    let mut resources = vec![
        json!({
            "uri": "ledger://2026", "name": "2026", "title": "Ledger of 2026",
            "description": "Sums of the current year.", "mimeType": "application/json"
        }),
        json!({
            "uri": "ledger://2025", "name": "2025", "title": "Ledger of 2025",
            "description": "Sums of the last year.", "mimeType": "application/json"
        }),
        json!({
            "uri": "ledger://office/policy", "name": "policy", "title": "Invoice policy",
            "description": "How invoices are handled.", "mimeType": "text/markdown",
            "size": POLICY.len(),
            "annotations": {
                "audience": ["user", "assistant"], "priority": 0.5,
                "lastModified": "2026-07-01T09:00:00Z"
            }
        }),
        json!({
            "uri": "ledger://office/logo", "name": "logo", "title": "Logo",
            "description": "The company's logo.", "mimeType": "image/png",
            "size": STANDARD.decode(LOGO).map(|bytes| bytes.len()).unwrap_or_default()
        }),
        json!({
            "uri": "ledger://customers/acme", "name": "acme", "title": "Acme",
            "description": "The customer's file.", "mimeType": "application/json",
            "size": ACME.len()
        }),
    ];
    resources.extend((1..=reports).map(|number| {
        json!({
            "uri": format!("ledger://reports/{number}"), "name": format!("report_{number}"),
            "description": "The text of an added report.", "mimeType": "text/plain"
        })
    }));
    resources
}

/// Resource templates, in the order of the list.
pub(crate) fn templates() -> Vec<Value> {
    vec![
        json!({
            "uriTemplate": "ledger://invoices/{id}", "name": "invoice", "title": "Invoice",
            "description": "One invoice.", "mimeType": "application/json"
        }),
        json!({
            "uriTemplate": "ledger://customers/{customer}/statements/{year}",
            "name": "statement", "title": "Statement",
            "description": "What one customer was billed in one year.",
            "mimeType": "application/json"
        }),
    ]
}

/// Prompts, in the order of the list.
pub(crate) fn prompts(reports: u32) -> Vec<Value> {
    let mut prompts = vec![
        json!({
            "name": "monthly_summary", "title": "Summary",
            "description": "Sums up the ledger of the current year.",
        }),
        json!({
            "name": "dunning_letter", "title": "Dunning letter",
            "description": "Drafts a reminder to a customer.",
            "arguments": [
                { "name": "customer", "description": "Who is reminded", "required": true },
                { "name": "tone", "description": "friendly or firm", "required": false }
            ]
        }),
        json!({
            "name": "check_logo", "title": "Check the logo",
            "description": "Asks whether the logo on a document is ours.",
            "arguments": [{ "name": "document", "description": "Where it was seen" }]
        }),
    ];
    prompts.extend((1..=reports).map(|number| {
        json!({
            "name": format!("report_{number}"),
            "description": "Asks for the text of an added report.",
        })
    }));
    prompts
}
