"""Lets a program provide the C library with an allocator and a log."""

from __future__ import annotations

import contextvars
import ctypes
import itertools
from collections.abc import Callable
from typing import Any, Optional
from weakref import WeakValueDictionary

from . import _arrays as arrays
from . import _declarations as c
from ._native import Hooks, hooks, struct

Allocate = Callable[[int, int], Optional[int]]
Release = Callable[[int, int, int], Any]
Log = Callable[[int, str], Any]

_entered: contextvars.ContextVar[tuple[Host, ...]] = contextvars.ContextVar("chorale", default=())


class Host:
    """An allocator and a log for the objects that are created in a `with` block; they are used as
    long as these objects live. Without a host, memory comes from malloc, and nothing is logged.

    allocate  allocate(size, alignment) returns the address of `size` bytes, a multiple of alignment
              (a power of two, at most 64). If there is no memory it returns None, and the call into
              the library raises OutOfMemoryError
    release   release(address, size, alignment) frees memory from allocate; required with allocate
    log       log(level, text) receives a message; the levels are those of `logging`

    The library calls these functions on the thread that called the library or, if this is the main
    thread, on a thread that makes the call for it. They must not use the object that the call into
    the library uses. If one of them raises an exception, the call into
    the library raises it when it returns. The `with` block applies only to its own thread (or
    asyncio task).

    >>> import logging
    >>> with Host(log=logging.getLogger("chorale").log):
    ...     builder = ModelBuilder()
    >>> lines = []
    >>> with Host(log=lambda level, text: lines.append(text)):
    ...     builder = ModelBuilder()
    >>> clique = builder.add_cliques(1, potential=Potential.potts(2, 1.0)).start
    >>> model = builder.freeze()
    >>> lines
    ['clique 0 has no members']
    """

    def __init__(
        self,
        allocate: Allocate | None = None,
        release: Release | None = None,
        log: Log | None = None,
    ) -> None:
        for name, hook in (("allocate", allocate), ("release", release), ("log", log)):
            if hook is not None and not callable(hook):
                raise TypeError(f"{name} is {hook!r}, which cannot be called")
        if (allocate is None) != (release is None):
            raise TypeError("allocate and release come together: one of them is None")
        self._allocate, self._release, self._log = allocate, release, log
        self._blocks: dict[int, int] = {}  # sizes, by address
        Hooks.exist = True
        user = next(_numbers)
        _hosts[user] = self
        self._struct = struct(c.chorale_host)
        if allocate is not None:
            memory = c.chorale_allocator(user, _on_allocate, _on_deallocate)
            self._struct.allocator = ctypes.pointer(memory)
        if log is not None:
            self._struct.log = _on_log
            self._struct.log_user = user

    def __enter__(self) -> Host:
        _entered.set((*_entered.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        _entered.set(_entered.get()[:-1])

    @property
    def blocks(self) -> int:
        """The number of memory blocks from `allocate` in use."""
        return len(self._blocks)

    @property
    def bytes(self) -> int:
        """The number of bytes from `allocate` in use."""
        return sum(list(self._blocks.values()))


def current() -> Host | None:
    """Returns the host of the innermost `with` block; None outside of all such blocks."""
    entered = _entered.get()
    return entered[-1] if entered else None


def lent() -> Any:
    """Returns a pointer to the C struct of the present host, which the library copies; None if
    there is no host."""
    host = current()
    return None if host is None else ctypes.byref(host._struct)


# Callbacks receive the number of a host instead of a pointer. A host is kept alive by the objects
# created with it, and by each block of memory that it has allocated, since C objects may outlive
# their Python objects.
_numbers = itertools.count(1)
_hosts: WeakValueDictionary[int, Host] = WeakValueDictionary()
_owners: dict[int, Host] = {}  # address of a block -> the host that allocated it


def _allocated(user: int, size: int, alignment: int) -> int | None:
    try:
        host = _hosts[user]
        assert host._allocate is not None
        given = host._allocate(size, alignment)
        if given is None:
            return None
        address = arrays.size("what allocate gave", given)
        if address == 0 or address % alignment:
            raise ValueError(f"allocate gave {address}, not a multiple of {alignment} above 0")
        if address in _owners:
            raise ValueError(f"allocate gave {address}, which is in use")
        host._blocks[address] = size
        _owners[address] = host
        return address
    except BaseException as error:
        hooks.put(error)
        return None


def _deallocated(_: Any, address: int, size: int, alignment: int) -> None:
    try:
        host = _owners.pop(address)  # first: after the release, allocate may return this address
        del host._blocks[address]
        assert host._release is not None
        host._release(address, size, alignment)
    except BaseException as error:
        hooks.put(error)


def _logged(user: int, level: int, message: bytes) -> None:
    try:
        host = _hosts.get(user)
        if host is not None and host._log is not None:
            host._log(level, message.decode("utf-8", "replace"))
    except BaseException as error:
        hooks.put(error)


_on_allocate = c.field_allocate(_allocated)
_on_deallocate = c.field_deallocate(_deallocated)
_on_log = c.chorale_log_function(_logged)
# When the interpreter ends, objects may be freed after this module and still call these callbacks.
# So the callbacks must never be freed.
for _thunk in (_on_allocate, _on_deallocate, _on_log):
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_thunk))
