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
        bound = solver.solve(potential, scores, weights=weights, algorithm="dual_bound").upper_bound
        assert bound >= best - 1e-9
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
    clique = builder.add_cliques(1, potential=ch.Potential.potts(2, 1.0), values=2).start
    builder.add_members(clique, range(3), weights=[2, 1, 4])
    with pytest.raises(RuntimeError, match="weights"):
        builder.add_members(clique, 0, 0)
    model = builder.freeze()
    assert model.weights(clique).tolist() == [2, 1, 4]
    path = tmp_path / "weights.chorale"
    ch.Problem(model).save(path)
    loaded = ch.Problem.load(path).model
    assert loaded.weights(clique).tolist() == [2, 1, 4]
    assert pickle.loads(pickle.dumps(model)).weights(clique).tolist() == [2, 1, 4]


def mentions_of(rng, labels):
    """Returns the rows of a table. The scores of labels 0 .. labels - 1 are in columns "0", "1" and
    so on."""
    rows = int(rng.integers(4, 9))
    table = [{"key": f"k{i % 2}", "times": int(rng.integers(1, 6))} for i in range(rows)]
    for row in table:
        row.update({str(v): float(2 * rng.normal()) for v in range(labels)})
    return table


def agreed(table, labels, **options):
    columns = [str(v) for v in range(labels)]
    return ch.agree(table, key="key", confidence=columns, scale="logarithm", **options)


def test_a_table_against_enumeration(rng):
    changed = 0
    for _ in range(40):
        table = mentions_of(rng, 3)
        found = agreed(table, 3, count="times", strength=2.0)
        for key in {row["key"] for row in table}:
            some = [row for row in found if row["key"] == key]
            scores = np.array([[row[str(v)] for v in range(3)] for row in some])
            weights = np.array([row["times"] for row in some])
            scores *= weights[:, None]
            labels = np.array([int(row["together"]) for row in some])
            assert potts_score(scores, weights, 2.0, labels) == pytest.approx(
                best_of(scores, weights, 2.0), abs=1e-4
            )
            changed += (labels != scores.argmax(axis=1)).sum()
    assert changed > 20


def default_strength(table, labels):
    best = np.sort([[row[str(v)] for v in range(labels)] for row in table])[:, -2:]
    shared = [sum(row["key"] == other["key"] for other in table) > 1 for row in table]
    return 0.75 * float(np.median((best[:, 1] - best[:, 0])[shared]))


def repeated_of(table):
    """Returns a table with each row as often as it counts, and for each its row in `table`."""
    places = [place for place, row in enumerate(table) for _ in range(row["times"])]
    return [dict(table[place]) for place in places], places


def total(table, labels, of, strength):
    """Returns the score of the labels `together` of some rows: the sum over the keys."""
    every = 0.0
    for key in ("k0", "k1"):
        some = [(row, int(other["together"])) for row, other in zip(table, of) if row["key"] == key]
        scores = np.array([[row[str(v)] for v in range(labels)] for row, _ in some])
        every += potts_score(scores, np.ones(len(some)), strength, np.array([v for _, v in some]))
    return every


def test_the_strength_is_that_of_repeated_rows(rng):
    for _ in range(20):
        table = mentions_of(rng, 2)
        for row in table:
            row.update({v: round(64 * row[v]) / 64 for v in ("0", "1")})  # makes sums exact
        repeated, _ = repeated_of(table)
        assert agreed(table, 2, count="times") == agreed(
            table, 2, count="times", strength=default_strength(repeated, 2)
        )


@pytest.mark.parametrize("strength", [None, 0.6, 1.3])
@pytest.mark.parametrize("labels", [2, 3])
def test_a_count_is_as_many_rows(rng, labels, strength):
    """Labels may differ only where their scores are equal. Inference is exact for two labels only,
    so that with three the tables are always the same."""
    if labels > 2:
        rng = np.random.default_rng(3)
    changed = 0
    for _ in range(30):
        table = mentions_of(rng, labels)
        for row in table:  # makes sums exact
            row.update({str(v): round(64 * row[str(v)]) / 64 for v in range(labels)})
        repeated, places = repeated_of(table)
        some = agreed(table, labels, count="times", strength=strength)
        found = [some[place] for place in places]
        every = agreed(repeated, labels, strength=strength)
        if [row["together"] for row in every] != [row["together"] for row in found]:
            used = strength or default_strength(repeated, labels)
            assert total(repeated, labels, every, used) == pytest.approx(
                total(repeated, labels, found, used), rel=1e-9
            )
            continue
        for row, other in zip(every, found):
            assert row["changed"] == other["changed"]
            assert row["probability"] == pytest.approx(other["probability"], abs=1e-6)
            changed += row["changed"]
    assert changed > 0


def test_one_confidence_with_counts(rng):
    for _ in range(20):
        table = [
            {
                "key": "k",
                "label": "AB"[rng.integers(2)],
                "sure": float(rng.uniform(0.5, 0.99)),
                "times": int(rng.integers(1, 6)),
            }
            for _ in range(8)
        ]
        repeated, places = repeated_of(table)
        given = {"key": "key", "label": "label", "confidence": "sure", "labels": "AB"}
        found = ch.agree(table, count="times", strength=1.5, **given)
        every = ch.agree(repeated, strength=1.5, **given)
        assert [row["together"] for row in every] == [found[p]["together"] for p in places]


def test_one_stored_row_that_stands_for_nine():
    """Nine of ten rows outweigh one, merged or not."""
    rows = [{"key": "k", "label": label, "times": n} for label, n in (("A", 9), ("B", 1))]
    found = ch.agree(rows, key="key", label="label", count="times", strength=1.0)
    assert [row["together"] for row in found] == ["A", "A"]
    assert found[1]["why"] == "9 of 9 other mentions of 'k' were A, 9 of 9 are now"
    for given, match in (
        ({"gold": "label"}, "count and gold exclude each other"),
        ({"strength": -1.0}, "with count it must be >= 0"),
    ):
        with pytest.raises(ValueError, match=match):
            ch.agree(rows, key="key", label="label", count="times", **given)


def potential_of(kind, rng, values, n):
    """Returns a random potential that is convex in the counts of each value, of n members."""
    if kind == "potts":
        return ch.Potential.potts(values, 1.5, scale="members")
    steps = np.cumsum(rng.exponential(size=(values, n)), axis=1) - rng.uniform(0, n)
    return ch.Potential.sum(np.hstack([np.zeros((values, 1)), np.cumsum(steps, axis=1)]))


@pytest.mark.parametrize("kind", ["potts", "convex"])
def test_merged_members_are_as_repeated_ones(rng, kind):
    """The best score and labels of a clique do not depend on whether equal members are merged.
    (test_settling.py has the same for the truncated linear potential.)"""
    solver, differ = ch.CliqueSolver(), 0
    for _ in range(30):
        count, values = int(rng.integers(2, 5)), int(rng.integers(2, 4))
        scores, times = 2 * rng.normal(size=(count, values)), rng.integers(1, 4, size=count)
        potential = potential_of(kind, rng, values, int(times.sum()))
        given = scores * times[:, None]
        merged = solver.solve(potential, given, weights=times)
        every = solver.solve(potential, np.repeat(scores, times, axis=0))
        assert merged.score == pytest.approx(every.score)
        assert np.repeat(merged.labels, times).tolist() == every.labels.tolist()
        differ += merged.labels.tolist() != given.argmax(axis=1).tolist()
    assert differ > 5


def test_weights_of_one_change_nothing(rng):
    ones = [{**row, "times": 1} for row in mentions_of(rng, 3)]
    assert agreed(ones, 3, count="times") == agreed(ones, 3)


def test_reasons_count_weights():
    scores = [[[2.0, 0.1]], [[0.9, 1.2]], [[1.9, 0.3]]]
    agree = ch.Agreement(weights=[[4], [1], [2]])
    (change,) = ch.decode(scores, tokens=[["x"]] * 3, agree=agree).changed
    (reason,) = change.reasons
    assert (change.chain, reason.others, reason.agreeing) == (1, 6, 6)
    assert reason.agreeing_before == 6


def test_bad_columns_of_weights():
    table = [{"key": "k", "label": "A", "times": 1}, {"key": "k", "label": "B", "times": 1}]

    def refused(kind, message, times=1, **options):
        some = [table[0], {**table[1], "times": times}]
        given = {"key": "key", "label": "label", "count": "times", **options}
        with pytest.raises(kind, match=message):
            ch.agree(some, **given)

    refused(ValueError, r"row 1: column 'times' is 0, not an integer from 1", 0)
    refused(ValueError, r"row 1: column 'times' is -3", -3)
    refused(ValueError, r"row 1: column 'times' is 1.5, not an integer", 1.5)
    refused(ValueError, r"row 1: column 'times' is null", math.nan)
    refused(ValueError, r"row 1: column 'times' is inf", math.inf)
    refused(ValueError, r"row 1: column 'times' is 2147483648", 2**31)
    refused(ValueError, r"row 1: column 'times' is null", None)
    refused(ValueError, r"row 1: column 'times' is 'two', not an integer", "two")
    refused(ValueError, r"adds up to 2147483648 over the rows with the key of row 0", 2**31 - 1)
    refused(ValueError, r"count: there is no column 'counts' \(columns: ", count="counts")
    refused(ValueError, r"strength\[0\] is -1.0; with count", strength=-1.0)
    refused(ValueError, r"count and gold exclude each other", gold="label")


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
