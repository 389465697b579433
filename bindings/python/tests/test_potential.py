from __future__ import annotations

import math

import numpy as np
import pytest
from oracle import FAMILIES, potential

import libchorale as ch


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_its_formula(rng, family):
    for _ in range(20):
        values, members = int(rng.integers(1, 6)), int(rng.integers(1, 9))
        made, function = potential(ch, rng, family, values, members)
        counts = np.bincount(rng.integers(0, values, members), minlength=values)
        assert made.evaluate(counts) == pytest.approx(function(counts, members), abs=1e-9)
        assert made.values == values


def test_families_have_names():
    families = {
        ch.Potential.potts(2, 1.0).family,
        ch.Potential.cardinality([0.0, 1.0, 5.0]).family,
        ch.Potential.makespan(2, 1.0).family,
        ch.Potential.majority(np.eye(2)).family,
        ch.Potential.pairs([[0.0, 1.0], [2.0, 0.0]]).family,
        ch.Potential.callback(2, lambda counts, members: 0.0).family,
    }
    assert families == {"sum", "max", "majority", "pairs", "callback"}


def test_values_that_do_not_count():
    made = ch.Potential.potts(3, 1.0, counted=[True, True, False])
    assert made.evaluate([2, 1, 4]) == 5.0
    table = ch.Potential.cardinality([0, 1, 4, 9], values=3, counted=[True, False, True])
    assert table.evaluate([1, 0, 2]) == 4.0
    with pytest.raises(ch.ArgumentError) as caught:
        table.evaluate([1, 5, 2])
    assert caught.value.name == "CHORALE_ERROR_TABLE_TOO_SHORT"


def test_scales():
    assert ch.Potential.potts(2, 1.0, scale="members").evaluate([3, 1]) == 10 / 4
    logarithm = ch.Potential.potts(2, 1.0, scale="log").evaluate([3, 1])
    assert logarithm == pytest.approx(10 / math.log(4))


def test_one_table_for_all_values():
    table = [0.0, 1.0, 4.0, 9.0]
    assert ch.Potential.sum(table, values=3, shape="convex").evaluate([2, 0, 1]) == 5.0
    assert ch.Potential.max(table, values=3).evaluate([2, 0, 1]) == 4.0
    with pytest.raises(TypeError, match="values"):
        ch.Potential.sum(table)


def test_a_callback_gets_counts_of_its_own():
    kept = []

    def function(counts, members):
        kept.append(counts)
        return 0.5

    made = ch.Potential.callback(3, function)
    assert made.evaluate([1, 2, 0]) == 0.5
    assert kept[0].tolist() == [1, 2, 0] and kept[0].dtype == np.int64
    assert kept[0].flags.owndata or kept[0].base.flags.owndata


def test_bad_arguments():
    with pytest.raises(ch.ArgumentError, match="values") as caught:
        ch.Potential.potts(0, 1.0)
    assert isinstance(caught.value, (ValueError, ch.Error))
    assert caught.value.name == "CHORALE_ERROR_SIZE" and caught.value.status == 20
    for wrong in (1.5, "2", None, True):
        with pytest.raises(TypeError, match="values"):
            ch.Potential.potts(wrong, 1.0)
    for too_large in (2**63, -(2**70)):
        with pytest.raises(ValueError, match="64 bits"):
            ch.Potential.potts(too_large, 1.0)
    with pytest.raises(TypeError, match="strength"):
        ch.Potential.potts(2, "much")
    with pytest.raises(ValueError):
        ch.Potential.potts(2, math.nan)
    with pytest.raises(ValueError, match="scale"):
        ch.Potential.potts(2, 1.0, scale="mebmers")
    with pytest.raises(ValueError, match="counted"):
        ch.Potential.potts(2, 1.0, counted=[True])
    with pytest.raises(TypeError, match="counted"):
        ch.Potential.potts(2, 1.0, counted=[0.5, 1.0])
    with pytest.raises(ValueError, match="weights"):
        ch.Potential.majority([1.0, 2.0])
    for create, name in ((ch.Potential.majority, "weights"), (ch.Potential.pairs, "scores")):
        for shape in ((2, 3), (3, 2)):
            with pytest.raises(ValueError, match=f"{name} has shape"):
                create(np.zeros(shape))
    with pytest.raises(ValueError, match="bias"):
        ch.Potential.majority(np.zeros((2, 2)), bias=[1.0])
    with pytest.raises(TypeError, match="tables"):
        ch.Potential.sum([["a", "b"]])
    with pytest.raises(TypeError, match="tables"):
        ch.Potential.sum(np.zeros((2, 2), dtype=complex))
    with pytest.raises(ValueError):
        ch.Potential.sum([[1.0, 2.0], [1.0]])
    with pytest.raises(TypeError, match="function"):
        ch.Potential.callback(2, 5)
    with pytest.raises(ValueError):
        ch.Potential.potts(2, 1.0).evaluate([1, 1, 0])
    with pytest.raises(TypeError, match="made by"):
        ch.Potential()
