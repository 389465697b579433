"""The calls of `ChainSolver` in scratch memory of the caller, so that the C library allocates
nothing."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from . import _arrays as arrays
from ._native import call, library
from .errors import InUseError
from .message import MessageCalls


class Kernel(MessageCalls):
    """The calls of a chain solver in fixed scratch memory. Allows one call at a time; kernels on
    different memory may be used at the same time.

    memory: a number of bytes (see `bytes_needed`), or a writable, contiguous uint8 array whose
    address is a multiple of 64.

    >>> Kernel(4096).best([[1.0, 0.0], [0.0, 2.0]]).labels.tolist()
    [0, 1]
    """

    def __init__(self, memory: int | arrays.Bytes) -> None:
        if isinstance(memory, np.ndarray):
            if memory.dtype != np.uint8:
                raise TypeError(f"memory has elements of type {memory.dtype}, not uint8")
            if memory.ndim != 1 or not memory.flags.c_contiguous or not memory.flags.writeable:
                raise ValueError("memory is not a writable, contiguous array of one dimension")
            self.memory = memory
        else:
            self.memory = arrays.aligned(arrays.size("memory", memory))
        self._lock = threading.Lock()

    def _invoke(self, name: str, *arguments: Any) -> None:
        if not self._lock.acquire(blocking=False):
            raise InUseError("this Kernel is in use: it serves one call at a time")
        try:
            call(
                getattr(library, "chorale_kernel_" + name),
                arrays.address(self.memory),
                len(self.memory),
                *arguments,
            )
        finally:
            self._lock.release()
