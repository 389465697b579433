"""Reads columns of tables of other libraries, and returns tables of the same kind with more
columns.

pandas frames and lists of dicts are read directly. All others are read through Arrow's C stream
interface (`__arrow_c_stream__`), by pyarrow.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._columns import Array, Arrow, Column, Longs, Objects, Series, pyarrow


@dataclasses.dataclass(frozen=True)
class Labels:
    """A new column: entry i is values[codes[i]], null for code -1. like: the name of the column
    whose type the new column gets; None: the type follows from the values."""

    codes: npt.NDArray[np.int32]
    values: list[Any]
    like: str | None

    def objects(self) -> list[Any]:
        values = [*self.values, None]
        return [values[code] for code in self.codes.tolist()]


def texts_in(count: int, rows: Longs, texts: list[str]) -> Array:
    """Returns a new column of `count` texts: texts[i] is in row rows[i], all other rows are None."""
    every = np.full(count, None, dtype=object)
    every[rows] = texts
    return every


# The columns to be added to a table, by name. Columns of numbers, of truth values and of texts are
# arrays, in which NaN and None are null.
New = Mapping[str, "Labels | Array"]


class Table:
    """A table with named columns and `rows` rows."""

    names: list[Any]
    rows: int

    def column(self, name: str) -> Column:
        raise NotImplementedError

    def check(self, **columns: Any) -> None:
        """Raises ValueError if a column that an argument names is not there. An argument may be a
        tuple of names, or None."""
        for argument, of in columns.items():
            for name in of if isinstance(of, tuple) else (of,):
                if name is not None and name not in self.names:
                    known = ", ".join(map(repr, self.names))
                    raise ValueError(f"{argument}: there is no column {name!r} (columns: {known})")

    def find(self, argument: str, name: Any) -> Column:
        """Returns the column that an argument names."""
        self.check(**{argument: name})
        return self.column(name)

    def new_columns(self, names: Sequence[str], count: int) -> list[str]:
        """Checks the names of new columns."""
        names = list(names)
        if len(names) != count or len(set(names)) != count:
            rule = f"it must have {count} different names of new columns"
            raise ValueError(f"names is {names}; {rule}")
        for name in names:
            if name in self.names:
                raise ValueError(f"column {name!r} is there already; choose other names")
        return names

    def extended(self, new: New) -> Any:
        """Returns the caller's table with more columns at the end."""
        raise NotImplementedError


def opened(table: Any) -> Table:
    """Opens a table. Raises ValueError if it has no rows: a column without rows cannot be read."""
    opening = _adapted(table)
    if opening.rows == 0:
        raise ValueError("table has no rows")
    return opening


def _adapted(table: Any) -> Table:
    kind = type(table)
    # The library of the table, also if its class is derived from one of a library.
    bases = [(base.__module__.partition(".")[0], base.__name__) for base in kind.__mro__]
    library = next((of for of, _ in bases if of in ("polars", "pyarrow", "duckdb")), "")
    if ("pandas", "DataFrame") in bases:
        return _Frame(table)
    if ("polars", "LazyFrame") in bases:
        raise TypeError("table is a LazyFrame; collect() it first")
    if isinstance(table, Mapping) or isinstance(table, (str, bytes)):
        raise TypeError(f"table is a {kind.__name__}, not a table or a list of dicts")
    if hasattr(table, "__arrow_c_stream__"):
        return _Stream(table, library)
    if isinstance(table, Sequence):
        return _Rows(table)
    raise TypeError(
        f"table is a {kind.__module__}.{kind.__name__}: neither a list of dicts, nor a pandas "
        "frame, nor a table with __arrow_c_stream__ (Polars, DuckDB, pyarrow)"
    )


def _unique(names: Sequence[Any]) -> list[str]:
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"column {name!r} is there twice")
        seen.add(name)
    return list(names)


class _Rows(Table):
    """A list of dicts. A column that a row lacks is None in this row."""

    def __init__(self, table: Sequence[Any]) -> None:
        self._table = table
        known: dict[str, None] = {}
        for row, entry in enumerate(table):
            if not isinstance(entry, Mapping):
                raise TypeError(f"table has a {type(entry).__name__} in row {row}, not a dict")
            known.update(dict.fromkeys(entry))
        self.names, self.rows = list(known), len(table)

    def column(self, name: str) -> Column:
        return Objects(name, [row.get(name) for row in self._table])

    def extended(self, new: New) -> Any:
        null = np.array(None)
        columns = [
            value.objects() if isinstance(value, Labels) else np.where(value != value, null, value)
            for value in new.values()  # only NaN is not equal to itself
        ]
        names = list(new)
        return [{**row, **dict(zip(names, more))} for row, *more in zip(self._table, *columns)]


class _Frame(Table):
    """A pandas DataFrame."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.names, self.rows = _unique(table.columns.tolist()), len(table)

    def column(self, name: str) -> Column:
        return Series(name, self._table[name])

    def extended(self, new: New) -> Any:
        import pandas

        table, made = self._table, {}
        for name, value in new.items():
            if isinstance(value, Labels):
                dtype = None if value.like is None else table[value.like].dtype
                value = _pandas_labels(pandas, value, dtype)
            made[name] = pandas.Series(value, index=table.index)
        return table.assign(**made)


def _pandas_labels(pandas: Any, labels: Labels, dtype: Any) -> Any:
    if isinstance(dtype, pandas.CategoricalDtype):
        known = set(dtype.categories)
        more = [value for value in labels.values if value not in known]
        dtype = pandas.CategoricalDtype([*dtype.categories, *more], dtype.ordered)
    values = pandas.Series(labels.values)
    typed = (values if dtype is None else values.astype(dtype)).array
    return typed.take(labels.codes, allow_fill=bool((labels.codes < 0).any()))


class _Stream(Table):
    """A table of Arrow: one of pyarrow, or any that gives a stream of rows."""

    def __init__(self, table: Any, library: str) -> None:
        self._table, self._library, self._arrow = table, library, pyarrow()
        try:
            self._read = self._arrow.RecordBatchReader.from_stream(table).read_all()
        except self._arrow.ArrowInvalid as error:
            raise TypeError(f"table is an Arrow stream, but not of rows: {error}") from None
        self.names, self.rows = _unique(self._read.column_names), self._read.num_rows

    def column(self, name: str) -> Column:
        return Arrow(name, self._read.column(name))

    def extended(self, new: New) -> Any:
        if self._library == "polars":
            return self._table.with_columns([self._polars(*of) for of in new.items()])
        table = self._read if self._library != "pyarrow" else self._table
        for name, value in new.items():
            table = table.append_column(name, self._made(value))
        if self._library == "duckdb":  # SQL of DuckDB finds Python variables by their names
            libchorale_agreed_rows = table
            assert libchorale_agreed_rows is not None
            return self._table.query(
                "libchorale_given_rows", "select * from libchorale_agreed_rows"
            )
        return table

    def _polars(self, name: str, value: Labels | Array) -> Any:
        import polars

        if not isinstance(value, Labels) or value.like is None:
            return polars.Series(name, self._made(value))
        kind = self._table.schema[value.like]
        if isinstance(kind, polars.Enum):
            known = kind.categories.to_list()
            more = [label for label in value.values if label not in known]
            kind = polars.Enum([*known, *more]) if more else kind
        codes = polars.Series(value.codes)
        codes = codes.set(codes < 0, None) if (value.codes < 0).any() else codes
        return polars.Series(name, value.values, dtype=kind).gather(codes.cast(polars.UInt32))

    def _made(self, value: Any) -> Any:
        """Returns a new column as an Arrow array."""
        arrow = self._arrow
        if not isinstance(value, Labels):
            kind = arrow.large_string() if value.dtype == object else None
            mask = np.isnan(value) if value.dtype.kind == "f" else None
            return arrow.array(value, kind, mask=mask)
        kind = None if value.like is None else plain_type(self._read.schema.field(value.like).type)
        codes = arrow.array(value.codes, mask=value.codes < 0)
        if kind is not None and arrow.types.is_dictionary(kind):
            values = arrow.array(value.values, kind.value_type)
            return arrow.DictionaryArray.from_arrays(codes.cast(kind.index_type), values)
        try:
            return arrow.array(value.values, kind).take(codes)
        except arrow.ArrowNotImplementedError:  # views have no `take`
            return arrow.array(value.objects(), kind)


def plain_type(kind: Any) -> Any:
    """Returns the type of pyarrow that new columns get which are like a column of type `kind`."""
    return kind.value_type if pyarrow().types.is_run_end_encoded(kind) else kind
