"""From texts to labelled references: tokens, scores of the tagger, agreement within each list."""

from __future__ import annotations

import bisect
import dataclasses
import functools
import re
from collections.abc import Iterable, Iterator
from typing import Any

import libchorale as ch
import numpy as np

from . import agreement, tagger
from .identifiers import identifiers_of
from .items import Field, fields_of, item_of
from .lists import Reference, ReferenceList, split
from .tagger import LABELS, OTHER
from .tokens import Tokens, tokenise

# A text with more tokens is no reference. It is left over as a whole.
MOST_TOKENS = 1500
# Added to the score of a label where the form of the text leaves no doubt.
_CERTAIN = 20.0
_NAMES = r"(?:[^\W\d_a-zß-öø-ÿ](?:\.|[\w'’-]+)\s?){1,4}"
_SOME = r"%s(?:(?:,|,?\s?(?:and|und|et|y)|\s?&)\s%s)?" % (_NAMES, _NAMES)
# Any number of names, in any order of their parts, before a word such as (Hrsg.).
_WORD = r"(?:(?!In\b)[^\W\d_a-zß-öø-ÿ][\w.'’-]*|von|van|vom|der|den|de|du|la|le|zu|zur|di|da|del|und|and|et|y|u\.|al\.)"
_ALL = r"%s(?:[\s,;/&]+%s){0,40}" % (_WORD, _WORD)
_EDITORS = r"[\s,]*[(\[]\s?(?:[Hh]rsgg?|[Hh]gg?|[Hh]rg|[EeÉé]ds?|[Cc]oords?|[Cc]omps?|[Dd]ir)\.?\s?[)\]]"
_FORMS = [
    ("Editor", re.compile(r"^(?:[(\[]?\d+[)\].]+\s|[•–-]\s)?(%s)%s" % (_ALL, _EDITORS))),
    ("Editor", re.compile(r"\b[Ii]n:?\s+(%s)%s" % (_ALL, _EDITORS))),
    ("Editor", re.compile(r"\b(?:[Hh](?:rs)?g\.|[Hh]erausgegeben|[Ee]d(?:ited|\.))\s(?:von|v\.|by)\s(%s)(?=[.,;:)]|$)" % _SOME)),
    ("Editor", re.compile(r"[(\[]\s*(%s),?\s*(?:[Tt]rans|[Üü]bers|[Tt]rad)\.?\s*[)\]]" % _SOME)),
    (
        "Edition",
        re.compile(r"(?<![\w.])(\d{1,2}(?:st|nd|rd|th|e|ème|ª|\.)\s?(?:rev(?:ised|\.)\s)?(?:edn?|[Ee]dition|[Aa]ufl(?:age)?|éd(?:ition)?))\b"),
    ),
    (
        "Issue",
        re.compile(
            r"[,.;(]\s?((?:ISO(?:/IEC)?|IEC|IEEE Std\.?|DIN(?: EN)?(?: ISO)?|ANSI|ASTM|RFC)\s\d[\d.:/-]*)(?=[.,;)]|\s*$)"
        ),
    ),
    ("Pages", re.compile(r"\b[Aa]rt(?:icle|\.)(?:\s(?:[Nn]o|ID)\.?)?\s([A-Za-z]{0,3}\d[\w.]*\w)")),
    ("Volume", re.compile(r"\b(\d{1,3})\.?,?\s?(?:Jg|Jahrg|Jhg|Jahrgang)\b")),
    ("Volume", re.compile(r"\b(?:Jg|Jahrg|Jhg|Jahrgang)\b\.?\s?(\d{1,3})(?![\w.]*\d)")),
    ("Issue", re.compile(r"\b(?:H\.|Heft|Hefte)\s?(\d{1,2}(?:\s?[-–/]\s?\d{1,2})?)(?![\w.]*\d)")),
    ("Date", re.compile(r"(\[(?:1[4-9]|20)\d\d\]\s?(?:1[4-9]|20)\d\d)\b")),
    ("Date", re.compile(r"\b((?:1[4-9]|20)\d\d\s?\[(?:1[4-9]|20)\d\d\])")),
    ("Author", re.compile(r"[(\[]\s*((?:[\w-]+\s){1,5}Collaborations?)\s*[)\]]")),
    (
        "Editor",
        re.compile(
            r"\b(?:[Tt]ransl(?:ated|\.)|[Tt]rans\.|[Üü]bers(?:etzt|\.)|[Tt]raduit|[Tt]raducido)(?:\s(?:from|aus)(?:\s(?:the|dem))?\s\w+)?"
            r"\s(?:by|von|par|por)\s(%s)(?=[.,;)]|$)" % _SOME
        ),
    ),
]


@dataclasses.dataclass
class Parsed:
    """A reference with its labels.

    source  the reference of the input
    tokens  its tokens; labels: the label of each, "Other" for those that are left over
    alone   the labels by the tagger alone
    sure    how probable the labels are, from 0 to 1; None if it was not asked for
    """

    source: Reference
    tokens: Tokens
    labels: list[str]
    alone: list[str]
    sure: float | None = None

    @functools.cached_property
    def fields(self) -> list[Field]:
        """The fields, from left to right."""
        return fields_of(self.tokens, self.labels)

    @functools.cached_property
    def item(self) -> dict[str, Any]:
        """The reference as CSL-JSON, without an id."""
        return item_of(self.tokens, self.fields)

    @property
    def left_over(self) -> list[str]:
        """The words that are in no field, without punctuation; the marker is one of them."""
        words = [self.source.marker] if self.source.marker else []
        return words + [
            word
            for word, label in zip(self.tokens.words, self.labels)
            if label == OTHER and any(c.isalnum() for c in word)
        ]


@dataclasses.dataclass
class ParsedList:
    """A list of references. items: the same as the agreement sees them, for a report."""

    name: str
    heading: str
    references: list[Parsed]
    items: list[agreement.Item]


def parse(
    text: str, *, layout: str = "auto", strengths: dict[str, float] | None = None, sure: bool = False
) -> list[Parsed]:
    """Returns the references of a text, in its order.

    layout: how references are told apart (lists.py); strengths: by kind of agreement, how much it
    is worth; None: the defaults; {}: each reference is labelled by itself; sure: whether to find out
    how probable the labels are.

    >>> reference = parse("Watson JD, Crick FHC. Molecular structure. Nature. 1953;171:737-8.")[0]
    >>> reference.item["container-title"], reference.item["page"]
    ('Nature', '737-738')
    """
    lists = split(text.splitlines(keepends=True), layout)
    return [reference for of in parse_lists(lists, strengths=strengths, sure=sure) for reference in of.references]


def parse_lists(
    lists: Iterable[ReferenceList],
    *,
    strengths: dict[str, float] | None = None,
    sure: bool = False,
    by: tagger.Tagger | None = None,
) -> Iterator[ParsedList]:
    """Yields the lists with their references parsed, one after the other. by: the tagger; None: the
    one that comes with the package."""
    by = by or tagger.shipped()
    transitions = ch.Transitions(by.transitions)
    for each in lists:
        tokens = [tokenise(reference.text) for reference in each.references]
        items = [
            agreement.Item(name_of(reference), *_scored(by, of)) for reference, of in zip(each.references, tokens)
        ]
        together = agreement.Together([(each.name, items)], transitions, strengths)
        labels_of = together.labels()
        found = iter(zip(labels_of, together.own, together.sure() if sure else [None] * len(labels_of)))
        parsed = []
        for reference, of, item in zip(each.references, tokens, items):
            if item.tokens:
                *both, probability = next(found)
                labels, own = ([LABELS[label] for label in labels] for labels in both)
            else:
                labels = own = [OTHER] * len(of.words)
                probability = None
            if not _is_reference(labels):
                labels = [OTHER] * len(of.words)
            parsed.append(Parsed(reference, of, labels, own, probability))
        yield ParsedList(each.name, each.heading, parsed, items)


def _is_reference(labels: list[str]) -> bool:
    """Returns whether labels show more than one field, or an address at least. Else the text is no
    reference, and all of it is left over."""
    fields = set(labels) - {OTHER}
    return len(fields) > 1 or fields == {"Identifier"}


def name_of(reference: Reference) -> str:
    return reference.marker or "line %d" % reference.line


def _scored(by: tagger.Tagger, tokens: Tokens) -> tuple[list[str], list[str], np.ndarray]:
    """Returns words, spaces and scores; none if the text is no reference."""
    if len(tokens.words) > MOST_TOKENS:
        return [], [], np.zeros((0, len(LABELS)), dtype=np.float32)
    spaces = tokens.spaces()
    scores = by.scores(tokens.words, spaces)
    for label, start, end in _certain(tokens.text):
        first, last = bisect.bisect_left(tokens.starts, start), bisect.bisect_left(tokens.starts, end)
        scores[first:last, LABELS.index(label)] += _CERTAIN
    return tokens.words, spaces, scores


def _certain(text: str) -> Iterator[tuple[str, int, int]]:
    """Yields the fields that are known by their form: identifiers, editors and translators, editions,
    volumes and issues with their words, numbers of standards and articles, dates with two years, and
    collaborations in brackets."""
    for found in identifiers_of(text):
        yield "Identifier", found.start, found.end
    for label, form in _FORMS:
        for match in form.finditer(text):
            yield label, match.start(1), match.start(1) + len(match.group(1).rstrip(" ."))
