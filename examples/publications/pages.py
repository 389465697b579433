"""Reads publication pages from pages.txt, and makes the features that a tagger sees of a record."""

import pathlib
import re
import unicodedata
from typing import NamedTuple

OTHER = "Other"


class Record(NamedTuple):
    page: str  # the style
    shelf: int
    work: str
    tokens: list[str]
    labels: list[str]
    spaces: list[str]  # by token: the white space before it, "" or " "


def read_pages(path: pathlib.Path) -> list[Record]:
    """Returns all records, page after page (format: make_pages.py)."""
    records: list[Record] = []
    page, shelf = "", 0
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if line.startswith("# page ") and "\t" in line:
            page, shelf = line[7:].split("\t")[0], int(line.split("\t")[1])
        elif line.startswith("# record ") and "\t" not in line:
            records.append(Record(page, shelf, line[9:], [], [], []))
        elif line and not (line.startswith("# ") and "\t" not in line):
            fields = line.split("\t")
            if len(fields) != 3 or not records:
                raise ValueError("%s:%d: not a token, its label and its space" % (path, number))
            records[-1].tokens.append(fields[0])
            records[-1].labels.append(fields[1])
            records[-1].spaces.append(" " if fields[2] == "1" else "")
    return records


def normal_spacing(tokens: list[str], spaces: list) -> str:
    """Returns the text of a record, with one blank for each white space."""
    return "".join((" " if space else "") + token for token, space in zip(tokens, spaces)).strip()


# ---- Features -----------------------------------------------------------------------------------------------------


def shape_of(token: str) -> str:
    """Returns the shape of a token, such as Xx99; runs of more than two of a kind are cut to
    two."""
    kinds = "".join("X" if c.isupper() else "x" if c.isalpha() else "9" if c.isdigit() else c for c in token)
    return re.sub(r"(.)\1{2,}", r"\1\1", kinds)


def kind_of(token: str) -> str:
    if not any(c.isalnum() for c in token):
        category = unicodedata.category(token[0])
        return {"Ps": "open", "Pe": "close", "Pi": "open-quote", "Pf": "close-quote", "Pd": "dash"}.get(
            category, "punctuation")
    if token.isdigit():
        return "year" if re.fullmatch(r"1[6-9]\d\d|20[0-2]\d", token) else "digits%d" % min(len(token), 5)
    if any(c.isdigit() for c in token):
        return "mixed"
    if len(token) == 1:
        return "initial" if token.isupper() else "letter"
    if token.isupper():
        return "capitals" if len(token) > 3 else "few-capitals"
    return "capitalised" if token[0].isupper() else "lower" if token.islower() else "camel"


def features_of(record: Record) -> list[list[str]]:
    """Returns the attributes of every position: of the word, its form, its beginning and end, and
    its place in the record, and of the words beside it."""
    tokens = record.tokens
    alone = []
    for token, space in zip(tokens, record.spaces):
        lower = token.lower()
        alone.append({"w": lower, "s": shape_of(token), "k": kind_of(token), "g": "1" if space else "0"})
    rows = []
    for t, token in enumerate(tokens):
        here = alone[t]
        row = ["bias", "W=" + token, "w=" + here["w"], "s=" + here["s"], "k=" + here["k"], "g=" + here["g"],
               "at=%d" % min(t, 4), "end=%d" % min(len(tokens) - 1 - t, 4), "part=%d" % (5 * t // len(tokens))]
        for n in (1, 2, 3, 4):
            if len(token) > n:
                row += ["p%d=%s" % (n, here["w"][:n]), "q%d=%s" % (n, here["w"][-n:])]
        for d in (-2, -1, 1, 2):
            if 0 <= t + d < len(tokens):
                there = alone[t + d]
                row += ["w%+d=%s" % (d, there["w"]), "s%+d=%s" % (d, there["s"]), "k%+d=%s" % (d, there["k"]),
                        "g%+d=%s" % (d, there["g"])]
            else:
                row.append("none%+d" % d)
        for d in (-1, 0):
            if 0 <= t + d and t + d + 1 < len(tokens):
                a, b = alone[t + d], alone[t + d + 1]
                row += ["ww%+d=%s|%s" % (d, a["w"], b["w"]), "kk%+d=%s|%s" % (d, a["k"], b["k"])]
        rows.append(row)
    return rows
