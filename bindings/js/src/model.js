// Models and their builders (model.h, corpus.h).
import { STATUS, WRONG_TYPE, refuse } from "./errors.js";
import { Handle, given, make } from "./handle.js";
import { TYPES, arrayOf, integer, optionsOf, shown } from "./native.js";
import { Potential, flagsOf, tableOf } from "./potential.js";
import { Dictionary, Property, Transitions } from "./property.js";

// For error messages: the names of the caller's arguments, by the names of struct fields in C.
const CHAIN_NAMES = { "chain->unary_row_stride": "scores", "chain->labels": "labels" };

/**
 * Returns `labels`, the length of a row, for scores that are given as one array. Checks first that
 * `labels` is given and divides the length of the array.
 */
function perRow(name, array, labels) {
  if (labels === undefined)
    refuse(
      WRONG_TYPE,
      `labels is missing: ${name} is one array, of which nothing tells the length of a row`,
    );
  const m = integer("labels", labels);
  if (m < 1) refuse(STATUS.SIZE, `labels is ${m}; it must be at least 1`);
  if (array.length % m !== 0)
    refuse(
      STATUS.SHAPE,
      `${name} has ${array.length} entries, which is not a multiple of labels, ${m}`,
    );
  return m;
}

/**
 * Converts scores, given as rows or as one array together with `labels`. Returns { at, length,
 * labels, element }: address, number of positions, number of labels, type (chorale_element).
 */
export function scoresOf(scope, name, scores, labels) {
  const outer = arrayOf(name, scores);
  if (!ArrayBuffer.isView(outer) && (outer.length === 0 || typeof outer[0] !== "number")) {
    const table = outer.length === 0 ? { at: 0, rows: 0, columns: 0 } : tableOf(scope, name, outer);
    const m = labels === undefined ? table.columns : integer("labels", labels);
    // A chain without positions fits any number of labels.
    if (outer.length === 0) return { at: 0, length: 0, labels: m || 1, element: 0 };
    if (m !== table.columns)
      refuse(STATUS.SHAPE, `${name}[0] has ${table.columns} entries; it must have ${m}`);
    return { at: table.at, length: outer.length, labels: m, element: 0 };
  }
  const m = perRow(name, outer, labels);
  const rows = outer.length / m;
  const single = outer instanceof Float32Array;
  return {
    at: scope.numbers(single ? "float32" : "float64", name, outer),
    length: rows,
    labels: m,
    element: single ? 1 : 0,
  };
}

/** By chorale_element: the type of the numbers. */
export const ELEMENTS = ["float64", "float32"];

const CHAIN = "scores labels transitions edges start end parents forced allowed".split(" ");

/**
 * Converts ChainScores to a chorale_chain. Returns { at, length, labels }: the address of the
 * struct, the number of positions and the number of labels.
 */
export function chainOf(native, scope, chain) {
  if (chain === null || typeof chain !== "object")
    refuse(WRONG_TYPE, `chain is ${shown(chain)}, not an object with scores`);
  const told = optionsOf(chain, CHAIN, "chain");
  const scores = scoresOf(scope, "scores", told.scores, told.labels);
  const { length: T, labels: m, element } = scores;
  const type = ELEMENTS[element];
  const numbers = (kind, name, count) => sizedOf(scope, kind, name, told[name], count);
  let edges = 0;
  let matrices = 0;
  if (told.edges !== undefined && told.edges !== null) {
    matrices = arrayOf("edges", told.edges).length / (m * m);
    if (matrices !== 1 && matrices !== T - 1)
      refuse(
        STATUS.SHAPE,
        `edges has ${arrayOf("edges", told.edges).length} entries; ` +
          `it must have ${m} x ${m}, or ${T - 1} x ${m} x ${m}`,
      );
    edges = scope.numbers(type, "edges", told.edges);
  }
  const at = scope.struct("chain", {
    length: T,
    labels: m,
    element,
    unary: scores.at,
    transitions: given(native, "transitions", told.transitions, Transitions, true),
    edges,
    edge_matrices: matrices,
    start: numbers(type, "start", m),
    end: numbers(type, "end", m),
    parents: numbers("int32", "parents", T),
    forced: numbers("int32", "forced", T),
    allowed: flagsOf(scope, "allowed", told.allowed, T * m),
  });
  return { at, length: T, labels: m };
}

/** Converts `count` numbers; 0 (NULL) if there are none. */
export function sizedOf(scope, kind, name, numbers, count) {
  return numbers === undefined || numbers === null ? 0 : scope.sized(kind, name, numbers, count);
}

export const FLAT = ["scores", "labels", "offsets"];

/**
 * Converts FlatScores and options to a chorale_corpus. Returns { at, chains, positions }: the
 * address of the struct, the number of chains and the number of positions.
 */
export function corpusOf(native, scope, flat, options) {
  const { scores, labels, offsets } = optionsOf(flat, FLAT, "scores");
  const { transitions, tokens, groups } = optionsOf(options, ["transitions", "tokens", "groups"]);
  const block = scoresOf(scope, "scores", scores, labels);
  const ends = offsets === undefined ? undefined : arrayOf("offsets", offsets);
  if (ends?.length === 0)
    refuse(STATUS.SHAPE, "offsets is empty; it must have one entry more than there are chains");
  const chains = ends === undefined ? block.length : ends.length - 1;
  if (ends !== undefined) checkOffsets("offsets", ends, "scores", block.length);
  const at = scope.struct("corpus", {
    chains,
    offsets: scope.numbers("int64", "offsets", ends),
    labels: block.labels,
    element: block.element,
    unary: block.at,
    transitions: given(native, "transitions", transitions, Transitions, true),
    tokens: scope.tokens(tokens, block.length),
    groups:
      groups === undefined
        ? 0
        : scope.sized("int64", "groups", groups, chains),
  });
  return { at, chains, positions: block.length };
}

/**
 * Checks that no offset is above `count`, the number of rows of the array that error messages call
 * `of`. The library checks the order of the offsets.
 */
function checkOffsets(name, offsets, of, count) {
  for (let i = 0; i < offsets.length; ++i)
    if (offsets[i] > count)
      refuse(STATUS.OUT_OF_RANGE, `${name}[${i}] is ${offsets[i]}, but ${of} has ${count} rows`);
}

const MEMBERS = "offsets positions weights centreChains centrePositions classes tables".split(" ");
const CLIQUE =
  "potential property dictionary values labelValues centre centreLabelValues".split(" ");

export class ModelBuilder extends Handle {
  #lengths = []; // number of positions of each chain
  static destroy = "chorale_model_builder_destroy";

  addChain(chain, options) {
    return Handle.on(this, (native, scope, builder) => {
      const { tokens, group = 0 } = optionsOf(options, ["tokens", "group"]);
      const scores = chainOf(native, scope, chain);
      const told = scope.struct("chain_options", {
        group: integer("group", group),
        tokens: scope.tokens(tokens, scores.length),
      });
      const index = scope.place();
      native.call(
        "chorale_model_builder_add_chain",
        [builder, scores.at, told, index],
        CHAIN_NAMES,
      );
      this.#lengths.push(scores.length);
      return scope.number(index);
    });
  }
  copyChain(model, chain) {
    return Handle.on(this, (native, scope, builder) => {
      const pointer = given(native, "model", model, Model);
      const [scores, options] = [scope.struct("chain"), scope.struct("chain_options")];
      native.call("chorale_model_get_chain", [pointer, integer("chain", chain), scores, options]);
      const index = scope.place();
      native.call("chorale_model_builder_add_chain", [builder, scores, options, index]);
      this.#lengths.push(native.get("chain", scores, "length"));
      return scope.number(index);
    });
  }
  addCorpus(scores, options) {
    return Handle.on(this, (native, scope, builder) => {
      const corpus = corpusOf(native, scope, scores, options);
      const first = scope.place();
      native.call("chorale_model_builder_add_corpus", [builder, corpus.at, first]);
      const offsets = scores.offsets === undefined ? null : arrayOf("offsets", scores.offsets);
      for (let i = 0; i < corpus.chains; ++i)
        this.#lengths.push(offsets === null ? 1 : Number(offsets[i + 1]) - Number(offsets[i]));
      return { first: scope.number(first), count: corpus.chains };
    });
  }

  #setup(native, scope, options) {
    const told = optionsOf(options, CLIQUE);
    const centre = told.centre === undefined ? [] : [...told.centre];
    const setup = {
      property: given(native, "property", told.property, Property, true),
      dictionary: given(native, "dictionary", told.dictionary, Dictionary, true),
      potential: given(native, "potential", told.potential, Potential, true),
      centre_values: centre.length,
    };
    const around = centre.map((potential, i) =>
      given(native, `centre[${i}]`, potential, Potential),
    );
    if (around.length > 0) setup.centre_potentials = scope.pointers(around);
    if (setup.potential === 0 && around.length === 0)
      refuse(
        STATUS.NULL_ARGUMENT,
        "potential is missing: a clique needs one, or a centre of potentials",
      );
    if (setup.potential !== 0 && around.length > 0)
      refuse(STATUS.KIND, "centre is given beside potential; a clique has one of them");
    if (setup.property !== 0 && (told.values !== undefined || told.labelValues !== undefined))
      refuse(
        STATUS.KIND,
        `${told.values === undefined ? "labelValues" : "values"} is for cliques of positions; ` +
          "a property has values of its own",
      );
    if (setup.property === 0 && setup.dictionary !== 0)
      refuse(STATUS.KIND, "dictionary is given without property; it needs one");
    const numbers = (name, to, count) => {
      if (told[name] === undefined) return;
      setup[count] = arrayOf(name, told[name]).length;
      setup[to] = scope.numbers("int32", name, told[name]);
    };
    numbers("labelValues", "label_values", "labels");
    numbers("centreLabelValues", "centre_label_values", "centre_labels");
    if (told.values !== undefined) setup.values = integer("values", told.values);
    else if (setup.property === 0) setup.values = (told.potential ?? centre[0]).values;
    return scope.struct("clique_setup", setup);
  }
  addCliques(count, options) {
    return Handle.on(this, (native, scope, builder) => {
      integer("count", count);
      const first = scope.place();
      native.call("chorale_model_builder_add_cliques", [
        builder,
        this.#setup(native, scope, options),
        count,
        first,
      ]);
      return { first: scope.number(first), count };
    });
  }

  addMembers(first, chains, options) {
    Handle.on(this, (native, scope, builder) => {
      const told = optionsOf(options, MEMBERS);
      integer("first", first);
      const numbers = arrayOf("chains", chains);
      const entries = numbers.length;
      const ends = told.offsets === undefined ? [0, entries] : arrayOf("offsets", told.offsets);
      const cliques = ends.length - 1;
      if (cliques < 0)
        refuse(
          STATUS.SHAPE,
          "offsets is empty; it must have one entry more than there are cliques",
        );
      checkOffsets("offsets", ends, "chains", entries);
      const longs = (name, count) =>
        told[name] === undefined ? 0 : scope.sized("int64", name, told[name], count);
      // An array for each member, as long as its chain. The library refuses numbers of chains that
      // do not exist.
      const arrays = (name) => {
        if (told[name] === undefined) return 0;
        if (told[name].length !== entries)
          refuse(STATUS.SHAPE, `${name} has ${told[name].length} entries; it must have ${entries}`);
        return scope.pointers(
          Array.from(told[name], (array, i) => {
            const length = this.#lengths[numbers[i]];
            return array === undefined || array === null || length === undefined
              ? 0
              : scope.sized("int32", `${name}[${i}]`, array, length);
          }),
        );
      };
      native.call("chorale_model_builder_add_members", [
        builder,
        scope.struct("members", {
          first,
          cliques,
          offsets: scope.numbers("int64", "offsets", ends),
          chains: scope.numbers("int64", "chains", chains),
          positions: longs("positions", entries),
          weights: longs("weights", entries),
          centre_chains: longs("centreChains", cliques),
          centre_positions: longs("centrePositions", cliques),
          classes: arrays("classes"),
          tables: arrays("tables"),
        }),
      ]);
    });
  }
  freeze() {
    return Handle.on(this, (native, scope, builder) =>
      make(Model, native, "model_builder_freeze", [builder]),
    );
  }
}

export class Model extends Handle {
  static destroy = "chorale_model_release";
  #number(name, ...numbers) {
    return Handle.ask(this, `chorale_model_${name}`, ...numbers);
  }
  #of(kind, name, index, count) {
    if (integer(name, index) < 0 || index >= count)
      refuse(STATUS.OUT_OF_RANGE, `${name} is ${index}; there are ${count} ${kind}`);
    return index;
  }
  #chain(chain) {
    return this.#of("chains", "chain", chain, this.chains);
  }
  #clique(clique) {
    return this.#of("cliques", "clique", clique, this.cliques);
  }
  get chains() {
    return this.#number("chain_count");
  }
  get cliques() {
    return this.#number("clique_count");
  }
  chainLength(chain) {
    const native = Handle.nativeOf(this);
    return lengthOf(native, Handle.use(this, native), this.#chain(chain));
  }
  cliqueMembers(clique) {
    return this.#number("clique_member_count", this.#clique(clique));
  }
  cliqueValues(clique) {
    return this.#number("clique_values", this.#clique(clique));
  }
  chain(chain) {
    return Handle.on(this, (native, scope, pointer) => {
      const [scores, options] = [scope.struct("chain"), scope.struct("chain_options")];
      native.call("chorale_model_get_chain", [pointer, integer("chain", chain), scores, options]);
      const {
        length: T,
        labels,
        element,
        unary,
        unaryRowStride,
        unaryColumnStride,
        parents,
      } = native.read("chain", scores);
      const { tokens, group } = native.read("chain_options", options);
      const type = ELEMENTS[element];
      const last = (T - 1) * unaryRowStride + (labels - 1) * unaryColumnStride;
      const all = native.array(type, unary, T === 0 ? 0 : last + 1);
      const copy = new TYPES[type](T * labels).map((_, i) => {
        const [t, y] = [Math.floor(i / labels), i % labels];
        return all[t * unaryRowStride + y * unaryColumnStride];
      });
      const ints = (at) => (at === 0 ? null : native.array("int32", at, T).slice());
      return {
        length: T,
        labels,
        scores: copy,
        tokens: ints(tokens),
        group,
        parents: ints(parents),
      };
    });
  }
  membersOf(clique) {
    const count = this.cliqueMembers(clique);
    return Handle.on(this, (native, scope, pointer) => {
      const [chains, positions, weights] = [0, 1, 2].map(() => scope.allocate(8 * count));
      native.call("chorale_model_get_members", [
        pointer,
        integer("clique", clique),
        chains,
        positions,
        weights,
        count,
        0,
      ]);
      const of = (at) => Array.from(native.array("int64", at, count), Number);
      return { chains: of(chains), positions: of(positions), weights: of(weights) };
    });
  }
  #own(Kind, kind, clique) {
    const pointer = this.#number(`clique_${kind}`, this.#clique(clique));
    const native = Handle.nativeOf(this);
    return pointer === 0 ? null : new Kind(native, native.raw(`chorale_${kind}_retain`, [pointer]));
  }
  cliquePotential(clique) {
    return this.#own(Potential, "potential", clique);
  }
  cliqueProperty(clique) {
    return this.#own(Property, "property", clique);
  }
  cliqueDictionary(clique) {
    return this.#own(Dictionary, "dictionary", clique);
  }
  score(labels) {
    return Handle.on(this, (native, scope, pointer) => {
      const count = arrayOf("labels", labels).length;
      const at = scope.numbers("int32", "labels", labels);
      const [chains, cliques] = [this.chains, this.cliques];
      const to = [scope.place(), scope.allocate(8 * chains), scope.allocate(8 * cliques)];
      native.call("chorale_model_score", [native.host, pointer, at, count, ...to], {
        count: "labels.length",
      });
      return {
        score: native.view.getFloat64(to[0], true),
        chainScores: native.array("float64", to[1], chains).slice(),
        cliqueScores: native.array("float64", to[2], cliques).slice(),
      };
    });
  }
}

/** Returns the number of positions of a chain of a model, given by its address. */
export const lengthOf = (native, model, chain) =>
  native.scoped((scope) => {
    const at = scope.struct("chain");
    native.call("chorale_model_get_chain", [model, chain, at, 0]);
    return native.get("chain", at, "length");
  });
