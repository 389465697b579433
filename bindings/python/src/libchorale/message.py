"""Chains under properties: messages to cliques, and decoding under messages of cliques. The module
`libchorale.property` says what properties and their values are."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from ctypes import byref, c_void_p
from typing import Any, Literal, Union

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from ._handle import Closable
from ._native import call, library, struct
from .chain import Chain, ChainCalls
from .host import lent
from .outcome import Outcome
from .property import Attachment, Property

JOINT_MODES = {
    "auto": c.CHORALE_JOINT_AUTO,
    "exact": c.CHORALE_JOINT_EXACT,
    "absorption": c.CHORALE_JOINT_ABSORPTION,
    "beam": c.CHORALE_JOINT_BEAM,
}
JointMode = Literal["auto", "exact", "absorption", "beam"]


@dataclasses.dataclass(frozen=True)
class MessageResult:
    """How messages were computed by the dynamic program over configurations (see `ChainSolver`).

    outcome         how the call ended
    exact           True: the messages are exact, up to rounding
    pruned          True: a beam dropped configurations
    configurations  the greatest number of configurations at one position"""

    outcome: Outcome
    exact: bool
    pruned: bool
    configurations: int


@dataclasses.dataclass(frozen=True)
class DecodeResult:
    """The labels that were found, and their score.

    labels         T labels; None if no labelling was found
    values         the value of each property on these labels; None if no labelling was found
    score          chain_score + message_score
    chain_score    the score of the labels by the chain alone
    message_score  sum_i message_i[values[i]], where message_i is the message of attachment i
    outcome, exact, pruned, configurations  as in `MessageResult`"""

    labels: arrays.Ints | None
    values: arrays.Ints | None
    score: float
    chain_score: float
    message_score: float
    outcome: Outcome
    exact: bool
    pruned: bool
    configurations: int


def message_options(mode: JointMode, beam_width: int, max_states: int) -> c.chorale_message_options:
    options = struct(c.chorale_message_options)
    options.mode = arrays.chosen("mode", mode, JOINT_MODES)
    options.beam_width = arrays.size("beam_width", beam_width, 1)
    options.max_states = arrays.size("max_states", max_states, 1)
    return options


# The type of the argument `attachments`: one property or attachment, or several.
Attached = Union[Attachment, Property, Sequence[Union[Attachment, Property]]]


class _Attachments:
    """The attachments of a chain as an array for C. They are marked as used during `with`. length:
    the number of positions of the chain."""

    def __init__(self, attachments: Any, length: int) -> None:
        if isinstance(attachments, (Attachment, Property)):
            attachments = [attachments]
        if not isinstance(attachments, Iterable):
            raise TypeError(f"attachments is {attachments!r}, not a sequence of Attachment")
        self.items = []
        for item in attachments:
            item = Attachment(item) if isinstance(item, Property) else item
            if not isinstance(item, Attachment):
                raise TypeError(f"attachments holds {item!r}, not an Attachment")
            self.items.append(item)
        self._length = length
        self._stack = ExitStack()

    def __enter__(self) -> Any:
        made = (c.chorale_attachment * max(1, len(self.items)))()
        with ExitStack() as stack:
            for index, item in enumerate(self.items):
                made[index] = stack.enter_context(item._use(self._length))
            self._stack = stack.pop_all()
        return made

    def __exit__(self, *_: object) -> None:
        self._stack.close()


class ChainSolver(Closable, ChainCalls):
    """A reusable workspace for chains and trees, for one call at a time: use one for each thread.

    For chains under properties (`messages`, `decode`) the dynamic program over a chain extends its state, the label, by a *configuration*: the joint
    state of all properties after the labels so far. Options of these calls:

    mode        "exact": keeps all configurations; "beam": keeps only the best ones at each
                position; "absorption": approximate, adds the message of a value whenever a position
                fires the value; "auto": exact if `max_states` suffices, otherwise a beam that
                keeps `max_states` configurations
    beam_width  number of configurations that "beam" keeps at each position
    max_states  greatest number of configurations at a position for "exact" and "absorption"; if
                they need more, the call raises `StateError`
    """

    _exclusive = True
    _free = library.chorale_chain_solver_destroy

    def __init__(self) -> None:
        super().__init__(self._create(library.chorale_chain_solver_create, lent()))

    def _invoke(self, name: str, *arguments: Any) -> None:
        with self._use() as solver:
            call(getattr(library, "chorale_chain_" + name), solver, *arguments)

    def messages(
        self,
        chain: Chain | npt.ArrayLike,
        attachments: Attached,
        *,
        mode: JointMode = "auto",
        beam_width: int = 300,
        max_states: int = 1024,
    ) -> tuple[list[arrays.Doubles], MessageResult]:
        """Computes the messages of a chain (or of unary scores) to its cliques.

        Returns for each attachment R + 2 scores (R: the number of its values), those of EMPTY and
        CONFLICT last. Also returns how they were computed. The score of a value is the greatest sum
        of the chain's score and the messages of all other attachments, over the labellings on which
        the property has this value; -inf if there is no such labelling.

        >>> last = Property.position_label(2, 1)
        >>> sent, _ = ChainSolver().messages([[1.0, 0.0], [0.0, 2.0]], [last])
        >>> sent[0].tolist()
        [1.0, 3.0, -inf, -inf]
        """
        scores = Chain._for_a_call(chain, None)
        options = message_options(mode, beam_width, max_states)
        result = struct(c.chorale_message_result)
        attached = _Attachments(attachments, scores.length)
        outgoing = [np.empty(item.values + 2) for item in attached.items]
        count = len(outgoing)
        pointers = (c_void_p * max(1, count))(*(arrays.address(array) for array in outgoing))
        with scores._use() as chain_struct, attached as structs:
            self._invoke(
                "messages", chain_struct, structs, count, byref(options), pointers, byref(result)
            )
        return outgoing, MessageResult(
            Outcome(result.outcome), bool(result.exact), bool(result.pruned), result.configurations
        )

    def decode(
        self,
        chain: Chain | npt.ArrayLike,
        attachments: Attached = (),
        *,
        mode: JointMode = "auto",
        beam_width: int = 300,
        max_states: int = 1024,
    ) -> DecodeResult:
        """Finds the labelling with the greatest sum of the chain's score and the messages of all
        attachments.

        >>> said = Attachment(Property.position_label(2, 1), message=[5.0, 0.0, 0.0, 0.0])
        >>> ChainSolver().decode([[1.0, 0.0], [0.0, 2.0]], [said]).labels.tolist()
        [0, 0]
        """
        scores = Chain._for_a_call(chain, None)
        options = message_options(mode, beam_width, max_states)
        result = struct(c.chorale_message_result)
        attached = _Attachments(attachments, scores.length)
        labels = np.empty(scores.length, dtype=np.int32)
        values = np.empty(len(attached.items), dtype=np.int32)
        with scores._use() as chain_struct, attached as structs:
            self._invoke(
                "decode",
                chain_struct,
                structs,
                len(attached.items),
                byref(options),
                arrays.address(labels),
                arrays.address(values),
                byref(result),
            )
        found = result.outcome == c.CHORALE_OUTCOME_COMPLETE
        return DecodeResult(
            labels=labels if found else None,
            values=values if found else None,
            score=result.score,
            chain_score=result.chain_score,
            message_score=result.message_score,
            outcome=Outcome(result.outcome),
            exact=bool(result.exact),
            pruned=bool(result.pruned),
            configurations=result.configurations,
        )
