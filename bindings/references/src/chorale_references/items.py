"""From labels to the fields of a reference, and to an item of CSL-JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from .dates import accessed_of, date_of, reprint_of, status_of, year_and_letter
from .identifiers import identifiers_of
from .names import names_of
from .tagger import OTHER
from .tokens import Tokens


class Field(NamedTuple):
    """A run of tokens with one label: text is tokens.text[start:end]."""

    label: str
    text: str
    start: int
    end: int


_TRANSLATED = re.compile(r"\b(translat\w*|transl?|übers\w*|aus dem \w+|trad(?:uit|uction|ucido)?|traducción)\b", re.IGNORECASE)
_EDITED = re.compile(r"\b(eds?|editors?|edited|hrsgg?|hgg?|herausg\w*|[eé]ds?|dir|coords?)\b", re.IGNORECASE)
_THESIS = re.compile(r"\b(thes[ie]s|dissertation|diss|thèse|tesis|habilitation\w*|diplomarbeit|magisterarbeit|masterarbeit|mémoire)\b", re.IGNORECASE)
_REPORT = re.compile(r"\b(reports?|rep|working papers?|discussion papers?|technical|arbeitspapier\w*|forschungsbericht\w*|rapport|informe|documento|document de travail|memorandum)\b", re.IGNORECASE)
_MEETING = re.compile(r"\b(conference|conf|workshop|symposium|symp|congress|congreso|tagung\w*|meeting|advances in neural|actes du|icml|cvpr|nips|acl)\b", re.IGNORECASE)
_PROCEEDINGS = re.compile(r"\b(?:proceedings|proc)\b", re.IGNORECASE)
# Journals that are called proceedings.
_JOURNAL_PROC = re.compile(
    r"^proc(?:eedings|\.)?(?: of)?(?: the)? (?:ieee|royal|r\.? soc|national acad|natl|nat\. acad|london|lond|camb|amer\. math|am\. math)", re.IGNORECASE
)
_STANDARD = re.compile(r"\b((?:ISO(?:/IEC)?|IEC|IEEE(?: Std\.?)?|DIN(?: EN)?|ANSI|RFC|ASTM|ITU-T|BS|EN)\s?(?:Std\.?\s?)?[A-Z]?[.\s]?\d[\d.:/-]*)")
_PAPER = re.compile(r"\b(times|zeitung|post|guardian|le monde|figaro|libération|el país|spiegel|die zeit|taz|tageszeitung|economist|herald|tribune|telegraph|observer|news|nzz|faz)\b", re.IGNORECASE)
_INNER_VOLUME = re.compile(r"\s*[:.,]?\s*(?:vol|volume|bd|band|tome|t)\b\.?\s*\w+\s*[:.]\s*", re.IGNORECASE)
_NUMBERED_REPORT = re.compile(
    r"\b(?:reports?|rep\.|working papers?|discussion papers?|arbeitspapiere?|informe|rapport)\s*(?:series\s*)?(?:no\.?|nr\.?|n°|#)?[\s,:(]*"
    r"((?:[A-Z]{1,8}[-/ ]?)*\d[\w./-]*)",
    re.IGNORECASE,
)
_BOTH_ENDS = " \t\n.,;:–—-/"
_QUOTES = "“”„«»\"‘’'‚‹›"
_ORDINALS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6", "zweite": "2", "dritte": "3", "vierte": "4"}


def fields_of(tokens: Tokens, labels: Sequence[str]) -> list[Field]:
    """Returns the fields of a reference, from left to right. Tokens between two fields that are
    labelled Other are in none."""
    fields: list[Field] = []
    first = 0
    for k in range(1, len(labels) + 1):
        if k == len(labels) or labels[k] != labels[first]:
            if labels[first] != OTHER:
                start, end = tokens.starts[first], tokens.ends[k - 1]
                fields.append(Field(labels[first], tokens.text[start:end], start, end))
            first = k
    return _joined(fields, tokens.text)


def _joined(fields: list[Field], text: str) -> list[Field]:
    """Joins neighbours with one label between which there is punctuation alone, except names; and
    the parts of a title in whose midst a volume stands (Handbook: Vol. 1. Models)."""
    made: list[Field] = []
    for field in fields:
        if made and made[-1].label == field.label and field.label not in ("Author", "Editor", "Identifier"):
            between = text[made[-1].end : field.start]
            if not any(c.isalnum() for c in between) and not ("(" in between and field.label in ("Volume", "Pages")):
                made[-1] = Field(field.label, text[made[-1].start : field.end], made[-1].start, field.end)
                continue
        if (
            len(made) > 1
            and (made[-2].label, made[-1].label, field.label) in (("Venue", "Volume", "Venue"), ("Title", "Volume", "Title"))
            and _INNER_VOLUME.fullmatch(text[made[-2].end : field.start])
        ):
            made[-2:] = [Field(field.label, text[made[-2].start : field.end], made[-2].start, field.end)]
            continue
        made.append(field)
    return made


def item_of(tokens: Tokens, fields: list[Field]) -> dict[str, Any]:
    """Returns a reference as CSL-JSON: type, names, titles, dates, numbers, identifiers."""
    text = tokens.text
    by: dict[str, list[Field]] = {}
    for field in fields:
        by.setdefault(field.label, []).append(field)
    item: dict[str, Any] = {}
    _put_people(item, by, text)
    _put_titles(item, by, text)
    _put_numbers(item, by, text)
    for label, name in (("Publisher", "publisher"), ("Location", "publisher-place"), ("Genre", "genre")):
        parts = [part for field in by.get(label, ()) if (part := _with_stop(_plain(field.text), field, text))]
        if parts:
            item[name] = "; ".join(dict.fromkeys(parts))
    # A book that the tagger takes for a container has no part of its own.
    if "title" not in item and "publisher" in item and not any(name in item for name in ("volume", "issue", "page")):
        if "container-title" in item:
            item["title"] = item.pop("container-title")
    _put_dates(item, by, text)
    _put_identifiers(item, text)
    item = {"type": _type_of(item, by, text), **item}
    _settle(item, text)
    return item


# ---- People


def _put_people(item: dict[str, Any], by: dict[str, list[Field]], text: str) -> None:
    for label in ("Author", "Editor"):
        for field in by.get(label, ()):
            role = label.lower()
            before, after = text[max(0, field.start - 40) : field.start], text[field.end : field.end + 20]
            if label == "Editor" and _TRANSLATED.search(re.split(r"[.;] ", before)[-1] + " | " + after) and not _EDITED.search(after):
                role = "translator"
            elif label == "Author" and not by.get("Editor") and _is_edited(after) and field is by["Author"][0]:
                role = "editor"
            # What the label leaves out after the names may say that there are others.
            names, others = names_of(field.text + _others_after(after))
            known = item.setdefault(role, [])
            known += [name for name in names if name not in known]
            if others:
                item.setdefault("custom", {})[role + "-others"] = True
    for role in ("author", "editor", "translator"):
        if role in item and not item[role]:
            del item[role]


def _others_after(after: str) -> str:
    match = re.match(r"[\s,;]*(?:et\s+al|u\.\s?a\.|and others)", after)
    return match.group() if match else ""


def _is_edited(after: str) -> bool:
    return re.match(r"[\s,.]*[(\[]\s*(?:eds?|hrsgg?|hgg?|herausg\w*|editors?|[ée]ds?|dirs?|coords?)\b|[\s]*,\s*(?:eds?|hrsg|hg|[ée]ds?)\.", after, re.IGNORECASE) is not None


# ---- Titles


def _title(text: str) -> str:
    """Returns a title without the quotation marks and the punctuation around it."""
    text = " ".join(text.split()).strip(" ,;:/–—-")
    while len(text) > 1 and text[0] in _QUOTES and (text[-1] in _QUOTES or not any(q in text[1:] for q in _QUOTES)):
        text = text[1:-1] if text[-1] in _QUOTES else text[1:]
        text = text.strip(" ,;:")
    for opening, closing in (("“", "”"), ("„", "“"), ("«", "»")):
        if text.endswith(closing) and opening not in text:
            text = text[:-1]
    if text.endswith(".") and not text.endswith("..") and not re.search(r"\b[^\W\d_](?:\.\s?[^\W\d_])*\.$", text):
        text = text[:-1]
    if text.endswith(")") and text.count("(") < text.count(")"):
        text = text[:-1]
    return text.strip(" ,;:")


def _plain(text: str) -> str:
    """Returns a name of a thing without punctuation around it; a full stop stays where it
    abbreviates."""
    text = " ".join(text.split()).strip(" ,;:/–—-" + _QUOTES)
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    if text.endswith(")") and "(" not in text:
        text = text[:-1]
    if text.startswith("(") and ")" not in text:
        text = text[1:]
    return text.strip(" ,;:")


def _put_titles(item: dict[str, Any], by: dict[str, list[Field]], text: str) -> None:
    titles = [title for field in by.get("Title", ()) if (title := _title(field.text))]
    if titles:
        item["title"] = titles[0]
    venues = [_with_stop(_title(field.text), field, text) for field in by.get("Venue", ())]
    venues = [venue for venue in venues if venue] + titles[1:2]
    if venues:
        item["container-title"] = venues[0]
    series = [part for field in by.get("Series", ()) if (part := _plain(field.text))]
    if series:
        match = re.fullmatch(r"(.*\D)[\s,;]+(?:no\.?|nr\.?|vol\.?|bd\.?|band)?\s*(\d+)", series[0], re.IGNORECASE)
        item["collection-title"] = match.group(1).strip(" ,;:(") if match else series[0]
        if match:
            item["collection-number"] = match.group(2)
    editions = [field.text for field in by.get("Edition", ())]
    if editions:
        words = re.findall(r"\w+", editions[0].lower())
        digits = re.search(r"\d+", editions[0])
        number = digits.group() if digits else next((_ORDINALS[w] for w in words if w in _ORDINALS), None)
        item["edition"] = number or _plain(editions[0])


def _with_stop(name: str, field: Field, text: str) -> str:
    """Returns a name with the full stop that ends an abbreviation and that the label may leave out:
    Phys. Rev. Lett., U.K., Univ."""
    last = name.split()[-1] if name else ""
    if last[-1:].isalpha() and (name + "." in field.text or text[field.end : field.end + 1] == "."):
        abbreviated = re.search(r"\w\w\.\s", name) or re.search(r"\w\.\s", name) and 1 < len(last) < 6
        if field.label == "Venue" and abbreviated or re.search(r"\b\w\.\w$", last):
            return name + "."
    if name.count("(") > name.count(")") and text[field.end : field.end + 1] == ")":
        return name + ")"
    return name


# ---- Numbers


def _number(text: str) -> str:
    return text.strip(_BOTH_ENDS + "()[]").strip()


def _put_numbers(item: dict[str, Any], by: dict[str, list[Field]], text: str) -> None:
    for label, name in (("Volume", "volume"), ("Issue", "issue")):
        values = [value for field in by.get(label, ()) if (value := _number(field.text))]
        if values:
            value = re.sub(r"^(?:vols?|volume|bd|band|no|nr|num|issue|heft|h|jg|tome?|t)\b[.:]?\s*", "", values[0], flags=re.IGNORECASE)
            value = re.sub(r"[.,]?\s*(?:jg|jahrgang|jhg|vols?|bd|bde)\.?$", "", value, flags=re.IGNORECASE)
            item[name] = value.replace("–", "-") or values[0]
    volume = item.get("volume", "")
    both = re.fullmatch(r"(\S+?)\s?\(([^()]+)\)", volume)
    if both and "issue" not in item:
        item["volume"], item["issue"] = both.groups()
    # The section of a journal may stand at the volume: Phys. Lett. B716 is volume 716 of B.
    section = re.fullmatch(r"([A-H])\s?(\d{1,4})", item.get("volume", ""))
    venue = item.get("container-title", "")
    if section and venue and not re.search(r"\s[A-H]$", venue):
        item["container-title"], item["volume"] = venue + " " + section.group(1), section.group(2)
    pages = [value for field in by.get("Pages", ()) if (value := _pages(field.text))]
    if pages:
        item["page"] = ", ".join(dict.fromkeys(pages))


def _pages(text: str) -> str:
    """Returns page numbers with hyphens, and the last page in full: 737–8 becomes 737-738."""
    text = re.sub(r"\s*(?:[-–—‐‑−]{1,3}|\bbis\b)\s*", "-", " ".join(text.split()))
    text = re.sub(r"^(?:pp?|pages?|ss?|seiten?|págs?|art(?:icle|\.)?(?: (?:no|id)\.?)?)\b[.:]?\s*", "", text, flags=re.IGNORECASE)
    text = text.strip(" .,;:()[]-")
    text = re.sub(r"\s*(?:pp?|pages?|s)\.?$", "", text, flags=re.IGNORECASE) if re.match(r"[\d-]+\s*\w+\.?$", text) else text

    def whole(match: re.Match[str]) -> str:
        letter, first, last = match.groups()
        if len(last) < len(first):
            last = first[: len(first) - len(last)] + last
        return "%s%s-%s%s" % (letter, first, letter, last)

    return re.sub(r"(?<![\w-])([A-Za-z]?)(\d+)-\1?(\d+)(?![\w-])", whole, text)


# ---- Dates and identifiers


def _put_dates(item: dict[str, Any], by: dict[str, list[Field]], text: str) -> None:
    dates = [field.text for field in by.get("Date", ())]
    found = [date for date in map(date_of, dates) if date]
    with_year = [date for date in found if "date-parts" in date]
    if with_year:
        # (2019) ... March 22: the fullest of those of one year.
        year = with_year[0]["date-parts"][0][0]
        same = [d for d in with_year if d["date-parts"][0][0] == year]
        item["issued"] = max(same, key=lambda date: len(date["date-parts"][0]))
        letter = next((letter for d in dates if (letter := year_and_letter(d)[1])), "")
        if letter:
            item.setdefault("custom", {})["year-suffix"] = letter
        if len(dates) > 1 and len(item["issued"]["date-parts"][0]) == 1:
            whole = date_of(" ".join(d for d in dates if not re.search(r"\d{4}", d)) + " %d" % year)
            if whole and len(whole["date-parts"]) == 1 and len(item["issued"]["date-parts"]) == 1:
                item["issued"] = whole
        for first, again in filter(None, map(reprint_of, dates)):
            item["original-date"], item["issued"] = {"date-parts": [[first]]}, {"date-parts": [[again]]}
    else:
        # A full stop at the end, as of "n.d.", is in the text, but not in the field.
        status = status_of(text) or (found[0] if found else None)
        if status:
            item["issued"] = status
    accessed = accessed_of(text)
    if accessed:
        item["accessed"] = accessed


def _put_identifiers(item: dict[str, Any], text: str) -> None:
    for found in identifiers_of(text):
        if found.kind in ("DOI", "URL", "ISBN", "ISSN", "PMID", "PMCID"):
            item.setdefault(found.kind, found.value)
        elif found.kind == "arXiv":
            item.setdefault("custom", {}).setdefault("arXiv", found.value)
            item.setdefault("number", "arXiv:" + found.value)


# ---- Types


def _type_of(item: dict[str, Any], by: dict[str, list[Field]], text: str) -> str:
    genre, venue = item.get("genre", ""), item.get("container-title", "")
    bound = item.get("volume") or item.get("page")  # as a part of something that appears in volumes
    if _THESIS.search(genre) or not venue and _THESIS.search(text) and not _THESIS.search(item.get("title", "")):
        return "thesis"
    standard = _STANDARD.search(text)
    if standard and not bound and (venue in standard.group() or standard.group() in venue):
        return "standard"
    if not bound and (_REPORT.search(genre) or _NUMBERED_REPORT.search(text) and "title" in item and not _REPORT.search(item["title"])):
        return "report"
    if venue:
        if _MEETING.search(venue) or _PROCEEDINGS.search(venue) and not _JOURNAL_PROC.search(venue):
            return "paper-conference"
        day = len(item.get("issued", {}).get("date-parts", [[0]])[0]) == 3
        if _PAPER.search(venue) and not item.get("volume") and (day or "URL" in item):
            return "article-newspaper"
        if "title" in item and ("editor" in item or item.get("publisher") and not (item.get("volume") and item.get("issue")) or _in_before(by, text)):
            return "chapter"
        if bound or item.get("issue") or "DOI" in item or "URL" not in item:
            return "article-journal"
        return "webpage"
    if "arXiv" in item.get("custom", {}):
        return "article"
    if item.get("publisher"):
        return "chapter" if item.get("page") and "editor" in item and "author" in item else "book"
    if "URL" in item and not item.get("editor"):
        return "webpage"
    if item.get("volume") and item.get("page"):
        return "article-journal"
    return "book" if item.get("publisher-place") or "ISBN" in item or "edition" in item else "document"


def _in_before(by: dict[str, list[Field]], text: str) -> bool:
    return any(
        re.search(r"(?:^|[\s.,“”\"»])(?:in|dans|en)\s*:?\s*[“„«]?\s*$", text[max(0, field.start - 12) : field.start], re.IGNORECASE)
        for field in by.get("Venue", ())
    )


def _settle(item: dict[str, Any], text: str) -> None:
    """Puts the numbers and the bodies of reports and standards where these have them."""
    kind = item["type"]
    if kind == "report":
        if "issue" in item:
            item["number"] = item.pop("issue")
        elif found := _NUMBERED_REPORT.search(text):
            item["number"] = found.group(1).rstrip(".-/")
        if _REPORT.search(item.get("container-title", "")):
            item.setdefault("genre", item.pop("container-title"))
        if "container-title" in item and "publisher" not in item:
            item["publisher"] = item.pop("container-title")
    elif kind == "standard":
        found = _STANDARD.search(text)
        assert found is not None
        item["number"] = found.group(1).rstrip(".:/- ")
        if "title" in item:
            item["title"] = re.sub(r"\s*\(%s\)?$" % re.escape(item["number"]), "", item["title"])
        for name in ("container-title", "publisher"):
            if name in item and (item["number"] in item[name] or item[name] in item["number"]):
                del item[name]
        if item.get("issue", "") in item["number"]:
            item.pop("issue", None)
