"""Settles the labels of tables of mentions: one label for each key, unless the key is really two.

It takes the place of a function that merges labels by a majority vote, by the last one, or by
discarding what differs, and takes tables as they come.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Union

import numpy as np

from . import _arrays as arrays
from . import _declarations as c
from . import _review
from ._columns import Array, Doubles, Ints, Longs
from ._evidence import Evidence, settled
from ._given import LEVELS, RULES, Reader
from ._handle import optional
from ._reading import Reading, log
from ._tables import Labels, texts_in

#: The columns that `settle` adds.
NAMES = ("together", "probability", "changed", "why", "conflict")

# Type of a key: one column, or several columns whose values together are the key.
Key = Union[str, "tuple[str, ...]"]
Scale = Literal["probability", "percent", "logarithm"]
Confidence = Union[float, str, Sequence[str], Mapping[Any, str], None]


@dataclasses.dataclass(frozen=True)
class Question:
    """A question to a person: what are the mentions of this key?

    key       the key as in the first of its rows; a tuple if it has several columns, or a group
    row       one of its rows; `Settled.answer` takes it as the name of the question
    rows      the numbers of some of its rows, up to three of each label
    labels    the labels of its mentions, and how many have each, most first
    proposed  the label of all of them at present; None: each has its own
    expected  how many rows are expected to change by the answer
    """

    key: Any
    row: int
    rows: list[int]
    labels: dict[Any, int]
    proposed: Any
    expected: float

    def __str__(self) -> str:
        parts = self.key if isinstance(self.key, tuple) else (self.key,)
        many = ", ".join(f"{count} {label}" for label, count in self.labels.items())
        return f"What is {' / '.join(map(repr, parts))}? Its mentions: {many}"


class Settled:
    """The result of `settle`. str() says what happened; `table` is the table with more columns.

    labels     all labels
    codes      the label of each row, as an index into `labels`; -1: none, or as it was
    probability  how probable it is; NaN: it takes no part
    changed    whether it is another label than before
    conflict   whether the row's key has mentions that disagree, and evidence does not settle which
               label is right
    evidence   what decided
    gain       how many more rows are expected to be right, if confidences are calibrated
    tested     {"rows", "before", "after"}: of rows with gold labels, how many were right, and are
               now; None without gold
    problems   the entries that could not be used
    read_as    {what was done to entries: how many}
    left_alone {why rows take no part, or were not settled: how many}
    """

    def __init__(self, read: Reading, evidence: Evidence | None, names: Sequence[str]) -> None:
        self._read, self._names = read, list(names)
        self._answers: Ints = np.full(read.mentions.keys, c.CHORALE_NO_ANSWER, dtype=np.int32)
        self.labels = read.names.labels
        self.problems = read.problems.all()
        self.read_as = {what: count for what, count in read.told.items() if count}
        self._settle(evidence)

    def _settle(self, evidence: Evidence | None) -> None:
        read, mentions = self._read, self._read.mentions
        self.evidence, self._rows, self._keys = settled(mentions, evidence, self._answers)
        self.codes: Ints = np.where(read.part, self._rows["label"], -1).astype(np.int32)
        self.conflict: Array = np.append(self._keys["conflict"] > 0, False)[mentions.key]
        self.changed: Array = (self._rows["changed"] > 0) & read.part
        self.probability: Doubles = np.where(read.part, self._rows["probability"], np.nan)
        some = self.changed & (mentions.label >= 0)
        self.gain = float((self.probability - self._rows["probability_before"])[some].sum())
        self.left_alone = {why: count for why, count in read.alone.items() if count}
        if self.conflict.any():
            why = "evidence does not settle the label of the key"
            self.left_alone[why] = int(self.conflict.sum())
        self.tested: dict[str, int] | None = None
        if mentions.gold is not None:
            known = mentions.gold >= 0
            now = np.where(read.part, self.codes, mentions.label)
            self.tested = {
                "rows": int(known.sum()),
                "before": int((mentions.label == mentions.gold)[known].sum()),
                "after": int((now == mentions.gold)[known].sum()),
            }

    # ---- What happened

    @property
    def conflicts(self) -> int:
        """The number of keys that evidence does not settle."""
        return int(self._keys["conflict"].sum())

    def __str__(self) -> str:
        read = self._read
        key = read.mentions.key
        shared = np.bincount(key[key >= 0], minlength=read.mentions.keys)
        lines = [
            f"{read.table.rows} rows, {int(shared[shared > 1].sum())} of them share "
            f"{int((shared > 1).sum())} keys",
            f"{int(self.changed.sum())} rows changed; {self.gain:.1f} more rows are expected to be "
            "right",
            f"{self.conflicts} keys are not settled",
            str(self.evidence),
        ]
        if self.tested is not None:
            lines.append(
                "of {rows} rows with gold, {before} were right, {after} are".format(**self.tested)
            )
        lines += [f"read: {what}: {count}" for what, count in self.read_as.items()]
        lines += [f"left alone: {why}: {count} rows" for why, count in self.left_alone.items()]
        return "\n".join(lines)

    __repr__ = __str__

    @property
    def table(self) -> Any:
        """The caller's table with five more columns: together, the label; probability; changed;
        why, in words: for a row that changed, or that is left alone; and conflict."""
        read = self._read
        codes, values = self.codes, list(self.labels)
        as_it_was = np.flatnonzero(codes < 0)
        if read.column is not None and len(as_it_was):
            # Entries that are no label stay as they are.
            codes = codes.copy()
            had = read.column.codes[as_it_was]
            some, number = np.unique(had[had >= 0], return_inverse=True)
            codes[as_it_was[had >= 0]] = len(values) + number
            values += read.column.values(some.tolist())
        new = (
            Labels(codes, values, read.label),
            self.probability,
            self.changed,
            self._why(),
            self.conflict,
        )
        return read.table.extended(dict(zip(self._names, new)))

    def _votes(self, keys: Longs) -> list[dict[int, int]]:
        """Returns for each of some keys how many of its mentions had each label, most first."""
        mentions = self._read.mentions
        place = np.full(mentions.keys + 1, -1)
        place[keys] = np.arange(len(keys))
        rows = np.flatnonzero((place[mentions.key] >= 0) & (mentions.label >= 0))
        pairs = place[mentions.key[rows]] * mentions.labels + mentions.label[rows]
        found, at = np.unique(pairs, return_inverse=True)
        counts = np.bincount(at, None if mentions.times is None else mentions.times[rows])
        of, label = found // mentions.labels, found % mentions.labels
        order = np.lexsort((label, -counts, of))
        votes: list[dict[int, int]] = [{} for _ in keys]
        for key, v, count in zip(*(column[order].tolist() for column in (of, label, counts))):
            votes[key][v] = int(count)
        return votes

    def _why(self) -> Array:
        read, key = self._read, self._read.mentions.key
        labels = [str(label) for label in self.labels]
        rows = np.flatnonzero((self.changed | self.conflict) & read.part)
        keys, of = np.unique(key[rows].astype(np.int64), return_inverse=True)
        names = [self._quoted(name) for name in self._key_names(keys)]
        unsettled = np.flatnonzero(np.append(self._keys["conflict"] > 0, False)[keys])
        said: dict[int, str] = {}
        for place, votes in zip(unsettled.tolist(), self._votes(keys[unsettled])):
            many = ", ".join(f"{count} {labels[v]}" for v, count in votes.items())
            said[place] = f"not settled: {names[place]} is {many}"
        settled = np.append(self._keys["label"] >= 0, False)[key[rows]]
        why = self._rows[rows]
        texts = []
        for place, label, own, is_settled, before, others in zip(
            *(of.tolist(), self.codes[rows].tolist(), read.mentions.label[rows].tolist()),
            *(settled.tolist(), why["agreeing_before"].tolist(), why["others"].tolist()),
        ):
            if place in said:
                texts.append(said[place])
            elif is_settled and others:
                texts.append(
                    f"{before} of {others} other mentions of {names[place]} were {labels[label]}, "
                    f"{others} of {others} are now"
                )
            else:
                texts.append(
                    f"by its own confidence it is {labels[label]} rather than {labels[own]}"
                )
        alone = {
            problem.row: f"left alone: {problem.what}"
            for problem in self.problems
            if not read.part[problem.row]
        }
        rows = np.concatenate([rows, np.array(list(alone), dtype=np.int64)])
        return texts_in(read.table.rows, rows, [*texts, *alone.values()])

    def _key_names(self, keys: Longs) -> list[Any]:
        """Returns the values of keys, as they are in their first rows."""
        read, key = self._read, self._read.mentions.key
        row = np.empty(read.mentions.keys + 1, dtype=np.int64)
        row[key[::-1]] = np.arange(len(key))[::-1]  # the first row of each
        return self._names_in(row[keys])

    def _names_in(self, rows: Any) -> list[Any]:
        """Returns the values of keys in some rows."""
        of = [column.values(column.codes[rows].tolist()) for column in self._read.columns]
        return of[0] if len(of) == 1 else list(zip(*of))

    def _quoted(self, key: Any) -> str:
        if not isinstance(key, tuple):
            return f"'{key}'"
        parts = [f"'{part}'" for part in key]
        if self._read.group is None:
            return " and ".join(parts)
        return " and ".join(parts[:-1]) + f" in this {self._read.group}"

    # ---- Review

    def review(self, count: int = 10) -> list[Question]:
        """Returns the questions by whose answers most rows are expected to change, best first.

        For each answer that a question may have, the rows that change by it are counted; the
        expectation weighs them by how probable the answers are. Where evidence does not settle a
        key, it counts as even whether the key is one thing or several, and labels as they are
        voted for.
        """
        count = arrays.integer("count", count)
        if count < 0:
            raise ValueError(f"count is {count}; it must be at least 0")
        mentions, expected = self._read.mentions, self._keys["expected"]
        best = np.argsort(-expected, kind="stable")[:count]
        best = best[expected[best] > 0]
        order = np.argsort(mentions.key, kind="stable")
        begins, ends = (
            np.searchsorted(mentions.key, best, side, order).tolist() for side in ("left", "right")
        )
        questions = []
        for name, key, votes, begin, end in zip(
            self._key_names(best), best.tolist(), self._votes(best), begins, ends
        ):
            of = order[begin:end]
            some = [of[mentions.label[of] == v][:3] for v in votes]
            proposed = self._keys["label"][key]
            questions.append(
                Question(
                    key=name,
                    row=int(of[0]),
                    rows=np.concatenate([*some, of[:0]]).tolist(),
                    labels={self.labels[v]: count for v, count in votes.items()},
                    proposed=None if proposed < 0 else self.labels[proposed],
                    expected=float(expected[key]),
                )
            )
        return questions

    def page(self, count: int = 20) -> str:
        """Returns a page in HTML that says what happened and shows the questions of `review` with
        their rows. A person chooses answers on it and saves them, as a file of JSON lines that
        `libchorale settle --answers` reads, or this: `settled.answer({line["row"]: line["answer"]
        for line in map(json.loads, open("answers.jsonl"))})`."""
        sections = []
        for question in self.review(count):
            keys = self._names_in(question.rows)
            codes = self._read.mentions.label[question.rows].tolist()
            rows = zip(question.rows, keys, [self.labels[code] for code in codes])
            sections.append(_review.section(question, self.labels, rows))
        return _review.page(str(self), sections)

    def answer(self, answers: Mapping[int, Any]) -> Settled:
        """Returns the result with answers of a person: {question.row: label} for the label of all
        mentions of the question's key; None as the label: they differ, each keeps its own. All
        other keys stay as they are.
        """
        made = copy.copy(self)
        made._answers = self._answers.copy()
        for row, label in answers.items():
            if not 0 <= row < len(self.codes):
                raise ValueError(f"answers has row {row}, of {len(self.codes)} rows")
            key = int(self._read.mentions.key[row])
            number = c.CHORALE_ANSWER_DIFFERS if label is None else self._read.names.number(label)
            if key < 0:
                raise ValueError(f"answers has row {row}, which has no key")
            if label is not None and number < 0:
                raise ValueError(f"answers has {label!r} for row {row}, not one of the labels")
            made._answers[key] = number
        made._settle(self.evidence)
        return made


# ---- Reading


def settle(
    table: Any,
    *,
    key: Key,
    label: str | None = None,
    confidence: Confidence = None,
    group: str | None = None,
    labels: Sequence[Any] | Mapping[Any, Any] | None = None,
    scale: Scale = "probability",
    levels: Mapping[str, float] = LEVELS,
    missing: float | None = None,
    abstain: Any = None,
    count: str | None = None,
    key_rules: Iterable[str] = tuple(RULES),
    label_rules: Iterable[str] = ("unicode", "case", "space"),
    numbers: bool = False,
    partial: bool = False,
    unusable: Literal["raise", "keep", "fill"] = "raise",
    evidence: Evidence | None = None,
    gold: str | None = None,
    names: Sequence[str] = NAMES,
) -> Settled:
    """Gives all mentions of a key one label, unless the key is really two things. What decides is
    found from the table. Where several keys ought to agree at once, or agreement is to be worth as
    much as you say, use `agree`. Rests on experimental calls of C: may change in any version.

    table       a pandas, Polars or pyarrow table, a DuckDB relation, or a list of dicts. Each row
                is a mention of something
    key         the column of keys, such as the name; a tuple of columns is one key. Rows whose key
                is null, or a text that is a number, take no part
    label       the column of labels. None: the best of the alternatives, or of the columns of
                scores
    confidence  how probable the label is: a number for all rows, or a column (an integer is a
                column if one has this name). Entries may be numbers, texts ("0.83", "85 %"), words
                ("high", see `levels`), or alternatives: a list or JSON of labels with their
                probabilities, or of labels that were sampled. A dict {label: column}, a list of
                columns, or a column of lists of numbers has the scores of all labels. None: 0.8
    group       the column of documents: keys are settled within a document. None: in the whole
                table
    labels      all labels; a dict {label: [other spellings]}. None: those that occur
    scale       of numbers without a percent sign
    levels      what words mean as confidences
    missing     the confidence of rows without one. None: such rows cannot be used
    abstain     a label, or several, by which a row says nothing. It gets the label of its key
    count       a column of integers from 1: how many equal rows each row stands for
    key_rules   how keys may differ and yet be equal: "unicode" (full-width letters, ligatures and
                the like), "case", "punctuation", "space"
    label_rules the same for labels
    numbers     True: texts that are numbers are keys as well
    partial     True: a name of one word is the longer name that begins or ends with it ("Kahlo"
                after "Frida Kahlo"), if the group has only one such name, and this came before
    unusable    what to do if entries cannot be used (labels that are null or unknown, confidences
                that are none): "raise" raises `TableError`, which names all of them. "keep" leaves
                their rows as they are: they take no part, and `why` says so. "fill" gives them the
                label of their key, for which they have no vote
    evidence    what decides. None: it is estimated from the table; see `Evidence`
    gold        a column with right labels of some rows, null elsewhere: the evidence is learnt from
                them, and tested on keys left out
    names       names of the new columns, which must not exist yet

    >>> rows = [{"name": "ACME Corp.", "type": "ORG", "sure": "95 %"},
    ...         {"name": "Acme  corp", "type": "org", "sure": "high"},
    ...         {"name": "acme corp", "type": "PERSON", "sure": 0.6}]
    >>> settled = settle(rows, key="name", label="type", confidence="sure")
    >>> [row["together"] for row in settled.table]
    ['ORG', 'ORG', 'ORG']
    """
    reader = Reader(labels, scale, levels, missing, abstain, key_rules, label_rules, numbers)
    arrays.chosen("unusable", unusable, dict.fromkeys(("raise", "keep", "fill"), 0))
    if evidence is not None and gold is not None:
        raise ValueError("evidence and gold exclude each other")
    read = Reading(table, reader, label, group)
    read.table.check(key=key, group=group, gold=gold)
    names = read.table.new_columns(names, len(NAMES))
    read.read(confidence, count)
    if unusable == "raise":
        read.problems.refuse('unusable="keep" leaves such rows as they are')
    read.part = read.problems.usable | (unusable == "fill")
    read.read_key(key, group, partial)
    if gold is not None:
        read.mentions.gold = read.gold(gold)
    made = Settled(read, optional("evidence", evidence, Evidence), names)
    log.info("%s", made)
    return made
