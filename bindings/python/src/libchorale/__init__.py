"""Chorale labels many sequences together, so that their labels agree.

`decode` takes the scores of any chain model and a description of which labels should agree. It
returns the best labelling that it finds for all sequences together and, on request, an upper bound
on the score of any labelling:

    scores = [[[2.0, 0.1]], [[1.9, 0.3]], [[0.9, 1.2]]]  # three sentences of one word; two labels
    print(decode(scores, tokens=[["Washington"]] * 3, strength=1.0))

    you have, or want                                 call
    sentences with scores, and what ought to agree    decode, build_problem, Agreement
    a tagger and gold labels (provisional)            learn.CollectiveTagger, learn.learn
    labels that keep rules (provisional)              decode(rules=...), rules
    a table of names and labels                       settle, agree, missed; Ledger for more rows later
    scored pairs of records, to be grouped            partition.partition
    record batches; DataFrames of Spark               batches.label, shared.label; spark.label
    logits of a transformer; CRFsuite; spaCy          logits; crfsuite; spacy
    one chain or tree; one clique                     ChainSolver, Chain; CliqueSolver, Potential
    cliques and properties of your own                ModelBuilder, Potential, Property, Run
    names, gold labels, files                         Problem

Names in small letters before a dot or alone (learn, rules, partition, batches, shared, spark,
logits, crfsuite, spacy) are modules to import: `from libchorale import learn`.

Objects that own memory of the C library (potentials, models, runs and so on) are freed when nothing
refers to them, or by `close()`. Solvers and runs allow one call at a time; any number of threads
may use the same potential, property or model. Every call into the library releases the interpreter
lock.

What may change or go in any version says so: all of `libchorale.experimental`, and what rests on
experimental calls of C. What is provisional may change until 1.0.
"""

from __future__ import annotations

from ._agreements import Agreement
from ._declarations import CliqueResult, Outcome, Progress, Reason, RunResult
from ._evidence import Evidence
from ._given import TableError
from ._native import version as __version__
from .cancel import Cancel
from .chain import Chain, ChainMarginals, ChainResult, ChainSolver, Mask, Transitions, mask
from .clique import CliqueSolver, MarginalsResult, algorithms
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
from .places import Place, missed
from .potential import Potential
from .problem import Problem
from .property import FIRE_LABEL, FIRE_NOTHING, FIRE_TABLE, LabelMap, Property
from .run import LeftOut, Run
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
    "agree",
    "algorithms",
    "build_problem",
    "decode",
    "learn_strengths",
    "settle",
    "mask",
    "missed",
]
