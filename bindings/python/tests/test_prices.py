"""Shared cliques: prices, parts, the search, and streams of batches whose groups share keys."""

import dataclasses
import itertools
import pickle

import numpy as np
import pytest
from test_batches import corpus, cut, joined, rng  # noqa: F401

import libchorale as ch
from libchorale.batches import Chains
from libchorale.prices import Answer, Part, Search
from libchorale.shared import SharedKeys
from libchorale.shared import label as label_batches

pa = pytest.importorskip("pyarrow")


def items(scores, keys, potential, local=None):
    """Returns a model of chains of one position, with a shared clique for each key; and a dict from
    the numbers of these cliques to their keys. keys: the key of each chain. local: the chains of
    one more clique, which is not shared."""
    builder = ch.ModelBuilder()
    for row in scores:
        builder.add_chain([row])
    shared = {}
    for key in sorted(set(keys)):
        clique = builder.add_cliques(1, potential=potential).start
        for k in np.flatnonzero(np.array(keys) == key):
            builder.add_members(clique, int(k), 0)
        shared[clique] = key
    if local:
        clique = builder.add_cliques(1, potential=potential).start
        for k in local:
            builder.add_members(clique, k, 0)
    return builder.freeze(), shared


def label(parts, potentials, members):
    """Labels all parts. Returns for each part the labels of its chains, and the outcome."""
    search = Search(potentials, members)
    outcome = search.run(lambda asked: (part.answer(asked) for part in parts))
    return [part.label(search.found).labels for part in parts], outcome


def best_of_all(scores, keys, potentials):
    """Returns the highest score of a labelling: the sum of unary scores and clique potentials."""
    best = -np.inf
    for labels in itertools.product(range(scores.shape[1]), repeat=len(scores)):
        total = sum(row[y] for row, y in zip(scores, labels))
        for key, potential in enumerate(potentials):
            counts = np.bincount(
                np.array(labels)[np.array(keys) == key], minlength=scores.shape[1]
            )
            total += potential.evaluate(counts)
        best = max(best, total)
    return best


@pytest.mark.parametrize("family", ["potts", "entropy"])
def test_items_against_enumeration(rng, family):  # noqa: F811
    found, own, best, gap = 0.0, 0.0, 0.0, 0.0
    for _ in range(5):
        scores = rng.normal(size=(7, 3))
        keys = rng.integers(0, 2, 7).tolist()
        potential = getattr(ch.Potential, family)(3, rng.uniform(0, 1.5), scale="members")
        cuts = sorted(rng.choice(np.arange(1, 7), 2, replace=False).tolist())
        parts = []
        for begin, end in zip([0, *cuts], [*cuts, 7]):
            parts.append(Part(*items(scores[begin:end], keys[begin:end], potential)))
        members = np.bincount(keys, minlength=2)
        labels, result = label(parts, [potential] * 2, members)
        limit = best_of_all(scores, keys, [potential] * 2)
        assert result.own_score - 1e-6 <= result.score <= limit + 1e-6
        assert limit <= result.upper_bound + 1e-6
        assert result.rows >= result.rounds > 0
        gap = gap + result.upper_bound - limit
        labels = np.concatenate(labels)
        total = float(scores[np.arange(7), labels].sum()) + sum(
            potential.evaluate(np.bincount(labels[np.array(keys) == k], minlength=3))
            for k in range(2)
        )
        assert total == pytest.approx(result.score, abs=1e-6)
        found, own, best = found + result.score, own + result.own_score, best + limit
    print(f"{family}: {(found - own) / (best - own):.4f} of the gain, bounds {gap / best:.4f} above")


def test_large_cliques_gain_what_a_run_gains(rng):  # noqa: F811
    """Over five corpora of five keys, prices reach at least 97 % of the gain of a run that has the
    potentials of all cliques in one model."""
    found, own, whole = 0.0, 0.0, 0.0
    for _ in range(5):
        scores = rng.uniform(0, 2, size=(600, 6))
        keys = rng.integers(0, 5, 600).tolist()
        potential = ch.Potential.potts(6, rng.uniform(0.3, 1.2), scale="members")
        model, shared = items(scores, keys, potential)
        _, outcome = label([Part(model, shared)], [potential] * 5, np.bincount(keys, minlength=5))
        run = ch.Run(model).solve()
        found, own, whole = found + outcome.score, own + run.own_score, whole + run.score
    print(f"{(found - own) / (whole - own):.5f} of the gain of a run")
    assert found - own >= 0.97 * (whole - own)


def test_any_division_gives_the_same(rng):  # noqa: F811
    scores = rng.normal(size=(40, 4))
    keys = rng.integers(0, 3, 40).tolist()
    potential = ch.Potential.potts(4, 1.0, scale="members")
    members = np.bincount(keys, minlength=3)
    expected = None
    for count in (1, 2, 3, 8, 40):
        order = rng.permutation(count)
        edges = np.linspace(0, 40, count + 1).astype(int)
        parts = [
            Part(*items(scores[a:b], keys[a:b], potential)) for a, b in zip(edges, edges[1:])
        ]
        found, result = label([parts[k] for k in order], [potential] * 3, members)
        labels = [None] * count
        for k, of in zip(order, found):
            labels[k] = of.tolist()
        flat = sum(labels, [])
        outcome = dataclasses.replace(result, upper_bound=0)
        expected = expected or (flat, outcome, result.upper_bound)
        assert (flat, outcome) == expected[:2]
        # Each part rounds its limit up, so that the bound depends a little on the division.
        assert result.upper_bound == pytest.approx(expected[2], abs=1e-6)


def test_no_prices_bound_more_tightly(rng):  # noqa: F811
    """For convex sums, random prices give no lower bound than the search finds by its first
    question, where the price of a value is the potential when all members have it, divided by their
    number."""
    for family in ("potts", "entropy"):
        scores = rng.normal(size=(12, 3))
        keys = rng.integers(0, 2, 12).tolist()
        potential = getattr(ch.Potential, family)(3, rng.uniform(0, 1.5), scale="members")
        model, shared = items(scores, keys, potential)
        members = np.bincount(keys, minlength=2)
        _, outcome = label([Part(model, shared)], [potential] * 2, members)
        part = Part(model, shared)
        for row in rng.normal(scale=rng.choice([0.1, 1.0], size=(300, 1)), size=(300, 6)):
            result = part.solve(row)
            most = sum(potential.most(row[3 * k : 3 * k + 3], int(members[k])) for k in range(2))
            assert outcome.upper_bound <= result.score + most + 1e-6


def test_other_cliques_stay_local(rng):  # noqa: F811
    scores = rng.normal(size=(12, 3))
    keys = [0] * 6 + [1] * 6
    potential = ch.Potential.potts(3, 1.0, scale="members")
    model, shared = items(scores, keys, potential, local=[0, 3, 6, 9])
    [labels], outcome = label([Part(model, shared)], [potential] * 2, [6, 6])
    assert model.score(labels).score == pytest.approx(outcome.score, abs=1e-6)
    assert outcome.upper_bound == np.inf
    _, bounded = label([Part(model, shared, bound_steps=30)], [potential] * 2, [6, 6])
    whole = ch.Run(model, bound_steps=30).solve()
    assert whole.score <= bounded.upper_bound + 1e-6
    assert outcome.score <= whole.upper_bound + 1e-6
    assert outcome.score >= whole.own_score - 1e-6


def test_what_travels_adds_up():
    one = Answer(np.ones((2, 3), np.int64), np.ones((2, 1), np.int64), [1, 2], [3, None])
    two = one + one
    assert two.counts.tolist() == [[2] * 3] * 2 and two.costs.tolist() == [[2]] * 2
    assert (two.scores, two.limits) == ([2, 4], [6, None])
    assert pickle.loads(pickle.dumps(one)).scores == [1, 2]


def test_what_cannot_be():
    potential = ch.Potential.potts(2, 1.0)
    model, _ = items(np.zeros((3, 2)), [0, 0, 0], potential)
    with pytest.raises(TypeError, match="model is 3"):
        Part(3, {0: 0})
    with pytest.raises(ch.ArgumentError, match=r"cliques\[0\] is 5"):
        Part(model, {5: 0})
    part = Part(model, {0: 0})
    with pytest.raises(ch.ArgumentError, match="count is 3"):
        part.solve([1.0, 2.0, 3.0])
    part.close()
    with pytest.raises(ch.ClosedError):
        part.solve()
    with pytest.raises(ch.KindError, match="convex"):
        ch.Potential.potts(2, -1.0).prices([1, 1], 2)
    with pytest.raises(ch.KindError, match="convex"):
        ch.Potential.potts(2, -1.0).most([1.0, 1.0], 2)
    with pytest.raises(ValueError, match="2 members for 1 potentials"):
        Search([potential], [1, 2])
    search = Search([potential], [3])
    with pytest.raises(ValueError, match="take must follow an ask"):
        search.take(Answer(np.zeros((1, 2), np.int64), np.zeros((1, 1), np.int64), [0], [0]))
    with pytest.raises(ValueError, match="outcome was called before take"):
        search.outcome()
    with pytest.raises(ValueError, match="strength is -1"):
        SharedKeys(Chains("a", "b"), "keys", strength=-1)
    with pytest.raises(ValueError, match="least is 1"):
        SharedKeys(Chains("a", "b"), "keys", least=1)


def test_a_bound(rng):  # noqa: F811
    """Under any prices, the best score of the part plus the bound of the clique (`Potential.most`)
    is an upper bound on the score of any labelling."""
    for _ in range(20):
        scores = rng.normal(size=(6, 3))
        potential = ch.Potential.potts(3, rng.uniform(0, 1))
        model, _ = items(scores, [0] * 6, potential)
        prices = rng.normal(size=3)
        result = Part(model, {0: 0}).solve(prices)
        limit = best_of_all(scores, [0] * 6, [potential])
        assert limit <= result.score + potential.most(prices, 6) + 1e-9


def test_streams(rng):  # noqa: F811
    table = corpus(rng, groups=8)
    chains = Chains("page", "scores", tokens="words", strength=0.5, order="id")
    shared = SharedKeys(chains, "keys", strength=3.0, least=4, rounds=12)
    expected = joined(label_batches(cut(table, 1000), shared).rows)
    for size in (1, 3):
        assert joined(label_batches(cut(table, size), shared).rows).equals(expected)
    again = joined(label_batches(lambda: iter(cut(table, 5)), shared).rows)
    assert again.equals(expected)
    # With strength above 0, positions with equal keys agree at least as much as with strength 0.
    positions = []
    for out in (expected, joined(label_batches(cut(table, 9), SharedKeys(chains, "keys", 0.0, 4)).rows)):
        pairs = 0
        for key in range(3):
            labels = [
                y
                for row in out.to_pylist()
                for k, y in zip(row["keys"], row["labels"])
                if k == key
            ]
            pairs += sum(n * n for n in np.bincount(labels, minlength=3).tolist())
        positions.append(pairs)
    assert positions[0] >= positions[1]


def test_streams_without_anything_shared(rng):  # noqa: F811
    table = corpus(rng, groups=4)
    chains = Chains("page", "scores", tokens="words", strength=1.0, order="id")
    out = joined(label_batches(cut(table, 3), SharedKeys(chains, "keys", least=10_000)).rows)
    from libchorale.batches import label as apart

    assert out.column("labels").equals(joined(apart(cut(table, 3), chains)).column("labels"))
    empty = table.slice(0, 0)
    found = label_batches(cut(empty, 3), SharedKeys(chains, "keys"))
    assert list(found.rows) == [] and found.outcome.rows == 0
    with pytest.raises(ValueError, match="has 0 keys in row|keys in row"):
        short = table.set_column(
            table.schema.get_field_index("keys"), "keys", pa.array([[7, 7, 7, 7, 7, 7]] * len(table))
        )
        label_batches(cut(short, 3), SharedKeys(chains, "keys", least=2))


def test_progress(rng, bars):  # noqa: F811
    table = corpus(rng, groups=8)
    chains = Chains("page", "scores", tokens="words", strength=0.5, order="id")
    shared = SharedKeys(chains, "keys", strength=3.0, least=4, rounds=6)
    plain = joined(label_batches(cut(table, 3), shared, progress=False).rows)
    assert joined(label_batches(cut(table, 3), shared, progress=bars).rows).equals(plain)
    search, labelling = bars.made
    assert [bar.options["desc"] for bar in bars.made] == ["prices", "label"]
    assert search.options["total"] == search.n == 6 and search.closed
    assert labelling.n == labelling.options["total"] == len(cut(table, 3)) and labelling.closed
    # Without positions there is no search for prices, and so no bar for it.
    assert list(label_batches(cut(table.slice(0, 0), 3), shared, progress=bars).rows) == []
    assert [bar.options["desc"] for bar in bars.made[2:]] == ["label"]
