// The playground: reads a table of names or sentences with scores, labels them with the library that
// the page contains, and writes the code that does the same. The first part needs no page, and the
// tests run it in Node; the second part is the page.
"use strict";

const EXAMPLES = [
  {
    name: "A table of names",
    text: `document,name,label,confidence
memo,Jordan,PERSON,0.93
memo,Jordan,PERSON,0.88
memo,Jordan,PLACE,0.58
memo,Paris,PLACE,0.91
memo,Paris,PERSON,0.55
memo,Paris,PLACE,0.84
report,Jordan,PLACE,0.95
report,Jordan,PLACE,0.90
report,Jordan,PERSON,0.60`,
    strength: 1,
    words: true,
  },
  {
    name: "Sentences with scores",
    text: `word O PLACE PERSON
in 2.0 0.1 0.2
Washington 0.1 2.2 0.4

near 1.8 0.3 0.1
Washington 0.2 1.9 0.5

says 1.9 0.2 0.7
Washington 0.1 1.0 1.3`,
    strength: 1,
    words: true,
    without: "O",
  },
  {
    name: "A list of references",
    text: `word Title Venue Other
@ Title 0.6 0.2 0.2
@ Venue -0.5 0.6 0.2
@ Other -0.5 0.1 0.4
Markov 3.0 0.2 0.4
fields 2.6 0.4 0.3
JMLR 0.3 2.8 0.5
2001 0.1 0.6 2.9

Tree 2.8 0.3 0.2
kernels 2.5 0.9 0.2
ICML 0.4 2.4 0.6
2003 0.1 0.4 2.7

Graph 2.9 0.1 0.5
cuts 2.2 0.8 0.4
PAMI 0.2 2.6 0.7
2004 0.2 0.5 2.8

Active 2.7 0.4 0.3
learning 2.4 0.6 0.5
JAIR 0.4 1.6 2.0
1996 0.3 0.9 2.1

Skip 2.6 0.3 0.4
chains 2.3 0.5 0.6
Workshop 1.9 1.6 0.4
2005 0.2 0.7 2.4`,
    strength: 2,
    words: false,
    after: "Title",
  },
  {
    name: "A sure exception",
    text: `document,name,label,confidence
list,May,MONTH,0.90
list,May,MONTH,0.85
list,May,MONTH,0.80
list,May,PERSON,0.99
list,May,PERSON,0.55`,
    strength: 1,
    words: true,
  },
];

/** An error of the text, with the number of its line from 1. */
class TextError extends Error {
  constructor(line, rule) {
    super(`line ${line}: ${rule}`);
  }
}

/**
 * Reads a text: { table, names, sentences: [{ group, line, words, scores }], transitions }. A table
 * begins with a line with commas or tabs; each row becomes a sentence of one word.
 */
function parse(text) {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  const first = lines.findIndex((line) => line.trim());
  if (first < 0) throw new TextError(1, "there is no text");
  const separator = lines[first].includes("\t") ? "\t" : ",";
  return lines[first].includes(separator)
    ? parseTable(lines, first, separator)
    : parseScores(lines, first);
}

function parseTable(lines, first, separator) {
  const cells = (line) => line.split(separator).map((cell) => cell.trim());
  const header = cells(lines[first]).map((name) => name.toLowerCase());
  const column = (...names) => header.findIndex((name) => names.includes(name));
  const key = column("name", "key", "word", "mention");
  const label = column("label", "type");
  const confidence = column("confidence", "sure", "probability", "score");
  const group = column("document", "group", "page");
  if (key < 0 || label < 0)
    throw new TextError(first + 1, "a table needs columns named name and label");
  const rows = [];
  lines.forEach((line, index) => {
    if (index <= first || !line.trim()) return;
    const row = cells(line);
    const told = confidence < 0 ? 0.8 : Number(row[confidence]);
    if (!row[label]) throw new TextError(index + 1, "there is no label");
    if (!(told >= 0 && told <= 1) || (confidence >= 0 && row[confidence] === ""))
      throw new TextError(index + 1, `confidence is "${row[confidence]}", not from 0 to 1`);
    rows.push({ line: index + 1, word: row[key] || null, label: row[label], told, group: row[group] ?? "" });
  });
  const names = [...new Set(rows.map((row) => row.label))];
  if (!rows.length) throw new TextError(first + 1, "the table has no rows");
  const least = 1e-6; // of a probability, so that its logarithm is finite
  const sentences = rows.map((row) => {
    const p = Math.min(Math.max(row.told, least), 1 - least);
    const other = Math.log(names.length > 1 ? (1 - p) / (names.length - 1) : 1);
    const scores = names.map((name) => rounded(name === row.label ? Math.log(p) : other));
    return { group: row.group, line: row.line, words: [row.word], scores: [scores] };
  });
  return { table: true, names, sentences, transitions: null };
}

function parseScores(lines, first) {
  const names = lines[first].trim().split(/\s+/).slice(1);
  if (!names.length)
    throw new TextError(first + 1, 'the first line is "word" and the names of the labels');
  const numbers = (cells, index) => {
    const found = cells.map(Number);
    if (found.length !== names.length)
      throw new TextError(index + 1, `${found.length} scores for ${names.length} labels`);
    const wrong = found.findIndex((number) => Number.isNaN(number) || number === Infinity);
    if (wrong >= 0) throw new TextError(index + 1, `"${cells[wrong]}" is no score`);
    return found;
  };
  let transitions = null;
  let document = 0;
  let open = null;
  const sentences = [];
  lines.forEach((line, index) => {
    if (index <= first) return;
    const cells = line.trim().split(/\s+/);
    if (!cells[0]) open = null;
    else if (cells[0] === "#") {
      document += 1;
      open = null;
    } else if (cells[0] === "@") {
      const from = names.indexOf(cells[1]);
      if (from < 0) throw new TextError(index + 1, `"${cells[1] ?? ""}" is no label`);
      transitions ??= names.map(() => names.map(() => 0));
      transitions[from] = numbers(cells.slice(2), index);
    } else {
      if (!open) {
        open = { group: `document ${document}`, line: index + 1, words: [], scores: [] };
        sentences.push(open);
      }
      open.words.push(cells[0]);
      open.scores.push(numbers(cells.slice(1), index));
    }
  });
  if (!sentences.length) throw new TextError(first + 1, "there are no words");
  return { table: false, names, sentences, transitions };
}

/** To six digits, so that the code has short numbers and the same ones as the page. */
const rounded = (number) => Number(number.toPrecision(6));

/** What both the page and the code pass to `decode`. */
function settings(data, state) {
  const fold = (word) => (word !== null && state.fold ? word.toLowerCase() : word);
  return {
    words: data.sentences.map((sentence) => sentence.words.map(fold)),
    groups: state.across ? null : data.sentences.map((sentence) => sentence.group),
    uncounted: [data.names.indexOf(state.without)].filter((label) => label >= 0),
    after: data.names.indexOf(state.after),
    strength: state.strength,
  };
}

/**
 * Labels what was parsed. state: { strength (null: found), words, fold, across, without, after,
 * once }. once: each label in at most one stretch of a sentence. rules: those of the library.
 */
function solve(chorale, rules, data, state) {
  const set = settings(data, state);
  const strength = set.strength ?? "auto";
  const agree = state.words ? [["words", strength]] : [];
  let property = null;
  if (set.after >= 0) {
    property = chorale.createNextLabel(data.names.length, set.after, { endsAtIgnored: true, endValue: data.names.length });
    agree.push([property, strength]);
  }
  try {
    return chorale.decode(
      data.sentences.map((sentence) => sentence.scores),
      {
        transitions: data.transitions,
        tokens: set.words,
        groups: set.groups ?? undefined,
        agree,
        uncounted: set.uncounted,
        ...(state.once ? { rules: [rules.once()], names: data.names } : {}),
        boundSteps: 40,
      },
    );
  } finally {
    property?.close();
  }
}

// ---- Code ---------------------------------------------------------------------------------------

const list = (items) => `[${items.join(", ")}]`;
const quoted = (text) => (text === null ? "None" : JSON.stringify(text));
const pythonRow = (row) => list(row.map((number) => (number === -Infinity ? 'float("-inf")' : number)));

/** The same as `solve` in Python. */
function python(data, state) {
  const set = settings(data, state);
  const strength = set.strength ?? '"auto"';
  const agree = [];
  if (state.words) agree.push(`("words", ${strength})`);
  if (set.after >= 0) agree.push(`(after, ${strength})`);
  const property =
    set.after < 0
      ? ""
      : `# What stands after each segment of ${data.names[set.after]}.
after = ch.Property.next_label(len(names), ${set.after}, rule="ends_at_ignored", end_value=len(names))
`;
  const rows = data.sentences.map((s, i) => `    (${list(set.words[i].map(quoted))}, ${list(s.scores.map(pythonRow))}),`);
  return `import libchorale as ch

names = ${JSON.stringify(data.names)}
sentences = [  # words, and for each word the score of each label
${rows.join("\n")}
]
${data.transitions ? `transitions = ${list(data.transitions.map(pythonRow))}\n` : ""}${property}result = ch.decode(
    [scores for _, scores in sentences],${data.transitions ? "\n    transitions," : ""}
    tokens=[words for words, _ in sentences],${set.groups ? `\n    groups=${JSON.stringify(set.groups)},` : ""}
    agree=${list(agree)},
    uncounted=${list(set.uncounted)},${state.once ? "\n    rules=[ch.rules.once()]," : ""}
    bound_steps=40,
)
for labels in result.labels:
    print(*(names[label] for label in labels))
`;
}

/** The same in JavaScript, for Node or a page. */
function javascript(data, state) {
  const set = settings(data, state);
  const strength = set.strength ?? '"auto"';
  const agree = [];
  if (state.words) agree.push(`["words", ${strength}]`);
  if (set.after >= 0) agree.push(`[after, ${strength}]`);
  const rows = data.sentences.map((s, i) => `  [${JSON.stringify(set.words[i])}, ${list(s.scores.map(list))}],`);
  return `import { load${state.once ? ", rules" : ""} } from "libchorale";

const chorale = await load();
const names = ${JSON.stringify(data.names)};
const sentences = [ // words, and for each word the score of each label
${rows.join("\n")}
];
${
  set.after < 0
    ? ""
    : `// What stands after each segment of ${data.names[set.after]}.
const after = chorale.createNextLabel(names.length, ${set.after}, { endsAtIgnored: true, endValue: names.length });
`
}const { labels } = chorale.decode(sentences.map(([, scores]) => scores), {
${data.transitions ? `  transitions: ${list(data.transitions.map(list))},\n` : ""}  tokens: sentences.map(([words]) => words),
${set.groups ? `  groups: ${JSON.stringify(set.groups)},\n` : ""}  agree: ${list(agree)},
  uncounted: ${list(set.uncounted)},${state.once ? "\n  rules: [rules.once()]," : ""}
  boundSteps: 40,
});
for (const row of labels) console.log([...row].map((label) => names[label]).join(" "));
`;
}

/** The same in C. */
function c(data, state) {
  const set = settings(data, state);
  const number = (value) => (value === -Infinity ? "-INFINITY" : Number.isInteger(value) ? value.toFixed(1) : `${value}`);
  const ids = new Map();
  const id = (word) => (word === null ? -1 : (ids.get(word) ?? (ids.set(word, ids.size), ids.size - 1)));
  const groupIds = [...new Set(set.groups ?? [])];
  const offsets = [0];
  for (const { words } of data.sentences) offsets.push(offsets.at(-1) + words.length);
  const agreements = [];
  const given = set.strength === null ? "0" : number(set.strength); // 0: found from the scores
  const any = set.strength !== 0;
  if (state.words && any) agreements.push(`{.struct_size = sizeof(chorale_agreement), .kind = CHORALE_AGREE_WORDS, .minimum = 2, .strength = ${given}}`);
  if (set.after >= 0 && any)
    agreements.push(
      `{.struct_size = sizeof(chorale_agreement), .kind = CHORALE_AGREE_PROPERTY, .minimum = 2, .property = after, .strength = ${given}}`,
    );
  const scores = data.sentences.flatMap((s, i) =>
    s.scores.map((row, t) => `    {${row.map(number).join(", ")}}, /* ${(s.words[t] ?? "").replaceAll("*/", "* /")} */`),
  );
  const m = data.names.length;
  const total = offsets.at(-1);
  return `#include <chorale/chorale.h>
${state.once ? "#include <chorale/rules.h>\n" : ""}#include <math.h>
#include <stdio.h>

static int failed(const chorale_error *error) {
  fprintf(stderr, "%s\\n", error->message);
  return 1;
}

int main(void) {
  const char *const names[] = {${data.names.map((name) => JSON.stringify(name)).join(", ")}};
  const double scores[${total}][${m}] = {
${scores.join("\n")}
  };
  const int64_t offsets[] = {${offsets.join(", ")}}; /* where sentences begin */
  const int32_t tokens[] = {${set.words.flat().map(id).join(", ")}}; /* equal words, equal numbers */
${set.groups ? `  const int64_t groups[] = {${set.groups.map((group) => groupIds.indexOf(group)).join(", ")}}; /* documents */\n` : ""}${set.uncounted.length ? `  const int32_t uncounted[] = {${set.uncounted.join(", ")}};\n` : ""}  chorale_error error;
${
  data.transitions
    ? `  const double edges[${m}][${m}] = {${data.transitions.map((row) => `{${row.map(number).join(", ")}}`).join(", ")}};
  chorale_transitions *transitions = NULL;
  if (chorale_transitions_create(NULL, ${m}, edges, NULL, &transitions, &error))
    return failed(&error);
`
    : ""
}${
    set.after < 0
      ? ""
      : `  /* What stands after each segment of ${data.names[set.after]}. */
  const chorale_label_map map = {.struct_size = sizeof(chorale_label_map), .labels = ${m}, .kinds = ${m}};
  chorale_property *after = NULL;
  if (chorale_property_create_next_label(NULL, &map, ${set.after}, NULL, CHORALE_SEGMENT_ENDS_AT_IGNORED, ${m}, &after, &error))
    return failed(&error);
`
  }  const chorale_corpus corpus = {
      .struct_size = sizeof(chorale_corpus), .chains = ${data.sentences.length}, .offsets = offsets, .labels = ${m}, .unary = scores,
      .tokens = tokens${data.transitions ? ", .transitions = transitions" : ""}${set.groups ? ", .groups = groups" : ""}${set.uncounted.length ? `,\n      .uncounted = uncounted, .uncounted_count = ${set.uncounted.length}` : ""}};
  const chorale_agreement agreements[] = {
      ${agreements.join(",\n      ") || "{0}"}};
${
    state.once
      ? `  /* Each label in at most one stretch of a sentence. */
  const chorale_rule once = {.struct_size = sizeof(chorale_rule), .each = 1};
  const chorale_rules rules = {.struct_size = sizeof(chorale_rules), .rules = &once, .count = 1};
  const chorale_run_options options = {.struct_size = sizeof(chorale_run_options), .rules = &rules};
`
      : ""
  }  chorale_decoded *decoded = NULL;
  int32_t labels[${total}];
  if (chorale_decode(NULL, &corpus, agreements, ${agreements.length}, ${state.once ? "&options" : "NULL"}, &decoded, &error) ||
      chorale_decoded_labels(decoded, CHORALE_TOGETHER, labels, ${total}, NULL, &error))
    return failed(&error);
  for (int i = 0; i < ${data.sentences.length}; ++i)
    for (int64_t p = offsets[i]; p < offsets[i + 1]; ++p)
      printf("%s%c", names[labels[p]], p + 1 < offsets[i + 1] ? ' ' : '\\n');
  chorale_decoded_destroy(decoded);
${set.after < 0 ? "" : "  chorale_property_release(after);\n"}${data.transitions ? "  chorale_transitions_release(transitions);\n" : ""}  return 0;
}
`;
}

globalThis.choralePlayground = { EXAMPLES, parse, solve, python, javascript, c };

// ---- The page -----------------------------------------------------------------------------------

if (globalThis.document?.getElementById("playground")) {
  const element = (id) => document.getElementById(`play-${id}`);
  const make = (tag, text, className) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  let chorale = null;
  let language = "python";

  const read = () => ({
    text: element("text").value,
    strength: element("auto").checked ? null : Number(element("strength").value),
    words: element("words").checked,
    fold: element("fold").checked,
    across: element("across").checked,
    once: element("once").checked,
    without: element("without").value,
    after: element("after").value,
  });
  const write = (state) => {
    element("text").value = state.text;
    element("auto").checked = state.strength === null;
    element("strength").value = state.strength ?? 1;
    element("words").checked = state.words !== false;
    element("fold").checked = Boolean(state.fold);
    element("across").checked = Boolean(state.across);
    element("once").checked = Boolean(state.once);
    for (const name of ["without", "after"]) {
      const wanted = state[name] ?? "";
      element(name).replaceChildren(new Option("none", ""), ...(wanted ? [new Option(wanted, wanted)] : []));
      element(name).value = wanted;
    }
  };
  const encoded = (state) =>
    btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(state))))
      .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const decodedState = (text) =>
    JSON.parse(
      new TextDecoder().decode(
        Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0)),
      ),
    );

  /** Lists the labels in both selections, and keeps what is selected if there is such a label. */
  const list_labels = (names) => {
    for (const name of ["without", "after"]) {
      const now = element(name).value;
      element(name).replaceChildren(new Option("none", ""), ...names.map((label) => new Option(label, label)));
      element(name).value = names.includes(now) ? now : "";
    }
  };

  const colours = (names) => new Map(names.map((name, index) => [name, `label-${index % 6}`]));

  const evidence = (data, reasons) =>
    reasons
      .map((reason) => {
        const shown = (value) => data.names[value] ?? ["the end", "nothing", "several"][value - data.names.length];
        const what = reason.position < 0 ? "other lines show" : "others are";
        return `${reason.agreeing} of ${reason.others} ${what} ${shown(reason.value)} (${reason.agreeingBefore} were): worth ${reason.amount.toFixed(2)}`;
      })
      .join("; ");

  const broken = ({ state, conflicts, reasons }) =>
    state === "impossible"
      ? [`no labels keep ${conflicts.join(" and ")}`]
      : reasons.map((reason) => `${reason.told}: costs ${reason.cost.toFixed(2)}`);

  const show = (data, found) => {
    const colour = colours(data.names);
    const table = make("table", undefined, "labels");
    const head = make("tr");
    for (const title of data.table ? ["document", "name", "label", "together", "why"] : ["sentence", "why"]) {
      const cell = make("th", title);
      cell.scope = "col";
      head.append(cell);
    }
    table.append(make("caption", "Labels"), make("thead"), make("tbody"));
    table.tHead.append(head);
    const changed = new Map(found.changed.map((change) => [change.chain, change]));
    const tag = (label, className = "") => make("span", label < 0 ? "left out" : data.names[label], `tag ${className} ${colour.get(data.names[label]) ?? ""}`);
    const ruled = new Map(found.ruled.map((of) => [of.chain, [...new Set(broken(of))]]));
    const missing = new Map(found.leftOut.map((chain) => [chain.chain, chain.obstacle]));
    data.sentences.slice(0, 300).forEach((sentence, number) => {
      const row = make("tr");
      const own = found.alone[number];
      const now = found.labels[number];
      const because = missing.has(number)
        ? `left out: ${missing.get(number)} forbid every labelling`
        : [evidence(data, changed.get(number)?.reasons ?? []), ...(ruled.get(number) ?? [])].filter(Boolean).join("; ");
      if (data.table) {
        row.append(make("td", sentence.group), make("td", sentence.words[0] ?? ""));
        row.append(make("td"), make("td"), make("td", because));
        row.cells[2].append(tag(own[0]));
        row.cells[3].append(tag(now[0], own[0] === now[0] ? "" : "new"));
      } else {
        const words = make("td");
        sentence.words.forEach((word, t) => {
          const part = make("span", undefined, "word");
          part.append(make("span", word), own[t] === now[t] ? "" : make("s", data.names[own[t]] ?? ""), tag(now[t], own[t] === now[t] ? "" : "new"));
          words.append(part, " ");
        });
        row.append(words, make("td", because || (changed.has(number) ? "follows from its neighbours" : "")));
      }
      if (changed.has(number)) row.className = "changed";
      table.tBodies[0].append(row);
    });
    element("result").replaceChildren(table);
    if (data.sentences.length > 300) element("result").append(make("p", `and ${data.sentences.length - 300} more`));
  };

  let shared = 0;
  const update = () => {
    if (!chorale) return;
    const state = read();
    element("strength").disabled = state.strength === null;
    try {
      const begin = performance.now();
      const data = parse(state.text);
      list_labels(data.names);
      const labelled = read();
      const found = solve(chorale, libchorale.rules, data, labelled);
      const took = performance.now() - begin;
      show(data, found);
      const places = found.labels.flatMap((row, i) => [...row].filter((label, t) => label !== found.alone[i][t])).length;
      const { score, ownScore, upperBound, proven } = found.result;
      const strengths = [...new Set(found.strengths.map((value) => value.toFixed(2)))].join(", ");
      element("value").textContent = labelled.strength === null ? (strengths || "none") : labelled.strength.toFixed(2);
      element("status").textContent =
        `${places} of ${found.labels.reduce((sum, row) => sum + row.length, 0)} labels change. ` +
        `Score ${score.toFixed(2)}, one by one ${ownScore.toFixed(2)}. ` +
        (proven ? "Proven: no labels score more." : `No labels score more than ${upperBound.toFixed(2)}.`);
      element("time").textContent = `${took.toFixed(0)} ms`;
      element("status").classList.remove("wrong");
      element("code").textContent = { python, javascript, c }[language](data, labelled);
    } catch (error) {
      element("status").textContent = error.message;
      element("status").classList.add("wrong");
      element("time").textContent = "";
    }
    clearTimeout(shared);
    shared = setTimeout(() => history.replaceState(null, "", `#s=${encoded(read())}`), 300);
  };

  const copy = async (text, button) => {
    const before = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed here: select and copy";
    }
    setTimeout(() => (button.textContent = before), 1500);
  };

  for (const [number, example] of EXAMPLES.entries()) {
    const button = make("button", example.name, "md-button");
    button.type = "button";
    button.addEventListener("click", () => {
      write(EXAMPLES[number]);
      update();
    });
    element("examples").append(button);
  }
  for (const id of ["text", "strength", "auto", "words", "fold", "across", "once", "without", "after"])
    element(id).addEventListener("input", update);
  for (const radio of document.getElementsByName("play-language"))
    radio.addEventListener("change", () => {
      language = radio.value;
      update();
    });
  element("link").addEventListener("click", () => {
    history.replaceState(null, "", `#s=${encoded(read())}`);
    copy(location.href, element("link"));
  });
  element("copy").addEventListener("click", () => copy(element("code").textContent, element("copy")));

  let begun = EXAMPLES[0];
  try {
    if (location.hash.startsWith("#s=")) begun = decodedState(location.hash.slice(3));
  } catch {
    element("status").textContent = "The link is damaged; here is an example.";
  }
  write(begun);
  libchorale.load().then(
    (loaded) => {
      chorale = loaded;
      update();
    },
    (error) => {
      element("status").textContent = `This browser cannot run the library: ${error.message}`;
      element("status").classList.add("wrong");
    },
  );
}
