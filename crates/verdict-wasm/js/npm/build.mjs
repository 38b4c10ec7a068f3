// Makes the npm package and the page: `node npm/build.mjs OUT [DIST]`.
//
// OUT gets `package/` (what `npm pack` packs) and `page/` (static files for any web server). Both hold the modules of
// DIST (the committed `dist/`) as they are; nothing is minified.
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { compileFromFile } from "json-schema-to-typescript";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, "../../../..");
const out = path.resolve(process.argv[2] ?? path.join(root, "target/npm"));
const dist = path.resolve(process.argv[3] ?? path.join(root, "dist"));
const version = /^\[workspace\.package\]\s[^[]*?^version = "([^"]+)"/ms.exec(readFileSync(path.join(root, "Cargo.toml"), "utf8"))[1];

const MODULES = ["core.js", "core_bg.wasm", "text.js", "text_bg.wasm", "catalogue.json"];

/** The core stays the file that `dist/` has. */
const shared = {
  name: "shared",
  setup({ onResolve }) {
    onResolve({ filter: /\/library\.mjs$/ }, () => ({ path: "./core.mjs", external: true }));
    onResolve({ filter: /\/(core|text)\.js$/ }, ({ path: file }) => ({ path: `./${path.basename(file)}`, external: true }));
  },
};

async function bundle(entryPoints, outdir, platform) {
  await build({
    absWorkingDir: here,
    entryPoints,
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // The commands are a file of their own, loaded when one of them is meant.
    splitting: true,
    chunkNames: "[name]-[hash]",
    format: "esm",
    platform,
    target: platform === "node" ? "node20" : "es2022",
    charset: "utf8",
    define: { VERSION: JSON.stringify(version) },
    banner: { js: "// Built from crates/verdict-wasm/js/npm; changes belong there." },
    plugins: [shared],
    logLevel: "warning",
  });
}

function fresh(name) {
  const folder = path.join(out, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const module of MODULES) copyFileSync(path.join(dist, module), path.join(folder, module));
  return folder;
}

async function makePackage() {
  const folder = fresh("package");
  copyFileSync(path.join(dist, "core.mjs"), path.join(folder, "core.mjs"));
  await bundle(["cli.mjs", "index.mjs"], folder, "node");
  await bundle(["browser.mjs"], folder, "browser");
  for (const name of ["index.d.ts", "README.md"]) copyFileSync(path.join(here, name), path.join(folder, name));
  for (const name of ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT"]) copyFileSync(path.join(root, name), path.join(folder, name));
  for (const name of ["report", "config", "transcript"]) {
    const types = await compileFromFile(path.join(root, `schema/${name}-v1.json`), {
      additionalProperties: false,
      bannerComment: `// Generated from schema/${name}-v1.json.`,
      format: false,
      // Long arrays of fixed length are no tuples.
      maxItems: 4,
    });
    writeFileSync(path.join(folder, `${name}.d.ts`), types);
  }
  const manifest = JSON.parse(readFileSync(path.join(here, "package.json"), "utf8"));
  writeFileSync(path.join(folder, "package.json"), `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
}

async function makePage() {
  const folder = fresh("page");
  cpSync(path.join(here, "../../page"), folder, { recursive: true });
  await bundle(["browser.mjs"], folder, "browser");
}

await makePackage();
await makePage();
