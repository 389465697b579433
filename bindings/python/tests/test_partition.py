"""Partitions against enumeration; tables; limits; mistakes."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterator

import numpy as np
import pytest

from libchorale import Cancel, Error, Outcome
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
    for _ in range(30):
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
    assert optimal >= 25 and proven >= 15


def check_reasons(found: Partition, pairs: list[tuple[int, int]], scores: np.ndarray) -> None:
    told = {overruled.pair for overruled in found.overruled}
    groups = found.groups
    for k, (a, b) in enumerate(pairs):
        assert (k in told) == ((groups[a] == groups[b]) == (scores[k] < 0) and scores[k] != 0)
    for overruled in found.overruled:
        if overruled.reason == "others":  # the other pairs outweigh this one
            assert overruled.others * np.sign(overruled.score) <= 1e-9 - abs(overruled.score)


def test_limits() -> None:
    """More effort never scores less; limits leave a partition and a bound."""
    rng = np.random.default_rng(1)
    first, second = np.triu_indices(14, 1)
    scores = rng.normal(0, 1, len(first))
    found = [partition_pairs(14, first, second, scores, effort=e) for e in (0, 0.05, 1)]
    assert [f.score for f in found] == sorted(f.score for f in found)
    assert found[0].outcome == Outcome.COMPLETE
    ended = partition_pairs(14, first, second, scores, time_limit=0)
    assert ended.outcome == Outcome.DEADLINE and ended.upper_bound >= found[-1].score
    cancel = Cancel()
    cancel.set()
    ended = partition_pairs(14, first, second, scores, cancel=cancel)
    assert ended.outcome == Outcome.CANCELLED and len(ended.groups) == 14


def test_table() -> None:
    """The columns of Splink, by weight or probability; identifiers of any kind."""
    columns = {
        "unique_id_l": ["a", "a", "b"],
        "unique_id_r": ["b", "c", "c"],
        "match_probability": [0.99, 0.9, 0.5],
    }

    def rows(**more: list[float]) -> list[dict[str, object]]:
        of = columns | more
        return [dict(zip(of, row)) for row in zip(*of.values())]

    table = rows()
    assert partition(table).members() == [["a", "b", "c"]]
    assert partition(table, cannot_link=[("a", "c")]).members() == [["a", "b"], ["c"]]
    assert partition(table, greatest_size=2).members() == [["a", "b"], ["c"]]
    assert partition(table, sources={"a": 1, "b": 1, "c": 2}).members() == [["a", "c"], ["b"]]
    assert partition(table, records="dcba").members() == [["d"], ["c", "b", "a"]]
    one = partition(rows(match_weight=[-1.0, -1.0, -1.0]), must_link=[("a", "c")])
    assert one.members() == [["a", "c"], ["b"]] and one.score == -1 and one.proven
    assert [(o.pair, o.reason) for o in one.overruled] == [(1, "limit")]
    certain = partition(rows(match_probability=[1.0, 0.0, 0.5]))
    assert certain.members() == [["a", "b"], ["c"]]
    numbers = rows(unique_id_l=[7, 7, 5], unique_id_r=[5, 9, 9])
    assert partition(numbers).members() == [[7, 5, 9]]
    pandas = pytest.importorskip("pandas")
    assert partition(pandas.DataFrame(columns)).members() == [["a", "b", "c"]]
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("nanoarrow")
    assert partition(pyarrow.table(columns)).members() == [["a", "b", "c"]]


def test_function_of_sql() -> None:
    duckdb = pytest.importorskip("duckdb")
    from libchorale import sql

    connection = duckdb.connect()
    sql.register_partition(connection, greatest_size=2)
    connection.execute("create table pairs (l integer, r integer, score double)")
    connection.executemany("insert into pairs values (?, ?, ?)", [(7, 9, 3), (9, 5, 2), (5, 7, 1)])
    query = """select unnest(groups_of_pairs(list(l), list(r), list(score)), recursive := true)
               from pairs {}"""
    assert connection.sql(query.format("")).fetchall() == [("7", 0), ("9", 0), ("5", 1)]
    assert connection.sql("select groups_of_pairs(null, null, null)").fetchall() == [(None,)]
    with pytest.raises(duckdb.InvalidInputException, match="lists of 1, 2, 1 entries"):
        connection.sql("select groups_of_pairs([1], [1, 2], [0.5])").fetchall()


def test_mistakes() -> None:
    """Wrong arguments are refused, with a message that names them."""
    pair = {"unique_id_l": 1, "unique_id_r": 2}
    for words, call in {
        "scores has shape": lambda: partition_pairs(2, [0], [1], []),
        r"scores\[0\] is NaN": lambda: partition_pairs(2, [0], [1], [np.nan]),
        r"second\[0\] is 2; it must be from 0 to 1": lambda: partition_pairs(2, [0], [2], [1.0]),
        "another record": lambda: partition_pairs(2, [1], [1], [1.0]),
        "sources has 1 entries, not 2": lambda: partition_pairs(2, [0], [1], [1.0], sources=[1]),
        "greatest_size is 0": lambda: partition_pairs(2, [0], [1], [1.0], greatest_size=0),
        "join two records of the source 0": lambda: partition_pairs(
            2, [0], [1], [1.0], must_link=[(0, 1)], sources=["a", "a"]
        ),
        "join 2 records; greatest_size is 1": lambda: partition_pairs(
            2, [0], [1], [1.0], must_link=[(0, 1)], greatest_size=1
        ),
        "must be together": lambda: partition_pairs(
            2, [0], [1], [1.0], must_link=[(0, 1)], cannot_link=[(1, 0)]
        ),
        "3 is not among the records": lambda: partition(
            [pair | {"match_weight": 1.0}], must_link=[(1, 3)]
        ),
        "is 1.5 in row 0; it must be from 0 to 1": lambda: partition(
            [pair | {"match_probability": 1.5}]
        ),
        "score: there is no column 'match_weight'": lambda: partition([pair]),
        "'unique_id_r' is null in row 0": lambda: partition(
            [pair | {"unique_id_r": None, "match_weight": 1.0}]
        ),
    }.items():
        with pytest.raises((ValueError, Error), match=words):
            call()
