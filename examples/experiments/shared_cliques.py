#!/usr/bin/env python3
"""Compares cliques across documents by prices and counts with one run that holds all documents.

    shared_cliques.py [--data FOLDER] [--cache FOLDER] [--splits N] [--sets NAME...] [--strengths N...]
                      [--least N...] [--tracks N] [--rounds N] [--bound STEPS] [--quick]

The places of a word are a clique across documents, with potential strength / n sum_v n_v^2. The
*giants*, cliques of at least `least` members, are shared: only prices and counts of them are
exchanged (libchorale.prices). The control is a run of the library over the whole model in one
process; its gain is measured from the labelling of each sentence by itself. Prints, for each set,
strength and `least`: the part of this gain that is reached, the number of broadcasts until 99 % of
it are reached, and how often each sentence was decoded. Scores are those of the base model of
run.py, on the test documents of its splits; `generated` needs no data.

--bound prints upper bounds instead, as their distance above the best labelling found, in parts of
the control's gain: with all prices 0 (the first round); with prices that are the slopes of the
chords over all counts; by the search's subgradient steps; and by a run over the whole model with as
many bound steps. For parts that contain other cliques, their own bound takes STEPS steps.
"""

import argparse
from pathlib import Path

import libchorale as ch
import numpy as np
from libchorale.prices import Asked, Part, Search


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
        builder.add_members(first.start, members[:, 0], members[:, 1], offsets=offsets)
        return builder.freeze()


def read(name, number, data_folder, cache):
    """Returns the test documents of a split of a data set, scored by the base model."""
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
    """Returns a made-up corpus: words by Zipf's law, and scores under which all labels of a word
    are nearly equally good."""
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


def prepare(corpus, strength, least, options, **more):
    potential = ch.Potential.potts(corpus.values, strength, scale="members")
    model = corpus.model(potential)
    giants = [c for c, members in enumerate(corpus.cliques) if len(members) >= least]
    part = Part(model, {c: k for k, c in enumerate(giants)}, **more)
    sizes = [len(corpus.cliques[c]) for c in giants]
    search = Search([potential] * len(giants), sizes, rounds=options.rounds, tracks=options.tracks)
    return model, part, sizes, search


def bounds(corpus, strength, least, options):
    model, part, sizes, search = prepare(corpus, strength, least, options, bound_steps=options.bound)
    whole = ch.Run(model, bound_steps=options.rounds).solve()
    found = {"whole": whole.upper_bound}
    while (asked := search.ask()) is not None:
        search.take(part.answer(asked))
        found.setdefault("zero", search.upper_bound)
    found["search"] = search.upper_bound
    # f_v(n) = strength n^2 / n over the counts from 0 to n: the slope of the chord is `strength`.
    chords = np.full(search.first[-1], strength)
    answer = part.answer(Asked(chords[None], search.first, search.quantum))
    most = [potential.most(chords[:corpus.values], n) for potential, n in zip(search.potentials, sizes)]
    found["chords"] = answer.limits[0] * search.quantum + sum(most)
    score = max(search.score, whole.score)
    gain = score - whole.own_score
    return {key: (bound - score) / gain for key, bound in found.items()} | {
        "giants": len(sizes), "of_score": (found["search"] - score) / abs(score)}


def measure(corpus, strength, least, options):
    model, part, sizes, search = prepare(corpus, strength, least, options)
    whole, reached = ch.Run(model).solve(), []
    while (asked := search.ask()) is not None:
        search.take(part.answer(asked))
        reached.append((search.score - whole.own_score) / (whole.score - whole.own_score))
    labels = part.label(search.found).labels
    assert abs(model.score(labels).score - search.score) <= 1e-6 * abs(search.score)
    broadcasts = next((k + 1 for k, part in enumerate(reached) if part >= 0.99), None)
    return {"giants": len(sizes), "largest": max(sizes, default=0), "alone": reached[0],
            "reached": reached[-1], "broadcasts": broadcasts, "all": search.rounds,
            "decodings": search.rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache/chorale-experiments")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--sets", nargs="*", default=["generated", "wikigold", "litbank"])
    parser.add_argument("--strengths", type=float, nargs="*", default=[0.5, 1.0, 3.0])
    parser.add_argument("--least", type=int, nargs="*", default=[2, 10, 50])
    parser.add_argument("--tracks", type=int, default=8, help="of the search")
    parser.add_argument("--rounds", type=int, default=40, help="greatest number of broadcasts")
    parser.add_argument("--bound", type=int, metavar="STEPS", help="print upper bounds")
    parser.add_argument("--quick", action="store_true", help="one small generated corpus")
    options = parser.parse_args()
    if options.bound is not None and options.bound < 1:
        parser.error(f"--bound is {options.bound}; parts take at least one step")
    sets = ["generated"] if options.quick else options.sets
    absent = [name for name in sets if name != "generated" and not (options.data / name).is_dir()]
    for name in absent:
        print(f"skipped: {name} is not in {options.data}")
    if options.bound is not None:
        print("| set | strength | least | giants | no price | chords | search | whole run | search, of the score |")
        print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    else:
        print_header()
    for name in (name for name in sets if name not in absent):
        for strength in options.strengths:
            for least in options.least:
                rows = []
                for number in range(1 if options.quick else options.splits):
                    if name == "generated":
                        corpus = generate(number, 150 if options.quick else 1500)
                    else:
                        corpus = read(name, number, options.data, options.cache)
                    found = measure if options.bound is None else bounds
                    rows.append(found(corpus, strength, least, options))
                (print_row if options.bound is None else print_bounds)(name, strength, least, rows)


def print_bounds(name, strength, least, rows):
    mean = {key: np.mean([row[key] for row in rows]) for key in rows[0]}
    kinds = " | ".join(f"{100 * mean[key]:.1f} %" for key in ("zero", "chords", "search", "whole"))
    print(f"| {name} | {strength} | {least} | {mean['giants']:.0f} | {kinds} | "
          f"{100 * mean['of_score']:.2f} % |", flush=True)


def print_header():
    print("| set | strength | least | giants | largest | local cliques alone | reached, least of splits | "
          "99 % after | broadcasts | decodings |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")


def print_row(name, strength, least, rows):
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
