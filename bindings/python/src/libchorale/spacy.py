"""A spaCy component that makes the entities of a batch of documents agree.

    nlp.add_pipe("ner")
    nlp.add_pipe("chorale", config={"confidence": 0.8, "strength": 2.0})

Every entity, and every other place where the same words stand, is an item that takes one of the
entity labels in use or none. The component that came before says how likely each is; an agreement
potential over the items of the same words says that they are the same, in a document or in the
whole batch that `nlp.pipe` hands on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Optional

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.util import filter_spans

from ._arrays import real
from .collective import decode

#: Probabilities stay this far from 0 and 1.
MARGIN = 1e-6

Mention = tuple[int, int]  # first token, one past the last


@Language.factory(
    "chorale",
    assigns=["doc.ents"],
    default_config={
        "confidence": 0.8,
        "strength": 2.0,
        "spans_key": None,
        "across": True,
        "find_missed": True,
        "ignore_case": False,
    },
)
def make(
    nlp: Language,
    name: str,
    confidence: float,
    strength: float,
    spans_key: Optional[str],  # noqa: UP045  (spaCy evaluates this, on Python 3.9 too)
    across: bool,
    find_missed: bool,
    ignore_case: bool,
) -> Agreement:
    """The component, from a pipeline's config."""
    return Agreement(
        confidence=confidence,
        strength=strength,
        spans_key=spans_key,
        across=across,
        find_missed=find_missed,
        ignore_case=ignore_case,
    )


class Agreement:
    """The component.

    confidence   how probable what the component before says is taken to be, 0 to 1, where it gives
                 no scores: of the labels of `doc.ents`, and of no label at missed places
    strength     of agreement, as in `decode`
    spans_key    None: entities come from `doc.ents`; otherwise from `doc.spans[spans_key]`, whose
                 attrs["scores"] (probabilities, as of a spancat) say how probable each is
    across       whether documents of a batch agree with each other, or each with itself alone
    find_missed  whether other places of the same words may become entities
    ignore_case  whether words that differ in case are the same
    """

    def __init__(
        self,
        *,
        confidence: float = 0.8,
        strength: float = 2.0,
        spans_key: str | None = None,
        across: bool = True,
        find_missed: bool = True,
        ignore_case: bool = False,
    ) -> None:
        if not 0 < real("confidence", confidence) < 1:
            raise ValueError(f"confidence is {confidence}, not between 0 and 1")
        self.confidence = confidence
        self.strength = real("strength", strength)
        self.spans_key = spans_key
        self.across = across
        self.find_missed = find_missed
        self.ignore_case = ignore_case

    def __call__(self, doc: Doc) -> Doc:
        """One document: its entities agree with each other."""
        self._agree([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Batches of documents: their entities agree within each."""
        if batch_size < 1:
            raise ValueError(f"batch_size is {batch_size}, below 1")
        rest = iter(stream)
        while docs := list(islice(rest, batch_size)):
            self._agree(docs)
            yield from docs

    def _agree(self, docs: list[Doc]) -> None:
        found = [self._mentions(doc) for doc in docs]
        if self.find_missed:
            self._add_missed(docs, found)
        labels = sorted(
            {label for mentions in found for scored in mentions.values() for label in scored}
        )
        unaries, words, groups, places = [], [], [], []
        for number, (doc, mentions) in enumerate(zip(docs, found)):
            for mention, scored in mentions.items():
                unaries.append([self._scores(labels, scored)])
                words.append([self._words(doc, *mention)])
                groups.append(0 if self.across else number)
                places.append((number, mention))
        if not unaries:
            return
        result = decode(unaries, tokens=words, groups=groups, strength=self.strength)
        kept: list[list[Span]] = [[] for _ in docs]
        for (number, (start, end)), chosen in zip(places, result.labels):
            if chosen[0] < len(labels):
                kept[number].append(self._span(docs[number], start, end, labels[chosen[0]]))
        for doc, spans in zip(docs, kept):
            doc.ents = tuple(filter_spans(spans))

    def _mentions(self, doc: Doc) -> dict[Mention, dict[str, float]]:
        """What the component before found, and the probability of each label."""
        if self.spans_key is None:
            return {(e.start, e.end): {e.label_: self.confidence} for e in doc.ents}
        mentions: dict[Mention, dict[str, float]] = {}
        if self.spans_key not in doc.spans:
            return mentions
        group = doc.spans[self.spans_key]
        scores: Any = group.attrs.get("scores")
        if scores is None:
            scores = [self.confidence] * len(group)
        if len(scores) != len(group):
            raise ValueError(
                f"doc.spans[{self.spans_key!r}] has {len(group)} spans and {len(scores)} scores"
            )
        for span, score in zip(group, scores):
            probability = min(max(real("scores", score), MARGIN), 1 - MARGIN)
            mentions.setdefault((span.start, span.end), {})[span.label_] = probability
        return mentions

    def _words(self, doc: Doc, start: int, end: int) -> tuple[str, ...]:
        return tuple(t.lower_ if self.ignore_case else t.text for t in doc[start:end])

    def _add_missed(self, docs: list[Doc], found: list[dict[Mention, dict[str, float]]]) -> None:
        """Other places of the same words, where nothing else was found."""
        phrases = {
            self._words(doc, *mention) for doc, mentions in zip(docs, found) for mention in mentions
        }
        lengths = sorted({len(phrase) for phrase in phrases}, reverse=True)
        for doc, mentions in zip(docs, found):
            taken = {token for start, end in mentions for token in range(start, end)}
            for length in lengths:
                for start in range(len(doc) - length + 1):
                    place = range(start, start + length)
                    if not taken.intersection(place):
                        if self._words(doc, start, start + length) in phrases:
                            mentions[(start, start + length)] = {}
                            taken.update(place)

    def _scores(self, labels: list[str], scored: dict[str, float]) -> list[float]:
        """Log-probabilities of the labels and, last, of none. What the labels with a probability
        leave is shared by the others; at missed places "none" has the confidence."""
        if not scored:
            left = math.log((1 - self.confidence) / max(1, len(labels)))
            return [left] * len(labels) + [math.log(self.confidence)]
        others = len(labels) - len(scored) + 1
        left = math.log(max(1 - sum(scored.values()), MARGIN) / others)
        return [math.log(scored[label]) if label in scored else left for label in labels] + [left]

    @staticmethod
    def _span(doc: Doc, start: int, end: int, label: str) -> Span:
        for entity in doc.ents:
            if entity.start == start and entity.end == end and entity.label_ == label:
                return entity  # with what else is known of it
        return Span(doc, start, end, label=label)
