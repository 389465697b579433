"""Two-stage stacking (Krishnan and Manning 2006), a baseline without joint inference. The features
of a second CRF contain what the first CRF said about the rest of the group.

The training records are scored by cross-fitting, since the test records too are scored by a model
that has not seen them. So the second model learns how far the first can be trusted.
"""

import numpy as np

from base_model import fit
from properties import FOUR, mode
from scored import by_group


def nearby(labels, t):
    """Returns features: the first model's labels at a position and beside it."""
    return [f"y{d}={labels[t + d] if 0 <= t + d < len(labels) else ''}" for d in (-1, 0, 1)]


def property_rows(properties, scored):
    """Returns {record: by position, a list of features}: the commonest value of each property in
    the group, with where the token is."""
    data, rows = properties.data, {}
    for chains in by_group(data, scored).values():
        fired = [properties.fired(scored.records[k], scored.own[k]) for k in chains]
        modes = {}
        for name in FOUR:
            single = [f[name][0] for f in fired if len(set(f[name])) == 1]
            modes[name] = mode(single)[0] if single else -1
        for k in chains:
            r = scored.records[k]
            table, own = properties.tables[r], scored.own[k]
            before = [modes["before_title"] == (table[t - 1] if t else max_value(properties))
                      for t in range(len(own))]
            rows[r] = [
                nearby(own, t) + [
                    f"after-mark={int(before[t])}",
                    f"after-mark={int(before[t])},y={own[t]}",
                    *(f"{name}={modes[name]},y={own[t]}" for name in FOUR if name != "before_title"),
                    *(f"{name}={modes[name]},from={min(t, 3)}" for name in ("first",)),
                ] for t in range(len(own))]
    return rows


def max_value(properties):
    """Returns the value of "there is no token before it"."""
    return properties.automata["before_title"].values - 1


def word_rows(words, scored):
    """Returns {record: by position, a list of features}: the commonest kind that the first model
    gives a token in its document, and in all documents (token majority)."""
    data, keys = words.data, words.keys
    counts = {}
    for k, r in enumerate(scored.records):
        for key, kind in zip(keys[r], words.kind_of_label[scored.own[k]]):
            if key >= 0:
                for place in (data.records[r].group, -1):
                    counts.setdefault((place, int(key)), np.zeros(len(words.kinds), int))[kind] += 1
    rows = {}
    for k, r in enumerate(scored.records):
        own = scored.own[k]
        rows[r] = []
        for t, key in enumerate(keys[r]):
            row = nearby(own, t)
            for name, place in (("document", data.records[r].group), ("all", -1)):
                found = counts.get((place, int(key))) if key >= 0 else None
                if found is not None and found.sum() >= 2:
                    row += [f"{name}={found.argmax()}", f"{name}={found.argmax()},y={own[t]}"]
            rows[r].append(row)
    return rows


def stack(store, data, features, train_groups, test_groups, number, rows_of, held_out, test, name,
          base="base"):
    """Returns the test records, scored by the second model, as Scored. rows_of: the function from
    scored records to features (property_rows or word_rows). base: the tag of the first model."""
    extra = rows_of(held_out) | rows_of(test)
    tag = f"stacked-{name}" if base == "base" else f"stacked-{name}-{base}"
    _, stacked = fit(store, data, features, train_groups, test_groups, number, tag, extra)
    return stacked
