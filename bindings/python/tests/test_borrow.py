"""Arrays are copied unless they are borrowed; borrowed arrays are read-only."""

from __future__ import annotations

import numpy as np
import pytest

import libchorale as ch


def test_a_reused_array_changes_no_result():
    """All chains are made from one buffer, which is filled anew for each."""
    rows = np.array([[[2.0, 0.1]], [[0.2, 1.9]], [[0.9, 0.8]]])
    tokens = [[1], [2], [1]]
    expected = ch.decode([row.copy() for row in rows], tokens=tokens)
    buffer, ids = np.empty((1, 2)), np.empty(1, dtype=np.int32)
    edges, start = np.zeros((2, 2)), np.zeros(2)
    builder, chains = ch.ModelBuilder(), []
    for row, own in zip(rows, tokens):
        buffer[:], ids[:] = row, own
        builder.add_chain(buffer, edges, tokens=ids)
        chains.append(ch.Chain(buffer, edges, start=start))
        edges[:], start[:] = 0.0, 0.0
    clique = builder.add_cliques(1, property=ch.Property.first_label(2), potential=ch.Potential.potts(2, 0.5)).start
    classes = np.zeros(1, dtype=np.int32)
    builder.add_members(clique, 0, classes=[classes])
    builder.add_repeated_words(ch.Potential.potts(2, 1.0, scale="members"))
    buffer[:], ids[:], edges[:], start[:], classes[:] = 99.0, 7, 50.0, 50.0, 7
    model = builder.freeze()
    run = ch.Run(model)
    run.solve()
    assert run.labels().tolist() == [labels[0] for labels in expected.labels]
    for number, row in enumerate(rows):
        assert model.chain(number).unary.tolist() == chains[number].unary.tolist() == row.tolist()
        assert ch.ChainSolver().best(chains[number]).score == row.max()
    buffer[:] = rows[1]
    run.set_chain(0, buffer)
    buffer[:] = rows[0]
    run.solve()
    assert run.labels(0).tolist() == [1]


def test_a_reused_array_changes_no_table():
    scores, kinds = np.eye(2), np.array([0, 1])
    transitions = ch.Transitions(scores, start=scores[0], mask=scores > -1)
    labels = ch.LabelMap(2, 2, kinds)
    potential = ch.Potential.sum(np.array([[0.0, 1.0, 3.0], [0.0, 0.0, 0.0]]))
    scores[:], kinds[:] = -9.0, 0
    solver = ch.ChainSolver()
    assert solver.best([[0.0, 0.0]], transitions).score == 1.0
    assert labels.kind_of_label.tolist() == [0, 1]
    assert potential.evaluate([2, 0]) == 3.0


def test_borrowed_arrays_are_read_only():
    whole, ids = np.zeros((6, 2)), np.array([0, 1, 0], dtype=np.int32)
    builder = ch.ModelBuilder()
    builder.add_corpus(whole[:3], tokens=ids, borrow=True)
    for array in (whole, ids):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 1
    model = builder.freeze()
    assert np.shares_memory(model.chain(0).unary, whole)
