#!/usr/bin/env python3
"""A whole run over the time that CRFsuite takes to tag the same corpus with the same model.

    crfsuite.py TAGGED_BENCH [--quick]

And, on the same cliques, a round of messages over decoding every chain by itself.

Trains a chain model with CRFsuite on ../shared/data/wikigold (or CHORALE_SHARED_DATA), on the first
half of its documents, with the usual features of a window of words; tags all of it with CRFsuite,
and runs the classical model of repeated words on the same scores with TAGGED_BENCH. One thread
each, processor time, in turn; the labellings of both are compared first. Prints nothing but the
reason, and ends well, where there is no data or no python-crfsuite (a package of PyPI).

CRFsuite's time is that of set() and tag() on feature strings that are made already: attributes
become numbers, then scores, then the best labelling. tag() alone is reported as well.
"""
import array
import collections
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from tagging import set_and_tag_ms

STOP_WORDS = 100
LABELS_OF_SHAPE = str.maketrans({**{c: "x" for c in "abcdefghijklmnopqrstuvwxyz"},
                                 **{c: "X" for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
                                 **{c: "0" for c in "0123456789"}})


def read(path):
    """Sentences as (document, words, labels)."""
    sentences, document, words, labels = [], 0, [], []
    with open(path, encoding="utf-8") as lines:
        for line in [*lines, "\n"]:
            line = line.rstrip("\n")
            if line.startswith("# domain: "):
                document += 1
            elif "\t" in line:
                word, label = line.split("\t")[:2]
                words.append(word)
                labels.append(label)
            elif not line and words:
                sentences.append((document, words, labels))
                words, labels = [], []
    return sentences


def features(words, t):
    word = words[t]
    found = ["bias", "prefix=" + word[:3], "suffix=" + word[-3:], "suffix2=" + word[-2:]]
    for k in (-2, -1, 0, 1, 2):
        if 0 <= t + k < len(words):
            near = words[t + k]
            found += [f"{k}:word={near.lower()}", f"{k}:shape={near.translate(LABELS_OF_SHAPE)}"]
        else:
            found.append(f"{k}:edge")
    for k in (-1, 0):
        if 0 <= t + k and t + k + 1 < len(words):
            found.append(f"{k}:pair={words[t + k].lower()}|{words[t + k + 1].lower()}")
    return found


def write_scores(path, sentences, attributes, info):
    """What tagged_bench reads; returns the labels and the scores by sentence."""
    labels = sorted(info.labels, key=lambda label: int(info.labels[label]))
    number = {label: y for y, label in enumerate(labels)}
    weights = collections.defaultdict(list)
    for (attribute, label), weight in info.state_features.items():
        weights[attribute].append((number[label], weight))
    m = len(labels)
    transitions = array.array("d", [info.transitions.get((a, b), 0.0) for a in labels
                                    for b in labels])
    scores = array.array("d")
    for sentence in attributes:
        for of_word in sentence:
            row = [0.0] * m
            for attribute in of_word:
                for y, weight in weights.get(attribute, ()):
                    row[y] += weight
            scores.extend(row)
    counts = collections.Counter(word for _, words, _ in sentences for word in words)
    order = {word: i for i, (word, _) in enumerate(sorted(counts.items(),
                                                          key=lambda of: (-of[1], of[0])))}
    tokens = array.array("i", [order[word] for _, words, _ in sentences for word in words])
    stop = array.array("i", range(min(STOP_WORDS, len(order))))
    with open(path, "wb") as file:
        array.array("i", [len(sentences), m, len(tokens), len(stop)]).tofile(file)
        array.array("i", [len(words) for _, words, _ in sentences]).tofile(file)
        array.array("i", [document for document, _, _ in sentences]).tofile(file)
        for numbers in (tokens, stop, transitions, scores):
            numbers.tofile(file)
    return labels, transitions, scores


def decode(m, transitions, rows):
    """The best labelling by the definition, and its score."""
    best, back = list(rows[0]), []
    for row in rows[1:]:
        into = [max(range(m), key=lambda x, y=y: best[x] + transitions[x * m + y])
                for y in range(m)]
        best = [best[x] + transitions[x * m + y] + row[y] for y, x in enumerate(into)]
        back.append(into)
    y = max(range(m), key=best.__getitem__)
    score, path = best[y], [y]
    for into in reversed(back):
        path.append(into[path[-1]])
    return path[::-1], score


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    quick = "--quick" in sys.argv[2:]
    root = pathlib.Path(__file__).resolve().parents[2]
    data = pathlib.Path(os.environ.get("CHORALE_SHARED_DATA", root.parent / "shared" / "data"))
    corpus = data / "wikigold" / "data.conll"
    try:
        import pycrfsuite
    except ImportError:
        print("no python-crfsuite: collective.run_over_crfsuite_tag is left out", file=sys.stderr)
        return
    if not corpus.exists():
        print(f"no {corpus.name} of wikigold: collective.run_over_crfsuite_tag is left out",
              file=sys.stderr)
        return
    sentences = read(corpus)
    attributes = [[features(words, t) for t in range(len(words))] for _, words, _ in sentences]
    half = sentences[-1][0] // 2
    with tempfile.TemporaryDirectory() as place:
        model = os.path.join(place, "model")
        trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
        trainer.set_params({"c1": 0.1, "c2": 0.1, "max_iterations": 10 if quick else 50,
                            "feature.possible_transitions": True})
        for (document, _, labels), of in zip(sentences, attributes):
            if document <= half:
                trainer.append(of, labels)
        trainer.train(model)
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        items = [pycrfsuite.ItemSequence(of) for of in attributes]
        dump = os.path.join(place, "scores")
        labels, transitions, scores = write_scores(dump, sentences, attributes, tagger.info())

        # The same model: CRFsuite's labellings are the best of the scores that were written.
        m, at, total, best = len(labels), 0, 0.0, 0.0
        for (_, words, _), of in zip(sentences, items):
            rows = [scores[(at + t) * m:(at + t + 1) * m] for t in range(len(words))]
            at += len(words)
            path = [labels.index(label) for label in tagger.tag(of)]
            total += sum(row[y] for row, y in zip(rows, path))
            total += sum(transitions[x * m + y] for x, y in zip(path, path[1:]))
            best += decode(m, transitions, rows)[1]
        if abs(total - best) > 1e-6 * abs(best):
            sys.exit(f"CRFsuite's labellings score {total}, the best {best}")

        whole, alone, found = [], [], collections.defaultdict(list)
        for _ in range(3 if quick else 9):
            whole.append(set_and_tag_ms(tagger, items))
            alone.append(0.0)
            for of in items:
                tagger.set(of)
                begin = time.process_time()
                tagger.tag()
                alone[-1] += 1e3 * (time.process_time() - begin)
            out = subprocess.run([sys.argv[1], dump, "3"], check=True, capture_output=True,
                                 text=True).stdout
            for line in out.splitlines():
                name, value = line.split("\t")
                found[name].append(float(value))
    if found["within.own_score"][0] < total - 1e-6 * abs(total):
        sys.exit("the chains' own labellings score less than CRFsuite's")

    def figure(name, value, unit):
        print(f"{name}\t{value:.6g}\t{unit}")

    tag, run = statistics.median(whole), statistics.median(found["within.ms"])
    figure("crfsuite.set_and_tag_ms", tag, "ms")
    figure("crfsuite.tag_ms", statistics.median(alone), "ms")
    for name in ("within", "across"):
        figure(f"collective.run_{name}_ms", statistics.median(found[f"{name}.ms"]), "ms")
        figure(f"collective.run_{name}_rounds", found[f"{name}.rounds"][0], "rounds")
        figure(f"collective.run_{name}_chain_updates", found[f"{name}.chain_updates"][0], "chains")
        figure(f"collective.run_{name}_gain",
               found[f"{name}.score"][0] - found[f"{name}.own_score"][0], "score")
    figure("collective.run_over_crfsuite_tag", run / tag, "ratio")
    figure("collective.run_across_over_crfsuite_tag",
           statistics.median(found["across.ms"]) / tag, "ratio")
    for name, line in (("within", "round"), ("across", "round_across")):
        ratios = [a / b for a, b in zip(found[f"{name}.round_ms"], found[f"{name}.decode_all_ms"])]
        figure(f"collective.{line}_over_viterbi", statistics.median(ratios), "ratio")


if __name__ == "__main__":
    main()
