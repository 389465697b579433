"""One label for all mentions of a key, unless the key is really two: what the evidence of mentions
adds up to, and what it decides, on NumPy arrays.

N mentions (rows), K keys, m labels. Let w_iv be the evidence of mention i for label v (its
log-odds, of which at most `most` count), and n the number of mentions of a key, of which n_v get
label v. The labels of a key maximise

    sum_i w_i,y_i  +  max_v max(-(once + each * n), -most * (n - n_v)),

a MAX potential. No mention says more than `most`, so the best labelling is one of m + 1: all
mentions have label v; or each has its own best label, for which the key pays once + each * n. The
sums of w over the mentions of each key decide, so that mentions can be added in any order.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from ._columns import Array, Doubles, Longs
from ._mentions import Ints

# Evidence is rounded to multiples of UNIT: then sums are exact, and do not depend on the order.
UNIT = 2.0**-20

# A key counts as two things if its mentions speak against one label by more than is usual in the
# table and SHARE of how sure mentions are, and by the log-odds of TWO, which matters for keys of
# few mentions. Both are measured, see examples/experiments/settled.py.
TWO = 1 / 400
SHARE = 0.3

# The greatest `most` that is estimated, in natural logarithms of odds.
MOST = 8.0

# The errors that the tagger expects of itself count as much as those of so many mentions.
PRIOR = 100


@dataclasses.dataclass(frozen=True)
class Evidence:
    """What decides whether the mentions of a key have one label.

    most   the most that one mention can say: the log-odds above which confidences are not believed
    once, each  a key of n mentions is two or more things if all that its mentions say against one
           label is above once + each * n. once=inf: every key is one thing
    origin where the numbers come from, for people
    """

    most: float
    once: float
    each: float
    origin: str = "given"

    def __post_init__(self) -> None:
        if not self.most > 0 or not math.isfinite(self.most):
            raise ValueError(f"most is {self.most}; it must be a finite number above 0")
        if math.isnan(self.once) or math.isnan(self.each) or self.each < 0:
            raise ValueError(f"once is {self.once} and each is {self.each}; each must be >= 0")

    def __str__(self) -> str:
        return (
            f"a mention says at most {self.most:.2f}; a key is two things above "
            f"{self.once:.2f} + {self.each:.2f} a mention ({self.origin})"
        )


def checked(evidence: Evidence) -> Evidence:
    if not isinstance(evidence, Evidence):
        raise TypeError(f"evidence is {evidence!r}, not an Evidence")
    return evidence


def rounded(numbers: Doubles) -> Doubles:
    found: Doubles = np.round(numbers / UNIT) * UNIT
    return found


@dataclasses.dataclass(frozen=True)
class Votes:
    """What mentions say.

    own     N: the best label; -1: the mention says nothing
    margin  N: the log-odds of `own`: its log-probability minus that of each other label. Below 0 if
            others are more probable
    losses  N x m: log-probabilities minus the highest of the row; None: `margin` says it all
    times   N: how many mentions each row stands for; None: one
    labels  m
    """

    own: Ints
    margin: Doubles
    losses: Array | None
    times: Longs | None
    labels: int

    def capped(self, most: float, rows: Longs) -> Doubles:
        """Returns the evidence of some rows for their own labels, beyond that for the least
        probable label (without `losses`: for the others)."""
        return rounded(np.clip(self.margin[rows], -most, most))

    def dense(self, most: float, rows: Longs) -> Doubles:
        """Returns the evidence of some rows for each label, at least 0."""
        assert self.losses is not None
        found = np.maximum(self.losses[rows].astype(np.float64), -most)
        return rounded(found - found.min(axis=1, keepdims=True))

    def of(self, some: Longs) -> Votes:
        losses = None if self.losses is None else self.losses[some]
        times = None if self.times is None else self.times[some]
        return Votes(self.own[some], self.margin[some], losses, times, self.labels)


@dataclasses.dataclass
class Sums:
    """For each key: n, the number of mentions with evidence; total, the evidence if each mention
    has its own best label; scores, K x m, the evidence if all have one label."""

    n: Longs
    total: Doubles
    scores: Doubles


def summed(votes: Votes, keys: Ints, count: int, most: float) -> Sums:
    """keys: the key of each row; -1: none."""
    rows = np.flatnonzero((keys >= 0) & (votes.own >= 0))
    of, labels = keys[rows], votes.labels
    times = None if votes.times is None else votes.times[rows].astype(np.float64)
    n = np.bincount(of, times, minlength=count).astype(np.int64)

    def summed_up(values: Doubles, where: Array, size: int) -> Doubles:
        found = np.bincount(where, values if times is None else values * times, minlength=size)
        return found.astype(np.float64)

    if votes.losses is None:
        own = votes.capped(most, rows)
        places = of.astype(np.int64) * labels + votes.own[rows]
        scores = summed_up(own, places, count * labels).reshape(count, labels)
        total = summed_up(np.maximum(own, 0.0), of, count)
    else:
        every = votes.dense(most, rows)
        scores = np.stack([summed_up(every[:, v], of, count) for v in range(labels)], axis=1)
        total = summed_up(every.max(axis=1), of, count)
    return Sums(n, total, scores)


@dataclasses.dataclass
class Decided:
    """For each key: label, the label of all its mentions, -1: each has its own; conflict, whether
    the evidence does not settle it: the key is two things, or two labels have equal evidence;
    cost, what mentions say against the best label; price, what counts as too much."""

    label: Ints
    conflict: Array
    cost: Doubles
    price: Doubles


def decided(sums: Sums, evidence: Evidence) -> Decided:
    scores = sums.scores
    best = scores.argmax(axis=1)
    top = scores[np.arange(len(best)), best]
    cost = sums.total - top
    price = np.maximum(0.0, evidence.once + evidence.each * sums.n)
    alone = scores.shape[1] == 1
    tied = np.zeros(len(best), dtype=bool) if alone else (scores == top[:, None]).sum(axis=1) > 1
    conflict = (cost > 0) & (tied | (cost > price))
    label = np.where(tied | conflict, -1, best).astype(np.int32)
    return Decided(label, conflict, cost, price)


def estimated(votes: Votes, keys: Ints, count: int) -> Evidence:
    """Finds `Evidence` without right labels, from how mentions of a key disagree.

    most: the log-odds of being right, of the quarter of mentions that are surest, if their keys
    have the label for which most evidence is. Confidences above are not believed.
    once: TWO as log-odds. each: the evidence against the best label of a key, a mention, plus SHARE
    of how sure mentions are.
    """
    some = np.flatnonzero((keys >= 0) & (votes.own >= 0))
    times = np.ones(len(some)) if votes.times is None else votes.times[some].astype(np.float64)
    n = np.bincount(keys[some], times, minlength=count)
    shared = n[keys[some]] > 1
    rows, times = some[shared], times[shared]
    part, of = votes.of(rows), keys[rows]
    others = max(1, votes.labels - 1)
    if len(rows) == 0:
        most, each = math.log(19 * others), SHARE * 2.0
    else:
        first = summed(part, of, count, MOST)
        winner = first.scores.argmax(axis=1)
        order = np.argsort(part.margin, kind="stable")
        ends = np.cumsum(times[order])
        least = part.margin[order[np.searchsorted(ends, 0.75 * ends[-1])]]
        sure = part.margin >= least
        wrong = times[sure & (part.own != winner[of])].sum()
        rate = min(0.5, (wrong + 1) / (times[sure].sum() + 20))
        most = float(np.clip(math.log((1 - rate) / rate * others), 0.5, MOST))
        sums = summed(part, of, count, most)
        margin = np.clip(part.margin, 0, most)
        odds = np.exp(-np.abs(part.margin)) * others
        expected = times @ (odds / (1 + odds) * margin) / times.sum()
        cost = (sums.total - sums.scores.max(axis=1)).sum()
        usual = (cost + PRIOR * expected) / (times.sum() + PRIOR)
        each = float(usual + SHARE * (times @ margin) / times.sum())
    return Evidence(
        round(most / UNIT) * UNIT,
        math.log((1 - TWO) / TWO),
        round(each / UNIT) * UNIT,
        f"estimated from {int(times.sum())} mentions that share keys",
    )


def learnt(
    votes: Votes, keys: Ints, count: int, before: Ints, right: Ints, start: Evidence
) -> Evidence:
    """Learns `Evidence` from the right labels of some rows (-1: unknown), beginning with what is
    estimated. Keys are divided into two halves: what is best on one is tested on the other. If the
    labels before are as good there, every key is left to them."""
    share = start.each
    tried = [start, dataclasses.replace(start, once=math.inf)]
    tried += [
        dataclasses.replace(start, once=once, each=each * share)
        for once, each in (
            (0.0, 0.25),
            (0.0, 0.5),
            (start.once, 0.5),
            (start.once, 2.0),
            (start.once, 4.0),
        )
    ]
    known = np.flatnonzero((right >= 0) & (keys >= 0))
    half = keys[known] % 2
    sums = summed(votes, keys, count, start.most)
    gains = np.zeros((len(tried), 2), dtype=np.int64)
    was = before[known] == right[known]
    for number, evidence in enumerate(tried):
        label = decided(sums, evidence).label[keys[known]]
        now = np.where(label >= 0, label, votes.own[known]) == right[known]
        gains[number] = np.bincount(half, now.astype(np.int64) - was, minlength=2)
    tested = int(gains[gains[:, 0].argmax(), 1] + gains[gains[:, 1].argmax(), 0])
    text = f"learnt from {len(known)} right labels; on keys left out {tested:+d} right labels"
    if tested <= 0:
        # Every disagreement is a conflict, so that all labels stay.
        return dataclasses.replace(start, once=0.0, each=0.0, origin=f"{text}: nothing is applied")
    best: Evidence = tried[int(gains.sum(axis=1).argmax())]
    return dataclasses.replace(best, origin=text)


def probabilities(
    votes: Votes,
    keys: Ints,
    sums: Sums,
    found: Decided,
    evidence: Evidence,
    wanted: Ints,
) -> Doubles:
    """Returns for each row the probability of the label `wanted`, under m + 1 explanations of its
    key: all mentions have label v, or each has its own. Each counts by the exponential of its
    score."""
    labels = sums.scores.shape[1]
    every = explained(sums, found)
    result = own_probabilities(votes, evidence.most, wanted)
    inside = keys >= 0
    of = keys[inside]
    result[inside] = every[of, wanted[inside]] + every[of, labels] * result[inside]
    return result


def explained(sums: Sums, found: Decided) -> Doubles:
    """Returns K x (m + 1): the probability of each explanation of a key. One mention is one
    thing."""
    every = np.concatenate([sums.scores, (sums.total - found.price)[:, None]], axis=1)
    every[sums.n <= 1, -1] = -np.inf
    every -= every.max(axis=1, keepdims=True)
    np.exp(every, out=every)
    every /= every.sum(axis=1, keepdims=True)
    return every


def own_probabilities(votes: Votes, most: float, wanted: Ints) -> Doubles:
    """Returns for each row the probability of the label `wanted` by its own evidence."""
    count, labels = len(votes.own), votes.labels
    if votes.losses is None:
        margin = np.clip(votes.margin, -most, most)
        rest = np.exp(-margin) * (labels - 1)
        sure = 1 / (1 + rest)
        found = np.where(votes.own == wanted, sure, (1 - sure) / max(1, labels - 1))
    else:
        shares = np.exp(np.maximum(votes.losses.astype(np.float64), -most))
        shares /= shares.sum(axis=1, keepdims=True)
        found = shares[np.arange(count), wanted]
    result: Doubles = np.where(votes.own < 0, 1 / labels, found)
    return result
