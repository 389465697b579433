// Learning weights, and applying them (learn.h).
import { WRONG_TYPE, refuse } from "./errors.js";
import { Handle, create, given } from "./handle.js";
import {
  arrayOf,
  chosen,
  integer,
  int32,
  optionsOf,
  real,
  shown,
  sizeOf,
  wordsOf,
} from "./native.js";
import { Model } from "./model.js";
import { Potential, squareOf } from "./potential.js";
import { Problem } from "./problem.js";
import { RUN_OPTIONS, keepProgress, limit, runFields, structs, textOf } from "./run.js";

const LINES = 0;
const JSON_TEXT = 1;
const APPLIED = ["nothing", "bonuses", "all"];
const VERDICTS = { 0: "kept", 10: "no-cliques", 20: "screened", 30: "no-gain", 40: "not-applied" };
const BASES = wordsOf("CHORALE_BASIS_");
const WARNINGS = wordsOf("CHORALE_WARNING_");
const LEARN_OPTIONS = ["seen", "rules", "costs", "classes", "folds", "level"];

export class Learnt extends Handle {
  constructor(native, pointer) {
    super(native, pointer, (at) => native.raw("chorale_learnt_destroy", [at]));
  }
  apply(problem) {
    const native = Handle.nativeOf(this);
    const pointer = Handle.use(this, native);
    return new Model(
      native,
      create(native, "chorale_learnt_apply", [
        native.host,
        pointer,
        given(native, "problem", problem, Problem),
      ]),
    );
  }
  potential(kind, values, options) {
    const native = Handle.nativeOf(this);
    const pointer = Handle.use(this, native);
    const { centreValue = -1 } = optionsOf(options, ["centreValue"]);
    return new Potential(
      native,
      create(native, "chorale_learnt_potential", [
        native.host,
        pointer,
        integer("kind", kind),
        integer("values", values),
        integer("centreValue", centreValue),
      ]),
    );
  }
  report() {
    const native = Handle.nativeOf(this);
    const pointer = Handle.use(this, native);
    return native.scoped((scope) => {
      const at = scope.struct("learnt_report");
      native.call("chorale_learnt_get_report", [pointer, at]);
      const entries = (struct, name) =>
        structs(native, struct, (to, capacity, needed) =>
          native.call(name, [pointer, to, sizeOf(struct), capacity, needed]),
        );
      const told = native.read("learnt_report", at);
      const names = JSON.parse(this.toJSON()).kinds.map(({ name }) => name);
      return {
        ...told,
        outcome: native.text(native.raw("chorale_outcome_name", [told.outcome])),
        applied: APPLIED[told.applied],
        warnings: Object.keys(WARNINGS).filter((word) => told.warnings & WARNINGS[word]),
        kinds: entries("learnt_kind", "chorale_learnt_kinds").map((kind, i) => ({
          ...kind,
          name: names[i],
          verdict: VERDICTS[kind.verdict],
        })),
        weights: entries("learnt_weight", "chorale_learnt_weights").map((weight) => ({
          ...weight,
          basis: native.text(native.raw("chorale_basis_name", [weight.basis])),
        })),
      };
    });
  }
  #text(form) {
    const native = Handle.nativeOf(this);
    const pointer = Handle.use(this, native);
    return textOf(native, (at, capacity, needed) =>
      native.call("chorale_learnt_text", [pointer, form, at, capacity, needed]),
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
  native.scoped(
    (scope) =>
      new Learnt(
        native,
        create(native, "chorale_learnt_read", [native.host, ...scope.utf8("json", json)]),
      ),
  );

function rulesOf(native, scope, rules) {
  const size = sizeOf("weight_rule");
  const at = scope.allocate(size * rules.length);
  rules.forEach((rule, i) => {
    const place = `rules[${i}]`;
    const {
      basis,
      kind = -1,
      index = -1,
      least = -Infinity,
      most = Infinity,
    } = optionsOf(rule, ["basis", "kind", "index", "least", "most"], place);
    native.bytes(at + i * size, size).fill(0);
    native.set("weight_rule", at + i * size, {
      kind: int32(`${place}.kind`, kind),
      basis: chosen(`${place}.basis`, basis, BASES),
      index: integer(`${place}.index`, index),
      least: real(`${place}.least`, least),
      most: real(`${place}.most`, most),
    });
  });
  return at;
}

export function learn(native, problems, options) {
  const told = optionsOf(options, [
    ...RUN_OPTIONS.filter((name) => name !== "edits"),
    ...LEARN_OPTIONS,
  ]);
  const listed = problems instanceof Problem ? [problems] : problems;
  if (listed === null || typeof listed !== "object" || !(Symbol.iterator in listed))
    refuse(WRONG_TYPE, `problems is ${shown(problems)}, neither a Problem nor an array of them`);
  const pointers = [...listed].map((problem, i) =>
    given(native, `problems[${i}]`, problem, Problem),
  );
  const progress = keepProgress(native, "learn_progress", told.progress);
  try {
    return native.scoped((scope) => {
      const fields = { time_limit: limit(told.timeLimit) };
      if (progress !== 0)
        Object.assign(fields, {
          progress: native.exports.chorale_js_learn_progress_function(),
          progress_user: progress,
        });
      if (told.folds !== undefined) fields.folds = integer("folds", told.folds);
      if (told.level !== undefined) fields.level = real("level", told.level);
      if (told.rules !== undefined) {
        fields.rules = rulesOf(native, scope, [...told.rules]);
        fields.rule_count = told.rules.length;
      }
      if (told.costs !== undefined) {
        fields.labels = arrayOf("costs", told.costs).length;
        fields.costs = squareOf(scope, "costs", told.costs, fields.labels);
      }
      if (told.classes !== undefined) {
        const classes = arrayOf("classes", told.classes);
        fields.classes = scope.numbers("int32", "classes", classes);
        fields.labels ??= classes.length;
      }
      if (told.seen !== undefined)
        fields.seen = scope.sized("float64", "seen", told.seen, pointers.length);
      // Without options of the caller these are the defaults that the library has for the runs of
      // learning: those of other runs, but rounds is -1 (chorale_learn_options).
      const inference = { rounds: -1, ...told, timeLimit: null };
      fields.run = scope.struct("run_options", runFields(inference));
      const wanted = scope.struct("learn_options", fields);
      return new Learnt(
        native,
        create(
          native,
          "chorale_learn",
          [native.host, scope.pointers(pointers), pointers.length, wanted],
          {
            count: "problems.length",
            "options->labels": told.costs === undefined ? "classes.length" : "costs.length",
          },
          "chorale_learnt_destroy",
        ),
      );
    });
  } finally {
    native.callbacks.delete(progress);
  }
}
