//! The Markdown report.

use crate::support::{checks_of, clean, evidence, inert, report, sample};
use verdict_model::Outcome;
use verdict_report::{Aside, Format, Style, markdown_limited, page, render};

#[test]
fn the_page_as_it_is_written() {
    let mut checks = checks_of(sample());
    checks
        .retain(|check| !["schema.ref-local", "transport.concurrent"].contains(&check.id.as_str()));
    let page = render(
        &report("acme-invoices breaks 2 rules.", checks),
        Format::Markdown,
        &Style::default(),
    );
    assert_eq!(
        page,
        r#"## ❌ FAIL: acme-invoices 1.4.2

acme-invoices breaks 2 rules.

| ✅ pass | ❌ fail | 🚫 error | 🟡 warn | 🔵 info | ⚪ skip | ⚪ n/a |
|--:|--:|--:|--:|--:|--:|--:|
| 4 | 2 | 0 | 2 | 1 | 3 | 1 |

`http://127.0.0.1:8000/mcp` · modern era, protocol 2026-07-28 · 96 requests in 1.2 s · `3c9a1f0b7e5d` on refs/heads/main · 1 waived (not counted)

### What is wrong

| | check | what happened | how to mend it |
|---|---|---|---|
| ❌ fail | [`cache.hints-tools-list`](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#cacheable-results) | 1 of 1 tools/list results carries no cache hints. `tools/list`: ttlMs and cacheScope are missing | Add ttlMs (milliseconds, 0 for never) and cacheScope (public or private). |
| ❌ fail | [`header.method-mismatch`](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation) | The server obeyed the body and did not look at the header. `tools/list`: Mcp-Method said prompts/list; expected HTTP 400 with error -32020, got HTTP 200 with a result | Compare Mcp-Method with the method in the body before anything else, and refuse a difference with HTTP 400 and error -32020. |
| 🟡 warn | [`list.tools-order-stable`](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#capabilities) | Two calls listed the same 14 tools in different orders. `tools/list`: position 3 held `get_invoice` first and `list_invoices` then | Sort the list, or keep it in a container that keeps its order. |
| 🟡 warn | [`list.cursor-invalid`](https://modelcontextprotocol.io/specification/2026-07-28/basic#meta) (waived) | An unknown cursor was ignored. | Refuse a cursor you did not issue with -32602. |

| | headline assertion | state | checks |
|--:|---|---|---|
| 1 | `server/discover` answers and lists a version we speak | ✅ pass | 2 pass |
| 2 | `tools/list` keeps its order from call to call | 🟡 warn | 1 warn |
| 3 | Lists, reads and discovery carry `ttlMs` and `cacheScope` | ❌ fail | 1 fail, 1 n/a |
| 4 | Every result carries a known `resultType` | ✅ pass | 1 pass |
| 5 | Tool schemas are valid JSON Schema 2020-12 and every `$ref` resolves | ⚪ skip | 1 skip |
| 6 | Errors carry the codes that the specification gives them | ✅ pass | 1 pass |
| 7 | Requests whose headers and body disagree are refused with -32020 | ❌ fail | 1 fail |

### Details

<details>
<summary>❌ <b>fail</b> <code>cache.hints-tools-list</code> A list of tools carries <code>ttlMs</code> and <code>cacheScope</code></summary>

1 of 1 tools/list results carries no cache hints.

`tools/list`: ttlMs and cacheScope are missing (at `/result`)

Came back:

```http
HTTP/1.1 200 OK
content-type: application/json

{"jsonrpc":"2.0","id":5,"result":{"resultType":"complete","tools":[…]}}
```

**Mend:** Add ttlMs (milliseconds, 0 for never) and cacheScope (public or private).

**Rule:** [MUST](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#cacheable-results), headline assertion 3

</details>

<details>
<summary>❌ <b>fail</b> <code>header.method-mismatch</code> A request whose <code>Mcp-Method</code> differs from its body is refused with -32020</summary>

The server obeyed the body and did not look at the header.

`tools/list`: Mcp-Method said prompts/list; expected HTTP 400 with error -32020, got HTTP 200 with a result (at `/result`)

Sent:

```http
POST /mcp HTTP/1.1
MCP-Protocol-Version: 2026-07-28
Mcp-Method: prompts/list

{"jsonrpc":"2.0","id":14,"method":"tools/list","params":{"_meta":{…}}}
```

Came back:

```http
HTTP/1.1 200 OK
content-type: application/json

{"jsonrpc":"2.0","id":14,"result":{"resultType":"complete","tools":[…],"ttlMs":0,"cacheScope":"private"}}
```

**Mend:** Compare Mcp-Method with the method in the body before anything else, and refuse a difference with HTTP 400 and error -32020.

**Rule:** [MUST](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation), headline assertion 7

</details>

<details>
<summary>🟡 <b>warn</b> <code>list.tools-order-stable</code> <code>tools/list</code> gives the same order each time</summary>

Two calls listed the same 14 tools in different orders.

`tools/list`: position 3 held `get_invoice` first and `list_invoices` then (at `/result/tools/3/name`)

**Mend:** Sort the list, or keep it in a container that keeps its order.

**Rule:** [SHOULD](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#capabilities), headline assertion 2

</details>

<details>
<summary>🟡 <b>warn</b> <code>list.cursor-invalid</code> An unknown cursor is refused with -32602</summary>

An unknown cursor was ignored.

**Note:** waived, so it does not count: SDK bug, reported upstream; until 2027-03-01

**Mend:** Refuse a cursor you did not issue with -32602.

**Rule:** [SHOULD](https://modelcontextprotocol.io/specification/2026-07-28/basic#meta)

</details>

<details>
<summary>🔵 <b>info</b> <code>cache.ttl-sane</code> Cache times are plausible</summary>

tools/list may be kept for 31 days.

`tools/list`: ttlMs is `2678400000` (at `/result/ttlMs`)

**Mend:** Send a ttlMs that fits how often the list changes.

**Rule:** [advisory](https://modelcontextprotocol.io/specification/2026-07-28/basic#meta)

</details>

### Coverage

9 of 13 checks were tried. Not tried: 3. Not offered by the server: 1.

<details>
<summary>⚪ 3 not tried</summary>

- no tool may be called: name some under tools.safe: `tools.input-error`, `tools.structured-valid`
- two tokens are needed: set auth.other-token: `cache.public-leak`

</details>

<details>
<summary>⚪ 1 not offered by the server</summary>

- the server declares no prompts: `cache.hints-prompts-list`

</details>

<details>
<summary>✅ 4 passed</summary>

`discover.answers`, `discover.versions-include-ours`, `result.type-present`, `errors.method-not-found`

</details>

- 💡 Name tools under tools.safe in mcp-verdict.yaml: 2 checks could not run without one.

<sub>mcp-verdict 0.1.0, rules of 2026-07-28</sub>
"#
    );
    inert::check(&page);
}

#[test]
fn a_good_server_has_no_findings() {
    let page = markdown_limited(&clean(), 65_535);
    assert!(
        page.starts_with("## ✅ PASS: acme-invoices 1.4.2\n"),
        "{page}"
    );
    assert!(!page.contains("### What is wrong"), "{page}");
    assert!(!page.contains("### Details"), "{page}");
}

#[test]
fn every_limit_holds_and_leaves_the_page_whole() {
    let report = sample();
    let full = markdown_limited(&report, 1_000_000);
    for limit in (0..=full.len()).step_by(7) {
        let page = markdown_limited(&report, limit);
        assert!(page.len() <= limit, "{} > {limit}", page.len());
        inert::check(&page);
    }
    assert_eq!(markdown_limited(&report, full.len()), full);
}

#[test]
fn the_least_severe_are_left_out_with_a_count() {
    let mut checks = Vec::new();
    for i in 0..300 {
        let mut check = checks_of(sample()).swap_remove(if i % 2 == 0 { 2 } else { 8 });
        check.id = format!("{}-{i}", check.id);
        check.message = "m".repeat(200_000);
        check.evidence[0].response = Some("`".repeat(200_000));
        checks.push(check);
    }
    let report = report("300 findings.", checks);
    let page = markdown_limited(&report, 65_535);
    assert!(page.len() <= 65_535);
    inert::check(&page);
    let left = |what: &str| -> usize {
        let end = format!(" more {what}** did not fit here");
        let line = page.lines().find(|line| line.contains(&end)).unwrap();
        line[2..].split(' ').next().unwrap().parse().unwrap()
    };
    let rows = |word| page.matches(&format!(" {word} | [`")).count();
    assert_eq!(rows("fail") + rows("warn") + left("rows"), 300);
    assert!(rows("fail") > 20, "{page}");
    assert_eq!(rows("warn"), 0, "failures come first");
    let details = page.matches("<b>fail</b> ").count();
    assert_eq!(details + left("details"), 300);
    assert!(details >= 3);
    assert!(page.contains("198,522 more bytes"), "{page}");
}

#[test]
fn many_items_are_counted() {
    let mut checks = checks_of(sample());
    checks.retain(|check| check.outcome == Outcome::Fail);
    checks[0].evidence = (0..100_000)
        .map(|i| evidence(&format!("tool_{i}"), "is wrong", None))
        .collect();
    let page = markdown_limited(&report("", checks), 65_535);
    assert!(
        page.contains("\nand 99,997 more (see the JSON report)\n"),
        "{page}"
    );
}

#[test]
fn what_stands_beside_the_report_comes_first_and_is_as_inert() {
    let aside = Aside {
        notes: vec!["Layers 1 to 3 were skipped: @octo has no key <b>".to_owned()],
        link: Some("https://github.com/octo/demo/actions/runs/7".to_owned()),
        log: Some("```\nlistening\n::error::x\n".to_owned()),
    };
    let written = page(&clean(), &aside, 65_535);
    let expected = "## ✅ PASS: acme-invoices 1.4.2\n\nacme-invoices conforms to MCP 2026-07-28 as far as it was tried.\n\n- ℹ️ Layers 1 to 3 were skipped: `@octo` has no key &#60;b&#62;\n- [The job summary](https://github.com/octo/demo/actions/runs/7) has the whole report.\n\nThe last words of the server:\n\n````text\n```\nlistening\n\\u{3a}:error::x\n````\n\n| ✅ pass";
    assert!(written.starts_with(expected), "{written}");
    let hostile = Aside {
        link: Some("https://x.example/a) [b](javascript:c".to_owned()),
        log: Some("é".repeat(100_000)),
        ..Aside::default()
    };
    let written = page(&clean(), &hostile, 65_535);
    assert!(!written.contains("x.example"), "{written}");
    assert!(written.len() < 20_000, "the log is cut");
}
