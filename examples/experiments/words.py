"""Repeated words: cliques over the places of a word, inside a document or across all documents.

A clique counts kinds: B-X and I-X are both X. This is the classical model of the paper's
introduction.
"""

import libchorale as ch
import numpy as np

from learning import problem


class Words:
    """Which tokens of a data set can form cliques, and the kind that each label counts as."""

    def __init__(self, data):
        self.data = data
        names, entity = {}, []
        for label in data.labels:
            kind = label[2:] if label[:2] in ("B-", "I-") else label
            entity.append(names.setdefault("Other" if kind == "O" else kind, len(names)))
        self.kinds, self.kind_of_label = list(names), np.array(entity, dtype=np.int32)
        self.keys = self.numbers()

    def numbers(self):
        """Returns by record and position the number of its word; -1 for a token without a
        letter."""
        known = {}
        return [np.array([known.setdefault(token, len(known)) if any(c.isalpha() for c in token) else -1
                          for token in record.tokens], dtype=np.int32)
                for record in self.data.records]


def cliques(words, scored, across):
    """Returns the cliques, as lists of (chain, position): one for each word that occurs at least
    twice."""
    found = {}
    for k, r in enumerate(scored.records):
        group = 0 if across else words.data.records[r].group
        for t, key in enumerate(words.keys[r]):
            if key >= 0:
                found.setdefault((group, int(key)), []).append((k, t))
    return [members for _, members in sorted(found.items()) if len(members) >= 2]


def build(words, scored, across):
    """Returns the frozen model of these records (chain k is scored.records[k]). Its cliques have a
    potential that is to be learnt."""
    data, builder = words.data, ch.ModelBuilder()
    for r, unary, matrix in zip(scored.records, scored.unary, scored.matrices):
        builder.add_chain(unary, matrix, tokens=words.keys[r], group=data.records[r].group)
    builder.add_repeated_words(ch.Potential.potts(len(words.kinds), 1.0, scale="members"), minimum=2,
                               across=across, label_values=words.kind_of_label)
    return builder.freeze()


def to_learn(words, scored, across):
    """Returns the problem of these records, with gold labels, for the learner."""
    model = build(words, scored, across)
    gold = [words.data.records[r].labels for r in scored.records]
    return problem(model, ["word"], ["word"] * model.cliques, gold)


def vote(words, scored, across):
    """Returns the majority vote: every place of a word gets the commonest kind of its clique. Of
    the labels of this kind it gets the one with the best base score there."""
    labels = [own.copy() for own in scored.own]
    for members in cliques(words, scored, across):
        kinds = [words.kind_of_label[scored.own[k][t]] for k, t in members]
        kind = np.bincount(kinds).argmax()
        choices = np.flatnonzero(words.kind_of_label == kind)
        for k, t in members:
            if words.kind_of_label[labels[k][t]] != kind:
                labels[k][t] = choices[scored.unary[k][t, choices].argmax()]
    return labels
