#!/usr/bin/env python3
"""Compares the gain that `libchorale.diagnose` expects without any label with the true gain.

    diagnosed.py [--data FOLDER] [--cache FOLDER] [--only SET...] [--splits N...]

The tables are those of the test groups of a split, on every set with labels, with the probabilities
of the CRF. *Mentions* are the rows of `spans.rows_of`; their key is the name. *Words* are the
places of words with a letter; their key is the word, and the kinds of their labels should agree.
Keys count within documents. The gain is that of `libchorale.agree` with the same arguments: how
many more rows have the right label. It is measured with the strength that agree() takes if none is
given, then with strengths learnt from the cross-fitted training groups. Prints a Markdown table.
"""

import libchorale as ch
import numpy as np

import spans
from base_model import Store, fit
from datasets import split
from report import markdown_table

# The share of groups that trains, as in the other experiments.
SETS = {"wikigold": 0.3, "litbank": 0.3, "ncbi_disease": 0.3, "grobid_refs": 0.2, "excite_refs": 0.2, "pages": 0.2,
        "cora_ie": 0.1, "us50_addresses": 0.3}
MENTIONS = ("wikigold", "litbank", "ncbi_disease")


def rows_of_words(data, words, scored):
    """Returns the table of words, and its labels."""
    kinds, rows = words.kinds, []
    for r, unary, edges in zip(scored.records, scored.unary, scored.transitions):
        record, marginals = data.records[r], spans.Marginals(unary, edges)
        for t, key in enumerate(words.keys[r]):
            if key >= 0:
                sure = np.bincount(words.kind_of_label, weights=marginals.labels(t), minlength=len(kinds))
                rows.append({"document": record.group, "name": int(key), "gold": kinds[words.kind_of_label[
                    record.labels[t]]], **dict(zip(kinds, np.clip(sure, 0, 1).tolist()))})
    return rows, kinds


HEADS = ["", "split", "rows", "changed", "at least", "expected", "gain", "changed, learnt", "at least", "expected",
         "gain"]


def tables(this, name, number):
    """Yields for each table of a split: its name, rows to learn from, rows to label, and labels."""
    loaded = this.load(name)
    train, test = split(loaded.data, SETS[name], number)
    both = fit(Store(this.folder(name) / "scores"), loaded.data, lambda: loaded.features, train, test, number)
    if name in MENTIONS:
        types = spans.Types(loaded.data)
        yield "mentions", *(spans.rows_of(loaded.data, types, scored) for scored in both), [*types.names, spans.NONE]
    (learning, kinds), (rows, _) = (rows_of_words(loaded.data, loaded.words, scored) for scored in both)
    yield "words", learning, rows, kinds


def compared(rows, labels, strength):
    """Returns four numbers of rows: changed; gain expected if other mentions said nothing about a
    row; gain expected; gain."""
    given = {"key": "name", "group": "document", "confidence": {label: label for label in labels}}
    expected = ch.diagnose(rows, strength=strength, progress=False, **given)
    found, own = ch.agree(rows, strength=strength, progress=False, **given), spans.alone(rows, labels)
    gain = sum((row["together"] == row["gold"]) - (label == row["gold"]) for row, label in zip(found, own))
    return expected.changed, expected.least, expected.gain, gain


def point(this, name, number):
    """Yields, for each table of a split: its kind, its number of rows, and compared() without and
    with learnt strengths."""
    for kind, learning, rows, labels in tables(this, name, number):
        strengths = ch.learn_strengths(learning, gold="gold", key="name", group="document", progress=False,
                                       confidence={label: label for label in labels})
        yield kind, len(rows), compared(rows, labels, None), compared(rows, labels, strengths)


def main():
    options = spans.options(__doc__, tuple(SETS), splits=(0, 1))
    made, pairs = [], [[], []]
    for name in options.only:
        for number in options.splits:
            for kind, rows, *found in point(options.this, name, number):
                cells = [f"{name}, {kind}", str(number), str(rows)]
                for pair, (changed, *gains) in zip(pairs, found):
                    gains = [100 * gain / rows for gain in gains]
                    cells += [str(changed), *(f"{gain:+.2f}" for gain in gains)] if changed else ["0", "", "", ""]
                    pair += [gains] if changed else []
                made.append(cells)
                print(" ".join(cells), flush=True)
    print("\n" + markdown_table(HEADS, made))
    for text, pair in zip(("No strength given", "learnt"), pairs):
        if pair:
            least, expected, gain = np.array(pair).T
            print(f"\n{text}: {len(pair)} tables with changes. Means, per cent of rows: gain {gain.mean():.2f}, "
                  f"expected {expected.mean():.2f}, at least {least.mean():.2f}. The gain is above 0 in "
                  f"{(gain > 0).sum()}, between the two in {((least <= gain) & (gain <= expected)).sum()}, above what "
                  f"was expected in {(gain > expected).sum()}; mean difference {abs(expected - gain).mean():.2f}.")


if __name__ == "__main__":
    main()
