// The C interface as dist/layout.js describes it, by the names that JavaScript uses.
import { layout } from "../dist/layout.js";

export const { constants } = layout;

export const TYPES = {
  float64: Float64Array,
  float32: Float32Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint32: Uint32Array, // addresses and sizes too
};
/** The types of numbers that C takes as void*, by chorale_element. */
export const ELEMENTS = ["float64", "float32"];

const camelCase = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

/**
 * Returns an object that maps words to the numbers of all constants with a prefix:
 * wordsOf("CHORALE_JOINT_").auto is CHORALE_JOINT_AUTO. CHORALE_SCALE_BY_MEMBERS is "members".
 */
export const wordsOf = (prefix) =>
  Object.fromEntries(
    Object.entries(constants)
      .filter(([constant]) => constant.startsWith(prefix))
      .map(([constant, number]) => [
        constant.slice(prefix.length).toLowerCase().replace(/^by_/, "").replaceAll("_", "-"),
        number,
      ]),
  );

/**
 * Returns a field of a struct. kind: "flag"; or the prefix of the constants that it holds, of which
 * `words` are the words; or what it points to. told: converts what the library writes.
 */
function fieldOf(name, offset, type, kind) {
  const field = { name: camelCase(name), offset, type, kind, told: (value) => value };
  if (kind === "flag") field.told = (value) => value !== 0;
  else if (/^[A-Z]/.test(kind)) {
    field.words = wordsOf(`CHORALE_${kind}_`);
    const words = new Map(Object.entries(field.words).map(([word, number]) => [number, word]));
    field.told = (value) => words.get(value) ?? "unknown";
    if (kind === "WARNING")
      field.told = (value) => [...words].filter(([n]) => value & n).map(([, word]) => word);
  }
  return field;
}

/**
 * By the names of structs: size, the offset of struct_size if there is such a field, and the fields
 * of which JavaScript knows.
 */
export const STRUCTS = Object.fromEntries(
  Object.entries(layout.structs).map(([struct, { size, fields }]) => [
    struct.slice("chorale_".length),
    {
      size,
      sizeOffset: fields.struct_size?.[0],
      fields: Object.entries(fields)
        .filter(([name]) => name !== "struct_size" && name !== "reserved")
        .map(([name, field]) => fieldOf(name, ...field)),
    },
  ]),
);
/** By the names of functions: the type of the result, and types and names of the arguments. */
export const FUNCTIONS = Object.fromEntries(
  Object.entries(layout.functions).map(([name, [types, names]]) => [
    name,
    { result: types[0], types: [...types.slice(1)], names: names.split(" ").map(camelCase) },
  ]),
);
/** Returns the number of bytes of a number of a type of TYPES, or of a struct. */
export const sizeOf = (type) => TYPES[type]?.BYTES_PER_ELEMENT ?? STRUCTS[type].size;
