"""Labels tables of mentions so that labels agree, in one call.

A row is a mention, for instance of a name in a text, with the label that a tagger or a language
model gave it, and the probability of that label. Rows with the same key should have the same label.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from typing import Any, Union

import numpy as np

from . import _arrays as arrays
from ._agreements import check_strength
from ._columns import Array, Doubles, Ints, Longs
from ._evidence import Mentions
from ._given import MARGIN, Reader
from ._learnt import LearnProgress, Learnt, learn
from ._mentions import Keyed, Rows, Single, blocks, cliques_of
from ._progress import Bar, Bars
from ._reading import Reading, log
from ._tables import Labels, texts_in
from .collective import agreeing
from .settling import Confidence, Key, Scale

#: The columns that `agree` adds.
NAMES = ("together", "probability", "changed", "why")

# Seconds after which learning tries no further strength, unless the caller says otherwise.
LEARNING = 300.0

# The most equal rows that a row may stand for, and that the rows with one key may stand for in all.
MOST = 2**31 - 1


@dataclasses.dataclass(frozen=True)
class Strengths:
    """The result of `learn_strengths`, for `agree(strength=...)`. str() gives lines of text for
    people. Can be pickled. Provisional until 1.0.

    keys    the keys, as they were given
    labels  the labels; the learnt weights refer to them by their numbers in this list
    learnt  the result of learning; the cliques of keys[k] are of kind k
    """

    keys: list[Key]
    labels: list[Any]
    learnt: Learnt

    def __str__(self) -> str:
        return str(self.learnt)

    def _of(self, keys: list[Key]) -> list[tuple[float, Doubles]]:
        """Returns for each key the strength, and the bonus of each label, up to a constant: what
        the score of a clique gains for a member with this label. Only 0.2 learnt bonuses."""
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
            two = potential.evaluate(one[:2].sum(axis=0))
            strength = float(alone[:2].sum()) - two if values > 1 else 0.0
            found.append((strength, alone - alone[0]))
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


Strength = Union[float, Sequence[float], Strengths, None]


# ---- Arguments


class _Read(Reading):
    """A table with several keys. scores: N x m logarithms, of one row each."""

    scores: Array | Single
    keyed: list[Keyed]
    keys: list[Key]


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
    count: str | None = None,
) -> _Read:
    """Reads a table and checks the arguments."""
    read = _Read(table, Reader(labels, scale), label, group)
    one = isinstance(key, (str, tuple)) or not isinstance(key, Iterable)
    keys = read.keys = [key] if one else list(key)  # type: ignore[list-item]
    if not keys or () in keys:
        raise ValueError(f"key is {key!r}; it names at least one column")
    minimum = arrays.integer("minimum", minimum)
    if minimum < 2:
        raise ValueError(f"minimum is {minimum}; it must be at least 2")
    for entry in keys:
        read.table.check(key=entry, group=group)
    wide = [across] * len(keys) if isinstance(across, (bool, np.bool_)) else list(across)
    if len(wide) != len(keys):
        raise ValueError(f"across has {len(wide)} entries for {len(keys)} keys")
    read.read(confidence, count)
    read.problems.refuse()
    read.part = read.problems.usable
    mentions, read.keyed = read.mentions, []
    for entry, over in zip(keys, wide):
        parts = entry if isinstance(entry, tuple) else (entry,)
        read.read_key(parts, None if over else group)
        codes, size, sizes = cliques_of(mentions.key, mentions.keys, minimum, mentions.times)
        if len(sizes) and sizes.max() > MOST:
            clique = int(np.argmax(sizes > MOST))
            raise ValueError(
                f"column {count!r} adds up to {sizes[clique]} over the rows with the key of row "
                f"{int(np.argmax(codes == clique))}; the sum may be at most {MOST}"
            )
        read.keyed.append(Keyed(codes, size, sizes, read.columns[: len(parts)], parts, bool(over)))
    read.scores = _scores(mentions, scale)
    return read


def _scores(mentions: Mentions, scale: Scale) -> Array | Single:
    """Returns N x m logarithms, in single precision if they are of probabilities. Where only the
    label of a row has one, the other labels share the rest equally."""
    if mentions.scores is not None:
        return mentions.scores if scale == "logarithm" else mentions.scores.astype(np.float32)
    assert mentions.confidence is not None
    m = mentions.labels
    sure = np.clip(mentions.confidence, MARGIN, 1 - MARGIN)
    other = np.log((1 - sure) / max(1, m - 1)).astype(np.float32)
    own = np.log(sure).astype(np.float32)
    # At 1 / m, up to rounding, the row's own label scores strictly above the other labels.
    even = np.abs(sure * m - 1) < 1e-6
    own[even] = other[even] + 1e-5
    return Single(mentions.label, own, other, m)


def _strengths(strength: Strength, read: _Read) -> list[float]:
    """Returns the strength of each key. Bonuses of labels become scores of the rows that have them
    in cliques, which is the same."""
    if isinstance(strength, Strengths):
        learnt = strength._of(read.keys)
        for keyed, (_, bonus) in zip(read.keyed, learnt):
            if bonus.any():
                read.scores = read.scores[:] + np.outer(keyed.codes >= 0, bonus)
        return [of for of, _ in learnt]
    count = len(read.keys)
    if strength is None:
        return [_default_strength(read)] * count
    if isinstance(strength, str):
        raise ValueError(
            f"strength is {strength!r}; it must be a number, a number for each key, or Strengths"
        )
    given = [strength] * count if isinstance(strength, (int, float)) else list(strength)
    if len(given) != count:
        raise ValueError(f"strength has {len(given)} entries for {count} keys")
    strengths = [arrays.real(f"strength[{k}]", of) for k, of in enumerate(given)]
    for number, of in enumerate(strengths):
        check_strength(f"strength[{number}]", of)
        if read.mentions.times is not None and of < 0:
            raise ValueError(f"strength[{number}] is {of}; with count it must be >= 0")
    return strengths


def _default_strength(read: _Read) -> float:
    """Returns the default strength: three quarters of the median margin of the rows with shared
    keys, divided by the number of keys. The margin of a row is its best score minus its second-best
    score; rows with margin 0 are left out.

    Reason: let all n rows of a key have the margin d, and let k of them have another label than the
    rest. These k rows change together if strength / n * 2 k (n - k) > k d, that is if
    n - k > n d / (2 strength). With strength = 3/4 d this is n - k > 2/3 n: more than two thirds
    prevail.
    """
    shared = np.any([keyed.codes >= 0 for keyed in read.keyed], axis=0)
    if read.scores.shape[1] < 2 or not shared.any():
        return 1.0
    rows = np.flatnonzero(shared)
    margins = np.empty(len(rows))
    for part in blocks(np.arange(len(rows))):
        best = np.partition(read.scores[rows[part]], -2, axis=1)
        margins[part] = best[:, -1].astype(np.float64) - best[:, -2]
    every = read.mentions.times
    times = np.ones(len(rows), np.int64) if every is None else every[rows]
    margins, times = margins[margins > 0], times[margins > 0]
    if not len(margins):
        return 1.0
    order = np.argsort(margins)
    ends = np.cumsum(times[order])
    both = np.searchsorted(ends, [(ends[-1] - 1) // 2, ends[-1] // 2], side="right")
    return 0.75 / len(read.keys) * float(margins[order[both]].mean())


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
    key         the column of keys, such as the name; rows with equal keys should have one label.
                Keys must be exactly equal: "Rome" and "rome" are two, but one for `settle`. A tuple
                of columns is one key; a list has several keys. A row whose key is null agrees with
                no other row
    label       the column of labels: texts, integers, categories. Not needed if `confidence` gives
                scores of all labels: then the label before is the one with the highest score
    confidence  how probable a row's label is, as in `settle`; the other labels share the rest
                equally, so that below 1 / (number of labels) they are each more likely. None: 0.8.
                Or scores of all labels: a list of columns, a dict from labels to columns, or one
                column of lists of numbers
    group       the column of documents: equal keys agree only within a document; a row without one
                agrees with no other row. None: in the whole table
    labels      all labels. None: those in the column of labels, or the names of the columns of
                scores. Required, in the order of the lists, if there are both a column of labels
                and a column of lists of scores
    scale       of numbers, as in `settle`; scores of all labels may be "logarithm"
                (log-probabilities, or logits)
    across      True: equal keys agree across groups; or a list of such values, one for each key
    strength    strength of agreement: a number in the unit of `decode` (not "auto"), a list with a
                number for each key, or the `Strengths` of `learn_strengths`. A row that changes to
                the label of all n - 1 others gains (2 - 2 / n) * strength, and loses the log-odds
                of its own label. None: 3/4 of the median log-odds, divided by the number of keys.
                Then, if all rows of a key are equally sure, a majority of more than two thirds
                prevails. Where agreement and scores balance exactly, rows keep their labels. From
                -1e9 to 1e9
    gold        a column with the right labels of some rows, null elsewhere: strengths are learnt
                from it, as by `learn_strengths`. Rows are not forced to have their right labels.
                The logger "libchorale" gets what was learnt, as a warning if none of it is applied
    count       a column of integers from 1: how many equal rows each row stands for. Labels are
                those that the equal rows would get; the probability is that of one of them.
                Strengths must not be negative
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

    Raises `TableError`, which names all entries that cannot be used, and ValueError or TypeError
    for missing or repeated columns, keys of mixed types, and a table without rows.

    >>> rows = [{"name": "Jordan", "type": kind} for kind in ["PERSON"] * 4 + ["ORG"]]
    >>> agree(rows, key="name", label="type", confidence=0.8)[4]["why"]
    "4 of 4 other mentions of 'Jordan' were PERSON, 4 of 4 are now"
    """
    until = arrays.deadline("time_limit", time_limit)
    if gold is not None and strength is not None:
        raise ValueError("strength and gold exclude each other")
    if gold is not None and count is not None:
        raise ValueError("count and gold exclude each other: strengths are learnt without")
    with Bar(progress, "agree", rounds + 4) as bar:
        if isinstance(strength, Strengths):
            known = strength.labels
            if labels is not None and list(labels) != known:
                raise ValueError(f"labels is {[*labels]}; it must be that of strength, {known}")
            labels = known
        read = _read(table, key, label, confidence, group, labels, scale, across, minimum, count)
        names = read.table.new_columns(names, len(NAMES))
        bar.step()
        if gold is not None:
            strength = _learnt(read, gold, threads, LEARNING, progress)
            tell(strength)
        mentions = read.mentions
        strengths, before = _strengths(strength, read), mentions.label
        rows = Rows(read.scores, read.keyed, strengths, mentions.times, before)
        bar.step()
        options = {"rounds": rounds, "threads": threads}
        codes = rows.solve(options, until, lambda _: bar.step(keep=2))
        bar.step()
        changed = codes != before
        new = {
            names[0]: Labels(codes, read.names.labels, label),
            names[1]: rows.probabilities(codes),
            names[2]: changed,
            names[3]: _why(read, rows, group, codes, np.flatnonzero(changed)),
        }
        return read.table.extended(new)


def _why(read: _Read, of_rows: Rows, group: str | None, codes: Ints, rows: Longs) -> Array:
    now = [str(read.names.labels[code]) for code in codes[rows].tolist()]
    reasons: list[list[tuple[float, str]]] = [[] for _ in now]
    for number, keyed in enumerate(read.keyed):
        where = "" if group is None or keyed.across else f" in this {group}"
        places, amounts, cliques, *counts = of_rows.reasons(
            number, rows, read.mentions.label, codes
        )
        distinct, which = np.unique(cliques, return_inverse=True)
        keys = keyed.shown(distinct, named=len(read.keyed) > 1)
        told = (of.tolist() for of in (places, amounts, which, *counts))
        for place, amount, k, others, earlier, many in zip(*told):
            before = f"{earlier} of {others} other mentions {keys[k]}{where} were {now[place]}"
            reasons[place].append((-amount, f"{before}, {many} of {others} are now"))
    texts = [
        "; ".join(text for _, text in sorted(of))
        or f"of all labels {label} has the highest score here"
        for of, label in zip(reasons, now)
    ]
    return texts_in(len(codes), rows, texts)


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
    time_limit: float | None = LEARNING,
    progress: Bars = None,
) -> Strengths:
    """Learns the strength of agreement for each key from rows whose right label is known.
    Provisional until 1.0.

    gold     the column of right labels, null if unknown. Labels and confidences must come from a
             tagger that has not seen the right labels
    threads, time_limit  as in `libchorale.learn.learn`
    progress  as in `agree`; a step is a run of inference, and the total is an upper bound

    The other arguments are those of `agree`. Tests whether agreement reduces errors on held-out
    groups. These groups are documents; if `group` is None, or some key agrees across groups, they
    are the sets of rows with the same value of the first key. If agreement does not help there,
    strengths are 0, and `agree` changes nothing. str() of the result describes it.
    """
    read = _read(table, key, label, confidence, group, labels, scale, across, minimum)
    return _learnt(read, gold, threads, time_limit, progress)


def _learnt(
    read: _Read, gold: str, threads: int, time_limit: float | None, progress: Bars
) -> Strengths:
    """Computes the result of `learn_strengths` for a table that was read."""
    right = read.gold(gold)
    keyed = read.keyed
    mentions = Rows(read.scores, keyed, [1.0] * len(keyed), None, read.mentions.label)
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
        numbers = read.table.column(read.group).encoded().codes.astype(np.int64)
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
    return Strengths(read.keys, read.names.labels, learnt)
