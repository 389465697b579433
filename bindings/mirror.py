#!/usr/bin/env python3
"""Writes what Rust, Go and TypeScript have of the C headers: constants as enums, and the structs that
the library fills, with the comments of the headers. bindings/rust/generate.sh runs it.

    mirror.py [--check]      --check: only compares with the files
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADERS = HERE.parent / "include" / "chorale"
RUST = HERE / "rust" / "libchorale" / "src"
GO = HERE / "go"
NOTE = "Made by bindings/mirror.py from include/chorale: do not edit."

# Rust's macro (told: the library returns the constants; asked: it takes them; "": Rust's enum is written
# by hand), the prefix of the constants, the enum, Go's prefix of its constants, and what the enum is.
ENUMS = [
    ("asked", "RULE", "RuleKind", "Rule", "What a rule says about kinds `a` and `b` of labels. A *segment* is a longest stretch of positions with labels of one kind."),
    ("told", "RULES", "RuleState", "Rules", "What became of the rules of a chain."),
    ("told", "EVIDENCE", "EvidenceOrigin", "Evidence", "Where evidence comes from."),
    ("told", "ERROR", "Status", "Err", "Why a call failed."),
    ("told", "OUTCOME", "Outcome", "", "How a computation ended. An outcome is not an error: the call succeeded."),
    ("told", "OBSTACLE", "Obstacle", "Obstacle", "What forbids every labelling of a chain."),
    ("asked", "SCALE", "Scale", "Scale", "The factor by which a potential is multiplied. n is the number of members of the clique."),
    ("asked", "SHAPE", "Shape", "Shape", "The shape of the tables f_v of a SUM potential. A shape that the caller declares is not checked."),
    ("told", "ALGORITHM", "Algorithm", "", "The algorithms of clique inference: each finds values of the members of one clique that have a high score. SUM and MAJORITY are families of potentials."),
    ("asked", "MARGINAL", "MarginalForm", "Marginal", "The form of the max-marginals of a clique."),
    ("asked", "ROWS", "Orientation", "Rows", "Whether rows of a transition matrix stand for the label before or for the label after."),
    ("asked", "SCHEME", "Scheme", "Scheme", "How label names mark segments. The label O is outside all segments."),
    ("asked", "JOINT", "JointMode", "Joint", "The method for a chain with several properties. The exact computation runs over *configurations*: the joint states of all properties' automata and the values fired so far."),
    ("asked", "SEGMENT", "SegmentRule", "", "Where a segment ends. X is the kind of the segment, O a label that the property ignores."),
    ("asked", "MESSAGES", "MessageElement", "Messages", "The number format in which messages are stored. Computations are always in double precision."),
    ("told", "VERDICT", "Verdict", "Verdict", "Why learnt strengths are applied, or why nothing is."),
    ("", "WARNING", "LearnWarning", "Warning", "Flags: what is unusual about the problems that were learnt from."),
    ("", "AGREE", "AgreementKind", "Agree", "What should agree."),
    ("", "TEXTS", "TextList", "Texts", "The lists of texts that a problem can hold; Values is the first list of names of clique values."),
    ("", "START", "Start", "Start", "Where ALPHA_EXPANSION, LOCAL_SEARCH and ICM start."),
]
# Constants that enums leave out: a success is no error, a rule by a property has a constructor in Rust,
# and another language's name is taken.
LEFT_OUT = {"rust": {"OK", "RULE_PROPERTY"}, "go": {"OK"}}
KEPT_WHOLE = {"rust": {"ROWS"}, "go": set()}  # prefixes that stay in the names
GO_NAMES = {"ErrBusy": "ErrRunBusy", "Icm": "ICM", "SchemeBio": "SchemeBIO", "SchemeBioes": "SchemeBIOES", "SchemeBilou": "SchemeBILOU"}

# The structs that the library fills: what each is, unless its header says so; the languages that have
# it; fields that may be -1 for none (Option in Rust).
STRUCTS = {
    "RunResult": ("run_result", "The outcome of a call on a run and what was found so far. phi_i is the score of chain i, C_p that of clique p; the *own* labelling is that of each chain without its cliques.", "rust go js", ()),
    "LeftOut": ("left_out", "A chain that is left out, since every labelling of it is forbidden. Its labels are -1, or those that it has by itself where the obstacle is undecided, and it counts for nothing in the cliques.", "rust go js", ("position", "clique")),
    "Reason": ("reason", "", "rust go js", ("agreement", "position")),
    "RuledChain": ("ruled_chain", "", "rust go js", ()),
    "RuleConflict": ("rule_conflict", "", "rust go", ()),
    "RuleReason": ("rule_reason", "", "rust go js", ()),
    "Progress": ("progress", "Progress of a run, told after every round and every step of the bound.", "rust go js", ()),
    "LearnProgress": ("learn_progress", "Progress of learning, told each time that a problem has been labelled.", "rust go js", ()),
    "ChainResult": ("chain_result", "The score of the best labelling of a chain, and how the call ended.", "rust", ()),
    "CliqueResult": ("clique_result", "What the solver of a clique found. F is the score of all members' values and of the clique, psi[i][v] the score of value v for member i.", "rust go", ()),
    "LearntReport": ("learnt_report", "", "rust go js", ()),
    "LearntKind": ("learnt_kind", "What was learnt for one kind of cliques: the strength s and the bonus b of s sum_v n_v^2 / n + b sum_v n_v, where n_v of n members have value v.", "rust go js", ()),
    "SettledMention": ("settled_mention", "", "rust go js", ()),
    "SettledKey": ("settled_key", "", "rust go js", ()),
    "LedgerChange": ("ledger_change", "", "rust go js", ()),
    "LedgerRow": ("ledger_row", "", "rust go js", ()),
}
MATHS = re.compile(r"(phi|psi|sum|max|[a-z])_")  # symbols with an index, which are no names
FLAGS = {"proven", "applied", "changed", "conflict", "uses_log_odds", "marginals_exact"}
NOT_FLAGS = {("LearntReport", "changed")}
# What the headers do not say of each constant or field, since it stands above all of them or is plain.
TEXTS = {
    "SCALE_NONE": "The factor 1",
    "SHAPE_DETECT": "The library determines the shape from the tables",
    "SHAPE_CONVEX": "All tables are convex",
    "SHAPE_CONCAVE": "All tables are concave",
    "RULES_KEPT": "The chain keeps its rules",
    "EVIDENCE_GIVEN": "From the caller",
    "TEXTS_NONE": "No list",
    "chain": "Number of the chain",
    "outcome": "How the call ended",
    "obstacle": "What forbids them",
    "best_score": "Score of the best labelling so far",
    "row": "Number of the row: the first that was ever added is 0",
    "told": "The label that the caller was told; -1: none",
    "ledger_change.label": "The label that it should now have; -1: none",
    "ledger_row.label": "The label that it has now; -1: none",
    "ledger_row.key": "The key; -1: none",
    "times": "For how many equal rows it stands",
    "settled_key.mentions": "How many mentions it has",
    "kind": "Number of the kind",
    "members": "Number of members of all its cliques",
    "groups": "Number of groups of chains",
    "kinds": "Number of kinds of cliques",
    "verdict": "Why strengths are applied, or why nothing is",
    "warnings": "What is unusual about the problems",
}


for prefix, whose in ("tagger", "the tagger's own labels"), ("control", "the control, bonuses alone"), ("agreeing", "the labels that agree"):
    TEXTS[f"{prefix}_cost"] = f"Cost of {whose}"
    TEXTS[f"{prefix}_accuracy"] = f"Share of right labels: {whose}"
    for figure in "precision", "recall", "f1":
        TEXTS[f"{prefix}_{figure}"] = f"Micro {figure.replace('f1', 'F1')} of {whose}; 0 without `classes`"


def plain(comment: str) -> str:
    text = re.sub(r"^/\*|\*/\s*$", "", comment.strip())
    return " ".join(re.sub(r"\n\s*\*? ?", "\n", text).split())


def constants() -> dict[str, str]:
    """Returns the names of all constants, without CHORALE_, with their comments."""
    found = {}
    text = ""
    for header in sorted(HEADERS.rglob("*.h")):
        for body in re.findall(r"^enum \{(.*?)\};", header.read_text(), re.M | re.S):
            entry = r"(/\*(?:(?!\*/).)*\*/\s*)?CHORALE_(\w+) = -?\w+,?[ ]*(/\*(?:(?!\*/).)*\*/)?"
            for before, name, after in re.findall(entry, body, re.S):
                if before or after:  # otherwise the comment is of several constants
                    text = plain(before or after)
                found[name] = TEXTS.get(name, text)
    return found


def struct(name: str) -> tuple[str, list[tuple[str, str, str]]]:
    """Returns the comment of a struct and its fields: type, name and comment."""
    for header in sorted(HEADERS.rglob("*.h")):
        pattern = r"((?:/\*(?:(?!\*/).)*\*/\n)?)typedef struct chorale_%s \{(.*?)\n\} chorale_%s;" % (name, name)
        match = re.search(pattern, header.read_text(), re.S)
        if not match:
            continue
        fields = []
        above = ""
        entry = r"(/\*(?:(?!\*/).)*\*/\s*)?\b(\w+) (\w+);[ ]*(/\*(?:(?!\*/).)*\*/)?"
        for before, kind, field, after in re.findall(entry, match[2], re.S):
            above = plain(before) if before else above
            text = ". ".join(plain(comment) for comment in (after, before) if comment)
            text = text or TEXTS.get(f"{name}.{field}") or TEXTS.get(field) or above
            if field not in ("struct_size", "reserved"):
                fields.append((kind, field, text))
        return plain(match[1]) if match[1] else "", fields
    raise SystemExit(f"no struct chorale_{name}")


def capitals(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def camel(name: str) -> str:
    return name[0] + capitals(name)[1:]


def sentence(text: str) -> str:
    """Returns a comment of a header as a sentence, without what is only about C."""
    text = re.sub(r" \([^()]*\w\.h\b[^()]*\)| \(chorale_\w+\)|^1: |; 0: any other form", "", text)
    if re.match(r"(?!phi\b|psi\b)(a|[a-z]{2,})[ ;:,.]", text):  # no symbol
        text = text[0].upper() + text[1:]
    text = text.replace("clique's score C", "clique's score")
    return text if not text or text.endswith((".", ".)")) else text + "."


def in_words(text: str, spell, kind: str = "") -> str:
    """Replaces names of constants by what spell(prefix, name) returns. kind: the type of a field, of whose
    constants comments give the names alone."""
    known = constants()
    prefixes = {f"chorale_{snake(enum)}": prefix for _, prefix, enum, *_ in ENUMS}

    def named(match: re.Match[str]) -> str:
        name = match[1]
        for prefix in (entry[1] for entry in ENUMS):
            if name.startswith(prefix + "_") and name in known:
                return spell(prefix, name.removeprefix(prefix + "_"))
        own = prefixes.get(kind)
        if own and f"{own}_{name}" in known:
            return spell(own, name)
        return match[0]

    return re.sub(r"\b(?:CHORALE_)?([A-Z][A-Z0-9_]+)\b", named, text)


def filled(language: str, double: str, index: str, number: str, flag: str, none: str = ""):
    """Yields for each struct of a language its name, that in C, its comment, and its fields: type,
    type in C, name and comment. The arguments are the types of numbers, of flags, and of indices of which -1 is none."""
    types = {"double": double, "int64_t": index, "int32_t": number}
    if language == "rust":
        types["chorale_learn_warning"] = "Warnings"
    for name, (of, about, languages, options) in STRUCTS.items():
        if language in languages:
            said, fields = struct(of)
            made = []
            for kind, field, text in fields:
                own = types.get(kind) or kind.removeprefix("chorale_").title().replace("_", "")
                if field in FLAGS and (name, field) not in NOT_FLAGS:
                    own = flag
                elif none and field in options:
                    own, text = none, text.replace("-1", "None")
                elif none and field in ("own_value", "value"):
                    own, text = "Shown", text.partition(", R for EMPTY")[0]
                made.append((own, kind, field, text))
            yield name, of, about or said, made


def snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def wrapped(text: str, before: str) -> str:
    return "".join(f"{before}{line}\n" for line in textwrap.wrap(text, 100 - len(before.expandtabs(4))))


# ---- Rust --------------------------------------------------------------------------------------


def of_rust(text: str, kind: str = "") -> str:
    def spell(prefix: str, name: str) -> str:
        macro, enum = next((macro, enum) for macro, of, enum, *_ in ENUMS if of == prefix)
        name = f"{prefix}_{name}" if prefix in KEPT_WHOLE["rust"] else name
        return f"[`{enum}::{capitals(name.lower())}`]" if macro else name

    text = re.sub(r"([\[\]<>])", r"\\\1", sentence(text))  # in which brackets would be links
    text = re.sub(r"\bCHORALE_(ALONE|TOGETHER)\b", lambda m: f"[`Labelling::{capitals(m[1].lower())}`]", text)
    return in_words(text, spell, kind)


def rust_enums() -> str:
    lines = [f"// {NOTE}\n"]
    known = constants()
    for macro, prefix, enum, _, about in ENUMS:
        if not macro:
            continue
        lines.append(f"\n{macro}! {{\n{wrapped(about, '    /// ')}    {enum} {{\n")
        for name, text in known.items():
            short = name if prefix in KEPT_WHOLE["rust"] else name.removeprefix(prefix + "_")
            if name.startswith(prefix + "_") and name not in LEFT_OUT["rust"]:
                lines.append(wrapped(of_rust(text, f"chorale_{snake(enum)}"), " " * 8 + "/// "))
                lines.append(f"        {capitals(short.lower())} = CHORALE_{name},\n")
        lines.append("    }\n}\n")
    return "".join(lines)


def rust_structs() -> str:
    lines = [f"// {NOTE}\n"]
    for name, of, about, fields in filled("rust", "f64", "usize", "i32", "bool", "Option<usize>"):
        lines.append(f"\nfilled! {{\n{wrapped(of_rust(about), '    /// ')}    {name} = chorale_{of} {{\n")
        for rust, kind, field, text in fields:
            lines.append(wrapped(of_rust(text, kind), " " * 8 + "/// "))
            lines.append(f"        {field}: {rust},\n")
        lines.append("    }\n}\n")
    return "".join(lines)


# ---- Go ----------------------------------------------------------------------------------------


def of_go(text: str, kind: str = "") -> str:
    own = {prefix: name for _, prefix, _, name, _ in ENUMS}
    text = in_words(sentence(text), lambda prefix, name: f"[{go_name(own[prefix], name)}]", kind)
    text = re.sub(r"\bC\b", "the potential", text)
    text = re.sub(r"\bCHORALE_(ALONE|TOGETHER|ALL_CHAINS)\b", lambda m: f"[{capitals(m[1].lower())}]", text)
    text = re.sub(r"\bCHORALE_(\w+)", r"\1", text)
    text = re.sub(r"chorale_(\w+)(\(\))?", lambda m: capitals(m[1]), text)
    text = re.sub(r"`?\b([a-z]+(?:_[a-z0-9]+)+)\b`?", lambda m: m[0] if MATHS.match(m[1]) else capitals(m[1]), text)
    return text.replace("NULL", "nil").replace("`", "").replace("*", "")


def go_name(prefix: str, name: str) -> str:
    made = prefix + capitals(name.lower())
    return GO_NAMES.get(made, made)


GO_HEAD = """// Code generated by bindings/mirror.py from include/chorale. DO NOT EDIT.

package chorale

// #include "shim.h"
import "C"
"""


def go_constants() -> str:
    lines = [GO_HEAD]
    known = constants()
    for _, prefix, enum, own, about in ENUMS:
        if own is None:
            continue
        lines.append(f"\n{wrapped(enum + ': ' + of_go(about)[0].lower() + of_go(about)[1:], '// ')}type {enum} int32\n\n// Constants of [{enum}].\nconst (\n")
        for name, text in known.items():
            if name.startswith(prefix + "_") and name not in LEFT_OUT["go"]:
                lines.append(wrapped(of_go(text), "\t// "))
                lines.append(f"\t{go_name(own, name.removeprefix(prefix + '_'))} {enum} = C.CHORALE_{name}\n")
        lines.append(")\n")
    return "".join(lines)


def go_structs() -> str:
    lines = [GO_HEAD]
    for name, of, about, fields in filled("go", "float64", "int", "int32", "bool"):
        text = of_go(about)
        lines.append(f"\n{wrapped(name + ': ' + text[0].lower() + text[1:], '// ')}type {name} struct {{\n")
        made = []
        for go, kind, field, text in fields:
            value = f"from.{field} != 0" if go == "bool" else f"{go}(from.{field})"
            lines.append(wrapped(of_go(text, kind), "\t// "))
            lines.append(f"\t{capitals(field)} {go}\n")
            made.append((capitals(field) + ":", value))
        width = max(len(field) for field, _ in made)
        values = "".join(f"\t\t{field:{width}} {value},\n" for field, value in made)
        lines.append(f"}}\n\nfunc {camel(of)}(from *C.chorale_{of}) {name} {{\n\treturn {name}{{\n{values}\t}}\n}}\n")
    return "".join(lines)


# ---- TypeScript --------------------------------------------------------------------------------


def of_js(text: str, kind: str = "") -> str:
    spell = lambda _, name: '"' + name.lower().replace("_", "-") + '"'
    text = in_words(sentence(text), spell, kind)
    text = re.sub(r"\bCHORALE_(\w+)", lambda m: m[1].lower().replace("_", "-"), text)
    text = re.sub(r"chorale_(\w+)(\(\))?", lambda m: camel(m[1]), text)
    text = re.sub(r"\b([a-z]+(?:_[a-z0-9]+)+)\b", lambda m: m[0] if MATHS.match(m[1]) else camel(m[1]), text)
    return text.replace("NULL", "null").replace("*", "")


def js_block(text: str, indent: str) -> str:
    if len(indent) + len(text) + 7 <= 100:
        return f"{indent}/** {text} */\n"
    return f"{indent}/**\n{wrapped(text, indent + ' * ')}{indent} */\n"


def js_types() -> str:
    lines = [f"// {NOTE}\n"]
    known = constants()
    for prefix, enum in ("OUTCOME", "Outcome"), ("OBSTACLE", "Obstacle"), ("RULES", "RuleState"), ("VERDICT", "Verdict"), ("WARNING", "LearnWarning"):
        names = {n.removeprefix(prefix + "_").lower().replace("_", "-"): t for n, t in known.items() if n.startswith(prefix + "_")}
        about = next(entry[4] for entry in ENUMS if entry[1] == prefix)
        told = " ".join(f'"{n}": {of_js(t)}' for n, t in names.items())
        lines.append(f"\n{js_block(about + ' ' + told, '')}export type {enum} =\n" + "".join(f'  | "{n}"\n' for n in names)[:-1] + ";\n")
    for name, _, about, fields in filled("js", "number", "number", "number", "boolean"):
        lines.append(f"\n{js_block(of_js(about), '')}export interface {name} {{\n")
        for ts, kind, field, text in fields:
            if ts == "LearnWarning":
                ts = "readonly LearnWarning[]"
            lines.append(js_block(of_js(text, kind), "  "))
            lines.append(f"  readonly {camel(field)}: {ts};\n")
        lines.append("}\n")
    return "".join(lines)


FILES = {
    RUST / "enums.rs": rust_enums,
    RUST / "structs.rs": rust_structs,
    GO / "constants.go": go_constants,
    GO / "structs.go": go_structs,
    HERE / "js" / "types" / "structs.d.ts": js_types,
}


if __name__ == "__main__":
    for path, made in FILES.items():
        text = made()
        if sys.argv[1:] != ["--check"]:
            path.write_text(text)
        elif path.read_text() != text:
            sys.exit(f"{path} is not what mirror.py makes of the headers")
