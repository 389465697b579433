"""Error messages of public calls name what is wrong as Python names it, not as C does."""

from __future__ import annotations

import inspect
import math
import re

import numpy as np
import pytest
from test_problem import small_problem

import libchorale as ch
from libchorale import crfsuite, experimental, logits
from libchorale.learn import CollectiveTagger, Learnt, learn

#: Matches what only C has: arrows, types, constants, headers, null pointers, structs.
FOREIGN = re.compile(
    r"->|\bNULL\b|\bCHORALE_|\b\w+_t\b|\w+\.h\b|\bstruct|chorale_\w+|_stride\b|_init\b"
)

NAN = math.nan
AGREE = ch.Potential.potts(2, 1.0)
ROW = np.zeros((2, 2))
LEDGER = ch.Ledger(["A"], evidence=ch.Evidence(4.0, 6.0, 1.0))
MENTIONS = [{"k": 1, "l": "A", "g": "A"}, {"k": 1, "l": "B", "g": "A"}]


def builder():
    made = ch.ModelBuilder()
    made.add_chain(np.zeros((3, 2)), tokens=[0, 1, 0])
    made.add_chain(np.zeros((2, 2)))
    return made


def words():
    made = builder()
    made.add_repeated_words(AGREE)
    return made


def run(**options):
    made = ch.Run(words().freeze(), **options)
    made.solve()
    return made


def with_clique(**setup):
    made = builder()
    made.add_cliques(1, **setup).start
    return made


def centred():
    made = with_clique(centre=[AGREE, AGREE], values=2)
    made.add_members(0, 0, 0)
    return made


def problem():
    return small_problem(np.random.default_rng(1))


def words_apart():
    return ch.build_problem([ROW[:1]] * 2, gold=[0, 1], groups=[1, 2], tokens=[["a"], ["b"]])


def edged(edges):
    return ch.Chain(ROW, ch.Transitions(labels=2), edges=edges)


PROP = ch.Property.first_label(2)
BEFORE = ch.Property.token_before(2, 1, values=3)
SOLVER = ch.CliqueSolver()
CHAINS = ch.ChainSolver()
TAGGER = CollectiveTagger()

# For each case: the name of the public call that it covers; a function that makes a bad call; what
# the message must begin with (None: anything).
CASES = [
    ("Potential.potts", lambda: ch.Potential.potts(0, 1.0), "values"),
    ("Potential.potts", lambda: ch.Potential.potts(2, NAN), "strength"),
    ("Potential.potts", lambda: ch.Potential.potts(2, 1.0, scale="n"), "scale"),
    ("Potential.potts", lambda: ch.Potential.potts(2, 1.0, counted=[True]), "counted"),
    ("Potential.entropy", lambda: ch.Potential.entropy(2, math.inf), "strength"),
    ("Potential.makespan", lambda: ch.Potential.makespan(-1, 1.0), "values"),
    ("Potential.square_makespan", lambda: ch.Potential.square_makespan(2, NAN), "strength"),
    ("Potential.sum", lambda: ch.Potential.sum([[0.0, NAN]]), "tables"),
    ("Potential.sum", lambda: ch.Potential.sum([[0.0], [0.0]], values=3), "tables"),
    ("Potential.sum", lambda: ch.Potential.sum([0.0]), "tables"),
    ("Potential.sum", lambda: ch.Potential.sum([[0.0]], shape="x"), "shape"),
    ("Potential.max", lambda: ch.Potential.max([[0.0, math.inf]]), "tables"),
    ("Potential.cardinality", lambda: ch.Potential.cardinality([NAN]), "table"),
    ("Potential.cardinality", lambda: ch.Potential.cardinality([0.0], values=3), None),
    ("Potential.majority", lambda: ch.Potential.majority([[NAN]]), "weights"),
    ("Potential.majority", lambda: ch.Potential.majority([[0.0, 1.0]]), "weights"),
    ("Potential.majority", lambda: ch.Potential.majority([[0.0]], [NAN]), "bias"),
    ("Potential.pairs", lambda: ch.Potential.pairs([[NAN]]), "scores"),
    ("Potential.pairs", lambda: ch.Potential.pairs([[0.0, 1.0]]), "scores"),
    ("Potential.callback", lambda: ch.Potential.callback(0, lambda n, m: 0.0), "values"),
    ("Potential.callback", lambda: ch.Potential.callback(2, None), "function"),
    ("Potential.evaluate", lambda: AGREE.evaluate([1, -1]), "counts"),
    ("Potential.evaluate", lambda: AGREE.evaluate([1, 1, 1]), None),
    ("Potential.prices", lambda: AGREE.prices([1, -1], 5), "counts"),
    ("Potential.prices", lambda: AGREE.prices([1, 1], "five"), "members"),
    ("Potential.most", lambda: AGREE.most([1.0, float("nan")], 5), "prices"),
    ("Potential.most", lambda: AGREE.most([1.0, 1.0], -5), "members"),
    ("CliqueSolver.solve", lambda: SOLVER.solve(AGREE, [[NAN, 0.0]]), "scores"),
    ("CliqueSolver.solve", lambda: SOLVER.solve(AGREE, [[1e300, 0.0]]), "scores"),
    ("CliqueSolver.solve", lambda: SOLVER.solve(AGREE, np.zeros((2, 3))), "scores"),
    ("CliqueSolver.solve", lambda: SOLVER.solve(AGREE, np.zeros((2, 0))), "scores"),
    ("CliqueSolver.solve", lambda: SOLVER.solve(AGREE, ROW, fixed=[5, 0]), "fixed"),
    ("CliqueSolver.solve", lambda: SOLVER.solve(AGREE, ROW, start=5), "start"),
    ("CliqueSolver.solve", lambda: SOLVER.solve(AGREE, ROW, start=[0, 9]), "start"),
    ("CliqueSolver.solve", lambda: SOLVER.solve(AGREE, ROW, algorithm="x"), "algorithm"),
    (
        "CliqueSolver.solve",
        lambda: SOLVER.solve(AGREE, ROW, algorithm="exact_majority"),
        "algorithm",
    ),
    ("CliqueSolver.solve", lambda: SOLVER.solve(AGREE, ROW, subset_size=-1), "subset_size"),
    ("CliqueSolver.solve", lambda: SOLVER.solve(AGREE, ROW, iteration_limit=-1), "iteration_limit"),
    ("CliqueSolver.solve", lambda: SOLVER.solve(AGREE, ROW, node_limit=-1), "node_limit"),
    ("CliqueSolver.solve", lambda: SOLVER.solve(AGREE, ROW, node_pool=-1), "node_pool"),
    ("CliqueSolver.solve", lambda: SOLVER.solve(AGREE, ROW, tolerance=-1.0), "tolerance"),
    ("CliqueSolver.solve", lambda: SOLVER.solve(AGREE, ROW, gap=NAN), "gap"),
    ("CliqueSolver.solve", lambda: SOLVER.solve(AGREE, ROW, time_limit=NAN), "time_limit"),
    ("CliqueSolver.marginals", lambda: SOLVER.marginals(AGREE, ROW, algorithm="x"), "algorithm"),
    ("CliqueSolver.evaluate", lambda: SOLVER.evaluate(AGREE, ROW, [0, 7]), None),
    ("mask", lambda: ch.mask(["O", "X-Y"]), "names"),
    ("mask", lambda: ch.mask([]), "names"),
    ("LabelMap.from_names", lambda: ch.LabelMap.from_names(["O", "B-"]), "names"),
    ("LabelMap", lambda: ch.Property.first_label(ch.LabelMap(2, -1)), "kinds"),
    ("LabelMap", lambda: ch.Property.first_label(ch.LabelMap(2, 3)), "kinds"),
    ("LabelMap", lambda: ch.Property.first_label(ch.LabelMap(2, 2, [0, 5])), "kind_of_label"),
    ("Transitions", lambda: ch.Transitions([[NAN]]), "scores"),
    ("Transitions", lambda: ch.Transitions([[0.0]], start=[NAN]), "start"),
    ("Transitions", lambda: ch.Transitions([[0.0]], end=[math.inf]), "end"),
    ("Transitions", lambda: ch.Transitions(labels=0), "labels"),
    ("Chain.score", lambda: ch.Chain(ROW).score([0, 7]), "labels"),
    ("ChainSolver.best", lambda: CHAINS.best([[NAN]]), "unary"),
    ("ChainSolver.best", lambda: CHAINS.best(np.zeros((2, 0))), None),
    ("ChainSolver.best", lambda: CHAINS.best(ROW, [[NAN, 0.0], [0.0, 0.0]]), "transitions"),
    ("ChainSolver.best", lambda: CHAINS.best(ROW, ch.Transitions(labels=3)), None),
    ("ChainSolver.best", lambda: CHAINS.best(edged([[0.0] * 3] * 3)), "edges"),
    ("ChainSolver.best", lambda: CHAINS.best(edged([[NAN, 0.0], [0.0, 0.0]])), "edges"),
    ("ChainSolver.best", lambda: CHAINS.best(ch.Chain(ROW, start=[NAN, 0])), "start"),
    ("ChainSolver.best", lambda: CHAINS.best(ch.Chain(ROW, end=[NAN, 0])), "end"),
    ("ChainSolver.best", lambda: CHAINS.best(ch.Chain(ROW, forced=[5, 0])), "forced"),
    ("ChainSolver.best", lambda: CHAINS.best(ch.Chain(ROW, parents=[5, 0])), "parents"),
    ("ChainSolver.k_best", lambda: CHAINS.k_best(ROW, k=0), "k"),
    ("ChainSolver.k_best", lambda: CHAINS.k_best(ch.Chain(ROW, parents=[-1, -1]), k=2), "parents"),
    ("ChainSolver.marginals", lambda: CHAINS.marginals([[NAN]]), "unary"),
    ("Property.evaluate", lambda: PROP.evaluate([0, 1], classes=[0, 9]), None),
    ("Property.automaton", lambda: ch.Property.automaton([[[5]]], values=1), "next"),
    ("Property.automaton", lambda: ch.Property.automaton([[[0]]], [[[9]]], values=1), "actions"),
    ("Property.automaton", lambda: ch.Property.automaton([[[0]]], values=0), "values"),
    ("Property.automaton", lambda: ch.Property.automaton([[[0]]], values=1, start=4), "start"),
    (
        "Property.automaton",
        lambda: ch.Property.automaton([[[0]]], values=1, end_actions=[7]),
        "end_actions",
    ),
    ("Property.local", lambda: ch.Property.local([[[0, 9]]], values=1), "actions"),
    ("Property.position_label", lambda: ch.Property.position_label(2, -1), "position"),
    ("Property.position_label", lambda: ch.Property.position_label(0, 0), "labels"),
    ("Property.token_label", lambda: ch.Property.token_label(2, -7), "token"),
    ("Property.first_label", lambda: ch.Property.first_label(2, ignored=[1]), "ignored"),
    ("Property.next_label", lambda: ch.Property.next_label(2, 9), "anchor"),
    ("Property.next_label", lambda: ch.Property.next_label(2, 0, end_value=-9), "end_value"),
    ("Property.next_label", lambda: ch.Property.next_label(2, 0, rule="x"), "rule"),
    ("Property.token_before", lambda: ch.Property.token_before(2, 0, values=0), "values"),
    (
        "Property.token_before",
        lambda: ch.Property.token_before(2, 0, values=1, start_value=4),
        "start_value",
    ),
    ("Property.evaluate", lambda: PROP.evaluate([0, 5]), "labels"),
    ("Property.evaluate", lambda: BEFORE.evaluate([0, 1]), "table"),
    ("Property.fired", lambda: BEFORE.fired([0, 1], table=[7, 7]), "table"),
    ("Property.builder", lambda: ch.Property.builder(0, values=1), "labels"),
    ("Property.builder", lambda: ch.Property.builder(1, values=1, classes=0), "classes"),
    ("PropertyBuilder.rule", lambda: ch.Property.builder(1, values=1).rule(9), "state"),
    (
        "PropertyBuilder.rule",
        lambda: ch.Property.builder(1, values=1).rule(position_class=9),
        "position_class",
    ),
    ("PropertyBuilder.rule", lambda: ch.Property.builder(1, values=1).rule(label=9), "label"),
    ("PropertyBuilder.rule", lambda: ch.Property.builder(1, values=1).rule(next=9), "next"),
    ("PropertyBuilder.rule", lambda: ch.Property.builder(1, values=1).rule(action=9), "action"),
    (
        "PropertyBuilder.end_rule",
        lambda: ch.Property.builder(1, values=1).end_rule(action=9),
        "action",
    ),
    (
        "PropertyBuilder.table",
        lambda: ch.Property.builder(1, values=1).table(0, outside_value=9),
        "outside_value",
    ),
    (
        "PropertyBuilder.finish",
        lambda: ch.Property.builder(1, values=1).finish(label_values=[9]),
        "label_values",
    ),
    ("Dictionary", lambda: experimental.Dictionary([-1]), "values"),
    ("Dictionary", lambda: experimental.Dictionary([]), "values"),
    ("ModelBuilder.add_chain", lambda: builder().add_chain([[NAN]]), "unary"),
    ("ModelBuilder.add_chain", lambda: builder().add_chain(ROW, tokens=[-5, 0]), "tokens"),
    (
        "ModelBuilder.add_chain",
        lambda: builder().add_chain(ROW, np.zeros((3, 2, 2))),
        "transitions",
    ),
    ("ModelBuilder.add_corpus", lambda: builder().add_corpus([[0.0, 0.0], [NAN, 0.0]]), "scores"),
    ("ModelBuilder.add_corpus", lambda: builder().add_corpus(ROW, [0, 2, 1]), "offsets"),
    ("ModelBuilder.add_corpus", lambda: builder().add_corpus(ROW, [0, 9]), "offsets"),
    ("ModelBuilder.add_corpus", lambda: builder().add_corpus(ROW, tokens=[0, -5]), "tokens"),
    ("ModelBuilder.add_corpus", lambda: builder().add_corpus(ROW, groups=[0]), "groups"),
    (
        "ModelBuilder.add_corpus",
        lambda: builder().add_corpus(ROW, transitions=np.zeros((3, 3))),
        "labels",
    ),
    ("ModelBuilder.add_cliques", lambda: builder().add_cliques(-2, potential=AGREE), "count"),
    ("ModelBuilder.add_cliques", lambda: builder().add_cliques(2, values=2), "potential"),
    ("ModelBuilder.add_members", lambda: words().add_members(0, [9], offsets=[0, 1]), "chains"),
    ("ModelBuilder.add_members", lambda: words().add_members(9, [0], offsets=[0, 1]), "first"),
    (
        "ModelBuilder.add_members",
        lambda: words().add_members(0, [0], [9], offsets=[0, 1]),
        "chains[0]",
    ),
    ("ModelBuilder.add_members", lambda: words().add_members(0, [0], offsets=[0, 5]), "offsets"),
    ("ModelBuilder.add_members", lambda: words().add_members(0, [0], offsets=[0, 1]), None),
    ("Agreement", lambda: ch.Agreement("tokens"), "what"),
    ("Agreement", lambda: ch.Agreement(potential=1.0), "potential"),
    (
        "decode",
        lambda: ch.decode([ROW], agree=ch.Agreement(PROP, potential=ch.Potential.potts(7, 1.0))),
        "agree.potential",
    ),
    ("ModelBuilder.add_cliques", lambda: with_clique(potential=AGREE, values=5), None),
    ("ModelBuilder.add_cliques", lambda: with_clique(values=2), None),
    (
        "ModelBuilder.add_cliques",
        lambda: with_clique(potential=AGREE, label_values=[9]),
        "label_values",
    ),
    ("ModelBuilder.add_cliques", lambda: with_clique(potential=AGREE, centre=[AGREE]), None),
    ("ModelBuilder.add_cliques", lambda: with_clique(centre=[]), None),
    ("ModelBuilder.add_cliques", lambda: with_clique(centre=[AGREE, None]), "centre[1]"),
    (
        "ModelBuilder.add_cliques",
        lambda: with_clique(potential=AGREE, dictionary=experimental.Dictionary([0])),
        "dictionary is given without property",
    ),
    (
        "ModelBuilder.add_cliques",
        lambda: with_clique(centre=[AGREE, ch.Potential.potts(5, 1.0)]),
        "centre",
    ),
    (
        "ModelBuilder.add_cliques",
        lambda: with_clique(centre=[AGREE], centre_label_values=[9]),
        "centre_label_values",
    ),
    ("ModelBuilder.add_members", lambda: with_clique(potential=AGREE).add_members(0, 0, -1), None),
    ("ModelBuilder.add_members", lambda: with_clique(potential=AGREE).add_members(9, 0), "first"),
    ("ModelBuilder.add_members", lambda: with_clique(potential=AGREE).add_members(0, 9), "chains[0]"),
    (
        "ModelBuilder.add_members",
        lambda: with_clique(potential=ch.Potential.potts(3, 1.0), property=BEFORE).add_members(0, 1),
        None,
    ),
    ("ModelBuilder.add_members", lambda: words().add_members(0, 0, 99), "chains[0]"),
    ("ModelBuilder.add_members", lambda: words().add_members(0, 0, 0), None),
    ("ModelBuilder.add_members", lambda: words().add_members(0, 0, 1, weights=[1, 2]), "weights"),
    ("ModelBuilder.add_members", lambda: words().add_members(0, 0, 1, weights=[0]), "weights[0]"),
    ("ModelBuilder.add_members", lambda: words().add_members(0, 0, tables=[[1], [2]]), "tables"),
    ("ModelBuilder.add_members", lambda: words().add_members(0, [], centres=[1]), "centres"),
    ("ModelBuilder.add_members", lambda: words().add_members(0, [], centres=[(0, 0)]), None),
    (
        "ModelBuilder.add_repeated_words",
        lambda: builder().add_repeated_words(AGREE, minimum=0),
        "minimum",
    ),
    (
        "ModelBuilder.add_repeated_words",
        lambda: builder().add_repeated_words(ch.Potential.potts(9, 1.0)),
        None,
    ),
    (
        "ModelBuilder.add_repeated_words",
        lambda: builder().add_repeated_words(AGREE, label_values=[9, 9]),
        "label_values",
    ),
    ("ModelBuilder.freeze", lambda: centred().freeze(), None),
    ("Model.members", lambda: words().freeze().members(9), "clique"),
    ("Model.chain", lambda: words().freeze().chain(9), "chain"),
    ("Model.tokens", lambda: words().freeze().tokens(9), "chain"),
    ("Model.group", lambda: words().freeze().group(9), "chain"),
    ("Model.clique_values", lambda: words().freeze().clique_values(9), "clique"),
    ("Model.clique_members", lambda: words().freeze().clique_members(9), "clique"),
    ("Model.weights", lambda: words().freeze().weights(9), "clique"),
    ("Model.centre_values", lambda: words().freeze().centre_values(9), "clique"),
    ("Model.score", lambda: words().freeze().score([0]), "labels"),
    ("Run", lambda: run(rounds=-1), "rounds"),
    ("Run", lambda: run(damping=1.0), "damping"),
    ("Run", lambda: run(damping=NAN), "damping"),
    ("Run", lambda: run(algorithm="x"), "algorithm"),
    ("Run", lambda: run(joint_mode="x"), "joint_mode"),
    ("Run", lambda: run(message_element="x"), "message_element"),
    ("Run", lambda: run(beam_width=0), "beam_width"),
    ("Run", lambda: run(max_states=0), "max_states"),
    ("Run", lambda: run(threads=0), "threads"),
    ("Run", lambda: run(time_limit=NAN), "time_limit"),
    ("Run", lambda: run(bound_steps=-1), "bound_steps"),
    ("Run", lambda: run(earlier=ch.Run(builder().freeze())), None),
    ("Run", lambda: run(cancel=5), "cancel"),
    ("Run", lambda: run(progress=5), "progress"),
    ("Run.bound", lambda: run().bound(5), None),
    ("Run.bound", lambda: run(bound_steps=1).bound(-5), "steps"),
    ("Run.set_chain", lambda: run().set_chain(0, ROW), None),
    ("Run.set_allowed", lambda: run().set_allowed(0, 0, [True]), "allowed"),
    ("Run.set_strength", lambda: run().set_strength(0, "much"), "factor"),
    ("Run.set_chain", lambda: run().set_chain(0, [[NAN, 0.0]] * 3), "unary"),
    ("Run.set_labels", lambda: run().set_labels([0]), "labels"),
    ("Run.set_limits", lambda: run().set_limits(NAN), "time_limit"),
    ("Run.labels", lambda: run().labels(9), "chain"),
    ("Run.labels", lambda: ch.Run(words().freeze()).labels(0), "the run has no labelling"),
    ("Run.labels", lambda: ch.Run(words().freeze()).labels(), "the run has no labelling"),
    (
        "Run.changed_chains",
        lambda: ch.Run(words().freeze()).changed_chains(),
        "the run has no labelling",
    ),
    ("Run.values", lambda: run().values(9), "clique"),
    ("Run.reasons", lambda: run().reasons(9), "chain"),
    ("Run.max_marginals", lambda: run().max_marginals(9), "chain"),
    ("Run.margins", lambda: run().margins(9), "chain"),
    ("Run.probabilities", lambda: run().probabilities(9), "chain"),
    ("Run.probabilities", lambda: run().probabilities(0, 0.0), "temperature"),
    ("Problem", lambda: ch.Problem(5), "model"),
    ("Problem.from_bytes", lambda: ch.Problem.from_bytes(b"abc"), None),
    ("Problem.from_bytes", lambda: ch.Problem.from_bytes(problem().to_bytes()[:-1]), None),
    ("Problem.load", lambda: ch.Problem.load("/nowhere/at/all"), None),
    ("Problem.save", lambda: problem().save("/nowhere/at/all"), None),
    ("Problem.labels", lambda: setattr(problem(), "labels", ["O"]), "labels"),
    ("Problem.tokens", lambda: setattr(problem(), "tokens", ["\udc80"]), None),
    ("Problem.words", lambda: setattr(problem(), "words", ["a"]), "words"),
    ("Problem.spaces", lambda: setattr(problem(), "spaces", ["a"]), "spaces"),
    ("Problem.chain_names", lambda: setattr(problem(), "chain_names", ["a"]), "chain_names"),
    ("Problem.group_names", lambda: setattr(problem(), "group_names", [5]), "group_names"),
    ("Problem.clique_names", lambda: setattr(problem(), "clique_names", ["a"]), "clique_names"),
    ("Problem.kinds", lambda: setattr(problem(), "kinds", [5]), "kinds"),
    ("Problem.clique_kinds", lambda: setattr(problem(), "clique_kinds", ["a"]), "clique_kinds"),
    (
        "Problem.clique_kinds",
        lambda: setattr(problem(), "clique_kinds", ["a", 1]),
        "clique_kinds",
    ),
    ("Problem.gold", lambda: setattr(problem(), "gold", [9] * 6), "gold"),
    ("Problem.notes", lambda: setattr(problem(), "notes", {"": "x"}), "name"),
    ("Problem.clique_kind", lambda: problem().clique_kind(99), "clique"),
    ("Problem.name_values", lambda: problem().name_values(["x", None]), "names"),
    ("Problem.value_name", lambda: problem().value_name(99, 0), "clique"),
    ("decode", lambda: ch.decode([[[NAN]]], tokens=[[1]]), "unaries[0]"),
    ("decode", lambda: ch.decode([ROW, np.zeros((1, 3))]), "unaries"),
    ("decode", lambda: ch.decode([ROW], agree=5), "agree"),
    ("decode", lambda: ch.decode([ROW], agree="words"), "tokens"),
    ("decode", lambda: ch.decode([ROW], tokens=[[1, -4]]), "tokens[0]"),
    ("decode", lambda: ch.decode([ROW], [[NAN, 0], [0, 0]], tokens=[[1, 2]]), "transitions"),
    ("decode", lambda: ch.decode([ROW, ROW[:1]], tokens=[[1, 2], [3, 4]]), "tokens[1]"),
    ("decode", lambda: ch.decode([ROW], tokens=[[1, 1]], strength=NAN), "strength"),
    ("decode", lambda: ch.decode([ROW], tokens=[[1, 1]], minimum=0), "minimum"),
    ("decode", lambda: ch.decode([ROW], tokens=[[1, 1]], names=["O"]), "names"),
    ("build_problem", lambda: ch.build_problem([ROW], groups=[]), "groups"),
    ("build_problem", lambda: ch.build_problem([ROW], gold=[0], tokens=[[1, 1]]), "gold"),
    ("agree", lambda: ch.agree(5, key="k"), "table"),
    ("agree", lambda: ch.agree(MENTIONS, key="no", label="l"), "key"),
    ("agree", lambda: ch.agree(MENTIONS, key="k", label="l", strength=NAN), "strength"),
    ("agree", lambda: ch.agree(MENTIONS, key="k", label="l", threads=0), "threads"),
    ("agree", lambda: ch.agree(MENTIONS, key="k", label="l", minimum=0), "minimum"),
    (
        "learn_strengths",
        lambda: ch.learn_strengths(MENTIONS, gold="no", key="k", label="l"),
        "gold",
    ),
    (
        "learn_strengths",
        lambda: ch.learn_strengths(MENTIONS, gold="g", key="k", label="l", threads=0),
        "threads",
    ),
    ("settle", lambda: ch.settle(5, key="k"), "table"),
    ("settle", lambda: ch.settle(MENTIONS, key="no", label="l"), "key"),
    ("settle", lambda: ch.settle(MENTIONS, key="k", label="l", scale="odds"), "scale"),
    ("settle", lambda: ch.settle(MENTIONS, key="k", label="l", evidence=5), "evidence"),
    ("Settled.answer", lambda: ch.settle(MENTIONS, key="k", label="l").answer({9: "A"}), "answers"),
    ("Settled.review", lambda: ch.settle(MENTIONS, key="k", label="l").review(-1), "count"),
    ("Settled.page", lambda: ch.settle(MENTIONS, key="k", label="l").page(-1), "count"),
    ("Evidence", lambda: ch.Evidence(0.0, 1.0, 1.0), "most"),
    ("Ledger", lambda: ch.Ledger(["A"], evidence=5), "evidence"),
    ("Ledger.add", lambda: LEDGER.add("k", "B"), "label"),
    ("Ledger.add", lambda: LEDGER.add("k", "A", 2.0), "confidence"),
    ("Ledger.add_table", lambda: LEDGER.add_table([{"k": "a", "l": "B"}], key="k", label="l"), None),
    ("Ledger.refit", lambda: LEDGER.refit(5), "evidence"),
    ("Ledger.load", lambda: ch.Ledger.load("/nowhere/ledger"), None),
    ("Ledger.save", lambda: LEDGER.save("/nowhere/ledger"), None),
    ("missed", lambda: ch.missed({}, [dict(document=1, start=0, end=1, label="A")]), "mentions[0]"),
    ("logits.word_scores", lambda: logits.word_scores(np.zeros((1, 1)), []), "logits"),
    ("logits.label_names", lambda: logits.label_names({5: "O"}), "id2label"),
    ("logits.scheme_transitions", lambda: logits.scheme_transitions(["B-"]), "names"),
    ("crfsuite.Scores", lambda: crfsuite.Scores("/dev/null"), None),
    ("learn.learn", lambda: learn(problem(), threads=0), "threads"),
    ("learn.Learnt.from_json", lambda: Learnt.from_json("{}"), "text"),
    ("learn.learn", lambda: learn(words_apart()), "no clique has a kind"),
    ("learn.CollectiveTagger.fit", lambda: TAGGER.fit([ROW], [[0, 1]], []), "groups"),
    ("learn.CollectiveTagger.fit", lambda: TAGGER.fit([ROW], [[0]], [1]), "y[0]"),
    ("learn.CollectiveTagger.fit", lambda: TAGGER.fit([ROW], [[0, 1]], [1]), "groups"),
    ("learn.CollectiveTagger.fit", lambda: TAGGER.fit([ROW] * 2, [[0, 7]] * 2, [1, 2]), "y[0]"),
    ("learn.CollectiveTagger.fit", lambda: CollectiveTagger(5).fit([], [], []), "tagger"),
    ("learn.CollectiveTagger.fit", lambda: CollectiveTagger(agree=5).fit([], [], []), "agree"),
    ("learn.CollectiveTagger.predict", lambda: TAGGER.predict([ROW]), None),
    ("learn.CollectiveTagger.set_params", lambda: TAGGER.set_params(x=5), "x"),
]


@pytest.mark.parametrize("name, call, begins", CASES, ids=[c[0] for c in CASES])
def test_a_bad_argument_is_named_as_python_names_it(name, call, begins):
    with pytest.raises(Exception) as caught:  # noqa: B017
        call()
    message = str(caught.value)
    print(f"{name:32} {type(caught.value).__name__:20} {message}")
    assert isinstance(caught.value, (ch.Error, TypeError, ValueError, OSError, UnicodeError))
    assert not FOREIGN.search(message), message
    assert not re.search(r"\b(?:a|an|every|no) labels\b", message), message
    if begins is not None:
        assert re.match(rf"(?:the (?:number|length)[\w ]* )?{re.escape(begins)}(?!\w)", message), (
            message
        )


def test_what_is_the_caller_s_stays():
    with pytest.raises(ch.FileAccessError, match='path "/nowhere/lambda/labelling/NULL->x" could'):
        ch.Problem.load("/nowhere/lambda/labelling/NULL->x")


def public():
    """Yields name and object of every public call: functions, classes, methods and properties."""
    for module, name in [(m, name) for m in (ch, experimental) for name in m.__all__]:
        thing = getattr(module, name)
        if getattr(thing, "__module__", "") == "libchorale.prices":  # see test_prices.py
            continue
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing):
            yield name, thing
            for own, member in inspect.getmembers(thing):
                if not own.startswith("_") and (callable(member) or isinstance(member, property)):
                    yield f"{name}.{own}", member


def test_help_reads_as_python():
    for name, thing in public():
        text = inspect.getdoc(thing) or ""
        if isinstance(thing, property) or callable(thing):
            assert not FOREIGN.search(text), (name, text)


#: Matches the names of calls for which CASES needs no bad argument.
HARMLESS = re.compile(
    r"(\w*Error|Agreement\..*|Outcome|Progress|LabellingScore|Reason|Change|Decoded"
    r"|Diagnosis|Strengths|LeftOut|Mask|Place|Placed|Question|\w*Result|ChainMarginals|Cancel)(\..*)?|.*\.(close|closed|clone|mro|with_traceback|add_note|from_bytes)"
    r"|Chain|ChainSolver|CliqueSolver|ModelBuilder|Model|Property|PropertyBuilder|Potential|PropertyBuilder.add_state"
    r"|Run.(step|solve|local_search|reset|problem|left_out)|Problem.to_bytes|LabelMap.kind"
    r"|Ledger.(conflicts|current|due)|Settled(.conflicts|.table)?|abi|algorithms|Model.\w*bytes"
    r"|.*\.(cliques|chain_lengths|values|labels|family|result|model)"
)


def test_every_public_call_is_given_a_bad_argument():
    covered = {name for name, _, _ in CASES}
    missing = [n for n, _ in public() if n not in covered and not HARMLESS.fullmatch(n)]
    assert missing == []
