"""What is written: escapes, and that other programs read it."""

import io
import json
import pathlib
import re
import shutil
import subprocess

import chorale_references as cr
import pytest
from chorale_references.lists import Reference
from chorale_references.parse import Parsed
from chorale_references.tokens import tokenise
from chorale_references.writers import WRITERS, Keys, labelled_text
from pybtex.database import parse_string

APA = "/usr/share/citation-style-language/styles/apa.csl"
needs_pandoc = pytest.mark.skipif(shutil.which("pandoc") is None, reason="no pandoc")


def reference(marked, marker=""):
    """Returns a reference with its labels, given as <Label>text</Label>."""
    text, spans = "", []
    for label, inside, outside in re.findall(r"<(\w+)>(.*?)</\w+>|([^<]+)", marked):
        spans.append((label or "Other", len(text), len(text) + len(inside or outside)))
        text += inside or outside
    tokens = tokenise(text)
    labels = [next(name for name, a, b in spans if a <= start < b) for start in tokens.starts]
    return Parsed(Reference(text + "\n", 1, marker, text), tokens, labels, labels)


def written(kind, references):
    to = io.StringIO()
    with WRITERS[kind](to) as write:
        for each in references:
            write(each)
    return to.getvalue()


ODD = reference(
    r"<Author>Müller, H. & von Öz, Jr., K.</Author> <Date>1999</Date>. <Title>100% of R&D: a_b #3 $x$ {y} \z ^ ~ in Köln</Title>. "
    r"<Publisher>Smith & Co</Publisher>, https://x.org/a_b?c=%20&d=#e{f}"
)
ARTICLE = reference(
    "<Author>Watson, J. D., & Crick, F. H. C.</Author> (<Date>1953</Date>). <Title>Molecular structure of nucleic acids</Title>. "
    "<Venue>Nature</Venue>, <Volume>171</Volume>(<Issue>4356</Issue>), <Pages>737–738</Pages>. https://doi.org/10.1038/171737a0"
)
CHAPTER = reference(
    "<Author>Weber, A.</Author> (<Date>2004</Date>). <Title>Die Familie im Wandel</Title>. In <Editor>B. Schmidt & C. Kühn</Editor> (Hrsg.), "
    "<Venue>Handbuch der Soziologie</Venue> (<Edition>2</Edition>. Aufl., S. <Pages>12–34</Pages>). <Location>Berlin</Location>: <Publisher>Springer</Publisher>."
)
BOOK = reference(
    "<Author>World Health Organization</Author>. (<Date>2020</Date>). <Title>World health statistics</Title> (<Edition>3rd ed</Edition>.). "
    "<Publisher>WHO Press</Publisher>."
)
NEWS = reference(
    "<Author>Carey, B.</Author> (<Date>2019, March 22</Date>). <Title>Can we forget?</Title> <Venue>The New York Times</Venue>. https://www.nytimes.com/a_b"
)
ALL = [ODD, ARTICLE, CHAPTER, BOOK, NEWS]


def test_bibtex_escapes():
    text = written("bibtex", [ODD])
    entry = parse_string(text, "bibtex").entries["muller1999"]
    assert r"100\% of {R\&D:} a\_b \#3 \$x\$ \textbraceleft{}y\textbraceright{} \textbackslash{}z \textasciicircum{}" in entry.fields["title"]
    assert entry.fields["url"] == "https://x.org/a_b?c=%20&d=#e%7Bf%7D"
    assert [str(p) for p in entry.persons["author"]] == ["Müller, H.", "von Öz, Jr., K."]
    assert entry.fields["publisher"] == r"Smith \& Co"


def test_bibtex_of_kinds():
    entries = parse_string(written("bibtex", ALL), "bibtex").entries
    assert [entry.type for entry in entries.values()] == ["book", "article", "incollection", "book", "article"]
    assert entries["watson1953"].fields["pages"] == "737--738"
    assert entries["world2020"].persons["author"][0].last_names == ["{World Health Organization}"]
    assert "\n  month = mar,\n" in written("bibtex", [NEWS]) and entries["carey2019"].fields["month"] == "March" and entries["carey2019"].fields["day"] == "22"


def test_a_work_that_appeared_again():
    (again,) = cr.parse("Marx, K. ([1867] 1962): Das Kapital. Berlin: Dietz.")
    (entry,) = parse_string(written("bibtex", [again]), "bibtex").entries.values()
    assert (entry.fields["year"], entry.fields["origdate"]) == ("1962", "1867")


def test_keys_are_unique():
    keys = Keys()
    made = [keys.key(ARTICLE.item) for _ in range(60)]
    assert made[:3] == ["watson1953", "watson1953b", "watson1953c"] and len(set(made)) == 60


def test_csl_keeps_the_original_and_what_is_left_over():
    (item,) = json.loads(written("csl", [CHAPTER]))
    assert item["custom"]["original"].startswith("Weber") and item["custom"]["left-over"] == ["In", "Hrsg", "Aufl", "S"]
    assert json.loads(written("csl", [])) == []


def test_ris():
    lines = written("ris", [ARTICLE]).splitlines()
    assert lines[0] == "TY  - JOUR" and "AU  - Watson, J. D." in lines and "EP  - 738" in lines and lines[-2] == "ER  - "


def test_labelled_text_loses_nothing():
    for each in ALL:
        plain = re.sub(r"</?\w+>", "", labelled_text(each)).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        assert plain == each.tokens.text
    assert labelled_text(reference("<Title>A < B & C</Title>.", "[1]")) == "[1] <Title>A &lt; B &amp; C</Title>."


def pandoc(*arguments, text):
    done = subprocess.run(["pandoc", *arguments], input=text, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


@needs_pandoc
def test_pandoc_reads_bibtex():
    read = {item["id"]: item for item in json.loads(pandoc("-f", "bibtex", "-t", "csljson", text=written("bibtex", ALL)))}
    for given in json.loads(written("csl", ALL)):
        found = read[given["id"]]
        for name in ("container-title", "volume", "issue", "page", "publisher", "publisher-place", "DOI", "edition", "title"):
            if name in given and given["id"] != "muller1999":
                assert plain(found.get(name, "")) == plain(given[name]), (given["id"], name)
        for role in ("author", "editor"):
            assert len(found.get(role, [])) == len(given.get(role, [])), (given["id"], role)
        assert found["issued"]["date-parts"] == given["issued"]["date-parts"]


@pytest.mark.skipif(shutil.which("biber") is None, reason="no biber")
def test_biber_reads_bibtex(tmp_path):
    """Forty references: nothing is an error, and nothing a warning but fields that biblatex does not
    know (`original`) or misses (titles of articles in physics)."""
    from test_forty import lists

    file = tmp_path / "refs.bib"
    file.write_text(written("bibtex", [r for of in lists() for r in of.references]), encoding="utf-8")
    done = subprocess.run(["biber", "--tool", "--validate-datamodel", "--output-file", str(tmp_path / "out.bib"), str(file)],
                          cwd=tmp_path, capture_output=True, text=True)
    told = [line for line in done.stdout.splitlines() if not line.startswith("INFO")]
    assert done.returncode == 0 and told, done.stdout
    assert all(re.search(r"Field 'original' invalid|Missing mandatory field", line) for line in told), done.stdout
    assert len(re.findall(r"^@", (tmp_path / "out.bib").read_text(encoding="utf-8"), re.M)) == 40


def plain(text):
    return re.sub(r"<[^>]*>", "", text).casefold().replace("–", "-")


@needs_pandoc
@pytest.mark.skipif(not pathlib.Path(APA).exists(), reason="no citation styles")
def test_a_round_trip_keeps_every_field(tmp_path):
    """Forty references, typeset by pandoc in APA and parsed again: the same fields. (APA sets given
    names as initials and leaves out months of journals and places of publishers.)"""
    from test_forty import lists

    file = tmp_path / "refs.json"
    file.write_text(written("csl", [r for of in lists() for r in of.references]), encoding="utf-8")
    given = {item["id"]: item for item in json.loads(file.read_text(encoding="utf-8"))}
    document = json.loads(pandoc("-t", "json", "--citeproc", "--csl", APA, "--bibliography", str(file), text='---\nnocite: "@*"\n---\n'))
    (entries,) = (block["c"][1] for block in document["blocks"] if block["t"] == "Div" and block["c"][0][0] == "refs")
    texts = pandoc("-f", "json", "-t", "plain", "--wrap=none", text=json.dumps({**document, "blocks": entries}))
    again = cr.parse(texts)
    assert len(again) == len(entries) == 40
    for entry, reference in zip(entries, again):
        item, found = given[entry["c"][0][0].removeprefix("ref-")], reference.item
        for name in ("title", "container-title", "publisher", "volume", "issue", "page", "edition", "DOI", "URL"):
            assert found.get(name, "").casefold() == item.get(name, "").casefold(), reference.source.text
        assert found["issued"]["date-parts"][0][0] == item["issued"]["date-parts"][0][0]
        for role in ("author", "editor", "translator"):
            assert [family(name) for name in found.get(role, [])] == [family(name) for name in item.get(role, [])]


def family(name):
    return name.get("family") or name["literal"]
