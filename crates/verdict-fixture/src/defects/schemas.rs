//! Faults of the schemas of tools. They are all made to `void_invoice`, which nobody calls.

use super::bend::named;
use super::{Defect, Transport};
use crate::message::Request;
use serde_json::{Value, json};

/// Gives the tool another input schema.
fn input(request: &Request, items: &mut [Value], schema: Value) {
    if request.is("tools/list")
        && let Some(tool) = named(items, "void_invoice")
    {
        tool["inputSchema"] = schema;
    }
}

/// Gives the tool an output schema.
fn output(request: &Request, items: &mut [Value], schema: Value) {
    if request.is("tools/list")
        && let Some(tool) = named(items, "void_invoice")
    {
        tool["outputSchema"] = schema;
    }
}

/// Gives the tool one property.
fn property(request: &Request, items: &mut [Value], name: &str, schema: &Value) {
    let schema = json!({ "type": "object", "properties": { name: schema } });
    input(request, items, schema);
}

const fn header(
    name: &'static str,
    about: &'static str,
    expect: &'static [(&'static str, &'static str)],
) -> Defect {
    // Over stdio nobody needs the headers, so the same fault weighs less there.
    Defect::new(name, about, expect).over(Transport::Http)
}

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "input-schema-bad-type",
        "misspells a type in an input schema",
        &[("schema.input-valid", "fail")],
    )
    .items(|request, items| property(request, items, "id", &json!({ "type": "strnig" }))),
    Defect::new(
        "input-schema-tuple",
        "uses a list of items, as older drafts did",
        &[
            ("schema.input-valid", "fail"),
            ("schema.old-keywords", "info"),
        ],
    )
    .items(|request, items| {
        let pair =
            json!({ "type": "array", "items": [{ "type": "string" }, { "type": "string" }] });
        property(request, items, "ids", &pair);
    }),
    Defect::new(
        "output-schema-invalid",
        "gives the required names of an output schema as text",
        &[("schema.output-valid", "fail")],
    )
    .items(|request, items| {
        output(
            request,
            items,
            json!({ "type": "object", "required": "id" }),
        );
    }),
    Defect::new(
        "input-schema-no-type",
        "does not say that arguments are an object",
        &[("schema.input-root-object", "fail")],
    )
    .items(|request, items| {
        input(
            request,
            items,
            json!({ "properties": { "id": { "type": "string" } } }),
        );
    }),
    Defect::new(
        "output-schema-boolean",
        "gives true for an output schema",
        &[("schema.output-is-object", "fail")],
    )
    .items(|request, items| output(request, items, json!(true))),
    Defect::new(
        "ref-dangling",
        "refers to a definition that is not there",
        &[("schema.ref-local", "fail")],
    )
    .items(|request, items| property(request, items, "id", &json!({ "$ref": "#/$defs/id" }))),
    Defect::new(
        "ref-network",
        "refers to a schema on the network",
        &[("schema.ref-network", "warn")],
    )
    .items(|request, items| {
        let schema = json!({ "$ref": "https://ledger.example/schemas/id.json" });
        property(request, items, "id", &schema);
    }),
    Defect::new(
        "ref-cycle",
        "defines two things by each other",
        &[("schema.ref-cycle", "warn")],
    )
    .items(|request, items| {
        input(
            request,
            items,
            json!({
                "type": "object",
                "properties": { "id": { "$ref": "#/$defs/a" } },
                "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } }
            }),
        );
    }),
    Defect::new(
        "dialect-unknown",
        "writes a schema in a dialect of its own",
        &[("schema.dialect-known", "warn")],
    )
    .items(|request, items| {
        let schema = json!({ "$schema": "https://ledger.example/dialect", "type": "object" });
        input(request, items, schema);
    }),
    Defect::new(
        "dialect-old",
        "writes a schema in an older draft",
        &[("schema.dialect-known", "info")],
    )
    .items(|request, items| {
        let schema =
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "type": "object" });
        input(request, items, schema);
    }),
    Defect::new(
        "schema-old-keyword",
        "keeps its definitions where older drafts had them",
        &[("schema.old-keywords", "info")],
    )
    .items(|request, items| {
        let schema = json!({ "type": "object", "definitions": { "id": { "type": "string" } } });
        input(request, items, schema);
    }),
    Defect::new(
        "schema-deep",
        "nests a schema forty levels deep",
        &[("schema.bounds", "info")],
    )
    .items(|request, items| {
        let deep = (0..40).fold(
            json!({ "type": "string" }),
            |inner, _| json!({ "type": "object", "properties": { "next": inner } }),
        );
        property(request, items, "next", &deep);
    }),
    Defect::new(
        "schema-bad-pattern",
        "gives a pattern that is no regular expression",
        &[("schema.regex", "warn")],
    )
    .items(|request, items| {
        let schema = json!({ "type": "string", "pattern": "^INV-([0-9]+$" });
        property(request, items, "id", &schema);
    }),
    Defect::new(
        "schema-required-unknown",
        "requires an argument that it does not define",
        &[("schema.required-undefined", "info")],
    )
    .items(|request, items| {
        input(
            request,
            items,
            json!({ "type": "object", "properties": {}, "required": ["id"] }),
        );
    }),
    Defect::new(
        "schema-default-invalid",
        "gives a default that its own schema forbids",
        &[("schema.defaults-valid", "info")],
    )
    .items(|request, items| {
        property(
            request,
            items,
            "id",
            &json!({ "type": "string", "default": 1001 }),
        );
    }),
    header(
        "x-mcp-header-number",
        "gives a number for the name of a header",
        &[("schema.x-mcp-header-string", "fail")],
    )
    .items(|request, items| {
        property(
            request,
            items,
            "id",
            &json!({ "type": "string", "x-mcp-header": 5 }),
        );
    }),
    header(
        "x-mcp-header-space",
        "gives a header a name with a space",
        &[("schema.x-mcp-header-token", "fail")],
    )
    .items(|request, items| {
        let schema = json!({ "type": "string", "x-mcp-header": "Invoice Id" });
        property(request, items, "id", &schema);
    }),
    header(
        "x-mcp-header-twice",
        "gives two headers names that differ in case only",
        &[("schema.x-mcp-header-unique", "fail")],
    )
    .items(|request, items| {
        input(
            request,
            items,
            json!({ "type": "object", "properties": {
                "id": { "type": "string", "x-mcp-header": "Id" },
                "old": { "type": "string", "x-mcp-header": "ID" }
            } }),
        );
    }),
    header(
        "x-mcp-header-on-number",
        "mirrors a parameter that may be a fraction",
        &[("schema.x-mcp-header-primitive", "fail")],
    )
    .items(|request, items| {
        let schema = json!({ "type": "number", "x-mcp-header": "Share" });
        property(request, items, "share", &schema);
    }),
    header(
        "x-mcp-header-nullable",
        "mirrors a parameter that may be null",
        &[("schema.x-mcp-header-primitive", "warn")],
    )
    .items(|request, items| {
        let schema = json!({ "type": ["string", "null"], "x-mcp-header": "Reason" });
        property(request, items, "reason", &schema);
    }),
    header(
        "x-mcp-header-in-items",
        "mirrors the items of a list",
        &[("schema.x-mcp-header-reachable", "fail")],
    )
    .items(|request, items| {
        let item = json!({ "type": "string", "x-mcp-header": "Id" });
        property(
            request,
            items,
            "ids",
            &json!({ "type": "array", "items": item }),
        );
    }),
    header(
        "x-mcp-header-huge",
        "mirrors integers that not every reader keeps",
        &[("schema.x-mcp-header-int-range", "warn")],
    )
    .items(|request, items| {
        let schema = json!({
            "type": "integer", "maximum": 100_000_000_000_000_000_u64, "x-mcp-header": "Cents"
        });
        property(request, items, "cents", &schema);
    }),
    header(
        "x-mcp-header-secret",
        "mirrors a secret",
        &[("schema.x-mcp-header-sensitive", "warn")],
    )
    .items(|request, items| {
        let schema = json!({ "type": "string", "x-mcp-header": "Api-Key" });
        property(request, items, "api_key", &schema);
    }),
];
