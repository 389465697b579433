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
import { Model, chainOf } from "./model.js";
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

/** Returns the chorale_run_result at an address as a RunResult. */
export function resultOf(native, at) {
  const { outcome, proven, ...told } = native.read("run_result", at);
  return {
    outcome: native.text(native.raw("chorale_outcome_name", [outcome])),
    proven: proven === 1,
    ...told,
  };
}

const OBSTACLES = { 10: "scores", 20: "transitions", 30: "cliques", 40: "undecided" };

/**
 * Returns the chains that a run leaves out. call(address, size, capacity, needed) is
 * chorale_run_left_out.
 */
export const leftOutOf = (native, call) =>
  structs(native, "left_out", (at, capacity, needed) =>
    call(at, sizeOf("left_out"), capacity, needed),
  ).map(({ chain, position, obstacle, clique }) => ({
    chain,
    position,
    obstacle: OBSTACLES[obstacle] ?? "unknown",
    clique,
  }));

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

/** The results of a run. The methods only read what has been computed. */
export class Results extends Handle {
  #run;
  /**
   * pointer: the address of the object that the handle frees. run: the address of the run whose
   * results are read. Both are the same for a `Run`; a `Prices` is an object that has a run.
   */
  constructor(native, pointer, free, run) {
    super(native, pointer, free);
    this.#run = run;
  }
  #reads(name, ...before) {
    const native = Handle.nativeOf(this);
    Handle.use(this, native);
    native.call(`chorale_run_${name}`, [this.#run, ...before]);
  }
  result() {
    const native = Handle.nativeOf(this);
    return native.scoped((scope) => {
      const at = scope.struct("run_result");
      this.#reads("get_result", at);
      return resultOf(native, at);
    });
  }
  #ints(name, options, ...before) {
    const native = Handle.nativeOf(this);
    Handle.use(this, native);
    const { own, into } = optionsOf(options, ["own", "into"]);
    const given = [this.#run, ...before, own ? 1 : 0];
    const count = native.scoped((scope) => {
      const needed = scope.place();
      native.call(`chorale_run_${name}`, [...given, 0, 0, needed]);
      return scope.number(needed);
    });
    return result(
      native,
      "int32",
      count,
      into,
      (at) => count > 0 && native.call(`chorale_run_${name}`, [...given, at, count, 0]),
    );
  }
  leftOut() {
    return leftOutOf(Handle.nativeOf(this), (...to) => this.#reads("left_out", ...to));
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
  #score(name, number, options, ...more) {
    const native = Handle.nativeOf(this);
    const { own } = optionsOf(options, ["own"]);
    return native.scoped((scope) => {
      const at = scope.place();
      this.#reads(name, number, own ? 1 : 0, at, ...more);
      return native.view.getFloat64(at, true);
    });
  }
  chainScore(chain, options) {
    return this.#score("chain_score", integer("chain", chain), options, 0);
  }
  changed(chain) {
    const native = Handle.nativeOf(this);
    return native.scoped((scope) => {
      const at = scope.place();
      this.#reads("chain_score", integer("chain", chain), 0, 0, at);
      return native.view.getInt32(at, true) === 1;
    });
  }
  cliqueScore(clique, options) {
    return this.#score("clique_score", integer("clique", clique), options);
  }
  reasons(chain) {
    const of = this.#chains(chain);
    return structs(Handle.nativeOf(this), "reason", (at, capacity, needed) =>
      this.#reads("reasons", of, at, sizeOf("reason"), capacity, needed),
    ).map(({ agreement, ...reason }) => reason);
  }
  json() {
    return textOf(Handle.nativeOf(this), (at, capacity, needed) =>
      this.#reads("json", at, capacity, needed),
    );
  }
}

export class Run extends Results {
  // { model, chains, progress }: the model's address; for each chain number passed to setChain()
  // the scope with the new scores; the number of the progress function.
  #kept;
  constructor(native, pointer, kept) {
    const free = (at) => {
      native.raw("chorale_run_destroy", [at]);
      for (const scope of kept.chains.values()) scope.end();
      native.callbacks.delete(kept.progress);
    };
    super(native, pointer, free, pointer);
    this.#kept = kept;
  }
  #call(name, ...before) {
    const native = Handle.nativeOf(this);
    native.call(`chorale_run_${name}`, [Handle.use(this, native), ...before]);
  }
  #runs(name, ...before) {
    const native = Handle.nativeOf(this);
    const run = Handle.use(this, native);
    return native.scoped((scope) => {
      const at = scope.struct("run_result");
      native.call(`chorale_run_${name}`, [run, ...before, at]);
      return resultOf(native, at);
    });
  }
  solve() {
    return this.#runs("solve");
  }
  step() {
    return this.#runs("step");
  }
  localSearch() {
    return this.#runs("local_search");
  }
  bound(steps) {
    return this.#runs("bound", integer("steps", steps));
  }
  reset() {
    const native = Handle.nativeOf(this);
    const run = Handle.use(this, native);
    if (native.depth > 0) refuse(STATUS.BUSY, "a run cannot be reset from a callback");
    native.raw("chorale_run_reset", [run]);
    for (const scope of this.#kept.chains.values()) scope.end();
    this.#kept.chains.clear();
  }
  setTimeLimit(seconds) {
    this.#call("set_limits", limit(seconds), 0);
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
  setChain(chain, scores) {
    const native = Handle.nativeOf(this);
    const run = Handle.use(this, native);
    integer("chain", chain);
    // Copies the arrays to a scope that stays open: the run reads them until they are replaced, and
    // the caller may change its own arrays.
    const scope = native.openScope();
    try {
      native.call("chorale_run_set_chain", [run, chain, chainOf(native, scope, scores).at], {
        scores: "scores",
      });
    } catch (error) {
      scope.end();
      throw error;
    }
    this.#kept.chains.get(chain)?.end();
    this.#kept.chains.set(chain, scope);
  }
  setLabels(labels) {
    const native = Handle.nativeOf(this);
    const run = Handle.use(this, native);
    native.scoped((scope) => {
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
      native.call("chorale_model_get_chain", [this.#kept.model, chain, at, 0]);
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
    const { temperature = 1, into } = optionsOf(options, ["temperature", "into"]);
    real("temperature", temperature);
    const { length: T, labels } = this.#shape(integer("chain", chain));
    return native.scoped((scope) => {
      const exact = scope.place();
      const probabilities = result(native, "float64", T * labels, into, (at) =>
        this.#call("probabilities", chain, temperature, at, 0, exact),
      );
      return { probabilities, exact: native.view.getInt32(exact, true) === 1 };
    });
  }
}

/**
 * Calls body(options, progress) and returns its result. options: the address of a
 * chorale_run_options, made from `told`, whose names must have been checked. progress: the number
 * of the progress function. If body throws, the function is dropped; otherwise the object that body
 * returns must drop the function when it is closed.
 */
export function withRunOptions(native, told, body) {
  const fields = runFields(told);
  const progress = keepProgress(native, "progress", told.progress);
  if (progress !== 0)
    Object.assign(fields, {
      progress: native.exports.chorale_js_progress_function(),
      progress_user: progress,
    });
  try {
    return native.scoped((scope) => body(scope.struct("run_options", fields), progress));
  } catch (error) {
    native.callbacks.delete(progress);
    throw error;
  }
}

export function createRun(native, model, options) {
  const told = optionsOf(options, [...RUN_OPTIONS, "earlier"]);
  const pointer = modelOf(native, model);
  const earlier = given(native, "earlier", told.earlier, Run, true);
  return withRunOptions(native, told, (at, progress) => {
    const kept = { model: pointer, chains: new Map(), progress };
    const run = create(native, "chorale_run_create", [native.host, pointer, at, earlier]);
    return new Run(native, run, kept);
  });
}

export function estimateRun(native, model, options) {
  const told = optionsOf(options, RUN_OPTIONS);
  const pointer = modelOf(native, model);
  return native.scoped((scope) => {
    const cost = scope.struct("run_cost");
    native.call("chorale_run_estimate", [
      pointer,
      scope.struct("run_options", runFields(told)),
      cost,
    ]);
    return native.read("run_cost", cost);
  });
}
