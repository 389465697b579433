#!/usr/bin/env python3
"""Lists the public names that the reference of the site lacks.

    complete.py SITE

C: every function of tests/symbols*.txt and every type has an anchor; every constant, field and member
of a struct stands on a page. Python: what `import` finds, functions, classes, their methods and all
arguments. Go: what `go doc` shows of exported names. JavaScript: every name of the TypeScript types.
Rust: every public name that the crate's modules export. The names are read in another way than by
reference.py, which makes the pages.
"""

from __future__ import annotations

import html
import importlib
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bindings/python/tools"))
sys.dont_write_bytecode = True
from declare import HEADERS, Headers  # noqa: E402



def modules():
    """Returns the modules of the Python package that the guide, its README or the changes name."""
    texts = [*(ROOT / "examples/guide/docs").rglob("*.md"), ROOT / "bindings/python/README.md", ROOT / "CHANGELOG.md"]
    named = {name for path in texts for name in re.findall(r"libchorale(?:\.| import )(\w+)", path.read_text(encoding="utf-8"))}
    return sorted(named & {path.stem for path in (ROOT / "bindings/python/src/libchorale").glob("[a-z]*.py")})


class Pages:
    """Anchors and words of some pages."""

    def __init__(self, paths):
        texts = [path.read_text(encoding="utf-8") for path in paths]
        self.anchors = {anchor for text in texts for anchor in re.findall(r'id="([^"]+)"', text)}
        self.words = {word for text in texts for word in re.findall(r"\w+", html.unescape(re.sub(r"<[^>]*>", "", text)))}


def of_c():
    c = Headers(HEADERS)
    for name in ("symbols.txt", "symbols_experimental.txt"):
        yield from (("anchor", line) for line in (ROOT / "tests" / name).read_text(encoding="utf-8").split())
    yield from (("anchor", name) for name in c.structs)
    yield from (("word", name) for name in c.constants)
    yield from (("word", field) for fields in c.structs.values() for field, _ in fields)


def of_python():
    for name in ("", *modules()):
        module = importlib.import_module(f"libchorale.{name}".rstrip("."))
        listed = getattr(module, "__all__", None)
        if listed is None:
            listed = [n for n, it in vars(module).items() if not n.startswith("_") and getattr(it, "__module__", "") == module.__name__]
        for one in listed:
            it = getattr(module, one)
            if not (inspect.isclass(it) or inspect.isfunction(it)):
                yield "word", one
                continue
            yield "anchor", one.lower()
            members = vars(it).items() if inspect.isclass(it) else ()
            for member, value in [*members, ("", it)]:
                value = getattr(value, "__func__", getattr(value, "fget", value))
                if member.startswith("_") or not inspect.isfunction(value):
                    continue
                if member:
                    yield "anchor", f"{one}.{member}".lower()
                yield from (("word", argument) for argument in inspect.signature(value).parameters if not argument.startswith("_"))


def of_go():
    told = subprocess.run(
        ["go", "doc", "-all", "."], cwd=ROOT / "bindings/go", capture_output=True, text=True, check=True
    ).stdout
    told = told[re.search(r"^(CONSTANTS|VARIABLES|FUNCTIONS|TYPES)$", told, re.MULTILINE).start() :]
    for line in told.splitlines():
        if found := re.match(r"func \((?:\w+ )?\*?(\w+)\) (\w+)", line):
            yield "anchor", f"{found[1]}.{found[2]}".lower()
        elif found := re.match(r"(?:func|type) (\w+)", line):
            yield "anchor", found[1].lower()
        elif found := re.match(r"(?:\t|const |var )([A-Z]\w*(?:, [A-Z]\w*)*)", line):
            yield from (("word", name) for name in found[1].split(", "))


def of_javascript():
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "bindings/js/types").glob("*.d.ts")))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"^type \w+ = \{.*?^\};$", "", text, flags=re.DOTALL | re.MULTILINE)  # not exported
    for name in re.findall(r"^export (?:declare )?(?:abstract )?(?:class|interface|type|function|const) (\w+)", text, re.MULTILINE):
        if not name.endswith("Methods"):  # those of the class of this name
            yield "anchor", name.lower()
    yield from (("word", name) for name in re.findall(r"^ +(?:readonly |static |get )*(\w+)\??[(:<]", text, re.MULTILINE))


def of_rust():
    folder = ROOT / "bindings/rust/libchorale/src"
    whole = re.sub(r"//.*", "", (folder / "lib.rs").read_text(encoding="utf-8"))
    for names in re.findall(r"pub use (?:crate::)?\w+::(\{[^}]*\}|\w+);", whole):
        yield from (("anchor", name.lower()) for name in re.findall(r"[A-Za-z]\w*", names))
    for source in folder.glob("*.rs"):
        text = re.sub(r"//.*", "", source.read_text(encoding="utf-8")).split("#[cfg(test)]")[0]
        yield from (("word", name) for name in re.findall(r"^ {4}(?: {4})?pub (?:const |unsafe )*(?:fn )?(?!mod |use )(\w+)\b", text, re.MULTILINE))
        for options in re.findall(r"^    set \{\n(.*?)^    \}", text, re.DOTALL | re.MULTILINE):
            yield from (("word", name) for name in re.findall(r"^ {8}(\w+):", options, re.MULTILINE))


def main(site: Path) -> int:
    reference = site / "reference"
    languages = {
        "C": (of_c, reference.glob("c/*.html")),
        "Python": (of_python, reference.glob("python*.html")),
        "Go": (of_go, [reference / "go.html"]),
        "JavaScript": (of_javascript, [reference / "javascript.html"]),
        "Rust": (of_rust, [reference / "rust.html"]),
    }
    if not shutil.which("go"):
        del languages["Go"]
    missing = few = 0
    for language, (names, paths) in languages.items():
        pages, wanted = Pages(paths), set(names())
        for kind, name in sorted(wanted):
            if name not in (pages.anchors if kind == "anchor" else pages.words):
                print(f"{language}: the reference has no {name}" + (" (anchor)" if kind == "anchor" else ""))
                missing += 1
        print(f"{language}: {len(wanted)} names")
        if len(wanted) < 200:  # their sources are not read as they should be
            print(f"{language}: too few names")
            few += 1
    print(f"{missing} names are missing in the reference")
    return 1 if missing or few else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
