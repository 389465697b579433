"""Symmetric potentials: functions of how many members of a clique have each value."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_double
from typing import Any, Literal, Optional

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from ._callbacks import Raised
from ._handle import Shared, recipe
from ._native import get, library, struct
from ._work import told

Scale = Optional[Literal["members", "log"]]
Shape = Optional[Literal["convex", "concave"]]

SCALES = {
    None: c.CHORALE_SCALE_NONE,
    "members": c.CHORALE_SCALE_BY_MEMBERS,
    "log": c.CHORALE_SCALE_BY_LOG_MEMBERS,
}
SHAPES = {None if name == "detect" else name: n for name, n in arrays.choices("SHAPE").items()}

CountFunction = Callable[[npt.NDArray[np.int64], int], float]


class Potential(Shared):
    """A symmetric potential: the score of a clique as a function of its counts. n_v is the number
    of members with value v, and n is the number of all members. Immutable; any number of cliques
    and threads may use it.

    Made by the methods that are named after the families of potentials. Their common arguments:

    values   R, the number of values
    scale    "members": the score is divided by n; "log": by log n; None: it is not divided
    counted  R booleans: which values are counted; None: all. A member with another value adds
             nothing to the score, but is included in n

    >>> agree = Potential.potts(3, 0.5)
    >>> agree.family, agree.values, agree.evaluate([2, 1, 0])
    ('sum', 3, 2.5)
    """

    _free = library.chorale_potential_release
    _retain = library.chorale_potential_retain
    _raised: tuple[Raised, ...] = ()
    _recipe: Any = None  # others than callbacks are pickled as the library saves them

    def __init__(self) -> None:
        raise TypeError("a Potential is made by Potential.potts, Potential.sum, ...")

    @classmethod
    def _new(cls, family: str, *arguments: Any) -> Potential:
        """Calls a function of the library that creates a potential."""
        function = getattr(library, f"chorale_potential_create_{family}")
        return cls._made(cls._create(function, None, *arguments))

    def __reduce__(self) -> Any:
        from .problem import pickled  # here, since `problem` imports this module

        with self._use():  # fails if the handle is closed
            return self._recipe or pickled(potential=self)

    # ---- Families

    @classmethod
    def potts(
        cls,
        values: int,
        strength: float,
        *,
        scale: Scale = None,
        counted: npt.ArrayLike | None = None,
    ) -> Potential:
        """Returns the potential strength * sum_v n_v^2. With a positive strength, the score is
        higher if members agree."""
        return cls._new("potts", values, strength, _options(values, scale, counted))

    @classmethod
    def entropy(
        cls,
        values: int,
        strength: float,
        *,
        scale: Scale = None,
        counted: npt.ArrayLike | None = None,
    ) -> Potential:
        """Returns the potential strength * sum_v n_v log n_v. The strength may be negative."""
        return cls._new("entropy", values, strength, _options(values, scale, counted))

    @classmethod
    def makespan(
        cls,
        values: int,
        strength: float,
        *,
        scale: Scale = None,
        counted: npt.ArrayLike | None = None,
    ) -> Potential:
        """Returns the potential max_v strength * n_v. With a negative strength, the maximum is at
        the value with the least count."""
        return cls._new("makespan", values, strength, _options(values, scale, counted))

    @classmethod
    def square_makespan(
        cls,
        values: int,
        strength: float,
        *,
        scale: Scale = None,
        counted: npt.ArrayLike | None = None,
    ) -> Potential:
        """Returns the potential max_v strength * n_v^2. With a negative strength, the maximum is at
        the value with the least count."""
        return cls._new("square_makespan", values, strength, _options(values, scale, counted))

    @classmethod
    def sum(
        cls,
        tables: npt.ArrayLike,
        values: int | None = None,
        *,
        scale: Scale = None,
        shape: Shape = None,
        counted: npt.ArrayLike | None = None,
    ) -> Potential:
        """Returns the potential sum_v f_v(n_v).

        tables: R rows; entry k of row v is f_v(k). If `tables` has one row only, this row is used
        for all `values` values. -inf forbids a count. A row must have an entry for every count from
        0 to the number of members of the largest clique.
        shape: "convex" or "concave", which is not checked; None: determined from the tables.

        >>> Potential.sum([0, 0, 3, 4], values=2).evaluate([2, 1])
        3.0
        """
        return cls._tables("sum", tables, values, scale, counted, shape)

    @classmethod
    def max(
        cls,
        tables: npt.ArrayLike,
        values: int | None = None,
        *,
        scale: Scale = None,
        counted: npt.ArrayLike | None = None,
    ) -> Potential:
        """Returns the potential max_v f_v(n_v). tables: as in `sum`."""
        return cls._tables("max", tables, values, scale, counted, None)

    @classmethod
    def _tables(
        cls, family: str, tables: Any, values: int | None, scale: Scale, counted: Any, shape: Shape
    ) -> Potential:
        array = arrays.table("tables", tables, (1, 2))
        if array.ndim == 1 and values is None:
            raise TypeError("tables is one row for all values: say how many `values` there are")
        array = np.atleast_2d(array)
        values = len(array) if values is None else values
        options = _options(values, scale, counted, arrays.chosen("shape", shape, SHAPES))
        return cls._new(family, values, array, *array.shape, 0, options)

    @classmethod
    def cardinality(
        cls,
        table: npt.ArrayLike,
        values: int = 2,
        *,
        scale: Scale = None,
        counted: npt.ArrayLike | None = None,
    ) -> Potential:
        """Returns the potential g(n_b). Exactly two values must be counted, and b is the higher of
        them. table: entry k is g(k)."""
        array = arrays.table("table", table, 1)
        return cls._new("cardinality", values, array, len(array), _options(values, scale, counted))

    @classmethod
    def majority(
        cls,
        weights: npt.ArrayLike,
        bias: npt.ArrayLike | None = None,
        *,
        scale: Scale = None,
        counted: npt.ArrayLike | None = None,
    ) -> Potential:
        """Returns the potential b_a + sum_v w_av n_v, where a is the value with the highest count.

        weights: R x R, entry [a, v] is w_av. bias: R numbers, entry a is b_a; None: zeros.
        """
        array = square("weights", weights)
        values = len(array)
        own = None if bias is None else arrays.table("bias", bias, 1)
        if own is not None and own.shape != (values,):
            raise ValueError(f"bias has shape {own.shape}, not ({values},)")
        return cls._new("majority", values, array, 0, own, _options(values, scale, counted))

    @classmethod
    def pairs(
        cls, scores: npt.ArrayLike, *, scale: Scale = None, counted: npt.ArrayLike | None = None
    ) -> Potential:
        """Returns the potential that is the sum of f(x_i, x_j) over all ordered pairs of different
        members i and j with the values x_i and x_j. scores: R x R, entry [x, y] is f(x, y)."""
        array = square("scores", scores)
        return cls._new("pairs", len(array), array, 0, _options(len(array), scale, counted))

    @classmethod
    def callback(
        cls,
        values: int,
        function: CountFunction,
        *,
        scale: Scale = None,
        counted: npt.ArrayLike | None = None,
    ) -> Potential:
        """Returns a potential whose score is computed by a Python function: `function(counts,
        members)` returns the score, or -inf to forbid the counts.

        counts is an int64 array of R entries. The function must depend only on its arguments, and
        is called on every thread that uses the potential. If it raises an exception, the
        computation ends, and the call that started the computation raises the exception.

        >>> all_zero = Potential.callback(2, lambda counts, members: float(counts[0] == members))
        >>> all_zero.evaluate([3, 0])
        1.0
        """
        if not callable(function):
            raise TypeError(f"function is {function!r}, which cannot be called")
        values = arrays.integer("values", values)
        raised = Raised()

        def score(_: Any, counts: Any, count: int, members: int, into: int) -> int:
            try:
                # Copies the counts, whose memory is valid only during the call.
                own = arrays.borrowed(counts, (count,), np.int64, None).copy()
                c_double.from_address(into).value = float(function(own, members))
                return 0
            except BaseException as error:
                raised.put(error)
                return 1

        thunk = c.chorale_count_function(score)
        create = library.chorale_potential_create_callback
        options = _options(values, scale, counted)
        potential = cls._made(cls._create(create, None, values, thunk, None, None, options), thunk)
        counted = arrays.optional_flags("counted", counted, how="copy")
        how = {"scale": scale, "counted": counted}
        potential._recipe = recipe(Potential, "callback", values, function, **how)
        potential._raised = (raised,)
        return potential

    # ---- Values, family and scores

    @property
    def values(self) -> int:
        """R, the number of values."""
        return int(get(library.chorale_potential_values, self))

    @property
    def family(self) -> str:
        """ "sum", "max", "majority", "pairs" or "callback"."""
        return str(get(library.chorale_potential_family, self).decode())

    def evaluate(self, counts: npt.ArrayLike) -> float:
        """Returns the score of counts, R integers, whose sum is n."""
        array = arrays.longs("counts", counts)
        given = array, len(array), int(array.sum())
        return float(told(c_double, library.chorale_potential_score, self, *given))

    def prices(self, counts: npt.ArrayLike, members: int) -> tuple[arrays.Doubles, float]:
        """Returns the prices and the score of a shared clique (`libchorale.prices`) from its counts
        in all parts together. The potential must be a convex sum. The price of a value is the score
        added to each member with the value: the slope of the value's table. Rests on experimental
        calls of C: may change in any version.

        members: n, the number of members in all parts; at least the sum of the counts.

        >>> prices, score = Potential.potts(3, 0.5).prices([3, 2, 0], 5)
        >>> prices.tolist(), score
        ([3.0, 2.0, 0.5], 6.5)
        """
        array = arrays.longs("counts", counts)
        found = np.empty(self.values)
        function = library.chorale_potential_prices
        score = told(c_double, function, self, array, len(array), members, found)
        return found, score

    def most(self, prices: npt.ArrayLike, members: int) -> float:
        """Returns the maximum of C(counts) - sum_v prices[v] * counts[v], where C is this
        potential, a convex sum, over all counts whose sum is at most `members`. Rests on
        experimental calls of C: may change in any version."""
        array = arrays.table("prices", prices, 1)
        given = array, len(array), members
        return float(told(c_double, library.chorale_potential_most, self, *given))

    def _told(self) -> str:
        return f": {self.family} over {self.values} values"


def square(name: str, value: Any) -> arrays.Doubles:
    """Converts the numbers of a square matrix."""
    array = arrays.table(name, value, 2)
    rows, columns = array.shape
    if rows != columns:
        raise ValueError(f"{name} has shape {array.shape}, not ({rows}, {rows})")
    return array


def _options(
    values: int, scale: Scale, counted: Any, shape: int = c.CHORALE_SHAPE_DETECT
) -> c.chorale_potential_options:
    return struct(
        c.chorale_potential_options,
        scale=arrays.chosen("scale", scale, SCALES),
        shape=shape,
        counted=arrays.optional_flags("counted", counted, (values,)),
    )
