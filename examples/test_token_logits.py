#!/usr/bin/env python3
"""token_logits against its own definition: random windows of sub-tokens, words and labellings
enumerated. CHORALE_TEST_SEED sets the seed, CHORALE_TEST_ROUNDS multiplies it.

    test_token_logits.py PROGRAM
"""

import itertools
import math
import os
import random
import re
import subprocess
import sys
import tempfile

NAMES = ["O", "B-X", "I-X"]
FORMS = [["a"], ["b", "##c"], ["d", "e", "##f"]]


def allowed(labels):
    return all(y != 2 or (t and labels[t - 1]) for t, y in enumerate(labels))


def log_probabilities(row):
    total = math.log(sum(map(math.exp, row)))
    return [number - total for number in row]


def make(rng):
    """Texts of words, and windows of their sub-tokens: (text, [(word or None, piece, logits)])."""
    lengths = [rng.randint(1, 3) for _ in range(rng.randint(1, 3))]
    texts = [[rng.choice(FORMS) for _ in range(length)] for length in lengths]
    windows = []
    for number, words in enumerate(texts):
        pieces = [(word, piece) for word, form in enumerate(words) for piece in form]
        width = rng.randint(3, 9)
        first = 0
        while True:
            shown = [(word, piece, [rng.gauss(0, 2) for _ in NAMES])
                     for word, piece in pieces[first:first + width]]
            if rng.random() < 0.5:
                shown = [(None, "[CLS]", [9.0, 0.0, 0.0]), *shown, (None, "[SEP]", [9.0, 0.0, 0.0])]
            windows.append((number, shown))
            if first + width >= len(pieces):
                break
            first += rng.randint(1, width)
    rng.shuffle(windows)
    return texts, windows


def word_scores(texts, windows):
    """The definition, written out word by word; None where a word begins in no window."""
    scores = []
    for number, words in enumerate(texts):
        own = [[piece for piece in shown] for text, shown in windows if text == number]
        for word in range(len(words)):
            chosen = None
            for shown in own:
                places = [p for p, (w, _, _) in enumerate(shown) if w is not None]
                first = next((p for p in places if shown[p][0] == word), None)
                if first is None:
                    continue
                context = min(first - places[0], places[-1] - first)
                elsewhere = any(any(w == word for w, _, _ in other)
                                and next(w for w, _, _ in other if w is not None) != word
                                for other in own)
                if shown[places[0]][0] == word and elsewhere:
                    context = -1
                if chosen is None or context > chosen[0]:
                    chosen = context, first, shown
            _, first, shown = chosen
            form = ""
            for w, piece, _ in shown[first:]:
                if w != word:
                    break
                form += piece[2:] if form and piece.startswith("##") else piece
            scores.append((number, form, log_probabilities(shown[first][2])))
    return scores


def value(scores, labels, strength):
    """The chains' scores, and those of the cliques."""
    own = sum(row[y] for (_, _, row), y in zip(scores, labels))
    cliques = 0
    for form in {form for _, form, _ in scores}:
        shown = [y for (_, other, _), y in zip(scores, labels) if other == form]
        if len(shown) > 1:
            cliques += strength / len(shown) * sum(shown.count(y) ** 2 for y in set(shown))
    return own + cliques


def check(program, rng, path):
    texts, windows = make(rng)
    with open(path, "w") as file:
        print("labels", *NAMES, file=file)
        for text, shown in windows:
            print("window", text, file=file)
            for word, piece, logits in shown:
                print("-" if word is None else word, piece, *map(repr, logits), file=file)
    strength = rng.choice([0, 0.5, 2, 10])
    command = [program, path, str(strength)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    *lines, last = said.splitlines()
    scores = word_scores(texts, windows)
    read = [line.split() for line in lines]
    assert [(int(t), form) for t, form, *_ in read] == [(t, form) for t, form, _ in scores], read
    best = [NAMES.index(entry[2]) for entry in read]
    own = [NAMES.index(entry[4]) if len(entry) > 3 else y for entry, y in zip(read, best)]
    figures = re.fullmatch(r"score (\S+), alone (\S+), at most (\S+)", last)
    found, alone, bound = map(float, figures.groups())

    ends = list(itertools.accumulate(map(len, texts)))
    legal = [labels for labels in itertools.product(range(len(NAMES)), repeat=len(scores))
             if all(allowed(labels[end - len(words):end]) for end, words in zip(ends, texts))]
    optimum = max(value(scores, labels, strength) for labels in legal)
    apart = max(value(scores, labels, 0) for labels in legal)
    near = lambda a, b: abs(a - b) < 1e-6  # noqa: E731
    assert tuple(best) in legal and tuple(own) in legal
    assert near(value(scores, own, 0), apart), (own, apart)
    assert near(found, value(scores, best, strength)), (found, best)
    assert near(alone, value(scores, own, strength)), (alone, own)
    assert alone - 1e-6 < found < optimum + 1e-6 and bound > optimum - 1e-6, (found, optimum, bound)
    assert strength > 0 or near(found, optimum)
    return found > optimum - 1e-6, best != own


REFUSED = {
    "": "no windows",
    "window 0\n": "line 1: the labels come first",
    "labels O B-X\n0 a 1 2\n": "line 2: a sub-token before",
    "labels O B-X\nlabels O\n": "line 2: labels a second time",
    "labels O B-X\nwindow x\n": "line 2: there should be a number",
    "labels O B-X\nwindow 0\n0 a 1\n": "line 3: there should be one finite logit",
    "labels O B-X\nwindow 0\n0 a 1 nan\n": "line 3: there should be one finite logit",
    "labels O B-X\nwindow 0\n0 a 1 2 3\n": "line 3: more logits",
    "labels O B-X\nwindow 0\n0\n": "line 3: a sub-token without its piece",
    "labels O B-X\nwindow 0\n-1 a 1 2\n": "line 3: there should be a number",
    "labels O B-X\nwindow 0\n- a 1 2\n": "it has no words",
    "labels O B-X\nwindow 7\n0 a 1 2\n": "some text has none",
    "labels O X\nwindow 0\n0 a 1 2\n": "labels: names[1]",
    "labels " + "O" * 70000: "line 1: too long",
}


def main():
    program = sys.argv[1]
    seed = int(os.environ.get("CHORALE_TEST_SEED") or 20240607)
    print(f"CHORALE_TEST_SEED={seed}")
    rng = random.Random(seed)
    rounds = max(5, int(100 * float(os.environ.get("CHORALE_TEST_ROUNDS") or 1)))
    optimal = changed = 0
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "logits.txt")
        for _ in range(rounds):
            is_optimal, is_changed = check(program, rng, path)
            optimal += is_optimal
            changed += is_changed
        for text, why in REFUSED.items():
            with open(path, "w") as file:
                file.write(text)
            said = subprocess.run([program, path], capture_output=True, text=True)
            assert said.returncode == 1 and why in said.stderr, (text[:80], said)
        for arguments in ([], [path, "x"], [path, "1", "2"]):
            assert subprocess.run([program, *arguments], capture_output=True).returncode == 2
        assert subprocess.run([program, path + "x"], capture_output=True).returncode == 1
    print(f"{rounds} batches: {optimal} optimal, {changed} changed")
    assert changed or rounds < 20


if __name__ == "__main__":
    main()
