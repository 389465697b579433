"""Labels tables of mentions so that labels agree, in one call.

A row is a mention, for instance of a name in a text, with the label that a tagger or a language
model gave it, and the probability of that label. Rows with the same key should have the same label.
"""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Literal, Union

import numpy as np

from . import _arrays as arrays
from ._agreements import check_strength
from ._columns import Array, Codes, Longs, together
from ._learnt import LearnProgress, Learnt, learn
from ._mentions import (
    AllScores,
    Confidences,
    Ints,
    Keyed,
    Mentions,
    Repeated,
    Scores,
    Weights,
    blocks,
    cliques_of,
    plain_weights,
)
from ._progress import Bar, Bars
from ._tables import Labels, Table, Texts, opened
from .collective import agreeing
from .run import Progress

# Type of a key: one column, or several columns whose values together are the key.
Key = Union[str, "tuple[str, ...]"]

#: The columns that `agree` adds.
NAMES = ("together", "probability", "changed", "why")

# The most equal rows that a row may stand for, and that the rows with one key may stand for in all.
MOST = 2**31 - 1

log = logging.getLogger("libchorale")

# The probability of a row's label if the caller gives no confidence.
CONFIDENCE = 0.8


@dataclasses.dataclass(frozen=True)
class Strengths:
    """The result of `learn_strengths`, for `agree(strength=...)`. str() gives lines of text for
    people. Can be pickled.

    keys    the keys, as they were given
    labels  the labels; the learnt weights refer to them by their numbers in this list
    learnt  the result of learning; the cliques of keys[k] are of kind k
    """

    keys: list[Key]
    labels: list[Any]
    learnt: Learnt

    def __str__(self) -> str:
        return str(self.learnt)

    def _weights(self, keys: list[Key]) -> list[Weights]:
        if keys != self.keys:
            raise ValueError(f"strength was learnt for the keys {self.keys}, not {keys}")
        values = len(self.labels)
        one = np.eye(values, dtype=np.int64)
        found = []
        for kind in range(len(keys)):
            potential = self.learnt.potential(kind, values)
            alone = np.array([potential.evaluate(counts) for counts in one])
            # With strength s and bonuses b, the potential of one member with label v is s + b_v,
            # and that of two members with the labels 0 and 1 is s + b_0 + b_1.
            strength = alone[:2].sum() - potential.evaluate(one[0] + one[1]) if values > 1 else 0.0
            if (alone == alone[0]).all():
                found.append(Weights(strength))
            else:  # learnt by 0.2
                found.append(Weights(strength, alone - strength, potential))
        return found


def tell(strengths: Strengths) -> None:
    """Logs what was learnt; as a warning if nothing of it is applied."""
    if strengths.learnt.report["applied"]:
        log.info("strengths were learnt from the right labels\n%s", strengths)
    else:
        log.warning(
            "no strength is applied, so that agreement changes nothing\n%s",
            strengths,
        )


def _tell_of_keys(read: _Read) -> None:
    """Logs a warning for keys that are no names: that nearly every row has for itself, or that are
    numbers with fractions."""
    for keyed in read.keyed:
        key = " and ".join(repr(name) for name in keyed.names)
        rows = int(np.all([column.codes >= 0 for column in keyed.columns], axis=0).sum())
        shared = int((keyed.codes >= 0).sum())
        if rows >= 20 and shared * 10 < rows:
            log.warning("only %d of %d rows share their %s: is it a name?", shared, rows, key)
        for column in keyed.columns:
            some = column.values(range(column.count)[:100])
            if any(isinstance(value, float) and not value.is_integer() for value in some):
                log.warning("%s is a number with a fraction: is it a name?", key)


Strength = Union[float, Sequence[float], Strengths, None]
Scale = Literal["probability", "logarithm"]
Confidence = Union[float, str, Sequence[str], Mapping[Any, str], None]


# ---- Arguments


@dataclasses.dataclass
class _Read:
    """A table and its checked arguments. labels: the names of all labels. before: the label of each
    row in the column of labels, as an index into `labels`; None if there is no such column."""

    table: Table
    labels: list[Any]
    scores: Scores
    before: Ints | None
    keyed: list[Keyed]
    keys: list[Key]
    group: Codes | None
    times: Longs | None  # how many rows each stands for; scores are then Repeated. None: one


def _column(table: Table, argument: str, name: Any) -> Any:
    if name not in table.names:
        known = ", ".join(repr(known) for known in table.names)
        raise ValueError(f"{argument}: there is no column {name!r} (columns: {known})")
    return table.column(name)


def is_column(names: Sequence[Any], confidence: Any) -> bool:
    """Returns whether a confidence names a column: a text does, and an integer if it is a name."""
    return isinstance(confidence, str) or (type(confidence) is int and confidence in names)


def _read(
    table: Any,
    key: Key | Sequence[Key],
    label: str | None,
    confidence: Confidence,
    group: str | None,
    labels: Sequence[Any] | None,
    scale: Scale,
    across: bool | Sequence[bool],
    minimum: int,
    more: Sequence[Any] = (),
    count: str | None = None,
) -> _Read:
    """Reads a table and checks the arguments. more: labels that the result may have, besides those
    that occur in the column of labels."""
    opening = opened(table)
    if scale not in ("probability", "logarithm"):
        raise ValueError(f"scale is {scale!r}, neither 'probability' nor 'logarithm'")
    one = isinstance(key, (str, tuple)) or not isinstance(key, Iterable)
    keys: list[Any] = [key] if one else list(key)
    if not keys or () in keys:
        raise ValueError(f"key is {key!r}; it names at least one column")
    minimum = arrays.integer("minimum", minimum)
    if minimum < 2:
        raise ValueError(f"minimum is {minimum}; it must be at least 2")
    found = None if label is None else _column(opening, "label", label).encoded()
    known, scores = _scores(opening, found, label, confidence, labels, scale, more)
    before = None
    if found is not None:
        before = _numbers_of_labels(
            f"column {label!r}", found, known, isinstance(scores, AllScores)
        )
        if isinstance(scores, AllScores) and (before < 0).any():
            before = np.where(before < 0, scores.best()[0], before).astype(np.int32)
    groups = None if group is None else _column(opening, "group", group).encoded()
    if groups is not None and (groups.codes < 0).any():
        raise ValueError(f"column {group!r} is null in row {int(np.argmax(groups.codes < 0))}")
    wide = [across] * len(keys) if isinstance(across, (bool, np.bool_)) else list(across)
    if len(wide) != len(keys):
        raise ValueError(f"across has {len(wide)} entries for {len(keys)} keys")
    times = None if count is None else _times(opening, count)
    if times is not None:
        scores = Repeated(scores, times)
    keyed = []
    for entry, over in zip(keys, wide):
        names = entry if isinstance(entry, tuple) else (entry,)
        columns = [_column(opening, "key", name).encoded() for name in names]
        inside = [] if groups is None or over else [groups]
        codes, cliques = together([*columns, *inside])
        codes, cliques, sizes = cliques_of(codes, cliques, minimum, times)
        if len(sizes) and sizes.max() > MOST:
            clique = int(np.argmax(sizes > MOST))
            raise ValueError(
                f"column {count!r} adds up to {sizes[clique]} over the rows with the key of row "
                f"{int(np.argmax(codes == clique))}; the sum may be at most {MOST}"
            )
        keyed.append(Keyed(codes, cliques, sizes, columns, names, bool(over)))
    return _Read(opening, known, scores, before, keyed, keys, groups, times)


def _times(table: Table, count: str) -> Longs:
    given = _column(table, "count", count).numbers()
    right = (given >= 1) & (given <= MOST) & (given == np.floor(given))
    if not right.all():
        row = int(np.argmin(right))
        raise ValueError(
            f"column {count!r} is {float(given[row]):.15g} in row {row}, not an integer from 1 to "
            f"{MOST}"
        )
    times: Longs = given.astype(np.int64)
    return times


def _numbers_of_labels(place: str, found: Codes, known: list[Any], nulls: bool) -> Ints:
    """Returns for each row of a column the index of its label in `known`. nulls: True: null gives
    -1; False: null raises ValueError."""
    number = {value: index for index, value in enumerate(known)}
    values = found.all_values()
    if not nulls and (found.codes < 0).any():
        raise ValueError(f"{place} is null in row {int(np.argmax(found.codes < 0))}")
    for code, value in enumerate(values):
        if value not in number:
            row = int(np.argmax(found.codes == code))
            shown = ", ".join(map(repr, known[:10])) + (", ..." if len(known) > 10 else "")
            raise ValueError(f"{place} holds {value!r} in row {row}, not one of the labels {shown}")
    return np.array([*(number[value] for value in values), -1], dtype=np.int32)[found.codes]


def _scores(
    table: Table,
    found: Codes | None,
    label: str | None,
    confidence: Confidence,
    labels: Sequence[Any] | None,
    scale: Scale,
    more: Sequence[Any],
) -> tuple[list[Any], Scores]:
    """Returns the names of all labels, and the scores of all rows."""
    known = None if labels is None else list(labels)
    if known is not None:
        arrays.distinct("labels", known)
    seen = [] if found is None else found.all_values()
    one = confidence is None or isinstance(confidence, (int, float))
    named = is_column(table.names, confidence)
    if named:
        kind = _column(table, "confidence", confidence)
        try:
            column = kind.numbers()
        except TypeError:
            every = kind.lists()
            if known is None:
                if found is not None:
                    raise TypeError(
                        "labels is missing: it says whose scores the lists of column "
                        f"{confidence!r} hold, in their order"
                    ) from None
                known = list(range(every.shape[1]))
            if len(known) != every.shape[1]:
                raise ValueError(
                    f"column {confidence!r} has lists of {every.shape[1]} for {len(known)} labels"
                ) from None
            _check_scores(confidence, every, scale)
            return known, AllScores(every, scale == "logarithm")
        one = True
    if not one:
        assert not isinstance(confidence, (str, float, int)) and confidence is not None
        return _columns_of_scores(table, confidence, known, scale)
    if found is None:
        raise TypeError("label is missing: one confidence says nothing without it")
    if scale != "probability":
        raise ValueError("scale is 'logarithm'; with one confidence a row it must be 'probability'")
    if known is None:
        known = list(dict.fromkeys([*seen, *more]))
    codes = _numbers_of_labels(f"column {label!r}", found, known, False)
    if named:
        _check_scores(confidence, column, scale)
    else:
        share = CONFIDENCE if confidence is None else arrays.real("confidence", confidence)
        if not 0 <= share <= 1:
            raise ValueError(f"confidence is {share}; it must be from 0 to 1")
        column = np.full(table.rows, share, dtype=np.float32)
    return known, Confidences(codes, column, len(known))


def _columns_of_scores(
    table: Table, confidence: Sequence[str] | Mapping[Any, str], known: list[Any] | None, scale: Any
) -> tuple[list[Any], Scores]:
    if isinstance(confidence, Mapping):
        if known is not None and set(known) != set(confidence):
            raise ValueError(
                f"labels is {known}; it must be the keys of confidence, {[*confidence]}"
            )
        known = list(confidence) if known is None else known
        names = [confidence[entry] for entry in known]
    else:
        names = list(confidence)
        known = list(names) if known is None else known
    if not names:
        raise ValueError("confidence is empty; it names at least one column")
    if len(names) != len(known):
        raise ValueError(f"confidence has {len(names)} columns for {len(known)} labels")
    columns = [_column(table, "confidence", name).numbers() for name in names]
    double = scale == "logarithm" and any(column.dtype == np.float64 for column in columns)
    every = np.empty((table.rows, len(names)), np.float64 if double else np.float32)
    for number, (name, column) in enumerate(zip(names, columns)):
        _check_scores(name, column, scale)
        every[:, number] = column
    return known, AllScores(every, scale == "logarithm")


def _check_scores(name: Any, scores: Array, scale: Scale) -> None:
    """Raises ValueError if a score of a column, one in each row or several, is not allowed by the
    scale."""
    right = np.isfinite(scores) if scale == "logarithm" else (scores >= 0) & (scores <= 1)
    if not right.all():
        row = np.argwhere(~right)[0]
        rule = "a finite number" if scale == "logarithm" else "from 0 to 1"
        value = float(scores[tuple(row)])
        raise ValueError(f"column {name!r} is {value!r} in row {row[0]}, not {rule}")


def _weights(strength: Strength, read: _Read) -> list[Weights]:
    if isinstance(strength, Strengths):
        return strength._weights(read.keys)
    count = len(read.keys)
    if strength is None:
        return [Weights(_default_strength(read))] * count
    given = [strength] * count if isinstance(strength, (int, float)) else list(strength)
    if len(given) != count:
        raise ValueError(f"strength has {len(given)} entries for {count} keys")
    weights = plain_weights(given)
    for number, of in enumerate(weights):
        check_strength(f"strength[{number}]", of.strength)
        if read.times is not None and of.strength < 0:
            raise ValueError(f"strength[{number}] is {of.strength}; with count it must be >= 0")
    return weights


def _default_strength(read: _Read) -> float:
    """Returns the default strength: three quarters of the median margin of the rows with shared
    keys, divided by the number of keys. The margin of a row is its best score minus its second-best
    score; rows with margin 0 are left out.

    Reason: let all n rows of a key have the margin d, and let k of them have another label than the
    rest. These k rows change together if strength / n * 2 k (n - k) > k d, that is if
    n - k > n d / (2 strength). With strength = 3/4 d this is n - k > 2/3 n: more than two thirds
    prevail. The margins of the w rows that a row stands for add up to its own.
    """
    _, margins = read.scores.best()
    shared = np.any([keyed.codes >= 0 for keyed in read.keyed], axis=0) & (margins > 0)
    ahead = margins[shared]
    if not len(ahead):
        return 1.0
    if read.times is None:
        middle = float(np.median(ahead))
    else:
        times = read.times[shared]
        ahead = ahead / times
        order = np.argsort(ahead, kind="stable")
        ends = np.cumsum(times[order])
        both = np.searchsorted(ends, [(ends[-1] - 1) // 2, ends[-1] // 2], side="right")
        middle = float(ahead[order[both]].mean())
    return 0.75 / len(read.keys) * middle


# ---- The calls


def agree(
    table: Any,
    *,
    key: Key | Sequence[Key],
    label: str | None = None,
    confidence: Confidence = None,
    group: str | None = None,
    labels: Sequence[Any] | None = None,
    scale: Scale = "probability",
    across: bool | Sequence[bool] = False,
    strength: Strength = None,
    gold: str | None = None,
    count: str | None = None,
    minimum: int = 2,
    names: Sequence[str] = NAMES,
    threads: int = 1,
    rounds: int = 10,
    time_limit: float | None = None,
    progress: Bars = None,
) -> Any:
    """Labels mentions so that rows with the same key agree. Returns the same table with four more
    columns. For most tables `settle` is the right call: it takes them as they come. This one is for
    several keys at once, and for agreement that is worth as much as you say.

    table       a pandas, Polars or pyarrow table, a DuckDB relation, any other object with an Arrow
                stream of rows (the result is then a `pyarrow.Table`), or a list of dicts. Each
                row is a mention. All except pandas and lists need `libchorale[tables]`
    key         the column of keys, such as the name; rows with equal keys should have one label. A
                tuple of columns is one key; a list has several keys. A row whose key is null agrees
                with no other row
    label       the column of labels: texts, integers, categories. Not needed if `confidence` gives
                scores of all labels: then the label before is the one with the highest score
    confidence  the probability that a row's label is right: a number from 0 to 1, or a column of
                such numbers (an integer is a column if one has this name); the other labels share
                the rest equally, so that below 1 / (number of labels) they are each more likely.
                None: 0.8. Or scores of all labels: a list of columns, a dict from labels to
                columns, or one column of lists
    group       the column of documents: equal keys agree only within a document. None: in the whole
                table
    labels      all labels. None: those in the column of labels, or the names of the columns of
                scores. Required, in the order of the lists, if there are both a column of labels
                and a column of lists of scores
    scale       the form of scores of all labels: "probability", or "logarithm" (log-probabilities,
                or logits)
    across      True: equal keys agree across groups; or a list of such values, one for each key
    strength    strength of agreement as in `decode`: a number, a list with a number for each key,
                or the `Strengths` of `learn_strengths`. A row that changes to the label of all
                n - 1 others gains (2 - 2 / n) * strength, and loses the log-odds of its own label.
                None: 3/4 of the median log-odds, divided by the number of keys. Then, if all rows
                of a key are equally sure, a majority of more than two thirds prevails. Where
                agreement and scores balance exactly, rows keep their labels. From -1e9 to 1e9
    gold        a column with the right labels of some rows, null elsewhere: strengths are learnt
                from it, as by `learn_strengths`. Rows are not forced to have their right labels.
                The logger "libchorale" gets what was learnt, as a warning if none of it is applied
    count       a column of integers from 1: how many equal rows each row stands for. Labels are those
                that the equal rows would get; the probability is that of one of them. Strengths
                must not be negative
    minimum     rows with the same key agree only if there are at least so many of them
    names       names of the new columns, which must not exist yet
    threads, rounds, time_limit  as in `Run`
    progress    progress bar for work of over a second. None: a bar of tqdm, if it is installed and
                the standard error is a terminal; False: no bar; otherwise a function called like
                tqdm

    The new columns:

    together     the label, of the type of the label column
    probability  how probable this label is: the softmax, over all labels, of the best total score
                 found if this row has the label. The total score is the sum of log-probabilities
                 and agreement. For each label two labellings are tried: only this row changes to
                 the label, or all rows that keys connect with it change. This is not a marginal
                 probability, and mostly higher than that, since it takes the best labelling with
                 each label, not the sum over all of them. How well it is calibrated depends on the
                 strength
    changed      whether the label differs from the label before
    why          for changed rows a text that says how many other mentions had the new label before,
                 and how many have it now; otherwise null

    Raises TypeError and ValueError, which name column and row, for missing or repeated columns,
    keys of mixed types, confidences outside 0 to 1, unknown labels, nulls except in keys, and a
    table without rows.

    >>> rows = [{"name": "Jordan", "type": kind} for kind in ["PERSON"] * 4 + ["ORG"]]
    >>> agree(rows, key="name", label="type", confidence=0.8)[4]["why"]
    "4 of 4 other mentions of 'Jordan' were PERSON, 4 of 4 are now"
    """
    until = arrays.deadline("time_limit", time_limit)
    names = list(names)
    if len(names) != 4 or len(set(names)) != 4:
        raise ValueError(f"names is {names}; it must have four different names of new columns")
    if gold is not None:
        if strength is not None:
            raise ValueError("strength and gold exclude each other")
        if count is not None:
            raise ValueError("count and gold exclude each other: strengths are learnt without")
        strength = learn_strengths(
            table,
            gold=gold,
            key=key,
            label=label,
            confidence=confidence,
            group=group,
            labels=labels,
            scale=scale,
            across=across,
            minimum=minimum,
            threads=threads,
            progress=progress,
        )
        tell(strength)
    with Bar(progress, "agree", rounds + 4) as bar:
        if isinstance(strength, Strengths):
            labels = _labels_of(strength, labels)
        read = _read(
            table, key, label, confidence, group, labels, scale, across, minimum, (), count
        )
        for name in names:
            if name in read.table.names:
                raise ValueError(f"column {name!r} is there already; choose other names")
        _tell_of_keys(read)
        bar.step()
        weights = _weights(strength, read)
        mentions = Mentions(read.scores, read.keyed, weights, read.times, read.before)
        bar.step()
        options = {"rounds": rounds, "threads": threads}
        codes = mentions.solve(options, until, _rounds(bar))
        bar.step()
        before = mentions.own if read.before is None else read.before
        found = mentions.probabilities(codes, before)
        changed = codes != before
        like = label if read.before is not None else None
        new = {
            names[0]: Labels(codes, read.labels, like),
            names[1]: found.probability,
            names[2]: changed,
            names[3]: _why(read, mentions, group, codes, before, np.flatnonzero(changed)),
        }
        return read.table.extended(new)


def _rounds(bar: Bar) -> Callable[[Progress], None]:
    """Returns a progress function that moves a bar by one step for each round, but leaves two steps
    for the work after the rounds."""

    def told(_: Progress) -> None:
        assert bar.left is not None
        if bar.left > 2:
            bar.step()

    return told


def _labels_of(strengths: Strengths, labels: Sequence[Any] | None) -> list[Any]:
    if labels is not None and list(labels) != strengths.labels:
        raise ValueError(f"labels is {[*labels]}; it must be that of strength, {strengths.labels}")
    return strengths.labels


def _why(
    read: _Read, mentions: Mentions, group: str | None, codes: Ints, before: Ints, rows: Longs
) -> Texts:
    names = [str(label) for label in read.labels]
    now = [names[code] for code in codes[rows].tolist()]
    several = len(read.keyed) > 1
    parts: list[list[tuple[float, str]]] = [[] for _ in now] if several else []  # amount, text
    texts: list[str] = [""] * len(now)
    for number, keyed in enumerate(read.keyed):
        where = "" if group is None or keyed.across else f" in this {group}"
        found = mentions.reasons(number, rows, before, codes)
        cliques, which = np.unique(found.cliques, return_inverse=True)
        keys = keyed.shown(cliques, several)
        words = [f"other mentions {of}{where} were" for of in keys]
        told = (found.places, found.amounts, which, found.others)
        counts = (found.agreeing_before, found.agreeing)
        for place, amount, word, others, earlier, many in zip(
            *(of.tolist() for of in told + counts)
        ):
            text = f"{earlier} of {others} {words[word]} {now[place]}, {many} of {others} are now"
            if several:
                parts[place].append((-amount, text))
            else:
                texts[place] = text
    if several:
        texts = ["; ".join(text for _, text in sorted(reasons)) for reasons in parts]
    texts = [
        text or f"of all labels {label} has the highest score here"
        for text, label in zip(texts, now)
    ]
    return Texts(len(codes), rows, texts)


def learn_strengths(
    table: Any,
    *,
    gold: str,
    key: Key | Sequence[Key],
    label: str | None = None,
    confidence: Confidence = None,
    group: str | None = None,
    labels: Sequence[Any] | None = None,
    scale: Scale = "probability",
    across: bool | Sequence[bool] = False,
    minimum: int = 2,
    threads: int = 1,
    time_limit: float | None = 300.0,
    progress: Bars = None,
) -> Strengths:
    """Learns the strength of agreement for each key from rows whose right label is known.

    gold     the column of right labels, null if unknown. Labels and confidences must come from a
             tagger that has not seen the right labels
    threads, time_limit  as in `libchorale.learn.learn`
    progress  as in `agree`; a step is a run of inference, and the total is an upper bound

    The other arguments are those of `agree`. Tests whether agreement reduces errors on held-out
    groups. These groups are documents; if `group` is None, or some key agrees across groups, they
    are the sets of rows with the same value of the first key. If agreement does not help there,
    strengths are 0, and `agree` changes nothing. str() of the result describes it.
    """
    of_gold = _column(opened(table), "gold", gold).encoded()
    read = _read(
        table, key, label, confidence, group, labels, scale, across, minimum, of_gold.all_values()
    )
    right = _numbers_of_labels(f"column {gold!r}", of_gold, read.labels, True)
    if (right < 0).all():
        raise ValueError(f"column {gold!r} is null in every row: there is nothing to learn from")
    if labels is None and isinstance(read.scores, Confidences):
        assert read.before is not None
        if not np.isin(right[right >= 0], read.before).any():
            row = int(np.argmax(right >= 0))
            raise ValueError(
                f"column {gold!r} holds {read.labels[right[row]]!r} in row {row}, which occurs "
                f"nowhere among the labels in column {label!r}; nor does any other of its labels"
            )
    keyed = read.keyed
    mentions = Mentions(read.scores, keyed, [Weights(1.0)] * len(keyed))
    # Drops components (rows connected by keys) without gold labels, which teach nothing.
    taught = np.zeros(mentions.components + 1, dtype=bool)
    taught[mentions.component[right >= 0]] = True
    taught[-1] = False
    rows = np.flatnonzero(taught[mentions.component])
    if len(rows) == 0:
        raise ValueError(f"no row with a label in column {gold!r} shares its key with another")
    if read.group is None or any(of.across for of in keyed):
        codes = keyed[0].codes.astype(np.int64)
        numbers = np.where(codes >= 0, codes, keyed[0].count + np.arange(len(codes)))
    else:
        numbers = read.group.codes.astype(np.int64)
    _, groups = np.unique(numbers[rows], return_inverse=True)
    problem = agreeing(mentions.given(rows, groups.astype(np.int64)), right[rows])
    problem.kinds = [", ".join(map(str, of.names)) for of in keyed]
    with ExitStack() as stack:
        bars: list[Bar] = []  # one bar, made after the first run, when the total is known

        def told(now: LearnProgress) -> None:
            if not bars:
                bars.append(stack.enter_context(Bar(progress, "learn", now.runs_most, "run")))
            bars[0].step()

        learnt = learn(problem, threads=threads, time_limit=time_limit, progress=told)
    return Strengths(read.keys, read.labels, learnt)


# ---- Diagnosis of a table without gold labels


@dataclasses.dataclass(frozen=True)
class Diagnosis:
    """The result of `diagnose`. str() gives lines of text for people.

    rows               number of rows of the table
    shared             number of rows that have a key in common with other rows (at least `minimum`
                       rows in all; without `across`, all in one group)
    keys               number of sets of such rows with equal keys; if `key` is a list of keys, the
                       sum over them
    disagreeing        number of these sets in which the labels differ
    contested          number of rows in the sets in which the labels differ
    sure               mean probability that the tagger gives to the labels, over the rows that
                       share a key
    sure_contested     the same mean over the contested rows
    strength           strength of agreement for each key; None: learnt
    changed            number of rows that agreement changes
    gain               expected gain in right labels, if the probabilities of `agree` are
                       calibrated: the sum over changed rows of the probability of the new label
                       minus that of the old one. Too low if every key has one right label, too high
                       if mentions of a key can differ
    least              the same sum by the tagger's own probabilities, as if other mentions said
                       nothing about a row. At most 0 if the labels before were the most probable

    On 14 of 18 tables of public data sets the true gain lay between `least` and `gain`; on the
    others it was outside by at most 0.3 % of the rows. On average `gain` was 2.8 % of the rows, but
    the true gain was -0.1 %, so `gain` alone does not tell whether agreement pays
    (examples/experiments/diagnosed.py).
    """

    rows: int
    shared: int
    keys: int
    disagreeing: int
    contested: int
    sure: float
    sure_contested: float
    strength: list[float] | None
    changed: int
    gain: float
    least: float

    def __str__(self) -> str:
        of_strength = (
            "learnt"
            if self.strength is None
            else ", ".join(f"{strength:.3g}" for strength in self.strength)
        )
        return "\n".join(
            [
                f"{self.rows} rows, {self.shared} of them share a key with others",
                f"{self.keys} shared keys, {self.disagreeing} with different labels "
                f"({self.contested} rows)",
                f"labels have a probability of {self.sure:.3f} on average, "
                f"of {self.sure_contested:.3f} where they differ",
                f"agreement of strength {of_strength} changes {self.changed} rows",
                f"expected gain: {self.gain:.1f} rows ({self.gain / self.rows:.2%}) if mentions of "
                "a key agree as assumed,",
                f"{self.least:.1f} rows ({self.least / self.rows:.2%}) if they say nothing about "
                "each other",
            ]
        )


def diagnose(
    table: Any,
    *,
    key: Key | Sequence[Key],
    label: str | None = None,
    confidence: Confidence = None,
    group: str | None = None,
    labels: Sequence[Any] | None = None,
    scale: Scale = "probability",
    across: bool | Sequence[bool] = False,
    strength: Strength = None,
    minimum: int = 2,
    threads: int = 1,
    progress: Bars = None,
) -> Diagnosis:
    """Estimates, without right labels, how much mentions disagree, how confident the tagger is
    about them, and how much would be gained by agreement. The arguments are those of `agree`;
    there is no `count`, so every row counts once.

    >>> rows = [{"name": "Jordan", "type": kind} for kind in ["PERSON"] * 4 + ["ORG"]]
    >>> print(diagnose(rows, key="name", label="type", confidence=0.8))
    5 rows, 5 of them share a key with others
    1 shared keys, 1 with different labels (5 rows)
    labels have a probability of 0.800 on average, of 0.800 where they differ
    agreement of strength 1.04 changes 1 rows
    expected gain: 0.1 rows (2.75%) if mentions of a key agree as assumed,
    -0.6 rows (-12.00%) if they say nothing about each other
    """
    if isinstance(strength, Strengths):
        labels = _labels_of(strength, labels)
    rounds = 10
    with Bar(progress, "diagnose", rounds + 4) as bar:
        read = _read(table, key, label, confidence, group, labels, scale, across, minimum)
        _tell_of_keys(read)
        bar.step()
        mentions = Mentions(read.scores, read.keyed, _weights(strength, read))
        bar.step()
        before = mentions.own if read.before is None else read.before
        options = {"rounds": rounds, "threads": threads}
        codes = mentions.solve(options, None, _rounds(bar))
        bar.step()
        found = mentions.probabilities(codes, before)
    contested = np.zeros(len(before), dtype=bool)
    disagreeing = 0
    for number, keyed in enumerate(read.keyed):
        differs = np.append(mentions.counts(number, before).max(axis=1) < keyed.sizes, False)
        disagreeing += int(differs.sum())
        contested |= differs[keyed.codes]
    shared = mentions.component >= 0
    alone = Mentions(read.scores, read.keyed, [Weights(0.0)] * len(read.keyed))
    sure = alone.probabilities(before, before).before
    changed = codes != before
    return Diagnosis(
        rows=len(before),
        shared=int(shared.sum()),
        keys=sum(keyed.count for keyed in read.keyed),
        disagreeing=disagreeing,
        contested=int(contested.sum()),
        sure=float(sure[shared].mean()) if shared.any() else math.nan,
        sure_contested=float(sure[contested].mean()) if contested.any() else math.nan,
        strength=None
        if isinstance(strength, Strengths)
        else [of.strength for of in mentions.weights],
        changed=int(changed.sum()),
        gain=float((found.probability - found.before)[changed].sum()),
        least=_gain_alone(mentions.scores, np.flatnonzero(changed), codes, before),
    )


def _gain_alone(scores: Scores, rows: Longs, codes: Ints, before: Ints) -> float:
    """Returns the sum, over some rows, of the tagger's own probability of the new label minus that
    of the old label."""
    gain = 0.0
    for part in blocks(len(rows)):
        some = rows[part]
        shares = scores.rows(some).astype(np.float64)
        shares = np.exp(shares - shares.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        entries = np.arange(len(some))
        gain += float((shares[entries, codes[some]] - shares[entries, before[some]]).sum())
    return gain
