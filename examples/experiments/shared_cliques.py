#!/usr/bin/env python3
"""Cliques across documents by prices and counts, against one run that holds all of them.

    shared_cliques.py [--data FOLDER] [--cache FOLDER] [--splits N] [--quick]

Words of a corpus are cliques across documents, with strength / n sum_v n_v^2. The *giants*, of at least
`least` members, are shared: what is exchanged are prices and counts (libchorale.prices). The control is
a run of the library over the whole model in one process. Prints, for each set, strength and `least`,
the part of that run's gain over the sentences' own labels that is reached, in how many broadcasts 99 %
of it were, and how often each sentence was decoded. Scores are those of the base model of run.py, for
the test documents of its splits; `generated` needs no data.
"""

import argparse
from pathlib import Path

import libchorale as ch
import numpy as np
from libchorale.prices import Part, Search

STRENGTHS = (0.5, 1.0, 3.0)


class Corpus:
    """Sentences with scores, and cliques as lists of (sentence, position)."""

    def __init__(self, unary, transitions, cliques, values, label_values):
        self.unary, self.transitions, self.cliques = unary, transitions, cliques
        self.values, self.label_values = values, label_values

    def model(self, potential):
        builder = ch.ModelBuilder()
        for unary, matrix in zip(self.unary, self.transitions):
            builder.add_chain(unary, matrix)
        first = builder.add_cliques(len(self.cliques), values=self.values, potential=potential,
                                    label_values=self.label_values)
        members = np.array([member for clique in self.cliques for member in clique])
        offsets = np.cumsum([0, *map(len, self.cliques)])
        builder.add_positions(first.start, offsets, members[:, 0], members[:, 1])
        return builder.freeze()


def read(name, number, data_folder, cache):
    """The test documents of a split of a data set, scored by the base model."""
    import base_model
    import datasets
    import features
    import words
    from run import Pass

    data = datasets.read(name, data_folder / name / "data.conll")
    places = argparse.Namespace(data=data_folder, cache=cache, pages=None)
    store = base_model.Store(Path(cache) / Pass(places).folder(name) / "scores")
    train, test = datasets.split(data, 0.3, number)
    found = words.Words(data)
    _, scored = base_model.fit(store, data, lambda: features.Features(data), train, test, number)
    return Corpus(scored.unary, scored.matrices, words.cliques(found, scored, True),
                  len(found.kinds), found.kind_of_label)


def generate(number, sentences=1500, labels=5):
    """Words by Zipf, scores that say little: every label of a word is nearly as good as another."""
    rng = np.random.default_rng(number)
    matrix = ch.Transitions(rng.normal(scale=0.5, size=(labels, labels)))
    unary, by_word = [], {}
    for k in range(sentences):
        length = int(rng.integers(4, 25))
        unary.append(rng.uniform(0, 2, size=(length, labels)))
        for t, word in enumerate(rng.zipf(1.5, length).tolist()):
            by_word.setdefault(word, []).append((k, t))
    cliques = [members for _, members in sorted(by_word.items()) if len(members) > 1]
    return Corpus(unary, [matrix] * sentences, cliques, labels, None)


def measure(corpus, strength, least):
    potential = ch.Potential.potts(corpus.values, strength, scale="members")
    model = corpus.model(potential)
    whole = ch.Run(model).solve()
    giants = [c for c, members in enumerate(corpus.cliques) if len(members) >= least]
    part = Part(model, {c: k for k, c in enumerate(giants)})
    sizes = [len(corpus.cliques[c]) for c in giants]
    search, reached = Search([potential] * len(giants), sizes), []
    while (asked := search.ask()) is not None:
        search.take(part.answer(asked))
        reached.append((search.best.score - whole.own_score) / (whole.score - whole.own_score))
    labels = part.labels(search.best.prices, search.first)
    assert abs(model.score(labels).score - search.best.score) <= 1e-6 * abs(search.best.score)
    broadcasts = next((k + 1 for k, part in enumerate(reached) if part >= 0.99), None)
    return {"giants": len(giants), "largest": max(sizes, default=0), "alone": reached[0],
            "reached": reached[-1], "broadcasts": broadcasts, "all": search.rounds,
            "decodings": search.decodings / len(model)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache/chorale-experiments")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--least", type=int, nargs="*", default=[2, 10, 50])
    parser.add_argument("--quick", action="store_true", help="one small generated corpus")
    options = parser.parse_args()
    sets = [name for name in ("wikigold", "litbank") if (options.data / name).is_dir()]
    for name in {"wikigold", "litbank"} - set(sets):
        print(f"skipped: {name} is not in {options.data}")
    print("| set | strength | least | giants | largest | local cliques alone | reached, least of splits | "
          "99 % after | broadcasts | decodings |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name in ["generated"] if options.quick else ["generated", *sets]:
        for strength in STRENGTHS:
            for least in options.least:
                rows = []
                for number in range(1 if options.quick else options.splits):
                    if name == "generated":
                        corpus = generate(number, 150 if options.quick else 1500)
                    else:
                        corpus = read(name, number, options.data, options.cache)
                    rows.append(measure(corpus, strength, least))
                mean = {key: np.mean([row[key] for row in rows])
                        for key in ("giants", "largest", "alone", "reached", "all", "decodings")}
                after = [row["broadcasts"] for row in rows]
                print(f"| {name} | {strength} | {least} | {mean['giants']:.0f} | {mean['largest']:.0f} | "
                      f"{100 * mean['alone']:.1f} % | {100 * mean['reached']:.2f} %, "
                      f"{100 * min(row['reached'] for row in rows):.2f} % | "
                      f"{'-' if None in after else max(after)} | {mean['all']:.0f} | "
                      f"{mean['decodings']:.0f} |", flush=True)


if __name__ == "__main__":
    main()
