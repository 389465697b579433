"""Chains and trees: finds the best labelling or the k best, and computes max-marginals and
margins."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from ctypes import byref, c_char_p, c_double, c_int64, c_size_t
from typing import Any, Literal, NamedTuple, Union

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from ._handle import Closable, Recipe, Shared
from ._native import call, library, struct
from .errors import Renaming
from .outcome import Outcome

Orientation = Literal["from", "to"]
Scheme = Literal["plain", "bio", "bioes", "bilou"]

ORIENTATIONS = {"from": c.CHORALE_ROWS_FROM, "to": c.CHORALE_ROWS_TO}
SCHEMES = {
    "plain": c.CHORALE_SCHEME_PLAIN,
    "bio": c.CHORALE_SCHEME_BIO,
    "bioes": c.CHORALE_SCHEME_BIOES,
    "bilou": c.CHORALE_SCHEME_BILOU,
}


class Names:
    """Label names, converted for C."""

    def __init__(self, names: Sequence[str], scheme: str) -> None:
        if isinstance(names, (str, bytes)):
            raise TypeError(f"names is {names!r}, not a sequence of names")
        encoded = []
        for name in names:
            if not isinstance(name, str):
                raise TypeError(f"names holds {name!r}, not a str")
            encoded.append(name.encode("utf-8"))
        self.count = len(encoded)
        self._encoded = encoded
        self.pointers = (c_char_p * max(1, len(encoded)))(*encoded)
        self.lengths = (c_size_t * max(1, len(encoded)))(*map(len, encoded))
        spelled = scheme.lower() if isinstance(scheme, str) else scheme
        self.scheme = arrays.chosen("scheme", spelled, SCHEMES)


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
    known = Names(names, scheme)
    count = known.count
    between = np.empty((count, count), dtype=np.uint8)
    start = np.empty(count, dtype=np.uint8)
    end = np.empty(count, dtype=np.uint8)
    call(
        library.chorale_scheme_mask,
        known.scheme,
        known.pointers,
        known.lengths,
        count,
        arrays.address(between),
        arrays.address(start),
        arrays.address(end),
    )
    return Mask(between.view(np.bool_), start.view(np.bool_), end.view(np.bool_))


class Transitions(Shared):
    """Transition scores that many chains share: immutable, for any number of threads.

    scores       m x m, float64 or float32: entry [x, y] is the score of label y after label x
                 (orientation "to": entry [y, x]); None: all zero
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
        orientation: Orientation = "from",
    ) -> None:
        options = struct(c.chorale_transitions_options)
        options.orientation = arrays.chosen("orientation", orientation, ORIENTATIONS)
        array = None
        if scores is not None:
            array = arrays.scores("scores", scores, 2, "copy")
            if array.shape[0] != array.shape[1]:
                raise ValueError(f"scores has shape {array.shape}, which is not square")
            if labels is not None and labels != len(array):
                raise ValueError(f"labels is {labels}, but scores has shape {array.shape}")
            labels = len(array)
            options.element = arrays.NUMBERS[array.dtype]
            options.row_stride = arrays.stride(array, 0)
            options.column_stride = arrays.stride(array, 1)
        elif labels is None:
            raise TypeError("labels is missing: without scores it says how many labels there are")
        count = arrays.integer("labels", labels)
        number = np.dtype(np.float64) if array is None else array.dtype
        ends: list[npt.NDArray[Any] | None] = []
        for name, value in (("start", start), ("end", end)):
            own = None
            if value is not None:
                own = arrays.own(arrays.table(name, value, 1).astype(number))
                if own.shape != (count,):
                    raise ValueError(f"{name} has shape {own.shape}, not ({count},)")
                setattr(options, name, arrays.address(own))
            ends.append(own)
        allowed: list[Any] = []
        if mask is not None:
            for name, value, shape in zip(
                ("mask", "start_mask", "end_mask"),
                mask if isinstance(mask, Mask) else (mask, None, None),
                ((count, count), (count,), (count,)),
            ):
                own = None
                if value is not None:
                    own = arrays.flags(name, value, shape, "copy")
                    setattr(options, name, arrays.address(own))
                allowed.append(own)
        pointer = self._create(
            library.chorale_transitions_create, None, count, arrays.address(array), byref(options)
        )
        super().__init__(pointer)
        kept = Mask(*allowed) if isinstance(mask, Mask) else (allowed or [None])[0]
        self._recipe = Recipe(
            type(self), None, (array, *ends, kept), {"labels": count, "orientation": orientation}
        )

    @property
    def labels(self) -> int:
        """m, the number of labels."""
        with self._use() as transitions:
            return int(library.chorale_transitions_labels(transitions))


class Chain:
    """The scores of one chain or tree of T positions and m labels.

    unary        T x m, float64 or float32: the score of each label at each position; -inf: the
                 position may not have the label
    transitions  a `Transitions`, or scores: m x m for all edges, or (T - 1) x m x m, one matrix for
                 each edge; None: all zero
    edges        an array of one of the two shapes above. It replaces the scores of `transitions`,
                 but not its start and end scores. Not allowed if `transitions` is an array itself
    orientation  of the arrays `transitions` and `edges`. "from": the score of label y after label x
                 is entry [x, y]; "to": it is entry [y, x]
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
    _kept: tuple[Any, ...]
    _recipe: Recipe
    _edges_name: str = "transitions"  # the argument that gave the scores of edges

    def __init__(
        self,
        unary: npt.ArrayLike,
        transitions: Transitions | npt.ArrayLike | None = None,
        *,
        edges: npt.ArrayLike | None = None,
        orientation: Orientation = "from",
        start: npt.ArrayLike | None = None,
        end: npt.ArrayLike | None = None,
        parents: npt.ArrayLike | None = None,
        forced: npt.ArrayLike | None = None,
        allowed: npt.ArrayLike | None = None,
    ) -> None:
        if not isinstance(transitions, Transitions) and transitions is not None:
            if edges is not None:
                raise TypeError("edges are given twice: transitions is an array, and so is edges")
            edges, transitions = transitions, None
        elif edges is not None:
            self._edges_name = "edges"
        made = self._read(unary, transitions, edges, orientation, "copy")
        length, labels, array = self.length, self.labels, self.unary
        parts: dict[str, Any] = {"edges": self._kept[1], "orientation": orientation}
        for name, value in (("start", start), ("end", end)):
            if value is not None:
                ends = arrays.own(arrays.table(name, value, 1).astype(array.dtype))
                if ends.shape != (labels,):
                    raise ValueError(f"{name} has shape {ends.shape}, not ({labels},)")
                parts[name] = ends
        for name, value in (("parents", parents), ("forced", forced)):
            if value is not None:
                parts[name] = arrays.ints(name, value, size=length, how="copy")
        if allowed is not None:
            parts["allowed"] = arrays.flags("allowed", allowed, (length, labels), "copy")
        for name in parts.keys() - {"edges", "orientation"}:
            setattr(made, name, arrays.address(parts[name]))
        self._kept = (array, *parts.values())
        self._recipe = Recipe(Chain, None, (array, transitions), parts)

    def _read(
        self,
        unary: Any,
        transitions: Transitions | None,
        edges: Any,
        orientation: Orientation,
        how: arrays.How,
    ) -> c.chorale_chain:
        """Stores the scores, and returns the struct for C, to which further fields may be added."""
        array = arrays.scores("unary", unary, 2, how)
        matrices = None
        if edges is not None:
            name = self._edges_name
            matrices = arrays.scores(name, edges, (2, 3), how)
            if matrices.dtype != array.dtype:
                array = arrays.own(array.astype(np.float64))
                matrices = arrays.own(matrices.astype(np.float64))
        length, labels = array.shape
        made = struct(c.chorale_chain)
        made.length, made.labels = length, labels
        made.element = arrays.NUMBERS[array.dtype]
        made.orientation = arrays.chosen("orientation", orientation, ORIENTATIONS)
        made.unary = arrays.address(array)
        made.unary_row_stride = arrays.stride(array, 0)
        made.unary_column_stride = arrays.stride(array, 1)
        if length == 1 and made.unary_column_stride > 1:
            made.unary_row_stride = made.unary_column_stride * labels
        if matrices is not None:
            each = (max(0, length - 1), labels, labels)
            if matrices.shape not in (each, each[1:]):
                raise ValueError(
                    f"{name} has shape {matrices.shape}; it must be {each[1:]}, or {each} with a "
                    "matrix for each edge"
                )
            # An array of 0 matrices, for a chain without edges, is the same as none.
            if matrices.ndim == 2 or len(matrices) > 0:
                made.edges = arrays.address(matrices)
                made.edge_matrices = 1 if matrices.ndim == 2 else len(matrices)
                if matrices.ndim == 3:
                    made.edge_matrix_stride = arrays.stride(matrices, 0)
                made.edge_row_stride = arrays.stride(matrices, matrices.ndim - 2)
                made.edge_column_stride = arrays.stride(matrices, matrices.ndim - 1)
        self._struct = made
        self.transitions = transitions
        self._kept = (array, matrices)
        self.length, self.labels = int(length), int(labels)
        self.unary = array
        return made

    @classmethod
    def _for_a_call(cls, unary: Any, transitions: Any, how: arrays.How = "call") -> Chain:
        """Returns `unary` itself if it is a `Chain`, otherwise a chain with these unary scores and
        transitions."""
        if isinstance(unary, Chain):
            if transitions is not None:
                raise TypeError("unary is a Chain, which has transitions of its own")
            return unary
        if how != "call":
            return cls(unary, transitions)
        made = cls.__new__(cls)
        shared = isinstance(transitions, Transitions)
        made._read(
            unary, transitions if shared else None, None if shared else transitions, "from", how
        )
        return made

    @classmethod
    def _within(cls, scores: c.chorale_chain, model: Any, number: int) -> Chain:
        """Returns chain `number` of a model. Its arrays and transitions belong to the model, which
        the chain keeps alive."""
        made = cls.__new__(cls)
        made._recipe = Recipe(type(model), "chain", (model, number), {})
        made._struct = scores
        made._kept = (model,)
        made.transitions = None
        made.length, made.labels = scores.length, scores.labels
        dtype = np.float32 if scores.element == c.CHORALE_FLOAT32 else np.float64
        made.unary = arrays.borrowed(
            scores.unary,
            (scores.length, scores.labels),
            dtype,
            model,
            (
                scores.unary_row_stride or scores.labels * (scores.unary_column_stride or 1),
                scores.unary_column_stride or 1,
            ),
        )
        return made

    def __len__(self) -> int:
        """Returns T, the number of positions."""
        return self.length

    def __reduce__(self) -> Any:
        return self._recipe.remake()

    def _use(self) -> _ChainUse:
        return _ChainUse(self)

    def score(self, labels: npt.ArrayLike) -> float:
        """Returns the score of a labelling (T labels): -inf if it is forbidden."""
        array = arrays.ints("labels", labels, size=self.length)
        score = c_double()
        with self._use() as chain:
            call(library.chorale_chain_score, chain, arrays.address(array), byref(score))
        return float(score.value)


# The type of the argument `transitions` of calls that take unary scores.
Edges = Union[Transitions, npt.ArrayLike, None]


class _ChainUse:
    """A context for a call: gives the C struct of a chain, and marks its transitions as used."""

    def __init__(self, chain: Chain) -> None:
        self._chain = chain
        # Each call changes its own copy of the struct, since several threads may use the chain.
        self._struct = c.chorale_chain.from_buffer_copy(chain._struct)

    def __enter__(self) -> Any:
        if self._chain.transitions is not None:
            self._struct.transitions = self._chain.transitions._begin()
        return byref(self._struct)

    def __exit__(self, *raised: Any) -> None:
        if self._chain.transitions is not None:
            self._chain.transitions._end()
        Renaming({"edges": self._chain._edges_name}).__exit__(*raised)


@dataclasses.dataclass(frozen=True)
class ChainResult:
    """The best labelling of a chain. labels: T labels; None if every labelling is forbidden
    (outcome INFEASIBLE). score: the score of the labelling; -inf if there is none."""

    labels: arrays.Ints | None
    score: float
    outcome: Outcome


@dataclasses.dataclass(frozen=True)
class ChainMarginals:
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

    _exclusive = True
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
        result = struct(c.chorale_chain_result)
        with self._use() as solver, scores._use() as chain:
            call(library.chorale_chain_solve, solver, chain, arrays.address(labels), byref(result))
        return _result(result, labels)

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
        found = c_int64()
        with self._use() as solver, scores._use() as chain:
            call(
                library.chorale_chain_k_best,
                *(solver, chain, count, arrays.address(labels), scores.length),
                *(arrays.address(values), byref(found)),
            )
        return labels[: found.value], values[: found.value]

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
        result = struct(c.chorale_chain_result)
        with self._use() as solver, scores._use() as chain:
            call(
                library.chorale_chain_max_marginals,
                *(solver, chain, arrays.address(marginals), m, arrays.address(of_edges)),
                *(arrays.address(margins), arrays.address(labels), byref(result)),
            )
        return ChainMarginals(marginals, of_edges, margins, _result(result, labels))


def _result(result: c.chorale_chain_result, labels: arrays.Ints) -> ChainResult:
    outcome = Outcome(result.outcome)
    return ChainResult(
        labels if outcome == Outcome.COMPLETE else None, float(result.score), outcome
    )
