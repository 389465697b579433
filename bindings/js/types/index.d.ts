// Types of libchorale. Numbers of chains, positions, labels, cliques and values count from 0.

/** Numbers passed to a call. Typed arrays in the library's memory are read in place. */
export type Numbers = ArrayLike<number> | MemoryArray;
/**
 * Scores of a chain: T rows of m numbers, or a typed array of T x m numbers together with `labels`.
 */
export type Rows = ArrayLike<Numbers>;

export interface LoadOptions {
  /**
   * The module: its bytes, a base64 text of its bytes (gzip-compressed or not), or a compiled
   * module. Without it the file of the package is read, by `fetch` or by Node.
   */
  wasm?: ArrayBuffer | ArrayBufferView | string | WebAssembly.Module;
  /**
   * Without `wasm`: whether to load the module with vector instructions; by default if the machine
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

/** The error of a failed call. A failed call changes nothing. */
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
 * An object with memory in the library. Freed by `close`, or by the garbage collector some time
 * after nothing refers to it.
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
  /** Number of bytes that handles have allocated and not freed. */
  readonly allocatedBytes: number;
  /** Number of bytes of the library's memory, which grows and never shrinks. */
  readonly memoryBytes: number;

  /** Labels chains together, maximising the scores plus the potentials of all agreements. */
  decode(scores: Scores, options?: DecodeOptions): Decoded;
  /**
   * Returns the problem that `decode` would solve, to be saved, learnt from, or solved with a run.
   */
  buildProblem(
    scores: Scores,
    /** gold: for each chain T labels, -1: unknown. names: names of the labels. */
    options?: AgreeOptions & { gold?: ArrayLike<ArrayLike<number>>; names?: readonly string[] },
  ): Problem;

  /** Creates a problem without texts, gold labels and notes. */
  createProblem(model: Model): Problem;
  /** Reads a problem from the bytes of a problem file. */
  readProblem(bytes: ArrayBuffer | ArrayBufferView): Problem;

  createModelBuilder(): ModelBuilder;
  /**
   * Creates transitions from m x m scores of one label after another (row: the earlier label);
   * absent: zeros.
   */
  createTransitions(scores: Rows | Transitions | null, options?: TransitionsOptions): Transitions;
  createRun(model: Model | Problem, options?: RunOptions & { earlier?: Run }): Run;
  /**
   * Creates a run in which prices replace the potentials of some cliques, the shared cliques, which
   * have members in other models too.
   */
  createPrices(
    model: Model | Problem,
    cliques: Numbers,
    options?: Omit<RunOptions, "edits">,
  ): Prices;
  /**
   * Computes connected components, whose items must be in one model. Items, such as documents and
   * cliques that are not shared, have numbers from 0 to count - 1, with a pair first[k], second[k]
   * for each membership. Returns the lowest number of the component of each item.
   */
  components(first: Numbers, second: Numbers, count: number): Int32Array;
  /** Computes the size and cost of a run without creating it. */
  estimateRun(model: Model | Problem, options?: RunOptions): RunCost;

  /** Potts: lambda * sum_v n_v^2, where n_v is the number of members with value v. */
  createPotts(values: number, lambda: number, options?: PotentialOptions): Potential;
  /** Entropy: lambda * sum_v n_v log n_v. */
  createEntropy(values: number, lambda: number, options?: PotentialOptions): Potential;
  /** Makespan: max_v lambda * n_v. */
  createMakespan(values: number, lambda: number, options?: PotentialOptions): Potential;
  /** Square makespan: max_v lambda * n_v^2. */
  createSquareMakespan(values: number, lambda: number, options?: PotentialOptions): Potential;
  /** Sum: sum_v tables[v][n_v]; one row may serve all values. */
  createSum(
    values: number,
    tables: Rows,
    options?: PotentialOptions & { shape?: Shape },
  ): Potential;
  /** Max: max_v tables[v][n_v]; one row may serve all values. */
  createMax(values: number, tables: Rows, options?: PotentialOptions): Potential;
  /** Cardinality: table[n_b], where b is the higher of two counted values. */
  createCardinality(
    values: number,
    table: Numbers,
    options?: PotentialOptions & { shape?: Shape },
  ): Potential;
  /** Majority: bias[a] + sum_v weights[a][v] * n_v, where a is the value of highest count. */
  createMajority(
    values: number,
    weights: Rows,
    options?: PotentialOptions & { bias?: Numbers },
  ): Potential;
  /**
   * Pairs: the sum of scores[v][w] over all ordered pairs of distinct members with values v and w.
   */
  createPairs(values: number, scores: Rows, options?: PotentialOptions): Potential;
  /**
   * Any function of the counts, which receives a copy of them. The function must depend only on its
   * arguments. An exception is thrown again by the call that needed the score.
   */
  createCallback(
    values: number,
    score: (counts: Float64Array, members: number) => number,
    options?: PotentialOptions,
  ): Potential;

  /** Creates a property that fires the kind of the label at `position`. */
  createPositionLabel(labels: Labels, position: number): Property;
  /** Creates a property that fires the kind of the label at every position with the token. */
  createTokenLabel(labels: Labels, token: number): Property;
  /** Creates a property that fires the kind of the first label that is not ignored. */
  createFirstLabel(labels: Labels, options?: { ignored?: Flags }): Property;
  /**
   * Creates a property that fires the kind of the first label after each segment of the kind
   * `anchor` that is not ignored, or `endValue` if the chain ends first.
   */
  createNextLabel(
    labels: Labels,
    anchor: number,
    options?: SegmentOptions & { endValue?: number },
  ): Property;
  /**
   * Creates a property that fires the token before each segment of the kind `anchor`, or
   * `startValue` if the segment starts the chain. `values`: number of tokens.
   */
  createTokenBefore(
    labels: Labels,
    anchor: number,
    values: number,
    options?: SegmentOptions & { startValue?: number },
  ): Property;
  /** Creates a property from the tables of an automaton (property.h). */
  createAutomaton(automaton: Automaton): Property;
  /**
   * Creates a property in which the value that a position fires depends only on its class, its
   * label and its parent's label.
   */
  createLocal(local: LocalProperty): Property;
  /** Returns the kinds of label names: "B-Title" and "I-Title" are of one kind. */
  labelMap(names: readonly string[], scheme?: Scheme): LabelMap;
  /**
   * Returns which labels may follow which in a scheme, as flags: `mask` m x m, `start` m, `end` m.
   */
  schemeMask(
    names: readonly string[],
    scheme: Scheme,
  ): { mask: Uint8Array; start: Uint8Array; end: Uint8Array };
  /** Creates the subset of a property's values that a clique uses. */
  createDictionary(values: Numbers, options?: { out?: boolean }): Dictionary;

  /**
   * Learns weights for the kinds of cliques of problems with gold labels (learn.h). Throws, among
   * others, NO_GOLD, ONE_GROUP, KIND (no clique has a kind; `costs` and `classes` both),
   * LABELS_MISMATCH (`costs` or `classes` for another number of labels), SIZE (`folds`, empty
   * `classes`), OUT_OF_RANGE (classes below -1, or without a label that counts).
   */
  learn(problems: Problem | readonly Problem[], options?: LearnOptions): Learnt;
  /** Reads a result written by `Learnt.toJSON`. */
  readLearnt(json: string): Learnt;

  /** An array of `length` zeros in the library's memory. */
  createArray<T extends keyof TypedArrayOf>(type: T, length: number): MemoryArray<T>;
}

// ---- decode ------------------------------------------------------------------------------------

/** For each chain T x m scores; or the scores of all chains in one typed array. */
export type Scores = ArrayLike<Rows> | FlatScores;
export interface FlatScores {
  /**
   * N x m scores, position after position. Float64Array and Float32Array are passed without
   * conversion.
   */
  scores: Numbers;
  /** m, the number of labels. */
  labels: number;
  /**
   * Chain i has the positions offsets[i] to offsets[i + 1] - 1. Absent: each position is a chain.
   */
  offsets?: Numbers;
}

/** A word or a key. Positions with equal ones should have the same label. */
export type Key = string | number | bigint | boolean | null | undefined | object;

export interface AgreeOptions {
  /** m x m scores of one label after another; null: zeros. */
  transitions?: Transitions | Rows | null;
  /** For each chain its T words: texts, or integers from 0. */
  tokens?: ArrayLike<ArrayLike<Key>>;
  /** The document of each chain; absent: all chains are in one document. */
  groups?: ArrayLike<Key>;
  /**
   * What should agree: "word" (the default), a property, a pair of one of these and its strength,
   * an `Agreement`, or an array of such entries.
   */
  agree?: Agree | readonly Agree[];
  /**
   * Strength of the agreement, in the unit of the scores. One of n positions of a word that takes
   * the label of all others gains (2 - 2 / n) * strength. 1 by default.
   */
  strength?: number;
  /** Least number of positions of a word with a clique; 2 by default. */
  minimum?: number;
  /** Words without cliques. */
  stop?: Iterable<Key>;
}
export type Agree = "word" | Property | readonly ["word" | Property, number] | Agreement;
export interface Agreement {
  /**
   * "words": labels of positions with equal words; "keys": with equal `keys`; "cliques": of the
   * positions in each of `cliques`; or a property whose value on whole chains should agree.
   */
  what?: "words" | "keys" | "cliques" | Property;
  /** Strength of the agreement, 1 by default; below 0: values should differ. */
  strength?: number;
  /** A potential that replaces the strength, over the labels, or over the property's values. */
  potential?: Potential;
  /** True: cliques across all groups; false (the default): within each group. */
  across?: boolean;
  minimum?: number;
  /** "keys": for each chain T keys, texts or integers from 0, -1 for none. */
  keys?: ArrayLike<ArrayLike<Key>>;
  stop?: Iterable<Key>;
  /**
   * "cliques": for each clique the numbers of its positions; positions are numbered over all
   * chains.
   */
  cliques?: readonly Numbers[];
  /**
   * How often each position counts, numbered over all chains (of a property: each chain): integers
   * from 1. Needs a strength of at least 0, or a potential that is a convex sum.
   */
  weights?: Numbers;
}
export type DecodeOptions = AgreeOptions & RunOptions;

/** Labels of chains that were labelled together. A plain object: nothing has to be closed. */
export interface Decoded {
  /** Labels by chain. The rows are views of one array. */
  readonly labels: Int32Array[];
  /** Best labels of each chain without cliques. */
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
  /** Position in the chain; -1: the whole chain, in a clique over a property. */
  readonly position: number;
  /**
   * Number of positions or chains of the clique; `agreeing`: number of other members with `value`.
   */
  readonly members: number;
  readonly agreeing: number;
  readonly ownValue: number;
  readonly value: number;
  /**
   * Decrease of the clique's score if this member alone took `ownValue` again; Infinity: forbidden.
   */
  readonly amount: number;
}

// ---- Potentials, properties, transitions --------------------------------------------------------

export type Flags = ArrayLike<number | boolean>;
export type Shape = "detect" | "convex" | "concave";
export interface PotentialOptions {
  /** Multiplies by 1 / n or 1 / log n, n the number of members. */
  scale?: "none" | "members" | "log-members";
  /** By value: 0 or false for an uncounted value, which adds nothing. */
  counted?: Flags;
}
export class Potential extends Handle {
  /** R, the number of values. */
  readonly values: number;
  readonly family: "sum" | "max" | "majority" | "pairs" | "callback";
  /** Returns this potential times a factor >= 0. */
  scaled(factor: number): Potential;
  /** Returns the score of counts by value, which sum to the number of members. */
  score(counts: Numbers): number;
  /**
   * Computes the prices of a clique that has members in several models (`Chorale.createPrices`), by
   * value, and its score. `counts`: by value, summed over all models. `members`: number of members
   * in all models; members in no count have no value. Throws KIND for a potential that is neither
   * "majority" nor a convex "sum" without forbidden counts.
   */
  prices(counts: Numbers, members: number): { prices: Float64Array; score: number };
  /**
   * Returns an upper bound, over all counts of `members` members, on the score minus the prices of
   * the members; exact for a convex "sum".
   */
  most(prices: Numbers, members: number): number;
}

export type Scheme = "plain" | "bio" | "bioes" | "bilou";
export interface LabelMap {
  /** m: the kind of each label. */
  kindOfLabel: Numbers;
  kinds: number;
  /** m: 1 for a label that begins a segment even after a label of its kind. */
  begins?: Flags;
}
/** The number of labels, each a kind of its own, or a map to kinds. */
export type Labels = number | LabelMap;
export interface SegmentOptions {
  /** m: 1 for labels that are ignored. */
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
  /**
   * states x classes x labels: the value that fires, or `fire.nothing`, `fire.label`, `fire.table`.
   */
  actions?: Numbers;
  /** By state: action at the end of a chain. */
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
  /**
   * classes x labels x (labels + 1): the action by class, label, and label of the parent; last
   * column: no parent.
   */
  actions: Numbers;
  labelValues?: Numbers;
}
/** Actions of automata that fire no constant value. */
export const fire: { readonly nothing: -1; readonly label: -2; readonly table: -3 };

export interface ShownOptions {
  classes?: Numbers;
  /** T tokens, which `fire.table` reads. */
  table?: Numbers;
  parents?: Numbers;
  dictionary?: Dictionary;
}
export class Property extends Handle {
  /** R, the number of values. EMPTY has the number R, CONFLICT R + 1. */
  readonly values: number;
  readonly labels: number;
  /**
   * Returns the value of the property on a labelling; -1: a value outside a dictionary without OUT.
   */
  shown(labels: Numbers, options?: ShownOptions): number;
  /** Returns all values that a labelling fires, in order. */
  fired(labels: Numbers, options?: ShownOptions): Int32Array;
}
export class Dictionary extends Handle {
  readonly values: number;
  /** Returns the number of a property's value in the dictionary; outside: that of OUT, or -1. */
  find(value: number): number;
  /** Returns the property's value with a number in the dictionary; -1: OUT, or out of range. */
  value(number: number): number;
}
export interface TransitionsOptions {
  /** Number of labels, if there are no scores. */
  labels?: number;
  /** start: m scores of the first label; end: m scores of the last label. */
  start?: Numbers;
  end?: Numbers;
  /** 0 forbids: mask m x m, startMask m, endMask m. `Chorale.schemeMask` makes them. */
  mask?: Flags;
  startMask?: Flags;
  endMask?: Flags;
}
export class Transitions extends Handle {
  readonly labels: number;
}

// ---- Models -------------------------------------------------------------------------------------

export interface ChainScores {
  /** T x m scores: rows, or a typed array together with `labels`. */
  scores: Rows | Numbers;
  labels?: number;
  transitions?: Transitions | null;
  /**
   * Scores that replace those of `transitions`: (T - 1) x m x m, one matrix for each edge, or m x m
   * for all edges.
   */
  edges?: Numbers;
  start?: Numbers;
  end?: Numbers;
  /** A tree: for each position its parent, an earlier one, or -1. */
  parents?: Numbers;
  /** T: the label that a position must take, or -1 if it is free. */
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
  /** The property whose values on whole chains are counted; absent: the members are positions. */
  property?: Property;
  dictionary?: Dictionary;
  /** R of a clique of positions; absent: that of the potential. */
  values?: number;
  labelValues?: Numbers;
  /** Instead of `potential`: a potential for each value of the centre. */
  centre?: readonly Potential[];
  centreLabelValues?: Numbers;
}
/** The numbers first to first + count - 1. */
export interface Span {
  readonly first: number;
  readonly count: number;
}
export class ModelBuilder extends Handle {
  /** Adds a chain or tree and returns its number. */
  addChain(chain: ChainScores, options?: ChainOptions): number;
  /**
   * Adds a chain or tree of another model, with its tokens and group, and returns its number here.
   */
  copyChain(model: Model, chain: number): number;
  /** Adds many chains in one call. */
  addCorpus(scores: FlatScores, options?: CorpusOptions): Span;
  addClique(options: CliqueOptions): number;
  addCliques(count: number, options: CliqueOptions): Span;
  /** Adds a whole chain to a property clique. */
  addMember(clique: number, chain: number, options?: { classes?: Numbers; table?: Numbers }): void;
  /** Clique first + c gets the chains offsets[c] to offsets[c + 1] - 1 of `chains`. */
  addMembers(first: number, offsets: Numbers, chains: Numbers): void;
  addPosition(clique: number, chain: number, position: number): void;
  addPositions(first: number, offsets: Numbers, chains: Numbers, positions?: Numbers): void;
  /**
   * Sets how often the members of the cliques from `first` on count in their potentials: counts are
   * sums of weights. `weights`: integers from 1, one for each member, clique by clique in the order
   * of adding. Convex sums alone take weights above 1.
   */
  setWeights(first: number, count: number, weights: Numbers): void;
  setCentre(clique: number, chain: number, position: number): void;
  /** Adds a clique for each repeated token, with all its positions as members. */
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
  /** Returns the model; nothing can be added afterwards. */
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
  /** bytes: bytes of the model; scoreBytes: bytes of its scores. */
  readonly bytes: number;
  readonly scoreBytes: number;
  chainLength(chain: number): number;
  chain(chain: number): ChainView;
  cliqueMembers(clique: number): number;
  /** Returns how often a member of a clique counts. */
  memberWeight(clique: number, member: number): number;
  cliqueValues(clique: number): number;
  cliqueColumns(clique: number): number;
  centreValues(clique: number): number;
  /** Returns chain and position (-1: a whole chain) of a member. */
  member(clique: number, member: number): { chain: number; position: number };
  /**
   * Returns a new handle, which the caller closes, or null if the clique has none; so do the
   * methods below.
   */
  cliquePotential(clique: number): Potential | null;
  centrePotential(clique: number, value: number): Potential | null;
  cliqueProperty(clique: number): Property | null;
  cliqueDictionary(clique: number): Dictionary | null;
  /** Returns the score of any labelling of all positions, chain by chain. */
  score(labels: Numbers): { score: number; chainScores: Float64Array; cliqueScores: Float64Array };
  /**
   * Returns a model with the same chains and cliques, the potential of clique c multiplied by
   * factors[c].
   */
  reweigh(factors: Numbers): Model;
}

// ---- Problems -----------------------------------------------------------------------------------

export type TextList =
  "labels" | "tokens" | "words" | "spaces" | "chains" | "groups" | "cliques" | "kinds";
export class Problem extends Handle {
  /** Returns a new handle of the model, which the caller closes. */
  model(): Model;
  /** Returns the texts of a list, or of a list of value names by its number; empty if absent. */
  texts(list: TextList | number): string[];
  text(list: TextList | number, index: number): string | null;
  /** Sets a list; null removes it. */
  setTexts(list: TextList | number, texts: readonly string[] | null): void;
  /** Adds a list of value names and returns its number. */
  addValueNames(names: readonly string[]): number;
  /**
   * Sets by clique the index of its kind (-1: none), and the list that names its values. Absent:
   * unchanged.
   */
  setCliques(options: {
    kinds?: Numbers;
    values?: ArrayLike<"labels" | "tokens" | number | null>;
  }): void;
  cliqueKind(clique: number): number;
  valueName(clique: number, value: number): string | null;
  /** Gold labels of all positions, -1: unknown; null: no gold labels. A copy. */
  gold: Int32Array | null;
  /** The gold labels in the library's memory: valid until the next call. */
  readonly goldView: Int32Array | null;
  /** Returns the notes by name. */
  notes(): Map<string, string>;
  /** Sets a note; null removes it. */
  setNote(name: string, text: string | null): void;
  /** Returns the bytes of a problem file. */
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
  /** Time limit of each call in seconds; null: none. */
  timeLimit?: number | null;
  /** Called after each round; true ends the call. An exception is thrown again by the call. */
  progress?: (progress: Progress) => boolean | void;
  /** Number of steps of dual ascent for an upper bound; 0 (the default): no bound. */
  boundSteps?: number;
  /** True: allocates the memory that `setAllowed` and `setStrength` need. */
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
/** A member of a clique whose value changed, and the clique's gain (`amount`) by the change. */
export interface Payment {
  readonly clique: number;
  readonly member: number;
  readonly position: number;
  readonly ownValue: number;
  readonly value: number;
  readonly amount: number;
}
export interface OfLabelling {
  /** True: the best labelling of each chain without cliques. */
  own?: boolean;
}
/**
 * Destination of results: an array of the right length. The library writes directly to a
 * `MemoryArray`.
 */
export interface IntoInt32 {
  into?: Int32Array | MemoryArray<"int32">;
}
export interface IntoFloat64 {
  into?: Float64Array | MemoryArray<"float64">;
}
/** Results of a run, which can be read without computing. */
export class Results extends Handle {
  result(): RunResult;
  labels(chain: number, options?: OfLabelling & IntoInt32): Int32Array;
  /** Returns the labels of all chains in one array. */
  allLabels(options?: OfLabelling & IntoInt32): Int32Array;
  chainScore(chain: number, options?: OfLabelling): number;
  /** True if the labels of a chain differ from its best labels without cliques. */
  changed(chain: number): boolean;
  cliqueScore(clique: number, options?: OfLabelling): number;
  values(clique: number, options?: OfLabelling & IntoInt32): Int32Array;
  payments(chain: number): Payment[];
  /** Returns the whole result as JSON. */
  json(): string;
}
export class Run extends Results {
  /** Does the remaining rounds, polish and bound; after edits only what they affect. */
  solve(): RunResult;
  /** Does one round; the first is round 0, without cliques. */
  step(): RunResult;
  polish(): RunResult;
  bound(steps: number): RunResult;
  reset(): void;
  setTimeLimit(seconds: number | null): void;

  /** Allows only some labels of a position: m flags. null lifts the restriction. Needs `edits`. */
  setAllowed(chain: number, position: number, allowed: Flags | null): void;
  /** Multiplies the potential of a clique by a factor: 0, or 1e-6 to 1e6. Needs `edits`. */
  setStrength(clique: number, factor: number): void;
  /** Replaces the scores of a chain by others of the same shape. */
  setChain(chain: number, scores: ChainScores): void;
  /** Replaces the best labelling by one of all positions; no result scores below it. */
  setLabels(labels: Numbers): void;

  /** Returns T x m max-marginals, and T margins. */
  maxMarginals(chain: number): { marginals: Float64Array; margins: Float64Array };
  /**
   * Returns T x m probabilities of labels, each row adding up to 1, and whether they are exact.
   * temperature: above 0, in units of the scores; 1 (the default) takes scores as log-odds.
   */
  probabilities(
    chain: number,
    options?: { temperature?: number } & IntoFloat64,
  ): { probabilities: Float64Array; exact: boolean };
}
/**
 * A run of a model with shared cliques, whose other members are in other models, because one model
 * with all members would be too large. Each model sends counts, the number of its members with each
 * value, and receives prices, the score added to a member for each value. In the results the scores
 * of shared cliques are the prices of their members.
 */
export class Prices extends Results {
  /**
   * Labels the model under prices, always from a new start: the same prices give the same labels.
   * prices: for each shared clique a row with a price for each value of its potential; absent: all
   * 0. `score` is without shared cliques and prices, -Infinity if no labelling was found.
   */
  solve(prices?: ArrayLike<Numbers> | null): { score: number; result: RunResult };
  /**
   * Returns the number of members with each value in the last labelling, in rows as `solve` takes
   * them.
   */
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
  /** Number of a kind of cliques, and index of the basis. Absent: every kind; every index. */
  kind?: number;
  index?: number;
  least?: number;
  most?: number;
}
export interface LearnOptions extends Omit<RunOptions, "progress" | "timeLimit" | "edits"> {
  /**
   * By problem: the share of the final tagger's training data that its tagger has seen, above 0, at
   * most 1.
   */
  seen?: Numbers;
  rules?: readonly WeightRule[];
  /** m x m costs, row: gold label, column: label given. Absent: 1 for each wrong label. */
  costs?: Rows;
  /**
   * m numbers: the class of each label in micro F1, -1 if it does not count. The costs are then
   * those of micro F1, and `costs` must be absent.
   */
  classes?: Numbers;
  /** Greatest number of folds, at least 2. Absent: 10. */
  folds?: number;
  /** Level of significance, above 0 and below 1. Absent: 0.05. */
  level?: number;
  /** Time limit in seconds; null: none. */
  timeLimit?: number | null;
  progress?: (progress: { runs: number; runsMost: number }) => boolean | void;
}
export interface LearntKind {
  readonly kind: number;
  readonly name: string | null;
  readonly verdict: "kept" | "no-cliques" | "screened" | "no-gain" | "not-applied";
  readonly cliques: number;
  readonly members: number;
  /** p-value of the screening; 1 if kinds were not screened. */
  readonly screeningP: number;
  /**
   * Gain of this kind alone over the tagger's labels; 0 if not learnt, or if it is the only kind.
   */
  readonly gain: number;
  readonly gainLower: number;
  readonly gainUpper: number;
  readonly p: number;
}
export interface LearntWeight {
  readonly kind: number;
  readonly basis: WeightRule["basis"];
  /** Index of the basis; 0 if it has none. */
  readonly index: number;
  /** The weight as applied. */
  readonly weight: number;
  /** 95 % interval of the weight, lower to upper. */
  readonly lower: number;
  readonly upper: number;
  /** Bounds of the weight; infinite: none. */
  readonly least: number;
  readonly most: number;
}
/**
 * Report of learning. Costs are sums over held-out groups; gains have 95 % intervals and one-sided
 * p-values.
 */
export interface LearntReport {
  readonly outcome: Outcome;
  readonly applied: "nothing" | "bonuses" | "all";
  /** Unusual properties of the problems (learn.h). */
  readonly warnings: readonly (
    | "gold-forbidden"
    | "label-unseen"
    | "single-clique"
    | "base-knows"
    | "few-groups"
  )[];
  readonly groups: number;
  readonly folds: number;
  /** Number of positions with gold labels. */
  readonly positions: number;
  readonly kinds: readonly LearntKind[];
  readonly weights: readonly LearntWeight[];
  /** Number of runs over single problems. */
  readonly runs: number;
  /** Unit of the scores: the temperature at which the tagger's margins are calibrated. */
  readonly unit: number;
  readonly regularisation: number;
  /** Score bonus of gold labels for weaker taggers; 0: none. */
  readonly goldBonus: number;
  /** Cost of the tagger's labels (base), with bonuses alone (control), with all bases. */
  readonly baseCost: number;
  readonly controlCost: number;
  readonly allCost: number;
  /** `baseCost` - `allCost`. */
  readonly gain: number;
  readonly gainLower: number;
  readonly gainUpper: number;
  readonly gainP: number;
  /** `controlCost` - `allCost`. */
  readonly agreementGain: number;
  readonly agreementLower: number;
  readonly agreementUpper: number;
  /**
   * p-value of the exchange test of agreement if members can be exchanged; otherwise of
   * `agreementGain`.
   */
  readonly agreementP: number;
  /** Micro F1 of the tagger's labels, 0 to 1, if `classes` were given; otherwise 0. */
  readonly f1: number;
  /** Temperature for `Run.probabilities`; 0: unknown. */
  readonly temperature: number;
}
export class Learnt extends Handle {
  /** Returns the model of a problem with the learnt potentials in its cliques that have kinds. */
  apply(problem: Problem): Model;
  /** Returns the potential of a kind, for `Agreement` or `CliqueOptions`; `values`: R. */
  potential(kind: number, values: number, options?: { centreValue?: number }): Potential;
  /** Returns gains, weights and verdicts. */
  report(): LearntReport;
  /** Returns the result as lines of text for people. */
  toString(): string;
  /** Returns a JSON text for `readLearnt`. */
  toJSON(): string;
}
