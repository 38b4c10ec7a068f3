// A browser without a window, and the page behind a file server on loopback.
import { existsSync, readFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { chromium } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];

/** Starts the browser that the machine has. */
export function launch() {
  const executablePath = process.env.MCP_VERDICT_CHROMIUM ?? PLACES.find((file) => existsSync(file));
  if (!executablePath) throw new Error("no Chromium: `apt-get install chromium`, or name one in MCP_VERDICT_CHROMIUM");
  // The sandbox does not start for root. The rest keeps the browser's own requests away.
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return chromium.launch({ executablePath, args });
}

const TYPES = { ".html": "text/html", ".css": "text/css", ".mjs": "text/javascript", ".js": "text/javascript", ".json": "application/json", ".wasm": "application/wasm" };

/** Serves the files of a folder: `{ url, end }`. */
export async function serveFiles(folder) {
  const server = http.createServer((request, response) => {
    const name = request.url === "/" ? "index.html" : path.basename(request.url);
    const file = path.join(folder, name);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[path.extname(name)] ?? "text/plain" }).end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, end: () => server.close() };
}
