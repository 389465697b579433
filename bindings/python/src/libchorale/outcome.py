"""How a computation ended. An outcome is not an error: the call that reports it was carried out."""

from __future__ import annotations

import enum

from . import _declarations as c


class Outcome(enum.IntEnum):
    COMPLETE = c.CHORALE_OUTCOME_COMPLETE
    GAP_REACHED = c.CHORALE_OUTCOME_GAP_REACHED
    ITERATION_LIMIT = c.CHORALE_OUTCOME_ITERATION_LIMIT
    NODE_LIMIT = c.CHORALE_OUTCOME_NODE_LIMIT
    DEADLINE = c.CHORALE_OUTCOME_DEADLINE
    CANCELLED = c.CHORALE_OUTCOME_CANCELLED
    INFEASIBLE = c.CHORALE_OUTCOME_INFEASIBLE
    NOTHING_FOUND = c.CHORALE_OUTCOME_NOTHING_FOUND
