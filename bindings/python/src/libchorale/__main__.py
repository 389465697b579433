"""The command `libchorale`, which is also `python -m libchorale`. Makes the labels of the rows of a
table agree, or the labels of sequences whose scores are given as JSON lines."""

from __future__ import annotations

import argparse
import dataclasses
import importlib.resources
import inspect
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from . import _arrays as arrays
from . import logits
from ._agreements import OWN
from ._files import (
    BAD_INPUT,
    FORMS,
    NO,
    SYSTEM,
    Stop,
    Table,
    as_json,
    as_table,
    check_writable,
    json_lines,
    place_of,
    pyarrow,
    read_bytes,
    read_json,
    read_table,
    write,
)
from ._given import TableError
from ._native import version
from .chain import Transitions
from .collective import decode
from .errors import Error, Renaming, StateError
from .rules import Rule, parse
from .run import Progress, Reason
from .settling import NAMES, settle

# ---- Arguments

# What --help prints of the program and its commands. Options of a command are read from it: the
# name of a value tells how it is read (`_reader`); one without a value is a switch. Those that
# are not given have the defaults of `settle` and `decode`, whose arguments they are.
HELP = importlib.resources.files(__package__) / "texts"
TEXTS = {
    name: (HELP / f"{name}.txt").read_text("utf-8") for name in ("libchorale", "settle", "label")
}
OPTIONS = {name: dict(re.findall(r"^  (--[\w-]+) ?(\S*)", of, re.M)) for name, of in TEXTS.items()}

# Options of a command that have other names than the arguments.
RENAMED = {"settle": {}, "label": {"labels": "names", "seconds": "time_limit"}}


class Parser(argparse.ArgumentParser):
    """An argument parser that prints errors as one line, like the other errors of the command."""

    text = TEXTS["libchorale"]

    def format_help(self) -> str:
        return self.text

    def error(self, message: str) -> NoReturn:
        message = re.sub(r"^argument (\S+): is ", r"\1 is ", message)
        raise Stop(BAD_INPUT, re.sub(r"^argument (\S+: )", r"\1", message))


def _list(text: str) -> list[str]:
    return [entry.strip() for entry in text.split(",")]


def _reader(value: str) -> Callable[[str], Any]:
    """Returns the function that reads the value of an option. value: its name in --help."""
    kind, _, least = value.partition(">=")

    def read(text: str) -> Any:
        if kind == "F|auto" and text == "auto":
            return text
        if kind == "N":
            if re.fullmatch(r"\d{1,9}", text) and int(text) >= int(least):
                return int(text)
            raise argparse.ArgumentTypeError(
                f'is "{text}"; it must be a whole number from {least} on'
            )
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise argparse.ArgumentTypeError(f'is "{text}"; it must be a number')
        if least and number < 0:
            raise argparse.ArgumentTypeError(f'is "{text}"; it must not be negative')
        return number

    if "," in kind:
        return _list
    return str if kind in ("COLUMN", "PATH", "RULE", "WHAT") else read


def _parser() -> Parser:
    parser = Parser("libchorale", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"libchorale {version}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in ("settle", "label"):
        made = commands.add_parser(command, allow_abbrev=False)
        made.text = TEXTS[command]
        made.add_argument("FILE", nargs="?", default="-")
        for name, value in OPTIONS[command].items():
            settings: dict[str, Any] = {"required": name == "--key", "default": argparse.SUPPRESS}
            if not value:
                settings["action"] = "store_true"
            elif value.startswith("{"):
                settings["choices"] = value[1:-1].split(",")
            else:
                settings["type"] = _reader(value)
                settings["action"] = "append" if value in ("RULE", "WHAT") else "store"
            made.add_argument(name, **settings)
    return parser


# ---- Progress


def _tell(text: str) -> None:
    """Prints progress: on a terminal by overwriting one line, otherwise line by line."""
    sys.stderr.write(f"\r\033[K{text}" if sys.stderr.isatty() else f"{text}\n")
    sys.stderr.flush()


def _round(progress: Progress) -> None:
    _tell(
        f"round {progress.round}: score {progress.score:.4f}, "
        f"{progress.messages_changed} messages changed"
    )


# ---- Messages

# What the objects of `label` have, by the names of the arguments of `decode`.
FIELDS = {"unaries": "scores", **{name: name for name in ("tokens", *OWN)}, "counts": "count"}


@contextmanager
def _naming(command: str, place: str, lines: Sequence[int]) -> Iterator[None]:
    """Turns errors of calls of the package into a `Stop` whose message is in the terms of the
    command: instead of a row or a chain it names the line of the file, instead of an argument the
    option. Text in quotes is unchanged."""

    def line(match: re.Match[str]) -> str:
        if match["row"] and lines:
            return f"line {lines[int(match['row'])]}"
        if match["field"]:
            where = f"line {lines[int(match['chain'])]}"
            return f'"{FIELDS[match["field"]]}"{match["position"]} in {where}'
        return match[0]

    quoted = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
    field = rf"(?P<field>{'|'.join(FIELDS)})\[(?P<chain>\d+)\](?P<position>(?:\[\d+\])*)"
    try:
        with Renaming({argument: option for option, argument in RENAMED[command].items()}):
            yield
    except (Error, TypeError, ValueError) as error:
        if isinstance(error, MemoryError):
            raise
        message = re.sub(rf"{quoted}|\brow (?P<row>\d+)|\b{field}", line, str(error))
        first = re.match(r"\w*", message)
        option = f"--{first[0].replace('_', '-')}" if first else ""
        if option in OPTIONS[command]:
            raise Stop(BAD_INPUT, option + message[len(option) - 2 :]) from None
        raise Stop(BAD_INPUT, f"{place}: {message}") from None


def _of(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options that are arguments of a function, by the names of the arguments."""
    renamed = RENAMED[given["command"]]
    named = {renamed.get(name, name): value for name, value in given.items()}
    return {name: named[name] for name in inspect.signature(function).parameters if name in named}


# ---- Tables


def _key(text: str, table: Table) -> str | tuple[str, ...]:
    return text if text in table.names or "," not in text else tuple(text.split(","))


def _confidence(given: list[str], table: Table) -> Any:
    if len(given) == 1 and given[0] not in table.names:
        try:
            return float(given[0])
        except ValueError:
            pass
    named = [text.partition("=") for text in given]
    if any(equals and text not in table.names for text, (_, equals, _) in zip(given, named)):
        return {label: column for label, _, column in named}
    return given[0] if len(given) == 1 else given or None


def _form(given: Mapping[str, Any], table: Table) -> tuple[Any, str]:
    """Returns the form of the output, and the delimiter for CSV."""
    output = given.get("output")
    ending = "" if output is None else os.path.splitext(output)[1].lower()
    form = given.get("format") or FORMS.get(ending, table.form)
    delimiter = "\t" if ending == ".tsv" else table.delimiter
    if form == "parquet":
        pyarrow()
        if output is None and sys.stdout is not None and sys.stdout.isatty():
            raise Stop(BAD_INPUT, "--output is missing; Parquet is nothing for a terminal")
    return form, delimiter


def _spellings(labels: list[str]) -> Any:
    """Returns the argument `labels` of `settle`: a dict if some labels are "A=B"."""
    if not any("=" in label for label in labels):
        return labels
    made: dict[str, list[str]] = {}
    for label, _, other in (entry.partition("=") for entry in labels):
        made.setdefault(label, []).extend([other] if other else [])
    return made


def _answers(path: str) -> dict[int, Any]:
    entries, lines = json_lines(read_bytes(path), place_of(path))
    answers = {}
    for entry, line in zip(entries, lines):
        if "answer" in entry:
            if not isinstance(entry.get("row"), int):
                raise Stop(BAD_INPUT, f"{path}, line {line}: there is no row")
            answers[entry["row"]] = entry["answer"]
    return answers


def command_settle(given: Mapping[str, Any]) -> bytes:
    table = read_table(given["FILE"])
    form, delimiter = _form(given, table)
    arguments = {**_of(settle, given), "key": _key(given["key"], table)}
    if "confidence" in given:
        arguments["confidence"] = _confidence(given["confidence"], table)
    if "labels" in given:
        arguments["labels"] = _spellings(given["labels"])
    if given.get("key_rules") == ["none"]:
        arguments["key_rules"] = []
    with _naming("settle", table.place, table.lines):
        try:
            settled = settle(table.rows, **arguments)
        except TableError as error:
            for problem in error.problems:
                row = problem.row
                where = f"line {table.lines[row]}" if table.lines else f"row {row}"
                print(_printable(f"{table.place}, {where}: {problem.what}"), file=sys.stderr)
            rule = (
                "--unusable keep leaves such rows as they are, fill gives them their keys' labels"
            )
            raise Stop(BAD_INPUT, f"{len(error.problems)} entries cannot be used; {rule}") from None
        if "answers" in given:
            settled = settled.answer(_answers(given["answers"]))
    print(*map(_printable, str(settled).split("\n")), sep="\n", file=sys.stderr)
    if "page" in given:
        write(settled.page(given.get("review", 20)).encode("utf-8", "replace"), given["page"])
    if "review" in given:
        return as_json(map(dataclasses.asdict, settled.review(given["review"])))
    names = [*table.names, *given.get("names", NAMES)]
    return as_table(settled.table, names, form, delimiter)


# ---- Sequences

NEW = ("labels", "alone", "changed", "why")


@dataclasses.dataclass
class _Corpus:
    """Sequences read from the lines of a file. labels: the number of labels."""

    place: str
    lines: list[int]
    entries: list[dict[str, Any]]
    labels: int
    arguments: dict[str, Any]  # of `decode`


def _corpus(path: str) -> _Corpus:
    place = place_of(path)
    entries, lines = json_lines(read_bytes(path), place)
    if not entries:
        raise Stop(BAD_INPUT, f"{place}: no sequences")
    of_each: dict[str, list[Any]] = {}
    for name in ("scores", *OWN, "count"):
        there = [name in entry for entry in entries]
        if not all(there) and (name == "scores" or any(there)):
            raise Stop(BAD_INPUT, f'{place}, line {lines[there.index(False)]}: "{name}" is missing')
        if all(there):
            of_each[name] = [entry[name] for entry in entries]
    scores = [
        _scores(rows, f"{place}, line {line}") for rows, line in zip(of_each.pop("scores"), lines)
    ]
    labels = max((0 if rows is None else rows.shape[1] for rows in scores), default=0)
    if labels == 0:
        raise Stop(BAD_INPUT, f"{place}: no sequence has positions")
    unaries = [np.zeros((0, labels)) if rows is None else rows for rows in scores]
    tokens = []
    for entry, line, rows in zip(entries, lines, unaries):
        words, group, count = entry.get("tokens"), entry.get("group"), entry.get("count", 1)
        words = [None] * len(rows) if words is None else words
        taken = [name for name in NEW if name in entry]
        rule = ""
        if taken:
            rule = f'"{taken[0]}" is there already; give it another name'
        elif not isinstance(words, list) or any(isinstance(word, (list, dict)) for word in words):
            rule = '"tokens" must be a list of texts, numbers or null'
        elif isinstance(group, (list, dict)):
            rule = '"group" must be a text or a number'
        elif type(count) is not int or not 1 <= count < 2**31:
            rule = f'"count" must be a whole number from 1 to {2**31 - 1}'
        if rule:
            raise Stop(BAD_INPUT, f"{place}, line {line}: {rule}")
        tokens.append([None if arrays.missing(word) else str(word) for word in words])
    counts = of_each.pop("count", None)
    arguments = {"unaries": unaries, "tokens": tokens, "counts": counts, **of_each}
    if any("group" in entry for entry in entries):
        arguments["groups"] = [entry.get("group") for entry in entries]
    return _Corpus(place, lines, entries, labels, arguments)


def _scores(given: Any, place: str) -> Any:
    """Returns an array, T x m; None if there are no positions."""
    if given == []:
        return None
    try:
        found = arrays.scores("scores", given, 2)
        if found.size:
            return found
    except (TypeError, ValueError):
        pass
    rule = "must be a list for each position, with a number for each label"
    raise Stop(BAD_INPUT, f'{place}: "scores" {rule}; -Infinity forbids a label')


def _rules(given: Sequence[str]) -> list[Rule]:
    entries: list[Any] = []
    for text in given:
        listed = read_json(text, "--rules") if text.endswith(".json") else [text]
        if not isinstance(listed, list):
            raise Stop(BAD_INPUT, f"{text}: it must be a list of rules")
        entries += listed
    return parse(entries)


def command_label(given: Mapping[str, Any]) -> bytes:
    names, scheme = given.get("labels"), given.get("scheme")
    if scheme is not None and "transitions" in given:
        raise Stop(BAD_INPUT, "--scheme and --transitions exclude each other")
    if scheme is not None and names is None:
        raise Stop(BAD_INPUT, "--labels is missing; --scheme goes by the labels' names")
    corpus = _corpus(given["FILE"])
    transitions: Any = None
    if "transitions" in given:
        transitions = read_json(given["transitions"], "--transitions")
        if type(transitions) is dict and not transitions.keys() <= {"scores", "start", "end"}:
            wrong = list(transitions)
            raise Stop(BAD_INPUT, f"--transitions has {wrong}; it may have scores, start and end")
    with _naming("label", corpus.place, corpus.lines):
        if scheme is not None:
            transitions = logits.scheme_transitions(given["labels"], scheme)
        elif type(transitions) is dict:
            transitions = Transitions(**transitions, labels=corpus.labels)
        arguments = {
            **_of(decode, given),
            **corpus.arguments,
            "transitions": transitions,
            "names": names or list(map(str, range(corpus.labels))),
            "rules": _rules(given.get("rules", ())),
            "progress": _round if "progress" in given else None,
        }
        try:
            found = decode(**arguments)
        except StateError as error:
            raise Stop(NO, str(error)) from None
        finally:
            if "progress" in given and sys.stderr.isatty():
                _tell("")

    def named(labels: Any) -> list[Any]:
        numbers: list[int] = labels.tolist()
        return [None if n < 0 else n if names is None else names[n] for n in numbers]

    labels, own = [named(row) for row in found.labels], [named(row) for row in found.alone]
    if given.get("format") == "text":
        return _as_text(corpus, labels, own)
    where = " in this group" if "groups" in corpus.arguments else ""

    def told(reason: Reason) -> str:
        word = corpus.arguments["tokens"][reason.chain][reason.position]
        before = f"{reason.agreeing_before} of {reason.others} other places of {word!r}{where}"
        label = labels[reason.chain][reason.position]
        return f"{before} were {label}, {reason.agreeing} of {reason.others} are now"

    ruled = {entry.chain: entry for entry in found.ruled}
    why = {of.chain: found._why(of, told, ruled.get(of.chain)) for of in found.changed}
    left_out = {entry.chain: str(entry).split(": ", 1)[1] for entry in found.left_out}
    printed = []
    for number, entry in enumerate(corpus.entries):
        made = {name: value for name, value in entry.items() if name not in ("scores", *OWN)}
        said = why.get(number, {})
        reasons = ["; ".join(told) for told in said.values()]
        made.update(zip(NEW, (labels[number], own[number], list(said), reasons)))
        if number in left_out:
            made["left_out"] = left_out[number]
        if number in ruled:
            made["ruled"] = str(ruled[number]).split(": ", 1)[1]
        printed.append(made)
    return as_json(printed)


def _as_text(corpus: _Corpus, labels: list[list[Any]], own: list[list[Any]]) -> bytes:
    lines = []
    for entry, rows in zip(corpus.entries, zip(labels, own)):
        words = entry.get("tokens") or [None] * len(rows[0])
        for fields in zip(words, *rows):
            texts = ["" if field is None else _printable(str(field)) for field in fields]
            lines.append("\t".join(texts) + "\n")
        lines.append("\n")
    return "".join(lines).encode("utf-8", "replace")


# ---- The program


def _printable(text: str) -> str:
    """Returns the text with control characters as "?", since a terminal would obey them."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", "?", text)


def main(arguments: Sequence[str] | None = None) -> int:
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")
    try:
        given = vars(_parser().parse_args(arguments))
        if given["command"] == "label" and sys.stderr.isatty():
            given["progress"] = True
        check_writable(given.get("output"), given["FILE"])
        check_writable(given.get("page"), given["FILE"])
        run = {"settle": command_settle, "label": command_label}[given["command"]]
        write(run(given), given.get("output"))
        return 0
    except Stop as stop:
        code, message = stop.code, str(stop)
    except (MemoryError, ImportError) as error:
        code = SYSTEM if isinstance(error, MemoryError) else BAD_INPUT
        message = str(error) or "out of memory"
    except KeyboardInterrupt:
        return 130  # the exit code of a program that SIGINT ends
    if message:
        print(f"libchorale: {_printable(message)}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
