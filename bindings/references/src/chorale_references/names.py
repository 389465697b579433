"""Splits a text of names into persons and bodies, as CSL-JSON has them: {"family", "given",
"non-dropping-particle", "suffix"} or {"literal"}.

Names come as "Smith, J. A., & Doe, B.", "J. A. Smith and B. Doe", "Smith JA, Doe B", "Smith, John,
and Jane Doe" and so on; the whole text is read before it is decided which comma divides names.
"""

from __future__ import annotations

import re

from .words import WORDS

Name = dict[str, str]

_UPPER = "A-ZÀ-ÞĀ-ŽА-ЯЂ-ЏΑ-Ω"
# One or more initials, such as J., J.-P., J. A., JA, Yu. A.
_INITIALS = re.compile(
    r"(?:(?:[^\W\d_]\.|[{0}][^\W\d_]{{1,2}}\.)[\s-]*|[{0}](?:[\s-]+|$))+|[{0}]{{1,4}}|[{0}]{{1,2}}-[{0}]{{1,2}}".format(_UPPER)
)
# A name of the form Family, I. before another one, without a separator.
_FAMILY = r"[^\W\d_][\w'’-]+(?:\s[^\W\d_][\w'’-]+)?,\s+"
_RUN_ON = re.compile(r"(^|; )(%s(?:[^\W\d_]\.[\s-]?)+)(?<=\s)(?=%s[^\W\d_]\.)" % (_FAMILY, _FAMILY))
_SUFFIX = re.compile(r"[JS]r\.?|Junior|II|III|2nd|3rd|M\.D\.|Ph\.?D\.?")
_PARTICLES = frozenset(WORDS["particles"])
_OTHERS = re.compile(
    r"[\s,;&]*(?:\band\b\s*)?(?:\bet\.?\s*al(?:ii|\.|\b)\.?|\bu\.\s?a\.|\bua\b\.?|\band\s+(?:\d+\s+)?others\b\.?|\bund\s+andere\b|\by\s+otros\b|"
    r"\bet\s+autres\b|\be\.\s?a\.|…|\.\.\.)",
    re.IGNORECASE,
)
_AND = re.compile(r"\s*(?:&|\band\b|\bAND\b|\bund\b|\bUND\b|\bet\b|\bsowie\b|\boch\b|\bog\b|(?<=\s)[yeui](?=\s))\s*")
_BODY = re.compile(r"\b(?:%s)\b" % "|".join(WORDS["bodies"]), re.IGNORECASE)
_STRIPPED = " \t\n,;:&/–—-"


def names_of(text: str) -> tuple[list[Name], bool]:
    """Returns the names of a text, and whether it says that there are others.

    >>> names_of("Watson JD, Crick FHC")[0]
    [{'family': 'Watson', 'given': 'J. D.'}, {'family': 'Crick', 'given': 'F. H. C.'}]
    >>> names_of("D. E. Knuth and others")
    ([{'family': 'Knuth', 'given': 'D. E.'}], True)
    """
    text = re.sub(r"\s+", " ", text).strip(_STRIPPED)
    text = re.sub(r"(\s[A-ZÀ-Þ]{2,4})\.(?=$|[,;])", r"\1", text)  # Smith JA. ends with no initial
    left, others = _OTHERS.subn(" ; ", text.replace("[", "(").replace("]", ")"))
    names: list[Name] = []
    # A body in brackets after a person: G. Aad et al. (ATLAS Collaboration).
    bodies = re.findall(r"\(([^()]*)(?:\)|$)", left)
    left = re.sub(r"\([^()]*\)?", " ", left)
    while (divided := _RUN_ON.sub(r"\1\2; ", left)) != left:
        left = divided
    for group in re.split(r"\s*[;/|•]\s*", left):
        names += _of_group(group.strip(_STRIPPED))
    for body in bodies:
        if _BODY.search(body):
            names.append({"literal": _without_article(body.strip())})
    return [name for name in names if any(name.values())], bool(others)


def _of_group(text: str) -> list[Name]:
    """Returns the names of a text without semicolons."""
    if not text:
        return []
    if _is_body(text) and not re.search(r"(?:^|,\s*)[^\W\d_]\.(?:\s|,|$)", text):
        return [{"literal": _without_article(text.rstrip(","))}]
    parts: list[str] = []
    joined: set[int] = set()  # parts before which "and" stands
    for k, piece in enumerate(_AND.split(text)):
        if k:
            joined.add(len(parts))
        parts += [part for part in (p.strip(_STRIPPED) for p in piece.split(",")) if part]
    # A suffix belongs to the name before it.
    kept: list[str] = []
    suffixes: dict[int, str] = {}
    starts: set[int] = set()
    for k, part in enumerate(parts):
        if kept and _SUFFIX.fullmatch(part):
            suffixes[len(kept) - 1] = part
            continue
        if k in joined:
            starts.add(len(kept))
        kept.append(part)
    return _paired(kept, starts, suffixes)


def _paired(parts: list[str], starts: set[int], suffixes: dict[int, str]) -> list[Name]:
    """Returns the names of parts between commas. starts: parts that begin a name, since "and"
    stands before them; suffixes: by part the suffix after it."""
    names: list[Name] = []
    k = 0
    # "Family, Given" if the second part holds initials, or if two single names follow each other.
    while k < len(parts):
        part, after = parts[k], parts[k + 1] if k + 1 < len(parts) else None
        suffix = suffixes.get(k, "")
        if _is_body(part):
            names.append({"literal": _without_article(part)})
            k += 1
            continue
        takes_next = after is not None and k + 1 not in starts and not _is_body(after) and _is_given(part, after, names)
        if takes_next:
            assert after is not None
            # A particle may stand after the given names: Berg, J. van der.
            given, particle = _trailing_particle(after)
            names.append(_person(part, given, particle, suffix or suffixes.get(k + 1, "")))
            k += 2
        else:
            names.append(_whole(part, suffix))
            k += 1
    return names


def _is_given(family: str, given: str, before: list[Name]) -> bool:
    """Returns whether the part after a comma is the given names of the part before it."""
    if _INITIALS.fullmatch(family) and not _INITIALS.fullmatch(given):
        return False
    bare = _trailing_particle(given)[0]
    if _INITIALS.fullmatch(bare):
        # Smith JA, LI is two names: the first has its initials.
        return not (_last_initials(family) and " " in family)
    if _begins_with_initials(family):
        return False
    words = [w for w in family.split() if w.lower() not in _PARTICLES]
    if len(words) >= 2 and "-" not in family and len(given.split()) >= 2 and not _last_initials(given):
        return False
    if len(words) >= 2 and _last_initials(family):
        return False
    # Smith, John / García Márquez, Gabriel: only the first name of a list is often inverted.
    if before and "given" in before[-1] and len(words) >= 2 and len(given.split()) >= 2:
        return False
    return len(words) <= 3 and len(bare.split()) <= 4


def _begins_with_initials(text: str) -> bool:
    return re.match(r"(?:[^\W\d_]\.|[A-Z]\s)", text) is not None


def _last_initials(text: str) -> bool:
    """Returns whether a text ends with initials: Smith JA, Smith J.A., Smith J."""
    match = re.search(r"\s((?:[^\W\d_]{1,2}\.[\s-]*)+|[%s]{1,3}(?:-[A-Z])?)$" % _UPPER, text)
    return match is not None and not text[: match.start()].strip().isupper()


def _trailing_particle(given: str) -> tuple[str, str]:
    words = given.split()
    k = len(words)
    while k > 1 and words[k - 1].lower() in _PARTICLES and words[k - 1][0].islower():
        k -= 1
    return " ".join(words[:k]), " ".join(words[k:])


def _whole(text: str, suffix: str = "") -> Name:
    """Returns a name without a comma: John Smith, J. Smith, Smith JA, Smith J."""
    words = text.split()
    if len(words) > 1 and _SUFFIX.fullmatch(words[-1]) and not suffix:
        suffix, words = words[-1], words[:-1]
    if len(words) == 1:
        packed = re.fullmatch(r"((?:[^\W\d_]\.-?)+)([^\W\d_][\w'’-]+)", text)  # J.A.Smith
        if packed:
            return _person(packed.group(2), packed.group(1), "", suffix)
        return _person(words[0], "", "", suffix)
    if _last_initials(" ".join(words)) and not _begins_with_initials(text):
        k = len(words)
        while k > 1 and _INITIALS.fullmatch(words[k - 1]) and len(words[k - 1].strip(".")) <= 4:
            k -= 1
        return _person(" ".join(words[:k]), " ".join(words[k:]), "", suffix)
    if len(words) == 2 and len(words[0]) > 2 and words[0].isupper() and "." not in words[0] and not words[1].isupper() and words[1].isalpha():
        return _person(words[0], words[1], "", suffix)
    # The family name begins with its particles, or is the last word.
    first = next((k for k in range(1, len(words) - 1) if words[k].lower() in _PARTICLES and words[k][0].islower()), None)
    if words[0].lower() in _PARTICLES and words[0][0].islower():
        first = 0
    if first is None:
        first = len(words) - 1
    return _person(" ".join(words[first:]), " ".join(words[:first]), "", suffix)


def _person(family: str, given: str, particle: str, suffix: str) -> Name:
    words = family.split()
    leading = 0
    while leading < len(words) - 1 and words[leading].lower() in _PARTICLES and words[leading][0].islower():
        leading += 1
    particle = " ".join([particle, *words[:leading]]).strip()
    family = " ".join(words[leading:])
    if len(family) > 2 and family.isupper():
        family = "-".join(part.title() for part in family.split("-"))
        family = re.sub(r"\bMc([a-z])", lambda m: "Mc" + m.group(1).upper(), family)
    name = {"family": family}
    if given:
        name["given"] = _spaced(given)
    if particle:
        name["non-dropping-particle"] = particle
    if suffix:
        name["suffix"] = suffix
    return name


def _spaced(given: str) -> str:
    """Returns given names with a full stop and a space after each initial: JA becomes J. A."""
    given = given.strip(" ,")
    if re.fullmatch(r"[%s]{1,4}" % _UPPER, given):
        return " ".join(c + "." for c in given)
    if re.fullmatch(r"[A-ZÀ-Þ]-[A-ZÀ-Þ]", given):
        return given[0] + ".-" + given[2] + "."
    given = re.sub(r"\.(?=[^\W\d_])", ". ", given)
    return re.sub(r"(?<![^\W\d_])([A-ZÀ-Þ])(?=\s|$)", r"\1.", given)


def _is_body(text: str) -> bool:
    return _BODY.search(text) is not None and (len(text.split()) > 1 or text.isupper())


def _without_article(text: str) -> str:
    return re.sub(r"^[Tt]he (?=.*Collaboration)", "", text)
