"""A table as it comes: 300 mentions with the types that a language model gave them, with every
fault that such tables have, and the lines with which one would clean it by hand."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict

TYPES = ["ORG", "PERSON", "PLACE", "PRODUCT"]
NAMES = {
    "Acme Corp": "ORG", "Globex": "ORG", "Initech": "ORG", "Umbrella": "ORG",
    "Ada Lovelace": "PERSON", "Alan Turing": "PERSON", "Grace Hopper": "PERSON",
    "Springfield": "PLACE", "Ogdenville": "PLACE", "North Haverbrook": "PLACE",
    "Widget": "PRODUCT", "Gizmo": "PRODUCT", "Flux Capacitor": "PRODUCT",
}  # fmt: skip
# One name of two things: the place and its newspaper.
TWO = {"Shelbyville": ("PLACE", "ORG")}
SPELLINGS = {
    "ORG": ["ORG", "org", "Org ", "organisation"],
    "PERSON": ["PERSON", "person", "Person", "people"],
    "PLACE": ["PLACE", "place", " Place", "location"],
    "PRODUCT": ["PRODUCT", "product", "Product", "thing"],
}
LABELS = {
    "ORG": ["organisation"],
    "PERSON": ["people"],
    "PLACE": ["location"],
    "PRODUCT": ["thing"],
}
GIVEN = {
    "key": "name",
    "label": "type",
    "confidence": "sure",
    "labels": LABELS,
    "abstain": "unknown",
    "missing": 0.6,
    "count": "times",
    "unusable": "fill",
}


def table(seed=0):
    """Returns rows with the right label as "gold"."""
    rng = random.Random(seed)
    rows = []
    for number in range(300):
        name = rng.choice([*NAMES, *TWO] if number % 10 else [*TWO])
        gold = NAMES.get(name) or rng.choice(TWO[name])
        sure = rng.uniform(0.5, 0.99)
        right = rng.random() < (sure if name in NAMES else 0.97)
        kind = gold if right else rng.choice([other for other in TYPES if other != gold])
        rows.append(
            {
                "name": _name(rng, name),
                "type": rng.choice(SPELLINGS[kind]),
                "sure": _sure(rng, sure if name in NAMES else rng.uniform(0.9, 0.99), kind),
                "times": rng.choice([1, 1, 1, 2, 9]),
                "gold": gold,
            }
        )
        fault = rng.random()
        if fault < 0.03:
            rows[-1]["type"] = rng.choice([None, "misc", "???"])
        elif fault < 0.06:
            rows[-1]["type"] = "UNKNOWN"
        elif fault < 0.08:
            rows[-1]["sure"] = rng.choice(["n/a", 7.5, True])
        elif fault < 0.09:
            rows[-1]["name"] = rng.choice([None, "120", "12/2024"])
    return rows


def _name(rng, name):
    shape = rng.randrange(7)
    if shape == 1:
        return name.upper()
    if shape == 2:
        return name.replace(" ", "  ") + " "
    if shape == 3:
        return name + "."
    if shape == 4:
        return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in name)
    return name.lower().replace(" ", "-") if shape == 5 else name


def _sure(rng, sure, kind):
    shape = rng.randrange(10)
    if shape == 0:
        return f"{sure:.2f}"
    if shape == 1:
        return f"{100 * sure:.0f} %"
    if shape == 2:
        return "high" if sure > 0.8 else "medium" if sure > 0.6 else "low"
    if shape == 3:
        return None
    if shape == 4:
        return json.dumps([{"label": kind, "score": round(sure, 2)}])
    if shape == 5:
        others = [kind if rng.random() < sure else rng.choice(TYPES) for _ in range(5)]
        return json.dumps(others)
    return sure


def by_hand(rows):
    """Returns the types after cleaning by hand and a majority vote: what users write themselves."""
    names = {"organisation": "ORG", "people": "PERSON", "location": "PLACE", "thing": "PRODUCT"}
    votes = defaultdict(Counter)
    cleaned = []
    for row in rows:
        name = " ".join((row["name"] or "").lower().replace("-", " ").strip(" .").split())
        kind = (row["type"] or "").strip().lower()
        kind = names.get(kind, kind.upper())
        cleaned.append((name, kind if kind in TYPES else None))
        if kind in TYPES and name and not name[0].isdigit():
            votes[name][kind] += row["times"]
    return [votes[name].most_common(1)[0][0] if votes[name] else kind for name, kind in cleaned]
