//! What was measured of each model, with its intervals, and who the models are.

use super::piece::{prose, text};
use super::plot;
use crate::behavior::model_names;
use crate::behavior::{basis, effort, metric, percent};
use std::fmt::Write as _;
use verdict_model::behavior::{Behavior, Metric};

pub(super) fn section(layer: &Behavior) -> String {
    let names = model_names(&layer.models);
    let mut out = "<p class=\"dim\">A dot is the share, the line its 95 % interval: where two lines overlap widely, the difference may be chance.</p>\n\
         <div class=\"wide\"><table class=\"rates\">\n<thead><tr><th scope=\"col\">Metric and model</th>\
         <th scope=\"col\" class=\"number\">Share</th>\
         <th scope=\"col\"><div class=\"scale\"><span>0</span><span>50</span><span>100 %</span></div></th></tr></thead>\n".to_owned();
    for key in Metric::ALL {
        let rows: Vec<_> = layer
            .models
            .iter()
            .zip(&names)
            .filter_map(|(model, name)| Some((name, model.metrics.get(&key)?)))
            .collect();
        if rows.is_empty() {
            continue;
        }
        let _ = writeln!(
            out,
            "<tbody><tr class=\"group\"><th scope=\"rowgroup\" colspan=\"3\">{} <small>{}</small></th></tr>",
            metric(key),
            meaning(key)
        );
        for (name, rate) in rows {
            let drawn = rate
                .rate
                .map_or_else(String::new, |share| plot::interval(share, rate.interval));
            let _ = writeln!(
                out,
                "<tr><th scope=\"row\">{}</th><td class=\"number\"><b>{}</b><small>{}</small></td><td>{drawn}</td></tr>",
                text(name, 100),
                percent(rate.rate),
                basis(rate).replace(" %", "\u{a0}%")
            );
        }
        out.push_str("</tbody>\n");
    }
    out.push_str("</table></div>\n");
    out.push_str(&who(layer));
    for note in layer.notes.iter().take(20) {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", prose(note, 600));
    }
    out
}

fn meaning(key: Metric) -> &'static str {
    match key {
        Metric::Selection => "the right tool, or rightly none",
        Metric::OverTrigger => "a call where none was wanted: the less the better",
        Metric::Arguments => "right arguments, of the runs that chose rightly",
        Metric::Order => "the right order of a sequence",
        Metric::Completion => "the rubric met, as the judge sees it",
        Metric::Schema => "arguments that the tool's schema accepts",
    }
}

/// The models by their full names, and the judge.
fn who(layer: &Behavior) -> String {
    let mut out = "<dl class=\"who\">\n".to_owned();
    for model in &layer.models {
        let mut about = Vec::new();
        if model.is_baseline {
            about.push("a baseline that ranks words, no language model".to_owned());
        }
        if !model.served_by.is_empty() {
            let served = model.served_by.join(", ");
            about.push(format!("answered as {}", text(&served, 200)));
        }
        about.push(effort(model));
        let _ = writeln!(
            out,
            "<dt>{}</dt><dd>{}</dd>",
            text(&model.id, 200),
            about.join(" · ")
        );
        for note in model.notes.iter().take(10) {
            let _ = writeln!(out, "<dd class=\"note\">{}</dd>", prose(note, 400));
        }
    }
    if let Some(judge) = &layer.judge {
        let state = match &judge.unfit {
            Some(why) => format!("judged nothing: {}", prose(why, 400)),
            None => format!(
                "the judge: {} calls, {} answers that were none",
                crate::words::number(judge.calls),
                crate::words::number(judge.failures)
            ),
        };
        let _ = writeln!(out, "<dt>{}</dt><dd>{state}</dd>", text(&judge.id, 200));
    }
    out.push_str("</dl>\n");
    out
}
