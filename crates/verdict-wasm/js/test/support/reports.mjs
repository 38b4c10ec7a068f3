// Reports that tests need.

/** A report with `count` findings on lines of their own. */
export function report(count, text = "m") {
  const checks = Array.from({ length: count }, (_, index) => ({
    id: `area.rule-${index}`,
    assertion: null,
    level: "must",
    outcome: index % 3 === 0 ? "warn" : "fail",
    title: "A rule",
    message: text,
    evidence: [{ subject: "a_tool", message: text, request: text, response: text }],
    fix: "Mend it.",
    specUrl: "https://modelcontextprotocol.io/specification/2026-07-28/basic#meta",
    location: { path: "src/server.ts", line: index + 1 },
  }));
  const counts = { pass: 0, fail: 0, warn: 0, info: 0, skip: 0, "n/a": 0, error: 0 };
  for (const { outcome } of checks) counts[outcome] += 1;
  return JSON.stringify({
    schema: "mcp-verdict/report/v1",
    generator: { name: "mcp-verdict", version: "0.0.0", requirements: "2026-07-28" },
    verdict: count > 0 ? "fail" : "pass",
    summary: text,
    target: { transport: "http", url: "http://127.0.0.1:1/mcp" },
    layers: { conformance: { checks, counts, durationMs: 1, requests: 1 } },
  });
}
