"""Runs: collective inference over a model.

A run passes messages between the chains and cliques of a model, in rounds, and keeps the labelling
with the highest score. It starts by decoding every chain without its cliques.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from ctypes import c_int32
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from ._callbacks import Raised
from ._declarations import Outcome
from ._declarations import Progress as Progress
from ._declarations import Reason as Reason
from ._declarations import RunResult as RunResult
from ._handle import Closable, optional
from ._native import call, get, library, read, struct
from ._work import at_caller, entries, told, work
from .cancel import Cancel, Stop
from .chain import Chain, Edges
from .model import Model
from .problem import Problem

JointMode = Literal["auto", "exact", "local_scores", "beam"]
MessageElement = Literal["auto", "float64", "magnitude16"]


@dataclasses.dataclass(frozen=True)
class LeftOut:
    """A chain that a run leaves out, since every labelling of it is forbidden. Its labels are -1,
    or those that it has by itself if the obstacle is "undecided", and it counts for nothing in the
    cliques. As text, it says what forbids the labellings.

    chain     the number of the chain
    position  where the labellings are forbidden; -1 if it is a clique that does, or not known
    obstacle  "scores": every label of this position is forbidden, by minus infinity as its score or
              by what the chain or an edit allows; "transitions": its allowed labels are forbidden
              by transitions, start or end scores; "cliques": a clique of which the chain is the
              only member, such as a rule, forbids what the chain allows; "undecided": no labelling
              was found that a clique allows, all of whose members are in the chain, but there may
              be one; "unknown"
    clique    the number of that clique; -1 with other obstacles
    """

    chain: int
    position: int
    obstacle: str
    clique: int = -1

    def __str__(self) -> str:
        told = {
            "scores": f"no label of position {self.position} is allowed",
            "transitions": f"transitions allow no label of position {self.position}",
            "cliques": f"clique {self.clique} allows no labelling",
            "undecided": f"no labelling was found that clique {self.clique} allows",
        }
        return f"chain {self.chain}: {told.get(self.obstacle, 'no labelling is allowed')}"


class OfModel(Closable):
    """A run of a model, which stays open if the caller closes the model, and its cancel flag."""

    def __init__(
        self,
        model: Any,
        cancel: Cancel | None,
        made: c.chorale_run_options,
        create: Any,
        *given: Any,
    ) -> None:
        """given: the arguments of `create` after the model, among them the options `made`."""
        if not isinstance(model, (Model, Problem)):
            raise TypeError(f"model is {model!r}, not a Model or a Problem")
        self.model = model.model if isinstance(model, Problem) else model
        self._model = self.model.clone()
        self._raised = self.model._raised
        self._stop = made.used["cancel"] = Stop(cancel)
        super().__init__(self._create(create, None, self._model, *given), made)
        self._stop._begin()  # the run borrows the flag until it is freed

    def _freed(self) -> None:
        try:
            super()._freed()
        finally:
            self._model.close()
            self._stop._end()


class Run(OfModel):
    """One collective inference over a `Model`, or over the model of a `Problem`, whose names then
    appear in the display of results. For one thread at a time; but while no call changes the run,
    several threads may read its results.

    rounds           greatest number of rounds of messages
    damping          d, 0 <= d < 1: a clique's new message is d * old message + (1 - d) * computed
                     message
    algorithm        the algorithm that computes messages of cliques, one of `algorithms()`; cliques
                     that it does not fit use "auto"
    exact_marginals  True: messages of cliques are exact if the potential has an exact solver (slow
                     for convex sums)
    local_search     True: after the rounds, one chain at a time is decoded again, as long as this
                     raises the score
    restrict_range   True: messages of a property clique cover only values that fire in some member
                     chain when this chain has its best labels without cliques
    joint_mode       the method for chains under several properties, whose joint states after the
                     labels so far are *configurations*. "exact" keeps all configurations; "beam" the
                     best ones at each position; "local_scores" is approximate: it adds the message
                     of a value whenever a position fires the value; "auto" is exact if
                     `max_states` suffices, otherwise a beam that keeps `max_states` configurations
    beam_width       number of configurations that "beam" keeps at each position
    max_states       greatest number of configurations at a position for "exact" and
                     "local_scores"; if they need more, the call raises `StateError`
    message_element  the number format of stored messages: "float64"; "magnitude16" in a quarter of
                     the memory, rounded to 0.05 %; "auto": "float64" if all messages together take
                     less than 256 KB, or if scores, model and run together then take at most twice
                     the memory of the scores; otherwise "magnitude16"
    threads          number of threads; results do not depend on it
    time_limit       time limit of each call in seconds; None: no limit
    cancel           a `Cancel` that any thread may set to end a call early
    progress         called with a `Progress` after every round and every step of the bound. If it
                     returns True, the call ends early. If it raises an exception, the call ends
                     early and raises this exception
    bound_steps      number of steps of dual ascent for an upper bound on the score; 0: no bound
    effort           how long a solve looks for moves of several chains after the local search. 1: about
                     ten times the time of a run without moves; 0: less than half of that, only where
                     they are likely to gain, and not with `edits`; below 0: not at all
    edits            True: allocates the memory that `set_allowed` and `set_strength` need
    earlier          a `Run` from whose messages and labelling this run starts; its model must have
                     as many chains and cliques as the model of this run

    >>> builder = ModelBuilder()
    >>> for unary in ([[2.1, 0.3]], [[1.9, 0.2]], [[0.7, 0.9]]):
    ...     _ = builder.add_chain(np.array(unary), tokens=[7])
    >>> builder.add_repeated_words(Potential.potts(2, 0.3))
    range(0, 1)
    >>> run = Run(builder.freeze(), bound_steps=50)
    >>> result = run.solve()
    >>> run.labels().tolist(), round(result.score, 6), result.changed_chains
    ([0, 0, 0], 7.4, 1)
    >>> run.reasons(2)[0].clique
    0
    """

    _free = library.chorale_run_destroy

    def __init__(
        self,
        model: Model | Problem,
        *,
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
        effort: float = 0.0,
        edits: bool = False,
        earlier: Run | None = None,
    ) -> None:
        self.problem = model if isinstance(model, Problem) else None
        optional("earlier", earlier, Run)
        given = {name: value for name, value in locals().items() if name in OF_A_RUN}
        made = run_options(**given)
        self._own_raised = Raised()
        self._chains: dict[int, Chain] = {}  # the chains that set_chain was given, by number
        made.time_limit = arrays.limit("time_limit", time_limit)
        made.progress = telling(progress, self._own_raised)
        super().__init__(model, cancel, made, library.chorale_run_create, made, earlier)

    def _freed(self) -> None:
        super()._freed()
        self._chains.clear()

    # ---- Running

    def step(self) -> RunResult:
        """Does one round. The first call is the start, which decodes every chain without cliques.
        Rests on experimental calls of C: may change in any version."""
        return self._ran(library.chorale_run_step)

    def solve(self) -> RunResult:
        """Does the remaining rounds, the local search and the bound. A further call does at most
        `rounds` more rounds.

        If a signal handler raises an exception (Ctrl-C raises KeyboardInterrupt), the call ends
        with it. The results found so far are kept, and a further call goes on from there.
        """
        return self._ran(library.chorale_run_solve)

    def local_search(self) -> RunResult:
        """Does only the local search: decodes one chain at a time, as long as this raises the
        score. Rests on experimental calls of C: may change in any version."""
        return self._ran(library.chorale_run_local_search)

    def bound(self, steps: int) -> RunResult:
        """Does only `steps` more steps of dual ascent for the upper bound. The run must have
        bound_steps above 0. Rests on experimental calls of C: may change in any version."""
        return self._ran(library.chorale_run_bound, steps)

    def _ran(self, function: Any, *arguments: Any) -> RunResult:
        while self._own_raised.take() is not None:
            pass
        how = {"stop": self._stop, "sources": [self._own_raised]}
        result = told(c.chorale_run_result, function, self, *arguments, **how)
        error = self._own_raised.take()
        if error is not None:
            raise error
        return result_of(result)

    def reset(self) -> None:
        """Discards messages, labellings and all changes by `set_chain`, `set_allowed`,
        `set_strength` and `set_labels`: the run is then as if newly created without `earlier`. The
        limits of `set_limits` stay. Rests on experimental calls of C: may change in any version."""
        get(library.chorale_run_reset, self)
        self._chains.clear()

    def set_chain(
        self,
        chain: int,
        unary: Chain | npt.ArrayLike,
        transitions: Edges = None,
    ) -> None:
        """Replaces the scores of a chain. unary, transitions: as in `ModelBuilder.add_chain`, of
        the same shape as the scores that they replace. Rests on experimental calls of C: may change
        in any version."""
        made = Chain._for_a_call(unary, transitions, "copy")
        number = self._model._chain(chain)
        call(library.chorale_run_set_chain, self, number, made._struct)
        self._chains[number] = made

    def set_allowed(self, chain: int, position: int, allowed: npt.ArrayLike | None) -> None:
        """Allows only some labels of a position. allowed: a boolean for each label; None lifts the
        restriction of an earlier call. The run must have edits=True."""
        number = self._model._chain(chain)
        flags = arrays.optional_flags("allowed", allowed, self._model._shape(number)[1:])
        call(library.chorale_run_set_allowed, self, number, position, flags)

    def set_strength(self, clique: int, factor: float) -> None:
        """Multiplies the model's potential of a clique by a factor: 0, or from 1e-6 to 1e6; 1
        restores the potential of the model. The run must have edits=True."""
        call(library.chorale_run_set_strength, self, self._model._clique(clique), factor)

    def set_labels(self, labels: npt.ArrayLike) -> None:
        """Replaces the best labelling by the given one. The next step or solve scores the given
        labelling and that of `labels(alone=True)`, and no result scores below either of them. A
        chain whose scores forbid the given labels keeps its own.

        labels: the label of every position, chain after chain, as `labels` returns them.
        """
        array = self._model._labels(labels)
        call(library.chorale_run_set_labels, self, array, len(array))

    def set_limits(self, time_limit: float | None = None, cancel: Cancel | None = None) -> None:
        """Sets the time limit of each call in seconds (None: no limit), and the cancel flag (None:
        no flag). Rests on experimental calls of C: may change in any version."""
        limit = arrays.limit("time_limit", time_limit)
        with self._use(shared=False):
            self._stop.follow(cancel)
        call(library.chorale_run_set_limits, self, limit, self._stop)

    # ---- Results
    #
    # Results describe the best labelling so far. With alone=True they describe the labelling alone, in
    # which each chain has its best labels without cliques.

    @property
    def result(self) -> RunResult:
        """The result of the last step, solve, local search or bound."""
        return result_of(told(c.chorale_run_result, library.chorale_run_get_result, self))

    def left_out(self) -> list[LeftOut]:
        """Returns the chains that are left out, since every labelling of them is forbidden."""
        return left_out_of(self)

    def labels(self, chain: int | None = None, *, alone: bool = False) -> arrays.Ints:
        """Returns the labels of a chain, int32, without `chain` those of all chains, one chain
        after the other; -1 in chains that are left out."""
        if chain is None:
            return labels_of(self, c.CHORALE_ALL_CHAINS, int(self._model.chain_lengths.sum()), alone)
        return labels_of(self, chain, self._model._shape(self._model._chain(chain))[0], alone)

    def changed_chains(self) -> npt.NDArray[np.int64]:
        """Returns the numbers of the chains whose labels differ from their best labels without
        cliques, ascending. (For scores of chains and cliques see `Model.score`.)"""
        differs = np.flatnonzero(self.labels() != self.labels(alone=True))
        ends = np.cumsum(self._model.chain_lengths)
        found: npt.NDArray[np.int64] = np.unique(np.searchsorted(ends, differs, side="right"))
        return found

    def values(self, clique: int, *, alone: bool = False) -> arrays.Ints:
        """Returns the value of each member of a clique, int32: from 0 to R - 1, R for EMPTY, R + 1
        for CONFLICT, -1 if the clique has a dictionary without UNLISTED and the value is not in it.
        A centre is the last member. Rests on experimental calls of C: may change in any version."""
        number = self._model._clique(clique)
        values = np.empty(self._model.clique_members(number), dtype=np.int32)
        to = values, len(values), None
        call(library.chorale_run_values, self, number, _labelling(alone), *to)
        return values

    def reasons(self, chain: int | None = None) -> list[Reason]:
        """Returns the reasons why a chain changed, in the order of its positions; without `chain`
        those of all chains."""
        number = c.CHORALE_ALL_CHAINS if chain is None else self._model._chain(chain)
        found = entries(library.chorale_run_reasons, c.chorale_reason, self, number)
        return [Reason(*fields) for _, *fields in found]

    def max_marginals(self, chain: int) -> arrays.Doubles:
        """Returns the max-marginals of a chain, T x m, float64: for each position and label the
        greatest sum of the chain's score and the messages of its cliques, over the labellings with
        this label at this position."""
        return self._marginals(chain)[0]

    def margins(self, chain: int) -> arrays.Doubles:
        """Returns for each position of a chain its best max-marginal minus its second best."""
        return self._marginals(chain)[1]

    def _marginals(self, chain: int) -> tuple[arrays.Doubles, arrays.Doubles]:
        number = self._model._chain(chain)
        marginals = np.empty(self._model._shape(number))
        margins = np.empty(len(marginals))
        work(library.chorale_run_max_marginals, self, number, marginals, 0, margins)
        return marginals, margins

    def probabilities(self, chain: int, temperature: float = 1.0) -> tuple[arrays.Doubles, bool]:
        """Returns the probability of each label at each position of a chain (T x m, float64), given
        the messages of its cliques, and whether the probabilities are exact.

        The probability is the sum of exp(s / temperature) over the labellings with this label,
        divided by the sum over all labellings of the chain, where s is the score of a labelling
        plus the messages. The sums are approximate if the joint states of the chain's properties
        exceed `max_states`. Then labellings that add little are left out, in all at most a tenth of
        the sum. If this does not suffice, and on trees, the message of a value is added whenever a
        position fires the value."""
        number = self._model._chain(chain)
        probabilities = np.empty(self._model._shape(number))
        arguments = number, temperature, probabilities, 0
        exact = told(c_int32, library.chorale_run_probabilities, self, *arguments)
        return probabilities, bool(exact)

    def _told(self) -> str:
        return f" of {self.model!r}"


def telling(
    progress: Callable[[Any], Any] | None,
    raised: Raised,
    function: Any = c.chorale_progress_function,
    kind: Any = Progress,
) -> Any:
    """Wraps `progress` as a callback for C. function: the C type of the callback. kind: the class
    of its argument."""
    if progress is None:
        return function()
    if not callable(progress):
        raise TypeError(f"progress is {progress!r}, which cannot be called")

    def report(_: Any, at: Any) -> int:
        try:
            return int(bool(at_caller(progress, read(kind, at.contents))))
        except BaseException as error:
            raised.put(error)
            return 1

    return function(report)


_OBSTACLES = {number: name for name, number in arrays.choices("OBSTACLE").items()}


def labels_of(run: Any, chain: int, length: int, alone: bool) -> arrays.Ints:
    """Returns the labels of a chain, or of CHORALE_ALL_CHAINS. run: a `Run`, or the address of a
    chorale_run. length: the number of labels."""
    labels = np.empty(length, dtype=np.int32)
    call(library.chorale_run_labels, run, chain, _labelling(alone), labels, length, None)
    return labels


def left_out_of(run: Any) -> list[LeftOut]:
    """Returns the chains that a run leaves out. run: a `Run`, or the address of a chorale_run."""
    return [
        LeftOut(chain, position, _OBSTACLES.get(obstacle, "unknown"), clique)
        for chain, position, obstacle, _, clique in entries(
            library.chorale_run_left_out, c.chorale_left_out, run
        )
    ]


def result_of(result: c.chorale_run_result) -> RunResult:
    return read(RunResult, result, outcome=Outcome(result.outcome))


def _labelling(alone: bool) -> int:
    """Returns the constant that selects the labelling alone (alone=True) or the best one."""
    return c.CHORALE_ALONE if alone else c.CHORALE_TOGETHER


# How options of a run are converted for C, by their names.
_OPTIONS: dict[str, Callable[[str, Any], Any]] = {
    "rounds": arrays.rounds,
    "bound_steps": arrays.size,
    **dict.fromkeys(("damping", "effort"), arrays.real),
    **dict.fromkeys(
        ("beam_width", "max_states", "threads"), functools.partial(arrays.size, least=1)
    ),
    **dict.fromkeys(
        ("exact_marginals", "restrict_range", "edits"), lambda _, value: int(bool(value))
    ),
    "algorithm": lambda name, value: arrays.chosen(name, value, "ALGORITHM"),
    "joint_mode": lambda name, value: arrays.chosen(name, value, "JOINT"),
    "message_element": lambda name, value: arrays.chosen(name, value, "MESSAGES"),
}


OF_A_RUN = {"local_search", *_OPTIONS}


def run_options(*, local_search: bool = True, **given: Any) -> c.chorale_run_options:
    """Returns options for C; those that are not given have their defaults."""
    fields = {name: _OPTIONS[name](name, value) for name, value in given.items()}
    return struct(c.chorale_run_options, no_local_search=int(not local_search), **fields)
