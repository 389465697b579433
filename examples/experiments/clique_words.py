"""Cliques of repeated words from labelled data, and the collective run against TRW-S on them.

The chains are those of the base model (base_model.py). A clique consists of all occurrences of one
token in the test groups, inside records and across them; the token must contain a letter or digit.
"""

from dataclasses import dataclass, field

import numpy as np

import libchorale as ch
from base_model import Store, fit
from datasets import read, split
from features import Features
from rivals import TRWS

TRAINING = 0.3
SIZES = (10, 300)  # members of a clique that is solved by itself; the paper's have 10 to 259
STRENGTHS = (0.5, 1.0, 2.0, 4.0, 8.0)


@dataclass
class Cliques:
    description: str
    psi: list  # by clique, n x R: max-marginals of its members, the least of each row being 0
    weights: dict  # R x R, by the name of how W was learnt


@dataclass
class Curve:
    f1: list = field(default_factory=list)  # before, and after each iteration
    score: list = field(default_factory=list)  # equation 1 of the same labellings
    seconds: list = field(default_factory=list)  # of each iteration
    bound: float = np.inf


@dataclass
class Iterations:
    description: str
    collective: Curve
    trws: Curve


class Task:
    """A data set with base scores: training records (scored by models that have not seen them) and
    test records, over the labels that occur in the training records."""

    def __init__(self, data_folder, name, fraction, cache):
        self.data = read(name, data_folder / name / "data.conll")
        train, test = split(self.data, fraction, 0)
        held_out, scored = fit(Store(cache / "scores"), self.data, lambda: Features(self.data), train, test, 0)
        shown = np.unique(np.concatenate([self.data.records[r].labels for r in held_out.records]))
        self.labels = shown
        self.kind = self.data.kind_of_label[shown]
        self.other = self.data.other
        self.training, self.test = self.narrow(held_out), self.narrow(scored)

    def narrow(self, scored):
        """Returns [(record, unary, transitions)] over the labels that occur, in double
        precision."""
        made, of = [], {}
        for r, unary, transitions in zip(scored.records, scored.unary, scored.transitions):
            if id(transitions) not in of:
                of[id(transitions)] = np.ascontiguousarray(
                    transitions[np.ix_(self.labels, self.labels)], dtype=np.float64)
            made.append((self.data.records[r],
                         np.ascontiguousarray(unary[:, self.labels], dtype=np.float64),
                         of[id(transitions)]))
        return made

    def gold(self, chains):
        return [self.data.kind_of_label[record.labels] for record, _, _ in chains]

    def f1(self, chains, labels):
        """Returns the token F1 over all kinds but Other, in per cent. labels: of all chains, chain
        after chain."""
        gold = np.concatenate(self.gold(chains))
        found = self.kind[labels]
        right = np.sum((gold == found) & (gold != self.other))
        wanted, given = np.sum(gold != self.other), np.sum(found != self.other)
        return 200.0 * right / max(1, wanted + given)


def is_word(token):
    return any(c.isalnum() for c in token)


def occurrences(chains, minimum):
    """Returns word -> [(chain, position)] for words that occur at least `minimum` times, sorted by
    word."""
    where = {}
    for i, (record, _, _) in enumerate(chains):
        for t, token in enumerate(record.tokens):
            if is_word(token):
                where.setdefault(token, []).append((i, t))
    return {word: where[word] for word in sorted(where) if len(where[word]) >= minimum}


def max_marginals(chains):
    """Returns the max-marginals of each chain (T x m), shifted so that the least of each position
    is 0."""
    solver, made = ch.ChainSolver(), []
    shared = {}
    for _, unary, transitions in chains:
        if id(transitions) not in shared:
            shared[id(transitions)] = ch.Transitions(transitions)
        found = np.asarray(solver.marginals(unary, shared[id(transitions)]).marginals)
        made.append(found - found.min(axis=1, keepdims=True))
    return made


def members(marginals, places):
    return np.ascontiguousarray([marginals[i][t] for i, t in places])


def counts_of(labels, values):
    return np.bincount(labels, minlength=values).astype(np.float64)


def co_occurrence(cliques, values):
    """Returns W: w_av is the share of v among the members of those training cliques whose commonest
    label is a."""
    w = np.zeros((values, values))
    for _, gold in cliques:
        counts = counts_of(gold, values)
        w[counts.argmax()] += counts
    return w / np.maximum(1.0, w.sum(axis=1, keepdims=True))


def perceptron(cliques, values, rounds=10):
    """Learns W by an averaged perceptron whose features are the counts under the majority label.
    The features of a clique are divided by its size, so that large cliques do not outweigh the
    others."""
    solver = ch.CliqueSolver()
    w, total = np.zeros((values, values)), np.zeros((values, values))
    rng = np.random.default_rng(0)
    for _ in range(rounds):
        for k in rng.permutation(len(cliques)):
            psi, gold = cliques[k]
            found = solver.solve(ch.Potential.majority(w), psi, algorithm="exact_majority").labels
            for labels, sign in ((gold, 1.0), (found, -1.0)):
                counts = counts_of(labels, values)
                top = np.flatnonzero(counts == counts.max())
                w[top[(w[top] @ counts).argmax()]] += sign * counts / len(gold)
            total += w
    return total / (rounds * len(cliques))


def cliques(data_folder, name, cache, limit):
    """Returns the large word cliques of the test groups, and W from the training groups; None
    without the data. limit: greatest number of cliques, 0: all."""
    if not (data_folder / name / "data.conll").exists():
        return None
    task = Task(data_folder, name, TRAINING, cache)
    values = len(task.labels)
    number = {label: k for k, label in enumerate(task.labels)}
    marginals = max_marginals(task.training)
    training = []
    for places in occurrences(task.training, 3).values():
        gold = np.array([number[task.training[i][0].labels[t]] for i, t in places])
        training.append((members(marginals, places), gold))
    marginals = max_marginals(task.test)
    psi = [members(marginals, places) for places in occurrences(task.test, SIZES[0]).values()
           if len(places) <= SIZES[1]]
    if limit:
        psi = psi[:limit]
    return Cliques(
        f"{len(psi)} cliques of {SIZES[0]} to {SIZES[1]} members, {values} labels; a CRF trained on "
        f"{100 * TRAINING:.0f} % of the groups scores the members (max-marginals).",
        psi, {"from co-occurrence": co_occurrence(training, values),
              "by a perceptron": perceptron(training, values)})


def word_model(task, chains, strength):
    """Returns the model of a collective run: chains, and a clique for every word that occurs
    twice."""
    words = {}
    tokens = [np.array([words.setdefault(token, len(words)) if is_word(token) else -1
                        for token in record.tokens], dtype=np.int32) for record, _, _ in chains]
    builder = ch.ModelBuilder()
    shared = {}
    for (_, unary, transitions), ids in zip(chains, tokens):
        if id(transitions) not in shared:
            shared[id(transitions)] = ch.Transitions(transitions)
        builder.add_chain(unary, shared[id(transitions)], tokens=ids)
    potential = ch.Potential.potts(len(task.labels), strength, scale="members")
    builder.add_repeated_words(potential, minimum=2, across=True)
    return builder.freeze()


def pairwise(chains, strength):
    """Returns the same model as a graph over tokens, for TRW-S, and the constant that must be added
    to its scores to give equation 1."""
    starts = np.concatenate([[0], np.cumsum([len(unary) for _, unary, _ in chains])])
    tables, number, edges, kinds, weights = [], {}, [], [], []
    for i, (_, unary, transitions) in enumerate(chains):
        if id(transitions) not in number:
            number[id(transitions)] = len(tables)
            tables.append(transitions)
        along = starts[i] + np.arange(len(unary) - 1)
        edges.append(np.column_stack([along, along + 1]))
        kinds.append(np.full(len(along), number[id(transitions)]))
        weights.append(np.zeros(len(along)))
    constant = 0.0
    for places in occurrences(chains, 2).values():
        nodes = np.array([starts[i] + t for i, t in places])
        lower, higher = np.triu_indices(len(nodes), 1)
        edges.append(np.column_stack([nodes[lower], nodes[higher]]))
        kinds.append(np.full(len(lower), -1))
        weights.append(np.full(len(lower), 2.0 * strength / len(nodes)))
        constant += strength
    return TRWS(np.concatenate([unary for _, unary, _ in chains]), np.concatenate(edges),
                np.concatenate(weights), np.concatenate(kinds), np.array(tables)), constant


def tuned(task):
    """Returns the strength whose collective run labels the training records best."""
    scores = []
    for strength in STRENGTHS:
        run = ch.Run(word_model(task, task.training, strength))
        run.solve()
        scores.append(task.f1(task.training, run.labels()))
    return STRENGTHS[int(np.argmax(scores))]


def by_iteration(data_folder, name, fraction, cache, clock, limit, note):
    """Measures accuracy and score after each round of a collective run and after each iteration of
    TRW-S; None without the data."""
    if not (data_folder / name / "data.conll").exists():
        return None
    task = Task(data_folder, name, fraction, cache)
    strength = tuned(task)
    note(f"iterations: {name}, strength {strength}")
    model = word_model(task, task.test, strength)
    collective = Curve()
    run = ch.Run(model, rounds=10)
    for _ in range(1 + min(limit, 10)):
        begun = clock()
        result = run.step()
        collective.seconds.append(clock() - begun)
        collective.f1.append(task.f1(task.test, run.labels()))
        collective.score.append(result.score)
    begun = clock()
    result = run.local_search()
    searching = clock() - begun
    found = task.f1(task.test, run.labels())
    own = run.labels(alone=True)

    trws, kept = Curve(), None
    begun = clock()
    solver, constant = pairwise(task.test, strength)
    trws.seconds.append(clock() - begun)
    trws.f1.append(task.f1(task.test, own))
    trws.score.append(solver.score(own) + constant)
    check_scores(solver.score(own) + constant, collective.score[0])
    for _ in range(limit):
        begun = clock()
        x, bound = solver.iterate()
        trws.seconds.append(clock() - begun)
        score = solver.score(x) + constant
        if kept is None or score > max(trws.score[1:]):
            kept = x
        trws.f1.append(task.f1(task.test, kept))
        trws.score.append(max(score, *trws.score[1:]) if len(trws.score) > 1 else score)
        trws.bound = min(trws.bound, bound + constant)
    collective.bound = trws.bound
    sizes = [len(places) for places in occurrences(task.test, 2).values()]
    return Iterations(
        f"A CRF of {100 * fraction:.0f} % of the groups; {len(sizes)} cliques of up to {max(sizes)} "
        f"words, {len(solver.lower)} edges; Potts, strength {strength:g} / n, tuned on the training "
        f"groups. Both keep their best labelling by equation 1. The local search that ends a run takes "
        f"{1000 * searching:.3g} ms more, to a score of {result.score:.2f} and F1 {found:.2f}.",
        collective, trws)


def check_scores(a, b):
    """Checks that two programs give one labelling the same score."""
    if abs(a - b) > 1e-6 * max(1.0, abs(a)):
        raise AssertionError(f"the graph scores {a}, the model {b}")
