//! The configuration that lets a checker see all of the server.

use crate::server::{FOREIGN_TOKEN, LOW_SCOPE_TOKEN, OTHER_TOKEN, TOKEN};

/// YAML that names what may be called, read and asked of [`crate::Server::correct`].
pub fn example_config() -> &'static str {
    r#"tools:
  safe: [search_invoices, get_invoice, convert, export_invoice, reconcile]
  arguments:
    search_invoices: { customer: acme }
    get_invoice: { id: INV-1001 }
    convert: { reference: INV-1001, cents: 42, to: USD }
    export_invoice: { id: INV-1001 }
    reconcile: { month: "2026-06", pace: 150 }
    email_invoice: { id: INV-1001, to: c@d.example }
  slow: [reconcile]
  chatty: [reconcile]
  needs-capability: [email_invoice]
resources: { known: ["ledger://2026"], missing: "ledger://1899" }
templates:
  values:
    invoice: { id: INV-1001 }
    statement: { customer: acme, year: "2026" }
prompts:
  arguments:
    dunning_letter: { customer: acme }
mrtr:
  trigger: { tool: email_invoice, arguments: { id: INV-1001, to: a@b.example } }
  answers: { send: true }
mutate: { tool: add_tool, arguments: {} }
"#
}

/// The same for a server behind OAuth, [`crate::Variant::Protected`].
pub fn protected_config() -> String {
    format!(
        "{}auth:\n  token: {TOKEN}\n  other-token: {OTHER_TOKEN}\n  low-scope-token: {LOW_SCOPE_TOKEN}\n  foreign-token: {FOREIGN_TOKEN}\n",
        example_config()
    )
}
