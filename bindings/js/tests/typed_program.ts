// Statements that the compiler must accept, and statements that it must refuse.
import { ChoraleError, Handle, answers, fire, hasSimd, load, rules } from "libchorale";
import type {
  AgreementReason, Algorithm, Chorale, Decoded, Learnt, LearntReport, Ledger, Model, Problem, Rule, Run,
  RunResult, Settled,
} from "libchorale";

const chorale: Chorale = await load({
  maximumMemory: 2 ** 28, simd: hasSimd(), log: (message, level) => console.log(level, message),
});
const decoded: Decoded = chorale.decode([[[2, 0.1]], [[1.9, 0.3]]], {
  tokens: [["Washington"], ["Washington"]], groups: ["a", "a"], strength: 1, boundSteps: 4,
  agree: [
    "words", ["words", 0.5], { what: "cliques", cliques: [[0, 1], Int32Array.of(0, 1)] },
    chorale.createFirstLabel(2),
  ],
});
const labels: Int32Array[] = decoded.labels;
const reason: AgreementReason | undefined = decoded.changed[0]?.reasons[0];
const what: "words" | number | undefined = reason?.what;

const wanted: Rule[] = [rules.once(), rules.before(null, "City", { price: 2, chains: [0] })];
const ruled = chorale.decode([[[2, 0.1]]], {
  names: ["B-City", "O"], scheme: "bio", rules: wanted, mostCost: 3,
}).ruled;
const dear: boolean = ruled[0]?.state === "too-dear" && ruled[0].conflicts[0] === String(wanted[0]);

const settled: Settled = chorale.settle({
  keys: 1, labels: 2, key: Int32Array.of(0, 0), label: [0, null], scores: null, answers: [answers.none],
});
const ledger: Ledger = chorale.createLedger(2, settled.evidence);
const placed: Int32Array = ledger.add({ keys: 1, labels: 2, key: [0], label: [1], confidence: [null] });
const stays: boolean = settled.keys[0]?.conflict ?? ledger.changes({ take: false })[0]?.row === 0;

const scores = new Float64Array(8);
const builder = chorale.createModelBuilder();
const { first, count } = builder.addCorpus({ scores, labels: 2, offsets: [0, 2, 4] },
  { tokens: [1, 2, 1, 2] });
builder.addChain({ scores: new Float32Array(4), labels: 2, forced: [-1, 1] }, { group: 3 });
const words = builder.addCliques(1,
  { potential: chorale.createPotts(2, 0.5, { scale: "members", counted: [true, true] }) });
builder.addMembers(words.first, [first, first + 1], { positions: [0, 0] });
const model: Model = builder.freeze();
const run: Run = chorale.createRun(model, { edits: true, algorithm: "alpha-pass", progress: ({ round }) => round > 3 });
const algorithm: Algorithm = "count-boxes";
const result: RunResult = run.solve();
run.setAllowed(first, 0, [1, 0]);
run.setAllowed(first, 0, null);
run.setStrength(0, 2);
const written: Int32Array = run.labels(null, { alone: true });
const problem: Problem = chorale.readProblem(chorale.createProblem(model).toBytes());
problem.gold = new Int32Array(4);
problem.gold = null;
problem.setCliques({ kinds: [0], values: ["labels", null, 1] });
const learnt: Learnt = chorale.learn([problem],
  { begins: [false, true], classes: [-1, 0], timeLimit: null });
const f1: number = chorale.learn(problem, { classes: Int32Array.of(-1, 0) }).report().taggerF1;
const report: LearntReport = learnt.report();
const kept: boolean = report.verdict === "gain" && report.warnings[0] !== "few-groups";
const told: number[] = [report.temperature, report.kinds[0]?.strength ?? f1,
  kept ? 1 : 0];
const applied: Model = learnt.apply(problem);
const handle: Handle = applied;
const automaton = chorale.createAutomaton({ labels: 2, states: 1, values: 2, next: [0, 0],
  actions: [fire.label, fire.nothing] });
try {
  handle.close();
} catch (error) {
  if (error instanceof ChoraleError)
    console.log(error.status, error.statusName.length, error.message);
}
console.log(algorithm, labels, what, dear, placed, stays, told, result.outcome === "complete", written, automaton.values);

// @ts-expect-error: no such outcome
console.log(result.outcome === "finished");
// @ts-expect-error: a rule that needs b
rules.before("City");
// @ts-expect-error: no such limit
rules.once("City", { prize: 2 });
// @ts-expect-error: handles are made by the library
new Handle();
// @ts-expect-error: threads are not in WebAssembly
chorale.createRun(model, { threads: 2 });
// @ts-expect-error: a potential where a property is needed
builder.addCliques(1, { property: chorale.createPotts(2, 1) }).first;
// @ts-expect-error: evidence has three numbers
chorale.createLedger(2, { most: 1, once: 2 });
// @ts-expect-error: read-only
result.score = 1;
// @ts-expect-error: no such warning
console.log(report.warnings.includes("few"));
// @ts-expect-error: no such algorithm
chorale.createRun(model, { algorithm: "alpha" });
// @ts-expect-error: no such option
chorale.decode([], { strenght: 1 });
