"""Symmetric potentials: functions of the numbers of members of a clique with each value."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_double, c_int64
from typing import Any, Literal, Optional

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from ._callbacks import Carrying, Raised
from ._handle import Recipe, Shared
from ._native import call, library, struct
from .host import lent

Scale = Optional[Literal["members", "log"]]
Shape = Optional[Literal["convex", "concave"]]

SCALES = {
    None: c.CHORALE_SCALE_NONE,
    "members": c.CHORALE_SCALE_BY_MEMBERS,
    "log": c.CHORALE_SCALE_BY_LOG_MEMBERS,
}
SHAPES = {
    None: c.CHORALE_SHAPE_DETECT,
    "convex": c.CHORALE_SHAPE_CONVEX,
    "concave": c.CHORALE_SHAPE_CONCAVE,
}

CountFunction = Callable[[npt.NDArray[np.int64], int], float]


class Potential(Shared):
    """A function of the counts n_v, the numbers of members of a clique with each value: immutable,
    for any number of cliques and threads.

    Made by one of the methods named after the families, with n the number of all members. Common
    arguments:

    values   R, the number of values
    scale    "members": the score is divided by n; "log": by log n; None: by nothing
    counted  R booleans: which values are counted; None: all

    >>> agree = Potential.potts(3, 0.5)
    >>> agree.family, agree.values, agree.evaluate([2, 1, 0])
    ('sum', 3, 2.5)
    """

    _free = library.chorale_potential_release
    _retain = library.chorale_potential_retain
    _raised: tuple[Raised, ...] = ()

    def __init__(self) -> None:
        raise TypeError("a Potential is made by Potential.potts, Potential.sum, ...")

    @classmethod
    def _made(cls, recipe: Recipe, pointer: int, *kept: Any) -> Potential:
        potential = cls.__new__(cls)
        super(Potential, potential).__init__(pointer, *kept)
        potential._recipe = recipe
        return potential

    @classmethod
    def _by(cls, method: str, *positional: Any, **keywords: Any) -> Recipe:
        """Returns how to make a potential again; its arrays, which may belong to the caller, are
        copied."""
        own = [arrays.own(p) if isinstance(p, np.ndarray) else p for p in positional]
        if keywords.get("counted") is not None:
            keywords["counted"] = arrays.flags("counted", keywords["counted"], how="copy")
        return Recipe(cls, method, tuple(own), keywords)

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
        """Makes strength * sum_v n_v^2. With a positive strength, agreement of members raises the
        score."""
        return cls._strength("potts", values, strength, scale, counted)

    @classmethod
    def entropy(
        cls,
        values: int,
        strength: float,
        *,
        scale: Scale = None,
        counted: npt.ArrayLike | None = None,
    ) -> Potential:
        """Makes strength * sum_v n_v log n_v; the strength may be negative."""
        return cls._strength("entropy", values, strength, scale, counted)

    @classmethod
    def makespan(
        cls,
        values: int,
        strength: float,
        *,
        scale: Scale = None,
        counted: npt.ArrayLike | None = None,
    ) -> Potential:
        """Makes strength * max_v n_v; the strength may be negative."""
        return cls._strength("makespan", values, strength, scale, counted)

    @classmethod
    def square_makespan(
        cls,
        values: int,
        strength: float,
        *,
        scale: Scale = None,
        counted: npt.ArrayLike | None = None,
    ) -> Potential:
        """Makes strength * max_v n_v^2; the strength may be negative."""
        return cls._strength("square_makespan", values, strength, scale, counted)

    @classmethod
    def _strength(
        cls, family: str, values: int, strength: float, scale: Scale, counted: Any
    ) -> Potential:
        values = arrays.integer("values", values)
        options = _options(values, scale, counted)
        strength = arrays.real("strength", strength)
        return cls._made(
            cls._by(family, values, strength, scale=scale, counted=counted),
            cls._create(
                getattr(library, f"chorale_potential_create_{family}"),
                lent(),
                values,
                strength,
                byref(options),
            ),
        )

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
        """Makes sum_v f_v(n_v).

        tables: R rows, entry k of row v is f_v(k); or one row for all `values` values. -inf forbids
        a count. Cliques may have at most as many members as the last k.
        shape: "convex" or "concave", which is not checked; None: determined from the tables.

        >>> Potential.sum([0, 0, 3, 4], values=2).evaluate([2, 1])
        3.0
        """
        return cls._tables("sum", tables, values, scale, counted, shape=shape)

    @classmethod
    def max(
        cls,
        tables: npt.ArrayLike,
        values: int | None = None,
        *,
        scale: Scale = None,
        counted: npt.ArrayLike | None = None,
    ) -> Potential:
        """Makes max_v f_v(n_v); tables as in `sum`."""
        return cls._tables("max", tables, values, scale, counted)

    @classmethod
    def _tables(
        cls,
        family: str,
        tables: Any,
        values: int | None,
        scale: Scale,
        counted: Any,
        **shape: Shape,
    ) -> Potential:
        array = arrays.table("tables", tables, (1, 2))
        if array.ndim == 1:
            if values is None:
                raise TypeError("tables is one row for all values: say how many `values` there are")
            array = array.reshape(1, -1)
        if values is None:
            values = array.shape[0]
        values = arrays.integer("values", values)
        options = _options(values, scale, counted)
        options.shape = arrays.chosen("shape", shape.get("shape"), SHAPES)
        count, length = array.shape
        return cls._made(
            cls._by(family, array, values, scale=scale, counted=counted, **shape),
            cls._create(
                getattr(library, f"chorale_potential_create_{family}"),
                lent(),
                values,
                arrays.address(array),
                count,
                length,
                0,
                byref(options),
            ),
        )

    @classmethod
    def cardinality(
        cls,
        table: npt.ArrayLike,
        values: int = 2,
        *,
        scale: Scale = None,
        counted: npt.ArrayLike | None = None,
    ) -> Potential:
        """Makes g(n_b), with b the higher of two counted values: entry k of `table` is g(k)."""
        values = arrays.integer("values", values)
        array = arrays.table("table", table, 1)
        options = _options(values, scale, counted)
        return cls._made(
            cls._by("cardinality", array, values, scale=scale, counted=counted),
            cls._create(
                library.chorale_potential_create_cardinality,
                lent(),
                values,
                arrays.address(array),
                len(array),
                byref(options),
            ),
        )

    @classmethod
    def majority(
        cls,
        weights: npt.ArrayLike,
        bias: npt.ArrayLike | None = None,
        *,
        scale: Scale = None,
        counted: npt.ArrayLike | None = None,
    ) -> Potential:
        """Makes b_a + sum_v w_av n_v, with a the value of highest count: row a of `weights`, entry
        a of `bias` (None: zeros)."""
        array = _square("weights", weights)
        values = len(array)
        own = None if bias is None else arrays.table("bias", bias, 1)
        if own is not None and own.shape != (values,):
            raise ValueError(f"bias has shape {own.shape}, not ({values},)")
        options = _options(values, scale, counted)
        return cls._made(
            cls._by("majority", array, own, scale=scale, counted=counted),
            cls._create(
                library.chorale_potential_create_majority,
                lent(),
                values,
                arrays.address(array),
                0,
                arrays.address(own),
                byref(options),
            ),
        )

    @classmethod
    def pairs(
        cls, scores: npt.ArrayLike, *, scale: Scale = None, counted: npt.ArrayLike | None = None
    ) -> Potential:
        """Makes the sum of f(x_i, x_j) over all ordered pairs of different members; f is R x R."""
        array = _square("scores", scores)
        values = len(array)
        options = _options(values, scale, counted)
        return cls._made(
            cls._by("pairs", array, scale=scale, counted=counted),
            cls._create(
                library.chorale_potential_create_pairs,
                lent(),
                values,
                arrays.address(array),
                0,
                byref(options),
            ),
        )

    @classmethod
    def callback(
        cls,
        values: int,
        function: CountFunction,
        *,
        scale: Scale = None,
        counted: npt.ArrayLike | None = None,
    ) -> Potential:
        """Makes a potential of any function of the counts: `function(counts, members)` returns the
        score, -inf forbids.

        counts is an int64 array of R entries. The function must depend only on its arguments, and
        is called on every thread that uses the potential. An exception ends the computation and is
        raised again by its call.

        >>> all_zero = Potential.callback(2, lambda counts, members: float(counts[0] == members))
        >>> all_zero.evaluate([3, 0])
        1.0
        """
        if not callable(function):
            raise TypeError(f"function is {function!r}, which cannot be called")
        values = arrays.integer("values", values)
        options = _options(values, scale, counted)
        raised = Raised()

        def score(_: Any, counts: Any, count: int, members: int, into: int) -> int:
            try:
                # A copy of the counts, whose memory is valid only during the call.
                own = arrays.view(counts, count, c_int64, np.int64).copy()
                c_double.from_address(into).value = float(function(own, members))
                return 0
            except BaseException as error:
                raised.put(error)
                return 1

        thunk = c.chorale_count_function(score)
        potential = cls._made(
            cls._by("callback", values, function, scale=scale, counted=counted),
            cls._create(
                library.chorale_potential_create_callback,
                lent(),
                values,
                thunk,
                None,
                None,
                byref(options),
            ),
            thunk,
        )
        potential._raised = (raised,)
        return potential

    def scaled(self, factor: float) -> Potential:
        """Returns factor times this potential (factor >= 0), without copying its numbers. Forbidden
        counts stay forbidden.

        >>> Potential.potts(2, 1.0).scaled(0.5).evaluate([2, 0])
        2.0
        """
        with self._use() as potential:
            pointer = self._create(
                library.chorale_potential_create_scaled,
                lent(),
                potential,
                arrays.real("factor", factor),
            )
        recipe = Recipe(type(self), "_scaled", (self._recipe, float(factor)), {})
        scaled = type(self)._made(recipe, pointer, *self._kept)
        scaled._raised = self._raised
        return scaled

    @classmethod
    def _scaled(cls, recipe: Recipe, factor: float) -> Potential:
        made: Potential = recipe.make()
        return made.scaled(factor)

    # ---- What it is

    @property
    def values(self) -> int:
        """R, the number of values."""
        with self._use() as potential:
            return int(library.chorale_potential_values(potential))

    @property
    def family(self) -> str:
        """ "sum", "max", "majority", "pairs" or "callback"."""
        with self._use() as potential:
            family = library.chorale_potential_family(potential)
            return str(library.chorale_family_name(family).decode())

    def evaluate(self, counts: npt.ArrayLike, members: int | None = None) -> float:
        """Returns the score of the counts; `members` (None: their sum) must be their sum."""
        array = arrays.longs("counts", counts)
        if members is None:
            members = int(array.sum())
        score = c_double()
        with self._use() as potential, Carrying(self._raised):
            call(
                library.chorale_potential_score,
                potential,
                arrays.address(array),
                len(array),
                arrays.integer("members", members),
                byref(score),
            )
        return score.value

    def prices(self, counts: npt.ArrayLike, members: int) -> tuple[arrays.Doubles, float]:
        """Returns the prices of a shared clique (prices.py), the score added to a member for each
        value, and the potential's score, at the counts of all parts. Prices are the slopes of a
        convex sum, or the weights of the majority value.

        members: n of all parts, at least the sum of the counts.

        >>> prices, score = Potential.potts(3, 0.5).prices([3, 2, 0], 5)
        >>> prices.tolist(), score
        ([3.0, 2.0, 0.5], 6.5)
        """
        array = arrays.longs("counts", counts)
        found = np.empty(self.values)
        score = c_double()
        with self._use() as potential, Carrying(self._raised):
            call(
                library.chorale_potential_prices,
                potential,
                arrays.address(array),
                len(array),
                arrays.integer("members", members),
                arrays.address(found),
                byref(score),
            )
        return found, score.value

    def most(self, prices: npt.ArrayLike, members: int) -> float:
        """Returns an upper bound on the potential minus the sum over values of price times count,
        over all counts of `members` members."""
        array = arrays.table("prices", prices, 1)
        most = c_double()
        with self._use() as potential:
            call(
                library.chorale_potential_most,
                potential,
                arrays.address(array),
                len(array),
                arrays.integer("members", members),
                byref(most),
            )
        return most.value

    def __repr__(self) -> str:
        if self.closed:
            return "<Potential, closed>"
        return f"<Potential: {self.family} over {self.values} values>"


def _square(name: str, value: Any) -> arrays.Doubles:
    array = arrays.table(name, value, 2)
    rows, columns = array.shape
    if rows != columns:
        raise ValueError(f"{name} has shape {array.shape}, not ({rows}, {rows})")
    return array


def _options(values: int, scale: Scale, counted: Any) -> c.chorale_potential_options:
    options = struct(c.chorale_potential_options)
    options.scale = arrays.chosen("scale", scale, SCALES)
    if counted is not None:
        array = arrays.flags("counted", counted, (values,))
        options.counted = arrays.address(array)
        options.kept = array
    return options
