"""Labels the pages that web_rows.py has scored, on Spark in local mode and in one process. Prints
figures as Markdown. See web.sh."""

from __future__ import annotations

import argparse
import json
import logging
import math
import os
import shutil
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import run
import web_pages  # must come before `collective`: it puts examples/publications on the path
import web_problem
import web_rows
from collective import f1_of
from libchorale import spark as adapter
from libchorale.learn import Learnt
from memory import Peaks
from run import TASK, in_one_process, labels_of, on_spark, seconds, tell

MILLION = 1_000_000
MODULES = ("collective.py", "pages.py")  # files of examples/publications that executors import


def known_styles() -> list[str]:
    """Returns the styles of examples/publications. The tagger was trained on some of them, and the
    learner was judged by the others."""
    lines = (web_rows.DATA / "styles.txt").read_text(encoding="utf-8").split("\n")
    return sorted({line for line in lines if line and not line.startswith("#")})


def link(files: list[Path], folder: Path) -> tuple[int, int, int]:
    """Makes a folder of links to these files. Returns the numbers of their pages, records and
    words."""
    folder.mkdir(parents=True)
    pages: set[str] = set()
    records = words = 0
    for file in files:
        os.link(file, folder / file.name)
        table = pq.read_table(file, columns=["page", "words"])
        pages.update(table.column("page").to_pylist())
        records += table.num_rows
        words += pc.sum(pc.list_value_length(table.column("words"))).as_py()
    return len(pages), records, words


def names_of(rows: Path, column: str = "labels") -> list[str]:
    """Returns the labels of all words, in ascending order of the ids of their records."""
    table = pq.read_table(rows, columns=["id", column]).sort_by("id")
    found: list[str] = pc.list_flatten(table.column(column)).to_pylist()
    return found


def accuracy(files: list[Path], whats: dict[str, Any], work: Path, threads: int) -> None:
    """Labels works and styles that are new: works of other shelves than the tagger's, in styles
    that are not in examples/publications. Prints the errors of each way to label."""
    data = work / "new"
    data.mkdir()
    styles, shelves = pa.array(known_styles()), pa.array(web_rows.TRAIN, pa.int32())
    for file in files:
        table = pq.read_table(file)
        known = pc.or_(
            pc.is_in(table.column("style"), value_set=styles),
            pc.is_in(table.column("shelf"), value_set=shelves),
        )
        pq.write_table(table.filter(pc.invert(known)), data / file.name, compression="none")
    for name, what in whats.items():
        tell(f"works and styles that are new: {name}")
        in_one_process(data, work / f"{name}.parquet", threads, what)
    gold = names_of(data, "gold")
    found = {name: names_of(work / f"{name}.parquet") for name in whats}
    table = pq.read_table(data, columns=["id", "page", "style", "words"]).sort_by("id")
    lengths = pc.list_value_length(table.column("words")).to_numpy()
    pages = table.column("page").combine_chunks().dictionary_encode()
    page_of_word = np.repeat(pages.indices.to_numpy(), lengths)
    count = len(table.column("style").unique())
    print(f"\n{len(pages.dictionary)} pages in {count} styles, {table.num_rows} records.\n")

    scores = {name: f1_of(gold, labelled) for name, labelled in found.items()}
    print("| label | tokens |", *(f"{name} |" for name in found))
    print("|---|--:|" + "--:|" * len(found))
    for label in [*web_rows.LABELS[1:], "total"]:
        if any(label in score for score in scores.values()):
            tokens = max(score[label].tokens for score in scores.values() if label in score)
            name = "all but Other" if label == "total" else label
            errors = (f"{100 - s[label].f1:.2f} |" if label in s else "|" for s in scores.values())
            print(f"| {name} | {tokens} |", *errors)

    numbers = {name: np.array(labelled) != np.array(gold) for name, labelled in found.items()}
    wrong = {name: np.bincount(page_of_word, bad) for name, bad in numbers.items()}
    print()
    for name in list(wrong)[:-1]:
        less = wrong["together"] - wrong[name]
        better, equal = (less < 0).sum(), (less == 0).sum()
        worse = len(less) - better - equal
        print(f"Pages together, beside {name}: {better} better, {equal} equal, {worse} worse.")
    total = ", ".join(f"{int(of.sum())} {name}" for name, of in wrong.items())
    print(f"Words with a wrong label, of {len(gold)}: {total}.")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--web", type=Path, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--memory", required=True)
    given = parser.parse_args()
    threads, work = given.threads, given.web / "labels"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    warnings.simplefilter("ignore", FutureWarning)
    logging.getLogger("py4j").setLevel(logging.ERROR)

    tagger = json.loads((given.web / "tagger.json").read_text(encoding="utf-8"))
    learnt = Learnt.from_json((web_rows.DATA / "learnt.json").read_text(encoding="utf-8"))
    control = Learnt.from_json((given.web / "control.json").read_text(encoding="utf-8"))
    whats = {
        name: web_problem.pages(tagger["labels"], tagger["transitions"], weights)
        for name, weights in (("base", None), ("control", control), ("together", learnt))
    }
    what = whats["together"]
    files = [file for file, _ in web_rows.blocks_of(given.web, given.rounds)]
    tenth = files[:: min(10, len(files))]
    sizes = {"tenth": link(tenth, work / "tenth"), "all": link(files, work / "all")}
    alone, several, on = {}, {}, {}
    for name in sizes:
        tell(f"{name}: in one process")
        to = work / f"{name}.parquet"
        alone[name] = seconds(in_one_process, work / name, to, 1, what)
        several[name] = seconds(in_one_process, work / name, to, threads, what)

    import pyspark

    tell("Starting Spark")
    begin = time.perf_counter()
    session = run.start(threads, given.memory)
    started = time.perf_counter() - begin
    for module in MODULES:
        session.sparkContext.addPyFile(str(web_pages.ROOT / "examples/publications" / module))
    session.sparkContext.addPyFile(web_problem.__file__)
    print(f"Spark {pyspark.__version__}, local[{threads}], ready in {started:.1f} s. ", end="")
    print(f"One process: 1 thread, {threads} threads; the ratio is to {threads} threads.\n")
    print("| pages | records | words | tasks | Spark, s | one process, s | ratio |", end=" ")
    print("records/s, Spark | one process | Python worker, MiB | Java, MiB |\n|" + "--:|" * 11)
    different = total = 0
    for name, (pages, records, words) in sizes.items():
        to, tasks = work / f"{name}-spark", max(threads, math.ceil(records / TASK))
        tell(f"{name}: on Spark")
        with Peaks() as peaks:
            on[name] = seconds(on_spark, session, work / name, to, tasks, what)
        print(f"| {pages} | {records} | {words} | {tasks} | {on[name]:.1f} ", end="")
        print(f"| {alone[name]:.1f}, {several[name]:.1f} | {on[name] / several[name]:.2f} ", end="")
        print(f"| {records / on[name]:.0f} | {records / several[name]:.0f} ", end="")
        print(f"| {peaks.worker >> 20} | {peaks.java >> 20} |", flush=True)
        ids, labels = labels_of(to, tagger["labels"])
        given_ids = pq.read_table(work / name, columns=["id"]).column("id").to_numpy()
        if not np.array_equal(ids, np.sort(given_ids)):
            tell(f"{len(ids)} records came out, not {len(given_ids)}, or others")
            return 1
        different += int((labels != labels_of(work / f"{name}.parquet", tagger["labels"])[1]).sum())
        total += len(labels)
    session.stop()
    print(f"\nLabels that differ from those of one process: {different} of {total}.")

    many, few = sizes["all"][0], sizes["tenth"][0]
    if many > few and on["all"] > on["tenth"]:
        slope = (on["all"] - on["tenth"]) / (many - few)
        hours = (on["all"] + slope * (MILLION - many)) / 3600
        times = f"{on['tenth']:.1f} s for {few} pages and {on['all']:.1f} s for {many}"
        print(f"Extrapolation, not measured: on the line through {times} a million pages")
        print(f"take {hours:.1f} hours on Spark with {threads} threads.")
    accuracy(files, whats, work, threads)
    shutil.rmtree(work)
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
