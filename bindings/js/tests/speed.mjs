// Time of solves in WebAssembly over that of the native library, on the problems of the benchmarks.
//
//     node tests/speed.mjs NATIVE FOLDER [MOST]     bindings/js/speed.sh calls it
//
// NATIVE: the program of speed.c; FOLDER: where problems are written; MOST: fails where a ratio of the
// module with vector instructions is above it. Processor time of one thread, the least of several
// solves, both programs in turn. Messages are in single precision: by default the format depends on the
// bytes of model and run, which are fewer where addresses have 32 bits. The scores must be the same to
// the bit.
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

/** Sentences of 20 words over 10 labels in documents of 25, as in tests/bench/collective_bench.cpp. */
function collective(sentences) {
  const random = randomOf(1);
  const [labels, length] = [10, 20];
  const scores = Float64Array.from({ length: sentences * length * labels }, () => 4 * random());
  const transitions = chorale.createTransitions(Float64Array.from({ length: labels * labels }, () => 2 * random() - 1));
  const builder = chorale.createModelBuilder();
  builder.addCorpus({ scores, labels, offsets: Array.from({ length: sentences + 1 }, (_, i) => i * length) }, {
    transitions,
    tokens: Int32Array.from({ length: sentences * length }, () => Math.floor(Math.exp(random() * Math.log(20000))) - 1),
    groups: Array.from({ length: sentences }, (_, i) => Math.floor(i / 25)),
  });
  builder.addRepeatedWords(chorale.createPotts(labels, 0.9, { scale: "members" }), { stop: Array.from({ length: 50 }, (_, word) => word) });
  return builder.freeze();
}

/** `count` cliques of n single items of 24 labels, as in tests/bench/clique_bench.cpp. */
function cliques(count, n, potentialOf) {
  const random = randomOf(2);
  const labels = 24;
  const builder = chorale.createModelBuilder();
  for (let c = 0; c < count; ++c) {
    const { first } = builder.addCorpus({ scores: Float64Array.from({ length: n * labels }, () => 2 * random()), labels });
    const clique = builder.addClique({ potential: potentialOf(labels, c, random) });
    builder.addPositions(clique, [0, n], Array.from({ length: n }, (_, i) => first + i));
  }
  return builder.freeze();
}
const potts = (n) => (labels, c) => chorale.createPotts(labels, [0.8, 0.85, 0.9, 0.95][c % 4] / n * 10);
const majority = (labels, c, random) =>
  chorale.createMajority(labels, Float64Array.from({ length: labels * labels }, (_, i) => (i % (labels + 1) === 0 ? 0.5 * random() : 0)));

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
if (existsSync(pages)) problems.push(["four properties, pages of references", [pages]]);
const small = join(root, "tests/problems");
problems.push(["problem files of the tests", readdirSync(small).filter((file) => file.endsWith(".chorale")).map((file) => join(small, file))]);

// ---- Times -------------------------------------------------------------------------------------

function inWebAssembly(library, path) {
  const problem = library.readProblem(readFileSync(path));
  const run = library.createRun(problem, { messageElement: "float32" });
  let [least, all, score] = [Infinity, 0, 0];
  // At least three, of which the first one compiles, and a second or so of small ones.
  for (let n = 0; n < 3 || (all < 1000 && n < 1000); ++n) {
    run.reset();
    const before = process.cpuUsage();
    ({ score } = run.solve());
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
    all += (user + system) / 1000;
  }
  run.close();
  problem.close();
  return [least, score];
}
const natively = (paths) => execFileSync(native, paths, { encoding: "utf8" }).trimEnd().split("\n").map((line) => line.split(" ").map(Number));

let worst = 0;
console.log("problem\tnative ms\twasm ms\tratio\twith vectors ms\tratio");
for (const [name, paths] of problems) {
  const least = { native: 0, plain: 0, simd: 0 };
  const before = natively(paths);
  const measured = new Map();
  for (const [kind, library] of libraries) measured.set(kind, paths.map((path) => inWebAssembly(library, path)));
  const after = natively(paths);
  paths.forEach((path, i) => {
    least.native += Math.min(before[i][0], after[i][0]);
    for (const [kind, times] of measured) {
      least[kind] += times[i][0];
      assert.equal(times[i][1], before[i][1], `${path}: ${kind} has another score`);
    }
  });
  const ratio = least.simd / least.native;
  if (least.native > 1) worst = Math.max(worst, ratio); // shorter ones are below what the clock tells
  console.log([name, least.native.toFixed(2), least.plain.toFixed(2), (least.plain / least.native).toFixed(2), least.simd.toFixed(2), ratio.toFixed(2)].join("\t"));
}
console.log(`worst\t${worst.toFixed(2)}`);
process.exit(worst <= Number(most) ? 0 : 1);
