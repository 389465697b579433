"""Texts are spelt as in every other language: the cases are shared."""

import json
from pathlib import Path

import pytest

from libchorale._given import RULES, all_spelt, ruled, spelt

CASES = Path(__file__).parents[3] / "tests" / "cases" / "spelling.json"


def test_spelling_is_shared():
    if not CASES.exists():
        pytest.skip("no shared cases")
    cases = json.loads(CASES.read_text(encoding="utf-8"))
    assert {rule for case in cases for rule in case["rules"]} == set(RULES)
    for case in cases:
        rules = ruled("rules", case["rules"])
        assert spelt(case["input"], rules) == case["output"]
        assert all_spelt([case["input"]], rules) == [case["output"]]
