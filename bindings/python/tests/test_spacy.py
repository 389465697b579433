from __future__ import annotations

import pytest

spacy = pytest.importorskip("spacy")
from spacy.language import Language  # noqa: E402
from spacy.tokens import Span  # noqa: E402

import libchorale.spacy  # noqa: E402, F401  (registers the component)

TEXTS = [
    "Acme hired Jordan .",
    "Jordan left Acme .",
    "Then Jordan flew to Jordan .",
    "Nothing here .",
]
# What a made-up tagger finds: (text, first token, end, label).
ENTITIES = [
    (0, 0, 1, "ORG"),
    (0, 2, 3, "PER"),
    (1, 0, 1, "PER"),
    (1, 2, 3, "ORG"),
    (2, 1, 2, "PER"),
]
ENTITIES += [(2, 4, 5, "LOC")]


@Language.component("made_up_entities")
def made_up_entities(doc):
    doc.ents = [
        Span(doc, start, end, label=label)
        for text, start, end, label in ENTITIES
        if TEXTS[text] == doc.text
    ]
    return doc


def pipeline(**config):
    nlp = spacy.blank("en")
    nlp.add_pipe("made_up_entities")
    nlp.add_pipe("chorale", config=config)
    return nlp


def entities(docs):
    return [[(e.text, e.start, e.label_) for e in doc.ents] for doc in docs]


def test_a_batch_agrees():
    docs = entities(pipeline().pipe(TEXTS))
    assert docs[2] == [("Jordan", 1, "PER"), ("Jordan", 4, "PER")]
    assert docs[0] == [("Acme", 0, "ORG"), ("Jordan", 2, "PER")]
    assert docs[3] == []
    # Within one document it is one against one.
    alone = entities(pipeline().pipe(TEXTS, batch_size=1))
    assert alone[2] == [("Jordan", 1, "PER"), ("Jordan", 4, "LOC")]
    assert entities([pipeline()(TEXTS[2])])[0] == alone[2]
    assert entities(pipeline(across=False).pipe(TEXTS))[2] == alone[2]
    sure = entities(pipeline(confidence=0.9999).pipe(TEXTS))
    assert sure[2] == [("Jordan", 1, "PER"), ("Jordan", 4, "LOC")]


def test_missed_places():
    del ENTITIES[:]
    ENTITIES.extend([(0, 0, 1, "ORG"), (0, 2, 3, "PER"), (1, 0, 1, "PER"), (2, 1, 2, "PER")])
    docs = entities(pipeline().pipe(TEXTS))
    assert ("Jordan", 4, "PER") in docs[2]
    docs = entities(pipeline(find_missed=False).pipe(TEXTS))
    assert docs[2] == [("Jordan", 1, "PER")] and docs[1] == [("Jordan", 0, "PER")]
    shouted = [text.upper() if number == 1 else text for number, text in enumerate(TEXTS)]
    kept = entities(pipeline(strength=3.0, ignore_case=True).pipe(shouted))
    assert ("JORDAN", 0, "PER") in kept[1]
    assert entities(pipeline(strength=3.0).pipe(shouted))[1] == []


def test_span_scores():
    nlp = spacy.blank("en")
    component = nlp.add_pipe("chorale", config={"spans_key": "sc", "strength": 2.0})
    docs = [nlp.make_doc(text) for text in TEXTS]
    for number, start, label, score in (
        (0, 2, "PER", 0.95),
        (1, 0, "PER", 0.9),
        (2, 1, "PER", 0.85),
        (2, 4, "LOC", 0.55),
    ):
        group = docs[number].spans.setdefault("sc", [])
        group.append(Span(docs[number], start, start + 1, label=label))
        group.attrs.setdefault("scores", []).append(score)
    assert entities(component.pipe(docs))[2] == [("Jordan", 1, "PER"), ("Jordan", 4, "PER")]
    docs[0].spans["sc"].attrs["scores"] = [0.5, 0.5]
    with pytest.raises(ValueError, match="1 spans and 2 scores"):
        component(docs[0])
    del docs[0].spans["sc"].attrs["scores"]
    component(docs[0])
    assert entities(docs[:1]) == [[("Jordan", 2, "PER")]]


def test_what_is_known_of_an_entity_stays():
    nlp = spacy.blank("en")
    component = nlp.add_pipe("chorale")
    doc = nlp.make_doc(TEXTS[0])
    doc.ents = [Span(doc, 0, 1, label="ORG", kb_id="Q1")]
    assert component(doc).ents[0].kb_id_ == "Q1"


def test_config():
    with pytest.raises(ValueError, match="batch_size"):
        list(pipeline().pipe(TEXTS, batch_size=0))
    for config in ({"confidence": 1.0}, {"confidence": 0.0}):
        with pytest.raises(ValueError):
            pipeline(**config)
    nlp = pipeline(strength=0.7)
    again = spacy.blank("en")
    again.from_config(nlp.config)
    assert nlp.get_pipe("chorale").strength == 0.7
