//! What the design measured, row by row.

use verdict_eval::gate::simulation::Change;

pub const NOTHING: Change = Change::Nothing;
pub const ONE: Change = Change::First(0.4);
pub const THREE: Change = Change::Some(3, 0.3);

/// A row of the design: shares of failing and undecided nights, and mean runs. NaN where it does not say.
pub type Row = (&'static str, Change, f64, f64, f64);

pub const DEFAULTS: [Row; 11] = [
    ("nothing changed", NOTHING, 0.0045, 0.0085, 135.7),
    ("one case 1.0 -> 0.4", ONE, 0.9487, 0.0014, 140.9),
    (
        "one case 1.0 -> 0.7",
        Change::First(0.7),
        0.3634,
        0.2223,
        164.1,
    ),
    (
        "two cases -0.5",
        Change::Some(2, 0.5),
        0.9875,
        0.0012,
        136.4,
    ),
    ("three cases -0.3", THREE, 0.9204, 0.0382, 151.6),
    ("all -0.01", Change::All(-0.01), 0.0694, 0.0542, 163.3),
    ("all -0.02", Change::All(-0.02), 0.2681, 0.1031, 187.3),
    ("all -0.03", Change::All(-0.03), 0.5269, 0.1002, 191.8),
    ("all -0.05", Change::All(-0.05), 0.8819, 0.0294, 162.5),
    ("all -0.10", Change::All(-0.10), 0.9991, 0.0003, 127.1),
    ("all +0.02", Change::All(0.02), 0.0001, 0.0006, 125.6),
];

/// Share of nights with a rerun, mean rounds, and runs of 95 of 100 nights, of the rows above.
pub const RERUNS: [(f64, f64, f64); 11] = [
    (0.188, 0.36, 197.0),
    (0.562, 0.75, 175.0),
    (0.622, 1.87, 266.0),
    (0.360, 0.46, 170.0),
    (0.486, 1.00, 232.0),
    (0.423, 1.12, 335.0),
    (0.570, 1.73, 365.0),
    (0.607, 1.82, 365.0),
    (0.415, 1.00, 293.0),
    (0.039, 0.05, 125.0),
    (0.024, 0.03, 125.0),
];

pub const ECONOMY: [Row; 6] = [
    ("nothing changed", NOTHING, 0.0044, 0.0252, 101.4),
    ("one case 1.0 -> 0.4", ONE, 0.9425, 0.0031, 98.7),
    ("three cases -0.3", THREE, 0.8689, 0.0761, 115.6),
    ("all -0.03", Change::All(-0.03), 0.4954, 0.1263, 167.9),
    ("all -0.05", Change::All(-0.05), 0.8464, 0.0460, 137.6),
    ("all -0.10", Change::All(-0.10), 0.9959, 0.0015, 84.7),
];

/// The same with the pools that its own nights fill: thirty runs.
pub const ECONOMY_OWN: [Row; 5] = [
    ("nothing changed", NOTHING, 0.006, 0.041, 104.0),
    ("one case 1.0 -> 0.4", ONE, 0.937, 0.009, 102.0),
    ("three cases -0.3", THREE, 0.805, 0.143, 125.0),
    ("all -0.03", Change::All(-0.03), 0.474, 0.146, 171.0),
    ("all -0.05", Change::All(-0.05), 0.831, 0.056, 143.0),
];

pub const FAIL_FAST: [Row; 4] = [
    ("nothing changed", NOTHING, 0.0069, f64::NAN, 135.1),
    ("one case 1.0 -> 0.4", ONE, 0.9505, f64::NAN, 118.5),
    ("all -0.05", Change::All(-0.05), 0.8879, f64::NAN, 132.1),
    ("all -0.10", Change::All(-0.10), 0.9990, f64::NAN, 61.8),
];

/// With the cases' own targets, as users run it; the design has no figures for it.
pub const WITH_TARGETS: [Row; 4] = [
    ("nothing changed", NOTHING, f64::NAN, f64::NAN, f64::NAN),
    ("one case 1.0 -> 0.4", ONE, f64::NAN, f64::NAN, f64::NAN),
    ("three cases -0.3", THREE, f64::NAN, f64::NAN, f64::NAN),
    (
        "all -0.05",
        Change::All(-0.05),
        f64::NAN,
        f64::NAN,
        f64::NAN,
    ),
];
