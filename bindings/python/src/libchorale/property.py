"""Properties of labellings: functions from a labelling to one small integer, its value.

A property reads the labels of a chain in order, and *fires* values, numbers from 0 to R - 1, at
some positions. Its value on the labelling is

    v         if it fires v, once or more, and no other value,
    EMPTY     (the number R) if it fires nothing,
    CONFLICT  (the number R + 1) if it fires different values.

The caller may give each position a *class*, a number that the property reads besides the label, and
an entry in a *table*, such as the token, which the property may fire.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from ctypes import c_int32, c_int64
from typing import Any, Literal, Union

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from ._handle import Shared, recipe
from ._native import get, library, struct
from ._work import told, work
from .chain import Scheme, named
from .errors import ArgumentError, OutOfRangeError

# Actions of an automaton, besides the values that it may fire: to fire nothing, the value of the
# position's label, or the position's entry in the table. ANY stands for every state, class or label
# in a rule of a `PropertyBuilder`; no action or number of a state has its value.
FIRE_NOTHING = c.CHORALE_FIRE_NOTHING
FIRE_LABEL = c.CHORALE_FIRE_LABEL
FIRE_TABLE = c.CHORALE_FIRE_TABLE
ANY = -10

SegmentRule = Literal["spans_ignored", "ends_at_ignored"]


@dataclasses.dataclass(frozen=True)
class LabelMap:
    """A map from labels to kinds, so that B-X and I-X are both of kind X.

    labels         m, the number of labels
    kinds          the number of kinds
    kind_of_label  the kind of each label; None: each label is its own kind
    begins         m booleans: whether the label, such as B-X, begins a segment even after a label
                   of its kind; None: no label does
    kind_names     the names of the kinds; empty if they have none

    >>> LabelMap.from_names(["O", "B-Title", "I-Title"]).kind_names
    ('O', 'Title')
    """

    labels: int
    kinds: int
    kind_of_label: arrays.Ints | None = None
    begins: arrays.Bytes | None = None
    kind_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("kind_of_label", "begins"):
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, arrays.own(np.asarray(given)))

    @classmethod
    def from_names(cls, names: Sequence[str], scheme: Scheme = "bio") -> LabelMap:
        """Returns the map of label names in a scheme: "plain", "bio", "bioes" or "bilou"."""
        given = number, _, _, count = named(names, scheme)
        kind_of_label, begins = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.uint8)
        function = library.chorale_label_map_from_names
        kinds = told(c_int64, function, *given, kind_of_label, begins)
        plain = number == c.CHORALE_SCHEME_PLAIN
        kind_names = [""] * kinds
        for name, kind in zip(reversed(names), reversed(kind_of_label)):
            kind_names[kind] = name if plain or len(name) < 2 else name[2:]
        return cls(count, kinds, kind_of_label, begins, tuple(kind_names))

    def kind(self, name: str) -> int:
        """Returns the number of the kind with a name."""
        return self.kind_names.index(name)

    def _struct(self) -> c.chorale_label_map:
        of, size = self.kind_of_label, arrays.integer("labels", self.labels)
        return struct(
            c.chorale_label_map,
            labels=size,
            kinds=self.kinds,
            kind_of_label=None if of is None else arrays.ints("kind_of_label", of, size=size),
            begins=arrays.optional_flags("begins", self.begins, (size,)),
        )


Labels = Union[int, LabelMap]


def _mapped(labels: Labels, ignored: Any = None) -> tuple[c.chorale_label_map, Any]:
    """Returns a map of labels, and which of them are ignored, as the library takes them."""
    made = (labels if isinstance(labels, LabelMap) else LabelMap(labels, labels))._struct()
    return made, arrays.optional_flags("ignored", ignored, (made.labels,))


class Property(Shared):
    """A property of labellings: immutable, for any number of threads. Made by the class methods.

    The argument `labels` of ready-made properties is the number of labels, or a `LabelMap`. With a
    number, the values of the property are the labels; with a `LabelMap`, they are its kinds.

    >>> after_title = Property.next_label(3, anchor=1)
    >>> after_title.evaluate([0, 1, 1, 2]), after_title.evaluate([0, 1]), after_title.values
    (2, 3, 3)
    """

    _free = library.chorale_property_release
    _retain = library.chorale_property_retain

    def __init__(self) -> None:
        raise TypeError("a Property is made by Property.next_label, Property.automaton, ...")

    @classmethod
    def _new(cls, name: str, *arguments: Any) -> Property:
        """Calls a function of the library that creates a property."""
        function = getattr(library, f"chorale_property_create{name}")
        return cls._made(cls._create(function, None, *arguments))

    def __reduce__(self) -> Any:
        from .problem import pickled  # here, since `problem` imports this module

        with self._use():  # fails if the handle is closed
            return pickled(property=self)

    # ---- Automata

    @classmethod
    def automaton(
        cls,
        next: npt.ArrayLike,
        actions: npt.ArrayLike | None = None,
        *,
        values: int,
        start: int = 0,
        end_actions: npt.ArrayLike | None = None,
        label_values: npt.ArrayLike | None = None,
        table_offset: int = 0,
        outside_value: int = FIRE_NOTHING,
    ) -> Property:
        """Returns the property of an automaton, given by tables. The automaton reads a labelling
        position by position, moves from state to state, and may fire a value at each position and
        at the end.

        next           states x classes x labels integers: the next state
        actions        the same shape: the action at the position, which is a value to be fired,
                       FIRE_NOTHING, FIRE_LABEL (fires the value of the label) or FIRE_TABLE (fires
                       an entry of the table); None: no position fires
        values         R, the number of values
        start          the state before the first position
        end_actions    for each state a further action, taken after the last position if the
                       labelling ends in this state; None: no such actions
        label_values   m integers, the value that FIRE_LABEL fires for each label, -1 for nothing;
                       None: the label itself
        table_offset   FIRE_TABLE at position t fires entry t + table_offset of the table
        outside_value  what FIRE_TABLE fires if the table has no such entry
        """
        following = arrays.ints("next", next, ndim=3)
        states, classes, labels = following.shape
        fired = None
        if actions is not None:
            fired = arrays.ints("actions", actions, ndim=3)
            if fired.shape != following.shape:
                raise ValueError(f"actions has shape {fired.shape}, not {following.shape}")
        made = struct(
            c.chorale_automaton,
            states=states,
            classes=classes,
            labels=labels,
            values=values,
            start=start,
            next=following,
            actions=fired,
            end_actions=arrays.optional_ints("end_actions", end_actions, states),
            label_values=arrays.optional_ints("label_values", label_values, labels),
            table_offset=table_offset,
            outside_value=outside_value,
            fires_outside=int(outside_value != FIRE_NOTHING),
        )
        return cls._new("", made)

    @classmethod
    def local(
        cls, actions: npt.ArrayLike, *, values: int, label_values: npt.ArrayLike | None = None
    ) -> Property:
        """Returns a local property, which is also allowed on trees: the value that a position fires
        depends only on the class and label of the position and on the label before it (in a tree:
        the label of its parent).

        actions  classes x labels x (labels + 1) integers: entry [c, y, x] is the action of a
                 position of class c with label y and label x before it; entries with x equal to the
                 number of labels are for positions that have no label before them
        values, label_values  as in `automaton`
        """
        fired = arrays.ints("actions", actions, ndim=3)
        classes, labels, columns = fired.shape
        if columns != labels + 1:
            raise ValueError(
                f"actions has shape {fired.shape}, not ({classes}, {labels}, {labels + 1})"
            )
        own = arrays.optional_ints("label_values", label_values, labels)
        return cls._new("_local", labels, classes, values, fired, own)

    @staticmethod
    def builder(labels: int, *, values: int, classes: int = 1) -> PropertyBuilder:
        """Returns a builder, to which the rules of an automaton are added one by one."""
        return PropertyBuilder(labels, values=values, classes=classes)

    # ---- Ready-made

    @classmethod
    def position_label(cls, labels: Labels, position: int) -> Property:
        """Returns a property that fires the label at a position. Its value on chains that end
        before this position is EMPTY. (Here and below, with a `LabelMap`, the kind of the label is
        fired instead of the label.)"""
        return cls._new("_position_label", _mapped(labels)[0], position)

    @classmethod
    def token_label(cls, labels: Labels, token: int) -> Property:
        """Returns a property that fires the label of every position whose table entry is
        `token`."""
        return cls._new("_token_label", _mapped(labels)[0], token)

    @classmethod
    def first_label(cls, labels: Labels, *, ignored: npt.ArrayLike | None = None) -> Property:
        """Returns a property that fires the first label that is not ignored. ignored: m booleans,
        True for labels to be ignored; None: no label is.

        >>> Property.first_label(3, ignored=[True, False, False]).evaluate([0, 2, 1])
        2
        """
        return cls._new("_first_label", *_mapped(labels, ignored))

    @classmethod
    def next_label(
        cls,
        labels: Labels,
        anchor: int,
        *,
        ignored: npt.ArrayLike | None = None,
        rule: SegmentRule = "spans_ignored",
        end_value: int | None = None,
    ) -> Property:
        """Returns a property that fires, for every segment (a run of labels, as long as possible)
        of the kind `anchor`, the first label after the segment that is not ignored.

        end_value: the value that fires if the chain ends before such a label; None: nothing fires.
        To give the end a value of its own, pass the number of kinds.
        rule: "spans_ignored": a segment goes on over ignored labels; "ends_at_ignored": an ignored
        label ends the segment.
        """
        made, skipped = _mapped(labels, ignored)
        how = skipped, arrays.chosen("rule", rule, "SEGMENT")
        end = FIRE_NOTHING if end_value is None else end_value
        return cls._new("_next_label", made, anchor, *how, end)

    @classmethod
    def token_before(
        cls,
        labels: Labels,
        anchor: int,
        *,
        values: int,
        ignored: npt.ArrayLike | None = None,
        rule: SegmentRule = "spans_ignored",
        start_value: int | None = None,
    ) -> Property:
        """Returns a property that fires, for every segment (a run of labels, as long as possible)
        of the kind `anchor`, the table entry of the position before the segment, such as its token.

        values: R, the number of values; table entries must be below R.
        start_value: the value that fires if the segment starts at the first position; None: nothing
        fires.
        rule: as in `next_label`."""
        made, skipped = _mapped(labels, ignored)
        how = skipped, arrays.chosen("rule", rule, "SEGMENT")
        start = FIRE_NOTHING if start_value is None else start_value
        return cls._new("_token_before", made, anchor, *how, values, start)

    # ---- Values on labellings

    @property
    def values(self) -> int:
        """R, the number of values."""
        return int(get(library.chorale_property_values, self))

    @property
    def labels(self) -> int:
        """m, the number of labels."""
        return int(get(library.chorale_property_labels, self))

    def evaluate(
        self,
        labels: npt.ArrayLike,
        *,
        classes: npt.ArrayLike | None = None,
        table: npt.ArrayLike | None = None,
        parents: npt.ArrayLike | None = None,
    ) -> int:
        """Returns the value of the property on a labelling: 0 .. R-1, R (EMPTY) or R + 1
        (CONFLICT). Rests on experimental calls of C: may change in any version.

        labels   T labels
        classes  T integers, the class of each position; None: all 0
        table    T integers that the property may read, such as token ids; -1 fires nothing. None:
                 no table
        parents  for a tree, as in `Chain`
        """
        labelling = self._labelling(labels, classes, table, parents)
        value = c_int32()
        work(library.chorale_property_shown, *labelling, value, None, 0, None)
        return value.value

    def fired(
        self,
        labels: npt.ArrayLike,
        *,
        classes: npt.ArrayLike | None = None,
        table: npt.ArrayLike | None = None,
        parents: npt.ArrayLike | None = None,
    ) -> arrays.Ints:
        """Returns all values that fire on a labelling, in the order of the positions. Arguments are
        as in `evaluate`. Rests on experimental calls of C: may change in any version."""
        labelling = self._labelling(labels, classes, table, parents)
        values = np.empty(labelling[1] + 1, dtype=np.int32)
        fired = None, values, len(values)
        count = told(c_int64, library.chorale_property_shown, *labelling, *fired)
        return values[:count].copy()

    def _labelling(self, labels: Any, classes: Any, table: Any, parents: Any) -> tuple[Any, ...]:
        """Returns the arguments of the C functions for a labelling."""
        array = arrays.ints("labels", labels)
        size = len(array)
        attachment = struct(
            c.chorale_attachment,
            property=self,
            classes=arrays.optional_ints("classes", classes, size),
            table=arrays.optional_ints("table", table, size),
        )
        return attachment, size, array, arrays.optional_ints("parents", parents, size)

    def _told(self) -> str:
        return f" of {self.labels} labels over {self.values} values"


class PropertyBuilder:
    """Builds an automaton from rules. State 0 is the start. If no rule matches, the automaton stays
    in its state and fires nothing; if several match, the rule that was added last applies. In a
    rule, ANY matches every label, every class, or every state added so far.

    >>> builder = Property.builder(labels=2, values=2)
    >>> seen = builder.add_state()
    >>> builder.rule(0, label=1, next=seen, action=1)
    >>> builder.end_rule(0, action=0)
    >>> prop = builder.finish()
    >>> prop.evaluate([0, 0]), prop.evaluate([0, 1, 1])
    (0, 1)
    """

    def __init__(self, labels: int, *, values: int, classes: int = 1) -> None:
        sizes = arrays.size("classes", classes), arrays.size("labels", labels)
        self._next, self._actions = np.empty((2, 0, *sizes), np.int32)
        self._ends = np.empty(0, np.int32)
        self._how: dict[str, Any] = {"values": values}
        self.add_state()
        self.finish()  # checks the sizes

    def add_state(self) -> int:
        """Adds a state and returns its number."""
        state, more = len(self._ends), ((0, 1), (0, 0), (0, 0))
        self._next = np.pad(self._next, more, constant_values=state)
        self._actions = np.pad(self._actions, more, constant_values=FIRE_NOTHING)
        self._ends = np.append(self._ends, np.int32(FIRE_NOTHING))
        return state

    def rule(
        self,
        state: int = ANY,
        *,
        position_class: int = ANY,
        label: int = ANY,
        next: int = ANY,
        action: int = FIRE_NOTHING,
    ) -> None:
        """Adds a rule: in `state`, a position of class `position_class` with label `label` fires
        `action`, and leads to the state `next` (ANY: the automaton stays in its state)."""
        places = ("state", "position_class", "label"), (state, position_class, label)
        at = tuple(map(_matched, *places, self._next.shape))
        states = np.arange(len(self._ends))[:, None, None]
        to = states[at[0] if next == ANY else _matched("next", next, len(states))]
        self._actions[at] = self._action(action)
        self._next[at] = to

    def end_rule(self, state: int = ANY, *, action: int) -> None:
        """Adds an end rule: a sequence that ends in `state` fires `action` after its last
        position."""
        self._ends[_matched("state", state, len(self._ends))] = self._action(action)

    def table(self, offset: int = 0, outside_value: int = FIRE_NOTHING) -> None:
        """Sets what FIRE_TABLE fires at position t: entry t + offset of the table, or outside_value
        if there is no such entry."""
        how = {**self._how, "table_offset": offset, "outside_value": outside_value}
        Property.automaton([[[0]]], **how)  # checks them
        self._how = how

    def finish(self, label_values: npt.ArrayLike | None = None) -> Property:
        """Returns a property with the rules added so far. The builder may be used further.
        label_values: as in `Property.automaton`."""
        ends = self._ends if np.any(self._ends != FIRE_NOTHING) else None
        how = {"end_actions": ends, "label_values": label_values, **self._how}
        return Property.automaton(self._next, self._actions, **how)

    def _action(self, action: int) -> int:
        if not FIRE_TABLE <= arrays.integer32("action", action) < self._how["values"]:
            rule = f"a value, 0 to {self._how['values'] - 1}, or a constant FIRE_..."
            raise ArgumentError(f"action is {action}; it must be {rule}")
        return action


def _matched(name: str, given: int, count: int) -> slice:
    """Returns the states, classes or labels that an argument of a rule stands for."""
    if given == ANY:
        return slice(count)
    if not 0 <= arrays.integer32(name, given) < count:
        raise OutOfRangeError(f"{name} is {given}; it must be from 0 to {count - 1}, or ANY")
    return slice(given, given + 1)


class Dictionary(Shared):
    """The subset of a property's values that a clique uses, numbered from 0 in ascending order.
    With unlisted=True, they are followed by one more value, UNLISTED, which stands for all values
    outside the subset. Immutable; any number of threads may use it.

    values    the subset, in ascending order: values[n] has the number n
    unlisted  whether UNLISTED follows, with the number len(values)

    >>> known = Dictionary([70, 12, 70], unlisted=True)
    >>> known.values.tolist(), len(known)
    ([12, 70], 3)
    """

    _free = library.chorale_dictionary_release

    def __init__(self, values: npt.ArrayLike, *, unlisted: bool = False) -> None:
        array = arrays.ints("values", values)
        how = c.CHORALE_UNLISTED_AS_VALUE if unlisted else c.CHORALE_UNLISTED_FORBIDDEN
        create = library.chorale_dictionary_create
        super().__init__(self._create(create, None, array, len(array), how))
        self.values, self.unlisted = arrays.own(np.unique(array)), bool(unlisted)
        self._recipe = recipe(type(self), None, self.values, unlisted=self.unlisted)

    def __len__(self) -> int:
        return len(self.values) + self.unlisted

    def clone(self) -> Dictionary:
        again, how = self.__reduce__()
        made: Dictionary = again(*how)
        return made

    __copy__ = clone
