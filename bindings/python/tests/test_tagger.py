"""`CollectiveTagger` with estimators, with functions that train a tagger, and with scores alone."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest

import libchorale as ch
from libchorale import rules
from libchorale.learn import CollectiveTagger, Learnt


def corpus(documents, seed, agrees=True):
    """Returns features, labels and documents of sequences that each end with a name. A document has
    four names, which occur three times each with the same type. The word before a name tells its
    type three times of four. agrees=False: each occurrence of a name has a type of its own."""
    random = np.random.default_rng(seed)
    X, y, groups = [], [], []
    for document in range(documents):
        for _ in range(4):
            name, kind = f"Name{random.integers(10**6)}", random.integers(2)
            for _ in range(3):
                if not agrees:
                    kind = random.integers(2)
                said = kind if random.random() < 0.75 else 1 - kind
                cue = [["in", "near"], ["Mr", "says"]][said][random.integers(2)]
                X.append(
                    [
                        {"word": "then", "bias": 1.0},
                        {"word": cue, "bias": 1.0},
                        # The name itself is only in "word.lower()", which is added below.
                        {"before": cue, "w": name[0], "bias": 1.0, "name": True},
                    ]
                )
                X[-1][2]["word.lower()"] = name.lower()
                y.append(["O", "O", ["LOC", "PER"][kind]])
                groups.append(f"document {document}")
    return X, y, groups


def token(entry):
    return entry.get("word.lower()") or entry.get("word")


def cue_of(entry):
    return entry.get("before")


def wrong(labels, y):
    return sum(a != b for row, gold in zip(labels, y) for a, b in zip(row, gold))


def lists(rows):
    return [list(row) for row in rows]


def crf():
    made = pytest.importorskip("sklearn_crfsuite").CRF(c1=0.0, c2=0.1, max_iterations=30)
    made.all_possible_transitions = True
    return made


def frequencies(X, y, smoothing=1.0):
    """Trains a tagger without transitions: its scores are the log-probabilities of labels after a
    word (the feature "before")."""
    labels = sorted({label for row in y for label in row})
    counts = {}
    for item, row in zip(X, y):
        for entry, label in zip(item, row):
            own = counts.setdefault(entry.get("before"), np.full(len(labels), smoothing))
            own[labels.index(label)] += 1
    even = np.ones(len(labels))
    return Frequencies({k: np.log(v / v.sum()) for k, v in counts.items()}, even)


class Frequencies:
    def __init__(self, scores, even):
        self.scores, self.even = scores, even

    def __call__(self, X):
        return [[self.scores.get(e.get("before"), self.even) for e in item] for item in X]


class WithTransitions(Frequencies):
    def __call__(self, X):
        return super().__call__(X), np.zeros((len(self.even), len(self.even)))


def with_transitions(X, y):
    made = frequencies(X, y)
    return WithTransitions(made.scores, made.even)


class Marginals:
    """An estimator that gives labels and marginal probabilities, but no scores."""

    def __init__(self, smoothing=1.0):
        self.smoothing = smoothing

    def get_params(self, deep=True):
        return {"smoothing": self.smoothing}

    def set_params(self, **params):
        self.__dict__.update(params)
        return self

    def fit(self, X, y):
        self.labels = sorted({label for row in y for label in row})
        self.scorer = frequencies(X, y, self.smoothing)
        return self

    def predict_marginals(self, X):
        return [
            [dict(zip(self.labels, np.exp(row).tolist())) for row in scores]
            for scores in self.scorer(X)
        ]

    def predict(self, X):
        return [[max(p, key=p.get) for p in row] for row in self.predict_marginals(X)]


def test_agreement_helps_a_crf():
    X, y, groups = corpus(24, 1)
    X_new, y_new, groups_new = corpus(40, 2)
    own = lists(crf().fit(X, y).predict(X_new))
    tagger = CollectiveTagger(crf(), token=token).fit(X, y, groups)
    labels = tagger.predict(X_new, groups_new)
    assert tagger.report_["applied"] and tagger.report_["agreement_p"] <= 0.05
    assert tagger.report_["kinds"][0]["name"] == "word" and tagger.classes_ == ["LOC", "O", "PER"]
    assert isinstance(tagger.learnt_, Learnt) and "agreement" in str(tagger.learnt_)
    assert wrong(labels, y_new) < wrong(own, y_new)
    assert own == lists(tagger.tagger_.predict(X_new))
    again = pickle.loads(pickle.dumps(tagger))
    assert again.predict(X_new, groups_new) == labels
    assert again.learnt_.to_json() == tagger.learnt_.to_json()
    assert copy.deepcopy(tagger).predict(X_new, groups_new) == labels
    # The result is the same if the groups have other names, which sort in another order.
    renamed = [f"{len(groups) - int(g.split()[1])}" for g in groups]
    other = CollectiveTagger(crf(), token=token).fit(X, y, renamed)
    assert other.learnt_.to_json() == tagger.learnt_.to_json()
    assert other.predict(X_new, groups_new) == labels
    # If every sequence is a group of its own, nothing agrees.
    assert tagger.predict(X_new, range(len(X_new))) == own


@pytest.mark.parametrize("trains", [None, frequencies, with_transitions, Marginals()])
def test_rules_are_kept_as_by_decode(trains):
    X, y, groups = corpus(24, 11)
    X_new, _, groups_new = corpus(40, 12)
    words, words_new = ([[token(entry) for entry in item] for item in of] for of in (X, X_new))
    if trains is None:
        scorer = frequencies(*corpus(30, 9)[:2])
        X, X_new = scorer(X), scorer(X_new)
    agree = ["words", ch.Property.first_label(3)]
    tagger = CollectiveTagger(trains, agree, token=token, labels=["LOC", "O", "PER"])
    tagger.fit(X, y, groups, words)
    assert tagger.report_["applied"]
    before = tagger.predict(X_new, groups_new, words_new)
    # Rules that labels keep by themselves change nothing.
    tagger.set_params(rules=[rules.at_most(50)])
    assert tagger.predict(X_new, groups_new, words_new) == before
    tagger.set_params(rules=[rules.never("PER"), rules.needs("LOC", "PER", price=1.0)])
    labels = tagger.predict(X_new, groups_new, words_new)
    assert not any("PER" in row for row in labels)
    assert any("PER" in row for row in before)
    assert pickle.loads(pickle.dumps(tagger)).predict(X_new, groups_new, words_new) == labels
    scores, edges, names = tagger._trained_.scores(X_new, range(len(X_new)))
    potentials = [tagger.learnt_.potential(kind, 3) for kind in range(2)]
    found = ch.decode(
        scores,
        edges,
        groups=groups_new,
        tokens=words_new,
        agree=[
            ch.Agreement("words", potential=potentials[0]),
            ch.Agreement(agree[1], potential=potentials[1]),
        ],
        names=names,
        rules=tagger.rules,
    )
    assert labels == [[names[k] for k in row] for row in found.labels]
    ruled = tagger.ruled(X_new, groups_new, words_new)
    assert [str(of) for of in ruled] == [str(of) for of in found.ruled] and ruled[0].cost > 0
    # A sequence whose rules are too dear keeps its own labels, and rules leave probabilities alone.
    tagger.set_params(most_cost=1e-9)
    assert any("PER" in row for row in tagger.predict(X_new, groups_new, words_new))
    assert {of.state for of in tagger.ruled(X_new, groups_new, words_new)} == {"too dear"}
    with_rules = tagger.predict_proba(X_new, groups_new, words_new)
    without = tagger.set_params(rules=None).predict_proba(X_new, groups_new, words_new)
    assert tagger.ruled(X_new, groups_new, words_new) == []
    assert all(np.array_equal(a, b) for a, b in zip(with_rules, without))


def test_rules_are_kept_where_agreement_is_not_applied():
    X, y, groups = corpus(24, 3, agrees=False)
    kept = {"rules": [rules.once("PER"), rules.needs("LOC", "PER")]}
    tagger = CollectiveTagger(frequencies, token=token, **kept).fit(X, y, groups)
    assert not tagger.report_["applied"]
    scores, _, names = tagger._trained_.scores(X, range(len(X)))
    found = ch.decode(scores, names=names, **kept)
    assert found.ruled and tagger.predict(X) == [[names[k] for k in row] for row in found.labels]


def test_agreement_is_not_applied_where_nothing_agrees():
    accepted = 0
    for seed in range(3, 8):
        X, y, groups = corpus(24, seed, agrees=False)
        X_new, y_new, groups_new = corpus(40, seed + 1000, agrees=False)
        tagger = CollectiveTagger(crf(), token=token).fit(X, y, groups)
        labels = tagger.predict(X_new, groups_new)
        own = lists(crf().fit(X, y).predict(X_new))
        assert own == lists(tagger.tagger_.predict(X_new))
        # Agreement is applied by chance once in twenty times.
        if tagger.report_["applied"]:
            accepted += 1
        else:
            assert labels == own
        assert wrong(labels, y_new) <= 1.05 * wrong(own, y_new)
    assert accepted <= 1


@pytest.mark.parametrize("trains", [frequencies, with_transitions, Marginals()])
def test_functions_and_other_estimators(trains):
    X, y, groups = corpus(24, 11)
    X_new, y_new, groups_new = corpus(40, 12)
    tagger = CollectiveTagger(trains, token=token).fit(X, y, groups)
    labels = tagger.predict(X_new, groups_new)
    alone = tagger.predict(X_new, range(len(X_new)))
    assert alone == Marginals().fit(X, y).predict(X_new)
    assert tagger.report_["applied"] and wrong(labels, y_new) < 0.8 * wrong(alone, y_new)
    assert pickle.loads(pickle.dumps(tagger)).predict(X_new, groups_new) == labels
    assert not hasattr(trains, "scorer")  # `fit` has trained copies


def test_scores_alone_are_those_of_a_function():
    X, y, groups = corpus(24, 5)
    words = [[token(entry) for entry in item] for item in X]
    scores = frequencies(*corpus(30, 9)[:2])(X)
    names = ["LOC", "O", "PER"]
    given = dict(labels=names, transitions=np.zeros((3, 3)))
    tagger = CollectiveTagger(**given).fit(scores, y, groups, tokens=words)
    labels = tagger.predict(scores, groups, tokens=words)
    assert tagger.tagger_ is None and tagger.report_["applied"]
    numbers = [[names.index(label) for label in row] for row in y]
    plain = CollectiveTagger().fit(np.array(scores), np.array(numbers), groups, np.array(words))
    found = plain.predict(np.array(scores), groups, np.array(words))
    assert [[names[k] for k in row] for row in found] == labels
    assert all(type(k) is int for row in found for k in row) and plain.classes_ == [0, 1, 2]
    # The same problem, made by hand, gets the same labels under the same weights.
    gold = np.concatenate(numbers)
    problem = ch.build_problem(scores, gold=gold, groups=groups, tokens=words)
    with ch.Run(plain.learnt_.apply(_named(problem))) as run:
        run.solve()
        assert run.labels().tolist() == np.concatenate(found).tolist()


def _named(problem):
    problem.kinds = ["word"]
    return problem


def test_probabilities_are_those_of_the_learnt_model():
    """Each group has two mentions of one word. The probabilities of a mention are those computed
    from the message of the clique, which is enumerated over the labels of the other mention."""
    random = np.random.default_rng(4)
    gold = [[number % 2] for number in range(500) for _ in range(2)]
    scores = [random.normal(0, 1, (1, 2)) + 0.8 * np.eye(2)[row] for row in gold]
    groups = [number // 2 for number in range(1000)]
    words = [["Rome"]] * 1000
    tagger = CollectiveTagger().fit(scores, gold, groups, words)
    assert tagger.report_["applied"]
    kept, changed = (tagger.report_[name] for name in ("temperature", "changed_temperature"))
    assert kept > 0 and changed > 0
    strength = tagger.report_["kinds"][0]["strength"]
    labels = tagger.predict(scores, groups, words)

    def together(a, b):
        return strength * (np.bincount([a, b], minlength=2) ** 2).sum() / 2

    found = tagger.predict_proba(scores[:20], groups[:20], words[:20])
    for first in range(0, 20, 2):
        for here, other in ((first, first + 1), (first + 1, first)):
            message = [max(together(v, u) + scores[other][0, u] for u in range(2)) for v in range(2)]
            stays = labels[here][0] == scores[here][0].argmax()
            total = (scores[here][0] + message) / (kept if stays else changed)
            expected = np.exp(total - np.logaddexp.reduce(total))
            assert found[here][0] == pytest.approx(expected, abs=1e-9)
    marginals = tagger.predict_marginals(scores[:20], groups[:20], words[:20])
    assert marginals[3] == [dict(zip([0, 1], found[3][0]))]
    assert tagger.predict_proba([], []) == []


def test_f1_of_the_labels_that_count():
    """With `f1_without`, F1 of the labels that count is maximised and reported."""
    random = np.random.default_rng(5)
    y, scores, groups = [], [], []
    for group in range(30):
        for number in range(4):
            y.append(["X" if number < 2 else "O"])
            scores.append(random.normal(0, 1, (1, 2)) + [[2.0 * (number > 1), 1.0 * (number < 2)]])
            groups.append(group)
    words = [[str(number // 2 % 2)] for number in range(120)]
    given = dict(labels=["O", "X"])
    plain = CollectiveTagger(**given).fit(scores, y, groups, words)
    tagger = CollectiveTagger(**given, f1_without=["O"]).fit(scores, y, groups, words)
    own = [["O", "X"][int(row[0].argmax())] for row in scores]
    right = sum(a == b[0] == "X" for a, b in zip(own, y))
    both = own.count("X") + sum(row == ["X"] for row in y)
    assert tagger.report_["tagger_f1"] == pytest.approx(2 * right / both)
    assert plain.report_["tagger_f1"] == 0 and "F1" in str(tagger.learnt_)
    again = pickle.loads(pickle.dumps(tagger))
    assert again.report_ == tagger.report_ and again.f1_without == ["O"]
    for wrong, message in ((["Y"], "'Y', not one of"), (["O", "X"], "every label")):
        with pytest.raises(ValueError, match=message):
            CollectiveTagger(**given, f1_without=wrong).fit(scores, y, groups, words)


def test_f1_of_spans():
    random = np.random.default_rng(6)
    X, y, groups = [], [], []
    for group in range(30):
        kind = "PL"[group % 2]
        for _ in range(4):
            y.append([f"B-{kind}", f"I-{kind}", "O"])
            noise = random.normal(0, 1.5, (3, 5))
            noise[np.arange(3), [dict(P=0, L=2)[kind], dict(P=1, L=3)[kind], 4]] += 2
            X.append(noise)
            groups.append(group)
    names, words = ["B-P", "I-P", "B-L", "I-L", "O"], [["New", "York", "."]] * 120
    given = dict(labels=names, f1_without=["O"])
    spans = CollectiveTagger(**given, spans=True).fit(X, y, groups, words)

    def spans_of(labels):
        found, start = set(), None
        for t, label in enumerate([*labels, "O"]):
            if start is not None and (label[:2] != "I-" or label[2:] != kind):
                found.add((start, t, kind))
                start = None
            if label != "O" and start is None:
                start, kind = t, label[2:]
        return found

    own = [spans_of([names[k] for k in row.argmax(axis=1)]) for row in X]
    gold = [spans_of(row) for row in y]
    right = sum(len(a & b) for a, b in zip(own, gold))
    both = sum(len(of) for of in own + gold)
    assert spans.report_["tagger_f1"] == pytest.approx(2 * right / both)
    positions = CollectiveTagger(**given).fit(X, y, groups, words)
    assert positions.report_["tagger_f1"] != spans.report_["tagger_f1"]
    with pytest.raises(ValueError, match="spans needs f1_without"):
        CollectiveTagger(labels=names, spans=True).fit(X, y, groups, words)


def test_functions_properties_and_words_agree_together():
    X, y, groups = corpus(40, 5)
    agree = [token, "words", (ch.Property.first_label(3), 0.5)]
    tagger = CollectiveTagger(frequencies, agree, token=token).fit(X, y, groups)
    names = [kind["name"] for kind in tagger.report_["kinds"]]
    assert names == ["token", "word", "agree[2]"] and tagger.report_["applied"]
    assert tagger.report_["kinds"][0]["strength"] > 0
    labels = tagger.predict(X, groups)
    assert wrong(labels, y) < wrong(tagger.predict(X, range(len(X))), y)
    one = CollectiveTagger(frequencies, token).fit(X, y, groups)
    words = CollectiveTagger(frequencies, token=token).fit(X, y, groups)
    assert one.predict(X, groups) == words.predict(X, groups)
    # Positions whose key or token is None or NaN are in no clique.
    for nothing in (no_key, not_a_number):
        for arguments in ({"agree": nothing}, {"token": nothing}):
            with pytest.raises(ValueError, match="agree finds nothing"):
                CollectiveTagger(frequencies, **arguments).fit(X, y, groups)


def no_key(entry):
    return None


def not_a_number(entry):
    return float("nan")


def test_labels_that_one_fold_alone_has():
    X, y, groups = corpus(24, 5)
    y[0] = ["RARE", "O", "PER"]
    X[3], y[3] = [], []
    for trains in (frequencies, crf()):
        tagger = CollectiveTagger(trains, token=token).fit(X, y, groups)
        assert tagger.classes_ == ["LOC", "O", "PER", "RARE"] and tagger.report_["applied"]
        assert tagger.predict(X, groups)[3] == []
    assert tagger.predict([], []) == []


def test_tokens_are_found_in_entries():
    y, groups = [["a"], ["b"]] * 12, [k // 2 for k in range(24)]
    for entry in ("Rome", 7, {"word": "Rome"}, {"w": "Rome"}, {"word.lower()": "rome"}):
        CollectiveTagger(even).fit([[entry]] * 24, y, groups)
    for entry in (["bias", "w=Rome"], ("word=Rome",)):
        CollectiveTagger(even).fit([[entry]] * 24, y, groups)
    for entry in ({"bias": 1}, ["bias"], None, {"word": None}):
        with pytest.raises(ValueError, match=r"token finds no token in X\[0\]\[0\]"):
            CollectiveTagger(even).fit([[entry]] * 24, y, groups)


def even(X, y):
    return all_even


def all_even(X):
    return [np.zeros((len(item), 2)) for item in X]


def test_parameters():
    tagger = CollectiveTagger(Marginals(2.0), agree=["words"], token=token)
    given = tagger.get_params(deep=False)
    names = ["tagger", "agree", "token", "labels", "transitions", "f1_without", "spans"]
    assert list(given) == [*names, "rules", "scheme", "most_cost"]
    assert given["agree"] is tagger.agree and given["token"] is token
    assert tagger.get_params()["tagger__smoothing"] == 2.0
    assert tagger.set_params(tagger__smoothing=3.0, agree="words") is tagger
    assert (tagger.tagger.smoothing, tagger.agree) == (3.0, "words")
    assert repr(CollectiveTagger(agree="words")) == "CollectiveTagger(agree='words')"
    for mistaken in ({"strength": 1.0}, {"agree__x": 1}):
        with pytest.raises(ValueError, match="is no parameter"):
            tagger.set_params(**mistaken)
    with pytest.raises(ValueError, match="no parameters of its own"):
        CollectiveTagger().set_params(tagger__c1=1.0)


def test_scikit_learn_clones():
    base = pytest.importorskip("sklearn.base")
    X, y, groups = corpus(24, 5)
    agree = ["words", ch.Property.first_label(3), ch.Agreement("words", across=True)]
    tagger = CollectiveTagger(Marginals(2.0), agree, token=token).fit(X, y, groups)
    other = base.clone(tagger)
    assert not hasattr(other, "learnt_") and other.tagger.smoothing == 2.0
    assert other.tagger is not tagger.tagger and other.token is token
    other.fit(X, y, groups)
    assert json.loads(other.learnt_.to_json()) == json.loads(tagger.learnt_.to_json())
    assert base.clone(CollectiveTagger(crf())).get_params(deep=False)["agree"] == "words"


# The checks of scikit-learn that give an estimator no table of numbers, which no tagger of sequences
# takes. `check_estimator` runs those that its tags allow.
CHECKS = """
    check_do_not_raise_errors_in_init_or_set_param check_estimator_cloneable check_estimator_repr
    check_estimator_tags_renamed check_estimators_unfitted check_get_params_invariance
    check_mixin_order check_no_attributes_set_in_init check_parameters_default_constructible
    check_set_params check_valid_tag_types
"""


@pytest.mark.parametrize("name", CHECKS.split())
def test_scikit_learn_checks(name):
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    if not hasattr(checks, name):
        pytest.skip("this scikit-learn has no such check")
    getattr(checks, name)("CollectiveTagger", CollectiveTagger(Marginals()))


def test_scikit_learn_checks_what_tags_allow():
    checks = pytest.importorskip("sklearn.utils.estimator_checks")
    checks.check_estimator(CollectiveTagger(Marginals()))


def test_sequences_without_groups():
    """Each sequence is then a group of its own, in `predict` too."""
    X, y, _ = corpus(24, 5)
    X, y = [row + row for row in X], [row + row for row in y]  # agreement is within a sequence
    by_itself = CollectiveTagger(Marginals(), token=token).fit(X, y)
    numbered = CollectiveTagger(Marginals(), token=token).fit(X, y, range(len(X)))
    assert by_itself.report_ == numbered.report_
    assert by_itself.predict(X) == numbered.predict(X, range(len(X)))


def test_scikit_learn_searches_parameters():
    sklearn = pytest.importorskip("sklearn")
    selection = pytest.importorskip("sklearn.model_selection")
    X, y, groups = corpus(24, 5)
    tagger = CollectiveTagger(Marginals(), token=token)
    with sklearn.config_context(enable_metadata_routing=True):
        folds = selection.GroupKFold(3)
        search = selection.GridSearchCV(tagger, {"tagger__smoothing": [1.0, 1e18]}, cv=folds)
        search.fit(X, y, groups=groups)
        given = {"groups": groups, "tokens": [[token(entry) for entry in item] for item in X]}
        scores = selection.cross_val_score(tagger, X, y, cv=folds, params=given)
    # The same by hand shows that groups were passed on to `fit` and to `score`.
    by_hand = []
    for train, test in folds.split(X, y, groups):
        part = [[rows[k] for k in train] for rows in (X, y, groups)]
        rest = [[rows[k] for k in test] for rows in (X, y, groups)]
        fitted = CollectiveTagger(Marginals(), token=token).fit(*part)
        labels = fitted.predict(rest[0], rest[2])
        by_hand.append(1 - wrong(labels, rest[1]) / sum(map(len, labels)))
    # The search rejects a smoothing so great that the tagger is useless.
    assert search.best_params_ == {"tagger__smoothing": 1.0} and search.best_score_ < 1.0
    assert search.cv_results_["mean_test_score"][0] == pytest.approx(np.mean(by_hand), abs=1e-12)
    assert scores == pytest.approx(by_hand, abs=1e-12)
    assert search.best_estimator_.predict(X, groups) == tagger.fit(X, y, groups).predict(X, groups)
    assert "CollectiveTagger" in pytest.importorskip("sklearn.utils").estimator_html_repr(tagger)


X3, Y3, G3 = [["a"], ["a"], ["b", "b"]], [["x"], ["y"], ["x", "y"]], [1, 1, 2]
MISTAKES = [
    (lambda: CollectiveTagger(even).fit(X3, Y3[:2], G3), "y has 2 entries, X has 3"),
    (lambda: CollectiveTagger(even).fit(X3, Y3, G3[:2]), "groups has 2 entries, X has 3"),
    (lambda: CollectiveTagger(even).fit(X3, Y3, G3, tokens=[]), "tokens has 0 entries, X has 3"),
    (lambda: CollectiveTagger(even).fit(X3, [["x", "y"], *Y3[1:]], G3), r"y\[0\] has 2 labels"),
    (lambda: CollectiveTagger(even).fit(X3, [1, 2, 3], G3), r"y\[0\] is 1, not a sequence"),
    (lambda: CollectiveTagger(even).fit(X3, Y3, [1, 1, 1]), r"groups has 1 groups .* at least 2"),
    (lambda: CollectiveTagger(even).fit([], [], []), r"groups has 0 groups"),
    (lambda: CollectiveTagger(even).fit(X3, Y3, [1, 1, []]), r"groups\[2\] is \[\]"),
    (lambda: CollectiveTagger(even).fit(5, Y3, G3), "X is 5, not a sequence"),
    (lambda: CollectiveTagger(even, labels=["x"]).fit(X3, Y3, G3), r"y\[1\] has the label 'y'"),
    (lambda: CollectiveTagger(even, labels="xx").fit(X3, Y3, G3), "labels has 'x' twice; all must"),
    (lambda: CollectiveTagger(even).fit(X3, [["x"], [1], ["x", "x"]], G3), "y has labels that"),
    (lambda: CollectiveTagger(5).fit(X3, Y3, G3), "tagger is 5, neither"),
    (lambda: CollectiveTagger(Frequencies).fit(X3, Y3, G3), "tagger is <class"),
    (lambda: CollectiveTagger(lambda X, y: 5).fit(X3, Y3, G3), "tagger returned 5"),
    (
        lambda: CollectiveTagger(lambda X, y: lambda X: []).fit(X3, Y3, G3),
        "tagger gave scores of 0 sequences for 2",
    ),
    (
        lambda: CollectiveTagger(lambda X, y: lambda X: [[[0.0]] for _ in X]).fit(X3, Y3, G3),
        r"tagger's scores of X\[0\] has shape \(1, 1\), not \(1, 2\)",
    ),
    (
        lambda: CollectiveTagger(lambda X, y: lambda X: [[[0.0, np.nan]] for _ in X]).fit(
            X3, Y3, G3
        ),
        r"tagger's scores of X\[0\] has nan at position 0, label 1; scores must be finite, or -inf",
    ),
    (
        lambda: CollectiveTagger(lambda X, y: lambda X: (all_even(X), [[0.0]])).fit(X3, Y3, G3),
        r"transitions has shape \(1, 1\); it must be \(2, 2\)",
    ),
    (lambda: CollectiveTagger(even, transitions=[[0.0]]).fit(X3, Y3, G3), "transitions is given"),
    (lambda: CollectiveTagger(even, agree=5).fit(X3, Y3, G3), "agree is 5"),
    (lambda: CollectiveTagger(even, agree=["x"]).fit(X3, Y3, G3), "agree holds 'x'"),
    (
        lambda: CollectiveTagger(even, [ch.Agreement("keys", keys=X3)]).fit(X3, Y3, G3),
        r"agree\[0\] is an Agreement of keys",
    ),
    (lambda: CollectiveTagger(even, agree=[]).fit(X3, Y3, G3), "agree is empty"),
    (
        lambda: CollectiveTagger(even, labels="xy").fit(
            [["a"], ["b"], ["c"]], Y3[:2] + Y3[:1], [1, 1, 2]
        ),
        "agree finds nothing",
    ),
    (lambda: CollectiveTagger().fit([[[0.0, 1.0]]] * 2, [[0], [1]], [1, 2]), "tokens is missing"),
    (
        lambda: CollectiveTagger().fit([[[0.0, 1.0]]] * 2, [[0], [5]], [1, 2], [["a"]] * 2),
        r"y\[1\] has the label 5, not one of 0, 1",
    ),
    (
        lambda: CollectiveTagger().fit(
            [[[0.0, 1.0]], [[0.0]]], [[0], [1]], [1, 2], tokens=[["a"]] * 2
        ),
        r"X\[1\] has shape \(1, 1\)",
    ),
    (lambda: CollectiveTagger(even, rules=["once"]).fit(X3, Y3, G3), r"rules\[0\] must be made by"),
    (
        lambda: CollectiveTagger(even, rules=[rules.never("z")]).fit(X3, Y3, G3),
        r"rules\[0\] \(never\).a is 'z'; it must be one of the kinds: x, y",
    ),
    (
        lambda: CollectiveTagger(even, rules=[rules.never("x", chains=[0])]).fit(X3, Y3, G3),
        r"rules\[0\] \(never\).chains is given; sequences differ",
    ),
    (lambda: CollectiveTagger(even).predict(X3, G3), "has not been fitted"),
    (lambda: CollectiveTagger(even).score(X3, Y3, G3), "has not been fitted"),
]


@pytest.mark.parametrize("call, message", MISTAKES)
def test_mistakes_are_named(call, message):
    with pytest.raises((ValueError, TypeError, ch.StateError), match=message) as caught:
        call()
    print(caught.value)


def test_mistakes_of_predict():
    X, y, groups = corpus(6, 5)
    tagger = CollectiveTagger(frequencies, token=token).fit(X, y, groups)
    labels = tagger.predict(X, groups)
    with pytest.raises(ValueError, match="groups has 1 entries"):
        tagger.predict(X, groups[:1])
    with pytest.raises(ValueError, match="tokens has 1 entries"):
        tagger.predict(X, groups, tokens=[["a"]])
    with pytest.raises(ValueError, match="y has 1 entries"):
        tagger.score(X, y[:1], groups)
    with pytest.raises(ValueError, match="X has no positions"):
        tagger.score([], [], [])
    assert tagger.predict(X, groups) == labels
    # A call of `fit` that fails leaves the tagger as it was.
    with pytest.raises(ValueError, match="y has"):
        tagger.fit(X, y[:1], groups)
    assert tagger.predict(X, groups) == labels


def test_edges_and_known_labels():
    """Edges decide where scores do not, and a known label spreads to the other places of a word."""
    scores = [[[2.0, 0.0], [0.0, 0.1]], [[0.0, 1.0], [0.1, 0.0]]] * 12
    right = [[0, 0], [1, 1]] * 12
    edges = [np.full((1, 2, 2), -3.0) + 6.0 * np.eye(2) for _ in scores]
    groups, tokens = [k // 2 for k in range(24)], [["Rome", "Bath"]] * 24
    tagger = CollectiveTagger().fit(scores, right, groups, tokens, edges=edges)
    assert tagger.predict(scores[:2], None, tokens[:2], edges=edges[:2]) == [[0, 0], [1, 1]]
    assert tagger.predict(scores[:2], None, tokens[:2]) != [[0, 0], [1, 1]]
    known = [[1, None], [None, None]]
    alone = tagger.predict(scores[:2], [0, 1], tokens[:2], edges=edges[:2], forced=known)
    assert alone == [[1, 1], [1, 1]]
    [first, _] = tagger.predict_proba(scores[:2], [0, 1], tokens[:2], edges[:2], known)
    assert first[0].tolist() == [0.0, 1.0]
    for given, match in (
        ({"forced": [[5, None], [None, None]]}, r"forced\[0\] has the label 5, not one of 0, 1"),
        ({"edges": edges[:1]}, "edges has 1 entries, X has 2"),
        ({"edges": [edges[0][:, :1]] * 2}, r"edges\[0\] has shape"),
    ):
        with pytest.raises(ValueError, match=match):
            tagger.predict(scores[:2], None, tokens[:2], **given)
    with pytest.raises(ValueError, match="edges is given, which only scores"):
        CollectiveTagger(lambda X, y: None).fit(scores, right, groups, tokens, edges=edges)


def test_masks():
    """Masks forbid labels of any tagger, also where agreement is not applied."""
    X, y, groups = corpus(6, 5)
    for tagger in (frequencies, Marginals()):
        made = CollectiveTagger(tagger, token=token).fit(X, y, groups)
        column = {label: number for number, label in enumerate(made.classes_)}
        free, allowed = made.predict(X, groups), [np.ones((len(of), 3), bool) for of in X]
        assert made.predict(X, groups, allowed=allowed) == free
        allowed[0][0, column[free[0][0]]] = False
        now = made.predict(X, groups, allowed=allowed)
        assert now[0][0] != free[0][0]
        [first, *_] = made.predict_proba(X, groups, allowed=allowed)
        assert first[0, column[free[0][0]]] == 0 and first[0].sum() == pytest.approx(1)
        assert made.predict_marginals(X, groups, allowed=allowed)[0][0][free[0][0]] == 0
        with pytest.raises(ValueError, match=r"allowed\[1\] has shape"):
            made.predict(X, groups, allowed=[allowed[0], allowed[1][:1], *allowed[2:]])
        with pytest.raises(ValueError, match="allowed has 1 entries, X has"):
            made.predict(X, groups, allowed=allowed[:1])
    kept = CollectiveTagger(frequencies, token=token, rules=[rules.never("PER")]).fit(X, y, groups)
    masks = [np.array([[label != "PER" for label in kept.classes_]] * len(of)) for of in X]
    assert kept.ruled(X, groups) and not kept.ruled(X, groups, allowed=masks)


@pytest.mark.parametrize("f1_without", [None, ["O"]])
def test_a_sequence_may_stand_for_several(f1_without):
    """As if it were there so often: what is learnt, labels, and probabilities."""
    X, y, groups = corpus(12, 5)
    counts = [1 + number % 3 for number in range(len(X))]
    every = [number for number, count in enumerate(counts) for _ in range(count)]
    first = np.cumsum([0, *counts[:-1]])
    seen = []

    def tagger(X, y):
        seen.append(len(X))
        return frequencies(X, y)

    made, plain = (CollectiveTagger(tagger, token=token, f1_without=f1_without) for _ in range(2))
    made.fit(X, y, groups, counts=counts)
    repeated = [[of[number] for number in every] for of in (X, y, groups)]
    seen, before = [], seen
    plain.fit(*repeated)
    assert seen == before and made.report_ == plain.report_ and made.report_["applied"]
    X, _, groups = corpus(12, 6)
    some = [X[number] for number in every], [groups[number] for number in every]
    labels = made.predict(X, groups, counts=np.array(counts))
    assert labels == [plain.predict(*some)[number] for number in first]
    assert labels != plain.predict(X, groups)
    found = made.predict_proba(X, groups, counts=counts)
    expected = plain.predict_proba(*some)
    for table, number in zip(found, first):
        assert table == pytest.approx(expected[number])
    for wrong, match in (
        ([2], "counts has 1 entries, X has"),
        ([1, 0, *counts[2:]], r"counts\[1\] is 0, below 1"),
    ):
        for call in (made.predict, made.predict_proba, lambda X, g, **n: made.fit(X, y, g, **n)):
            with pytest.raises(ValueError, match=match):
                call(X, groups, counts=wrong)
