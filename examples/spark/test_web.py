"""Tests of the web of pages on a few pages: a killed run, records and their labels, Spark."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

import libchorale as ch
import pyarrow as pa
import pyarrow.parquet as pq
import web_pages
import web_problem
import web_rows
from collective import Collection, Scored, solve
from libchorale.batches import label
from libchorale.learn import Learnt
from make_pages import LABELS, STYLE_FOLDER, set_page
from pages import normal_spacing, read_pages

HERE = Path(__file__).resolve().parent
STYLES, ROUNDS = 6, 2
ARGUMENTS = ["--rounds", str(ROUNDS), "--jobs", "2"]


def command(script: str, *arguments: str) -> list[str]:
    return [sys.executable, str(HERE / script), *arguments]


def said(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, capture_output=True, text=True)


def make(to: Path, *arguments: str) -> list[str]:
    return command("web_pages.py", "--to", str(to), *ARGUMENTS, *arguments)


def contents(folder: Path) -> dict[str, bytes]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


class Web(unittest.TestCase):
    folder: Path
    web: Path
    pages: list[Path]
    records: list[Any]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.web = cls.folder / "web"
        done = said(*make(cls.web, "--styles", str(STYLES)))
        if done.returncode:
            raise AssertionError(done.stderr)
        cls.pages = sorted(cls.web.glob("pages/*/*.txt"))
        cls.records = [record for page in cls.pages for record in read_pages(page)]

    def test_a_killed_run_goes_on(self) -> None:
        """A run is killed, one page is torn, and a part file is left over. The next run must give
        the same bytes as a run that was not killed."""
        other = self.folder / "killed"
        run = subprocess.Popen(
            make(other, "--styles", str(STYLES)), start_new_session=True, stderr=subprocess.DEVNULL
        )
        while len(list(other.glob("pages/*/*.txt"))) < 3:
            self.assertIsNone(run.poll(), "it ended before it was killed")
            time.sleep(0.002)
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        there = sorted(other.glob("pages/*/*.txt"))
        self.assertLess(len(there), STYLES * ROUNDS)
        torn, kept = there[0], there[1]
        torn.write_bytes(torn.read_bytes()[:-100])
        torn.with_name("torn.txt.1.part").write_text("# page")
        before = kept.stat().st_mtime_ns
        done = said(*make(other, "--styles", str(STYLES)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{STYLES * ROUNDS} pages, {len(there) - 1} of them are there", done.stderr)
        self.assertEqual(kept.stat().st_mtime_ns, before)
        self.assertEqual(contents(other), contents(self.web))

    def test_other_settings_are_refused(self) -> None:
        before = contents(self.web)
        done = said(*make(self.web, "--styles", str(STYLES + 1)))
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"were made with styles = {STYLES}, sha256", done.stderr)
        self.assertEqual(contents(self.web), before)

    def test_no_record_is_lost(self) -> None:
        counts = json.loads((self.web / "counts.json").read_text())
        self.assertEqual(counts["pages"], len(self.pages))
        self.assertEqual(counts["records"], len(self.records))
        dropped = sum(counts["records dropped"].values())
        self.assertEqual(counts["records set"], len(self.records) + dropped)
        tokens = [label for record in self.records for label in record.labels]
        self.assertEqual({k: tokens.count(k) for k in LABELS}, counts["tokens"])

    def test_gold_covers_the_tokens(self) -> None:
        """The tokens of a record are the text that pandoc sets, and each of them has a label."""
        shelves = web_pages.shelves_of()
        for page in self.pages:
            found = read_pages(page)
            self.assertTrue(found)
            style = STYLE_FOLDER / f"{page.stem}.csl"
            chosen = web_pages.works_of(int(page.parent.name), style, shelves[found[0].shelf])
            text = dict(set_page(style, chosen, self.folder))
            for record in found:
                self.assertEqual(normal_spacing(record.tokens, record.spaces), text[record.work])
                self.assertEqual(len(record.tokens), len(record.labels))
                self.assertLessEqual(set(record.labels), set(LABELS))
                self.assertLessEqual({"Title", "Date"}, set(record.labels))

    def test_shelves_are_those_of_the_tagger(self) -> None:
        shelves = web_pages.shelves_of()
        for record in read_pages(web_rows.DATA / "pages.txt"):
            self.assertIn(record.work, {work["id"] for work in shelves[record.shelf]})

    def test_what_is_left_out(self) -> None:
        styles = self.folder / "styles"
        styles.mkdir()
        shutil.copy(STYLE_FOLDER / "apa.csl", styles)
        apa = (STYLE_FOLDER / "apa.csl").read_text(encoding="utf-8")
        begin, end = apa.index("<bibliography"), apa.index("</bibliography>") + 15
        (styles / "none.csl").write_text(apa[:begin] + apa[end:], encoding="utf-8")
        (styles / "torn.csl").write_text(apa[:begin], encoding="utf-8")
        dependent = '<style><link rel="independent-parent" href="apa"/></style>'
        (styles / "dependent.csl").write_text(dependent, encoding="utf-8")
        to = self.folder / "left out"
        done = said(*make(to, "--style-folder", str(styles)))
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = json.loads((to / "counts.json").read_text())
        self.assertEqual(counts["pages"], ROUNDS)
        reasons = {"the style sets no bibliography": ROUNDS, "the style cannot be read": ROUNDS}
        self.assertEqual(counts["pages left out"], reasons)

    def test_scores_and_labels(self) -> None:
        score = command("web_rows.py", "--web", str(self.web), *ARGUMENTS)
        done = said(*score)
        self.assertEqual(done.returncode, 0, done.stderr)
        files = sorted(self.web.glob("rows/*.parquet"))
        self.assertEqual(len(files), ROUNDS)
        rows = pa.concat_tables([pq.read_table(file) for file in files])
        self.assertEqual(len(set(rows.column("id").to_pylist())), len(self.records))
        for name, field in (("words", "tokens"), ("gold", "labels"), ("page", "page")):
            expected = [getattr(record, field) for record in self.records]
            self.assertEqual(rows.column(name).to_pylist(), expected)

        before = files[0].read_bytes()
        files[0].write_bytes(before[:-1000])
        done = said(*score)
        self.assertIn(f"{ROUNDS} files, {ROUNDS - 1} of them are there", done.stderr)
        self.assertEqual(files[0].read_bytes(), before)

        # Labels all pages in one model of examples/publications, with scores computed anew.
        base = pickle.loads((self.web / "tagger.pickle").read_bytes())
        learnt = Learnt.from_json((web_rows.DATA / "learnt.json").read_text(encoding="utf-8"))
        transitions = ch.Transitions(base.transitions())
        scored = [Scored(r, base.unary(r).astype("float32"), transitions) for r in self.records]
        collection = Collection(scored, LABELS)
        solved = solve(learnt.apply(collection.problem()))
        what = web_problem.pages(LABELS, base.transitions(), learnt)
        out = pa.Table.from_batches(label(rows.to_batches(), what))
        found = [name for names in out.column("labels").to_pylist() for name in names]
        self.assertEqual(found, collection.names(solved.labels()))
        self.assertNotEqual(found, collection.names(solved.labels(alone=True)))
        alone = web_problem.pages(LABELS, base.transitions(), None)
        out = pa.Table.from_batches(label(rows.to_batches(), alone))
        found = [name for names in out.column("labels").to_pylist() for name in names]
        self.assertEqual(found, collection.names(solved.labels(alone=True)))

        on_spark = ["--rounds", str(ROUNDS), "--threads", "2", "--memory", "1g"]
        done = said(*command("web.py", "--web", str(self.web), *on_spark))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"Labels that differ from those of one process: 0 of [1-9]")


if __name__ == "__main__":
    unittest.main()
