"""Sequences of which every labelling is forbidden are left out and named; the others are labelled.
Calls that a limit ends have labels."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import libchorale as ch
from libchorale import batches

BAD = [[2.0, 0.1], [-np.inf, -np.inf]]
SCORES = [[[2.0, 0.1], [0.3, 0.2]], BAD, [[0.9, 1.2], [0.1, 0.4]], [[1.9, 0.3], [0.5, 0.2]]]
TOKENS = [["Bath", "is"], ["Bath", "was"], ["Bath", "and"], ["Bath", "or"]]
WHY = "no label of position 1 is allowed"


def test_decode_labels_all_others():
    others = [0, 2, 3]
    found = ch.decode(SCORES, tokens=TOKENS, bound_steps=5)
    rest = ch.decode(
        [SCORES[i] for i in others], tokens=[TOKENS[i] for i in others], bound_steps=5
    )
    assert [str(of) for of in found.left_out] == [f"chain 1: {WHY}"]
    assert found.left_out == [ch.LeftOut(1, 1, "scores")] and rest.left_out == []
    assert found.labels[1].tolist() == found.alone[1].tolist() == [-1, -1]
    assert [found.labels[i].tolist() for i in others] == [of.tolist() for of in rest.labels]
    assert found.score == pytest.approx(rest.score)
    assert found.upper_bound == pytest.approx(rest.upper_bound)
    (change,) = found.changed
    (reason,) = change.reasons
    assert (change.chain, reason.others, reason.agreeing_before, reason.agreeing) == (2, 2, 2, 2)
    assert "chain 1" not in str(found)
    assert "\n1 chain left out, since every labelling is forbidden: .left_out\n" in str(found)
    assert "left out" not in str(rest)


def test_transitions_that_forbid():
    edges = np.zeros((3, 1, 2, 2))
    edges[1] = -np.inf
    some = (0, 2, 3)
    found = ch.decode([SCORES[i] for i in some], edges=edges, tokens=[TOKENS[i] for i in some])
    (entry,) = found.left_out
    assert (entry.chain, entry.obstacle) == (1, "transitions")
    assert str(entry) == f"chain 1: transitions allow no label of position {entry.position}"


def test_without_any_labelling_the_error_names_a_chain():
    with pytest.raises(ch.StateError, match=f"no chain has an allowed labelling; chain 0: {WHY}"):
        ch.decode([BAD, BAD], tokens=TOKENS[:2])


def test_a_run_names_them_until_they_have_labels_again():
    builder = ch.ModelBuilder()
    for i, scores in enumerate(SCORES):
        builder.add_chain(np.array(scores), tokens=[0, i + 1])
    builder.add_repeated_words(ch.Potential.potts(2, 0.5))
    run = ch.Run(builder.freeze(), edits=True)
    assert run.solve().left_out == 1 and run.labels(1).tolist() == [-1, -1]
    with pytest.raises(ch.StateError, match="chain 1 is left out"):
        run.probabilities(1)
    assert run.values(0).tolist()[1] == -1
    run.set_chain(1, np.array(SCORES[0]))
    assert run.solve().left_out == 0 and run.left_out() == [] and run.labels(1).min() >= 0
    run.set_chain(1, np.array(BAD))
    assert run.solve().left_out == 1 and run.left_out()[0].position == 1
    run.set_labels(run.labels())
    assert run.solve().left_out == 1


def test_a_clique_of_one_chain_is_named():
    builder = ch.ModelBuilder()
    for scores in SCORES[2:]:
        builder.add_chain(np.array(scores))
    hard = ch.Potential.sum([[0.0, -np.inf], [0.0, -np.inf]])
    for chain in (0, 1):
        clique = builder.add_cliques(1, values=2, potential=hard if chain else ch.Potential.potts(2, 1.0)).start
        builder.add_members(clique, chain, 0)
    run = ch.Run(builder.freeze())
    assert run.solve().left_out == 1
    assert run.left_out() == [ch.LeftOut(1, -1, "cliques", 1)]
    assert str(run.left_out()[0]) == "chain 1: clique 1 allows no labelling"
    assert run.labels(0).tolist() == [1, 1] and run.labels(1).tolist() == [-1, -1]


def test_a_chain_that_cannot_be_decided_keeps_its_own_labels():
    builder = ch.ModelBuilder()
    for scores in SCORES[2:]:
        builder.add_chain(np.array(scores))
    hard = ch.Potential.sum([[0.0, -np.inf, 0.0], [0.0, -np.inf, 0.0]])
    never = builder.add_cliques(1, values=2, potential=ch.Potential.sum([[-np.inf] * 3] * 2)).start
    both = builder.add_cliques(1, values=2, potential=hard).start
    for position in (0, 1):
        builder.add_members(never, 1, position)
        builder.add_members(both, 0, position)
    run = ch.Run(builder.freeze())
    assert run.solve().left_out == 1
    assert run.left_out() == [ch.LeftOut(1, -1, "undecided", never)]
    assert str(run.left_out()[0]) == f"chain 1: no labelling was found that clique {never} allows"
    assert run.labels(1).tolist() == run.labels(1, alone=True).tolist()
    assert run.labels(1).min() >= 0
    assert len(set(run.labels(0).tolist())) == 1


def test_labels_that_a_clique_of_several_chains_forbids_can_be_read():
    builder = ch.ModelBuilder()
    for scores in SCORES[2:]:
        builder.add_chain(np.array(scores))
    hard = ch.Potential.sum([[0.0, -np.inf, -np.inf], [0.0, -np.inf, -np.inf]])
    clique = builder.add_cliques(1, values=2, potential=hard).start
    for chain in (0, 1):
        builder.add_members(clique, chain, 0)
    run = ch.Run(builder.freeze())
    result = run.solve()
    assert result.outcome == ch.Outcome.NOTHING_FOUND and result.score == -np.inf
    assert run.labels(0).tolist() == [1, 1] and run.labels(1).tolist() == [0, 0]
    assert run.model.score(run.labels()).clique_scores[clique] == -np.inf


def test_batches_have_nulls_and_say_why():
    arrow = pytest.importorskip("pyarrow")
    rows = [{"page": 1, "score": of, "word": words} for of, words in zip(SCORES, TOKENS)]
    rows += [{"page": 2, "score": BAD, "word": TOKENS[0]}, {"page": 3, "score": SCORES[0], "word": TOKENS[0]}]
    batch = arrow.RecordBatch.from_pylist(rows)
    chains = batches.Chains("page", "score", tokens="word", names=["Place", "Other"])
    labelled = [row for out in batches.label([batch], chains, errors="column") for row in out.to_pylist()]
    assert [row["labels"] is None for row in labelled] == [False, True, False, False, True, False]
    assert [row["error"] for row in labelled if row["labels"] is not None] == [None] * 4
    assert labelled[1]["error"] == f"row 1 is left out: {WHY}" and labelled[1]["changed"] is None
    assert "page" not in labelled[4]["error"] and WHY in labelled[4]["error"]
    with pytest.warns(UserWarning, match=f"group 1: row 1 is left out: {WHY}"):
        (out,) = batches.label([batch.slice(0, 4)], chains)
    assert out.column("labels").null_count == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(batches.label([batch.slice(5)], chains))


def test_a_limit_of_zero_leaves_labels():
    scores = [of for of in SCORES if of is not BAD]
    found = ch.decode(scores, tokens=TOKENS[:3], time_limit=0)
    assert found.outcome == ch.Outcome.DEADLINE and np.isfinite(found.score)
    assert [of.tolist() for of in found.labels] == [np.argmax(of, axis=1).tolist() for of in scores]
    assert found.score == found.own_score
    rows = [{"k": 1, "l": label} for label in "AAAB"]
    assert [row["together"] for row in ch.agree(rows, key="k", label="l", time_limit=0)] == list("AAAB")
