"""Exceptions on their way through C.

A callback must not unwind through the library. What it raises is put aside here, the callback asks
the library to stop, and the call that the library was made by raises it again.
"""

from __future__ import annotations

import signal
import threading
from collections import deque
from collections.abc import Iterable

from .errors import CallbackError


class Raised:
    """The exceptions of one callback object, until a call raises them again.

    The object may serve calls on several threads at once, and be called on workers of a run: an
    exception of one's own thread is preferred, otherwise the newest is taken. A few are kept.
    """

    def __init__(self) -> None:
        self._entries: deque[tuple[int, BaseException]] = deque(maxlen=8)
        self._lock = threading.Lock()

    def put(self, error: BaseException) -> None:
        with self._lock:
            self._entries.append((threading.get_ident(), error))

    def take(self) -> BaseException | None:
        own = threading.get_ident()
        with self._lock:
            if not self._entries:
                return None
            for index in range(len(self._entries) - 1, -1, -1):
                if self._entries[index][0] == own:
                    break
            else:
                index = len(self._entries) - 1
            error = self._entries[index][1]
            del self._entries[index]
            return error


class Interrupts:
    """`with interrupts:` around a call of the main thread: Ctrl-C sets `came`, for a callback to
    see, in the place of an exception out of whatever the interpreter does next, which would be lost
    if that is the entry of a callback. A handler of the program's own stays in force."""

    def __init__(self) -> None:
        self.came = False
        self._installed = False

    def __enter__(self) -> None:
        self.came = False
        self._installed = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )
        if self._installed:
            signal.signal(signal.SIGINT, self._note)

    def _note(self, *_: object) -> None:
        self.came = True

    def __exit__(self, *_: object) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)


class Carrying:
    """`with Carrying(sources):` around a call: if the library says that a callback stopped it, what
    the callback raised is raised in the place of that."""

    __slots__ = ("_sources",)

    def __init__(self, sources: Iterable[Raised]) -> None:
        self._sources = sources

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, CallbackError):
            for source in self._sources:
                original = source.take()
                if original is not None:
                    raise original from None
