#!/usr/bin/env node
// How well the report's BibTeX tells names of people apart: on every field of authors or editors of
// the committed pages, by gold labels, against the names that each work has. No field may be split
// into other people than these; fields that are left as one text are counted.
//
//   tests/report/authors.mjs
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const data = "examples/publications/data/";
const script = `${read("src/command/html/bibtex.js")}\nnamesOf`;
const namesOf = runInNewContext(script, { view: { of: {} } });
const works = new Map(JSON.parse(read(`${data}works.json`)).map((work) => [work.id, work]));

const fields = []; // texts of one label in a row
let work = "";
let last = "";
for (const line of read(`${data}pages.txt`).split("\n")) {
  const [token, label, space] = line.split("\t");
  if (line.startsWith("# record ") && label === undefined) work = line.slice(9);
  if (space === undefined || line.startsWith("# page ")) {
    last = "";
    continue;
  }
  if (label === last) fields.at(-1).text += (space === "1" ? " " : "") + token;
  else fields.push({ work, label, text: token });
  last = label;
}

const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const counts = { right: 0, shortened: 0, whole: 0 };
for (const { work, label, text } of fields.filter(({ label }) => /^(Author|Editor)$/.test(label))) {
  const people = works.get(work)[label.toLowerCase()] ?? [];
  const names = namesOf(text.replace(/^[\s.,;:()]+|[\s.,;:(]+$/g, ""));
  if (names === null) counts.whole += 1;
  else if (names.at(-1) === "others") counts.shortened += 1;
  else if (people.length > 1) {
    const same =
      names.length === people.length &&
      names.every((name, i) => plain(name).includes(plain(people[i].family ?? people[i].literal)));
    if (!same && names.length === 1) counts.whole += 1;
    else {
      assert.ok(same, `${work}: ${text} becomes ${names.join(" and ")}`);
      counts.right += 1;
    }
  }
}
console.log("fields of several people:", counts);
assert.ok(counts.right > 450 && counts.whole < 0.1 * counts.right);
assert.deepEqual([...namesOf("Smola, A. J., Jr. & van der Maaten, L., et al.")],
  ["Smola, Jr., A. J.", "van der Maaten, L.", "others"]);
assert.equal(namesOf("Deng, Jia, Wei Dong, Socher"), null);
