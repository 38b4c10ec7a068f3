// A model on loopback, by Chat Completions: it calls the tool whose name stands in the prompt, and counts what it is asked.
import http from "node:http";

/** `answer(body, count)` may give `{ status }` instead of an answer, `{ hang }`, or the words that it `says` in place of a call. Resolves to `{ url, count, end }`. */
export async function provide(answer = () => undefined) {
  const provider = { count: 0 };
  const server = http.createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = JSON.parse(Buffer.concat(pieces).toString("utf8"));
    provider.count += 1;
    const other = answer(body, provider.count);
    if (other?.hang) return;
    response.writeHead(other?.status ?? 200, { "content-type": "application/json" });
    response.end(JSON.stringify(other?.status ? { error: { message: "no" } } : completion(body, other?.says)));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  provider.url = `http://127.0.0.1:${server.address().port}/v1`;
  provider.end = () => {
    server.closeAllConnections();
    server.close();
  };
  return provider;
}

function completion({ messages, tools = [], model }, says) {
  const prompt = messages.findLast(({ role }) => role === "user")?.content;
  const text = typeof prompt === "string" ? prompt : JSON.stringify(prompt);
  const tool = !says && messages.at(-1).role === "user" && tools.map((one) => one.function.name).find((name) => text.includes(name));
  const call = { id: "call_1", type: "function", function: { name: tool, arguments: JSON.stringify({ id: "INV-1004" }) } };
  const message = tool ? { role: "assistant", content: null, tool_calls: [call] } : { role: "assistant", content: says ?? "That is done." };
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  return { id: "c", object: "chat.completion", created: 1, model, choices: [{ index: 0, message, finish_reason: tool ? "tool_calls" : "stop" }], usage };
}
