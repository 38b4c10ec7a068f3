//! Wall time, CPU time and peak memory of a whole process.

use crate::run::command;
use anyhow::{Context, Result};

/// What a process used.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// Milliseconds from start to end.
    pub wall_ms: f64,
    /// Milliseconds of user and system time.
    pub cpu_ms: f64,
    /// Peak resident memory in MiB.
    pub peak_mib: f64,
}

/// Python's standard library reads what the system says of a child; this crate has no unsafe code. What came
/// before is taken off: a launcher that became this Python by `exec` may have had children of its own.
const SCRIPT: &str = "\
import resource, subprocess, sys, time
cpu = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
before, began = cpu(), time.perf_counter()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
wall = time.perf_counter() - began
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(wall * 1e3, (cpu() - before) * 1e3, peak / 1024)";

impl Usage {
    /// Runs a command to its end.
    pub fn of(words: &[String]) -> Result<Self> {
        let mut python = command("python3");
        python.args(["-c", SCRIPT]).args(words);
        let text = crate::run::output(&mut python)?;
        let mut numbers = text.split_whitespace().map(str::parse::<f64>);
        let mut next = || {
            numbers
                .next()
                .context("no measurement")?
                .context("no number")
        };
        Ok(Self {
            wall_ms: next()?,
            cpu_ms: next()?,
            peak_mib: next()?,
        })
    }
}

/// The run in the middle of `times`, by CPU time.
pub fn median(times: usize, mut run: impl FnMut() -> Result<Usage>) -> Result<Usage> {
    let mut all: Vec<Usage> = (0..times).map(|_| run()).collect::<Result<_>>()?;
    all.sort_by(|one, other| one.cpu_ms.total_cmp(&other.cpu_ms));
    Ok(all[all.len() / 2])
}

/// The number in the middle.
pub fn middle(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
