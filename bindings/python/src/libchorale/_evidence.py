"""One label for all mentions of a key, unless the key is really two: the calls of
chorale/experimental/table.h, which has the equation, on NumPy arrays."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from . import _declarations as c
from ._columns import Array, Doubles, Ints, Longs
from ._native import call, library, struct


@dataclasses.dataclass(frozen=True)
class Evidence:
    """What decides whether the mentions of a key have one label.

    most   the most that one mention can say: the log-odds above which confidences are not believed
    once, each  a key of n mentions is two or more things if all that its mentions say against one
           label is above once + each * n. once=inf: every key is one thing. Labels that tie for
           the best are not settled even then
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


def to_c(given: Evidence | None) -> c.chorale_evidence:
    if given is None:
        return struct(c.chorale_evidence)
    of = {"most": given.most, "once": given.once, "per_mention": given.each}
    return struct(c.chorale_evidence, **of)


def found_by_c(made: c.chorale_evidence) -> Evidence:
    if made.origin == c.CHORALE_EVIDENCE_LEARNT:
        origin = (
            f"learnt from {made.mentions} right labels; on keys left out "
            f"{made.right:+d} right labels{'' if made.right > 0 else ': nothing is applied'}"
        )
    else:
        origin = f"estimated from {made.mentions} mentions that share keys"
    return Evidence(made.most, made.once, made.per_mention, origin)


@dataclasses.dataclass
class Mentions:
    """N mentions (rows) of K keys with m labels.

    key         N: the key of each row; -1: none
    label       N: its label; -1: it says nothing
    confidence  N: the probability of the label; NaN: it says nothing. None: there are scores
    scores      N x m: log-probabilities
    times       N: how many mentions each row stands for; None: one
    gold        N: the right label; -1: unknown
    """

    key: Ints
    keys: int
    labels: int
    label: Ints
    confidence: Doubles | None
    scores: Doubles | None = None
    times: Longs | None = None
    gold: Ints | None = None

    def given(self, **more: Any) -> c.chorale_mentions:
        """Returns the struct, which borrows the arrays."""
        columns = [(name, getattr(self, name), dtype) for name, dtype in _DTYPES.items()]
        return struct(
            c.chorale_mentions,
            count=len(self.key),
            keys=self.keys,
            labels=self.labels,
            **{name: np.ascontiguousarray(*of) for name, *of in columns if of[0] is not None},
            **more,
        )


_DTYPES = {
    **dict.fromkeys(("key", "label", "gold"), np.int32),
    **dict.fromkeys(("confidence", "scores"), np.float64),
    "times": np.int64,
}


def structs(kind: Any, count: int) -> tuple[Any, Array]:
    """Returns an array of C structs, and a NumPy array with their fields that shares its memory."""
    made = (kind * count)()
    return made, np.ctypeslib.as_array(made) if count else np.empty(0, np.dtype(kind))


def settled(
    mentions: Mentions, evidence: Evidence | None, answers: Ints | None = None
) -> tuple[Evidence, Array, Array]:
    """Settles all keys. Returns what decided, and arrays with the fields of chorale_settled_mention
    and chorale_settled_key. evidence: None: it is found; answers: K: labels of keys."""
    given = mentions.given(answers=answers)
    decides = to_c(evidence)
    rows, of_rows = structs(c.chorale_settled_mention, len(mentions.key))
    keys, of_keys = structs(c.chorale_settled_key, mentions.keys)
    sizes = of_rows.itemsize, of_keys.itemsize
    call(library.chorale_settle, None, given, decides, rows, sizes[0], keys, sizes[1])
    return evidence or found_by_c(decides), of_rows, of_keys
