"""The command `libchorale`, which is also `python -m libchorale`. Makes the labels of the rows of a
table agree, or the labels of sequences whose scores are given as JSON lines."""

from __future__ import annotations

import argparse
import dataclasses
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from . import logits
from ._arrays import missing
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
    told,
    write,
)
from ._given import RULES, TableError
from ._native import version
from .chain import Transitions
from .collective import Change, decode, gains
from .errors import Error, Renaming, StateError
from .rules import Rule, parse
from .run import Progress
from .settling import NAMES, settle

ABOUT = """\
Makes labels agree: those of the rows of a table that name the same thing, or
those of sequences that have words in common.

  settle    a table of mentions as it comes in; the same out, with one label for each
            name, unless the name is really two things
  label     scores of sequences in; their labels together out

"libchorale COMMAND --help" lists the options of a command."""

CODES = """\
Exit codes: 0 done, 1 no labelling was found, 2 bad input, 3 no memory or no room
for output."""

TABLE = """\
FILE is a table: CSV with a line of columns (with commas, tabs or semicolons; an
empty field is null), lines of JSON objects, or Parquet. Each row is a mention of
something, with the label that a tagger gave it. How the file begins tells which of
these it is."""

SETTLE = f"""\
Gives all mentions of a key one label, unless the key is really two things. Takes
tables as they come: confidences as numbers, texts ("85 %"), words ("high") or JSON of
alternatives; keys and labels in several spellings. Prints the same table with five
columns more: together, the label; probability; changed; why, in words; and conflict,
for keys that are not settled. Says on the standard error what happened.

{TABLE}

With --review N it prints instead the N questions whose answers change most rows, as
lines of JSON objects. Give each a field "answer", a label, or null if the mentions
differ, and give the lines back with --answers. --page PATH writes a page on which a
person answers them, and which saves such a file.

Example: libchorale settle --key name --label type --confidence sure names.csv"""

LABEL = """\
Labels sequences together, so that equal tokens of a group have equal labels.

FILE has a JSON object in each line: "scores", a list of the scores of all labels for
each position, such as log-probabilities; "tokens", a text for each position (null, or
no tokens: it need not agree with any); and, if need be, "group", such as the document,
within which tokens agree. "edges" (T - 1 tables: the score of each label after each),
"forced" (the label of each position by its number, -1: not known) and "allowed" (true
or false for each score) are a sequence's own; either all have them or none. The same
objects are printed, without scores and with "labels"; "own", the labels of the sequence
by itself; "changed", the positions, from 0, where these differ; and "why", for each of
these positions, in words. If every labelling of a sequence is forbidden, its labels are
null, and "left_out" says what forbids them.

With --rules the labels of each sequence keep rules: once (at most one segment of each
label), once:A, at_most:K,A, at_least:K,A, exactly:K,A, never:A, at_most_tokens:K,A,
no_longer:K,A, before:A,B, directly_after:A,B, not_together:A,B, needs:A,B. With
",price=F" at its end, a rule may be broken at that price. With --scheme, A and B are
kinds: PER, not B-PER. "ruled" says what the rules did to a sequence that broke some.

Example: libchorale label --labels O,PLACE,PERSON --strength 1.2 scores.jsonl"""


# ---- Arguments


class Parser(argparse.ArgumentParser):
    """An argument parser that prints errors as one line, like the other errors of the command."""

    def error(self, message: str) -> NoReturn:
        message = re.sub(r"^argument (\S+): is ", r"\1 is ", message)
        raise Stop(BAD_INPUT, re.sub(r"^argument (\S+: )", r"\1", message))


def _whole(least: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"\d{1,9}", text) or int(text) < least:
            rule = f"it must be a whole number from {least} on"
            raise argparse.ArgumentTypeError(f'is "{text}"; {rule}')
        return int(text)

    return read


def _real(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f'is "{text}"; it must be a number')
    return value


def _strength(text: str) -> float | str:
    return text if text == "auto" else _real(text)


def _not_negative(text: str) -> float:
    value = _real(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f'is "{text}"; it must not be negative')
    return value


def _list(text: str) -> list[str]:
    return [entry.strip() for entry in text.split(",")]


def _names(text: str) -> list[str]:
    names = _list(text)
    if len(set(names)) != len(NAMES) or "" in names:
        raise argparse.ArgumentTypeError(f'is "{text}"; it must be five different names')
    return names


def _parser() -> Parser:
    options: dict[str, Any] = {
        "formatter_class": argparse.RawDescriptionHelpFormatter,
        "allow_abbrev": False,
        "epilog": CODES,
    }
    parser = Parser("libchorale", description=ABOUT, **options)
    parser.add_argument("--version", action="version", version=f"libchorale {version}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, about: str, run: Callable[[argparse.Namespace], bytes]) -> Parser:
        made: Parser = commands.add_parser(name, description=about, **options)
        made.set_defaults(run=run)
        return made

    _add_settle(command("settle", SETTLE, command_settle))
    _add_label(command("label", LABEL, command_label))
    return parser


def _add_label(parser: Parser) -> None:
    def add(name: str, says: str, **settings: Any) -> None:
        parser.add_argument(name, help=says, **settings)

    add("FILE", '"-" or none: the standard input', nargs="?", default="-")
    says = "names of the labels, in the order of scores; default: their numbers"
    add("--labels", says, type=_list, metavar="A,B,...")
    says = "a file with a JSON list of lists: the score of each label (column) after each (row); "
    says += 'or with an object of such "scores", and of "start" and "end": scores of each label at '
    says += "the beginning and at the end of a sequence"
    add("--transitions", says, metavar="PATH")
    says = "forbids what does not fit the labels' names, such as I-PER after O"
    add("--scheme", says, choices=("bio", "bioes", "bilou"))
    says = "a rule that labels keep; given again: one more. Or a file, *.json, with a list of "
    says += 'rules: texts, or objects such as {"rule": "before", "a": "A", "b": "B", "price": 2}'
    add("--rules", says, action="append", default=[], metavar="RULE")
    says = "a sequence whose rules cost more keeps its own labels; default: no limit"
    add("--most-cost", says, type=_not_negative, metavar="F")
    says = (
        "what agreement is worth, in the unit of the scores; default: auto, found from the scores"
    )
    add("--strength", says, type=_strength, default="auto", metavar="F")
    says = "labels that take no part in agreement; default: O, if --labels has it"
    add("--uncounted", says, type=_list, metavar="A,B,...")
    says = "only tokens of so many places agree (default 2)"
    add("--minimum", says, type=_whole(2), default=2, metavar="N")
    says = "rounds of messages, at most (default 10)"
    add("--rounds", says, type=_whole(0), default=10, metavar="N")
    says = "end the search after so long, with the best labels found so far"
    add("--seconds", says, type=_not_negative, metavar="F")
    says = "default 1; the result is the same for any number"
    add("--threads", says, type=_whole(1), default=1, metavar="N")
    says = "tell progress on the standard error even if that is no terminal"
    add("--progress", says, action="store_true")
    add("--output", "default: the standard output", metavar="PATH")
    says = "default: json; text: a line for each position, with token, label and own label, and an "
    says += "empty line after each sequence"
    add("--format", says, choices=("json", "text"), default="json")


def _add_settle(parser: Parser) -> None:
    def add(name: str, says: str, **settings: Any) -> None:
        parser.add_argument(name, help=says, **settings)

    add("FILE", '"-" or none: the standard input', nargs="?", default="-")
    says = "the column of names; COLUMN,COLUMN: several that are one key"
    add("--key", says, required=True, metavar="COLUMN")
    add("--label", "the column of labels", metavar="COLUMN")
    says = "how probable the labels are: a column, or one number for all rows (default 0.8); or, "
    says += "once for each label, LABEL=COLUMN"
    add("--confidence", says, action="append", metavar="WHAT")
    says = "all labels there are; A=B: B is another spelling of A. Default: those that occur"
    add("--labels", says, type=_list, metavar="A,B,...")
    scales = ("probability", "percent", "logarithm")
    add("--scale", "of numbers", choices=scales, default="probability")
    add("--missing", "the confidence of rows without one", type=_real, metavar="F")
    add("--abstain", "labels by which a row says nothing", type=_list, metavar="A,B,...")
    add("--count", "how many equal rows each row stands for", metavar="COLUMN")
    add("--group", "the column of documents: names are settled within each", metavar="COLUMN")
    says = "how keys may differ and yet be equal; none: they may not. Default: "
    says += ",".join(RULES)
    add("--key-rules", says, type=_list, default=list(RULES), metavar="A,B,...")
    add("--numbers", "texts that are numbers are keys as well", action="store_true")
    says = "a name of one word is the longer name before it that begins or ends with it"
    add("--partial", says, action="store_true")
    says = "what to do if entries cannot be used: raise lists them; keep leaves their rows as they "
    says += "are; fill gives them the label of their key (default: raise)"
    add("--unusable", says, choices=("raise", "keep", "fill"), default="raise")
    says = "right labels of some rows, null elsewhere: what decides is learnt from them"
    add("--gold", says, metavar="COLUMN")
    add("--review", "print so many questions instead", type=_whole(1), metavar="N")
    add("--answers", "a file with questions that have answers", metavar="PATH")
    add("--page", "write a page on which a person answers questions", metavar="PATH")
    says = f"of the new columns; default: {','.join(NAMES)}"
    add("--names", says, type=_names, default=list(NAMES), metavar="A,B,C,D,E")
    add("--output", "default: the standard output", metavar="PATH")
    says = "of the output; default: what the ending of PATH says, or that of FILE"
    add("--format", says, choices=("csv", "json", "parquet"))


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


# ---- Tables


@contextmanager
def _naming(options: argparse.Namespace, place: str, lines: Sequence[int]) -> Iterator[None]:
    """Turns errors of calls of the package into a `Stop` whose message names options of the command
    and lines of the file."""
    try:
        yield
    except (Error, TypeError, ValueError) as error:
        if isinstance(error, MemoryError):
            raise
        raise Stop(BAD_INPUT, told(error, place, lines, vars(options))) from None


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


def _form(given: argparse.Namespace, table: Table) -> tuple[Any, str]:
    """Returns the form of the output, and the delimiter for CSV."""
    ending = "" if given.output is None else os.path.splitext(given.output)[1].lower()
    form = given.format or FORMS.get(ending, table.form)
    delimiter = "\t" if ending == ".tsv" else table.delimiter
    if form == "parquet":
        pyarrow()
        if given.output is None and sys.stdout is not None and sys.stdout.isatty():
            raise Stop(BAD_INPUT, "--output is missing; Parquet is nothing for a terminal")
    return form, delimiter


def command_settle(given: argparse.Namespace) -> bytes:
    table = read_table(given.FILE)
    form, delimiter = _form(given, table)
    labels: Any = given.labels
    if labels is not None and any("=" in label for label in labels):
        labels = {}
        for label, _, other in (entry.partition("=") for entry in given.labels):
            labels.setdefault(label, []).extend([other] if other else [])
    with _naming(given, table.place, table.lines):
        try:
            settled = settle(
                table.rows,
                key=_key(given.key, table),
                label=given.label,
                confidence=_confidence(given.confidence or [], table),
                labels=labels,
                scale=given.scale,
                missing=given.missing,
                abstain=given.abstain,
                count=given.count,
                group=given.group,
                key_rules=[] if given.key_rules == ["none"] else given.key_rules,
                numbers=given.numbers,
                partial=given.partial,
                unusable=given.unusable,
                gold=given.gold,
                names=given.names,
            )
        except TableError as error:
            for problem in error.problems:
                text = f"{table.place}, {_line(table, problem.row)}: {problem.what}"
                print(_printable(text), file=sys.stderr)
            rule = (
                "--unusable keep leaves such rows as they are, fill gives them their keys' labels"
            )
            raise Stop(BAD_INPUT, f"{len(error.problems)} entries cannot be used; {rule}") from None
        if given.answers is not None:
            entries, lines = json_lines(read_bytes(given.answers), place_of(given.answers))
            answers = {}
            for entry, line in zip(entries, lines):
                if "answer" in entry:
                    if not isinstance(entry.get("row"), int):
                        raise Stop(BAD_INPUT, f"{given.answers}, line {line}: there is no row")
                    answers[entry["row"]] = entry["answer"]
            settled = settled.answer(answers)
    print(_printable_lines(str(settled)), file=sys.stderr)
    if given.page is not None:
        write(settled.page(given.review or 20).encode("utf-8", "replace"), given.page)
    if given.review is not None:
        return as_json(dataclasses.asdict(question) for question in settled.review(given.review))
    return as_table(settled.table, [*table.names, *given.names], form, delimiter)


def _line(table: Table, row: int) -> str:
    return f"line {table.lines[row]}" if table.lines else f"row {row}"


# ---- Sequences

NEW = ("labels", "own", "changed", "why")
LEFT_OUT, RULED = "left_out", "ruled"


@dataclasses.dataclass
class _Corpus:
    """Sequences read from the lines of a file. tokens: the argument `tokens` of `decode`."""

    place: str
    lines: list[int]
    entries: list[dict[str, Any]]
    scores: list[Any]
    tokens: list[list[Any]]
    groups: list[Any] | None
    own: dict[str, Any]


OWN = ("edges", "forced", "allowed")


def _corpus(path: str) -> _Corpus:
    place = place_of(path)
    entries, lines = json_lines(read_bytes(path), place)
    if not entries:
        raise Stop(BAD_INPUT, f"{place}: no sequences")
    scores, tokens = [], []
    for entry, line in zip(entries, lines):
        rows, words, group = _scores(entry.get("scores")), entry.get("tokens"), entry.get("group")
        words = [None] * (0 if rows is None else len(rows)) if words is None else words
        taken = [name for name in NEW if name in entry]
        rule = ""
        if taken:
            rule = f'"{taken[0]}" is there already; give it another name'
        elif rows is None:
            rule = (
                '"scores" must be a list for each position, with a number for each label; -Infinity '
                "forbids a label"
            )
        elif not isinstance(words, list) or len(words) != len(rows):
            rule = '"tokens" must be a list, one for each list of "scores"'
        elif any(isinstance(word, (list, dict)) for word in words):
            rule = '"tokens" must be texts, numbers or null'
        elif isinstance(group, (list, dict)):
            rule = '"group" must be a text or a number'
        if rule:
            raise Stop(BAD_INPUT, f"{place}, line {line}: {rule}")
        scores.append(rows)
        tokens.append([None if missing(word) else str(word) for word in words])
    width = max((rows.shape[1] for rows in scores), default=0)
    if width == 0:
        raise Stop(BAD_INPUT, f"{place}: no sequence has positions")
    for number, (rows, line) in enumerate(zip(scores, lines)):
        if len(rows) and rows.shape[1] != width:
            rule = f"{rows.shape[1]} scores for a position where other lines have {width}"
            raise Stop(BAD_INPUT, f'{place}, line {line}: "scores" has {rule}')
        scores[number] = rows.reshape(-1, width)
    groups = [entry.get("group") for entry in entries]
    together = any("group" in entry for entry in entries)
    own: dict[str, Any] = {}
    for name in OWN:
        there = [name in entry for entry in entries]
        if all(there):
            own[name] = [entry[name] for entry in entries]
        elif any(there):
            raise Stop(BAD_INPUT, f'{place}, line {lines[there.index(False)]}: "{name}" is missing')
    return _Corpus(place, lines, entries, scores, tokens, groups if together else None, own)


def _scores(given: Any) -> Any:
    """Returns an array, T x m; None if a file gives anything else."""
    try:
        array = np.array(given if given else [[]], dtype=np.float64)
    except (TypeError, ValueError):
        return None
    wrong = np.isnan(array) | np.isposinf(array)
    if not isinstance(given, list) or array.ndim != 2 or (given and array.size == 0) or wrong.any():
        return None
    return array[: len(given)]


def _rules(given: Sequence[str]) -> list[Rule]:
    entries: list[Any] = []
    for text in given:
        listed = read_json(text, "--rules") if text.endswith(".json") else [text]
        if not isinstance(listed, list):
            raise Stop(BAD_INPUT, f"{text}: it must be a list of rules")
        entries += listed
    return parse(entries)


def command_label(given: argparse.Namespace) -> bytes:
    names = given.labels
    if given.scheme is not None and given.transitions is not None:
        raise Stop(BAD_INPUT, "--scheme and --transitions exclude each other")
    if given.scheme is not None and names is None:
        raise Stop(BAD_INPUT, "--labels is missing; --scheme goes by the labels' names")
    corpus = _corpus(given.FILE)
    width = corpus.scores[0].shape[1]
    if names is not None and len(names) != width:
        raise Stop(BAD_INPUT, f"--labels has {len(names)} names for {width} scores a position")
    uncounted = None
    if given.uncounted is not None:
        known = {name: k for k, name in enumerate(names or map(str, range(width)))}
        strange = [name for name in given.uncounted if name not in known]
        if strange:
            raise Stop(BAD_INPUT, f'--uncounted has "{strange[0]}", which is no label')
        uncounted = [known[name] for name in given.uncounted]
    transitions: Any = None
    if given.transitions is not None:
        transitions = read_json(given.transitions, "--transitions")
        if type(transitions) is dict and not transitions.keys() <= {"scores", "start", "end"}:
            wrong = list(transitions)
            raise Stop(BAD_INPUT, f"--transitions has {wrong}; it may have scores, start and end")
    with _naming(given, corpus.place, corpus.lines):
        if given.scheme is not None:
            with Renaming({"names": "labels"}):
                transitions = logits.scheme_transitions(names, given.scheme)
        elif type(transitions) is dict:
            transitions = Transitions(**transitions, labels=width)
        try:
            found = decode(
                corpus.scores,
                transitions,
                **corpus.own,
                groups=corpus.groups,
                tokens=corpus.tokens,
                strength=given.strength,
                minimum=given.minimum,
                names=names or list(map(str, range(width))),
                uncounted=uncounted,
                rules=_rules(given.rules),
                scheme=given.scheme or "plain",
                most_cost=given.most_cost,
                rounds=given.rounds,
                threads=given.threads,
                time_limit=given.seconds,
                progress=_round if given.progress else None,
            )
        except StateError as error:
            raise Stop(NO, str(error)) from None
        finally:
            if given.progress and sys.stderr.isatty():
                _tell("")

    def named(labels: Any) -> list[Any]:
        numbers: list[int] = labels.tolist()
        if names is None:
            return [None if number < 0 else number for number in numbers]
        return [None if number < 0 else names[number] for number in numbers]

    labels, own = [named(row) for row in found.labels], [named(row) for row in found.own]
    if given.format == "text":
        return _as_text(corpus, labels, own)
    changes = {change.chain: change for change in found.changed}
    left_out = {entry.chain: str(entry).split(": ", 1)[1] for entry in found.left_out}
    ruled = {entry.chain: entry for entry in found.ruled}
    printed = []
    for number, entry in enumerate(corpus.entries):
        kept = {name: value for name, value in entry.items() if name not in ("scores", *OWN)}
        changed, why = [], []
        if number in changes:
            changed = np.flatnonzero(found.labels[number] != found.own[number]).tolist()
            said = _why(changes[number], corpus, labels[number])
            for reason in ruled[number].reasons if number in ruled else ():
                said.setdefault(reason.position, reason.told)
            for place in changed:
                if place not in said:
                    said[place] = found._otherwise(changes[number], place, number in ruled)
            why = [said[place] for place in changed]
        new = (labels[number], own[number], changed, why)
        told = {LEFT_OUT: left_out[number]} if number in left_out else {}
        if number in ruled:
            told[RULED] = str(ruled[number]).split(": ", 1)[1]
        printed.append({**kept, **dict(zip(NEW, new)), **told})
    return as_json(printed)


def _why(change: Change, corpus: _Corpus, labels: list[Any]) -> dict[int, str]:
    where = "" if corpus.groups is None else " in this group"
    said = {}
    for reason in gains(change):
        word = corpus.tokens[change.chain][reason.position]
        before = f"{reason.agreeing_before} of {reason.others} other places of {word!r}{where}"
        now = f"{reason.agreeing} of {reason.others} are now"
        said[reason.position] = f"{before} were {labels[reason.position]}, {now}"
    return said


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


def _printable_lines(text: str) -> str:
    return "\n".join(map(_printable, text.split("\n")))


def main(arguments: Sequence[str] | None = None) -> int:
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")
    try:
        given = _parser().parse_args(arguments)
        if "progress" in given and sys.stderr.isatty():
            given.progress = True
        check_writable(given.output, given.FILE)
        check_writable(getattr(given, "page", None), given.FILE)
        write(given.run(given), given.output)
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
