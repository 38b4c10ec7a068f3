//! Requirement sets, frozen per revision as data: which checks count towards a verdict.
//!
//! A check that is younger than the pinned set is shown as new and does not count, so that a new release of
//! ours turns no green build red. The lists lie in `requirements/`; only hashes of them are in the program.

const fn hash(bytes: &[u8], from: usize, to: usize) -> u32 {
    let (mut hash, mut at) = (0x811c_9dc5_u32, from);
    while at < to {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    hash
}

const fn lines(text: &[u8]) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < text.len() {
        count += (text[at] == b'\n') as usize;
        at += 1;
    }
    count
}

const fn hashes<const N: usize>(text: &[u8]) -> [u32; N] {
    let (mut all, mut number, mut begin, mut at) = ([0; N], 0, 0, 0);
    while at < text.len() {
        if text[at] == b'\n' {
            all[number] = hash(text, begin, at);
            number += 1;
            begin = at + 1;
        }
        at += 1;
    }
    all
}

const TEXT_2026_07_28: &str = include_str!("../requirements/2026-07-28.txt");
const SET_2026_07_28: &[u32] =
    &hashes::<{ lines(TEXT_2026_07_28.as_bytes()) }>(TEXT_2026_07_28.as_bytes());

const TEXT_2025_11_25: &str = include_str!("../requirements/2025-11-25.txt");
/// What counts in a run by the last revision with a handshake; pins are about the current one.
const SET_2025_11_25: &[u32] =
    &hashes::<{ lines(TEXT_2025_11_25.as_bytes()) }>(TEXT_2025_11_25.as_bytes());

/// The sets by their names, the newest last.
const SETS: &[(&str, &[u32])] = &[
    #[cfg(test)]
    ("none", &[]),
    (verdict_model::REVISION, SET_2026_07_28),
];

/// The names of the sets.
pub fn names() -> impl Iterator<Item = &'static str> {
    SETS.iter().map(|(name, _)| *name)
}

/// Whether a check is younger than a set; of the newest set where none is pinned.
pub(crate) fn is_new(pinned: Option<&str>, id: &str) -> bool {
    let set = SETS
        .iter()
        .rfind(|(name, _)| pinned.is_none_or(|pinned| pinned == *name));
    let set = if id.starts_with("handshake.") {
        Some(SET_2025_11_25)
    } else {
        set.map(|(_, set)| *set)
    };
    set.is_none_or(|set| !set.contains(&hash(id.as_bytes(), 0, id.len())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{config, record, settings};
    use std::collections::BTreeSet;
    use verdict_fixture::Server;
    use verdict_model::REVISION;

    #[test]
    fn the_frozen_set_names_checks_of_this_build() {
        let known: BTreeSet<&str> = crate::conformance::all()
            .map(|entry| entry.rule.id)
            .collect();
        let listed: BTreeSet<&str> = TEXT_2026_07_28.lines().collect();
        let gone: Vec<_> = listed.difference(&known).collect();
        assert!(gone.is_empty(), "a frozen set loses no check: {gone:?}");
        let hashed: BTreeSet<u32> = SET_2026_07_28.iter().copied().collect();
        assert_eq!(
            (listed.len(), hashed.len()),
            (SET_2026_07_28.len(), listed.len())
        );
        // A check that is added stays out of this list; the next set takes it in.
        assert_eq!(crate::fnv(TEXT_2026_07_28.as_bytes()), FROZEN);
    }

    const FROZEN: u64 = 0xdfc3_b110_524b_3ebd;

    #[test]
    fn the_checks_of_the_handshake_count_in_their_own_run() {
        let known = crate::conformance::checks().map(|check| check.rule.id);
        let known: BTreeSet<&str> = known.filter(|id| id.starts_with("handshake.")).collect();
        let listed: BTreeSet<&str> = TEXT_2025_11_25.lines().collect();
        assert!(listed.is_subset(&known), "a frozen set loses no check");
        assert!(listed.iter().all(|id| !is_new(None, id)));
        let server = Server::of(verdict_fixture::Variant::LegacyOnly);
        let mut config = config();
        config.requirements = Some(REVISION.to_owned());
        config.revision = Some(verdict_model::LEGACY_REVISION.to_owned());
        let settings = settings(config, false);
        let report = crate::judge(&settings, &record(&server, &settings));
        assert_eq!(report.verdict, verdict_model::Verdict::Pass);
        let said = &report.summary;
        assert!(
            !said.contains(REVISION) && !said.starts_with("0 "),
            "{said}"
        );
    }

    #[test]
    fn a_check_that_is_not_in_the_set_is_new() {
        assert!(is_new(None, "tools.of-tomorrow"));
        assert!(is_new(Some(REVISION), "tools.of-tomorrow"));
        assert!(!is_new(Some(REVISION), "tools.list-shape"));
        assert!(is_new(Some("none"), "tools.list-shape"));
    }

    #[test]
    fn what_is_new_does_not_count() {
        let server = Server::with("get-200").expect("a defect");
        let judged = |pin: &str, deny| {
            let mut config = config();
            config.requirements = Some(pin.to_owned());
            config.deny_warnings = deny;
            let settings = settings(config, false);
            crate::judge(&settings, &record(&server, &settings))
        };
        assert_eq!(judged(REVISION, true).verdict, verdict_model::Verdict::Fail);
        let none = judged("none", true);
        assert_eq!(none.verdict, verdict_model::Verdict::None);
        let mut checks = none.layers.conformance.iter().flat_map(|one| &one.checks);
        assert!(checks.all(|check| check.new));
        assert_eq!(none.generator.requirements, "none");
    }
}
