"""Carries exceptions of callbacks through C.

An exception of a callback must not unwind through the C library. So it is stored here, and the
callback asks the library to stop. The Python function that called the library then raises the
stored exception.
"""

from __future__ import annotations

import signal
import threading
from collections import deque
from collections.abc import Iterable

from .errors import CallbackError


class Raised:
    """Stores the exceptions of the callbacks of one object, such as a potential or a run, until a
    call into the library raises them again.

    The callbacks may run on several threads at once, also on worker threads of a run. A call raises
    the newest exception that a callback raised on the thread of the call; if there is none, the
    newest of all. Only the newest few are stored.
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
    """A context for a call into the library. During the call, Ctrl-C in the main thread does not
    raise KeyboardInterrupt, but sets `came`, which a callback of the library checks. The exception
    would be lost if it were raised just when a callback is entered. If the program has installed a
    handler for SIGINT, nothing is changed."""

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
    """A context, `with Carrying(sources):`, for a call into the library. sources: the `Raised`
    objects in which callbacks of the call store exceptions. If the call fails because a callback
    stopped it, raises the stored exception instead of the library's error."""

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
