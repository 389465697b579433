"""Token F1, and tests of the difference between two methods.

Everything is computed from counts, an array of groups x kinds x 3: the number of tokens of a kind
that are right, that are gold, and that are predicted.
"""

import numpy as np
from scipy.stats import ttest_rel

RIGHT, GOLD, PREDICTED = range(3)


def counts(data, records, labellings, groups):
    """Returns the counts of labellings (label numbers, an array a record): a row for each of
    `groups`."""
    row = {int(g): k for k, g in enumerate(groups)}
    kinds = len(data.kinds)
    table = np.zeros((len(row), kinds, 3), dtype=np.int64)
    for r, labelling in zip(records, labellings):
        record = data.records[r]
        table[row[record.group]] += counts_of(data.kind_of_label[record.labels], data.kind_of_label[labelling], kinds)
    return table


def counts_of(gold, predicted, kinds):
    """Returns the counts of some tokens, kinds x 3. gold, predicted: the kind of each token."""
    table = np.empty((kinds, 3), dtype=np.int64)
    table[:, RIGHT] = np.bincount(gold[gold == predicted], minlength=kinds)
    table[:, GOLD] = np.bincount(gold, minlength=kinds)
    table[:, PREDICTED] = np.bincount(predicted, minlength=kinds)
    return table


def f1(table, kinds):
    """Returns the token F1 (per cent) of the kinds together, for each index of the leading axes;
    100 if there is nothing to find and nothing is found."""
    right, gold, predicted = (table[..., kinds, k].sum(axis=-1) for k in range(3))
    total = np.asarray(gold + predicted, dtype=float)
    return 100.0 * np.where(total > 0, 2.0 * right / np.maximum(total, 1), 1.0)


def f1_of_each(table, kinds):
    """Returns the token F1 of the kinds together, and then that of each kind."""
    return np.array([f1(table, kinds), *(f1(table, [kind]) for kind in kinds)])


def kinds_of(data, names=None):
    """Returns the numbers of the kinds called `names`; without names, of all kinds but Other."""
    if names is None:
        return [k for k in range(len(data.kinds)) if k != data.other]
    return [data.kinds.index(name) for name in names]


def paired_p(after, before):
    """Returns the two-sided p of the paired t-test over splits; nan with fewer than two splits, 1
    if all differences are zero."""
    after, before = np.asarray(after, float), np.asarray(before, float)
    if len(after) < 2:
        return float("nan")
    if np.allclose(after, before):
        return 1.0
    return float(ttest_rel(after, before).pvalue)


def groups_compared(after, before, kinds):
    """Returns how many groups are better, equal and worse in F1 of the kinds. after, before: lists
    of counts, one table a split."""
    better = equal = worse = 0
    for a, b in zip(after, before):
        change = f1(a, kinds) - f1(b, kinds)
        better += int((change > 1e-9).sum())
        worse += int((change < -1e-9).sum())
        equal += int((np.abs(change) <= 1e-9).sum())
    return better, equal, worse
