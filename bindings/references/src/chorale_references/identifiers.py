"""Finds DOIs, arXiv numbers, ISBNs, ISSNs, PMIDs and addresses in a text, by their form alone."""

from __future__ import annotations

import re
from typing import NamedTuple

_FORMS = [
    ("URL", re.compile(r"(?:https?|ftp)://[^\s<>\"“”«»]+|\bwww\.[^\s<>\"“”«»]+", re.IGNORECASE)),
    ("DOI", re.compile(r"(?:\bdoi\s?[:.]?\s?)?(10\.\d{4,9}/[^\s<>\"“”]+)", re.IGNORECASE)),
    ("arXiv", re.compile(r"(?:\barxiv\s?[:;.]?\s?|\bCoRR\s?,?\s?abs/)((?:[a-z-]+(?:\.[A-Z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?)(?:\s?\[[\w.-]+\])?", re.IGNORECASE)),
    ("arXiv", re.compile(r"\b((?:hep-(?:th|ph|ex|lat)|astro-ph|gr-qc|cond-mat|quant-ph|nucl-(?:th|ex)|math-ph|math|physics|cs|nlin)(?:\.[A-Z]{2})?/\d{7}(?:v\d+)?)")),
    ("ISBN", re.compile(r"\bISBN(?:-1[03])?[:\s]*((?:97[89][- ]?)?(?:\d[- ]?){9}[\dXx])\b", re.IGNORECASE)),
    ("ISSN", re.compile(r"\bISSN[:\s]*(\d{4}-\d{3}[\dXx])\b", re.IGNORECASE)),
    ("PMCID", re.compile(r"\bPMCID[:\s]*(PMC\d{5,8})\b", re.IGNORECASE)),
    ("PMID", re.compile(r"\b(?:PubMed\s+)?PMID[:\s]*(\d{5,8})\b", re.IGNORECASE)),
]


class Identifier(NamedTuple):
    """kind: DOI, URL, ...; value; start, end: its place in the text, with a word before it such as
    "doi:"."""

    kind: str
    value: str
    start: int
    end: int


def identifiers_of(text: str) -> list[Identifier]:
    """Returns all identifiers of a text, from left to right.

    >>> [(i.kind, i.value) for i in identifiers_of("doi: 10.1038/171737a0. arXiv:1412.6980")]
    [('DOI', '10.1038/171737a0'), ('arXiv', '1412.6980')]
    """
    found: list[Identifier] = []
    for kind, form in _FORMS:
        for match in form.finditer(text):
            value = match.group(match.lastindex or 0)
            kept = _trimmed(value)
            start, end = match.start(), match.end() - (len(value) - len(kept)) if match.end(match.lastindex or 0) == match.end() else match.end()
            if kept and not any(start < other.end and other.start < end for other in found):
                found.append(Identifier(kind, kept, start, end))
    return sorted((_of_address(i) for i in found), key=lambda i: i.start)


def _trimmed(value: str) -> str:
    """Returns an identifier without the punctuation of the sentence that it stands in."""
    while value and (value[-1] in ".,;:'’”\"»" or value[-1] in ")]}>" and value.count(value[-1]) > value.count("([{<"[")]}>".index(value[-1])])):
        value = value[:-1]
    return value


def _of_address(found: Identifier) -> Identifier:
    """Returns a DOI or an arXiv number for an address that says no more."""
    if found.kind != "URL":
        return found
    doi = re.fullmatch(r"https?://(?:dx\.|www\.)?doi\.org/(10\.\d{4,9}/.+)", found.value, re.IGNORECASE)
    if doi:
        return found._replace(kind="DOI", value=doi.group(1))
    return found
