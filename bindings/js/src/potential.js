// Symmetric potentials (potential.h).
import { arrayOf, copyInto, integer, length, optionsOf, shown } from "./checks.js";
import { refuse } from "./errors.js";
import { Handle, make } from "./handle.js";

export class Potential extends Handle {
  static kind = "potential";
  get values() {
    return Handle.ask(this, "values");
  }
  get family() {
    return Handle.nativeOf(this).text(Handle.ask(this, "family"));
  }
  score(counts) {
    return Handle.on(this, (native, scope, pointer) => {
      const given = scope.numbers("int64", "counts", arrayOf("counts", counts));
      const members = given.numbers.reduce((sum, count) => sum + count, 0n);
      const score = scope.place("float64");
      native.call("chorale_potential_score", [pointer, given, given.count, members, score]);
      return score.value;
    });
  }
}

/**
 * Copies rows of numbers, all of one length, to one array. nameOf(r): the name of row r in error
 * messages. Returns a place, with the number of rows and their length, `columns`.
 */
export function rowsIn(scope, rows, nameOf) {
  const columns = arrayOf(nameOf(0), rows[0]).length;
  const place = scope.place("float64", rows.length * columns);
  const all = place.numbers;
  for (let r = 0; r < rows.length; ++r) {
    const name = nameOf(r);
    const row = length(name, arrayOf(name, rows[r]), columns);
    copyInto(all.subarray(r * columns, (r + 1) * columns), name, row);
  }
  return { place, rows: rows.length, columns };
}
/** Does the same with rows, or with an array of numbers, which is taken as one row. */
function tableOf(scope, name, rows) {
  const outer = arrayOf(name, rows);
  if (!ArrayBuffer.isView(outer) && outer.length > 0 && typeof outer[0] !== "number")
    return rowsIn(scope, outer, (r) => `${name}[${r}]`);
  const place = scope.numbers("float64", name, outer);
  return { place, rows: outer.length === 0 ? 0 : 1, columns: outer.length };
}

/** Returns a place of `height` x `width` numbers, given as rows or as one array. */
export function rectangleOf(scope, name, given, height, width = height) {
  const { place, rows, columns } = tableOf(scope, name, given);
  if (rows * columns !== height * width || (rows !== 1 && rows !== height))
    refuse("SHAPE", `${name} has ${rows} rows of ${columns}; it must be ${height} x ${width}`);
  return place;
}

/** Creates a potential. more: further options. body(scope, options): the arguments of its kind. */
function potentialOf(native, kind, values, options, more, body) {
  integer("values", values);
  const told = optionsOf(options, ["scale", "counted", ...more]);
  return native.scoped((scope) => {
    const how = { counts: { counted: values } };
    const before = [values, ...body(scope, told)];
    before.push(scope.struct("potential_options", told, how));
    return make(Potential, native, `potential_create_${kind}`, before);
  });
}
const strengthOf = (kind) => (native, values, lambda, options) =>
  potentialOf(native, kind, values, options, [], () => [lambda]);
const tablesOf = (tables) => (scope) => {
  const { place, rows, columns } = tableOf(scope, "tables", tables);
  return [place, rows, columns, 0];
};

export const potentials = {
  createPotts: strengthOf("potts"),
  createEntropy: strengthOf("entropy"),
  createMakespan: strengthOf("makespan"),
  createSquareMakespan: strengthOf("square_makespan"),
  createSum: (native, values, tables, options) =>
    potentialOf(native, "sum", values, options, ["shape"], tablesOf(tables)),
  createMax: (native, values, tables, options) =>
    potentialOf(native, "max", values, options, [], tablesOf(tables)),
  createCardinality: (native, values, table, options) =>
    potentialOf(native, "cardinality", values, options, ["shape"], (scope) => {
      const place = scope.numbers("float64", "table", arrayOf("table", table));
      return [place, place.count];
    }),
  createMajority: (native, values, weights, options) =>
    potentialOf(native, "majority", values, options, ["bias"], (scope, { bias }) => [
      rectangleOf(scope, "weights", weights, values),
      0,
      scope.numbers("float64", "bias", bias, values),
    ]),
  createPairs: (native, values, scores, options) =>
    potentialOf(native, "pairs", values, options, [], (scope) => [
      rectangleOf(scope, "scores", scores, values),
      0,
    ]),
  createCallback(native, values, score, options) {
    if (typeof score !== "function")
      refuse("WRONG_TYPE", `score is ${shown(score)}, not a function`);
    const number = native.keep(score);
    try {
      return potentialOf(native, "callback", values, options, [], () => [
        native.exports.chorale_js_score_function(),
        number,
        native.exports.chorale_js_release_function(),
      ]);
    } catch (error) {
      native.callbacks.delete(number);
      throw error;
    }
  },
};
