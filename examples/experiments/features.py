"""Features of the base model: words, shapes, affixes and places, in a window."""

import re

import numpy as np

SHAPES = [(re.compile("[A-ZÀ-ÖØ-Þ]+"), "A"), (re.compile("[a-zß-öø-ÿ]+"), "a"),
          (re.compile("[0-9]+"), "0")]
PLACES = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)


def shape(token):
    """Replaces each run of capitals, small letters or digits by one sign: `McCallum` is AaAa."""
    for pattern, sign in SHAPES:
        token = pattern.sub(sign, token)
    return token[:8]


def place(t):
    """Returns the greatest of PLACES that is at most t."""
    return max(p for p in PLACES if p <= t)


def of_record(tokens, places=True):
    """Returns the features of each position, as lists of strings. places: whether the place in the
    record is a feature too."""
    length = len(tokens)
    lower = ["0" * len(t) if t.isdigit() else t.lower() for t in tokens]
    shapes = [shape(t) for t in tokens]
    rows = []
    for t, token in enumerate(tokens):
        row = ["1", f"w={lower[t]}", f"s={shapes[t]}", f"l={min(len(token), 12)}",
               *([f"from={place(t)}", f"to={place(length - 1 - t)}", f"part={10 * t // length}"]
                 if places else [])]
        if token.isalpha():
            row += [f"p{k}={lower[t][:k]}" for k in (1, 2, 3) if len(token) > k]
            row += [f"e{k}={lower[t][-k:]}" for k in (1, 2, 3, 4) if len(token) > k]
        elif re.fullmatch("(1[89]|20)[0-9][0-9][a-z]?", token):
            row.append("year")
        for d in (-2, -1, 1, 2):
            if 0 <= t + d < length:
                row += [f"w{d}={lower[t + d]}", f"s{d}={shapes[t + d]}"]
            else:
                row.append(f"w{d}=")
        if t > 0:
            row += [f"w-1,0={lower[t - 1]} {lower[t]}", f"s-1,0={shapes[t - 1]} {shapes[t]}"]
        if t + 1 < length:
            row += [f"w0,1={lower[t]} {lower[t + 1]}", f"s0,1={shapes[t]} {shapes[t + 1]}"]
        rows.append(row)
    return rows


class Features:
    """The features of all tokens of a set as numbers. The features of token i (counted over all
    records, record after record) are ids[bounds[i]:bounds[i + 1]]."""

    def __init__(self, data, places=True):
        self.numbers = {}
        ids, bounds = [], [0]
        for record in data.records:
            for row in of_record(record.tokens, places):
                ids += [self.numbers.setdefault(f, len(self.numbers)) for f in row]
                bounds.append(len(ids))
        self.ids = np.array(ids, dtype=np.int32)
        self.bounds = np.array(bounds, dtype=np.int64)
