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
import sys
import tempfile

from tagging import figures, require_alike, set_and_tag_ms

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "publications"
SHELVES = [0, 2]
# The paper's four properties.
STRENGTHS = dict.fromkeys(["first field", "token before Title", "field after Title", "field after Venue"], 2.0)
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
        from collective import Collection
        from make_pages import LABELS
        from pages import features_of, read_pages
        from train_base import Base
    except ImportError as error:
        print(f"publications.py: left out: {error}", file=sys.stderr)
        return
    records = read_pages(EXAMPLE / "data" / "pages.txt")
    train = [r for r in records if r.shelf in SHELVES]
    others = [r for r in records if r.shelf not in SHELVES]
    items = [pycrfsuite.ItemSequence(features_of(r)) for r in others]
    base = Base(train, 0.1, 0.1)
    collection = Collection(base.score(others), LABELS)
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "pages.chorale")
        ch.Problem(collection.agreeing(STRENGTHS)).save(path)

        own = collection.names([y for labels in collection.own for y in labels])
        require_alike(base.tagger, items, own)
        whole, runs, bounds, found = [], [], [], {}
        for _ in range(1 if quick else 5):
            whole.append(set_and_tag_ms(base.tagger, items))
            found = figures(sys.argv[1], path, "3", str(BOUND))
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
