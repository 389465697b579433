"""Reads columns of tables into NumPy arrays: numbers, lists of numbers, or repeated values, which
are encoded by integers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays

Array = npt.NDArray[Any]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Codes:
    """A column of N repeated values, encoded by integers: each distinct value has a code.

    codes   N int32: the code of each entry, from 0 to count - 1; -1 for null. The order of codes
            means nothing
    count   the number of codes
    values  a function from a sequence of codes to the list of their values, as Python objects
    """

    codes: npt.NDArray[np.int32]
    count: int
    values: Callable[[Sequence[int]], list[Any]]

    @classmethod
    def of(cls, codes: npt.ArrayLike, known: Sequence[Any]) -> Codes:
        """known: the value of each code."""
        numbers = np.asarray(codes, dtype=np.int32)
        return cls(numbers, len(known), lambda some: [known[code] for code in some])

    def all_values(self) -> list[Any]:
        return self.values(range(self.count))

    def each(self, of: Iterable[Any], null: Any, dtype: Any = None) -> Array:
        """Returns for each entry what `of` has for its code; `null` for null."""
        return np.array([*of, null], dtype)[self.codes]

    def entry(self, row: int) -> Any:
        """Returns the value of a row; None for null."""
        code = int(self.codes[row])
        return None if code < 0 else self.values([code])[0]


class Column:
    """One column of a table with N rows. place: the name of the column in error messages."""

    def __init__(self, name: str) -> None:
        self.place = f"column {name!r}"

    def encoded(self) -> Codes:
        raise NotImplementedError

    def lists(self) -> Array:
        """Returns N x m numbers, where m is the length of each list. Nulls and lists of different
        lengths raise ValueError, which names the row; all else raises TypeError."""
        raise NotImplementedError

    def floats(self) -> Doubles | None:
        """Returns N numbers, NaN for null; None if the column is not of numbers alone. Columns of
        times raise TypeError: times are stored as integers, but are no numbers."""
        raise NotImplementedError

    def numbers(self) -> Doubles:
        """As `floats`; raises TypeError if the column is not of numbers alone."""
        found = self.floats()
        if found is None:
            raise TypeError(f"{self.place} is not of numbers")
        return found

    def mixed(self) -> Codes:
        """As `encoded`, but values may have different types, also lists and dicts."""
        return self.encoded()

    def _unusable(self, what: str, kind: object) -> TypeError:
        return TypeError(f"{self.place} has the type {kind}, where {what} are needed")


def together(columns: Sequence[Codes]) -> tuple[npt.NDArray[np.int32], int]:
    """Returns a code for each row of several columns, and the number of codes. Rows with the same
    tuple of values have the same code. Rows in which a column is null have code -1."""
    codes, count = columns[0].codes, columns[0].count
    for column in columns[1:]:
        pairs = codes.astype(np.int64) * max(1, column.count) + column.codes
        valid = (codes >= 0) & (column.codes >= 0)
        unique, some = np.unique(pairs[valid], return_inverse=True)
        codes, count = np.full(len(pairs), -1, dtype=np.int32), len(unique)
        codes[valid] = some
    return codes, count


# ---- Columns of Python objects


class Objects(Column):
    """A column of Python objects; None and NaN are null."""

    def __init__(self, name: str, values: Sequence[Any]) -> None:
        super().__init__(name)
        self._values = values

    def encoded(self) -> Codes:
        kind: type[Any] | None = None
        for row, value in enumerate(self._values):
            if hasattr(value, "__len__") or not arrays.missing(value):
                kind = kind or type(value)
                if type(value) is not kind:
                    raise TypeError(
                        f"{self.place} is of mixed types: {value!r} in row {row} is of type "
                        f"{type(value).__name__}, and entries before are of type {kind.__name__}"
                    )
        if kind is not None and not issubclass(kind, Hashable):
            raise self._unusable("texts or integers", kind.__name__)
        return self.mixed()

    def floats(self) -> Doubles | None:
        known = [math.nan if arrays.missing(value) else value for value in self._values]
        if any(isinstance(v, (str, bytes, bool)) or not hasattr(v, "__float__") for v in known):
            return None
        return np.array([float(value) for value in known])

    def mixed(self) -> Codes:
        known: dict[Any, int] = {}
        values: list[Any] = []
        codes: list[int] = []
        for value in self._values:
            if not hasattr(value, "__len__") and arrays.missing(value):
                codes.append(-1)
                continue
            try:
                code = known.setdefault((type(value), value), len(values))
            except TypeError:  # not hashable
                code = known.setdefault((type(value), repr(value)), len(values))
            if code == len(values):
                values.append(value)
            codes.append(code)
        return Codes.of(codes, values)

    def lists(self) -> Array:
        wrong = ""
        widths: list[int] = []
        flat: list[float] = []
        for row, value in enumerate(self._values):
            if value is None:
                wrong = wrong or f"{self.place} is null in row {row}"
                continue
            if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__len__"):
                raise TypeError(f"{self.place} holds {value!r} in row {row}, not a list of numbers")
            widths.append(len(value))
            if widths[-1] != widths[0]:
                rule = f"has {widths[-1]} entries in row {row} and {widths[0]} in rows before"
                wrong = wrong or f"{self.place} {rule}"
            for entry in value:
                if isinstance(entry, (str, bytes)) or not hasattr(entry, "__float__"):
                    raise TypeError(f"{self.place} holds {entry!r} in row {row}, not a number")
                flat.append(float(entry))
        if not widths:
            raise self._unusable("lists of numbers", "null")
        if wrong:
            raise ValueError(wrong)
        return np.array(flat, dtype=np.float64).reshape(len(self._values), -1)


class Series(Column):
    """A column of a pandas DataFrame."""

    def __init__(self, name: str, series: Any) -> None:
        super().__init__(name)
        self._series = series

    def encoded(self) -> Codes:
        import pandas

        if self._series.dtype == object:
            return self._objects().encoded()
        try:
            found, unique = pandas.factorize(self._series)
        except TypeError:
            raise self._unusable("texts or integers", self._series.dtype) from None
        plain = [v.item() if isinstance(v, np.generic) else v for v in unique.tolist()]
        return Codes.of(found, plain)

    def floats(self) -> Doubles | None:
        series = self._series
        kind = getattr(series.dtype, "kind", "O")
        if kind == "O":
            return self._objects().floats()
        if kind in "mM":
            raise self._unusable("numbers", series.dtype)
        return series.to_numpy(dtype=np.float64, na_value=np.nan) if kind in "fiu" else None

    def mixed(self) -> Codes:
        return self._objects().mixed() if self._series.dtype == object else self.encoded()

    def lists(self) -> Array:
        if getattr(self._series.dtype, "kind", "O") != "O":
            raise self._unusable("lists of numbers", self._series.dtype)
        return self._objects().lists()

    def _objects(self) -> Objects:
        made = Objects("", self._series.tolist())
        made.place = self.place
        return made


# ---- Columns of Arrow


def pyarrow() -> Any:
    """Imports pyarrow with its functions on columns."""
    try:
        import pyarrow as found
        import pyarrow.compute
    except ImportError:
        raise ImportError(
            "tables of Arrow (Polars, DuckDB, pyarrow) and record batches are read by pyarrow: "
            "pip install 'libchorale[tables]'"
        ) from None
    return found


def plain(column: Any) -> Any:
    """Returns a column of Arrow with its values as they are: without runs, dictionaries and views
    of texts, for which many functions of Arrow are not implemented."""
    arrow, kind = pyarrow(), column.type
    if arrow.types.is_run_end_encoded(kind):
        return plain(arrow.compute.run_end_decode(column))
    if arrow.types.is_dictionary(kind):
        chunks = getattr(column, "chunks", [column])
        parts = [plain(chunk.dictionary).take(chunk.indices) for chunk in chunks]
        return arrow.chunked_array(parts) if hasattr(column, "chunks") else parts[0]
    if arrow.types.is_string_view(kind):
        return column.cast(arrow.large_string())
    if arrow.types.is_binary_view(kind):
        return column.cast(arrow.large_binary())
    return column.cast(arrow.float32()) if arrow.types.is_float16(kind) else column


class Arrow(Column):
    """A column of an Arrow table. column: a `pyarrow.ChunkedArray`."""

    def __init__(self, name: str, column: Any) -> None:
        super().__init__(name)
        self._arrow, self._given = pyarrow(), column

    def encoded(self) -> Codes:
        arrow, column = self._arrow, plain(self._given)
        types, kind = arrow.types, column.type
        if types.is_floating(kind):  # NaN is null, and -0.0 is 0.0
            column = arrow.compute.add(column, arrow.scalar(0.0, kind))
            column = arrow.compute.if_else(arrow.compute.is_nan(column), None, column)
        elif types.is_binary(kind) or types.is_large_binary(kind) or types.is_nested(kind):
            raise self._unusable("texts or integers", kind)
        try:
            found = column.dictionary_encode().unify_dictionaries()
        except arrow.ArrowNotImplementedError:
            raise self._unusable("texts or integers", kind) from None
        parts = [part.indices.fill_null(-1).to_numpy() for part in found.chunks]
        values = found.chunk(0).dictionary if parts else arrow.nulls(0)
        return Codes(
            np.concatenate([np.zeros(0, dtype=np.int32), *parts]).astype(np.int32),
            len(values),
            lambda some: values.take(arrow.array(list(some), arrow.int64())).to_pylist(),
        )

    def floats(self) -> Doubles | None:
        column = plain(self._given)
        if self._arrow.types.is_temporal(column.type):
            raise self._unusable("numbers", column.type)
        types, kind = self._arrow.types, column.type
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)):
            return None
        return np.asarray(column.cast(self._arrow.float64(), safe=False).to_numpy())

    def lists(self) -> Array:
        arrow, column = self._arrow, plain(self._given)
        types, kind = arrow.types, column.type
        if not (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)):
            raise self._unusable("lists of numbers", kind)
        if column.null_count:
            row = int(np.argmin(column.is_valid().to_numpy()))
            raise ValueError(f"{self.place} is null in row {row}")
        widths = arrow.compute.list_value_length(column).to_numpy()
        wrong = np.flatnonzero(widths != widths[0])
        if len(wrong):
            raise ValueError(
                f"{self.place} has {widths[wrong[0]]} entries in row {wrong[0]} and {widths[0]} "
                "in rows before"
            )
        inner = Arrow("", arrow.compute.list_flatten(column))
        inner.place = f"{self.place} (entries of its lists)"
        return inner.numbers().reshape(len(column), -1)
