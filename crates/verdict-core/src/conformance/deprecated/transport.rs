//! The HTTP+SSE transport of 2024-11-05, where it is still served.

use crate::check::Check;
use crate::conformance::transport::endpoint::VERBS;
use crate::context::Context;
use crate::refusal::answered;
use crate::ruling::{Finding, Ruling};
use verdict_model::transcript::Carrier;

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::should(
    "deprecated.http-sse",
    "The HTTP+SSE transport is on its way out",
)
.http()
.spec("http#httpsse-transport-2024-11-05")
.why("Clients drop it; who still depends on it should hear so in time.")
.fix("Serve Streamable HTTP alone as soon as your clients speak it.")
.probes(&[&VERBS])
.judge(old_stream)];

fn old_stream(cx: &Context) -> Ruling {
    let Some(record) = cx.record("transport.verbs/get") else {
        return match answered(cx, "transport.verbs/get") {
            Err(ruling) => ruling,
            Ok(_) => Ruling::skip("not reached"),
        };
    };
    let seen = record.replies().any(|(message, _)| {
        matches!(&message.carrier, Carrier::Event { event: Some(name), .. } if name == "endpoint")
    });
    if !seen {
        return Ruling::met("GET brings no `endpoint` event");
    }
    Finding::noted("GET opens a stream of the HTTP+SSE transport of 2024-11-05")
        .about("GET")
        .seen_in(record)
        .into()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_old_stream_is_noted() {
        crate::testing::shows(&[("get-endpoint-event", "deprecated.http-sse", "info")]);
    }
}
