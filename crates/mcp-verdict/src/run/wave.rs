//! Many runs at a time, each to its end, unless somebody ends them all.

use crate::interrupt::Interrupt;
use futures_util::StreamExt;

/// Makes what `one` makes of each attempt, `concurrency` at a time; `tell` is called after each. Nothing stands in place of
/// what was cut off.
pub(super) async fn all<A, R, F>(
    attempts: &[A],
    concurrency: usize,
    interrupt: &mut Interrupt,
    one: impl Fn(A) -> F,
    tell: impl Fn(),
) -> Vec<Option<R>>
where
    A: Copy,
    F: Future<Output = R>,
{
    let mut made: Vec<Option<R>> = attempts.iter().map(|_| None).collect();
    let one = &one;
    let runs = futures_util::stream::iter(attempts.iter().enumerate())
        .map(|(at, attempt)| async move { (at, one(*attempt).await) })
        .buffer_unordered(concurrency);
    tokio::pin!(runs);
    loop {
        tokio::select! {
            biased;
            () = &mut *interrupt => break,
            next = runs.next() => {
                let Some((at, run)) = next else { break };
                tell();
                made[at] = Some(run);
            }
        }
    }
    made
}
