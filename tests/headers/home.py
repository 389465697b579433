#!/usr/bin/env python3
"""Checks that every package and the site name the home of the project, and its address, as CITATION.cff does.

    tests/headers/home.py

The project has no public home yet: `url` and `email` of CITATION.cff are placeholders. Who publishes it changes
them, and then what this check names.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
URL = re.search(r"^url: (\S+)$", CITATION, re.M)[1]
EMAIL = re.search(r"^    email: (\S+)$", CITATION, re.M)[1]
HOST = URL.split("://")[1]
# The path of the Go package, which unlike a path of the repository begins with a host.
GO = r"(?<![\w./-])([\w-]+(?:\.[\w-]+)+(?:/[\w.-]+)*)/bindings/go\b"
# What stands in a file: at least once, and nothing else for the pattern.
PLACES = [
    (URL, "bindings/python/pyproject.toml", r'^Homepage = "(.*)"$'),
    (URL, "bindings/references/pyproject.toml", r'^Homepage = "(.*)"$'),
    (URL, "bindings/rust/libchorale/Cargo.toml", r'^homepage = "(.*)"$'),
    (URL, "bindings/rust/libchorale/Cargo.toml", r'^repository = "(.*)"$'),
    (URL, "bindings/rust/libchorale-sys/Cargo.toml", r'^homepage = "(.*)"$'),
    (URL, "bindings/rust/libchorale-sys/Cargo.toml", r'^repository = "(.*)"$'),
    (URL, "bindings/js/package.json", r'^  "homepage": "(.*)",$'),
    (URL, "bindings/conan/conanfile.py", r'^    homepage = "(.*)"$'),
    (URL, "examples/guide/docs/guides/install.md", r"^git clone (\S+) chorale "),
    (URL, "examples/guide/docs/contributing/index.md", r"^git clone (\S+) chorale "),
    (EMAIL, "bindings/debian/changelog", r"^ -- .* <(.*)>"),
    (HOST, "bindings/go/go.mod", r"^module (.*)/bindings/go$"),
    (HOST, "bindings/go/example_test.go", GO),
    (HOST, "bindings/go/README.md", GO),
    (HOST, "bindings/README.md", GO),
    (HOST, "examples/guide/docs/guides/go.md", GO),
    (HOST, "examples/guide/docs/guides/install.md", GO),
    (HOST, "examples/guide/docs/guides/languages.md", GO),
]


def main() -> int:
    faults = []
    for expected, name, pattern in PLACES:
        found = re.findall(pattern, (ROOT / name).read_text(encoding="utf-8"), re.M)
        if set(found) != {expected}:
            faults.append(f"{name}: {pattern} finds {found}, not {expected}")
    print("\n".join(faults) or f"ok: {len(PLACES)} places name {URL}, {HOST}, {EMAIL}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
