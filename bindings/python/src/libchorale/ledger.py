"""A ledger of mentions that arrive one after the other: it gives each mention the label that
`settle` would give it, with all mentions before, and says which of these should change."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from ctypes import c_int64, sizeof
from typing import Any, NamedTuple

import numpy as np

from . import _arrays as arrays
from . import _declarations as c
from . import _given as given
from ._columns import Array, Ints
from ._evidence import Evidence, Mentions, found_by_c, structs, to_c
from ._given import LEVELS, RULES, Names, Reader
from ._handle import Handle, instance, optional
from ._native import call, library
from ._reading import CONFIDENCE, Reading

FORMAT = 1


class Placed(NamedTuple):
    """What a new mention does. label: its label; None: it says nothing, and nor does its key.
    changed: {row: label} for rows before whose label is now another."""

    label: Any
    changed: dict[Any, Any]


class _Stream(Handle):
    """The ledger of the library, whose rows and keys are numbers."""

    _free = library.chorale_ledger_destroy

    def __init__(self, labels: int, evidence: Evidence) -> None:
        super().__init__(self._create(library.chorale_ledger_create, None, labels, to_c(evidence)))
        self._one = Mentions(
            np.zeros(1, dtype=np.int32),
            *(0, labels),
            np.zeros(1, dtype=np.int32),
            np.zeros(1),
            times=np.ones(1, dtype=np.int64),
        )
        self._given, self._found = self._one.given(), np.zeros(1, dtype=np.int32)

    def add_one(self, key: int, keys: int, label: int, share: float, times: int) -> int:
        """As `add` of one row, with arrays that are there already: a third of the time."""
        one: Any = self._one
        one.key[0], one.label[0], one.confidence[0], one.times[0] = key, label, share, times
        self._given.keys = keys
        call(library.chorale_ledger_add, self, self._given, self._found)
        return int(self._found[0])

    def add(self, mentions: Mentions, told: Ints | None = None) -> Ints:
        """Returns the labels of the rows that are added."""
        labels = np.empty(len(mentions.key), dtype=np.int32)
        call(library.chorale_ledger_add, self, mentions.given(told=told), labels)
        return labels

    def changes(self, take: bool) -> list[tuple[int, int]]:
        """Returns the rows whose labels are not those told, with their labels."""
        kind, needed = c.chorale_ledger_change, c_int64()
        function = library.chorale_ledger_changes
        call(function, self, int(take), None, sizeof(kind), 0, needed)
        if not needed.value:  # as after most mentions
            return []
        found = self.structs(function, kind, needed.value, int(take))
        return list(zip(found["row"].tolist(), found["label"].tolist()))

    def refit(self, evidence: Evidence | None) -> Evidence:
        decides = to_c(evidence)
        call(library.chorale_ledger_refit, self, decides)
        return evidence or found_by_c(decides)

    def structs(self, function: Any, kind: Any, count: int, *arguments: Any) -> Array:
        """Returns the structs that a function of the library writes."""
        made, found = structs(kind, count)
        if count:
            call(function, self, *arguments, made, sizeof(kind), count, None)
        return found


class Ledger:
    """Keeps the evidence of mentions by key. Rests on experimental calls of C: may change in any
    version.

    labels, label_rules, abstain, key_rules, numbers, scale, levels, missing  as in `settle`
    evidence   what decides, such as `settle(...).evidence` of mentions so far. It stays as it is
               until `refit`
    revise     True: labels of rows before may change, and `add` says which. False: they stay as
               they were given; `due` lists those that should change

    The labels are those that `settle` gives a table of all rows with the same evidence, whatever
    the order in which they came. Lists of alternatives are not taken.

    >>> ledger = Ledger(["PERSON", "PLACE"], evidence=Evidence(4.0, 6.0, 1.0))
    >>> ledger.add("Jordan", "PLACE", 0.6, row=1)
    Placed(label='PLACE', changed={})
    >>> ledger.add("jordan", "PERSON", 0.9, row=2)
    Placed(label='PERSON', changed={1: 'PERSON'})
    """

    def __init__(
        self,
        labels: Sequence[Any] | Mapping[Any, Any],
        *,
        evidence: Evidence,
        revise: bool = True,
        scale: str = "probability",
        levels: Mapping[str, float] = LEVELS,
        missing: float | None = None,
        abstain: Any = None,
        key_rules: Iterable[str] = tuple(RULES),
        label_rules: Iterable[str] = ("unicode", "case", "space"),
        numbers: bool = False,
    ) -> None:
        self.evidence = instance("evidence", evidence, Evidence)
        self.revise = revise
        labels = dict(labels) if isinstance(labels, Mapping) else list(labels)
        self._reader = Reader(
            labels, scale, levels, missing, abstain, key_rules, label_rules, numbers
        )
        self._names = self._reader.names(labels, {}, None)
        self._keys: dict[Any, int] = {}  # their numbers
        self._rows: list[Any] = []  # the caller's names of rows
        self._stream = _Stream(len(self.labels), self.evidence)

    @property
    def labels(self) -> list[Any]:
        return self._names.labels

    def __len__(self) -> int:
        return len(self._rows)

    def add(
        self,
        key: Any,
        label: Any,
        confidence: Any = CONFIDENCE,
        *,
        row: Any = None,
        count: int = 1,
    ) -> Placed:
        """Takes a mention. row: the caller's name of the mention, a text or an integer; None: the
        number of mentions before. count: how many equal mentions it stands for. Raises ValueError
        if the label or confidence cannot be used; then nothing changes."""
        number, share, count = self._read(label, confidence, count)
        name = self._key(key)
        of = -1 if name is None else self._keys.setdefault(name, len(self._keys))
        found = self._stream.add_one(of, len(self._keys), number, share, count)
        self._rows.append(len(self._rows) if row is None else row)
        return Placed(self._label(found), self._changes() if self.revise else {})

    def add_table(
        self,
        table: Any,
        *,
        key: str | tuple[str, ...],
        label: str,
        confidence: float | str | None = None,
        row: str | None = None,
        count: str | None = None,
    ) -> Placed:
        """Takes the mentions of a table, such as `settle` takes: as `add` of each, in much less
        time. row: the column of the caller's names of mentions. The result's label is the list of
        the labels of all rows. Raises TableError, which names all entries that cannot be used; then
        nothing changes.

        >>> ledger = Ledger(["PERSON", "PLACE"], evidence=Evidence(4.0, 6.0, 1.0))
        >>> rows = [{"name": "Jordan", "type": "PLACE"}, {"name": "Petra", "type": "PLACE"}]
        >>> ledger.add_table(rows, key="name", label="type")
        Placed(label=['PLACE', 'PLACE'], changed={})
        """
        read = Reading(table, self._reader, label, None)
        read.table.check(key=key)
        rows: Iterable[Any] = range(len(self), len(self) + read.table.rows)
        if row is not None:
            column = read.table.find("row", row).mixed()
            rows = column.each(column.all_values(), None, object).tolist()
        read.read(confidence, count)
        read.problems.refuse()
        mentions = read.mentions
        if mentions.scores is not None:
            raise ValueError(
                f"column {confidence!r} has lists of alternatives; a ledger takes one confidence "
                "a mention"
            )
        read.part = np.ones(read.table.rows, dtype=bool)
        spelt, codes = read.read_key(key, None), mentions.key
        first = np.zeros(mentions.keys + 1, dtype=np.int64)
        first[codes] = np.arange(len(codes))  # one row of each key
        parts = [column.values(column.codes[first[:-1]].tolist()) for column in spelt]
        names = zip(*parts) if isinstance(key, tuple) else parts[0]
        numbers = [self._keys.setdefault(name, len(self._keys)) for name in names]
        mentions.key = np.array([*numbers, -1], dtype=np.int32)[codes]
        mentions.keys = len(self._keys)
        labels = self._stream.add(mentions)
        self._rows += rows
        placed = [self._label(number) for number in labels.tolist()]
        return Placed(placed, self._changes() if self.revise else {})

    def due(self) -> dict[Any, Any]:
        """Returns {row: label} for the rows whose label should change; with revise=True none."""
        return self._changes(take=False)

    def conflicts(self) -> list[Any]:
        """Returns the keys that evidence does not settle, as they are by the rules."""
        keys = library.chorale_ledger_keys, c.chorale_settled_key, len(self._keys)
        conflict = self._stream.structs(*keys)["conflict"]
        return [name for name, number in self._keys.items() if conflict[number]]

    def current(self) -> dict[Any, Any]:
        """Returns {row: label} of all rows, as `settle` would label them now."""
        return dict(zip(self._rows, map(self._label, self._kept()["label"].tolist())))

    def refit(self, evidence: Evidence | None = None) -> dict[Any, Any]:
        """Estimates the evidence from all mentions (or takes another), and returns {row: label} of
        the labels that change; with revise=False none do."""
        self.evidence = self._stream.refit(optional("evidence", evidence, Evidence))
        return self._changes() if self.revise else {}

    # ---- Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the ledger to a file of JSON lines. Keys, labels and rows must be texts, numbers
        or null."""
        head = {
            "ledger": FORMAT,
            "evidence": dataclasses.asdict(self.evidence),
            "revise": self.revise,
            **dataclasses.asdict(self._reader),
        }
        rows = self._kept()
        # Confidences that are NaN are null in JSON.
        shares = [None if math.isnan(share) else share for share in rows["confidence"].tolist()]
        columns = [rows[name].tolist() for name in ("key", "given", "times", "told")]
        with open(path, "w", encoding="utf-8") as file:
            for line in (head, list(self._keys), self._rows, shares, *columns):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Ledger:
        with open(path, encoding="utf-8") as file:
            try:
                head = json.loads(file.readline())
                if head.pop("ledger") != FORMAT:
                    raise ValueError
                evidence = Evidence(**head.pop("evidence"))
                made = cls(head.pop("labels"), evidence=evidence, **head)
                names, rows, shares, keys, labels, times, told = map(json.loads, file)
                for name in names:
                    made._keys[tuple(name) if isinstance(name, list) else name] = len(made._keys)
                shares = [math.nan if share is None else share for share in shares]
                mentions = Mentions(
                    np.array(keys, dtype=np.int32),
                    *(len(made._keys), len(made.labels)),
                    np.array(labels, dtype=np.int32),
                    np.array(shares, dtype=np.float64),
                    times=np.array(times, dtype=np.int64),
                )
                made._stream.add(mentions, np.array(told, dtype=np.int32))
                made._rows = rows
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise ValueError(f"{os.fspath(path)!r} is no ledger of this version") from error
        return made

    # ---- Parts

    def _changes(self, take: bool = True) -> dict[Any, Any]:
        return {self._rows[row]: self._label(label) for row, label in self._stream.changes(take)}

    def _kept(self) -> Array:
        kind = c.chorale_ledger_row
        return self._stream.structs(library.chorale_ledger_rows, kind, len(self._rows))

    def _label(self, number: int) -> Any:
        return None if number < 0 else self.labels[number]

    def _key(self, key: Any) -> Any:
        """Returns a key by the rules; None if it takes no part."""
        parts = []
        for part in key if isinstance(key, tuple) else (key,):
            text = given.spelt(part, self._reader.of_keys)
            if text == "" or arrays.missing(text):
                return None
            if given.is_number(text) and not self._reader.numbers:
                return None
            parts.append(text)
        return tuple(parts) if isinstance(key, tuple) else parts[0]

    def _read(self, label: Any, confidence: Any, count: int) -> tuple[int, float, int]:
        number = self._names.number(label)
        if number == Names.UNKNOWN:
            raise ValueError(f"label is {label!r}, not one of the labels {self._names.shown()}")
        share = self._reader.one(confidence)
        if arrays.missing(confidence) and self._reader.missing is not None:
            share = self._reader.missing
        if math.isnan(share):
            raise ValueError(f"confidence is {confidence!r}, which is none")
        count = arrays.integer("count", count)
        if count < 1:
            raise ValueError(f"count is {count}; it must be at least 1")
        return max(number, -1), share, count
