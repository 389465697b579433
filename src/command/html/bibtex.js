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
// Writes the records of a page as BibTeX, if the labels are those of references.
(() => {
  const FIELDS = {
    author: "author", editor: "editor", title: "title", venue: "journal", journal: "journal",
    series: "series", edition: "edition", volume: "volume", issue: "number", number: "number",
    pages: "pages", date: "year", year: "year", publisher: "publisher", location: "address",
    identifier: "note",
  };
  const names = new Map(); // by class of a label ("l0", "l1", ...): its BibTeX field
  for (const label of document.querySelectorAll("[data-label]"))
    names.set("l" + label.dataset.label, FIELDS[label.textContent.toLowerCase()]);
  if (![...names.values()].includes("author") || ![...names.values()].includes("title")) return;

  const trimmed = (text) => text.replace(/\s+/g, " ").replace(/^[\s.,;:()]+|[\s.,;:(]+$/g, "");
  const escaped = (text) => text.replace(/[\\{}]/g, "").replace(/[&%$#_]/g, "\\$&");
  // If the names cannot be told apart, braces keep BibTeX from splitting the text.
  const people = (text) => namesOf(text)?.map(escaped).join(" and ") ?? `{${escaped(text)}}`;
  const entryOf = (record) => {
    const fields = new Map();
    for (const field of record.querySelectorAll(".together .f, .both .f")) {
      const name = names.get([...field.classList].find((one) => /^l\d+$/.test(one)));
      const text = trimmed(field.textContent);
      if (name && text) fields.set(name, [...(fields.get(name) ?? []), text]);
    }
    const isPeople = (name) => name === "author" || name === "editor";
    for (const [name, texts] of fields)
      fields.set(
        name,
        isPeople(name) ? texts.map(people).join(" and ") : texts.map(escaped).join(", "),
      );
    const year = fields.get("year")?.match(/\d{4}/);
    if (year) fields.set("year", year[0]);
    let type = "misc";
    if (fields.has("journal")) type = fields.has("volume") ? "article" : "inproceedings";
    else if (fields.has("publisher")) type = "book";
    const lines = [...fields].map(([name, text]) => {
      const key = name === "journal" && type === "inproceedings" ? "booktitle" : name;
      return `  ${key} = {${text}}`;
    });
    const key = record.dataset.name.replace(/[^\w:.-]/g, "") || record.id;
    return `@${type}{${[key, ...lines].join(",\n")}\n}`;
  };

  const dialog = document.createElement("dialog");
  dialog.id = "bibtex";
  dialog.setAttribute("aria-label", "BibTeX");
  dialog.innerHTML =
    '<pre tabindex="0"></pre><p class="buttons"><button type="button">Copy</button>' +
    '<button type="button">Close</button></p>';
  document.body.append(dialog);
  const text = dialog.querySelector("pre");
  const [copy, close] = dialog.querySelectorAll("button");
  close.addEventListener("click", () => dialog.close());
  copy.addEventListener("click", () => {
    getSelection().selectAllChildren(text);
    const copied = document.execCommand("copy"); // a page from a file may lack navigator.clipboard
    copy.textContent = copied ? "Copied" : "Selected";
  });
  for (const page of document.querySelectorAll(".page")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "BibTeX of this list";
    button.addEventListener("click", () => {
      const records = [...page.querySelectorAll(".record")];
      text.textContent = records.map(entryOf).join("\n\n");
      copy.textContent = "Copy";
      dialog.showModal();
    });
    const place = document.createElement("p");
    place.className = "buttons";
    place.append(button);
    (page.querySelector(".agreements") ?? page.querySelector("summary")).after(place);
  }
})();
