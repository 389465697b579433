"""Clique inference: the best values of the members of one clique, and all max-marginals."""

from __future__ import annotations

import dataclasses
from ctypes import byref, c_size_t
from typing import Any

import numpy as np

from . import _arrays as arrays
from . import _declarations as c
from ._callbacks import Carrying
from ._handle import Closable
from ._native import call, library, struct
from .cancel import Cancel
from .host import lent
from .outcome import Outcome
from .potential import Potential

STARTS = {
    "independent": c.CHORALE_START_INDEPENDENT,
    "value": c.CHORALE_START_VALUE,
    "assignment": c.CHORALE_START_ASSIGNMENT,
    "alpha_pass": c.CHORALE_START_ALPHA_PASS,
}
FORMS = {
    "score": c.CHORALE_MARGINAL_SCORE,
    "marginal": c.CHORALE_MARGINAL_SCORE,
    "message": c.CHORALE_MARGINAL_MESSAGE,
}
TASKS = {
    "solve": c.CHORALE_CLIQUE_SOLVE,
    "max_marginals": c.CHORALE_CLIQUE_MAX_MARGINALS,
}


def algorithm_number(name: str) -> int:
    """The algorithm of that name; '-' and '_' are the same; "lagrangian": with subgradients."""
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
    """The names of all algorithms.

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
    """What a solver found. labels: n values, None where no labelling above -inf was found."""

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


class CliqueSolver(Closable):
    """A reusable workspace for clique inference, for one call at a time: one a thread.

    memory: None, and it grows as needed; or how many bytes it has for good (`bytes_needed` says how
    many a problem takes), and a problem that does not fit is an OutOfMemoryError.

    >>> solver = CliqueSolver()
    >>> result = solver.solve(Potential.potts(2, 0.3), [[2.1, 0.3], [1.9, 0.2], [0.7, 0.9]])
    >>> result.labels.tolist(), round(result.score, 6), result.proven
    ([0, 0, 0], 7.4, True)

    Options of all calls: algorithm (see `algorithms`; "exact" asks "auto" for a proof), fixed (n
    values, -1 free), start ("independent", "alpha_pass", a value, or n values), subset_size,
    iteration_limit, node_limit, node_pool, tolerance, gap, time_limit (seconds), cancel; copy=True
    lets scores be copied that cannot be read in place.
    """

    _exclusive = True
    _free = library.chorale_clique_solver_destroy

    def __init__(self, *, memory: int | None = None) -> None:
        if memory is None:
            super().__init__(self._create(library.chorale_clique_solver_create, lent()))
            return
        own = arrays.aligned(arrays.size("memory", memory))
        pointer = self._create(
            library.chorale_clique_solver_create_in, arrays.address(own), len(own), lent()
        )
        super().__init__(pointer, own)

    def solve(
        self,
        potential: Potential,
        scores: Any,
        *,
        algorithm: str = "auto",
        fixed: Any = None,
        copy: bool = False,
        **options: Any,
    ) -> CliqueResult:
        """The best values. scores: n x R, -inf forbids; rows may be apart."""
        with _Call(potential, scores, fixed, copy, algorithm, options) as made:
            labels = np.full(made.members, -1, dtype=np.int32)
            result = struct(c.chorale_clique_result)
            with self._use() as solver:
                call(
                    library.chorale_clique_solve,
                    solver,
                    made.potential,
                    byref(made.problem),
                    byref(made.options),
                    arrays.address(labels),
                    byref(result),
                )
        return _result(result, labels)

    def max_marginals(
        self,
        potential: Potential,
        scores: Any,
        *,
        form: str = "marginal",
        exact: bool = False,
        algorithm: str = "auto",
        fixed: Any = None,
        copy: bool = False,
        with_result: bool = False,
        **options: Any,
    ) -> Any:
        """All max-marginals, n x R: the best score with member i at value v.

        form "message": less the member's own score, what the others and the potential say of it.
        exact: True insists on exact ones (slow for convex sums).
        with_result: True gives a pair, the array and a `CliqueResult`.

        >>> CliqueSolver().max_marginals(Potential.potts(2, 1.0), [[1.0, 0.0], [0.0, 0.5]]).tolist()
        [[5.0, 4.5], [5.0, 4.5]]
        """
        wanted = arrays.chosen("form", form, FORMS)
        with _Call(potential, scores, fixed, copy, algorithm, options) as made:
            made.options.exact_marginals = bool(exact)
            labels = np.full(made.members, -1, dtype=np.int32)
            marginals = np.empty((made.members, made.values))
            result = struct(c.chorale_clique_result)
            with self._use() as solver:
                call(
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
                )
        return (marginals, _result(result, labels)) if with_result else marginals

    def bound(self, potential: Potential, scores: Any, **options: Any) -> float:
        """An upper bound on the score of any labelling: by the dual for SUM potentials, by the
        exact algorithm where the family has one, plus infinity otherwise.

        >>> CliqueSolver().bound(Potential.makespan(2, 1.0), [[1.0, 0.0], [0.0, 0.5]])
        3.0
        """
        algorithm = "dual_bound" if potential.family == "sum" else "auto"
        return self.solve(potential, scores, algorithm=algorithm, **options).upper_bound

    def evaluate(
        self, potential: Potential, scores: Any, labels: Any, *, copy: bool = False
    ) -> CliqueResult:
        """The scores of given labels (n values).

        >>> CliqueSolver().evaluate(Potential.potts(2, 1.0), [[1.0, 0.0], [0.0, 0.5]], [1, 1]).score
        4.5
        """
        with _Call(potential, scores, None, copy, "auto", {}) as made:
            array = arrays.ints("labels", labels, size=made.members)
            result = struct(c.chorale_clique_result)
            with self._use() as solver:
                call(
                    library.chorale_clique_evaluate,
                    solver,
                    made.potential,
                    byref(made.problem),
                    arrays.address(array),
                    byref(result),
                )
        return _result(result, array.copy())

    def reserve(
        self, potential: Potential, members: int, *, task: str = "solve", **options: Any
    ) -> None:
        """Grows the workspace so that no problem of at most so many members allocates."""
        with _Sizes(potential, members, task, options) as sizes, self._use() as solver:
            call(library.chorale_clique_solver_reserve, solver, *sizes.arguments)

    @staticmethod
    def bytes_needed(
        potential: Potential, members: int, *, task: str = "solve", **options: Any
    ) -> int:
        """What `memory` must be for problems of at most so many members ("solve" or
        "max_marginals").

        >>> agree = Potential.potts(4, 1.0)
        >>> solver = CliqueSolver(memory=CliqueSolver.bytes_needed(agree, 10))
        >>> solver.solve(agree, np.zeros((10, 4))).score
        100.0
        """
        needed = c_size_t()
        with _Sizes(potential, members, task, options) as sizes:
            call(library.chorale_clique_solver_bytes, *sizes.arguments, byref(needed))
        return needed.value


class _Options:
    """chorale_clique_options from names; a cancel flag stays in use until the end."""

    def __init__(self, algorithm: str, given: dict[str, Any], members: int) -> None:
        self.struct = struct(c.chorale_clique_options)
        self.cancel: Cancel | None = None
        self._kept: Any = None
        if algorithm == "exact":
            self.struct.gap = 0.0
        else:
            self.struct.algorithm = algorithm_number(algorithm)
        for name, value in given.items():
            if name in ("iteration_limit", "node_limit", "node_pool"):
                setattr(self.struct, name, arrays.integer(name, value))
            elif name == "subset_size":
                self.struct.subset_size = arrays.integer32(name, value)
            elif name in ("tolerance", "gap", "time_limit"):
                setattr(self.struct, name, -1.0 if value is None else arrays.real(name, value))
            elif name == "start":
                self._start(value, members)
            elif name == "cancel":
                if value is not None and not isinstance(value, Cancel):
                    raise TypeError(f"cancel is {value!r}, not a Cancel")
                self.cancel = value
            else:
                raise TypeError(f"there is no option {name!r}")

    def _start(self, value: Any, members: int) -> None:
        if isinstance(value, str):
            self.struct.start = arrays.chosen("start", value, STARTS)
        elif hasattr(value, "__index__") and not isinstance(value, np.ndarray):
            self.struct.start = c.CHORALE_START_VALUE
            self.struct.start_value = arrays.integer32("start", value)
        else:
            self._kept = arrays.ints("start", value, size=members)
            self.struct.start = c.CHORALE_START_ASSIGNMENT
            self.struct.start_assignment = arrays.address(self._kept)


class _Sizes:
    """The arguments by which a workspace is sized."""

    def __init__(
        self, potential: Potential, members: int, task: str, given: dict[str, Any]
    ) -> None:
        self._potential = _checked(potential)
        self._members = arrays.integer("members", members)
        given = dict(given)
        algorithm = given.pop("algorithm", "auto")
        exact = given.pop("exact", False)
        if "start" in given and not isinstance(given["start"], str):
            raise TypeError("start is not looked at where only sizes are asked for")
        self._options = _Options(algorithm, given, self._members)
        self._options.struct.exact_marginals = bool(exact)
        self._task = arrays.chosen("task", task, TASKS)

    def __enter__(self) -> _Sizes:
        self.arguments = (
            self._potential._begin(),
            self._members,
            byref(self._options.struct),
            self._task,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._potential._end()


def _checked(potential: Any) -> Potential:
    if not isinstance(potential, Potential):
        raise TypeError(f"potential is {potential!r}, not a Potential")
    return potential


class _Call:
    """The arguments of a call, kept alive and in use during `with`."""

    def __init__(
        self,
        potential: Potential,
        scores: Any,
        fixed: Any,
        copy: bool,
        algorithm: str,
        given: dict[str, Any],
    ) -> None:
        self._handle = _checked(potential)
        self._scores = arrays.scores(
            "scores", scores, 2, copy=copy, float32=False, packed_rows=True
        )
        self.members, self.values = self._scores.shape
        self.problem = struct(c.chorale_clique_problem)
        self.problem.members = self.members
        self.problem.values = self.values
        self.problem.scores = arrays.address(self._scores)
        self.problem.row_stride = arrays.row_stride(self._scores)
        if fixed is not None:
            self._fixed = arrays.ints("fixed", fixed, size=self.members)
            self.problem.fixed = arrays.address(self._fixed)
        self._given = _Options(algorithm, given, self.members)
        self.options = self._given.struct

    def __enter__(self) -> _Call:
        self.potential = self._handle._begin()
        if self._given.cancel is not None:
            self.options.cancel = self._given.cancel._begin()
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        self._handle._end()
        if self._given.cancel is not None:
            self._given.cancel._end()
        Carrying(self._handle._raised).__exit__(kind, error, traceback)


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
