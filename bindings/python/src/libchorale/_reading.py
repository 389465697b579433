"""Reads the columns of a table of mentions, as they come, into what `_evidence.Mentions` has."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from . import _arrays as arrays
from . import _given as given
from ._columns import Array, Codes, Doubles, Ints, together
from ._evidence import Mentions
from ._given import MARGIN, Names, Problems, Reader
from ._tables import Table

# The probability of a row's label if the caller gives no confidence.
CONFIDENCE = 0.8

log = logging.getLogger("libchorale")


def mentions_of(
    table: Table,
    label: str | None,
    confidence: Any,
    count: str | None,
    reader: Reader,
    wanted: Sequence[Any] | Mapping[Any, Any] | None,
    missing: float | None,
    abstain: Any,
    rules: Iterable[str],
    problems: Problems,
    told: dict[str, int],
) -> tuple[Names, Codes | None, Mentions]:
    """Reads labels, confidences and counts. Returns the labels, the column of labels if there is
    one, and mentions without keys."""
    times = None
    if count is not None:
        times = given.counts(table.find("count", count), count, problems)
    rows = table.rows
    seen: dict[Any, int] = {}
    column = None if label is None else table.find("label", label).mixed()
    if column is not None:
        many = np.bincount(column.codes[column.codes >= 0], minlength=column.count).tolist()
        values = column.all_values()
        seen = {value: n for value, n in zip(values, many) if n and _hashable(value)}
    shares: Any = None
    lists: list[dict[Any, float] | None] = []
    of_row: Array = np.zeros(0, dtype=np.int32)
    logs: Any = None
    # A confidence names a column if it is a text, or an integer that is a name.
    if isinstance(confidence, str) or (type(confidence) is int and confidence in table.names):
        of, name = table.find("confidence", confidence), cast(str, confidence)
        try:
            logs = _logarithms(name, of.lists(), reader, problems)
        except TypeError:
            shares, lists, of_row, filled = given.confidences(of, name, reader, missing, problems)
            told[f"no confidence, taken as {missing}"] = filled
        else:
            if wanted is None and label is not None:
                raise TypeError(
                    f"labels is missing: it says whose scores the lists of column {name!r} hold, "
                    "in their order"
                )
            wanted = list(range(logs.shape[1])) if wanted is None else wanted
            if len(wanted) != logs.shape[1]:
                raise ValueError(
                    f"column {name!r} has lists of {logs.shape[1]} for {len(wanted)} labels"
                )
        many_of = np.bincount(of_row[of_row >= 0], minlength=len(lists)).tolist()
        for alternatives, n in zip(lists, many_of):
            for value in alternatives or ():
                if _hashable(value) and value is not None:
                    seen[value] = seen.get(value, 0) + n
    elif isinstance(confidence, Iterable):
        wanted, logs = _all_scores(table, confidence, wanted, reader, problems)
    else:
        share = CONFIDENCE if confidence is None else given.check_share("confidence", confidence)
        shares = np.full(rows, share)
    if column is None and not lists and logs is None:
        raise TypeError("label is missing: one confidence says nothing without it")
    known = Names.of(wanted, seen, abstain, rules, confidence if label is None else label)
    m = len(known.labels)
    scored = np.full(rows, logs is not None)  # whether a row has scores of several labels
    if lists:
        scored = of_row >= 0
    number = np.full(rows, -1, dtype=np.int32)
    if column is not None:
        assert label is not None
        numbers = [known.number(value) for value in column.all_values()]
        number = np.array([*numbers, known.number(None)], dtype=np.int32)[column.codes]
        exact = [n >= 0 and value == known.labels[n] for n, value in zip(numbers, values)]
        respelt = ~np.array([*exact, True])[column.codes] & (number >= 0)
        told["labels in another spelling"] = int(respelt.sum())
        told["rows that say nothing (abstain)"] = int((number == Names.ABSTAINS).sum())
        null = (column.codes < 0) | np.array([*(v == "" for v in values), False])[column.codes]
        unknown = number == Names.UNKNOWN
        problems.add(null & unknown & ~scored, label, column.entry, "which is empty")
        rule = f"not one of the labels {known.shown()}"
        problems.add(unknown & ~null, label, column.entry, rule)
    before, no_keys = np.maximum(number, -1).astype(np.int32), np.empty(0, dtype=np.int32)
    if lists:
        logs = _alternatives(lists, of_row, shares, number, known)
    if logs is None:
        known_shares = np.where(problems.usable, shares, np.nan)
        return known, column, Mentions(no_keys, 0, m, before, known_shares, times=times)
    own = logs.argmax(axis=1)
    before = np.where(scored & (number == Names.UNKNOWN), own, before)
    before = np.where(problems.usable, before, -1).astype(np.int32)
    return known, column, Mentions(no_keys, 0, m, before, None, logs, times)


def gold_of(table: Table, gold: str, known: Names, told: dict[str, int]) -> Ints:
    """Reads a column of right labels: the number of each, -1 if it is unknown."""
    column = table.find("gold", gold).mixed()
    values = column.all_values()
    right = np.array([*map(known.number, values), -1], dtype=np.int32)[column.codes]
    said = np.array([*(value != "" for value in values), False])[column.codes]
    unknown = np.flatnonzero((right == Names.UNKNOWN) & said)
    told["right labels that occur nowhere among the labels"] = len(unknown)
    if not (right >= 0).any():
        what = "has no label"
        if len(unknown):
            row = int(unknown[0])
            what = (
                f"holds {column.entry(row)!r} in row {row}, which occurs nowhere among the labels "
                f"{known.shown()}; nor does any other of its labels"
            )
        raise ValueError(f"column {gold!r} {what}: there is nothing to learn from")
    return np.maximum(right, -1).astype(np.int32)


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _all_scores(
    table: Table, columns: Any, wanted: Any, reader: Reader, problems: Problems
) -> tuple[Any, Doubles]:
    """Returns the labels, and N x m logarithms from columns of the scores of each label."""
    wanted = list(columns) if wanted is None else wanted
    names = list(columns)
    if isinstance(columns, Mapping):
        if set(wanted) != set(columns):
            raise ValueError(f"labels is {[*wanted]}; it must be the keys of confidence, {names}")
        names = [columns[label] for label in wanted]
    if not names:
        raise ValueError("confidence is empty; it names at least one column")
    if len(names) != len(wanted):
        raise ValueError(f"confidence has {len(names)} columns for {len(wanted)} labels")
    logs = np.zeros((table.rows, len(names)))
    for number, name in enumerate(names):
        found = table.find("confidence", name).floats()
        if found is None:
            raise TypeError(f"column {name!r} is not of numbers")
        logs[:, number] = _logarithms(name, found, reader, problems)
    return wanted, logs


def _logarithms(name: str, scores: Array, reader: Reader, problems: Problems) -> Doubles:
    """Returns the logarithms of a column of scores: one in each row, or several."""
    logs = scores.astype(np.float64)
    with np.errstate(invalid="ignore"):
        if reader.scale == "logarithm":
            right, rule = np.isfinite(logs), "not a finite number"
        else:
            shares = reader.numbers(logs)
            right = (shares >= 0) & (shares <= 1)
            rule = "not from 0 to 1" if reader.scale == "probability" else "not from 0 to 100"
            logs = np.log(np.maximum(shares, MARGIN))
    wrong: Array = np.logical_not(np.reshape(right, (len(logs), -1)).all(axis=1))

    def entry(row: int) -> Any:
        value = scores[row].tolist()
        return None if arrays.missing(value) else value

    problems.add(wrong, name, entry, rule)
    return np.where(right, logs, 0.0)


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
            at = known.number(value) if _hashable(value) else -1
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


def keys_of(
    table: Table,
    key: str | tuple[str, ...],
    group: str | None,
    rules: Iterable[str],
    numbers: bool,
    partial: bool,
    part: Array,
    told: dict[str, int],
) -> tuple[Ints, int, list[Codes], list[Codes], dict[str, int]]:
    """Returns the key of each row, the number of keys, the columns of keys as they are and by the
    rules, and why rows have no key. part: whether a row takes part."""
    of_rules = given.ruled("key_rules", rules)
    parts = key if isinstance(key, tuple) else (key,)
    if not parts:
        raise ValueError("key is (); it names at least one column")
    numeric, null = np.zeros(table.rows, dtype=bool), np.zeros(table.rows, dtype=bool)
    spelt, columns = [], []
    for name in parts:
        found = table.find("key", name).encoded()
        column, merged, of_number = given.normalised(found, of_rules, numbers)
        told[f"spellings of keys ({name}) that are equal to another"] = merged
        numeric |= of_number
        null |= (column.codes < 0) & ~of_number
        spelt.append(column)
        columns.append(found)
    if group is not None:
        columns.append(table.find("group", group).encoded())
        spelt.append(columns[-1])
        null |= columns[-1].codes < 0
    codes, size = together(spelt)
    if partial:
        if len(parts) > 1:
            raise ValueError(f"partial is True for a key of {len(parts)} columns; it needs one")
        told["names of one word that are part of a longer one"] = _join_parts(codes, size, spelt)
    keys = np.where(part, codes, -1).astype(np.int32)
    alone = {
        "an entry cannot be used": int((~part).sum()),
        "the key is null": int((null & part).sum()),
        "the key is a number": int((numeric & ~null & part).sum()),
    }
    return keys, size, columns, spelt, alone


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
