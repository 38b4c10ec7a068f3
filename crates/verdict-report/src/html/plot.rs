//! Drawings as inline SVG. Only numbers of ours go in; each has its meaning in words beside it.

use std::fmt::Write as _;

/// A share of 0 to 1 as a dot, its interval as a line, on a scale from 0 to 100 %.
pub(super) fn interval(rate: f64, bounds: Option<[f64; 2]>) -> String {
    scale(None, rate, bounds)
}

/// Two shares on such a scale: a ring for the one before, a dot and its interval for now.
pub(super) fn change(was: f64, now: f64, bounds: Option<[f64; 2]>) -> String {
    scale(Some(was), now, bounds)
}

fn scale(was: Option<f64>, rate: f64, bounds: Option<[f64; 2]>) -> String {
    // Two per cent are left on both sides, so that a dot at an end is whole.
    let at = |share: f64| share.clamp(0.0, 1.0) * 96.0 + 2.0;
    let line = |class: &str, from: f64, to: f64| {
        format!("<line class=\"{class}\" x1=\"{from:.1}%\" x2=\"{to:.1}%\" y1=\"8\" y2=\"8\"/>")
    };
    let mut out = "<svg class=\"interval\" aria-hidden=\"true\">".to_owned();
    out.push_str(&line("grid", at(0.0), at(1.0)));
    for share in [0.0, 0.5, 1.0] {
        let x = at(share);
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{x}%\" x2=\"{x}%\" y1=\"3\" y2=\"13\"/>"
        );
    }
    if let Some([low, high]) = bounds {
        out.push_str(&line("range", at(low), at(high)));
    }
    if let Some(was) = was {
        let _ = write!(
            out,
            "<circle class=\"ring\" cx=\"{:.1}%\" cy=\"8\" r=\"5.5\"/>",
            at(was)
        );
    }
    let _ = write!(
        out,
        "<circle cx=\"{:.1}%\" cy=\"8\" r=\"4\"/></svg>",
        at(rate)
    );
    out
}

/// Shares one after the other as a line, from the lowest to the highest; each has a class for its colour. Runs that failed or
/// warned have a ring, the last one a dot.
pub(super) fn line(points: &[(f64, &str)]) -> String {
    const STEP: f64 = 10.0;
    let shares = || points.iter().map(|(share, _)| share.clamp(0.0, 1.0));
    let (low, high) = shares().fold((1.0_f64, 0.0_f64), |(low, high), share| {
        (low.min(share), high.max(share))
    });
    // Five points of a hundred at least, so that noise does not look like a fall.
    let (low, range) = if high - low < 0.05 {
        ((high - 0.05).max(0.0), 0.05)
    } else {
        (low, high - low)
    };
    let at = |place: usize, share: f64| {
        (
            to_f64(place as u64) * STEP + 6.0,
            34.0 - (share - low) / range * 28.0,
        )
    };
    let width = to_f64(points.len().saturating_sub(1) as u64) * STEP + 12.0;
    let mut out = format!(
        "<svg class=\"trend\" viewBox=\"0 0 {width:.0} 40\" preserveAspectRatio=\"xMinYMid meet\" aria-hidden=\"true\"><path class=\"way\" d=\""
    );
    for (place, share) in shares().enumerate() {
        let (x, y) = at(place, share);
        let pen = if place == 0 { 'M' } else { 'L' };
        let _ = write!(out, "{pen}{x:.1} {y:.1}");
    }
    out.push_str("\"/>");
    for (place, (share, class)) in points.iter().enumerate() {
        let is_last = place + 1 == points.len();
        if !is_last && !["fail", "warn"].contains(class) {
            continue;
        }
        let (x, y) = at(place, share.clamp(0.0, 1.0));
        let kind = if is_last { "dot" } else { "ring" };
        let _ = write!(
            out,
            "<circle class=\"{kind} {class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>"
        );
    }
    out.push_str("</svg>");
    out
}

/// Parts of a whole as one bar; each part has a class for its colour.
pub(super) fn bar(parts: &[(&str, u64)]) -> String {
    let whole: u64 = parts.iter().map(|(_, count)| count).sum();
    let mut out =
        "<svg class=\"bar\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
            .to_owned();
    let mut left = 0.0;
    for (class, count) in parts.iter().filter(|(_, count)| *count > 0) {
        let width = share(*count, whole) * 100.0;
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{left:.2}\" width=\"{width:.2}\" height=\"8\"/>"
        );
        left += width;
    }
    out.push_str("</svg>");
    out
}

/// How many of `samples` fall into each of the steps from 0 to `most`, with lines at the marks.
pub(super) fn histogram(samples: &[u64], most: u64, marks: &[f64]) -> String {
    const STEPS: usize = 40;
    let mut steps = [0_u64; STEPS];
    for sample in samples {
        let place = u128::from(*sample) * 40 / u128::from(most.max(1));
        let index = usize::try_from(place).unwrap_or(STEPS).min(STEPS - 1);
        if let Some(step) = steps.get_mut(index) {
            *step += 1;
        }
    }
    let highest = steps.iter().copied().max().unwrap_or(1).max(1);
    let mut out =
        "<svg class=\"histogram\" viewBox=\"0 0 200 30\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><path class=\"grid\" d=\"M0 29.5h200\"/>"
            .to_owned();
    for (index, count) in steps.iter().enumerate().filter(|(_, count)| **count > 0) {
        let height = 2.0 + share(*count, highest) * 26.0;
        let _ = write!(
            out,
            "<rect x=\"{}\" y=\"{:.1}\" width=\"4\" height=\"{height:.1}\"/>",
            index * 5,
            29.0 - height
        );
    }
    for mark in marks {
        let at = (mark / to_f64(most.max(1))).clamp(0.0, 1.0) * 199.0 + 0.5;
        let _ = write!(out, "<path class=\"mark\" d=\"M{at:.1} 0v30\"/>");
    }
    out.push_str("</svg>");
    out
}

/// `part` of `whole`, from 0 to 1.
pub(super) fn share(part: u64, whole: u64) -> f64 {
    to_f64(part) / to_f64(whole.max(1))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a drawing needs no more than 52 bits"
)]
pub(super) fn to_f64(number: u64) -> f64 {
    number as f64
}
