#!/usr/bin/env python3
"""Compares single cliques under prices with their optima: fixpoints of rounds, and the search of
libchorale.prices.

    priced_cliques.py [--cliques FOLDER] [--quick]

Solves the 100 contended Potts cliques of FOLDER (100 members, 24 values, strength 0.80 to 0.95,
divided by n), whose optima are proven. A round sends 24 prices and receives 24 counts: how many
members have each value as their best one under these prices. Rounds start from a *seed*, a vector
of counts, and go on until the score no longer rises. Seeds are the counts of the members' own best
values, and these counts with a share of all members moved to one value, for each value and one,
four or eight shares. Prints, for each way, the mean and the worst ratio of the score to the
optimum, how many optima are found, the rounds of the longest seed (seeds can be followed side by
side), and the number of rows of prices sent.
"""

import argparse
import sys
from pathlib import Path

import libchorale as ch
import numpy as np
from libchorale.prices import Asked, Part, Search

SHARES = (0.3, 0.2, 0.45, 0.7, 0.15, 0.25, 0.37, 0.55)  # the first one, four or eight are used


def read(path):
    """Returns the scores of a clique, members x values, and the strength: n times the coefficient
    of sum_v n_v^2."""
    magic, members, values, kind = np.fromfile(path, "<i4", 4)
    assert magic == 0x43494731 and kind == 0, path
    coefficient = int(np.fromfile(path, "<i8", 1, offset=24)[0])
    scores = np.fromfile(path, "<i4", members * values, offset=32).reshape(members, values)
    return scores * 1e-6, coefficient * members * 1e-6


class Clique:
    def __init__(self, path):
        self.scores, strength = read(path)
        self.members, self.values = self.scores.shape
        self.potential = ch.Potential.potts(self.values, strength, scale="members")
        builder = ch.ModelBuilder()
        for row in self.scores:
            builder.add_chain(row[None])
        clique = builder.add_cliques(1, potential=self.potential).start
        for k in range(self.members):
            builder.add_members(clique, k, 0)
        self.part = Part(builder.freeze(), {clique: 0})
        self.first = np.array([0, self.values])
        self.own = np.bincount(self.scores.argmax(axis=1), minlength=self.values)

    def fixpoint(self, counts):
        """Returns the score after which rounds gain no more, and the number of rounds."""
        best, rounds = -np.inf, 0
        while True:
            prices, _ = self.potential.prices(counts, self.members)
            answer = self.part.answer(Asked(prices[None], self.first, 1e-9))
            [counts], [own] = answer.counts, answer.scores
            rounds += 1
            score = own * 1e-9 + self.potential.prices(counts, self.members)[1]
            if score <= best:
                return best, rounds
            best = score

    def seed(self, value, share):
        moved = np.floor((1 - share) * self.own).astype(np.int64)
        moved[value] += self.members - moved.sum()
        return moved

    def from_seeds(self, seeds):
        """Returns the best score, the rounds of the longest seed, and the rounds of all seeds
        together."""
        found = [self.fixpoint(seed) for seed in seeds]
        rounds = [count for _, count in found]
        return max(score for score, _ in found), max(rounds), sum(rounds)

    def search(self, tracks):
        search = Search([self.potential], [self.members], tracks=tracks)
        outcome = search.run(lambda asked: [self.part.answer(asked)])
        return outcome.score, outcome.rounds, outcome.rows


WAYS = {
    "one seed": lambda c: c.from_seeds([c.own]),
    **{
        f"values as seeds, {count} share{'s' * (count > 1)}": lambda c, count=count: c.from_seeds(
            [c.seed(v, share) for v in range(c.values) for share in SHARES[:count]]
        )
        for count in (1, 4, 8)
    },
    **{f"search, {tracks} tracks": lambda c, tracks=tracks: c.search(tracks) for tracks in (4, 8, 16)},
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    here = Path(__file__).resolve()
    parser.add_argument("--cliques", type=Path, default=here.parents[3] / "shared/cliques")
    parser.add_argument("--quick", action="store_true", help="every tenth clique")
    options = parser.parse_args()
    table = options.cliques / "best_known.tsv"
    if not table.exists():
        print(f"skipped: there is no {table}")
        return 0
    rows = [line.split("\t") for line in table.read_text().splitlines()[1:]]
    best = {name: int(score) * 1e-6 for name, score, _ in rows if name.startswith("potts/p100_")}
    names = sorted(best)[:: 10 if options.quick else 1]
    cliques = [Clique(options.cliques / name) for name in names]
    print("| prices | mean part of the optimum | worst | optima | rounds | rows |\n|---|--:|--:|--:|--:|--:|")
    for way, find in WAYS.items():
        found = [find(clique) for clique in cliques]
        parts = np.array([score / best[name] for (score, _, _), name in zip(found, names)])
        assert parts.max() <= 1 + 1e-9
        rounds, rows = np.mean([count for _, *count in found], axis=0)
        print(f"| {way} | {parts.mean():.5f} | {parts.min():.5f} | {(parts > 1 - 1e-9).sum()} of {len(names)} "
              f"| {rounds:.0f} | {rows:.0f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
