//! Where findings are placed in sources as people write them with the SDKs, and where they are not.

use serde_json::json;
use verdict_model::Report;
use verdict_model::report::Location;
use verdict_place::{Changes, fill, search};

/// A report with one finding about this subject.
fn report(id: &str, subject: &str, pointer: &str, message: &str) -> Report {
    serde_json::from_value(json!({
        "schema": "mcp-verdict/report/v1",
        "generator": {"name": "mcp-verdict", "version": "0.0.0", "requirements": "2026-07-28"},
        "verdict": "fail", "summary": "s", "target": {"transport": "http"},
        "layers": {"conformance": {
            "checks": [{
                "id": id, "assertion": null, "level": "must", "outcome": "fail", "title": "t", "message": "m",
                "evidence": [{"subject": subject, "pointer": pointer, "message": message}],
                "fix": "f", "specUrl": "", "location": null,
            }],
            "counts": {"pass": 0, "fail": 1, "warn": 0, "info": 0, "skip": 0, "n/a": 0, "error": 0},
            "durationMs": 1, "requests": 1,
        }},
    }))
    .expect("a report")
}

fn place(
    report: &mut Report,
    files: &[(&str, &str)],
    changes: Changes,
    near: &str,
) -> Option<(String, u64)> {
    let mut search = search(report).with_changes(changes).near(near);
    for (path, text) in files {
        search.look(path, text);
    }
    let rest = Location {
        path: "mcp-verdict.yaml".to_owned(),
        line: 1,
    };
    fill(report, &search, Some(&rest));
    let check = report.layers.conformance.as_ref()?.checks.first()?;
    let place = check.location.as_ref()?;
    Some((place.path.clone(), place.line))
}

/// The line of the tool `get_weather` in these files.
fn tool(files: &[(&str, &str)]) -> Option<(String, u64)> {
    let mut report = report(
        "schema.input-valid",
        "get_weather",
        "/result/tools/0/inputSchema",
        "m",
    );
    place(&mut report, files, Changes::default(), "")
}

/// Sources with one definition; the line that holds `HERE` in a comment is the one.
const DEFINITIONS: [(&str, &str); 38] = [
    (
        "a.ts",
        "const s = new McpServer(info);\ns.registerTool(\"get_weather\", { // HERE\n  inputSchema: { city: z.string() },\n}, run);",
    ),
    (
        "a.ts",
        "// get_weather tells the weather\ns.registerTool(\n  'get_weather', // HERE\n  {}, async () => client.callTool({ name: 'get_weather', arguments: {} }));",
    ),
    (
        "a.mts",
        "server.tool(`get_weather`, 'The weather', { city: z.string() }, handler); // HERE",
    ),
    (
        "a.ts",
        "export const tools: Tool[] = [\n  {\n    name: 'get_weather', // HERE\n    description: 'x',\n    inputSchema: { type: 'object' },\n  },\n];\nswitch (request.params.name) {\n  case 'get_weather': return weather();\n}",
    ),
    (
        "a.ts",
        "server.addTool({\n  description: 'x',\n  name: 'get_weather', // HERE\n  execute: async () => 'y',\n});",
    ),
    (
        "a.ts",
        "registerAppTool<In>(server, 'get_weather', { title: 'W' }, f); // HERE",
    ),
    (
        "a.ts",
        "class Weather {\n  @Tool({ name: 'get_weather', description: 'x' }) // HERE\n  run() {}\n}",
    ),
    (
        "a.ts",
        "export default defineTool({\n  name: \"get_weather\", // HERE\n  parameters: z.object({}),\n});",
    ),
    (
        "a.ts",
        "const tools = {\n  get_weather: { // HERE\n    description: 'x',\n    handler: run,\n  },\n};",
    ),
    (
        "a.ts",
        "export const tools = {\n  get_weather: tool({ // HERE\n    description: 'x',\n  }),\n};",
    ),
    (
        "a.js",
        "const re = /['\"]get_weather/;\nserver.registerTool('get_weather', {}, f); // HERE",
    ),
    (
        "a.ts",
        "const TOOL = 'get_weather';\nserver.registerTool(TOOL, {}, f); // HERE",
    ),
    (
        "a.py",
        "@mcp.tool()\nasync def get_weather(city: str) -> str:  # HERE\n    \"\"\"Calls get_weather.\"\"\"\n    return await client.call_tool('get_weather', {})",
    ),
    (
        "a.py",
        "@mcp.tool\ndef get_weather(city: str): # HERE\n    ...",
    ),
    (
        "a.py",
        "@app.route('/x')\n@mcp.tool(description=\"a (b\")\n@cached(ttl=3)\ndef get_weather(): # HERE\n    pass",
    ),
    (
        "a.py",
        "@mcp.tool(name=\"get_weather\") # HERE\ndef weather():\n    pass",
    ),
    (
        "a.py",
        "@mcp.tool('get_weather') # HERE\ndef weather(): pass",
    ),
    (
        "a.py",
        "return [\n    types.Tool(\n        name=\"get_weather\", # HERE\n        description='''get_weather\n        tells''',\n        inputSchema={},\n    )\n]\nif name == \"get_weather\":\n    pass",
    ),
    (
        "a.py",
        "TOOLS = [{'description': 'x', 'name': 'get_weather', 'input_schema': {}}] # HERE",
    ),
    ("a.py", "mcp.add_tool(fetch, name='get_weather') # HERE"),
    (
        "a.py",
        "def get_weather(): ...\n\nmcp.add_tool(get_weather) # HERE",
    ),
    (
        "a.py",
        "TOOLS = {\n  \"get_weather\": { # HERE\n    \"description\": \"x\",\n    \"handler\": f,\n  },\n}",
    ),
    (
        "a.rs",
        "#[tool_router]\nimpl Weather {\n    /// Calls get_weather.\n    #[tool(description = \"x\")]\n    pub async fn get_weather(&self) {} // HERE\n}",
    ),
    (
        "a.rs",
        "#[tool(name = \"get_weather\", description = \"x\")] // HERE\nasync fn weather(&self) {}",
    ),
    (
        "a.rs",
        "#[mcp_tool(name = \"get_weather\", idempotent_hint = true)] // HERE\npub struct Weather {}",
    ),
    (
        "a.rs",
        "let tool = Tool {\n    name: \"get_weather\".into(), // HERE\n    input_schema: schema,\n};",
    ),
    (
        "a.rs",
        "let tool = Tool::new(\n    \"get_weather\", // HERE\n    \"x\", schema);",
    ),
    (
        "a.rs",
        "json!({\"tools\": [{\"name\": \"get_weather\", \"inputSchema\": {\"type\": \"object\"}}]}) // HERE",
    ),
    (
        "a.go",
        "mcp.AddTool(server, &mcp.Tool{\n\tName: \"get_weather\", // HERE\n\tDescription: \"x\",\n}, Weather)\nclient.CallTool(ctx, &mcp.CallToolParams{Name: \"get_weather\"})",
    ),
    (
        "a.go",
        "tool := mcp.NewTool(\"get_weather\", // HERE\n\tmcp.WithDescription(\"x\"))",
    ),
    (
        "a.go",
        "mcp.AddTool[In, Out](server, &mcp.Tool{Name: `get_weather`}, f) // HERE",
    ),
    (
        "A.java",
        "class W {\n  @Tool(description = \"x\")\n  public List<String> get_weather(String city) { // HERE\n    return null;\n  }\n}",
    ),
    (
        "A.java",
        "@McpTool(name = \"get_weather\", description = \"x\") // HERE\npublic String weather() { return \"\"; }",
    ),
    (
        "A.java",
        "var tool = McpSchema.Tool.builder()\n    .name(\"get_weather\") // HERE\n    .description(\"x\")\n    .build();",
    ),
    (
        "A.java",
        "new McpServerFeatures.SyncToolSpecification(\n  new McpSchema.Tool(\"get_weather\", \"x\", schema), // HERE\n  handler);",
    ),
    (
        "a.kt",
        "server.addTool(\n    name = \"get_weather\", // HERE\n    description = \"\"\"\n      get_weather\n    \"\"\",\n) { request -> }",
    ),
    (
        "A.cs",
        "[McpServerToolType]\npublic static class Weather {\n  [McpServerTool, Description(\"x\")]\n  public static async Task<string> GetWeatherAsync(string city) { } // HERE\n}",
    ),
    (
        "A.cs",
        "[McpServerTool(Name = \"get_weather\")] // HERE\npublic string[] Fetch() => [];",
    ),
];

#[test]
fn definitions_of_the_sdks() {
    for (path, text) in DEFINITIONS {
        let line = text
            .lines()
            .position(|line| line.contains("HERE"))
            .expect("a mark")
            + 1;
        let wanted = Some((path.to_owned(), line as u64));
        assert_eq!(tool(&[(path, text)]), wanted, "{path}:\n{text}");
        // A test, a call elsewhere, the README and a lock file change nothing.
        let noise = [
            ("README.md", "server.registerTool(\"get_weather\")"),
            (
                "src/weather.test.ts",
                "server.registerTool('get_weather', {}); expect(tool.name).toBe('get_weather');",
            ),
            (
                "tests/test_weather.py",
                "@mcp.tool()\ndef get_weather(): ...",
            ),
            (
                "client.ts",
                "await client.callTool({ name: 'get_weather', arguments: {} });",
            ),
            ("node_modules/x/index.js", "server.tool('get_weather', {})"),
            ("dist/server.js", "server.tool('get_weather', {})"),
        ];
        let all: Vec<_> = noise.into_iter().chain([(path, text)]).collect();
        assert_eq!(tool(&all), wanted, "with noise, {path}:\n{text}");
    }
}

#[test]
fn what_defines_nothing() {
    for (path, text) in [
        ("README.md", "server.registerTool('get_weather')"),
        (
            "a.ts",
            "// server.registerTool('get_weather', {})\n/* name: 'get_weather', inputSchema */",
        ),
        (
            "a.ts",
            "const help = `server.registerTool('get_weather', {})`;",
        ),
        (
            "a.ts",
            "await client.callTool({ name: 'get_weather', arguments: { city } });",
        ),
        (
            "a.ts",
            "const call = { name: 'get_weather', arguments: { city } };",
        ),
        (
            "a.ts",
            "expect(names).toContain('x'); console.log('get_weather');",
        ),
        (
            "a.ts",
            "server.registerTool('get_weather_v2', {}, f); get_weather();",
        ),
        ("a.py", "# @mcp.tool()\ndef get_weather(): pass"),
        (
            "a.py",
            "@mcp.tool()\ndef other(): pass\n\ndef get_weather(): pass",
        ),
        ("a.py", "@mcp.tool(name='other')\ndef get_weather(): pass"),
        (
            "a.py",
            "\"\"\"\n@mcp.tool()\ndef get_weather(): pass\n\"\"\"",
        ),
        ("a.py", "await session.call_tool('get_weather', {})"),
        (
            "a.rs",
            "/* #[tool] */ fn get_weather() {}\n#[tool(name = \"other\")]\nfn get_weather() {}",
        ),
        (
            "a.go",
            "// Name: \"get_weather\"\nsession.CallTool(ctx, &mcp.CallToolParams{Name: \"get_weather\"})",
        ),
        (
            "A.java",
            "@Override public String get_weather() { return \"\"; }",
        ),
        ("A.cs", "[Obsolete] public string GetWeather() => \"\";"),
        (
            "a.json",
            "{\"calls\": [\"get_weather\"], \"name\": \"get_weather\"}",
        ),
        ("a.min.js", "s.tool('get_weather',{})"),
        ("tests/a.ts", "if (name === 'get_weather') {}"),
    ] {
        assert_eq!(tool(&[(path, text)]), None, "{path}:\n{text}");
    }
}

#[test]
fn a_bare_name_is_a_last_resort() {
    let switch = "switch (name) {\n  case 'get_weather': return 1;\n}";
    assert_eq!(tool(&[("a.ts", switch)]), Some(("a.ts".to_owned(), 2)));
    assert_eq!(
        tool(&[("a.ts", switch), ("b.ts", switch)]),
        None,
        "just words"
    );
    let mut plain = report("schema.input-valid", "search", "/result/tools/0", "m");
    let files = [("a.ts", "case 'search': break;")];
    assert_eq!(place(&mut plain, &files, Changes::default(), ""), None);
    let files = [("a.ts", "server.tool('search', {}, f)")];
    assert_eq!(
        place(&mut plain, &files, Changes::default(), ""),
        Some(("a.ts".to_owned(), 1))
    );
}

#[test]
fn a_constant_leads_to_what_registers_it() {
    let about = |name: &str| report("schema.input-valid", name, "/result/tools/0", "m");
    for (path, text, line) in [
        (
            "echo.ts",
            "const name = 'echo';\nconst config = { title: name };\n\nserver.registerTool(name, config, run);",
            4,
        ),
        (
            "echo.ts",
            "const NAME = 'echo';\ntools.push(defineTool({\n  name: NAME,\n}));",
            3,
        ),
        (
            "echo.py",
            "class Names(str, Enum):\n    ECHO = 'echo'\n\nTool(\n    name=Names.ECHO,\n)",
            5,
        ),
        (
            "echo.rs",
            "const NAME: &'static str = \"echo\";\nTool::new(NAME, \"x\", schema)",
            2,
        ),
        (
            "echo.ts",
            "const NAME: string = 'echo';\nserver.tool(NAME, {}, run)",
            2,
        ),
        (
            "echo.go",
            "const name = \"echo\"\nmcp.AddTool(s, &mcp.Tool{Name: name}, run)",
            2,
        ),
    ] {
        let place = place(&mut about("echo"), &[(path, text)], Changes::default(), "");
        assert_eq!(place, Some((path.to_owned(), line)), "{text}");
    }
    let unused = [(
        "a.ts",
        "const name = 'echo';\nclient.callTool(name, {});\nlog(name, 1);",
    )];
    assert_eq!(
        place(&mut about("echo"), &unused, Changes::default(), ""),
        None
    );
}

#[test]
fn changed_lines_and_the_servers_folder_decide_between_equals() {
    let text = "\nserver.tool('get_weather', {}, f)";
    let files = [
        ("one/a.ts", text),
        ("two/a.ts", text),
        ("examples/three/a.ts", text),
    ];
    let about = || report("schema.input-valid", "get_weather", "/result/tools/0", "m");
    assert_eq!(
        place(&mut about(), &files, Changes::default(), ""),
        None,
        "two servers"
    );
    let mut changes = Changes::default();
    changes.patch("two/a.ts", "@@ -2 +2 @@\n-x\n+y");
    let two = Some(("two/a.ts".to_owned(), 2));
    assert_eq!(place(&mut about(), &files, changes, ""), two);
    assert_eq!(place(&mut about(), &files, Changes::default(), "two/"), two);
    let three = place(&mut about(), &files, Changes::default(), "examples/three");
    let wanted = Some(("examples/three/a.ts".to_owned(), 2));
    assert_eq!(
        three, wanted,
        "an example in the folder of the server is the server"
    );
    // A changed call is no definition.
    let mut call = Changes::default();
    call.patch("b.ts", "@@ -1 +1 @@\n+y");
    let files = [("a.ts", text), ("b.ts", "if (name === 'get_weather') x()")];
    assert_eq!(
        place(&mut about(), &files, call, ""),
        Some(("a.ts".to_owned(), 2))
    );
}

#[test]
fn prompts_resources_and_names_in_sentences() {
    let prompts = [(
        "a.ts",
        "server.tool('review', {}, f)\nserver.registerPrompt('review', {}, f)",
    )];
    let mut prompt = report("prompts.got-shape", "review", "/result/prompts/0", "m");
    assert_eq!(
        place(&mut prompt, &prompts, Changes::default(), ""),
        Some(("a.ts".to_owned(), 2))
    );
    let resources = [(
        "a.py",
        "@mcp.resource('ledger://{year}')\ndef ledger(year): ...",
    )];
    let mut resource = report(
        "resources.listed",
        "ledger://{year}",
        "/result/resourceTemplates/0",
        "m",
    );
    assert_eq!(
        place(&mut resource, &resources, Changes::default(), ""),
        Some(("a.py".to_owned(), 1))
    );
    let tools = [("a.py", "@mcp.tool()\ndef get_weather(): ...")];
    let mut sentence = report(
        "tools.icons",
        "tools/list",
        "/result/tools/2/icons/0/src",
        "an icon of `get_weather` is a file",
    );
    assert_eq!(
        place(&mut sentence, &tools, Changes::default(), ""),
        Some(("a.py".to_owned(), 2))
    );
}

#[test]
fn what_is_about_no_name_goes_to_the_rest() {
    let rest = Some(("mcp-verdict.yaml".to_owned(), 1));
    let mut version = report(
        "version.unsupported-code",
        "server/discover",
        "/error/code",
        "m",
    );
    assert_eq!(place(&mut version, &[], Changes::default(), ""), rest);
    let mut header = report("header.method-mismatch", "Mcp-Method", "", "m");
    assert_eq!(place(&mut header, &[], Changes::default(), ""), rest);
}

#[test]
fn hostile_sources_end_and_limits_hold() {
    let mut report = report("schema.input-valid", "get_weather", "/result/tools/0", "m");
    let deep = "(".repeat(100_000) + "'get_weather'";
    let many = "tool('get_weather'".repeat(20_000);
    let quotes = "\"'`".repeat(50_000) + "get_weather";
    let files = [
        ("a.ts", deep.as_str()),
        ("b.ts", &many),
        ("c.ts", &quotes),
        ("d.py", &quotes),
        ("e.rs", &quotes),
    ];
    let _ = place(&mut report, &files, Changes::default(), "");
    let search = search(&report);
    assert!(!search.wants("a.ts", verdict_place::MAX_FILE + 1));
    assert!(!search.wants("a.png", 10));
    assert!(search.wants("a.ts", 10));
}
