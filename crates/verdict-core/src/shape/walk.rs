//! Holds a value against a shape.
//!
//! One pass over what the shape names, so the work grows with the message and the depth with the
//! tables. The path is a stack that is reused all along; text is made only for a violation.

use serde_json::{Map, Number, Value};

use super::language::{Branch, Field, Shape};
use super::owners::{self, Claim};
use super::{LIMIT, Violation, wording};

/// A step from a value to one inside it.
#[derive(Clone, Copy)]
pub(super) enum Step<'v> {
    Member(&'v str),
    Index(usize),
}

/// What is wrong with a place.
#[derive(Clone, Copy)]
pub(super) enum Fault<'v> {
    /// A required member is missing.
    Absent,
    /// The value is of another kind, or none of the values allowed.
    Wrong(&'v Value),
    /// The array is longer than allowed.
    TooLong(&'v Value),
    /// A number with a fraction, where only the published schema insists on an integer.
    Fraction(&'v Value),
}

/// The violations in the member `root` of a message, which is absent if `value` is `None`.
pub(super) fn message<'v>(
    root: &'v str,
    shape: &'static Shape,
    value: Option<&'v Value>,
    claims: &[&'static [Claim]],
) -> Vec<Violation> {
    let report = Report {
        claims,
        kept: Vec::new(),
        found: Vec::new(),
    };
    let mut walk = Walk {
        path: Vec::with_capacity(16),
        sink: report,
    };
    walk.path.push(Step::Member(root));
    match value {
        Some(value) => walk.value(shape, value),
        None => walk.report(shape, Fault::Absent),
    }
    walk.sink.found
}

/// Where the faults go that a walk finds.
trait Sink<'v> {
    /// Takes a fault; `expected` makes the words for it if they are needed.
    fn fault(&mut self, path: &[Step<'v>], fault: Fault<'v>, expected: &dyn Fn() -> String);
}

/// Keeps the faults as violations, of each owner as many as are worth it.
struct Report<'c> {
    claims: &'c [&'static [Claim]],
    kept: Vec<(Option<&'static str>, usize)>,
    found: Vec<Violation>,
}

impl<'v> Sink<'v> for Report<'_> {
    fn fault(&mut self, path: &[Step<'v>], fault: Fault<'v>, expected: &dyn Fn() -> String) {
        let owner = owners::owner(self.claims, path, fault);
        if !self.has_room(owner) {
            return;
        }
        let (actual, soft) = match fault {
            Fault::Absent => ("absent".to_owned(), false),
            Fault::Wrong(value) | Fault::TooLong(value) => (wording::actual(value), false),
            Fault::Fraction(value) => (wording::actual(value), true),
        };
        let pointer = pointer(path);
        self.found.push(Violation {
            pointer,
            expected: expected(),
            actual,
            soft,
            owner,
        });
    }
}

impl Report<'_> {
    fn has_room(&mut self, owner: Option<&'static str>) -> bool {
        let Some((_, kept)) = self.kept.iter_mut().find(|(other, _)| *other == owner) else {
            self.kept.push((owner, 1));
            return true;
        };
        *kept += 1;
        *kept <= LIMIT + 1
    }
}

/// How well a value fits, without saying where it does not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Exact,
    Soft,
    None,
}

impl<'v> Sink<'v> for Fit {
    fn fault(&mut self, _: &[Step<'v>], fault: Fault<'v>, _: &dyn Fn() -> String) {
        let fit = if matches!(fault, Fault::Fraction(_)) {
            Self::Soft
        } else {
            Self::None
        };
        *self = fit.max(*self);
    }
}

/// How well a value fits a shape.
fn fit(shape: &'static Shape, value: &Value) -> Fit {
    let mut walk = Walk {
        path: Vec::new(),
        sink: Fit::Exact,
    };
    walk.value(shape, value);
    walk.sink
}

struct Walk<'v, S> {
    path: Vec<Step<'v>>,
    sink: S,
}

impl<'v, S: Sink<'v>> Walk<'v, S> {
    fn value(&mut self, shape: &'static Shape, value: &'v Value) {
        let fits = match (shape, value) {
            (Shape::LooseWhole | Shape::Id, Value::Number(number)) if !is_whole(number) => {
                return self.report(shape, Fault::Fraction(value));
            }
            (Shape::List(item) | Shape::OneOrMany(item), Value::Array(items)) => {
                return self.items(item, items);
            }
            (Shape::ListUpTo(most, item), Value::Array(items)) => {
                if items.len() > *most {
                    self.report(shape, Fault::TooLong(value));
                }
                return self.items(item, items);
            }
            (Shape::OneOrMany(one), Value::Object(_)) => return self.value(one, value),
            (Shape::Map(member), Value::Object(members)) => {
                for (name, value) in members {
                    self.at(Step::Member(name), member, value);
                }
                return;
            }
            (Shape::Object(fields), Value::Object(members)) => {
                return self.members(fields, members);
            }
            (
                Shape::Tagged {
                    tag,
                    cases,
                    default,
                },
                Value::Object(members),
            ) => {
                return self.tagged(tag, cases, *default, members, value);
            }
            (Shape::AnyOf(branches), _) => return self.any_of(branches, value),
            (Shape::Any, _)
            | (Shape::Text | Shape::TextOr(_) | Shape::Id, Value::String(_))
            | (Shape::Flag, Value::Bool(_))
            | (Shape::Number | Shape::LooseWhole | Shape::Id, Value::Number(_)) => true,
            (Shape::Whole, Value::Number(number)) => is_whole(number),
            (Shape::Count, Value::Number(number)) => {
                is_whole(number) && number.as_f64().is_some_and(|number| number >= 0.0)
            }
            (Shape::Share, Value::Number(number)) => number
                .as_f64()
                .is_some_and(|number| (0.0..=1.0).contains(&number)),
            (Shape::OneOf(literals), Value::String(text)) => literals.contains(&text.as_str()),
            _ => false,
        };
        if !fits {
            self.report(shape, Fault::Wrong(value));
        }
    }

    fn items(&mut self, item: &'static Shape, items: &'v [Value]) {
        for (index, value) in items.iter().enumerate() {
            self.at(Step::Index(index), item, value);
        }
    }

    fn members(&mut self, fields: &'static [Field], members: &'v Map<String, Value>) {
        for field in fields {
            match members.get(field.name) {
                Some(value) => self.at(Step::Member(field.name), &field.shape, value),
                None if field.required => {
                    self.report_at(field.name, Fault::Absent, &|| {
                        wording::expected(&field.shape)
                    });
                }
                None => {}
            }
        }
    }

    /// Reads the tag; without a good one there is no telling what the rest ought to be.
    fn tagged(
        &mut self,
        tag: &'static str,
        cases: &'static [(&'static str, Shape)],
        default: Option<&'static str>,
        members: &'v Map<String, Value>,
        value: &'v Value,
    ) {
        let sent = members.get(tag);
        let name = sent.map_or(default, Value::as_str);
        match name.and_then(|name| cases.iter().find(|(case, _)| *case == name)) {
            Some((_, shape)) => self.value(shape, value),
            None => self.report_at(tag, sent.map_or(Fault::Absent, Fault::Wrong), &|| {
                wording::one_of(cases.iter().map(|(case, _)| *case))
            }),
        }
    }

    /// Takes the branch that fits best, and where none does, the one that was meant.
    fn any_of(&mut self, branches: &'static [Branch], value: &'v Value) {
        let best = branches
            .iter()
            .map(|branch| (fit(&branch.shape, value), branch));
        let (fit, mut branch) = match best.min_by_key(|(fit, _)| *fit) {
            None | Some((Fit::Exact, _)) => return,
            Some(best) => best,
        };
        if fit == Fit::None {
            let meant = branches
                .iter()
                .find(|branch| value.get(branch.mark).is_some());
            branch = meant.or(branches.last()).unwrap_or(branch);
        }
        self.value(&branch.shape, value);
    }

    fn at(&mut self, step: Step<'v>, shape: &'static Shape, value: &'v Value) {
        self.path.push(step);
        self.value(shape, value);
        self.path.pop();
    }

    fn report(&mut self, shape: &Shape, fault: Fault<'v>) {
        self.sink
            .fault(&self.path, fault, &|| wording::expected(shape));
    }

    fn report_at(&mut self, member: &'v str, fault: Fault<'v>, expected: &dyn Fn() -> String) {
        self.path.push(Step::Member(member));
        self.sink.fault(&self.path, fault, expected);
        self.path.pop();
    }
}

/// Whether a number is an integer in the sense of JSON Schema, where `3.0` is one.
fn is_whole(number: &Number) -> bool {
    number.is_i64()
        || number.is_u64()
        || number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// The path as a JSON Pointer.
fn pointer(path: &[Step]) -> String {
    let mut pointer = String::new();
    for step in path {
        pointer.push('/');
        match step {
            Step::Index(index) => pointer.push_str(&index.to_string()),
            Step::Member(name) => pointer.push_str(&name.replace('~', "~0").replace('/', "~1")),
        }
    }
    pointer
}
