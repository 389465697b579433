"""The problem files that every language reads come out the same, bit for bit."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import libchorale as ch

FILES = Path(__file__).resolve().parents[3] / "tests" / "problems"


def bits(score):
    return format(np.float64(score).view(np.uint64), "016x")


def test_problem_files():
    if not FILES.is_dir():
        pytest.skip("no tests/problems")
    with open(FILES / "expected.tsv", newline="") as table:
        expected = defaultdict(list)
        for row in csv.DictReader(table, delimiter="\t"):
            expected[row["file"]].append((row["what"], int(row["number"]), row["content"]))
    assert set(expected) == {path.name for path in FILES.glob("*.chorale")} != set()
    for name, rows in expected.items():
        run = ch.Run(ch.Problem.load(FILES / name), bound_steps=8)
        result = run.solve()
        for what, number, content in rows:
            if what == "outcome":
                found = str(int(result.outcome))
            elif what in ("score", "own_score", "upper_bound"):
                found = bits(getattr(result, what))
            elif what in ("chain_score", "clique_score"):
                found = bits(getattr(run, what)(number))
            elif what in ("labels", "own_labels"):
                found = " ".join(map(str, run.labels(number, own=what == "own_labels")))
            else:
                assert what == "values"
                found = " ".join(map(str, run.values(number)))
            assert found == content, (name, what, number)
