// Learning strengths, and applying them (learn.h).
import { WRONG_TYPE, refuse } from "./errors.js";
import { Handle, given, make } from "./handle.js";
import { arrayOf, integer, optionsOf, shown, sizeOf } from "./native.js";
import { Model } from "./model.js";
import { Potential, squareOf } from "./potential.js";
import { Problem } from "./problem.js";
import { keepProgress, limit, structs, textOf } from "./run.js";

const LINES = 0;
const JSON_TEXT = 1;
const LEARN_OPTIONS =
  "costs classes begins mayLowerAccuracy withoutGold timeLimit progress".split(" ");

export class Learnt extends Handle {
  static destroy = "chorale_learnt_destroy";
  apply(problem) {
    return Handle.on(this, (native, scope, learnt) =>
      make(Model, native, "learnt_apply", [
        native.host, learnt, given(native, "problem", problem, Problem),
      ]),
    );
  }
  potential(kind, values, options) {
    const { centreValue = -1 } = optionsOf(options, ["centreValue"]);
    return Handle.on(this, (native, scope, learnt) =>
      make(Potential, native, "learnt_potential", [
        native.host, learnt, integer("kind", kind), integer("values", values),
        integer("centreValue", centreValue),
      ]),
    );
  }
  report() {
    return Handle.on(this, (native, scope, pointer) => {
      const at = scope.struct("learnt_report");
      native.call("chorale_learnt_get_report", [pointer, at]);
      const names = JSON.parse(this.toJSON()).kinds.map(({ name }) => name);
      const kinds = structs(native, "learnt_kind", (to, capacity, needed) =>
        native.call("chorale_learnt_kinds", [pointer, to, sizeOf("learnt_kind"), capacity, needed]),
      );
      return {
        ...native.read("learnt_report", at),
        kinds: kinds.map((kind, i) => ({ ...kind, name: names[i] })),
      };
    });
  }
  #text(form) {
    return Handle.on(this, (native, scope, learnt) =>
      textOf(native, (...to) => native.call("chorale_learnt_text", [learnt, form, ...to])),
    );
  }
  toString() {
    return this.#text(LINES);
  }
  toJSON() {
    return this.#text(JSON_TEXT);
  }
}

export const readLearnt = (native, json) =>
  native.scoped((scope) =>
    make(Learnt, native, "learnt_read", [native.host, ...scope.utf8("json", json)]),
  );

export function learn(native, problems, options) {
  const told = optionsOf(options, LEARN_OPTIONS);
  const listed = problems instanceof Problem ? [problems] : problems;
  if (listed === null || typeof listed !== "object" || !(Symbol.iterator in listed))
    refuse(WRONG_TYPE, `problems is ${shown(problems)}, neither a Problem nor an array of them`);
  const pointers = [...listed].map((problem, i) =>
    given(native, `problems[${i}]`, problem, Problem),
  );
  const progress = keepProgress(native, "learn_progress", told.progress);
  try {
    return native.scoped((scope) => {
      const fields = {
        may_lower_accuracy: told.mayLowerAccuracy ? 1 : 0,
        without_gold: told.withoutGold ? 1 : 0,
      };
      if (told.timeLimit !== undefined) fields.time_limit = limit(told.timeLimit);
      if (progress !== 0)
        Object.assign(fields, {
          progress: native.exports.chorale_js_learn_progress_function(),
          progress_user: progress,
        });
      if (told.costs !== undefined) {
        fields.labels = arrayOf("costs", told.costs).length;
        fields.costs = squareOf(scope, "costs", told.costs, fields.labels);
      }
      if (told.classes !== undefined) {
        const classes = arrayOf("classes", told.classes);
        fields.classes = scope.numbers("int32", "classes", classes);
        fields.labels ??= classes.length;
      }
      if (told.begins !== undefined) {
        const begins = arrayOf("begins", told.begins).map(Number);
        fields.begins = scope.sized("int32", "begins", begins, fields.labels ?? begins.length);
        fields.labels ??= begins.length;
      }
      const wanted = scope.struct("learn_options", fields);
      const problems = [scope.pointers(pointers), pointers.length];
      return make(Learnt, native, "learn", [native.host, ...problems, wanted], {
        count: "problems.length",
        "options->labels": told.costs === undefined ? "classes.length" : "costs.length",
      });
    });
  } finally {
    native.callbacks.delete(progress);
  }
}
