// Models, potentials, properties and runs, compared with enumeration in JavaScript.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fire, hasSimd, load } from "../src/index.js";
import { bothModules, randomOf } from "./helpers.mjs";

const libraries = await bothModules();
const close = (a, b) =>
  assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b)), `${a} is not ${b}`);

/** Yields all labellings of `positions` positions, always in the same array. */
function* labellings(positions, labels) {
  const y = new Array(positions).fill(0);
  for (;;) {
    yield y;
    let at = 0;
    while (at < positions && ++y[at] === labels) y[at++] = 0;
    if (at === positions) return;
  }
}
const chainScore = (rows, edges, y) =>
  y.reduce((sum, label, t) => sum + rows[t][label] + (t > 0 ? edges[y[t - 1]][label] : 0), 0);

/** Adds a clique for each of the words 0 and 1 that occurs twice; returns how many. */
function repeatedWords(builder, tokens, potential) {
  let count = 0;
  for (const word of [0, 1]) {
    const places = tokens.flatMap((row, i) =>
      row.flatMap((token, t) => (token === word ? [[i, t]] : [])));
    if (places.length < 2) continue;
    const { first } = builder.addCliques(1, { potential });
    const positions = places.map(([, t]) => t);
    builder.addMembers(first, places.map(([i]) => i), { positions });
    ++count;
  }
  return count;
}

for (const [name, chorale] of libraries) {
  test(`random models against enumeration, ${name}`, () => {
    const seed = Number(process.env.CHORALE_SEED ?? 20240607);
    console.log(`CHORALE_SEED=${seed}`);
    const random = randomOf(seed);
    const noise = () => Math.round((random() * 4 - 2) * 64) / 64;
    for (let repeat = 0; repeat < 30; ++repeat) {
      const labels = 2 + Math.floor(random() * 2);
      const lambda = Math.abs(noise());
      const lengths = Array.from({ length: 3 }, () => 1 + Math.floor(random() * 2));
      const rows = lengths.map((T) =>
        Array.from({ length: T }, () => Array.from({ length: labels }, noise)));
      const edges = Array.from({ length: labels }, () => Array.from({ length: labels }, noise));
      const tokens = lengths.map((T) => Array.from({ length: T }, () => Math.floor(random() * 2)));
      const transitions = chorale.createTransitions(edges);
      const builder = chorale.createModelBuilder();
      lengths.forEach((_, i) =>
        assert.equal(builder.addChain({ scores: rows[i], transitions }, { tokens: tokens[i] }), i));
      const potential = chorale.createPotts(labels, lambda);
      const repeated = repeatedWords(builder, tokens, potential);
      const model = builder.freeze();
      const run = chorale.createRun(model, { boundSteps: 200 });
      const result = run.solve();

      const words = tokens.flat();
      const scoreOf = (y) => {
        let at = 0;
        let score = 0;
        lengths.forEach((T, i) => {
          score += chainScore(rows[i], edges, y.slice(at, at + T));
          at += T;
        });
        for (const word of [0, 1]) {
          const members = y.filter((_, p) => words[p] === word);
          if (members.length < 2) continue;
          for (let v = 0; v < labels; ++v)
            score += lambda * members.filter((label) => label === v).length ** 2;
        }
        return score;
      };
      let best = -Infinity;
      for (const y of labellings(words.length, labels)) best = Math.max(best, scoreOf(y));
      assert.equal(model.cliques, repeated);
      const found = [...run.labels()];
      close(result.score, scoreOf(found));
      close(model.score(found).score, result.score);
      assert.ok(result.score <= best + 1e-9 && result.upperBound >= best - 1e-9);
      if (result.proven) close(result.score, best);

      // Copies the chains to another model in reverse order.
      const copying = chorale.createModelBuilder();
      for (const i of [2, 1, 0]) assert.equal(copying.copyChain(model, i), 2 - i);
      assert.throws(() => copying.copyChain(model, 3), { statusName: "OUT_OF_RANGE" });
      assert.throws(() => copying.copyChain(potential, 0), { statusName: "WRONG_TYPE" });
      assert.equal(copying.copyClique(model, 0), 0);
      assert.throws(() => copying.copyClique(model, 99), { statusName: "OUT_OF_RANGE" });
      assert.throws(() => copying.copyClique(potential, 0), { statusName: "WRONG_TYPE" });
      repeatedWords(copying, [2, 1, 0].map((i) => tokens[i]), potential);
      const copied = copying.freeze();
      const turned = [2, 1, 0].flatMap((i) => [...run.labels(i)]);
      close(copied.score(turned).score, result.score);
      assert.deepEqual([...copied.chain(0).tokens], tokens[2]);
      for (const handle of [copied, copying]) handle.close();
      for (const handle of [run, model, potential, builder, transitions]) handle.close();
    }
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`potentials against their definitions, ${name}`, () => {
    const counts = [2, 0, 3];
    const n = 5;
    const sum = (f) => counts.reduce((total, count, v) => total + f(count, v), 0);
    const table = [0, 0.5, 1.5, 3, 5, 8];
    const weights = [[1, 2, 3], [4, 5, 6], [7, 8, 9]];
    const cases = [
      [chorale.createPotts(3, 0.5), sum((k) => 0.5 * k * k), "sum"],
      [chorale.createPotts(3, 0.5, { scale: "members" }), sum((k) => 0.5 * k * k) / n, "sum"],
      [chorale.createPotts(3, 0.5, { scale: "log-members" }), sum((k) => 0.5 * k * k) / Math.log(n),
        "sum"],
      [chorale.createPotts(3, 0.5, { counted: [1, 1, 0] }), 2, "sum"],
      [chorale.createPotts(3, 0.5, { counted: [true, true, false] }), 2, "sum"],
      [chorale.createEntropy(3, 0.5), sum((k) => (k > 0 ? 0.5 * k * Math.log(k) : 0)), "sum"],
      [chorale.createMakespan(3, 0.5), 1.5, "max"],
      [chorale.createSquareMakespan(3, 0.5), 4.5, "max"],
      [chorale.createSum(3, [table]), sum((k) => table[k]), "sum"],
      [chorale.createSum(3, table, { shape: "convex" }), sum((k) => table[k]), "sum"],
      [chorale.createSum(3, [table, table.map((x) => 2 * x), table.map((x) => 3 * x)]),
        sum((k, v) => (v + 1) * table[k]), "sum"],
      [chorale.createMax(3, [table]), 3, "max"],
      [chorale.createCardinality(3, Float64Array.from(table), { counted: [1, 0, 1] }), 3, "sum"],
      [chorale.createMajority(3, weights), 7 * 2 + 9 * 3, "majority"],
      [chorale.createMajority(3, weights.flat(), { bias: [1, 2, 30] }), 30 + 7 * 2 + 9 * 3,
        "majority"],
      [chorale.createPairs(3, weights),
        sum((k, v) => counts.reduce((s, l, w) => s + weights[v][w] * k * l, 0) - weights[v][v] * k),
        "pairs"],
      [chorale.createCallback(3, (given, members) => given[0] - given[2] + 10 * members), 49,
        "callback"],
    ];
    for (const [potential, expected, family] of cases) {
      close(potential.score(counts), expected);
      assert.equal(potential.values, 3);
      if (family !== "pairs") assert.equal(potential.family, family);
      else assert.ok(["pairs", "sum"].includes(potential.family));
      close(potential.score(Int32Array.from(counts)), expected);
      potential.close();
    }
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`properties against their definitions, ${name}`, () => {
    const map = chorale.labelMap(["O", "B-Title", "I-Title", "B-Name"], "bio");
    assert.deepEqual([...map.kindOfLabel], [0, 1, 1, 2]);
    assert.deepEqual([map.kinds, [...map.begins]], [3, [0, 1, 0, 1]]);
    const made = [];
    const own = (property) => (made.push(property), property);
    /** Returns the value of a property on a labelling, as the only member of a clique has it. */
    const shown = (property, labels, { table, classes, parents } = {}) => {
      const m = property.labels;
      const builder = chorale.createModelBuilder();
      const scores = labels.map(() => new Array(m).fill(0));
      builder.addChain({ scores, forced: labels, parents }, { tokens: labels.map(() => 0) });
      const potential = chorale.createPotts(property.values, 1);
      const { first } = builder.addCliques(1, { potential, property });
      builder.addMembers(first, [0], { tables: [table ?? null], classes: [classes ?? null] });
      const model = builder.freeze();
      const run = chorale.createRun(model);
      run.solve();
      const [value] = run.values(first);
      for (const handle of [run, model, potential, builder]) handle.close();
      return value;
    };
    const position = own(chorale.createPositionLabel(4, 1));
    assert.deepEqual([position.values, position.labels, shown(position, [3, 2, 1]),
      shown(position, [3])], [4, 4, 2, 4]);
    const token = own(chorale.createTokenLabel(map, 7));
    assert.equal(shown(token, [1, 3, 0], { table: [7, 5, 7] }), 4); // two kinds: CONFLICT
    assert.equal(shown(token, [1, 3, 2], { table: [7, 5, 7] }), 1);
    const first = own(chorale.createFirstLabel(map, { ignored: [1, 0, 0, 0] }));
    assert.equal(shown(first, [0, 0, 3]), 2);
    const next = own(chorale.createNextLabel(map, 1,
      { ignored: [1, 0, 0, 0], endsAtIgnored: true, endValue: 3 }));
    assert.equal(shown(next, [1, 2, 0, 3]), 2);
    assert.equal(shown(next, [0, 1, 2]), 3);
    const before = own(chorale.createTokenBefore(map, 1, 9, { startValue: 0 }));
    assert.equal(shown(before, [0, 1, 2], { table: [5, 6, 7] }), 5);
    // Fires the label at each position of class 1.
    const actions = [fire.nothing, fire.nothing, fire.label, fire.label];
    const automaton = own(chorale.createAutomaton({ labels: 2, classes: 2, states: 1, values: 2,
      next: [0, 0, 0, 0], actions }));
    assert.equal(shown(automaton, [0, 1, 1], { classes: [1, 0, 1] }), 3);
    assert.equal(shown(automaton, [0, 1, 1], { classes: [1, 0, 0] }), 0);
    // Fires the label where the parent has the other label.
    const local = own(chorale.createLocal({ labels: 2, values: 2,
      actions: [-1, fire.label, -1, fire.label, -1, -1] }));
    assert.equal(shown(local, [0, 0, 1], { parents: [-1, 0, 0] }), 1);
    assert.equal(shown(local, [0, 0, 0]), 2);
    const mask = chorale.schemeMask(["O", "B-X", "I-X"], "bio");
    assert.deepEqual([[...mask.mask], [...mask.start], [...mask.end]],
      [[1, 1, 0, 1, 1, 1, 1, 1, 1], [1, 1, 0], [1, 1, 1]]);
    const transitions = own(chorale.createTransitions(null,
      { labels: 3, mask: mask.mask, startMask: mask.start, endMask: mask.end }));
    assert.equal(transitions.labels, 3);
    const same = own(chorale.createTransitions(transitions));
    assert.equal(same.labels, 3);
    own(chorale.createTransitions(new Float64Array(9), { start: [1, 2, 3], end: [1, 2, 3] }));
    for (const handle of made) handle.close();
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`every kind of chain and clique, ${name}`, () => {
    const builder = chorale.createModelBuilder();
    const tree = builder.addChain({
      scores: Float32Array.from([1, 0, 0, 1, 1, 0]), labels: 2, edges: [0.5, 0, 0, 0.5],
      parents: [-1, 0, 0], start: [0.25, 0], end: [0, 0.25],
      forced: [-1, 1, -1], allowed: [1, 1, 1, 1, 1, 0],
    }, { group: 4 });
    const { first, count } = builder.addCorpus(
      { scores: [[1, 0], [0, 2], [1, 1], [3, 0]], labels: 2, offsets: [0, 2, 4] },
      { tokens: [7, 8, 7, -1], groups: [1, 1] });
    assert.deepEqual([tree, first, count], [0, 1, 2]);
    const items = builder.addCorpus({ scores: new Float64Array([1, 0, 0, 1]), labels: 2 });
    assert.deepEqual(items, { first: 3, count: 2 });
    const potts = chorale.createPotts(2, 0.5);
    const positions = builder.addCliques(1, { potential: potts, labelValues: [1, 0] }).first;
    builder.addMembers(positions, [1], { positions: [0] });
    builder.addMembers(positions, [2], { positions: [1] });
    const property = chorale.createPositionLabel(2, 0);
    const whole = builder.addCliques(1, { potential: potts, property }).first;
    builder.addMembers(whole, [1]);
    builder.addMembers(whole, [2], { classes: [[0, 0]], tables: [[7, 7]] });
    const many = builder.addCliques(2, { potential: potts, values: 2 });
    builder.addMembers(many.first, [1, 2, 3, 4], { offsets: [0, 2, 4], positions: [0, 0, 0, 0] });
    const chains = builder.addCliques(1, { potential: potts, property });
    builder.addMembers(chains.first, [1, 2], { offsets: [0, 2] });
    const twice = chorale.createPotts(2, 1);
    const centred = builder.addCliques(1, { centre: [potts, twice], centreLabelValues: [0, 1] }).first;
    builder.addMembers(centred, [], { centreChains: [3], centrePositions: [0] });
    builder.addMembers(centred, [4], { positions: [0] });
    const model = builder.freeze();
    assert.deepEqual([model.chains, model.cliques], [5, 6]);
    assert.deepEqual(model.chain(0), {
      length: 3, labels: 2, scores: Float32Array.from([1, 0, 0, 1, 1, 0]), tokens: null, group: 4,
      parents: Int32Array.from([-1, 0, 0]),
    });
    assert.deepEqual([...model.chain(2).tokens], [7, -1]);
    assert.deepEqual([...model.chain(2).scores], [1, 1, 3, 0]);
    const members = model.membersOf(positions);
    assert.deepEqual([members.chains[1], members.positions[1]], [2, 1]);
    assert.deepEqual([model.membersOf(whole).chains[0], model.membersOf(whole).positions[0]], [1, -1]);
    for (let clique = 0; clique < model.cliques; ++clique) {
      const { chains, positions: places, weights } = model.membersOf(clique);
      for (const list of [places, weights]) assert.equal(list.length, chains.length);
    }
    assert.deepEqual([model.membersOf(whole).chains.length, model.cliqueValues(whole)], [2, 2]);
    const seen = [model.cliquePotential(whole), model.cliqueProperty(whole)];
    assert.deepEqual(seen.map((handle) => handle.values), [2, 2]);
    assert.equal(model.cliqueProperty(positions), null);
    assert.equal(model.cliquePotential(centred), null);
    close(seen[0].score([2, 1]), 2.5);
    const run = chorale.createRun(model);
    const result = run.solve();
    const told = model.score(run.labels());
    close(told.score, result.score);
    const parts = [...told.chainScores, ...told.cliqueScores];
    close(parts.reduce((a, b) => a + b), result.score);
    close(told.chainScores.reduce((a, b) => a + b), result.chainScore);
    assert.deepEqual([...run.labels(0)].slice(1), [1, 0]);
    const made = [run, model, ...seen, builder, potts, twice, property];
    for (const handle of made) handle.close();
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`runs and what they tell, ${name}`, () => {
    const problem = chorale.buildProblem([[[2, 0.1]], [[1.9, 0.3]], [[0.9, 1.2]]],
      { tokens: [["W"], ["W"], ["W"]] });
    const rounds = [];
    const run = chorale.createRun(problem, {
      boundSteps: 4, damping: 0.1, algorithm: "alpha-pass",
      exactMarginals: false, localSearch: true, restrictRange: false,
      jointMode: "exact", beamWidth: 10, maxStates: 100, messageElement: "float64", timeLimit: 60,
      rounds: 5,
      progress: (now) => void rounds.push(now.round),
    });
    const result = run.solve();
    assert.deepEqual(run.result(), result);
    assert.deepEqual([...run.labels(null, { alone: true })], [0, 0, 1]);
    assert.ok(rounds.length >= 2 && rounds[0] === 0);
    assert.deepEqual(run.reasons(2).map(({ ownValue, value, position }) =>
      [ownValue, value, position]), [[1, 0, 0]]);
    close(run.reasons(2)[0].amount, 4 / 3);
    assert.equal(run.values(0, { alone: true }).join(), "0,0,1");
    const model = problem.model();
    const [alone, together] = [true, false].map((isAlone) =>
      model.score(run.labels(null, { alone: isAlone })).chainScores[2]);
    close(alone - together, 0.3);
    const { marginals, margins } = run.maxMarginals(2);
    assert.deepEqual([marginals.length, margins.length], [2, 1]);
    close(Math.abs(marginals[0] - marginals[1]), margins[0]);
    const { probabilities, exact } = run.probabilities(2, { temperature: 2 });
    close(probabilities[0] + probabilities[1], 1);
    close(Math.log(probabilities[0] / probabilities[1]), (marginals[0] - marginals[1]) / 2);
    assert.equal(exact, true);
    const later = chorale.createRun(problem, { earlier: run });
    close(later.solve().score, run.result().score);
    run.setLabels([1, 1, 1]);
    close(run.solve().score, result.score);
    const late = chorale.createRun(problem, { timeLimit: 0 });
    assert.equal(late.solve().outcome, "deadline");
    // The run ends early if progress returns true, and throws what progress throws.
    const stopped = chorale.createRun(problem, { progress: () => true });
    assert.equal(stopped.solve().outcome, "cancelled");
    const thrower = chorale.createRun(problem,
      { progress: () => { throw new RangeError("mine"); } });
    assert.throws(() => thrower.solve(), { name: "RangeError", message: "mine" });
    for (const handle of [run, later, late, stopped, thrower, model, problem]) handle.close();
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`edits cost what they change and give what a fresh run gives, ${name}`, () => {
    const sentences = Array.from({ length: 40 }, (_, i) => [[1 + (i % 3) * 0.1, 0.5], [0.3, 0.9]]);
    const tokens = sentences.map((_, i) => [`W${i % 10}`, `V${i % 7}`]);
    const problem = chorale.buildProblem(sentences, { tokens, strength: 0.8 });
    const model = problem.model();
    const run = chorale.createRun(model, { edits: true });
    const before = run.solve();
    const labels = [...run.labels()];
    assert.deepEqual(labels.slice(0, 2), [0, 1]);
    run.setAllowed(3, 0, [false, true]);
    const edited = run.solve();
    assert.equal(run.labels(3)[0], 1);
    assert.ok(edited.score <= before.score);
    close(model.score(run.labels()).score, edited.score);
    run.setAllowed(3, 0, null);
    close(run.solve().score, before.score);
    assert.deepEqual([...run.labels()], labels);
    run.setStrength(0, 3);
    const stronger = run.solve().score;
    const told = model.score(run.labels());
    close(stronger, told.score + 2 * told.cliqueScores[0]);
    run.setStrength(0, 1);
    for (const handle of [run, model, problem]) handle.close();
    assert.equal(chorale.allocatedBytes, 0);
  });

  test(`problems with texts, ${name}`, () => {
    const builder = chorale.createModelBuilder();
    for (let i = 0; i < 3; ++i)
      builder.addChain({ scores: [[2, 0.1, 0.2], [0.1, 2.2, 0.4]] }, { tokens: [i, 9] });
    const potts = chorale.createPotts(3, 0.4);
    const { first } = builder.addCliques(1, { potential: potts, labelValues: [0, 1, 2] });
    builder.addMembers(first, [0, 1, 2], { positions: [1, 1, 1] });
    const model = builder.freeze();
    const problem = chorale.createProblem(model);
    problem.setTexts("labels", ["Other", "Place", "Person"]);
    problem.setTexts("words", ["in", "Washington", "near", "Washington", "says", "Washing\0ton"]);
    problem.setTexts("kinds", ["word"]);
    problem.setTexts(0, ["x", "y", "z"]);
    problem.setTexts(1, ["ü"]);
    assert.deepEqual(problem.texts(0), ["x", "y", "z"]);
    problem.setCliques({ kinds: [0], values: ["labels"] });
    problem.gold = [0, 1, 0, 1, -1, 1];
    const again = chorale.readProblem(problem.toBytes());
    for (const p of [problem, again]) {
      assert.deepEqual(p.texts("labels"), ["Other", "Place", "Person"]);
      assert.equal(p.text("words", 5), "Washing\0ton");
      assert.equal(p.text("tokens", 0), null);
      assert.equal(p.valueName(0, 2), "Person");
      assert.deepEqual([p.cliqueKind(0), p.cliqueKind(7)], [0, -1]);
      assert.deepEqual([...p.gold], [0, 1, 0, 1, -1, 1]);
      p.setCliques({ values: [1] });
      assert.equal(p.valueName(0, 0), "ü");
      p.gold = null;
      assert.equal(p.gold, null);
      p.setTexts("words", null);
      assert.deepEqual(p.texts("words"), []);
    }
    for (const handle of [again, problem, model, potts, builder]) handle.close();
    assert.equal(chorale.allocatedBytes, 0);
  });
}

test("version, and what the machine has", async () => {
  const described = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  assert.equal(libraries[0][1].version, described.version);
  assert.equal((await load()).simd, hasSimd());
  assert.ok(libraries[0][1].memoryBytes >= 2 ** 24);
});
