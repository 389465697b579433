"""The tagger: scores of each label for each token of a reference, and of each label after another.

A CRF, trained by train.py with CRFsuite. The file has its weights in half precision: train.py
checks that this changes no score by much. No other part of CRFsuite is needed to tag, since the
best labels under the scores are found by libchorale.
"""

from __future__ import annotations

import functools
import importlib.resources
import io
import lzma
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .features import attributes
from .gazetteers import Gazetteer

OTHER = "Other"
LABELS = [
    OTHER, "Author", "Editor", "Title", "Venue", "Series", "Edition", "Volume", "Issue", "Pages", "Date",
    "Publisher", "Location", "Genre", "Identifier",
]

Floats = npt.NDArray[np.float32]


class Tagger:
    """The weights of a tagger.

    names: the attributes; labels, weights: for each weight its label and its value, those of
    attribute k being [offsets[k], offsets[k + 1]); transitions: m x m scores of a label (column)
    after a label (row)."""

    def __init__(
        self,
        names: Sequence[str],
        offsets: npt.NDArray[np.int64],
        labels: npt.NDArray[np.uint8],
        weights: npt.NDArray[np.float16],
        transitions: npt.NDArray[np.float64],
        gazetteer: Gazetteer,
    ) -> None:
        self._parts = names, offsets, labels, weights, transitions
        self.gazetteer = gazetteer
        self.transitions = transitions
        self._numbers = {name: number for number, name in enumerate(names)}
        self._table: Floats = np.zeros((len(names), len(LABELS)), dtype=np.float32)
        self._table[np.repeat(np.arange(len(names)), np.diff(offsets)), labels] = weights

    def scores(self, tokens: Sequence[str], spaces: Sequence[str]) -> Floats:
        """Returns the score of each label for each token, T x m. spaces: the white space before
        each token."""
        numbers, ends, number_of = [], [0], self._numbers.get
        for row in attributes(tokens, spaces, self.gazetteer.kinds(tokens)):
            numbers += [n for n in map(number_of, row) if n is not None]
            ends.append(len(numbers))
        if not tokens:
            return np.zeros((0, len(LABELS)), dtype=np.float32)
        # Every token has the attribute "bias", so no stretch of numbers is empty.
        return np.add.reduceat(self._table[np.array(numbers)], ends[:-1], axis=0)

    @classmethod
    def of(
        cls, names: Sequence[str], weights: Floats, transitions: npt.NDArray[np.float64], gazetteer: Gazetteer
    ) -> Tagger:
        """Returns the tagger with these weights, one row of LABELS for each attribute; weights that are 0
        are left out."""
        order = sorted((k for k in range(len(names)) if weights[k].any()), key=lambda k: names[k])
        rows, labels = np.nonzero(weights[order])
        offsets = np.searchsorted(rows, np.arange(len(order) + 1))
        values = weights[order][rows, labels].astype(np.float16)
        return cls([names[k] for k in order], offsets, labels.astype(np.uint8), values, transitions, gazetteer)

    def weights(self) -> tuple[Sequence[str], Floats]:
        """Returns the attributes, and for each a row of weights of LABELS."""
        return self._parts[0], self._table

    def to_bytes(self) -> bytes:
        """Returns the weights as a file; the gazetteer has a file of its own."""
        names, offsets, labels, weights, transitions = self._parts
        text = np.frombuffer("\n".join(names).encode(), dtype=np.uint8)
        file = io.BytesIO()
        np.savez(
            file, names=text, counts=np.diff(offsets).astype(np.uint8), labels=labels, weights=weights,
            transitions=transitions,
        )
        return lzma.compress(file.getvalue(), preset=9 | lzma.PRESET_EXTREME)

    @classmethod
    def from_bytes(cls, data: bytes, gazetteer: Gazetteer) -> Tagger:
        with np.load(io.BytesIO(lzma.decompress(data)), allow_pickle=False) as file:
            names = file["names"].tobytes().decode().split("\n")
            offsets = np.concatenate([[0], np.cumsum(file["counts"], dtype=np.int64)])
            return cls(names, offsets, file["labels"], file["weights"], file["transitions"], gazetteer)

    @classmethod
    def load(cls, folder: Any) -> Tagger:
        """Returns the tagger of a folder, a path that has tagger.xz and gazetteer.xz."""
        gazetteer = Gazetteer.from_bytes((folder / "gazetteer.xz").read_bytes())
        return cls.from_bytes((folder / "tagger.xz").read_bytes(), gazetteer)


@functools.lru_cache(maxsize=1)
def shipped() -> Tagger:
    """Returns the tagger that comes with the package."""
    return Tagger.load(importlib.resources.files(__package__) / "data")
