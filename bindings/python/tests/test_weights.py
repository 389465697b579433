from __future__ import annotations

import itertools
import math
import pickle

import numpy as np
import pytest

import libchorale as ch


def potts_score(scores, weights, strength, labels):
    counts = np.bincount(labels, weights, minlength=scores.shape[1])
    chosen = scores[np.arange(len(labels)), labels].sum()
    return chosen + strength / np.sum(weights) * np.sum(counts**2)


def best_of(scores, weights, strength):
    n, values = scores.shape
    return max(
        potts_score(scores, weights, strength, np.array(labels))
        for labels in itertools.product(range(values), repeat=n)
    )


def test_a_clique_against_enumeration(rng):
    solver = ch.CliqueSolver()
    for _ in range(30):
        n, values = int(rng.integers(1, 6)), int(rng.integers(2, 4))
        scores, weights = 4 * rng.normal(size=(n, values)), rng.integers(1, 6, size=n)
        potential = ch.Potential.potts(values, 2.0, scale="members")
        result = solver.solve(potential, scores, weights=weights)
        best = best_of(scores, weights, 2.0)
        assert result.score == pytest.approx(potts_score(scores, weights, 2.0, result.labels))
        assert result.score == pytest.approx(best)
        assert solver.bound(potential, scores, weights=weights) >= best - 1e-9
        found = solver.marginals(potential, scores, weights=weights)
        assert np.max(found.marginals) == pytest.approx(best)
        again = solver.evaluate(potential, scores, result.labels, weights=weights)
        assert again.score == result.score


def test_decode_takes_weights(rng):
    for _ in range(20):
        scores = 2 * rng.normal(size=(4, 3))
        weights = rng.integers(1, 5, size=4)
        unaries = [row[None] for row in scores]
        agree = ch.Agreement(
            "keys", strength=1.5, keys=[["k"]] * 4, weights=[[int(w)] for w in weights]
        )
        found = ch.decode(unaries, agree=agree)
        best = best_of(scores, weights, 1.5)
        labels = np.concatenate(found.labels)
        assert potts_score(scores, weights, 1.5, labels) == pytest.approx(best)
        assert found.score == pytest.approx(best)
        assert pickle.loads(pickle.dumps(agree)) == agree


def test_light_positions_follow_a_heavy_one():
    unaries = [np.array([[0.0, 30.0]])] + [np.array([[1.0, 0.0]])] * 3
    keys = [[0]] * 4
    alike = ch.decode(unaries, agree=ch.Agreement("keys", keys=keys))
    assert [int(x[0]) for x in alike.labels] == [1, 0, 0, 0]
    heavy = ch.Agreement("keys", keys=keys, weights=[[9], [1], [1], [1]])
    found = ch.decode(unaries, agree=heavy)
    assert [int(x[0]) for x in found.labels] == [1, 1, 1, 1]


def test_a_model_and_its_file(tmp_path):
    builder = ch.ModelBuilder()
    for _ in range(3):
        builder.add_chain([[0.0, 1.0]])
    clique = builder.add_clique(potential=ch.Potential.potts(2, 1.0), values=2)
    for chain in range(3):
        builder.add_position(clique, chain, 0)
    builder.set_weights(clique, [2, 1, 4])
    with pytest.raises(RuntimeError, match="weights"):
        builder.add_position(clique, 0, 0)
    model = builder.freeze()
    assert model.weights(clique).tolist() == [2, 1, 4]
    path = tmp_path / "weights.chorale"
    ch.Problem(model).save(path)
    loaded = ch.Problem.load(path).model
    assert loaded.weights(clique).tolist() == [2, 1, 4]
    assert pickle.loads(pickle.dumps(model)).weights(clique).tolist() == [2, 1, 4]


def test_bad_weights():
    potential = ch.Potential.potts(2, 1.0)
    scores = [[0.0, 1.0], [1.0, 0.0]]
    solver = ch.CliqueSolver()
    with pytest.raises(ValueError, match=r"weights\[1\] is 0"):
        solver.solve(potential, scores, weights=[1, 0])
    with pytest.raises(ValueError, match=r"weights has shape"):
        solver.solve(potential, scores, weights=[1])
    with pytest.raises(TypeError, match="weights"):
        solver.solve(potential, scores, weights=[1.5, 2.0])
    with pytest.raises(ch.ArgumentError, match="convex") as refused:
        solver.solve(ch.Potential.makespan(2, 1.0), scores, weights=[1, 2])
    assert refused.value.name == "CHORALE_ERROR_WEIGHTS"
    with pytest.raises(ch.ArgumentError, match="count"):
        solver.solve(potential, scores, weights=[1, 2], algorithm="count_boxes")
    unaries = [np.zeros((2, 2)), np.zeros((1, 2))]
    keys = [[0, 0], [0]]
    with pytest.raises(ValueError, match=r"agree.weights\[0\]\[1\] is -1"):
        ch.decode(unaries, agree=ch.Agreement("keys", keys=keys, weights=[[1, -1], [1]]))
    with pytest.raises(ValueError, match=r"weights has 1 entries for 2 chains"):
        ch.decode(unaries, agree=ch.Agreement("keys", keys=keys, weights=[[1, 1]]))
    with pytest.raises(ch.ArgumentError, match="convex"):
        ch.decode(
            unaries, agree=ch.Agreement("keys", strength=-1, keys=keys, weights=[[1, 2], [1]])
        )
    assert math.isfinite(
        ch.decode(unaries, agree=ch.Agreement("keys", keys=keys, weights=[[1, 2], [1]])).score
    )
