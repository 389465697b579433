#!/usr/bin/env node
// Writes dist/libchorale.embedded.js: the package and its WebAssembly module in one classic script,
// for pages that are opened as files. The script defines the global `libchorale` with what
// src/index.js exports.
//
//     tools/embed.mjs PACKAGE
//
// The JavaScript modules of src/ are put into one function, one after the other, each after those
// that it imports. So no two of them may declare the same name at their top level: otherwise the
// script would not be valid.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { constants, gzipSync } from "node:zlib";

const root = process.argv[2];
const order = [];
const text = new Map();
function visit(path) {
  if (text.has(path)) return;
  const source = readFileSync(path, "utf8");
  text.set(path, source);
  for (const [, imported] of source.matchAll(/^(?:import|export) [^;]*? from "(\.[^"]+)";$/gm))
    visit(join(dirname(path), imported));
  order.push(path);
}
const index = join(root, "src/index.js");
visit(index);

const exported = Object.keys(await import(pathToFileURL(index))).filter((name) => name !== "load");

/** Returns the text of a JavaScript module without imports and exports, to stand in a function. */
const partOf = (path) =>
  text
    .get(path)
    .replace(/^import [^;]*? from "\.[^"]+";\n/gm, "")
    .replace(/^export \{[^}]*\} from "\.[^"]+";\n/gm, "")
    .replace(/^export /gm, "")
    .replaceAll("import.meta.url", "undefined");
const body = order.map((path) => `// ---- ${relative(root, path)}\n${partOf(path)}`).join("\n");
const wasm = gzipSync(readFileSync(join(root, "dist/chorale-simd.wasm")), {
  level: constants.Z_BEST_COMPRESSION,
});
const script = `// libchorale in one file; see README.md. MIT licence.
globalThis.libchorale = (() => {
"use strict";
${body}
const embedded = "${wasm.toString("base64")}";
return Object.freeze({ ${exported.join(", ")},
  load: (options) => load({ ...options, wasm: options?.wasm ?? embedded }) });
})();
`;
new Function(script); // throws if the script is not valid
writeFileSync(join(root, "dist/libchorale.embedded.js"), script);
