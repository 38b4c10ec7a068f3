// Lets a test import a source of the Action by itself: the library behind it is the built one.
import { register } from "node:module";

const built = new URL("../../../../../dist/core.mjs", import.meta.url).href;
const hook = `export async function resolve(specifier, context, next) {
  return specifier.endsWith("/library.mjs") ? { url: ${JSON.stringify(built)}, shortCircuit: true } : next(specifier, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
