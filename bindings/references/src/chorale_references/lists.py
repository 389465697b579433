"""Divides a text into references and lists of references.

A *layout* says how references are told apart:

    lines     each line is a reference; an empty line or a heading ends a list
    blocks    a reference is the lines between empty lines; two empty lines or a heading end a list
    numbered  a reference begins with the next number, as [12], (12), 12. or 12; other lines go on
    indented  a reference begins with a line that is not indented; indented lines go on

`auto` takes the layout that the first lines of a file show; a list with a heading may be numbered
where others are not. Nothing is lost: every character of the input is in the heading of a list, in a
reference or between the two.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections import deque
from collections.abc import Iterable, Iterator

LAYOUTS = ("auto", "lines", "blocks", "numbered", "indented")
# The layout is chosen by so many lines, again by those under a heading, and longer lists are cut:
# agreement needs no more, and the input is read as a stream.
LINES_LOOKED_AT = 1000
LINES_UNDER_HEADING = 100
MOST_IN_LIST = 500

_NUMBER = re.compile(r"\s*(?:\[(\d{1,5})\][.:]?|\((\d{1,5})\)|(\d{1,5})[.)]|(\d{1,5})(?=\s{2,}|\t))\s+(?=\S)")
_HEADING = re.compile(
    r"\s*(?:#+\s.*|(?:\d+\.?\s+)?(?:list of )?(?:references?|bibliograph(?:y|ie)|works cited|literature(?: cited)?|"
    r"literatur(?:verzeichnis)?|quellen(?:verzeichnis)?|références(?: bibliographiques)?|bibliografía|referencias)"
    r"\s*:?)\s*",
    re.IGNORECASE,
)
# A few words without figures, between empty lines.
_TITLE = re.compile(r"\s*[^\W\d_](?:[^\d.]|\.(?=\s?[^\W\d_])){0,59}[^\W\d]\s*:?\s*")


@dataclasses.dataclass
class Reference:
    """One reference of the input.

    original  its lines as they stand in the input, with line ends, and the empty lines after it
    line      the number of its first line in the file, from 1
    marker    the number before it, such as "[12]"; "" if there is none
    text      the rest, its lines joined
    """

    original: str
    line: int
    marker: str = ""
    text: str = ""


@dataclasses.dataclass
class ReferenceList:
    """References that stand together, and what stands before them: heading is "" if nothing does."""

    name: str
    heading: str
    references: list[Reference]


class InputError(ValueError):
    """A line that cannot be read. The message begins with the file and the line."""


def decoded(lines: Iterable[bytes], name: str, encoding: str = "utf-8") -> Iterator[str]:
    """Yields the lines of a file as texts. Raises InputError at the first line that is not in the
    encoding."""
    for number, line in enumerate(lines, 1):
        try:
            text = line.decode(encoding)
        except UnicodeDecodeError as error:
            raise InputError(
                "%s:%d: byte 0x%02X at %d is not %s; --encoding names another"
                % (name, number, line[error.start], error.start, encoding.upper())
            ) from None
        yield text.removeprefix("\ufeff") if number == 1 else text


def layout_of(lines: list[str]) -> str:
    """Returns the layout that some lines show.

    >>> layout_of(["[1] A. Author, Title,", "Journal 3 (1999).", "[2] B. Author, Other title."])
    'numbered'
    """
    full = [line for line in lines if line.strip() and not _is_heading(line)]
    if not full:
        return "lines"
    form, _ = _number(full[0])
    numbers = [number for of, number in map(_number, full) if of == form]
    if form and _is_rising(numbers):
        return "numbered"
    indented = [line[0] in " \t" for line in full]
    if any(indented) and not indented[0]:
        return "indented"
    blocks = [block.split("\n") for block in re.split(r"\n\s*\n", "\n".join(line.rstrip() for line in lines)) if block.strip()]
    blocks = [block for block in blocks if not all(_is_heading(line) for line in block)]
    if len(blocks) > 1 and max(map(len, blocks)) == 1:
        return "blocks"
    return "blocks" if _is_wrapped(blocks) else "lines"


def _is_wrapped(blocks: list[list[str]]) -> bool:
    """Returns whether the lines of blocks were broken at some width: all but the last line of each
    block are about as long."""
    inner = [len(line) for block in blocks for line in block[:-1]]
    if len(blocks) < 2 or not inner:
        return False
    width = max(len(line) for block in blocks for line in block)
    return 40 <= width <= 130 and sum(length >= 0.75 * width for length in inner) >= 0.8 * len(inner)


def _is_heading(line: str) -> bool:
    return _HEADING.fullmatch(line) is not None


def _is_rising(numbers: list[int]) -> bool:
    """Returns whether nearly all numbers follow the one before; a single one must be 1."""
    rising = sum(b == a + 1 or b == 1 for a, b in zip(numbers, numbers[1:]))
    return rising >= 0.9 * (len(numbers) - 1) and (len(numbers) > 1 or numbers == [1])


def _number(line: str) -> tuple[int, int]:
    """Returns the form and the value of the number before a reference; 0, 0 if there is none."""
    match = _NUMBER.match(line)
    return (match.lastindex or 0, int(match.group(match.lastindex or 0))) if match else (0, 0)


def split(lines: Iterable[str], layout: str = "auto", name: str = "list") -> Iterator[ReferenceList]:
    """Yields the lists of references of a text, given by its lines with their ends.

    >>> [reference.text for of in split(["One 1999.\\n", "Two 2000.\\n"]) for reference in of.references]
    ['One 1999.', 'Two 2000.']
    """
    if layout not in LAYOUTS:
        raise ValueError("layout is %r, not one of %s" % (layout, ", ".join(LAYOUTS)))
    lines = iter(lines)
    ahead = deque(itertools.islice(lines, LINES_LOOKED_AT if layout == "auto" else 2))
    return _Splitter(layout, name, ahead).run(lines)


class _Splitter:
    def __init__(self, layout: str, name: str, ahead: deque[str]) -> None:
        """ahead: the first lines; from then on, those that are read but not yet taken."""
        self.auto = layout == "auto"
        self.layout, self.name, self.ahead = layout_of(list(ahead)) if self.auto else layout, name, ahead
        self.lists = 0
        self.heading = ""
        self.references: list[Reference] = []
        self.open = False  # whether the next line may go on the last reference
        self.empty = 0  # empty lines just before
        self.form, self.number = 0, 0  # of the last marker

    def run(self, lines: Iterator[str]) -> Iterator[ReferenceList]:
        number = 0
        while self.ahead:
            number += 1
            line = self.ahead.popleft()
            self.ahead.extend(itertools.islice(lines, 1))
            done = self._take(line, number, bool(self.ahead) and not self.ahead[0].strip())
            if done is not None:
                yield done
        if self.references or self.heading:
            yield self._close()

    def _close(self) -> ReferenceList:
        numbers = [_number(reference.original) for reference in self.references]
        numbered = self.layout == "numbered" or (
            len({form for form, _ in numbers} | {0}) == 2 and (0, 0) not in numbers and _is_rising([n for _, n in numbers])
        )
        for reference in self.references:
            _finish(reference, numbered)
        self.lists += 1
        title = self.heading.strip().strip("#:").strip()
        made = ReferenceList(title or "%s %d" % (self.name, self.lists), self.heading, self.references)
        self.heading, self.references, self.open = "", [], False
        return made

    def _take(self, line: str, number: int, alone: bool) -> ReferenceList | None:
        """Reads a line. Returns the list that ends before it, if one does. alone: whether an empty
        line follows."""
        if not line.strip():
            self.empty += 1
            if self.references:
                self.references[-1].original += line
            else:
                self.heading += line
            self.open = self.open and self.layout == "numbered"
            return None
        empty, self.empty = self.empty, 0
        done = None
        if self._is_heading(line, empty, alone):
            done = self._close() if self.references else None
            self.heading += line
            self.form, self.number = 0, 0
            self.open = False
            if self.auto:
                self.layout = self._layout_under_heading()
            return done
        begins, ends_list = self._begins(line, empty)
        if begins or not self.references:
            if self.references and (ends_list or len(self.references) >= MOST_IN_LIST):
                done = self._close()
            self.references.append(Reference(line, number))
            self.open = True
        else:
            self.references[-1].original += line
        return done

    def _is_heading(self, line: str, empty: int, alone: bool) -> bool:
        stands_apart = empty > 0 or not self.references
        return stands_apart and alone and _TITLE.fullmatch(line) is not None or (
            _is_heading(line) and (stands_apart or self.layout in ("lines", "numbered"))
        )

    def _layout_under_heading(self) -> str:
        """Returns the layout of the list that follows: another than before only if one of the two is
        numbered and the other is not."""
        first = list(itertools.islice(self.ahead, LINES_UNDER_HEADING))
        empty = [not line.strip() for line in first]
        ends = (
            k for k in range(len(first))
            if _is_heading(first[k]) or 0 < k < len(first) - 1 and empty[k - 1] and empty[k + 1] and _TITLE.fullmatch(first[k])
        )
        lines = first[: next(ends, len(first))]
        found = layout_of(lines)
        if self.layout == "numbered":
            return self.layout if any(_number(line)[0] for line in lines) else found
        return found if found == "numbered" else self.layout

    def _begins(self, line: str, empty: int) -> tuple[bool, bool]:
        """Returns whether a line begins a reference, and whether the list before it has ended."""
        if self.layout == "numbered":
            form, found = _number(line)
            if form and form == (self.form or form) and found in (self.number + 1, 1) or self.number == 0 and form:
                restarts, self.form, self.number = found <= self.number, form, found
                return True, restarts
            return False, False
        if self.layout == "indented":
            return line[0] not in " \t", empty > 1
        if self.layout == "blocks":
            return not self.open, empty > 1
        return True, empty > 0


def _finish(reference: Reference, numbered: bool) -> None:
    """Sets the marker and the text of a reference by its lines. numbered: whether the list is;
    elsewhere 1984. may be a date, and only [12] is a marker."""
    lines = [line.strip() for line in reference.original.splitlines()]
    lines = [line for line in lines if line]
    text = lines[0] if lines else ""
    for line in lines[1:]:
        text = _joined(text, line)
    match = _NUMBER.match(text)
    if match and (numbered or match.group(1)):
        reference.marker, text = match.group().strip(), text[match.end() :]
    reference.text = text


def _joined(text: str, line: str) -> str:
    """Returns two lines as one: words divided at the end of a line become one, and so do
    addresses."""
    last = text.rsplit(None, 1)[-1] if text else ""
    if re.search(r"://|^doi:|^10\.\d{4}", last) and re.search(r"[/_.=&?-]$", last):
        return text + line
    if re.search(r"[^\W\d_]-$", last) and line[:1].islower():
        return (text if "-" in last[:-1] else text[:-1]) + line
    return text + " " + line
