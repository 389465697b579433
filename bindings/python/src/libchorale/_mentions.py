"""Computes `agree` (mentions.py) on NumPy arrays: N rows with scores of m labels, and keys. Rows
with the same key are a clique."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ._agreements import Agreement, Given, Wanted
from ._columns import Array, Codes, Doubles, Ints, Longs
from .collective import solved

# Strengths are reduced by this share when rows are labelled. So where agreement and scores balance
# exactly, rounding does not decide, and rows keep the labels with the highest scores.
TIE = 1e-9

# Number of rows that are processed at a time.
BLOCK = 1 << 14


@dataclasses.dataclass
class Keyed:
    """The cliques of one key.

    codes    N int32: the clique of each row; -1: none
    count    the number of cliques
    sizes    for each clique the number of its rows; with `times` (see `Rows`) the sum of `times`
             over its rows
    columns  the columns of the key, for descriptions
    names    the names of these columns
    across   whether a clique may have rows of several groups
    """

    codes: Ints
    count: int
    sizes: Longs
    columns: list[Codes]
    names: Sequence[str]
    across: bool

    def shown(self, cliques: Ints, named: bool) -> list[str]:
        """Returns a description of the key of each clique: "of 'Jordan'", or "with name
        'Jordan'"."""
        row = np.empty(self.count + 1, dtype=np.int64)
        row[self.codes] = np.arange(len(self.codes))
        of = [column.values(column.codes[row[cliques]].tolist()) for column in self.columns]
        if len(of) == 1 and not named:
            return [f"of '{value}'" for value in of[0]]
        return [
            "with " + " and ".join(f"{name} '{value}'" for name, value in zip(self.names, values))
            for values in zip(*of)
        ]


def cliques_of(
    codes: Ints, count: int, minimum: int, times: Longs | None
) -> tuple[Ints, int, Longs]:
    """Drops cliques with fewer rows than `minimum`, and renumbers the others. Returns the clique of
    each row (-1: none), the number of cliques and their sizes. times: as in `Rows`."""
    inside = codes >= 0
    some = None if times is None else times[inside]
    sizes = np.bincount(codes[inside], some, minlength=count).astype(np.int64)
    kept = sizes >= minimum
    number = np.append(np.where(kept, np.cumsum(kept) - 1, -1), -1).astype(np.int32)
    return number[codes], int(kept.sum()), sizes[kept]


def components(every: Sequence[Keyed]) -> tuple[Ints, int]:
    """Returns the connected component of each row (-1 for a row in no clique), and the number of
    components. Rows in one clique are connected."""
    if len(every) == 1:
        return every[0].codes, every[0].count
    count = len(every[0].codes)
    least = np.arange(count)
    while True:
        before = least
        least = least.copy()
        for keyed in every:
            rows = np.flatnonzero(keyed.codes >= 0)
            of_clique = np.full(keyed.count, count)
            np.minimum.at(of_clique, keyed.codes[rows], least[rows])
            least[rows] = of_clique[keyed.codes[rows]]
        least = least[least]
        if np.array_equal(least, before):
            break
    rows = np.flatnonzero(np.any([keyed.codes >= 0 for keyed in every], axis=0))
    codes = np.full(count, -1, dtype=np.int32)
    unique, codes[rows] = np.unique(least[rows], return_inverse=True)
    return codes, len(unique)


class Single:
    """N x m logarithms of rows that have a probability of one label each. Takes the place of an
    array that holds them. own: those of the labels `label`; other: those of each other label."""

    def __init__(self, label: Ints, own: Array, other: Array, labels: int) -> None:
        self.shape = len(label), labels
        self._label, self._own, self._other = label, own, other

    def __len__(self) -> int:
        return len(self._label)

    def __getitem__(self, rows: Any) -> Array:
        made = np.repeat(self._other[rows], self.shape[1]).reshape(-1, self.shape[1])
        made[np.arange(len(made)), self._label[rows]] = self._own[rows]
        return made


def blocks(rows: Array) -> Iterator[Array]:
    """Yields the rows, BLOCK at a time."""
    for first in range(0, len(rows), BLOCK):
        yield rows[first : first + BLOCK]


class Rows:
    """Rows with scores and cliques.

    scores     N x m logarithms
    keyed      the cliques of each key
    strengths  for each key: a clique with n members, n_v of which have label v, scores
               strength / n * sum_v n_v^2
    times      N: how many equal rows each row stands for; None: one
    own        for each row the label with the highest score; of several such labels, that of
               `before` if it is one of them
    component  N: the connected component of each row; -1: it is in no clique
    """

    def __init__(
        self,
        scores: Array | Single,
        keyed: Sequence[Keyed],
        strengths: Sequence[float],
        times: Longs | None,
        before: Ints,
    ) -> None:
        self.one, self.keyed, self.strengths, self.times = scores, keyed, strengths, times
        self.own = before.copy()
        for rows in blocks(np.arange(len(before))):
            some, entries = scores[rows], np.arange(len(rows))
            best = some.argmax(axis=1)
            tied = some[entries, before[rows]] >= some[entries, best]
            self.own[rows[~tied]] = best[~tied]
        self.component, self.components = components(keyed)
        # Rows by component, so that work accesses neighbouring memory, those in no clique last; and
        # those in cliques. NumPy sorts numbers of 16 bits in linear time.
        low, high = self.component.astype(np.uint16), (self.component >> 16).astype(np.uint16)
        self.order = np.lexsort((low, high))
        self.inside = self.order[: np.count_nonzero(self.component >= 0)]

    def scores(self, rows: Longs) -> Array:
        """Returns the scores of some rows, each of all equal rows for which it stands."""
        return self.one[rows] if self.times is None else self.one[rows] * self.times[rows, None]

    def unsettled(self) -> Longs:
        """Returns the rows that may change. If strengths are not negative, a component whose rows
        all have the same best label keeps this label, since every row and every clique already has
        its highest score."""
        rows = self.inside
        if min(self.strengths) < 0:
            return rows
        component, own = self.component[rows], self.own[rows]
        of_component = np.zeros(self.components, dtype=np.int32)
        of_component[component] = own
        differs = np.zeros(self.components, dtype=bool)
        differs[component[own != of_component[component]]] = True
        changing: Longs = rows[differs[component]]
        return changing

    def given(self, rows: Longs, groups: Longs | None, factor: float = 1.0) -> Given:
        """Returns the arguments of `decode` for some rows: every row is a chain of one position.
        factor: of the strengths."""
        times = None if self.times is None else self.times[rows]
        wanted = []
        for number, (keyed, strength) in enumerate(zip(self.keyed, self.strengths)):
            asked = Agreement("keys", factor * strength, across=True)
            place = f"key {', '.join(map(repr, keyed.names))}"
            fields = {"keys": keyed.codes[rows], "weights": times}
            wanted.append(Wanted(asked, number, place, fields))
        if groups is None:
            groups = np.zeros(len(rows), dtype=np.int64)
        offsets = np.arange(len(rows) + 1)
        fields = {"transitions": None, "tokens": None, "groups": groups}
        return Given(self.scores(rows), offsets, wanted, fields)

    def solve(
        self, options: dict[str, Any], until: float | None, told: Callable[[Any], Any] | None
    ) -> Ints:
        """Labels all rows together and returns their labels. until: the deadline, from
        `arrays.deadline`. told: called after each round."""
        rows = self.unsettled()
        codes: Ints = self.own.copy()
        if len(rows):
            given = self.given(rows, None, 1.0 - TIE)
            with solved(given, options, until=until, progress=told, borrow=True) as solution:
                codes[rows] = solution.labels(0, len(rows))
        return codes

    def counts(self, number: int, codes: Ints) -> Ints:
        """Returns cliques x m, for each clique of a key and each label: the number of rows of the
        clique that have the label, or the sum of `times` over these rows."""
        keyed, labels = self.keyed[number], self.one.shape[1]
        rows = np.flatnonzero(keyed.codes >= 0)
        places = keyed.codes[rows].astype(np.int64) * labels + codes[rows]
        times = None if self.times is None else self.times[rows]
        counts = np.bincount(places, times, minlength=keyed.count * labels)
        return counts.astype(np.int32).reshape(keyed.count, labels)

    def probabilities(self, codes: Ints) -> Doubles:
        """Computes the probabilities that `agree` describes."""
        tables = [self.counts(number, codes) for number in range(len(self.keyed))]
        flips = self._flips(codes, tables)
        found = np.empty(len(codes))
        # How much the score of a clique increases for each other member with the label, without a
        # constant that is equal for all labels; 0 for the rows in no clique (-1, the last entry).
        rises = [
            np.append(2 * of / keyed.sizes, 0) for keyed, of in zip(self.keyed, self.strengths)
        ]
        for rows in blocks(self.order):
            # A row that stands for several equal rows has the probability of one of them.
            scores, now = self.one[rows], codes[rows]
            entries = np.arange(len(now))
            for keyed, rise, table in zip(self.keyed, rises, tables):
                if keyed.count == 0:
                    continue
                clique = keyed.codes[rows]
                of_label = rise[clique, None] * table[clique]
                of_label[entries, now] -= rise[clique]  # leaves out the row itself
                # Subtracts before adding, so that great strengths that balance each other do not
                # cost the digits of scores.
                of_label -= of_label[entries, now][:, None]
                scores += of_label
            scores -= scores[entries, now][:, None]
            np.maximum(scores, flips[self.component[rows]], out=scores)
            scores -= scores.max(axis=1, keepdims=True)
            shares = np.exp(scores, out=scores)
            found[rows] = shares[entries, now] / shares.sum(axis=1, dtype=np.float64)
        return found

    def _flips(self, codes: Ints, tables: Sequence[Ints]) -> Doubles:
        """Returns (components + 1) x m: the score of a component if all its rows had the label,
        minus its present score. The last entry, for rows in no clique, is -inf."""
        count, rows = self.components, self.inside
        flips = np.zeros((count + 1, self.one.shape[1]))
        flips[-1] = -np.inf
        for some in blocks(rows):
            gains = self.scores(some).astype(np.float64)
            gains -= gains[np.arange(len(some)), codes[some]][:, None]
            of = self.component[some]
            begins = np.flatnonzero(np.diff(of, prepend=-1))
            flips[of[begins]] += np.add.reduceat(gains, begins, axis=0)
        for keyed, strength, table in zip(self.keyed, self.strengths, tables):
            of_clique = np.zeros(keyed.count + 1, dtype=np.int64)
            of_clique[keyed.codes[rows]] = self.component[rows]
            sizes = keyed.sizes
            squares = np.einsum("cv,cv->c", table, table, dtype=np.float64)
            gain = strength / sizes * (sizes.astype(np.float64) ** 2 - squares)
            flips[:-1] += np.bincount(of_clique[:-1], gain, minlength=count)[:, None]
        return flips

    def reasons(
        self, number: int, rows: Longs, before: Ints, after: Ints
    ) -> tuple[Longs, Doubles, Ints, Array, Array, Array]:
        """Finds the cliques of a key whose scores gain because some rows changed from the label in
        `before` to the label in `after`. Returns for each of these rows its index in `rows`, how
        much the score of its clique gains, the number of this clique, the number of other rows of
        the clique, and how many of them had the new label before and have it now. With `times`, the
        last three are sums of `times` over these rows."""
        keyed, strength = self.keyed[number], self.strengths[number]
        inside = np.flatnonzero(keyed.codes[rows] >= 0)
        some = rows[inside]
        clique, table = keyed.codes[some], self.counts(number, after)
        times = np.ones(1, np.int64) if self.times is None else self.times[some]
        agreeing = table[clique, after[some]] - times
        # A clique with n members, n_v of which have label v, adds strength / n * sum_v n_v^2 to the
        # score. The amount is what the row contributes to this score with its new label, minus what
        # it would contribute with its old label.
        amount = 2 * strength / keyed.sizes[clique] * (agreeing - table[clique, before[some]])
        amount = amount * times
        pays = amount > 0
        others = keyed.sizes[clique] - times
        earlier = self.counts(number, before)[clique, after[some]]
        told = inside, amount, clique, others, earlier, agreeing
        return tuple(of_row[pays] for of_row in told)  # type: ignore[return-value]
