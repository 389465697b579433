// Tables of mentions: one label for all mentions of a key, and ledgers (experimental/table.h).
import { WRONG_TYPE, refuse } from "./errors.js";
import { Handle, make } from "./handle.js";
import {
  arrayOf,
  atLeast,
  constants,
  integer,
  isMissing,
  isNothing,
  length,
  optionsOf,
  real,
  shown,
  sizeOf,
} from "./native.js";
import { rectangleOf, result } from "./potential.js";
import { entriesOf, structs } from "./run.js";

/** What a person answers about a key, beside a label. */
export const answers = Object.freeze({
  none: constants.CHORALE_NO_ANSWER,
  differs: constants.CHORALE_ANSWER_DIFFERS,
});

// The columns of a table: type, what stands for null, and what the length is that of.
const COLUMNS = {
  key: ["int32", -1, "rows"],
  label: ["int32", -1, "rows"],
  confidence: ["float64", NaN, "rows"],
  times: ["int64", undefined, "rows"],
  gold: ["int32", -1, "rows"],
  told: ["int32", -1, "rows"],
  answers: ["int32", answers.none, "keys"],
};
const MENTIONS = ["keys", "labels", ...Object.keys(COLUMNS), "scores"];
const OF_TABLES = { count: "key.length", per_mention: "each" };

/** Converts a table to a chorale_mentions. Returns { at, rows, keys }. */
function mentionsOf(scope, mentions) {
  if (isMissing(mentions)) refuse(WRONG_TYPE, `mentions is ${shown(mentions)}, not an object`);
  const told = optionsOf(mentions, MENTIONS, "mentions");
  const rows = arrayOf("key", told.key).length;
  const sizes = { rows, keys: atLeast("keys", told.keys, 0) };
  const labels = integer("labels", told.labels);
  const fields = { count: rows, keys: sizes.keys, labels };
  for (const [name, [type, nothing, size]] of Object.entries(COLUMNS)) {
    if (isMissing(told[name])) continue;
    const column = length(name, arrayOf(name, told[name]), sizes[size]);
    const entries = ArrayBuffer.isView(column)
      ? told[name]
      : Array.from(column, (entry) => (isNothing(entry) ? nothing : entry));
    fields[name] = scope.numbers(type, name, entries);
  }
  if (!isMissing(told.scores))
    fields.scores = rectangleOf(scope, "scores", told.scores, rows, labels);
  return { at: scope.struct("mentions", fields), ...sizes };
}

/** Converts evidence to a chorale_evidence, and returns its address. */
function evidenceIn(scope, evidence) {
  if (isMissing(evidence)) return scope.struct("evidence");
  // What found evidence has beside its three numbers is not read.
  const known = ["most", "once", "each", "origin", "mentions", "right"];
  const { most, once, each } = optionsOf(evidence, known, "evidence");
  return scope.struct("evidence", {
    most: real("most", most),
    once: real("once", once),
    per_mention: real("each", each),
  });
}
function evidenceAt(native, at) {
  const { perMention: each, ...found } = native.read("evidence", at);
  return { ...found, each };
}

export function settle(native, mentions, evidence) {
  return native.scoped((scope) => {
    const { at, rows, keys } = mentionsOf(scope, mentions);
    const decides = evidenceIn(scope, evidence);
    const [ofMention, ofKey] = [sizeOf("settled_mention"), sizeOf("settled_key")];
    const settled = scope.allocate(rows * ofMention);
    const of = scope.allocate(keys * ofKey);
    const given = [native.host, at, decides, settled, ofMention, of, ofKey];
    native.call("chorale_settle", given, OF_TABLES);
    return {
      mentions: entriesOf(native, "settled_mention", settled, rows),
      keys: entriesOf(native, "settled_key", of, keys),
      evidence: evidenceAt(native, decides),
    };
  });
}

export class Ledger extends Handle {
  static destroy = "chorale_ledger_destroy";
  add(mentions) {
    return Handle.on(this, (native, scope, pointer) => {
      const { at, rows } = mentionsOf(scope, mentions);
      return result(native, "int32", rows, (to) =>
        native.call("chorale_ledger_add", [pointer, at, to], OF_TABLES),
      );
    });
  }
  changes(options) {
    const { take = true } = optionsOf(options, ["take"]);
    return this.#list("ledger_change", "chorale_ledger_changes", take ? 1 : 0);
  }
  refit(evidence) {
    return Handle.on(this, (native, scope, pointer) => {
      const decides = evidenceIn(scope, evidence);
      native.call("chorale_ledger_refit", [pointer, decides], OF_TABLES);
      return evidenceAt(native, decides);
    });
  }
  rows() {
    return this.#list("ledger_row", "chorale_ledger_rows");
  }
  keys() {
    return this.#list("settled_key", "chorale_ledger_keys");
  }
  #list(struct, name, ...before) {
    const native = Handle.nativeOf(this);
    const pointer = Handle.use(this, native);
    return structs(native, struct, (at, capacity, needed) =>
      native.call(name, [pointer, ...before, at, sizeOf(struct), capacity, needed]),
    );
  }
}

export const createLedger = (native, labels, evidence) =>
  native.scoped((scope) => {
    const given = [native.host, integer("labels", labels), evidenceIn(scope, evidence)];
    return make(Ledger, native, "ledger_create", given, OF_TABLES);
  });
