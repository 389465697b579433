"""The C interface as ctypes sees it, written by tools/declare.py from the headers.

Handles and arrays are addresses (c_void_p); structs are passed by reference.
"""

# fmt: off
from __future__ import annotations

import dataclasses
import enum
from collections.abc import Hashable
from ctypes import (
    CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int32, c_int64,
    c_size_t, c_uint8, c_void_p,
)
from typing import Any

import numpy as np
import numpy.typing as npt

from ._shown import Shown

# ---- Constants
CHORALE_ERROR_MESSAGE_SIZE = 504
CHORALE_OK = 0
CHORALE_ERROR_NULL_ARGUMENT = 10
CHORALE_ERROR_SIZE = 20
CHORALE_ERROR_SIZE_OVERFLOW = 21
CHORALE_ERROR_STRIDE = 22
CHORALE_ERROR_TABLE_TOO_SHORT = 23
CHORALE_ERROR_SHAPE = 24
CHORALE_ERROR_VALUES_MISMATCH = 25
CHORALE_ERROR_STRUCT_SIZE = 26
CHORALE_ERROR_CAPACITY = 27
CHORALE_ERROR_NOT_A_NUMBER = 30
CHORALE_ERROR_INFINITE = 31
CHORALE_ERROR_OUT_OF_RANGE = 32
CHORALE_ERROR_UNKNOWN_CONSTANT = 33
CHORALE_ERROR_FORBIDDEN_VALUE = 34
CHORALE_ERROR_ALGORITHM_MISMATCH = 40
CHORALE_ERROR_NOT_CONVEX = 41
CHORALE_ERROR_NOT_CONCAVE = 42
CHORALE_ERROR_NOT_EXACT = 43
CHORALE_ERROR_WEIGHTS = 44
CHORALE_ERROR_CALLBACK_VALUE = 50
CHORALE_ERROR_CALLBACK_STOPPED = 51
CHORALE_ERROR_EXECUTOR = 53
CHORALE_ERROR_OUT_OF_MEMORY = 60
CHORALE_ERROR_ALIGNMENT = 62
CHORALE_ERROR_LABELS_MISMATCH = 70
CHORALE_ERROR_PARENT_ORDER = 71
CHORALE_ERROR_PARENT_CYCLE = 72
CHORALE_ERROR_NOT_A_CHAIN = 73
CHORALE_ERROR_AUTOMATON_ON_TREE = 74
CHORALE_ERROR_VALUE_OUTSIDE_RANGE = 75
CHORALE_ERROR_STATE_SPACE = 76
CHORALE_ERROR_LABEL_NAME = 77
CHORALE_ERROR_DUPLICATE_MEMBER = 80
CHORALE_ERROR_FROZEN = 81
CHORALE_ERROR_TOKENS_MISSING = 82
CHORALE_ERROR_MODEL_MISMATCH = 83
CHORALE_ERROR_NO_LABELLING = 84
CHORALE_ERROR_KIND = 85
CHORALE_ERROR_BUSY = 86
CHORALE_ERROR_STATE = 87
CHORALE_ERROR_NO_GOLD = 88
CHORALE_ERROR_ONE_GROUP = 89
CHORALE_ERROR_INTERNAL = 90
CHORALE_ERROR_FILE_FORMAT = 100
CHORALE_ERROR_FILE_BYTE_ORDER = 101
CHORALE_ERROR_FILE_VERSION = 102
CHORALE_ERROR_FILE_TRUNCATED = 103
CHORALE_ERROR_FILE_CHECKSUM = 104
CHORALE_ERROR_FILE_SECTION = 105
CHORALE_ERROR_INPUT_OUTPUT = 106
CHORALE_ERROR_NOT_SAVABLE = 107
CHORALE_ERROR_TEXT = 108
CHORALE_OUTCOME_COMPLETE = 0
CHORALE_OUTCOME_GAP_REACHED = 10
CHORALE_OUTCOME_ITERATION_LIMIT = 20
CHORALE_OUTCOME_NODE_LIMIT = 21
CHORALE_OUTCOME_DEADLINE = 30
CHORALE_OUTCOME_CANCELLED = 31
CHORALE_OUTCOME_INFEASIBLE = 40
CHORALE_OUTCOME_NOTHING_FOUND = 41
CHORALE_OBSTACLE_UNKNOWN = 0
CHORALE_OBSTACLE_SCORES = 10
CHORALE_OBSTACLE_TRANSITIONS = 20
CHORALE_OBSTACLE_CLIQUES = 30
CHORALE_OBSTACLE_UNDECIDED = 40
CHORALE_LOG_DEBUG = 10
CHORALE_LOG_WARNING = 30
CHORALE_FLOAT64 = 0
CHORALE_FLOAT32 = 1
CHORALE_ROWS_FROM = 0
CHORALE_ROWS_TO = 1
CHORALE_SCHEME_PLAIN = 0
CHORALE_SCHEME_BIO = 1
CHORALE_SCHEME_BIOES = 2
CHORALE_SCHEME_BILOU = 3
CHORALE_VERSION_MAJOR = 0
CHORALE_VERSION_MINOR = 3
CHORALE_VERSION_PATCH = 0
CHORALE_ABI = 2
CHORALE_SCALE_NONE = 0
CHORALE_SCALE_BY_MEMBERS = 1
CHORALE_SCALE_BY_LOG_MEMBERS = 2
CHORALE_SHAPE_DETECT = 0
CHORALE_SHAPE_CONVEX = 1
CHORALE_SHAPE_CONCAVE = 2
CHORALE_FIRE_NOTHING = -1
CHORALE_FIRE_LABEL = -2
CHORALE_FIRE_TABLE = -3
CHORALE_SEGMENT_SPANS_IGNORED = 0
CHORALE_SEGMENT_ENDS_AT_IGNORED = 1
CHORALE_ALGORITHM_AUTO = 0
CHORALE_ALGORITHM_ALPHA_PASS = 10
CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS = 20
CHORALE_ALGORITHM_ALPHA_EXPANSION = 30
CHORALE_ALGORITHM_LOCAL_SEARCH = 40
CHORALE_ALGORITHM_ICM = 50
CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS = 60
CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT = 70
CHORALE_ALGORITHM_LAGRANGIAN_GOLDEN_SECTION = 71
CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE = 72
CHORALE_ALGORITHM_EXACT_MAJORITY = 80
CHORALE_ALGORITHM_CONCAVE_FLOW = 81
CHORALE_ALGORITHM_COUNT_BOXES = 82
CHORALE_ALGORITHM_DUAL_BOUND = 90
CHORALE_START_INDEPENDENT = 0
CHORALE_START_VALUE = 1
CHORALE_START_ASSIGNMENT = 2
CHORALE_START_ALPHA_PASS = 3
CHORALE_JOINT_AUTO = 0
CHORALE_JOINT_EXACT = 10
CHORALE_JOINT_LOCAL_SCORES = 20
CHORALE_JOINT_BEAM = 30
CHORALE_MESSAGES_AUTO = 0
CHORALE_NO_ROUNDS = -1
CHORALE_TOGETHER = 0
CHORALE_ALONE = 1
CHORALE_ALL_CHAINS = -10
CHORALE_AGREE_WORDS = 0
CHORALE_AGREE_KEYS = 10
CHORALE_AGREE_PROPERTY = 20
CHORALE_AGREE_CLIQUES = 30
CHORALE_NO_AGREEMENT = -2000000000
CHORALE_TEXTS_NONE = -1
CHORALE_TEXTS_LABELS = 0
CHORALE_TEXTS_TOKENS = 1
CHORALE_TEXTS_WORDS = 2
CHORALE_TEXTS_SPACES = 3
CHORALE_TEXTS_CHAINS = 4
CHORALE_TEXTS_GROUPS = 5
CHORALE_TEXTS_CLIQUES = 6
CHORALE_TEXTS_KINDS = 7
CHORALE_TEXTS_NOTE_NAMES = 8
CHORALE_TEXTS_NOTES = 9
CHORALE_TEXTS_VALUES = 100
CHORALE_VERDICT_GAIN = 0
CHORALE_VERDICT_WITHOUT_GOLD = 1
CHORALE_VERDICT_NO_AGREEMENT = 10
CHORALE_VERDICT_NO_GAIN = 20
CHORALE_VERDICT_MAY_BE_CHANCE = 30
CHORALE_VERDICT_LOWERS_ACCURACY = 40
CHORALE_VERDICT_INTERRUPTED = 50
CHORALE_WARNING_GOLD_FORBIDDEN = 1
CHORALE_WARNING_BASE_KNOWS = 8
CHORALE_WARNING_FEW_GROUPS = 16
CHORALE_WARNING_ONE_LABEL = 64
CHORALE_TEXT_LINES = 0
CHORALE_TEXT_JSON = 1
CHORALE_RULE_AT_MOST = 0
CHORALE_RULE_AT_LEAST = 10
CHORALE_RULE_EXACTLY = 20
CHORALE_RULE_NEVER = 30
CHORALE_RULE_AT_MOST_TOKENS = 40
CHORALE_RULE_NO_LONGER = 50
CHORALE_RULE_BEFORE = 60
CHORALE_RULE_DIRECTLY_AFTER = 70
CHORALE_RULE_NOT_TOGETHER = 80
CHORALE_RULE_NEEDS = 90
CHORALE_RULE_PROPERTY = 100
CHORALE_RULES_KEPT = 0
CHORALE_RULES_IMPOSSIBLE = 10
CHORALE_RULES_TOO_DEAR = 20
CHORALE_RULES_UNFINISHED = 30
CHORALE_NOT_OVERRULED = 0
CHORALE_OVERRULED_BY_OTHERS = 10
CHORALE_OVERRULED_BY_LIMIT = 20
CHORALE_EVIDENCE_GIVEN = 0
CHORALE_EVIDENCE_ESTIMATED = 10
CHORALE_EVIDENCE_LEARNT = 20
CHORALE_NO_ANSWER = -1
CHORALE_ANSWER_DIFFERS = -2
CHORALE_MESSAGES_FLOAT64 = 10
CHORALE_MESSAGES_MAGNITUDE16 = 30
CHORALE_UNLISTED_FORBIDDEN = 0
CHORALE_UNLISTED_AS_VALUE = 1

# ---- Structs and callbacks
class Struct(Structure):
    kept: Any  # the objects to which its pointers lead
    used: dict[str, Any] = {}  # handles in fields: calls that get the struct use them
    names: dict[str, str] = {}  # names of fields in messages, where they are others


class chorale_error(Struct):
    status: Any
    reserved: Any
    message: Any
    _fields_ = [
        ("status", c_int32),
        ("reserved", c_int32),
        ("message", c_char * 504),
    ]

field_allocate = CFUNCTYPE(c_void_p, c_void_p, c_size_t, c_size_t)
field_deallocate = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_size_t)


class chorale_allocator(Struct):
    user: Any
    allocate: Any
    deallocate: Any
    _fields_ = [
        ("user", c_void_p),
        ("allocate", field_allocate),
        ("deallocate", field_deallocate),
    ]

chorale_log_function = CFUNCTYPE(None, c_void_p, c_int32, c_char_p)


class chorale_host(Struct):
    struct_size: Any
    allocator: Any
    log: Any
    log_user: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("allocator", POINTER(chorale_allocator)),
        ("log", chorale_log_function),
        ("log_user", c_void_p),
    ]


class chorale_transitions_options(Struct):
    struct_size: Any
    element: Any
    orientation: Any
    row_stride: Any
    column_stride: Any
    borrow: Any
    start: Any
    end: Any
    mask: Any
    start_mask: Any
    end_mask: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("element", c_int32),
        ("orientation", c_int32),
        ("row_stride", c_int64),
        ("column_stride", c_int64),
        ("borrow", c_int32),
        ("start", c_void_p),
        ("end", c_void_p),
        ("mask", c_void_p),
        ("start_mask", c_void_p),
        ("end_mask", c_void_p),
    ]


class chorale_chain(Struct):
    struct_size: Any
    length: Any
    labels: Any
    element: Any
    orientation: Any
    unary: Any
    unary_row_stride: Any
    unary_column_stride: Any
    transitions: Any
    edges: Any
    edge_matrices: Any
    edge_matrix_stride: Any
    edge_row_stride: Any
    edge_column_stride: Any
    start: Any
    end: Any
    parents: Any
    forced: Any
    allowed: Any
    allowed_row_stride: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("length", c_int64),
        ("labels", c_int64),
        ("element", c_int32),
        ("orientation", c_int32),
        ("unary", c_void_p),
        ("unary_row_stride", c_int64),
        ("unary_column_stride", c_int64),
        ("transitions", c_void_p),
        ("edges", c_void_p),
        ("edge_matrices", c_int64),
        ("edge_matrix_stride", c_int64),
        ("edge_row_stride", c_int64),
        ("edge_column_stride", c_int64),
        ("start", c_void_p),
        ("end", c_void_p),
        ("parents", c_void_p),
        ("forced", c_void_p),
        ("allowed", c_void_p),
        ("allowed_row_stride", c_int64),
    ]


class chorale_chain_result(Struct):
    struct_size: Any
    outcome: Any
    score: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("outcome", c_int32),
        ("score", c_double),
    ]


class chorale_potential_options(Struct):
    struct_size: Any
    scale: Any
    shape: Any
    counted: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("scale", c_int32),
        ("shape", c_int32),
        ("counted", c_void_p),
    ]

chorale_count_function = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_int64, c_int64, c_void_p)


class chorale_automaton(Struct):
    struct_size: Any
    labels: Any
    classes: Any
    states: Any
    values: Any
    start: Any
    table_offset: Any
    outside_value: Any
    fires_outside: Any
    next: Any
    actions: Any
    end_actions: Any
    label_values: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("labels", c_int64),
        ("classes", c_int64),
        ("states", c_int64),
        ("values", c_int64),
        ("start", c_int32),
        ("table_offset", c_int32),
        ("outside_value", c_int32),
        ("fires_outside", c_int32),
        ("next", c_void_p),
        ("actions", c_void_p),
        ("end_actions", c_void_p),
        ("label_values", c_void_p),
    ]


class chorale_label_map(Struct):
    struct_size: Any
    labels: Any
    kinds: Any
    kind_of_label: Any
    begins: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("labels", c_int64),
        ("kinds", c_int64),
        ("kind_of_label", c_void_p),
        ("begins", c_void_p),
    ]


class chorale_chain_options(Struct):
    struct_size: Any
    borrow: Any
    group: Any
    tokens: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("borrow", c_int32),
        ("group", c_int64),
        ("tokens", c_void_p),
    ]


class chorale_corpus(Struct):
    struct_size: Any
    chains: Any
    offsets: Any
    labels: Any
    element: Any
    borrow: Any
    unary: Any
    unary_row_stride: Any
    unary_column_stride: Any
    transitions: Any
    tokens: Any
    groups: Any
    uncounted: Any
    uncounted_count: Any
    edges: Any
    forced: Any
    allowed: Any
    counts: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("chains", c_int64),
        ("offsets", c_void_p),
        ("labels", c_int64),
        ("element", c_int32),
        ("borrow", c_int32),
        ("unary", c_void_p),
        ("unary_row_stride", c_int64),
        ("unary_column_stride", c_int64),
        ("transitions", c_void_p),
        ("tokens", c_void_p),
        ("groups", c_void_p),
        ("uncounted", c_void_p),
        ("uncounted_count", c_int64),
        ("edges", c_void_p),
        ("forced", c_void_p),
        ("allowed", c_void_p),
        ("counts", c_void_p),
    ]


class chorale_clique_setup(Struct):
    struct_size: Any
    property: Any
    dictionary: Any
    values: Any
    label_values: Any
    labels: Any
    potential: Any
    centre_potentials: Any
    centre_values: Any
    centre_label_values: Any
    centre_labels: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("property", c_void_p),
        ("dictionary", c_void_p),
        ("values", c_int64),
        ("label_values", c_void_p),
        ("labels", c_int64),
        ("potential", c_void_p),
        ("centre_potentials", c_void_p),
        ("centre_values", c_int64),
        ("centre_label_values", c_void_p),
        ("centre_labels", c_int64),
    ]


class chorale_members(Struct):
    struct_size: Any
    first: Any
    cliques: Any
    offsets: Any
    chains: Any
    positions: Any
    weights: Any
    centre_chains: Any
    centre_positions: Any
    classes: Any
    tables: Any
    borrow: Any
    reserved: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("first", c_int64),
        ("cliques", c_int64),
        ("offsets", c_void_p),
        ("chains", c_void_p),
        ("positions", c_void_p),
        ("weights", c_void_p),
        ("centre_chains", c_void_p),
        ("centre_positions", c_void_p),
        ("classes", c_void_p),
        ("tables", c_void_p),
        ("borrow", c_int32),
        ("reserved", c_int32),
    ]


class chorale_clique_problem(Struct):
    struct_size: Any
    members: Any
    values: Any
    scores: Any
    row_stride: Any
    fixed: Any
    weights: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("members", c_int64),
        ("values", c_int64),
        ("scores", c_void_p),
        ("row_stride", c_int64),
        ("fixed", c_void_p),
        ("weights", c_void_p),
    ]


class chorale_clique_options(Struct):
    struct_size: Any
    algorithm: Any
    start: Any
    start_value: Any
    subset_size: Any
    start_assignment: Any
    iteration_limit: Any
    node_limit: Any
    node_pool: Any
    tolerance: Any
    gap: Any
    time_limit: Any
    cancel: Any
    exact_marginals: Any
    prove: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("algorithm", c_int32),
        ("start", c_int32),
        ("start_value", c_int32),
        ("subset_size", c_int32),
        ("start_assignment", c_void_p),
        ("iteration_limit", c_int64),
        ("node_limit", c_int64),
        ("node_pool", c_int64),
        ("tolerance", c_double),
        ("gap", c_double),
        ("time_limit", c_double),
        ("cancel", c_void_p),
        ("exact_marginals", c_int32),
        ("prove", c_int32),
    ]


class chorale_clique_result(Struct):
    struct_size: Any
    outcome: Any
    algorithm: Any
    proven: Any
    marginals_exact: Any
    score: Any
    member_score: Any
    clique_score: Any
    upper_bound: Any
    iterations: Any
    nodes: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("outcome", c_int32),
        ("algorithm", c_int32),
        ("proven", c_int32),
        ("marginals_exact", c_int32),
        ("score", c_double),
        ("member_score", c_double),
        ("clique_score", c_double),
        ("upper_bound", c_double),
        ("iterations", c_int64),
        ("nodes", c_int64),
    ]

chorale_parallel_body = CFUNCTYPE(None, c_void_p, c_int64, c_int64)
chorale_parallel_for = CFUNCTYPE(None, c_void_p, c_int64, c_int64, chorale_parallel_body, c_void_p)


class chorale_progress(Struct):
    struct_size: Any
    round: Any
    messages_changed: Any
    score: Any
    best_score: Any
    upper_bound: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("round", c_int64),
        ("messages_changed", c_int64),
        ("score", c_double),
        ("best_score", c_double),
        ("upper_bound", c_double),
    ]

chorale_progress_function = CFUNCTYPE(c_int32, c_void_p, POINTER(chorale_progress))


class chorale_rule(Struct):
    struct_size: Any
    kind: Any
    each: Any
    a: Any
    b: Any
    k: Any
    price: Any
    property: Any
    chains: Any
    chain_count: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("kind", c_int32),
        ("each", c_int32),
        ("a", c_int32),
        ("b", c_int32),
        ("k", c_int64),
        ("price", c_double),
        ("property", c_void_p),
        ("chains", c_void_p),
        ("chain_count", c_int64),
    ]


class chorale_rules(Struct):
    struct_size: Any
    rules: Any
    count: Any
    map: Any
    most_cost: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("rules", POINTER(chorale_rule)),
        ("count", c_int64),
        ("map", POINTER(chorale_label_map)),
        ("most_cost", c_double),
    ]


class chorale_run_options(Struct):
    struct_size: Any
    rounds: Any
    damping: Any
    algorithm: Any
    exact_marginals: Any
    no_local_search: Any
    restrict_range: Any
    edits: Any
    joint_mode: Any
    message_element: Any
    beam_width: Any
    max_states: Any
    threads: Any
    executor: Any
    executor_user: Any
    time_limit: Any
    cancel: Any
    progress: Any
    progress_user: Any
    bound_steps: Any
    effort: Any
    rules: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("rounds", c_int64),
        ("damping", c_double),
        ("algorithm", c_int32),
        ("exact_marginals", c_int32),
        ("no_local_search", c_int32),
        ("restrict_range", c_int32),
        ("edits", c_int32),
        ("joint_mode", c_int32),
        ("message_element", c_int32),
        ("beam_width", c_int64),
        ("max_states", c_int64),
        ("threads", c_int64),
        ("executor", chorale_parallel_for),
        ("executor_user", c_void_p),
        ("time_limit", c_double),
        ("cancel", c_void_p),
        ("progress", chorale_progress_function),
        ("progress_user", c_void_p),
        ("bound_steps", c_int64),
        ("effort", c_double),
        ("rules", POINTER(chorale_rules)),
    ]


class chorale_run_result(Struct):
    struct_size: Any
    outcome: Any
    proven: Any
    rounds: Any
    best_round: Any
    score: Any
    chain_score: Any
    clique_score: Any
    own_score: Any
    rounds_score: Any
    local_search_score: Any
    local_search_own_score: Any
    upper_bound: Any
    gap: Any
    changed_chains: Any
    messages_changed: Any
    chain_updates: Any
    clique_updates: Any
    left_out: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("outcome", c_int32),
        ("proven", c_int32),
        ("rounds", c_int64),
        ("best_round", c_int64),
        ("score", c_double),
        ("chain_score", c_double),
        ("clique_score", c_double),
        ("own_score", c_double),
        ("rounds_score", c_double),
        ("local_search_score", c_double),
        ("local_search_own_score", c_double),
        ("upper_bound", c_double),
        ("gap", c_double),
        ("changed_chains", c_int64),
        ("messages_changed", c_int64),
        ("chain_updates", c_int64),
        ("clique_updates", c_int64),
        ("left_out", c_int64),
    ]


class chorale_left_out(Struct):
    chain: Any
    position: Any
    obstacle: Any
    reserved: Any
    clique: Any
    _fields_ = [
        ("chain", c_int64),
        ("position", c_int64),
        ("obstacle", c_int32),
        ("reserved", c_int32),
        ("clique", c_int64),
    ]


class chorale_reason(Struct):
    agreement: Any
    clique: Any
    chain: Any
    position: Any
    others: Any
    agreeing_before: Any
    agreeing: Any
    own_value: Any
    value: Any
    amount: Any
    member: Any
    _fields_ = [
        ("agreement", c_int64),
        ("clique", c_int64),
        ("chain", c_int64),
        ("position", c_int64),
        ("others", c_int64),
        ("agreeing_before", c_int64),
        ("agreeing", c_int64),
        ("own_value", c_int32),
        ("value", c_int32),
        ("amount", c_double),
        ("member", c_int64),
    ]


class chorale_agreement(Struct):
    struct_size: Any
    kind: Any
    across: Any
    strength: Any
    potential: Any
    minimum: Any
    keys: Any
    stop: Any
    stop_count: Any
    property: Any
    cliques: Any
    clique_offsets: Any
    members: Any
    weights: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("kind", c_int32),
        ("across", c_int32),
        ("strength", c_double),
        ("potential", c_void_p),
        ("minimum", c_int64),
        ("keys", c_void_p),
        ("stop", c_void_p),
        ("stop_count", c_int64),
        ("property", c_void_p),
        ("cliques", c_int64),
        ("clique_offsets", c_void_p),
        ("members", c_void_p),
        ("weights", c_void_p),
    ]


class chorale_text(Struct):
    bytes: Any
    length: Any
    _fields_ = [
        ("bytes", c_void_p),
        ("length", c_size_t),
    ]


class chorale_learn_progress(Struct):
    struct_size: Any
    runs: Any
    runs_most: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("runs", c_int64),
        ("runs_most", c_int64),
    ]

chorale_learn_progress_function = CFUNCTYPE(c_int32, c_void_p, POINTER(chorale_learn_progress))


class chorale_learn_options(Struct):
    struct_size: Any
    labels: Any
    classes: Any
    begins: Any
    costs: Any
    may_lower_accuracy: Any
    without_gold: Any
    threads: Any
    time_limit: Any
    cancel: Any
    progress: Any
    progress_user: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("labels", c_int64),
        ("classes", c_void_p),
        ("begins", c_void_p),
        ("costs", c_void_p),
        ("may_lower_accuracy", c_int32),
        ("without_gold", c_int32),
        ("threads", c_int64),
        ("time_limit", c_double),
        ("cancel", c_void_p),
        ("progress", chorale_learn_progress_function),
        ("progress_user", c_void_p),
    ]


class chorale_learnt_report(Struct):
    struct_size: Any
    outcome: Any
    applied: Any
    verdict: Any
    warnings: Any
    groups: Any
    positions: Any
    kinds: Any
    runs: Any
    tagger_cost: Any
    tagger_precision: Any
    tagger_recall: Any
    tagger_f1: Any
    tagger_accuracy: Any
    control_cost: Any
    control_precision: Any
    control_recall: Any
    control_f1: Any
    control_accuracy: Any
    agreeing_cost: Any
    agreeing_precision: Any
    agreeing_recall: Any
    agreeing_f1: Any
    agreeing_accuracy: Any
    changed: Any
    changed_right_before: Any
    changed_right_after: Any
    agreement_p: Any
    gain_p: Any
    expected_errors: Any
    temperature: Any
    changed_temperature: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("outcome", c_int32),
        ("applied", c_int32),
        ("verdict", c_int32),
        ("warnings", c_int32),
        ("groups", c_int64),
        ("positions", c_int64),
        ("kinds", c_int64),
        ("runs", c_int64),
        ("tagger_cost", c_double),
        ("tagger_precision", c_double),
        ("tagger_recall", c_double),
        ("tagger_f1", c_double),
        ("tagger_accuracy", c_double),
        ("control_cost", c_double),
        ("control_precision", c_double),
        ("control_recall", c_double),
        ("control_f1", c_double),
        ("control_accuracy", c_double),
        ("agreeing_cost", c_double),
        ("agreeing_precision", c_double),
        ("agreeing_recall", c_double),
        ("agreeing_f1", c_double),
        ("agreeing_accuracy", c_double),
        ("changed", c_int64),
        ("changed_right_before", c_int64),
        ("changed_right_after", c_int64),
        ("agreement_p", c_double),
        ("gain_p", c_double),
        ("expected_errors", c_double),
        ("temperature", c_double),
        ("changed_temperature", c_double),
    ]


class chorale_learnt_kind(Struct):
    kind: Any
    uses_log_odds: Any
    cliques: Any
    members: Any
    strength: Any
    bonus: Any
    _fields_ = [
        ("kind", c_int32),
        ("uses_log_odds", c_int32),
        ("cliques", c_int64),
        ("members", c_int64),
        ("strength", c_double),
        ("bonus", c_double),
    ]


class chorale_ruled_chain(Struct):
    chain: Any
    state: Any
    reserved: Any
    cost: Any
    gap: Any
    _fields_ = [
        ("chain", c_int64),
        ("state", c_int32),
        ("reserved", c_int32),
        ("cost", c_double),
        ("gap", c_double),
    ]


class chorale_rule_conflict(Struct):
    chain: Any
    rule: Any
    a: Any
    reserved: Any
    _fields_ = [
        ("chain", c_int64),
        ("rule", c_int64),
        ("a", c_int32),
        ("reserved", c_int32),
    ]


class chorale_rule_reason(Struct):
    chain: Any
    position: Any
    rule: Any
    a: Any
    own_label: Any
    label: Any
    reserved: Any
    cost: Any
    _fields_ = [
        ("chain", c_int64),
        ("position", c_int64),
        ("rule", c_int64),
        ("a", c_int32),
        ("own_label", c_int32),
        ("label", c_int32),
        ("reserved", c_int32),
        ("cost", c_double),
    ]


class chorale_scored_pairs(Struct):
    struct_size: Any
    records: Any
    count: Any
    first: Any
    second: Any
    score: Any
    source: Any
    greatest_size: Any
    effort: Any
    time_limit: Any
    cancel: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("records", c_int64),
        ("count", c_int64),
        ("first", c_void_p),
        ("second", c_void_p),
        ("score", c_void_p),
        ("source", c_void_p),
        ("greatest_size", c_int64),
        ("effort", c_double),
        ("time_limit", c_double),
        ("cancel", c_void_p),
    ]


class chorale_partition_result(Struct):
    struct_size: Any
    groups: Any
    score: Any
    upper_bound: Any
    proven: Any
    outcome: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("groups", c_int64),
        ("score", c_double),
        ("upper_bound", c_double),
        ("proven", c_int32),
        ("outcome", c_int32),
    ]


class chorale_evidence(Struct):
    struct_size: Any
    most: Any
    once: Any
    per_mention: Any
    origin: Any
    mentions: Any
    right: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("most", c_double),
        ("once", c_double),
        ("per_mention", c_double),
        ("origin", c_int32),
        ("mentions", c_int64),
        ("right", c_int64),
    ]


class chorale_mentions(Struct):
    struct_size: Any
    count: Any
    keys: Any
    labels: Any
    key: Any
    label: Any
    confidence: Any
    scores: Any
    times: Any
    gold: Any
    answers: Any
    told: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("count", c_int64),
        ("keys", c_int64),
        ("labels", c_int64),
        ("key", c_void_p),
        ("label", c_void_p),
        ("confidence", c_void_p),
        ("scores", c_void_p),
        ("times", c_void_p),
        ("gold", c_void_p),
        ("answers", c_void_p),
        ("told", c_void_p),
    ]


class chorale_settled_mention(Struct):
    label: Any
    changed: Any
    probability: Any
    probability_before: Any
    others: Any
    agreeing_before: Any
    agreeing: Any
    _fields_ = [
        ("label", c_int32),
        ("changed", c_int32),
        ("probability", c_double),
        ("probability_before", c_double),
        ("others", c_int64),
        ("agreeing_before", c_int64),
        ("agreeing", c_int64),
    ]


class chorale_settled_key(Struct):
    label: Any
    conflict: Any
    mentions: Any
    against: Any
    price: Any
    expected: Any
    _fields_ = [
        ("label", c_int32),
        ("conflict", c_int32),
        ("mentions", c_int64),
        ("against", c_double),
        ("price", c_double),
        ("expected", c_double),
    ]


class chorale_ledger_change(Struct):
    row: Any
    label: Any
    told: Any
    _fields_ = [
        ("row", c_int64),
        ("label", c_int32),
        ("told", c_int32),
    ]


class chorale_ledger_row(Struct):
    key: Any
    given: Any
    confidence: Any
    times: Any
    label: Any
    told: Any
    _fields_ = [
        ("key", c_int32),
        ("given", c_int32),
        ("confidence", c_double),
        ("times", c_int64),
        ("label", c_int32),
        ("told", c_int32),
    ]

field_messages = CFUNCTYPE(c_int32, c_void_p, c_int64, c_void_p, c_void_p, c_void_p)
field_decode = CFUNCTYPE(c_int32, c_void_p, c_int64, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)


class chorale_instance(Struct):
    struct_size: Any
    length: Any
    labels: Any
    user: Any
    messages: Any
    decode: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("length", c_int64),
        ("labels", c_int64),
        ("user", c_void_p),
        ("messages", field_messages),
        ("decode", field_decode),
    ]


class chorale_run_cost(Struct):
    struct_size: Any
    run_bytes: Any
    model_bytes: Any
    score_bytes: Any
    chain_steps: Any
    clique_scores: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("run_bytes", c_size_t),
        ("model_bytes", c_size_t),
        ("score_bytes", c_size_t),
        ("chain_steps", c_double),
        ("clique_scores", c_double),
    ]


class chorale_attachment(Struct):
    struct_size: Any
    property: Any
    dictionary: Any
    classes: Any
    table: Any
    message: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("property", c_void_p),
        ("dictionary", c_void_p),
        ("classes", c_void_p),
        ("table", c_void_p),
        ("message", c_void_p),
    ]


class chorale_message_result(Struct):
    struct_size: Any
    outcome: Any
    pruned: Any
    exact: Any
    configurations: Any
    score: Any
    chain_score: Any
    message_score: Any
    _fields_ = [
        ("struct_size", c_size_t),
        ("outcome", c_int32),
        ("pruned", c_int32),
        ("exact", c_int32),
        ("configurations", c_int64),
        ("score", c_double),
        ("chain_score", c_double),
        ("message_score", c_double),
    ]


STRUCTS = {
    "chorale_error": chorale_error,
    "chorale_allocator": chorale_allocator,
    "chorale_host": chorale_host,
    "chorale_transitions_options": chorale_transitions_options,
    "chorale_chain": chorale_chain,
    "chorale_chain_result": chorale_chain_result,
    "chorale_potential_options": chorale_potential_options,
    "chorale_automaton": chorale_automaton,
    "chorale_label_map": chorale_label_map,
    "chorale_chain_options": chorale_chain_options,
    "chorale_corpus": chorale_corpus,
    "chorale_clique_setup": chorale_clique_setup,
    "chorale_members": chorale_members,
    "chorale_clique_problem": chorale_clique_problem,
    "chorale_clique_options": chorale_clique_options,
    "chorale_clique_result": chorale_clique_result,
    "chorale_progress": chorale_progress,
    "chorale_run_options": chorale_run_options,
    "chorale_run_result": chorale_run_result,
    "chorale_left_out": chorale_left_out,
    "chorale_reason": chorale_reason,
    "chorale_agreement": chorale_agreement,
    "chorale_text": chorale_text,
    "chorale_learn_progress": chorale_learn_progress,
    "chorale_learn_options": chorale_learn_options,
    "chorale_learnt_report": chorale_learnt_report,
    "chorale_learnt_kind": chorale_learnt_kind,
    "chorale_rule": chorale_rule,
    "chorale_rules": chorale_rules,
    "chorale_ruled_chain": chorale_ruled_chain,
    "chorale_rule_conflict": chorale_rule_conflict,
    "chorale_rule_reason": chorale_rule_reason,
    "chorale_scored_pairs": chorale_scored_pairs,
    "chorale_partition_result": chorale_partition_result,
    "chorale_evidence": chorale_evidence,
    "chorale_mentions": chorale_mentions,
    "chorale_settled_mention": chorale_settled_mention,
    "chorale_settled_key": chorale_settled_key,
    "chorale_ledger_change": chorale_ledger_change,
    "chorale_ledger_row": chorale_ledger_row,
    "chorale_instance": chorale_instance,
    "chorale_run_cost": chorale_run_cost,
    "chorale_attachment": chorale_attachment,
    "chorale_message_result": chorale_message_result,
}

# ---- Functions: what each returns and takes, and the names of its parameters
FUNCTIONS: dict[str, tuple[Any, list[Any], list[str]]] = {
    "chorale_abi": (c_int32, [], []),
    "chorale_algorithm_name": (c_char_p, [c_int32], ["algorithm"]),
    "chorale_cancel_create": (c_int32, [POINTER(chorale_host), c_void_p, POINTER(chorale_error)], ["const host", "cancel", "error"]),
    "chorale_cancel_destroy": (None, [c_void_p], ["cancel"]),
    "chorale_cancel_is_raised": (c_int32, [c_void_p], ["const cancel"]),
    "chorale_cancel_lower": (None, [c_void_p], ["cancel"]),
    "chorale_cancel_raise": (None, [c_void_p], ["cancel"]),
    "chorale_chain_decode": (c_int32, [c_void_p, POINTER(chorale_chain), POINTER(chorale_attachment), c_int64, POINTER(chorale_run_options), c_void_p, c_void_p, POINTER(chorale_message_result), POINTER(chorale_error)], ["solver", "const chain", "const attachments", "count", "const options", "labelling", "values", "result", "error"]),
    "chorale_chain_k_best": (c_int32, [c_void_p, POINTER(chorale_chain), c_int64, c_void_p, c_int64, c_void_p, c_void_p, POINTER(chorale_error)], ["solver", "const chain", "k", "labellings", "row_stride", "scores", "found", "error"]),
    "chorale_chain_max_marginals": (c_int32, [c_void_p, POINTER(chorale_chain), c_void_p, c_int64, c_void_p, c_void_p, c_void_p, POINTER(chorale_chain_result), POINTER(chorale_error)], ["solver", "const chain", "marginals", "row_stride", "edge_marginals", "margins", "labelling", "result", "error"]),
    "chorale_chain_messages": (c_int32, [c_void_p, POINTER(chorale_chain), POINTER(chorale_attachment), c_int64, POINTER(chorale_run_options), c_void_p, POINTER(chorale_message_result), POINTER(chorale_error)], ["solver", "const chain", "const attachments", "count", "const options", "outgoing", "result", "error"]),
    "chorale_chain_score": (c_int32, [POINTER(chorale_chain), c_void_p, c_void_p, POINTER(chorale_error)], ["const chain", "const labelling", "score", "error"]),
    "chorale_chain_solve": (c_int32, [c_void_p, POINTER(chorale_chain), c_void_p, POINTER(chorale_chain_result), POINTER(chorale_error)], ["solver", "const chain", "labelling", "result", "error"]),
    "chorale_chain_solver_create": (c_int32, [POINTER(chorale_host), c_void_p, POINTER(chorale_error)], ["const host", "solver", "error"]),
    "chorale_chain_solver_destroy": (None, [c_void_p], ["solver"]),
    "chorale_clique_max_marginals": (c_int32, [c_void_p, c_void_p, POINTER(chorale_clique_problem), POINTER(chorale_clique_options), c_void_p, c_int64, c_void_p, POINTER(chorale_clique_result), POINTER(chorale_error)], ["solver", "const potential", "const problem", "const options", "marginals", "row_stride", "assignment", "result", "error"]),
    "chorale_clique_score": (c_int32, [c_void_p, c_void_p, POINTER(chorale_clique_problem), c_void_p, POINTER(chorale_clique_result), POINTER(chorale_error)], ["solver", "const potential", "const problem", "const assignment", "result", "error"]),
    "chorale_clique_solve": (c_int32, [c_void_p, c_void_p, POINTER(chorale_clique_problem), POINTER(chorale_clique_options), c_void_p, POINTER(chorale_clique_result), POINTER(chorale_error)], ["solver", "const potential", "const problem", "const options", "assignment", "result", "error"]),
    "chorale_clique_solver_create": (c_int32, [POINTER(chorale_host), c_void_p, POINTER(chorale_error)], ["const host", "solver", "error"]),
    "chorale_clique_solver_destroy": (None, [c_void_p], ["solver"]),
    "chorale_decode": (c_int32, [POINTER(chorale_host), POINTER(chorale_corpus), POINTER(chorale_agreement), c_int64, POINTER(chorale_run_options), c_void_p, POINTER(chorale_error)], ["const host", "const corpus", "const agreements", "count", "const options", "decoded", "error"]),
    "chorale_decoded_destroy": (None, [c_void_p], ["decoded"]),
    "chorale_decoded_get_result": (c_int32, [c_void_p, POINTER(chorale_run_result), POINTER(chorale_error)], ["const decoded", "result", "error"]),
    "chorale_decoded_labels": (c_int32, [c_void_p, c_int32, c_void_p, c_int64, c_void_p, POINTER(chorale_error)], ["const decoded", "labelling", "labels", "capacity", "needed", "error"]),
    "chorale_decoded_model": (c_void_p, [c_void_p], ["const decoded"]),
    "chorale_decoded_reasons": (c_int32, [c_void_p, POINTER(chorale_reason), c_size_t, c_int64, c_void_p, POINTER(chorale_error)], ["const decoded", "reasons", "reason_size", "capacity", "needed", "error"]),
    "chorale_decoded_rule_conflicts": (c_int32, [c_void_p, POINTER(chorale_rule_conflict), c_size_t, c_int64, c_void_p, POINTER(chorale_error)], ["const decoded", "conflicts", "conflict_size", "capacity", "needed", "error"]),
    "chorale_decoded_rule_reasons": (c_int32, [c_void_p, POINTER(chorale_rule_reason), c_size_t, c_int64, c_void_p, POINTER(chorale_error)], ["const decoded", "reasons", "reason_size", "capacity", "needed", "error"]),
    "chorale_decoded_ruled_chains": (c_int32, [c_void_p, POINTER(chorale_ruled_chain), c_size_t, c_int64, c_void_p, POINTER(chorale_error)], ["const decoded", "ruled", "ruled_size", "capacity", "needed", "error"]),
    "chorale_decoded_run": (c_void_p, [c_void_p], ["decoded"]),
    "chorale_decoded_strength": (c_double, [c_void_p, c_int64], ["const decoded", "agreement"]),
    "chorale_dictionary_create": (c_int32, [POINTER(chorale_host), c_void_p, c_int64, c_int32, c_void_p, POINTER(chorale_error)], ["const host", "const values", "count", "unlisted", "dictionary", "error"]),
    "chorale_dictionary_release": (None, [c_void_p], ["const dictionary"]),
    "chorale_label_map_from_names": (c_int32, [c_int32, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_void_p, POINTER(chorale_error)], ["scheme", "const names", "const lengths", "labels", "kind_of_label", "begins", "kinds", "error"]),
    "chorale_learn": (c_int32, [POINTER(chorale_host), c_void_p, c_int64, POINTER(chorale_learn_options), c_void_p, POINTER(chorale_error)], ["const host", "const problems", "count", "const options", "learnt", "error"]),
    "chorale_learnt_apply": (c_int32, [POINTER(chorale_host), c_void_p, c_void_p, c_void_p, POINTER(chorale_error)], ["const host", "const learnt", "const problem", "model", "error"]),
    "chorale_learnt_destroy": (None, [c_void_p], ["learnt"]),
    "chorale_learnt_get_report": (c_int32, [c_void_p, POINTER(chorale_learnt_report), POINTER(chorale_error)], ["const learnt", "report", "error"]),
    "chorale_learnt_kinds": (c_int32, [c_void_p, POINTER(chorale_learnt_kind), c_size_t, c_int64, c_void_p, POINTER(chorale_error)], ["const learnt", "kinds", "kind_size", "capacity", "needed", "error"]),
    "chorale_learnt_potential": (c_int32, [POINTER(chorale_host), c_void_p, c_int64, c_int64, c_int64, c_void_p, POINTER(chorale_error)], ["const host", "const learnt", "kind", "values", "centre_value", "potential", "error"]),
    "chorale_learnt_read": (c_int32, [POINTER(chorale_host), c_char_p, c_size_t, c_void_p, POINTER(chorale_error)], ["const host", "const json", "length", "learnt", "error"]),
    "chorale_learnt_text": (c_int32, [c_void_p, c_int32, c_char_p, c_size_t, c_void_p, POINTER(chorale_error)], ["const learnt", "form", "buffer", "capacity", "needed", "error"]),
    "chorale_ledger_add": (c_int32, [c_void_p, POINTER(chorale_mentions), c_void_p, POINTER(chorale_error)], ["ledger", "const mentions", "labels", "error"]),
    "chorale_ledger_changes": (c_int32, [c_void_p, c_int32, POINTER(chorale_ledger_change), c_size_t, c_int64, c_void_p, POINTER(chorale_error)], ["ledger", "take", "changes", "change_size", "capacity", "needed", "error"]),
    "chorale_ledger_create": (c_int32, [POINTER(chorale_host), c_int64, POINTER(chorale_evidence), c_void_p, POINTER(chorale_error)], ["const host", "labels", "const evidence", "ledger", "error"]),
    "chorale_ledger_destroy": (None, [c_void_p], ["ledger"]),
    "chorale_ledger_keys": (c_int32, [c_void_p, POINTER(chorale_settled_key), c_size_t, c_int64, c_void_p, POINTER(chorale_error)], ["const ledger", "keys", "keys_size", "capacity", "needed", "error"]),
    "chorale_ledger_refit": (c_int32, [c_void_p, POINTER(chorale_evidence), POINTER(chorale_error)], ["ledger", "evidence", "error"]),
    "chorale_ledger_rows": (c_int32, [c_void_p, POINTER(chorale_ledger_row), c_size_t, c_int64, c_void_p, POINTER(chorale_error)], ["const ledger", "rows", "row_size", "capacity", "needed", "error"]),
    "chorale_model_builder_add_chain": (c_int32, [c_void_p, POINTER(chorale_chain), POINTER(chorale_chain_options), c_void_p, POINTER(chorale_error)], ["builder", "const chain", "const options", "index", "error"]),
    "chorale_model_builder_add_cliques": (c_int32, [c_void_p, POINTER(chorale_clique_setup), c_int64, c_void_p, POINTER(chorale_error)], ["builder", "const setup", "count", "first", "error"]),
    "chorale_model_builder_add_corpus": (c_int32, [c_void_p, POINTER(chorale_corpus), c_void_p, POINTER(chorale_error)], ["builder", "const corpus", "first", "error"]),
    "chorale_model_builder_add_instance": (c_int32, [c_void_p, POINTER(chorale_instance), c_void_p, POINTER(chorale_error)], ["builder", "const instance", "index", "error"]),
    "chorale_model_builder_add_members": (c_int32, [c_void_p, POINTER(chorale_members), POINTER(chorale_error)], ["builder", "const members", "error"]),
    "chorale_model_builder_add_repeated_words": (c_int32, [c_void_p, POINTER(chorale_clique_setup), POINTER(chorale_agreement), c_void_p, c_void_p, POINTER(chorale_error)], ["builder", "const setup", "const words", "first", "count", "error"]),
    "chorale_model_builder_create": (c_int32, [POINTER(chorale_host), c_void_p, POINTER(chorale_error)], ["const host", "builder", "error"]),
    "chorale_model_builder_destroy": (None, [c_void_p], ["builder"]),
    "chorale_model_builder_freeze": (c_int32, [c_void_p, c_void_p, POINTER(chorale_error)], ["builder", "model", "error"]),
    "chorale_model_chain_count": (c_int64, [c_void_p], ["const model"]),
    "chorale_model_clique_count": (c_int64, [c_void_p], ["const model"]),
    "chorale_model_get_chain": (c_int32, [c_void_p, c_int64, POINTER(chorale_chain), POINTER(chorale_chain_options), POINTER(chorale_error)], ["const model", "chain", "scores", "options", "error"]),
    "chorale_model_get_clique": (c_int32, [c_void_p, c_int64, POINTER(chorale_clique_setup), POINTER(chorale_error)], ["const model", "clique", "setup", "error"]),
    "chorale_model_get_members": (c_int32, [c_void_p, c_int64, c_void_p, c_void_p, c_void_p, c_int64, c_void_p, POINTER(chorale_error)], ["const model", "clique", "chains", "positions", "weights", "capacity", "needed", "error"]),
    "chorale_model_release": (None, [c_void_p], ["const model"]),
    "chorale_model_retain": (c_void_p, [c_void_p], ["const model"]),
    "chorale_model_score": (c_int32, [POINTER(chorale_host), c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_void_p, POINTER(chorale_error)], ["const host", "const model", "const labels", "count", "score", "chain_scores", "clique_scores", "error"]),
    "chorale_outcome_name": (c_char_p, [c_int32], ["outcome"]),
    "chorale_partition": (c_int32, [POINTER(chorale_host), POINTER(chorale_scored_pairs), c_void_p, c_void_p, c_void_p, POINTER(chorale_partition_result), POINTER(chorale_error)], ["const host", "const pairs", "groups", "overruled", "others", "result", "error"]),
    "chorale_potential_create_callback": (c_int32, [POINTER(chorale_host), c_int64, chorale_count_function, c_void_p, c_void_p, POINTER(chorale_potential_options), c_void_p, POINTER(chorale_error)], ["const host", "values", "function", "user", "release", "const options", "potential", "error"]),
    "chorale_potential_create_cardinality": (c_int32, [POINTER(chorale_host), c_int64, c_void_p, c_int64, POINTER(chorale_potential_options), c_void_p, POINTER(chorale_error)], ["const host", "values", "const table", "length", "const options", "potential", "error"]),
    "chorale_potential_create_entropy": (c_int32, [POINTER(chorale_host), c_int64, c_double, POINTER(chorale_potential_options), c_void_p, POINTER(chorale_error)], ["const host", "values", "lambda", "const options", "potential", "error"]),
    "chorale_potential_create_majority": (c_int32, [POINTER(chorale_host), c_int64, c_void_p, c_int64, c_void_p, POINTER(chorale_potential_options), c_void_p, POINTER(chorale_error)], ["const host", "values", "const weights", "row_stride", "const bias", "const options", "potential", "error"]),
    "chorale_potential_create_makespan": (c_int32, [POINTER(chorale_host), c_int64, c_double, POINTER(chorale_potential_options), c_void_p, POINTER(chorale_error)], ["const host", "values", "lambda", "const options", "potential", "error"]),
    "chorale_potential_create_max": (c_int32, [POINTER(chorale_host), c_int64, c_void_p, c_int64, c_int64, c_int64, POINTER(chorale_potential_options), c_void_p, POINTER(chorale_error)], ["const host", "values", "const tables", "table_count", "length", "row_stride", "const options", "potential", "error"]),
    "chorale_potential_create_pairs": (c_int32, [POINTER(chorale_host), c_int64, c_void_p, c_int64, POINTER(chorale_potential_options), c_void_p, POINTER(chorale_error)], ["const host", "values", "const scores", "row_stride", "const options", "potential", "error"]),
    "chorale_potential_create_potts": (c_int32, [POINTER(chorale_host), c_int64, c_double, POINTER(chorale_potential_options), c_void_p, POINTER(chorale_error)], ["const host", "values", "lambda", "const options", "potential", "error"]),
    "chorale_potential_create_square_makespan": (c_int32, [POINTER(chorale_host), c_int64, c_double, POINTER(chorale_potential_options), c_void_p, POINTER(chorale_error)], ["const host", "values", "lambda", "const options", "potential", "error"]),
    "chorale_potential_create_sum": (c_int32, [POINTER(chorale_host), c_int64, c_void_p, c_int64, c_int64, c_int64, POINTER(chorale_potential_options), c_void_p, POINTER(chorale_error)], ["const host", "values", "const tables", "table_count", "length", "row_stride", "const options", "potential", "error"]),
    "chorale_potential_family": (c_char_p, [c_void_p], ["const potential"]),
    "chorale_potential_most": (c_int32, [c_void_p, c_void_p, c_int64, c_int64, c_void_p, POINTER(chorale_error)], ["const potential", "const prices", "values", "members", "most", "error"]),
    "chorale_potential_prices": (c_int32, [c_void_p, c_void_p, c_int64, c_int64, c_void_p, c_void_p, POINTER(chorale_error)], ["const potential", "const counts", "values", "members", "prices", "score", "error"]),
    "chorale_potential_release": (None, [c_void_p], ["const potential"]),
    "chorale_potential_retain": (c_void_p, [c_void_p], ["const potential"]),
    "chorale_potential_score": (c_int32, [c_void_p, c_void_p, c_int64, c_int64, c_void_p, POINTER(chorale_error)], ["const potential", "const counts", "values", "members", "score", "error"]),
    "chorale_potential_values": (c_int64, [c_void_p], ["const potential"]),
    "chorale_prices_counts": (c_int32, [c_void_p, c_void_p, c_int64, c_void_p, POINTER(chorale_error)], ["const prices", "counts", "capacity", "needed", "error"]),
    "chorale_prices_create": (c_int32, [POINTER(chorale_host), c_void_p, c_void_p, c_int64, POINTER(chorale_run_options), c_void_p, POINTER(chorale_error)], ["const host", "const model", "const cliques", "count", "const options", "prices", "error"]),
    "chorale_prices_destroy": (None, [c_void_p], ["prices"]),
    "chorale_prices_run": (c_void_p, [c_void_p], ["const prices"]),
    "chorale_prices_solve": (c_int32, [c_void_p, c_void_p, c_int64, c_void_p, POINTER(chorale_run_result), POINTER(chorale_error)], ["prices", "const numbers", "count", "score", "result", "error"]),
    "chorale_problem_clique_kind": (c_int32, [c_void_p, c_int64], ["const problem", "clique"]),
    "chorale_problem_create": (c_int32, [POINTER(chorale_host), c_void_p, c_void_p, POINTER(chorale_error)], ["const host", "const model", "problem", "error"]),
    "chorale_problem_create_agreeing": (c_int32, [POINTER(chorale_host), POINTER(chorale_corpus), POINTER(chorale_agreement), c_int64, c_void_p, c_void_p, POINTER(chorale_error)], ["const host", "const corpus", "const agreements", "count", "const gold", "problem", "error"]),
    "chorale_problem_destroy": (None, [c_void_p], ["problem"]),
    "chorale_problem_gold": (c_void_p, [c_void_p], ["const problem"]),
    "chorale_problem_load": (c_int32, [POINTER(chorale_host), c_char_p, c_void_p, POINTER(chorale_error)], ["const host", "const path", "problem", "error"]),
    "chorale_problem_model": (c_void_p, [c_void_p], ["const problem"]),
    "chorale_problem_read": (c_int32, [POINTER(chorale_host), c_void_p, c_size_t, c_int32, c_void_p, POINTER(chorale_error)], ["const host", "const bytes", "size", "borrow", "problem", "error"]),
    "chorale_problem_save": (c_int32, [c_void_p, c_char_p, POINTER(chorale_error)], ["const problem", "const path", "error"]),
    "chorale_problem_set_cliques": (c_int32, [c_void_p, c_void_p, c_void_p, POINTER(chorale_error)], ["problem", "const kinds", "const values", "error"]),
    "chorale_problem_set_gold": (c_int32, [c_void_p, c_void_p, POINTER(chorale_error)], ["problem", "const gold", "error"]),
    "chorale_problem_set_note": (c_int32, [c_void_p, c_char_p, c_size_t, c_char_p, c_size_t, POINTER(chorale_error)], ["problem", "const name", "name_length", "const text", "text_length", "error"]),
    "chorale_problem_set_texts": (c_int32, [c_void_p, c_int32, POINTER(chorale_text), c_size_t, c_int64, POINTER(chorale_error)], ["problem", "list", "const texts", "text_size", "count", "error"]),
    "chorale_problem_text": (c_void_p, [c_void_p, c_int32, c_int64, c_void_p], ["const problem", "list", "index", "length"]),
    "chorale_problem_text_count": (c_int64, [c_void_p, c_int32], ["const problem", "list"]),
    "chorale_problem_value_name": (c_void_p, [c_void_p, c_int64, c_int32, c_void_p], ["const problem", "clique", "value", "length"]),
    "chorale_problem_write": (c_int32, [c_void_p, c_void_p, c_size_t, c_void_p, POINTER(chorale_error)], ["const problem", "bytes", "capacity", "needed", "error"]),
    "chorale_property_create": (c_int32, [POINTER(chorale_host), POINTER(chorale_automaton), c_void_p, POINTER(chorale_error)], ["const host", "const automaton", "property", "error"]),
    "chorale_property_create_first_label": (c_int32, [POINTER(chorale_host), POINTER(chorale_label_map), c_void_p, c_void_p, POINTER(chorale_error)], ["const host", "const map", "const ignored", "property", "error"]),
    "chorale_property_create_local": (c_int32, [POINTER(chorale_host), c_int64, c_int64, c_int64, c_void_p, c_void_p, c_void_p, POINTER(chorale_error)], ["const host", "labels", "classes", "values", "const actions", "const label_values", "property", "error"]),
    "chorale_property_create_next_label": (c_int32, [POINTER(chorale_host), POINTER(chorale_label_map), c_int32, c_void_p, c_int32, c_int32, c_void_p, POINTER(chorale_error)], ["const host", "const map", "anchor", "const ignored", "rule", "end_value", "property", "error"]),
    "chorale_property_create_position_label": (c_int32, [POINTER(chorale_host), POINTER(chorale_label_map), c_int64, c_void_p, POINTER(chorale_error)], ["const host", "const map", "position", "property", "error"]),
    "chorale_property_create_token_before": (c_int32, [POINTER(chorale_host), POINTER(chorale_label_map), c_int32, c_void_p, c_int32, c_int64, c_int32, c_void_p, POINTER(chorale_error)], ["const host", "const map", "anchor", "const ignored", "rule", "values", "start_value", "property", "error"]),
    "chorale_property_create_token_label": (c_int32, [POINTER(chorale_host), POINTER(chorale_label_map), c_int32, c_void_p, POINTER(chorale_error)], ["const host", "const map", "token", "property", "error"]),
    "chorale_property_labels": (c_int64, [c_void_p], ["const property"]),
    "chorale_property_release": (None, [c_void_p], ["const property"]),
    "chorale_property_retain": (c_void_p, [c_void_p], ["const property"]),
    "chorale_property_shown": (c_int32, [POINTER(chorale_attachment), c_int64, c_void_p, c_void_p, c_void_p, c_void_p, c_int64, c_void_p, POINTER(chorale_error)], ["const attachment", "length", "const labelling", "const parents", "value", "fired", "capacity", "needed", "error"]),
    "chorale_property_values": (c_int64, [c_void_p], ["const property"]),
    "chorale_run_bound": (c_int32, [c_void_p, c_int64, POINTER(chorale_run_result), POINTER(chorale_error)], ["run", "steps", "result", "error"]),
    "chorale_run_create": (c_int32, [POINTER(chorale_host), c_void_p, POINTER(chorale_run_options), c_void_p, c_void_p, POINTER(chorale_error)], ["const host", "const model", "const options", "const earlier", "run", "error"]),
    "chorale_run_destroy": (None, [c_void_p], ["run"]),
    "chorale_run_estimate": (c_int32, [c_void_p, POINTER(chorale_run_options), POINTER(chorale_run_cost), POINTER(chorale_error)], ["const model", "const options", "cost", "error"]),
    "chorale_run_get_result": (c_int32, [c_void_p, POINTER(chorale_run_result), POINTER(chorale_error)], ["const run", "result", "error"]),
    "chorale_run_json": (c_int32, [c_void_p, c_char_p, c_size_t, c_void_p, POINTER(chorale_error)], ["const run", "buffer", "capacity", "needed", "error"]),
    "chorale_run_labels": (c_int32, [c_void_p, c_int64, c_int32, c_void_p, c_int64, c_void_p, POINTER(chorale_error)], ["const run", "chain", "labelling", "labels", "capacity", "needed", "error"]),
    "chorale_run_left_out": (c_int32, [c_void_p, POINTER(chorale_left_out), c_size_t, c_int64, c_void_p, POINTER(chorale_error)], ["const run", "left_out", "left_out_size", "capacity", "needed", "error"]),
    "chorale_run_local_search": (c_int32, [c_void_p, POINTER(chorale_run_result), POINTER(chorale_error)], ["run", "result", "error"]),
    "chorale_run_max_marginals": (c_int32, [c_void_p, c_int64, c_void_p, c_int64, c_void_p, POINTER(chorale_error)], ["run", "chain", "marginals", "row_stride", "margins", "error"]),
    "chorale_run_probabilities": (c_int32, [c_void_p, c_int64, c_double, c_void_p, c_int64, c_void_p, POINTER(chorale_error)], ["run", "chain", "temperature", "probabilities", "row_stride", "exact", "error"]),
    "chorale_run_reasons": (c_int32, [c_void_p, c_int64, POINTER(chorale_reason), c_size_t, c_int64, c_void_p, POINTER(chorale_error)], ["const run", "chain", "reasons", "reason_size", "capacity", "needed", "error"]),
    "chorale_run_reset": (None, [c_void_p], ["run"]),
    "chorale_run_set_allowed": (c_int32, [c_void_p, c_int64, c_int64, c_void_p, POINTER(chorale_error)], ["run", "chain", "position", "const allowed", "error"]),
    "chorale_run_set_chain": (c_int32, [c_void_p, c_int64, POINTER(chorale_chain), POINTER(chorale_error)], ["run", "chain", "const scores", "error"]),
    "chorale_run_set_labels": (c_int32, [c_void_p, c_void_p, c_int64, POINTER(chorale_error)], ["run", "const labels", "count", "error"]),
    "chorale_run_set_limits": (c_int32, [c_void_p, c_double, c_void_p, POINTER(chorale_error)], ["run", "time_limit", "const cancel", "error"]),
    "chorale_run_set_strength": (c_int32, [c_void_p, c_int64, c_double, POINTER(chorale_error)], ["run", "clique", "factor", "error"]),
    "chorale_run_solve": (c_int32, [c_void_p, POINTER(chorale_run_result), POINTER(chorale_error)], ["run", "result", "error"]),
    "chorale_run_step": (c_int32, [c_void_p, POINTER(chorale_run_result), POINTER(chorale_error)], ["run", "result", "error"]),
    "chorale_run_values": (c_int32, [c_void_p, c_int64, c_int32, c_void_p, c_int64, c_void_p, POINTER(chorale_error)], ["const run", "clique", "labelling", "values", "capacity", "needed", "error"]),
    "chorale_scheme_mask": (c_int32, [c_int32, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_void_p, POINTER(chorale_error)], ["scheme", "const names", "const lengths", "labels", "mask", "start", "end", "error"]),
    "chorale_settle": (c_int32, [POINTER(chorale_host), POINTER(chorale_mentions), POINTER(chorale_evidence), POINTER(chorale_settled_mention), c_size_t, POINTER(chorale_settled_key), c_size_t, POINTER(chorale_error)], ["const host", "const mentions", "evidence", "settled", "settled_size", "keys", "keys_size", "error"]),
    "chorale_status_name": (c_char_p, [c_int32], ["status"]),
    "chorale_transitions_create": (c_int32, [POINTER(chorale_host), c_int64, c_void_p, POINTER(chorale_transitions_options), c_void_p, POINTER(chorale_error)], ["const host", "labels", "const scores", "const options", "transitions", "error"]),
    "chorale_transitions_labels": (c_int64, [c_void_p], ["const transitions"]),
    "chorale_transitions_release": (None, [c_void_p], ["const transitions"]),
    "chorale_transitions_retain": (c_void_p, [c_void_p], ["const transitions"]),
    "chorale_version": (c_char_p, [], []),
}

# ---- Results


class Outcome(enum.IntEnum):
    """How a computation ended. An outcome is not an error: the call succeeded.

    COMPLETE         the algorithm ran to its end; in a run, messages have converged
    GAP_REACHED      ended early: the score is within the requested gap of the upper bound
    ITERATION_LIMIT  all rounds, sweeps or steps that the call may do are done, or the rounds of a
                     run alternate between two labellings. An ordinary end: the labels are the best
                     found.
    NODE_LIMIT       all nodes of branch and bound that `node_limit` allows are done. The labels are
                     the best found.
    DEADLINE         the time limit was reached. The labels are the best found until then.
    CANCELLED        a cancel or a progress callback ended the call. The labels are the best found
                     until then.
    INFEASIBLE       every labelling is proven to score minus infinity
    NOTHING_FOUND    every labelling tried scores minus infinity; labellings that were not tried may
                     score more
    """

    COMPLETE = CHORALE_OUTCOME_COMPLETE
    GAP_REACHED = CHORALE_OUTCOME_GAP_REACHED
    ITERATION_LIMIT = CHORALE_OUTCOME_ITERATION_LIMIT
    NODE_LIMIT = CHORALE_OUTCOME_NODE_LIMIT
    DEADLINE = CHORALE_OUTCOME_DEADLINE
    CANCELLED = CHORALE_OUTCOME_CANCELLED
    INFEASIBLE = CHORALE_OUTCOME_INFEASIBLE
    NOTHING_FOUND = CHORALE_OUTCOME_NOTHING_FOUND

    def __str__(self) -> str:
        return self.name.lower().replace("_", "-")


@dataclasses.dataclass(frozen=True, repr=False)
class Progress(Shown):
    """Progress of a run, told after every round and every step of the bound.

    round             number of rounds done; 0: each chain was decoded without its cliques
    messages_changed  number of messages of cliques to members that the round changed
    score             score of the labelling of this round or step of the bound
    best_score        score of the best labelling so far
    upper_bound       upper bound on the score of any labelling; plus infinity before one has been
                      computed
    """

    round: int
    messages_changed: int
    score: float
    best_score: float
    upper_bound: float


@dataclasses.dataclass(frozen=True, repr=False)
class LearnProgress(Shown):
    """Progress of learning, told each time that a problem has been labelled. Provisional: it may
    change until version 1.0.

    runs       how often a problem was labelled so far
    runs_most  upper bound on `runs`
    """

    runs: int
    runs_most: int


@dataclasses.dataclass(frozen=True, repr=False)
class RuleReason(Shown):
    """Why rules change a label, as if there were no agreements. Provisional: it may change until
    version 1.0.

    position   within the chain
    rule       index of the rule in `rules`
    own_label  label in the chain's best labelling without rules and cliques
    label      label in the best labelling of the chain that keeps the rules
    cost       how much better the chain's best labelling without this rule is, by the scores of the
               chain and the prices of its other rules. If no single rule makes the change: what all
               rules cost.
    told       the rule in words
    """

    told: str
    position: int
    rule: int
    own_label: int
    label: int
    cost: float


@dataclasses.dataclass(frozen=True, repr=False)
class Reason(Shown):
    """One reason why a chain's labels differ from its own labelling: a clique in which one of its
    positions, or the whole chain, has another value than under the own labelling.

    clique           number of the clique in the model
    chain            number of the chain
    position         within the chain; -1: the whole chain
    others           all other members. Evidence for `value`: counts of the other members of the
                     clique, without its centre; with weights, sums of their weights.
                     "`agreeing_before` of `others` others had this value, `agreeing` of `others`
                     have it now." All three are 0 for a centre.
    agreeing_before  those whose value is `value` in the own labelling: as the scores of their own
                     chains say
    agreeing         those whose value is `value` in the result
    own_value        value in the own labelling: a label, or a value of the property, R for EMPTY, R
                     + 1 for CONFLICT
    value            value in the result
    amount           how much the clique's score would fall if this member alone had `own_value`,
                     and every other member, even of the same chain, the value that it has now. Plus
                     infinity if the clique forbids these values but not those now, minus infinity
                     if it forbids only those now, 0 if it forbids both. Where it is 0 or less, the
                     clique does not explain the change.
    member           index of the member in the clique
    what             which agreement of `decode`: "words" for an agreement of words; for properties,
                     keys and cliques the index of the agreement in `agree`. None in reasons of a
                     `Run`
    group            the group (document) of the chain. None in reasons of a `Run`
    """

    clique: int
    chain: int
    position: int
    others: int
    agreeing_before: int
    agreeing: int
    own_value: int
    value: int
    amount: float
    member: int
    what: str | int | None = None
    group: Hashable = None


@dataclasses.dataclass(frozen=True, repr=False)
class RunResult(Shown):
    """The outcome of a call on a run and what was found so far. The *own* labelling is that of each
    chain without its cliques.

    outcome                 how the call ended
    proven                  True: upper_bound - score <= 1e-9 |score|
    rounds                  number of rounds done so far, without the start
    best_round              number of rounds done when the best labelling last changed, in whole or
                            in part; 0 if the local search of the own labelling changed it last
    score                   score of the best labelling: chain_score + clique_score; minus infinity
                            if a clique forbids it or there is none
    chain_score             sum of the scores of the chains
    clique_score            sum of the scores of the cliques, their potentials
    own_score               score of the own labelling, without rules: with them it may be above
                            `score`
    rounds_score            the greatest score of the labelling of a single round. The best
                            labelling may score more: it takes each set of connected chains from the
                            round in which this set scored most.
    local_search_score      score after the local search from the best labelling of the rounds
    local_search_own_score  the same from the own labelling
    upper_bound             on the score of any labelling; plus infinity where none was computed
    gap                     upper_bound - score
    changed_chains          number of chains whose labels differ from their own
    messages_changed        number of messages of cliques to members that changed in the last round
    chain_updates           how often a chain computed messages or was decoded, in all rounds
    clique_updates          how often a clique computed messages, in all rounds
    left_out                number of chains that are left out, since they have no labelling. Scores
                            and bound are those of all other chains.
    """

    outcome: Outcome
    proven: bool
    rounds: int
    best_round: int
    score: float
    chain_score: float
    clique_score: float
    own_score: float
    rounds_score: float
    local_search_score: float
    local_search_own_score: float
    upper_bound: float
    gap: float
    changed_chains: int
    messages_changed: int
    chain_updates: int
    clique_updates: int
    left_out: int


@dataclasses.dataclass(frozen=True, repr=False)
class CliqueResult(Shown):
    """What the solver of a clique found.

    outcome          how the call ended
    algorithm        the algorithm used
    proven           True: upper_bound - score <= 1e-9 |score|
    marginals_exact  True: the max-marginals are exact; False: each is the score of some labelling,
                     so a lower bound. False after calls that compute none.
    score            member_score + clique_score
    member_score     sum of the members' own scores
    clique_score     score of the potential
    upper_bound      upper bound on the score of any labelling; plus infinity if none was computed
    iterations       total number of iterations, see `iteration_limit`
    nodes            branch and bound: number of nodes whose bound was computed
    labels           the values of the n members; None if only forbidden labellings were found
    gap              upper_bound - score
    """

    labels: npt.NDArray[np.int32] | None
    outcome: Outcome
    algorithm: str
    proven: bool
    marginals_exact: bool
    score: float
    member_score: float
    clique_score: float
    upper_bound: float
    iterations: int
    nodes: int

    @property
    def gap(self) -> float:
        return self.upper_bound - self.score
