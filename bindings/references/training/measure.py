#!/usr/bin/env python3
"""Measures the parser on labelled lists: the tagger alone, with agreement, and a control.

    measure.py --score score.py --records data.json [--model FOLDER] [--out FOLDER]

score.py is the scorer of the records (its rules say when a field is right); data.json has for each
record its set, domain (the list it is from), text, tokens and gold labels. The control deals the
records of a set to lists at random, so that what a list has in common cannot help. Prints F1 of
whole fields, and the gain of agreement with a 95 % interval, by bootstrap over lists. --out: writes
alone.json, together.json and control.json, as score.py reads them.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import random
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "src"))

import numpy as np
from chorale_references import tagger
from chorale_references.lists import Reference, ReferenceList
from chorale_references.parse import parse_lists

ROUNDS = 2000  # of the bootstrap


def load_score(path: pathlib.Path, records: pathlib.Path):
    os.environ["DATA"] = str(records)
    spec = importlib.util.spec_from_file_location("score", path)
    score = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(score)
    return score


def labels_of(records, by, lists):
    """Returns the labels of all records, alone and together, for lists of their numbers."""
    alone, together = [None] * len(records), [None] * len(records)
    given = (ReferenceList(name, "", [Reference(records[k]["text"], k, "", records[k]["text"]) for k in members]) for name, members in lists)
    for of in parse_lists(given, by=by):
        for reference in of.references:
            record = records[reference.source.line]
            alone[reference.source.line] = at_tokens(record, reference, reference.alone)
            together[reference.source.line] = at_tokens(record, reference, reference.labels)
    return alone, together


def at_tokens(record, reference, labels):
    """Returns labels for the tokens of a record, which may be cut otherwise than ours."""
    of_letter = [label for word, label in zip(reference.tokens.words, labels) for _ in word]
    made, at = [], 0
    for token in record["tokens"]:
        made.append(of_letter[at] if at < len(of_letter) else "Other")
        at += len("".join(token.split()))
    return made


def counts(score, record, labels):
    """Returns for each field how many of it are gold, found and right, and whether all are right."""
    row, whole = [], True
    for field in score.FIELDS:
        gold, found = score.view(record, record["gold"], field), score.view(record, labels, field)
        row.append((bool(gold), bool(found), bool(gold) and gold == found))
        whole &= gold == found
    return [*row, (1, 1, whole)]


def f1(sums):
    """sums: [..., 3]: gold, found, right."""
    return 200.0 * sums[..., 2] / np.maximum(1, sums[..., 0] + sums[..., 1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--score", type=pathlib.Path, required=True)
    parser.add_argument("--records", type=pathlib.Path, required=True)
    parser.add_argument("--model", type=pathlib.Path, help="a folder with tagger.xz and gazetteer.xz; none: the one shipped")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=20261129)
    options = parser.parse_args()
    score = load_score(options.score, options.records)
    records = score.data
    by = tagger.Tagger.load(options.model) if options.model else tagger.shipped()
    lists, dealt, draw = {}, [], random.Random(options.seed)
    for k, record in enumerate(records):
        lists.setdefault((record["set"], record["domain"]), []).append(k)
    for name in dict.fromkeys(record["set"] for record in records):
        order = [k for k, record in enumerate(records) if record["set"] == name]
        draw.shuffle(order)
        for key, members in lists.items():
            if key[0] == name:
                dealt.append((str(key), [order.pop() for _ in members]))
    begin = time.process_time()
    alone, together = labels_of(records, by, [(str(key), members) for key, members in lists.items()])
    print("%d records in %d lists, %.1f s of processor time" % (len(records), len(lists), time.process_time() - begin))
    _, control = labels_of(records, by, dealt)
    found = {"alone": alone, "control": control, "together": together}
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        for name, labels in found.items():
            (options.out / (name + ".json")).write_text(json.dumps(labels), encoding="utf-8")
    rows = {name: np.array([counts(score, r, labels) for r, labels in zip(records, of)]) for name, of in found.items()}
    generator = np.random.default_rng(options.seed)
    for name in dict.fromkeys(record["set"] for record in records):
        groups = [members for key, members in lists.items() if key[0] == name]
        sums = {which: np.array([of[members].sum(axis=0) for members in groups]) for which, of in rows.items()}
        for which in sums:  # all fields together, before the share of whole records
            every = sums[which][:, :-1].sum(axis=1, keepdims=True)
            sums[which] = np.concatenate([sums[which][:, :-1], every, sums[which][:, -1:]], axis=1)
        picks = generator.integers(len(groups), size=(ROUNDS, len(groups)))
        print("\n%s, %d lists\n\n| field | n | alone | control | together | gain | 95 %% |\n|---|--:|--:|--:|--:|--:|---|" % (name, len(groups)))
        for k, field in enumerate([*score.FIELDS, "all", "whole records"]):
            drawn = f1(sums["together"][picks, k].sum(axis=1)) - f1(sums["alone"][picks, k].sum(axis=1))
            all_of = {which: float(f1(of[:, k].sum(axis=0))) for which, of in sums.items()}
            print("| %s | %d | %.1f | %.1f | %.1f | %+.1f | %+.1f to %+.1f |" % (
                field, sums["alone"][:, k, 0].sum(), all_of["alone"], all_of["control"], all_of["together"],
                all_of["together"] - all_of["alone"], *np.percentile(drawn, [2.5, 97.5])))


if __name__ == "__main__":
    main()
