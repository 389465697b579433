"""Makes the problem of a publication page from the rows of a group; executors do this.

Executors need libchorale and, beside this file, collective.py and pages.py of
examples/publications.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import libchorale as ch
import numpy as np
from collective import KINDS, Collection, Scored
from libchorale.batches import Problems
from libchorale.learn import Learnt
from pages import Record

GROUP, ORDER = "page", "id"


def pages(labels: Sequence[str], transitions: Any, learnt: Learnt | None) -> Problems:
    """Returns what to do with rows of pages. learnt None: each record is labelled by itself."""
    make = functools.partial(problem_of, list(labels), np.asarray(transitions), learnt is not None)
    return Problems(GROUP, make, learnt, order=ORDER, names=labels)


def problem_of(labels: list[str], transitions: Any, together: bool, rows: Any) -> ch.Problem:
    """Returns the problem of a page, with a clique for each property, as in examples/publications;
    without cliques unless `together`."""
    page = rows.column(GROUP)[0].as_py()
    shared = ch.Transitions(transitions)
    scored = [
        Scored(Record(page, 0, "", words, [], []), matrix, shared)
        for words, matrix in zip(rows.column("words").to_pylist(), matrices(rows, len(labels)))
    ]
    if not together:
        builder = ch.ModelBuilder()
        for s in scored:
            builder.add_chain(s.unary, s.transitions)
        return ch.Problem(builder.freeze())
    collection = Collection(scored, labels)
    problem = ch.Problem(collection.agreeing(dict.fromkeys(KINDS, 1.0)))
    problem.clique_kinds = KINDS
    return problem


def matrices(rows: Any, labels: int) -> list[Any]:
    """Returns the scores of each row, T x m."""
    column = rows.column("scores").combine_chunks()
    flat = column.flatten().flatten().to_numpy().reshape(-1, labels)
    return np.split(flat, np.cumsum(column.value_lengths().to_numpy())[:-1])
