"""Domain adaptation: references of many groups, each with a style of its own (the paper's table).

A CRF learns from a fraction of the groups and labels the others, by itself, with cliques of four
properties inside each group, and with the baselines.
"""

import time
from dataclasses import asdict, replace

import numpy as np

import measure
import properties as P
import stacking
from base_model import fit
from datasets import split
from tuning import tune

KINDS = ("Title", "Venue", "Author")
METHODS = ("base", "vote", "stacking", "control", "collective")
GRID = (0.0, 0.5, 1.0, 2.0, 3.0, 4.0)
CONTROL_GRID = (0.0, 1.0, 2.0, 4.0, 6.0)  # beside full agreement a Potts bonus of s is worth 2 s

# Ways to build the model that are chosen among on the training groups, each tuned by itself.
VARIANTS = {
    "Potts": P.Setting(),
    "Potts, OUT left out of the counts": P.Setting(out="left"),
    "Potts, one round": P.Setting(rounds=1),
    "Potts, cliques with a value of 30 % or more": P.Setting(agreement=0.3),
    "Potts, votes of records with a margin of 1 or more": P.Setting(margin=1.0),
    "Majority (makespan)": P.Setting(family="makespan"),
}


def quality(data):
    """What strengths are tuned for: the mean F1 of Title, Venue and Author."""
    kinds = [measure.kinds_of(data, [k]) for k in KINDS]
    return lambda table: float(np.mean([measure.f1(table, k) for k in kinds]))


def tuned(data, properties, held_out, groups, setting, grid, passes=1):
    """The setting with strengths for these training groups, and its cross-validated quality."""

    def counts(strengths):
        labels, _ = P.label(properties, held_out, replace(setting, strengths=strengths))
        return measure.counts(data, held_out.records, labels, groups)

    strengths, score = tune(counts, P.NAMES, grid, quality(data), caution=0.5, passes=passes)
    return replace(setting, strengths=strengths), score


def point(store, data, properties, features, fraction, number, variants=("Potts",)):
    """One fraction and split: {method: counts of the test groups}, settings, seconds."""
    train, test = split(data, fraction, number)
    held_out, scored = fit(store, data, features, train, test, number)
    result = {"train": len(train), "test": len(test), "records": len(scored), "counts": {},
              "settings": {}, "quality": {}, "seconds": {}}

    def add(method, labels):
        result["counts"][method] = measure.counts(data, scored.records, labels, test).tolist()

    add("base", scored.own)
    every = {name: 1.0 for name in P.NAMES}
    add("vote", P.label(properties, scored, P.Setting(every, family="vote", rounds=1))[0])
    stacked = stacking.stack(store, data, features, train, test, number,
                             lambda s: stacking.property_rows(properties, s), held_out, scored,
                             "properties")
    add("stacking", stacked.own)
    candidates = {"control": (P.Setting(family="control", rounds=1), CONTROL_GRID)}
    candidates |= {name: (VARIANTS[name], GRID) for name in variants}
    for name, (setting, grid) in candidates.items():
        setting, score = tuned(data, properties, held_out, train, setting, grid)
        begin = time.perf_counter()
        labels, _ = P.label(properties, scored, setting)
        result["seconds"][name] = time.perf_counter() - begin
        result["settings"][name], result["quality"][name] = asdict(setting), score
        add(name, labels)
    best = max(variants, key=lambda name: result["quality"][name])
    result["chosen"] = best
    result["counts"]["collective"] = result["counts"][best]
    return result
