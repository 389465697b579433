"""Outcomes: how a computation ended. An outcome is not an error: the call succeeded."""

from __future__ import annotations

import enum

from . import _declarations as c
from ._native import library


class Outcome(enum.IntEnum):
    """How a call ended. No outcome is an error.

    COMPLETE         messages have converged, or the algorithm ran to its end
    GAP_REACHED      the score is within the requested gap of the upper bound
    ITERATION_LIMIT  all rounds or iterations are done, or rounds alternate between two labellings;
                     the result is the best labelling found
    NODE_LIMIT       branch and bound has reached its greatest number of nodes
    DEADLINE         the time limit has passed
    CANCELLED        a `Cancel` or a callback ended the call
    INFEASIBLE       every labelling is proven to be forbidden
    NOTHING_FOUND    every labelling that was tried is forbidden; others may be allowed

    str() gives the name that `Run.json` uses:

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
