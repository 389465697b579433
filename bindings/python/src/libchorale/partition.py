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
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from ._declarations import Outcome
from ._native import library, read, struct
from ._tables import opened
from ._work import told
from .cancel import Cancel, Stop

__all__ = ["Overruled", "Partition", "partition", "partition_pairs"]

# Log-odds (base 2) beyond these cannot be told from certainty; a certain pair is a must-link.
_CERTAIN = 52.0
_REASONS = arrays.named("OVERRULED_BY")


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
    outcome      COMPLETE; DEADLINE or CANCELLED if the search or the bound ended early
    overruled    the pairs that are decided against their own scores, with reasons"""

    records: list[Any]
    groups: npt.NDArray[np.int32]
    score: float
    upper_bound: float
    proven: bool
    outcome: Outcome
    overruled: list[Overruled]

    @property
    def gap(self) -> float:
        return self.upper_bound - self.score

    def members(self) -> list[list[Any]]:
        """Returns the records of each group."""
        found: list[list[Any]] = [[] for _ in range(int(self.groups.max(initial=-1)) + 1)]
        for record, group in zip(self.records, self.groups.tolist()):
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
    **options: Any,
) -> Partition:
    """Divides the records of a table of scored pairs into groups, such as Splink writes. Rests on
    experimental calls of C: may change in any version.

    table          a pandas, Polars or pyarrow table, a DuckDB relation, or a list of dicts. Each
                   row is a pair
    first, second  the columns of the identifiers of the two records of a pair
    score          the column of scores (log-odds to any base); if the table has none,
    probability    the column of probabilities that the two are one
    records        all identifiers, also of records without pairs; None: those of the pairs, in the
                   order in which they occur
    must_link, cannot_link  pairs of identifiers that are in one group, or in different groups
    sources        the source of each record; a group has at most one record from each source. A
                   record without a source may be in any group
    options        greatest_size, effort, time_limit and cancel, as in `partition_pairs`

    >>> pairs = [("a", "b", 4.0), ("a", "c", 3.0), ("b", "c", -1.0), ("c", "d", -2.0)]
    >>> names = "unique_id_l", "unique_id_r", "match_weight"
    >>> found = partition([dict(zip(names, pair)) for pair in pairs])
    >>> found.members(), found.score, found.proven
    ([['a', 'b', 'c'], ['d']], 6.0, True)
    >>> found.overruled
    [Overruled(pair=2, score=-1.0, others=3.0, reason='others')]
    """
    opening = opened(table)
    wanted = score if score in opening.names or probability not in opening.names else probability
    opening.check(first=first, second=second, score=wanted)
    scores = opening.column(wanted).numbers()
    if np.isnan(scores).any():
        row = int(np.argmax(np.isnan(scores)))
        raise ValueError(f"column {wanted!r} is null in row {row}")
    if wanted != score:
        if not ((scores >= 0) & (scores <= 1)).all():
            row = int(np.argmin((scores >= 0) & (scores <= 1)))
            raise ValueError(
                f"column {probability!r} is {scores[row]} in row {row}; it must be from 0 to 1"
            )
        with np.errstate(divide="ignore"):
            scores = np.clip(np.log2(scores) - np.log2(1 - scores), -_CERTAIN, _CERTAIN)
    number: dict[Hashable, int] = {
        record: i for i, record in enumerate(dict.fromkeys(records or ()))
    }

    def numbered(values: Iterable[Hashable]) -> list[int]:
        try:
            return [number[value] for value in values]
        except KeyError as error:
            raise ValueError(f"{error.args[0]!r} is not among the records") from None

    columns = [opening.column(name).encoded() for name in (first, second)]
    for column, name in zip(columns, (first, second)):
        if (column.codes < 0).any():
            raise ValueError(f"column {name!r} is null in row {int(np.argmin(column.codes))}")
    if records is None:  # those that come first in the pairs are first
        codes = np.stack([columns[0].codes, columns[0].count + columns[1].codes], axis=1).ravel()
        values = [*columns[0].all_values(), *columns[1].all_values()]
        found, where = np.unique(codes, return_index=True)
        for code in found[np.argsort(where)].tolist():
            number.setdefault(values[code], len(number))
    ends = [np.array(numbered(of.all_values()), dtype=np.int32)[of.codes] for of in columns]
    made = partition_pairs(
        len(number),
        ends[0],
        ends[1],
        scores,
        must_link=[numbered(pair) for pair in must_link],
        cannot_link=[numbered(pair) for pair in cannot_link],
        sources=None if sources is None else [sources.get(record) for record in number],
        **options,
    )
    return dataclasses.replace(made, records=list(number))


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
    cancel: Cancel | None = None,
) -> Partition:
    """Divides the records 0 to records - 1 into groups. Rests on experimental calls of C: may
    change in any version.

    first, second  the records of each pair
    scores         the score of each pair. Infinite: the two must, or must not, be in one group
    must_link, cannot_link  more pairs that must, or must not
    sources        for each record its source, None if it has none: a group has at most one record
                   from each source
    greatest_size  the greatest number of records of a group
    effort         how long to search, as a multiple of the usual time; more never scores less
    time_limit     seconds after which the search (half of them) and the bound end early
    cancel         ends both when it is set

    >>> partition_pairs(3, [0, 1, 0], [1, 2, 2], [2.0, 1.0, -1.5]).groups.tolist()
    [0, 0, 1]
    """
    records = arrays.size("records", records)
    links = {"must_link": must_link, "cannot_link": cannot_link}
    parts = [np.stack([arrays.ints("first", first), arrays.ints("second", second)], axis=-1)]
    for name, given in links.items():
        parts.append(arrays.ints(name, np.asarray(given, dtype=int).reshape(-1, 2), ndim=2))
    count = len(parts[0])
    weights = np.asarray(scores, dtype=float)
    if weights.shape != (count,):
        raise ValueError(f"scores has shape {weights.shape}, not ({count},)")
    if sources is not None and len(sources) != records:
        raise ValueError(f"sources has {len(sources)} entries, not {records}")
    if greatest_size is not None:
        greatest_size = arrays.size("greatest_size", greatest_size, 1)
    ends = np.ascontiguousarray(np.concatenate(parts).T)
    weights = np.concatenate(
        [weights, np.repeat([np.inf, -np.inf], [len(part) for part in parts[1:]])]
    )
    known: dict[Hashable, int] = {None: -1}
    of_record = [known.setdefault(source, len(known) - 1) for source in sources or ()]
    stop = Stop(cancel)
    pairs = struct(
        c.chorale_scored_pairs,
        records=records,
        count=len(weights),
        first=ends[0],
        second=ends[1],
        score=weights,
        source=None if sources is None else np.array(of_record, dtype=np.int32),
        greatest_size=greatest_size,
        effort=arrays.real("effort", effort) or -1.0,  # 0 is the default of C
        cancel=stop,
    )
    pairs.time_limit = arrays.limit("time_limit", time_limit)
    groups = np.empty(records, dtype=np.int32)
    why = np.empty(len(weights), dtype=np.int32)
    others = np.empty(len(weights))
    kind, function = c.chorale_partition_result, library.chorale_partition
    result = told(kind, function, None, pairs, groups, why, others, stop=stop)
    against = np.flatnonzero(why[:count])
    columns = (of[against].tolist() for of in (weights, others, why))
    return read(
        Partition,
        result,
        records=list(range(records)),
        groups=groups,
        outcome=Outcome(result.outcome),
        overruled=[
            Overruled(pair, weight, other, _REASONS[reason])
            for pair, weight, other, reason in zip(against.tolist(), *columns)
        ],
    )
