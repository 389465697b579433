"""Models: chains and trees, connected by cliques.

The members of a *property clique* are whole chains, and their values are those of a property
(`libchorale.property`). The members of a *position clique* are positions of chains, and their
values are their labels. A *centred clique* is a position clique with one more member, the centre,
and a potential for each value of the centre. Below, a chain has T positions and m labels, and the
members of a clique have R values. R does not count EMPTY (no value) and CONFLICT (several values),
which some members may have, too.
"""

from __future__ import annotations

import dataclasses
from array import array
from collections.abc import Sequence
from contextlib import ExitStack
from ctypes import c_double, c_int64
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from ._callbacks import Raised
from ._handle import Handle, Shared, instance, optional
from ._native import call, get, library, struct
from ._work import told, work
from .chain import Chain, Edges, Transitions
from .errors import OutOfRangeError, Renaming
from .potential import Potential
from .property import Dictionary, Property


@dataclasses.dataclass(frozen=True, repr=False)
class LabellingScore(arrays.Shown):
    """The score of a labelling under a model; -inf if the labelling is forbidden.

    score          the sum of all chain and clique scores
    chain_scores   the score of each chain
    clique_scores  the score of each clique, its potential
    """

    score: float
    chain_scores: arrays.Doubles
    clique_scores: arrays.Doubles


class ModelBuilder(Handle):
    """A model under construction: for one thread. Chains and cliques are numbered from 0 in the
    order of adding.

    >>> builder = ModelBuilder()
    >>> for unary in ([[2.1, 0.3]], [[1.9, 0.2]], [[0.7, 0.9]]):
    ...     _ = builder.add_chain(np.array(unary))
    >>> clique = builder.add_cliques(1, values=2, potential=Potential.potts(2, 0.3)).start
    >>> builder.add_members(clique, range(3))
    >>> model = builder.freeze()
    >>> len(model), model.cliques, model.members(clique).tolist()
    (3, 1, [[0, 0], [1, 0], [2, 0]])
    """

    _free = library.chorale_model_builder_destroy

    def __init__(self) -> None:
        super().__init__(self._create(library.chorale_model_builder_create, None))
        self._keep: list[Any] = []  # what the model borrows, or calls
        self._raised: list[Raised] = []
        self._shapes = array("q")  # the numbers of positions and of labels, chain by chain

    # ---- Chains

    def add_chain(
        self,
        unary: Chain | npt.ArrayLike,
        transitions: Edges = None,
        *,
        tokens: npt.ArrayLike | None = None,
        group: int = 0,
    ) -> int:
        """Adds a chain or tree and returns its number.

        unary, transitions  T x m scores and what `Chain` takes as transitions; or a `Chain`
        tokens              T integers, the ids of the words (-1: none), for repeated words and
                            properties that read tokens; None: none
        group               the document that the chain belongs to, any integer
        """
        scores = Chain._for_a_call(unary, transitions)
        ids = arrays.optional_ints("tokens", tokens, scores.length)
        options = struct(c.chorale_chain_options, group=group, tokens=ids)
        add = library.chorale_model_builder_add_chain
        index: int = told(c_int64, add, self, scores._struct, options)
        self._shapes.extend((scores.length, scores.labels))
        return index

    def add_corpus(
        self,
        scores: npt.ArrayLike,
        offsets: npt.ArrayLike | None = None,
        *,
        transitions: Transitions | npt.ArrayLike | None = None,
        tokens: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
        borrow: bool = False,
    ) -> range:
        """Adds many chains in one call and returns their numbers. If a chain is invalid, adds none.

        scores       N x m, float64 or float32: the scores of all positions, chain after chain
        offsets      integers, one more than the number of chains: chain i has the positions
                     offsets[i] to offsets[i + 1] - 1; None: every position is a chain of its own
        transitions  m x m scores, or a `Transitions`, of all chains; None: all zero
        tokens       N integers, the ids of the words (-1: none); None: none
        groups       the document of each chain, an integer; None: 0 for all
        borrow       True: the model reads scores and tokens in place: they become read-only. False:
                     it copies them

        >>> builder = ModelBuilder()
        >>> builder.add_corpus([[2.1, 0.3], [1.9, 0.2], [0.7, 0.9]], [0, 1, 3], tokens=[7, 5, 7])
        range(0, 2)
        >>> builder.add_repeated_words(Potential.potts(2, 0.3))
        range(0, 1)
        """
        array = arrays.scores("scores", scores, 2, "borrow" if borrow else "call")
        ends = None if offsets is None else _offsets(offsets, "scores", len(array))
        ids = arrays.optional_ints("tokens", tokens, len(array))
        documents = None if groups is None else arrays.longs("groups", groups)
        if transitions is not None and not isinstance(transitions, Transitions):
            with Renaming({"scores": "transitions"}):
                transitions = Transitions(transitions)
        corpus = corpus_of(array, ends, transitions, ids, documents, borrow=int(bool(borrow)))
        corpus.names = {"unary": "scores"}
        add = library.chorale_model_builder_add_corpus
        first: int = told(c_int64, add, self, corpus)
        shapes = np.empty((corpus.chains, 2), dtype=np.int64)
        shapes[:, 0] = 1 if ends is None else np.diff(ends)
        shapes[:, 1] = corpus.labels
        self._shapes.frombytes(shapes.tobytes())
        if borrow:
            self._keep.append(arrays.lent(array, ids))
        return range(first, first + corpus.chains)

    # ---- Cliques

    def add_cliques(
        self,
        count: int,
        *,
        potential: Potential | None = None,
        property: Property | None = None,
        values: int | None = None,
        label_values: npt.ArrayLike | None = None,
        dictionary: Dictionary | None = None,
        centre: Sequence[Potential] | None = None,
        centre_label_values: npt.ArrayLike | None = None,
    ) -> range:
        """Adds `count` cliques without members and returns their numbers. Their members have R
        values, from 0 to R - 1.

        potential            the potential, over R values, or over R + 2 values, of which the last
                             two are EMPTY (no value) and CONFLICT (several values)
        property             a `Property`: the members are whole chains, and their values are those
                             of the property. None: the members are positions, and their values are
                             their labels
        dictionary           the subset of the property's values that the cliques use; None: all
        values               R for cliques of positions; None: the number of values of the potential
        label_values         for cliques of positions: m integers, the value of each label, -1 for
                             EMPTY; None: labels are their own values
        centre               for cliques with a centre: for each value of the centre a potential
                             over the other members, used instead of `potential`
        centre_label_values  m integers, the value of the centre for each of its labels; None: the
                             label itself
        """
        if property is not None and (values is not None or label_values is not None):
            name = "values" if values is not None else "label_values"
            raise TypeError(f"{name} is for cliques of positions; a property has values of its own")
        if property is None and dictionary is not None:
            raise TypeError("dictionary is given without property; it needs one")
        around = [] if centre is None else list(centre)
        around = [instance(f"centre[{n}]", item, Potential) for n, item in enumerate(around)]
        optional("property", property, Property)
        optional("dictionary", dictionary, Dictionary)
        optional("potential", potential, Potential)
        if potential is None and not around:
            raise TypeError("potential is missing: a clique needs one, or a centre of potentials")
        if potential is not None and around:
            raise TypeError("centre is given beside potential; a clique has one of them")
        if property is None and values is None:
            values = (potential or around[0]).values
        add = library.chorale_model_builder_add_cliques
        with ExitStack() as stack:
            pointers = [stack.enter_context(item._use()) for item in around]
            setup = struct(
                c.chorale_clique_setup,
                property=property,
                dictionary=dictionary,
                potential=potential,
                values=values,
                **_counted("labels", label_values=label_values),
                centre_potentials=np.array(pointers, np.uintp) if pointers else None,
                centre_values=len(pointers),
                **_counted("centre_labels", centre_label_values=centre_label_values),
            )
            first: int = told(c_int64, add, self, setup, count)
        self._keep_callbacks(potential, *around)
        return range(first, first + count)

    def _keep_callbacks(self, *potentials: Potential | None) -> None:
        """Keeps potentials alive that call Python functions."""
        for potential in potentials:
            if potential is not None and potential._raised:
                self._keep.append(potential)
                self._raised.extend(potential._raised)

    def add_members(
        self,
        first: int,
        chains: npt.ArrayLike,
        positions: npt.ArrayLike | None = None,
        *,
        offsets: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
        centres: npt.ArrayLike | None = None,
        classes: Sequence[npt.ArrayLike | None] | None = None,
        tables: Sequence[npt.ArrayLike | None] | None = None,
    ) -> None:
        """Adds members to one clique or to several consecutive cliques: positions to position or
        centred cliques, whole chains to property cliques. If a member is invalid, adds none.

        first      the number of the first of these cliques
        chains     numbers of chains, one for each member; a number: one member
        positions  for each member a position within its chain, -1 for the whole chain. None: whole
                   chains in property cliques, and position 0 in others, as for single items
        offsets    integers, one more than the number of cliques: clique first + i gets the entries
                   offsets[i] to offsets[i + 1] - 1 of `chains`. None: all go to the clique `first`
        weights    positive integers: how often each member counts in the potential of its clique.
                   The count of a value is then the sum of the weights of the members with the
                   value, and n, the number of members in the formulas of `Potential`, is the sum of
                   all weights. The scores of members are not multiplied. The potentials must be
                   convex sums, and all members of a clique must be added in one call. None: 1
        centres    for each clique the chain and position of its centre, which replace a centre that
                   it had. None: no centre is set
        classes    for each member None or T integers, as in `Property.evaluate`
        tables     for each member None or T integers, as in `Property.evaluate`; None: the tokens
                   of the chain
        """
        members = arrays.longs("chains", np.atleast_1d(chains))
        ends = _offsets([0, len(members)] if offsets is None else offsets, "chains", len(members))
        fields: dict[str, Any] = {}
        for name, value in (("positions", positions), ("weights", weights)):
            if value is not None:
                fields[name] = arrays.longs(name, np.atleast_1d(value))
                _one_each(name, fields[name], members)
        if centres is not None:
            around = np.atleast_2d(np.asarray(centres))
            if around.shape != (len(ends) - 1, 2):
                raise ValueError(
                    f"centres has shape {around.shape}; it must have a chain and a position for "
                    f"each of {len(ends) - 1} cliques"
                )
            for name, column in zip(("centre_chains", "centre_positions"), around.T):
                fields[name] = arrays.longs("centres", column)
        kept = []
        for name, given in (("classes", classes), ("tables", tables)):
            if given is not None:
                kept.append(self._of_members(name, given, members))
                addresses = [arrays.address(array) or 0 for array in kept[-1]]
                fields[name] = np.array(addresses, np.uintp)
        made = struct(
            c.chorale_members,
            first=first,
            cliques=len(ends) - 1,
            offsets=ends,
            chains=members,
            **fields,
        )
        made.kept["arrays"] = kept
        call(library.chorale_model_builder_add_members, self, made)

    def _of_members(self, name: str, given: Any, members: Any) -> list[arrays.Ints | None]:
        """Checks and returns optional integers of members, one for each position of the chain."""
        _one_each(name, given, members)
        found = []
        for number, (value, chain) in enumerate(zip(given, members)):
            # None if the chain does not exist; the library then reports the error.
            exists = 0 <= chain < len(self._shapes) // 2
            length = self._shapes[2 * chain] if exists else None
            found.append(arrays.optional_ints(f"{name}[{number}]", value, length))
        return found

    def add_repeated_words(
        self,
        potential: Potential,
        *,
        minimum: int = 2,
        across: bool = False,
        stop: npt.ArrayLike | None = None,
        label_values: npt.ArrayLike | None = None,
        values: int | None = None,
    ) -> range:
        """Adds a clique for each repeated word (token id), whose members are all positions of the
        word. Returns the numbers of the cliques. Rests on experimental calls of C: may change in
        any version.

        potential             the potential of each clique
        minimum               a word at fewer positions gets no clique
        across                False: a clique for each group in which the word is repeated; True:
                              one clique over all groups
        stop                  the token ids that get no clique
        label_values, values  as in `add_cliques`
        """
        instance("potential", potential, Potential)
        if label_values is not None and values is None:
            values = potential.values
        setup = struct(
            c.chorale_clique_setup,
            potential=potential,
            values=values,
            **_counted("labels", label_values=label_values),
        )
        words = struct(
            c.chorale_agreement,
            minimum=arrays.size("minimum", minimum, 1),
            across=int(bool(across)),
            **_counted("stop_count", stop=stop),
        )
        first = c_int64()
        add = library.chorale_model_builder_add_repeated_words
        count: int = told(c_int64, add, self, setup, words, first)
        self._keep_callbacks(potential)
        return range(first.value, first.value + count)

    def freeze(self) -> Model:
        """Returns the model; nothing can be added to the builder afterwards."""
        pointer = Model._create(library.chorale_model_builder_freeze, self)
        model = Model._of(pointer, self._keep, self._raised, self._shapes)
        self._keep = []
        return model


def _one_each(name: str, given: Any, members: Any) -> None:
    """Checks that there is one entry for each member."""
    if len(given) != len(members):
        raise ValueError(f"{name} has {len(given)} entries for {len(members)} of chains")


def _counted(count: str, **given: Any) -> dict[str, Any]:
    """Returns the fields of C for an optional array of integers, which is given by its name. count:
    the field for the number of its entries."""
    [(name, value)] = given.items()
    array = arrays.optional_ints(name, value)
    return {name: array, count: None if array is None else len(array)}


def corpus_of(
    scores: npt.NDArray[Any],
    offsets: npt.NDArray[np.int64] | None,
    transitions: Transitions | None,
    tokens: arrays.Ints | None,
    groups: npt.NDArray[np.int64] | None,
    *,
    uncounted: arrays.Ints | None = None,
    **parts: Any,
) -> c.chorale_corpus:
    """Returns the C struct that describes chains whose scores are in one array. parts: further
    fields."""
    count, labels = scores.shape
    chains = count if offsets is None else len(offsets) - 1
    if groups is not None and len(groups) != chains:
        raise ValueError(f"groups has {len(groups)} entries for {chains} chains")
    return struct(
        c.chorale_corpus,
        chains=chains,
        labels=labels,
        offsets=offsets,
        element=arrays.NUMBERS[scores.dtype],
        unary=scores,
        **arrays.strides("unary", scores),
        transitions=transitions,
        tokens=tokens,
        groups=groups,
        uncounted=uncounted if uncounted is not None and len(uncounted) > 0 else None,
        uncounted_count=None if uncounted is None else len(uncounted),
        **parts,
    )


def _offsets(given: Any, of: str, count: int) -> npt.NDArray[np.int64]:
    """Checks offsets, which divide an array into parts, and returns them as int64. Their order is
    checked by the library. of: the name of the array in error messages. count: the number of its
    entries."""
    offsets = arrays.longs("offsets", given)
    if len(offsets) == 0:
        raise ValueError("offsets is empty; it must have one entry more than there are parts")
    if offsets.max() > count:
        raise ValueError(f"offsets holds {offsets.max()}, but {of} has {count} entries")
    return offsets


class Model(Shared):
    """A frozen model: immutable, for any number of threads and runs. Made by `ModelBuilder.freeze`.
    Borrowed arrays are kept alive. Can be pickled, unless it contains a Python function. What it
    tells of single cliques rests on experimental calls of C: may change in any version."""

    _free = library.chorale_model_release
    _retain = library.chorale_model_retain
    _raised: tuple[Raised, ...]
    _known_shapes: npt.NDArray[np.int64] | None = None

    def __init__(self) -> None:
        raise TypeError("a Model is made by ModelBuilder.freeze")

    @classmethod
    def _of(
        cls, pointer: int, kept: Sequence[Any], raised: Sequence[Raised], shapes: Any = None
    ) -> Model:
        model = cls._made(pointer, *kept)
        model._raised = tuple(raised)
        if shapes is not None:
            model._known_shapes = np.array(shapes, dtype=np.int64).reshape(-1, 2)
        return model

    def __reduce__(self) -> Any:
        from .problem import Problem, model_of  # here, since `problem` imports this module

        return model_of, (Problem(self).to_bytes(),)

    @property
    def _shapes(self) -> npt.NDArray[np.int64]:
        """The numbers of positions and of labels of each chain: one row for each chain."""
        if self._known_shapes is None:  # the model was not made by a builder of this process
            shapes = np.empty((len(self), 2), dtype=np.int64)
            scores = struct(c.chorale_chain)
            for chain in range(len(shapes)):
                call(library.chorale_model_get_chain, self, chain, scores, None)
                shapes[chain] = scores.length, scores.labels
            self._known_shapes = shapes
        return self._known_shapes

    def _shape(self, chain: int) -> tuple[int, int]:
        """Returns the numbers of positions and labels of a chain."""
        length, labels = self._shapes[chain]
        return int(length), int(labels)

    def _chain(self, chain: int) -> int:
        """Checks and returns the number of a chain."""
        return self._within("chain", chain, len(self._shapes))

    def _clique(self, clique: int) -> int:
        """Checks and returns the number of a clique."""
        return self._within("clique", clique, self.cliques)

    def __len__(self) -> int:
        """Returns the number of chains."""
        return int(get(library.chorale_model_chain_count, self))

    @property
    def cliques(self) -> int:
        return int(get(library.chorale_model_clique_count, self))

    @property
    def bytes(self) -> int:
        """The number of bytes that the model has allocated, including copied scores. Rests on
        experimental calls of C: may change in any version."""
        return int(told(c.chorale_run_cost, library.chorale_run_estimate, self, None).model_bytes)

    @property
    def chain_lengths(self) -> npt.NDArray[np.int64]:
        """Returns the numbers of positions of all chains."""
        return self._shapes[:, 0].copy()

    def clique_values(self, clique: int) -> int:
        """Returns R, the number of values of a clique, without EMPTY and CONFLICT."""
        return int(self._setup(clique).values)

    def centre_values(self, clique: int) -> int:
        """Returns the number of values of the centre of a clique; 0 if the clique is not
        centred."""
        return int(self._setup(clique).centre_values)

    def clique_members(self, clique: int) -> int:
        """Returns the number of members of a clique, including its centre."""
        buffer = None, None, None, 0
        return int(
            told(c_int64, library.chorale_model_get_members, self, self._clique(clique), *buffer)
        )

    def members(self, clique: int) -> npt.NDArray[np.int64]:
        """Returns the members of a clique in the order of adding (a centre is the last): a row of
        chain and position for each member; the position is -1 for a whole chain."""
        chains, positions, _ = self._members_of(clique)
        return np.stack((chains, positions), axis=1)

    def weights(self, clique: int) -> npt.NDArray[np.int64]:
        """Returns how often each member of a clique counts, in the order of `members`."""
        _, _, weights = self._members_of(clique)
        return weights

    def _members_of(self, clique: int) -> tuple[npt.NDArray[np.int64], ...]:
        """Returns the chains, positions and weights of the members of a clique."""
        count = self.clique_members(clique)
        found = tuple(np.empty(count, dtype=np.int64) for _ in range(3))
        call(library.chorale_model_get_members, self, self._clique(clique), *found, count, None)
        return found

    # ---- Chains

    def chain(self, chain: int) -> Chain:
        """Returns a chain in the form that solvers take; its `unary` is a read-only view."""
        scores, _ = self._get_chain(chain)
        return Chain._within(scores, self.clone(), int(chain))

    def tokens(self, chain: int) -> arrays.Ints | None:
        """Returns the token ids of a chain, a read-only view; None if it has none."""
        scores, options = self._get_chain(chain)
        if not options.tokens:
            return None
        return arrays.borrowed(options.tokens, (scores.length,), np.int32, self.clone())

    def group(self, chain: int) -> int:
        """Returns the group (document) of a chain."""
        return int(self._get_chain(chain)[1].group)

    def _get_chain(self, chain: int) -> tuple[c.chorale_chain, c.chorale_chain_options]:
        scores, options = struct(c.chorale_chain), struct(c.chorale_chain_options)
        call(library.chorale_model_get_chain, self, self._chain(chain), scores, options)
        return scores, options

    # ---- Scores of labellings

    def score(self, labels: npt.ArrayLike) -> LabellingScore:
        """Returns the score of any labelling, such as gold labels: the total score, and the score
        of each chain and each clique.

        labels: the label of every position, chain after chain, as `Run.labels` returns them.
        """
        array, score = self._labels(labels), c_double()
        chains, cliques = np.empty(len(self)), np.empty(self.cliques)
        outputs = score, chains, cliques
        work(library.chorale_model_score, None, self, array, len(array), *outputs)
        return LabellingScore(score.value, chains, cliques)

    def _labels(self, labels: npt.ArrayLike) -> arrays.Ints:
        return arrays.ints("labels", labels, size=int(self.chain_lengths.sum()))

    def _setup(self, clique: int) -> Any:
        """Returns what a clique was added with."""
        get_clique = library.chorale_model_get_clique
        return told(c.chorale_clique_setup, get_clique, self, self._clique(clique))

    @staticmethod
    def _within(name: str, index: int, count: int) -> int:
        number = arrays.integer(name, index)
        if not 0 <= number < count:
            raise OutOfRangeError(f"{name} is {number}, and there are {count}, from 0")
        return number

    def _told(self) -> str:
        return f": {len(self)} chains, {self.cliques} cliques"
