"""Markdown tables and plots as self-contained SVG, without a plotting library.

Plots adapt to light and dark pages, and tell series apart by colour, dash and marker.
"""

import math
from html import escape

COLOURS = ["#2563b8", "#c2410c", "#15803d", "#9333ea", "#b8860b", "#0e7490", "#be185d", "#57534e"]
DASHES = ["", "7 3", "2 3", "9 3 2 3", "4 4", "1 2", "12 4", "6 2 2 2"]

STYLE = """<style>
text { font: 12px system-ui, sans-serif; fill: #222 }
.title { font-size: 14px; font-weight: 600 }
.axis { stroke: #555; stroke-width: 1 } .grid { stroke: #ddd; stroke-width: 1 }
.paper { fill: #fff }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd } .axis { stroke: #aaa } .grid { stroke: #444 } .paper { fill: #1b1b1d } }
</style>"""


def markdown_table(headers, rows, align=None):
    """Returns a Markdown table. align: a string of 'l' and 'r', one letter a column; by default the
    first column is left, the others right. Cells are written as str() writes them."""
    align = align or "l" + "r" * (len(headers) - 1)
    text = [[str(cell).replace("|", "\\|") for cell in row] for row in [headers, *rows]]
    lines = ["| " + " | ".join(row) + " |" for row in text]
    lines.insert(1, "|" + "|".join("---" if a == "l" else "---:" for a in align) + "|")
    return "\n".join(lines) + "\n"


def ticks(low, high, count=6):
    """Returns about `count` round numbers that cover low .. high."""
    if not high > low:
        low, high = low - 0.5, high + 0.5
    raw = (high - low) / max(1, count - 1)
    magnitude = 10.0 ** math.floor(math.log10(raw))
    step = next(s * magnitude for s in (1, 2, 2.5, 5, 10) if s * magnitude >= raw * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [k * step for k in range(first, last + 1)]


def log_ticks(low, high):
    """Returns powers of ten that cover low .. high (both positive)."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return [10.0**k for k in range(first, max(last, first + 1) + 1)]


def number(x):
    """Returns a number as the text of a tick."""
    if x != 0 and (abs(x) >= 1e5 or abs(x) < 1e-3):
        return f"{x:.0e}".replace("e-0", "e-").replace("e+0", "e")
    return f"{x:.4f}".rstrip("0").rstrip(".") if x else "0"


class Frame:
    """The frame of a plot: its size, axes, grid, legend, and the list of its SVG elements."""

    def __init__(self, title, x_label, y_label, names, width, height):
        self.width, self.height = width, height
        self.columns = max(1, min(len(names), (width - 80) // 185))
        legend_rows = -(-len(names) // self.columns)
        self.left, self.right, self.top = 62, width - 18, 34
        self.bottom = height - 48 - 18 * legend_rows
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" aria-label="{escape(title)}">',
            STYLE,
            f'<rect class="paper" width="{width}" height="{height}"/>',
            self.text(width / 2, 20, title, "middle", ' class="title"'),
            self.text((self.left + self.right) / 2, self.bottom + 34, x_label, "middle"),
            f'<text transform="translate(15 {(self.top + self.bottom) / 2}) rotate(-90)" '
            f'text-anchor="middle">{escape(y_label)}</text>',
        ]
        for k, name in enumerate(names):
            x = self.left + (k % self.columns) * ((self.right - self.left) / self.columns)
            y = self.bottom + 54 + 18 * (k // self.columns)
            self.parts.append(self.legend_mark(k, x, y))
            self.parts.append(self.text(x + 34, y, name, "start"))

    def legend_mark(self, k, x, y):
        return (
            f'<line x1="{x}" y1="{y - 4}" x2="{x + 28}" y2="{y - 4}" {stroke(k)}/>'
            + marker(k, x + 14, y - 4)
        )

    @staticmethod
    def text(x, y, content, anchor, more=""):
        return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(content)}</text>'

    def y_axis(self, values, place):
        for v in values:
            y = place(v)
            self.parts.append(
                f'<line class="grid" x1="{self.left}" y1="{y:.1f}" x2="{self.right}" y2="{y:.1f}"/>'
            )
            self.parts.append(self.text(self.left - 6, y + 4, number(v), "end"))
        self.parts.append(
            f'<path class="axis" fill="none" d="M{self.left} {self.top}V{self.bottom}H{self.right}"/>'
        )

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join([*self.parts, "</svg>"]) + "\n")


def stroke(k):
    colour, dash = COLOURS[k % len(COLOURS)], DASHES[k % len(DASHES)]
    return f'stroke="{colour}" stroke-width="2" fill="none"' + (
        f' stroke-dasharray="{dash}"' if dash else ""
    )


def marker(k, x, y):
    colour, r = COLOURS[k % len(COLOURS)], 3.5
    if k % 3 == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" fill="{colour}"/>'
    if k % 3 == 1:
        return f'<rect x="{x - r:.1f}" y="{y - r:.1f}" width="{2 * r}" height="{2 * r}" fill="{colour}"/>'
    return f'<path d="M{x:.1f} {y - r - 1:.1f}l{r + 1} {2 * r + 1}h-{2 * r + 2}z" fill="{colour}"/>'


def scale(values, low, high, log=False):
    """Returns the function that maps values to places, the outermost ticks (values) to low and
    high."""
    change = math.log10 if log else float
    a, b = change(values[0]), change(values[-1])
    return lambda v: low + (change(v) - a) / (b - a) * (high - low)


def line_plot(path, title, x_label, y_label, series, log_x=False, log_y=False, y_range=None,
              width=660, height=420):
    """Writes lines to an SVG file. series: a list of (name, xs, ys) or (name, xs, ys, errors);
    an error is half the length of a bar. Points that are not finite are left out."""
    points = []
    for name, xs, ys, *more in series:
        errors = more[0] if more else [0.0] * len(xs)
        kept = [(x, y, e) for x, y, e in zip(xs, ys, errors)
                if math.isfinite(x) and math.isfinite(y) and not (log_y and y <= 0)]
        points.append(kept)
    every = [p for kept in points for p in kept]
    if not every:
        raise ValueError(f"{title}: nothing to plot")
    frame = Frame(title, x_label, y_label, [s[0] for s in series], width, height)
    x_low, x_high = min(p[0] for p in every), max(p[0] for p in every)
    low = min(y - (0 if log_y else e) for _, y, e in every)
    high = max(y + e for _, y, e in every)
    if y_range:
        low, high = y_range
    y_ticks = log_ticks(low, high) if log_y else ticks(low, high)
    place_y = scale(y_ticks, frame.bottom, frame.top, log_y)
    x_ticks = log_ticks(x_low, x_high) if log_x else ticks(x_low, x_high, 8)
    if not log_x:  # the axis ends at the data, not at the next round number
        ends = [x_low - 0.02 * (x_high - x_low or 1), x_high + 0.02 * (x_high - x_low or 1)]
        place_x = scale(ends, frame.left, frame.right)
        x_ticks = [t for t in x_ticks if ends[0] <= t <= ends[1]]
    else:
        place_x = scale(x_ticks, frame.left, frame.right, True)
    frame.y_axis(y_ticks, place_y)
    for t in x_ticks:
        frame.parts.append(frame.text(place_x(t), frame.bottom + 16, number(t), "middle"))
    for k, kept in enumerate(points):
        line = " ".join(f"{place_x(x):.1f},{place_y(y):.1f}" for x, y, _ in kept)
        frame.parts.append(f'<polyline points="{line}" {stroke(k)}/>')
        for x, y, e in kept:
            if e > 0 and not log_y:
                frame.parts.append(
                    f'<line x1="{place_x(x):.1f}" x2="{place_x(x):.1f}" y1="{place_y(y - e):.1f}" '
                    f'y2="{place_y(y + e):.1f}" stroke="{COLOURS[k % len(COLOURS)]}" opacity="0.5"/>'
                )
            frame.parts.append(marker(k, place_x(x), place_y(y)))
    frame.write(path)


def bar_plot(path, title, x_label, y_label, categories, series, y_range=None, width=660, height=420):
    """Writes grouped bars to an SVG file. categories: names along the axis (if there are many, only
    every k-th is written); series: a list of (name, values) or (name, values, errors). Bars start
    at zero, or at the lower end of y_range."""
    rows = [(s[0], s[1], s[2] if len(s) > 2 else [0.0] * len(s[1])) for s in series]
    every = [(v, e) for _, values, errors in rows for v, e in zip(values, errors) if math.isfinite(v)]
    if not every:
        raise ValueError(f"{title}: nothing to plot")
    frame = Frame(title, x_label, y_label, [r[0] for r in rows], width, height)
    low, high = y_range or (min(0.0, *(v - e for v, e in every)), max(0.0, *(v + e for v, e in every)))
    y_ticks = ticks(low, high)
    place = scale(y_ticks, frame.bottom, frame.top)
    frame.y_axis(y_ticks, place)
    zero = place(min(max(0.0, y_ticks[0]), y_ticks[-1]))
    slot = (frame.right - frame.left) / len(categories)
    bar = 0.8 * slot / len(rows)
    every_nth = max(1, math.ceil(len(categories) * 7.0 * max(len(str(c)) for c in categories)
                                 / (frame.right - frame.left)))
    for c, category in enumerate(categories):
        x = frame.left + slot * c + 0.1 * slot
        if c % every_nth == 0:
            frame.parts.append(frame.text(x + 0.4 * slot, frame.bottom + 16, str(category), "middle"))
        for k, (_, values, errors) in enumerate(rows):
            if not math.isfinite(values[c]):
                continue
            y, left = place(min(max(values[c], y_ticks[0]), y_ticks[-1])), x + bar * k
            frame.parts.append(
                f'<rect x="{left:.1f}" y="{min(y, zero):.1f}" width="{max(bar - 0.5, 0.5):.1f}" '
                f'height="{abs(zero - y):.1f}" fill="{COLOURS[k % len(COLOURS)]}"/>'
            )
            if errors[c] > 0:
                frame.parts.append(
                    f'<line class="axis" x1="{left + bar / 2:.1f}" x2="{left + bar / 2:.1f}" '
                    f'y1="{place(values[c] - errors[c]):.1f}" y2="{place(values[c] + errors[c]):.1f}"/>'
                )
    frame.write(path)
