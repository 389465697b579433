"""Agreement of the references of a list: in one list, the style decides which field stands first,
which token stands before a field, and which field follows it. References that show another value
than the rest are pulled to the value of the rest, against the scores of the tagger. And rules that
each reference keeps by itself: one title, one date, and so on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import libchorale as ch
from libchorale import experimental
import numpy as np
import numpy.typing as npt

from .tagger import LABELS, OTHER

# A smaller list has no style that could be told from chance, and is labelled by the tagger alone.
LEAST_MEMBERS = 3
# How much agreement is worth, in the unit of the tagger's scores (chorale/decode.h, `strength`).
STRENGTH = 1.0
KINDS = (
    "first field",
    "token before Title", "token before Venue", "token before Volume", "token before Pages", "token before Date",
    "field after Author", "field after Title", "field after Venue",
)
# Fields of which a reference has one stretch: one more loses PRICE, in the same unit.
ONCE = ("Author", "Editor", "Title", "Venue", "Volume", "Issue", "Pages", "Date", "Publisher", "Location")
PRICE = 2.0
STRENGTHS = {**dict.fromkeys(KINDS, STRENGTH), **{"one " + field: PRICE for field in ONCE}}
_START, _END = "(start)", "(end)"  # the token before a reference, the field after it
_IGNORED = [label == OTHER for label in LABELS]
# The first field of a book may be its editor where that of others is their author.
_PEOPLE = ch.LabelMap(
    len(LABELS), len(LABELS), [LABELS.index("Author" if label == "Editor" else label) for label in LABELS]
)


class Item(NamedTuple):
    """A reference as the agreement sees it."""

    name: str
    tokens: Sequence[str]
    spaces: Sequence[str]
    scores: npt.NDArray[np.float32]  # T x m


def _normal_form(token: str) -> str:
    """Returns the form by which tokens are compared: case and the digits of numbers do not
    matter."""
    return "".join("0" if c.isdigit() else c for c in token[:40].lower())


def _property(kind: str, tokens: int) -> ch.Property:
    if kind == "first field":
        return ch.Property.first_label(_PEOPLE, ignored=_IGNORED)
    what, _, field = kind.rpartition(" ")
    anchor = LABELS.index(field)
    if what == "field after":
        return ch.Property.next_label(len(LABELS), anchor, ignored=_IGNORED, end_value=len(LABELS))
    return ch.Property.token_before(len(LABELS), anchor, values=tokens, ignored=_IGNORED, start_value=0)


def _twice(field: str) -> ch.Property:
    """Returns the property that fires 0 where the second stretch of a field begins."""
    label = LABELS.index(field)
    builder = ch.Property.builder(len(LABELS), values=1)
    inside, after, again = (builder.add_state() for _ in range(3))
    builder.rule(0, label=label, next=inside)
    builder.rule(inside, next=after)
    builder.rule(inside, label=label, next=inside)
    builder.rule(after, label=label, next=again, action=0)
    return builder.finish()


class Together:
    """Lists of references as one model: a chain for each reference that has tokens, for each
    list of LEAST_MEMBERS or more a clique for each kind of agreement, and for each reference whose
    own labels break a rule a clique for the rule.

    own: the best labels of each chain by the tagger alone."""

    def __init__(
        self,
        lists: Sequence[tuple[str, Sequence[Item]]],
        transitions: ch.Transitions,
        strengths: dict[str, float] | None = None,
    ) -> None:
        """lists: a name and the references of each list; strengths: by kind, or "one " and a field
        for a rule; None: STRENGTHS; a kind without a strength has no cliques."""
        self._lists = [(name, [item for item in items if len(item.tokens)]) for name, items in lists]
        self._items = [item for _, items in self._lists for item in items]
        solver = ch.ChainSolver()
        self.own = [solver.best(item.scores, transitions).labels for item in self._items]
        vocabulary = {_START: 0}
        self._tables = [
            np.array(
                [vocabulary.setdefault(_normal_form(t), len(vocabulary)) for t in item.tokens], dtype=np.int32
            )
            for item in self._items
        ]
        self._vocabulary = list(vocabulary)
        self._cliques: list[tuple[str, str]] = []  # list and kind of each clique
        if strengths is None:
            strengths = STRENGTHS
        self.model = self._model(transitions, strengths)

    def _model(self, transitions: ch.Transitions, strengths: dict[str, float]) -> ch.Model:
        builder, first = ch.ModelBuilder(), 0
        agreements = {kind: strength for kind, strength in strengths.items() if not kind.startswith("one ")}
        rules = {kind: price for kind, price in strengths.items() if kind not in agreements}
        properties = {kind: _property(kind, len(self._vocabulary)) for kind in agreements}
        properties.update((kind, _twice(kind.partition(" ")[2])) for kind in rules)
        once = experimental.Dictionary([0])
        for group, (name, items) in enumerate(self._lists):
            members = range(first, first + len(items))
            first = members.stop
            for k in members:
                builder.add_chain(self._items[k].scores, transitions, tokens=self._tables[k], group=group)
            for kind, price in rules.items():
                for k in members:
                    if len(properties[kind].fired(self.own[k])):
                        potential = ch.Potential.sum([[0.0, -price], [0.0, 0.0], [0.0, 0.0]])
                        clique = builder.add_cliques(1, property=properties[kind], dictionary=once, potential=potential).start
                        self._cliques.append((name, kind))
                        builder.add_members(clique, k)
            if len(items) < LEAST_MEMBERS:
                continue
            for kind, strength in agreements.items():
                fired = [properties[kind].fired(self.own[k], table=self._tables[k]) for k in members]
                values = np.unique(np.concatenate(fired))
                if not len(values):
                    continue
                # Values that no reference shows by itself are one value, UNLISTED. It counts as
                # little as no value (EMPTY) and several (CONFLICT).
                dictionary = experimental.Dictionary(values, unlisted=True)
                counted = [True] * (len(dictionary) - 1) + [False] * 3
                potential = ch.Potential.potts(len(dictionary) + 2, strength, scale="members", counted=counted)
                clique = builder.add_cliques(1, property=properties[kind], dictionary=dictionary, potential=potential).start
                self._cliques.append((name, kind))
                for k in members:
                    builder.add_members(clique, k)
        return builder.freeze()

    def labels(self) -> list[npt.NDArray[np.int32]]:
        """Returns the labels of each chain, with agreement."""
        if not self._cliques:
            return self.own
        with ch.Run(self.model) as run:
            run.solve()
            return [run.labels(k) for k in range(len(self._items))]

    def sure(self) -> list[float]:
        """Returns how probable the labels of each chain are, given those of the others: the product of
        the probabilities of its tokens' labels."""
        with ch.Run(self.model) as run:
            run.solve()
            found = []
            for k in range(len(self._items)):
                probabilities, labels = run.probabilities(k)[0], run.labels(k)
                found.append(float(probabilities[np.arange(len(labels)), labels].prod()))
            return found

    def problem(self) -> ch.Problem:
        """Returns the model with its names, for a report or a file."""
        problem = ch.Problem(self.model)
        problem.labels = LABELS
        problem.tokens = self._vocabulary
        problem.words = [token for item in self._items for token in item.tokens]
        problem.spaces = [space for item in self._items for space in item.spaces]
        problem.chain_names = [item.name for item in self._items]
        problem.group_names = [name for name, _ in self._lists]
        problem.clique_names = ["%s: %s" % clique for clique in self._cliques]
        problem.clique_kinds = [kind for _, kind in self._cliques]
        names = {"first": "labels", "token": "tokens", "field": [*LABELS, _END], "one": ["twice"]}
        problem.name_values([names[kind.split()[0]] for _, kind in self._cliques])
        return problem
