"""Training on with further references."""

import itertools
import pathlib
import random
import sys
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "training"))

import libchorale as ch
import refine
from chorale_references.gazetteers import Gazetteer
from chorale_references.tagger import LABELS, Tagger


class Record(NamedTuple):
    tokens: list
    labels: list
    spaces: list


def log_likelihood(scores, labels, lengths, transitions):
    total, first = 0.0, 0
    for length in lengths:
        of = scores[first : first + length]

        def score(path):
            return sum(of[t, y] for t, y in enumerate(path)) + sum(transitions[a, b] for a, b in zip(path, path[1:]))

        paths = [score(path) for path in itertools.product(range(scores.shape[1]), repeat=length)]
        total += score(labels[first : first + length]) - np.logaddexp.reduce(paths)
        first += length
    return total


def test_the_gradient_is_that_of_the_likelihood():
    generator = np.random.default_rng(20261129)
    lengths = np.array([3, 1, 4])
    scores, transitions = generator.normal(0, 2, (8, 3)), generator.normal(0, 2, (3, 3))
    labels = generator.integers(0, 3, 8)
    of_scores, of_transitions = refine.gradient(scores, labels, lengths, transitions)
    for values, found in ((scores, of_scores), (transitions, of_transitions)):
        for at in np.ndindex(values.shape):
            value, sides = values[at], []
            for change in (1e-5, -1e-5):
                values[at] = value + change
                sides.append(log_likelihood(scores, labels, lengths, transitions))
            values[at] = value
            assert abs((sides[0] - sides[1]) / 2e-5 - found[at]) < 1e-6


def test_what_is_typed_is_learnt_and_what_was_known_is_kept():
    draw = random.Random(1)
    typed, known = [], []
    for _ in range(40):
        number, year = str(draw.randint(1, 99)), str(draw.randint(1950, 2020))
        typed.append(Record(["Nature", number, "/", year], ["Venue", "Issue", "Other", "Date"], ["", " ", "", ""]))
        known.append(Record(["Science", number, "(", year, ")"], ["Venue", "Volume", "Other", "Date", "Other"], ["", " ", " ", "", ""]))
    nothing = np.zeros((len(LABELS), len(LABELS)))
    gazetteer = Gazetteer.of((record.tokens, record.labels) for record in known)
    start = Tagger.of(["bias"], np.full((1, len(LABELS)), 0.1), nothing, gazetteer)
    tagger = refine.refine(start, typed, known)
    solver, transitions = ch.ChainSolver(), ch.Transitions(tagger.transitions)
    for record in (typed[0], known[0]):
        best = solver.best(tagger.scores(record.tokens, record.spaces), transitions).labels
        assert [LABELS[label] for label in best] == record.labels
    assert refine.refine(start, typed, known).to_bytes() == tagger.to_bytes()
