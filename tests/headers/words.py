#!/usr/bin/env python3
"""Checks public names against the table of words in include/chorale/README.md, and the types of C.

    tests/headers/words.py

What users read has none of the words that only the authors know (PRIVATE). A name of the C headers,
or a public name of the Python, Rust, Go or JavaScript package, fails if one of its words is in the
last column of the table. Struct fields and arguments of C that are sizes or
counts are int64_t (bytes of memory and of texts: size_t), flags and kinds int32_t.
"""

from __future__ import annotations

import ast
import bisect
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bindings/python/tools"))
sys.dont_write_bytecode = True
from declare import HEADERS, Headers  # noqa: E402

SIZES = re.compile(r"(count|capacity|needed|members|length|chains|positions|labels|values|\w+_(count|stride))")
FLAGS = re.compile(r"(borrow|across|proven|exact|pruned|applied|prove|no_local_search|edits|kind|\w+_kind)")
# Arguments of which this is not so: the factor of the formulas of potential.h is that of the paper; the number
# of a kind is, like every index that a call takes, int64_t.
FORMULAS = {"lambda"}
INDICES = {("chorale_learnt_potential", "kind")}

# Words that only the authors know, and the files that users read.
PRIVATE = re.compile(
    r"oracle instance|round 0|front door|last gate|plain base|rows of prices|\b(shelves|spared|crossed|picked|giant|screening|deals?)\b"
    r"|polish|budget|\bports\b|absorb|(?<!local )absorption|(?-i:\bOUT\b)",
    re.I,
)
READ = (
    "README.md", "CHANGELOG.md", "include/chorale/**/*.h", "include/chorale/*.md", "bindings/README.md", "bindings/*/README.md", "bindings/python/src/**/*.py",
    "bindings/references/src/**/*.py", "bindings/go/*.go", "bindings/js/types/*.ts", "bindings/rust/*/src/*.rs",
    "src/command/**/*.?pp", "src/command/**/*.js", "src/command/**/*.[ch1]", "src/capi/*.cpp", "examples/*/README.md", "examples/experiments/*.md", "examples/guide/docs/**/*.md",
    "examples/guide/docs/assets/*.js", ".github/*.md", "tests/RELEASING.md", "CITATION.cff",
)


def shown(path: Path, line: str) -> str:
    """Returns what users read of a line: of C++ only texts; no names where names of older versions stand."""
    if path.suffix in (".cpp", ".hpp"):
        return " ".join(re.findall(r'"[^"]*"', line))
    return re.sub("`[^`]*`", "", line) if path in (HEADERS / "README.md", ROOT / "CHANGELOG.md") else line


# What a line of a comment begins with.
LEADER = re.compile(r"\s*(?:(?:/?\*+|//[/!]?|#+:?)(?:\s+|$))*")


def joined(path: Path) -> tuple[str, list[int]]:
    """Returns what users read of a file as one line, so that words that a line break parts are found, and
    where in it each line of the file begins."""
    text, begins = "", []
    for line in path.read_text(encoding="utf-8").splitlines():
        begins.append(len(text))
        text += shown(path, line)[LEADER.match(shown(path, line)).end() :].rstrip() + " "
    return text, begins


def private() -> list[str]:
    """Returns the places of private words in what users read."""
    found = []
    for path in (path for pattern in READ for path in sorted(ROOT.glob(pattern)) if "_test" not in path.name):
        text, begins = joined(path)
        for word in PRIVATE.finditer(text):
            line = bisect.bisect(begins, word.start())
            found.append(f"{path.relative_to(ROOT)}:{line}: {word[0]!r} is a private word")
    return found


def forbidden() -> dict[str, str]:
    """Returns each word to avoid, with the word to use."""
    table = (HEADERS / "README.md").read_text(encoding="utf-8").split("\n## Words\n")[1].split("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("|")]
    return {word: row[1] for row in rows[2:] for word in row[-1].replace("`", "").split(", ") if word}


def words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def read(pattern: str) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(ROOT.glob(pattern)) if "_test" not in path.name)


def python_names() -> set[str]:
    names: set[str] = set()
    for path in (ROOT / "bindings/python/src/libchorale").glob("[a-z]*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                names.add(node.name)
                if isinstance(node, ast.FunctionDef):
                    names.update(a.arg for a in [*node.args.args, *node.args.kwonlyargs])
                else:
                    names.update(
                        part.target.id
                        for part in node.body
                        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
                    )
    return names


def main() -> int:
    c = Headers(HEADERS)
    fields = {(struct, field, kind) for struct, all in c.structs.items() for field, kind in all}
    arguments = {
        (function, name.removeprefix("const "), kind)
        for function, (_, kinds, all) in c.functions.items()
        for name, kind in zip(all, kinds)
    }
    names = {
        "C": {*c.functions, *c.structs, *c.constants, *(name for _, name, _ in fields | arguments)} - FORMULAS,
        "Python": python_names(),
        "Rust": set(re.findall(r"^\s*pub (?:const |unsafe )*(?:fn |struct |enum |trait |const )?(\w+)", read("bindings/rust/libchorale/src/*.rs"), re.M)),
        "Go": set(re.findall(r"^(?:func (?:\([^)]*\) )?|type |\t)([A-Z]\w*)", read("bindings/go/*.go"), re.M)),
        "JavaScript": set(re.findall(r"^\s*(?:export )?(?:readonly |static |class |interface |function |type )*(\w+)\??[(:<]", read("bindings/js/types/*.d.ts"), re.M)),
    }
    for options in re.findall(r"^    set(?:\(self\))? \{\n(.*?)^    \}", read("bindings/rust/libchorale/src/*.rs"), re.M | re.S):
        names["Rust"].update(re.findall(r"^ {8}(\w+):", options, re.M))
    avoid = forbidden()
    failed = [
        f"{language}: {name} says {word}, the word is {avoid[word]}"
        for language, all in names.items()
        for name in sorted(all)
        for word in words(name)
        if word in avoid
    ]
    failed += private()
    of_text = {"chorale_text", *(function for function, _, kind in arguments if kind in ("char*", "void*"))}
    for owner, name, kind in sorted(fields | arguments):
        kind = c.aliases.get(kind, kind)
        if kind.endswith("*"):
            continue
        if SIZES.fullmatch(name) and kind != "int64_t" and (kind, owner in of_text) != ("size_t", True):
            failed.append(f"{owner}.{name} is {kind}, a size is int64_t")
        if FLAGS.fullmatch(name) and kind != "int32_t" and (owner, name) not in INDICES:
            failed.append(f"{owner}.{name} is {kind}, a flag or kind is int32_t")
    told = f"{sum(map(len, names.values()))} names, {len(fields)} fields, {len(arguments)} arguments"
    print("\n".join(failed) or f"ok: {told}")
    least = {"C": 500, "Python": 400, "Rust": 250, "Go": 200, "JavaScript": 150}
    missing = [f"only {len(names[k])} names of {k} were found" for k, n in least.items() if len(names[k]) < n]
    print("\n".join(missing), end="")
    return int(bool(failed or missing or len(avoid) < 8))


if __name__ == "__main__":
    sys.exit(main())
