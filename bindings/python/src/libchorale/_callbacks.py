"""Carries exceptions of callbacks through C.

An exception of a callback must not unwind through the C library. So it is stored here, and the
callback asks the library to stop. `_work.work`, which called the library, then raises the stored
exception.
"""

from __future__ import annotations

import threading
from collections import deque


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
        with self._lock:
            own = [entry for entry in self._entries if entry[0] == threading.get_ident()]
            found = own or list(self._entries)
            if not found:
                return None
            self._entries.remove(found[-1])
            return found[-1][1]
