"""Spark in local mode finds the labels that one process finds, for any partitions and row order."""

import dataclasses
import os
import shutil
import sys

import pytest
from test_batches import (  # noqa: F401
    NAMES,
    WAYS,
    corpus,
    cut,
    joined,
    mentions,
    of_one_kind,
    planted,
    rng,
)
from test_left_out import BAD, SCORES, TOKENS, WHY

import libchorale as ch
from libchorale import rules
from libchorale import spark as adapter
from libchorale.batches import Chains, Mentions, Problems, label
from libchorale.learn import learn
from libchorale.shared import SharedKeys
from libchorale.shared import label as label_shared

pytest.importorskip("pyspark")
pa = pytest.importorskip("pyarrow")
HAVE_JAVA = shutil.which("java") is not None or "JAVA_HOME" in os.environ
pytestmark = pytest.mark.skipif(not HAVE_JAVA, reason="no Java")


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .getOrCreate()
    )
    yield session
    session.stop()


def frame_of(spark, table):
    return spark.createDataFrame(table)


def by_id(rows):
    return {row["id"]: row for row in rows}


@pytest.mark.parametrize("partitions", [1, 2, 3, 8])
def test_as_in_one_process(spark, rng, partitions):  # noqa: F811
    table = corpus(rng, groups=30)
    way = Chains("page", "scores", tokens="words", strength=2.5, order="id", names=NAMES)
    way = dataclasses.replace(way, rules=[rules.once(), rules.before("PER", "LOC")], ruled="ruled")
    expected = by_id(joined(label(cut(table, 7), way)).to_pylist())
    mixed = table.take(pa.array(rng.permutation(table.num_rows)))
    out = adapter.label(frame_of(spark, mixed), way, partitions=partitions)
    assert by_id(row.asDict() for row in out.collect()) == expected


def test_rows_stand_for_several(spark):
    columns = {"id": list(range(6)), "page": [1, 1, 2, 2, 3, 3], "words": [["a"]] * 6}
    columns["scores"] = [[[2.0, 0.0]], [[0.0, 1.9]]] * 3
    table = pa.table({**columns, "n": [1, 1, 1, 9, 9, 1]})
    way = Chains("page", "scores", tokens="words", strength=1.8, order="id", count="n")
    out = adapter.label(frame_of(spark, table), way, partitions=2).collect()
    found = by_id(row.asDict() for row in out)
    assert [found[number]["labels"] for number in range(6)] == [[0], [1], [1], [1], [0], [0]]
    assert found == by_id(joined(label(cut(table, 7), way)).to_pylist())


def test_what_travels(rng):  # noqa: F811
    from pyspark import cloudpickle

    learnt = learn(of_one_kind(planted(rng, 10)))
    problem = of_one_kind(planted(rng, 10))
    again = [cloudpickle.loads(cloudpickle.dumps(thing)) for thing in (learnt, problem, problem.model)]
    assert again[0].to_json() == learnt.to_json()
    assert again[1].to_bytes() == problem.to_bytes()
    assert ch.Problem(again[2]).to_bytes() == ch.Problem(problem.model).to_bytes()
    potential = learnt.potential(0, 3)
    assert cloudpickle.loads(cloudpickle.dumps(potential)).evaluate([2, 3, 1]) == potential.evaluate(
        [2, 3, 1]
    )


def test_problems(spark, rng):  # noqa: F811
    from pyspark import cloudpickle

    # Executors cannot import modules of this folder, so the function must be pickled by value.
    cloudpickle.register_pickle_by_value(sys.modules[of_one_kind.__module__])
    table = planted(rng, 30)
    table = table.append_column("id", pa.array(range(table.num_rows)))
    way = Problems("page", of_one_kind, learn(of_one_kind(planted(rng, 40))), order="id")
    expected = by_id(joined(label(cut(table, 7), way)).to_pylist())
    mixed = table.take(pa.array(rng.permutation(table.num_rows)))
    out = adapter.label(frame_of(spark, mixed), way, partitions=3)
    assert by_id(row.asDict() for row in out.collect()) == expected


@pytest.mark.parametrize("partitions", [1, 2, 3, 8])
def test_shared_keys_as_in_one_process(spark, rng, partitions):  # noqa: F811
    table = corpus(rng, groups=30)
    chains = Chains("page", "scores", tokens="words", order="id", names=NAMES)
    shared = SharedKeys(chains, "keys", strength=3.0, least=5, rounds=5)
    rows, outcome = label_shared(cut(table, 7), shared)
    expected = by_id(joined(rows).to_pylist())
    mixed = table.take(pa.array(rng.permutation(table.num_rows)))
    out = adapter.label_shared(frame_of(spark, mixed), shared, partitions=partitions)
    assert by_id(row.asDict() for row in out.rows.collect()) == expected
    assert out.outcome == outcome
    assert outcome.rows >= outcome.rounds > 0


def test_nothing_to_share(spark):
    table = pa.table(
        {
            "page": ["a", "b"],
            "keys": pa.array([[], []], pa.list_(pa.string())),
            "scores": pa.array([[], []], pa.list_(pa.list_(pa.float64()))),
        }
    )
    out = adapter.label_shared(frame_of(spark, table), SharedKeys(Chains("page", "scores"), "keys"))
    assert [row["labels"] for row in out.rows.collect()] == [[], []]
    assert out.outcome.rows == 0


def test_the_library_is_loaded_once_a_process(spark, rng, tmp_path):  # noqa: F811
    from pyspark import cloudpickle

    def progress(state):
        from pyspark import TaskContext

        from libchorale import _native

        if not hasattr(_native, "stamp"):  # the module has just been loaded
            _native.stamp = os.urandom(8).hex()
        with open("/proc/self/maps") as maps:
            files = {line.split()[-1] for line in maps if "libchorale" in line and ".so" in line}
        task = TaskContext.get().taskAttemptId()
        (tmp_path / f"{os.getpid()} {_native.stamp} {len(files)} {task}").touch()

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    way = Chains("page", "scores", tokens="words", order="id", options={"progress": progress})
    frame = frame_of(spark, corpus(rng, groups=40))
    for _ in range(3):
        adapter.label(frame, way, partitions=8).collect()
    seen = [path.name.split() for path in tmp_path.iterdir()]
    stamps = {(process, stamp) for process, stamp, _, _ in seen}
    tasks = {task for _, _, _, task in seen}
    assert len(stamps) == len({process for process, _ in stamps}) < len(tasks)
    assert {count for _, _, count, _ in seen} == {"1"}


def test_mentions(spark, rng):  # noqa: F811
    table = mentions(rng)
    table = table.append_column("id", pa.array(range(table.num_rows)))
    way = Mentions("text", "name", "type", "sure", labels=NAMES, order="id")
    expected = by_id(joined(label(cut(table, 7), way)).to_pylist())
    out = adapter.label(frame_of(spark, table), way)
    assert by_id(row.asDict() for row in out.collect()) == expected


def test_a_large_group_is_alone(spark, rng):  # noqa: F811
    from pyspark.sql import functions as f

    rows = [("giant", k) for k in range(500)] + [(f"g{k % 40}", k) for k in range(400)]
    frame = spark.createDataFrame(rows, ["page", "id"])
    placed = adapter._placed(frame, Chains("page", "id"), 4).withColumn("at", f.spark_partition_id())
    found = placed.select("page", "at").distinct().collect()
    of = {}
    for row in found:
        assert of.setdefault(row["page"], row["at"]) == row["at"]
    assert sum(at == of["giant"] for at in of.values()) == 1
    assert len({at for page, at in of.items() if page != "giant"}) == 4


def test_a_bad_group_is_named(spark, rng):  # noqa: F811
    table = corpus(rng)
    pages = table.column("page").to_pylist()
    most = max(map(pages.count, pages)) - 1
    if most < 1:
        return
    out = adapter.label(frame_of(spark, table), WAYS["words"], errors="column", most_rows=most)
    for row in out.collect():
        too_many = pages.count(row["page"]) > most
        assert (row["labels"] is None) == too_many
        assert (row["error"] or "").startswith(f"group '{row['page']}': " if too_many else "")
    with pytest.raises(Exception, match="it has more than most_rows"):
        adapter.label(frame_of(spark, table), WAYS["words"], most_rows=most).collect()


def test_a_row_without_a_labelling_is_left_out(spark):
    rows = [
        {"page": page, "id": k, "scores": scores, "words": TOKENS[k]}
        for page, all_scores in enumerate([SCORES, [BAD], SCORES[:1]])
        for k, scores in enumerate(all_scores)
    ]
    way = Chains("page", "scores", tokens="words", order="id")
    out = adapter.label(frame_of(spark, pa.Table.from_pylist(rows)), way, errors="column")
    found = {(row["page"], row["id"]): row for row in out.collect()}
    without = {(0, 1), (1, 0)}
    assert {at for at, row in found.items() if row["labels"] is None} == without
    assert {at for at, row in found.items() if row["error"] is not None} == without
    assert found[0, 1]["error"] == f"row 1 is left out: {WHY}"
