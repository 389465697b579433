"""Repeated words: all places of a word are labelled together (the paper's table). Also on a control
data set, where agreement is wrong.
"""

import numpy as np

import measure
import stacking
import words as W
from base_model import fit
from datasets import split
from learning import folds_of, halves, study

# The share of groups that trains, by set: that of the paper for the data that the set stands in
# for.
FRACTIONS = {"wikigold": 0.3, "litbank": 0.3, "cora_ie": 0.1, "us50_addresses": 0.3,
             "ncbi_disease": 0.3}
METHODS = ("base", "vote", "stacking", "control", "auto", "collective")


def classes(data):
    """Returns the class of each label for micro F1: all kinds count but Other (-1)."""
    return np.where(data.kind_of_label == data.other, -1, data.kind_of_label).astype(np.int32)


def point(store, data, words, features, fraction, number, across, tag="base", baselines=True):
    """Measures one split: {method: counts of the test groups}, and what was learnt. tag: as for
    `fit`."""
    train, test = split(data, fraction, number)
    held_out, scored = fit(store, data, features, train, test, number, tag)
    result = {"train": len(train), "test": len(test), "records": len(scored), "counts": {},
              "learnt": {}, "cliques": len(W.cliques(words, scored, across))}

    def add(method, labels):
        result["counts"][method] = measure.counts(data, scored.records, labels, test).tolist()

    add("base", scored.own)
    if baselines:
        add("vote", W.vote(words, scored, across))
        stacked = stacking.stack(store, data, features, train, test, number,
                                 lambda s: stacking.word_rows(words, s), held_out, scored, "words",
                                 tag)
        add("stacking", stacked.own)
    parts = folds_of(held_out)
    if across:
        parts = halves(data, parts)
    found = study([W.to_learn(words, part, across) for part in parts],
                  W.to_learn(words, scored, across), len(scored), classes(data))
    for method, (labels, told) in found.items():
        add(method, labels)
        result["learnt"][method] = told
    return result
