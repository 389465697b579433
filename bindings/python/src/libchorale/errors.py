"""What calls raise. Every class here is an `Error`; most are a builtin exception as well, so that
``except ValueError`` catches a bad value whoever found it.

A wrong type, shape or layout of an argument that the package itself notices is a plain
``TypeError`` or ``ValueError``.
"""

from __future__ import annotations

import os
import re

from . import _declarations as c


class Error(Exception):
    """A call that could not be carried out.

    status   the number of the C interface (status.h), 0 where no call was made
    name     its name, such as "CHORALE_ERROR_SIZE"
    message  names the argument, its value and the rule
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
    """A chain or a clique that does not exist."""

    def __init__(self, message: str) -> None:
        super().__init__(message, c.CHORALE_ERROR_OUT_OF_RANGE, "CHORALE_ERROR_OUT_OF_RANGE")


class ArgumentMissingError(Error, TypeError):
    """An argument that must be given."""


class SizeOverflowError(Error, OverflowError):
    """Sizes whose product does not fit, or that exceed what the library can index."""


class OutOfMemoryError(Error, MemoryError):
    """No memory, or a fixed workspace that is too small."""


class StateError(Error, RuntimeError):
    """What was asked for does not exist (yet, or any more): a labelling before the first round, a
    builder whose model has been frozen, the joint state of too many properties."""


class CallbackError(Error, RuntimeError):
    """A callback stopped the computation without an exception, or gave no usable number."""


class FileDamagedError(Error, ValueError):
    """A problem file that is damaged, or of another version."""


class FileAccessError(Error, OSError):
    """A problem file that could not be read or written; errno, strerror and filename say why."""

    def __init__(self, message: str, status: int = 0, name: str = "") -> None:
        super().__init__(message, status, name)
        number = re.search(r": error (\d+) of the system$", message)
        if number:
            self.errno = int(number[1])
            self.strerror = os.strerror(self.errno)


class InternalError(Error, RuntimeError):
    """A fault of the library itself: please report it."""


class ClosedError(Error, ValueError):
    """A handle that has been closed."""


class InUseError(Error, RuntimeError):
    """A handle for one thread at a time that is in use: by another thread, or by the call that the
    running callback belongs to."""


def _classes() -> dict[int, type[Error]]:
    by_status: dict[int, type[Error]] = {
        c.CHORALE_ERROR_NULL_ARGUMENT: ArgumentMissingError,
        c.CHORALE_ERROR_SIZE_OVERFLOW: SizeOverflowError,
        c.CHORALE_ERROR_STATE_SPACE: StateError,
        c.CHORALE_ERROR_CALLBACK_VALUE: CallbackError,
        c.CHORALE_ERROR_CALLBACK_STOPPED: CallbackError,
        c.CHORALE_ERROR_EXECUTOR: CallbackError,
        c.CHORALE_ERROR_OUT_OF_MEMORY: OutOfMemoryError,
        c.CHORALE_ERROR_WORKSPACE_TOO_SMALL: OutOfMemoryError,
        c.CHORALE_ERROR_FROZEN: StateError,
        c.CHORALE_ERROR_NO_LABELLING: StateError,
        c.CHORALE_ERROR_BUSY: StateError,
        c.CHORALE_ERROR_INTERNAL: InternalError,
    }
    for name, status in vars(c).items():
        if name.startswith("CHORALE_ERROR_FILE_"):
            by_status[status] = FileDamagedError
        elif name == "CHORALE_ERROR_INPUT_OUTPUT":
            by_status[status] = FileAccessError
    return by_status


_by_status = _classes()


def from_status(status: int, name: str, message: str) -> Error:
    """The exception of a status of the C interface; those not listed are an `ArgumentError`."""
    return _by_status.get(status, ArgumentError)(message or name, status, name)
