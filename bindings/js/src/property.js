// Properties, label maps and transitions (property.h, chain.h).
import { arrayOf, chosen, integer, isMissing, optionsOf, shown } from "./checks.js";
import { refuse } from "./errors.js";
import { Handle, make } from "./handle.js";
import { wordsOf } from "./interface.js";
import { rectangleOf } from "./potential.js";

export const fire = Object.freeze({ nothing: -1, label: -2, table: -3 });

export class Property extends Handle {
  static kind = "property";
  get values() {
    return Handle.ask(this, "values");
  }
  get labels() {
    return Handle.ask(this, "labels");
  }
}

export class Transitions extends Handle {
  static kind = "transitions";
  get labels() {
    return Handle.ask(this, "labels");
  }
}

/** name: what error messages call the scores. */
export function createTransitions(native, scores, options, name = "scores") {
  if (scores instanceof Transitions)
    return new Transitions(
      native,
      native.raw("chorale_transitions_retain", [Handle.use(scores, native, name)]),
    );
  const told = optionsOf(options, ["labels", "start", "end", "mask", "startMask", "endMask"]);
  return native.scoped((scope) => {
    const outer = isMissing(scores) ? undefined : arrayOf(name, scores);
    const flat = ArrayBuffer.isView(outer) || typeof outer?.[0] === "number";
    const { labels = flat ? Math.round(Math.sqrt(outer.length)) : outer?.length } = told;
    if (labels === undefined)
      refuse("WRONG_TYPE", "labels is missing: without scores nothing tells how many there are");
    integer("labels", labels);
    const [m, fields] = [labels, { ...told, mask: flatFlags(told.mask) }];
    const counts = { start: m, end: m, mask: m * m, startMask: m, endMask: m };
    const before = [
      labels,
      outer && rectangleOf(scope, name, outer, labels),
      scope.struct("transitions_options", fields, { counts }),
    ];
    return make(Transitions, native, "transitions_create", before, { scores: name });
  });
}
const flatFlags = (mask) =>
  typeof mask?.[0] === "object" ? [...mask].flatMap((row) => [...row]) : mask;

// ---- Label maps --------------------------------------------------------------------------------

/**
 * Allocates a chorale_label_map. Returns its place `at`, and the number `count` of its labels.
 * `labels`: a number of labels, each of its own kind, or a LabelMap.
 */
export function mapIn(scope, labels) {
  if (typeof labels === "number")
    return { at: scope.struct("label_map", { labels, kinds: labels }), count: labels };
  if (labels === null || typeof labels !== "object")
    refuse("WRONG_TYPE", `labels is ${shown(labels)}, neither a number nor a LabelMap`);
  const { kinds, kindOfLabel, begins } = labels;
  const count = arrayOf("labels.kindOfLabel", kindOfLabel).length;
  const how = { counts: { begins: count }, prefix: "labels." };
  return {
    at: scope.struct("label_map", { labels: count, kinds, kindOfLabel, begins }, how),
    count,
  };
}
/**
 * Creates a property about a map from labels to kinds. parts: returns the arguments after the map,
 * of a scope and the number of labels.
 */
const mapped = (native, name, labels, parts) =>
  native.scoped((scope) => {
    const { at, count } = mapIn(scope, labels);
    const before = [at, ...parts(scope, count)];
    return make(Property, native, `property_create_${name}`, before);
  });
/** Returns the arguments of a property about segments before those for its end or start. */
const segment = (scope, count, anchor, { ignored, endsAtIgnored }) => [
  anchor,
  scope.flags("ignored", ignored, count),
  endsAtIgnored ? 1 : 0,
];

/** Calls body(scope, given, count) with label names and their scheme as arguments for C. */
function named(native, names, scheme, body) {
  const number = chosen("scheme", scheme, wordsOf("CHORALE_SCHEME_"));
  return native.scoped((scope) => {
    const texts = [...names].map((name, i) => scope.utf8(`names[${i}]`, name));
    const [at, lengths] = [0, 1].map((part) =>
      scope.numbers(
        "uint32",
        "names",
        Uint32Array.from(texts, (text) => text[part]),
      ),
    );
    return body(scope, [number, at, lengths, texts.length], texts.length);
  });
}

const AUTOMATON = [
  ..."labels states values classes start next actions endActions".split(" "),
  ..."labelValues tableOffset outsideValue".split(" "),
];
const LOCAL = ["labels", "values", "classes", "actions", "labelValues"];

export const properties = {
  createPositionLabel: (native, labels, position) =>
    mapped(native, "position_label", labels, () => [position]),
  createTokenLabel: (native, labels, token) => mapped(native, "token_label", labels, () => [token]),
  createFirstLabel(native, labels, options) {
    const { ignored } = optionsOf(options, ["ignored"]);
    return mapped(native, "first_label", labels, (scope, count) => [
      scope.flags("ignored", ignored, count),
    ]);
  },
  createNextLabel(native, labels, anchor, options) {
    const told = optionsOf(options, ["ignored", "endsAtIgnored", "endValue"]);
    return mapped(native, "next_label", labels, (scope, count) => [
      ...segment(scope, count, anchor, told),
      told.endValue ?? -1,
    ]);
  },
  createTokenBefore(native, labels, anchor, values, options) {
    const told = optionsOf(options, ["ignored", "endsAtIgnored", "startValue"]);
    return mapped(native, "token_before", labels, (scope, count) => [
      ...segment(scope, count, anchor, told),
      values,
      told.startValue ?? -1,
    ]);
  },
  createAutomaton(native, automaton) {
    const told = { ...optionsOf(automaton, AUTOMATON, "automaton") };
    told.classes ??= 1;
    for (const name of ["labels", "classes", "states", "values"]) integer(name, told[name]);
    const cells = told.states * told.classes * told.labels;
    const fields = {
      ...told,
      next: arrayOf("next", told.next),
      firesOutside: (told.outsideValue ?? -1) !== -1,
    };
    const counts = {
      next: cells,
      actions: cells,
      endActions: told.states,
      labelValues: told.labels,
    };
    return native.scoped((scope) =>
      make(Property, native, "property_create", [scope.struct("automaton", fields, { counts })]),
    );
  },
  createLocal(native, local) {
    const { labels, values, classes = 1, actions, labelValues } = optionsOf(local, LOCAL, "local");
    const cells = integer("classes", classes) * integer("labels", labels) * (labels + 1);
    return native.scoped((scope) =>
      make(Property, native, "property_create_local", [
        labels,
        classes,
        values,
        scope.numbers("int32", "actions", arrayOf("actions", actions), cells),
        scope.numbers("int32", "labelValues", labelValues, labels),
      ]),
    );
  },
  labelMap: (native, names, scheme = "bio") =>
    named(native, names, scheme, (scope, given, count) => {
      const kinds = scope.place("int64");
      const kindOfLabel = scope.place("int32", count);
      const begins = scope.place("uint8", count);
      native.call("chorale_label_map_from_names", [...given, kindOfLabel, begins, kinds]);
      return { kindOfLabel: kindOfLabel.values(), begins: begins.values(), kinds: kinds.value };
    }),
  schemeMask: (native, names, scheme) =>
    named(native, names, scheme, (scope, given, count) => {
      const places = [count * count, count, count].map((bytes) => scope.place("uint8", bytes));
      native.call("chorale_scheme_mask", [...given, ...places]);
      const [mask, start, end] = places.map((place) => place.values());
      return { mask, start, end };
    }),
};
