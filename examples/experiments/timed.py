#!/usr/bin/env python3
"""How long it takes to label the test groups of a split, and to learn from the training groups.

    timed.py [--data FOLDER] [--pages FILE] [--cache FOLDER] [--only NAME ...]

Seconds of a processor, on one thread, without the work of the tagger; of what labels the least of
three. *label*: with what was learnt; *auto*: with a strength that is found from the scores; *learn*.
`settle` and `agree` label a table that settled.py generates.
"""

import time

import libchorale as ch
import numpy as np
from libchorale.learn import learn

import settled
from case import Case
from report import markdown_table
from run import Pass, parser_of

# Experiment, set, split.
POINTS = (
    ("words", "wikigold", 0), ("words-across", "wikigold", 0), ("words", "litbank", 0), ("words", "ncbi_disease", 0),
    ("words", "us50_addresses", 0), ("words", "cora_ie", 0), ("domain-plain", "grobid_refs", 5),
    ("domain", "pages", 0),
)


def seconds(work):
    least = float("inf")
    for _ in range(3):
        begin = time.process_time()
        work()
        least = min(least, time.process_time() - begin)
    return least


def times(problem, parts, options, classes):
    """Returns the seconds to label a problem, the same with a strength found without gold labels,
    and the seconds to learn from the parts."""
    def label(learnt):
        with ch.Run(learnt.apply(problem), **options) as run:
            run.solve()

    begin = time.process_time()
    learnt = learn(parts, classes=classes)
    learning = time.process_time() - begin
    return seconds(lambda: label(learnt)), seconds(lambda: label(learn([problem], without_gold=True))), learning


def of_table(call, rows=60000):
    key, _, label, sure = settled.generated(np.random.default_rng(0), 0.0, "calibrated", rows)
    table = [{"key": int(k), "label": settled.LABELS[v], "sure": float(p)} for k, v, p in zip(key, label, sure)]
    least = seconds(lambda: call(table, key="key", label="label", confidence="sure"))
    return len(table), "rows", least, float("nan"), float("nan")


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--only", nargs="*", default=[*(name for _, name, _ in POINTS), "settle", "agree"])
    options = parser.parse_args()
    this, rows = Pass(options), []
    for experiment, name, number in POINTS:
        if name not in options.only or not this.path(name).exists():
            continue
        case = Case(this, experiment, name, number)
        words = sum(len(one) for one in case.scored.unary)
        found = times(case.problem(case.scored), [case.problem(part) for part in case.parts], case.options, case.classes)
        rows.append((experiment, name, (words, "words", *found)))
        print(rows[-1], flush=True)
    for call in (ch.settle, ch.agree):
        if call.__name__ in options.only:
            rows.append((call.__name__, "generated", of_table(call)))
    cells = [[experiment, name, f"{count} {what}", *("" if np.isnan(of) else f"{of:.3f}" for of in found)]
             for experiment, name, (count, what, *found) in rows]
    print("\n" + markdown_table(["experiment", "set", "labelled", "label", "auto", "learn"], cells, "lllrrr"))


if __name__ == "__main__":
    main()
