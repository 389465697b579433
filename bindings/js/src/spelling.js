// How names may differ and yet be the same key: the rules of every language of this library.
import { refuse } from "./errors.js";
import { shown } from "./checks.js";

// What each rule does to a text. Rules are applied in this order.
const SPELLING = {
  unicode: (text) => text.normalize("NFKC"),
  // Letter by letter, so that no case depends on its place in a word.
  case: (text) =>
    Array.from(text.replaceAll("ẞ", "ß"), (letter) =>
      Array.from(letter.toUpperCase(), (upper) => upper.toLowerCase()).join(""),
    ).join(""),
  punctuation: (text) =>
    text.replace(/[.,;:!?'"`´‘’“”«»()[\]{}<>|*]/g, "").replace(/[-‐‑‒–—_/\\]/g, " "),
  space: (text) => text.trim().replace(/\s+/g, " "),
};

/** Returns a text as it is after some rules. Texts that are then equal are one key. */
export function spell(text, rules = Object.keys(SPELLING)) {
  for (const name of rules)
    if (!Object.hasOwn(SPELLING, name))
      refuse(
        "OUT_OF_RANGE",
        `rules has ${shown(name)}, not one of ${Object.keys(SPELLING).join(", ")}`,
      );
  return Object.entries(SPELLING).reduce(
    (spelt, [name, rule]) => (rules.includes(name) ? rule(spelt) : spelt),
    text,
  );
}
