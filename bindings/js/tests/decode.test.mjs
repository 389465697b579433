// The simplest interface, decode(), and learning.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bothModules, randomOf, refused } from "./helpers.mjs";

const close = (a, b) =>
  assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b)), `${a} is not ${b}`);
const rows = (labels) => labels.map((row) => [...row]);

for (const [name, chorale] of await bothModules()) {
  // With two labels, all results are exact.
  test(`weights against enumeration, ${name}`, () => {
    const random = randomOf(44);
    const draw = (bound) => Math.floor(random() * bound);
    let moved = 0;
    for (let repeat = 0; repeat < 60; ++repeat) {
      const n = 1 + draw(6);
      const strength = 0.25 * (1 + draw(12));
      const scores = Array.from({ length: n }, () => [draw(257) / 32 - 4, 0]);
      const weights = Array.from({ length: n }, () => 1 + draw(5));
      const scoreOf = (label) => {
        const counts = [0, 0];
        let score = 0;
        scores.forEach((row, i) => {
          score += row[label(i)];
          counts[label(i)] += weights[i];
        });
        return score + strength / (counts[0] + counts[1]) * (counts[0] ** 2 + counts[1] ** 2);
      };
      let best = -Infinity;
      for (let bits = 0; bits < 1 << n; ++bits)
        best = Math.max(best, scoreOf((i) => (bits >> i) & 1));

      const agree = {
        what: "keys", keys: scores.map(() => [0]), minimum: 1, strength, weights,
      };
      const chains = scores.map((row) => [row]);
      const found = chorale.decode(chains, { agree });
      close(scoreOf((i) => found.labels[i][0]), best);
      close(found.result.score, best);
      moved += found.changed.length > 0 ? 1 : 0;

      const builder = chorale.createModelBuilder();
      const potential = chorale.createPotts(2, strength, { scale: "members" });
      const clique = builder.addCliques(1, { values: 2, potential }).first;
      const items = chains.map((chain) => builder.addChain({ scores: chain }));
      builder.addMembers(clique, items, { weights });
      const model = builder.freeze();
      assert.deepEqual(model.membersOf(clique).weights, weights);
      const run = chorale.createRun(model);
      close(run.solve().score, best);
      for (const handle of [run, model, builder, potential]) handle.close();

      const wrong = (entries, message, other = {}) =>
        assert.throws(
          () => chorale.decode(chains, { agree: { ...agree, ...other, weights: entries } }),
          message,
        );
      wrong([0, ...weights.slice(1)], /agree\.weights\[0\] is 0/);
      wrong([1.5, ...weights.slice(1)], /weights\[0\]/);
      wrong([...weights, 1], /agree\.weights has/);
      wrong([2, ...weights.slice(1)], /convex/, { strength: -1 });
    }
    assert.ok(moved > 5, `${moved} moved`);
  });
  // The same example as in the tests of other languages.
  test(`words that ought to agree, ${name}`, () => {
    const words = [["in", "Washington"], ["near", "Washington"], ["says", "Washington"]];
    const scores = [
      [[2.0, 0.1, 0.2], [0.1, 2.2, 0.4]],
      [[1.8, 0.3, 0.1], [0.2, 1.9, 0.5]],
      [[0.9, 0.2, 0.7], [0.1, 1.0, 1.3]],
    ];
    const transitions = [[0.0, 0.2, 0.2], [0.0, 0.5, -1.0], [0.0, -1.0, 0.5]];
    const progress = [];
    const found = chorale.decode(scores, {
      transitions, tokens: words, agree: "words", strength: 1.2, boundSteps: 50,
      progress: ({ round }) => void progress.push(round),
    });
    assert.deepEqual(rows(found.labels), [[0, 1], [0, 1], [0, 1]]);
    assert.deepEqual(rows(found.alone), [[0, 1], [0, 1], [2, 2]]);
    assert.deepEqual(found.changed.map(({ chain }) => chain), [2]);
    assert.equal(found.changed[0].labels, found.labels[2]);
    const [{ amount, ...reason }] = found.changed[0].reasons;
    assert.deepEqual(reason, {
      what: "words", agreement: 0, clique: 0, chain: 2, position: 1, others: 2, agreeingBefore: 2, agreeing: 2,
      ownValue: 2, value: 1, member: 2,
    });
    close(amount, 1.6);
    assert.equal(found.result.proven, true);
    assert.ok(progress.length > 0);
    // The same scores in other forms.
    const shared = chorale.createTransitions(transitions);
    const flat = { labels: 3, offsets: [0, 2, 4, 6] };
    for (const given of [
      { scores: Float64Array.from(scores.flat(2)), ...flat },
      { scores: Float32Array.from(scores.flat(2)), ...flat },
      { scores: scores.flat(1), ...flat, offsets: Int32Array.from(flat.offsets) },
      scores.map((chain) => chain.map((row) => Float32Array.from(row)))]) {
      const again = chorale.decode(given, { transitions: shared, tokens: words, strength: 1.2 });
      assert.deepEqual(rows(again.labels), rows(found.labels));
    }
    assert.throws(() => chorale.decode(scores,
      { tokens: words, progress: () => { throw new Error("mine"); } }), { message: "mine" });
    // Edge scores of each position, known labels and masks.
    const edges = [9, 9, 9, 9, 0, 3, 2, 0, 0, 0, 2, 0];
    const none = [[[0, 0], [0, 0], [0, 0]]];
    const each = (more) => rows(chorale.decode(none, { edges, ...more }).labels);
    assert.deepEqual(each({}), [[0, 1, 0]]);
    assert.deepEqual(each({ forced: [-1, 0, -1] }), [[1, 0, 0]]);
    assert.deepEqual(each({ allowed: [1, 1, 1, 1, 0, 1] }), [[0, 1, 1]]);
    assert.throws(() => each({ forced: [0] }), { statusName: "SHAPE" });
    // Groups, stop words and minima.
    const options = { transitions: shared, tokens: words, strength: 1.2 };
    assert.deepEqual(chorale.decode(scores, { ...options, groups: ["x", "x", "y"] }).changed, []);
    assert.deepEqual(chorale.decode(scores, { ...options, stop: ["Washington", "none"] }).changed,
      []);
    assert.deepEqual(chorale.decode(scores, { ...options, minimum: 4 }).changed, []);
    const agree = { across: true, strength: 1.2 };
    const across = chorale.decode(scores, { ...options, groups: ["x", "x", "y"], agree });
    assert.equal(across.changed.length, 1);
    assert.deepEqual(chorale.decode(scores, { transitions, agree: [] }).changed, []);
    // Without positions, the number of labels is that of what is given beside the scores.
    const property = chorale.createFirstLabel(3);
    const potential = chorale.createPotts(3, 1);
    for (const none of [[], [[], []]])
      for (const [beside, labels] of [
        [{ transitions, agree: [] }, 3],
        [{ transitions: shared, agree: "words" }, 3],
        [{ agree: ["words", property] }, 3],
        [{ agree: { what: "words", potential } }, 3],
        [{ agree: "words" }, 1],
      ]) {
        const given = { ...beside, tokens: none };
        assert.deepEqual(rows(chorale.decode(none, given).labels), none);
        const empty = chorale.buildProblem(none, given);
        const model = empty.model();
        if (none.length > 0) assert.equal(model.chain(1).labels, labels);
        for (const handle of [model, empty]) handle.close();
      }
    assert.throws(() => chorale.decode([[]], { transitions: [[0]], agree: property }),
      { statusName: "LABELS_MISMATCH" });
    // A run of the problem that buildProblem() gives has the same result, bit for bit.
    const problem = chorale.buildProblem(scores, {
      ...options, groups: ["p", "p", "p"], names: ["Other", "Place", "Person"],
      gold: [[0, 1], [0, 1], [-1, 1]],
    });
    assert.deepEqual(problem.texts("labels"), ["Other", "Place", "Person"]);
    assert.deepEqual(problem.texts("words"), words.flat());
    assert.deepEqual(problem.texts("groups"), ["p"]);
    assert.deepEqual(problem.texts("kinds"), ["word"]);
    assert.deepEqual([...problem.gold], [0, 1, 0, 1, -1, 1]);
    const run = chorale.createRun(problem, { boundSteps: 50 });
    assert.deepEqual(run.solve(), found.result);
    for (const handle of [run, problem, property, potential, shared]) handle.close();
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`a chain without labelling is left out, ${name}`, () => {
    const bad = [[0.3, 0.2], [-Infinity, -Infinity]];
    const good = [[2.1, 0.3], [0.4, 0.2]];
    const found = chorale.decode([good, bad, good], { agree: [] });
    assert.deepEqual(rows(found.labels), [[0, 0], [-1, -1], [0, 0]]);
    assert.deepEqual(found.leftOut, [{ chain: 1, position: 1, obstacle: "scores", clique: -1 }]);
    assert.equal(found.result.leftOut, 1);
    const problem = chorale.buildProblem([good, bad, good], { agree: [] });
    const run = chorale.createRun(problem);
    run.solve();
    assert.deepEqual(run.leftOut(), found.leftOut);
    for (const handle of [run, problem]) handle.close();
    const ended = chorale.decode([good, good], { agree: [], timeLimit: 0 });
    assert.deepEqual([ended.result.outcome, rows(ended.labels)], ["deadline", [[0, 0], [0, 0]]]);
  });
  test(`a chain stands for many, and labels have names, ${name}`, () => {
    const scores = [[[2, 0]], [[0, 1]]];
    const options = { tokens: [["a"], ["a"]], strength: 1, counts: [3, 1], names: ["x", "y"] };
    const { result } = chorale.decode(scores, options);
    assert.deepEqual([result.score, result.ownScore], [6 + 16 / 4, 7 + 10 / 4]);
    const apart = chorale.decode(scores, { ...options, uncounted: ["x"] });
    assert.deepEqual(apart.labels.map(String), ["0", "1"]);
    refused("OUT_OF_RANGE", () => chorale.decode(scores, { ...options, counts: [3, 0] }), /counts\[1\] is 0/);
    refused("OUT_OF_RANGE", () => chorale.decode(scores, { ...options, uncounted: ["z"] }),
      /^uncounted\[0\] is "z"; it must be one of the labels: "x", "y"$/);
    const builder = chorale.createModelBuilder();
    const told = { forced: [0, -1], allowed: [1, 1, 1, 0], counts: [2, 1], uncounted: [0] };
    builder.addCorpus({ scores: [[2, 3], [0, 1]], labels: 2 }, told);
    const model = builder.freeze();
    const run = chorale.createRun(model);
    assert.equal(run.solve().score, 4);
    for (const handle of [run, model, builder]) handle.close();
  });

  test(`agreements of all kinds, ${name}`, () => {
    const scores = [[[2.0, 0.1]], [[1.9, 0.3]], [[0.9, 1.2]]];
    const property = chorale.createFirstLabel(2);
    const keys = { what: "keys", keys: [["run"], ["run"], ["run"]], strength: 0.5 };
    const found = chorale.decode(scores, { agree: [keys, [property, 0.4]] });
    const told = found.changed[0].reasons.map((r) => [r.what, r.agreeing, r.others + 1, r.value]);
    assert.deepEqual(told, [[1, 2, 3, 0], [0, 2, 3, 0]]);
    assert.deepEqual(found.changed[0].reasons.map(({ position }) => position), [-1, 0]);
    assert.deepEqual(rows(chorale.decode(scores,
      { agree: { what: "keys", keys: [[5], [5], [-1]] } }).labels), [[0], [0], [1]]);
    assert.deepEqual(rows(chorale.decode(scores,
      { agree: { what: "cliques", cliques: [[0, 2], Int32Array.of(1)] } }).labels),
      [[0], [0], [0]]);
    const potential = chorale.createPotts(2, -2);
    const differing = chorale.decode(scores,
      { agree: { what: "cliques", cliques: [[0, 1]], potential } });
    assert.deepEqual(rows(differing.labels), [[0], [1], [1]]);
    const given = chorale.decode(scores, { tokens: [["W"], ["W"], ["W"]], agree: ["words", 0.01] });
    assert.deepEqual(given.changed, []);
    assert.deepEqual(chorale.decode([], { tokens: [] }).labels, []);
    for (const handle of [property, potential]) handle.close();
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`nothing is no word and no key, ${name}`, () => {
    const scores = [[[3, 0]], [[3, 0]], [[0, 1]], [[3, 0]]];
    const own = [[0], [0], [1], [0]];
    for (const nothing of [null, undefined, NaN])
      for (const word of ["W", 7]) {
        const tokens = [[nothing], [word], [nothing], [nothing]];
        const labels = (options) => rows(chorale.decode(scores, { ...options, strength: 2 }).labels);
        assert.deepEqual(labels({ tokens }), own);
        assert.deepEqual(labels({ agree: { what: "keys", keys: tokens, strength: 2 } }), own);
        assert.deepEqual(labels({ tokens, stop: [nothing] }), own);
        const agreeing = [[word], [word], [word], [nothing]];
        assert.deepEqual(labels({ tokens: agreeing }), [[0], [0], [0], [0]]);
        const problem = chorale.buildProblem(scores, { tokens });
        assert.deepEqual(problem.texts("words"), word === 7 ? [] : ["", "W", "", ""]);
        const model = problem.model();
        assert.deepEqual([0, 2, 3].map((chain) => model.chain(chain).tokens[0]), [-1, -1, -1]);
        for (const handle of [model, problem]) handle.close();
        const builder = chorale.createModelBuilder();
        builder.addChain({ scores: [[1, 0], [0, 1]] }, { tokens: [7, nothing] });
        builder.addCorpus({ scores: [[1, 0]], labels: 2 }, { tokens: [nothing] });
        const built = builder.freeze();
        assert.deepEqual([0, 1].map((chain) => [...built.chain(chain).tokens]), [[7, -1], [-1]]);
        for (const handle of [built, builder]) handle.close();
      }
    const none = [[null], [null], [null], [null]];
    assert.deepEqual(rows(chorale.decode(scores, { tokens: none, stop: ["W"] }).labels), own);
    // Without tokens nothing agrees, unless the caller says what.
    assert.deepEqual(rows(chorale.decode(scores).labels), own);
    assert.deepEqual(rows(chorale.decode(scores, { tokens: null }).labels), own);
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`strengths are learnt, applied and kept, ${name}`, () => {
    // All mentions in a document have one label, place or person. The scores prefer the right label
    // at about three of four mentions.
    const random = randomOf(5);
    const document = (size) => {
      const right = random() < 0.5 ? 0 : 1;
      const hints = Array.from({ length: size }, () => (random() < 0.75 ? right : 1 - right));
      const scores = hints.map((hint) => [[hint === 0 ? 1.1 : 0, hint === 1 ? 1.1 : 0]]);
      return { gold: hints.map(() => [right]), scores };
    };
    const documents = Array.from({ length: 40 }, () => document(5));
    const problemOf = (chosen) => chorale.buildProblem(chosen.flatMap(({ scores }) => scores), {
      gold: chosen.flatMap(({ gold }) => gold),
      groups: chosen.flatMap(({ scores }, d) => scores.map(() => d)),
      tokens: chosen.flatMap(({ scores }) => scores.map(() => ["Name"])),
    });
    const [lessons, test] = [problemOf(documents.slice(0, 30)), problemOf(documents.slice(30))];
    const told = [];
    const learnt = chorale.learn(lessons, {
      timeLimit: 60, costs: [[0, 1], [1, 0]],
      progress: ({ runs, runsMost }) => void told.push([runs, runsMost]),
    });
    const report = learnt.report();
    assert.deepEqual([report.outcome, report.applied, report.groups, report.positions],
      ["complete", true, 30, 150]);
    assert.equal(report.verdict, "gain");
    assert.ok(report.agreeingAccuracy > report.taggerAccuracy);
    assert.ok(report.changedRightAfter > report.changedRightBefore);
    assert.equal(report.kinds[0].name, "word");
    assert.ok(report.kinds[0].strength > 0.1 && report.kinds[0].strength <= 10);
    assert.ok(told.length > 0 && told.at(-1)[0] <= told.at(-1)[1]);
    assert.match(String(learnt), /agreement/);

    const again = chorale.readLearnt(learnt.toJSON());
    assert.equal(again.toJSON(), learnt.toJSON());
    const model = again.apply(test);
    const run = chorale.createRun(model);
    run.solve();
    const wrong = (labels) =>
      labels.reduce((sum, label, i) => sum + (label !== test.gold[i] ? 1 : 0), 0);
    assert.ok(wrong(run.labels()) < wrong(run.labels(null, { alone: true })));
    const potential = learnt.potential(0, 2);
    const applied = model.cliquePotential(0);
    close(potential.score([3, 1]), applied.score([3, 1]));
    assert.throws(() => learnt.potential(1, 2), /kind is 1/);
    // A call that ends early applies nothing.
    const stopped = chorale.learn([lessons], { progress: () => true });
    assert.deepEqual([stopped.report().outcome, stopped.report().applied],
      ["cancelled", false]);
    assert.throws(() => chorale.learn([lessons],
      { progress: () => { throw new TypeError("mine"); } }), { message: "mine" });
    assert.throws(() => chorale.learn([lessons], { begins: [true, false] }), { name: "ChoraleError" });
    const made = [stopped, applied, potential, run, model, again, learnt, lessons, test];
    for (const handle of made) handle.close();
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`what counts is learnt for, ${name}`, () => {
    const random = randomOf(7);
    const gold = Array.from({ length: 120 }, () => (random() < 0.6 ? 0 : 1));
    const hints = gold.map((label) => (random() < 0.75 ? label : 1 - label));
    const scores = hints.map((hint) => [[hint === 0 ? 1.1 : 0, hint === 1 ? 1.1 : 0]]);
    const problem = chorale.buildProblem(scores, {
      gold: gold.map((label) => [label]), groups: gold.map((_, i) => Math.floor(i / 30)),
      tokens: gold.map((label, i) => [`${Math.floor(i / 30)} ${label} ${i % 4}`]),
    });
    const learnt = chorale.learn(problem, { classes: [-1, 7] });
    const report = learnt.report();
    const count = (label, right) => hints.filter((h, i) => h === label && gold[i] === right).length;
    const [hits, invented, missed] = [count(1, 1), count(1, 0), count(0, 1)];
    const f1 = (2 * hits) / (2 * hits + invented + missed);
    close(report.taggerF1, f1);
    assert.ok(report.temperature > 0);
    assert.deepEqual(report.warnings, ["few-groups"]);
    const again = chorale.readLearnt(learnt.toJSON());
    assert.deepEqual(again.report().warnings, report.warnings);
    close(again.report().taggerF1, report.taggerF1);
    const model = learnt.apply(problem);
    const run = chorale.createRun(model);
    run.solve();
    const { probabilities, exact } = run.probabilities(0, { temperature: report.temperature });
    assert.ok(exact);
    close(probabilities[0] + probabilities[1], 1);
    const plain = chorale.learn(problem);
    assert.deepEqual([plain.report().taggerF1, plain.report().taggerCost], [0, invented + missed]);
    for (const handle of [plain, run, model, again, learnt, problem]) handle.close();
    assert.equal(chorale.allocatedBytes, 0);
  });
}
