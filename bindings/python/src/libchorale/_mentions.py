"""Computes `agree` (mentions.py) on NumPy arrays: N mentions (rows) with m labels. Mentions with
the same key are a clique."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from ._agreements import Agreement, Given, Wanted
from ._columns import Array, Codes, Longs
from .collective import solved
from .potential import Potential

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

# Probabilities below MARGIN are taken as MARGIN. If a row has a single confidence, a confidence
# above 1 - MARGIN is taken as 1 - MARGIN.
MARGIN = 1e-6

# Strengths are reduced by this share when rows are labelled. So where agreement and scores balance
# exactly, rounding does not decide, and rows keep the labels with the highest scores.
TIE = 1e-9

# Number of rows that are processed at a time.
BLOCK = 1 << 14


def blocks(count: int) -> Iterator[slice]:
    for first in range(0, count, BLOCK):
        yield slice(first, min(count, first + BLOCK))


# ---- Scores


class Scores:
    """The scores of m labels in each of N rows: log-probabilities, or logits."""

    count: int
    labels: int
    dtype: Any = np.float32

    def rows(self, rows: Longs | slice) -> Array:
        """Returns a new array with the scores of some rows."""
        raise NotImplementedError

    def of(self, rows: Longs, codes: Ints) -> Doubles:
        """Returns the score of label codes[row] for each of the rows."""
        made = np.empty(len(rows))
        for part in blocks(len(rows)):
            some = rows[part]
            made[part] = self.rows(some)[np.arange(len(some)), codes[some]]
        return made

    def sums(self, rows: Longs, parts: Ints, count: int) -> Doubles:
        """Returns count x m: for each of `count` parts the sum of the scores of its rows. parts:
        the part of each row, ascending."""
        made = np.zeros((count, self.labels))
        for part in blocks(len(rows)):
            begins = np.flatnonzero(np.diff(parts[part], prepend=-1))
            scores = self.rows(rows[part]).astype(np.float64)
            made[parts[part][begins]] += np.add.reduceat(scores, begins, axis=0)
        return made

    def best(self) -> tuple[Ints, Doubles]:
        """Returns for each row the label with the highest score (the first of several), and the
        difference to the second highest score."""
        labels = np.empty(self.count, dtype=np.int32)
        margins = np.zeros(self.count)
        for part in blocks(self.count):
            rows = self.rows(part)
            labels[part] = rows.argmax(axis=1)
            if self.labels > 1:
                top = np.partition(rows, self.labels - 2, axis=1)
                margins[part] = top[:, -1] - top[:, -2]
        return labels, margins


class Confidences(Scores):
    """Scores made from one probability for each row, that of its label. The other labels share the
    remaining probability equally."""

    def __init__(self, codes: Ints, confidence: Array, labels: int) -> None:
        self.count, self.labels, self._codes = len(codes), labels, codes
        if labels == 1:
            self._own = self._other = np.zeros(len(codes), dtype=np.float32)
            return
        sure = np.clip(confidence, MARGIN, 1 - MARGIN)
        self._other = np.log((1 - sure) / (labels - 1)).astype(np.float32)
        self._own = np.log(sure).astype(np.float32)
        # At 1 / m, up to rounding, the row's own label scores strictly above the other labels.
        even = np.abs(sure * labels - 1) < 1e-6
        self._own[even] = self._other[even] + np.float32(1e-5)

    def rows(self, rows: Longs | slice) -> Array:
        codes = self._codes[rows]
        made = np.repeat(self._other[rows], self.labels).reshape(len(codes), self.labels)
        made[np.arange(len(codes)), codes] = self._own[rows]
        return made

    def of(self, rows: Longs, codes: Ints) -> Doubles:
        own = codes[rows] == self._codes[rows]
        return np.where(own, self._own[rows], self._other[rows]).astype(np.float64)

    def sums(self, rows: Longs, parts: Ints, count: int) -> Doubles:
        other = self._other[rows]
        of_labels = parts.astype(np.int64) * self.labels + self._codes[rows]
        ahead = np.bincount(of_labels, self._own[rows] - other, minlength=count * self.labels)
        shared = np.bincount(parts, other, minlength=count)
        made = np.asarray(ahead, dtype=np.float64).reshape(count, self.labels)
        made += shared[:, None]
        return made

    def best(self) -> tuple[Ints, Doubles]:
        # Where the row's label is less likely than the others, the best is the first other one. If
        # there are several others, they are equally good.
        ahead = self._own.astype(np.float64) - self._other
        first = (self._codes == 0).astype(np.int32) if self.labels > 1 else self._codes
        others = 0 if self.labels > 2 else -ahead
        labels = np.where(ahead < 0, first, self._codes).astype(np.int32)
        return labels, np.where(ahead < 0, others, ahead)


class AllScores(Scores):
    """Scores of all labels, N x m: logarithms, or probabilities, whose logarithms are float32."""

    def __init__(self, given: Array, logarithms: bool) -> None:
        self.count, self.labels = given.shape
        if not logarithms:
            given = given.astype(np.float32)
            np.log(np.maximum(given, MARGIN, out=given), out=given)
        self._scores, self.dtype = given, given.dtype

    def rows(self, rows: Longs | slice) -> Array:
        # The result must be a copy: indexing gives one for an array of indices, not for a slice.
        return self._scores[rows].astype(self.dtype, copy=isinstance(rows, slice))


class Repeated(Scores):
    """The scores of rows that stand for several equal rows: those of `one` row, times how many."""

    def __init__(self, one: Scores, times: Longs) -> None:
        self.count, self.labels, self.dtype = one.count, one.labels, one.dtype
        self.one, self._times = one, times

    def rows(self, rows: Longs | slice) -> Array:
        found = self.one.rows(rows)
        found *= self._times[rows, None]
        return found

    def best(self) -> tuple[Ints, Doubles]:
        labels, margins = self.one.best()
        return labels, margins * self._times


# ---- Cliques


@dataclasses.dataclass
class Keyed:
    """The cliques of one key.

    codes    N int32: the clique of each row; -1: none
    count    the number of cliques
    sizes    for each clique the number of its rows; with `times` (see `Mentions`) the sum of
             `times` over its rows
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
    codes: Ints, count: int, minimum: int, times: Longs | None = None
) -> tuple[Ints, int, Longs]:
    """Drops cliques with fewer rows than `minimum`, and renumbers the others. Returns the clique of
    each row (-1: none), the number of cliques and their sizes. times: how many rows each row stands
    for."""
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


@dataclasses.dataclass(frozen=True)
class Weights:
    """The weights of all cliques that one key (one or several columns) makes. A clique with n
    members, n_v of which have label v, scores strength / n * sum_v n_v^2 + sum_v bonus_v n_v."""

    strength: float
    bonus: Doubles | None = None
    potential: Potential | None = None  # this score as a potential, if there is a bonus


# ---- Labels and probabilities


@dataclasses.dataclass
class Together:
    """The results for each row. codes: its label. probability: the probability of this label.
    before: the probability of the label that the row had before."""

    codes: Ints
    probability: Doubles
    before: Doubles


@dataclasses.dataclass
class Reasons:
    """The cliques of one key whose scores gain by changes of rows. Entry i of each array is about
    one row.

    places    the index of the row in the argument `rows` of `Mentions.reasons`
    amounts   how much the score of the row's clique gains
    cliques   the number of this clique
    others    the number of other rows of the clique
    agreeing_before, agreeing  the number of other rows of the clique whose label was the new one
              before, and is it now
    With `times` (see `Mentions`), all three are sums of `times` over these rows.
    """

    places: Longs
    amounts: Doubles
    cliques: Ints
    others: npt.NDArray[Any]
    agreeing_before: npt.NDArray[Any]
    agreeing: npt.NDArray[Any]


class Mentions:
    """Rows with scores and cliques. times: how many rows each stands for (the argument `count` of
    `agree`), in which case scores are `Repeated`; None: one. own: for each row the label with the
    highest score; of several such labels, that of the argument `before` if it is one of them."""

    def __init__(
        self,
        scores: Scores,
        keyed: Sequence[Keyed],
        weights: Sequence[Weights],
        times: Longs | None = None,
        before: Ints | None = None,
    ) -> None:
        self.scores, self.keyed, self.weights, self.times = scores, keyed, weights, times
        self.own, self.margins = scores.best()
        if before is not None:
            other = np.flatnonzero(before != self.own)
            equal = other[scores.of(other, before) >= scores.of(other, self.own)]
            self.own[equal] = before[equal]
        self.component, self.components = components(keyed)
        # The rows in cliques, sorted by component: later steps process one component after the
        # other, and so access neighbouring memory.
        rows = np.flatnonzero(self.component >= 0)
        pairs = (self.component[rows].astype(np.int64) << 32) | rows
        pairs.sort()
        self.order = pairs & 0xFFFFFFFF

    def unsettled(self) -> Longs:
        """Returns the rows that may change, in the order of `order`. If strengths are not negative
        and labels have no bonus, a component whose rows all have the same best label keeps this
        label, since every row and every clique already has its highest score."""
        if any(of.strength < 0 or of.bonus is not None for of in self.weights):
            return self.order
        component, own = self.component[self.order], self.own[self.order]
        of_component = np.zeros(self.components, dtype=np.int32)
        of_component[component] = own
        differs = np.zeros(self.components, dtype=bool)
        differs[component[own != of_component[component]]] = True
        rows: Longs = self.order[differs[component]]
        return rows

    def given(self, rows: Longs, groups: Longs | None, factor: float = 1.0) -> Given:
        """Returns the arguments of `decode` for some rows: every row is a chain of one position.
        factor: of the strengths."""
        scores = np.empty((len(rows), self.scores.labels), dtype=self.scores.dtype)
        for part in blocks(len(rows)):
            scores[part] = self.scores.rows(rows[part])
        wanted = []
        for number, (keyed, of) in enumerate(zip(self.keyed, self.weights)):
            asked = Agreement("keys", factor * of.strength, of.potential, across=True)
            place = f"key {', '.join(map(repr, keyed.names))}"
            empty = np.zeros(0, dtype=np.int32)
            none = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64)
            times = None if self.times is None else self.times[rows]
            wanted.append(Wanted(asked, number, place, keyed.codes[rows], empty, *none, times))
        offsets = np.arange(len(rows) + 1)
        if groups is None:
            groups = np.zeros(len(rows), dtype=np.int64)
        return Given(scores, offsets, None, groups, (), None, False, wanted, empty)

    def solve(
        self, options: dict[str, Any], until: float | None, told: Callable[[Any], Any] | None
    ) -> Ints:
        """Labels all rows together and returns their labels. until: the deadline, from
        `arrays.deadline`. told: called after each round."""
        rows = self.unsettled()
        codes = self.own.copy()
        if len(rows):
            given = self.given(rows, None, 1.0 - TIE)
            with solved(given, options, until=until, progress=told, borrow=True) as solution:
                codes[rows] = solution.labels(0, len(rows))
        return codes

    def counts(self, number: int, codes: Ints) -> Ints:
        """Returns cliques x m, for each clique of a key and each label: the number of rows of the
        clique that have the label, or the sum of `times` over these rows."""
        keyed, labels = self.keyed[number], self.scores.labels
        rows = np.flatnonzero(keyed.codes >= 0)
        places = keyed.codes[rows].astype(np.int64) * labels + codes[rows]
        times = None if self.times is None else self.times[rows]
        counts = np.bincount(places, times, minlength=keyed.count * labels)
        return counts.astype(np.int32).reshape(keyed.count, labels)

    def probabilities(self, codes: Ints, before: Ints) -> Together:
        """Computes the probabilities that `agree` describes."""
        count = len(codes)
        result = Together(codes, np.empty(count), np.empty(count))
        tables = [self.counts(number, codes) for number in range(len(self.keyed))]
        rises = [self._rises(number, table) for number, table in enumerate(tables)]
        shares = [
            np.append(2 * of.strength / keyed.sizes, 0)
            for keyed, of in zip(self.keyed, self.weights)
        ]
        flips = self._flips(codes, tables)
        # A row that stands for several equal rows has the probability of one of them.
        one = self.scores.one if isinstance(self.scores, Repeated) else self.scores
        lonely = np.flatnonzero(self.component < 0)
        for part in blocks(len(lonely)):
            rows = lonely[part]
            self._tell(result, rows, one.rows(rows), before)
        for part in blocks(len(self.order)):
            rows = self.order[part]
            scores = one.rows(rows)
            entries = np.arange(len(rows))
            for keyed, rise, share in zip(self.keyed, rises, shares):
                clique = keyed.codes[rows]  # -1: the last entry, of zeros
                rises_of = rise[clique]
                rises_of[entries, codes[rows]] -= share[clique]  # leaves out the row itself
                # Subtracts before adding, so that great strengths that balance each other do not
                # cost the digits of scores.
                rises_of -= rises_of[entries, codes[rows]][:, None]
                scores += rises_of
            scores -= scores[entries, codes[rows]][:, None]
            np.maximum(scores, flips[self.component[rows]], out=scores)
            self._tell(result, rows, scores, before)
        return result

    def _rises(self, number: int, table: Ints) -> Array:
        """Returns (cliques + 1) x m: how much the score of a clique with n members increases if
        n_v, the number of members with label v, increases by 1. This is 2 strength / n * n_v +
        bonus_v, without a constant that is equal for all labels. The last entry, for rows of the
        table that are in no clique, is 0 for all labels."""
        keyed, of = self.keyed[number], self.weights[number]
        rises = np.zeros((keyed.count + 1, self.scores.labels))
        np.multiply(table, 2 * of.strength / keyed.sizes[:, None], out=rises[:-1])
        if of.bonus is not None:
            rises[:-1] += of.bonus
        return rises

    def _tell(self, result: Together, rows: Longs, scores: Array, before: Ints) -> None:
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        sums = scores.sum(axis=1, dtype=np.float64)
        entries = np.arange(len(rows))
        result.probability[rows] = scores[entries, result.codes[rows]] / sums
        result.before[rows] = scores[entries, before[rows]] / sums

    def _flips(self, codes: Ints, tables: Sequence[Ints]) -> Array:
        """Returns components x m: the score of a component if all its rows had the label, minus its
        present score."""
        component = self.component[self.order]
        flips = self.scores.sums(self.order, component, self.components)
        flips -= np.bincount(
            component, self.scores.of(self.order, codes), minlength=self.components
        )[:, None]
        for keyed, of_key, table in zip(self.keyed, self.weights, tables):
            clique = keyed.codes[self.order]
            of_clique = np.zeros(keyed.count + 1, dtype=np.int64)
            of_clique[clique] = component
            where, sizes = of_clique[:-1], keyed.sizes
            squares = np.einsum("cv,cv->c", table, table, dtype=np.float64)
            gain = of_key.strength / sizes * (sizes.astype(np.float64) ** 2 - squares)
            if of_key.bonus is not None:
                gain -= table @ of_key.bonus
                members = np.bincount(where, sizes, minlength=self.components)
                flips += members[:, None] * of_key.bonus
            flips += np.bincount(where, gain, minlength=self.components)[:, None]
        return flips.astype(self.scores.dtype)

    # ---- Why

    def reasons(self, number: int, rows: Longs, before: Ints, after: Ints) -> Reasons:
        """Finds the cliques of a key whose scores gain because some rows changed from the label in
        `before` to the label in `after`."""
        keyed, of = self.keyed[number], self.weights[number]
        inside = np.flatnonzero(keyed.codes[rows] >= 0)
        some = rows[inside]
        clique, table = keyed.codes[some], self.counts(number, after)
        times = 1 if self.times is None else self.times[some]
        agreeing = table[clique, after[some]] - times
        # A clique with n members, n_v of which have label v, adds strength / n * sum_v n_v^2 to the
        # score. The amount is what the row contributes to this score with its new label, minus what
        # it would contribute with its old label.
        amount = 2 * of.strength / keyed.sizes[clique] * (agreeing - table[clique, before[some]])
        if of.bonus is not None:
            amount = amount + of.bonus[after[some]] - of.bonus[before[some]]
        amount = amount * times
        pays = amount > 0
        others = keyed.sizes[clique] - times
        earlier = self.counts(number, before)[clique, after[some]]
        told: tuple[Any, ...] = (amount, clique, others, earlier, agreeing)
        return Reasons(inside[pays], *(of_row[pays] for of_row in told))


def plain_weights(strengths: Sequence[float]) -> list[Weights]:
    return [
        Weights(arrays.real(f"strength[{number}]", strength))
        for number, strength in enumerate(strengths)
    ]
