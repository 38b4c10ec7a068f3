//! A tree of a million lines for `scan`: half of its files speak MCP, the others are any code.

use crate::run::root;
use anyhow::Result;
use std::path::PathBuf;

/// Files of the tree.
const FILES: usize = 4_000;
/// Lines of a file.
const LINES: usize = 250;

/// Lines of any program, by language.
const ORDINARY: [(&str, &str); 4] = [
    (
        "ts",
        "  const total = items.map((item) => item.price * item.count).reduce((a, b) => a + b, 0); // sum\n",
    ),
    (
        "py",
        "    total = sum(item['price'] * item['count'] for item in items if item.get('kind') != \"gift\")  # sum\n",
    ),
    (
        "go",
        "\ttotal += item.Price * float64(item.Count) // the discount comes later, see \"rebates\"\n",
    ),
    (
        "json",
        "  {\"name\": \"screw\", \"price\": 12.5, \"count\": 3, \"tags\": [\"steel\", \"small\"]},\n",
    ),
];

/// Lines that speak MCP, by language; one in ten is one of these.
const SPEAKING: [(&str, &str); 4] = [
    (
        "ts",
        "  await client.request({ method: 'resources/subscribe', params: { uri } }, EmptyResultSchema);\n",
    ),
    (
        "py",
        "    result = await session.call_tool('get_invoice', {'id': 'INV-1001'})\n",
    ),
    (
        "go",
        "\treq := &mcp.CallToolParams{Name: \"get_invoice\", Arguments: map[string]any{\"id\": id}}\n",
    ),
    (
        "json",
        "  {\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"tools/call\", \"params\": {\"name\": \"get_invoice\"}},\n",
    ),
];

/// Writes the tree anew; its folder and its bytes.
pub fn tree() -> Result<(PathBuf, usize)> {
    let folder = root().join("target/bench-scan");
    let _ = std::fs::remove_dir_all(&folder);
    let mut bytes = 0;
    for number in 0..FILES {
        let inner = folder.join(format!("part-{}", number / 100));
        std::fs::create_dir_all(&inner)?;
        let text = file(number);
        bytes += text.len();
        let extension = ORDINARY[number % ORDINARY.len()].0;
        std::fs::write(inner.join(format!("file-{number}.{extension}")), text)?;
    }
    Ok((folder, bytes))
}

fn file(number: usize) -> String {
    let kind = number % ORDINARY.len();
    let speaks = (number / ORDINARY.len()).is_multiple_of(2);
    let mut text = String::new();
    if speaks && kind < 3 {
        text.push_str("import \"modelcontextprotocol\"\n");
    }
    while text.lines().count() < LINES {
        for line in 0..50 {
            let source = if speaks && line % 10 == 0 {
                SPEAKING
            } else {
                ORDINARY
            };
            text.push_str(source[kind].1);
        }
    }
    text
}

/// Reads every file once and looks at every byte: what no scan can be faster than.
pub fn read_all(folder: &std::path::Path) -> Result<usize> {
    let mut lines = 0;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            lines += read_all(&path)?;
        } else {
            lines += std::str::from_utf8(&std::fs::read(&path)?)?.lines().count();
        }
    }
    Ok(lines)
}
