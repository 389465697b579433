"""Calls for many chains, cliques or members make the same problem, byte by byte, as calls for one.
"""

from __future__ import annotations

import numpy as np
import pytest

import libchorale as ch

LABELS = 3


def drawn(rng):
    """Returns random offsets, scores, tokens and groups of a few chains, some of them empty."""
    lengths = rng.integers(0, 4, size=int(rng.integers(1, 9)))
    offsets = int(rng.integers(0, 3)) + np.concatenate([[0], np.cumsum(lengths)])
    scores = rng.integers(0, 32, size=(int(offsets[-1]), LABELS)) / 16.0
    tokens = rng.integers(-1, 4, size=len(scores))
    return offsets, scores, tokens, rng.integers(-2, 3, size=len(lengths))


def ragged(rng, entries):
    """Divides some entries at random into three parts, which may be empty. Returns the four offsets
    of the parts, and the entries."""
    parts = np.sort(rng.integers(0, 3, size=len(entries)))
    return np.searchsorted(parts, range(4)), entries


def saved(builder):
    return ch.Problem(builder.freeze()).to_bytes()


@pytest.mark.parametrize("element", [np.float64, np.float32])
@pytest.mark.parametrize("borrow", [False, True])
def test_a_corpus_is_its_chains(rng, element, borrow):
    transitions = ch.Transitions(rng.normal(size=(LABELS, LABELS)))
    for _ in range(20):
        offsets, scores, tokens, groups = drawn(rng)
        scores = scores.astype(element)
        layout = np.asfortranarray(scores) if rng.random() < 0.5 else scores
        whole, single = ch.ModelBuilder(), ch.ModelBuilder()
        numbers = whole.add_corpus(
            layout, offsets, transitions=transitions, tokens=tokens, groups=groups, borrow=borrow
        )
        assert numbers == range(len(groups))
        for first, last, group in zip(offsets, offsets[1:], groups.tolist()):
            single.add_chain(
                scores[first:last], transitions, tokens=tokens[first:last], group=group
            )
        potential = ch.Potential.potts(LABELS, 0.5)
        assert whole.add_repeated_words(potential) == single.add_repeated_words(potential)
        model = whole.freeze()
        assert model.chain_lengths.tolist() == np.diff(offsets).tolist()
        assert ch.Problem(model).to_bytes() == saved(single)
        assert layout.flags.writeable is not (borrow and layout.size > 0) or layout.size == 0


def test_single_items_with_nothing_beside(rng):
    scores = rng.normal(size=(4, 2))
    whole, single = ch.ModelBuilder(), ch.ModelBuilder()
    assert whole.add_corpus(scores[:2], transitions=[[0.5, 0.0], [0.0, 0.5]]) == range(2)
    assert whole.add_corpus(scores[2:].tolist()) == range(2, 4)
    shared = ch.Transitions([[0.5, 0.0], [0.0, 0.5]])
    for number, row in enumerate(scores):
        single.add_chain(row[None], shared if number < 2 else None)
    assert saved(whole) == saved(single)
    assert ch.ModelBuilder().add_corpus(np.empty((0, 2))) == range(0)


def test_cliques_and_their_members(rng):
    first = ch.Property.first_label(LABELS)
    for _ in range(20):
        lengths = rng.integers(1, 4, size=4)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        scores = rng.normal(size=(int(offsets[-1]), LABELS))
        places = np.flatnonzero(rng.random(len(scores)) < 0.7)
        chains = np.searchsorted(offsets, places, side="right") - 1
        positions = places - offsets[chains]
        ends, _ = ragged(rng, places)
        whole_ends, whole = ragged(rng, np.arange(4))
        potential = ch.Potential.potts(LABELS, 0.25, scale="members")
        many, single = ch.ModelBuilder(), ch.ModelBuilder()
        for builder in (many, single):
            builder.add_corpus(scores, offsets)
        of_positions = many.add_cliques(3, potential=potential)
        of_chains = many.add_cliques(3, potential=potential, property=first)
        assert (of_positions, of_chains) == (range(3), range(3, 6))
        many.add_members(0, chains, positions, offsets=ends)
        many.add_members(3, whole, offsets=whole_ends)
        for _ in range(3):
            single.add_cliques(1, potential=potential).start
        for _ in range(3):
            single.add_cliques(1, potential=potential, property=first).start
        for clique in range(3):
            for entry in range(ends[clique], ends[clique + 1]):
                single.add_members(clique, int(chains[entry]), int(positions[entry]))
            for entry in range(whole_ends[clique], whole_ends[clique + 1]):
                single.add_members(3 + clique, int(whole[entry]))
        assert saved(many) == saved(single)


def test_all_or_nothing():
    def fresh():
        builder = ch.ModelBuilder()
        builder.add_corpus(np.zeros((4, 2)), [0, 2, 4])
        builder.add_cliques(2, potential=ch.Potential.potts(2, 1.0))
        return builder

    nan = np.array([[0.0, 0.0], [0.0, np.nan]])
    expected = saved(fresh())
    for call, match in (
        (lambda b: b.add_corpus(nan), r"scores\[1\]"),
        (lambda b: b.add_corpus(np.zeros((2, 2)), tokens=[0, -2]), r"tokens\[1\]"),
        (lambda b: b.add_corpus(np.zeros((2, 2)), [0, 2, 1]), r"offsets\[2\]"),
        (lambda b: b.add_corpus(np.zeros((2, 2)), [-1, 2]), r"offsets\[0\]"),
        (lambda b: b.add_corpus(np.zeros((2, 2)), [0, 3]), "offsets holds 3"),
        (lambda b: b.add_corpus(np.zeros((2, 2)), []), "offsets is empty"),
        (lambda b: b.add_corpus(np.zeros((2, 2)), groups=[1]), "groups has 1"),
        (lambda b: b.add_corpus(np.zeros((2, 2)), tokens=[1]), "tokens"),
        (lambda b: b.add_corpus(np.zeros((2, 2)), transitions=np.zeros((3, 3))), "labels"),
        (lambda b: b.add_corpus(np.zeros((2, 2)), transitions=np.zeros((3, 2))), "transitions"),
        (lambda b: b.add_members(0, [0, 1], [0, 9], offsets=[0, 1, 2]), r"chains\[1\]: position is 9"),
        (lambda b: b.add_members(0, [0, 7], offsets=[0, 1, 2]), r"chains\[1\]"),
        (lambda b: b.add_members(0, [0, 1], [0], offsets=[0, 1, 2]), "positions has 1"),
        (lambda b: b.add_members(1, [0, 1], offsets=[0, 1, 2]), "first"),
        (lambda b: b.add_members(0, [0, 0], offsets=[0, 2]), None),  # one position twice
        (lambda b: b.add_members(0, [0], [-1]), None),  # chains for cliques of positions
        (lambda b: b.add_cliques(-1, potential=ch.Potential.potts(2, 1.0)), "count"),
    ):
        builder = fresh()
        with pytest.raises(ValueError, match=match):
            call(builder)
        assert saved(builder) == expected
