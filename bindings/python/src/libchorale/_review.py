"""The page on which a person answers the questions of a review."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Review</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: auto; padding: 1rem }}
td, th {{ text-align: left; padding: 0 1.5rem 0 0 }}
pre {{ white-space: pre-wrap }}
section {{ border-top: 1px solid; padding-bottom: 1rem }}
</style>
<h1>Review</h1>
<pre>{said}</pre>
<p>Best questions first. Answers that you save are read by
<code>libchorale settle --answers answers.jsonl</code>, with the same table and options.</p>
{sections}
<button type="button" id="save">Save answers</button>
<script>
document.getElementById("save").onclick = () => {{
  const answered = [...document.querySelectorAll("select")].filter(({{ value }}) => value);
  const line = ({{ name, value }}) => `{{"row": ${{name}}, "answer": ${{value}}}}\\n`;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(answered.map(line)));
  link.download = "answers.jsonl";
  link.click();
}};
</script>
"""

_SECTION = """<section>
<h2>{title}</h2>
<p>{proposed}</p>
<table>
<tr><th>row</th><th>key</th><th>label</th></tr>
{rows}
</table>
<p><label>Answer: <select name="{row}">
{options}
</select></label></p>
</section>"""


def page(said: str, sections: Iterable[str]) -> str:
    return _PAGE.format(said=escape(said), sections="\n".join(sections))


def section(question: Any, labels: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """rows: the number, key and label of some rows of the question."""
    answers = [("", "not answered")]
    answers += [(_json(label), f"{label} ({n})") for label, n in question.labels.items()]
    answers += [("null", "its mentions differ: each keeps its label")]
    answers += [(_json(label), str(label)) for label in labels if label not in question.labels]
    return _SECTION.format(
        title=escape(str(question)),
        proposed="Evidence does not settle it."
        if question.proposed is None
        else escape(f"Proposed: {question.proposed}."),
        rows="\n".join(
            f"<tr><td>{row}</td><td>{escape(_shown(key))}</td><td>{escape(str(label))}</td></tr>"
            for row, key, label in rows
        ),
        row=question.row,
        options="\n".join(
            f'<option value="{escape(value)}">{escape(told)}</option>' for value, told in answers
        ),
    )


def _shown(key: Any) -> str:
    return " / ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def _json(label: Any) -> str:
    return json.dumps(label, ensure_ascii=False, default=str)
