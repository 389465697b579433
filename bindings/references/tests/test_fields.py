"""Names, dates, pages, identifiers and types."""

import chorale_references as cr
import pytest
from chorale_references.dates import accessed_of, date_of
from chorale_references.identifiers import identifiers_of
from chorale_references.items import _pages, fields_of, item_of
from chorale_references.names import names_of
from chorale_references.parse import _certain
from chorale_references.tokens import tokenise


def short(text):
    """Names as family|given|particle|suffix, bodies as =name; + if there are others."""
    names, others = names_of(text)
    parts = ("family", "given", "non-dropping-particle", "suffix")
    made = ["=" + n["literal"] if "literal" in n else "|".join(n.get(p, "") for p in parts).rstrip("|") for n in names]
    return made + ["+"] * others


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Kahneman, D., & Tversky, A.", ["Kahneman|D.", "Tversky|A."]),
        ("Y. LeCun, L. Bottou, Y. Bengio, and P. Haffner", ["LeCun|Y.", "Bottou|L.", "Bengio|Y.", "Haffner|P."]),
        ("Hobsbawm, Eric, and Terence Ranger", ["Hobsbawm|Eric", "Ranger|Terence"]),
        ("Smith, John, Jane Doe, and Bob Roe", ["Smith|John", "Doe|Jane", "Roe|Bob"]),
        ("Watson JD, Crick FHC", ["Watson|J. D.", "Crick|F. H. C."]),
        ("Marshall BJ, Warren JR.", ["Marshall|B. J.", "Warren|J. R."]),
        ("Landau L D and Lifshitz E M", ["Landau|L. D.", "Lifshitz|E. M."]),
        ("van der Berg, J., & de la Cruz, M. A.", ["Berg|J.|van der", "Cruz|M. A.|de la"]),
        ("Berg, J. van der", ["Berg|J.|van der"]),
        ("von Neumann J, Morgenstern O", ["Neumann|J.|von", "Morgenstern|O."]),
        ("Ludwig van Beethoven", ["Beethoven|Ludwig|van"]),
        ("Smith, J., Jr., & Doe, B., III", ["Smith|J.||Jr.", "Doe|B.||III"]),
        ("García Márquez, Gabriel", ["García Márquez|Gabriel"]),
        ("Müller, Hans/Schmidt, Eva", ["Müller|Hans", "Schmidt|Eva"]),
        ("Beck, Ulrich und Elisabeth Beck-Gernsheim", ["Beck|Ulrich", "Beck-Gernsheim|Elisabeth"]),
        ("SMITH, J. A., DOE, B.", ["Smith|J. A.", "Doe|B."]),
        ("J.-P. Serre", ["Serre|J.-P."]),
        ("Yu. A. Gagarin and V. V. Ivanov", ["Gagarin|Yu. A.", "Ivanov|V. V."]),
        ("Moher, D., Altman, D. G., & PRISMA Group", ["Moher|D.", "Altman|D. G.", "=PRISMA Group"]),
        ("Moher D, Altman DG; PRISMA Group", ["Moher|D.", "Altman|D. G.", "=PRISMA Group"]),
        ("G. Aad et al. (ATLAS Collaboration)", ["Aad|G.", "=ATLAS Collaboration", "+"]),
        ("G. Aad et al. (ATLAS Collaboration", ["Aad|G.", "=ATLAS Collaboration", "+"]),
        ("Smith, J. A., Doe, B. u.a.", ["Smith|J. A.", "Doe|B.", "+"]),
        ("G. Aad and ATLAS Collaboration", ["Aad|G.", "=ATLAS Collaboration"]),
        ("U.S. Department of Energy", ["=U.S. Department of Energy"]),
        ("World Health Organization", ["=World Health Organization"]),
        ("Bundesministerium für Familie, Senioren, Frauen und Jugend",
         ["=Bundesministerium für Familie, Senioren, Frauen und Jugend"]),
        ("Aristotle", ["Aristotle"]),
        ("VERRET Michel", ["Verret|Michel"]),
        ("Tilly Ch.", ["Tilly|Ch."]),
        ("LeCun, Y., L. Bottou, Y. Bengio, and P. Haffner", ["LeCun|Y.", "Bottou|L.", "Bengio|Y.", "Haffner|P."]),
        ("Atanasov, P. Cvetanova, G. Ito, K.", ["Atanasov|P.", "Cvetanova|G.", "Ito|K."]),
        ("Atanasov, P. Cvetanova, G.", ["Atanasov|P.", "Cvetanova|G."]),
        ("Кондратьева Н", ["Кондратьева|Н."]),
        ("", []),
        (", ; &", []),
    ],
)
def test_names(text, expected):
    assert short(text) == expected


@pytest.mark.parametrize(
    "text, expected",
    [
        ("1998", [[1998]]), ("1998a", [[1998]]), ("Jul. 1948", [[1948, 7]]), ("2019, March 22", [[2019, 3, 22]]),
        ("1950 Sep 30", [[1950, 9, 30]]), ("22. März 2019", [[2019, 3, 22]]), ("22.03.2019", [[2019, 3, 22]]),
        ("2019-03-22", [[2019, 3, 22]]), ("1999–2001", [[1999], [2001]]), ("2004/05", [[2004], [2005]]),
        ("mai 1968", [[1968, 5]]), ("enero de 1990", [[1990, 1]]), ("July-August 2001", [[2001, 7], [2001, 8]]),
    ],
)
def test_dates(text, expected):
    assert date_of(text)["date-parts"] == expected


def test_dates_without_a_year():
    assert date_of("in press") == {"literal": "in press"}
    assert date_of("n.d.") == {"literal": "n.d."} and date_of("o. J.") == {"literal": "o. J."}
    assert date_of("12") is None
    assert date_of("Winter 1999") == {"date-parts": [[1999]], "season": 4}
    assert accessed_of("Retrieved March 5, 2010, from http://x.org") == {"date-parts": [[2010, 3, 5]]}


@pytest.mark.parametrize(
    "text, expected",
    [
        ("de Bruijn, A (Hrsg.) – Banken im Wandel", "Editor: de Bruijn, A"),
        ("[1] Rosario, C.; L. Jachens; E. T. Guarna (Hrsg) (1986c): El pájaro", "Editor: Rosario, C.; L. Jachens; E. T. Guarna"),
        ("In Linn Molegraaf und Eva von der Au (Hgg.): The Gang", "Editor: Linn Molegraaf und Eva von der Au"),
        ("In: Kritik der Technik, hrsg. v. Zakaria David HAENGREVE.", "Editor: Zakaria David HAENGREVE"),
        ("Meier, A. (1990): Zur Lage der Nation (Hrsg.)", ""), ("In Familie und die Stadt. Hrsg. von", ""),
        ("Leviathan, 23. Jg., Heft 3/4, S. 7", "Volume: 23, Issue: 3/4"), ("Jahrgang 20 (H. 2)", "Volume: 20, Issue: 2"), ("Jg. 1998", ""),
        ("Standard for Arithmetic, IEEE Std 754-2008, 2008.", "Issue: IEEE Std 754-2008"), ("Quality (ISO 9001:2015)", "Issue: ISO 9001:2015"),
        ("How ISO 9001 changed us, in: Quality", ""),
    ],
)
def test_fields_known_by_their_form(text, expected):
    assert ", ".join("%s: %s" % (label, text[start:end]) for label, start, end in sorted(_certain(text), key=lambda found: found[1])) == expected


@pytest.mark.parametrize("date", ["([1867] 1962)", "(1867 [1962])", "(1867/1962)"])
def test_a_work_that_appeared_again(date):
    item = cr.parse("Marx, K. %s: Das Kapital. Berlin: Dietz." % date)[0].item
    assert item["title"] == "Das Kapital" and item["issued"] == {"date-parts": [[1962]]}
    assert item["original-date"] == {"date-parts": [[1867]]}


def test_what_stands_for_a_date_is_kept_as_it_is():
    texts = ["Smith, J. (n.d.). The theory of lists. Oxford: Oxford University Press.",
             "Müller, H. (o. J.): Zur Theorie der Jugend. Opladen: Leske + Budrich.",
             "Meier, K. (im Druck): Familie im Wandel. Opladen: Leske + Budrich."]
    assert [cr.parse(text)[0].item["issued"]["literal"] for text in texts] == ["n.d.", "o. J.", "im Druck"]


@pytest.mark.parametrize(
    "text, expected",
    [("737–8", "737-738"), ("pp. 263–291", "263-291"), ("1053 - 75", "1053-1075"), ("S123-9", "S123-S129"), ("e1000097", "e1000097"),
     ("094001", "094001"), ("S. 12–34", "12-34"), ("xii-xxv", "xii-xxv"), ("12-15, 20", "12-15, 20")],
)
def test_pages(text, expected):
    assert _pages(text) == expected


@pytest.mark.parametrize(
    "text, expected",
    [
        ("https://doi.org/10.1037/0033-295X.84.2.191.", ("DOI", "10.1037/0033-295X.84.2.191")),
        ("doi:10.1002/(SICI)1097-0258(19980815)17:15.", ("DOI", "10.1002/(SICI)1097-0258(19980815)17:15")),
        ("(http://example.org/a_(b))", ("URL", "http://example.org/a_(b)")),
        ("[arXiv:1301.2826 [nucl-th]]", ("arXiv", "1301.2826")),
        ("hep-ph/0606023", ("arXiv", "hep-ph/0606023")),
        ("ISBN 978-3-16-148410-0", ("ISBN", "978-3-16-148410-0")),
        ("PMID: 22832565", ("PMID", "22832565")),
    ],
)
def test_identifiers(text, expected):
    assert [(i.kind, i.value) for i in identifiers_of(text)] == [expected]


def item(marked):
    """Returns the item of a text with its labels, given as <Label>text</Label>."""
    import re

    text, spans = "", []
    for label, inside, outside in re.findall(r"<(\w+)>(.*?)</\w+>|([^<]+)", marked):
        start = len(text)
        text += inside or outside
        if label:
            spans.append((label, start, len(text)))
    tokens = tokenise(text)
    labels = [next((name for name, a, b in spans if a <= start < b), "Other") for start in tokens.starts]
    return item_of(tokens, fields_of(tokens, labels))


def test_editors_and_translators():
    found = item("<Title>Sphere</Title>. Translated by <Editor>Thomas Burger</Editor>. <Publisher>MIT Press</Publisher>")
    assert found["translator"] == [{"family": "Burger", "given": "Thomas"}] and "editor" not in found
    found = item("<Author>Pajares, F., & Urdan, T.</Author> (Eds.). <Title>Beliefs</Title>. <Publisher>IAP</Publisher>.")
    assert len(found["editor"]) == 2 and "author" not in found


def test_sections_of_journals():
    found = item("<Author>G. Aad</Author>, <Venue>Phys. Lett.</Venue> <Volume>B716</Volume>, <Pages>1</Pages> (<Date>2012</Date>)")
    assert (found["container-title"], found["volume"], found["page"]) == ("Phys. Lett. B", "716", "1")
    assert found["type"] == "article-journal" and "title" not in found


def test_quotes_and_stops():
    found = item("“<Title>Is it so?</Title>” <Venue>Bell Syst. Tech. J</Venue>. <Volume>27</Volume>")
    assert (found["title"], found["container-title"]) == ("Is it so?", "Bell Syst. Tech. J.")


@pytest.mark.parametrize(
    "marked, kind",
    [
        ("<Title>T</Title>. In <Editor>A. B</Editor> (Ed.), <Venue>Handbook</Venue> (pp. <Pages>1–2</Pages>). <Publisher>Wiley</Publisher>", "chapter"),
        ("<Title>T</Title>. In <Venue>Proc. Int. Conf. on X</Venue>, <Pages>1–2</Pages>", "paper-conference"),
        ("<Title>T</Title>, <Venue>Proc. IEEE</Venue> <Volume>3</Volume>", "article-journal"),
        ("<Title>T</Title>. <Genre>PhD thesis</Genre>, <Publisher>MIT</Publisher>", "thesis"),
        ("<Title>T</Title>. <Genre>Technical Report</Genre> <Issue>12</Issue>", "report"),
        ("<Title>T</Title>, arXiv:1412.6980, <Date>2014</Date>", "article"),
        ("<Title>T</Title>. <Location>Bern</Location>: <Publisher>Francke</Publisher>", "book"),
        ("<Title>T</Title>. http://example.org", "webpage"),
        ("<Title>T</Title>. <Venue>Die Zeit</Venue>, <Date>3. Mai 2001</Date>", "article-newspaper"),
        ("<Title>IEEE Standard for Arithmetic</Title>, IEEE Std 754-2008", "standard"),
    ],
)
def test_types(marked, kind):
    assert item(marked)["type"] == kind


def test_fields_hold_every_labelled_token():
    tokens = tokenise("  A, B (1999).  ")
    labels = ["Author", "Author", "Author", "Other", "Date", "Other", "Other"]
    assert [(f.label, f.text) for f in fields_of(tokens, labels)] == [("Author", "A, B"), ("Date", "1999")]
    rebuilt = "".join(s + w for s, w in zip(tokens.spaces(), tokens.words)) + tokens.text[tokens.ends[-1]:]
    assert rebuilt == tokens.text


@pytest.mark.parametrize("shown", ["(1998–2001)", "(1998-2001)", "(1998 – 2001)"])
def test_ranges_of_years(shown):
    (reference,) = cr.parse("Roe, B. %s. Collected papers. London: Sage." % shown)
    assert reference.item["issued"] == {"date-parts": [[1998], [2001]]}
    assert "page" not in reference.item and reference.left_over == []
