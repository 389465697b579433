"""Rivals that clique inference is compared with. TRW-S (trws.c) and alpha-expansion by graph cuts
(PyMaxflow) see a clique as the complete graph of its members. The Lagrangian relaxation is as the
paper prints it (printed_lagrangian.c). The C files are compiled when they are first needed."""

import ctypes
import functools
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

FLAGS = ["-O3", "-std=c99", "-shared", "-fPIC", "-ffp-contract=off"]


@functools.cache
def compiled(name):
    """Compiles the C file with this name, and returns it as a loaded library."""
    source = Path(__file__).with_name(f"{name}.c")
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / f"{name}.so"
        subprocess.run([os.environ.get("CC", "cc"), *FLAGS, "-o", str(library), str(source), "-lm"],
                       check=True)
        return ctypes.CDLL(str(library))


class TRWS:
    """TRW-S over a graph. unary: nodes x labels. edges: pairs of nodes (lower, higher). tables: by
    edge, the number of its table in `scores`, -1 for Potts. weights: by edge, its Potts weight.
    scores: the tables; a row is a label of the lower node."""

    def __init__(self, unary, edges, weights=None, tables=None, scores=None):
        self._library = library = compiled("trws")
        library.trws_create.restype = ctypes.c_void_p
        library.trws_create.argtypes = [ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p,
                                        ctypes.c_int64] + [ctypes.c_void_p] * 5
        library.trws_destroy.argtypes = [ctypes.c_void_p]
        library.trws_destroy.restype = None
        library.trws_iterate.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        library.trws_iterate.restype = ctypes.c_double
        self._handle = None
        edges = np.asarray(edges)
        count = len(edges)
        self.unary = np.ascontiguousarray(unary, dtype=np.float64)
        self.lower = np.ascontiguousarray(edges[:, 0], dtype=np.int32)
        self.higher = np.ascontiguousarray(edges[:, 1], dtype=np.int32)
        if not np.all(self.lower < self.higher):
            raise ValueError("edges must name the lower node first")
        self.tables = np.full(count, -1, np.int32) if tables is None else \
            np.ascontiguousarray(tables, dtype=np.int32)
        self.weights = np.zeros(count) if weights is None else \
            np.ascontiguousarray(weights, dtype=np.float64)
        nodes, labels = self.unary.shape
        self.scores = np.zeros((1, labels, labels)) if scores is None else \
            np.ascontiguousarray(scores, dtype=np.float64)
        if np.any(self.weights < 0):
            raise ValueError("Potts weights must not be negative")
        self._handle = library.trws_create(
            nodes, labels, self.unary.ctypes.data, count, self.lower.ctypes.data,
            self.higher.ctypes.data, self.tables.ctypes.data, self.weights.ctypes.data,
            self.scores.ctypes.data)
        if not self._handle:
            raise MemoryError("no memory for TRW-S")

    def __del__(self):
        if getattr(self, "_handle", None):
            self._library.trws_destroy(self._handle)
            self._handle = None

    def iterate(self):
        """Does one iteration. Returns (a labelling, an upper bound)."""
        x = np.zeros(len(self.unary), dtype=np.int32)
        return x, self._library.trws_iterate(self._handle, x.ctypes.data)

    def score(self, x):
        """Returns the score of a labelling."""
        a, b = x[self.lower], x[self.higher]
        pairs = np.where(self.tables < 0, self.weights * (a == b),
                         self.scores[np.maximum(self.tables, 0), a, b])
        return float(self.unary[np.arange(len(x)), x].sum() + pairs.sum())


def complete_graph(members):
    """Returns the pairs i < j."""
    return np.column_stack(np.triu_indices(members, 1)).astype(np.int32)


def potts_trws(psi, strength, iterations, clock, slack=1e-9, patience=20):
    """Runs TRW-S on the sum of psi plus strength * sum_v n_v^2, until the optimum is proven, the
    bound stands still, or `iterations` have run. Returns (labels, score, upper bound, seconds until
    these labels were found, seconds in all, iterations until they were found, iterations in
    all)."""
    begun = clock()
    members = len(psi)
    edges = complete_graph(members)
    solver = TRWS(psi, edges, np.full(len(edges), 2.0 * strength))
    constant = strength * members
    best, score, reached, at, bound, still = None, -np.inf, 0.0, 0, np.inf, 0
    used = clock() - begun
    for k in range(1, iterations + 1):
        begun = clock()
        x, now = solver.iterate()
        found = potts_score(psi, strength, x)
        used += clock() - begun
        if found > score:
            best, score, reached, at = x, found, used, k
        now += constant
        still = still + 1 if bound - now <= 1e-7 * max(1.0, abs(now)) else 0
        bound = min(bound, now)
        if bound - score <= slack * max(1.0, abs(score)) or still >= patience:
            break
    return best, score, bound, reached, used, at, k


def potts_score(psi, strength, x):
    counts = np.bincount(x, minlength=psi.shape[1]).astype(np.float64)
    return float(psi[np.arange(len(x)), x].sum() + strength * (counts @ counts))


def potts_expansion(psi, strength, clock, start=None):
    """Runs alpha-expansion on the sum of psi plus strength * sum_v n_v^2. Each move is the best
    one, by a minimum cut of the complete graph; rounds go on until no value gains. Starts from each
    member's own best value. Returns (labels, score, seconds, cuts)."""
    import maxflow

    begun = clock()
    members, values = psi.shape
    lower, higher = complete_graph(members).T
    pair = 2.0 * strength  # what a pair of unequal members loses
    x = psi.argmax(axis=1) if start is None else np.array(start)
    score = potts_score(psi, strength, x)
    cuts, failures, alpha = 0, 0, 0
    own = np.arange(members)
    while failures < values:
        # y_i = 1 if member i takes alpha. The cost of a pair (y_i, y_j), i < j, is
        #   both_stay + (first - both_stay) y_i - first y_j
        #             + (first + second - both_stay) (1 - y_i) y_j.
        # The last term is an arc of the graph; its capacity is never negative.
        both_stay = pair * (x[lower] != x[higher])
        second = pair * (x[lower] != alpha)
        first = pair * (x[higher] != alpha)
        one = -psi[:, alpha] + np.bincount(lower, first - both_stay, members) \
            - np.bincount(higher, first, members)
        zero = -psi[own, x]
        base = np.minimum(one, zero)
        graph = maxflow.Graph[float](members, len(lower))
        nodes = graph.add_nodes(members)
        # A node on the sink side has y = 1: the arc from the source to it is then cut.
        graph.add_grid_tedges(nodes, one - base, zero - base)
        graph.add_edges(lower, higher, first + second - both_stay, np.zeros(len(lower)))
        graph.maxflow()
        moved = np.where(graph.get_grid_segments(nodes), alpha, x)
        cuts += 1
        found = potts_score(psi, strength, moved)
        if found > score + 1e-12 * max(1.0, abs(score)):
            x, score, failures = moved, found, 0
        else:
            failures += 1
        alpha = (alpha + 1) % values
    return x, score, clock() - begun, cuts


def printed_lagrangian(psi, weights, iterations=200, tolerance=1e-3):
    """Returns the score that the paper's conservative Lagrangian relaxation finds, run as
    printed."""
    function = compiled("printed_lagrangian").printed_lagrangian
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p,
                         ctypes.c_int64, ctypes.c_double]
    psi = np.ascontiguousarray(psi, dtype=np.float64)
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    score = function(*psi.shape, psi.ctypes.data, weights.ctypes.data, iterations, tolerance)
    if np.isnan(score):
        raise MemoryError("no memory for the Lagrangian relaxation")
    return score
