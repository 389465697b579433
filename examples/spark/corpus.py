"""Documents with planted names, as Parquet files whose rows are in no order.

A row is a sentence: `id`, `document`, `words`, `names` (by word: the word itself if it is a name,
else null), `scores` (by word: the log-probability of each of LABELS by a tagger) and `gold`. In one
document nearly all places of a name have the same label, person or place; in four documents of five
this is the usual label of the name. The scores of names are noisy, so agreement helps within
documents, and across them. Most documents have a few sentences, some have hundreds, and one, GIANT,
has many thousands.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

LABELS = ["O", "PERSON", "PLACE"]
TRANSITIONS = [[0.0, 0.0, 0.0], [0.0, 0.5, -1.0], [0.0, -1.0, 0.5]]
GIANT = "giant"

_NAMES, _FILLERS = 3000, 800
_WORDS = np.array([f"Name{k}" for k in range(_NAMES)] + [f"word{k}" for k in range(_FILLERS)])
_FILES = 8

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("document", pa.string()),
        ("words", pa.list_(pa.string())),
        ("names", pa.list_(pa.string())),
        ("scores", pa.list_(pa.list_(pa.float32()))),
        ("gold", pa.list_(pa.string())),
    ]
)


def write(folder: Path, documents: int, giant: int, seed: int) -> tuple[int, int]:
    """Writes `documents` documents; the last is a giant of `giant` sentences. Returns the numbers
    of rows and words. Document k is the same for any number of documents.
    """
    sizes, columns = [], []
    for number, document in enumerate(_documents(documents, giant, seed)):
        sizes.append(len(document[0]))
        columns.append(document)
    lengths, words, scores, gold = (np.concatenate(column) for column in zip(*columns))
    names = [f"d{k}" for k in range(documents - 1)] + [GIANT]
    table = pa.table(
        [
            pa.array(range(len(lengths))),
            pa.array(np.repeat(names, sizes)),
            _lists(lengths, pa.array(_WORDS).take(pa.array(words))),
            _lists(lengths, pa.array(_WORDS).take(pa.array(words, mask=words >= _NAMES))),
            _lists(lengths, pa.FixedSizeListArray.from_arrays(scores.ravel(), 3)),
            _lists(lengths, pa.array(LABELS).take(pa.array(gold))),
        ],
        SCHEMA.names,
    ).cast(SCHEMA)
    table = table.take(np.random.default_rng([seed, documents]).permutation(table.num_rows))
    folder.mkdir(parents=True)
    share = -(-table.num_rows // _FILES)
    for file in range(_FILES):
        part = table.slice(file * share, share)
        pq.write_table(part, folder / f"{file}.parquet", compression="none")
    return len(lengths), len(words)


def _documents(count: int, giant: int, seed: int) -> Iterator[tuple[Any, ...]]:
    """Yields for each document the length of each sentence and, for all its words, word after word:
    the number of the word, scores and gold label.
    """
    usual = np.random.default_rng(seed).integers(1, 3, _NAMES)
    for number in range(count):
        rng = np.random.default_rng([seed, number if number < count - 1 else 2**32])
        size = min(int(2 * rng.pareto(1.3)) + 1, 500) if number < count - 1 else giant
        lengths = rng.integers(3, 13, size)
        total = int(lengths.sum())
        own = rng.choice(_NAMES, 2 + int(size**0.5), replace=False)
        kinds = np.where(rng.random(len(own)) < 0.8, usual[own], 3 - usual[own])
        which = rng.integers(0, len(own), total)
        named = rng.random(total) < 0.3
        words = np.where(named, own[which], _NAMES + rng.integers(0, _FILLERS, total))
        other = rng.random(total) < 0.03
        gold = np.where(named, np.where(other, 3 - kinds[which], kinds[which]), 0)
        logits = rng.normal(size=(total, 3)) + 1.2 * np.eye(3)[gold]
        logits[:, 0] += np.where(named, -2.0, 3.0)
        scores = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        yield lengths, words, scores.astype(np.float32), gold


def _lists(lengths: Any, values: Any) -> Any:
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pa.ListArray.from_arrays(offsets, values)
