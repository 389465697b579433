// Properties, label maps and transitions (property.h, chain.h).
import { WRONG_TYPE, refuse } from "./errors.js";
import { Handle, given, make } from "./handle.js";
import { arrayOf, chosen, int32, integer, optionsOf, shown, wordsOf } from "./native.js";
import { flagsOf, squareOf } from "./potential.js";

export const fire = Object.freeze({ nothing: -1, label: -2, table: -3 });

export class Property extends Handle {
  static destroy = "chorale_property_release";
  get values() {
    return Handle.ask(this, "chorale_property_values");
  }
  get labels() {
    return Handle.ask(this, "chorale_property_labels");
  }
}

/** A subset of the values of a property, which a clique of a problem file may have. */
export class Dictionary extends Handle {
  static destroy = "chorale_dictionary_release";
  get values() {
    return Handle.ask(this, "chorale_dictionary_values");
  }
}

export class Transitions extends Handle {
  static destroy = "chorale_transitions_release";
  get labels() {
    return Handle.ask(this, "chorale_transitions_labels");
  }
}

export function createTransitions(native, scores, options) {
  if (scores instanceof Transitions)
    return new Transitions(
      native,
      native.raw("chorale_transitions_retain", [Handle.use(scores, native, "scores")]),
    );
  const told = optionsOf(options, ["labels", "start", "end", "mask", "startMask", "endMask"]);
  return native.scoped((scope) => {
    let labels = told.labels === undefined ? undefined : integer("labels", told.labels);
    let at = 0;
    if (scores !== null && scores !== undefined) {
      const outer = arrayOf("scores", scores);
      labels ??=
        ArrayBuffer.isView(outer) || typeof outer[0] === "number"
          ? Math.round(Math.sqrt(outer.length))
          : outer.length;
      at = squareOf(scope, "scores", scores, labels);
    }
    if (labels === undefined)
      refuse(WRONG_TYPE, "labels is missing: without scores nothing tells how many there are");
    const numbers = (name) =>
      told[name] === undefined || told[name] === null
        ? 0
        : scope.sized("float64", name, told[name], labels);
    const mask =
      told.mask === undefined || told.mask === null
        ? 0
        : flagsOf(scope, "mask", flatFlags(told.mask), labels * labels);
    const made = scope.struct("transitions_options", {
      start: numbers("start"),
      end: numbers("end"),
      mask,
      start_mask: flagsOf(scope, "startMask", told.startMask, labels),
      end_mask: flagsOf(scope, "endMask", told.endMask, labels),
    });
    return make(Transitions, native, "transitions_create", [native.host, labels, at, made]);
  });
}
const flatFlags = (mask) =>
  mask.length > 0 && typeof mask[0] === "object" ? [...mask].flatMap((row) => [...row]) : mask;

// ---- Label maps --------------------------------------------------------------------------------

/**
 * Allocates a chorale_label_map, and returns its address `at` and the number `count` of its labels.
 * `labels`: a number of labels, each of its own kind, or a LabelMap.
 */
export function mapIn(scope, labels) {
  if (typeof labels === "number") {
    const count = integer("labels", labels);
    return { at: scope.struct("label_map", { labels: count, kinds: count }), count };
  }
  if (labels === null || typeof labels !== "object")
    refuse(WRONG_TYPE, `labels is ${shown(labels)}, neither a number nor a LabelMap`);
  const kinds = arrayOf("labels.kindOfLabel", labels.kindOfLabel);
  const at = scope.struct("label_map", {
    labels: kinds.length,
    kinds: integer("labels.kinds", labels.kinds),
    kind_of_label: scope.numbers("int32", "labels.kindOfLabel", kinds),
    begins: flagsOf(scope, "labels.begins", labels.begins, kinds.length),
  });
  return { at, count: kinds.length };
}
/**
 * Creates a property about a map from labels to kinds. parts: returns the arguments after the map, of
 * a scope and the number of labels.
 */
const mapped = (native, name, labels, parts) =>
  native.scoped((scope) => {
    const { at, count } = mapIn(scope, labels);
    const before = [native.host, at, ...parts(scope, count)];
    return make(Property, native, `property_create_${name}`, before);
  });
const segment = ({ endsAtIgnored }) => (endsAtIgnored ? 1 : 0);

/** Runs body with label names in memory of the library, as arrays of pointers and lengths. */
function named(native, names, body) {
  return native.scoped((scope) => {
    const texts = [...names].map((name, i) => scope.utf8(`names[${i}]`, name));
    const lengths = scope.pointers(texts.map(([, bytes]) => bytes));
    return body(
      scope,
      [scope.pointers(texts.map(([at]) => at)), lengths, texts.length],
      texts.length,
    );
  });
}
const SCHEMES = wordsOf("CHORALE_SCHEME_");
const schemeOf = (scheme) => chosen("scheme", scheme, SCHEMES);

function automatonOf(native, scope, { labels, classes = 1, states, values, ...given }) {
  for (const [name, value] of Object.entries({ labels, classes, states, values }))
    integer(name, value);
  const numbers = (name, array, count) =>
    array === undefined || array === null
      ? 0
      : scope.sized("int32", name, array, count);
  return scope.struct("automaton", {
    labels,
    classes,
    states,
    values,
    start: int32("start", given.start ?? 0),
    table_offset: int32("tableOffset", given.tableOffset ?? 0),
    outside_value: int32("outsideValue", given.outsideValue ?? 0),
    fires_outside: (given.outsideValue ?? -1) === -1 ? 0 : 1,
    next: numbers("next", arrayOf("next", given.next), states * classes * labels),
    actions: numbers("actions", given.actions, states * classes * labels),
    end_actions: numbers("endActions", given.endActions, states),
    label_values: numbers("labelValues", given.labelValues, labels),
  });
}
const AUTOMATON = [
  ..."labels states values classes start next actions endActions".split(" "),
  ..."labelValues tableOffset outsideValue".split(" "),
];
const LOCAL = ["labels", "values", "classes", "actions", "labelValues"];

export const properties = {
  createPositionLabel: (native, labels, position) =>
    mapped(native, "position_label", labels, () => [integer("position", position)]),
  createTokenLabel: (native, labels, token) =>
    mapped(native, "token_label", labels, () => [int32("token", token)]),
  createFirstLabel(native, labels, options) {
    const { ignored } = optionsOf(options, ["ignored"]);
    return mapped(native, "first_label", labels, (scope, count) => [
      flagsOf(scope, "ignored", ignored, count),
    ]);
  },
  createNextLabel(native, labels, anchor, options) {
    const told = optionsOf(options, ["ignored", "endsAtIgnored", "endValue"]);
    return mapped(native, "next_label", labels, (scope, count) => [
      int32("anchor", anchor),
      flagsOf(scope, "ignored", told.ignored, count),
      segment(told),
      int32("endValue", told.endValue ?? -1),
    ]);
  },
  createTokenBefore(native, labels, anchor, values, options) {
    const told = optionsOf(options, ["ignored", "endsAtIgnored", "startValue"]);
    return mapped(native, "token_before", labels, (scope, count) => [
      int32("anchor", anchor),
      flagsOf(scope, "ignored", told.ignored, count),
      segment(told),
      integer("values", values),
      int32("startValue", told.startValue ?? -1),
    ]);
  },
  createAutomaton: (native, automaton) =>
    native.scoped((scope) => {
      const told = automatonOf(native, scope, optionsOf(automaton, AUTOMATON, "automaton"));
      return make(Property, native, "property_create", [native.host, told]);
    }),
  createLocal(native, local) {
    const { labels, values, classes = 1, actions, labelValues } = optionsOf(local, LOCAL, "local");
    return native.scoped((scope) => {
      for (const [name, value] of Object.entries({ labels, values, classes })) integer(name, value);
      const table = scope.sized("int32", "actions", actions, classes * labels * (labels + 1));
      const own =
        labelValues === undefined
          ? 0
          : scope.sized("int32", "labelValues", labelValues, labels);
      return make(Property, native, "property_create_local", [
        native.host, labels, classes, values, table, own,
      ]);
    });
  },
  labelMap(native, names, scheme = "bio") {
    const number = schemeOf(scheme);
    return named(native, names, (scope, texts, count) => {
      const kinds = scope.place();
      const kindOfLabel = scope.allocate(4 * count);
      const begins = scope.allocate(count);
      native.call("chorale_label_map_from_names", [number, ...texts, kindOfLabel, begins, kinds]);
      return {
        kindOfLabel: native.array("int32", kindOfLabel, count).slice(),
        begins: native.bytes(begins, count).slice(),
        kinds: scope.number(kinds),
      };
    });
  },
  schemeMask(native, names, scheme) {
    const number = schemeOf(scheme);
    return named(native, names, (scope, texts, count) => {
      const [mask, start, end] = [count * count, count, count].map((bytes) =>
        scope.allocate(bytes),
      );
      native.call("chorale_scheme_mask", [number, ...texts, mask, start, end]);
      return {
        mask: native.bytes(mask, count * count).slice(),
        start: native.bytes(start, count).slice(),
        end: native.bytes(end, count).slice(),
      };
    });
  },
};
