// Runs: collective inference over a model (run.h).
import { STATUS, WRONG_TYPE, refuse } from "./errors.js";
import { Handle, create, given } from "./handle.js";
import {
  arrayOf,
  atLeast,
  chosen,
  constants,
  integer,
  length,
  optionsOf,
  real,
  shown,
  sizeOf,
  wordsOf,
} from "./native.js";
import { Model } from "./model.js";
import { result } from "./potential.js";
import { Problem } from "./problem.js";

// The C names of options, by their JavaScript names. NUMBERS: integers, with the least that is
// allowed. FLAGS: options that are true or false. WORDS: options given by words, with the constant
// of each word.
const NUMBERS = {
  rounds: ["rounds", 0],
  beamWidth: ["beam_width", 1],
  maxStates: ["max_states", 1],
  boundSteps: ["bound_steps", 0],
};
const FLAGS = {
  exactMarginals: "exact_marginals",
  restrictRange: "restrict_range",
  edits: "edits",
};
// What is written for "none" where 0 means the default.
export const NOTHING = wordsOf("CHORALE_NO_");
const WORDS = {
  algorithm: ["algorithm", wordsOf("CHORALE_ALGORITHM_")],
  jointMode: ["joint_mode", wordsOf("CHORALE_JOINT_")],
  messageElement: ["message_element", wordsOf("CHORALE_MESSAGES_")],
};
export const RUN_OPTIONS = [
  ...Object.keys(NUMBERS),
  ...Object.keys(FLAGS),
  "localSearch",
  ...Object.keys(WORDS),
  "damping",
  "effort",
  "timeLimit",
  "progress",
];

export function limit(seconds) {
  if (seconds === null || seconds === undefined) return Infinity;
  if (!(real("timeLimit", seconds) >= 0))
    refuse(STATUS.OUT_OF_RANGE, `timeLimit is ${seconds}; it must be 0 or more, or null for none`);
  return seconds || -1; // in C, 0 is for the default
}

/**
 * Converts options to the fields of chorale_run_options, except progress. The names of the options
 * must have been checked.
 */
export function runFields(options) {
  const fields = {};
  for (const [name, [field, least]] of Object.entries(NUMBERS))
    if (options[name] !== undefined) fields[field] = atLeast(name, options[name], least);
  if (fields.rounds === 0) fields.rounds = NOTHING.rounds; // in C, 0 is for the default
  if (options.localSearch !== undefined) fields.no_local_search = options.localSearch ? 0 : 1;
  for (const [name, field] of Object.entries(FLAGS))
    if (options[name] !== undefined) fields[field] = options[name] ? 1 : 0;
  for (const [name, [field, numbers]] of Object.entries(WORDS))
    if (options[name] !== undefined) fields[field] = chosen(name, options[name], numbers);
  if (options.damping !== undefined) fields.damping = real("damping", options.damping);
  if (options.effort !== undefined) fields.effort = real("effort", options.effort);
  fields.time_limit = limit(options.timeLimit);
  return fields;
}

/**
 * Keeps a progress function, and returns the number by which the library calls it; 0 if there is no
 * function. The library passes the address of a struct; the function receives an object with the
 * fields of the struct.
 */
export function keepProgress(native, struct, progress) {
  if (progress === undefined || progress === null) return 0;
  if (typeof progress !== "function")
    refuse(WRONG_TYPE, `progress is ${shown(progress)}, not a function`);
  return native.keep((at) => progress(native.read(struct, at)));
}

export const modelOf = (native, model) => {
  if (!(model instanceof Problem)) return given(native, "model", model, Model);
  return native.raw("chorale_problem_model", [Handle.use(model, native, "model")]);
};

/**
 * Returns the chains that a run leaves out. call(address, size, capacity, needed) is
 * chorale_run_left_out.
 */
export const leftOutOf = (native, call) =>
  structs(native, "left_out", (at, capacity, needed) =>
    call(at, sizeOf("left_out"), capacity, needed),
  );

export const entriesOf = (native, struct, at, count) =>
  Array.from({ length: count }, (_, i) => native.read(struct, at + i * sizeOf(struct)));

/**
 * Returns an array of objects from the structs that call(address, capacity, needed) writes to a
 * buffer.
 */
export function structs(native, struct, call) {
  return native.scoped((scope) => {
    const needed = scope.place();
    call(0, 0, needed);
    const count = scope.number(needed);
    if (count === 0) return [];
    const at = scope.allocate(count * sizeOf(struct));
    call(at, count, needed);
    return entriesOf(native, struct, at, count);
  });
}

/** Returns the text that call(address, capacity, needed) writes to a buffer, ending in NUL. */
export function textOf(native, call) {
  return native.scoped((scope) => {
    const needed = scope.place();
    call(0, 0, needed);
    const bytes = native.view.getUint32(needed, true);
    const at = scope.allocate(bytes);
    call(at, bytes, needed);
    return native.text(at, bytes - 1);
  });
}

const ALL_NAMES = { count: "labels.length" };

export class Run extends Handle {
  #model; // the address of the model
  constructor(native, pointer, model, progress) {
    super(native, pointer, (at) => {
      native.raw("chorale_run_destroy", [at]);
      native.callbacks.delete(progress);
    });
    this.#model = model;
  }
  #call(name, ...before) {
    const native = Handle.nativeOf(this);
    native.call(`chorale_run_${name}`, [Handle.use(this, native), ...before]);
  }
  result() {
    const native = Handle.nativeOf(this);
    return native.scoped((scope) => {
      const at = scope.struct("run_result");
      this.#call("get_result", at);
      return native.read("run_result", at);
    });
  }
  #ints(name, options, ...before) {
    const native = Handle.nativeOf(this);
    const { own } = optionsOf(options, ["own"]);
    const given = [...before, own ? 1 : 0];
    const count = native.scoped((scope) => {
      const needed = scope.place();
      this.#call(name, ...given, 0, 0, needed);
      return scope.number(needed);
    });
    return result(
      native,
      "int32",
      count,
      (at) => count > 0 && this.#call(name, ...given, at, count, 0),
    );
  }
  leftOut() {
    return leftOutOf(Handle.nativeOf(this), (...to) => this.#call("left_out", ...to));
  }
  /** Returns the number of a chain for the library; without a chain, the one for all chains. */
  #chains(chain) {
    return chain === undefined || chain === null
      ? constants.CHORALE_ALL_CHAINS
      : integer("chain", chain);
  }
  labels(chain, options) {
    return this.#ints("labels", options, this.#chains(chain));
  }
  values(clique, options) {
    return this.#ints("values", options, integer("clique", clique));
  }
  chainScore(chain, options) {
    const native = Handle.nativeOf(this);
    const { own } = optionsOf(options, ["own"]);
    return native.scoped((scope) => {
      const at = scope.place();
      this.#call("chain_score", integer("chain", chain), own ? 1 : 0, at, 0);
      return native.view.getFloat64(at, true);
    });
  }
  reasons(chain) {
    const of = this.#chains(chain);
    return structs(Handle.nativeOf(this), "reason", (at, capacity, needed) =>
      this.#call("reasons", of, at, sizeOf("reason"), capacity, needed),
    );
  }

  solve() {
    const native = Handle.nativeOf(this);
    return native.scoped((scope) => {
      const at = scope.struct("run_result");
      this.#call("solve", at);
      return native.read("run_result", at);
    });
  }

  setAllowed(chain, position, allowed) {
    const native = Handle.nativeOf(this);
    Handle.use(this, native);
    native.scoped((scope) => {
      integer("chain", chain);
      let at = 0;
      if (allowed !== null) {
        const labels = this.#shape(chain).labels;
        at = scope.flags("allowed", length("allowed", arrayOf("allowed", allowed), labels));
      }
      this.#call("set_allowed", chain, integer("position", position), at);
    });
  }
  setStrength(clique, factor) {
    this.#call("set_strength", integer("clique", clique), real("factor", factor));
  }
  setLabels(labels) {
    Handle.on(this, (native, scope, run) => {
      const count = arrayOf("labels", labels).length;
      native.call(
        "chorale_run_set_labels",
        [run, scope.numbers("int32", "labels", labels), count],
        ALL_NAMES,
      );
    });
  }

  /** Returns the number of positions and the number of labels of a chain. */
  #shape(chain) {
    const native = Handle.nativeOf(this);
    return native.scoped((scope) => {
      const at = scope.struct("chain");
      native.call("chorale_model_get_chain", [this.#model, chain, at, 0]);
      return {
        length: native.get("chain", at, "length"),
        labels: native.get("chain", at, "labels"),
      };
    });
  }
  maxMarginals(chain) {
    const native = Handle.nativeOf(this);
    Handle.use(this, native);
    const { length: T, labels } = this.#shape(integer("chain", chain));
    return native.scoped((scope) => {
      const [marginals, margins] = [scope.allocate(8 * T * labels), scope.allocate(8 * T)];
      this.#call("max_marginals", chain, marginals, 0, margins);
      return {
        marginals: native.array("float64", marginals, T * labels).slice(),
        margins: native.array("float64", margins, T).slice(),
      };
    });
  }
  probabilities(chain, options) {
    const native = Handle.nativeOf(this);
    Handle.use(this, native);
    const { temperature = 1 } = optionsOf(options, ["temperature"]);
    real("temperature", temperature);
    const { length: T, labels } = this.#shape(integer("chain", chain));
    return native.scoped((scope) => {
      const exact = scope.place();
      const probabilities = result(native, "float64", T * labels, (at) =>
        this.#call("probabilities", chain, temperature, at, 0, exact),
      );
      return { probabilities, exact: native.view.getInt32(exact, true) === 1 };
    });
  }
}

/**
 * Returns the fields of chorale_run_options for options whose names must have been checked, and the
 * number of the progress function. Who creates an object with them drops the function when the object
 * is freed.
 */
export function withProgress(native, told) {
  const progress = keepProgress(native, "progress", told.progress);
  const fields = runFields(told);
  if (progress !== 0) {
    fields.progress = native.exports.chorale_js_progress_function();
    fields.progress_user = progress;
  }
  return { fields, progress };
}

export function createRun(native, model, options) {
  const told = optionsOf(options, [...RUN_OPTIONS, "earlier"]);
  const pointer = modelOf(native, model);
  const earlier = given(native, "earlier", told.earlier, Run, true);
  const { fields, progress } = withProgress(native, told);
  try {
    return native.scoped((scope) => {
      const before = [native.host, pointer, scope.struct("run_options", fields), earlier];
      const run = create(native, "chorale_run_create", before);
      return new Run(native, run, pointer, progress);
    });
  } catch (error) {
    native.callbacks.delete(progress);
    throw error;
  }
}
