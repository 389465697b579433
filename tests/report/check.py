#!/usr/bin/env python3
"""Looks at reports of the command in headless Chromium.

    check.py CHROMIUM SCREENSHOTS REPORT.html ...

At the width of a phone and of a desk, in light and dark: nothing on the console, no network,
colours that can be read, and an explanation
for a changed word on hover, tap and focus; without scripts, text. At all of WIDTHS nothing is cut off. Reports named `named` and `bare` are those of
make_problems, of which more is known. Beside REPORT.html may stand REPORT.json, the figures that the command printed. Screenshots are left in the folder given.
"""

import base64
import json
import pathlib
import sys
import time

from browser import Browser

SIZES = {"phone": (390, 844), "desk": (1280, 900)}
WIDTHS = (320, 375, 768, 1280)

# Texts and controls that leave a screen of some width, or a box that hides what leaves it.
CUT = r"""((width) => {
  const cut = new Set();
  const look = (box, node, what) => {
    if (box.width === 0) return;
    let [left, right] = [0, width];
    for (let around = node; around; around = around.parentElement)
      if (getComputedStyle(around).overflowX !== "visible" && around !== document.documentElement) {
        const frame = around.getBoundingClientRect();
        [left, right] = [Math.max(left, frame.left), Math.min(right, frame.right)];
      }
    if (box.left < left - 0.5 || box.right > right + 0.5) cut.add(what);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walker.nextNode()) {
    const text = walker.currentNode, node = text.parentElement;
    if (!text.textContent.trim() || !node.checkVisibility() || node.closest("script, .skip, select")) continue;
    range.selectNodeContents(text);
    for (const box of range.getClientRects()) look(box, node, text.textContent.trim().slice(0, 40));
  }
  for (const node of document.querySelectorAll("button, input, select"))
    if (node.checkVisibility()) look(node.getBoundingClientRect(), node.parentElement, node.outerHTML.slice(0, 80));
  return [...cut].slice(0, 5);
})"""

# What counts against and has the colour of gains.
GREEN_LOSSES = r"""(() => {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = "var(--together)";
  const green = getComputedStyle(probe).color;
  probe.remove();
  return [...document.querySelectorAll(".amount, td.gain, td.loss, h1 em")].filter((node) =>
      /^\u2212|more$/.test(node.textContent.trim()) && getComputedStyle(node).color === green)
    .map((node) => node.textContent);
})()"""


def cut_off(page, width):
    """What is cut off at a width."""
    page.resize(width, 800)
    overflow = page.run("document.documentElement.scrollWidth") - width
    found = page.run(f"{CUT}({width})")
    return found + ([f"{overflow} pixels too wide"] if overflow > 0 else [])

# Numbers, heads and short words of names in the table of labels that do not stand in one line.
BROKEN_CELLS = """[...document.querySelectorAll(
    ".labels td, .labels th")].flatMap((cell) => {
  const range = document.createRange();
  return [...cell.childNodes].filter((text) => {
    if (text.textContent.length > 12) return false;
    range.selectNodeContents(text);
    return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1;
  }).map((text) => text.textContent);
})"""

# The least contrast of text with what lies under it, by WCAG's formula, over all text that shows.
CONTRAST = r"""
(() => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const brush = canvas.getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) {
      brush.clearRect(0, 0, 1, 1);
      brush.fillStyle = colour;
      brush.fillRect(0, 0, 1, 1);
      known.set(colour, [...brush.getImageData(0, 0, 1, 1).data]);
    }
    return known.get(colour);
  };
  const brightness = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => {
      c /= 255;
      return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const under = (node) => {
    for (; node; node = node.parentElement) {
      const colour = rgba(getComputedStyle(node).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const contrast = (a, b) => {
    const [low, high] = [brightness(a), brightness(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  let worst = [99, "nothing"];
  const look = (node, style, text) => {
    const ground = under(node);
    const found = contrast(rgba(style.color), ground);
    if (found < worst[0]) worst = [found, text.trim().slice(0, 30) + " in " + node.className];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent, node = walker.currentNode.parentElement;
    if (!text.trim() || !node.checkVisibility() || node.closest("script, .skip")) continue;
    look(node, getComputedStyle(node), text);
  }
  for (const field of document.querySelectorAll(".f"))
    if (field.checkVisibility()) {
      const tag = getComputedStyle(field, "::before");
      const found = contrast(rgba(tag.color), under(field));
      if (found < worst[0]) worst = [found, "tag of " + field.className];
    }
  return worst;
})()
"""

# Where the first run of changed words is, scrolled into the middle.
CHANGED = """
(() => {
  const mark = document.querySelector(".together mark");
  if (!mark) return null;
  mark.closest("details.page").open = true;
  mark.scrollIntoView({ block: "center" });
  const box = mark.getClientRects()[0];
  return [box.left + Math.min(4, box.width / 2), box.top + box.height / 2];
})()
"""

TIP = """
(() => {
  const tip = document.getElementById("tip");
  const box = tip.getBoundingClientRect();
  return [tip.hidden ? "" : tip.innerText, box.left, box.top, box.right, box.bottom];
})()
"""


class Failures:
    def __init__(self):
        self.found = []
        self.where = ""

    def expect(self, condition, what):
        if not condition:
            self.found.append(f"{self.where}: {what}")


def expect_tip(check, page, how, width, height):
    time.sleep(0.1)
    text, left, top, right, bottom = page.run(TIP)
    check.expect("\u2192" in text and "own score" in text, f"{how}: no explanation: {text!r}")
    check.expect(left >= 0 and right <= width and top >= 0 and bottom <= height,
                 f"{how}: the explanation leaves the screen: {left} {top} {right} {bottom}")
    page.key("Escape")
    check.expect(page.run(TIP)[0] == "", f"{how}: Escape does not close the explanation")


def check_explanations(check, page, width, height, touch):
    place = page.run(CHANGED)
    if place is None:
        return
    if touch:
        page.tap(*place)
        expect_tip(check, page, "tap", width, height)
    else:
        page.mouse(*place)
        expect_tip(check, page, "hover", width, height)
        page.mouse(2, 2)
        # From the heading of its page the tabulator leads to the changed word, over what unfolds.
        page.run("document.querySelector('.together mark').closest('.page')"
                 ".querySelector('summary').focus()")
        reached = False
        for _ in range(4):
            page.key("Tab")
            reached = reached or page.run("document.activeElement.matches('.together mark')")
            if reached:
                break
        check.expect(reached, "keyboard: the tabulator does not lead to a changed word")
        expect_tip(check, page, "focus", width, height)


def check_numbers(check, page):
    bad = page.run("document.body.innerHTML.search(/\\b(nan|inf)\\b/)")
    check.expect(bad < 0, "a number is not a number")


def check_figures(check, page, told):
    """The figures, which the page counts, are those that the command has counted."""
    text = page.run("""(document.querySelector('.entirely')?.innerText ?? '') + ' ' +
        document.querySelector('.figures').innerText""")
    text = " ".join(text.split())
    if told["known"]:
        expected = [
            f"entirely right: {told['own_right']:,} to {told['right']:,} of {told['records']:,}.",
            f"Token errors {told['own_errors']:,} \u2192 {told['errors']:,} of {told['known']:,} tokens",
            f"Token F1 {100 * told['own_f1']:.1f} \u2192 {100 * told['f1']:.1f} micro average",
            f"Pages better {told['better']:,} {told['equal']} equal, {told['worse']} worse"]
    else:
        expected = [f"Labels changed {told['changed']:,} of {told['tokens']:,} tokens"]
    for one in expected:
        check.expect(one in text, f"{one!r} is not in {text!r}")
    rows = page.run("""[...document.querySelectorAll("table.labels tbody tr:not(.total)")].map((row) =>
        [...row.cells].slice(0, 4).map((cell) => cell.textContent.trim()))""")
    rows_told = [[label.get("name", f"Label {label['label']}"), f"{label['tokens']:,}",
                  f"{100 * label['own_f1']:.1f}", f"{100 * label['f1']:.1f}"]
                 for label in told.get("labels", ())]
    check.expect(rows == rows_told, f"the table has {rows}, the command {rows_told}")


def check_named(check, page):
    """What make_problems says must come out."""
    headline = page.run("document.querySelector('h1').textContent")
    check.expect("4 pages have 11\u00a0% fewer" in headline, f"headline: {headline}")
    right = page.run("document.querySelector('.entirely').textContent")
    check.expect(right == "Records entirely right: 9 to 9 of 17.", right)
    figures = page.run("document.querySelector('.figures').innerText.replace(/\\s+/g, ' ')")
    for expected in ("Token errors 9 \u2192 8 of 68 tokens", "Pages better 1 2 equal, 1 worse"):
        check.expect(expected in figures, f"{expected!r} is not in {figures!r}")
    words = page.run("""[...document.querySelectorAll(".together .words, .both .words")]
        .map((row) => row.textContent)""")
    for expected in ("Markov <b>fields</b> JMLR 2001", "Tree kernels ICML &amp;",
                     "\"Graph\" cuts' PAMI 2004", "Nobody knows tab here 2013"):
        check.expect(expected in words, f"the record {expected!r} is not shown as it is")
    check.expect(not any("Trained" in row for row in words), "a training page is shown")
    names = page.run("[...document.querySelectorAll('h3')].map((name) => name.textContent)")
    check.expect("Wrong throughout 2" in names, f"a slug is no name: {names}")
    check.expect("<script>fail()</script> & Sons" in names and "Group \u22127" not in names
                 and "Group -7" in names, f"names of pages: {names}")
    changed = page.run("""[...document.querySelectorAll(".together mark")]
        .map((mark) => mark.textContent)""")
    check.expect(sorted(changed) == ["2011", "JAIR", "Workshop"], f"changed words: {changed}")
    check.expect(page.run("""document.querySelector(".legend")
        .compareDocumentPosition(document.querySelector(".words, .f:not(.legend *)")) & 4"""),
        "the legend comes after the first coloured list")
    table = page.run("document.querySelector('.table').textContent")
    check.expect(table == "kind   gain\n<b>     +1.5", f"note of two lines: {table!r}")
    page.run("for (const why of document.querySelectorAll('.why')) why.open = true")
    time.sleep(0.1)
    reasons = page.run("[...document.querySelectorAll('.why li:first-child')]"
                       ".map((item) => item.textContent)")
    check.expect(len(reasons) == 3 and all(
        "label after <i>Title</i>: " in reason and " of 4 others were, 4 of 4 are now; score +3.20" in reason
        for reason in reasons), f"reasons: {reasons}")


def check_references(check, page):
    """Records of lists of references are called references."""
    check.expect("References entirely right: " in page.run("document.body.innerText"),
                 "records are not called references")


def check_plain(check, browser, path, shots):
    """Without scripts there is text: every record with its labels, and what agreement changed."""
    page = browser.page()
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    for scheme in ("light", "dark"):
        check.where = f"{path.name}, without scripts, {scheme}"
        page.show(str(path), 320, 800, scheme, True)
        text = page.run("document.body.innerText.replace(/\\s+/g, ' ')")
        for expected in ("Markov <b>fields</b> [Title] JMLR [Venue] 2001 [Other]", "Steady \"page\"",
                         "JAIR [Other \u2192 Venue]", "2011 [Other \u2192 Venue, gold: Other]",
                         "<script>fail()</script> & Sons", "does not take corrections"):
            check.expect(expected in text, f"{expected!r} is not in {text!r}")
        for width in WIDTHS:
            cut = cut_off(page, width)
            check.expect(not cut, f"cut off at {width} pixels: {cut}")
        contrast, where = page.run(CONTRAST)
        check.expect(contrast >= 4.5, f"contrast {contrast:.2f} of {where}")
        (shots / f"{path.stem}-plain-{scheme}.png").write_bytes(base64.b64decode(page.screenshot()))
        check.expect(not page.complaints(), "; ".join(page.complaints()))


def check_report(check, browser, path, shots):
    for size, (width, height) in SIZES.items():
        for scheme in ("light", "dark"):
            check.where = f"{path.name}, {size}, {scheme}"
            touch = size == "phone"
            page = browser.page()
            page.show(str(path), width, height, scheme, touch)
            check.expect(page.run("document.documentElement.lang") == "en", "no language")
            check.expect(page.run("document.title"), "no title")
            page.run("for (const fold of document.querySelectorAll('details')) fold.open = true")
            for narrow in WIDTHS if scheme == "light" else ():
                cut = cut_off(page, narrow)
                check.expect(not cut, f"cut off at {narrow} pixels: {cut}")
                broken = page.run(BROKEN_CELLS)
                check.expect(not broken, f"words in two lines at {narrow} pixels: {broken}")
            page.resize(width, height)
            green = page.run(GREEN_LOSSES)
            check.expect(not green, f"losses in green: {green[:3]}")
            broken = page.run(BROKEN_CELLS)
            check.expect(not broken, f"cells in two lines: {broken}")
            contrast, text = page.run(CONTRAST)
            check.expect(contrast >= 4.5, f"contrast {contrast:.2f} of {text}")
            page.show(str(path), width, height, scheme, touch)
            (shots / f"{path.stem}-{size}-{scheme}.png").write_bytes(
                base64.b64decode(page.screenshot()))
            check_numbers(check, page)
            figures = path.with_suffix(".json")
            if figures.exists():
                check_figures(check, page, json.loads(figures.read_text()))
            if path.stem == "named":
                check_named(check, page)
            check_explanations(check, page, width, height, touch)
            if path.stem == "pages" and not touch:
                check_references(check, page)
            check.expect(not page.complaints(), "; ".join(page.complaints()))


def main():
    program, shots, *reports = sys.argv[1:]
    shots = pathlib.Path(shots)
    shots.mkdir(parents=True, exist_ok=True)
    check = Failures()
    with Browser(program) as browser:
        for report in reports:
            check_report(check, browser, pathlib.Path(report).resolve(), shots)
            if pathlib.Path(report).stem == "named":
                check_plain(check, browser, pathlib.Path(report).resolve(), shots)
    for failure in check.found:
        print(failure, file=sys.stderr)
    print(f"{len(reports)} reports, {len(check.found)} failures; screenshots in {shots}")
    return 1 if check.found else 0


if __name__ == "__main__":
    sys.exit(main())
