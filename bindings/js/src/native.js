// One instance of the module: its memory, its calls, and its callbacks.
import { layout } from "../dist/layout.js";
import { decimal } from "./decimal.js";
import { ChoraleError, STATUS, inJavaScript, refuse } from "./errors.js";
import { FUNCTIONS, STRUCTS, sizeOf, wordsOf } from "./interface.js";
import { Place, Scope, converted } from "./scope.js";

const PAGE = 65536;
const DEFAULT_MEMORY = 16 * 2 ** 20; // what the module asks for at its start
const MOST_MEMORY = 4 * 2 ** 30;
const OTHER_MODULE = "wasm is not the module that this version of the package was built with";
const LEVELS = new Map(
  Object.entries(wordsOf("CHORALE_LOG_")).map(([word, level]) => [level, word]),
);
const DECODER = new TextDecoder();
const statusName = (status) => Object.keys(STATUS).find((name) => STATUS[name] === status);
const MESSAGE = STRUCTS.error.fields.find(({ name }) => name === "message").offset;

export class Native {
  static async create(module, { maximumMemory = MOST_MEMORY, log } = {}) {
    const native = new Native();
    if (!(maximumMemory >= DEFAULT_MEMORY && maximumMemory <= MOST_MEMORY))
      refuse(
        "OUT_OF_RANGE",
        `maximumMemory is ${maximumMemory}; it must be from ${DEFAULT_MEMORY} to ${MOST_MEMORY}`,
      );
    const pages = { initial: DEFAULT_MEMORY / PAGE, maximum: Math.ceil(maximumMemory / PAGE) };
    try {
      native.memory = new WebAssembly.Memory(pages);
    } catch (error) {
      refuse(
        "OUT_OF_MEMORY",
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
      refuse("FILE_FORMAT", `${OTHER_MODULE}: ${error.message}`, error);
    }
    const { _initialize: initialize, chorale_js_header: header } = native.exports;
    initialize?.();
    if (header === undefined || header() >>> 0 !== layout.header)
      refuse("FILE_FORMAT", OTHER_MODULE);
    native.host = native.exports.chorale_js_host();
    native.error = native.allocate(sizeOf("error"));
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
  /** Returns the text at an address: `length` bytes, or without `length` up to a NUL. */
  text(at, length) {
    if (length === undefined) {
      const bytes = new Uint8Array(this.memory.buffer, at);
      length = bytes.indexOf(0);
    }
    return DECODER.decode(this.bytes(at, length));
  }
  allocate(bytes) {
    if (bytes >= MOST_MEMORY) refuse("OUT_OF_MEMORY", `out of memory: ${bytes} bytes do not fit`);
    const at = this.exports.chorale_js_allocate(bytes) >>> 0;
    if (at === 0) refuse("OUT_OF_MEMORY", `out of memory: there are no ${bytes} bytes more`);
    return at;
  }
  free(at, bytes) {
    this.exports.chorale_js_free(at, bytes);
  }

  /** Writes a number of a type, a letter as in tools/layout.py. */
  write(at, type, value) {
    if (type === "q") this.view.setBigInt64(at, BigInt(value), true);
    else if (type === "d") this.view.setFloat64(at, value, true);
    else this.view.setInt32(at, value, true);
  }
  /**
   * Returns an object with the fields of the struct at an address, by their JavaScript names:
   * constants as words, flags as booleans.
   */
  read(struct, at) {
    const value = (offset, type) => {
      if (type === "q") return Number(this.view.getBigInt64(at + offset, true));
      if (type === "d") return this.view.getFloat64(at + offset, true);
      return this.view[type === "i" ? "getInt32" : "getUint32"](at + offset, true);
    };
    return Object.fromEntries(
      STRUCTS[struct].fields.map(({ name, offset, type, told }) => [
        name,
        told(value(offset, type)),
      ]),
    );
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
    const told = this.text(this.error + MESSAGE);
    const error = new ChoraleError(statusName(status), inJavaScript(told, names));
    error.message ||= error.statusName;
    throw error;
  }

  /**
   * Calls any function of the library and returns its result; 64-bit integers become numbers.
   * Numbers are checked: error messages name them as C does. Addresses may be given as places.
   * `given`: the arguments, without the host.
   */
  raw(name, given) {
    if (this.broken) refuse("INTERNAL", "the library failed earlier; load another", this.broken);
    const { result: type, types, names } = FUNCTIONS[name];
    const all = names[0] === "host" ? [this.host, ...given] : given;
    const values = all.map((value, i) => {
      if (types[i] === "p") return value instanceof Place ? value.at : (value ?? 0);
      const number = converted(names[i], types[i], value);
      return types[i] === "q" ? BigInt(number) : number;
    });
    const stack = this.exports.stackSave();
    ++this.depth;
    try {
      const result = this.exports[name](...values);
      if (typeof result === "bigint") return Number(result);
      return type === "p" || type === "z" ? result >>> 0 : result;
    } catch (error) {
      this.broken = error;
      this.exports.stackRestore(stack);
      refuse("INTERNAL", `an internal fault of the library: ${error}`, error);
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

  /**
   * Returns the entries, numbers or structs of a type, that a function of the library writes to a
   * buffer. It is called twice: first without a buffer, for the number of entries.
   */
  list(type, name, ...before) {
    return this.scoped((scope) => {
      const needed = scope.place("int64");
      const sized = type in STRUCTS ? [sizeOf(type)] : [];
      this.call(name, [...before, 0, ...sized, 0, needed]);
      const to = scope.place(type, needed.value);
      if (to.count > 0) this.call(name, [...before, to, ...sized, to.count, needed]);
      return to.values();
    });
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
