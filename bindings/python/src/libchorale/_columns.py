"""Reads columns of tables into NumPy arrays: numbers, lists of numbers, or repeated values, which
are encoded by integers."""

from __future__ import annotations

import dataclasses
import decimal
import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays

Array = npt.NDArray[Any]
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

    def all_values(self) -> list[Any]:
        return self.values(range(self.count))


class Column:
    """One column of a table with N rows. place: the name of the column in error messages."""

    def __init__(self, name: str) -> None:
        self.place = f"column {name!r}"

    def encoded(self) -> Codes:
        raise NotImplementedError

    def numbers(self) -> Array:
        """Returns N numbers, float32 or float64. A null raises ValueError, which names the row."""
        raise NotImplementedError

    def lists(self) -> Array:
        """Returns N x m numbers, where m is the length of each list. Lists of different lengths
        raise ValueError, which names the row."""
        raise NotImplementedError

    def floats(self) -> Doubles | None:
        """Returns N numbers, NaN for null; None if the column is not of numbers alone. Columns of
        times raise TypeError: times are stored as integers, but are no numbers."""
        raise NotImplementedError

    def mixed(self) -> Codes:
        """As `encoded`, but values may have different types, also lists and dicts."""
        return self.encoded()

    def _no_null(self, valid: Array | None) -> None:
        if valid is not None and not valid.all():
            raise ValueError(f"{self.place} is null in row {int(np.argmin(valid))}")

    def _unusable(self, what: str, kind: object) -> TypeError:
        return TypeError(f"{self.place} has the type {kind}, where {what} are needed")


# ---- Values that repeat

_ODD = 0x9E3779B97F4A7C15


def representatives(hashes: npt.NDArray[np.uint64]) -> Longs:
    """Returns for each entry the index of an entry with the same hash. Entries with equal hashes
    get the same index.

    Works on a table of slots. In each pass, every entry that is not done writes its index to the
    slot of its hash, and one of the indices written to a slot remains. An entry is done if the
    index in its slot is that of an entry with the same hash. All other entries get other slots in
    the next pass. Entries with equal hashes have equal slots, so that they are done in the same
    pass.
    """
    count = len(hashes)
    found = np.empty(count, dtype=np.int64)
    bits = max(4, int(2 * count).bit_length())
    kind = np.int32 if count < 2**31 else np.int64  # int32 halves the memory that is accessed
    slots = np.empty(1 << bits, dtype=kind)
    left = np.arange(count, dtype=kind)
    factor = _ODD
    while len(left):
        of_left = hashes[left]
        slot = (of_left * np.uint64(factor)) >> np.uint64(64 - bits)
        slots[slot] = left
        first = slots[slot]
        same = hashes[first] == of_left
        found[left[same]] = first[same]
        left = left[~same]
        factor = (factor * 0xD1342543DE82EF95 + 2) & (2**64 - 1) | 1
    return found


def numbered(found: Longs) -> tuple[npt.NDArray[np.int32], Longs]:
    """Returns codes made from the result of `representatives`, and for each code the index of an
    entry with this code."""
    first = np.flatnonzero(found == np.arange(len(found)))
    number = np.empty(len(found), dtype=np.int32)
    number[first] = np.arange(len(first), dtype=np.int32)
    return number[found], first


def encoded_bits(bits: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.int32], Longs]:
    """Returns codes of 64-bit values, and for each code the index of an entry with this code."""
    return numbered(representatives(bits))


def spread(codes: npt.NDArray[np.int32], valid: Array | None) -> npt.NDArray[np.int32]:
    """Extends codes of the valid entries to all entries, with -1 for entries that are not valid.
    valid: a boolean for each entry; None: all are valid."""
    if valid is None:
        return codes
    every = np.full(len(valid), -1, dtype=np.int32)
    every[valid] = codes
    return every


def together(columns: Sequence[Codes]) -> tuple[npt.NDArray[np.int32], int]:
    """Returns a code for each row of several columns, and the number of codes. Rows with the same
    tuple of values have the same code. Rows in which a column is null have code -1."""
    codes, count = columns[0].codes, columns[0].count
    for column in columns[1:]:
        pairs = codes.astype(np.int64) * max(1, column.count) + column.codes
        valid = (codes >= 0) & (column.codes >= 0)
        some, first = encoded_bits(pairs[valid].view(np.uint64))
        codes, count = spread(some, valid), len(first)
    return codes, count


class Strings:
    """Byte strings: entry i is data[starts[i] : starts[i] + lengths[i]]. `data` has 8 more bytes
    after the last entry, so that 8 bytes can be read at once from any place in an entry."""

    def __init__(self, data: npt.NDArray[np.uint8], starts: Longs, lengths: Longs) -> None:
        self.data, self.starts, self.lengths = data, starts, lengths
        # Entry k of _words is the number made of the bytes k to k + 7 of the data.
        self._words = np.ndarray((len(data) - 7,), dtype="<u8", buffer=data.data, strides=(1,))

    def _word(self, entries: Any, at: int) -> npt.NDArray[np.uint64]:
        """Returns the bytes `at` to `at` + 7 of each entry as one number. All entries must be
        longer than `at`. Bytes beyond the end of an entry count as 0."""
        words = self._words[self.starts[entries] + at]
        beyond = np.maximum(0, at + 8 - self.lengths[entries]).astype(np.uint64) * np.uint64(8)
        within: npt.NDArray[np.uint64] = words & (np.uint64(2**64 - 1) >> beyond)
        return within

    def encoded(self) -> tuple[npt.NDArray[np.int32], Longs]:
        """Returns the code of each string, and for each code the index of a string with this
        code."""
        hashes = self.lengths.astype(np.uint64) * np.uint64(_ODD)
        left = np.flatnonzero(self.lengths)
        at = 0
        while len(left):
            mixed = (hashes[left] ^ self._word(left, at)) * np.uint64(0xFF51AFD7ED558CCD)
            hashes[left] = mixed ^ (mixed >> np.uint64(32))
            at += 8
            left = left[self.lengths[left] > at]
        found = representatives(hashes)
        if not self._same(found):  # different strings have the same hash: uses a dict instead
            known: dict[bytes, int] = {}
            for entry in range(len(hashes)):
                found[entry] = known.setdefault(self._bytes(entry), entry)
        return numbered(found)

    def _same(self, found: Longs) -> bool:
        left = np.flatnonzero(found != np.arange(len(found)))
        if not np.array_equal(self.lengths[left], self.lengths[found[left]]):
            return False
        at = 0
        left = left[self.lengths[left] > at]
        while len(left):
            if not np.array_equal(self._word(left, at), self._word(found[left], at)):
                return False
            at += 8
            left = left[self.lengths[left] > at]
        return True

    def _bytes(self, entry: int) -> bytes:
        start = int(self.starts[entry])
        return self.data[start : start + int(self.lengths[entry])].tobytes()

    def texts(self, entries: Longs) -> list[str]:
        if len(entries) == 0:
            return []
        starts, ends = self.starts[entries], self.starts[entries] + self.lengths[entries]
        first = int(starts.min())
        data = self.data[first : int(ends.max())].tobytes()
        return [
            data[start:end].decode("utf-8", "replace")
            for start, end in zip((starts - first).tolist(), (ends - first).tolist())
        ]


# ---- Columns of Python objects


def one_type(place: str, values: Iterable[Any], is_null: Callable[[Any], bool]) -> None:
    """Raises TypeError, which names the row, if values that are not null have different types."""
    known: type[Any] | None = None
    for row, value in enumerate(values):
        if is_null(value):
            continue
        known = known or type(value)
        if type(value) is not known:
            raise TypeError(
                f"{place} is of mixed types: {value!r} in row {row} is of type "
                f"{type(value).__name__}, and entries before are of type {known.__name__}"
            )


def number_of(place: str, row: int, value: Any) -> float:
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise TypeError(f"{place} holds {value!r} in row {row}, not a number")
    return float(value)


class Objects(Column):
    """A column of Python objects; None and NaN are null."""

    def __init__(self, name: str, values: Sequence[Any]) -> None:
        super().__init__(name)
        self._values = values

    def encoded(self) -> Codes:
        values = self._values
        one_type(self.place, values, arrays.missing)
        known: dict[Any, int] = {}
        try:
            codes = [-1 if arrays.missing(v) else known.setdefault(v, len(known)) for v in values]
        except TypeError:
            kind = next(type(value).__name__ for value in values if not arrays.missing(value))
            raise self._unusable("texts or integers", kind) from None
        unique = list(known)
        return Codes(
            np.array(codes, dtype=np.int32), len(unique), lambda some: [unique[i] for i in some]
        )

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
            name: Any = value if isinstance(value, Hashable) else repr(value)
            code = known.setdefault((type(value), name), len(values))
            if code == len(values):
                values.append(value)
            codes.append(code)
        return Codes(
            np.array(codes, dtype=np.int32), len(values), lambda some: [values[i] for i in some]
        )

    def numbers(self) -> Array:
        listed = []
        for row, value in enumerate(self._values):
            if value is None:
                raise ValueError(f"{self.place} is null in row {row}")
            listed.append(number_of(self.place, row, value))
        return np.array(listed, dtype=np.float64)

    def lists(self) -> Array:
        width: int | None = None
        flat: list[float] = []
        for row, value in enumerate(self._values):
            if value is None:
                raise ValueError(f"{self.place} is null in row {row}")
            if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__len__"):
                if row == 0:
                    self.numbers()  # if an entry is not a number, raises an error that names it
                raise TypeError(f"{self.place} holds {value!r} in row {row}, not a list of numbers")
            width = len(value) if width is None else width
            if len(value) != width:
                raise ValueError(
                    f"{self.place} has {len(value)} entries in row {row} and {width} in row 0"
                )
            flat += [number_of(self.place, row, entry) for entry in value]
        return np.array(flat, dtype=np.float64).reshape(len(self._values), width or 0)


class Series(Column):
    """A column of a pandas DataFrame."""

    def __init__(self, name: str, series: Any) -> None:
        super().__init__(name)
        self._series = series

    def encoded(self) -> Codes:
        import pandas

        series = self._series
        if isinstance(series.dtype, pandas.CategoricalDtype):
            categories = list(series.cat.categories)
            codes = series.cat.codes.to_numpy().astype(np.int32)
            return Codes(codes, len(categories), lambda some: [categories[i] for i in some])
        if series.dtype == object:
            one_type(
                self.place,
                series,
                lambda value: bool(pandas.api.types.is_scalar(value) and pandas.isna(value)),
            )
        try:
            found, unique = pandas.factorize(series)
        except TypeError:
            raise self._unusable("texts or integers", series.dtype) from None
        plain = [v.item() if isinstance(v, np.generic) else v for v in unique.tolist()]
        return Codes(found.astype(np.int32), len(plain), lambda some: [plain[i] for i in some])

    def numbers(self) -> Array:
        series = self._series
        if getattr(series.dtype, "kind", "O") == "O":  # also categories and decimals of Arrow
            return Objects.numbers(self._objects())
        if getattr(series.dtype, "kind", "O") not in "fiub":
            raise self._unusable("numbers", series.dtype)
        if isinstance(series.dtype, np.dtype):
            array: Array = series.to_numpy()
        else:
            self._no_null(~series.isna().to_numpy())
            array = series.to_numpy(dtype=np.float64)
        return array if array.dtype in (np.float32, np.float64) else array.astype(np.float64)

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
        return Objects.lists(self._objects())

    def _objects(self) -> Objects:
        made = Objects("", self._series.tolist())
        made.place = self.place
        return made


# ---- Columns of Arrow

# The NumPy type for each number format of the Arrow C data interface.
_NUMBERS = {
    **{"c": np.int8, "C": np.uint8, "s": np.int16, "S": np.uint16, "i": np.int32, "I": np.uint32},
    **{"l": np.int64, "L": np.uint64, "e": np.float16, "f": np.float32, "g": np.float64},
}


def _validity(view: Any, offset: int, length: int) -> Array | None:
    bitmap = np.asarray(view.buffer(0))
    if view.null_count == 0 or bitmap.size == 0:
        return None
    bits = np.unpackbits(bitmap.view(np.uint8), bitorder="little")
    return bits[offset : offset + length].astype(bool)


def _buffer(view: Any, number: int, dtype: Any) -> Array:
    """Returns a buffer of an Arrow array as a NumPy array, without a copy."""
    buffer = view.buffer(number)
    return np.frombuffer(buffer, dtype=dtype) if buffer.size_bytes else np.empty(0, dtype=dtype)


def _integers(data: npt.NDArray[np.uint8], width: int) -> list[int]:
    """Returns signed integers of `width` bytes each."""
    every = data.tobytes()
    return [
        int.from_bytes(every[at : at + width], "little", signed=True)
        for at in range(0, len(every), width)
    ]


def _joined(parts: list[Array]) -> Array:
    """Joins the parts to one array; a single part is not copied."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


class Arrow(Column):
    """A column of an Arrow table. chunks: for each chunk, in order, a view of an Arrow array, and
    the offset and length of the chunk in this array."""

    def __init__(self, name: str, schema: Any, chunks: list[tuple[Any, int, int]]) -> None:
        super().__init__(name)
        self._schema, self._chunks = schema, chunks
        self._format: str = schema.format

    def _refused(self, what: str) -> TypeError:
        import nanoarrow

        try:
            kind = nanoarrow.Schema(self._schema).type.name.lower()
        except ValueError:  # nanoarrow has no name for some types, such as list views
            kind = self._format
        return self._unusable(what, kind)

    def _valid(self) -> Array | None:
        parts = [_validity(*chunk) for chunk in self._chunks]
        if all(part is None for part in parts):
            return None
        lengths = [length for _, _, length in self._chunks]
        return _joined(
            [
                np.ones(length, dtype=bool) if part is None else part
                for part, length in zip(parts, lengths)
            ]
        )

    # ---- Codes

    def encoded(self) -> Codes:
        indexed = self._indexed()
        if indexed is not None:
            of_values = indexed[1].encoded()
            every = np.append(of_values.codes, np.int32(-1))  # for index -1, which stands for null
            return Codes(every[indexed[0]], of_values.count, of_values.values)
        valid = self._valid()
        if self._format.startswith("d:"):
            return self._encoded_decimals(valid)
        if self._format in ("u", "U", "vu"):
            strings = self._strings(valid)
            codes, first = strings.encoded()
            return Codes(
                spread(codes, valid),
                len(first),
                lambda some: strings.texts(first[list(some)]),
            )
        plain = self._plain()
        if plain is None:
            raise self._refused("texts or integers")
        if plain.dtype.kind == "f":
            known = ~np.isnan(plain)
            valid = known if valid is None else valid & known
        given = plain if valid is None else plain[valid]
        wide = given.astype(np.float64) + 0.0 if given.dtype.kind == "f" else given.astype(np.int64)
        codes, first = encoded_bits(wide.view(np.uint64))
        return Codes(
            spread(codes, valid), len(first), lambda some: given[first[list(some)]].tolist()
        )

    def _indexed(self) -> tuple[Longs, Arrow] | None:
        """Returns the values of a dictionary or run-end encoded column, and for each entry of the
        column the index of its value, -1 for null; None if the column is of another type. Chunks
        may have different values; those of all chunks follow one another."""
        by_runs = self._format == "+r"
        if self._schema.dictionary is None and not by_runs:
            return None
        parts, every, first = [], [], 0
        for view, offset, length in self._chunks:
            if by_runs:  # entry i belongs to the first run whose end is above i
                ends, values = view.child(0), view.child(1)
                runs = _buffer(ends, 1, _NUMBERS[self._schema.child(0).format])
                runs = runs[ends.offset : ends.offset + ends.length]
                entries = np.arange(offset, offset + length)
                part = np.searchsorted(runs, entries, side="right") + first
            else:
                index = _buffer(view, 1, _NUMBERS[self._format])[offset : offset + length]
                values = view.dictionary
                part = index.astype(np.int64) + first
                valid = _validity(view, offset, length)
                if valid is not None:
                    part[~valid] = -1
            parts.append(part)
            every.append((values, values.offset, values.length))
            first += values.length
        inner = Arrow("", self._schema.child(1) if by_runs else self._schema.dictionary, every)
        inner.place = self.place
        return _joined(parts), inner

    def _strings(self, valid: Array | None) -> Strings:
        """Returns the bytes of the texts that are not null."""
        pieces: list[Array] = []
        starts, lengths, base = [], [], 0
        for view, offset, length in self._chunks:
            if self._format == "vu":
                # A string view has 16 bytes, which are four int32. The first is the length of the
                # string. A string of up to 12 bytes follows in the view itself. For a longer
                # string, the third is the number of a data buffer, and the fourth is the offset of
                # the string in this buffer.
                views = _buffer(view, 1, np.uint8)
                fields = views.view(np.int32).reshape(-1, 4)[offset : offset + length]
                of = fields[:, 0].astype(np.int64)
                at = base + 16 * np.arange(offset, offset + length, dtype=np.int64) + 4
                data = [_buffer(view, k, np.uint8) for k in range(2, view.n_buffers - 1)]
                ends = np.cumsum([base + len(views), *(len(part) for part in data)])
                long = np.flatnonzero(of > 12)
                at[long] = ends[fields[long, 2]] + fields[long, 3]
                pieces += [views, *data]
            else:
                dtype = np.int32 if self._format == "u" else np.int64
                edges = _buffer(view, 1, dtype)[offset : offset + length + 1].astype(np.int64)
                of, at = np.diff(edges), base + edges[:-1]
                pieces.append(_buffer(view, 2, np.uint8))
            base = sum(len(piece) for piece in pieces)
            starts.append(at)
            lengths.append(of)
        at, of = _joined(starts), _joined(lengths)
        if valid is not None:
            at, of = at[valid], of[valid]
        return Strings(np.concatenate([*pieces, np.zeros(8, dtype=np.uint8)]), at, of)

    # ---- Numbers

    def _plain(self) -> Array | None:
        """Returns numbers, times or booleans as they are stored, with arbitrary values for nulls;
        None if the column is of another type."""
        if self._schema.dictionary is not None:
            return None
        kind = self._format
        if kind in _NUMBERS:
            dtype: Any = _NUMBERS[kind]
        elif kind.startswith(("tt", "td", "ts", "tD")):
            dtype = np.int32 if kind in ("tdD", "tts", "ttm") else np.int64
        elif kind == "b":
            parts = []
            for view, offset, length in self._chunks:
                bits = np.unpackbits(_buffer(view, 1, np.uint8), bitorder="little")
                parts.append(bits[offset : offset + length].astype(bool))
            return _joined(parts)
        else:
            return None
        return _joined([_buffer(v, 1, dtype)[at : at + count] for v, at, count in self._chunks])

    def numbers(self) -> Array:
        plain, valid = self._stored_numbers()
        self._no_null(valid)
        return plain if plain.dtype in (np.float32, np.float64) else plain.astype(np.float64)

    def floats(self) -> Doubles | None:
        of_values = self._schema
        while of_values.format == "+r" or of_values.dictionary is not None:
            of_values = of_values.child(1) if of_values.format == "+r" else of_values.dictionary
        kind = of_values.format
        if kind not in _NUMBERS and not kind.startswith(("d:", "t")):
            return None
        plain, valid = self._stored_numbers()
        found = plain.astype(np.float64)
        return found if valid is None else np.where(valid, found, np.nan)

    def _stored_numbers(self) -> tuple[Array, Array | None]:
        """Returns numbers, with arbitrary values for nulls, and which of them are valid."""
        indexed = self._indexed()
        if indexed is not None:
            index, inner = indexed
            plain, valid = inner._stored_numbers()
            known = np.append(np.ones(len(plain), dtype=bool) if valid is None else valid, False)
            return np.append(plain, plain.dtype.type(0))[index], known[index]
        if self._format.startswith("d:"):
            data, width, scale = self._decimals()
            return np.array(_integers(data, width), dtype=np.float64) / 10.0**scale, self._valid()
        stored = self._plain()
        if stored is None or self._format.startswith("t"):
            raise self._refused("numbers")
        return stored, self._valid()

    # ---- Decimals

    def _decimals(self) -> tuple[npt.NDArray[np.uint8], int, int]:
        """Returns decimals as they are stored: the bytes of integers, the number of bytes of each,
        and the scale: the value is the integer / 10^scale."""
        _, scale, *bits = (int(part) for part in self._format[2:].split(","))
        width = (bits[0] if bits else 128) // 8
        if width < 16:  # nanoarrow cannot read them
            raise self._refused("decimals of at least 128 bits")
        parts = [
            _buffer(v, 1, np.uint8)[at * width : (at + n) * width] for v, at, n in self._chunks
        ]
        return _joined(parts), width, scale

    def _encoded_decimals(self, valid: Array | None) -> Codes:
        data, width, scale = self._decimals()
        starts = np.arange(0, len(data), width)
        if valid is not None:
            starts = starts[valid]
        every = np.append(data, np.zeros(8, dtype=np.uint8))
        strings = Strings(every, starts, np.full_like(starts, width))
        codes, first = strings.encoded()

        def values(some: Sequence[int]) -> list[Any]:
            found = b"".join(strings._bytes(entry) for entry in first[list(some)].tolist())
            numbers = _integers(np.frombuffer(found, np.uint8), width)
            return [decimal.Decimal(number).scaleb(-scale) for number in numbers]

        return Codes(spread(codes, valid), len(first), values)

    def lists(self) -> Array:
        kind = self._format
        if not kind.startswith(("+l", "+L", "+w:")):
            raise self._refused("lists of numbers")
        self._no_null(self._valid())
        width: int | None = None
        parts, row = [], 0
        for view, offset, length in self._chunks:
            child = view.child(0)
            if kind.startswith("+w:"):
                of = int(kind[3:])
                first, count = offset * of, length * of
            else:
                dtype = np.int32 if kind == "+l" else np.int64
                edges = _buffer(view, 1, dtype)[offset : offset + length + 1].astype(np.int64)
                sizes = np.diff(edges)
                of = int(sizes[0]) if width is None else width
                if (sizes != of).any():
                    wrong = int(np.argmax(sizes != of))
                    raise ValueError(
                        f"{self.place} has {sizes[wrong]} entries in row {row + wrong} "
                        f"and {of} in row 0"
                    )
                first, count = int(edges[0]), int(edges[-1] - edges[0])
            width = of
            inner = Arrow("", self._schema.child(0), [(child, child.offset + first, count)])
            inner.place = f"{self.place} (entries of its lists, from row {row} on)"
            parts.append(inner.numbers().reshape(length, of))
            row += length
        return _joined(parts)
