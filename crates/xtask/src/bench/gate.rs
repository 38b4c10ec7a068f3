//! The gate in made-up nights, beside the figures of its design and beside the plain rule.
//!
//! In two steps: the simulation wants an optimised build, and the program's own crates are not built for every task.

use super::Line;
use crate::run::{cargo_program, command, output};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// Nights of every row, where nothing else is asked for.
pub const REPETITIONS: u32 = 2_000;

/// One figure of the simulation.
#[derive(Debug, Serialize, Deserialize)]
pub struct Figure {
    what: String,
    ours: f64,
    /// What the design says, and how far from it chance may lead; absent where it says nothing.
    reference: Option<(f64, f64)>,
}

impl Figure {
    fn line(&self) -> Line {
        let reference = self.reference.map(|(reference, tolerance)| {
            let within = (self.ours - reference).abs() <= tolerance;
            let verdict = if within { "within" } else { "OUTSIDE" };
            (
                format!("{} ± {}, {verdict}", shown(reference), shown(tolerance)),
                reference,
            )
        });
        let ratio = reference
            .as_ref()
            .map(|(_, reference)| self.ours / reference);
        Line {
            what: self.what.clone(),
            measured: shown(self.ours),
            against: reference.map_or_else(String::new, |(text, _)| text),
            ratio: ratio.filter(|ratio| ratio.is_finite()),
        }
    }
}

fn shown(number: f64) -> String {
    if number.abs() >= 2.0 {
        format!("{number:.1}")
    } else {
        format!("{number:.4}")
    }
}

/// The figures of a simulation in a child of its own.
pub(super) fn run(repetitions: u32, lines: &mut Vec<Line>) -> Result<()> {
    let mut simulate = command(&cargo_program());
    simulate.args([
        "run",
        "--quiet",
        "--release",
        "--locked",
        "--package",
        "xtask",
    ]);
    simulate.args(["--features", "simulate", "--", "simulate"]);
    simulate.arg(repetitions.to_string());
    let text = output(&mut simulate)?;
    let figures: Vec<Figure> = serde_json::from_str(&text).context("reading the simulation")?;
    let outside = figures.iter().filter(|figure| {
        figure
            .reference
            .is_some_and(|(reference, tolerance)| (figure.ours - reference).abs() > tolerance)
    });
    let outside = outside.count();
    let compared = figures
        .iter()
        .filter(|figure| figure.reference.is_some())
        .count();
    lines.extend(figures.iter().map(Figure::line));
    lines.push(Line::value(
        "gate: figures within their tolerance",
        format!("{}", compared - outside),
        &format!("of {compared}, {repetitions} nights a row"),
    ));
    Ok(())
}

/// The second step needs the feature `simulate`.
#[cfg(not(feature = "simulate"))]
pub fn simulate(_: u32) -> Result<()> {
    anyhow::bail!("built without the feature `simulate`")
}

/// The second step: prints the figures as JSON.
#[cfg(feature = "simulate")]
pub fn simulate(repetitions: u32) -> Result<()> {
    let figures = super::nights::figures(repetitions.max(2));
    println!("{}", serde_json::to_string(&figures)?);
    Ok(())
}

#[cfg(feature = "simulate")]
impl Figure {
    /// A share of `nights`, with the reference from so many nights of the design's own simulation.
    pub fn share(what: String, ours: f64, nights: u32, reference: Option<(f64, f64)>) -> Self {
        let reference = reference.map(|(share, of)| {
            let spread = share * (1.0 - share) * (1.0 / f64::from(nights) + 1.0 / of);
            (share, 3.0 * spread.sqrt() + 0.005)
        });
        Self {
            what,
            ours,
            reference,
        }
    }

    /// A mean, which may be this share of the reference away from it.
    pub fn mean(what: String, ours: f64, reference: Option<f64>, share: f64) -> Self {
        let reference = reference.map(|mean| (mean, share * mean));
        Self {
            what,
            ours,
            reference,
        }
    }

    /// A share that may be this far from the reference.
    pub fn within(what: String, ours: f64, reference: f64, tolerance: f64) -> Self {
        Self {
            what,
            ours,
            reference: Some((reference, tolerance)),
        }
    }
}
