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
    pickled. Supported; the C calls below it may change.

    chains    the columns and the agreements within a group, as for `batches.label`, except that a
              strength "auto" is 1, and that there are neither rules nor counts
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
        if self.chains.count is not None:
            raise ValueError("chains.count is given; the positions of a shared key count once each")
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


def count_keys(
    stream: Iterable[Any], specification: SharedKeys
) -> tuple[collections.Counter[Hashable], int]:
    """Returns for each key the number of positions of a stream of batches that have the key, and
    the number of labels of their scores; 0 labels if there is no position."""
    counted: collections.Counter[Hashable] = collections.Counter()
    labels = 0
    compute = pyarrow().compute
    for batch in stream:
        column = batch.column(batch.schema.get_field_index(specification.keys))
        for entry in compute.list_flatten(column).value_counts().to_pylist():
            if is_key(entry["values"]):
                counted[entry["values"]] += entry["counts"]
        if labels == 0:
            column = batch.column(batch.schema.get_field_index(specification.chains.scores))
            widths = compute.list_value_length(compute.list_flatten(column))
            labels = int(widths[0].as_py()) if len(widths) else 0
    return counted, labels


def is_key(key: Any) -> bool:
    return not arrays.missing(key) and not (isinstance(key, int) and key < 0)


@dataclasses.dataclass(frozen=True)
class _Asking(Chains):
    """A specification with which `batches.label` labels groups under prices or, with `answers`,
    labels nothing and adds up the answers of all groups.

    numbers  the number of each shared key
    answers  a list that receives the sum of the answers; None: groups are labelled
    """

    shared: SharedKeys = None  # type: ignore[assignment]
    numbers: Keys = dataclasses.field(default_factory=dict)
    asked: Asked = None  # type: ignore[assignment]
    answers: list[Answer] | None = None

    @classmethod
    def of(cls, specification: SharedKeys, numbers: Keys, asked: Asked, **given: Any) -> _Asking:
        chains = specification.chains
        fields = {field.name: getattr(chains, field.name) for field in dataclasses.fields(chains)}
        return cls(**fields, shared=specification, numbers=numbers, asked=asked, **given)

    def _labelled(self, arrow: Any, rows: Any) -> dict[str, Any]:
        scores = batches._matrices(arrow, rows, self.scores)
        part = self._part(rows, scores) if any(map(len, scores)) else None
        if self.answers is not None:
            if part is not None:
                self.answers[:] = [sum(self.answers, part.answer(self.asked))]
            return {}
        if part is None:
            return super()._labelled(arrow, rows)
        found, lengths = part.label(self.asked), [len(matrix) for matrix in scores]
        moved = np.concatenate([[0], np.cumsum(found.labels != found.alone)])
        changed = np.diff(moved[np.cumsum([0, *lengths])]) > 0
        return self._made(arrow, found.labels, lengths, changed, found.left_out)

    def _part(self, rows: Any, scores: list[Any]) -> Part:
        """Returns a group that has positions as a part of the corpus."""
        keys = []
        for row, given in enumerate(batches._lists(rows, self.shared.keys)):
            if len(given) != len(scores[row]):
                raise ValueError(
                    f"column {self.shared.keys!r} has {len(given)} keys in row {row}, which has "
                    f"{len(scores[row])} positions"
                )
            keys.append([self.numbers.get(key, -1) for key in given])
        arguments = self._arguments(rows)
        agree: list[Any] = [
            dataclasses.replace(entry, strength=1.0)
            if isinstance(entry, Agreement) and entry.strength == "auto"
            else entry
            for entry in arguments["agree"]
        ]
        # A potential, since a strength of 0 would make no cliques.
        width = next(len(matrix[0]) for matrix in scores if len(matrix))
        potts = Potential.potts(width, self.shared.strength, scale="members")
        across = Agreement("keys", potential=potts, minimum=1, across=True, keys=keys)
        agree.append(across)
        arguments.update(agree=agree, strength=1.0 if self.strength == "auto" else self.strength)
        problem = build_problem(scores, groups=rows.column(self.group).to_pylist(), **arguments)
        # The last cliques of the model are those of the last agreement, `across`: one for each
        # shared key in this group, in ascending order of the keys' numbers.
        met = sorted({number for row in keys for number in row if number >= 0})
        begin = problem.model.cliques - len(met)
        return Part(problem, {begin + k: number for k, number in enumerate(met)}, **self.options)


def answer(
    specification: SharedKeys, numbers: Keys, asked: Asked, stream: Iterable[Any]
) -> list[Answer]:
    """Returns the sum of the answers that all groups of a stream of batches give to a question;
    nothing if there is no position."""
    answers: list[Answer] = []
    asking = _Asking.of(specification, numbers, asked, answers=answers)
    for _ in batches.label(stream, asking, progress=False):
        pass
    return answers


def under_prices(
    specification: SharedKeys, numbers: Keys, asked: Asked, stream: Iterable[Any]
) -> Iterator[Any]:
    """Labels the groups of a stream under the first row of prices, and yields the batches."""
    best = _Asking.of(specification, numbers, asked)
    return batches.label(stream, best, progress=False)


def label(
    stream: Callable[[], Iterable[Any]] | Sequence[Any],
    specification: SharedKeys,
    *,
    progress: Bars = None,
) -> Labelled:
    """Labels batches as `batches.label` does, in this process, with keys shared by all groups. The
    call itself finds the prices; batches are labelled when the rows of the result are read.
    Supported; the C calls below it may change.

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
    counted, labels = count_keys(begin(), specification)
    if labels == 0:
        unshared = batches.label(begin(), specification.chains, progress=progress)
        return Labelled(unshared, NOTHING)
    numbers, search = specification.search(counted, labels)
    with Bar(progress, "prices", specification.rounds, "round") as bar:

        def answers(asked: Asked) -> list[Answer]:
            found = answer(specification, numbers, asked, begin())
            bar.step()
            return found

        outcome = search.run(answers)
    last = watched(progress, begin(), "label", "batch")
    return Labelled(under_prices(specification, numbers, search.found, last), outcome)
