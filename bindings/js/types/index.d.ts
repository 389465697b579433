// Types of libchorale. Chains, positions, labels, cliques and values are numbered from 0.
//
// Words used below; the C headers in include/chorale say more.
//   T, m        The number of positions of a chain, and the number of its labels. "T x m" numbers
//               are in one array: the m numbers of each position, position after position.
//   clique      A set of members with a potential, which scores how many members have each value.
//               The members of a position clique are positions, and the value of a member is its
//               label. The members of a property clique are whole chains.
//   centre      In a centred clique, one more member, whose value selects the potential.
//   property    A function of the labels of a chain, with values 0 to R - 1. It reads the positions
//               in order, and *fires* (outputs) values at some of them. Its value on the chain is v
//               if it fires v and no other value; EMPTY (number R) if it fires nothing; CONFLICT
//               (number R + 1) if it fires two different values.
//   dictionary  The subset of a property's values that a clique uses, numbered from 0 in ascending
//               order. One more value, UNLISTED, may follow, which stands for all other values.
//   kind        Of labels: "B-Title" and "I-Title" are both of the kind "Title". Of cliques:
//               cliques of one kind share the strength that is learnt.

import type * as structs from "./structs.js";
import type {
  Automaton, LabelMap, LeftOut, LedgerChange, LedgerRow, PotentialOptions, Reason, RunResult, Scheme,
  SettledKey, SettledMention, Shape, TextList,
} from "./structs.js";
export * from "./structs.js";

/** Numbers passed to a call, which copies them; fastest from an array of the type that the call reads. */
export type Numbers = ArrayLike<number>;
/**
 * A matrix as an array of its rows: for instance the scores of a chain, T rows of m numbers.
 */
export type Rows = ArrayLike<Numbers>;

export interface LoadOptions {
  /**
   * The module: its bytes, a base64 text of its bytes (gzip-compressed or not), or a compiled
   * module. Absent: the module is read from a file of the package, by `fetch` or by Node.
   */
  wasm?: ArrayBuffer | ArrayBufferView | string | WebAssembly.Module;
  /**
   * Whether to load the module with vector instructions. By default it is loaded if the machine
   * supports them. Ignored if `wasm` is given.
   */
  simd?: boolean;
  /**
   * Greatest size of the library's memory in bytes, from 16 MiB to 4 GiB, rounded up to a multiple
   * of 64 KiB; 4 GiB by default.
   */
  maximumMemory?: number;
  /** Called with each message that the library logs, such as a warning. */
  log?: (message: string, level: "debug" | "info" | "warning") => void;
}

/** Loads the library. Each call gives a library with a memory of its own. */
export function load(options?: LoadOptions): Promise<Chorale>;

/** Returns whether this machine supports the vector instructions of WebAssembly. */
export function hasSimd(): boolean;

/** The error of a failed call. A failed call changes nothing. */
export class ChoraleError extends Error {
  private constructor();
  readonly name: "ChoraleError";
  /**
   * Number of the status in the C interface (base.h). Below 0 for errors of the package itself:
   * -1 CLOSED (a closed handle), -2 DETACHED (an array whose buffer is detached), -3 WRONG_TYPE (an
   * argument of a wrong type).
   */
  readonly status: number;
  /** Name of the status, such as "SHAPE" or "CLOSED". */
  readonly statusName: string;
}

/**
 * An object with memory in the library. The memory is freed by `close`, or by the garbage collector
 * some time after nothing refers to the object.
 */
export class Handle {
  protected constructor();
  /** Frees the memory; any later use is an error, except a further `close`. */
  close(): void;
  readonly closed: boolean;
}
export interface Handle {
  /** Does the same as `close`; called at the end of the block of a `using` declaration. */
  [Symbol.dispose](): void;
}

/** One library with its memory. */
export class Chorale {
  private constructor();
  /** Version of the library, "MAJOR.MINOR.PATCH". */
  readonly version: string;
  /** True if the loaded module uses vector instructions. */
  readonly simd: boolean;
  /** Number of bytes that handles have allocated and not freed. */
  readonly allocatedBytes: number;
  /** Number of bytes of the library's memory, which grows and never shrinks. */
  readonly memoryBytes: number;

  /**
   * Labels all chains together: looks for the labels with the greatest sum of the scores and of the
   * potentials of all agreements, among those that keep `rules`.
   * Throws, among others, OUT_OF_RANGE for a rule about a label or chain that does not exist. The
   * message names the rule by index and kind, such as "rules[3] (before)".
   */
  decode(scores: Scores, options?: DecodeOptions): Decoded;
  /**
   * Returns the problem (a model with names and gold labels) that `decode` would solve, to be
   * saved, learnt from, or solved with a run.
   */
  buildProblem(
    scores: Scores,
    /** gold: for each chain its T gold labels, -1 if unknown. */
    options?: AgreeOptions & { gold?: ArrayLike<ArrayLike<number>> },
  ): Problem;

  /**
   * Gives all mentions of a key one label, unless the key is really two things (table.h has the
   * equation). evidence: what decides; absent: it is learnt from `gold` where there are right labels,
   * and otherwise estimated from the mentions.
   * @experimental It may change or go in any version.
   */
  settle(mentions: Mentions, evidence?: Evidence | null): Settled;
  /**
   * Creates a ledger without mentions. evidence: what decides until `Ledger.refit`, such as that of
   * `settle` for the mentions so far.
   * @experimental It may change or go in any version.
   */
  createLedger(labels: number, evidence: Evidence): Ledger;

  /** Creates a problem of a model, at first without texts and gold labels. */
  createProblem(model: Model): Problem;
  /** Reads a problem from the bytes of a problem file. */
  readProblem(bytes: ArrayBuffer | ArrayBufferView): Problem;

  createModelBuilder(): ModelBuilder;
  /**
   * Creates transitions from m x m scores: row x, column y holds the score of label y directly
   * after label x. null: all scores are 0.
   */
  createTransitions(scores: Rows | Transitions | null, options?: TransitionsOptions): Transitions;
  createRun(model: Model | Problem, options?: RunOptions & { earlier?: Run }): Run;
  /**
   * Creates a potential from a function. It gets a copy of the counts n_v and the number of
   * members, and returns the score, which must depend only on these arguments. If it throws, the
   * library's call that needed the score throws the same exception.
   */
  createCallback(
    values: number,
    score: (counts: Float64Array, members: number) => number,
    options?: PotentialOptions,
  ): Potential;

  /** Returns the map from labels to kinds: "B-Title" and "I-Title" are of one kind. */
  labelMap(names: readonly string[], scheme?: Scheme): LabelMap;
  /**
   * Returns which labels a scheme allows, as flags (1: allowed). mask: m x m flags; row x, column y
   * is for label y directly after label x. start, end: m flags each, for the label of the first and
   * of the last position.
   */
  schemeMask(
    names: readonly string[],
    scheme: Scheme,
  ): { mask: Uint8Array; start: Uint8Array; end: Uint8Array };
  /**
   * Learns from problems with gold labels how strongly the members of each kind of cliques should
   * agree (learn.h says how).
   * Throws, among others,
   *   NO_GOLD          no position has a gold label
   *   ONE_GROUP        all chains with gold labels are of one group
   *   KIND             no clique has a kind, or both `costs` and `classes` are given, or `begins`
   *                    without `classes`
   *   LABELS_MISMATCH  `costs` or `classes` are for another number of labels
   *   SIZE             `classes` is empty
   *   OUT_OF_RANGE     a class is below -1, or no label has a class above -1
   */
  learn(problems: Problem | readonly Problem[], options?: LearnOptions): Learnt;
  /** Creates the result of learning from the text that `Learnt.toJSON` returned. */
  readLearnt(json: string): Learnt;
}
export interface Chorale extends structs.ChoraleMethods {
}

// ---- decode ------------------------------------------------------------------------------------

/**
 * For each chain its T rows of m scores; or the scores of all chains in one array. If there is no
 * row, m is the number of labels that the transitions or an agreement take, otherwise 1.
 */
export type Scores = ArrayLike<Rows> | FlatScores;
export interface FlatScores {
  /**
   * The m scores of each position, position after position over all chains. Float64Array and
   * Float32Array are passed without conversion.
   */
  scores: Numbers;
  /** m, the number of labels. */
  labels: number;
  /**
   * One entry more than there are chains: chain i has the positions offsets[i] to offsets[i + 1] -
   * 1. Absent: each position is a chain.
   */
  offsets?: Numbers;
}

/**
 * A word or another key. Positions with equal words, or equal keys, should have equal labels. null,
 * undefined and NaN are no word and no key: such positions agree with none.
 */
export type Key = string | number | bigint | boolean | null | undefined | object;

export interface AgreeOptions extends structs.Corpus {
  /** m x m scores: row x, column y for label y directly after label x. null: all are 0. */
  transitions?: Transitions | Rows | null;
  /** For each chain its T words, given as texts or as integers from 0 (-1: no word). */
  tokens?: ArrayLike<ArrayLike<Key>> | null;
  /** The document of each chain; absent: all chains are in one document. */
  groups?: ArrayLike<Key>;
  /**
   * What should agree. "words" (the default if there are tokens): the labels of equal words. A
   * property: the property's values on different chains. A pair: "words" or a property, and a
   * strength. An `Agreement`: what it says. An array: all that its entries, each in one of these
   * forms, say. Absent, without tokens: nothing.
   */
  agree?: Agree | readonly Agree[];
  /**
   * Strength of the agreement, in the unit of the scores. If n - 1 positions of a word have one
   * label and the last position changes to this label too, the score rises by (2 - 2 / n) *
   * strength. 0: no agreement. "auto" (the default): `decode` finds the strength from the scores, as
   * `learn` does with `withoutGold`; it tells how strongly labels should agree, not whether they do.
   * In `buildProblem` "auto" is 1.
   */
  strength?: number | "auto";
  /** Words at fewer positions than this get no clique; 2 by default. */
  minimum?: number;
  /** Words that get no clique. */
  stop?: Iterable<Key>;
  /**
   * Labels, by number or by name, that take no part in the agreement of positions, such as "no
   * entity": positions gain nothing by having them together. Absent: the label named "O", if `names`
   * has it.
   */
  uncounted?: ArrayLike<number | string>;
  /** m names of labels. */
  names?: readonly string[];
}
export type Agree = "words" | Property | readonly ["words" | Property, number | "auto"] | Agreement;
export interface Agreement {
  /**
   * What should agree. "words": the labels of all positions with the same word. "keys": the labels
   * of all positions with the same entry of `keys`. "cliques": the labels of the positions that one
   * entry of `cliques` lists. A property: the property's values on different chains.
   */
  what?: "words" | "keys" | "cliques" | Property;
  /** Strength of the agreement, as in `AgreeOptions`; below 0: values should differ. */
  strength?: number | "auto";
  /**
   * A potential that replaces `strength`. Its values are the labels, or the property's values.
   */
  potential?: Potential;
  /**
   * True: a clique may have members in all groups (documents). False (the default): each group has
   * cliques of its own.
   */
  across?: boolean;
  minimum?: number;
  /** For "keys": for each chain its T keys, given as texts or as integers from 0; -1: no key. */
  keys?: ArrayLike<ArrayLike<Key>>;
  stop?: Iterable<Key>;
  /**
   * For "cliques": for each clique the numbers of its positions. Positions are numbered from 0 over
   * all chains, chain after chain.
   */
  cliques?: readonly Numbers[];
  /**
   * For each position, chain after chain (for a property: for each chain), how often the position
   * (or chain) counts in its clique: an integer of at least 1. Needs a strength of at least 0, or a
   * potential that is a "sum" with convex tables.
   */
  weights?: Numbers;
}
export interface RuleOptions {
  /** What the labels of each chain must look like. Provisional: may change in any version. */
  rules?: readonly Rule[];
  /** Of `names`. Except in "plain" (the default), rules are about what follows B-, I- and the like. */
  scheme?: Scheme;
  /** A chain whose rules cost more than this keeps its own labels. Absent: no limit. */
  mostCost?: number | null;
}
/** A rule, as the functions of `rules` make it. A text of it (`String(rule)`) says it in words. */
export interface Rule {
  readonly kind: string;
  readonly price?: number | null;
  readonly chains?: Numbers | null;
  toString(): string;
}
/** A kind of labels, or, without `names`, a label: its name, or its number. */
export type Kind = string | number;
export interface RuleLimits {
  /** What a labelling that breaks the rule loses, once for each chain. Absent: it is never broken. */
  price?: number | null;
  /** Numbers of the chains that the rule concerns. Absent: all. */
  chains?: Numbers | null;
}

/**
 * Functions that make rules. If a is absent or null, there is a rule for each kind a, except b and
 * kinds of labels that are not counted. A *segment* is a longest stretch of positions of one kind; a
 * label such as "B-X" begins a new one.
 */
export const rules: {
  /** At most one segment of a. */
  once(a?: Kind | null, limits?: RuleLimits): Rule;
  /** At most k segments of a. */
  atMost(k: number, a?: Kind | null, limits?: RuleLimits): Rule;
  /** At least k segments of a. */
  atLeast(k: number, a?: Kind | null, limits?: RuleLimits): Rule;
  /** k segments of a. */
  exactly(k: number, a?: Kind | null, limits?: RuleLimits): Rule;
  /** No position has a. */
  never(a: Kind, limits?: RuleLimits): Rule;
  /** At most k positions have a. */
  atMostTokens(k: number, a?: Kind | null, limits?: RuleLimits): Rule;
  /** No segment of a has more than k positions. */
  noLonger(k: number, a?: Kind | null, limits?: RuleLimits): Rule;
  /** No a comes after a b. */
  before(a: Kind | null | undefined, b: Kind, limits?: RuleLimits): Rule;
  /** Each segment of a comes directly after a b. */
  directlyAfter(a: Kind | null | undefined, b: Kind, limits?: RuleLimits): Rule;
  /** a and b are not both in the chain. */
  notTogether(a: Kind | null | undefined, b: Kind, limits?: RuleLimits): Rule;
  /** If a is in the chain, b is too. */
  needs(a: Kind | null | undefined, b: Kind, limits?: RuleLimits): Rule;
  /** A property, such as an automaton of your own, fires nothing. */
  firesNothing(property: Property, limits?: RuleLimits): Rule;
  /** At most one segment of a before the first label of the kinds `of`, and one after it. */
  onceOnEachSide(a: Kind, of: readonly Kind[], limits?: RuleLimits): Rule;
};
export type DecodeOptions = AgreeOptions & RuleOptions & RunOptions;

/** Labels of chains that were labelled together. A plain object: nothing has to be closed. */
export interface Decoded {
  /** For each chain its T labels. The rows are views of one array. */
  readonly labels: Int32Array[];
  /** For each chain the T labels that would be best without cliques and rules. */
  readonly alone: Int32Array[];
  readonly changed: Change[];
  /** The strength of each agreement, given or found; 0 if its potential was given. */
  readonly strengths: number[];
  /** The chains that are left out, since every labelling of them is forbidden; their labels are -1. */
  readonly leftOut: LeftOut[];
  /** The chains to which rules were added, since a labelling of them broke them. */
  readonly ruled: RuledChain[];
  readonly result: RunResult;
}
export interface RuledChain extends structs.RuledChain {
  /** Rules that exclude each other, in words, of which each is needed for that. */
  readonly conflicts: string[];
  /** A reason for each position that rules change, without agreement. */
  readonly reasons: RuleReason[];
}
export interface RuleReason extends Omit<structs.RuleReason, "chain" | "a"> {
  /** The rule in words. */
  readonly told: string;
}
export interface Change {
  readonly chain: number;
  readonly alone: Int32Array;
  readonly labels: Int32Array;
  readonly reasons: AgreementReason[];
}
/** A reason of a result of `decode`. */
export interface AgreementReason extends Reason {
  /** "words" if words should agree here; otherwise the index of the agreement in `agree`. */
  readonly what: "words" | number;
}

// ---- Potentials, properties, transitions --------------------------------------------------------

export type Flags = ArrayLike<number | boolean>;
export class Potential extends Handle {
  /** R, the number of values. */
  readonly values: number;
  readonly family: "sum" | "max" | "majority" | "pairs" | "callback";
  /** Returns the score of a clique in which counts[v] members have value v. */
  score(counts: Numbers): number;
}

/** A map from labels to kinds; or the number of labels, each of which is then a kind of its own. */
export type Labels = number | LabelMap;
export interface SegmentOptions {
  /** m flags: 1 for the labels that the property ignores. */
  ignored?: Flags;
  /** True: an ignored label ends a segment. False (the default): the segment may go on after it. */
  endsAtIgnored?: boolean;
}
export interface LocalProperty {
  labels: number;
  values: number;
  classes?: number;
  /**
   * classes x labels x (labels + 1) numbers: the action at a position, by class of the position,
   * its label, and the label of its parent. The last column is for positions without a parent.
   * Actions are as in `Automaton`.
   */
  actions: Numbers;
  labelValues?: Numbers;
}
/**
 * Actions of a property at a position. nothing: fires nothing. label: fires the entry of the
 * position's label in `labelValues`. table: fires the position's entry in the option `tables` of
 * `ModelBuilder.addMembers`.
 */
export const fire: { readonly nothing: -1; readonly label: -2; readonly table: -3 };

export class Property extends Handle {
  /** R, the number of values without EMPTY (number R) and CONFLICT (number R + 1). */
  readonly values: number;
  readonly labels: number;
}
export interface TransitionsOptions extends structs.TransitionsOptions {
  /** m; needed only if the scores are null. */
  labels?: number;
}
export class Transitions extends Handle {
  readonly labels: number;
}

// ---- Models -------------------------------------------------------------------------------------

export interface ChainScores extends structs.Chain {
  /** T x m scores: T rows, or one typed array together with `labels`. */
  scores: Rows | Numbers;
  labels?: number;
}
/** By position a token id from 0; -1, null, undefined or NaN for no token. */
export type Tokens = Numbers | ArrayLike<number | null | undefined>;
export interface ChainOptions {
  tokens?: Tokens | null;
  /** The document of the chain; 0 by default. */
  group?: number;
}
export interface CorpusOptions extends structs.Corpus {
  transitions?: Transitions | null;
  /** Labels that take no part in the agreements that `decode` makes. */
  uncounted?: Numbers;
  tokens?: Tokens | null;
  groups?: Numbers;
}
export interface CliqueOptions {
  potential?: Potential;
  /**
   * For a property clique: the property. The value of a member is the property's value on the
   * member chain. Absent: a position clique.
   */
  property?: Property;
  /** For a position clique: R, the number of values. Absent: the potential's number of values. */
  values?: number;
  labelValues?: Numbers;
  /** For a centred clique, instead of `potential`: a potential for each value of the centre. */
  centre?: readonly Potential[];
  centreLabelValues?: Numbers;
}
/** The numbers first to first + count - 1. */
export interface Span {
  readonly first: number;
  readonly count: number;
}
/** Arrays beside the `chains` of `ModelBuilder.addMembers`, with an entry for each member. */
export interface MemberOptions extends structs.Members {
  /**
   * One entry more than there are cliques: clique first + c gets the members offsets[c] to
   * offsets[c + 1] - 1. If absent, all go to one clique.
   */
  offsets?: Numbers;
  /** The class of each position of the chain; all 0 if absent. */
  classes?: readonly (Numbers | null)[];
  /** A value for `fire.table` at each position of the chain; the chain's tokens if absent. */
  tables?: readonly (Numbers | null)[];
}
export class ModelBuilder extends Handle {
  /** Adds a chain or tree and returns its number. */
  addChain(chain: ChainScores, options?: ChainOptions): number;
  /**
   * Adds a chain or tree of another model, with its tokens and group, and returns the number that
   * it has in this builder.
   */
  copyChain(model: Model, chain: number): number;
  /** Adds many chains in one call and returns their numbers. */
  addCorpus(scores: FlatScores, options?: CorpusOptions): Span;
  /** Adds cliques without members and returns their numbers. */
  addCliques(count: number, options: CliqueOptions): Span;
  /**
   * Adds a clique of a model, without its members, and returns its number in this builder. Values
   * of a property that the clique leaves out of its dictionary stay left out.
   */
  copyClique(model: Model, clique: number): number;
  /**
   * Adds members to the clique `first`, or to several cliques from `first` on (`offsets`): the
   * positions `positions` of the chains `chains`, or whole chains. Adds all or none.
   */
  addMembers(first: number, chains: Numbers, options?: MemberOptions): void;
  /** Returns the model; nothing can be added afterwards. */
  freeze(): Model;
}
export interface ChainView {
  readonly length: number;
  readonly labels: number;
  /** T x m scores, copied from the model. */
  readonly scores: Float64Array | Float32Array;
  readonly tokens: Int32Array | null;
  readonly group: number;
  readonly parents: Int32Array | null;
}
export class Model extends Handle {
  readonly chains: number;
  readonly cliques: number;
  chain(chain: number): ChainView;
  cliqueValues(clique: number): number;
  /** Returns the chains, positions and weights of all members of a clique. */
  membersOf(clique: number): { chains: number[]; positions: number[]; weights: number[] };
  /**
   * Returns the potential of a clique as a new handle, which the caller closes; null if the clique
   * has none. The next method returns a new handle or null in the same way.
   */
  cliquePotential(clique: number): Potential | null;
  cliqueProperty(clique: number): Property | null;
  /**
   * Returns the score of a labelling. `labels`: the label of every position, chain after chain.
   * score: the sum of chainScores (one for each chain) and cliqueScores (one for each clique).
   */
  score(labels: Numbers): { score: number; chainScores: Float64Array; cliqueScores: Float64Array };
}

// ---- Problems -----------------------------------------------------------------------------------

export class Problem extends Handle {
  /** Returns the model of the problem as a new handle, which the caller closes. */
  model(): Model;
  /**
   * Returns the texts of a list, empty if the problem has no such list. A number stands for a list
   * of names of a clique's values: 0, 1 and so on, in the order in which they were set.
   */
  texts(list: TextList | number): string[];
  text(list: TextList | number, index: number): string | null;
  /**
   * Sets the texts of a list. null removes the list; but a list of value names remains, as an empty
   * list. Of a list of value names that is new, the number is that of such lists so far.
   */
  setTexts(list: TextList | number, texts: readonly string[] | null): void;
  /**
   * Sets for each clique the index of its kind (-1: none), and the list of texts that names its
   * values (null: none). An absent option leaves the kinds, or the lists, unchanged.
   */
  setCliques(options: {
    kinds?: Numbers;
    values?: ArrayLike<"labels" | "tokens" | number | null>;
  }): void;
  cliqueKind(clique: number): number;
  valueName(clique: number, value: number): string | null;
  /**
   * The gold label of each position, chain by chain, -1 where unknown; null if there are no gold
   * labels. Reading gives a copy.
   */
  gold: Int32Array | null;
  /** Returns the problem as the bytes of a problem file, which `Chorale.readProblem` reads. */
  toBytes(): Uint8Array;
}

// ---- Runs ---------------------------------------------------------------------------------------

export interface RunOptions extends structs.RunOptions {
  /** Greatest number of rounds; 10 by default. */
  rounds?: number;
  /** False: a solve ends after the rounds; true by default. */
  localSearch?: boolean;
  /** Time limit of each call of the run in seconds; null: none. */
  timeLimit?: number | null;
}
export interface OfLabelling {
  /**
   * True: the method describes the labelling that is best for each chain without cliques. False
   * (the default): the best labelling that the run has found.
   */
  alone?: boolean;
}
export class Run extends Handle {
  /**
   * Does the remaining rounds of messages between chains and cliques, then the local search (relabels one
   * chain at a time while this raises the score), and the steps of the upper bound (`boundSteps`).
   * In a run created with `edits`, a solve after `setAllowed` or `setStrength` usually
   * recomputes only the chains and cliques that these calls affect (run.h says when).
   */
  solve(): RunResult;
  /**
   * Restricts the labels of a position. allowed: m flags, 0 forbids the label; null lifts the
   * restriction. The run must have been created with `edits`.
   */
  setAllowed(chain: number, position: number, allowed: Flags | null): void;
  /**
   * Multiplies the potential of a clique in this run by a factor, which is 0 or from 1e-6 to 1e6.
   * The run must have been created with `edits`.
   */
  setStrength(clique: number, factor: number): void;

}
export interface Run extends structs.RunMethods {
}

// ---- Learning -----------------------------------------------------------------------------------

export interface LearnOptions extends structs.LearnOptions {
  /**
   * m x m costs of wrong labels: the row is the gold label, the column the label given to the
   * position. Absent: 1 for each wrong label. Not together with `classes`.
   */
  costs?: Rows;
  /** Seconds after which no further strength is tried; null: no limit. Absent: 300. */
  timeLimit?: number | null;
}
export interface LearntKind extends structs.LearntKind {
  /** Its name; null if it has none. */
  readonly name: string | null;
}
/**
 * Report of learning. Everything is counted on groups that were held out, that is, labelled as
 * learnt from other groups: for the tagger's own labels (tagger...), for the control, bonuses alone
 * (control...), and for the labels that agree (agreeing...). Precision, recall and F1 are from 0 to
 * 1, and 0 unless `classes` were given.
 */
export interface LearntReport extends Omit<structs.LearntReport, "kinds"> {
  readonly kinds: readonly LearntKind[];
}
export class Learnt extends Handle {
  /** Returns the report: what was gained on held-out groups, and the strength of each kind. */
  report(): LearntReport;
  /** Returns the report as lines of text for people to read. */
  toString(): string;
  /** Returns the whole result as JSON text, which `Chorale.readLearnt` reads. */
  toJSON(): string;
}
export interface Learnt extends structs.LearntMethods {
}

// ---- Tables of mentions ------------------------------------------------------------------------

/**
 * How names may differ and yet be the same key: Unicode forms (NFKC), upper and lower case,
 * punctuation (marks are left out, dashes are spaces; + # & @ % stay), white space.
 */
export type SpellingRule = "unicode" | "case" | "punctuation" | "space";
/** Returns a text as it is after some rules (default: all). Texts that are then equal are one key. */
export function spell(text: string, rules?: readonly SpellingRule[]): string;

/**
 * In arrays that are not typed, null and NaN stand for -1 in columns of integers.
 * @experimental It may change or go in any version.
 */
export interface Mentions extends structs.Mentions {
  /** N x m log-probabilities of all labels, in place of `confidence`. Not for ledgers. */
  scores?: Rows | Numbers | null;
  /** N: for how many equal rows each stands. Absent: 1. */
  times?: Numbers | null;
}
export type NullableNumbers = Numbers | ArrayLike<number | null | undefined>;
/** What a person answers about a key, beside a label. */
export const answers: {
  readonly none: -1;
  /** The mentions of the key differ: each keeps its label. */
  readonly differs: -2;
};
/**
 * What decides whether the mentions of a key have one label. A mention says at most `most`, in
 * log-odds. A key of n mentions is two things if all that its mentions say against one label is above
 * once + each * n. once: Infinity: every key is one thing.
 * @experimental It may change or go in any version.
 */
export interface Evidence {
  most: number;
  once: number;
  each: number;
}
/** @experimental It may change or go in any version. */
export interface FoundEvidence extends Evidence {
  readonly origin: "given" | "estimated" | "learnt";
  /** Of how many mentions it was estimated; learnt: how many have right labels. */
  readonly mentions: number;
  /**
   * Learnt: how many more labels are right than before, on keys that were left out of learning. If
   * not above 0, each mention keeps its label.
   */
  readonly right: number;
}
/** @experimental It may change or go in any version. */
export interface Settled {
  /** What became of the rows, in their order. */
  readonly mentions: readonly SettledMention[];
  /** What became of the keys, by their numbers. */
  readonly keys: readonly SettledKey[];
  readonly evidence: FoundEvidence;
}

/**
 * Keeps the mentions of a stream. The labels are those that `settle` gives a table of all mentions
 * under the same evidence, whatever the order in which they came.
 * @experimental It may change or go in any version.
 */
export class Ledger extends Handle {
  /**
   * Adds mentions, and returns their labels. The first mention that is ever added is row 0. `keys` is
   * the number of keys in all, at least that of the call before.
   */
  add(mentions: Mentions): Int32Array;
  /** Decides anew by other evidence; absent: it is estimated from all mentions. Returns it. */
  refit(evidence?: Evidence | null): FoundEvidence;
}
export interface Ledger extends structs.LedgerMethods {
}

