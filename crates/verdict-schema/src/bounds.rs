//! Limits on the work that a stranger's schema may cause.

/// What an [`Examiner`](crate::Examiner) may spend on one schema.
///
/// Each limit is ours: the specification asks only that composition be bounded (page `basic`,
/// "Composition keyword resource use"). A limit that stops a judgement is named in the answer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Bounds {
    /// How deep a schema or a value may nest, counted in JSON arrays and objects.
    pub nesting: usize,
    /// How many subschemas of one schema are looked at.
    pub subschemas: usize,
    /// How many defects of one kind are listed; the rest is counted.
    pub defects: usize,
    /// How many characters a message may have.
    pub message: usize,
    /// How many characters of a JSON pointer are kept.
    pub pointer: usize,
    /// How many steps may be spent on the `default` and `examples` of one schema.
    pub default_steps: usize,
    /// How many steps one validation may need, counted without any sharing of results: a step is
    /// a keyword, or an entry of a list, at one place of the value. It is also the limit on the
    /// work of finding that number out.
    pub evaluations: u64,
    /// How deep the evaluation of a value may nest, counted in subschemas.
    pub evaluation_depth: usize,
    /// How deep the building of a validator may nest, counted in subschemas. A level takes up to
    /// 4.2 KiB of stack, and WebAssembly hosts give about 1 MiB.
    pub build_depth: usize,
    /// How many subschemas references may lead to in one validation.
    pub targets: usize,
    /// How many subschemas and names of properties may stand together under one
    /// `unevaluatedItems` or `unevaluatedProperties`, counted once for each way to reach them.
    pub unevaluated: u64,
    /// How many states one pattern may need, roughly.
    pub pattern_states: u64,
    /// How many states all patterns of a schema may need together, roughly.
    pub all_pattern_states: u64,
    /// Up to how many steps all violations are looked for; above, the first one is given.
    pub explanations: u64,
    /// How many violations are listed.
    pub violations: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            nesting: 512,
            subschemas: 100_000,
            defects: 20,
            message: 300,
            pointer: 1_000,
            default_steps: 20_000,
            evaluations: 2_000_000,
            evaluation_depth: 512,
            build_depth: 160,
            targets: 5_000,
            unevaluated: 20_000,
            pattern_states: 50_000,
            all_pattern_states: 200_000,
            explanations: 300_000,
            violations: 20,
        }
    }
}
