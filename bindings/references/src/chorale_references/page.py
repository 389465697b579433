"""Writes the page: what the labels are, what agreement changed and why, with corrections that
spread to the other references. The command `chorale report` makes it of a problem file; here the
references are put into such a file, and the page gets buttons that save what was parsed. Corrections
that were saved in the page are read back from the problem file that it wrote."""

from __future__ import annotations

import base64
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from html import escape

import libchorale as ch
import numpy as np

from . import agreement, tagger
from .lists import Reference
from .parse import Parsed, ParsedList
from .tokens import tokenise

_MAGIC = b"\x89CHOR\r\n"  # how a problem file begins
_SIZES = "references in each list"  # a note of the problem
_MEDIA = {"bibtex": ("bib", "BibTeX"), "csl": ("json", "CSL-JSON"), "ris": ("ris", "RIS")}


class PageError(RuntimeError):
    """The page cannot be made; the message says why."""


def problem_of(lists: Sequence[ParsedList], title: str, strengths: dict[str, float] | None = None) -> ch.Problem:
    """Returns parsed lists as a problem without gold labels."""
    transitions = ch.Transitions(tagger.shipped().transitions)
    problem = agreement.Together([(each.name, each.items) for each in lists], transitions, strengths).problem()
    sizes = " ".join(str(sum(bool(item.tokens) for item in each.items)) for each in lists)
    problem.notes = {"title": title, "made by": "chorale-references", _SIZES: sizes}
    return problem


def write(
    lists: Sequence[ParsedList],
    path: pathlib.Path,
    title: str,
    exports: dict[str, str],
    *,
    command: str = "chorale",
    library: str | None = None,
    strengths: dict[str, float] | None = None,
) -> None:
    """Writes the page. exports: by name of a format what its button saves; command: the program
    `chorale`; library: the library for browsers, without which the page takes no corrections."""
    found = shutil.which(command)
    if found is None:
        raise PageError("the page is made by the command chorale, which is not at %r" % command)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "references.chorale"
        problem_of(lists, title, strengths).save(file)
        options = ["--library", library] if library else []
        done = subprocess.run(
            [found, "report", "--output", str(path), *options, str(file)], capture_output=True, text=True
        )
    if done.returncode:
        raise PageError(done.stderr.strip() or "chorale report ended with %d" % done.returncode)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("<main>", "<main>\n" + _buttons(exports), 1), encoding="utf-8")


def is_problem(path: pathlib.Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def read_back(path: pathlib.Path) -> list[ParsedList]:
    """Returns the lists of a problem file, labelled together such that they have its gold labels:
    those that a reader gave in the page."""
    try:
        problem = ch.Problem.load(path)
    except ch.Error as error:
        raise PageError("%s: %s" % (path, error)) from None
    model, labels, gold = problem.model, problem.labels, problem.gold
    if labels != tagger.LABELS or _SIZES not in problem.notes:
        raise PageError("%s: it was not made by chorale-references" % path)
    words, spaces = problem.words, problem.spaces
    lists = [ParsedList(name, "", [], []) for name in problem.group_names]
    with ch.Run(model, edits=True) as run:
        given = [] if gold is None else [t for t in range(len(gold)) if gold[t] >= 0]
        starts = np.concatenate([[0], np.cumsum(model.chain_lengths)])
        for t in given:
            chain = int(np.searchsorted(starts, t, side="right")) - 1
            run.set_allowed(chain, t - int(starts[chain]), np.arange(len(labels)) == gold[t])
        run.solve()
        sizes = [int(size) for size in problem.notes[_SIZES].split()]
        list_of = np.repeat(np.arange(len(sizes)), sizes)
        for chain, (name, group) in enumerate(zip(problem.chain_names, list_of)):
            text = "".join(s + w for s, w in zip(spaces[starts[chain] : starts[chain + 1]], words[starts[chain] : starts[chain + 1]]))
            source = Reference(text + "\n", chain + 1, "" if name.startswith("line ") else name, text)
            together, own = ([labels[y] for y in run.labels(chain, alone=alone)] for alone in (False, True))
            lists[group].references.append(Parsed(source, tokenise(text), together, own))
    return lists


def _buttons(exports: dict[str, str]) -> str:
    links = []
    for name, content in exports.items():
        ending, shown = _MEDIA[name]
        data = base64.b64encode(content.encode()).decode()
        links.append(
            '<a download="references.%s" href="data:text/plain;charset=utf-8;base64,%s">%s</a>'
            % (ending, data, escape(shown))
        )
    return '<p class="exports">Save all as parsed: %s.</p>\n' % ", ".join(links)
