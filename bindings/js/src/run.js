// Runs: collective inference over a model (run.h).
import { arrayOf, atLeast, isMissing, optionsOf, real, shown } from "./checks.js";
import { refuse } from "./errors.js";
import { Handle, create, given } from "./handle.js";
import { constants, wordsOf } from "./interface.js";
import { shapeOf } from "./model.js";
import { Problem } from "./problem.js";

// What is written for "none" where 0 means the default.
export const NOTHING = wordsOf("CHORALE_NO_");
export const RUN_OPTIONS = [
  ..."rounds damping algorithm exactMarginals localSearch restrictRange jointMode".split(" "),
  ..."beamWidth maxStates messageElement timeLimit progress boundSteps effort edits".split(" "),
];

export function limit(seconds) {
  if (isMissing(seconds)) return Infinity;
  if (!(real("timeLimit", seconds) >= 0))
    refuse("OUT_OF_RANGE", `timeLimit is ${seconds}; it must be 0 or more, or null for none`);
  return seconds || -1; // in C, 0 is for the default
}

/**
 * Keeps a progress function, which is called with an object for the struct `struct`. Returns the
 * fields of options by which the library calls it: progressUser is the number of the callback.
 */
export function keepProgress(native, struct, progress) {
  if (isMissing(progress)) return { progress: undefined };
  if (typeof progress !== "function")
    refuse("WRONG_TYPE", `progress is ${shown(progress)}, not a function`);
  return {
    progress: native.exports[`chorale_js_${struct}_function`](),
    progressUser: native.keep((at) => progress(native.read(struct, at))),
  };
}

/**
 * Returns the fields of chorale_run_options for options whose names have been checked. Who creates
 * an object with them drops the callback `progressUser` when the object is freed.
 */
export function runFields(native, told) {
  for (const [name, least] of Object.entries({ rounds: 0, beamWidth: 1, maxStates: 1 }))
    if (told[name] !== undefined) atLeast(name, told[name], least);
  return {
    ...told,
    rounds: told.rounds === 0 ? NOTHING.rounds : told.rounds, // in C, 0 is for the default
    noLocalSearch: !(told.localSearch ?? true),
    timeLimit: limit(told.timeLimit),
    ...keepProgress(native, "progress", told.progress),
  };
}

export class Run extends Handle {
  static kind = "run";
  #model; // the address of the model
  constructor(native, pointer, model, progress) {
    super(native, pointer, () => native.callbacks.delete(progress));
    this.#model = model;
  }
  /** Calls a function of the library that fills a chorale_run_result. */
  #result(name) {
    return Handle.on(this, (native, scope) => {
      const result = scope.struct("run_result");
      Handle.call(this, name, result);
      return result.value;
    });
  }
  result() {
    return this.#result("get_result");
  }
  solve() {
    return this.#result("solve");
  }
  leftOut() {
    return Handle.list(this, "left_out", "left_out");
  }
  labels(chain, options) {
    const of = chain ?? constants.CHORALE_ALL_CHAINS;
    return Handle.list(this, "int32", "labels", of, labellingOf(options));
  }
  values(clique, options) {
    return Handle.list(this, "int32", "values", clique, labellingOf(options));
  }
  reasons(chain) {
    return Handle.list(this, "reason", "reasons", chain ?? constants.CHORALE_ALL_CHAINS);
  }
  setAllowed(chain, position, allowed) {
    Handle.on(this, (native, scope) => {
      const flags =
        allowed === null
          ? 0
          : scope.flags("allowed", arrayOf("allowed", allowed), this.#shape(chain).labels);
      Handle.call(this, "set_allowed", chain, position, flags);
    });
  }
  setStrength(clique, factor) {
    Handle.call(this, "set_strength", clique, factor);
  }
  setLabels(labels) {
    Handle.on(this, (native, scope, run) => {
      const given = scope.numbers("int32", "labels", arrayOf("labels", labels));
      const names = { count: "labels.length" };
      native.call("chorale_run_set_labels", [run, given, given.count], names);
    });
  }
  #shape(chain) {
    return shapeOf(Handle.nativeOf(this), this.#model, chain);
  }
  maxMarginals(chain) {
    return Handle.on(this, (native, scope) => {
      const { length, labels } = this.#shape(chain);
      const marginals = scope.place("float64", length * labels);
      const margins = scope.place("float64", length);
      Handle.call(this, "max_marginals", chain, marginals, 0, margins);
      return { marginals: marginals.values(), margins: margins.values() };
    });
  }
  probabilities(chain, options) {
    return Handle.on(this, (native, scope) => {
      const { temperature = 1 } = optionsOf(options, ["temperature"]);
      const { length, labels } = this.#shape(chain);
      const [all, exact] = [scope.place("float64", length * labels), scope.place("int32")];
      Handle.call(this, "probabilities", chain, temperature, all, 0, exact);
      return { probabilities: all.values(), exact: exact.value === 1 };
    });
  }
}
/** Returns the number of the labelling that OfLabelling asks for. */
const labellingOf = (options) => (optionsOf(options, ["alone"]).alone ? 1 : 0);

export function createRun(native, model, options) {
  const told = optionsOf(options, [...RUN_OPTIONS, "earlier"]);
  const pointer =
    model instanceof Problem
      ? native.raw("chorale_problem_model", [Handle.use(model, native, "model")])
      : given(native, "model", model, "model");
  const earlier = given(native, "earlier", told.earlier, "run", true);
  const fields = runFields(native, told);
  try {
    return native.scoped((scope) => {
      const before = [pointer, scope.struct("run_options", fields), earlier];
      const run = create("run", native, "chorale_run_create", before);
      return new Run(native, run, pointer, fields.progressUser);
    });
  } catch (error) {
    native.callbacks.delete(fields.progressUser);
    throw error;
  }
}
