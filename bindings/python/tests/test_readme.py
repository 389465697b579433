"""The examples of the READMEs, this package's and the project's, print what they say."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent
READMES = [PACKAGE / "README.md", PACKAGE.parent.parent / "README.md"]


def spacy_finds_the_component():
    """The component is found by its name where the package is installed, not merely on the path."""
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
