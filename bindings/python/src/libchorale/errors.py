"""Exceptions of calls. Every class here is an `Error`; most are a builtin exception as well, so
that ``except ValueError`` catches a bad value, whether the package or the C library detects it.

If the package itself detects a wrong type, shape or layout of an argument, it raises a plain
``TypeError`` or ``ValueError``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from . import _declarations as c


class Error(Exception):
    """A call that failed. Many wrong arguments, those that the package refuses before it calls the
    C library, give a plain ``ValueError`` or ``TypeError`` instead, which ``except Error`` does not
    catch: ``except (Error, ValueError, TypeError)`` does.

    status   the number of the error in the C interface; 0 if the package itself raised it
    name     the name of the error in the C interface; "" if status is 0
    message  names the argument, its value and the rule that it breaks
    """

    def __init__(self, message: str, status: int = 0, name: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.name = name

    def __str__(self) -> str:
        return self.message


class ArgumentError(Error, ValueError):
    """An argument that breaks a rule."""


class OutOfRangeError(ArgumentError, IndexError):
    """A number of a chain, clique, position or value that does not exist."""

    def __init__(self, message: str) -> None:
        super().__init__(message, c.CHORALE_ERROR_OUT_OF_RANGE, "CHORALE_ERROR_OUT_OF_RANGE")


class KindError(ArgumentError):
    """An argument of the wrong kind: a position for a clique of whole chains, a whole chain for a
    clique of positions, an instance where a chain is needed."""


class CapacityError(ArgumentError):
    """A buffer that is too small. The package sizes all buffers itself."""


class ArgumentMissingError(Error, TypeError):
    """A required argument that is missing."""


class SizeOverflowError(Error, OverflowError):
    """Sizes whose product overflows, or a size above the greatest that the library supports."""


class OutOfMemoryError(Error, MemoryError):
    """Memory could not be allocated, or a fixed workspace is too small."""


class StateError(Error, RuntimeError):
    """A call that the object's state does not allow: for instance labels are read before the first
    round, a builder is used after `freeze`, or `Run.bound` is called on a run without bound_steps.
    Also raised if a chain with several properties has more joint states than `max_states`."""


class CallbackError(Error, RuntimeError):
    """A callback stopped the computation without an exception, or returned an unusable number."""


class FileDamagedError(Error, ValueError):
    """A problem file that is damaged, or of an unknown version."""


class FileAccessError(Error, OSError):
    """A problem file that could not be read or written. errno and strerror give the reason,
    filename the path."""

    def __init__(self, message: str, status: int = 0, name: str = "") -> None:
        super().__init__(message, status, name)
        number = re.search(r"\berror (\d+) of the system\)?$", message)
        if number:
            self.errno = int(number[1])
            self.strerror = os.strerror(self.errno)


class InternalError(Error, RuntimeError):
    """A fault of the library itself: please report it."""


class ClosedError(Error, ValueError):
    """An object that was used after it had been closed."""


class InUseError(Error, RuntimeError):
    """An object that allows one call at a time is in use already: by another thread, or by the call
    whose callback is running."""


_by_status: dict[int, type[Error]] = {
    c.CHORALE_ERROR_NULL_ARGUMENT: ArgumentMissingError,
    c.CHORALE_ERROR_SIZE_OVERFLOW: SizeOverflowError,
    c.CHORALE_ERROR_CAPACITY: CapacityError,
    c.CHORALE_ERROR_STATE_SPACE: StateError,
    c.CHORALE_ERROR_CALLBACK_VALUE: CallbackError,
    c.CHORALE_ERROR_CALLBACK_STOPPED: CallbackError,
    c.CHORALE_ERROR_OUT_OF_MEMORY: OutOfMemoryError,
    c.CHORALE_ERROR_FROZEN: StateError,
    c.CHORALE_ERROR_NO_LABELLING: StateError,
    c.CHORALE_ERROR_KIND: KindError,
    c.CHORALE_ERROR_BUSY: StateError,
    c.CHORALE_ERROR_STATE: StateError,
    c.CHORALE_ERROR_INTERNAL: InternalError,
    c.CHORALE_ERROR_INPUT_OUTPUT: FileAccessError,
}
for _name, _status in vars(c).items():
    if _name.startswith("CHORALE_ERROR_FILE_"):
        _by_status[_status] = FileDamagedError


# Messages of the C library name its arguments and fields. These tables give the names in Python,
# where they differ: NAMES for all functions, _NAMES_OF_CALLS for single functions. Of any other
# `struct->field`, messages in Python name only the field.
NAMES = {
    "lambda": "strength",
    "chain->labels": "the number of labels",
    "chain->length": "the number of positions",
    "labelling": "labels",
    "assignment": "labels",
    "options->start_assignment": "start",
    "options->start_value": "start",
    "problem->members": "the number of rows of scores",
    "problem->values": "the number of columns of scores",
    "setup->centre_potentials": "centre",
    "setup->centre_values": "the number of potentials in centre",
    "setup->centre_labels": "the length of centre_label_values",
    "setup->labels": "the length of label_values",
    "table_count": "the number of rows of tables",
    "NULL": "None",
}
_LABELS = {"labels": "the number of names"}
_NAMES_OF_CALLS = {
    "chorale_dictionary_create": {"count": "the number of values"},
    "chorale_label_map_from_names": _LABELS,
    "chorale_scheme_mask": _LABELS,
    "chorale_learn": {
        "chorale_problem_set_cliques": "Problem.clique_kinds",
        "chorale_problem_set_gold": "build_problem(gold=...) or Problem.gold",
    },
    "chorale_learnt_read": {"json": "text"},
    "chorale_partition": {"pairs->score": "scores"},
    "chorale_potential_score": {"values": "the number of counts"},
    "chorale_problem_set_cliques": {"kinds": "clique_kinds", "values": "names"},
    "chorale_problem_set_note": {"name_length": "the length of the name"},
}


def renamed(message: str, names: Mapping[str, str], count: int = 0) -> str:
    """Returns a message in which the keys of `names` are replaced by their values: the first
    `count` that occur, or all if count is 0. If count is 0, a key of small letters, such as
    "labelling", is replaced only where it names an argument: before its index, value or "has".
    Text in quotes, which comes from the caller, is unchanged."""
    after = r"(?=\[| is | has | = )"
    known = "|".join(
        re.escape(name) + (after if count == 0 and re.fullmatch("[a-z]+", name) else "")
        for name in sorted(names, key=len, reverse=True)
    )
    left = count or len(message)

    def other(match: re.Match[str]) -> str:
        nonlocal left
        if match[0] not in names or left == 0:
            return match[0]
        left -= 1
        return names[match[0]]

    return re.sub(rf'"[^"]*"|(?<![\w>.])(?:{known})(?!\w)', other, message)


class Renaming:
    """A context, `with Renaming(names):`, for a call whose arguments have other names than those of
    the calling function. In the message of an exception, replaces the first name that is a key of
    `names` by its value."""

    __slots__ = ("_names",)

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, (Error, TypeError, ValueError)) and len(error.args) == 1:
            message = renamed(str(error), self._names, 1)
            error.args = (message,)
            if isinstance(error, Error):
                error.message = message


def from_status(status: int, name: str, message: str, function: str = "") -> Error:
    """Returns the exception for a status of the C interface, with the names of Python in its
    message. A status without a class of its own gives an `ArgumentError`. function: the C function
    that failed."""
    message = renamed(message, {**NAMES, **_NAMES_OF_CALLS.get(function, {})})
    message = re.sub(r'("[^"]*")|\b\w+->|\bCHORALE_(?=FIRE_)', r"\1", message)
    return _by_status.get(status, ArgumentError)(message or name, status, name)
