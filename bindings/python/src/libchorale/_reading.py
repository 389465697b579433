"""Reads the columns of a table of mentions, as they come, into what `_evidence.Mentions` has."""

from __future__ import annotations

import logging
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from . import _arrays as arrays
from . import _given as given
from ._columns import Array, Codes, Doubles, Ints, together
from ._evidence import Mentions
from ._given import MARGIN, SCALES, Names, Problems, Reader, TableError
from ._tables import opened

# The probability of a row's label if the caller gives no confidence.
CONFIDENCE = 0.8

log = logging.getLogger("libchorale")


class Reading:
    """A table, and what was read of it.

    names     the labels
    mentions  what counts. The label is that with the best score if there is no column of labels
    column    the column of labels, if there is one, of the name `label`
    columns   the columns of keys; at last that of groups, of the name `group`
    part      N: whether the row takes part
    told      what was done to entries, and to how many
    alone     why rows take no part, and how many
    """

    names: Names
    mentions: Mentions
    column: Codes | None
    columns: list[Codes]
    part: Array
    alone: dict[str, int]

    def __init__(self, table: Any, reader: Reader, label: str | None, group: str | None) -> None:
        self.table, self.reader, self.label, self.group = opened(table), reader, label, group
        self.problems = Problems(self.table.rows)
        self.told: dict[str, int] = {}

    def read(self, confidence: Any, count: str | None) -> None:
        """Reads labels, confidences and counts: all of the mentions but their keys."""
        table, reader, problems, label = self.table, self.reader, self.problems, self.label
        times = None
        if count is not None:
            times = given.counts(table.find("count", count), count, problems)
        wanted = reader.labels
        seen: dict[Any, int] = {}
        column = self.column = None if label is None else table.find("label", label).mixed()
        if column is not None:
            many = np.bincount(column.codes[column.codes >= 0], minlength=column.count).tolist()
            values = column.all_values()
            seen = {v: n for v, n in zip(values, many) if n and isinstance(v, Hashable)}
        shares: Any = None
        lists: list[dict[Any, float] | None] = []
        of_row: Array = np.zeros(0, dtype=np.int32)
        logs: Any = None
        # A confidence names a column if it is a text, or an integer that is a name.
        if isinstance(confidence, str) or (type(confidence) is int and confidence in table.names):
            of, name = table.find("confidence", confidence), cast(str, confidence)
            try:
                logs = self._logarithms(name, of.lists())
            except TypeError:
                shares, lists, of_row, filled = given.confidences(of, name, reader, problems)
                self.told[f"no confidence, taken as {reader.missing}"] = filled
            else:
                if wanted is None and label is not None:
                    raise TypeError(
                        f"labels is missing: it says whose scores the lists of column {name!r} "
                        "hold, in their order"
                    )
                wanted = list(range(logs.shape[1])) if wanted is None else wanted
                if len(wanted) != logs.shape[1]:
                    raise ValueError(
                        f"column {name!r} has lists of {logs.shape[1]} for {len(wanted)} labels"
                    )
            many_of = np.bincount(of_row[of_row >= 0], minlength=len(lists)).tolist()
            for alternatives, n in zip(lists, many_of):
                for value in alternatives or ():
                    if value is not None:
                        seen[value] = seen.get(value, 0) + n
        elif isinstance(confidence, Iterable):
            wanted, logs = self._all_scores(confidence, wanted)
        else:
            share = CONFIDENCE if confidence is None else confidence
            shares = np.full(table.rows, given.check_share("confidence", share))
        if column is None and not lists and logs is None:
            raise TypeError("label is missing: one confidence says nothing without it")
        known = reader.names(wanted, seen, confidence if label is None else label)
        self.names, m = known, len(known.labels)
        scored = np.full(table.rows, logs is not None)  # whether a row has scores of several labels
        if lists:
            scored = of_row >= 0
        number = np.full(table.rows, -1, dtype=np.int32)
        if column is not None:
            assert label is not None
            numbers = [known.number(value) for value in values]
            number = column.each(numbers, known.number(None), np.int32)
            exact = [n >= 0 and value == known.labels[n] for n, value in zip(numbers, values)]
            respelt = ~column.each(exact, True) & (number >= 0)
            self.told["labels in another spelling"] = int(respelt.sum())
            self.told["rows that say nothing (abstain)"] = int((number == Names.ABSTAINS).sum())
            null = column.each((value == "" for value in values), True)
            unknown = number == Names.UNKNOWN
            problems.add(null & unknown & ~scored, label, column.entry, "which is empty")
            rule = f"not one of the labels {known.shown()}"
            problems.add(unknown & ~null, label, column.entry, rule)
        before, no_keys = np.maximum(number, -1).astype(np.int32), np.empty(0, dtype=np.int32)
        if lists:
            logs = _alternatives(lists, of_row, shares, number, known)
        if logs is None:
            shares = np.where(problems.usable, shares, np.nan)
        else:
            before = np.where(scored & (number == Names.UNKNOWN), logs.argmax(axis=1), before)
            before = np.where(problems.usable, before, -1).astype(np.int32)
            shares = None
        self.mentions = Mentions(no_keys, 0, m, before, shares, logs, times)

    def gold(self, gold: str) -> Ints:
        """Reads a column of right labels: the number of each, -1 if it is unknown."""
        column = self.table.find("gold", gold).mixed()
        values = column.all_values()
        right = column.each(map(self.names.number, values), -1, np.int32)
        said = column.each((value != "" for value in values), False)
        unknown = np.flatnonzero((right == Names.UNKNOWN) & said)
        self.told["right labels that occur nowhere among the labels"] = len(unknown)
        if not (right >= 0).any():
            what = "has no label"
            if len(unknown):
                row = int(unknown[0])
                what = (
                    f"holds {column.entry(row)!r} in row {row}, which occurs nowhere among the "
                    f"labels {self.names.shown()}; nor does any other of its labels"
                )
            raise ValueError(f"column {gold!r} {what}: there is nothing to learn from")
        return np.maximum(right, -1).astype(np.int32)

    def _all_scores(self, columns: Any, wanted: Any) -> tuple[Any, Doubles]:
        """Returns the labels, and N x m logarithms from columns of the scores of each label."""
        wanted = list(columns) if wanted is None else wanted
        names = list(columns)
        if isinstance(columns, Mapping):
            if set(wanted) != set(columns):
                raise ValueError(
                    f"labels is {[*wanted]}; it must be the keys of confidence, {names}"
                )
            names = [columns[label] for label in wanted]
        if not names:
            raise ValueError("confidence is empty; it names at least one column")
        if len(names) != len(wanted):
            raise ValueError(f"confidence has {len(names)} columns for {len(wanted)} labels")
        logs = np.zeros((self.table.rows, len(names)))
        for number, name in enumerate(names):
            found = self.table.find("confidence", name).numbers()
            logs[:, number] = self._logarithms(name, found)
        return wanted, logs

    def _logarithms(self, name: str, scores: Array) -> Doubles:
        """Returns the logarithms of a column of scores: one in each row, or several."""
        logs = scores.astype(np.float64)
        with np.errstate(invalid="ignore"):
            if self.reader.scale == "logarithm":
                right, rule = np.isfinite(logs), "not a finite number"
            else:
                shares, rule = self.reader.shares(logs), SCALES[self.reader.scale]
                right = (shares >= 0) & (shares <= 1)
                logs = np.log(np.maximum(shares, MARGIN))
        wrong: Array = np.logical_not(np.reshape(right, (len(logs), -1)).all(axis=1))

        def entry(row: int) -> Any:
            value = scores[row].tolist()
            return None if arrays.missing(value) else value

        self.problems.add(wrong, name, entry, rule)
        return np.where(right, logs, 0.0)

    def read_key(
        self, key: str | tuple[str, ...], group: str | None, partial: bool = False
    ) -> list[Codes]:
        """Reads the key of each row into `mentions`, and the columns of keys. Returns these columns
        by the rules. Only rows for which `part` is true get a key."""
        table, reader, part = self.table, self.reader, self.part
        names = key if isinstance(key, tuple) else (key,)
        if not names:
            raise ValueError("key is (); it names at least one column")
        numeric, null = np.zeros(table.rows, dtype=bool), np.zeros(table.rows, dtype=bool)
        spelt, self.columns = [], []
        for name in names:
            found = table.find("key", name).encoded()
            column, merged, of_number = given.normalised(found, reader.of_keys, reader.numbers)
            self.told[f"spellings of keys ({name}) that are equal to another"] = merged
            numeric |= of_number
            null |= (column.codes < 0) & ~of_number
            spelt.append(column)
            self.columns.append(found)
        if group is not None:
            self.columns.append(table.find("group", group).encoded())
            spelt.append(self.columns[-1])
            null |= self.columns[-1].codes < 0
        codes, self.mentions.keys = together(spelt)
        if partial:
            if len(names) > 1:
                raise ValueError(f"partial is True for a key of {len(names)} columns; it needs one")
            joined = _join_parts(codes, self.mentions.keys, spelt)
            self.told["names of one word that are part of a longer one"] = joined
        self.mentions.key = np.where(part, codes, -1).astype(np.int32)
        self.alone = {
            "an entry cannot be used": int((~part).sum()),
            "the key is null": int((null & part).sum()),
            "the key is a number": int((numeric & ~null & part).sum()),
        }
        return spelt


def _alternatives(
    lists: Sequence[dict[Any, float] | None],
    of_row: Array,
    shares: Doubles,
    number: Ints,
    known: Names,
) -> Doubles:
    """Returns N x m logarithms. Rows without alternatives have a confidence for their label."""
    m = len(known.labels)
    every = np.zeros((len(lists) + 1, m))
    for row, alternatives in zip(every, lists):
        for value, share in (alternatives or {}).items():
            at = known.number(value)
            if at >= 0:
                row[at] += share
    found = every[of_row]
    single = np.flatnonzero((of_row < 0) & (number >= 0) & ~np.isnan(shares))
    found[single, number[single]] = shares[single]
    # What the labels leave to 1 is shared by those without a probability; by all if each has one.
    rest = np.maximum(0.0, 1 - found.sum(axis=1))
    free = found == 0
    none = ~free.any(axis=1)
    free[none] = True
    found += free * (rest / free.sum(axis=1))[:, None]
    logs: Doubles = np.log(np.maximum(found, MARGIN))
    return logs


def _join_parts(codes: Ints, size: int, columns: Sequence[Codes]) -> int:
    """Gives names of one word the code of the only longer name that begins or ends with it, in the
    same group, if it came before. columns: the names, and perhaps the groups. Changes `codes`;
    returns the number of such names."""
    first = np.zeros(size + 1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    first = first[:-1]
    names = columns[0].values(columns[0].codes[first].tolist())
    groups = columns[1].codes[first].tolist() if len(columns) > 1 else [0] * size
    longer: dict[tuple[int, str], set[int]] = {}
    for code, (name, group) in enumerate(zip(names, groups)):
        words = name.split() if isinstance(name, str) else []
        if len(words) > 1:
            for word in (words[0], words[-1]):
                longer.setdefault((group, word), set()).add(code)
    target = np.arange(-1, size, dtype=np.int32)
    for code, (name, group) in enumerate(zip(names, groups)):
        of = list(longer.get((group, name), ())) if isinstance(name, str) else []
        if len(of) == 1 and first[of[0]] < first[code]:
            target[code + 1] = of[0]
    joined = int((target[1:] != np.arange(size)).sum())
    codes[:] = target[codes + 1]
    return joined
