"""The page on which a person answers the questions of a review, from texts/review.html. Comments in
it are the places of what is filled in."""

from __future__ import annotations

import importlib.resources
import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

_TEXT = (importlib.resources.files(__package__) / "texts/review.html").read_text("utf-8")
_BEFORE, _SECTION, _AFTER = re.split("<!--(?:section|end)-->\n", _TEXT)


def page(said: str, sections: Iterable[str]) -> str:
    return _filled(_BEFORE, said=escape(said)) + "".join(sections) + _AFTER


def section(question: Any, labels: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """rows: the number, key and label of some rows of the question."""
    answers = [("", "not answered")]
    answers += [(_json(label), f"{label} ({n})") for label, n in question.labels.items()]
    answers += [("null", "its mentions differ: each keeps its label")]
    answers += [(_json(label), str(label)) for label in labels if label not in question.labels]
    proposed = f"Proposed: {question.proposed}."
    return _filled(
        _SECTION,
        title=escape(str(question)),
        proposed="Evidence does not settle it." if question.proposed is None else escape(proposed),
        rows="\n".join(
            f"<tr><td>{row}</td><td>{escape(_shown(key))}</td><td>{escape(str(label))}</td></tr>"
            for row, key, label in rows
        ),
        row=str(question.row),
        options="\n".join(
            f'<option value="{escape(value)}">{escape(told)}</option>' for value, told in answers
        ),
    )


def _filled(text: str, **values: str) -> str:
    for name, value in values.items():
        text = text.replace(f"<!--{name}-->", value)
    return text


def _shown(key: Any) -> str:
    return " / ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _json(label: Any) -> str:
    return json.dumps(label, ensure_ascii=False, default=str)
