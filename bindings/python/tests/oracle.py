"""Definitions of scores and potentials in plain Python, with which tests compare the library."""

from __future__ import annotations

import itertools
import math

import numpy as np


def chain_score(unary, labels, edges=None, start=None, end=None, parents=None):
    """Returns the score of a labelling of a chain or tree. edges: m x m for all edges; or a matrix
    for each edge, where edges[t - 1] is for the edge between position t and its parent."""
    total = 0.0
    length = len(unary)
    above = [t - 1 for t in range(length)] if parents is None else list(parents)
    leaves = set(range(length)) - set(above)
    for t, label in enumerate(labels):
        total += float(unary[t][label])
        if above[t] < 0:
            total += 0.0 if start is None else float(start[label])
        elif edges is not None:
            matrix = edges if np.ndim(edges) == 2 else edges[t - 1]
            total += float(matrix[labels[above[t]]][label])
        if t in leaves and end is not None:
            total += float(end[label])
    return total


def labellings(length, labels):
    return itertools.product(range(labels), repeat=length)


def clique_scores(scores, potential):
    """Returns a dict from every assignment of values to its total score. scores: n x R. potential:
    a function of the counts and the number of members."""
    members, values = scores.shape
    found = {}
    for assignment in labellings(members, values):
        counts = np.bincount(assignment, minlength=values)
        own = sum(scores[i, v] for i, v in enumerate(assignment))
        found[assignment] = own + potential(counts, members)
    return found


FAMILIES = ("potts", "negative potts", "entropy", "makespan", "square_makespan", "sum", "max")
FAMILIES += ("majority", "pairs", "callback")


def potential(module, rng, family, values, members):
    """Returns a random potential of a family, and a Python function of the counts and the number of
    members that computes the same score. module: libchorale."""
    strength = float(rng.uniform(0.1, 1.5))
    make = module.Potential
    if family == "potts":
        return make.potts(values, strength), lambda n, m: strength * float((n**2).sum())
    if family == "negative potts":
        return make.potts(values, -strength), lambda n, m: -strength * float((n**2).sum())
    if family == "entropy":
        return make.entropy(
            values, strength, scale="members"
        ), lambda n, m: strength * sum(k * math.log(k) for k in n if k) / m
    if family == "makespan":
        return make.makespan(
            values, strength, scale="log"
        ), lambda n, m: strength * float(n.max()) / (math.log(m) if m > 1 else 1.0)
    if family == "square_makespan":
        return make.square_makespan(values, strength), lambda n, m: strength * float(n.max()) ** 2
    if family in ("sum", "max"):
        tables = rng.normal(size=(values, members + 1))
        combined = sum if family == "sum" else max
        return getattr(make, family)(tables), lambda n, m: float(
            combined(tables[v, n[v]] for v in range(values))
        )
    if family == "majority":
        weights, bias = rng.normal(size=(values, values)), rng.normal(size=values)
        return make.majority(weights, bias), lambda n, m: float(
            max(bias[a] + weights[a] @ n for a in np.flatnonzero(n == n.max()))
        )
    if family == "pairs":
        scores = rng.normal(size=(values, values))
        return make.pairs(scores), lambda n, m: float(n @ scores @ n - np.diag(scores) @ n)
    assert family == "callback"
    tables = rng.normal(size=members + 1)

    def function(n, m):
        return float(tables[n[0]] * (1 + n[-1]))

    return make.callback(values, function), function
