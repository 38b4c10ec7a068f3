//! Results and schemas.

use super::{BASE, Languages, Pattern, Severity, Trigger};
use crate::judge::results;
use Trigger::{Key, Name, Text};

pub(super) static TABLE: [Pattern; 8] = [
    Pattern {
        id: "scan.result-type",
        finds: "a result on the wire without `resultType`",
        old: "{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {…}}",
        new: "`resultType: \"complete\"` in every result",
        spec: "basic#resulttype",
        triggers: &[Key("jsonrpc")],
        judge: results::result_type,
        ..BASE
    },
    Pattern {
        id: "scan.cache-hints",
        finds: "a list or read on the wire without cache hints",
        old: "lists and reads say nothing about caching",
        new: "`ttlMs` and `cacheScope` beside them",
        spec: "server/utilities/caching#cacheable-results",
        triggers: &[Key("jsonrpc")],
        judge: results::cache_hints,
        ..BASE
    },
    Pattern {
        id: "scan.result-read",
        finds: "a result's `content`, read without looking at its type",
        old: "a result has one shape",
        new: "branch on `resultType`: complete, input_required, those of extensions; refuse others",
        severity: Severity::Warning,
        spec: "basic#resulttype",
        languages: Languages::Code,
        triggers: &[
            Name("content"),
            Text("content"),
            Name("structuredContent"),
            Text("structuredContent"),
        ],
        judge: results::result_read,
        ..BASE
    },
    Pattern {
        id: "scan.narrow-schema",
        finds: "a type of `inputSchema` with three members",
        old: "type, properties, required",
        new: "all of JSON Schema 2020-12 must get through",
        severity: Severity::Warning,
        spec: "basic#json-schema-usage",
        languages: Languages::Code,
        triggers: &[Key("inputSchema"), Key("outputSchema")],
        judge: results::narrow_schema,
        ..BASE
    },
    Pattern {
        id: "scan.object-content",
        finds: "`structuredContent` as an object only",
        old: "an object",
        new: "any JSON value",
        severity: Severity::Warning,
        spec: "server/tools#structured-content",
        languages: Languages::Code,
        triggers: &[
            Name("structuredContent"),
            Name("structured_content"),
            Name("StructuredContent"),
        ],
        judge: results::narrow_content,
        ..BASE
    },
    Pattern {
        id: "scan.old-dialect",
        finds: "a tool's schema in an older draft",
        old: "draft-07, and `items` with a list",
        new: "2020-12 is the default (`prefixItems`); an older draft must be declared",
        spec: "basic#schema-dialect",
        triggers: &[
            Key("items"),
            Text("http://json-schema.org/draft-07/schema#"),
            Text("http://json-schema.org/draft-07/schema"),
            Text("https://json-schema.org/draft-07/schema#"),
            Text("http://json-schema.org/draft-04/schema#"),
            Text("http://json-schema.org/draft-06/schema#"),
        ],
        judge: results::old_dialect,
        ..BASE
    },
    Pattern {
        id: "scan.network-ref",
        finds: "a schema that points out of its document",
        old: "`$ref` to an address, validators that load it",
        new: "bundle what is referred to; nothing is fetched by default",
        spec: "basic#ref-resolution",
        triggers: &[Key("$ref"), Key("loadSchema")],
        judge: results::network_reference,
        kept_for_old_peers: false,
        ..BASE
    },
    Pattern {
        id: "scan.enum-names",
        finds: "titles of an enumeration in `enumNames`",
        old: "enumNames",
        new: "`oneOf` with `const` and `title`",
        severity: Severity::Info,
        spec: "client/elicitation#requested-schema",
        triggers: &[Key("enumNames")],
        judge: results::enum_names,
        ..BASE
    },
];
