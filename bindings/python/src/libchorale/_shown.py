"""How results are shown."""

from __future__ import annotations

import numpy as np


class Shown:
    """A dataclass in whose text arrays are shown by type and shape alone."""

    def __repr__(self) -> str:
        told = []
        for name, value in vars(self).items():
            array = isinstance(value, np.ndarray)
            told.append(f"{name}={f'{value.dtype}{list(value.shape)}' if array else repr(value)}")
        return f"{type(self).__name__}({', '.join(told)})"
