"""Forty references typed by hand in four styles, before any tagger was trained: forty.txt, and the
fields that they have in forty.json."""

import json
import pathlib

import chorale_references as cr
from chorale_references.writers import WRITERS

HERE = pathlib.Path(__file__).resolve().parent
CHECKED = ("type", "author", "editor", "translator", "title", "container-title", "volume", "issue", "page", "publisher",
           "publisher-place", "edition", "issued", "DOI", "URL")


def lists():
    text = (HERE / "forty.txt").read_text(encoding="utf-8")
    return list(cr.parse_lists(cr.split(text.splitlines(keepends=True))))


def expected():
    return json.loads((HERE / "forty.json").read_text(encoding="utf-8"))


def differences(reference, gold):
    """Returns the fields that differ: {name: (expected, found)}."""
    item = dict(reference.item)
    found = {name: item.get(name) for name in CHECKED}
    found["issued"] = item.get("issued", {}).get("date-parts")
    found["others"] = item.get("custom", {}).get("author-others")
    found["arxiv"] = item.get("custom", {}).get("arXiv")
    if "number" in gold:
        found["number"] = item.get("number")
    return {name: (gold.get(name), value) for name, value in found.items() if gold.get(name) != value}


def test_forty_references():
    references = [r for of in lists() for r in of.references]
    gold = expected()
    assert [len(of.references) for of in lists()] == [10] * 4 and len(gold) == 40
    wrong = [(r.source.text, d) for r, g in zip(references, gold) if (d := differences(r, g))]
    assert len(wrong) <= 2, "\n".join("%s\n  %s" % w for w in wrong)


def test_they_are_right_in_bibtex(tmp_path):
    """The same in BibTeX, read by pybtex."""
    from pybtex.database import parse_file

    path = tmp_path / "forty.bib"
    with path.open("w", encoding="utf-8") as to, WRITERS["bibtex"](to) as write:
        for of in lists():
            for reference in of.references:
                write(reference)
    entries = parse_file(str(path)).entries
    right = sum(
        plain(entry.fields.get("title", "")) == plain(gold.get("title", ""))
        and len(entry.persons.get("author", [])) == len(gold.get("author", [])) + gold.get("others", 0)
        and entry.fields.get("volume") == gold.get("volume")
        and entry.fields.get("pages", "").replace("--", "-") == gold.get("page", "")
        and entry.fields.get("year") == str(gold["issued"][0][0])
        for entry, gold in zip(entries.values(), expected())
    )
    assert len(entries) == 40 and right >= 38


def plain(text):
    return text.replace("{", "").replace("}", "")
