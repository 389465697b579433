#!/usr/bin/env python3
"""Compares ways to mask names of persons: does a name leak at some places of a document?

    names_masked.py [--data FOLDER] [--cache FOLDER] [--only NAME...] [--splits N...] [--page FILE]

A row is a place of a *name word*: a token with at least two letters and a capital in front that is
no title (TITLES), and that the set's text has more often than the same token in small letters. A
place must be masked if it lies in a gold entity of type PER; its probability is that of the labels
of PER by the tagger. Compared are:

- the tagger alone (its best labelling);
- the two usual second passes over a document: the text of a name that was found once is masked
  everywhere, or each of its name words is;
- agreement: `libchorale.agree` over all places in a document of words that the tagger found in it
  at least once;
- the control: the same without agreement (strength 0).

Agreement learns two numbers: its strength (STRENGTHS), and a shift of the logarithms of all odds
(SHIFTS), by which it masks more readily. In the documents to learn from, the words that it masks
must be more precise than the tagger's by a standard error. Of the pairs that remain, the one with
the fewest leaks is taken; a word that leaks in part counts once more. Prints Markdown tables;
--page writes the first set and split as a problem file for `chorale report`.
"""

from collections import Counter

import libchorale as ch
import numpy as np

import measure
import spans
from report import markdown_table
from spans import NONE, Key, grouped

SETS = ("wikigold", "litbank")
PERSON = "PER"
LABELS = [PERSON, NONE]
KEY = Key("name", False)
SHIFTS, STRENGTHS = [0.25 * k for k in range(17)], [0.5, 1.0, 2.0, 4.0]
TITLES = set("Mr Mrs Ms Miss Sir Lady Lord Dr St Madame Captain Colonel King Queen Prince Princess".split())
METHODS = ("alone", "deny list, names", "deny list, words", "control", "agreement")
COUNTS = ("partial leaks", "leaks", "words masked wrongly", "words masked")


def name_words(data):
    """Returns the tokens of a set that are name words."""
    tokens = Counter(token for record in data.records for token in record.tokens)
    lower = Counter(token for token in tokens.elements() if token.islower())
    return {token for token, count in tokens.items()
            if token[0].isupper() and sum(map(str.isalpha, token)) > 1 and token.strip(".") not in TITLES
            and count > lower[token.lower()]}


def rows_of(loaded, scored):
    """Returns the table of scored records. found: whether the tagger has a person at the place;
    denied: whether the place is in the text of a person that the tagger found in the document;
    once: whether the tagger found the word at some place of the document."""
    data, types, wanted = loaded.data, spans.Types(loaded.data), name_words(loaded.data)
    person = [k == PERSON for k in types.of_label]
    persons, texts = [], {}
    for r, own in zip(scored.records, scored.own):
        persons.append([span for span, kind in types.spans(own).items() if kind == PERSON])
        tokens = data.records[r].tokens
        texts.setdefault(data.records[r].group, set()).update(
            tuple(tokens[s:e]) for s, e in persons[-1] if wanted.intersection(tokens[s:e]))
    rows = []
    for k, r in enumerate(scored.records):
        record = data.records[r]
        places = [t for t, token in enumerate(record.tokens) if token in wanted]
        if not places:
            continue
        marginals = spans.Marginals(scored.unary[k], scored.transitions[k])
        found = {t for span in persons[k] for t in range(*span)}
        denied = {t for span in spans.occurrences(record.tokens, texts[record.group], set())
                  for t in range(*span)}
        for t in places:
            sure = float(marginals.labels(t)[person].sum())
            rows.append({"document": record.group, "record": r, "start": t, "end": t + 1,
                         "name": record.tokens[t].lower(), "found": t in found, "denied": t in found | denied,
                         "gold": PERSON if person[record.labels[t]] else NONE, PERSON: min(1.0, sure)})
    once = {KEY.of(row) for row in rows if row["found"]}
    return [{**row, "once": KEY.of(row) in once} for row in rows]


def leaks(rows, masked):
    """Returns [partial leaks, leaks, words masked wrongly, words masked]. A leak is a place that
    must be masked and is not. A partial leak is a name word of a document that is masked at some,
    but not all, of its places there that must be masked."""
    names = grouped(rows, lambda row: (row["document"], row["name"], row["gold"]), masked)
    right = {name: of for name, of in names.items() if name[2] == PERSON}
    wrong = sum(sum(of) for name, of in names.items() if name[2] != PERSON)
    return np.array([sum(any(of) and not all(of) for of in right.values()),
                     sum(len(of) - sum(of) for of in right.values()), wrong, sum(masked)])


def shifted(rows, shift):
    """Returns the rows of words found once, with their odds multiplied by e^shift."""
    made = []
    for row in rows:
        if row["once"]:
            sure = row[PERSON] * np.exp(shift) / (row[PERSON] * np.exp(shift) + 1 - row[PERSON])
            made.append({**row, PERSON: sure, NONE: 1 - sure})
    return made


def agreed(rows, shift, strength):
    """Returns two lists: by row, whether it is masked; and what `agree` found for the rows of words
    found once."""
    table = shifted(rows, shift)
    found = ch.agree(table, key=KEY.column, group="document", confidence={y: y for y in LABELS}, strength=strength,
                     progress=False)
    labels = iter([row["together"] for row in found])
    return [row["once"] and next(labels) == PERSON for row in rows], found


def ahead(rows, masked, others):
    """Returns by how much the precision of `masked` exceeds that of `others`, and the standard
    error of this difference, by the jackknife over documents."""
    parts = grouped(rows, lambda row: row["document"], list(zip(rows, masked, others)))
    counts = []
    for part in parts.values():
        of_document, mine, theirs = zip(*part)
        counts.append([leaks(of_document, answer)[2:] for answer in (mine, theirs)])
    counts = np.array(counts)  # documents x 2 x (wrong, masked)
    rest = counts.sum(axis=0) - counts
    sums = np.concatenate([rest, counts.sum(axis=0)[None]])
    share = 1 - sums[..., 0] / np.maximum(1, sums[..., 1])
    change = share[:, 0] - share[:, 1]
    return change[-1], np.sqrt((len(counts) - 1) * change[:-1].var())


def chosen(rows, strengths):
    """Returns the (shift, strength) that is best on rows to learn from; the first pair if none is
    precise enough."""
    best, found = None, [row["found"] for row in rows]
    for strength in strengths:
        for shift in SHIFTS:
            masked, _ = agreed(rows, shift, strength)
            gain, error = ahead(rows, masked, found)
            cost = sum(leaks(rows, masked)[:2])
            if gain >= error and (best is None or cost < best[0]):
                best = cost, shift, strength
    return (SHIFTS[0], strengths[0]) if best is None else best[1:]


def point(this, name, number):
    """Measures one split: {method: what `leaks` counts, by document}, and what a page is made
    of."""
    data, learning, rows, groups = spans.parts(this, name, number, rows_of)
    set_to = {"control": chosen(learning, [0.0]), "agreement": chosen(learning, STRENGTHS)}
    masked, found = agreed(rows, *set_to["agreement"])
    answers = {
        "alone": [row["found"] for row in rows],
        "deny list, names": [row["denied"] for row in rows],
        "deny list, words": [row["once"] for row in rows],
        "control": agreed(rows, *set_to["control"])[0],
        "agreement": masked,
    }
    tables = {}
    for method, masked in answers.items():
        parts = grouped(rows, lambda row: row["document"], list(zip(rows, masked)))
        tables[method] = [leaks(*zip(*parts[group])) if group in parts else np.zeros(4, int)
                          for group in groups.tolist()]
    result = {"groups": groups.tolist(), "tables": tables, "rows": len(rows), "set to": set_to["agreement"]}
    return result, (data, rows, found, answers, set_to["agreement"])


def precision(counts):
    return 100 * (1 - counts[2] / max(1, counts[3]))


def documents(results, method):
    """Returns the counts of each document, averaged over the splits that tested it."""
    found = {}
    for result in results:
        for group, of in zip(result["groups"], result["tables"][method]):
            found.setdefault(group, []).append(of)
    return np.array([np.mean(of, axis=0) for _, of in sorted(found.items())])


def rows_of_table(results):
    """Returns a row of the table of results for each method. The last cells are the p of paired
    tests over documents, of agreement against the method."""
    sums = {method: [sum(r["tables"][method]) for r in results] for method in METHODS}
    base, ours, made = np.sum(sums["alone"], axis=0), documents(results, "agreement"), []
    for method in METHODS:
        mean, theirs = np.mean(sums[method], axis=0), documents(results, method)
        tests = ["" if method == "agreement" else "%.1g" % measure.paired_p(ours[:, k], theirs[:, k])
                 for k in range(3)]
        made.append([method, *("%.1f" % value for value in mean),
                     "%+.0f %%" % (100 * (np.sum(sums[method], axis=0)[0] / max(1, base[0]) - 1)),
                     "%.2f" % np.mean([precision(of) for of in sums[method]]), *tests])
    return made


HEADS = ["", *COUNTS, "partial leaks, against alone", "precision",
         *(f"p of agreement against it: {name}" for name in COUNTS[:3])]


def page(name, number, shown, summary):
    """Returns the problem file of a split. Words that the tagger found nowhere in a document are
    not masked."""
    data, rows, found, answers, (shift, strength) = shown
    at = {(row["record"], row["start"]): row for row in found}
    words = [at.get((row["record"], row["start"]), {**row, "fixed": True}) for row in rows]
    beside = []
    for row, denied, ours in zip(words, answers["deny list, words"], answers["agreement"]):
        told = [f"{row['together']} {row['probability']:.2f}"] if row.get("changed") else []
        told += ["masked by the deny list"] if denied and not ours else []
        token = data.records[row["record"]].tokens[row["start"]]
        beside.append(f"{token}: {', '.join(told)}" if told else None)
    notes = {"title": f"Names of persons in {name}, to be masked at every place",
             "what": "Words with a capital in front; PER: part of a person's name, to be masked. Alone: by the "
                     "tagger's odds, shifted. Beside a sentence stands how probable a label is that has changed, "
                     "and what the deny list masks and agreement leaves clear.",
             "rules": summary, "learnt": f"log odds {shift:+.2f}; strength {strength}",
             "licence": spans.SOURCES[name].licence,
             "made by": f"examples/experiments/names_masked.py --only {name} --splits {number}"}
    potential = ch.Potential.potts(len(LABELS), strength, scale="members")
    return spans.problem(data, words, LABELS, KEY, potential, notes, beside)


def main():
    options = spans.options(__doc__, SETS)
    for name in options.only:
        results, shown = [], None
        for number in options.splits:
            result, parts = point(options.this, name, number)
            results.append(result)
            shown = shown or parts
        print(f"\n{name}, splits {options.splits}: {sum(r['rows'] for r in results)} name words\n")
        table = rows_of_table(results)
        print(markdown_table(HEADS, table))
        print("\nSplit by split, partial leaks alone and by agreement, leaks, precision, shift and strength: "
              + "; ".join(
            "%d %d, %d %d, %.1f %.1f, %.2f and %g" % (
                *(sum(r["tables"][m])[k] for k in (0, 1) for m in ("alone", "agreement")),
                *(precision(sum(r["tables"][m])) for m in ("alone", "agreement")), *r["set to"])
            for r in results), flush=True)
        if options.page and name == options.only[0]:
            summary = "\n".join("%s: partial leaks %d, leaks %d, words masked wrongly %d of %d" % (
                method, *sum(results[0]["tables"][method])) for method in METHODS)
            page(name, options.splits[0], shown, summary).save(options.page)


if __name__ == "__main__":
    main()
