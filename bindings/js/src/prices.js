// Prices: inference for cliques whose members are divided over several models (prices.h).
import { ChoraleError } from "./errors.js";
import { Handle, create } from "./handle.js";
import { arrayOf, length, optionsOf, real } from "./native.js";
import { RUN_OPTIONS, Results, modelOf, resultOf, withRunOptions } from "./run.js";

export class Prices extends Results {
  #values; // for each shared clique the number of values of its potential
  constructor(native, pointer, values, progress) {
    const free = (at) => {
      native.raw("chorale_prices_destroy", [at]);
      native.callbacks.delete(progress);
    };
    super(native, pointer, free, native.raw("chorale_prices_run", [pointer]));
    this.#values = values;
  }

  solve(prices) {
    const native = Handle.nativeOf(this);
    const pointer = Handle.use(this, native);
    return native.scoped((scope) => {
      const numbers = this.#flat(prices);
      const at = scope.numbers("float64", "prices", numbers);
      const [score, result] = [scope.place(), scope.struct("run_result")];
      try {
        native.call("chorale_prices_solve", [pointer, at, numbers?.length ?? 0, score, result]);
      } catch (error) {
        if (error instanceof ChoraleError) error.message = this.#placed(error.message);
        throw error;
      }
      return { score: native.view.getFloat64(score, true), result: resultOf(native, result) };
    });
  }
  /** Returns the prices of all rows in one array; null if there are none. */
  #flat(rows) {
    if (rows === undefined || rows === null) return null;
    length("prices", arrayOf("prices", rows), this.#values.length);
    return Array.from(rows).flatMap((row, i) => {
      const name = `prices[${i}]`;
      const array = length(name, arrayOf(name, row), this.#values[i]);
      return Array.from(array, (price, v) => real(`${name}[${v}]`, price));
    });
  }
  /**
   * Returns an error message of the library, in which a price is named by the caller's indices: its
   * row and its entry in the row.
   */
  #placed(message) {
    return message.replace(/^numbers\[(\d+)\]/, (_, number) => {
      let [row, entry] = [0, Number(number)];
      while (entry >= this.#values[row]) entry -= this.#values[row++];
      return `prices[${row}][${entry}]`;
    });
  }

  counts() {
    const native = Handle.nativeOf(this);
    const pointer = Handle.use(this, native);
    return native.scoped((scope) => {
      const needed = scope.place();
      native.call("chorale_prices_counts", [pointer, 0, 0, needed]);
      const count = scope.number(needed);
      const at = scope.allocate(8 * count);
      if (count > 0) native.call("chorale_prices_counts", [pointer, at, count, needed]);
      const all = Array.from(native.array("int64", at, count), Number);
      return this.#values.map((values) => all.splice(0, values));
    });
  }
}

export function createPrices(native, model, cliques, options) {
  const told = optionsOf(options, RUN_OPTIONS.filter((name) => name !== "edits"));
  const pointer = modelOf(native, model);
  return withRunOptions(native, told, (at, progress) =>
    native.scoped((scope) => {
      const shared = arrayOf("cliques", cliques);
      const numbers = scope.numbers("int64", "cliques", shared);
      const names = { count: "cliques.length" };
      const made = create(
        native,
        "chorale_prices_create",
        [native.host, pointer, numbers, shared.length, at],
        names,
      );
      const values = Array.from(shared, (clique) => {
        const potential = native.raw("chorale_model_clique_potential", [pointer, clique]);
        return native.raw("chorale_potential_values", [potential]);
      });
      return new Prices(native, made, values, progress);
    }),
  );
}
