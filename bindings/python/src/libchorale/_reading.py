"""Reads the columns of a table of mentions, as they come, into what `_evidence.Mentions` has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from . import _given as given
from ._columns import Array, Codes, Doubles, together
from ._evidence import Mentions
from ._given import MARGIN, Names, Problems, Reader
from ._mentions import Ints
from ._tables import Table
from .mentions import CONFIDENCE, _column, is_column


def mentions_of(
    table: Table,
    label: str | None,
    confidence: float | str | Mapping[Any, str] | None,
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
        times = given.counts(_column(table, "count", count), count, problems)
    rows = table.rows
    seen: dict[Any, int] = {}
    column = None if label is None else _column(table, "label", label).mixed()
    if column is not None:
        many = np.bincount(column.codes[column.codes >= 0], minlength=column.count).tolist()
        values = column.all_values()
        seen = {value: n for value, n in zip(values, many) if n and _hashable(value)}
    shares: Any = None
    lists: list[dict[Any, float] | None] = []
    of_row: Array = np.zeros(0, dtype=np.int32)
    if is_column(table.names, confidence):
        of, name = _column(table, "confidence", confidence), cast(str, confidence)
        shares, lists, of_row, filled = given.confidences(of, name, reader, missing, problems)
        told[f"no confidence, taken as {missing}"] = filled
        many_of = np.bincount(of_row[of_row >= 0], minlength=len(lists)).tolist()
        for alternatives, n in zip(lists, many_of):
            for value in alternatives or ():
                if _hashable(value) and value is not None:
                    seen[value] = seen.get(value, 0) + n
    elif isinstance(confidence, Mapping):
        if wanted is None:
            wanted = list(confidence)
    else:
        share = CONFIDENCE if confidence is None else given.check_share("confidence", confidence)
        shares = np.full(rows, share)
    if column is None and not lists and not isinstance(confidence, Mapping):
        raise TypeError("label is missing: one confidence says nothing without it")
    known = Names.of(wanted, seen, abstain, rules, confidence if label is None else label)
    m = len(known.labels)
    number = np.full(rows, -1, dtype=np.int32)
    if column is not None:
        assert label is not None
        numbers = [known.number(value) for value in column.all_values()]
        number = np.array([*numbers, known.number(None)], dtype=np.int32)[column.codes]
        exact = [n >= 0 and value == known.labels[n] for n, value in zip(numbers, values)]
        respelt = ~np.array([*exact, True])[column.codes] & (number >= 0)
        told["labels in another spelling"] = int(respelt.sum())
        told["rows that say nothing (abstain)"] = int((number == Names.ABSTAINS).sum())
        full = column

        def entry(row: int) -> Any:
            return None if full.codes[row] < 0 else full.values([int(full.codes[row])])[0]

        null = (column.codes < 0) | np.array([*(v == "" for v in values), False])[column.codes]
        given_by_lists = of_row >= 0 if lists else np.zeros(rows, dtype=bool)
        unknown = number == Names.UNKNOWN
        problems.add(null & unknown & ~given_by_lists, label, entry, "which is empty")
        problems.add(
            unknown & ~null,
            label,
            entry,
            f"not one of the labels {known.shown()}",
        )
    before, no_keys = np.maximum(number, -1).astype(np.int32), np.empty(0, dtype=np.int32)
    if isinstance(confidence, Mapping):
        logs = _all_scores(table, confidence, known, reader, problems)
    elif lists:
        logs = _alternatives(lists, of_row, shares, number, known)
        unsaid = of_row >= 0
        number = np.where(unsaid & (number == -1), logs.argmax(axis=1), number)
    else:
        known_shares = np.where(problems.usable, shares, np.nan)
        return known, column, Mentions(no_keys, 0, m, before, known_shares, times=times)
    own = logs.argmax(axis=1)
    if column is None:
        before = own
    else:
        before = np.where((before < 0) & (number >= 0), own, before)
    before = np.where(problems.usable, before, -1).astype(np.int32)
    return known, column, Mentions(no_keys, 0, m, before, None, logs, times)


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _all_scores(
    table: Table, columns: Mapping[Any, str], known: Names, reader: Reader, problems: Problems
) -> Doubles:
    if set(columns) != set(known.labels):
        raise ValueError(f"labels is {known.labels}; it must be the keys of confidence")
    logs = np.zeros((table.rows, len(known.labels)))
    for number, label in enumerate(known.labels):
        name = columns[label]
        of = _column(table, "confidence", name)
        found = of.floats()
        if found is None:
            raise TypeError(f"column {name!r} is not of numbers")
        with np.errstate(invalid="ignore"):
            shares = np.zeros(len(found)) if reader.scale == "logarithm" else reader.numbers(found)
            wrong = ~(np.isfinite(found) & (shares >= 0) & (shares <= 1))
        problems.add(wrong, name, given.entry_of(of), "not a score of this scale")
        found = np.where(wrong, 0.0, found)
        if reader.scale != "logarithm":
            found = np.log(np.maximum(reader.numbers(found), MARGIN))
        logs[:, number] = found
    return logs


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
        found = _column(table, "key", name).encoded()
        column, merged, of_number = given.normalised(found, of_rules, numbers)
        told[f"spellings of keys ({name}) that are equal to another"] = merged
        numeric |= of_number
        null |= (column.codes < 0) & ~of_number
        spelt.append(column)
        columns.append(found)
    if group is not None:
        columns.append(_column(table, "group", group).encoded())
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
