//! A check: a rule, the probes it needs, and the pure judge that reads the recording.

use crate::ask::Probe;
use crate::context::Context;
use crate::ruling::Ruling;
use verdict_model::{Level, Rule, Safety, Scope};

/// Whether the program holds the words about its rules: judging needs no more than the title, and the module of
/// WebAssembly is an eighth smaller without the rest. Its driver puts the mends into the reports.
const EXPLAINED: bool = cfg!(any(test, feature = "explanations"));

/// Reads the recording and says what became of the rule.
pub type Judge = fn(&Context) -> Ruling;

/// One check of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// The rule it checks.
    pub rule: Rule,
    /// The conversations it needs; several checks may share one.
    pub probes: &'static [&'static Probe],
    /// Reads the recording.
    pub judge: Judge,
    /// Whether it is judged whatever era the server speaks.
    pub any_era: bool,
    /// Whether it is judged also where the server wants credentials before it says anything.
    pub locked: bool,
    /// Whether a check that reads has a form that reads nothing, for `--no-reads`.
    pub reads_or_not: bool,
}

fn unjudged(_: &Context) -> Ruling {
    Ruling::skip("this check has no judge")
}

impl Check {
    /// A check of a MUST or MUST NOT.
    pub const fn must(id: &'static str, title: &'static str) -> Self {
        Self::new(Level::Must, id, title)
    }

    /// A check of a SHOULD or SHOULD NOT.
    pub const fn should(id: &'static str, title: &'static str) -> Self {
        Self::new(Level::Should, id, title)
    }

    /// A check of a MAY.
    pub const fn may(id: &'static str, title: &'static str) -> Self {
        Self::new(Level::May, id, title)
    }

    /// A check behind which no keyword stands.
    pub const fn advisory(id: &'static str, title: &'static str) -> Self {
        Self::new(Level::Advisory, id, title)
    }

    const fn new(level: Level, id: &'static str, title: &'static str) -> Self {
        Self {
            rule: Rule {
                id,
                level,
                assertion: None,
                title,
                why: "",
                fix: "",
                spec: "basic",
                safety: Safety::Safe,
                scope: Scope::Both,
                official: &[],
            },
            probes: &[],
            judge: unjudged,
            any_era: false,
            locked: false,
            reads_or_not: false,
        }
    }

    /// Belongs to this one of the seven headline assertions.
    #[must_use]
    pub const fn headline(mut self, assertion: u8) -> Self {
        self.rule.assertion = Some(assertion);
        self
    }

    /// `page#anchor` of the specification.
    #[must_use]
    pub const fn spec(mut self, reference: &'static str) -> Self {
        self.rule.spec = reference;
        self
    }

    /// What goes wrong for users when the rule is broken; left out where nobody explains rules.
    #[must_use]
    pub const fn why(mut self, why: &'static str) -> Self {
        if EXPLAINED {
            self.rule.why = why;
        }
        self
    }

    /// How a server's author mends it; left out where the driver has it.
    #[must_use]
    pub const fn fix(mut self, fix: &'static str) -> Self {
        if EXPLAINED {
            self.rule.fix = fix;
        }
        self
    }

    /// Ids of the official suite's checks on the same ground.
    #[must_use]
    pub const fn official(mut self, ids: &'static [&'static str]) -> Self {
        if EXPLAINED {
            self.rule.official = ids;
        }
        self
    }

    /// A rule of Streamable HTTP alone.
    #[must_use]
    pub const fn http(mut self) -> Self {
        self.rule.scope = Scope::Http;
        self
    }

    /// A rule of stdio alone.
    #[must_use]
    pub const fn stdio(mut self) -> Self {
        self.rule.scope = Scope::Stdio;
        self
    }

    /// Reads listed items; `--no-reads` turns it off.
    #[must_use]
    pub const fn reads(mut self) -> Self {
        self.rule.safety = Safety::Read;
        self
    }

    /// Reads listed items where it may, and has a weaker form for `--no-reads`.
    #[must_use]
    pub const fn reads_or_not(mut self) -> Self {
        self.reads_or_not = true;
        self.reads()
    }

    /// Needs a name or a credential from the configuration.
    #[must_use]
    pub const fn opt_in(mut self) -> Self {
        self.rule.safety = Safety::OptIn;
        self
    }

    /// Needs `--intrusive`.
    #[must_use]
    pub const fn intrusive(mut self) -> Self {
        self.rule.safety = Safety::Intrusive;
        self
    }

    /// The conversations it needs.
    #[must_use]
    pub const fn probes(mut self, probes: &'static [&'static Probe]) -> Self {
        self.probes = probes;
        self
    }

    /// Reads the recording.
    #[must_use]
    pub const fn judge(mut self, judge: Judge) -> Self {
        self.judge = judge;
        self
    }

    /// Judged also where the server wants credentials before it says anything.
    #[must_use]
    pub const fn at_the_door(mut self) -> Self {
        self.locked = true;
        self.http()
    }

    /// Judged whatever era the server speaks.
    #[must_use]
    pub const fn any_era(mut self) -> Self {
        self.any_era = true;
        self
    }
}
