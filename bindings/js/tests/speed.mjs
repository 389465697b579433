// Prints the ratio of the time of solves in WebAssembly to that of the native library, on the
// problems of the benchmarks.
//
//     node tests/speed.mjs NATIVE FOLDER [MOST]     bindings/js/speed.sh calls it
//
// NATIVE: the program of speed.c. FOLDER: where problems are written. MOST: the test fails if a
// ratio of the module with vector instructions is above it. A round measures the native library and
// each module in one thread: the least processor time of several solves. It divides the time of
// each module by that of the native library. The median of these ratios over the rounds is printed.
// Messages are in single precision, because the default format depends on the bytes of model and
// run, which are fewer where addresses have 32 bits. The scores must be the same, bit for bit.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bothModules, randomOf } from "./helpers.mjs";

const [native, folder, most = "Infinity"] = process.argv.slice(2);
const root = fileURLToPath(new URL("../../../", import.meta.url));
const libraries = new Map(await bothModules());

// ---- Problems ----------------------------------------------------------------------------------

const chorale = libraries.get("simd");

/**
 * Returns a model of sentences of 20 words with 10 labels, 25 sentences to a document, as in
 * tests/bench/collective_bench.cpp.
 */
function collective(sentences) {
  const random = randomOf(1);
  const [labels, length] = [10, 20];
  const scores = Float64Array.from({ length: sentences * length * labels }, () => 4 * random());
  const transitions = chorale.createTransitions(
    Float64Array.from({ length: labels * labels }, () => 2 * random() - 1),
  );
  const tokens = Int32Array.from(
    { length: sentences * length },
    () => Math.floor(Math.exp(random() * Math.log(20000))) - 1,
  );
  const builder = chorale.createModelBuilder();
  const offsets = Array.from({ length: sentences + 1 }, (_, i) => i * length);
  builder.addCorpus({ scores, labels, offsets }, { transitions });
  const places = new Map(); // by document and word
  tokens.forEach((word, position) => {
    const chain = Math.floor(position / length);
    const key = Math.floor(chain / 25) * 20000 + word;
    if (word < 50) return;
    if (!places.has(key)) places.set(key, []);
    places.get(key).push([chain, position % length]);
  });
  const repeated = [...places.values()].filter((all) => all.length >= 2);
  const potential = chorale.createPotts(labels, 0.9, { scale: "members" });
  const { first } = builder.addCliques(repeated.length, { potential });
  const ends = [0];
  for (const all of repeated) ends.push(ends.at(-1) + all.length);
  const members = repeated.flat();
  builder.addMembers(first, members.map(([chain]) => chain), {
    offsets: ends, positions: members.map(([, position]) => position),
  });
  return builder.freeze();
}

/**
 * Returns a model of `count` cliques, each of n single items with 24 labels, as in
 * tests/bench/clique_bench.cpp.
 */
function cliques(count, n, potentialOf) {
  const random = randomOf(2);
  const labels = 24;
  const builder = chorale.createModelBuilder();
  for (let c = 0; c < count; ++c) {
    const { first } = builder.addCorpus({
      scores: Float64Array.from({ length: n * labels }, () => 2 * random()),
      labels,
    });
    const clique = builder.addCliques(1, { potential: potentialOf(labels, c, random) }).first;
    builder.addMembers(clique, Array.from({ length: n }, (_, i) => first + i), { offsets: [0, n] });
  }
  return builder.freeze();
}
const potts = (n) => (labels, c) =>
  chorale.createPotts(labels, ([0.8, 0.85, 0.9, 0.95][c % 4] / n) * 10);
const majority = (labels, c, random) =>
  chorale.createMajority(
    labels,
    Float64Array.from({ length: labels * labels }, (_, i) =>
      i % (labels + 1) === 0 ? 0.5 * random() : 0,
    ),
  );

const made = {
  "repeated words, 5000 sentences": () => collective(5000),
  "Potts, 40 cliques of 100": () => cliques(40, 100, potts(100)),
  "Potts, 4 cliques of 1000": () => cliques(4, 1000, potts(1000)),
  "majority, 20 cliques of 100": () => cliques(20, 100, majority),
};
const problems = Object.entries(made).map(([name, make]) => {
  const path = join(folder, `${name.replaceAll(/\W+/g, "-")}.chorale`);
  if (!existsSync(path)) {
    const model = make();
    const problem = chorale.createProblem(model);
    writeFileSync(path, problem.toBytes());
    problem.close();
    model.close();
  }
  return [name, [path]];
});
const pages = join(root, "examples/publications/data/pages.chorale");
if (existsSync(pages)) problems.push(["nine properties, pages of references", [pages]]);
const small = join(root, "tests/problems");
problems.push([
  "problem files of the tests",
  readdirSync(small)
    .filter((file) => file.endsWith(".chorale"))
    .map((file) => join(small, file)),
]);

// ---- Times -------------------------------------------------------------------------------------

const ROUNDS = 7;

/**
 * Reads problem files. solve() measures several times how long it takes to solve a new run of each,
 * and returns [the least processor time in milliseconds, the scores].
 */
function runsOf(library, paths) {
  const problems = paths.map((path) => library.readProblem(readFileSync(path)));
  return {
    solve() {
      let [least, all, scores] = [Infinity, 0, []];
      for (let n = 0; n < 3 || all < 250; ++n) {
        const options = { messageElement: "float64" };
        const runs = problems.map((problem) => library.createRun(problem, options));
        const before = process.cpuUsage();
        scores = runs.map((run) => run.solve().score);
        const { user, system } = process.cpuUsage(before);
        const taken = (user + system) / 1000;
        least = Math.min(least, taken);
        all += taken;
        for (const run of runs) run.close();
      }
      return [least, scores];
    },
    close() {
      for (const problem of problems) problem.close();
    },
  };
}
function natively(paths) {
  const [time, ...scores] = execFileSync(native, paths, { encoding: "utf8" })
    .split(" ")
    .map(Number);
  return [time, scores];
}
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];

let worst = 0;
console.log("problem\tnative ms\twith vectors\twithout");
for (const [name, paths] of problems) {
  const kinds = ["simd", "plain"].map((kind) => ({
    kind,
    runs: runsOf(libraries.get(kind), paths),
    ratios: [],
  }));
  for (const { runs } of kinds) runs.solve(); // compiles the module before the measurement
  const times = [];
  for (let round = 0; round < ROUNDS; ++round) {
    const [time, scores] = natively(paths);
    times.push(time);
    for (const { kind, runs, ratios } of kinds) {
      const [taken, found] = runs.solve();
      assert.deepEqual(found, scores, `${name}: other scores, ${kind}`);
      ratios.push(taken / time);
    }
  }
  const ratios = kinds.map((kind) => median(kind.ratios));
  for (const { runs } of kinds) runs.close();
  worst = Math.max(worst, ratios[0]);
  console.log(
    [name, median(times).toFixed(2), ...ratios.map((ratio) => ratio.toFixed(2))].join("\t"),
  );
}
console.log(`worst\t${worst.toFixed(2)}`);
process.exit(worst <= Number(most) ? 0 : 1);
