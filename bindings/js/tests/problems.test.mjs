// The problem files, which the tests of every language read, give the results of expected.tsv bit
// for bit: with and without vector instructions, and after the problem was written and read again.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { bothModules } from "./helpers.mjs";

const folder = new URL("../../../tests/problems/", import.meta.url);
const expected = readFileSync(new URL("expected.tsv", folder), "utf8")
  .trimEnd()
  .split("\n")
  .slice(1);
const files = readdirSync(folder)
  .filter((name) => name.endsWith(".chorale"))
  .sort();

const bits = (number) => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
};
const OUTCOMES = {
  complete: 0,
  "gap-reached": 10,
  "iteration-limit": 20,
  "node-limit": 21,
  deadline: 30,
  cancelled: 31,
  infeasible: 40,
  "nothing-found": 41,
};

/** Solves a problem, and returns its results as lines in the form of expected.tsv. */
function tableOf(chorale, file, problem) {
  const model = problem.model();
  const run = chorale.createRun(model, { boundSteps: 8 });
  const result = run.solve();
  const lines = [];
  const tell = (what, number, content) => lines.push([file, what, number, content].join("\t"));
  tell("outcome", 0, OUTCOMES[result.outcome]);
  tell("score", 0, bits(result.score));
  tell("own_score", 0, bits(result.ownScore));
  tell("upper_bound", 0, bits(result.upperBound));
  const { chainScores, cliqueScores } = model.score(run.labels());
  const all = [];
  for (let chain = 0; chain < model.chains; ++chain) {
    const [labels, own] = [run.labels(chain).join(" "), run.labels(chain, { alone: true }).join(" ")];
    tell("labels", chain, labels);
    tell("own_labels", chain, own);
    tell("chain_score", chain, bits(chainScores[chain]));
    all.push(...run.labels(chain));
  }
  assert.deepEqual([...run.labels()], all);
  for (let clique = 0; clique < model.cliques; ++clique) {
    tell("values", clique, run.values(clique).join(" "));
    tell("clique_score", clique, bits(cliqueScores[clique]));
  }
  run.close();
  model.close();
  return lines;
}

for (const [name, chorale] of await bothModules())
  test(`problem files, ${name}`, () => {
    assert.ok(files.length >= 10);
    const lines = [];
    for (const file of files) {
      const content = readFileSync(new URL(file, folder));
      const problem = chorale.readProblem(content);
      const once = tableOf(chorale, file, problem);
      lines.push(...once);
      const written = problem.toBytes();
      assert.ok(content.equals(written), `${file} written again differs`);
      const again = chorale.readProblem(written.buffer);
      assert.deepEqual(tableOf(chorale, file, again), once);
      again.close();
      problem.close();
    }
    assert.deepEqual(lines, expected);
    assert.equal(chorale.allocatedBytes, 0);
  });
