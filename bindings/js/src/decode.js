// The simplest interface: from scores to labels that agree (decode.h).
import { ChoraleError, STATUS, WRONG_TYPE, refuse } from "./errors.js";
import { create, given, make } from "./handle.js";
import {
  arrayOf,
  atLeast,
  integer,
  isMissing,
  isNothing,
  length,
  optionsOf,
  real,
  shown,
  sizeOf,
} from "./native.js";
import { ELEMENTS, FLAT, scoresOf, sizedOf } from "./model.js";
import { Potential, flagsOf, result } from "./potential.js";
import { Property, Transitions, createTransitions } from "./property.js";
import { Problem } from "./problem.js";
import { ruledOf, withRules } from "./rules.js";
import { NOTHING, RUN_OPTIONS, leftOutOf, structs, withProgress } from "./run.js";

const AGREE_OPTIONS = [
  ..."transitions edges forced allowed tokens groups agree".split(" "),
  ..."strength minimum stop uncounted names".split(" "),
];
const RULE_OPTIONS = ["rules", "scheme", "mostCost"];
const AGREEMENT = "what strength potential across minimum keys stop cliques weights".split(" ");
const KINDS = { words: 0, keys: 10, property: 20, cliques: 30 };

// ---- Chains ------------------------------------------------------------------------------------

/**
 * Converts the scores of all chains to one array in the library's memory. Returns { at, labels,
 * element, ends, flat }: the address of the array, the number of labels, and the type of the
 * entries (chorale_element); chain i has the positions ends[i] to ends[i + 1] - 1; flat is true if
 * the caller passed FlatScores. labels is undefined if the scores are rows and there is none.
 */
function chainsOf(native, scope, scores) {
  if (scores !== null && typeof scores === "object" && "scores" in scores) {
    const told = optionsOf(scores, FLAT, "scores");
    const block = scoresOf(scope, "scores", told.scores, told.labels);
    const ends =
      told.offsets === undefined
        ? Array.from({ length: block.length + 1 }, (_, i) => i)
        : Array.from(arrayOf("offsets", told.offsets), (end, i) => integer(`offsets[${i}]`, end));
    const rule = `offsets must ascend from 0 to ${block.length}, the number of positions`;
    if (ends.length === 0) refuse(STATUS.OUT_OF_RANGE, `offsets is empty; ${rule}`);
    let wrong = ends.findIndex((end, i) => (i === 0 ? end !== 0 : end < ends[i - 1]));
    if (wrong < 0 && ends.at(-1) !== block.length) wrong = ends.length - 1;
    if (wrong >= 0) refuse(STATUS.OUT_OF_RANGE, `offsets[${wrong}] is ${ends[wrong]}; ${rule}`);
    return { at: block.at, labels: block.labels, element: block.element, ends, flat: true };
  }
  const chains = arrayOf("scores", scores);
  const ends = [0];
  for (let i = 0; i < chains.length; ++i)
    ends.push(ends[i] + arrayOf(`scores[${i}]`, chains[i]).length);
  let first = 0;
  while (first < chains.length && chains[first].length === 0) ++first;
  if (first === chains.length) return { at: 0, element: 0, ends, flat: false };
  const labels = arrayOf(`scores[${first}][0]`, chains[first][0]).length;
  const at = scope.allocate(8 * ends.at(-1) * labels);
  const all = native.array("float64", at, ends.at(-1) * labels);
  for (let i = 0; i < chains.length; ++i) {
    for (let t = 0; t < chains[i].length; ++t) {
      const name = `scores[${i}][${t}]`;
      const row = length(name, arrayOf(name, chains[i][t]), labels);
      const from = (ends[i] + t) * labels;
      for (let y = 0; y < labels; ++y) {
        if (typeof row[y] !== "number")
          refuse(WRONG_TYPE, `${name}[${y}] is ${shown(row[y])}, not a number`);
        all[from + y] = row[y];
      }
    }
  }
  return { at, labels, element: 0, ends, flat: false };
}

// ---- Agreements --------------------------------------------------------------------------------

/**
 * Gives each different key (a word or another value) of the rows a number, its id, and nothing (null,
 * undefined, NaN) the id -1, which forms no clique. If all keys are integers, each key is its own id.
 * Returns { ids, known }: the id at each position, and a map from keys to ids, or null if keys are ids.
 */
function idsOf(name, rows, ends) {
  const outer = length(name, arrayOfAny(name, rows), ends.length - 1);
  const all = [];
  for (let i = 0; i < outer.length; ++i) {
    const row =
      typeof outer[i] === "string"
        ? refuse(WRONG_TYPE, `${name}[${i}] is ${shown(outer[i])}, not an array`)
        : arrayOfAny(`${name}[${i}]`, outer[i]);
    length(`${name}[${i}]`, row, ends[i + 1] - ends[i]);
    for (let t = 0; t < row.length; ++t) all.push(row[t]);
  }
  const given = all.filter((key) => !isNothing(key));
  const known = given.every(Number.isInteger) ? null : new Map();
  const idOf = (key) => (isNothing(key) ? -1 : known === null ? key : numberOf(known, key));
  return { ids: all.map(idOf), known };
}
function numberOf(known, key) {
  if (!known.has(key)) known.set(key, known.size);
  return known.get(key);
}
function arrayOfAny(name, value) {
  if (value === null || typeof value !== "object" || !Number.isSafeInteger(value.length))
    refuse(WRONG_TYPE, `${name} is ${shown(value)}, not an array`);
  return value;
}

const isPair = (entry) =>
  Array.isArray(entry) &&
  entry.length === 2 &&
  (typeof entry[1] === "number" || entry[1] === "auto");

/**
 * Returns an object { asked, place, own } for each entry of the option `agree`. asked: the entry as
 * an `Agreement`. place: what error messages call the entry, such as "agree[1]". own: true if the
 * caller passed an `Agreement`, so that error messages may name its fields.
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
      return { asked: { what: "words", strength: worth, minimum, stop }, place, own: false };
    if (entry instanceof Property)
      return { asked: { what: entry, strength: worth }, place, own: false };
    if (entry === null || typeof entry !== "object" || Array.isArray(entry))
      refuse(
        WRONG_TYPE,
        `${place} is ${shown(entry)}, ` +
          `neither "words" nor a Property nor an agreement nor an array of these`,
      );
    return { asked: optionsOf(entry, AGREEMENT, place), place, own: true };
  });
}

/** Converts a strength to C, where 0 is for one to be found. */
function worthOf(name, strength) {
  if (strength === "auto") return 0;
  return real(name, strength) === 0 ? NOTHING.agreement : strength;
}

/**
 * Converts an agreement to the fields of a chorale_agreement. tokens: what idsOf() returned for the
 * words, or null.
 */
function agreementFields(native, scope, { asked, place, own }, ends, tokens) {
  const prefix = own ? `${place}.` : "";
  const { what = "words", strength = "auto", minimum = 2 } = asked;
  const isProperty = what instanceof Property;
  if (
    !isProperty &&
    (typeof what !== "string" || what === "property" || !Object.hasOwn(KINDS, what))
  )
    refuse(
      typeof what === "string" ? STATUS.UNKNOWN_CONSTANT : WRONG_TYPE,
      `${prefix}what is ${shown(what)}; there are "words", "keys", "cliques" and properties`,
    );
  const fields = {
    kind: KINDS[isProperty ? "property" : what],
    across: asked.across ? 1 : 0,
    strength: worthOf(`${prefix}strength`, strength),
    potential: given(native, `${prefix}potential`, asked.potential, Potential, true),
    minimum: atLeast(`${prefix}minimum`, minimum, 1),
    property: isProperty ? given(native, place, what, Property) : 0,
  };
  let keys = null;
  if (what === "words") {
    keys = tokens;
    if (keys === null)
      refuse(STATUS.TOKENS_MISSING, `tokens is missing: ${place} needs the words of the chains`);
  } else if (what === "keys") {
    if (asked.keys === undefined)
      refuse(STATUS.NULL_ARGUMENT, `${place}.keys is missing; an agreement of "keys" needs them`);
    keys = idsOf(`${place}.keys`, asked.keys, ends);
    fields.keys = scope.numbers("int32", `${place}.keys`, keys.ids);
  }
  if (keys !== null) {
    let stop = [...(asked.stop ?? [])].filter((key) => !isNothing(key));
    if (keys.known)
      stop = stop.filter((key) => keys.known.has(key)).map((key) => keys.known.get(key));
    // Without words it is unknown whether they are texts or numbers, so `stop` is ignored.
    else if (keys.ids.every((id) => id === -1)) stop = [];
    fields.stop = scope.numbers("int32", `${prefix}stop`, stop);
    fields.stop_count = stop.length;
  }
  if (what === "cliques") {
    if (asked.cliques === undefined)
      refuse(
        STATUS.NULL_ARGUMENT,
        `${place}.cliques is missing; an agreement of "cliques" needs them`,
      );
    const offsets = [0];
    const members = [];
    arrayOfAny(`${place}.cliques`, asked.cliques);
    for (let c = 0; c < asked.cliques.length; ++c) {
      const name = `${place}.cliques[${c}]`;
      const clique = arrayOf(name, asked.cliques[c]);
      for (let i = 0; i < clique.length; ++i) {
        const member = integer(`${name}[${i}]`, clique[i]);
        if (member < 0 || member >= ends.at(-1))
          refuse(
            STATUS.OUT_OF_RANGE,
            `${name}[${i}] is ${member}, and there are ${ends.at(-1)} positions, from 0`,
          );
        members.push(member);
      }
      offsets.push(members.length);
    }
    Object.assign(fields, {
      cliques: offsets.length - 1,
      clique_offsets: scope.numbers("int64", "cliques", offsets),
      members: scope.numbers("int64", "cliques", members),
    });
  }
  if (asked.weights !== undefined)
    fields.weights = scope.sized(
      "int64",
      `${place}.weights`,
      asked.weights,
      isProperty ? ends.length - 1 : ends.at(-1),
    );
  return fields;
}

// ---- Calls -------------------------------------------------------------------------------------

/**
 * Calls body({ scope, corpus, agreements, count, labels, ends, wanted, tokens, groupNames }) with the
 * arguments of decode() or buildProblem() converted for C, and returns its result. `corpus` is the
 * address of a chorale_corpus, `agreements` that of `count` chorale_agreement structs, `labels` the
 * number of labels. `ends` is that of chainsOf(), `wanted` is what agreementsOf() returned, `tokens`
 * is what idsOf() returned for the words, and `groupNames` maps the caller's groups to numbers. If
 * body throws, the message is changed to name chains and agreements by the caller's indices.
 */
function specified(native, scores, told, body) {
  return native.scoped((scope) => {
    const chains = chainsOf(native, scope, scores);
    const { ends } = chains;
    let transitions = told.transitions ?? null;
    let made = null;
    if (transitions !== null && !(transitions instanceof Transitions)) {
      try {
        transitions = made = createTransitions(native, transitions, { labels: chains.labels });
      } catch (error) {
        if (error instanceof ChoraleError)
          error.message = error.message.replace(/\bscores\b/, "transitions");
        throw error;
      }
    }
    try {
      const tokens = (told.tokens ?? null) === null ? null : idsOf("tokens", told.tokens, ends);
      const groupNames = new Map();
      const groups =
        told.groups === undefined
          ? undefined
          : Array.from(
              length("groups", arrayOfAny("groups", told.groups), ends.length - 1),
              (group) => numberOf(groupNames, group),
            );
      const wanted = agreementsOf(told);
      const names = Array.from(arrayOfAny("names", told.names ?? []));
      const uncounted =
        told.uncounted ?? names.flatMap((name, label) => (name === "O" ? [label] : []));
      const [positions, m] = [ends[ends.length - 1], chains.labels ?? 0];
      const corpus = scope.struct("corpus", {
        chains: ends.length - 1,
        offsets: scope.numbers("int64", "offsets", ends),
        element: chains.element,
        unary: chains.at,
        transitions: given(native, "transitions", transitions, Transitions, true),
        edges: sizedOf(scope, ELEMENTS[chains.element], "edges", told.edges, positions * m * m),
        forced: sizedOf(scope, "int32", "forced", told.forced, positions),
        allowed: flagsOf(scope, "allowed", told.allowed, positions * m),
        tokens: tokens === null ? 0 : scope.numbers("int32", "tokens", tokens.ids),
        groups: scope.numbers("int64", "groups", groups),
        ...(arrayOf("uncounted", uncounted).length > 0 && {
          uncounted: scope.numbers("int32", "uncounted", uncounted),
          uncounted_count: uncounted.length,
        }),
      });
      const size = sizeOf("agreement");
      const agreements = scope.zeros(size * wanted.length);
      wanted.forEach((entry, i) => {
        const at = agreements + i * size;
        const fields = agreementFields(native, scope, entry, ends, tokens);
        native.set("agreement", at, { ...fields, struct_size: size });
      });
      // Chains without positions fit any number of labels: that of what is given beside them.
      const beside = [
        transitions?.labels,
        ...wanted.map(({ asked: { what, potential } }) => what?.labels ?? potential?.values),
        names.length,
      ];
      const labels = chains.labels ?? beside.find(Boolean) ?? 1;
      if (!isMissing(told.names)) length("names", names, labels);
      native.set("corpus", corpus, { labels });
      try {
        return body({
          scope,
          corpus,
          agreements,
          count: wanted.length,
          labels,
          ends,
          wanted,
          tokens,
          groupNames,
        });
      } catch (error) {
        if (error instanceof ChoraleError) error.message = placed(error.message, chains, wanted);
        throw error;
      }
    } finally {
      made?.close();
    }
  });
}

/**
 * Returns an error message of the library in which positions and agreements have the caller's
 * indices.
 */
function placed(message, { ends, flat }, wanted) {
  return message
    .replace(/\bagreements\[(\d+)\](\.strength|\.minimum|\.stop)?/g, (_, number, field = "") => {
      const { place, own } = wanted[Number(number)];
      return own || field === "" ? place + field : field.slice(1);
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
  const { fields, progress } = withProgress(native, told);
  try {
    return specified(native, scores, told, (converted) => {
      const { scope, corpus, agreements, count, labels, ends, wanted } = converted;
      return withRules(native, scope, told, labels, (ruleStructs, ruleTold) => {
        // The scores are borrowed: they stay in the scope until the result is freed.
        native.set("corpus", corpus, { borrow: 1 });
        fields.rules = ruleStructs;
        const decoded = create(
          native,
          "chorale_decode",
          [native.host, corpus, agreements, count, scope.struct("run_options", fields)],
          {},
          "chorale_decoded_destroy",
        );
        try {
          const ruled = ruledOf(native, decoded, ruleTold);
          return { ...decodedOf(native, scope, decoded, ends, wanted), ruled };
        } finally {
          native.raw("chorale_decoded_destroy", [decoded]);
        }
      });
    });
  } finally {
    native.callbacks.delete(progress);
  }
}

function decodedOf(native, scope, decoded, ends, wanted) {
  const at = scope.struct("run_result");
  native.call("chorale_decoded_get_result", [decoded, at]);
  const rows = (labelling) => {
    const count = ends.at(-1);
    const all = result(native, "int32", count, (to) =>
      native.call("chorale_decoded_labels", [decoded, labelling, to, count, 0]),
    );
    return Array.from({ length: ends.length - 1 }, (_, i) => all.subarray(ends[i], ends[i + 1]));
  };
  const told = native.read("run_result", at);
  const [labels, own] = [rows(0), rows(1)];
  const size = sizeOf("reason");
  const reasons = new Map();
  for (const reason of structs(native, "reason", (to, capacity, needed) =>
    native.call("chorale_decoded_reasons", [decoded, to, size, capacity, needed]),
  )) {
    const { what: asked } = wanted[reason.agreement].asked;
    const what = asked === "words" ? asked : reason.agreement;
    if (!reasons.has(reason.chain)) reasons.set(reason.chain, []);
    reasons.get(reason.chain).push({ what, ...reason });
  }
  const changed = [];
  labels.forEach((row, chain) => {
    if (row.some((label, t) => label !== own[chain][t]))
      changed.push({ chain, own: own[chain], labels: row, reasons: reasons.get(chain) ?? [] });
  });
  const strengths = wanted.map((_, k) => native.raw("chorale_decoded_strength", [decoded, k]));
  const run = native.raw("chorale_decoded_run", [decoded]);
  const leftOut = leftOutOf(native, (...to) => native.call("chorale_run_left_out", [run, ...to]));
  return { labels, own, changed, leftOut, strengths, result: told };
}

export function buildProblem(native, scores, options) {
  const told = optionsOf(options, [...AGREE_OPTIONS, "gold"]);
  return specified(
    native,
    scores,
    told,
    ({ scope, corpus, agreements, count, ends, wanted, tokens, groupNames }) => {
      let gold = 0;
      if (told.gold !== undefined) {
        const rows = length("gold", arrayOfAny("gold", told.gold), ends.length - 1);
        const all = [];
        for (let i = 0; i < rows.length; ++i)
          all.push(...length(`gold[${i}]`, arrayOf(`gold[${i}]`, rows[i]), ends[i + 1] - ends[i]));
        gold = scope.numbers("int32", "gold", all);
      }
      const problem = make(Problem, native, "problem_create_agreeing", [
        native.host, corpus, agreements, count, gold,
      ]);
      try {
        if (told.names !== undefined) problem.setTexts("labels", told.names);
        if (count > 0)
          problem.setTexts(
            "kinds",
            wanted.map(({ asked }, i) => (asked.what === "words" ? "word" : `agreement ${i}`)),
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
    },
  );
}
