"""Makes the reference pages of the site from the sources, as a hook of MkDocs.

Every public name of the C headers, of the Python package, of the Go package, of the types of the
JavaScript package and of the Rust crate becomes a heading with its declaration and its comment.
Statuses have a table of their own. Some documents of the repository become pages, too.
"""

from __future__ import annotations

import ast
import dataclasses
import html
import os
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent.parent
HEADERS = ROOT / "include/chorale"
PYTHON = ROOT / "bindings/python/src/libchorale"
# Modules of the Python package with names of their own, in the order of the pages.
MODULES = ("batches", "learn", "rules", "shared", "spark", "logits", "crfsuite", "sql", "partition", "prices", "experimental")


@dataclasses.dataclass
class Entry:
    """A public name: the level of its heading, its anchor, declaration and comment."""

    level: int
    name: str
    anchor: str
    code: str
    comment: str


# ---- Comments as Markdown


def escaped(text: str) -> str:
    """Escapes what Markdown would read as markup, except in `code`."""
    parts = re.split(r"(`[^`\n]+`)", text)
    for index in range(0, len(parts), 2):
        part = html.escape(parts[index], quote=False)
        parts[index] = re.sub(r"(?<!\w)(\*\w[\w ]*\*)|([*\[\]|])", lambda m: m[1] or "\\" + m[2], part)
    return "".join(parts)


ITEM = re.compile(r"(?:(\*?[a-z_]\w*(?:, \*?\w+)*): |(\S.*?) {2,})(\S.*)")


def paragraph(lines: list[str]) -> str:
    """Makes paragraphs and lists of lines without an empty line. An item of a list is `name: text`,
    `name  text` or `- text`; its further lines are indented, by more than the item. Lines that are all
    indented by four are code."""
    if all(line.startswith("    ") for line in lines):
        return "\n".join(lines)
    if lines[0].startswith(">>>"):
        return "\n".join(["```pycon", *lines, "```"])
    parts: list[str] = []
    before = "."
    for line in lines:
        told = re.sub(r"^ {2,3}(?=- |\S.*? {2,}\S)", "", line)
        item = ITEM.fullmatch(told)
        follows = before[-1] in ".:;)" or parts[-1].lstrip().startswith("- ")
        mark = "" if parts and parts[-1].lstrip().startswith("- ") else "\n"
        if told.startswith("- "):
            parts.append(f"{mark}- {escaped(told[2:])}")
        elif item and (item[2] or follows):
            parts.append(f"{mark}- **{escaped(item[1] or item[2])}**: {escaped(item[3])}")
        elif parts and (line.startswith(" ") or before[-1] not in ".)" or not parts[-1].lstrip().startswith("- ")):
            parts[-1] += " " + escaped(line.strip())
        else:
            parts.append(("\n" if parts else "") + escaped(line.strip()))
        before = line
    return "\n".join(parts).lstrip("\n")


def prose(comment: str) -> str:
    """Makes Markdown of a comment in plain text."""
    blocks = re.split(r"\n\s*\n", textwrap.dedent(comment).strip("\n"))
    done = []
    for block in blocks:
        lines = block.rstrip().splitlines()
        if not lines:
            continue
        if len(lines) == 1 and re.fullmatch(r"# .*", lines[0]):
            done.append("## " + escaped(lines[0][2:]))
        else:
            done.append(paragraph(lines))
    return "\n\n".join(done)


def heading(entry: Entry) -> str:
    marks = "#" * entry.level
    name = escaped(entry.name).replace("__", r"\_\_")
    return f"{marks} {name} {{ #{entry.anchor} .signature }}"


def rendered(language: str, entries: list[Entry]) -> str:
    parts = []
    for entry in entries:
        parts.append(heading(entry) if entry.code else f"## {escaped(entry.name)}")
        if entry.code:
            parts.append(f"```{language}\n{entry.code.rstrip()}\n```")
        if entry.comment:
            parts.append(prose(entry.comment))
    return "\n\n".join(parts) + "\n"


# ---- C


def without_stars(comment: str) -> str:
    inner = re.sub(r"^/\*\*? ?|\s*\*/$", "", comment.strip())
    return "\n".join(re.sub(r"^\s*\* ?", "", line) for line in inner.splitlines())


C_PIECE = re.compile(
    r"^/\* ---- (?P<section>[^\n]*?) -+(?P<told>\n.*?)? ?\*/$"
    r"|^(?P<comment>/\*.*?\*/)$"
    r"|^(?P<define>#define (?P<constant>CHORALE_\w+) [^\n]*)$"
    r"|^(?P<code>(?:typedef [^;{]*;\nenum \{|typedef (?:struct|enum|union) \w* ?\{|enum \{).*?\}[^;{}]*;"
    r"|(?:typedef|CHORALE_API)[^;{]*;)(?: /\*[^\n]*\*/)?$",
    flags=re.DOTALL | re.MULTILINE,
)
C_NAMES = (
    r"CHORALE_API[^(]*?(\w+)\(",
    r"typedef [^;{]*?\(\*(\w+)\)",
    r"typedef (?:struct|enum|union) (\w+)",
    r"typedef \w+ (\w+);",
    r"enum \{\s*(?:/\*.*?\*/\s*)?(\w+)",
)


def c_entries(text: str) -> tuple[str, list[Entry]]:
    """Returns the first comment of a header, and its entries."""
    entries: list[Entry] = []
    intro = comment = ""
    for piece in C_PIECE.finditer(text):
        if piece["section"]:
            entries.append(Entry(2, piece["section"], "", "", without_stars(piece["told"] or "")))
            comment = ""
        elif piece["comment"]:
            told = without_stars(piece["comment"])
            if intro:
                comment = told
            else:
                intro = told
        elif piece["define"]:
            name = piece["constant"]
            if not re.search(r"_H$|_API$|_DECLS$", name):
                entries.append(Entry(3, name, name.lower(), piece["define"], comment))
            comment = ""
        else:
            # Arguments stand below the name, not far to the right, for narrow pages.
            code = re.sub(r"\n {8,}", "\n    ", piece["code"]) if piece["code"].startswith("CHORALE_API") else piece["code"]
            name = next(
                found[1] for found in (re.match(p, code, re.DOTALL) for p in C_NAMES) if found
            )
            if entries and entries[-1].name == name:  # a struct after its typedef
                entries[-1].code += "\n" + code
            else:
                entries.append(Entry(3, name, name.lower(), code, comment))
            comment = ""
    return intro, entries


def linked(text: str, pages: dict[str, str]) -> str:
    """Makes links of names of the C interface outside of blocks of code."""

    def link(found: re.Match[str]) -> str:
        name = found[0]
        return f"[{name}]({pages[name]}#{name.lower()})" if name in pages else name

    parts = re.split(r"(^```.*?^```$|^#+ .*$|^ {4}.*$|`[^`\n]+`)", text, flags=re.DOTALL | re.MULTILINE)
    for index in range(0, len(parts), 2):
        parts[index] = re.sub(r"\b(?:chorale|CHORALE)_\w+", link, parts[index])
    return "".join(parts)


def c_headers() -> dict[str, Path]:
    """Returns the public headers by the names of their pages, in reading order, the experimental ones last."""
    experimental = [HEADERS / "experimental.h", *sorted(HEADERS.glob("experimental/*.h"))]
    stable = set(HEADERS.glob("*.h")) - set(experimental)
    order = re.findall(r'#include "chorale/(\w+)\.h"', (HEADERS / "chorale.h").read_text(encoding="utf-8"))
    first = {name: number for number, name in enumerate(["chorale", "decode", *order])}
    stable = sorted(stable, key=lambda header: (first.get(header.stem, len(first)), header.stem))
    pages = {header.stem: header for header in stable}
    return pages | {"-".join(header.relative_to(HEADERS).with_suffix("").parts): header for header in experimental}


def c_pages() -> Iterator[tuple[str, str]]:
    read = {stem: c_entries(header.read_text(encoding="utf-8")) for stem, header in c_headers().items()}
    pages = {e.name: f"{stem}.md" for stem, (_, entries) in read.items() for e in entries if e.code}
    for stem, (intro, entries) in read.items():
        text = f"# {stem.replace('-', '/')}.h\n\n{prose(intro)}\n\n" + rendered("c", entries)
        yield f"reference/c/{stem}.md", linked(text, pages)
    lines = ["# C", "", imported_body(HEADERS / "README.md", "reference/c/index.md")]
    lines += ["", "## All functions", "", "| function | header |", "|---|---|"]
    for stem, (_, entries) in read.items():
        for entry in entries:
            if entry.code.startswith("CHORALE_API"):
                header = stem.replace("-", "/")
                lines.append(f"| [`{entry.name}`]({stem}.md#{entry.anchor}) | `{header}.h` |")
    yield "reference/c/index.md", "\n".join(lines) + "\n"


# ---- Statuses


def constants(header: str, kind: str) -> Iterator[tuple[str, str, str]]:
    """Yields name, number and comment of each constant of the type chorale_`kind` of a header."""
    text = (HEADERS / header).read_text(encoding="utf-8")
    body = re.search(rf"chorale_{kind};\nenum \{{\n(.*?)\n\}};", text, re.DOTALL)[1]  # type: ignore[index]
    comment = ""
    for piece in re.finditer(r"(/\*.*?\*/)|CHORALE_(?:ERROR_|OUTCOME_)?(\w+) = (\d+)", body, re.DOTALL):
        if piece[1]:
            comment = " ".join(without_stars(piece[1]).split())
        elif not comment:
            raise ValueError(f"{header}: {piece[2]} has no comment of its own")
        else:
            yield piece[2], piece[3], escaped(comment)
            comment = ""


# What a caller does about each outcome and status, in plain words.
OUTCOME_REMEDY = {
    "COMPLETE": "nothing",
    "GAP_REACHED": "nothing; for a smaller gap ask for one",
    "ITERATION_LIMIT": "nothing, usually. To search longer: more `rounds`, or a `damping` of 0.5 if rounds alternate; "
    "`bound_steps` tell how much there may be to gain",
    "NODE_LIMIT": "a greater `node_limit`, if the labels must be proven the best",
    "DEADLINE": "use the labels, or call again with a longer `time_limit`",
    "CANCELLED": "use the labels, or call again",
    "INFEASIBLE": "look for scores of minus infinity, transitions or rules that contradict each other: "
    "`left_out` of the result says what forbids each sequence",
    "NOTHING_FOUND": "look for a potential or a rule that forbids labels (minus infinity), and replace it by a large "
    "finite cost; the labels that there are break it",
}
REMEDY = {
    "OK": "nothing",
    "NULL_ARGUMENT": "give the argument that the message names",
    "SIZE": "give a greater number; the message has the least that is allowed",
    "SIZE_OVERFLOW": "divide the input into smaller parts, or look for a wrong count",
    "STRIDE": "give the distance between rows in elements, at least the length of a row; 0: rows without gaps",
    "TABLE_TOO_SHORT": "give the table an entry for each count from 0 to the number of members",
    "SHAPE": "compare the lengths of your arrays: the message has the one found and the one needed",
    "VALUES_MISMATCH": "make the potential with as many values as the chains have labels, or the property values",
    "STRUCT_SIZE": "set `struct_size` to the size of the struct, and all other fields that you do not use to 0; "
    "compile and run with the same version",
    "CAPACITY": "call again with a buffer of the size that the message has",
    "NOT_A_NUMBER": "look for NaN at the place that the message names: a logarithm of a negative number, a missing value",
    "INFINITE": "replace the infinite number; in scores only minus infinity is allowed, which forbids a label",
    "OUT_OF_RANGE": "look at the place that the message names; numbers of labels, positions and chains begin at 0",
    "UNKNOWN_CONSTANT": "use a constant of the header, and a library as new as the header",
    "FORBIDDEN_VALUE": "allow the position at least one label, or start from values that are allowed",
    "ALGORITHM_MISMATCH": "use `AUTO`, or an algorithm that the message lists",
    "NOT_CONVEX": "use `AUTO`, which needs no convex table",
    "NOT_CONCAVE": "use `AUTO`, which needs no concave table",
    "NOT_EXACT": "leave out the wish for exact max-marginals",
    "WEIGHTS": "leave out the weights, or use what the message lists",
    "CALLBACK_VALUE": "return a finite number in range from your function, or minus infinity where that is allowed",
    "CALLBACK_STOPPED": "nothing, if your function meant to stop it; in other languages than C its exception is raised",
    "EXECUTOR": "let your executor call each step once, with its own number",
    "OUT_OF_MEMORY": "free memory, divide the input, or raise the limit of the host",
    "ALIGNMENT": "give memory that begins at a multiple of the alignment in the message",
    "LABELS_MISMATCH": "give chain, transitions and properties the same number of labels",
    "PARENT_ORDER": "number the positions of the tree so that each parent comes before its children",
    "PARENT_CYCLE": "look for a position that is its own ancestor",
    "NOT_A_CHAIN": "use the call for trees, or leave out the parents",
    "AUTOMATON_ON_TREE": "use a local property, or chains",
    "VALUE_OUTSIDE_RANGE": "give the clique as many values as the property can show",
    "STATE_SPACE": "raise `max_states`, take the joint mode `BEAM` or `AUTO`, or let fewer properties meet in a chain",
    "LABEL_NAME": "write the labels as the scheme wants them, such as `B-PER`, or use the plain scheme",
    "DUPLICATE_MEMBER": "name each member of a clique once",
    "FROZEN": "make a new builder; a model is not changed any more",
    "TOKENS_MISSING": "give the words of each chain (`tokens`)",
    "MODEL_MISMATCH": "use the model that the earlier run has, or kinds of the same names",
    "NO_LABELLING": "solve first, after `set_labels` as well; after a solve without any labels see [its outcome](#outcomes-how-a-call-ended)",
    "KIND": "look up which kind the call takes: a position, a whole chain, or an instance",
    "BUSY": "make the call after the callback has returned; give each thread a run of its own",
    "STATE": "make the object with the option that the call needs; the message names it",
    "NO_GOLD": "give gold labels, by the same names as the labels of the tagger",
    "ONE_GROUP": "give at least two groups (documents): what is learnt is checked on groups that are held out",
    "INTERNAL": "report it, with the message and the input",
    "FILE_FORMAT": "look whether it is the right file",
    "FILE_BYTE_ORDER": "make the file again, on a machine of the usual byte order",
    "FILE_VERSION": "read it with a newer library, or save it with an older one",
    "FILE_TRUNCATED": "copy or download the file again",
    "FILE_CHECKSUM": "copy or download the file again; it has changed since it was written",
    "FILE_SECTION": "make the file again: it was not written by this library, or has been damaged",
    "INPUT_OUTPUT": "look at path, rights and space on the disk; the message has the system's number",
    "NOT_SAVABLE": "save the parts of which the model is made, and build it anew in the program that reads them",
    "TEXT": "give text in UTF-8; read learnt results as they were written",
}


def named(name: str, before: str, others: list[str | None]) -> str:
    """Returns the first cell of a row: a name as a heading, so that the search finds the row, and its
    other names below. The name in plain words is for the search and for screen readers."""
    words = name.replace("_", " ").lower()
    plain = f" <span class='unseen'>{words}</span>" if "_" in name else ""
    below = "".join(f" <br><code>{other}</code>" for other in others if other)
    return f"<h3 id='{before}{name.lower()}'><code>{name}</code>{plain}{below}</h3>"


def statuses() -> Iterator[tuple[str, str]]:
    errors = (PYTHON / "errors.py").read_text(encoding="utf-8")
    go = (ROOT / "bindings/go/constants.go").read_text(encoding="utf-8")
    lines = [
        "---\nhide: [toc]\nsearch: {boost: 1.8}\n---",
        "",
        "# What a status means",
        "",
        "Two kinds of numbers, which have nothing to do with each other: an *outcome* tells how a call that succeeded",
        "has ended, a *status* why a call failed. An outcome of 20 is `ITERATION_LIMIT`, a status of 20 is `SIZE`.",
        "",
        "## Outcomes: how a call ended",
        "",
        "No outcome is an error. `result.outcome` has it. Below each name stand those in C ([base.h](c/base.md)) and Go.",
        "",
        "<div class='cards statuses' markdown>",
        "",
        "| outcome; in C, Go | number | what it means | what to do |",
        "|---|--:|---|---|",
    ]
    for name, number, told in constants("base.h", "outcome"):
        of_go = re.search(rf"(\w+) +Outcome = C.CHORALE_OUTCOME_{name}\b", go)[1]  # type: ignore[index]
        first = named(name, "outcome_", [f"CHORALE_OUTCOME_{name}", of_go])
        lines.append(f"| {first} | {number} | {told} | {OUTCOME_REMEDY[name]} |")
    lines += [
        "",
        "</div>",
        "",
        "## Statuses: why a call failed",
        "",
        "Every call that fails gives a status and a message. The message names the argument, its value and the rule that the",
        "value breaks: read it first.",
        "",
        "JavaScript uses the names as they stand here. Below each stand its names in C ([base.h](c/base.md)) and Go, and in",
        "Rust that of the variant of `Status`; last, where it has one of its own, the exception that Python raises. Others raise",
        "`ArgumentError`, and damaged files `FileDamagedError`.",
        "",
        "<div class='cards statuses' markdown>",
        "",
        "| name; in C, Go, Rust, Python | number | what it means | what to do |",
        "|---|--:|---|---|",
    ]
    for name, number, told in constants("base.h", "status"):
        of_go = re.search(rf"(\w+) +Status = C.CHORALE_ERROR_{name}\b", go)
        of_python = re.search(rf"c\.CHORALE_ERROR_{name}: (\w+)", errors)
        of_rust = "".join(part.capitalize() for part in name.split("_"))
        of_c = "CHORALE_OK" if name == "OK" else f"CHORALE_ERROR_{name}"
        first = named(name, "", [of_c, of_go and of_go[1], of_rust, of_python and of_python[1]])
        lines.append(f"| {first} | {number} | {told} | {REMEDY[name]} |")
    lines += ["", "</div>"]
    yield "reference/statuses.md", "\n".join(lines) + "\n"


# ---- Python


def signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Returns the line of a function's definition; a long one has one argument on each line."""
    arguments = ast.unparse(node.args)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    marks = "".join(f"@{ast.unparse(mark)}\n" for mark in node.decorator_list)
    line = f"{node.name}({arguments}){returns}"
    if len(line) > 88:
        parts, depth, start = [], 0, 0
        for index, letter in enumerate(arguments):
            depth += (letter in "([{") - (letter in ")]}")
            if letter == "," and depth == 0:
                parts.append(arguments[start:index].strip())
                start = index + 1
        parts.append(arguments[start:].strip())
        parts = [re.sub(r"^(\**\w+: [^=]+)=", r"\1 = ", part) for part in parts]
        line = f"{node.name}(\n    " + ",\n    ".join(parts) + f",\n){returns}"
    return f"{marks}def {line}"


def python_entries(module: ast.Module, names: set[str], prefix: str) -> list[Entry]:
    entries = []
    for node in module.body:
        if isinstance(node, ast.ClassDef) and node.name in names:
            anchor = f"{prefix}{node.name}".lower()
            bases = ", ".join(map(ast.unparse, node.bases))
            fields = [
                f"    {ast.unparse(part)}"
                for part in node.body
                if isinstance(part, ast.AnnAssign) and not ast.unparse(part.target).startswith("_")
            ]
            code = f"class {node.name}{f'({bases})' if bases else ''}:\n" + "\n".join(fields)
            comment = ast.get_docstring(node) or ""
            entries.append(Entry(3, f"{prefix}{node.name}", anchor, code.rstrip(":\n"), comment))
            for part in node.body:
                if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    continue
                if part.name == "__init__" or not part.name.startswith("_"):
                    comment = ast.get_docstring(part) or ""
                    name = f"{prefix}{node.name}.{part.name}"
                    if not any(entry.name == name for entry in entries):
                        entries.append(Entry(4, name, name.lower().replace("__", ""), signature(part), comment))
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
            if target in names and target != "__all__":
                entries.append(Entry(3, f"{prefix}{target}", f"{prefix}{target}".lower(), ast.unparse(node), ""))
        elif isinstance(node, ast.FunctionDef) and node.name in names:
            comment = ast.get_docstring(node) or ""
            name = f"{prefix}{node.name}"
            entries.append(Entry(3, name, name.lower(), signature(node), comment))
    return entries


def exported(module: ast.Module) -> set[str]:
    """Returns the names in __all__; without it the public functions and classes."""
    for node in module.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {n.name for n in module.body if isinstance(n, kinds) and not n.name.startswith("_")}


def gathered(module: ast.Module) -> list[Entry]:
    """Returns the entries of a module that gathers names of others."""
    names = exported(module)
    entries = []
    for node in module.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            part = ast.parse((PYTHON / f"{node.module}.py").read_text(encoding="utf-8"))
            for alias in node.names:
                name = alias.asname or alias.name
                for entry in python_entries(part, {alias.name} if name in names else set(), ""):
                    if alias.asname:
                        entry = Entry(entry.level, name, name.strip("_").lower(), entry.code.replace(alias.name, name, 1), entry.comment)
                    entries.append(entry)
    return entries


def python_pages() -> Iterator[tuple[str, str]]:
    top = ast.parse((PYTHON / "__init__.py").read_text(encoding="utf-8"))
    entries = gathered(top)
    first = ("decode", "settle", "agree", "Agreement", "Decoded", "Change", "Reason", "learn_strengths")
    order = {name: number for number, name in enumerate(first)}
    entries.sort(key=lambda e: (order.get(e.name.split(".")[0], len(order)), e.name.split(".")[0].lower()))
    text = f"# libchorale\n\n{prose(ast.get_docstring(top) or '')}\n\n{rendered('python', entries)}"
    yield "reference/python.md", text
    for name in MODULES:
        module = ast.parse((PYTHON / f"{name}.py").read_text(encoding="utf-8"))
        told = prose(ast.get_docstring(module) or "")
        entries = python_entries(module, exported(module), "") + gathered(module)
        yield f"reference/python-{name}.md", f"# libchorale.<wbr>{name}\n\n{told}\n\n{rendered('python', entries)}"


# ---- Go


def go_fields(code: str) -> Iterator[tuple[str, str, str]]:
    """Yields name, type and comment of each public field of a struct."""
    above: list[str] = []
    for line in code.splitlines()[1:-1]:
        field = re.fullmatch(r"\t((?:[A-Z]\w*, )*[A-Z]\w*) +([^\s/].*?)(?: +// (.*))?", line)
        if line.startswith("\t//"):
            above.append(line[3:].strip())
            continue
        if field:
            for name in field[1].split(", "):
                yield name, field[2], " ".join([*above, field[3] or ""]).strip()
        above = []


def go_fields_page(entries: list[Entry]) -> str:
    """Returns a page of tables: the fields of each struct, each a heading, so that the search finds it."""
    parts = [
        "---\nhide: [toc]\nsearch: {boost: 2}\n---",
        "# Go: the type of every field",
        "The public fields of all structs. Types of arguments of functions stand in [all types and functions](go.md).",
    ]
    for entry in entries:
        fields = list(go_fields(entry.code)) if entry.code.startswith(f"type {entry.name} struct {{\n") else []
        if not fields:
            continue
        parts.append(f"## {entry.name} <span class='unseen'>struct in Go</span> {{ #{entry.anchor} }}")
        parts.append(f"The fields of the Go struct [`{entry.name}`](go.md#{entry.anchor}).")
        lines = ["| field | type | what it is |", "|---|---|---|"]
        for name, kind, told in fields:
            full = f"{entry.name}.{name}"
            # A field that repeats the name of its struct would be found before what explains the word.
            first = re.match("[A-Z][a-z]*", entry.name)[0]  # type: ignore[index]
            unsought = " data-search-exclude" if name.startswith(first) else ""
            title = f"<h3 id='{full.lower()}' class='unseen'{unsought}>{entry.name} {name} in Go</h3>"
            lines.append(f"| {title}`{full}` | `{kind}` | {escaped(told)} |")
        parts.append("<div class='cards' markdown>\n\n" + "\n".join(lines) + "\n\n</div>")
    return "\n\n".join(parts) + "\n"


def go_pages() -> Iterator[tuple[str, str]]:
    folder = ROOT / "bindings/go"
    entries = []
    piece = re.compile(
        r"((?:^//(?:(?!go:| #| export).*)\n)*)"
        r"^((?:func|type|const|var) (?:.*\{\n(?:.*\n)*?\}|.*\(\n(?:.*\n)*?\)|.*))$",
        flags=re.MULTILINE,
    )
    for source in sorted(folder.glob("*.go")):
        if source.stem.endswith("_test") or source.stem in ("archive", "doc"):
            continue
        for found in piece.finditer(source.read_text(encoding="utf-8")):
            comment, code = re.sub(r"^// ?", "", found[1], flags=re.MULTILINE), found[2]
            named = re.match(r"func \(\w* ?\*?(\w+)\) (\w+)|(?:func|type|var|const) \(?\s*(?://.*\n\s*)*(\w+)", code)
            if not named:
                continue
            name = f"{named[1]}.{named[2]}" if named[1] else named[3]
            if not all(part[0].isupper() for part in name.split(".")) or not comment:
                continue
            if code.startswith("func"):
                code = re.sub(r" \{\n.*|\s*\{.*\}$", "", code, flags=re.DOTALL)
            level = 4 if "." in name else 3
            entries.append(Entry(level, name, name.lower(), code, comment))
    entries.sort(key=lambda e: (e.name.split(".")[0].lower(), e.level, e.name.lower()))
    told = re.search(r"/\*\n(.*?)\*/|((?:^//.*\n)+)package", (folder / "doc.go").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    intro = re.sub(r"^// ?", "", told[1] or told[2], flags=re.MULTILINE) if told else ""
    text = f"# Go: all types and functions\n\nThe type of each argument is in its declaration; [fields of structs](go-fields.md) have a table.\n\n{prose(intro)}\n\n## Names\n\n{rendered('go', entries)}"
    names = {entry.name: entry.anchor for entry in entries}
    text = re.sub(
        r"\\\[([A-Z][\w.]*)\\\]",
        lambda m: f"[{m[1]}](#{names[m[1]]})" if m[1] in names else m[1],
        text,
    )
    yield "reference/go.md", text
    fields = re.sub(r"\\\[([A-Z][\w.]*)\\\]", lambda m: f"[{m[1]}](go.md#{names[m[1]]})" if m[1] in names else m[1], go_fields_page(entries))
    yield "reference/go-fields.md", fields


# ---- JavaScript


def js_pages() -> Iterator[tuple[str, str]]:
    types = ROOT / "bindings/js/types"
    text, made = ((types / f"{name}.d.ts").read_text(encoding="utf-8") for name in ("index", "structs"))
    bodies = dict(re.findall(r"^export interface (\w+) \{\n(.*?)^\}", made, flags=re.DOTALL | re.MULTILINE))
    # Interfaces and classes have the members of what they extend.
    for name in re.findall(r"^export interface (\w+) extends structs.\w+Methods", text, flags=re.MULTILINE):
        body = bodies.pop(f"{name}Methods")
        text = re.sub(rf"^(export class {name}\b[^\n]*\n)", lambda m: m[1] + body, text, flags=re.MULTILINE)

    def extended(found: re.Match[str]) -> str:
        body = bodies.get(found[2], "")
        for left_out in re.findall(r'"(\w+)"', found[3] or ""):
            body = re.sub(rf"  /\*\*(?:(?!\*/).)*\*/\n  readonly {left_out}: [^\n]*\n", "", body, flags=re.DOTALL)
        return f"{found[1]} {{\n{body}"

    text = re.sub(r"^(export interface \w+) extends (?:Omit<)?structs\.(\w+)(, [^>]*>)? \{\n", extended, text, flags=re.MULTILINE)
    text += re.sub(r"^(/\*\*[^\n]*\*/\n)export interface \w+Methods \{\n.*?^\}\n", "", made, flags=re.DOTALL | re.MULTILINE)
    entries: list[Entry] = []
    outer = re.compile(
        r"((?:^/\*\*(?:(?!\*/).)*?\*/\n)?)^export ((?:declare )?(?:class|interface|type|function|const) (\w+)(?:[^\n]*\{\n.*?^\}|.*?;))",
        flags=re.DOTALL | re.MULTILINE,
    )
    inner = re.compile(
        r"((?:^  /\*\*(?:(?!\*/).)*?\*/\n))^  ((?:readonly |static |get )?(\w+)(?:(?!\n  /\*\*).)*?;)$",
        flags=re.DOTALL | re.MULTILINE,
    )
    for found in outer.finditer(text):
        comment, code, name = without_stars(found[1]), found[2], found[3]
        members = []
        if code.startswith("class"):
            for member in inner.finditer(code):
                title = f"{name}.{member[3]}"
                if "(" in member[2].split(":")[0] and all(e.name != title for e in members):
                    told = without_stars(textwrap.dedent(member[1]))
                    members.append(
                        Entry(4, title, title.lower(), textwrap.dedent("  " + member[2]), told)
                    )
                    code = code.replace(member[0] + "\n", "")
        if not any(e.name == name for e in entries):
            entries.append(Entry(3, name, name.lower(), code, comment))
            entries += members
    intro = "The types of the npm package `libchorale`. Numbers of chains, positions, labels and cliques begin at 0."
    yield "reference/javascript.md", f"# JavaScript\n\n{intro}\n\n{rendered('ts', entries)}"


# ---- Rust


def rust_pages() -> Iterator[tuple[str, str]]:
    folder = ROOT / "bindings/rust/libchorale/src"
    whole = (folder / "lib.rs").read_text(encoding="utf-8")
    public = set(re.findall(r"\w+", " ".join(re.findall(r"^ *pub use [^;]+;", whole, re.MULTILINE))))
    for module in re.findall(r"^pub use (\w+)::\*;", whole, re.MULTILINE):
        text = (folder / f"{module}.rs").read_text(encoding="utf-8")
        text += "".join((folder / name).read_text(encoding="utf-8") for name in re.findall(r'^include!\("(.*)"\);', text, re.MULTILINE))
        public |= set(re.findall(r"^(?:pub (?:enum|struct)|   ) (\w+)(?: = \w+)? \{$", text, re.MULTILINE))
    entries = []
    for source in sorted(folder.glob("*.rs")):
        owner = ""
        comment: list[str] = []
        text = source.read_text(encoding="utf-8")
        entries += rust_made(text)
        for line, rest in lines_of(rust_options(text)):
            if line.startswith("impl"):
                plain = re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", line))  # without parameters of types
                made = re.match(r"impl (\w+) ?(?:\{|where|$)", plain)
                owner = made[1] if made else ""
            elif line.strip().startswith("///"):
                comment.append(re.sub(r"^\s*/// ?", "", line))
                continue
            elif found := re.match(r"( *)pub (?:const (?=fn)|unsafe )?(fn|struct|enum|trait|type|const) (\w+)", line):
                inside, kind, name = bool(found[1]), found[2], found[3]
                full = f"{owner}::{name}" if inside else name
                whole_page = source.stem == "lib"
                if comment and ((owner if inside else name) in public or whole_page and not inside):
                    code = rust_code(line + "\n" + rest, kind)
                    told = re.sub(r"\[(`[^`]+`)\](\([^)]*\))?", r"\1", "\n".join(comment))
                    told = re.sub(r"^# (Errors|Panics|Examples?|Safety)\n", r"\1:\n", told, flags=re.MULTILINE)
                    told = re.sub(r"^```.*?^```$", "", told, flags=re.DOTALL | re.MULTILINE)
                    anchor = full.replace("::", ".").lower()
                    entries.append(Entry(4 if inside else 3, full, anchor, code, told))
            if not line.strip().startswith("#["):
                comment = []
    entries.sort(key=lambda e: (e.name.split("::")[0].lower(), e.level, e.name.lower()))
    intro = "The crate `libchorale`. `cargo doc --open` makes the same pages with the traits of each type, those of tables with the feature `experimental`."
    yield "reference/rust.md", f"# Rust\n\n{intro}\n\n{rendered('rust', entries)}"


def rust_options(text: str) -> str:
    """Returns a source with what its macro options! makes in its place."""

    def made(macro: re.Match[str]) -> str:
        struct, options = re.split(r"\nset(?:\(self\))? \{\n", textwrap.dedent(macro[1]))
        name = re.search(r"pub struct (\w+)", struct)[1]
        option = r"^    (\w+): ([^\n]*?)(?: => .*?)?,$(?=\n    ///|\n\})"
        options = re.sub(option, r"    pub fn \1(mut self, \1: \2) -> Self {}", options, flags=re.DOTALL | re.MULTILINE)
        return re.sub(r" of \w+ \{$", " {", struct, flags=re.MULTILINE) + f"\nimpl {name} {{\n{options}"

    return re.sub(r"^options! \{\n(.*?)^\}\n", made, text, flags=re.DOTALL | re.MULTILINE)


def rust_made(text: str) -> list[Entry]:
    """Returns the enums and structs that are made by macros, without the names of C."""
    entries = []
    for macro, body in re.findall(r"^(told|asked|flags|filled)! \{\n(.*?)^\}", text, re.DOTALL | re.MULTILINE):
        told, name, filled, inside = re.match(r"((?: {4}///.*\n)*) {4}(\w+)( = \w+)? \{\n(.*?)^ {4}\}", body, re.DOTALL | re.MULTILINE).groups()
        inside = re.sub(r" = \w+,$", ": bool," if macro == "flags" else ",", textwrap.dedent(inside), flags=re.MULTILINE)
        if filled or macro == "flags":
            inside = re.sub(r"^(\w+: )", r"pub \1", inside, flags=re.MULTILINE)
        code = f"pub {'struct' if filled or macro == 'flags' else 'enum'} {name} {{\n" + inside
        code = re.sub(r"\n(?=.)", "\n    ", code) + "}"
        comment = re.sub(r"\[(`[^`]+`)\](\([^)]*\))?", r"\1", re.sub(r"^ *///? ?", "", told, flags=re.MULTILINE))
        entries.append(Entry(3, name, name.lower(), code, comment))
    return entries


def lines_of(text: str) -> Iterator[tuple[str, str]]:
    """Yields each line, and the text after it."""
    start = 0
    for line in text.splitlines(keepends=True):
        start += len(line)
        yield line.rstrip("\n"), text[start : start + 4000]


def rust_code(text: str, kind: str) -> str:
    """Returns the declaration that a text begins with: a function without its body."""
    depth = 0
    for index, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 and letter in "{;":
            if kind == "fn" or letter == ";":
                return textwrap.dedent(text[:index]).rstrip()
            body = text[index : text.index("\n}", index) + 2] if "\n}" in text[index:] else ""
            if kind == "struct":  # private fields are left out
                fields = re.findall(r"(?:^ *///.*\n)*^ *pub .*,\n", body, re.MULTILINE)
                body = "{\n" + "".join(fields) + "}" if fields else "{ .. }"
            elif kind == "trait":
                body = "{ .. }"
            return textwrap.dedent(text[:index] + body)
    return text.splitlines()[0]


# ---- Documents of the repository

IMPORTED = {
    "reference/experiments.md": ROOT / "examples/experiments/README.md",
    "reference/experiments-measured.md": ROOT / "examples/experiments/measured.md",
    "reference/experiments-results.md": ROOT / "examples/experiments/results.md",
    "reference/publications.md": ROOT / "examples/publications/README.md",
    "reference/changes.md": ROOT / "CHANGELOG.md",
    "contributing/releasing.md": ROOT / "tests/RELEASING.md",
}
COPIED = {
    "assets/libchorale.embedded.js": ROOT / "bindings/js/dist/libchorale.embedded.js",
    "assets/report-light.png": ROOT / "examples/publications/report-light.png",
    "assets/report-dark.png": ROOT / "examples/publications/report-dark.png",
}


def imported_body(source: Path, page: str) -> str:
    """Returns the text of a document. Links to documents that are pages lead there; other links to
    files are plain text."""
    text = source.read_text(encoding="utf-8")
    text = re.sub(r"\A# .*\n", "", text)
    targets = {path: name for name, path in IMPORTED.items()}
    targets |= {path: f"reference/c/{stem}.md" for stem, path in c_headers().items()}

    def link(found: re.Match[str]) -> str:
        image, label, target = found[1], found[2], found[3]
        if re.match(r"https?:|#", target):
            return found[0]
        name, _, anchor = target.partition("#")
        path = (source.parent / name).resolve()
        if image:
            return found[0]
        if path in targets:
            to = targets[path]
        else:
            return label
        relative = os.path.relpath(to, os.path.dirname(page))
        return f"[{label}]({relative}{'#' + anchor if anchor else ''})"

    text = re.sub(r"^Not run: (.*)$", r'??? note "Not run"\n\n    \1', text, flags=re.MULTILINE)
    return re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", link, text)


def imported() -> Iterator[tuple[str, str]]:
    for page, source in IMPORTED.items():
        title = source.read_text(encoding="utf-8").splitlines()[0]
        yield page, f"{title}\n\n{imported_body(source, page)}"


def code_of(found: re.Match[str]) -> str:
    """Returns a block of code of a document, and the block after it if that is its output: what
    `<!-- code FILE LANGUAGE NUMBER -->` stands for. The tests of the document run it."""
    indent, name, language, number = found.groups()
    text = (ROOT / name).read_text(encoding="utf-8")
    blocks = re.findall(
        rf"^```{language}\n.*?^```\n(?:(?:\n|It prints\n)+```\n.*?^```\n)?", text, re.DOTALL | re.MULTILINE
    )
    return textwrap.indent(blocks[int(number) - 1], indent)


def on_page_markdown(markdown, **_):
    """Puts code of the repository's documents into pages. (A hook of MkDocs.)"""
    return re.sub(r"^( *)<!-- code (\S+) (\w+) (\d+) -->$", code_of, markdown, flags=re.MULTILINE)


def on_config(config):
    """Lists the headers of C in the navigation. (A hook of MkDocs.)"""
    [reference] = [part["Reference"] for part in config.nav if "Reference" in part]
    [of_c] = [part["C"] for part in reference if "C" in part]
    of_c += [f"reference/c/{stem}.md" for stem in c_headers()]
    return config


def on_files(files, config):
    """Adds the pages and files that are made of the sources. (A hook of MkDocs.)"""
    makers = (c_pages, statuses, python_pages, go_pages, js_pages, rust_pages, imported)
    for maker in makers:
        for name, text in maker():
            if not text.startswith("---\n"):  # the search prefers pages that explain
                text = f"---\nsearch: {{boost: 0.4}}\n---\n\n{text}"
            files.append(File.generated(config, name, content=text))
    copied = dict(COPIED)
    for image in (ROOT / "examples/experiments").glob("*.svg"):
        copied[f"reference/{image.name}"] = image
    for name, source in copied.items():
        files.append(File.generated(config, name, abs_src_path=str(source)))
    return files
