#!/usr/bin/env python3
"""Corrects a report that carries the library, in headless Chromium, by visible text and roles.

    corrections.py CHROMIUM SCREENSHOTS NAMED.html

NAMED.html is the report of `named` of make_problems, written with --library. One record of a page
that is labelled wrong throughout is corrected: its fellows must follow, go back with undo, come
again with redo, and be there when the page is loaded anew. At 400 and 1280 pixels, in light and
dark, with mouse, touch and keyboard; nothing on the console, no network. A report whose problem is
damaged, and one in a browser without WebAssembly, must still show all text.
"""

import base64
import pathlib
import re
import sys
import time

from browser import Browser
from check import CONTRAST

VENUES = {"Nature", "Science", "Cell", "Brain", "Chaos", "Heart"}


def wait(page, role, name, least=1):
    for _ in range(300):
        found = page.all(role, name)
        if len(found) >= least:
            return found
        time.sleep(0.1)
    raise RuntimeError(f"no {role} named {name!r} appears; the page says: "
                       + page.run("document.body.innerText")[:2000])


def said(page, text):
    """Waits until a status says a text."""
    statuses = "[...document.querySelectorAll('[role=status]')].map((one) => one.textContent)"
    for _ in range(300):
        found = page.run(statuses)
        if any(text in one for one in found):
            return next(one for one in found if text in one)
        time.sleep(0.1)
    raise RuntimeError(f"no status says {text!r}: {found}")


def expect_labels(page, corrected):
    """The words after the titles of the wrong page: all Venue, or all Other."""
    for word in VENUES:
        if not corrected:
            wait(page, "button", f"{word}: Other, gold Venue")
        elif word == "Nature":
            wait(page, "button", "Nature: Venue, corrected, alone Other")
        else:
            wait(page, "button", f"{word}: Venue, alone Other")


def correct(page, touch, keyboard):
    name = "Nature: Other, gold Venue"
    wait(page, "button", name)
    if keyboard:
        page.focus("button", "All: Title")
        page.type("ArrowRight", 39)
        page.type("ArrowRight", 39)
        page.type("Enter", 13)
        wait(page, "dialog", "\u201cNature\u201d is Other")
        page.focus("button", "Venue")
        page.type("Enter", 13)
    else:
        page.press("button", name, touch)
        wait(page, "dialog", "\u201cNature\u201d is Other")
        expect_contrast(page, "dialog")
        page.press("button", "Venue", touch)


def expect_contrast(page, where):
    contrast, text = page.run(CONTRAST)
    assert contrast >= 4.5, f"{where}: contrast {contrast:.2f} of {text}"


def check_saved(page):
    """What is saved is a problem file that the library reads, with the label that was given."""
    page.run("""window.saved = null;
        URL.createObjectURL = (blob) => { window.saved = blob; return "data:,"; };
        HTMLAnchorElement.prototype.click = () => {}; 0""")
    for node in page.all("button", "Save this page with corrections"):
        page.call("Runtime.callFunctionOn", objectId=page.call(
            "DOM.resolveNode", backendNodeId=node)["object"]["objectId"],
            functionDeclaration="function () { this.focus(); }")
        page.type("Enter", 13)
        found = page.run("""(async () => {
            const chorale = await libchorale.load();
            const problem = chorale.readProblem(await window.saved.arrayBuffer());
            return [problem.texts("words").slice(0, 3).join(" "), [...problem.gold].slice(0, 4)];
          })()""")
        if found[0] == "Nobody knows tab\there":
            assert found[1] == [-1, -1, 0, -1], f"gold labels saved: {found[1]}"
            return
    raise RuntimeError("the page was not saved")


def open_wrong_page(page):
    page.run("for (const fold of document.querySelectorAll('details')) fold.open = true")


def check_corrections(page, path, shots, size, width, scheme):
    touch = size == "phone"
    page.show(str(path), width, 800, scheme, touch)
    said(page, "This page answers")
    open_wrong_page(page)
    time.sleep(0.2)
    expect_labels(page, False)
    overflow = page.run("document.documentElement.scrollWidth") - width
    assert overflow <= 0, f"{overflow} pixels too wide"
    expect_contrast(page, "page")
    (shots / f"before-{size}-{scheme}.png").write_bytes(base64.b64decode(page.screenshot()))
    correct(page, touch, keyboard=scheme == "dark" and not touch)
    told = said(page, "5 other records followed")
    assert "6 labels changed" in told, told
    expect_labels(page, True)
    expect_contrast(page, "corrected page")
    (shots / f"after-{size}-{scheme}.png").write_bytes(base64.b64decode(page.screenshot()))
    text = page.run("document.body.innerText")
    assert "Records entirely right: 9 to 15 of 17." in text, "the figures do not follow"
    print(f"{size}, {scheme}: {told}")

    if touch:
        page.press("button", "Undo", touch)
    else:
        page.type("z", 90, modifiers=2)
    said(page, "Undone")
    expect_labels(page, False)
    assert "Records entirely right: 9 to 9 of 17." in page.run("document.body.innerText")
    page.press("button", "Redo", touch)
    said(page, "Done again")
    expect_labels(page, True)
    page.call("Page.reload")
    time.sleep(0.5)
    said(page, "This page answers")
    open_wrong_page(page)
    expect_labels(page, True)
    page.press("button", "Undo", touch)
    said(page, "Undone")
    expect_labels(page, False)


def check_strength(page, path):
    """Without its property the page is labelled as its records are alone."""
    page.show(str(path), 1280, 800, "light", False)
    said(page, "This page answers")
    wait(page, "button", "JAIR: Venue, alone Other")
    page.press("checkbox", "label after <i>Title</i> counts")
    said(page, "off")
    wait(page, "button", "JAIR: Other, gold Venue")
    page.press("button", "Undo")
    wait(page, "button", "JAIR: Venue, alone Other")
    page.press("button", "JAIR: Venue, alone Other")
    page.press("button", "Not Venue")
    said(page, "is not Venue")
    assert not page.all("button", "JAIR: Venue, alone Other")
    page.press("button", "Undo")
    wait(page, "button", "JAIR: Venue, alone Other")
    page.press("button", "JAIR: Venue, alone Other")
    page.press("checkbox", "the whole field of 2 words")
    page.press("button", "Title")
    said(page, "is Title")
    wait(page, "button", "1996: Title, corrected, alone Venue, gold Other")
    page.press("button", "JAIR: Title, corrected, alone Other, gold Venue")
    page.press("button", "Lift the correction")
    said(page, "is free")
    wait(page, "button", "JAIR: Venue, alone Other")
    open_wrong_page(page)
    page.press("button", "tab here: Venue")
    page.press("button", "Title")
    said(page, "is Title")
    check_saved(page)


def check_damaged(page, path, folder):
    text = path.read_text()
    damaged = folder / "damaged.html"
    damaged.write_text(re.sub(r'("problem":".{400}).{40}', lambda m: m[1] + "A" * 40, text))
    page.show(str(damaged), 400, 800, "light", False)
    said(page, "takes no corrections")
    open_wrong_page(page)
    assert "Markov <b>fields</b>" in page.run("document.body.innerText"), "text is missing"
    without = folder / "without.html"
    gone = "<script>delete globalThis.WebAssembly</script><script>"
    without.write_text(text.replace("<script>", gone, 1))
    page.show(str(without), 400, 800, "light", False)
    said(page, "does not take corrections")
    open_wrong_page(page)
    assert "Markov <b>fields</b>" in page.run("document.body.innerText"), "text is missing"


def main():
    program = sys.argv[1]
    shots, report = (pathlib.Path(path).resolve() for path in sys.argv[2:4])
    shots.mkdir(parents=True, exist_ok=True)
    with Browser(program) as browser:
        for size, width in (("phone", 400), ("desk", 1280)):
            for scheme in ("light", "dark"):
                page = browser.page()
                check_corrections(page, report, shots, size, width, scheme)
                assert not page.complaints(), page.complaints()
        page = browser.page()
        check_strength(page, report)
        assert not page.complaints(), page.complaints()
        check_damaged(page, report, shots)
        assert not page.complaints(), page.complaints()
    print("ok")


if __name__ == "__main__":
    main()
