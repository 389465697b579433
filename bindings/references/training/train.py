#!/usr/bin/env python3
"""Trains the tagger that the package ships.

    train.py --data FOLDER [--sets anystyle_refs,grobid_citations] [--pages FILE] [--typed FILE] [--out FOLDER]

FOLDER has a folder for each set of labelled references, in files *.conll: a record is a run of
lines TOKEN<tab>LABEL<tab>SPACE (1: white space stands before the token), closed by an empty line;
other lines that begin with "# " are remarks. --pages is what typeset.py wrote, --typed what by_hand.py
wrote. Prints the checksum and the licence of all that was read, trains with CRFsuite on all but
--typed, then goes on by refine.py with --typed, and writes tagger.xz and gazetteer.xz.
"""

import argparse
import collections
import hashlib
import pathlib
import sys
import tempfile
import time
from typing import NamedTuple

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

import numpy as np
import pycrfsuite
from chorale_references.features import attributes
from chorale_references.gazetteers import Gazetteer
from chorale_references.tagger import LABELS, Tagger
from libchorale import crfsuite
from refine import refine

LICENCES = {
    "anystyle_refs": "BSD-2-Clause, (c) Sylvester Keil and contributors (AnyStyle, res/parser)",
    "grobid_citations": "Apache-2.0, GROBID's authors (grobid-trainer/resources/dataset/citation)",
    "typed": "MIT, this project; names and places of Faker (MIT)",
    "pages": "MIT, this project; typeset in citation styles (CC BY-SA 3.0), of which nothing is kept",
}


class Record(NamedTuple):
    tokens: list[str]
    labels: list[str]
    spaces: list[str]


def read(path: pathlib.Path) -> list[Record]:
    records: list[Record] = []
    open_record = False
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if not line:
            open_record = False
        elif not line.startswith("# ") or line.count("\t") == 2:
            fields = line.split("\t")
            if len(fields) != 3 or fields[1] not in LABELS:
                raise SystemExit("%s:%d: not a token, its label and its space" % (path, number))
            if not open_record:
                records.append(Record([], [], []))
                open_record = True
            for column, value in zip(records[-1], (fields[0], fields[1], " " if fields[2] == "1" else "")):
                column.append(value)
    return records


def read_all(files: list[tuple[str, pathlib.Path]]) -> list[Record]:
    """Returns the records of files, each named by its set, and prints what was read."""
    records: list[Record] = []
    for name, path in files:
        new = read(path)
        records += new
        checksum = hashlib.sha256(path.read_bytes()).hexdigest()
        print("%s/%s: %d records, sha256 %s\n    %s" % (name, path.name, len(new), checksum, LICENCES[name]))
    return records


def train(records: list[Record], c1: float, c2: float, iterations: int, least: int) -> Tagger:
    gazetteer = Gazetteer.of((r.tokens, r.labels) for r in records)

    def seen(record: Record) -> list[list[str]]:
        return attributes(record.tokens, record.spaces, gazetteer.kinds(record.tokens, without=record.labels))

    often = collections.Counter(name for r in records for row in seen(r) for name in row)
    often = {name for name, number in often.items() if number >= least}
    trainer = pycrfsuite.Trainer(verbose=False)
    for record in records:
        trainer.append([[name for name in row if name in often] for row in seen(record)], record.labels)
    trainer.select("lbfgs")
    trainer.set_params({"c1": c1, "c2": c2, "max_iterations": iterations, "feature.possible_transitions": True})
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "tagger.crfsuite")
        trainer.train(path)
        model = crfsuite.Scores(path)
    tagger = packed(model, gazetteer)
    for record in records[:: max(1, len(records) // 200)]:
        rows = attributes(record.tokens, record.spaces, tagger.gazetteer.kinds(record.tokens))
        exact = model.unary(rows)
        error = float(np.abs(tagger.scores(record.tokens, record.spaces)[:, columns(model)] - exact).max())
        if error > 0.05:
            raise SystemExit("half precision changes a score by %g" % error)
    return tagger


def columns(model: crfsuite.Scores) -> list[int]:
    """Returns for each label of a CRFsuite model its number in LABELS."""
    return [LABELS.index(label) for label in model.labels]


def packed(model: crfsuite.Scores, gazetteer: Gazetteer) -> Tagger:
    """Returns a CRFsuite model as a tagger, without the attributes that have no weight."""
    of_label = columns(model)
    transitions = np.full((len(LABELS), len(LABELS)), -20.0)
    transitions[np.ix_(of_label, of_label)] = model.transitions
    features = {pair: weight for pair, weight in model.tagger.info().state_features.items() if abs(weight) >= 1e-3}
    numbers = {name: k for k, name in enumerate(dict.fromkeys(name for name, _ in features))}
    weights = np.zeros((len(numbers), len(LABELS)))
    for (name, label), weight in features.items():
        weights[numbers[name], LABELS.index(label)] = weight
    return Tagger.of(list(numbers), weights, transitions, Gazetteer.from_bytes(gazetteer.to_bytes()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--sets", default="anystyle_refs,grobid_citations")
    parser.add_argument("--pages", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--typed", type=pathlib.Path)
    parser.add_argument("--start", type=pathlib.Path, help="a folder with a tagger that was trained without --typed")
    parser.add_argument("--out", type=pathlib.Path, default=HERE.parent / "src/chorale_references/data")
    parser.add_argument("--c1", type=float, default=0.2, help="L1 regularisation")
    parser.add_argument("--c2", type=float, default=0.05, help="L2 regularisation")
    parser.add_argument("--iterations", type=int, default=150)
    parser.add_argument("--least", type=int, default=2, help="how often an attribute must be seen")
    options = parser.parse_args()
    files = [(name, path) for name in options.sets.split(",") if name for path in sorted((options.data / name).glob("*.conll"))]
    files += [("pages", path) for path in options.pages]
    records = read_all(files)
    begin = time.process_time()
    if options.start:
        tagger = Tagger.load(options.start)
    else:
        tagger = train(records, options.c1, options.c2, options.iterations, options.least)
    if options.typed:
        tagger = refine(tagger, read_all([("typed", options.typed)]), records)
    options.out.mkdir(parents=True, exist_ok=True)
    for name, data in (("tagger.xz", tagger.to_bytes()), ("gazetteer.xz", tagger.gazetteer.to_bytes())):
        (options.out / name).write_bytes(data)
        print("%s: %d bytes, sha256 %s" % (name, len(data), hashlib.sha256(data).hexdigest()))
    print("%d records, %.0f s of processor time" % (len(records), time.process_time() - begin))


if __name__ == "__main__":
    main()
