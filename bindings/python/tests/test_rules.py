"""Rules by name: labels, costs and proofs are those of enumeration; mistakes name the rule."""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest

import libchorale as ch
from libchorale import experimental, rules

SEED = int(os.environ.get("CHORALE_TEST_SEED", "20261129"))
NAMES = ["O", "B-A", "I-A", "B-C"]
SCORES = [[[1.0, 0.0], [0.0, 1.0], [0.5, 0.0]]]


def segments(labels):
    """The kinds of the segments of labels of NAMES, with their lengths and positions."""
    found = []
    before = None
    for position, name in enumerate(NAMES[label] for label in labels):
        kind = name[2:] or "O"
        if kind != before or name.startswith("B-"):
            found.append([kind, 0, position])
        found[-1][1] += 1
        before = kind
    return found


CHECKS = [
    (rules.once(), lambda s, k: all(k.count(kind) <= 1 for kind in "AC")),
    (rules.at_most(1, "A"), lambda s, k: k.count("A") <= 1),
    (rules.at_least(2, "C"), lambda s, k: k.count("C") >= 2),
    (rules.exactly(1, "C"), lambda s, k: k.count("C") == 1),
    (rules.never("C"), lambda s, k: "C" not in k),
    (rules.at_most_tokens(2, "A"), lambda s, k: sum(x[1] for x in s if x[0] == "A") <= 2),
    (rules.no_longer(1, "A"), lambda s, k: all(x[1] <= 1 for x in s if x[0] == "A")),
    (rules.before("A", "C"), lambda s, k: "C" not in k or "A" not in k[k.index("C") :]),
    (
        rules.directly_after("A", "C"),
        lambda s, k: all(i > 0 and k[i - 1] == "C" for i, x in enumerate(k) if x == "A"),
    ),
    (rules.not_together("A", "C"), lambda s, k: not ("A" in k and "C" in k)),
    (rules.needs("A", "C"), lambda s, k: "A" not in k or "C" in k),
]


@pytest.mark.parametrize("rule, keeps", CHECKS, ids=[str(rule) for rule, _ in CHECKS])
def test_a_rule_is_its_definition(rule, keeps):
    print("seed", SEED)
    random = np.random.default_rng(SEED)
    scores = [random.normal(size=(4, 4)) for _ in range(20)]
    result = ch.decode(scores, names=NAMES, scheme="bio", rules=[rule])
    assert result.proven
    ruled = {entry.chain: entry for entry in result.ruled}
    for number, matrix in enumerate(scores):
        best = max(
            (
                sum(matrix[t, y] for t, y in enumerate(labels))
                for labels in itertools.product(range(4), repeat=4)
                if (lambda s: keeps(s, [x[0] for x in s]))(segments(labels))
            ),
        )
        mine = sum(matrix[t, y] for t, y in enumerate(result.labels[number]))
        assert mine == pytest.approx(best)
        own = sum(matrix[t, y] for t, y in enumerate(result.alone[number]))
        assert (number in ruled) == (own > best + 1e-9)
        if number in ruled:
            assert ruled[number].state == "kept" and ruled[number].gap == 0
            assert ruled[number].cost == pytest.approx(own - best)
            changed = np.flatnonzero(result.labels[number] != result.alone[number])
            assert [reason.position for reason in ruled[number].reasons] == changed.tolist()
    assert ruled


def test_prices_costs_and_conflicts_are_told():
    names = ["Street", "City"]
    result = ch.decode(SCORES, names=names, rules=[rules.once()])
    assert result.labels[0].tolist() == [0, 1, 1] and result.alone[0].tolist() == [0, 1, 0]
    assert "City, not Street (at most 1 segment of Street; cost 0.5)" in str(result.ruled[0])
    broken = ch.decode(SCORES, rules=[rules.once(price=0.25)])
    assert broken.labels[0].tolist() == [0, 1, 0] and broken.score == pytest.approx(2.25)
    dear = ch.decode(SCORES, rules=[rules.once()], most_cost=0.1)
    assert dear.labels[0].tolist() == [0, 1, 0] and dear.ruled[0].state == "too dear"
    assert "too dear" in str(dear.ruled[0])
    wanted = [rules.once(0), rules.never(1, price=9.0), rules.at_least(2, 0)]
    impossible = ch.decode(SCORES, rules=wanted).ruled[0]
    assert impossible.state == "impossible" and impossible.cost == np.inf
    assert impossible.conflicts == ["at most 1 segment of 0", "at least 2 segments of 0"]
    assert "no labelling keeps" in str(impossible)
    elsewhere = ch.decode(SCORES, rules=[rules.once(chains=[])])
    assert elsewhere.ruled == []


def test_reasons_of_a_long_chain_take_no_longer_than_its_labels():
    random = np.random.default_rng(SEED)
    found = ch.decode([2 * random.normal(size=(2000, 20))], rules=[rules.once()], time_limit=0.5)
    [ruled] = found.ruled
    changed = np.flatnonzero(found.labels[0] != found.alone[0])
    assert [reason.position for reason in ruled.reasons] == changed.tolist()
    assert all(reason.cost > 0 for reason in ruled.reasons)


def test_an_automaton_is_a_rule_and_rules_join_agreement():
    builder = experimental.PropertyBuilder(2, values=1)
    inside, after = builder.add_state(), builder.add_state()
    builder.rule(0, label=0, next=inside)
    builder.rule(inside, label=1, next=after)
    builder.rule(after, label=0, action=0)
    once = rules.fires_nothing(builder.finish())  # at most one segment of label 0
    result = ch.decode(SCORES, rules=[once])
    assert result.labels[0].tolist() == [0, 1, 1] and result.proven
    scores = [*SCORES, [[0.0, 0.4]], [[0.0, 0.4]]]
    words = [["a", "b", "c"], ["a"], ["a"]]
    both = ch.decode(scores, tokens=words, strength=1.0, rules=[once], bound_steps=50)
    assert both.labels[0].tolist() == [1, 1, 0] or both.labels[0].tolist() == [0, 1, 1]
    assert np.isfinite(both.score) and both.upper_bound >= both.score


def test_a_text_tells_what_made_the_change():
    """Alone, the first chain gives up its weaker place. With agreement it gives up the other one."""
    scores = [[[0.0, 1.0], [3.0, 0.0], [0.0, 1.5]], *[[[0.0, 3.0]]] * 3]
    words = [["Jordan", "borders", "Syria"], *[["Jordan"]] * 3]
    for strength, line in (
        (0.0, "  Jordan: O, not LOC (at most 1 segment of LOC)"),
        (1.0, "  Syria: O, not LOC (because of a rule and agreement)"),
    ):
        given = {"tokens": words, "names": ["O", "LOC"], "strength": strength}
        result = ch.decode(scores, rules=rules.once("LOC"), **given)
        first, *lines = str(result).splitlines()
        assert lines == ["chain 0", line]
        assert f"(chains by themselves, without rules, {result.own_score:.6g})" in first
        without = ch.decode(scores, **given)
        assert f"(chains by themselves {without.own_score:.6g})" in str(without)


def test_mistakes_name_the_rule():
    for given in ("once", ["once"]):
        with pytest.raises(TypeError, match=r"made by .* or rules.parse\(\['once'\]\), not"):
            ch.decode(SCORES, rules=given)
    with pytest.raises(TypeError, match=r"rules\[0\] must be .* of libchorale.rules, not 3"):
        ch.decode(SCORES, rules=3)
    with pytest.raises(ValueError, match=r"rules\[1\] \(before\).b is 'D'; .*the kinds: A, C"):
        ch.decode(SCORES, names="AC", rules=[rules.once(), rules.before("A", "D")])
    with pytest.raises(ValueError, match=r"rules\[0\] \(at most\).k is 0"):
        ch.decode(SCORES, rules=[rules.at_most(0)])
    with pytest.raises(ValueError, match=r"rules\[0\] \(at most\).price is -1"):
        ch.decode(SCORES, rules=[rules.once(price=-1)])
    with pytest.raises(ValueError, match="names is missing"):
        ch.decode(SCORES, rules=[rules.once()], scheme="bio")
    with pytest.raises(ch.ArgumentError, match=r"rules\[0\] \(before\).b is 1, as .a"):
        ch.decode(SCORES, rules=[rules.before(1, 1)])
    with pytest.raises(ch.ArgumentError, match=r"rules\[0\] \(never\).chains\[0\] is 4"):
        ch.decode(SCORES, rules=[rules.never(1, chains=[4])])
    with pytest.raises(ch.SizeOverflowError, match="labels is 8193; with rules it may be at most"):
        ch.decode([np.zeros((1, 8193))], rules=[rules.never(1)])


def test_texts_and_objects_are_rules():
    texts = ["once", "once:A", "at_least:2,A", "before:,A", "needs: A , B ,price=1.5", "at_most:3"]
    objects = [{"rule": "no_longer", "k": 2, "a": "A", "price": None}, {"rule": "never", "a": 1}]
    made = [rules.once(), rules.once("A"), rules.at_least(2, "A"), rules.before(None, "A")]
    made += [rules.needs("A", "B", price=1.5), rules.at_most(3)]
    made += [rules.no_longer(2, "A"), rules.never(1)]
    assert rules.parse([*texts, *objects]) == made


@pytest.mark.parametrize(
    "entry, message",
    [
        ("onse:A", r"is 'onse:A'; the rules are once, at_most"),
        ("", r"is ''; the rules are once"),
        ({"a": "A"}, r"is {'a': 'A'}; the rules are once"),
        ({"rule": ["once"]}, r"is {'rule': \['once'\]}; the rules are once"),
        (3, r"is 3; the rules are once"),
        ("before:A", r"\(before\).b is missing"),
        ("before", r"\(before\).a is missing"),
        ("never", r"\(never\).a is missing"),
        ("at_most:A", r"\(at most\).k is 'A'; it must be a whole number"),
        ({"rule": "at_most", "k": 1.5}, r"\(at most\).k is 1.5; it must be a whole number"),
        ("once:A,price=x", r"\(once\).price is 'x'; it must be a number"),
        ("needs:A,B,C", r"\(needs\) has 3 arguments; it takes a, b"),
        ({"rule": "once", "chains": [0]}, r"\(once\) has no 'chains'; it takes a, price"),
        ({"rule": "once", "a": None}, r"\(once\).a is None; it must be the name of a label"),
    ],
)
def test_mistakes_in_texts_name_the_rule(entry, message):
    with pytest.raises(ValueError, match=r"rules\[1\] ?" + message):
        rules.parse(["once", entry])


def test_gold_labels_propose_rules():
    names = ["O", "B-A", "I-A", "B-C"]
    gold = [[1, 2, 0, 3], [0, 1, 3], [1, 0]] * 20 + [[3, 1]]
    found = {
        str(entry.rule.told(entry.rule.a)): entry
        for entry in rules.propose(gold, names, "bio", share=0.9)
    }
    assert (found["at most 1 segment of A"].holds, found["at most 1 segment of A"].of) == (61, 61)
    before = next(entry for entry in found.values() if entry.rule.number == 60)
    assert (before.holds, before.of) == (40, 41)
    assert before.rule.price == pytest.approx(np.log(40))
    assert "C needs A" in found and "A needs C" not in found
    # What is proposed can be used as it is.
    scores = np.zeros((2, 4))
    scores[0, 3] = scores[1, 1] = 9.0
    result = ch.decode([scores], names=names, scheme="bio", rules=[before.rule])
    assert result.labels[0].tolist() == [3, 1]  # 9 is worth more than the price


def test_one_rule_is_a_list_of_one():
    alone = ch.decode(SCORES, rules=rules.once())
    assert alone.ruled and not ch.decode(SCORES).ruled
    assert alone.labels[0].tolist() == ch.decode(SCORES, rules=[rules.once()]).labels[0].tolist()
    for wrong, name in (("once", "'once'"), (5, "5"), ([5], "5")):
        with pytest.raises(TypeError, match=rf"^rules\[0\] must be made by .*, not {name}$"):
            ch.decode(SCORES, rules=wrong)


def test_the_text_of_a_result_says_which_rules_are_not_kept():
    scores, names = [[[1.0, 0.0], [0.0, 1.0], [0.5, 0.0]]] * 2, ["A", "C"]
    twice = rules.at_least(2, "C")

    def told(*given, **more):
        return str(ch.decode(scores, names=names, rules=given, **more)).split("\n")[1:]

    broken = "2 chains whose rules are not kept: .ruled"
    assert told(twice, rules.at_most(1, "C")) == [broken]
    assert told(rules.once(), most_cost=0.1) == [broken]
    paid = "not changed, at the price of broken rules: .ruled"
    assert told(rules.once(price=0.1)) == [f"2 chains {paid}"]
    assert told(rules.once(price=0.1, chains=[1])) == [f"1 chain {paid}"]
    assert told(rules.once())[0] == "chain 0" and told(rules.once("C")) == []
