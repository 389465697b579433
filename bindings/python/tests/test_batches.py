"""Each group of a stream of record batches is labelled as by itself, however the stream is cut."""

import dataclasses
import gc
import os
import pickle
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import libchorale as ch
from libchorale import rules
from libchorale.batches import Chains, Mentions, Problems, label, output_schema
from libchorale.learn import learn
from libchorale.shared import SharedKeys

pa = pytest.importorskip("pyarrow")

NAMES = ["O", "PER", "LOC"]


@pytest.fixture
def rng(request):
    seed = int(np.random.SeedSequence().entropy % 2**32)
    print(f"seed {seed}")
    return np.random.default_rng(seed)


def corpus(rng, groups=9, kind="float64"):
    """Returns a table of random chains. The rows of a group follow one another."""
    rows = []
    for group in rng.permutation(groups).tolist():
        for _ in range(int(rng.integers(1, 6))):
            length = int(rng.integers(0, 5))
            rows.append(
                {
                    "id": len(rows),
                    "page": f"p{group}",
                    "words": [f"w{k}" for k in rng.integers(0, 4, length)],
                    "keys": rng.integers(-1, 3, length).tolist(),
                    "scores": (2 * rng.normal(size=(length, 3))).astype(kind).tolist(),
                }
            )
    element = pa.float64() if kind == "float64" else pa.float32()
    table = pa.Table.from_pylist(rows)
    number = table.schema.get_field_index("scores")
    scores = pa.array([row["scores"] for row in rows], pa.list_(pa.list_(element)))
    return table.set_column(number, "scores", scores)


def cut(table, size):
    return table.combine_chunks().to_batches(max_chunksize=size)


def joined(batches):
    return pa.Table.from_batches(list(batches))


TRANSITIONS = [[0.3, -0.2, 0.1], [0.0, 0.4, -0.5], [-0.1, 0.2, 0.0]]
WAYS = {
    "words": Chains("page", "scores", tokens="words", transitions=TRANSITIONS, strength=2.5),
    "keys": Chains("page", "scores", agree=ch.Agreement("keys", 2.5, keys="keys"), names=NAMES),
    "property": Chains("page", "scores", agree=(ch.Property.first_label(3), 3.0)),
}


def apart(table, way):
    """Returns, by the id of each row, its labels and whether they changed. Calls `decode` once for
    each group."""
    found = {}
    for page in dict.fromkeys(table.column("page").to_pylist()):
        rows = [row for row in table.to_pylist() if row["page"] == page]
        if not any(row["scores"] for row in rows):
            found.update((row["id"], ([], False)) for row in rows)
            continue
        agree = way.agree
        if isinstance(agree, ch.Agreement):
            agree = ch.Agreement("keys", agree.strength, keys=[row["keys"] for row in rows])
        element = np.float32 if table.schema.field("scores").type.value_type.value_type == pa.float32() else float
        result = ch.decode(
            [np.array(row["scores"], dtype=element).reshape(-1, 3) for row in rows],
            way.transitions,
            tokens=[row["words"] for row in rows] if way.tokens else None,
            agree=agree,
            strength=way.strength,
            names=way.names,
        )
        changed = {change.chain for change in result.changed}
        for number, row in enumerate(rows):
            labels = result.labels[number].tolist()
            named = labels if way.names is None else [way.names[label] for label in labels]
            found[row["id"]] = (named, number in changed)
    return found


def test_chains_have_edges_and_known_labels_of_their_own(rng):
    scores = [rng.normal(size=(n, 2)).tolist() for n in (3, 1, 2)]
    own = {
        "edges": [rng.normal(size=(len(of) - 1, 2, 2)).tolist() for of in scores],
        "forced": [[1, -1, -1], [-1], [-1, 0]],
        "allowed": [[[True, True]] * 3, [[False, True]], [[True, True]] * 2],
    }
    batch = pa.record_batch({"page": [1] * 3, "scores": scores, **own})
    [out] = label([batch], Chains("page", "scores", **{name: name for name in own}))
    expected = ch.decode(scores, **own).labels
    assert out.column("labels").to_pylist() == [row.tolist() for row in expected]
    assert expected[0][0] == 1 and expected[1][0] == 1 and expected[2][1] == 0


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint8(), pa.float64()])
def test_a_row_may_stand_for_several(kind):
    scores = [[[2.0, 0.0]], [[0.0, 1.9]]] * 3
    counts = [1, 1, 1, 9, 9, 1]
    columns = {"page": [1, 1, 2, 2, 3, 3], "scores": scores, "words": [["a"]] * 6}
    batch = pa.record_batch({**columns, "n": pa.array(counts, kind)})
    way = Chains("page", "scores", "words", count="n", strength=1.8)
    assert joined(label([batch], way)).column("labels").to_pylist() == [[0], [1], [1], [1], [0], [0]]
    rule = "not an integer from 1 to 2147483647"
    for wrong, told in ((0, "is 0, "), (None, "is null")):
        batch = pa.record_batch({**columns, "n": pa.array([*counts[:4], wrong, 1], pa.int64())})
        place = "group 3: row 0: column 'n' "
        with pytest.raises(ValueError, match=f"^{place}{told}{'' if wrong is None else rule}"):
            list(label([batch], way))
        errors = joined(label([batch], way, errors="column")).column("error").to_pylist()
        assert errors[:4] == [None] * 4 and errors[5].startswith(place)
    with pytest.raises(ValueError, match="count: there is no column 'm'"):
        list(label([batch], dataclasses.replace(way, count="m")))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_chains_as_by_themselves(rng, way, kind):
    table, way = corpus(rng, kind=kind), WAYS[way]
    expected = apart(table, way)
    for size in (1, 2, 3, 8, 1000):
        out = joined(label(cut(table, size), pickle.loads(pickle.dumps(way))))
        assert out.schema == output_schema(table.schema, way)
        assert out.select(table.column_names) == table
        for row in out.to_pylist():
            assert (row["labels"], row["changed"]) == expected[row["id"]]


@pytest.mark.parametrize("agree", [[], "words"])
def test_rules_are_kept_as_by_decode(rng, agree):
    names = ["O", "B-PER", "I-PER"]
    kept = [rules.once(), rules.no_longer(2, "PER", price=0.3), rules.needs("O", "PER")]
    more = {"rules": kept, "scheme": "bio", "most_cost": 1.5}
    table = corpus(rng)
    way = Chains("page", "scores", "words", agree=agree, strength=1.0, names=names, **more)
    way = pickle.loads(pickle.dumps(dataclasses.replace(way, ruled="ruled")))
    out = joined(label(cut(table, 3), way)).to_pylist()
    told = []
    for page in dict.fromkeys(row["page"] for row in out):
        rows = [row for row in out if row["page"] == page]
        scores = [np.reshape(row["scores"], (-1, 3)) for row in rows]
        if not any(map(len, scores)):
            continue
        words = [row["words"] for row in rows]
        found = ch.decode(scores, tokens=words, agree=agree, strength=1.0, names=names, **more)
        ruled = {entry.chain: str(entry) for entry in found.ruled}
        for number, (row, labels) in enumerate(zip(rows, found.labels)):
            assert row["labels"] == [names[k] for k in labels]
            said = row["ruled"] and f"chain {number}: {row['ruled']}"
            assert said == ruled.get(number)
        told += ruled.values()
    assert any("its rules cost" in text for text in told)
    assert out != joined(label(cut(table, 3), dataclasses.replace(way, rules=()))).to_pylist()


def problem_of(rows):
    return ch.build_problem(
        [np.reshape(row, (-1, 3)) for row in rows.column("scores").to_pylist()],
        TRANSITIONS,
        tokens=rows.column("words").to_pylist(),
        strength=2.5,
    )


def test_problems_are_as_chains(rng):
    table = corpus(rng)
    expected = apart(table, WAYS["words"])
    for names in (None, NAMES):
        way = pickle.loads(pickle.dumps(Problems("page", problem_of, names=names)))
        for size in (1, 3, 1000):
            out = joined(label(cut(table, size), way))
            assert out.schema == output_schema(table.schema, way)
            assert out.select(table.column_names) == table
            for row in out.to_pylist():
                numbers, changed = expected[row["id"]]
                labels = numbers if names is None else [names[label] for label in numbers]
                assert (row["labels"], row["changed"]) == (labels, changed)


def planted(rng, groups):
    """Returns a table of groups of eight one-word rows. The rows of a group have the same gold
    label. The scores are noisy, but on average highest for this label."""
    right = rng.integers(0, 3, groups)
    scores = 1.5 * rng.normal(size=(groups, 8, 3)) + np.eye(3)[right][:, None]
    rows = [
        {"page": g, "words": ["w"], "scores": [scores[g, k].tolist()], "gold": int(right[g])}
        for g in range(groups)
        for k in range(8)
    ]
    return pa.Table.from_pylist(rows)


def of_one_kind(rows):
    scores = rows.column("scores").to_pylist()
    words = rows.column("words").to_pylist()
    pages = rows.column("page").to_pylist()
    gold = rows.column("gold").to_pylist()
    return ch.build_problem(scores, gold=gold, groups=pages, tokens=words)


def test_problems_with_learnt_weights(rng):
    known, table = planted(rng, 40), planted(rng, 10)
    learnt = learn(of_one_kind(known))
    assert learnt.report["applied"]
    way = pickle.loads(pickle.dumps(Problems("page", of_one_kind, learnt)))
    out = joined(label(cut(table, 3), way))
    found = np.concatenate(out.column("labels").to_pylist())
    with ch.Run(learnt.apply(of_one_kind(table))) as run:
        run.solve()
        assert found.tolist() == run.labels().tolist()
        assert out.column("changed").to_numpy().any()


def test_a_problem_of_other_rows(rng):
    table = corpus(rng)
    way = Problems("page", lambda rows: problem_of(pa.concat_tables([rows, rows])))
    with pytest.raises(ValueError, match=r"group 'p.': problem has \d+ chains for \d rows"):
        list(label(cut(table, 4), way))


def test_order_within_a_group(rng):
    table = corpus(rng)
    way = Chains("page", "scores", tokens="words", strength=2.5, order="id")
    expected = {row["id"]: row for row in joined(label(cut(table, 4), way)).to_pylist()}
    places = {page: place for place, page in enumerate(rng.permutation(9).tolist())}
    mixed = table.to_pylist()
    rng.shuffle(mixed)
    mixed.sort(key=lambda row: places[int(row["page"][1:])])
    out = joined(label(cut(pa.Table.from_pylist(mixed, table.schema), 3), way)).to_pylist()
    assert {row["id"]: row for row in out} == expected


def mentions(rng, groups=6):
    rows = []
    for group in range(groups):
        for _ in range(int(rng.integers(1, 12))):
            rows.append(
                {
                    "text": group,
                    "name": rng.choice(["Jordan", "Paris", None]),
                    "type": str(rng.choice(NAMES)),
                    "sure": float(rng.uniform(0.3, 0.95)),
                }
            )
    return pa.Table.from_pylist(rows)


def test_mentions_as_by_themselves(rng):
    table = mentions(rng)
    way = Mentions("text", "name", "type", "sure", labels=NAMES)
    expected = []
    for group in dict.fromkeys(table.column("text").to_pylist()):
        rows = table.filter(pa.compute.equal(table.column("text"), group))
        settled = ch.settle(rows, key="name", label="type", confidence="sure", labels=NAMES)
        expected += settled.table.to_pylist()
    for size in (1, 5, 1000):
        out = joined(label(cut(table, size), way))
        assert out.schema == output_schema(table.schema, way)
        assert out.to_pylist() == expected


class NoLabels(Chains):
    """A specification that labels nothing, so that a stream of many groups takes little time."""

    def _labelled(self, arrow, rows):
        return {}


def names_of_groups(count, length=300):
    """Yields batches of 100 groups of two rows each. The name of a group has `length` digits."""
    for begin in range(0, count, 100):
        pages = [f"{k // 2:0{length}}" for k in range(2 * begin, 2 * begin + 200)]
        scores = pa.array([[]] * 200, pa.list_(pa.list_(pa.float64())))
        yield pa.RecordBatch.from_arrays([pa.array(pages), scores], ["page", "scores"])


def test_memory_does_not_grow_with_the_groups(monkeypatch):
    monkeypatch.setattr("libchorale.batches.REMEMBERED", 200)
    peaks = []
    for count in (1_000, 8_000):
        gc.collect()
        tracemalloc.start()
        for _ in label(names_of_groups(count), NoLabels("page", "scores")):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    print(f"peaks {peaks} bytes")
    assert peaks[1] < peaks[0] + 100_000  # 7000 more names would take 2.4 MB


def test_a_group_that_comes_again(monkeypatch):
    monkeypatch.setattr("libchorale.batches.REMEMBERED", 50)
    batches = list(names_of_groups(200))
    first = batches[0].slice(0, 1)
    for between in (1, 49):
        stream = [batches[0].slice(0, 2 * (between + 1)), first]
        with pytest.raises(ValueError, match="group '0+' comes again after others"):
            list(label(stream, NoLabels("page", "scores")))
    out = list(label([*batches, first], NoLabels("page", "scores")))
    assert sum(batch.num_rows for batch in out) == 401


def test_a_group_comes_out_when_it_is_complete(rng):
    table = corpus(rng)
    taken = []

    def stream():
        for batch in cut(table, 1):
            taken.append(batch)
            yield batch

    first = next(label(stream(), WAYS["words"]))
    pages = table.column("page").to_pylist()
    assert first.num_rows == pages.count(pages[0])
    assert len(taken) == first.num_rows + 1


def test_bad_groups_beside_good_ones(rng):
    table = corpus(rng)
    way = WAYS["words"]
    expected = apart(table, way)
    rows = table.to_pylist()
    long = [row for row in rows if row["scores"]]
    bad = long[0]["page"]
    long[0]["scores"][0][1] = float("nan")
    spoilt = pa.Table.from_pylist(rows, table.schema)
    with pytest.raises(ValueError, match=f"group '{bad}': .*NaN|group '{bad}': .*not a number"):
        list(label(cut(spoilt, 4), way))
    out = joined(label(cut(spoilt, 4), way, errors="column"))
    assert out.schema == output_schema(table.schema, way, "column")
    for row in out.to_pylist():
        if row["page"] == bad:
            assert row["labels"] is None and row["changed"] is None
            assert row["error"].startswith(f"group '{bad}': ")
        else:
            assert row["error"] is None
            assert (row["labels"], row["changed"]) == expected[row["id"]]


def damaged(kind, offsets, children):
    buffer = pa.py_buffer(np.array(offsets, dtype=np.int32).tobytes())
    if children is bytes:
        return pa.Array.from_buffers(kind, len(offsets) - 1, [None, buffer, pa.py_buffer(bytes(9))])
    return pa.Array.from_buffers(kind, len(offsets) - 1, [None, buffer], children=[children])


@pytest.mark.parametrize("errors", ["raise", "column"])
@pytest.mark.parametrize("where", ["group", "words", "text", "scores", "row"])
def test_a_damaged_batch(where, errors):
    word = pa.array(["a", "b", "c", "d", "e", "f"])
    row = pa.array([[0.1, 0.2]] * 6)
    if where == "text":
        word = damaged(pa.string(), [0, 1, 2, 999, 4, 5, 6], bytes)
    if where == "row":
        row = damaged(row.type, [0, 2, 4, 2, 8, 10, 12], row.values)
    begins = [0, 2, 4, 6]
    down = [0, 5, 4, 6]
    columns = {
        "page": pa.array(["p"] * 3),
        "words": damaged(pa.list_(pa.string()), down if where == "words" else begins, word),
        "scores": damaged(pa.list_(row.type), down if where == "scores" else begins, row),
    }
    if where == "group":
        columns["page"] = damaged(pa.string(), [0, 1, 0, 3], bytes)
    batch = pa.RecordBatch.from_arrays(list(columns.values()), list(columns))
    good = pa.RecordBatch.from_pylist(
        [{"page": "q", "words": ["a", "b"], "scores": [[0.1, 0.2]] * 2}], batch.schema
    )
    stream = label([good, batch], Chains("page", "scores", tokens="words"), errors=errors)
    with pytest.raises(ValueError, match="batch 1 is damaged: .*ffset"):
        list(stream)


def test_text_that_is_not_text(rng):
    table = corpus(rng)
    rows = table.to_pylist()
    bad = next(row for row in rows if row["scores"])["page"]
    for row in rows:
        row["words"] = [b"\xff" if row["page"] == bad else w.encode() for w in row["words"]]
    raw = pa.array([row["words"] for row in rows], pa.list_(pa.binary()))
    text = pa.ListArray.from_arrays(raw.offsets, raw.values.view(pa.string()))
    spoilt = table.set_column(table.schema.get_field_index("words"), "words", text)
    expected = apart(table, WAYS["words"])
    with pytest.raises(ValueError, match=f"group '{bad}': .*utf-8"):
        list(label(cut(spoilt, 4), WAYS["words"]))
    out = joined(label(cut(spoilt, 4), WAYS["words"], errors="column"))
    for row in out.drop_columns("words").to_pylist():
        if row["page"] == bad:
            assert row["labels"] is None and row["error"].startswith(f"group '{bad}': ")
        else:
            assert row["error"] is None
            assert (row["labels"], row["changed"]) == expected[row["id"]]


def test_a_group_too_large(rng):
    table = corpus(rng)
    pages = table.column("page").to_pylist()
    sizes = {page: pages.count(page) for page in pages}
    largest = max(sizes, key=sizes.get)
    most = sizes[largest] - 1
    if most < 1:
        return
    with pytest.raises(ValueError, match=f"it has more than most_rows = {most} rows"):
        list(label(cut(table, 2), WAYS["words"], most_rows=most))
    out = joined(label(cut(table, 2), WAYS["words"], errors="column", most_rows=most))
    assert out.column("id").to_pylist() == table.column("id").to_pylist()
    for row in out.to_pylist():
        assert (row["error"] is not None) == (sizes[row["page"]] > most)
        assert (row["labels"] is None) == (row["error"] is not None)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are Linux's")
@pytest.mark.parametrize("errors", ["raise", "column"])
def test_a_group_that_memory_does_not_hold(errors):
    script = f"""
import resource
import numpy as np, pyarrow as pa
from libchorale.batches import Chains, label

WORDS = 60
def batch(page, rows):
    words = pa.array(np.arange(rows * WORDS))
    words = pa.ListArray.from_arrays(np.arange(0, rows * WORDS + 1, WORDS, dtype=np.int32), words)
    flat = pa.array(np.random.default_rng(1).normal(size=2 * rows * WORDS).astype(np.float32))
    scores = pa.ListArray.from_arrays(np.arange(0, 2 * rows * WORDS + 1, 2, dtype=np.int32), flat)
    scores = pa.ListArray.from_arrays(words.offsets, scores)
    columns = [pa.array([page] * rows), words, scores]
    return pa.RecordBatch.from_arrays(columns, ["page", "words", "scores"])

what = Chains("page", "scores", tokens="words")
stream = [batch("a", 50), batch("giant", 40_000), batch("b", 50)]
few = list(label([stream[0], stream[2]], what))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
soft, hard = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (used + (160 << 20), hard))
try:
    out = pa.Table.from_batches(label(stream, what, errors={errors!r}))
except MemoryError as error:
    print(error)
else:
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    bad = pa.compute.equal(out["page"], "giant")
    print(*set(out.filter(bad)["error"].to_pylist()))
    assert out.filter(bad).num_rows == 40_000 and out.filter(bad)["labels"].null_count == 40_000
    good = out.filter(pa.compute.invert(bad))
    assert good["error"].null_count == 100
    assert good.drop_columns("error").equals(pa.Table.from_batches(few))
"""
    if "ASAN_OPTIONS" in os.environ:
        pytest.skip("the address sanitizer ends a process that has no memory")
    path = os.pathsep.join([str(Path(ch.__file__).parent.parent), os.environ.get("PYTHONPATH", "")])
    found = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    message = "group 'giant': there is not enough memory to label its 40000 rows\n"
    assert (found.stderr, found.stdout) == ("", message)


def test_what_cannot_be(rng):
    table, way = corpus(rng), WAYS["words"]
    batch = cut(table, 1000)[0]
    cases = [
        (Chains("book", "scores", tokens="words"), "group: there is no column 'book'"),
        (Chains("page", "scores", tokens="text"), "tokens: there is no column 'text'"),
        (Chains("page", "scores", tokens="words", labels="id"), "column 'id' is there already"),
    ]
    for specification, message in cases:
        with pytest.raises(ValueError, match=message):
            list(label([batch], specification))
    with pytest.raises(ValueError, match="group 'p.' comes again after others"):
        list(label([batch, batch], way))
    with pytest.raises(ValueError, match="batch 1 has another schema than batch 0"):
        list(label([batch, batch.select(["page"])], way))
    with pytest.raises(ValueError, match="errors is 'ignore'"):
        list(label([batch], way, errors="ignore"))
    with pytest.raises(ValueError, match="most_rows is 0"):
        label([batch], way, most_rows=0)
    with pytest.raises(TypeError, match="not one of Chains, Problems or Mentions"):
        label([batch], "words")
    with pytest.raises(ValueError, match=r"agree\[0\] has across"):
        Chains("page", "scores", agree=ch.Agreement("words", across=True))
    with pytest.raises(ValueError, match='has what="cliques"'):
        Chains("page", "scores", agree=ch.Agreement("cliques", cliques=[[0, 1]]))
    with pytest.raises(TypeError, match=r"agree\[1\].keys is None"):
        Chains("page", "scores", agree=["words", ch.Agreement("keys")])
    with pytest.raises(TypeError, match=r"rules\[0\] must be made by"):
        Chains("page", "scores", rules=["once"])
    with pytest.raises(ValueError, match=r"rules\[1\] \(never\).chains is given; batches are"):
        Chains("page", "scores", rules=[rules.once(), rules.never("A", chains=[0])])
    with pytest.raises(ValueError, match="chains.rules is given"):
        SharedKeys(Chains("page", "scores", rules=[rules.once()]), "keys")
    with pytest.raises(ValueError, match="chains.count is given"):
        SharedKeys(Chains("page", "scores", count="n"), "keys")
    unknown = Chains("page", "scores", names=NAMES, rules=[rules.once(), rules.never("WORK")])
    with pytest.raises(ValueError, match=r"group 'p.': rules\[1\] \(never\).a is 'WORK'"):
        list(label([batch], unknown))
    nulls = pa.Table.from_pylist([{"page": None, "scores": [[0.0]], "words": ["a"]}])
    nulls = nulls.set_column(0, "page", pa.array([None], pa.string()))
    with pytest.raises(ValueError, match="column 'page' is null in row 0 of batch"):
        list(label(cut(nulls, 9), way))
    uneven = pa.Table.from_pylist([{"page": "a", "scores": [[0.0], [1.0, 2.0]], "words": ["a", "b"]}])
    with pytest.raises(ValueError, match="group 'a': column 'scores' has lists of 1 and of 2 numbers"):
        list(label(cut(uneven, 9), way))


# Types of Arrow for which many of its functions are not implemented.
ENCODED = {
    "runs": lambda texts: pa.compute.run_end_encode(pa.array(texts)),
    "views": lambda texts: pa.array(texts, pa.string_view()),
    "dictionary": lambda texts: pa.array(texts).dictionary_encode(),
}


@pytest.mark.parametrize("role", ["page", "name", "type", "number", "other"])
@pytest.mark.parametrize("encoded", ENCODED)
def test_encoded_columns(encoded, role):
    """Columns of every encoding are as the same columns of plain texts, in any role."""
    columns = {
        "page": list("pppppq"),
        "name": list("aaaaba"),
        "type": list("XXXYYY"),
        "number": list("625143"),
        "other": list("uvwxyz"),
    }
    way = Mentions("page", key="name", label="type", order="number")
    plain = joined(label(cut(pa.table(columns), 2), way))
    kept = {name: pa.array(texts) for name, texts in columns.items()}
    table = pa.table({**kept, role: ENCODED[encoded](columns[role])})
    found = joined(label(cut(table, 2), way))
    assert found.to_pydict() == plain.to_pydict()
    assert found.schema.field(role).type == table.schema.field(role).type


def test_encoded_scores():
    scores = pa.array([[[2.0, 0.1]], [[0.9, 1.2]]])
    runs = pa.RunEndEncodedArray.from_arrays([3, 4], scores)
    table = pa.table({"page": [1, 1, 1, 2], "scores": runs})
    found = joined(label(cut(table, 2), Chains("page", "scores")))
    assert found["labels"].to_pylist() == [[0], [0], [0], [1]]


@pytest.mark.parametrize("errors", ["raise", "column"])
def test_types_that_cannot_be_used(errors):
    """Errors name the column and its type."""
    ones, span = [[[1.0]]], pa.duration("s")
    for scores, kind in (
        (pa.array([[[1]]], pa.list_(pa.list_(span))), "list<.*duration"),
        (pa.array([[1.0]]), "list<.*double>"),
        (pa.array([[[True]]]), "list<.*bool"),
        (pa.array([[["1"]]]), "list<.*string"),
        (pa.array(["1"]), "string"),
    ):
        table = pa.table({"page": [1], "scores": scores})
        message = f"column 'scores' has the type {kind}.*, where lists of lists of numbers"
        if errors == "raise":
            with pytest.raises(ValueError, match=message):
                list(label(cut(table, 9), Chains("page", "scores")))
        else:
            [found] = label(cut(table, 9), Chains("page", "scores"), errors="column")
            assert re.search(message, found.column("error").to_pylist()[0])
    with pytest.raises(TypeError, match="column 'page' has the type struct"):
        table = pa.table({"page": [{"a": 1}], "scores": ones})
        list(label(cut(table, 9), Chains("page", "scores"), errors=errors))
    table = pa.table({"page": [1], "scores": ones, "order": [[1]]})
    message = "column 'order' has the type list.*, where values that can be sorted are needed"
    if errors == "raise":
        with pytest.raises(ValueError, match=message):
            list(label(cut(table, 9), Chains("page", "scores", order="order")))
    else:
        [found] = label(cut(table, 9), Chains("page", "scores", order="order"), errors="column")
        assert re.search(message, found.column("error").to_pylist()[0])
    table = pa.table({"page": [1], "name": ["a"], "type": ["X"], "sure": pa.array([1], span)})
    way = Mentions("page", key="name", label="type", confidence="sure")
    with pytest.raises(ValueError, match="column 'sure' has the type duration"):
        list(label(cut(table, 9), way))


def test_rows_without_positions():
    """Without any position, Arrow does not know the type of scores."""
    for kind in (None, pa.list_(pa.null()), pa.list_(pa.list_(pa.null()))):
        table = pa.table({"page": [1, 1], "scores": pa.array([[], []], kind)})
        found = joined(label(cut(table, 9), Chains("page", "scores")))
        assert found["labels"].to_pylist() == [[], []]


def test_a_column_that_is_there_twice():
    names = ["page", "name", "type", "scores"]
    values = [[1], ["a"], ["X"], [[[1.0]]]]
    for twice, way in (
        ("type", Mentions("page", key="name", label="type")),
        ("page", Mentions("page", key="name", label="type")),
        ("scores", Chains("page", "scores")),
    ):
        number = names.index(twice)
        table = pa.table([*values, values[number]], names=[*names, twice])
        with pytest.raises(ValueError, match=f"column '{twice}' is there twice"):
            list(label(cut(table, 9), way))


def test_no_batches():
    assert list(label([], WAYS["words"])) == []


def test_progress(rng, bars):
    batches = cut(corpus(rng), 2)
    what = WAYS["words"]
    plain = joined(label(batches, what, progress=False))
    assert joined(label(batches, what, progress=bars)).equals(plain)
    (bar,) = bars.made
    assert (bar.options["total"], bar.options["unit"]) == (len(batches), "batch")
    assert bar.n == len(batches) and bar.closed
    assert joined(label(iter(batches), what, progress=bars)).equals(plain)
    assert bars.made[1].options["total"] is None and bars.made[1].n == len(batches)
    stream = label(batches, what, progress=bars)
    next(stream)
    stream.close()  # before the last batch
    assert bars.made[2].closed and bars.made[2].n < len(batches)
    with pytest.raises(ValueError, match=f"batch {len(batches)} has another schema"):
        joined(label([*batches, batches[0].drop_columns(["id"])], what, progress=bars))
    assert bars.made[3].closed and bars.made[3].n == len(batches)
