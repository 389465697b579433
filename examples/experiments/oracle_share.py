#!/usr/bin/env python3
"""Measures what share the learnt weights gain of the gain of weights that are picked on the test
groups.

    oracle_share.py [--data FOLDER] [--pages FILE] [--cache FOLDER] [--splits 0 1 2] [--search N] [NAME ...]

NAME is experiment:set, such as words:wikigold; without NAME: all of EVERY. *picked* stands for the
best weights that any learner with these bases could find. It is the best, by F1 of the test groups
(links: accuracy), of the learnt weights, of agreement alone, of what the same learner learns from
the test groups, and of multiples of all these; with `--search N` improved by up to N passes, which
try other values of each weight in turn.
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


def f1(gold, found, classes):
    """Returns micro F1 in per cent, or accuracy if `classes` is None."""
    if classes is None:
        return 100 * np.mean(gold == found)
    gold, found = classes[gold], classes[found]
    return 200 * np.sum((gold == found) & (gold >= 0)) / max(1, np.sum(gold >= 0) + np.sum(found >= 0))


def picked(learnt, test, classes, search, options):
    """Returns three F1: of the tagger, under the learnt weights, and under the weights picked on
    the test groups."""
    gold, known = test.gold, {}

    def score(weights):
        key = tuple(np.round(weights, 9))
        if key not in known:
            with ch.Run(with_weights(learnt, weights).apply(test), **options) as run:
                run.solve()
                known[key] = f1(gold, run.all_labels(), classes)
        return known[key]

    def of(learnt):
        return np.array([w["weight"] for w in learnt.report["weights"]])

    learnt_weights = of(learnt)
    size = len(learnt_weights)
    alone = np.array([float(w["basis"] == "agreement") for w in learnt.report["weights"]])
    starts = [learnt_weights, alone, learnt.report["unit"] * alone]
    try:
        starts.append(of(learn([test], classes=classes, level=SURELY)))
    except ch.ArgumentError:  # cliques across groups may join all groups into one
        pass
    best = max((start * m for start in starts for m in MULTIPLES), key=score)
    unit = learnt.report["unit"]
    for _ in range(search):
        before = score(best)
        for i in range(size):
            steps = [best[i] * s for s in STEPS] if best[i] else [unit * s for s in (-1, 0.5, 1, 2)]
            for value in steps:
                other = best.copy()
                other[i] = value
                if score(other) > score(best):
                    best = other
        if score(best) == before:
            break
    return score(np.zeros(size)), score(learnt_weights), score(best)


def point(this, experiment, name, number, search):
    """Yields a name and what picked() returns, for each set of cliques of an experiment."""
    loaded = this.load(name)
    if experiment == "links":
        for fraction in (0.1, 0.3):
            scored = links.Scored(loaded, fraction, number)
            problems, test = scored.problems("neighbourhood")
            learnt = learn(problems, seen=scored.seen)
            yield f"links {fraction:.0%}", picked(learnt, test, None, search, {})
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
    yield f"{experiment} {name}", picked(learnt, make(scored), classes, search, options)


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
    print("| set | split | tagger | learnt | picked | share, % |\n|---|--:|--:|--:|--:|--:|")

    def tell(name, split, base, learnt, best):
        share = f"{100 * (learnt - base) / (best - base):.0f}" if best > base else ""
        print(f"| {name} | {split} | {base:.2f} | {learnt - base:+.2f} | {best - base:+.2f} | {share} |",
              flush=True)

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
