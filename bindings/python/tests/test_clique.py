from __future__ import annotations

import math
import sys
import threading
import time

import numpy as np
import pytest
from oracle import FAMILIES, clique_scores, potential

import libchorale as ch


@pytest.mark.parametrize("family", FAMILIES)
def test_enumeration(rng, family):
    solver = ch.CliqueSolver()
    for _ in range(15):
        members, values = int(rng.integers(1, 6)), int(rng.integers(1, 4))
        made, function = potential(ch, rng, family, values, members)
        scores = rng.normal(size=(members, values))
        if values > 1 and rng.random() < 0.3:
            scores[rng.integers(members), rng.integers(values)] = -math.inf
        truth = clique_scores(scores, function)
        best = max(truth.values())
        result = solver.solve(made, scores)
        assert truth[tuple(result.labels)] == pytest.approx(result.score, abs=1e-9)
        assert result.score == pytest.approx(result.member_score + result.clique_score, abs=1e-9)
        assert result.score <= best + 1e-9 <= result.upper_bound + 2e-9
        assert result.gap == result.upper_bound - result.score
        if result.proven:
            assert result.score == pytest.approx(best, abs=1e-8)
        if made.family not in ("pairs", "callback"):
            exact = solver.solve(made, scores, algorithm="exact")
            assert exact.proven and exact.score == pytest.approx(best, abs=1e-8)
            how = "dual_bound" if made.family == "sum" else "auto"
            assert solver.solve(made, scores, algorithm=how).upper_bound >= best - 1e-8
            found = solver.marginals(made, scores, exact=True)
            assert found.result.marginals_exact
            expected = np.full_like(scores, -math.inf)
            for assignment, score in truth.items():
                for member, value in enumerate(assignment):
                    expected[member, value] = max(expected[member, value], score)
            np.testing.assert_allclose(found.marginals, expected, atol=1e-8)
        again = solver.evaluate(made, scores, result.labels)
        assert again.score == result.score
        assert again.labels.tolist() == result.labels.tolist()


def test_every_algorithm_by_name(rng):
    scores = rng.normal(size=(6, 3))
    ran = set()
    for name in ch.algorithms():
        for family in FAMILIES:
            made, function = potential(ch, rng, family, 3, 6)
            try:
                result = ch.CliqueSolver().solve(made, scores, algorithm=name, iteration_limit=50)
            except ch.ArgumentError as error:
                assert error.name in (
                    "CHORALE_ERROR_ALGORITHM_MISMATCH",
                    "CHORALE_ERROR_NOT_CONVEX",
                    "CHORALE_ERROR_NOT_CONCAVE",
                )
                continue
            ran.add(name)
            assert name in ("auto", result.algorithm)
            counts = np.bincount(result.labels, minlength=3)
            own = scores[np.arange(6), result.labels].sum()
            assert result.score == pytest.approx(own + function(counts, 6))
    assert ran == set(ch.algorithms())
    made = ch.Potential.majority(np.eye(3))
    result = ch.CliqueSolver().solve(made, scores, algorithm="lagrangian_subgradient")
    assert result.algorithm == "lagrangian_subgradient"
    assert ch.CliqueSolver().solve(made, scores, algorithm="exact-majority").proven


def test_options():
    solver = ch.CliqueSolver()
    agree = ch.Potential.potts(2, 1.0)
    scores = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 0.5]])
    assert solver.solve(agree, scores, fixed=[1, -1, -1]).labels.tolist()[0] == 1
    for start in ("independent", "alpha_pass", 1, [1, 1, 1]):
        assert solver.solve(agree, scores, algorithm="icm", start=start).score >= 9.5
    limited = solver.solve(
        agree, scores, algorithm="count_boxes", node_limit=10, node_pool=4, gap=0.0, time_limit=5
    )
    assert limited.score == 11.0
    assert solver.solve(agree, scores, algorithm="generalised_alpha_pass", subset_size=2).score
    assert solver.solve(ch.Potential.majority(np.eye(2)), scores, tolerance=0.1).score
    assert solver.solve(agree, scores, time_limit=None, gap=None).score == 11.0
    cancel = ch.Cancel()
    assert not cancel.is_set()
    cancel.set()
    stopped = solver.solve(agree, scores, algorithm="count_boxes", cancel=cancel)
    assert stopped.outcome == ch.Outcome.CANCELLED
    cancel.clear()
    assert solver.solve(agree, scores, cancel=cancel).outcome == ch.Outcome.COMPLETE


def test_other_threads_go_on_during_a_call():
    """A call that held the interpreter lock would never see the flag that another thread sets."""
    agree = ch.Potential.potts(40, 0.8, scale="members")
    scores = np.random.default_rng(3).random((2000, 40)) * 2  # takes far longer than the time limit
    cancel = ch.Cancel()
    started = threading.Event()

    def stop():
        started.wait()
        time.sleep(0.5)  # meanwhile the call begins
        cancel.set()

    thread = threading.Thread(target=stop)
    thread.start()
    sys.setswitchinterval(1000)  # so the call itself must release the lock
    try:
        started.set()
        result = ch.CliqueSolver().solve(
            agree, scores, algorithm="count_boxes", gap=0.0, time_limit=10, cancel=cancel
        )
    finally:
        sys.setswitchinterval(0.005)
        thread.join()
    assert result.outcome == ch.Outcome.CANCELLED


def test_nothing_feasible():
    forbidden = np.full((2, 2), -math.inf)
    result = ch.CliqueSolver().solve(ch.Potential.potts(2, 1.0), forbidden)
    assert result.labels is None and result.score == -math.inf
    assert result.outcome == ch.Outcome.INFEASIBLE


def test_rows_may_be_apart():
    solver, agree = ch.CliqueSolver(), ch.Potential.potts(2, 1.0)
    wide = np.arange(24, dtype=float).reshape(4, 6)
    expected = solver.solve(agree, wide[:, :2].copy())
    assert solver.solve(agree, wide[:, :2]).score == expected.score
    assert (
        solver.solve(agree, wide[::2, 3:5]).score
        == solver.solve(agree, wide[::2, 3:5].copy()).score
    )
