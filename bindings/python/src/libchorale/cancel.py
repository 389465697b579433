"""A flag by which any thread requests that a computation ends early."""

from __future__ import annotations

import threading
from typing import Any
from weakref import WeakSet

from ._handle import Handle, optional
from ._native import library

# Held while flags that follow each other change. Reentrant, since a signal handler may set a flag.
_changing = threading.RLock()


class Cancel(Handle):
    """A flag that ends computations early when set; initially not set. Any thread may set it at any
    time, also while a run reads it.

    >>> cancel = Cancel()
    >>> cancel.set(); cancel.is_set()
    True
    >>> cancel.clear(); cancel.is_set()
    False
    """

    _free = library.chorale_cancel_destroy

    def __init__(self) -> None:
        super().__init__(self._create(library.chorale_cancel_create, None))
        self._followers: WeakSet[Stop] = WeakSet()

    def set(self) -> None:
        with _changing, self._use() as cancel:
            library.chorale_cancel_raise(cancel)
            for follower in self._followers:
                follower.set()

    def clear(self) -> None:
        with _changing, self._use() as cancel:
            library.chorale_cancel_lower(cancel)
            for follower in self._followers:
                follower.clear()

    def is_set(self) -> bool:
        with self._use() as cancel:
            return bool(library.chorale_cancel_is_raised(cancel))


class Stop(Cancel):
    """The cancel flag of one run or one call, which ends when a signal handler raises an exception.
    Follows the flag that the caller gave, if any: is set and cleared with it."""

    def __init__(self, given: Any = None) -> None:
        super().__init__()
        self._given: Cancel | None = None
        self.follow(given)

    def follow(self, given: Any) -> None:
        """Follows another flag, or none, from now on."""
        optional("cancel", given, Cancel)
        with _changing:
            if self._given is not None:
                self._given._followers.discard(self)
            self._given = given
            if given is not None:
                given._followers.add(self)
            self.release()

    def release(self) -> None:
        """Is set from now on only if the flag that it follows is."""
        with _changing:
            if self._given is not None and self._given.is_set():
                self.set()
            else:
                self.clear()
