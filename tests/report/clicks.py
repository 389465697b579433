#!/usr/bin/env python3
"""Times corrections in headless Chromium: a figure of src/command/README.md.

    clicks.py CHROMIUM REPORT      the report is one made by `chorale report --library`

On every list that has a wrong word, the first such word is given its gold label by a click, twice,
with an undo between. The time is that of the page's one thread, from the click to the end of the
layout of what has changed.
"""

import pathlib
import statistics
import sys
import time

from browser import Browser

TIMES = """(async () => {
  const idle = () => new Promise((resolve) => setTimeout(resolve, 60));
  const timed = async (act) => {
    const begin = performance.now();
    act();
    document.body.getBoundingClientRect();
    const time = performance.now() - begin;
    await idle();
    return time;
  };
  const undo = [...document.querySelectorAll("button")].find((one) => one.textContent === "Undo");
  const times = [];
  for (const page of document.querySelectorAll(".page")) {
    page.open = true;
    await idle();
    const word = page.querySelector("[data-token][role].e");
    if (word) {
      const gold = Number(word.dataset.gold);
      const corrected = () => {
        document.querySelector(`[data-token="${word.dataset.token}"]`).click();
        return timed(() => document.querySelectorAll("#edit .choice button")[gold].click());
      };
      const first = await corrected();
      const back = await timed(() => undo.click());
      times.push([first, back, await corrected()]);
      await timed(() => undo.click());
    }
    page.open = false;
  }
  return times;
})()"""


def main():
    program, report = sys.argv[1], str(pathlib.Path(sys.argv[2]).resolve())
    with Browser(program) as browser:
        page = browser.page()
        page.show(report, 1280, 800, "light", False)
        while page.run("document.body.dataset.answers") != "yes":
            time.sleep(0.1)
        times = page.run(TIMES)
    print(f"{len(times)} lists with a wrong word; milliseconds from a click to the new layout")
    for what, column in zip(("a first correction", "its undo", "the correction again"), zip(*times)):
        within = sum(time <= 100 for time in column)
        print(f"{what}: median {statistics.median(column):.0f}, at most {max(column):.0f}, "
              f"{within} within 100")


if __name__ == "__main__":
    main()
