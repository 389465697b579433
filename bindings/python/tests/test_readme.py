"""The examples in the READMEs of the package and of the project print what the READMEs say."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import libchorale

PACKAGE = Path(__file__).resolve().parent.parent
READMES = [PACKAGE / "README.md", PACKAGE.parent.parent / "README.md"]


def spacy_finds_the_component():
    """Returns whether spaCy finds the component by its name. It does if the package is installed,
    but not if the package is only on the import path."""
    try:
        from spacy.util import registry
    except ImportError:
        return False
    return "chorale" in registry.factories.get_all()


@pytest.mark.parametrize("readme", READMES, ids=["package", "project"])
def test_the_example_prints_what_it_says(readme):
    if not readme.exists() or "```python" not in readme.read_text(encoding="utf-8"):
        pytest.skip("no README with examples")
    text = readme.read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", text, flags=re.DOTALL)
    assert len(examples) == text.count("```python") > 0
    for code, expected in examples:
        if "import spacy" in code:
            if not spacy_finds_the_component():
                continue
        if "import CRF" in code and importlib.util.find_spec("sklearn_crfsuite") is None:
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(readme), "exec"), {})
        assert printed.getvalue() == expected


@pytest.mark.skipif(shutil.which("sh") is None, reason="no shell")
def test_the_example_of_a_shell_prints_what_it_says():
    text = READMES[0].read_text(encoding="utf-8")
    examples = re.findall(r"```sh\n(libchorale .*?)```\n\n```\n(.*?)```", text, flags=re.DOTALL)
    assert len(examples) == text.count("```sh\nlibchorale ") > 0
    path = os.pathsep.join(
        [str(Path(libchorale.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    )
    for script, expected in examples:
        script = script.replace("libchorale", f'"{sys.executable}" -m libchorale', 1)
        environment = {**os.environ, "PYTHONPATH": path}
        printed = subprocess.run(["sh", "-c", script], env=environment, capture_output=True)
        assert (printed.stderr, printed.stdout.decode()) == (b"", expected)
