"""Makes tables of mentions for `libchorale.agree`: the entities that a tagger found in documents of
sentences, the other places of the same names, and how probable each type is at each place.

A record is a sentence, which is all that the tagger sees at once. Rows are dicts with `document`,
`record`, `start`, `end`, `name`, `gold`, and a probability for each type and for NONE.
"""

import argparse
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import libchorale as ch
import numpy as np

from base_model import Store, fit
from datasets import SOURCES, split
from run import HERE, Pass

NONE = "O"
TRAINED, LEARNT = 0.3, 0.3  # shares of the documents
SMALLEST = 1e-6  # least probability, as in `agree`
CLOSING, OPENING = {*",.;:!?)]", "'s", "n't"}, {*"(["}  # tokens without a blank before; after


class Types:
    """Entity types of a data set: labels B-X and I-X (or I-X alone) are of type X."""

    def __init__(self, data):
        self.of_label = [None if label == "O" else label[2:] for label in data.labels]
        self.begins = [label.startswith("B-") for label in data.labels]
        self.names = list(dict.fromkeys(kind for kind in self.of_label if kind))

    def labels(self, kind):
        """Returns the labels of a type: two lists, those that begin an entity and those inside
        one."""
        of_kind = [y for y, k in enumerate(self.of_label) if k == kind]
        return ([y for y in of_kind if self.begins[y]], [y for y in of_kind if not self.begins[y]])

    def spans(self, labels):
        """Returns the entities of a labelling, {(start, end): type}. An inside label after another
        type begins an entity."""
        found, start = {}, None
        for t in range(len(labels) + 1):
            kind = self.of_label[labels[t]] if t < len(labels) else None
            if start is not None and (kind != of or self.begins[labels[t]]):
                found[start, t] = of
                start = None
            if kind and start is None:
                start, of = t, kind
        return found


class Marginals:
    """Probabilities by a chain: of a label at a position, and of an entity over a span."""

    def __init__(self, unary, transitions):
        self.unary, self.edges = unary.astype(float), transitions.astype(float)
        self.before = [self.unary[0]]  # by position and label: log-sum of all labellings up to it
        for row in self.unary[1:]:
            self.before.append(np.logaddexp.reduce(self.before[-1][:, None] + self.edges, axis=0) + row)
        after = [np.zeros(self.unary.shape[1])]  # by position and label: log-sum of what follows
        for row in self.unary[:0:-1]:
            after.append(np.logaddexp.reduce(self.edges + row + after[-1], axis=1))
        self.after = after[::-1]
        self.total = np.logaddexp.reduce(self.before[-1])

    def labels(self, t):
        """Returns the probability of each label at a position."""
        return np.exp(self.before[t] + self.after[t] - self.total)

    def span(self, start, end, begin, inside):
        """Returns the log-probability that positions start to end - 1, and no more, are one entity
        whose labels are `begin` and `inside`: of all labellings in which they are. An entity
        without a `begin` label starts where the label before is not of its type."""
        first = np.full(len(self.edges), -np.inf)
        first[begin] = self.before[start][begin]
        others = np.setdiff1d(np.arange(len(self.edges)), [*begin, *inside])
        for y in inside:
            first[y] = self.unary[start, y] + (0.0 if start == 0 else np.logaddexp.reduce(
                self.before[start - 1][others] + self.edges[others, y]))
        follows = np.setdiff1d(np.arange(len(self.edges)), inside)
        return self._through(start, end, first, inside, follows)

    def outside(self, start, end, other):
        """Returns the log-probability that positions start to end - 1 all have the label
        `other`."""
        first = np.full(len(self.edges), -np.inf)
        first[other] = self.before[start][other]
        return self._through(start, end, first, [other], np.arange(len(self.edges)))

    def _through(self, start, end, first, inside, follows):
        """Returns the log-probability that the first position is as `first` says, that all later
        positions of the span have labels in `inside`, and that a label in `follows` comes after the
        span.
        first: by label of the first position, the log-sum up to this position."""
        inner = np.full(len(self.edges), -np.inf)
        inner[inside] = 0.0
        for t in range(start + 1, end):
            first = np.logaddexp.reduce(first[:, None] + self.edges, axis=0) + self.unary[t] + inner
        if end < len(self.unary):
            after = self.edges + self.unary[end] + self.after[end]
            first = np.logaddexp.reduce(first[:, None] + after[:, follows], axis=1)
        return np.logaddexp.reduce(first) - self.total


def occurrences(tokens, names, taken):
    """Returns the other places of `names` (a set of tuples of tokens): spans that contain no
    position of `taken`, from left to right, at each position the longest."""
    longest, t, found = max(map(len, names), default=0), 0, []
    while t < len(tokens):
        for end in range(min(len(tokens), t + longest), t, -1):
            if tuple(tokens[t:end]) in names and taken.isdisjoint(range(t, end)):
                found.append((t, end))
                t = end - 1
                break
        t += 1
    return found


def rows_of(data, types, scored):
    """Returns the table of scored records: the entities of each record's best labelling, and the
    other places of the same words in its document. gold: the type of the entity whose span is the
    same, or NONE."""
    found = [types.spans(own) for own in scored.own]
    names = {}
    for r, spans in zip(scored.records, found):
        record = data.records[r]
        names.setdefault(record.group, set()).update(tuple(record.tokens[s:e]) for s, e in spans)
    rows, labels = [], {kind: types.labels(kind) for kind in types.names}
    kinds = [*types.names, NONE]
    for k, r in enumerate(scored.records):
        record = data.records[r]
        taken = {t for span in found[k] for t in range(*span)}
        places = sorted([*found[k], *occurrences(record.tokens, names[record.group], taken)])
        if not places:
            continue
        marginals, gold = Marginals(scored.unary[k], scored.transitions[k]), types.spans(record.labels)
        for start, end in places:
            logs = [marginals.span(start, end, *labels[kind]) for kind in types.names]
            logs = np.array([*logs, marginals.outside(start, end, types.of_label.index(None))])
            sure = np.exp(logs - np.logaddexp.reduce(logs))
            rows.append({"document": record.group, "record": r, "start": start, "end": end,
                         "name": " ".join(record.tokens[start:end]).lower(),
                         "head": record.tokens[end - 1].lower(),
                         "gold": gold.get((start, end), NONE), **dict(zip(kinds, sure.tolist()))})
    return rows


def parts(this, name, number, made):
    """Divides split `number` of a set into three parts of documents. A tagger is trained on the
    first part (TRAINED). What agreement is worth is learnt on the first part, with cross-fitted
    scores, and on the second (LEARNT), which the tagger has not seen. The third part is left for
    the test.

    made(loaded, scored): makes rows of scored records. Returns (the data, rows to learn from, rows
    of the third part, groups of the third part)."""
    loaded = this.load(name)
    train, rest = split(loaded.data, TRAINED, number)
    held_out, scored = fit(Store(this.folder(name) / "scores"), loaded.data, lambda: loaded.features, train, rest,
                           number)
    rest = np.random.default_rng(3000 + number).permutation(rest)
    count = round(LEARNT * len(loaded.data.groups))
    learnt, left = (scored.part(k for k, r in enumerate(scored.records) if loaded.data.records[r].group in part)
                    for part in (set(rest[:count].tolist()), set(rest[count:].tolist())))
    return (loaded.data, made(loaded, held_out) + made(loaded, learnt), made(loaded, left),
            np.sort(rest[count:]))


# ---- Agreement


class Key(NamedTuple):
    column: str
    across: bool  # True: a key is the same in all documents

    def of(self, row):
        return row[self.column], None if self.across else row["document"]

    def __str__(self):
        return self.column + (", everywhere" if self.across else ", in a document")


class Together(NamedTuple):
    labels: list
    probability: np.ndarray
    key: Key
    strengths: ch.Strengths


def together(learning, rows, labels, keys):
    """Labels rows by `agree` with what is learnt from the rows `learning`. Of the keys, uses the
    one by which most labels of held-out groups of `learning` become right."""
    columns, best = {label: label for label in labels}, None
    for key in keys:
        common = {"key": key.column, "across": key.across, "group": "document", "confidence": columns}
        strengths = ch.learn_strengths(learning, gold="gold", **common)
        report = strengths.learnt.report
        gain = report["tagger_cost"] - report["agreeing_cost"] if report["applied"] else 0.0
        if best is None or gain > best[0]:
            best = gain, key, strengths, common
    _, key, strengths, common = best
    found = ch.agree(rows, strength=strengths, progress=False, **common)
    return Together([row["together"] for row in found], np.array([row["probability"] for row in found]), key,
                    strengths)


def exchanged(rows, number):
    """Returns the same rows with their names exchanged at random within documents. This is a
    control: what is learnt from these rows cannot come from names."""
    rng, made = np.random.default_rng(4000 + number), [dict(row) for row in rows]
    for document in grouped(made, lambda row: row["document"]).values():
        order = rng.permutation(len(document))
        for row, of in zip(document, [dict(document[k]) for k in order]):
            row.update({column: of[column] for column in ("name", "head") if column in of})
    return made


def grouped(rows, key, values=None):
    """Returns {key: its rows}; with `values`, one for each row, {key: values of its rows}."""
    found = {}
    for row, value in zip(rows, rows if values is None else values):
        found.setdefault(key(row), []).append(value)
    return found


def most(labels):
    """Returns the commonest label, of several the first."""
    return Counter(labels).most_common(1)[0][0]


def alone(rows, labels):
    """Returns the most probable label of each row."""
    return [max(labels, key=row.get) for row in rows]


# ---- A page


def problem(data, rows, labels, key, potential, notes, beside):
    """Returns the documents of some rows as a problem file with the model of `agree`: a chain for
    each sentence, in which a row is one word that has the labels' probabilities. Any other word,
    and a row that is "fixed", can have no label but the last. beside: by row, a text to stand with
    its sentence, or None."""
    of_record = grouped(rows, lambda row: row["record"], list(zip(rows, beside)))
    builder, words, gold, titles, members = ch.ModelBuilder(), [], [], [], {}
    for chain, r in enumerate(data.of_groups({row["document"] for row in rows})):
        record, t, scores = data.records[r], 0, []
        at = {row["start"]: (row, text) for row, text in of_record.get(r, [])}
        while t < len(record.tokens):
            row, text = at.get(t, (None, None))
            if row is None or row.get("fixed"):
                scores.append([-np.inf] * (len(labels) - 1) + [0.0])
            else:
                scores.append([np.log(max(SMALLEST, row[label])) for label in labels])
                members.setdefault(key.of(row), []).append((chain, len(scores) - 1))
            end = t + 1 if row is None else row["end"]
            words.append(" ".join(record.tokens[t:end]))
            gold.append(labels.index(NONE if row is None else row["gold"]))
            t = end
        builder.add_chain(np.array(scores), group=record.group)
        titles.append("; ".join([record.name, *(text for _, text in at.values() if text)]))
    members = {key: of for key, of in members.items() if len(of) > 1}
    for of in members.values():
        clique = builder.add_cliques(1, values=len(labels), potential=potential).start
        for chain, position in of:
            builder.add_members(clique, chain, position)
    made = ch.Problem(builder.freeze())
    made.labels, made.words, made.chain_names, made.group_names = labels, words, titles, data.groups
    made.spaces = ["" if word in CLOSING or before in OPENING else " " for before, word in zip(["", *words], words)]
    made.clique_names = [name for name, _ in members]
    made.name_values(["labels"] * len(members))
    made.gold = np.array(gold, dtype=np.int32)
    made.notes = notes
    return made


def options(text, sets, splits=range(5)):
    """Returns the arguments of the experiments on tables. `this` is the Pass that loads sets and
    keeps scores."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default=HERE / "data", help="folder of the data sets")
    parser.add_argument("--cache", default=Path.home() / ".cache" / "chorale-experiments",
                        help="folder for trained models' scores")
    parser.add_argument("--only", nargs="*", default=list(sets), choices=sets)
    parser.add_argument("--splits", nargs="*", type=int, default=list(splits))
    parser.add_argument("--pages", default=HERE.parent / "publications" / "data" / "pages.txt",
                        help="this project's publication pages")
    parser.add_argument("--page", help="problem file to write, of the first set and split")
    options = parser.parse_args()
    options.report, options.this = False, Pass(options)
    return options
