from __future__ import annotations

import json
import pickle
import signal

import numpy as np
import pytest

import libchorale as ch
from libchorale.learn import Learnt, WeightRule, learn


def planted(documents: int = 20, seed: int = 1) -> ch.Problem:
    """Returns a problem with gold labels. Each document has five words, each of which occurs three
    times with the same gold label. The tagger prefers this label three times of four."""
    random = np.random.default_rng(seed)
    builder = ch.ModelBuilder()
    gold, cliques = [], []
    for document in range(documents):
        for _ in range(5):
            kind = int(random.integers(2))
            members = []
            for _ in range(3):
                scores = [0.0, 0.0]
                scores[kind if random.random() < 0.75 else 1 - kind] = 1.1
                members.append(builder.add_chain([scores], group=document))
                gold.append(kind)
            cliques.append(members)
    potential = ch.Potential.potts(2, 1.0, scale="members")
    for members in cliques:
        clique = builder.add_clique(values=2, potential=potential)
        for chain in members:
            builder.add_position(clique, chain, 0)
    problem = ch.Problem(builder.freeze())
    problem.gold = np.array(gold, dtype=np.int32)
    problem.clique_kinds = ["word"] * len(cliques)
    return problem


def test_learnt():
    problem = planted()
    learnt = learn(problem, threads=2)
    assert learnt.report["applied"] == 2 and learnt.report["gain_p"] < 0.01
    assert learnt.report["kinds"][0]["name"] == "word" and "agreement" in str(learnt)
    told = json.loads(learnt.to_json())
    assert [w["weight"] for w in learnt.report["weights"]] == [w["weight"] for w in told["weights"]]
    assert [w["basis"] for w in learnt.report["weights"]] == ["agreement", "value", "value"]
    assert learnt.report["kinds"][0]["p"] == told["kinds"][0]["p"] and told["gain"] > 0
    assert learnt.report["gain"] == told["gain"] and "struct_size" not in learnt.report
    again = pickle.loads(pickle.dumps(learnt))
    assert again.to_json() == learnt.to_json()
    other = planted(seed=2)
    run = ch.Run(again.apply(other))
    run.solve()
    wrong = (run.all_labels() != other.gold).sum()
    assert wrong < (run.all_labels(own=True) != other.gold).sum()
    potential = learnt.potential(0, 2)
    assert pickle.loads(pickle.dumps(potential)).values == potential.values == 2


def test_rules_and_costs():
    problem = planted()
    rules = [
        WeightRule("value", 0.0, 0.0),
        WeightRule("agreement", least=1.5, most=1.5, kind=0),
        WeightRule("log-agreement", most=0.125),
    ]
    weights = {}
    for weight in learn(problem, rules=rules).report["weights"]:
        weights.setdefault(weight["basis"], set()).add(weight["weight"])
    assert weights["value"] == {0.0} and weights["agreement"] == {1.5}
    assert 0 <= min(weights["log-agreement"]) <= 0.125
    # Only mistakes at positions with gold label 0 cost anything.
    costs = np.array([[0, 2], [0, 0]])
    assert learn(problem, costs=costs).report["base_cost"] < learn(problem).report["base_cost"] * 2
    share = WeightRule("share", 0.0, 1.0, index=2)
    found = learn(problem, rules=[share]).report["weights"]
    assert [w["index"] for w in found if w["basis"] == "share"] == [2]


def test_the_call_ends_early():
    problem, seen, cancel = planted(6), [], ch.Cancel()
    done = learn(problem, progress=lambda at: seen.append(at) and None)
    assert [at.runs for at in seen] == list(range(1, len(seen) + 1))
    assert done.report["runs"] == len(seen) <= seen[0].runs_most
    assert learn(problem, progress=lambda at: at.runs == 2).report["outcome"] == ch.Outcome.CANCELLED
    cancel.set()
    assert learn(problem, cancel=cancel).report["outcome"] == ch.Outcome.CANCELLED
    assert learn(problem, time_limit=0).report["applied"] == 0

    def failing(at):
        raise LookupError("told")

    def interrupting(at):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(LookupError, match="told"):
        learn(problem, progress=failing)
    with pytest.raises(KeyboardInterrupt):
        learn(problem, progress=interrupting)


def test_mistakes():
    problem = planted(4)
    wrong_rules = (
        [WeightRule("agrement")],
        [WeightRule("value", 1.0, 0.0)],
        [WeightRule("value", np.nan)],
        [WeightRule("value", kind=1)],
        [WeightRule("out")],
    )
    for rules in wrong_rules:
        with pytest.raises(ValueError):
            learn(problem, rules=rules)
    with pytest.raises(TypeError, match="WeightRule"):
        learn(problem, rules=[("value", 0.0)])
    for costs in ([[0.0, 1.0]], [[0.0, -1.0], [1.0, 0.0]], [[1.0]]):
        with pytest.raises(ValueError):
            learn(problem, costs=costs)
    for classes in ([-1, -1], [0, -2], [0, 1, 2]):
        with pytest.raises(ValueError):
            learn(problem, classes=classes)
    with pytest.raises(ValueError, match="classes"):
        learn(problem, classes=[0, -1], costs=[[0.0, 1.0], [1.0, 0.0]])
    for options in ({"level": 2.0}, {"folds": 1}, {"seen": [0.0]}, {"seen": [1.0, 1.0]}):
        with pytest.raises(ValueError):
            learn(problem, **options)
    with pytest.raises(ch.Error):
        Learnt.from_json("{}")
    problem.gold = None
    with pytest.raises(ch.Error):
        learn(problem)


def test_a_labelled_problem_is_that_of_decode():
    scores = [[[2.1, 0.3]], [[1.9, 0.2]], [[0.7, 0.9]], [[0.1, 0.2]]]
    tokens, groups = [["Rome"], ["Rome"], ["Rome"], ["Rome"]], [1, 1, 2, 2]
    given = dict(tokens=tokens, groups=groups, agree=["word", ch.Agreement("words", across=True)])
    problem = ch.labelled_problem(scores, gold=[0, 0, 1, -1], **given)
    assert problem.gold.tolist() == [0, 0, 1, -1]
    assert problem.model.cliques == 3
    run = ch.Run(problem)
    run.solve()
    labels = ch.decode(scores, **given).labels
    assert run.all_labels().tolist() == np.concatenate(labels).tolist()
    assert ch.labelled_problem(scores, gold=None, **given).gold is None
    # The cliques of entry k of `agree` are of kind k, even if an entry makes no cliques, if several
    # entries are of words, or if the package builds the model.
    given["agree"] = [ch.Agreement("words", minimum=4), ("word", 0.5), "word"]
    for unaries in (scores, [ch.Chain(unary) for unary in scores]):
        problem = ch.labelled_problem(unaries, gold=None, **given)
        assert [problem.clique_kind(c) for c in range(problem.model.cliques)] == [1, 1, 2, 2]
    with pytest.raises(ValueError):
        ch.labelled_problem(scores, gold=[0, 0], **given)
