from __future__ import annotations

import html
import json
import math
import pickle
import re
from collections import Counter

import numpy as np
import pytest
from dirty import GIVEN as DIRTY
from dirty import by_hand, table
from test_mentions import KINDS, as_rows, rows_of

import libchorale as ch
from libchorale._given import RULES, all_spelt, ruled, spelt


def rows(*entries, columns=("name", "type", "sure")):
    return [dict(zip(columns, entry)) for entry in entries]


GIVEN = {"key": "name", "label": "type", "confidence": "sure"}


def together(table, **given):
    return [row["together"] for row in ch.settle(table, **{**GIVEN, **given}).table]


# ---- As they come


def test_a_dirty_table_in_one_call():
    right = usual = 0
    for seed in range(20):
        dirty = table(seed)
        right += sum(row["together"] == row["gold"] for row in ch.settle(dirty, **DIRTY).table)
        usual += sum(kind == row["gold"] for kind, row in zip(by_hand(dirty), dirty))
    assert right > 1.02 * usual


def test_what_is_said_of_a_dirty_table():
    dirty = table()
    settled = ch.settle(dirty, **DIRTY)
    assert {problem.column for problem in settled.problems} == {"type", "sure"}
    assert settled.read_as["labels in another spelling"] > 100
    assert settled.read_as["no confidence, taken as 0.6"] > 10
    for row, made in zip(dirty, settled.table):
        assert {name: made[name] for name in row} == row


def test_all_problems_are_told_at_once():
    given = rows(("a", None, 0.5), ("a", "X", "so-so"), ("a", "Z", 1.5), ("a", "X", 0.9))
    with pytest.raises(ch.TableError) as caught:
        ch.settle(given, labels=["X", "Y"], **GIVEN)
    told = [(p.row, p.column, p.value) for p in caught.value.problems]
    assert told == [
        (0, "type", None),
        (1, "sure", "so-so"),
        (2, "sure", 1.5),
        (2, "type", "Z"),
    ]
    assert str(caught.value).splitlines()[:2] == [
        "4 entries of the table cannot be used:",
        "row 0: column 'type' is null",
    ]
    assert pickle.loads(pickle.dumps(caught.value)).problems == caught.value.problems
    made = ch.settle(given, labels=["X", "Y"], unusable="keep", **GIVEN).table
    assert [row["together"] for row in made] == [None, "X", "Z", "X"]
    given[1]["type"] = " x"
    for confidence in ("so-so", [1.0]):
        given[1]["sure"] = confidence
        made = ch.settle(given, labels=["X", "Y"], unusable="keep", **GIVEN).table
        assert [row["together"] for row in made] == [None, " x", "Z", "X"]
    made = ch.settle(given, labels=["X", "Y"], unusable="fill", **GIVEN).table
    assert [row["together"] for row in made] == ["X"] * 4
    made = ch.settle(given, labels=["X", "Y"], unusable="keep", **GIVEN).table
    assert made[0]["why"] == "left alone: column 'type' is null"
    assert made[0]["probability"] is None and not any(row["changed"] for row in made)


@pytest.mark.parametrize(
    "value, share",
    [
        *((0.83, 0.83), ("0.83", 0.83), ("85 %", 0.85), ("85%", 0.85), ("0,5", 0.5)),
        *(("high", 0.9), (" Very High", 0.95), ("low", 0.5), (1, 1 - 1e-6)),
    ],
)
def test_confidences(value, share):
    [row] = ch.settle([{"name": "a", "type": "X", "sure": value}], labels="XY", **GIVEN).table
    most = 1 / (1 + 1 / 19)  # of a table in which no key is shared
    assert row["probability"] == pytest.approx(min(share, most), abs=1e-6)


def test_other_scales():
    def sure(value, **given):
        evidence = ch.Evidence(most=9.0, once=3.0, each=1.0)
        given = {"labels": "XY", "evidence": evidence, **GIVEN, **given}
        return ch.settle(rows(("a", "X", value)), **given).table[0]["probability"]

    assert sure(math.log(0.7), scale="logarithm") == pytest.approx(0.7, abs=1e-6)
    assert sure(70, scale="percent") == pytest.approx(0.7, abs=1e-6)
    assert sure("sehr", levels={"sehr": 0.7}) == pytest.approx(0.7, abs=1e-6)
    assert sure(None, missing=0.7) == pytest.approx(0.7, abs=1e-6)
    for value, scale in (
        (0.5, "logarithm"),
        (101, "percent"),
        (-0.1, "probability"),
        (None, "percent"),
    ):
        with pytest.raises(ch.TableError):
            sure(value, scale=scale)


@pytest.mark.parametrize(
    "value",
    [
        [{"label": "X", "score": 0.7}, {"label": "Y", "score": 0.2}],
        '[{"label": "x", "score": "70 %"}, {"label": "Y", "score": 0.2}]',
        {"X": 0.7, "Y": 0.2},
        '{"X": 0.7, "Y": 0.2}',
        [["X", 0.7], ("Y", 0.2)],
        '[{"label": "X", "logprob": -0.35667494}, {"label": "Y", "logprob": -1.6094379}]',
    ],
)
def test_alternatives(value):
    evidence = ch.Evidence(most=9.0, once=3.0, each=1.0)
    given = {"key": "name", "confidence": "sure", "labels": "XYZ", "evidence": evidence}
    [row] = ch.settle([{"name": "a", "sure": value}], **given).table
    assert row["together"] == "X"
    assert row["probability"] == pytest.approx(0.7, abs=1e-5)


def test_samples():
    evidence = ch.Evidence(most=9.0, once=3.0, each=1.0)
    given = {"key": "name", "confidence": "said", "evidence": evidence}
    said = [{"name": "a", "said": ["X", "X", "Y", "X"]}]
    settled = ch.settle(said, labels="XYZ", **given)
    [row] = settled.table
    assert row["together"] == "X" and row["probability"] == pytest.approx(3 / 5, abs=1e-5)


def test_labels_in_several_spellings():
    given = rows(("a", "ORG", 0.9), ("a", "org ", 0.9), ("b", "Firm", 0.9), ("b", "nix", 0.9))
    assert together(given, labels={"ORG": ["firm"], "PER": []}, abstain="NIX") == ["ORG"] * 4
    assert together(given) == ["ORG", "ORG", "Firm", "nix"]
    assert together(given, label_rules=()) == ["ORG", "org ", "Firm", "nix"]
    settled = ch.settle(given, labels={"ORG": ["firm"], "PER": []}, abstain="NIX", **GIVEN)
    assert settled.read_as == {
        "labels in another spelling": 2,
        "rows that say nothing (abstain)": 1,
    }
    assert settled.changed.tolist() == [False, False, False, True]


def test_null_labels_may_abstain():
    given = rows(("a", "X", 0.9), ("a", None, 0.9), ("a", "", 0.9), ("b", None, None))
    made = together(given, labels="XY", abstain=[None, ""], missing=0.5)
    assert made == ["X", "X", "X", None]
    with pytest.raises(ch.TableError, match="^row 2: column 'type' is '', which is empty"):
        ch.settle(given[:3], abstain=[None], **GIVEN)
    settled = ch.settle(given[:2], abstain=["none", None], **GIVEN)
    assert settled.read_as == {"rows that say nothing (abstain)": 1}


def test_why_of_a_row_that_is_alone():
    given = rows(("a", "X", 0.3), (None, "Y", 0.2), ("c", "X", 0.9))
    made = ch.settle(given, labels="XY", **GIVEN).table
    assert [row["together"] for row in made] == ["Y", "X", "X"]
    assert [row["why"] for row in made] == [
        "by its own confidence it is Y rather than X",
        "by its own confidence it is X rather than Y",
        None,
    ]


def test_keys_in_several_spellings():
    def keys(*names, **given):
        made = ch.settle(
            [{"name": name, "type": "X"} for name in names], key="name", label="type", **given
        )
        codes = made._read.mentions.key.tolist()
        return [-1 if code < 0 else codes.index(code) for code in codes]

    assert keys("Acme Corp.", "ACME-corp", " acme  corp", "ＡＣＭＥ ｃｏｒｐ", "C", "C++") == [
        *(0, 0, 0, 0, 4, 5)
    ]
    assert keys("Acme", "acme", key_rules=()) == [0, 1]
    for name, (first, second) in {
        "unicode": ("Ａ", "A"),
        "case": ("Straße", "STRASSE"),
        "punctuation": ("U.S.", "US"),
        "space": ("a  b", "a b"),
    }.items():
        assert keys(first, second, key_rules=[name]) == [0, 0]
        assert keys(first, second, key_rules=[rule for rule in RULES if rule != name]) == [0, 1]
    assert keys("120", "120", "12/2024", "12/2024", None, None, "...", "...") == [-1] * 8
    assert keys("120", "120", numbers=True) == [0, 0]
    assert keys(120, 120) == [0, 0]
    with pytest.raises(ValueError, match="key_rules has 'colour', not one of unicode, case"):
        keys("a", key_rules=["colour"])


def test_texts_are_spelt_alike_one_by_one_and_all_at_once(rng):
    characters = np.array(
        [*"aB .,-'ß", "Σ", "σ", "ς", "Ａ", "ﬁ", "é", "e\u0301", "\u0301", "\0", "\n", "İ"]
    )
    for at in range(200):
        texts = ["".join(rng.choice(characters, size=rng.integers(6))) for _ in range(5)]
        texts = [text if at % 2 else text.replace("\0", "") for text in texts]
        names = [name for name in RULES if rng.integers(2)]
        rules = ruled("rules", names)
        assert all_spelt(texts, rules) == [spelt(text, rules) for text in texts]
    assert all_spelt([], rules) == [] and all_spelt([3, "A"], list(RULES.values())) == [3, "a"]


def test_partial_names():
    names = ["Kahlo", "Frida Kahlo", "kahlo", "Frida", "Frida Giannini", "Frida", "Giannini"]
    given = [{"d": d, "name": name, "type": "X"} for d in "ab" for name in names[d == "b" :]]

    def keys(**given_too):
        made = ch.settle(given, key="name", label="type", group="d", **given_too)
        codes = made._read.mentions.key.tolist()
        return [codes.index(code) for code in codes], made

    # "Kahlo" comes before the longer name in "a"; "Frida" is part of two names.
    assert keys()[0] == [0, 1, 0, 3, 4, 3, 6, 7, 8, 9, 10, 9, 12]
    found, settled = keys(partial=True)
    assert found == [0, 1, 0, 3, 4, 3, 4, 7, 7, 9, 10, 9, 10]
    assert settled.read_as["names of one word that are part of a longer one"] == 3
    with pytest.raises(ValueError, match="partial is True for a key of 2 columns; it needs one"):
        ch.settle(given, key=("name", "d"), label="type", partial=True)


@pytest.mark.parametrize("kind", KINDS)
def test_tables_of_every_kind(kind):
    columns = {
        "name": ["Jordan", "jordan", "JORDAN", None, "Jordan"],
        "type": ["PERSON", "PERSON", "ORG", "ORG", None],
        "sure": [0.9, 0.8, 0.7, 0.7, 0.7],
    }
    made = KINDS[kind](columns)
    settled = ch.settle(made, unusable="keep", **GIVEN)
    assert isinstance(settled.table, type(made)) or kind == "stream"
    found = rows_of(settled.table)
    assert [row["together"] for row in found] == ["PERSON", "PERSON", "PERSON", "ORG", None]
    assert [row["changed"] for row in found] == [False, False, True, False, False]
    assert found[4]["probability"] is None or math.isnan(found[4]["probability"])
    assert found[2]["why"] == "2 of 2 other mentions of 'Jordan' were PERSON, 2 of 2 are now"
    expected = rows_of(ch.settle(as_rows(columns), unusable="keep", **GIVEN).table)
    for row, other in zip(found, expected):
        assert row["why"] == other["why"] and row["conflict"] == other["conflict"]


def test_texts_of_confidences_in_every_kind():
    columns = {"name": ["a", "a"], "type": ["X", "Y"], "sure": ["high", "20 %"]}
    for kind in KINDS.values():
        assert [row["together"] for row in rows_of(ch.settle(kind(columns), **GIVEN).table)] == [
            "X"
        ] * 2


def test_a_function_in_sql():
    duckdb = pytest.importorskip("duckdb")
    from libchorale import sql

    connection = duckdb.connect()
    sql.register(connection)
    sql.register(connection, "settle_texts", missing=0.5)
    connection.execute("create table m (d integer, name varchar, type varchar, sure double)")
    given = [(1, "A b", "X", 0.9), (1, "a B", "Y", 0.6), (2, "a b", "Y", 0.7)]
    connection.executemany("insert into m values (?, ?, ?, ?)", given)
    query = "select unnest(list(name)) as name, unnest({}) as of from m group by {} order by min(d)"

    def found(call, groups):
        table = connection.sql(query.format(call, groups))
        return table.project("name, of.together, of.changed").fetchall()

    lists = "settle(list(name), list(type), list(sure))"
    assert found(lists, "true") == [("A b", "X", False), ("a B", "X", True), ("a b", "X", True)]
    assert found(lists, "d") == [("A b", "X", False), ("a B", "X", True), ("a b", "Y", False)]
    texts = "settle_texts(list(name), list(type), list(case when d = 2 then null else '80 %' end))"
    assert [row[1] for row in found(texts, "d")] == ["X", "Y", "Y"]
    counted = "settle(list(name), list(type), list(0.7), list(case d when 2 then 9 else 1 end))"
    assert [row[1] for row in found(counted, "true")] == ["Y", "Y", "Y"]
    one = "select settle(list(name), list(type), list(0.7)) as of from m where d = {}"
    assert connection.sql(one.format(3)).fetchall() == [(None,)]
    assert len(connection.sql(one.format(1)).fetchall()[0][0]) == 2
    for lists, match in (
        ("['a'], ['X']", "settle has 2 arguments; it takes lists of keys, labels, confidences"),
        ("['a'], ['X'], [0.5, 0.6]", "settle has lists of 1, 1, 2 entries"),
        ("['a'], null, [0.5]", "settle has lists of 1, None, 1 entries"),
        ("['a'], ['X'], ['so']", "row 0: column 'confidence' is 'so', neither a confidence"),
        ("['a'], ['X'], [0.5], [0]", "row 0: column 'count' is 0, not an integer from 1"),
    ):
        with pytest.raises(duckdb.InvalidInputException, match=match):
            connection.sql(f"select settle({lists})").fetchall()


# ---- Counts and evidence


def drawn(rng, labels=3, keys=4, count=30):
    return [
        {
            "name": f"k{rng.integers(keys)}",
            "type": "ABCD"[rng.integers(labels)],
            "sure": float(rng.choice([0.3, 0.55, 0.8, 0.95])),
            "times": int(rng.integers(1, 6)),
        }
        for _ in range(count)
    ]


def test_merged_is_repeated(rng):
    for _ in range(40):
        merged = drawn(rng)
        repeated = [row for row in merged for _ in range(row["times"])]
        first = [n for n, row in enumerate(merged) for _ in range(row["times"])]
        one, many = ch.settle(merged, count="times", **GIVEN), ch.settle(repeated, **GIVEN)
        assert one.evidence == many.evidence
        assert (one.codes[first] == many.codes).all()
        assert (one.conflict[first] == many.conflict).all()
        assert one.probability[first] == pytest.approx(many.probability)


def scores_of(row, labels, most):
    """Returns the evidence of a row for each label, as `_evidence.py` says."""
    other = (1 - row["sure"]) / (len(labels) - 1)
    margin = float(np.clip(math.log(row["sure"] / other), -most, most))
    return np.array([margin if label == row["type"] else 0.0 for label in labels])


def test_labels_are_the_best_under_the_potential(rng):
    """The solver of the library finds no better labelling under the MAX potential."""
    labels, conflicts = list("ABC"), 0
    for _ in range(60):
        most, once, each = 2.5 + rng.random(), float(rng.choice([0.0, 2.0, 50.0])), 0.2
        given = drawn(rng, count=12)
        for row in given:
            row["sure"] = float(rng.uniform(0.4, 0.99))
        settled = ch.settle(
            given, labels=labels, evidence=ch.Evidence(most, once, each), count="times", **GIVEN
        )
        conflicts += settled.conflicts
        for name in {row["name"] for row in given}:
            of = [n for n, row in enumerate(given) if row["name"] == name]
            psi = np.concatenate(
                [[scores_of(given[n], labels, most)] * given[n]["times"] for n in of]
            )
            n = len(psi)
            first, second = np.sort(psi.sum(axis=0))[:-3:-1]
            if first - second < 1e-4:  # mentions that say `most` tie: their labels stay
                continue
            table = [max(-(once + each * n), -most * (n - k)) for k in range(n + 1)]
            potential = ch.Potential.max([table] * 3)
            best = ch.CliqueSolver().solve(potential, psi).score
            found = np.repeat(settled.codes[of], [given[k]["times"] for k in of])
            score = psi[np.arange(n), found].sum() + potential.evaluate(
                np.bincount(found, minlength=3)
            )
            assert score == pytest.approx(best, abs=1e-4)
    assert conflicts > 20


def test_evidence_adds_up():
    sure = [("a", "X", 0.999), *[("a", "Y", 0.6)] * 50]
    assert together(rows(*sure)) == ["Y"] * 51
    assert together(rows(("a", "X", 0.9), ("a", "Y", 0.6))) == ["X", "X"]


def test_keys_of_two_things_keep_their_labels():
    one = [(f"k{n}", "X", 0.8) for n in range(100) for _ in range(4)]
    two = [("two", kind, 0.99) for kind in "XY" * 20]
    settled = ch.settle(rows(*one, *two), **GIVEN)
    assert settled.codes[-40:].tolist() == [0, 1] * 20
    assert settled.conflict.tolist() == [False] * 400 + [True] * 40
    assert settled.table[-1]["why"] == "not settled: 'two' is 20 X, 20 Y"
    assert settled.left_alone == {"evidence does not settle the label of the key": 40}


def test_groups():
    given = [{"d": d, "name": "Jordan", "type": kind} for d, kind in zip("aaabbb", "XXYYYX")]
    settled = ch.settle(given, key="name", label="type", group="d")
    assert settled.codes.tolist() == [0, 0, 0, 1, 1, 1]
    assert settled.table[5]["why"] == (
        "2 of 2 other mentions of 'Jordan' in this d were Y, 2 of 2 are now"
    )
    assert settled.review(1)[0].key in (("Jordan", "a"), ("Jordan", "b"))


def test_equal_evidence_is_a_conflict():
    settled = ch.settle(rows(("a", "X", 0.8), ("a", "Y", 0.8), ("b", "Y", 0.8)), **GIVEN)
    assert settled.conflict.tolist() == [True, True, False] and not settled.changed.any()


def of_one_type(rng, keys=300, two=0.0, errors=0.12):
    made = []
    for k in range(keys):
        is_two, kind = rng.random() < two, rng.integers(4)
        for _ in range(int(rng.choice([2, 5, 20]))):
            right = (kind + is_two * rng.integers(2)) % 4
            sure = 1 - 2 * errors * rng.random()
            said = right if rng.random() < sure else (right + rng.integers(1, 4)) % 4
            made.append(
                {"name": f"k{k}", "type": "ABCD"[said], "sure": sure, "gold": "ABCD"[right]}
            )
    return made


def test_not_below_a_majority_nor_below_the_tagger(rng):
    for two in (0.0, 0.05):
        given = of_one_type(rng, two=two)
        votes: dict[str, Counter] = {}
        for row in given:
            votes.setdefault(row["name"], Counter())[row["type"]] += 1
        majority = [votes[row["name"]].most_common(1)[0][0] for row in given]
        right = sum(label == row["gold"] for label, row in zip(together(given), given))
        least = sum(label == row["gold"] for label, row in zip(majority, given))
        assert right >= least - 0.01 * len(given)
        assert right > 1.03 * sum(row["type"] == row["gold"] for row in given)


def test_learnt_from_gold(rng):
    given = of_one_type(rng, errors=0.3)
    settled = ch.settle(given, gold="gold", **GIVEN)
    assert settled.tested is not None and settled.tested["after"] > settled.tested["before"]
    assert settled.evidence.origin.startswith(f"learnt from {len(given)} right labels; on keys")
    # Where every mention is right by itself, nothing is applied.
    for row in given:
        row["gold"] = row["type"]
    settled = ch.settle(given, gold="gold", **GIVEN)
    assert not settled.changed.any() and "nothing is applied" in settled.evidence.origin
    assert "of 2" in str(settled) or "with gold" in str(settled)


def test_probability_and_gain():
    settled = ch.settle(rows(("a", "X", 0.9), ("b", "Y", 0.6)), **GIVEN)
    assert settled.probability == pytest.approx([0.9, 0.6], abs=1e-6)
    settled = ch.settle(rows(*[("a", "X", 0.8)] * 3, ("a", "Y", 0.7)), **GIVEN)
    now = settled.probability[3]
    assert 0.9 < now < 1 and settled.gain == pytest.approx(2 * now - 1, abs=0.02)


# ---- Review


def conflicting():
    big = [("big", kind, 0.99) for kind in "XY" * 30]
    small = [("small", kind, 0.99) for kind in "XY" * 5]
    one = [(f"k{n}", "X", 0.8) for n in range(100) for _ in range(4)]
    return rows(*one, *small, *big)


def test_review_and_answers():
    settled = ch.settle(conflicting(), **GIVEN)
    first, second = settled.review(2)
    assert (first.key, second.key) == ("big", "small")
    assert first.labels == {"X": 30, "Y": 30} and first.proposed is None
    assert first.expected == pytest.approx(15.0)
    assert len(first.rows) == 6 and first.row in first.rows
    assert str(first) == "What is 'big'? Its mentions: 30 X, 30 Y"
    answered = settled.answer({first.row: "x", second.row: None})
    assert answered.codes[-60:].tolist() == [0] * 60 and answered.probability[-1] == 1.0
    assert answered.codes[400:410].tolist() == settled.codes[400:410].tolist()
    assert (answered.codes[:400] == settled.codes[:400]).all()
    assert answered.conflicts == 0 and settled.conflicts == 2
    assert all(question.key not in ("big", "small") for question in answered.review(9))
    with pytest.raises(ValueError, match="answers has row 470, of 470 rows"):
        settled.answer({470: "X"})
    with pytest.raises(ValueError, match="answers has 'Q' for row 405, not one of the labels"):
        settled.answer({405: "Q"})


def test_a_page_of_questions():
    table = rows(*[("A & <b>", "X", 0.9)] * 2, *[("a & <B>", "Y", 0.9)] * 2, ("c", "Z", 0.9))
    settled = ch.settle(table, **GIVEN)
    page = settled.page()
    assert "<h2>What is &#x27;A &amp; &lt;b&gt;&#x27;? Its mentions: 2 X, 2 Y</h2>" in page
    assert "<td>2</td><td>a &amp; &lt;B&gt;</td><td>Y</td></tr>" in page
    assert "<p>Evidence does not settle it.</p>" in page and "1 keys are not settled" in page
    # What the page saves: the name of a choice is the row, and its value the label.
    [row] = re.findall(r'<select name="(\d+)">', page)
    values = [html.unescape(value) for value in re.findall(r'<option value="(.*?)">', page)]
    assert values == ["", '"X"', '"Y"', "null", '"Z"']
    answers = [settled.answer({int(row): json.loads(value)}) for value in values[1:]]
    assert [of.codes.tolist()[:4] for of in answers] == [[0] * 4, [1] * 4, [0, 0, 1, 1], [2] * 4]
    assert all(of.conflicts == 0 for of in answers)


def test_review_is_by_solving_under_each_answer(rng):
    for _ in range(20):
        settled = ch.settle(drawn(rng, keys=8), **GIVEN)
        for question in settled.review(8):
            key = settled._read.mentions.key == settled._read.mentions.key[question.row]
            changes = {
                label: int(
                    (settled.answer({question.row: label}).codes != settled.codes)[key].sum()
                )
                for label in [*settled.labels, None]
            }
            assert 0 < question.expected <= max(changes.values())
            if settled.conflict[question.row]:
                votes = sum(question.labels.values())
                share = {label: question.labels.get(label, 0) / votes for label in settled.labels}
                expected = sum(share[label] / 2 * changes[label] for label in settled.labels)
                assert question.expected == pytest.approx(expected)


def test_bad_arguments():
    for given, match in (
        ({"scale": "odds"}, "scale is 'odds'"),
        ({"unusable": "drop"}, "unusable is 'drop', not one of 'raise', 'keep', 'fill'"),
        ({"names": ["a"]}, "names is .*; it must have 5 different"),
        ({"missing": 2.0}, "missing is 2.0; it must be from 0 to 1"),
        ({"confidence": -1.0}, "confidence is -1.0"),
        ({"labels": []}, "labels is empty"),
        ({"labels": ["X", "X"]}, "labels has 'X' twice; all must differ"),
        ({"key": ()}, "it names at least one column"),
        ({"key": "nothing"}, "key: there is no column 'nothing'"),
        ({"evidence": ch.Evidence(1.0, 1.0, 1.0), "gold": "type"}, "exclude each other"),
    ):
        with pytest.raises(ValueError, match=match):
            ch.settle(rows(("a", "X", 0.5)), **{**GIVEN, **given})
    with pytest.raises(ValueError, match="most is 0"):
        ch.Evidence(0.0, 1.0, 1.0)
    with pytest.raises(TypeError, match="label is missing"):
        ch.settle(rows(("a", "X", 0.5)), key="name", confidence="sure")
    with pytest.raises(ch.TableError, match="'times' is 0, not an integer from 1"):
        ch.settle([{"name": "a", "type": "X", "times": 0}], key="name", label="type", count="times")


def test_tables_without_labels():
    for given in ({}, {"unusable": "keep"}):
        with pytest.raises(ValueError, match="column 'type' has no label: each entry is null, emp"):
            ch.settle(rows(("a", None), ("a", "")), key="name", label="type", **given)
    with pytest.raises(ValueError, match="column 'type' has no label: .* or one of abstain"):
        ch.settle(rows(("a", "X")), key="name", label="type", abstain="X")


def test_gold_labels_that_occur_nowhere():
    """All of them: an error. Some: the result says how many."""
    two = {"columns": ("name", "type", "gold")}
    given = {"key": "name", "label": "type", "gold": "gold"}
    nowhere = rows(("a", "X", None), ("a", "Y", "Z"), ("b", "X", "W"), **two)
    message = "column 'gold' holds 'Z' in row 1, which occurs nowhere"
    for call in (ch.settle, ch.agree):
        with pytest.raises(ValueError, match=message):
            call(nowhere, **given)
    with pytest.raises(ValueError, match="column 'gold' has no label"):
        ch.settle(rows(("a", "X", None), ("a", "Y", ""), **two), **given)
    found = ch.settle(rows(("a", "X", "X"), ("a", "Y", "Z"), ("b", "X", None), **two), **given)
    assert found.read_as["right labels that occur nowhere among the labels"] == 1
    assert "right labels that occur nowhere among the labels: 1" in str(found)


def test_json_of_alternatives_and_labels():
    given = rows(("a", "X", json.dumps({"X": 0.4, "Y": 0.5})), ("a", None, '["Y", "Y"]'))
    settled = ch.settle(given, **GIVEN)
    assert [row["together"] for row in settled.table] == ["Y", "Y"]
    assert settled.changed.tolist() == [True, False]


def test_a_missing_column_is_named_before_bad_entries():
    rows = [{"k": 1, "l": "A", "c": 7.5}]
    for argument in ("key", "group", "gold"):
        given = {"key": "k", "label": "l", "confidence": "c", argument: "nothing"}
        with pytest.raises(ValueError, match=f"^{argument}: there is no column 'nothing'"):
            ch.settle(rows, **given)
    ledger = ch.Ledger(["A"], evidence=ch.Evidence(4.0, 6.0, 1.0))
    with pytest.raises(ValueError, match="^key: there is no column 'nothing'"):
        ledger.add_table(rows, key="nothing", label="l", confidence="c")


@pytest.mark.parametrize("scale", ["probability", "logarithm"])
def test_lists_of_numbers_are_scores_of_all_labels(scale):
    shares = np.array([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6]])
    rows = [{"k": 1, "a": a, "b": b} for a, b in shares]
    lists = shares if scale == "probability" else np.log(shares)
    given = [{"k": 1, "s": of.tolist()} for of in lists]
    found = ch.settle(given, key="k", confidence="s", labels=["A", "B"], scale=scale)
    expected = ch.settle(rows, key="k", confidence={"A": "a", "B": "b"})
    assert found.codes.tolist() == expected.codes.tolist() == [0, 0, 0]
    assert found.probability == pytest.approx(expected.probability)
