// Models and their builders (model.h).
import {
  arrayOf,
  atLeast,
  integer,
  isMissing,
  length,
  listOf,
  optionsOf,
  shown,
  withNothing,
} from "./checks.js";
import { refuse } from "./errors.js";
import { Handle, given, make } from "./handle.js";
import { ELEMENTS } from "./interface.js";
import { Potential, rowsIn } from "./potential.js";
import { Property } from "./property.js";
import { Place } from "./scope.js";

// For error messages: the names of the caller's arguments, by the names of struct fields in C.
const CHAIN_NAMES = { "chain->unary_row_stride": "scores", "chain->labels": "labels" };

/**
 * Converts scores, given as rows or as one array together with `labels`. Returns { unary, rows,
 * labels, element }: place, number of positions, number of labels, type (chorale_element).
 */
export function scoresOf(scope, name, scores, labels) {
  const outer = arrayOf(name, scores);
  if (!ArrayBuffer.isView(outer) && typeof outer[0] !== "number") {
    const m = isMissing(labels) ? undefined : integer("labels", labels);
    // A chain without positions fits any number of labels.
    if (outer.length === 0) return { unary: undefined, rows: 0, labels: m ?? 1, element: 0 };
    const { place, rows, columns } = rowsIn(scope, outer, (r) => `${name}[${r}]`);
    length(`${name}[0]`, outer[0], m ?? columns);
    return { unary: place, rows, labels: columns, element: 0 };
  }
  if (labels === undefined)
    refuse(
      "WRONG_TYPE",
      `labels is missing: ${name} is one array, of which nothing tells the length of a row`,
    );
  const rows = outer.length / atLeast("labels", labels, 1);
  if (!Number.isInteger(rows))
    refuse(
      "SHAPE",
      `${name} has ${outer.length} entries, which is not a multiple of labels, ${labels}`,
    );
  const element = outer instanceof Float32Array ? 1 : 0;
  return { unary: scope.numbers(ELEMENTS[element], name, outer), rows, labels, element };
}

const CHAIN = "scores labels transitions edges start end parents forced allowed".split(" ");

/** Converts ChainScores to a place of a chorale_chain. */
function chainOf(scope, chain) {
  if (chain === null || typeof chain !== "object")
    refuse("WRONG_TYPE", `chain is ${shown(chain)}, not an object with scores`);
  const told = optionsOf(chain, CHAIN, "chain");
  const { rows: T, labels: m, ...scores } = scoresOf(scope, "scores", told.scores, told.labels);
  const edges = isMissing(told.edges) ? 0 : arrayOf("edges", told.edges).length;
  const edgeMatrices = edges / (m * m);
  if (!isMissing(told.edges) && edgeMatrices !== 1 && edgeMatrices !== T - 1)
    refuse(
      "SHAPE",
      `edges has ${edges} entries; it must have ${m} x ${m}, or ${T - 1} x ${m} x ${m}`,
    );
  const counts = { start: m, end: m, parents: T, forced: T, allowed: T * m };
  return scope.struct(
    "chain",
    { ...told, ...scores, length: T, labels: m, edgeMatrices },
    { counts },
  );
}

const CORPUS = "transitions tokens groups uncounted edges forced allowed counts".split(" ");

/** Converts the fields of a corpus, with that many labels and positions, to a chorale_corpus. */
export function corpusOf(scope, given, labels, positions) {
  const { chains } = given;
  const uncounted = arrayOf("uncounted", given.uncounted ?? []);
  const fields = { uncounted: uncounted.length > 0 ? uncounted : undefined };
  const all = { ...given, ...fields, labels, uncountedCount: uncounted.length };
  const edges = positions * labels * labels;
  const allowed = positions * labels;
  const by = { tokens: positions, forced: positions, edges, allowed, groups: chains, counts: chains };
  return scope.struct("corpus", all, { counts: by });
}

export const FLAT = ["scores", "labels", "offsets"];

/**
 * Returns offsets, which ascend within the rows of an array: row offsets[i] is the first of part i.
 * whole: true if every row must be in a part. array: what error messages call the array.
 */
export function offsetsOf(offsets, array, rows, whole = false) {
  const ends = Array.from(arrayOf("offsets", offsets), (end, i) => integer(`offsets[${i}]`, end));
  const rule = `offsets must ascend from 0 to ${rows}, the number of rows of ${array}`;
  if (ends.length === 0) refuse("SHAPE", `offsets is empty; ${rule}`);
  const last = ends.length - 1;
  const wrong = ends.findIndex(
    (end, i) =>
      end < (ends[i - 1] ?? 0) ||
      end > rows ||
      (whole && ((i === 0 && end > 0) || (i === last && end < rows))),
  );
  if (wrong >= 0) refuse("OUT_OF_RANGE", `offsets[${wrong}] is ${ends[wrong]}; ${rule}`);
  return ends;
}

const MEMBERS = "offsets positions weights centreChains centrePositions classes tables".split(" ");
const CLIQUE = "potential property values labelValues centre centreLabelValues".split(" ");

/** Converts CliqueOptions to a place of a chorale_clique_setup. */
function setupOf(native, scope, options) {
  const told = optionsOf(options, CLIQUE);
  const centre = [...(told.centre ?? [])];
  const around = centre.map((potential, i) =>
    given(native, `centre[${i}]`, potential, "potential"),
  );
  const potential = given(native, "potential", told.potential, "potential", true);
  if (potential === 0 && around.length === 0)
    refuse("NULL_ARGUMENT", "potential is missing: a clique needs one, or a centre of potentials");
  if (potential !== 0 && around.length > 0)
    refuse("KIND", "centre is given beside potential; a clique has one of them");
  const own = ["values", "labelValues"].find((name) => told[name] !== undefined);
  if (told.property && own)
    refuse("KIND", `${own} is for cliques of positions; a property has values of its own`);
  const { labelValues, centreLabelValues } = told;
  return scope.struct("clique_setup", {
    ...told,
    values: told.values ?? (told.property ? undefined : (told.potential ?? centre[0])?.values),
    labels: labelValues && arrayOf("labelValues", labelValues).length,
    centrePotentials: around.length > 0 ? scope.numbers("uint32", "centre", around) : undefined,
    centreValues: around.length,
    centreLabels: centreLabelValues && arrayOf("centreLabelValues", centreLabelValues).length,
  });
}

export class ModelBuilder extends Handle {
  #lengths = []; // number of positions of each chain
  static kind = "model_builder";

  #add(native, scope, builder, chain, options) {
    const index = scope.place("int64");
    const given = [builder, chain, options, index];
    native.call("chorale_model_builder_add_chain", given, CHAIN_NAMES);
    this.#lengths.push(chain.value.length);
    return index.value;
  }
  addChain(chain, options) {
    return Handle.on(this, (native, scope, builder) => {
      const told = optionsOf(options, ["tokens", "group"]);
      const scores = chainOf(scope, chain);
      const fields = { ...told, tokens: withNothing("tokens", told.tokens, -1) };
      const how = { counts: { tokens: scores.value.length } };
      return this.#add(native, scope, builder, scores, scope.struct("chain_options", fields, how));
    });
  }
  copyChain(model, chain) {
    return Handle.on(this, (native, scope, builder) => {
      const pointer = given(native, "model", model, "model");
      const places = [scope.struct("chain"), scope.struct("chain_options")];
      native.call("chorale_model_get_chain", [pointer, chain, ...places]);
      return this.#add(native, scope, builder, ...places);
    });
  }
  addCorpus(flat, options) {
    return Handle.on(this, (native, scope, builder) => {
      const { scores, labels, offsets: ends } = optionsOf(flat, FLAT, "scores");
      const told = optionsOf(options, CORPUS);
      const { rows, ...block } = scoresOf(scope, "scores", scores, labels);
      const offsets = isMissing(ends) ? undefined : offsetsOf(ends, "scores", rows);
      const chains = offsets ? offsets.length - 1 : rows;
      const tokens = withNothing("tokens", told.tokens, -1);
      const given = { ...told, ...block, chains, offsets, tokens };
      const corpus = corpusOf(scope, given, block.labels, rows);
      const first = scope.place("int64");
      native.call("chorale_model_builder_add_corpus", [builder, corpus, first]);
      for (let i = 0; i < chains; ++i)
        this.#lengths.push(offsets ? offsets[i + 1] - offsets[i] : 1);
      return { first: first.value, count: chains };
    });
  }
  addCliques(count, options) {
    return Handle.on(this, (native, scope, builder) => {
      const first = scope.place("int64");
      const setup = setupOf(native, scope, options);
      native.call("chorale_model_builder_add_cliques", [builder, setup, count, first]);
      return { first: first.value, count };
    });
  }
  copyClique(model, clique) {
    return Handle.on(this, (native, scope, builder) => {
      const pointer = given(native, "model", model, "model");
      const setup = scope.struct("clique_setup");
      native.call("chorale_model_get_clique", [pointer, clique, setup]);
      const first = scope.place("int64");
      native.call("chorale_model_builder_add_cliques", [builder, setup, 1, first]);
      return first.value;
    });
  }
  addMembers(first, chains, options) {
    Handle.on(this, (native, scope, builder) => {
      const told = optionsOf(options, MEMBERS);
      const entries = arrayOf("chains", chains).length;
      const offsets = offsetsOf(told.offsets ?? [0, entries], "chains", entries);
      const cliques = offsets.length - 1;
      // An array for each member, as long as its chain. The library refuses numbers of chains that
      // do not exist.
      const arrays = (name) => {
        if (told[name] === undefined) return undefined;
        const all = length(name, listOf(name, told[name]), entries);
        const places = Array.from(all, (array, i) => {
          const positions = this.#lengths[chains[i]] ?? 0;
          return positions > 0
            ? scope.numbers("int32", `${name}[${i}]`, array, positions)
            : undefined;
        });
        return scope.numbers(
          "uint32",
          name,
          places.map((place) => place?.at ?? 0),
        );
      };
      const counts = {
        positions: entries,
        weights: entries,
        centreChains: cliques,
        centrePositions: cliques,
      };
      const [classes, tables] = [arrays("classes"), arrays("tables")];
      native.call("chorale_model_builder_add_members", [
        builder,
        scope.struct(
          "members",
          { ...told, first, cliques, offsets, chains, classes, tables },
          { counts },
        ),
      ]);
    });
  }
  freeze() {
    return Handle.on(this, (native, scope, builder) =>
      make(Model, native, "model_builder_freeze", [builder]),
    );
  }
}

/**
 * Returns a chain of a model, given by its address, as an object with the fields of chorale_chain.
 */
export const shapeOf = (native, model, chain) =>
  native.scoped((scope) => {
    const place = scope.struct("chain");
    native.call("chorale_model_get_chain", [model, chain, place, 0]);
    return place.value;
  });

export class Model extends Handle {
  static kind = "model";
  get chains() {
    return Handle.ask(this, "chain_count");
  }
  get cliques() {
    return Handle.ask(this, "clique_count");
  }
  /** Returns what a clique was added with. */
  #setup(clique) {
    return Handle.on(this, (native, scope, model) => {
      const setup = scope.struct("clique_setup");
      native.call("chorale_model_get_clique", [model, clique, setup]);
      return setup.value;
    });
  }
  cliqueValues(clique) {
    return this.#setup(clique).values;
  }
  chain(chain) {
    return Handle.on(this, (native, scope, model) => {
      const [scores, options] = [scope.struct("chain"), scope.struct("chain_options")];
      native.call("chorale_model_get_chain", [model, chain, scores, options]);
      const { length: T, labels, element, unary, parents } = scores.value;
      const { tokens, group } = options.value;
      const copy = (type, at, count) => new Place(native, type, at, count).values();
      return {
        length: T,
        labels,
        scores: copy(ELEMENTS[element], unary, T * labels), // a model has rows without gaps
        tokens: tokens === 0 ? null : copy("int32", tokens, T),
        group,
        parents: parents === 0 ? null : copy("int32", parents, T),
      };
    });
  }
  membersOf(clique) {
    return Handle.on(this, (native, scope, model) => {
      const needed = scope.place("int64");
      native.call("chorale_model_get_members", [model, clique, 0, 0, 0, 0, needed]);
      const count = needed.value;
      const places = [0, 1, 2].map(() => scope.place("int64", count));
      native.call("chorale_model_get_members", [model, clique, ...places, count, 0]);
      const [chains, positions, weights] = places.map((place) => Array.from(place.numbers, Number));
      return { chains, positions, weights };
    });
  }
  #own(Kind, clique) {
    const pointer = this.#setup(clique)[Kind.kind];
    const native = Handle.nativeOf(this);
    const retain = `chorale_${Kind.kind}_retain`;
    return pointer === 0 ? null : new Kind(native, native.raw(retain, [pointer]));
  }
  cliquePotential(clique) {
    return this.#own(Potential, clique);
  }
  cliqueProperty(clique) {
    return this.#own(Property, clique);
  }
  score(labels) {
    return Handle.on(this, (native, scope, model) => {
      const given = scope.numbers("int32", "labels", arrayOf("labels", labels));
      const [score, chains, cliques] = [1, this.chains, this.cliques].map((count) =>
        scope.place("float64", count),
      );
      native.call("chorale_model_score", [model, given, given.count, score, chains, cliques], {
        count: "labels.length",
      });
      return {
        score: score.value,
        chainScores: chains.values(),
        cliqueScores: cliques.values(),
      };
    });
  }
}
