"""Agreement and rules, on scores made for the purpose."""

import libchorale as ch
import numpy as np
from chorale_references.agreement import ONCE, PRICE, STRENGTHS, Item, Together
from chorale_references.tagger import LABELS

NO_TRANSITIONS = ch.Transitions(np.zeros((len(LABELS), len(LABELS))))


def item(*fields, second=None, margin=1.0):
    """A reference with a token for each field; where it is in `second`, its second label is that, worse by the margin."""
    scores = np.full((len(fields), len(LABELS)), -50.0, dtype=np.float32)
    for k, field in enumerate(fields):
        scores[k, LABELS.index(field)] = 0.0
        if second and k in second:
            scores[k, LABELS.index(second[k])] = -margin
    return Item("r", ["t%d" % k for k in range(len(fields))], [""] * len(fields), scores)


def labels(items, strengths=None):
    together = Together([("list", items)], NO_TRANSITIONS, strengths)
    return [[LABELS[y] for y in of] for of in together.labels()], together


def test_a_second_stretch_of_a_field_costs():
    for field in ONCE:
        other = "Title" if field != "Title" else "Venue"
        tokens = [field, "Other", field]
        for margin, expected in ((PRICE - 0.1, other), (PRICE + 0.1, field)):
            ((_, _, last),), _ = labels([item(*tokens, second={2: other}, margin=margin)])
            assert last == expected, (field, margin)
        ((_, _, last),), _ = labels([item(*tokens, second={2: other}, margin=0.1)], {})
        assert last == field


def test_one_stretch_breaks_no_rule():
    fields = [*(field for field in ONCE for _ in range(2)), "Other"]
    _, together = labels([item(*fields)] * 2)
    assert together.model.cliques == 0


def test_how_sure_the_labels_are():
    """Two tokens, each with another label that is half as probable; alone and in a list that agrees."""
    unsure = item("Author", "Title", second={0: "Editor", 1: "Venue"}, margin=np.log(2))
    clear = item("Author", "Title")
    _, together = labels([unsure, clear], {})
    assert np.allclose(together.sure(), [4 / 9, 1])
    _, together = labels([unsure, clear, clear, clear])
    assert 4 / 9 < together.sure()[0] < 1


def test_the_problem_names_the_rules():
    _, together = labels([item("Date", "Title", "Date", second={2: "Volume"})])
    problem = together.problem()
    assert problem.clique_kinds == ["one Date"] and problem.clique_names == ["list: one Date"]
    assert set(STRENGTHS) > {"one Date", "first field"}
