from __future__ import annotations

import json
import pickle
import re

import numpy as np
import pytest

spacy = pytest.importorskip("spacy")
import srsly  # noqa: E402
from spacy.language import Language  # noqa: E402
from spacy.tokens import Span  # noqa: E402

import libchorale as ch  # noqa: E402
import libchorale.spacy  # noqa: E402, F401  (registers the component)
from libchorale import rules  # noqa: E402

TEXTS = [
    "Acme hired Jordan .",
    "Jordan left Acme .",
    "Then Jordan flew to Jordan .",
    "Nothing here .",
]
# What a made-up tagger finds: (index in TEXTS, first token, token after the last, label).
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
    # In the third document by itself, one PER stands against one LOC: no change.
    alone = entities(pipeline(across=True).pipe(TEXTS, batch_size=1))
    assert alone[2] == [("Jordan", 1, "PER"), ("Jordan", 4, "LOC")]
    assert entities([pipeline()(TEXTS[2])])[0] == alone[2]
    assert entities(pipeline().pipe(TEXTS))[2] == alone[2]
    sure = entities(pipeline(confidence=0.9999, strength=2.0, across=True).pipe(TEXTS))
    assert sure[2] == [("Jordan", 1, "PER"), ("Jordan", 4, "LOC")]


def test_a_strength_without_bounds():
    with pytest.raises(ValueError, match="strength is 1e[+]16; .* at most 1e[+]09"):
        pipeline(strength=1e16)


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
    # Scores are the tagger's probabilities of the new labels. The tagger preferred LOC for the
    # second span, so its score is low.
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
        ({"strength": -1.0}, 'strength is -1.0; it must be "auto", 0 .no agreement. or above'),
        ({"strength": "most"}, "strength is 'most'; it must be \"auto\""),
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


# What 0.2 wrote of a component that had learnt: into config.cfg, and into the component's own file.
CONFIG_OF_0_2 = """[components.chorale]
factory = "chorale"
across = true
confidence = 0.7
find_missed = true
ignore_case = false
set_ents = false
spans_key = null
strength = 2.0

"""
SETTINGS_OF_0_2 = {
    "confidence": 0.75,
    "strength": 3.5,
    "spans_key": None,
    "set_ents": False,
    "across": True,
    "find_missed": False,
    "ignore_case": True,
}
LEARNT_OF_0_2 = {
    "labels": ["LOC", "ORG", "PER", "no entity"],
    "weights": """{"learnt":1,"outcome":0,"applied":2,"warnings":0,"groups":16,"folds":10,"positions":90,
"runs":51,"unit":2.5,"regularisation":30,"f1":0,"temperature":1.25,"kinds":[{"name":"words","verdict":0,
"cliques":16,"members":90,"screening_p":0.15,"gain":76,"gain_lower":0,"gain_upper":196,"p":0.25,"values":4,
"centre_values":0,"is_property":false,"has_empty":false,"has_out":false,"is_centred":false,"majority":false,
"left_out":0,"weights":1}],"weights":[{"basis":"agreement","kind":0,"index":0,"weight":4.5,"lower":1,"upper":8,
"least":0,"most":null}]}""",
}


@pytest.mark.parametrize("learnt", [False, True])
def test_components_of_0_2_are_loaded(tmp_path, learnt):
    saved = tmp_path / "saved"
    pipeline().to_disk(saved)
    config = (saved / "config.cfg").read_text(encoding="utf-8")
    config, replaced = re.subn(
        r"\[components\.chorale\]\n.*?\n\n", CONFIG_OF_0_2, config, flags=re.DOTALL
    )
    assert replaced == 1
    (saved / "config.cfg").write_text(config, encoding="utf-8")
    nlp = spacy.blank("en").from_config(spacy.util.load_config(saved / "config.cfg"))
    made = nlp.get_pipe("chorale")
    assert (made.confidence, made.strength, made.across, made.rules) == (0.7, 2.0, True, [])
    settings = {**SETTINGS_OF_0_2, **({"learnt": LEARNT_OF_0_2} if learnt else {})}
    (saved / "chorale" / "cfg").write_text(json.dumps(settings), encoding="utf-8")
    for again in (
        spacy.load(saved).get_pipe("chorale"),
        libchorale.spacy.Agreement().from_bytes(srsly.msgpack_dumps(settings)),
    ):
        assert {name: getattr(again, name) for name in SETTINGS_OF_0_2} == SETTINGS_OF_0_2
        assert again.rules == []
        if learnt:
            assert again.learnt.labels == LEARNT_OF_0_2["labels"]
            assert again.learnt._of(["words"])[0][0] == pytest.approx(4.5)
        else:
            assert again.learnt is None
    assert len(list(spacy.load(saved).pipe(TEXTS))) == len(TEXTS)


@pytest.mark.parametrize(
    ("kept", "expected"), [([], ["PER", "PER"]), (["once:PER"], ["PER", "LOC"])]
)
def test_bonuses_that_0_2_learnt_count(kept, expected):
    learnt = json.loads(LEARNT_OF_0_2["weights"])
    learnt["kinds"][0]["weights"] = 5
    learnt["weights"][0].update(weight=0)
    bonuses = [{**learnt["weights"][0], "basis": "value", "index": v} for v in range(4)]
    bonuses[2]["weight"] = 4  # more than the log-odds of LOC against PER, in unit 1
    learnt.update(unit=1, weights=[*learnt["weights"], *bonuses])
    component = libchorale.spacy.Agreement(confidence=0.8, rules=kept)
    settings = {**component._settings(), "learnt": {**LEARNT_OF_0_2, "weights": json.dumps(learnt)}}
    component.from_bytes(srsly.msgpack_dumps(settings))
    doc = spacy.blank("en")("Then Jordan flew to Jordan .")
    doc.ents = [Span(doc, 1, 2, label="PER"), Span(doc, 4, 5, label="LOC")]
    assert [entity.label_ for entity in component(doc).ents] == expected


def test_a_pipeline_without_entities_is_an_error():
    nlp = spacy.blank("en")
    nlp.add_pipe("chorale")
    nlp.add_pipe("sentencizer", before="chorale")
    with pytest.raises(ValueError, match='add one before it, such as nlp.add_pipe."ner"'):
        nlp(TEXTS[0])
    doc = nlp.make_doc(TEXTS[0])
    doc.ents = []
    nlp.get_pipe("chorale")(doc)  # no error: the entities of the document have been set, to none
    ruler = nlp.add_pipe("entity_ruler", before="chorale")
    ruler.add_patterns([{"label": "PER", "pattern": "Nobody"}])
    assert nlp(TEXTS[0]).ents == ()
    nlp = spacy.blank("en")
    nlp.add_pipe("chorale", config={"spans_key": "sc"})
    with pytest.raises(ValueError, match=r"doc.spans\['sc'\] is empty, and no component before"):
        nlp(TEXTS[0])


def test_what_is_told_of_an_entity():
    del ENTITIES[:]
    ENTITIES.extend([(0, 0, 1, "ORG"), (0, 2, 3, "PER"), (1, 0, 1, "PER"), (2, 1, 2, "PER")])
    ENTITIES.append((2, 4, 5, "LOC"))
    docs = list(pipeline(across=True).pipe(TEXTS))
    first, second = docs[2].ents
    assert first._.chorale_before == "PER" and first._.chorale_why is None
    assert (second.label_, second._.chorale_before) == ("PER", "LOC")
    assert second._.chorale_why == "3 of 3 other mentions of 'Jordan' were PER, 3 of 3 are now"
    assert 0.5 < second._.chorale_probability < 1
    assert docs[2]._.chorale_changed == [
        {
            "start": 4,
            "end": 5,
            "before": "LOC",
            "label": "PER",
            "probability": second._.chorale_probability,
            "why": second._.chorale_why,
        }
    ]
    # The tagger found Acme in one document and missed it in another, one against one: no change.
    assert [e.text for e in docs[1].ents] == ["Jordan"] and docs[1]._.chorale_changed == []
    again = spacy.tokens.Doc(docs[2].vocab).from_bytes(docs[2].to_bytes())
    assert again.ents[1]._.chorale_why == second._.chorale_why
    # An entity that disappears is listed in `chorale_changed` of the document.
    nlp = spacy.blank("en")
    doc = nlp.make_doc("May May May May May may")
    doc.ents = [Span(doc, 0, 1, label="DATE")]
    nlp.add_pipe("chorale")(doc)
    assert doc.ents == ()
    [gone] = doc._.chorale_changed
    assert (gone["before"], gone["label"]) == ("DATE", "no entity")
    assert gone["why"] == (
        "4 of 4 other mentions of 'May' in this document were no entity, 4 of 4 are now"
    )


def scored(words, spans, **config):
    """A document whose spans (first token, label, probability) went through the component."""
    nlp = spacy.blank("en")
    nlp.add_pipe("chorale", config={"spans_key": "sc", "find_missed": False, **config})
    doc = spacy.tokens.Doc(nlp.vocab, words=words)
    doc.spans["sc"] = [Span(doc, start, start + 1, label=label) for start, label, _ in spans]
    doc.spans["sc"].attrs["scores"] = [probability for *_, probability in spans]
    return nlp(doc)


@pytest.mark.parametrize("strength", [0.0, 0.5, 2.0, "auto"])
def test_rules_are_kept_as_by_decode(strength):
    random = np.random.default_rng(7)
    kinds, ruled = ["LOC", "ORG", "PER"], 0
    texts = ["once:PER", {"rule": "before", "a": "ORG", "b": "LOC", "price": 1.5}, "never:WORK"]
    for _ in range(5):
        words = [f"w{k}" for k in random.integers(0, 4, 6)]
        spans = [(t, kinds[random.integers(3)], random.uniform(0.4, 0.95)) for t in range(6)]
        doc = scored(words, spans, strength=strength, rules=texts)
        plain = scored(words, spans, strength=strength)
        labelled = {span.start: span.label_ for span in doc.spans["sc"]}
        found = [labelled.get(t) for t in range(6)]
        assert found.count("PER") <= 1
        ways = sorted({label for _, label, _ in spans})
        scores = [
            [np.log(p if way == label else (1 - p) / len(ways)) for way in [*ways, None]]
            for _, label, p in spans
        ]
        if strength == "auto":
            several = [row for row, word in zip(scores, words) if words.count(word) > 1]
            margins = [np.subtract(*sorted(row)[:-3:-1]) for row in several]
            worth = 0.75 * np.median([margin for margin in margins if margin > 0])
        else:
            worth = strength
        potts = ch.Potential.potts(len(ways) + 1, worth, scale="members")
        kept = [rules.once("PER")] * ("PER" in ways)
        if {"ORG", "LOC"} <= {*ways}:
            kept.append(rules.before("ORG", "LOC", price=1.5))
        names = [*(f"B-{way}" for way in ways), "O"]
        wanted = ch.decode(
            [scores],
            tokens=[words],
            agree=ch.Agreement("words", potential=potts),
            names=names,
            scheme="bio",
            rules=kept,
        )
        if not wanted.ruled:
            assert spans_of(doc) == spans_of(plain)
            continue
        ruled += 1
        # Labels that a span does not have are equally good, so labels may differ. The component
        # knows one label more, WORK, and its search may find better labels for it.
        scores = [dict(zip([*ways, None], row)) for row in scores]
        best = [[*ways, None][label] for label in wanted.labels[0]]
        least = total(best, scores, words, worth) - 1e-6
        assert total(found, scores, words, worth) >= least
        for change in doc._.chorale_changed:
            assert change["why"] and (change["probability"] is None or change["probability"] > 0)
    assert ruled >= 3


def total(labels, scores, words, strength):
    """The score of labels: log-probabilities, agreement, and the price of an ORG after a LOC."""
    value = sum(row[label] for row, label in zip(scores, labels))
    for word in {word for word in words if words.count(word) > 1}:
        of = [label for label, other in zip(labels, words) if other == word]
        value += strength / len(of) * sum(of.count(label) ** 2 for label in {*of})
    return value - 1.5 * ("LOC" in labels and "ORG" in labels[labels.index("LOC") :])


def spans_of(doc):
    return [(s.start, s.label_, s._.chorale_probability) for s in doc.spans["sc"]]


def test_rules_of_entities(tmp_path):
    spans = [(0, "PER", 0.9), (1, "PER", 0.6), (2, "PER", 0.8)]
    doc = scored(["a", "b", "c"], spans[:2], rules=["once:PER"])
    assert [(s.start, s.label_) for s in doc.spans["sc"]] == [(0, "PER")]
    [change] = doc._.chorale_changed
    assert (change["start"], change["before"], change["label"]) == (1, "PER", "no entity")
    assert change["why"] == "at most 1 segment of PER" and change["probability"] is None
    # Rules that exclude each other leave the entities that were found; none can be a WORK.
    for texts in (["once:PER", "at_least:2,PER"], ["at_least:1,WORK"]):
        assert len(scored(["a", "b", "c"], spans, rules=texts).spans["sc"]) == 3
    # A document that keeps the rules by itself stays as it is.
    del ENTITIES[:]
    ENTITIES.extend([(0, 0, 1, "ORG"), (0, 2, 3, "PER"), (1, 0, 1, "PER"), (2, 1, 2, "PER")])
    ENTITIES.append((2, 4, 5, "LOC"))
    plain = entities(pipeline(across=True).pipe(TEXTS))
    docs = entities(pipeline(across=True, rules=["once:PER"]).pipe(TEXTS))
    assert docs[:2] == plain[:2] and [label for *_, label in plain[2]] == ["PER", "PER"]
    assert [label for *_, label in docs[2]].count("PER") == 1
    nlp = pipeline(rules=["once:PER", {"rule": "never", "a": "LOC"}])
    again = spacy.blank("en").from_config(nlp.config)
    nlp.to_disk(tmp_path / "saved")
    for other in (again, spacy.load(tmp_path / "saved"), pipeline().from_bytes(nlp.to_bytes())):
        assert other.get_pipe("chorale").rules == ["once:PER", {"rule": "never", "a": "LOC"}]
    with pytest.raises(ValueError, match=r"rules\[1\] \(before\).b is missing"):
        pipeline(rules=["once", "before:PER"])


def planted(count, seed=5):
    """Returns a pipeline and examples. In the document of an example, a name is a person or a place
    throughout, but the predicted entities have some errors."""
    import random

    from spacy.training import Example

    random = random.Random(seed)
    nlp = spacy.blank("en")
    examples = []
    for _ in range(count):
        kinds = {name: random.choice(["PER", "LOC"]) for name in ("Jordan", "Paris", "Chad")}
        words = [random.choice(["Jordan", "Paris", "Chad", "went", "there"]) for _ in range(30)]
        predicted = spacy.tokens.Doc(nlp.vocab, words=words)
        reference = spacy.tokens.Doc(nlp.vocab, words=words)
        right = [(t, kinds[word]) for t, word in enumerate(words) if word in kinds]
        reference.ents = [Span(reference, t, t + 1, label=label) for t, label in right]
        predicted.ents = [
            Span(predicted, t, t + 1, label=label if random.random() < 0.8 else "LOC")
            for t, label in right
            if random.random() < 0.9
        ]
        examples.append(Example(predicted, reference))
    return nlp, examples


def right(docs, examples):
    return sum(
        {(e.start, e.label_) for e in example.reference.ents}
        == {(e.start, e.label_) for e in doc.ents}
        for doc, example in zip(docs, examples)
    )


def test_strengths_are_learnt(tmp_path):
    nlp, examples = planted(40)
    component = nlp.add_pipe("chorale")
    learnt = component.learn(examples)
    assert component.learnt is learnt and set(learnt.labels) == {"PER", "LOC", "no entity"}
    assert "agreement" in str(learnt)
    _, others = planted(40, seed=6)
    before = right([example.predicted for example in others], others)
    after = right([component(example.predicted) for example in others], others)
    assert after > before + 20
    # The learnt strength is saved with the pipeline, on disk and as bytes.
    nlp.to_disk(tmp_path / "saved")
    saved = spacy.load(tmp_path / "saved")
    loaded = nlp.from_bytes(nlp.to_bytes())
    for again in (saved.get_pipe("chorale"), loaded.get_pipe("chorale")):
        assert again.learnt.learnt.to_json() == learnt.learnt.to_json()
        _, more = planted(40, seed=6)
        assert right([again(example.predicted) for example in more], more) == after
    # A label that was not learnt stays.
    doc = others[0].predicted
    doc.ents = [Span(doc, 0, 1, label="WORK"), *doc.ents[1:]]
    assert component(doc).ents[0].label_ == "WORK"
    kept = []
    for component.rules in ([], ["at_most:3,LOC"]):
        [doc] = entities([component(planted(1, seed=8)[1][0].predicted)])
        kept.append([label for *_, label in doc].count("LOC"))
    assert kept[0] > 3 >= kept[1]
    component.learnt = None
    nlp.to_disk(tmp_path / "plain")
    assert spacy.load(tmp_path / "plain").get_pipe("chorale").learnt is None
    with pytest.raises(ValueError, match="there is nothing to learn from"):
        component.learn([])


def test_processes():
    nlp, examples = planted(30)
    nlp.add_pipe("chorale").learn(examples)
    texts = [example.predicted.text for example in examples[:6]]
    ruler = nlp.add_pipe("entity_ruler", before="chorale")
    ruler.add_patterns([{"label": "PER", "pattern": "Jordan"}, {"label": "LOC", "pattern": "Paris"}])
    alone = list(nlp.pipe(texts))
    several = list(nlp.pipe(texts, n_process=2, batch_size=2))
    assert entities(several) == entities(alone)
    for doc, other in zip(alone, several):
        assert [e._.chorale_probability for e in doc.ents] == [
            e._.chorale_probability for e in other.ents
        ]
