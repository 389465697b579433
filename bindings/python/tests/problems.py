"""Runs problem files and compares the results with a table, bit for bit. Needs NumPy alone.

    problems.py FOLDER

FOLDER has the problem files and the table, as tests/problems of the repository, whose README
describes both.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

import libchorale as ch


def bits(score):
    return format(np.float64(score).view(np.uint64), "016x")


def tell(run, result, score, what, number):
    """Returns the content that a line of the table should have. score: `Model.score` of the run's
    labels. what, number: fields of the line."""
    if what == "outcome":
        return str(int(result.outcome))
    if what in ("score", "own_score", "upper_bound"):
        return bits(getattr(result, what))
    if what in ("chain_score", "clique_score"):
        return bits(getattr(score, what + "s")[number])
    if what in ("labels", "own_labels"):
        return " ".join(map(str, run.labels(number, alone=what == "own_labels")))
    assert what == "values", what
    return " ".join(map(str, run.values(number)))


def compare(folder):
    """Compares all lines of the table of a folder with the results, and returns their number. Fails
    at the first line that differs."""
    with open(folder / "expected.tsv", newline="") as table:
        expected = defaultdict(list)
        for row in csv.DictReader(table, delimiter="\t"):
            expected[row["file"]].append((row["what"], int(row["number"]), row["content"]))
    assert set(expected) == {path.name for path in folder.glob("*.chorale")} != set()
    for name, rows in expected.items():
        problem = ch.Problem.load(folder / name)
        run = ch.Run(problem, bound_steps=8)
        result = run.solve()
        score = problem.model.score(run.labels())
        for what, number, content in rows:
            assert tell(run, result, score, what, number) == content, (name, what, number)
    return sum(map(len, expected.values()))


if __name__ == "__main__":
    print(f"{compare(Path(sys.argv[1]))} lines of results are the same")
