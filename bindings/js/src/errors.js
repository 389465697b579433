// Errors of calls, with the names that JavaScript uses.
import { layout } from "../dist/layout.js";

const OF_STATUS = /^CHORALE_ERROR_(?!MESSAGE_SIZE)/;
/** Numbers of statuses by their names: "SHAPE" for CHORALE_ERROR_SHAPE. */
export const STATUS = {
  // Of errors that this package finds itself.
  CLOSED: -1,
  DETACHED: -2,
  WRONG_TYPE: -3,
  ...Object.fromEntries(
    Object.entries(layout.constants)
      .filter(([name]) => OF_STATUS.test(name))
      .map(([name, number]) => [name.replace(OF_STATUS, ""), number]),
  ),
};

export class ChoraleError extends Error {
  /** status: its name. */
  constructor(status, message, cause) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ChoraleError";
    this.status = STATUS[status];
    this.statusName = status;
  }
}

export function refuse(status, message, cause) {
  throw new ChoraleError(status, message, cause);
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
