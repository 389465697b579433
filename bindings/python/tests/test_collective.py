from __future__ import annotations

import dataclasses
import signal
from ctypes import byref

import numpy as np
import pytest

import libchorale as ch
from libchorale import _declarations as c
from libchorale._native import call, library, struct
from libchorale.learn import learn

SCORES = [
    np.array([[2.0, 0.1, 0.2], [0.1, 2.2, 0.4]]),
    np.array([[1.8, 0.3, 0.1], [0.2, 1.9, 0.5]]),
    np.array([[0.9, 0.2, 0.7], [0.1, 1.0, 1.3]]),
]
WORDS = [["in", "Washington"], ["near", "Washington"], ["says", "Washington"]]
EDGES = np.array([[0.0, 0.2, 0.2], [0.0, 0.5, -1.0], [0.0, -1.0, 0.5]])


def test_words():
    names = ["Other", "Place", "Person"]
    result = ch.decode(
        SCORES, EDGES, tokens=WORDS, strength=1.2, names=names, bound_steps=50, threads=2
    )
    assert [labels.tolist() for labels in result.labels] == [[0, 1]] * 3
    assert [labels.tolist() for labels in result.alone] == [[0, 1], [0, 1], [2, 2]]
    assert result.proven and result.score == pytest.approx(14.0)
    assert result.own_score == pytest.approx(12.8)
    (change,) = result.changed
    assert change.chain == 2 and change.before.tolist() == [2, 2]
    (reason,) = change.reasons
    assert (reason.what, reason.position, reason.own_value, reason.value) == ("words", 1, 2, 1)
    assert reason.amount == pytest.approx(1.6)
    assert str(result).splitlines()[1:] == [
        "chain 2",
        "  says: Other, not Person (because of the labels beside it)",
        "  Washington: Place, not Person (2 of 2 others were, 2 of 2 are now; word gains 1.6)",
    ]
    assert result.gap == result.upper_bound - result.score
    # Without transitions no label depends on those beside it.
    apart = dataclasses.replace(result, coupled=False)
    assert str(apart).splitlines()[2] == "  says: Other, not Person (no gain by itself)"
    # Integer tokens are used as they are.
    ids = [[0, 9], [1, 9], [2, 9]]
    again = ch.decode(SCORES, EDGES, tokens=ids, strength=1.2)
    assert again.score == result.score
    for options in ({"stop": ["Washington"]}, {"minimum": 4}, {"groups": ["a", "b", "c"]}):
        alone = ch.decode(SCORES, EDGES, tokens=WORDS, strength=1.2, **options)
        assert alone.changed == [] and alone.labels[2].tolist() == [2, 2]
    assert ch.decode(SCORES, EDGES, tokens=ids, strength=1.2, stop=[9]).changed == []


def test_names_of_labels_are_their_numbers():
    names = ["Other", "Place", "Person"]
    by_name = {"uncounted": ("Other",), "forced": [[-1, -1], ["Place", -1], np.array(["Other", "Person"])]}
    by_number = {"uncounted": [0], "forced": [[-1, -1], [1, -1], [0, 2]]}
    one, other = (ch.decode(SCORES, EDGES, tokens=WORDS, names=names, **given) for given in (by_name, by_number))
    assert [labels.tolist() for labels in one.labels] == [labels.tolist() for labels in other.labels]
    assert one.labels[1][0] == 1 and one.labels[2].tolist() == [0, 2] and one.score == other.score
    problem = ch.build_problem(SCORES, EDGES, tokens=WORDS, names=names, strength=1.0, **by_name)
    assert problem.model.cliques == 1


def test_properties():
    """In group x, two chains surely have label 2 after label 1, and the third prefers label 0 by a
    small margin. Group y has a single chain, which need not agree with any."""
    after = ch.Property.next_label(3, 1)
    strong = np.array([[0.0, 3.0, 0.0], [0.0, 0.0, 3.0]])
    weak = np.array([[0.0, 3.0, 0.0], [1.1, 0.0, 1.0]])
    unaries, groups = [strong, strong, weak, weak], ["x", "x", "x", "y"]
    result = ch.decode(unaries, groups=groups, agree=after, strength=0.5)
    assert [labels.tolist() for labels in result.labels] == [[1, 2], [1, 2], [1, 2], [1, 0]]
    (reason,) = result.changed[0].reasons
    assert (reason.what, reason.group, reason.position) == (0, "x", -1)
    assert str(result).splitlines()[2:] == [
        "  value 2, not 0 (2 of 2 others were, 2 of 2 are now; agreement 0 gains 0.667)",
        "  position 1: 2, not 0 (because of the value of the chain)",
    ]
    both = ch.decode(
        unaries,
        groups=groups,
        agree=[("words", 0.01), (after, 0.5)],
        tokens=[["a", str(i)] for i in range(4)],
    )
    assert [labels.tolist() for labels in both.labels] == [
        labels.tolist() for labels in result.labels
    ]
    assert both.changed[0].reasons[0].what == 1


def test_many_values():
    """The property, the token before label 1, has 10 000 values, of which only a few fire."""
    before = ch.Property.token_before(2, 1, values=10_000)
    sure = np.array([[3.0, 0.0], [0.0, 3.0], [3.0, 0.0]])
    unsure = np.array([[3.0, 0.0], [1.0, 0.9], [0.9, 1.0]])
    result = ch.decode(
        [sure, sure, unsure],
        tokens=[[7000, 5, 1], [7000, 6, 2], [7000, 8, 3]],
        agree=before,
        strength=1.0,
    )
    assert result.alone[2].tolist() == [0, 0, 1]
    assert result.labels[2].tolist() in ([0, 1, 0], [0, 1, 1])
    assert result.labels[2][1] == 1


def test_bad_input():
    for options, error, match in (
        ({"agree": "words"}, TypeError, "tokens"),
        ({"tokens": WORDS[:2]}, ValueError, "tokens"),
        ({"tokens": ["in", "near", "says"]}, TypeError, "sequence of words"),
        ({"tokens": [["in"]] * 3}, ValueError, "positions"),
        ({"tokens": WORDS, "groups": [0]}, ValueError, "groups"),
        ({"tokens": WORDS, "agree": "word"}, TypeError, "agree"),
        ({"tokens": WORDS, "agree": [5]}, TypeError, "agree"),
        ({"tokens": WORDS, "strength": np.nan}, ValueError, None),
        ({"tokens": WORDS, "rounds": -1}, ValueError, None),
        ({"tokens": WORDS, "transitions": EDGES[:2]}, ValueError, "square"),
        ({"uncounted": ["O"]}, ValueError, r"uncounted\[0\] is 'O'; .* the labels: none; pass names"),
        ({"forced": [[-1, "B"]] * 3, "names": "OAC"}, ValueError, r"forced\[0\]\[1\] is 'B'; .*: O, A, C"),
        ({"forced": [[-1, None]] * 3, "names": "OAC"}, TypeError, r"forced\[0\] .* not integers.*; -1"),
        ({"uncounted": "O", "names": "OAC"}, ValueError, r"uncounted is 'O'; .* a list: \['O'\]"),
        ({"strength": "strong"}, ValueError, "strength is 'strong', neither a number nor 'auto'"),
    ):
        with pytest.raises(error, match=match):
            ch.decode(SCORES, **options)
    with pytest.raises(ValueError, match="labels"):
        ch.decode([[[0.0, 0.0]], [[0.0]]], tokens=[[1], [1]])
    nothing = ch.decode([], tokens=[])
    assert nothing.labels == [] and nothing.score == 0.0


def drawn(rng):
    """Returns random chains, their words, keys and groups, and two cliques of positions. Scores are
    multiples of 1/16, so that sums are exact."""
    lengths = rng.integers(0, 4, size=int(rng.integers(2, 9)))
    unaries = [rng.integers(0, 32, size=(length, 3)) / 16.0 for length in lengths]
    words = [[f"w{n}" for n in rng.integers(0, 4, size=length)] for length in lengths]
    keys = [rng.integers(-1, 3, size=length) for length in lengths]
    groups = [f"g{n}" for n in rng.integers(0, 2, size=len(lengths))]
    places = rng.permutation(int(lengths.sum()))
    return unaries, words, keys, groups, np.array_split(places, 2)


def wanted(rng, keys, cliques):
    kinds = ["words", "keys", "cliques", ch.Property.first_label(3)]
    return [
        ch.Agreement(
            kinds[rng.integers(4)],
            strength=float(rng.integers(-1, 5) / 2),
            potential=ch.Potential.entropy(3, 0.75) if rng.random() < 0.2 else None,
            across=bool(rng.random() < 0.4),
            minimum=int(rng.integers(1, 4)),
            keys=keys,
            stop=["w1", 1] if rng.random() < 0.3 else [],
            cliques=cliques,
        )
        for _ in range(rng.integers(0, 4))
    ]


def without_labels(labels, stop):
    return [entry for entry in stop if isinstance(entry, labels)]


def test_a_problem_is_solved_as_by_decode(rng):
    for _ in range(40):
        unaries, words, keys, groups, cliques = drawn(rng)
        agree = [
            ch.Agreement(
                a.what, a.strength, a.potential, a.across, a.minimum, a.keys,
                without_labels(str if a.what == "words" else int, a.stop), a.cliques,
            )
            for a in wanted(rng, keys, cliques)
        ]  # fmt: skip
        given = {"tokens": words, "groups": groups, "agree": agree}
        one = ch.decode(unaries, EDGES, bound_steps=3, threads=2, **given)
        with ch.Run(ch.build_problem(unaries, EDGES, **given), bound_steps=3) as run:
            result = run.solve()
            now = run.labels().tolist()
        assert one.score == result.score and one.own_score == result.own_score
        assert one.upper_bound == result.upper_bound
        assert np.concatenate(one.labels).tolist() == now


def test_what_chains_have_of_their_own(rng):
    """Edge scores, known labels and masks of `decode` are those of `Chain`, in a model that is built
    step by step."""
    m, changed = 3, 0
    for _ in range(40):
        lengths = rng.integers(1, 4, size=5)
        unaries = [rng.normal(size=(n, m)) for n in lengths]
        edges = [rng.normal(size=(n - 1, m, m)) for n in lengths]
        forced = [np.where(rng.random(n) < 0.2, rng.integers(0, m, n), -1) for n in lengths]
        allowed = [rng.random((n, m)) < 0.8 for n in lengths]
        for known, may in zip(forced, allowed):
            may[:, 0] = True
            may[np.arange(len(known)), known] = True
        words = [rng.integers(0, 4, n) for n in lengths]
        ends = ch.Transitions(labels=m, start=rng.normal(size=m), end=rng.normal(size=m))
        builder = ch.ModelBuilder()
        parts = zip(unaries, edges, forced, allowed, words)
        for unary, own, known, may, tokens in parts:
            chain = ch.Chain(unary, ends, edges=own, forced=known, allowed=may)
            builder.add_chain(chain, tokens=tokens)
        builder.add_repeated_words(ch.Potential.potts(m, 1.0, scale="members"))
        given = {"edges": edges, "forced": forced, "allowed": allowed, "tokens": words}
        found = ch.decode(unaries, ends, **given, strength=1.0)
        with ch.Run(builder.freeze()) as run:
            assert run.solve().score == pytest.approx(found.score)
            assert run.labels().tolist() == np.concatenate(found.labels).tolist()
        problem = ch.build_problem(unaries, ends, **given, strength=1.0)
        assert ch.Run(problem).solve().score == found.score
        changed += len(found.changed)
    assert changed > 20
    for name, wrong in (
        ("edges", [np.zeros((2, m, m))]),
        ("forced", [[0, 0]]),
        ("allowed", [np.ones((2, m), dtype=bool)]),
    ):
        with pytest.raises(ValueError, match=rf"{name}\[0\] has shape"):
            ch.decode([np.zeros((1, m))], **{name: wrong})
        with pytest.raises(ValueError, match=f"{name} has 1 entries for 2 chains"):
            ch.decode([np.zeros((1, m))] * 2, **{name: wrong})
    with pytest.raises(ch.Error, match=r"forced\[1\]\[1\]"):
        ch.decode([np.zeros((2, m))] * 2, forced=[[0, -1], [0, m]])
    with pytest.raises(ch.Error, match=r"edges\[1\]\[0\]"):
        ch.decode([np.zeros((2, m))] * 2, edges=[np.zeros((1, m, m)), np.full((1, m, m), np.nan)])


def test_no_chains():
    for asked in ({}, {"tokens": []}, {"agree": ch.Property.first_label(3)}, {"forced": []}):
        assert ch.decode([], **asked).labels == []
        assert len(ch.build_problem([], **asked).model) == 0


def test_agreements():
    """Each kind of agreement changes the third of three chains of one position, which alone has
    another best label than the others."""
    scores = [[[2.0, 0.1]], [[1.9, 0.3]], [[0.9, 1.2]]]
    for agree, what in (
        (ch.Agreement(), "words"),
        (ch.Agreement("keys", keys=[["a"], ["a"], ["a"]]), 0),
        (ch.Agreement("keys", keys=[[5], [5], [5]]), 0),
        (ch.Agreement("cliques", cliques=[[2, 0, 1]]), 0),
        (ch.Agreement("cliques", cliques=[np.arange(3)], potential=ch.Potential.potts(2, 0.5)), 0),
        (ch.Agreement(ch.Property.first_label(2)), 0),
        (ch.Agreement("keys", keys=np.zeros((3, 1), dtype=np.int64), across=True), 0),
    ):
        result = ch.decode(scores, tokens=[["x"]] * 3, agree=agree, names=["A", "B"])
        assert np.concatenate(result.labels).tolist() == [0, 0, 0]
        (reason,) = result.changed[0].reasons
        assert (reason.what, reason.own_value, reason.value) == (what, 1, 0)
        assert (reason.others, reason.agreeing, reason.group) == (2, 2, 0)
        assert ", not " in str(result)
    for nothing in (
        ch.Agreement(minimum=4),
        ch.Agreement(stop=["x"]),
        ch.Agreement("keys", keys=[[1], [2], [-1]]),
        ch.Agreement("keys", keys=[["a"], ["a"], ["a"]], stop=["a", "b"]),
        ch.Agreement("keys", keys=[[7], [7], [7]], stop=[7]),
        ch.Agreement("cliques"),
        [],
    ):
        assert ch.decode(scores, tokens=[["x"]] * 3, agree=nothing).changed == []
    apart = ch.decode(scores, tokens=[["x"]] * 3, groups=["a", "b", "c"])
    assert apart.changed == []
    across = ch.decode(
        scores, tokens=[["x"]] * 3, groups=["a", "b", "c"], agree=ch.Agreement(across=True)
    )
    assert across.changed[0].reasons[0].group == "c"
    block = ch.decode(np.array(scores), tokens=np.zeros((3, 1), dtype=np.int32))
    assert np.concatenate(block.labels).tolist() == [0, 0, 0]


def test_strengths_are_found(rng):
    """The strength "auto" is that of `learn` without gold labels. The label named "O" takes no
    part."""
    own = np.repeat(np.arange(40) % 3, 6)
    scores = 2 * rng.random((240, 1, 3)) + np.eye(3)[own][:, None]
    words, names = [[f"w{k // 6}"] for k in range(240)], ["A", "B", "O"]
    given = {"tokens": words, "agree": [ch.Agreement(), ("words", 0.0)]}
    for left_out, asked in (((), {"uncounted": ()}), ((2,), {"names": names}), ((2,), {"uncounted": [2]})):
        found = ch.decode(scores, **given, **asked)
        problem = ch.build_problem(scores, gold=None, tokens=words)
        classes = [-1 if label in left_out else label for label in range(3)]
        learnt = learn(problem, classes=classes, without_gold=True)
        strength = learnt.report["kinds"][0]["strength"]
        assert found.strengths == [strength, 0.0] and strength > 0 and found.changed
        counted = [label not in left_out for label in range(3)]
        potts = ch.Potential.potts(3, strength, scale="members", counted=counted)
        same = ch.decode(scores, tokens=words, agree=ch.Agreement(potential=potts))
        solved = ch.Run(ch.build_problem(scores, **given, **asked))
        solved.solve()
        labels = np.concatenate(found.labels)
        for other in (np.concatenate(same.labels), solved.labels()):
            assert labels.tolist() == other.tolist()
        assert same.strengths == [0.0]
    with pytest.raises(ValueError, match="strength is 'most'"):
        ch.decode(scores, tokens=words, strength="most")
    for strength in (np.inf, np.nan, -1e10):  # where nothing agrees too
        for some in ({"tokens": words}, {}):
            with pytest.raises(ValueError, match=r"strength is .*; it must be from -1e9 to 1e9"):
                ch.decode(scores, strength=strength, **some)
    with pytest.raises(ValueError, match=r"uncounted\[0\] is 3"):
        ch.decode(scores, tokens=words, uncounted=[3])


def test_many_reasons():
    """There are more reasons (1500) than the first buffer holds (1024)."""
    block = np.tile([[[3.0, 0.0]], [[2.9, 0.0]], [[0.0, 0.1]]], (1500, 1, 1))
    result = ch.decode(block, tokens=np.repeat(np.arange(1500), 3)[:, None], strength=1.0)
    assert len(result.changed) == 1500
    assert all(len(change.reasons) == 1 for change in result.changed)


def test_bad_agreements():
    one = [[[0.0, 0.0]], [[0.0, 0.0]]]
    callback = ch.Potential.callback(2, lambda counts, members: 1 / 0)
    for agree, error, match in (
        (ch.Agreement(strength=np.nan), ValueError, r"agree\.strength"),
        ([ch.Agreement(), ch.Agreement(minimum=0)], ValueError, r"agree\[1\]\.minimum"),
        (ch.Agreement("keys"), TypeError, r"agree\.keys"),
        (ch.Agreement("keys", keys=[[1]]), ValueError, r"agree\.keys"),
        (ch.Agreement("keys", keys=[[1], [-3]]), ValueError, r"agree\.keys\[1\]\[0\]"),
        (ch.Agreement("cliques", cliques=[[0, 2]]), IndexError, r"agree\.cliques"),
        (ch.Agreement("cliques", cliques=[[0, 1, 0]]), ValueError, "agree"),
        (ch.Agreement(ch.Property.first_label(3)), ValueError, r"agree\.property"),
        ([ch.Agreement(potential=ch.Potential.potts(5, 1.0))], ValueError, r"agree\[0\]\.pot"),
        (ch.Agreement(potential=callback), ZeroDivisionError, None),
        (ch.Agreement(ch.Property.token_before(2, 1, values=9)), ValueError, None),
    ):
        tokens = None if isinstance(getattr(agree, "what", None), ch.Property) else [[1], [1]]
        with pytest.raises(error, match=match):
            ch.decode(one, tokens=tokens, agree=agree)
    with pytest.raises(ValueError, match=r"unaries\[1\]\[0\]"):
        ch.decode([[[0.0, 0.0]], [[np.nan, 0.0]]], tokens=[[1], [1]])


def test_limits():
    """A progress function, a cancel flag and Ctrl-C end `decode`, as they end a run."""
    scores, tokens = [[[2.0, 0.1]], [[0.0, 0.2]]], [[1], [1]]
    seen = []
    ended = ch.decode(scores, tokens=tokens, progress=lambda at: seen.append(at.round) or True)
    assert ended.outcome == ch.Outcome.CANCELLED and seen == [0]
    cancel = ch.Cancel()
    cancel.set()
    cancelled = ch.decode(scores, tokens=tokens, cancel=cancel)
    assert cancelled.outcome == ch.Outcome.CANCELLED  # with the labels of each chain by itself
    assert [of.tolist() for of in cancelled.labels] == [of.tolist() for of in cancelled.alone]

    def failing(at):
        raise LookupError("told")

    def interrupting(at):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(LookupError, match="told"):
        ch.decode(scores, tokens=tokens, progress=failing)
    with pytest.raises(KeyboardInterrupt):
        ch.decode(scores, tokens=tokens, progress=interrupting)


def test_what_is_behind_a_result():
    """C functions give the run and the model of a result, and the agreement of each clique."""
    scores = np.array([[2.0, 0.1], [0.0, 0.2]])
    ids, corpus = np.zeros(2, dtype=np.int32), struct(c.chorale_corpus)
    corpus.chains, corpus.labels, corpus.unary = 2, 2, scores.ctypes.data
    corpus.tokens = ids.ctypes.data
    words = struct(c.chorale_agreement)
    decoded = c.c_void_p()
    call(library.chorale_decode, None, byref(corpus), byref(words), 1, None, byref(decoded))
    try:
        result = struct(c.chorale_run_result)
        run = library.chorale_decoded_run(decoded)
        call(library.chorale_run_get_result, run, byref(result))
        own = ch.decode([row[None] for row in scores], tokens=[[0], [0]])
        assert result.score == own.score
        model = library.chorale_decoded_model(decoded)
        assert library.chorale_model_clique_count(model) == 1
    finally:
        library.chorale_decoded_destroy(decoded)


@pytest.mark.parametrize("seed", range(10))
def test_a_counted_chain_is_as_many_chains(seed):
    """Its labels have the score that the equal chains have."""
    rng = np.random.default_rng(seed)
    scores = [rng.normal(size=(2, 2)) for _ in range(5)]
    edges = [rng.normal(size=(1, 2, 2)) for _ in scores]
    counts = rng.integers(1, 4, 5)
    given = {"agree": ["words", ch.Property.first_label(2)], "strength": 0.75}
    given["transitions"] = ch.Transitions(np.zeros((2, 2)), start=rng.normal(size=2))
    tokens = [["a", "b"]] * 5
    found = ch.decode(scores, tokens=tokens, edges=edges, counts=counts, **given)
    places = np.repeat(np.arange(5), counts).tolist()
    every = ch.build_problem(
        [scores[k] for k in places],
        tokens=[tokens[k] for k in places],
        edges=[edges[k] for k in places],
        **given,
    )
    labels = np.concatenate([found.labels[k] for k in places])
    assert every.model.score(labels).score == pytest.approx(found.score)


def test_bad_counts():
    for counts, match in (([1], "counts has shape"), ([1, 0], r"counts\[1\] is 0; it must be from 1")):
        with pytest.raises(ValueError, match=match):
            ch.decode([[[0.0, 1.0]]] * 2, tokens=[["a"]] * 2, counts=counts)
