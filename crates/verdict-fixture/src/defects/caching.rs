//! Faults of the cache hints.

use super::Defect;
use super::bend::remove;
use serde_json::json;

pub(super) const DEFECTS: &[Defect] = &[
    Defect::new(
        "no-ttl-discover",
        "leaves ttlMs out of server/discover",
        &[("cache.hints-discover", "fail")],
    )
    .result(|request, result| {
        if request.is("server/discover") {
            remove(result, "ttlMs");
        }
    }),
    Defect::new(
        "no-scope-tools",
        "leaves cacheScope out of tools/list",
        &[("cache.hints-tools-list", "fail")],
    )
    .result(|request, result| {
        if request.is("tools/list") {
            remove(result, "cacheScope");
        }
    }),
    Defect::new(
        "no-ttl-last-page",
        "leaves ttlMs out of all pages of tools/list but the first",
        &[("cache.hints-tools-list", "fail")],
    )
    .result(|request, result| {
        if request.is("tools/list") && request.param("cursor").is_some() {
            remove(result, "ttlMs");
        }
    }),
    Defect::new(
        "no-hints-prompts",
        "leaves the hints out of prompts/list",
        &[("cache.hints-prompts-list", "fail")],
    )
    .result(|request, result| {
        if request.is("prompts/list") {
            remove(result, "ttlMs");
            remove(result, "cacheScope");
        }
    }),
    Defect::new(
        "no-ttl-resources",
        "leaves ttlMs out of resources/list",
        &[("cache.hints-resources-list", "fail")],
    )
    .result(|request, result| {
        if request.is("resources/list") {
            remove(result, "ttlMs");
        }
    }),
    Defect::new(
        "no-ttl-templates",
        "leaves ttlMs out of resources/templates/list",
        &[("cache.hints-templates-list", "fail")],
    )
    .result(|request, result| {
        if request.is("resources/templates/list") {
            remove(result, "ttlMs");
        }
    }),
    Defect::new(
        "no-hints-read",
        "leaves the hints out of resources/read",
        &[("cache.hints-read", "fail")],
    )
    .result(|request, result| {
        if request.is("resources/read") {
            remove(result, "ttlMs");
            remove(result, "cacheScope");
        }
    }),
    Defect::new(
        "ttl-negative",
        "gives a negative ttlMs",
        &[("cache.ttl-valid", "fail")],
    )
    .result(|request, result| {
        if request.is("prompts/list") {
            result["ttlMs"] = json!(-1);
        }
    }),
    Defect::new(
        "ttl-text",
        "gives ttlMs as text",
        &[("cache.ttl-valid", "fail")],
    )
    .result(|request, result| {
        if request.is("prompts/list") {
            result["ttlMs"] = json!("300000");
        }
    }),
    Defect::new(
        "scope-unknown",
        "gives a cacheScope that is not defined",
        &[("cache.scope-valid", "fail")],
    )
    .result(|request, result| {
        if request.is("prompts/list") {
            result["cacheScope"] = json!("shared");
        }
    }),
    Defect::new(
        "scope-differs-by-page",
        "gives the pages of tools/list different scopes",
        &[("cache.scope-same-pages", "fail")],
    )
    .result(|request, result| {
        if request.is("tools/list") && request.param("cursor").is_some() {
            result["cacheScope"] = json!("private");
        }
    }),
    Defect::new(
        "hints-on-input-required",
        "gives cache hints when it asks back",
        &[("cache.no-hints-on-input-required", "warn")],
    )
    .result(|_, result| {
        if result["resultType"] == "input_required" {
            result["ttlMs"] = json!(0);
            result["cacheScope"] = json!("private");
        }
    }),
    Defect::new(
        "ttl-ten-years",
        "lets a list be kept for ten years",
        &[("cache.ttl-sane", "info")],
    )
    .result(|request, result| {
        if request.is("prompts/list") {
            result["ttlMs"] = json!(315_360_000_000_u64);
        }
    }),
];
