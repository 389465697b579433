"""`settle` and `partition` as functions in SQL of DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .partition import partition
from .settling import NAMES, settle

# What the function returns for each row.
_TYPE = (
    "struct(together varchar, probability double, changed boolean, why varchar, conflict boolean)[]"
)


def register(connection: Any, name: str = "settle", **options: Any) -> None:
    """Makes a function settle(keys, labels, confidences) of a DuckDB connection, and settle(keys,
    labels, confidences, counts): from lists of equal length to a list of structs, in the same
    order, with the columns that `libchorale.settle` adds: together (a text), probability, changed,
    why and conflict. The lists may be of any types that `libchorale.settle` takes.

    options  arguments of `libchorale.settle`: `missing`, `unusable`, `labels` and so on. By
             default null labels and null confidences raise an error

        import duckdb
        from libchorale import sql

        connection = duckdb.connect("mentions.db")
        sql.register(connection, missing=0.6, unusable="fill")
        connection.sql('''
            with lists as (
                select list(id) as ids, settle(list(name), list(type), list(sure)) as found
                from mentions
            )
            select unnest(ids) as id, unnest(found, recursive := true) from lists
        ''')

    labels the rows of a table together, and `id` joins them back to it; with `group by document`,
    those of each document. The lists become Python objects, about a kilobyte a row; a relation
    given to `libchorale.settle` takes half of that, and a quarter of the time.
    """

    def settled(*lists: list[Any] | None) -> list[dict[str, Any]] | None:
        if not 3 <= len(lists) <= 4:
            raise ValueError(
                f"{name} has {len(lists)} arguments; it takes lists of keys, labels, confidences "
                "and, if wanted, counts"
            )
        given = _columns(name, lists)
        if not given:
            return None
        columns: dict[str, Any] = {
            column: column for column, _ in zip(("key", "label", "confidence", "count"), lists)
        }
        rows = [dict(zip(columns, entries)) for entries in zip(*given)]
        found = settle(rows, **columns, **options).table
        for row in found:
            row["together"] = None if row["together"] is None else str(row["together"])
        return [{column: row[column] for column in NAMES} for row in found]

    # No parameters: any number of arguments, of any types.
    connection.create_function(name, settled, None, _TYPE, null_handling="special")


def register_partition(connection: Any, name: str = "groups_of_pairs", **options: Any) -> None:
    """Makes a function groups_of_pairs(firsts, seconds, scores) of a DuckDB connection: from lists
    of equal length, the two records of each pair and their score (log-odds), to a list of structs,
    one for each record: record (a text) and in_group, the number of its group.

    options  arguments of `libchorale.partition.partition`: `greatest_size`, `effort` and so on

        sql.register_partition(connection)
        connection.sql('''
            select unnest(groups_of_pairs(
                list(unique_id_l), list(unique_id_r), list(match_weight)
            ), recursive := true) from predictions
        ''')
    """

    def divided(*lists: list[Any] | None) -> list[dict[str, Any]] | None:
        if len(lists) != 3:
            raise ValueError(
                f"{name} has {len(lists)} arguments; it takes lists of first records, second "
                "records and scores"
            )
        given = _columns(name, lists)
        if not given:
            return None
        rows = [dict(zip(("first", "second", "score"), entries)) for entries in zip(*given)]
        found = partition(rows, first="first", second="second", score="score", **options)
        return [
            {"record": str(record), "in_group": group}
            for record, group in zip(found.records, found.groups.tolist())
        ]

    connection.create_function(
        name, divided, None, "struct(record varchar, in_group bigint)[]", null_handling="special"
    )


def _columns(name: str, lists: Sequence[list[Any] | None]) -> list[list[Any]]:
    """Returns the lists that a function is given, which must have the same length; none if all are
    null: those of no rows."""
    given = [of for of in lists if of is not None]
    if len({len(of) for of in given}) > 1 or 0 < len(given) < len(lists):
        sizes = [None if of is None else len(of) for of in lists]
        raise ValueError(f"{name} has lists of {', '.join(map(str, sizes))} entries")
    return given
