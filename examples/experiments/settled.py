#!/usr/bin/env python3
"""Compares `libchorale.settle`, as it is by default, with a majority vote and the tagger alone.

    settled.py [--data FOLDER] [--cache FOLDER] [--only SET...] [--splits N...] [--tables N] [--first SEED] [--merchants]

*Generated* tables have 60,000 mentions of keys with 2 to 10,000 mentions and four labels. In *one
type* every key is one thing, and errors are independent. In *5 % homographs* one key of twenty is
two things, of which one has half, a third or a fifth of the mentions; and errors of a key go
together: each key has its own share of errors, and one label that mentions are taken for.
Confidences are those by which errors were drawn; with *overconfident* 1 - p is divided by 3; with
*wild* three of ten are 1.

*Merchants* (alone with --merchants) are tables like those of payments: 5,000 merchants with one to
2,000 payments, most of them with few (a power law), and ten categories. One merchant of ten sells
two kinds of things; errors are those of homographs.

*Mentions* of data sets are the rows of `spans.rows_of` of the test groups of a split, with the
probabilities of a CRF; their key is the name, in a document or in the corpus, or its last word,
by which more names are two things. Prints Markdown tables: the share of right labels, and the difference to the better of the two others with its
standard error over tables.
"""

import argparse
from pathlib import Path

import libchorale as ch
import numpy as np

import spans
from base_model import Store, fit
from datasets import split
from report import markdown_table

SETS = ("wikigold", "litbank", "ncbi_disease")
SIZES = (2, 3, 5, 10, 30, 100, 1000, 10000)
LABELS = list("ABCDEFGHIJ")
BANDS = ((1, 1), (2, 3), (4, 9), (10, 99), (100, 2000))  # payments of a merchant
WITHIN = (("name", "document", "document"), ("name", None, "corpus"), ("head", None, "corpus, last words"))


def generated(rng, two, confidences, rows=60000):
    """Returns keys, right labels, labels and confidences. two: the share of keys that are two
    things; above 0, errors of a key go together."""
    sizes = np.repeat(SIZES, [max(1, rows // len(SIZES) // n) for n in SIZES])
    key, right, label, sure = joined(rng, sizes, two, 4)
    if confidences == "overconfident":
        sure = 1 - (1 - sure) / 3
    elif confidences == "wild":
        sure = np.where(rng.random(len(sure)) < 0.3, 1.0, sure)
    return key, right, label, sure


def joined(rng, sizes, two, kinds):
    """Returns the columns of a table of keys with so many mentions each and `kinds` labels."""
    columns = []
    for n in sizes:
        kind = rng.integers(kinds)
        right = np.full(n, kind)
        if rng.random() < two:
            right[rng.random(n) < rng.choice([0.5, 1 / 3, 0.2])] = (kind + rng.integers(1, kinds)) % kinds
        sure = 0.5 + 0.499 * rng.beta(3, 1, n)
        if two:
            share, taken = 10 * rng.beta(1, 9), (kind + rng.integers(1, kinds)) % kinds
            wrong = rng.random(n) < np.minimum(0.9, (1 - sure) * share)
            label = np.where(wrong, np.where(right == taken, kind, taken), right)
        else:
            wrong = rng.random(n) > sure
            label = np.where(wrong, (right + rng.integers(1, kinds, n)) % kinds, right)
        columns.append((np.full(n, len(columns)), right, label, sure))
    return tuple(np.concatenate(of) for of in zip(*columns))


def merchants(rng, count):
    return joined(rng, np.minimum(rng.zipf(1.6, count), 2000), 0.1, 10)


def majority(key, label):
    """Returns for each row the commonest label of its key, the first of several."""
    counts = np.zeros((key.max() + 1, label.max() + 1))
    np.add.at(counts, (key, label), 1)
    return counts.argmax(axis=1)[key]


def of_generated(two, confidences, seed, rows=60000):
    """Returns accuracies by method (settle, majority, tagger): of all rows, then by size."""
    columns = generated(np.random.default_rng(seed), two, confidences, rows)
    sizes = np.bincount(columns[0])[columns[0]]
    return of_columns(columns, LABELS[:4], [sizes == n for n in SIZES])


def of_merchants(seed, count=5000):
    columns = merchants(np.random.default_rng(seed), count)
    key, right = columns[:2]
    sizes = np.bincount(key)[key]
    sells = np.bincount(np.unique(np.stack([key, right]), axis=1)[0])[key]  # categories of the merchant
    bands = [(least <= sizes) & (sizes <= most) for least, most in BANDS]
    return of_columns(columns, LABELS, [*bands, (sells == 1) & (sizes >= 10), sells == 2])


def of_columns(columns, labels, parts):
    """Returns accuracies by method (settle, majority, tagger): of all rows, then of each part."""
    key, right, label, sure = columns
    table = [{"key": int(k), "label": labels[v], "sure": float(p)} for k, v, p in zip(key, label, sure)]
    found = ch.settle(table, key="key", label="label", confidence="sure", labels=labels).codes
    parts = [np.ones(len(key), dtype=bool), *parts]
    return [[100 * (of == right)[part].mean() for part in parts] for of in (found, majority(key, label), label)]


def of_mentions(rows, labels, name, group):
    """Returns accuracies by method, and the number of keys that are not settled. name: the column of keys."""
    settled = ch.settle(rows, key=name, group=group, confidence={label: label for label in labels})
    right = np.array([labels.index(row["gold"]) for row in rows])
    own = np.array([max(range(len(labels)), key=lambda v: row[labels[v]]) for row in rows])
    numbers = {}
    key = np.array([numbers.setdefault((row[name], group and row[group]), len(numbers)) for row in rows])
    accuracies = [100 * (of == right).mean() for of in (settled.codes, majority(key, own), own)]
    return accuracies, settled.conflicts


def rows_of_split(this, name, number):
    """Returns the mentions of the test groups of a split, and their labels. The tagger is trained on 30 % of the groups."""
    loaded = this.load(name)
    train, test = split(loaded.data, 0.3, number)
    _, scored = fit(Store(this.folder(name) / "scores"), loaded.data, lambda: loaded.features, train, test, number)
    types = spans.Types(loaded.data)
    return spans.rows_of(loaded.data, types, scored), [*types.names, spans.NONE]


def difference(ours, other):
    gain = np.array(ours) - np.array(other)
    error = gain.std(ddof=1) / len(gain) ** 0.5 if len(gain) > 1 else float("nan")
    return f"{gain.mean():+.2f} ± {error:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data")
    parser.add_argument("--cache", default=Path.home() / ".cache" / "chorale-experiments")
    parser.add_argument("--only", nargs="*", default=list(SETS), choices=SETS)
    parser.add_argument("--splits", nargs="*", type=int, default=[0, 1])
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="seed of the first generated table")
    parser.add_argument("--merchants", action="store_true", help="tables of merchants alone")
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.tables)
    if options.merchants:
        found, made = np.array([of_merchants(seed) for seed in seeds]), []
        bands = [f"{least} to {most}" if least < most else str(least) for least, most in BANDS]
        for place, band in enumerate(["all", *bands, "10 or more, all of one kind", "of two kinds"]):
            ours, vote, tagger = found[:, :, place].T
            made.append([band, *(f"{of.mean():.2f}" for of in (ours, vote, tagger)), difference(ours, vote), difference(ours, tagger)])
        heads = ["payments of a merchant", "settle", "majority", "tagger", "against majority", "against tagger"]
        print(markdown_table(heads, made, "lrrrrr"))
        return
    heads = ["generated", "mentions a key", "settle", "majority", "tagger", "against majority", "against tagger"]
    made = []
    for two, kind in ((0.0, "one type"), (0.05, "5 % homographs")):
        for confidences in ("calibrated", "overconfident", "wild"):
            found = np.array([of_generated(two, confidences, seed) for seed in seeds])
            for place, size in enumerate(["all", *SIZES]):
                ours, vote, tagger = found[:, :, place].T
                made.append([f"{kind}, {confidences}" if place == 0 else "", str(size),
                             *(f"{of.mean():.2f}" for of in (ours, vote, tagger)),
                             difference(ours, vote), difference(ours, tagger)])
            print(*made[-len(SIZES) - 1], flush=True)
    print("\n" + markdown_table(heads, made, "lrrrrrr"))
    if options.data is None:
        return
    from run import Pass
    options.report, options.page = False, None
    options.pages = spans.HERE.parent / "publications" / "data" / "pages.txt"
    this, made = Pass(options), []
    for name in options.only:
        for number in options.splits:
            rows, labels = rows_of_split(this, name, number)
            for key, group, within in WITHIN:
                accuracies, conflicts = of_mentions(rows, labels, key, group)
                made.append([f"{name}, split {number}", within, str(len(rows)),
                             *(f"{of:.2f}" for of in accuracies), str(conflicts)])
                print(*made[-1], flush=True)
    heads = ["mentions", "within", "rows", "settle", "majority", "tagger", "keys not settled"]
    print("\n" + markdown_table(heads, made, "llrrrrr"))


if __name__ == "__main__":
    main()
