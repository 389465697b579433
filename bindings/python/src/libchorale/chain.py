"""Chains and trees: finds the best labelling or the k best, and computes max-marginals and
margins."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from ctypes import c_char_p, c_double, c_int64, c_size_t
from typing import Any, Literal, NamedTuple, Union

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from ._declarations import Outcome
from ._handle import Closable, Shared, recipe
from ._native import call, get, library, struct
from ._work import told

Scheme = Literal["plain", "bio", "bioes", "bilou"]


def named(names: Sequence[str], scheme: str) -> tuple[int, Any, Any, int]:
    """Returns label names as the library takes them: scheme, texts, their lengths and number."""
    encoded = arrays.texts("names", names)
    spelled = scheme.lower() if isinstance(scheme, str) else scheme
    pointers = (c_char_p * max(1, len(encoded)))(*encoded)
    lengths = (c_size_t * max(1, len(encoded)))(*map(len, encoded))
    return arrays.chosen("scheme", spelled, "SCHEME"), pointers, lengths, len(encoded)


class Mask(NamedTuple):
    """Booleans that say which labels may follow which.

    between  m x m: entry [x, y] says whether label y may follow label x
    start    m entries: whether a label may be the first one
    end      m entries: whether a label may be the last one
    """

    between: npt.NDArray[np.bool_]
    start: npt.NDArray[np.bool_]
    end: npt.NDArray[np.bool_]


def mask(names: Sequence[str], scheme: Scheme = "bio") -> Mask:
    """Returns which labels may follow which, for label names such as "O" and "B-Title". scheme:
    "bio", "bioes" or "bilou"; or "plain": any label may follow any.

    >>> mask(["O", "B-X", "I-X"]).between.tolist()
    [[True, True, False], [True, True, True], [True, True, True]]
    """
    given = *_, count = named(names, scheme)
    made = Mask(np.empty((count, count), bool), np.empty(count, bool), np.empty(count, bool))
    call(library.chorale_scheme_mask, *given, *made)
    return made


class Transitions(Shared):
    """Transition scores that many chains share: immutable, for any number of threads.

    scores       m x m, float64 or float32: entry [x, y] is the score of label y after label x;
                 None: all zero
    start        m scores, of each label at the first position; None: all zero
    end          m scores, of each label at the last position; None: all zero
    mask         which labels may follow which: a `Mask`, or m x m booleans, entry [x, y] for label
                 y after label x; None: any label may follow any
    labels       m, the number of labels; needed if scores is None

    >>> Transitions([[0.0, 1.0], [0.5, 0.0]], start=[0.0, -1.0]).labels
    2
    """

    _free = library.chorale_transitions_release
    _retain = library.chorale_transitions_retain

    def __init__(
        self,
        scores: npt.ArrayLike | None = None,
        start: npt.ArrayLike | None = None,
        end: npt.ArrayLike | None = None,
        mask: Mask | npt.ArrayLike | None = None,
        *,
        labels: int | None = None,
    ) -> None:
        array = None if scores is None else arrays.scores("scores", scores, 2, "copy")
        if labels is None:
            if array is None:
                raise TypeError("labels is missing: without scores it says how many labels there are")
            labels = len(array)
        count = arrays.integer("labels", labels)
        square = (count, count)
        if array is not None and array.shape != square:
            rule = f"it must be square, with a row for each of {count} labels"
            raise ValueError(f"scores has shape {array.shape}; {rule}")
        number = np.dtype(np.float64) if array is None else array.dtype
        ends = {name: _ends(name, v, count, number) for name, v in (("start", start), ("end", end))}
        masks = mask if isinstance(mask, Mask) else (mask, None, None)
        shapes = square, (count,), (count,)
        allowed: dict[str, Any] = {
            name: None if value is None else arrays.flags(name, value, shape, "copy")
            for name, value, shape in zip(("mask", "start_mask", "end_mask"), masks, shapes)
        }
        options = struct(
            c.chorale_transitions_options,
            element=arrays.NUMBERS[number],
            **ends,
            **allowed,
        )
        create = library.chorale_transitions_create
        super().__init__(self._create(create, None, count, array, options))
        kept = Mask(*allowed.values()) if isinstance(mask, Mask) else allowed["mask"]
        given = (array, *ends.values(), kept)
        self._recipe = recipe(type(self), None, *given, labels=count)

    @property
    def labels(self) -> int:
        """m, the number of labels."""
        return int(get(library.chorale_transitions_labels, self))


def _ends(name: str, value: Any, labels: int, dtype: Any) -> npt.NDArray[Any] | None:
    """Returns a copy of start or end scores."""
    if value is None:
        return None
    own = arrays.own(arrays.table(name, value, 1).astype(dtype))
    if own.shape != (labels,):
        raise ValueError(f"{name} has shape {own.shape}, not ({labels},)")
    return own


class Chain:
    """The scores of one chain or tree of T positions and m labels.

    unary        T x m, float64 or float32: the score of each label at each position; -inf: the
                 position may not have the label
    transitions  a `Transitions`, or scores: m x m for all edges, or (T - 1) x m x m, one matrix for
                 each edge; None: all zero
    edges        an array of one of the two shapes above. It replaces the scores of `transitions`,
                 but not its start and end scores. Not allowed if `transitions` is an array itself
    start, end   m scores each: of each label at the first and at the last position. They replace
                 those of `transitions`
    parents      for a tree, the parent of each position: an earlier position, or -1 for a root;
                 None: a chain
    forced       T integers: the label that a position must take, or -1 if the position is free
    allowed      T x m booleans, False forbids a label at a position

    >>> Chain([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.5]]).score([1, 1])
    2.5
    """

    length: int
    labels: int
    unary: npt.NDArray[Any]
    transitions: Transitions | None
    _struct: c.chorale_chain
    _place: tuple[Any, int] | None = None  # the model that has the chain, and its number

    def __init__(
        self,
        unary: npt.ArrayLike,
        transitions: Transitions | npt.ArrayLike | None = None,
        *,
        edges: npt.ArrayLike | None = None,
        start: npt.ArrayLike | None = None,
        end: npt.ArrayLike | None = None,
        parents: npt.ArrayLike | None = None,
        forced: npt.ArrayLike | None = None,
        allowed: npt.ArrayLike | None = None,
    ) -> None:
        if edges is not None and not isinstance(transitions, (Transitions, type(None))):
            raise TypeError("edges are given twice: transitions is an array, and so is edges")
        self._set("copy", unary, transitions, edges, start, end, parents, forced, allowed)

    def _set(
        self, how: arrays.How, unary: Any, transitions: Any, edges: Any = None, *parts: Any
    ) -> None:
        """Stores scores. parts: start, end, parents, forced and allowed, or none of them."""
        start, end, parents, forced, allowed = parts or (None,) * 5
        name = "edges" if edges is not None else "transitions"  # the argument with their scores
        if not isinstance(transitions, Transitions):
            edges, transitions = transitions if edges is None else edges, None
        array = arrays.scores("unary", unary, 2, how)
        length, labels = array.shape
        fields: dict[str, Any] = {}
        if edges is not None:
            edges = arrays.scores(name, edges, (2, 3), how)
            each = (max(0, length - 1), labels, labels)
            if edges.shape not in (each, each[1:]):
                raise ValueError(
                    f"{name} has shape {edges.shape}; it must be {each[1:]}, or {each} "
                    "with a matrix for each edge"
                )
            if edges.dtype != array.dtype:  # the library takes one type of numbers
                array = arrays.own(array.astype(np.float64))
                edges = arrays.own(edges.astype(np.float64))
            if edges.size:  # 0 matrices, of a chain without edges, are as none
                matrices = edges if edges.ndim == 3 else edges[None]
                fields.update(edges=edges, edge_matrices=len(matrices))
                for axis, which in enumerate(("matrix", "row", "column")):
                    fields[f"edge_{which}_stride"] = arrays.stride(matrices, axis)
        self.unary, self.transitions = array, transitions
        self.length, self.labels = length, labels
        self._struct = struct(
            c.chorale_chain,
            length=length,
            labels=labels,
            element=arrays.NUMBERS[array.dtype],
            unary=array,
            **arrays.strides("unary", array),
            transitions=transitions,
            start=_ends("start", start, labels, array.dtype),
            end=_ends("end", end, labels, array.dtype),
            parents=arrays.optional_ints("parents", parents, length, how),
            forced=arrays.optional_ints("forced", forced, length, how),
            allowed=arrays.optional_flags("allowed", allowed, (length, labels), how),
            **fields,
        )
        self._struct.names = {"edges": name}

    @classmethod
    def _for_a_call(cls, unary: Any, transitions: Any, how: arrays.How = "call") -> Chain:
        """Returns `unary` itself if it is a `Chain`, otherwise a chain with these unary scores and
        transitions."""
        if isinstance(unary, Chain):
            if transitions is not None:
                raise TypeError("unary is a Chain, which has transitions of its own")
            return unary
        made = cls.__new__(cls)
        made._set(how, unary, transitions)
        return made

    @classmethod
    def _within(cls, scores: c.chorale_chain, model: Any, number: int) -> Chain:
        """Returns chain `number` of a model. Its arrays and transitions belong to the model, which
        the chain keeps alive."""
        made = cls.__new__(cls)
        made._place = model, number
        made._struct, made.transitions = scores, None
        made.length, made.labels = scores.length, scores.labels
        dtype = np.float32 if scores.element == c.CHORALE_FLOAT32 else np.float64
        column = scores.unary_column_stride or 1
        strides = scores.unary_row_stride or scores.labels * column, column
        shape = scores.length, scores.labels
        made.unary = arrays.borrowed(scores.unary, shape, dtype, model, strides)
        return made

    def __len__(self) -> int:
        """Returns T, the number of positions."""
        return self.length

    def __reduce__(self) -> Any:
        if self._place is not None:
            return recipe(type(self._place[0]), "chain", *self._place)
        names = ("transitions", "edges", "start", "end", "parents", "forced", "allowed")
        given = {name: self._struct.kept.get(name) for name in names}
        return recipe(Chain, None, self.unary, **given)

    def score(self, labels: npt.ArrayLike) -> float:
        """Returns the score of a labelling (T labels): -inf if it is forbidden."""
        array = arrays.ints("labels", labels, size=self.length)
        return float(told(c_double, library.chorale_chain_score, self._struct, array))


# The type of the argument `transitions` of calls that take unary scores.
Edges = Union[Transitions, npt.ArrayLike, None]


@dataclasses.dataclass(frozen=True, repr=False)
class ChainResult(arrays.Shown):
    """The best labelling of a chain. labels: T labels; None if every labelling is forbidden
    (outcome INFEASIBLE). score: the score of the labelling; -inf if there is none."""

    labels: arrays.Ints | None
    score: float
    outcome: Outcome


@dataclasses.dataclass(frozen=True, repr=False)
class ChainMarginals(arrays.Shown):
    """Max-marginals of a chain.

    marginals       T x m: the best score of a labelling with this label at this position
    edge_marginals  None, or (T - 1) x m x m: entry [t - 1, x, y] is the best score of a labelling with label
                    y at position t and label x at its parent (on a chain: at position t - 1)
    margins         T numbers: the best max-marginal of each position minus its second best; +inf if
                    only one label is possible
    result          the best labelling"""

    marginals: arrays.Doubles
    edge_marginals: arrays.Doubles | None
    margins: arrays.Doubles
    result: ChainResult


class ChainSolver(Closable):
    """A reusable workspace for chains and trees, for one call at a time: use one for each thread."""

    _free = library.chorale_chain_solver_destroy

    def __init__(self) -> None:
        super().__init__(self._create(library.chorale_chain_solver_create, None))

    def best(self, unary: Chain | npt.ArrayLike, transitions: Edges = None) -> ChainResult:
        """Finds the best labelling of a `Chain`, or of unary scores (T x m) and transitions.

        >>> ChainSolver().best([[1.0, 0.0], [0.0, 2.0]], [[0.0, -3.0], [0.0, 0.5]]).labels.tolist()
        [1, 1]
        """
        scores = Chain._for_a_call(unary, transitions)
        labels = np.empty(scores.length, dtype=np.int32)
        function = library.chorale_chain_solve
        return _result(told(c.chorale_chain_result, function, self, scores._struct, labels), labels)

    def k_best(
        self, unary: Chain | npt.ArrayLike, transitions: Edges = None, *, k: int
    ) -> tuple[arrays.Ints, arrays.Doubles]:
        """Finds the k best labellings of a chain, best first. Returns their labels (k x T) and
        their scores (k); there are fewer than k rows if fewer labellings are allowed.

        >>> ChainSolver().k_best([[1.0, 0.0], [0.0, 2.0]], k=2)[1].tolist()
        [3.0, 2.0]
        """
        scores = Chain._for_a_call(unary, transitions)
        count = arrays.size("k", k, 1)
        if count > 2**31:
            raise ValueError(f"k is {count}, above 2^31")
        labels = np.empty((count, scores.length), dtype=np.int32)
        values = np.empty(count)
        outputs = labels, scores.length, values
        found = told(c_int64, library.chorale_chain_k_best, self, scores._struct, count, *outputs)
        return labels[:found], values[:found]

    def marginals(
        self, unary: Chain | npt.ArrayLike, transitions: Edges = None, *, edges: bool = False
    ) -> ChainMarginals:
        """Computes the max-marginals of all positions, the margins and the best labelling. edges:
        True: also the max-marginals of edges.

        >>> found = ChainSolver().marginals([[1.0, 0.0], [0.0, 2.0]])
        >>> found.marginals.tolist(), found.margins.tolist()
        ([[3.0, 2.0], [1.0, 3.0]], [1.0, 2.0])
        """
        scores = Chain._for_a_call(unary, transitions)
        length, m = scores.length, scores.labels
        of_edges = np.empty((max(0, length - 1), m, m)) if edges else None
        marginals, margins = np.empty((length, m)), np.empty(length)
        labels = np.empty(length, dtype=np.int32)
        outputs = marginals, m, of_edges, margins, labels
        function = library.chorale_chain_max_marginals
        result = told(c.chorale_chain_result, function, self, scores._struct, *outputs)
        return ChainMarginals(marginals, of_edges, margins, _result(result, labels))


def _result(result: c.chorale_chain_result, labels: arrays.Ints) -> ChainResult:
    outcome = Outcome(result.outcome)
    return ChainResult(
        labels if outcome == Outcome.COMPLETE else None, float(result.score), outcome
    )
