// Rules: labels and costs are those of enumeration; mistakes name the rule.
import assert from "node:assert/strict";
import { test } from "node:test";
import { rules } from "../src/index.js";
import { bothModules, randomOf, refused } from "./helpers.mjs";

const SCORES = [[[1, 0], [0, 1], [0.5, 0]]];
const NAMES = ["O", "B-A", "I-A", "B-C"];

/** The kinds of the segments of labels of NAMES, with their lengths. */
function segmentsOf(labels) {
  const found = [];
  for (const name of labels.map((label) => NAMES[label])) {
    const kind = name.slice(2) || "O";
    if (kind !== found.at(-1)?.kind || name.startsWith("B-")) found.push({ kind, length: 0 });
    found.at(-1).length += 1;
  }
  return found;
}
const count = (kinds, kind) => kinds.filter((other) => other === kind).length;
const tokens = (segments, kind) =>
  segments.reduce((sum, segment) => sum + (segment.kind === kind ? segment.length : 0), 0);
/** Rules, each with its definition on the segments of a chain and their kinds. */
const DEFINITIONS = [
  [rules.once(), (s, k) => count(k, "A") <= 1 && count(k, "C") <= 1],
  [rules.atMost(2, "A"), (s, k) => count(k, "A") <= 2],
  [rules.atLeast(2, "C"), (s, k) => count(k, "C") >= 2],
  [rules.exactly(1, "C"), (s, k) => count(k, "C") === 1],
  [rules.never("C"), (s, k) => !k.includes("C")],
  [rules.atMostTokens(2, "A"), (s) => tokens(s, "A") <= 2],
  [rules.noLonger(1, "A"), (s) => s.every(({ kind, length }) => kind !== "A" || length <= 1)],
  [rules.before("A", "C"), (s, k) => !k.includes("C") || !k.includes("A", k.indexOf("C"))],
  [rules.before(null, "C"), (s, k) => !k.includes("C") || !k.includes("A", k.indexOf("C"))],
  [rules.directlyAfter("A", "C"), (s, k) => k.every((kind, i) => kind !== "A" || k[i - 1] === "C")],
  [rules.notTogether("A", "C"), (s, k) => !(k.includes("A") && k.includes("C"))],
  [rules.needs("A", "C"), (s, k) => !k.includes("A") || k.includes("C")],
  [
    rules.onceOnEachSide("A", ["C"]),
    (s, k) => {
      const at = k.includes("C") ? k.indexOf("C") : k.length;
      return [k.slice(0, at), k.slice(at)].every((side) => count(side, "A") <= 1);
    },
  ],
];

for (const [name, chorale] of await bothModules()) {
  test(`the labelling, its cost and the reasons, ${name}`, () => {
    const options = { names: ["Street", "City"], rules: [rules.once()] };
    const { labels, alone, ruled, changed, result } = chorale.decode(SCORES, options);
    assert.deepEqual([String(labels), String(alone), result.proven], ["0,1,1", "0,1,0", true]);
    assert.deepEqual(ruled, [
      {
        chain: 0, state: "kept", cost: 0.5, gap: 0, conflicts: [],
        reasons: [
          {
            position: 2, rule: 0, told: "at most 1 segment of Street", ownLabel: 0, label: 1,
            cost: 0.5,
          },
        ],
      },
    ]);
    assert.deepEqual(changed.map(({ chain, reasons }) => [chain, reasons]), [[0, []]]);
    assert.deepEqual(chorale.decode(SCORES).ruled, []);
    assert.deepEqual(chorale.decode(SCORES, { rules: [] }).ruled, []);
    assert.deepEqual(chorale.decode([[]], options).ruled, []);
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`a rule is its definition, ${name}`, () => {
    const random = randomOf(52);
    // Multiples of 1/64: sums are exact.
    const draw = () => Math.floor(random() * 256) / 64;
    const all = Array.from({ length: 4 ** 4 }, (_, at) =>
      [0, 1, 2, 3].map((t) => Math.floor(at / 4 ** t) % 4),
    );
    for (const [rule, keeps] of DEFINITIONS) {
      const scores = Array.from({ length: 20 }, () => NAMES.map(() => NAMES.map(draw)));
      const options = { names: NAMES, scheme: "bio", rules: [rule] };
      const { labels, alone, ruled, result } = chorale.decode(scores, options);
      assert.ok(result.proven, String(rule));
      scores.forEach((matrix, chain) => {
        const scoreOf = (row) => [...row].reduce((sum, label, t) => sum + matrix[t][label], 0);
        const kept = all.filter((row) => {
          const segments = segmentsOf(row);
          return keeps(segments, segments.map(({ kind }) => kind));
        });
        const best = Math.max(...kept.map(scoreOf));
        assert.equal(scoreOf(labels[chain]), best, String(rule));
        const told = ruled.find((entry) => entry.chain === chain);
        const cost = scoreOf(alone[chain]) - best;
        if (told === undefined) return assert.equal(cost, 0);
        assert.deepEqual([told.state, told.cost, told.gap], ["kept", cost, 0]);
        const changed = [0, 1, 2, 3].filter((t) => labels[chain][t] !== alone[chain][t]);
        assert.deepEqual(told.reasons.map(({ position }) => position), changed);
      });
      assert.ok(ruled.length > 0, String(rule));
    }
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`prices, limits, and rules that exclude each other, ${name}`, () => {
    const of = (wanted, options) => chorale.decode(SCORES, { rules: wanted, ...options });
    const broken = of([rules.once(null, { price: 0.25 })]);
    assert.deepEqual([String(broken.labels), broken.result.score], ["0,1,0", 2.25]);
    const dear = of([rules.once()], { mostCost: 0.1 });
    assert.deepEqual([String(dear.labels), dear.ruled[0].state], ["0,1,0", "too-dear"]);
    const wanted = [rules.once(0), rules.never(1, { price: 9 }), rules.atLeast(2, 0)];
    const two = [...SCORES, [[0, 1], [1, 0]]];
    const { labels, ruled } = chorale.decode(two, { rules: wanted });
    assert.deepEqual(labels.map(String), ["0,1,0", "1,0"]);
    assert.deepEqual(
      ruled.map(({ chain, state, cost, reasons }) => [chain, state, cost, reasons]),
      [[0, "impossible", Infinity, []], [1, "impossible", Infinity, []]],
    );
    // In the second chain, which has two positions, one of the rules is impossible by itself.
    assert.deepEqual(ruled.map(({ conflicts }) => conflicts), [
      ["at most 1 segment of 0", "at least 2 segments of 0"], ["at least 2 segments of 0"],
    ]);
    // The other chain is labelled all the same.
    const [first, second] = chorale.decode(two, {
      rules: [rules.once(), rules.exactly(2, 0, { chains: [0] }), rules.never(0, { chains: [1] })],
    }).ruled;
    assert.deepEqual([first.state, second.state, second.cost], ["impossible", "kept", 1]);
    assert.deepEqual(first.conflicts, ["at most 1 segment of 0", "exactly 2 segments of 0"]);
    assert.deepEqual(of([rules.once(null, { chains: [] })]).ruled, []);
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`an automaton is a rule, and rules join agreement, ${name}`, () => {
    const property = chorale.createAutomaton({
      labels: 2, states: 3, values: 1, // before, in and after a segment of label 0
      next: [1, 0, 1, 2, 2, 2], actions: [-1, -1, -1, -1, 0, -1],
    });
    const wanted = [rules.firesNothing(property)];
    const alone = chorale.decode(SCORES, { rules: wanted });
    assert.deepEqual([String(alone.labels), alone.result.proven], ["0,1,1", true]);
    assert.equal(alone.ruled[0].reasons[0].told, "the property fires nothing");
    const agreeing = chorale.decode([...SCORES, [[0, 0.4]], [[0, 0.4]]], {
      tokens: [["a", "b", "c"], ["a"], ["a"]], strength: 3, rules: wanted,
    });
    assert.deepEqual(agreeing.labels.map(String), ["1,1,0", "1", "1"]);
    assert.equal(agreeing.changed[0].reasons[0].what, "words");
    property.close();
    refused("CLOSED", () => chorale.decode(SCORES, { rules: wanted }),
      /^rules\[0\] \(property\)\.property is closed$/);
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`the label named O is not counted, ${name}`, () => {
    const options = { names: ["O", "City"], tokens: [["a"], ["b"], ["a"]], strength: 0.6 };
    const scores = [[[1, 0]], [[0, 1]], [[0, 0.5]]];
    assert.deepEqual(chorale.decode(scores, options).labels.map(String), ["0", "1", "1"]);
    assert.deepEqual(
      chorale.decode(scores, { ...options, uncounted: [] }).labels.map(String), ["0", "1", "0"]);
    const chain = [[[1, 0], [0, 1], [1, 0]]];
    const own = chorale.decode(chain, { names: options.names, rules: [rules.once()] });
    assert.deepEqual([String(own.labels), own.ruled], ["0,1,0", []]);
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`mistakes name the rule, ${name}`, () => {
    const no = (status, wanted, message, options) =>
      refused(status, () => chorale.decode(SCORES, { rules: wanted, ...options }), message);
    const names = ["A", "C"];
    no("WRONG_TYPE", rules.once(), /^rules is a Rule, not an array$/);
    no("WRONG_TYPE", ["once"], /^rules\[0\] is "once", not a rule, such as rules\.once\(\) makes$/);
    no("OUT_OF_RANGE", [rules.once(), rules.before("A", "D")],
      /^rules\[1\] \(before\)\.b is "D"; it must be one of the kinds: A, C$/, { names });
    no("OUT_OF_RANGE", [rules.never("A")], /^rules\[0\] \(never\)\.a is "A"; .*: none; pass names$/);
    no("OUT_OF_RANGE", [rules.needs(0, 2)], /^rules\[0\] \(needs\)\.b is 2; it must be/);
    no("OUT_OF_RANGE", [rules.before(1, 1)], /^rules\[0\] \(before\)\.b is 1, as \.a/);
    no("NULL_ARGUMENT", [rules.needs("A")], /^rules\[0\] \(needs\)\.b is missing$/, { names });
    no("NULL_ARGUMENT", [rules.never()], /^rules\[0\] \(never\)\.a is missing$/);
    no("SIZE", [rules.atMostTokens(0)], /^rules\[0\] \(at most tokens\)\.k is 0; .* at least 1$/);
    no("WRONG_TYPE", [rules.exactly("A")], /^rules\[0\] \(exactly\)\.k is "A", not an integer$/);
    no("OUT_OF_RANGE", [rules.once(0, { price: -1 })], /^rules\[0\] \(at most\)\.price is -1; .* above 0$/);
    no("OUT_OF_RANGE", [rules.once(0, { price: Infinity })], /^rules\[0\] \(at most\)\.price is/);
    no("OUT_OF_RANGE", [rules.once(0, { chains: [0, 1] })], /^rules\[0\] \(at most\)\.chains\[1\] is 1/);
    no("WRONG_TYPE", [rules.firesNothing(3)], /^rules\[0\] \(property\)\.property is 3, not a Property$/);
    no("OUT_OF_RANGE", [rules.onceOnEachSide("A", ["D"])], /^rules\[0\] \(property\)\.of is "D"/, { names });
    no("OUT_OF_RANGE", [rules.once()], /^mostCost is 0; it must be above 0$/, { mostCost: 0 });
    no("NULL_ARGUMENT", [rules.once()], /^names is missing: scheme "bio"/, { scheme: "bio" });
    no("UNKNOWN_CONSTANT", [rules.once()], /^scheme is "bmes"/, { names, scheme: "bmes" });
    no("SHAPE", [rules.once()], /^names has 1 entries; it must have 2$/, { names: ["A"] });
    const wide = chorale.createPositionLabel(3, 0);
    no("LABELS_MISMATCH", [rules.firesNothing(wide)], /^rules\[0\] \(property\)\.property has 3 labels/);
    wide.close();
    refused("WRONG_TYPE", () => rules.once("A", { prize: 1 }), /limits\.prize is not known/);
    assert.equal(chorale.allocatedBytes, 0);
  });
}
