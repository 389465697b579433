"""Spark: labels the rows of a DataFrame group by group, on the executors.

Executors need Python, this package and pyarrow. The specification is sent to them pickled.
"""

from __future__ import annotations

import functools
import pickle
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from . import batches, shared
from ._columns import pyarrow
from .batches import Errors, Specification, output_schema
from .prices import Answer, Asked
from .shared import NOTHING, Keys, Labelled, SharedKeys

_PLACE = "libchorale_place"


def label(
    frame: Any,
    specification: Specification,
    *,
    errors: Errors = "raise",
    most_rows: int | None = None,
    partitions: int | None = None,
) -> Any:
    """Labels a `pyspark.sql.DataFrame` as `libchorale.batches.label` does a stream. Returns a
    DataFrame with more columns. Supported; the C calls below it may change.

    partitions  number of tasks for all groups except the largest; None:
                spark.sql.shuffle.partitions

    The other arguments are those of `batches.label`. A separate job first counts the rows of each
    group. Then many small groups share a task, but each group with more than 1 / partitions of all
    rows has a task of its own. The labels equal those of `batches.label` for any number of
    partitions. If rows of a group may arrive in any order, `specification.order` makes the labels
    reproducible.
    """
    from_arrow_schema, to_arrow_schema = _schemas()
    made = output_schema(to_arrow_schema(frame.schema), specification, errors)
    how: dict[str, Any] = {"errors": errors, "most_rows": most_rows, "progress": False}
    work = functools.partial(batches.label, specification=specification, **how)
    return _placed(frame, specification, partitions).mapInArrow(work, from_arrow_schema(made))


def label_shared(
    frame: Any, specification: SharedKeys, *, partitions: int | None = None
) -> Labelled:
    """Labels a `pyspark.sql.DataFrame` as `libchorale.shared.label` does a stream: positions with
    the same key agree across all groups. Returns a DataFrame with more columns, and the outcome of
    the search for prices. Both are the same for any number of partitions. Supported; the C calls
    below it may change.

    Runs one job for each round, at most `specification.rounds`, and a few others. Each job sends
    prices to the tasks and returns counts; meanwhile the rows are cached. If rows of a
    group may arrive in any order, `specification.chains.order` must name a column.
    """
    from_arrow_schema, to_arrow_schema = _schemas()
    from pyspark.sql import functions as f

    chains = specification.chains
    made = output_schema(to_arrow_schema(frame.schema), chains)
    widths = frame.select(f.explode(chains.scores).alias("row")).select(f.size("row"))
    first = widths.first()
    if first is None:
        return Labelled(label(frame, chains, partitions=partitions), NOTHING)
    keys = frame.select(f.explode(specification.keys).alias("key")).where(f.col("key").isNotNull())
    frequent = keys.groupBy("key").count().where(f.col("count") >= specification.least)
    counted = {row["key"]: row["count"] for row in frequent.collect()}
    counted = {key: n for key, n in counted.items() if shared.is_key(key)}
    numbers, search = specification.search(counted, int(first[0]))
    placed = _placed(frame, chains, partitions).persist()

    def answers(asked: Asked) -> Iterator[Answer]:
        work = functools.partial(_answer, specification, numbers, asked)
        for row in placed.mapInArrow(work, "answer binary").collect():
            yield pickle.loads(zlib.decompress(row["answer"]))

    try:
        outcome = search.run(answers)
        work = functools.partial(shared.under_prices, specification, numbers, search.found)
        # Computes and caches the result now. Otherwise Spark would compute it when the caller uses
        # it, after `placed` has been released.
        found = placed.mapInArrow(work, from_arrow_schema(made)).persist()
        found.count()
    finally:
        placed.unpersist()
    return Labelled(found, outcome)


def _schemas() -> tuple[Any, Any]:
    """Returns pyspark's functions that convert schemas from Arrow and to Arrow."""
    try:
        from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
    except ImportError:
        raise ImportError(
            "data frames of Spark are those of pyspark: pip install pyspark pyarrow"
        ) from None
    return from_arrow_schema, to_arrow_schema


def _answer(
    specification: SharedKeys, numbers: Keys, asked: Asked, stream: Iterable[Any]
) -> Iterator[Any]:
    arrow = pyarrow()
    for found in shared.answer(specification, numbers, asked, stream):
        data = [zlib.compress(pickle.dumps(found), 1)]
        yield arrow.RecordBatch.from_arrays([arrow.array(data, arrow.binary())], ["answer"])


def _placed(frame: Any, specification: Specification, partitions: int | None) -> Any:
    """Returns the rows, partitioned so that each group is in one partition, and a large group is in
    a partition of its own. Each partition is sorted by group and, within it, by the order of the
    specification."""
    from pyspark.sql import functions as f

    spark, group = frame.sparkSession, specification.group
    if partitions is None:
        partitions = int(spark.conf.get("spark.sql.shuffle.partitions"))
    if partitions < 1:
        raise ValueError(f"partitions is {partitions}; it must be at least 1")
    sizes = frame.groupBy(group).count().cache()
    total = sizes.agg(f.sum("count")).first()[0] or 0
    large = [row[0] for row in sizes.filter(f.col("count") > total / partitions).collect()]
    sizes.unpersist()
    large = [value for value in large if value is not None]
    keys = _keys(spark, partitions + len(large))
    of_all = f.array(*[f.lit(key) for key in keys[:partitions]])
    place = f.get(of_all, f.pmod(f.xxhash64(group), f.lit(partitions)).cast("int"))
    for value, key in zip(large, keys[partitions:]):
        place = f.when(f.col(group) == f.lit(value), f.lit(key)).otherwise(place)
    placed = frame.withColumn(_PLACE, place).repartition(len(keys), _PLACE)
    order = dict.fromkeys([group, specification.order or group])
    return placed.sortWithinPartitions(*order).drop(_PLACE)


def _keys(spark: Any, count: int) -> list[int]:
    """Returns `count` integers. Spark's hash partitioning into `count` partitions puts the k-th of
    them into partition k."""
    from pyspark.sql import functions as f

    keys: dict[int, int] = {}
    step = 8 * count + 64
    first = 0
    while len(keys) < count:
        numbers = spark.range(first, first + step, numPartitions=1)
        partition = f.pmod(f.hash(f.col("id").cast("int")), f.lit(count)).alias("partition")
        for key, number in numbers.select("id", partition).collect():
            keys.setdefault(number, key)
        first += step
    return [keys[number] for number in range(count)]
