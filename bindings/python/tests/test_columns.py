"""Columns of unusual types and names, in tables of every library: `agree` reads them, or raises an
error that names the column."""

import datetime
import decimal

import pandas
import polars
import pyarrow as pa
import pytest

import libchorale as ch

LABELS = ["A", "A", "A", "B", "B"]  # of two keys: the fourth row changes
D = decimal.Decimal


def runs(values, ends=(4, 5)):
    return pa.RunEndEncodedArray.from_arrays(pa.array(ends, pa.int32()), pa.array(values))


def told(table, **given):
    """Returns the labels and the changes of `agree` as lists."""
    made = ch.agree(table, **{"key": "k", "label": "l", "strength": 2.0, **given})
    if isinstance(made, list):
        return [row["together"] for row in made], [row["changed"] for row in made]
    columns = made["together"], made["changed"]
    return tuple(c.to_pylist() if isinstance(made, pa.Table) else c.to_list() for c in columns)


CHANGED = [False, False, False, True, False]
KEYS = {
    "text": ["x"] * 4 + ["y"],
    "decimal": [D("-1.50")] * 4 + [D("1.50")],
    "long decimal": [D("123456789012345678901234567.5")] * 4 + [D("0.5")],
    "duration": [datetime.timedelta(seconds=5)] * 4 + [datetime.timedelta(seconds=-5)],
    "date": [datetime.date(2020, 1, 1)] * 4 + [datetime.date(2020, 1, 2)],
}


@pytest.mark.parametrize("make", [pa.table, polars.DataFrame, pandas.DataFrame])
@pytest.mark.parametrize("name", KEYS)
def test_types_of_keys_and_labels(make, name):
    keys = KEYS[name]
    assert told(make({"k": keys, "l": LABELS}))[1] == CHANGED
    texts = ["x"] * 4 + ["y"]
    labels = [keys[0]] * 3 + [keys[4]] * 2
    new, changed = told(make({"k": texts, "l": labels}))
    assert changed == CHANGED and new == [keys[0]] * 4 + [keys[4]]


def test_encoded_columns():
    """Dictionaries and runs, in several chunks and slices, with nulls."""
    texts = ["x"] * 4 + ["y"]
    for keys in (
        runs(["x", "y"]),
        pa.chunked_array([runs(["x"], [3]), runs(["x", "y"], [1, 2])]),
        pa.concat_arrays([runs(["z", "x", "y"], [2, 6, 7])])[2:],
        runs(["x", None]),
        pa.array(texts).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([1, 1, 1, 1, 0]), pa.array([None, "x"])),
    ):
        assert told(pa.table({"k": keys, "l": LABELS}))[1] == CHANGED
    for labels in (runs(["A", "B"], [3, 5]), pa.array(LABELS).dictionary_encode()):
        new, changed = told(pa.table({"k": texts, "l": labels}))
        assert changed == CHANGED and new == ["A"] * 4 + ["B"]
    for sure in (runs([0.9, 0.6], [3, 5]), pa.array([0.9, 0.9, 0.9, 0.6, 0.6]).dictionary_encode()):
        table = pa.table({"k": texts, "l": LABELS, "c": sure})
        found = ch.agree(table, key="k", label="l", confidence="c", strength=0.0)
        assert found["probability"].to_pylist() == pytest.approx([0.9] * 3 + [0.6] * 2)
        table = pa.table({"k": texts, "l": LABELS, "c": runs([0.9, None], [3, 5])})
        with pytest.raises(ValueError, match="column 'c' is null in row 3"):
            told(table, confidence="c")


@pytest.mark.parametrize("make", [pa.table, polars.DataFrame, pandas.DataFrame])
def test_decimals_as_confidences(make):
    sure = [D("0.90"), D("0.90"), D("0.90"), D("0.60"), D("0.05")]
    found = ch.agree(
        make({"k": list("vwxyz"), "l": LABELS, "c": sure}), key="k", label="l", confidence="c"
    )
    expected = pytest.approx([0.9, 0.9, 0.9, 0.6, 0.95])
    column = found["probability"]
    assert (column.to_pylist() if make is pa.table else column.to_list()) == expected


@pytest.mark.parametrize("make", [pa.table, polars.DataFrame, pandas.DataFrame, None])
def test_columns_of_nulls(make):
    def table(**columns):
        given = {"k": ["x"] * 4 + ["y"], "l": LABELS, **columns}
        if make is None:
            return [dict(zip(given, row)) for row in zip(*given.values())]
        return make(given)

    nulls = [None] * 5
    assert told(table(z=nulls))[1] == CHANGED
    assert told(table(k=nulls))[1] == [False] * 5
    with pytest.raises(ValueError, match="column 'l' is null in row 0"):
        told(table(l=nulls))
    with pytest.raises(ValueError, match="column 'c' is null in row 0"):
        told(table(c=nulls), confidence="c")
    with pytest.raises(ValueError, match="column 'g' is null in every row"):
        told(table(g=nulls), gold="g", strength=None)


def test_names_that_are_no_texts():
    frame = pandas.DataFrame({0: ["x"] * 4 + ["y"], 1: LABELS, 2: [0.2] * 5, 3: [0.8] * 5})
    rows = frame.to_dict("records")
    for table in (frame, rows):
        assert told(table, key=0, label=1)[1] == CHANGED
        assert told(table, key=[0, (0, 1)], label=1)[1] == CHANGED
        assert told(table, key=0, label=None, confidence=[2, 3])[0] == [3] * 5
        with pytest.raises(ValueError, match=r"key: there is no column 7 \(columns: 0, 1, 2, 3\)"):
            told(table, key=7, label=1)


def test_a_name_that_is_there_twice():
    columns = [["x"] * 4 + ["y"], LABELS, LABELS]
    frame = pandas.DataFrame(dict(enumerate(columns))).set_axis(["k", "l", "l"], axis=1)
    for table in (frame, pa.table(columns, names=["k", "l", "l"])):
        with pytest.raises(ValueError, match="column 'l' is there twice"):
            told(table)


def test_derived_classes():
    class Frame(pandas.DataFrame):
        @property
        def _constructor(self):
            return Frame

    class Table(polars.DataFrame):
        pass

    given = {"k": ["x"] * 4 + ["y"], "l": LABELS}
    found = ch.agree(Frame(given), key="k", label="l", strength=2.0)
    assert type(found) is Frame and found["changed"].tolist() == CHANGED
    found = ch.agree(Table(given), key="k", label="l", strength=2.0)
    assert isinstance(found, polars.DataFrame) and found["changed"].to_list() == CHANGED


@pytest.mark.parametrize("make", [pa.table, polars.DataFrame, pandas.DataFrame, lambda _: []])
def test_tables_without_rows(make):
    with pytest.raises(ValueError, match="table has no rows"):
        told(make({"k": [], "l": []}))


def test_types_that_cannot_be_read():
    texts = ["x"] * 4 + ["y"]
    for values in ([[1]] * 5, [b"x"] * 5, pa.array([D("0.5")] * 5, pa.decimal64(3, 1))):
        with pytest.raises(TypeError, match="column 'k' has the type"):
            told(pa.table({"k": values, "l": LABELS}))
    for times in ([datetime.timedelta(1)] * 5, [datetime.date(2020, 1, 1)] * 5):
        for make in (pa.table, polars.DataFrame, pandas.DataFrame):
            with pytest.raises(TypeError, match="column 'c'"):
                told(make({"k": texts, "l": LABELS, "c": times}), confidence="c")
