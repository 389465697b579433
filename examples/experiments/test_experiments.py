"""Tests of the modules of the experiments, on small made-up data; no data set is needed.

    python -m unittest test_experiments     (in this folder, with the packages of requirements.txt)
"""

import itertools
import math
import os
import random
import re
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import SimpleNamespace

import libchorale as ch
import numpy as np
import pycrfsuite

import base_model
import calibration
import crf_head
import datasets
import domain_adaptation
import encoder
import features
import measure
import names_masked
import neural
import properties
import report
import settled
import shared_cliques
import spans
import stacking
import stanford
import tables
import types_across
import learning
import words
from case import Case
from run import Loaded, Pass, plan_of

STYLES = [("{a} ( {y} ) . {t} . {v} .", "AOYOOTOVO"), ("{t} , {v} . {a} {y}", "TOVOAY"),
          ("{a} : {t} / {v} ( {y} )", "AOTOVOYO")]
NAMES = {"A": "author", "Y": "date", "T": "title-a", "V": "title-j", "O": "O"}


def references(path, groups=12, records=8, seed=5):
    """Writes a small set in the format of the data sets: each group has a style of its own, and the
    words do not tell titles from venues."""
    rng = random.Random(seed)
    nouns = ["Rivers", "Trees", "Stones", "Birds", "Clouds", "Roads", "Towns", "Letters"]
    with open(path, "w", encoding="utf-8") as file:
        for g in range(groups):
            print(f"# domain: g{g}", file=file)
            shape, labels = STYLES[g % len(STYLES)]
            for r in range(records):
                print(f"# record: g{g}.{r}", file=file)
                filled = {"a": ["Smith", "Jones"][r % 2], "y": str(1950 + rng.randrange(60)),
                          "t": rng.sample(nouns, 2), "v": rng.sample(nouns, 2)}
                for part, label in zip(shape.split(), labels):
                    value = filled.get(part.strip("{}"), part)
                    for token in value if isinstance(value, list) else [value]:
                        print(f"{token}\t{NAMES[label]}", file=file)
                print(file=file)


class Made(unittest.TestCase):
    """A small set on disk, and a folder for what is stored."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name)
        (cls.root / "grobid_refs").mkdir()
        references(cls.root / "grobid_refs" / "data.conll")
        cls.loaded = Loaded("grobid_refs", cls.root / "grobid_refs" / "data.conll")
        cls.store = base_model.Store(cls.root / "scores")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()


class Data(Made):
    def test_reading(self):
        data = self.loaded.data
        self.assertEqual((len(data.groups), len(data.records)), (12, 96))
        self.assertEqual(data.starts[-1], sum(len(r.tokens) for r in data.records))
        self.assertEqual(data.kinds[data.kind_of_label[data.labels.index("title-j")]], "Venue")

    def test_splits_nest_and_folds_partition(self):
        data = self.loaded.data
        small, rest = datasets.split(data, 0.25, 3)
        large, _ = datasets.split(data, 0.5, 3)
        self.assertLess(set(small), set(large))
        self.assertEqual(sorted([*small, *rest]), list(range(12)))
        parts = datasets.folds(data, large, 3)
        self.assertEqual(sorted(np.concatenate(parts)), list(large))

    def test_blocks_stay_together(self):
        data = datasets.read("grobid_refs", self.root / "grobid_refs" / "data.conll")
        data.blocks = np.arange(12) // 4
        for number in range(4):
            train, test = datasets.split(data, 0.3, number)
            self.assertFalse(set(data.blocks[train]) & set(data.blocks[test]))


class BaseModel(Made):
    def test_scores_are_those_of_the_tagger(self):
        data, f = self.loaded.data, self.loaded.features
        training, others = data.of_groups(range(6)), data.of_groups(range(6, 12))
        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.set_params(base_model.OPTIONS)
        for r in training:
            trainer.append(base_model.strings(data, f, r), [str(v) for v in data.records[r].labels])
        path = str(self.root / "model.crfsuite")
        trainer.train(path)
        unary, matrix = base_model.scores(data, f, *base_model.weights(path), others)
        scored = base_model.Scored(others, unary, [matrix] * len(others))
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        for r, own, rows in zip(others, scored.own, unary):
            tags = [int(v) for v in tagger.tag(base_model.strings(data, f, r))]
            self.assertEqual(own.tolist(), tags)
            # The tagging's log-probability is its score minus the log-sum over all taggings. Both
            # sides compute it.
            total = rows[0].astype(float)
            for row in rows[1:]:
                total = np.logaddexp.reduce(total[:, None] + matrix, axis=0) + row
            score = rows[np.arange(len(tags)), tags].sum() + matrix[tags[:-1], tags[1:]].sum()
            found = np.exp(score - np.logaddexp.reduce(total))
            self.assertAlmostEqual(found, tagger.probability([str(v) for v in tags]), places=3)

    def test_store_makes_once(self):
        made = []
        for _ in range(2):
            found = self.store.get("a key", lambda: made.append(1) or {"x": np.arange(3)})
            self.assertEqual(found["x"].tolist(), [0, 1, 2])
        self.assertEqual(len(made), 1)


class Measures(Made):
    def test_f1_by_hand(self):
        table = np.array([[3, 4, 5], [1, 2, 1]])
        self.assertAlmostEqual(float(measure.f1(table, [0, 1])), 100 * 2 * 4 / 12)
        self.assertEqual(float(measure.f1(np.zeros((2, 3)), [0])), 100.0)

    def test_counts(self):
        data = self.loaded.data
        gold = [r.labels for r in data.records]
        counts = measure.counts(data, range(len(gold)), gold, range(12))
        self.assertTrue((counts[..., 0] == counts[..., 1]).all())
        self.assertEqual(counts[..., 1].sum(), data.starts[-1])

    def test_paired(self):
        self.assertEqual(measure.paired_p([1, 2, 3], [1, 2, 3]), 1.0)
        self.assertLess(measure.paired_p([2.0, 3.1, 4.0, 5.1], [1, 2, 3, 4]), 0.001)


class Collective(Made):
    def test_properties_fire_once_a_segment(self):
        data, found = self.loaded.data, self.loaded.properties
        numbers = {k: data.kinds.index(k) for k in ("Author", "Title", "Venue")}
        shown = found.fired(0, data.records[0].labels)  # Smith ( 1950 ) . T T . V V .
        self.assertEqual(shown["first"], [numbers["Author"]])
        self.assertEqual(shown["after_title"], [numbers["Venue"]])
        self.assertEqual(shown["after_venue"], [len(data.kinds)])
        self.assertEqual(len(shown["before_title"]), 1)

    def test_folds_are_scored_by_one_model_each(self):
        data = self.loaded.data
        train, test = datasets.split(data, 0.5, 1)
        held_out, _ = base_model.fit(self.store, data, self.loaded.features, train, test, 1)
        parts = learning.folds_of(held_out)
        self.assertEqual(len(parts), 5)
        groups = [{data.records[r].group for r in part.records} for part in parts]
        self.assertEqual(sorted(g for of in groups for g in of), list(train))
        halved = learning.halves(data, parts)
        self.assertEqual(len(halved), sum(min(2, len(of)) for of in groups))
        self.assertEqual(sorted(r for half in halved for r in half.records), sorted(held_out.records))

    def test_problems_number_kinds_alike(self):
        data, found = self.loaded.data, self.loaded.properties
        train, test = datasets.split(data, 0.25, 1)
        _, scored = base_model.fit(self.store, data, self.loaded.features, train, test, 1)
        made = properties.to_learn(found, scored, properties.SIX)
        self.assertEqual(made.kinds, list(properties.SIX))
        model, kinds = properties.build(found, scored, properties.SIX)
        self.assertEqual(list(made.clique_kinds), kinds)
        self.assertEqual(made.gold.tolist(),
                         [y for r in scored.records for y in data.records[r].labels])

    def test_methods_of_a_point(self):
        data = self.loaded.data
        result = domain_adaptation.point(self.store, data, self.loaded.properties,
                                         self.loaded.features, 0.5, 1)
        self.assertEqual(set(domain_adaptation.METHODS), set(result["counts"]))
        classes = domain_adaptation.classes(data)
        self.assertEqual({data.kinds[k] for k in classes if k >= 0}, set(domain_adaptation.KINDS))
        learnt = result["learnt"]
        self.assertTrue(all(strength == 0 for _, strength, _ in learnt["control"]["kinds"]))
        self.assertEqual(learnt["auto"]["verdict"], "without gold")
        for method, bonus in (("control", 2), ("auto", 1), ("collective", 1)):
            if not any(kind[bonus] for kind in learnt[method]["kinds"]):
                self.assertEqual(result["counts"][method], result["counts"]["base"])

    def test_the_bonus_that_is_best(self):
        data = self.loaded.data
        train, test = datasets.split(data, 0.5, 1)
        held_out, _ = base_model.fit(self.store, data, self.loaded.features, train, test, 1)
        problems = [words.to_learn(self.loaded.words, part, False) for part in learning.folds_of(held_out)]
        classes = domain_adaptation.classes(data)
        found = learning.learn(problems, classes=classes, without_gold=True)
        f1 = []
        for bonus in (0.0, *learning.BONUSES):
            alone = learning.bonus_alone(found, bonus)
            self.assertEqual([(k["strength"], k["bonus"]) for k in alone.report["kinds"]], [(0, bonus)])
            labels = [np.concatenate(learning.labels_under(alone, p, len(p.model.chain_lengths))) for p in problems]
            f1.append(learning.micro_f1(problems, labels, classes))
        own = np.concatenate([np.concatenate(part.own) for part in learning.folds_of(held_out)])
        gold = np.concatenate([p.gold for p in problems])
        found_words, values = self.loaded.words, len(self.loaded.words.kinds)
        potential = learning.bonus_alone(found, 50.0).potential(0, values)
        for value, counts in enumerate(np.eye(values, dtype=int)):
            counted = (classes[found_words.kind_of_label == value] >= 0).any()
            self.assertEqual(potential.evaluate(counts), 50.0 * counted)
        self.assertEqual(f1[0], learning.micro_f1(problems, [own], classes))
        self.assertAlmostEqual(2 * (classes[gold] == classes[own])[classes[gold] >= 0].sum(),
                               f1[0] * ((classes[gold] >= 0).sum() + (classes[own] >= 0).sum()))
        best = learning.best_bonus(found, problems, classes).report["kinds"][0]["bonus"]
        self.assertEqual((0.0, *learning.BONUSES).index(best), int(np.argmax(f1)))

    def test_vote_forces_the_commonest(self):
        data, found = self.loaded.data, self.loaded.properties
        train, test = datasets.split(data, 0.25, 1)
        _, scored = base_model.fit(self.store, data, self.loaded.features, train, test, 1)
        labels = properties.vote(found, scored)
        for chains in properties.by_group(data, scored).values():
            fired = [found.fired(scored.records[k], labels[k])["first"] for k in chains]
            self.assertEqual(len({tuple(f) for f in fired}), 1)

    def test_words(self):
        data, found = self.loaded.data, self.loaded.words
        train, test = datasets.split(data, 0.25, 1)
        _, scored = base_model.fit(self.store, data, self.loaded.features, train, test, 1)
        for across in (False, True):
            cliques = words.cliques(found, scored, across)
            model = words.build(found, scored, across)
            self.assertEqual(sorted(len(c) for c in cliques),
                             sorted(model.clique_members(k) for k in range(model.cliques)))
            voted = words.vote(found, scored, across)
            for members in cliques:
                self.assertEqual(len({found.kind_of_label[voted[k][t]] for k, t in members}), 1)

    def test_stacking_sees_the_group(self):
        found = self.loaded.properties
        train, test = datasets.split(self.loaded.data, 0.25, 1)
        _, scored = base_model.fit(self.store, self.loaded.data, self.loaded.features, train, test, 1)
        rows = stacking.property_rows(found, scored)
        self.assertEqual(set(rows), set(scored.records))
        marked = [sum("after-mark=1" in row for row in rows[r]) for r in rows]
        self.assertGreater(np.mean(np.array(marked) > 0), 0.5)


class Whole(Made):
    def test_report_of_a_small_pass(self):
        class Options:
            data, pages, cache = str(self.root), "nowhere", str(self.root / "cache")
            only, experiments, report, quick, short = [], [], False, True, False

        this = Pass(Options)
        plan = [(e, "grobid_refs", 0.5, s) for s in (0, 1)
                for e in ("domain", "domain-four", "domain-plain", "words")]
        plan.append(("words-across", "wikigold", 0.3, 0))
        this.run(plan)
        self.assertEqual(this.skipped, ["wikigold"])
        points = this.folder("grobid_refs") / "points"
        before = sorted(os.listdir(points))
        this.run(plan)  # nothing is run again
        self.assertEqual(before, sorted(os.listdir(points)))
        tables.write(*this.results(plan), this, self.root / "out", True)
        text = (self.root / "out" / "quick.md").read_text()
        self.assertIn("| collective |", text)
        self.assertIn("four properties", text)
        self.assertIn("plain tagger", text)
        self.assertIn("wikigold", text.split("## ")[0])
        for file in (self.root / "out").glob("*.svg"):
            ElementTree.parse(file)
            self.assertIn(f"({file.name})", text)

    def test_calibration(self):
        options = SimpleNamespace(data=str(self.root), pages="nowhere", cache=str(self.root / "cache"))
        this = Pass(options)
        case = Case(this, "words", "grobid_refs", 0)
        row = calibration.point(this, "grobid_refs", 0)
        positions = sum(len(own) for own in case.scored.own)
        self.assertTrue(0 <= row[0] + row[4] <= positions)
        self.assertTrue(all(0 <= value <= 100 for k, value in enumerate(row) if k % 4))
        sure = np.repeat([0.25, 0.75], 400)
        self.assertAlmostEqual(calibration.error(sure, np.arange(800) % 4 == 0), 0.25)

    def test_plans_have_no_point_twice(self):
        for quick in (True, False):
            plan = plan_of(quick)
            self.assertEqual(len(plan), len(set(plan)))


def stories(path, documents=20, seed=6):
    """Writes a small set with names. Some sentences of a document tell the type of a name, others
    do not."""
    rng = random.Random(seed)
    clear = {"PER": ["{} said that", "he met {} there"], "LOC": ["they live in {} now", "near {} it rains"]}
    vague = ["{} was old", "so {} again", "we like {}"]
    names = ["Anna Berg", "Carl Dahl", "Elin Falk", "Gustav", "Hamburg", "Ivar", "Jordan", "Kent", "Lund", "Malta"]
    with open(path, "w", encoding="utf-8") as file:
        for d in range(documents):
            print(f"# domain: d{d}", file=file)
            kinds = {name: rng.choice(["PER", "LOC"]) for name in rng.sample(names, 4)}
            for r in range(12):
                name, kind = rng.choice(sorted(kinds.items()))
                print(f"# record: d{d}.{r}", file=file)
                for token in rng.choice(clear[kind] if rng.random() < 0.5 else vague).split():
                    for word in name.split() if token == "{}" else [token]:
                        print(f"{word}\tI-{kind}" if token == "{}" else f"{word}\tO", file=file)
                print(file=file)


class Head(unittest.TestCase):
    """The CRF on dense and sparse columns."""

    def test_expectations_by_enumeration(self):
        rng, lengths = np.random.default_rng(0), [3, 1, 2]
        unary, edges = 3 * rng.normal(size=(6, 3)), 2 * rng.normal(size=(3, 3))
        found = crf_head.Chains(lengths).expected(unary, edges)
        total, marginals, counts, first = 0.0, np.zeros((6, 3)), np.zeros((3, 3)), 0
        for length in lengths:
            weights = {}
            for labels in itertools.product(range(3), repeat=length):
                score = sum(unary[first + t, y] for t, y in enumerate(labels))
                weights[labels] = np.exp(score + sum(edges[pair] for pair in zip(labels, labels[1:])))
            whole = sum(weights.values())
            total += np.log(whole)
            for labels, weight in weights.items():
                for t, y in enumerate(labels):
                    marginals[first + t, y] += weight / whole
                for pair in zip(labels, labels[1:]):
                    counts[pair] += weight / whole
            first += length
        for ours, expected in zip(found, (total, marginals, counts)):
            np.testing.assert_allclose(ours, expected, atol=1e-12)

    def test_training_ends_where_the_slope_is_none(self):
        """At the minimum, expected counts minus gold counts are -penalty times the weight, by
        column."""
        rng, lengths = np.random.default_rng(1), [4, 2, 3]
        dense = rng.normal(size=(9, 2))
        sparse = crf_head.columns([["a"] if t % 2 else ["a", "b", "unknown"] for t in range(9)], {"a": 0, "b": 1})
        labels = rng.integers(3, size=9)
        of_dense, of_sparse, edges = crf_head.train(dense, sparse, lengths, labels, 3, 0.5, 500)
        _, marginals, counts = crf_head.Chains(lengths).expected(dense @ of_dense + sparse @ of_sparse, edges)
        for t, y in enumerate(labels):
            marginals[t, y] -= 1
            if t not in (3, 5, 8):
                counts[y, labels[t + 1]] -= 1
        for weights, slope in ((of_dense, dense.T @ marginals), (of_sparse, sparse.T @ marginals), (edges, counts)):
            np.testing.assert_allclose(slope, -0.5 * weights, atol=2e-3)

    def test_the_encoder_by_hand(self):
        """Compares with a computation by position and by head, as BERT's paper describes it."""
        made, rng, width, inner = encoder.Encoder.__new__(encoder.Encoder), np.random.default_rng(2), 6, 10
        made.heads, made.layers, made.epsilon, w = 2, 2, 1e-12, {}
        made.weights = w
        for name, rows in (("word", 9), ("position", 5), ("token_type", 2)):
            w[f"embeddings.{name}_embeddings.weight"] = rng.normal(size=(rows, width))
        shapes = {f"attention.self.{part}": (width, width) for part in ("query", "key", "value")}
        shapes |= {"attention.output.dense": (width, width), "intermediate.dense": (inner, width),
                   "output.dense": (width, inner)}
        for layer in ("encoder.layer.0.", "encoder.layer.1."):
            for name, shape in shapes.items():
                w[layer + name + ".weight"], w[layer + name + ".bias"] = rng.normal(size=shape), rng.normal(size=shape[0])
        for name in ("embeddings", *(f"encoder.layer.{k}{part}output" for k in (0, 1) for part in (".attention.", "."))):
            w[name + ".LayerNorm.weight"], w[name + ".LayerNorm.bias"] = rng.normal(size=(2, width))

        def linear(x, name):
            return np.array([sum(a * b for a, b in zip(row, x)) for row in w[name + ".weight"]]) + w[name + ".bias"]

        def norm(x, name):
            return (x - x.mean()) / np.sqrt(x.var() + 1e-12) * w[name + ".weight"] + w[name + ".bias"]

        def gelu(x):
            return np.array([value / 2 * (1 + math.erf(value / math.sqrt(2))) for value in x])

        ids = [4, 8, 0]
        states = [norm(w["embeddings.word_embeddings.weight"][k] + w["embeddings.position_embeddings.weight"][t]
                       + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
                  for t, k in enumerate(ids)]
        every = [states]
        for layer in ("encoder.layer.0.", "encoder.layer.1."):
            query, key, value = ([linear(x, f"{layer}attention.self.{part}") for x in states]
                                 for part in ("query", "key", "value"))
            after = []
            for t, x in enumerate(states):
                mixed = []
                for head in (slice(0, 3), slice(3, 6)):
                    odds = [math.exp(query[t][head] @ other[head] / math.sqrt(3)) for other in key]
                    mixed.extend(sum(o * v[head] for o, v in zip(odds, value)) / sum(odds))
                x = norm(x + linear(mixed, layer + "attention.output.dense"), layer + "attention.output.LayerNorm")
                between = gelu(linear(x, layer + "intermediate.dense"))
                after.append(norm(x + linear(between, layer + "output.dense"), layer + "output.LayerNorm"))
            states = after
            every.append(states)
        found = made.forward(np.array([ids, ids]), (0, 1, 2))
        for sequence in found:
            np.testing.assert_allclose(sequence, np.concatenate(every, axis=1), atol=1e-9)


class Neural(Made):
    def test_a_table_by_another_base(self):
        """The states of this base are mostly the gold labels: the split must be scored by it, not
        by the CRF."""
        class Half(neural.Encoded):
            def __init__(self, data):
                gold = np.concatenate([record.labels for record in data.records])
                self.data, rng = data, np.random.default_rng(3)
                self.states = np.eye(len(data.labels))[np.where(rng.random(len(gold)) < 0.9, gold, 0)]
                self.states = np.pad(self.states, ((0, 0), (0, 1)))  # one column that is always 0
                self.shapes = [list(map(features.shape, record.tokens)) for record in data.records]

        class Options:
            data, pages, cache = str(self.root), "nowhere", str(self.root / "neural")
            only, report = [], False

        this = Pass(Options)
        before = dict(neural.BASES)
        neural.BASES["half"] = "half", lambda loaded, store: lambda: Half(loaded.data)
        try:
            text = neural.table(this, ["grobid_refs"], ["half"], [0, 1])
            Options.report = True
            self.assertEqual(neural.table(this, ["grobid_refs"], ["half"], [0, 1, 2]), text)
        finally:
            neural.BASES.clear()
            neural.BASES.update(before)
        rows = [line.split(" | ") for line in text.splitlines()[2:]]
        self.assertEqual([row[0].strip("| ") for row in rows], ["grobid_refs, Title", "grobid_refs, Venue"])
        self.assertEqual({row[2] for row in rows}, {"0 1"})
        self.assertGreater(min(float(value) for row in rows for value in row[3].split()), 85)
        stacked = [file.name for file in (this.folder("grobid_refs") / "scores").glob("stacked*")]
        self.assertTrue(stacked and all("half" in name for name in stacked))


    def test_words_alike_by_hand(self):
        data, found = self.loaded.data, self.loaded.words
        m, every = len(data.labels), range(len(data.records))
        scored = base_model.Scored(every, [np.zeros((len(data.records[r].tokens), m)) for r in every],
                                   [np.zeros((m, m))] * len(every))
        scored.own = [data.records[r].labels.copy() for r in every]
        places = [members for members in words.cliques(found, scored, False)
                  if {data.labels[scored.own[k][t]] for k, t in members} == {"author"}]
        same = neural.alike(data, found, scored)
        self.assertEqual((same[0], same[2]), (same[1], 0.0))
        k, t = places[0][0]
        # Now one more word has labels that differ, and the differing label is an error.
        scored.own[k][t] = (scored.own[k][t] + 1) % len(data.labels)
        after = neural.alike(data, found, scored)
        self.assertGreater(after[0], same[0])
        self.assertEqual((after[1], after[2]), (same[1], 100.0))


class Mentions(unittest.TestCase):
    """Rows of mentions, the counts over them, and pages."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        root = Path(cls.folder.name)
        (root / "wikigold").mkdir()
        stories(root / "wikigold" / "data.conll")

        class Options:
            data, pages, cache, only, report = str(root), "nowhere", str(root / "cache"), [], False

        cls.this = Pass(Options)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @staticmethod
    def types(labels):
        return spans.Types(datasets.Dataset("made", [], [], labels))

    def test_spans_by_hand(self):
        bio = self.types(["O", "B-X", "I-X", "B-Y", "I-Y"])
        self.assertEqual(bio.spans([1, 2, 1, 0, 2, 4]),
                         {(0, 2): "X", (2, 3): "X", (4, 5): "X", (5, 6): "Y"})
        self.assertEqual(self.types(["I-X", "O"]).spans([0, 0, 1, 0]), {(0, 2): "X", (3, 4): "X"})

    def test_probabilities_by_enumeration(self):
        seed = 7
        for names in (["O", "B-X", "I-X", "B-Y", "I-Y"], ["O", "I-X", "I-Y"]):
            types, rng = self.types(names), np.random.default_rng(seed)
            m, length = len(names), 4
            unary, edges = rng.normal(size=(length, m)), rng.normal(size=(m, m))
            found, inside, total = {}, {}, 0.0
            for y in itertools.product(range(m), repeat=length):
                weight = np.exp(sum(unary[t, v] for t, v in enumerate(y))
                                + sum(edges[a, b] for a, b in zip(y, y[1:])))
                total += weight
                for span, kind in types.spans(y).items():
                    found[(*span, kind)] = found.get((*span, kind), 0.0) + weight
                for start, end in itertools.combinations(range(length + 1), 2):
                    if not any(y[start:end]):
                        inside[start, end] = inside.get((start, end), 0.0) + weight
            marginals = spans.Marginals(unary, edges)
            for (start, end, kind), weight in found.items():
                self.assertAlmostEqual(np.exp(marginals.span(start, end, *types.labels(kind))), weight / total,
                                       msg=f"seed {seed}, {names}, {start}, {end}, {kind}")
            for (start, end), weight in inside.items():
                self.assertAlmostEqual(np.exp(marginals.outside(start, end, 0)), weight / total)

    def test_occurrences(self):
        names = {("New", "York"), ("York",), ("A",)}
        self.assertEqual(spans.occurrences("A New York York b A".split(), names, {0}),
                         [(1, 3), (3, 4), (5, 6)])
        self.assertEqual(spans.occurrences("New York".split(), names, {0}), [(1, 2)])

    @staticmethod
    def rows(*given):
        return [{"document": d, "name": name, "gold": gold} for d, name, gold in given]

    def test_split_and_merged_by_hand(self):
        rows = self.rows((0, "a", "X"), (0, "a", "X"), (0, "b", "X"), (0, "b", "Y"), (1, "a", "Y"), (1, "a", "Y"),
                         (1, "c", "O"))
        count = lambda *labels: types_across.entities(rows, labels)
        self.assertEqual(count("X", "X", "X", "Y", "Y", "Y", "O"), [0, 0, 0])
        self.assertEqual(count("X", "Y", "X", "X", "Y", "O", "X"), [1, 1, 1])
        self.assertEqual(count("X", "O", "O", "O", "X", "Y", "O"), [1, 1, 0])
        self.assertEqual(count("O", "O", "O", "Y", "X", "X", "O"), [0, 0, 1])

    def test_counts_by_hand(self):
        rows = self.rows((3, "a", "X"), (3, "a", "Y"), (5, "b", "O"), (5, "b", "Y"))
        gold = {3: ["X", "Y", "Y"], 5: ["Y"]}
        table = types_across.counts(rows, ["X", "X", "Y", "O"], gold, np.array([3, 5]), ["X", "Y"])
        self.assertEqual(table.tolist(), [[[1, 1, 2], [0, 2, 0]], [[0, 0, 0], [0, 1, 1]]])
        np.testing.assert_allclose(types_across.totals(table), [100 / 3, 25, 200 / 7])
        for row in rows:
            row |= {"X": 0.3, "Y": 0.1, "O": 0.6}
        curve = types_across.curve(rows, ["X", "X", "Y", "O"], [0.9, 0.6, 0.8, 0.6], ["X", "Y"], 4)
        np.testing.assert_allclose(curve, [[100, 50, 100 / 3, 25], [25] * 4])
        self.assertEqual([types_across.recall_at(curve, p) for p in (100, 40, 0)], [25] * 3)
        self.assertEqual(types_across.recall_at((curve[0][1:], curve[1][1:]), 60), 0)

    def test_rules(self):
        rows = self.rows((0, "a", "X"), (0, "a", "X"), (0, "a", "Y"), (1, "a", "Y"), (1, "b", "O"))
        own = ["X", "X", "Y", "Y", "O"]
        keys = types_across.KEYS
        self.assertEqual(types_across.by_majority(rows, own, keys[0].of), ["X", "X", "X", "Y", "O"])
        self.assertEqual(types_across.by_majority(rows, ["Y", *own[1:]], keys[1].of), ["Y"] * 4 + ["O"])
        known = self.rows((9, "a", "Y"), (9, "a", "Y"), (9, "a", "O"))
        self.assertEqual(types_across.by_canonical(known, rows, own), ["Y"] * 4 + ["O"])

    def test_homographs_and_exchanges(self):
        rows = self.rows((0, "a", "X"), (0, "b", "Y"), (0, "c", "X"), (1, "b", "Y"), (1, "d", "X"), (1, "e", "O"))
        for number in range(20):
            joined = types_across.homographs(rows, number)
            # In document 1 no partner is left for d.
            (pair,) = spans.grouped(joined, joined.get).values()
            self.assertEqual(len(pair), 2)
            self.assertIn("b", pair)  # the one Y of document 0
            self.assertNotIn("e", joined)
        self.assertEqual(len({row["name"] for row in types_across.renamed(rows, joined)}), 4)
        mixed = spans.exchanged(rows, 3)
        for row, other in zip(rows, mixed):
            self.assertEqual((row["document"], row["gold"]), (other["document"], other["gold"]))
        for document in (0, 1):
            self.assertEqual(*(sorted(row["name"] for row in of if row["document"] == document)
                               for of in (rows, mixed)))

    def test_leaks_by_hand(self):
        rows = self.rows((0, "a", "PER"), (0, "a", "PER"), (0, "a", "O"), (0, "b", "PER"), (1, "a", "PER"),
                         (1, "c", "O"))
        count = lambda *masked: names_masked.leaks(rows, list(map(bool, masked))).tolist()
        self.assertEqual(count(1, 1, 0, 1, 1, 0), [0, 0, 0, 4])
        self.assertEqual(count(1, 0, 1, 0, 1, 1), [1, 2, 2, 4])
        self.assertEqual(count(0, 0, 0, 0, 0, 0), [0, 4, 0, 0])
        self.assertEqual(count(0, 0, 0, 1, 0, 0), [0, 3, 0, 1])

    def test_precision_ahead_of_another(self):
        rows = self.rows((0, "a", "PER"), (0, "b", "O"), (1, "a", "PER"), (1, "b", "O"), (2, "a", "PER"))
        gain, error = names_masked.ahead(rows, [1, 0, 1, 1, 1], [1, 1, 1, 1, 0])
        self.assertAlmostEqual(gain, 3 / 4 - 2 / 4)
        left = [2 / 3 - 1 / 2, 1 - 1 / 2, 2 / 3 - 2 / 4]
        self.assertAlmostEqual(error, np.sqrt(2 / 3 * sum((x - np.mean(left)) ** 2 for x in left)))

    def test_a_split_of_types(self):
        for harder in (False, True):
            result, (data, rows, labels, found, answers) = types_across.point(self.this, "wikigold", 1, harder)
            self.assertEqual(set(result["tables"]), set(types_across.METHODS))
            self.assertEqual(len(spans.parts(self.this, "wikigold", 1, types_across.made)[3]), len(result["groups"]))
            for row in rows:
                self.assertAlmostEqual(sum(row[label] for label in labels), 1.0)
                self.assertIn(row["document"], result["groups"])
            made = types_across.page("wikigold", 1, (data, rows, labels, found, answers), "text")
            self.assert_same(made, data, rows, labels, found.labels)
            keep(made, "types-harder" if harder else "types")
            for k, row in enumerate(rows):
                if found.labels[k] != answers["alone"][k]:
                    of = data.records[row["record"]].name
                    (title,) = (name for name in made.chain_names if name.split("; ")[0] == of)
                    self.assertIn(f"{found.labels[k]} {found.probability[k]:.2f}", title)
        self.assertGreater(result["entities"]["majority, document"][2], result["entities"]["alone"][2])
        table = types_across.rows_of_table([result, result])
        self.assertEqual({len(row) for row in table}, {len(types_across.HEADS)})

    def test_a_split_of_names(self):
        result, (data, rows, found, answers, set_to) = names_masked.point(self.this, "wikigold", 1)
        words = names_masked.name_words(data)
        self.assertIn("Anna", words)
        self.assertNotIn("said", words)
        for row in rows:
            self.assertIn(data.records[row["record"]].tokens[row["start"]], words)
        self.assertFalse(any(m and not row["once"] for row, m in zip(rows, answers["agreement"])))
        self.assertEqual(sum(result["tables"]["deny list, words"])[0], 0)
        made = names_masked.page("wikigold", 1, (data, rows, found, answers, set_to), "text")
        labels = ["PER" if masked else "O" for masked in answers["agreement"]]
        self.assert_same(made, data, rows, names_masked.LABELS, labels)
        keep(made, "names")
        table = names_masked.rows_of_table([result, result])
        self.assertEqual({len(row) for row in table}, {len(names_masked.HEADS)})

    def assert_same(self, made, data, rows, labels, expected):
        """Checks that a page has the labels of agreement at the mentions' places, and their gold
        labels."""
        made, at, gold = ch.Problem.from_bytes(made.to_bytes()), {}, {}
        with ch.Run(made.model, rounds=10) as run:
            run.solve()
            found, right = run.labels(), iter(made.gold.tolist())
            place = 0
            for r in data.of_groups({row["document"] for row in rows}):
                starts, t = {row["start"]: row["end"] for row in rows if row["record"] == r}, 0
                while t < len(data.records[r].tokens):
                    at[r, t], gold[r, t] = labels[found[place]], labels[next(right)]
                    t, place = starts.get(t, t + 1), place + 1
        self.assertEqual([at[row["record"], row["start"]] for row in rows], list(expected))
        self.assertEqual([gold[row["record"], row["start"]] for row in rows], [row["gold"] for row in rows])


def keep(problem, name):
    """Saves a page for tests/report, if CHORALE_KEEP_PAGES names a folder."""
    folder = os.environ.get("CHORALE_KEEP_PAGES")
    if folder:
        problem.save(os.path.join(folder, f"mentions-{name}.chorale"))


class Report(unittest.TestCase):
    def test_ticks_cover(self):
        for low, high in ((0, 1), (61.3, 90.2), (-3, 7), (5, 5), (0.001, 0.0011)):
            found = report.ticks(low, high)
            self.assertLessEqual(found[0], low + 1e-12)
            self.assertGreaterEqual(found[-1], high - 1e-12)

    def test_table_escapes(self):
        self.assertIn("a\\|b", report.markdown_table(["x", "y"], [["a|b", 1]]))

    def test_nothing_to_plot(self):
        with self.assertRaises(ValueError):
            report.line_plot("never", "t", "x", "y", [("a", [1], [float("nan")])])


class SharedCliques(unittest.TestCase):
    def test_generated(self):
        options = SimpleNamespace(rounds=40, tracks=8)
        found = shared_cliques.measure(shared_cliques.generate(7, 100), 1.0, 10, options)
        self.assertGreater(found["giants"], 5)
        self.assertLess(found["alone"], 0.5)
        self.assertGreater(found["reached"], 0.97)


class Votes(unittest.TestCase):
    def test_majority(self):
        found = settled.majority(np.array([0, 0, 1, 0, 1]), np.array([2, 1, 0, 2, 0]))
        self.assertEqual(found.tolist(), [2, 2, 0, 2, 0])

    def test_settle_is_above_the_tagger(self):
        for two in (0.0, 0.05):
            ours, vote, tagger = settled.of_generated(two, "calibrated", 1, rows=4000)
            self.assertEqual(len(ours), 1 + len(settled.SIZES))
            self.assertGreater(ours[0], tagger[0] + 5)
            self.assertGreater(ours[0], vote[0] - 0.5)

    def test_merchants_of_two_kinds_are_for_neither(self):
        ours, vote, tagger = settled.of_merchants(1, count=1000)
        self.assertEqual(len(ours), 1 + len(settled.BANDS) + 2)
        self.assertGreater(ours[0], max(vote[0], tagger[0]))
        self.assertGreater(ours[-1], vote[-1] + 3)
        self.assertGreater(tagger[-1], ours[-1] + 3)


class MadeTagger(stanford.Tagger):
    """In place of Stanford's: unsure of Kay at the beginning of a sentence alone. The sampler finds the
    labels `sampled`."""

    def __init__(self, sampled):
        self.sampled = sampled

    def answer(self, sentences, cliques, *more):
        if more:
            return ["O", "PERSON"], ["0.5", *map(str, self.sampled)]
        lines = []
        for words in sentences:
            for t, word in enumerate(words):
                sure = np.log([0.9, 0.1] if word != "Kay" else [0.2, 0.8] if t else [0.55, 0.45])
                label = "PERSON" if word == "Kay" and t else "O"
                lines.append("\t".join([label, *map(str, np.tile(sure, 2 if t else 1))]))
        return ["O", "PERSON"], lines


class Stanford(unittest.TestCase):
    def test_gains(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "data.conll"
            person, other = "Kay\tI-PER\n", "in\tO\n"
            path.write_text("# domain: a\n" + "".join(
                f"# record: {k}\n{first}{person}\n" for k, first in enumerate([other, other, other])
            ) + f"# record: 3\n{person}{other}\n")
            data = datasets.read("wikigold", path)
        gold = [0, 1, 0, 1, 0, 1, 1, 0]
        tagger = MadeTagger(gold)
        corpus = stanford.Corpus(data, tagger)
        self.assertEqual(stanford.cliques_of(corpus), [[0, 1], [0, 1], [0, 1], [1, 0]])
        rows, compared = stanford.of_all(corpus, tagger, [7])
        self.assertEqual([count for _, count, _, _ in rows], [8, 4, 4])
        self.assertAlmostEqual(rows[0][2], 100 * 6 / 7)
        self.assertAlmostEqual(rows[0][2] + rows[0][3], 100)  # the others are sure: Kay is a person
        self.assertAlmostEqual(compared[0][1], compared[2][1])  # the sampler's labels, the same objective
        self.assertGreater(compared[0][1], 0)
        self.assertEqual(compared[2][3], 0.5)

    def test_labels_that_are_not_the_best_are_refused(self):
        class Wrong(MadeTagger):
            def answer(self, *given):
                names, lines = super().answer(*given)
                return names, [re.sub("^O", "PERSON", line) for line in lines]

        with self.assertRaisesRegex(ValueError, "not the best of its chain"):
            Wrong([]).scores([["in", "Kay"]])


class Features(unittest.TestCase):
    def test_rows(self):
        rows = features.of_record(["Smith", "1990", "."])
        self.assertEqual(len(rows), 3)
        self.assertIn("w=smith", rows[0])
        self.assertIn("year", rows[1])
        self.assertIn("w-1=0000", rows[2])
        plain = features.of_record(["Smith", "1990", "."], places=False)
        self.assertEqual([[f for f in row if f.split("=")[0] not in ("from", "to", "part")]
                          for row in rows], plain)


if __name__ == "__main__":
    unittest.main()
