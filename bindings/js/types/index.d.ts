// Types of libchorale. Numbers of chains, positions, labels, cliques and values count from 0.

/** Numbers given to a call. Typed arrays that lie in the library's memory are read in place. */
export type Numbers = ArrayLike<number> | MemoryArray;
/** Scores of a chain: T rows of m numbers, or a typed array of T x m numbers with `labels` told. */
export type Rows = ArrayLike<Numbers>;

export interface LoadOptions {
  /**
   * The module: its bytes, a base64 text of its bytes (gzip-compressed or not), or a compiled
   * module. Without it the file of the package is read, by `fetch` or by Node.
   */
  wasm?: ArrayBuffer | ArrayBufferView | string | WebAssembly.Module;
  /**
   * Without `wasm`: take the module with vector instructions, or not; by default where the machine
   * has them.
   */
  simd?: boolean;
  /**
   * Greatest size of the library's memory in bytes, from 16 MiB to 4 GiB, rounded up to 64 KiB; 4
   * GiB by default.
   */
  maximumMemory?: number;
  /** Receives warnings of the library. */
  log?: (message: string, level: "debug" | "info" | "warning") => void;
}

/** Loads the library. Each call gives a library with a memory of its own. */
export function load(options?: LoadOptions): Promise<Chorale>;

/** True if this machine runs the module with vector instructions. */
export function hasSimd(): boolean;

/** A call that failed. Nothing was changed by it. */
export class ChoraleError extends Error {
  private constructor();
  readonly name: "ChoraleError";
  /**
   * Number of the status in the C interface (status.h); below 0 for errors of the package itself:
   * -1 CLOSED, -2 DETACHED, -3 WRONG_TYPE.
   */
  readonly status: number;
  /** Name of the status, such as "SHAPE" or "CLOSED". */
  readonly statusName: string;
}

/**
 * What has memory in the library. Freed by `close`, or some time after nothing refers to it any
 * more.
 */
export class Handle {
  protected constructor();
  /** Frees the memory; any later use is an error, except a further `close`. */
  close(): void;
  readonly closed: boolean;
}
export interface Handle {
  /** The same as `close`, for `using`. */
  [Symbol.dispose](): void;
}

type TypedArrayOf = {
  float64: Float64Array;
  float32: Float32Array;
  int32: Int32Array;
  uint8: Uint8Array;
};

/** An array in the library's memory: filled once, read by any number of calls without a copy. */
export class MemoryArray<T extends keyof TypedArrayOf = keyof TypedArrayOf> extends Handle {
  readonly type: T;
  readonly length: number;
  /**
   * The array itself. When the memory of the library grows, all earlier views become detached
   * (length 0): read this property again after any call.
   */
  readonly view: TypedArrayOf[T];
}

export type Outcome =
  | "complete"
  | "gap-reached"
  | "iteration-limit"
  | "node-limit"
  | "deadline"
  | "cancelled"
  | "infeasible"
  | "nothing-found";

/** One library with its memory. */
export class Chorale {
  private constructor();
  /** Version of the library, "MAJOR.MINOR.PATCH". */
  readonly version: string;
  /** True if this is the module with vector instructions. */
  readonly simd: boolean;
  /** Bytes that handles have allocated and not freed. */
  readonly allocatedBytes: number;
  /** Bytes of the library's memory, which grows and never shrinks. */
  readonly memoryBytes: number;

  /** Labels chains together so that what ought to agree does, as far as the scores allow. */
  decode(scores: Scores, options?: DecodeOptions): Decoded;
  /** The problem that `decode` solves, to be saved, learnt from, or run. */
  buildProblem(
    scores: Scores,
    /** gold: for each chain T labels, -1: unknown. names: of the labels. */
    options?: AgreeOptions & { gold?: ArrayLike<ArrayLike<number>>; names?: readonly string[] },
  ): Problem;

  /** A problem without texts, gold labels and notes. */
  createProblem(model: Model): Problem;
  /** A problem from the bytes of a problem file. */
  readProblem(bytes: ArrayBuffer | ArrayBufferView): Problem;

  createModelBuilder(): ModelBuilder;
  /** m x m scores of one label after another (row: the earlier label); absent: zeros. */
  createTransitions(scores: Rows | Transitions | null, options?: TransitionsOptions): Transitions;
  createRun(model: Model | Problem, options?: RunOptions & { earlier?: Run }): Run;
  /**
   * A run in which some cliques of the model are paid by prices in the place of their potentials:
   * those with members in other models too.
   */
  createPrices(
    model: Model | Problem,
    cliques: Numbers,
    options?: Omit<RunOptions, "edits">,
  ): Prices;
  /** Size and cost of a run that is not created. */
  estimateRun(model: Model | Problem, options?: RunOptions): RunCost;

  /** Potts: lambda times the sum of the squared counts. */
  createPotts(values: number, lambda: number, options?: PotentialOptions): Potential;
  /** lambda times the sum of n log n over the counts. */
  createEntropy(values: number, lambda: number, options?: PotentialOptions): Potential;
  /** The greatest lambda n over the counts. */
  createMakespan(values: number, lambda: number, options?: PotentialOptions): Potential;
  /** The greatest lambda n squared over the counts. */
  createSquareMakespan(values: number, lambda: number, options?: PotentialOptions): Potential;
  /** Sum over the values of tables[value][count]; one table serves all values. */
  createSum(
    values: number,
    tables: Rows,
    options?: PotentialOptions & { shape?: Shape },
  ): Potential;
  /** Greatest of tables[value][count]; one table serves all values. */
  createMax(values: number, tables: Rows, options?: PotentialOptions): Potential;
  /** table[count of the higher of two counted values]. */
  createCardinality(
    values: number,
    table: Numbers,
    options?: PotentialOptions & { shape?: Shape },
  ): Potential;
  /** Of the commonest value a: bias[a] plus the sum of weights[a][v] over the members' values v. */
  createMajority(
    values: number,
    weights: Rows,
    options?: PotentialOptions & { bias?: Numbers },
  ): Potential;
  /** Sum of scores[v][w] over all ordered pairs of distinct members. */
  createPairs(values: number, scores: Rows, options?: PotentialOptions): Potential;
  /**
   * Any function of the counts, which gets a copy of them. It must depend on its arguments alone.
   * What it throws is thrown by the call that needed the score.
   */
  createCallback(
    values: number,
    score: (counts: Float64Array, members: number) => number,
    options?: PotentialOptions,
  ): Potential;

  /** Fires the kind of the label at `position`. */
  createPositionLabel(labels: Labels, position: number): Property;
  /** Fires the kind of the label wherever the token is `token`. */
  createTokenLabel(labels: Labels, token: number): Property;
  /** Fires the kind of the first label that is not ignored. */
  createFirstLabel(labels: Labels, options?: { ignored?: Flags }): Property;
  /** Fires the kind of the label after each segment of the kind `anchor`. */
  createNextLabel(
    labels: Labels,
    anchor: number,
    options?: SegmentOptions & { endValue?: number },
  ): Property;
  /** Fires the token before each segment of the kind `anchor`; `values`: number of tokens. */
  createTokenBefore(
    labels: Labels,
    anchor: number,
    values: number,
    options?: SegmentOptions & { startValue?: number },
  ): Property;
  /** A property by an automaton of your own (property.h). */
  createAutomaton(automaton: Automaton): Property;
  /**
   * A property whose values depend on the class of a position, its label and its parent's label.
   */
  createLocal(local: LocalProperty): Property;
  /** Kinds of label names such as "B-Title" and "I-Title". */
  labelMap(names: readonly string[], scheme?: Scheme): LabelMap;
  /** Which labels may follow which in a scheme, as flags: m x m, m, m. */
  schemeMask(
    names: readonly string[],
    scheme: Scheme,
  ): { mask: Uint8Array; start: Uint8Array; end: Uint8Array };
  /** The values of a property that a clique uses. */
  createDictionary(values: Numbers, options?: { out?: boolean }): Dictionary;

  /**
   * Learns weights for the kinds of cliques of problems with gold labels (learn.h). Throws, among
   * others, NO_GOLD, ONE_GROUP, KIND (no clique has a kind; `costs` and `classes` both),
   * LABELS_MISMATCH (`costs` or `classes` for another number of labels), SIZE (`folds`, empty
   * `classes`), OUT_OF_RANGE (classes below -1, or none that counts).
   */
  learn(problems: Problem | readonly Problem[], options?: LearnOptions): Learnt;
  /** What `Learnt.toJSON` gave. */
  readLearnt(json: string): Learnt;

  /** An array of `length` zeros in the library's memory. */
  createArray<T extends keyof TypedArrayOf>(type: T, length: number): MemoryArray<T>;
}

// ---- decode ------------------------------------------------------------------------------------

/** For each chain T x m scores; or all chains end to end in one typed array. */
export type Scores = ArrayLike<Rows> | FlatScores;
export interface FlatScores {
  /** N x m scores, position after position. Float64Array and Float32Array are taken as they are. */
  scores: Numbers;
  /** m */
  labels: number;
  /**
   * Chain i has the positions offsets[i] to offsets[i + 1] - 1. Absent: each position is a chain.
   */
  offsets?: Numbers;
}

/** What a word or a key may be. Equal ones ought to have one label. */
export type Key = string | number | bigint | boolean | null | undefined | object;

export interface AgreeOptions {
  /** m x m scores of one label after another; null: zeros. */
  transitions?: Transitions | Rows | null;
  /** For each chain its T words: texts, or integers from 0. */
  tokens?: ArrayLike<ArrayLike<Key>>;
  /** The document of each chain; absent: all are of one. */
  groups?: ArrayLike<Key>;
  /**
   * What ought to agree: "word" (the default), a property, a pair of one of these and its strength,
   * an `Agreement`, or an array of such entries.
   */
  agree?: Agree | readonly Agree[];
  /**
   * How much agreement is worth, in the unit of the scores. One of n places of a word gains
   * (2 - 2 / n) * strength by joining all others. 1 by default.
   */
  strength?: number;
  /** Least number of places of a word that make a clique; 2 by default. */
  minimum?: number;
  /** Words that make no clique. */
  stop?: Iterable<Key>;
}
export type Agree = "word" | Property | readonly ["word" | Property, number] | Agreement;
export interface Agreement {
  /** "words", "keys", "cliques", or the property that whole chains should show alike. */
  what?: "words" | "keys" | "cliques" | Property;
  /** 1 by default; below 0: they ought to differ. */
  strength?: number;
  /** In the place of the strength: any potential over the labels, or over the property's values. */
  potential?: Potential;
  /** True: in all groups together; false (the default): within each. */
  across?: boolean;
  minimum?: number;
  /** "keys": for each chain T keys, texts or integers from 0, -1 for none. */
  keys?: ArrayLike<ArrayLike<Key>>;
  stop?: Iterable<Key>;
  /**
   * "cliques": for each clique the numbers of its positions, which count on from chain to chain.
   */
  cliques?: readonly Numbers[];
}
export type DecodeOptions = AgreeOptions & RunOptions;

/** Labels of chains that were labelled together. It stands by itself: nothing is to be closed. */
export interface Decoded {
  /** By chain. The rows are views of one array. */
  readonly labels: Int32Array[];
  /** Each chain's best labels without the others. */
  readonly own: Int32Array[];
  readonly changed: Change[];
  readonly result: RunResult;
}
export interface Change {
  readonly chain: number;
  readonly own: Int32Array;
  readonly labels: Int32Array;
  readonly reasons: Reason[];
}
export interface Reason {
  /** "word" for an agreement of words, otherwise its index in `agree`. */
  readonly what: "word" | number;
  /** Index of the agreement. */
  readonly agreement: number;
  readonly clique: number;
  readonly chain: number;
  /** Within the chain; -1: the whole chain, of a property. */
  readonly position: number;
  /** Number of positions or chains in the clique; `agreeing` of the others have `value` too. */
  readonly members: number;
  readonly agreeing: number;
  readonly ownValue: number;
  readonly value: number;
  /** What the clique would lose if this member alone went back; Infinity: that is forbidden. */
  readonly amount: number;
}

// ---- Potentials, properties, transitions --------------------------------------------------------

export type Flags = ArrayLike<number | boolean>;
export type Shape = "detect" | "convex" | "concave";
export interface PotentialOptions {
  /** Multiplies by 1 / n or 1 / log n, n the number of members. */
  scale?: "none" | "members" | "log-members";
  /** By value: 0 or false for one that adds nothing. */
  counted?: Flags;
}
export class Potential extends Handle {
  /** R */
  readonly values: number;
  readonly family: "sum" | "max" | "majority" | "pairs" | "callback";
  /** This potential times a factor >= 0. */
  scaled(factor: number): Potential;
  /** Score of counts by value; `members`: their sum. */
  score(counts: Numbers): number;
  /**
   * What the members of a clique that has them in several models (`Chorale.createPrices`) are paid,
   * by value, at counts of all models together, and the score of these. `members`: of all models;
   * those in no count have no value. Throws KIND for a potential that is neither "majority" nor a
   * convex "sum" that forbids nothing.
   */
  prices(counts: Numbers, members: number): { prices: Float64Array; score: number };
  /**
   * Upper bound on the score of any counts of so many members less their payments; exact for a
   * convex "sum".
   */
  most(prices: Numbers, members: number): number;
}

export type Scheme = "plain" | "bio" | "bioes" | "bilou";
export interface LabelMap {
  /** m: the kind of each label. */
  kindOfLabel: Numbers;
  kinds: number;
  /** m: 1 for a label that begins a segment even after one of its kind. */
  begins?: Flags;
}
/** A number of labels, each a kind of its own, or a map to kinds. */
export type Labels = number | LabelMap;
export interface SegmentOptions {
  /** m: 1 for labels that are passed over. */
  ignored?: Flags;
  /** True: an ignored label ends a segment. False by default. */
  endsAtIgnored?: boolean;
}
export interface Automaton {
  labels: number;
  states: number;
  values: number;
  /** Number of position classes; 1 by default. */
  classes?: number;
  /** State before the first position; 0 by default. */
  start?: number;
  /** states x classes x labels: the state after the position. */
  next: Numbers;
  /** The same shape: the value that fires, or `fire.nothing`, `fire.label`, `fire.table`. */
  actions?: Numbers;
  /** By state: what fires at the end. */
  endActions?: Numbers;
  /** By label: the value of `fire.label`, -1 for nothing. */
  labelValues?: Numbers;
  tableOffset?: number;
  outsideValue?: number;
}
export interface LocalProperty {
  labels: number;
  values: number;
  classes?: number;
  /** classes x labels x (labels + 1): by class, label, and label of the parent; last: no parent. */
  actions: Numbers;
  labelValues?: Numbers;
}
/** Actions of automata that are not values. */
export const fire: { readonly nothing: -1; readonly label: -2; readonly table: -3 };

export interface ShownOptions {
  classes?: Numbers;
  /** T tokens. */
  table?: Numbers;
  parents?: Numbers;
  dictionary?: Dictionary;
}
export class Property extends Handle {
  /** R. EMPTY is R, CONFLICT is R + 1. */
  readonly values: number;
  readonly labels: number;
  /** Value that a labelling shows; -1: one outside of a dictionary without OUT. */
  shown(labels: Numbers, options?: ShownOptions): number;
  /** All values that a labelling fires, in order. */
  fired(labels: Numbers, options?: ShownOptions): Int32Array;
}
export class Dictionary extends Handle {
  readonly values: number;
  /** Number of a property's value here; OUT, or -1 without OUT. */
  find(value: number): number;
  /** Property's value with a number here; -1: OUT, or none. */
  value(number: number): number;
}
export interface TransitionsOptions {
  /** Number of labels, where there are no scores. */
  labels?: number;
  /** m scores of the first label and of the last. */
  start?: Numbers;
  end?: Numbers;
  /** 0 forbids: m x m, m, m. `Chorale.schemeMask` makes them. */
  mask?: Flags;
  startMask?: Flags;
  endMask?: Flags;
}
export class Transitions extends Handle {
  readonly labels: number;
}

// ---- Models -------------------------------------------------------------------------------------

export interface ChainScores {
  /** T x m scores: rows, or a typed array with `labels` told. */
  scores: Rows | Numbers;
  labels?: number;
  transitions?: Transitions | null;
  /**
   * (T - 1) x m x m scores of each edge, or m x m of all, in the place of those of `transitions`.
   */
  edges?: Numbers;
  start?: Numbers;
  end?: Numbers;
  /** A tree: for each position its parent, an earlier one, or -1. */
  parents?: Numbers;
  /** T: the label that a position must take, or -1. */
  forced?: Numbers;
  /** T x m flags, 0 forbids. */
  allowed?: Flags;
}
export interface ChainOptions {
  tokens?: Numbers;
  /** The document of the chain; 0 by default. */
  group?: number;
}
export interface CorpusOptions {
  transitions?: Transitions | null;
  tokens?: Numbers;
  groups?: Numbers;
}
export interface CliqueOptions {
  potential?: Potential;
  /** The members are chains, which show what the property says; absent: they are positions. */
  property?: Property;
  dictionary?: Dictionary;
  /** R of a clique of positions; absent: as many as the potential has. */
  values?: number;
  labelValues?: Numbers;
  /** In the place of `potential`: one for each value of the centre. */
  centre?: readonly Potential[];
  centreLabelValues?: Numbers;
}
/** Numbers from `first` on. */
export interface Span {
  readonly first: number;
  readonly count: number;
}
export class ModelBuilder extends Handle {
  /** Adds a chain or tree; its number. */
  addChain(chain: ChainScores, options?: ChainOptions): number;
  /** Adds a chain or tree of another model, with its tokens and group; its number here. */
  copyChain(model: Model, chain: number): number;
  /** Adds many chains in one call. */
  addCorpus(scores: FlatScores, options?: CorpusOptions): Span;
  addClique(options: CliqueOptions): number;
  addCliques(count: number, options: CliqueOptions): Span;
  /** Adds a whole chain to a clique of chains. */
  addMember(clique: number, chain: number, options?: { classes?: Numbers; table?: Numbers }): void;
  /** Clique first + c gets the chains offsets[c] to offsets[c + 1] - 1 of `chains`. */
  addMembers(first: number, offsets: Numbers, chains: Numbers): void;
  addPosition(clique: number, chain: number, position: number): void;
  addPositions(first: number, offsets: Numbers, chains: Numbers, positions?: Numbers): void;
  setCentre(clique: number, chain: number, position: number): void;
  /** A clique of the places of each repeated token. */
  addRepeatedWords(
    potential: Potential,
    options?: {
      minimum?: number;
      across?: boolean;
      stop?: Numbers;
      labelValues?: Numbers;
      values?: number;
    },
  ): Span;
  /** The model; nothing can be added afterwards. */
  freeze(): Model;
}
export interface ChainView {
  readonly length: number;
  readonly labels: number;
  /** T x m scores, a copy. */
  readonly scores: Float64Array | Float32Array;
  readonly tokens: Int32Array | null;
  readonly group: number;
  readonly parents: Int32Array | null;
}
export class Model extends Handle {
  readonly chains: number;
  readonly cliques: number;
  readonly members: number;
  /** Bytes of the model; of its scores. */
  readonly bytes: number;
  readonly scoreBytes: number;
  chainLength(chain: number): number;
  chain(chain: number): ChainView;
  cliqueMembers(clique: number): number;
  cliqueValues(clique: number): number;
  cliqueColumns(clique: number): number;
  centreValues(clique: number): number;
  /** Chain and position (-1: a whole chain) of a member. */
  member(clique: number, member: number): { chain: number; position: number };
  /** A handle of its own, or null. */
  cliquePotential(clique: number): Potential | null;
  centrePotential(clique: number, value: number): Potential | null;
  cliqueProperty(clique: number): Property | null;
  cliqueDictionary(clique: number): Dictionary | null;
  /** Score of any labelling of all positions, chain by chain. */
  score(labels: Numbers): { score: number; chainScores: Float64Array; cliqueScores: Float64Array };
  /** The same chains and cliques, with the potential of clique c times factors[c]. */
  reweigh(factors: Numbers): Model;
}

// ---- Problems -----------------------------------------------------------------------------------

export type TextList =
  "labels" | "tokens" | "words" | "spaces" | "chains" | "groups" | "cliques" | "kinds";
export class Problem extends Handle {
  /** A handle of its own. */
  model(): Model;
  /** Texts of a list, or of a list of value names by its number; empty: there is none. */
  texts(list: TextList | number): string[];
  text(list: TextList | number, index: number): string | null;
  /** Sets a list; null removes it. */
  setTexts(list: TextList | number, texts: readonly string[] | null): void;
  /** Adds a list of value names; its number. */
  addValueNames(names: readonly string[]): number;
  /**
   * By clique: index of its kind (-1: none); and the list that names its values. Absent: unchanged.
   */
  setCliques(options: {
    kinds?: Numbers;
    values?: ArrayLike<"labels" | "tokens" | number | null>;
  }): void;
  cliqueKind(clique: number): number;
  valueName(clique: number, value: number): string | null;
  /** Gold labels of all positions, -1: unknown; null: there are none. A copy. */
  gold: Int32Array | null;
  /** The gold labels in the library's memory: valid until the next call. */
  readonly goldView: Int32Array | null;
  /** Notes by name. */
  notes(): Map<string, string>;
  /** null removes the note. */
  setNote(name: string, text: string | null): void;
  /** The bytes of a problem file. */
  toBytes(): Uint8Array;
}

// ---- Runs ---------------------------------------------------------------------------------------

export interface Progress {
  readonly round: number;
  readonly messagesChanged: number;
  readonly score: number;
  readonly bestScore: number;
  readonly upperBound: number;
}
export interface RunOptions {
  /** Greatest number of rounds; 10 by default. */
  rounds?: number;
  damping?: number;
  schedule?: "all" | "disagreement";
  /** Algorithm of clique messages, such as "alpha-pass" (clique.h); "auto" by default. */
  algorithm?: string;
  exactMarginals?: boolean;
  polish?: boolean;
  restrictRange?: boolean;
  jointMode?: "auto" | "exact" | "absorption" | "beam";
  beamWidth?: number;
  budget?: number;
  messageElement?: "float64" | "float32" | "magnitude16" | "auto";
  /** Seconds that each call may take; null: any. */
  timeLimit?: number | null;
  /** Told after each round; true ends the call. What it throws is thrown by the call. */
  progress?: (progress: Progress) => boolean | void;
  /** Steps of the search for an upper bound; 0 (the default): no bound. */
  boundSteps?: number;
  /** True: memory for `setAllowed` and `setStrength`. */
  edits?: boolean;
}
export interface RunCost {
  readonly runBytes: number;
  readonly modelBytes: number;
  readonly scoreBytes: number;
  readonly chainSteps: number;
  readonly cliqueScores: number;
}
export interface RunResult {
  readonly outcome: Outcome;
  readonly proven: boolean;
  readonly rounds: number;
  readonly bestRound: number;
  readonly score: number;
  readonly chainScore: number;
  readonly cliqueScore: number;
  readonly ownScore: number;
  readonly roundsScore: number;
  readonly polishedScore: number;
  readonly polishedOwnScore: number;
  readonly upperBound: number;
  readonly gap: number;
  readonly changedChains: number;
  readonly messagesChanged: number;
  readonly chainUpdates: number;
  readonly cliqueUpdates: number;
}
/** A member of a clique that changed its value, and what the clique gains by that. */
export interface Payment {
  readonly clique: number;
  readonly member: number;
  readonly position: number;
  readonly ownValue: number;
  readonly value: number;
  readonly amount: number;
}
export interface OfLabelling {
  /** True: the labelling of each chain without its cliques. */
  own?: boolean;
}
/**
 * Where results are written: an array of the right length. In a `MemoryArray` the library writes
 * itself.
 */
export interface IntoInt32 {
  into?: Int32Array | MemoryArray<"int32">;
}
export interface IntoFloat64 {
  into?: Float64Array | MemoryArray<"float64">;
}
/** What a run tells of its labellings, without computing. */
export class Results extends Handle {
  result(): RunResult;
  labels(chain: number, options?: OfLabelling & IntoInt32): Int32Array;
  /** Labels of all chains, end to end. */
  allLabels(options?: OfLabelling & IntoInt32): Int32Array;
  chainScore(chain: number, options?: OfLabelling): number;
  /** True if the labels of a chain differ from its own. */
  changed(chain: number): boolean;
  cliqueScore(clique: number, options?: OfLabelling): number;
  values(clique: number, options?: OfLabelling & IntoInt32): Int32Array;
  payments(chain: number): Payment[];
  /** The whole result as JSON. */
  json(): string;
}
export class Run extends Results {
  /** The rounds that are left, polish and bound; after edits only what they change. */
  solve(): RunResult;
  /** One round; the first is round 0. */
  step(): RunResult;
  polish(): RunResult;
  bound(steps: number): RunResult;
  reset(): void;
  setTimeLimit(seconds: number | null): void;

  /** Allows only some labels of a position: m flags. null lifts this. Needs `edits`. */
  setAllowed(chain: number, position: number, allowed: Flags | null): void;
  /** Multiplies the potential of a clique: 0, or 1e-6 to 1e6. Needs `edits`. */
  setStrength(clique: number, factor: number): void;
  /** Replaces the scores of a chain by others of the same shape. */
  setChain(chain: number, scores: ChainScores): void;
  /** Goes on from a labelling of all positions. */
  setLabels(labels: Numbers): void;

  /** T x m max-marginals, and T margins. */
  maxMarginals(chain: number): { marginals: Float64Array; margins: Float64Array };
  /**
   * T x m probabilities of labels, each row adding up to 1, and whether they are exact. The
   * temperature is above 0, in units of the scores (1): at 1 these are logarithms of odds.
   */
  probabilities(
    chain: number,
    options?: { temperature?: number } & IntoFloat64,
  ): { probabilities: Float64Array; exact: boolean };
}
/**
 * A run of a model that has only some of the members of its shared cliques, because all of them are
 * too many for one model. The models send counts, how many of their members have each value, and
 * receive prices, what a member is paid for each value. Its results have the payments as scores of
 * the shared cliques.
 */
export class Prices extends Results {
  /**
   * Labels the model under prices, from the beginning: the same prices give the same labels. For
   * each shared clique a row with a price for each value of its potential; absent: all are 0.
   * `score` is without payments and shared cliques, -Infinity where no labelling was found.
   */
  solve(prices?: ArrayLike<Numbers> | null): { score: number; result: RunResult };
  /** Rows as `solve` takes them: how many members have each value in the last labelling. */
  counts(): number[][];
}

// ---- Learning -----------------------------------------------------------------------------------

export interface WeightRule {
  basis:
    | "agreement"
    | "log-agreement"
    | "share"
    | "majority"
    | "centre"
    | "single"
    | "empty"
    | "conflict"
    | "out"
    | "value";
  /** Absent: every kind; every index. */
  kind?: number;
  index?: number;
  least?: number;
  most?: number;
}
export interface LearnOptions extends Omit<RunOptions, "progress" | "timeLimit" | "edits"> {
  /** By problem: the share of what the final tagger will have seen, above 0, at most 1. */
  seen?: Numbers;
  rules?: readonly WeightRule[];
  /** m x m costs of giving the second label where the first is right. Absent: 1 if it is wrong. */
  costs?: Rows;
  /**
   * m numbers: what each label counts as, -1: it does not count. What is learnt for is then micro F1
   * of what counts, and `costs` must be absent.
   */
  classes?: Numbers;
  /** At most, at least 2. Absent: 10. */
  folds?: number;
  /** Of significance, above 0 and below 1. Absent: 0.05. */
  level?: number;
  /** Seconds. */
  timeLimit?: number | null;
  progress?: (progress: { runs: number; runsMost: number }) => boolean | void;
}
export interface LearntKind {
  readonly kind: number;
  readonly name: string | null;
  readonly verdict: "kept" | "no-cliques" | "screened" | "no-gain" | "not-applied";
  readonly cliques: number;
  readonly members: number;
  /** 1 where nothing was screened. */
  readonly screeningP: number;
  /** Over the tagger's own labels, of the kind alone; 0 where not learnt, or of one kind. */
  readonly gain: number;
  readonly gainLower: number;
  readonly gainUpper: number;
  readonly p: number;
}
export interface LearntWeight {
  readonly kind: number;
  readonly basis: WeightRule["basis"];
  /** 0 where the basis has none. */
  readonly index: number;
  /** As applied. */
  readonly weight: number;
  /** The 95 % interval. */
  readonly lower: number;
  readonly upper: number;
  /** Bounds; infinite: none. */
  readonly least: number;
  readonly most: number;
}
/** Costs are sums over held-out groups; gains have 95 % intervals and one-sided p-values. */
export interface LearntReport {
  readonly outcome: Outcome;
  readonly applied: "nothing" | "bonuses" | "all";
  /** What is odd about the problems (learn.h). */
  readonly warnings: readonly (
    | "gold-forbidden"
    | "label-unseen"
    | "single-clique"
    | "base-knows"
    | "few-groups"
  )[];
  readonly groups: number;
  readonly folds: number;
  /** With gold labels. */
  readonly positions: number;
  readonly kinds: readonly LearntKind[];
  readonly weights: readonly LearntWeight[];
  /** Over single problems. */
  readonly runs: number;
  /** Of the scores: the temperature at which the tagger's margins are calibrated. */
  readonly unit: number;
  readonly regularisation: number;
  /** Of weaker taggers; 0: none. */
  readonly goldBonus: number;
  /** Of the tagger's own labels, of bonuses alone, of all bases. */
  readonly baseCost: number;
  readonly controlCost: number;
  readonly allCost: number;
  /** `baseCost` less `allCost`. */
  readonly gain: number;
  readonly gainLower: number;
  readonly gainUpper: number;
  readonly gainP: number;
  /** `controlCost` less `allCost`. */
  readonly agreementGain: number;
  readonly agreementLower: number;
  readonly agreementUpper: number;
  /** Of agreement, from members where these can be exchanged; otherwise of `agreementGain`. */
  readonly agreementP: number;
  /** Micro F1 of the tagger's own labels, 0 to 1, where `classes` were given; otherwise 0. */
  readonly f1: number;
  /** For `Run.probabilities`; 0: not known. */
  readonly temperature: number;
}
export class Learnt extends Handle {
  /** The model of a problem with the learnt potentials in its cliques that have kinds. */
  apply(problem: Problem): Model;
  /** Potential of a kind, for `Agreement` or `CliqueOptions`; `values`: R. */
  potential(kind: number, values: number, options?: { centreValue?: number }): Potential;
  /** Gains, weights and verdicts. */
  report(): LearntReport;
  /** Lines for a person. */
  toString(): string;
  /** A JSON text for `readLearnt`. */
  toJSON(): string;
}
