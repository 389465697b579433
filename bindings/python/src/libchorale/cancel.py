"""A flag by which any thread requests that a computation ends early."""

from __future__ import annotations

from ._handle import Handle
from ._native import library
from .host import lent


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
        super().__init__(self._create(library.chorale_cancel_create, lent()))

    def set(self) -> None:
        with self._use() as cancel:
            library.chorale_cancel_raise(cancel)

    def clear(self) -> None:
        with self._use() as cancel:
            library.chorale_cancel_lower(cancel)

    def is_set(self) -> bool:
        with self._use() as cancel:
            return bool(library.chorale_cancel_is_raised(cancel))
