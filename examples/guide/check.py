#!/usr/bin/env python3
"""Runs the examples of the guide and compares what they print with the pages.

    check.py [--write] [PAGE...]

A block ```python, ```js, ```c or ```sh whose next block is plain is an example, and the plain block
is its output. The blocks ```python of a page are one program; each other block is one of its own.
A block without output has none. A block that imports a package that is not installed is left out.
A block that nothing runs is a fault; others are run by the tests of their language (ELSEWHERE), and
blocks ```sh without output install things.

--write    puts what was printed into the pages
CHORALE_LIBRARY names the library, which C is compiled with, by $CC. JavaScript runs in Node, if
bindings/js is built.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DOCS = HERE / "docs"
LIBRARY = Path(os.environ.get("CHORALE_LIBRARY", ROOT / "build/dev/src/libchorale.so")).resolve()
JAVASCRIPT = ROOT / "bindings/js"

# A block, and the plain block after it, if nothing but white space stands between them.
BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<language>python|js|c|sh)\n(?P<code>.*?)^(?P=indent)```\n"
    r"(?:\s*?^(?P=indent)```\n(?P<output>.*?)^(?P=indent)```\n)?",
    flags=re.DOTALL | re.MULTILINE,
)

FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w+)\n.*?^(?P=indent)```$", flags=re.DOTALL | re.MULTILINE)
# The tests that run the blocks of another language of a page; the test names the page.
ELSEWHERE = {
    ("guides/go.md", "go"): "bindings/go/readme_test.go",
    ("guides/rust.md", "rust"): "bindings/rust/libchorale/src/lib.rs",
}


def not_run(page, text):
    """Returns a fault for each block of code that no test runs."""
    faults = []
    for found in FENCE.finditer(BLOCK.sub(lambda block: "\n" * block[0].count("\n"), text)):
        name = page.relative_to(DOCS).as_posix()
        test = ELSEWHERE.get((name, found["language"]))
        if test is None or f"docs/{name}" not in (ROOT / test).read_text(encoding="utf-8"):
            line = text.count("\n", 0, found.start()) + 1
            faults.append(f"{page}:{line}: nothing runs this block of {found['language']}")
    return faults


def run(command, folder, **more):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{command} ended with {done.returncode}\n{done.stderr}")
    return done.stdout


def run_c(code, folder):
    (folder / "example.c").write_text(code, encoding="utf-8")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{ROOT}/include"]
    link = [f"-L{LIBRARY.parent}", "-lchorale", f"-Wl,-rpath,{LIBRARY.parent}", "-lm"]
    run([os.environ.get("CC", "cc"), *flags, "example.c", "-o", "example", *link], folder)
    return run(["./example"], folder)


def run_js(code, folder):
    code = code.replace('"libchorale"', f'"{JAVASCRIPT}/src/index.js"')
    (folder / "example.mjs").write_text(code, encoding="utf-8")
    return run(["node", "example.mjs"], folder)


def run_sh(code, folder):
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return run(["sh", "-eu", "-c", code], folder, env={**os.environ, "PATH": path})


def run_python(code, names, page):
    if "import spacy\n" in code:
        importlib.import_module("libchorale.spacy")  # which spaCy itself does if the package is installed
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, str(page), "exec"), names)
    return printed.getvalue()


def can_run(language, code):
    if language == "js":
        return shutil.which("node") is not None and (JAVASCRIPT / "dist/layout.js").exists()
    if language != "python":
        return True
    modules = re.findall(r"^(?:import|from) (\w+)", code, flags=re.MULTILINE)
    return all(importlib.util.find_spec(module) for module in modules)


def check(page, write):
    """Returns the numbers of examples that were run and left out, and the texts of the faults."""
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "__main__"}
    done = left = 0
    faults = not_run(page, text)
    changed = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        here = os.getcwd()
        os.chdir(folder)
        try:
            for found in BLOCK.finditer(text):
                language, expected = found["language"], found["output"]
                if language == "sh" and expected is None:
                    continue
                code = textwrap.dedent(found["code"])
                if not can_run(language, code):
                    left += 1
                    continue
                line = text.count("\n", 0, found.start()) + 1
                try:
                    if language == "python":
                        printed = run_python(code, names, page)
                    else:
                        runner = {"c": run_c, "js": run_js, "sh": run_sh}[language]
                        printed = runner(code, folder)
                except Exception as error:
                    faults.append(f"{page}:{line}: {type(error).__name__}: {error}")
                    break
                done += 1
                shown = textwrap.indent(printed, found["indent"])
                if shown != (expected or ""):
                    changed.append((found.span("output"), shown))
                    faults.append(f"{page}:{line}: printed\n{shown}\nand the page says\n{expected}")
        finally:
            os.chdir(here)
    if write:
        for (start, end), shown in reversed(changed):
            if start >= 0:
                text = text[:start] + shown + text[end:]
        page.write_text(text, encoding="utf-8")
    return done, left, faults


def check_playground():
    """Returns how many programs were run, and the texts of the faults. The code that the playground
    writes prints, in every language, the labels that the playground shows."""
    faults = []
    done = 0
    cases = json.loads(run(["node", str(HERE / "check_playground.mjs"), str(JAVASCRIPT)], HERE))
    with tempfile.TemporaryDirectory() as name:
        for case in cases:
            if case["milliseconds"] > 50:
                faults.append(f"playground: {case['name']} took {case['milliseconds']:.0f} ms")
            for language, runner in (("javascript", run_js), ("c", run_c), ("python", run_python)):
                extra = ({}, "playground") if runner is run_python else (Path(name),)
                try:
                    printed = runner(case[language], *extra)
                except Exception as error:
                    printed = f"{type(error).__name__}: {error}"
                done += 1
                if printed != case["printed"]:
                    faults.append(
                        f"playground, {case['name']}, {language}: printed\n{printed}\n"
                        f"and the page shows\n{case['printed']}\n{case[language]}"
                    )
    return done, faults


def main(arguments):
    write = "--write" in arguments
    named = [Path(name).resolve() for name in arguments if name != "--write"]
    pages = named or sorted(DOCS.rglob("*.md"))
    run_of_all = left_of_all = 0
    faults = []
    # Each page has a process of its own: what it imports and sets is no other page's.
    processes = ProcessPoolExecutor(
        2, mp_context=multiprocessing.get_context("spawn"), max_tasks_per_child=1
    )
    pages = [page for page in pages if FENCE.search(page.read_text(encoding="utf-8"))]
    with processes:
        for page, (done, left, found) in zip(pages, processes.map(check, pages, [write] * len(pages))):
            print(f"{page.relative_to(DOCS)}: {done} examples", flush=True)
            run_of_all += done
            left_of_all += left
            faults += found
    if not named and can_run("js", ""):
        done, found = check_playground()
        print(f"playground: {done} programs", flush=True)
        run_of_all += done
        faults += found
    print(*faults, sep="\n", file=sys.stderr)
    print(f"{run_of_all} examples run, {left_of_all} left out, {len(faults)} with another output")
    return 1 if faults or left_of_all or not run_of_all else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
