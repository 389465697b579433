"""One call for the common case: chains in documents, and what ought to agree within each."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import Executor
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import html
from .cancel import Cancel
from .chain import Chain, Edges, Transitions
from .errors import Renaming
from .message import ChainSolver, JointMode
from .model import ModelBuilder
from .outcome import Outcome
from .potential import Potential
from .problem import Problem
from .property import Dictionary, Property
from .run import MessageElement, Progress, Run, Schedule

#: A property with more values than this gets a dictionary of those that fire in the chains' own
#: best labellings.
FULL_RANGE = 256

Agreement = Union[str, Property, "tuple[str | Property, float]"]


@dataclasses.dataclass(frozen=True)
class Reason:
    """Why a chain changed: a clique pays for it.

    what       "word": the places of a word; or the number of a property in `agree`
    group      the group (document) of the chain
    position   where in the chain; -1 for a property, which is of the whole chain
    own_value  what stood there in the chain's own best labelling; value: what stands there now.
               For a word these are labels, for a property what it shows
    amount     what the clique would lose if this place alone went back to own_value
    """

    what: str | int
    group: Hashable
    position: int
    own_value: int
    value: int
    amount: float


@dataclasses.dataclass(frozen=True)
class Change:
    """A chain whose labels are not its own best.

    chain          its number; before, after: T labels each, int32
    reasons        which cliques pay for the change; a position without a reason was moved by its
                   neighbours
    """

    chain: int
    before: arrays.Ints
    after: arrays.Ints
    reasons: list[Reason]


@dataclasses.dataclass(frozen=True)
class Decoded:
    """What `decode` found. It stands by itself, and can be pickled.

    labels       for each chain T labels, int32; own: each chain's best labels by itself
    score        of all labels together, agreement included; own_score: that of `own`
    upper_bound  no labelling scores more; infinite where bound_steps is 0
    proven       True: the labels are the best there are, up to rounding
    outcome      how it ended; rounds: of messages
    changed      the chains whose labels differ from their own best, and why
    names, words as they were given, for the display in notebooks
    """

    labels: list[arrays.Ints]
    own: list[arrays.Ints]
    score: float
    own_score: float
    upper_bound: float
    proven: bool
    outcome: Outcome
    rounds: int
    changed: list[Change]
    names: Sequence[str] = dataclasses.field(default=(), repr=False)
    words: Sequence[Sequence[Hashable]] | None = dataclasses.field(default=None, repr=False)

    def _repr_html_(self) -> str:
        parts = [html.head(self, len(self.changed))]
        for change in self.changed[: html.LIMIT]:
            words = range(len(change.after)) if self.words is None else self.words[change.chain]
            texts = [str(word) for word in words]
            reasons = (
                (
                    texts[reason.position] if reason.position >= 0 else None,
                    self._value(reason, reason.value),
                    self._value(reason, reason.own_value),
                    f"{_kind(reason.what)} pays {reason.amount:.3g}",
                )
                for reason in change.reasons
            )
            before, after = change.before.tolist(), change.after.tolist()
            title = f"chain {change.chain}"
            parts.append(html.chain(title, texts, before, after, self.names, reasons))
        return "".join(parts) + html.left_out(len(self.changed))

    def _value(self, reason: Reason, value: int) -> str:
        return html.label_name(self.names if reason.what == "word" else (), value)


def _kind(what: str | int) -> str:
    return "word" if what == "word" else f"property {what}"


@dataclasses.dataclass(frozen=True)
class _Built:
    problem: Problem
    groups: Sequence[Hashable]
    kinds: list[str | int]  # by clique


def build_problem(
    unaries: Iterable[Chain | npt.ArrayLike],
    transitions: Edges = None,
    *,
    groups: Sequence[Hashable] | None = None,
    tokens: Sequence[Sequence[Hashable]] | None = None,
    agree: Agreement | Sequence[Agreement] = "word",
    strength: float = 1.0,
    minimum: int = 2,
    stop: Iterable[Hashable] = (),
    names: Sequence[str] | None = None,
) -> Problem:
    """What `decode` solves, as a `Problem`: to save it, or to run it with a `Run` of one's own. The
    arguments are those of `decode`.

    >>> problem = build_problem([[[2.1, 0.3]], [[0.7, 0.9]]], tokens=[["Rome"], ["Rome"]])
    >>> Run(problem).solve().changed_chains
    1
    """
    return _build(
        unaries, transitions, groups, tokens, agree, strength, minimum, stop, names
    ).problem


def decode(
    unaries: Iterable[Chain | npt.ArrayLike],
    transitions: Edges = None,
    *,
    groups: Sequence[Hashable] | None = None,
    tokens: Sequence[Sequence[Hashable]] | None = None,
    agree: Agreement | Sequence[Agreement] = "word",
    strength: float = 1.0,
    minimum: int = 2,
    stop: Iterable[Hashable] = (),
    names: Sequence[str] | None = None,
    rounds: int = 10,
    damping: float = 0.0,
    schedule: Schedule = "all",
    algorithm: str = "auto",
    exact_marginals: bool = False,
    polish: bool = True,
    restrict_range: bool = False,
    joint_mode: JointMode = "auto",
    beam_width: int = 300,
    budget: int = 1024,
    message_element: MessageElement = "auto",
    threads: int = 1,
    executor: Executor | None = None,
    time_limit: float | None = None,
    cancel: Cancel | None = None,
    progress: Callable[[Progress], Any] | None = None,
    bound_steps: int = 0,
) -> Decoded:
    """Labels chains together: those of a group (a document, say) ought to agree.

    unaries      for each chain T x m scores, float64 or float32: the score of each label at each
                 position, such as a tagger's log-probabilities; or a `Chain`
    transitions  m x m scores of one label after another, or a `Transitions`, for all chains; None:
                 all zero
    groups       the group of each chain, anything that can be a dictionary's key; None: all are of
                 one group
    tokens       for each chain its T words: texts, or integers from 0
    agree        what ought to agree within a group: "word", the labels of a word wherever it is (at
                 least `minimum` times, and not one of `stop`); a `Property` of the chains (whose
                 tokens are integers); or a list of these, also as pairs with their own strengths
    strength     how much agreement is worth, in the unit of the scores. The n places of a word gain
                 strength / n times the sum, over the labels, of the squared number of places with
                 that label. So a place that joins all others gains 2 - 2 / n times the strength: as
                 much as the strength in a pair, nearly twice as much in a large clique. Tune it on
                 data that the tagger was not trained on: on its own training data 0 looks best
    names        m names of labels, for the display in notebooks

    The other options are those of `Run`. The display in notebooks shows what changed.

    >>> result = decode(
    ...     [[[2.1, 0.3]], [[1.9, 0.2]], [[0.7, 0.9]]], tokens=[["Washington"]] * 3, strength=0.9
    ... )
    >>> [int(labels[0]) for labels in result.labels], result.changed[0].chain
    ([0, 0, 0], 2)
    >>> [(reason.what, round(reason.amount, 6)) for reason in result.changed[0].reasons]
    [('word', 1.2)]
    """
    built = _build(unaries, transitions, groups, tokens, agree, strength, minimum, stop, names)
    with Run(
        built.problem,
        rounds=rounds,
        damping=damping,
        schedule=schedule,
        algorithm=algorithm,
        exact_marginals=exact_marginals,
        polish=polish,
        restrict_range=restrict_range,
        joint_mode=joint_mode,
        beam_width=beam_width,
        budget=budget,
        message_element=message_element,
        threads=threads,
        executor=executor,
        time_limit=time_limit,
        cancel=cancel,
        progress=progress,
        bound_steps=bound_steps,
    ) as run:
        result = run.solve()
        ends = np.cumsum(built.problem.model.chain_lengths).tolist()
        spans = list(zip([0, *ends], ends))
        now, own = run.all_labels(), run.all_labels(own=True)
        labels_now = [now[first:last] for first, last in spans]
        labels_own = [own[first:last] for first, last in spans]
        changed = [
            Change(
                number,
                labels_own[number],
                labels_now[number],
                [
                    Reason(
                        built.kinds[paid.clique],
                        built.groups[number],
                        paid.position,
                        paid.own_value,
                        paid.value,
                        paid.amount,
                    )
                    for paid in run.payments(number)
                ],
            )
            for number in run.changed_chains().tolist()
        ]
    return Decoded(
        labels=labels_now,
        own=labels_own,
        score=result.score,
        own_score=result.own_score,
        upper_bound=result.upper_bound,
        proven=result.proven,
        outcome=result.outcome,
        rounds=result.rounds,
        changed=changed,
        names=() if names is None else list(names),
        words=tokens,
    )


def _build(
    unaries: Iterable[Any],
    transitions: Any,
    groups: Sequence[Hashable] | None,
    tokens: Sequence[Sequence[Hashable]] | None,
    agree: Any,
    strength: float,
    minimum: int,
    stop: Iterable[Hashable],
    names: Sequence[str] | None,
) -> _Built:
    if transitions is not None and not isinstance(transitions, Transitions):
        with Renaming({"scores": "transitions"}):
            transitions = Transitions(transitions)
    chains: list[Chain] = []
    for item in unaries:
        with Renaming({"unary": f"unaries[{len(chains)}]"}):
            shared = None if isinstance(item, Chain) else transitions
            chains.append(Chain._for_a_call(item, shared))
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
        with Renaming({"unary": f"unaries[{index}]", "tokens": f"tokens[{index}]"}):
            builder.add_chain(chain, tokens=own, group=group_of[index])

    wanted = _wanted(agree, strength)
    kinds: list[str | int] = []  # by clique
    solver = ChainSolver()
    for what, prop, own_strength in wanted:
        if prop is None:
            if ids is None:
                raise TypeError('tokens is missing: agree="word" needs the words of the chains')
            labels = {chain.labels for chain in chains}
            if len(labels) > 1:
                raise ValueError(f"chains have different numbers of labels: {sorted(labels)}")
            if not labels:
                continue
            potential = Potential.potts(labels.pop(), own_strength, scale="members")
            left_out = set(stop)
            words: list[Any] = list(left_out)
            if texts:
                words = [n for n, text in enumerate(texts) if text in left_out]
            made = builder.add_repeated_words(potential, minimum=minimum, stop=words)
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

    problem = Problem(builder.freeze())
    _name(problem, names, tokens if texts else None, kinds)
    return _Built(problem, groups, kinds)


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
        flat = arrays.ints("tokens", [word for words in tokens for word in words])
        ends = np.cumsum([chain.length for chain in chains]).tolist()
        return [flat[first:last] for first, last in zip([0, *ends], ends)], []
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
    if not single and not isinstance(agree, Iterable):
        raise TypeError(f'agree is {agree!r}, neither "word" nor a Property nor a list of these')
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


def _name(
    problem: Problem,
    names: Sequence[str] | None,
    words: Sequence[Sequence[Hashable]] | None,
    kinds: list[str | int],
) -> None:
    if names is not None:
        with Renaming({"labels": "names"}):
            problem.labels = list(names)
    if words is not None:
        problem.words = [str(word) for chain in words for word in chain]
    if kinds:
        problem.clique_kinds = [_kind(what) for what in kinds]
        if names is not None:
            problem.name_values(["labels" if what == "word" else None for what in kinds])
