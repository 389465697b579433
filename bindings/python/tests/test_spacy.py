from __future__ import annotations

import pickle

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
    docs = entities(pipeline(across=True).pipe(TEXTS))
    assert docs[2] == [("Jordan", 1, "PER"), ("Jordan", 4, "PER")]
    assert docs[0] == [("Acme", 0, "ORG"), ("Jordan", 2, "PER")]
    assert docs[3] == []
    # Within one document it is one against one.
    alone = entities(pipeline(across=True).pipe(TEXTS, batch_size=1))
    assert alone[2] == [("Jordan", 1, "PER"), ("Jordan", 4, "LOC")]
    assert entities([pipeline()(TEXTS[2])])[0] == alone[2]
    assert entities(pipeline().pipe(TEXTS))[2] == alone[2]
    sure = entities(pipeline(confidence=0.9999, across=True).pipe(TEXTS))
    assert sure[2] == [("Jordan", 1, "PER"), ("Jordan", 4, "LOC")]


def test_missed_places():
    del ENTITIES[:]
    ENTITIES.extend([(0, 0, 1, "ORG"), (0, 2, 3, "PER"), (1, 0, 1, "PER"), (2, 1, 2, "PER")])
    docs = entities(pipeline(across=True).pipe(TEXTS))
    assert ("Jordan", 4, "PER") in docs[2]
    docs = entities(pipeline(find_missed=False, across=True).pipe(TEXTS))
    assert docs[2] == [("Jordan", 1, "PER")] and docs[1] == [("Jordan", 0, "PER")]
    shouted = [text.upper() if number == 1 else text for number, text in enumerate(TEXTS)]
    kept = entities(pipeline(strength=3.0, ignore_case=True, across=True).pipe(shouted))
    assert ("JORDAN", 0, "PER") in kept[1]
    assert entities(pipeline(strength=3.0, across=True).pipe(shouted))[1] == []


@pytest.mark.parametrize("set_ents", [False, True])
def test_span_scores(set_ents):
    nlp = spacy.blank("en")
    config = {"spans_key": "sc", "strength": 2.0, "across": True, "set_ents": set_ents}
    component = nlp.add_pipe("chorale", config=config)
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
    docs[3].spans["sc"] = []
    assert list(component.pipe(docs)) == docs
    group = docs[2].spans["sc"]
    assert [(s.text, s.start, s.label_) for s in group] == [
        ("Jordan", 1, "PER"),
        ("Jordan", 4, "PER"),
    ]
    # How probable the labels were: the second's was LOC.
    assert group.attrs["scores"][0] == pytest.approx(0.85) and group.attrs["scores"][1] < 0.45
    found = entities(docs)
    assert found[2] == ([("Jordan", 1, "PER"), ("Jordan", 4, "PER")] if set_ents else [])
    docs[0].spans["sc"].attrs["scores"] = [0.5, 0.5]
    with pytest.raises(ValueError, match="1 spans and 2 scores"):
        component(docs[0])
    del docs[0].spans["sc"].attrs["scores"]
    component(docs[0])
    assert [(s.text, s.start, s.label_) for s in docs[0].spans["sc"]] == [("Jordan", 2, "PER")]
    assert "scores" not in docs[0].spans["sc"].attrs


def test_a_document_does_not_depend_on_its_batch():
    nlp = pipeline()
    texts = [*TEXTS, TEXTS[2]]
    together = entities(nlp.pipe(texts))
    assert together == entities([nlp(text) for text in texts])
    assert together == entities(nlp.pipe(texts, batch_size=2))


def test_what_is_known_of_an_entity_stays():
    nlp = spacy.blank("en")
    component = nlp.add_pipe("chorale")
    doc = nlp.make_doc(TEXTS[0])
    doc.ents = [Span(doc, 0, 1, label="ORG", kb_id="Q1")]
    assert component(doc).ents[0].kb_id_ == "Q1"


def test_config(tmp_path):
    with pytest.raises(ValueError, match="batch_size"):
        list(pipeline().pipe(TEXTS, batch_size=0))
    for config, message in (
        ({"confidence": 1.0}, "confidence is 1.0; it must be above 0 and below 1"),
        ({"confidence": 0.0}, "confidence is 0.0"),
        ({"strength": -1.0}, "strength is -1.0; it must be 0 .no agreement. or above"),
    ):
        with pytest.raises(ValueError, match=message):
            pipeline(**config)
    nlp = pipeline(strength=0.7)
    again = spacy.blank("en")
    again.from_config(nlp.config)
    assert nlp.get_pipe("chorale").strength == 0.7


def test_what_was_changed_is_saved(tmp_path):
    nlp = pipeline(strength=0.7)
    component = nlp.get_pipe("chorale")
    component.strength, component.across, component.spans_key = 3.5, True, "sc"
    nlp.to_disk(tmp_path / "saved")
    for again in (
        spacy.load(tmp_path / "saved").get_pipe("chorale"),
        pipeline().from_bytes(nlp.to_bytes()).get_pipe("chorale"),
        pickle.loads(pickle.dumps(component)),
    ):
        assert (again.strength, again.across, again.spans_key) == (3.5, True, "sc")
    component.strength = -1.0
    with pytest.raises(ValueError, match="strength is -1"):
        nlp(TEXTS[0])
    nlp.to_disk(tmp_path / "wrong")
    with pytest.raises(ValueError, match="strength is -1"):
        spacy.load(tmp_path / "wrong")


def test_a_pipeline_without_entities_is_an_error():
    nlp = spacy.blank("en")
    nlp.add_pipe("chorale")
    nlp.add_pipe("sentencizer", before="chorale")
    with pytest.raises(ValueError, match='add one before it, such as nlp.add_pipe."ner"'):
        nlp(TEXTS[0])
    doc = nlp.make_doc(TEXTS[0])
    doc.ents = []
    nlp.get_pipe("chorale")(doc)  # whoever made the document looked for entities
    ruler = nlp.add_pipe("entity_ruler", before="chorale")
    ruler.add_patterns([{"label": "PER", "pattern": "Nobody"}])
    assert nlp(TEXTS[0]).ents == ()
    nlp = spacy.blank("en")
    nlp.add_pipe("chorale", config={"spans_key": "sc"})
    with pytest.raises(ValueError, match="doc.spans has no 'sc', and no component before"):
        nlp(TEXTS[0])
