from __future__ import annotations

import copy
import gc
import pickle

import numpy as np
import pytest

import libchorale as ch

pycrfsuite = pytest.importorskip("pycrfsuite")
from libchorale import crfsuite, rules  # noqa: E402


@pytest.fixture
def trained(rng, tmp_path):
    """Trains a model on random sequences. Returns the path of the model, and sequences that it has
    not seen."""
    words = [f"w{k}" for k in range(12)]

    def sequence(length):
        picked = [words[k] for k in rng.integers(len(words), size=length)]
        return [
            {"word": w, "next": n, "size": float(k)}
            for k, (w, n) in enumerate(zip(picked, [*picked[1:], "none"]))
        ]

    trainer = pycrfsuite.Trainer(verbose=False)
    for _ in range(30):
        features = sequence(int(rng.integers(1, 9)))
        trainer.append(features, [str(rng.choice(["A", "B", "C"])) for _ in features])
    trainer.set_params({"c1": 0.05, "c2": 0.01, "max_iterations": 40})
    path = tmp_path / "model.crfsuite"
    trainer.train(str(path))
    return path, [sequence(int(rng.integers(0, 9))) for _ in range(40)]


def assert_scores_of_tagger(scores, features):
    """The tagger's labelling is a best one, and has the tagger's log-probability."""
    solver, unary = ch.ChainSolver(), scores.unary(features)
    transitions = ch.Transitions(scores.transitions)
    own = scores.tagger.tag(features)
    path = [scores.labels.index(label) for label in own]
    score = unary[range(len(path)), path].sum()
    score += scores.transitions[path[:-1], path[1:]].sum()
    assert solver.best(unary, transitions).score == pytest.approx(score, rel=1e-9, abs=1e-9)
    total = unary[0]  # logarithms of sums over the labellings of the positions so far
    for row in unary[1:]:
        total = np.logaddexp.reduce(total[:, None] + scores.transitions, axis=0) + row
    total = np.logaddexp.reduce(total)
    probability = scores.tagger.probability(own)
    assert np.log(probability) == pytest.approx(score - total, rel=1e-9, abs=1e-9)


def test_scores_are_those_of_the_tagger(trained):
    path, unseen = trained
    scores = crfsuite.Scores(path)
    for features in unseen:
        if features:
            assert_scores_of_tagger(scores, features)
    assert scores.unary([]).shape == (0, len(scores.labels))


def test_scores_are_pickled(trained):
    path, unseen = trained
    scores = crfsuite.Scores(path)
    copies = [pickle.loads(pickle.dumps(scores, protocol)) for protocol in range(2, 6)]
    path.unlink()
    for other in (*copies, copy.deepcopy(scores)):
        assert other.labels == scores.labels
        np.testing.assert_array_equal(other.transitions, scores.transitions)
        for features in unseen:
            np.testing.assert_array_equal(other.unary(features), scores.unary(features))


def test_damaged_files(trained, tmp_path):
    path, _ = trained
    data = path.read_bytes()
    damaged = tmp_path / "damaged.crfsuite"
    for bytes_, message in (
        (data[:20], "shorter"),
        (b"nope" + data[4:], "first-order"),
        (data[:12] + b"\x07" + data[13:], "version"),
        (data[:60], "ends"),
        (data.replace(b"CQDB", b"DBCQ"), "no dictionary of 3 labels"),
        (data.replace(b"A\0", b"AA"), "no dictionary of 3 labels"),
    ):
        damaged.write_bytes(bytes_)
        with pytest.raises(crfsuite.MismatchError, match=message):
            crfsuite.Scores(damaged)


def test_weights_keep_all_their_digits(trained):
    path, _ = trained
    scores = crfsuite.Scores(path)
    rounded = np.round(scores.transitions, 6)
    assert np.abs(rounded - scores.transitions).max() > 0
    assert np.abs(rounded - scores.transitions).max() < 1e-6


# Names that no text format of a model could hold.
STRANGE = [
    "",
    "\n",
    "a\nb",
    "\ttab",
    "a --> b",
    "(1) a --> b: 3",
    "  }",
    "\r",
    "Zürich\u2028",
    "a\0b",
]


def test_strange_names(rng, tmp_path):
    def sequence():
        return [
            {str(name): float(rng.random()) for name in rng.choice(STRANGE, 3, replace=False)}
            for _ in range(rng.integers(1, 6))
        ]

    trainer = pycrfsuite.Trainer(verbose=False)
    for _ in range(40):
        features = sequence()
        trainer.append(features, [str(rng.choice(STRANGE[:-1])) for _ in features])
    path = tmp_path / "strange.crfsuite"
    trainer.train(str(path))
    scores = crfsuite.Scores(path)
    assert set(scores.labels) == set(scores.tagger.labels()) == set(STRANGE[:-1])
    for _ in range(20):
        features = sequence()
        best = ch.ChainSolver().best(scores.unary(features), scores.transitions)
        assert [scores.labels[y] for y in best.labels] == scores.tagger.tag(features)
    words = [["a\nb", "a\nb", "\r"], ["\n"]]  # an attribute may occur twice
    assert_scores_of_tagger(scores, words)


def test_the_model_of_usaddress():
    """Names of attributes in this model hold newlines."""
    usaddress = pytest.importorskip("usaddress")
    scores = crfsuite.Scores(usaddress.MODEL_PATH)
    assert any("\n" in name for name in scores._attributes)
    for address in ("123 Main St. Suite 100, Chicago, IL 60601", "PO Box 7\nAustin TX", "1\n2"):
        features = usaddress.tokens2features(usaddress.tokenize(address))
        best = ch.ChainSolver().best(scores.unary(features), scores.transitions)
        own = [label for _, label in usaddress.parse(address)]
        assert [scores.labels[y] for y in best.labels] == own


def test_estimators_of_sklearn_crfsuite(rng):
    sklearn_crfsuite = pytest.importorskip("sklearn_crfsuite")
    features = [[{"word": str(word)} for word in rng.integers(0, 5, 4)] for _ in range(30)]
    labels = [[str(rng.choice(["A", "B"])) for _ in item] for item in features]
    crf = sklearn_crfsuite.CRF(c2=0.1, max_iterations=20, all_possible_transitions=True)
    with pytest.raises(ValueError, match="fitted"):
        crfsuite.Scores(crf)
    crf.fit(features, labels)
    expected = crf.predict_single(features[0])
    scores = crfsuite.Scores(crf)
    del crf
    gc.collect()
    best = ch.ChainSolver().best(scores.unary(features[0]), scores.transitions)
    assert [scores.labels[y] for y in best.labels] == expected


def test_a_tagger_keeps_rules():
    """With rules, usaddress parses what it refuses without; all else is as before."""
    usaddress = pytest.importorskip("usaddress")
    labels = crfsuite.Scores(usaddress.MODEL_PATH).labels
    streets = [label for label in labels if label.startswith("StreetName")]
    wanted = [rules.once(label) for label in labels if label not in streets]
    wanted += [rules.once_on_each_side(label, ["IntersectionSeparator"]) for label in streets]
    mended = crfsuite.RuleTagger(usaddress.MODEL_PATH, wanted)
    plain = usaddress.TAGGER
    refused = [
        "1 Main St Ste 4 Ste 4 Chicago IL",
        "1 Main St Suite 2 Ste 2",
        "5 County Road 12 County Road 14 Troy NY",
    ]
    fine = ["123 Main St. Suite 100, Chicago, IL 60601", "Main St & Oak St Chicago IL"]
    for address in refused + fine:
        expected = None
        if address in refused:
            with pytest.raises(usaddress.RepeatedLabelError):
                usaddress.tag(address)
        else:
            expected = usaddress.tag(address)
        usaddress.TAGGER = mended
        try:
            fields, kind = usaddress.tag(address)
        finally:
            usaddress.TAGGER = plain
        assert mended.proven and (mended.ruled is None) == (address in fine)
        assert expected in (None, (fields, kind)) and fields["StreetName"]
    assert mended.labels() == plain.labels()
    features = usaddress.tokens2features(["Chicago"])
    mended.set(features)
    assert mended.tag() == plain.tag(features)
    assert mended.probability(plain.tag()) == plain.probability(plain.tag())
