"""Labels documents on Spark, in local mode, and in one process; tells how both fare. See run.sh."""

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

from libchorale import batches
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
TASK = 10_000  # about as many sentences


def in_one_process(data: Path, to: Path, threads: int, what: Any) -> None:
    """Reads, brings the rows of a group together, labels and writes."""
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


def start(threads: int, memory: str) -> Any:
    """A session in local mode, a Python worker of which has answered."""
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


def seconds(work: Callable[..., None], *arguments: Any) -> float:
    begin = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - begin


def labels_of(rows: Path, names: list[str], column: str = "labels") -> tuple[Any, Any]:
    """Ids in ascending order; the labels of their words, one after another, as numbers."""
    table = pq.read_table(rows, columns=["id", column]).sort_by("id")
    flat = pc.list_flatten(table.column(column))
    numbers = pc.index_in(flat, value_set=pa.array(names))
    return table.column("id").to_numpy(), numbers.to_numpy()


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

    sizes = [given.documents // 10, given.documents]
    written, alone, several = {}, {}, {}
    for size in sizes:
        data, to = work / f"{size}", work / f"{size}.parquet"
        tell(f"{size} documents: planting names")
        written[size] = corpus.write(data, size, given.giant, given.seed)
        tell(f"{size} documents: in one process")
        alone[size] = seconds(in_one_process, data, to, 1, TOGETHER)
        several[size] = seconds(in_one_process, data, to, threads, TOGETHER)

    import pyspark

    tell("Starting Spark")
    begin = time.perf_counter()
    session = start(threads, given.memory)
    started = time.perf_counter() - begin
    print(f"Spark {pyspark.__version__}, local[{threads}], ready in {started:.1f} s. ", end="")
    print(f"One process: 1 thread, {threads} threads; the ratio is to the faster.\n")
    print("| documents | sentences | words | tasks | Spark, s | one process, s | ratio |", end=" ")
    print("Python worker, MiB | Java, MiB |\n|" + "--:|" * 9)
    different = total = 0
    for size in sizes:
        sentences, words = written[size]
        to, tasks = work / f"{size}-spark", math.ceil(sentences / TASK)
        tell(f"{size} documents: on Spark")
        with Peaks() as peaks:
            taken = seconds(on_spark, session, work / f"{size}", to, tasks, TOGETHER)
        ratio = taken / min(alone[size], several[size])
        print(f"| {size} | {sentences} | {words} | {tasks} | {taken:.1f} ", end="")
        print(f"| {alone[size]:.1f}, {several[size]:.1f} | {ratio:.2f} ", end="")
        print(f"| {peaks.worker >> 20} | {peaks.java >> 20} |", flush=True)
        ids, labels = labels_of(to, corpus.LABELS)
        expected_ids, expected = labels_of(work / f"{size}.parquet", corpus.LABELS)
        if not np.array_equal(ids, expected_ids):
            tell(f"{len(ids)} sentences came out, not {len(expected_ids)}, or others")
            return 1
        different += int((labels != expected).sum())
        total += len(labels)
    session.stop()

    in_one_process(work / f"{size}", work / "alone.parquet", threads, ALONE)
    gold = labels_of(to, corpus.LABELS, "gold")[1]
    by_themselves = labels_of(work / "alone.parquet", corpus.LABELS)[1]
    names = gold != 0
    right = [100 * (found == gold)[names].mean() for found in (by_themselves, labels)]
    print(f"\nOf {names.sum()} words of names {right[0]:.1f} % are right alone, ", end="")
    print(f"{right[1]:.1f} % together.")
    print(f"Labels that differ from those of one process: {different} of {total}")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
