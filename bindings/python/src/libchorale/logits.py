"""Scores of neural taggers, for chains: token-classification logits, and torchcrf layers.

Arrays are NumPy's; PyTorch tensors of any device and number type are accepted too, but PyTorch is
never imported.

    unaries = word_scores(logits, [encoding.word_ids(i) for i in range(len(texts))])
    transitions = scheme_transitions(label_names(model.config.id2label))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from .chain import Scheme, Transitions, mask

__all__ = ["label_names", "scheme_transitions", "torchcrf", "word_scores"]


def _array(value: Any) -> npt.NDArray[Any]:
    if callable(getattr(value, "detach", None)):
        value = value.detach().cpu()
        if "float16" in str(value.dtype):  # or bfloat16, which NumPy does not have
            value = value.float()
        value = value.numpy()
    return np.asarray(value)


def _numbers(name: str, value: Any, ndim: int) -> npt.NDArray[Any]:
    """Converts an array or a tensor; numbers narrower than 32 bits are widened."""
    array = _array(value)
    if array.ndim != ndim:
        raise ValueError(f"{name} has {array.ndim} dimensions (shape {array.shape}), not {ndim}")
    if array.dtype.kind != "f":
        raise TypeError(f"{name} has elements of type {array.dtype}, not floating point")
    return array.astype(np.float32) if array.dtype.itemsize < 4 else array


def label_names(id2label: Mapping[Any, str] | Sequence[str]) -> list[str]:
    """Returns the names of labels 0, 1, ... from a model's id2label, whose keys may be texts.

    >>> from libchorale.logits import label_names
    >>> label_names({"0": "O", "1": "B-PER"})
    ['O', 'B-PER']
    """
    if not isinstance(id2label, Mapping):
        return list(id2label)
    named = {int(number): name for number, name in id2label.items()}
    if sorted(named) != list(range(len(named))):
        raise ValueError(f"id2label has the keys {sorted(named)}, not 0 to {len(named) - 1}")
    return [named[number] for number in range(len(named))]


def scheme_transitions(names: Sequence[str], scheme: Scheme = "bio") -> Transitions:
    """Returns transitions for label names such as "O", "B-PER": score 0 for those that the
    labelling scheme allows, and all others forbidden."""
    allowed = mask(names, scheme)
    return Transitions(labels=len(allowed.start), mask=allowed)


def word_scores(
    logits: Any,
    word_ids: Sequence[Sequence[int | None]],
    *,
    texts: Sequence[int] | None = None,
    words: Sequence[int] | None = None,
    temperature: float = 1.0,
) -> list[npt.NDArray[Any]]:
    """Returns for each text the scores of its W words, W x K: the log-probabilities of K labels.

    logits       B x S x K, as a token-classification model returns them: B rows of S sub-tokens
    word_ids     for each row a list: the number of the word of each sub-token, or None if the
                 sub-token belongs to no word. A word gets the scores of its first sub-token
    texts        for each row the number of its text, if texts are divided into overlapping windows
                 (a tokenizer's `overflow_to_sample_mapping`): a word in several windows gets the
                 scores of the window with most context around the word. None: each row is a text
    words        number of words of each text. Words without a sub-token get equal scores for all
                 labels. None: a text ends with its last word that has a sub-token
    temperature  divides the logits: above 1, probabilities of an overconfident model become flatter

    >>> from libchorale.logits import word_scores
    >>> scores = word_scores([[[0.0, 0.0], [0.0, 9.0], [5.0, 0.0]]], [[None, 0, 0]])
    >>> np.round(np.exp(scores[0]), 3).tolist()
    [[0.0, 1.0]]
    """
    array = _numbers("logits", logits, 3)
    rows, width, labels = array.shape
    if labels == 0:
        raise ValueError("logits has no labels")
    if not temperature > 0:
        raise ValueError(f"temperature is {temperature}, not above 0")
    if len(word_ids) != rows:
        raise ValueError(f"word_ids has {len(word_ids)} rows; it must have those of logits, {rows}")
    owner = list(range(rows)) if texts is None else arrays.ints("texts", texts, size=rows).tolist()
    count = max(owner, default=-1) + 1
    if any(text < 0 for text in owner):
        raise ValueError(f"texts holds {min(owner)}, below 0")
    # For each text and word the place of its scores, as (context, row, sub-token). The context is
    # the number of sub-tokens of words before this sub-token in its row, or after it, whichever is
    # less. It is -1 if the row may begin in the middle of the word.
    places: list[dict[int, tuple[int, int, int]]] = [{} for _ in range(count)]
    inner: list[set[int]] = [set() for _ in range(count)]  # words with which not all rows begin
    firsts: list[dict[int, int]] = []  # for each row the first sub-token of each word
    for row, ids in enumerate(word_ids):
        if len(ids) > width:
            raise ValueError(
                f"word_ids has {len(ids)} entries in row {row}; it must have at most those of "
                f"logits, {width}"
            )
        first: dict[int, int] = {}
        for place, word in enumerate(ids):
            if word is not None:
                if arrays.integer("word_ids", word) < 0:
                    raise ValueError(f"word_ids holds {word}, below 0")
                first.setdefault(int(word), place)
        inner[owner[row]].update(list(first)[1:])
        firsts.append(first)
    for row, first in enumerate(firsts):
        inside = [place for place, word in enumerate(word_ids[row]) if word is not None]
        known = places[owner[row]]
        for word, place in first.items():
            # A row may begin in the middle of a word. Its first sub-token is then not the first one
            # of the word, and is used only if no other row has the word.
            cut = place == inside[0] and word in inner[owner[row]]
            context = -1 if cut else min(place - inside[0], inside[-1] - place)
            if word not in known or context > known[word][0]:
                known[word] = (context, row, place)
    made = []
    for text, known in enumerate(places):
        length = max(known, default=-1) + 1
        if words is not None:
            if len(words) != count:
                raise ValueError(f"words has {len(words)} entries for {count} texts")
            if length > words[text]:
                raise ValueError(
                    f"words[{text}] is {words[text]}, but word_ids holds word {length - 1}; it "
                    f"must be at least {length}"
                )
            length = words[text]
        scores = np.full((length, labels), -np.log(labels), dtype=array.dtype)
        for word, (_, row, place) in known.items():
            logit = array[row, place] / temperature
            logit -= logit.max()
            scores[word] = logit - np.log(np.exp(logit).sum())
        made.append(scores)
    return made


def torchcrf(
    emissions: Any, crf: Any, mask: Any = None
) -> tuple[list[npt.NDArray[Any]], Transitions]:
    """Converts a batch of emissions and a layer of pytorch-crf. Returns the unary scores of each
    sequence, T x m, and the transitions. Labellings score exactly as in the layer.

    emissions  S x B x m for B sequences, or B x S x m if crf.batch_first is true
    crf        the layer, with its transitions (m x m, from row to column), start_transitions and
               end_transitions
    mask       S x B, or B x S if crf.batch_first is true: true at the T positions of a sequence,
               which must be the first T of the S; None: true everywhere
    """
    scores = _numbers("emissions", emissions, 3)
    batch_first = getattr(crf, "batch_first", False)
    if not batch_first:
        scores = scores.transpose(1, 0, 2)
    count, length, labels = scores.shape
    lengths = np.full(count, length)
    if mask is not None:
        present = arrays.flags("mask", _array(mask)).astype(bool)
        shape, wanted = present.shape, "(B, S)" if batch_first else "(S, B)"
        present = present if batch_first else present.T
        if present.shape != (count, length):
            of = (count, length) if batch_first else (length, count)
            raise ValueError(f"mask has shape {shape}; it must be {wanted} = {of}")
        lengths = present.sum(axis=1)
        if (present != (np.arange(length) < lengths[:, None])).any():
            raise ValueError("mask has gaps: sequences must begin at the first position")
    edges = _numbers("transitions", crf.transitions, 2)
    if edges.shape != (labels, labels):
        raise ValueError(f"transitions has shape {edges.shape}; it must be {(labels, labels)}")
    transitions = Transitions(
        edges,
        _numbers("start_transitions", crf.start_transitions, 1),
        _numbers("end_transitions", crf.end_transitions, 1),
    )
    return [scores[i, : lengths[i]] for i in range(count)], transitions
