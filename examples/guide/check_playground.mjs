// Prints what the playground shows for its examples, and the code that it writes, as JSON:
// [{ name, milliseconds, printed, python, javascript, c }].
//
//     check_playground.mjs PACKAGE
import { pathToFileURL } from "node:url";

const { load, rules } = await import(pathToFileURL(`${process.argv[2]}/src/index.js`));
await import("./docs/assets/playground.js");
const { EXAMPLES, parse, solve, ...code } = globalThis.choralePlayground;
const chorale = await load();

const states = EXAMPLES.flatMap((example) => [
  example,
  { ...example, name: `${example.name}, strength found`, strength: null },
]);
const [names, sentences, references] = EXAMPLES;
states.push(
  { ...names, name: "across documents", across: true, fold: true },
  { ...names, name: "no agreement", strength: 0 },
  { ...sentences, name: "forbidden", text: sentences.text.replace("says 1.9", "says -Infinity") },
  { ...sentences, name: "nothing left out", without: "", strength: 2.5 },
  // The last word of the first reference would be a second title.
  { ...references, name: "each label once", text: references.text.replace("2001 0.1 0.6 2.9", "2001 6 0.1 0.6"), once: true },
);

// Milliseconds of processor time, which does not depend on what else the machine does.
const spent = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const cases = states.map((state) => {
  const data = parse(state.text);
  let milliseconds = Infinity; // the least of five: the first calls compile
  let found;
  for (let round = 0; round < 5; ++round) {
    const begin = spent();
    found = solve(chorale, rules, data, state);
    milliseconds = Math.min(milliseconds, spent() - begin);
  }
  const printed = found.labels.map((row) => [...row].map((label) => data.names[label]).join(" ") + "\n").join("");
  const written = Object.fromEntries(Object.entries(code).map(([language, write]) => [language, write(data, state)]));
  return { name: state.name, milliseconds, printed, ...written };
});

// Texts that cannot be read are refused with the number of a line.
for (const [text, line] of [["", 1], ["name,label\nJordan,", 2], ["name,label,confidence\nJordan,A,1.5", 2], ["word A B\nin 1", 2], ["word A\nin x", 2], ["word A B\n@ C 1 2\nin 1 2", 2]]) {
  let message = "";
  try {
    parse(text);
  } catch (error) {
    message = error.message;
  }
  if (!message.startsWith(`line ${line}: `)) throw new Error(`"${text}" gives "${message}"`);
}
console.log(JSON.stringify(cases));
