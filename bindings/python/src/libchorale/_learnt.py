"""Learning: computes strengths and potentials from labelled problems."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from ctypes import c_size_t
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from ._callbacks import Raised
from ._declarations import LearnProgress as LearnProgress
from ._handle import Closable, recipe
from ._native import call, library, struct
from ._work import entries, told
from .cancel import Cancel, Stop
from .model import Model
from .potential import Potential, square
from .problem import Problem
from .run import Run, telling

VERDICTS, WARNINGS = arrays.named("VERDICT"), arrays.named("WARNING")


class Learnt(Closable):
    """The result of `learn`: how strongly the members of each kind of clique should agree, and what
    that gains on held-out groups. str() gives lines of text for people. Can be pickled. Provisional
    until 1.0."""

    _free = library.chorale_learnt_destroy

    def _text(self, form: int) -> str:
        text = library.chorale_learnt_text
        size: int = told(c_size_t, text, self, form, None, 0)
        buffer = ctypes.create_string_buffer(size)
        call(text, self, form, buffer, size, None)
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
        return recipe(Learnt, "from_json", self.to_json())

    @property
    def report(self) -> dict[str, Any]:
        """A dict of what was counted on held-out groups, at positions with known gold labels.
        Numbers that are unknown are 0.

        applied       whether strengths are applied; verdict: why, a text; warnings: a list of texts
        outcome       how the call ended
        groups, positions, kinds  how many there are; positions: those with gold labels. But `kinds`
                      is a list of dicts, with name, cliques, members, strength and bonus of each
                      kind of cliques; uses_log_odds: 1 if its potential weighs values by their
                      log-odds given the centre, 0 for any other form
        runs          how often a problem was labelled
        tagger_cost, control_cost, agreeing_cost  what is minimised (`learn`: classes, begins,
                      costs), for the tagger's labels, for the control, whose bonuses can make
                      labels more frequent but not agree, and for the labels that agree
        tagger_precision, ...  likewise precision, recall and f1 (only with classes) and accuracy
        changed       labels that agreement changed; changed_right_before, changed_right_after: how
                      many of these were right before, and are right now
        agreement_p   p-value: do members agree beyond chance? Negative: unknown
        gain_p        p-value of the gain, tagger_cost - agreeing_cost. Negative: unknown
        expected_errors  without_gold: errors that the tagger expects among its labels
        temperature, changed_temperature  what `probabilities` uses"""
        report = told(c.chorale_learnt_report, library.chorale_learnt_get_report, self)
        fields = [name for name, *_ in report._fields_]
        found = {name: getattr(report, name) for name in fields if name != "struct_size"}
        found["applied"] = bool(report.applied)
        found["verdict"] = VERDICTS[report.verdict]
        found["warnings"] = [name for flag, name in WARNINGS.items() if report.warnings & flag]
        kinds = entries(library.chorale_learnt_kinds, c.chorale_learnt_kind, self)
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
        report = told(c.chorale_learnt_report, library.chorale_learnt_get_report, self)
        changed = run.labels(chain) != run.labels(chain, alone=True)
        temperature = np.where(changed, report.changed_temperature, report.temperature)
        power = np.divide(1.0, temperature, where=temperature > 0, out=np.ones(len(changed)))
        found: npt.NDArray[np.float64] = run.probabilities(chain)[0] ** power[:, None]
        found /= found.sum(axis=1, keepdims=True)
        return found

    def apply(self, problem: Problem) -> Model:
        """Returns a model with the chains and cliques of a problem's model. The cliques that have a
        kind get the learnt potential of this kind."""
        pointer = Model._create(library.chorale_learnt_apply, None, self, problem)
        return Model._of(pointer, (problem.model,), problem.model._raised)

    def potential(self, kind: int, values: int, centre_value: int = -1) -> Potential:
        """Returns the learnt potential of a kind, for cliques of any size.

        kind          the number of the kind
        values        the number of values of the cliques, without EMPTY and CONFLICT
        centre_value  for a kind of centred cliques: the value of the centre that the potential is
                      for; otherwise -1
        """
        arguments = self, kind, values, centre_value
        create = library.chorale_learnt_potential
        return Potential._made(Potential._create(create, None, *arguments))


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
    scores of a problem must come from a tagger that has not seen its gold labels. Provisional until
    1.0.

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
    of_labels = {
        "costs": None if costs is None else square("costs", costs),
        "classes": arrays.optional_ints("classes", classes),
        "begins": None if begins is None else arrays.flags("begins", begins).astype(np.int32),
    }
    sizes = {name: len(array) for name, array in of_labels.items() if array is not None}
    labels = next(iter(sizes.values()), None)
    for name, size in sizes.items():
        if size != labels:
            raise ValueError(f"{name} has {size} entries for {labels} labels")
    raised, stop = Raised(), Stop(cancel)
    options = struct(
        c.chorale_learn_options,
        may_lower_accuracy=int(bool(may_lower_accuracy)),
        without_gold=int(bool(without_gold)),
        threads=arrays.size("threads", threads, 1),
        time_limit=arrays.limit("time_limit", time_limit),
        labels=labels,
        **of_labels,
        cancel=stop,
        progress=telling(progress, raised, c.chorale_learn_progress_function, LearnProgress),
    )
    with ExitStack() as stack:
        pointers = [stack.enter_context(problem._use(shared=True)) for problem in given]
        sources = [source for problem in given for source in problem.model._raised]
        addresses, how = np.array(pointers, np.uintp), {"stop": stop, "sources": sources}
        learn_all, count = library.chorale_learn, len(given)
        learnt = Learnt(Learnt._create(learn_all, None, addresses, count, options, **how))
    error = raised.take()
    if error is not None:
        raise error
    return learnt
