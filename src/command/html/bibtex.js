"use strict";
// The records of a page as BibTeX, where its labels are those of references.
(() => {
  const FIELDS = {
    author: "author", editor: "editor", title: "title", venue: "journal", journal: "journal",
    series: "series", edition: "edition", volume: "volume", issue: "number", number: "number",
    pages: "pages", date: "year", year: "year", publisher: "publisher", location: "address",
    identifier: "note",
  };
  const names = new Map(); // by number: the field of a label
  for (const label of document.querySelectorAll("[data-label]"))
    names.set("l" + label.dataset.label, FIELDS[label.textContent.toLowerCase()]);
  if (![...names.values()].includes("author") || ![...names.values()].includes("title")) return;

  const escaped = (text) =>
    text
      .replace(/[\\{}]/g, "")
      .replace(/[&%$#_]/g, "\\$&")
      .replace(/\s+/g, " ")
      .replace(/^[\s.,;:()]+|[\s.,;:(]+$/g, "");
  const entryOf = (record) => {
    const fields = new Map();
    for (const field of record.querySelectorAll(".together .f, .both .f")) {
      const name = names.get([...field.classList].find((one) => /^l\d+$/.test(one)));
      const text = escaped(field.textContent);
      if (name && text) fields.set(name, [...(fields.get(name) ?? []), text]);
    }
    const year = fields.get("year")?.join(" ").match(/\d{4}/);
    if (year) fields.set("year", [year[0]]);
    let type = "misc";
    if (fields.has("journal")) type = fields.has("volume") ? "article" : "inproceedings";
    else if (fields.has("publisher")) type = "book";
    const lines = [...fields].map(([name, texts]) => {
      const key = name === "journal" && type === "inproceedings" ? "booktitle" : name;
      return `  ${key} = {${texts.join(", ")}}`;
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
    const copied = document.execCommand("copy"); // files have no other clipboard everywhere
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
