"""A split of a token set: its records with the scores of taggers, and the problems they make."""

from libchorale.learn import learn

import base_model
import datasets
import domain_adaptation
import properties
import repeated_words
import words
from learning import folds_of, halves
from run import PROPERTY_POINTS


class Case:
    """parts: the training records, each part scored by a tagger that has not seen it. scored: the
    test records, scored by the final tagger. classes: of labels, as the learner takes them. options:
    of the run that labels."""

    def __init__(self, this, experiment, name, number):
        """this: the Pass that loads sets and keeps scores. experiment: "words", "words-across", or
        one of PROPERTY_POINTS."""
        self.loaded = this.load(name)
        self.data, self.across = self.loaded.data, experiment == "words-across"
        self.tag, self.properties, _ = PROPERTY_POINTS.get(experiment, ("base", None, None))
        store = base_model.Store(this.folder(name) / "scores")
        if self.properties:
            fraction, module, self.options = 0.2, domain_adaptation, domain_adaptation.RUN
        else:
            fraction, module, self.options = repeated_words.FRACTIONS.get(name, 0.3), repeated_words, {}
        self.classes = module.classes(self.data)
        train, test = datasets.split(self.data, fraction, number)
        held_out, self.scored = base_model.fit(store, self.data, lambda: self.loaded.features_of(self.tag),
                                               train, test, number, self.tag)
        self.parts = folds_of(held_out)
        if self.across:
            self.parts = halves(self.data, self.parts)

    def problem(self, scored):
        """Returns the problem of some records. The potentials of its cliques are to be learnt."""
        if self.properties:
            return properties.to_learn(self.loaded.properties, scored, self.properties)
        return words.to_learn(self.loaded.words, scored, self.across)

    def learn(self):
        """Learns from the training parts."""
        return learn([self.problem(part) for part in self.parts], classes=self.classes)
