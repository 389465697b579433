#!/usr/bin/env python3
"""Takes the pictures of the READMEs, in headless Chromium, from the report of examples/run.sh --page.

    pictures.py CHROMIUM REPORT

The top of the report, in light and dark; and, before and after, the correction that mends most in
other records per word, of all those that mended.mjs tries.
"""

import base64
import pathlib
import sys
import time

from browser import Browser
from corrections import said

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST, RECORD = "The american naturalist", "Koller 2009"
WORD, LABEL = "Adaptive: Venue, alone Title, gold Series", "Series"


def take(page, path):
    page.mouse(2, 2)
    page.run("document.activeElement.blur()")
    time.sleep(0.3)
    (ROOT / path).write_bytes(base64.b64decode(page.screenshot()))


def answering(browser, report, height, scheme):
    page = browser.page()
    page.show(report, 1100, height, scheme, False)
    said(page, "This page answers")
    while page.run("document.body.dataset.answers") != "yes":
        time.sleep(0.1)
    page.run("document.documentElement.style.scrollbarWidth = 'none'")
    return page


def main():
    program, report = sys.argv[1], str(pathlib.Path(sys.argv[2]).resolve())
    with Browser(program) as browser:
        for scheme in ("light", "dark"):
            page = answering(browser, report, 1000, scheme)
            take(page, f"examples/publications/report-{scheme}.png")
        page = answering(browser, report, 760, "light")
        page.run(f"""[...document.querySelectorAll(".page")].find((one) =>
            one.querySelector("h3").textContent === "{LIST}").open = true""")
        time.sleep(0.5)
        page.run("for (const fold of document.querySelectorAll('.page[open] .unchanged')) "
                 "fold.open = true")
        in_view = f"""(() => {{
            const page = [...document.querySelectorAll(".page")].find((one) =>
                one.querySelector("h3").textContent === "{LIST}");
            const record = [...page.querySelectorAll(".record")].find((one) =>
                one.querySelector("h4").textContent.startsWith("{RECORD}"));
            record.previousElementSibling.scrollIntoView({{ block: "start" }});
            scrollBy(0, -110);
          }})()"""
        page.run(in_view)
        take(page, "src/command/html/correction-before.png")
        page.press("button", WORD)
        page.press("button", LABEL)
        print(said(page, "is " + LABEL))
        page.run(in_view)
        take(page, "src/command/html/correction-after.png")


if __name__ == "__main__":
    main()
