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
        with pytest.raises(ValueError, match="row 3: column 'c' is null"):
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
    with pytest.raises(ValueError, match="column 'l' has no label"):
        told(table(l=nulls))
    with pytest.raises(ValueError, match="row 0: column 'c' is null"):
        told(table(c=nulls), confidence="c")
    with pytest.raises(ValueError, match="column 'g' has no label"):
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


def test_a_confidence_that_is_a_number_and_a_name():
    """An integer is a column if one has this name, and a number otherwise."""
    frame = pandas.DataFrame({0: list("vwxyz"), 1: [0.5, 0.6, 0.7, 0.8, 0.9], 2: LABELS})
    for table in (frame, frame.to_dict("records")):
        for call, given in ((ch.agree, {"strength": 0.0}), (ch.settle, {})):
            found = call(table, key=0, label=2, confidence=1, **given)
            found = found.table if call is ch.settle else found
            found = found.to_dict("records") if isinstance(found, pandas.DataFrame) else found
            assert [row["probability"] for row in found] == pytest.approx(frame[1].tolist(), abs=1e-4)
    certain = ch.agree(frame.rename(columns={1: "c"}), key=0, label=2, confidence=1, strength=0.0)
    assert certain["probability"].tolist() == pytest.approx([1.0] * 5, abs=1e-5)


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
            with pytest.raises((TypeError, ValueError), match="column 'c'"):
                told(make({"k": texts, "l": LABELS, "c": times}), confidence="c")


@pytest.mark.parametrize("make", [pa.table, polars.DataFrame, pandas.DataFrame])
def test_times_are_no_numbers(make):
    """Also if the integers as which they are stored are from 0 to 1, or counts."""
    for times, kind in (
        ([datetime.timedelta(microseconds=k) for k in (0, 1, 1, 0, 1)], "duration|timedelta64"),
        ([datetime.datetime(1970, 1, 1, microsecond=1)] * 5, "timestamp|datetime64"),
    ):
        table = make({"k": ["x"] * 4 + ["y"], "l": LABELS, "c": times})
        for given in ({"confidence": "c"}, {"count": "c"}):
            with pytest.raises(TypeError, match=f"column 'c' has the type ({kind})"):
                ch.settle(table, key="k", label="l", **given)
        with pytest.raises(TypeError, match=f"column 'c' has the type ({kind})"):
            ch.settle(table, key="k", confidence={"A": "c", "B": "c"})


def test_encoded_times_are_no_numbers():
    times = pa.array([0, 1, 1, 0, 1], pa.duration("us"))
    for encoded in (times.dictionary_encode(), runs(times[:2])):
        with pytest.raises(TypeError, match="column 'c' has the type"):
            ch.settle(
                pa.table({"k": list("xxxxy"), "l": LABELS, "c": encoded}),
                key="k",
                label="l",
                confidence="c",
            )


def test_views_stay():
    table = pa.table({"k": list("xxxxy"), "l": pa.array(LABELS, pa.string_view())})
    for found in (ch.settle(table, key="k", label="l").table, ch.agree(table, key="k", label="l")):
        assert found["together"].type == pa.string_view()
        assert found["together"].to_pylist()[4] == "B"


def test_types_without_a_name():
    views = pa.array([[1]] * 5, pa.list_view(pa.int32()))
    with pytest.raises(TypeError, match="column 'k' has the type"):
        told(pa.table({"k": views, "l": LABELS}))
