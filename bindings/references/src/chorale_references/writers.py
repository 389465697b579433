"""Writes parsed references: CSL-JSON, BibTeX, RIS, and text with its labels.

A writer is made for a stream and gets one reference after the other, so that a bibliography of any
length passes through: `with writer(stream) as write: write(reference)`.
"""

from __future__ import annotations

import json
import re
import unicodedata
from html import escape
from typing import Any, TextIO

from pybtex.database.output.bibtex import Writer as _PybtexWriter

from .names import Name
from .parse import Parsed


class Keys:
    """Gives each reference a key, such as watson1953: the family name of the first author and the
    year, and a letter if several have both."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}

    def key(self, item: dict[str, Any]) -> str:
        people = item.get("author") or item.get("editor") or [{}]
        name = people[0].get("family") or people[0].get("literal") or item.get("title") or "reference"
        word = next(iter(_ascii(name).split()), "") or "reference"
        parts = item.get("issued", {}).get("date-parts")
        made = word.lower() + (str(parts[0][0]) if parts else "")
        count = self._used[made] = self._used.get(made, 0) + 1
        return made if count == 1 else "%s%s" % (made, _letters(count - 1))


def _letters(number: int) -> str:
    """Returns the letters of a number from 1: b, c, ... z, then -27, -28 ..."""
    return chr(ord("a") + number) if number < 26 else "-%d" % number


def _ascii(text: str) -> str:
    text = text.replace("ß", "ss").replace("ø", "o").replace("Ø", "O").replace("ł", "l").replace("æ", "ae")
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9 ]", "", plain)


def csl_of(reference: Parsed, key: str) -> dict[str, Any]:
    """Returns a reference as an item of CSL-JSON, which has no place for "et al.", for the original
    for what is left over and for how sure it is: they are in `custom`."""
    item = {"id": key, **reference.item}
    custom = dict(item.pop("custom", {}))
    custom["original"] = reference.source.original.strip()
    if reference.left_over:
        custom["left-over"] = reference.left_over
    if reference.sure is not None:
        custom["sure"] = round(reference.sure, 3)
    return {**item, "custom": custom}


class _Writer:
    def __init__(self, to: TextIO) -> None:
        self.to = to
        self._keys = Keys()
        self._count = 0

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __call__(self, reference: Parsed) -> None:
        raise NotImplementedError


class CslJson(_Writer):
    """An array of items, one a line."""

    def __call__(self, reference: Parsed) -> None:
        self.to.write(",\n" if self._count else "[\n")
        self._count += 1
        json.dump(csl_of(reference, self._keys.key(reference.item)), self.to, ensure_ascii=False)

    def __exit__(self, *error: object) -> None:
        self.to.write("\n]\n" if self._count else "[]\n")


# ---- BibTeX


class _Raw(str):
    """A value that is written as it is: an address, or names that have been escaped one by one."""


# Characters that pybtex leaves to LaTeX.
_LATEX = str.maketrans(
    {"\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "$": r"\$", "^": r"\textasciicircum{}"}
)
_BRACE, _UNBRACE = "\ue000", "\ue001"  # braces of BibTeX, until the text has been escaped


class _Bibtex(_PybtexWriter):
    def __init__(self) -> None:
        super().__init__(encoding="UTF-8")

    def quote(self, text: str) -> str:
        self.check_braces(text)
        return "{%s}" % text

    def escaped(self, text: str) -> str:
        text = str(self._encode(text.translate(_LATEX)))
        return text.replace(_BRACE, "{").replace(_UNBRACE, "}")

    def _write_field(self, stream: TextIO, type: str, value: str) -> None:
        text = value if isinstance(value, _Raw) else self.escaped(value)
        # The name of a month is a string that each style defines, so it stands without braces.
        stream.write(",\n  %s = %s" % (type, text if type == "month" else self.quote(text)))


_ENTRY = {
    "article-journal": "article", "article-newspaper": "article", "book": "book", "chapter": "incollection",
    "paper-conference": "inproceedings", "thesis": "phdthesis", "report": "techreport", "standard": "misc",
    "webpage": "misc", "article": "misc", "document": "misc",
}
_VENUE = {"incollection": "booktitle", "inproceedings": "booktitle"}
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


class Bibtex(_Writer):
    def __init__(self, to: TextIO) -> None:
        super().__init__(to)
        self._writer = _Bibtex()

    def __call__(self, reference: Parsed) -> None:
        from pybtex.database import BibliographyData, Entry

        kind, fields = bibtex_of(reference, self._writer)
        if self._count:
            self.to.write("\n")
        self._count += 1
        entry = BibliographyData({self._keys.key(reference.item): Entry(kind, fields)})
        self._writer.write_stream(entry, self.to)


def bibtex_of(reference: Parsed, writer: _Bibtex) -> tuple[str, dict[str, str]]:
    """Returns the type of a BibTeX entry, and its fields."""
    item, custom = reference.item, reference.item.get("custom", {})
    kind = _ENTRY[item["type"]]
    if kind == "phdthesis" and re.search(r"master|diplom|magister|maestría|maîtrise|m\.?\s?sc", item.get("genre", ""), re.IGNORECASE):
        kind = "mastersthesis"
    fields: dict[str, str] = {}
    for role in ("author", "editor", "translator"):
        if role in item:
            names = [_bibtex_name(name, writer) for name in item[role]]
            fields[role] = _Raw(" and ".join(names + ["others"] * custom.get(role + "-others", False)))
    if "title" in item:
        fields["title"] = _protected(item["title"])
    if "container-title" in item:
        name = _VENUE.get(kind, "journal" if kind == "article" else "howpublished" if kind == "misc" else "booktitle")
        fields[name] = item["container-title"]
    institution = {"phdthesis": "school", "mastersthesis": "school", "techreport": "institution"}.get(kind, "publisher")
    if kind == "misc" and "howpublished" not in fields:
        institution = "howpublished" if item["type"] != "standard" else "organization"
    for name, of in (("collection-title", "series"), ("edition", "edition"), ("volume", "volume"), ("issue", "number"),
                     ("publisher", institution), ("publisher-place", "address")):
        if name in item:
            fields[of] = item[name]
    if "collection-number" in item and "volume" not in fields:
        fields["volume" if kind in ("incollection", "inproceedings", "book") else "number"] = item["collection-number"]
    if "number" in item and "number" not in fields and "arXiv" not in custom:
        fields["number" if kind != "misc" else "note"] = item["number"]
    if "page" in item:
        fields["pages"] = re.sub(r"(?<=\w)-(?=\w)", "--", item["page"])
    if "genre" in item and kind in ("phdthesis", "mastersthesis", "techreport"):
        fields["type"] = item["genre"]
    _put_date(fields, item, custom)
    for name in ("DOI", "URL"):
        if name in item:
            fields[name.lower()] = _Raw(item[name].replace("{", "%7B").replace("}", "%7D"))
    for name in ("ISBN", "ISSN"):
        if name in item:
            fields[name.lower()] = item[name]
    if "arXiv" in custom:
        fields["eprint"], fields["archiveprefix"] = _Raw(custom["arXiv"]), "arXiv"
    fields["original"] = " ".join(reference.source.original.split())
    return kind, fields


def _put_date(fields: dict[str, str], item: dict[str, Any], custom: dict[str, Any]) -> None:
    issued = item.get("issued")
    if issued and "date-parts" in issued:
        parts = issued["date-parts"]
        fields["year"] = "--".join(str(part[0]) for part in parts) if parts[0][0] != parts[-1][0] else str(parts[0][0])
        if len(parts[0]) > 1:
            fields["month"] = _MONTHS[parts[0][1] - 1]
        if len(parts[0]) > 2:
            fields["day"] = str(parts[0][2])
    elif issued:
        fields["year"] = issued["literal"]
    if "original-date" in item:
        fields["origdate"] = str(item["original-date"]["date-parts"][0][0])
    if "accessed" in item:
        fields["urldate"] = "-".join("%02d" % part for part in item["accessed"]["date-parts"][0])


def _bibtex_name(name: Name, writer: _Bibtex) -> str:
    if "literal" in name:
        return "{%s}" % writer.escaped(name["literal"])
    family = writer.escaped(name["family"])
    if " " in family or re.search(r"\band\b", family) or "," in family:
        family = "{%s}" % family
    parts = [" ".join(part for part in (writer.escaped(name.get("non-dropping-particle", "")), family) if part)]
    if "suffix" in name:
        parts.append(writer.escaped(name["suffix"]))
    if "given" in name:
        parts.append(writer.escaped(name["given"]))
    return ", ".join(parts)


_SMALL = frozenset(
    "a an the of on in for to and or with from by at as is are its de la le les des du der die das und im in von zur zum y el los las".split()
)
_GERMAN = re.compile(r"\b(?:der|die|das|und|für|zur|zum|im|eine[rsmn]?|von)\b|[äöüß]")


def _protected(title: str) -> str:
    """Returns a title with braces around what no style may set in lower case: words with capitals
    inside, and names in titles whose other words are not capitalised."""
    words = title.split(" ")
    content = [w for w in words[1:] if w.lower() not in _SMALL and w[:1].isalpha()]
    titled = sum(w[0].isupper() for w in content) > 0.6 * len(content) and not _GERMAN.search(title)

    def one(number: int, word: str) -> str:
        inner = any(c.isupper() for c in word[1:])
        start = number and word[:1].isupper() and not titled
        return _BRACE + word + _UNBRACE if inner or start else word

    return " ".join(one(number, word) for number, word in enumerate(words))


# ---- RIS

_RIS_TYPE = {
    "article-journal": "JOUR", "article-newspaper": "NEWS", "book": "BOOK", "chapter": "CHAP", "paper-conference": "CONF",
    "thesis": "THES", "report": "RPRT", "standard": "STAND", "webpage": "ELEC", "article": "UNPB", "document": "GEN",
}


class Ris(_Writer):
    def __call__(self, reference: Parsed) -> None:
        item = reference.item
        lines = [("TY", _RIS_TYPE[item["type"]])]
        for role, tag in (("author", "AU"), ("editor", "ED"), ("translator", "A4")):
            lines += [(tag, _ris_name(name)) for name in item.get(role, ())]
        for name, tag in (("title", "TI"), ("container-title", "T2"), ("collection-title", "T3"), ("volume", "VL"), ("issue", "IS"),
                          ("edition", "ET"), ("publisher", "PB"), ("publisher-place", "CY"), ("DOI", "DO"), ("URL", "UR"), ("genre", "M3")):
            if name in item:
                lines.append((tag, item[name]))
        if "number" in item:
            lines.append(("M1", item["number"]))
        for name in ("ISBN", "ISSN"):
            if name in item:
                lines.append(("SN", item[name]))
        if "page" in item:
            first, _, last = item["page"].partition("-")
            lines += [("SP", first)] + ([("EP", last)] if last else [])
        issued = item.get("issued", {})
        if "date-parts" in issued:
            parts = issued["date-parts"][0]
            lines.append(("PY", str(parts[0])))
            if len(parts) > 1:
                lines.append(("DA", "/".join(["%d" % parts[0], *("%02d" % part for part in parts[1:])])))
        elif issued:
            lines.append(("PY", issued["literal"]))
        lines.append(("N1", " ".join(reference.source.original.split())))
        self.to.write("".join("%s  - %s\n" % line for line in lines) + "ER  - \n\n")


def _ris_name(name: Name) -> str:
    if "literal" in name:
        return name["literal"]
    family = " ".join(part for part in (name.get("non-dropping-particle"), name["family"]) if part)
    return ", ".join(part for part in (family, name.get("given"), name.get("suffix")) if part)


# ---- Text with labels


class LabelledText(_Writer):
    """The text itself, a line for each reference, with each field between tags: what stands outside
    is left over."""

    def __call__(self, reference: Parsed) -> None:
        self.to.write(labelled_text(reference) + "\n")


def labelled_text(reference: Parsed) -> str:
    text, at, parts = reference.tokens.text, 0, []
    if reference.source.marker:
        parts.append(escape(reference.source.marker, quote=False) + " ")
    for field in reference.fields:
        parts += [escape(text[at : field.start], quote=False), "<%s>%s</%s>" % (field.label, escape(field.text, quote=False), field.label)]
        at = field.end
    return "".join(parts) + escape(text[at:], quote=False)


WRITERS = {"csl": CslJson, "bibtex": Bibtex, "ris": Ris, "text": LabelledText}
