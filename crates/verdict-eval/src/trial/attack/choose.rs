//! Which attacks are planted in which cases.

use super::{Attack, AttackTrial, Class, Misfit};
use crate::golden::Golden;
use crate::tool::Tool;
use std::collections::{BTreeMap, VecDeque};
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
    let mut round = Round::new(pack);
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
struct Round<'p>(VecDeque<&'p Attack>);

impl<'p> Round<'p> {
    /// The first of each class, then the second of each: a small set sees many classes.
    fn new(pack: &'p [Attack]) -> Self {
        let mut of_class: BTreeMap<Class, usize> = BTreeMap::new();
        let mut order: Vec<(usize, &Attack)> = Vec::new();
        for attack in pack {
            let nth = of_class.entry(attack.class).or_default();
            order.push((*nth, attack));
            *nth += 1;
        }
        order.sort_by_key(|(nth, _)| *nth);
        Self(order.into_iter().map(|(_, attack)| attack).collect())
    }

    /// The next attacks that fit, which go to the end; those that do not fit stay in front for the next case.
    fn take(
        &mut self,
        most: usize,
        fit: &dyn Fn(&Attack) -> Result<AttackTrial, Misfit>,
    ) -> Vec<AttackTrial> {
        let (mut taken, mut used, mut left) = (Vec::new(), Vec::new(), VecDeque::new());
        for attack in self.0.drain(..) {
            match (taken.len() < most).then(|| fit(attack)) {
                Some(Ok(trial)) => {
                    taken.push(trial);
                    used.push(attack);
                }
                _ => left.push_back(attack),
            }
        }
        left.extend(used);
        self.0 = left;
        taken
    }
}
