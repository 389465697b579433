"""The collective model of domain adaptation: properties of the records of a group.

    first         the first kind that is not Other
    before_title  the token before Title (digits count as one sign)
    after_title   the first kind that is not Other after Title
    after_venue   the first kind that is not Other after Venue
    before_venue  the token before Venue
    after_author  the first kind that is not Other after Author

FOUR are the properties of the paper, the first four. SIX are all.

Each group has a clique for each property, whose members are its records. The values of the clique
are those that the base labelling of some record of the group fires; all other values are one value,
UNLISTED.
"""

import re

import libchorale as ch
from libchorale import experimental
import numpy as np

from learning import problem
from scored import by_group

FOUR = ("first", "before_title", "after_title", "after_venue")
SIX = (*FOUR, "before_venue", "after_author")


class Properties:
    """The properties of a data set, and the table of each record."""

    def __init__(self, data):
        self.data = data
        numbers = {}
        self.tables = [
            np.array([numbers.setdefault(re.sub("[0-9]+", "0", token), len(numbers))
                      for token in record.tokens], dtype=np.int32)
            for record in data.records]
        start = len(numbers)  # the value "there is no token before it"
        end = len(data.kinds)  # the value "there is no kind after it"
        labels = ch.LabelMap(len(data.labels), end, data.kind_of_label)
        title, venue = data.kinds.index("Title"), data.kinds.index("Venue")
        ignored = data.kind_of_label == data.other
        self.automata = {
            "first": ch.Property.first_label(labels, ignored=ignored),
            "before_title": ch.Property.token_before(labels, title, values=start + 1,
                                                     ignored=ignored, start_value=start),
            "after_title": ch.Property.next_label(labels, title, ignored=ignored, end_value=end),
            "before_venue": ch.Property.token_before(labels, venue, values=start + 1,
                                                     ignored=ignored, start_value=start),
            "after_author": ch.Property.next_label(labels, data.kinds.index("Author"),
                                                   ignored=ignored, end_value=end),
            "after_venue": ch.Property.next_label(labels, venue, ignored=ignored, end_value=end),
        }

    def fired(self, record, labels):
        """Returns everything that a labelling fires, as {name: list of values}."""
        table = self.tables[record]
        return {name: automaton.fired(labels, table=table).tolist()
                for name, automaton in self.automata.items()}


def mode(values):
    """Returns the commonest of some values (the lowest of several) and its share."""
    found, counts = np.unique(values, return_counts=True)
    k = int(counts.argmax())
    return int(found[k]), counts[k] / counts.sum()


def build(properties, scored, names, forced=False):
    """Returns the frozen model of some records (chain k is scored.records[k]), and the name of each
    clique's property. The cliques have a potential that is to be learnt. If `forced`, they have
    instead a bonus, larger than all scores, for the value that most base labellings show."""
    data, builder, kinds = properties.data, ch.ModelBuilder(), []
    fired = [properties.fired(r, labels) for r, labels in zip(scored.records, scored.own)]
    for r, unary, matrix in zip(scored.records, scored.unary, scored.matrices):
        builder.add_chain(unary, matrix, group=data.records[r].group)
    for chains in by_group(data, scored).values():
        if len(chains) < 2:
            continue
        for name in names:
            single = [fired[k][name][0] for k in chains if len(set(fired[k][name])) == 1]
            if not single:
                continue
            seen = sorted({v for k in chains for v in fired[k][name]})
            dictionary = experimental.Dictionary(seen, unlisted=True)
            values = len(dictionary) + 2  # EMPTY and CONFLICT
            if forced:
                tables = np.zeros((values, len(chains) + 1))
                tables[seen.index(mode(single)[0])] = 1000.0 * np.arange(len(chains) + 1)
                potential = ch.Potential.sum(tables)
            else:
                potential = ch.Potential.potts(values, 1.0, scale="members")
            clique = builder.add_cliques(1, property=properties.automata[name], dictionary=dictionary, potential=potential).start
            kinds.append(name)
            for k in chains:
                builder.add_members(clique, k, tables=[properties.tables[scored.records[k]]])
    return builder.freeze(), kinds


def vote(properties, scored):
    """Returns the majority vote: labellings that show the commonest values of their groups."""
    with ch.Run(build(properties, scored, FOUR, forced=True)[0], rounds=1, joint_mode="beam",
                beam_width=5) as run:
        run.solve()
        return [run.labels(k) for k in range(len(scored))]


def to_learn(properties, scored, names):
    """Returns the problem of these records, with gold labels, for the learner."""
    gold = [properties.data.records[r].labels for r in scored.records]
    model, kinds = build(properties, scored, names)
    return problem(model, list(names), kinds, gold)
