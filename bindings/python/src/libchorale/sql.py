"""`settle` as a function in SQL of DuckDB."""

from __future__ import annotations

from typing import Any

from .settling import NAMES, settle

# What the function returns for each row.
_TYPE = (
    "struct(together varchar, probability double, changed boolean, why varchar, conflict boolean)[]"
)


def register(
    connection: Any, name: str = "settle", confidences: str = "double", **options: Any
) -> None:
    """Makes a function settle(keys, labels, confidences) of a DuckDB connection: from three lists
    of equal length to a list of structs, in the same order, with the columns that
    `libchorale.settle` adds: together (a text), probability, changed, why and conflict.

    confidences  the type of confidences: "double", or "varchar" for texts
    options      arguments of `libchorale.settle`: `missing`, `unusable`, `labels` and so on. By
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

    def settled(keys: list[Any], labels: list[Any], sure: list[Any]) -> list[dict[str, Any]]:
        if not len(keys) == len(labels) == len(sure):
            raise ValueError(f"{name} has lists of {len(keys)}, {len(labels)} and {len(sure)}")
        rows = [dict(key=k, label=v, sure=p) for k, v, p in zip(keys, labels, sure)]
        found = settle(rows, key="key", label="label", confidence="sure", **options)
        return [{column: row[column] for column in NAMES} for row in found.table]

    lists = ["varchar[]", "varchar[]", f"{confidences}[]"]
    connection.create_function(name, settled, lists, _TYPE, null_handling="special")
