// Learning strengths, and applying them (learn.h).
import { arrayOf, optionsOf, shown } from "./checks.js";
import { refuse } from "./errors.js";
import { Handle, given, make } from "./handle.js";
import { constants } from "./interface.js";
import { Model } from "./model.js";
import { Potential, rectangleOf } from "./potential.js";
import { Problem } from "./problem.js";
import { keepProgress, limit } from "./run.js";

const LEARN_OPTIONS = "costs classes begins mayLowerAccuracy withoutGold timeLimit progress".split(
  " ",
);

export class Learnt extends Handle {
  static kind = "learnt";
  apply(problem) {
    return Handle.on(this, (native, scope, learnt) =>
      make(Model, native, "learnt_apply", [learnt, given(native, "problem", problem, "problem")]),
    );
  }
  potential(kind, values, options) {
    const { centreValue = -1 } = optionsOf(options, ["centreValue"]);
    return Handle.on(this, (native, scope, learnt) =>
      make(Potential, native, "learnt_potential", [learnt, kind, values, centreValue]),
    );
  }
  report() {
    return Handle.on(this, (native, scope) => {
      const report = scope.struct("learnt_report");
      Handle.call(this, "get_report", report);
      const names = JSON.parse(this.toJSON()).kinds.map(({ name }) => name);
      const kinds = Handle.list(this, "learnt_kind", "kinds");
      return { ...report.value, kinds: kinds.map((kind, i) => ({ ...kind, name: names[i] })) };
    });
  }
  #text(form) {
    const bytes = Handle.list(this, "uint8", "text", form);
    return new TextDecoder().decode(bytes.subarray(0, -1)); // without the NUL
  }
  toString() {
    return this.#text(constants.CHORALE_TEXT_LINES);
  }
  toJSON() {
    return this.#text(constants.CHORALE_TEXT_JSON);
  }
}

export const readLearnt = (native, json) =>
  native.scoped((scope) => make(Learnt, native, "learnt_read", [...scope.utf8("json", json)]));

export function learn(native, problems, options) {
  const told = optionsOf(options, LEARN_OPTIONS);
  const listed = problems instanceof Problem ? [problems] : problems;
  if (!(Symbol.iterator in Object(listed)))
    refuse("WRONG_TYPE", `problems is ${shown(problems)}, neither a Problem nor an array of them`);
  const pointers = Array.from(listed, (problem, i) =>
    given(native, `problems[${i}]`, problem, "problem"),
  );
  const arrays = ["costs", "classes", "begins"].filter((name) => told[name] !== undefined);
  const labels = arrays.length === 0 ? undefined : arrayOf(arrays[0], told[arrays[0]]).length;
  const progress = keepProgress(native, "learn_progress", told.progress);
  try {
    return native.scoped((scope) => {
      const fields = {
        ...told,
        labels,
        costs: told.costs && rectangleOf(scope, "costs", told.costs, labels),
        begins: told.begins && Array.from(arrayOf("begins", told.begins), Number),
        timeLimit: told.timeLimit === undefined ? undefined : limit(told.timeLimit),
        ...progress,
      };
      const wanted = scope.struct("learn_options", fields, { counts: { begins: labels } });
      const all = scope.numbers("uint32", "problems", pointers);
      return make(Learnt, native, "learn", [all, all.count, wanted], {
        count: "problems.length",
        "options->labels": `${arrays[0]}.length`,
      });
    });
  } finally {
    native.callbacks.delete(progress.progressUser);
  }
}
