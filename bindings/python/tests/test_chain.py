from __future__ import annotations

import math

import numpy as np
import pytest
from oracle import chain_score, labellings

import libchorale as ch


def random_chain(rng, dtype=np.float64):
    length, labels = int(rng.integers(0, 6)), int(rng.integers(1, 4))
    unary = rng.normal(size=(length, labels)).astype(dtype)
    if unary.size and rng.random() < 0.3:
        unary[rng.integers(length), rng.integers(labels)] = -math.inf
    kind = int(rng.integers(4))
    given, truth = {}, {}
    if kind == 1:
        edges = rng.normal(size=(labels, labels)).astype(dtype)
        given["transitions"] = truth["edges"] = edges
    elif kind == 2:
        edges = rng.normal(size=(max(0, length - 1), labels, labels)).astype(dtype)
        given["transitions"] = truth["edges"] = edges
    elif kind == 3:
        edges = rng.normal(size=(labels, labels))
        start, end = rng.normal(size=(2, labels))
        given["transitions"] = ch.Transitions(edges, start, end)
        truth.update(edges=edges, start=start, end=end)
    if kind != 3 and rng.random() < 0.5:
        start, end = rng.normal(size=(2, labels))
        given.update(start=start, end=end)
        truth.update(start=start.astype(dtype), end=end.astype(dtype))
    return unary, given, truth


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_enumeration(rng, dtype):
    solver = ch.ChainSolver()
    for _ in range(60):
        unary, given, truth = random_chain(rng, dtype)
        length, labels = unary.shape
        chain = ch.Chain(unary, **given)
        scores = {y: chain_score(unary, y, **truth) for y in labellings(length, labels)}
        best = max(scores.values())
        result = solver.best(chain)
        if best == -math.inf:
            assert result.labels is None and result.outcome == ch.Outcome.INFEASIBLE
            continue
        assert result.score == pytest.approx(best, abs=1e-5 if dtype == np.float32 else 1e-9)
        assert scores[tuple(result.labels)] == pytest.approx(result.score, abs=1e-5)
        assert chain.score(result.labels) == result.score

        found, values = solver.k_best(chain, k=5)
        expected = sorted((s for s in scores.values() if s > -math.inf), reverse=True)[:5]
        np.testing.assert_allclose(values, expected, atol=1e-5)
        assert len({tuple(row) for row in found}) == len(found)

        all_of_it = solver.marginals(chain, edges=True)
        marginals = np.full((length, labels), -math.inf)
        edges = np.full((max(0, length - 1), labels, labels), -math.inf)
        for y, score in scores.items():
            for t, label in enumerate(y):
                marginals[t, label] = max(marginals[t, label], score)
                if t:
                    edges[t - 1, y[t - 1], label] = max(edges[t - 1, y[t - 1], label], score)
        np.testing.assert_allclose(all_of_it.marginals, marginals, atol=1e-5)
        np.testing.assert_allclose(all_of_it.edge_marginals, edges, atol=1e-5)
        alone = solver.marginals(chain)
        assert alone.edge_marginals is None
        np.testing.assert_allclose(alone.marginals, all_of_it.marginals, rtol=1e-12)
        margins = alone.margins
        for t in range(length):
            ordered = np.sort(marginals[t])
            second = ordered[-2] if labels > 1 else -math.inf
            assert margins[t] == pytest.approx(ordered[-1] - second, abs=1e-5)
        assert all_of_it.result.labels.tolist() == result.labels.tolist()


def test_trees(rng):
    solver = ch.ChainSolver()
    for _ in range(30):
        length, labels = int(rng.integers(1, 6)), 2
        unary = rng.normal(size=(length, labels))
        edges = rng.normal(size=(labels, labels))
        parents = [-1] + [int(rng.integers(-1, t)) for t in range(1, length)]
        scores = [chain_score(unary, y, edges, parents=parents) for y in labellings(length, labels)]
        result = solver.best(ch.Chain(unary, edges, parents=parents))
        assert result.score == pytest.approx(max(scores))
    with pytest.raises(ch.ArgumentError) as caught:
        solver.k_best(ch.Chain([[0.0], [0.0]], parents=[-1, 0]), k=2)
    assert caught.value.name == "CHORALE_ERROR_NOT_A_CHAIN"
    with pytest.raises(ch.ArgumentError) as caught:
        solver.best(ch.Chain(np.zeros((2, 2)), parents=[1, -1]))
    assert caught.value.name == "CHORALE_ERROR_PARENT_ORDER"


def test_forced_and_allowed():
    unary = np.zeros((3, 2))
    solver = ch.ChainSolver()
    assert solver.best(ch.Chain(unary, forced=[-1, 1, -1])).labels.tolist() == [0, 1, 0]
    allowed = np.array([[True, True], [True, True], [False, True]])
    assert solver.best(ch.Chain(unary, allowed=allowed)).labels.tolist() == [0, 0, 1]
    assert solver.best(ch.Chain(unary, allowed=allowed.astype(np.uint8))).labels.tolist() == [
        0,
        0,
        1,
    ]
    assert (
        solver.best(ch.Chain(unary, allowed=np.zeros((3, 2), bool))).outcome
        == ch.Outcome.INFEASIBLE
    )


def test_any_positive_strides(rng):
    solver = ch.ChainSolver()
    block = rng.normal(size=(9, 12))
    edges = rng.normal(size=(8, 8))
    cases = [
        block[:5, :4],
        block[::2, 1:9:2],
        np.asfortranarray(block[:5, :4]),
        block.T[:5, :4],
        block[3:4, ::3],
        block[::3, 2:3],
        block.astype(np.float32)[::2, ::3],
    ]
    for unary in cases:
        labels = unary.shape[1]
        for matrix in (edges[:labels, :labels], edges.T[:labels, :labels]):
            matrix = matrix.astype(unary.dtype, copy=False)
            expected = solver.best(unary.copy(order="C"), matrix.copy(order="C"))
            got = solver.best(unary, matrix)
            assert got.score == expected.score
            assert got.labels.tolist() == expected.labels.tolist()
            assert not np.shares_memory(ch.Chain(unary, matrix).unary, unary)


def test_the_text_of_a_result_has_shapes_alone(rng):
    found = ch.ChainSolver().marginals(rng.normal(size=(500, 3)))
    assert "marginals=float64[500, 3], edge_marginals=None" in str(found) and len(str(found)) < 300
    found = ch.CliqueSolver().solve(ch.Potential.potts(3, 1.0), rng.normal(size=(500, 3)))
    assert "labels=int32[500], " in repr(found) and len(str(found)) < 400


def test_transitions(rng):
    unary = rng.normal(size=(4, 3))
    edges = rng.normal(size=(3, 3))
    solver = ch.ChainSolver()
    plain = solver.best(unary, edges)
    transposed = edges.T.copy().T  # in the order of Fortran
    assert solver.best(ch.Chain(unary, transposed)).score == plain.score
    assert solver.best(unary, ch.Transitions(transposed)).score == plain.score
    zeros = ch.Transitions(np.zeros((3, 3)), start=[1, 2, 3])
    own = solver.best(ch.Chain(unary, zeros, edges=edges))
    assert own.score == solver.best(ch.Chain(unary, edges, start=[1.0, 2.0, 3.0])).score
    masked = ch.Transitions(edges, mask=np.eye(3, dtype=bool))
    assert len(set(solver.best(unary, masked).labels)) == 1
    assert ch.Transitions(labels=4).labels == 4
    # float32 scores with float64 transitions, and the reverse
    assert solver.best(unary.astype(np.float32), ch.Transitions(edges)).score
    assert solver.best(unary, ch.Transitions(edges.astype(np.float32))).score
    with pytest.raises(TypeError, match="labels"):
        ch.Transitions()
    with pytest.raises(ValueError, match="square"):
        ch.Transitions(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="labels"):
        ch.Transitions(np.zeros((2, 2)), labels=3)
    with pytest.raises(ch.ArgumentError) as caught:
        solver.best(np.zeros((2, 2)), ch.Transitions(edges))
    assert caught.value.name == "CHORALE_ERROR_LABELS_MISMATCH"
    with pytest.raises(ValueError, match="transitions"):
        solver.best(np.zeros((2, 2)), edges)
    with pytest.raises(ValueError, match=r"^transitions has .* be \(3, 3\), or \(3, 3, 3\) with"):
        solver.best(unary, np.zeros((4, 3, 3)))
    with pytest.raises(TypeError, match="twice"):
        ch.Chain(unary, edges, edges=edges)


def test_masks():
    names = ["O", "B-X", "I-X", "B-Y", "I-Y"]
    made = ch.mask(names)
    for a, first in enumerate(names):
        for b, second in enumerate(names):
            legal = not second.startswith("I-") or first[2:] == second[2:]
            assert made.between[a, b] == legal
    assert made.start.tolist() == [True, True, False, True, False]
    assert made.end.all()
    with pytest.raises(ch.ArgumentError, match="Z-X"):
        ch.mask(["O", "Z-X"])
    with pytest.raises(ValueError, match="scheme"):
        ch.mask(names, "BIX")
    with pytest.raises(TypeError):
        ch.mask("O")
    with pytest.raises(TypeError):
        ch.mask(["O", b"B-X"])
    with pytest.raises(ValueError):
        ch.mask([])
    transitions = ch.Transitions(mask=made, labels=5)
    best = ch.ChainSolver().best(np.array([[0, 0, 9.0, 0, 0], [0, 0, 0, 0, 5.0]]), transitions)
    assert best.labels.tolist() == [3, 4]
