#!/usr/bin/env python3
"""Compares ways to find the types of names: in a document, one name should have one type in all
sentences.

    types_across.py [--data FOLDER] [--cache FOLDER] [--only NAME...] [--splits N...] [--page FILE]

A mention is a row of `spans.rows_of`. Compared are:

- every mention alone;
- the majority of the name in the document, and in the corpus (all test documents);
- the canonical type: the commonest gold type of the name in the documents to learn from; other
  names stay alone;
- agreement by `libchorale.agree`;
- the majority by the key that agreement has chosen;
- the control: agreement learnt and applied after names have been exchanged.

Prints Markdown tables; --page writes the first set and split as a problem file for `chorale
report`.
"""

import numpy as np

import measure
import spans
from report import markdown_table
from spans import NONE, Key, grouped, most

SETS = ("wikigold", "litbank")
KEYS = [Key("name", False), Key("name", True), Key("head", False), Key("head", True)]
RULES = ("alone", "majority, document", "majority, corpus", "canonical", "majority, same key", "control")
METHODS = (*RULES, "agreement")
COUNTS = ("split", "in part", "merged")


def made(loaded, scored):
    return spans.rows_of(loaded.data, spans.Types(loaded.data), scored)


def homographs(rows, number):
    """Returns {name: surface form} for a harder version of the table, in which pairs of names look
    the same. Takes document after document. Shuffles the names of a document that are in no pair
    yet, and pairs each with the next one that has another commonest gold type. Both names of a pair
    get one surface form, in every document."""
    rng, joined = np.random.default_rng(5000 + number), {}
    entities = [row for row in rows if row["gold"] != NONE]
    kinds = grouped(entities, lambda row: row["name"], [row["gold"] for row in entities])
    kinds = {name: most(of) for name, of in kinds.items()}
    for _, document in sorted(grouped(entities, lambda row: row["document"]).items()):
        names = rng.permutation(sorted({row["name"] for row in document} - joined.keys())).tolist()
        while names:
            one = names.pop()
            other = next((name for name in reversed(names) if kinds[name] != kinds[one]), None)
            if other is not None:
                names.remove(other)
                joined[one] = joined[other] = f"{one} / {other}"
    return joined


def renamed(rows, joined):
    return [{**row, "name": joined[row["name"]], "head": joined[row["name"]]} if row["name"] in joined
            else row for row in rows]


def by_majority(rows, labels, key):
    votes = {name: most(of) for name, of in grouped(rows, key, labels).items()}
    return [votes[key(row)] for row in rows]


def by_canonical(learning, rows, labels):
    known = grouped(learning, lambda row: row["name"], [row["gold"] for row in learning])
    return [most(known[row["name"]]) if row["name"] in known else label for row, label in zip(rows, labels)]


def counts(rows, labels, gold, groups, kinds):
    """Returns counts in the form of `measure.f1`. gold: {group: the types of all its entities}."""
    table = np.zeros((len(groups), len(kinds), 3), dtype=np.int64)
    place = {int(group): k for k, group in enumerate(groups)}
    for group in place:
        for kind in gold.get(group, []):
            table[place[group], kinds.index(kind), measure.GOLD] += 1
    for row, label in zip(rows, labels):
        if label != NONE:
            at = table[place[row["document"]], kinds.index(label)]
            at[measure.PREDICTED] += 1
            at[measure.RIGHT] += label == row["gold"]
    return table


def entities(rows, labels):
    """Returns [split, in part, merged]. An entity here is the set of mentions of a name in a
    document that have the same gold type. split: entities given several types; in part: entities
    found at some places and missed at others; merged: names of a document that have several gold
    types and are given one."""
    found, split, part, merged = {}, 0, 0, 0
    for row, label in zip(rows, labels):
        if row["gold"] != NONE:
            found.setdefault((row["document"], row["name"]), {}).setdefault(row["gold"], []).append(label)
    for of_name in found.values():
        for given in of_name.values():
            split += len({*given} - {NONE}) > 1
            part += NONE in given and len({*given}) > 1
        merged += len(of_name) > 1 and len({label for given in of_name.values() for label in given} - {NONE}) == 1
    return [split, part, merged]


def curve(rows, labels, probability, kinds, total):
    """Returns precision and recall, in per cent, for every threshold of the labels' probability. A
    row with label NONE takes part with its most probable type, at a probability of 1 - p times that
    type's share of the types, p being the probability of NONE."""
    offered = spans.alone(rows, kinds)
    sure = [p if label != NONE else (1 - p) * row[kind] / max(spans.SMALLEST, 1 - row[NONE])
            for row, label, p, kind in zip(rows, labels, probability, offered)]
    right = [(kind if label == NONE else label) == row["gold"]
             for row, label, kind in zip(rows, labels, offered)]
    hits = np.cumsum(np.array(right)[np.argsort(-np.array(sure), kind="stable")])
    return 100 * hits / np.arange(1, len(rows) + 1), 100 * hits / total


def recall_at(of_curve, precision):
    """Returns the highest recall at this precision or a higher one; 0 if there is none."""
    precisions, recalls = of_curve
    return max(recalls[precisions >= precision - 1e-9], default=0.0)


def totals(table):
    """Returns precision, recall and F1 of all types together, in per cent."""
    right, gold, predicted = table.sum(axis=(0, 1))
    return 100 * right / max(1, predicted), 100 * right / max(1, gold), 200 * right / max(1, gold + predicted)


def point(this, name, number, harder):
    """Measures one split. Returns the results, and what a page is made of."""
    data, learning, rows, groups = spans.parts(this, name, number, made)
    types = spans.Types(data)
    kinds, labels = types.names, [*types.names, NONE]
    if harder:
        joined = homographs(learning + rows, number)
        learning, rows = renamed(learning, joined), renamed(rows, joined)
    own = spans.alone(rows, labels)
    found = spans.together(learning, rows, labels, KEYS)
    mixed = spans.exchanged(rows, number)
    answers = {
        "alone": own,
        "majority, document": by_majority(rows, own, KEYS[0].of),
        "majority, corpus": by_majority(rows, own, KEYS[1].of),
        "canonical": by_canonical(learning, rows, own),
        "majority, same key": by_majority(rows, own, found.key.of),
        "control": spans.together(spans.exchanged(learning, number), mixed, labels, KEYS).labels,
        "agreement": found.labels,
    }
    gold = {}
    for r in data.of_groups(groups):
        gold.setdefault(data.records[r].group, []).extend(types.spans(data.records[r].labels).values())
    tables = {method: counts(rows, answer, gold, groups, kinds) for method, answer in answers.items()}
    total = sum(map(len, gold.values()))
    curves = [curve(rows, found.labels, found.probability, kinds, total),
              curve(rows, own, [row[label] for row, label in zip(rows, own)], kinds, total)]
    same = {method: [recall_at(of, totals(table)[0]) for of in curves] for method, table in tables.items()}
    result = {"groups": groups.tolist(), "tables": tables, "same": same, "key": str(found.key),
              "applied": found.strengths.learnt.report["applied"], "rows": len(rows),
              "entities": {method: entities(rows, answer) for method, answer in answers.items()}}
    return result, (data, rows, labels, found, answers)


def documents(results, method):
    """Returns the F1 of each document, averaged over the splits that tested it."""
    found = {}
    for result in results:
        scores = measure.f1(result["tables"][method], range(result["tables"][method].shape[1]))
        for group, score in zip(result["groups"], scores):
            found.setdefault(group, []).append(score)
    return {group: float(np.mean(of)) for group, of in found.items()}


def rows_of_table(results):
    """Returns a row of the table of results for each method."""
    ours, made = documents(results, "agreement"), []
    for method in METHODS:
        theirs = documents(results, method)
        after, before = (np.array([of[group] for group in ours]) for of in (ours, theirs))
        better, _, worse = measure.groups_compared(
            *([r["tables"][m] for r in results] for m in ("agreement", method)),
            range(results[0]["tables"][method].shape[1]))
        found = [np.mean([totals(r["tables"][method]) for r in results], axis=0),
                 np.mean([r["entities"][method] for r in results], axis=0)]
        made.append([method, *("%.1f" % value for value in np.concatenate(found))])
        made[-1] += ["%.1f" % value for value in np.mean([r["same"][method] for r in results], axis=0)]
        made[-1] += [""] * 2 if method == "agreement" else [
            "%+.1f (p = %.1g)" % ((after - before).mean(), measure.paired_p(after, before)),
            f"{better} / {worse}"]
    return made


HEADS = ["", "precision", "recall", "F1", *COUNTS, "recall of agreement at this precision", "of alone",
         "agreement, F1 of a document", "documents better / worse"]


def page(name, number, shown, summary):
    """Returns the problem file of a split."""
    data, rows, labels, found, answers = shown
    beside = []
    for k, (row, label) in enumerate(zip(rows, found.labels)):
        others = grouped(RULES[1:4], lambda rule: answers[rule][k])
        words = " ".join(data.records[row["record"]].tokens[row["start"]:row["end"]])
        told = [f"{other} ({'; '.join(rules)})" for other, rules in others.items() if other != label]
        if label != answers["alone"][k]:
            told.insert(0, f"{label} {found.probability[k]:.2f}")
        beside.append(f"{words}: {', '.join(told)}" if told else None)
    notes = {"title": f"Types of names across the sentences of {name}",
             "what": "Mentions that a tagger found in single sentences, and other places of their words, which "
                     "ought to agree. Beside a sentence stands how probable a label is that has changed, and what "
                     "rules make of a name, where that is something else.",
             "rules": summary, "what agrees": str(found.key), "licence": spans.SOURCES[name].licence,
             "made by": f"examples/experiments/types_across.py --only {name} --splits {number}",
             "learnt": str(found.strengths), "learnt.json": found.strengths.learnt.to_json()}
    potential = found.strengths.learnt.potential(0, len(labels))
    return spans.problem(data, rows, labels, found.key, potential, notes, beside)


def main():
    options = spans.options(__doc__, SETS)
    for harder in (False, True):
        for name in options.only:
            results, shown = [], None
            for number in options.splits:
                result, parts = point(options.this, name, number, harder)
                results.append(result)
                shown = shown or parts
            print(f"\n{name}{', more homographs' if harder else ''}, splits {options.splits}: "
                  f"{sum(r['rows'] for r in results)} mentions\n")
            print(markdown_table(HEADS, rows_of_table(results)))
            print("\nSplit by split, F1 of agreement less that of the best rule, and the key: " + ", ".join(
                "%+.1f (%s%s)" % (totals(r["tables"]["agreement"])[2]
                                  - max(totals(r["tables"][rule])[2] for rule in RULES[:4]), r["key"],
                                  "" if r["applied"] else "; nothing applied") for r in results), flush=True)
            if options.page and not harder and name == options.only[0]:
                summary = "\n".join("%s: precision %.1f, recall %.1f, F1 %.1f" % (
                    method, *totals(results[0]["tables"][method])) for method in METHODS)
                page(name, options.splits[0], shown, summary).save(options.page)


if __name__ == "__main__":
    main()
