// Wrong input gives an error that names the argument. It changes nothing and leaks no memory.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { ChoraleError, load } from "../src/index.js";
import { refused } from "./helpers.mjs";

const chorale = await load();
const made = [];
const own = (handle) => (made.push(handle), handle);
after(() => {
  for (const handle of made) handle.close();
  assert.equal(chorale.allocatedBytes, 0);
});

const potts = own(chorale.createPotts(2, 0.5));
const three = own(chorale.createPotts(3, 0.5));
const property = own(chorale.createPositionLabel(2, 0));
const problem = own(chorale.buildProblem([[[1, 0]], [[0, 2]]], { tokens: [["a"], ["a"]] }));
const model = own(problem.model());
const run = own(chorale.createRun(model, { edits: true }));
run.solve();
const bufferOf = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
const detached = () => {
  const array = new Float64Array([1, 0]);
  structuredClone(array.buffer, { transfer: [array.buffer] });
  return array;
};

test("wrong shapes", () => {
  refused("SHAPE", () => chorale.createTransitions([[1, 2], [3]]),
    /scores\[1\] has 1 entries; it must have 2/);
  refused("SHAPE", () => chorale.createTransitions([[1, 2]], { labels: 2 }),
    /scores has 1 rows of 2; it must be 2 x 2/);
  refused("SHAPE", () => chorale.createTransitions([[1, 2], [3, 4]], { start: [1] }),
    /start has 1 entries; it must have 2/);
  refused("SHAPE", () => chorale.createTransitions([[1, 2], [3, 4]], { mask: [1, 1, 1] }),
    /mask has 3 entries; it must have 4/);
  refused("SHAPE", () => chorale.createMajority(2, [[1, 2]]), /weights has 1 rows of 2/);
  refused("SHAPE", () => chorale.createSum(3, [[1, 2], [1, 2]]),
    /^tables\.length is 2; it must be 1 or values = 3$/);
  refused("SHAPE", () => chorale.createPotts(2, 1, { counted: [1] }),
    /counted has 1 entries; it must have 2/);
  refused("SHAPE", () => chorale.createCardinality(3, [1, 2]), /3 values count/);
  const builder = own(chorale.createModelBuilder());
  refused("SHAPE", () => builder.addChain({ scores: new Float64Array(3), labels: 2 }),
    /scores has 3 entries, which is not a multiple of labels, 2/);
  refused("WRONG_TYPE", () => builder.addChain({ scores: new Float64Array(2) }),
    /labels is missing/);
  refused("SHAPE", () => builder.addChain({ scores: [[1, 2], [1]] }), /scores\[1\]/);
  refused("SHAPE", () => builder.addChain({ scores: [[1, 2]], labels: 3 }),
    /scores\[0\] has 2 entries; it must have 3/);
  refused("SHAPE", () => builder.addChain({ scores: [[1, 2]] }, { tokens: [1, 2] }),
    /tokens has 2 entries; it must have 1/);
  refused("SHAPE", () => builder.addChain({ scores: [[1, 2], [1, 2]], edges: [1, 2, 3] }),
    /edges has 3 entries/);
  refused("SHAPE", () => builder.addChain({ scores: [[1, 2]], allowed: [1] }),
    /allowed has 1 entries; it must have 2/);
  refused("SHAPE", () => builder.addCorpus({ scores: [[1, 2]], labels: 2, offsets: [] }),
    /offsets is empty/);
  refused("OUT_OF_RANGE", () => builder.addCorpus({ scores: [[1, 2]], labels: 2, offsets: [0, 2] }),
    /offsets\[1\] is 2; offsets must ascend from 0 to 1, the number of rows of scores/);
  refused("OUT_OF_RANGE", () => builder.addCorpus({ scores: [[1, 2]], labels: 2, offsets: [1, 0] }),
    /offsets/);
  refused("SHAPE", () => builder.addCorpus({ scores: [[1, 2]], labels: 2 }, { groups: [1, 2] }),
    /groups has 2 entries; it must have 1/);
  builder.addChain({ scores: [[1, 2]] });
  const transitions = own(chorale.createTransitions([[1, 2], [3, 4]]));
  refused("LABELS_MISMATCH", () => builder.addChain({ scores: [[1, 2, 3]], transitions }),
    /labels/);
  const clique = builder.addCliques(1, { potential: potts, property }).first;
  refused("SHAPE", () => builder.addMembers(clique, [0], { tables: [[1, 2]] }),
    /tables\[0\] has 2 entries; it must have 1/);
  refused("SHAPE", () => builder.addMembers(0, [0], { offsets: [0, 1], positions: [0, 1] }),
    /positions has 2 entries; it must have 1/);
  refused("SHAPE", () => builder.addMembers(0, [], { offsets: [] }), /offsets is empty/);
  refused("SHAPE", () => model.score([0]), /labels/);
  refused("SHAPE", () => run.setLabels([1]), /labels/);
  refused("SHAPE", () => run.setAllowed(0, 0, [1]), /allowed has 1 entries; it must have 2/);
  refused("SHAPE", () => { problem.gold = [1]; }, /gold has 1 entries; it must have 2/);
  refused("SHAPE", () => problem.setTexts("words", ["one"]), /words|texts|count/);
  refused("SHAPE", () => problem.setCliques({ kinds: [] }), /kinds has 0 entries; it must have 1/);
  refused("VALUES_MISMATCH", () => potts.score([1, 2, 3]));
  refused("VALUES_MISMATCH", () => builder.addCliques(1, { potential: three, property }).first, /potential/);
});

test("detached buffers", () => {
  const builder = own(chorale.createModelBuilder());
  refused("DETACHED", () => builder.addChain({ scores: detached(), labels: 2 }),
    /scores is an array whose buffer is detached/);
  refused("DETACHED", () => builder.addCorpus({ scores: detached(), labels: 2 }), /scores/);
  refused("DETACHED", () => chorale.decode({ scores: detached(), labels: 2 }, { agree: [] }),
    /scores/);
  refused("DETACHED", () => chorale.createTransitions([[1, 2], [3, 4]], { end: detached() }),
    /end/);
  refused("DETACHED", () => chorale.readProblem(detached()), /bytes is detached/);
  refused("DETACHED", () => chorale.readProblem(detached().buffer), /bytes is detached/);
  refused("DETACHED", () => run.setAllowed(0, 0, detached()), /allowed/);
});

test("closed handles", () => {
  const closed = {
    potential: chorale.createPotts(2, 1),
    property: chorale.createPositionLabel(2, 0),
    transitions: chorale.createTransitions(null, { labels: 2 }),
    builder: chorale.createModelBuilder(),
    problem: chorale.readProblem(problem.toBytes()),
    model: problem.model(),
    run: chorale.createRun(model),
  };
  for (const handle of Object.values(closed)) {
    assert.equal(handle.closed, false);
    handle.close();
    handle.close();
    assert.equal(handle.closed, true);
  }
  const builder = own(chorale.createModelBuilder());
  refused("CLOSED", () => closed.potential.score([1, 1]), /Potential is closed/);
  refused("CLOSED", () => closed.property.values, /Property is closed/);
  refused("CLOSED", () => closed.transitions.labels, /Transitions is closed/);
  refused("CLOSED", () => closed.builder.freeze(), /ModelBuilder is closed/);
  refused("CLOSED", () => closed.problem.toBytes(), /Problem is closed/);
  refused("CLOSED", () => closed.problem.gold, /Problem is closed/);
  refused("CLOSED", () => closed.model.chains, /Model is closed/);
  refused("CLOSED", () => closed.run.solve(), /Run is closed/);
  refused("CLOSED", () => closed.run.setAllowed(0, 0, null), /Run is closed/);
  refused("CLOSED", () => closed.run.maxMarginals(0), /Run is closed/);
  refused("CLOSED", () => builder.addCliques(1, { potential: closed.potential }).first,
    /potential is closed/);
  refused("CLOSED", () => builder.addChain({ scores: [[1, 2]], transitions: closed.transitions }),
    /transitions is closed/);
  refused("CLOSED", () => chorale.createRun(closed.model), /model is closed/);
  refused("CLOSED", () => chorale.createRun(closed.problem), /model is closed/);
  refused("CLOSED", () => chorale.createRun(model, { earlier: closed.run }), /earlier is closed/);
  refused("CLOSED", () => chorale.learn([closed.problem]), /problems\[0\] is closed/);
});

test("handles of another library", async () => {
  const other = await load();
  const theirs = other.createPotts(2, 1);
  const builder = own(chorale.createModelBuilder());
  refused("WRONG_TYPE", () => builder.addCliques(1, { potential: theirs }).first, /another library/);
});

test("values, kinds and names of options", () => {
  const builder = own(chorale.createModelBuilder());
  refused("NOT_A_NUMBER", () => builder.addChain({ scores: [[1, NaN]] }), /scores\[0\]/);
  refused("INFINITE", () => builder.addChain({ scores: [[1, Infinity]] }), /scores/);
  refused("WRONG_TYPE", () => builder.addChain({ scores: [[1, "2"]] }),
    /scores\[0\]\[1\] is "2", not a number/);
  refused("WRONG_TYPE", () => builder.addChain({ scores: "text" }), /scores/);
  refused("WRONG_TYPE", () => builder.addChain(null), /chain is null/);
  refused("WRONG_TYPE", () => builder.addChain({ scores: [[1, 2]], edge: [] }),
    /chain\.edge is not known; there are scores/);
  refused("WRONG_TYPE", () => builder.addChain({ scores: [[1, 2]], forced: [0.5] }),
    /forced\[0\] is 0\.5, not an integer/);
  refused("OUT_OF_RANGE", () => builder.addChain({ scores: [[1, 2]], forced: [2] }), /forced/);
  refused("OUT_OF_RANGE", () => builder.addMembers(2 ** 53, [0], { positions: [0] }),
    /first is 9007199254740992; it must be from -9007199254740991 to 9007199254740991$/);
  refused("OUT_OF_RANGE", () => builder.addChain({ scores: [[1, 2]] }, { tokens: [2 ** 31] }),
    /tokens\[0\] is 2147483648; it must be from -2147483648 to 2147483647/);
  refused("PARENT_ORDER", () => builder.addChain({ scores: [[1, 2], [1, 2]], parents: [1, -1] }),
    /parents/);
  refused("WRONG_TYPE", () => builder.addCliques(1, { potential: property }).first,
    /potential is a Property, not a Potential/);
  refused("NULL_ARGUMENT", () => builder.addCliques(1, {}).first, /potential is missing/);
  refused("KIND", () => builder.addCliques(1, { potential: potts, property, values: 2 }).first,
    /values is for cliques of positions/);
  refused("KIND", () => builder.addCliques(1, { potential: potts, centre: [potts] }).first, /centre/);
  refused("OUT_OF_RANGE", () => builder.addMembers(0, [0], { positions: [0] }), /first is 0/);
  refused("WRONG_TYPE", () => builder.addMembers("0", [0], { positions: [0] }), /first is "0", not an integer/);
  refused("OUT_OF_RANGE", () => model.chain(2), /chain is 2; it must be from 0 to 1/);
  refused("OUT_OF_RANGE", () => model.membersOf(-1), /clique is -1; it must be from 0 to 0/);
  refused("OUT_OF_RANGE", () => run.labels(2), /chain is 2/);
  refused("OUT_OF_RANGE", () => run.setStrength(0, -1), /factor is -1/);
  refused("OUT_OF_RANGE", () => run.probabilities(0, { temperature: 0 }), /temperature is 0/);
  refused("FORBIDDEN_VALUE", () => run.setAllowed(0, 0, [0, 0]),
    /^allowed leaves no label to position 0 of chain 0; .* nor a score of minus infinity forbid$/);
  refused("STATE", () => { const plain = own(chorale.createRun(model)); plain.setStrength(0, 1); },
    /edits/);
  refused("NO_LABELLING", () => own(chorale.createRun(model)).labels(0));
  refused("SIZE", () => chorale.createRun(model, { rounds: -1 }), /rounds is -1/);
  refused("OUT_OF_RANGE", () => chorale.createRun(model, { damping: 1 }), /damping is 1/);
  refused("UNKNOWN_CONSTANT", () => chorale.createRun(model, { algorithm: "AUTO" }),
    /algorithm is "AUTO"; there are "auto"/);
  refused("WRONG_TYPE", () => chorale.createRun(model, { threads: 2 }),
    /options\.threads is not known/);
  refused("WRONG_TYPE", () => chorale.createRun(model, { progress: 1 }),
    /progress is 1, not a function/);
  refused("OUT_OF_RANGE", () => chorale.createRun(model, { timeLimit: -1 }), /timeLimit is -1/);
  refused("WRONG_TYPE", () => chorale.createRun({}), /model is a Object, not a Model/);
  refused("SIZE", () => chorale.createPotts(0, 1), /values is 0/);
  refused("NOT_A_NUMBER", () => chorale.createPotts(2, NaN), /lambda/);
  refused("UNKNOWN_CONSTANT", () => chorale.createPotts(2, 1, { scale: "n" }),
    /scale is "n"; there are "none", "members", "log-members"$/);
  refused("LABEL_NAME", () => chorale.labelMap(["X-Title"]), /X-Title/);
  refused("TEXT", () => chorale.readLearnt("{}"), /json is no learnt result from byte 2 on; it must/);
  refused("UNKNOWN_CONSTANT", () => problem.texts("value"),
    /list is "value"; there are "labels", .*"kinds".*"notes"$/);
  refused("OUT_OF_RANGE", () => problem.texts(-1), /list is -1/);
  refused("WRONG_TYPE", () => problem.setTexts("labels", [1]), /texts\[0\] is 1, not a text/);
  refused("NO_GOLD", () => chorale.learn(problem), /set some with Problem\.gold$/);
  const learnOf = (options) => () => chorale.learn(problem, options);
  refused("WRONG_TYPE", learnOf({ classes: 1 }), /classes is 1, not an array/);
  refused("SIZE", learnOf({ classes: [] }), /classes\.length is 0/);
  refused("OUT_OF_RANGE", learnOf({ classes: [-1, -1] }), /classes are all -1/);
  refused("OUT_OF_RANGE", learnOf({ classes: [0, -2] }), /classes\[1\] is -2/);
  refused("LABELS_MISMATCH", learnOf({ classes: [0, -1, 1] }),
    /^chain 0 of problems\[0\] has 2 labels; it must have classes\.length = 3, those of classes$/);
  refused("KIND", learnOf({ classes: [0, -1], costs: [[0, 1], [1, 0]] }), /both given/);
  refused("KIND", learnOf({ classes: [0], costs: [[0, 1], [1, 0]] }), /both given/);
});

test("what decode is given", () => {
  const scores = [[[1, 0], [0, 1]], [[1, 0]]];
  const tokens = [["a", "b"], ["a"]];
  const no = (status, options, message, given = scores) =>
    refused(status, () => chorale.decode(given, options), message);
  no("TOKENS_MISSING", { agree: "words" }, /tokens is missing: agree needs the words/);
  no("SHAPE", { tokens: [["a"]] }, /tokens has 1 entries; it must have 2/);
  no("SHAPE", { tokens: [["a"], ["a"]] }, /tokens\[0\] has 1 entries; it must have 2/);
  no("WRONG_TYPE", { tokens: ["ab", "a"] }, /tokens\[0\] is "ab", not an array/);
  no("SHAPE", { tokens, groups: [1] }, /groups has 1 entries; it must have 2/);
  no("SHAPE", { tokens, transitions: [[1]] }, /transitions has 1 rows of 1; it must be 2 x 2/);
  no("NOT_A_NUMBER", { tokens }, /scores\[1\]\[0\]/, [[[1, 0], [0, 1]], [[1, NaN]]]);
  no("SHAPE", { tokens }, /scores\[0\]\[1\] has 1 entries; it must have 2/,
    [[[1, 0], [0]], [[1, 0]]]);
  no("WRONG_TYPE", { tokens, agree: "word" }, /agree is "word", neither/);
  no("UNKNOWN_CONSTANT", { tokens, agree: { what: "phrases" } }, /agree\.what is "phrases"/);
  no("WRONG_TYPE", { tokens, agree: ["words", 7, {}] }, /agree\[1\] is 7/);
  no("SIZE", { tokens, minimum: 0 }, /minimum is 0/);
  no("SIZE", { tokens, agree: ["words", { minimum: 0 }] }, /agree\[1\]\.minimum is 0/);
  no("NOT_A_NUMBER", { tokens, agree: [{ strength: NaN }] }, /agree\[0\]\.strength/);
  no("NULL_ARGUMENT", { agree: { what: "keys" } },
    /agree\.keys is missing; an agreement of "keys" needs them/);
  no("NULL_ARGUMENT", { agree: { what: "cliques" } }, /agree\.cliques is missing/);
  no("OUT_OF_RANGE", { agree: { what: "cliques", cliques: [[0, 3]] } },
    /agree\.cliques\[0\]\[1\] is 3, and there are 3 positions/);
  no("DUPLICATE_MEMBER", { agree: { what: "cliques", cliques: [[0, 0]] } },
    /^agree: position 0 of chain 0 is a member of clique 0 already$/);
  no("LABELS_MISMATCH", { agree: own(chorale.createPositionLabel(3, 0)) }, /agree/);
  no("VALUES_MISMATCH", { tokens, agree: { potential: three } }, /agree\.potential|agree/);
  no("WRONG_TYPE", { tokens, strengths: 2 }, /options\.strengths is not known/);
  no("WRONG_TYPE", { agree: [] }, /scores\.label is not known/, { scores: [], label: 2 });
  no("WRONG_TYPE", { tokens, agree: ["words", { strenght: 1 }] }, /agree\[1\]\.strenght is not/);
  no("SHAPE", { agree: [] }, /scores has 3 entries/, { scores: new Float64Array(3), labels: 2 });
  no("OUT_OF_RANGE", { agree: [] }, /offsets\[1\] is 3; offsets must ascend from 0 to 2/,
    { scores: new Float64Array(4), labels: 2, offsets: [0, 3] });
});

test("damaged problems", () => {
  const path = new URL("../../../tests/problems/model-03.chorale", import.meta.url);
  const content = readFileSync(path);
  refused("FILE_TRUNCATED", () => chorale.readProblem(new ArrayBuffer(0)));
  refused("FILE_FORMAT", () => chorale.readProblem(new ArrayBuffer(4096)));
  refused("FILE_TRUNCATED", () => chorale.readProblem(content.subarray(0, content.length - 1)));
  refused("WRONG_TYPE", () => chorale.readProblem("chorale"), /bytes is "chorale"/);
  for (let at = 0; at < content.length; at += 7) {
    content[at] ^= 0x40;
    assert.throws(() => chorale.readProblem(content), ChoraleError);
    content[at] ^= 0x40;
  }
  const good = own(chorale.readProblem(bufferOf(content)));
  assert.ok(good.toBytes().length === content.length);
});

test("memory that cannot grow", async () => {
  const small = await load({ maximumMemory: 16 * 2 ** 20 });
  assert.equal(small.memoryBytes, 16 * 2 ** 20);
  refused("OUT_OF_MEMORY", () => small.createSum(1, new Float64Array(2 ** 22)), /out of memory/);
  refused("OUT_OF_MEMORY", () => small.readProblem(new Uint8Array(20 * 2 ** 20)));
  // There is memory for the package's copy of the scores, but not for the library's own copy.
  const builder = small.createModelBuilder();
  refused("OUT_OF_MEMORY", () => builder.addCorpus({ scores: new Float64Array(9e5), labels: 9 }),
    /no memory/);
  builder.close();
  assert.equal(small.allocatedBytes, 0);

  // Without memory for the counts of many values, the call fails.
  const chains = small.createModelBuilder();
  const values = 400;
  const potts = small.createPotts(values, 1);
  const clique = chains.addCliques(1, { potential: potts }).first;
  const unary = Array.from({ length: values }, (_, v) => v % 3);
  for (let i = 0; i < 2; ++i) chains.addMembers(clique, [chains.addChain({ scores: [unary] })], { positions: [0] });
  const model = chains.freeze();
  const run = small.createRun(model);
  run.solve();
  const labels = run.labels();
  const { score } = model.score(labels);
  const fill = [];
  for (let bytes = 2 ** 23; bytes >= 512; bytes /= 2) {
    try {
      for (;;) fill.push(small.createSum(1, new Float64Array(bytes / 8)));
    } catch (error) {
      assert.equal(error.statusName, "OUT_OF_MEMORY");
    }
  }
  const before = small.allocatedBytes;
  refused("OUT_OF_MEMORY", () => model.score(labels), /gave no memory, aligned to \d+, for \d+ bytes$/);
  assert.equal(small.allocatedBytes, before);
  for (const array of fill) array.close();
  assert.equal(model.score(labels).score, score);
  for (const handle of [run, model, chains, potts]) handle.close();
  assert.equal(small.allocatedBytes, 0);
  assert.deepEqual(small.decode([[[1, 0]]], { agree: [] }).labels.map(String), ["0"]);
});

test("callbacks that throw or give no number", () => {
  const builder = own(chorale.createModelBuilder());
  let give = () => 0;
  const potential = own(chorale.createCallback(2, (counts, members) => give(counts, members)));
  const clique = builder.addCliques(1, { potential }).first;
  for (let i = 0; i < 2; ++i)
    builder.addMembers(clique, [builder.addChain({ scores: [[1, 0.5]] })], { positions: [0] });
  const frozen = own(builder.freeze());
  const asked = own(chorale.createRun(frozen));
  give = () => { throw new SyntaxError("mine"); };
  assert.throws(() => asked.solve(), { name: "SyntaxError", message: "mine" });
  give = () => "text";
  refused("CALLBACK_VALUE", () => asked.solve());
  give = () => (asked.solve(), 0);
  refused("BUSY", () => asked.solve());
  // If a callback catches the error of a call that it makes, the outer call does not fail.
  give = (counts) => {
    try {
      potts.score([1]);
    } catch {
      return counts[1] === 2 ? 3 : 0;
    }
  };
  asked.solve();
  assert.deepEqual([...asked.labels()], [1, 1]);
  // A handle that is closed by its own callback is freed after the call.
  let closing;
  closing = chorale.createRun(frozen, { progress: () => closing.close() });
  closing.solve();
  assert.equal(closing.closed, true);
  refused("FROZEN", () => builder.addChain({ scores: [[1, 2]] }));
});

test("a log function that throws", async () => {
  let throws = false;
  const loaded = await load({ log: () => { if (throws) throw new SyntaxError("mine"); } });
  const thrown = { name: "SyntaxError", message: "mine" };
  const builderOf = () => {
    const builder = loaded.createModelBuilder();
    const logged = loaded.createPotts(2, 1);
    builder.addCliques(1, { potential: logged }).first; // a clique without members is logged
    logged.close();
    return builder;
  };
  const [first, second] = [builderOf(), builderOf()];
  const empty = first.freeze();
  const saved = loaded.createProblem(empty);
  const bytes = saved.toBytes();
  for (const handle of [saved, empty, first]) handle.close();
  throws = true;
  assert.throws(() => second.freeze(), thrown);
  second.close();
  assert.equal(loaded.allocatedBytes, 0);
  assert.throws(() => loaded.readProblem(bytes), thrown);
  assert.equal(loaded.allocatedBytes, 0);
});

const EMPTY_MODULE = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);
// A module with one import, the function "f" of the module "m".
const IMPORTING_MODULE = Uint8Array.of(
  ...EMPTY_MODULE, 1, 4, 1, 96, 0, 0, 2, 7, 1, 1, 109, 1, 102, 0, 0);

test("what load is given", async () => {
  const rejected = async (status, options, message) => assert.rejects(load(options), (error) => {
    assert.ok(error instanceof ChoraleError, String(error));
    assert.equal(error.statusName, status);
    assert.match(error.message, message);
    return true;
  });
  await rejected("FILE_FORMAT", { wasm: new Uint8Array(8) }, /wasm is not a module/);
  await rejected("FILE_FORMAT", { wasm: EMPTY_MODULE }, /wasm is not the module/);
  await rejected("FILE_FORMAT", { wasm: IMPORTING_MODULE }, /wasm is not the module .*: .*import/i);
  await rejected("TEXT", { wasm: "***" }, /not base64/);
  await rejected("WRONG_TYPE", { wasm: 7 }, /wasm is 7/);
  await rejected("WRONG_TYPE", { wsam: 7 }, /options\.wsam is not known/);
  await rejected("OUT_OF_RANGE", { maximumMemory: 1000 }, /maximumMemory is 1000/);
  await rejected("WRONG_TYPE", { log: 1 }, /log is 1/);
  const { Memory } = WebAssembly;
  WebAssembly.Memory = function () {
    throw new RangeError("could not allocate memory");
  };
  await rejected("OUT_OF_MEMORY", {}, /there are no 4294967296 bytes of addresses/);
  WebAssembly.Memory = Memory;
  const bytes = readFileSync(new URL("../dist/chorale.wasm", import.meta.url));
  const lines = [];
  const compiled = await WebAssembly.compile(bytes);
  for (const wasm of [bytes, bufferOf(bytes), bytes.toString("base64"), compiled]) {
    const loaded = await load({ wasm, log: (text, level) => lines.push([level, text]) });
    assert.equal(loaded.simd, false);
    const builder = loaded.createModelBuilder();
    builder.addCliques(1, { potential: loaded.createPotts(2, 1) }).first;
    builder.freeze();
  }
  assert.equal(lines.length, 4);
  assert.equal(lines[0][0], "warning");
  assert.match(lines[0][1], /clique/);
});
