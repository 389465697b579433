"""Link-based classification: papers with words and citations; the topic of each is to be found.

A logistic regression reads the words. Cliques contain a paper and the papers linked to it. Papers
of training groups train; the others are labelled together, from the links among themselves alone.
"""

import libchorale as ch
import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from learning import problem, study

# Ten groups are 10 % of them: each fold is then one group, and each classifier sees nine of ten.
FOLDS = 10
# A clique is over a paper and its neighbours; or over its neighbours, with it as the centre.
CLIQUES = ("neighbourhood", "centred")


def words_of(data, nodes):
    width = 1 + max(max(w, default=0) for w in data.words)
    ids = [data.words[i] for i in nodes]
    bounds = np.cumsum([0] + [len(w) for w in ids])
    matrix = csr_matrix((np.ones(bounds[-1]), np.concatenate(ids), bounds), shape=(len(nodes), width))
    return matrix


def classifier(rows, labels, size):
    """Trains a classifier. Returns the function from rows to log-probabilities of all topics."""
    model = LogisticRegression(C=1.0, max_iter=300)
    model.fit(rows, labels)

    def scores(rows):
        table = np.full((rows.shape[0], size), -20.0)
        table[:, model.classes_] = np.maximum(model.predict_log_proba(rows), -20.0)
        return table

    return scores


def links_within(data, nodes):
    """Returns by node its neighbours among the nodes. Neighbours are given by index in `nodes`."""
    place = {int(node): k for k, node in enumerate(nodes)}
    return [[place[j] for j in data.neighbours[i] if j in place] for i in nodes]


def shuffled(links, seed):
    """Returns links between random papers; each has as many ends as before (repeats and loops are
    left out)."""
    ends = np.random.default_rng(seed).permutation([i for i, near in enumerate(links) for _ in near])
    found = [set() for _ in links]
    for a, b in zip(ends[::2], ends[1::2]):
        if a != b:
            found[a].add(int(b))
            found[b].add(int(a))
    return [sorted(near) for near in found]


def to_learn(scores, links, labels, groups, kind):
    """Returns the problem of some papers. The potentials of its cliques are to be learnt."""
    size, builder, count = scores.shape[1], ch.ModelBuilder(), 0
    potts = ch.Potential.potts(size, 1.0, scale="members")
    for row, group in zip(scores, groups):
        builder.add_chain(np.ascontiguousarray(row[None, :]), group=int(group))
    for i, near in enumerate(links):
        if not near:
            continue
        count += 1
        if kind == "neighbourhood":
            clique = builder.add_cliques(1, values=size, potential=potts).start
            near = [i, *near]
        else:
            clique = builder.add_cliques(1, values=size, centre=[potts] * size).start
            builder.add_members(clique, [], centres=[(i, 0)])
        for j in near:
            builder.add_members(clique, j, 0)
    return problem(builder.freeze(), [kind], [kind] * count, None if labels is None else [labels])


def vote(scores, links):
    """Gives each paper the commonest label among its own and its neighbours' labels; on a tie its
    own label, if that is one of the commonest."""
    own = scores.argmax(axis=1)
    result = own.copy()
    for i, near in enumerate(links):
        counts = np.bincount(own[[i, *near]], minlength=scores.shape[1])
        if counts[own[i]] < counts.max():
            result[i] = counts.argmax()
    return result


def shares(labels, links, size):
    """Returns by paper the shares of the topics among its neighbours; the last column is 1 if it
    has none."""
    table = np.zeros((len(links), size + 1))
    for i, near in enumerate(links):
        if near:
            table[i, :size] = np.bincount(labels[near], minlength=size) / len(near)
        else:
            table[i, size] = 1.0
    return csr_matrix(table)


class Scored:
    """A split of the papers into papers to learn from and papers to label. Each fold of the former
    is scored by a classifier that has not seen its groups."""

    def __init__(self, data, fraction, number):
        self.data, self.size = data, len(data.label_names)
        groups = np.unique(data.groups)
        order = np.random.default_rng(1000 + number).permutation(groups)
        train_groups = order[:max(3, round(fraction * len(groups)))]
        inside = np.isin(data.groups, train_groups)
        self.train, self.test = np.flatnonzero(inside), np.flatnonzero(~inside)
        self.rows, self.labels = words_of(data, self.train), data.labels[self.train]
        self.held_out, self.folds = np.zeros((len(self.train), self.size)), []
        for part in np.array_split(train_groups, min(FOLDS, len(train_groups))):
            left_out = np.isin(data.groups[self.train], part)
            score = classifier(self.rows[~left_out], self.labels[~left_out], self.size)
            self.held_out[left_out] = score(self.rows[left_out])
            self.folds.append(np.flatnonzero(left_out))
        self.test_rows = words_of(data, self.test)
        self.scores = classifier(self.rows, self.labels, self.size)(self.test_rows)

    def links_within(self, nodes):
        return links_within(self.data, nodes)

    def problems(self, kind, among=None):
        """Returns the problems to learn from (one a fold, with the links among the fold's papers)
        and the problem to label. among: the function from papers to links, if not
        `links_within`."""
        among = among or self.links_within
        groups = self.data.groups
        problems = [to_learn(self.held_out[fold], among(self.train[fold]), self.labels[fold],
                             groups[self.train[fold]], kind) for fold in self.folds]
        return problems, self.to_label(kind, among=among)

    def to_label(self, kind, inside=slice(None), among=None):
        """Returns the problem to label. inside: which of the test papers it has; among: as for
        problems()."""
        test, among = self.test[inside], among or self.links_within
        return to_learn(self.scores[inside], among(test), self.data.labels[test], self.data.groups[test], kind)


def point(data, fraction, number):
    """Measures one fraction and split: {method: (right, all) of each test group}, and what was
    learnt."""
    scored = Scored(data, fraction, number)
    test, scores = scored.test, scored.scores
    links, test_links = scored.links_within(scored.train), scored.links_within(test)

    def counts(found):
        right = found == data.labels[test]
        return [[int(right[data.groups[test] == g].sum()), int((data.groups[test] == g).sum())]
                for g in np.unique(data.groups[test])]

    own = scored.held_out.argmax(axis=1)
    second = classifier(hstack([scored.rows, shares(own, links, scored.size)]).tocsr(), scored.labels, scored.size)
    stacked = second(hstack([scored.test_rows,
                             shares(scores.argmax(axis=1), test_links, scored.size)]).tocsr())
    result = {"train": len(scored.train), "test": len(test), "learnt": {}, "counts": {
        "base": counts(scores.argmax(axis=1)), "vote": counts(vote(scores, test_links)),
        "stacking": counts(stacked.argmax(axis=1))}}

    def learnt(kind, among=None):
        problems, made = scored.problems(kind, among)
        return study(problems, made, len(test))

    def add(method, labelled):
        found, result["learnt"][method] = labelled
        result["counts"][method] = counts(np.concatenate(found))

    add("shuffled links", learnt("neighbourhood",
                                 lambda nodes: shuffled(links_within(data, nodes), number))["collective"])
    for kind in CLIQUES:
        found = learnt(kind)
        if kind == "neighbourhood":
            add("auto", found["auto"])
        add(kind, found["collective"])
    # Chooses the type of clique that costs less on held-out papers.
    result["chosen"] = min(CLIQUES, key=lambda kind: result["learnt"][kind]["cost"])
    result["counts"]["collective"] = result["counts"][result["chosen"]]
    return result
