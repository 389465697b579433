"use strict";
// Returns an array of the people that a text names, in BibTeX form: each as "family, given" or as
// in the text, then "others" if the text ends with "et al." or the like. Returns null if commas
// both separate names and occur within names, so that the names cannot be told apart.
const namesOf = (text) => {
  const isOneWord = (part) => !/\s/.test(part);
  const isGiven = (part) => /^((\p{Lu}|\p{Lu}\p{Ll}\.)\.?[\s-]*){1,4}$/u.test(part); // initials
  const [known, ...others] = text.split(/,?\s+(?:et al\.?|et alii|u\. ?a\.?|\u7B49)$/i);
  const groups = known.split(
    /\s*[;&/]\s*|\s+\u2013\s+|,?\s+(?:and|AND|und|UND|et|ET|och|og|en|ve|ja|e|y|i|a)\s+/,
  );
  const names = [];
  for (const [rank, group] of groups.entries()) {
    const made = [];
    for (const part of group.split(/\s*,\s*/).filter((one) => one !== "")) {
      const last = made[made.length - 1];
      if (last && /^[JS]r\.?$/i.test(part)) made.push(made.pop().replace(/(, |$)/, `, ${part}$1`));
      else if (last && isGiven(part) && !last.includes(", ")) made.push(`${made.pop()}, ${part}`);
      else made.push(part);
    }
    const pairs = made.filter((_, k) => k % 2 === 0);
    const isWhole = (name) => !isOneWord(name) && !isGiven(name);
    if (made.length % 2 === 0 && pairs.every(isOneWord))
      names.push(...pairs.map((family, k) => `${family}, ${made[2 * k + 1]}`));
    else if (made.length === 2 && isOneWord(made[1])) names.push(made.join(", "));
    else if (rank === 0 && made.length > 2 && isOneWord(made[0]) && made.slice(2).every(isWhole))
      // Only the first name has the form "family, given".
      names.push(made.slice(0, 2).join(", "), ...made.slice(2));
    else if (made.length === 1 || made.every(isWhole)) names.push(...made);
    else return null;
  }
  return others.length > 0 ? [...names, "others"] : names;
};
// Shows the records of a page as BibTeX, in the dialog that the page's button opens.
(() => {
  if (!view.of.hasReferences) return;
  const FIELDS = {
    author: "author", editor: "editor", title: "title", venue: "journal", journal: "journal",
    series: "series", edition: "edition", volume: "volume", issue: "number", number: "number",
    pages: "pages", date: "year", year: "year", publisher: "publisher", location: "address",
    identifier: "note",
  };
  const trimmed = (text) => text.replace(/\s+/g, " ").replace(/^[\s.,;:()]+|[\s.,;:(]+$/g, "");
  const escaped = (text) => text.replace(/[\\{}]/g, "").replace(/[&%$#_]/g, "\\$&");
  // If the names cannot be told apart, braces keep BibTeX from splitting the text.
  const people = (text) => namesOf(text)?.map(escaped).join(" and ") ?? `{${escaped(text)}}`;
  const entryOf = (chain) => {
    const { now, names, words, spaces, records } = view.of;
    const fields = new Map();
    for (const field of Labelling.stretches(view.of.positions(chain), (t) => now[t] === now[t - 1])) {
      const name = FIELDS[names[now[field[0]]]?.toLowerCase()];
      const text = trimmed(field.map((t) => spaces[t] + words[t]).join(""));
      if (name && text) fields.set(name, [...(fields.get(name) ?? []), text]);
    }
    const isPeople = (name) => name === "author" || name === "editor";
    for (const [name, texts] of fields)
      fields.set(name, isPeople(name) ? texts.map(people).join(" and ") : texts.map(escaped).join(", "));
    const year = fields.get("year")?.match(/\d{4}/);
    if (year) fields.set("year", year[0]);
    let type = "misc";
    if (fields.has("journal")) type = fields.has("volume") ? "article" : "inproceedings";
    else if (fields.has("publisher")) type = "book";
    const lines = [...fields].map(([name, text]) => {
      const key = name === "journal" && type === "inproceedings" ? "booktitle" : name;
      return `  ${key} = {${text}}`;
    });
    const key = records.get(chain).name.replace(/[^\w:.-]/g, "") || `r${chain}`;
    return `@${type}{${[key, ...lines].join(",\n")}\n}`;
  };
  const dialog = document.getElementById("bibtex");
  const text = dialog.querySelector("pre");
  const [copy, close] = dialog.querySelectorAll("button");
  close.addEventListener("click", () => dialog.close());
  copy.addEventListener("click", () => {
    getSelection().selectAllChildren(text);
    const copied = document.execCommand("copy"); // a page from a file may lack navigator.clipboard
    copy.textContent = copied ? "Copied" : "Selected";
  });
  document.addEventListener("click", ({ target }) => {
    if (!target.matches(".bibtex")) return;
    const page = Number(target.closest(".page").id.slice(1));
    text.textContent = view.of.shown(page).map(entryOf).join("\n\n");
    copy.textContent = "Copy";
    dialog.showModal();
  });
})();
