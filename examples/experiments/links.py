"""Link-based classification: papers with words and citations, each to get its topic.

A logistic regression reads the words; cliques hold a paper and the papers it is linked to. Papers of
training groups train; the others are labelled together, from links among themselves alone.
"""

from dataclasses import dataclass, replace

import libchorale as ch
import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from tuning import tune

GRID = (0.0, 0.125, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)


@dataclass
class Setting:
    strength: float = 0.0
    # neighbourhood  a clique of each paper and its neighbours, strength / n * sum n_v^2
    # centred        a clique of each paper around it as the centre: for a topic c of the centre,
    #                strength * sum_v w_cv n_v over the neighbours' topics
    kind: str = "neighbourhood"
    rounds: int = 10


def words_of(data, nodes):
    width = 1 + max(max(w, default=0) for w in data.words)
    ids = [data.words[i] for i in nodes]
    bounds = np.cumsum([0] + [len(w) for w in ids])
    matrix = csr_matrix((np.ones(bounds[-1]), np.concatenate(ids), bounds), shape=(len(nodes), width))
    return matrix


def classifier(rows, labels, size):
    """Trains; returns the function from rows to log-probabilities over all topics."""
    model = LogisticRegression(C=1.0, max_iter=300)
    model.fit(rows, labels)

    def scores(rows):
        table = np.full((rows.shape[0], size), -20.0)
        table[:, model.classes_] = np.maximum(model.predict_log_proba(rows), -20.0)
        return table

    return scores


def links_within(data, nodes):
    """Of each node its neighbours among the nodes, both by their places."""
    place = {int(node): k for k, node in enumerate(nodes)}
    return [[place[j] for j in data.neighbours[i] if j in place] for i in nodes]


def shuffled(links, seed):
    """Links between random papers, as many for each as before (repeats and loops left out)."""
    ends = np.random.default_rng(seed).permutation([i for i, near in enumerate(links) for _ in near])
    found = [set() for _ in links]
    for a, b in zip(ends[::2], ends[1::2]):
        if a != b:
            found[a].add(int(b))
            found[b].add(int(a))
    return [sorted(near) for near in found]


def co_occurrence(labels, links, size):
    """log p(v | c) - log p(v): the topic of a neighbour, given the topic of the paper."""
    table = np.full((size, size), 0.5)
    for i, near in enumerate(links):
        np.add.at(table[labels[i]], labels[near], 1.0)
    return np.log(table / table.sum(axis=1, keepdims=True)) - np.log(table.sum(axis=0) / table.sum())


def label(scores, links, setting, weights=None):
    """The labels of a setting."""
    if setting.strength == 0.0:
        return scores.argmax(axis=1)
    size, builder = scores.shape[1], ch.ModelBuilder()
    for row in scores:
        builder.add_chain(np.ascontiguousarray(row[None, :]))
    if setting.kind == "neighbourhood":
        potential = ch.Potential.potts(size, setting.strength, scale="members")
        for i, near in enumerate(links):
            if near:
                clique = builder.add_clique(values=size, potential=potential)
                for j in [i, *near]:
                    builder.add_position(clique, j, 0)
    else:
        length = 1 + max(map(len, links))
        centre = [ch.Potential.sum(setting.strength * row[:, None] * np.arange(length + 1.0)[None, :])
                  for row in weights]
        for i, near in enumerate(links):
            if near:
                clique = builder.add_clique(values=size, centre=centre)
                for j in near:
                    builder.add_position(clique, j, 0)
                builder.set_centre(clique, i, 0)
    run = ch.Run(builder.freeze(), rounds=setting.rounds)
    run.solve()
    return run.all_labels()


def vote(scores, links):
    """Each paper gets the commonest of its own label and its neighbours' labels, its own on a tie."""
    own = scores.argmax(axis=1)
    result = own.copy()
    for i, near in enumerate(links):
        counts = np.bincount(own[[i, *near]], minlength=scores.shape[1])
        if counts[own[i]] < counts.max():
            result[i] = counts.argmax()
    return result


def shares(labels, links, size):
    """Of each paper the shares of the topics among its neighbours, and whether it has any."""
    table = np.zeros((len(links), size + 1))
    for i, near in enumerate(links):
        if near:
            table[i, :size] = np.bincount(labels[near], minlength=size) / len(near)
        else:
            table[i, size] = 1.0
    return csr_matrix(table)


def point(data, fraction, number):
    """One fraction and split: {method: (right, all) of each test group}, settings."""
    size = len(data.label_names)
    groups = np.unique(data.groups)
    order = np.random.default_rng(1000 + number).permutation(groups)
    train_groups = order[:max(3, round(fraction * len(groups)))]
    inside = np.isin(data.groups, train_groups)
    train, test = np.flatnonzero(inside), np.flatnonzero(~inside)
    rows, labels = words_of(data, train), data.labels[train]
    links, test_links = links_within(data, train), links_within(data, test)

    held_out = np.zeros((len(train), size))
    for part in np.array_split(train_groups, 3):
        left_out = np.isin(data.groups[train], part)
        held_out[left_out] = classifier(rows[~left_out], labels[~left_out], size)(rows[left_out])
    test_rows = words_of(data, test)
    scores = classifier(rows, labels, size)(test_rows)
    weights = co_occurrence(labels, links, size)

    def counts(nodes, found):
        right = found == data.labels[nodes]
        return [[int(right[data.groups[nodes] == g].sum()), int((data.groups[nodes] == g).sum())]
                for g in np.unique(data.groups[nodes])]

    own = held_out.argmax(axis=1)
    second = classifier(hstack([rows, shares(own, links, size)]).tocsr(), labels, size)
    stacked = second(hstack([test_rows, shares(scores.argmax(axis=1), test_links, size)]).tocsr())
    result = {"train": len(train), "test": len(test), "settings": {}, "counts": {
        "base": counts(test, scores.argmax(axis=1)), "vote": counts(test, vote(scores, test_links)),
        "stacking": counts(test, stacked.argmax(axis=1))}}
    candidates = {"shuffled links": (Setting(), shuffled(links, number), shuffled(test_links, number)),
                  "neighbourhood": (Setting(), links, test_links),
                  "centred": (Setting(kind="centred"), links, test_links)}
    qualities = {}
    for name, (setting, inner, outer) in candidates.items():
        def measured(strengths):
            found = label(held_out, inner, replace(setting, strength=strengths["links"]), weights)
            return counts(train, found)

        best, qualities[name] = tune(measured, ("links",), GRID, lambda c: c[0] / c[1], caution=0.5)
        setting = replace(setting, strength=best["links"])
        result["settings"][name] = best["links"]
        result["counts"][name] = counts(test, label(scores, outer, setting, weights))
    result["chosen"] = max(("neighbourhood", "centred"), key=qualities.get)
    result["counts"]["collective"] = result["counts"][result["chosen"]]
    return result
