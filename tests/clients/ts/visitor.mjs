// A small client made with the TypeScript SDK: what an agent does in one visit.
//
//     MCP_SERVER_URL=http://127.0.0.1:8000/mcp node visitor.mjs
//     node visitor.mjs node server.js
//
// Every step is told on standard output, every failure on standard error; the exit code is 1 when a step failed.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const CALLS = [
  ["search_invoices", { customer: "acme", limit: 3 }],
  ["convert", { reference: "Köln 42", cents: 4200, to: "USD", exact: true }],
];

let failures = 0;

async function step(name, work) {
  try {
    for (const line of await work()) console.log(`${name}: ${line}`);
  } catch (error) {
    failures += 1;
    console.error(`${name} failed: ${error.constructor.name}: ${error.message}`);
  }
}

// Answers a form by its schema, as a user would who agrees to all.
function answer({ params }) {
  if (!params.requestedSchema) return { action: "decline" };
  const values = { boolean: true, integer: 1, number: 1, string: "yes" };
  const content = {};
  for (const [name, rule] of Object.entries(params.requestedSchema.properties ?? {})) {
    content[name] = rule.enum?.[0] ?? values[rule.type] ?? "yes";
  }
  return { action: "accept", content };
}

const client = new Client(
  { name: "visitor-ts", version: "0.1.0" },
  { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } },
);
client.setRequestHandler("elicitation/create", answer);

async function tools() {
  const names = [];
  let cursor;
  do {
    const page = await client.listTools({ cursor });
    names.push(...page.tools.map((tool) => tool.name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return names;
}

async function call(name, args) {
  const result = await client.callTool({ name, arguments: args });
  const texts = result.content.filter((block) => block.type === "text").map((block) => block.text);
  return result.isError ? texts.map((text) => `tool error: ${text}`) : texts;
}

try {
  // A command after the script starts a server on stdio.
  const [command, ...rest] = process.argv.slice(2);
  const transport = command
    ? new StdioClientTransport({ command, args: rest })
    : new StreamableHTTPClientTransport(new URL(process.env.MCP_SERVER_URL));
  await client.connect(transport);
  await step("tool", tools);
  for (const [name, args] of CALLS) await step(`call ${name}`, () => call(name, args));
  await step("tool again", tools);
  await step("resource", async () => {
    const [first] = (await client.listResources()).resources;
    const { contents } = await client.readResource({ uri: first.uri });
    return contents.map((item) => item.text);
  });
  await step("prompt", async () => {
    const [first] = (await client.listPrompts()).prompts;
    const { messages } = await client.getPrompt({ name: first.name });
    return messages.map((message) => message.content.text ?? message.content.type);
  });
  await client.close();
} catch (error) {
  failures += 1;
  console.error(`visit failed: ${error.constructor.name}: ${error.message}`);
}
process.exitCode = failures > 0 ? 1 : 0;
