#!/usr/bin/env python3
"""Trains a tagger on some publication pages and makes a problem of the others.

    train_base.py [--pages data/pages.txt] [--train-shelves 0,1] [--out data/pages.chorale]

The tagger is CRFsuite with window features (pages.py), trained on the pages of the train shelves alone. Its scores
for all other pages, the four properties and Potts potentials become the problem file. Strengths are tuned on the train
shelves alone: a tagger trained on all of them but one scores that one, in turn, and the strengths of the four
properties that label these pages best, one after the other, are taken. The control, which rewards any single
value without looking at other records, is tuned in the same way.

Prints what both do on the pages of the other shelves, as Markdown; --splits repeats that for every choice of two
neighbouring shelves, without writing a file.
"""

import argparse
import pathlib
import sys
import tempfile

import chorale as ch
import numpy as np
import pycrfsuite
from chorale import crfsuite

from collective import KINDS, Collection, Scored, f1_of, solve, total_f1
from make_pages import LABELS
from pages import Record, features_of, read_pages

HERE = pathlib.Path(__file__).resolve().parent
GRID = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0]
# Strengths are compared by quick runs.
QUICK = {"rounds": 2, "joint_mode": "beam", "beam_width": 30}


class Base:
    """A trained tagger as scores."""

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
        # columns in the order of LABELS; a label that the tagger has never seen is forbidden
        self.columns = [self.scores.labels.index(label) if label in self.scores.labels else -1 for label in LABELS]

    def transitions(self) -> np.ndarray:
        m = len(LABELS)
        full = np.zeros((m, m))
        known = [k for k in range(m) if self.columns[k] >= 0]
        own = [self.columns[k] for k in known]
        full[np.ix_(known, known)] = self.scores.transitions[np.ix_(own, own)]
        return full

    def unary(self, record: Record) -> np.ndarray:
        """[T, m], checked against the tagger."""
        own = self.scores.unary(features_of(record))
        full = np.full((len(own), len(LABELS)), -np.inf)
        for k, column in enumerate(self.columns):
            if column >= 0:
                full[:, k] = own[:, column]
        return full

    def collection(self, records: list[Record]) -> Collection:
        scored = [Scored(r, self.unary(r)) for r in records]
        transitions = self.transitions()
        if all(_survives(s.unary, transitions) for s in scored):
            scored = [Scored(s.record, s.unary.astype(np.float32)) for s in scored]
        return Collection(scored, LABELS, transitions)


def _survives(unary: np.ndarray, transitions: np.ndarray) -> bool:
    """Whether scores of paths are the same in float32, to 1e-4."""
    narrow = unary.astype(np.float32).astype(np.float64)
    finite = np.isfinite(unary)
    worst = np.where(finite, np.abs(np.where(finite, narrow, 0.0) - np.where(finite, unary, 0.0)), 0.0)
    return float(worst.max(axis=1).sum()) <= 1e-4


def tune(folds: list[Collection], model_of, grid: list[float]) -> tuple[list[float], float]:
    """Strengths by kind: the best common one, then each kind in turn until nothing gets better. Of equals the smaller
    is kept. And the F1 they reach."""
    known: dict[tuple[float, ...], float] = {}

    def quality(strengths):
        key = tuple(strengths)
        if key not in known:
            gold, found = [], []
            for fold in folds:
                gold += fold.gold()
                found += fold.names(solve(model_of(fold, strengths), **QUICK).all_labels())
            known[key] = total_f1(gold, found)
        return known[key]

    best = max(([g] * len(KINDS) for g in grid), key=lambda s: (quality(s), -s[0]))
    improving = True
    while improving:
        improving = False
        for kind in range(len(KINDS)):
            for g in grid:
                trial = best[:kind] + [g] + best[kind + 1:]
                if quality(trial) > quality(best) + 1e-9:
                    best, improving = trial, True
    return best, quality(best)


def table(collection: Collection, columns: dict[str, list[str]]) -> str:
    gold = collection.gold()
    scores = {name: f1_of(gold, found) for name, found in columns.items()}
    lines = ["| label | tokens | " + " | ".join(columns) + " |", "|---|--:" * 1 + "|--:" * (len(columns)) + "|"]
    for label in [*(x for x in LABELS if x != "Other"), "total"]:
        if label in scores["base"]:
            lines.append("| %s | %d | %s |" % (label, scores["base"][label].tokens,
                                               " | ".join("%.1f" % scores[c][label].f1 for c in columns)))
    return "\n".join(lines)


def by_page(collection: Collection, found: list[str]) -> dict[str, int]:
    """Wrong tokens of each page."""
    wrong, at = dict.fromkeys(collection.pages, 0), 0
    for s in collection.scored:
        for label in s.record.labels:
            wrong[s.record.page] += label != found[at]
            at += 1
    return wrong


def study(records: list[Record], shelves: list[int], c1: float, c2: float):
    """Trains, tunes and labels for one choice of train shelves."""
    train = [r for r in records if r.shelf in shelves]
    folds = []
    for held in shelves:
        base = Base([r for r in train if r.shelf != held], c1, c2)
        folds.append(base.collection([r for r in train if r.shelf == held]))
    strengths, inside = tune(folds, lambda c, s: c.agreeing(s), GRID)
    bonuses, control_inside = tune(folds, lambda c, s: c.merely_single(s), GRID)
    own = total_f1([g for f in folds for g in f.gold()], [x for f in folds for y in f.own for x in f.names(y)])
    print("train shelves %s: %d records; inside them base %.2f, collective %.2f with %s, control %.2f with %s"
          % (shelves, len(train), own, inside, strengths, control_inside, bonuses), file=sys.stderr)
    test = Base(train, c1, c2).collection([r for r in records if r.shelf not in shelves])
    run = solve(test.agreeing(strengths))
    control = solve(test.merely_single(bonuses))
    found = {
        "base": test.names(run.all_labels(own=True)),
        "collective": test.names(run.all_labels()),
        "control": test.names(control.all_labels()),
    }
    return test, strengths, bonuses, run, found


def notes_of(shelves, strengths, bonuses, options) -> dict[str, str]:
    return {
        "title": "Publication lists in citation styles",
        "what": "Works set by pandoc --citeproc, a page a citation style, and scored by a CRF that has seen neither these "
                "works nor these styles. Labels that follow from the style agree within a page.",
        "licence": "MIT. The facts about works are the project's own; of the citation styles (CC BY-SA) only what they "
                   "make of these facts is here.",
        "made by": "examples/publications/train_base.py --train-shelves %s --c1 %g --c2 %g"
                   % (",".join(map(str, shelves)), options.c1, options.c2),
        "strengths": "; ".join("%s %g/n" % pair for pair in zip(KINDS, strengths))
                     + " (Potts, tuned on the training pages)",
        "control": "; ".join("%s %g" % pair for pair in zip(KINDS, bonuses))
                   + " (bonus for any one value, tuned likewise)",
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=pathlib.Path, default=HERE / "data/pages.txt")
    parser.add_argument("--train-shelves", default="0,1")
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "data/pages.chorale")
    parser.add_argument("--c1", type=float, default=0.1, help="L1 regularisation of the tagger")
    parser.add_argument("--c2", type=float, default=0.1, help="L2 regularisation of the tagger")
    parser.add_argument("--splits", action="store_true")
    options = parser.parse_args()
    records = read_pages(options.pages)

    shelves = sorted({r.shelf for r in records})
    choices = [[int(s) for s in options.train_shelves.split(",")]]
    if options.splits:
        choices = [shelves[k:k + 2] for k in range(0, len(shelves) - 1, 2)]
    for choice in choices:
        test, strengths, bonuses, run, found = study(records, choice, options.c1, options.c2)
        base, better = by_page(test, found["base"]), by_page(test, found["collective"])
        errors = [100.0 - total_f1(test.gold(), found[name]) for name in ("base", "collective", "control")]
        print("\nTrained on shelves %s; %d pages, %d records unseen; strengths %s, bonuses of the control %s; error "
              "%.2f -> %.2f (%.0f %% less), control %.2f; pages better / equal / worse %d / %d / %d\n"
              % (choice, len(test.pages), len(test.scored), strengths, bonuses, errors[0], errors[1],
                 100.0 * (1 - errors[1] / errors[0]), errors[2],
                 sum(better[p] < base[p] for p in base), sum(better[p] == base[p] for p in base),
                 sum(better[p] > base[p] for p in base)))
        print(table(test, found), flush=True)
        if not options.splits:
            problem = test.problem(strengths, notes_of(choice, strengths, bonuses, options))
            problem.save(options.out)
            check_file(options.out, run)


def check_file(path: pathlib.Path, run: ch.Run):
    """The problem that was saved has the same solution."""
    again = solve(ch.Problem.load(path).model)
    if again.result.score != run.result.score or (again.all_labels() != run.all_labels()).any():
        raise SystemExit("%s does not give back the model that it was made of" % path)
    print("%s: %d bytes" % (path, path.stat().st_size), file=sys.stderr)


if __name__ == "__main__":
    main()
