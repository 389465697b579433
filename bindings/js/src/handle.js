// Objects of the library: closed by the caller, or by the garbage collector.
import { isMissing, shown } from "./checks.js";
import { refuse } from "./errors.js";
import { FUNCTIONS } from "./interface.js";

// The key of the method that a `using` declaration calls. Node 18 has no Symbol.dispose. If a
// polyfill defines it, this must happen before this package is loaded; without a polyfill, the key
// is Symbol.for("Symbol.dispose").
const DISPOSE = Symbol.dispose ?? Symbol.for("Symbol.dispose");
// Frees the memory of handles that the garbage collector has collected, by a function registered
// for each handle. The function must not refer to the handle, which would then never be collected.
const registry = new FinalizationRegistry((free) => free());

/** Returns the function of the library that frees an object of a kind, such as "model". */
const destroyerOf = (kind) =>
  [`chorale_${kind}_release`, `chorale_${kind}_destroy`].find((name) => name in FUNCTIONS);

const nameOf = (handle, name) => `chorale_${handle.constructor.kind}_${name}`;

/** `static kind` of a class is the name that its objects have in C, without "chorale_". */
export class Handle {
  #native;
  #pointer;
  #free;

  /** freed: a function to call when the object is freed, which must not refer to the handle. */
  constructor(native, pointer, freed = () => {}) {
    const name = destroyerOf(new.target.kind);
    this.#native = native;
    this.#pointer = pointer;
    this.#free = () =>
      native.release(() => {
        native.raw(name, [pointer]);
        freed();
      });
    registry.register(this, this.#free, this);
  }
  close() {
    if (this.#free === null) return;
    registry.unregister(this);
    const free = this.#free;
    this.#free = null;
    this.#pointer = 0;
    free();
  }
  get closed() {
    return this.#free === null;
  }
  /**
   * Returns the address of the object of a handle, after checking that the handle is open and
   * belongs to the library `native`. `name`: what error messages call the handle.
   */
  static use(handle, native, name = handle.constructor.name) {
    if (handle.#free === null) refuse("CLOSED", `${name} is closed`);
    if (handle.#native !== native)
      refuse("WRONG_TYPE", `${name} belongs to another library: each load() gives one of its own`);
    return handle.#pointer;
  }
  static nativeOf(handle) {
    return handle.#native;
  }
  /** Runs body(native, scope, pointer) with the address of a handle's object. */
  static on(handle, body) {
    const native = handle.#native;
    const pointer = Handle.use(handle, native);
    return native.scoped((scope) => body(native, scope, pointer));
  }
  // The three functions below call a function of the library with the address of a handle's object
  // and further arguments; `name` is its name after that of the kind, such as "chain_count" for
  // chorale_model_chain_count.
  /** Returns the result of a function that returns no status. */
  static ask(handle, name, ...more) {
    const native = handle.#native;
    return native.raw(nameOf(handle, name), [Handle.use(handle, native), ...more]);
  }
  static call(handle, name, ...more) {
    const native = handle.#native;
    native.call(nameOf(handle, name), [Handle.use(handle, native), ...more]);
  }
  /** Returns the entries that a function writes to a buffer, as Native.list() does. */
  static list(handle, type, name, ...more) {
    const native = handle.#native;
    return native.list(type, nameOf(handle, name), Handle.use(handle, native), ...more);
  }
}
Object.defineProperty(Handle.prototype, DISPOSE, {
  value: Handle.prototype.close,
  writable: true,
  configurable: true,
});

/**
 * Returns the address of the object of an argument, which must be a handle of a class with this
 * kind. If `optional`, the argument may be null, and 0 is returned.
 */
export function given(native, name, value, kind, optional = false) {
  if (optional && isMissing(value)) return 0;
  if (!(value instanceof Handle) || value.constructor.kind !== kind)
    refuse(
      "WRONG_TYPE",
      `${name} is ${shown(value)}, not a ${kind[0].toUpperCase()}${kind.slice(1)}`,
    );
  return Handle.use(value, native, name);
}

/**
 * Calls a function of the library that creates an object of a kind, and returns the object's
 * address. A callback, such as the log of load(), may throw during the call: if the call creates
 * the object nevertheless, create() frees the object.
 */
export function create(kind, native, name, before, names) {
  return native.scoped((scope) => {
    const place = scope.place("uint32");
    try {
      native.call(name, [...before, place], names);
    } catch (error) {
      native.raw(destroyerOf(kind), [place.value]);
      throw error;
    }
    return place.value;
  });
}

/**
 * Returns a new handle of the class `Kind` for the object that the function chorale_NAME of the
 * library creates, where NAME is `name`.
 */
export const make = (Kind, native, name, before, names) =>
  new Kind(native, create(Kind.kind, native, `chorale_${name}`, before, names));
