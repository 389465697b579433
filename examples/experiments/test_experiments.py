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
import stacking
import tables
import tuning
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


class Tuning(unittest.TestCase):
    GROUPS = 10

    def measure(self, strengths):
        """Property a helps up to 2, b harms, c does nothing."""
        self.calls += 1
        gain = min(strengths["a"], 2.0) - 0.5 * strengths["b"] - max(0.0, strengths["a"] - 2.0)
        return np.array([[50 + gain + 0.01 * g] for g in range(self.GROUPS)])

    def test_finds_strengths(self):
        self.calls = 0
        found, score = tuning.tune(self.measure, "abc", (0, 1, 2, 4), lambda t: t[0] / self.GROUPS)
        self.assertEqual((found["a"], found["b"]), (2.0, 0.0))
        self.assertAlmostEqual(score, 52.045)
        self.assertLess(self.calls, 16)

    def test_caution_keeps_zero(self):
        def noisy(strengths):  # one group of ten gains much, the others lose a little
            table = np.full((self.GROUPS, 1), 50.0)
            table[0] += 10 * strengths["a"]
            table[1:] -= strengths["a"]
            return table

        quality = lambda t: t[0]
        self.assertEqual(tuning.tune(noisy, "a", (0, 1), quality, caution=1.0)[0]["a"], 0.0)
        self.assertEqual(tuning.tune(noisy, "a", (0, 1), quality, caution=0.0)[0]["a"], 1.0)


class Collective(Made):
    def test_properties_fire_once_a_segment(self):
        data, found = self.loaded.data, self.loaded.properties
        numbers = {k: data.kinds.index(k) for k in ("Author", "Title", "Venue")}
        shown = found.fired(0, data.records[0].labels)  # Smith ( 1950 ) . T T . V V .
        self.assertEqual(shown["first"], [numbers["Author"]])
        self.assertEqual(shown["after_title"], [numbers["Venue"]])
        self.assertEqual(shown["after_venue"], [len(data.kinds)])
        self.assertEqual(len(shown["before_title"]), 1)
        self.assertEqual(shown["token_after_title"], [found.tables[0][7]])
        labels = data.records[0].labels.copy()
        labels[5] = data.labels.index("O")  # Title in one run of one token
        self.assertEqual(found.fired(0, labels)["token_after_title"], [found.tables[0][7]])
        labels[7], labels[5] = labels[6], labels[6]
        labels[6] = data.labels.index("O")  # two runs of Title
        self.assertEqual(len(found.fired(0, labels)["token_after_title"]), 2)
        labels[:] = data.labels.index("title-a")
        self.assertEqual(found.fired(0, labels)["token_after_title"],
                         [found.automata["token_after_title"].values - 1])

    def test_empty_agrees_like_a_value(self):
        k = np.arange(5.0)
        counts = np.array([1, 2, 0])  # and one member of four more, EMPTY or CONFLICT
        for family, value, empty in (("potts", 2 * 5 / 4, 2 / 4), ("both", 2 * (5 / 4 + 0.5 * 3), 2 / 4)):
            setting = properties.Setting(family=family, share=0.5, empty=("first",))
            found = properties.with_empty("first", setting, 3, 2.0, k, None)
            self.assertAlmostEqual(found.evaluate([*counts, 1, 0]), value + empty)
            self.assertAlmostEqual(found.evaluate([*counts, 0, 1]), value)
        setting = properties.Setting(empty=("first",))
        left = properties.with_empty("first", setting, 3, 2.0, k, np.array([True, False, True]))
        self.assertAlmostEqual(left.evaluate([1, 2, 0, 1, 0]), 2 * (1 + 1) / 4)
        setting = properties.Setting(family="control", empty=("first",))
        with self.assertRaises(ValueError):  # nothing agrees in the control
            properties.with_empty("first", setting, 3, 2.0, k, None)

    def test_spared_empty_is_paid_by_the_member(self):
        k = np.arange(5.0)
        for family, value in (("potts", 2 * 2 * 2 / 4), ("control", 2 * 2)):
            setting = properties.Setting(family=family, spare=1.5)
            found = properties.with_empty(properties.SPARED, setting, 3, 2.0, k, None)
            for empty in (0, 1, 2):
                counts = [0, 2, 0, empty, 2 - empty]
                self.assertAlmostEqual(found.evaluate(counts), value + 2 * 1.5 * empty)
        with self.assertRaises(ValueError):
            properties.with_empty(properties.SPARED, properties.Setting(family="vote", spare=1.0), 3,
                                  2.0, k, None)

    def test_cliques_of_a_setting(self):
        data, found = self.loaded.data, self.loaded.properties
        train, test = datasets.split(data, 0.25, 1)
        _, scored = base_model.fit(self.store, data, self.loaded.features, train, test, 1)
        count = 0
        for group in test:
            tokens = [t.lower() for r in data.of_groups([group]) for t in data.records[r].tokens
                      if any(c.isalpha() for c in t)]
            count += sum(tokens.count(t) >= 3 for t in set(tokens))
        self.assertGreater(count, 0)
        model = properties.build(found, scored, properties.Setting(words=0.5))
        self.assertEqual(model.cliques, count)
        both = properties.Setting({"token_after_title": 1.0}, words=0.5)
        self.assertEqual(properties.build(found, scored, both).cliques, count + len(test))
        # A bias beyond everything leaves no Other where another label can stand.
        labels, _ = properties.label(found, scored, properties.Setting(bias=1e4))
        self.assertNotIn(data.other, data.kind_of_label[np.concatenate(labels)])

    def test_agreement_repairs_styles(self):
        result = domain_adaptation.point(self.store, self.loaded.data, self.loaded.properties,
                                         self.loaded.features, 0.25, 1)
        title = measure.kinds_of(self.loaded.data, ["Title", "Venue"])
        f1 = {m: float(measure.f1(np.array(c).sum(axis=0), title))
              for m, c in result["counts"].items()}
        self.assertGreaterEqual(f1["collective"], f1["base"])
        self.assertEqual(set(domain_adaptation.METHODS), set(f1))

    def test_spared_settings_validate_no_worse(self):
        result = domain_adaptation.spared_point(self.store, self.loaded.data, self.loaded.properties,
                                                self.loaded.features, 0.25, 1)
        self.assertEqual(set(domain_adaptation.SPARED_METHODS), set(result["counts"]))
        for name in ("control", "collective"):
            self.assertGreaterEqual(result["quality"][f"{name}, spared"], result["quality"][name])
            self.assertEqual(result["settings"][name]["spare"], 0.0)

    def test_control_ignores_agreement(self):
        data, found = self.loaded.data, self.loaded.properties
        train, test = datasets.split(data, 0.25, 1)
        _, scored = base_model.fit(self.store, data, self.loaded.features, train, test, 1)
        setting = properties.Setting(dict.fromkeys(properties.NAMES, 1.0), family="control", beam=30)
        together, _ = properties.label(found, scored, setting)
        chains = list(range(len(scored)))
        random.Random(1).shuffle(chains)
        apart, _ = properties.label(found, scored.part(chains), setting)
        for k, labels in zip(chains, apart):
            self.assertEqual(labels.tolist(), together[k].tolist())

    def test_words(self):
        data, found = self.loaded.data, self.loaded.words
        train, test = datasets.split(data, 0.25, 1)
        held_out, scored = base_model.fit(self.store, data, self.loaded.features, train, test, 1)
        cliques = words.cliques(found, scored, words.Setting(across=True))
        model = words.build(found, scored, words.Setting(strength=1.0, across=True))
        self.assertEqual(model.cliques, len(cliques))
        self.assertEqual(sorted(len(c) for c in cliques),
                         sorted(model.clique_members(k) for k in range(model.cliques)))
        voted = words.vote(found, scored, words.Setting(across=True))
        for members in cliques:
            self.assertEqual(len({found.kind_of_label[voted[k][t]] for k, t in members}), 1)
        weights = words.co_occurrence(found, held_out, words.Setting(across=True))
        self.assertEqual(weights.shape, (len(found.kinds),) * 2)
        self.assertTrue((np.diag(weights) >= 0).all())
        learnt = words.perceptron(found, held_out, words.Setting(1.0, "majority", across=True),
                                  weights, lambda labels: -abs(labels[0]).sum(), epochs=1)
        self.assertTrue(np.isfinite(learnt).all())

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
        plan = [("domain", "grobid_refs", f, s, s == 0) for f in (0.2, 0.4) for s in (0, 1)]
        plan += [(e, "grobid_refs", 0.2, s, False) for s in (0, 1)
                 for e in ("domain-more", "domain-plain", "spared", "spared-plain")]
        plan.append(("words-across", "wikigold", 0.3, 0, False))
        this.run(plan)
        self.assertEqual(this.skipped, ["wikigold"])
        points = this.folder("grobid_refs") / "points"
        before = sorted(os.listdir(points))
        this.run(plan)  # everything is there already
        self.assertEqual(before, sorted(os.listdir(points)))
        tables.write(*this.results(plan), this, self.root / "out", True)
        text = (self.root / "out" / "quick.md").read_text()
        self.assertIn("| collective |", text)
        self.assertIn("| collective, more |", text)
        self.assertIn("| collective, spared |", text)
        self.assertIn("wikigold", text.split("## ")[0])
        for file in (self.root / "out").glob("*.svg"):
            ElementTree.parse(file)
            self.assertIn(f"({file.name})", text)

    def test_plans_have_no_point_twice(self):
        for quick in (True, False):
            plan = [p[:4] for p in plan_of(quick)]
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
