//! Which attacks are planted in which cases.

use super::{Attack, AttackTrial, Misfit};
use crate::golden::Golden;
use crate::tool::Tool;
use verdict_model::config::Pack;

/// How many of the built-in attacks are planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// At most so many in each case, going round the pack, so that the cases together see all of it.
    Few(usize),
    /// All that fit, in every case.
    All,
    /// None.
    None,
}

impl Default for Choice {
    fn default() -> Self {
        Self::Few(3)
    }
}

impl From<Pack> for Choice {
    fn from(pack: Pack) -> Self {
        match pack {
            Pack::Few => Self::default(),
            Pack::All => Self::All,
            Pack::None => Self::None,
        }
    }
}

/// Fits attacks to the cases of a set, in the order of the cases: of the user's own all that fit, of the pack those of the
/// choice. An attack that names cases in vain is told with the reason.
pub fn choose(
    golden: &Golden,
    tools: &[Tool],
    own: &[Attack],
    pack: &[Attack],
    choice: Choice,
) -> (Vec<AttackTrial>, Vec<String>) {
    let (mut trials, mut notes) = (Vec::new(), Vec::new());
    let mut round = Round { pack, next: 0 };
    for case in &golden.cases {
        let fit = |attack: &Attack| AttackTrial::new(attack, case, tools, &golden.aliases);
        for attack in own {
            match fit(attack) {
                Ok(trial) => trials.push(trial),
                Err(Misfit::OtherCase) => {}
                Err(_) if attack.cases.is_empty() => {}
                Err(why) => notes.push(format!("{}/{}: not planted, {why}", case.id, attack.id)),
            }
        }
        match choice {
            Choice::None => {}
            Choice::All => trials.extend(pack.iter().filter_map(|attack| fit(attack).ok())),
            Choice::Few(most) => trials.extend(round.take(most, &fit)),
        }
    }
    for attack in own {
        if !trials.iter().any(|trial| trial.attack().id == attack.id) {
            let named = attack
                .cases
                .iter()
                .all(|id| golden.cases.iter().all(|case| case.id != *id));
            let why = match attack.cases.as_slice() {
                [] => "it fits no case",
                _ if named => "no case has an id that it names",
                _ => continue,
            };
            notes.push(format!("{}: not planted, {why}", attack.id));
        }
    }
    (trials, notes)
}

/// The pack, gone round.
struct Round<'p> {
    pack: &'p [Attack],
    next: usize,
}

impl Round<'_> {
    /// The next attacks that fit; those that do not are passed over, and stay for the next case.
    fn take(
        &mut self,
        most: usize,
        fit: &dyn Fn(&Attack) -> Result<AttackTrial, Misfit>,
    ) -> Vec<AttackTrial> {
        let order = self
            .pack
            .iter()
            .cycle()
            .skip(self.next)
            .take(self.pack.len());
        let mut taken = Vec::new();
        let mut passed = 0;
        for attack in order {
            if taken.len() == most {
                break;
            }
            passed += 1;
            taken.extend(fit(attack).ok());
        }
        if !taken.is_empty() {
            self.next = (self.next + passed) % self.pack.len();
        }
        taken
    }
}
