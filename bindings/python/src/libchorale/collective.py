"""One call for the common case: chains in documents, and what ought to agree within each."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Union

import numpy as np

from . import _arrays as arrays
from . import html
from .chain import Chain, Transitions
from .message import ChainSolver
from .model import ModelBuilder
from .outcome import Outcome
from .potential import Potential
from .problem import Problem
from .property import Dictionary, Property
from .run import Run

#: A property with more values than this gets a dictionary of those that fire in the chains' own
#: best labellings.
FULL_RANGE = 256

Agreement = Union[str, Property, "tuple[str | Property, float]"]


@dataclasses.dataclass(frozen=True)
class Reason:
    """Why a chain changed: a clique ("word", or the number of the property in `agree`, in a group)
    pays `amount` for it. position: -1 for a property; values are labels, or what the property
    shows."""

    what: str | int
    group: Hashable
    position: int
    own_value: int
    value: int
    amount: float


@dataclasses.dataclass(frozen=True)
class Change:
    """A chain whose labels are not its own best."""

    chain: int
    before: arrays.Ints
    after: arrays.Ints
    reasons: list[Reason]


@dataclasses.dataclass(frozen=True)
class Decoded:
    """labels: of each chain; own: each chain's by itself. score: of all together, own_score that of
    `own`, upper_bound: no labelling scores more (+inf where none was asked for)."""

    labels: list[arrays.Ints]
    own: list[arrays.Ints]
    score: float
    own_score: float
    upper_bound: float
    proven: bool
    outcome: Outcome
    changed: list[Change]
    run: Run = dataclasses.field(repr=False, compare=False)

    def _repr_html_(self) -> str:
        return html.result(self.run.result)


def decode(
    unaries: Iterable[Any],
    transitions: Any = None,
    *,
    groups: Sequence[Hashable] | None = None,
    tokens: Sequence[Sequence[Hashable]] | None = None,
    agree: Agreement | Sequence[Agreement] = "word",
    strength: float = 1.0,
    minimum: int = 2,
    stop: Iterable[Hashable] = (),
    names: Sequence[str] | None = None,
    bound_steps: int = 0,
    copy: bool = False,
    **options: Any,
) -> Decoded:
    """Labels chains together: those of a group (a document, say) ought to agree.

    unaries      for each chain T x m scores (or a `Chain`)
    transitions  a `Transitions`, or m x m scores, for all chains; None: none
    groups       the group of each chain; None: all are of one
    tokens       the words of each chain: texts, or ids >= 0
    agree        what ought to agree within a group: "word", the labels of a word wherever it occurs
                 (at least `minimum` times, and not in `stop`); a `Property` of the chains (whose
                 tokens are ids); or a list of these, also as pairs with strengths of their own
    strength     how much: a clique of n members of which n_v show v scores strength / n * sum_v
                 n_v^2, so that joining all others is worth up to twice the strength to a member
    names        names of labels, for the result's HTML
    bound_steps  steps of the bound, options: of the `Run`; copy as in `Chain`

    >>> result = decode(
    ...     [[[2.1, 0.3]], [[1.9, 0.2]], [[0.7, 0.9]]], tokens=[["Washington"]] * 3, strength=0.9
    ... )
    >>> [int(labels[0]) for labels in result.labels], result.changed[0].chain
    ([0, 0, 0], 2)
    >>> [(reason.what, round(reason.amount, 6)) for reason in result.changed[0].reasons]
    [('word', 1.2)]
    """
    if transitions is not None and not isinstance(transitions, Transitions):
        transitions = Transitions(transitions, copy=copy)
    chains = [
        item if isinstance(item, Chain) else Chain(item, transitions, copy=copy) for item in unaries
    ]
    if groups is None:
        groups = [0] * len(chains)
    if len(groups) != len(chains):
        raise ValueError(f"groups has {len(groups)} entries for {len(chains)} chains")
    numbers: dict[Hashable, int] = {}
    group_of = [numbers.setdefault(group, len(numbers)) for group in groups]
    ids, texts = _token_ids(chains, tokens)
    builder = ModelBuilder()
    for index, chain in enumerate(chains):
        own = None if ids is None else ids[index]
        builder.add_chain(chain, tokens=own, group=group_of[index])

    wanted = _wanted(agree, strength)
    kinds: list[str | int] = []  # by clique
    solver = ChainSolver()
    for what, prop, own_strength in wanted:
        if prop is None:
            if ids is None:
                raise TypeError('to agree on a "word", decode needs the tokens of the chains')
            labels = {chain.labels for chain in chains}
            if len(labels) > 1:
                raise ValueError(f"chains have different numbers of labels: {sorted(labels)}")
            if not labels:
                continue
            potential = Potential.potts(labels.pop(), own_strength, scale="members")
            left_out = [n for n, text in enumerate(texts) if text in set(stop)] if texts else stop
            made = builder.add_repeated_words(potential, minimum=minimum, stop=list(left_out))
            kinds.extend(what for _ in made)
            continue
        members: dict[int, list[int]] = {}
        for index in range(len(chains)):
            members.setdefault(group_of[index], []).append(index)
        for own_chains in members.values():
            if len(own_chains) < 2:
                continue
            table = {i: None if ids is None else ids[i] for i in own_chains}
            dictionary = _dictionary(prop, solver, chains, table)
            values = prop.values if dictionary is None else len(dictionary)
            # What is outside the dictionary is not one value.
            counted = None if dictionary is None else [True] * (values - 1) + [False]
            clique = builder.add_clique(
                property=prop,
                dictionary=dictionary,
                potential=Potential.potts(values, own_strength, scale="members", counted=counted),
            )
            kinds.append(what)
            for index in own_chains:
                builder.add_member(clique, index)

    model = builder.freeze()
    problem = _named(Problem(model), chains, names, tokens if texts else None, kinds)
    run = Run(problem, bound_steps=bound_steps, **options)
    result = run.solve()
    ends = np.cumsum([chain.length for chain in chains])[:-1]
    labels_now = np.split(run.all_labels(), ends) if chains else []
    labels_own = np.split(run.all_labels(own=True), ends) if chains else []
    changed = []
    for index, (before, after) in enumerate(zip(labels_own, labels_now)):
        if (before != after).any():
            reasons = [
                Reason(
                    kinds[paid.clique],
                    groups[index],
                    paid.position,
                    paid.own_value,
                    paid.value,
                    paid.amount,
                )
                for paid in run.payments(index)
            ]
            changed.append(Change(index, before, after, reasons))
    return Decoded(
        labels=labels_now,
        own=labels_own,
        score=result.score,
        own_score=result.own_score,
        upper_bound=result.upper_bound,
        proven=result.proven,
        outcome=result.outcome,
        changed=changed,
        run=run,
    )


def _token_ids(
    chains: list[Chain], tokens: Sequence[Sequence[Hashable]] | None
) -> tuple[list[arrays.Ints] | None, list[Hashable]]:
    """Ids of the tokens of each chain, and the texts that they stand for; ids remain."""
    if tokens is None:
        return None, []
    if len(tokens) != len(chains):
        raise ValueError(f"tokens has {len(tokens)} entries for {len(chains)} chains")
    for index, (words, chain) in enumerate(zip(tokens, chains)):
        if isinstance(words, (str, bytes)):
            raise TypeError(f"tokens[{index}] is {words!r}, not a sequence of words")
        if len(words) != chain.length:
            raise ValueError(f"tokens[{index}] has {len(words)} words for {chain.length} positions")
    if all(hasattr(word, "__index__") for words in tokens for word in words):
        return [arrays.ints("tokens", words) for words in tokens], []
    numbers: dict[Hashable, int] = {}
    ids = [
        np.array([numbers.setdefault(word, len(numbers)) for word in words], dtype=np.int32)
        for words in tokens
    ]
    return ids, list(numbers)


def _wanted(agree: Any, strength: float) -> list[tuple[str | int, Property | None, float]]:
    single = isinstance(agree, (str, Property)) or (
        isinstance(agree, tuple) and len(agree) == 2 and isinstance(agree[1], (int, float))
    )
    wanted: list[tuple[str | int, Property | None, float]] = []
    for number, item in enumerate([agree] if single else agree):
        own = strength
        if isinstance(item, tuple) and len(item) == 2:
            item, own = item
        if isinstance(item, Property):
            wanted.append((number, item, own))
        elif item == "word":
            wanted.append(("word", None, own))
        else:
            raise TypeError(f'agree holds {item!r}, neither "word" nor a Property')
    return wanted


def _dictionary(
    prop: Property, solver: ChainSolver, chains: list[Chain], tables: dict[int, Any]
) -> Dictionary | None:
    """The values that fire in the chains' own best labellings, and OUT; None where the property has
    few values in all."""
    if prop.values <= FULL_RANGE:
        return None
    fired: set[int] = set()
    for index, table in tables.items():
        best = solver.best(chains[index])
        if best.labels is not None:
            fired.update(prop.fired(best.labels, table=table).tolist())
    return Dictionary(sorted(fired), out=True)


def _named(
    problem: Problem,
    chains: list[Chain],
    names: Sequence[str] | None,
    words: Sequence[Sequence[Hashable]] | None,
    kinds: list[str | int],
) -> Problem:
    if names is not None:
        problem.labels = names
    if words is not None:
        problem.words = [str(word) for chain in words for word in chain]
    if kinds:
        problem.clique_kinds = [w if w == "word" else f"property {w}" for w in kinds]
        if names is not None:
            problem.name_values(["labels" if w == "word" else None for w in kinds])
    return problem
