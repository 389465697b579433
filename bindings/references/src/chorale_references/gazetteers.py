"""Which fields a word usually stands in: counts of words by label, from the training data.

A word is looked up without case and accents, but whether it begins with a capital matters: "Young"
is a name more often than "young". Its *kind* is the label that it has most often, with a digit for
how often: "Author9" is nine times out of ten or more. Words seen less than twice have no kind.
"""

from __future__ import annotations

import functools
import lzma
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

LEAST = 2  # times that a word must have been seen
# Labels by which words are told apart. An editor's name is a name.
KINDS = ["Other", "Author", "Title", "Venue", "Publisher", "Location", "Genre"]
_KIND_OF = {"Editor": "Author", "Series": "Title", "Edition": "Other", "Date": "Other"}


@functools.lru_cache(maxsize=1 << 16)
def key_of(word: str) -> str:
    """Returns the form by which a word is looked up; "" for tokens that do not begin with a
    letter."""
    if not word[0].isalpha():
        return ""
    plain = unicodedata.normalize("NFKD", word).casefold()
    plain = "".join(c for c in plain if c.isalnum())
    return ("^" if word[0].isupper() else "") + plain


class Gazetteer:
    """Counts of words by kind: counts[key][k] is how often a word stood in a field of KINDS[k]."""

    def __init__(self, counts: dict[str, list[int]] | None = None) -> None:
        self.counts = counts or {}
        self._known: dict[str, str] = {}

    @classmethod
    def of(cls, records: Iterable[tuple[Sequence[str], Sequence[str]]]) -> Gazetteer:
        """Returns the counts of records, each its tokens and their labels."""
        made = cls()
        for words, labels in records:
            for key, kind, number in made._counted(words, labels):
                made.counts.setdefault(key, [0] * len(KINDS))[kind] += number
        return made

    def _counted(self, words: Sequence[str], labels: Sequence[str]) -> Iterable[tuple[str, int, int]]:
        counted: Counter[tuple[str, int]] = Counter()
        for word, label in zip(words, labels):
            kind = _KIND_OF.get(label, label)
            key = key_of(word)
            if key and kind in KINDS:
                counted[key, KINDS.index(kind)] += 1
        return [(key, kind, number) for (key, kind), number in counted.items()]

    def kinds(self, words: Sequence[str], without: Sequence[str] | None = None) -> list[str]:
        """Returns the kind of each word; "" if it has none.

        without: the labels of the words, if the words themselves have been counted: they are
        looked up as if they had not been. A tagger that is trained with its own counts would trust
        them too much."""
        if without is None:
            known = self._known
            return [
                kind if (kind := known.get(word)) is not None else self._remember(word)
                for word in words
            ]
        own: dict[str, list[int]] = {}
        for key, kind, number in self._counted(words, without):
            own.setdefault(key, [0] * len(KINDS))[kind] += number
        return [self._kind(key_of(word), own) for word in words]

    def _remember(self, word: str) -> str:
        if len(self._known) >= 1 << 17:
            self._known.clear()
        kind = self._known[word] = self._kind(key_of(word), {})
        return kind

    def _kind(self, key: str, own: dict[str, list[int]]) -> str:
        counts = self.counts.get(key)
        if counts is None:
            return "new" if key else ""
        if key in own:
            counts = [a - b for a, b in zip(counts, own[key])]
        total = sum(counts)
        if total < LEAST:
            return "new"
        most = max(counts)
        return KINDS[counts.index(most)] + str(min(9, 10 * most // total))

    def to_bytes(self) -> bytes:
        """Returns a compressed text: a line for each word with its counts."""
        lines = []
        for key in sorted(self.counts):
            counts = self.counts[key]
            if sum(counts) >= LEAST:
                lines.append(key + "\t" + " ".join(str(n) if n else "" for n in counts))
        return lzma.compress("\n".join(lines).encode(), preset=9)

    @classmethod
    def from_bytes(cls, data: bytes) -> Gazetteer:
        counts = {}
        for line in lzma.decompress(data).decode().split("\n"):
            key, _, numbers = line.partition("\t")
            counts[key] = [int(n or 0) for n in numbers.split(" ")]
        return cls(counts)
