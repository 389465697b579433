"""The examples in the READMEs of the package and of the project print what the READMEs say, and so do
those on the pages of the site whose packages only these tests install."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import libchorale

PACKAGE = Path(__file__).resolve().parent.parent
READMES = [PACKAGE / "README.md", PACKAGE.parent.parent / "README.md"]
CHECK = PACKAGE.parent.parent / "examples/guide/check.py"  # runs the examples of pages


@pytest.mark.parametrize("readme", READMES, ids=["package", "project"])
def test_the_example_prints_what_it_says(readme):
    if not readme.exists() or "```python" not in readme.read_text(encoding="utf-8"):
        pytest.skip("no README with examples")
    text = readme.read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", text, flags=re.DOTALL)
    assert len(examples) == text.count("```python") > 0
    for code, expected in examples:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(readme), "exec"), {})
        assert printed.getvalue() == expected


def spacy_finds_the_component():
    """Returns whether spaCy finds the component by its name. It does if the package is installed,
    but not if the package is only on the import path."""
    try:
        import spacy
    except ImportError:
        return False
    return spacy.blank("en").has_factory("chorale")


@pytest.mark.skipif(not CHECK.exists(), reason="no site")
@pytest.mark.parametrize("name", ["spark", "neural"])
def test_the_examples_of_the_site_print_what_it_says(name):
    if name == "neural" and not spacy_finds_the_component():
        pytest.skip("spaCy does not find the component")
    if name == "spark":
        for module in ("pyarrow", "duckdb", "polars"):
            pytest.importorskip(module)
    path = os.pathsep.join(
        [str(Path(libchorale.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    )
    done = subprocess.run(
        [sys.executable, str(CHECK), str(CHECK.parent / f"docs/guides/{name}.md")],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert " 0 left out, 0 with another output" in done.stdout
