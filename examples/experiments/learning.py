"""How strongly labels should agree: learnt on the training groups by `libchorale.learn`, or found
without gold labels. Beside them stands the control, in which no member of a clique depends on
another: a bonus alone.

Each fold of training groups is a problem, scored by a model that has not seen the fold.
"""

import json
import time

import libchorale as ch
import numpy as np
from libchorale.learn import Learnt, learn

METHODS = ("auto", "control", "collective")
BONUSES = (0.5, 1, 2)
TOLD = ("applied", "verdict", "groups", "agreement_p", "gain_p", "changed", "changed_right_before",
        "changed_right_after", "runs")


def folds_of(scored):
    """Cuts cross-fitted records into parts, each scored by one model."""
    parts = {}
    for k, matrix in enumerate(scored.transitions):
        parts.setdefault(id(matrix), []).append(k)
    return [scored.part(chains) for chains in parts.values()]


def halves(data, parts):
    """Cuts each part in two halves of every other group. With cliques across groups, a part may
    count as one group; the halves leave enough groups for a gain to be credible."""
    found = []
    for part in parts:
        groups = sorted({data.records[r].group for r in part.records})
        for half in (set(groups[::2]), set(groups[1::2])):
            chosen = [k for k, r in enumerate(part.records) if data.records[r].group in half]
            if chosen:
                found.append(part.part(chosen))
    return found


def problem(model, names, kinds, gold):
    """Returns a problem for the learner. names: of the kinds of cliques; kinds: by clique, the name
    of its kind; gold: by chain, an array of labels, or None."""
    made = ch.Problem(model)
    made.kinds = names
    made.clique_kinds = kinds
    if gold is not None:
        made.gold = np.concatenate(gold).astype(np.int32)
    return made


def labels_under(learnt, problem, chains, **run):
    with ch.Run(learnt.apply(problem), **run) as labelled:
        labelled.solve()
        return [labelled.labels(k) for k in range(chains)]


def bonus_alone(learnt, bonus):
    """Returns a result of learning with a bonus in place of agreement."""
    told = json.loads(learnt.to_json())
    told["weights"] = []
    for number, kind in enumerate(told["kinds"]):
        kind.update(strength=0.0, bonus=bonus, weights=1)
        told["weights"].append({"kind": number, "basis": "single", "index": 0, "weight": bonus})
    return Learnt.from_json(json.dumps(told))


def micro_f1(problems, found, classes):
    """Returns micro F1 of labels, by the class of each label (-1: does not count)."""
    gold = classes[np.concatenate([p.gold for p in problems])]
    labels = classes[np.concatenate(found)]
    return 2 * ((gold == labels) & (gold >= 0)).sum() / ((gold >= 0).sum() + (labels >= 0).sum())


def best_bonus(learnt, problems, classes):
    """Returns a result of learning with the bonus, or none, that is best on the problems."""
    best = None
    for bonus in (0.0, *BONUSES):
        alone = bonus_alone(learnt, bonus)
        found = [np.concatenate(labels_under(alone, p, len(p.model.chain_lengths), rounds=3)) for p in problems]
        f1 = micro_f1(problems, found, classes)
        if best is None or f1 > best[0]:
            best = f1, alone
    return best[1]


def study(problems, test, chains, classes=None, **run):
    """Labels a problem, `test`, which has `chains` chains. Returns {method: (labels, report)}.
    classes: what labels count as in micro F1, which is maximised; None: accuracy is, and a bonus for
    every label changes nothing. run: options of the run that labels."""
    begin = time.process_time()
    auto = learn(test, classes=classes, without_gold=True)
    middle = time.process_time()
    collective = learn(problems, classes=classes)
    learnt = {"auto": (auto, middle - begin), "collective": (collective, time.process_time() - middle)}
    if classes is not None:
        learnt["control"] = best_bonus(auto, problems, np.asarray(classes)), 0.0
    found = {}
    for method, (result, seconds) in learnt.items():
        begin, report = time.process_time(), result.report
        labels = labels_under(result, test, chains, **run)
        told = {name: report[name] for name in TOLD}
        told["cost"] = report["agreeing_cost" if report["applied"] else "tagger_cost"]
        told["kinds"] = [[k["name"], k["strength"], k["bonus"]] for k in report["kinds"]]
        told["seconds"] = [seconds, time.process_time() - begin]
        found[method] = labels, told
    return found
