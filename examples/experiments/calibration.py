#!/usr/bin/env python3
"""How well probabilities of learnt models are calibrated on the test groups.

    calibration.py [--data FOLDER] [--pages FILE] [--cache FOLDER] [--splits N ...] [--only SET ...]

Measured is the expected calibration error of the probability of the label given, in ten bins of as
many positions each: at the positions whose label agreement changed, and at the other *unsure* ones,
whose label has a probability below 0.95. At temperature 1 they stand beside it. *perfect*: the mean
error that a model with the same probabilities would have if they were true and positions
independent of each other. It is not 0, since bins are finite.
"""

import libchorale as ch
import numpy as np

from case import Case
from run import Pass, parser_of

BINS = 10
DRAWS = 100
ROW = "| %s | %s | %d | %.1f | %.1f | %.1f | %d | %.1f | %.1f | %.1f |"
SETS = ("wikigold", "pages")


def error(sure, right):
    """Returns the expected calibration error: the mean, over positions, of the distance between the
    mean probability of the position's bin and the share of right labels in it."""
    order = np.argsort(sure, kind="stable")
    parts = [part for part in np.array_split(order, BINS) if len(part)]
    return sum(len(p) * abs(sure[p].mean() - right[p].mean()) for p in parts) / max(1, len(order))


def perfect(sure, seed):
    """Returns the mean error, in per cent, over DRAWS draws of which positions are right: each with
    its probability, on its own."""
    random = np.random.default_rng(seed)
    return 100 * np.mean([error(sure, random.random(len(sure)) < sure) for _ in range(DRAWS)])


def point(this, name, number):
    """Returns for the changed positions, and for the other unsure ones: their number, the error, the
    error at temperature 1, and that of a perfect model."""
    case = Case(this, "domain" if name == "pages" else "words", name, number)
    scored, learnt, problem = case.scored, case.learn(), case.problem(case.scored)
    with ch.Run(learnt.apply(problem)) as run:
        run.solve()
        labels = run.labels()
        changed, right = labels != run.labels(alone=True), labels == problem.gold

        def probabilities(of_chain):
            tables = np.concatenate([of_chain(k) for k in range(len(scored))])
            return tables[np.arange(len(labels)), labels]

        fitted = probabilities(lambda k: learnt.probabilities(run, k))
        plain = probabilities(lambda k: run.probabilities(k, 1.0)[0])
    row = []
    for chosen in (changed, ~changed & (fitted < 0.95)):
        row += [int(chosen.sum()), 100 * error(fitted[chosen], right[chosen]),
                100 * error(plain[chosen], right[chosen]), perfect(fitted[chosen], number)]
    return row


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--splits", type=int, nargs="+", default=range(5))
    parser.add_argument("--only", nargs="*", default=SETS)
    options = parser.parse_args()
    this = Pass(options)
    print("| set | split | changed | error | at 1 | perfect | unsure | error | at 1 | perfect |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name in options.only:
        rows = []
        for number in options.splits:
            rows.append(point(this, name, number))
            print(ROW % (name, number, *rows[-1]), flush=True)
        print(ROW % (name, "mean", *np.mean(rows, axis=0)))


if __name__ == "__main__":
    main()
