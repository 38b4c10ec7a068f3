//! Which lifecycles the server speaks (A.11): reported in every run, never held against it.

use crate::check::Check;
use crate::context::Context;
use crate::facts::EraFinding;
use crate::ruling::{Finding, Ruling};

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::advisory("legacy.era", "Which lifecycles the server speaks")
    .headline(1)
    .spec("versioning#terminology")
    .why("Modern clients speak without a handshake, older ones begin with initialize; a server may serve either or both.")
    .fix("Nothing to mend: this line tells you what was found.")
    .any_era()
    .judge(era)];

fn era(cx: &Context) -> Ruling {
    let said = match &cx.facts.era {
        EraFinding::Modern => {
            "modern: server/discover is answered, a plain initialize is not".to_owned()
        }
        EraFinding::Dual => {
            "dual-era: both server/discover and a plain initialize are answered".to_owned()
        }
        EraFinding::Legacy(version) => format!(
            "legacy: only initialize is answered, with version {}",
            version.as_deref().unwrap_or("unnamed")
        ),
        EraFinding::HttpSse => "legacy: the HTTP+SSE transport of 2024-11-05".to_owned(),
        EraFinding::WithoutDiscover => "modern, but without server/discover".to_owned(),
        EraFinding::Refused(_) => "another revision than ours: refused with -32022".to_owned(),
        EraFinding::Unasked
        | EraFinding::Locked(_)
        | EraFinding::Busy(_)
        | EraFinding::Foreign(_)
        | EraFinding::Unreachable(_) => {
            return Ruling::skip("unknown: no MCP answer was seen");
        }
    };
    Finding::noted(said).into()
}
