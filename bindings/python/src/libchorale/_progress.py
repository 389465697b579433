"""Progress bars with the interface of tqdm."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any, Literal, Union

# The argument `progress` of calls that can show a progress bar. None: a bar of tqdm, if tqdm is
# installed and the standard error is a terminal; False: no bar; otherwise a function that is called
# with arguments of `tqdm.tqdm` and returns a bar.
Bars = Union[Callable[..., Any], Literal[False], None]


def _tqdm() -> Callable[..., Any] | None:
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    made: Callable[..., Any] = tqdm
    return made


class Bar:
    """A progress bar, or none if `progress` asks for none. A bar of tqdm appears after a second of
    work, and is removed at the end.

    what   the text at the bar
    total  number of steps; None: unknown
    left   those that are not done
    """

    def __init__(self, progress: Bars, what: str, total: int | None, unit: str = "step") -> None:
        self.left = total
        make = _tqdm() if progress is None else progress
        self._bar: Any = None
        if callable(make):
            self._bar = make(total=total, desc=what, unit=unit, delay=1, leave=False)

    def step(self, count: int = 1, keep: int = 0) -> None:
        """Moves the bar by some steps, if the total is known by no more than leave `keep` steps."""
        if self.left is not None:
            count = max(0, min(count, self.left - keep))
            self.left -= count
        if self._bar is not None and count:
            self._bar.update(count)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None and self.left is not None:
            self.step(self.left)
        if self._bar is not None:
            self._bar.close()


def watched(progress: Bars, batches: Iterable[Any], what: str, unit: str) -> Iterator[Any]:
    """Yields the given batches, and moves a progress bar by one step for each."""
    total = len(batches) if isinstance(batches, Sized) else None
    with Bar(progress, what, total, unit) as bar:
        for batch in batches:
            yield batch
            bar.step()
