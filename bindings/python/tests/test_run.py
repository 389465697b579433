from __future__ import annotations

import gc
import itertools
import json
import math
import signal
import threading

import numpy as np
import pytest
from oracle import chain_score, labellings

import libchorale as ch
from libchorale import experimental

MANY = 100  # the number of chains of models for several threads, so that each thread gets some


def small_model(rng, chains=4, labels=3):
    """Returns a model of chains of two or three positions, with cliques of repeated words and a
    property clique. Also returns what the model was made of, and the numbers of its cliques."""
    builder = ch.ModelBuilder()
    parts = []
    edges = rng.normal(size=(labels, labels))
    for _ in range(chains):
        length = int(rng.integers(2, 4))
        unary = rng.normal(size=(length, labels))
        tokens = rng.integers(0, 3, length)
        builder.add_chain(unary, edges, tokens=tokens)
        parts.append((unary, tokens))
    strength = float(rng.uniform(0.2, 1.0))
    agree = ch.Potential.potts(labels, strength)
    words = builder.add_repeated_words(agree)
    first = ch.Property.first_label(labels)
    clique = builder.add_cliques(1, property=first, potential=agree).start
    for chain in range(chains):
        builder.add_members(clique, chain)
    return builder.freeze(), parts, edges, strength, words, clique


def truth(parts, edges, strength, labels):
    """Returns a dict from every labelling of all chains to its score: chains plus cliques."""
    each = [
        [(y, chain_score(unary, y, edges)) for y in labellings(len(unary), labels)]
        for unary, _ in parts
    ]
    found = {}
    for joint in itertools.product(*each):
        total = sum(score for _, score in joint)
        words = {}
        for (y, _), (_, tokens) in zip(joint, parts):
            for label, token in zip(y, tokens):
                words.setdefault(int(token), []).append(label)
        for shown in [*(w for w in words.values() if len(w) > 1), [y[0] for y, _ in joint]]:
            total += strength * (np.bincount(shown) ** 2).sum()
        found[sum((y for y, _ in joint), ())] = total
    return found


def test_enumeration(rng):
    for _ in range(6):
        model, parts, edges, strength, words, clique = small_model(rng, chains=3, labels=2)
        scores = truth(parts, edges, strength, 2)
        best = max(scores.values())
        run = ch.Run(model, bound_steps=100)
        result = run.solve()
        assert scores[tuple(run.labels())] == pytest.approx(result.score)
        assert scores[tuple(run.labels(alone=True))] == pytest.approx(result.own_score)
        assert result.own_score - 1e-9 <= result.score <= best + 1e-9
        assert best <= result.upper_bound + 1e-9
        assert result.gap == pytest.approx(result.upper_bound - result.score)
        if result.proven:
            assert result.score == pytest.approx(best)


def test_parts_of_a_result_fit_together(rng):
    model, parts, edges, strength, words, clique = small_model(rng)
    run = ch.Run(model)
    result = run.solve()
    assert run.result == result
    chains, cliques = range(len(model)), range(model.cliques)
    assert result.changed_chains == len(run.changed_chains())
    whole = np.concatenate([run.labels(i) for i in chains])
    assert run.labels().tolist() == whole.tolist()
    for k in words:
        for (chain, position), value in zip(model.members(k), run.values(k)):
            assert run.labels(chain)[position] == value
    assert run.values(clique, alone=True).tolist() == [run.labels(i, alone=True)[0] for i in chains]
    for i in chains:
        marginals = run.max_marginals(i)
        assert marginals.shape == (model.chain_lengths[i], 3)
        ordered = np.sort(marginals)
        np.testing.assert_allclose(run.margins(i), ordered[:, -1] - ordered[:, -2])
        probabilities, exact = run.probabilities(i, temperature=1e-6)
        assert exact and probabilities.shape == marginals.shape
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        sure = run.margins(i) > 1e-3
        assert (probabilities.argmax(axis=1) == marginals.argmax(axis=1))[sure].all()
        for reason in run.reasons(i):
            assert reason.chain == i and reason.value != reason.own_value
            assert run.values(reason.clique)[reason.member] == reason.value
    assert model.bytes > 0 and model.clique_values(clique) == 3
    assert model.centre_values(clique) == 0


def test_many_reasons():
    """Lists of C are first read with room for 1024 entries. This chain has more reasons."""
    builder, length = ch.ModelBuilder(), 1100
    builder.add_chain(np.tile([0.0, 0.5], (length, 1)), tokens=np.arange(length))
    for _ in range(3):
        builder.add_chain(np.tile([1.0, 0.0], (length, 1)), tokens=np.arange(length))
    builder.add_repeated_words(ch.Potential.potts(2, 0.5))
    run = ch.Run(builder.freeze())
    run.solve()
    assert run.labels(0).tolist() == [0] * length and run.reasons(1) == []
    # The cliques are in the order of their tokens. By the change each gains 0.5 (4^2 - 3^2 - 1^2).
    expected = [ch.Reason(clique, 0, clique, 3, 3, 3, 1, 0, 3.0, 0) for clique in range(length)]
    assert run.reasons(0) == run.reasons() == expected


def test_outcomes_have_names():
    assert str(ch.Outcome.NOTHING_FOUND) == f"{ch.Outcome.NOTHING_FOUND}" == "nothing-found"
    names = {str(outcome) for outcome in ch.Outcome}
    assert len(names) == len(ch.Outcome) and "unknown outcome" not in names


def test_what_a_chain_was_added_as(rng):
    builder = ch.ModelBuilder()
    unary = np.asfortranarray(rng.normal(size=(5, 3)))
    transitions = ch.Transitions(rng.normal(size=(3, 3)), start=[1, 0, 0])
    tokens = np.array([4, 5, -1, 4, 0], dtype=np.int32)
    builder.add_corpus(
        unary, [0, 5], transitions=transitions, tokens=tokens, groups=[7], borrow=True
    )
    builder.add_chain(unary.astype(np.float32))
    model = builder.freeze()
    del builder
    chain = model.chain(0)
    np.testing.assert_array_equal(chain.unary, unary)
    assert np.shares_memory(chain.unary, unary) and not chain.unary.flags.writeable
    assert model.group(0) == 7 and model.tokens(0).tolist() == tokens.tolist()
    copied = model.chain(1)
    np.testing.assert_array_equal(copied.unary, unary.astype(np.float32))
    assert model.tokens(1) is None and model.group(1) == 0
    solver = ch.ChainSolver()
    expected = solver.best(unary, transitions)
    kept = model.tokens(0)
    model.close()
    del model
    assert solver.best(chain).score == expected.score
    assert copied.unary.sum() == pytest.approx(unary.sum(), abs=1e-4)
    assert kept.tolist() == tokens.tolist()


def test_same_bits_for_any_threads(rng):
    model = small_model(rng, chains=MANY)[0]
    alone = ch.Run(model)
    expected = alone.solve()
    for threads in (3, 2**40):
        run = ch.Run(model, threads=threads)
        result = run.solve()
        assert result == expected
        np.testing.assert_array_equal(run.labels(), alone.labels())
    stepped = ch.Run(model)
    while stepped.step().messages_changed or stepped.result.rounds == 0:
        if stepped.result.rounds == 10:
            break
    assert stepped.local_search().score == expected.score
    alone.reset()
    assert alone.solve() == expected


def test_the_counts_that_a_potential_fails_for_are_named():
    builder = ch.ModelBuilder()
    potentials = [ch.Potential.potts(2, 1.0), ch.Potential.callback(2, lambda *_: float("nan"))]
    cliques = [builder.add_cliques(1, potential=potential).start for potential in potentials]
    for _ in range(3):
        chain = builder.add_chain([[0.0, 1.0]])
        for clique in cliques:
            builder.add_members(clique, chain, 0)
    message = "gave NaN for the counts of clique 1: .*3 of value 1, among 3 members"
    with pytest.raises(ch.Error, match=message):
        ch.Run(builder.freeze(), rounds=0).solve()


def test_progress(rng):
    model = small_model(rng)[0]
    seen = []
    run = ch.Run(model, progress=seen.append, bound_steps=3)
    result = run.solve()
    assert [p.round for p in seen][:2] == [0, 1]
    assert max(p.best_score for p in seen) <= result.score + 1e-9
    stopped = ch.Run(model, progress=lambda p: p.round == 1).solve()
    assert stopped.outcome == ch.Outcome.CANCELLED and stopped.rounds == 1

    def fails(progress):
        raise LookupError("told")

    run = ch.Run(model, progress=fails)
    for _ in range(2):
        with pytest.raises(LookupError, match="told"):
            run.solve()


@pytest.fixture
def default_ctrl_c():
    """Installs Python's own handler for Ctrl-C during a test. If a shell has started the tests in
    the background, Python has not installed it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("default_ctrl_c")
def test_ctrl_c_during_a_progress_function(rng):
    def interrupted(_):
        signal.raise_signal(signal.SIGINT)

    model = small_model(rng)[0]
    run = ch.Run(model, progress=interrupted)
    with pytest.raises(KeyboardInterrupt):
        run.solve()
    assert run.result.outcome == ch.Outcome.CANCELLED and run.result.rounds <= 1
    # A handler that the program has installed is called as usual.
    came = []
    signal.signal(signal.SIGINT, lambda *_: came.append(True))
    ch.Run(model, progress=interrupted).solve()
    assert came


def test_limits_and_cancelling(rng):
    model = small_model(rng)[0]
    cancel = ch.Cancel()
    cancel.set()
    run = ch.Run(model, cancel=cancel)
    assert run.solve().outcome == ch.Outcome.CANCELLED
    assert run.labels(0).tolist() == run.labels(0, alone=True).tolist()
    other = ch.Cancel()
    run.set_limits(cancel=other)
    del cancel
    assert run.solve().score >= run.result.own_score
    run.set_limits(time_limit=0.0)
    run.reset()
    assert run.solve().outcome == ch.Outcome.DEADLINE
    run.set_limits()
    assert run.solve().score >= run.result.own_score
    with pytest.raises(ValueError):
        run.set_limits(time_limit=math.nan)
    assert ch.Run(model, time_limit=0).solve().outcome == ch.Outcome.DEADLINE


def test_earlier_runs_and_other_strengths(rng):
    model, parts, edges, strength, _, _ = small_model(rng, chains=3, labels=2)
    before = ch.Run(model)
    result = before.solve()
    again = ch.Run(model, earlier=before)
    assert again.solve().score >= result.score - 1e-9
    for factor in (0.0, 0.5, 1.0, 2.0):
        scores = truth(parts, edges, strength * factor, 2)
        run = ch.Run(model, earlier=before, edits=True)
        for clique in range(model.cliques):
            run.set_strength(clique, factor)
        changed = run.solve()
        assert scores[tuple(run.labels())] == pytest.approx(changed.score)


def test_set_chain(rng):
    model, parts, edges, *_ = small_model(rng)
    run = ch.Run(model)
    run.solve()
    unary = np.zeros_like(parts[0][0])
    unary[:, 2] = 100.0
    run.set_chain(0, unary.copy(), edges)
    run.solve()
    assert run.labels(0).tolist() == [2] * len(unary)
    with pytest.raises(ch.ArgumentError) as caught:
        run.set_chain(0, np.zeros((9, 3)))
    assert caught.value.name == "CHORALE_ERROR_SHAPE"
    run.reset()
    run.solve()
    fresh = ch.Run(model)
    fresh.solve()
    np.testing.assert_array_equal(run.labels(), fresh.labels())


def test_any_labelling_is_scored_and_gone_on_from(rng):
    model = small_model(rng)[0]
    run = ch.Run(model)
    result = run.solve()
    found = model.score(run.labels())
    assert found.score == result.score
    assert found.chain_scores.sum() == pytest.approx(result.chain_score)
    assert found.clique_scores.sum() == pytest.approx(result.clique_score)
    assert model.score(run.labels(alone=True).tolist()).score == result.own_score
    fresh = ch.Run(model, rounds=0, local_search=False)
    fresh.set_labels(run.labels())
    with pytest.raises(ch.StateError) as caught:
        fresh.labels()
    assert caught.value.name == "CHORALE_ERROR_NO_LABELLING"
    assert fresh.solve().score == result.score
    np.testing.assert_array_equal(fresh.labels(), run.labels())
    for refused in (model.score, fresh.set_labels):
        with pytest.raises(ValueError, match="labels has shape"):
            refused([0])
        with pytest.raises(ch.ArgumentError, match=r"labels\[0\] is 99"):
            refused(np.full_like(run.labels(), 99))


def test_what_a_potential_raises_comes_out_of_a_score():
    def refuse(counts, members):
        raise LookupError("no score")

    builder = ch.ModelBuilder()
    clique = builder.add_cliques(1, values=2, potential=ch.Potential.callback(2, refuse)).start
    builder.add_members(clique, builder.add_chain(np.zeros((1, 2))), 0)
    model = builder.freeze()
    with pytest.raises(LookupError, match="no score"):
        model.score([0])


def test_options_have_their_effect(rng):
    model = small_model(rng, chains=8)[0]
    assert ch.Run(model, rounds=0).solve().rounds == 0
    for options in (
        {"damping": 0.5},
        {"algorithm": "alpha_pass"},
        {"exact_marginals": True},
        {"local_search": False},
        {"restrict_range": True},
        {"joint_mode": "beam", "beam_width": 10, "max_states": 100},
        {"message_element": "auto"},
        {"message_element": "float64"},
        {"message_element": "magnitude16"},
    ):
        result = ch.Run(model, **options).solve()
        assert result.score >= result.own_score
    with pytest.raises(ch.StateError) as caught:
        ch.Run(model).bound(3)
    assert caught.value.name == "CHORALE_ERROR_STATE"
    run = ch.Run(model, bound_steps=2)
    run.solve()
    assert run.bound(5).upper_bound >= run.result.score - 1e-9


@pytest.mark.parametrize("count", [0, 1, 5])
def test_as_many_centred_cliques_as_asked_for(count):
    around = [ch.Potential.potts(4, 1.0)] * 4
    assert ch.ModelBuilder().add_cliques(count, centre=around) == range(count)


def test_centred_cliques():
    builder = ch.ModelBuilder()
    for unary in ([[0.0, 0.1]], [[1.0, 0.0]], [[1.0, 0.0]]):
        builder.add_chain(unary)
    same = [ch.Potential.sum([[0, 2, 4], [0, 0, 0]]), ch.Potential.sum([[0, 0, 0], [0, 2, 4]])]
    clique = builder.add_cliques(1, centre=same, values=2).start
    for neighbour in (1, 2):
        builder.add_members(clique, neighbour, 0)
    with pytest.raises(ch.StateError) as caught:
        builder.freeze()
    assert caught.value.name == "CHORALE_ERROR_STATE"
    builder.add_members(clique, [], centres=[(0, 0)])
    model = builder.freeze()
    assert model.centre_values(clique) == 2
    assert model.members(clique).tolist() == [[1, 0], [2, 0], [0, 0]]
    run = ch.Run(model)
    assert run.solve().score == 6.0
    assert run.values(clique).tolist() == [0, 0, 0]
    with pytest.raises(ch.StateError) as caught:
        builder.add_chain([[0.0]])
    assert caught.value.name == "CHORALE_ERROR_FROZEN"


@pytest.mark.parametrize("threads", [1, 3])
def test_what_callbacks_raise_comes_out_of_the_run(threads):
    def potential(counts, members):
        raise KeyError("from potential")

    builder = ch.ModelBuilder()
    for _ in range(MANY):
        builder.add_chain([[0.0, 0.1]])
    clique = builder.add_cliques(1, potential=ch.Potential.callback(2, potential), values=2).start
    for member in range(MANY):
        builder.add_members(clique, member)
    run = ch.Run(builder.freeze(), threads=threads)
    for _ in range(2):
        with pytest.raises(KeyError):
            run.solve()


def test_what_a_callback_raises_comes_out_of_results():
    failing = []

    def squares(counts, members):
        if failing:
            raise LookupError("from the potential")
        return float(counts[0] ** 2)

    builder = ch.ModelBuilder()
    clique = builder.add_cliques(1, potential=ch.Potential.callback(2, squares)).start
    for scores in ([2.0, 0.0], [2.0, 0.0], [0.0, 0.5]):
        builder.add_members(clique, builder.add_chain([scores]), 0)
    run = ch.Run(builder.freeze())
    assert run.solve().changed_chains == 1
    results = [lambda: run.model.score(run.labels()).score, lambda: run.reasons(2)]
    expected = [result() for result in results]
    failing.append(True)
    for result in results:
        with pytest.raises(LookupError, match="from the potential"):
            result()
    failing.clear()
    assert [result() for result in results] == expected


def test_runs_in_many_threads_at_once(rng):
    model = small_model(rng, chains=MANY)[0]
    expected = ch.Run(model).solve()
    results, failures = [], []

    def work():
        try:
            for _ in range(5):
                results.append(ch.Run(model, threads=2).solve())
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(results) == 20 and all(result == expected for result in results)


def test_edits():
    scores = np.array([[[2.0, 0.0]], [[0.0, 0.5]], [[0.0, 0.4]]])
    builder = ch.ModelBuilder()
    for unary in scores:
        _ = builder.add_chain(unary)
    clique = builder.add_cliques(1, values=2, potential=ch.Potential.potts(4, 0.3)).start
    for chain in range(3):
        builder.add_members(clique, chain, 0)
    model = builder.freeze()
    run = ch.Run(model, edits=True)
    before = run.solve()
    assert run.labels().tolist() == [0, 0, 0]
    run.set_allowed(0, 0, [False, True])
    assert run.solve().score == pytest.approx(0.5 + 0.4 + 0.3 * 9)
    assert run.labels().tolist() == [1, 1, 1]
    run.set_allowed(0, 0, None)
    assert run.solve().score == before.score
    run.set_strength(clique, 0)
    assert run.solve().score == pytest.approx(2.9)
    assert run.labels().tolist() == [0, 1, 1]
    run.set_strength(clique, 1)
    assert run.solve().score == before.score
    with pytest.raises(ValueError, match="allowed"):
        run.set_allowed(0, 0, [True])
    with pytest.raises(ch.Error, match="allowed leaves no label"):
        run.set_allowed(0, 0, [False, False])
    with pytest.raises(ch.Error, match="edits"):
        ch.Run(model).set_strength(clique, 2)


def hard_model(rng, items=8, cliques=6, labels=3):
    """Returns a model of items in cliques of four with random tables, and its scores and cliques."""
    builder = ch.ModelBuilder()
    unary = rng.normal(size=(items, labels))
    for row in unary:
        builder.add_chain(row[None])
    tables = []
    for _ in range(cliques):
        members = rng.choice(items, 4, replace=False)
        table = rng.normal(size=(labels, 5))
        clique = builder.add_cliques(1, potential=ch.Potential.sum(table)).start
        builder.add_members(clique, members, offsets=[0, 4])
        tables.append((members, table))
    return builder.freeze(), unary, tables


def test_effort_finds_more():
    """Moves of several chains never lower the score, more effort never either, no score exceeds that
    of every labelling, and most runs reach the best one. A default run looks for moves, too."""
    rng = np.random.default_rng(5)
    optimal = dict.fromkeys((-1.0, 0.3, 1.0, 3.0), 0)
    usual = 0
    for _ in range(12):
        model, unary, tables = hard_model(rng)
        every = np.array(list(itertools.product(range(3), repeat=8)))
        scores = unary[np.arange(8), every].sum(axis=1)
        for members, table in tables:
            for value, row in enumerate(table):
                scores += row[(every[:, members] == value).sum(axis=1)]
        before = -math.inf
        for effort in optimal:
            run = ch.Run(model, effort=effort)
            result = run.solve()
            assert result.score == pytest.approx(model.score(run.labels()).score)
            assert before <= result.score <= scores.max() + 1e-9
            before = result.score
            optimal[effort] += result.score > scores.max() - 1e-9
            assert ch.Run(model, effort=effort, threads=2).solve().score == result.score
        score = ch.Run(model).solve().score
        assert ch.Run(model, effort=-1).solve().score <= score <= scores.max() + 1e-9
        usual += score > scores.max() - 1e-9
    assert optimal[1.0] > optimal[-1.0] and optimal[3.0] == 12 and usual > optimal[-1.0]


def test_effort_moves_cliques_together():
    """All members of six cliques, which two trees share, move to another value at once. The best
    score was found by an integer program."""
    rng = np.random.default_rng([6, 6])
    builder = ch.ModelBuilder()
    for _ in range(2):
        parents = [-1] + [int(rng.integers(t)) for t in range(1, 20)]
        unary, edges = rng.normal(0, 1, (20, 4)), rng.normal(0, 0.5, (4, 4))
        builder.add_chain(ch.Chain(unary, edges, parents=parents))
    for _ in range(6):
        places = [(i, int(t)) for i in (0, 1) for t in sorted(rng.choice(20, 3, replace=False))]
        clique = builder.add_cliques(1, potential=ch.Potential.potts(4, 0.4)).start
        builder.add_members(clique, *zip(*places))
    model = builder.freeze()
    best = pytest.approx(118.091128, abs=1e-4)
    assert ch.Run(model, effort=-1).solve().score < 112
    assert ch.Run(model).solve().score == best
    assert ch.Run(model, effort=0.3).solve().score == best


def test_bound_of_diverging_messages():
    """Pairs of eight records, of which no two of three in a triangle may be one without the third:
    messages grow without end, and the bound still comes down to the linear program's."""
    weights = dict.fromkeys([(0, 1), (0, 2), (0, 4), (1, 2), (1, 3), (2, 3), (2, 4), (4, 7), (6, 7)], 5)
    weights |= {(3, 5): 10, (4, 6): 10, (5, 6): 10, (4, 5): -5}
    builder = ch.ModelBuilder()
    chain = {}
    for pair in itertools.combinations(range(8), 2):
        chain[pair] = builder.add_chain([[0, weights.get(pair, 0)]])
    never = ch.Potential.sum([[0, 0, 0, 0], [0, 0, -math.inf, 0]])
    for i, j, k in itertools.combinations(range(8), 3):
        clique = builder.add_cliques(1, potential=never).start
        builder.add_members(clique, [chain[i, j], chain[i, k], chain[j, k]], offsets=[0, 3])
    result = ch.Run(builder.freeze(), bound_steps=1000).solve()
    assert result.score == 70 and 70 <= result.upper_bound < 70.001


def test_bound_finds_labels():
    """Messages of cliques that contend for items end far from the best labelling; that of the chains
    under the multipliers of the bound, improved chain by chain, is near it."""
    rng = np.random.default_rng(8)
    builder = ch.ModelBuilder()
    for _ in range(40):
        builder.add_chain(rng.normal(size=(1, 5)))
    for _ in range(4):
        clique = builder.add_cliques(1, potential=ch.Potential.potts(5, 1 / 15)).start
        builder.add_members(clique, rng.choice(40, 15, replace=False), offsets=[0, 15])
    model = builder.freeze()
    run = ch.Run(model, bound_steps=16)
    result = run.solve()
    assert ch.Run(model).solve().score + 3 < result.score <= result.upper_bound
    assert result.score == pytest.approx(model.score(run.labels()).score)
    sliced = ch.Run(model, bound_steps=16, time_limit=1e-9)
    while sliced.solve().outcome == ch.Outcome.DEADLINE:
        pass
    assert sliced.result.score == result.score


def test_effort_is_interrupted():
    """A run that is stopped again and again finds what a run without limits finds."""
    model, _, _ = hard_model(np.random.default_rng(6), items=60, cliques=80)
    whole = ch.Run(model, effort=5)
    expected = whole.solve().score
    run = ch.Run(model, effort=5, time_limit=0.005)
    calls = 1
    while run.solve().outcome == ch.Outcome.DEADLINE:
        assert run.result.score <= expected
        calls += 1
    assert run.result.score == expected and calls > 1
    assert run.labels().tolist() == whole.labels().tolist()
