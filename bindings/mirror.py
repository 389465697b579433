#!/usr/bin/env python3
"""Writes what Rust, Go and TypeScript have of the C headers: constants as enums, and the structs that
the library fills, with the comments of the headers; for Go also the functions that only pass their
arguments on. bindings/rust/generate.sh runs it.

    mirror.py [--check]      --check: only compares with the files
"""

from __future__ import annotations

import functools
import re
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADERS = HERE.parent / "include" / "chorale"
RUST = HERE / "rust" / "libchorale" / "src"
GO = HERE / "go"
NOTE = "Made by bindings/mirror.py from include/chorale: do not edit."

# Rust's macro (told: the library returns the constants; asked: it takes them; flags: of a set; "": Rust's enum is written
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
    ("asked", "ROWS", "Orientation", "Rows", "Whether rows of a transition matrix stand for the label before or for the label after."),
    ("asked", "SCHEME", "Scheme", "Scheme", "How label names mark segments. The label O is outside all segments."),
    ("asked", "JOINT", "JointMode", "Joint", "The method for a chain with several properties. The exact computation runs over *configurations*: the joint states of all properties' automata and the values fired so far."),
    ("asked", "SEGMENT", "SegmentRule", "", "Where a segment ends. X is the kind of the segment, O a label that the property ignores."),
    ("asked", "MESSAGES", "MessageElement", "Messages", "The number format in which messages are stored. Computations are always in double precision."),
    ("told", "VERDICT", "Verdict", "Verdict", "Why learnt strengths are applied, or why nothing is."),
    ("flags", "WARNING", "LearnWarning", "Warning", "Flags: what is unusual about the problems that were learnt from."),
    ("", "AGREE", "AgreementKind", "Agree", "What should agree."),
    ("", "TEXTS", "TextList", "Texts", "The lists of texts that a problem can hold; Values is the first list of names of clique values."),
    ("", "START", "Start", "Start", "Where ALPHA_EXPANSION, LOCAL_SEARCH and ICM start."),
]
# Constants that enums leave out: a rule by a property has a constructor in Rust, and in JavaScript a number is that
# of a list of value names.
LEFT_OUT = {"rust": {"RULE_PROPERTY"}, "go": set(), "js": {"TEXTS_NONE", "TEXTS_VALUES"}}
KEPT_WHOLE = {"ROWS"}  # prefixes that stay in names of Rust
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
    "ChainResult": ("chain_result", "The score of the best labelling of a chain, and how the call ended.", "rust go", ()),
    "CliqueResult": ("clique_result", "What the solver of a clique found. F is the score of all members' values and of the clique, psi[i][v] the score of value v for member i.", "rust go", ()),
    "LearntReport": ("learnt_report", "", "rust go js", ()),
    "LearntKind": ("learnt_kind", "What was learnt for one kind of cliques: the strength s and the bonus b of s sum_v n_v^2 / n + b sum_v n_v, where n_v of n members have value v.", "rust go js", ()),
    "SettledMention": ("settled_mention", "", "rust go js", ()),
    "SettledKey": ("settled_key", "", "rust go js", ()),
    "LedgerChange": ("ledger_change", "", "rust go js", ()),
    "LedgerRow": ("ledger_row", "", "rust go js", ()),
}
# The structs that callers fill: what each is, unless its header says so; fields that only C has, beside
# pointers of callbacks and the like; fields that TypeScript has by hand, or does not have; and those that it needs.
INPUTS = {
    "Agreement": ("agreement", "A soft constraint: labels of positions, or property values of chains, that should agree. Each set of positions (or chains) that should agree becomes a clique of a model. The zero value: the labels of the positions with the same token. Without `clique_offsets`, all `members` are one clique.", None, ""),
    "Automaton": ("automaton", "A property by tables. An automaton reads the positions of a chain in order. In state s, at a position of class c with label y, it takes the action at index (s * classes + c) * labels + y, and moves to the state in `next` at the same index. The value of the property is the value that has fired; EMPTY if nothing has fired, and CONFLICT if two different values have.", "fires_outside", "labels states values next"),
    "Chain": ("chain", "The scores of a sequence or a tree of T positions, each of which has one of m labels. The score of a labelling is a sum: the unary score of the label at each position, the edge score of the labels at each pair of neighbours, the start score of the first label, and the end score of the last label. In a tree, a pair of neighbours is a position and its parent; each root adds a start score, and each leaf an end score. If one of these scores is minus infinity, the labelling is forbidden. All scores of a chain have one element type.", "length labels orientation unary", ""),
    "ChainOptions": ("chain_options", "What a model stores of a chain besides its scores.", None, ""),
    "CliqueOptions": ("clique_options", "The options for solving a clique.", None, ""),
    "CliqueProblem": ("clique_problem", "The members of one clique.", None, ""),
    "Corpus": ("corpus", "Many chains with the same number of labels, whose scores are in one array. A position is numbered by its row in this array, through all chains.", "offsets labels unary transitions tokens groups uncounted", ""),
    "LabelMap": ("label_map", "A map from labels to kinds: for instance, B-X and I-X are both of kind X. A segment is a longest sequence of consecutive labels of one kind.", "labels", "kinds kind_of_label"),
    "LearnOptions": ("learn_options", "The options of learning.", "labels costs threads time_limit", ""),
    "Members": ("members", "Members of one clique, or of several consecutive ones.", "first offsets chains classes tables", ""),
    "Mentions": ("mentions", "The columns of a table of N rows. Each is a mention of one of K keys, such as a name, with one of m labels.", "scores times", "keys labels key"),
    "PotentialOptions": ("potential_options", "The options of all potentials.", "shape", ""),
    "Rule": ("rule", "What the labelling of a chain must look like. The zero value: at most one segment of label 0.", None, ""),
    "Rules": ("rules", "What labellings must keep: a field of the options of chorale_decode, whose result is then the best labelling of those that keep them. A chain of which no labelling keeps the rules has its own labels (chorale_decoded_ruled_chains tells which). The message of an error names a rule by index and kind.", None, ""),
    "RunOptions": ("run_options", "The options of a run.", "rounds no_local_search rules threads time_limit", ""),
    "TransitionsOptions": ("transitions_options", "What transitions have beside their matrix.", "orientation", ""),
}
FOR_C = re.compile(r"\w+\.(borrow|count|element|executor|edge_matrices|\w+_(count|stride|user))|(run|learn)_options.cancel|corpus.chains|(members|agreement).cliques")
GIVEN_FLAGS = {"exact_marginals", "no_local_search", "restrict_range", "edits", "across", "each", "borrow", "prove",
               "may_lower_accuracy", "without_gold", "fires_outside"}
# Sentences of comments that are about memory or the interface of C.
SENTENCES_FOR_C = re.compile(r"[Bb]orrowed|[Cc]opied|[Ss]trides?\b|executor|struct_size")
MATHS = re.compile(r"(phi|psi|mu|[a-z])_|(sum|max)_[a-z]\b")  # symbols with an index, which are no names
FLAGS = {"proven", "applied", "changed", "conflict", "uses_log_odds", "marginals_exact"}
NOT_FLAGS = {("LearntReport", "changed")}
# What the headers do not say of each constant or field, since it stands above all of them or is plain.
TEXTS = {
    "SHAPE_DETECT": "The library determines the shape from the tables",
    "SHAPE_CONVEX": "All tables are convex",
    "SHAPE_CONCAVE": "All tables are concave",
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


@functools.cache
def headers() -> dict[Path, str]:
    """Returns the texts of the headers, by their paths below include/chorale."""
    return {path.relative_to(HEADERS): path.read_text() for path in sorted(HEADERS.rglob("*.h"))}


@functools.cache
def constants() -> dict[str, str]:
    """Returns the names of all constants, without CHORALE_, with their comments."""
    found = {}
    text = ""
    for header in headers().values():
        for body in re.findall(r"^enum \{(.*?)\};", header, re.M | re.S):
            entry = r"(/\*(?:(?!\*/).)*\*/\s*)?CHORALE_(\w+) = -?\w+,?[ ]*(/\*(?:(?!\*/).)*\*/)?"
            for before, name, after in re.findall(entry, body, re.S):
                if before or after:  # otherwise the comment is of several constants
                    text = plain(before or after)
                found[name] = TEXTS.get(name, text)
    return found


def standing(declaration: str) -> str:
    """Returns what to add to the comment of a declaration that is not stable, by the header that it stands in."""
    header = next((path for path, text in headers().items() if declaration in text), Path())
    if header.parts and header.parts[0].startswith("experimental"):
        return " Experimental: it may change or go in any version."
    return " Provisional: it may change until version 1.0." if header.stem in ("learn", "rules") else ""


def enums(language: str):
    """Yields for each enum of a language what ENUMS says of it, and its constants: names without and with the prefix, and comments."""
    for *kind, about in ENUMS:
        entry = (*kind, about + standing(f"typedef int32_t chorale_{snake(kind[2])};"))
        names = {n: text for n, text in constants().items() if n.startswith(entry[1] + "_") and n not in LEFT_OUT[language]}
        yield entry, [(name.removeprefix(entry[1] + "_"), name, text) for name, text in names.items()]


def declared(pattern: str) -> tuple[str, ...]:
    """Returns the groups of a pattern in the header that matches it."""
    return next(m.groups() for text in headers().values() if (m := re.search(pattern, text, re.S)))


def struct(name: str) -> tuple[str, list[tuple[str, str, str]]]:
    """Returns the comment of a struct and its fields: type, name and comment."""
    about, body = declared(r"((?:/\*(?:(?!\*/).)*\*/\n)?)typedef struct chorale_%s \{(.*?)\n\} chorale_%s;" % (name, name))
    fields = []
    above = ""
    entry = r"(/\*(?:(?!\*/).)*\*/\s*)?\b(?:(?:const|struct) )*(\w+)\s+((?:\*(?:const )?)*)(\w+);[ ]*(/\*(?:(?!\*/).)*\*/)?"
    for before, kind, stars, field, after in re.findall(entry, body, re.S):
        above = plain(before) if before else above
        kind += stars.replace("const ", "")
        text = ". ".join(plain(comment) for comment in (after, before) if comment)
        text = text or TEXTS.get(f"{name}.{field}") or TEXTS.get(field) or above
        if field not in ("struct_size", "reserved"):
            fields.append((kind, field, text))
    return plain(about) if about else "", fields


def given(language: str, of_language):
    """Yields for each struct that callers fill its name, that in C, its comment, and its fields: type in C, name and comment."""
    for name, (of, about, by_hand, _) in INPUTS.items():
        if language == "js" and by_hand is None:
            continue
        fields = struct(of)[1]
        kinds = " ".join(kind for kind, *_ in fields)
        made = []
        for kind, field, text in fields:
            flag = field in GIVEN_FLAGS
            text = " ".join(part for part in re.split(r"(?<=\.) (?=[A-Z])", text) if not SENTENCES_FOR_C.search(part))
            if flag:
                text = re.sub(r"^1: ", "true: ", re.sub(r"(\. )?\bDefault 0\b\.?", "", text)).replace(". 0 (default)", ". False (default)").replace("0 (default)", "false (default)")
            if not FOR_C.fullmatch(f"{of}.{field}") and not (language == "js" and field in by_hand.split()):
                text = re.sub(" in seconds|; plus infinity: none", "", text.replace("returns other than 0", "returns true"))
                if language == "js":
                    text = text.replace("; may be NULL", "").replace("; NULL:", "; absent:").replace("NULL:", "Absent:")
                made.append((kind, field, of_language(re.sub(r' \("\w+" (above|below)\)', "", text), f"{kind} {kinds}")))
        yield name, of, about + standing(f"typedef struct chorale_{of} {{"), made


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
    return text if not text or text.endswith((".", ".)", "?")) else text + "."


def in_words(text: str, spell, kinds: str = "") -> str:
    """Replaces names of constants by what spell(prefix, name) returns. kinds: the type of a field, and others, of whose
    constants comments give the names alone."""
    known = constants()
    prefixes = {f"chorale_{snake(enum)}": prefix for _, prefix, enum, *_ in ENUMS}

    def named(match: re.Match[str]) -> str:
        name = match[1]
        for prefix in (entry[1] for entry in ENUMS):
            if name.startswith(prefix + "_") and name in known:
                return spell(prefix, name.removeprefix(prefix + "_"))
        own = next((prefix for kind in kinds.split() if f"{(prefix := prefixes.get(kind))}_{name}" in known), None)
        return spell(own, name) if own else match[0]

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
            yield name, of, (about or said) + standing(f"typedef struct chorale_{of} {{"), made


def snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def wrapped(text: str, before: str) -> str:
    return "".join(f"{before}{line}\n" for line in textwrap.wrap(text, 100 - len(before.expandtabs(4)), break_on_hyphens=False))


# ---- Rust --------------------------------------------------------------------------------------


def of_rust(text: str, kind: str = "") -> str:
    def spell(prefix: str, name: str) -> str:
        macro, enum = next((macro, enum) for macro, of, enum, *_ in ENUMS if of == prefix)
        name = f"{prefix}_{name}" if prefix in KEPT_WHOLE else name
        return f"[`{enum}::{capitals(name.lower())}`]" if macro in ("told", "asked") else name

    text = re.sub(r"([\[\]<>])", r"\\\1", sentence(text))  # in which brackets would be links
    text = re.sub(r"\bCHORALE_(ALONE|TOGETHER)\b", lambda m: f"[`Labelling::{capitals(m[1].lower())}`]", text)
    return in_words(text, spell, kind)


def rust_macro(macro: str, about: str) -> str:
    """Returns the head of a macro with a comment. What is experimental needs the feature."""
    told = about.replace("Experimental:", "Needs the feature `experimental`:")
    gate = '#[cfg(feature = "experimental")]\n' if told != about else ""
    return f"\n{gate}{macro}! {{\n{wrapped(told, '    /// ')}"


def rust_enums() -> str:
    lines = [f"// {NOTE}\n"]
    for (macro, prefix, enum, _, about), named in enums("rust"):
        if not macro:
            continue
        flags = macro == "flags"
        lines.append(f"{rust_macro(macro, about)}    {'Warnings' if flags else enum} {{\n")
        for short, name, text in named:
            own = (name if prefix in KEPT_WHOLE else short).lower()
            lines.append(wrapped(of_rust(text, f"chorale_{snake(enum)}"), " " * 8 + "/// "))
            lines.append(f"        {own if flags else capitals(own)} = CHORALE_{name},\n")
        lines.append("    }\n}\n")
    return "".join(lines)


def rust_structs() -> str:
    lines = [f"// {NOTE}\n"]
    for name, of, about, fields in filled("rust", "f64", "usize", "i32", "bool", "Option<usize>"):
        lines.append(f"{rust_macro('filled', of_rust(about))}    {name} = chorale_{of} {{\n")
        for rust, kind, field, text in fields:
            lines.append(wrapped(of_rust(text, kind), " " * 8 + "/// "))
            lines.append(f"        {field}: {rust},\n")
        lines.append("    }\n}\n")
    return "".join(lines)


# The structs of INPUTS that Rust has from here: derived traits, and parts that are no options.
RUST_INPUTS = {
    "Chain": ("Clone, Debug", "unary: Matrix<'a, N>; transitions: Option<Transitions>; edges: Option<Matrix<'a, N>>; allowed: Option<Matrix<'a, u8>>"),
    "Members": ("Clone, Copy, Debug", "chains: &'a [i64]; centres: Option<(&'a [i64], &'a [i64])>"),
    "PotentialOptions": ("Clone, Debug, Default", ""),
    "Automaton": ("Clone, Copy, Debug", "labels: usize; states: usize; values: usize; next: &'a [usize]"),
    "CliqueOptions": ("Clone, Debug, Default", "cancel: Option<Cancel>"),
    "CliqueProblem": ("Clone, Debug", "scores: Matrix<'a, f64>"),
    "Corpus": ("Clone, Debug", "unary: Matrix<'a, N>; offsets: Option<Cow<'a, [i64]>>"),
    "LearnOptions": ("Debug, Default", "costs: Option<(&'a [f64], usize)>; cancel: Option<Cancel>; progress: Option<ProgressFunction<'a, LearnProgress>>"),
    "Mentions": ("Clone, Copy, Debug", "keys: usize; labels: usize; key: &'a [i32]"),
    "RunOptions": ("Debug, Default", "cancel: Option<Cancel>; progress: Option<ProgressFunction<'a, Progress>>; rules: Option<Rules<'a>>"),
}
# Options that do not become in C what their types say (see the macro `options`); "": there is no such option.
RUST_OPTIONS = {
    "chain.labels": "",
    "chain.length": "",
    "chain.parents": "&'a [i32] => [self.len()]",
    "chain.forced": "&'a [i32] => [self.len()]",
    "members.centre_chains": "",
    "members.centre_positions": "",
    "members.classes": "&'a [Option<&'a [i32]>] => _",
    "members.first": "",
    "members.offsets": "&'a [i64] => _",
    "members.positions": "&'a [i64] => [self.chains.len()]",
    "members.tables": "&'a [Option<&'a [i32]>] => _",
    "members.weights": "&'a [i64] => [self.chains.len()]",
    "counted": "&'a [bool] => _",
    "automaton.start": 'usize => start = index("start", start)?',
    "actions": "&'a [Action] => _",
    "beam_width": "usize => beam_width = positive(beam_width)",
    "begins": "&'a [bool] => _",
    "end_actions": "&'a [Action] => _",
    "fires_outside": "",
    "learn_options.classes": "&'a [Option<usize>] => _",
    "gap": "f64 => (gap, prove) = (gap, (gap == 0.0).into())",
    "max_states": "usize => max_states = positive(max_states)",
    "no_local_search": "bool => no_local_search = !local_search",
    "outside_value": 'usize => (outside_value, fires_outside) = (index("outside_value", outside_value)?, 1)',
    "prove": "",
    "rounds": "usize => rounds = if rounds == 0 { c::CHORALE_NO_ROUNDS.into() } else { size(rounds) }",
    "clique_options.start": "Start<'a> => _",
    "start_assignment": "",
    "start_value": "",
    "subset_size": 'usize => subset_size = if subset_size == 0 { -1 } else { index("subset_size", subset_size)? }',
    "threads": "usize => threads = positive(threads)",
    "time_limit": "Duration => time_limit = seconds(Some(time_limit))",
    "learn_options.labels": "",
    "learn_options.time_limit": "Option<Duration> => time_limit = seconds(time_limit)",
    "clique_problem.members": "",
    "clique_problem.values": "",
    "corpus.allowed": "&'a [u8] => [self.rows().saturating_mul(self.labels())]",
    "corpus.counts": "&'a [i64] => [self.chains()]",
    "corpus.edges": "&'a [N] => [product(&[self.rows(), self.labels(), self.labels()])?]",
    "corpus.forced": "&'a [i32] => [self.rows()]",
    "corpus.groups": "&'a [i64] => [self.chains()]",
    "corpus.labels": "",
    "corpus.tokens": "&'a [i32] => [self.rows()]",
    "corpus.transitions": "&'a Transitions => transitions = transitions.as_ptr()",
    "corpus.uncounted": "&'a [i32] => (uncounted, uncounted_count) = lent_or_none(uncounted)",
}
# Rust's types of numbers, and of the elements of arrays.
RUST_TYPES = {"double": "f64", "int32_t": "i32", "int64_t": "usize", "int64_t*": "i64", "void*": "N"}
# What Rust says in other words than the headers.
RUST_WORDS = [
    (r"; 0: 10; CHORALE_NO_ROUNDS: only", "; default: 10; zero: only"),
    (r"0 (\(default\): no gap)", r"Zero: a proof of optimality. NULL \1"),
    (r"; negative: it has passed|; may be NULL| [^.]*\b[Ii]nstance\b[^.]*\.", ""),
    (r"^Of `edges`: what their rows are", "What the rows of `edges` are"),
    (r"^Of the tables", "Shape of the tables"),
    (r"^By value a byte; 0: .* its members add nothing", "For each value whether it is counted. Members with a value that is not are part of n but add nothing,"),
    (r"^By entry", "For each member"),
    (r" below (replace them)", r" \1"),
    (r"NULL, or NULL for a chain", "Default, or None"),
    (r"^For messages of cliques", "Algorithm for messages of cliques"),
    (r"^(Where .* start)\.$", r"\1. Default: [`Start::Independent`]."),
    (r"the default of the algorithm", "that of the algorithm"),
    (r"in this chain", "in its chain"),
    (r"in the potential, in reasons", "in the potential and in reasons"),
    (r"one of the other answers", "[`NO_ANSWER`](crate::NO_ANSWER) or [`ANSWER_DIFFERS`](crate::ANSWER_DIFFERS)"),
    (r"^Those of all chains", "Transitions of all chains"),
    (r"^One that does not fit", "The algorithm; one that does not fit"),
    (r"leaves `assignment` unchanged; `marginals` is unchanged", "no assignment; max-marginals are 0"),
    (r"^True: a solve leaves out the local search, which (.*)", r"Whether a local search follows the rounds, which \1 Default: true."),
    (r"^True: ", "If true, "),
    (r"^(Number of classes of positions), .*", r"\1. Default: 1."),
    (r"(What \S+ fires outside of the table)", r"\1. Default: nothing"),
    (r"FIRE_([A-Z]+)", lambda m: f"[`Action::{capitals(m[1].lower())}`]"),
    (r"\bNULL( \(default\))?:|(?<!Below )\b0( \(default\))?:", "default:"),
    (r"(?<=\. )default:|^default:", "Default:"),
    (r"default: five minutes", r"\g<0>; None: no limit"),
    (r"(\w)\.? Default (?!:)", r"\1. Default: "),
    (r"^By label: 1 if (.*?), else 0", r"For each label whether \1"),
    (r"^By label: (.*?), or -1 if", r"For each label \1, or None if"),
    (r"^By (label|state|position|chain): ", r"For each \1: "),
    (r"^N: (.)", r"For each row: \1"),
    (r"^K: (.)", r"For each key: \1"),
    (r"^N x m: ", "Rows x labels: "),
    (r"returns true", "returns Break"),
    (r", as with no_local_search", ""),
    (r"message_element \[`Algorithm::Auto`\]", "[`MessageElement::Auto`]"),
    (r"\bcreate_token_label\b", "[`Property::token_label`](crate::Property::token_label)"),
    (r"\bchorale_run_(\w+)", r"[`Run::\1`](crate::Run::\1)"),
]


def rust_input(of: str, kind: str, field: str, parts: list[str]) -> str:
    """Returns the type of an option, and if it is an array the number of entries."""
    own = RUST_OPTIONS.get(f"{of}.{field}", RUST_OPTIONS.get(field))
    if own is not None:
        return own
    shape = re.search(rf"\b{capitals(field)}=(\S+)", GO_SHAPES.get(of, ""))
    own = RUST_TYPES.get(kind) or RUST_TYPES.get(kind.rstrip("*")) or capitals(kind.removeprefix("chorale_"))
    if not shape:
        return "bool" if field in GIVEN_FLAGS else own
    sizes = [f"self.{snake(size[1:])}.len()" if size[0] == "#" else f"self.{snake(size)}" for size in shape[1].split("*")]
    sizes = [size if size.removeprefix("self.").split(".")[0] in parts else size + "()" for size in sizes]
    return f"&'a [{own}] => [{sizes[0] if len(sizes) == 1 else 'product(&[' + ', '.join(sizes) + '])?'}]"


def rust_inputs() -> str:
    """Returns the options of Rust, each with what it becomes in C."""
    lines = [f"// {NOTE}\n"]
    for name, of, about, fields in given("rust", of_rust):
        if name not in RUST_INPUTS:
            continue
        traits, parts = RUST_INPUTS[name]
        generics = "'a, N: Element = f64" if "N>" in parts else "'a"
        known = re.findall(r"(\w+):", parts)
        about += " Each method sets one; one that is not set has its default." * name.endswith("Options")
        lines.append(f"{rust_macro('options', of_rust(about))}    #[derive({traits})]\n    #[must_use]\n")
        lines.append(f"    pub struct {name}<{generics}> of chorale_{of} {{\n" + "".join(f"        pub(crate) {part},\n" for part in parts.split("; ") if part))
        lines.append("    }\n    set(self) {\n")
        for kind, field, text in fields:
            own = rust_input(of, kind, field, known)
            if own and field not in known:
                for pattern, by in RUST_WORDS:
                    text = re.sub(pattern, by, text)
                text = re.sub(r"\b[A-Z]+_[A-Z_]+\b", lambda m: capitals(m[0].lower()) if f"ERROR_{m[0]}" in constants() else m[0], text)
                lines.append(f"{wrapped(text, ' ' * 8 + '/// ')}        {field.removeprefix('no_')}: {own},\n")
        lines.append("    }\n}\n")
    return "".join(lines)


# ---- Go ----------------------------------------------------------------------------------------


# The objects whose Go types are handles; the functions that Go has by their declarations in C, with
# Go's name where it is another; and the structs of Go from which those of C are filled.
GO_HANDLES = "model_builder cancel transitions property potential chain_solver clique_solver model problem learnt ledger".split()
GO_OBJECTS = [*GO_HANDLES, "run", "decoded"]
GO_FUNCTIONS = """
    cancel_create chain_solver_create clique_solver_create chain_solve clique_solve clique_max_marginals clique_score
    model_builder_create model_builder_freeze run_max_marginals run_probabilities ledger_add
    problem_create problem_load:LoadProblem problem_save problem_set_cliques problem_set_gold property_create learnt_read:ReadLearnt
    potential_create_potts potential_create_entropy potential_create_sum potential_create_max
    potential_create_cardinality potential_create_makespan potential_create_square_makespan
    potential_create_majority potential_create_pairs
    property_create_local:NewLocalProperty property_create_position_label property_create_token_label
    property_create_first_label property_create_next_label property_create_token_before
    run_set_strength run_set_labels run_get_result run_left_out run_labels run_reasons
    decoded_get_result decoded_reasons decoded_ruled_chains decoded_rule_conflicts decoded_rule_reasons
    learnt_apply learnt_potential learnt_get_report learnt_kinds
    ledger_changes ledger_rows ledger_keys
"""
GO_INPUTS = sorted([of for of, *_ in INPUTS.values()] + ["clique_setup"])  # some are by hand
# Parameters with another name in Go, by their types; structs that are filled by made functions, and what
# other functions that fill structs take besides.
GO_PARAMETERS = {"label_map": "m", "labelling": "of"}
GO_GIVEN = {"automaton", "label_map"}
GO_ALSO = {"potential_options": ", values", "clique_options": ", int(problemInC.members)"}
# How long the arrays must be that callers give, and that the library fills.
GO_LENGTHS = {
    "assignment": "int(problemInC.members)",
    "weights": "product(values, values)",
    "scores": "product(values, values)",
    "bias": "values",
    "actions": "product(classes, labels, labels+1)",
    "label_values": "labels",
    "ignored": "int(mInC.labels)",
    "gold": "problemPositions(problemInC)",
    "kinds": "problemCliques(problemInC)",
    "values": "problemCliques(problemInC)",
}
GO_SIZES = {
    "chain_labelling": "int(chainInC.length)",
    "clique_assignment": "int(problemInC.members)",
    "clique_marginals": "int(problemInC.members * problemInC.values)",
    "ledger_labels": "int(mentionsInC.count)",
    "run_marginals": "r.entries(c, chain)",
    "run_margins": "r.length(c, chain)",
    "run_probabilities": "r.entries(c, chain)",
}
# Go's types of elements with the function that gives C their address, and of numbers; numbers that are flags.
GO_SLICES = {"double": ("float64", "doubles"), "int32_t": ("int32", "ints"), "int64_t": ("int64", "longs"), "uint8_t": ("byte", "octets"), "text_list": ("TextList", "lists")}
GO_NUMBERS = {"double": "float64", "int32_t": "int32", "int64_t": "int"}
GO_FLAGS = {"take"}
GO_FIELDS = {
    "chain_options.group": "int64", "learn_options.begins": "[]bool", "rules.rules": "[]Rule",
    "run_options.progress": "func(Progress) bool", "learn_options.progress": "func(LearnProgress) bool",
}
# Arguments that Go does not have, and errors that every call has, or none in Go.
GO_FIXED = {"host": "nil", "error": "c.detail", "row_stride": "0", "capacity": "capacity", "needed": "needed"}
GO_NO_ERRORS = {"NULL_ARGUMENT", "STRUCT_SIZE", "CAPACITY", "STRIDE", "OUT_OF_MEMORY", "BUSY"}


def of_go(text: str, kind: str = "") -> str:
    own = {prefix: name for _, prefix, _, name, _ in ENUMS}
    text = in_words(sentence(text), lambda prefix, name: f"[{go_name(own[prefix], name)}]", kind)
    text = re.sub(r"\bC\b", "the potential", text)
    text = re.sub(r"\bCHORALE_(ALONE|TOGETHER|ALL_CHAINS|NO_ROUNDS|NO_AGREEMENT)\b", lambda m: f"[{capitals(m[1].lower())}]", text)
    text = re.sub(r"\b(CHORALE_)?FIRE_(\w+)", lambda m: f"[Fire{capitals(m[2].lower())}]", text)
    text = re.sub(r"\b(?:CHORALE_ERROR_)?([A-Z]+_[A-Z_]+)\b", lambda m: f"[{go_name('Err', m[1])}]" if f"ERROR_{m[1]}" in constants() else m[0], text)
    text = re.sub(r"\bCHORALE_(\w+)", r"\1", text)
    text = re.sub(r"\bcreate_(\w+)", lambda m: f"[New{capitals(m[1])}]", text)
    text = re.sub(r"\bchorale_(\w+)(\(\))?", lambda m: go_link(m[1]), text)
    text = re.sub(r"`?\b([a-z]+(?:_[a-z0-9]+)+)\b`?", lambda m: m[0] if MATHS.match(m[1]) else capitals(m[1]), text)
    return re.sub(r"\*([\w ]+?)\*", r"\1", text.replace("NULL", "nil").replace("`", ""))


def go_link(name: str) -> str:
    """Returns what a comment calls a name of C: methods by their types."""
    noun = re.match("|".join(GO_OBJECTS), name)
    if capitals(name) in {"Decode", "Learn", "Settle", *map(capitals, GO_INPUTS), *STRUCTS}:
        return f"[{capitals(name)}]"
    if name in [*GO_FUNCTIONS.split(), "decoded_strength", "run_set_allowed"] and noun and "_create" not in name:
        return f"[{capitals(noun[0])}.{capitals(re.sub('^_(get_)?', '', name[noun.end():]))}]"
    return capitals(name)


def go_name(prefix: str, name: str) -> str:
    made = prefix + capitals(name.lower())
    return GO_NAMES.get(made, made)


TAB = "\t// "
GO_HEAD = """// Code generated by bindings/mirror.py from include/chorale. DO NOT EDIT.

package chorale

// #include "shim.h"
import "C"
"""


# What comments of functions say in Go, where those of C are about C; errors are added.
FUNCTION_TEXTS = {
    "cancel_create": "Creates a flag that is not raised.",
    "model_builder_freeze": "Creates a model of the chains and cliques. Afterwards the builder can only be closed.",
    "clique_score": "Computes the score of an assignment, one value for each member. Of the result, UpperBound is plus infinity, and what is no score is 0. If a member has a forbidden value, score and MemberScore are minus infinity. Ignores `fixed`.",
    "run_set_labels": "Replaces the best labelling by one of the caller's, for instance that of another system. labels: one for each position, chain by chain; -1 for none. The next solve scores this labelling and the own one, and searches from both, so that no result scores below either. Until then the run has no labelling (NO_LABELLING). Chains with a position without label, and chains whose scores forbid the given labels, use their own.",
    "run_get_result": "Writes the result of the last solve, even if the run has no labelling.",
    "learnt_get_report": "Writes the report of learning.",
    "potential_create_sum": "SUM: sum_v f_v(n_v). tables: one row for each value, or one row for all values. Column k of row v is f_v(k); minus infinity forbids the count k. With L columns, cliques may have up to L - 1 members.",
    "potential_create_max": "MAX: max_v f_v(n_v) over the counted values, including those with n_v = 0. Tables as in create_sum may rise and fall, and f_v(0) need not be 0.",
    "potential_create_makespan": "makespan: the maximum over the counted values v of lambda * n_v.",
    "potential_create_square_makespan": "square makespan: the maximum over the counted values v of lambda * n_v^2.",
    "chain_solve": "Returns the best labelling, with one label for each position; nil if every labelling is forbidden.",
    "clique_solve": "Finds the assignment, one value for each member, with the best score: the members' own scores plus the potential. options: nil for the defaults. The assignment is nil if no feasible assignment was found; the outcome is [Infeasible] if it is proven that there is none. If a limit of the options ends the call, this is not an error, and the result is the best assignment so far.",
    "clique_max_marginals": "Returns marginals[i * Values + v]: for every member i and value v the best score of an assignment in which i has v, or minus infinity if no assignment with this value was found. They are exact if MarginalsExact of the result is true; otherwise they are lower bounds, each the score of an assignment. assignment: the best one found; nil if none was found.",
    "run_max_marginals": "Returns the max-marginals of a chain under the current messages of its cliques: T x m numbers, row-major. Entry t * m + y is the best score, messages included, of a labelling of the chain with label y at position t. margins: for each position its greatest max-marginal minus the second greatest. In a chain of several properties, the beam of the joint mode may leave some max-marginals too low.",
    "run_probabilities": "Returns the probability of each label at each position of a chain, given the current messages of its cliques: T x m numbers, row-major. Let s be the score of a labelling of the chain plus the messages. Then the probability of label y at position t is the sum of exp(s / temperature) over the labellings with y at t, divided by the same sum over all labellings. The temperature is above 0; with 1, scores are taken as log-odds. exact is false if the chain's properties have more joint states than `max_states`: then some labellings were left out, or properties were approximated.",
    "ledger_add": "Adds mentions, which are rows of the ledger: the first that is ever added is row 0. Keys is the number of keys in all. Scores, Gold and Answers are not taken. Told: labels that the caller has already been told, when a ledger is filled from [Ledger.Rows]. Add returns the labels of the new rows.",
}


def go_errors(match: re.Match[str]) -> str:
    errors = [e for e in re.split(r"[,;]\s+(?=[A-Z]{2})", match[1]) if re.match("[A-Z]{2}", e) and e.split()[0] not in GO_NO_ERRORS]
    named = [re.sub("^[A-Z_]+", lambda m: f"[{go_name('Err', m[0])}]", error) for error in errors]
    return f"Errors: {', '.join(named)}." if named else ""


# What comments of functions say of C alone: errors but those of Go, costs, strides, buffers and their
# sizes, sections of the paper.
FUNCTIONS_FOR_C = [
    (r"\n +([A-Z]+_[A-Z_]+) {2,}", r", \1: "),
    (r"\bErrors[^:.]*: (?:also )?(.*?)\.(?=\s|$)", go_errors),
    (r"\bO\([^.]*\.(?=\s|$)|\bAny thread\.|\[[A-Z]\w+ [^\]]*\](?=\s|$)", ""),
    (r"(?m)^\w+_(size|stride): [^\n]*(\n  [^\n]*)*|\b\w+_size:\s.*?\.(?=\s|$)|\b\w+: a buffer .*?\.(?=\s|$)|`count` ", ""),
    (r",\s+which\s+is\s+at\s+[^()]*\([^()]*\)|\s+to\s+\*\w+|,\s+to\s+the\s+buffer\s+`\w+` \(chorale.h\)", ""),
    (r"JSON\s+written\s+by\s+chorale_learnt_text", "JSON written by [Learnt.JSON]"),
    (r"length: number of bytes, without a NUL\.| \(ends in NUL[^)]*\)|\s+into\s+memory\s+of\s+the\s+host's\s+allocator|On success \*\w+ has one reference\.", ""),
    (r"entries\s+of\s+chorale_action", "actions"),
    (r"options->edits was 0", "RunOptions.Edits was not set"),
    (r"take: 1: (.*?); 0: nothing changes", r"take: \1; otherwise nothing changes"),
]


def about_function(name: str, comment: str) -> str:
    """Returns the comment of a function: that in C, without what is only about C."""
    text = re.sub(r"(?m)^(/\*| \*)/? ?|\*/$", "", comment.strip())
    for pattern, by in FUNCTIONS_FOR_C:
        text = re.sub(pattern, by, text, flags=re.S)
    errors = re.search(r"Errors: .*?\.(?=\s|$)", text, re.S)
    text = " ".join((f"{FUNCTION_TEXTS[name]} {errors[0] if errors else ''}" if name in FUNCTION_TEXTS else text).split())
    return ("Makes the potential " if name.startswith("potential_create") else "") + text


def function_of_c(name: str) -> tuple[str, ...]:
    """Returns the comment of a function and its parameters."""
    return declared(r"((?:/\*(?:(?!\*/).)*\*/\n)?)CHORALE_API chorale_status chorale_%s\((.*?)\);" % name)


def go_about(name: str, go: str, comment: str, parameters: list[tuple[str, ...]], returned: str) -> str:
    text = about_function(name, comment)
    for _, kind, _, field in parameters:
        own = GO_PARAMETERS.get(kind, camel(field))
        text = re.sub(rf"`?\b{field}\b`?", own, text) if own != field else text
    enums = [kind for _, kind, *_ in parameters if capitals(kind) in [enum[2] for enum in ENUMS]] + ["rule_state"]
    text = of_go(text, f"chorale_{enums[0]}")
    text = re.sub(r"^Creates\b", "makes", re.sub(r"^Writes\b", "writes" if returned == "error" else "returns", text))
    return wrapped(f"{go} {text[0].lower()}{text[1:]}{standing(f'chorale_{name}(')}", "// ")


def go_function(name: str, go: str) -> str:
    """Returns the function of Go that calls one of the library, by the types and names of its parameters."""
    comment, given = function_of_c(name)
    parameters = [re.fullmatch(r"(const )?(?:chorale_)?(\w+) ?(\**)(\w+)", " ".join(p.split())).groups() for p in given.split(",")]
    receiver, noun, verb, array, result, listed = "", "", "", "", "", "needed" in given
    taken, lines, passed, related, outs = [], [], [], [], []

    def put(parameter: str, value: str, *before: str) -> None:
        """Adds a parameter of Go, if it is not empty, the value that C gets, and what is done before the call."""
        taken.extend([parameter] if parameter else [])
        passed.append(value)
        lines.extend(before)

    for const, kind, stars, field in parameters:
        own, of = GO_PARAMETERS.get(kind, camel(field)), capitals(kind)
        in_c = "C." + (kind if kind in GO_NUMBERS or kind == "size_t" else f"chorale_{kind}")
        if field in GO_FIXED:
            put("", GO_FIXED[field])
        elif field.endswith("_size"):
            put("", f"C.sizeof_{result[2:]}")
        elif array and field in ("count", "length", "table_count"):
            columns = array == "tables" and field == "length"
            named = [] if columns or array == "json" else [f'c.name("{field}", "len({array})")']
            put("", "columns" if columns else f"{in_c}(len({array}))", *named)
        elif listed and stars and (of in STRUCTS or kind in GO_SLICES):
            result = "int32" if kind == "int32_t" else in_c
            put("", "(*C.int32_t)(to)" if kind == "int32_t" else "to")
        elif stars == "**":
            outs.append(("_", f"*{of}", f"new{of}({', '.join(['made', *related])})"))
            put("", "&made", f"var made *{in_c}")
        elif of in STRUCTS:
            outs.append(("_", of, f"{camel(kind)}(&made)"))
            put("", "&made", f"made := {in_c}{{struct_size: C.sizeof_{in_c[2:]}}}")
        elif not const and noun + field in GO_SIZES:
            element, pointer = GO_SLICES[kind]
            outs.append((own, f"[]{element}", f"found({own})" if element == "int32" else own))
            put("", f"{pointer}({own})", f"{own} = c.{'labels' if element == 'int32' else 'numbers'}({GO_SIZES[noun + field]})")
        elif field == "exact":
            outs.append((own, "bool", f"{own}InC != 0"))
            put("", f"&{own}InC", f"var {own}InC {in_c}")
        elif kind in GO_OBJECTS:
            is_receiver = name.startswith(kind.removesuffix("_solver") + "_")
            if is_receiver:
                noun, own = kind.removesuffix("_solver") + "_", own[0]
                receiver, verb = f"({own} *{of}) ", name.removeprefix(noun)
            related.append(f"{own}.handle()")
            held = "c.decoded(d)" if kind == "decoded" else f"(*{in_c})(c.{'share' if const else 'alone'}({own}.handle()))"
            put("" if is_receiver else f"{own} *{of}", f"{field}InC", f"{field}InC := {held}")
        elif field == "tables":
            put(f"{own} [][]float64", "doubles(all)", f'all, columns := c.table("{own}", {own})')
        elif stars and kind in GO_SLICES:
            check = [f'c.check("{own}", len({own}), {GO_LENGTHS[field]})'] if field in GO_LENGTHS else []
            put(f"{own} []{GO_SLICES[kind][0]}", f"{GO_SLICES[kind][1]}({own})", *check)
        elif kind == "char":
            put(f"{own} string", f"{own}InC", f"{own}InC := c.{'path' if field == 'path' else 'chars'}({own})")
        elif stars:
            put(f"{own} *{of}", f"{own}InC", f"{own}InC := c.{camel(kind)}{'InC' * (kind in GO_GIVEN)}({own}{GO_ALSO.get(kind, '')})")
        elif field in GO_FLAGS:
            put(f"{own} bool", f"flag({own})")
        else:
            put(f"{own} {GO_NUMBERS.get(kind, of)}", f"{in_c}({own})")
        array = own if stars else array
    call = f"C.chorale_{name}({', '.join(passed)})"
    if listed:
        function = f"func(to *{result}, capacity C.int64_t, needed *C.int64_t) C.chorale_status {{\n\t\treturn {call}\n\t}}"
        of = result.removeprefix("C.chorale_")
        returned = f"([]{of if of == 'int32' else capitals(of)}, error)"
        lines.append(f"return filled(c, {function})" if of == "int32" else f"return listed(c, {function}, {camel(of)})")
    elif outs:
        named = any(own != "_" for own, *_ in outs)
        returned = ", ".join(f"{own} {kind}" if named else kind for own, kind, _ in outs)
        returned = f"({returned}, {'_ ' * named}error)"
        zeros = ", ".join("nil" if kind[0] in "[*" else "false" if kind == "bool" else kind + "{}" for _, kind, _ in outs)
        lines.append(f"if c.err != nil || c.failed({call}) {{\n\t\treturn {zeros}, c.err\n\t}}")
        lines.append(f"return {', '.join(value for *_, value in outs)}, nil")
    else:
        returned = "error"
        lines.append(f"if c.err == nil {{\n\t\tc.failed({call})\n\t}}\n\treturn c.err")
    go = go or capitals(verb.removeprefix("get_")) or "New" + capitals(re.sub("^[a-z]+_create_|_create$", "", name))
    body = "".join(f"\t{line}\n" for line in ["c := begin()", "defer c.end()", *lines])
    signature = re.sub(r"(\w+) ([][\w]+), (?=\w+ \2[,)])", r"\1, ", f"({', '.join(taken)})")
    return f"\n{go_about(name, go, comment, parameters, returned)}func {receiver}{go}{signature} {returned} {{\n{body}}}\n"


def go_functions() -> str:
    return GO_HEAD + "".join(go_function(*f"{function}:".split(":")[:2]) for function in GO_FUNCTIONS.split())


def go_handles() -> str:
    lines = [GO_HEAD, '\nimport "unsafe"\n']
    for of in GO_HANDLES:
        name = capitals(of)
        free, = declared(rf"(chorale_{of}_(?:destroy|release)\()")
        lines.append(f"""
func new{name}(object *C.chorale_{of}, from ...*handle) *{name} {{
\th := newHandle(unsafe.Pointer(object), func(pointer unsafe.Pointer) {{ C.{free}(*C.chorale_{of})(pointer)) }})
\th.relate(from...)
\treturn (*{name})(h)
}}

func (h *{name}) handle() *handle {{ return (*handle)(h) }}

// Close frees the object, unless another object or a running call still needs it: then it is freed
// when they are. Closing twice does nothing.
func (h *{name}) Close() error {{ return h.handle().close() }}
""")
    return "".join(lines)


# Structs that must be given, and how long their arrays must be if these are given (#: as long as another array).
GO_SHAPES = {
    "automaton": "Next=States*Classes*Labels Actions=States*Classes*Labels EndActions=States LabelValues=Labels",
    "chain": "Start=Labels End=Labels Parents=Length Forced=Length Allowed=Length*Labels",
    "clique_problem": "Scores=Members*Values Fixed=Members Weights=Members",
    "label_map": "KindOfLabel=Labels Begins=Labels",
    "mentions": "Label=#Key Confidence=#Key Scores=#Key*Labels Times=#Key Gold=#Key Told=#Key Answers=Keys",
}
# What a field of Go's struct becomes in C, by its type; x is the field.
GO_CONVERSIONS = {"bool": "flag(x)", "time.Duration": "seconds(x)", "Scores": "c.scores(x)", "*Rules": "c.rules(x)"}
GO_CONVERSIONS |= {f"*{capitals(of)}": f"(*C.chorale_{of})(c.optional(x.handle()))" for of in GO_HANDLES}


def go_type(of: str, kind: str, field: str) -> str:
    """Returns the type in Go of a field that callers fill."""
    own = capitals(kind.removeprefix("chorale_").rstrip("*"))
    if kind.startswith("chorale_") or "*" not in kind:
        plain_type = "bool" if field in GIVEN_FLAGS else "time.Duration" if field == "time_limit" else GO_NUMBERS.get(kind, own)
        return GO_FIELDS.get(f"{of}.{field}") or "*" * kind.count("*") + plain_type
    return GO_FIELDS.get(f"{of}.{field}") or ("Scores" if kind == "void*" else "[]" + GO_SLICES[kind.rstrip("*")][0])


def go_type_about(name: str, about: str) -> str:
    text = of_go(about)
    return f"\n{wrapped(f'{name}: {text[0].lower()}{text[1:]}', '// ')}"


def go_struct(name: str, about: str, fields) -> str:
    """Returns a struct of Go. fields: types, names and comments."""
    body = "".join(f"{wrapped(text, TAB)}\t{capitals(field)} {own}\n" for own, field, text in fields)
    return f"{go_type_about(name, about)}type {name} struct {{\n{body}}}\n"


def go_given(by_hand: str) -> str:
    """Returns the structs that callers fill, but for those that are written by hand."""
    lines = []
    for name, of, about, fields in given("go", of_go):
        if f"type {name} struct" not in by_hand:
            told = [(go_type(of, kind, field), field, text) for kind, field, text in fields]
            lines.append(go_struct(name, about, told))
    return "".join(lines)


def go_inputs() -> str:
    """Returns structs that callers fill, and functions that fill structs of C from those of Go: the fields whose names are the same."""
    by_hand = "".join(path.read_text() for path in sorted(GO.glob("*.go")) if path.name != "inputs.go")
    structs = go_given(by_hand)
    source = by_hand + structs
    lines = [GO_HEAD, '\nimport "time"\n', structs]
    for of in GO_INPUTS:
        lines.append(f"\nfunc (c *call) {camel(of)}InC(x *{capitals(of)}) *C.chorale_{of} {{\n")
        lines.append(f"\tto := &C.chorale_{of}{{struct_size: C.sizeof_chorale_{of}}}\n\tif x == nil {{\n")
        argument = "the label map" if of == "label_map" else of.removeprefix("clique_")
        lines.append(f'\t\tc.fail(refuse(ErrNullArgument, "{argument} is nil"))\n' if of in GO_SHAPES else "")
        lines.append("\t\treturn to\n\t}\n")
        in_c = re.sub(r"(?s)/\*.*?\*/", "", declared(rf"typedef struct chorale_{of} {{(.*?)\n}} chorale_{of};")[0])
        kinds = {field: kind for kind, field in re.findall(r"(\w+)\s+\**(\w+);", in_c)}
        fields = re.search(rf"(?ms)^type {capitals(of)} struct {{\n(.*?)^}}", source)[1]
        for names, kind in re.findall(r"(?m)^\t([A-Z]\w*(?:, \w+)*) +(\S+)", fields):
            for name in names.split(", "):
                field, count = snake(name), re.sub("s?$", "_count", snake(name), count=1)
                c = f"C.{kinds.get(field)}"
                array, plain_kind = re.match(r"\[\](?!bool)[a-z]\w+$", kind), re.match(r"\w+$", kind)
                value = GO_CONVERSIONS.get(kind) or (f"(*{c})(lend(c, x))" if array else f"{c}(x)" if plain_kind else "")
                if value and field in kinds:
                    lines.append(f"\tto.{field} = {re.sub(r'x(?=[.)])', f'x.{name}', value)}\n")
                if count in kinds:
                    lines.append(f"\tto.{count} = C.int64_t(len(x.{name}))\n")
        for field, shape in re.findall(r"(\w+)=(\S+)", GO_SHAPES.get(of, "")):
            length = f"{'sizeOf' if re.search(rf'{field} +Scores', fields) else 'len'}(x.{field})"
            needed = ", ".join(f"len(x.{size[1:]})" if size[0] == "#" else f"x.{size}" for size in shape.split("*"))
            lines.append(f'\tc.check("{argument}.{field}", {length}, product({needed}))\n'.replace("the label map.", ""))
        lines.append("\treturn to\n}\n")
    return "".join(lines)


def go_constants() -> str:
    lines = [GO_HEAD]
    for (_, _, enum, own, about), named in enums("go"):
        lines.append(f"{go_type_about(enum, about)}type {enum} int32\n\n// Constants of [{enum}].\nconst (\n")
        lines += [f"{wrapped(of_go(text), TAB)}\t{go_name(own, short)} {enum} = C.CHORALE_{name}\n" for short, name, text in named]
        lines.append(")\n")
    return "".join(lines)


def go_structs() -> str:
    lines = [GO_HEAD]
    for name, of, about, fields in filled("go", "float64", "int", "int32", "bool"):
        lines.append(go_struct(name, about, [(own, field, of_go(text, kind)) for own, kind, field, text in fields]))
        width = max(len(capitals(field)) for _, _, field, _ in fields) + 1
        lines.append(f"\nfunc {camel(of)}(from *C.chorale_{of}) {name} {{\n\treturn {name}{{\n")
        for own, _, field, _ in fields:
            value = f"from.{field} != 0" if own == "bool" else f"{own}(from.{field})"
            lines.append(f"\t\t{capitals(field) + ':':{width}} {value},\n")
        lines.append("\t}\n}\n")
    return "".join(lines)


# ---- TypeScript --------------------------------------------------------------------------------


def of_js(text: str, kind: str = "") -> str:
    spell = lambda _, name: '"' + name.lower().replace("_", "-") + '"'
    text = in_words(sentence(text), spell, kind)
    text = text.replace("CHORALE_ALL_CHAINS", "all chains (without `chain`)")
    text = re.sub(r"\bCHORALE_(\w+)", lambda m: m[1].lower().replace("_", "-"), text)
    text = re.sub(rf"chorale_({'|'.join(GO_OBJECTS)})_(\w+)(\(\))?", lambda m: f"`{capitals(m[1])}.{camel(m[2])}`", text)
    text = re.sub(r"chorale_(\w+)(\(\))?", lambda m: camel(m[1]), text)
    text = re.sub(r"\b([a-z]+(?:_[a-z0-9]+)+)\b", lambda m: m[0] if MATHS.match(m[1]) else camel(m[1]), text)
    text = re.sub(r"\bFIRE_([A-Z]+)", lambda m: f"`fire.{m[1].lower()}`", text)
    return re.sub(r"\*([\w ]+?)\*", r"\1", text.replace("NULL", "null"))


JS_ARRAYS = {"int32_t*": "Numbers", "int64_t*": "Numbers", "double*": "Numbers", "void*": "Numbers", "uint8_t*": "Flags"}


def js_type(name: str, kind: str, field: str) -> str:
    """Returns the type in TypeScript of a field that callers fill."""
    if kind.endswith("_function"):
        return f"(progress: {capitals(kind.removeprefix('chorale_').removesuffix('_function'))}) => boolean | void"
    array = ("NullableNumbers" if field == "key" else "NullableNumbers | null") if name == "Mentions" and "*" in kind else "Flags" if field == "begins" else JS_ARRAYS.get(kind)
    number = "boolean" if field in GIVEN_FLAGS else "number"
    own = capitals(kind.removeprefix("chorale_").rstrip("*")) + " | null" * ("*" in kind)
    return array or (number if kind in GO_NUMBERS else own)


def js_wrapped(text: str, hanging: str = "") -> str:
    return "".join(f" * {line}\n" for line in textwrap.wrap(text, 97, subsequent_indent=hanging, break_on_hyphens=False))


def js_block(text: str, indent: str) -> str:
    if len(indent) + len(text) + 7 <= 100:
        return f"{indent}/** {text} */\n"
    return f"{indent}/**\n{wrapped(text, indent + ' * ')}{indent} */\n"


def js_struct(name: str, about: str, fields) -> str:
    """Returns an interface of TypeScript. fields: declarations and comments."""
    body = "".join(f"{js_block(text, '  ')}  {declaration};\n" for declaration, text in fields)
    return f"\n{js_block(of_js(about), '')}export interface {name} {{\n{body}}}\n"


# The enums of which JavaScript has the constants as words.
JS_ENUMS = "OUTCOME OBSTACLE RULES VERDICT WARNING ALGORITHM JOINT MESSAGES SCALE SHAPE SCHEME TEXTS".split()


JS_IMPORT = """
import type {
  Flags, Labels, LocalProperty, Model, NullableNumbers, Numbers, OfLabelling, Potential, Problem, Property, Rows,
  SegmentOptions, Transitions,
} from "./index.js";
"""
# Methods that are functions of C, with their declarations; their comments are those of C.
JS_METHODS = {
    "Chorale": {
        "potential_create_potts": "createPotts(values: number, lambda: number, options?: PotentialOptions): Potential",
        "potential_create_entropy": "createEntropy(values: number, lambda: number, options?: PotentialOptions): Potential",
        "potential_create_makespan": "createMakespan(values: number, lambda: number, options?: PotentialOptions): Potential",
        "potential_create_square_makespan": "createSquareMakespan(values: number, lambda: number, options?: PotentialOptions): Potential",
        "potential_create_sum": "createSum(values: number, tables: Rows, options?: PotentialOptions & { shape?: Shape }): Potential",
        "potential_create_max": "createMax(values: number, tables: Rows, options?: PotentialOptions): Potential",
        "potential_create_cardinality": "createCardinality(values: number, table: Numbers, options?: PotentialOptions & { shape?: Shape }): Potential",
        "potential_create_majority": "createMajority(values: number, weights: Rows, options?: PotentialOptions & { bias?: Numbers }): Potential",
        "potential_create_pairs": "createPairs(values: number, scores: Rows, options?: PotentialOptions): Potential",
        "property_create_position_label": "createPositionLabel(labels: Labels, position: number): Property",
        "property_create_token_label": "createTokenLabel(labels: Labels, token: number): Property",
        "property_create_first_label": "createFirstLabel(labels: Labels, options?: { ignored?: Flags }): Property",
        "property_create_next_label": "createNextLabel(labels: Labels, anchor: number, options?: SegmentOptions & { endValue?: number }): Property",
        "property_create_token_before": "createTokenBefore(labels: Labels, anchor: number, values: number, options?: SegmentOptions & { startValue?: number }): Property",
        "property_create": "createAutomaton(automaton: Automaton): Property",
        "property_create_local": "createLocal(local: LocalProperty): Property",
    },
    "Run": {
        "run_get_result": "result(): RunResult",
        "run_left_out": "leftOut(): LeftOut[]",
        "run_labels": "labels(chain?: number | null, options?: OfLabelling): Int32Array",
        "run_values": "values(clique: number, options?: OfLabelling): Int32Array",
        "run_reasons": "reasons(chain?: number | null): Reason[]",
        "run_set_labels": "setLabels(labels: Numbers): void",
        "run_max_marginals": "maxMarginals(chain: number): { marginals: Float64Array; margins: Float64Array }",
        "run_probabilities": "probabilities(chain: number, options?: { /** 1 by default. */ temperature?: number }): { probabilities: Float64Array; exact: boolean }",
    },
    "Learnt": {
        "learnt_apply": "apply(problem: Problem): Model",
        "learnt_potential": "potential(kind: number, values: number, options?: { centreValue?: number }): Potential",
    },
    "Ledger": {
        "ledger_changes": "changes(options?: { /** True by default. */ take?: boolean }): LedgerChange[]",
        "ledger_rows": "rows(): LedgerRow[]",
        "ledger_keys": "keys(): SettledKey[]",
    },
}


def js_about(name: str) -> str:
    comment, _ = function_of_c(name)
    text = re.sub(r"Errors: .*?\.(?=\s|$)", "", about_function(name, comment))
    return re.sub(r"^Writes\b", "Returns", of_js(" ".join(text.split()) + standing(f"chorale_{name}(")))


def js_types() -> str:
    lines = [f"// {NOTE}\n", JS_IMPORT]
    for (_, prefix, enum, _, about), named in enums("js"):
        if prefix not in JS_ENUMS:
            continue
        words = {name.removeprefix("BY_").lower().replace("_", "-"): of_js(text, f"chorale_{snake(enum)}") for name, _, text in named}
        lines.append("\n/**\n" + js_wrapped(of_js(about.split("; Values is")[0])) + " *\n")
        lines += [js_wrapped(f'- `"{word}"`: {text}', "  ") for word, text in words.items()]
        lines.append(f" */\nexport type {enum} =\n" + "".join(f'  | "{word}"\n' for word in words)[:-1] + ";\n")
    for name, _, about, fields in filled("js", "number", "number", "number", "boolean"):
        told = [(f"readonly {camel(field)}: {own}", of_js(text, kind)) for own, kind, field, text in fields]
        lines.append(js_struct(name, about, told).replace(": LearnWarning;", ": readonly LearnWarning[];"))
    for name, _, about, fields in given("js", of_js):
        needed = INPUTS[name][3].split()
        told = [(f"{camel(field)}{'?' * (field not in needed)}: {js_type(name, kind, field)}", text) for kind, field, text in fields]
        lines.append(js_struct(name, about, told))
    for name, methods in JS_METHODS.items():
        told = [(declaration, js_about(function)) for function, declaration in methods.items()]
        lines.append(js_struct(f"{name}Methods", f"Methods of `{name}` that are functions of C", told))
    return "".join(lines)


FILES = {
    RUST / "enums.rs": rust_enums,
    RUST / "structs.rs": rust_structs,
    RUST / "inputs.rs": rust_inputs,
    GO / "constants.go": go_constants,
    GO / "structs.go": go_structs,
    GO / "functions.go": go_functions,
    GO / "handles.go": go_handles,
    GO / "inputs.go": go_inputs,
    HERE / "js" / "types" / "structs.d.ts": js_types,
}


if __name__ == "__main__":
    for path, made in FILES.items():
        text = made()
        if sys.argv[1:] != ["--check"]:
            path.write_text(text)
        elif path.read_text() != text:
            sys.exit(f"{path} is not what mirror.py makes of the headers")
