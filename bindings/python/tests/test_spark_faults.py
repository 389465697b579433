"""If tasks or executors of Spark fail, the labels are still those of one process, and no row is
lost or doubled. The tests take minutes.

Faults are caused in the Python workers, by a function that is sent there as the option `progress`
of `decode`.
"""

import collections.abc
import contextlib
import dataclasses
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from test_batches import TRANSITIONS, corpus, cut, joined
from test_spark import HAVE_JAVA, by_id

import libchorale
from libchorale import spark as adapter
from libchorale.batches import Chains, label
from libchorale.shared import SharedKeys
from libchorale.shared import label as label_shared

pyspark = pytest.importorskip("pyspark")
cloudpickle = pytest.importorskip("pyspark.cloudpickle")
pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
pytestmark = pytest.mark.skipif(not HAVE_JAVA, reason="no Java")
# Workers cannot import this file, so its functions must be pickled by value.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

GROUPS = 60
# A worker has called the progress function at least this often when it causes the fault. So it has
# labelled groups and yielded batches before.
CALLS = 4


@contextlib.contextmanager
def session(master, **settings):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master(master)
    settings = {
        "spark.executorEnv.PYTHONPATH": str(Path(libchorale.__file__).parent.parent),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "4",
        "spark.sql.shuffle.partitions": "4",
        **{name.replace("_", "."): value for name, value in settings.items()},
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()
        for name in settings:  # otherwise the builder would use them again
            SparkSession.builder._options.pop(name, None)


def way(progress=None):
    options = {} if progress is None else {"progress": progress}
    return Chains(
        "page",
        "scores",
        tokens="words",
        transitions=TRANSITIONS,
        strength=2.5,
        order="id",
        options=options,
    )


def task_name():
    """Returns the stage and the partition of the task in which it is called."""
    from pyspark import TaskContext

    task = TaskContext.get()
    return f"{task.stageId()}.{task.partitionId()}"


def once(folder, fault, stages=1):
    """Returns a function for the option `progress`. It writes a file to `folder` for each attempt
    of a task in which it is called. It also calls `fault`, but only once in all workers: when it
    has been called in tasks of `stages` stages, and at least CALLS times in the present worker.
    """
    folder.mkdir()

    def progress(state, calls=[0]):  # noqa: B006
        from pyspark import TaskContext

        Path(folder, f"{task_name()} {TaskContext.get().taskAttemptId()}").touch()
        calls[0] += 1
        if calls[0] >= CALLS and len({path.name.split(".")[0] for path in folder.glob("*.*")}) >= stages:
            with contextlib.suppress(FileExistsError):
                os.close(os.open(folder / "fault", os.O_CREAT | os.O_EXCL))
                fault(folder)

    return progress


class Trap(collections.abc.Mapping):
    """An empty mapping, to be used as the options of a run. Calls `progress` whenever the options
    are read, which is once for each group."""

    def __init__(self, progress):
        self.progress = progress

    def __iter__(self):
        self.progress(None)
        return iter(())

    def __len__(self):
        return 0

    def __getitem__(self, name):
        raise KeyError(name)


def attempts(folder):
    """Returns the greatest number of attempts of a task. Checks that the fault has occurred."""
    assert (folder / "fault").exists()
    tasks = [path.name.split()[0] for path in folder.iterdir() if path.name != "fault"]
    return max(map(tasks.count, tasks))


def kill_worker(folder):
    os.kill(os.getpid(), signal.SIGKILL)


def kill_executor(folder):
    def parent(number):
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        return int(fields[1])

    daemon = parent(os.getpid())
    os.kill(parent(daemon), signal.SIGKILL)
    time.sleep(60)  # does no more work until the worker ends with its executor


def straggle(folder):
    """Waits until another attempt of the same task has begun. Then both attempts go on."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        if len(list(folder.glob(f"{task_name()} *"))) > 1:
            return
        time.sleep(0.1)


def wait_for(port):
    """Returns when a server listens at the port, but after five minutes in any case."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.2)


@contextlib.contextmanager
def cluster(folder):
    """Runs a cluster of two workers on different hosts, since Spark does not run a task twice at
    once on one host. Yields the address of the cluster."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"spark://127.0.0.1:{port}"
    command = [str(Path(pyspark.__file__).parent / "bin" / "spark-class")]
    deploy = "org.apache.spark.deploy"
    at = ["--webui-port", "0", "--host"]
    programs = [[f"{deploy}.master.Master", "--port", str(port), *at, "127.0.0.1"]]
    for host in ("127.0.0.2", "127.0.0.3"):
        options = ["--cores", "1", "--memory", "1g", "--work-dir", str(folder), *at, host]
        programs.append([f"{deploy}.worker.Worker", *options, address])
    processes = []
    try:
        for program in programs:
            log = (folder / f"{len(processes)}.log").open("w")
            environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
            processes.append(
                subprocess.Popen(command + program, env=environment, stdout=log, stderr=log)
            )
        wait_for(port)  # a session would give up after a minute
        yield address
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait()


@pytest.fixture
def data(rng):
    """Returns a table with its rows in random order, and the rows as one process labels them, by
    id."""
    table = corpus(rng, groups=GROUPS)
    expected = by_id(joined(label(cut(table, 7), way())).to_pylist())
    assert len(expected) == table.num_rows
    return table.take(pa.array(rng.permutation(table.num_rows))), expected


def hold(out, folder, expected):
    """Writes a DataFrame to a folder. Checks that the files have every expected row once."""
    out.write.parquet(str(folder), compression="none")
    rows = parquet.read_table(folder).to_pylist()
    assert sorted(row["id"] for row in rows) == sorted(expected)
    assert by_id(rows) == expected


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_a_task_is_killed(data, tmp_path, adaptive):
    table, expected = data
    with session("local[2,4]", spark_sql_adaptive_enabled=adaptive) as spark:
        progress = once(tmp_path / "marks", kill_worker)
        out = adapter.label(spark.createDataFrame(table), way(progress))
        hold(out, tmp_path / "out", expected)
    assert attempts(tmp_path / "marks") == 2


def test_a_task_is_killed_and_not_tried_again(data, tmp_path):
    table, _ = data
    with session("local[2]") as spark:
        progress = once(tmp_path / "marks", kill_worker)
        with pytest.raises(Exception, match="Python worker exited unexpectedly"):
            adapter.label(spark.createDataFrame(table), way(progress)).collect()


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_an_executor_is_lost(data, tmp_path, adaptive):
    table, expected = data
    with session("local-cluster[2,1,2048]", spark_sql_adaptive_enabled=adaptive) as spark:
        progress = once(tmp_path / "marks", kill_executor)
        out = adapter.label(spark.createDataFrame(table), way(progress))
        hold(out, tmp_path / "out", expected)
    assert attempts(tmp_path / "marks") >= 2


# ---- Keys that all groups share -----------------------------------------------------------------

ROUNDS = 5


@pytest.fixture
def shared_data(rng):
    """Returns a table with its rows in random order, a specification, and the rows (by id) and the
    outcome that one process finds."""
    table = corpus(rng, groups=GROUPS)
    shared = SharedKeys(way(), "keys", strength=3.0, least=5, rounds=ROUNDS)
    rows, outcome = label_shared(cut(table, 7), shared)
    expected = by_id(joined(rows).to_pylist())
    assert len(expected) == table.num_rows and outcome.rounds == ROUNDS
    return table.take(pa.array(rng.permutation(table.num_rows))), shared, expected, outcome


def trapped(shared, progress):
    chains = dataclasses.replace(shared.chains, options=Trap(progress))
    return dataclasses.replace(shared, chains=chains)


# The fault comes in the first round, in a later one, or when rows are labelled at the end.
@pytest.mark.parametrize("stages", [1, 3, ROUNDS + 1])
@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_a_task_of_shared_keys_is_killed(shared_data, tmp_path, adaptive, stages):
    table, shared, expected, outcome = shared_data
    with session("local[2,4]", spark_sql_adaptive_enabled=adaptive) as spark:
        progress = once(tmp_path / "marks", kill_worker, stages)
        out = adapter.label_shared(spark.createDataFrame(table), trapped(shared, progress))
        hold(out.rows, tmp_path / "out", expected)
    assert out.outcome == outcome
    assert attempts(tmp_path / "marks") == 2


@pytest.mark.parametrize("stages", [1, 3, ROUNDS + 1])
@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_an_executor_with_shared_keys_is_lost(shared_data, tmp_path, adaptive, stages):
    table, shared, expected, outcome = shared_data
    with session("local-cluster[2,1,2048]", spark_sql_adaptive_enabled=adaptive) as spark:
        progress = once(tmp_path / "marks", kill_executor, stages)
        out = adapter.label_shared(spark.createDataFrame(table), trapped(shared, progress))
        hold(out.rows, tmp_path / "out", expected)
    assert out.outcome == outcome
    assert attempts(tmp_path / "marks") >= 2


def test_an_executor_with_shared_keys_is_lost_afterwards(shared_data, tmp_path):
    """If an executor is lost after the search, the labels that it held are computed again, by the
    prices that were found."""
    table, shared, expected, _ = shared_data
    with session("local-cluster[2,1,2048]") as spark:
        frame = spark.createDataFrame(table)
        out = adapter.label_shared(frame, shared)
        progress = once(tmp_path / "marks", kill_executor)
        adapter.label(frame, way(progress)).collect()
        hold(out.rows, tmp_path / "out", expected)


def test_a_group_with_shared_keys_is_bad(shared_data):
    table, shared, _, _ = shared_data
    rows = table.to_pylist()
    bad = next(row for row in rows if row["scores"])
    bad["scores"][0][1] = float("nan")
    with session("local[2,4]") as spark:
        frame = spark.createDataFrame(pa.Table.from_pylist(rows, table.schema))
        with pytest.raises(Exception, match=f"group '{bad['page']}': "):
            adapter.label_shared(frame, shared)


@contextlib.contextmanager
def speculating(tmp_path, adaptive):
    """A session in which Spark starts a slow task a second time while the first attempt runs."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    settings = {
        "spark_sql_adaptive_enabled": adaptive,
        "spark_speculation": "true",
        "spark_speculation_quantile": "0.5",
        "spark_executor_memory": "600m",
        "spark_scheduler_minRegisteredResourcesRatio": "1.0",
        "spark_scheduler_maxRegisteredResourcesWaitingTime": "300s",
    }
    with cluster(folder) as address, session(address, **settings) as spark:
        yield spark


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_a_task_runs_twice_at_once(data, tmp_path, adaptive):
    table, expected = data
    with speculating(tmp_path, adaptive) as spark:
        progress = once(tmp_path / "marks", straggle)
        out = adapter.label(spark.createDataFrame(table), way(progress))
        hold(out, tmp_path / "out", expected)
    assert attempts(tmp_path / "marks") == 2


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_a_task_of_shared_keys_runs_twice_at_once(shared_data, tmp_path, adaptive):
    table, shared, expected, outcome = shared_data
    with speculating(tmp_path, adaptive) as spark:
        progress = once(tmp_path / "marks", straggle, stages=2)
        out = adapter.label_shared(spark.createDataFrame(table), trapped(shared, progress))
        hold(out.rows, tmp_path / "out", expected)
    assert out.outcome == outcome
    assert attempts(tmp_path / "marks") == 2


def test_rows_are_corrupted(data, tmp_path):
    table, expected = data
    rows = table.to_pylist()
    long = {row["page"]: row for row in rows if len(row["scores"]) > 1}
    spoilt = dict(zip(sorted(long)[:5], [None, [], float("nan"), "scores", "words"]))
    for page, what in spoilt.items():
        row = long[page]
        if what == "scores":
            row["scores"] = None
        elif what == "words":
            row["words"] = row["words"][1:]
        else:
            row["scores"] = [what if what in (None, []) else [what] * 3, *row["scores"][1:]]
    table = pa.Table.from_pylist(rows, table.schema)
    with session("local[2,4]") as spark:
        frame = spark.createDataFrame(table)
        out = by_id(row.asDict() for row in adapter.label(frame, way(), errors="column").collect())
        assert sorted(out) == sorted(expected)
        for number, row in out.items():
            error = row.pop("error")
            if row["page"] in spoilt:
                assert row["labels"] is None and error.startswith(f"group '{row['page']}': ")
            else:
                assert error is None and row == expected[number]
        with pytest.raises(Exception, match="group 'p[0-9]+': "):
            adapter.label(frame, way()).collect()


def test_a_group_is_too_large(data, rng, tmp_path):
    table, expected = data
    giant = pa.concat_tables([corpus(rng, groups=40) for _ in range(20)])
    count = giant.num_rows
    giant = giant.set_column(1, "page", pa.array(["giant"] * count))
    giant = giant.set_column(0, "id", pa.array(np.arange(count) + 10**6))
    with session("local[2,4]") as spark:
        frame = spark.createDataFrame(pa.concat_tables([giant, table]))
        found = adapter.label(frame, way(), errors="column", most_rows=count - 1)
        out = by_id(row.asDict() for row in found.collect())
        assert len(out) == count + table.num_rows
        message = f"group 'giant': it has more than most_rows = {count - 1} rows"
        for number, row in out.items():
            error = row.pop("error")
            if row["page"] == "giant":
                assert (row["labels"], row["changed"], error) == (None, None, message)
            else:
                assert error is None and row == expected[number]
        with pytest.raises(Exception, match=message):
            adapter.label(frame, way(), most_rows=count - 1).collect()
        assert adapter.label(frame, way(), most_rows=count).count() == len(out)
