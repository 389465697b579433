// Errors of calls, with the names that JavaScript uses.
import { layout } from "../dist/layout.js";

// Statuses of the package itself, which the library lacks.
export const CLOSED = -1;
export const DETACHED = -2;
export const WRONG_TYPE = -3;

const OWN_NAMES = { [CLOSED]: "CLOSED", [DETACHED]: "DETACHED", [WRONG_TYPE]: "WRONG_TYPE" };

/** By number: the name of a status without its prefix. */
const STATUS_NAMES = new Map(
  Object.entries(layout.constants)
    .filter(([name]) => name.startsWith("CHORALE_ERROR_") && name !== "CHORALE_ERROR_MESSAGE_SIZE")
    .map(([name, number]) => [number, name.slice("CHORALE_ERROR_".length)]),
);

/** Numbers of statuses by name: STATUS.SHAPE. */
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

// Names that differ from what the rule of inJavaScript() makes of the library's names.
const NAMES = {
  NULL: "missing",
  "unary score": "score",
  table_count: "tables.length",
  chorale_learnt_text: "Learnt.toJSON",
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
  "options->rule_count": "rules.length",
  "options->borrow": "borrow",
  position_class: "classes",
  "attachment->property": "property",
  name_length: "name.length",
};
// Matches a quoted text of the caller, a field of a struct, or a word.
const WORD = /"[^"]*"|unary score|\w+(?:->\w+)+|\]\.\w+|\w+/g;
const camel = (name) => name.replace(/_+(\w)/g, (_, letter) => letter.toUpperCase());

/**
 * A message of the library with JavaScript's names: `fieldName` for x->field_name, since structs
 * are objects of options here, and "two-words" for constants. `others`: names of one call.
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

// "alpha-pass" for CHORALE_ALGORITHM_ALPHA_PASS; the prefixes are those of the constants that
// options name.
const PREFIX = new RegExp(
  "^CHORALE_(ALGORITHM|SCHEDULE|JOINT|MESSAGES|SCALE|SHAPE|SCHEME|BASIS|OUTCOME|AGREE|TEXTS|FIRE" +
    "|OUTSIDE|SEGMENT|FAMILY|ERROR)_",
);
function constantName(name) {
  return name
    .replace(PREFIX, "")
    .replace(/^CHORALE_/, "")
    .toLowerCase()
    .replaceAll("_", "-");
}
