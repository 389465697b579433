"""Strengths by cross-validation inside the training groups.

The call for others is `tune`: labelled groups in (as a function that measures a setting on them),
per-property strengths out. It needs nothing but NumPy.
"""

import numpy as np


def jackknife(gain, groups):
    """The standard error of gain(weights of groups), by leaving out one group at a time."""
    left_out = []
    for g in range(groups):
        weights = np.ones(groups)
        weights[g] = 0.0
        left_out.append(gain(weights))
    left_out = np.asarray(left_out)
    return float(np.sqrt((groups - 1) / groups * ((left_out - left_out.mean()) ** 2).sum()))


def tune(measure, names, grid, quality, caution=1.0, factors=(0.0, 0.5, 2.0), start=None):
    """Per-property strengths.

    measure: takes {name: strength} and returns counts of the labelled groups under it, groups
        first; they are scored by models that have not seen them.
    names: the properties. grid: strengths to try, 0 (the property is left out) among them.
    quality: takes counts summed over groups (one table) and returns a number, higher is better.
    caution: a setting replaces another, zeros to begin with, only where its gain exceeds `caution`
        times the gain's standard error over groups.
    factors: after one search with all strengths equal, each strength in turn is multiplied by these.
    start: equal strengths found before, in the place of the first search.
    Returns (strengths, quality). measure is called once for each distinct setting.
    """
    known = {}

    def table(strengths):
        key = tuple(strengths[n] for n in names)
        if key not in known:
            known[key] = np.asarray(measure(strengths))
        return known[key]

    def total(counts, weights=None):
        return quality(counts.sum(axis=0) if weights is None else np.tensordot(weights, counts, 1))

    def better(new, old):
        a, b = table(new), table(old)
        gain = total(a) - total(b)
        if gain <= 0:
            return False
        error = jackknife(lambda w: total(a, w) - total(b, w), len(a)) if caution and len(a) > 1 else 0
        return gain > caution * error

    def best_of(candidates, fallback):
        """The best candidate, if it is credibly better than the fallback."""
        first = max(candidates, key=lambda s: total(table(s)))
        return first if better(first, fallback) else fallback

    nothing = {n: 0.0 for n in names}
    current = dict(start) if start is not None else best_of(
        [{n: float(g) for n in names} for g in grid], nothing)
    if len(names) > 1 and factors and current != nothing:
        for name in names:
            current = best_of([{**current, name: current[name] * f} for f in factors], current)
    return current, total(table(current))
