"""Reads columns of tables of other libraries, and returns tables of the same kind with more
columns.

pandas frames and lists of dicts are read directly. All others are read through Arrow's C stream
interface (`__arrow_c_stream__`), by nanoarrow. This module imports no table library that the caller
has not imported.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._columns import Array, Arrow, Column, Longs, Objects, Series


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


@dataclasses.dataclass(frozen=True)
class Texts:
    """A new column of `count` texts: texts[i] is in row rows[i], and all other rows are null. rows:
    ascending."""

    count: int
    rows: Longs
    texts: list[str]

    def objects(self) -> Array:
        every = np.full(self.count, None, dtype=object)
        every[self.rows] = self.texts
        return every


# The columns to be added to a table, by name. Columns of numbers and of truth values are arrays, in
# which NaN is null.
New = Mapping[str, "Labels | Texts | Array"]


class Table:
    """A table with named columns and `rows` rows."""

    names: list[str]
    rows: int

    def column(self, name: str) -> Column:
        raise NotImplementedError

    def matrix(self, names: Sequence[str]) -> Array | None:
        """Returns columns of numbers as one array of float32 or float64, N x m; None if the table
        cannot give one."""
        return None

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
        columns = [
            value.astype(object) if isinstance(value, np.ndarray) else value.objects()
            for value in new.values()
        ]
        for column, value in zip(columns, new.values()):
            if isinstance(value, np.ndarray) and value.dtype.kind == "f":
                column[np.isnan(value)] = None
        names = list(new)
        return [{**row, **dict(zip(names, more))} for row, *more in zip(self._table, *columns)]


class _Frame(Table):
    """A pandas DataFrame."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.names, self.rows = _unique(table.columns.tolist()), len(table)

    def column(self, name: str) -> Column:
        return Series(name, self._table[name])

    def matrix(self, names: Sequence[str]) -> Array | None:
        numbers: Array = self._table[list(names)].to_numpy()
        return numbers if numbers.dtype in (np.float32, np.float64) else None

    def extended(self, new: New) -> Any:
        import pandas

        table, made = self._table, {}
        for name, value in new.items():
            if isinstance(value, Labels):
                dtype = None if value.like is None else table[value.like].dtype
                array = _pandas_labels(pandas, value, dtype)
            else:
                array = value if isinstance(value, np.ndarray) else value.objects()
            made[name] = pandas.Series(array, index=table.index)
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
    """A table read from an Arrow stream. The stream is read once, and its chunks are kept."""

    def __init__(self, table: Any, library: str) -> None:
        self._table, self._library = table, library
        self._arrow = nanoarrow()
        with self._arrow.c_array_stream(table) as stream:
            schema = stream.get_schema()
            if schema.format != "+s":
                raise TypeError(f"table is an Arrow stream of format {schema.format}, not of rows")
            self._chunks = [chunk for chunk in stream if chunk.length]
        self._fields = list(schema.children)
        self.names = _unique([field.name for field in self._fields])
        self.rows = sum(chunk.length for chunk in self._chunks)

    def column(self, name: str) -> Column:
        number = self.names.index(name)
        if self._fields[number].format == "n":  # of nulls only
            return Objects(name, [None] * self.rows)
        chunks = []
        for chunk in self._chunks:
            view = chunk.child(number).view()
            chunks.append((view, chunk.offset + view.offset, chunk.length))
        return Arrow(name, self._fields[number], chunks)

    def extended(self, new: New) -> Any:
        table = self._table
        if self._library == "polars":
            return table.with_columns([self._polars(name, value) for name, value in new.items()])
        if self._library == "pyarrow" and hasattr(table, "append_column"):
            for name, value in new.items():
                table = table.append_column(name, self._pyarrow(value))
            return table
        libchorale_agreed_rows = self._rebuilt(new)
        if self._library == "duckdb":  # SQL of DuckDB finds Python variables by their names
            return table.query("libchorale_given_rows", "select * from libchorale_agreed_rows")
        return libchorale_agreed_rows

    def _polars(self, name: str, value: Any) -> Any:
        import polars

        if not isinstance(value, Labels):
            return polars.Series(self._made(value)).alias(name)
        kind = None if value.like is None else self._table.schema[value.like]
        if isinstance(kind, polars.Enum):
            known = kind.categories.to_list()
            more = [label for label in value.values if label not in known]
            kind = polars.Enum([*known, *more]) if more else kind
        codes = polars.Series(value.codes)
        codes = codes.set(codes < 0, None) if (value.codes < 0).any() else codes
        return polars.Series(name, value.values, dtype=kind).gather(codes.cast(polars.UInt32))

    def _pyarrow(self, value: Any) -> Any:
        import pyarrow

        if not isinstance(value, Labels):
            return pyarrow.array(self._made(value))
        kind = None if value.like is None else self._table.schema.field(value.like).type
        if kind is not None:
            kind = plain_type(kind)
        codes = pyarrow.array(value.codes, mask=value.codes < 0)
        if kind is not None and pyarrow.types.is_dictionary(kind):
            values = pyarrow.array(value.values, kind.value_type)
            return pyarrow.DictionaryArray.from_arrays(codes.cast(kind.index_type), values)
        try:
            return pyarrow.array(value.values, kind).take(codes)
        except pyarrow.ArrowNotImplementedError:  # views have no `take`
            return pyarrow.array(value.objects(), kind)

    def _made(self, value: Any, first: int = 0, end: int | None = None) -> Any:
        """Returns rows first .. end - 1 of a new column as an Arrow array."""
        arrow = self._arrow
        if isinstance(value, Texts):
            end = value.count if end is None else end
            low, high = np.searchsorted(value.rows, (first, end))
            rows, texts = value.rows[low:high] - first, value.texts[low:high]
            encoded = [text.encode() for text in texts]
            there = np.zeros(end - first, dtype=bool)
            there[rows] = True
            lengths = np.zeros(end - first, dtype=np.int64)
            lengths[rows] = [len(text) for text in encoded]
            return self._strings(b"".join(encoded), lengths, there)
        if isinstance(value, Labels):
            codes = value.codes[first:end]
            there = codes >= 0
            if isinstance(value.values[0], str):
                encoded = [*(label.encode() for label in value.values), b""]
                lengths = np.array([len(label) for label in encoded])[codes]
                joined = b"".join(map(encoded.__getitem__, codes.tolist()))
                return self._strings(joined, lengths, None if there.all() else there)
            value = np.array(value.values)[codes]
        else:
            value = value[first:end]
            there = ~np.isnan(value) if value.dtype == np.float64 else np.ones(1, dtype=bool)
        bitmap = None if there.all() else np.packbits(there, bitorder="little")
        if value.dtype == bool:
            bits = np.packbits(value, bitorder="little")
            return arrow.c_array_from_buffers(arrow.bool_(), len(value), [bitmap, bits])
        kind = arrow.float64() if value.dtype == np.float64 else arrow.int64()
        return arrow.c_array_from_buffers(kind, len(value), [bitmap, np.ascontiguousarray(value)])

    def _strings(self, data: bytes, lengths: Longs, there: Array | None = None) -> Any:
        edges = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=edges[1:])
        bitmap = None if there is None else np.packbits(there, bitorder="little")
        return self._arrow.c_array_from_buffers(
            self._arrow.large_string(), len(lengths), [bitmap, edges, data or None]
        )

    def _rebuilt(self, new: New) -> Any:
        """Returns all columns as one nanoarrow array; existing columns are shared, not copied."""
        arrow = self._arrow
        for field in self._fields:
            if _has_views(field):
                raise TypeError(
                    f"column {field.name!r} is of Arrow views, which nanoarrow cannot put into a "
                    "new table; give a table of pyarrow or Polars"
                )
        chunks, first = [], 0
        for chunk in self._chunks:
            end = first + chunk.length
            added = [self._made(value, first, end) for value in new.values()]
            fields = {field.name: field for field in self._fields}
            fields.update({name: made.schema for name, made in zip(new, added)})
            children = [_slice(chunk, k) for k in range(len(self._fields))]
            chunks.append(
                arrow.c_array_from_buffers(
                    arrow.struct(fields), chunk.length, [None], children=[*children, *added]
                )
            )
            first = end
        return arrow.Array.from_chunks(chunks)


def _slice(chunk: Any, number: int) -> Any:
    """Returns a child array cut to its parent's offset and length."""
    child = chunk.child(number)
    if chunk.offset or child.length != chunk.length:
        child = child[chunk.offset : chunk.offset + chunk.length]
    return child


def _has_views(schema: Any) -> bool:
    inner = [*schema.children, *([] if schema.dictionary is None else [schema.dictionary])]
    return schema.format in ("vu", "vz", "+vl", "+vL") or any(map(_has_views, inner))


def plain_type(kind: Any) -> Any:
    """Returns the type of pyarrow that new columns get which are like a column of type `kind`."""
    import pyarrow

    return kind.value_type if pyarrow.types.is_run_end_encoded(kind) else kind


def nanoarrow() -> Any:
    try:
        import nanoarrow as found
    except ImportError:
        raise ImportError(
            "tables of Arrow (Polars, DuckDB, pyarrow) are read by nanoarrow: "
            "pip install 'libchorale[tables]'"
        ) from None
    return found
