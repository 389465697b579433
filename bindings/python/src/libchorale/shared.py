"""Words of a whole corpus: labels streams of Arrow batches whose groups share cliques.

`libchorale.batches` labels every group by itself. Here, positions with the same key, such as their
word, also agree across groups if the key is frequent (`SharedKeys.least`). A key may have any number
of positions: groups exchange only prices and counts (`libchorale.prices`). So no process needs to
hold more than one group, and the labels do not depend on how groups are divided among processes.
`libchorale.spark.label_shared` does the same on Spark.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _arrays as arrays
from . import batches
from ._agreements import Agreement
from ._columns import pyarrow
from ._progress import Bar, Bars, watched
from .batches import Chains
from .collective import build_problem
from .potential import Potential
from .prices import Answer, Asked, Outcome, Part, Search


@dataclasses.dataclass(frozen=True)
class SharedKeys:
    """Specification for rows that are chains, with keys that should agree across all groups. Can be
    pickled.

    chains    the columns and the agreements within a group, as for `batches.label`, except that a
              strength "auto" is 1, and that there are no rules
    keys      the column of keys: in each row a list of one key for each position, a text or an
              integer; null and integers below 0 mean that the position has no key
    strength  strength of agreement, as in `decode`: a key with n positions, n_v of which have label
              v, adds strength / n * sum_v n_v^2
    least     keys at fewer positions of the whole corpus are not shared, since prices work badly
              for small cliques
    rounds, tracks  as in `prices.Search`
    """

    chains: Chains
    keys: str
    strength: float = 1.0
    least: int = 50
    rounds: int = 40
    tracks: int = 8

    def __post_init__(self) -> None:
        if self.chains.rules:
            raise ValueError("chains.rules is given; labels under prices cannot keep rules")
        if self.strength < 0:
            raise ValueError(f"strength is {self.strength}; it must be at least 0")
        if self.least < 2:
            raise ValueError(f"least is {self.least}; it must be at least 2")

    def search(self, counted: Mapping[Hashable, int], labels: int) -> tuple[Keys, Search]:
        """Returns the shared keys with their numbers, and the search for their prices. counted: the
        number of positions of each key. labels: the number of labels."""
        chosen = [key for key, count in counted.items() if count >= self.least]
        chosen.sort(key=lambda key: (type(key).__name__, key))
        keys = {key: number for number, key in enumerate(chosen)}
        potential = Potential.potts(labels, self.strength, scale="members")
        members = [counted[key] for key in chosen]
        found = Search([potential] * len(chosen), members, rounds=self.rounds, tracks=self.tracks)
        return keys, found


Keys = dict[Hashable, int]


class Labelled(NamedTuple):
    """The result of `label`.

    rows     an iterator over the batches with more columns; `libchorale.spark.label_shared` returns
             a DataFrame here
    outcome  the score, an upper bound, and the numbers of rounds and of price vectors; all 0 if
             there is no position
    """

    rows: Any
    outcome: Outcome


NOTHING = Outcome(0.0, 0.0, 0.0, 0, 0)


def count_keys(stream: Iterable[Any], specification: SharedKeys) -> collections.Counter[Hashable]:
    """Returns for each key the number of positions of a stream of batches that have the key."""
    counted: collections.Counter[Hashable] = collections.Counter()
    compute = pyarrow().compute
    for batch in stream:
        column = batch.column(batch.schema.get_field_index(specification.keys))
        for entry in compute.list_flatten(column).value_counts().to_pylist():
            if _is_key(entry["values"]):
                counted[entry["values"]] += entry["counts"]
    return counted


def _is_key(key: Any) -> bool:
    return not arrays.missing(key) and not (isinstance(key, int) and key < 0)


@dataclasses.dataclass(frozen=True)
class _Labelling(Chains):
    """A specification with which `batches.label` labels groups under given prices. numbers: the
    number of each shared key."""

    shared: SharedKeys = None  # type: ignore[assignment]
    numbers: Keys = dataclasses.field(default_factory=dict)
    prices: Any = None  # a row of prices, as in `prices.Asked`
    first: Any = None  # offsets of the shared cliques in the row, as in `prices.Asked`

    def _labelled(self, arrow: Any, rows: Any) -> dict[str, Any]:
        lengths, part = _part(arrow, rows, self.shared, self.numbers)
        if part is None:
            return super()._labelled(arrow, rows)
        flat = part.labels(self.prices, self.first)
        own = part.own_labels()
        moved = np.concatenate([[0], np.cumsum(flat != own)])[np.cumsum([0, *lengths])]
        labels = batches._label_lists(arrow, flat, lengths, self.names)
        new = {self.labels: labels, self.changed: arrow.array(np.diff(moved) > 0)}
        return batches._without(arrow, new, part.left_out())


@dataclasses.dataclass(frozen=True)
class _Asking(_Labelling):
    """A specification with which `batches.label` labels nothing, but adds up the answers of all
    groups to a question (`prices.Asked`). answers: a list that receives the sum."""

    asked: Asked = None  # type: ignore[assignment]
    answers: list[Answer] = dataclasses.field(default_factory=list)

    def _labelled(self, arrow: Any, rows: Any) -> dict[str, Any]:
        _, part = _part(arrow, rows, self.shared, self.numbers)
        if part is not None:
            answer = part.answer(self.asked)
            self.answers[:] = [self.answers[0] + answer if self.answers else answer]
        return {}


def _made(kind: Any, specification: SharedKeys, numbers: Keys, **more: Any) -> Any:
    chains = specification.chains
    fields = {field.name: getattr(chains, field.name) for field in dataclasses.fields(chains)}
    return kind(**fields, shared=specification, numbers=numbers, **more)


def _part(
    arrow: Any, rows: Any, specification: SharedKeys, numbers: Keys
) -> tuple[list[int], Part | None]:
    """Returns the number of positions of each row of a group, and the group as a part of the corpus
    (None if it has no position). numbers: the number of each shared key."""
    chains = specification.chains
    scores = batches._matrices(arrow, rows, chains.scores)
    lengths = [len(matrix) for matrix in scores]
    if not any(lengths):
        return lengths, None
    keys = []
    for row, given in enumerate(batches._lists(rows, specification.keys)):
        if len(given) != lengths[row]:
            raise ValueError(
                f"column {specification.keys!r} has {len(given)} keys in row {row}, which has "
                f"{lengths[row]} positions"
            )
        keys.append([numbers.get(key, -1) for key in given])
    arguments = chains._arguments(rows)
    agree: list[Any] = [
        dataclasses.replace(entry, strength=1.0)
        if isinstance(entry, Agreement) and entry.strength == "auto"
        else entry
        for entry in arguments["agree"]
    ]
    # A potential, since a strength of 0 would make no cliques.
    width = next((len(matrix[0]) for matrix in scores if len(matrix)), 1)
    potts = Potential.potts(width, specification.strength, scale="members")
    across = Agreement("keys", potential=potts, minimum=1, across=True, keys=keys)
    agree.append(across)
    arguments.update(agree=agree, strength=1.0 if chains.strength == "auto" else chains.strength)
    problem = build_problem(scores, groups=rows.column(chains.group).to_pylist(), **arguments)
    # The last cliques of the model are those of the last agreement, `across`: one for each shared
    # key in this group, in ascending order of the keys' numbers.
    met = sorted({number for row in keys for number in row if number >= 0})
    begin = problem.model.cliques - len(met)
    shared = {begin + k: number for k, number in enumerate(met)}
    return lengths, Part(problem, shared, **chains.options)


def answer(
    stream: Iterable[Any], specification: SharedKeys, numbers: Keys, asked: Asked
) -> Answer | None:
    """Returns the sum of the answers that all groups of a stream of batches give to the question
    `asked`; None if there is no position."""
    asking = _made(_Asking, specification, numbers, asked=asked)
    for _ in batches.label(stream, asking, progress=False):
        pass
    return asking.answers[0] if asking.answers else None


def under_prices(
    stream: Iterable[Any], specification: SharedKeys, numbers: Keys, search: Search
) -> Iterator[Any]:
    """Labels the groups of a stream under the prices that a search found, and yields the batches."""
    assert search.best is not None
    prices = search.best.prices
    best = _made(_Labelling, specification, numbers, prices=prices, first=search.first)
    yield from batches.label(stream, best, progress=False)


def label(
    stream: Callable[[], Iterable[Any]] | Sequence[Any],
    specification: SharedKeys,
    *,
    progress: Bars = None,
) -> Labelled:
    """Labels batches as `batches.label` does, in this process, with keys shared by all groups. The
    call itself finds the prices; batches are labelled when the rows of the result are read.

    stream  a list of record batches, or a function that returns a new stream of them, since the
            stream is read about once in each round
    progress  progress bars over the rounds of the search, then over the batches, as in
            `libchorale.agree`

    >>> import pyarrow
    >>> rows = [{"page": p, "key": ["Rome"], "score": [s]}
    ...         for p, s in enumerate([[2.1, 0.3], [1.9, 0.2], [0.7, 0.9]])]
    >>> chains = Chains("page", "score", agree=[])
    >>> batch = pyarrow.RecordBatch.from_pylist(rows)
    >>> found, outcome = label([batch], SharedKeys(chains, "key", least=2))
    >>> [labels for out in found for labels in out.column("labels").to_pylist()]
    [[0], [0], [0]]
    >>> round(outcome.score, 6), round(outcome.own_score, 6)  # 2.1 + 1.9 + 0.7 + 9 / 3
    (7.7, 6.566667)
    """
    begin: Callable[[], Iterable[Any]] = stream if callable(stream) else lambda: stream
    labels = label_count(begin(), specification)
    if labels == 0:
        unshared = batches.label(begin(), specification.chains, progress=progress)
        return Labelled(unshared, NOTHING)
    counted = count_keys(begin(), specification)
    numbers, search = specification.search(counted, labels)
    with Bar(progress, "prices", specification.rounds, "round") as bar:
        while (asked := search.ask()) is not None:
            answered = answer(begin(), specification, numbers, asked)
            assert answered is not None
            search.take(answered)
            bar.step()
    last = watched(progress, begin(), "label", "batch")
    return Labelled(under_prices(last, specification, numbers, search), search.outcome())


def label_count(stream: Iterable[Any], specification: SharedKeys) -> int:
    """Returns the number of labels of the scores of a stream; 0 if there is no position."""
    compute = pyarrow().compute
    for batch in stream:
        column = batch.column(batch.schema.get_field_index(specification.chains.scores))
        widths = compute.list_value_length(compute.list_flatten(column))
        if len(widths):
            return int(widths[0].as_py())
    return 0
