//! Many runs at a time, each to its end, unless somebody ends them all.

use crate::interrupt::Interrupt;
use futures_util::StreamExt;

/// Makes what `make` says of each attempt, `concurrency` at a time; nothing in place of what was cut off.
pub(super) async fn all<A, R, F>(
    attempts: &[A],
    concurrency: usize,
    interrupt: &mut Interrupt,
    make: impl Fn(A) -> F,
    done: impl Fn(),
) -> Vec<Option<R>>
where
    A: Copy,
    F: Future<Output = R>,
{
    let mut made: Vec<Option<R>> = attempts.iter().map(|_| None).collect();
    let make = &make;
    let runs = futures_util::stream::iter(attempts.iter().enumerate())
        .map(|(at, attempt)| async move { (at, make(*attempt).await) })
        .buffer_unordered(concurrency);
    tokio::pin!(runs);
    loop {
        tokio::select! {
            biased;
            () = &mut *interrupt => break,
            next = runs.next() => {
                let Some((at, run)) = next else { break };
                done();
                made[at] = Some(run);
            }
        }
    }
    made
}
