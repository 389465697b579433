"""A program such as a user would write. run.sh checks its types in strict mode, and runs it."""

from __future__ import annotations

import pickle

import numpy as np
import numpy.typing as npt

import libchorale as ch


def agreement(counts: npt.NDArray[np.int64], members: int) -> float:
    return float((counts**2).sum()) / members


def label(scores: list[npt.NDArray[np.float64]], words: list[list[str]]) -> list[list[int]]:
    transitions = ch.Transitions(np.zeros((2, 2)), start=[0.0, 0.0])
    result: ch.Decoded = ch.decode(
        scores, transitions, tokens=words, agree="words", strength=1.2, rounds=5
    )
    reasons: list[ch.Reason] = [reason for change in result.changed for reason in change.reasons]
    assert [reason.value for reason in reasons] == [0]
    again: ch.Decoded = pickle.loads(pickle.dumps(result))
    return [labels.tolist() for labels in again.labels]


def model(scores: list[npt.NDArray[np.float64]]) -> ch.Model:
    builder = ch.ModelBuilder()
    for unary in scores:
        builder.add_chain(ch.Chain(unary, forced=[-1]), tokens=[7], group=0)
    cliques: range = builder.add_repeated_words(ch.Potential.callback(2, agreement))
    assert len(cliques) == 1
    return builder.freeze()


def told(progress: ch.Progress) -> bool:
    return progress.round > 5


def main() -> None:
    scores = [np.array([row]) for row in ([2.0, 0.1], [1.9, 0.3], [0.9, 1.2])]
    assert label(scores, [["Rome"]] * 3) == [[0], [0], [0]]
    with ch.Run(model(scores), progress=told, message_element="magnitude16", time_limit=60.0) as run:
        result: ch.RunResult = run.solve()
        assert result.outcome == ch.Outcome.COMPLETE
        reasons: list[ch.Reason] = run.reasons(2)
        assert reasons[0].amount > 0
        margins: npt.NDArray[np.float64] = run.margins(0)
        assert margins.shape == (1,)
    solved = ch.CliqueSolver().solve(
        ch.Potential.potts(2, 1.0, scale="members"), np.vstack(scores), start="alpha_pass"
    )
    assert solved.labels is not None and solved.labels.dtype == np.int32
    best = ch.ChainSolver().best(scores[0])
    assert best.labels is not None and best.labels.tolist() == [0]


main()
