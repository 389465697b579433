#!/usr/bin/env python3
"""Measures what share the learnt weights gain of the gain of weights that are picked on the test
groups.

    oracle_share.py [--data FOLDER] [--pages FILE] [--cache FOLDER] [--splits 0 1 2] [--search N] [--each]
                    [NAME ...]

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

`--each` adds a row for each kind of label: its F1 under the same weights, which are still picked by
F1 of all kinds together.
"""

import json

import libchorale as ch
import numpy as np
from libchorale.learn import Learnt, learn

import links
import measure
from case import Case
from run import Pass, parser_of

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


def parts_of(groups, training):
    """Deals the test groups to parts with about as many groups as there are training groups. Returns
    by part an array of booleans, by record. groups: by record."""
    found = np.unique(groups)
    count = max(2, round(len(found) / training))
    return [np.isin(groups, found[k::count]) for k in range(count)]


class Test:
    """Labels the test groups under any weights.

    problem: all test groups, with gold labels. parts: by part of the groups, an array of booleans by
    chain, and the problem of the chains of this part alone. kind_of_label, kinds: the kind of each
    label, and the kinds that count. classes: of labels, as the learner takes them; options: of the
    run that labels."""

    def __init__(self, problem, parts, kind_of_label, kinds, classes, options):
        self.problem, self.parts, self.classes, self.options = problem, parts, classes, options
        self.kind_of_label, self.kinds = kind_of_label, kinds
        self.gold, self.size = kind_of_label[problem.gold], kind_of_label.max() + 1
        self.masks = [np.repeat(chains, problem.model.chain_lengths) for chains, _ in parts]
        self.known = {}

    def counts(self, learnt, weights):
        """Returns by part the counts under these weights, parts x kinds x 3 (see measure.py)."""
        key = tuple(np.round(weights, 9))
        if key not in self.known:
            with ch.Run(with_weights(learnt, weights).apply(self.problem), **self.options) as run:
                run.solve()
                found = self.kind_of_label[run.all_labels()]
            self.known[key] = np.array([measure.counts_of(self.gold[mask], found[mask], self.size)
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
    """Returns four scores, each the F1 of all kinds together and then of each: of the tagger, under
    the learnt weights, under the weights picked on the test groups, and the mean with weights picked
    on one part and measured on the others. Weights are picked by F1 of all kinds together."""

    def scores(weights, parts=slice(None)):
        return measure.f1_of_each(test.counts(learnt, weights)[parts].sum(axis=0), test.kinds)

    def whole(weights):
        return scores(weights)[0]

    learnt_weights, unit = weights_of(learnt), learnt.report["unit"]
    size = len(learnt_weights)
    nothing = np.zeros(size)
    alone = np.array([float(w["basis"] == "agreement") for w in learnt.report["weights"]])
    starts = [learnt_weights, alone, unit * alone]

    def tried(problem):
        return [start * m for start in starts + test.learnt_from(problem) for m in MULTIPLES]

    crossed = []
    for part, (_, problem) in enumerate(test.parts):
        best = max([nothing, *tried(problem)], key=lambda weights: scores(weights, [part])[0])
        others = np.delete(np.arange(len(test.parts)), part)
        crossed.append(scores(best, others) - scores(nothing, others))

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
    base = scores(nothing)
    return np.array([base, scores(learnt_weights), scores(best), base + np.mean(crossed, axis=0)])


def point(this, experiment, name, number, search):
    """Yields a name, the names of the kinds, and what picked() returns, for each set of cliques of an
    experiment."""
    if experiment == "links":
        loaded = this.load(name)
        for fraction in (0.1, 0.3):
            scored = links.Scored(loaded, fraction, number)
            problems, test = scored.problems("centred")
            learnt = learn(problems, seen=scored.seen)
            cut = [(chains, scored.to_label("centred", chains))
                   for chains in parts_of(loaded.groups[scored.test],
                                          len(np.unique(loaded.groups[scored.train])))]
            topics = np.arange(scored.size)  # each counts, so micro F1 is accuracy
            yield (f"links {fraction:.0%}", loaded.label_names,
                   picked(learnt, Test(test, cut, topics, topics, None, {}), search))
        return
    case = Case(this, experiment, name, number)
    cut = [(chains, case.problem(case.scored.part(np.flatnonzero(chains))))
           for chains in parts_of([case.data.records[r].group for r in case.scored.records], len(case.train))]
    test = Test(case.problem(case.scored), cut, case.data.kind_of_label, case.kinds, case.classes, case.options)
    yield f"{experiment} {name}", case.kind_names(), picked(case.learn(), test, search)


def main():
    parser = parser_of(__doc__)
    parser.add_argument("names", nargs="*", default=EVERY)
    parser.add_argument("--splits", type=int, nargs="+", default=range(5))
    parser.add_argument("--search", type=int, default=0)
    parser.add_argument("--each", action="store_true")
    options = parser.parse_args()
    this = Pass(options)
    print("| set | split | tagger | learnt | picked | share, % | crossed |\n|---|--:|--:|--:|--:|--:|--:|")

    def tell(name, split, base, learnt, best, crossed):
        share = f"{100 * (learnt - base) / (best - base):.0f}" if best > base else ""
        print(f"| {name} | {split} | {base:.2f} | {learnt - base:+.2f} | {best - base:+.2f} | {share} "
              f"| {crossed - base:+.2f} |", flush=True)

    for experiment, name in (each.split(":") for each in options.names):
        rows = {}
        for number in options.splits:
            for told, kinds, found in point(this, experiment, name, number, options.search):
                heads = [told, *(f"{told} {kind}" for kind in kinds)] if options.each else [told]
                for head, row in zip(heads, found.T):
                    rows.setdefault(head, []).append(row)
                    tell(head, number, *row)
        for told, found in rows.items():
            tell(told, "mean", *np.mean(found, axis=0))


if __name__ == "__main__":
    main()
