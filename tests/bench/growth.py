#!/usr/bin/env python3
"""Draws what growth_bench prints: growth.py FIGURES.tsv PICTURE.svg"""

import math
import sys
from collections import defaultdict

# Of each panel: the size that varies, what stays, and the tables drawn in it.
PANELS = [
    ("members", "members n of a Potts clique, R = 24", ["clique", "marginals"]),
    ("values", "values R of a Potts clique, n = 1000", ["clique", "marginals"]),
    ("length", "length T of a chain, m = 20", ["chain"]),
    ("labels", "labels m of a chain, T = 1000", ["chain"]),
    ("cliques", "cliques of a model, 3 rounds", ["run"]),
    ("rounds", "rounds allowed, 4000 chains", ["run"]),
]
NAMES = {
    "clique": "best values",
    "marginals": "all max-marginals",
    "chain": "best labelling",
    "run": "whole run",
}
COLOURS = {"clique": "#1b6ca8", "marginals": "#b3541e", "chain": "#1b6ca8", "run": "#1b6ca8"}
WIDTH, HEIGHT = 380, 280
LEFT, RIGHT, TOP, BOTTOM = 66, 14, 34, 30


def decades(numbers):
    """The powers of ten around the numbers, as exponents."""
    low = math.floor(math.log10(min(numbers)) + 1e-9)
    high = math.ceil(math.log10(max(numbers)) - 1e-9)
    return low, max(high, low + 1)


def short(value):
    return f"{value:g}" if 1e-3 <= value < 1e4 else f"1e{round(math.log10(value))}"


def panel(tables, size, title, whats, x0, y0):
    series = [(what, tables[f"{what}.{size}"]) for what in whats if tables[f"{what}.{size}"]]
    if not series:
        raise SystemExit(f"no figures for {size}")
    sizes = [x for _, points in series for x, _ in points]
    times = [y for _, points in series for _, y in points]
    (x_low, x_high), (y_low, y_high) = decades(sizes), decades(times)
    across, down = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def at(x, y):
        return (
            x0 + LEFT + across * (math.log10(x) - x_low) / (x_high - x_low),
            y0 + TOP + down * (y_high - math.log10(y)) / (y_high - y_low),
        )

    out = [f'<text x="{x0 + LEFT}" y="{y0 + 18}" class="title">{title}</text>']
    for exponent in range(x_low, x_high + 1):
        x, bottom = at(10.0**exponent, 10.0**y_low)
        out.append(f'<line x1="{x:.1f}" y1="{y0 + TOP}" x2="{x:.1f}" y2="{bottom:.1f}"/>')
        out.append(
            f'<text x="{x:.1f}" y="{bottom + 15:.1f}" text-anchor="middle">'
            f"{short(10.0**exponent)}</text>"
        )
    for exponent in range(y_low, y_high + 1):
        left, y = at(10.0**x_low, 10.0**exponent)
        out.append(f'<line x1="{left:.1f}" y1="{y:.1f}" x2="{x0 + WIDTH - RIGHT}" y2="{y:.1f}"/>')
        out.append(
            f'<text x="{left - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">'
            f"{short(10.0**exponent)} ms</text>"
        )
    for row, (what, points) in enumerate(series):
        colour = COLOURS[what]
        places = [at(x, y) for x, y in points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        out.append(f'<polyline points="{line}" stroke="{colour}"/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        out.append(
            f'<text x="{x0 + LEFT + 8}" y="{y0 + TOP + 16 + 15 * row}" style="fill:{colour}">'
            f"{NAMES[what]}</text>"
        )
    return out


def main():
    source, target = sys.argv[1:]
    tables = defaultdict(list)
    with open(source, encoding="utf-8") as lines:
        for line in lines:
            table, size, milliseconds = line.split("\t")
            tables[table].append((float(size), float(milliseconds)))
    across, down = 2, (len(PANELS) + 1) // 2
    width, height = across * WIDTH, down * HEIGHT
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">',
        "<style>text{font:11px sans-serif;fill:#333}.title{font-weight:bold;font-size:12px}"
        "line{stroke:#ddd}polyline{fill:none;stroke-width:1.8}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for number, (size, title, whats) in enumerate(PANELS):
        x0, y0 = number % across * WIDTH, number // across * HEIGHT
        out += panel(tables, size, title, whats, x0, y0)
    with open(target, "w", encoding="utf-8") as picture:
        picture.write("\n".join(out + ["</svg>", ""]))


if __name__ == "__main__":
    main()
