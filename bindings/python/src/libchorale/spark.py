"""Spark: the rows of a DataFrame are labelled where they lie, group by group.

Executors need Python, this package and pyarrow. What ought to agree travels to them as it is pickled.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any

from . import batches
from .batches import Errors, Specification, output_schema

_PLACE = "libchorale_place"


def label(
    frame: Any,
    specification: Specification,
    *,
    errors: Errors = "raise",
    most_rows: int | None = None,
    partitions: int | None = None,
) -> Any:
    """Labels a `pyspark.sql.DataFrame` as `libchorale.batches.label` does a stream, and gives a
    DataFrame with more columns.

    partitions  tasks for all groups but the largest; None: spark.sql.shuffle.partitions

    The other arguments are those of `batches.label`. Counts the rows of each group at once (a job of
    its own), so that many small groups share a task and each group of more than an even share of the
    rows has one. The labels are those of `batches.label`, whatever the partitions; where rows of a
    group may come in any order, `specification.order` makes them the same every time.
    """
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    made = output_schema(to_arrow_schema(frame.schema), specification, errors)
    placed = _placed(frame, specification.group, partitions)
    order = [specification.group] + ([] if specification.order is None else [specification.order])
    work = functools.partial(_work, specification, errors, most_rows)
    rows = placed.sortWithinPartitions(*order).drop(_PLACE)
    return rows.mapInArrow(work, from_arrow_schema(made))


def _work(
    specification: Specification, errors: Errors, most_rows: int | None, stream: Iterable[Any]
) -> Iterator[Any]:
    return batches.label(stream, specification, errors=errors, most_rows=most_rows)


def _placed(frame: Any, group: str, partitions: int | None) -> Any:
    """The rows so partitioned that a group is in one partition, and a large one alone in its own."""
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
    """Integers of which Spark puts the k-th into partition k of `count`, as it places by a hash."""
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
