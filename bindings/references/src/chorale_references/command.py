"""The command chorale-references."""

from __future__ import annotations

import argparse
import contextlib
import io
import pathlib
import sys
import time
from collections.abc import Iterator
from typing import Any, TextIO

from . import page
from .lists import LAYOUTS, InputError, decoded, split
from .parse import ParsedList, parse_lists
from .writers import WRITERS

_ENDINGS = {".bib": "bibtex", ".json": "csl", ".ris": "ris", ".txt": "text", ".html": "page"}
# The page shows no more (chorale report cuts longer ones), and is kept in memory.
_MOST_ON_PAGE = 2000


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="chorale-references",
        description="Parses raw lists of references: text in, BibTeX, CSL-JSON, RIS, labelled text or a page out. The "
        "references of a list are labelled together, so that they agree on their style.",
        epilog="Exit codes: 0: done; 2: an argument, or a file that cannot be read or written.",
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="lists of references, or corrections that were saved in the page; - or none: the standard input")
    parser.add_argument("-o", "--output", action="append", default=[], metavar="FILE",
                        help="where to write: .bib, .json (CSL-JSON), .ris, .txt (labelled text) or .html (the page); may be given "
                        "several times; none: BibTeX to the standard output")
    parser.add_argument("--to", choices=list(WRITERS), help="what to write to the standard output")
    parser.add_argument("--layout", choices=LAYOUTS, default="auto", help="how references are told apart (%(default)s)")
    parser.add_argument("--encoding", default="utf-8", help="of the files (%(default)s)")
    parser.add_argument("--alone", action="store_true", help="label each reference by itself")
    parser.add_argument("--sure", action="store_true", help="say in CSL-JSON how probable the labels of each reference are (custom.sure)")
    parser.add_argument("--chorale", default="chorale", metavar="PROGRAM", help="the command chorale, which makes the page")
    parser.add_argument("--library", metavar="FILE", help="libchorale.embedded.js, so that the page takes corrections")
    return parser


class _Progress:
    """Counts references on a terminal, after the first second."""

    def __init__(self, to: TextIO) -> None:
        self._to, self._begin, self._count, self._shown = to, time.monotonic(), 0, 0.0

    def add(self, count: int) -> None:
        self._count += count
        now = time.monotonic()
        if self._to.isatty() and now - self._begin > 1 and now - self._shown > 0.5:
            self._shown = now
            self._to.write("\r%d references" % self._count)
            self._to.flush()

    def end(self) -> None:
        if self._shown:
            self._to.write("\r%d references\n" % self._count)


def _parsed(options: argparse.Namespace, strengths: dict[str, float] | None) -> Iterator[ParsedList]:
    for name in options.files or ["-"]:
        if name == "-":
            lines = decoded(sys.stdin.buffer, "standard input", options.encoding)
            yield from parse_lists(split(lines, options.layout), strengths=strengths, sure=options.sure)
        elif page.is_problem(pathlib.Path(name)):
            yield from page.read_back(pathlib.Path(name))
        else:
            with open(name, "rb") as file:
                lines = decoded(file, name, options.encoding)
                yield from parse_lists(split(lines, options.layout, pathlib.Path(name).stem), strengths=strengths, sure=options.sure)


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    outputs: list[tuple[str, str]] = []
    for name in options.output:
        kind = _ENDINGS.get(pathlib.Path(name).suffix)
        if kind is None:
            parser.error("--output is %r; its ending must be one of %s" % (name, " ".join(_ENDINGS)))
        outputs.append((kind, name))
    try:
        "".encode(options.encoding)
    except LookupError:
        parser.error("--encoding is %r, which is not known" % options.encoding)
    if options.to or not outputs:
        outputs.append((options.to or "bibtex", ""))
    try:
        _run(options, outputs)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of a pipe has seen enough
        return 0
    except (OSError, InputError, page.PageError) as error:
        print("chorale-references: %s" % error, file=sys.stderr)
        return 2
    return 0


def _run(options: argparse.Namespace, outputs: list[tuple[str, str]]) -> None:
    progress = _Progress(sys.stderr)
    strengths: dict[str, float] | None = {} if options.alone else None
    pages = [name for kind, name in outputs if kind == "page"]
    on_page: list[ParsedList] = []
    with contextlib.ExitStack() as stack:
        writers: list[Any] = []
        for kind, name in outputs:
            if kind != "page":
                to = stack.enter_context(open(name, "w", encoding="utf-8")) if name else sys.stdout
                writers.append(stack.enter_context(WRITERS[kind](to)))
        exports = {kind: io.StringIO() for kind in ("bibtex", "csl", "ris") if pages}
        export_writers = [stack.enter_context(WRITERS[kind](to)) for kind, to in exports.items()]
        shown = 0
        for each in _parsed(options, strengths):
            for reference in each.references:
                for write in writers:
                    write(reference)
                if pages and shown < _MOST_ON_PAGE:
                    for write in export_writers:
                        write(reference)
            if pages and shown < _MOST_ON_PAGE:
                on_page.append(each)
            shown += len(each.references)
            progress.add(len(each.references))
    progress.end()
    for name in pages:
        if not any(of.references for of in on_page):
            raise page.PageError("there is no reference to show")
        title = ", ".join(pathlib.Path(f).name for f in options.files if f != "-") or "References"
        texts = {kind: to.getvalue() for kind, to in exports.items()}
        page.write(on_page, pathlib.Path(name), title, texts, command=options.chorale, library=options.library, strengths=strengths)
    if pages and shown > _MOST_ON_PAGE:
        print("The page shows the first %d references of %d" % (sum(len(of.references) for of in on_page), shown), file=sys.stderr)
