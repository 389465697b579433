// The simplest interface: from scores to labels that agree (decode.h).
import {
  arrayOf,
  atLeast,
  integer,
  isMissing,
  isNothing,
  length,
  listOf,
  optionsOf,
  real,
  shown,
} from "./checks.js";
import { ChoraleError, refuse } from "./errors.js";
import { create, make } from "./handle.js";
import { FLAT, corpusOf, offsetsOf, scoresOf } from "./model.js";
import { rowsIn } from "./potential.js";
import { Problem } from "./problem.js";
import { Property, Transitions, createTransitions } from "./property.js";
import { ruledOf, rulesIn } from "./rules.js";
import { NOTHING, RUN_OPTIONS, runFields } from "./run.js";

const AGREE_OPTIONS = [
  ..."transitions edges forced allowed tokens groups counts agree".split(" "),
  ..."strength minimum stop uncounted names".split(" "),
];
const RULE_OPTIONS = ["rules", "scheme", "mostCost"];
const AGREEMENT = "what strength potential across minimum keys stop cliques weights".split(" ");
const LISTED = ["words", "keys", "cliques"]; // what agrees, beside properties

/** Returns labels, some of which may be given by their names, as numbers. */
function labelsOf(name, labels, names) {
  return Array.from(listOf(name, labels), (label, index) => {
    if (typeof label !== "string") return label;
    const known = names.map((known) => shown(known)).join(", ") || "none; pass names";
    if (!names.includes(label))
      refuse("OUT_OF_RANGE", `${name}[${index}] is ${shown(label)}; it must be one of the labels: ${known}`);
    return names.indexOf(label);
  });
}

// ---- Chains ------------------------------------------------------------------------------------

/**
 * Converts the scores of all chains to one array in the library's memory. Returns { unary, labels,
 * element, ends, flat }: its place, the number of labels, and the type of the entries
 * (chorale_element); chain i has the positions ends[i] to ends[i + 1] - 1; flat is true if the
 * caller passed FlatScores. labels is undefined if the scores are rows and there is none.
 */
function chainsOf(scope, scores) {
  if (scores !== null && typeof scores === "object" && "scores" in scores) {
    const told = optionsOf(scores, FLAT, "scores");
    const { rows, ...block } = scoresOf(scope, "scores", told.scores, told.labels);
    const ends =
      told.offsets === undefined
        ? Array.from({ length: rows + 1 }, (_, i) => i)
        : offsetsOf(told.offsets, "scores", rows, true);
    return { ...block, ends, flat: true };
  }
  const ends = [0];
  const rows = [];
  const places = []; // of each row: chain and position
  Array.from(arrayOf("scores", scores), (chain, i) => {
    Array.from(arrayOf(`scores[${i}]`, chain), (row, t) => {
      rows.push(row);
      places.push([i, t]);
    });
    ends.push(rows.length);
  });
  if (rows.length === 0) return { ends, flat: false };
  const nameOf = (r) => `scores[${places[r].join("][")}]`;
  const { place, columns } = rowsIn(scope, rows, nameOf);
  return { unary: place, labels: columns, ends, flat: false };
}

/**
 * Returns the entries of an array for each chain, which has an entry for each position, in one
 * array.
 */
function flattened(name, rows, ends) {
  const all = [];
  length(name, listOf(name, rows), ends.length - 1);
  for (let i = 0; i < rows.length; ++i) {
    const row = length(`${name}[${i}]`, listOf(`${name}[${i}]`, rows[i]), ends[i + 1] - ends[i]);
    for (let t = 0; t < row.length; ++t) all.push(row[t]);
  }
  return all;
}

// ---- Agreements --------------------------------------------------------------------------------

/**
 * Gives each different key (a word or another value) of the rows a number, its id, and nothing
 * (null, undefined, NaN) the id -1, which forms no clique. If all keys are integers, each key is
 * its own id. Returns { ids, known }: the id at each position, and a map from keys to ids, or null
 * if keys are ids.
 */
function idsOf(name, rows, ends) {
  const all = flattened(name, rows, ends);
  const given = all.filter((key) => !isNothing(key));
  const known = given.every(Number.isInteger) ? null : new Map();
  const idOf = (key) => (isNothing(key) ? -1 : known === null ? key : numberOf(known, key));
  return { ids: all.map(idOf), known };
}
function numberOf(known, key) {
  if (!known.has(key)) known.set(key, known.size);
  return known.get(key);
}

const isPair = (entry) =>
  Array.isArray(entry) &&
  entry.length === 2 &&
  (typeof entry[1] === "number" || entry[1] === "auto");

/**
 * Returns an object { asked, place, prefix } for each entry of the option `agree`. asked: the entry
 * as an `Agreement`. place: what error messages call the entry, such as "agree[1]". prefix: what
 * stands before the names of its fields, nothing if the caller did not pass an `Agreement`.
 */
function agreementsOf(options) {
  const { strength = "auto", minimum = 2, stop = [] } = options;
  const { agree = options.tokens ? "words" : [] } = options;
  const single =
    typeof agree === "string" ||
    agree instanceof Property ||
    isPair(agree) ||
    !(Symbol.iterator in Object(agree));
  const listed = single ? [[agree, "agree"]] : [...agree].map((entry, i) => [entry, `agree[${i}]`]);
  return listed.map(([entry, place]) => {
    let worth = strength;
    if (isPair(entry)) [entry, worth] = entry;
    if (entry === "words")
      return { asked: { what: "words", strength: worth, minimum, stop }, place, prefix: "" };
    if (entry instanceof Property)
      return { asked: { what: entry, strength: worth }, place, prefix: "" };
    if (entry === null || typeof entry !== "object" || Array.isArray(entry))
      refuse(
        "WRONG_TYPE",
        `${place} is ${shown(entry)}, ` +
          `neither "words" nor a Property nor an agreement nor an array of these`,
      );
    return { asked: optionsOf(entry, AGREEMENT, place), place, prefix: `${place}.` };
  });
}

/** Converts a strength to C, where 0 is for one to be found. */
function worthOf(name, strength) {
  if (strength === "auto") return 0;
  return real(name, strength) === 0 ? NOTHING.agreement : strength;
}

/**
 * Returns the fields of a chorale_agreement. tokens: what idsOf() returned for the words, or null.
 */
function agreementFields({ asked, place, prefix }, ends, tokens) {
  const { what = "words", strength = "auto", minimum = 2, across, potential, weights } = asked;
  const property = what instanceof Property ? what : undefined;
  if (!property && !LISTED.includes(what))
    refuse(
      typeof what === "string" ? "UNKNOWN_CONSTANT" : "WRONG_TYPE",
      `${prefix}what is ${shown(what)}; there are "words", "keys", "cliques" and properties`,
    );
  const fields = {
    kind: property ? "property" : what,
    across,
    strength: worthOf(`${prefix}strength`, strength),
    potential,
    minimum: atLeast(`${prefix}minimum`, minimum, 1),
    property,
    weights,
  };
  if (what === "words" && tokens === null)
    refuse("TOKENS_MISSING", `tokens is missing: ${place} needs the words of the chains`);
  if (LISTED.includes(what) && what !== "words" && asked[what] === undefined)
    refuse("NULL_ARGUMENT", `${place}.${what} is missing; an agreement of "${what}" needs them`);
  const keys = what === "keys" ? idsOf(`${place}.keys`, asked.keys, ends) : tokens;
  if (what === "keys") fields.keys = keys.ids;
  if (what === "words" || what === "keys") {
    let stop = [...(asked.stop ?? [])].filter((key) => !isNothing(key));
    if (keys.known)
      stop = stop.filter((key) => keys.known.has(key)).map((key) => keys.known.get(key));
    // Without words it is unknown whether they are texts or numbers, so `stop` is ignored.
    else if (keys.ids.every((id) => id === -1)) stop = [];
    Object.assign(fields, { stop, stopCount: stop.length });
  }
  if (what === "cliques") {
    const positions = ends.at(-1);
    const cliques = Array.from(listOf(`${place}.cliques`, asked.cliques), (clique, c) =>
      Array.from(arrayOf(`${place}.cliques[${c}]`, clique), (member, i) => {
        const name = `${place}.cliques[${c}][${i}]`;
        if (integer(name, member) < 0 || member >= positions)
          refuse(
            "OUT_OF_RANGE",
            `${name} is ${member}, and there are ${positions} positions, from 0`,
          );
        return member;
      }),
    );
    const cliqueOffsets = [0];
    for (const clique of cliques) cliqueOffsets.push(cliqueOffsets.at(-1) + clique.length);
    Object.assign(fields, { cliques: cliques.length, cliqueOffsets, members: cliques.flat() });
  }
  return fields;
}

// ---- Calls -------------------------------------------------------------------------------------

/**
 * Calls body(scope, { corpus, agreements, labels, ends, wanted, tokens, groupNames }) with the
 * arguments of decode() or buildProblem() converted for C, and returns its result. `corpus` is the
 * place of a chorale_corpus, `agreements` that of chorale_agreement structs, `labels` the number of
 * labels. `ends` is that of chainsOf(), `wanted` is what agreementsOf() returned, `tokens` is what
 * idsOf() returned for the words, and `groupNames` maps the caller's groups to numbers. If body
 * throws, the message is changed to name chains and agreements by the caller's indices.
 */
function specified(native, scores, told, body) {
  return native.scoped((scope) => {
    const { ends, flat, labels: width, ...block } = chainsOf(scope, scores);
    let { transitions } = told;
    if (!isMissing(transitions) && !(transitions instanceof Transitions)) {
      transitions = createTransitions(native, transitions, { labels: width }, "transitions");
      scope.later(() => transitions.close());
    }
    const tokens = isMissing(told.tokens) ? null : idsOf("tokens", told.tokens, ends);
    const chains = ends.length - 1;
    const groupNames = new Map();
    const groups =
      told.groups &&
      Array.from(length("groups", listOf("groups", told.groups), chains), (group) =>
        numberOf(groupNames, group),
      );
    const wanted = agreementsOf(told);
    const names = Array.from(listOf("names", told.names ?? []));
    const uncounted = labelsOf("uncounted", told.uncounted ?? names.filter((name) => name === "O"), names);
    const positions = ends.at(-1);
    const agreements = scope.place("agreement", wanted.length);
    wanted.forEach((entry, index) =>
      scope.fill(agreements, agreementFields(entry, ends, tokens), {
        counts: { weights: entry.asked.what instanceof Property ? chains : positions },
        prefix: entry.prefix,
        index,
      }),
    );
    // Chains without positions fit any number of labels: that of what is given beside them.
    const beside = [
      transitions?.labels,
      ...wanted.map(({ asked: { what, potential } }) => what?.labels ?? potential?.values),
      names.length,
    ];
    const labels = width ?? beside.find(Boolean) ?? 1;
    if (!isMissing(told.names)) length("names", names, labels);
    const { edges, forced, allowed, counts } = told;
    const given = { ...block, chains, offsets: ends, transitions, edges, forced, allowed, counts };
    const corpus = corpusOf(scope, { ...given, tokens: tokens?.ids, groups, uncounted }, labels, positions);
    try {
      return body(scope, { corpus, agreements, labels, ends, wanted, tokens, groupNames });
    } catch (error) {
      if (error instanceof ChoraleError) error.message = placed(error.message, ends, flat, wanted);
      throw error;
    }
  });
}

/**
 * Returns an error message of the library in which positions and agreements have the caller's
 * indices.
 */
function placed(message, ends, flat, wanted) {
  return message
    .replace(/\bagreements\[(\d+)\](\.strength|\.minimum|\.stop)?/g, (_, number, field = "") => {
      const { place, prefix } = wanted[Number(number)];
      return prefix || field === "" ? place + field : field.slice(1);
    })
    .replace(/ chains\[\d+\]:/, "")
    .replace(/\b(scores|tokens|keys)\[(\d+)\]/g, (whole, name, number) => {
      if (flat && name === "scores") return whole;
      let chain = 0;
      while (ends[chain + 1] <= Number(number)) ++chain;
      return `${name}[${chain}][${Number(number) - ends[chain]}]`;
    });
}

export function decode(native, scores, options) {
  const told = optionsOf(options, [...AGREE_OPTIONS, ...RULE_OPTIONS, ...RUN_OPTIONS]);
  return specified(native, scores, told, (scope, asked) => {
    const fields = runFields(native, told);
    scope.later(() => native.callbacks.delete(fields.progressUser));
    const rules = rulesIn(native, scope, told, asked.labels);
    // The scores are borrowed: they stay in the scope until the result is freed.
    const corpus = scope.fill(asked.corpus, { borrow: true });
    const run = scope.struct("run_options", { ...fields, rules: rules.at });
    const { agreements } = asked;
    const given = [corpus, agreements, agreements.count, run];
    const decoded = create("decoded", native, "chorale_decode", given);
    scope.later(() => native.raw("chorale_decoded_destroy", [decoded]));
    return {
      ...decodedOf(native, scope, decoded, asked),
      ruled: ruledOf(native, decoded, rules.told),
    };
  });
}

function decodedOf(native, scope, decoded, { ends, wanted }) {
  const result = scope.struct("run_result");
  native.call("chorale_decoded_get_result", [decoded, result]);
  const [labels, alone] = [0, 1].map((labelling) => {
    const all = native.list("int32", "chorale_decoded_labels", decoded, labelling);
    return Array.from({ length: ends.length - 1 }, (_, i) => all.subarray(ends[i], ends[i + 1]));
  });
  const reasons = new Map();
  for (const reason of native.list("reason", "chorale_decoded_reasons", decoded)) {
    const { what: asked } = wanted[reason.agreement].asked;
    const what = asked === "words" ? asked : reason.agreement;
    if (!reasons.has(reason.chain)) reasons.set(reason.chain, []);
    reasons.get(reason.chain).push({ what, ...reason });
  }
  const changed = [];
  labels.forEach((row, chain) => {
    if (row.some((label, t) => label !== alone[chain][t]))
      changed.push({ chain, alone: alone[chain], labels: row, reasons: reasons.get(chain) ?? [] });
  });
  const strengths = wanted.map((_, k) => native.raw("chorale_decoded_strength", [decoded, k]));
  const run = native.raw("chorale_decoded_run", [decoded]);
  const leftOut = native.list("left_out", "chorale_run_left_out", run);
  return { labels, alone, changed, leftOut, strengths, result: result.value };
}

export function buildProblem(native, scores, options) {
  const told = optionsOf(options, [...AGREE_OPTIONS, "gold"]);
  return specified(native, scores, told, (scope, asked) => {
    const { corpus, agreements, ends, wanted, tokens, groupNames } = asked;
    const gold = told.gold && flattened("gold", told.gold, ends);
    const problem = make(Problem, native, "problem_create_agreeing", [
      corpus,
      agreements,
      agreements.count,
      scope.numbers("int32", "gold", gold),
    ]);
    try {
      if (told.names !== undefined) problem.setTexts("labels", told.names);
      if (wanted.length > 0)
        problem.setTexts(
          "kinds",
          wanted.map(({ asked: { what } }, i) => (what === "words" ? "word" : `agreement ${i}`)),
        );
      if (tokens?.known && ends.at(-1) > 0) {
        const words = [...tokens.known.keys()].map(String);
        problem.setTexts(
          "words",
          tokens.ids.map((id) => words[id] ?? ""),
        );
      }
      if ([...groupNames.keys()].some((group) => typeof group === "string"))
        problem.setTexts("groups", [...groupNames.keys()].map(String));
      return problem;
    } catch (error) {
      problem.close();
      throw error;
    }
  });
}
