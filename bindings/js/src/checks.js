// Checks of arguments, whose messages name the argument, its value and the rule.
import { refuse } from "./errors.js";

export function shown(value) {
  if (typeof value === "string")
    return JSON.stringify(value.length > 40 ? value.slice(0, 40) + "..." : value);
  if (typeof value === "function") return "a function";
  if (value === null || typeof value !== "object") return String(value);
  return `a ${value.constructor?.name ?? "object"}`;
}

export function isDetached(buffer) {
  if ("detached" in buffer) return buffer.detached;
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}

export const isMissing = (value) => value === null || value === undefined;
/** Returns true for what stands for "no word" and "no key": null, undefined, NaN. */
export const isNothing = (key) => isMissing(key) || Number.isNaN(key);

/** Returns an argument that is an array of anything, or another object with a length. */
export function listOf(name, given) {
  if (given === null || typeof given !== "object" || !Number.isSafeInteger(given.length))
    refuse("WRONG_TYPE", `${name} is ${shown(given)}, not an array`);
  return given;
}
/** Returns an argument that is an array of numbers. A detached buffer is an error. */
export function arrayOf(name, given) {
  if (ArrayBuffer.isView(given) && isDetached(given.buffer))
    refuse(
      "DETACHED",
      `${name} is an array whose buffer is detached: ` +
        "it was transferred, or it was a view of a memory that has grown",
    );
  return listOf(name, given);
}
/** Returns an array in which `nothing` stands for null, undefined and NaN; nothing for no array. */
export function withNothing(name, given, nothing) {
  if (isMissing(given) || ArrayBuffer.isView(given)) return given;
  return Array.from(arrayOf(name, given), (entry) => (isNothing(entry) ? nothing : entry));
}
export function length(name, array, expected) {
  if (array.length !== expected)
    refuse("SHAPE", `${name} has ${array.length} entries; it must have ${expected}`);
  return array;
}

const INT32 = [-(2 ** 31), 2 ** 31 - 1];
const SAFE = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
const checkRange = (name, value, [least, most]) => {
  if (value < least || value > most)
    refuse("OUT_OF_RANGE", `${name} is ${value}; it must be from ${least} to ${most}`);
};

export function real(name, value) {
  if (typeof value !== "number") refuse("WRONG_TYPE", `${name} is ${shown(value)}, not a number`);
  return value;
}
export function integer(name, value, range = SAFE) {
  if (typeof value === "bigint") value = Number(value);
  if (!Number.isInteger(value)) refuse("WRONG_TYPE", `${name} is ${shown(value)}, not an integer`);
  checkRange(name, value, range);
  return value;
}
export const int32 = (name, value) => integer(name, value, INT32);
export function atLeast(name, value, least) {
  value = integer(name, value);
  if (value < least) refuse("SIZE", `${name} is ${value}; it must be at least ${least}`);
  return value;
}
/** Returns the number that `numbers` has for a word; any other value is an error. */
export function chosen(name, word, numbers) {
  if (typeof word === "string" && Object.hasOwn(numbers, word)) return numbers[word];
  const known = Object.keys(numbers).map((other) => `"${other}"`);
  refuse(
    typeof word === "string" ? "UNKNOWN_CONSTANT" : "WRONG_TYPE",
    `${name} is ${shown(word)}; there are ${known.join(", ")}`,
  );
}

/** Copies numbers to a typed array of the library. `name`: their name in error messages. */
export function copyInto(to, name, given) {
  const floats = to instanceof Float64Array || to instanceof Float32Array;
  const longs = to instanceof BigInt64Array;
  const convert = floats ? real : longs ? integer : int32;
  if (to.constructor === given.constructor) return void to.set(given);
  for (let i = 0; i < to.length; ++i) {
    let value = given[i];
    const fits = typeof value === "number" && (floats || (value | 0) === value);
    if (!fits) value = convert(`${name}[${i}]`, value);
    to[i] = longs ? BigInt(value) : value;
  }
}

/**
 * Returns an argument that must be an object whose keys are all in `known`; {} if the argument is
 * absent.
 */
export function optionsOf(given, known, argument = "options") {
  if (isMissing(given)) return {};
  if (typeof given !== "object" || Array.isArray(given))
    refuse("WRONG_TYPE", `${argument} is ${shown(given)}, not an object`);
  for (const name of Object.keys(given))
    if (!known.includes(name))
      refuse("WRONG_TYPE", `${argument}.${name} is not known; there are ${known.join(", ")}`);
  return given;
}
