// Checks that the tests call everything. Every member of a class must be declared in index.d.ts;
// every declared member must exist and have been called, and so must every function of the module.
//
//     node tests/called.mjs FILE      FILE: what the tests wrote (helpers.mjs)
import { readFileSync } from "node:fs";
import ts from "typescript";
import * as library from "../src/index.js";
import { layout } from "../dist/layout.js";

const called = new Set(readFileSync(process.argv[2], "utf8").split("\n"));
const read = (file) => readFileSync(new URL(`../types/${file}.d.ts`, import.meta.url), "utf8");
// Classes extend the interfaces XMethods of structs.d.ts.
const text = read("index") + read("structs").replaceAll(/interface (\w+)Methods/g, "class $1");
const source = ts.createSourceFile("all.d.ts", text, ts.ScriptTarget.Latest);
const faults = [];
const declared = new Map(); // by exported name: the members of a class; otherwise an empty set
for (const node of source.statements) {
  if (ts.isClassDeclaration(node)) {
    const members = node.members
      .filter((member) => !ts.isConstructorDeclaration(member))
      .map((member) => member.name.getText(source))
      .filter((name) => !name.startsWith("["));
    declared.set(node.name.text, new Set([...(declared.get(node.name.text) ?? []), ...members]));
  } else if (ts.isFunctionDeclaration(node)) declared.set(node.name.text, new Set());
  else if (ts.isVariableStatement(node))
    declared.set(node.declarationList.declarations[0].name.text, new Set());
}
for (const name of Object.keys(library))
  if (!declared.has(name)) faults.push(`${name} is exported and not declared`);
let count = 0;
for (const [name, members] of declared) {
  if (!(name in library)) faults.push(`${name} is declared and not exported`);
  const { prototype } = library[name] ?? {};
  if (!prototype || name === "ChoraleError") continue;
  const own = Object.getOwnPropertyNames(prototype).filter((member) => member !== "constructor");
  const data = name === "Chorale" ? ["simd"] : []; // a field of each object, not a method
  for (const member of own)
    if (!members.has(member)) faults.push(`${name}.${member} is there and not declared`);
  for (const member of members) {
    ++count;
    if (data.includes(member)) continue;
    if (!own.includes(member)) faults.push(`${name}.${member} is declared and not there`);
    else if (!called.has(`${name}.${member}`))
      faults.push(`${name}.${member} is called by no test`);
  }
}
for (const name of Object.keys(layout.functions))
  if (!called.has(name)) faults.push(`${name} of the module is called by no test`);
for (const fault of faults) console.error(fault);
console.log(
  `${count} members and ${Object.keys(layout.functions).length} functions of the module`,
);
process.exit(faults.length === 0 ? 0 : 1);
