// Tables of mentions: what became of rows and keys, a ledger against a table of all its rows, and
// invalid calls.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answers } from "../src/index.js";
import { bothModules, randomOf, refused } from "./helpers.mjs";

const EVIDENCE = { most: 4, once: 6, each: 0 };
const TWO_KEYS = {
  keys: 2,
  labels: 2,
  key: [0, 0, 0, 1, null],
  label: [0, 0, 1, 0, 1],
  confidence: [0.6, 0.6, 0.95, 0.8, 0.8],
  times: [1, 1, 1, 2, 1],
};
const labelsOf = ({ mentions }) => mentions.map(({ label }) => label);

/** Returns a table of `count` random rows of four keys and three labels. */
function randomTable(random, count) {
  const below = (n) => Math.floor(random() * n);
  const column = (make) => Array.from({ length: count }, make);
  return {
    keys: 4,
    labels: 3,
    key: column(() => (below(9) === 0 ? null : below(4))),
    label: column(() => (below(9) === 0 ? null : below(3))),
    confidence: column(() => (below(9) === 0 ? null : [0.3, 0.5, 0.8, 0.97][below(4)])),
    times: column(() => 1 + below(3)),
  };
}
/** Returns some rows of a table, in the order of their numbers. */
const rowsOf = (table, numbers) => ({
  ...table,
  ...Object.fromEntries(
    ["key", "label", "confidence", "times"].map((name) => [name, numbers.map((i) => table[name][i])]),
  ),
});

for (const [name, chorale] of await bothModules()) {
  test(`rows and keys of a table, ${name}`, () => {
    const { mentions, keys, evidence } = chorale.settle(TWO_KEYS, EVIDENCE);
    assert.deepEqual(mentions.map(({ label }) => label), [1, 1, 1, 0, 1]);
    const { probability, probabilityBefore, ...first } = mentions[0];
    assert.deepEqual(first, { label: 1, changed: true, others: 2, agreeingBefore: 1, agreeing: 2 });
    assert.ok(probability > 0.8 && probabilityBefore < 0.2);
    assert.equal(mentions[3].others, 0);
    const { against, price, expected, ...told } = keys[0];
    assert.deepEqual(told, { label: 1, conflict: false, mentions: 3 });
    assert.ok(against > 0 && price === 6 && expected > 0);
    assert.deepEqual(evidence, { ...EVIDENCE, origin: "given", mentions: 0, right: 0 });

    // Equal evidence settles nothing; an answer does.
    const even = { keys: 1, labels: 2, key: [0, 0], label: [0, 1] };
    assert.equal(chorale.settle(even, EVIDENCE).keys[0].conflict, true);
    assert.deepEqual(labelsOf(chorale.settle(even, EVIDENCE)), [0, 1]);
    const answered = chorale.settle({ ...even, answers: [1] }, EVIDENCE);
    assert.deepEqual([labelsOf(answered), answered.keys[0].conflict], [[1, 1], false]);
    const differs = { ...TWO_KEYS, answers: [answers.differs, answers.none] };
    assert.deepEqual(labelsOf(chorale.settle(differs, EVIDENCE)), [0, 0, 1, 0, 1]);

    // A row that stands for three is three rows.
    const merged = { keys: 1, labels: 2, key: [0, 0], label: [0, 1], confidence: [0.7, 0.9] };
    const repeated = { ...merged, key: [0, 0, 0, 0], label: [0, 0, 0, 1] };
    repeated.confidence = [0.7, 0.7, 0.7, 0.9];
    const [once, thrice] = [{ ...merged, times: [3, 1] }, repeated].map((of) => chorale.settle(of));
    assert.deepEqual([once.keys, once.evidence], [thrice.keys, thrice.evidence]);
    assert.equal(once.mentions[0].probability, thrice.mentions[2].probability);

    // Scores are log-probabilities, as rows or in one array; without labels the best score is taken.
    const shares = [[0.6, 0.4], [0.6, 0.4], [0.05, 0.95], [0.8, 0.2], [0.2, 0.8]];
    const scores = shares.map((row) => row.map(Math.log));
    const { label, confidence, ...bare } = TWO_KEYS;
    for (const given of [scores, Float64Array.from(scores.flat())]) {
      const found = chorale.settle({ ...bare, scores: given }, EVIDENCE);
      assert.deepEqual(labelsOf(found), [1, 1, 1, 0, 1]);
      assert.ok(Math.abs(found.mentions[0].probability - probability) < 1e-6);
    }
    // Evidence is found where it is not given.
    assert.equal(chorale.settle(TWO_KEYS).evidence.origin, "estimated");
    const learnt = chorale.settle({ ...TWO_KEYS, gold: [1, null, null, null, null] }).evidence;
    assert.deepEqual([learnt.origin, learnt.mentions], ["learnt", 1]);
    assert.deepEqual(chorale.settle({ keys: 0, labels: 1, key: [], label: [] }).mentions, []);
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`a ledger is a table, whatever the order, ${name}`, () => {
    const random = randomOf(53);
    let changed = 0;
    for (let round = 0; round < 30; ++round) {
      const table = randomTable(random, 20);
      const evidence = { most: 2.5, once: 1, each: 0.4 };
      const settled = chorale.settle(table, evidence);
      const order = Array.from(table.key.keys(), (i) => [random(), i]).sort().map(([, i]) => i);
      const ledger = chorale.createLedger(3, evidence);
      const told = [];
      const add = (to, numbers) => {
        told.push(...to.add(rowsOf(table, numbers)));
        for (const { row, label, told: before } of to.changes()) {
          assert.equal(told[row], before);
          told[row] = label;
          ++changed;
        }
      };
      for (const i of order.slice(0, 12)) add(ledger, [i]);
      // Saved as JSON, and loaded.
      const rows = JSON.parse(JSON.stringify(ledger.rows()));
      const column = (field) => rows.map((row) => row[field]);
      const loaded = chorale.createLedger(3, evidence);
      loaded.add({
        keys: 4,
        labels: 3,
        key: column("key"),
        label: column("given"),
        confidence: column("confidence"),
        times: column("times"),
        told: column("told"),
      });
      ledger.close();
      add(loaded, order.slice(12));
      assert.deepEqual(told, order.map((i) => settled.mentions[i].label));
      assert.deepEqual(loaded.rows().map(({ label }) => label), told);
      const sorted = rowsOf(table, order);
      assert.deepEqual(loaded.keys(), chorale.settle(sorted, evidence).keys);
      assert.deepEqual(loaded.refit(), chorale.settle(sorted).evidence);
      // Looking is not taking.
      const seen = loaded.changes({ take: false });
      assert.deepEqual(loaded.changes(), seen);
      assert.deepEqual(loaded.changes(), []);
      assert.deepEqual(loaded.refit(evidence), settled.evidence);
      loaded.close();
    }
    assert.ok(changed > 30, `${changed} labels changed`);
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`tables that cannot be, ${name}`, () => {
    const settle = (more, evidence) => () => chorale.settle({ ...TWO_KEYS, ...more }, evidence);
    refused("WRONG_TYPE", () => chorale.settle(), /mentions is undefined, not an object/);
    refused("WRONG_TYPE", settle({ keyes: [] }), /mentions\.keyes is not known/);
    refused("WRONG_TYPE", settle({ key: undefined }), /key is undefined, not an array/);
    refused("WRONG_TYPE", settle({ key: ["a", 0, 0, 0, 0] }), /key\[0\] is "a", not an integer/);
    refused("WRONG_TYPE", settle({ times: [1, 1, 1, null, 1] }), /times\[3\]/);
    refused("WRONG_TYPE", settle({ labels: undefined }), /labels is undefined/);
    refused("SIZE", settle({ labels: 0 }), /labels is 0/);
    refused("SIZE", settle({ keys: -1 }), /keys is -1; it must be at least 0/);
    refused("SHAPE", settle({ label: [0] }), /label has 1 entries; it must have 5/);
    refused("SHAPE", settle({ answers: [0] }), /answers has 1 entries; it must have 2/);
    refused("SHAPE", settle({ scores: [[0, 1]] }), /scores has 1 rows of 2; it must be 5 x 2/);
    refused("NULL_ARGUMENT", settle({ label: null }), /^label is missing/);
    refused("OUT_OF_RANGE", settle({ keys: 1 }), /^key\[3\] is 1/);
    refused("OUT_OF_RANGE", settle({ confidence: [0, 0, 2, 0, 0] }), /^confidence\[2\] is 2/);
    refused("OUT_OF_RANGE", settle({}, { most: -1, once: 0, each: 0 }), /^most is -1/);
    refused("OUT_OF_RANGE", settle({}, { most: 1, once: 0, each: -1 }), /^each is -1/);
    refused("WRONG_TYPE", settle({}, { most: 1, once: 0 }), /each is undefined/);
    refused("WRONG_TYPE", settle({}, { ...EVIDENCE, all: 1 }), /evidence\.all is not known/);

    refused("SIZE", () => chorale.createLedger(0, EVIDENCE), /labels is 0/);
    refused("OUT_OF_RANGE", () => chorale.createLedger(2), /most is 0; it must be above 0/);
    const ledger = chorale.createLedger(2, EVIDENCE);
    refused("STATE", () => ledger.add({ ...TWO_KEYS, gold: TWO_KEYS.label }), /^gold is/);
    refused("LABELS_MISMATCH", () => ledger.add({ ...TWO_KEYS, labels: 3 }), /^labels is 3/);
    refused("WRONG_TYPE", () => ledger.changes(true), /options is true/);
    assert.deepEqual(ledger.rows(), []);
    ledger.close();
    refused("CLOSED", () => ledger.add(TWO_KEYS));
    assert.equal(chorale.allocatedBytes, 0);
  });
}
