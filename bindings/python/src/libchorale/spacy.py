"""A spaCy component that makes the entities of a document agree.

    nlp.add_pipe("ner")
    nlp.add_pipe("chorale", config={"confidence": 0.8, "strength": 2.0})

Every entity, and every other place where the same words are, takes one of the entity labels in use
or none. The component before says how likely each label is; places of the same words gain by having
the same label. A place keeps its own label unless the gain is above the difference of the
logarithms of the two probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Optional

import srsly
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.util import SimpleFrozenList, filter_spans, from_disk, to_disk

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
        "set_ents": False,
        "across": False,
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
    set_ents: bool,
    across: bool,
    find_missed: bool,
    ignore_case: bool,
) -> Agreement:
    """The component, from a pipeline's config."""
    made = Agreement(
        confidence=confidence,
        strength=strength,
        spans_key=spans_key,
        set_ents=set_ents,
        across=across,
        find_missed=find_missed,
        ignore_case=ignore_case,
    )
    made._nlp, made._name = nlp, name
    return made


class Agreement:
    """The component. What is set here may be changed later, and is saved with the pipeline.

    confidence   how likely it is, above 0 and below 1, that the component before is right about an
                 entity (and about there being none at the other places of its words). The other
                 labels share what is left. Not used where spans come with scores
    strength     how much agreement is worth, from 0 on, as in `decode`: one of n places of the same
                 words gains up to (2 - 2 / n) * strength by joining all others. It is weighed
                 against the confidence: with L labels in use, a place gives in to all others if
                 that is above log(L * confidence / (1 - confidence)), so 2.8 for 0.8 and four
                 labels. Higher confidence needs more strength. Try 1 to 4 on documents of your own
    spans_key    None: entities come from `doc.ents` and go there; otherwise they come from
                 `doc.spans[spans_key]`, and replace what is there. Its attrs["scores"], if any (a
                 spancat gives them), say how probable each span is
    set_ents     with a spans_key: True: the result goes to `doc.ents` as well
    across       False: each document agrees with itself alone; True: also with the others of its
                 batch in `nlp.pipe`, so that its entities depend on its batch
    find_missed  True: other places of the same words may become entities
    ignore_case  True: words that differ in case are the same
    """

    SETTINGS = (
        "confidence",
        "strength",
        "spans_key",
        "set_ents",
        "across",
        "find_missed",
        "ignore_case",
    )

    def __init__(
        self,
        *,
        confidence: float = 0.8,
        strength: float = 2.0,
        spans_key: str | None = None,
        set_ents: bool = False,
        across: bool = False,
        find_missed: bool = True,
        ignore_case: bool = False,
    ) -> None:
        self.confidence = confidence
        self.strength = strength
        self.spans_key = spans_key
        self.set_ents = set_ents
        self.across = across
        self.find_missed = find_missed
        self.ignore_case = ignore_case
        self._nlp: Language | None = None
        self._name = "chorale"
        self._check()

    def _check(self) -> None:
        if not 0 < real("confidence", self.confidence) < 1:
            raise ValueError(
                f"confidence is {self.confidence}; it must be above 0 and below 1, such as 0.8"
            )
        if not 0 <= real("strength", self.strength) < math.inf:
            raise ValueError(
                f"strength is {self.strength}; it must be 0 (no agreement) or above, such as 2"
            )

    def __call__(self, doc: Doc) -> Doc:
        """One document: its entities agree with each other."""
        self._agree([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Documents in batches; with `across` the entities of a batch agree."""
        if batch_size < 1:
            raise ValueError(f"batch_size is {batch_size}, below 1")
        rest = iter(stream)
        while docs := list(islice(rest, batch_size)):
            self._agree(docs)
            yield from docs

    # ---- Saving

    def to_bytes(self, *, exclude: Iterable[str] = SimpleFrozenList()) -> bytes:
        """The settings, as a pipeline saves them."""
        data: bytes = srsly.msgpack_dumps({name: getattr(self, name) for name in self.SETTINGS})
        return data

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = SimpleFrozenList()) -> Agreement:
        """Takes over the settings of `to_bytes`."""
        return self._set(srsly.msgpack_loads(data))

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()) -> None:
        """Saves the settings in a directory."""
        settings = {name: getattr(self, name) for name in self.SETTINGS}
        to_disk(path, {"cfg": lambda file: srsly.write_json(file, settings)}, exclude)

    def from_disk(
        self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> Agreement:
        """Takes over the settings of `to_disk`."""
        settings: dict[str, Any] = {}
        from_disk(path, {"cfg": lambda file: settings.update(srsly.read_json(file))}, exclude)
        return self._set(settings)

    def _set(self, settings: dict[str, Any]) -> Agreement:
        for name in self.SETTINGS:
            if name in settings:
                setattr(self, name, settings[name])
        self._check()
        return self

    # ---- The work

    def _agree(self, docs: list[Doc]) -> None:
        self._check()
        found = [self._mentions(doc) for doc in docs]
        if self.find_missed:
            for batch in [range(len(docs))] if self.across else [[n] for n in range(len(docs))]:
                self._add_missed([docs[n] for n in batch], [found[n] for n in batch])
        # The labels among which a document chooses are those of its batch, or its own.
        labels_of = [
            sorted({label for scored in mentions.values() for label in scored})
            for mentions in found
        ]
        if self.across:
            labels_of = [sorted({label for own in labels_of for label in own})] * len(docs)
        kept: list[list[tuple[Span, float]]] = [[] for _ in docs]
        for batch in [range(len(docs))] if self.across else [[n] for n in range(len(docs))]:
            places = [(number, mention) for number in batch for mention in found[number]]
            if not places:
                continue
            labels = labels_of[batch[0]]
            unaries = [[self._scores(labels, found[n][mention])] for n, mention in places]
            words = [[self._words(docs[n], *mention)] for n, mention in places]
            result = decode(unaries, tokens=words, strength=self.strength)
            for (number, (start, end)), scores, chosen in zip(places, unaries, result.labels):
                if chosen[0] < len(labels):
                    span = self._span(docs[number], start, end, labels[chosen[0]])
                    kept[number].append((span, math.exp(scores[0][chosen[0]])))
        for doc, mentions, spans in zip(docs, found, kept):
            if mentions:
                self._write(doc, spans)

    def _write(self, doc: Doc, kept: list[tuple[Span, float]]) -> None:
        kept.sort(key=lambda entry: (entry[0].start, entry[0].end))
        spans = [span for span, _ in kept]
        if self.spans_key is not None:
            attrs = {**doc.spans[self.spans_key].attrs}
            if "scores" in attrs:
                attrs["scores"] = [score for _, score in kept]
            group = SpanGroup(doc, name=self.spans_key, spans=spans, attrs=attrs)
            doc.spans[self.spans_key] = group
        if self.spans_key is None or self.set_ents:
            doc.ents = tuple(filter_spans(spans))

    def _nothing_before(self) -> bool:
        """Whether no component before this one can have found entities. Those that do not say what
        they assign may have."""
        if self._nlp is None:
            return False
        for name in self._nlp.pipe_names:
            if name == self._name:
                return True
            assigns = self._nlp.get_pipe_meta(name).assigns
            if not assigns or any(a.split(".")[1] in ("ents", "spans") for a in assigns):
                return False
        return False

    def _mentions(self, doc: Doc) -> dict[Mention, dict[str, float]]:
        """What the component before found, and the probability of each label."""
        if self.spans_key is None:
            if not doc.has_annotation("ENT_IOB") and self._nothing_before():
                raise ValueError(
                    f"no component before {self._name!r} finds entities: add one before it, such "
                    f'as nlp.add_pipe("ner", before={self._name!r}), or set doc.ents beforehand'
                )
            return {(e.start, e.end): {e.label_: self.confidence} for e in doc.ents}
        mentions: dict[Mention, dict[str, float]] = {}
        if self.spans_key not in doc.spans:
            if self._nothing_before():
                raise ValueError(
                    f"doc.spans has no {self.spans_key!r}, and no component before {self._name!r} "
                    "finds spans: add one, such as a spancat with this spans_key, or set "
                    f"doc.spans[{self.spans_key!r}] beforehand"
                )
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
