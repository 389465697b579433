"""Reads dates as CSL-JSON has them: {"date-parts": [[year, month, day], [...]]} or {"literal": ...}."""

from __future__ import annotations

import re
from typing import Any

from .words import WORDS

_MONTH_OF = {name: number for number, names in enumerate(WORDS["months"], 1) for name in names}
_SEASONS = WORDS["seasons"]
_YEAR = re.compile(r"(?<!\d)((?:1[4-9]|20)\d\d)(?:\s?([a-h])(?![^\W_]))?(?!\d)")
_RANGE = re.compile(r"(?<!\d)((?:1[4-9]|20)\d\d)\s?(?:[-–—/]|bis|to)\s?((?:(?:1[4-9]|20)\d\d)|\d\d)(?!\d|[-./])")
_ISO = re.compile(r"(?<!\d)((?:1[4-9]|20)\d\d)[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?!\d)")
_DOTTED = re.compile(r"(?<!\d)(\d{1,2})[./](\d{1,2})[./]((?:19|20)\d\d)(?!\d)")
# 1904/1984, [1867] 1962 or 1922 [1980], with or without the brackets at the edges.
_REPRINT = re.compile(r"(?<!\d)((?:1[4-9]|20)\d\d)\s?[\[\]/]\s?((?:1[4-9]|20)\d\d)(?!\d)")
STATUS = re.compile(
    r"\b(in press|forthcoming|im (?:druck|erscheinen)|i\. ?e\.|sous presse|à paraître|en prensa|to appear|in preparation|"
    r"in vorbereitung|submitted|accepted)\b",
    re.IGNORECASE,
)
_UNDATED = re.compile(r"(?<![^\W_])(n\. ?d\.?|o\. ?j\.?|s\. ?d\.?|s\. ?f\.?)(?![^\W_])", re.IGNORECASE)
_ACCESSED = re.compile(
    r"\b(?:retrieved|accessed|last visited|visited|abgerufen|zugriff|letzter zugriff|consulté|consultado|stand|cited|am|on|le|el)"
    r"(?:\s+(?:am|on|le|el|den))?\s*:?\s*([^()\[\]]{6,30}?(?:19|20)\d\d|(?:19|20)\d\d\s[^\W\d_]{3,9}\.?\s\d{1,2}|[\d./-]{8,10})",
    re.IGNORECASE,
)


def year_and_letter(text: str) -> tuple[int | None, str]:
    """Returns the first year of a text, and the letter that tells it from others of the year."""
    match = _YEAR.search(text)
    return (int(match.group(1)), match.group(2) or "") if match else (None, "")


def date_of(text: str) -> dict[str, Any] | None:
    """Returns a date; None if the text has none.

    >>> date_of("2019, March 22")
    {'date-parts': [[2019, 3, 22]]}
    >>> date_of("1999–2001")
    {'date-parts': [[1999], [2001]]}
    """
    text = " ".join(text.split())
    dotted = _DOTTED.search(text)
    if dotted:
        day, month, year = (int(part) for part in dotted.groups())
        if month > 12:
            day, month = month, day
        return {"date-parts": [[year, month, day] if 1 <= month <= 12 and 1 <= day <= 31 else [year]]}
    span = _RANGE.search(text)
    if span:
        first = int(span.group(1))
        last = int(span.group(2)) if len(span.group(2)) == 4 else first // 100 * 100 + int(span.group(2))
        # 1999-06 may also be a month.
        if last > first and not (len(span.group(2)) == 2 and "-" in span.group() and int(span.group(2)) <= 12):
            return {"date-parts": [[first], [last]]}
    iso = _ISO.search(text)
    if iso and 1 <= int(iso.group(2)) <= 12:
        parts = [int(part) for part in iso.groups() if part]
        return {"date-parts": [parts]}
    match = _YEAR.search(text)
    if match is None:
        return status_of(text)
    year = int(match.group(1))
    rest = text[: match.start()] + " " + text[match.end() :]
    words = [word.lower() for word in re.findall(r"[^\W\d_]+", rest)]
    months = [_MONTH_OF[word] for word in words if word in _MONTH_OF]
    if not months:
        season = next((_SEASONS[word] for word in words if word in _SEASONS), None)
        return {"date-parts": [[year]], "season": season} if season else {"date-parts": [[year]]}
    days = [int(d) for d in re.findall(r"(?<!\d)(\d{1,2})(?!\d)", rest) if 1 <= int(d) <= 31]
    if len(months) > 1:
        return {"date-parts": [[year, months[0]], [year, months[1]]]}
    if len(days) > 1 and re.search(r"\d\s?[-–]\s?\d", rest):
        return {"date-parts": [[year, months[0], days[0]], [year, months[0], days[1]]]}
    return {"date-parts": [[year, months[0], *days[:1]]]}


def status_of(text: str) -> dict[str, Any] | None:
    """Returns what a reference without a year says in place of a date: in press, n.d."""
    match = STATUS.search(text) or _UNDATED.search(text)
    return {"literal": match.group(1)} if match else None


def reprint_of(text: str) -> tuple[int, int] | None:
    """Returns the years in which a work appeared first and again, if a date has both.

    >>> reprint_of("[1867] 1962"), reprint_of("2004/05")
    ((1867, 1962), None)
    """
    match = _REPRINT.search(text)
    years = sorted(map(int, match.groups())) if match else [0, 0]
    return (years[0], years[1]) if years[1] - years[0] > 1 else None


def accessed_of(text: str) -> dict[str, Any] | None:
    """Returns when an address was looked at, if the text says so."""
    match = _ACCESSED.search(text)
    date = date_of(match.group(1)) if match else None
    return date if date and "date-parts" in date and len(date["date-parts"][0]) == 3 else None
