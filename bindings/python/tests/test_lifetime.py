"""What C borrows lives as long as C needs it, and no longer; nothing leaks."""

from __future__ import annotations

import ctypes
import gc
import weakref

import numpy as np
import pytest

import libchorale as ch
from libchorale import experimental


def trash():
    """Overwrites freed memory of the sizes that the tests use."""
    gc.collect()
    return [np.full((8, 3), np.nan) for _ in range(200)]


def model_of_temporaries():
    builder = ch.ModelBuilder()
    rng = np.random.default_rng(5)
    tokens = rng.integers(0, 5, (4, 8))
    for i in range(4):
        transitions = ch.Transitions(rng.normal(size=(3, 3)))
        chain = ch.Chain(
            rng.normal(size=(8, 3)),
            transitions,
            start=rng.normal(size=3),
            allowed=rng.random((8, 3)) < 0.9,
        )
        builder.add_chain(chain, tokens=tokens[i].astype(np.int32))
    strength = ch.Potential.callback(3, lambda counts, members: float((counts**2).sum()) / members)
    builder.add_repeated_words(strength, across=True)
    clique = builder.add_cliques(1, property=ch.Property.token_before(3, 1, values=5), dictionary=experimental.Dictionary([1, 2, 3], unlisted=True), potential=ch.Potential.potts(4, 0.5)).start
    for i in range(4):
        builder.add_members(clique, i, tables=[tokens[i].astype(np.int32)])
    return builder.freeze()


def test_a_model_needs_no_array_of_the_caller():
    copied, model = model_of_temporaries(), model_of_temporaries()
    copied = ch.Run(copied)
    junk = trash()
    run = ch.Run(model)
    model.close()
    del model
    junk += trash()
    expected, result = copied.solve(), run.solve()
    assert result == expected
    assert run.labels().tolist() == copied.labels().tolist()
    assert run.model.closed


def test_arrays_are_let_go():
    unary = np.zeros((3, 2))
    seen = weakref.ref(unary)
    builder = ch.ModelBuilder()
    builder.add_corpus(unary, [0, 3], transitions=ch.Transitions(labels=2), borrow=True)
    del unary
    holders = [builder.freeze()]
    del builder
    holders.append(ch.Run(holders[0]))
    holders.append(holders[0].chain(0))
    while len(holders) > 1:
        del holders[0]
        gc.collect()
        assert seen() is not None
    assert holders[0].score([0, 0, 0]) == 0.0
    view = holders[0].unary
    del holders
    gc.collect()
    assert seen() is not None
    del view
    gc.collect()
    assert seen() is None


def test_copied_arrays_are_not_kept():
    unary = np.zeros((3, 2))
    seen = weakref.ref(unary)
    builder = ch.ModelBuilder()
    builder.add_chain(unary)
    del unary
    gc.collect()
    assert seen() is None
    assert ch.Run(builder.freeze()).solve().score == 0.0


def test_chains_of_set_chain_are_kept():
    builder = ch.ModelBuilder()
    builder.add_chain(np.zeros((8, 3)))
    run = ch.Run(builder.freeze())
    run.set_chain(0, np.ones((8, 3)), ch.Transitions(np.ones((3, 3))))
    junk = trash()
    assert run.solve().score == 15.0
    assert junk


def test_callbacks_and_flags_are_kept():
    cancel = ch.Cancel()
    builder = ch.ModelBuilder()
    builder.add_chain(np.zeros((1, 2)))
    told = []
    run = ch.Run(builder.freeze(), cancel=cancel, progress=lambda p: told.append(p))
    del cancel
    trash()
    run.solve()
    assert told


def in_use():
    """Returns the number of bytes that malloc has handed out and that have not been freed."""

    class Info(ctypes.Structure):
        _fields_ = [
            (name, ctypes.c_size_t)
            for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks".split()
            + ["fordblks", "keepcost"]
        ]

    try:
        mallinfo2 = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        pytest.skip("no mallinfo2")
    mallinfo2.restype = Info
    gc.collect()
    info = mallinfo2()
    return info.uordblks + info.hblkhd


def use_everything():
    model = model_of_temporaries()
    run = ch.Run(model, bound_steps=1, progress=lambda p: None)
    run.solve()
    run.reasons(0)
    model.chain(0)
    ch.Run(model, earlier=run, rounds=1).solve()
    problem = ch.Problem(ch.ModelBuilder().freeze())
    problem.notes = {"a": "b"}
    ch.Problem.from_bytes(problem.to_bytes()).model.close()


def fail_everywhere():
    def fails(*_):
        raise LookupError

    builder = ch.ModelBuilder()
    builder.add_chain(np.zeros((2, 2)), tokens=[0, 0])
    builder.add_repeated_words(ch.Potential.callback(2, fails))
    model = builder.freeze()
    for call in (
        lambda: ch.Run(model).solve(),
        lambda: ch.Run(model, progress=fails).solve(),
        lambda: ch.Run(model, damping=5.0, cancel=ch.Cancel()),
        lambda: ch.CliqueSolver().solve(ch.Potential.callback(2, fails), np.zeros((2, 2))),
        lambda: ch.Potential.potts(0, 1.0),
        lambda: ch.Transitions([[np.nan]]),
        lambda: ch.Property.first_label(0),
        lambda: experimental.Dictionary([-1]),
        lambda: builder.add_chain([[0.0]]),
        lambda: ch.Problem.from_bytes(b"not one"),
    ):
        with pytest.raises((LookupError, ch.Error)):
            call()


@pytest.mark.parametrize("work", [use_everything, fail_everywhere])
def test_nothing_leaks(work):
    """Repeats the work until memory no longer grows. Caches of the interpreter and of NumPy stop
    growing when they are full; a leak never stops."""
    before = in_use()
    canary = np.empty(1 << 20, dtype=np.uint8)
    if in_use() - before < canary.nbytes:
        pytest.skip("memory is not counted (under a sanitizer)")
    rounds, grown = 5, []
    for _ in range(50):
        before = in_use()
        for _ in range(rounds):
            work()
        grown.append(in_use() - before)
        if grown[-1] < 16 * rounds:
            return
    pytest.fail(f"{grown} bytes in {rounds} rounds each")


def test_a_leak_is_seen():
    kept = []
    with pytest.raises(pytest.fail.Exception, match="bytes"):
        test_nothing_leaks(lambda: kept.append(ch.Potential.potts(2, 1.0)))
