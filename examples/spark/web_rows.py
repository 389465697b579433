#!/usr/bin/env python3
"""Scores the pages that web_pages.py has made by the tagger of examples/publications.

    web_rows.py [--web build/web] [--rounds 4] [--jobs 2]

The tagger is trained on the train shelves of examples/publications/data/pages.txt alone, by its
train_base.py; so are the weights of a control without agreement. If a run was ended, the next run
continues it. Writes to the folder of the pages

    rows/ROUND-BLOCK.parquet  a row for each record: id, page, style, shelf, work, words, scores
                              (float32, by word: of each of LABELS), gold
    tagger.pickle             the tagger, so that it is trained only once
    tagger.json               its labels and transitions
    control.json              the weights of the control
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import pickle
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import web_pages  # must come before `make_pages`: it puts examples/publications on the path
from libchorale.learn import learn
from make_pages import LABELS
from pages import Record, read_pages
from train_base import ALONE, CLASSES, Base, held_out

DATA = web_pages.ROOT / "examples/publications/data"
TRAIN = (0, 2)  # the train shelves of data/learnt.json
BLOCK = 128  # number of pages in a file

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("page", pa.string()),
        ("style", pa.string()),
        ("shelf", pa.int32()),
        ("work", pa.string()),
        ("words", pa.list_(pa.string())),
        ("scores", pa.list_(pa.list_(pa.float32()))),
        ("gold", pa.list_(pa.string())),
    ]
)


def trained(records: list[Record], c1: float = 0.1, c2: float = 0.1) -> tuple[Base, Any]:
    """Trains the tagger on the train shelves, and learns the control's weights, both as
    train_base.py does. The defaults of c1 and c2 are those of train_base.py.
    """
    train = [r for r in records if r.shelf in TRAIN]
    problem = held_out(train, c1, c2).problem()
    return Base(train, c1, c2), learn([problem], classes=CLASSES, rules=ALONE)


def tagger_of(web: Path) -> Base:
    """Returns the tagger in the folder, or trains it if there is none."""
    file = web / "tagger.pickle"
    if file.exists() and (web / "tagger.json").exists() and (web / "control.json").exists():
        found: Base = pickle.loads(file.read_bytes())
        return found
    begin = time.perf_counter()
    base, control = trained(read_pages(DATA / "pages.txt"))
    print(f"Trained and learnt in {time.perf_counter() - begin:.0f} s", file=sys.stderr)
    web_pages.write(web / "control.json", control.to_json() + "\n")
    told = {"labels": LABELS, "transitions": base.transitions().tolist()}
    web_pages.write(web / "tagger.json", json.dumps(told, indent=1) + "\n")
    part = file.with_name(f"{file.name}.part")
    part.write_bytes(pickle.dumps(base))
    os.replace(part, file)
    return base


def rows_of(base: Base, records: list[Record], ids: list[int]) -> pa.Table:
    scores = [base.unary(record).astype(np.float32) for record in records]
    lengths = np.cumsum([0, *map(len, scores)], dtype=np.int32)
    flat = np.concatenate(scores) if scores else np.zeros((0, len(LABELS)), np.float32)
    within = np.arange(0, flat.size + 1, len(LABELS), dtype=np.int32)
    at_words = pa.ListArray.from_arrays(pa.array(within), pa.array(flat.ravel()))
    columns = [
        pa.array(ids, pa.int64()),
        pa.array([r.page for r in records], pa.string()),
        pa.array([r.page.split("/")[0] for r in records], pa.string()),
        pa.array([r.shelf for r in records], pa.int32()),
        pa.array([r.work for r in records], pa.string()),
        pa.array([r.tokens for r in records], pa.list_(pa.string())),
        pa.ListArray.from_arrays(pa.array(lengths), at_words),
        pa.array([r.labels for r in records], pa.list_(pa.string())),
    ]
    return pa.table(columns, SCHEMA.names).cast(SCHEMA)


def work(base: Base, blocks: list[tuple[Path, list[tuple[int, Path]]]]) -> None:
    """Writes blocks, given as (file, [(first id, page)]). Returns early as `web_pages.work`
    does."""
    begun_by = os.getppid()
    for path, pages in blocks:
        if os.getppid() != begun_by:
            return
        records: list[Record] = []
        ids: list[int] = []
        for first, page in pages:
            found = read_pages(page)
            records += found
            ids += range(first, first + len(found))
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        pq.write_table(rows_of(base, records, ids), part, compression="none")
        os.replace(part, path)


def blocks_of(web: Path, rounds: int) -> list[tuple[Path, list[tuple[int, Path]]]]:
    """Returns the blocks of all rounds: (file, [(first id, page)]). A page has room for 100 ids, a
    round for 100,000 pages."""
    blocks = []
    for number in range(rounds):
        pages = sorted((web / f"pages/{number}").glob("*.txt"))
        placed = [((number * 100_000 + k) * 100, page) for k, page in enumerate(pages)]
        for begin in range(0, len(placed), BLOCK):
            name = f"{number}-{begin // BLOCK}.parquet"
            blocks.append((web / "rows" / name, placed[begin : begin + BLOCK]))
    return blocks


def is_whole(path: Path) -> bool:
    try:
        return pq.ParquetFile(path).schema_arrow.equals(SCHEMA)  # opening needs the end of the file
    except (OSError, pa.ArrowException):
        return False


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--web", type=Path, default=web_pages.ROOT / "build/web")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    if not (given.web / "counts.json").exists():
        parser.error(f"--web is {given.web}; web_pages.py has not made all pages there")
    (given.web / "rows").mkdir(exist_ok=True)
    for part in given.web.glob("rows/*.part"):
        part.unlink()
    blocks = blocks_of(given.web, given.rounds)
    missing = [block for block in blocks if not is_whole(block[0])]
    print(f"{len(blocks)} files, {len(blocks) - len(missing)} of them are there", file=sys.stderr)
    base = tagger_of(given.web)
    fork = multiprocessing.get_context("fork")  # so that the processes share the tagger
    jobs = [
        fork.Process(target=work, args=(base, missing[k :: given.jobs])) for k in range(given.jobs)
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    if any(job.exitcode for job in jobs):
        print("web_rows.py: a job has failed; what it made counts", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
