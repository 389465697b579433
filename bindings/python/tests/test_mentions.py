from __future__ import annotations

import dataclasses
import io
import itertools
import json
import math
import pickle
import re
import sys
import time

import numpy as np
import pytest

import libchorale as ch
from libchorale.learn import Learnt

# ---- Tables of every kind


def as_rows(columns):
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def rows_of(table):
    """Returns any table as a list of dicts with None for null."""
    if isinstance(table, list):
        return table
    module = type(table).__module__.partition(".")[0]
    if module == "pandas":
        import pandas

        table = table.astype(object)
        return table.where(pandas.notna(table), None).to_dict("records")
    if module == "polars":
        return table.to_dicts()
    if module == "duckdb":
        return [dict(zip(table.columns, row)) for row in table.fetchall()]
    return table.to_pylist()


def _pandas(columns):
    return pytest.importorskip("pandas").DataFrame(columns)


def _polars(columns):
    return pytest.importorskip("polars").DataFrame(columns, strict=False)


def _pyarrow(columns):
    return pytest.importorskip("pyarrow").table(columns)


def _batch(columns):
    return pytest.importorskip("pyarrow").record_batch(columns)


def _chunks(columns):
    """Returns a table of two chunks, each of which is a slice of a longer array."""
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(columns)
    half = table.num_rows // 2
    twice = pyarrow.concat_tables([table, table])
    return pyarrow.concat_tables([twice.slice(0, half), twice.slice(half, table.num_rows - half)])


def _duckdb(columns):
    pyarrow, duckdb = pytest.importorskip("pyarrow"), pytest.importorskip("duckdb")
    connection = duckdb.connect()
    given = pyarrow.table(columns)
    connection.register("given", given)
    connection.execute("create table mentions as select * from given")
    return connection.sql("select * from mentions")


class Stream:
    """A table of a library that is not known: it has a stream of rows."""

    def __init__(self, columns):
        self._table = _pyarrow(columns)

    def __arrow_c_stream__(self, schema=None):
        return self._table.__arrow_c_stream__(schema)

    def to_pylist(self):
        return self._table.to_pylist()


KINDS = {
    "rows": as_rows,
    "pandas": _pandas,
    "polars": _polars,
    "pyarrow": _pyarrow,
    "batch": _batch,
    "chunks": _chunks,
    "duckdb": _duckdb,
    "stream": Stream,
}


@pytest.fixture(params=list(KINDS))
def kind(request):
    return KINDS[request.param]


COLUMNS = {
    "id": [7, 3, 9, 1, 4, 8, 2],
    "document": ["d1", "d1", "d1", "d1", "d2", "d1", "d2"],
    "name": [
        "Jordan",
        "Jordan",
        "Jordan",
        "Jordan",
        "Jordan",
        None,
        "a name of many bytes, Ünsøld",
    ],
    "type": ["PERSON", "PERSON", "LOC", "PERSON", "LOC", "LOC", "PERSON"],
    "sure": [0.9, 0.8, 0.6, 0.7, 0.9, 0.6, 0.55],
    "note": ["a", None, "c", "d", "e", "f", "g"],
}
GIVEN = {"key": "name", "label": "type", "confidence": "sure", "group": "document"}


def test_every_kind_of_table(kind):
    table = kind(COLUMNS)
    result = ch.agree(table, **GIVEN, strength=1.5)
    assert isinstance(result, type(table)) or (kind is Stream and hasattr(result, "to_pylist"))
    rows = rows_of(result)
    assert list(rows[0]) == [*COLUMNS, "together", "probability", "changed", "why"]
    expected = ch.agree(as_rows(COLUMNS), **GIVEN, strength=1.5)
    for row, other, given in zip(rows, expected, as_rows(COLUMNS)):
        assert {name: row[name] for name in COLUMNS} == given
        assert row["probability"] == pytest.approx(other["probability"], abs=1e-6)
        for name in ("together", "changed", "why"):
            assert row[name] == other[name]
    assert [row["together"] for row in rows] == ["PERSON"] * 4 + ["LOC", "LOC", "PERSON"]
    assert [row["changed"] for row in rows] == [row == 2 for row in range(7)]
    assert rows[2]["why"] == (
        "3 of 3 other mentions of 'Jordan' in this document were PERSON, 3 of 3 are now"
    )
    assert rows[5]["probability"] == pytest.approx(0.6)  # a null key: a mention by itself
    assert len(rows_of(table)) == 7  # the given table is unchanged


def test_integers(kind):
    columns = {"key": [5, 5, 5, None, -1], "label": [3, 3, 8, 8, 8]}
    rows = rows_of(ch.agree(kind(columns), key="key", label="label", strength=3.0))
    assert [row["together"] for row in rows] == [3, 3, 3, 8, 8]
    assert rows[2]["why"] == "2 of 2 other mentions of '5' were 3, 2 of 2 are now" or "5.0" in rows[2]["why"]


def test_types_stay():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(COLUMNS, index=list("gfedcba"))
    frame["type"] = frame["type"].astype("category")
    frame["name"] = frame["name"].astype("category")
    frame["object"] = [{"any": "thing"}] * 7
    result = ch.agree(frame, **GIVEN)
    assert result["together"].dtype == frame["type"].dtype
    assert result.index.tolist() == list("gfedcba") and result["object"].iloc[0] == {"any": "thing"}
    assert list(frame.columns) == [*COLUMNS, "object"]
    assert result["probability"].dtype == float and result["changed"].dtype == bool
    few = ch.agree(frame, **GIVEN, labels=["LOC", "PERSON", "ORG"])
    assert few["together"].dtype.categories.tolist() == ["LOC", "PERSON", "ORG"]


def test_types_stay_in_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(COLUMNS)
    for dtype in (polars.Categorical, polars.String):
        given = frame.with_columns(polars.col("type").cast(dtype), polars.col("name").cast(dtype))
        result = ch.agree(given, **GIVEN, strength=1.5)
        assert result.schema["together"] == given.schema["type"]
        assert result["together"].cast(polars.String).to_list()[2] == "PERSON"
        assert result["why"].dtype == polars.String
    given = frame.with_columns(polars.col("type").cast(polars.Enum(["LOC", "PERSON"])))
    assert ch.agree(given, **GIVEN).schema["together"] == given.schema["type"]
    with pytest.raises(TypeError, match="collect"):
        ch.agree(frame.lazy(), **GIVEN)


def test_types_stay_in_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(COLUMNS)
    parts = [table.slice(0, 3), table.slice(3)]  # chunks with dictionaries of their own
    coded = pyarrow.chunked_array(
        [part["type"].combine_chunks().dictionary_encode() for part in parts]
    )
    table = table.set_column(3, "type", coded)
    table = table.set_column(2, "name", table["name"].cast(pyarrow.large_string()))
    result = ch.agree(table, **GIVEN, strength=1.5)
    assert result.schema.field("together").type == table.schema.field("type").type
    assert result["together"].to_pylist()[2] == "PERSON"
    views = table.set_column(2, "name", table["name"].cast(pyarrow.string_view()))
    assert ch.agree(views, **GIVEN, strength=1.5)["why"].to_pylist() == result["why"].to_pylist()


def test_ways_of_scores(kind):
    """The same scores give the same result in four forms: one confidence a row, a column for each
    label, lists, and lists of logarithms."""
    share = np.array(COLUMNS["sure"])
    person = [p if t == "PERSON" else 1 - p for p, t in zip(share, COLUMNS["type"])]
    columns = {
        **{name: COLUMNS[name] for name in ("name", "document", "type", "sure")},
        "p": person,
        "l": [1 - p for p in person],
        "lists": [[p, 1 - p] for p in person],
        "logs": [[math.log(p), math.log(1 - p)] for p in person],
    }
    table = kind(columns)
    shared = {"key": "name", "group": "document", "strength": 1.3, "labels": ["PERSON", "LOC"]}
    expected = rows_of(ch.agree(table, **shared, label="type", confidence="sure"))
    for given in (
        {"label": "type", "confidence": ["p", "l"]},
        {"confidence": ["p", "l"]},
        {"confidence": {"LOC": "l", "PERSON": "p"}},
        {"label": "type", "confidence": "lists"},
        {"confidence": "lists"},
        {"confidence": "logs", "scale": "logarithm"},
    ):
        rows = rows_of(ch.agree(table, **shared, **given))
        for row, other in zip(rows, expected):
            for name in ("together", "changed", "why"):
                assert row[name] == other[name]
            assert row["probability"] == pytest.approx(other["probability"], abs=1e-5)
    assert rows_of(ch.agree(table, key="name", confidence=["p", "l"]))[2]["together"] in "pl"
    assert rows_of(ch.agree(table, key="name", confidence="lists"))[2]["together"] in (0, 1)


# ---- What is computed


def drawn(rng, labels, keys):
    count = int(rng.integers(2, 7))
    shares = rng.dirichlet(np.ones(labels), size=count)
    columns = {f"k{k}": [f"v{v}" for v in rng.integers(0, 3, count)] for k in range(keys)}
    for values in columns.values():
        for row in range(count):
            if rng.random() < 0.1:
                values[row] = None
    columns["group"] = [int(g) for g in rng.integers(0, 2, count)]
    for label in range(labels):
        columns[f"L{label}"] = shares[:, label].tolist()
    return columns, shares


def cliques_of(columns, keys, across):
    """Returns for each key its cliques, each a list of row numbers, computed in plain Python."""
    found = []
    for number, over in zip(range(keys), across):
        places: dict = {}
        for row, (value, group) in enumerate(zip(columns[f"k{number}"], columns["group"])):
            if value is not None:
                places.setdefault((value, None if over else group), []).append(row)
        found.append([rows for rows in places.values() if len(rows) > 1])
    return found


def score(assignment, logs, cliques, strengths):
    total = sum(logs[row, label] for row, label in enumerate(assignment))
    for of_key, strength in zip(cliques, strengths):
        for rows in of_key:
            counts = np.bincount([assignment[row] for row in rows])
            total += strength / len(rows) * float((counts**2).sum())
    return total


def connected(row, cliques):
    inside = {row}
    while True:
        more = {other for of in cliques for rows in of if inside & set(rows) for other in rows}
        if more <= inside:
            return inside
        inside |= more


@pytest.mark.parametrize("labels, keys", [(2, 1), (3, 1), (3, 2), (2, 3)])
def test_by_enumeration(rng, labels, keys):
    for _ in range(25):
        columns, shares = drawn(rng, labels, keys)
        across = (rng.random(keys) < 0.5).tolist()
        strengths = rng.uniform(0.2, 2.0, keys).tolist()
        names = [f"L{label}" for label in range(labels)]
        table = as_rows(columns)
        result = ch.agree(
            table,
            key=[f"k{k}" for k in range(keys)],
            confidence=names,
            group="group",
            across=across,
            strength=strengths,
        )
        logs = np.log(np.maximum(shares, 1e-6))
        cliques = cliques_of(columns, keys, across)
        now = [names.index(row["together"]) for row in result]
        every = itertools.product(range(labels), repeat=len(table))
        best = max(score(assignment, logs, cliques, strengths) for assignment in every)
        found = score(now, logs, cliques, strengths)
        if keys == 1 and labels == 2:
            assert found == pytest.approx(best, abs=1e-5)
        assert found <= best + 1e-9
        for row in range(len(table)):  # no change of a single row raises the score
            for label in range(labels):
                other = [*now[:row], label, *now[row + 1 :]]
                assert score(other, logs, cliques, strengths) <= found + 1e-5
        own = shares.argmax(axis=1).tolist()
        for row, told in enumerate(result):
            scores = []
            for label in range(labels):
                alone = [*now[:row], label, *now[row + 1 :]]
                flip = list(now)
                for other in connected(row, cliques):
                    flip[other] = label
                both = [score(given, logs, cliques, strengths) for given in (alone, flip)]
                scores.append(max(both))
            odds = np.exp(np.array(scores) - max(scores))
            expected = odds[now[row]] / odds.sum()
            assert told["probability"] == pytest.approx(expected, abs=1e-5)
            assert told["changed"] == (now[row] != own[row])
            assert (told["why"] is not None) == told["changed"]
            if told["changed"]:
                pays = []
                for of_key in cliques:
                    for rows in of_key:
                        others = [now[other] for other in rows if other != row]
                        if row in rows and others.count(now[row]) > others.count(own[row]):
                            before = [own[other] for other in rows if other != row]
                            many = f"{others.count(now[row])} of {len(others)} are now"
                            few = f"{before.count(now[row])} of {len(others)} other mentions"
                            pays.append((few, many))
                for few, many in pays:
                    assert few in told["why"] and many in told["why"]
                assert len(pays) == told["why"].count("other mentions")


def test_reasons_are_those_of_decode(rng):
    for _ in range(20):
        columns, shares = drawn(rng, 3, 2)
        result = ch.agree(
            as_rows(columns), key=["k0", "k1"], confidence=["L0", "L1", "L2"], strength=1.1
        )
        numbered = [
            [[-1 if value is None else int(value[1])] for value in columns[f"k{k}"]]
            for k in range(2)
        ]
        decoded = ch.decode(
            [np.log(np.maximum(row, 1e-6)).reshape(1, 3) for row in shares],
            agree=[ch.Agreement("keys", strength=1.1, keys=keys) for keys in numbered],
        )
        labels = [int(row["together"][1]) for row in result]
        assert labels == [int(given[0]) for given in decoded.labels]
        for change in decoded.changed:
            why = result[change.chain]["why"]
            for reason in change.reasons:
                if reason.amount > 1e-9:
                    assert f"{reason.agreeing_before} of {reason.others} other mentions" in why
                    assert f"{reason.agreeing} of {reason.others} are now" in why


SAID = re.compile(r"(\d+) of (\d+) other mentions of '(\w+)' were (\w+), (\d+) of (\d+) are now")


@pytest.mark.parametrize("times", [None, "times"])
def test_whoever_counts_the_table_gets_the_numbers_of_the_reasons(rng, times):
    said = 0
    for _ in range(40):
        rows = [
            {
                "name": f"k{rng.integers(4)}",
                "type": "ABC"[rng.integers(3)],
                "sure": 0.4 + 0.5 * rng.random(),
                "times": int(rng.integers(1, 5)),
            }
            for _ in range(30)
        ]
        found = ch.agree(
            rows, key="name", label="type", confidence="sure", count=times, strength=2.0
        )
        for place, row in enumerate(found):
            if not (told := SAID.match(row["why"] or "")):
                continue
            before, others, name, label, now, again = told.groups()
            fellows = [
                other
                for at, other in enumerate(found)
                if at != place and other["name"] == row["name"]
            ]

            def count(column, label=label, fellows=fellows):
                return sum(
                    1 if times is None else other[times]
                    for other in fellows
                    if column is None or other[column] == label
                )

            assert (name, label) == (row["name"], row["together"])
            assert int(before) == count("type") and int(now) == count("together")
            assert int(others) == int(again) == count(None)
            said += 1
    assert said > 100


def test_default_strength():
    """Among equally sure rows, a majority prevails if it has more than two thirds of them."""
    for most, all_of_them in ((5, 7), (7, 10), (3, 5), (6, 10), (5, 8)):
        rows = [{"k": 1, "l": "A" if row < most else "B"} for row in range(all_of_them)]
        for confidence in (0.6, 0.8, 0.99):
            result = ch.agree(rows, key="k", label="l", confidence=confidence)
            changed = sum(row["changed"] for row in result)
            assert changed == (all_of_them - most if 3 * most > 2 * all_of_them else 0)


def test_keys_and_groups():
    rows = [
        {"d": d, "name": name, "plain": name.lower(), "l": label}
        for d, name, label in (
            ("a", "Us", "X"),
            ("a", "Us", "X"),
            ("a", "us", "Y"),
            ("b", "Us", "Y"),
            ("b", "US", "X"),
        )
    ]

    def changed(**given):
        return [n for n, row in enumerate(ch.agree(rows, label="l", **given)) if row["changed"]]

    assert changed(key="name", strength=9.0) == [3]
    assert changed(key="name", strength=9.0, minimum=4) == []
    assert changed(key="name", group="d", strength=9.0) == []
    assert changed(key="name", group="d", across=True, strength=9.0) == [3]
    assert changed(key="plain", group="d", strength=9.0) in ([2, 3], [2, 4])
    assert changed(key=("plain", "d"), strength=9.0) in ([2, 3], [2, 4])
    assert changed(key=["name", "plain"], strength=9.0) == [2, 3]
    result = ch.agree(
        rows, key=["name", ("plain", "d")], label="l", group="d", across=[True, False], strength=9.0
    )
    assert "2 of 2 other mentions with name 'Us' were X, 2 of 2 are now" in result[3]["why"]
    assert "with plain 'us' and d 'a' in this d were X" in result[2]["why"]


def test_low_confidence_speaks_for_the_other_labels():
    def together(types, confidences, **given):
        rows = [{"k": 1, "l": kind, "c": sure} for kind, sure in zip(types, confidences)]
        given = {"key": "k", "label": "l", "confidence": "c", "labels": ["A", "B"], **given}
        return ch.agree(rows, **given)

    [alone] = together("A", [0.1])
    assert alone["together"] == "B" and alone["probability"] == pytest.approx(0.9)
    mixed = together("AAB", [0.0, 0.0, 1.0])
    assert [row["together"] for row in mixed] == ["B"] * 3
    three = together("AAC", [0.2, 0.3, 0.9], labels=["A", "B", "C"], strength=1.0)
    assert [row["together"] for row in three] == ["C"] * 3
    even = together("AB", [0.5, 0.5], strength=0.0)
    assert not any(row["changed"] for row in even)
    one = ch.agree([{"k": 1, "l": "A"}], key="k", label="l")
    assert one[0]["probability"] == 1.0 and not one[0]["changed"]


def test_labels_beside_scores():
    """A label that is not the one with the row's highest score changes even if the row agrees with
    no other row."""
    rows = [{"k": None, "l": "A", "a": 0.1, "b": 0.9}, {"k": None, "l": None, "a": 0.9, "b": 0.1}]
    first, second = ch.agree(rows, key="k", label="l", confidence={"A": "a", "B": "b"})
    assert first["together"] == "B" and first["changed"]
    assert first["why"] == "of all labels B has the highest score here"
    assert second["together"] == "A" and not second["changed"]


# ---- Learning


def planted(documents, seed):
    random = np.random.default_rng(seed)
    rows = []
    for document, name in itertools.product(range(documents), range(4)):
        right = int(random.integers(3))
        for _ in range(4):
            label = right if random.random() < 0.75 else int(random.integers(3))
            gold = "PLO"[right] if document % 3 else None
            row = {"d": document, "name": f"n{name}", "label": "PLO"[label], "gold": gold}
            rows.append({**row, "right": "PLO"[right]})
    return rows


def test_learning():
    rows, given = planted(60, 1), {"key": "name", "label": "label", "group": "d"}
    strengths = ch.learn_strengths(rows, gold="gold", **given, confidence=0.75)
    assert "agreement" in str(strengths) and sorted(strengths.labels) == ["L", "O", "P"]
    again = pickle.loads(pickle.dumps(strengths))
    result = ch.agree(rows, **given, confidence=0.75, strength=again)
    direct = ch.agree(rows, **given, confidence=0.75, gold="gold")
    assert result == direct

    def wrong(rows, column):
        return sum(row[column] != row["right"] for row in rows)

    assert wrong(result, "together") < 0.7 * wrong(result, "label")
    fresh = ch.agree(planted(40, 2), **given, confidence=0.75, strength=strengths)
    assert wrong(fresh, "together") < wrong(fresh, "label")
    everywhere = {**given, "key": ("d", "name"), "group": None}
    assert ch.learn_strengths(rows, gold="gold", **everywhere).learnt.report["groups"] > 100
    with pytest.raises(ValueError, match="row 1: column 'label' is 'Z', not one of"):
        ch.agree([rows[0], {**rows[1], "label": "Z"}], **given, strength=strengths)
    with pytest.raises(ValueError, match="keys"):
        ch.agree(rows, key="d", label="label", strength=strengths)
    with pytest.raises(ValueError, match="labels"):
        ch.agree(rows, **given, labels=["P", "L"], strength=strengths)
    with pytest.raises(ValueError, match="exclude"):
        ch.agree(rows, **given, gold="gold", strength=1.0)
    with pytest.raises(ValueError, match="'gold' has no label"):
        ch.agree([{**row, "gold": None} for row in rows], **given, gold="gold")
    with pytest.raises(ValueError, match="shares its key"):
        ch.agree([{**row, "name": n} for n, row in enumerate(rows)], **given, gold="gold")


def of_0_2(strength, bonuses):
    """Returns a result of learning as version 0.2 wrote it, with a bonus for each of three labels."""
    zeros = "folds positions runs gold_bonus base_cost control_cost all_cost gain gain_lower gain_upper "
    zeros += "gain_p agreement_gain agreement_lower agreement_upper agreement_p f1"
    flags = ("is_property", "has_empty", "has_out", "is_centred", "majority")
    kind = {"name": "name", "verdict": 0, "cliques": 9, "members": 36, "screening_p": 1}
    kind.update(gain=0, gain_lower=0, gain_upper=0, p=1, values=3, centre_values=0)
    kind.update({flag: False for flag in flags}, left_out=0, weights=4)
    bounds = {"lower": -9, "upper": 9, "least": None, "most": None}
    weights = [("agreement", 0, strength), *(("value", v, of) for v, of in enumerate(bonuses))]
    return json.dumps(
        {"learnt": 1, "outcome": 0, "applied": 2, "warnings": 0, "groups": 9}
        | {name: 0 for name in zeros.split()}
        | {"unit": 1, "regularisation": 10, "temperature": 0.5, "kinds": [kind]}
        | {
            "weights": [
                {"basis": basis, "kind": 0, "index": index, "weight": weight, **bounds}
                for basis, index, weight in weights
            ]
        }
    )


def test_learnt_bonuses_of_0_2_count():
    """Under weights with bonuses, labels and probabilities are those of the definition."""
    strengths = ch.Strengths(
        ["name"], ["P", "L", "O"], Learnt.from_json(of_0_2(1.5, [0.4, -0.3, 0.1]))
    )
    [(strength, bonus)] = strengths._of(["name"])
    assert strength == pytest.approx(1.5) and bonus == pytest.approx([0, -0.7, -0.3])
    rows = [{"name": 1, "label": label} for label in "PPLO"] + [{"name": 2, "label": "L"}]
    logs = np.full((4, 3), math.log(0.125))
    logs[range(4), ["PLO".index(row["label"]) for row in rows[:4]]] = math.log(0.75)

    def value(given):
        return score(given, logs, [[[0, 1, 2, 3]]], [strength]) + bonus[list(given)].sum()

    best = max(itertools.product(range(3), repeat=4), key=value)
    for confidence in (0.75, ["P", "L", "O"]):
        given = {"confidence": confidence, "strength": strengths, "labels": None}
        if confidence != 0.75:
            for row, of in zip(rows, np.exp([*logs, logs[2]])):
                row.update(zip("PLO", of))
        *result, alone = ch.agree(rows, key="name", label="label", **given)
        assert (alone["together"], alone["probability"]) == ("L", pytest.approx(0.75))
        now = ["PLO".index(row["together"]) for row in result]
        assert value(now) == pytest.approx(value(best), abs=1e-5)
        for row in range(4):
            scores = np.array(
                [max(value([*now[:row], v, *now[row + 1 :]]), value([v] * 4)) for v in range(3)]
            )
            odds = np.exp(scores - scores.max())
            assert result[row]["probability"] == pytest.approx(odds[now[row]] / odds.sum(), abs=1e-5)
    for row in rows[:4]:  # a great bonus decides where strength 0 leaves each row to itself
        row["label"] = "L"
    great = dataclasses.replace(strengths, learnt=Learnt.from_json(of_0_2(0, [0, -9, 0.5])))
    result = ch.agree(rows, key="name", label="label", confidence=0.75, strength=great)
    assert [row["together"] for row in result] == ["O"] * 4 + ["L"]
    assert result[0]["why"] == "of all labels O has the highest score here"


# ---- Bad input


def test_bad_tables(kind):
    def refused(error, match, columns=COLUMNS, **given):
        with pytest.raises(error, match=match):
            ch.agree(kind(columns), **{**GIVEN, **given})

    for argument in ("key", "label", "confidence", "group"):
        refused(ValueError, f"{argument}: there is no column 'nothing'", **{argument: "nothing"})
    refused(ValueError, "gold: there is no column 'nothing'", gold="nothing")
    for wrong in (1.5, -0.25):
        sure = [*COLUMNS["sure"][:4], wrong, 0.5, 0.5]
        refused(ValueError, f"row 4: column 'sure' is {wrong}, not", {**COLUMNS, "sure": sure})
    missing = [*COLUMNS["sure"][:4], None, 0.5, 0.5]
    refused(ValueError, "row 4: column 'sure' is null", {**COLUMNS, "sure": missing})
    labels = ["A", "B", None, *"ABAB"]
    refused(ValueError, "row 2: column 'type' is null", {**COLUMNS, "type": labels})
    refused(ValueError, "row 2: column 'type' is 'LOC', not one of", labels=["PERSON", "ORG"])
    refused(ValueError, "row 0: column 'note' is 'a', neither a confidence", confidence="note")
    refused(ValueError, "'together' is there already", {**COLUMNS, "together": [1] * 7})
    refused(ValueError, "row 0: column 'id' is 7(.0)?, not from", confidence="id")
    refused(ValueError, "row 0: column 'id' is 7(.0)?, not", confidence=["sure", "id"], label=None)


def test_tables_are_read_as_by_settle(kind):
    """Confidences may be texts and words, and a row without a group takes no part."""
    columns = {
        "name": ["Jordan"] * 4,
        "group": ["a", "a", "a", None],
        "type": ["PERSON", "PERSON", "LOC", "LOC"],
        "sure": ["90 %", "0.8", "low", "high"],
    }
    given = {"key": "name", "label": "type", "confidence": "sure", "group": "group"}
    rows = rows_of(ch.agree(kind(columns), **given, strength=3.0))
    assert [row["together"] for row in rows] == ["PERSON"] * 3 + ["LOC"]
    assert rows[3]["probability"] == pytest.approx(0.9)


@pytest.mark.parametrize("value", ["sure", [0.9, "x"], {"P": 2.0}, [[0.9]]])
def test_what_is_no_confidence_is_named(value):
    rows = [{"name": "J", "type": "P", "sure": of} for of in (0.9, value)]
    with pytest.raises(ValueError) as caught:
        ch.agree(rows, key="name", label="type", confidence="sure")
    assert str(caught.value).startswith(f"row 1: column 'sure' is {value!r}, neither a confidence")


def test_uneven_lists(kind):
    if kind in (_duckdb, Stream, _batch, _chunks):
        pytest.skip("as in the table of pyarrow")
    columns = {**COLUMNS, "lists": [[0.5, 0.5]] * 5 + [[0.1, 0.2, 0.7]] * 2}
    with pytest.raises(ValueError, match="'lists' has 3 entries in row 5 and 2 in rows before"):
        ch.agree(kind(columns), **{**GIVEN, "confidence": "lists"}, labels=["PERSON", "LOC"])
    columns["lists"] = [[0.5, 0.5]] * 7
    with pytest.raises(TypeError, match="labels is missing"):
        ch.agree(kind(columns), **{**GIVEN, "confidence": "lists"})
    with pytest.raises(ValueError, match="lists of 2 for 3 labels"):
        ch.agree(kind(columns), **{**GIVEN, "confidence": "lists"}, labels=["PERSON", "LOC", "O"])


def test_empty_tables():
    _refused([])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_empty_tables_of(library):
    module = pytest.importorskip(library)
    names = ["name", "type", "right"]
    if library == "pyarrow":
        texts = module.array([], module.string())
        _refused(module.table([texts] * 3, names=names))
        _refused(module.table([texts.dictionary_encode()] * 3, names=names))
    else:
        _refused(module.DataFrame({name: [] for name in names}))


def _refused(table):
    given = {"key": "name", "label": "type"}
    for call in (
        lambda: ch.agree(table, **given),
        lambda: ch.agree(table, **given, gold="right"),
        lambda: ch.learn_strengths(table, **given, gold="right"),
    ):
        with pytest.raises(ValueError, match="^table has no rows$"):
            call()


def test_two_columns_of_one_name():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[1, 2, 3]], columns=["name", "type", "name"])
    with pytest.raises(ValueError, match="column 'name' is there twice"):
        ch.agree(frame, key="name", label="type")
    table = pytest.importorskip("pyarrow").table([[1], [2], [3]], names=["name", "type", "name"])
    with pytest.raises(ValueError, match="column 'name' is there twice"):
        ch.agree(table, key="name", label="type")


def test_mixed_types():
    rows = [{"name": "a", "type": "A"}, {"name": None, "type": "A"}, {"name": 5, "type": "B"}]
    tables = [rows]
    try:
        import pandas
    except ImportError:
        pass
    else:
        tables.append(pandas.DataFrame(rows))
    for table in tables:
        with pytest.raises(TypeError, match="column 'name' is of mixed types: 5 in row 2"):
            ch.agree(table, key="name", label="type")
    with pytest.raises(TypeError, match="column 'name' has the type list"):
        ch.agree([{"name": [1], "type": "A"}], key="name", label="type")


@pytest.mark.parametrize("labels", ["AB", "ABC", "ABCD"])
def test_more_than_two_thirds_prevail(labels):
    """By default, if all rows are equally sure. Two thirds are an exact tie: nothing changes."""
    for rows, sure in itertools.product(range(2, 25), (1.0, 0.99, 0.8, 0.6)):
        for others in range(1, rows):
            given = [{"k": 1, "l": "AB"[row < others]} for row in range(rows)]
            found = ch.agree(given, key="k", label="l", confidence=sure, labels=list(labels))
            expected = [row["l"] for row in given]
            if max(others, rows - others) * 3 > rows * 2:
                expected = ["AB"[others * 2 > rows]] * rows
            assert [row["together"] for row in found] == expected


def test_ties_keep_the_label_before():
    scores = {"a": 0.5, "b": 0.5}
    rows = [{"k": k, "l": kind, **scores} for k, kind in ((1, "B"), (1, "B"), (2, "A"))]
    found = ch.agree(rows, key="k", label="l", confidence={"A": "a", "B": "b"})
    assert not any(row["changed"] for row in found)


def test_great_strengths():
    """Strengths that leave no digits to the scores are refused. Below, scores decide where
    agreement is balanced."""
    rows = [{"k": 1, "l": "A", "c": c} for c in (0.9, 0.6)]
    rows += [{"k": 1, "l": "B", "c": c} for c in (0.9, 0.7)]
    given = {"key": "k", "label": "l", "confidence": "c"}
    for wrong in (1e16, -1e16, 1e39, math.inf, math.nan):
        with pytest.raises(ValueError, match=r"strength\[0\] is .*; it must be from -1e9 to 1e9"):
            ch.agree(rows, strength=wrong, **given)
        with pytest.raises(ValueError, match="strength is .*; it must be from -1e9 to 1e9"):
            ch.decode([[[0.0, 1.0]]] * 2, tokens=[[1], [1]], strength=wrong)
    found = ch.agree(rows, strength=1e9, **given)
    assert [row["together"] for row in found] == ["B"] * 4


def test_what_gold_taught_is_said(caplog):
    """Also that nothing is applied, and why."""
    rows = []  # one of four rows with the same key is wrong
    for n, right in ((n, n // 4 % 2) for n in range(400)):
        rows.append({"k": n // 4, "l": "AB"[right ^ (n % 4 == 3)], "g": "AB"[right]})
    with caplog.at_level("INFO", "libchorale"):
        ch.agree(rows, key="k", label="l", gold="g", confidence=0.75)
    assert "strengths were learnt from the right labels\nAgreement" in caplog.text
    caplog.clear()
    few = [{"k": n // 2, "l": "AB"[n % 2], "g": "AB"[n % 2]} for n in range(12)]
    found = ch.agree(few, key="k", label="l", gold="g", confidence=0.9)
    assert not any(row["changed"] for row in found)
    [record] = caplog.records
    assert record.levelname == "WARNING"
    assert "agreement changes nothing\nNothing is applied: " in record.getMessage()


def test_bad_arguments():
    rows = as_rows(COLUMNS)
    for given, error, match in (
        ({"strength": [1.0, 2.0]}, ValueError, "strength has 2"),
        ({"strength": math.nan}, ValueError, "strength"),
        ({"across": [True, False]}, ValueError, "across has 2"),
        ({"key": []}, ValueError, r"key is \[\]; it names at least one column"),
        ({"key": ()}, ValueError, r"key is \(\); it names at least one column"),
        ({"key": ["name", ()]}, ValueError, "it names at least one column"),
        ({"minimum": 1}, ValueError, "minimum is 1"),
        ({"label": None}, TypeError, "label is missing"),
        ({"confidence": 1.5}, ValueError, "confidence is 1.5"),
        ({"confidence": []}, ValueError, "confidence is empty"),
        ({"confidence": ["sure"], "labels": ["PERSON", "LOC"]}, ValueError, "1 columns for 2"),
        (
            {"confidence": {"A": "sure"}, "labels": ["B"]},
            ValueError,
            r"labels is \['B'\]; it must be the keys of confidence, \['A'\]",
        ),
        ({"scale": "odds"}, ValueError, "scale is 'odds'"),
        ({"scale": "logarithm"}, ValueError, "row 0: column 'sure' is 0.9, not a logarithm"),
        ({"labels": ["LOC", "LOC"]}, ValueError, "labels has 'LOC' twice; all must differ"),
        ({"names": ("a", "b")}, ValueError, "names is .*; it must have 4 different"),
        ({"threads": 0}, ValueError, "threads"),
    ):
        with pytest.raises(error, match=match):
            ch.agree(rows, **{**GIVEN, **given})
    for table in ({"name": ["a"]}, "text", 5, [["a"]]):
        with pytest.raises(TypeError, match="table"):
            ch.agree(table, **GIVEN)
    logs = [{"k": 1, "a": 0.5, "b": math.inf}]
    with pytest.raises(ValueError, match="row 0: column 'b' is inf, not a finite number"):
        ch.agree(logs, key="k", confidence=["a", "b"], scale="logarithm")


# ---- Columns


def test_types_of_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    import datetime
    from decimal import Decimal

    days = [datetime.date(2024, 1, 1 + day // 3) for day in range(6)]
    columns = {
        "day": pyarrow.array(days),
        "flag": pyarrow.array([True, True, True, False, None, False]),
        "float": pyarrow.array([0.0, -0.0, 0.0, math.nan, math.nan, None]),
        "label": pyarrow.array(list("AABBBA")),
        "decimal": pyarrow.array([Decimal("0.75")] * 6, pyarrow.decimal128(4, 2)),
        "half": pyarrow.array(np.full(6, 0.75, dtype=np.float16)),
        "single": pyarrow.array(np.full(6, 0.75, dtype=np.float32)),
        "fixed": pyarrow.array(
            [[0.75, 0.25]] * 2 + [[0.25, 0.75]] * 3 + [[0.75, 0.25]],
            pyarrow.list_(pyarrow.float32(), 2),
        ),
        "binary": pyarrow.array([b"a"] * 6),
    }
    table = pyarrow.table(columns).slice(1)
    given = {"label": "label", "strength": 2.0}
    expected = ch.agree(table, key="day", **given, confidence=0.75)["probability"].to_pylist()
    for confidence in ("decimal", "half", "single", "fixed"):
        told = ch.agree(table, key="day", **given, labels=list("AB"), confidence=confidence)
        assert told["probability"].to_pylist() == pytest.approx(expected, abs=1e-6)
    assert ch.agree(table, key="flag", **given)["changed"].to_pylist()[:2] in (
        [False, True],
        [True, False],
        [False, False],
    )
    alone = ch.agree(table, key="float", **given, confidence=0.75)["probability"].to_pylist()
    assert alone[2:] == pytest.approx([0.75] * 3, abs=1e-6) and alone[0] != alone[3]
    for key in ("binary", "fixed"):
        with pytest.raises(TypeError, match=f"column '{key}' has the type"):
            ch.agree(table, key=key, label="label")


# ---- Progress


def test_progress(bars):
    ch.agree(as_rows(COLUMNS), **GIVEN, progress=bars)
    (bar,) = bars.made
    assert bar.n == bar.options["total"] and bar.closed and bar.options["delay"] == 1
    with pytest.raises(ValueError):
        ch.agree([], **GIVEN, progress=bars)
    assert bars.made[1].closed and bars.made[1].n == 0
    tqdm = pytest.importorskip("tqdm")
    ch.agree(as_rows(COLUMNS), **GIVEN, progress=tqdm.tqdm)
    ch.agree(as_rows(COLUMNS), **GIVEN, progress=False)


def test_progress_of_learning(bars, capsys):
    rows = [{"k": key // 4, "l": "AB"[key % 3 == 0], "g": "A", "d": key // 8} for key in range(80)]
    given = {"key": "k", "label": "l", "gold": "g", "group": "d"}
    strengths = ch.learn_strengths(rows, **given, progress=bars)
    (bar,) = bars.made
    assert (bar.options["desc"], bar.options["unit"]) == ("learn", "run")
    runs = strengths.learnt.report["runs"]
    assert 0 < runs <= bar.options["total"] == bar.n and bar.closed
    ch.agree(rows, **given, progress=bars)
    assert [bar.options["desc"] for bar in bars.made[1:]] == ["agree", "learn"]
    assert all(bar.closed and bar.n == bar.options["total"] for bar in bars.made)
    ch.learn_strengths(rows, **given, progress=False)
    ch.learn_strengths(rows, **given)  # no bar, since the error stream is no terminal
    assert capsys.readouterr().err == "" and len(bars.made) == 3

    def breaking(**options):
        raise KeyError("no bar")

    with pytest.raises(KeyError, match="no bar"):
        ch.learn_strengths(rows, **given, progress=breaking)


def test_bar_on_a_terminal(monkeypatch):
    """Without `progress` a bar of tqdm appears on a terminal, but only after a second."""
    pytest.importorskip("tqdm")
    from libchorale import _progress

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr("sys.stderr", Terminal())
    ch.agree(as_rows(COLUMNS), **GIVEN)
    assert "agree" not in sys.stderr.getvalue()
    with _progress.Bar(None, "long", 3) as bar:
        bar.step()
        time.sleep(1.2)
        bar.step()
        assert "long" in sys.stderr.getvalue() and "2/3" in sys.stderr.getvalue()
