"""Learns on the training groups what agreement is worth, by `libchorale.learn`. Beside the learner
stands its control: the same learner without the agreement bases, in which no member of a clique
depends on another.

Each fold of training groups is a problem, scored by a model that has not seen the fold; `seen` is
the share of all training tokens that this model has seen.
"""

import time

import libchorale as ch
import numpy as np
from libchorale.learn import WeightRule, learn

# Rules that allow no agreement, by the type of the cliques.
ALONE = {"values": [WeightRule("agreement", 0, 0)], "centred": [WeightRule("centre", 0, 0)]}
TOLD = ("applied", "groups", "regularisation", "gain_p", "agreement_p", "temperature", "runs")


def folds_of(scored):
    """Cuts cross-fitted records into parts, each scored by one model. Returns the parts, and by
    part the share of all tokens that its model has seen."""
    parts = {}
    for k, matrix in enumerate(scored.transitions):
        parts.setdefault(id(matrix), []).append(k)
    parts = [scored.part(chains) for chains in parts.values()]
    sizes = np.array([sum(map(len, part.unary)) for part in parts])
    return parts, (1 - sizes / sizes.sum()).tolist()


def halves(data, parts, seen):
    """Cuts each part in two halves of every other group. With cliques across groups, a part may
    count as one group; the halves leave enough groups for a gain to be significant."""
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
    """Returns a problem for the learner. names: of the kinds of cliques; kinds: by clique, the name
    of its kind; gold: by chain, an array of labels, or None."""
    made = ch.Problem(model)
    made.kinds = names
    made.clique_kinds = [names.index(kind) for kind in kinds]
    if gold is not None:
        made.gold = np.concatenate(gold).astype(np.int32)
    return made


def study(problems, seen, test, chains, classes=None, cliques="values", **run):
    """Learns from problems, and labels another problem, `test`, which has `chains` chains. Returns
    {method: (labels, report)} for the control and the collective model. classes: what labels count
    as in micro F1; None: each wrong label costs 1. run: options of the run that labels."""
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
