"""A ledger of mentions that arrive one after the other: it gives each mention the label that
`settle` would give it, with all mentions before, and says which of these should change."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _arrays as arrays
from . import _given as given
from ._evidence import UNIT, Evidence, Votes, checked, estimated
from ._given import LEVELS, MARGIN, RULES, Names, Reader
from .mentions import CONFIDENCE

FORMAT = 1


class Placed(NamedTuple):
    """What a new mention does. label: its label; None: it says nothing, and nor does its key.
    changed: {row: label} for rows before whose label is now another."""

    label: Any
    changed: dict[Any, Any]


@dataclasses.dataclass
class _Row:
    row: Any
    own: int  # -1: says nothing
    margin: float
    count: int
    given: int  # the label that the caller was told


class _Key:
    """The mentions of a key, and their sums; see `_evidence.Sums`. label: -1: each has its own."""

    __slots__ = ("rows", "n", "total", "scores", "label", "conflict")

    def __init__(self) -> None:
        self.rows: list[_Row] = []
        self.clear()

    def clear(self) -> None:
        self.n, self.total, self.label, self.conflict = 0, 0.0, -1, False
        self.scores: dict[int, float] = {}

    def add(self, row: _Row, most: float) -> None:
        if row.own < 0:
            return
        evidence = round(min(most, max(-most, row.margin)) / UNIT) * UNIT * row.count
        self.n += row.count
        self.total += max(evidence, 0.0)
        self.scores[row.own] = self.scores.get(row.own, 0.0) + evidence

    def decide(self, evidence: Evidence, labels: int) -> None:
        """As `_evidence.decided`. Labels without a score have the score 0."""
        top = max(self.scores.values(), default=0.0)
        rest = labels - len(self.scores)
        if rest and top < 0:
            top = 0.0
        best = [label for label, score in self.scores.items() if score == top]
        ties = len(best) + (rest if top == 0 else 0)
        cost = self.total - top
        dear = cost > max(0.0, evidence.once + evidence.each * self.n)
        self.conflict = cost > 0 and (ties > 1 or dear)
        if ties > 1 or self.conflict:
            self.label = -1
        else:
            self.label = best[0] if best else next(v for v in range(labels) if v not in self.scores)

    def of(self, row: _Row) -> int:
        return self.label if self.label >= 0 else row.own


class Ledger:
    """Keeps the evidence of mentions by key.

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
        given.check_scale(scale)
        self.evidence = checked(evidence)
        self.revise = revise
        self._settings: dict[str, Any] = {
            "labels": {k: v for k, v in labels.items()}
            if isinstance(labels, Mapping)
            else list(labels),
            "scale": scale,
            "levels": dict(levels),
            "missing": missing,
            "abstain": abstain,
            "key_rules": [key_rules] if isinstance(key_rules, str) else list(key_rules),
            "label_rules": [label_rules] if isinstance(label_rules, str) else list(label_rules),
            "numbers": numbers,
        }
        self._names = Names.of(labels, {}, abstain, self._settings["label_rules"])
        self._reader = Reader(scale, {word.casefold(): share for word, share in levels.items()})
        self._missing = None if missing is None else given.check_share("missing", missing)
        self._rules = given.ruled("key_rules", self._settings["key_rules"])
        self._numbers = bool(numbers)
        self._keys: dict[Any, _Key] = {}
        self._alone: list[_Row] = []  # rows without a key
        self._rows = 0

    @property
    def labels(self) -> list[Any]:
        return self._names.labels

    def __len__(self) -> int:
        return self._rows

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
        made = self._read(label, confidence, row, count)
        self._rows += 1
        name = self._key(key)
        if name is None:
            made.given = made.own
            self._alone.append(made)
            return Placed(self._label(made.own), {})
        of = self._keys.get(name)
        if of is None:
            of = self._keys[name] = _Key()
        before = of.label, of.conflict
        of.add(made, self.evidence.most)
        of.decide(self.evidence, len(self.labels))
        changed = {}
        if self.revise and (of.label, of.conflict) != before:
            changed = self._revised(of)
        made.given = of.of(made)
        of.rows.append(made)
        return Placed(self._label(made.given), changed)

    def due(self) -> dict[Any, Any]:
        """Returns {row: label} for the rows whose label should change; with revise=True none."""
        return {
            row.row: self._label(of.of(row))
            for of in self._keys.values()
            for row in of.rows
            if row.given != of.of(row)
        }

    def conflicts(self) -> list[Any]:
        """Returns the keys that evidence does not settle, as they are by the rules."""
        return [name for name, of in self._keys.items() if of.conflict]

    def current(self) -> dict[Any, Any]:
        """Returns {row: label} of all rows, as `settle` would label them now."""
        found = {row.row: self._label(row.own) for row in self._alone}
        for of in self._keys.values():
            found.update({row.row: self._label(of.of(row)) for row in of.rows})
        return found

    def refit(self, evidence: Evidence | None = None) -> dict[Any, Any]:
        """Estimates the evidence from all mentions (or takes another), and returns {row: label} of
        the labels that change; with revise=False none do."""
        if evidence is None:
            rows = [
                (number, row) for number, of in enumerate(self._keys.values()) for row in of.rows
            ]
            votes = Votes(
                np.array([row.own for _, row in rows], dtype=np.int32),
                np.array([row.margin for _, row in rows], dtype=np.float64),
                None,
                np.array([row.count for _, row in rows], dtype=np.int64),
                len(self.labels),
            )
            keys = np.array([number for number, _ in rows], dtype=np.int32)
            evidence = estimated(votes, keys, len(self._keys))
        self.evidence = checked(evidence)
        changed = {}
        for of in self._keys.values():
            self._sum_up(of)
            if self.revise:
                changed.update(self._revised(of))
        return changed

    # ---- Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the ledger to a file of JSON lines. Keys, labels and rows must be texts, numbers
        or null."""
        head = {
            "ledger": FORMAT,
            "evidence": dataclasses.asdict(self.evidence),
            "revise": self.revise,
            **self._settings,
        }
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps(head, ensure_ascii=False) + "\n")
            for name, rows in [
                (None, self._alone),
                *((n, of.rows) for n, of in self._keys.items()),
            ]:
                entries = [[r.row, r.own, r.margin, r.count, r.given] for r in rows]
                file.write(json.dumps([name, entries], ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Ledger:
        with open(path, encoding="utf-8") as file:
            try:
                head = json.loads(file.readline())
                if head.pop("ledger") != FORMAT:
                    raise ValueError
                evidence = Evidence(**head.pop("evidence"))
                made = cls(head.pop("labels"), evidence=evidence, **head)
                for line in file:
                    name, entries = json.loads(line)
                    rows = [_Row(*entry) for entry in entries]
                    made._rows += len(rows)
                    if name is None:
                        made._alone = rows
                        continue
                    of = made._keys[tuple(name) if isinstance(name, list) else name] = _Key()
                    of.rows = rows
                    made._sum_up(of)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise ValueError(f"{os.fspath(path)!r} is no ledger of this version") from error
        return made

    # ---- Parts

    def _sum_up(self, of: _Key) -> None:
        of.clear()
        for row in of.rows:
            of.add(row, self.evidence.most)
        of.decide(self.evidence, len(self.labels))

    def _revised(self, of: _Key) -> dict[Any, Any]:
        changed = {}
        for row in of.rows:
            now = of.of(row)
            if row.given != now:
                row.given = now
                changed[row.row] = self._label(now)
        return changed

    def _label(self, number: int) -> Any:
        return None if number < 0 else self.labels[number]

    def _key(self, key: Any) -> Any:
        """Returns a key by the rules; None if it takes no part."""
        parts = []
        for part in key if isinstance(key, tuple) else (key,):
            text = given.spelt(part, self._rules)
            if text == "" or arrays.missing(text):
                return None
            if given.is_number(text) and not self._numbers:
                return None
            parts.append(text)
        return tuple(parts) if isinstance(key, tuple) else parts[0]

    def _read(self, label: Any, confidence: Any, row: Any, count: int) -> _Row:
        number = self._names.number(label)
        if number == Names.UNKNOWN:
            raise ValueError(f"label is {label!r}, not one of the labels {self._names.shown()}")
        share = self._reader.one(confidence)
        if arrays.missing(confidence) and self._missing is not None:
            share = self._missing
        if math.isnan(share):
            raise ValueError(f"confidence is {confidence!r}, which is none")
        count = arrays.integer("count", count)
        if count < 1:
            raise ValueError(f"count is {count}; it must be at least 1")
        others = max(1, len(self.labels) - 1)
        sure = min(1 - MARGIN, max(MARGIN, share))
        margin = math.log(sure) - math.log((1 - sure) / others)
        if abs(sure * len(self.labels) - 1) < 1e-6 or len(self.labels) == 1:
            margin = 0.0
        if len(self.labels) == 2 and margin < 0 <= number:
            number, margin = 1 - number, -margin
        name = self._rows if row is None else row
        return _Row(name, max(number, -1), margin, count, -1)
