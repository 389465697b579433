"""Runs: one collective inference over a model."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from concurrent.futures import Executor, wait
from ctypes import byref, c_double, c_int32, c_int64, c_size_t, create_string_buffer
from typing import Any

import numpy as np

from . import _arrays as arrays
from . import _declarations as c
from ._callbacks import Carrying, Interrupts, Raised
from ._handle import Closable
from ._native import call, library, struct
from .cancel import Cancel
from .chain import Chain, as_chain
from .clique import algorithm_number
from .host import lent
from .message import JOINT_MODES
from .model import Model
from .outcome import Outcome
from .problem import Problem

SCHEDULES = {
    "all": c.CHORALE_SCHEDULE_ALL,
    "disagreement": c.CHORALE_SCHEDULE_DISAGREEMENT,
}
MESSAGE_NUMBERS = {
    "auto": c.CHORALE_MESSAGES_AUTO,
    "float64": c.CHORALE_MESSAGES_FLOAT64,
    "float32": c.CHORALE_MESSAGES_FLOAT32,
    "magnitude16": c.CHORALE_MESSAGES_MAGNITUDE16,
}


@dataclasses.dataclass(frozen=True)
class Progress:
    """How far a run is: after round `round` (0: the chains' own labellings), or a step of the
    bound."""

    round: int
    messages_changed: int
    score: float
    best_score: float
    upper_bound: float


@dataclasses.dataclass(frozen=True)
class Payment:
    """Why a chain changed: member `member` of a clique, at `position` (-1: the whole chain), showed
    own_value and shows value now; the clique would lose `amount` if it alone went back."""

    clique: int
    member: int
    position: int
    own_value: int
    value: int
    amount: float


@dataclasses.dataclass(frozen=True)
class Cost:
    """Bytes that a run takes, of the model and of its scores; additions in chains and clique scores
    of a round."""

    run_bytes: int
    model_bytes: int
    score_bytes: int
    chain_steps: float
    clique_scores: float


@dataclasses.dataclass(frozen=True)
class RunResult:
    """How a call on a run ended, and what the best labelling so far is worth.

    score = chain_score + clique_score; own_score is that of the chains' own labellings.
    """

    outcome: Outcome
    proven: bool
    rounds: int
    best_round: int
    score: float
    chain_score: float
    clique_score: float
    own_score: float
    rounds_score: float
    polished_score: float
    polished_own_score: float
    upper_bound: float
    gap: float
    changed_chains: int
    messages_changed: int
    chain_updates: int
    clique_updates: int
    run: Run = dataclasses.field(repr=False, compare=False)

    def _repr_html_(self) -> str:
        from . import html  # which reads runs, and so stands above them

        return html.result(self)


class Run(Closable):
    """One inference over a model, or over a `Problem`, whose names then appear in its results. For
    one thread at a time; between the calls that run it, results may be read from several.

    rounds           at most so many rounds of messages (10)
    damping          share of the old message of a clique in the new, 0 <= d < 1
    schedule         "all", or "disagreement": one clique at a time, the most divided first
    algorithm        of clique messages; exact_marginals: True, exact wherever that can be had
    polish           whether to polish the labelling at the end
    restrict_range   True: only values that fire in some member's own labelling take part
    joint_mode       of chains under several properties: "auto", "exact", "absorption", "beam";
                     beam_width, budget as in `ChainSolver.messages`
    message_number   what messages are stored as: "float64", "float32" in half the memory,
                     "magnitude16" in a quarter, rounded to 0.05 %; "auto": the widest that fits
                     into twice the memory of the scores
    threads          how many threads work; executor: a concurrent.futures thread pool that does
    time_limit       seconds a call; cancel: a `Cancel` that any thread may set
    progress         called with a `Progress` after every round; True from it ends the call early,
                     and what it raises is raised by the call
    bound_steps      steps of the dual ascent for an upper bound (0: none)
    earlier          a run whose messages and labelling this one starts from

    >>> builder = ModelBuilder()
    >>> for unary in ([[2.1, 0.3]], [[1.9, 0.2]], [[0.7, 0.9]]):
    ...     _ = builder.add_chain(np.array(unary), tokens=[7])
    >>> builder.add_repeated_words(Potential.potts(2, 0.3))
    range(0, 1)
    >>> run = Run(builder.freeze(), bound_steps=50)
    >>> result = run.solve()
    >>> run.all_labels().tolist(), round(result.score, 6), result.changed_chains
    ([0, 0, 0], 7.4, 1)
    >>> run.payments(2)[0].clique
    0
    """

    _exclusive = True
    _free = library.chorale_run_destroy

    def __init__(
        self,
        model: Model | Problem,
        *,
        earlier: Run | None = None,
        cancel: Cancel | None = None,
        progress: Callable[[Progress], Any] | None = None,
        executor: Executor | None = None,
        **options: Any,
    ) -> None:
        self.problem = model if isinstance(model, Problem) else None
        model = model.model if isinstance(model, Problem) else model
        if not isinstance(model, Model):
            raise TypeError(f"model is {model!r}, not a Model or a Problem")
        if earlier is not None and not isinstance(earlier, Run):
            raise TypeError(f"earlier is {earlier!r}, not a Run")
        made = _options(options)
        self.model = model
        self._model = model.clone()  # stays open however soon the caller closes theirs
        self._cancel = _checked(cancel)
        self._own_raised = Raised()
        self._chains: dict[int, Chain] = {}  # those of set_chain
        self._interrupts = Interrupts()
        if progress is not None and not callable(progress):
            raise TypeError(f"progress is {progress!r}, which cannot be called")
        made.progress = self._telling(progress)
        if executor is not None:
            if not callable(getattr(executor, "submit", None)):
                raise TypeError(f"executor is {executor!r}, which has no `submit`")
            made.executor = self._working(executor)
        if self._cancel is not None:
            made.cancel = self._cancel._begin()
        try:
            with self._model._use() as frozen, Carrying(model._raised):
                if earlier is None:
                    pointer = self._create(
                        library.chorale_run_create, lent(), frozen, byref(made), None
                    )
                else:
                    with earlier._use(shared=True) as before:
                        pointer = self._create(
                            library.chorale_run_create, lent(), frozen, byref(made), before
                        )
        except BaseException:
            if self._cancel is not None:
                self._cancel._end()
            raise
        super().__init__(pointer, made)

    def _freed(self) -> None:
        try:
            super()._freed()
        finally:
            self._chains.clear()
            self._model.close()
            if self._cancel is not None:
                self._cancel._end()

    def _telling(self, progress: Callable[[Progress], Any] | None) -> Any:
        raised, interrupts = self._own_raised, self._interrupts

        def told(_: Any, at: Any) -> int:
            try:
                if interrupts.came or progress is None:
                    return int(interrupts.came)
                now = at.contents
                return int(
                    bool(
                        progress(
                            Progress(
                                now.round,
                                now.messages_changed,
                                now.score,
                                now.best_score,
                                now.upper_bound,
                            )
                        )
                    )
                )
            except BaseException as error:
                raised.put(error)
                return 1

        return c.chorale_progress_function(told)

    def _working(self, executor: Executor) -> Any:
        raised = self._own_raised

        def divided(_: Any, count: int, workers: int, body: Any, body_user: Any) -> None:
            # Every index has to be worked on, whatever happens to the executor: this thread, as
            # worker 0, does what no other has taken.
            indices = iter(range(count))
            done = bytearray(count)

            def work(worker: int) -> None:
                for index in indices:  # shared: each index goes to one worker
                    body(body_user, index, worker)
                    done[index] = 1

            started = []
            try:
                for worker in range(1, min(workers, count)):
                    started.append(executor.submit(work, worker))
            except BaseException as error:
                raised.put(error)
            while True:
                try:
                    work(0)
                    break
                except BaseException as error:
                    raised.put(error)
            # One that has not begun by now would find nothing to do.
            running = [future for future in started if not future.cancel()]
            while True:
                try:
                    wait(running)
                    break
                except BaseException as error:
                    raised.put(error)
            for future in running:
                failed = future.exception()
                if failed is not None:
                    raised.put(failed)
            for index in range(count):  # taken by a worker that an exception ended
                if not done[index]:
                    body(body_user, index, 0)

        return c.chorale_parallel_for(divided)

    # ---- Running

    def step(self) -> RunResult:
        """One round; the first is round 0."""
        return self._ran(library.chorale_run_step)

    def solve(self) -> RunResult:
        """To the end: the rounds that are left, polish, bound. Again: as many rounds more.

        Ctrl-C (in the main thread) ends a call after the round; what was found until then stays.
        """
        return self._ran(library.chorale_run_solve)

    def polish(self) -> RunResult:
        """The polish alone."""
        return self._ran(library.chorale_run_polish)

    def bound(self, steps: int) -> RunResult:
        """So many steps of the bound alone; the run must have bound_steps above 0."""
        return self._ran(library.chorale_run_bound, arrays.integer("steps", steps))

    def _ran(self, function: Any, *arguments: Any) -> RunResult:
        result = struct(c.chorale_run_result)
        with self._use() as run:
            while self._own_raised.take() is not None:
                pass
            with self._interrupts, Carrying((self._own_raised, *self._model._raised)):
                call(function, run, *arguments, byref(result))
            error = self._own_raised.take()
        if self._interrupts.came:
            raise KeyboardInterrupt
        if error is not None:
            raise error
        return self._result(result)

    def _result(self, result: c.chorale_run_result) -> RunResult:
        fields = {
            field.name: getattr(result, field.name)
            for field in dataclasses.fields(RunResult)
            if field.name != "run"
        }
        fields["outcome"] = Outcome(result.outcome)
        fields["proven"] = bool(result.proven)
        return RunResult(**fields, run=self)

    def reset(self) -> None:
        """Forgets messages and labellings: as if new."""
        with self._use() as run:
            library.chorale_run_reset(run)
            self._chains.clear()

    def set_chain(self, chain: int, unary: Any, transitions: Any = None, **scores: Any) -> None:
        """From now on chain `chain` has these scores (a `Chain`, or what one is made of), of the
        same shape; they are read where they lie."""
        made = as_chain(unary, transitions, scores)
        with self._use() as run, made._use() as chain_struct:
            number = self._model._chain(chain)
            call(library.chorale_run_set_chain, run, number, chain_struct)
            self._chains[number] = made

    def set_limits(self, time_limit: float | None = None, cancel: Cancel | None = None) -> None:
        """A new deadline (seconds a call; None: none) and cancel flag (None: none)."""
        limit = -1.0 if time_limit is None else arrays.real("time_limit", time_limit)
        flag = _checked(cancel)
        with self._use() as run:
            pointer = None if flag is None else flag._begin()
            try:
                call(library.chorale_run_set_limits, run, limit, pointer)
            except BaseException:
                if flag is not None:
                    flag._end()
                raise
            self._cancel, flag = flag, self._cancel
            if flag is not None:
                flag._end()

    # ---- Results: of the best labelling so far, or with own=True of the chains' own

    @property
    def result(self) -> RunResult:
        """The result as the last call gave it."""
        result = struct(c.chorale_run_result)
        with self._use(shared=True) as run:
            call(library.chorale_run_get_result, run, byref(result))
        return self._result(result)

    def labels(self, chain: int, *, own: bool = False) -> arrays.Ints:
        """The labels of a chain."""
        with self._use(shared=True) as run:
            number = self._model._chain(chain)
            length, _ = self._model._shape(number)
            labels = np.empty(length, dtype=np.int32)
            call(library.chorale_run_labels, run, number, bool(own), arrays.address(labels), length)
        return labels

    def all_labels(self, *, own: bool = False) -> arrays.Ints:
        """The labels of all chains, one after the other."""
        with self._use(shared=True) as run:
            labels = np.empty(int(self._model.chain_lengths.sum()), dtype=np.int32)
            call(
                library.chorale_run_all_labels, run, bool(own), arrays.address(labels), len(labels)
            )
        return labels

    def chain_score(self, chain: int, *, own: bool = False) -> float:
        """phi of a chain."""
        score = c_double()
        with self._use(shared=True) as run:
            call(
                library.chorale_run_chain_score,
                run,
                self._model._chain(chain),
                bool(own),
                byref(score),
                None,
            )
        return score.value

    def changed(self, chain: int) -> bool:
        """Whether the labels of a chain differ from its own best."""
        changed = c_int32()
        with self._use(shared=True) as run:
            call(
                library.chorale_run_chain_score,
                run,
                self._model._chain(chain),
                0,
                None,
                byref(changed),
            )
        return bool(changed.value)

    def clique_score(self, clique: int, *, own: bool = False) -> float:
        """C of a clique."""
        score = c_double()
        with self._use(shared=True) as run:
            call(
                library.chorale_run_clique_score,
                run,
                self._model._clique(clique),
                bool(own),
                byref(score),
            )
        return score.value

    def values(self, clique: int, *, own: bool = False) -> arrays.Ints:
        """What the members of a clique show: 0 .. R-1, R for EMPTY, R + 1 for CONFLICT, -1 for a
        value outside the dictionary; of a centre, the last, its own value."""
        with self._use(shared=True) as run:
            number = self._model._clique(clique)
            count = self._model.clique_members(number)
            values = np.empty(count, dtype=np.int32)
            call(library.chorale_run_values, run, number, bool(own), arrays.address(values), count)
        return values

    def payments(self, chain: int) -> list[Payment]:
        """Why a chain changed, in the order of its positions."""
        count = c_int64()
        with self._use(shared=True) as run:
            number = self._model._chain(chain)
            call(library.chorale_run_payments, run, number, None, 0, byref(count))
            paid = (c.chorale_payment * max(1, count.value))()
            call(library.chorale_run_payments, run, number, paid, count.value, byref(count))
        return [
            Payment(p.clique, p.member, p.position, p.own_value, p.value, p.amount)
            for p in paid[: count.value]
        ]

    def max_marginals(self, chain: int) -> arrays.Doubles:
        """T x m: the max-marginals of a chain's positions under the final messages."""
        return self._marginals(chain)[0]

    def margins(self, chain: int) -> arrays.Doubles:
        """T: the best max-marginal of each position less its second best."""
        return self._marginals(chain)[1]

    def _marginals(self, chain: int) -> tuple[arrays.Doubles, arrays.Doubles]:
        with self._use() as run, Carrying(self._model._raised):
            number = self._model._chain(chain)
            length, labels = self._model._shape(number)
            marginals = np.empty((length, labels))
            margins = np.empty(length)
            call(
                library.chorale_run_max_marginals,
                run,
                number,
                arrays.address(marginals),
                labels,
                arrays.address(margins),
            )
        return marginals, margins

    def json(self) -> str:
        """The whole of it as JSON; the keys are those of run.h."""
        needed = c_size_t()
        with self._use(shared=True) as run:
            call(library.chorale_run_json, run, None, 0, byref(needed))
            buffer = create_string_buffer(needed.value)
            call(library.chorale_run_json, run, buffer, needed.value, byref(needed))
        return buffer.value.decode("utf-8")

    # ---- Before there is one

    @staticmethod
    def estimate(model: Model, **options: Any) -> Cost:
        """The size and cost of a run, before it is made."""
        if not isinstance(model, Model):
            raise TypeError(f"model is {model!r}, not a Model")
        made = _options(options)
        cost = struct(c.chorale_run_cost)
        with model._use() as frozen:
            call(library.chorale_run_estimate, frozen, byref(made), byref(cost))
        return Cost(**{field.name: getattr(cost, field.name) for field in dataclasses.fields(Cost)})

    def __repr__(self) -> str:
        return "<Run, closed>" if self.closed else f"<Run of {self.model!r}>"


def _checked(cancel: Any) -> Cancel | None:
    if cancel is not None and not isinstance(cancel, Cancel):
        raise TypeError(f"cancel is {cancel!r}, not a Cancel")
    return cancel


def _options(given: dict[str, Any]) -> c.chorale_run_options:
    options = struct(c.chorale_run_options)
    for name, value in given.items():
        if name in ("rounds", "beam_width", "budget", "threads", "bound_steps"):
            setattr(options, name, arrays.integer(name, value))
        elif name == "damping":
            options.damping = arrays.real(name, value)
        elif name == "time_limit":
            options.time_limit = -1.0 if value is None else arrays.real(name, value)
        elif name in ("exact_marginals", "polish", "restrict_range"):
            setattr(options, name, bool(value))
        elif name == "schedule":
            options.schedule = arrays.chosen(name, value, SCHEDULES)
        elif name == "joint_mode":
            options.joint_mode = arrays.chosen(name, value, JOINT_MODES)
        elif name == "message_number":
            options.message_number = arrays.chosen(name, value, MESSAGE_NUMBERS)
        elif name == "algorithm":
            options.algorithm = algorithm_number(value)
        else:
            raise TypeError(f"there is no option {name!r}")
    return options
