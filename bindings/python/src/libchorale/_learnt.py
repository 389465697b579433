"""Learning: computes strengths and potentials from labelled problems."""

from __future__ import annotations

import ctypes
import json
import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from ctypes import byref
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from ._callbacks import Raised
from ._handle import Closable, Recipe
from ._native import call, library, struct
from .cancel import Cancel, Stop
from .host import lent
from .model import Model
from .potential import Potential
from .problem import Problem
from .run import run_options, telling

QUICK = {
    "rounds": -1,
    "damping": 0.0,
    "schedule": "all",
    "algorithm": "auto",
    "exact_marginals": False,
    "polish": True,
    "restrict_range": False,
    "joint_mode": "auto",
    "message_element": "auto",
    "beam_width": 30,
    "budget": 1024,
    "threads": 1,
    "bound_steps": 0,
}


def _fields(told: c.Struct) -> dict[str, Any]:
    names = [name for name, *_ in told._fields_]
    return {name: getattr(told, name) for name in names if name not in ("struct_size", "reserved")}


class Learnt(Closable):
    """The result of `learn`: weights for each kind of clique, and how much they reduce the cost of
    errors, with confidence intervals. str() gives lines of text for people. Can be pickled."""

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
        return cls(cls._create(library.chorale_learnt_read, lent(), given, len(given)))

    def __reduce__(self) -> Any:
        return Recipe(Learnt, "from_json", (self.to_json(),), {}).remake()

    def _entries(self, function: Any, kind: type[c.Struct]) -> list[dict[str, Any]]:
        with self._use() as learnt:
            needed = ctypes.c_int64()
            size = ctypes.sizeof(kind)
            call(function, learnt, None, size, 0, byref(needed))
            entries = (kind * max(1, needed.value))()
            call(function, learnt, entries, size, needed.value, None)
        return [_fields(entry) for entry in entries[: needed.value]]

    @property
    def report(self) -> dict[str, Any]:
        """A dict with the fields of the C struct chorale_learnt_report, which learn.h describes.
        `kinds` and `weights` are not numbers of entries here, but lists of dicts with the fields of
        chorale_learnt_kind and chorale_learnt_weight."""
        told = struct(c.chorale_learnt_report)
        with self._use() as learnt:
            call(library.chorale_learnt_get_report, learnt, byref(told))
        found = _fields(told)
        found["kinds"] = self._entries(library.chorale_learnt_kinds, c.chorale_learnt_kind)
        for entry, named in zip(found["kinds"], json.loads(self.to_json())["kinds"]):
            entry["name"] = named["name"]
        found["weights"] = self._entries(library.chorale_learnt_weights, c.chorale_learnt_weight)
        for entry in found["weights"]:
            entry["basis"] = library.chorale_basis_name(entry["basis"]).decode()
        return found

    def apply(self, problem: Problem) -> Model:
        """Returns a model with the chains and cliques of a problem's model. The cliques that have a
        kind get the learnt potential of this kind."""
        with self._use() as learnt, problem._use(shared=True) as handle:
            pointer = Model._create(library.chorale_learnt_apply, lent(), learnt, handle)
        return Model._made(pointer, (problem.model,), ())

    @classmethod
    def _potential_of(cls, text: str, kind: int, values: int, centre_value: int) -> Potential:
        return cls.from_json(text).potential(kind, values, centre_value)

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
                lent(),
                learnt,
                arrays.integer("kind", kind),
                arrays.integer("values", values),
                arrays.integer("centre_value", centre_value),
            )
        recipe = Recipe(Learnt, "_potential_of", (self.to_json(), kind, values, centre_value), {})
        return Potential._made(recipe, pointer)


_BASES = {
    library.chorale_basis_name(value).decode(): value
    for name, value in vars(c).items()
    if name.startswith("CHORALE_BASIS_")
}


@dataclass(frozen=True)
class WeightRule:
    """Bounds of weights, for `learn`. The learnt potential of a clique is a weighted sum of
    functions of its counts, the bases (learn.h). Some bases have one weight; others are lists of
    functions, numbered by an index, each with a weight of its own. If several rules match a weight,
    the last one applies. A rule for a basis that is not learnt by default makes it learnt.

    basis  "agreement", "log-agreement", "share", "majority", "centre", "single", "empty",
           "conflict", "out" or "value"
    kind   the number of a kind of cliques; None: every kind that can have the basis
    index  which weight, if the basis has several; None: all of them. "share": 1, 2 or 3; "value":
           v, for members with value v; "majority" and "centre": a * C + v, for members with value v
           in a clique whose majority or centre has value a (C: the number of values, including
           EMPTY and CONFLICT)
    least, most  the bounds of the weight; if they are equal, the weight is fixed
    """

    basis: str
    least: float = -math.inf
    most: float = math.inf
    kind: int | None = None
    index: int | None = None


class LearnProgress(NamedTuple):
    """Progress of learning. runs: how often a problem has been labelled so far. runs_most: an upper
    bound on the value of `runs` at the end."""

    runs: int
    runs_most: int


def _rules(given: Iterable[WeightRule]) -> Any:
    rules = list(given)
    made = (c.chorale_weight_rule * max(1, len(rules)))()
    for number, rule in enumerate(rules):
        if not isinstance(rule, WeightRule):
            raise TypeError(f"rules[{number}] is {rule!r}, not a WeightRule")
        if rule.basis not in _BASES:
            known = ", ".join(repr(name) for name in _BASES)
            raise ValueError(f"rules[{number}].basis is {rule.basis!r}; there are {known}")
        here = f"rules[{number}]."
        made[number].basis = _BASES[rule.basis]
        made[number].kind = -1 if rule.kind is None else arrays.integer(here + "kind", rule.kind)
        index = -1 if rule.index is None else arrays.integer(here + "index", rule.index)
        made[number].index = index
        made[number].least = arrays.real(here + "least", rule.least)
        made[number].most = arrays.real(here + "most", rule.most)
    return made, len(rules)


def learn(
    problems: Problem | Iterable[Problem],
    *,
    seen: Sequence[float] | None = None,
    rules: Iterable[WeightRule] = (),
    costs: npt.ArrayLike | None = None,
    classes: Sequence[int] | None = None,
    folds: int = 10,
    level: float = 0.05,
    time_limit: float | None = None,
    cancel: Cancel | None = None,
    progress: Callable[[LearnProgress], Any] | None = None,
    **run: Any,
) -> Learnt:
    """Learns weights for the kinds of cliques of problems with gold labels. The scores of a problem
    must come from a tagger that has not seen its gold labels.

    seen        for each problem: the size of the data that its tagger was trained on, as a share of
                the data that the final tagger will be trained on; above 0, at most 1. None: 1
    rules       bounds of weights
    costs       m x m: entry [x, y] is the cost of label y where the gold label is x. None: 1 for
                each wrong label
    classes     the class that each of the m labels counts as, or -1 if it does not count. The costs
                are then those of micro F1, and `costs` must be None
    folds       greatest number of folds in cross-validation
    level       significance level of the tests: weights are applied only if their gain is
                significant
    time_limit  seconds; None: no limit. If the limit ends the call, all learnt weights are 0
    cancel      a `Cancel` that any thread may set to end the call; then all learnt weights are 0
    progress    called with a `LearnProgress` after each run; a true result ends the call
    run         options of the runs that label the problems during learning, as in `Run` (rounds,
                beam_width, threads, ...). Default: rounds=-1 (3 rounds, or none if all kinds are of
                property cliques) and beam_width=30 (300 in `Run`, and in C), otherwise as in `Run`.
                beam_width matters only with joint_mode="beam"
    """
    given = [problems] if isinstance(problems, Problem) else list(problems)
    options = struct(c.chorale_learn_options)
    library.chorale_learn_options_init(byref(options), ctypes.sizeof(options))
    options.folds = arrays.integer("folds", folds)
    options.level = arrays.real("level", level)
    options.time_limit = arrays.limit("time_limit", time_limit)
    inference = run_options(**{**QUICK, **run})
    options.run = ctypes.pointer(inference)
    made, options.rule_count = _rules(rules)
    options.rules = made
    if costs is not None:
        table = arrays.scores("costs", costs, 2, float32=False)
        if table.shape[0] != table.shape[1]:
            raise ValueError(f"costs has shape {table.shape}; it must be square")
        table = table.copy()
        options.costs, options.labels = table.ctypes.data, len(table)
    if classes is not None:
        counted = arrays.ints("classes", classes)
        if costs is not None and len(counted) != options.labels:
            raise ValueError(f"classes has {len(counted)} entries for {options.labels} labels")
        options.classes, options.labels = counted.ctypes.data, len(counted)
    raised, stop = Raised(), Stop(cancel)
    options.progress = telling(
        progress,
        raised,
        c.chorale_learn_progress_function,
        lambda now: LearnProgress(now.runs, now.runs_most),
    )
    if seen is not None:
        if len(seen) != len(given):
            raise ValueError(f"seen has {len(seen)} entries, not {len(given)}")
        shares = (ctypes.c_double * len(given))(*seen)
        options.seen = ctypes.addressof(shares)
    with ExitStack() as stack:
        pointers = [stack.enter_context(problem._use(shared=True)) for problem in given]
        array = (ctypes.c_void_p * max(1, len(pointers)))(*pointers)
        options.cancel = stack.enter_context(stop._use())
        learnt = Learnt(
            Learnt._create(
                library.chorale_learn,
                lent(),
                array,
                len(pointers),
                byref(options),
                stop=stop,
            )
        )
    error = raised.take()
    if error is not None:
        raise error
    return learnt
