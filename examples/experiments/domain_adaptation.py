"""Domain adaptation: references of many groups, each with a style of its own (the paper's table).

A CRF learns from a fraction of the groups. The other groups are labelled by the CRF alone, with
cliques of properties inside each group, and by the baselines.
"""

import numpy as np

import measure
import properties as P
import stacking
from base_model import fit
from datasets import split
from learning import folds_of, study

KINDS = ("Title", "Venue", "Author")
METHODS = ("base", "vote", "stacking", "control", "auto", "collective")
RUN = {"rounds": 0, "beam_width": 30}  # the local search alone, which moves whole records
SHORT_METHODS = ("base", "control", "auto", "collective")


def classes(data):
    """Returns the class of each label for micro F1: the three kinds count, others (-1) do not."""
    wanted = measure.kinds_of(data, KINDS)
    return np.where(np.isin(data.kind_of_label, wanted), data.kind_of_label, -1).astype(np.int32)


def point(store, data, properties, features, fraction, number, tag="base", names=P.SIX, baselines=True):
    """Measures one fraction and split: {method: counts of the test groups}, and what was learnt.
    tag: as for `fit`."""
    train, test = split(data, fraction, number)
    held_out, scored = fit(store, data, features, train, test, number, tag)
    result = {"train": len(train), "test": len(test), "records": len(scored), "counts": {}, "learnt": {}}

    def add(method, labels):
        result["counts"][method] = measure.counts(data, scored.records, labels, test).tolist()

    add("base", scored.own)
    if baselines:
        add("vote", P.vote(properties, scored))
        stacked = stacking.stack(store, data, features, train, test, number,
                                 lambda s: stacking.property_rows(properties, s), held_out, scored,
                                 "properties", tag)
        add("stacking", stacked.own)
    found = study([P.to_learn(properties, part, names) for part in folds_of(held_out)],
                  P.to_learn(properties, scored, names), len(scored), classes(data), **RUN)
    for method, (labels, told) in found.items():
        add(method, labels)
        result["learnt"][method] = told
    return result
