"""Chorale labels many sequences together, so that their labels agree.

`decode` takes the scores of any chain model and a description of which labels should agree. It
returns the best labelling that it finds for all sequences together and, on request, an upper bound
on the score of any labelling. README.md has an example.

Objects that own memory of the C library (potentials, models, runs and so on) are freed when nothing
refers to them, or by `close()`. Solvers and runs allow one call at a time; any number of threads
may use the same potential, property or model. Every call into the library releases the interpreter
lock.

What may change or go in any version is in `libchorale.experimental`.
"""

from __future__ import annotations

from ._agreements import Agreement
from ._evidence import Evidence
from ._given import TableError
from ._native import abi
from ._native import version as __version__
from .cancel import Cancel
from .chain import Chain, ChainMarginals, ChainResult, ChainSolver, Mask, Transitions, mask
from .clique import CliqueResult, CliqueSolver, MarginalsResult, algorithms
from .collective import Change, Decoded, build_problem, decode
from .errors import (
    ArgumentError,
    ArgumentMissingError,
    CallbackError,
    ClosedError,
    Error,
    FileAccessError,
    FileDamagedError,
    InternalError,
    InUseError,
    KindError,
    OutOfMemoryError,
    OutOfRangeError,
    SizeOverflowError,
    StateError,
)
from .ledger import Ledger, Placed
from .mentions import Strengths, agree, learn_strengths
from .model import LabellingScore, Model, ModelBuilder
from .outcome import Outcome
from .places import Place, missed
from .potential import Potential
from .problem import Problem
from .property import FIRE_LABEL, FIRE_NOTHING, FIRE_TABLE, LabelMap, Property
from .run import LeftOut, Progress, Reason, Run, RunResult
from .settling import Question, Settled, settle

__all__ = [
    "Agreement",
    "ArgumentError",
    "ArgumentMissingError",
    "CallbackError",
    "Cancel",
    "Chain",
    "ChainMarginals",
    "ChainResult",
    "ChainSolver",
    "Change",
    "CliqueResult",
    "CliqueSolver",
    "ClosedError",
    "Decoded",
    "Error",
    "Evidence",
    "FIRE_LABEL",
    "FIRE_NOTHING",
    "FIRE_TABLE",
    "FileAccessError",
    "FileDamagedError",
    "InUseError",
    "InternalError",
    "KindError",
    "LabelMap",
    "LabellingScore",
    "Ledger",
    "LeftOut",
    "MarginalsResult",
    "Mask",
    "Model",
    "ModelBuilder",
    "OutOfMemoryError",
    "OutOfRangeError",
    "Outcome",
    "Place",
    "Placed",
    "Potential",
    "Problem",
    "Progress",
    "Property",
    "Question",
    "Reason",
    "Run",
    "RunResult",
    "Settled",
    "SizeOverflowError",
    "StateError",
    "Strengths",
    "TableError",
    "Transitions",
    "__version__",
    "abi",
    "agree",
    "algorithms",
    "build_problem",
    "decode",
    "learn_strengths",
    "settle",
    "mask",
    "missed",
]
