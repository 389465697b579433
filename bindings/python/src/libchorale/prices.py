"""Shared cliques: labels a corpus that is too large for one model, in parts. Experimental.

A word of a corpus, or an entity of a knowledge graph, may have members in every document; its
clique is called *shared*. The corpus is divided into parts: documents, or sets of documents that
other cliques connect. Each part has a model of its own, which contains the members of shared
cliques that are in this part. Parts receive *prices*, the score added to a member for each value,
and return *counts*, the number of members with each value. A `Search` chooses the prices;
`Part.answer` labels a part under prices. Answers of parts are integers, whose sums are exact in any
order. So the labels do not depend on how parts are divided among processes.

    search = Search(potentials, members)         # by shared clique
    outcome = search.run(lambda asked: (part.answer(asked) for part in parts))
    labels = [part.label(search.found).labels for part in parts]
"""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from ._native import call, library
from ._work import told
from .model import Model
from .potential import Potential
from .problem import Problem
from .run import LeftOut, OfModel, RunResult, labels_of, left_out_of, result_of, run_options

Longs = npt.NDArray[np.int64]


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


# ---- Parts --------------------------------------------------------------------------------------


class Labels(NamedTuple):
    """The labels of a part.

    labels    the labels of all chains, one chain after the other, int32; -1 in chains that are left
              out
    alone     the same of the chains decoded without cliques
    left_out  the chains that are left out, since every labelling of them is forbidden
    """

    labels: arrays.Ints
    alone: arrays.Ints
    left_out: list[LeftOut]


class Part(OfModel):
    """A part of the corpus: a model with a run in which prices replace the potentials of the shared
    cliques. A price is the score that a member of a shared clique gets for having a value. Rests on
    experimental calls of C: may change in any version.

    model    a `Model` or `Problem`; its other cliques are solved as by `Run`
    shared   the shared cliques, which are not centred: a dict from the number of a clique in the
             model to its number as a shared clique
    options  rounds, local_search, algorithm, joint_mode, beam_width, max_states, threads and
             bound_steps, as of `Run`

    >>> from libchorale import ModelBuilder
    >>> builder = ModelBuilder()
    >>> for unary in ([[2.0, 0.0]], [[0.0, 0.5]]):
    ...     _ = builder.add_chain(np.array(unary), tokens=[7])
    >>> builder.add_repeated_words(Potential.potts(2, 1.0))
    range(0, 1)
    >>> part = Part(builder.freeze(), {0: 0})
    >>> part.solve([1.0, 0.0]).score  # 2.0 + 1.0 + 0.0 + 1.0
    4.0
    """

    _free = library.chorale_prices_destroy

    def __init__(self, model: Model | Problem, shared: Mapping[int, int], **options: Any) -> None:
        made = run_options(**options)
        self._cliques = arrays.longs("shared", list(shared))
        self._numbers = list(shared.values())
        given = self._cliques, len(self._cliques), made
        super().__init__(model, None, made, library.chorale_prices_create, *given)
        model = self.model
        # Changes of the own score are counted by *unit*. Each chain is a unit; but if the part has
        # cliques that are not shared, which connect chains, the whole part is unit 0.
        self._apart = len(shared) == model.cliques
        # For each member of a shared clique: the clique, the unit, and the range of the positions
        # whose labels determine the member's value.
        members = [np.insert(model.members(of), 0, n, axis=1) for of, n in shared.items()]
        flat = np.concatenate([np.empty((0, 3), dtype=np.int64), *members])
        self._member_clique, chains, positions = flat.T
        self._unit = chains if self._apart else np.zeros_like(chains)
        starts = np.concatenate([[0], np.cumsum(model.chain_lengths)])
        self._first = starts[chains] + np.maximum(positions, 0)
        self._after = np.where(positions < 0, starts[chains + 1], self._first + 1)

    def solve(self, prices: npt.ArrayLike | None = None) -> RunResult:
        """Labels the part under prices. Always starts anew: the same prices give the same labels.

        prices: one array with a price for each shared clique of the part and each value of its
        potential; None: all prices are 0.
        """
        array = None if prices is None else arrays.table("prices", prices, 1)
        given = array, 0 if array is None else len(array), None
        solve = library.chorale_prices_solve
        return result_of(told(c.chorale_run_result, solve, self, *given, stop=self._stop))

    def answer(self, asked: Asked) -> Answer:
        """Labels the part under each row of prices, and returns the answer."""
        rows, values = asked.prices.shape
        counts = np.zeros((rows, values), dtype=np.int64)
        costs = np.zeros((rows, len(asked.first) - 1), dtype=np.int64)
        scores: list[int] = []
        limits: list[int | None] = []
        columns = self._columns(asked.first)
        found = np.empty(len(columns), dtype=np.int64)
        base, base_scores = np.empty(0, dtype=np.int32), np.empty(0)
        for k in range(rows):
            result = self.solve(asked.prices[k, columns])
            limit = result.score if self._apart else result.upper_bound
            limits.append(math.ceil(limit / asked.quantum) if math.isfinite(limit) else None)
            call(library.chorale_prices_counts, self, found, len(found), None)
            counts[k, columns] = found
            labels = self._labels()
            own = self._own_scores(labels)
            scores.append(sum(map(round, (own / asked.quantum).tolist())))
            if k == 0:
                base, base_scores = labels, own
                continue
            lost = np.rint((base_scores - own) / asked.quantum).astype(np.int64)
            self._divide(base != labels, lost, costs[k])
        return Answer(counts, costs, scores, limits)

    def label(self, asked: Asked) -> Labels:
        """Labels the part under the first row of prices."""
        self.solve(asked.prices[0, self._columns(asked.first)])
        labels, own = self._labels(), self._labels(alone=True)
        with self._use(shared=True) as handle:
            return Labels(labels, own, left_out_of(library.chorale_prices_run(handle)))

    def _labels(self, alone: bool = False) -> arrays.Ints:
        count = int(self._model.chain_lengths.sum())
        with self._use(shared=True) as handle:
            return labels_of(library.chorale_prices_run(handle), c.CHORALE_ALL_CHAINS, count, alone)

    def _columns(self, first: Longs) -> Longs:
        """Returns the columns of a row of prices that belong to the shared cliques of this part."""
        spans = [np.arange(first[k], first[k + 1]) for k in self._numbers]
        return np.concatenate([np.empty(0, dtype=np.int64), *spans])

    def _own_scores(self, labels: arrays.Ints) -> arrays.Doubles:
        """Returns the own score of each unit."""
        found = self._model.score(labels)
        # A chain that is left out has no labels, and minus infinity as its score.
        chain_scores = np.where(np.isneginf(found.chain_scores), 0.0, found.chain_scores)
        if self._apart:
            return chain_scores
        total = float(np.sum(chain_scores)) + float(np.sum(found.clique_scores))
        return np.array([total - float(np.sum(found.clique_scores[self._cliques]))])

    def _divide(self, changed: npt.NDArray[np.bool_], lost: Longs, costs: Longs) -> None:
        """For each unit, divides the own score that it lost evenly among those members of shared
        cliques in the unit whose labels changed. Adds each share to the costs of the member's
        clique."""
        before = np.concatenate([[0], np.cumsum(changed)])
        moved = before[self._after] > before[self._first]
        units = self._unit[moved]
        shares = np.bincount(units, minlength=len(lost))
        np.add.at(costs, self._member_clique[moved], lost[units] // shares[units])


# ---- The search ---------------------------------------------------------------------------------


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


class Search:
    """Finds prices for shared cliques, by rounds of questions to all parts and their answers. Rests
    on experimental calls of C: may change in any version.

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
        self._sizes = np.array([potential.values for potential in self.potentials], dtype=np.int64)
        self.first = np.concatenate([[0], np.cumsum(self._sizes)]).astype(np.int64)
        self.most_rounds = rounds
        self.rounds = self.rows = 0
        # For each track its next row of prices (None: it starts anew), and its rounds so far.
        self._tracks: list[tuple[arrays.Doubles | None, int]] = [(None, 0)] * tracks
        self.score = self.own_score = -math.inf
        self.upper_bound = math.inf
        # The best row, the counts under it, and the prices at these counts.
        self._best = self._successor = np.empty(0)
        self._counts: Longs = np.empty(0, dtype=np.int64)
        self._mixture: list[arrays.Doubles] = []  # one row, or none
        self._pull = self._idle = 0
        self._own: Longs | None = None  # counts under prices 0, the first row asked
        ranks = range(min(int(self._sizes.max(initial=1)), RANKS))
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
        # For each clique and value: the potential when all members have the value, divided by the
        # number of members.
        self._chords = np.zeros(int(self.first[-1]))
        greatest = 0.0
        for value in range(int(self._sizes.max(initial=0))):
            places = self.first[:-1] + np.minimum(value, self._sizes - 1)
            counts = np.zeros(int(self.first[-1]), dtype=np.int64)
            counts[places] = self.members
            prices, scores = self._at(counts)
            self._chords[places] = scores / np.maximum(self.members, 1)
            greatest = max(greatest, float(np.max(np.abs(prices))))
        # Costs are rounded to multiples of `quantum`, so that they are added as integers without
        # error. The greatest price is at most 2^28 quanta, which leaves room for sums in int64.
        self.quantum = float(2.0 ** (np.ceil(np.log2(greatest or 1.0)) - 28))

    def run(self, answers: Callable[[Asked], Iterable[Answer]]) -> Outcome:
        """Asks all questions, and returns the result. answers: a function that returns the answers
        of all parts to a question."""
        while (asked := self.ask()) is not None:
            self.take(functools.reduce(operator.add, answers(asked)))
        return self.outcome()

    def ask(self) -> Asked | None:
        """Returns the next question to all parts; None if the search has ended."""
        if self.rounds >= self.most_rounds or self._idle > self._patience:
            return None
        if self._own is None:
            rows = [np.zeros_like(self._chords), self._chords]
        else:
            tracks = [self._pulled() if row is None else row for row, _ in self._tracks]
            rows = [self._best, *tracks, self._successor, *self._mixture]
        self._asked = Asked(np.stack(rows), self.first, self.quantum)
        return self._asked

    def take(self, answer: Answer) -> None:
        """Processes the answer of the corpus to the last question: the sum of the answers of all
        parts."""
        asked, self._asked = self._asked, None
        if asked is None:
            raise ValueError("take must follow an ask that returned a question")
        self.rounds += 1
        self.rows += len(asked.prices)
        found = [self._at(counts) for counts in answer.counts]
        successors = [prices for prices, _ in found]
        agreement = np.stack([scores for _, scores in found])
        scores = [
            own * asked.quantum + float(np.sum(of)) for own, of in zip(answer.scores, agreement)
        ]
        if self._own is None:
            self.own_score, self._own = scores[0], answer.counts[0]
        else:
            for k, (row, steps) in enumerate(self._tracks):
                successor = successors[k + 1]
                ends = steps + 1 >= STEPS or row is not None and np.array_equal(successor, row)
                self._tracks[k] = (None, 0) if ends else (successor, steps + 1)
        self._bound(asked, answer)
        self._mix(asked, agreement - agreement[0] - answer.costs * asked.quantum)
        place = int(np.argmax(scores))
        gain = scores[place] - self.score
        self._idle = 0 if gain > 1e-9 * abs(scores[place]) else self._idle + 1
        if gain > 0:
            self._best, self._counts = asked.prices[place], answer.counts[place]
            self._successor, self.score = successors[place], scores[place]

    def outcome(self) -> Outcome:
        """Returns the result so far. Raises ValueError before the first answer."""
        if self._own is None:
            raise ValueError("outcome was called before take")
        return Outcome(self.score, self.own_score, self.upper_bound, self.rounds, self.rows)

    @property
    def found(self) -> Asked:
        """The best row of prices so far, as a question of one row."""
        return Asked(self._best[None], self.first, self.quantum)

    # ---- Prices

    def _by_clique(self, row: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
        """Returns views of a row: the entries of each shared clique."""
        return np.split(row, self.first[1:-1]) if self.potentials else []

    def _at(self, counts: Longs) -> tuple[arrays.Doubles, arrays.Doubles]:
        """Returns the prices at counts, and the score of each shared clique."""
        of_cliques = zip(self.potentials, self._by_clique(counts), self.members.tolist())
        found = [potential.prices(of, members) for potential, of, members in of_cliques]
        row = np.concatenate([np.empty(0), *(prices for prices, _ in found)])
        return row, np.array([score for _, score in found])

    def _pulled(self) -> arrays.Doubles:
        """Returns the first row of a track: the prices at changed counts, in which a share of the
        members is moved to one value."""
        assert self._own is not None
        # When all starts have been used once, they are used again, but then no members are moved in
        # half of the cliques, in a different half each time.
        pull, self._pull = self._pull, self._pull + 1
        cycle, start = divmod(pull, len(self._pulls))
        share, of_best, rank = self._pulls[start]
        row = (self._counts if of_best else self._own).copy()
        best = self._by_clique(self._counts)
        for k, counts in enumerate(self._by_clique(row)):
            if cycle > 0 and (k * 40503 + pull * 977) >> 4 & 1 == 0 or rank >= len(counts):
                counts[:] = best[k]
                continue
            value = np.argsort(-counts, kind="stable")[rank]
            moved = np.floor((1 - share) * counts).astype(np.int64)
            moved[value] += int(counts.sum() - moved.sum())
            counts[:] = moved
        return self._at(row)[0]

    def _bound(self, asked: Asked, answer: Answer) -> None:
        """Computes the upper bound of each row of prices, and keeps the least."""
        for row, limit in zip(asked.prices, answer.limits):
            if limit is not None:
                of_cliques = zip(self.potentials, self._by_clique(row), self.members.tolist())
                most = math.fsum(potential.most(of, n) for potential, of, n in of_cliques)
                self.upper_bound = min(self.upper_bound, limit * asked.quantum + most)

    def _mix(self, asked: Asked, gains: arrays.Doubles) -> None:
        """Sets the mixture: for each clique, the prices of the row by which the clique gained most
        over the first row. There is no mixture if no row gained."""
        chosen = np.repeat(np.argmax(gains, axis=0), self._sizes)
        mixed = asked.prices[chosen, np.arange(len(chosen))]
        self._mixture = [mixed] if np.any(chosen) else []
