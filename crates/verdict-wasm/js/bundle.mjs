// Bundles the JavaScript for `dist/`: `node bundle.mjs OUT`, where OUT holds the modules and their glue already.
//
// Nothing is minified: what is shipped can be read and reviewed. The same input gives the same bytes everywhere.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

const out = path.resolve(process.argv[2]);
const hash = (name) => createHash("sha256").update(readFileSync(path.join(out, name))).digest("hex");
const hashes = Object.fromEntries(["core_bg.wasm", "text_bg.wasm"].map((name) => [name, hash(name)]));

// The library is one file that the entries share, and the glue stays as wasm-bindgen made it.
const shared = {
  name: "shared",
  setup({ onResolve }) {
    onResolve({ filter: /\/library\.mjs$/ }, ({ kind }) =>
      kind === "entry-point" ? undefined : { path: "./core.mjs", external: true },
    );
    onResolve({ filter: /\/(core|text)\.js$/ }, ({ path }) => ({ path, external: true }));
  },
};

await build({
  absWorkingDir: import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname),
  entryPoints: { index: "./action/index.mjs", check: "./check.mjs", core: "./library.mjs" },
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  charset: "utf8",
  define: { MODULE_HASHES: JSON.stringify(hashes) },
  banner: { js: "// Built from crates/verdict-wasm/js by `cargo xtask dist`; changes belong there." },
  plugins: [shared],
  logLevel: "warning",
});
