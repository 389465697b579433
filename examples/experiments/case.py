"""A split of a token set: its records with the scores of taggers, and the problems they make."""

import numpy as np
from libchorale.learn import learn

import base_model
import datasets
import domain_adaptation
import measure
import properties
import repeated_words
import words
from learning import folds_of, halves
from run import PROPERTY_POINTS


class Case:
    """train, test: groups. parts: the training records, each part scored by a tagger that has not
    seen it; seen: by part, the share of all training tokens that its tagger has seen. scored: the
    test records, scored by the final tagger. kinds: those of labels that count in micro F1.
    classes: of labels, as the learner takes them. options: of the run that labels."""

    def __init__(self, this, experiment, name, number):
        """this: the Pass that loads sets and keeps scores. experiment: "words", "words-across", or
        one of PROPERTY_POINTS."""
        self.loaded, self.number = this.load(name), number
        self.data, self.across = self.loaded.data, experiment == "words-across"
        self.tag, self.properties, _ = PROPERTY_POINTS.get(experiment, ("base", None, None))
        self.store = base_model.Store(this.folder(name) / "scores")
        if self.properties:
            fraction, module, self.options = 0.2, domain_adaptation, domain_adaptation.RUN
        else:
            fraction, module, self.options = repeated_words.FRACTIONS[name], repeated_words, {}
        self.classes = module.classes(self.data)
        self.kinds = np.unique(self.classes[self.classes >= 0]).tolist()
        self.train, self.test = datasets.split(self.data, fraction, number)
        held_out, self.scored = self.fit(self.train, self.test)
        self.parts, self.seen = folds_of(held_out)
        if self.across:
            self.parts, self.seen = halves(self.data, self.parts, self.seen)

    def fit(self, train, test):
        """Trains on some groups, and scores others; as base_model.fit()."""
        return base_model.fit(self.store, self.data, lambda: self.loaded.features_of(self.tag), train, test,
                              self.number, self.tag)

    def problem(self, scored):
        """Returns the problem of some records. The potentials of its cliques are to be learnt."""
        if self.properties:
            return properties.to_learn(self.loaded.properties, scored, self.properties)
        return words.to_learn(self.loaded.words, scored, self.across)

    def learn(self, parts=None):
        """Learns from the training parts, or from parts whose taggers have seen as many groups as
        the final one."""
        parts, seen = (self.parts, self.seen) if parts is None else (parts, None)
        return learn([self.problem(part) for part in parts], seen=seen, classes=self.classes)

    def scores(self, labellings):
        """Returns the F1 of all kinds that count together, and of each. labellings: of the test
        records."""
        table = measure.counts(self.data, self.scored.records, labellings, self.test)
        return measure.f1_of_each(table.sum(axis=0), self.kinds)

    def kind_names(self):
        return [self.data.kinds[kind] for kind in self.kinds]
