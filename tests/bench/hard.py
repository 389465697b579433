"""How near to the optimum runs come, shape by shape.

    hard.py [--instances N] [--seconds S] [--cache FILE] [--effort E] [SHAPE ...]

Draws N instances of each shape and compares a run with the best labelling that CP-SAT (ortools, which
must be installed) finds in S seconds of its deterministic time with one worker; these scores are kept
in FILE. Prints, for each shape, the mean and the 5th percentile of the share of the gain: (score - own)
/ (best - own), where `own` is the score of the chains' own labellings. A share above 1 says that the run
found more than CP-SAT did. Then the share of instances in which the run reaches `best`, the milliseconds
of a run, the mean share without moves of several chains, the ratio of the times with and without, and
the mean of bound - score (with --bound-steps).
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

Places = list[tuple[int, int]]


@dataclasses.dataclass
class Instance:
    """chains: unary scores (T x m), edge scores (m x m) and parents (or None); cliques: members as
    (chain, position), and a table for each value (m x (n + 1))."""

    chains: list[tuple[np.ndarray, np.ndarray, list[int] | None]]
    cliques: list[tuple[Places, np.ndarray]]


def potts(n: int, labels: int, strength: float) -> np.ndarray:
    return np.tile(strength * np.arange(n + 1) ** 2, (labels, 1))


def words(
    rng: np.random.Generator,
    chains: int,
    length: int,
    labels: int,
    kinds: int,
    table: Callable[[int], np.ndarray],
) -> Instance:
    """Chains of words; every word that occurs twice has a clique."""
    instance = Instance([], [])
    edges = rng.normal(0, 0.5, (labels, labels))
    for _ in range(chains):
        instance.chains.append((rng.normal(0, 1, (length, labels)), edges, None))
    drawn = rng.integers(kinds, size=(chains, length))
    for kind in range(kinds):
        places = [(int(i), int(t)) for i, t in zip(*np.nonzero(drawn == kind))]
        if len(places) > 1:
            instance.cliques.append((places, table(len(places))))
    return instance


def items(
    rng: np.random.Generator,
    count: int,
    labels: int,
    cliques: int,
    size: int,
    table: Callable[[int], np.ndarray],
) -> Instance:
    """Single items, each in some of the cliques."""
    instance = Instance([], [])
    zero = np.zeros((labels, labels))
    for _ in range(count):
        instance.chains.append((rng.normal(0, 1, (1, labels)), zero, None))
    for _ in range(cliques):
        members = rng.choice(count, size, replace=False)
        instance.cliques.append(([(int(i), 0) for i in sorted(members)], table(size)))
    return instance


def two_trees(rng: np.random.Generator) -> Instance:
    """Two trees of 20 positions and 4 labels, joined by six attractive Potts cliques of six."""
    instance = Instance([], [])
    for _ in range(2):
        parents = [-1] + [int(rng.integers(t)) for t in range(1, 20)]
        instance.chains.append(
            (rng.normal(0, 1, (20, 4)), rng.normal(0, 0.5, (4, 4)), parents)
        )
    for _ in range(6):
        places = [
            (i, int(t))
            for i in (0, 1)
            for t in sorted(rng.choice(20, 3, replace=False))
        ]
        instance.cliques.append((places, potts(6, 4, 0.4)))
    return instance


def grid(
    rng: np.random.Generator, side: int, labels: int, couple: Callable[[], float]
) -> Instance:
    """A square grid of items with a clique of two for each pair of neighbours."""
    zero = np.zeros((labels, labels))
    instance = Instance(
        [(rng.normal(0, 1, (1, labels)), zero, None) for _ in range(side * side)], []
    )
    for i in range(side * side):
        for j in (i + 1, i + side):
            if j < side * side and (j != i + 1 or j % side):
                instance.cliques.append(
                    ([(i, 0), (j, 0)], potts(2, labels, couple() / 2))
                )
    return instance


Shape = Callable[[np.random.Generator], Instance]
SHAPES: dict[str, Shape] = {
    "words in chains": lambda r: words(
        r, 30, 12, 4, 40, lambda n: potts(n, 4, 0.5 / n)
    ),
    "items in four cliques": lambda r: items(
        r, 40, 5, 4, 15, lambda n: potts(n, 5, 0.4 / n)
    ),
    "one chain": lambda r: words(r, 1, 120, 4, 30, lambda n: potts(n, 4, 0.5 / n)),
    "attractive grid": lambda r: grid(r, 8, 3, lambda: 0.3),
    "contended items": lambda r: items(r, 40, 5, 4, 15, lambda n: potts(n, 5, 1 / n)),
    "contended grid": lambda r: grid(r, 8, 3, lambda: 0.8),
    "two trees": two_trees,
    "negative strengths": lambda r: words(r, 6, 6, 3, 8, lambda n: potts(n, 3, -2 / n)),
    "random tables, chains": lambda r: words(
        r, 6, 5, 3, 8, lambda n: r.normal(0, 1, (3, n + 1))
    ),
    "random tables, items": lambda r: items(
        r, 20, 3, 8, 5, lambda n: r.normal(0, 1, (3, n + 1))
    ),
    "mixed signs": lambda r: words(
        r, 8, 6, 3, 10, lambda n: potts(n, 3, float(r.choice([-1.0, 1.0])) * 2 / n)
    ),
    "spin glass": lambda r: grid(r, 10, 2, lambda: float(r.normal(0, 3))),
}


def instances(shape: str, count: int) -> Iterator[Instance]:
    for i in range(count):
        seed = [list(SHAPES).index(shape), i]
        yield SHAPES[shape](np.random.default_rng(seed))


def reference(instance: Instance, seconds: float) -> float:
    """Returns the best score that CP-SAT finds."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    scale = 1e6
    terms: list[Any] = []

    def pay(variable: Any, score: float) -> None:
        if score:
            terms.append(round(scale * score) * variable)

    shows = {}
    for i, (unary, edges, parents) in enumerate(instance.chains):
        length, labels = unary.shape
        for t in range(length):
            for y in range(labels):
                shows[i, t, y] = model.new_bool_var("")
                pay(shows[i, t, y], unary[t, y])
            model.add_exactly_one(shows[i, t, y] for y in range(labels))
            before = t - 1 if parents is None else parents[t]
            if before < 0:
                continue
            both = [
                [model.new_bool_var("") for _ in range(labels)] for _ in range(labels)
            ]
            for x in range(labels):
                model.add(sum(both[x]) == shows[i, before, x])
                for y in range(labels):
                    pay(both[x][y], edges[x, y])
            for y in range(labels):
                model.add(sum(row[y] for row in both) == shows[i, t, y])
    for places, table in instance.cliques:
        for y, row in enumerate(table):
            counts = [model.new_bool_var("") for _ in row]
            model.add_exactly_one(counts)
            model.add(
                sum(k * count for k, count in enumerate(counts))
                == sum(shows[i, t, y] for i, t in places)
            )
            for count, score in zip(counts, row):
                pay(count, score)
    model.maximize(sum(terms))
    solver = cp_model.CpSolver()
    solver.parameters.max_deterministic_time = seconds
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return solver.objective_value / scale if found else -np.inf


def solve(shape: str, count: int, options: dict[str, Any]) -> Iterator[list[float]]:
    """Returns, for each instance, the score, the score of the chains alone, the bound, and the
    seconds of a run: the least of three. Then score and seconds without moves of several chains."""
    import libchorale as ch

    for instance in instances(shape, count):
        builder = ch.ModelBuilder()
        for unary, edges, parents in instance.chains:
            if len(unary) == 1:
                builder.add_chain(unary)
            else:
                builder.add_chain(ch.Chain(unary, edges, parents=parents))
        for places, table in instance.cliques:
            clique = builder.add_cliques(1, potential=ch.Potential.sum(table)).start
            chains, positions = zip(*places)
            builder.add_members(clique, chains, positions)
        model = builder.freeze()
        taken = [np.inf, np.inf]
        for _ in range(3):
            for k, added in enumerate(({}, {"effort": -1.0})):
                run = ch.Run(model, **{**options, **added})
                begin = time.process_time()
                result = run.solve()
                taken[k] = min(taken[k], time.process_time() - begin)
                if k == 0:
                    full = result
        yield [
            full.score,
            full.own_score,
            full.upper_bound,
            taken[0],
            result.score,
            taken[1],
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shapes", nargs="*", metavar="SHAPE")
    parser.add_argument("--instances", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--cache", default="hard.json")
    parser.add_argument("--effort", type=float, default=1.0)
    parser.add_argument("--bound-steps", type=int, default=0)
    given = parser.parse_args()
    cache = (
        json.loads(Path(given.cache).read_text()) if Path(given.cache).exists() else {}
    )
    print(
        "shape",
        "mean",
        "5 %",
        "optimal",
        "ms",
        "mean without",
        "time ratio",
        "slack",
        sep="\t",
    )
    for shape in given.shapes or SHAPES:
        best = []
        for i, instance in enumerate(instances(shape, given.instances)):
            key = f"{shape} {i} {given.seconds:g}"
            if key not in cache:
                cache[key] = reference(instance, given.seconds)
                Path(given.cache).write_text(json.dumps(cache))
            best.append(cache[key])
        options = {"bound_steps": given.bound_steps, "effort": given.effort}
        results = np.array(list(solve(shape, given.instances, options))).T
        score, alone, bound, taken, plain_score, plain_taken = results
        top = np.array(best)
        may_gain = top - alone > 1e-5

        def shares(of: np.ndarray) -> np.ndarray:
            return np.where(
                may_gain, (of - alone) / np.where(may_gain, top - alone, 1), 1
            )

        found = shares(score)
        figures = [found.mean(), np.quantile(found, 0.05), (found > 1 - 1e-4).mean()]
        figures += [
            1000 * taken.mean(),
            shares(plain_score).mean(),
            taken.sum() / plain_taken.sum(),
        ]
        if given.bound_steps:
            figures.append((bound - np.maximum(top, score)).mean())
        print(shape, *(f"{figure:.3f}" for figure in figures), sep="\t", flush=True)


if __name__ == "__main__":
    main()
