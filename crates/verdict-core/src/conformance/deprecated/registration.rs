//! Dynamic client registration gives way to client id metadata documents.

use crate::check::Check;
use crate::conformance::auth::door::DOOR;
use crate::conformance::auth::issuer::{CIMD, is_set, published};
use crate::context::Context;
use crate::ruling::{Finding, Ruling};

/// The checks of this family.
pub const CHECKS: &[Check] = &[Check::should(
    "deprecated.dcr",
    "Dynamic client registration is on its way out",
)
.spec("auth-reg#dynamic-client-registration")
.why("Clients move to client id metadata documents; registration may go from 2027-07-28 on.")
.fix("Support client id metadata documents beside it.")
.at_the_door()
.probes(&[&DOOR])
.judge(registers)];

fn registers(cx: &Context) -> Ruling {
    match published(cx) {
        Err(ruling) => ruling,
        Ok((record, metadata)) => {
            if !metadata.contains_key("registration_endpoint") || is_set(metadata, CIMD) {
                return Ruling::not_applicable("the authorization server does not depend on it");
            }
            Finding::noted(
                "registration_endpoint is there and client id metadata documents are not supported; earliest removal 2027-07-28",
            )
            .seen_in(record)
            .at("/registration_endpoint")
            .into()
        }
    }
}
