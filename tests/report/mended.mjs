#!/usr/bin/env node
// What correcting one record of a list mends, and how long it takes: the figures of
// src/command/README.md.
//
//   tests/report/mended.mjs REPORT      one made by `chorale report --library`; bindings/js is built
//
// On every list of the report, by the script of the report: for each of the five records with most
// errors its wrong words are named one by one, from the left, until none is left; then the record
// is as it was. Of these records the one counts that mends most beyond the words named. Times are
// of a processor.
import { readFileSync } from "node:fs";
import { runInThisContext } from "node:vm";
import { load } from "../../bindings/js/src/index.js";

const RECORDS = 5;
const script = new URL("../../src/command/html/labelling.js", import.meta.url);
const Labelling = runInThisContext(`${readFileSync(script, "utf8")}\nLabelling`);
const html = readFileSync(process.argv[2], "utf8");
const data = JSON.parse(html.match(/id="data">([^<]*)</)[1]);
const library = await load();
const labelling = new Labelling(data);
labelling.start(library);

const milliseconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const only = (gold) => labelling.names.map((_, label) => label === gold);
const wrongIn = (chain) =>
  labelling.positions(chain).filter((t) => labelling.isWrong(labelling.now, t));

const first = [];
const all = [];
const best = [];
labelling.pages.forEach(({ chains }, page) => {
  if (labelling.training.has(page)) return;
  labelling.open(page);
  const errors = () => chains.reduce((sum, chain) => sum + wrongIn(chain).length, 0);
  const had = errors();
  const hadIn = new Map(chains.map((chain) => [chain, wrongIn(chain).length]));
  const worst = chains.filter((chain) => hadIn.get(chain) > 0);
  worst.sort((a, b) => hadIn.get(b) - hadIn.get(a) || a - b);
  let most = null;
  for (const chain of worst.slice(0, RECORDS)) {
    const named = [];
    for (;;) {
      const position = wrongIn(chain).find((t) => !named.includes(t));
      if (position === undefined) break;
      const flags = only(labelling.gold[position]);
      const began = milliseconds();
      labelling.relabel(page, [{ position, flags }]);
      all.push(milliseconds() - began);
      if (most === null && named.length === 0) first.push(all.at(-1));
      named.push(position);
    }
    const gone = had - errors();
    const elsewhere = gone - (hadIn.get(chain) - wrongIn(chain).length);
    if (most === null || gone - named.length > most.gone - most.named)
      most = { page, named: named.length, gone, elsewhere, chain };
    labelling.relabel(page, named.map((position) => ({ position, flags: null })));
  }
  if (most !== null) best.push(most);
});

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
if (process.env.LISTS)
  for (const { page, chain, named, gone, elsewhere } of best.filter((b) => b.elsewhere > 0))
    console.log(`page ${page}, record ${labelling.problem.text("chains", chain)}: ${named} named, ${gone} gone, ` +
      `${elsewhere} of them in other records`);
