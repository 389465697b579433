"""Calls of the library that may take long or run callbacks, made such that the exceptions of signal
handlers and of callbacks come out of them.

Python runs signal handlers in the main thread, when this thread executes Python. So while the main
thread is inside the library no handler runs, except at the entry of a callback, where its exception
is lost, since C cannot pass it on. Therefore the main thread lets a helper thread make the call,
and waits in Python. If a handler raises an exception, the main thread sets the call's cancel flag,
waits until the call has ended, and passes the exception on. Other threads run no signal handlers;
they make their calls themselves.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from ctypes import POINTER, c_int64, cast
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from ._callbacks import Raised
from ._declarations import Struct
from ._native import call, handles, struct
from .errors import CallbackError, CapacityError

# Seconds after which the waiting main thread looks for signals that did not wake it: those that
# another thread of the process received and, on Windows, all.
_POLL = 0.05


def work(
    function: Callable[..., int],
    *arguments: Any,
    stop: Any = None,
    sources: Sequence[Raised] = (),
) -> None:
    """Calls a function of the library as `_native.call` does. Raises what a callback raised instead
    of the library's error.

    stop     a `cancel.Stop`, the cancel flag of this call; None: the call cannot be cancelled, and
             an exception of a signal handler comes out of it only when it has ended
    sources  where callbacks of the call store their exceptions, besides those of the handles among
             its arguments
    """
    sources = [*sources, *(source for handle in handles(arguments) for source in handle._raised)]
    helper = None
    if (stop is not None or sources) and threading.current_thread() is threading.main_thread():
        helper = _helper()
    if helper is None:
        _carrying(function, arguments, sources)
        return
    job = _Job(function, arguments, sources)
    try:
        helper.put(job)
        job.wait()
    except BaseException:
        job.give_up(stop)
        raise
    finally:
        _idle.append(helper)
    if job.error is not None:
        try:
            raise job.error
        finally:
            job.error = None  # otherwise the exception and its traceback would refer to each other


def told(kind: Any, function: Callable[..., int], *arguments: Any, **how: Any) -> Any:
    """Returns what a function of the library writes to its last argument before the error: a
    number, or a struct. kind: its type."""
    made = struct(kind) if issubclass(kind, Struct) else kind()
    work(function, *arguments, made, **how)
    return made if isinstance(made, Struct) else made.value


def entries(function: Callable[..., int], kind: Any, *arguments: Any, **how: Any) -> list[Any]:
    """Returns the structs that a function of the library writes to an array, as tuples of their
    fields. kind: the type of the structs."""
    needed = c_int64()

    def fill(capacity: int) -> list[Any]:
        found = np.empty(capacity, dtype=np.dtype(kind))
        to = cast(found.ctypes.data, POINTER(kind))
        work(function, *arguments, to, found.itemsize, capacity, needed, **how)
        return list(found[: needed.value].tolist())

    try:  # most lists fit, and a second call would compute the entries again
        return fill(1024)
    except CapacityError:
        return fill(needed.value)


def at_caller(function: Callable[..., Any], *arguments: Any) -> Any:
    """In a callback of the library: calls a function on the thread that called the library. If the
    function raises an exception there, the call ends with it, and the answer here is True."""
    job = getattr(_present, "job", None)
    return function(*arguments) if job is None else job.ask(function, arguments)


def _carrying(
    function: Callable[..., int], arguments: tuple[Any, ...], sources: Sequence[Raised]
) -> None:
    try:
        call(function, *arguments)
    except CallbackError:
        for source in sources:
            original = source.take()
            if original is not None:
                raise original from None
        raise


class _Job:
    """A call that a helper thread makes for the main thread. A signal can interrupt each method of
    the main thread between any two instructions; so what it tells the helper is said by single
    operations on queues and dictionaries."""

    error: BaseException | None = None

    def __init__(self, *what: Any) -> None:
        self._what = what
        self._context = copy_context()
        self._taken: dict[str, str] = {}  # "by": the thread that decided whether the call is made
        self._ended = False
        self._asked: SimpleQueue[Any] = SimpleQueue()  # what the main thread must call; None: ended
        self._answers: SimpleQueue[Any] = SimpleQueue()

    # ---- The main thread

    def wait(self) -> None:
        """Waits until the call has ended, and meanwhile calls the functions that it asks for."""
        while True:
            try:
                asked = self._asked.get(timeout=_POLL)
            except Empty:
                continue
            if asked is None:
                return
            function, arguments = asked
            self._answers.put(function(*arguments))

    def give_up(self, stop: Any) -> None:
        """Ends the call, and waits until it has ended. Raises the last exception that came
        meanwhile."""
        came = None
        while True:
            try:
                if self._taken.setdefault("by", "main thread") != "helper":
                    break  # the helper will not make the call
                if stop is not None:
                    stop.set()
                self._answers.put(True)  # to a question that was removed from the queue
                while not self._ended:
                    try:
                        if self._asked.get(timeout=_POLL) is not None:
                            self._answers.put(True)
                    except Empty:
                        pass
                if stop is not None:
                    stop.release()
                break
            except BaseException as error:
                came = error
        if came is not None:
            try:
                raise came
            finally:
                came = None

    # ---- The helper

    def run(self) -> None:
        if self._taken.setdefault("by", "helper") != "helper":
            return
        _present.job = self
        try:
            self._context.run(_carrying, *self._what)
        except BaseException as error:
            self.error = error
        finally:
            _present.job = None
            self._ended = True
            self._asked.put(None)

    def ask(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        self._asked.put((function, arguments))
        return self._answers.get()


_present = threading.local()  # .job: the job that this thread does as a helper
_idle: list[SimpleQueue[_Job]] = []  # the queues of the helpers that have nothing to do
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a child process has no helpers


def _helper() -> SimpleQueue[_Job] | None:
    """Returns the queue of an idle helper thread; None if the system gives no further thread, as
    when the interpreter ends."""
    try:
        return _idle.pop()
    except IndexError:
        jobs: SimpleQueue[_Job] = SimpleQueue()
    try:
        threading.Thread(target=_help, args=(jobs,), name="libchorale", daemon=True).start()
    except RuntimeError:
        return None
    return jobs


def _help(jobs: SimpleQueue[_Job]) -> None:
    while True:
        jobs.get().run()
