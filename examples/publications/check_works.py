#!/usr/bin/env python3
"""Checks the facts about publications: a file of CSL-JSON, by default data/works.json.

    check_works.py [--quiet] [--online [--resolver URL]] [FILE]

Without --online only the file is read. Checked are its schema, types, identifiers with their check
digits, page ranges, years, and how many works there are of each type and in languages other than
English. With --online every DOI is also looked up at the resolver, and title, year, volume, first
page and first author are compared with the record registered there.

Prints a line for each fault, then the counts. Exit status: 0 without faults; 1 with faults; 2 for
wrong usage, an unreadable file or, with --online, a resolver that cannot be reached (the DOIs are
then not verified).
"""
import argparse
import collections
import datetime
import difflib
import json
import pathlib
import re
import sys
import unicodedata
import urllib.error
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
LEAST_WORKS = 170
LEAST_NOT_ENGLISH = 25
LEAST_OF_TYPE = {"article-journal": 60, "book": 40, "chapter": 15, "thesis": 10, "paper-conference": 40}
LANGUAGES = {"en", "de", "fr", "es", "it", "pt", "ru"}
EARLIEST_YEAR = 1800

STRINGS = {"title", "container-title", "collection-title", "collection-number", "edition", "volume", "number-of-volumes",
           "issue", "page", "publisher", "publisher-place", "genre", "event-title", "event-place", "DOI", "ISBN", "URL"}
FIELDS = STRINGS | {"id", "type", "language", "author", "editor", "issued"}
NAME_PARTS = {"family", "given", "suffix", "dropping-particle", "non-dropping-particle"}
NEEDED = {  # fields that a type needs besides those that every work needs
    "article-journal": {"author", "container-title"},
    "book": {"publisher"},
    "chapter": {"author", "container-title", "publisher"},
    "thesis": {"author", "genre", "publisher"},
    "paper-conference": {"author", "container-title"},
}


def isbn13(isbn):
    """Returns the ISBN as thirteen digits, or None if its form or its check digit is wrong."""
    digits = isbn.replace("-", "")
    if re.fullmatch(r"[0-9]{9}[0-9X]", digits):
        total = sum((10 - i) * (10 if c == "X" else int(c)) for i, c in enumerate(digits))
        if total % 11:
            return None
        first = "978" + digits[:9]
        return first + str(-sum(int(c) * (3 if i % 2 else 1) for i, c in enumerate(first)) % 10)
    if re.fullmatch(r"97[89][0-9]{10}", digits):
        return None if sum(int(c) * (3 if i % 2 else 1) for i, c in enumerate(digits)) % 10 else digits
    return None


def string_faults(where, text):
    if not isinstance(text, str):
        return [f"{where} is not a string"]
    faults = []
    if not text or text != text.strip() or "  " in text:
        faults.append(f"{where} is empty, or has spaces at an end or in a row")
    if text != unicodedata.normalize("NFC", text):
        faults.append(f"{where} is not in NFC")
    if any(unicodedata.category(c) == "Cc" for c in text):
        faults.append(f"{where} has a control character")
    return faults


def name_faults(where, names):
    if not isinstance(names, list) or not names:
        return [f"{where} is not a list of names"]
    faults = []
    for i, name in enumerate(names):
        at = f"{where}[{i}]"
        if not isinstance(name, dict) or not {"family", "given"} <= name.keys() <= NAME_PARTS:
            faults.append(f"{at} is not a name with family, given and perhaps a suffix and particles")
            continue
        for part, text in name.items():
            faults += string_faults(f"{at}.{part}", text)
    if not faults and len({json.dumps(n, sort_keys=True) for n in names}) < len(names):
        faults.append(f"{where} names somebody twice")
    return faults


def date_faults(issued):
    parts = issued.get("date-parts") if isinstance(issued, dict) and len(issued) == 1 else None
    if not (isinstance(parts, list) and len(parts) == 1 and isinstance(parts[0], list) and 1 <= len(parts[0]) <= 3
            and all(type(p) is int for p in parts[0])):
        return ["issued is not one date of one to three integers"]
    try:
        date = datetime.date(*(parts[0] + [1, 1])[:3])
    except ValueError:
        return [f"issued is no date: {parts[0]}"]
    return [] if EARLIEST_YEAR <= date.year <= datetime.date.today().year else [f"issued in {date.year}"]


def page_faults(page):
    if re.fullmatch(r"e?[0-9]+", page):  # one page, or an article number
        return []
    ends = re.fullmatch(r"([0-9]+)-([0-9]+)", page)
    if not ends:
        return [f"page {page!r} is neither a number nor a range"]
    return [] if int(ends[1]) < int(ends[2]) else [f"page range {page} does not ascend"]


def identifier_faults(work):
    faults = []
    if not work.keys() & {"DOI", "ISBN", "URL"}:
        faults.append("no identifier: neither DOI nor ISBN nor URL")
    if "DOI" in work and not re.fullmatch(r"10\.[0-9]{4,9}/[!-~]+", work["DOI"]):
        faults.append(f"DOI {work['DOI']!r} is not 10.NUMBER/NAME")
    if "ISBN" in work and isbn13(work["ISBN"]) is None:
        faults.append(f"ISBN {work['ISBN']!r} has a wrong form or check digit")
    if "URL" in work and not re.fullmatch(r"https?://[a-z0-9.-]+\.[a-z]+/[!-~]+", work["URL"]):
        faults.append(f"URL {work['URL']!r} is not the address of a page")
    return faults


def work_faults(work):
    """Returns the faults of one work by itself."""
    faults = [f"unknown field {field}" for field in sorted(work.keys() - FIELDS)]
    kind = work.get("type")
    if not isinstance(kind, str) or kind not in LEAST_OF_TYPE:
        return faults + [f"type {kind!r} is none of {', '.join(LEAST_OF_TYPE)}"]
    faults += [f"no {field}" for field in sorted(({"title", "language", "issued"} | NEEDED[kind]) - work.keys())]
    if not work.keys() & {"author", "editor"}:
        faults.append("neither author nor editor")
    for field in sorted(STRINGS & work.keys()):
        faults += string_faults(field, work[field])
    if faults:  # the checks below rely on fields that are strings
        return faults
    if work["language"] not in LANGUAGES:
        faults.append(f"language {work['language']!r} is none of {', '.join(sorted(LANGUAGES))}")
    for field in sorted({"author", "editor"} & work.keys()):
        faults += name_faults(field, work[field])
    faults += date_faults(work["issued"]) + identifier_faults(work)
    if "page" in work:
        faults += page_faults(work["page"])
    for field in sorted({"edition", "number-of-volumes", "collection-number"} & work.keys()):
        if not re.fullmatch(r"[1-9][0-9]*", work[field]):
            faults.append(f"{field} {work[field]!r} is not a number")
    return faults


def identifiers(work):
    """Returns (kind, value) pairs that no other work may have. The ISBN of a chapter is that of its
    book, so other chapters may have it."""
    found = [("id", work["id"])]
    if isinstance(work.get("DOI"), str):
        found.append(("DOI", work["DOI"].lower()))
    if isinstance(work.get("URL"), str):
        found.append(("URL", re.sub(r"^https?://", "", work["URL"]).rstrip("/")))
    if work.get("type") != "chapter" and isinstance(work.get("ISBN"), str):
        found.append(("ISBN", isbn13(work["ISBN"]) or work["ISBN"]))
    if isinstance(work.get("title"), str):
        found.append(("type, title and year", json.dumps([work.get("type"), work["title"].lower(), work.get("issued")])))
    return found


def check(works, least_works=LEAST_WORKS, least_of_type=LEAST_OF_TYPE, least_not_english=LEAST_NOT_ENGLISH):
    """Returns the faults of a whole list, as lines; none if the list is empty."""
    if not isinstance(works, list):
        return ["not a list of works"]
    faults, owner = [], {}
    for i, work in enumerate(works):
        if not isinstance(work, dict) or not isinstance(work.get("id"), str) \
                or not re.fullmatch(r"[a-z][a-z0-9]*", work["id"]):
            faults.append(f"work {i}: no id of small letters and digits")
            continue
        faults += [f"{work['id']}: {fault}" for fault in work_faults(work)]
        for kind, value in identifiers(work):
            first = owner.setdefault((kind, value), i)
            if first != i:
                faults.append(f"{work['id']}: has the {kind} of work {first}, {works[first]['id']}")
    if faults:
        return faults
    types = collections.Counter(work["type"] for work in works)
    others = sum(work["language"] != "en" for work in works)
    if len(works) < least_works:
        faults.append(f"{len(works)} works; at least {least_works} wanted")
    faults += [f"{types[kind]} works of type {kind}; at least {least} wanted"
               for kind, least in least_of_type.items() if types[kind] < least]
    if others < least_not_english:
        faults.append(f"{others} works in other languages than English; at least {least_not_english} wanted")
    return faults


def plain(text):
    """Returns only letters and digits, without accents and marks, so that two spellings of a title
    can be compared."""
    text = re.sub(r"<[^<>]*>", "", text)  # registered titles carry mark-up
    text = unicodedata.normalize("NFKD", text.casefold())
    return re.sub(r"\W+", " ", "".join(c for c in text if not unicodedata.combining(c))).strip()


def first_text(value):
    return (value[0] if value else "") if isinstance(value, list) else str(value or "")


def disagreements(work, registered):
    """Returns where a work and the record registered for its DOI (CSL-JSON) differ. Fields that the
    record does not have are not compared."""
    found = []
    ours, theirs = plain(work["title"]), plain(first_text(registered.get("title")))
    # Some records have the title without its subtitle, or the reverse.
    if theirs and not (ours.startswith(theirs) or theirs.startswith(ours)) \
            and difflib.SequenceMatcher(None, ours, theirs).ratio() < 0.85:
        found.append(f"title {first_text(registered.get('title'))!r}")
    years = {registered[field]["date-parts"][0][0] for field in ("issued", "published-print", "published-online")
             if (registered.get(field) or {}).get("date-parts", [[None]])[0][:1] not in ([], [None])}
    if years and work["issued"]["date-parts"][0][0] not in years:
        found.append("year " + "/".join(str(year) for year in sorted(years)))
    if work["type"] == "article-journal":
        for field in ("volume", "issue"):
            if work.get(field) and registered.get(field) and plain(work[field]) != plain(str(registered[field])):
                found.append(f"{field} {registered[field]}")
    if work.get("page") and registered.get("page") and work["page"].split("-")[0] != re.split("[-–]", registered["page"])[0]:
        found.append(f"page {registered['page']}")
    names = registered.get("author") or []
    if work.get("author") and names and names[0].get("family"):
        ours, theirs = plain(work["author"][0]["family"]), plain(names[0]["family"])
        if ours not in theirs and theirs not in ours:
            found.append(f"first author {names[0]['family']}")
    return found


def look_up(doi, resolver):
    """Returns the record registered for a DOI, or None if there is none. Raises OSError if the
    resolver cannot be reached."""
    request = urllib.request.Request(f"{resolver}/{urllib.parse.quote(doi, safe='/')}",
                                     headers={"Accept": "application/vnd.citationstyles.csl+json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code in (404, 410):
            return None
        raise
    except ValueError as error:
        raise OSError(f"the answer for {doi} is not JSON: {error}") from error


def check_online(works, resolver):
    faults = []
    for work in works:
        if "DOI" in work:
            registered = look_up(work["DOI"], resolver)
            if registered is None:
                faults.append(f"{work['id']}: DOI {work['DOI']} is not registered")
            else:
                faults += [f"{work['id']}: registered with {what}" for what in disagreements(work, registered)]
    return faults


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=pathlib.Path, default=HERE / "data/works.json")
    parser.add_argument("--quiet", action="store_true", help="faults only, no counts")
    parser.add_argument("--online", action="store_true", help="also compare every DOI with what is registered for it")
    parser.add_argument("--resolver", default="https://doi.org", help="where --online looks DOIs up (%(default)s)")
    options = parser.parse_args(arguments)
    try:
        works = json.loads(options.file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        print(f"{options.file}: {error}", file=sys.stderr)
        return 2
    faults = check(works)
    if options.online and not faults:
        try:
            faults = check_online(works, options.resolver.rstrip("/"))
        except OSError as error:
            print(f"{options.resolver}: {error}; the DOIs are not verified", file=sys.stderr)
            return 2
    for fault in faults:
        print(fault)
    if not options.quiet and isinstance(works, list):
        types = collections.Counter(str(work.get("type")) for work in works if isinstance(work, dict))
        languages = collections.Counter(str(work.get("language")) for work in works if isinstance(work, dict))
        print(f"{len(works)} works: " + ", ".join(f"{n} {kind}" for kind, n in types.most_common()))
        print("languages: " + ", ".join(f"{n} {language}" for language, n in languages.most_common()))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
