"""Repeated words: cliques over the mentions of a word, inside a document or across all of them.

A clique counts kinds: B-X and I-X are both X. The classical model of the paper's introduction.
"""

from dataclasses import dataclass

import libchorale as ch
import numpy as np

from scored import by_group


@dataclass
class Setting:
    strength: float = 0.0
    # What a clique of n members says of counts n_v:
    #   potts      strength / n * sum n_v^2
    #   majority   strength * sum_v w_av n_v with the weights given, a the majority kind
    family: str = "potts"
    across: bool = False  # cliques over all documents together
    other: bool = True  # Other is counted like any kind
    bias: float = 0.0  # taken from the unary scores of Other: the non-collective control
    key: str = "word"  # what makes a clique: the same "word", or the same "pair" of words
    margin: float = 0.0  # mentions that the base model decides by less have no vote
    rounds: int = 3


class Words:
    """Which tokens of a data set can make cliques, and what labels count as in them."""

    def __init__(self, data):
        self.data = data
        names, entity = {}, []
        for label in data.labels:
            kind = label[2:] if label[:2] in ("B-", "I-") else label
            entity.append(names.setdefault("Other" if kind == "O" else kind, len(names)))
        self.kinds, self.kind_of_label = list(names), np.array(entity, dtype=np.int32)
        self.other = self.kinds.index("Other") if "Other" in names else -1
        self.keys = {"word": self.numbers(pair=False), "pair": self.numbers(pair=True)}

    def numbers(self, pair):
        """Of each record, of each position, the number of its word (-1: none): tokens with a letter. A
        pair is a word and the word beside it, the one after it by preference."""
        known, keys = {}, []

        def wanted(token):
            return any(c.isalpha() for c in token)

        for record in self.data.records:
            row = []
            for t, token in enumerate(record.tokens):
                key = None
                if wanted(token):
                    key = token
                    if pair:
                        beside = [record.tokens[s] for s in (t + 1, t - 1)
                                  if 0 <= s < len(record.tokens) and wanted(record.tokens[s])]
                        key = (token, beside[0] if beside else "")
                row.append(-1 if key is None else known.setdefault(key, len(known)))
            keys.append(np.array(row, dtype=np.int32))
        return keys

    def counted(self, setting):
        """Which kinds count, as potentials take it."""
        if setting.other or self.other < 0:
            return None
        return np.arange(len(self.kinds)) != self.other


def cliques(words, scored, setting):
    """The cliques as lists of (chain, position): the words that occur at least twice."""
    found = {}
    for k, r in enumerate(scored.records):
        group = 0 if setting.across else words.data.records[r].group
        for t, key in enumerate(words.keys[setting.key][r]):
            if key >= 0:
                found.setdefault((group, int(key)), []).append((k, t))
    return [members for _, members in sorted(found.items()) if len(members) >= 2]


def biased(words, scored, bias):
    """The unary scores with less for Other."""
    if bias == 0.0 or words.other < 0:
        return scored.unary
    less = np.where(words.kind_of_label == words.other, bias, 0.0).astype(np.float32)
    return [unary - less for unary in scored.unary]


def potential(words, setting, weights):
    counted, values = words.counted(setting), len(words.kinds)
    if setting.family == "potts":
        return ch.Potential.potts(values, setting.strength, scale="members", counted=counted)
    if setting.family == "majority":
        return ch.Potential.majority(setting.strength * weights, counted=counted)
    raise ValueError(f"no family {setting.family!r}")


def build(words, scored, setting, weights=None):
    """The frozen model of these records; chain k is scored.records[k]."""
    data, builder = words.data, ch.ModelBuilder()
    unaries = biased(words, scored, setting.bias)
    for k, (r, unary, matrix) in enumerate(zip(scored.records, unaries, scored.matrices)):
        tokens = words.keys[setting.key][r]
        if setting.margin > 0:
            sure = scored.position_margins[k] >= setting.margin
            tokens = np.where(sure, tokens, -1).astype(np.int32)
        builder.add_chain(unary, matrix, tokens=tokens, group=data.records[r].group)
    builder.add_repeated_words(potential(words, setting, weights), minimum=2,
                               across=setting.across, label_values=words.kind_of_label)
    return builder.freeze()


def label(words, scored, setting, weights=None):
    """The labellings of a setting, and the result of the run (None where nothing is to run)."""
    if setting.strength == 0.0:
        if setting.bias == 0.0:
            return scored.own, None
        return scored.best(biased(words, scored, setting.bias)), None
    run = ch.Run(build(words, scored, setting, weights), rounds=setting.rounds)
    result = run.solve()
    return [run.labels(k) for k in range(len(scored.records))], result


def vote(words, scored, setting):
    """The majority vote: every mention gets the commonest kind of its clique; the label of that
    kind that the base model scores best there."""
    labels = [own.copy() for own in scored.own]
    for members in cliques(words, scored, setting):
        kinds = [words.kind_of_label[scored.own[k][t]] for k, t in members]
        kind = np.bincount(kinds).argmax()
        choices = np.flatnonzero(words.kind_of_label == kind)
        for k, t in members:
            if words.kind_of_label[labels[k][t]] != kind:
                labels[k][t] = choices[scored.unary[k][t, choices].argmax()]
    return labels


# ---- Weights of the majority potential --------------------------------------------------------


def table_of(words, scored, labels, setting, weights=None):
    """Co-occurrence in cliques: entry (a, v) counts the members of kind v in cliques whose majority
    is a. Ties go to the kind that the weights score highest, or without weights to the lowest."""
    size = len(words.kinds)
    total = np.zeros((size, size))
    usable = np.ones(size, dtype=bool) if words.counted(setting) is None else words.counted(setting)
    for members in cliques(words, scored, setting):
        counts = np.bincount([words.kind_of_label[labels[k][t]] for k, t in members],
                             minlength=size) * usable
        if counts.sum() == 0:
            continue
        tied = np.flatnonzero(counts == counts.max())
        a = tied[0] if weights is None else tied[(weights[tied] @ counts).argmax()]
        total[a] += counts
    return total


def co_occurrence(words, scored, setting):
    """W from training cliques, generatively as in the paper: log p(v | a) - log p(v), a member's kind
    given the majority kind against its frequency in cliques, which the chains know already."""
    gold = [words.data.records[r].labels for r in scored.records]
    table = table_of(words, scored, gold, setting)
    given = (table + 0.5) / (table + 0.5).sum(axis=1, keepdims=True)
    prior = (table.sum(axis=0) + 0.5) / (table.sum() + 0.5 * len(table))
    return np.log(given) - np.log(prior)


def perceptron(words, scored, setting, start, quality, epochs=8, rate=3.0):
    """W by an averaged structured perceptron: after each training document, W gains the clique table
    of the gold labelling and loses that of the labelling found with it, as shares of the document's
    clique members. Of the averages after each epoch and the start, the one whose labellings of all
    documents have the highest quality is kept (quality: of a list of labellings)."""
    parts = [scored] if setting.across else [
        scored.part(chains) for chains in by_group(words.data, scored).values()]
    members = [sum(map(len, cliques(words, part, setting))) for part in parts]
    weights, total, steps = start.copy(), np.zeros_like(start), 0
    best = (quality(label(words, scored, setting, start)[0]), 0, start)
    for epoch in range(1, epochs + 1):
        for part, size in zip(parts, members):
            if size:
                gold = [words.data.records[r].labels for r in part.records]
                found, _ = label(words, part, setting, weights)
                step = (table_of(words, part, gold, setting, weights)
                        - table_of(words, part, found, setting, weights))
                weights = weights + rate / size * step
            total += weights
            steps += 1
        average = total / steps
        best = max(best, (quality(label(words, scored, setting, average)[0]), epoch, average),
                   key=lambda b: b[0])
    return best[2]
