"""The command as users call it, with good and bad input."""

import json
import os
import re
import subprocess
import sys
import time

import chorale_references as cr
import pytest
from chorale_references import agreement
from chorale_references.parse import MOST_TOKENS

LINES = """Kahneman, D., & Tversky, A. (1979). Prospect theory: An analysis of decision under risk. Econometrica, 47(2), 263–291.
Bandura, A. (1977). Self-efficacy: Toward a unifying theory of behavioral change. Psychological Review, 84(2), 191–215.
Barrett, L. F. (2017). How emotions are made: The secret life of the brain. Houghton Mifflin Harcourt.
"""


def run(*arguments, text=LINES):
    given = text if isinstance(text, bytes) else text.encode()
    done = subprocess.run([sys.executable, "-m", "chorale_references", *map(str, arguments)], input=given, capture_output=True)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_bibtex_from_the_standard_input():
    code, out, error = run()
    assert (code, error) == (0, "") and re.findall(r"^@(\w+)\{(\w+),", out, re.M) == [
        ("article", "kahneman1979"), ("article", "bandura1977"), ("book", "barrett2017")]


def test_several_outputs(tmp_path):
    (tmp_path / "in.txt").write_text(LINES, encoding="utf-8")
    outputs = [tmp_path / name for name in ("a.bib", "a.json", "a.ris", "a.txt")]
    code, out, error = run(tmp_path / "in.txt", *(part for o in outputs for part in ("-o", o)))
    assert (code, out, error) == (0, "", "")
    items = json.loads(outputs[1].read_text(encoding="utf-8"))
    assert [item["issued"]["date-parts"][0][0] for item in items] == [1979, 1977, 2017]
    assert items[0]["custom"]["original"] == LINES.splitlines()[0]
    assert outputs[2].read_text(encoding="utf-8").count("ER  -") == 3 and len(outputs[3].read_text(encoding="utf-8").splitlines()) == 3


@pytest.mark.parametrize(
    "arguments, text, message",
    [
        (["-o", "x.doc"], LINES, "--output is 'x.doc'; its ending must be one of .bib .json .ris .txt .html"),
        (["--encoding", "utf-9"], LINES, "--encoding is 'utf-9', which is not known"),
        (["/nowhere/refs.txt"], LINES, "No such file or directory: '/nowhere/refs.txt'"),
        ([], b"One 1999.\nCaf\xe9 2000.\n", "standard input:2: byte 0xE9 at 3 is not UTF-8; --encoding names another"),
        (["-o", "x.html", "--chorale", "no-such-program"], LINES, "the page is made by the command chorale, which is not at 'no-such-program'"),
    ],
)
def test_errors_name_what_is_wrong(arguments, text, message, tmp_path):
    arguments = [str(tmp_path / a) if a.endswith(".html") else a for a in arguments]
    code, _, error = run(*arguments, text=text)
    assert code == 2 and error.strip().splitlines()[-1].startswith("chorale-references: ") and message in error


def test_how_sure():
    items = [json.loads(run(*options, "--to", "csl", text=LINES)[1]) for options in ((), ("--sure",))]
    assert all("sure" not in item["custom"] for item in items[0])
    assert [0 < item["custom"].pop("sure") <= 1 for item in items[1]] == [True] * 3 and items[0] == items[1]
    assert all(0 <= r.sure <= 1 for r in cr.parse(LINES, sure=True)) and cr.parse(LINES)[0].sure is None


def test_nothing_in_nothing_out():
    assert run("--to", "csl", text="")[:2] == (0, "[]\n")
    assert run("--to", "bibtex", text="\n \n")[:2] == (0, "")


@pytest.mark.parametrize("text", ["no reference at all", "漢字仮名交じり文。", "الكتاب العربي", "!!!", "\x00\x01", "1", "a" * 5000, "\u200b"])
def test_lines_that_are_no_references(text):
    (found,) = cr.parse(text)
    words = "".join(s + w for s, w in zip(found.tokens.spaces(), found.tokens.words))
    assert words == text.rstrip() and set(found.labels) <= {"Other"} and found.item == {"type": "document"}
    code, out, _ = run("--to", "csl", text=text + "\n")
    assert code == 0 and json.loads(out)[0]["custom"]["original"] == text.strip()


def test_a_line_of_a_megabyte_is_left_over():
    line = "word " * 200_000
    before = time.process_time()
    first, second, _ = cr.parse(line + "\n" + LINES.splitlines()[0] + "\n" + LINES.splitlines()[1])
    assert time.process_time() - before < 10
    assert set(first.labels) == {"Other"} and len(first.labels) == 200_000 > MOST_TOKENS and first.source.text == line.strip()
    assert second.item["volume"] == "47"


def test_a_long_bibliography_streams():
    """What is parsed is yielded before the rest is read."""
    read = 0

    def lines():
        nonlocal read
        for k in range(100_000):
            read += 1
            yield LINES.splitlines(keepends=True)[k % 3]

    lists = cr.parse_lists(cr.split(lines()))
    assert len(next(lists).references) == 500 and read < 2000


def test_speed():
    """5 s of processor time for 1,000 references, all in all."""
    from chorale_references.tagger import shipped
    from chorale_references.writers import WRITERS

    text = "".join(LINES.splitlines(keepends=True)[k % 3].replace("19", "%d" % (10 + k % 10)) for k in range(1000))
    before = time.process_time()
    shipped.cache_clear()
    with open(os.devnull, "w") as null, WRITERS["bibtex"](null) as write:
        for reference in cr.parse(text):
            write(reference)
    assert time.process_time() - before < 5


def test_short_lists_are_labelled_alone():
    two = LINES.splitlines(keepends=True)[:2]
    for lines in (two, two[:1]):
        assert [r.labels for r in cr.parse("".join(lines))] == [r.alone for r in cr.parse("".join(lines))]
    assert agreement.LEAST_MEMBERS == 3


def test_a_list_agrees():
    """A list in which one reference would be read otherwise by itself."""
    from test_forty import lists

    changed = sum(r.labels != r.alone for of in lists() for r in of.references)
    assert changed > 0


def test_corrections_are_read_back(tmp_path):
    """A label given in the page, here set as the page saves it, holds, and the rest follows."""
    import pathlib

    import libchorale as ch
    from chorale_references import page

    lists = list(cr.parse_lists(cr.split((pathlib.Path(__file__).parent / "forty.txt").read_text(encoding="utf-8").splitlines(keepends=True))))
    problem = page.problem_of(lists, "Forty")
    gold = [-1] * sum(len(item.tokens) for of in lists for item in of.items)
    gold[0] = problem.labels.index("Title")
    problem.gold = gold
    path = tmp_path / "saved.chorale"
    problem.save(path)
    again = page.read_back(path)
    assert [len(of.references) for of in again] == [10] * 4 and again[0].references[0].labels[0] == "Title"
    assert again[3].references[-1].labels == lists[3].references[-1].labels
    code, out, _ = run(path)
    assert code == 0 and out.count("\n@") == 39

    ch.Problem(problem.model).save(path)
    assert run(path)[0] == 2


def test_the_page(tmp_path):
    """Made by the command chorale, if there is one."""
    import shutil

    program = os.environ.get("CHORALE_COMMAND") or shutil.which("chorale")
    if program is None:
        pytest.skip("no command chorale")
    path = tmp_path / "page.html"
    assert run("-o", path, "--chorale", program)[0] == 0
    text = path.read_text(encoding="utf-8")
    assert "Kahneman" in text and 'download="references.bib"' in text and 'download="references.json"' in text


def test_the_example_of_the_readme():
    import pathlib

    readme = (pathlib.Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    program, printed = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", readme, re.S).groups()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True)
    assert done.stdout.decode() == printed
