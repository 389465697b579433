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
from .prices import Asked, sum_of
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
    DataFrame with more columns.

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
    placed = _placed(frame, specification.group, partitions)
    order = [specification.group] + ([] if specification.order is None else [specification.order])
    work = functools.partial(_work, specification, errors, most_rows)
    rows = placed.sortWithinPartitions(*order).drop(_PLACE)
    return rows.mapInArrow(work, from_arrow_schema(made))


def label_shared(
    frame: Any, specification: SharedKeys, *, partitions: int | None = None
) -> Labelled:
    """Labels a `pyspark.sql.DataFrame` as `libchorale.shared.label` does a stream: positions with
    the same key agree across all groups. Returns a DataFrame with more columns, and the outcome of
    the search for prices. Both are the same for any number of partitions.

    Runs one job for each round, at most `specification.rounds`, and a few others. Each job sends
    prices to the tasks and returns counts; meanwhile the rows are cached. If rows of a group may arrive in any order, `specification.chains.order` must
    name a column.
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
    counted = {key: n for key, n in counted.items() if isinstance(key, str) or key >= 0}
    numbers, search = specification.search(counted, int(first[0]))
    group = chains.group
    order = dict.fromkeys([group, chains.order or group])
    placed = _placed(frame, group, partitions).sortWithinPartitions(*order).drop(_PLACE)
    placed = placed.persist()
    try:
        while (asked := search.ask()) is not None:
            work = functools.partial(_answer, specification, numbers, asked)
            answers = placed.mapInArrow(work, "answer binary").collect()
            search.take(sum_of(pickle.loads(zlib.decompress(row["answer"])) for row in answers))
        work = functools.partial(_under_prices, specification, numbers, search)
        # Computes and caches the result now. Otherwise Spark would compute it when the caller uses
        # it, after `placed` has been released.
        found = placed.mapInArrow(work, from_arrow_schema(made)).persist()
        found.count()
    finally:
        placed.unpersist()
    return Labelled(found, search.outcome())


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
    found = shared.answer(stream, specification, numbers, asked)
    if found is not None:
        data = [zlib.compress(pickle.dumps(found), 1)]
        arrow = pyarrow()
        yield arrow.RecordBatch.from_arrays([arrow.array(data, arrow.binary())], ["answer"])


def _under_prices(
    specification: SharedKeys, numbers: Keys, search: Any, stream: Iterable[Any]
) -> Iterator[Any]:
    return shared.under_prices(stream, specification, numbers, search)


def _work(
    specification: Specification, errors: Errors, most_rows: int | None, stream: Iterable[Any]
) -> Iterator[Any]:
    return batches.label(stream, specification, errors=errors, most_rows=most_rows, progress=False)


def _placed(frame: Any, group: str, partitions: int | None) -> Any:
    """Returns the rows, partitioned so that each group is in one partition, and a large group is in
    a partition of its own."""
    from pyspark.sql import functions as f

    spark = frame.sparkSession
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
    shared = f.array(*[f.lit(key) for key in keys[:partitions]])
    place = f.get(shared, f.pmod(f.xxhash64(group), f.lit(partitions)).cast("int"))
    for value, key in zip(large, keys[partitions:]):
        place = f.when(f.col(group) == f.lit(value), f.lit(key)).otherwise(place)
    return frame.withColumn(_PLACE, place).repartition(len(keys), _PLACE)


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
