"""Records with the scores of a base model, on which every experiment works."""

from functools import cached_property

import libchorale as ch
import numpy as np


class Scored:
    """records: numbers of records in the data set. unary: by record, T x m float32. transitions: by
    record, m x m float32, the same object for all records that one model has scored."""

    def __init__(self, records, unary, transitions):
        self.records, self.unary, self.transitions = list(records), list(unary), list(transitions)

    def __len__(self):
        return len(self.records)

    @cached_property
    def matrices(self):
        """The transitions as the library takes them: by record, one object for each model."""
        made = {}
        return [made.setdefault(id(m), ch.Transitions(m)) for m in self.transitions]

    @cached_property
    def own(self):
        """The base model's labellings."""
        return self.best(self.unary)

    def best(self, unary):
        """Returns the best labelling of each record by itself, with these unary scores."""
        solver = ch.ChainSolver()
        return [solver.best(u, m).labels for u, m in zip(unary, self.matrices)]

    @cached_property
    def margins(self):
        """By record: the score of the base labelling minus that of the second-best labelling."""
        solver, found = ch.ChainSolver(), []
        for unary, matrix in zip(self.unary, self.matrices):
            _, scores = solver.k_best(unary, matrix, k=2)
            found.append(scores[0] - scores[1] if len(scores) == 2 else float("inf"))
        return found

    @cached_property
    def position_margins(self):
        """By record and position: the best label's max-marginal minus that of the second-best
        label."""
        solver = ch.ChainSolver()
        return [solver.marginals(u, m).margins for u, m in zip(self.unary, self.matrices)]

    def part(self, chosen):
        """Returns some of the records as Scored. chosen: their indices in self.records."""
        chosen = list(chosen)
        return Scored([self.records[k] for k in chosen], [self.unary[k] for k in chosen],
                      [self.transitions[k] for k in chosen])


def by_group(data, scored):
    """Returns {group: indices of its records in scored.records}, groups ascending."""
    found = {}
    for k, r in enumerate(scored.records):
        found.setdefault(data.records[r].group, []).append(k)
    return dict(sorted(found.items()))
