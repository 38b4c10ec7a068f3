//! Which call stands for which expected step: the best assignment there is, never the first that comes along.

/// What it costs to let one call stand for one step; nothing where it cannot.
pub(super) type Costs = Vec<Vec<Option<u64>>>;

/// For each step the call that stands for it.
pub(super) type Assignment = Vec<Option<usize>>;

/// What a step without a call costs: more than all faults of all calls together.
pub(super) const MISSING: u64 = 1 << 40;

/// What all steps cost under an assignment.
pub(super) fn total(costs: &Costs, assignment: &Assignment) -> u64 {
    assignment
        .iter()
        .zip(costs)
        .map(|(call, row)| call.and_then(|call| row[call]).unwrap_or(MISSING))
        .sum()
}

/// The cheapest assignment in any order (the Hungarian method, with shortest augmenting paths).
///
/// Time grows with steps² times (steps + calls).
pub(super) fn in_any_order(costs: &Costs, calls: usize) -> Assignment {
    let steps = costs.len();
    let mut hungarian = Hungarian::new(costs, calls);
    for row in 1..=steps {
        hungarian.place(row);
    }
    let mut assignment = vec![None; steps];
    for column in 1..=calls {
        let row = hungarian.row_of[column];
        if row != 0 && costs[row - 1][column - 1].is_some() {
            assignment[row - 1] = Some(column - 1);
        }
    }
    assignment
}

/// The state of the method. Rows (steps) and columns (calls, then one "no call" for each step) count from 1; 0 is where
/// a path starts.
struct Hungarian<'a> {
    costs: &'a Costs,
    calls: usize,
    row_price: Vec<i64>,
    column_price: Vec<i64>,
    row_of: Vec<usize>,
}

impl<'a> Hungarian<'a> {
    fn new(costs: &'a Costs, calls: usize) -> Self {
        let columns = calls + costs.len();
        Self {
            costs,
            calls,
            row_price: vec![0; costs.len() + 1],
            column_price: vec![0; columns + 1],
            row_of: vec![0; columns + 1],
        }
    }

    fn cost(&self, row: usize, column: usize) -> i64 {
        let cost = match self.costs[row - 1].get(column - 1) {
            Some(cost) => cost.unwrap_or(MISSING * 2),
            None if column - self.calls == row => MISSING,
            None => MISSING * 2,
        };
        i64::try_from(cost).unwrap_or(i64::MAX / 4)
    }

    /// Gives one more row its column, moving others where that is cheaper.
    fn place(&mut self, row: usize) {
        let columns = self.row_of.len();
        self.row_of[0] = row;
        let mut slack = vec![i64::MAX; columns];
        let mut before = vec![0_usize; columns];
        let mut is_seen = vec![false; columns];
        let mut column = 0;
        while self.row_of[column] != 0 {
            is_seen[column] = true;
            let at = self.row_of[column];
            let (mut least, mut next) = (i64::MAX, 0);
            for other in (1..columns).filter(|other| !is_seen[*other]) {
                let reduced = self.cost(at, other) - self.row_price[at] - self.column_price[other];
                if reduced < slack[other] {
                    slack[other] = reduced;
                    before[other] = column;
                }
                if slack[other] < least {
                    (least, next) = (slack[other], other);
                }
            }
            for other in 0..columns {
                if is_seen[other] {
                    self.row_price[self.row_of[other]] += least;
                    self.column_price[other] -= least;
                } else if slack[other] != i64::MAX {
                    slack[other] -= least;
                }
            }
            column = next;
        }
        while column != 0 {
            self.row_of[column] = self.row_of[before[column]];
            column = before[column];
        }
    }
}

/// The cheapest assignment in which later steps have later calls.
pub(super) fn in_order(costs: &Costs, calls: usize) -> Assignment {
    let steps = costs.len();
    // best[step][call]: the cost of the steps from `step` on with the calls from `call` on.
    let mut best = vec![vec![0_u64; calls + 1]; steps + 1];
    for step in (0..steps).rev() {
        for call in (0..=calls).rev() {
            let mut least = MISSING + best[step + 1][call];
            if call < calls {
                least = least.min(best[step][call + 1]);
                if let Some(cost) = costs[step][call] {
                    least = least.min(cost + best[step + 1][call + 1]);
                }
            }
            best[step][call] = least;
        }
    }
    let mut assignment = vec![None; steps];
    let mut call = 0;
    for step in 0..steps {
        while call < calls && best[step][call] == best[step][call + 1] {
            call += 1;
        }
        let taken = costs[step].get(call).copied().flatten();
        if taken.is_some_and(|cost| cost + best[step + 1][call + 1] == best[step][call]) {
            assignment[step] = Some(call);
            call += 1;
        }
    }
    assignment
}

/// Whether each of `left` finds one of `right` for itself alone (Kuhn's method).
pub(super) fn all_find_one(left: usize, right: usize, fits: impl Fn(usize, usize) -> bool) -> bool {
    let table: Vec<Vec<usize>> = (0..left)
        .map(|one| (0..right).filter(|two| fits(one, *two)).collect())
        .collect();
    let mut owner: Vec<Option<usize>> = vec![None; right];
    (0..left).all(|one| take(one, &table, &mut owner, &mut vec![false; right]))
}

fn take(
    start: usize,
    table: &[Vec<usize>],
    owner: &mut [Option<usize>],
    is_seen: &mut [bool],
) -> bool {
    // The path so far, and how far each one's choices were tried: a list instead of recursion, as lists come from
    // strangers.
    let mut path: Vec<(usize, usize)> = vec![(start, 0)];
    while let Some((one, tried)) = path.last_mut() {
        let Some(&two) = table[*one].get(*tried) else {
            path.pop();
            continue;
        };
        *tried += 1;
        if is_seen[two] {
            continue;
        }
        is_seen[two] = true;
        if let Some(other) = owner[two] {
            path.push((other, 0));
            continue;
        }
        for (one, tried) in path {
            owner[table[one][tried - 1]] = Some(one);
        }
        return true;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{Costs, MISSING, all_find_one, in_any_order, in_order, total};

    /// Every assignment, tried one by one.
    fn least(costs: &Costs, step: usize, used: &mut Vec<bool>, from: Option<usize>) -> u64 {
        if step == costs.len() {
            return 0;
        }
        let mut best = MISSING + least(costs, step + 1, used, from);
        for call in from.unwrap_or(0)..used.len() {
            if let (false, Some(cost)) = (used[call], costs[step][call]) {
                used[call] = true;
                let next = from.map(|_| call + 1);
                best = best.min(cost + least(costs, step + 1, used, next));
                used[call] = false;
            }
        }
        best
    }

    #[test]
    fn both_orders_are_as_cheap_as_trying_all() {
        let mut dice = 7_u64;
        let mut roll = |sides: u64| -> u64 {
            dice = dice
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (dice >> 33) % sides
        };
        for _ in 0..3_000 {
            let [steps, calls] = [5, 6].map(|most| usize::try_from(roll(most)).unwrap());
            let costs: Costs = (0..steps)
                .map(|_| (0..calls).map(|_| (roll(3) > 0).then(|| roll(4))).collect())
                .collect();
            let any = in_any_order(&costs, calls);
            let ordered = in_order(&costs, calls);
            let all = least(&costs, 0, &mut vec![false; calls], None);
            let all_ordered = least(&costs, 0, &mut vec![false; calls], Some(0));
            assert_eq!(total(&costs, &any), all, "{costs:?} {any:?}");
            assert_eq!(
                total(&costs, &ordered),
                all_ordered,
                "{costs:?} {ordered:?}"
            );
            let chosen: Vec<_> = ordered.iter().flatten().collect();
            assert!(chosen.is_sorted_by(|one, two| one < two));
            let mut once: Vec<_> = any.iter().flatten().collect();
            once.sort();
            assert!(once.is_sorted_by(|one, two| one < two));
        }
    }

    #[test]
    fn a_greedy_choice_is_taken_back() {
        assert!(all_find_one(2, 2, |one, two| one == 0 || two == 0));
        assert!(!all_find_one(3, 3, |one, two| one == 0 || two == 0));
        assert!(all_find_one(0, 3, |_, _| false));
        assert!(!all_find_one(2, 1, |_, _| true));
    }
}
