"""Partitions: divides records into groups by scored pairs, with a certificate.

A pair of records has a score, the log-odds that the two are one: above 0 they are rather the same,
below 0 rather not, and a pair without a score counts 0. The score of a partition is the sum of the
scores of all pairs inside its groups, and `partition` looks for the partition with the greatest
score. Connected components join all records that some path of likely pairs connects, and so let one
wrong pair join two groups; here the pairs within and between groups are weighed against each
other.
An upper bound on the score of every partition says how far the answer can be from the best one.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import time
from collections import deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from .prices import components

__all__ = ["Overruled", "Partition", "partition", "partition_pairs"]

Edge = tuple[int, int]

# Numbers of moves (with the effort), and of steps of the bound.
_MOVES, _MOVES_A_RECORD, _MOST_MOVES = 1000, 10, 10_000
_ROUNDS, _SWEEPS, _LAST_SWEEPS = 8, 5, 100
# Paths have at most this many pairs, and the search for one visits about so many records.
_LONGEST, _VISITED = 6, 100


@dataclasses.dataclass(frozen=True)
class Overruled:
    """A pair that the partition decides against its own score.

    pair    the number of the pair
    score   its score: above 0 if the two are in different groups, below 0 if they are in one
    others  for a pair above 0, the sum of the scores of all other pairs between the two groups; for
            a pair below 0, the sum of the other scores of one of the two records within the group,
            for the record where it is less
    reason  "others": they outweigh the score. "limit": a must-link, a cannot-link, the greatest
            size, or the sources do not allow the other decision"""

    pair: int
    score: float
    others: float
    reason: str


@dataclasses.dataclass(frozen=True)
class Partition:
    """A partition of records into groups.

    records      the records: identifiers, or 0 to n - 1
    groups       for each record the number of its group; groups are numbered in the order of their
                 first records
    score        the sum of the scores of all pairs within groups
    upper_bound  no partition that the limits allow has a higher score
    proven       True if upper_bound equals the score up to rounding
    overruled    the pairs that are decided against their own scores, with reasons"""

    records: list[Any]
    groups: npt.NDArray[np.int64]
    score: float
    upper_bound: float
    proven: bool
    overruled: list[Overruled]

    @property
    def gap(self) -> float:
        return self.upper_bound - self.score

    def members(self) -> list[list[Any]]:
        """Returns the records of each group."""
        found: list[list[Any]] = [[] for _ in range(int(self.groups.max(initial=-1)) + 1)]
        for record, group in zip(self.records, self.groups):
            found[group].append(record)
        return found


def partition(
    table: Any,
    *,
    first: str = "unique_id_l",
    second: str = "unique_id_r",
    score: str = "match_weight",
    probability: str = "match_probability",
    records: Iterable[Hashable] | None = None,
    must_link: Iterable[tuple[Hashable, Hashable]] = (),
    cannot_link: Iterable[tuple[Hashable, Hashable]] = (),
    sources: Mapping[Any, Hashable] | None = None,
    greatest_size: int | None = None,
    effort: float = 1.0,
    time_limit: float | None = None,
) -> Partition:
    """Divides the records of a table of scored pairs into groups, such as Splink writes.

    table          anything with columns by name: a dict, a data frame, an Arrow table
    first, second  the columns of the identifiers of the two records of a pair
    score          the column of scores (log-odds to any base); if the table has none,
    probability    the column of probabilities that the two are one
    records        all identifiers, also of records without pairs; None: those of the pairs, in the
                   order in which they occur
    must_link, cannot_link  pairs of identifiers that are in one group, or in different groups
    sources        the source of each record; a group has at most one record from each source. A
                   record without a source may be in any group
    greatest_size  the greatest number of records of a group
    effort         how long to search, as a multiple of the usual time; more never scores less
    time_limit     seconds after which the search (half of them) and the bound end early

    >>> pairs = {"unique_id_l": ["a", "a", "b", "c"], "unique_id_r": ["b", "c", "c", "d"],
    ...          "match_weight": [4.0, 3.0, -1.0, -2.0]}
    >>> found = partition(pairs)
    >>> found.members(), found.score, found.proven
    ([['a', 'b', 'c'], ['d']], 6.0, True)
    >>> found.overruled
    [Overruled(pair=2, score=-1.0, others=3.0, reason='others')]
    """
    names = list(
        table.keys()
        if isinstance(table, Mapping)
        else getattr(table, "column_names", getattr(table, "columns", ()))
    )
    ends = [np.asarray(table[name]).tolist() for name in (first, second)]
    if score in names:
        scores = np.asarray(table[score], dtype=float)
    elif probability in names:
        given = np.asarray(table[probability], dtype=float)
        if not ((given >= 0) & (given <= 1)).all():
            raise ValueError(f"the column {probability!r} has values outside 0 to 1")
        with np.errstate(divide="ignore"):
            scores = np.log2(given) - np.log2(1 - given)
        # Beyond what a double can tell from certainty; a certain pair is a must-link.
        scores = np.clip(scores, -52.0, 52.0)
    else:
        raise KeyError(f"the table has neither a column {score!r} nor {probability!r}")
    number: dict[Hashable, int] = {}
    for record in records if records is not None else itertools.chain(*zip(*ends)):
        number.setdefault(record, len(number))

    def numbered(of: Iterable[Hashable]) -> list[int]:
        try:
            return [number[record] for record in of]
        except KeyError as error:
            raise ValueError(f"{error.args[0]!r} is not among the records") from None

    links = [[tuple(numbered(pair)) for pair in pairs] for pairs in (must_link, cannot_link)]
    found = partition_pairs(
        len(number),
        numbered(ends[0]),
        numbered(ends[1]),
        scores,
        must_link=links[0],
        cannot_link=links[1],
        sources=None if sources is None else [sources.get(record) for record in number],
        greatest_size=greatest_size,
        effort=effort,
        time_limit=time_limit,
    )
    return dataclasses.replace(found, records=list(number))


def partition_pairs(
    records: int,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    scores: npt.ArrayLike,
    *,
    must_link: Sequence[Any] = (),
    cannot_link: Sequence[Any] = (),
    sources: Sequence[Hashable] | None = None,
    greatest_size: int | None = None,
    effort: float = 1.0,
    time_limit: float | None = None,
) -> Partition:
    """Divides the records 0 to records - 1 into groups. first, second, scores: an entry for each
    pair. must_link, cannot_link: pairs of numbers of records. sources: an entry for each record,
    None for a record without a source. The rest: as in `partition`.

    >>> partition_pairs(3, [0, 1, 0], [1, 2, 2], [2.0, 1.0, -1.5]).groups.tolist()
    [0, 0, 1]
    """
    records = arrays.size("records", records)
    ends = np.stack([arrays.longs("first", first), arrays.longs("second", second)], axis=-1)
    weights = np.asarray(scores, dtype=float)
    if weights.shape != (len(ends),):
        raise ValueError(f"scores has shape {weights.shape}, not ({len(ends)},)")
    if not np.isfinite(weights).all():
        raise ValueError(
            "scores has entries that are not finite; must_link and cannot_link take those"
        )
    links = {}
    for name, given in (("must_link", must_link), ("cannot_link", cannot_link)):
        links[name] = np.asarray(list(given), dtype=np.int64).reshape(-1, 2)
    for name, pairs in {"pairs": ends, **links}.items():
        if ((pairs < 0) | (pairs >= records)).any():
            raise ValueError(f"{name} has a record outside 0 to {records - 1}")
        if (pairs[:, 0] == pairs[:, 1]).any():
            raise ValueError(f"{name} has a pair of a record with itself")
    if sources is not None and len(sources) != records:
        raise ValueError(f"sources has {len(sources)} entries, not {records}")
    if greatest_size is not None and arrays.size("greatest_size", greatest_size) < 1:
        raise ValueError(f"greatest_size is {greatest_size}; it must be at least 1")
    seconds = math.inf if time_limit is None else arrays.real("time_limit", time_limit)
    begin = time.monotonic()
    problem = _Problem(records, ends, weights, links, sources, greatest_size)
    search = _Search(problem)
    search.run(arrays.real("effort", effort), begin + seconds / 2)
    numbers: dict[int, int] = {}
    groups = np.array(
        [numbers.setdefault(search.group[unit], len(numbers)) for unit in problem.unit],
        dtype=np.int64,
    )
    inside = groups[ends[:, 0]] == groups[ends[:, 1]]
    score = math.fsum(weights[inside])
    bound = max(
        score, problem.constant + _Bound(problem).run(begin + seconds, score - problem.constant)
    )
    return Partition(
        records=list(range(records)),
        groups=groups,
        score=score,
        upper_bound=bound,
        proven=bound - score <= 1e-9 * max(abs(score), float(np.abs(weights).sum()) * 1e-3),
        overruled=_overruled(problem, ends, weights, groups, inside),
    )


class _Problem:
    """The records with their limits. Records that must be together are one *unit*.

    unit         by record: its unit
    size         by unit: the number of its records
    sources      by unit: the sources of its records
    edges        the total score of each pair of units that has one; minus infinity: a cannot-link
    neighbours   by unit: the other units with which it has such a pair, with the scores
    constant     the sum of the scores within units"""

    def __init__(
        self,
        records: int,
        ends: npt.NDArray[np.int64],
        weights: npt.NDArray[np.float64],
        links: dict[str, npt.NDArray[np.int64]],
        sources: Sequence[Hashable] | None,
        greatest_size: int | None,
    ) -> None:
        together = links["must_link"]
        linked = components(together[:, 0], together[:, 1], records).tolist()
        numbers: dict[int, int] = {}
        self.unit = [numbers.setdefault(lowest, len(numbers)) for lowest in linked]
        self.size = [0] * len(numbers)
        self.sources: list[set[Hashable]] = [set() for _ in numbers]
        self.greatest_size = greatest_size or records
        for i, unit in enumerate(self.unit):
            self.size[unit] += 1
            source = None if sources is None else sources[i]
            if source is not None and source in self.sources[unit]:
                raise ValueError(f"must_link joins two records from the source {source!r}")
            if source is not None:
                self.sources[unit].add(source)
        if max(self.size, default=0) > self.greatest_size:
            raise ValueError("must_link joins more records than greatest_size allows")
        self.edges: dict[Edge, float] = {}
        inside = []
        for (a, b), weight in zip(ends.tolist(), weights.tolist()):
            edge = self.edge(self.unit[a], self.unit[b])
            if edge[0] == edge[1]:
                inside.append(weight)
            else:
                self.edges[edge] = self.edges.get(edge, 0.0) + weight
        self.constant = math.fsum(inside)
        for a, b in links["cannot_link"].tolist():
            edge = self.edge(self.unit[a], self.unit[b])
            if edge[0] == edge[1]:
                raise ValueError(f"the records {a} and {b} must be linked and cannot be linked")
            self.edges[edge] = -math.inf
        self.neighbours: list[list[tuple[int, float]]] = [[] for _ in numbers]
        for (a, b), weight in self.edges.items():
            self.neighbours[a].append((b, weight))
            self.neighbours[b].append((a, weight))

    @staticmethod
    def edge(a: int, b: int) -> Edge:
        return (a, b) if a < b else (b, a)

    def apart(self, a: int, b: int) -> bool:
        """True if two units may not be in one group by themselves."""
        return self.size[a] + self.size[b] > self.greatest_size or not self.sources[a].isdisjoint(
            self.sources[b]
        )


class _Search:
    """Local search. Single units move to the group where they score most, and whole groups are
    merged, while that gains. From then on one or two neighbouring groups at a time are dissolved
    and formed anew; what does not gain is undone.

    group    by unit: the number of its group
    members  by group: its units"""

    def __init__(self, problem: _Problem) -> None:
        self.problem = problem
        count = len(problem.size)
        self.group = list(range(count))
        self.members: list[set[int]] = [{unit} for unit in range(count)]
        self.free: list[int] = []
        self.before: dict[int, int] = {}  # the groups of units that moved, before they moved
        self.random = np.random.default_rng(1)

    def run(self, effort: float, end: float) -> None:
        problem = self.problem
        count = len(problem.size)
        self.settle(range(count))
        self.before.clear()
        if not problem.edges:
            return
        limit = min(_MOVES + _MOVES_A_RECORD * count, _MOST_MOVES)
        starts: list[int] = []
        for move in range(int(max(effort, 0.0) * limit)):
            if move % 64 == 0 and time.monotonic() > end:
                return
            if not starts:
                starts = self.random.integers(count, size=4096).tolist()
            self.reform(starts.pop(), move % 2 == 0)

    def reform(self, unit: int, two: bool) -> None:
        """Dissolves the group of a unit, or this group and a neighbouring one, and forms groups
        anew."""
        chosen = {self.group[unit]}
        near = self.problem.neighbours[unit]
        if two and near:
            chosen.add(self.group[near[int(self.random.integers(len(near)))][0]])
        units = [member for group in sorted(chosen) for member in sorted(self.members[group])]
        if len(units) < 2 or len(units) > 200:
            return
        gain = 0.0
        for member in units:
            if len(self.members[self.group[member]]) > 1:
                gain -= self.weights(member).get(self.group[member], 0.0)
                self.move(member, self.empty())
        self.random.shuffle(units)
        gain += self.settle(units)
        if gain <= 1e-9:
            for member, group in self.before.items():
                self.move(member, group)
        self.before.clear()

    def settle(self, units: Iterable[int]) -> float:
        """Moves units, and then merges groups, until nothing gains. Returns the gain."""
        gain = 0.0
        waiting = deque(units)
        queued = set(waiting)
        touched = set(waiting)
        while waiting or touched:
            while waiting:
                unit = waiting.popleft()
                queued.discard(unit)
                gained = self.improve(unit)
                if gained > 0:
                    gain += gained
                    touched.add(unit)
                    for other, _ in self.problem.neighbours[unit]:
                        if other not in queued:
                            queued.add(other)
                            waiting.append(other)
            groups = sorted({self.group[unit] for unit in touched})
            touched.clear()
            for group in groups:
                gained, moved = self.merge(group)
                gain += gained
                touched.update(moved)
                for unit in moved:
                    for other in (unit, *(other for other, _ in self.problem.neighbours[unit])):
                        if other not in queued:
                            queued.add(other)
                            waiting.append(other)
        return gain

    def weights(self, unit: int) -> dict[int, float]:
        """Returns the sum of the scores of a unit with each neighbouring group."""
        sums: dict[int, float] = {}
        group = self.group
        for other, weight in self.problem.neighbours[unit]:
            to = group[other]
            sums[to] = sums.get(to, 0.0) + weight
        return sums

    def allows(self, units: Iterable[int], size: int, sources: set[Hashable]) -> bool:
        """True if the units may join further records of this number and these sources."""
        problem = self.problem
        for unit in units:
            size += problem.size[unit]
            if size > problem.greatest_size or not sources.isdisjoint(problem.sources[unit]):
                return False
        return True

    def improve(self, unit: int) -> float:
        sums = self.weights(unit)
        own = self.group[unit]
        stays = sums.get(own, 0.0)
        best, most = own, stays
        problem = self.problem
        for to, weight in sums.items():
            if to != own and weight > most + 1e-12 and weight > 0:
                if self.allows(self.members[to], problem.size[unit], problem.sources[unit]):
                    best, most = to, weight
        if most < -1e-12:
            best, most = self.empty(), 0.0
        if best == own:
            return 0.0
        self.move(unit, best)
        return most - stays

    def merge(self, group: int) -> tuple[float, list[int]]:
        """Merges a group with the group with which it scores most, if that gains."""
        sums: dict[int, float] = {}
        for unit in self.members[group]:
            for to, weight in self.weights(unit).items():
                sums[to] = sums.get(to, 0.0) + weight
        problem = self.problem
        for to, weight in sorted(sums.items(), key=lambda item: (-item[1], item[0])):
            if weight <= 1e-12:
                break
            if to == group:
                continue
            size = sum(problem.size[unit] for unit in self.members[group])
            sources = set().union(*(problem.sources[unit] for unit in self.members[group]))
            if self.allows(self.members[to], size, sources):
                moved = sorted(self.members[group])
                for unit in moved:
                    self.move(unit, to)
                return weight, moved
        return 0.0, []

    def empty(self) -> int:
        while self.free:
            group = self.free.pop()
            if not self.members[group]:
                return group
        self.members.append(set())
        return len(self.members) - 1

    def move(self, unit: int, to: int) -> None:
        own = self.group[unit]
        self.before.setdefault(unit, own)
        self.members[own].discard(unit)
        if not self.members[own]:
            self.free.append(own)
        self.members[to].add(unit)
        self.group[unit] = to


class _Bound:
    """Upper bound on the scores between units, by dual ascent over triangles.

    Of the three pairs of three records, exactly two cannot be joined. A triangle holds a part of
    the score of each of its pairs, and counts the best of its five allowed labellings; what is left
    of a pair counts if it is above 0. The sum of all these is a bound, and a step divides one pair
    among its triangles so that the bound does not rise. Triangles are added only where the present
    division breaks them: where a path of pairs above 0 connects a pair below 0. Longer paths are
    divided into triangles by pairs that have no score."""

    def __init__(self, problem: _Problem) -> None:
        self.problem = problem
        above = math.fsum(weight for weight in problem.edges.values() if weight > 0)
        self.finite = [weight for weight in problem.edges.values() if weight > -math.inf]
        self.never = -(1.0 + above)  # the score of a pair that is not allowed
        self.edges: list[Edge] = []
        self.number: dict[Edge, int] = {}
        self.weight: list[float] = []
        self.rest: list[float] = []  # by edge: what is left of its score
        self.uses: list[list[tuple[int, int]]] = []  # by edge: its triangles, and its place there
        self.parts: list[list[float]] = []  # by triangle: its parts of the scores of its edges
        self.triangles: dict[tuple[int, int, int], int] = {}
        self.near: list[list[tuple[int, int]]] = [[] for _ in problem.size]
        for (a, b), weight in problem.edges.items():
            self.add_edge((a, b), max(weight, self.never))

    def add_edge(self, edge: Edge, weight: float) -> int:
        known = self.number.get(edge)
        if known is not None:
            return known
        number = self.number[edge] = len(self.edges)
        if self.problem.apart(*edge):
            weight = self.never
        self.edges.append(edge)
        self.weight.append(weight)
        self.rest.append(weight)
        self.uses.append([])
        self.near[edge[0]].append((edge[1], number))
        self.near[edge[1]].append((edge[0], number))
        return number

    def add_triangle(self, *units: int) -> bool:
        a, b, c = sorted(units)
        if (a, b, c) in self.triangles:
            return False
        triangle = self.triangles[a, b, c] = len(self.parts)
        self.parts.append([0.0, 0.0, 0.0])
        for place, edge in enumerate(((a, b), (a, c), (b, c))):
            self.uses[self.add_edge(edge, 0.0)].append((triangle, place))
        return True

    def value(self) -> float:
        terms = [rest for rest in self.rest if rest > 0]
        terms += [max(0.0, x, y, z, x + y + z) for x, y, z in self.parts]
        return math.fsum(terms)

    def sweep(self) -> None:
        """Divides the score of each edge evenly among its triangles and its rest: afterwards being
        joined is worth the same in all of them."""
        parts = self.parts
        for edge, uses in enumerate(self.uses):
            if not uses:
                continue
            worth = []
            for triangle, place in uses:
                part = parts[triangle]
                x, y = part[place - 1], part[place - 2]
                worth.append(max(0.0, x + y) - max(0.0, x, y))
            share = (self.weight[edge] + sum(worth)) / (len(uses) + 1)
            for (triangle, place), other in zip(uses, worth):
                parts[triangle][place] = share - other
            self.rest[edge] = share

    def separate(self, least: float, end: float) -> int:
        """Adds triangles for pairs below -least that a path of pairs above it connects. Returns
        how many."""
        added = 0
        for edge in range(len(self.edges)):
            if self.rest[edge] >= -least:
                continue
            if edge % 256 == 0 and time.monotonic() > end:
                break
            start, goal = self.edges[edge]
            path = self.path(start, goal, least)
            for k in range(1, len(path) - 1):
                added += self.add_triangle(start, path[k], path[k + 1])
        return added

    def path(self, start: int, goal: int, least: float) -> list[int]:
        """Returns a shortest path of pairs above `least`; empty if there is none that is short."""
        came = {start: start}
        level = [start]
        for _ in range(_LONGEST):
            after = []
            for unit in level:
                for other, edge in self.near[unit]:
                    if self.rest[edge] <= least or other in came:
                        continue
                    came[other] = unit
                    if other == goal:
                        path = [goal]
                        while path[-1] != start:
                            path.append(came[path[-1]])
                        return path[::-1]
                    after.append(other)
            level = after
            if not level or len(came) > _VISITED:
                break
        return []

    def run(self, end: float, score: float) -> float:
        best = self.value()
        enough = 1e-9 * -self.never
        # Looks first for what breaks the present division most.
        least = max(map(abs, self.finite), default=0.0) / 4
        for _ in range(_ROUNDS):
            if best - score <= enough or time.monotonic() > end:
                break
            added = self.separate(least, end)
            least /= 4
            if not added:
                continue
            for _ in range(_SWEEPS):
                if time.monotonic() > end:
                    break
                self.sweep()
            best = min(best, self.value())
        for _ in range(_LAST_SWEEPS if self.parts else 0):
            if best - score <= enough or time.monotonic() > end:
                break
            self.sweep()
            lower = self.value()
            ends = best - lower < 1e-6 * abs(best)
            best = min(best, lower)
            if ends:
                break
        return best


def _overruled(
    problem: _Problem,
    ends: npt.NDArray[np.int64],
    weights: npt.NDArray[np.float64],
    groups: npt.NDArray[np.int64],
    inside: npt.NDArray[np.bool_],
) -> list[Overruled]:
    between: dict[Edge, float] = {}  # by pair of groups: the sum of the scores of its pairs
    within = np.zeros(len(groups))  # by record: the sum of its scores within its group
    for (a, b), weight, joined in zip(ends.tolist(), weights.tolist(), inside.tolist()):
        if joined:
            within[a] += weight
            within[b] += weight
        else:
            edge = problem.edge(int(groups[a]), int(groups[b]))
            between[edge] = between.get(edge, 0.0) + weight
    found = []
    for pair in np.flatnonzero(np.where(inside, weights < 0, weights > 0)).tolist():
        a, b = ends[pair].tolist()
        weight = float(weights[pair])
        if inside[pair]:
            others = min(float(within[a]), float(within[b])) - weight
            limited = problem.unit[a] == problem.unit[b] or others + weight < -1e-9 * abs(weight)
        else:
            others = between[problem.edge(int(groups[a]), int(groups[b]))] - weight
            limited = others + weight > 1e-9 * abs(weight)
        found.append(Overruled(pair, weight, others, "limit" if limited else "others"))
    return found
