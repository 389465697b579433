#!/usr/bin/env python3
"""Checks the programs behind CLIQUES.md, in seconds: the rivals against enumeration, the
generators, and a tiny pass of cliques.py over synthetic cliques. Prints the seed. Ends with 1 at
the first fault."""

import itertools
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import libchorale as ch
import synthetic
from rivals import TRWS, complete_graph, potts_expansion, potts_score, potts_trws, printed_lagrangian

TINY = 1e-9


def labellings(members, values):
    return (np.array(x) for x in itertools.product(range(values), repeat=members))


def check(holds, what):
    if not holds:
        sys.exit(f"check_cliques.py: {what}")


def check_trws(rng):
    """Checks that the bound of TRW-S is at least the optimum and never rises. On chains the bound
    is the optimum, and the labelling attains it."""
    nodes, labels = rng.integers(2, 6), rng.integers(2, 4)
    unary, tables = rng.normal(size=(nodes, labels)), rng.normal(size=(2, labels, labels))
    edges = complete_graph(nodes)
    kinds, weights = rng.integers(-1, 2, len(edges)), rng.uniform(0.0, 1.0, len(edges))
    solver = TRWS(unary, edges, weights, kinds, tables)
    optimum = max(solver.score(x) for x in labellings(nodes, labels))
    before = np.inf
    for _ in range(20):
        x, bound = solver.iterate()
        check(optimum - TINY <= bound <= before + TINY, "a bound of TRW-S is none, or rises")
        check(solver.score(x) <= optimum + TINY, "TRW-S scores above the optimum")
        before = bound
    along = np.column_stack([np.arange(nodes - 1), np.arange(1, nodes)])
    solver = TRWS(unary, along, tables=np.zeros(nodes - 1, int), scores=tables)
    optimum = max(solver.score(x) for x in labellings(nodes, labels))
    solver.iterate()
    x, bound = solver.iterate()
    check(abs(bound - optimum) < TINY and abs(solver.score(x) - optimum) < TINY,
          "TRW-S is not exact on a chain")


def check_potts(rng):
    """Checks TRW-S and alpha-expansion on a clique against the optimum. Alpha-expansion must leave
    no move to one value that raises the score, and reach half of the optimum. The optimum of the
    library must be that of enumeration."""
    members, values = rng.integers(2, 6), rng.integers(2, 4)
    psi, strength = rng.uniform(0.0, 2.0, (members, values)), rng.uniform(0.0, 0.5)
    optimum = max(potts_score(psi, strength, x) for x in labellings(members, values))
    result = ch.CliqueSolver().solve(ch.Potential.potts(values, strength), psi, algorithm="exact")
    check(abs(result.score - optimum) < 1e-6, "the library and enumeration differ")
    _, score, bound, *_ = potts_trws(psi, strength, 100, time.thread_time)
    check(score <= optimum + TINY and bound >= optimum - TINY, "TRW-S on a clique")
    x, score, _, _ = potts_expansion(psi, strength, time.thread_time)
    check(0.5 * optimum - TINY <= score <= optimum + TINY, "alpha-expansion on a clique")
    for value in range(values):
        for moved in itertools.product((False, True), repeat=int(members)):
            y = np.where(moved, value, x)
            check(potts_score(psi, strength, y) <= score + TINY, "a move is left to alpha-expansion")


def check_majority(rng):
    """Checks that the printed relaxation scores between "all members at one value" and the
    optimum."""
    members, values = int(rng.integers(2, 7)), int(rng.integers(2, 5))
    psi, weights = rng.uniform(0.0, 2.0, (members, values)), synthetic.dense(rng, 0.9, values)
    potential = ch.Potential.majority(weights)
    optimum = ch.CliqueSolver().solve(potential, psi, algorithm="exact_majority").score
    least = (psi.sum(axis=0) + members * weights.diagonal()).max()
    found = printed_lagrangian(psi, weights)
    check(least - TINY <= found <= optimum + TINY, "the printed relaxation")


def check_generators(rng):
    for make in (synthetic.dense, synthetic.dominant, synthetic.sparse):
        w = make(rng, 0.8)
        check(np.array_equal(w, w.T) and w.min() >= 0.0 and w.max() <= 1.6, "W")
    check(np.all(synthetic.dense(rng, 0.8).diagonal() == 0.8), "the diagonal of MAJ-DENSE")
    check(synthetic.dominant(rng, 0.8).max() == 0.8, "the diagonal does not dominate")
    zeros = np.mean([np.mean(synthetic.sparse(rng, 0.8) == 0.0) for _ in range(20)])
    check(0.65 < zeros < 0.75, "MAJ-SPARSE")
    check(len(synthetic.CONTENDED) == 9 and len(synthetic.WIDE) == 20, "the steps of lambda")


def check_tiny_pass():
    here = Path(__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(here / "cliques.py"), "--tiny", "--out", folder,
                        "--cache", folder], check=True, stderr=subprocess.DEVNULL)
        text = (Path(folder) / "cliques-tiny.md").read_text(encoding="utf-8")
        for section in ("## Potts against", "## alpha-pass against ICM", "## MAJ-DENSE",
                        "## MAJ-SPARSE", "## words: skipped", "## iterations: skipped"):
            check(section in text, f"the tiny pass lacks {section!r}")
        for row in text.splitlines():
            if row.startswith("| exact | ") and row.count("|") == 7:
                check(row.startswith("| exact | 1.00000 | 1.0000 | 100.0 % |"), f"not exact: {row}")
        for plot in ("potts-ratio", "potts-time", "icm", "majority-dense", "majority-sparse"):
            check((Path(folder) / f"cliques-{plot}.svg").stat().st_size > 1000, f"no plot {plot}")


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 20100
    print(f"seed {seed}")
    rng = np.random.default_rng(seed)
    for _ in range(60):
        check_trws(rng)
        check_potts(rng)
        check_majority(rng)
    check_generators(rng)
    check_tiny_pass()
    print("the clique experiments are sound")


if __name__ == "__main__":
    main()
