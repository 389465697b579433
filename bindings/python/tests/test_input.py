"""Bad input of any kind raises a Python exception."""

from __future__ import annotations

import copy
import math
import pickle
import threading

import numpy as np
import pytest

import libchorale as ch
from libchorale import experimental

AGREE = ch.Potential.potts(2, 1.0)


@pytest.mark.parametrize(
    "value, error, match",
    [
        (np.zeros((2, 2), dtype=complex), TypeError, "complex"),
        (np.zeros((2, 2), dtype=np.longdouble), TypeError, "float128|longdouble"),
        (np.array([["a", "b"]]), TypeError, "<U1"),
        (np.array([[None, 1.0]]), TypeError, "object"),
        (np.zeros(2), ValueError, "dimensions"),
        (np.zeros((1, 2, 2)), ValueError, "dimensions"),
        (np.ma.masked_array(np.zeros((2, 2))), TypeError, "masked"),
        ([[0.0, 1.0], [2.0]], ValueError, "scores|unary"),
        ([["a", "b"]], TypeError, "scores|unary"),
        ("ab", ValueError, "dimensions"),
        (None, ValueError, "dimensions"),
        (5, ValueError, "dimensions"),
        (np.zeros((0, 2)), ValueError, None),
        (np.zeros((2, 0)), ValueError, None),
        ([[math.nan, 0.0]], ValueError, "NaN|nan"),
        ([[math.inf, 0.0]], ValueError, None),
        ([[1e300, 0.0]], ValueError, None),
    ],
)
def test_scores(value, error, match):
    with pytest.raises(error, match=match):
        ch.CliqueSolver().solve(AGREE, value)
    if not (isinstance(value, np.ndarray) and 0 in value.shape):
        with pytest.raises(error, match=match):
            ch.ChainSolver().best(value)
        with pytest.raises(error, match=match):
            ch.ModelBuilder().add_chain(value)


UNREADABLE = [  # arrays that cannot be read in place
    (np.zeros((2, 2), dtype=np.float16), TypeError, "float16"),
    (np.zeros((2, 2), dtype=np.int64), TypeError, "int64"),
    (np.zeros((2, 2), dtype=">f8"), TypeError, ">f8"),
    (np.zeros((2, 2)).T[::-1], ValueError, "strides"),
    (np.broadcast_to(np.zeros(2), (5, 2)), ValueError, "strides"),
    (np.zeros(17, dtype=np.uint8)[1:].view(np.float64).reshape(1, 2), ValueError, "aligned"),
]


@pytest.mark.parametrize("value, error, match", UNREADABLE)
def test_what_cannot_be_read_in_place_cannot_be_borrowed(value, error, match):
    with pytest.raises(error, match=f"scores .*{match}.*without borrow=True it is copied"):
        ch.ModelBuilder().add_corpus(value, borrow=True)
    assert ch.Chain(value).unary.tolist() == value.tolist()
    assert ch.ModelBuilder().add_chain(value) == 0
    assert ch.ChainSolver().best(value).score == 0.0
    assert ch.CliqueSolver().solve(AGREE, value).score == len(value) ** 2


def test_arrays_are_converted():
    solver = ch.CliqueSolver()
    expected = solver.solve(AGREE, [[1.0, 0.0], [0.0, 2.0]]).score
    values = np.array([[1.0, 0.0], [0.0, 2.0]])
    for given in (
        values.astype(np.float32),
        values.astype(np.int8),
        values.astype(">f8"),
        values.T,
        np.asfortranarray(values),
        values[::-1],
    ):
        assert solver.solve(AGREE, given).score == expected
    # If one of two arrays is float32 and the other float64, both become float64.
    third = np.full((2, 2), 1 / 3)
    both = ch.ChainSolver().best(np.zeros((2, 2), dtype=np.float32), third)
    assert both.score == 1 / 3


def test_small_integers():
    solver = ch.CliqueSolver()
    scores = np.zeros((3, 2))
    for fixed in ([0, 1, -1], np.array([0, 1, -1], dtype=np.int8), (0, 1, -1)):
        assert solver.solve(AGREE, scores, fixed=fixed).labels[:2].tolist() == [0, 1]
    for wrong, error in (
        ([0.0, 1.0, 0.0], TypeError),
        ([True, False, True], TypeError),
        (["0", "1", "0"], TypeError),
        ([0, 1], ValueError),
        ([0, 1, 2], ValueError),
        ([[0, 1, 0]], ValueError),
        ([0, 1, 2**40], ValueError),
        (np.array([0, 1, 2**63], dtype=np.uint64), ValueError),
        ([0, 1, 2**80], TypeError),
    ):
        with pytest.raises(error, match="fixed"):
            solver.solve(AGREE, scores, fixed=wrong)
    with pytest.raises(ValueError, match="algorithm"):
        solver.solve(AGREE, scores, algorithm="alpha_passs")
    with pytest.raises(ValueError, match="algorithm is 10, not one of 'auto', "):
        solver.solve(AGREE, scores, algorithm=10)
    with pytest.raises(TypeError, match="unexpected keyword argument 'itertions'"):
        solver.solve(AGREE, scores, itertions=5)
    with pytest.raises(ValueError, match="64 bits"):
        solver.solve(AGREE, scores, node_limit=2**64)
    with pytest.raises(TypeError, match="cancel"):
        solver.solve(AGREE, scores, cancel=True)
    with pytest.raises(TypeError, match="potential"):
        solver.solve(None, scores)
    with pytest.raises(ValueError, match="start"):
        solver.solve(AGREE, scores, start="best")
    with pytest.raises(ValueError):
        solver.evaluate(AGREE, scores, [0, 0, 9])
    with pytest.raises(ch.ArgumentError) as caught:
        solver.solve(ch.Potential.potts(3, 1.0), scores)
    assert caught.value.name == "CHORALE_ERROR_VALUES_MISMATCH"


def test_builders():
    builder = ch.ModelBuilder()
    chain = builder.add_chain(np.zeros((3, 2)), tokens=[1, 1, 2])
    clique = builder.add_cliques(1, potential=AGREE).start
    for wrong in (-1, 7, 2**62):
        with pytest.raises(ch.ArgumentError):
            builder.add_members(clique, wrong, 0)
        with pytest.raises(ch.ArgumentError):
            builder.add_members(wrong, chain, 0)
        with pytest.raises(ch.ArgumentError):
            builder.add_members(clique, chain, wrong)
        with pytest.raises(ch.ArgumentError):
            builder.add_members(clique, wrong, classes=[[0]])
    with pytest.raises(TypeError, match="position"):
        builder.add_members(clique, chain, 0.0)
    builder.add_members(clique, chain, 0)
    with pytest.raises(ch.ArgumentError) as caught:
        builder.add_members(clique, chain, 0)
    assert caught.value.name == "CHORALE_ERROR_DUPLICATE_MEMBER"
    with pytest.raises(ch.KindError) as caught:
        builder.add_members(clique, chain, -1)
    assert caught.value.name == "CHORALE_ERROR_KIND"
    for given in (
        {},
        {"potential": 5},
        {"potential": AGREE, "property": 5},
        {"potential": AGREE, "dictionary": [1]},
        {"centre": [AGREE, None]},
        {"potential": AGREE, "values": 2.0},
    ):
        with pytest.raises(TypeError):
            builder.add_cliques(1, **given).start
    with pytest.raises(ch.ArgumentError):
        builder.add_cliques(1, potential=AGREE, values=5).start
    with pytest.raises(ch.ArgumentError):
        builder.add_cliques(1, potential=AGREE, label_values=[0, 9]).start
    prop = builder.add_cliques(1, property=ch.Property.first_label(2), potential=AGREE).start
    with pytest.raises(ValueError, match="classes"):
        builder.add_members(prop, chain, classes=[[0]])
    with pytest.raises(ch.ArgumentError):
        builder.add_members(prop, chain, classes=[[0, 0, 5]])
    with pytest.raises(ch.KindError):
        builder.add_members(prop, chain, 0)
    with pytest.raises(ch.KindError):
        builder.add_members(clique, [], centres=[(chain, 1)])
    builder.add_members(prop, chain, classes=[np.zeros(3, dtype=np.int32)])
    with pytest.raises(ValueError, match="tokens"):
        builder.add_chain(np.zeros((3, 2)), tokens=[1, 2])
    with pytest.raises(TypeError, match="tokens"):
        builder.add_chain(np.zeros((1, 2)), tokens=["word"])
    with pytest.raises(TypeError, match="potential"):
        builder.add_repeated_words("potts")
    with pytest.raises(TypeError, match="unary is a Chain"):
        builder.add_chain(ch.Chain(np.zeros((1, 2))), np.zeros((2, 2)))
    words = builder.add_repeated_words(AGREE, minimum=1, across=True, stop=[2], label_values=[1, 0])
    assert len(words) == 1
    model = builder.freeze()
    for wrong in (-1, 99):
        with pytest.raises(IndexError):
            model.members(wrong)
        with pytest.raises(ch.ArgumentError):
            model.chain(wrong)
        run = ch.Run(model)
        run.solve()
        chains = [run.labels, run.reasons, run.max_marginals, run.margins, run.probabilities]
        chains += [model.chain, model.tokens, model.group]
        cliques = [run.values, model.members, model.clique_values]
        cliques += [model.clique_members, model.centre_values]
        for name, calls in (("chain", chains), ("clique", cliques)):
            for call in calls:
                with pytest.raises(ch.OutOfRangeError, match=f"{name} is {wrong}, and there are"):
                    call(wrong)
                with pytest.raises(TypeError, match=f"{name} is 0.5"):
                    call(0.5)
        with pytest.raises(ch.OutOfRangeError) as caught:
            run.set_chain(wrong, np.zeros((3, 2)))
        assert isinstance(caught.value, (ch.ArgumentError, IndexError))
        assert caught.value.name == "CHORALE_ERROR_OUT_OF_RANGE" and caught.value.status == 32


def test_cliques_of_properties_have_no_values_of_their_own():
    first, known = ch.Property.first_label(2), experimental.Dictionary([0, 1])
    builder = ch.ModelBuilder()
    for own in ({"values": 2}, {"label_values": [0, 1]}):
        with pytest.raises(TypeError, match=f"{next(iter(own))} is for cliques of positions"):
            builder.add_cliques(1, property=first, potential=AGREE, **own).start
    with pytest.raises(TypeError, match="dictionary is given without property"):
        builder.add_cliques(1, dictionary=known, potential=AGREE).start
    assert builder.add_cliques(1, property=first, dictionary=known, potential=AGREE).start == 0


def test_yes_and_no():
    for kind in (bool, np.uint8, np.int64, np.int8):
        made = ch.Potential.potts(3, 1.0, counted=np.array([0, 1, 1], dtype=kind))
        assert made.evaluate([5, 1, 1]) == 2.0
    for wrong in ([0, 1, 2], [-1, 0, 1], np.array([0, 255, 1], dtype=np.uint8)):
        with pytest.raises(ValueError, match="counted holds (2|-1|255), neither 0 nor 1"):
            ch.Potential.potts(3, 1.0, counted=wrong)
    with pytest.raises(ValueError, match="allowed holds 2"):
        ch.Chain(np.zeros((1, 2)), allowed=[[2, 1]])


def test_runs():
    builder = ch.ModelBuilder()
    builder.add_chain(np.zeros((1, 2)))
    model = builder.freeze()
    for given, error in (
        ({"round": 5}, TypeError),
        ({"rounds": 1.5}, TypeError),
        ({"rounds": -1}, ValueError),
        ({"damping": 1.0}, ValueError),
        ({"damping": math.nan}, ValueError),
        ({"threads": 0}, ValueError),
        ({"joint_mode": "best"}, ValueError),
        ({"message_element": "float16"}, ValueError),
        ({"algorithm": "best"}, ValueError),
        ({"progress": 5}, TypeError),
        ({"cancel": 5}, TypeError),
        ({"earlier": model}, TypeError),
    ):
        with pytest.raises(error):
            ch.Run(model, **given)
    for wrong in (None, builder, "model"):
        with pytest.raises(TypeError, match="model"):
            ch.Run(wrong)
    with pytest.raises(TypeError):
        ch.Model()


def closables():
    builder = ch.ModelBuilder()
    builder.add_chain(np.zeros((2, 2)))
    model = builder.freeze()
    return [
        (ch.Potential.potts(2, 1.0), lambda p: p.evaluate([1, 1])),
        (ch.CliqueSolver(), lambda s: s.solve(AGREE, [[0.0, 0.0]])),
        (ch.Transitions(labels=2), lambda t: t.labels),
        (ch.ChainSolver(), lambda s: s.best([[0.0]])),
        (ch.Property.first_label(2), lambda p: p.evaluate([0])),
        (experimental.Dictionary([1]), lambda d: d.clone()),
        (model, lambda m: m.cliques),
        (ch.Run(model), lambda r: r.solve()),
        (ch.Problem(model), lambda p: p.labels),
    ]


def test_closed_handles():
    for handle, use in closables():
        assert not handle.closed
        use(handle)
        with handle as same:
            assert same is handle
        assert handle.closed
        assert "closed" in repr(handle)
        with pytest.raises(ch.ClosedError, match=type(handle).__name__):
            use(handle)
        with pytest.raises(ch.ClosedError), handle:
            pass
        handle.close()
    closed = ch.Potential.potts(2, 1.0)
    closed.close()
    with pytest.raises(ch.ClosedError):
        ch.CliqueSolver().solve(closed, [[0.0, 0.0]])
    with pytest.raises(ch.ClosedError):
        ch.ModelBuilder().add_cliques(1, potential=closed, values=2).start
    transitions = ch.Transitions(labels=2)
    chain = ch.Chain(np.zeros((1, 2)), transitions)
    transitions.close()
    with pytest.raises(ch.ClosedError):
        ch.ChainSolver().best(chain)


def test_what_belongs_to_a_process_is_not_pickled():
    builder = ch.ModelBuilder()
    kept = (ch.CliqueSolver(), ch.ChainSolver(), ch.Run(builder.freeze()), builder, ch.Cancel())
    for handle in kept:
        for action in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="copied or pickled"):
                action(handle)


def test_one_call_at_a_time():
    """While a callback waits, the solver or run that called it is in use."""
    entered, go_on = threading.Event(), threading.Event()

    def slow(counts, members):
        if not entered.is_set():
            entered.set()
            assert go_on.wait(30)
        return float(counts[0])

    waiting = ch.Potential.callback(2, slow)
    solver = ch.CliqueSolver()
    builder = ch.ModelBuilder()
    for _ in range(2):
        builder.add_chain(np.zeros((1, 2)), tokens=[0])
    builder.add_repeated_words(waiting)
    run = ch.Run(builder.freeze())
    cases = [
        (solver, lambda: solver.solve(waiting, np.zeros((2, 2)))),
        (run, lambda: run.solve()),
    ]
    for handle, use in cases:
        entered.clear()
        go_on.clear()
        done = []
        thread = threading.Thread(target=lambda use=use, done=done: done.append(use()))
        thread.start()
        assert entered.wait(30)
        with pytest.raises(ch.InUseError, match=type(handle).__name__):
            use()
        # Other calls may use the potential meanwhile. A handle that is closed during a call is
        # freed after it.
        assert waiting.evaluate([1, 0]) == 1.0
        handle.close()
        with pytest.raises(ch.ClosedError):
            use()
        go_on.set()
        thread.join()
        assert done[0].score == 2.0


def test_a_callback_cannot_use_what_it_runs_in():
    builder = ch.ModelBuilder()
    for _ in range(2):
        builder.add_chain(np.zeros((1, 2)), tokens=[0])
    builder.add_repeated_words(AGREE)
    run = ch.Run(builder.freeze(), progress=lambda p: run.labels(0))
    with pytest.raises(ch.InUseError):
        run.solve()


def test_callbacks():
    solver = ch.CliqueSolver()
    scores = np.zeros((3, 2))

    def raises(counts, members):
        raise LookupError("nothing there")

    with pytest.raises(LookupError, match="nothing there") as caught:
        solver.solve(ch.Potential.callback(2, raises), scores)
    assert caught.value.__traceback__ is not None
    for result, error in (
        ("word", ValueError),
        (None, TypeError),
        (math.nan, ch.CallbackError),
        (math.inf, ch.CallbackError),
    ):
        made = ch.Potential.callback(2, lambda counts, members, result=result: result)
        for call in (
            lambda made=made: solver.solve(made, scores),
            lambda made=made: solver.marginals(made, scores),
            lambda made=made: made.evaluate([1, 2]),
        ):
            with pytest.raises(error):
                call()
    with pytest.raises(SystemExit):
        solver.solve(ch.Potential.callback(2, lambda counts, members: exit(3)), scores)
    with pytest.raises(TypeError):
        solver.solve(ch.Potential.callback(2, lambda: 0.0), scores)
    # The solver can still be used.
    assert solver.solve(AGREE, scores).score == 9.0
