"""The base model: a linear-chain CRF (CRFsuite) and its scores, kept on disk.

Training is the slow part of every experiment, and each model serves many measurements. So the cache
folder keeps the outcome of each *fit*: the unary scores of the test records by a model of all
training records, and the unary scores of every training record by a model that has not seen its
group (cross-fitting). Strengths are tuned on the latter, and stacking learns from them.
"""

import hashlib
import os
import re
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pycrfsuite
from scipy.sparse import csr_matrix

from datasets import folds
from scored import Scored

MISSING = -100.0  # the score of a label that does not occur in the training records
OPTIONS = {"c1": 0.0, "c2": 0.5, "max_iterations": 80, "feature.minfreq": 1}


def train(rows, labels):
    """Trains a CRF. rows: by record and position, a list of strings; labels: by record, label
    numbers. Returns (state, transitions): {(attribute, label): weight} and {(from, to): weight}."""
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params(OPTIONS)
    for row, gold in zip(rows, labels):
        trainer.append(row, [str(label) for label in gold])
    handle, path = tempfile.mkstemp(suffix=".crfsuite")
    os.close(handle)
    try:
        trainer.train(path)
        return weights(path)
    finally:
        os.unlink(path)


def weights(path):
    """Returns the weights of a CRFsuite model, as train() does, from the dump of its file."""
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    info = tagger.info()
    tagger.close()
    state = {(a, int(label)): w for (a, label), w in info.state_features.items()}
    transitions = {(int(a), int(b)): w for (a, b), w in info.transitions.items()}
    return state, transitions


def scores(data, features, state, transitions, records, extra=None):
    """Returns the unary scores of records (a list of T x m arrays) and the m x m transition scores.
    extra: as for fit_records."""
    m = len(data.labels)
    seen = sorted({label for _, label in state})
    width = len(features.numbers)
    names = {}
    if extra is not None:
        for r in records:
            for row in extra[r]:
                for name in row:
                    names.setdefault(name, width + len(names))
    dense = np.zeros((width + len(names), m), dtype=np.float32)
    for (attribute, label), w in state.items():
        number = int(attribute) if attribute.isdigit() else names.get(attribute)
        if number is not None:
            dense[number, label] = w
    unary = []
    for r in records:
        first, last = data.starts[r], data.starts[r + 1]
        bounds = features.bounds[first:last + 1]
        ids = features.ids[bounds[0]:bounds[-1]]
        matrix = csr_matrix((np.ones(len(ids), np.float32), ids, bounds - bounds[0]),
                            shape=(last - first, width))
        block = matrix @ dense[:width]
        if extra is not None:
            for t, row in enumerate(extra[r]):
                block[t] += dense[[names[name] for name in row]].sum(axis=0)
        block[:, [v for v in range(m) if v not in seen]] = MISSING
        unary.append(np.ascontiguousarray(block, dtype=np.float32))
    matrix = np.zeros((m, m), dtype=np.float32)
    for (a, b), w in transitions.items():
        matrix[a, b] = w
    return unary, matrix


def strings(data, features, record, extra=None):
    """Returns the features of a record as CRFsuite takes them: by position, a list of strings."""
    first, last = data.starts[record], data.starts[record + 1]
    rows = [[str(i) for i in features.ids[features.bounds[t]:features.bounds[t + 1]]]
            for t in range(first, last)]
    if extra is not None:
        rows = [row + more for row, more in zip(rows, extra[record])]
    return rows


def fit_records(data, features, training, scored, extra=None):
    """Trains on the records `training`. Returns what scores() returns for the records `scored`.
    extra: {record: by position, a list of more features}; no name may be digits alone."""
    rows = [strings(data, features, r, extra) for r in training]
    state, transitions = train(rows, [data.records[r].labels for r in training])
    return scores(data, features, state, transitions, scored, extra)


class Store:
    """Arrays on disk by key. A key must contain everything on which its arrays depend."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def path(self, key):
        text = re.sub("[^A-Za-z0-9.-]+", "_", key)[:80]
        return self.folder / f"{text}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.npz"

    def get(self, key, make):
        """Returns the arrays of a key. make() makes them (a dictionary) the first time."""
        path = self.path(key)
        if path.exists():
            with np.load(path) as arrays:
                return dict(arrays)
        arrays = make()
        part = path.with_suffix(f".{os.getpid()}.part.npz")
        np.savez(part, **arrays)
        os.replace(part, path)
        return arrays


def pack(prefix, unary, transitions):
    return {f"{prefix}.unary": np.concatenate(unary), f"{prefix}.transitions": transitions}


def unpack(arrays, prefix, data, records):
    lengths = np.cumsum([len(data.records[r].tokens) for r in records])[:-1]
    parts = np.split(arrays[f"{prefix}.unary"], lengths)
    matrix = arrays[f"{prefix}.transitions"]
    return Scored(list(records), [np.ascontiguousarray(p) for p in parts], [matrix] * len(records))


def fit(store, data, features, train_groups, test_groups, number, tag="base", extra=None):
    """Makes one fit, or reads it from the store. Returns (training records with cross-fitted
    scores, test records), both as Scored; the first is empty for stacking.

    features: the Features of the set, or a function that makes them (called only if needed).
    Another base model is an object with a method `fit_records`, which takes the arguments of
    fit_records() above that follow `features`.
    tag: names the features; begins with "stacked" for stacking.
    extra: None or, for stacking, as in fit_records()."""
    training, test = data.of_groups(train_groups), data.of_groups(test_groups)
    parts = [data.of_groups(fold) for fold in folds(data, train_groups, number)]
    key = (f"{tag} {data.name} {len(data.records)} {len(data.starts)} {sorted(OPTIONS.items())} "
           f"{data.labels} {training} {test} {parts}")

    def make():
        f = features() if callable(features) else features
        of_records = getattr(f, "fit_records", None) or partial(fit_records, data, f)
        arrays = pack("test", *of_records(training, test, extra))
        for k, part in enumerate(parts):
            if tag.startswith("stacked"):  # stacked models need no tuning
                break
            inside = set(part)
            rest = [r for r in training if r not in inside]
            arrays |= pack(f"fold{k}", *of_records(rest, part, extra))
        return arrays

    arrays = store.get(key, make)
    held_out = Scored([], [], [])
    if not tag.startswith("stacked"):
        for k, part in enumerate(parts):
            scored = unpack(arrays, f"fold{k}", data, part)
            held_out.records += scored.records
            held_out.unary += scored.unary
            held_out.transitions += scored.transitions
    return held_out, unpack(arrays, "test", data, test)
