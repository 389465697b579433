"""The simplest interface: `decode` labels chains together, given which labels should agree.

The positions whose labels should agree with each other (or the chains, if the values of a property
should agree) form a *clique*.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from ctypes import pointer
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from . import rules as of_rules
from ._agreements import READ, Agree, Given, Strength, placed, read
from ._callbacks import Raised
from ._declarations import Outcome
from ._handle import Closable
from ._native import Using, call, get, library
from ._native import read as filled
from ._work import entries, told
from .cancel import Cancel, Stop
from .chain import Scheme, Transitions
from .errors import Renaming, StateError
from .model import corpus_of
from .problem import Problem
from .run import (
    OF_A_RUN,
    LeftOut,
    Progress,
    Reason,
    left_out_of,
    run_options,
    telling,
)


@dataclasses.dataclass(frozen=True)
class Change:
    """A chain whose labels differ from its best labels without cliques and rules.

    chain    the number of the chain
    before   the chain's best labels without cliques and rules, one for each position, int32
    after    the chain's labels in the result, one for each position, int32
    reasons  the cliques in which the value of a position, or of the chain, changed. An amount may be
             0 or below: then something else, such as a rule, made the change. A position that
             changed but has no reason changed because of a neighbour's label or a rule
             (`Decoded.ruled`)
    """

    chain: int
    before: arrays.Ints
    after: arrays.Ints
    reasons: list[Reason]


SHOWN = 20  # changed chains in the text of a `Decoded`


@dataclasses.dataclass(frozen=True, repr=False)
class Decoded:
    """The result of `decode`. str() says what changed and why. Holds copies of everything it needs,
    and can be pickled.

    labels       for each chain an int32 array of labels, one for each position; -1 in chains that
                 are left out
    alone        for each chain its best labels without cliques and rules, in the same form;
                 `forced` and `allowed` hold for them, too
    score        score of all labels together, including agreement
    own_score    the same score for the labels `alone`, even where they break rules
    upper_bound  upper bound on the score of any labelling; infinite if bound_steps is 0
    proven       True: the labels are optimal, up to rounding
    outcome      how the run ended
    rounds       number of rounds of messages
    changed      the chains whose labels differ from `alone`, with the reasons
    strengths    the strength of each agreement, given or found. 0 if its potential was given. Also
                 0 if "auto" found none, since even the smallest strength would change too many
                 labels: then nothing agrees; give a number
    left_out     the chains that are left out, since every labelling of them is forbidden
    ruled        the chains to which rules were added, since a labelling of them broke them
    names        names of the labels, for str()
    words        the argument `tokens` of `decode`, for str()
    coupled      True: `transitions` or `edges` were given, so that labels depend on the labels
                 beside them
    """

    labels: list[arrays.Ints]
    alone: list[arrays.Ints]
    score: float
    own_score: float
    upper_bound: float
    proven: bool
    outcome: Outcome
    rounds: int
    changed: list[Change]
    strengths: list[float] = dataclasses.field(default_factory=list)
    left_out: list[LeftOut] = dataclasses.field(default_factory=list)
    ruled: list[of_rules.RuledChain] = dataclasses.field(default_factory=list)
    names: Sequence[str] = dataclasses.field(default=(), repr=False)
    words: Sequence[Sequence[Hashable]] | None = dataclasses.field(default=None, repr=False)
    coupled: bool = dataclasses.field(default=False, repr=False)

    @property
    def gap(self) -> float:
        """upper_bound - score"""
        return self.upper_bound - self.score

    def __str__(self) -> str:
        rules = {ruled.chain: ruled for ruled in self.ruled}
        bound = "" if self.upper_bound == np.inf else f", upper bound {self.upper_bound:.6g}"
        lines = [
            f"{self.outcome} after {self.rounds} rounds: score {self.score:.6g} (chains by "
            f"themselves{', without rules,' if rules else ''} {self.own_score:.6g}){bound}"
            f"{', proven optimal' * self.proven}; {len(self.changed)} chains changed",
            *self._exceptions(),
        ]
        for change in self.changed[:SHOWN]:
            lines.append(f"chain {change.chain}")
            for of in gains(change):
                if of.position < 0:  # of the whole chain
                    lines.append(f"  value {of.value}, not {of.own_value} ({_gain(of)})")
            for place, why in self._why(change, _gain, rules.get(change.chain)).items():
                word = f"position {place}"
                if self.words is not None and not arrays.missing(self.words[change.chain][place]):
                    word = str(self.words[change.chain][place])
                now, before = (self._named(int(of[place])) for of in (change.after, change.before))
                lines.append(f"  {word}: {now}, not {before} ({'; '.join(why)})")
        if len(self.changed) > SHOWN:
            lines.append(f"and {len(self.changed) - SHOWN} more")
        return "\n".join(lines)

    __repr__ = __str__

    def _exceptions(self) -> Iterator[str]:
        """Yields a line for each kind of chains without labels, or whose labels break rules."""
        undecided = sum(of.obstacle == "undecided" for of in self.left_out)
        changed = {change.chain for change in self.changed}
        # A chain that rules cost something, and that has the labels it had, pays their prices.
        kept = [of for of in self.ruled if of.state == "kept"]
        paid = sum(of.cost > 1e-9 and of.chain not in changed for of in kept)
        for count, told in (
            (
                len(self.left_out) - undecided,
                "left out, since every labelling is forbidden: .left_out",
            ),
            (undecided, "left out, since no allowed labelling was found: .left_out"),
            (len(self.ruled) - len(kept), "whose rules are not kept: .ruled"),
            (paid, "not changed, at the price of broken rules: .ruled"),
        ):
            if count:
                yield f"{count} chain{'s' * (count > 1)} {told}"

    def _why(
        self,
        change: Change,
        told: Callable[[Reason], str],
        ruled: of_rules.RuledChain | None,
    ) -> dict[int, list[str]]:
        """Returns why each position changed that did. told: says what a reason says about its
        clique. ruled: what rules did to the chain, if any."""
        moved = change.before != change.after
        said: dict[int, list[str]] = {place: [] for place in np.flatnonzero(moved).tolist()}
        of_cliques = [(of.position, told(of)) for of in gains(change) if of.position >= 0]
        of_rules = [] if ruled is None else [(of.position, of.told) for of in ruled.reasons]
        for place, text in [*of_cliques, *of_rules]:
            if place in said:
                said[place].append(text)
        for place, texts in said.items():
            if texts:
                continue
            if self.coupled and moved[max(0, place - 1) : place + 2].sum() > 1:
                texts.append("because of the labels beside it")
            elif ruled is not None:
                texts.append("because of a rule and agreement")
            elif any(reason.position < 0 for reason in gains(change)):
                texts.append("because of the value of the chain")
            else:
                texts.append("no gain by itself")
        return said

    def _named(self, label: int) -> str:
        return self.names[label] if 0 <= label < len(self.names) else str(label)


def gains(change: Change) -> list[Reason]:
    """Returns the reasons whose cliques gain by the change, beyond rounding."""
    return [reason for reason in change.reasons if reason.amount > 1e-9]


def _gain(reason: Reason) -> str:
    """Returns what a reason says about its clique."""
    text = f"{_kind(reason.what)} gains {reason.amount:.3g}"
    if reason.others == 0:  # a centre, or a member that is alone
        return text
    others = f"{reason.agreeing_before} of {reason.others} others were"
    return f"{others}, {reason.agreeing} of {reason.others} are now; {text}"


def _kind(what: str | int | None) -> str:
    return "word" if what == "words" else f"agreement {what}"


def build_problem(
    unaries: Iterable[npt.ArrayLike],
    transitions: Transitions | npt.ArrayLike | None = None,
    *,
    groups: Sequence[Hashable] | None = None,
    tokens: Sequence[Sequence[Hashable]] | None = None,
    agree: Agree | Sequence[Agree] | None = None,
    strength: Strength = "auto",
    minimum: int = 2,
    stop: Iterable[Hashable] = (),
    uncounted: Iterable[int | str] | None = None,
    names: Sequence[str] | None = None,
    edges: Sequence[npt.ArrayLike] | None = None,
    forced: Sequence[npt.ArrayLike] | None = None,
    allowed: Sequence[npt.ArrayLike] | None = None,
    counts: npt.ArrayLike | None = None,
    gold: npt.ArrayLike | None = None,
) -> Problem:
    """Returns the `Problem` that `decode` would solve. It can be saved, or solved with a `Run`. The
    cliques of entry k of `agree` are of kind k; they are there even if its strength is 0. The
    arguments are those of `decode`, and

    gold  the gold label of every position, chain after chain, for `libchorale.learn.learn`; -1 if
          unknown. A strength "auto" is then 1 until it is learnt

    >>> problem = build_problem([[[2.1, 0.3]], [[0.7, 0.9]]], tokens=[["Rome"], ["Rome"]])
    >>> Run(problem).solve().changed_chains
    1
    """
    given = read(**{name: value for name, value in locals().items() if name in READ})
    labels = None if gold is None else arrays.ints("gold", gold, size=int(given.offsets[-1]))
    asked = [wanted.agreement for wanted in given.wanted]
    if labels is None and any(of.strength == "auto" and of.potential is None for of in asked):
        with solved(given, {"rounds": 0}) as solution:
            for wanted, found in zip(given.wanted, solution.strengths(len(asked))):
                if wanted.agreement.strength == "auto":
                    wanted.agreement = dataclasses.replace(wanted.agreement, strength=found)
    problem = agreeing(given, labels)
    kinds = [problem.clique_kind(clique) for clique in range(problem.model.cliques)]
    if names is not None:
        with Renaming({"labels": "names"}):
            problem.labels = list(names)
        problem.name_values(["labels" if given.wanted[k].prop is None else None for k in kinds])
    if given.texts and tokens is not None:
        problem.words = ["" if arrays.missing(w) else str(w) for chain in tokens for w in chain]
    if kinds:
        problem.kinds = [_kind(wanted.what) for wanted in given.wanted]
    return problem


def agreeing(given: Given, labels: arrays.Ints | None) -> Problem:
    """Returns a problem with gold labels, made by one call of the library. given: the checked
    arguments. labels: the gold label of every position; None: no gold labels."""
    with ExitStack() as stack, placed(given):
        corpus = corpus_of(given.scores, given.offsets, **given.fields)
        create = library.chorale_problem_create_agreeing
        agreements, raised = specification(stack, given)
        made = Problem._create(create, None, corpus, agreements, len(given.wanted), labels)
    kept = [wanted.agreement.potential for wanted in given.wanted] if raised else []
    return Problem._made(made, *kept, raised=raised)


def decode(
    unaries: Iterable[npt.ArrayLike],
    transitions: Transitions | npt.ArrayLike | None = None,
    *,
    groups: Sequence[Hashable] | None = None,
    tokens: Sequence[Sequence[Hashable]] | None = None,
    agree: Agree | Sequence[Agree] | None = None,
    strength: Strength = "auto",
    minimum: int = 2,
    stop: Iterable[Hashable] = (),
    uncounted: Iterable[int | str] | None = None,
    names: Sequence[str] | None = None,
    edges: Sequence[npt.ArrayLike] | None = None,
    forced: Sequence[npt.ArrayLike] | None = None,
    allowed: Sequence[npt.ArrayLike] | None = None,
    counts: npt.ArrayLike | None = None,
    rules: of_rules.Rule | Sequence[of_rules.Rule] = (),
    scheme: Scheme = "plain",
    most_cost: float | None = None,
    rounds: int = 10,
    effort: float = 0.0,
    threads: int = 1,
    time_limit: float | None = None,
    cancel: Cancel | None = None,
    progress: Callable[[Progress], Any] | None = None,
    bound_steps: int = 0,
) -> Decoded:
    """Labels chains together so that labels agree within each group, such as a document. A chain
    has T positions; there are m labels, numbered from 0.

    unaries      an entry for each chain: T x m scores (float64 or float32) of each label at each
                 position, such as a tagger's log-probabilities; -inf forbids a label
    transitions  scores for all chains, m x m (entry [x, y] is the score of label y after label x),
                 or a `Transitions`; None: all zero
    groups       the group of each chain, anything that can be a dictionary's key; None: all are of
                 one group
    tokens       for each chain its T words: texts, or integers from 0. None, NaN and -1: no word
    agree        which labels should agree. None: "words" if there are tokens, otherwise nothing;
                 each chain is then labelled by itself. Or one of the following, or a list of them:
                 "words": the labels of all positions of a word in a group, if there are at least
                 `minimum` such positions and the word is not in `stop`;
                 a `Property`: its values on the chains of a group (if it reads tokens, these must
                 be integers);
                 a pair of one of these two and its own strength;
                 an `Agreement`, which has more settings, and a strength of its own
    strength     strength of the agreement, in the unit of the scores; "auto": it is found; 0: none.
                 Entries of `agree` that have strengths of their own do not read it.
                 The n positions of a word, n_y of which have label y, add
                 strength / n * sum_y n_y^2 to the score. So a position that changes to the label of
                 all others gains (2 - 2 / n) * strength: the strength in a pair, nearly twice the
                 strength in a large clique.
                 "auto": found from the scores, which should be log-probabilities up to a constant
                 (`libchorale.learn.learn`: without_gold). It tells how strongly labels should
                 agree, not whether they do; `libchorale.learn` finds both from gold labels
    minimum      a word at fewer positions of a group gets no clique
    stop         words that get no clique
    uncounted    labels, by number or by name, that take no part in the agreement of positions, such
                 as that of no entity: having them together gains nothing. None: the label named "O",
                 if `names` has it
    names        m names of labels, also for the text of the result
    edges        for each chain (T - 1) x m x m scores of its own, a matrix for each pair of
                 neighbours; they replace those of `transitions`, but not its start and end scores
    forced       for each chain T labels that are known, by number or by name; -1: free
    allowed      for each chain T x m booleans: False forbids a label at a position
    counts       for each chain how many equal chains it stands for: its scores and its votes are
                 multiplied. A strength "auto" is then 1, which is a guess: better give a number
    rules        a rule, or several, that the labels of each chain must keep (`libchorale.rules`),
                 such as `rules.once()`: at most one segment of each label. Provisional
    scheme       of `names`, for rules: "plain", or "bio", "bioes", "bilou" for rules about what
                 follows B-, I- and the like
    most_cost    a chain whose rules cost more keeps its own labels; None: no limit

    Options of `Run` may be given as well: rounds, effort, threads, time_limit, cancel, progress and
    bound_steps; see help(Run). For its others, give `Run` what `build_problem` returns. All chains
    must have the same number of labels; `allowed` says which labels a chain has. Trees are for
    `ModelBuilder`.

    >>> result = decode(
    ...     [[[2.1, 0.3]], [[1.9, 0.2]], [[0.7, 0.9]]], tokens=[["Washington"]] * 3, strength=0.9
    ... )
    >>> [int(labels[0]) for labels in result.labels], result.changed[0].chain
    ([0, 0, 0], 2)
    >>> [(reason.what, round(reason.amount, 6)) for reason in result.changed[0].reasons]
    [('words', 1.2)]
    """
    until = arrays.deadline("time_limit", time_limit)  # covers the work before the run, too
    options = {name: value for name, value in locals().items() if name in OF_A_RUN}
    given = read(**{name: value for name, value in locals().items() if name in READ})
    kept = None
    if rules:
        kept = of_rules.Given(rules, names, scheme, most_cost, given.scores.shape[1])
    limits: dict[str, Any] = {"until": until, "cancel": cancel, "progress": progress}
    with solved(given, options, kept, **limits) as solution:
        ruled = [] if kept is None else of_rules.ruled_chains(solution, kept)
        result = told(c.chorale_run_result, library.chorale_decoded_get_result, solution)
        left_out = left_out_of(get(library.chorale_decoded_run, solution))
        if result.outcome == Outcome.INFEASIBLE and left_out:
            raise StateError(f"no chain has an allowed labelling; {left_out[0]}")
        now, own = (
            solution.labels(which, int(given.offsets[-1]))
            for which in (c.CHORALE_TOGETHER, c.CHORALE_ALONE)
        )
        found = entries(library.chorale_decoded_reasons, c.chorale_reason, solution)
        strengths = solution.strengths(len(given.wanted))
    reasons: dict[int, list[Reason]] = {}
    for number, *of in found:
        what, chain = given.wanted[number].what, of[1]
        reason = dataclasses.replace(Reason(*of), what=what, group=given.group_names[chain])
        reasons.setdefault(chain, []).append(reason)
    ends = given.offsets.tolist()
    parts = [slice(first, last) for first, last in zip(ends, ends[1:])]
    places = np.searchsorted(given.offsets, np.flatnonzero(now != own), side="right") - 1
    changed = [
        Change(chain, own[parts[chain]], now[parts[chain]], reasons.get(chain, []))
        for chain in np.unique(places).tolist()
    ]
    return filled(
        Decoded,
        result,
        outcome=Outcome(result.outcome),
        labels=[now[part] for part in parts],
        alone=[own[part] for part in parts],
        changed=changed,
        left_out=left_out,
        ruled=ruled,
        names=() if names is None else list(names),
        words=tokens,
        coupled=transitions is not None or edges is not None,
        strengths=strengths,
    )


class _Solution(Closable):
    """The result of the C function chorale_decode (decode.h). raised: what callbacks raised."""

    _free = library.chorale_decoded_destroy

    def __init__(self, pointer: int, raised: list[Raised]) -> None:
        super().__init__(pointer)
        self._raised = raised

    def labels(self, labelling: int, count: int) -> arrays.Ints:
        labels = np.empty(count, dtype=np.int32)
        call(library.chorale_decoded_labels, self, labelling, labels, count, None)
        return labels

    def strengths(self, count: int) -> list[float]:
        return [get(library.chorale_decoded_strength, self, number) for number in range(count)]


def specification(stack: ExitStack, given: Given) -> tuple[Any, list[Raised]]:
    """Returns the agreements as an array for C, and the `Raised` objects that store exceptions of
    callbacks of their potentials."""
    sources: list[Raised] = []
    agreements = (c.chorale_agreement * max(1, len(given.wanted)))()
    for number, wanted in enumerate(given.wanted):
        agreement = wanted.struct()
        stack.enter_context(Using(agreement))
        if wanted.agreement.potential is not None:
            sources += wanted.agreement.potential._raised
        agreements[number] = agreement
    return agreements, sources


@contextmanager
def solved(
    given: Given,
    options: dict[str, Any],
    rules: of_rules.Given | None = None,
    *,
    until: float | None = None,
    cancel: Cancel | None = None,
    progress: Callable[[Progress], Any] | None = None,
    borrow: bool = False,
) -> Iterator[_Solution]:
    """Labels chains by the C function chorale_decode, and yields the solution, which is freed when
    the `with` block ends. rules: to be kept, or None. until: the deadline, from `arrays.deadline`.
    borrow: True: the scores are not copied, and must not change before the block ends."""
    raised, stop = Raised(), Stop(cancel)
    made = run_options(**options)
    made.time_limit = arrays.limit("time_limit", arrays.seconds_left(until))
    made.progress = telling(progress, raised)
    made.used["cancel"] = stop
    with ExitStack() as stack:
        corpus = corpus_of(given.scores, given.offsets, **given.fields, borrow=int(borrow))
        agreements, of_potentials = specification(stack, given)
        if rules is not None:
            made.rules = pointer(rules.struct(stack))
        how: dict[str, Any] = {"stop": stop, "sources": [raised, *of_potentials]}
        arguments = (library.chorale_decode, None, corpus, agreements, len(given.wanted), made)
        with placed(given):
            solution = _Solution(_Solution._create(*arguments, **how), of_potentials)
        error = raised.take()
        with solution:
            if error is not None:
                raise error
            yield solution
