"""Shows results as HTML in notebooks: the chains whose labels changed, before and after, and the
cliques whose scores gain by the change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from .run import Reason

# The greatest number of changed chains that are shown.
LIMIT = 20


def head(outcome: Any, changed: int) -> str:
    """Returns the HTML of the scores of a `Decoded`. changed: the number of changed chains."""
    bound = f", upper bound {outcome.upper_bound:.6g}" if outcome.upper_bound < float("inf") else ""
    proven = ", proven optimal" if outcome.proven else ""
    return (
        f"<p><b>{outcome.outcome}</b> after {outcome.rounds} "
        f"rounds: score {outcome.score:.6g} (chains by themselves {outcome.own_score:.6g})"
        f"{bound}{proven}; {changed} chains changed</p>"
    )


def evidence(clique: str, reason: Reason) -> str:
    """Returns what a `Reason` says about its clique."""
    text = f"{clique} gains {reason.amount:.3g}"
    if reason.others == 0:  # a centre, or a member that is alone
        return text
    others = f"{reason.agreeing_before} of {reason.others} others were"
    return f"{others}, {reason.agreeing} of {reason.others} are now; {text}"


def left_out(changed: int) -> str:
    return f"<p>and {changed - LIMIT} more</p>" if changed > LIMIT else ""


def chain(
    title: str,
    words: Sequence[str],
    own: Sequence[int],
    now: Sequence[int],
    names: Sequence[str],
    reasons: Iterable[tuple[str | None, str, str, str]],
) -> str:
    """Returns the HTML of one chain with its labels before (`own`) and after (`now`). reasons:
    tuples of a word (None: the whole chain), its value now, its value before, and a text about the
    clique whose score gains by the change."""
    rows = []
    for when, labels, others in (("before", own, now), ("after", now, own)):
        cells = "".join(
            _word(word, label_name(names, label), label, label != other)
            for word, label, other in zip(words, labels, others)
        )
        rows.append(f'<div><span style="color:#888;font-size:80%">{when} </span>{cells}</div>')
    listed = "".join(
        f"<li>{'shows' if word is None else escape(word) + ' is'} {escape(value)}, "
        f"no longer {escape(before)}: {escape(what)}</li>"
        for word, value, before, what in reasons
    )
    return (
        f'<div style="margin:0.6em 0"><b>{escape(title)}</b>{"".join(rows)}'
        f'<ul style="margin:0;font-size:85%">{listed}</ul></div>'
    )


def label_name(names: Sequence[str], label: int) -> str:
    return names[label] if 0 <= label < len(names) else str(label)


def _word(word: str, label: str, number: int, changed: bool) -> str:
    # The hues of consecutive labels differ by the golden angle (137.5 degrees), so that their
    # colours are easy to tell apart for any number of labels.
    hue = number * 137.508 % 360
    edge = "2px solid #c00" if changed else "2px solid transparent"
    return (
        f'<span title="{escape(label)}" style="background:hsl({hue:.0f},70%,88%);color:#000;'
        f'border-bottom:{edge};padding:0 3px;margin:1px;display:inline-block">{escape(word)}'
        f'<sub style="color:#555">{escape(label)}</sub></span>'
    )
