"""The synthetic cliques of the paper's section on clique inference. Members have random scores in
[0, 2] for every value, under potentials whose strength lambda varies."""

import numpy as np

MEMBERS, VALUES = 100, 24


def steps(low, high, step):
    """Returns low, low + step, ... up to high."""
    return [round(low + k * step, 10) for k in range(int(round((high - low) / step)) + 1)]


# Potts against TRW-S and graph cuts: [0.8, 1.2]; against ICM, and majority: [0.7, 1.1).
CONTENDED = steps(0.8, 1.2, 0.05)
WIDE = steps(0.7, 1.08, 0.02)


def scores(rng, members=MEMBERS, values=VALUES):
    return rng.uniform(0.0, 2.0, (members, values))


def dense(rng, strength, values=VALUES):
    """MAJ-DENSE: symmetric, lambda on the diagonal, other entries at random in [0, 2 lambda]."""
    w = symmetric(rng.uniform(0.0, 2.0 * strength, (values, values)))
    np.fill_diagonal(w, strength)
    return w


def dominant(rng, strength, values=VALUES):
    """As MAJ-DENSE, with other entries in [0, lambda]: the diagonal is the greatest of its row."""
    w = symmetric(rng.uniform(0.0, strength, (values, values)))
    np.fill_diagonal(w, strength)
    return w


def sparse(rng, strength, values=VALUES):
    """MAJ-SPARSE: symmetric, entries at random in [0, 2 lambda], about 70 % of them set to zero."""
    w = rng.uniform(0.0, 2.0 * strength, (values, values))
    w[rng.uniform(size=w.shape) < 0.7] = 0.0
    return symmetric(w)


def symmetric(w):
    """Returns the lower triangle and its mirror image."""
    return np.tril(w) + np.tril(w, -1).T


def potentials(ch, values=VALUES):
    """Returns the potentials compared with ICM: name -> function of lambda. The paper states all of
    them without a scale. Without it, every lambda of the paper's range makes all members equal
    under Potts and square makespan, so these are divided by n here. Entropy is used both as stated
    and divided by log n."""
    return {
        "Potts / n": lambda s: ch.Potential.potts(values, s, scale="members"),
        "entropy": lambda s: ch.Potential.entropy(values, s),
        "entropy / log n": lambda s: ch.Potential.entropy(values, s, scale="log"),
        "makespan": lambda s: ch.Potential.makespan(values, s),
        "square makespan / n": lambda s: ch.Potential.square_makespan(values, s, scale="members"),
    }
