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
from scored import by_group
from tuning import tune

KINDS = ("Title", "Venue", "Author")
SIX_METHODS = ("control, six", "collective, six")
SPARED_METHODS = ("base", "control", "collective", "control, spared", "collective, spared")
MORE_METHODS = ("base", "control", "collective", "control, more", "collective, more")
METHODS = ("base", "vote", "stacking", "control", "collective")
GRID = (0.0, 1.0, 2.0, 3.0)
SHARES = (0.5, 1.0)
MORE_GRID = (0.0, 1.0, 1.5, 2.0)
SPARED_GRID = (0.0, 1.0, 1.5, 2.0, 3.0)
SPARES = (0.0, 1.0, 1.5)
CONTROL_GRID = (0.0, 0.5, 1.0, 2.0, 3.0)  # beside full agreement a Potts bonus of s is worth 2 s

# Other ways to build the model, each tuned by itself with all strengths equal: the ablations.
VARIANTS = {
    "Potts alone": P.Setting(),
    "Potts and half the control's bonus": P.Setting(family="both", share=0.5),
    "Potts and the control's bonus": P.Setting(family="both", share=1.0),
    "Potts, OUT left out of the counts": P.Setting(out="left"),
    "Potts, no OUT": P.Setting(out="forbidden"),
    "Potts, cliques of 30 % agreement or more": P.Setting(agreement=0.3),
    "Potts, votes of records with a margin of 1 or more": P.Setting(margin=1.0),
    "Majority (makespan)": P.Setting(family="makespan"),
    "Potts, EMPTY counted but for Venue": P.Setting(empty=P.WITH_EMPTY),
}
BEAMS = {"tuning": 5, "test": 10}
TUNING_RECORDS = 350


def quality(data):
    """What strengths are tuned for: the mean F1 of Title, Venue and Author."""
    kinds = [measure.kinds_of(data, [k]) for k in KINDS]
    return lambda table: float(np.mean([measure.f1(table, k) for k in kinds]))


def tuned(data, properties, held_out, setting, grid, names=P.NAMES, **more):
    """The setting with strengths for these training records, and its cross-validated quality."""
    groups = list(by_group(data, held_out))

    def counts(strengths):
        labels, _ = P.label(properties, held_out,
                            replace(setting, strengths=strengths, beam=BEAMS["tuning"]))
        return measure.counts(data, held_out.records, labels, groups)

    strengths, score = tune(counts, names, grid, quality(data), caution=0.5, **more)
    return replace(setting, strengths=strengths, beam=BEAMS["test"]), score


def collective(data, properties, held_out):
    """The setting of the collective model: how much of the control's bonus it pays beside agreement,
    with equal strengths; then a strength for each property."""
    settings = [P.Setting(), *(P.Setting(family="both", share=share) for share in SHARES)]
    setting, _ = max((tuned(data, properties, held_out, s, GRID, factors=()) for s in settings),
                     key=lambda found: found[1])
    return tuned(data, properties, held_out, setting, GRID, start=setting.strengths)


def some_groups(data, scored, limit):
    """As many of the first groups as have at most `limit` records (one at least), which is enough to
    tune on."""
    chosen = []
    for chains in by_group(data, scored).values():
        if chosen and len(chosen) + len(chains) > limit:
            break
        chosen += chains
    return scored.part(chosen)


def begin(store, data, features, train, test, number, tag="base"):
    """One fit, and what is told of its point, the base first. tag: as for `fit`."""
    held_out, scored = fit(store, data, features, train, test, number, tag)
    base = measure.counts(data, scored.records, scored.own, test).tolist()
    return held_out, scored, {"train": len(train), "test": len(test), "records": len(scored),
                              "counts": {"base": base}, "settings": {}, "quality": {}, "seconds": {}}


def point(store, data, properties, features, fraction, number, ablations=False):
    """One fraction and split: {method: counts of the test groups}, settings, seconds."""
    train, test = split(data, fraction, number)
    held_out, scored, result = begin(store, data, features, train, test, number)

    def add(method, labels):
        result["counts"][method] = measure.counts(data, scored.records, labels, test).tolist()

    every = {name: 1.0 for name in P.NAMES}
    add("vote", P.label(properties, scored, P.Setting(every, family="vote", beam=5))[0])
    stacked = stacking.stack(store, data, features, train, test, number,
                             lambda s: stacking.property_rows(properties, s), held_out, scored,
                             "properties")
    add("stacking", stacked.own)
    inner = some_groups(data, held_out, TUNING_RECORDS)
    candidates = {"control": lambda: tuned(data, properties, inner, P.Setting(family="control"),
                                           CONTROL_GRID, factors=()),
                  "collective": lambda: collective(data, properties, inner)}
    if ablations:
        candidates |= {name: lambda setting=setting: tuned(data, properties, inner, setting, GRID,
                                                           factors=())
                       for name, setting in VARIANTS.items()}
    for name, found in candidates.items():
        measure_setting(result, data, properties, scored, test, name, *found())
    return result


def measure_setting(result, data, properties, scored, test, name, setting, score):
    begin = time.process_time()
    labels, _ = P.label(properties, scored, setting)
    result["seconds"][name] = time.process_time() - begin
    result["settings"][name], result["quality"][name] = asdict(setting), score
    result["counts"][name] = measure.counts(data, scored.records, labels, test).tolist()


def six_point(store, data, properties, features, fraction, number, tag="base"):
    """As `point`, for SIX properties: the control and Potts, with equal strengths. tag: as for `fit`."""
    train, test = split(data, fraction, number)
    held_out, scored, result = begin(store, data, features, train, test, number, tag)
    inner = some_groups(data, held_out, TUNING_RECORDS)
    for name, setting, grid in (("control, six", P.Setting(family="control"), CONTROL_GRID),
                                ("collective, six", P.Setting(), GRID)):
        measure_setting(result, data, properties, scored, test, name,
                        *tuned(data, properties, inner, setting, grid, P.SIX, factors=()))
    return result


def spared_point(store, data, properties, features, fraction, number, tag="base"):
    """As `point`, for works without a Title: control and Potts on the paper's four properties with one
    strength for all, without and with a tuned `spare`. tag: as for `fit`."""
    train, test = split(data, fraction, number)
    held_out, scored, result = begin(store, data, features, train, test, number, tag)
    inner = some_groups(data, held_out, TUNING_RECORDS)
    for family, name, grid in (("control", "control", CONTROL_GRID),
                               ("potts", "collective", SPARED_GRID)):
        found = [tuned(data, properties, inner, P.Setting(family=family, spare=spare), grid,
                       factors=()) for spare in SPARES]
        measure_setting(result, data, properties, scored, test, name, *found[0])
        measure_setting(result, data, properties, scored, test, f"{name}, spared",
                        *max(found, key=lambda f: f[1]))
    return result


# What may be added to six properties with one strength, in this order; and to their control.
MORE = (lambda s: replace(s, strengths=dict.fromkeys(P.SEVEN, s.strengths["first"])),
        lambda s: replace(s, words=0.5))
MORE_CONTROL = (MORE[0], lambda s: replace(s, bias=0.5))


def more_point(store, data, properties, features, fraction, number, tag="base"):
    """As `point`, for what may be added to SIX, and for a base with features of its own (tag: its
    name). Share, strength and additions are what does credibly better on the training groups."""
    train, test = split(data, fraction, number)
    held_out, scored, result = begin(store, data, features, train, test, number, tag)
    inner = some_groups(data, held_out, TUNING_RECORDS)
    groups = list(by_group(data, inner))

    def added(setting, additions):
        for add in additions:
            wider = add(setting)

            def counts(taken):
                labels, _ = P.label(properties, inner, wider if taken["it"] else setting)
                return measure.counts(data, inner.records, labels, groups)

            taken, score = tune(counts, ["it"], (0.0, 1.0), quality(data), caution=0.5, factors=())
            setting = wider if taken["it"] else setting
        return setting, score

    def best(settings, grid, names, additions=()):
        setting, score = max((tuned(data, properties, inner, s, grid, names, factors=())
                              for s in settings), key=lambda found: found[1])
        # The same beam when tuned and when measured.
        setting = replace(setting, beam=BEAMS["tuning"])
        return added(setting, additions) if additions else (setting, score)

    control = (P.Setting(family="control"),)
    potts = (P.Setting(), P.Setting(family="both", share=0.5))
    for name, given in {"control": (control, CONTROL_GRID, P.NAMES),
                        "collective": (potts, MORE_GRID, P.NAMES),
                        "control, more": (control, CONTROL_GRID, P.SIX, MORE_CONTROL),
                        "collective, more": (potts, MORE_GRID, P.SIX, MORE)}.items():
        measure_setting(result, data, properties, scored, test, name, *best(*given))
    return result
