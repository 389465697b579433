"""What agreement is worth, learnt on the training groups by `libchorale.learn`: beside the learner its
control, the same without the agreement bases, which knows of no other member of a clique.

Each fold of training groups is a problem, scored by a model that has not seen it; `seen` says how much of
all training tokens that model has.
"""

import time

import libchorale as ch
import numpy as np
from libchorale.learn import WeightRule, learn

# Bounds that leave no agreement, by what the cliques are.
ALONE = {"values": [WeightRule("agreement", 0, 0)], "centred": [WeightRule("centre", 0, 0)]}
TOLD = ("applied", "groups", "regularisation", "gain_p", "agreement_p", "temperature", "runs")


def folds_of(scored):
    """The parts of cross-fitted records that one model each has scored, and what share of the tokens that
    model has seen."""
    parts = {}
    for k, matrix in enumerate(scored.transitions):
        parts.setdefault(id(matrix), []).append(k)
    parts = [scored.part(chains) for chains in parts.values()]
    sizes = np.array([sum(map(len, part.unary)) for part in parts])
    return parts, (1 - sizes / sizes.sum()).tolist()


def halves(data, parts, seen):
    """Cuts each part in two of every other group, so that cliques across groups leave enough that are apart
    for a gain to be credible."""
    found, shares = [], []
    for part, share in zip(parts, seen):
        groups = sorted({data.records[r].group for r in part.records})
        for half in (set(groups[::2]), set(groups[1::2])):
            chosen = [k for k, r in enumerate(part.records) if data.records[r].group in half]
            if chosen:
                found.append(part.part(chosen))
                shares.append(share)
    return found, shares


def problem(model, names, kinds, gold):
    """A problem for the learner: names, of the kinds of cliques; kinds, the name of each clique's kind; gold,
    an array a chain, or None."""
    made = ch.Problem(model)
    made.kinds = names
    made.clique_kinds = [names.index(kind) for kind in kinds]
    if gold is not None:
        made.gold = np.concatenate(gold).astype(np.int32)
    return made


def study(problems, seen, test, chains, classes=None, cliques="values", **run):
    """Learns from problems and labels another, `test`, of so many chains: {method: (labels, what is told of
    it)} for the control and the collective model. classes: what labels count as for micro F1; None: wrong
    labels count. run: options of the run that labels."""
    found = {}
    for method, rules in (("control", ALONE[cliques]), ("collective", [])):
        begin = time.process_time()
        learnt = learn(problems, seen=seen, rules=rules, classes=classes)
        middle = time.process_time()
        report = learnt.report
        with ch.Run(learnt.apply(test), **run) as labelled:
            labelled.solve()
            labels = [labelled.labels(k) for k in range(chains)]
        told = {name: report[name] for name in TOLD}
        told["cost"] = report["base_cost" if report["applied"] == 0 else "all_cost"]
        told["weights"] = [[w["kind"], w["basis"], w["index"], w["weight"]] for w in report["weights"]]
        told["verdicts"] = [k["verdict"] for k in report["kinds"]]
        told["seconds"] = [middle - begin, time.process_time() - middle]
        found[method] = labels, told
    return found
