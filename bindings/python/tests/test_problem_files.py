"""The problem files that the tests of every language run give the same results, bit for bit."""

from __future__ import annotations

from pathlib import Path

import problems
import pytest

FILES = Path(__file__).resolve().parents[3] / "tests" / "problems"


def test_problem_files():
    if not FILES.is_dir():
        pytest.skip("no tests/problems")
    assert problems.compare(FILES) >= 100
