"""Cuts a text into tokens without losing a character: a token is a run of letters, digits and
underscores with their combining marks, or one other character that is not white space."""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(r"[\w\u0300-\u036f]+|[^\w\s]")


class Tokens(NamedTuple):
    """The tokens of a text, and where they stand: words[k] is text[starts[k]:ends[k]]."""

    text: str
    words: list[str]
    starts: list[int]
    ends: list[int]

    def spaces(self) -> list[str]:
        """Returns the white space before each token."""
        before = [0, *self.ends]
        return [self.text[end:start] for end, start in zip(before, self.starts)]


def tokenise(text: str) -> Tokens:
    """Returns the tokens of a text.

    >>> tokenise("Nature 171 (1953).").words
    ['Nature', '171', '(', '1953', ')', '.']
    """
    words, starts, ends = [], [], []
    for match in _TOKEN.finditer(text):
        words.append(match.group())
        starts.append(match.start())
        ends.append(match.end())
    return Tokens(text, words, starts, ends)
