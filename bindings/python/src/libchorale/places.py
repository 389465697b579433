"""Proposes places where a known name was not marked."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

# The share of marked places of all names counts for each name as much as so many places.
PRIOR = 2.0

_WORD = re.compile(r"\w+")


class Place(NamedTuple):
    """A place of a known name that no mention covers. text: text[start:end] of the document.
    probability: how probable it is that the place is a mention."""

    document: Any
    start: int
    end: int
    text: str
    label: Any
    probability: float


def missed(
    texts: Mapping[Any, str],
    mentions: Iterable[Mapping[str, Any]],
    *,
    document: str = "document",
    start: str = "start",
    end: str = "end",
    label: str = "label",
    least: float = 0.5,
) -> list[Place]:
    """Returns places that have the words of a mention elsewhere, and that no mention covers, most
    probable first.

    texts     {document: text}
    mentions  rows with these columns: the document, the first character and the character behind
              the last, and the label
    least     names of whose places a smaller share is marked are ordinary words, and are not
              proposed. Places in small letters count, if the name has a capital letter

    A place of a name, of whose n places k are marked, is a mention with the probability
    (k + 2 r) / (n + 2), where r is the share for all names.

    >>> texts = {1: "Reed met Kahlo. Kahlo read. A reed, two reeds.", 2: "Kahlo, and a reed."}
    >>> marked = [(1, 0, 4), (1, 9, 14), (1, 16, 21)]
    >>> rows = [{"document": d, "start": s, "end": e, "label": "PER"} for d, s, e in marked]
    >>> [(place.document, place.text) for place in missed(texts, rows)]
    [(2, 'Kahlo')]
    """
    spans: dict[Any, list[tuple[int, int]]] = defaultdict(list)
    labels: dict[tuple[str, ...], Counter[Any]] = defaultdict(Counter)
    for row, entry in enumerate(mentions):
        of, first, last = entry[document], entry[start], entry[end]
        if of not in texts or not 0 <= first < last <= len(texts[of]):
            raise ValueError(f"mentions[{row}] is {of!r}, {first} to {last}: there is no such text")
        name = tuple(_WORD.findall(texts[of][first:last]))
        if name:
            spans[of].append((first, last))
            labels[name][entry[label]] += 1
    longest = max(map(len, labels), default=0)
    small = {tuple(word.lower() for word in name): name for name in labels}
    marked: Counter[tuple[str, ...]] = Counter({n: sum(of.values()) for n, of in labels.items()})
    places, ordinary = [], Counter[tuple[str, ...]]()
    free: Counter[tuple[str, ...]] = Counter()
    for of, text in texts.items():
        covered = bytearray(len(text))
        for first, last in spans[of]:
            covered[first:last] = b"\1" * (last - first)
        words = [(match.start(), match.end()) for match in _WORD.finditer(text)]
        at = 0
        while at < len(words):
            for count in range(min(longest, len(words) - at), 0, -1):
                first, last = words[at][0], words[at + count - 1][1]
                name = tuple(text[a:b] for a, b in words[at : at + count])
                if any(covered[first:last]):
                    continue
                if name in labels:
                    free[name] += 1
                    places.append((of, first, last, name))
                    at += count - 1
                    break
                if name in small:
                    ordinary[small[name]] += 1
            at += 1
    rate = sum(marked.values()) / max(1, sum(marked.values()) + sum(free.values()))
    found = []
    for of, first, last, name in places:
        k, n = marked[name], marked[name] + free[name]
        if k < least * (n + ordinary[name]):
            continue
        probable = (k + PRIOR * rate) / (n + PRIOR)
        [(kind, _)] = labels[name].most_common(1)
        found.append(Place(of, first, last, texts[of][first:last], kind, probable))
    return sorted(found, key=lambda place: -place.probability)
