"""Publication pages as a collective model: one chain a record, one clique a page and property."""

from collections import Counter
from typing import NamedTuple

import libchorale as ch
import numpy as np

from pages import OTHER, Record

# The paper's four properties ("Domain adaptation") and two more, in the order in which every page has its cliques.
KINDS = ["first field", "token before the title", "field after the title", "field after the venue",
         "token before the venue", "field after the authors"]
START, END = "(start)", "(end)"  # the token before a record, the label after it


class Scored(NamedTuple):
    """A record with the tagger's scores."""

    record: Record
    unary: np.ndarray  # [T, m], columns in the order of the label names of the collection
    transitions: ch.Transitions


def normal_form(token: str) -> str:
    """What two tokens share when they count as the same: case and the digits of numbers do not matter."""
    return "".join("0" if c.isdigit() else c for c in token.lower())


class Collection:
    """Records of some pages, scored: token numbers, and what fires in the labels of each record alone."""

    def __init__(self, scored: list[Scored], labels: list[str]):
        self.scored, self.labels = scored, labels
        self.pages = sorted({s.record.page for s in scored})
        self.vocabulary = [START]
        number = {START: 0}
        self.tokens = []
        for s in scored:
            forms = [normal_form(t) for t in s.record.tokens]
            for form in forms:
                if form not in number:
                    number[form] = len(self.vocabulary)
                    self.vocabulary.append(form)
            self.tokens.append(np.array([number[f] for f in forms], dtype=np.int32))
        m = len(labels)
        ignored = [label == OTHER for label in labels]
        title, venue = labels.index("Title"), labels.index("Venue")
        self.properties = [
            ch.Property.first_label(m, ignored=ignored),
            ch.Property.token_before(m, title, values=len(self.vocabulary), ignored=ignored, start_value=0),
            ch.Property.next_label(m, title, ignored=ignored, end_value=m),
            ch.Property.next_label(m, venue, ignored=ignored, end_value=m),
            ch.Property.token_before(m, venue, values=len(self.vocabulary), ignored=ignored, start_value=0),
            ch.Property.next_label(m, labels.index("Author"), ignored=ignored, end_value=m),
        ]
        solver = ch.ChainSolver()
        self.own = [solver.best(s.unary, s.transitions).labels for s in scored]
        # What fires in some record's own labelling, in conflicts too; all else is one value, OUT.
        self.dictionaries = {}  # by page, for each property
        for page in self.pages:
            fired = [[prop.fired(self.own[i], table=self.tokens[i]) for i in self.members(page)] for prop in self.properties]
            self.dictionaries[page] = [ch.Dictionary(np.unique(np.concatenate(of)), out=True) for of in fired]

    def members(self, page: str) -> list[int]:
        return [i for i, s in enumerate(self.scored) if s.record.page == page]

    def agreeing(self, strengths) -> ch.Model:
        """Potts, scaled by 1/n: a page gains strengths[kind] / n for every two records that show the same value. What
        is OUT, empty or in conflict counts for nothing. Fewer strengths: the first kinds alone."""
        builder = ch.ModelBuilder()
        for s, tokens in zip(self.scored, self.tokens):
            builder.add_chain(s.unary, s.transitions, tokens=tokens, group=self.pages.index(s.record.page))
        for page in self.pages:
            for prop, dictionary, strength in zip(self.properties, self.dictionaries[page], strengths):
                counted = [True] * (len(dictionary) - 1) + [False] * 3
                potential = ch.Potential.potts(len(dictionary) + 2, strength, scale="members", counted=counted)
                clique = builder.add_clique(property=prop, dictionary=dictionary, potential=potential)
                for i in self.members(page):
                    builder.add_member(clique, i)
        return builder.freeze()

    def problem(self, model: ch.Model | None = None, notes: dict[str, str] | None = None) -> ch.Problem:
        """A model of these records with everything that a person needs to read it. None: the agreeing one."""
        problem = ch.Problem(model or self.agreeing([1.0] * len(KINDS)))
        problem.labels = self.labels
        problem.tokens = self.vocabulary
        problem.words = [token for s in self.scored for token in s.record.tokens]
        problem.spaces = [space for s in self.scored for space in s.record.spaces]
        problem.chain_names = [s.record.work for s in self.scored]
        problem.group_names = self.pages
        problem.clique_names = [page + ": " + kind for page in self.pages for kind in KINDS]
        problem.clique_kinds = [kind for _ in self.pages for kind in KINDS]
        followers = problem.add_value_names([*self.labels, END])
        problem.name_values([names for _ in self.pages
                             for names in ("labels", "tokens", followers, followers, "tokens", followers)])
        problem.gold = np.array([self.labels.index(label) for label in self.gold()], dtype=np.int32)
        for name, text in (notes or {}).items():
            problem.notes[name] = text
        return problem

    def gold(self) -> list[str]:
        return [label for s in self.scored for label in s.record.labels]

    def names(self, numbers) -> list[str]:
        return [self.labels[y] for y in numbers]


def solve(model: ch.Model, **options) -> ch.Run:
    run = ch.Run(model, **options)
    run.solve()
    return run


# ---- Measures -----------------------------------------------------------------------------------------------------


class Score(NamedTuple):
    tokens: int  # with this label in the gold labelling
    precision: float
    recall: float
    f1: float


def f1_of(gold: list[str], found: list[str]) -> dict[str, Score]:
    """Token F1 by label and, under "total", over all labels but Other, in per cent."""
    right, asked, given = Counter(), Counter(), Counter()
    for g, f in zip(gold, found, strict=True):
        asked[g] += 1
        given[f] += 1
        right[g] += g == f
    fields = sorted((asked.keys() | given.keys()) - {OTHER})
    for counts in (right, asked, given):
        counts["total"] = sum(counts[label] for label in fields)
    return {label: Score(asked[label],
                         100.0 * right[label] / max(1, given[label]),
                         100.0 * right[label] / max(1, asked[label]),
                         200.0 * right[label] / max(1, asked[label] + given[label]))
            for label in [*fields, "total"]}


def total_f1(gold: list[str], found: list[str]) -> float:
    return f1_of(gold, found)["total"].f1
