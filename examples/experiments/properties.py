"""Domain adaptation's collective model: properties of the records of a group.

    first         the first kind that is not Other
    before_title  the token before Title (digits count as one sign)
    after_title   the first kind that is not Other after Title
    after_venue   the same after Venue
    before_venue  the token before Venue
    after_author  the first kind that is not Other after Author
    token_after_title  the token after each run of Title

The first four are the paper's (NAMES); with the next two they are SIX, with all SEVEN.

Each group has a clique for each property, whose members are its records. CONFLICT is left out of the
counts, and so is EMPTY unless a setting pays it.
"""

import re
from dataclasses import dataclass, field

import libchorale as ch
import numpy as np

from scored import by_group

NAMES = ("first", "before_title", "after_title", "after_venue")
SIX = (*NAMES, "before_venue", "after_author")
SEVEN = (*SIX, "token_after_title")
# Where EMPTY may be counted: what lacks a Title or an Author may do so by the style of its list, what
# lacks a Venue is another kind of work.
WITH_EMPTY = ("first", "before_title", "after_title", "after_author", "token_after_title")
SPARED = "after_title"  # whose EMPTY a setting may spare
TOKENS = ("before_title", "before_venue", "token_after_title")  # their values are tokens


@dataclass
class Setting:
    """What a collective model is made of."""

    strengths: dict = field(default_factory=dict)  # of SEVEN; 0 or absent: the property is left out
    # What a clique of n members says of counts n_v:
    #   potts     strength / n * sum n_v^2
    #   both      strength * sum (n_v^2 / n + share * n_v): Potts, and the control's bonus
    #   makespan  strength * max n_v: only the majority value is paid for
    #   control   strength * sum n_v: the non-collective control, the same for any single value
    #   vote      a bonus beyond everything for the value most of the base labellings show
    family: str = "potts"
    share: float = 0.0
    out: str = "counted"  # tokens that no base labelling of the group fires: one value OUT,
    #                       "counted" or "left" out of the counts, or "forbidden"
    empty: tuple = ()  # properties whose EMPTY agrees like a value (it earns no share of the bonus)
    spare: float = 0.0  # what EMPTY earns in SPARED, in strengths a member: 1 is what a value earns
    #                     that all agree on. A record without a Title is then no dissenter
    words: float = 0.0  # Potts strength of cliques of words that a group holds three times or more
    bias: float = 0.0  # taken from the scores of Other: the control for words
    agreement: float = 0.0  # cliques whose commonest value has a smaller share are left out
    margin: float = 0.0  # records whose base labelling wins by less have no vote (no membership)
    rounds: int = 1
    beam: int = 0  # 0: the library's choice


class Properties:
    """The properties over one data set, and their tables."""

    def __init__(self, data):
        self.data = data
        numbers = {}
        self.tables = [
            np.array([numbers.setdefault(re.sub("[0-9]+", "0", token), len(numbers))
                      for token in record.tokens], dtype=np.int32)
            for record in data.records]
        words = {}
        self.words = [  # of each position the number of its word, -1 without a letter
            np.array([words.setdefault(token.lower(), len(words))
                      if any(c.isalpha() for c in token) else -1 for token in record.tokens],
                     dtype=np.int32)
            for record in data.records]
        start = len(numbers)  # the value for "nothing before it"
        end = len(data.kinds)  # the value for "nothing after it"
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
            "token_after_title": token_after(data.kind_of_label == title, start),
        }

    def fired(self, record, labels):
        """Everything a labelling fires, as {name: list of values}."""
        table = self.tables[record]
        return {name: automaton.fired(labels, table=table).tolist()
                for name, automaton in self.automata.items()}


def token_after(anchor, end_value):
    """The token after each run of the labels in `anchor` (m booleans), end_value where a run is the last."""
    builder = ch.Property.builder(len(anchor), values=end_value + 1)
    builder.table(0, end_value)
    inside = builder.add_state()
    for label, anchors in enumerate(anchor):
        if anchors:
            builder.rule(0, label=label, next=inside)
        else:
            builder.rule(inside, label=label, next=0, action=ch.FIRE_TABLE)
    builder.end_rule(inside, action=end_value)
    return builder.finish()


def mode(values):
    """The commonest of some values, the lowest of equals, and its share."""
    found, counts = np.unique(values, return_counts=True)
    k = int(counts.argmax())
    return int(found[k]), counts[k] / counts.sum()


def build(properties, scored, setting):
    """The frozen model of these records under a setting; chain k is scored.records[k]."""
    data, builder = properties.data, ch.ModelBuilder()
    fired = [properties.fired(r, labels) for r, labels in zip(scored.records, scored.own)]
    less = np.where(data.kind_of_label == data.other, setting.bias, 0.0).astype(np.float32)
    for r, unary, matrix in zip(scored.records, scored.unary, scored.matrices):
        builder.add_chain(unary - less if setting.bias else unary, matrix,
                          tokens=properties.words[r], group=data.records[r].group)
    if setting.words:
        kinds = len(data.kinds)
        builder.add_repeated_words(ch.Potential.potts(kinds, setting.words, scale="members"),
                                   minimum=3, label_values=data.kind_of_label)
    for chains in by_group(data, scored).values():
        if setting.margin > 0:
            chains = [k for k in chains if scored.margins[k] >= setting.margin]
        if len(chains) < 2:
            continue
        for name in SEVEN:
            strength = setting.strengths.get(name, 0.0)
            single = [fired[k][name][0] for k in chains if len(set(fired[k][name])) == 1]
            if strength == 0.0 or not single or mode(single)[1] < setting.agreement:
                continue
            clique = add_clique(builder, properties, setting, name, strength, len(chains),
                                sorted({v for k in chains for v in fired[k][name]}), mode(single)[0])
            for k in chains:
                builder.add_member(clique, k, table=properties.tables[scored.records[k]])
    return builder.freeze()


def add_clique(builder, properties, setting, name, strength, n, seen, commonest):
    """One clique of n members to come. seen: the values that base labellings fire, ascending."""
    dictionary, counted = None, None
    values = properties.automata[name].values
    if name in TOKENS:
        with_out = setting.out != "forbidden"
        dictionary = ch.Dictionary(seen, out=with_out)
        values, commonest = len(seen) + with_out, seen.index(commonest)
        if setting.out == "left":
            counted = np.arange(values) < len(seen)
    k = np.arange(n + 1.0)
    if name in setting.empty or (setting.spare and name == SPARED):
        potential = with_empty(name, setting, values, strength, k, counted)
    elif setting.family == "potts":
        potential = ch.Potential.potts(values, strength, scale="members", counted=counted)
    elif setting.family == "both":
        potential = ch.Potential.sum(value_table(setting, strength, k), values, counted=counted)
    elif setting.family == "makespan":
        potential = ch.Potential.makespan(values, strength, counted=counted)
    elif setting.family == "control":
        potential = ch.Potential.sum(value_table(setting, strength, k), values)
    elif setting.family == "vote":
        tables = np.zeros((values, n + 1))
        tables[commonest] = 1000.0 * k
        potential = ch.Potential.sum(tables)
    else:
        raise ValueError(f"no family {setting.family!r}")
    return builder.add_clique(property=properties.automata[name], dictionary=dictionary,
                              potential=potential)


def value_table(setting, strength, k):
    """What a family whose values are all alike pays for k members who show one. k: 0 to the members."""
    if setting.family == "control":
        return strength * k
    return strength * (k * k / k[-1] + (setting.share * k if setting.family == "both" else 0.0))


def with_empty(name, setting, values, strength, k, counted):
    """A potential over values, EMPTY and CONFLICT, of which EMPTY is paid too. k: 0 to the members."""
    agrees = name in setting.empty
    if setting.family not in (("potts", "both") if agrees else ("potts", "both", "control")):
        raise ValueError(f"family {setting.family!r} does not pay EMPTY")
    tables = np.zeros((values + 2, len(k)))
    usable = np.arange(values) if counted is None else np.flatnonzero(counted)
    tables[usable] = value_table(setting, strength, k)
    tables[values] = strength * k * k / k[-1] if agrees else strength * setting.spare * k
    return ch.Potential.sum(tables)


def label(properties, scored, setting):
    """The labellings of a setting, and the result of the run."""
    if not any(setting.strengths.values()) and not setting.words and not setting.bias:
        return scored.own, None
    model = build(properties, scored, setting)
    options = dict(joint_mode="beam", beam_width=setting.beam) if setting.beam else {}
    run = ch.Run(model, rounds=setting.rounds, **options)
    result = run.solve()
    return [run.labels(k) for k in range(len(scored.records))], result
