from __future__ import annotations

import numpy as np
import pytest

import libchorale as ch
from libchorale import experimental


def shown(fired, values):
    """Returns the value of a property that fires these values. values: R. EMPTY is R, and CONFLICT
    is R + 1."""
    distinct = set(fired)
    return values if not distinct else distinct.pop() if len(distinct) == 1 else values + 1


def test_ready_made_properties_are_their_definitions(rng):
    for _ in range(200):
        labels, length = int(rng.integers(1, 4)), int(rng.integers(0, 6))
        y = rng.integers(0, labels, length)
        tokens = rng.integers(-1, 5, length)
        ignored = rng.random(labels) < 0.3
        anchor = int(rng.integers(labels))

        position = int(rng.integers(6))
        prop = ch.Property.position_label(labels, position)
        assert prop.evaluate(y) == shown(y[position : position + 1].tolist(), labels)
        prop = ch.Property.token_label(labels, 3)
        fired = y[tokens == 3].tolist()
        assert prop.evaluate(y, table=tokens) == shown(fired, labels)
        assert prop.fired(y, table=tokens).tolist() == fired
        prop = ch.Property.first_label(labels, ignored=ignored)
        fired = [int(label) for label in y if not ignored[label]][:1]
        assert prop.evaluate(y) == shown(fired, labels)

        # No label is ignored here, so the segments are the maximal runs of the anchor.
        ends = [t for t in range(length) if y[t] == anchor and (y[t + 1 : t + 2] != anchor).all()]
        starts = [t for t in range(length) if y[t] == anchor and (t == 0 or y[t - 1] != anchor)]
        prop = ch.Property.next_label(labels, anchor, rule="ends_at_ignored", end_value=labels)
        fired = [int(y[t + 1]) if t + 1 < length else labels for t in ends]
        assert prop.evaluate(y) == shown(fired, labels + 1)
        prop = ch.Property.token_before(labels, anchor, values=6, start_value=5)
        fired = [int(tokens[t - 1]) if t else 5 for t in starts]
        fired = [value for value in fired if value >= 0]
        assert prop.evaluate(y, table=tokens) == shown(fired, 6)


def test_kinds():
    names = ["O", "B-Title", "I-Title", "B-Venue", "I-Venue"]
    kinds = ch.LabelMap.from_names(names)
    assert kinds.kind_names == ("O", "Title", "Venue") and kinds.kind("Venue") == 2
    prop = ch.Property.next_label(
        kinds, anchor=kinds.kind("Title"), ignored=[True, False, False, False, False]
    )
    assert prop.labels == 5 and prop.values == 3
    assert prop.evaluate([1, 2, 0, 3]) == kinds.kind("Venue")
    # The second B-Title begins a new segment, directly after the first.
    assert prop.fired([1, 1, 3]).tolist() == [1, 2]
    assert prop.evaluate([1, 1, 3]) == 4
    plain = ch.LabelMap.from_names(["Other", "Title"], "plain")
    assert plain.kind_names == ("Other", "Title")
    with pytest.raises(ValueError, match="begins"):
        ch.Property.first_label(ch.LabelMap(3, 3, begins=[True]))


def test_automata():
    # At the end, fires the label of the last position.
    following = np.array([[[0, 1]], [[0, 1]]])
    last = ch.Property.automaton(following, values=2, end_actions=[0, 1])
    assert last.evaluate([1, 0]) == 0 and last.evaluate([0, 1]) == 1
    actions = np.full((2, 1, 2), ch.FIRE_NOTHING)
    actions[0, 0, 1] = ch.FIRE_LABEL
    entering = ch.Property.automaton(following, actions, values=9, label_values=[-1, 8])
    assert entering.fired([0, 1, 1, 0, 1]).tolist() == [8, 8]
    actions[0, 0, 1] = ch.FIRE_TABLE
    following_token = ch.Property.automaton(
        following, actions, values=9, table_offset=1, outside_value=7
    )
    assert following_token.fired([0, 1, 0, 1], table=[1, 2, 3, 4]).tolist() == [3, 7]
    # On a tree: a position of label 1 whose parent has label 0 fires 0.
    local = ch.Property.local([[[-1, -1, -1], [0, -1, -1]]], values=1)
    assert local.evaluate([0, 1], parents=[-1, 0]) == 0
    assert local.evaluate([1, 1], parents=[-1, 0]) == 1
    with pytest.raises(ch.ArgumentError) as caught:
        last.evaluate([0, 1], parents=[-1, 0])
    assert caught.value.name == "CHORALE_ERROR_AUTOMATON_ON_TREE"
    with pytest.raises(ValueError, match="actions"):
        ch.Property.automaton(following, np.zeros((2, 2, 1), int), values=2)
    with pytest.raises(ValueError, match="actions"):
        ch.Property.local([[[0]]], values=1)
    with pytest.raises(ValueError):
        ch.Property.automaton(following + 5, values=2)


def test_rules():
    builder = ch.Property.builder(2, values=5, classes=2)
    state = builder.add_state()
    assert state == 1
    builder.rule(0, position_class=1, label=1, next=state, action=3)
    builder.rule(state, label=0, next=0, action=ch.FIRE_TABLE)
    builder.end_rule(state, action=4)
    builder.table(-1, outside_value=2)
    prop = builder.finish()
    assert prop.fired([1, 1, 0, 0], classes=[0, 1, 0, 0], table=[1, 2, 3, 4]).tolist() == [3, 2]
    assert prop.fired([0, 1], classes=[1, 1], table=[0, 0]).tolist() == [3, 4]
    builder.rule(experimental.ANY, action=0)
    assert builder.finish(label_values=[0, 1]).fired([1, 1], table=[0, 0]).tolist() == [0, 0]
    for wrong in (7, -1):  # -1 is FIRE_NOTHING, not ANY
        with pytest.raises(ch.ArgumentError, match=f"state is {wrong}"):
            builder.rule(wrong)
    with pytest.raises(ch.ArgumentError):
        builder.rule(0, action=5)
    with pytest.raises(ValueError, match="32 bits"):
        builder.rule(2**31)


def test_dictionaries():
    known = experimental.Dictionary([9, 2, 9, 5])
    assert known.values.tolist() == [2, 5, 9] and len(known) == 3 and not known.unlisted
    with_out = experimental.Dictionary([9, 2], unlisted=True)
    assert with_out.values.tolist() == [2, 9] and len(with_out) == 3 and with_out.unlisted
    with pytest.raises(ch.ArgumentError):
        experimental.Dictionary([-1])
    with pytest.raises(ch.ArgumentError):
        experimental.Dictionary([])
    with pytest.raises(TypeError):
        experimental.Dictionary([0.5])


def test_bad_labellings():
    prop = ch.Property.first_label(2)
    for name in ("classes", "table", "parents"):
        with pytest.raises(ValueError, match=name):
            prop.evaluate([0, 1, 0], **{name: [0, 0]})
    with pytest.raises(ch.ArgumentMissingError, match="table"):
        ch.Property.token_before(2, 0, values=3).evaluate([0, 1])
