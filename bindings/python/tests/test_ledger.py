from __future__ import annotations

import time

import numpy as np
import pytest

import libchorale as ch
from libchorale.ledger import Ledger

LABELS = ["A", "B", "C"]
EVIDENCE = ch.Evidence(most=2.5, once=1.0, each=0.4)


def drawn(rng, count, keys):
    names = ["Key {}", "key  {}", "KEY-{}."]
    return [
        {
            "name": None
            if rng.random() < 0.05
            else rng.choice(names).format("xyzuvw"[rng.integers(keys)]),
            "type": rng.choice([*"ABCabc", "?"]),
            "sure": rng.choice([0.2, 0.4, 0.6, 0.8, 0.97]),
            "times": int(rng.integers(1, 4)),
        }
        for _ in range(count)
    ]


def added(ledger, rows, order):
    return {
        int(n): ledger.add(
            rows[n]["name"], rows[n]["type"], rows[n]["sure"], row=int(n), count=rows[n]["times"]
        )
        for n in order
    }


@pytest.mark.parametrize("labels", [2, 3])
def test_whatever_the_order_the_labels_are_those_of_the_table(rng, labels):
    conflicts = 0
    for _ in range(30):
        rows = drawn(rng, 40, 6)
        for row in rows:
            row["type"] = (
                {"c": "b", "C": "B"}.get(row["type"], row["type"]) if labels == 2 else row["type"]
            )
        given = {"labels": LABELS[:labels], "evidence": EVIDENCE, "abstain": "?"}
        settled = ch.settle(
            rows, key="name", label="type", confidence="sure", count="times", **given
        )
        conflicts += settled.conflicts
        expected = [None if code < 0 else LABELS[code] for code in settled.codes.tolist()]
        for _ in range(3):
            ledger = Ledger(**given)
            told = {}
            for n, placed in added(ledger, rows, rng.permutation(len(rows))).items():
                told.update({n: placed.label, **placed.changed})
            assert [told[n] for n in range(len(rows))] == expected
            current = ledger.current()
            assert [current[n] for n in range(len(rows))] == expected
            assert len(ledger.conflicts()) == settled.conflicts and ledger.due() == {}
            assert len(ledger) == len(rows)
    assert conflicts > 10


def columns(rows):
    return [{"row": f"r{n}", **row} for n, row in enumerate(rows)]


GIVEN = {"key": "name", "label": "type", "confidence": "sure", "count": "times", "row": "row"}


@pytest.mark.parametrize("revise", [True, False])
def test_a_table_is_as_its_rows_one_by_one(rng, revise):
    for _ in range(10):
        rows = columns(drawn(rng, 60, 6))
        one, many = (Ledger(LABELS, evidence=EVIDENCE, abstain="?", revise=revise) for _ in "ab")
        told = {}
        for first in range(0, 60, 20):
            for row in rows[first : first + 20]:
                placed = one.add(
                    row["name"], row["type"], row["sure"], row=row["row"], count=row["times"]
                )
                told.update({row["row"]: placed.label, **placed.changed})
            before = many.current()
            placed = many.add_table(rows[first : first + 20], **GIVEN)
            labels = {row["row"]: label for row, label in zip(rows[first:], placed.label)}
            if revise:
                assert {**before, **labels, **placed.changed} == told
            else:
                assert placed.changed == {} and many.current() == one.current()
        assert sorted(map(str, many.conflicts())) == sorted(map(str, one.conflicts()))
        assert many.refit() == {} if not revise else many.refit() == one.refit()


def test_tables_of_several_columns_and_without_names():
    ledger = Ledger(LABELS, evidence=EVIDENCE, missing=0.6, numbers=True)
    ledger.add(("x  Y", 1), "A", 0.9)
    table = [{"a": "X y", "b": 1, "type": "b", "sure": None}, {"a": "", "b": 1, "type": "C"}]
    placed = ledger.add_table(table, key=("a", "b"), label="type", confidence="sure")
    assert placed.label == ["A", "C"] and placed.changed == {}
    assert ledger.current() == {0: "A", 1: "A", 2: "C"}


def test_a_table_with_entries_that_cannot_be_used_changes_nothing():
    ledger = Ledger(LABELS, evidence=EVIDENCE)
    table = columns(
        [{"name": "k", "type": v, "sure": p, "times": 1} for v, p in [("A", 2), ("Q", 1)]]
    )
    with pytest.raises(ch.TableError) as caught:
        ledger.add_table(table, **GIVEN)
    assert [(p.row, p.column) for p in caught.value.problems] == [(0, "sure"), (1, "type")]
    assert "unusable" not in str(caught.value)
    with pytest.raises(ValueError, match="column 'sure' has lists of alternatives; a ledger takes"):
        ledger.add_table([{**table[0], "sure": {"A": 0.5, "B": 0.5}}], **GIVEN)
    with pytest.raises(ValueError, match="row: there is no column 'id'"):
        ledger.add_table(table[:0] + [{**table[0], "sure": 1}], **{**GIVEN, "row": "id"})
    assert len(ledger) == 0 and ledger.current() == {}


def test_without_leave_labels_stay(rng):
    rows = drawn(rng, 60, 3)
    ledger = Ledger(LABELS, evidence=EVIDENCE, abstain="?", revise=False)
    placed = added(ledger, rows, range(60))
    assert not any(of.changed for of in placed.values())
    current, due = ledger.current(), ledger.due()
    assert due == {n: current[n] for n in current if current[n] != placed[n].label}
    assert len(due) > 0
    ledger.refit()
    assert [of.label for of in placed.values()] == [placed[n].label for n in placed]


def test_refit_is_the_estimate_of_the_table(rng):
    rows = [row for row in drawn(rng, 200, 6) if row["name"]]
    ledger = Ledger(LABELS, evidence=EVIDENCE, abstain="?")
    added(ledger, rows, range(len(rows)))
    before = ledger.current()
    changed = ledger.refit()
    settled = ch.settle(
        rows, key="name", label="type", confidence="sure", count="times", labels=LABELS, abstain="?"
    )
    assert ledger.evidence == settled.evidence
    now = [None if code < 0 else LABELS[code] for code in settled.codes.tolist()]
    current = ledger.current()
    assert [current[n] for n in range(len(rows))] == now
    assert changed == {n: label for n, label in enumerate(now) if label != before[n]}


def test_saved_and_loaded(rng, tmp_path):
    rows = drawn(rng, 80, 5)
    ledger = Ledger(
        {"A": ["first"], "B": [], "C": []},
        evidence=EVIDENCE,
        abstain="?",
        missing=0.6,
        levels={"so": 0.7},
    )
    added(ledger, rows[:40], range(40))
    ledger.add(("a", "b"), "First", None, row="r")
    path = tmp_path / "ledger.jsonl"
    ledger.save(path)
    loaded = Ledger.load(path)
    assert loaded.current() == ledger.current() and len(loaded) == len(ledger)
    assert loaded.evidence == ledger.evidence
    rest = range(40, 80)
    assert added(loaded, rows, rest) == added(ledger, rows, rest)
    assert loaded.add(("A", "B"), "b", "so") == ledger.add(("A", "B"), "b", "so")
    path.write_text("{}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="is no ledger of this version"):
        Ledger.load(path)


def test_bad_mentions_change_nothing():
    ledger = Ledger(LABELS, evidence=EVIDENCE)
    for given, match in (
        (("k", "Q", 0.5), "label is 'Q', not one of the labels 'A', 'B', 'C'"),
        (("k", "A", "so-so"), "confidence is 'so-so', which is none"),
        (("k", "A", None), "confidence is None, which is none"),
        (("k", "A", 1.5), "confidence is 1.5, which is none"),
    ):
        with pytest.raises(ValueError, match=match):
            ledger.add(*given)
    with pytest.raises(ValueError, match="count is 0; it must be at least 1"):
        ledger.add("k", "A", count=0)
    assert len(ledger) == 0 and ledger.current() == {}


def test_a_row_takes_microseconds():
    ledger = Ledger(LABELS, evidence=EVIDENCE)
    keys = np.random.default_rng(0).integers(20000, size=40000).tolist()
    began = time.process_time()
    for n, key in enumerate(keys):
        ledger.add(f"Name {key} x", "ABC"[n % 3], 0.8, row=n)
    assert (time.process_time() - began) / len(keys) < 1e-4
