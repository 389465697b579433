#!/usr/bin/env python3
"""How long a table of mentions takes from memory to memory: processor time of one thread.

    tests/bench/agree.py [--quick]

A million rows of 20 labels by 200,000 names (--quick: a tenth of that), five rows a name, of which 85 %
have the label of the name, with one confidence each from 0.5 to 0.99; the same with names that
Zipf's law deals; and with a column of probabilities for each label instead. A line each, the median of
five: name<TAB>value<TAB>unit; and how far the memory of a process of its own rises by one call, for one
confidence and for all columns. The table is one of Polars, pyarrow or pandas, the first that is
installed. Needs the Python package libchorale; says so on the error stream, and prints nothing, where
there is none.
"""

import importlib
import statistics
import subprocess
import sys
import time

try:
    import numpy as np

    import libchorale as ch
except ImportError as error:
    print(f"agree.py: left out: {error}", file=sys.stderr)
    sys.exit(0)

quick = "--quick" in sys.argv[1:]
NAMES, ROWS, LABELS = (20_000, 100_000, 20) if quick else (200_000, 1_000_000, 20)
SIZE = "tenth_million" if quick else "million"


def library():
    for name in ("polars", "pyarrow", "pandas"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    print("agree.py: left out: neither Polars nor pyarrow nor pandas", file=sys.stderr)
    sys.exit(0)


def table(zipf=False, every=False):
    """zipf: names by Zipf's law; every: a column of probabilities for each label."""
    rng = np.random.default_rng(1)
    if zipf:
        odds = 1 / np.arange(1, NAMES + 1)
        names = rng.choice(NAMES, ROWS, p=odds / odds.sum())
    else:
        names = rng.permutation(np.arange(ROWS) * NAMES // ROWS)
    right = rng.random(ROWS) < 0.85
    labels = np.where(right, names % LABELS, rng.integers(LABELS, size=ROWS))
    columns = {
        "name": [f"name {name}" for name in names.tolist()],
        "label": [f"LABEL{label}" for label in labels.tolist()],
        "sure": rng.uniform(0.5, 0.99, ROWS),
    }
    if every:
        sure = columns.pop("sure")
        del columns["label"]
        for label in range(LABELS):
            columns[f"LABEL{label}"] = np.where(labels == label, sure, (1 - sure) / (LABELS - 1))
    made = library()
    return made.table(columns) if made.__name__ == "pyarrow" else made.DataFrame(columns)


def call(given, every=False):
    how = {"label": "label", "confidence": "sure"}
    if every:
        how = {"confidence": [f"LABEL{label}" for label in range(LABELS)]}
    begun = time.process_time()
    ch.agree(given, key="name", progress=False, **how)
    return time.process_time() - begun


def held(what):
    """VmRSS: bytes that the process holds; VmHWM: the most it has held since it was asked to forget."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(what)) * 1024


def memory(every):
    """Bytes a row by which one call raises what the process holds; needs Linux."""
    given = table(every=every)
    with open("/proc/self/clear_refs", "w") as marks:
        marks.write("5")
    before = held("VmRSS")
    call(given, every)
    print((held("VmHWM") - before) / ROWS)


def main():
    if "--memory" in sys.argv[1:]:
        memory("--every" in sys.argv[1:])
        return
    for name, which in (("rows", {}), ("zipf_rows", {"zipf": True}), ("columns_rows", {"every": True})):
        given = table(**which)
        times = [call(given, "every" in which) for _ in range(3 if quick else 5)]
        print(f"agree.{SIZE}_{name}_s\t{statistics.median(times):.4g}\ts", flush=True)
        del given
    for name, more in (("rows", []), ("columns_rows", ["--every"])):
        told = subprocess.run(
            [sys.executable, __file__, *sys.argv[1:], "--memory", *more],
            check=True,
            capture_output=True,
            text=True,
        )
        print(f"agree.{SIZE}_{name}_bytes\t{float(told.stdout):.4g}\tbytes a row", flush=True)


if __name__ == "__main__":
    main()
