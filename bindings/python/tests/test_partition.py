"""Partitions against enumeration, planted groups, and a plain local search."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterator

import numpy as np
import pytest

from libchorale.partition import Partition, partition, partition_pairs

SEED = int(os.environ.get("CHORALE_SEED", "1"))


@pytest.fixture
def rng() -> np.random.Generator:
    print(f"CHORALE_SEED={SEED}")
    return np.random.default_rng(SEED)


def partitions(count: int) -> Iterator[list[int]]:
    """Yields the groups of 0 .. count - 1 in every partition."""
    if count == 0:
        yield []
        return
    for before in partitions(count - 1):
        for group in range(max(before, default=-1) + 2):
            yield [*before, group]


Pairs = list[tuple[int, int]]


def is_allowed(
    groups: list[int], must: Pairs, cannot: Pairs, greatest: int | None, sources: list[int] | None
) -> bool:
    members = [[i for i, own in enumerate(groups) if own == group] for group in set(groups)]
    return (
        all(groups[a] == groups[b] for a, b in must)
        and all(groups[a] != groups[b] for a, b in cannot)
        and (not greatest or all(len(group) <= greatest for group in members))
        and (not sources or all(len({sources[i] for i in g}) == len(g) for g in members))
    )


def score_of(groups: list[int], pairs: Pairs, scores: np.ndarray) -> float:
    return math.fsum(s for (a, b), s in zip(pairs, scores) if groups[a] == groups[b])


def test_enumeration(rng: np.random.Generator) -> None:
    """Score, bound and proof are right, and the limits hold, on small graphs."""
    proven = optimal = 0
    for _ in range(60):
        count = int(rng.integers(1, 7))
        pairs = [pair for pair in itertools.combinations(range(count), 2) if rng.random() < 0.7]
        pairs += [pairs[k] for k in rng.integers(len(pairs), size=2)] if pairs else []
        scores = rng.normal(0, 2, len(pairs))
        drawn = [tuple(rng.choice(count, 2, replace=False).tolist()) for _ in range(4) if count > 1]
        must, cannot = drawn[:1], drawn[1:2]
        must = must if rng.random() < 0.3 else []
        cannot = (
            cannot
            if rng.random() < 0.5 and set(map(frozenset, must)).isdisjoint(map(frozenset, cannot))
            else []
        )
        sources = rng.integers(4, size=count).tolist() if rng.random() < 0.3 else None
        if sources and must and sources[must[0][0]] == sources[must[0][1]]:
            sources = None
        greatest = int(rng.integers(2, 5)) if rng.random() < 0.3 else None

        limits = (must, cannot, greatest, sources)
        best = max(
            score_of(groups, pairs, scores)
            for groups in partitions(count)
            if is_allowed(groups, *limits)
        )
        found = partition_pairs(
            count,
            [a for a, _ in pairs],
            [b for _, b in pairs],
            scores,
            must_link=must,
            cannot_link=cannot,
            sources=sources,
            greatest_size=greatest,
            effort=0.2,
        )
        groups = found.groups.tolist()
        assert is_allowed(groups, *limits)
        assert found.score == pytest.approx(score_of(groups, pairs, scores), abs=1e-9)
        assert found.upper_bound >= best - 1e-9
        assert found.score <= best + 1e-9
        if found.proven:
            assert found.score == pytest.approx(best, abs=1e-6)
        proven += found.proven
        optimal += found.score > best - 1e-9
        check_reasons(found, pairs, scores)
    assert optimal >= 45 and proven >= 10


def check_reasons(found: Partition, pairs: list[tuple[int, int]], scores: np.ndarray) -> None:
    told = {overruled.pair for overruled in found.overruled}
    groups = found.groups
    for k, (a, b) in enumerate(pairs):
        assert (k in told) == ((groups[a] == groups[b]) == (scores[k] < 0) and scores[k] != 0)
    for overruled in found.overruled:
        if overruled.reason == "others":  # the other pairs outweigh this one
            assert overruled.others * np.sign(overruled.score) <= 1e-9 - abs(overruled.score)


def test_bound_of_eight() -> None:
    """The bound is that of the linear program, 70, and proves the partition."""
    weights = dict.fromkeys(
        [(0, 1), (0, 2), (0, 4), (1, 2), (1, 3), (2, 3), (2, 4), (4, 7), (6, 7)], 5
    )
    weights |= dict.fromkeys([(3, 5), (4, 6), (5, 6)], 10) | {(4, 5): -5}
    first, second = zip(*weights)
    found = partition_pairs(8, first, second, [float(w) for w in weights.values()])
    assert found.score == 70 and found.proven


def test_planted_groups() -> None:
    """Finds planted groups again, which connected components do not: wrong pairs join them."""
    rng = np.random.default_rng(1)
    truth = np.sort(rng.integers(60, size=300))
    same = [p for p in itertools.combinations(range(300), 2) if truth[p[0]] == truth[p[1]]]
    other = rng.integers(300, size=(400, 2))
    other = other[truth[other[:, 0]] != truth[other[:, 1]]]
    pairs = np.array([*same, *other.tolist()])
    scores = np.concatenate([rng.uniform(2, 6, len(same)), rng.uniform(-6, 1.9, len(other))])
    found = partition_pairs(300, pairs[:, 0], pairs[:, 1], scores, effort=0.1)
    planted = scores[truth[pairs[:, 0]] == truth[pairs[:, 1]]].sum()
    assert found.score >= planted - 1e-6
    assert found.upper_bound >= found.score
    assert found.gap <= 0.02 * found.score


def test_local_search() -> None:
    """Complete graphs of 20 records: at least as good as single moves from 20 random starts."""
    rng = np.random.default_rng(1)
    for _ in range(3):
        weights = np.triu(rng.normal(0, 1, (20, 20)), 1)
        both = weights + weights.T
        best = 0.0
        for _ in range(20):
            groups = rng.integers(20, size=20)
            moved = True
            while moved:
                moved = False
                for i in range(20):
                    sums = np.bincount(groups, weights=both[i], minlength=21)
                    if sums.max() > sums[groups[i]] + 1e-9:
                        groups[i], moved = sums.argmax(), True
            best = max(best, both[groups[:, None] == groups].sum() / 2)
        first, second = np.triu_indices(20, 1)
        found = partition_pairs(20, first, second, weights[first, second])
        assert found.score >= best - 1e-9
        assert found.upper_bound >= found.score


def test_effort() -> None:
    """More effort never scores less, and the same call gives the same answer."""
    rng = np.random.default_rng(1)
    first, second = np.triu_indices(16, 1)
    for _ in range(3):
        scores = rng.normal(0, 1, len(first))
        found = [
            partition_pairs(16, first, second, scores, effort=e).score for e in (0, 0.05, 0.2, 0.2)
        ]
        assert found == sorted(found) and found[2] == found[3]


def test_table() -> None:
    """The columns of Splink, by weight or probability; identifiers of any kind."""
    table = {
        "unique_id_l": ["a", "a", "b"],
        "unique_id_r": ["b", "c", "c"],
        "match_probability": [0.99, 0.9, 0.5],
    }
    assert partition(table).members() == [["a", "b", "c"]]
    assert partition(table, cannot_link=[("a", "c")]).members() == [["a", "b"], ["c"]]
    assert partition(table, greatest_size=2).members() == [["a", "b"], ["c"]]
    assert partition(table, sources={"a": 1, "b": 1, "c": 2}).members() == [["a", "c"], ["b"]]
    assert partition(table, records="dcba").members() == [["d"], ["c", "b", "a"]]
    one = partition(table | {"match_weight": [-1.0, -1.0, -1.0]}, must_link=[("a", "c")])
    assert one.members() == [["a", "c"], ["b"]] and one.score == -1 and one.proven
    assert [(o.pair, o.reason) for o in one.overruled] == [(1, "limit")]
    pandas = pytest.importorskip("pandas")
    assert partition(pandas.DataFrame(table)).members() == [["a", "b", "c"]]


def test_mistakes() -> None:
    """Wrong arguments are refused, with a message that names them."""
    for words, call in {
        "scores has shape": lambda: partition_pairs(2, [0], [1], []),
        "scores has entries that are not finite": lambda: partition_pairs(2, [0], [1], [np.nan]),
        "pairs has a record outside 0 to 1": lambda: partition_pairs(2, [0], [2], [1.0]),
        "with itself": lambda: partition_pairs(2, [1], [1], [1.0]),
        "sources has 1 entries, not 2": lambda: partition_pairs(2, [0], [1], [1.0], sources=[1]),
        "greatest_size is 0": lambda: partition_pairs(2, [0], [1], [1.0], greatest_size=0),
        "must_link joins two records": lambda: partition_pairs(
            2, [0], [1], [1.0], must_link=[(0, 1)], sources=["a", "a"]
        ),
        "must_link joins more": lambda: partition_pairs(
            2, [0], [1], [1.0], must_link=[(0, 1)], greatest_size=1
        ),
        "must be linked and cannot be": lambda: partition_pairs(
            2, [0], [1], [1.0], must_link=[(0, 1)], cannot_link=[(1, 0)]
        ),
        "outside 0 to 1": lambda: partition(
            {"unique_id_l": [1], "unique_id_r": [2], "match_probability": [1.5]}
        ),
    }.items():
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(KeyError, match="match_weight"):
        partition({"unique_id_l": [1], "unique_id_r": [2]})
