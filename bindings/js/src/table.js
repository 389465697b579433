// Tables of mentions: one label for all mentions of a key, and ledgers (experimental/table.h).
import {
  arrayOf,
  atLeast,
  integer,
  isMissing,
  optionsOf,
  real,
  shown,
  withNothing,
} from "./checks.js";
import { refuse } from "./errors.js";
import { Handle, make } from "./handle.js";
import { constants, sizeOf } from "./interface.js";
import { rectangleOf } from "./potential.js";

/** What a person answers about a key, beside a label. */
export const answers = Object.freeze({
  none: constants.CHORALE_NO_ANSWER,
  differs: constants.CHORALE_ANSWER_DIFFERS,
});

// What stands for null in columns of a table.
const NOTHING_OF = {
  key: -1,
  label: -1,
  confidence: NaN,
  gold: -1,
  told: -1,
  answers: answers.none,
};
const MENTIONS = ["keys", "labels", "times", "scores", ...Object.keys(NOTHING_OF)];
const OF_TABLES = { count: "key.length", per_mention: "each" };

/** Converts a table to a chorale_mentions. Returns { at, rows, keys }: its place, and its sizes. */
function mentionsOf(scope, mentions) {
  if (isMissing(mentions)) refuse("WRONG_TYPE", `mentions is ${shown(mentions)}, not an object`);
  const { keys, labels, ...told } = optionsOf(mentions, MENTIONS, "mentions");
  integer("labels", labels);
  const rows = arrayOf("key", told.key).length;
  for (const [name, nothing] of Object.entries(NOTHING_OF))
    told[name] = withNothing(name, told[name], nothing);
  const counts = { answers: atLeast("keys", keys, 0) };
  for (const name of ["label", "confidence", "gold", "told", "times"]) counts[name] = rows;
  if (!isMissing(told.scores))
    told.scores = rectangleOf(scope, "scores", told.scores, rows, labels);
  return {
    at: scope.struct("mentions", { ...told, count: rows, keys, labels }, { counts }),
    rows,
    keys,
  };
}

/** Converts evidence to a place of a chorale_evidence. */
function evidenceIn(scope, evidence) {
  if (isMissing(evidence)) return scope.struct("evidence");
  // What found evidence has beside its three numbers is not read.
  const known = ["most", "once", "each", "origin", "mentions", "right"];
  const { most, once, each } = optionsOf(evidence, known, "evidence");
  const fields = { most: real("most", most), once: real("once", once) };
  return scope.struct("evidence", { ...fields, perMention: real("each", each) });
}
function evidenceOf(place) {
  const { perMention: each, ...found } = place.value;
  return { ...found, each };
}

export const settle = (native, mentions, evidence) =>
  native.scoped((scope) => {
    const { at, rows, keys } = mentionsOf(scope, mentions);
    const decides = evidenceIn(scope, evidence);
    const ofMentions = scope.place("settled_mention", rows);
    const ofKeys = scope.place("settled_key", keys);
    const to = [ofMentions, sizeOf("settled_mention"), ofKeys, sizeOf("settled_key")];
    native.call("chorale_settle", [at, decides, ...to], OF_TABLES);
    return {
      mentions: ofMentions.values(),
      keys: ofKeys.values(),
      evidence: evidenceOf(decides),
    };
  });

export class Ledger extends Handle {
  static kind = "ledger";
  add(mentions) {
    return Handle.on(this, (native, scope, ledger) => {
      const { at, rows } = mentionsOf(scope, mentions);
      const labels = scope.place("int32", rows);
      native.call("chorale_ledger_add", [ledger, at, labels], OF_TABLES);
      return labels.values();
    });
  }
  changes(options) {
    const { take = true } = optionsOf(options, ["take"]);
    return Handle.list(this, "ledger_change", "changes", take ? 1 : 0);
  }
  refit(evidence) {
    return Handle.on(this, (native, scope, ledger) => {
      const decides = evidenceIn(scope, evidence);
      native.call("chorale_ledger_refit", [ledger, decides], OF_TABLES);
      return evidenceOf(decides);
    });
  }
  rows() {
    return Handle.list(this, "ledger_row", "rows");
  }
  keys() {
    return Handle.list(this, "settled_key", "keys");
  }
}

export const createLedger = (native, labels, evidence) =>
  native.scoped((scope) => {
    const given = [labels, evidenceIn(scope, evidence)];
    return make(Ledger, native, "ledger_create", given, OF_TABLES);
  });
