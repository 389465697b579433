#!/usr/bin/env python3
"""Measures what collective inference adds to neural taggers: a pretrained encoder with a CRF on its
states, and a spaCy pipeline trained from scratch; for comparison, to the CRF over features of
words.

    neural.py [--data FOLDER] [--cache FOLDER] [--only SET...] [--bases NAME...] [--splits N...] [--report]

Also needs the packages of requirements-neural.txt; `run.sh neural.py` installs them. Every tagger
learns from the training groups of a split. Everything else is as for the CRF: taggers score the
training groups that they have not seen, what agreement is worth is learnt from these scores, and
the control and stacking are run too. Prints a Markdown table; --report runs nothing and prints what
the cache holds.
"""

import argparse
import json
import os
import time
from pathlib import Path

import numpy as np

import base_model
import crf_head
import domain_adaptation
import measure
import repeated_words
import words as W
from datasets import split
from encoder import Encoder
from features import shape
from report import markdown_table
from run import HERE, Pass

LAYERS = (0, 2, 4, 6)  # layers of the encoder whose states are used, 0: the embeddings
PENALTY = 300.0  # of squared weights on standardised states; like LAYERS chosen on split 20 of wikigold
EPOCHS, BATCH = 20, 16  # of the spaCy pipeline; BATCH is in sentences
SETS = {"wikigold": 0.3, "litbank": 0.3, "grobid_refs": 0.2}  # the share of groups that trains
METHODS = ("base", "stacking", "control", "collective")


class Encoded:
    """A frozen encoder with a CRF on its states and on the shapes of words, since the encoder does
    not see capitals."""

    def __init__(self, data, store):
        self.data = data
        found = store.get(f"states {LAYERS} {data.name} {len(data.starts)}", lambda: {"states": np.concatenate(
            Encoder().states([record.tokens for record in data.records], LAYERS)).astype(np.float16)})
        self.states = found["states"]
        self.shapes = [list(map(shape, record.tokens)) for record in data.records]

    def rows(self, records, extra):
        """Returns the sparse features of records: by position, a list of strings."""
        made = []
        for r in records:
            own = ["", *self.shapes[r], ""]
            for t in range(len(own) - 2):
                made.append(["1", *(f"s{d}={own[t + 1 + d]}" for d in (-1, 0, 1)), *(extra[r][t] if extra else [])])
        return made

    def dense(self, records):
        return np.concatenate([self.states[self.data.starts[r]:self.data.starts[r + 1]]
                               for r in records]).astype(np.float32)

    def fit_records(self, training, scored, extra=None):
        dense, rows, m = self.dense(training), self.rows(training, extra), len(self.data.labels)
        mean, deviation = dense.mean(axis=0), dense.std(axis=0)
        deviation[deviation < 1e-4] = 1  # columns that are always 0
        numbers = {name: k for k, name in enumerate(dict.fromkeys(name for row in rows for name in row))}
        gold = [self.data.records[r].labels for r in training]
        dense -= mean
        dense /= deviation
        of_dense, of_sparse, edges = crf_head.train(
            dense, crf_head.columns(rows, numbers), list(map(len, gold)), np.concatenate(gold), m, PENALTY)
        unary = (self.dense(scored) - mean) / deviation @ of_dense
        unary += crf_head.columns(self.rows(scored, extra), numbers) @ of_sparse
        return parted(self.data, unary, scored, np.concatenate(gold)), edges.astype(np.float32)


class Spacy:
    """A spaCy pipeline trained from scratch: a tagger with its own word embeddings and
    convolutions, whose tags are the labels. It has no scores of transitions. (spaCy's `ner` gives
    no probabilities of labels.) The second stage of stacking is the CRF over features of words."""

    def __init__(self, data, features):
        self.data, self.features = data, features

    def fit_records(self, training, scored, extra=None):
        if extra is not None:
            return base_model.fit_records(self.data, self.features(), training, scored, extra)
        import spacy
        from spacy.tokens import Doc
        from spacy.training import Example
        from spacy.util import fix_random_seed, minibatch

        fix_random_seed(0)
        nlp, rng = spacy.blank("xx"), np.random.default_rng(0)
        tagger = nlp.add_pipe("tagger")
        names = [f"L{label}" for label in range(len(self.data.labels))]
        records = self.data.records
        examples = [Example.from_dict(Doc(nlp.vocab, words=records[r].tokens),
                                      {"tags": [names[label] for label in records[r].labels]}) for r in training]
        optimizer = nlp.initialize(lambda: examples)
        for _ in range(EPOCHS):
            for batch in minibatch([examples[k] for k in rng.permutation(len(examples))], BATCH):
                nlp.update(batch, sgd=optimizer, drop=0.3)
        found = tagger.model.predict([Doc(nlp.vocab, words=records[r].tokens) for r in scored])
        unary = np.full((sum(map(len, found)), len(names)), base_model.MISSING)
        scores = np.concatenate(found).astype(float)
        unary[:, [names.index(label) for label in tagger.labels]] = scores
        unary -= np.logaddexp.reduce(unary, axis=1, keepdims=True)
        gold = np.concatenate([records[r].labels for r in training])
        return parted(self.data, unary, scored, gold), np.zeros((len(names), len(names)), np.float32)


def parted(data, unary, records, seen):
    """Cuts scores of all positions into an array a record. Labels that are not in `seen` get
    MISSING."""
    unary = unary.astype(np.float32)
    unary[:, np.setdiff1d(np.arange(unary.shape[1]), seen)] = base_model.MISSING
    return np.split(unary, np.cumsum([len(data.records[r].tokens) for r in records])[:-1])


BASES = {
    "CRF": ("base", lambda loaded, store: lambda: loaded.features),
    "encoder": ("encoder", lambda loaded, store: lambda: Encoded(loaded.data, store)),
    "spaCy": ("spacy", lambda loaded, store: lambda: Spacy(loaded.data, lambda: loaded.features)),
}


def point(this, name, base, number):
    """Returns one split of a set: {method: counts of the test groups}, and what was learnt. Reads
    it from the cache if it has been run. With --report, None if it has not."""
    tag, made = BASES[base]
    file = this.point_file(f"neural-{tag}", name, SETS[name], number)
    if file.exists():
        return json.loads(file.read_text())
    if this.options.report:
        return None
    begin, loaded = time.time(), this.load(name)
    store = base_model.Store(this.folder(name) / "scores")
    features = made(loaded, store)
    if name == "grobid_refs":
        result = domain_adaptation.point(store, loaded.data, loaded.properties, features, SETS[name], number, tag)
    else:
        result = repeated_words.point(store, loaded.data, loaded.words, features, SETS[name], number, False, tag)
    part = file.with_suffix(".part")
    part.write_text(json.dumps(result))
    os.replace(part, file)
    print(f"{name}, {base}, split {number}: {time.time() - begin:.0f} s", flush=True)
    return result


def figures(data, name):
    """Returns the figures that are measured: {name: kinds}."""
    if name == "grobid_refs":
        return {kind: measure.kinds_of(data, [kind]) for kind in ("Title", "Venue")}
    return {"entities": measure.kinds_of(data)}


def table(this, names, bases, splits):
    """Returns a table with a row for each set, base and figure; a cell lists the splits."""
    rows = []
    for name in names:
        data = this.load(name).data
        for figure, kinds in figures(data, name).items():
            for base in bases:
                found = {s: point(this, name, base, s) for s in splits}
                found = {s: result for s, result in found.items() if result is not None}
                if not found:
                    continue
                f1 = {method: np.array([measure.f1(np.array(result["counts"][method]).sum(axis=0), kinds)
                                        for result in found.values()]) for method in METHODS}
                ours = f1["collective"]
                cells = [" ".join("%.1f" % value for value in f1[method]) for method in METHODS]
                gains = [" ".join("%+.1f" % value for value in ours - f1[method]) + " (%+.1f)" % (
                    ours - f1[method]).mean() for method in METHODS[:3]]
                rows.append([f"{name}, {figure}", base, " ".join(map(str, found)), *cells, *gains])
    return markdown_table(["", "base", "splits", "base alone", "stacking", "control", "collective", "against base",
                           "against stacking", "against control"], rows)


def alike(data, words, scored):
    """Looks at the words of a document that have an entity, by gold labels or by the tagger.
    Returns, in per cent: the share of words whose labels by the tagger differ; the share whose gold
    labels differ; the share of wrong places that belong to words whose labels by the tagger
    differ."""
    of, other = words.kind_of_label, words.kinds.index("Other")
    found = []
    for members in W.cliques(words, scored, False):
        own = [of[scored.own[k][t]] for k, t in members]
        gold = [of[data.records[scored.records[k]].labels[t]] for k, t in members]
        if {*own, *gold} != {other}:
            wrong = sum(a != b for a, b in zip(own, gold))
            found.append((len({*own}) > 1, len({*gold}) > 1, wrong, wrong * (len({*own}) > 1)))
    differ, in_gold, wrong, there = np.sum(found, axis=0)
    return 100 * np.array([differ / len(found), in_gold / len(found), there / max(1, wrong)])


def words_alike(this, names, bases, splits):
    """Returns the table of `alike`, for sets with cliques of words and splits that have been
    run."""
    rows = []
    for name in names:
        if name == "grobid_refs":
            continue
        loaded = this.load(name)
        store = base_model.Store(this.folder(name) / "scores")
        for base in bases:
            (tag, made), found = BASES[base], []
            for s in splits:
                if this.point_file(f"neural-{tag}", name, SETS[name], s).exists():
                    train, test = split(loaded.data, SETS[name], s)
                    _, scored = base_model.fit(store, loaded.data, made(loaded, store), train, test, s, tag)
                    found.append(alike(loaded.data, loaded.words, scored))
            if found:
                rows.append([name, base, *(" ".join("%.0f" % value for value in row) for row in np.array(found).T)])
    return markdown_table(["words with an entity", "base", "labels differ, %", "gold labels differ, %",
                           "wrong places of words whose labels differ, %"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=HERE / "data", help="folder of the data sets")
    parser.add_argument("--cache", default=Path.home() / ".cache" / "chorale-experiments",
                        help="folder for trained models' scores and finished points")
    parser.add_argument("--only", nargs="*", default=list(SETS), choices=SETS)
    parser.add_argument("--bases", nargs="*", default=list(BASES), choices=BASES)
    parser.add_argument("--splits", nargs="*", type=int, default=[0, 1])
    parser.add_argument("--report", action="store_true", help="only print what the cache holds")
    options = parser.parse_args()
    this = Pass(options)
    for number in options.splits:
        for name in options.only:
            for base in options.bases:
                point(this, name, base, number)
    print(table(this, options.only, options.bases, options.splits))
    print("\n" + words_alike(this, options.only, options.bases, options.splits))


if __name__ == "__main__":
    main()
