from __future__ import annotations

import json
import pickle
import signal

import numpy as np
import pytest

import libchorale as ch
from libchorale.learn import Learnt, learn


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
        clique = builder.add_cliques(1, values=2, potential=potential).start
        for chain in members:
            builder.add_members(clique, chain, 0)
    problem = ch.Problem(builder.freeze())
    problem.gold = np.array(gold, dtype=np.int32)
    problem.clique_kinds = ["word"] * len(cliques)
    return problem


def test_learnt():
    problem = planted()
    learnt = learn(problem, threads=2)
    report = learnt.report
    assert report["applied"] is True and report["verdict"] == "gain" and report["warnings"] == []
    assert report["agreement_p"] <= 0.05 and "struct_size" not in report
    assert report["agreeing_accuracy"] > report["tagger_accuracy"]
    assert report["changed_right_after"] > report["changed_right_before"]
    [kind] = report["kinds"]
    assert kind["name"] == "word" and kind["strength"] > 0 and kind["cliques"] == 100
    told = json.loads(learnt.to_json())
    assert [told["kinds"][0][name] for name in ("strength", "bonus")] == [kind["strength"], kind["bonus"]]
    assert report["tagger_cost"] == told["tagger_cost"] and "word" in str(learnt)
    again = pickle.loads(pickle.dumps(learnt))
    assert again.to_json() == learnt.to_json()
    other = planted(seed=2)
    run = ch.Run(again.apply(other))
    run.solve()
    wrong = (run.labels() != other.gold).sum()
    assert wrong < (run.labels(alone=True) != other.gold).sum()
    potential = learnt.potential(0, 2)
    assert pickle.loads(pickle.dumps(potential)).values == potential.values == 2


def test_what_is_maximised():
    problem = planted()
    # Only mistakes at positions with gold label 0 cost anything.
    costs = np.array([[0, 2], [0, 0]])
    plain = learn(problem).report
    assert learn(problem, costs=costs).report["tagger_cost"] < plain["tagger_cost"] * 2
    counted = learn(problem, classes=[-1, 0]).report
    with ch.Run(learn(problem, classes=[-1, 0]).apply(problem)) as run:
        run.solve()
        own = run.labels(alone=True)
    both = (own == 1).sum() + (problem.gold == 1).sum()
    assert counted["tagger_f1"] == pytest.approx(2 * ((own == 1) & (problem.gold == 1)).sum() / both)
    # Every chain has one position, so a span is a position.
    spans = learn(problem, classes=[-1, 0], begins=[False, True]).report
    assert spans["tagger_f1"] == counted["tagger_f1"] and plain["tagger_f1"] == 0


def test_without_gold():
    random, gold = np.random.default_rng(3), np.repeat(np.arange(100) % 2, 4)
    scores = random.normal(0, 1, (400, 1, 2)) + 1.1 * np.eye(2)[gold][:, None]
    words = [[number // 4] for number in range(400)]
    problem = ch.build_problem(scores, gold=None, tokens=words)
    learnt = learn(problem, without_gold=True)
    assert learnt.report["verdict"] == "without gold" and learnt.report["expected_errors"] > 0
    assert 0 < learnt.report["kinds"][0]["strength"] <= 2
    with ch.Run(learnt.apply(problem)) as run:
        run.solve()
        assert (run.labels() != gold).sum() < (run.labels(alone=True) != gold).sum()


def test_a_strength_of_0_keeps_the_cliques():
    """Even the smallest strength would change more labels than the tagger expects to be wrong."""
    scores = np.log([[[0.501, 0.499]], [[0.499, 0.501]]] * 4)
    tokens = [[word] for word in "aabbccdd"]
    assert ch.decode(scores, tokens=tokens).strengths == [0.0]
    for strength in ("auto", 0.0):
        problem = ch.build_problem(scores, tokens=tokens, strength=strength)
        assert [problem.clique_kind(c) for c in range(problem.model.cliques)] == [0] * 4
        with ch.Run(problem) as run:
            assert run.solve().clique_score == 0
        learnt = learn(problem, without_gold=True)
        assert learnt.report["kinds"][0]["strength"] == 0
        assert str(learnt).splitlines() == [
            "No strength fits: nothing agrees.",
            "0 labels changed; the tagger expects 4 errors of its own.",
            "word: 4 cliques, 8 members",
        ]
    # A strength that is found is told, as before.
    surer = np.log([[[0.9, 0.1]]] * 3 + [[[0.4, 0.6]]])
    learnt = learn(ch.build_problem(surer, tokens=[["a"]] * 4), without_gold=True)
    first, *lines = str(learnt).splitlines()
    assert first.startswith("Agreement is applied.")
    assert f"word: strength {learnt.report['kinds'][0]['strength']:g}, 1 cliques, 4 members" in lines


def test_probabilities_of_changed_positions_have_their_own_temperature():
    learnt, other = learn(planted()), planted(seed=2)
    report = learnt.report
    with ch.Run(learnt.apply(other)) as run:
        run.solve()
        for chain in range(len(other.model.chain_lengths)):
            name = "changed_temperature" if chain in run.changed_chains() else "temperature"
            # With one position, a power of probabilities is a temperature of the run.
            expected = run.probabilities(chain, report[name])[0]
            assert learnt.probabilities(run, chain) == pytest.approx(expected, abs=1e-12)
        assert len(run.changed_chains()) > 0


def test_the_call_ends_early():
    problem, seen, cancel = planted(6), [], ch.Cancel()
    done = learn(problem, progress=lambda at: seen.append(at) and None)
    assert [at.runs for at in seen] == list(range(1, len(seen) + 1))
    assert done.report["runs"] == len(seen) <= seen[0].runs_most
    assert learn(problem, progress=lambda at: at.runs == 2).report["outcome"] == ch.Outcome.CANCELLED
    cancel.set()
    assert learn(problem, cancel=cancel).report["outcome"] == ch.Outcome.CANCELLED
    assert learn(problem, time_limit=0).report["verdict"] == "interrupted"

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
    for costs in ([[0.0, 1.0]], [[0.0, -1.0], [1.0, 0.0]], [[1.0]]):
        with pytest.raises(ValueError):
            learn(problem, costs=costs)
    for classes in ([-1, -1], [0, -2], [0, 1, 2]):
        with pytest.raises(ValueError):
            learn(problem, classes=classes)
    with pytest.raises(ValueError, match="classes"):
        learn(problem, classes=[0, -1], costs=[[0.0, 1.0], [1.0, 0.0]])
    for begins in ([True, False], [True]):
        with pytest.raises(ValueError, match="classes|begins"):
            learn(problem, begins=begins)
    with pytest.raises(ValueError, match="begins has 1 entries for 2 labels"):
        learn(problem, classes=[0, -1], begins=[True])
    with pytest.raises(ch.Error):
        Learnt.from_json("{}")
    problem.gold = None
    with pytest.raises(ch.Error):
        learn(problem)


def test_a_problem_with_gold_labels_is_that_of_decode():
    scores = [[[2.1, 0.3]], [[1.9, 0.2]], [[0.7, 0.9]], [[0.1, 0.2]]]
    tokens, groups = [["Rome"], ["Rome"], ["Rome"], ["Rome"]], [1, 1, 2, 2]
    given = dict(tokens=tokens, groups=groups, agree=[("words", 1.0), ch.Agreement("words", 1.0, across=True)])
    problem = ch.build_problem(scores, gold=[0, 0, 1, -1], **given)
    assert problem.gold.tolist() == [0, 0, 1, -1]
    assert problem.model.cliques == 3
    run = ch.Run(problem)
    run.solve()
    labels = ch.decode(scores, **given).labels
    assert run.labels().tolist() == np.concatenate(labels).tolist()
    assert ch.build_problem(scores, gold=None, **given).gold is None
    # The cliques of entry k of `agree` are of kind k, even if an entry makes no cliques, or if several
    # entries are of words.
    given["agree"] = [ch.Agreement("words", minimum=4), ("words", 0.5), "words"]
    problem = ch.build_problem(scores, gold=None, **given)
    assert [problem.clique_kind(c) for c in range(problem.model.cliques)] == [1, 1, 2, 2]
    with pytest.raises(ValueError):
        ch.build_problem(scores, gold=[0, 0], **given)


def test_an_exception_of_a_potential_is_that_of_learning():
    def fails(counts, members):
        raise ZeroDivisionError("mine")

    scores = [[[1.0, 0.0]], [[1.0, 0.0]], [[0.0, 0.2]]]
    given = ch.Agreement("keys", keys=[[1], [1], [-1]], potential=ch.Potential.callback(2, fails))
    for find in (ch.decode, ch.build_problem):  # both find the strength of the words
        with pytest.raises(ZeroDivisionError, match="mine"):
            find(scores, tokens=[["a"], ["a"], ["a"]], agree=[ch.Agreement("words"), given])


def test_without_gold_labels_the_error_says_how_to_give_them():
    problem = ch.build_problem([[[1.0, 0.0]]] * 3, tokens=[["a"]] * 3)
    with pytest.raises(ch.ArgumentError, match=r"; set some with build_problem\(gold=\.\.\.\) or "):
        learn(problem)
