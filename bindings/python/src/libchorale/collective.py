"""The simplest interface: `decode` labels chains together, given which labels should agree.

The positions whose labels should agree with each other (or the chains, if the values of a property
should agree) form a *clique*.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from ctypes import byref, pointer
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from . import html
from . import rules as of_rules
from ._agreements import Agree, Given, Placed, Strength, Wanted, build, read
from ._callbacks import Raised
from ._handle import Closable
from ._learnt import learn
from ._native import call, library, struct
from ._work import entries
from .cancel import Cancel, Stop
from .chain import Chain, Edges, Scheme
from .errors import Renaming, StateError
from .model import corpus_struct
from .outcome import Outcome
from .problem import Problem
from .run import (
    JointMode,
    LeftOut,
    MessageElement,
    Progress,
    Reason,
    Run,
    RunResult,
    left_out_of,
    result_of,
    run_options,
    telling,
)


@dataclasses.dataclass(frozen=True)
class Change:
    """A chain whose labels differ from its best labels without cliques.

    chain    the number of the chain
    before   the chain's best labels without cliques, one for each position, int32
    after    the chain's labels in the result, one for each position, int32
    reasons  the cliques whose scores gain by the change. A position that changed but has no reason
             changed because its neighbours in the chain did
    """

    chain: int
    before: arrays.Ints
    after: arrays.Ints
    reasons: list[Reason]


@dataclasses.dataclass(frozen=True)
class Decoded:
    """The result of `decode`. Holds copies of everything it needs, and can be pickled.

    labels       for each chain an int32 array of labels, one for each position; -1 in chains that
                 are left out
    own          for each chain its best labels without cliques, in the same form
    score        score of all labels together, including agreement
    own_score    the same score for the labels `own`
    upper_bound  upper bound on the score of any labelling; infinite if bound_steps is 0
    proven       True: the labels are optimal, up to rounding
    outcome      how the run ended
    rounds       number of rounds of messages
    changed      the chains whose labels differ from `own`, with the reasons
    strengths    the strength of each agreement, given or found; 0 if its potential was given
    left_out     the chains that are left out, since every labelling of them is forbidden
    ruled        the chains to which rules were added, since a labelling of them broke them
    names        names of the labels, for the display in notebooks
    words        the argument `tokens` of `decode`, for the display in notebooks
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
    strengths: list[float] = dataclasses.field(default_factory=list)
    left_out: list[LeftOut] = dataclasses.field(default_factory=list)
    ruled: list[of_rules.RuledChain] = dataclasses.field(default_factory=list)
    names: Sequence[str] = dataclasses.field(default=(), repr=False)
    words: Sequence[Sequence[Hashable]] | None = dataclasses.field(default=None, repr=False)

    def _repr_html_(self) -> str:
        parts = [html.head(self, len(self.changed))]
        for change in self.changed[: html.LIMIT]:
            words = range(len(change.after)) if self.words is None else self.words[change.chain]
            texts = ["" if arrays.missing(word) else str(word) for word in words]
            reasons = (
                (
                    texts[reason.position] if reason.position >= 0 else None,
                    self._value(reason, reason.value),
                    self._value(reason, reason.own_value),
                    html.evidence(_kind(reason.what), reason),
                )
                for reason in change.reasons
            )
            before, after = change.before.tolist(), change.after.tolist()
            title = f"chain {change.chain}"
            parts.append(html.chain(title, texts, before, after, self.names, reasons))
        return "".join(parts) + html.left_out(len(self.changed))

    def _value(self, reason: Reason, value: int) -> str:
        return html.label_name(self.names if reason.position >= 0 else (), value)


def _kind(what: str | int | None) -> str:
    return "word" if what == "words" else f"agreement {what}"


def build_problem(
    unaries: Iterable[Chain | npt.ArrayLike],
    transitions: Edges = None,
    *,
    groups: Sequence[Hashable] | None = None,
    tokens: Sequence[Sequence[Hashable]] | None = None,
    agree: Agree | Sequence[Agree] | None = None,
    strength: Strength = "auto",
    minimum: int = 2,
    stop: Iterable[Hashable] = (),
    uncounted: Iterable[int] | None = None,
    names: Sequence[str] | None = None,
) -> Problem:
    """Returns the `Problem` that `decode` would solve. It can be saved, or solved with a `Run`. The
    arguments are those of `decode`.

    >>> problem = build_problem([[[2.1, 0.3]], [[0.7, 0.9]]], tokens=[["Rome"], ["Rome"]])
    >>> Run(problem).solve().changed_chains
    1
    """
    given = read(
        unaries, transitions, groups, tokens, agree, strength, minimum, stop, uncounted, names
    )
    return _problem(_settled(given), names, tokens)


def labelled_problem(
    unaries: Iterable[Chain | npt.ArrayLike],
    transitions: Edges = None,
    *,
    gold: npt.ArrayLike | None,
    groups: Sequence[Hashable] | None = None,
    tokens: Sequence[Sequence[Hashable]] | None = None,
    agree: Agree | Sequence[Agree] | None = None,
    minimum: int = 2,
    stop: Iterable[Hashable] = (),
    uncounted: Iterable[int] | None = None,
) -> Problem:
    """Returns a problem with gold labels, for `libchorale.learn.learn`. The cliques of entry k of
    `agree` are of kind k, and a strength "auto" is 1 until it is learnt.

    gold: the gold label of every position, chain after chain; -1 if unknown. The other arguments
    are those of `decode`.

    >>> scores = [[[2.1, 0.3]], [[0.7, 0.9]]]
    >>> problem = labelled_problem(scores, gold=[0, 0], tokens=[["Rome"], ["Rome"]])
    >>> problem.gold.tolist()
    [0, 0]
    """
    given = read(unaries, transitions, groups, tokens, agree, 1.0, minimum, stop, uncounted)
    raising = any(w.agreement.potential and w.agreement.potential._raised for w in given.wanted)
    if given.scores is None or raising:
        problem = _problem(given, None, None)
        problem.gold = None if gold is None else np.asarray(gold, dtype=np.int32)
        return problem
    labels = None if gold is None else arrays.ints("gold", gold, size=int(given.offsets[-1]))
    return agreeing(given, labels)


def agreeing(given: Given, labels: arrays.Ints | None) -> Problem:
    """Returns a problem with gold labels, made by one call of the library. given: the checked
    arguments. labels: the gold label of every position; None: no gold labels."""
    assert given.scores is not None
    with ExitStack() as stack:
        corpus = _corpus(stack, given)
        agreements, _ = specification(stack, given)
        with Placed(given):
            made = Problem._create(
                library.chorale_problem_create_agreeing,
                None,
                byref(corpus),
                agreements,
                len(given.wanted),
                None if labels is None else arrays.address(labels),
            )
    return Problem._made(made)


def decode(
    unaries: Iterable[Chain | npt.ArrayLike],
    transitions: Edges = None,
    *,
    groups: Sequence[Hashable] | None = None,
    tokens: Sequence[Sequence[Hashable]] | None = None,
    agree: Agree | Sequence[Agree] | None = None,
    strength: Strength = "auto",
    minimum: int = 2,
    stop: Iterable[Hashable] = (),
    uncounted: Iterable[int] | None = None,
    names: Sequence[str] | None = None,
    rules: Sequence[of_rules.Rule] = (),
    scheme: Scheme = "plain",
    most_cost: float | None = None,
    rounds: int = 10,
    damping: float = 0.0,
    algorithm: str = "auto",
    exact_marginals: bool = False,
    local_search: bool = True,
    restrict_range: bool = False,
    joint_mode: JointMode = "auto",
    beam_width: int = 300,
    max_states: int = 1024,
    message_element: MessageElement = "auto",
    threads: int = 1,
    time_limit: float | None = None,
    cancel: Cancel | None = None,
    progress: Callable[[Progress], Any] | None = None,
    bound_steps: int = 0,
) -> Decoded:
    """Labels chains together so that labels agree within each group, such as a document. A chain
    has T positions; there are m labels, numbered from 0.

    unaries      an entry for each chain: T x m scores (float64 or float32) of each label at each
                 position, such as a tagger's log-probabilities; or a `Chain`
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
                 an `Agreement`, which has more settings
    strength     strength of the agreement, in the unit of the scores. The n positions of a word,
                 n_y of which have label y, add strength / n * sum_y n_y^2 to the score. So a
                 position that changes to the label of all others gains (2 - 2 / n) * strength: the
                 strength in a pair, nearly twice the strength in a large clique.
                 "auto": found from the scores, which should be log-probabilities up to a constant
                 (`libchorale.learn.learn`: without_gold). It tells how strongly labels should agree, not whether
                 they do; `libchorale.learn` finds both from gold labels
    minimum      a word at fewer positions of a group gets no clique
    stop         words that get no clique
    uncounted    labels that take no part in the agreement of positions, such as that of no entity:
                 having them together gains nothing. None: the label named "O", if `names` has it
    names        m names of labels, also for the display in notebooks
    rules        rules that the labels of each chain must keep (`libchorale.rules`), such as
                 `rules.once()`: at most one segment of each label. Provisional
    scheme       of `names`, for rules: "plain", or "bio", "bioes", "bilou" for rules about what
                 follows B-, I- and the like
    most_cost    a chain whose rules cost more keeps its own labels; None: no limit

    The other options are those of `Run`. The display in notebooks shows the changes. All chains
    must have the same number of labels. If some entry of `unaries` is a `Chain` (for trees, or
    chains with their own transitions), the model is built chain by chain, which is slower and gives
    the same result.

    >>> result = decode(
    ...     [[[2.1, 0.3]], [[1.9, 0.2]], [[0.7, 0.9]]], tokens=[["Washington"]] * 3, strength=0.9
    ... )
    >>> [int(labels[0]) for labels in result.labels], result.changed[0].chain
    ([0, 0, 0], 2)
    >>> [(reason.what, round(reason.amount, 6)) for reason in result.changed[0].reasons]
    [('words', 1.2)]
    """
    until = arrays.deadline("time_limit", time_limit)  # covers the work before the run, too
    given = read(
        unaries, transitions, groups, tokens, agree, strength, minimum, stop, uncounted, names
    )
    if names is not None and given.labels is not None and len(names) != given.labels:
        raise ValueError(f"names has {len(names)} entries for {given.labels} labels")
    options: dict[str, Any] = {
        "rounds": rounds,
        "damping": damping,
        "algorithm": algorithm,
        "exact_marginals": exact_marginals,
        "local_search": local_search,
        "restrict_range": restrict_range,
        "joint_mode": joint_mode,
        "beam_width": beam_width,
        "max_states": max_states,
        "message_element": message_element,
        "threads": threads,
        "bound_steps": bound_steps,
    }
    kept = None
    if rules:
        if given.scores is None:
            raise ValueError("rules: every entry of unaries must be an array of scores")
        kept = of_rules.Given(rules, names, scheme, most_cost, given.scores.shape[1])
    limits: dict[str, Any] = {
        "until": until,
        "cancel": cancel,
        "progress": progress,
    }
    ruled: list[of_rules.RuledChain] = []
    if given.scores is None:
        solution = _solve_chains(given, options, **limits)
    else:
        solution = _solve_corpus(given, options, kept, ruled, **limits)
    strengths, result, now, own, found, left_out = solution
    reasons: dict[int, list[Reason]] = {}
    for number, *told in found:
        what, chain = given.wanted[number].what, told[1]
        reason = dataclasses.replace(Reason(*told), what=what, group=given.group_names[chain])
        reasons.setdefault(chain, []).append(reason)
    spans = given.spans()
    places = np.searchsorted(given.offsets, np.flatnonzero(now != own), side="right") - 1
    changed = []
    for chain in np.unique(places).tolist():
        first, last = spans[chain]
        changed.append(Change(chain, own[first:last], now[first:last], reasons.get(chain, [])))
    return Decoded(
        labels=[now[first:last] for first, last in spans],
        own=[own[first:last] for first, last in spans],
        score=result.score,
        own_score=result.own_score,
        upper_bound=result.upper_bound,
        proven=result.proven,
        outcome=result.outcome,
        rounds=result.rounds,
        changed=changed,
        left_out=left_out,
        ruled=ruled,
        names=() if names is None else list(names),
        words=tokens,
        strengths=strengths,
    )


# What a run found: strengths, result, labels together and alone, tuples of the fields of the C struct
# chorale_reason (run.h), and the chains that are left out.
_Solved = tuple["list[float]", RunResult, arrays.Ints, arrays.Ints, list[Any], list[LeftOut]]


class _Solution(Closable):
    """The result of the C function chorale_decode (decode.h). raised: what callbacks raised."""

    _free = library.chorale_decoded_destroy

    def __init__(self, pointer: int, raised: list[Raised]) -> None:
        super().__init__(pointer)
        self._raised = raised

    def labels(self, labelling: int, count: int) -> arrays.Ints:
        labels = np.empty(count, dtype=np.int32)
        with self._use() as decoded:
            to = arrays.address(labels)
            call(library.chorale_decoded_labels, decoded, labelling, to, count, None)
        return labels

    def strengths(self, count: int) -> list[float]:
        with self._use() as decoded:
            return [library.chorale_decoded_strength(decoded, number) for number in range(count)]

    def result(self) -> RunResult:
        result = struct(c.chorale_run_result)
        with self._use() as decoded:
            call(library.chorale_decoded_get_result, decoded, byref(result))
        return result_of(result, None)

    def left_out(self) -> list[LeftOut]:
        with self._use() as decoded:
            return left_out_of(library.chorale_decoded_run(decoded))

    def ruled(self, rules: of_rules.Given) -> list[of_rules.RuledChain]:
        with self._use() as decoded:
            return of_rules.ruled_chains(decoded, rules)

    def reasons(self) -> list[Any]:
        with self._use() as decoded:
            return entries(
                library.chorale_decoded_reasons, c.chorale_reason, decoded, sources=self._raised
            )


def _corpus(stack: ExitStack, given: Given) -> c.chorale_corpus:
    assert given.scores is not None
    return corpus_struct(
        stack,
        given.scores,
        given.offsets,
        given.transitions,
        given.ids,
        given.groups,
        given.uncounted,
    )


def specification(stack: ExitStack, given: Given) -> tuple[Any, list[Raised]]:
    """Returns the agreements as an array for C, and the `Raised` objects that store exceptions of
    callbacks of their potentials."""
    sources: list[Raised] = []
    agreements = (c.chorale_agreement * max(1, len(given.wanted)))()
    for number, wanted in enumerate(given.wanted):
        asked, agreement = wanted.agreement, struct(c.chorale_agreement)
        agreement.kind, agreement.across = wanted.kind, bool(asked.across)
        if asked.strength != "auto":
            agreement.strength = asked.strength or c.CHORALE_NO_AGREEMENT
        agreement.minimum = wanted.minimum
        agreement.keys = arrays.address(wanted.keys)
        agreement.stop, agreement.stop_count = arrays.address(wanted.stop), len(wanted.stop)
        agreement.cliques = len(wanted.offsets) - 1
        agreement.clique_offsets = arrays.address(wanted.offsets)
        agreement.members = arrays.address(wanted.members)
        agreement.weights = arrays.address(wanted.weights)
        if asked.potential is not None:
            agreement.potential = stack.enter_context(asked.potential._use())
            sources += asked.potential._raised
        if wanted.prop is not None:
            agreement.property = stack.enter_context(wanted.prop._use())
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
    the `with` block ends. rules: to be kept, or None. until: the deadline, from `arrays.deadline`. borrow: True: the scores are
    not copied, and must not change before the block ends."""
    assert given.scores is not None
    raised, stop = Raised(), Stop(cancel)
    made = run_options(**options)
    made.time_limit = arrays.limit("time_limit", arrays.seconds_left(until))
    made.progress = telling(progress, raised)
    sources = [raised]
    with ExitStack() as stack:
        corpus = _corpus(stack, given)
        corpus.borrow = borrow
        agreements, of_potentials = specification(stack, given)
        sources += of_potentials
        made.cancel = stack.enter_context(stop._use())
        if rules is not None:
            made.rules = pointer(rules.struct(stack))
        with Placed(given):
            solution = _Solution(
                _Solution._create(
                    library.chorale_decode,
                    None,
                    byref(corpus),
                    agreements,
                    len(given.wanted),
                    byref(made),
                    stop=stop,
                    sources=sources,
                ),
                of_potentials,
            )
        error = raised.take()
        with solution:
            if error is not None:
                raise error
            yield solution


def _solve_corpus(
    given: Given,
    options: dict[str, Any],
    rules: of_rules.Given | None,
    ruled: list[of_rules.RuledChain],
    **limits: Any,
) -> _Solved:
    """Appends the chains with rules to `ruled`."""
    with solved(given, options, rules, **limits) as solution:
        if rules is not None:
            ruled += solution.ruled(rules)
        count = int(given.offsets[-1])
        result, left_out = solution.result(), solution.left_out()
        _check_feasible(result, left_out)
        return (
            solution.strengths(len(given.wanted)),
            result,
            solution.labels(c.CHORALE_TOGETHER, count),
            solution.labels(c.CHORALE_ALONE, count),
            solution.reasons(),
            left_out,
        )


def _check_feasible(result: RunResult, left_out: list[LeftOut]) -> None:
    """Raises StateError if no chain has a labelling."""
    if result.outcome == Outcome.INFEASIBLE and left_out:
        raise StateError(f"no chain has an allowed labelling; {left_out[0]}")


def _solve_chains(
    given: Given, options: dict[str, Any], *, until: float | None, **limits: Any
) -> _Solved:
    given = _settled(given)
    strengths = [_number(wanted) for wanted in given.wanted]
    builder, made = build(given)
    model = builder.freeze()
    with Run(model, **options, **limits, time_limit=arrays.seconds_left(until)) as run:
        result, left_out = run.solve(), run.left_out()
        _check_feasible(result, left_out)
        found = [(made[clique], clique, *told) for _, clique, *told in run._reasons()]
        return strengths, result, run.labels(), run.labels(own=True), found, left_out


def _number(wanted: Wanted) -> float:
    asked = wanted.agreement
    return 0.0 if asked.potential is not None or asked.strength == "auto" else asked.strength


def _settled(given: Given) -> Given:
    """Returns the arguments with the strengths that are found in place of "auto"."""
    found = {
        number: 1.0
        for number, wanted in enumerate(given.wanted)
        if wanted.agreement.strength == "auto" and wanted.agreement.potential is None
    }
    builder, made = build(given)
    problem = Problem(builder.freeze())
    problem.clique_kinds = [
        number if number in found and given.wanted[number].weights is None else -1
        for number in made
    ]
    if found and any(problem.clique_kind(clique) >= 0 for clique in range(len(made))):
        classes = np.arange(given.labels or 1)
        classes[given.uncounted] = -1
        learnt = learn(problem, classes=classes.tolist(), without_gold=True)
        for number, kind in enumerate(learnt.report["kinds"]):
            if number in found and kind["cliques"]:
                found[number] = kind["strength"]
    wanted = [
        dataclasses.replace(
            entry, agreement=dataclasses.replace(entry.agreement, strength=found[number])
        )
        if number in found
        else entry
        for number, entry in enumerate(given.wanted)
    ]
    return dataclasses.replace(given, wanted=wanted)


def _problem(
    given: Given, names: Sequence[str] | None, words: Sequence[Sequence[Hashable]] | None
) -> Problem:
    builder, made = build(given)
    problem = Problem(builder.freeze())
    if names is not None:
        with Renaming({"labels": "names"}):
            problem.labels = list(names)
    if given.texts and words is not None:
        problem.words = [
            "" if arrays.missing(word) else str(word) for chain in words for word in chain
        ]
    if made:
        problem.kinds = [_kind(wanted.what) for wanted in given.wanted]
        problem.clique_kinds = made
        if names is not None:
            of_labels = ["labels" if given.wanted[n].prop is None else None for n in made]
            problem.name_values(of_labels)
    return problem
