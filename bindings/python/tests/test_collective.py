from __future__ import annotations

import numpy as np
import pytest

import libchorale as ch

SCORES = [
    np.array([[2.0, 0.1, 0.2], [0.1, 2.2, 0.4]]),
    np.array([[1.8, 0.3, 0.1], [0.2, 1.9, 0.5]]),
    np.array([[0.9, 0.2, 0.7], [0.1, 1.0, 1.3]]),
]
WORDS = [["in", "Washington"], ["near", "Washington"], ["says", "Washington"]]
EDGES = np.array([[0.0, 0.2, 0.2], [0.0, 0.5, -1.0], [0.0, -1.0, 0.5]])


def test_words():
    names = ["Other", "Place", "Person"]
    result = ch.decode(
        SCORES, EDGES, tokens=WORDS, strength=1.2, names=names, bound_steps=50, threads=2
    )
    assert [labels.tolist() for labels in result.labels] == [[0, 1]] * 3
    assert [labels.tolist() for labels in result.own] == [[0, 1], [0, 1], [2, 2]]
    assert result.proven and result.score == pytest.approx(14.0)
    assert result.own_score == pytest.approx(12.8)
    (change,) = result.changed
    assert change.chain == 2 and change.before.tolist() == [2, 2]
    (reason,) = change.reasons
    assert (reason.what, reason.position, reason.own_value, reason.value) == ("word", 1, 2, 1)
    assert reason.amount == pytest.approx(1.6)
    shown = result._repr_html_()
    assert "Washington" in shown and "Place, no longer Person" in shown
    # Ids stay what they are.
    ids = [[0, 9], [1, 9], [2, 9]]
    again = ch.decode(SCORES, EDGES, tokens=ids, strength=1.2)
    assert again.score == result.score
    for options in ({"stop": ["Washington"]}, {"minimum": 4}, {"groups": ["a", "b", "c"]}):
        alone = ch.decode(SCORES, EDGES, tokens=WORDS, strength=1.2, **options)
        assert alone.changed == [] and alone.labels[2].tolist() == [2, 2]
    assert ch.decode(SCORES, EDGES, tokens=ids, strength=1.2, stop=[9]).changed == []


def test_properties():
    """What follows label 1 is 2 everywhere but in one chain of the first group."""
    after = ch.Property.next_label(3, 1)
    strong = np.array([[0.0, 3.0, 0.0], [0.0, 0.0, 3.0]])
    weak = np.array([[0.0, 3.0, 0.0], [1.1, 0.0, 1.0]])
    unaries, groups = [strong, strong, weak, weak], ["x", "x", "x", "y"]
    result = ch.decode(unaries, groups=groups, agree=after, strength=0.5)
    assert [labels.tolist() for labels in result.labels] == [[1, 2], [1, 2], [1, 2], [1, 0]]
    (reason,) = result.changed[0].reasons
    assert (reason.what, reason.group, reason.position) == (0, "x", -1)
    both = ch.decode(
        unaries,
        groups=groups,
        agree=[("word", 0.01), (after, 0.5)],
        tokens=[["a", str(i)] for i in range(4)],
    )
    assert [labels.tolist() for labels in both.labels] == [
        labels.tolist() for labels in result.labels
    ]
    assert both.changed[0].reasons[0].what == 1


def test_many_values():
    """Tokens before label 1, of a large vocabulary: those that fire, and all others as none."""
    before = ch.Property.token_before(2, 1, values=10_000)
    sure = np.array([[3.0, 0.0], [0.0, 3.0], [3.0, 0.0]])
    unsure = np.array([[3.0, 0.0], [1.0, 0.9], [0.9, 1.0]])
    result = ch.decode(
        [sure, sure, unsure],
        tokens=[[7000, 5, 1], [7000, 6, 2], [7000, 8, 3]],
        agree=before,
        strength=1.0,
    )
    assert result.own[2].tolist() == [0, 0, 1]
    assert result.labels[2].tolist() in ([0, 1, 0], [0, 1, 1])
    assert result.labels[2][1] == 1


def test_bad_input():
    for options, error, match in (
        ({}, TypeError, "tokens"),
        ({"tokens": WORDS[:2]}, ValueError, "tokens"),
        ({"tokens": ["in", "near", "says"]}, TypeError, "sequence of words"),
        ({"tokens": [["in"]] * 3}, ValueError, "positions"),
        ({"tokens": WORDS, "groups": [0]}, ValueError, "groups"),
        ({"tokens": WORDS, "agree": "words"}, TypeError, "agree"),
        ({"tokens": WORDS, "agree": [5]}, TypeError, "agree"),
        ({"tokens": WORDS, "strength": np.nan}, ValueError, None),
        ({"tokens": WORDS, "rounds": -1}, ValueError, None),
        ({"tokens": WORDS, "transitions": EDGES[:2]}, ValueError, "square"),
    ):
        with pytest.raises(error, match=match):
            ch.decode(SCORES, **options)
    with pytest.raises(ValueError, match="labels"):
        ch.decode([[[0.0, 0.0]], [[0.0]]], tokens=[[1], [1]])
    nothing = ch.decode([], tokens=[])
    assert nothing.labels == [] and nothing.score == 0.0
