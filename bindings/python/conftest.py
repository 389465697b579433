"""Fixtures of all tests: the functions of the library that were called, random numbers, progress
bars, and names for doctests."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

called: set[str] = set()


class RecordingLibrary(ctypes.CDLL):
    """A library that records in `called` which of its functions are called."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)

        class Function(self._FuncPtr):
            _flags_ = self._FuncPtr._flags_
            _restype_ = self._FuncPtr._restype_

            def __call__(self, *given):
                called.add(self.__name__)
                return super().__call__(*given)

        self._FuncPtr = Function


plain = ctypes.CDLL
ctypes.CDLL = RecordingLibrary
try:
    import libchorale
finally:
    ctypes.CDLL = plain


@pytest.fixture
def called_functions() -> set[str]:
    return called


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers, the same in each run. The environment variable CHORALE_SEED sets the seed."""
    seed = int(os.environ.get("CHORALE_SEED") or 20240607)
    print(f"CHORALE_SEED={seed}")
    return np.random.default_rng(seed)


class Bar:
    """A progress bar with the interface of tqdm, which records the calls. made: all bars that a
    test has made."""

    made: list = []

    def __init__(self, **options: object) -> None:
        self.options, self.n, self.closed = options, 0, False
        Bar.made.append(self)

    def update(self, count: int) -> None:
        assert count > 0 and not self.closed
        self.n += count

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def bars() -> type[Bar]:
    Bar.made = []
    return Bar


@pytest.fixture(autouse=True)
def _names(doctest_namespace):
    """Provides doctests with the names of `from libchorale import *` and `import numpy as np`."""
    doctest_namespace["np"] = np
    doctest_namespace.update({name: getattr(libchorale, name) for name in libchorale.__all__})


def pytest_collection_modifyitems(items):
    """Moves test_every_stable_function_is_called behind all other tests, on which its result depends."""
    items.sort(key=lambda item: item.name == "test_every_stable_function_is_called")
