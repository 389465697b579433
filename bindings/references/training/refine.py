"""Trains a tagger on, with further references, by stochastic gradients.

The weights are changed to raise the likelihood of references as authors type them (by_hand.py), and
of those that the tagger was trained on, so that these are not forgotten. The gazetteer stays as it
is. This takes a quarter of the time of training anew.
"""

from __future__ import annotations

import collections
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from chorale_references.features import attributes
from chorale_references.tagger import LABELS, Floats, Tagger

if TYPE_CHECKING:
    from train import Record

ROUNDS = 3
RATE = 0.1  # of the first step (AdaGrad)
PULL = 0.01  # to the weights before
BATCH = 32  # references
LEAST = 3  # times that a new attribute must be seen
DROPPED = 0.01  # a smaller weight is left out


class Batch:
    """References as arrays. Positions are those of all references, one after the other.

    numbers   the attributes of all positions, one position after the other; first: where each
              position begins in them
    used      the attributes, ascending, each once
    position  the positions that have each of them, one attribute after the other; starts: where each
              attribute begins in them
    """

    def __init__(self, rows: Sequence[Sequence[Sequence[int]]], labels: Sequence[Sequence[int]]) -> None:
        """rows: for each reference, for each of its tokens, the numbers of its attributes."""
        of_all = [row for of in rows for row in of]
        counts = [len(row) for row in of_all]
        self.numbers = np.concatenate([np.asarray(row, dtype=np.int32) for row in of_all])
        self.first = np.concatenate([[0], np.cumsum(counts)[:-1]])
        order = np.argsort(self.numbers, kind="stable")
        self.used, self.starts = np.unique(self.numbers[order], return_index=True)
        self.position = np.repeat(np.arange(len(of_all), dtype=np.int32), counts)[order]
        self.labels = np.concatenate(labels)
        self.lengths = np.array([len(of) for of in labels])


def gradient(
    scores: Floats, labels: npt.NDArray[np.intp], lengths: npt.NDArray[np.intp], transitions: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Returns the gradients of the logarithm of the likelihood, for scores and transitions. Positions
    are those of all references, one after the other; lengths: how many each has."""
    m, longest = scores.shape[1], lengths.max()
    begin = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    inside = np.arange(longest) < lengths[:, None]
    at = np.where(inside, begin[:, None] + np.arange(longest), 0)
    unary = scores[at].astype(np.float64)
    weights = np.exp(transitions - transitions.max())
    # Forward and backward, scaled such that the values of a position add up to 1.
    local = np.exp(unary - unary.max(axis=2, keepdims=True))
    forward, backward = np.empty_like(local), np.ones_like(local)
    forward[:, 0] = local[:, 0] / local[:, 0].sum(axis=1, keepdims=True)
    for t in range(1, longest):
        step = (forward[:, t - 1] @ weights) * local[:, t]
        forward[:, t] = step / step.sum(axis=1, keepdims=True)
    for t in range(longest - 2, -1, -1):
        step = (local[:, t + 1] * backward[:, t + 1]) @ weights.T
        backward[:, t] = np.where(inside[:, t + 1, None], step / step.sum(axis=1, keepdims=True), 1.0)
    marginals = forward * backward
    marginals /= marginals.sum(axis=2, keepdims=True)
    expected = np.zeros((m, m))
    for t in range(1, longest):
        pairs = forward[:, t - 1, :, None] * weights * (local[:, t] * backward[:, t])[:, None, :]
        pairs /= pairs.sum(axis=(1, 2), keepdims=True)
        expected += pairs[inside[:, t]].sum(axis=0)
    of_scores = -marginals[inside]
    of_scores[np.arange(len(labels)), labels] += 1.0
    of_transitions = -expected
    after = np.setdiff1d(np.arange(len(labels)), begin)
    np.add.at(of_transitions, (labels[after - 1], labels[after]), 1.0)
    return of_scores, of_transitions


def refine(tagger: Tagger, typed: Sequence[Record], known: Sequence[Record], seed: int = 1) -> Tagger:
    """Returns the tagger with other weights. known: what it was trained on, which its gazetteer has
    counted."""
    draw = random.Random(seed)
    rows = [attributes(r.tokens, r.spaces, tagger.gazetteer.kinds(r.tokens)) for r in typed]
    rows += [attributes(r.tokens, r.spaces, tagger.gazetteer.kinds(r.tokens, without=r.labels)) for r in known]
    names, old = tagger.weights()
    seen = collections.Counter(name for of in rows for row in of for name in row)
    new = sorted({name for name, count in seen.items() if count >= LEAST}.difference(names))
    number_of = {name: k for k, name in enumerate([*names, *new])}
    old = np.concatenate([old, np.zeros((len(new), len(LABELS)), dtype=np.float32)])
    weights, transitions = old.copy(), tagger.transitions.copy()
    numbers = [[[n for n in map(number_of.get, row) if n is not None] for row in of] for of in rows]
    labels = [[LABELS.index(label) for label in record.labels] for record in [*typed, *known]]
    del rows, seen
    order = sorted(range(len(labels)), key=lambda k: len(labels[k]))  # those of one length together
    batches = [
        Batch([numbers[k] for k in members], [labels[k] for k in members])
        for members in (order[first : first + BATCH] for first in range(0, len(order), BATCH))
    ]
    squares, of_transitions = np.ones_like(old), np.ones_like(transitions)
    for _ in range(ROUNDS):
        draw.shuffle(batches)
        for batch in batches:
            scores = np.add.reduceat(weights[batch.numbers], batch.first, axis=0)
            of_scores, step = gradient(scores, batch.labels, batch.lengths, transitions)
            change = np.add.reduceat(of_scores.astype(np.float32)[batch.position], batch.starts, axis=0)
            change -= PULL * (weights[batch.used] - old[batch.used])
            squares[batch.used] += change**2
            weights[batch.used] += RATE * change / np.sqrt(squares[batch.used])
            of_transitions += step**2
            transitions += RATE * step / np.sqrt(of_transitions)
    weights[np.abs(weights) < DROPPED] = 0.0
    return Tagger.of(list(number_of), weights, transitions, tagger.gazetteer)
