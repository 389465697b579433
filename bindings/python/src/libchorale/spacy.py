"""A spaCy component that makes the entities of a document agree.

    nlp.add_pipe("ner")
    nlp.add_pipe("chorale", config={"confidence": 0.8})

Every entity, and every other occurrence of the same words, gets one of the entity labels in use or
becomes no entity. The preceding component gives the probability of each label; occurrences of the
same words gain by having the same label. An occurrence changes its label if this gain exceeds the
difference of the log-probabilities of the two labels. The component applies `libchorale.agree` to
a table of the occurrences.

Results are available as extension attributes:

    ent._.chorale_probability  the probability of the label, as in `agree`; None if rules made it
    ent._.chorale_before       the label before; "no entity" if the preceding component found none
    ent._.chorale_why          if the label changed, a text on the occurrences that support it;
                               otherwise None
    doc._.chorale_changed      all occurrences with a changed label, including those that are no
                               longer entities: a list of dicts with start, end, before, label,
                               probability and why
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

try:
    import srsly
    from spacy.language import Language
    from spacy.tokens import Doc, Span, SpanGroup
    from spacy.training import Example
    from spacy.util import SimpleFrozenList, filter_spans
except ModuleNotFoundError as error:
    raise ImportError(
        f"libchorale.spacy needs spaCy ({error}): pip install 'libchorale[spacy]'"
    ) from None

from ._agreements import MOST_STRENGTH
from ._agreements import Agreement as Words
from ._arrays import real
from ._columns import Array
from ._learnt import Learnt
from ._mentions import TIE
from .collective import decode
from .mentions import Strengths, _read, _strengths, agree, learn_strengths, tell
from .rules import parse

# Probabilities below MARGIN are taken as MARGIN, those above 1 - MARGIN as 1 - MARGIN.
MARGIN = 1e-6

# The label of an occurrence that is not an entity.
NONE = "no entity"

# The log-probability of a label that the occurrences of a document may not get, since no entity of
# the document (with `across`: of the batch) has it.
FOREIGN = -50.0

# Names of the columns of the table in which each row is one occurrence of an entity's words.
KEY, GROUP, LABEL, SCORES, GOLD = "words", "document", "label", "scores", "gold"

Mention = tuple[int, int]  # the first token, and the token after the last
Row = dict[str, Any]

for _name in ("chorale_probability", "chorale_before", "chorale_why"):
    if not Span.has_extension(_name):
        Span.set_extension(_name, default=None)
if not Doc.has_extension("chorale_changed"):
    Doc.set_extension("chorale_changed", default=None)


class Agreement:
    """The component. Its settings may be changed later, and are saved with the pipeline.

    confidence   probability, above 0 and below 1, that the preceding component is right: that an
                 entity has its label, or that another occurrence of the entity's words is no
                 entity. The other labels share the rest. Spans that come with scores use their
                 scores instead
    strength     strength of agreement: "auto" chooses it as `agree` does, so that among equally
                 sure occurrences of the same words more than two thirds prevail. Or a number >= 0,
                 as in `decode`: one of n occurrences of the same words gains up to
                 (2 - 2 / n) * strength by taking the label of all others, and with L labels in use
                 it changes its label if that is above log(L * confidence / (1 - confidence)), which
                 is 2.8 for confidence 0.8 and four labels. `learn` finds the strength from documents
                 with right entities
    spans_key    None: entities are read from and written to `doc.ents`. Otherwise they are read
                 from `doc.spans[spans_key]` and replace the spans there; the attrs["scores"] of
                 these spans, if present (as from a spancat), are their probabilities
    set_ents     with a spans_key: True: the result is also written to `doc.ents`
    across       False: occurrences agree within each document; True: within each batch of
                 `nlp.pipe`, so that entities of a document depend on its batch
    find_missed  True: other occurrences of the same words may become entities
    ignore_case  True: words that differ only in case are the same
    rules        rules about the labels of entities that each document keeps, as texts or objects
                 that `rules.parse` reads, such as "once:TITLE" or "before:AUTHOR,TITLE". Every
                 entity is a segment of its own. "Directly after" another entity means that no
                 occurrence of an entity's words is between them. A label that rules change has the
                 probability None. If the rules of a document exclude each other, it keeps the
                 entities that were found. Provisional
    learnt       the result of `learn`, used instead of `strength`; None before `learn`. Entities
                 with labels that it does not know are unchanged
    """

    def __init__(
        self,
        nlp: Optional[Language] = None,  # noqa: UP045  (spaCy evaluates these, on Python 3.9 too)
        name: str = "chorale",
        *,
        confidence: float = 0.8,
        strength: Union[float, str] = "auto",  # noqa: UP007
        spans_key: Optional[str] = None,  # noqa: UP045
        set_ents: bool = False,
        across: bool = False,
        find_missed: bool = True,
        ignore_case: bool = False,
        rules: list[Any] = [],  # noqa: B006  (copied)
    ) -> None:
        self.confidence = confidence
        self.strength = strength
        self.spans_key = spans_key
        self.set_ents = set_ents
        self.across = across
        self.find_missed = find_missed
        self.ignore_case = ignore_case
        self.rules = list(rules)
        self.learnt: Strengths | None = None
        self._nlp, self._name = nlp, name
        self._check()

    def _check(self) -> None:
        if not 0 < real("confidence", self.confidence) < 1:
            raise ValueError(
                f"confidence is {self.confidence}; it must be above 0 and below 1, such as 0.8"
            )
        parse(self.rules)
        if self.strength == "auto":
            return
        if isinstance(self.strength, str) or not 0 <= real("strength", self.strength) <= MOST_STRENGTH:
            raise ValueError(
                f'strength is {self.strength!r}; it must be "auto", 0 (no agreement) or above, '
                f"and at most {MOST_STRENGTH:g}"
            )

    def __call__(self, doc: Doc) -> Doc:
        """Makes the entities of one document agree with each other."""
        self._agree([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Makes the entities of each document agree; with `across`, those of all documents of a
        batch. Yields the documents."""
        if batch_size < 1:
            raise ValueError(f"batch_size is {batch_size}, below 1")
        if self.strength == "auto" and self.learnt is None and not self.across:
            batch_size = 1  # the strength that is chosen depends on nothing but the document
        rest = iter(stream)
        while docs := list(islice(rest, batch_size)):
            self._agree(docs)
            yield from docs

    def learn(self, examples: Iterable[Example], **options: Any) -> Strengths:
        """Learns the strength of agreement from documents with right entities, and uses the learnt
        strength from then on. str() of the result describes it. If agreement does not help
        significantly, the component changes nothing from then on. Provisional until 1.0.

        examples  spaCy's `Example`s: `predicted` with the entities of components that were not
                  trained on these documents, `reference` with the right ones. At least some dozens
                  of documents
        options   options of `libchorale.learn_strengths`
        """
        examples = list(examples)
        found = self._places([example.predicted for example in examples])
        right = []
        for example in examples:
            spans = example.get_aligned_spans_y2x(example.reference.ents)
            right.append({(span.start, span.end): span.label_ for span in spans})
        gold = {label for of in right for label in of.values()}
        labels = sorted(gold.union(*(scored for of in found for scored in of.values())))
        docs = [example.predicted for example in examples]
        rows, places = self._table(docs, found, labels)
        for row, (number, mention) in zip(rows, places):
            row[GOLD] = right[number].get(mention, NONE)
        if not rows:
            raise ValueError("examples have no entities: there is nothing to learn from")
        self.learnt = learn_strengths(
            rows, gold=GOLD, **self._columns([*labels, NONE]), **options
        )
        tell(self.learnt)
        return self.learnt

    # ---- Saving

    def _settings(self) -> dict[str, Any]:
        settings = {name: getattr(self, name) for name in SETTINGS}
        if self.learnt is not None:
            settings["learnt"] = {
                "labels": self.learnt.labels,
                "weights": self.learnt.learnt.to_json(),
            }
        return settings

    def to_bytes(self, *, exclude: Iterable[str] = SimpleFrozenList()) -> bytes:
        """Returns the settings and the learnt strengths as bytes."""
        data: bytes = srsly.msgpack_dumps(self._settings())
        return data

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = SimpleFrozenList()) -> Agreement:
        """Sets the settings and the learnt strengths to those that `to_bytes` returned."""
        return self._set(srsly.msgpack_loads(data))

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()) -> None:
        """Saves the settings and the learnt strengths in a directory."""
        Path(path).mkdir(exist_ok=True)
        srsly.write_json(Path(path) / "cfg", self._settings())

    def from_disk(
        self, path: str | Path, *, exclude: Iterable[str] = SimpleFrozenList()
    ) -> Agreement:
        """Loads the settings and the learnt strengths that `to_disk` saved."""
        return self._set(srsly.read_json(Path(path) / "cfg"))

    def _set(self, settings: dict[str, Any]) -> Agreement:
        for name in SETTINGS:
            if name in settings:
                setattr(self, name, settings[name])
        learnt = settings.get("learnt")
        self.learnt = learnt and Strengths(
            [KEY], list(learnt["labels"]), Learnt.from_json(learnt["weights"])
        )
        self._check()
        return self

    # ---- The work

    def _agree(self, docs: list[Doc]) -> None:
        self._check()
        found = self._places(docs)
        if self.learnt is None:
            labels = sorted({label for of in found for scored in of.values() for label in scored})
        else:
            labels = [label for label in self.learnt.labels if label != NONE]
        rows, places = self._table(docs, found, labels)
        kept: list[list[tuple[Span, float]]] = [[] for _ in docs]
        changed: list[list[dict[str, Any]]] = [[] for _ in docs]
        if rows:
            strength: Any = None if self.strength == "auto" else self.strength
            strength = strength if self.learnt is None else self.learnt
            columns = self._columns([*labels, NONE])
            result = agree(rows, strength=strength, progress=False, **columns)
            if self.rules:
                read = _read(rows, minimum=2, **columns)
                [worth] = _strengths(strength, read)
                self._keep_rules(rows, places, labels, worth, np.array(read.scores), result)
            for row, (number, (start, end)) in zip(result, places):
                label, before = row["together"], row[LABEL]
                told = {"probability": row["probability"], "before": before, "why": row["why"]}
                if label != before:
                    changed[number].append({"start": start, "end": end, "label": label, **told})
                if label != NONE:
                    span = self._span(docs[number], start, end, label)
                    for name, value in told.items():
                        span._.set(f"chorale_{name}", value)
                    score = math.exp(row[SCORES][[*labels, NONE].index(label)])
                    kept[number].append((span, score))
        known = set(places)
        for number, (doc, mentions) in enumerate(zip(docs, found)):
            for mention, scored in mentions.items():
                if (number, mention) not in known:  # it has a label that was not learnt
                    label = max(scored, key=scored.__getitem__)
                    kept[number].append((self._span(doc, *mention, label), scored[label]))
            doc._.chorale_changed = changed[number]
            if mentions:
                self._write(doc, kept[number])

    def _keep_rules(
        self,
        rows: list[Row],
        places: list[tuple[int, Mention]],
        labels: list[str],
        strength: float,
        scores: Array,
        result: list[Row],
    ) -> None:
        """Replaces labels in a result of `agree` by the best ones that keep the rules. The
        occurrences of a document, in the order of the text, are a chain. scores: of each row."""
        rules = parse(self.rules)
        named = {kind for rule in rules for kind in (rule.a, rule.b) if isinstance(kind, str)}
        others = sorted(named.difference(labels, ["O"]))  # labels that no occurrence may get
        values = [*labels, *others, NONE]
        scores[np.array([row[SCORES] for row in rows]) == FOREIGN] = -np.inf
        scores = np.insert(scores, [len(labels)] * len(others), -np.inf, axis=1)
        order = sorted(range(len(rows)), key=places.__getitem__)
        chains = [list(of) for _, of in groupby(order, key=lambda k: places[k][0])]
        found = decode(
            [scores[of] for of in chains],
            groups=range(len(chains)),
            tokens=[[rows[k][KEY] for k in of] for of in chains],
            agree=Words("words", (1 - TIE) * strength, across=self.across),
            uncounted=(),
            names=[*(f"B-{label}" for label in values[:-1]), "O"],
            scheme="bio",
            rules=rules,
        )
        told = {(of.chain, why.position): why.told for of in found.ruled for why in of.reasons}
        ruled: Iterable[int] = [of.chain for of in found.ruled]
        if ruled and self.across:  # other documents may change with these
            ruled = range(len(chains))
        for chain in ruled:
            for position, (k, code) in enumerate(zip(chains[chain], found.labels[chain].tolist())):
                label = values[code]
                if label != result[k]["together"]:
                    why = told.get((chain, position), "so that rules are kept")
                    kept = label == rows[k][LABEL]
                    result[k].update(together=label, probability=None, why=None if kept else why)

    def _columns(self, labels: list[str]) -> dict[str, Any]:
        """Returns the arguments of `agree` that describe the columns of the table of
        occurrences."""
        return {
            "key": KEY,
            "label": LABEL,
            "confidence": SCORES,
            "scale": "logarithm",
            "labels": labels,
            "group": GROUP,
            "across": self.across,
        }

    def _places(self, docs: list[Doc]) -> list[dict[Mention, dict[str, float]]]:
        """Returns for each document the occurrences that may be entities. Each has a dict from
        labels to probabilities, empty if the preceding component found no entity there."""
        found = [self._mentions(doc) for doc in docs]
        if self.find_missed:
            for batch in [range(len(docs))] if self.across else [[n] for n in range(len(docs))]:
                self._add_missed([docs[n] for n in batch], [found[n] for n in batch])
        return found

    def _table(
        self,
        docs: list[Doc],
        found: list[dict[Mention, dict[str, float]]],
        labels: list[str],
    ) -> tuple[list[Row], list[tuple[int, Mention]]]:
        """Returns a row for each occurrence, and for each row the number of the document and the
        place of the occurrence in it. Occurrences with labels other than `labels` are left out."""
        rows, places = [], []
        everywhere = {label for of in found for scored in of.values() for label in scored}
        for number, (doc, mentions) in enumerate(zip(docs, found)):
            # An occurrence may get the labels that occur in its document; with `across`, those that
            # occur in any document of the batch.
            own = {label for scored in mentions.values() for label in scored}
            usual = [label for label in labels if label in (everywhere if self.across else own)]
            for mention, scored in mentions.items():
                if not scored.keys() <= {*usual}:
                    continue
                scores = self._scores(usual, scored)
                rows.append(
                    {
                        KEY: " ".join(self._words(doc, *mention)),
                        GROUP: number,
                        LABEL: max(scored, key=scored.__getitem__, default=NONE),
                        SCORES: [scores.get(label, FOREIGN) for label in [*labels, NONE]],
                    }
                )
                places.append((number, mention))
        return rows, places

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

    def _expect(self, where: str, advice: str) -> None:
        """Raises an exception if no preceding component can have found entities. A component that
        does not declare which attributes it assigns may have found some."""
        names = [] if self._nlp is None else self._nlp.pipe_names
        if self._nlp is None or self._name not in names:
            return
        for name in names[: names.index(self._name)]:
            assigns = self._nlp.get_pipe_meta(name).assigns
            if not assigns or any(a.split(".")[1] in ("ents", "spans") for a in assigns):
                return
        raise ValueError(
            f"{where} is empty, and no component before {self._name!r} fills it: add one before "
            f"it, such as {advice}, or set {where} beforehand"
        )

    def _mentions(self, doc: Doc) -> dict[Mention, dict[str, float]]:
        """Returns the entities that the preceding component found, with the probability of each
        label."""
        if self.spans_key is None:
            if not doc.has_annotation("ENT_IOB"):
                self._expect("doc.ents", f'nlp.add_pipe("ner", before={self._name!r})')
            return {(e.start, e.end): {e.label_: self.confidence} for e in doc.ents}
        where = f"doc.spans[{self.spans_key!r}]"
        if self.spans_key not in doc.spans:
            self._expect(where, "a spancat with this spans_key")
            return {}
        group = doc.spans[self.spans_key]
        scores: Any = group.attrs.get("scores")
        if scores is None:
            scores = [self.confidence] * len(group)
        if len(scores) != len(group):
            raise ValueError(f"{where} has {len(group)} spans and {len(scores)} scores")
        mentions: dict[Mention, dict[str, float]] = {}
        for span, score in zip(group, scores):
            probability = min(max(real("scores", score), MARGIN), 1 - MARGIN)
            mentions.setdefault((span.start, span.end), {})[span.label_] = probability
        return mentions

    def _words(self, doc: Doc, start: int, end: int) -> tuple[str, ...]:
        return tuple(t.lower_ if self.ignore_case else t.text for t in doc[start:end])

    def _add_missed(self, docs: list[Doc], found: list[dict[Mention, dict[str, float]]]) -> None:
        """Adds other occurrences of the same words, where no entity was found."""
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

    def _scores(self, labels: list[str], scored: dict[str, float]) -> dict[str, float]:
        """Returns the log-probabilities of the labels and of being no entity. scored: the known
        probabilities; the other labels and "no entity" share the rest equally. If `scored` is
        empty, "no entity" has the probability `confidence`, and the labels share the rest."""
        known = scored or {NONE: self.confidence}
        others = [label for label in [*labels, NONE] if label not in known]
        left = max(1 - sum(known.values()), MARGIN) / max(1, len(others))
        shares = {**dict.fromkeys(others, left), **known}
        return {label: math.log(share) for label, share in shares.items()}

    @staticmethod
    def _span(doc: Doc, start: int, end: int, label: str) -> Span:
        for entity in doc.ents:
            if entity.start == start and entity.end == end and entity.label_ == label:
                return entity  # so that its other attributes are kept
        return Span(doc, start, end, label=label)


#: The settings and their default values.
SETTINGS: dict[str, Any] = dict(Agreement.__init__.__kwdefaults__ or {})
Language.factory("chorale", assigns=["doc.ents"], default_config=SETTINGS, func=Agreement)
