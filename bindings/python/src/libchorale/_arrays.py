"""NumPy arrays as arguments and results.

An array that the library reads only until the call returns is read in place, or converted if the
library cannot read its layout. An array that the library also reads later is copied, unless the
caller passes borrow=True; if it then cannot be read in place, an exception says why.
"""

from __future__ import annotations

import ctypes
import functools
import math
import time
from collections.abc import Sequence
from typing import Any, Literal, Union

import numpy as np
import numpy.typing as npt

from . import _declarations as c
from ._shown import Shown as Shown

Scores = Union[npt.NDArray[np.float64], npt.NDArray[np.float32], Sequence[Any]]
Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]

INT32, INT64 = np.iinfo(np.int32), np.iinfo(np.int64)
NUMBERS = {np.dtype(np.float64): c.CHORALE_FLOAT64, np.dtype(np.float32): c.CHORALE_FLOAT32}


def address(array: npt.NDArray[Any] | None) -> int | None:
    """Returns the address of the first entry, or None if `array` is None. An empty array also has
    an address, so that the library can tell it from an absent array, which is NULL."""
    return None if array is None else int(array.__array_interface__["data"][0])


def _dimensions(name: str, array: npt.NDArray[Any], ndim: int | tuple[int, ...]) -> None:
    allowed = (ndim,) if isinstance(ndim, int) else ndim
    if array.ndim not in allowed:
        wanted = " or ".join(map(str, allowed))
        raise ValueError(f"{name} has {array.ndim} dimensions (shape {array.shape}), not {wanted}")


def _array(name: str, value: Any) -> npt.NDArray[Any]:
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; fill it, with -inf for what is forbidden")
    try:
        return np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{name} is not an array: {error}") from None


# How the library reads an array. "call": only until the call returns. "copy": also after the call,
# from a read-only copy. "borrow": also after the call, from the array itself.
How = Literal["call", "copy", "borrow"]


def own(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Returns a read-only copy, C-contiguous."""
    array = np.array(array, order="C")
    array.flags.writeable = False
    return array


def lent(*given: npt.NDArray[Any] | None) -> tuple[Any, ...]:
    """Makes arrays read-only that the library reads in place, and all arrays of which they are
    views. Returns what must be kept alive."""
    for array in given:
        while isinstance(array, np.ndarray):
            array.flags.writeable = False
            array = array.base
    return given


def scores(
    name: str,
    value: Any,
    ndim: int | tuple[int, ...],
    how: How = "call",
) -> npt.NDArray[Any]:
    """Converts scores to an array of float64 or float32 that the library can read. Numbers of other
    types become float64."""
    array = _array(name, value)
    _dimensions(name, array, ndim)
    reason: Exception | None = None
    if array.dtype not in NUMBERS or not array.dtype.isnative:
        reason = TypeError(f"{name} has elements of type {array.dtype}, not float64 or float32")
    elif not array.flags.aligned:
        reason = ValueError(f"{name} is not aligned to its element type")
    elif not _readable(array):
        rule = "positive strides of whole elements are needed"
        reason = ValueError(f"{name} has strides {array.strides}, where {rule}")
    if reason is None:
        return own(array) if how == "copy" else array
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        raise TypeError(f"{name} has elements of type {array.dtype}, not numbers")
    if how == "borrow" and not isinstance(value, (list, tuple)):
        raise type(reason)(f"{reason}; without borrow=True it is copied")
    native = array.dtype.newbyteorder("=")
    return own(array.astype(native if native in NUMBERS else np.float64))


def _readable(array: npt.NDArray[Any]) -> bool:
    """Returns whether strides are positive and of whole elements. Broadcasting in NumPy makes
    strides of 0, which would mean "without gaps" to the library."""
    steps = [step for count, step in zip(array.shape, array.strides) if count > 1]
    return array.size == 0 or all(step > 0 and step % array.itemsize == 0 for step in steps)


def stride(array: npt.NDArray[Any], axis: int) -> int:
    """Returns the stride of an axis in elements; 0 ("without gaps") if the axis has at most one
    entry."""
    if array.size == 0 or array.shape[axis] <= 1:
        return 0
    return int(array.strides[axis] // array.itemsize)


def strides(name: str, array: npt.NDArray[Any]) -> dict[str, int]:
    """Returns the fields of C for the strides of a matrix `name`."""
    row, column = stride(array, 0), stride(array, 1)
    if len(array) == 1 and column > 1:
        row = column * array.shape[1]
    return {f"{name}_row_stride": row, f"{name}_column_stride": column}


def table(name: str, value: Any, ndim: int | tuple[int, ...]) -> Doubles:
    """Converts numbers, which the library will copy, to an aligned C-contiguous float64 array. Refuses
    complex numbers and number types of more than 8 bytes."""
    array = _array(name, value)
    _dimensions(name, array, ndim)
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        raise TypeError(f"{name} has elements of type {array.dtype}, not numbers")
    return np.require(array, np.float64, ["C", "A"])


def ints(name: str, value: Any, ndim: int = 1, size: int | None = None, how: How = "call") -> Ints:
    """Converts integers to a C-contiguous int32 array. An array that is C-contiguous and int32
    already is not copied (except with how="copy")."""
    made = np.require(_integers(name, value, ndim, size, INT32), np.int32, ["C", "A"])
    return own(made) if how == "copy" else made


def optional_ints(name: str, value: Any, size: int | None = None, how: How = "call") -> Ints | None:
    return None if value is None else ints(name, value, size=size, how=how)


def longs(name: str, value: Any, size: int | None = None) -> npt.NDArray[np.int64]:
    return np.require(_integers(name, value, 1, size, INT64), np.int64, ["C", "A"])


def _integers(name: str, value: Any, ndim: int, size: int | None, limits: Any) -> npt.NDArray[Any]:
    array = _array(name, value)
    _dimensions(name, array, ndim)
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"{name} has elements of type {array.dtype}, not integers")
    if array.size and not np.can_cast(array.dtype, limits.dtype):
        low, high = int(array.min()), int(array.max())
        if low < limits.min or high > limits.max:
            worst = low if low < limits.min else high
            raise ValueError(f"{name} holds {worst}, which does not fit {limits.dtype}")
    if size is not None and array.shape != (size,):
        raise ValueError(f"{name} has shape {array.shape}, not ({size},)")
    return array


def flags(name: str, value: Any, shape: tuple[int, ...] | None = None, how: How = "call") -> Bytes:
    """Converts booleans, or integers 0 and 1, to a C-contiguous array of bytes."""
    array = _array(name, value)
    if array.dtype.kind not in "biu":
        raise TypeError(f"{name} has elements of type {array.dtype}, not bool")
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}, not {shape}")
    wrong = array[(array != 0) & (array != 1)]
    if wrong.size:
        raise ValueError(f"{name} holds {wrong[0]}, neither 0 nor 1: it says yes or no of each")
    made = np.ascontiguousarray(array, dtype=np.uint8)
    return own(made) if how == "copy" else made


def optional_flags(
    name: str, value: Any, shape: tuple[int, ...] | None = None, how: How = "call"
) -> Bytes | None:
    return None if value is None else flags(name, value, shape, how)


def missing(value: Any) -> bool:
    """Returns whether a token or key stands for nothing: None, a NaN or NaT of any type, or
    `pandas.NA`."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # TypeError: pandas.NA, which equals neither itself nor others
        return type(value).__name__ == "NAType"


def integer(name: str, value: Any) -> int:
    """Returns a value as an int. Raises TypeError for a bool and for a value without __index__."""
    if type(value) is not int:
        if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
            raise TypeError(f"{name} is {value!r}, not an integer")
        value = int(value.__index__())
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"{name} is {value}, which does not fit 64 bits")
    return int(value)


def integer32(name: str, value: Any) -> int:
    number = integer(name, value)
    if not -(2**31) <= number < 2**31:
        raise ValueError(f"{name} is {number}, which does not fit 32 bits")
    return number


def size(name: str, value: Any, least: int = 0) -> int:
    number = integer(name, value)
    if number < least:
        raise ValueError(f"{name} is {number}, below {least}")
    return number


def rounds(name: str, value: Any) -> int:
    """Returns a number of rounds for the library, in whose options 0 means the default."""
    return size(name, value) or c.CHORALE_NO_ROUNDS


def real(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}, not a number") from None


# How an argument or field of the C interface is checked, by its type.
CHECKS: dict[Any, Any] = {
    ctypes.c_int32: integer32,
    **dict.fromkeys((ctypes.c_int64, ctypes.c_size_t), integer),
    ctypes.c_double: real,
}


def limit(name: str, value: Any) -> float:
    """Returns a time limit for the library: seconds, -1 for no time at all, or infinity (no limit)
    if `value` is None."""
    if value is None:
        return math.inf
    number = real(name, value)
    if not number >= 0:
        raise ValueError(f"{name} is {value}; it must be at least 0, or None")
    return number or -1.0


def deadline(name: str, seconds: Any) -> float | None:
    """Returns when a limit of so many seconds, which begins now, will have passed; None: never."""
    left = limit(name, seconds)
    return None if seconds is None else time.monotonic() + max(0.0, left)


def seconds_left(until: float | None) -> float | None:
    """Returns the seconds that are left until a deadline, at least 0; None if there is none."""
    return None if until is None else max(0.0, until - time.monotonic())


def distinct(name: str, values: Sequence[Any]) -> None:
    seen = set()
    for value in values:
        if value in seen:
            raise ValueError(f"{name} has {value!r} twice; all must differ")
        seen.add(value)


def encoded(what: str, text: Any) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"{what} {text!r}, not a str")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"{what} {text!r}, which UTF-8 cannot hold") from None


def texts(name: str, values: Any) -> list[bytes]:
    """Encodes a list of texts."""
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{name} is {values!r}, not a list of texts")
    return [encoded(f"{name} holds", text) for text in values]


@functools.lru_cache(None)
def choices(prefix: str) -> dict[Any, int]:
    """Returns the constants of the C interface that begin with CHORALE_ and a prefix, by the rest
    of their names in small letters."""
    begin = f"CHORALE_{prefix}_"
    known = ((name, number) for name, number in vars(c).items() if name.startswith(begin))
    return {name[len(begin) :].lower(): number for name, number in known}


def named(prefix: str) -> dict[int, Any]:
    """Returns the names of the constants of `choices`, in words: "too dear" for too_dear."""
    return {number: name.replace("_", " ") for name, number in choices(prefix).items()}


def chosen(name: str, value: Any, known: dict[Any, int] | str) -> int:
    """Returns known[value], or choices(known)[value] if `known` is a prefix. If `value` is a text,
    '-' in it means the same as '_'."""
    numbers = choices(known) if isinstance(known, str) else known
    key = value.replace("-", "_") if isinstance(value, str) else value
    try:
        return numbers[key]
    except (KeyError, TypeError):
        names = ", ".join(map(repr, numbers))
        raise ValueError(f"{name} is {value!r}, not one of {names}") from None


def borrowed(
    address: int | None,
    shape: tuple[int, ...],
    dtype: Any,
    owner: Any,
    strides: tuple[int, ...] | None = None,
) -> npt.NDArray[Any]:
    """Returns a read-only view of memory of the library. The view keeps `owner` alive. strides: in
    elements; None: without gaps."""
    kind = np.dtype(dtype)
    if 0 in shape or address is None:
        return np.empty(shape, dtype=kind)
    if strides is None:
        strides = tuple(int(np.prod(shape[axis + 1 :])) for axis in range(len(shape)))
    last = sum((count - 1) * step for count, step in zip(shape, strides))
    memory = (ctypes.c_uint8 * ((last + 1) * kind.itemsize)).from_address(address)
    memory.owner = owner
    steps = tuple(step * kind.itemsize for step in strides)
    array: npt.NDArray[Any] = np.ndarray(shape, kind, memory, strides=steps)
    array.flags.writeable = False
    return array
