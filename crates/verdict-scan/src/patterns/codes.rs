//! Error codes.

use super::{BASE, Pattern, Severity, Trigger};
use crate::judge::codes;
use Trigger::{Code, Key, Name};

const SPEC: &str = "basic#error-codes";

pub(super) static TABLE: [Pattern; 8] = [
    Pattern {
        id: "scan.resource-not-found-code",
        finds: "the older code for a missing resource",
        old: "-32002",
        new: "-32602",
        spec: "server/resources#error-handling",
        triggers: &[
            Code(32_002, 32_002),
            Name("RESOURCE_NOT_FOUND"),
            Name("ResourceNotFound"),
        ],
        judge: codes::resource_not_found,
        ..BASE
    },
    Pattern {
        id: "scan.header-mismatch-code",
        finds: "a draft's code for a header that does not fit",
        old: "-32001",
        new: "-32020",
        spec: SPEC,
        triggers: &[Code(32_001, 32_001)],
        judge: codes::header_mismatch,
        kept_for_old_peers: false,
        ..BASE
    },
    Pattern {
        id: "scan.missing-capability-code",
        finds: "a draft's code for a missing capability",
        old: "-32003",
        new: "-32021",
        spec: SPEC,
        triggers: &[Code(32_003, 32_003)],
        judge: codes::missing_capability,
        kept_for_old_peers: false,
        ..BASE
    },
    Pattern {
        id: "scan.unsupported-version-code",
        finds: "a draft's code for an unknown version",
        old: "-32004",
        new: "-32022",
        spec: SPEC,
        triggers: &[Code(32_004, 32_004)],
        judge: codes::unsupported_version,
        kept_for_old_peers: false,
        ..BASE
    },
    Pattern {
        id: "scan.legacy-range-code",
        finds: "an error code of the legacy range",
        old: "-32000 to -32019 for one's own errors",
        new: "one's own codes lie outside -32768 to -32000",
        severity: Severity::Warning,
        spec: SPEC,
        triggers: &[Code(32_000, 32_019)],
        judge: codes::legacy_range,
        ..BASE
    },
    Pattern {
        id: "scan.reserved-code",
        finds: "an error code that the specification keeps for itself",
        old: "-32023 to -32099 for one's own errors",
        new: "forbidden unless the specification defines the code",
        spec: SPEC,
        triggers: &[Code(32_023, 32_099)],
        judge: codes::specification_range,
        kept_for_old_peers: false,
        ..BASE
    },
    Pattern {
        id: "scan.status-200",
        finds: "HTTP 200 asserted for an error that has a status of its own",
        old: "200 for every JSON-RPC error",
        new: "404 for -32601; 400 for version, header and capability errors and missing `_meta`",
        spec: "basic/transports/streamable-http#server-validation",
        triggers: &[Code(32_601, 32_601), Code(32_020, 32_022)],
        judge: codes::status_of_error,
        ..BASE
    },
    Pattern {
        id: "scan.capability-list",
        finds: "`requiredCapabilities` as a list",
        old: "requiredCapabilities: [\"sampling\"]",
        new: "requiredCapabilities: { sampling: {} }",
        spec: SPEC,
        triggers: &[Key("requiredCapabilities"), Key("required_capabilities")],
        judge: codes::capability_list,
        kept_for_old_peers: false,
        ..BASE
    },
];
