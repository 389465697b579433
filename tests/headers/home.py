#!/usr/bin/env python3
"""Checks that every package and the site name the home of the project as CITATION.cff does.

    tests/headers/home.py

The project has no public home yet: `url` of CITATION.cff is a placeholder. Who publishes it changes
`url`, and then what this check names.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
URL = re.search(r"^url: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)[1]
HOST = URL.split("://")[1]
# By file: what stands there, once for each pattern.
PLACES = {
    "bindings/python/pyproject.toml": [r'^Homepage = "(.*)"$'],
    "bindings/references/pyproject.toml": [r'^Homepage = "(.*)"$'],
    "bindings/rust/libchorale/Cargo.toml": [r'^homepage = "(.*)"$', r'^repository = "(.*)"$'],
    "bindings/rust/libchorale-sys/Cargo.toml": [r'^homepage = "(.*)"$', r'^repository = "(.*)"$'],
    "bindings/js/package.json": [r'^  "homepage": "(.*)",$'],
    "bindings/conan/conanfile.py": [r'^    homepage = "(.*)"$'],
    "bindings/go/go.mod": [r"^module (.*)/bindings/go$"],
    "examples/guide/docs/guides/install.md": [r"^git clone (\S+) chorale "],
    "examples/guide/docs/contributing/index.md": [r"^git clone (\S+) chorale "],
}


def main() -> int:
    faults = []
    for name, patterns in PLACES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        for pattern in patterns:
            found = re.findall(pattern, text, re.M)
            expected = HOST if name.endswith("go.mod") else URL
            if found != [expected]:
                faults.append(f"{name}: {pattern} finds {found}, not {expected}")
    print("\n".join(faults) or f"ok: {sum(map(len, PLACES.values()))} places name {URL}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
