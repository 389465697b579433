"""Results as HTML, for notebooks: what changed, before and after, and which clique paid for it."""

from __future__ import annotations

from html import escape

from .errors import ClosedError, InUseError, StateError
from .run import Run, RunResult

#: How many changed chains are shown.
LIMIT = 20


def result(outcome: RunResult) -> str:
    """A run's result: its scores, and the changed chains as the run has them now."""
    bound = f", upper bound {outcome.upper_bound:.6g}" if outcome.upper_bound < float("inf") else ""
    proven = ", proven optimal" if outcome.proven else ""
    head = (
        f"<p><b>{outcome.outcome.name.lower().replace('_', ' ')}</b> after {outcome.rounds} "
        f"rounds: score {outcome.score:.6g} (chains by themselves {outcome.own_score:.6g})"
        f"{bound}{proven}; {outcome.changed_chains} chains changed</p>"
    )
    try:
        return head + _changes(outcome.run)
    except (ClosedError, InUseError, StateError):
        return head  # the run has no labels to show any more, or not now


def _changes(run: Run) -> str:
    names = _Names(run)
    lengths = run._model.chain_lengths
    parts: list[str] = []
    left_out = 0
    first = 0
    for chain, length in enumerate(map(int, lengths)):
        if run.changed(chain):
            if len(parts) < LIMIT:
                parts.append(_chain(run, names, chain, first))
            else:
                left_out += 1
        first += length
    if left_out:
        parts.append(f"<p>and {left_out} more</p>")
    return "".join(parts)


def _chain(run: Run, names: _Names, chain: int, first: int) -> str:
    own, now = run.labels(chain, own=True), run.labels(chain)
    rows = []
    for title, labels in (("before", own), ("after", now)):
        cells = "".join(
            _word(names.word(first, position), names.label(int(label)), int(label), label != other)
            for position, (label, other) in enumerate(zip(labels, now if labels is own else own))
        )
        rows.append(f'<div><span style="color:#888;font-size:80%">{title} </span>{cells}</div>')
    reasons = "".join(
        f"<li>{escape(names.where(first, paid.position))}"
        f"{escape(names.value(paid.clique, paid.value))}, "
        f"no longer {escape(names.value(paid.clique, paid.own_value))}: "
        f"{escape(names.clique(paid.clique))} pays {paid.amount:.3g}</li>"
        for paid in run.payments(chain)
    )
    return (
        f'<div style="margin:0.6em 0"><b>{escape(names.chain(chain))}</b>{"".join(rows)}'
        f'<ul style="margin:0;font-size:85%">{reasons}</ul></div>'
    )


def _word(word: str, label: str, number: int, changed: bool) -> str:
    # Hues a golden angle apart: neighbouring labels look different, however many there are.
    hue = number * 137.508 % 360
    edge = "2px solid #c00" if changed else "2px solid transparent"
    return (
        f'<span title="{escape(label)}" style="background:hsl({hue:.0f},70%,88%);color:#000;'
        f'border-bottom:{edge};padding:0 3px;margin:1px;display:inline-block">{escape(word)}'
        f'<sub style="color:#555">{escape(label)}</sub></span>'
    )


class _Names:
    """What things are called: by the problem of the run, or by their numbers."""

    def __init__(self, run: Run) -> None:
        problem = run.problem
        self._problem = problem
        self._model = run._model
        self._labels = problem.labels if problem else []
        self._words = problem.words if problem else []
        self._chains = problem.chain_names if problem else []
        self._cliques = problem.clique_names if problem else []
        self._kinds = problem.clique_kinds if problem else []

    def label(self, label: int) -> str:
        return self._labels[label] if label < len(self._labels) else str(label)

    def word(self, first: int, position: int) -> str:
        return self._words[first + position] if self._words else str(position)

    def chain(self, chain: int) -> str:
        return self._chains[chain] if self._chains else f"chain {chain}"

    def where(self, first: int, position: int) -> str:
        return "shows " if position < 0 else f"{self.word(first, position)} is "

    def clique(self, clique: int) -> str:
        if self._cliques:
            return self._cliques[clique]
        kind = self._kinds[clique] if self._kinds else None
        return f"clique {clique}" + (f" ({kind})" if kind else "")

    def value(self, clique: int, value: int) -> str:
        name = self._problem.value_name(clique, value) if self._problem else None
        if name is not None:
            return name
        values = self._model.clique_values(clique)
        if value < 0:
            return "a value outside"
        return {values: "nothing", values + 1: "a conflict"}.get(value, str(value))
