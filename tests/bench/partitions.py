#!/usr/bin/env python3
"""Partitions: scores, bounds, time and memory.

    tests/bench/partitions.py [INSTANCES]

Complete graphs of 20 records with normal scores, 64 unless INSTANCES says otherwise: score beside the
best of 20 plain local searches, and bound beside the value of the linear program with all triangles (by
GLOP, if ortools is installed). Then 10,000 records with 50,000 pairs: planted groups of four in the mean,
all pairs within groups, and wrong pairs. Needs NumPy and the library that CHORALE_LIBRARY names.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings/python/src"))
from libchorale.partition import partition_pairs  # noqa: E402

SIZE = 20
FIRST, SECOND = np.triu_indices(SIZE, 1)


def local_search(scores: np.ndarray, rng: np.random.Generator) -> float:
    """Moves single records while that gains, from a random start."""
    both = np.zeros((SIZE, SIZE))
    both[FIRST, SECOND] = scores
    both += both.T
    group = rng.integers(SIZE, size=SIZE)
    moved = True
    while moved:
        moved = False
        for i in range(SIZE):
            sums = np.bincount(group, weights=both[i], minlength=SIZE + 1)
            if sums.max() > sums[group[i]] + 1e-9:
                group[i], moved = sums.argmax(), True
    return both[group[:, None] == group].sum() / 2


def linear_program(scores: np.ndarray) -> float:
    try:
        from ortools.linear_solver import pywraplp
    except ImportError:
        return np.nan
    solver = pywraplp.Solver.CreateSolver("GLOP")
    joined = {pair: solver.NumVar(0, 1, "") for pair in zip(FIRST.tolist(), SECOND.tolist())}
    for i, j in joined:
        for k in range(j + 1, SIZE):
            x, y, z = joined[i, j], joined[i, k], joined[j, k]
            for constraint in (x + y - z <= 1, x + z - y <= 1, y + z - x <= 1):
                solver.Add(constraint)
    solver.Maximize(sum(score * x for score, x in zip(scores.tolist(), joined.values())))
    solver.Solve()
    return float(solver.Objective().Value())


def complete_graphs(instances: int) -> None:
    shares, bounds, seconds = [], [], 0.0
    for seed in range(instances):
        rng = np.random.default_rng(1000 + seed)
        scores = rng.normal(0, 1, len(FIRST))
        began = time.process_time()
        found = partition_pairs(SIZE, FIRST, SECOND, scores)
        seconds += time.process_time() - began
        shares.append(found.score / max(local_search(scores, rng) for _ in range(20)))
        bounds.append(found.upper_bound / linear_program(scores))
    shares.sort()
    print(
        f"complete graphs of {SIZE}, {instances}: score / local search mean {np.mean(shares):.4f}, worst {shares[0]:.4f}; "
        f"bound / linear program mean {np.mean(bounds):.4f}, worst {np.max(bounds):.4f}; {1e3 * seconds / instances:.0f} ms each"
    )


def planted(records: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(records // 4, size=records)
    order = np.argsort(truth, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(truth[order])) + 1)
    same = np.array([(group[i], group[j]) for group in groups for i in range(len(group)) for j in range(i)])
    other = rng.integers(records, size=(5 * records - len(same), 2))
    pairs = np.concatenate([same, other[other[:, 0] != other[:, 1]]])
    right = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    scores = np.where(right, rng.normal(3, 3, len(pairs)), rng.normal(-4, 3, len(pairs)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    found = partition_pairs(records, pairs[:, 0], pairs[:, 1], scores)
    seconds = time.process_time() - began
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(
        f"{records} records, {len(pairs)} pairs, seed {seed}: score {found.score:.1f}, planted {scores[right].sum():.1f}, "
        f"gap {found.gap / found.score:.2%}, {seconds:.1f} s of processor time, {more / 1024:.0f} MB more at the peak"
    )


if __name__ == "__main__":
    complete_graphs(int(sys.argv[1]) if len(sys.argv) > 1 else 64)
    for seed in (3, 4):
        planted(10_000, seed)
