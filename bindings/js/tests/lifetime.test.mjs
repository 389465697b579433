// Handles are freed by `close`, by `using` and by the garbage collector. The module writes numbers
// in decimal as C++ does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { decimal } from "../src/decimal.js";
import { load } from "../src/index.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

test("handles that nothing refers to are freed", async () => {
  const chorale = await load();
  const make = () => {
    for (let i = 0; i < 50; ++i) {
      const problem = chorale.buildProblem([[[1, 0]], [[0, 2]]], { tokens: [["a"], ["a"]] });
      const run = chorale.createRun(problem, { edits: true, progress: () => {} });
      run.solve();
      chorale.createCallback(2, () => 0);
    }
  };
  make();
  assert.ok(chorale.allocatedBytes > 50000);
  for (let i = 0; i < 100 && chorale.allocatedBytes > 0; ++i) {
    collect();
    await new Promise((done) => setTimeout(done, 10));
  }
  assert.equal(chorale.allocatedBytes, 0);
});

test("objects of others go on when a handle is closed", async () => {
  const chorale = await load();
  const problem = chorale.buildProblem([[[0.5, 0]], [[0, 2]]], { tokens: [["a"], ["a"]] });
  const model = problem.model();
  problem.close();
  const run = chorale.createRun(model);
  model.close();
  assert.deepEqual([...(run.solve(), run.labels())], [1, 1]);
  const dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");
  run[dispose]();
  assert.equal(run.closed, true);
  assert.equal(chorale.allocatedBytes, 0);
});

test("memory is used again", async () => {
  const chorale = await load();
  const once = () => {
    const found = chorale.decode(Array.from({ length: 500 }, (_, i) => [[i % 7, 1], [2, i % 3]]), {
      tokens: Array.from({ length: 500 }, (_, i) => [`a${i % 9}`, `b${i % 4}`]),
    });
    assert.equal(found.labels.length, 500);
  };
  once();
  const bytes = chorale.memoryBytes;
  for (let i = 0; i < 200; ++i) once();
  assert.equal(chorale.memoryBytes, bytes);
  assert.equal(chorale.allocatedBytes, 0);
});

test("decimals as C++ writes them", () => {
  const cases = [
    [0, "0"], [-0, "-0"], [1, "1"], [0.1, "0.1"], [-2.5, "-2.5"], [1e5, "1e+05"],
    [123456, "123456"], [1e-5, "1e-05"], [0.00012, "0.00012"],
    [1.5e-7, "1.5e-07"], [1e300, "1e+300"], [123456789012345680000, "123456789012345683968"],
    [1e22, "1e+22"], [9007199254740993, "9007199254740992"],
    [5e-324, "5e-324"], [1.7976931348623157e308, "1.7976931348623157e+308"], [0.001, "0.001"],
    [100, "100"], [1000000, "1e+06"],
    [Infinity, "inf"], [-Infinity, "-inf"], [NaN, "nan"],
  ];
  for (const [number, text] of cases) assert.equal(decimal(number, 0, 0), text);
  assert.equal(decimal(0.25, 1, 0), "2.5e-01");
  assert.equal(decimal(1e100, 1, 0), "1e+100");
  const fixed = [[0.5, 0, "0"], [1.5, 0, "2"], [2.5, 0, "2"], [0.125, 2, "0.12"],
    [0.375, 2, "0.38"], [-0.001, 2, "-0.00"], [1e21, 1, "1000000000000000000000.0"],
    [1.005, 2, "1.00"], [9.995, 2, "9.99"], [99.95, 1, "100.0"], [3, 3, "3.000"]];
  for (const [number, digits, text] of fixed) assert.equal(decimal(number, 2, digits), text);
});
