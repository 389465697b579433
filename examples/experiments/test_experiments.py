"""Tests of the experiments' own parts on small made-up data; no data set is needed.

    python -m unittest test_experiments     (in this folder, with the packages of requirements.txt)
"""

import os
import random
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pycrfsuite

import base_model
import datasets
import domain_adaptation
import features
import measure
import properties
import report
import shared_cliques
import stacking
import tables
import learning
import words
from run import Loaded, Pass, plan_of

STYLES = [("{a} ( {y} ) . {t} . {v} .", "AOYOOTOVO"), ("{t} , {v} . {a} {y}", "TOVOAY"),
          ("{a} : {t} / {v} ( {y} )", "AOTOVOYO")]
NAMES = {"A": "author", "Y": "date", "T": "title-a", "V": "title-j", "O": "O"}


def references(path, groups=12, records=8, seed=5):
    """Writes a small set in the format of the data sets: groups with one style each, words that do
    not tell titles from venues."""
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
    """A small set on disk, and a store."""

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
            # Probability of the tagging: its score less the log-sum over all, which both know.
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
        parts, seen = learning.folds_of(held_out)
        self.assertEqual(len(parts), 5)
        tokens = [sum(len(data.records[r].tokens) for r in part.records) for part in parts]
        np.testing.assert_allclose(seen, [1 - t / sum(tokens) for t in tokens])
        groups = [{data.records[r].group for r in part.records} for part in parts]
        self.assertEqual(sorted(g for of in groups for g in of), list(train))
        halved, shares = learning.halves(data, parts, seen)
        self.assertEqual(len(halved), sum(min(2, len(of)) for of in groups))
        self.assertEqual(sorted(r for half in halved for r in half.records), sorted(held_out.records))
        self.assertLessEqual(set(shares), set(seen))

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
        for basis in ("agreement", "log-agreement", "share"):
            self.assertFalse([w for w in result["learnt"]["control"]["weights"]
                              if w[1] == basis and w[3] != 0])
        for method in ("control", "collective"):
            if result["learnt"][method]["applied"] == 0:
                self.assertEqual(result["counts"][method], result["counts"]["base"])

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
            only, experiments, report, quick = [], [], False, True

        this = Pass(Options)
        plan = [(e, "grobid_refs", 0.5, s) for s in (0, 1)
                for e in ("domain", "domain-four", "domain-plain", "words")]
        plan.append(("words-across", "wikigold", 0.3, 0))
        this.run(plan)
        self.assertEqual(this.skipped, ["wikigold"])
        points = this.folder("grobid_refs") / "points"
        before = sorted(os.listdir(points))
        this.run(plan)  # everything is there already
        self.assertEqual(before, sorted(os.listdir(points)))
        tables.write(*this.results(plan), this, self.root / "out", True)
        text = (self.root / "out" / "quick.md").read_text()
        self.assertIn("| collective |", text)
        self.assertIn("four properties", text)
        self.assertIn("plain base", text)
        self.assertIn("wikigold", text.split("## ")[0])
        for file in (self.root / "out").glob("*.svg"):
            ElementTree.parse(file)
            self.assertIn(f"({file.name})", text)

    def test_plans_have_no_point_twice(self):
        for quick in (True, False):
            plan = plan_of(quick)
            self.assertEqual(len(plan), len(set(plan)))


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
        found = shared_cliques.measure(shared_cliques.generate(7, 100), 1.0, 10)
        self.assertGreater(found["giants"], 5)
        self.assertLess(found["alone"], 0.5)
        self.assertGreater(found["reached"], 0.97)


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
