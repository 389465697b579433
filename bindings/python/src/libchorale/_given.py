"""Reads tables as they come: confidences as texts, labels and keys in several spellings, rows that
cannot be used. All that cannot be used is collected, and told at once."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _arrays as arrays
from ._columns import Array, Codes, Column, Doubles, Longs

# Confidences given as words. A caller's `levels` replace them.
LEVELS = {
    **{"certain": 0.99, "very high": 0.95, "high": 0.9, "medium": 0.7, "moderate": 0.7},
    **{"low": 0.5, "very low": 0.3},
}

# Probabilities are taken to be at least MARGIN and at most 1 - MARGIN.
MARGIN = 1e-6


# ---- What cannot be used


class Problem(NamedTuple):
    """An entry that cannot be used. rule: what is wrong with it."""

    row: int
    column: str
    value: Any
    rule: str

    @property
    def what(self) -> str:
        """What is wrong, without the row."""
        if self.value is None:
            return f"column {self.column!r} is null"
        return f"column {self.column!r} is {self.value!r}, {self.rule}"

    def __str__(self) -> str:
        return f"row {self.row}: {self.what}"


class TableError(ValueError):
    """A table has entries that cannot be used. problems: all of them, by row. str() names the first
    twenty, and says how many there are. hint: what a caller may do."""

    def __init__(self, problems: Sequence[Problem], hint: str = "") -> None:
        self.problems, self._hint = list(problems), hint
        shown = [str(problem) for problem in self.problems[:20]]
        if len(self.problems) > 1:
            shown.insert(0, f"{len(self.problems)} entries of the table cannot be used:")
        if len(self.problems) > 20:
            shown.append(f"and {len(self.problems) - 20} more (problems has all)")
        super().__init__("\n".join([*shown, hint] if hint else shown))

    def __reduce__(self) -> Any:
        return type(self), (self.problems, self._hint)


class Problems:
    """Collects what cannot be used."""

    def __init__(self, rows: int) -> None:
        self._found: list[tuple[Longs, str, Callable[[int], Any], str]] = []
        self.usable: Array = np.ones(rows, dtype=bool)  # whether a row has no such entry

    def add(self, wrong: Array, column: str, value: Callable[[int], Any], rule: str) -> None:
        """Adds the rows where `wrong` is true. value: the entry of a row, None for null."""
        rows = np.flatnonzero(wrong)
        if len(rows):
            self._found.append((rows, column, value, rule))
            self.usable[rows] = False

    def all(self) -> list[Problem]:
        found = [
            Problem(row, column, value(row), rule)
            for rows, column, value, rule in self._found
            for row in rows.tolist()
        ]
        return sorted(found, key=lambda problem: problem.row)

    def refuse(self, hint: str = "") -> None:
        """Raises `TableError` if there are entries that cannot be used."""
        if not self.usable.all():
            raise TableError(self.all(), hint)


# ---- Rules of spelling

_NUMERIC = re.compile(r"[\d\W_]*\d[\d\W_]*")

# Punctuation is left out, dashes are spaces. "+", "#", "&", "@" and "%" tell names apart, and stay.
_PUNCTUATION = {
    **dict.fromkeys(map(ord, ".,;:!?'\"`´‘’“”«»()[]{}<>|*")),
    **dict.fromkeys(map(ord, "-‐‑‒–—_/\\"), " "),
}

# What each rule does to a text. Rules are applied in this order.
RULES: dict[str, Callable[[str], str]] = {
    "unicode": lambda text: text if text.isascii() else unicodedata.normalize("NFKC", text),
    "case": str.casefold,
    "punctuation": lambda text: text.translate(_PUNCTUATION),
    "space": lambda text: " ".join(text.split()),
}


def ruled(argument: str, rules: Iterable[str]) -> list[Callable[[str], str]]:
    """Returns the functions of rules. Raises ValueError for a name that is not in RULES."""
    named = _listed(rules)
    for name in named:
        if name not in RULES:
            raise ValueError(f"{argument} has {name!r}, not one of {', '.join(RULES)}")
    return [of for name, of in RULES.items() if name in named]


def spelt(value: Any, rules: Sequence[Callable[[str], str]]) -> Any:
    """Returns a text as it is after some rules; other values unchanged."""
    if isinstance(value, str):
        for rule in rules:
            value = rule(value)
    return value


def all_spelt(values: Sequence[Any], rules: Sequence[Callable[[str], str]]) -> list[Any]:
    """Returns `spelt` of each value. The rules are applied to all texts at once."""
    try:
        joined = "\0".join(values)
    except TypeError:  # not all are texts
        joined = None
    if joined is None or joined.count("\0") != len(values) - 1:
        return [spelt(value, rules) for value in values]
    for rule in rules:
        joined = rule(joined)
    if RULES["space"] in rules:  # a space is left between two texts
        joined = joined.replace(" \0", "\0").replace("\0 ", "\0")
    return joined.split("\0")


def is_number(value: Any) -> bool:
    """Returns whether a value is a text that is a number, an amount, a date or the like."""
    return isinstance(value, str) and _NUMERIC.fullmatch(value) is not None


def normalised(
    column: Codes, rules: Sequence[Callable[[str], str]], numbers: bool
) -> tuple[Codes, int, Array]:
    """Returns a column of keys whose values are equal if they are equal after the rules, how many
    values became equal to others, and which rows have texts that are numbers. Empty texts are null;
    with numbers=False, texts that are numbers are null as well."""
    used = np.flatnonzero(np.bincount(column.codes[column.codes >= 0], minlength=column.count))
    texts = all_spelt(column.values(used.tolist()), rules)
    if numbers and not rules and "" not in texts:
        return column, 0, np.zeros(len(column.codes), dtype=bool)
    known: list[Any] = []
    numbers_of: dict[Any, int] = {}  # of texts that are no keys: -1 if empty, -2 if a number
    for text in dict.fromkeys(texts):
        # A text that begins with a letter is no number.
        if isinstance(text, str) and not text[:1].isalpha():
            number = not numbers and is_number(text)
            if number or not text:
                numbers_of[text] = -2 if number else -1
                continue
        numbers_of[text] = len(known)
        known.append(text)
    found = np.full(column.count + 1, -1, dtype=np.int32)
    found[used] = np.fromiter(map(numbers_of.__getitem__, texts), np.int32, len(texts))
    code_of = np.maximum(found, -1)
    merged = int((code_of >= 0).sum()) - len(known)
    return Codes.of(code_of[column.codes], known), merged, (found == -2)[column.codes]


# ---- Entries


@dataclasses.dataclass(frozen=True)
class Names:
    """The labels, and how to find the label of a value. abstain: the values that say nothing."""

    labels: list[Any]
    _numbers: Mapping[Any, int]
    _rules: Sequence[Callable[[str], str]]

    ABSTAINS = -2
    UNKNOWN = -1

    def number(self, value: Any) -> int:
        """Returns the number of a value's label, or ABSTAINS, or UNKNOWN."""
        try:
            found = self._numbers.get(value)
            if found is None:
                found = self._numbers.get(spelt(value, self._rules), self.UNKNOWN)
        except TypeError:  # not hashable
            return self.UNKNOWN
        return found

    def shown(self) -> str:
        some = ", ".join(map(repr, self.labels[:10]))
        return some + (", ..." if len(self.labels) > 10 else "")


# The scales of confidences, and what is wrong with a number that is none.
SCALES = {
    "probability": "not from 0 to 1",
    "percent": "not from 0 to 100",
    "logarithm": "not a logarithm of a probability, at most 0",
}


@dataclasses.dataclass
class Reader:
    """How entries are read: the arguments of `settle` of these names, which describes them."""

    labels: Sequence[Any] | Mapping[Any, Any] | None
    scale: str = "probability"
    levels: Mapping[str, float] = dataclasses.field(default_factory=lambda: LEVELS)
    missing: float | None = None
    abstain: Any = None
    key_rules: Iterable[str] = ()
    label_rules: Iterable[str] = ()
    numbers: bool = True

    def __post_init__(self) -> None:
        if self.scale not in SCALES:
            raise ValueError(f"scale is {self.scale!r}, not one of {', '.join(map(repr, SCALES))}")
        self.levels = {word.casefold(): share for word, share in self.levels.items()}
        if self.missing is not None:
            self.missing = check_share("missing", self.missing)
        self.key_rules = _listed(self.key_rules)
        self.label_rules = _listed(self.label_rules)
        self.of_keys = ruled("key_rules", self.key_rules)
        self.of_labels = ruled("label_rules", self.label_rules)

    def names(
        self, labels: Sequence[Any] | Mapping[Any, Any] | None, seen: Mapping[Any, int], column: Any
    ) -> Names:
        """labels: the labels; or for each label a list of its other spellings; None: those that are
        seen, of several spellings the commonest. seen: how often each value occurs. column: the
        name of the column in which they are seen."""
        numbers: dict[Any, int] = {}
        for value in [] if self.abstain is None else _listed(self.abstain):
            for text in (value, spelt(value, self.of_labels)):
                numbers[text] = Names.ABSTAINS
        others: list[tuple[int, Any]] = []
        if labels is None:
            commonest: dict[Any, Any] = {}
            for value in sorted(seen, key=lambda value: -seen[value]):
                text = spelt(value, self.of_labels)
                if text != "" and text not in numbers:
                    commonest.setdefault(text, value)
            chosen = set(commonest.values())
            known = [value for value in seen if value in chosen]
            if not known:
                raise ValueError(
                    f"column {column!r} has no label: each entry is null, empty or one of abstain"
                )
        else:
            known = list(labels)
            arrays.distinct("labels", known)
            if not known:
                raise ValueError("labels is empty")
            if isinstance(labels, Mapping):
                for number, spellings in enumerate(labels.values()):
                    others += [(number, value) for value in _listed(spellings or [])]
        for number, label in [*enumerate(known), *others]:
            numbers.setdefault(spelt(label, self.of_labels), number)
        numbers.update({label: number for number, label in enumerate(known)})
        return Names(known, numbers, self.of_labels)

    def shares(self, given: Doubles) -> Doubles:
        """Returns the probabilities that numbers stand for; NaN stays NaN."""
        if self.scale == "percent":
            return given / 100
        return np.exp(given) if self.scale == "logarithm" else given

    def one(self, value: Any) -> float:
        """Returns the probability that a value stands for; NaN if there is none."""
        if isinstance(value, str):
            text = value.strip().casefold()
            if text in self.levels:
                return float(self.levels[text])
            if text.endswith("%"):
                return _within(number_of(text.rstrip("% \u00a0")) / 100)
        return _within(float(self.shares(np.array([number_of(value)]))[0]))

    def alternatives(self, value: Any) -> dict[Any, float] | None:
        """Returns the probabilities of labels that a list of alternatives gives; None if the value
        is no such list. Samples (labels without numbers) count by their shares, with one more
        sample divided among all labels, which is what the sum leaves to 1."""
        if isinstance(value, str):
            if not value.lstrip().startswith(("[", "{")):
                return None
            try:
                value = json.loads(value)
            except ValueError:
                return None
        if isinstance(value, Mapping):
            value = [value] if "label" in value else list(value.items())
        if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
            return None
        found: dict[Any, float] = {}
        entries = list(value)
        samples = all(isinstance(entry, str) or entry is None for entry in entries)
        for entry in entries:
            if samples:
                label, share = entry, 1 / (len(entries) + 1)
            else:
                label, share = self._pair(entry)
            if math.isnan(share):
                return None
            found[label] = found.get(label, 0.0) + share
        total = sum(found.values())
        return {label: share / max(1.0, total) for label, share in found.items()} or None

    def _pair(self, entry: Any) -> tuple[Any, float]:
        if isinstance(entry, Mapping) and "label" in entry:
            for name in ("score", "probability", "confidence"):
                if name in entry:
                    return entry["label"], self.one(entry[name])
            share = np.exp(number_of(entry.get("logprob")))
            return entry["label"], _within(float(share))
        if isinstance(entry, (list, tuple)) and len(entry) == 2:
            return entry[0], self.one(entry[1])
        return None, math.nan


def _listed(given: Any) -> list[Any]:
    return [given] if isinstance(given, str) else list(given)


def _within(number: float) -> float:
    return number if 0 <= number <= 1 else math.nan


def number_of(value: Any) -> float:
    """Returns the number that a value or text is, also with a decimal comma; NaN if none."""
    if isinstance(value, str):
        value = value.replace(",", ".")
    elif isinstance(value, (bool, np.bool_)):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def entry_of(column: Column) -> Callable[[int], Any]:
    """Returns a function from a row to its entry, None for null."""
    codes = functools.cache(column.mixed)
    return lambda row: codes().entry(row)


def confidences(
    column: Column, name: str, reader: Reader, problems: Problems
) -> tuple[Doubles, list[dict[Any, float] | None], Array, int]:
    """Reads a column of confidences or of lists of alternatives. Returns for each row its
    confidence, NaN if it has none; lists of alternatives (and None), and for each row the index of
    its list, -1: none; and how many rows got the confidence `missing` of the reader."""
    given, rule, missing = column.floats(), SCALES[reader.scale], reader.missing
    lists: list[dict[Any, float] | None] = []
    if given is not None:
        null = np.isnan(given)
        shares = reader.shares(given)
        with np.errstate(invalid="ignore"):
            wrong = ~null & ~((shares >= 0) & (shares <= 1))
        of_row = np.zeros(0, dtype=np.int32)
    else:
        codes = column.mixed()
        values = codes.all_values()
        every = [*map(reader.alternatives, values)]
        is_list = codes.each([entry is not None for entry in every], False)
        of_row = np.where(is_list, codes.codes, -1)
        lists = every if is_list.any() else []
        single = [math.nan if a is not None else reader.one(v) for a, v in zip(every, values)]
        shares = codes.each(single, math.nan)
        null = codes.each([isinstance(value, str) and not value.strip() for value in values], True)
        wrong = np.isnan(shares) & ~null & (of_row < 0)
        rule = f"neither a confidence ({rule}) nor one of {', '.join(reader.levels)}"
    problems.add(wrong, name, entry_of(column), rule)
    if missing is None:
        problems.add(null, name, lambda _: None, "")
    else:
        shares = np.where(null, missing, shares)
    return shares, lists, of_row, 0 if missing is None else int(null.sum())


def counts(column: Column, name: str, problems: Problems) -> Longs:
    """Reads a column of counts: integers from 1. Unusable rows have count 1."""
    given = column.floats()
    if given is None:  # texts, as in CSV
        codes = column.mixed()
        given = codes.each(map(number_of, codes.all_values()), math.nan)
    with np.errstate(invalid="ignore"):
        right = (given >= 1) & (given <= 2**31 - 1) & (given == np.floor(given))
    problems.add(~right, name, entry_of(column), f"not an integer from 1 to {2**31 - 1}")
    return np.where(right, given, 1).astype(np.int64)


def check_share(name: str, value: Any) -> float:
    share = arrays.real(name, value)
    if not 0 <= share <= 1:
        raise ValueError(f"{name} is {share}; it must be from 0 to 1")
    return share
