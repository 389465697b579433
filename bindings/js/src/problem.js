// Problems: a model with its names and gold labels (problem.h).
import { arrayOf, chosen, int32, integer, isDetached, length, optionsOf, shown } from "./checks.js";
import { refuse } from "./errors.js";
import { Handle, given, make } from "./handle.js";
import { sizeOf, wordsOf } from "./interface.js";
import { Model, shapeOf } from "./model.js";
import { Place } from "./scope.js";

const { none: NO_LIST, values: VALUES, ...LISTS } = wordsOf("CHORALE_TEXTS_");

function textListOf(list) {
  if (typeof list !== "number") return chosen("list", list, LISTS);
  if (integer("list", list) < 0)
    refuse("OUT_OF_RANGE", `list is ${list}; lists of value names count from 0`);
  return int32("list", VALUES + list);
}

export class Problem extends Handle {
  static kind = "problem";
  model() {
    const native = Handle.nativeOf(this);
    return new Model(native, native.raw("chorale_model_retain", [Handle.ask(this, "model")]));
  }
  /** Returns the text that a function gives as an address and a length; null if there is none. */
  #text(name, ...numbers) {
    return Handle.on(this, (native, scope) => {
      const size = scope.place("uint32");
      const at = Handle.ask(this, name, ...numbers, size);
      return at === 0 ? null : native.text(at, size.value);
    });
  }
  texts(list) {
    const number = textListOf(list);
    return Array.from({ length: Handle.ask(this, "text_count", number) }, (_, i) =>
      this.#text("text", number, i),
    );
  }
  text(list, index) {
    return this.#text("text", textListOf(list), index);
  }
  setTexts(list, texts) {
    Handle.on(this, (native, scope, problem) => {
      if (texts !== null && (typeof texts !== "object" || !(Symbol.iterator in texts)))
        refuse("WRONG_TYPE", `texts is ${shown(texts)}, not an array of texts`);
      const all = texts === null ? [] : [...texts];
      // With no texts, a list of value names is set to an empty list, and any other list is
      // removed.
      const given = [textListOf(list), scope.texts("texts", all), sizeOf("text"), all.length];
      native.call("chorale_problem_set_texts", [problem, ...given], { count: "texts.length" });
    });
  }
  setCliques(options) {
    Handle.on(this, (native, scope, problem) => {
      const { kinds, values } = optionsOf(options, ["kinds", "values"]);
      const model = native.raw("chorale_problem_model", [problem]);
      const count = native.raw("chorale_model_clique_count", [model]);
      const lists =
        values && Array.from(values, (list) => (list === null ? NO_LIST : textListOf(list)));
      native.call("chorale_problem_set_cliques", [
        problem,
        scope.numbers("int32", "kinds", kinds, count),
        scope.numbers("int32", "values", lists, count),
      ]);
    });
  }
  cliqueKind(clique) {
    return Handle.ask(this, "clique_kind", clique);
  }
  valueName(clique, value) {
    return this.#text("value_name", clique, value);
  }

  #positions(native, problem) {
    const model = native.raw("chorale_problem_model", [problem]);
    let positions = 0;
    for (let chain = native.raw("chorale_model_chain_count", [model]) - 1; chain >= 0; --chain)
      positions += shapeOf(native, model, chain).length;
    return positions;
  }
  get gold() {
    return Handle.on(this, (native, scope, problem) => {
      const at = native.raw("chorale_problem_gold", [problem]);
      if (at === 0) return null;
      return new Place(native, "int32", at, this.#positions(native, problem)).values();
    });
  }
  set gold(labels) {
    Handle.on(this, (native, scope, problem) => {
      const given =
        labels === null
          ? 0
          : scope.numbers(
              "int32",
              "gold",
              arrayOf("gold", labels),
              this.#positions(native, problem),
            );
      native.call("chorale_problem_set_gold", [problem, given]);
    });
  }
  toBytes() {
    return Handle.list(this, "uint8", "write");
  }
}

export const createProblem = (native, model) =>
  make(Problem, native, "problem_create", [given(native, "model", model, "model")]);

/** Returns the bytes of a buffer or of a view of one. */
export function bytesOf(name, bytes) {
  const buffer = ArrayBuffer.isView(bytes) ? bytes.buffer : bytes;
  const shared = typeof SharedArrayBuffer !== "undefined" && buffer instanceof SharedArrayBuffer;
  if (!(buffer instanceof ArrayBuffer) && !shared)
    refuse("WRONG_TYPE", `${name} is ${shown(bytes)}, neither an ArrayBuffer nor a view of one`);
  if (!shared && isDetached(buffer))
    refuse("DETACHED", `${name} is detached: its buffer was transferred`);
  return ArrayBuffer.isView(bytes)
    ? new Uint8Array(buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(buffer);
}

export const readProblem = (native, bytes) =>
  native.scoped((scope) => {
    const given = scope.numbers("uint8", "bytes", bytesOf("bytes", bytes));
    const names = { size: "bytes.length" };
    return make(Problem, native, "problem_read", [given, given.count, 0], names);
  });
