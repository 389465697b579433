"""Labels streams of Arrow record batches: each group of rows is labelled when it is complete.

Readers of Parquet files, Spark (`libchorale.spark`), DuckDB and Polars pass on data as record
batches. Rows with the same value in one column, such as the document, are a group, and follow one
another in the stream. A group is labelled by itself, so its labels depend neither on other groups
nor on how the stream is divided into batches. Memory holds one group, its results, the batches that
it spans, and the names of the latest groups (from REMEMBERED to 2 * REMEMBERED names), but nothing
that grows with the stream.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Union

import numpy as np

from ._agreements import OWN, Agree, Agreement, _listed
from ._columns import Longs, plain, pyarrow
from ._given import Problems as Unusable
from ._given import counts
from ._learnt import Learnt
from ._progress import Bars, watched
from ._tables import opened, plain_type
from .chain import Scheme
from .collective import decode
from .errors import StateError
from .problem import Problem
from .rules import Rule, check_anywhere
from .run import LeftOut, Run
from .settling import NAMES, Confidence, Key, Scale, settle

# The name of the column that `errors="column"` adds: a message in each row that was not labelled.
ERROR = "error"

Errors = Literal["raise", "column"]

# The rows of a group must follow one another. To notice a group that comes again, the names of at
# least this many of the latest groups are remembered.
REMEMBERED = 65536


class _Columns:
    """A specification. Its fields of these names are columns, if they are there and not None."""

    _reads = ("group", "scores", "label", "tokens", *OWN, "count", "order")

    def _columns(self) -> dict[str, str]:
        """Returns the columns that are read, each by its name in error messages."""
        given = {name: getattr(self, name, None) for name in self._reads}
        return {name: column for name, column in given.items() if column is not None}


class _Labels(_Columns):
    """A specification that makes a column of lists of labels, and one that says what changed."""

    labels: str
    changed: str
    names: Sequence[str] | None

    def _fields(self, arrow: Any, schema: Any) -> list[Any]:
        kind = arrow.int32() if self.names is None else arrow.string()
        return [
            arrow.field(self.labels, arrow.list_(kind)),
            arrow.field(self.changed, arrow.bool_()),
        ]

    def _made(
        self,
        arrow: Any,
        flat: Any,
        lengths: Any,
        changed: Any,
        left_out: Sequence[LeftOut],
        told: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Returns the new columns. flat: the labels of all rows, one row after the other. lengths:
        the number of labels of each row. changed: the rows whose labels have changed. told: further
        columns. The rows that are left out say why in the column of errors, and are null unless
        they keep labels of their own."""
        edges = np.cumsum([0, *lengths], dtype=np.int32)
        labels = arrow.array(flat, arrow.int32(), mask=flat < 0)
        if self.names is not None:
            labels = arrow.array(list(self.names), arrow.string()).take(labels)
        differs = np.zeros(len(lengths), dtype=bool)
        differs[changed] = True
        lists = arrow.ListArray.from_arrays(arrow.array(edges), labels)
        new = {self.labels: lists, self.changed: arrow.array(differs), **(told or {})}
        if not left_out:
            return new
        why: list[str | None] = [None] * len(lengths)
        has_labels = [True] * len(lengths)
        for entry in left_out:
            why[entry.chain] = f"row {entry.chain} is left out: {str(entry).split(': ', 1)[1]}"
            has_labels[entry.chain] = entry.obstacle == "undecided"
        keeps = arrow.array(has_labels)
        kept = {name: pyarrow().compute.if_else(keeps, of, None) for name, of in new.items()}
        return {**kept, ERROR: arrow.array(why, arrow.string())}


@dataclasses.dataclass(frozen=True)
class Chains(_Labels):
    """Specification for rows that are chains (sentences, records): names the columns, and says what
    should agree. Can be pickled.

    group        the column of groups, such as documents; not null
    scores       the column of scores: in each row a list with one entry for each position, which is
                 a list of numbers, one for each label
    tokens       the column of words: in each row a list of texts or integers; None: no words
    edges, forced, allowed
                 columns of what these arguments of `decode` have for a chain; None: no such column
    count        the column of how many equal chains each row stands for, whole numbers from 1, as
                 `counts` of `decode`; None: each stands for itself
    order        the column by which the rows of a group are sorted before labelling, so that labels
                 do not depend on the order of arrival; None: the order of arrival is kept
    agree        as in `decode`, except that `keys` of an `Agreement` is the name of a column of
                 lists, and agreement is within groups: neither `across` nor "cliques" is allowed
    transitions, strength, minimum, stop, uncounted  as in `decode`; "auto" finds the strength of
                 each group from its scores
    names        names of the labels; the new column then holds names instead of numbers
    options      further options of `decode`, such as {"rounds": 5}
    labels       the name of the new column of labels: a list for each row
    changed      the name of the new column that says whether the labels of a row differ from its
                 best labels without cliques
    rules, scheme, most_cost  as in `decode`; rules concern every row. Provisional
    ruled        the name of a new column of texts: what the rules cost a row and why its labels
                 changed, or that it keeps its own labels and why (`rules.RuledChain`); null in rows
                 that keep the rules by themselves. None: no such column
    """

    group: str
    scores: str
    tokens: str | None = None
    edges: str | None = None
    forced: str | None = None
    allowed: str | None = None
    count: str | None = None
    order: str | None = None
    agree: Agree | Sequence[Agree] | None = None
    transitions: Any = None
    strength: float | Literal["auto"] = "auto"
    minimum: int = 2
    stop: Sequence[Any] = ()
    uncounted: Sequence[int | str] | None = None
    names: Sequence[str] | None = None
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    labels: str = "labels"
    changed: str = "changed"
    rules: Rule | Sequence[Rule] = ()
    scheme: Scheme = "plain"
    most_cost: float | None = None
    ruled: str | None = None

    def __post_init__(self) -> None:
        for number, (entry, _) in enumerate(self._listed()):
            if not isinstance(entry, Agreement):
                continue
            place = f"agree[{number}]"
            if entry.across or entry.what == "cliques":
                what = "across" if entry.across else 'what="cliques"'
                raise ValueError(f"{place} has {what}; batches are labelled group by group")
            if entry.what == "keys" and not isinstance(entry.keys, str):
                raise TypeError(f"{place}.keys is {entry.keys!r}, not the name of a column")
        check_anywhere(self.rules, "batches are labelled group by group")

    def _listed(self) -> list[tuple[Any, str]]:
        return _listed(self.agree, self.tokens)

    def _columns(self) -> dict[str, str]:
        found = super()._columns()
        for number, (entry, _) in enumerate(self._listed()):
            if isinstance(entry, Agreement) and isinstance(entry.keys, str):
                found[f"agree[{number}].keys"] = entry.keys
        return found

    def _fields(self, arrow: Any, schema: Any) -> list[Any]:
        ruled = [] if self.ruled is None else [arrow.field(self.ruled, arrow.string())]
        return super()._fields(arrow, schema) + ruled

    def _arguments(self, rows: Any) -> dict[str, Any]:
        """Returns arguments of `decode` and `build_problem` for the rows of one group."""
        columns = {name: getattr(self, name) for name in ("tokens", *OWN)}
        agree = [
            dataclasses.replace(entry, keys=_lists(rows, entry.keys))
            if isinstance(entry, Agreement) and isinstance(entry.keys, str)
            else entry
            for entry, _ in self._listed()
        ]
        given = ("transitions", "strength", "minimum", "stop", "uncounted", "names")
        return {
            "agree": agree,
            **{name: getattr(self, name) for name in given},
            **{name: None if of is None else _lists(rows, of) for name, of in columns.items()},
            "counts": None if self.count is None else _counts(rows, self.count),
        }

    def _labelled(self, arrow: Any, rows: Any) -> dict[str, Any]:
        """Returns the new columns for the rows of one group."""
        scores = _matrices(arrow, rows, self.scores)
        if not any(map(len, scores)):  # without positions the number of labels is unknown
            empty = arrow.array([[]] * len(scores), arrow.list_(arrow.int32()))
            return {self.labels: empty, self.changed: arrow.array([False] * len(scores))}
        found = decode(
            scores,
            **self._arguments(rows),
            rules=self.rules,
            scheme=self.scheme,
            most_cost=self.most_cost,
            **self.options,
        )
        told = {}
        if self.ruled is not None:
            ruled = {of.chain: str(of).split(": ", 1)[1] for of in found.ruled}
            rows_told = [ruled.get(row) for row in range(len(scores))]
            told[self.ruled] = arrow.array(rows_told, arrow.string())
        lengths = [len(labels) for labels in found.labels]
        changed = [change.chain for change in found.changed]
        flat = np.concatenate(found.labels)
        return self._made(arrow, flat, lengths, changed, found.left_out, told)


@dataclasses.dataclass(frozen=True)
class Problems(_Labels):
    """Specification for rows that are chains, where the caller makes the problem of each group. Can
    be pickled if `problem` can.

    group     the column of groups, such as documents; not null
    problem   a function from the rows of a group, a `pyarrow.Table`, to a `Problem` in which chain
              i is row i
    learnt    learnt weights, from which the cliques that have a kind get their potentials; None:
              the potentials of the problem are used
    options   options of `Run`, such as {"rounds": 5}
    order, names, labels, changed  as in `Chains`
    """

    group: str
    problem: Callable[[Any], Problem]
    learnt: Learnt | None = None
    order: str | None = None
    names: Sequence[str] | None = None
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    labels: str = "labels"
    changed: str = "changed"

    def _labelled(self, arrow: Any, rows: Any) -> dict[str, Any]:
        problem = self.problem(rows)
        model = problem.model if self.learnt is None else self.learnt.apply(problem)
        lengths = model.chain_lengths
        if len(lengths) != rows.num_rows:
            raise ValueError(f"problem has {len(lengths)} chains for {rows.num_rows} rows")
        with Run(model, **self.options) as run:
            run.solve()
            flat, changed = run.labels(), run.changed_chains()
            return self._made(arrow, flat, lengths, changed, run.left_out())


@dataclasses.dataclass(frozen=True)
class Mentions(_Columns):
    """Specification for rows that are mentions. The fields are arguments of `settle`; those that
    are not listed here are described there. Can be pickled. Rests on experimental calls of C: may
    change in any version.

    group     the column of groups; keys are settled within a group
    label     the column of labels; required here
    order     as in `Chains`
    names     names of the five new columns
    options   further arguments of `settle`, such as `evidence`; without it, what decides is estimated
              for each group from its own rows
    """

    group: str
    key: Key
    label: str
    confidence: Confidence = None
    labels: Sequence[Any] | Mapping[Any, Any] | None = None
    scale: Scale = "probability"
    order: str | None = None
    names: Sequence[str] = NAMES
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def _fields(self, arrow: Any, schema: Any) -> list[Any]:
        of_labels = plain_type(schema.field(self.label).type)
        kinds = [of_labels, arrow.float64(), arrow.bool_(), arrow.string()]
        return [arrow.field(name, kind) for name, kind in zip(self.names, [*kinds, arrow.bool_()])]

    def _labelled(self, arrow: Any, rows: Any) -> dict[str, Any]:
        given = ("key", "label", "confidence", "labels", "scale", "names")
        arguments = {name: getattr(self, name) for name in given}
        table = settle(rows, **arguments, **self.options).table
        return {name: table.column(name) for name in self.names}


Specification = Union[Chains, Problems, Mentions]


def output_schema(schema: Any, specification: Specification, errors: Errors = "raise") -> Any:
    """Returns the `pyarrow.Schema` of the batches that `label` yields for batches of `schema`."""
    arrow = pyarrow()
    if errors not in ("raise", "column"):
        raise ValueError(f"errors is {errors!r}, neither 'raise' nor 'column'")
    for argument, name in specification._columns().items():
        if name not in schema.names:
            known = ", ".join(map(repr, schema.names))
            raise ValueError(f"{argument}: there is no column {name!r} (columns: {known})")
        if schema.names.count(name) > 1:
            raise ValueError(f"{argument}: column {name!r} is there twice")
    fields = specification._fields(arrow, schema)
    if errors == "column":
        fields.append(arrow.field(ERROR, arrow.string()))
    for field in fields:
        if field.name in schema.names:
            raise ValueError(f"column {field.name!r} is there already; choose other names")
    return arrow.schema([*schema, *fields])


def label(
    batches: Iterable[Any],
    specification: Specification,
    *,
    errors: Errors = "raise",
    most_rows: int | None = None,
    progress: Bars = None,
) -> Iterator[Any]:
    """Labels a stream of record batches group by group, and yields batches with more columns.

    batches        record batches of `pyarrow`, all of one schema; the rows of a group follow one
                   another
    specification  `Chains`, `Problems` or `Mentions`: the meaning of the columns, and the
                   agreements
    errors         what happens to a group that cannot be labelled. "raise": the call raises
                   ValueError or MemoryError, which names the group. "column": the rows of the group
                   are yielded with nulls, and the message in a column "error"; all other groups are
                   labelled. A single row of which every labelling is forbidden is left out: its new
                   columns are null, all other rows of its group are labelled, and a warning or the
                   column "error" says what forbids its labellings
    most_rows      a group of more rows cannot be labelled; with errors="column" its rows are
                   yielded as they arrive. None: no limit but memory
    progress       progress bar over the batches, as in `libchorale.agree`

    Every row is yielded with all its columns; the rows of a group are in the order of
    `specification.order`. A group is complete when a row of the next group has been read. After
    each batch, the groups that it completed are yielded in one batch; the last group is yielded at
    the end of the stream. These faults raise ValueError even with errors="column": a null group, a
    batch of another schema, a batch whose lists or texts are not within its buffers, and a group
    that comes again after fewer than REMEMBERED other groups. A group that comes again after more
    groups may be labelled as a new group: sort the stream by group if in doubt.

    >>> import pyarrow
    >>> rows = [{"page": 1, "word": ["Rome"], "score": [s]} for s in ([2.1, 0.3], [0.7, 0.9])]
    >>> batch = pyarrow.RecordBatch.from_pylist(rows)
    >>> [out] = label([batch], Chains("page", "score", tokens="word"))
    >>> out.column("labels").to_pylist()
    [[0], [0]]
    """
    if most_rows is not None and most_rows < 1:
        raise ValueError(f"most_rows is {most_rows}; it must be at least 1")
    if not isinstance(specification, (Chains, Problems, Mentions)):
        known = "Chains, Problems or Mentions"
        raise TypeError(f"specification is {specification!r}, not one of {known}")
    return _Stream(specification, errors, most_rows).run(
        watched(progress, batches, "label", "batch")
    )


class _Stream:
    def __init__(self, specification: Specification, errors: Errors, most_rows: int | None) -> None:
        self._specification, self._errors, self._most_rows = specification, errors, most_rows
        self._arrow = pyarrow()
        self._schema: Any = None
        self._output: Any = None
        self._recent: set[Any] = set()  # the latest groups, at most REMEMBERED
        self._older: set[Any] = set()  # the REMEMBERED groups before them
        self._group: Any = None  # the present group
        self._pending: list[Any] = []  # rows of the present group; empty if it is refused
        self._count = 0  # the number of rows of the present group so far
        self._refused = False  # whether the present group has more than most_rows rows

    def run(self, batches: Iterable[Any]) -> Iterator[Any]:
        for number, batch in enumerate(batches):
            try:
                _validate(self._arrow, batch)
            except ValueError as error:
                raise ValueError(f"batch {number} is damaged: {error}") from None
            if self._schema is None:
                self._schema = batch.schema
                self._output = output_schema(batch.schema, self._specification, self._errors)
            elif not batch.schema.equals(self._schema):
                raise ValueError(
                    f"batch {number} has another schema than batch 0; all must have the same"
                )
            done: list[Any] = []
            for group, rows in self._parts(batch, number):
                if not self._pending and not self._refused or group != self._group:
                    done += self._end()
                    self._begin(group)
                done += self._add(rows)
            yield from self._joined(done)
        yield from self._joined(self._end())

    def _parts(self, batch: Any, number: int) -> Iterator[tuple[Any, Any]]:
        """Yields, for each run of rows of one group in batch `number`, the group and the rows."""
        if batch.num_rows == 0:
            return
        column = batch.column(batch.schema.get_field_index(self._specification.group))
        if column.null_count:
            row = int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
            raise ValueError(
                f"column {self._specification.group!r} is null in row {row} of batch {number}; "
                "each row must have a group"
            )
        try:
            codes = plain(column).dictionary_encode().indices.to_numpy()
        except self._arrow.ArrowNotImplementedError:
            raise _unusable(self._specification.group, column, "texts or integers") from None
        begins = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist()]
        for begin, end in zip(begins, [*begins[1:], batch.num_rows]):
            yield column[begin].as_py(), batch.slice(begin, end - begin)

    def _begin(self, group: Any) -> None:
        if group in self._recent or group in self._older:
            raise ValueError(
                f"group {group!r} comes again after others; the rows of a group follow one another"
            )
        if len(self._recent) >= REMEMBERED:
            self._older, self._recent = self._recent, set()
        self._recent.add(group)
        self._group, self._count, self._refused = group, 0, False

    def _add(self, rows: Any) -> list[Any]:
        self._pending.append(rows)
        self._count += rows.num_rows
        if self._most_rows is None or self._count <= self._most_rows:
            return []
        pending, self._pending = self._pending, []
        self._refused = True
        message = f"it has more than most_rows = {self._most_rows} rows"
        return [self._failed(self._arrow.Table.from_batches(pending), message)]

    def _end(self) -> list[Any]:
        pending, self._pending = self._pending, []
        if not pending:
            return []
        rows = self._arrow.Table.from_batches(pending).combine_chunks()
        order = self._specification.order
        try:
            if order is not None:
                rows = _sorted(self._arrow, rows, order)
            new = self._specification._labelled(self._arrow, rows)
        except MemoryError:
            message = f"there is not enough memory to label its {rows.num_rows} rows"
            return [self._failed(rows, message, MemoryError)]
        except (ValueError, TypeError, StateError) as error:
            return [self._failed(rows, str(error))]
        if ERROR in new and self._errors == "raise":
            told = [text for text in new[ERROR].to_pylist() if text is not None]
            more = f" and {len(told) - 1} more rows" if len(told) > 1 else ""
            warnings.warn(f"group {self._group!r}: {told[0]}{more}", stacklevel=2)
        return [self._made(rows, new)]

    def _failed(self, rows: Any, message: str, kind: type[Exception] = ValueError) -> Any:
        text = f"group {self._group!r}: {message}"
        if self._errors == "raise":
            raise kind(text)
        return self._made(rows, {ERROR: self._arrow.array([text] * rows.num_rows)})

    def _made(self, rows: Any, new: Mapping[str, Any]) -> Any:
        """Returns the rows with all new columns. A column that `new` lacks is null in all rows."""
        for field in list(self._output)[len(self._schema) :]:
            values = new.get(field.name)
            if values is None:
                values = self._arrow.nulls(rows.num_rows, field.type)
            rows = rows.append_column(field, values.cast(field.type))
        return rows

    def _joined(self, done: list[Any]) -> Iterator[Any]:
        if done:
            yield from self._arrow.concat_tables(done).combine_chunks().to_batches()


def _unusable(name: str, column: Any, what: str) -> TypeError:
    return TypeError(f"column {name!r} has the type {column.type}, where {what} are needed")


def _sorted(arrow: Any, rows: Any, name: str) -> Any:
    column = rows.column(name)
    try:
        keys = arrow.table({name: plain(column)})
        order = pyarrow().compute.sort_indices(keys, sort_keys=[(name, "ascending")])
    except (arrow.ArrowNotImplementedError, TypeError):
        raise _unusable(name, column, "values that can be sorted") from None
    try:
        return rows.take(order)
    except arrow.ArrowNotImplementedError:  # runs and views have no `take`
        parts = [rows.slice(row, 1) for row in order.to_pylist()]
        return arrow.concat_tables(parts).combine_chunks()


def _lists(rows: Any, name: str) -> list[Any]:
    lists: list[Any] = rows.column(name).to_pylist()
    for row, entry in enumerate(lists):
        if entry is None:
            raise ValueError(f"column {name!r} is null in row {row}")
    return lists


def _counts(rows: Any, name: str) -> Longs:
    unusable = Unusable(rows.num_rows)
    found = counts(opened(rows.select([name])).column(name), name, unusable)
    unusable.refuse()
    return found


def _matrices(arrow: Any, rows: Any, name: str) -> list[Any]:
    """Returns for each row its scores, T x m, as a view of one array that all rows share."""
    compute = pyarrow().compute
    given = rows.column(name)
    column = plain(given).combine_chunks()
    kinds = [column.type]
    while hasattr(kinds[-1], "value_type"):
        kinds.append(kinds[-1].value_type)
    types, number = arrow.types, kinds[-1]
    if types.is_null(number):  # there are no numbers that could tell the type
        column = column.cast(arrow.list_(arrow.list_(arrow.float64())))
    elif len(kinds) != 3 or not (
        types.is_integer(number) or types.is_floating(number) or types.is_decimal(number)
    ):
        raise _unusable(name, given, "lists of lists of numbers")
    positions = compute.list_flatten(column)
    lengths = compute.list_value_length(column)
    widths = compute.list_value_length(positions)
    numbers = compute.list_flatten(positions)
    if lengths.null_count or widths.null_count or numbers.null_count:
        raise ValueError(f"column {name!r} has a null in it; it must have lists of numbers")
    across = np.unique(widths.to_numpy(zero_copy_only=False))
    if len(across) > 1:
        raise ValueError(f"column {name!r} has lists of {across[0]} and of {across[-1]} numbers")
    if not arrow.types.is_floating(numbers.type):
        numbers = numbers.cast(arrow.float64())
    m = int(across[0]) if len(across) else 0
    scores = numbers.to_numpy(zero_copy_only=False).reshape(-1, max(m, 1))
    ends = np.cumsum(lengths.to_numpy(zero_copy_only=False))
    return [scores[begin:end] for begin, end in zip([0, *ends[:-1].tolist()], ends.tolist())]


def _validate(arrow: Any, batch: Any) -> None:
    """Raises ValueError if offsets of a batch descend or lie outside their buffers, so that later
    code reads nothing outside of buffers. Bytes that are not UTF-8 are not errors here: `_labelled`
    detects them, so that only one group fails.
    """
    batch.validate()
    for field, column in zip(batch.schema, batch.columns):
        column.cast(_without_text(arrow, field.type)).validate(full=True)


def _without_text(arrow: Any, kind: Any) -> Any:
    """Returns the type with bytes in place of texts. Bytes have the same layout as texts, but are
    not checked to be UTF-8."""
    if arrow.types.is_string(kind):
        return arrow.binary()
    if arrow.types.is_large_string(kind):
        return arrow.large_binary()
    if arrow.types.is_list(kind):
        return arrow.list_(_without_text(arrow, kind.value_type))
    if arrow.types.is_large_list(kind):
        return arrow.large_list(_without_text(arrow, kind.value_type))
    return kind
