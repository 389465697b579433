"""Records with the scores of a base model: what every experiment works on."""

from functools import cached_property

import libchorale as ch
import numpy as np


class Scored:
    """records: their numbers in the data set; unary: of each, T x m float32; transitions: of each, m
    x m float32, the same object for all that one model has scored."""

    def __init__(self, records, unary, transitions):
        self.records, self.unary, self.transitions = list(records), list(unary), list(transitions)

    def __len__(self):
        return len(self.records)

    @cached_property
    def matrices(self):
        """The transitions as the library takes them, one object a model."""
        made = {}
        return [made.setdefault(id(m), ch.Transitions(m)) for m in self.transitions]

    @cached_property
    def own(self):
        """The base model's labellings."""
        return self.best(self.unary)

    def best(self, unary):
        """The best labelling of each record by itself, with these unary scores."""
        solver = ch.ChainSolver()
        return [solver.best(u, m).labels for u, m in zip(unary, self.matrices)]

    @cached_property
    def margins(self):
        """By how much each base labelling beats the next best one of its record."""
        solver, found = ch.ChainSolver(), []
        for unary, matrix in zip(self.unary, self.matrices):
            _, scores = solver.k_best(unary, matrix, k=2)
            found.append(scores[0] - scores[1] if len(scores) == 2 else float("inf"))
        return found

    @cached_property
    def position_margins(self):
        """Of each position of each record, by how much its best label beats its next best one."""
        solver = ch.ChainSolver()
        return [solver.margins(u, m) for u, m in zip(self.unary, self.matrices)]

    def part(self, chosen):
        """Some of the records, by their place here."""
        chosen = list(chosen)
        return Scored([self.records[k] for k in chosen], [self.unary[k] for k in chosen],
                      [self.transitions[k] for k in chosen])


def by_group(data, scored):
    """The places of the records of each group, {group: list}, groups ascending."""
    found = {}
    for k, r in enumerate(scored.records):
        found.setdefault(data.records[r].group, []).append(k)
    return dict(sorted(found.items()))
