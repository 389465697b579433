#!/usr/bin/env python3
"""Sets works in all citation styles of Debian: a web of publication pages, every token labelled.

    web_pages.py [--to build/web] [--rounds 4] [--jobs 2]

Each round sets one page in each independent style of citation-style-language-styles, with works of
one shelf; from round to round a style takes the next shelf. Works are dealt to shelves, set and
labelled as in examples/publications (make_pages.py). If a run was ended, in whatever way, the next
run continues it. More rounds add to the pages that are there. Writes

    pages/ROUND/STYLE.txt  a page, in the format of pages.txt, with its counts as remarks; or a remark
                           that says why there is no page
    settings.json          all that the pages depend on; a folder with other settings is refused
    counts.json            pages, records and tokens; what was left out or dropped, and why
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples/publications"))
import make_pages  # noqa: E402

WORKS = ROOT / "examples/publications/data/works.json"
SHELVES, SEED, RECORDS = 10, 7, 14  # the defaults of make_pages.py, which give its shelves
END = "# end"  # the last line of a file that was written as a whole


def styles_of(folder: Path) -> list[Path]:
    """Returns the independent styles: those that do not refer to another style."""
    found = sorted(folder.glob("*.csl"))
    return [style for style in found if b'rel="independent-parent"' not in style.read_bytes()]


def settings_of(styles: list[Path], works: Path) -> dict[str, Any]:
    digest = hashlib.sha256()
    for style in styles:
        digest.update(style.name.encode() + b"\n" + style.read_bytes())
    version = subprocess.run(["pandoc", "--version"], capture_output=True, text=True, check=True)
    return {
        "pandoc": version.stdout.split("\n")[0],
        "styles": f"{len(styles)}, sha256 {digest.hexdigest()}",
        "works": f"sha256 {hashlib.sha256(works.read_bytes()).hexdigest()}",
        "shelves": SHELVES,
        "seed": SEED,
        "records of a page": RECORDS,
    }


def is_whole(path: Path) -> bool:
    try:
        return path.read_text(encoding="utf-8").endswith(END + "\n")
    except (OSError, UnicodeDecodeError):
        return False


def write(path: Path, text: str) -> None:
    """Writes a file so that it appears as a whole or not at all."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def shelves_of() -> list[list[Any]]:
    """Returns the works of each shelf of examples/publications/data/pages.txt."""
    works = json.loads(WORKS.read_text(encoding="utf-8"))
    dealt: list[list[Any]] = make_pages.deal(works, SHELVES, random.Random(SEED))
    return dealt


def works_of(number: int, style: Path, shelf: list[Any]) -> list[Any]:
    """Returns the works of a style's page in round `number`."""
    generator = random.Random(f"{SEED} {number} {style.stem}")
    chosen: list[Any] = make_pages.choose(shelf, RECORDS, generator)
    return chosen


def page_of(name: str, shelf: int, style: Path, works: list[Any], folder: Path) -> list[str]:
    """Returns the lines of a page's file."""
    try:
        root = ElementTree.fromstring(style.read_text(encoding="utf-8"))
        if root.find(f"{{{make_pages.CSL}}}bibliography") is None:
            return ["# left out: the style sets no bibliography"]
        records, dropped = make_pages.make_page(style, works, folder)
    except (ElementTree.ParseError, UnicodeDecodeError):
        return ["# left out: the style cannot be read"]
    except subprocess.CalledProcessError as error:
        told = (error.stderr.strip().split("\n") or [""])[0]
        return ["# pandoc: " + " ".join(told.split()), "# left out: pandoc fails"]
    except ValueError as error:
        return [f"# left out: {error}"]
    reasons = Counter(why.args[0] for _, why in dropped)
    lines = make_pages.page_lines(name, shelf, records) if records else []
    lines += [f"# set {len(works)}"]
    lines += [f"# dropped {count}: {why}" for why, count in sorted(reasons.items())]
    return lines if records else [*lines, "# left out: no record can be labelled"]


def work(tasks: list[tuple[int, int, Path]], shelves: list[list[Any]], to: Path) -> None:
    """Sets pages, given as (round, shelf, style). Returns early if the process that started it
    ends."""
    begun_by = os.getppid()
    with tempfile.TemporaryDirectory() as folder:
        for number, shelf, style in tasks:
            if os.getppid() != begun_by:
                return
            chosen = works_of(number, style, shelves[shelf])
            lines = page_of(f"{style.stem}/{number}", shelf, style, chosen, Path(folder))
            write(to / f"pages/{number}/{style.stem}.txt", "\n".join([*lines, END]) + "\n")


def counts_of(files: list[Path]) -> dict[str, Any]:
    pages = records = placed = 0
    dropped: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    labels: Counter[str] = Counter()
    for file in files:
        for line in file.read_text(encoding="utf-8").split("\n"):
            if "\t" in line:
                if line.startswith("# page "):
                    pages += 1
                else:
                    labels[line.split("\t")[1]] += 1
            elif line.startswith("# record "):
                records += 1
            elif line.startswith("# set "):
                placed += int(line[6:])
            elif line.startswith("# dropped "):
                count, why = line[10:].split(": ", 1)
                dropped[why] += int(count)
            elif line.startswith("# left out: "):
                left_out[line[12:]] += 1
    return {
        "pages": pages,
        "pages left out": dict(left_out.most_common()),
        "records set": placed,
        "records": records,
        "records dropped": dict(dropped.most_common()),
        "tokens": {label: labels[label] for label in make_pages.LABELS},
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--to", type=Path, default=ROOT / "build/web")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--styles", type=int, help="only so many, evenly spaced")
    parser.add_argument("--style-folder", type=Path, default=make_pages.STYLE_FOLDER)
    given = parser.parse_args()
    for name in ("rounds", "jobs", "styles"):
        value = getattr(given, name)
        if value is not None and value < 1:
            parser.error(f"--{name} is {value}; it must be at least 1")

    styles = styles_of(given.style_folder)
    if not styles:
        parser.error(f"--style-folder is {given.style_folder}; there is no style in it")
    if given.styles is not None and given.styles < len(styles):
        styles = [styles[k * len(styles) // given.styles] for k in range(given.styles)]
    settings, file = settings_of(styles, WORKS), given.to / "settings.json"
    if file.exists():
        there = json.loads(file.read_text(encoding="utf-8"))
        for name in settings:
            if there.get(name) != settings[name]:
                parser.error(
                    f"--to is {given.to}; its pages were made with {name} = {there.get(name)}, "
                    f"which now is {settings[name]}"
                )
    for number in range(given.rounds):
        (given.to / f"pages/{number}").mkdir(parents=True, exist_ok=True)
    for part in given.to.glob("pages/*/*.part"):
        part.unlink()
    write(file, json.dumps(settings, indent=1) + "\n")

    shelves = shelves_of()
    wanted = [
        (number, (place + number) % SHELVES, style)
        for number in range(given.rounds)
        for place, style in enumerate(styles)
    ]
    files = [given.to / f"pages/{number}/{style.stem}.txt" for number, _, style in wanted]
    missing = [task for task, path in zip(wanted, files) if not is_whole(path)]
    print(f"{len(wanted)} pages, {len(wanted) - len(missing)} of them are there", file=sys.stderr)
    jobs = [
        multiprocessing.Process(target=work, args=(missing[k :: given.jobs], shelves, given.to))
        for k in range(given.jobs)
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    if any(job.exitcode for job in jobs):
        print("web_pages.py: a job has failed; what it made counts", file=sys.stderr)
        return 1
    counts = counts_of(files)
    write(given.to / "counts.json", json.dumps(counts, indent=1, ensure_ascii=False) + "\n")
    print(f"{counts['pages']} pages, {counts['records']} of {counts['records set']} records")
    return 0


if __name__ == "__main__":
    sys.exit(main())
