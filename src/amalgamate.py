#!/usr/bin/env python3
"""Writes the library as two files, chorale.h and chorale.cpp, which need nothing else. A third,
experimental.h, is for programs that use experimental calls.

    src/amalgamate.py DIRECTORY [--gsl INCLUDE]

INCLUDE is the folder that holds gsl/gsl; the default is /usr/include or /usr/local/include. The
headers of GSL go into chorale.cpp with their licence notices. All sources become one translation
unit, so no two sources of the library may define the same name for internal use.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"][^\n]*\n', re.M)

BEGIN = """\
/* Chorale {version}: the library in one source, made from those of the project. Build with

     c++ -std=c++20 -O3 -c chorale.cpp

   Programs include chorale.h, and define CHORALE_STATIC where they link the object file itself. */
{settings}/* Symbols are hidden, except those declared as exported and those that system headers declare. */
#if defined(_WIN32)
#define CHORALE_HIDE
#define CHORALE_SHOW
#else
#define CHORALE_HIDE _Pragma("GCC visibility push(hidden)")
#define CHORALE_SHOW _Pragma("GCC visibility pop")
#endif
"""

HIDE = "CHORALE_HIDE\n"
SHOW = "CHORALE_SHOW\n"
# Standard headers, which exist on every machine; they are all included at the top of chorale.cpp.
LANGUAGE = re.compile(r"[a-z_]+|(?:math|stddef|stdint|stdlib|string)\.h")


class Writer:
    def __init__(self, places, hides):
        self.hides = hides
        self.places = places  # folders that are searched for headers
        self.seen = set()
        self.language = set()
        self.parts = []

    def find(self, name, here):
        for place in [here, *self.places]:
            if (place / name).is_file():
                return (place / name).resolve()
        return None

    def add(self, path):
        text = path.read_text()
        if "#pragma once" in text or re.search(r"^#ifndef \w+_H\n#define", text, re.M):
            if path in self.seen:
                return
        self.seen.add(path)
        text = text.replace("#pragma once\n", "")
        at = 0
        for match in INCLUDE.finditer(text):
            kind, name = match.groups()
            found = self.find(name, path.parent) if kind == '"' or name.startswith(("gsl/", "chorale/")) else None
            if not found:
                if kind == '"':
                    sys.exit(f"amalgamate.py: {path} includes {name}, which is nowhere")
                if not self.hides:
                    continue
            self.parts.append(text[at : match.start()])
            if found:
                self.add(found)
            elif LANGUAGE.fullmatch(name):
                self.language.add(name)
            else:
                self.parts.append(SHOW + match.group() + HIDE)
            at = match.end()
        self.parts.append(text[at:])

    def text(self):
        return re.sub(r"\n{3,}", "\n\n", "".join(self.parts))


def notice(path, of):
    return f"\n/* The licence of {of}:\n\n{path.read_text()}*/\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--gsl", type=pathlib.Path, default=None)
    arguments = parser.parse_args()
    gsl = [arguments.gsl] if arguments.gsl else [pathlib.Path(p) for p in ("/usr/include", "/usr/local/include")]
    if not any((place / "gsl/gsl").is_file() for place in gsl):
        sys.exit("amalgamate.py: there is no gsl/gsl; name the folder that holds it with --gsl")

    version = re.findall(r"define CHORALE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)",
                         (ROOT / "include/chorale/version.h").read_text())
    header = Writer([ROOT / "include"], False)
    header.add(ROOT / "include/chorale/chorale.h")
    experimental = Writer([ROOT / "include"], False)
    experimental.seen = set(header.seen)
    experimental.add(ROOT / "include/chorale/experimental.h")

    writer = Writer([ROOT / "src", ROOT / "include", *gsl], True)
    writer.seen = set(header.seen)
    whole = (ROOT / "src/chorale.cpp").read_text()
    settings = whole[whole.index("#if") : whole.index("\n#if !__has_include(<gsl/gsl>)")]
    for name in re.findall(r'^#include "(.*)"', whole, re.M):
        writer.parts.append(f"\n// ---- {name}\n\n")
        writer.add(ROOT / "src" / name)

    text = writer.text()
    includes = "".join(f"#include <{name}>\n" for name in sorted(writer.language))
    begin = BEGIN.format(version=".".join(version), settings=settings) + notice(ROOT / "LICENSE", "Chorale")
    arguments.directory.mkdir(parents=True, exist_ok=True)
    (arguments.directory / "chorale.h").write_text(notice(ROOT / "LICENSE", "Chorale") + header.text())
    (arguments.directory / "experimental.h").write_text(
        experimental.text().replace("#define CHORALE_EXPERIMENTAL_H\n", '#define CHORALE_EXPERIMENTAL_H\n\n#include "chorale.h"\n'))
    (arguments.directory / "chorale.cpp").write_text(
        begin + "\n" + includes + "\n" + HIDE + '#include "chorale.h"\n' + text + SHOW)


if __name__ == "__main__":
    main()
