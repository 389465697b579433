#!/usr/bin/env python3
"""How well probabilities of learnt models and of the tagger are calibrated on the test groups.

    calibration.py [--data FOLDER] [--pages FILE] [--cache FOLDER] [--splits N]

Measured is the expected calibration error of the highest probability of a position, in ten bins of
as many positions each, over the positions whose label changed or whose highest probability (of the
learnt model) is below 0.95. Both models are measured at the temperature that the learner fitted on
held-out training groups, and at 1. *picked*: the least error of the learnt model at a temperature
that is one of MULTIPLES times the fitted one. It is picked on the test positions themselves, and so
is a lower bound on the error of any rule that fits one temperature. *perfect*: the mean error that
a model with the same probabilities would have if they were true and positions independent of each
other. It is not 0, since bins are finite.
"""

import libchorale as ch
import numpy as np

from case import Case
from run import Pass, parser_of

BINS = 10
DRAWS = 100
MULTIPLES = (0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.4, 1.6)
ROW = "| %s | %s | %d | %.2f" + 6 * " | %.1f" + " |"
SETS = ("wikigold", "pages")


def error(sure, right):
    """Returns the expected calibration error: the mean, over positions, of the distance between the
    mean probability of the position's bin and the share of right labels in it."""
    order = np.argsort(sure, kind="stable")
    parts = [part for part in np.array_split(order, BINS) if len(part)]
    return sum(len(p) * abs(sure[p].mean() - right[p].mean()) for p in parts) / max(1, len(order))


def measured(tables, gold, chosen):
    """Returns the error over the positions `chosen` (a mask), in per cent."""
    rows = np.concatenate(tables)[chosen]
    return 100 * error(rows.max(axis=1), rows.argmax(axis=1) == gold[chosen])


def perfect(tables, chosen, seed):
    """Returns the mean error, in per cent, over DRAWS draws of which positions of `chosen` are
    right: each with its highest probability, on its own."""
    random = np.random.default_rng(seed)
    sure = np.concatenate(tables)[chosen].max(axis=1)
    return 100 * np.mean([error(sure, random.random(len(sure)) < sure) for _ in range(DRAWS)])


def point(this, name, number):
    """Returns the number of positions measured, the temperature, and six errors: of the learnt
    model at the temperature and at 1, of the tagger at both, of the learnt model at the best
    temperature, and of a perfect model."""
    case = Case(this, "domain" if name == "pages" else "words", name, number)
    scored, learnt, problem = case.scored, case.learn(), case.problem(case.scored)
    temperature = learnt.report["temperature"]
    alone = ch.ModelBuilder()
    for unary, matrix in zip(scored.unary, scored.matrices):
        alone.add_chain(unary, matrix)
    gold = problem.gold
    with ch.Run(learnt.apply(problem)) as together, ch.Run(alone.freeze()) as own:
        together.solve()
        own.solve()
        count = range(len(scored))
        found = {(run, t): [run.probabilities(k, t)[0] for k in count]
                 for run in (together, own) for t in (temperature, 1.0)}
        changed = np.concatenate([together.labels(k) != scored.own[k] for k in count])
        unsure = lambda tables: changed | (np.concatenate(tables).max(axis=1) < 0.95)
        chosen = unsure(found[together, temperature])
        picked = np.inf
        for multiple in MULTIPLES:
            tables = [together.probabilities(k, multiple * temperature)[0] for k in count]
            picked = min(picked, measured(tables, gold, unsure(tables)))
        return (int(chosen.sum()), temperature,
                *(measured(found[run, t], gold, chosen) for run in (together, own)
                  for t in (temperature, 1.0)), picked,
                perfect(found[together, temperature], chosen, number))


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=SETS)
    options = parser.parse_args()
    this = Pass(options)
    print("| set | split | positions | temperature | learnt | at 1 | tagger | at 1 | picked | perfect |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name in options.only:
        rows = []
        for number in range(options.splits):
            rows.append(point(this, name, number))
            print(ROW % (name, number, *rows[-1]), flush=True)
        print(ROW % (name, "mean", *np.mean(rows, axis=0)))


if __name__ == "__main__":
    main()
