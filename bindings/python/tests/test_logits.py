from __future__ import annotations

import math
import re
import types

import numpy as np
import pytest
from oracle import chain_score, labellings

import libchorale as ch
from libchorale.logits import label_names, scheme_transitions, torchcrf, word_scores


class Tensor:
    """An array with the methods and attributes of a PyTorch tensor that `logits` uses."""

    def __init__(self, array, dtype="torch.float32"):
        self._array, self.dtype = np.asarray(array), dtype
        self.shape = self._array.shape

    def detach(self):
        return self

    cpu = detach

    def float(self):
        return Tensor(self._array.astype(np.float32))

    def numpy(self):
        if self.dtype == "torch.bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self._array


def log_softmax(row):
    return row - math.log(np.exp(row).sum())


def test_first_sub_tokens(rng):
    logits = rng.normal(size=(2, 5, 3)).astype(np.float32)
    ids = [[None, 0, 0, 1, None], [None, 0, 2, 2, None]]
    first, second = word_scores(logits, ids, temperature=2.0)
    assert first.dtype == np.float32
    np.testing.assert_allclose(first[0], log_softmax(logits[0, 1] / 2), rtol=1e-5)
    np.testing.assert_allclose(first[1], log_softmax(logits[0, 3] / 2), rtol=1e-5)
    assert len(second) == 3
    # Word 1 has no sub-token, so its labels have equal scores.
    np.testing.assert_allclose(second[1], [-math.log(3)] * 3, rtol=1e-6)
    longer = word_scores(logits, ids, words=[4, 3])
    assert [len(scores) for scores in longer] == [4, 3]
    for tensor in (Tensor(logits), Tensor(logits, "torch.bfloat16")):
        again = word_scores(tensor, ids, temperature=2.0)
        np.testing.assert_array_equal(again[0], first)
    half = word_scores(logits.astype(np.float16), ids)
    assert half[0].dtype == np.float32
    assert word_scores(logits.astype(np.float64), ids)[0].dtype == np.float64
    for scores in longer:
        ch.ChainSolver().best(scores)


def test_windows_are_merged(rng):
    """The first text has seven words, in three overlapping windows of up to five sub-tokens. The
    second text has one window."""
    logits = rng.normal(size=(4, 5, 2))
    ids = [
        [None, 0, 1, 2, 3],
        [2, 3, 4, 5, None],
        [5, 5, 6, None, None],
        [0, 1, None, None, None],
    ]
    first, second = word_scores(logits, ids, texts=[0, 0, 0, 1])
    # Word 3 ends the first window; in the second it has context on both sides, so the second is
    # used. Word 2 begins the second window and word 5 the third, which may therefore lack the first
    # sub-token of the word. So the first window is used for word 2, the second for word 5.
    for word, (row, place) in enumerate([(0, 1), (0, 2), (0, 3), (1, 1), (1, 2), (1, 3), (2, 2)]):
        np.testing.assert_allclose(first[word], log_softmax(logits[row, place]), err_msg=str(word))
    assert len(first) == 7 and len(second) == 2


def test_bad_logits():
    good = np.zeros((1, 2, 3))
    for logits, ids, options, error in (
        (np.zeros((2, 3)), [[0, 1]], {}, ValueError),
        (np.zeros((1, 2, 3), dtype=int), [[0, 1]], {}, TypeError),
        (np.zeros((1, 2, 0)), [[0, 1]], {}, ValueError),
        (good, [], {}, ValueError),
        (good, [[0, 1, 2]], {}, ValueError),
        (good, [[0, -1]], {}, ValueError),
        (good, [[0, 0.5]], {}, TypeError),
        (good, [[0, 1]], {"temperature": 0.0}, ValueError),
        (good, [[0, 1]], {"temperature": math.nan}, ValueError),
        (good, [[0, 1]], {"texts": [0, 1]}, ValueError),
        (good, [[0, 1]], {"texts": [-1]}, ValueError),
        (good, [[0, 1]], {"words": [1]}, ValueError),
        (good, [[0, 1]], {"words": [2, 2]}, ValueError),
    ):
        with pytest.raises(error):
            word_scores(logits, ids, **options)
    with pytest.raises(ValueError, match=r"^words\[0\] is 1, but word_ids .* 1; .* at least 2$"):
        word_scores(good, [[0, 1]], words=[1])


def test_labels():
    assert label_names({1: "B-X", 0: "O", 2: "I-X"}) == ["O", "B-X", "I-X"]
    assert label_names(["O", "X"]) == ["O", "X"]
    with pytest.raises(ValueError, match="keys"):
        label_names({0: "O", 2: "X"})
    transitions = scheme_transitions(["O", "B-X", "I-X"])
    best = ch.ChainSolver().best([[1.0, 0.0, 5.0], [1.0, 0.0, 5.0]], transitions)
    assert best.labels.tolist() == [1, 2]


@pytest.mark.parametrize("batch_first", [False, True])
def test_torchcrf(rng, batch_first):
    labels, lengths = 3, [4, 2, 1]
    crf = types.SimpleNamespace(
        transitions=Tensor(rng.normal(size=(labels, labels)).astype(np.float32)),
        start_transitions=Tensor(rng.normal(size=labels).astype(np.float32)),
        end_transitions=Tensor(rng.normal(size=labels).astype(np.float32)),
        batch_first=batch_first,
    )
    emissions = rng.normal(size=(3, 4, labels)).astype(np.float32)
    present = np.arange(4) < np.array(lengths)[:, None]
    if not batch_first:
        emissions, present = emissions.transpose(1, 0, 2).copy(), present.T.copy()
    unaries, transitions = torchcrf(Tensor(emissions), crf, present)
    assert [len(unary) for unary in unaries] == lengths
    assert all(np.shares_memory(unary, emissions) for unary in unaries)
    for unary in unaries:
        best = ch.ChainSolver().best(unary, transitions)
        scores = [
            chain_score(
                unary,
                y,
                crf.transitions.numpy(),
                crf.start_transitions.numpy(),
                crf.end_transitions.numpy(),
            )
            for y in labellings(len(unary), labels)
        ]
        assert best.score == pytest.approx(max(scores))
    assert len(torchcrf(emissions, crf)[0][2]) == 4
    gap = present.copy()
    gap[(0, 0)] = False
    with pytest.raises(ValueError, match="gaps"):
        torchcrf(emissions, crf, gap)
    shape = re.escape(str(present.shape))
    with pytest.raises(ValueError, match=rf"^mask has .*; it must be \([SB], [SB]\) = {shape}$"):
        torchcrf(emissions, crf, present[:2])
    crf.transitions = np.zeros((2, 2))
    with pytest.raises(ValueError, match="transitions"):
        torchcrf(emissions, crf)
