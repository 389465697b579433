"""Immutable objects and results can be copied, pickled, and sent to other processes."""

from __future__ import annotations

import copy
import math
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from test_problem import same, small_problem

import libchorale as ch
from libchorale import experimental

PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)
NAMES = ["O", "B-X", "I-X"]


def squares(counts, members):
    return float((counts**2).sum()) / members


def again(thing):
    """Yields all kinds of copies of an object, which must be equal to the object."""
    for protocol in PROTOCOLS:
        yield pickle.loads(pickle.dumps(thing, protocol))
    yield copy.copy(thing)
    yield copy.deepcopy(thing)


def potentials():
    tables = np.array([[0.0, 1.0, 4.0, -math.inf], [0.0, 0.5, 0.5, 0.5]])
    counted = np.array([True, False])
    made = [
        ch.Potential.potts(2, 1.5, scale="members", counted=counted),
        ch.Potential.entropy(2, 1.5, scale="log"),
        ch.Potential.makespan(2, -1.5),
        ch.Potential.square_makespan(2, 1.5, counted=[1, 0]),
        ch.Potential.sum(tables),
        ch.Potential.sum([0, 1, 4, 9], values=2, shape="convex"),
        ch.Potential.max(tables, scale="members"),
        ch.Potential.cardinality([0, 1, 4, 2]),
        ch.Potential.majority([[1.0, 2.0], [0.5, 1.0]], [0.25, 0.5]),
        ch.Potential.majority(np.eye(2)),
        ch.Potential.pairs([[1.0, 2.0], [2.0, 1.0]]),
        ch.Potential.callback(2, squares, scale="members"),
    ]
    tables[:], counted[:] = 0.0, False  # must not change what is pickled
    return made


def test_potentials():
    for potential in potentials():
        for other in again(potential):
            assert (other.family, other.values) == (potential.family, potential.values)
            for counts in ([3, 0], [0, 3], [2, 1], [1, 0]):
                assert other.evaluate(counts) == potential.evaluate(counts)
            if potential.family == "sum":
                scores = np.array([[1.0, 0.0], [0.0, 0.5], [0.3, 0.2]])
                found = [ch.CliqueSolver().solve(p, scores) for p in (other, potential)]
                assert found[0].algorithm == found[1].algorithm
    closed = ch.Potential.potts(2, 1.0)
    closed.close()
    with pytest.raises(ch.ClosedError):
        pickle.dumps(closed)
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(ch.Potential.callback(2, lambda counts, members: 0.0))


def properties():
    kinds = ch.LabelMap.from_names(NAMES)
    builder = ch.Property.builder(3, values=4, classes=2)
    state = builder.add_state()
    builder.rule(0, label=1, next=state, action=ch.FIRE_LABEL)
    builder.rule(state, position_class=1, label=2, action=ch.FIRE_TABLE)
    builder.end_rule(state, action=3)
    builder.table(-1, outside_value=2)
    made = [
        builder.finish([0, 1, 2]),
        ch.Property.automaton(
            [[[0, 1, 0]], [[0, 1, 1]]],
            [[[-1, ch.FIRE_LABEL, -1]], [[ch.FIRE_TABLE, -1, -1]]],
            values=4,
            end_actions=[0, 3],
            label_values=[0, 2, 1],
            table_offset=1,
            outside_value=3,
        ),
        ch.Property.local([[[0, 1, -1, 2]] * 3], values=3),
        ch.Property.position_label(3, 1),
        ch.Property.token_label(kinds, 2),
        ch.Property.first_label(kinds, ignored=[True, False, False]),
        ch.Property.next_label(3, 1, ignored=[1, 0, 0], rule="ends_at_ignored", end_value=3),
        ch.Property.token_before(kinds, 1, values=5, start_value=4),
    ]
    builder.rule(0, label=1, next=0, action=0)  # must not change the first property
    return made


def test_properties():
    options = {"classes": [0, 1, 0, 1], "table": [0, 3, 2, 1]}
    for number, prop in enumerate(properties()):
        given = {"table": options["table"]} if number else options
        for other in again(prop):
            assert (other.labels, other.values) == (prop.labels, prop.values)
            for labels in np.ndindex(3, 3, 3, 3):
                found = [p.fired(labels, **given).tolist() for p in (other, prop)]
                assert found[0] == found[1]


def test_dictionaries():
    known = experimental.Dictionary([9, 2, 5], unlisted=True)
    for other in again(known):
        assert other.values.tolist() == [2, 5, 9] and other.unlisted and len(other) == 4


def test_chains_and_transitions(rng):
    solver = ch.ChainSolver()
    edges, unary = rng.normal(size=(3, 3)), rng.normal(size=(4, 3))
    mask = ch.mask(NAMES)
    for transitions in (
        ch.Transitions(edges, start=edges[0], end=edges[1]),
        ch.Transitions(edges, mask=mask),
        ch.Transitions(edges.astype(np.float32), mask=mask.between),
        ch.Transitions(labels=3, mask=mask),
        ch.Transitions(labels=3, end=edges[2]),
    ):
        for other in again(transitions):
            expected = solver.marginals(unary, transitions)
            found = solver.marginals(unary, other)
            np.testing.assert_array_equal(found.marginals, expected.marginals)
        for chain in (
            ch.Chain(unary, transitions, forced=[-1, 0, -1, -1]),
            ch.Chain(unary.astype(np.float32), transitions, start=[0, 1, 2], allowed=unary > -1),
            ch.Chain(unary, transitions, edges=rng.normal(size=(3, 3, 3))),
            ch.Chain(unary, edges, parents=[-1, 0, 0, 1]),
        ):
            for other in again(chain):
                assert solver.best(other).score == solver.best(chain).score
                assert other.unary.dtype == chain.unary.dtype


def test_models_and_problems(rng):
    problem = small_problem(rng)
    for other in again(problem):
        same(problem, other)
    model = problem.model
    run = ch.Run(model)
    expected = run.solve()
    for other in again(model):
        found = ch.Run(other)
        assert found.solve() == expected
        assert found.labels().tolist() == run.labels().tolist()
    for other in again(model.chain(1)):
        np.testing.assert_array_equal(other.unary, model.chain(1).unary)
        assert ch.ChainSolver().best(other) is not None
    builder = ch.ModelBuilder()
    builder.add_chain([[0.0]], tokens=[0])
    builder.add_cliques(1, potential=ch.Potential.callback(1, squares), values=1).start
    model = builder.freeze()
    for thing in (model, ch.Problem(model)):
        with pytest.raises(ch.ArgumentError, match="callback"):
            pickle.dumps(thing)
    assert copy.deepcopy(model).cliques == 1


def words(scores, tokens):
    """Runs in another process."""
    return ch.decode(scores, tokens=tokens, strength=1.2, names=["Place", "Person"])


def solved(thing):
    """Runs in another process."""
    return ch.Run(thing).solve()


def refused(strength):
    """Runs in another process, and raises an error."""
    return ch.Potential.potts(0, strength)


SCORES = [np.array([[2.0, 0.1]]), np.array([[1.9, 0.3]]), np.array([[0.9, 1.2]])]
WORDS = [["Rome"], ["Rome"], ["Rome"]]


def equal(one, other):
    assert [a.tolist() for a in one.labels] == [a.tolist() for a in other.labels]
    assert [a.tolist() for a in one.alone] == [a.tolist() for a in other.alone]
    assert (one.score, one.proven, one.outcome) == (other.score, other.proven, other.outcome)
    assert [c.reasons for c in one.changed] == [c.reasons for c in other.changed]
    assert str(one) == str(other)


def test_results():
    result = words(SCORES, WORDS)
    assert "Rome: Place, not Person" in str(result)
    for other in again(result):
        equal(other, result)
    problem = ch.build_problem(SCORES, tokens=WORDS)
    with ch.Run(problem) as run:
        ended = run.solve()
    for other in again(ended):
        assert other == ended
    chain = ch.ChainSolver().best([[1.0, 0.0]])
    assert pickle.loads(pickle.dumps(chain)).labels.tolist() == [0]


def test_errors():
    for call in (
        lambda: ch.Potential.potts(0, 1.0),
        lambda: ch.Problem.load("/nowhere/at/all"),
        lambda: ch.Run(ch.ModelBuilder().freeze()).labels(3),
    ):
        with pytest.raises(ch.Error) as caught:
            call()
        error = caught.value
        other = pickle.loads(pickle.dumps(error))
        assert type(other) is type(error) and str(other) == str(error)
        assert (other.status, other.name) == (error.status, error.name)
        assert getattr(other, "errno", None) == getattr(error, "errno", None)


@pytest.mark.parametrize("start", ["spawn", "fork"])
def test_a_pool_of_processes(rng, start):
    problem = small_problem(rng)
    expected = ch.Run(problem).solve()
    with ProcessPoolExecutor(1, multiprocessing.get_context(start)) as pool:
        equal(pool.submit(words, SCORES, WORDS).result(120), words(SCORES, WORDS))
        for thing in (problem, problem.model):
            assert pool.submit(solved, thing).result(120) == expected
        with pytest.raises(ch.ArgumentError, match="values"):
            pool.submit(refused, 1.0).result(120)


def test_joblib(rng):
    joblib = pytest.importorskip("joblib")
    problem = small_problem(rng)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        found = joblib.Parallel()(joblib.delayed(words)(SCORES, WORDS) for _ in range(2))
        score = joblib.Parallel()([joblib.delayed(solved)(problem)])[0].score
    for result in found:
        equal(result, words(SCORES, WORDS))
    assert score == ch.Run(problem).solve().score
