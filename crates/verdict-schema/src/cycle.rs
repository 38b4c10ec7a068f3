//! Reference loops: row `schema.ref-cycle` (page `basic`, "Composition keyword resource use").
//!
//! Recursion through the value ends with the value and is legal. A loop of subschemas that all
//! judge the same value never ends.

use crate::defect::{Kind, Weight};
use crate::examine::Findings;
use crate::keyword::{is_in_place, subschemas};
use crate::reference::Target;
use crate::walk::{Plan, hides_siblings};

/// Reports one defect for each subschema that a loop comes back to.
pub(crate) fn check(plan: &Plan<'_>, findings: &mut Findings<'_>) {
    for Loop { head, tail, length } in loops(plan) {
        findings.add(Kind::RefCycle, Weight::Broken, plan, head, &[], || {
            let mut close = String::new();
            plan.write_pointer(tail, 120, &mut close);
            crate::describe::cut(&mut close, 120);
            let size = if length == 1 { "itself".to_owned() } else { format!("{length} subschemas") };
            format!("a loop through {size} never descends into the value, so validation does not end; it closes at {close:?}")
        });
    }
}

/// Whether the schema has such a loop at all.
pub(crate) fn exists(plan: &Plan<'_>) -> bool {
    !loops(plan).is_empty()
}

struct Loop {
    head: usize,
    tail: usize,
    length: usize,
}

/// Which subschemas judge the same value as each subschema: those of position `p` are
/// `edges[starts[p]..starts[p + 1]]`.
pub(crate) struct InPlace {
    starts: Vec<usize>,
    edges: Vec<usize>,
}

impl InPlace {
    pub(crate) fn new(plan: &Plan<'_>) -> Self {
        let mut starts = Vec::with_capacity(plan.positions.len() + 1);
        let mut edges = Vec::new();
        for (at, position) in plan.positions.iter().enumerate() {
            starts.push(edges.len());
            if !position.live {
                continue;
            }
            for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
                if let Some(Target::Position(target)) = plan.target(at, keyword) {
                    edges.push(*target);
                }
            }
            if hides_siblings(position) {
                continue;
            }
            subschemas(
                position.dialect,
                position.value,
                &mut |keyword, _, value| {
                    let idle =
                        matches!(keyword, "then" | "else") && position.value.get("if").is_none();
                    if is_in_place(position.dialect, keyword) && !idle {
                        edges.extend(plan.at(value));
                    }
                },
            );
        }
        starts.push(edges.len());
        Self { starts, edges }
    }

    pub(crate) fn of(&self, at: usize) -> &[usize] {
        &self.edges[self.starts[at]..self.starts[at + 1]]
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Done,
}

/// A depth-first search with a stack of its own; each edge is followed once.
fn loops(plan: &Plan<'_>) -> Vec<Loop> {
    let mut found = Vec::new();
    if plan.references.is_empty() {
        return found;
    }
    let graph = InPlace::new(plan);
    let mut marks = vec![Mark::New; plan.positions.len()];
    let mut reported = vec![false; plan.positions.len()];
    for start in 0..plan.positions.len() {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        let mut path = vec![(start, 0)];
        while let Some((at, next)) = path.last_mut() {
            let tail = *at;
            let Some(&target) = graph.of(tail).get(*next) else {
                marks[tail] = Mark::Done;
                path.pop();
                continue;
            };
            *next += 1;
            match marks[target] {
                Mark::New => {
                    marks[target] = Mark::Open;
                    path.push((target, 0));
                }
                Mark::Open if !reported[target] => {
                    reported[target] = true;
                    let length = path
                        .iter()
                        .rev()
                        .take_while(|(at, _)| *at != target)
                        .count()
                        + 1;
                    found.push(Loop {
                        head: target,
                        tail,
                        length,
                    });
                }
                Mark::Open | Mark::Done => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::loops;
    use crate::dialect::Dialect;
    use crate::walk::Plan;
    use serde_json::{Value, json};

    fn heads(dialect: Dialect, schema: &Value) -> Vec<String> {
        let plan = Plan::new(schema, dialect, 1_000);
        loops(&plan)
            .iter()
            .map(|it| plan.pointer(it.head))
            .collect()
    }

    #[test]
    fn recursion_through_the_value_is_no_loop() {
        let tree = json!({
            "properties": {"nodes": {"type": "array", "items": {
                "properties": {"children": {"items": {"$ref": "#/properties/nodes/items"}}}
            }}},
            "additionalProperties": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}
        });
        assert!(heads(Dialect::Draft202012, &tree).is_empty());
    }

    #[test]
    fn a_reference_to_itself_is_a_loop() {
        let schema = json!({"properties": {"x": {"$ref": "#/properties/x"}}});
        assert_eq!(heads(Dialect::Draft202012, &schema), ["/properties/x"]);
    }

    #[test]
    fn loops_close_through_every_keyword_in_place() {
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let schema = json!({keyword: [{"$ref": "#"}]});
            assert_eq!(heads(Dialect::Draft7, &schema), [""], "{keyword}");
        }
        for keyword in ["not", "if"] {
            let schema = json!({keyword: {"$ref": "#"}});
            assert_eq!(heads(Dialect::Draft202012, &schema), [""], "{keyword}");
        }
        let schema = json!({"dependentSchemas": {"a": {"$ref": "#"}}});
        assert_eq!(heads(Dialect::Draft202012, &schema), [""]);
        let schema = json!({"if": true, "then": {"$ref": "#"}});
        assert_eq!(heads(Dialect::Draft202012, &schema), [""]);
    }

    #[test]
    fn keywords_without_effect_close_no_loop() {
        assert!(heads(Dialect::Draft202012, &json!({"then": {"$ref": "#"}})).is_empty());
        assert!(
            heads(
                Dialect::Draft202012,
                &json!({"dependencies": {"a": {"$ref": "#"}}})
            )
            .is_empty()
        );
        assert_eq!(
            heads(
                Dialect::Draft7,
                &json!({"dependencies": {"a": {"$ref": "#"}}})
            ),
            [""]
        );
        let beside = json!({
            "definitions": {"a": {"$ref": "#/definitions/b", "allOf": [{"$ref": "#/definitions/a"}]}, "b": {}}
        });
        assert!(heads(Dialect::Draft7, &beside).is_empty());
        assert_eq!(heads(Dialect::Draft201909, &beside), ["/definitions/a"]);
    }

    #[test]
    fn mutual_and_dynamic_references_close_loops() {
        let mutual = json!({"$defs": {
            "a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{}, {"$ref": "#/$defs/a"}]}
        }});
        assert_eq!(heads(Dialect::Draft202012, &mutual), ["/$defs/a"]);
        let dynamic = json!({"$dynamicAnchor": "me", "allOf": [{"$dynamicRef": "#me"}]});
        assert_eq!(heads(Dialect::Draft202012, &dynamic), [""]);
        let recursive = json!({"$recursiveAnchor": true, "anyOf": [{"$recursiveRef": "#"}]});
        assert_eq!(heads(Dialect::Draft201909, &recursive), [""]);
    }
}
