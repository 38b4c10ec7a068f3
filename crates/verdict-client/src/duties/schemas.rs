//! Schemas of tools: what is validated, fetched, kept, and borne.

use super::questions::canary_ruling;
use super::results::{hit_at, shown, shows_results};
use crate::context::{Context, ending, seen_in};
use crate::duty::Duty;
use crate::scenario::EXTRA_TOOL;
use verdict_core::ruling::{Finding, Ruling};

/// The duties of this family.
pub const DUTIES: &[Duty] = &[
    Duty::should(
        "client.output-validated",
        "Structured content is held against the output schema",
    )
    .spec("tools#output-schema")
    .why("Code behind the call relies on the schema; what breaks it spreads from there.")
    .fix(
        "Validate structuredContent against outputSchema and raise an error where it does not fit.",
    )
    .reads(&["output-broken", "canary"])
    .judge(output_validated),
    Duty::must(
        "client.ref-no-fetch",
        "No $ref of a schema is fetched from the network",
    )
    .http()
    .spec("basic#ref-resolution")
    .why("Any server could make the client ask any address, inside the user's network too.")
    .fix("Give the schema library a resolver that refuses every address.")
    .official(&["sep-2106-no-network-ref-deref"])
    .reads(&["schema-reference"])
    .judge(no_fetch),
    Duty::must(
        "client.dialect-unknown",
        "A schema in an unknown dialect costs that tool at most",
    )
    .spec("basic#implementation-requirements")
    .why("One odd tool would take all the others from the agent.")
    .fix("Drop or mark the tool whose $schema you do not know, and keep the rest.")
    .reads(&["schema-dialect"])
    .judge(dialect),
    Duty::advisory(
        "client.schema-preserved",
        "The model sees the schemas as the server sent them",
    )
    .spec("tools#tool")
    .why("A model that never sees `oneOf` or `pattern` calls the tool wrong.")
    .fix("Hand inputSchema on as it came, with every keyword.")
    .official(&[
        "sep-2106-client-composition-keywords-preserved",
        "sep-2106-client-conditional-keywords-preserved",
        "sep-2106-client-anchor-preserved",
    ])
    .not_yet("what an agent shows its model does not pass the proxy"),
];

fn output_validated(cx: &Context) -> Ruling {
    let found =
        hit_at(cx, "output-broken", "tools/call").and_then(|found| cx.control().map(|_| found));
    let (scene, hit) = match found {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    if !scene.visit.is_well() {
        return Ruling::met(format!("it was refused: {}", ending(scene)));
    }
    let told = scene.visit.errors.to_lowercase();
    if ["schema", "valid", "structured"]
        .iter()
        .any(|word| told.contains(word))
    {
        return Ruling::met(format!("it was told: {}", ending(scene)));
    }
    match shows_results(cx) {
        Err(ruling) => ruling,
        Ok(_) if shown(scene) == 0 => Ruling::met("it was not passed on"),
        Ok(_) => {
            let message = format!(
                "structured content that breaks the schema was passed on: {}",
                ending(scene)
            );
            seen_in(
                Finding::broken(message).at("/result/structuredContent"),
                hit,
            )
            .into()
        }
    }
}

fn no_fetch(cx: &Context) -> Ruling {
    match cx.hit("schema-reference") {
        Ok((scene, _)) => canary_ruling(scene, "nothing was fetched"),
        Err(ruling) => ruling,
    }
}

fn dialect(cx: &Context) -> Ruling {
    let found = cx
        .hit("schema-dialect")
        .and_then(|found| cx.control().map(|plain| (found, plain)));
    let ((scene, hit), plain) = match found {
        Ok(found) => found,
        Err(ruling) => return ruling,
    };
    if !scene.visit.is_well() {
        let message = format!(
            "one schema in an unknown dialect broke the client: {}",
            ending(scene)
        );
        return seen_in(Finding::broken(message), hit).into();
    }
    if plain.of("tools/call").next().is_some() && scene.of("tools/call").next().is_none() {
        let message = "the good tools are gone too: nothing was called";
        return seen_in(Finding::broken(message), hit).into();
    }
    let treated = if scene.visit.tells(EXTRA_TOOL) > 0 {
        ", the odd one too"
    } else {
        ""
    };
    Ruling::met(format!("the good tools were kept{treated}"))
}
