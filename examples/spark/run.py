"""Labels documents on Spark, in local mode, and in one process; prints times and differences. See
run.sh."""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import logging
import math
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import corpus
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from memory import Peaks

from libchorale import batches, shared
from libchorale import spark as adapter

TOGETHER = batches.Chains(
    "document",
    "scores",
    tokens="words",
    order="id",
    transitions=corpus.TRANSITIONS,
    strength=1.0,
    names=corpus.LABELS,
)
ALONE = dataclasses.replace(TOGETHER, agree=[])
# Names also agree across all documents, if they occur at least fifty times.
SHARED = shared.SharedKeys(TOGETHER, "names", strength=1.0, least=50, rounds=12)
TASK = 10_000  # sentences of a task, about


def in_one_process(data: Path, to: Path, threads: int, what: Any) -> None:
    """Reads the rows, sorts them by group, labels them and writes them."""
    table = pq.read_table(data).sort_by([(what.group, "ascending"), (what.order, "ascending")])
    groups = table.column(what.group).combine_chunks().dictionary_encode().indices.to_numpy()
    begins = np.append(np.flatnonzero(np.diff(groups, prepend=-1)), len(groups))
    cuts = begins[np.searchsorted(begins, np.arange(threads + 1) * len(groups) // threads)]

    def label(begin: int, end: int) -> list[pa.RecordBatch]:
        stream = table.slice(begin, end - begin).to_batches(max_chunksize=TASK)
        return list(batches.label(stream, what))

    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(label, cuts[:-1].tolist(), cuts[1:].tolist()))
    table = pa.Table.from_batches([batch for part in parts for batch in part])
    pq.write_table(table, to, compression="none")


def on_spark(session: Any, data: Path, to: Path, tasks: int, what: Any) -> None:
    frame = session.read.parquet(str(data))
    adapter.label(frame, what, partitions=tasks).write.parquet(str(to), compression="none")


def shared_in_one_process(data: Path, to: Path) -> shared.Outcome:
    """Reads the rows, sorts them by document, labels them with names that all documents share, and
    writes them."""
    table = pq.read_table(data).sort_by([("document", "ascending"), ("id", "ascending")])
    rows, outcome = shared.label(table.to_batches(max_chunksize=TASK), SHARED)
    pq.write_table(pa.Table.from_batches(rows), to, compression="none")
    return outcome


def shared_on_spark(session: Any, data: Path, to: Path, tasks: int) -> shared.Outcome:
    found = adapter.label_shared(session.read.parquet(str(data)), SHARED, partitions=tasks)
    found.rows.write.parquet(str(to), compression="none")
    found.rows.unpersist()
    return found.outcome


def start(threads: int, memory: str) -> Any:
    """Returns a session in local mode, after one of its Python workers has answered."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    session = (
        SparkSession.builder.master(f"local[{threads}]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.driver.memory", memory)
        .getOrCreate()
    )
    session.range(1).mapInArrow(lambda stream: stream, "id long").collect()
    return session


def timed(work: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    begin = time.perf_counter()
    result = work(*arguments)
    return time.perf_counter() - begin, result


def seconds(work: Callable[..., None], *arguments: Any) -> float:
    return timed(work, *arguments)[0]


def labels_of(rows: Path, names: list[str], column: str = "labels") -> tuple[Any, Any]:
    """Returns the ids in ascending order, and the labels of their words, sentence after sentence,
    as numbers."""
    table = pq.read_table(rows, columns=["id", column]).sort_by("id")
    flat = pc.list_flatten(table.column(column))
    numbers = pc.index_in(flat, value_set=pa.array(names))
    return table.column("id").to_numpy(), numbers.to_numpy()


def difference(found: Path, expected: Path) -> tuple[int, int]:
    """Returns how many labels of two results differ, and how many there are. Exits if the sentences
    are not the same."""
    ids, labels = labels_of(found, corpus.LABELS)
    expected_ids, expected_labels = labels_of(expected, corpus.LABELS)
    if not np.array_equal(ids, expected_ids):
        raise SystemExit(f"{len(ids)} sentences came out, not {len(expected_ids)}, or others")
    return int((labels != expected_labels).sum()), len(labels)


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, required=True)
    parser.add_argument("--giant", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--memory", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    work, threads = given.work, given.threads
    warnings.simplefilter("ignore", FutureWarning)
    logging.getLogger("py4j").setLevel(logging.ERROR)

    sizes = [given.documents // 100, given.documents // 10, given.documents]
    written, alone, several = {}, {}, {}
    for size in sizes:
        data, to = work / f"{size}", work / f"{size}.parquet"
        tell(f"{size} documents: planting names")
        written[size] = corpus.write(data, size, given.giant, given.seed)
        tell(f"{size} documents: in one process")
        alone[size] = seconds(in_one_process, data, to, 1, TOGETHER)
        several[size] = seconds(in_one_process, data, to, threads, TOGETHER)
    tasks = {size: math.ceil(written[size][0] / TASK) for size in sizes}

    import pyspark

    tell("Starting Spark")
    begin = time.perf_counter()
    session = start(threads, given.memory)
    started = time.perf_counter() - begin
    tell("The first job")
    smallest = sizes[0]
    first = seconds(
        on_spark, session, work / f"{smallest}", work / "first", tasks[smallest], TOGETHER
    )
    different, total = difference(work / "first", work / f"{smallest}.parquet")
    print(f"Spark {pyspark.__version__}, local[{threads}], ready in {started:.1f} s. ", end="")
    print(f"Its first job, the smallest corpus, took {first:.1f} s; the table has the second.")
    print(f"One process: 1 thread, {threads} threads; the ratio is to the faster.\n")
    print("| documents | sentences | words | tasks | Spark, s | one process, s | ratio |", end=" ")
    print("Python worker, MiB | Java, MiB |\n|" + "--:|" * 9)
    for size in sizes:
        sentences, words = written[size]
        to = work / f"{size}-spark"
        tell(f"{size} documents: on Spark")
        with Peaks() as peaks:
            taken = seconds(on_spark, session, work / f"{size}", to, tasks[size], TOGETHER)
        ratio = taken / min(alone[size], several[size])
        print(f"| {size} | {sentences} | {words} | {tasks[size]} | {taken:.1f} ", end="")
        print(f"| {alone[size]:.1f}, {several[size]:.1f} | {ratio:.2f} ", end="")
        print(f"| {peaks.worker >> 20} | {peaks.java >> 20} |", flush=True)
        here, count = difference(to, work / f"{size}.parquet")
        different, total = different + here, total + count
    print(f"\nLabels that differ from those of one process: {different} of {total}\n", flush=True)

    medium = sizes[1]
    data, to = work / f"{medium}", work / f"{medium}-shared.parquet"
    tell(f"{medium} documents: names across documents, in one process")
    in_process, expected = timed(shared_in_one_process, data, to)
    tell(f"{medium} documents: names across documents, on Spark")
    with Peaks() as peaks:
        taken, outcome = timed(
            shared_on_spark, session, data, work / f"{medium}-shared", tasks[medium]
        )
    session.stop()
    here, count = difference(work / f"{medium}-shared", to)
    gain = outcome.score - outcome.own_score
    print(f"Names across {medium} documents: {outcome.rounds} broadcasts, {outcome.rows} rows of", end=" ")
    print("prices, by each of which a sentence was decoded. Score", end=" ")
    print(f"{outcome.score:.1f}, {gain:.1f} more than without prices. Spark: {taken:.1f} s,", end=" ")
    print("Python worker", end=" ")
    print(f"{peaks.worker >> 20} MiB. One process: {in_process:.1f} s, one thread.")
    print(f"Labels that differ from those of one process: {here} of {count}; outcomes are", end=" ")
    print("equal" if outcome == expected else f"not equal: {outcome}, {expected}")

    in_one_process(data, work / "alone.parquet", threads, ALONE)
    found = [work / "alone.parquet", work / f"{medium}.parquet", work / f"{medium}-shared"]
    gold = labels_of(found[-1], corpus.LABELS, "gold")[1]
    names = gold != 0
    right = [
        100 * (labels_of(rows, corpus.LABELS)[1] == gold)[names].mean() for rows in found
    ]
    print(f"\nOf its {names.sum()} words of names {right[0]:.1f} % are right alone, ", end="")
    print(f"{right[1]:.1f} % together in documents, {right[2]:.1f} % across documents as well.")
    return int(different + here > 0 or outcome != expected)


if __name__ == "__main__":
    sys.exit(main())
