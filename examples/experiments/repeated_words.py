"""Repeated words: mentions of a word labelled together (the paper's table), and the control data set
where agreement is wrong.
"""

import time
from dataclasses import asdict, replace

import measure
import stacking
import words as W
from base_model import fit
from datasets import split
from scored import by_group
from tuning import tune

# The training fraction of each set: the paper's for what stands in for its data.
FRACTIONS = {"wikigold": 0.3, "litbank": 0.3, "cora_ie": 0.1, "us50_addresses": 0.3,
             "ncbi_disease": 0.3}
GRID = (0.0, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
BIASES = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
METHODS = ("base", "vote", "stacking", "bias", "Potts", "Potts, Other left out", "Majority",
           "Majority, Other left out", "Majority, perceptron", "collective")
VARIANTS = {
    "Potts": W.Setting(),
    "Potts, Other left out": W.Setting(other=False),
    "Majority": W.Setting(family="majority"),
    "Majority, Other left out": W.Setting(family="majority", other=False),
}
# Further ways, tried on the sets where there is much to be had.
MORE = {
    "pairs, Potts": W.Setting(key="pair"),
    "pairs, Majority": W.Setting(key="pair", family="majority"),
    "margin 1, Potts": W.Setting(margin=1.0),
    "margin 1, Majority": W.Setting(margin=1.0, family="majority"),
}


def tuned(data, words, held_out, groups, setting, weights, name="strength", grid=GRID):
    """The setting with one number tuned on the training groups, and its cross-validated F1."""
    kinds = measure.kinds_of(data)

    def counts(found):
        labels, _ = W.label(words, held_out, replace(setting, **found), weights)
        return measure.counts(data, held_out.records, labels, groups)

    best, score = tune(counts, (name,), grid, lambda table: float(measure.f1(table, kinds)))
    return replace(setting, **best), score


def point(store, data, words, features, fraction, number, across, more=False):
    """One split: {method: counts of the test groups}, settings, qualities, seconds. more:
    with the further ways."""
    train, test = split(data, fraction, number)
    held_out, scored = fit(store, data, features, train, test, number)
    result = {"train": len(train), "test": len(test), "records": len(scored), "counts": {},
              "settings": {}, "quality": {}, "seconds": {}, "cliques": 0}

    def add(method, labels):
        result["counts"][method] = measure.counts(data, scored.records, labels, test).tolist()

    plain = W.Setting(across=across)
    result["cliques"] = len(W.cliques(words, scored, plain))
    add("base", scored.own)
    add("vote", W.vote(words, scored, plain))
    stacked = stacking.stack(store, data, features, train, test, number,
                             lambda s: stacking.word_rows(words, s), held_out, scored, "words")
    add("stacking", stacked.own)
    setting, _ = tuned(data, words, held_out, train, W.Setting(), None, "bias", BIASES)
    result["settings"]["bias"] = asdict(setting)
    add("bias", W.label(words, scored, setting)[0])
    candidates = dict(VARIANTS) | (MORE if more else {})
    for name, setting in candidates.items():
        setting = replace(setting, across=across)
        weights = None
        if setting.family == "majority":
            weights = W.co_occurrence(words, held_out, setting)
        setting, score = tuned(data, words, held_out, train, setting, weights)
        begin = time.process_time()
        labels, _ = W.label(words, scored, setting, weights)
        result["seconds"][name] = time.process_time() - begin
        result["settings"][name], result["quality"][name] = asdict(setting), score
        add(name, labels)
    add("Majority, perceptron", learnt(words, held_out, scored, result["settings"]["Majority"]))
    best = max(result["quality"], key=result["quality"].get)
    result["chosen"] = best
    result["counts"]["collective"] = result["counts"][best]
    return result


def learnt(words, held_out, scored, setting):
    """The labels under W learnt by the perceptron, from the tuned co-occurrences."""
    setting = W.Setting(**setting)
    start = setting.strength * W.co_occurrence(words, held_out, setting)
    setting = replace(setting, strength=1.0)
    kinds, groups = measure.kinds_of(words.data), list(by_group(words.data, held_out))

    def quality(labels):
        counts = measure.counts(words.data, held_out.records, labels, groups)
        return float(measure.f1(counts.sum(axis=0), kinds))

    return W.label(words, scored, setting,
                   W.perceptron(words, held_out, setting, start, quality))[0]
