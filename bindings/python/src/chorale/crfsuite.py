"""Scores of a CRFsuite model, for chains of Chorale.

    scores = Scores("model.crfsuite")
    unary = scores.unary(features)            # [T, m], features as python-crfsuite takes them
    builder.add_chain(unary, chorale.Transitions(scores.transitions))

A CRFsuite model is a sum of weights: one for each attribute of a position with its label, one for each pair of
neighbouring labels. Weights are read from the model file itself, where they stand in full; python-crfsuite's
`info()`, which rounds them to six digits, gives the names and must agree with what is read. Pairs of labels without
a weight score 0, attributes that the model does not know add nothing.

`check()` holds the scores to the tagger: the best labelling under them must be the tagger's own, and its
log-probability under them must be the tagger's own up to 1e-9. `unary()` checks every sequence unless told not to.
"""

import math
import os
import struct

import numpy as np
import pycrfsuite

__all__ = ["MismatchError", "Scores"]

_HEADER = struct.Struct("<4sI4sIIIIIIIII")
_FEATURES = struct.Struct("<4sII")
_FEATURE = np.dtype([("type", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
_STATE, _TRANSITION = 0, 1


class MismatchError(ValueError):
    """The scores are not those of the tagger."""


def _read_features(path):
    """All weights of a model file: an array of (type, source, target, weight)."""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < _HEADER.size:
        raise MismatchError("%s is shorter than the header of a CRFsuite model" % os.fspath(path))
    magic, _, kind, version, _, _, _, offset, _, _, _, _ = _HEADER.unpack_from(data)
    if magic != b"lCRF" or kind != b"FOMC":
        raise MismatchError("%s is not a first-order CRFsuite model" % os.fspath(path))
    if version != 100:
        raise MismatchError("%s is of version %d of CRFsuite's format, not 100" % (os.fspath(path), version))
    if offset + _FEATURES.size > len(data):
        raise MismatchError("%s ends before its weights" % os.fspath(path))
    chunk, _, count = _FEATURES.unpack_from(data, offset)
    start = offset + _FEATURES.size
    if chunk != b"FEAT" or start + count * _FEATURE.itemsize > len(data):
        raise MismatchError("%s ends inside its weights" % os.fspath(path))
    return np.frombuffer(data, _FEATURE, count, start)


class Scores:
    """The scores of a CRFsuite model.

    labels       names of the m labels, in the order of the scores
    transitions  [m, m] float64, row "from"
    tagger       the python-crfsuite tagger of the same model

    Not safe for use from several threads: a tagger is not.
    """

    def __init__(self, path):
        """Opens the model at `path`. Raises MismatchError where the file disagrees with the tagger's own dump."""
        self.tagger = pycrfsuite.Tagger()
        self.tagger.open(os.fspath(path))
        info = self.tagger.info()
        by_id = sorted((int(number), label) for label, number in info.labels.items())
        self.labels = [label for _, label in by_id]
        m = len(self.labels)
        if [number for number, _ in by_id] != list(range(m)):
            raise MismatchError("the labels of %s are not numbered from 0 to %d" % (os.fspath(path), m - 1))
        self._attributes = {attribute: int(number) for attribute, number in info.attributes.items()}
        self._weights = np.zeros((len(self._attributes), m))
        self.transitions = np.zeros((m, m))
        for kind, source, target, weight in _read_features(path).tolist():
            if kind == _STATE:
                self._weights[source, target] = weight
            elif kind == _TRANSITION:
                self.transitions[source, target] = weight
            else:
                raise MismatchError("%s has a weight of the unknown kind %d" % (os.fspath(path), kind))
        for (attribute, label), weight in info.state_features.items():
            self._compare(attribute, label, weight,
                          self._weights[self._attributes[attribute], int(info.labels[label])])
        for (source, target), weight in info.transitions.items():
            self._compare(source, target, weight,
                          self.transitions[int(info.labels[source]), int(info.labels[target])])

    @staticmethod
    def _compare(source, target, dumped, read):
        if not abs(dumped - read) <= 1e-6:
            raise MismatchError("the weight of %r and %r is %r in the file and %r in the dump"
                                % (source, target, read, dumped))

    def unary(self, features, check=True):
        """Unary scores [T, m] float64 of one sequence, whose features are as `pycrfsuite.Tagger.tag` takes them."""
        items = pycrfsuite.ItemSequence(features).items()
        scores = np.zeros((len(items), len(self.labels)))
        for row, item in zip(scores, items):
            for attribute, value in item.items():
                number = self._attributes.get(attribute)
                if number is not None:
                    row += self._weights[number] * value
        if check:
            self.check(features, scores)
        return scores

    def check(self, features, unary, tolerance=1e-9):
        """Raises MismatchError unless the best labelling under `unary` is the tagger's own, with the same
        log-probability. O(T m^2)."""
        own = self.tagger.tag(features)
        if len(own) != len(unary):
            raise MismatchError("the tagger labels %d positions, the scores have %d" % (len(own), len(unary)))
        if not own:
            return
        path, best, total = self._best_and_total(np.asarray(unary, dtype=np.float64))
        labels = [self.labels[y] for y in path]
        probability = self.tagger.probability(own)
        if labels != own:
            # two labellings may be equally good
            rival = self._score(unary, [self.labels.index(y) for y in own])
            if not abs(best - rival) <= tolerance:
                raise MismatchError("the best labelling is not the tagger's: it scores %r, the tagger's %r"
                                    % (best, rival))
            best = rival
        if probability > 0.0 and not abs(best - total - math.log(probability)) <= tolerance * max(1.0, abs(total)):
            raise MismatchError("the log-probability of the tagger's labelling is %r under the scores and %r by the "
                                "tagger" % (best - total, math.log(probability)))

    def _score(self, unary, path):
        return float(sum(unary[t, y] for t, y in enumerate(path))
                     + sum(self.transitions[a, b] for a, b in zip(path, path[1:])))

    def _best_and_total(self, unary):
        """The best labelling, its score, and the logarithm of the sum over all labellings."""
        best, total = unary[0].copy(), unary[0].copy()
        back = []
        for row in unary[1:]:
            reach = best[:, None] + self.transitions
            back.append(reach.argmax(axis=0))
            best = reach.max(axis=0) + row
            sums = total[:, None] + self.transitions
            peak = sums.max(axis=0)
            total = peak + np.log(np.exp(sums - peak).sum(axis=0)) + row
        path = [int(best.argmax())]
        for step in reversed(back):
            path.append(int(step[path[-1]]))
        peak = total.max()
        return path[::-1], float(best.max()), float(peak + np.log(np.exp(total - peak).sum()))
