from __future__ import annotations

import pytest

import libchorale as ch


def rows(texts, *marked, label="PER"):
    return [
        {
            "document": of,
            "start": texts[of].index(name),
            "end": texts[of].index(name) + len(name),
            "label": label,
        }
        for of, name in marked
    ]


def found(texts, mentions, **given):
    return [(p.document, p.text, p.label) for p in ch.missed(texts, mentions, **given)]


def test_known_names_that_were_not_marked():
    texts = {"a": "BNP Paribas rose. BNP\nParibas fell.", "b": "Near BNP Paribas; not BNP alone."}
    assert found(texts, rows(texts, ("a", "BNP Paribas"), label="ORG")) == []  # 1 of 3
    marked = rows(texts, ("a", "BNP Paribas"), label="ORG")
    assert found(texts, marked, least=0.3) == [
        ("a", "BNP\nParibas", "ORG"),
        ("b", "BNP Paribas", "ORG"),
    ]
    marked += rows(texts, ("a", "BNP\nParibas"), label="ORG")
    [place] = ch.missed(texts, marked)
    assert (place.document, place.start, place.end) == ("b", 5, 16)
    assert texts["b"][place.start : place.end] == place.text
    assert place.probability == pytest.approx((2 + 2 * 2 / 3) / 5)


def test_ordinary_words_are_not_proposed():
    texts = {1: "Reed spoke.", 2: "Reed! A reed, the reed."}
    assert found(texts, rows(texts, (1, "Reed"))) == []
    texts[2] = "Reed! A rose."
    assert found(texts, rows(texts, (1, "Reed"))) == [(2, "Reed", "PER")]


def test_places_inside_other_mentions_are_none():
    texts = {1: "York is north.", 2: "New York is west, York too."}
    marked = rows(texts, (1, "York")) + rows(texts, (2, "New York"))
    assert found(texts, marked) == [(2, "York", "PER")]
    assert ch.missed(texts, marked)[0].start == texts[2].rindex("York")


def test_bad_mentions():
    wrong = [{"document": 1, "start": 3, "end": 9, "label": "X"}]
    with pytest.raises(ValueError, match=r"mentions\[0\] is 1, 3 to 9: there is no such text"):
        ch.missed({1: "short"}, wrong)
    assert ch.missed({1: "short"}, []) == []
