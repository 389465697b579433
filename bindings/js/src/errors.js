// Errors of calls, with the names that JavaScript uses.
import { layout } from "../dist/layout.js";

// Statuses of errors that this package finds itself; the library has no such statuses.
export const CLOSED = -1;
export const DETACHED = -2;
export const WRONG_TYPE = -3;

const OWN_NAMES = { [CLOSED]: "CLOSED", [DETACHED]: "DETACHED", [WRONG_TYPE]: "WRONG_TYPE" };

/** Names of statuses, such as "SHAPE" for CHORALE_ERROR_SHAPE, by their numbers. */
const STATUS_NAMES = new Map(
  Object.entries(layout.constants)
    .filter(([name]) => name.startsWith("CHORALE_ERROR_") && name !== "CHORALE_ERROR_MESSAGE_SIZE")
    .map(([name, number]) => [number, name.slice("CHORALE_ERROR_".length)]),
);

/** Numbers of statuses by their names, as in STATUS.SHAPE. */
export const STATUS = Object.fromEntries([...STATUS_NAMES].map(([number, name]) => [name, number]));

export class ChoraleError extends Error {
  constructor(status, message, cause) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ChoraleError";
    this.status = status;
    this.statusName = OWN_NAMES[status] ?? STATUS_NAMES.get(status) ?? "UNKNOWN";
  }
}

export function refuse(status, message) {
  throw new ChoraleError(status, message);
}

// ---- Messages ----------------------------------------------------------------------------------

// Maps names in the library's error messages to JavaScript names, where the rules of inJavaScript()
// would give a wrong name.
const NAMES = {
  NULL: "missing",
  "unary score": "score",
  table_count: "tables.length",
  chorale_problem_set_gold: "Problem.gold",
  chorale_problem_set_cliques: "Problem.setCliques",
  "corpus->unary": "scores",
  "chain->unary": "scores",
  unary: "scores",
  factors: "factors",
  "setup->labels": "labelValues.length",
  "setup->centre_labels": "centreLabelValues.length",
  "setup->centre_values": "centre.length",
  "setup->centre_potentials": "centre",
  "options->stop_count": "stop.length",
};
// Matches a quoted text of the caller, a field of a struct, or a word.
const WORD = /"[^"]*"|unary score|\w+(?:->\w+)+|\]\.\w+|\w+/g;
const camel = (name) => name.replace(/_+(\w)/g, (_, letter) => letter.toUpperCase());

/**
 * Returns an error message of the library with the names that JavaScript uses. The struct field
 * x->field_name becomes fieldName, without x, because JavaScript passes fields of structs as
 * arguments or options. The constant CHORALE_ALGORITHM_ALPHA_PASS becomes alpha-pass. `others`:
 * JavaScript names by C names for this message only; they take precedence.
 */
export function inJavaScript(message, others = {}) {
  return message.replace(WORD, (word) => {
    if (word.startsWith('"')) return word;
    if (Object.hasOwn(others, word)) return others[word];
    if (Object.hasOwn(NAMES, word)) return NAMES[word];
    if (word.includes("->")) {
      const field = word.slice(word.lastIndexOf("->") + 2);
      return Object.hasOwn(others, field)
        ? others[field]
        : Object.hasOwn(NAMES, field)
          ? NAMES[field]
          : camel(field);
    }
    if (word.startsWith("].")) return "]." + camel(word.slice(2));
    if (word.startsWith("CHORALE_")) return constantName(word);
    return word === word.toLowerCase() && word.includes("_") ? camel(word) : word;
  });
}

// Prefixes of the constants that options name by words: CHORALE_ALGORITHM_ALPHA_PASS is
// "alpha-pass".
const PREFIX = new RegExp(
  "^CHORALE_(ALGORITHM|JOINT|MESSAGES|SCALE|SHAPE|SCHEME|OUTCOME|AGREE|TEXTS|FIRE|SEGMENT|ERROR)_",
);
function constantName(name) {
  return name
    .replace(PREFIX, "")
    .replace(/^CHORALE_/, "")
    .toLowerCase()
    .replaceAll("_", "-");
}
