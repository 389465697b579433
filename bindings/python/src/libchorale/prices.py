"""Shared cliques: labels a corpus that is too large for one model, in parts. Experimental.

A word of a corpus, or an entity of a knowledge graph, may have members in every document; its
clique is called *shared*. The corpus is divided into parts: documents, or sets of documents that
other cliques connect. Each part has a model of its own, which contains the members of shared
cliques that are in this part. Parts receive *prices*, the score added to a member for each value,
and return *counts*, the number of members with each value. A `Search` chooses the prices;
`Part.answer` labels a part under prices. Answers of parts are integers, whose sums are exact in any
order. So the labels do not depend on how parts are divided among processes.

    search = Search(potentials, members)         # by shared clique
    while (asked := search.ask()) is not None:
        search.take(sum_of(part.answer(asked) for part in parts))
    labels = [part.labels(search.best.prices, search.first) for part in parts]

`label` is this loop, in one process.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from ctypes import c_double, c_int64
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from ._handle import Closable
from ._native import call, library
from ._work import told
from .cancel import Stop
from .model import Model
from .potential import Potential
from .problem import Problem
from .run import LeftOut, RunResult, labels_of, left_out_of, result_of, run_options

Longs = npt.NDArray[np.int64]


class Prices(Closable):
    """A run of a model in which prices replace the potentials of the shared cliques. A price is the
    score that a member of a shared clique gets for having a value.

    model    a `Model` or `Problem`; its other cliques are solved as by `Run`
    cliques  the shared cliques, by their numbers in the model; not centred
    options  rounds, local_search, algorithm, joint_mode, beam_width, max_states, threads and
             bound_steps, as of `Run`

    >>> from libchorale import ModelBuilder
    >>> builder = ModelBuilder()
    >>> for unary in ([[2.0, 0.0]], [[0.0, 0.5]]):
    ...     _ = builder.add_chain(np.array(unary), tokens=[7])
    >>> builder.add_repeated_words(Potential.potts(2, 1.0))
    range(0, 1)
    >>> prices = Prices(builder.freeze(), [0])
    >>> score, _ = prices.solve([1.0, 0.0])
    >>> score, prices.counts().tolist(), prices.labels().tolist()
    (2.0, [2, 0], [0, 0])
    """

    _free = library.chorale_prices_destroy

    def __init__(
        self,
        model: Model | Problem,
        cliques: npt.ArrayLike,
        **options: Any,
    ) -> None:
        model = model.model if isinstance(model, Problem) else model
        if not isinstance(model, Model):
            raise TypeError(f"model is {model!r}, neither a Model nor a Problem")
        made = run_options(**options)
        numbers = arrays.longs("cliques", cliques)
        self._model = model.clone()
        self._raised = model._raised
        self._stop = made.used["cancel"] = Stop()
        create = library.chorale_prices_create
        super().__init__(self._create(create, None, self._model, numbers, len(numbers), made))
        self._stop._begin()  # the run borrows the flag until it is freed
        # The number of prices, which is also the number of counts: one for each shared clique and
        # each value of its potential.
        self.values: int = told(c_int64, library.chorale_prices_counts, self, None, 0)

    def _freed(self) -> None:
        try:
            super()._freed()
        finally:
            self._model.close()
            self._stop._end()

    def solve(self, prices: npt.ArrayLike | None = None) -> tuple[float, RunResult]:
        """Labels the model under prices. Always starts anew: the same prices give the same labels.
        Returns the score of the labelling without shared cliques and without prices, and the result
        of the run.

        prices: one array with a price for each shared clique and each value of its potential; None:
        all prices are 0.
        """
        array = None if prices is None else arrays.table("prices", prices, 1)
        score, count = c_double(), 0 if array is None else len(array)
        arguments = self, array, count, score
        solve = library.chorale_prices_solve
        result = told(c.chorale_run_result, solve, *arguments, stop=self._stop)
        return score.value, result_of(result)

    def counts(self) -> Longs:
        """Returns for each shared clique and value the number of members with the value, under the
        labels of the last `solve`. The order is that of the prices."""
        counts = np.empty(self.values, dtype=np.int64)
        call(library.chorale_prices_counts, self, counts, len(counts), None)
        return counts

    def labels(self, *, alone: bool = False) -> arrays.Ints:
        """Returns the labels of all chains, one chain after the other, int32; -1 in chains that are
        left out. alone: True: the chains are decoded without cliques."""
        count = int(self._model.chain_lengths.sum())
        with self._use(shared=True) as handle:
            run = library.chorale_prices_run(handle)
            return labels_of(run, c.CHORALE_ALL_CHAINS, count, alone)

    def left_out(self) -> list[LeftOut]:
        """Returns the chains that are left out, since every labelling of them is forbidden."""
        with self._use(shared=True) as handle:
            return left_out_of(library.chorale_prices_run(handle))


# ---- Questions and answers ----------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, repr=False)
class Asked(arrays.Shown):
    """A question of a `Search` to all parts: how do they label under each of K price vectors?
    There are C shared cliques, whose potentials have V values in all.

    prices   K x V: each row has a price for each shared clique and each value of its potential
    first    C + 1 offsets: the values of shared clique c have the entries first[c] to first[c + 1]
             - 1 of a row
    quantum  the unit in which scores and costs are returned as integers, so that sums are exact
    """

    prices: arrays.Doubles
    first: Longs
    quantum: float


@dataclasses.dataclass(repr=False)
class Answer(arrays.Shown):
    """The answer of one or more parts to a question. The sum of the answers of all parts is the
    answer of the corpus. The *own score* of a part is its score without shared cliques and without
    prices.

    counts     K x V, int64: under each row of prices, the number of members of each shared clique
               with each value, in the order of the prices
    costs      K x C, int64, in quanta: the own score under the first row minus the own score under
               row k, divided among the shared cliques with members whose labels differ
    scores     K integers, in quanta: the own score under each row
    limits     K integers, in quanta: under each row, an upper bound on own score plus prices of the
               members; None if a part has cliques that are not shared, and no bound_steps
    """

    counts: Longs
    costs: Longs
    scores: list[int]
    limits: list[int | None]

    def __add__(self, other: Answer) -> Answer:
        return Answer(
            self.counts + other.counts,
            self.costs + other.costs,
            [a + b for a, b in zip(self.scores, other.scores)],
            [None if a is None or b is None else a + b for a, b in zip(self.limits, other.limits)],
        )


def sum_of(answers: Iterable[Answer]) -> Answer:
    """Returns the sum of at least one answer."""
    answers = iter(answers)
    total = next(answers)
    for answer in answers:
        total += answer
    return total


# ---- Parts --------------------------------------------------------------------------------------


class Part:
    """A part of the corpus: a model, some of whose cliques are shared.

    shared   a dict from the number of a clique in the model to its number as a shared clique
    options  options of `Prices`
    """

    def __init__(self, model: Model | Problem, shared: dict[int, int], **options: Any) -> None:
        self.model = model.model if isinstance(model, Problem) else model
        self._cliques = np.array(list(shared), dtype=np.int64)
        self._numbers = np.array(list(shared.values()), dtype=np.int64)
        self._prices = Prices(self.model, self._cliques, **options)
        starts = np.concatenate([[0], np.cumsum(self.model.chain_lengths)])
        # For each member of a shared clique: the clique, the chain, and the range of the positions
        # whose labels determine the member's value.
        cliques, chains, begin, end = [], [], [], []
        for clique, number in shared.items():
            pairs = self.model.members(clique)
            of_chain = starts[pairs[:, 0]]
            whole = pairs[:, 1] < 0
            cliques.append(np.full(len(pairs), number))
            chains.append(pairs[:, 0])
            begin.append(np.where(whole, of_chain, of_chain + pairs[:, 1]))
            end.append(np.where(whole, starts[pairs[:, 0] + 1], of_chain + pairs[:, 1] + 1))
        empty = np.empty(0, dtype=np.int64)
        self._member_clique = np.concatenate([empty, *cliques]).astype(np.int64)
        self._begin = np.concatenate([empty, *begin]).astype(np.int64)
        self._end = np.concatenate([empty, *end]).astype(np.int64)
        # Changes of the own score are counted by *unit*. Each chain is a unit; but if the part has
        # cliques that are not shared, which connect chains, the whole part is unit 0.
        self._alone = len(shared) == self.model.cliques
        self._unit = np.concatenate([empty, *chains]).astype(np.int64)
        if not self._alone:
            self._unit[:] = 0

    def _columns(self, first: Longs) -> Longs:
        """Returns the columns of a row of prices that belong to the shared cliques of this part."""
        spans = [np.arange(first[k], first[k + 1]) for k in self._numbers]
        return np.concatenate([np.empty(0, dtype=np.int64), *spans]).astype(np.int64)

    def _own_scores(self, labels: arrays.Ints) -> arrays.Doubles:
        """Returns the own score of each unit."""
        found = self.model.score(labels)
        # A chain that is left out has no labels, and minus infinity as its score.
        chain_scores = np.where(np.isneginf(found.chain_scores), 0.0, found.chain_scores)
        if self._alone:
            return chain_scores
        total = float(np.sum(chain_scores)) + float(np.sum(found.clique_scores))
        return np.array([total - float(np.sum(found.clique_scores[self._cliques]))])

    def answer(self, asked: Asked) -> Answer:
        """Labels the part under each row of prices, and returns the answer."""
        rows, values = asked.prices.shape
        counts = np.zeros((rows, values), dtype=np.int64)
        costs = np.zeros((rows, len(asked.first) - 1), dtype=np.int64)
        scores: list[int] = []
        limits: list[int | None] = []
        columns = self._columns(asked.first)
        base, base_scores = np.empty(0, dtype=np.int32), np.empty(0)
        for k in range(rows):
            _, result = self._prices.solve(asked.prices[k, columns])
            limit = result.score if self._alone else result.upper_bound
            limits.append(math.ceil(limit / asked.quantum) if math.isfinite(limit) else None)
            counts[k, columns] = self._prices.counts()
            labels = self._prices.labels()
            own = self._own_scores(labels)
            scores.append(sum(map(round, (own / asked.quantum).tolist())))
            if k == 0:
                base, base_scores = labels, own
                continue
            lost = np.rint((base_scores - own) / asked.quantum).astype(np.int64)
            self._divide(base != labels, lost, costs[k])
        return Answer(counts, costs, scores, limits)

    def _divide(self, changed: npt.NDArray[np.bool_], lost: Longs, costs: Longs) -> None:
        """For each unit, divides the own score that it lost evenly among those members of shared
        cliques in the unit whose labels changed. Adds each share to the costs of the member's
        clique."""
        before = np.concatenate([[0], np.cumsum(changed)])
        moved = before[self._end] > before[self._begin]
        units = self._unit[moved]
        shares = np.bincount(units, minlength=len(lost))
        np.add.at(costs, self._member_clique[moved], lost[units] // shares[units])

    def labels(self, prices: npt.ArrayLike, first: Longs) -> arrays.Ints:
        """Returns the labels of all chains under a row of prices. first: as in `Asked`."""
        row = np.asarray(prices, dtype=np.float64)
        self._prices.solve(row[self._columns(first)])
        return self._prices.labels()

    def left_out(self) -> list[LeftOut]:
        """Returns the chains that are left out. Call `labels` first."""
        return self._prices.left_out()

    def own_labels(self) -> arrays.Ints:
        """Returns the labels of all chains decoded without cliques. Call `labels` first."""
        return self._prices.labels(alone=True)


# ---- The search ---------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Standing:
    """A row of prices, the counts under the labels that these prices give, and the score of the
    corpus with these labels."""

    prices: arrays.Doubles
    counts: Longs
    score: float


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The result of a `Search`.

    score        score of the whole corpus: of all chains and all cliques
    own_score    score of the whole corpus with the labels that parts have if all prices are 0
    upper_bound  upper bound on the score of any labelling; infinite if none was found (`Search`)
    rounds       number of questions; each is sent to all parts
    rows         number of price vectors in all questions: how often each chain was decoded
    """

    score: float
    own_score: float
    upper_bound: float
    rounds: int
    rows: int


# A track of the search (see `Search`) starts with the prices at changed counts: in each clique, a
# share of the members is moved to one value. Different starts use different shares and values: each
# of SHARES, and each of the RANKS commonest values of the clique. With a share below 1, the other
# values keep some of their members.
SHARES = (1.0, 0.5, 0.3, 0.2)
RANKS = 24

# A track continues for this many rounds, each time with the prices at the counts of its own last
# round. Then it starts anew.
STEPS = 4


@dataclasses.dataclass
class _Track:
    counts: Longs | None = None  # the counts under its last prices; None: it has not started
    steps: int = 0


class Search:
    """Finds prices for shared cliques, by rounds of questions to all parts and their answers.

    Every round tries these price vectors:

    - the best row so far;
    - its successor: the prices at the counts that the best row leads to, which are the slopes of
      the potentials there; for convex sums these prices never score less;
    - a mixture of the last round's rows, in which each clique has the prices of the row by which it
      gained most;
    - a row for each *track*. A track starts with the prices at changed counts, and continues with
      successors. To change the counts under prices 0, or those of the best row, a share of the
      members of every clique (after some rounds, of half of the cliques) is moved to one value. A
      track may score less at first than the best row.

    Every row of prices p gives an upper bound on the score of any labelling of the corpus,

        sum over parts of max (own score + prices) + sum over shared cliques of max_n C(n) - p n,

    where C(n) is the potential at the counts n, and p n is sum_v p_v n_v. The least of these bounds
    is `upper_bound`. It is infinite before the first answer, and if a part has no limit (`Answer`).
    The first question has an extra row for the bound: the price of a value v is the potential when
    all members have v, divided by their number. For convex sums whose tables begin with 0, no other
    prices give a lower bound. (With these prices max_n C(n) - p n is 0, and the linear function p n
    is the least concave function above C over all divisions of the members, also into fractions.)
    But the bound is not tight: for Potts it is the sum of the maxima of the parts without shared
    cliques, plus the greatest scores of the shared cliques.

    potentials  potential of each shared clique, all convex sums
    members     number of members of each shared clique, in all parts together
    rounds      greatest number of questions
    tracks      number of tracks in each round
    """

    def __init__(
        self,
        potentials: Sequence[Potential],
        members: npt.ArrayLike,
        *,
        rounds: int = 40,
        tracks: int = 8,
    ) -> None:
        self.potentials = list(potentials)
        self.members = arrays.longs("members", members)
        if len(self.members) != len(self.potentials):
            raise ValueError(
                f"there are {len(self.members)} members for {len(self.potentials)} potentials"
            )
        sizes = [potential.values for potential in self.potentials]
        self.first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.rounds_left = rounds
        self._tracks = [_Track() for _ in range(tracks)]
        self.rounds = self.rows = 0
        self.own_score = -np.inf
        self.best: Standing | None = None
        self.upper_bound = math.inf
        self._mixture: arrays.Doubles | None = None
        self._pull = self._idle = 0
        self._own: Longs | None = None  # counts under prices 0, the first row asked
        ranks = range(min(max(sizes, default=0), RANKS))
        # The starts of tracks: the share of members that is moved; True to change the best counts,
        # False to change the counts under prices 0; the rank (by count) of the value to which the
        # members are moved.
        self._pulls = [(s, best, r) for s in SHARES for best in (False, True) for r in ranks]
        # The search ends when more than this many rounds in a row have brought no gain. In so many
        # rounds tracks can start with every value, both from the best counts and from the counts
        # under prices 0.
        starts = math.ceil(2 * len(ranks) / max(tracks, 1))
        self._patience = max(2, starts) * (STEPS + 1) - 2
        self._asked: Asked | None = None
        ends = [[self._at(k, self._all_at(k, v)) for v in range(n)] for k, n in enumerate(sizes)]
        # For each clique and value: the potential when all members have the value, divided by the
        # number of members.
        self._chords = [
            np.array([score for _, score in of]) / max(int(n), 1)
            for of, n in zip(ends, self.members)
        ]
        greatest = [float(np.max(np.abs(prices), initial=0.0)) for of in ends for prices, _ in of]
        # Costs are rounded to multiples of `quantum`, so that they are added as integers without
        # error. The greatest price is at most 2^28 quanta, which leaves room for sums in int64.
        top = max(greatest, default=0.0) or 1.0
        self.quantum = float(2.0 ** (np.ceil(np.log2(top)) - 28))

    # ---- Prices

    def _at(self, clique: int, counts: Longs) -> tuple[arrays.Doubles, float]:
        return self.potentials[clique].prices(counts, int(self.members[clique]))

    def _of(self, row: npt.NDArray[Any], clique: int) -> npt.NDArray[Any]:
        return row[self.first[clique] : self.first[clique + 1]]

    def _all_at(self, clique: int, value: int) -> Longs:
        counts = np.zeros(int(self.first[clique + 1] - self.first[clique]), dtype=np.int64)
        counts[value] = self.members[clique]
        return counts

    def _row(self, prices_of: Callable[[int], arrays.Doubles]) -> arrays.Doubles:
        row = np.empty(int(self.first[-1]))
        for k in range(len(self.potentials)):
            self._of(row, k)[:] = prices_of(k)
        return row

    def _tangent(self, clique: int) -> arrays.Doubles:
        assert self.best is not None
        return self._at(clique, self._of(self.best.counts, clique))[0]

    def _pulled(self, clique: int, pull: int) -> arrays.Doubles:
        """Returns the prices of a clique at changed counts: a share of the members is moved to one
        value. pull: the number of the start; starts beyond the end of `_pulls` begin again at its
        first entry."""
        assert self.best is not None and self._own is not None
        share, of_best, rank = self._pulls[pull % len(self._pulls)]
        cycle = pull // len(self._pulls)
        counts = self._of(self.best.counts if of_best else self._own, clique)
        order = np.argsort(-counts, kind="stable")
        # When all starts have been used once, they are used again, but then no members are moved in
        # half of the cliques, in a different half each time.
        if cycle > 0 and (clique * 40503 + pull * 977) >> 4 & 1 == 0 or rank >= len(order):
            return self._tangent(clique)
        moved = np.floor((1 - share) * counts).astype(np.int64)
        moved[order[rank]] += int(counts.sum() - moved.sum())
        return self._at(clique, moved)[0]

    def _next(self, track: _Track) -> arrays.Doubles:
        """Returns the next row of prices of a track."""
        if track.counts is None or track.steps >= STEPS:
            track.counts, track.steps = None, 0
            pull, self._pull = self._pull, self._pull + 1
            return self._row(lambda k: self._pulled(k, pull))
        counts = track.counts
        return self._row(lambda k: self._at(k, self._of(counts, k))[0])

    # ---- Rounds

    def ask(self) -> Asked | None:
        """Returns the next question to all parts; None if the search has ended."""
        if self.rounds_left <= 0 or self._idle > self._patience:
            return None
        if self.best is None:
            rows = [np.zeros(int(self.first[-1])), self._row(lambda k: self._chords[k])]
        else:
            rows = [self.best.prices, *map(self._next, self._tracks), self._row(self._tangent)]
            if self._mixture is not None:
                rows.append(self._mixture)
        self._asked = Asked(np.stack(rows), self.first, self.quantum)
        return self._asked

    def take(self, answer: Answer) -> None:
        """Processes the answer of the corpus to the last question: the sum of the answers of all
        parts."""
        asked, self._asked = self._asked, None
        if asked is None:
            raise ValueError("take must follow an ask that returned a question")
        self.rounds_left -= 1
        self.rounds += 1
        self.rows += len(asked.prices)
        agreement = np.array(
            [
                [self._at(k, self._of(row, k))[1] for k in range(len(self.potentials))]
                for row in answer.counts
            ]
        ).reshape(len(asked.prices), len(self.potentials))
        scores = [
            own * asked.quantum + float(np.sum(of)) for own, of in zip(answer.scores, agreement)
        ]
        if self.best is None:
            self.own_score, self._own = scores[0], answer.counts[0]
        else:
            for track, counts in zip(self._tracks, answer.counts[1:]):
                is_done = track.counts is not None and np.array_equal(track.counts, counts)
                track.steps = STEPS if is_done else track.steps + 1
                track.counts = counts
        self._bound(asked, answer)
        gains = agreement - agreement[0] - answer.costs * asked.quantum
        self._mix(asked, gains)
        place = int(np.argmax(scores))
        found = Standing(asked.prices[place], answer.counts[place], scores[place])
        grown = self.best is None or found.score > self.best.score + 1e-9 * abs(self.best.score)
        self._idle = 0 if grown else self._idle + 1
        if self.best is None or found.score > self.best.score:
            self.best = found

    def outcome(self) -> Outcome:
        """Returns the result so far. Raises ValueError before the first answer."""
        if self.best is None:
            raise ValueError("outcome was called before take")
        bounds = self.best.score, self.own_score, self.upper_bound
        return Outcome(*bounds, self.rounds, self.rows)

    def _bound(self, asked: Asked, answer: Answer) -> None:
        """Computes the upper bound of each row of prices, and keeps the least."""
        for row, limit in zip(asked.prices, answer.limits):
            if limit is not None:
                most = [
                    potential.most(self._of(row, k), int(self.members[k]))
                    for k, potential in enumerate(self.potentials)
                ]
                bound = limit * asked.quantum + math.fsum(most)
                self.upper_bound = min(self.upper_bound, bound)

    def _mix(self, asked: Asked, gains: arrays.Doubles) -> None:
        """Sets the mixture: for each clique, the prices of the row by which the clique gained most
        over the first row. There is no mixture if no row gained."""
        self._mixture = None
        chosen = np.argmax(gains, axis=0) if len(gains) > 1 else np.zeros(0, dtype=np.int64)
        if np.any(chosen):
            self._mixture = self._row(lambda k: self._of(asked.prices[chosen[k]], k))


class Labelled(NamedTuple):
    """The result of `label`.

    labels   for each part the labels of all its chains, one chain after the other
    outcome  the result of the search
    """

    labels: list[arrays.Ints]
    outcome: Outcome


def label(
    parts: Sequence[Part],
    potentials: Sequence[Potential],
    members: npt.ArrayLike,
    *,
    rounds: int = 40,
    tracks: int = 8,
) -> Labelled:
    """Labels all parts, in this process, so that the members of their shared cliques agree. The
    arguments are those of `Search`."""
    search = Search(potentials, members, rounds=rounds, tracks=tracks)
    while (asked := search.ask()) is not None:
        search.take(sum_of(part.answer(asked) for part in parts))
    outcome = search.outcome()
    assert search.best is not None
    return Labelled([part.labels(search.best.prices, search.first) for part in parts], outcome)
