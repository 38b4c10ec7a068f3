//! Whether reports are the parts of one job: all of them, each once.

use super::{Outline, part_of, shard_of};
use std::collections::BTreeMap;

/// Reports that are not the parts of one job.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// Nothing to join.
    #[error("there is no report to join; name those of all parts")]
    Nothing,
    /// Not a report.
    #[error("{name}: not a report: {message}; run that part again")]
    Malformed {
        /// The file.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// A report of a whole run.
    #[error(
        "{name}: not a part of anything; write parts with `mcp-verdict run --shard K/N --format json --out FILE`"
    )]
    NoShard {
        /// The file.
        name: String,
    },
    /// Two jobs.
    #[error(
        "{one} and {other} do not belong together: they differ in {what}; join the parts of one job, made from one commit"
    )]
    Apart {
        /// A file.
        one: String,
        /// Another.
        other: String,
        /// What differs.
        what: &'static str,
    },
    /// The same part twice.
    #[error("{one} and {other} are both part {part}; leave one of them out")]
    Twice {
        /// A file.
        one: String,
        /// Another.
        other: String,
        /// The part.
        part: u32,
    },
    /// Not all parts.
    #[error(
        "of {of} parts {} missing; join them when all jobs have ended, or run those again",
        missing(parts)
    )]
    Missing {
        /// Those that are not there.
        parts: Vec<u32>,
        /// How many there are.
        of: u32,
    },
    /// A part with other cases than its own.
    #[error("{name}: the cases are not those of its part ({what}); run that part again")]
    Cases {
        /// The file.
        name: String,
        /// What is wrong.
        what: String,
    },
}

fn missing(parts: &[u32]) -> String {
    let shown: Vec<String> = parts.iter().take(20).map(ToString::to_string).collect();
    let more = if parts.len() > 20 { " and more" } else { "" };
    let verb = if parts.len() == 1 { "is" } else { "are" };
    format!("{}{more} {verb}", shown.join(", "))
}

/// Where a case stands: which of the parts in order, and which of its cases.
type Place = (usize, usize);

/// The reports in the order of their parts, and the cases in the order of the set.
pub(super) fn ordered(outlines: &[Outline]) -> Result<(Vec<usize>, Vec<Place>), MergeError> {
    let first = outlines.first().ok_or(MergeError::Nothing)?;
    let mut by_part: BTreeMap<u32, usize> = BTreeMap::new();
    for (at, outline) in outlines.iter().enumerate() {
        let shard = shard_of(outline).ok_or_else(|| MergeError::NoShard {
            name: outline.name.clone(),
        })?;
        if let Some(what) = difference(first, outline) {
            return Err(MergeError::Apart {
                one: first.name.clone(),
                other: outline.name.clone(),
                what,
            });
        }
        if let Some(other) = by_part.insert(shard.part, at) {
            return Err(MergeError::Twice {
                one: outlines[other].name.clone(),
                other: outline.name.clone(),
                part: shard.part,
            });
        }
    }
    let (of, total) = shard_of(first).map_or((0, 0), |shard| (shard.of, shard.total));
    let absent: Vec<u32> = (1..=of)
        .filter(|part| !by_part.contains_key(part))
        .collect();
    if !absent.is_empty() {
        return Err(MergeError::Missing { parts: absent, of });
    }
    let order: Vec<usize> = by_part.into_values().collect();
    let places = places(outlines, &order, total)?;
    Ok((order, places))
}

/// What two reports of one job cannot differ in.
fn difference(one: &Outline, other: &Outline) -> Option<&'static str> {
    let ids = |outline: &Outline| -> Vec<String> {
        outline
            .models
            .iter()
            .map(|model| model.about.id.clone())
            .collect()
    };
    let judge = |outline: &Outline| outline.judge.as_ref().map(|judge| judge.id.clone());
    let number = |outline: &Outline| shard_of(outline).map(|shard| (shard.of, shard.total));
    let (ours, theirs) = (&one.session, &other.session);
    let pairs = [
        (
            one.generator != other.generator,
            "the version of mcp-verdict",
        ),
        (
            number(one) != number(other),
            "the number of parts or of cases",
        ),
        (one.golden != other.golden, "the golden set"),
        (ids(one) != ids(other), "the models"),
        (ours.tools != theirs.tools, "the tools of the server"),
        (ours.harness != theirs.harness, "what the model is told"),
        (
            judge(one) != judge(other) || ours.judge != theirs.judge,
            "the judge",
        ),
        (ours.runs != theirs.runs, "the number of runs"),
        (ours.sha != theirs.sha, "the commit"),
        (
            (&ours.base, &ours.branch, &ours.config)
                != (&theirs.base, &theirs.branch, &theirs.config),
            "the branch or the configuration",
        ),
    ];
    pairs
        .into_iter()
        .find(|(differs, _)| *differs)
        .map(|(_, what)| what)
}

fn places(outlines: &[Outline], order: &[usize], total: u64) -> Result<Vec<Place>, MergeError> {
    let mut by_place: BTreeMap<u64, Place> = BTreeMap::new();
    for (at, outline) in order.iter().map(|at| &outlines[*at]).enumerate() {
        let wrong = |what: String| MergeError::Cases {
            name: outline.name.clone(),
            what,
        };
        let Some(shard) = shard_of(outline) else {
            continue;
        };
        for model in &outline.models {
            if model.cases.len() != shard.places.len() {
                let (has, due) = (model.cases.len(), shard.places.len());
                return Err(wrong(format!("{} has {has} of {due}", model.about.id)));
            }
            let stray = model
                .cases
                .iter()
                .find(|case| part_of(&case.id, shard.of) != shard.part);
            if let Some(case) = stray {
                return Err(wrong(format!("{} is of another part", case.id)));
            }
            let same = outline.models[0].cases.iter().zip(&model.cases);
            if let Some((case, _)) = same.into_iter().find(|(one, other)| one.id != other.id) {
                return Err(wrong(format!(
                    "{} stands elsewhere for {}",
                    case.id, model.about.id
                )));
            }
        }
        for (case, place) in shard.places.iter().enumerate() {
            if by_place.insert(*place, (at, case)).is_some() {
                return Err(wrong(format!("two cases claim place {place}")));
            }
        }
    }
    let whole = by_place.len() as u64 == total
        && by_place
            .last_key_value()
            .is_none_or(|(last, _)| *last + 1 == total);
    if !whole {
        let name = outlines[order[0]].name.clone();
        let what = format!("all parts together have {} of {total}", by_place.len());
        return Err(MergeError::Cases { name, what });
    }
    Ok(by_place.into_values().collect())
}
