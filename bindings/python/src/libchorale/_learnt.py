"""Learning: computes strengths and potentials from labelled problems."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from ctypes import byref
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from ._callbacks import Raised
from ._handle import Closable, Recipe
from ._native import call, library, struct
from ._work import entries
from .cancel import Cancel, Stop
from .model import Model
from .potential import Potential
from .problem import Problem
from .run import Run, telling

VERDICTS = {
    value: name.removeprefix("CHORALE_VERDICT_").lower().replace("_", " ")
    for name, value in vars(c).items()
    if name.startswith("CHORALE_VERDICT_")
}
WARNINGS = {
    value: name.removeprefix("CHORALE_WARNING_").lower().replace("_", " ")
    for name, value in vars(c).items()
    if name.startswith("CHORALE_WARNING_")
}


def _fields(told: c.Struct) -> dict[str, Any]:
    names = [name for name, *_ in told._fields_]
    return {name: getattr(told, name) for name in names if name not in ("struct_size", "reserved")}


class Learnt(Closable):
    """The result of `learn`: how strongly the members of each kind of clique should agree, and what
    that gains on held-out groups. str() gives lines of text for people. Can be pickled."""

    _free = library.chorale_learnt_destroy

    def _text(self, form: int) -> str:
        with self._use() as learnt:
            needed = ctypes.c_size_t()
            call(library.chorale_learnt_text, learnt, form, None, 0, byref(needed))
            buffer = ctypes.create_string_buffer(needed.value)
            call(library.chorale_learnt_text, learnt, form, buffer, needed.value, None)
        return buffer.value.decode()

    def __str__(self) -> str:
        return self._text(c.CHORALE_TEXT_LINES)

    def to_json(self) -> str:
        """Returns the whole result as JSON, for `from_json`."""
        return self._text(c.CHORALE_TEXT_JSON)

    @classmethod
    def from_json(cls, text: str) -> Learnt:
        """Reads a result written by `to_json`."""
        given = text.encode()
        return cls(cls._create(library.chorale_learnt_read, None, given, len(given)))

    def __reduce__(self) -> Any:
        return Recipe(Learnt, "from_json", (self.to_json(),), {}).remake()

    @property
    def report(self) -> dict[str, Any]:
        """A dict with the fields of the C struct chorale_learnt_report, which learn.h describes:
        precision, recall, F1, accuracy and cost of held-out groups for the tagger, the control and
        the labels that agree, and how many labels changed. `verdict` is a text, `warnings` a list
        of texts, `applied` true or false, and `kinds` a list of dicts with the fields of
        chorale_learnt_kind and `name`."""
        told = struct(c.chorale_learnt_report)
        with self._use() as learnt:
            call(library.chorale_learnt_get_report, learnt, byref(told))
        found = _fields(told)
        found["applied"] = bool(told.applied)
        found["verdict"] = VERDICTS[told.verdict]
        found["warnings"] = [name for flag, name in WARNINGS.items() if told.warnings & flag]
        with self._use() as learnt:
            kinds = entries(library.chorale_learnt_kinds, c.chorale_learnt_kind, learnt)
        names = [name for name, *_ in c.chorale_learnt_kind._fields_]
        found["kinds"] = [
            {**dict(zip(names, kind)), "name": named["name"]}
            for kind, named in zip(kinds, json.loads(self.to_json())["kinds"])
        ]
        return found

    def probabilities(self, run: Run, chain: int) -> npt.NDArray[np.float64]:
        """Returns the probability of each label at each position of a chain, T x m: those of
        `Run.probabilities`, each row calibrated at the temperature that was fitted to held-out
        groups, one for positions whose label agreement changed, one for the others. A row p becomes
        p ** (1 / temperature), divided by its sum."""
        told = struct(c.chorale_learnt_report)
        with self._use() as learnt:
            call(library.chorale_learnt_get_report, learnt, byref(told))
        changed = run.labels(chain) != run.labels(chain, own=True)
        temperature = np.where(changed, told.changed_temperature, told.temperature)
        power = np.divide(1.0, temperature, where=temperature > 0, out=np.ones(len(changed)))
        found: npt.NDArray[np.float64] = run.probabilities(chain)[0] ** power[:, None]
        found /= found.sum(axis=1, keepdims=True)
        return found

    def apply(self, problem: Problem) -> Model:
        """Returns a model with the chains and cliques of a problem's model. The cliques that have a
        kind get the learnt potential of this kind."""
        with self._use() as learnt, problem._use(shared=True) as handle:
            pointer = Model._create(library.chorale_learnt_apply, None, learnt, handle)
        return Model._made(pointer, (problem.model,), problem.model._raised)

    def potential(self, kind: int, values: int, centre_value: int = -1) -> Potential:
        """Returns the learnt potential of a kind, for cliques of any size.

        kind          the number of the kind
        values        the number of values of the cliques, without EMPTY and CONFLICT
        centre_value  for a kind of centred cliques: the value of the centre that the potential is
                      for; otherwise -1
        """
        with self._use() as learnt:
            pointer = Potential._create(
                library.chorale_learnt_potential,
                None,
                learnt,
                arrays.integer("kind", kind),
                arrays.integer("values", values),
                arrays.integer("centre_value", centre_value),
            )
        return Potential._made(pointer)


class LearnProgress(NamedTuple):
    """Progress of learning. runs: how often a problem has been labelled so far. runs_most: an upper
    bound on the value of `runs` at the end."""

    runs: int
    runs_most: int


def learn(
    problems: Problem | Iterable[Problem],
    *,
    classes: Sequence[int] | None = None,
    begins: Sequence[bool] | None = None,
    costs: npt.ArrayLike | None = None,
    may_lower_accuracy: bool = False,
    without_gold: bool = False,
    threads: int = 1,
    time_limit: float | None = 300.0,
    cancel: Cancel | None = None,
    progress: Callable[[LearnProgress], Any] | None = None,
) -> Learnt:
    """Learns from problems with gold labels how strongly the members of cliques should agree. The
    scores of a problem must come from a tagger that has not seen its gold labels.

    classes       the class that each of the m labels counts as, or -1 if it does not count: what is
                  maximised is then micro F1 of tokens. None: the share of right labels
    begins        for each of the m labels whether it begins a span: F1 is then that of spans
    costs         m x m: entry [x, y] is the cost of label y where the gold label is x. None: 1 for
                  each wrong label. Not together with `classes`
    may_lower_accuracy  False: nothing is applied that lowers accuracy by more than a standard error
    without_gold  True: gold labels are not read. The strength comes from what the tagger expects of
                  itself, which tells how strongly members should agree, not whether they do
    time_limit    seconds, after which no further strength is tried; None: no limit
    cancel        a `Cancel` that any thread may set to end the call; nothing is applied then
    progress      called with a `LearnProgress` after each run; a true result ends the call. Ctrl-C
                  (in the main thread) ends the call, too
    """
    given = [problems] if isinstance(problems, Problem) else list(problems)
    options = struct(c.chorale_learn_options)
    options.may_lower_accuracy = bool(may_lower_accuracy)
    options.without_gold = bool(without_gold)
    options.threads = arrays.size("threads", threads, 1)
    options.time_limit = arrays.limit("time_limit", time_limit)
    if costs is not None:
        table = arrays.scores("costs", costs, 2, float32=False)
        if table.shape[0] != table.shape[1]:
            raise ValueError(f"costs has shape {table.shape}; it must be square")
        table = table.copy()
        options.costs, options.labels = table.ctypes.data, len(table)
    kept = []
    for name, values in (("classes", classes), ("begins", begins)):
        if values is None:
            continue
        kept.append(arrays.ints(name, [int(value) for value in values]))
        if options.labels not in (0, len(kept[-1])):
            raise ValueError(f"{name} has {len(kept[-1])} entries for {options.labels} labels")
        options.labels = len(kept[-1])
        setattr(options, name, kept[-1].ctypes.data)
    raised, stop = Raised(), Stop(cancel)
    options.progress = telling(
        progress,
        raised,
        c.chorale_learn_progress_function,
        lambda now: LearnProgress(now.runs, now.runs_most),
    )
    with ExitStack() as stack:
        pointers = [stack.enter_context(problem._use(shared=True)) for problem in given]
        array = (ctypes.c_void_p * max(1, len(pointers)))(*pointers)
        options.cancel = stack.enter_context(stop._use())
        learnt = Learnt(
            Learnt._create(
                library.chorale_learn,
                None,
                array,
                len(pointers),
                byref(options),
                stop=stop,
                sources=[source for problem in given for source in problem.model._raised],
            )
        )
    error = raised.take()
    if error is not None:
        raise error
    return learnt
