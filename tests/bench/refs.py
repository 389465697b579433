#!/usr/bin/env python3
"""A run under four properties over the time that CRFsuite takes to tag the same references.

    refs.py PROPERTY_BENCH [--quick]

As publications.py, on the references of ../shared/data beside the repository (or of
CHORALE_SHARED_DATA): a tagger of a fifth of the groups (examples/experiments), the records of all
others, and a clique for each group of two records or more and each of the paper's four properties
(Potts of strength 1 / n, as the experiments build them before learning). Prints nothing but the
reason, and ends well, without the data, the Python package libchorale, NumPy, SciPy or
python-crfsuite.
"""
import os
import pathlib
import statistics
import sys
import tempfile

from tagging import figures, require_alike, set_and_tag_ms

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("CHORALE_SHARED_DATA", ROOT.parent / "shared" / "data"))
SETS = {"grobid": "grobid_refs", "excite": "excite_refs"}


def measure(prefix, path, bench, quick):
    import libchorale as ch
    import pycrfsuite
    import base_model
    import datasets
    import properties
    from features import Features
    from scored import Scored

    data = datasets.read(SETS[prefix], path)
    features = Features(data)
    training, others = (data.of_groups(groups) for groups in datasets.split(data, 0.2, 0))
    with tempfile.TemporaryDirectory() as folder:
        model, file = (str(pathlib.Path(folder) / name) for name in ("model", "refs.chorale"))
        trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
        trainer.set_params(base_model.OPTIONS)
        for r in training:
            trainer.append(base_model.strings(data, features, r),
                           [str(label) for label in data.records[r].labels])
        trainer.train(model)
        unary, matrix = base_model.scores(data, features, *base_model.weights(model), others)
        scored = Scored(others, unary, [matrix] * len(others))
        agreeing, _ = properties.build(properties.Properties(data), scored, properties.FOUR)
        ch.Problem(agreeing).save(file)
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        items = [pycrfsuite.ItemSequence(base_model.strings(data, features, r)) for r in others]

        require_alike(tagger, items, [str(label) for own in scored.own for label in own])
        tags, runs, found = [], [], {}
        for _ in range(1 if quick else 5):
            tags.append(set_and_tag_ms(tagger, items))
            found = figures(bench, file, "3")
            runs.append(float(found["ms"]))
        kept = os.environ.get("CHORALE_KEEP_PROBLEMS")  # for other releases to run
        if kept:
            pathlib.Path(kept, f"{prefix}.chorale").write_bytes(pathlib.Path(file).read_bytes())
    tag, run = statistics.median(tags), statistics.median(runs)
    for name, value, unit in (
            ("records", len(others), "records"), ("crfsuite_set_and_tag_ms", tag, "ms"),
            ("run_ms", run, "ms"), ("own_score", float(found["own_score"]), "score"),
            ("score", float(found["score"]), "score"), ("run_over_crfsuite_tag", run / tag, "ratio")):
        print(f"{prefix}.{name}\t{value:.12g}\t{unit}", flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.path.insert(0, str(ROOT / "examples" / "experiments"))
    try:
        import libchorale, numpy, pycrfsuite, scipy  # noqa: E401, F401
    except ImportError as error:
        print(f"refs.py: left out: {error}", file=sys.stderr)
        return
    for prefix, folder in SETS.items():
        path = SHARED / folder / "data.conll"
        if path.exists():
            measure(prefix, path, sys.argv[1], "--quick" in sys.argv[2:])
        else:
            print(f"refs.py: left out: no {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
