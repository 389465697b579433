#!/usr/bin/env node
// What correcting one record of a list mends, and how long it takes: the figures of
// src/command/README.md.
//
//   tests/report/mended.mjs REPORT      one made by `chorale report --library`; bindings/js is built
//
// On every list of the report, for each of the five records with most errors: its wrong words are
// named one by one, from the left, until none is left; then the record is as it was. Of these
// records the one counts that mends most beyond the words named. Times are of a processor.
import { readFileSync } from "node:fs";
import { load } from "../../bindings/js/src/index.js";

const RECORDS = 5;
const html = readFileSync(process.argv[2], "utf8");
const library = await load();

const milliseconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const first = [];
const all = [];
const best = [];
const parts = /<script type="application\/json" id="part\d+">([\s\S]*?)<\/script>/g;
for (const [, json] of html.matchAll(parts)) {
  const problem = library.readProblem(Buffer.from(JSON.parse(json).problem, "base64"));
  const model = problem.model();
  const { gold } = problem;
  const labelCount = problem.texts("labels").length;
  const begins = [0];
  for (let i = 0; i < model.chains; ++i) begins.push(begins[i] + model.chainLength(i));
  const wrongIn = (labels, i) => {
    const wrong = [];
    for (let at = begins[i]; at < begins[i + 1]; ++at)
      if (gold[at] >= 0 && gold[at] !== labels[at]) wrong.push(at);
    return wrong;
  };
  const errors = (labels) =>
    Array.from({ length: model.chains }, (_, i) => wrongIn(labels, i).length);
  const sum = (counts) => counts.reduce((a, b) => a + b, 0);

  const run = library.createRun(problem, { edits: true });
  run.solve();
  const before = run.allLabels();
  const had = errors(before);
  const worst = [...had.keys()].filter((i) => had[i] > 0).sort((a, b) => had[b] - had[a]);
  let most = null;
  for (const record of worst.slice(0, RECORDS)) {
    const named = [];
    let labels = before;
    for (;;) {
      const at = wrongIn(labels, record).find((place) => !named.includes(place));
      if (at === undefined) break;
      const allowed = Array.from({ length: labelCount }, (_, label) => label === gold[at]);
      const began = milliseconds();
      run.setAllowed(record, at - begins[record], allowed);
      run.solve();
      all.push(milliseconds() - began);
      if (first.length <= best.length && named.length === 0) first.push(all.at(-1));
      named.push(at);
      labels = run.allLabels();
    }
    const left = errors(labels);
    const gone = sum(had) - sum(left);
    const elsewhere = gone - (had[record] - left[record]);
    if (most === null || gone - 2 * named.length > most.gone - 2 * most.named)
      most = { named: named.length, gone, elsewhere };
    for (const at of named) run.setAllowed(record, at - begins[record], null);
    run.solve();
  }
  if (most !== null) best.push(most);
  run.close();
  model.close();
  problem.close();
}

const at = (values, share) => [...values].sort((a, b) => a - b)[Math.floor(values.length * share)];
const lists = (holds) => best.filter(holds).length;
console.log(`lists with errors                          ${best.length}`);
console.log(`more errors gone than words named          ${lists((b) => b.gone > b.named)}`);
console.log(`twice as many and more                     ${lists((b) => b.gone > 2 * b.named)}`);
console.log(`errors gone in other records               ${lists((b) => b.elsewhere > 0)}`);
console.log(`more of them than words named              ${lists((b) => b.elsewhere > b.named)}`);
for (const [name, times] of [["first corrections", first], ["all corrections", all]])
  console.log(
    `${name}: ${times.length}; ms ${at(times, 0.5).toFixed(1)} in the median, ` +
      `${at(times, 0.9).toFixed(1)} at the ninth decile, ${Math.max(...times).toFixed(1)} at most`,
  );
