// Memory of the library for the arguments and results of a call.
import { refuse } from "./errors.js";
import {
  arrayOf,
  chosen,
  copyInto,
  int32,
  integer,
  isMissing,
  length,
  real,
  shown,
} from "./checks.js";
import { given } from "./handle.js";
import { ELEMENTS, STRUCTS, TYPES, sizeOf } from "./interface.js";

const ENCODER = new TextEncoder();

/** `count` numbers or structs of a type at an address. */
export class Place {
  constructor(native, type, at, count) {
    Object.assign(this, { native, type, at, count });
  }
  /** Returns the numbers in the library's memory, which are valid until the memory grows. */
  get numbers() {
    return new TYPES[this.type](this.native.memory.buffer, this.at, this.count);
  }
  /** Returns a copy of the numbers, or an object for each struct. */
  values() {
    if (this.type in TYPES) return this.numbers.slice();
    const size = sizeOf(this.type);
    return Array.from({ length: this.count }, (_, i) =>
      this.native.read(this.type, this.at + i * size),
    );
  }
  /** Returns the number, or an object for the struct, of a place for one. */
  get value() {
    return this.type in TYPES ? Number(this.numbers[0]) : this.values()[0];
  }
}

/** Returns a text in UTF-8. */
function encoded(name, text) {
  if (typeof text !== "string") refuse("WRONG_TYPE", `${name} is ${shown(text)}, not a text`);
  return ENCODER.encode(text);
}

/** Converts a value that C takes by value. type: a letter, as in tools/layout.py. */
export function converted(name, type, value) {
  if (type === "d") return real(name, value);
  return type === "i" ? int32(name, value) : integer(name, value);
}

/** What is allocated here is freed together by end(), after what later() was told to do. */
export class Scope {
  constructor(native) {
    this.native = native;
    this.blocks = [];
    this.lasts = [];
  }
  end() {
    if (this.native.broken) return;
    for (const last of this.lasts.reverse()) last();
    for (const [at, bytes] of this.blocks) this.native.free(at, bytes);
  }
  later(last) {
    this.lasts.push(last);
  }
  /** Allocates zeros, and sets struct_size of structs. */
  place(type, count = 1) {
    const size = sizeOf(type);
    const at = this.native.allocate(size * count);
    this.blocks.push([at, size * count]);
    this.native.bytes(at, size * count).fill(0);
    const offset = STRUCTS[type]?.sizeOffset;
    if (offset !== undefined)
      for (let i = 0; i < count; ++i) this.native.write(at + i * size + offset, "z", size);
    return new Place(this.native, type, at, count);
  }
  /** Allocates a struct of zeros, which mean the defaults, and sets fields as fill() does. */
  struct(type, fields = {}, how = {}) {
    return this.fill(this.place(type), fields, how);
  }
  /**
   * Sets those fields of a struct of which `fields`, by JavaScript names, has a value. The type of
   * a field in C tells what it takes: a number, a word for a constant, true or false for a flag, a
   * handle, or an array, which is copied. Every pointer may be given as a Place. counts: the number
   * of entries that arrays must have. prefix: of names in error messages. index: that of the
   * struct.
   */
  fill(place, fields, { counts = {}, prefix = "", index = 0 } = {}) {
    const { native } = this;
    const { size, fields: known } = STRUCTS[place.type];
    for (const { name, offset, type, kind, words } of known) {
      const value = fields[name];
      if (isMissing(value)) continue;
      const told = prefix + name;
      let to;
      if (kind === "flag") to = value ? 1 : 0;
      else if (words !== undefined) to = chosen(told, value, words);
      else if (type !== "p") to = converted(told, type, value);
      else if (value instanceof Place) to = value.at;
      else if (kind === "uint8") to = this.flags(told, value, counts[name]).at;
      else if (kind === "element")
        to = this.numbers(ELEMENTS[fields.element ?? 0], told, value, counts[name]).at;
      else if (kind in TYPES) to = this.numbers(kind, told, value, counts[name]).at;
      else to = kind === undefined ? value : given(native, told, value, kind);
      native.write(place.at + index * size + offset, type, to);
    }
    return place;
  }
  /**
   * Copies an array of numbers to one of the type `type`, checking each entry, and the number of
   * entries if `count` is given. Returns undefined if no array is given.
   */
  numbers(type, name, numbers, count) {
    if (isMissing(numbers)) return undefined;
    const array = arrayOf(name, numbers);
    if (count !== undefined) length(name, array, count);
    const place = this.place(type, array.length);
    copyInto(place.numbers, name, array);
    return place;
  }
  /** Does the same with flags, which are copied as bytes 0 and 1. */
  flags(name, flags, count) {
    if (isMissing(flags)) return undefined;
    return this.numbers("uint8", name, Uint8Array.from(arrayOf(name, flags), Boolean), count);
  }
  /** Copies a text in UTF-8; returns its address and its number of bytes. */
  utf8(name, text) {
    const { at, count } = this.numbers("uint8", name, encoded(name, text));
    return [at, count];
  }
  /** Returns texts as a place of chorale_text. */
  texts(name, texts) {
    const all = texts.map((text, i) => encoded(`${name}[${i}]`, text));
    const place = this.place("text", all.length);
    let { at } = this.place(
      "uint8",
      all.reduce((sum, bytes) => sum + bytes.length, 0),
    );
    all.forEach((bytes, index) => {
      const here = new Place(this.native, "uint8", at, bytes.length);
      here.numbers.set(bytes);
      this.fill(place, { bytes: here, length: bytes.length }, { index });
      at += bytes.length;
    });
    return place;
  }
}
