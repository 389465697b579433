"""How a text is divided into references and lists, and that nothing of it is lost."""

import random

import pytest
from chorale_references.lists import InputError, decoded, layout_of, split

NUMBERED = """References

[1] A. Author, A title that goes on and
    on, J. Things 3, 14 (1999).
[2] B. Author, Other title, 1984. The next line begins with a number:
12. Aufl., Berlin 2001.

[3] C. Author, Third.
"""
HANGING = """Author, A. (1999). A title that is long
    and goes on.
Writer, B. (2001). Short.
"""
BLOCKS = """Author, A. (1999). A title that is long enough to
be broken at some width, in a journal. Journal of
Things, 3, 14.

Writer, B. (2001). Another title that is broken at
the same width. Other Journal, 4, 1.
"""


def references(text, layout="auto"):
    return [[r.text for r in of.references] for of in split(text.splitlines(keepends=True), layout)]


def test_a_line_each():
    assert references("One 1999.\nTwo 2000.\n") == [["One 1999.", "Two 2000."]]


def test_empty_lines_divide_lists():
    assert references("A 1999.\nB 2000.\n\nC 2001.\nD 2002.\n") == [["A 1999.", "B 2000."], ["C 2001.", "D 2002."]]


def test_an_empty_line_after_each():
    assert references("A 1999.\n\nB 2000.\n\nC 2001.\n") == [["A 1999.", "B 2000.", "C 2001."]]


def test_numbers_and_wrapped_lines():
    (found,) = references(NUMBERED)
    assert found[0] == "A. Author, A title that goes on and on, J. Things 3, 14 (1999)."
    assert found[1].endswith("12. Aufl., Berlin 2001.") and len(found) == 3


def test_markers_are_kept():
    (of,) = split(NUMBERED.splitlines(keepends=True))
    assert [r.marker for r in of.references] == ["[1]", "[2]", "[3]"]
    assert of.name == "References" and [r.line for r in of.references] == [3, 5, 8]


def test_numbers_that_begin_anew():
    assert references("1. A 1999.\n2. B 2000.\n1. C 2001.\n2. D 2002.\n") == [["A 1999.", "B 2000."], ["C 2001.", "D 2002."]]


def test_a_year_is_no_marker():
    assert references("1984. A novel by Orwell.\nB 2000.\n") == [["1984. A novel by Orwell.", "B 2000."]]


def test_hanging_indents():
    assert references(HANGING) == [["Author, A. (1999). A title that is long and goes on.", "Writer, B. (2001). Short."]]


def test_blocks_of_broken_lines():
    (found,) = references(BLOCKS)
    assert len(found) == 2 and found[0].endswith("Journal of Things, 3, 14.")


def test_words_and_addresses_at_the_end_of_a_line():
    text = "[1] An infor-\nmation of https://example.org/a/\nb.pdf and a well-\nknown one.\n[2] B.\n"
    assert references(text)[0][0] == "An information of https://example.org/a/b.pdf and a wellknown one."


def test_headings_name_lists():
    lists = list(split("APA\n\nA 1999.\nB 2000.\n\n## Part two\nC 2001.\n".splitlines(keepends=True)))
    assert [(of.name, len(of.references)) for of in lists] == [("APA", 2), ("Part two", 1)]


def test_numbered_lists_and_others_in_one_file():
    numbered = ["A. Author, A title that goes on and on, J. Things 3, 14 (1999).", "B. Author, Other title, 1984. The next line begins"
                " with a number: 12. Aufl., Berlin 2001.", "C. Author, Third."]
    lines = ["Meier, K. (2003): Familie.", "Beck, U. (1986): Risiko.", "Weber, M. (1922): Wirtschaft."]
    text = "Literatur\n\n" + "\n".join(lines) + "\n\n"
    assert references(NUMBERED + "\n" + text) == [numbered, lines]
    assert references(text + NUMBERED) == [lines, numbered]
    text = text.replace("Literatur", "Deutsche Titel")
    assert references(text + NUMBERED + "\n" + text + NUMBERED) == [lines, numbered, lines, numbered]


@pytest.mark.parametrize("layout", ["auto", "lines", "blocks", "numbered", "indented"])
def test_nothing_is_lost(layout):
    draw = random.Random(20240607)
    pieces = ["\n", "  ", "[1] A.", "2. B 1999.", "References\n", "x" * 50, "12) C", "\t", "é", "\n\n", "# H\n", "\r\n", "漢字"]
    for _ in range(200):
        lines = "".join(draw.choices(pieces, k=draw.randrange(30))).splitlines(keepends=True)
        kept = "".join(of.heading + "".join(r.original for r in of.references) for of in split(lines, layout))
        assert kept == "".join(lines)


def test_long_lists_are_cut():
    assert [len(of.references) for of in split("A %d.\n" % k for k in range(1200))] == [500, 500, 200]


def test_bytes_that_are_not_in_the_encoding():
    with pytest.raises(InputError, match=r"refs.txt:2: byte 0xE9 at 3 is not UTF-8"):
        list(decoded([b"A 1999.\n", b"Caf\xe9 2000.\n"], "refs.txt"))
    assert list(decoded([b"Caf\xe9\n"], "refs.txt", "latin-1")) == ["Café\n"]


def test_an_unknown_layout():
    with pytest.raises(ValueError, match="layout is 'columns', not one of auto"):
        next(split([], "columns"))


def test_layouts():
    assert layout_of(["[1] A\n", "[2] B\n"]) == "numbered"
    assert layout_of([]) == "lines"
