#!/usr/bin/env python3
"""Writes libchorale/src/enums.rs: the constants of the C interface as enums, with the comments of the
headers. generate.sh runs it.

    enums.py [--check]      --check: only compares with the file
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADERS = HERE.parent.parent / "include" / "chorale"
TARGET = HERE / "libchorale" / "src" / "enums.rs"

# The macro (told: the library returns the constants; asked: it takes them), the prefix of the constants,
# the enum, and what it is.
ENUMS = [
    ("asked", "RULE", "RuleKind", "What a [`Rule`](crate::Rule) says about kinds `a` and `b` of labels. A *segment* is a longest stretch of positions with labels of one kind ([`LabelMap`](crate::LabelMap))."),
    ("told", "RULES", "RuleState", "What became of the rules of a chain."),
    ("told", "EVIDENCE", "EvidenceOrigin", "Where [`Evidence`](crate::Evidence) comes from."),
    ("told", "ERROR", "Status", "Why a call failed: the status of an [`Error`](crate::Error)."),
    ("told", "OUTCOME", "Outcome", "How a computation ended. An outcome is not an error: the call succeeded."),
    ("told", "OBSTACLE", "Obstacle", "What forbids every labelling of a chain."),
    ("told", "LOG", "LogLevel", "How serious a line of the log is."),
    ("asked", "SCALE", "Scale", "The factor by which a potential is multiplied. n is the number of members of the clique."),
    ("asked", "SHAPE", "Shape", "The shape of the tables f_v of a SUM potential. A shape that the caller declares is not checked."),
    ("told", "FAMILY", "Family", "The families of potentials. n_v is the number of members with value v, f_v a function of n_v."),
    ("told", "ALGORITHM", "Algorithm", "The algorithms of clique inference: each finds values of the members of one clique that have a high score. SUM and MAJORITY are families of potentials ([`Family`])."),
    ("asked", "MARGINAL", "MarginalForm", "The form of the max-marginals of a clique."),
    ("asked", "ROWS", "Orientation", "Whether rows of a transition matrix stand for the label before or for the label after."),
    ("asked", "SCHEME", "Scheme", "How label names mark segments. The label O is outside all segments."),
    ("asked", "JOINT", "JointMode", "The method for a chain with several properties. The exact computation runs over *configurations*: the joint states of all properties' automata and the values fired so far."),
    ("asked", "SEGMENT", "SegmentRule", "Where a segment ends. X is the kind of the segment, O a label that the property ignores."),
    ("asked", "UNLISTED", "Unlisted", "How values of a property outside a [`Dictionary`](crate::Dictionary) are treated."),
    ("asked", "MESSAGES", "MessageElement", "The number format in which messages are stored. Computations are always in double precision."),
    ("told", "VERDICT", "Verdict", "Why learnt strengths are applied, or why nothing is."),
]
# Constants that an enum leaves out: a success is no error, and a rule by a property has a constructor.
LEFT_OUT = {"OK", "RULE_PROPERTY"}
KEPT_WHOLE = {"ROWS"}  # prefixes that stay in the names
# What the headers do not say of each constant, since it stands above all of them.
TEXTS = {
    "LOG_DEBUG": "Messages for debugging the library",
    "LOG_INFO": "Messages of general interest",
    "LOG_WARNING": "Probable mistakes of the caller",
    "SCALE_NONE": "The factor 1",
    "SHAPE_DETECT": "The library determines the shape from the tables",
    "SHAPE_CONVEX": "All tables are convex",
    "SHAPE_CONCAVE": "All tables are concave",
    "RULES_KEPT": "The chain keeps its rules",
    "EVIDENCE_GIVEN": "From the caller",
}


def constants() -> dict[str, str]:
    """Returns the names of all constants, without CHORALE_, with their comments."""
    found = {}
    text = ""
    for header in sorted(HEADERS.rglob("*.h")):
        for body in re.findall(r"^enum \{(.*?)\};", header.read_text(), re.M | re.S):
            entry = r"(/\*(?:(?!\*/).)*\*/\s*)?CHORALE_(\w+) = -?\w+,?[ ]*(/\*(?:(?!\*/).)*\*/)?"
            for before, name, after in re.findall(entry, body, re.S):
                if before or after:  # otherwise the comment is of several constants
                    text = re.sub(r"^/\*|\*/\s*$", "", (before or after).strip())
                    text = " ".join(re.sub(r"\n\s*\*? ?", "\n", text).split())
                found[name] = TEXTS.get(name, text)
    return found


def comment(text: str, indent: str) -> str:
    room = 100 - len(indent) - len("/// ")
    return "".join(f"{indent}/// {line}\n" for line in textwrap.wrap(text, room))


def variant(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def documentation(text: str) -> str:
    """Returns a comment of a header as one of Rust, in which brackets would be links."""
    text = re.sub(r"([\[\]<>])", r"\\\1", text)
    if re.match(r"[a-z]+[ ;:,.]", text):
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", ".)")) else text + "."


def made() -> str:
    lines = ["// Made by enums.py from include/chorale: do not edit.\n"]
    known = constants()
    for macro, prefix, enum, about in ENUMS:
        lines.append(f"\n{macro}! {{\n{comment(about, '    ')}    {enum} {{\n")
        for name, text in known.items():
            short = name if prefix in KEPT_WHOLE else name.removeprefix(prefix + "_")
            if name.startswith(prefix + "_") and name not in LEFT_OUT:
                lines.append(comment(documentation(text), " " * 8))
                lines.append(f"        {variant(short)} = CHORALE_{name},\n")
        lines.append("    }\n}\n")
    return "".join(lines)


if __name__ == "__main__":
    if sys.argv[1:] != ["--check"]:
        TARGET.write_text(made())
    elif TARGET.read_text() != made():
        sys.exit(f"{TARGET} is not what enums.py makes of the headers")
