// Prices: one name in three documents, prices compared with their definition, and invalid calls.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bothModules, refused } from "./helpers.mjs";

const SCORES = [
  [[2, 0], [1, 0], [0.5, 0]],
  [[1.5, 0], [1, 0], [0, 0.25]],
  [[0, 0.5], [0, 0.75], [0, 1]],
];

/**
 * Returns a model of single items. The first `size` items form a clique, the next `size` items
 * another, and so on.
 */
function itemsOf(chorale, rows, size, potential) {
  const builder = chorale.createModelBuilder();
  rows.forEach((row, i) => {
    if (i % size === 0) builder.addCliques(1, { potential }).first;
    builder.addMembers(Math.floor(i / size), [builder.addChain({ scores: [row] })], { positions: [0] });
  });
  const model = builder.freeze();
  builder.close();
  return model;
}

for (const [name, chorale] of await bothModules()) {
  test(`one name in three documents, ${name}`, () => {
    const potential = chorale.createPotts(2, 1, { scale: "members" });
    const documents = SCORES.map((rows) => {
      const other = chorale.createPotts(2, 7);
      const model = itemsOf(chorale, rows, 3, other);
      const document = chorale.createPrices(model, [0]);
      for (const handle of [model, other]) handle.close(); // the prices keep the model alive
      return document;
    });
    const whole = itemsOf(chorale, SCORES.flat(), 9, potential);
    for (const [begin, counts, score] of [
      [[0, 0], [5, 4], 13.06],
      [[9, 0], [9, 0], 15],
      [[0, 9], [1, 8], 11.72],
    ]) {
      let { prices } = potential.prices(begin, 9);
      let found = [];
      let total = -Infinity;
      for (let round = 0; round < 3; ++round) {
        let sum = 0;
        found = [0, 0];
        for (const document of documents) {
          const { score: part, result } = document.solve([prices]);
          assert.equal(result.outcome, "complete");
          sum += part;
          document.counts()[0].forEach((count, v) => (found[v] += count));
        }
        const next = potential.prices(found, 9);
        prices = next.prices;
        assert.ok(sum + next.score >= total);
        total = sum + next.score;
      }
      assert.deepEqual(found, counts);
      assert.ok(Math.abs(total - score) < 0.005, `${total}`);
      // The labels have this score in one model of all documents.
      const labels = documents.flatMap((document) => [...document.labels()]);
      assert.ok(Math.abs(whole.score(labels).score - total) < 1e-9);
    }
    for (const handle of [...documents, whole, potential]) handle.close();
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`what prices tell, ${name}`, () => {
    const potts = chorale.createPotts(2, 0.5);
    const model = itemsOf(chorale, [[0.5, 0], [0, 1], [0.25, 0], [0, 0.125]], 2, potts);
    let rounds = 0;
    const prices = chorale.createPrices(model, [1, 0], { progress: () => void ++rounds });
    refused("NO_LABELLING", () => prices.counts());
    const { score, result } = prices.solve([[0, 1], Float64Array.of(2, 0)]);
    assert.equal(score, 0.5 + 0.125);
    assert.equal(result.score, score + 2 * 2 + 2 * 1);
    assert.ok(rounds > 0);
    assert.deepEqual(prices.counts(), [[0, 2], [2, 0]]);
    assert.deepEqual(prices.result(), result);
    assert.deepEqual([...prices.labels()], [0, 0, 1, 1]);
    assert.deepEqual([...prices.labels(null, { own: true })], [0, 1, 0, 1]);
    assert.deepEqual([...prices.labels(1)], [0]);
    assert.deepEqual([...prices.values(1)], [1, 1]);
    assert.equal(prices.changed(1), true);
    assert.equal(prices.chainScore(1), 0);
    assert.equal(prices.cliqueScore(1), 2);
    assert.deepEqual(prices.reasons(1).map(({ amount }) => amount), [2]);
    assert.equal(JSON.parse(prices.json()).score, result.score);
    // Without prices, shared cliques add nothing; a clique that is not shared adds its potential.
    assert.equal(prices.solve().score, 0.5 + 1 + 0.25 + 0.125);
    const some = chorale.createPrices(model, [0]);
    assert.equal(some.solve([[0, 0]]).score, 0.5 + 1 + 0.25 + 0.5 * 4);
    assert.deepEqual(some.counts(), [[1, 1]]);
    for (const handle of [some, prices, model]) handle.close();

    const found = potts.prices([3, 2], 7); // two members have no value
    assert.deepEqual([[...found.prices], found.score], [[3, 2], 6.5]);
    let most = -Infinity;
    for (let a = 0; a <= 7; ++a)
      for (let b = 0; a + b <= 7; ++b)
        most = Math.max(most, potts.prices([a, b], 7).score - 1.5 * a - 2.25 * b);
    assert.ok(Math.abs(potts.most([1.5, 2.25], 7) - most) < 1e-9);
    potts.close();
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`prices that cannot be, ${name}`, () => {
    const potts = chorale.createPotts(2, 1);
    const concave = chorale.createPotts(2, -1);
    const model = itemsOf(chorale, [[0, 1], [2, 0]], 1, potts);
    const create = (cliques, options) => () => chorale.createPrices(model, cliques, options);
    refused("OUT_OF_RANGE", create([0, 2]), /cliques\[1\] is 2/);
    refused("DUPLICATE_MEMBER", create([1, 1]), /cliques\[1\] is clique 1/);
    refused("WRONG_TYPE", create(0), /cliques is 0/);
    refused("WRONG_TYPE", create([0], { edits: true }), /options\.edits is not known/);
    refused("OUT_OF_RANGE", create([0], { damping: 2, progress: () => {} }), /damping is 2/);
    refused("WRONG_TYPE", () => chorale.createPrices(potts, [0]), /model/);

    const prices = chorale.createPrices(model, [0, 1]);
    const solve = (...rows) => () => prices.solve(rows);
    solve([3, 0], [0, 3])();
    refused("SHAPE", solve([0, 0]), /prices has 1 entries; it must have 2/);
    refused("SHAPE", solve([0, 0], [0]), /prices\[1\] has 1 entries; it must have 2/);
    refused("WRONG_TYPE", solve(0, 1), /prices\[0\] is 0/);
    refused("WRONG_TYPE", solve([0, 0], [0, "1"]), /prices\[1\]\[1\] is "1"/);
    for (const [wrong, status] of [[NaN, "NOT_A_NUMBER"], [Infinity, "INFINITE"],
      [1e300, "OUT_OF_RANGE"]]) {
      refused(status, solve([0, 0], [wrong, 0]), /^prices\[1\]\[0\] is/);
      refused(status, solve([0, wrong], [0, 0]), /^prices\[0\]\[1\] is/);
      refused(status, () => potts.most([0, wrong], 3), /prices\[1\] is/);
    }
    assert.deepEqual(prices.counts(), [[1, 0], [0, 1]]); // the last labelling stays

    refused("VALUES_MISMATCH", () => potts.prices([1], 3), /counts\.length is 1/);
    refused("OUT_OF_RANGE", () => potts.prices([2, 2], 3), /counts\[1\] is 2/);
    refused("OUT_OF_RANGE", () => potts.prices([-1, 2], 3), /counts\[0\] is -1/);
    refused("SIZE", () => potts.prices([0, 0], -3), /members is -3/);
    refused("VALUES_MISMATCH", () => potts.most([1], 3), /prices\.length is 1/);
    refused("KIND", () => concave.prices([1, 2], 3), /convex/);
    refused("KIND", () => concave.most([0, 0], 3), /convex/);

    prices.close();
    refused("CLOSED", () => prices.solve(), /Prices is closed/);
    refused("CLOSED", () => prices.counts());
    refused("CLOSED", () => prices.labels());
    for (const handle of [model, potts, concave]) handle.close();
    refused("CLOSED", () => potts.prices([1, 2], 3));
    refused("CLOSED", () => potts.most([1, 2], 3));
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`callbacks of prices, ${name}`, () => {
    const own = chorale.createCallback(2, () => {
      throw new Error("a potential");
    });
    const model = itemsOf(chorale, [[0, 1], [2, 0]], 1, own);
    // The potential of a shared clique is never called.
    const both = chorale.createPrices(model, [0, 1]);
    assert.equal(both.solve([[0, 0], [0, 0]]).score, 3);
    const first = chorale.createPrices(model, [0]);
    assert.throws(() => first.solve(), { message: "a potential" });
    const ended = chorale.createPrices(model, [0, 1], { progress: () => true });
    assert.equal(ended.solve().result.outcome, "cancelled");
    for (const handle of [both, first, ended, model, own]) handle.close();
    assert.equal(chorale.allocatedBytes, 0);
  });
}
