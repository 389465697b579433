// Symmetric potentials (potential.h).
import { STATUS, WRONG_TYPE, refuse } from "./errors.js";
import { Handle, make } from "./handle.js";
import {
  TYPES,
  arrayOf,
  chosen,
  integer,
  length,
  optionsOf,
  real,
  shown,
  wordsOf,
} from "./native.js";

const OPTIONS = ["scale", "counted"];
const SCALES = { none: 0, members: 1, "log-members": 2 };
const SHAPES = wordsOf("CHORALE_SHAPE_");

export class Potential extends Handle {
  static destroy = "chorale_potential_release";
  get values() {
    return Handle.ask(this, "chorale_potential_values");
  }
  get family() {
    const native = Handle.nativeOf(this);
    const family = Handle.ask(this, "chorale_potential_family");
    return native.text(native.raw("chorale_family_name", [family]));
  }
  score(counts) {
    return Handle.on(this, (native, scope, pointer) => {
      const array = arrayOf("counts", counts);
      const at = scope.numbers("int64", "counts", array);
      const copy = native.array("int64", at, array.length);
      const members = copy.reduce((sum, count) => sum + count, 0n);
      const to = scope.place();
      native.call("chorale_potential_score", [pointer, at, array.length, members, to]);
      return native.view.getFloat64(to, true);
    });
  }
}

/**
 * Copies rows of numbers, all of one length, to one array. Returns { at, rows, columns }: the
 * address of the array, the number of rows and their length. An array of numbers is taken as one
 * row.
 */
export function tableOf(scope, name, rows) {
  const outer = arrayOf(name, rows);
  if (ArrayBuffer.isView(outer) || outer.length === 0 || typeof outer[0] === "number")
    return {
      at: scope.numbers("float64", name, outer),
      rows: outer.length === 0 ? 0 : 1,
      columns: outer.length,
    };
  const columns = arrayOf(`${name}[0]`, outer[0]).length;
  const all = new Float64Array(outer.length * columns);
  for (let r = 0; r < outer.length; ++r) {
    const row = length(`${name}[${r}]`, arrayOf(`${name}[${r}]`, outer[r]), columns);
    for (let c = 0; c < columns; ++c) {
      if (typeof row[c] !== "number")
        refuse(WRONG_TYPE, `${name}[${r}][${c}] is ${shown(row[c])}, not a number`);
      all[r * columns + c] = row[c];
    }
  }
  return { at: scope.numbers("float64", name, all), rows: outer.length, columns };
}

/** Returns the address of `height` x `width` numbers, given as rows or as one array. */
export function rectangleOf(scope, name, rows, height, width) {
  const table = tableOf(scope, name, rows);
  if (table.rows * table.columns !== height * width || (table.rows !== 1 && table.rows !== height))
    refuse(
      STATUS.SHAPE,
      `${name} has ${table.rows} rows of ${table.columns}; it must be ${height} x ${width}`,
    );
  return table.at;
}
export const squareOf = (scope, name, rows, side) => rectangleOf(scope, name, rows, side, side);

/** Returns the address of `count` flags; 0 if no flags are given. */
export function flagsOf(scope, name, flags, count) {
  if (flags === null || flags === undefined) return 0;
  length(name, arrayOf(name, flags), count);
  return scope.flags(name, flags);
}

function potentialOf(native, kind, values, options, more, body) {
  integer("values", values);
  const { scale, counted, shape } = optionsOf(options, [...OPTIONS, ...more]);
  return native.scoped((scope) => {
    const told = scope.struct("potential_options", {
      scale: scale === undefined ? 0 : chosen("scale", scale, SCALES),
      shape: shape === undefined ? 0 : chosen("shape", shape, SHAPES),
      counted: flagsOf(scope, "counted", counted, values),
    });
    const before = [native.host, values, ...body(scope), told];
    return make(Potential, native, `potential_create_${kind}`, before);
  });
}

export const potentials = {
  createPotts: (native, values, lambda, options) =>
    potentialOf(native, "potts", values, options, [], () => [real("lambda", lambda)]),
  createEntropy: (native, values, lambda, options) =>
    potentialOf(native, "entropy", values, options, [], () => [real("lambda", lambda)]),
  createMakespan: (native, values, lambda, options) =>
    potentialOf(native, "makespan", values, options, [], () => [real("lambda", lambda)]),
  createSquareMakespan: (native, values, lambda, options) =>
    potentialOf(native, "square_makespan", values, options, [], () => [real("lambda", lambda)]),
  createSum: (native, values, tables, options) =>
    potentialOf(native, "sum", values, options, ["shape"], tablesFor(tables)),
  createMax: (native, values, tables, options) =>
    potentialOf(native, "max", values, options, [], tablesFor(tables)),
  createCardinality: (native, values, table, options) =>
    potentialOf(native, "cardinality", values, options, ["shape"], (scope) => {
      const array = arrayOf("table", table);
      return [scope.numbers("float64", "table", array), array.length];
    }),
  createMajority: (native, values, weights, options) =>
    potentialOf(native, "majority", values, options, ["bias"], (scope) => [
      squareOf(scope, "weights", weights, values),
      0,
      options?.bias === undefined
        ? 0
        : scope.sized("float64", "bias", options.bias, values),
    ]),
  createPairs: (native, values, scores, options) =>
    potentialOf(native, "pairs", values, options, [], (scope) => [
      squareOf(scope, "scores", scores, values),
      0,
    ]),
  createCallback(native, values, score, options) {
    if (typeof score !== "function") refuse(WRONG_TYPE, `score is ${shown(score)}, not a function`);
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
const tablesFor = (tables) => (scope) => {
  const { at, rows, columns } = tableOf(scope, "tables", tables);
  return [at, rows, columns, 0];
};

/** Returns an array with `count` results of a type, which fill(address) writes. */
export const result = (native, type, count, fill) =>
  native.scoped((scope) => {
    const at = scope.allocate(count * TYPES[type].BYTES_PER_ELEMENT);
    fill(at);
    return native.array(type, at, count).slice();
  });
