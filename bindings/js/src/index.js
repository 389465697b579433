// The package: load() gives a library with a memory of its own.
import { optionsOf, shown } from "./checks.js";
import { ChoraleError, refuse } from "./errors.js";
import { make } from "./handle.js";
import { sizeOf } from "./interface.js";
import { Native } from "./native.js";
import { potentials } from "./potential.js";
import { createTransitions, properties } from "./property.js";
import { ModelBuilder } from "./model.js";
import { bytesOf, createProblem, readProblem } from "./problem.js";
import { createRun } from "./run.js";
import { learn, readLearnt } from "./learn.js";
import { buildProblem, decode } from "./decode.js";
import { createLedger, settle } from "./table.js";

export { ChoraleError } from "./errors.js";
export { Handle } from "./handle.js";
export { Potential } from "./potential.js";
export { Property, Transitions, fire } from "./property.js";
export { Model, ModelBuilder } from "./model.js";
export { Problem } from "./problem.js";
export { Run } from "./run.js";
export { Learnt } from "./learn.js";
export { rules } from "./rules.js";
export { Ledger, answers } from "./table.js";
export { spell } from "./spelling.js";

export class Chorale {
  #native;
  constructor(native, simd) {
    this.#native = native;
    this.simd = simd;
    Object.freeze(this);
  }
  get version() {
    return this.#native.text(this.#native.raw("chorale_version", []));
  }
  get allocatedBytes() {
    // The package's own error struct, allocated once, is not counted.
    return (this.#native.exports.chorale_js_allocated() >>> 0) - sizeOf("error");
  }
  get memoryBytes() {
    return this.#native.memory.buffer.byteLength;
  }
  /**
   * Returns the `Native` object of a library, for the methods that are added to the class below.
   */
  static nativeOf(chorale) {
    return chorale.#native;
  }
}
const METHODS = {
  ...{ decode, buildProblem, settle, createLedger, createProblem, readProblem },
  ...{ createTransitions, createRun, learn, readLearnt },
  ...{ ...potentials, ...properties },
  createModelBuilder: (native) => make(ModelBuilder, native, "model_builder_create", []),
};
for (const [name, body] of Object.entries(METHODS))
  Object.defineProperty(Chorale.prototype, name, {
    value(...given) {
      return body(Chorale.nativeOf(this), ...given);
    },
    writable: true,
    configurable: true,
  });

// ---- Loading -----------------------------------------------------------------------------------

// The bytes of a module with one function that returns a vector of zeros. It is valid only where
// vector instructions are supported.
const SIMD_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15,
  253, 98, 11,
]);

export function hasSimd() {
  return typeof WebAssembly === "object" && WebAssembly.validate(SIMD_PROBE);
}

async function gunzip(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function fromFile(simd) {
  // Both file names are literals, so that bundlers find both files.
  const url = simd
    ? new URL("../dist/chorale-simd.wasm", import.meta.url)
    : new URL("../dist/chorale.wasm", import.meta.url);
  if (url.protocol === "file:" && globalThis.process?.versions?.node) {
    const name = "node:fs/promises"; // a variable: bundlers for browsers would look up a literal
    return (await import(name)).readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok)
    refuse(
      "INPUT_OUTPUT",
      `${url} could not be fetched: ${response.status} ${response.statusText}`,
    );
  return response.arrayBuffer();
}

async function moduleOf(wasm, simd) {
  if (wasm instanceof WebAssembly.Module) return wasm;
  let bytes;
  if (wasm === undefined) bytes = await fromFile(simd);
  else if (typeof wasm === "string") {
    try {
      bytes = Uint8Array.from(atob(wasm), (letter) => letter.charCodeAt(0));
    } catch (error) {
      refuse("TEXT", `wasm is a text that is not base64: ${error.message}`, error);
    }
  } else bytes = bytesOf("wasm", wasm);
  const view = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
  const code = view[0] === 0x1f && view[1] === 0x8b ? await gunzip(view) : bytes;
  try {
    return await WebAssembly.compile(code);
  } catch (error) {
    refuse("FILE_FORMAT", `wasm is not a module that this machine runs: ${error.message}`, error);
  }
}

export async function load(options) {
  const {
    wasm,
    simd = hasSimd(),
    maximumMemory,
    log,
  } = optionsOf(options, ["wasm", "simd", "maximumMemory", "log"]);
  if (log !== undefined && typeof log !== "function")
    refuse("WRONG_TYPE", `log is ${shown(log)}, not a function`);
  if (typeof WebAssembly !== "object") refuse("INTERNAL", "there is no WebAssembly here");
  const module = await moduleOf(wasm, simd);
  const native = await Native.create(module, { maximumMemory, log });
  return new Chorale(native, native.exports.chorale_js_simd() === 1);
}
