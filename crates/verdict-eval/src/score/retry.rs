//! Which calls count as one: a call that the tool answered with an error, and its later repetition.

use super::trace::Trace;
use std::collections::BTreeMap;

/// One call as it is scored: it stands where it was first tried, and has the arguments of the last try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Attempt {
    /// Index of the call whose arguments count.
    pub(super) last: usize,
}

/// The calls of a run, with repetitions after an error drawn together as far as a tool was called more often than the
/// case expects (`expected` says how often).
///
/// A server that refuses arguments and says why is meant to be asked again, so a corrected call is no extra one. A call
/// that was answered without an error and is made again is.
pub(super) fn attempts(trace: &Trace, expected: impl Fn(&str) -> usize) -> Vec<Attempt> {
    let calls = &trace.calls;
    if !calls.iter().any(|call| call.is_error) {
        return (0..calls.len()).map(|last| Attempt { last }).collect();
    }
    let mut made: BTreeMap<&str, usize> = BTreeMap::new();
    for call in calls {
        *made.entry(&call.call.name).or_default() += 1;
    }
    let mut attempts: Vec<Attempt> = Vec::new();
    for (index, call) in calls.iter().enumerate() {
        let name = call.call.name.as_str();
        let count = made.entry(name).or_default();
        let is_repeated = |it: &&mut Attempt| {
            let before = &calls[it.last];
            before.is_error && before.turn < call.turn && before.call.name == name
        };
        match attempts.iter_mut().find(is_repeated) {
            Some(attempt) if *count > expected(name) => {
                *count -= 1;
                attempt.last = index;
            }
            _ => attempts.push(Attempt { last: index }),
        }
    }
    attempts
}
