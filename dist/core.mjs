// Loads the WASM core that lies beside this file, once.
import { readFileSync } from "node:fs";
import { initSync, Run, catalogue, judgeTranscript, render } from "./core.js";

initSync({ module: new WebAssembly.Module(readFileSync(new URL("./core_bg.wasm", import.meta.url))) });

export { Run, catalogue, judgeTranscript, render };
