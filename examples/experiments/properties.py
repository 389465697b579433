"""Domain adaptation's collective model: properties of the records of a group.

    first         the first kind that is not Other
    before_title  the token before Title (digits count as one sign)
    after_title   the first kind that is not Other after Title
    after_venue   the same after Venue
    before_venue  the token before Venue
    after_author  the first kind that is not Other after Author

The first four are the paper's (NAMES); with the others they are SIX.

Each group has a clique for each property, whose members are its records. EMPTY and CONFLICT are left
out of the counts.
"""

import re
from dataclasses import dataclass, field

import chorale as ch
import numpy as np

from scored import by_group

NAMES = ("first", "before_title", "after_title", "after_venue")
SIX = (*NAMES, "before_venue", "after_author")


@dataclass
class Setting:
    """What a collective model is made of."""

    strengths: dict = field(default_factory=dict)  # of SIX; 0 or absent: the property is left out
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
        }

    def fired(self, record, labels):
        """Everything a labelling fires, as {name: list of values}."""
        table = self.tables[record]
        return {name: automaton.fired(labels, table=table).tolist()
                for name, automaton in self.automata.items()}


def mode(values):
    """The commonest of some values, the lowest of equals, and its share."""
    found, counts = np.unique(values, return_counts=True)
    k = int(counts.argmax())
    return int(found[k]), counts[k] / counts.sum()


def build(properties, scored, setting):
    """The frozen model of these records under a setting; chain k is scored.records[k]."""
    data, builder = properties.data, ch.ModelBuilder()
    fired = [properties.fired(r, labels) for r, labels in zip(scored.records, scored.own)]
    for r, unary, matrix in zip(scored.records, scored.unary, scored.matrices):
        builder.add_chain(unary, matrix, tokens=properties.tables[r], group=data.records[r].group)
    for chains in by_group(data, scored).values():
        if setting.margin > 0:
            chains = [k for k in chains if scored.margins[k] >= setting.margin]
        if len(chains) < 2:
            continue
        for name in SIX:
            strength = setting.strengths.get(name, 0.0)
            single = [fired[k][name][0] for k in chains if len(set(fired[k][name])) == 1]
            if strength == 0.0 or not single or mode(single)[1] < setting.agreement:
                continue
            add_clique(builder, properties, setting, name, strength, chains,
                       sorted({v for k in chains for v in fired[k][name]}), mode(single)[0])
    return builder.freeze()


def add_clique(builder, properties, setting, name, strength, chains, seen, commonest):
    """One clique. seen: the values that base labellings fire, ascending."""
    dictionary, counted = None, None
    values = properties.automata[name].values
    if name.startswith("before"):
        with_out = setting.out != "forbidden"
        dictionary = ch.Dictionary(seen, out=with_out)
        values, commonest = len(seen) + with_out, seen.index(commonest)
        if setting.out == "left":
            counted = np.arange(values) < len(seen)
    n = len(chains)
    if setting.family == "potts":
        potential = ch.Potential.potts(values, strength, scale="members", counted=counted)
    elif setting.family == "both":
        k = np.arange(n + 1.0)
        table = strength * (k * k / n + setting.share * k)
        potential = ch.Potential.sum(table, values, counted=counted)
    elif setting.family == "makespan":
        potential = ch.Potential.makespan(values, strength, counted=counted)
    elif setting.family == "control":
        potential = ch.Potential.sum(strength * np.arange(n + 1.0), values)
    elif setting.family == "vote":
        tables = np.zeros((values, n + 1))
        tables[commonest] = 1000.0 * np.arange(n + 1.0)
        potential = ch.Potential.sum(tables)
    else:
        raise ValueError(f"no family {setting.family!r}")
    clique = builder.add_clique(property=properties.automata[name], dictionary=dictionary,
                                potential=potential)
    for k in chains:
        builder.add_member(clique, k)


def label(properties, scored, setting):
    """The labellings of a setting, and the result of the run."""
    if not any(setting.strengths.values()):
        return scored.own, None
    model = build(properties, scored, setting)
    options = dict(joint_mode="beam", beam_width=setting.beam) if setting.beam else {}
    run = ch.Run(model, rounds=setting.rounds, **options)
    result = run.solve()
    return [run.labels(k) for k in range(len(scored.records))], result
