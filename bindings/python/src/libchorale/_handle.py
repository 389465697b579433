"""Wraps handles of the C interface in Python objects, which determine when the handles are freed
and which threads may use them."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from ._native import Usable
from ._work import work
from .errors import ClosedError, InUseError

Self = TypeVar("Self", bound="Shared")
Kind = TypeVar("Kind")


def instance(name: str, given: Any, kind: type[Kind]) -> Kind:
    """Returns an argument, which must be of a class."""
    if not isinstance(given, kind):
        raise TypeError(f"{name} is {given!r}, not a {kind.__name__}")
    return given


def optional(name: str, given: Any, kind: type[Kind]) -> Kind | None:
    """Returns an argument, which must be of a class, or None."""
    return None if given is None else instance(name, given, kind)


class _Use:
    """A context for a call: marks a handle as used, and gives the address of its C object. marks:
    whether this context has marked the handle; after an exception of a signal handler it may have,
    or not."""

    __slots__ = ("_handle", "_shared", "marks")

    def __init__(self, handle: Handle, shared: bool) -> None:
        self._handle = handle
        self._shared = shared
        self.marks = False

    def __enter__(self) -> int:
        try:
            return self._handle._begin(self._shared, self)
        except BaseException:
            self._handle._end(self)
            raise

    def __exit__(self, *_: object) -> None:
        try:
            self._handle._end(self)
        except BaseException:
            self._handle._end(self)
            raise


def recipe(kind: type[Any], method: str | None, *positional: Any, **keywords: Any) -> Any:
    """Returns what __reduce__ must return for an object that a class method made (None: the
    constructor) of these arguments. A bound method in it would not do: the pickler of Spark would
    send the whole module of the method, not only its name."""
    return _remade, (kind, method, positional, keywords)


def _remade(kind: type[Any], method: str | None, positional: Any, keywords: Any) -> Any:
    maker = kind if method is None else getattr(kind, method)
    return maker(*positional, **keywords)


class Handle(Usable):
    """Owns one reference to a C object, or the whole object.

    Calls that only read the object (const in C) may use the handle on any number of threads at once.
    A call that changes the object must be the only one: otherwise the later call raises
    `InUseError`. A handle that is closed while a call uses it is freed after that call.
    """

    _free: ClassVar[Any]  # the C function that frees the object, or drops the reference

    def __init__(self, pointer: int, *kept: Any) -> None:
        self._pointer: int | None = pointer
        self._users = 0
        self._alone = False  # True while a call that changes the object is running
        self._lock = threading.Lock()
        self._kept = kept  # objects that the C object borrows from

    @classmethod
    def _create(cls, function: Callable[..., int], *arguments: Any, **how: Any) -> int:
        """Creates a C object by a C function, and returns its address. The last two arguments of
        the function are pointers to the new handle and to the error; `arguments` are the others.
        how: the named arguments of `work`."""
        handle = ctypes.c_void_p()
        try:
            work(function, *arguments, ctypes.byref(handle), **how)
        except BaseException:
            if handle.value is not None:  # created, but the handler of a signal raised
                cls._free(handle.value)
            raise
        assert handle.value is not None
        return handle.value

    def _begin(self, shared: bool = True, use: _Use | None = None) -> int:
        with self._lock:
            pointer = self._pointer
            if pointer is None:
                raise ClosedError(f"this {type(self).__name__} has been closed")
            if self._alone or (self._users and not shared):
                raise InUseError(
                    f"this {type(self).__name__} is in use: it serves one call at a time"
                )
            self._users += 1
            self._alone = not shared
            if use is not None:
                use.marks = True
            return pointer

    def _end(self, use: _Use | None = None) -> None:
        with self._lock:
            if use is not None:
                if not use.marks:
                    return
                use.marks = False
            self._users -= 1
            self._alone = False
            unused = self._pointer is None and self._users == 0
        if unused:
            self._freed()

    def _use(self, shared: bool = True) -> _Use:
        return _Use(self, shared)

    def _close(self) -> None:
        with self._lock:
            pointer, self._pointer = self._pointer, None
            if pointer is None:
                return
            self._address = pointer
            unused = self._users == 0
        if unused:
            self._freed()

    def _freed(self) -> None:
        type(self)._free(self._address)

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) is not None:
            self._close()

    def __reduce__(self) -> Any:
        raise TypeError(
            f"a {type(self).__name__} cannot be copied or pickled; it belongs to its process. "
            "Models, problems and results can be"
        )


class Closable(Handle):
    """A handle that can be closed by `close`, or by using it as a context manager. It is closed
    automatically when nothing refers to it."""

    def close(self) -> None:
        """Frees the object's memory. A second call does nothing; any other use raises
        `ClosedError`."""
        self._close()

    @property
    def closed(self) -> bool:
        return self._pointer is None

    def __repr__(self) -> str:
        return f"<{type(self).__name__}{', closed' if self.closed else self._told()}>"

    def _told(self) -> str:
        """Returns what the text of an open object says besides its class."""
        return ""

    def __enter__(self) -> Any:
        if self._pointer is None:
            raise ClosedError(f"this {type(self).__name__} has been closed")
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Shared(Closable):
    """A handle of an immutable, reference-counted C object."""

    _retain: ClassVar[Any]  # the C function that adds a reference
    _recipe: Any  # what __reduce__ returns

    @classmethod
    def _made(cls: type[Self], pointer: int, *kept: Any) -> Self:
        """Returns an object for the address of a C object, for classes whose constructors make none."""
        made = cls.__new__(cls)
        Handle.__init__(made, pointer, *kept)
        return made

    def clone(self: Self) -> Self:
        """Returns another handle to the same object. The new handle remains valid when this one is
        closed."""
        again = type(self).__new__(type(self))
        again.__dict__.update(self.__dict__)
        with self._use() as pointer:
            Handle.__init__(again, type(self)._retain(pointer), *self._kept)
        return again

    __copy__ = clone

    def __deepcopy__(self: Self, memo: dict[int, Any]) -> Self:
        return self.clone()  # an immutable object need not be copied

    def __reduce__(self) -> Any:
        with self._use():  # fails if the handle is closed
            return self._recipe
