//! Lines of YAML files: a case of a golden set, the server in a configuration, the step in a workflow.
//!
//! Read as lines and not as YAML: a line is all that is wanted, and a file that is no YAML has none.

/// The line of the case with this id in a golden set.
pub fn case_line(golden: &str, id: &str) -> Option<u64> {
    let is_id = |line: &str| {
        let member = line.trim_start().trim_start_matches(['-', ' ', '{', ',']);
        let value = member
            .strip_prefix("id:")
            .or_else(|| member.strip_prefix("\"id\":"))?;
        let value = value.trim();
        let value = match value.chars().next()? {
            quote @ ('"' | '\'') => value.get(1..)?.split(quote).next()?,
            _ => value.split([',', '}', '#']).next()?.trim(),
        };
        (value == id).then_some(())
    };
    line(golden, |text| is_id(text).is_some())
}

/// The line of a configuration that names the server; the first line where none does.
pub fn server_line(config: &str) -> u64 {
    let member = |names: &[&str]| {
        line(config, |text| {
            let text = text
                .trim_start()
                .trim_start_matches("server: {")
                .trim_start();
            names.iter().any(|name| text.starts_with(name))
        })
    };
    member(&["url:", "command:", "start:"])
        .or_else(|| member(&["server:"]))
        .unwrap_or(1)
}

/// The line of a workflow that runs the check.
pub fn step_line(workflow: &str) -> Option<u64> {
    let code = |text: &str| !text.trim_start().starts_with('#') && text.contains("mcp-verdict");
    line(workflow, |text| {
        code(text)
            && text
                .trim_start()
                .trim_start_matches("- ")
                .starts_with("uses:")
    })
    .or_else(|| {
        line(workflow, |text| {
            code(text) && (text.contains("mcp-verdict check") || text.contains("mcp-verdict run"))
        })
    })
}

fn line(text: &str, is_it: impl Fn(&str) -> bool) -> Option<u64> {
    let index = text.lines().position(is_it)?;
    u64::try_from(index + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_of_a_golden_set() {
        let golden = "# id: a\ndefaults: { runs: 3 }\ncases:\n  - id: a # first\n    prompt: \"id: b\"\n  - { id: \"b\", prompt: x }\n  - prompt: x\n    id: 'c: d'\n";
        assert_eq!(case_line(golden, "a"), Some(4));
        assert_eq!(case_line(golden, "b"), Some(6));
        assert_eq!(case_line(golden, "c: d"), Some(8));
        assert_eq!(case_line(golden, "d"), None);
    }

    #[test]
    fn the_server_and_the_step() {
        assert_eq!(server_line("# c\nserver:\n  url: http://x/\n"), 3);
        assert_eq!(server_line("tools: {}\nserver: { url: http://x/ }\n"), 2);
        assert_eq!(server_line("server:\n  headers: {}\n"), 1);
        assert_eq!(server_line("runs: 5\n"), 1);
        let workflow = "name: mcp-verdict\njobs:\n  x:\n    steps:\n      # - uses: o/mcp-verdict@v1\n      - uses: o/mcp-verdict@v1\n";
        assert_eq!(step_line(workflow), Some(6));
        assert_eq!(step_line("run: |\n  mcp-verdict check --url x\n"), Some(2));
        assert_eq!(step_line("name: mcp-verdict\n"), None);
    }
}
