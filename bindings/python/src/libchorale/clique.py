"""Clique inference: the best values of the members of one clique, and all max-marginals."""

from __future__ import annotations

import dataclasses
from ctypes import byref
from typing import Any, Literal, Union

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from ._handle import Closable
from ._native import library, struct
from ._work import work
from .cancel import Cancel, Stop
from .outcome import Outcome
from .potential import Potential

StartName = Literal["independent", "alpha_pass"]
Start = Union[StartName, int, npt.ArrayLike]
Form = Literal["marginal", "message"]

STARTS = {
    "independent": c.CHORALE_START_INDEPENDENT,
    "alpha_pass": c.CHORALE_START_ALPHA_PASS,
}
FORMS = {
    "marginal": c.CHORALE_MARGINAL_SCORE,
    "message": c.CHORALE_MARGINAL_MESSAGE,
}


def algorithm_number(name: str) -> int:
    """Returns the number of an algorithm. In its name, '-' means the same as '_'; "lagrangian"
    means "lagrangian_subgradient"."""
    if not isinstance(name, str):
        raise TypeError(f"algorithm is {name!r}, not a name")
    spelled = name.replace("_", "-")
    if spelled == "lagrangian":
        spelled = "lagrangian-subgradient"
    encoded = spelled.encode()
    number = library.chorale_algorithm_from_name(encoded, len(encoded))
    if number < 0:
        raise ValueError(f"algorithm is {name!r}, not one of {', '.join(algorithms())}")
    return int(number)


def algorithm_name(number: int) -> str:
    return str(library.chorale_algorithm_name(number).decode().replace("-", "_"))


def algorithms() -> list[str]:
    """Returns the names of all algorithms.

    >>> "alpha_pass" in algorithms()
    True
    """
    return [
        algorithm_name(number)
        for name, number in vars(c).items()
        if name.startswith("CHORALE_ALGORITHM_")
    ]


@dataclasses.dataclass(frozen=True)
class CliqueResult:
    """The result of a `CliqueSolver`.

    labels           the values of the n members, int32; None if only forbidden labellings were
                     found
    score            member_score + clique_score
    member_score     the sum of the members' own scores
    clique_score     the score of the potential
    upper_bound      upper bound on the score of any labelling; infinite if none was computed
    gap              upper_bound - score
    outcome          how the call ended
    algorithm        the algorithm used
    proven           True: the score is optimal, up to rounding
    marginals_exact  whether the max-marginals are exact; set by `CliqueSolver.marginals`
    iterations       number of iterations
    nodes            number of nodes of branch and bound
    """

    labels: arrays.Ints | None
    score: float
    member_score: float
    clique_score: float
    upper_bound: float
    outcome: Outcome
    algorithm: str
    proven: bool
    marginals_exact: bool
    iterations: int
    nodes: int

    @property
    def gap(self) -> float:
        return self.upper_bound - self.score


@dataclasses.dataclass(frozen=True)
class MarginalsResult:
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
    scores           n x R, the score of each value of each member, float64 with rows without gaps
                     (other arrays are converted); -inf forbids
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
    subset_size      greatest size of the sets of values that "generalised_alpha_pass" tries
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

    _exclusive = True
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
        with _Call(
            *(potential, scores, fixed, weights, start, algorithm),
            subset_size=subset_size,
            iteration_limit=iteration_limit,
            node_limit=node_limit,
            node_pool=node_pool,
            tolerance=tolerance,
            gap=gap,
            time_limit=time_limit,
            cancel=cancel,
        ) as made:
            labels = np.full(made.members, -1, dtype=np.int32)
            result = struct(c.chorale_clique_result)
            with self._use() as solver:
                work(
                    library.chorale_clique_solve,
                    solver,
                    made.potential,
                    byref(made.problem),
                    byref(made.options),
                    arrays.address(labels),
                    byref(result),
                    **made.how,
                )
        return _result(result, labels)

    def marginals(
        self,
        potential: Potential,
        scores: npt.ArrayLike,
        *,
        form: Form = "marginal",
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

        form   "marginal": these scores; "message": these scores minus the member's own score of the
               value, which is the message of the clique to the member
        exact  True: asks for exact max-marginals, which is slow for convex sums; False: they may be
               lower bounds. `marginals_exact` of the result says whether they are exact

        >>> found = CliqueSolver().marginals(Potential.potts(2, 1.0), [[1.0, 0.0], [0.0, 0.5]])
        >>> found.marginals.tolist(), found.result.labels.tolist()
        ([[5.0, 4.5], [5.0, 4.5]], [0, 0])
        """
        wanted = arrays.chosen("form", form, FORMS)
        with _Call(
            *(potential, scores, fixed, weights, start, algorithm),
            subset_size=subset_size,
            iteration_limit=iteration_limit,
            node_limit=node_limit,
            node_pool=node_pool,
            tolerance=tolerance,
            gap=gap,
            time_limit=time_limit,
            cancel=cancel,
        ) as made:
            made.options.exact_marginals = bool(exact)
            labels = np.full(made.members, -1, dtype=np.int32)
            marginals = np.empty((made.members, made.values))
            result = struct(c.chorale_clique_result)
            with self._use() as solver:
                work(
                    library.chorale_clique_max_marginals,
                    solver,
                    made.potential,
                    byref(made.problem),
                    byref(made.options),
                    wanted,
                    arrays.address(marginals),
                    made.values,
                    arrays.address(labels),
                    byref(result),
                    **made.how,
                )
        return MarginalsResult(marginals, _result(result, labels))

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
        with _Call(potential, scores, None, weights) as made:
            array = arrays.ints("labels", labels, size=made.members)
            result = struct(c.chorale_clique_result)
            with self._use() as solver:
                work(
                    library.chorale_clique_score,
                    solver,
                    made.potential,
                    byref(made.problem),
                    arrays.address(array),
                    byref(result),
                    **made.how,
                )
        return _result(result, array.copy())


class _Call:
    """The arguments of a call, converted for C. During `with`, the potential and the cancel flag
    are marked as used. how: the named arguments of `work`."""

    def __init__(
        self,
        potential: Potential,
        scores: Any,
        fixed: Any,
        weights: Any,
        start: Start = "independent",
        algorithm: str = "auto",
        *,
        tolerance: float = 0.001,
        gap: float | None = None,
        time_limit: float | None = None,
        cancel: Cancel | None = None,
        **numbers: int,
    ) -> None:
        if not isinstance(potential, Potential):
            raise TypeError(f"potential is {potential!r}, not a Potential")
        self._handle = potential
        self._scores = arrays.scores("scores", scores, 2, float32=False, packed_rows=True)
        self.members, self.values = self._scores.shape
        self.problem, self.options = (
            struct(kind) for kind in (c.chorale_clique_problem, c.chorale_clique_options)
        )
        self.problem.members, self.problem.values = self.members, self.values
        self.problem.scores = arrays.address(self._scores)
        self.problem.row_stride = arrays.stride(self._scores, 0)
        if fixed is not None:
            self._fixed = arrays.ints("fixed", fixed, size=self.members)
            self.problem.fixed = arrays.address(self._fixed)
        if weights is not None:
            self._weights = arrays.longs("weights", weights, size=self.members)
            self.problem.weights = arrays.address(self._weights)
        options = self.options
        for name, value in numbers.items():
            setattr(options, name, arrays.size(name, value, 1 if name == "subset_size" else 0))
        options.tolerance = arrays.real("tolerance", tolerance)
        if gap is not None:
            options.gap = arrays.real("gap", gap)
            options.prove = gap == 0
        options.time_limit = arrays.limit("time_limit", time_limit)
        if algorithm == "exact":
            options.prove = 1
        else:
            options.algorithm = algorithm_number(algorithm)
        if isinstance(start, str):
            options.start = arrays.chosen("start", start, STARTS)
        elif hasattr(start, "__index__") and not isinstance(start, np.ndarray):
            options.start = c.CHORALE_START_VALUE
            options.start_value = arrays.integer32("start", start)
        else:
            self._start = arrays.ints("start", start, size=self.members)
            options.start = c.CHORALE_START_ASSIGNMENT
            options.start_assignment = arrays.address(self._start)
        self._stop = Stop(cancel)
        self.how: dict[str, Any] = {"stop": self._stop, "sources": self._handle._raised}

    def __enter__(self) -> _Call:
        self.potential = self._handle._begin()
        self.options.cancel = self._stop._begin()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop._end()
        self._handle._end()


def _result(result: c.chorale_clique_result, labels: arrays.Ints) -> CliqueResult:
    found = len(labels) == 0 or labels[0] >= 0
    return CliqueResult(
        labels=labels if found else None,
        score=result.score,
        member_score=result.member_score,
        clique_score=result.clique_score,
        upper_bound=result.upper_bound,
        outcome=Outcome(result.outcome),
        algorithm=algorithm_name(result.algorithm),
        proven=bool(result.proven),
        marginals_exact=bool(result.marginals_exact),
        iterations=result.iterations,
        nodes=result.nodes,
    )
