"""Scores of a CRFsuite model, for chains. Needs the package python-crfsuite.

    scores = crfsuite.Scores("model.crfsuite")  # or a fitted sklearn_crfsuite.CRF
    transitions = Transitions(scores.transitions)
    for features in corpus:  # as python-crfsuite takes them
        builder.add_chain(scores.unary(features), transitions)

A CRFsuite model scores a labelling by a sum of weights: one for each attribute of a position and
the position's label, and one for each pair of neighbouring labels. The weights, and the names of
attributes and labels, are read from the model file itself. (python-crfsuite's `info()` rounds
weights to six digits, and cannot read names that hold newlines or arrows.) Pairs of labels without
a weight score 0; attributes that the model does not know add nothing.

`RuleTagger` is a tagger whose labels keep rules.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .collective import decode
from .rules import Given, Rule, RuledChain

__all__ = ["MismatchError", "RuleTagger", "Scores"]

Doubles = npt.NDArray[np.float64]

# Fields of a model file's header, as in lib/crf/src/crf1d_model.c of CRFsuite: magic, size, type,
# version; the numbers of features, labels and attributes; the offsets of features, labels,
# attributes and of two tables of references.
_HEADER = struct.Struct("<4sI4sIIIIIIIII")
# Fields of a dictionary of names, as in lib/cqdb/src/cqdb.c: magic, size, flags, a number that
# shows the byte order; the number of names, and the offset of a table with the offset of each
# name's record. A record is the name's number, and the length of the name with a zero byte at its
# end, followed by the name. Offsets count from the start of the dictionary.
_NAMES = struct.Struct("<4sIIIII")
_RECORD = struct.Struct("<II")
_FEATURES = struct.Struct("<4sII")
_FEATURE = np.dtype([("type", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
_STATE, _TRANSITION = 0, 1


class MismatchError(ValueError):
    """Raised if a model file cannot be read."""


def _read_features(path: str, data: bytes) -> npt.NDArray[Any]:
    """Returns all weights of a model file as records (type, source, target, weight). The type is
    _STATE (source: an attribute) or _TRANSITION (source: the label before); target: a label."""
    if len(data) < _HEADER.size:
        raise MismatchError(f"{path} is shorter than the header of a CRFsuite model")
    magic, _, kind, version, _, _, _, offset, _, _, _, _ = _HEADER.unpack_from(data)
    if magic != b"lCRF" or kind != b"FOMC":
        raise MismatchError(f"{path} is not a first-order CRFsuite model")
    if version != 100:
        raise MismatchError(f"{path} is of version {version} of CRFsuite's format, not 100")
    if offset + _FEATURES.size > len(data):
        raise MismatchError(f"{path} ends before its weights")
    chunk, _, count = _FEATURES.unpack_from(data, offset)
    start = offset + _FEATURES.size
    if chunk != b"FEAT" or start + count * _FEATURE.itemsize > len(data):
        raise MismatchError(f"{path} ends inside its weights")
    return np.frombuffer(data, _FEATURE, count, start)


def _read_names(path: str, data: bytes, what: str, count: int, offset: int) -> list[str]:
    """Returns the names of a model file's dictionary at `offset`. what: "labels" or "attributes".
    count: their number according to the header."""
    wrong = MismatchError(f"{path} has no dictionary of {count} {what} at byte {offset}")
    try:
        magic, _, _, _, size, table = _NAMES.unpack_from(data, offset)
        if magic != b"CQDB" or size != count:
            raise wrong
        names = []
        for number, at in enumerate(struct.unpack_from(f"<{count}I", data, offset + table)):
            own, length = _RECORD.unpack_from(data, offset + at)
            begin = offset + at + _RECORD.size
            name = data[begin : begin + length]
            if own != number or len(name) != length or not name.endswith(b"\0"):
                raise wrong
            names.append(name[:-1].decode("utf-8", "surrogateescape"))
    except struct.error:
        raise wrong from None
    return names


class Scores:
    """The scores of a CRFsuite model. For one thread at a time, since the tagger that it contains
    allows no more. Can be pickled: the pickle contains the model file.

    model: the path of a model file, or a fitted `sklearn_crfsuite.CRF`. Raises `MismatchError` if
    the file cannot be read.

    labels       names of the m labels, in the order of the scores
    transitions  m x m: entry [x, y] is the score of label y after label x
    tagger       a python-crfsuite tagger of the same model
    """

    def __init__(self, model: Any) -> None:
        if hasattr(model, "modelfile"):
            if model.tagger_ is None:
                raise ValueError("the CRF has not been fitted")
            model = model.modelfile.name
        name: str = os.fspath(model)
        with open(name, "rb") as file:
            self.__setstate__((name, file.read()))

    def __getstate__(self) -> tuple[str, bytes]:
        return self._name, self._data

    def __setstate__(self, state: tuple[str, bytes]) -> None:
        try:
            import pycrfsuite
        except ModuleNotFoundError:
            raise ImportError(
                "models of CRFsuite are read by python-crfsuite: pip install 'libchorale[crfsuite]'"
            ) from None

        self._name, self._data = name, data = state
        features = _read_features(name, data)
        *_, m, count, _, of_labels, of_attributes, _, _ = _HEADER.unpack_from(data)
        self.labels: list[str] = _read_names(name, data, "labels", m, of_labels)
        attributes = _read_names(name, data, "attributes", count, of_attributes)
        self._attributes = {text: number for number, text in enumerate(attributes)}
        self._items = pycrfsuite.ItemSequence
        self.tagger = pycrfsuite.Tagger()
        self.tagger.open_inmemory(data)  # the tagger reads these bytes, which `_data` keeps alive
        self._weights: Doubles = np.zeros((count, m))
        self.transitions: Doubles = np.zeros((m, m))
        for kind, source, target, weight in features.tolist():
            table = {_STATE: self._weights, _TRANSITION: self.transitions}.get(kind)
            if table is None or source >= len(table) or target >= m:
                raise MismatchError(
                    f"{name} has a weight ({kind}, {source}, {target}) for an attribute or label "
                    "that does not exist"
                )
            table[source, target] = weight

    def unary(self, features: Any) -> Doubles:
        """Returns the unary scores of one sequence, T x m. features: as `pycrfsuite.Tagger.tag`
        takes them."""
        items = self._items(features).items()
        scores: Doubles = np.zeros((len(items), len(self.labels)))
        for position, (row, item) in enumerate(zip(scores, items)):
            parts = [item]
            if not isinstance(features, self._items):
                given = features[position]
                if not isinstance(given, Mapping) and len(given) != len(item):
                    # Some attributes of a list are equal. The tagger adds the weights of each, but
                    # `items` has it once.
                    parts = self._items([[attribute] for attribute in given]).items()
            for attribute, value in (pair for part in parts for pair in part.items()):
                number = self._attributes.get(attribute)
                if number is not None:
                    row += self._weights[number] * value
        return scores


class RuleTagger:
    """A tagger with the methods of `pycrfsuite.Tagger` whose labels keep rules (`rules.py`).
    Provisional until 1.0. So one line of a parser changes:

        usaddress.TAGGER = RuleTagger(usaddress.MODEL_PATH, [rules.once()])

    model   as for `Scores`
    rules   rules about labels, by their names
    ruled   what the rules did to the last sequence, a `rules.RuledChain`; None: it kept them
    proven  whether the labels of the last sequence are proven to be the best

    `tag` gives the best labels that keep the rules, or the tagger's own where the rules exclude
    each other (`ruled` says so). All other methods are those of the tagger.
    """

    def __init__(self, model: Any, rules: Rule | Sequence[Rule]) -> None:
        self.scores = Scores(model)
        labels = self.scores.labels
        self.rules = Given(rules, labels, "plain", None, len(labels)).rules
        self.ruled: RuledChain | None = None
        self.proven = True
        self._given: Any = []

    def set(self, xseq: Any) -> None:
        self._given = xseq
        self.scores.tagger.set(xseq)

    def tag(self, xseq: Any = None) -> list[str]:
        if xseq is not None:
            self.set(xseq)
        unary = self.scores.unary(self._given)
        transitions, names = self.scores.transitions, self.scores.labels
        result = decode([unary], transitions, names=names, rules=self.rules)
        self.ruled = result.ruled[0] if result.ruled else None
        self.proven = result.proven
        return [names[label] for label in result.labels[0].tolist()]

    def __getattr__(self, name: str) -> Any:
        if name == "scores":
            raise AttributeError(name)
        return getattr(self.scores.tagger, name)
