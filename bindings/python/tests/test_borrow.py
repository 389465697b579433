"""Arrays are copied unless they are borrowed; borrowed arrays are read-only until given back."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import libchorale as ch
from libchorale import experimental

MESSAGE = "read-only"


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
    again = ch.decode(chains, tokens=tokens)
    assert [labels.tolist() for labels in again.labels] == [
        labels.tolist() for labels in expected.labels
    ]
    buffer[:] = rows[1]
    run.set_chain(0, buffer)
    buffer[:] = rows[0]
    run.solve()
    assert run.labels(0).tolist() == [1]


def test_a_reused_array_changes_no_table():
    scores, message, kinds = np.eye(2), np.array([5.0, 0.0, 0.0, 0.0]), np.array([0, 1])
    table = np.array([0, 1], dtype=np.int32)
    transitions = ch.Transitions(scores, start=scores[0], mask=scores > -1)
    said = experimental.Attachment(ch.Property.position_label(2, 1), message=message)
    before = experimental.Attachment(ch.Property.token_before(2, 1, values=2), table=table)
    labels = ch.LabelMap(2, 2, kinds)
    potential = ch.Potential.sum(np.array([[0.0, 1.0, 3.0], [0.0, 0.0, 0.0]]))
    scores[:], message[:], kinds[:], table[:] = -9.0, -9.0, 0, 9
    solver = ch.ChainSolver()
    assert solver.best([[0.0, 0.0]], transitions).score == 1.0
    assert solver.decode([[1.0, 0.0], [0.0, 2.0]], [said]).labels.tolist() == [0, 0]
    assert np.isfinite(solver.messages([[1.0, 0.0], [0.0, 2.0]], [before])[0][0]).any()
    assert labels.kind_of_label.tolist() == [0, 1]
    assert potential.evaluate([2, 0]) == 3.0


def every_borrowing_call(unary, edges, ids):
    """Yields objects that read the arrays in place as long as they live."""
    builder = ch.ModelBuilder()
    builder.add_chain(np.zeros(unary.shape))
    run = ch.Run(builder.freeze())
    run.set_chain(0, unary, borrow=True)
    yield run
    yield ch.Chain(unary, edges, forced=ids, borrow=True)
    builder = ch.ModelBuilder()
    builder.add_chain(unary, edges, tokens=ids, borrow=True)
    clique = builder.add_cliques(1, property=ch.Property.first_label(2), potential=ch.Potential.potts(2, 0.5)).start
    builder.add_members(clique, 0, tables=[ids], borrow=True)
    yield builder
    yield builder.freeze()


def test_borrowed_arrays_are_read_only_until_they_are_given_back():
    whole = np.zeros((6, 2))
    ids = np.array([0, 1, 0], dtype=np.int32)
    held = list(every_borrowing_call(whole[:3], np.zeros((2, 2)), ids))
    held.append(ch.Transitions(np.zeros((2, 2)), borrow=True))
    while held:
        with pytest.raises(ValueError, match=MESSAGE):
            whole[0, 0] = 1.0
        if len(held) > 1:
            with pytest.raises(ValueError, match=MESSAGE):
                whole[:3][0, 0] = 1.0
        held.pop(0)
        gc.collect()
        if len(held) == 1:  # only the Transitions are left, which read another array
            break
    whole[0, 0] = 1.0
    ids[0] = 1


def test_a_view_and_its_base_are_given_back_in_any_order():
    for first in (0, 1):
        whole = np.zeros((4, 2))
        view = whole[1:3]
        lent = [ch.Chain(view, borrow=True), ch.Chain(whole, borrow=True)]
        del lent[first]
        gc.collect()
        for array in (view, whole):
            with pytest.raises(ValueError, match=MESSAGE):
                array[0, 0] = 1.0
        lent.clear()
        gc.collect()
        view[0, 0] = whole[0, 0] = 1.0
    # An array that was read-only before it was borrowed stays read-only afterwards.
    whole.flags.writeable = False
    ch.Chain(whole, borrow=True)
    gc.collect()
    assert not whole.flags.writeable


def test_bytes_are_borrowed_too():
    builder = ch.ModelBuilder()
    builder.add_chain([[1.0, 2.0]])
    data = ch.Problem(builder.freeze()).to_bytes()
    memory = np.empty(len(data) + 64, dtype=np.uint8)
    shift = -memory.ctypes.data % 64
    place = memory[shift : shift + len(data)]
    place[:] = np.frombuffer(data, dtype=np.uint8)
    copied = ch.Problem.from_bytes(place)
    borrowed = ch.Problem.from_bytes(place, borrow=True)
    with pytest.raises(ValueError, match=MESSAGE):
        memory[:] = 0
    model = borrowed.model
    borrowed.close()
    del borrowed
    gc.collect()
    assert model.chain(0).unary.tolist() == [[1.0, 2.0]]
    with pytest.raises(ValueError, match=MESSAGE):
        place[:] = 0
    del model
    gc.collect()
    memory[:] = 0
    assert copied.model.chain(0).unary.tolist() == [[1.0, 2.0]]
