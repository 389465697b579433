#!/usr/bin/env python3
"""Corrects reports that carry the library, in headless Chromium, by visible text and roles.

    corrections.py CHROMIUM COMMAND SCREENSHOTS NAMED.html REPORT.html ...

NAMED.html is the report of `named` of make_problems. One record of a page that is labelled wrong
throughout is corrected: its fellows must follow, go back with undo, come again with redo, and be
there when the page is loaded anew; all figures must follow. At 400 and 1280 pixels, in light and
dark, with mouse, touch and the keyboard alone; nothing on the console, no network. Names, roles
and live regions are those of Chromium's accessibility tree. Every report must show the same before
a correction as without WebAssembly, where it must still show all text; so must one whose problem is
damaged. COMMAND, `chorale`, reads what is saved.
"""

import base64
import json
import pathlib
import re
import subprocess
import sys
import time

from browser import Browser
from check import CONTRAST, WIDTHS, cut_off

VENUES = {"Nature", "Science", "Cell", "Brain", "Chaos", "Heart"}
KIND = "label after <i>Title</i>"

# What the report shows that follows a correction: texts, and classes.
SHOWN = r"""(() => {
  const text = (node) => node.textContent.replace(/\s+/g, " ");
  const all = (what, of) => [...document.querySelectorAll(what)].map(of);
  return {
    texts: all("h1, .entirely, .figures, [data-figure=losses], table.labels, .example li, " +
               ".page > summary, .page[open] h4, .page[open] .words, .page[open] .why li", text),
    kinds: all(".badge, .example .f, .page[open] .f",
               (node) => node.getAttribute("class")),
  };
})()"""

# F1 of each label, counted from what the words themselves say.
COUNTED = """(() => {
  const names = new Map([...document.querySelectorAll("[data-label]")].map((label) =>
    [label.dataset.label, label.textContent]));
  const counts = new Map([...names.values()].map((name) => [name, [0, 0, 0]]));
  let errors = 0;
  for (const { dataset: { now, gold } } of document.querySelectorAll("[data-token]")) {
    if (gold === undefined) continue;
    counts.get(names.get(gold))[0] += 1;
    counts.get(names.get(now))[1] += 1;
    counts.get(names.get(now))[2] += gold === now;
    errors += gold !== now;
  }
  const rows = {};
  for (const row of document.querySelectorAll("table.labels tbody tr"))
    rows[row.cells[0].textContent] = row.cells[3].textContent;
  return [Object.fromEntries(counts), errors, rows];
})()"""


def wait(page, role, name, least=1):
    for _ in range(300):
        found = page.all(role, name)
        if len(found) >= least:
            return found
        time.sleep(0.1)
    raise RuntimeError(f"no {role} named {name!r} appears; the page says: "
                       + page.run("document.body.innerText")[:2000])


def said(page, text):
    """Waits until a status says a text: an element that a screen reader reads out when it changes."""
    for _ in range(300):
        found = page.statuses()
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


def expect_text(page, *expected):
    text = re.sub(r"\s+", " ", page.run("document.body.innerText"))
    for one in expected:
        assert one in text, f"{one!r} is not shown"


def expect_counted(page):
    """The table and the figures say what the words on the page say, all pages being open."""
    counts, errors, rows = page.run(COUNTED)
    for name, (gold, labelled, both) in counts.items():
        if gold + labelled > 0:
            f1 = f"{200 * both / (gold + labelled):.1f}"
            assert rows[name] == f1, f"{name}: the table says {rows[name]}, the words {f1}"
    expect_text(page, f"\u2192 {errors} of 68 tokens")


def expect_corrected(page):
    """All that is told of the corrected page, and over all pages."""
    expect_text(
        page, "4 pages have 78 % fewer labelling errors", "Records entirely right: 9 to 15 of 17.",
        "Token errors 9 \u2192 2 of 68 tokens", "Pages better 2 1 equal, 1 worse",
        "6 tokens changed, 6 \u2192 0 errors")
    expect_counted(page)
    shares = page.run("""[...document.querySelectorAll(".agreements .small")]
        .map((one) => one.textContent.replace(/\\s/g, " "))""")
    assert "Venue 0 \u2192 6, Other 6 \u2192 0" in shares, shares


def check_screens(page):
    """At every width nothing is cut off, and the bar with its message leaves the screen to the lists."""
    for width in WIDTHS:
        cut = cut_off(page, width)
        assert not cut, f"cut off at {width} pixels: {cut}"
        page.resize(width, 568)  # the lowest of phones
        height, lines = page.run("""(() => {
            const bar = document.getElementById("bar");
            const text = bar.querySelector("p");
            const { height } = text.getBoundingClientRect();
            const line = parseFloat(getComputedStyle(text).lineHeight);
            return [bar.getBoundingClientRect().height, height / line];
          })()""")
        assert 0.9 < lines < 2.1, f"the message has {lines:.1f} lines at {width} pixels"
        assert height < 568 / 5, f"the bar is {height} pixels high at {width} pixels"


def correct(page, touch):
    name = "Nature: Other, gold Venue"
    wait(page, "button", name)
    page.press("button", name, touch)
    wait(page, "dialog", "\u201cNature\u201d is Other")
    expect_contrast(page, "dialog")
    page.press("button", "Venue", touch)


def expect_contrast(page, where):
    contrast, text = page.run(CONTRAST)
    assert contrast >= 4.5, f"{where}: contrast {contrast:.2f} of {text}"


def open_all(page):
    for _ in range(2):  # a page that is opened unfolds more
        page.run("for (const fold of document.querySelectorAll('details')) fold.open = true")
        time.sleep(0.2)


def check_corrections(page, path, shots, size, width, scheme):
    touch = size == "phone"
    page.show(str(path), width, 800, scheme, touch)
    said(page, "Most corrections mend one record")
    open_all(page)
    expect_labels(page, False)
    expect_counted(page)
    expect_contrast(page, "page")
    before = page.run(SHOWN)
    (shots / f"before-{size}-{scheme}.png").write_bytes(base64.b64decode(page.screenshot()))
    correct(page, touch)
    told = said(page, "5 other records changed")
    assert "6 labels, " in told and "0 errors left" in told, told
    expect_labels(page, True)
    expect_corrected(page)
    expect_contrast(page, "corrected page")
    assert page.run("document.querySelectorAll('.flash').length") == 6, "what changed does not flash"
    (shots / f"after-{size}-{scheme}.png").write_bytes(base64.b64decode(page.screenshot()))
    check_screens(page)
    page.resize(width, 800)
    print(f"{size}, {scheme}: {told}")

    page.press("button", "Undo", touch)
    said(page, "Undone")
    expect_labels(page, False)
    assert page.run(SHOWN) == before, "not everything goes back"
    page.press("button", "Redo", touch)
    said(page, "Done again")
    expect_labels(page, True)
    page.call("Page.reload")
    time.sleep(0.5)
    said(page, "This page answers")
    open_all(page)
    expect_labels(page, True)
    expect_corrected(page)
    page.press("button", "Undo", touch)
    said(page, "Undone")
    expect_labels(page, False)


def tab_to(page, role, name):
    """Presses the tabulator key until an element has the focus."""
    seen = []
    for _ in range(300):
        seen.append(page.focused())
        if seen[-1][0] == role and name in seen[-1][1]:
            return
        page.key("Tab")
    raise RuntimeError(f"the tabulator does not lead to {role} {name!r}, but to {seen[-40:]}")


def check_keyboard(page, path):
    """Everything without a mouse: where the focus is, is told by the accessibility tree."""
    page.show(str(path), 1280, 800, "dark", False)
    said(page, "This page answers")
    tab_to(page, "DisclosureTriangle", "Wrong throughout")
    page.type("Enter", 13)
    tab_to(page, "DisclosureTriangle", "6 records that the run left as they were")
    page.type("Enter", 13)
    tab_to(page, "button", "All: Title")
    page.type("ArrowRight", 39)
    page.type("ArrowRight", 39)
    assert page.focused() == ("button", "Nature: Other, gold Venue"), page.focused()
    page.type("Enter", 13)
    wait(page, "dialog", "\u201cNature\u201d is Other")
    assert page.focused() == ("button", "Other"), page.focused()
    page.key("Escape")
    assert not page.all("dialog", "\u201cNature\u201d is Other"), "Escape does not close the dialog"
    assert page.focused() == ("button", "Nature: Other, gold Venue"), page.focused()
    page.type(" ", 32)
    wait(page, "dialog", "\u201cNature\u201d is Other")
    assert page.focused() == ("button", "Other"), page.focused()
    tab_to(page, "button", "Venue")
    page.type("Enter", 13)
    said(page, "5 other records changed")
    assert page.focused() == ("button", "Nature: Venue, corrected, alone Other"), page.focused()
    page.type("z", 90, modifiers=2)
    said(page, "Undone")
    expect_labels(page, False)
    page.type("z", 90, modifiers=2 + 8)
    said(page, "Done again")
    expect_labels(page, True)
    tab_to(page, "button", "Undo")
    page.type(" ", 32)
    said(page, "Undone")
    tab_to(page, "button", "Redo")
    page.type("Enter", 13)
    said(page, "Done again")
    page.run("document.querySelector('#list summary').focus()")
    tab_to(page, "DisclosureTriangle", "What these records agree on")
    page.type("Enter", 13)
    tab_to(page, "checkbox", f"{KIND} counts")
    page.type(" ", 32)
    said(page, f"{KIND} off")
    page.type(" ", 32)
    said(page, f"{KIND} \u00d7 1")
    tab_to(page, "slider", f"Strength of {KIND}")
    page.type("ArrowLeft", 37)
    said(page, f"{KIND} \u00d7 0.71")
    # What is read out for the value; Chromium's protocol tells the number alone.
    value = page.run("document.activeElement.getAttribute('aria-valuetext')")
    assert value == "\u00d7 0.71", value
    page.type("ArrowRight", 39)
    said(page, f"{KIND} \u00d7 1")


def check_strength(page, path):
    """Without its property a page is labelled as its records are alone."""
    page.show(str(path), 1280, 800, "light", False)
    said(page, "This page answers")
    wait(page, "button", "JAIR: Venue, alone Other")
    sliders = page.run("""[...document.querySelectorAll("input[type=range]")]
        .map((slider) => slider.checkVisibility())""")
    assert sliders and not any(sliders), f"sliders that are not folded away: {sliders}"
    page.run("document.querySelector('.strengths').open = true")
    page.press("checkbox", f"{KIND} counts")
    said(page, "off")
    wait(page, "button", "JAIR: Other, gold Venue")
    page.press("button", "Undo")
    wait(page, "button", "JAIR: Venue, alone Other")

    # A list of reasons that is open stays so, and follows what other records show.
    page.run("document.querySelector('.unchanged').open = true")
    why = "(document.querySelector('.page[open] .why[open]')?.innerText ?? '').replace(/\\s+/g, ' ')"
    page.run("document.querySelector('.page[open] .why').open = true")
    time.sleep(0.1)
    assert "3 of 4 others were" in page.run(why), page.run(why)
    page.press("button", "JMLR: Venue")
    page.press("button", "Other")
    said(page, "is Other")
    assert "2 of 4 others were" in page.run(why), page.run(why)
    page.press("button", "Undo")
    said(page, "Undone")
    assert "3 of 4 others were" in page.run(why), page.run(why)

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

    # Two cliques of one kind, one by one.
    open_all(page)
    wait(page, "button", "2011: Venue, alone Other, gold Other")
    page.press("checkbox", f"{KIND} 2 counts")
    said(page, f"{KIND} 2 off")
    wait(page, "button", "2011: Venue, alone Other, gold Other")
    page.press("checkbox", f"{KIND} 1 counts")
    said(page, f"{KIND} 1 off")
    wait(page, "button", "2011: Other")
    expect_counted(page)


def in_dialog(page, word):
    """What the dialog of a word says."""
    page.press("button", word)
    text = page.run("document.getElementById('edit').innerText.replace(/\\s+/g, ' ')")
    page.press("button", "Close")
    return text


def check_words(page, path):
    """Punctuation is no word, and the reasons in a word's dialog are those for its label."""
    page.show(str(path), 1280, 800, "light", False)
    said(page, "This page answers")
    open_all(page)
    stops = page.run("""[...document.querySelectorAll("[data-token]")].filter((token) =>
        ["(", "."].includes(token.textContent)).map((token) => [token.tabIndex, token.role])""")
    assert stops == [[-1, None], [-1, None]], f"punctuation that can be chosen: {stops}"
    first = page.run("""[...document.querySelectorAll("[data-token]")].find((token) =>
        token.textContent === "again").tabIndex""")
    assert first == 0, "the first word of a record cannot be reached"
    page.run("""[...document.querySelectorAll("[data-token]")].find((token) =>
        token.textContent === "Once").focus()""")
    page.type("ArrowRight", 39)
    assert page.focused() == ("button", "Chaos: Other, gold Venue"), page.focused()
    assert "whole field of 2 words" in in_dialog(page, "Just: Title")
    assert "with the punctuation of its field" in in_dialog(page, "Once: Title")
    correct(page, False)
    said(page, "5 other records changed")
    kept, changed = in_dialog(page, "Just: Title"), in_dialog(page, "Science: Venue, alone Other")
    assert "agreement leaves it" in kept and "own score" not in kept, kept
    assert "own score" in changed and "5 of 5 are now" in changed, changed


def check_saved(page, path, command, folder):
    """One file has the corrections of all pages; the command reads it and takes them for gold."""
    page.show(str(path), 1280, 800, "light", False)
    said(page, "This page answers")
    open_all(page)
    for word, label in (("tab here: Venue", "Title"), ("Nature: Other, gold Venue", "Venue"),
                        ("<b>fields</b>: Title", "Venue")):
        page.press("button", word)
        page.press("button", label)
        said(page, f"is {label}")
    page.press("button", "Just: Title")
    page.press("button", "Not Title")
    said(page, "is not Title")
    page.run("""window.saved = null;
        URL.createObjectURL = (blob) => { window.saved = blob; return "data:,"; };
        HTMLAnchorElement.prototype.click = () => {}; 0""")
    page.press("button", "Save corrections")
    said(page, "the 3 labels that you gave")
    saved = folder / "saved.chorale"
    saved.write_bytes(base64.b64decode(page.run("""(async () => {
        const bytes = new Uint8Array(await window.saved.arrayBuffer());
        return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
      })()""")))
    changed = page.run("""(async () => {
        const chorale = await libchorale.load();
        const data = JSON.parse(document.getElementById("data").textContent);
        const bytes = Uint8Array.from(atob(data.problem), (letter) => letter.charCodeAt(0));
        const before = chorale.readProblem(bytes);
        const after = chorale.readProblem(await window.saved.arrayBuffer());
        const [words, labels] = [after.texts("words"), after.texts("labels")];
        return [...after.gold.keys()].filter((t) => after.gold[t] !== before.gold[t])
            .map((t) => [words[t], before.gold[t], labels[after.gold[t]]]);
      })()""")
    assert changed == [["<b>fields</b>", 0, "Venue"], ["tab\there", -1, "Title"]], changed
    subprocess.run([command, "check", saved], check=True, stdout=subprocess.DEVNULL)
    told = json.loads(subprocess.run([command, "report", "--json", saved], check=True,
                                     capture_output=True, text=True).stdout)
    told = {name: told[name] for name in ("known", "errors")}
    assert told == {"known": 69, "errors": 10}, told


def check_tree(page, path):
    """Names and roles of everything that can be used, and what a screen reader is told."""
    page.show(str(path), 400, 800, "light", True)
    said(page, "This page answers")
    open_all(page)
    nodes = page.tree()
    for role in ("button", "checkbox", "slider", "link", "combobox", "dialog", "region"):
        unnamed = [node for node in nodes if node["role"] == role and not node["name"].strip()]
        assert not unnamed, f"{role} without a name: {unnamed[:3]}"
    live = [node for node in nodes if node["role"] == "status"]
    assert len(live) == 2 and all(node["live"] == "polite" for node in live), live
    tokens = [node for node in nodes if node["role"] == "button" and node["popup"] == "dialog"]
    assert len(tokens) == 4 * 18 - 2, f"{len(tokens)} words that open a dialog"
    assert page.node("region", "Corrections"), "no region of corrections"
    headings = [node["level"] for node in nodes if node["role"] == "heading"]
    assert headings[0] == 1 and all(b - a <= 1 for a, b in zip(headings, headings[1:])), headings
    page.press("button", "Nature: Other, gold Venue", True)
    assert page.node("dialog", "\u201cNature\u201d is Other"), "no dialog named after the word"
    pressed = [node["name"] for node in page.tree() if node["pressed"] == "true"]
    assert pressed == ["Other"], pressed
    page.press("button", "Venue", True)
    said(page, "\u201cNature\u201d is Venue: 6 labels, 5 other records changed; "
               "0 errors left")


def open_reasons(page):
    """Opens the reasons for changes on open pages, and waits for what is computed then."""
    page.run("for (const why of document.querySelectorAll('.page[open] .why')) why.open = true")
    for _ in range(300):
        if page.run("""[...document.querySelectorAll('.page[open] .why')]
                       .every((why) => why.querySelector("[data-sure]"))"""):
            return
        time.sleep(0.1)
    raise RuntimeError("a record's reasons do not say how sure its labels are")


def close(a, b):
    """True for places that differ by a tenth of a pixel, and for probabilities that differ by three
    hundredths: messages of a run over one page are rounded in another way than those of all pages."""
    if isinstance(a, list):
        return all(abs(x - y) <= 1 for x, y in zip(a, b))
    one, other = (re.fullmatch(r"(How sure: .* )(\d+)( %)", text) for text in (a, b))
    return bool(one and other and one[1] == other[1] and abs(int(one[2]) - int(other[2])) <= 3)


def check_same(browser, path, folder):
    """Before a correction the page shows what it shows without WebAssembly, and then all text."""
    without = folder / "without.html"
    gone = "<script>delete globalThis.WebAssembly</script><script>"
    without.write_text(path.read_text().replace("<script>", gone, 1))
    shown = []
    for name, told in ((without, "does not take corrections"), (path, "This page answers")):
        page = browser.page()
        page.show(str(name), 1280, 800, "light", False)
        said(page, told)
        assert "Labelled by itself" not in page.run("document.body.innerText"), "labels differ"
        open_reasons(page)
        shown.append(page.run(SHOWN))
        assert not page.complaints(), page.complaints()
    assert len(shown[0]["texts"]) >= 2
    for what, before in shown[0].items():
        for a, b in zip(before, shown[1][what]):
            assert a == b or close(a, b), f"{path.name}: {what}: {a!r} becomes {b!r}"
        assert len(before) == len(shown[1][what]), f"{path.name}: {what}: not as many"


def check_damaged(page, path, folder):
    damaged = folder / "damaged.html"
    text, count = re.subn(r'("problem":".{400}).{40}', lambda m: m[1] + "A" * 40, path.read_text())
    assert count == 1
    damaged.write_text(text)
    page.show(str(damaged), 400, 800, "light", False)
    said(page, "cannot be read, so the page shows the labels and does not take corrections")
    open_all(page)
    expect_text(page, "Markov <b>fields</b>", "Records entirely right: 9 to 9 of 17.")


def main():
    program, command = sys.argv[1:3]
    shots, named, *others = (pathlib.Path(path).resolve() for path in sys.argv[3:])
    shots.mkdir(parents=True, exist_ok=True)
    with Browser(program) as browser:
        for path in (named, *others):
            check_same(browser, path, shots)
        for size, width in (("phone", 400), ("desk", 1280)):
            for scheme in ("light", "dark"):
                page = browser.page()
                check_corrections(page, named, shots, size, width, scheme)
                assert not page.complaints(), page.complaints()
        for check, *more in ((check_keyboard,), (check_strength,), (check_words,), (check_tree,),
                             (check_saved, command, shots), (check_damaged, shots)):
            page = browser.page()
            check(page, named, *more)
            assert not page.complaints(), page.complaints()
    print("ok")


if __name__ == "__main__":
    main()
