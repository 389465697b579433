"""A linear-chain CRF over dense and sparse columns of numbers, in NumPy: the head on an encoder's states."""

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix


class Chains:
    """Chains of several lengths, whose rows lie one chain after the other: finds the rows of a
    position."""

    def __init__(self, lengths):
        # The longest chains come first, so that the chains that have a position t are a prefix of
        # this order.
        lengths = np.asarray(lengths)
        order = np.argsort(-lengths, kind="stable")
        starts = (np.cumsum(lengths) - lengths)[order]
        self.rows = [starts[:np.count_nonzero(lengths > t)] + t for t in range(lengths.max())]

    def expected(self, unary, edges):
        """Returns three things: the sum over chains of the logarithm of the sum of exp(score) over
        all labellings; the probabilities of labels (shaped like unary); the expected counts of
        transitions (shaped like edges)."""
        high = unary.max(axis=1, keepdims=True)
        local, matrix = np.exp(unary - high), np.exp(edges)
        forward, total = [], high.sum()
        for t, rows in enumerate(self.rows):
            alpha = local[rows] if t == 0 else (forward[-1][:len(rows)] @ matrix) * local[rows]
            scale = alpha.sum(axis=1, keepdims=True)
            total += np.log(scale).sum()
            forward.append(alpha / scale)
        marginals, counts = np.empty_like(unary), np.zeros_like(edges)
        beta = np.ones_like(forward[-1])
        for t in reversed(range(len(self.rows))):
            if t + 1 < len(self.rows):
                following = self.rows[t + 1]
                before, after = forward[t][:len(following)], local[following] * beta
                counts += matrix * (before.T @ (after / ((before @ matrix) * after).sum(axis=1, keepdims=True)))
                inner = after @ matrix.T
                beta = np.ones_like(forward[t])
                beta[:len(following)] = inner / inner.max(axis=1, keepdims=True)
            both = forward[t] * beta
            marginals[self.rows[t]] = both / both.sum(axis=1, keepdims=True)
        return total, marginals, counts


def train(dense, sparse, lengths, labels, count, penalty, iterations=100):
    """Returns the weights (of dense columns, of sparse columns, of transitions) that maximise the
    log-likelihood of `labels` (by row, a number) minus penalty / 2 times the sum of squared
    weights. count: number of labels."""
    chains, rows = Chains(lengths), np.arange(len(labels))
    widths = [dense.shape[1], sparse.shape[1], count]
    cuts = np.cumsum(widths)[:-1]
    inside = np.ones(len(labels), dtype=bool)
    inside[np.cumsum(lengths) - 1] = False
    pairs = labels[:-1][inside[:-1]], labels[1:][inside[:-1]]
    transposed = sparse.T.tocsr()

    def loss(flat):
        of_dense, of_sparse, edges = np.split(flat.reshape(-1, count), cuts)
        unary = dense @ of_dense.astype(dense.dtype) + sparse @ of_sparse
        total, marginals, counts = chains.expected(unary, edges)
        value = total - unary[rows, labels].sum() - edges[pairs].sum()
        marginals[rows, labels] -= 1
        np.subtract.at(counts, pairs, 1)
        slope = np.concatenate([dense.T @ marginals.astype(dense.dtype), transposed @ marginals, counts])
        return value + 0.5 * penalty * flat @ flat, slope.ravel() + penalty * flat

    found = minimize(loss, np.zeros(sum(widths) * count), jac=True, method="L-BFGS-B",
                     options={"maxiter": iterations}).x
    return np.split(found.reshape(-1, count), cuts)


def columns(rows, numbers):
    """Returns a sparse matrix of rows of strings. numbers: string -> column; other strings are left
    out."""
    ids = [[numbers[name] for name in row if name in numbers] for row in rows]
    bounds = np.cumsum([0, *map(len, ids)])
    flat = np.array([number for row in ids for number in row], dtype=np.int32)
    return csr_matrix((np.ones(len(flat)), flat, bounds), shape=(len(rows), len(numbers)))
