//! A hundred parts of one job with a million runs of cases in all, joined.

use super::measure::Usage;
use super::{Line, crowd};
use crate::run::root;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;

const PARTS: u64 = 100;
/// Cases in all, each with five runs.
const CASES: u64 = 200_000;
/// How often it is done.
const TIMES: usize = 3;

/// The time of joining against that of copying the same bytes, and the peak of memory.
pub fn run(program: &str, lines: &mut Vec<Line>) -> Result<()> {
    let folder = root().join("target/bench-merge");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let result = measured(program, &folder, lines);
    // A gigabyte for each of the parts and the two copies.
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn measured(program: &str, folder: &Path, lines: &mut Vec<Line>) -> Result<()> {
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let template = template(program, folder)?;
    let bytes = parts(&template, folder)?;
    let names = (0..PARTS).map(|part| path(&format!("{part}.json")));
    let mut merge = vec![program.to_owned(), "merge".to_owned()];
    merge.extend(names.clone());
    merge.extend(["--out".to_owned(), path("joined.json")]);
    let copy = "out=$1; shift; cat \"$@\" > \"$out\"";
    let mut copied: Vec<String> = ["sh", "-c", copy, "sh"].map(str::to_owned).to_vec();
    copied.push(path("copied.json"));
    copied.extend(names);
    let (mut joined, mut copying, mut peak) = (Vec::new(), Vec::new(), 0.0_f64);
    for _ in 0..TIMES {
        copying.push(Usage::of(&copied)?.wall_ms);
        let usage = Usage::of(&merge)?;
        joined.push(usage.wall_ms);
        peak = peak.max(usage.peak_mib);
    }
    let size = std::fs::metadata(path("joined.json"))?.len();
    ensure!(size > bytes / 2, "the joined report holds no runs");
    lines.push(Line::ratio(
        &format!(
            "100 parts, a million runs, {} MiB joined (limit 5000 ms), against copying",
            bytes >> 20
        ),
        super::measure::middle(&mut joined),
        super::measure::middle(&mut copying),
        "ms",
    ));
    lines.push(Line::value(
        "its memory",
        format!("peak {peak:.1} MiB"),
        "limit 512 MiB",
    ));
    Ok(())
}

/// The report of a part, with one case.
fn template(program: &str, folder: &Path) -> Result<Value> {
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let golden = "- { id: case, prompt: \"Look up number ABC-1 in the register.\", expect_tool: look_up_00000 }\n";
    std::fs::write(path("tasks.yaml"), golden)?;
    let server = crowd::Server::start(1)?;
    let words = [
        program.to_owned(),
        "run".to_owned(),
        "-q".to_owned(),
        "--layers=1".to_owned(),
        "--model=lexical".to_owned(),
        "--shard=1/1".to_owned(),
        format!("--url={}", server.url),
        format!("--golden={}", path("tasks.yaml")),
        "--format=json".to_owned(),
        format!("--out={}", path("template.json")),
    ];
    Usage::of(&words)?;
    let text = std::fs::read(path("template.json")).context("the part left no report")?;
    Ok(serde_json::from_slice(&text)?)
}

/// Writes all parts; their bytes in all.
fn parts(template: &Value, folder: &Path) -> Result<u64> {
    let case = &template["layers"]["behavior"]["models"][0]["cases"][0];
    ensure!(case.is_object(), "the part has no case");
    let mut bytes = 0;
    for part in 0..PARTS {
        let mine = |case: &u64| hash(&id(*case)) % PARTS == part;
        let places: Vec<u64> = (0..CASES).filter(mine).collect();
        let cases = places.iter().map(|place| {
            let mut case = case.clone();
            case["id"] = json!(id(*place));
            case
        });
        let mut report = template.clone();
        report["layers"]["behavior"]["models"][0]["cases"] = cases.collect();
        report["session"]["shard"] =
            json!({"part": part + 1, "of": PARTS, "total": CASES, "places": places});
        let text = serde_json::to_vec_pretty(&report)?;
        bytes += text.len() as u64;
        std::fs::write(folder.join(format!("{part}.json")), text)?;
    }
    Ok(bytes)
}

fn id(place: u64) -> String {
    format!("case-{place:06}")
}

/// The hash that cases are shared out by: FNV-1a.
fn hash(id: &str) -> u64 {
    id.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}
