#!/usr/bin/env python3
"""How long a model of many single items takes to build from NumPy arrays and to run: processor time.

    tests/bench/mentions.py [--quick]

A million items of 20 labels in 200,000 cliques of 5 (--quick: a tenth of that), such as the mentions
of names in a corpus: add_corpus, add_cliques, add_members, freeze. One line, the median of five:
name<TAB>value<TAB>ms; and one more for the cliques found by the library (add_repeated_words). Then the
same items by 200,000 names that Zipf's law deals: a default run from creation to result, and its
memory a mention beside the scores. Needs the Python package libchorale; says so on the error stream,
and prints nothing, where there is none.
"""

import ctypes
import statistics
import sys
import time

try:
    import numpy as np

    import libchorale as ch
    from libchorale import _declarations
    from libchorale._native import call, library, struct
except ImportError as error:
    print(f"mentions.py: left out: {error}", file=sys.stderr)
    sys.exit(0)

quick = "--quick" in sys.argv[1:]
CLIQUES, MEMBERS, LABELS = (20_000 if quick else 200_000), 5, 20
SIZE = "tenth_million" if quick else "million"


def timed(body):
    times = []
    for _ in range(3 if quick else 5):
        begun = time.process_time()
        body()
        times.append((time.process_time() - begun) * 1e3)
    return statistics.median(times)


def milliseconds(body):
    def checked():
        model = body()
        assert model.cliques == CLIQUES and model.clique_members(0) == MEMBERS

    return timed(checked)


def main():
    rng = np.random.default_rng(1)
    items = CLIQUES * MEMBERS
    scores = rng.normal(size=(items, LABELS))
    chains = rng.permutation(items)
    offsets = np.arange(0, items + 1, MEMBERS)
    words = np.empty(items, dtype=np.int32)
    words[chains] = np.arange(items) // MEMBERS
    potential = ch.Potential.potts(LABELS, 0.5, scale="members")

    def by_positions():
        builder = ch.ModelBuilder()
        builder.add_corpus(scores)
        cliques = builder.add_cliques(CLIQUES, potential=potential)
        builder.add_members(cliques.start, chains, offsets=offsets)
        return builder.freeze()

    def by_words():
        builder = ch.ModelBuilder()
        builder.add_corpus(scores, tokens=words)
        builder.add_repeated_words(potential)
        return builder.freeze()

    for name, body in (("build", by_positions), ("words_build", by_words)):
        print(f"mentions.{SIZE}_{name}_ms\t{milliseconds(body):.6g}\tms", flush=True)

    # A mention leans to the label of its name.
    odds = 1 / np.arange(1, CLIQUES + 1)
    names = rng.choice(CLIQUES, items, p=odds / odds.sum()).astype(np.int32)
    scores[np.arange(items), names % LABELS] += 1
    builder = ch.ModelBuilder()
    builder.add_corpus(scores, tokens=names, borrow=True)
    builder.add_repeated_words(potential)
    model = builder.freeze()

    def run():
        with ch.Run(model) as started:
            started.solve()

    print(f"mentions.{SIZE}_run_ms\t{timed(run):.6g}\tms", flush=True)
    cost = struct(_declarations.chorale_run_cost)
    with model._use() as pointer:
        call(library.chorale_run_estimate, pointer, None, ctypes.byref(cost))
    print(f"mentions.{SIZE}_run_bytes\t{cost.run_bytes / items:.4g}\tbytes a mention", flush=True)


if __name__ == "__main__":
    main()
