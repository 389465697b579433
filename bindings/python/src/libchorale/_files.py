"""Reads and writes the files of the command `libchorale`: tables as CSV, JSON lines or
Parquet. Error messages name lines of the file.

A table is read whole. A field of CSV is a text, or None if it is empty.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import os
import re
import sys
from collections.abc import Iterable
from typing import Any, Literal

Form = Literal["csv", "json", "parquet"]

# The form of a file's contents for each suffix of its name.
FORMS: dict[str, Form] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
}

# Exit codes, the same as those of the command `chorale`. NO: no labelling was found. BAD_INPUT: the
# arguments or a file are wrong. SYSTEM: there is no memory, or the output cannot be written.
NO, BAD_INPUT, SYSTEM = 1, 2, 3


class Stop(Exception):
    """Raised to end the program with an exit code and a message on the standard error. If the
    message is empty, nothing is printed, for instance when the reader of a pipe has closed it."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclasses.dataclass
class Table:
    """A table that was read.

    place      the name of the file in error messages
    form       the form of the file's contents
    rows       a list of dicts from column names to values; for Parquet a pyarrow table
    names      the names of the columns
    lines      for each row its line number in the file, from 1; empty for a Parquet file
    delimiter  the delimiter of CSV
    """

    place: str
    form: Form
    rows: Any
    names: list[str]
    lines: list[int]
    delimiter: str = ","


def read_bytes(path: str, argument: str = "FILE") -> bytes:
    """Returns the bytes of a file, or of the standard input if the path is "-". argument: the name
    of the command's argument in error messages."""
    try:
        if path == "-":
            if sys.stdin is None:
                raise Stop(BAD_INPUT, f"{argument} is missing; the standard input is closed")
            if sys.stdin.isatty():
                print("Reading the standard input", file=sys.stderr)
            return sys.stdin.buffer.read()
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        rule = f"it must be a file that can be read: {error.strerror}"
        raise Stop(BAD_INPUT, f'{argument} is "{path}"; {rule}') from None


def place_of(path: str) -> str:
    return "standard input" if path == "-" else path


def _text(data: bytes, place: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Stop(BAD_INPUT, f"{place}, line {line}: not UTF-8") from None


# ---- Reading


def read_table(path: str) -> Table:
    """Reads a table. Recognises its form by the first bytes."""
    data, place = read_bytes(path), place_of(path)
    if data.startswith(b"PAR1"):
        return _parquet(data, place)
    if re.match(rb"(?:\xef\xbb\xbf)?\s*[\[{]", data):
        entries, lines = json_lines(data, place)
        names: dict[str, None] = {}
        for entry in entries:
            names.update(dict.fromkeys(entry))
        return Table(place, "json", entries, list(names), lines)
    return _csv(_text(data, place), place)


def json_lines(data: bytes, place: str) -> tuple[list[dict[str, Any]], list[int]]:
    """Reads objects from JSON lines. Returns the objects and the line number of each."""
    entries, lines = [], []
    for line, text in enumerate(_text(data, place).split("\n"), 1):
        if not text.strip():
            continue
        entry = _json(text, f"{place}, line {line}")
        if not isinstance(entry, dict):
            raise Stop(BAD_INPUT, f"{place}, line {line}: each line must be a JSON object")
        entries.append(entry)
        lines.append(line)
    return entries, lines


def read_json(path: str, argument: str) -> Any:
    """Reads a file that holds one JSON value."""
    return _json(_text(read_bytes(path, argument), place_of(path)), place_of(path))


def _json(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        message = f"{error.msg} at column {error.colno}"
    except (ValueError, RecursionError) as error:
        message = str(error)
    raise Stop(BAD_INPUT, f"{place}: not JSON: {message}")


def _csv(text: str, place: str) -> Table:
    """Reads CSV. The delimiter is the comma, tab or semicolon, whichever is most frequent in the
    first line."""
    head = text.partition("\n")[0]
    delimiter = max(",\t;", key=head.count)
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] = []
    rows, lines, line = [], [], 1
    try:
        for fields in reader:
            if not fields:
                pass
            elif not names:
                names = fields
                for name in names:
                    if names.count(name) > 1:
                        raise Stop(BAD_INPUT, f"{place}: column {name!r} is there twice")
            elif len(fields) != len(names):
                raise Stop(
                    BAD_INPUT,
                    f"{place}, line {line}: {len(fields)} fields where the first line has "
                    f"{len(names)} columns",
                )
            else:
                rows.append({name: field or None for name, field in zip(names, fields)})
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        raise Stop(BAD_INPUT, f"{place}, line {line}: {error}") from None
    if not names:
        raise Stop(BAD_INPUT, f"{place}: empty, where a table has a line of columns")
    return Table(place, "csv", rows, names, lines, delimiter)


def _parquet(data: bytes, place: str) -> Table:
    arrow = pyarrow()
    try:
        table = arrow.parquet.read_table(arrow.BufferReader(data))
    except (arrow.ArrowException, OSError) as error:
        raise Stop(BAD_INPUT, f"{place}: not a Parquet file: {error}") from None
    return Table(place, "parquet", table, table.column_names, [])


def pyarrow() -> Any:
    """Imports pyarrow with its Parquet module."""
    try:
        import pyarrow.parquet
    except ImportError:
        rule = "Parquet needs pyarrow: pip install pyarrow 'libchorale[tables]'"
        raise Stop(BAD_INPUT, rule) from None
    return pyarrow


# ---- Writing


def check_writable(path: str | None, read: str) -> None:
    """Ends the program if `path` cannot be written, or is the same file as the input `read`."""
    if path is None:
        return
    try:
        there = os.path.exists(path)
        if there and os.path.exists(read) and os.path.samefile(path, read):
            raise Stop(BAD_INPUT, f'--output is "{path}"; it must not be FILE itself')
        with open(path, "ab"):
            pass
        if not there:
            os.remove(path)
    except OSError as error:
        rule = f"it must be a file that can be written: {error.strerror}"
        raise Stop(BAD_INPUT, f'--output is "{path}"; {rule}') from None


def write(data: bytes, path: str | None) -> None:
    """Writes bytes to a file, or to the standard output if `path` is None."""
    if path is None and sys.stdout is None:
        raise Stop(SYSTEM, "the standard output could not be written: it is closed")
    try:
        # sys.stdout.buffer.write may write only a part of the data if Python runs unbuffered.
        to = sys.stdout.fileno() if path is None else path
        with open(to, "wb", closefd=path is not None) as file:
            file.write(data)
    except OSError as error:
        name = "the standard output" if path is None else path
        rule = f"{name} could not be written: {error.strerror}"
        raise Stop(SYSTEM, "" if isinstance(error, BrokenPipeError) else rule) from None


def as_json(entries: Iterable[Any]) -> bytes:
    """Converts entries to JSON lines."""
    lines = []
    for entry in entries:
        line = json.dumps(entry, ensure_ascii=False, default=str)
        try:
            lines.append(line.encode())
        except UnicodeEncodeError:  # a text holds a lone surrogate, which UTF-8 cannot encode
            lines.append(json.dumps(entry, default=str).encode())
    return b"".join(line + b"\n" for line in lines)


def as_table(rows: Any, names: list[str], form: Form, delimiter: str) -> bytes:
    """Converts a table to bytes in the given form. rows: a list of dicts, or a pyarrow table."""
    if form == "parquet":
        arrow = pyarrow()
        if isinstance(rows, list):
            every = {name: [row.get(name) for row in rows] for name in names}
            try:
                rows = arrow.table(every)
            except arrow.ArrowException as error:
                raise Stop(BAD_INPUT, f"no Parquet table can hold this one: {error}") from None
        sink = arrow.BufferOutputStream()
        arrow.parquet.write_table(rows, sink)
        return bytes(sink.getvalue())
    if not isinstance(rows, list):
        rows = rows.to_pylist()
    if form == "json":
        return as_json(rows)
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_field(row.get(name)) for name in names] for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def _field(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, (dict, list, bool)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)
