"""The example of the README prints what the README says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parent.parent / "README.md"


def spacy_finds_the_component():
    """The component is found by its name where the package is installed, not merely on the path."""
    try:
        from spacy.util import registry
    except ImportError:
        return False
    return "chorale" in registry.factories.get_all()


def test_the_example_prints_what_it_says():
    if not README.exists():
        pytest.skip("no README")
    text = README.read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)```", text, flags=re.DOTALL)
    assert len(examples) == text.count("```python") > 0
    for code, expected in examples:
        if "import spacy" in code:
            if not spacy_finds_the_component():
                continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(README), "exec"), {})
        assert printed.getvalue() == expected
