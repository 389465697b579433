#!/usr/bin/env python3
"""Measures how much of what learnt weights lack is due to the taggers of the folds.

    other_taggers.py [--data FOLDER] [--pages FILE] [--cache FOLDER] [--splits 0 1 2] [--taggers N] NAME ...

NAME is experiment:set, such as words:wikigold. The learner reads scores of the training groups by
taggers of folds, which have seen fewer groups than the final tagger. Here the same learner reads the
same training groups in the same problems, but scored by *another tagger*: one trained on as many
groups as the final tagger, which are drawn from the test groups. It is as strong as the final tagger
and has not seen the training groups. No user has such a tagger. So where weights learnt with it
(the mean of N such taggers) gain no more than the learner's own, better taggers of the folds would
not help: the training groups are too few to say more.

The table has F1 of the tagger on the test groups, and the gains over it of the learnt weights and of
those learnt with other taggers. What weights picked on the test groups gain, oracle_share.py
measures.
"""

import libchorale as ch
import numpy as np

from case import Case
from run import Pass, parser_of


def other_parts(case, count):
    """Yields the training parts as another tagger scores them, for each of `count` taggers."""
    order = np.random.default_rng(case.number).permutation(case.test)
    size = len(case.train)
    for first in range(0, min(count, len(order) // size) * size, size):
        _, scored = case.fit(np.sort(order[first:first + size]), case.train)
        place = {record: k for k, record in enumerate(scored.records)}
        yield [scored.part(place[record] for record in part.records) for part in case.parts]


def point(this, experiment, name, number, count):
    """Returns the names of the kinds and three scores, each the F1 of all kinds together and then of
    each: of the tagger, of the learnt weights, and of those learnt with other taggers."""
    case = Case(this, experiment, name, number)
    problem = case.problem(case.scored)

    def under(learnt):
        with ch.Run(learnt.apply(problem), **case.options) as run:
            run.solve()
            return case.scores([run.labels(k) for k in range(len(case.scored))])

    others = [under(case.learn(parts)) for parts in other_parts(case, count)]
    return case.kind_names(), np.array([case.scores(case.scored.own), under(case.learn()), np.mean(others, axis=0)])


def main():
    parser = parser_of(__doc__)
    parser.add_argument("names", nargs="+")
    parser.add_argument("--splits", type=int, nargs="+", default=range(5))
    parser.add_argument("--taggers", type=int, default=2)
    options = parser.parse_args()
    this = Pass(options)
    print("| set | split | F1 of | tagger | learnt | with other taggers |\n|---|--:|---|--:|--:|--:|")

    def tell(name, split, kinds, scores):
        for kind, (base, learnt, others) in zip(["all", *kinds], scores.T):
            print(f"| {name} | {split} | {kind} | {base:.2f} | {learnt - base:+.2f} | {others - base:+.2f} |",
                  flush=True)

    for experiment, name in (each.split(":") for each in options.names):
        rows = []
        for number in options.splits:
            kinds, scores = point(this, experiment, name, number, options.taggers)
            rows.append(scores)
            tell(f"{experiment} {name}", number, kinds, scores)
        tell(f"{experiment} {name}", "mean", kinds, np.mean(rows, axis=0))


if __name__ == "__main__":
    main()
