"""Parses addresses and names by the models of usaddress and probablepeople, with and without rules.
These parsers raise an error where a label stands in two places; with rules they have none.

    pip install libchorale[crfsuite] usaddress probablepeople
    python parse.py
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from libchorale import crfsuite, rules

ADDRESSES = [
    "7 ST MARK PLACE ALBANY NY 12203",
    "PLACE ST MARK 7 PLACE ALBANY NY 12203",
    "123 Main St Chicago 60601 IL 60601",
    "1 Main St Ste 4 Ste 4 Chicago IL",
    "1 Main St Suite 2 Ste 2",
    "100 Main St Apt 3 Apt 3 Chicago IL",
    "1001 & 1003 Main St Chicago IL",
    "2 E 300 NORTH RD",
    "12 Oak St Albany NY Albany NY",
    "Empire State Building 350 5th Ave New York NY Building",
    "5 County Road 12 County Road 14 Troy NY",
    "Main St & Oak St Chicago IL",
]
PEOPLE = [
    "Mr. John Smith Mr.",
    "Smith, John Q. Smith Jr. John",
    "John Smith and Mary Jones and Ann Lee",
    "Dr. Ann B. Lee MD Dr.",
    "Bill & Melinda Gates",
]


def rules_of(labels: Sequence[str], sides: Sequence[str], free: Sequence[str]) -> list[rules.Rule]:
    """Each label once on each side of a label of `sides` ("Main St & Oak St"), these once each, and
    those of `free` as often as may be."""
    return [
        rules.once(label) if label in sides else rules.once_on_each_side(label, sides)
        for label in labels
        if label not in free
    ]


def compare(
    texts: Sequence[str],
    tag: Callable[[str], Any],
    repeated: type[Exception],
    put: Callable[[Any], None],
    taggers: Sequence[Any],
) -> None:
    """Prints a line for each text. put: makes a tagger that of the parser. taggers: without rules,
    and with rules."""
    for text in texts:
        put(taggers[0])
        try:
            tag(text)
            before = "fine"
        except repeated:
            before = "an error"
        put(taggers[1])
        begin = time.perf_counter()
        fields, kind = tag(text)
        spent = 1000 * (time.perf_counter() - begin)
        proven = "proven" if taggers[1].proven else "not proven"
        print(f"{text}\n    {before} before; now {kind}, {proven}, {spent:.1f} ms")
        print("    " + "; ".join(f"{label}: {field}" for label, field in fields.items()))
        if taggers[1].ruled is not None:
            for reason in taggers[1].ruled.reasons:
                print(
                    f"    word {reason.position + 1}: {reason.told}, which cost {reason.cost:.2f}"
                )


def main() -> None:
    try:
        import usaddress
    except ImportError:
        print("skipped: no usaddress")
    else:
        labels = crfsuite.Scores(usaddress.MODEL_PATH).labels
        names = [label for label in labels if label.startswith("StreetName")]
        wanted = [rules.once(label) for label in labels if label not in names]
        wanted += [rules.once_on_each_side(label, ["IntersectionSeparator"]) for label in names]
        mended = crfsuite.RuleTagger(usaddress.MODEL_PATH, wanted)
        compare(
            ADDRESSES,
            usaddress.tag,
            usaddress.RepeatedLabelError,
            lambda tagger: setattr(usaddress, "TAGGER", tagger),
            (usaddress.TAGGER, mended),
        )
    try:
        import probablepeople
    except ImportError:
        print("skipped: no probablepeople")
    else:
        from pathlib import Path

        path = Path(probablepeople.__file__).parent / probablepeople.MODEL_FILES["generic"]
        labels = crfsuite.Scores(path).labels
        sides = [label for label in ("And", "AKA", "ProxyFor") if label in labels]
        free = [label for label in labels if "Corporation" in label]
        mended = crfsuite.RuleTagger(path, rules_of(labels, sides, free))
        compare(
            PEOPLE,
            probablepeople.tag,
            probablepeople.RepeatedLabelError,
            lambda tagger: probablepeople.TAGGERS.update(generic=tagger),
            (probablepeople.TAGGERS["generic"], mended),
        )


if __name__ == "__main__":
    main()
