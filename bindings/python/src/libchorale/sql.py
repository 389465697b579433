"""`settle` and `partition` as functions in SQL of DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    why and conflict. The lists may be of any types that `libchorale.settle` takes. Rests on
    experimental calls of C: may change in any version.

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

    def settled(*lists: list[Any]) -> list[dict[str, Any]]:
        columns: dict[str, Any] = {
            column: column for column, _ in zip(("key", "label", "confidence", "count"), lists)
        }
        rows = [dict(zip(columns, entries)) for entries in zip(*lists)]
        found = settle(rows, **columns, **options).table
        for row in found:
            row["together"] = None if row["together"] is None else str(row["together"])
        return [{column: row[column] for column in NAMES} for row in found]

    needs = "keys, labels, confidences and, if wanted, counts"
    _create(connection, name, settled, _TYPE, (3, 4), needs)


def register_partition(connection: Any, name: str = "groups_of_pairs", **options: Any) -> None:
    """Makes a function groups_of_pairs(firsts, seconds, scores) of a DuckDB connection: from lists
    of equal length, the two records of each pair and their score (log-odds), to a list of structs,
    one for each record: record (a text) and in_group, the number of its group. Rests on
    experimental calls of C: may change in any version.

    options  arguments of `libchorale.partition.partition`: `greatest_size`, `effort` and so on

        sql.register_partition(connection)
        connection.sql('''
            select unnest(groups_of_pairs(
                list(unique_id_l), list(unique_id_r), list(match_weight)
            ), recursive := true) from predictions
        ''')
    """

    def divided(*lists: list[Any]) -> list[dict[str, Any]]:
        rows = [dict(zip(("first", "second", "score"), entries)) for entries in zip(*lists)]
        found = partition(rows, first="first", second="second", score="score", **options)
        return [
            {"record": str(record), "in_group": group}
            for record, group in zip(found.records, found.groups.tolist())
        ]

    kind = "struct(record varchar, in_group bigint)[]"
    _create(connection, name, divided, kind, (3,), "first records, second records and scores")


def _create(
    connection: Any,
    name: str,
    function: Callable[..., list[Any]],
    kind: str,
    counts: Sequence[int],
    needs: str,
) -> None:
    """Makes a function in SQL of a function that takes lists of equal length. kind: the type of its
    result. counts: how many lists it may take. needs: what they hold."""

    def checked(*lists: list[Any] | None) -> list[Any] | None:
        if len(lists) not in counts:
            raise ValueError(f"{name} has {len(lists)} arguments; it takes lists of {needs}")
        sizes = [None if of is None else len(of) for of in lists]
        if len(set(sizes)) > 1:
            raise ValueError(f"{name} has lists of {', '.join(map(str, sizes))} entries")
        return None if sizes[0] is None else function(*lists)  # all are null: those of no rows

    # No parameters: any number of arguments, of any types.
    connection.create_function(name, checked, None, kind, null_handling="special")
