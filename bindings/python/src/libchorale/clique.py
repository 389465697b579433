"""Clique inference: the best values of the members of one clique, and all max-marginals."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal, Union

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from ._declarations import CliqueResult, Outcome
from ._handle import Closable, instance
from ._native import get, library, read, struct
from ._work import told
from .cancel import Cancel, Stop
from .potential import Potential

StartName = Literal["independent", "alpha_pass"]
Start = Union[StartName, int, npt.ArrayLike]

STARTS = {
    "independent": c.CHORALE_START_INDEPENDENT,
    "alpha_pass": c.CHORALE_START_ALPHA_PASS,
}


def algorithms() -> list[str]:
    """Returns the names of all algorithms.

    >>> "alpha_pass" in algorithms()
    True
    """
    return list(arrays.choices("ALGORITHM"))


@dataclasses.dataclass(frozen=True, repr=False)
class MarginalsResult(arrays.Shown):
    """The result of `CliqueSolver.marginals`.

    marginals  the max-marginals of the members, n x R, float64
    result     the best labelling that was found during the computation
    """

    marginals: arrays.Doubles
    result: CliqueResult


class CliqueSolver(Closable):
    """A reusable workspace for clique inference, for one call at a time: use one for each thread.

    >>> solver = CliqueSolver()
    >>> result = solver.solve(Potential.potts(2, 0.3), [[2.1, 0.3], [1.9, 0.2], [0.7, 0.9]])
    >>> result.labels.tolist(), round(result.score, 6), result.proven
    ([0, 0, 0], 7.4, True)

    Arguments of the calls, with n members and R values:

    potential        a `Potential` over R values
    scores           n x R, the score of each value of each member, float64 without gaps (other
                     arrays are converted); -inf forbids
    algorithm        one of `algorithms()`; "auto" chooses one by the potential; "exact" is "auto"
                     with a gap of 0
    fixed            n integers: the value that a member must have, or -1 if it is free; None: all
                     free
    weights          n positive integers: how often each member counts in the potential. Its scores
                     are not multiplied. None: once. Weights need a potential that is a convex sum,
                     and one of the algorithms "auto", "alpha_pass", "local_search", "icm",
                     "dual_bound"
    start            where a local search starts: "independent" (each member's own best value),
                     "alpha_pass" (the result of that algorithm), a value for all members, or n
                     values
    subset_size      greatest size of the sets of values that "generalised_alpha_pass" tries; 0: 2
    iteration_limit  greatest number of iterations; 0: the default of the algorithm
    node_limit       greatest number of nodes of branch and bound; 0: no limit
    node_pool        greatest number of open nodes of branch and bound; 0: as many as fit in 16 MB,
                     but at least 16 and at most 8192
    tolerance        Lagrangian methods end when the violation of complementary slackness is at most
                     this fraction of the largest useful multiplier
    gap              the search ends when upper bound - score <= gap * |score|; 0: when optimality
                     is proven; None: no proof is attempted
    time_limit       seconds; None: no limit
    cancel           a `Cancel` that any thread may set to end the call early
    """

    _free = library.chorale_clique_solver_destroy

    def __init__(self) -> None:
        super().__init__(self._create(library.chorale_clique_solver_create, None))

    def solve(
        self,
        potential: Potential,
        scores: npt.ArrayLike,
        *,
        algorithm: str = "auto",
        fixed: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
        start: Start = "independent",
        subset_size: int = 2,
        iteration_limit: int = 0,
        node_limit: int = 0,
        node_pool: int = 0,
        tolerance: float = 0.001,
        gap: float | None = None,
        time_limit: float | None = None,
        cancel: Cancel | None = None,
    ) -> CliqueResult:
        """Finds the values of the members with the highest total score. Whether the result is exact
        depends on the algorithm and the potential."""
        call = _Call(locals())
        labels = np.full(call.members, -1, dtype=np.int32)
        return call.result(library.chorale_clique_solve, labels)

    def marginals(
        self,
        potential: Potential,
        scores: npt.ArrayLike,
        *,
        exact: bool = False,
        algorithm: str = "auto",
        fixed: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
        start: Start = "independent",
        subset_size: int = 2,
        iteration_limit: int = 0,
        node_limit: int = 0,
        node_pool: int = 0,
        tolerance: float = 0.001,
        gap: float | None = None,
        time_limit: float | None = None,
        cancel: Cancel | None = None,
    ) -> MarginalsResult:
        """Computes all max-marginals: for each member and value the best total score of a labelling
        in which the member has the value.

        exact  True: asks for exact max-marginals, which is slow for convex sums; False: they may be
               lower bounds. `marginals_exact` of the result says whether they are exact

        >>> found = CliqueSolver().marginals(Potential.potts(2, 1.0), [[1.0, 0.0], [0.0, 0.5]])
        >>> found.marginals.tolist(), found.result.labels.tolist()
        ([[5.0, 4.5], [5.0, 4.5]], [0, 0])
        """
        call = _Call(locals())
        labels = np.full(call.members, -1, dtype=np.int32)
        marginals = np.empty((call.members, call.values))
        outputs = marginals, call.values
        result = call.result(library.chorale_clique_max_marginals, labels, *outputs)
        return MarginalsResult(marginals, result)

    def evaluate(
        self,
        potential: Potential,
        scores: npt.ArrayLike,
        labels: npt.ArrayLike,
        *,
        weights: npt.ArrayLike | None = None,
    ) -> CliqueResult:
        """Computes the scores of given labels (n values). Here, weights may be used with any
        potential.

        >>> CliqueSolver().evaluate(Potential.potts(2, 1.0), [[1.0, 0.0], [0.0, 0.5]], [1, 1]).score
        4.5
        """
        call = _Call(locals())
        array = arrays.ints("labels", labels, size=call.members, how="copy")
        return call.result(library.chorale_clique_score, array)


class _Call:
    """A call of a solver. given: the arguments of its method, by their names."""

    def __init__(self, given: dict[str, Any]) -> None:
        instance("potential", given["potential"], Potential)
        scores = arrays.table("scores", given["scores"], 2)
        self.members, self.values = scores.shape
        weights, size = given["weights"], self.members
        problem = struct(
            c.chorale_clique_problem,
            members=size,
            values=self.values,
            scores=scores,
            fixed=arrays.optional_ints("fixed", given.get("fixed"), size),
            weights=None if weights is None else arrays.longs("weights", weights, size),
        )
        self._stop = Stop(given.get("cancel"))
        self._arguments = [given["self"], given["potential"], problem]
        if "algorithm" in given:
            self._arguments.append(self._options(given))

    def _options(self, given: dict[str, Any]) -> c.chorale_clique_options:
        fields: dict[str, Any] = {name: arrays.size(name, given[name]) for name in NUMBERS}
        algorithm, gap, start = (given[name] for name in ("algorithm", "gap", "start"))
        exact = algorithm == "exact"
        if isinstance(start, str):
            fields["start"] = arrays.chosen("start", start, STARTS)
        elif hasattr(start, "__index__") and not isinstance(start, np.ndarray):
            fields["start"] = c.CHORALE_START_VALUE
            fields["start_value"] = arrays.integer32("start", start)
        else:
            fields["start"] = c.CHORALE_START_ASSIGNMENT
            fields["start_assignment"] = arrays.ints("start", start, size=self.members)
        return struct(
            c.chorale_clique_options,
            algorithm=arrays.chosen("algorithm", "auto" if exact else algorithm, "ALGORITHM"),
            tolerance=given["tolerance"],
            gap=gap,
            prove=int(exact or (gap is not None and gap == 0)),
            time_limit=arrays.limit("time_limit", given["time_limit"]),
            cancel=self._stop,
            exact_marginals=int(bool(given.get("exact"))),
            **fields,
        )

    def result(self, function: Any, labels: arrays.Ints, *outputs: Any) -> CliqueResult:
        """Calls the solver. labels: the array to which the call writes labels, if it finds any."""
        arguments = *self._arguments, *outputs, labels
        made = told(c.chorale_clique_result, function, *arguments, stop=self._stop)
        name = get(library.chorale_algorithm_name, made.algorithm).decode()
        return read(
            CliqueResult,
            made,
            labels=labels if len(labels) == 0 or labels[0] >= 0 else None,
            outcome=Outcome(made.outcome),
            algorithm=name.replace("-", "_"),
        )


# The options that are numbers from 0 on.
NUMBERS = ("subset_size", "iteration_limit", "node_limit", "node_pool")
