// Functions that several tests use.
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import * as library from "../src/index.js";
import { Native } from "../src/native.js";

const { ChoraleError, hasSimd, load } = library;

// With CALLED=FILE, the members of exported classes and the functions of the module that a test
// uses are written to FILE at the end, for tests/called.mjs.
const called = new Set();
if (process.env.CALLED) {
  for (const [name, kind] of Object.entries(library)) {
    if (typeof kind !== "function" || !kind.prototype) continue;
    for (const [member, described] of Object.entries(
      Object.getOwnPropertyDescriptors(kind.prototype),
    )) {
      if (member === "constructor" || !described.configurable) continue;
      for (const part of ["value", "get", "set"]) {
        const original = described[part];
        if (typeof original !== "function") continue;
        described[part] = function (...given) {
          called.add(`${name}.${member}`);
          return original.apply(this, given);
        };
      }
      Object.defineProperty(kind.prototype, member, described);
    }
  }
  const { raw } = Native.prototype;
  Native.prototype.raw = function (name, given) {
    called.add(name);
    return raw.call(this, name, given);
  };
  process.on("exit", () =>
    appendFileSync(process.env.CALLED, [...called].map((name) => `${name}\n`).join("")),
  );
}

/** Returns pairs [name, library], for the modules without and with vector instructions. */
export async function bothModules(options) {
  assert.ok(hasSimd(), "this Node has no vector instructions, and the tests are for both modules");
  const [plain, simd] = [
    await load({ simd: false, ...options }),
    await load({ simd: true, ...options }),
  ];
  assert.equal(plain.simd, false);
  assert.equal(simd.simd, true);
  return [
    ["plain", plain],
    ["simd", simd],
  ];
}

/** Checks that a call throws an error with this status and a message that matches; returns it. */
export function refused(statusName, call, message = /./) {
  let error;
  try {
    call();
  } catch (thrown) {
    error = thrown;
  }
  assert.ok(error, `no error; ${statusName} is expected`);
  assert.ok(error instanceof ChoraleError, String(error?.stack ?? error));
  assert.equal(error.statusName, statusName, error.message);
  assert.match(error.message, message);
  return error;
}

/** Returns a generator of random numbers from 0 to 1 with the given seed. [xorshift32] */
export function randomOf(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
