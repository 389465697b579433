// One instance of the module: its memory, its calls, and its callbacks.
import { layout } from "../dist/layout.js";
import { ChoraleError, DETACHED, STATUS, WRONG_TYPE, inJavaScript, refuse } from "./errors.js";
import { decimal } from "./decimal.js";

const PAGE = 65536;
const DEFAULT_MEMORY = 16 * 2 ** 20; // what the module asks for at its start
const MOST_MEMORY = 4 * 2 ** 30;
const OTHER_MODULE = "wasm is not the module that this version of the package was built with";
const LEVELS = new Map([
  [10, "debug"],
  [20, "info"],
  [30, "warning"],
]);
const DECODER = new TextDecoder();
const ENCODER = new TextEncoder();

export const TYPES = {
  float64: Float64Array,
  float32: Float32Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
};

export class Native {
  static async create(module, { maximumMemory = MOST_MEMORY, log } = {}) {
    const native = new Native();
    if (
      !Number.isFinite(maximumMemory) ||
      maximumMemory < DEFAULT_MEMORY ||
      maximumMemory > MOST_MEMORY
    )
      refuse(
        STATUS.OUT_OF_RANGE,
        `maximumMemory is ${maximumMemory}; it must be from ${DEFAULT_MEMORY} to ${MOST_MEMORY}`,
      );
    const pages = { initial: DEFAULT_MEMORY / PAGE, maximum: Math.ceil(maximumMemory / PAGE) };
    try {
      native.memory = new WebAssembly.Memory(pages);
    } catch (error) {
      throw new ChoraleError(
        STATUS.OUT_OF_MEMORY,
        `out of memory: there are no ${maximumMemory} bytes of addresses; lower maximumMemory`,
        error,
      );
    }
    native.log = log;
    native.callbacks = new Map(); // by number: functions that the library calls
    native.nextCallback = 1;
    native.thrown = null; // { error }: what a callback threw during the current call
    native.depth = 0; // number of calls into the module that are under way
    native.pending = []; // functions to call when no call is under way any more
    native.broken = null; // a fault that left the module in an unknown state
    try {
      ({ exports: native.exports } = await WebAssembly.instantiate(module, native.imports()));
    } catch (error) {
      throw new ChoraleError(STATUS.FILE_FORMAT, `${OTHER_MODULE}: ${error.message}`, error);
    }
    const { _initialize: initialize, chorale_js_header: header } = native.exports;
    initialize?.();
    if (header === undefined || header() >>> 0 !== layout.header)
      refuse(STATUS.FILE_FORMAT, OTHER_MODULE);
    native.host = native.exports.chorale_js_host();
    native.error = native.allocate(layout.structs.chorale_error.size);
    return native;
  }

  imports() {
    const guarded = (call) => {
      try {
        return call() ? 1 : 0;
      } catch (error) {
        this.thrown ??= { error };
        return 1;
      }
    };
    return {
      env: {
        memory: this.memory,
        emscripten_notify_memory_growth() {},
      },
      chorale: {
        decimal: (number, form, digits, to, capacity) => {
          const text = decimal(number, form, digits);
          if (text.length > capacity) return -1;
          const bytes = this.bytes(to, text.length);
          for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
          return text.length;
        },
        score: (user, counts, values, members, to) =>
          guarded(() => {
            const told = Float64Array.from(
              new BigInt64Array(this.memory.buffer, counts, values),
              Number,
            );
            const score = this.callbacks.get(user)(told, Number(members));
            this.view.setFloat64(to, typeof score === "number" ? score : NaN, true);
            return false;
          }),
        release: (user) => void this.callbacks.delete(user),
        progress: (user, at) => guarded(() => this.callbacks.get(user)(at) === true),
        log: (level, message) =>
          guarded(() => {
            this.log?.(this.text(message), LEVELS.get(level) ?? "warning");
          }),
      },
      wasi_snapshot_preview1: {
        clock_time_get: (clock, precision, to) => {
          this.view.setBigInt64(to, BigInt(Math.round(performance.now() * 1e6)), true);
          return 0;
        },
        proc_exit: (code) => {
          throw new Error(`the module ended with ${code}`);
        },
      },
    };
  }

  /** Keeps a function that the library may call by a number, and returns this number. */
  keep(callback) {
    const number = this.nextCallback++;
    this.callbacks.set(number, callback);
    return number;
  }

  // ---- Memory ----------------------------------------------------------------------------------

  /** Returns a view of the memory, which is valid until the memory grows. */
  get view() {
    if (this.data?.buffer !== this.memory.buffer) this.data = new DataView(this.memory.buffer);
    return this.data;
  }
  bytes(at, length) {
    return new Uint8Array(this.memory.buffer, at, length);
  }
  array(type, at, length) {
    return new TYPES[type](this.memory.buffer, at, length);
  }
  /** Returns the text at an address: `length` bytes, or without `length` up to a NUL. */
  text(at, length) {
    if (length === undefined) {
      const bytes = new Uint8Array(this.memory.buffer, at);
      length = bytes.indexOf(0);
    }
    return DECODER.decode(this.bytes(at, length));
  }
  allocate(bytes) {
    if (bytes >= MOST_MEMORY)
      throw new ChoraleError(STATUS.OUT_OF_MEMORY, `out of memory: ${bytes} bytes do not fit`);
    const at = this.exports.chorale_js_allocate(bytes) >>> 0;
    if (at === 0)
      throw new ChoraleError(
        STATUS.OUT_OF_MEMORY,
        `out of memory: there are no ${bytes} bytes more`,
      );
    return at;
  }
  free(at, bytes) {
    this.exports.chorale_js_free(at, bytes);
  }

  // ---- Structs ---------------------------------------------------------------------------------

  set(struct, at, fields) {
    const { fields: places } = structOf(struct);
    for (const [name, value] of Object.entries(fields)) {
      const [offset, type] = places[name];
      if (type === "q") this.view.setBigInt64(at + offset, BigInt(value), true);
      else if (type === "d") this.view.setFloat64(at + offset, value, true);
      else this.view.setInt32(at + offset, value, true);
    }
  }
  get(struct, at, field) {
    return this.field(at, ...structOf(struct).fields[field]);
  }
  field(at, offset, type) {
    if (type === "q") return Number(this.view.getBigInt64(at + offset, true));
    if (type === "d") return this.view.getFloat64(at + offset, true);
    return type === "i"
      ? this.view.getInt32(at + offset, true)
      : this.view.getUint32(at + offset, true);
  }
  /**
   * Returns an object with the fields of the struct at an address, by their JavaScript names:
   * constants as words, flags as booleans.
   */
  read(struct, at) {
    const read = {};
    for (const [name, offset, type, told] of READ.get(struct)) {
      const value = this.field(at, offset, type);
      read[name] = told === undefined ? value : told(value);
    }
    return read;
  }

  // ---- Calls -----------------------------------------------------------------------------------

  /**
   * Calls a function of the library, named `name`, whose last argument is an error struct; `given`
   * holds the other arguments. If a callback threw during the call, throws the same exception.
   * Otherwise throws an error if the status is not OK. `names`: for the error message, the
   * JavaScript names of arguments by their C names; they take precedence over the rules of
   * errors.js.
   */
  call(name, given, names) {
    const before = this.thrown; // what was thrown in an outer call, if its callback makes this call
    this.thrown = null;
    let status;
    let thrown;
    try {
      status = this.raw(name, [...given, this.error]);
    } finally {
      thrown = this.thrown;
      this.thrown = before;
    }
    if (thrown && (status === 0 || status === STATUS.CALLBACK_STOPPED)) throw thrown.error;
    if (status === 0) return;
    const told = this.text(this.error + layout.structs.chorale_error.fields.message[0]);
    const error = new ChoraleError(status, inJavaScript(told, names));
    error.message ||= error.statusName;
    throw error;
  }

  /** Calls any function of the library and returns its result; 64-bit integers become numbers. */
  raw(name, given) {
    if (this.broken)
      throw new ChoraleError(
        STATUS.INTERNAL,
        "the library failed earlier; load another",
        this.broken,
      );
    const types = layout.functions[name];
    const values = given.map((value, i) => (types[i + 1] === "q" ? BigInt(value) : value));
    const stack = this.exports.stackSave();
    ++this.depth;
    try {
      const result = this.exports[name](...values);
      return typeof result === "bigint"
        ? Number(result)
        : types[0] === "p" || types[0] === "z"
          ? result >>> 0
          : result;
    } catch (error) {
      this.broken = error;
      this.exports.stackRestore(stack);
      throw new ChoraleError(STATUS.INTERNAL, `an internal fault of the library: ${error}`, error);
    } finally {
      if (--this.depth === 0) for (const free of this.pending.splice(0)) if (!this.broken) free();
    }
  }

  /**
   * Calls `free` at once, or, during a call of the library, after the outermost call has returned.
   */
  release(free) {
    if (this.depth > 0) this.pending.push(free);
    else if (!this.broken) free();
  }

  /** Runs body(scope), and frees all allocations of the scope afterwards. */
  scoped(body) {
    const scope = new Scope(this);
    try {
      return body(scope);
    } finally {
      scope.end();
    }
  }
}

const camelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const structOf = (name) => layout.structs[`chorale_${name}`];
/**
 * Returns an object that maps words to the numbers of all constants with a prefix:
 * wordsOf("CHORALE_JOINT_").auto is CHORALE_JOINT_AUTO.
 */
export const wordsOf = (prefix) =>
  Object.fromEntries(
    Object.entries(layout.constants)
      .filter(([constant]) => constant.startsWith(prefix))
      .map(([constant, number]) => [
        constant.slice(prefix.length).toLowerCase().replaceAll("_", "-"),
        number,
      ]),
  );
/** Returns a function that converts a field: one of the kind `kind` in dist/layout.js. */
function tellerOf(kind) {
  if (kind === undefined) return undefined;
  if (kind === "flag") return (value) => value !== 0;
  const words = new Map(
    Object.entries(wordsOf(`CHORALE_${kind}_`)).map(([word, number]) => [number, word]),
  );
  if (kind === "WARNING") return (value) => [...words].filter(([n]) => value & n).map(([, word]) => word);
  return (value) => words.get(value) ?? "unknown";
}
/**
 * For each struct the fields that read() returns, each with its name in JavaScript, its offset, its
 * type, and what converts it.
 */
const READ = new Map(
  Object.entries(layout.structs).map(([struct, { fields }]) => [
    struct.slice("chorale_".length),
    Object.entries(fields)
      .filter(([name]) => name !== "struct_size" && name !== "reserved")
      .map(([name, [offset, type, kind]]) => [camelCase(name), offset, type, tellerOf(kind)]),
  ]),
);
export const sizeOf = (name) => structOf(name).size;

/** Memory of the library for the arguments of one call, freed together by end(). */
class Scope {
  constructor(native) {
    this.native = native;
    this.blocks = [];
  }
  allocate(bytes) {
    const at = this.native.allocate(bytes);
    this.blocks.push([at, bytes]);
    return at;
  }
  zeros(bytes) {
    const at = this.allocate(bytes);
    this.native.bytes(at, bytes).fill(0);
    return at;
  }
  end() {
    if (this.native.broken) return;
    for (const [at, bytes] of this.blocks) this.native.free(at, bytes);
  }
  /** Allocates a struct of zeros, which mean the defaults, and then sets `fields`. */
  struct(name, fields = {}) {
    const { size } = structOf(name);
    const at = this.zeros(size);
    this.native.set(name, at, { ...fields, struct_size: size });
    return at;
  }
  /** Allocates 8 bytes of zeros, to which the library writes a result, and returns the address. */
  place() {
    const at = this.allocate(8);
    this.native.view.setBigInt64(at, 0n, true);
    return at;
  }
  number(at) {
    return Number(this.native.view.getBigInt64(at, true));
  }
  address(at) {
    return this.native.view.getUint32(at, true);
  }
  /**
   * Copies an array of numbers to one of the type `type`, checking each entry, and returns its address;
   * 0 (NULL) if no array is given.
   */
  numbers(type, name, given) {
    if (isMissing(given)) return 0;
    const count = arrayOf(name, given).length;
    const at = this.allocate(count * TYPES[type].BYTES_PER_ELEMENT);
    copyInto(this.native.array(type, at, count), name, given);
    return at;
  }
  /** Does the same as numbers(), for an array that must be given and have `count` entries. */
  sized(type, name, given, count) {
    return this.numbers(type, name, length(name, arrayOf(name, given), count));
  }
  /**
   * Returns the address of `count` token ids, -1 where the caller's token is nothing; 0 if there are
   * none.
   */
  tokens(given, count) {
    if (given === null || given === undefined) return 0;
    const all = arrayOf("tokens", given);
    const ids = all instanceof Int32Array ? all : Array.from(all, (id) => (isNothing(id) ? -1 : id));
    return this.sized("int32", "tokens", ids, count);
  }
  /** Copies flags as bytes 0 and 1, and returns their address; 0 if there are none. */
  flags(name, given) {
    if (given === null || given === undefined) return 0;
    const array = arrayOf(name, given);
    const at = this.allocate(array.length);
    const bytes = this.native.bytes(at, array.length);
    for (let i = 0; i < bytes.length; ++i) bytes[i] = array[i] ? 1 : 0;
    return at;
  }
  /** Copies a text in UTF-8, and returns its address and its number of bytes. */
  utf8(name, text) {
    if (typeof text !== "string") refuse(WRONG_TYPE, `${name} is ${shown(text)}, not a text`);
    const bytes = ENCODER.encode(text);
    const at = this.allocate(bytes.length);
    this.native.bytes(at, bytes.length).set(bytes);
    return [at, bytes.length];
  }
  /** Converts texts to an array of chorale_text, and returns its address. */
  texts(name, texts) {
    const encoded = texts.map((text, i) => this.utf8(`${name}[${i}]`, text));
    const size = sizeOf("text");
    const at = this.allocate(size * encoded.length);
    encoded.forEach(([bytes, length], i) =>
      this.native.set("text", at + i * size, { bytes, length }),
    );
    return at;
  }
  /** Writes addresses to an array of pointers, and returns the address of the array. */
  pointers(addresses) {
    const at = this.allocate(4 * addresses.length);
    addresses.forEach((address, i) => this.native.view.setUint32(at + 4 * i, address, true));
    return at;
  }
}

// ---- Arguments ---------------------------------------------------------------------------------

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

/**
 * Returns an argument that is an array, after checking that it has a length. A typed array with a detached buffer is an error.
 */
export function arrayOf(name, given) {
  if (ArrayBuffer.isView(given) && isDetached(given.buffer))
    refuse(
      DETACHED,
      `${name} is an array whose buffer is detached: ` +
        "it was transferred, or it was a view of a memory that has grown",
    );
  const wrong =
    given === null ||
    typeof given !== "object" ||
    !Number.isSafeInteger(given.length) ||
    given instanceof DataView;
  if (wrong) refuse(WRONG_TYPE, `${name} is ${shown(given)}, not an array of numbers`);
  return given;
}

const INT32 = [-(2 ** 31), 2 ** 31 - 1];
const SAFE = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
const checkRange = (name, value, [least, most]) => {
  if (value < least || value > most)
    refuse(STATUS.OUT_OF_RANGE, `${name} is ${value}; it must be from ${least} to ${most}`);
};

/** Copies numbers to a typed array of the library. `name`: their name in error messages. */
export function copyInto(to, name, given) {
  const floats = to instanceof Float64Array || to instanceof Float32Array;
  if (
    floats &&
    (given instanceof Float64Array || given instanceof Float32Array || isIntegers(given))
  )
    return void to.set(given);
  if (to.constructor === given.constructor) return void to.set(given);
  const range = to instanceof Int32Array ? INT32 : SAFE;
  const longs = to instanceof BigInt64Array;
  for (let i = 0; i < to.length; ++i) {
    const value = typeof given[i] === "bigint" && !floats ? Number(given[i]) : given[i];
    if (typeof value !== "number")
      refuse(WRONG_TYPE, `${name}[${i}] is ${shown(given[i])}, not a number`);
    if (!floats && !Number.isInteger(value))
      refuse(WRONG_TYPE, `${name}[${i}] is ${value}, not an integer`);
    if (!floats) checkRange(`${name}[${i}]`, value, range);
    to[i] = longs ? BigInt(value) : value;
  }
}
const isIntegers = (given) =>
  ArrayBuffer.isView(given) && !(given instanceof BigInt64Array || given instanceof BigUint64Array);

export function integer(name, value) {
  if (typeof value === "bigint") value = Number(value);
  if (typeof value !== "number" || !Number.isInteger(value))
    refuse(WRONG_TYPE, `${name} is ${shown(value)}, not an integer`);
  checkRange(name, value, SAFE);
  return value;
}
export function atLeast(name, value, least) {
  value = integer(name, value);
  if (value < least) refuse(STATUS.SIZE, `${name} is ${value}; it must be at least ${least}`);
  return value;
}
export function int32(name, value) {
  value = integer(name, value);
  checkRange(name, value, INT32);
  return value;
}
export function real(name, value) {
  if (typeof value !== "number") refuse(WRONG_TYPE, `${name} is ${shown(value)}, not a number`);
  return value;
}
/** Returns the number that `numbers` has for a word; any other value is an error. */
export function chosen(name, word, numbers) {
  if (typeof word === "string" && Object.hasOwn(numbers, word)) return numbers[word];
  const known = Object.keys(numbers).map((other) => `"${other}"`);
  refuse(
    typeof word === "string" ? STATUS.UNKNOWN_CONSTANT : WRONG_TYPE,
    `${name} is ${shown(word)}; there are ${known.join(", ")}`,
  );
}
/**
 * Returns an argument that must be an object whose keys are all in `known`; {} if the argument is
 * absent.
 */
export function optionsOf(given, known, argument = "options") {
  if (given === undefined || given === null) return {};
  if (typeof given !== "object" || Array.isArray(given))
    refuse(WRONG_TYPE, `${argument} is ${shown(given)}, not an object`);
  for (const name of Object.keys(given))
    if (!known.includes(name))
      refuse(WRONG_TYPE, `${argument}.${name} is not known; there are ${known.join(", ")}`);
  return given;
}
export function length(name, array, expected, status = STATUS.SHAPE) {
  if (array.length !== expected)
    refuse(status, `${name} has ${array.length} entries; it must have ${expected}`);
  return array;
}
export const constants = layout.constants;
