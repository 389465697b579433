#!/usr/bin/env python3
"""Writes src/libchorale/_declarations.py from the public headers: the C interface for ctypes, and
the results of calls, with the comments of the headers.

    tools/declare.py            writes the file
    tools/declare.py --check    only compares with the file

The headers are plain C and use few macros, so that regular expressions can read them.
tests/test_declarations.py compares the result with what a C compiler reads.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
HEADERS = PACKAGE.parent.parent / "include" / "chorale"
TARGET = PACKAGE / "src" / "libchorale" / "_declarations.py"
sys.path.insert(0, str(PACKAGE.parent))

import mirror  # noqa: E402

SCALARS = {
    "uint8_t": "c_uint8",
    "int32_t": "c_int32",
    "int64_t": "c_int64",
    "size_t": "c_size_t",
    "double": "c_double",
    "char": "c_char",
}

# Results of calls: the fields of C that each leaves out, and its further fields, with their types and
# comments. One without a type is computed.
RESULTS = {
    "Progress": ((), {}),
    "LearnProgress": ((), {}),
    "RuleReason": (("chain", "a", "reserved"), {"told: str": "the rule in words"}),
    "Reason": (
        ("agreement",),
        {
            "what: str | int | None = None": 'which agreement of `decode`: "words" for an agreement of '
            "words; for properties, keys and cliques the index of the agreement in `agree`. None in "
            "reasons of a `Run`",
            "group: Hashable = None": "the group (document) of the chain. None in reasons of a `Run`",
        },
    ),
    "RunResult": ((), {}),
    "CliqueResult": (
        (),
        {
            "labels: npt.NDArray[np.int32] | None": "the values of the n members; None if only "
            "forbidden labellings were found",
            "gap": "upper_bound - score",
        },
    ),
}
TYPES = {"double": "float", "int64_t": "int", "int32_t": "int", "chorale_algorithm": "str"}
# What comments of the headers say by constants and symbols of C, and in Python.
WORDS = {
    r" phi_i is .*; the": " The",
    r" F is .*": "",
    r"^(?=0: each chain was)": "number of rounds done; ",
    r"^(?=plus infinity before)": "upper bound on the score of any labelling; ",
    r"under CHORALE_ALONE\b": "in the own labelling",
    r"under CHORALE_TOGETHER\b": "in the result",
    r"\bhad own_value\b": "had `own_value`",
    r" or instance\b": "",
    r"\bEquation 1\b": "Score",
    r"\bequation 1\b": "score",
    r"\bon (score|max F)\b": "on the score of any labelling",
    r" \(sum_i \|.*?\|\)|, or within (the )?rounding.*": "",
    r"(, added in|\. The chains are added in) .*": "",
    r"\bphi_i over the chains\b": "the scores of the chains",
    r"\bC_p over the cliques\b": "the scores of the cliques, their potentials",
    r"\bsum_i psi\[i\]\[x_i\]": "sum of the members' own scores",
    r"\bC of the counts\b": "score of the potential",
    r"\bCOUNT_BOXES\b": "branch and bound",
    r"; AUTO \(0\) only from chorale_clique_score": "",
    r"(?<!done); 0: each": "; False: each",
    r"\bindex of the rule\b": "index of the rule in `rules`",
    r"\blabel of the position in CHORALE_ALONE": "label in the chain's best labelling without rules "
    "and cliques",
    r"\. 0 after": ". False after",
}


class Headers:
    """The declarations of the public headers, in the order of the headers."""

    def __init__(self, directory: Path) -> None:
        self.aliases: dict[str, str] = {}  # such as chorale_status -> int32_t
        self.constants: dict[str, int] = {}
        self.callbacks: dict[str, tuple[str, list[str]]] = {}
        self.structs: dict[str, list[tuple[str, str]]] = {}  # name -> its fields, (field, type)
        self.types: list[str] = []  # the names of callbacks and structs
        self.functions: dict[str, tuple[str, list[str], list[str]]] = {}
        for name in includes(directory):
            self.read(directory / name)

    def read(self, path: Path) -> None:
        text = re.sub(r"/\*.*?\*/", " ", path.read_text(encoding="utf-8"), flags=re.S)
        for name, value in re.findall(r"^#define (CHORALE_\w+) (-?\d+)$", text, flags=re.M):
            self.constants[name] = int(value)
        text = re.sub(r"^\s*#.*?(?<!\\)$", "", text, flags=re.M)
        text = re.sub(r"\bCHORALE_(BEGIN|END)_DECLS\b", "", text)
        unread = re.sub(
            r"typedef struct (?P<struct>\w+) \{(?P<fields>[^}]*)\} \w+;"
            r"|typedef struct \w+ \w+;"
            r"|typedef (?P<result>[\w ]+?\**)\s*\(\*(?P<callback>\w+)\)\s*\((?P<taken>[^;]*)\);"
            r"|typedef (?P<type>\w+) (?P<alias>\w+);"
            r"|enum \{(?P<enum>[^}]*)\};"
            r"|CHORALE_API (?P<returns>[\w\s\*]+?)(?P<function>chorale_\w+)"
            r"\s*\((?P<arguments>[^;]*)\);",
            self.declaration,
            text,
        ).strip()
        if unread:
            raise SystemExit(f"{path}: cannot read {unread[:80]!r}")

    def declaration(self, match: re.Match[str]) -> str:
        """Stores what a declaration says, and returns what is left of it, nothing."""
        if match["struct"]:
            self.structs[match["struct"]] = [
                self.field(entry) for entry in match["fields"].split(";") if entry.strip()
            ]
            self.types.append(match["struct"])
        elif match["callback"]:
            taken, _ = parameters(match["taken"])
            self.callbacks[match["callback"]] = plain(match["result"]), taken
            self.types.append(match["callback"])
        elif match["alias"]:
            self.aliases[match["alias"]] = match["type"]
        elif match["enum"]:
            # A value is a number, or an earlier constant.
            for name, value in re.findall(r"(\w+)\s*=\s*([\w-]+)", match["enum"]):
                known = self.constants.get(value)
                self.constants[name] = int(value) if known is None else known
        elif match["function"]:
            result = plain(match["returns"])
            if match["arguments"].endswith("size_t *length"):
                result = "void*"  # a text that may hold NUL: its end is given by `length`
            self.functions[match["function"]] = (result, *parameters(match["arguments"]))
        return ""

    def field(self, entry: str) -> tuple[str, str]:
        entry = " ".join(entry.split())
        function = re.fullmatch(r"(.+?)\(\*(\w+)\)\s*\((.*)\)", entry)
        if function:
            name = function[2]
            # The type of a function pointer in a struct has no name; it gets one.
            self.callbacks["field_" + name] = plain(function[1]), parameters(function[3])[0]
            self.types.append("field_" + name)
            return name, "field_" + name
        array = re.fullmatch(r"(\w+) (\w+)\[(\w+)\]", entry)
        if array:
            size = self.constants[array[3]] if array[3] in self.constants else int(array[3])
            return array[2], f"{array[1]}[{size}]"
        declared = re.fullmatch(r"(.*?[\s\*])(\w+)", entry)
        if not declared:
            raise SystemExit(f"cannot read field {entry!r}")
        return declared[2], plain(declared[1])

    def ctype(self, declared: str, field: bool = False) -> str:
        """Returns the ctypes expression for the type of a parameter, a result or (field=True) a
        field of a struct."""
        array = re.fullmatch(r"(\w+)\[(\d+)\]", declared)
        if array:
            return f"{self.ctype(array[1])} * {array[2]}"
        if declared in self.callbacks:
            return declared
        if declared.endswith("*"):
            target = declared[:-1].strip()
            if target in self.structs:
                return f"POINTER({target})"
            # Texts in structs have a length and may hold NUL. c_char_p would end them at the NUL.
            return "c_char_p" if target == "char" and not field else "c_void_p"
        if declared in self.aliases:
            return self.ctype(self.aliases[declared])
        if declared in self.structs:
            return declared
        return "None" if declared == "void" else SCALARS[declared]


def includes(directory: Path) -> list[str]:
    """Returns the names of the headers, each after the headers that it includes."""
    ordered: list[str] = []

    def visit(name: str) -> None:
        if name in ordered:
            return
        text = (directory / name).read_text(encoding="utf-8")
        for included in re.findall(r'^#include "chorale/([\w/]+\.h)"', text, flags=re.M):
            visit(included)
        ordered.append(name)

    for path in sorted(directory.rglob("*.h")):
        visit(path.relative_to(directory).as_posix())
    return ordered


def plain(declared: str) -> str:
    """Returns a type without `const` and `struct`, and without blanks except between words:
    "const double *const *" becomes "double**"."""
    words = re.sub(r"\b(const|struct)\b", " ", declared)
    return re.sub(r"\s*\*\s*", "*", " ".join(words.split()))


def parameters(arguments: str) -> tuple[list[str], list[str]]:
    """Returns the types and the names of parameters. Before the name of a pointer to what the
    function does not change stands "const "."""
    if arguments.strip() == "void":
        return [], []
    types, names = [], []
    for argument in arguments.split(","):
        argument = " ".join(argument.split())
        function = re.fullmatch(r"void \(\*(\w+)\)\(void \*user\)", argument)
        if function:
            types.append("void*")  # a function pointer is passed as an address
            names.append(function[1])
            continue
        named = re.fullmatch(r"(.*?[\s\*])(\w+)", argument)
        if not named:
            raise SystemExit(f"cannot read parameter {argument!r}")
        types.append(plain(named[1]))
        names.append("const " * argument.startswith("const ") + named[2])
    return types, names


def worded(text: str) -> str:
    """Returns a comment in the words of Python."""
    for pattern, other in WORDS.items():
        text = re.sub(pattern, other, text)
    return text


def in_python(text: str) -> str:
    """Returns the comment of a field as Python says it."""
    flag = text.startswith("1: ")
    text = mirror.sentence(worded(text))
    if ". " not in text:
        text = text.rstrip(".")
    text = re.sub(r"^(A |[A-Z](?=[a-z]))", lambda found: found[1].lower(), text)
    return f"True: {text}" if flag else text


def documented(about: str, entries: list[tuple[str, str]]) -> list[str]:
    """Returns the lines of a docstring with a list of names."""
    lines = textwrap.wrap(about, 100, initial_indent='    """', subsequent_indent="    ")
    width = max(len(name) for name, _ in entries) + 6
    lines.append("")
    for name, text in entries:
        first = f"    {name}".ljust(width)
        lines += textwrap.wrap(text, 100, initial_indent=first, subsequent_indent=" " * width)
    return [*lines, '    """', ""]


def results() -> list[str]:
    """Returns the lines of the dataclasses and of the enum of outcomes."""
    lines = []
    outcomes = {n[8:]: text for n, text in mirror.constants().items() if n.startswith("OUTCOME_")}
    about = next(entry[4] for entry in mirror.ENUMS if entry[1] == "OUTCOME")
    lines += ["", "", "class Outcome(enum.IntEnum):"]
    lines += documented(about, [(name, in_python(text)) for name, text in outcomes.items()])
    lines += [f"    {name} = CHORALE_OUTCOME_{name}" for name in outcomes]
    lines += ["", "    def __str__(self) -> str:"]
    lines += ['        return self.name.lower().replace("_", "-")']
    for name, (left_out, more) in RESULTS.items():
        of, about, _, _ = mirror.STRUCTS[name]
        said, fields = mirror.struct(of)
        declared, told = [], []
        for kind, field, text in fields:
            if field not in left_out:
                own = TYPES.get(kind) or mirror.capitals(kind.removeprefix("chorale_"))
                declared.append(f"{field}: {'bool' if field in mirror.FLAGS else own}")
                told.append((field, in_python(text)))
        needed = [field for field in more if ":" in field and "=" not in field]
        declared = [*needed, *declared, *(field for field in more if "=" in field)]
        told += [(field.partition(":")[0], text) for field, text in more.items()]
        lines += ["", "", "@dataclasses.dataclass(frozen=True, repr=False)"]
        lines.append(f"class {name}(Shown):")
        stands = mirror.standing(f"typedef struct chorale_{of} {{")
        lines += documented(worded((about or said) + stands), told)
        lines += [f"    {field}" for field in declared]
        for field, text in more.items():
            if ":" not in field:
                lines += ["", "    @property", f"    def {field}(self) -> float:"]
                lines += ["        return " + re.sub(r"\b(?=[a-z])", "self.", text)]
    return lines


def render(headers: Headers) -> str:
    lines = [
        '"""The C interface as ctypes sees it, written by tools/declare.py from the headers.',
        "",
        "Handles and arrays are addresses (c_void_p); structs are passed by reference.",
        '"""',
        "",
        "# fmt: off",
        "from __future__ import annotations",
        "",
        "import dataclasses",
        "import enum",
        "from collections.abc import Hashable",
        "from ctypes import (",
        "    CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int32, c_int64,",
        "    c_size_t, c_uint8, c_void_p,",
        ")",
        "from typing import Any",
        "",
        "import numpy as np",
        "import numpy.typing as npt",
        "",
        "from ._shown import Shown",
        "",
        "# ---- Constants",
    ]
    lines += [f"{name} = {value}" for name, value in headers.constants.items()]
    lines += [
        "",
        "# ---- Structs and callbacks",
        "class Struct(Structure):",
        "    kept: Any  # the objects to which its pointers lead",
        "    used: dict[str, Any] = {}  # handles in fields: calls that get the struct use them",
        "    names: dict[str, str] = {}  # names of fields in messages, where they are others",
        "",
        "",
    ]
    written: set[str] = set()

    def write(name: str) -> None:
        """Writes a callback or struct, after those that it needs."""
        if name in written or name not in headers.types:
            return
        written.add(name)
        result, arguments = headers.callbacks.get(name, ("", []))
        fields = headers.structs.get(name, [])
        for declared in [*arguments, *(declared for _, declared in fields)]:
            write(re.sub(r"\*.*|\[.*", "", declared))
        if result:
            taken = ", ".join(map(headers.ctype, [result, *arguments]))
            lines.append(f"{name} = CFUNCTYPE({taken})")
            return
        lines.extend(["", "", f"class {name}(Struct):"])
        lines.extend(f"    {field}: Any" for field, _ in fields)
        kinds = [(field, headers.ctype(declared, field=True)) for field, declared in fields]
        lines.extend(
            ["    _fields_ = [", *(f'        ("{f}", {k}),' for f, k in kinds), "    ]", ""]
        )

    for name in headers.types:
        write(name)
    lines += [
        "",
        "STRUCTS = {",
        *(f'    "{name}": {name},' for name in headers.structs),
        "}",
        "",
        "# ---- Functions: what each returns and takes, and the names of its parameters",
        "FUNCTIONS: dict[str, tuple[Any, list[Any], list[str]]] = {",
    ]
    for name, (returns, arguments, names) in sorted(headers.functions.items()):
        taken = ", ".join(map(headers.ctype, arguments))
        lines.append(f'    "{name}": ({headers.ctype(returns)}, [{taken}], {json.dumps(names)}),')
    lines += ["}", "", "# ---- Results", *results(), ""]
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    text = render(Headers(HEADERS))
    if not check:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.read_text(encoding="utf-8") != text:
        print(f"{TARGET} is not what declare.py makes of the headers", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
