#!/usr/bin/env python3
"""Does agreement help a tagger off the shelf? Stanford's CRFs for names, on all articles of wikigold.

    stanford.py [--data FOLDER] [--cache FOLDER] [--samples N...] [--splits N...]

Needs a JDK (Debian: default-jdk-headless) and Maven, which fetches the tagger: 0.5 GB, once. The
tagger is used as it is. Its scores are the exact ones of its chains, the labels of a word agree inside
an article, and the strength is found without gold labels.

Prints two Markdown tables. The first: token F1 of the kinds of names that the tagger knows, of all
words, of those whose label has a probability of at least 0.9, and of the others; and the mean over
splits, where a control and a strength are learnt from 30 % of the articles (learning.py). The second:
the gain in the objective over the tagger's own labels, and the processor's seconds, beside those of
Stanford's Gibbs sampler, which is given the same objective (Stanford.java).
"""

import os
import subprocess
import time
from collections import Counter
from pathlib import Path

import libchorale as ch
import numpy as np

import datasets
import learning
import measure
from report import markdown_table
from run import HERE, Pass, parser_of

VERSION = "4.5.7"
MAVEN = ("mvn", "--quiet", "--batch-mode", "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy")
MODELS = ("english.conll.4class", "english.all.3class")
KINDS = {"PERSON": "I-PER", "LOCATION": "I-LOC", "ORGANIZATION": "I-ORG", "MISC": "I-MISC", "O": "O"}
FRACTION = 0.3


class Tagger:
    """One of Stanford's taggers. folder: where Maven puts it."""

    def __init__(self, folder, model):
        jars = [folder / f"stanford-corenlp-{VERSION}{part}.jar" for part in ("", "-models")]
        for jar, kind in zip(jars, ("jar", "jar:models")):
            if not jar.exists():
                artifact = f"edu.stanford.nlp:stanford-corenlp:{VERSION}:{kind}"
                subprocess.run([*MAVEN, f"-Dartifact={artifact}", f"-DoutputDirectory={folder}"], check=True)
        self.command = ["java", "-Xmx4g", "-cp", os.pathsep.join(map(str, jars)), str(HERE / "Stanford.java"),
                        f"edu/stanford/nlp/models/ner/{model}.distsim.crf.ser.gz"]

    def answer(self, sentences, cliques, *more):
        """Returns the names of the labels, and the lines after them. sentences: their words;
        cliques: by sentence and word, a number or -1."""
        text = "".join(
            "".join(f"{word}\t{clique}\n" for word, clique in zip(*one)) + "\n" for one in zip(sentences, cliques)
        )
        done = subprocess.run([*self.command, *map(str, more)], input=text, stdout=subprocess.PIPE,
                              encoding="utf-8", check=True)
        names, *lines = done.stdout.splitlines()
        return names.split("\t"), lines

    def scores(self, sentences):
        """Returns the names of the labels, and by sentence the logarithms of the probabilities of its
        first label and of each next label: m, and (T - 1) x m x m numbers, of float64."""
        names, lines = self.answer(sentences, [[-1] * len(words) for words in sentences])
        rows, found = iter(lines), []
        for words in sentences:
            parts = [next(rows).split("\t") for _ in words]
            first = np.array(parts[0][1:], dtype=float)
            edges = np.array([scores for _, *scores in parts[1:]], dtype=float).reshape(-1, len(names), len(names))
            chain = ch.Chain(unary_of(first, edges), edges)
            own = chain.score([names.index(label) for label, *_ in parts])
            if not np.isclose(own, ch.ChainSolver().best(chain).score, atol=1e-6):
                raise ValueError(f"the tagger's labels are not the best of its chain: {words}")
            found.append((first, edges))
        return names, found


def unary_of(first, edges):
    unary = np.zeros((len(edges) + 1, len(first)))
    unary[0] = first
    return unary


def probabilities(first, edges):
    """Returns the probability of each label at each position."""
    rows = [np.exp(first)]
    for matrix in edges:
        rows.append(rows[-1] @ np.exp(matrix))
    return np.array(rows)


class Corpus:
    """The articles with the scores of a tagger. Kinds that it does not know are O."""

    def __init__(self, data, tagger):
        self.data = data
        self.names, self.scores = tagger.scores([record.tokens for record in data.records])
        known = [KINDS[name] for name in self.names]
        self.other = known.index("O")
        number = np.array([known.index(label) if label in known else self.other for label in data.labels])
        self.gold = [number[record.labels].astype(np.int32) for record in data.records]
        self.classes = np.array([-1 if name == "O" else label for label, name in enumerate(self.names)])
        self.groups = [record.group for record in data.records]
        # A word without a letter agrees with nothing.
        self.tokens = [[word if any(c.isalpha() for c in word) else None for word in record.tokens]
                       for record in data.records]

    def problem(self, groups):
        chosen = self.data.of_groups(groups)
        return ch.build_problem(
            [unary_of(*self.scores[r]) for r in chosen],
            edges=[self.scores[r][1] for r in chosen],
            gold=np.concatenate([self.gold[r] for r in chosen]),
            tokens=[self.tokens[r] for r in chosen],
            groups=[self.groups[r] for r in chosen],
            uncounted=[self.other],
        )

    def f1(self, labels, gold):
        table = measure.counts_of(gold, labels, len(self.names))
        return measure.f1(table, [label for label in self.classes if label >= 0])


def of_split(corpus, number):
    """Returns the F1 of each method on the test articles of a split."""
    train, test = datasets.split(corpus.data, FRACTION, number)
    problems, labelled = [corpus.problem(half) for half in (train[::2], train[1::2])], corpus.problem(test)
    chains = len(labelled.model.chain_lengths)
    found = learning.study(problems, labelled, chains, corpus.classes)
    with ch.Run(labelled) as run:
        run.solve()
        methods = [run.labels(alone=True), *(np.concatenate(found[name][0]) for name in learning.METHODS)]
    return [corpus.f1(labels, labelled.gold) for labels in methods]


def cliques_of(corpus):
    """Returns by sentence and word the number of its clique: the places of a word in an article, if
    there are two; else -1."""
    places = [[None if word is None else (group, word) for word in words]
              for group, words in zip(corpus.groups, corpus.tokens)]
    count = Counter(place for sentence in places for place in sentence)
    numbers = {place: number for number, place in enumerate(p for p, n in count.items() if p and n >= 2)}
    return [[numbers.get(place, -1) for place in sentence] for sentence in places]


def of_all(corpus, tagger, samples):
    """Labels all articles. Returns rows (words, their number, F1 of the tagger, gain), and rows (what,
    gain in the objective, F1, seconds)."""
    unaries = [unary_of(*scores) for scores in corpus.scores]
    edges = [edges for _, edges in corpus.scores]
    agree = {"edges": edges, "tokens": corpus.tokens, "groups": corpus.groups, "uncounted": [corpus.other]}
    begin = time.process_time()
    found = ch.decode(unaries, **agree)
    end = time.process_time()
    [strength] = found.strengths
    ch.decode(unaries, **agree, strength=strength)
    given = time.process_time() - end
    gold, own, labels = (np.concatenate(each) for each in (corpus.gold, found.alone, found.labels))
    sure = np.concatenate([probabilities(*scores).max(axis=1) for scores in corpus.scores])
    print(f"strength {strength:.3f}, {(own != labels).sum()} of {len(own)} words changed", flush=True)
    by_sureness = []
    for what, part in (("all", sure >= 0), ("at least 0.9", sure >= 0.9), ("less", sure < 0.9)):
        before = corpus.f1(own[part], gold[part])
        by_sureness.append((what, part.sum(), before, corpus.f1(labels[part], gold[part]) - before))

    model = ch.build_problem(unaries, **agree, strength=strength).model
    own_score = model.score(own).score
    compared = [("Chorale", found.score - own_score, corpus.f1(labels, gold), given),
                ("with the search for the strength", found.score - own_score, corpus.f1(labels, gold), end - begin)]
    for number in samples:
        words = [record.tokens for record in corpus.data.records]
        _, (seconds, *lines) = tagger.answer(words, cliques_of(corpus), strength, number)
        sampled = np.array(lines, dtype=np.int32)
        compared.append((f"Gibbs, {number} samples", model.score(sampled).score - own_score,
                         corpus.f1(sampled, gold), float(seconds)))
    return by_sureness, compared


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--samples", type=int, nargs="*", default=[100, 1000],
                        help="of the Gibbs sampler; Stanford's own number is 100")
    parser.add_argument("--splits", type=int, nargs="*", default=range(5))
    options = parser.parse_args()
    data = Pass(options).load("wikigold").data
    gains, times = [], []
    for model in MODELS:
        tagger = Tagger(Path(options.cache) / "stanford", model)
        corpus = Corpus(data, tagger)
        by_sureness, compared = of_all(corpus, tagger, options.samples)
        gains += [(model, what, count, f"{f1:.2f}", f"{gain:+.2f}") for what, count, f1, gain in by_sureness]
        times += [(model, what, f"{objective:.2f}", f"{f1:.2f}", f"{seconds:.2f}")
                  for what, objective, f1, seconds in compared]
        splits = np.array([of_split(corpus, number) for number in options.splits])
        for split, row in zip(options.splits, splits):
            print(model, split, np.round(row, 2), flush=True)
        f1, *rest = splits.mean(axis=0)
        told = ", ".join(f"{name} {value - f1:+.2f}" for name, value in zip(learning.METHODS, rest))
        gains.append((model, "all, splits", "", f"{f1:.2f}", told))
    print("\n" + markdown_table(["tagger", "probability of the label", "words", "F1", "gain"], gains, "llrrr"))
    print(markdown_table(["tagger", "found by", "gain in the objective", "F1", "seconds"], times, "llrrr"))


if __name__ == "__main__":
    main()
