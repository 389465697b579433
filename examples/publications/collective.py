"""Publication pages as a collective model: a chain for each record, a clique for each page and
property."""

from collections import Counter
from typing import NamedTuple

import libchorale as ch
from libchorale import experimental
import numpy as np

from pages import OTHER, Record

# The properties on which the records of a page agree, in the order of its cliques: the first field,
# and for each field that most records have, the token before it and the field after it. The paper's
# four properties ("Domain adaptation") are among these.
FIELDS = ["Author", "Title", "Date", "Venue"]
KINDS = ["first field", *("token before " + field for field in FIELDS), *("field after " + field for field in FIELDS)]
START, END = "(start)", "(end)"  # the token before a record, the label after it


class Scored(NamedTuple):
    """A record with the tagger's scores."""

    record: Record
    unary: np.ndarray  # [T, m], the columns in the order of the collection's label names
    transitions: ch.Transitions


def normal_form(token: str) -> str:
    """Returns the form by which tokens are compared: case and the digits of numbers do not
    matter."""
    return "".join("0" if c.isdigit() else c for c in token.lower())


class Collection:
    """Scored records of some pages, with the numbers of their tokens, and for each page the values
    that the labellings of single records fire."""

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
        self.properties = [self._property(kind) for kind in KINDS]
        solver = ch.ChainSolver()
        self.own = [solver.best(s.unary, s.transitions).labels for s in scored]
        # The values that some record's own labelling fires, even if it shows CONFLICT. All other
        # values are one value, UNLISTED.
        self.dictionaries = {}  # by page: a dictionary for each property
        for page in self.pages:
            fired = [[prop.fired(self.own[i], table=self.tokens[i]) for i in self.members(page)] for prop in self.properties]
            self.dictionaries[page] = [experimental.Dictionary(np.unique(np.concatenate(of)), unlisted=True) for of in fired]

    def _property(self, kind: str) -> ch.Property:
        m, ignored = len(self.labels), [label == OTHER for label in self.labels]
        if kind == "first field":
            return ch.Property.first_label(m, ignored=ignored)
        what, _, field = kind.rpartition(" ")
        field = self.labels.index(field)
        if what == "field after":
            return ch.Property.next_label(m, field, ignored=ignored, end_value=m)
        return ch.Property.token_before(m, field, values=len(self.vocabulary), ignored=ignored, start_value=0)

    def members(self, page: str) -> list[int]:
        return [i for i, s in enumerate(self.scored) if s.record.page == page]

    def agreeing(self, strengths: dict[str, float]) -> ch.Model:
        """Returns a model with Potts potentials: of the n records of a page, let n_v show value v
        of a property; the page gains strengths[kind] / n * sum_v n_v^2. UNLISTED, EMPTY and CONFLICT do
        not count. Kinds without a strength have no cliques."""
        builder = ch.ModelBuilder()
        for s, tokens in zip(self.scored, self.tokens):
            builder.add_chain(s.unary, s.transitions, tokens=tokens, group=self.pages.index(s.record.page))
        for page in self.pages:
            for kind, prop, dictionary in zip(KINDS, self.properties, self.dictionaries[page]):
                if kind not in strengths:
                    continue
                counted = [True] * (len(dictionary) - 1) + [False] * 3
                potential = ch.Potential.potts(len(dictionary) + 2, strengths[kind], scale="members", counted=counted)
                clique = builder.add_cliques(1, property=prop, dictionary=dictionary, potential=potential).start
                for i in self.members(page):
                    builder.add_members(clique, i)
        return builder.freeze()

    def problem(self, model: ch.Model | None = None, notes: dict[str, str] | None = None) -> ch.Problem:
        """Returns a problem: a model of these records with the texts that make it readable. model
        None: that of agreeing() with all strengths 1."""
        problem = ch.Problem(model or self.agreeing(dict.fromkeys(KINDS, 1.0)))
        problem.labels = self.labels
        problem.tokens = self.vocabulary
        problem.words = [token for s in self.scored for token in s.record.tokens]
        problem.spaces = [space for s in self.scored for space in s.record.spaces]
        problem.chain_names = [s.record.work for s in self.scored]
        problem.group_names = self.pages
        problem.clique_names = [page + ": " + kind for page in self.pages for kind in KINDS]
        problem.clique_kinds = [kind for _ in self.pages for kind in KINDS]
        names = {"first": "labels", "token": "tokens", "field": [*self.labels, END]}
        problem.name_values([names[kind.split()[0]] for _ in self.pages for kind in KINDS])
        problem.gold = np.array([self.labels.index(label) for label in self.gold()], dtype=np.int32)
        problem.notes = notes or {}
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
    tokens: int  # number of tokens with this label in the gold labelling
    precision: float
    recall: float
    f1: float


def f1_of(gold: list[str], found: list[str]) -> dict[str, Score]:
    """Returns token F1 by label and, under "total", over all labels but Other, in per cent."""
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
