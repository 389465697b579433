"""Rules: what the labelling of a chain must look like, such as "at most one segment of each label".
Provisional until 1.0.

`libchorale.decode(rules=...)` finds the best of the labellings that keep them, with a proof for
chains by themselves. The functions below make rules. `a` and `b` are kinds of labels: names, or
numbers. With `scheme`, kinds are what follows B-, I- and the like; otherwise each label is a kind.
A *segment* is a longest stretch of positions of one kind (B-X begins a new one).

price   what a labelling that breaks the rule loses, once for each chain; None: the rule is never
        broken
chains  the numbers of the chains that the rule concerns; None: all

>>> from libchorale import decode
>>> scores = [[[1.0, 0.0], [0.0, 1.0], [0.5, 0.0]]]
>>> result = decode(scores, names=["Street", "City"], rules=[once()])
>>> result.alone[0].tolist(), result.labels[0].tolist(), result.proven
([0, 1, 0], [0, 1, 1], True)
>>> print(result.ruled[0])
chain 0: its rules cost 0.5
  position 2: City, not Street (at most 1 segment of Street; cost 0.5)
"""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from ctypes import pointer
from typing import Any, Literal, Optional, Union

import numpy as np

from . import _arrays as arrays
from . import _declarations as c
from ._declarations import RuleReason as RuleReason
from ._native import Using, library, struct
from ._work import entries
from .chain import Scheme
from .property import FIRE_NOTHING, LabelMap, Property

__all__ = [
    "Proposal",
    "Rule",
    "RuleReason",
    "RuledChain",
    "at_least",
    "at_most",
    "at_most_tokens",
    "before",
    "directly_after",
    "exactly",
    "fires_nothing",
    "needs",
    "never",
    "no_longer",
    "not_together",
    "once",
    "once_on_each_side",
    "parse",
    "propose",
]

Kind = Union[str, int]
Price = Optional[float]
Chains = Optional[Sequence[int]]
State = Literal["kept", "impossible", "too dear", "unfinished"]

_STATES: dict[int, State] = arrays.named("RULES")
_NAMES = arrays.named("RULE")

# Each kind of rules in words. {k}, {a} and {b} are filled in.
_WORDS = {
    c.CHORALE_RULE_AT_MOST: "at most {k} of {a}",
    c.CHORALE_RULE_AT_LEAST: "at least {k} of {a}",
    c.CHORALE_RULE_EXACTLY: "exactly {k} of {a}",
    c.CHORALE_RULE_NEVER: "never {a}",
    c.CHORALE_RULE_AT_MOST_TOKENS: "at most {k} positions of {a}",
    c.CHORALE_RULE_NO_LONGER: "no segment of {a} of more than {k} positions",
    c.CHORALE_RULE_BEFORE: "{a} before {b}",
    c.CHORALE_RULE_DIRECTLY_AFTER: "{a} only directly after {b}",
    c.CHORALE_RULE_NOT_TOGETHER: "{a} not together with {b}",
    c.CHORALE_RULE_NEEDS: "{a} needs {b}",
    c.CHORALE_RULE_PROPERTY: "the property fires nothing",
}
_OF_SEGMENTS = (c.CHORALE_RULE_AT_MOST, c.CHORALE_RULE_AT_LEAST, c.CHORALE_RULE_EXACTLY)


@dataclasses.dataclass(frozen=True)
class Rule:
    """A rule, as the functions of this module make it. a is None: a rule for each kind but `b` and
    those of labels that are not counted (`uncounted` of `decode`). Provisional until 1.0."""

    number: int
    a: Kind | None = None
    b: Kind | None = None
    k: int = 1
    price: float | None = None
    chains: Sequence[int] | None = None
    prop: Property | None = None
    sides: Sequence[Kind] | None = None

    def __str__(self) -> str:
        return self.told(self.a)

    def told(self, a: Kind | None) -> str:
        """The rule in words, for one kind a."""
        k: Any = self.k
        if self.number in _OF_SEGMENTS:
            k = f"{self.k} segment{'' if self.k == 1 else 's'}"
        kind = "each label" if a is None else a
        if self.sides is not None:
            return (
                f"at most 1 segment of {kind} on each side of {' or '.join(map(str, self.sides))}"
            )
        words = _WORDS[self.number].format(a=kind, b=self.b, k=k)
        return words if self.price is None else f"{words}, or pay {self.price:g}"


def once(a: Kind | None = None, *, price: Price = None, chains: Chains = None) -> Rule:
    """At most one segment of a; of each kind, if a is None. Provisional until 1.0."""
    return at_most(1, a, price=price, chains=chains)


def at_most(k: int, a: Kind | None = None, *, price: Price = None, chains: Chains = None) -> Rule:
    """At most k segments of a. Provisional until 1.0."""
    return Rule(c.CHORALE_RULE_AT_MOST, a, k=k, price=price, chains=chains)


def at_least(k: int, a: Kind | None = None, *, price: Price = None, chains: Chains = None) -> Rule:
    """At least k segments of a. Provisional until 1.0."""
    return Rule(c.CHORALE_RULE_AT_LEAST, a, k=k, price=price, chains=chains)


def exactly(k: int, a: Kind | None = None, *, price: Price = None, chains: Chains = None) -> Rule:
    """k segments of a. Provisional until 1.0."""
    return Rule(c.CHORALE_RULE_EXACTLY, a, k=k, price=price, chains=chains)


def never(a: Kind, *, price: Price = None, chains: Chains = None) -> Rule:
    """No position has a. Provisional until 1.0."""
    return Rule(c.CHORALE_RULE_NEVER, a, price=price, chains=chains)


def at_most_tokens(
    k: int, a: Kind | None = None, *, price: Price = None, chains: Chains = None
) -> Rule:
    """At most k positions have a. Provisional until 1.0."""
    return Rule(c.CHORALE_RULE_AT_MOST_TOKENS, a, k=k, price=price, chains=chains)


def no_longer(k: int, a: Kind | None = None, *, price: Price = None, chains: Chains = None) -> Rule:
    """No segment of a has more than k positions. Provisional until 1.0."""
    return Rule(c.CHORALE_RULE_NO_LONGER, a, k=k, price=price, chains=chains)


def before(a: Kind | None, b: Kind, *, price: Price = None, chains: Chains = None) -> Rule:
    """No a comes after a b. Provisional until 1.0."""
    return Rule(c.CHORALE_RULE_BEFORE, a, b, price=price, chains=chains)


def directly_after(a: Kind | None, b: Kind, *, price: Price = None, chains: Chains = None) -> Rule:
    """Each segment of a comes directly after a b. Provisional until 1.0."""
    return Rule(c.CHORALE_RULE_DIRECTLY_AFTER, a, b, price=price, chains=chains)


def not_together(a: Kind | None, b: Kind, *, price: Price = None, chains: Chains = None) -> Rule:
    """a and b are not both in the chain. Provisional until 1.0."""
    return Rule(c.CHORALE_RULE_NOT_TOGETHER, a, b, price=price, chains=chains)


def needs(a: Kind | None, b: Kind, *, price: Price = None, chains: Chains = None) -> Rule:
    """If a is in the chain, b is too. Provisional until 1.0."""
    return Rule(c.CHORALE_RULE_NEEDS, a, b, price=price, chains=chains)


def fires_nothing(prop: Property, *, price: Price = None, chains: Chains = None) -> Rule:
    """A property, such as an automaton of your own (`PropertyBuilder`), fires nothing. Provisional
    until 1.0."""
    return Rule(c.CHORALE_RULE_PROPERTY, prop=prop, price=price, chains=chains)


def once_on_each_side(
    a: Kind, of: Sequence[Kind], *, price: Price = None, chains: Chains = None
) -> Rule:
    """At most one segment of a before the first label of the kinds `of`, and one after it: the
    street names of "Main St & Oak Ave", say. Provisional until 1.0."""
    return Rule(c.CHORALE_RULE_PROPERTY, a, sides=tuple(of), price=price, chains=chains)


_BY_NAME: dict[Any, Callable[..., Rule]] = {
    make.__name__: make
    for make in (once, at_most, at_least, exactly, never, at_most_tokens, no_longer)
    + (before, directly_after, not_together, needs)
}


def parse(entries: Iterable[str | Mapping[str, Any]]) -> list[Rule]:
    """Returns rules that are written as texts or as objects of JSON, as in a configuration.
    Provisional until 1.0.

    A text is the name of a function above, but not fires_nothing or once_on_each_side, and its
    arguments; an a that is left out or empty stands for each kind. An object has the name in its
    field "rule", and the arguments by their names.

    >>> for rule in parse(["once", "at_most:2,Title", {"rule": "never", "a": "Note", "price": 2}]):
    ...     print(rule)
    at most 1 segment of each label
    at most 2 segments of Title
    never Note, or pay 2
    >>> parse(["before:Author,Title,price=0.5"]) == [before("Author", "Title", price=0.5)]
    True
    """
    return [_parsed(f"rules[{number}]", entry) for number, entry in enumerate(entries)]


def _parsed(place: str, entry: Any) -> Rule:
    given: dict[str, Any] = dict(entry) if isinstance(entry, Mapping) else {}
    name, _, rest = entry.partition(":") if isinstance(entry, str) else (given.get("rule"), "", "")
    given.pop("rule", None)
    if not isinstance(name, str) or name not in _BY_NAME:
        raise ValueError(f"{place} is {entry!r}; the rules are {', '.join(_BY_NAME)}")
    make, place = _BY_NAME[name], f"{place} ({name.replace('_', ' ')})"
    takes = inspect.signature(make).parameters
    order = [key for key in takes if key not in ("price", "chains")]
    if rest:
        parts = [part.strip() for part in rest.split(",")]
        if parts[-1].startswith("price="):
            given["price"] = parts.pop().partition("=")[2]
        if len(parts) > len(order):
            raise ValueError(f"{place} has {len(parts)} arguments; it takes {', '.join(order)}")
        given.update(zip(order, parts))
    for key, value in given.items():
        if key not in (*order, "price"):
            raise ValueError(f"{place} has no {key!r}; it takes {', '.join(order)}, price")
        if key in "ab":
            if key == "a" and value == "" and make is not never:
                given[key] = None
            elif isinstance(value, bool) or not isinstance(value, (str, int)):
                raise ValueError(f"{place}.{key} is {value!r}; it must be the name of a label")
        elif key == "k" or value is not None:
            try:
                given[key] = int(str(value)) if key == "k" else float(str(value))
            except ValueError:
                number = "whole number" if key == "k" else "number"
                raise ValueError(f"{place}.{key} is {value!r}; it must be a {number}") from None
    for key in order:
        if key not in given and takes[key].default is takes[key].empty:
            raise ValueError(f"{place}.{key} is missing")
    return make(**given)


@dataclasses.dataclass(frozen=True)
class Proposal:
    """A rule that gold labels keep, always or nearly always. Provisional until 1.0.

    rule   the rule: without a price if no chain breaks it; otherwise its price is the logarithm of
           the odds that a chain keeps it, in the unit of log-probabilities
    holds  the number of chains that keep it
    of     the number of chains that could break it: those with a, or with both a and b
    """

    rule: Rule
    holds: int
    of: int

    def __str__(self) -> str:
        return f"{self.rule} ({self.holds} of {self.of})"


def propose(
    labels: Iterable[Sequence[int]],
    names: Sequence[str],
    scheme: Scheme = "plain",
    *,
    share: float = 0.98,
    minimum: int = 20,
) -> list[Proposal]:
    """Looks for rules that gold labels keep: each kind at most once, a before b, a only directly
    after b, a needs b. They are proposals: whoever knows the texts says which are true. Provisional
    until 1.0.

    labels   the labels of each chain, numbers of `names`; negative: not known, which ends a segment
    scheme   as in `decode`. The kind "O" is left out
    share    at least this share of the chains that could break a rule must keep it
    minimum  at least so many chains could break it

    >>> gold = [[0, 1, 1], [0, 1], [0, 0, 1]] * 10
    >>> for proposal in propose(gold, ["Street", "City"]):
    ...     print(proposal)
    at most 1 segment of Street (30 of 30)
    Street before City (30 of 30)
    Street needs City (30 of 30)
    at most 1 segment of City (30 of 30)
    City only directly after Street (30 of 30)
    City needs Street (30 of 30)
    """
    kinds = LabelMap.from_names(list(names), scheme)
    kind_of, begins = kinds.kind_of_label, kinds.begins
    assert kind_of is not None and begins is not None
    counts: dict[tuple[int, int, int | None], list[int]] = {}
    of_interest = [kind for kind, name in enumerate(kinds.kind_names) if name != "O"]
    for chain in labels:
        segments: list[int] = []
        before = -1
        for label in chain:
            kind = int(kind_of[label]) if label >= 0 else -1
            if kind != before or (label >= 0 and begins[label]):
                segments.append(kind)
            before = kind
        for a, rule, b, keeps in _kept(segments, of_interest):
            entry = counts.setdefault((a, rule, b), [0, 0])
            entry[0] += keeps
            entry[1] += 1
    found = []
    for (a, number, second), (holds, of) in sorted(counts.items(), key=lambda entry: entry[0][:2]):
        if of < minimum or holds < share * of:
            continue
        price = None if holds == of else math.log(holds / (of - holds))
        other = None if second is None else kinds.kind_names[second]
        found.append(Proposal(Rule(number, kinds.kind_names[a], other, price=price), holds, of))
    return found


def _kept(segments: list[int], kinds: Sequence[int]) -> Iterator[tuple[int, int, int | None, bool]]:
    """Yields each rule that a chain could break, as a, the number of the rule and b, and whether
    the chain keeps it. segments: the kinds of its segments."""
    for a in kinds:
        places = [place for place, kind in enumerate(segments) if kind == a]
        if not places:
            continue
        yield a, c.CHORALE_RULE_AT_MOST, None, len(places) == 1
        for b in kinds:
            if b == a:
                continue
            after = all(place > 0 and segments[place - 1] == b for place in places)
            yield a, c.CHORALE_RULE_NEEDS, b, b in segments
            yield a, c.CHORALE_RULE_DIRECTLY_AFTER, b, after
            if b in segments:
                yield a, c.CHORALE_RULE_BEFORE, b, places[-1] < segments.index(b)


@dataclasses.dataclass(frozen=True)
class RuledChain:
    """A chain to which rules were added, since a labelling of it broke them. Provisional until 1.0.

    chain      the number of the chain
    state      "kept"; or the chain has the labels `alone`, since its rules are "impossible", "too
               dear" (beyond `most_cost`), or "unfinished": a limit ended the search
    cost       what the rules cost, by the scores of the chain alone; infinite if impossible
    gap        how much lower the cost may still be; 0: it is proven
    conflicts  rules that exclude each other, in words, of which each is needed for that
    reasons    a reason for each position that rules change, without agreement
    """

    chain: int
    state: State
    cost: float
    gap: float
    conflicts: list[str]
    reasons: list[RuleReason]
    names: Sequence[str] = dataclasses.field(default=(), repr=False)

    def __str__(self) -> str:
        if self.state == "impossible":
            return f"chain {self.chain}: no labelling keeps {' and '.join(self.conflicts)}"
        lines = [f"chain {self.chain}: its rules cost {self.cost:g}"]
        if self.state != "kept":
            lines[0] += f" ({self.state}: it keeps its own labels)"
        for reason in self.reasons:
            was, now = (
                self.names[label] if self.names else label
                for label in (reason.own_label, reason.label)
            )
            lines.append(
                f"  position {reason.position}: {now}, not {was} ({reason.told};"
                f" cost {reason.cost:g})"
            )
        return "\n".join(lines)


def check_anywhere(rules: Rule | Sequence[Rule], what: str) -> None:
    """Checks rules that are given before there are chains. what: why none can be for some chains
    only."""
    for number, rule in enumerate(_listed(rules)):
        if rule.chains is not None:
            raise ValueError(f"{_place(number, rule)}.chains is given; {what}")


def _listed(rules: Any) -> list[Rule]:
    """Returns the argument `rules`, one rule or several, as a list of rules."""
    one = isinstance(rules, str) or not isinstance(rules, Iterable)
    listed = [rules] if one else list(rules)
    for number, rule in enumerate(listed):
        if not isinstance(rule, Rule):
            parsed = f" or rules.parse([{rule!r}])" if isinstance(rule, str) else ""
            raise TypeError(
                f"rules[{number}] must be made by a function of libchorale.rules{parsed}, "
                f"not {rule!r}"
            )
    return listed


def _place(number: int, rule: Rule) -> str:
    return f"rules[{number}] ({_NAMES[rule.number]})"


class Given:
    """The rules of a call, checked. names: those of the labels, or None. m: number of labels."""

    def __init__(
        self,
        rules: Rule | Sequence[Rule],
        names: Sequence[str] | None,
        scheme: Scheme,
        most_cost: float | None,
        m: int,
    ) -> None:
        rules = _listed(rules)
        if scheme != "plain" and names is None:
            raise ValueError(f"names is missing: scheme {scheme!r} needs the names of the labels")
        self.names = () if names is None else tuple(names)
        self.map = LabelMap(m, m) if names is None else LabelMap.from_names(list(names), scheme)
        self.most_cost = 0.0 if most_cost is None else most_cost
        self.rules = [
            rule
            if rule.sides is None or rule.prop is not None
            else dataclasses.replace(rule, prop=self._sides(_place(number, rule), rule))
            for number, rule in enumerate(rules)
        ]

    def _kind(self, place: str, kind: Kind) -> int:
        if not isinstance(kind, str):
            return arrays.integer(place, kind)
        if kind not in self.map.kind_names:
            known = ", ".join(self.map.kind_names) or "none; pass names"
            raise ValueError(f"{place} is {kind!r}; it must be one of the kinds: {known}")
        return self.map.kind(kind)

    def _sides(self, place: str, rule: Rule) -> Property:
        """Returns the property of a rule with sides, which fires at a second segment of a side."""
        assert rule.a is not None and rule.sides is not None
        m = self.map.labels
        kind_of = np.arange(m) if self.map.kind_of_label is None else self.map.kind_of_label
        begins = np.zeros(m) if self.map.begins is None else self.map.begins
        a = self._kind(f"{place}.a", rule.a)
        of = [self._kind(f"{place}.of", kind) for kind in rule.sides]
        builder = Property.builder(m, values=1)
        # Before a segment, in it, and after it; then the same on the other side.
        states = [0] + [builder.add_state() for _ in range(5)]
        for label in range(m):
            for number, state in enumerate(states):
                side, stage = states[number // 3 * 3 :], number % 3
                if kind_of[label] == a:
                    again = stage == 2 or (stage == 1 and begins[label])
                    action = 0 if again else FIRE_NOTHING
                    builder.rule(state, label=label, next=side[1], action=action)
                elif kind_of[label] in of and number < 3:
                    builder.rule(state, label=label, next=states[3])
                elif stage == 1:
                    builder.rule(state, label=label, next=side[2])
        return builder.finish()

    def told(self, number: int, a: int) -> str:
        rule = self.rules[number]
        if rule.a is None and rule.prop is None:
            return rule.told(self.map.kind_names[a] if self.map.kind_names else a)
        return str(rule)

    def struct(self, stack: ExitStack) -> c.chorale_rules:
        """Returns the struct for C, valid until the stack closes."""
        all_rules = (c.chorale_rule * max(1, len(self.rules)))()
        kept: list[Any] = [all_rules]
        for number, rule in enumerate(self.rules):
            place, free = _place(number, rule), rule.prop is None
            if arrays.integer(f"{place}.k", rule.k) < 1:
                raise ValueError(f"{place}.k is {rule.k}; it must be at least 1")
            if rule.price is not None and not rule.price > 0:
                raise ValueError(f"{place}.price is {rule.price}; it must be above 0")
            # No chains: an array that is there, but has no entries.
            chains = None if rule.chains is None else np.append(rule.chains, 0).astype(np.int64)
            made = struct(
                c.chorale_rule,
                kind=rule.number,
                k=rule.k,
                each=int(rule.a is None and free),
                a=self._kind(f"{place}.a", rule.a) if rule.a is not None and free else None,
                b=None if rule.b is None else self._kind(f"{place}.b", rule.b),
                price=rule.price,
                chains=chains,
                chain_count=None if chains is None else len(chains) - 1,
                property=rule.prop,
            )
            stack.enter_context(Using(made))
            kept.append(made)
            all_rules[number] = made
        told = struct(c.chorale_rules)
        told.rules, told.count = all_rules, len(self.rules)
        told.most_cost = self.most_cost
        of_labels = self.map._struct()
        told.map = pointer(of_labels)
        told.kept = (kept, of_labels)
        return told


def ruled_chains(decoded: Any, given: Given) -> list[RuledChain]:
    """Reads the chains with rules from a result of C."""
    ruled = entries(library.chorale_decoded_ruled_chains, c.chorale_ruled_chain, decoded)
    conflicts: dict[int, list[str]] = {}
    reasons: dict[int, list[RuleReason]] = {}
    for chain, rule, a, _ in entries(
        library.chorale_decoded_rule_conflicts, c.chorale_rule_conflict, decoded
    ):
        conflicts.setdefault(chain, []).append(given.told(rule, a))
    for chain, position, rule, a, own, label, _, cost in entries(
        library.chorale_decoded_rule_reasons, c.chorale_rule_reason, decoded
    ):
        told = given.told(rule, a)
        reasons.setdefault(chain, []).append(RuleReason(told, position, rule, own, label, cost))
    found = []
    for chain, state, _, cost, gap in ruled:
        why = conflicts.get(chain, []), reasons.get(chain, [])
        found.append(RuledChain(chain, _STATES[state], cost, gap, *why, given.names))
    return found
