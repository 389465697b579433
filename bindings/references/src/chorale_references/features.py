"""What the tagger sees of a reference: for each token a list of attributes, which are texts.

Attributes describe the token and its neighbours (word, shape, kind, beginning and end, the kind of
the gazetteer, classes of keywords such as "eds" or "Hrsg"), the *chunk* around it (the characters
between white space, such as 12(3):45-67), the *stretch* around it (the tokens between strong
punctuation), and what came before: quotation marks, brackets, a year, "In".
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Sequence

from .words import WORDS

# Words that say which field they stand in or beside, by class.
_CLASSES = [(name, re.compile("|".join(words))) for name, words in WORDS["keywords"].items()]
_YEAR = re.compile(r"(1[5-9]|20)\d\d[a-z]?")
_STRETCH_ENDS = frozenset(',.;:()[]"“”„«»?!')
_QUOTES_OPEN, _QUOTES_CLOSE = frozenset("“„«‘‹"), frozenset("”»’›")
_NEAR, _FAR = (-2, -1, 1, 2), (-3, 3)  # neighbours seen wholly, and in part


def shape_of(token: str) -> str:
    """Returns the shape of a token, such as Xx99; runs of more than two of a kind are cut to
    two."""
    kinds = "".join(
        "X" if c.isupper() else "x" if c.isalpha() else "9" if c.isdigit() else c for c in token[:24]
    )
    return re.sub(r"(.)\1{2,}", r"\1\1", kinds)


def kind_of(token: str) -> str:
    """Returns the kind of a token, such as "year", "initial" or "lower"."""
    if not any(c.isalnum() for c in token):
        names = {"Ps": "(", "Pe": ")", "Pi": "<", "Pf": ">", "Pd": "-"}
        return names.get(unicodedata.category(token[0]), token[0])
    if token.isdigit():
        return "year" if _YEAR.fullmatch(token) else "n%d" % min(len(token), 5)
    if any(c.isdigit() for c in token):
        return "mixed"
    if len(token) == 1:
        return "initial" if token.isupper() else "letter"
    if token.isupper():
        return "CAPS" if len(token) > 3 else "CA"
    return "Cap" if token[0].isupper() else "lower" if token.islower() else "camel"


class _Form:
    """What is the same wherever a token stands. own, near, far: its attributes for itself and, by
    distance, for its neighbours."""

    __slots__ = ("lower", "shape", "kind", "classes", "own", "beside", "year")

    def __init__(self, token: str) -> None:
        lower = self.lower = unicodedata.normalize("NFKC", token[:40]).lower()
        shape = self.shape = shape_of(token)
        kind = self.kind = kind_of(token)
        self.classes = [name for name, pattern in _CLASSES if pattern.fullmatch(lower)]
        self.year = bool(_YEAR.fullmatch(token))
        own = ["W=" + token[:40], "w=" + lower, "s=" + shape, "k=" + kind]
        for n in (1, 2, 3, 4):
            if len(lower) > n:
                own += ["p%d=%s" % (n, lower[:n]), "q%d=%s" % (n, lower[-n:])]
        own += ["K=" + name for name in self.classes]
        self.own = tuple(own)
        self.beside = {}
        for d in _NEAR:
            seen = ["w%+d=%s" % (d, lower), "s%+d=%s" % (d, shape), "k%+d=%s" % (d, kind)]
            self.beside[d] = tuple(seen + ["K%+d=%s" % (d, name) for name in self.classes])
        for d in _FAR:
            seen = ["w%+d=%s" % (d, lower), "k%+d=%s" % (d, kind)]
            self.beside[d] = tuple(seen + ["K%+d=%s" % (d, name) for name in self.classes])


_form = functools.lru_cache(maxsize=1 << 14)(_Form)


@functools.lru_cache(maxsize=1 << 15)
def _chunk_shape(chunk: str) -> str:
    shape = re.sub(r"\d+", "9", re.sub(r"[^\W\d_]+", "x", chunk[:60]))
    return shape[:16]


def attributes(
    tokens: Sequence[str], spaces: Sequence[str], gazetteer_kinds: Sequence[str]
) -> list[list[str]]:
    """Returns the attributes of every token.

    spaces: the white space before each token; gazetteer_kinds: what `Gazetteer.kinds` returns."""
    count = len(tokens)
    forms = [_form(token) for token in tokens]
    kinds = ["^^", "^", *(form.kind for form in forms), "$", "$$"]
    lowers = ["^", *(form.lower for form in forms), "$"]
    known = ["^", "^", *gazetteer_kinds, "$", "$"]
    rows = []
    quoted = bracket = stops = since = 0
    seen_year = seen_ed = seen_in = seen_quote = seen_id = False
    year_at = next((k for k, form in enumerate(forms) if form.year), 99)
    has_quote = any(token in _QUOTES_OPEN or token == '"' for token in tokens)
    for k, form in enumerate(forms):
        token = tokens[k]
        row = list(form.own)
        for d in (-3, -2, -1, 1, 2, 3):
            if 0 <= k + d < count:
                row += forms[k + d].beside[d]
            elif abs(d) < 3:
                row.append("none%+d" % d)
        before, here, after = kinds[k + 1], kinds[k + 2], kinds[k + 3]
        spaced = "1" if spaces[k] else "0"
        own_kind = known[k + 2]
        row += [
            "bias", "g=" + spaced, "g+1=" + ("1" if k + 1 < count and spaces[k + 1] else "0"),
            "at=%d" % min(k, 4), "end=%d" % min(count - 1 - k, 4), "part=%d" % (5 * k // count),
            "ww-1=%s|%s" % (lowers[k], lowers[k + 1]), "ww+0=%s|%s" % (lowers[k + 1], lowers[k + 2]),
            "kk-1=%s|%s" % (before, here), "kk+0=%s|%s" % (here, after),
            "kkk=%s|%s|%s" % (here, after, kinds[k + 4]), "kKk=%s|%s|%s" % (before, here, after),
            "Kkk=%s|%s|%s" % (kinds[k], before, here),
            "D=" + own_kind, "Dk=%s|%s" % (own_kind, after), "kD=%s|%s" % (before, own_kind),
        ]
        for d in (-2, -1, 1, 2):
            if known[k + 2 + d]:
                row.append("D%+d=%s" % (d, known[k + 2 + d]))
        since_text = "%d" % min(since, 6)
        row += [
            "q%d" % quoted, "br%d" % min(bracket, 2), "st=%d" % min(stops, 6), "since=" + since_text,
            "seen=%d%d%d%d%d" % (seen_year, seen_ed, seen_in, seen_quote, seen_id),
            "sy%d" % seen_year, "se%d" % seen_ed, "si%d" % seen_in, "sq%d%d" % (seen_quote, has_quote),
            "yr=" + ("no" if year_at == 99 else "at" if year_at == k else "far-" if year_at < k - 8
                     else "bef" if year_at < k else "aft" if year_at < k + 8 else "far+"),
        ]
        rows.append(row)

        if token in _QUOTES_OPEN and not quoted:
            quoted, seen_quote = 1, True
        elif token in _QUOTES_CLOSE or token in "“" and quoted:
            quoted = 0
        elif token == '"':
            quoted, seen_quote = 1 - quoted, True
        elif token in "([":
            bracket += 1
        elif token in ")]":
            bracket = max(0, bracket - 1)
        if token in ";:?!" or (token == "." and k and len(tokens[k - 1]) > 2 and kinds[k + 1] != "initial"):
            stops, since = stops + 1, 0
        else:
            since += 1
        if form.year:
            seen_year = True
        for name in form.classes:
            if name == "ed":
                seen_ed = True
            elif name == "id":
                seen_id = True
            elif name == "in":
                seen_in = seen_in or (k + 1 < count and (tokens[k + 1] == ":" or tokens[k + 1][0].isupper()))
    _add_chunks(rows, tokens, spaces)
    _add_stretches(rows, tokens, forms, gazetteer_kinds)
    return rows


def _add_chunks(rows: list[list[str]], tokens: Sequence[str], spaces: Sequence[str]) -> None:
    """Adds the shape of each chunk, and where in the chunk a token stands."""
    count, first = len(tokens), 0
    while first < count:
        last = first + 1
        while last < count and not spaces[last]:
            last += 1
        if last - first > 1:
            chunk = "".join(tokens[first:last])
            shape = _chunk_shape(chunk)
            lower = chunk[:40].lower()
            address = "://" in lower or lower.startswith(("www.", "doi:", "arxiv:", "10.", "hep-", "http"))
            for k in range(first, last):
                rows[k] += ["C=" + shape, "C%d=%s" % (min(k - first, 8), shape)]
                if address:
                    rows[k].append("address")
        first = last


def _add_stretches(
    rows: list[list[str]], tokens: Sequence[str], forms: Sequence[_Form], known: Sequence[str]
) -> None:
    """Adds to each token of a stretch what the stretch, the one before and the one after it look
    like."""
    count, first = len(tokens), 0
    stretches: list[tuple[int, int, str, list[str]]] = []
    while first < count:
        last = first
        while last < count and tokens[last] not in _STRETCH_ENDS:
            last += 1
        if last > first:
            lower = digits = False
            fields: dict[str, int] = {}
            classes: set[str] = set()
            for k in range(first, last):
                form = forms[k]
                lower |= form.kind == "lower"
                digits |= tokens[k][0].isdigit()
                classes.update(form.classes)
                if known[k] and form.kind != "lower":
                    kind = known[k][:3]
                    fields[kind] = fields.get(kind, 0) + 1
            most = max(fields, key=lambda kind: fields[kind]) if fields else "-"
            look = "%d%s%s" % (min(last - first, 5), "l" if lower else "", "d" if digits else "")
            stretches.append((first, last, look + most, sorted(classes)))
        first = last + 1
    for number, (first, last, look, classes) in enumerate(stretches):
        before = tokens[first - 1] if first else "^"
        after = tokens[last] if last < count else "$"
        shared = [
            "S=" + look, "SP=" + before, "SN=" + after, "SPN=%s%s" % (before, after),
            "S%s%s%s" % (before, look, after), *("SK=" + name for name in classes),
        ]
        if number:
            _, _, look_before, classes_before = stretches[number - 1]
            shared += ["S-1=" + look_before, *("SK-1=" + name for name in classes_before)]
        if number + 1 < len(stretches):
            _, _, look_after, classes_after = stretches[number + 1]
            shared += ["S+1=" + look_after, *("SK+1=" + name for name in classes_after)]
        for k in range(first, last):
            rows[k] += shared
