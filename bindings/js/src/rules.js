// Rules: what the labelling of a chain must look like (rules.h).
import { atLeast, int32, isMissing, optionsOf, real, shown } from "./checks.js";
import { refuse } from "./errors.js";
import { fire, mapIn, properties } from "./property.js";

const segments = (k) => `${k} segment${k === 1 ? "" : "s"}`;
// Each kind of rules in words.
const RULE_WORDS = {
  "at-most": (a, b, k) => `at most ${segments(k)} of ${a}`,
  "at-least": (a, b, k) => `at least ${segments(k)} of ${a}`,
  exactly: (a, b, k) => `exactly ${segments(k)} of ${a}`,
  never: (a) => `never ${a}`,
  "at-most-tokens": (a, b, k) => `at most ${k} positions of ${a}`,
  "no-longer": (a, b, k) => `no segment of ${a} of more than ${k} positions`,
  before: (a, b) => `${a} before ${b}`,
  "directly-after": (a, b) => `${a} only directly after ${b}`,
  "not-together": (a, b) => `${a} not together with ${b}`,
  needs: (a, b) => `${a} needs ${b}`,
  property: () => "the property fires nothing",
};
const PAIRS = ["before", "directly-after", "not-together", "needs"];

class Rule {
  /** fields: of k, a, b, property and sides those that the kind takes. */
  constructor(kind, fields, limits) {
    Object.assign(this, { kind, k: 1 }, fields, optionsOf(limits, ["price", "chains"], "limits"));
    Object.freeze(this);
  }
  /** True if the rule stands for one rule for each kind a. */
  get each() {
    return this.kind !== "property" && isMissing(this.a);
  }
  toString() {
    return this.told(this.each ? "each label" : this.a);
  }
  /** Returns the rule in words, for one kind a. */
  told(a) {
    const words = this.sides
      ? `at most 1 segment of ${a} on each side of ${this.sides.join(" or ")}`
      : RULE_WORDS[this.kind](a, this.b, this.k);
    return isMissing(this.price) ? words : `${words}, or pay ${this.price}`;
  }
}

export const rules = Object.freeze({
  once: (a, limits) => new Rule("at-most", { a }, limits),
  atMost: (k, a, limits) => new Rule("at-most", { k, a }, limits),
  atLeast: (k, a, limits) => new Rule("at-least", { k, a }, limits),
  exactly: (k, a, limits) => new Rule("exactly", { k, a }, limits),
  never: (a, limits) => new Rule("never", { a }, limits),
  atMostTokens: (k, a, limits) => new Rule("at-most-tokens", { k, a }, limits),
  noLonger: (k, a, limits) => new Rule("no-longer", { k, a }, limits),
  before: (a, b, limits) => new Rule("before", { a, b }, limits),
  directlyAfter: (a, b, limits) => new Rule("directly-after", { a, b }, limits),
  notTogether: (a, b, limits) => new Rule("not-together", { a, b }, limits),
  needs: (a, b, limits) => new Rule("needs", { a, b }, limits),
  firesNothing: (property, limits) => new Rule("property", { property }, limits),
  onceOnEachSide: (a, of, limits) => new Rule("property", { a, sides: [...of] }, limits),
});

// ---- Passing rules -----------------------------------------------------------------------------

/**
 * Returns the kinds of labels, as a LabelMap with the names of the kinds; `names` may be missing.
 */
function kindsOf(native, names, scheme, labels) {
  if (isMissing(names)) {
    if (scheme !== "plain")
      refuse(
        "NULL_ARGUMENT",
        `names is missing: scheme ${shown(scheme)} needs the names of the labels`,
      );
    const kindOfLabel = Array.from({ length: labels }, (_, label) => label);
    return { kindOfLabel, kinds: labels, kindNames: [] };
  }
  const map = properties.labelMap(native, names, scheme);
  const kindNames = [];
  map.kindOfLabel.forEach((kind, label) => {
    const whole = scheme === "plain" || names[label].length < 2;
    kindNames[kind] ??= whole ? names[label] : names[label].slice(2);
  });
  return { ...map, kindNames };
}

function kindNumber(place, kind, { kindNames }) {
  if (isMissing(kind)) refuse("NULL_ARGUMENT", `${place} is missing`);
  if (typeof kind !== "string") return int32(place, kind);
  const number = kindNames.indexOf(kind);
  if (number < 0)
    refuse(
      "OUT_OF_RANGE",
      `${place} is ${shown(kind)}; it must be one of the kinds: ` +
        (kindNames.join(", ") || "none; pass names"),
    );
  return number;
}

/**
 * Returns a property that fires at a second segment of a before the first label of the kinds
 * `sides`, or at a second one after it.
 */
function sidesOf(native, place, { a, sides }, map) {
  const kind = kindNumber(`${place}.a`, a, map);
  const of = sides.map((side) => kindNumber(`${place}.of`, side, map));
  const labels = map.kindOfLabel.length;
  const next = [];
  const actions = [];
  // Before a segment, in it, and after it; then the same on the other side.
  for (let state = 0; state < 6; ++state) {
    const stage = state % 3;
    const side = state - stage;
    for (let label = 0; label < labels; ++label) {
      const isA = map.kindOfLabel[label] === kind;
      const crosses = !isA && side === 0 && of.includes(map.kindOfLabel[label]);
      const again = isA && (stage === 2 || (stage === 1 && map.begins?.[label]));
      next.push(isA ? side + 1 : crosses ? 3 : stage === 1 ? side + 2 : state);
      actions.push(again ? 0 : fire.nothing);
    }
  }
  return properties.createAutomaton(native, { labels, states: 6, values: 1, next, actions });
}

/** Returns the fields of a chorale_rule for a rule that error messages call `place`. */
function ruleFields(native, scope, place, rule, map) {
  const { kind, each, chains } = rule;
  const fields = {
    kind,
    each,
    chains,
    k: atLeast(`${place}.k`, rule.k, 1),
    property: rule.property,
  };
  if (rule.sides) {
    fields.property = sidesOf(native, place, rule, map);
    scope.later(() => fields.property.close());
  } else if (kind !== "property" && (!each || kind === "never"))
    fields.a = kindNumber(`${place}.a`, rule.a, map);
  if (PAIRS.includes(kind)) fields.b = kindNumber(`${place}.b`, rule.b, map);
  if (!isMissing(rule.price)) fields.price = above0(`${place}.price`, rule.price);
  return { ...fields, chainCount: chains?.length };
}
function above0(name, value) {
  if (!(real(name, value) > 0)) refuse("OUT_OF_RANGE", `${name} is ${value}; it must be above 0`);
  return value;
}

/**
 * Converts the rules of `options`; labels: their number. Returns { at, told }: the place of a
 * chorale_rules, and a function that returns the rule of a number in words, for one kind a. {} if
 * there are no rules.
 */
export function rulesIn(native, scope, options, labels) {
  const { rules: wanted = [], names, scheme = "plain", mostCost } = options;
  if (!Array.isArray(wanted)) refuse("WRONG_TYPE", `rules is ${shown(wanted)}, not an array`);
  if (wanted.length === 0) return {};
  const map = kindsOf(native, names, scheme, labels);
  const place = scope.place("rule", wanted.length);
  wanted.forEach((rule, index) => {
    const name = `rules[${index}]`;
    if (!(rule instanceof Rule))
      refuse("WRONG_TYPE", `${name} is ${shown(rule)}, not a rule, such as rules.once() makes`);
    const told = `${name} (${rule.kind.replaceAll("-", " ")})`;
    const fields = ruleFields(native, scope, told, rule, map);
    scope.fill(place, fields, { prefix: `${told}.`, index });
  });
  const at = scope.struct("rules", {
    rules: place,
    count: wanted.length,
    map: mapIn(scope, map).at,
    mostCost: isMissing(mostCost) ? 0 : above0("mostCost", mostCost),
  });
  const told = (number, a) =>
    wanted[number].each ? wanted[number].told(map.kindNames[a] ?? a) : String(wanted[number]);
  return { at, told };
}

// ---- What they did -----------------------------------------------------------------------------

/** Returns the chains to which rules were added. told: that of rulesIn(). */
export function ruledOf(native, decoded, told) {
  const read = (struct) => native.list(struct, `chorale_decoded_${struct}s`, decoded);
  const ruled = read("ruled_chain").map((chain) => ({ ...chain, conflicts: [], reasons: [] }));
  const byChain = new Map(ruled.map((entry) => [entry.chain, entry]));
  for (const { chain, rule, a } of read("rule_conflict"))
    byChain.get(chain).conflicts.push(told(rule, a));
  for (const { chain, a, ...reason } of read("rule_reason"))
    byChain.get(chain).reasons.push({ ...reason, told: told(reason.rule, a) });
  return ruled;
}
