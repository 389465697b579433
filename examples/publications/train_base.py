#!/usr/bin/env python3
"""Trains a tagger on some publication pages, and makes a problem of the other pages.

    train_base.py [--pages data/pages.txt] [--train-shelves 0,2] [--out data/pages.chorale]

The tagger is CRFsuite with window features (pages.py), trained on the pages of the train shelves
alone. The problem file has its scores for all other pages, properties and learnt potentials.
Potentials are learnt on the train shelves alone. There each record is scored by a tagger that has
seen neither its work nor its page (`held_out`), since works and styles will be new to the final
tagger too. The control is learnt in the same way, but with bonuses alone, so no record depends on
another.

Prints as Markdown what both reach on the pages of the other shelves. --splits does this for five
choices of train shelves, which together take every shelf once, and writes no file; --confirm does
it for five other choices, drawn at random. --seed: the seed by which works and pages are dealt to
the taggers that score the train shelves.
"""

import argparse
import itertools
import json
import pathlib
import random
import sys
import tempfile
import time

import libchorale as ch
import numpy as np
import pycrfsuite
from libchorale import crfsuite
from libchorale.learn import Learnt, learn

from collective import Collection, Scored, f1_of, solve, total_f1
from make_pages import LABELS
from pages import Record, features_of, read_pages

HERE = pathlib.Path(__file__).resolve().parent
# In each choice one shelf has mostly articles or conference papers, and the other mostly books.
SPLITS = [[0, 2], [1, 3], [5, 4], [6, 8], [7, 9]]
# The works of a shelf are divided into this many parts, and so are its pages, to score records by
# taggers that know neither their work nor their page.
PARTS = 4
SEED = 20261126  # the usual seed by which they are dealt to parts
# The classes of micro F1: all labels count but Other.
CLASSES = [-1 if label == "Other" else y for y, label in enumerate(LABELS)]
# The control: rules that allow no agreement.
BONUSES = (0.0, 0.5, 1.0)  # of the control


class Base:
    """A trained tagger, and its weights as scores of the library."""

    def __init__(self, records: list[Record], c1: float, c2: float):
        trainer = pycrfsuite.Trainer(verbose=False)
        for record in records:
            trainer.append(features_of(record), record.labels)
        trainer.select("lbfgs")
        trainer.set_params({"c1": c1, "c2": c2, "max_iterations": 200, "feature.possible_transitions": False})
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder) / "base.crfsuite")
            trainer.train(path)
            self.scores = crfsuite.Scores(path)
            self.model = pathlib.Path(path).read_bytes()
        # The columns are in the order of LABELS. A label that the tagger has never seen is
        # forbidden.
        self.columns = [self.scores.labels.index(label) if label in self.scores.labels else -1 for label in LABELS]

    @property
    def tagger(self) -> pycrfsuite.Tagger:
        """CRFsuite's own tagger, opened each time anew, since it could not be pickled with a
        Base."""
        tagger = pycrfsuite.Tagger()
        tagger.open_inmemory(self.model)
        return tagger

    def seconds_to_tag(self, records: list[Record]) -> float:
        """Returns the processor time in which CRFsuite itself tags records, without making
        features."""
        items = [pycrfsuite.ItemSequence(features_of(record)) for record in records]
        tagger = self.tagger
        begin = time.process_time()
        for of in items:
            tagger.set(of)
            tagger.tag()
        return time.process_time() - begin

    def transitions(self) -> np.ndarray:
        m = len(LABELS)
        full = np.zeros((m, m))
        known = [k for k in range(m) if self.columns[k] >= 0]
        own = [self.columns[k] for k in known]
        full[np.ix_(known, known)] = self.scores.transitions[np.ix_(own, own)]
        return full

    def unary(self, record: Record) -> np.ndarray:
        """Returns the unary scores of a record, [T, m]; crfsuite.Scores checks them against the
        tagger."""
        own = self.scores.unary(features_of(record))
        full = np.full((len(own), len(LABELS)), -np.inf)
        for k, column in enumerate(self.columns):
            if column >= 0:
                full[:, k] = own[:, column]
        return full

    def score(self, records: list[Record]) -> list[Scored]:
        """Returns the records with their scores, in float32 if that is precise enough."""
        unary = [self.unary(r) for r in records]
        if all(_survives(of) for of in unary):
            unary = [of.astype(np.float32) for of in unary]
        transitions = ch.Transitions(self.transitions())
        return [Scored(r, of, transitions) for r, of in zip(records, unary)]


def _survives(unary: np.ndarray) -> bool:
    """Returns whether float32 changes the scores of labellings by at most 1e-4."""
    narrow = unary.astype(np.float32).astype(np.float64)
    finite = np.isfinite(unary)
    worst = np.where(finite, np.abs(np.where(finite, narrow, 0.0) - np.where(finite, unary, 0.0)), 0.0)
    return float(worst.max(axis=1).sum()) <= 1e-4


def held_out(train: list[Record], c1: float, c2: float, seed: int = SEED) -> Collection:
    """Returns the records, each scored by a tagger that has seen neither its work nor its page.

    The works of a shelf are divided into PARTS parts, and so are its pages. For each part of its
    works and each part of its pages a tagger is trained on all records of other shelves, and on
    those of this shelf whose work and page are in other parts. So it has seen about three quarters
    of what the final tagger sees, and works of every shelf. (A tagger trained on the other shelf
    alone makes twice as many errors as the final one, since one shelf has mostly books and the
    other mostly articles.)"""
    works, pages = _parts(train, "work", seed), _parts(train, "page", seed)
    blocks = [(works[r.shelf, r.work], pages[r.shelf, r.page]) for r in train]
    scored: list[Scored | None] = [None] * len(train)
    for shelf in sorted({r.shelf for r in train}):
        for work, page in itertools.product(range(PARTS), repeat=2):
            own = [k for k, r in enumerate(train) if r.shelf == shelf and blocks[k] == (work, page)]
            rest = [r for r, (w, p) in zip(train, blocks) if r.shelf != shelf or (w != work and p != page)]
            for k, of in zip(own, Base(rest, c1, c2).score([train[k] for k in own]) if own else []):
                scored[k] = of
    return Collection(scored, LABELS)


def _parts(records: list[Record], what: str, seed: int) -> dict[tuple[int, str], int]:
    """Deals the works (`what` "work") or the pages ("page") of each shelf to PARTS parts at
    random."""
    part, draw = {}, random.Random(seed)
    for shelf in sorted({r.shelf for r in records}):
        names = sorted({getattr(r, what) for r in records if r.shelf == shelf})
        draw.shuffle(names)
        part.update({(shelf, name): k % PARTS for k, name in enumerate(names)})
    return part


def table(collection: Collection, columns: dict[str, list[str]]) -> str:
    gold = collection.gold()
    scores = {name: f1_of(gold, found) for name, found in columns.items()}
    lines = ["| label | tokens | " + " | ".join(columns) + " |", "|---" + "|--:" * (1 + len(columns)) + "|"]
    for label in [*(x for x in LABELS if x != "Other"), "total"]:
        if label in scores["base"]:
            lines.append("| %s | %d | %s |" % (label, scores["base"][label].tokens,
                                               " | ".join("%.1f" % scores[c][label].f1 for c in columns)))
    return "\n".join(lines)


def by_page(collection: Collection, found: list[str]) -> dict[str, int]:
    """Returns the number of wrong tokens of each page."""
    wrong, at = dict.fromkeys(collection.pages, 0), 0
    for s in collection.scored:
        for label in s.record.labels:
            wrong[s.record.page] += label != found[at]
            at += 1
    return wrong


def study(records: list[Record], shelves: list[int], c1: float, c2: float, seed: int):
    """Trains, learns and labels for one choice of train shelves. Returns the test records, the
    learnt result, the problem, the run, the labels by method, and the seconds that tagging took."""
    train = [r for r in records if r.shelf in shelves]
    lesson = held_out(train, c1, c2, seed).problem()
    final, others = Base(train, c1, c2), [r for r in records if r.shelf not in shelves]
    test, seconds = Collection(final.score(others), LABELS), final.seconds_to_tag(others)
    problem = test.problem()
    learnt = learn([lesson], classes=CLASSES)
    control = control_of(learnt, lesson)
    run = solve(learnt.apply(problem))
    found = {
        "base": test.names(run.labels(alone=True)),
        "collective": test.names(run.labels()),
        "control": test.names(solve(control.apply(problem)).labels()),
    }
    return test, learnt, problem, run, found, seconds


def control_of(learnt: Learnt, lesson: ch.Problem) -> Learnt:
    """Returns the control: a result of learning without agreement, with the bonus for properties that
    show one value that is best for F1 on the training pages."""
    gold = np.asarray(CLASSES)[lesson.gold]
    best = None
    for bonus in BONUSES:
        told = json.loads(learnt.to_json())
        told["weights"] = []
        for number, kind in enumerate(told["kinds"]):
            kind.update(strength=0.0, bonus=bonus, weights=1)
            told["weights"].append({"kind": number, "basis": "single", "index": 0, "weight": bonus})
        control = Learnt.from_json(json.dumps(told))
        found = np.asarray(CLASSES)[solve(control.apply(lesson)).labels()]
        f1 = 2 * ((found == gold) & (gold >= 0)).sum() / ((found >= 0).sum() + (gold >= 0).sum())
        if best is None or f1 > best[0]:
            best = f1, control
    return best[1]


def confirming() -> list[list[int]]:
    """Returns five choices of train shelves on which no decision was based. The rules of the
    learner were judged on SPLITS, and on the first five of the choices drawn here."""
    known = {frozenset(choice) for choice in SPLITS}
    others = [list(pair) for pair in itertools.combinations(range(10), 2) if frozenset(pair) not in known]
    random.Random(20261123).shuffle(others)
    return others[5:10]


def notes_of(shelves, learnt: Learnt, options, seconds: float) -> dict[str, str]:
    return {
        "title": "Publication lists in citation styles",
        "what": "Works set by pandoc --citeproc, a page a citation style, and scored by a CRF that has seen neither these "
                "works nor these styles. Labels that follow from the style agree within a page.",
        "licence": "MIT. The facts about works are the project's own; of the citation styles (CC BY-SA) only what they "
                   "make of these facts is here.",
        "made by": "examples/publications/train_base.py --train-shelves %s --c1 %g --c2 %g --seed %d"
                   % (",".join(map(str, shelves)), options.c1, options.c2, options.seed),
        "tagging": "%.2f s by CRFsuite on one core, when this file was made" % seconds,
        "learnt": str(learnt),
        "learnt.json": learnt.to_json(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=pathlib.Path, default=HERE / "data/pages.txt")
    parser.add_argument("--train-shelves", default="0,2")
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "data/pages.chorale")
    parser.add_argument("--c1", type=float, default=0.1, help="L1 regularisation of the tagger")
    parser.add_argument("--c2", type=float, default=0.1, help="L2 regularisation of the tagger")
    parser.add_argument("--seed", type=int, default=SEED, metavar="SEED")
    parser.add_argument("--splits", action="store_true")
    parser.add_argument("--confirm", action="store_true")
    options = parser.parse_args()
    records = read_pages(options.pages)

    several = SPLITS if options.splits else confirming() if options.confirm else None
    errors = []
    for choice in several or [[int(s) for s in options.train_shelves.split(",")]]:
        test, learnt, problem, run, found, seconds = study(records, choice, options.c1, options.c2, options.seed)
        base, better = by_page(test, found["base"]), by_page(test, found["collective"])
        errors.append([100.0 - total_f1(test.gold(), found[name]) for name in ("base", "control", "collective")])
        print("\nTrained on shelves %s; %d pages, %d records unseen; error %.2f, control %.2f, collective %.2f; "
              "wrong tokens %d -> %d; pages better / equal / worse %d / %d / %d\n"
              % (choice, len(test.pages), len(test.scored), *errors[-1], sum(base.values()), sum(better.values()),
                 sum(better[p] < base[p] for p in base), sum(better[p] == base[p] for p in base),
                 sum(better[p] > base[p] for p in base)))
        print(learnt)
        print(table(test, found), flush=True)
        if not several:
            test.problem(learnt.apply(problem), notes_of(choice, learnt, options, seconds)).save(options.out)
            options.out.with_name("learnt.json").write_text(learnt.to_json() + "\n", encoding="utf-8")
            check_file(options.out, run)
    print("\nMean error %.2f, control %.2f, collective %.2f" % tuple(np.mean(errors, axis=0)))


def check_file(path: pathlib.Path, run: ch.Run):
    """Checks that the problem saved has the same solution as the run."""
    again = solve(ch.Problem.load(path).model)
    if again.result.score != run.result.score or (again.labels() != run.labels()).any():
        raise SystemExit("%s does not give back the model that it was made of" % path)
    print("%s: %d bytes" % (path, path.stat().st_size), file=sys.stderr)


if __name__ == "__main__":
    main()
