#!/usr/bin/env python3
"""Measures what share the learnt weights gain of the gain of weights that are picked on the test
groups.

    oracle_share.py [--data FOLDER] [--pages FILE] [--cache FOLDER] [--splits 0 1 2] [--search N] [NAME ...]

NAME is experiment:set, such as words:wikigold; without NAME: all of EVERY. *picked* stands for the
best weights that any learner with these bases could find. It is the best, by F1 of the test groups
(links: accuracy), of the learnt weights, of agreement alone, of what the same learner learns from
the test groups, and of multiples of all these; with `--search N` improved by up to N passes, which
try other values of each weight in turn.

*crossed* is what such a choice is worth on groups by which it was not made. The test groups are dealt
to parts with about as many groups as the learner had for training. The weights are picked in the
same way on one part, and measured on all other parts, for each part in turn. So *crossed* has what
no learner has, groups scored by the very tagger that is to be helped, and as many of them; it gains
less than *picked* where the choice is chance.
"""

import argparse
import json
from pathlib import Path

import libchorale as ch
import numpy as np
from libchorale.learn import Learnt, learn

import base_model
import datasets
import domain_adaptation
import links
import properties
import repeated_words
import words
from learning import folds_of, halves
from run import HERE, PROPERTY_POINTS, Pass

EVERY = ("words:wikigold", "words-across:wikigold", "domain-plain:grobid_refs", "domain:grobid_refs",
         "domain:pages", "domain:excite_refs", "words:litbank", "words-across:litbank", "words:ncbi_disease",
         "words-across:ncbi_disease", "words-across:cora_ie", "words:us50_addresses", "words-across:us50_addresses",
         "links:cora_links")
MULTIPLES = (0.25, 0.5, 0.7, 1, 1.4, 2, 2.8, 4)
STEPS = (0, 0.5, 2)  # factors by which the search changes a weight
SURELY = 0.999  # a significance level at which everything that gains is applied


def with_weights(learnt, weights):
    """Returns the result of learning with other weights in place of the learnt ones."""
    told = json.loads(learnt.to_json())
    told["applied"] = 2
    for weight, value in zip(told["weights"], weights):
        weight["weight"] = value = float(np.clip(value, *bounds(weight)))
        weight["lower"], weight["upper"] = min(weight["lower"], value), max(weight["upper"], value)
    return Learnt.from_json(json.dumps(told))


def bounds(weight):
    return (-np.inf if weight["least"] is None else weight["least"],
            np.inf if weight["most"] is None else weight["most"])


def counts(gold, found, classes):
    """Returns the two numbers whose ratio, in per cent, is micro F1, or accuracy if `classes` is
    None."""
    if classes is None:
        return np.array([np.sum(gold == found), len(gold)])
    gold, found = classes[gold], classes[found]
    return np.array([2 * np.sum((gold == found) & (gold >= 0)), np.sum(gold >= 0) + np.sum(found >= 0)])


def ratio(counts):
    return 100 * counts[0] / max(1, counts[1])


def parts_of(groups, training):
    """Deals the test groups to parts with about as many groups as there are training groups. Returns
    by part an array of booleans, by record. groups: by record."""
    found = np.unique(groups)
    count = max(2, round(len(found) / training))
    return [np.isin(groups, found[k::count]) for k in range(count)]


class Test:
    """Labels the test groups under any weights.

    problem: all test groups, with gold labels. parts: by part of the groups, an array of booleans by
    chain, and the problem of the chains of this part alone."""

    def __init__(self, problem, parts, classes, options):
        self.problem, self.parts, self.classes, self.options = problem, parts, classes, options
        self.masks = [np.repeat(chains, problem.model.chain_lengths) for chains, _ in parts]
        self.known = {}

    def counts(self, learnt, weights):
        """Returns by part the counts under these weights, parts x 2."""
        key = tuple(np.round(weights, 9))
        if key not in self.known:
            with ch.Run(with_weights(learnt, weights).apply(self.problem), **self.options) as run:
                run.solve()
                labels = run.all_labels()
            self.known[key] = np.array([counts(self.problem.gold[mask], labels[mask], self.classes)
                                        for mask in self.masks])
        return self.known[key]

    def learnt_from(self, problem):
        """Returns what is learnt from some test groups, in a list, which is empty if nothing can
        be."""
        try:
            found = learn([problem], classes=self.classes, level=SURELY)
        except ch.ArgumentError:  # cliques across groups may join all groups into one
            return []
        return [weights_of(found)]


def weights_of(learnt):
    return np.array([w["weight"] for w in learnt.report["weights"]])


def picked(learnt, test, search):
    """Returns four scores: of the tagger, under the learnt weights, under the weights picked on the
    test groups, and the mean with weights picked on one part and measured on the others."""

    def whole(weights):
        return ratio(sum(test.counts(learnt, weights)))

    learnt_weights, unit = weights_of(learnt), learnt.report["unit"]
    size = len(learnt_weights)
    nothing = np.zeros(size)
    alone = np.array([float(w["basis"] == "agreement") for w in learnt.report["weights"]])
    starts = [learnt_weights, alone, unit * alone]

    def tried(problem):
        return [start * m for start in starts + test.learnt_from(problem) for m in MULTIPLES]

    crossed = []
    for part, (_, problem) in enumerate(test.parts):
        there = lambda weights: ratio(test.counts(learnt, weights)[part])
        best = max([nothing, *tried(problem)], key=there)
        elsewhere = lambda weights: ratio(sum(np.delete(test.counts(learnt, weights), part, axis=0)))
        crossed.append(elsewhere(best) - elsewhere(nothing))

    best = max(tried(test.problem), key=whole)
    for _ in range(search):
        before = whole(best)
        for i in range(size):
            steps = [best[i] * s for s in STEPS] if best[i] else [unit * s for s in (-1, 0.5, 1, 2)]
            for value in steps:
                other = best.copy()
                other[i] = value
                if whole(other) > whole(best):
                    best = other
        if whole(best) == before:
            break
    base = whole(nothing)
    return base, whole(learnt_weights), whole(best), base + np.mean(crossed)


def point(this, experiment, name, number, search):
    """Yields a name and what picked() returns, for each set of cliques of an experiment."""
    loaded = this.load(name)
    if experiment == "links":
        for fraction in (0.1, 0.3):
            scored = links.Scored(loaded, fraction, number)
            problems, test = scored.problems("centred")
            learnt = learn(problems, seen=scored.seen)
            cut = [(chains, scored.to_label("centred", chains))
                   for chains in parts_of(loaded.groups[scored.test],
                                          len(np.unique(loaded.groups[scored.train])))]
            yield f"links {fraction:.0%}", picked(learnt, Test(test, cut, None, {}), search)
        return
    data = loaded.data
    store = base_model.Store(this.folder(name) / "scores")
    tag, names, _ = PROPERTY_POINTS.get(experiment, ("base", None, None))
    fraction = 0.2 if names else repeated_words.FRACTIONS[name]
    train, test = datasets.split(data, fraction, number)
    features = {"base": lambda: loaded.features, "plain": lambda: loaded.plain_features}[tag]
    held_out, scored = base_model.fit(store, data, features, train, test, number, tag)
    parts, seen = folds_of(held_out)
    if names:
        make = lambda part: properties.to_learn(loaded.properties, part, names)
        classes, options = domain_adaptation.classes(data), domain_adaptation.RUN
    else:
        across = experiment == "words-across"
        if across:
            parts, seen = halves(data, parts, seen)
        make = lambda part: words.to_learn(loaded.words, part, across)
        classes, options = repeated_words.classes(data), {}
    learnt = learn([make(part) for part in parts], seen=seen, classes=classes)
    cut = [(chains, make(scored.part(np.flatnonzero(chains))))
           for chains in parts_of([data.records[r].group for r in scored.records], len(train))]
    yield f"{experiment} {name}", picked(learnt, Test(make(scored), cut, classes, options), search)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", default=EVERY)
    parser.add_argument("--data", default=HERE / "data")
    parser.add_argument("--pages", default=HERE.parent / "publications" / "data" / "pages.txt")
    parser.add_argument("--cache", default=Path.home() / ".cache" / "chorale-experiments")
    parser.add_argument("--splits", type=int, nargs="+", default=range(5))
    parser.add_argument("--search", type=int, default=0)
    options = parser.parse_args()
    options.report = False
    this = Pass(options)
    print("| set | split | tagger | learnt | picked | share, % | crossed |\n|---|--:|--:|--:|--:|--:|--:|")

    def tell(name, split, base, learnt, best, crossed):
        share = f"{100 * (learnt - base) / (best - base):.0f}" if best > base else ""
        print(f"| {name} | {split} | {base:.2f} | {learnt - base:+.2f} | {best - base:+.2f} | {share} "
              f"| {crossed - base:+.2f} |", flush=True)

    for experiment, name in (each.split(":") for each in options.names):
        rows = {}
        for number in options.splits:
            for told, row in point(this, experiment, name, number, options.search):
                rows.setdefault(told, []).append(row)
                tell(told, number, *row)
        for told, found in rows.items():
            tell(told, "mean", *np.mean(found, axis=0))


if __name__ == "__main__":
    main()
