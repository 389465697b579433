#!/usr/bin/env python3
"""A run under four properties over the time that CRFsuite takes to tag the same records.

    publications.py PROPERTY_BENCH [--quick]

Trains the tagger of examples/publications on two of its ten shelves, tags the records of all others
with CRFsuite, and runs the model of the paper's four properties (Potts of strength 2 / n each, one
clique a page and property) on the same scores with PROPERTY_BENCH: one thread each, processor time,
in turn. Prints nothing but the reason, and ends well, without the Python package libchorale, NumPy
or python-crfsuite (a package of PyPI).

CRFsuite's time is that of set() and tag() on feature strings that are made already.
"""
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "publications"
SHELVES = [0, 2]
STRENGTHS = [2.0] * 4
# Of equation 1: what a run must reach, and what a bound must come down to.
LEAST, BOUND = 355372.15, 355382.2


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    quick = "--quick" in sys.argv[2:]
    sys.path.insert(0, str(EXAMPLE))
    try:
        import libchorale as ch
        import pycrfsuite
        from pages import features_of, read_pages
        from train_base import Base
    except ImportError as error:
        print(f"publications.py: left out: {error}", file=sys.stderr)
        return
    records = read_pages(EXAMPLE / "data" / "pages.txt")
    train = [r for r in records if r.shelf in SHELVES]
    others = [r for r in records if r.shelf not in SHELVES]
    attributes = [features_of(r) for r in others]
    with tempfile.TemporaryDirectory() as folder:
        # As train_base.py does, which keeps no model.
        model = str(pathlib.Path(folder) / "model")
        trainer = pycrfsuite.Trainer(verbose=False)
        for record in train:
            trainer.append(features_of(record), record.labels)
        trainer.select("lbfgs")
        trainer.set_params({"c1": 0.1, "c2": 0.1, "max_iterations": 200,
                            "feature.possible_transitions": False})
        trainer.train(model)
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        items = [pycrfsuite.ItemSequence(of) for of in attributes]
        collection = Base(train, 0.1, 0.1).collection(others)
        path = str(pathlib.Path(folder) / "pages.chorale")
        ch.Problem(collection.agreeing(STRENGTHS)).save(path)

        # The same model: both label alike, but for ties.
        own = collection.names([y for labels in collection.own for y in labels])
        tagged = [label for of in items for label in tagger.tag(of)]
        differ = sum(a != b for a, b in zip(own, tagged, strict=True))
        if differ > len(own) / 1000:
            sys.exit(f"{differ} of {len(own)} tokens are labelled otherwise than by CRFsuite")

        whole, runs, bounds, found = [], [], [], {}
        for _ in range(1 if quick else 5):
            begin = time.process_time()
            for of in items:
                tagger.set(of)
                tagger.tag()
            whole.append(1e3 * (time.process_time() - begin))
            out = subprocess.run([sys.argv[1], path, "3", str(BOUND)], check=True,
                                 capture_output=True, text=True).stdout
            found = dict(line.split("\t")[:2] for line in out.splitlines())
            runs.append(float(found["ms"]))
            bounds.append(float(found["bound_ms"]))
    tag, run, bound = (statistics.median(of) for of in (whole, runs, bounds))
    for name, value, unit in (
            ("crfsuite_set_and_tag_ms", tag, "ms"), ("run_ms", run, "ms"),
            ("score", float(found["score"]), "score"), ("bound", float(found["bound"]), "score"),
            ("run_over_crfsuite_tag", run / tag, "ratio"), ("bound_over_run", bound / run, "ratio")):
        print(f"publications.{name}\t{value:.10g}\t{unit}")
    if float(found["score"]) < LEAST or float(found["bound"]) > BOUND:
        print(f"publications.py: score below {LEAST} or bound above {BOUND}", file=sys.stderr)


if __name__ == "__main__":
    main()
