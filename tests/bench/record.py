#!/usr/bin/env python3
"""Writes the figures of one run of run.sh into the tables of README.md.

    tests/bench/run.sh > FIGURES; tests/bench/record.py FIGURES

A row of a table is `| name | value | what it is |`, with the name of a figure in back-quotes; the value is
replaced by the one in FIGURES (lines of name<TAB>value<TAB>unit). Fails, and writes nothing, if a row has no
figure there: all rows are of one run.
"""

import re
import sys
from pathlib import Path

README = Path(__file__).with_name("README.md")
ROW = re.compile(r"\| `([a-z_0-9.]+)` \| [^|]* \|")


def shown(value: float, unit: str) -> str:
    """A value to three digits, as people write numbers, and its unit unless it is a ratio."""
    if unit == "seed":
        return f"{value:.0f}"
    if value.is_integer() or abs(value) >= 1000:
        number = f"{value:,.0f}"
    elif 0.999 < value < 1:  # a share: its distance from 1 is what matters
        number = f"{value:.6f}"
    else:
        number = f"{value:.3g}"
    return number if unit == "ratio" else f"{number} {unit.split(',')[0]}"


def main() -> None:
    figures = {}
    for line in Path(sys.argv[1]).read_text().splitlines():
        name, value, unit = line.split("\t")
        figures[name] = shown(float(value), unit)
    missing = []

    def replaced(row: re.Match[str]) -> str:
        name = row[1]
        if name not in figures:
            missing.append(name)
            return row[0]
        return f"| `{name}` | {figures[name]} |"

    text = ROW.sub(replaced, README.read_text())
    if missing:
        sys.exit("no figure: " + ", ".join(missing))
    README.write_text(text)


if __name__ == "__main__":
    main()
