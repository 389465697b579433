#!/usr/bin/env python3
"""Looks at the site in headless Chromium.

    look.py CHROMIUM SITE SCREENSHOTS

Every page at 320, 768 and 1280 pixels, in light and dark: nothing on the console, nothing from a network, no
page wider than its window, no table wider than its page on a desktop, text that can be read. The search finds what newcomers ask. The
playground answers to a slider within 50 ms, by mouse, by touch and by the keyboard alone, its parts
have names for a screen reader, and a link brings back its state. Screenshots are left in the folder
given.
"""

import base64
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tests/report"))
from browser import Browser
from check import CONTRAST

WIDTHS = (320, 768, 1280)
# What newcomers ask, and the page that the search should find first.
ASKED = {
    "how do I leave out a label": "guides/leave-out-a-label",
    "exclude a label": "guides/leave-out-a-label",
    "ignore label O": "guides/leave-out-a-label",
    "leave out a label CollectiveTagger": "guides/leave-out-a-label",
    "what a status means": "reference/statuses",
    "status 31": "reference/statuses",
    "type of an argument in Go": "guides/questions",
    "type of Strength in Go": "guides/questions",
    "Agreement.Weights": "guides/go",
    "Go Weights": "reference/go-fields",
    "Go Agreement Weights": "reference/go-fields",
    "strength auto in Go": "guides/questions",
    "SHAPE": "reference/statuses",
    "TABLE_TOO_SHORT": "reference/statuses",
    "CHORALE_ERROR_TABLE_TOO_SHORT": "reference/statuses",
    "ErrTableTooShort": "reference/statuses",
    "TableTooShort": "reference/statuses",
    "table too short": "reference/statuses",
    "CHORALE_OUTCOME_ITERATION_LIMIT": "reference/statuses",
    "probability of a label": "guides/questions",
    "spacy": "guides/questions",
    "windows": "guides/questions",
    "undo a correction": "guides/corrections",
    "csv from the command line": "guides/shell",
    "save what was learnt": "guides/questions",
    "merchant categories": "guides/questions",
    "does it help for citations": "guides/questions",
    "what is a clique": "guides/questions",
    "does it help on my data": "guides/questions",
    "does it help for redaction": "guides/questions",
    "does it help for addresses": "guides/questions",
    "save a model to a file": "guides/questions",
    "how long does it take": "guides/questions",
    "cancel a run": "guides/questions",
    "why did the label change": "guides/questions",
    "is the result optimal": "guides/questions",
    "huggingface": "guides/questions",
    "licence": "guides/questions",
    "dependencies": "guides/questions",
    "what does conflict mean": "guides/questions",
    "tie": "guides/questions",
    "merchant": "guides/questions",
    "majority vote or settle": "guides/questions",
    "three calls for a correction": "guides/corrections",
    "logits to verdict": "guides/neural",
    "run one test": "contributing/index",
    "chorale_run_solve": "reference/c/run",
    "BERT": "guides/neural",
    "softmax": "guides/neural",
    "probabilities per token no transitions": "guides/neural",
    "force label corrected": "guides/corrections",
    "Python decode argument forced fix label": "guides/corrections",
    "optimum": "explanations/bounds",
    "I got ITERATION_LIMIT": "guides/questions",
}
# Of the text of the page itself. Marks beside headings show only under the pointer; what lies under
# the text of a picture is not seen by this.
TEXT = CONTRAST.replace("document.body", "document.querySelector('.md-content')").replace(
    ".skip", ".headerlink, .picture"
)
# The beginnings of tables that are wider than what is shown of them.
CUT = """[...document.querySelectorAll(".md-typeset__scrollwrap")]
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.innerText.slice(0, 40))"""
faults = []


def check(right, what):
    if not right:
        faults.append(what)
        print(what, flush=True)


def until(page, script, seconds=10):
    """Waits until an expression is true; returns whether it became so."""
    end = time.time() + seconds
    while time.time() < end:
        if page.run(script):
            return True
        time.sleep(0.05)
    return False


def complaints(page):
    return [one for one in page.complaints() if not one.startswith(("request: file:", "request: blob:"))]


def look(page, site, name, width, scheme, folder):
    where = f"{name}, {width} pixels, {scheme}"
    page.show(f"{site}/{name}.html", width, 800, scheme, touch=width == 320)
    if name == "playground":
        check(until(page, "document.querySelector('#play-result td') !== null"), f"{where}: no labels")
    time.sleep(0.2)
    over = page.run("document.documentElement.scrollWidth") - width
    check(over <= 0, f"{where}: {over} pixels too wide")
    if width == WIDTHS[-1] and "experiments" not in name:  # these have tables of ten columns
        cut = page.run(CUT)
        check(not cut, f"{where}: a table is cut off: {cut}")
    worst, text = page.run(TEXT)
    check(worst >= 4.5, f"{where}: contrast {worst:.2f} of {text!r}")
    check(not complaints(page), f"{where}: {complaints(page)}")
    file = folder / f"{name.replace('/', '-')}-{width}-{scheme}.png"
    file.write_bytes(base64.b64decode(page.screenshot()))


def search(page, site, words, wanted):
    page.show(f"{site}/index.html", 1280, 800, "light", touch=False)
    typed = (
        "(() => { const field = document.querySelector('[data-md-component=search-query]');"
        f"field.focus(); field.value = {words!r};"
        "field.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true})); })()"
    )
    found = "[...document.querySelectorAll('.md-search-result__item > a')].slice(0, 1).map((one) => one.href)"
    for _ in range(10):  # what is typed before the index is there is lost
        page.run(typed)
        if until(page, f"{found}.length > 0", 1):
            break
    links = page.run(found)
    check(any(f"/{wanted}.html" in link for link in links), f"search {words!r} finds {links}")


# Milliseconds from a change of the strength until the page is laid out again: the least of ten, since
# the first ones compile and others share the machine.
ANSWER = """(() => {
  const slider = document.getElementById("play-strength");
  return Math.min(...[...Array(10).keys()].map((step) => {
    const begin = performance.now();
    slider.value = 0.5 + step / 4;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.offsetHeight;
    return performance.now() - begin;
  }));
})()"""


def play(page, site):
    page.show(f"{site}/playground.html", 1280, 900, "light", touch=False)
    page.call("Accessibility.enable")
    check(until(page, "document.querySelector('#play-result td') !== null"), "playground: no labels")
    for role, name in (
        ("slider", "Strength"), ("textbox", "Data: a table, or words with scores"),
        ("checkbox", "find it from the scores"),
        ("checkbox", "no label at two separate places of a sentence"), ("combobox", "a label that need not agree"),
        ("radio", "Python"), ("button", "Copy a link to this"), ("region", "Labels"),
    ):
        check(page.all(role, name), f"playground: no {role} is named {name!r}")
    status = "document.getElementById('play-status').textContent"
    check(page.run(status).startswith("3 of 9"), f"playground: {page.run(status)}")
    # By the keyboard alone: to the least strength, at which nothing changes.
    page.run("document.getElementById('play-strength').focus()")
    check(page.focused() == ("slider", "Strength"), f"playground: focus on {page.focused()}")
    page.type("Home", 36)
    check(until(page, f"{status}.startsWith('0 of 9')"), f"playground: {page.run(status)}")
    page.press("radio", "C")
    check("chorale_decode" in page.run("document.getElementById('play-code').textContent"), "playground: no C")
    # A link carries the state.
    time.sleep(0.5)  # the address follows with a delay
    check(until(page, "location.hash.startsWith('#s=')"), "playground: no link")
    address = page.run("location.href")
    page.show(f"{site}/index.html", 1280, 900, "light", touch=False)
    page.show(address.removeprefix("file://"), 1280, 900, "light", touch=False)
    check(until(page, f"{status}.startsWith('0 of 9')"), f"playground from a link: {page.run(status)}")
    # All examples; and a text that cannot be read.
    took = [page.run(ANSWER)]
    for name, begins in (
        ("Sentences with scores", "1 of 6"), ("A list of references", "2 of 20"), ("A sure exception", "1 of 5"),
    ):
        page.press("button", name)
        check(until(page, f"{status}.startsWith({begins!r})", 3), f"playground, {name}: {page.run(status)}")
        took.append(page.run(ANSWER))
    page.run(
        "(() => { const text = document.getElementById('play-text'); text.value = 'name,label,confidence\\nA,B,2';"
        "text.dispatchEvent(new Event('input')); })()"
    )
    check(page.run(status).startswith("line 2: "), f"playground: {page.run(status)}")
    check(max(took) <= 50, f"playground: a change takes {took} ms")
    print("playground: a change takes", ", ".join(f"{one:.1f}" for one in took), "ms", flush=True)
    # By touch, on a phone.
    page.show(f"{site}/playground.html", 320, 800, "light", touch=True)
    check(until(page, f"{status}.startsWith('3 of 9')"), f"playground on a phone: {page.run(status)}")
    page.press("button", "A list of references", touch=True)
    check(until(page, f"{status}.startsWith('2 of 20')", 3), f"playground by touch: {page.run(status)}")
    check(not complaints(page), f"playground: {complaints(page)}")


def main(chromium, site, folder):
    site, folder = pathlib.Path(site).resolve(), pathlib.Path(folder)
    pages = [str(page.relative_to(site).with_suffix("")) for page in sorted(site.rglob("*.html")) if page.stem != "404"]
    folder.mkdir(parents=True, exist_ok=True)
    with Browser(chromium) as browser:
        page = browser.page()
        # Each view begins as that of a newcomer: a page keeps the scheme that it had.
        page.call("Page.addScriptToEvaluateOnNewDocument", source="localStorage.clear()")
        for name in pages:
            for width in WIDTHS:
                for scheme in ("light", "dark"):
                    look(page, site, name, width, scheme, folder)
        for words, wanted in ASKED.items():
            search(page, site, words, wanted)
        play(page, site)
    print(f"{len(pages) * len(WIDTHS) * 2} views, {len(ASKED)} searches, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
