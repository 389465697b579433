#!/usr/bin/env python3
"""Opens a page from a file in headless Chromium. The page labels a problem with the embedded
module.

    page.py CHROMIUM PACKAGE FOLDER

The page holds the whole of dist/libchorale.embedded.js and the bytes of a problem file. Nothing may
be on its console, and no request but that for the page may be made. FOLDER receives the page.
"""

import base64
import json
import pathlib
import struct
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "report"))
sys.dont_write_bytecode = True
from browser import Browser  # noqa: E402

PAGE = """<!doctype html>
<meta charset="utf-8">
<title>libchorale</title>
<p id="said">loading</p>
<script>%s</script>
<script>
"use strict";
(async () => {
  const chorale = await libchorale.load();
  const bytes = Uint8Array.from(atob("%s"), (letter) => letter.charCodeAt(0));
  const problem = chorale.readProblem(bytes);
  const run = chorale.createRun(problem, { boundSteps: 8, edits: true });
  const { score } = run.solve();
  const labels = [...run.labels(0)];
  const scores = [[[2, 0.1]], [[1.9, 0.3]], [[0.9, 1.2]]];
  const { changed } = chorale.decode(scores, { tokens: [["W"], ["W"], ["W"]] });
  let refused = "";
  try {
    chorale.readProblem(new Uint8Array(10));
  } catch (error) {
    refused = error instanceof libchorale.ChoraleError ? error.statusName : String(error);
  }
  run.close();
  problem.close();
  return JSON.stringify({
    simd: chorale.simd, score, labels, changed: changed.length, refused,
    left: chorale.allocatedBytes,
  });
})()
  .catch((error) => "error: " + (error.stack ?? error))
  .then((text) => { document.getElementById("said").textContent = text; });
</script>
"""


def main():
    chromium, package, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    problem = ROOT / "tests/problems/model-03.chorale"
    expected = {}
    for line in (ROOT / "tests/problems/expected.tsv").read_text().splitlines()[1:]:
        file, what, number, content = line.split("\t")
        if file == problem.name and number == "0":
            expected[what] = content
    embedded = (package / "dist/libchorale.embedded.js").read_text()
    assert "</script" not in embedded
    page = folder / "page.html"
    page.write_text(PAGE % (embedded, base64.b64encode(problem.read_bytes()).decode()))
    with Browser(chromium) as browser:
        tab = browser.page()
        tab.show(str(page.resolve()), 1280, 900, "light", False)
        said = "loading"
        for _ in range(300):
            said = tab.run("document.getElementById('said').textContent")
            if said != "loading":
                break
            time.sleep(0.1)
        print(said)
        faults = tab.complaints()
        tab.run("console.log('a line that must be seen')")
        if len(tab.complaints()) != len(faults) + 1:
            faults.append("a line on the console was not seen")
    told = json.loads(said)
    if struct.pack(">d", told["score"]).hex() != expected["score"]:
        faults.append(f"score is {told['score']}, whose bits are not {expected['score']}")
    if " ".join(map(str, told["labels"])) != expected["labels"]:
        faults.append(f"labels are {told['labels']}, not {expected['labels']}")
    for name, value in {"simd": True, "changed": 1, "refused": "FILE_FORMAT", "left": 0}.items():
        if told[name] != value:
            faults.append(f"{name} is {told[name]}, not {value}")
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
