"""The command line, `python -m libchorale`."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import libchorale as ch
from libchorale import rules
from libchorale.__main__ import main
from libchorale.settling import NAMES

MENTIONS = """\
name,type,sure,doc,note
Jordan,PERSON,0.90,a,"one, two"
Jordan,PERSON,.8,a,
Jordan,PERSON,0.8,a,"two
lines"
Jordan,ORG,0.6,a,x
Rome,LOC,0.7,a,
,LOC,0.6,b,
Jordan,ORG,0.6,b,x
"""

SENTENCES = [
    {
        "id": 7,
        "scores": [[2.0, 0.1, 0.2], [0.1, 2.2, 0.4]],
        "tokens": ["in", "Bath"],
        "group": "a",
    },
    {"scores": [[1.8, 0.3, 0.1], [0.2, 1.9, 0.5]], "tokens": [None, "Bath"], "group": "a"},
    {"scores": [[0.9, 0.2, 0.7], [0.1, 1.0, 1.3]], "tokens": ["says", "Bath"], "group": "a"},
    {"scores": [[0.1, 1.0, 1.3]], "tokens": ["Bath"], "group": "b"},
    {"scores": [], "tokens": []},
]
EDGES = [[0.0, 0.2, 0.2], [0.0, 0.5, -1.0], [0.0, -1.0, 0.5]]


def run(*arguments, given="", code=0, told=""):
    """Runs the command in this process. Returns its standard output or, if `code` is not 0, its
    error message. code: the expected exit code. told: a pattern for how the text on the standard error
    begins if `code` is 0."""
    data = given.encode() if isinstance(given, str) else given
    streams = sys.stdin, sys.stdout, sys.stderr
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as printed:
        error = io.StringIO()
        sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO(data)), printed, error
        try:
            returned = main([str(argument) for argument in arguments])
        except SystemExit as ended:  # after --help
            returned = ended.code
        finally:
            sys.stdin, sys.stdout, sys.stderr = streams
        printed.seek(0)
        return _looked_at(returned, printed.read(), error.getvalue(), code, told)


def _looked_at(returned, printed, error, code, told=""):
    assert returned == code, error
    if code == 0:
        assert re.match(told, error) and (told or not error)
        return printed
    *before, last = error.splitlines()  # what `settle` tells comes before an error of writing
    assert not before or re.match(r"\d+ rows, ", before[0])
    assert printed == "" and last.startswith("libchorale: ") and error.endswith("\n")
    return last[len("libchorale: ") :]


def process(*arguments, **options):
    """Starts the command in a new process."""
    # If the package is not installed, the new process must find it where this process did.
    path = os.pathsep.join([str(Path(ch.__file__).parent.parent), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "libchorale", *map(str, arguments)]
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.Popen(command, env=environment, **{**streams, **options})


def done(*arguments, given=""):
    """Runs the command in a new process. Returns exit code, standard output and standard error."""
    running = process(*arguments)
    printed, error = running.communicate(given.encode())
    return running.returncode, printed.decode(), error.decode()


def mentions():
    rows = list(csv.DictReader(io.StringIO(MENTIONS, newline="")))
    return [{**{k: v or None for k, v in row.items()}, "sure": float(row["sure"])} for row in rows]


def expected(**options):
    given = {"key": "name", "label": "type", "confidence": "sure", **options}
    return ch.settle(mentions(), **given).table


def settle(*arguments, code=0, **given):
    return run("settle", *arguments, code=code, told=r"\d+ rows, " * (code == 0), **given)


def as_text(value):
    return json.dumps(value) if isinstance(value, bool) else "" if value is None else str(value)


COLUMNS = ("--key", "name", "--label", "type", "--confidence", "sure")


def test_a_table_comes_back_with_five_columns(tmp_path):
    table = tmp_path / "mentions.csv"
    table.write_text(MENTIONS, encoding="utf-8")
    printed = settle(*COLUMNS, table)
    assert printed.startswith(f"name,type,sure,doc,note,{','.join(NAMES)}\n")
    rows = list(csv.DictReader(io.StringIO(printed, newline="")))
    before = list(csv.DictReader(io.StringIO(MENTIONS, newline="")))
    for row, old, found in zip(rows, before, expected()):
        assert row == {**old, **{name: as_text(found[name]) for name in NAMES}}
    assert "true" in [row["changed"] for row in rows]
    # The same from the standard input, with other delimiters, and with an option that has "=".
    assert settle(*COLUMNS, given=MENTIONS) == printed
    for delimiter in "\t;":
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=delimiter)
        writer.writerows(csv.reader(io.StringIO(MENTIONS, newline="")))
        found = settle(*COLUMNS, "--scale=probability", "-", given="\ufeff" + text.getvalue())
        assert list(csv.DictReader(io.StringIO(found, newline=""), delimiter=delimiter)) == rows


DIRTY = """\
name,type,sure,times
Jordan,PERSON,90 %,9
JORDAN,person,high,1
jordan.,ORG,0.6,1
Rome,PLACE,,1
rome,?,0.5,1
"""


def test_a_table_as_it_comes(tmp_path):
    table = tmp_path / "dirty.csv"
    table.write_text(DIRTY, encoding="utf-8")
    given = ("settle", *COLUMNS, "--count", "times")
    code, printed, error = done(*given, "--labels", "PERSON,ORG,PLACE", table)
    assert code == 2 and printed == ""
    null, unknown, last = error.splitlines()
    assert null == f"{table}, line 5: column 'sure' is null"
    assert unknown.startswith(f"{table}, line 6: column 'type' is '?', not one of the labels")
    assert last.startswith("libchorale: 2 entries cannot be used; --unusable keep")
    more = ("--missing", "0.5", "--abstain", "?", "--labels", "PERSON,ORG=Firm,PLACE")
    code, printed, error = done(*given, *more, table)
    assert code == 0 and error.startswith("5 rows, 5 of them share 2 keys\n2 rows changed; ")
    rows = list(csv.DictReader(io.StringIO(printed, newline="")))
    assert list(rows[0]) == ["name", "type", "sure", "times", *NAMES]
    assert [row["together"] for row in rows] == ["PERSON"] * 3 + ["PLACE"] * 2
    assert rows[2]["why"] == "10 of 10 other mentions of 'Jordan' were PERSON, 10 of 10 are now"
    code, printed, _ = done(*given, *more, "--review", "9", table)
    rome, question = map(json.loads, printed.splitlines())
    assert code == 0 and (rome["key"], question["key"]) == ("Rome", "Jordan")
    assert question["labels"] == {"PERSON": 10, "ORG": 1}
    page = tmp_path / "review.html"
    code, printed, _ = done(*given, *more, "--page", page, table)
    assert code == 0 and printed.startswith("name,type,sure,times,together,")
    assert "<h2>What is &#x27;Jordan&#x27;? Its mentions: 10 PERSON" in page.read_text("utf-8")
    answers = tmp_path / "answers.jsonl"
    answers.write_text(json.dumps({**question, "answer": "firm"}) + "\n", encoding="utf-8")
    code, printed, _ = done(*given, *more, "--answers", answers, table)
    rows = list(csv.DictReader(io.StringIO(printed, newline="")))
    assert [row["together"] for row in rows] == ["ORG"] * 3 + ["PLACE"] * 2


def test_json_lines_are_as_tables():
    rows = mentions()
    given = "\n".join(map(json.dumps, rows)) + "\n\n"
    found = [json.loads(line) for line in settle(*COLUMNS, given=given).splitlines()]
    assert found == expected()
    # The same if confidences are texts. Rows may lack the key or another field.
    rows = [{**row, "sure": str(row["sure"])} for row in rows]
    del rows[5]["name"], rows[4]["note"]
    given = "\n".join(map(json.dumps, rows))
    again = [json.loads(line) for line in settle(*COLUMNS, given=given).splitlines()]
    assert [list(row) for row in again] == [[*row, *NAMES] for row in rows]
    assert [row["together"] for row in again] == [row["together"] for row in found]
    # A lone surrogate, which UTF-8 cannot encode, is no error.
    line = '{"name": "\\ud800", "type": "é", "sure": 1}'
    assert json.loads(settle(*COLUMNS, given=line))["name"] == "\ud800"
    assert '"é"' in settle(*COLUMNS, given='{"name": "x", "type": "é", "sure": 1}')
    row = '{"name": "x", "type": "y", "sure": 1}'
    csv_of = settle(*COLUMNS, "--format", "csv", given=row).splitlines()
    assert csv_of[0] == ",".join(["name", "type", "sure", *NAMES])
    assert csv_of[1].startswith("x,y,1,y,") and csv_of[1].endswith(",false,,false")


OPTIONS = [
    (["--group", "doc"], {"group": "doc"}),
    (["--key-rules", "none"], {"key_rules": ()}),
    (["--names", "A, B,C,D,E"], {"names": ["A", "B", "C", "D", "E"]}),
    (["--labels", "LOC,ORG,PERSON,WORK"], {"labels": ["LOC", "ORG", "PERSON", "WORK"]}),
    (["--gold", "type"], {"gold": "type"}),
]


@pytest.mark.parametrize("options, arguments", OPTIONS, ids=[o[0][0] for o in OPTIONS])
def test_options_are_arguments(options, arguments):
    printed = settle(*COLUMNS, *options, "--format", "json", given=MENTIONS)
    found = [json.loads(line) for line in printed.splitlines()]
    numbers = [{**row, "sure": float(row["sure"])} for row in found]
    assert numbers == expected(**arguments)


def test_keys_and_confidences():
    rows = [
        {"name": n, "first": n[0], "doc": d, "A": p, "B": 1 - p}
        for n, d, p in [("ab", 1, 0.9), ("ab", 1, 0.8), ("ac", 1, 0.4), ("ab", 2, 0.4)]
    ]
    given = "\n".join(map(json.dumps, rows))

    def found(*options):
        return [json.loads(line)["together"] for line in settle(*options, given=given).splitlines()]

    def wanted(**options):
        return [row["together"] for row in ch.settle(rows, **options).table]

    columns = ("--confidence", "A=A", "--confidence", "B=B")
    both = {"confidence": {"A": "A", "B": "B"}}
    assert found("--key", "name", *columns) == wanted(key="name", **both)
    assert found("--key", "first,doc", *columns) == wanted(key=("first", "doc"), **both)
    table = "k,A=B,l\nx,0.9,L\n"  # a column whose name has "="
    assert "L" in settle("--key", "k", "--label", "l", "--confidence", "A=B", given=table)


def test_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.Table.from_pylist(mentions()), tmp_path / "in")
    paths = {ending: tmp_path / f"out{ending}" for ending in (".parquet", ".csv", ".tsv", ".json")}
    for path in paths.values():
        assert settle(*COLUMNS, tmp_path / "in", "--output", path) == ""
    assert parquet.read_table(paths[".parquet"]).to_pylist() == expected()
    printed = [json.loads(line) for line in paths[".json"].read_text().splitlines()]
    assert printed == expected()
    rows = list(csv.reader(io.StringIO(paths[".csv"].read_text(), newline="")))
    assert rows == [
        list(expected()[0]),
        *([as_text(value) for value in row.values()] for row in expected()),
    ]
    tabs = io.StringIO(paths[".tsv"].read_text(), newline="")
    assert list(csv.reader(tabs, delimiter="\t")) == rows
    settle(*COLUMNS, "--output", paths[".parquet"], given=MENTIONS)
    back = parquet.read_table(paths[".parquet"]).to_pylist()
    assert [row["together"] for row in back] == [row["together"] for row in expected()]
    assert back[0]["sure"] == "0.90" and back[5]["name"] is None
    message = settle(*COLUMNS, given=b"PAR1 and no more", code=2)
    assert message.startswith("standard input: not a Parquet file")
    mixed = '{"name": "a", "type": "x", "sure": 1, "more": 5}\n'
    mixed += '{"name": "a", "type": "x", "sure": 1, "more": "text"}'
    message = settle(*COLUMNS, "--format", "parquet", given=mixed, code=2)
    assert message.startswith("no Parquet table can hold this one")


def lines(entries):
    return "\n".join(map(json.dumps, entries))


def test_sequences_are_labelled_together(tmp_path):
    names = ["Other", "Place", "Person"]
    (tmp_path / "edges.json").write_text(json.dumps(EDGES))
    options = ("--labels", "Other,Place,Person", "--transitions", tmp_path / "edges.json")
    options += ("--strength", "1.2")
    found = [json.loads(t) for t in run("label", *options, given=lines(SENTENCES)).splitlines()]
    # The same by `decode`. A null token agrees with no other token.
    tokens = [[w or f"none {k}" for w in s["tokens"]] for k, s in enumerate(SENTENCES)]
    scores = [np.reshape(s["scores"], (-1, 3)) for s in SENTENCES]
    groups = [s.get("group") for s in SENTENCES]
    wanted = ch.decode(scores, EDGES, tokens=tokens, groups=groups, strength=1.2)
    for line, sentence, labels, own in zip(found, SENTENCES, wanted.labels, wanted.alone):
        assert line["labels"] == [names[k] for k in labels]
        assert line["alone"] == [names[k] for k in own]
        assert line["changed"] == np.flatnonzero(labels != own).tolist()
        assert len(line["why"]) == len(line["changed"]) and "scores" not in line
        assert {k: v for k, v in line.items() if k in sentence} == {
            k: v for k, v in sentence.items() if k != "scores"
        }
    assert [line["changed"] for line in found] == [[], [], [0, 1], [], []]
    assert found[2]["why"] == [
        "because of the labels beside it",
        "2 of 2 other places of 'Bath' in this group were Place, 2 of 2 are now",
    ]
    # With scores of labels at the beginning and at the end of a sequence.
    ends = {"scores": EDGES, "start": [0, -9, 1], "end": [1, 0, -9]}
    (tmp_path / "ends.json").write_text(json.dumps(ends))
    with_ends = (*options[:3], tmp_path / "ends.json", *options[4:])
    wanted = ch.decode(
        scores,
        ch.Transitions(ends["scores"], ends["start"], ends["end"]),
        **{"tokens": tokens, "groups": groups, "strength": 1.2},
    )
    told = [json.loads(t) for t in run("label", *with_ends, given=lines(SENTENCES)).splitlines()]
    assert [[names[k] for k in labels] for labels in wanted.labels] == [t["labels"] for t in told]
    assert [t["labels"] for t in told] != [t["labels"] for t in found]
    text = run("label", *options, "--format", "text", given=lines(SENTENCES)).split("\n\n")
    assert text[1] == "\tOther\tOther\nBath\tPlace\tPlace"
    assert text[2] == "says\tOther\tPerson\nBath\tPlace\tPerson"
    # Without groups, all sequences are one group. Without --labels, labels are numbers. Control
    # characters are printed as "?".
    plain = [{"scores": s["scores"], "tokens": ["a\tb"] * len(s["tokens"])} for s in SENTENCES]
    found = [json.loads(t) for t in run("label", given=lines(plain)).splitlines()]
    wanted = ch.decode(scores, tokens=[s["tokens"] for s in plain])
    assert [line["labels"] for line in found] == [row.tolist() for row in wanted.labels]
    assert "in this group" not in str(found) and "other places of 'a\\\\tb'" in str(found)
    assert run("label", "--format", "text", given=lines(plain)).startswith("a?b\t0\t0\n")


def test_sequences_without_tokens():
    """They keep the labels of their scores; the others agree."""
    bare = [{"scores": [[0.1, 1.0, 1.3]]}, {"scores": [[2, 1, 0]] * 2, "tokens": None}]
    strength = ("label", "--strength", "1.2")
    given = [{**bare[0], "group": "a"}, *SENTENCES, bare[1]]
    first, *others, last = run(*strength, given=lines(given)).splitlines()
    assert others == run(*strength, given=lines(SENTENCES)).splitlines()
    first, last = json.loads(first), json.loads(last)
    assert first["labels"] == [2] and last["labels"] == [0, 0] and "tokens" not in first
    text = run("label", "--format", "text", given=lines(bare))
    assert text == "\t2\t2\n\n\t0\t0\n\t0\t0\n\n"


def test_sequences_have_edges_and_known_labels_of_their_own():
    given = [
        {"scores": [[1, 0], [0, 0.5]], "edges": [[[0, 0], [0, 0]]], "forced": [1, -1]},
        {"scores": [[1, 0], [0, 0.5]], "edges": [[[2, 0], [0, 0]]], "forced": [-1, -1]},
        {"scores": [[1, 0]], "edges": [], "forced": [-1]},
    ]
    for sequence in given:
        sequence["allowed"] = [[True, True] for _ in sequence["scores"]]
    given[2]["allowed"] = [[False, True]]
    found = [json.loads(line) for line in run("label", given=lines(given)).splitlines()]
    assert [line["labels"] for line in found] == [[1, 1], [0, 0], [1]]
    assert not {"edges", "forced", "allowed"} & set(found[0])


def test_sequences_stand_for_several():
    given = [{"scores": [row], "tokens": ["a"], "id": k} for k, row in enumerate(([2, 0], [0, 1.9]))]
    strength = ("label", "--strength", "1.8")

    def labels(counts):
        counted = [{**sequence, "count": n} for sequence, n in zip(given, counts)]
        found = [json.loads(line) for line in run(*strength, given=lines(counted)).splitlines()]
        assert [line["count"] for line in found] == counts
        return [line["labels"] for line in found]

    assert labels([1, 1]) == [[0], [1]] and labels([1, 9]) == [[1], [1]]
    assert labels([9, 1]) == [[0], [0]]


def test_labels_keep_rules(tmp_path):
    rows = [[[1.0, 0.0], [0.0, 1.0], [0.5, 0.0]], [[1.0, 0.0]], [[0.0, 1.0], [2.0, 0.0]]]
    given = [{"scores": row, "tokens": [None] * len(row)} for row in rows]
    names, kept = ["Street", "City"], [rules.once(), rules.before("Street", "City", price=0.5)]
    wanted = ch.decode(rows, names=names, rules=kept, most_cost=0.7)
    assert wanted.ruled[0].reasons and wanted.ruled[1].cost == 0.5
    (tmp_path / "rules.json").write_text(
        json.dumps(["once", {"rule": "before", "a": "Street", "b": "City", "price": 0.5}])
    )
    texts = ("--rules", "once", "--rules", "before:Street,City,price=0.5")
    for options in (texts, ("--rules", tmp_path / "rules.json")):
        options = ("--labels", "Street,City", "--most-cost", 0.7, *options)
        found = [json.loads(t) for t in run("label", *options, given=lines(given)).splitlines()]
        assert [line["labels"] for line in found] == [[names[k] for k in r] for r in wanted.labels]
        ruled = [line.get("ruled") for line in found]
        told = {entry.chain: str(entry).split(": ", 1)[1] for entry in wanted.ruled}
        assert ruled == [told.get(number) for number in range(3)]
        assert found[0]["why"] == [wanted.ruled[0].reasons[0].told]
    # A word of which no clique gains is no reason, nor are the labels beside it without transitions.
    entries = [{"scores": [[0, 3]], "tokens": ["Jordan"]}] * 3
    places = {"scores": [[0, 1], [3, 0], [0, 1.5]], "tokens": ["Jordan", "borders", "Syria"]}
    for strength, why in ((0, "at most 1 segment of 1"), (1, "because of a rule and agreement")):
        options = ("--rules", "once:1", "--strength", strength)
        first = run("label", *options, given=lines([places, *entries])).splitlines()[0]
        assert json.loads(first)["why"] == [why]
    # Without --labels, kinds are numbers; with a scheme, they are what follows B- and I-.
    numbers = run("label", "--rules", "once:0", given=lines(given[:1]))
    assert json.loads(numbers)["labels"] == [0, 1, 1]
    scores = [[0, 3, 0], [0, 0, 2], [0.5, 0, 0], [0, 1, 0]]
    bio = ("--labels", "O,B-X,I-X", "--scheme", "bio", "--rules", "once:X")
    found = run("label", *bio, given=lines([{"scores": scores, "tokens": [None] * 4}]))
    assert json.loads(found)["labels"] == ["B-X", "I-X", "O", "O"]


def test_a_file_of_rules_is_a_list(tmp_path):
    given, path = lines([{"scores": [[0, 1]], "tokens": ["a"]}]), tmp_path / "rules.json"
    path.write_text('{"rule": "once"}')
    message = run("label", "--rules", path, given=given, code=2)
    assert message == f"{path}: it must be a list of rules"
    path.write_text('["once", 3]')
    message = run("label", "--rules", path, given=given, code=2)
    assert message.startswith("--rules[1] is 3; the rules are once")


def test_schemes_forbid_labels():
    given = lines([{"scores": [[1.0, 0.5, 2.0], [1.0, 0.0, 2.0]], "tokens": ["a", "b"]}])
    assert json.loads(run("label", given=given))["labels"] == [2, 2]
    found = json.loads(run("label", "--labels", "O,B-X,I-X", "--scheme", "bio", given=given))
    assert found["labels"] == ["B-X", "I-X"]
    nothing = lines([{"scores": [[-1e999, -1e999]], "tokens": ["a"]}])
    assert run("label", given=nothing, code=1).startswith(
        "no chain has an allowed labelling; chain 0"
    )


def test_as_a_process(tmp_path):
    table = tmp_path / "mentions.csv"
    table.write_text(MENTIONS, encoding="utf-8")
    assert done("settle", *COLUMNS, table)[:2] == (0, settle(*COLUMNS, table))
    assert done("label", given=lines(SENTENCES)) == (0, run("label", given=lines(SENTENCES)), "")
    code, printed, error = done("label", "--rounds=x")
    assert _looked_at(code, printed, error, 2).startswith("--rounds is")


def test_progress():
    code, printed, error = done("label", "--progress", given=lines(SENTENCES))
    assert (code, printed) == (0, run("label", given=lines(SENTENCES)))
    assert "round 1: score" in error


def test_help_and_version():
    assert run("--version") == f"libchorale {ch.__version__}\n"
    for command in ("settle", "label"):
        told = run(command, "--help")
        assert "Exit codes" in told and "--output" in told and max(map(len, told.split("\n"))) < 90
        assert command in run("--help")


def test_output_is_written_or_left_alone(tmp_path):
    NO = ("--key", "no", *COLUMNS[2:])
    table, there = tmp_path / "in.csv", tmp_path / "out.csv"
    table.write_text(MENTIONS)
    there.write_text("as it was")
    assert "must not be FILE" in settle(*COLUMNS, table, "--output", table, code=2)
    assert "no column 'no'" in settle(*NO, table, "--output", there, code=2)
    assert table.read_text() == MENTIONS and there.read_text() == "as it was"
    new = tmp_path / "new.csv"
    settle(*NO, table, "--output", new, code=2)
    assert not new.exists()
    assert settle(*COLUMNS, table, "--output", there) == ""
    assert there.read_text() == settle(*COLUMNS, table)
    if os.path.exists("/dev/full"):
        message = settle(*COLUMNS, table, "--output", "/dev/full", code=3)
        assert message.startswith("/dev/full could not be written")


def test_a_reader_that_leaves_is_no_news():
    running = process("label")
    running.stdin.write(lines([{"scores": [[0, 1]], "tokens": ["a"]}] * 5000).encode())
    running.stdin.close()
    assert running.stdout.read(1) == b"{"
    running.stdout.close()
    assert running.stderr.read() == b"" and running.wait() == 3
    running.stderr.close()


SCORES = '{"scores": [[0, 1]], "tokens": ["a"]}\n'
MISTAKES = [
    ([], "", "the following arguments are required: COMMAND"),
    (["what"], "", "COMMAND: invalid choice: 'what'"),
    (["label", "--rounds"], "", "--rounds: expected one argument"),
    (["label", "--rounds", "x"], "", '--rounds is "x"; it must be a whole number from 0 on'),
    (["label", "--threads", "0"], "", '--threads is "0"; it must be a whole number from 1 on'),
    (["label", "--strength", "nan"], "", '--strength is "nan"; it must be a number'),
    (["label", "--seconds=-1"], "", '--seconds is "-1"; it must not be negative'),
    (["label", "--stren", "1"], "", "unrecognized arguments: --stren"),
    (["label", "/nowhere"], "", 'FILE is "/nowhere"; it must be a file that can be read'),
    (["label", "/no\nwhere"], "", 'FILE is "/no?where"; it must be a file that can be read'),
    (["label"], "", "standard input: no sequences"),
    (["label"], '{"scores": [], "tokens": []}', "standard input: no sequence has positions"),
    (["label"], "\n" + SCORES + "x", "standard input, line 3: not JSON: Expecting value at column"),
    (["label"], "[1]", "standard input, line 1: each line must be a JSON object"),
    (["label"], "[" * 10**5, "standard input, line 1: not JSON"),
    (["label"], b"\n\xff", "standard input, line 2: not UTF-8"),
    (
        ["label"],
        SCORES + '{"scores": [[0, 1]], "forced": [0]}',
        'standard input, line 1: "forced" is missing',
    ),
    *(
        (
            ["label"],
            "\n" + SCORES.replace("}", f', "count": {count}}}'),
            'standard input, line 2: "count" must be a whole number from 1 to 2147483647',
        )
        for count in ("0", "1.5", "true", "2147483648", '"2"', "null")
    ),
    (
        ["label"],
        SCORES + SCORES.replace("}", ', "count": 2}'),
        'standard input, line 1: "count" is missing',
    ),
    (["label"], SCORES + "{}", 'standard input, line 2: "scores" is missing'),
    (["label"], '{"scores": [[1], [1, 2]]}', 'standard input, line 1: "scores" must be a list'),
    (["label"], '{"scores": [1, 2]}', 'standard input, line 1: "scores" must be a list'),
    (["label"], '{"scores": [[]]}', 'standard input, line 1: "scores" must be a list'),
    (["label"], '{"scores": [["x"]]}', 'standard input, line 1: "scores" must be a list'),
    (["label"], '{"scores": "x"}', 'standard input, line 1: "scores" must be a list'),
    (["label"], '{"scores": [[NaN]]}', 'standard input: "scores"[0][0] in line 1 is NaN; it must'),
    (["label"], '{"scores": [[null]]}', 'standard input, line 1: "scores" must be a list'),
    (["label"], SCORES.replace('["a"]', "5"), 'standard input, line 1: "tokens" must be a list'),
    (
        ["label"],
        SCORES.replace('"a"', '"a", "b"'),
        'standard input: "tokens" in line 1 has 2 words for 1 positions',
    ),
    (["label"], SCORES.replace('"a"', "{}"), 'standard input, line 1: "tokens" must be a list of'),
    (
        ["label"],
        SCORES + "\n" + SCORES.replace("}", ', "forced": [0, 1]}') + SCORES,
        'standard input, line 1: "forced" is missing',
    ),
    (
        ["label"],
        "\n" + SCORES.replace("}", ', "forced": [0, 1]}'),
        'standard input: "forced" in line 2 has shape (2,), not (1,)',
    ),
    (
        ["label", "--uncounted", "x"],
        SCORES,
        "--uncounted[0] is 'x'; it must be one of the labels: 0, 1",
    ),
    (["label"], SCORES.replace("}", ', "group": []}'), 'standard input, line 1: "group" must be'),
    (["label"], SCORES.replace("}", ', "alone": 1}'), 'standard input, line 1: "alone" is there'),
    (
        ["label"],
        SCORES + "\n" + SCORES.replace("1]", "1, 2]"),
        'standard input: "scores" in line 3 has scores of 3 labels and "scores" in line 1 of 2',
    ),
    (["label", "--labels", "a"], SCORES, "--labels has 1 entries for 2 labels"),
    (["label", "--scheme", "bio"], SCORES, "--labels is missing"),
    (["label", "--scheme", "bio", "--labels", "O,x"], SCORES, "--labels[1] is"),
    (["label", "--transitions", "/nowhere"], SCORES, '--transitions is "/nowhere"; it must be'),
    (["label", "--transitions", "-"], SCORES, "standard input: not JSON"),
    (["label", "--transitions", "x", "--scheme", "bio"], SCORES, "--scheme and --transitions"),
    (["label", "--rules", "onse"], SCORES, "--rules[0] is 'onse'; the rules are once, at_most,"),
    (["label", "--rules", "once", "--rules", "before:1"], SCORES, "--rules[1] (before).b is"),
    (["label", "--rules", "never:x"], SCORES, "--rules[0] (never).a is 'x'; it must be one of the"),
    (["label", "--rules", "before:1,1"], SCORES, "--rules[0] (before).b is 1, as .a"),
    (["label", "--rules", "/no.json"], SCORES, '--rules is "/no.json"; it must be a file that can'),
    (["label", "--most-cost=-1"], SCORES, '--most-cost is "-1"; it must not be negative'),
    (["label", "--output", "/nowhere/at/all"], SCORES, '--output is "/nowhere/at/all"; it must'),
    (["settle"], MENTIONS, "the following arguments are required: --key"),
    (["settle", "--key", "name"], MENTIONS, "--label is missing"),
    (["settle", "--key", "no", "--label", "type"], MENTIONS, "--key: there is no column 'no' (col"),
    (["settle", "--key", "name,no", "--label", "type"], MENTIONS, "--key: there is no column 'no'"),
    (["settle", "--key", "name", "--label", "no"], MENTIONS, "--label: there is no column 'no'"),
    (["settle", *COLUMNS, "--group", "no"], MENTIONS, "--group: there is no column 'no'"),
    (["settle", *COLUMNS, "--gold", "no"], MENTIONS, "--gold: there is no column 'no'"),
    (["settle", *COLUMNS[:4], "--confidence", "no"], MENTIONS, "--confidence: there is no column"),
    (["settle", *COLUMNS[:4], "--confidence", "2"], MENTIONS, "--confidence is 2.0; it must be"),
    (["settle", *COLUMNS, "--names", "a,b,c"], MENTIONS, "--names is ['a', 'b', 'c']; it must have 5"),
    (
        ["settle", *COLUMNS, "--names", "a,b,c,d,doc"],
        MENTIONS,
        "standard input: column 'doc' is there",
    ),
    (["settle", *COLUMNS, "--format", "text"], MENTIONS, "--format: invalid choice"),
    (["settle", *COLUMNS, "a", "b"], "", "unrecognized arguments: b"),
    (["settle", *COLUMNS], "", "standard input: empty, where a table has a line of columns"),
    (["settle", *COLUMNS], "name,type,sure\n", "standard input: table has no rows"),
    (["settle", *COLUMNS], "name,name\n", "standard input: column 'name' is there twice"),
    (["settle", *COLUMNS], "a,b\n\n1\n", "standard input, line 3: 1 fields where the first line"),
    (["settle", *COLUMNS], 'a,b\n1,2\n1,"2\n', "standard input, line 3: unexpected end of data"),
    (["settle", *COLUMNS], "{", "standard input, line 1: not JSON"),
    (
        ["settle", *COLUMNS],
        '{"name": "x", "type": "y", "sure": 1}\n\n{"name": 5, "type": "y", "sure": 1}',
        "standard input: column 'name' is of mixed types: 5 in line 3 is of type int",
    ),
]


@pytest.mark.parametrize("arguments, given, begins", MISTAKES)
def test_mistakes_are_one_line(arguments, given, begins):
    message = run(*arguments, given=given, code=2)
    print(message)
    assert message.startswith(begins)
