// Judges beside the page, so that the page stays quick whatever it was given, and can let go of it.
import { checks, judge, parseConfig, render } from "./browser.mjs";

const REPORT = "mcp-verdict/report/v1";

async function answer({ text, address, config }) {
  const schema = schemaOf(text);
  if (schema === REPORT) return { report: text, html: await render(text, "html") };
  const settings = config.trim() ? await parseConfig(config, "configuration") : {};
  if (address) (settings.server ??= {}).url = address;
  const report = JSON.stringify(await judge(text, settings));
  return { report, html: await render(report, "html") };
}

function schemaOf(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`This is no JSON: ${error.message}`);
  }
  return value?.schema;
}

addEventListener("message", async ({ data }) => {
  try {
    if (data.do === "judge") postMessage({ did: "judge", ...(await answer(data)) });
    else if (data.do === "render") postMessage({ did: "render", format: data.format, text: await render(data.report, data.format) });
    else await checks();
  } catch (error) {
    // A fault inside the module leaves it unusable; the page takes a new worker then.
    const broken = error instanceof WebAssembly.RuntimeError;
    postMessage({ did: "fail", broken, why: broken ? `the core stopped: ${error.message}` : String(error.message) });
  }
});
