"""How a computation ended. An outcome is not an error: the call that reports it was carried out."""

from __future__ import annotations

import enum

from . import _declarations as c
from ._native import library


class Outcome(enum.IntEnum):
    """How a call ended. None of them is an error.

    COMPLETE         nothing was left to do: messages have converged, or the algorithm is through
    GAP_REACHED      the answer is as near to the upper bound as was asked for
    ITERATION_LIMIT  the rounds, or iterations, were used up; the answer is the best seen
    NODE_LIMIT       so were the nodes of branch and bound
    DEADLINE         the time limit has passed; CANCELLED: a `Cancel` or a callback ended the call
    INFEASIBLE       there is no labelling: all are forbidden
    NOTHING_FOUND    every labelling met was forbidden; there may be others

    As a text it is its name in `Run.json`:

    >>> str(Outcome.ITERATION_LIMIT)
    'iteration-limit'
    """

    COMPLETE = c.CHORALE_OUTCOME_COMPLETE
    GAP_REACHED = c.CHORALE_OUTCOME_GAP_REACHED
    ITERATION_LIMIT = c.CHORALE_OUTCOME_ITERATION_LIMIT
    NODE_LIMIT = c.CHORALE_OUTCOME_NODE_LIMIT
    DEADLINE = c.CHORALE_OUTCOME_DEADLINE
    CANCELLED = c.CHORALE_OUTCOME_CANCELLED
    INFEASIBLE = c.CHORALE_OUTCOME_INFEASIBLE
    NOTHING_FOUND = c.CHORALE_OUTCOME_NOTHING_FOUND

    def __str__(self) -> str:
        return str(library.chorale_outcome_name(self.value).decode())
