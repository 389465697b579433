"""Checks the arguments of `decode` and `build_problem` (collective.py), and converts them: the
scores of the chains to one array, the agreements to the form that the library takes."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, Union

import numpy as np
import numpy.typing as npt

from . import _arrays as arrays
from . import _declarations as c
from ._handle import optional
from ._native import struct
from .chain import Transitions
from .errors import Error, OutOfRangeError, Renaming
from .potential import Potential
from .property import Property

Longs = npt.NDArray[np.int64]

# The name of the label that takes no part in agreement unless the caller says otherwise.
OUTSIDE = "O"

MOST_STRENGTH = 1e9  # the greatest strength that the library takes

KINDS = {
    "words": c.CHORALE_AGREE_WORDS,
    "keys": c.CHORALE_AGREE_KEYS,
    "cliques": c.CHORALE_AGREE_CLIQUES,
}


Strength = Union[float, Literal["auto"]]


@dataclasses.dataclass(frozen=True)
class Agreement:
    """A soft constraint, for the argument `agree` of `decode`: the labels of some positions, or the
    values of a property on some chains, should agree. These positions or chains form a clique.

    what       what should agree. "words": the labels of all positions with the same token; "keys":
               the labels of all positions with the same entry of `keys`; "cliques": the labels of
               the positions that one entry of `cliques` lists; a `Property`: its values on chains
    strength   strength of the agreement, as in `decode`: "auto" or a number; below 0: values should
               differ
    potential  a `Potential` used instead of the strength, over the labels or over the values of the
               property; None: the strength is used
    across     False: all members of a clique are in one group of chains (argument `groups` of
               `decode`); True: they may be in any groups. Not used by "cliques"
    minimum    a clique of fewer positions (for a property: of fewer chains) is left out
    keys       for each chain a key for each of its T positions: texts; or integers from 0. None,
               NaN and -1: no key
    stop       words or keys that get no clique
    cliques    for each clique the numbers of its positions, which are numbered from 0, chain after
               chain
    weights    for each chain T positive integers (for a `Property`: one integer for each chain):
               how often a position counts in its clique. Its scores are not multiplied. None: once.
               Weights need a strength >= 0, or a potential that is a convex sum

    >>> Agreement("keys", strength=0.5, keys=[["w1", "w2"], ["w1", "w3"]]).what
    'keys'
    """

    what: Literal["words", "keys", "cliques"] | Property = "words"
    strength: Strength = "auto"
    potential: Potential | None = None
    across: bool = False
    minimum: int = 2
    keys: Sequence[Sequence[Hashable]] | None = None
    stop: Iterable[Hashable] = ()
    cliques: Sequence[npt.ArrayLike] = ()
    weights: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.what, Property):
            arrays.chosen("what", self.what, KINDS)
        optional("potential", self.potential, Potential)


Agree = Union[str, Property, Agreement, "tuple[str | Property, Strength]"]


@dataclasses.dataclass
class Wanted:
    """An agreement in the form that the library takes. what: as in `Reason` (collective.py). place:
    the name of the agreement in error messages. fields: the fields of the C struct
    chorale_agreement that have arrays."""

    agreement: Agreement
    what: str | int
    place: str
    fields: dict[str, Any]

    @property
    def prop(self) -> Property | None:
        what = self.agreement.what
        return what if isinstance(what, Property) else None

    def struct(self) -> c.chorale_agreement:
        asked = self.agreement
        strength = None if asked.strength == "auto" else asked.strength or c.CHORALE_NO_AGREEMENT
        return struct(
            c.chorale_agreement,
            kind=KINDS[asked.what] if isinstance(asked.what, str) else c.CHORALE_AGREE_PROPERTY,
            across=int(bool(asked.across)),
            strength=strength,
            minimum=asked.minimum,
            potential=asked.potential,
            property=self.prop,
            **self.fields,
        )


@dataclasses.dataclass
class Given:
    """Checked arguments of a call. Chain i has the positions offsets[i] to offsets[i + 1] - 1.
    fields: further arguments of `corpus_of` (model.py)."""

    scores: npt.NDArray[Any]  # N x m: N positions in all, m labels
    offsets: Longs
    wanted: list[Wanted]
    fields: dict[str, Any]
    group_names: Sequence[Hashable] = ()  # the group of each chain
    texts: bool = False  # whether the tokens are texts, not integers


def read(
    unaries: Iterable[Any],
    transitions: Any,
    groups: Sequence[Hashable] | None,
    tokens: Sequence[Sequence[Hashable]] | None,
    agree: Any,
    strength: Strength,
    minimum: int,
    stop: Iterable[Hashable],
    uncounted: Iterable[int | str] | None,
    names: Sequence[str] | None,
    edges: Sequence[Any] | None,
    forced: Sequence[Any] | None,
    allowed: Sequence[Any] | None,
    counts: npt.ArrayLike | None,
) -> Given:
    """Checks arguments of `decode`, which describes them."""
    if transitions is not None and not isinstance(transitions, Transitions):
        with Renaming({"scores": "transitions"}):
            transitions = Transitions(transitions)
    scores, lengths = _scores(unaries)
    offsets = np.cumsum([0, *lengths], dtype=np.int64)
    if groups is None:
        groups = [0] * len(lengths)
    _of_each_chain("groups", groups, lengths)
    known: dict[Hashable, int] = {}
    listed = [known.setdefault(group, len(known)) for group in groups]
    ids, texts = _ids("tokens", tokens, lengths)
    strength = _strength("strength", strength)  # also where no entry of `agree` takes it
    wanted: list[Wanted] = []
    for entry, place in _listed(agree, tokens):
        own = isinstance(entry, Agreement)
        asked = entry if own else _asked(entry, strength, minimum, stop)
        wanted.append(_wanted(asked, place, own, len(wanted), lengths, ids, texts))
        if not lengths and isinstance(asked.what, Property):
            scores = np.zeros((0, asked.what.labels))
    if uncounted is None:
        uncounted = [label for label, name in enumerate(names or ()) if name == OUTSIDE]
    elif isinstance(uncounted, str):
        raise ValueError(f"uncounted is {uncounted!r}; it must be a list: [{uncounted!r}]")
    m = scores.shape[1]
    if names is not None and lengths and len(names) != m:
        raise ValueError(f"names has {len(names)} entries for {m} labels")

    def matrices(place: str, own: Any, length: int) -> npt.NDArray[Any]:
        """Returns the edge scores of a chain, and zeros for its first position."""
        made = np.zeros((length, m, m), dtype=scores.dtype)
        found = arrays.scores(place, own, 3) if len(own) else made[:0]
        if found.shape != (max(0, length - 1), m, m):
            raise ValueError(f"{place} has shape {found.shape}, not {(max(0, length - 1), m, m)}")
        made[1:] = found
        return made

    def labels(place: str, own: Any, length: int) -> arrays.Ints:
        numbers = _numbers(place, own, names)
        if isinstance(numbers, list) and any(number is None for number in numbers):
            raise TypeError(f"{place} has None, not integers or names alone; -1 is a free position")
        return arrays.ints(place, numbers, size=length)

    def flags(place: str, own: Any, length: int) -> arrays.Bytes:
        return arrays.flags(place, own, (length, m))

    fields = {
        "transitions": transitions,
        "tokens": ids,
        "groups": np.array(listed, dtype=np.int64),
        "uncounted": arrays.ints("uncounted", _numbers("uncounted", uncounted, names)),
        "edges": _joined("edges", edges, lengths, matrices),
        "forced": _joined("forced", forced, lengths, labels),
        "allowed": _joined("allowed", allowed, lengths, flags),
        "counts": None if counts is None else arrays.longs("counts", counts, size=len(lengths)),
    }
    return Given(scores, offsets, wanted, fields, groups, texts is not None)


#: The arguments of `decode` and `build_problem` that `read` checks.
READ = inspect.signature(read).parameters

#: Those of them that have a table or a list for each chain.
OWN = ("edges", "forced", "allowed")


def _numbers(place: str, labels: Any, names: Sequence[str] | None) -> Any:
    """Returns labels with their numbers in place of their names."""
    numeric = isinstance(labels, np.ndarray) and labels.dtype.kind in "iu"
    if numeric or isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        return labels
    known = {name: label for label, name in enumerate(names or ())}
    numbers = list(labels)
    for index, label in enumerate(numbers):
        if isinstance(label, str):
            if label not in known:
                shown = ", ".join(known) or "none; pass names"
                raise ValueError(
                    f"{place}[{index}] is {label!r}; it must be one of the labels: {shown}"
                )
            numbers[index] = known[label]
    return numbers


def _of_each_chain(name: str, given: Sequence[Any], lengths: Sequence[int]) -> None:
    if len(given) != len(lengths):
        raise ValueError(f"{name} has {len(given)} entries for {len(lengths)} chains")


def _joined(
    name: str,
    given: Sequence[Any] | None,
    lengths: Sequence[int],
    read: Callable[[str, Any, int], npt.NDArray[Any]],
) -> npt.NDArray[Any] | None:
    """Returns `read` of what is given for each chain as one array; None if nothing is given."""
    if given is None:
        return None
    _of_each_chain(name, given, lengths)
    parts = [read(f"{name}[{i}]", own, n) for i, (own, n) in enumerate(zip(given, lengths))]
    return np.concatenate(parts) if parts else None


def _scores(unaries: Iterable[Any]) -> tuple[npt.NDArray[Any], Sequence[int]]:
    if isinstance(unaries, np.ndarray) and unaries.ndim == 3 and len(unaries) > 0:
        block = arrays.scores("unaries", unaries, 3)
        count, length, labels = block.shape
        return block.reshape(count * length, labels), [length] * count
    parts = [arrays.scores(f"unaries[{i}]", item, 2) for i, item in enumerate(unaries)]
    for i, part in enumerate(parts):
        if part.shape[1] != parts[0].shape[1]:
            raise ValueError(
                f"unaries[{i}] has scores of {part.shape[1]} labels and unaries[0] of "
                f"{parts[0].shape[1]}; all must have the same number"
            )
    return np.concatenate(parts) if parts else np.zeros((0, 1)), [len(part) for part in parts]


def _ids(
    name: str, tokens: Sequence[Sequence[Hashable]] | None, lengths: Sequence[int]
) -> tuple[arrays.Ints | None, dict[Hashable, int] | None]:
    """Returns the id of the token of each position (-1: no token), and a dict from texts to their
    ids. Integers are their own ids; the dict is then None. Both results are None if `tokens` is
    None."""
    if tokens is None:
        return None, None
    _of_each_chain(name, tokens, lengths)
    for index, (words, length) in enumerate(zip(tokens, lengths)):
        if isinstance(words, (str, bytes)):
            raise TypeError(f"{name}[{index}] is {words!r}, not a sequence of words")
        if len(words) != length:
            raise ValueError(f"{name}[{index}] has {len(words)} words for {length} positions")
    if isinstance(tokens, np.ndarray) and tokens.dtype.kind in "iu":
        return arrays.ints(name, tokens.reshape(-1)), None
    known: dict[Hashable, int] = {}
    listed = [known.setdefault(word, len(known)) for words in tokens for word in words]
    found = {word: number for word, number in known.items() if not arrays.missing(word)}
    ids = np.full(len(known), -1, dtype=np.int32)
    if all(hasattr(word, "__index__") for word in found):
        ids[list(found.values())] = arrays.ints(name, list(found))
        return ids[listed], None
    ids[list(found.values())] = list(found.values())
    return ids[listed], found


def _listed(agree: Any, tokens: Any = None) -> list[tuple[Any, str]]:
    """Returns the entries of `agree`, each with its name in error messages. None stands for the
    words, if there are tokens."""
    if agree is None:
        agree = () if tokens is None else "words"
    single = isinstance(agree, (str, Property, Agreement)) or (
        isinstance(agree, tuple)
        and len(agree) == 2
        and (isinstance(agree[1], (int, float)) or agree[1] == "auto")
    )
    if single:
        return [(agree, "agree")]
    if not isinstance(agree, Iterable):
        raise TypeError(
            f'agree is {agree!r}, neither "words" nor a Property nor an Agreement nor a list of these'
        )
    return [(entry, f"agree[{number}]") for number, entry in enumerate(agree)]


def check_strength(name: str, strength: float) -> None:
    if not abs(strength) <= MOST_STRENGTH:
        raise ValueError(
            f"{name} is {strength}; it must be from -1e9 to 1e9, so that scores keep their digits "
            "beside it"
        )


def _strength(name: str, given: Any) -> Strength:
    if isinstance(given, str):
        if given != "auto":
            raise ValueError(f"{name} is {given!r}, neither a number nor 'auto'")
        return "auto"
    strength = arrays.real(name, given)
    check_strength(name, strength)
    return strength


def _asked(entry: Any, strength: Strength, minimum: int, stop: Iterable[Hashable]) -> Agreement:
    """Returns the `Agreement` that a short entry of `agree` stands for: "words", a property, or a
    pair of one of these and a strength."""
    if isinstance(entry, tuple) and len(entry) == 2:
        entry, strength = entry
    if isinstance(entry, Property):
        return Agreement(entry, strength)
    if isinstance(entry, str) and entry == "words":
        return Agreement("words", strength, minimum=minimum, stop=stop)
    raise TypeError(f'agree holds {entry!r}, neither "words" nor a Property nor an Agreement')


def _wanted(
    asked: Agreement,
    place: str,
    own: bool,
    number: int,
    lengths: Sequence[int],
    ids: arrays.Ints | None,
    texts: dict[Hashable, int] | None,
) -> Wanted:
    """Checks an agreement and converts it for the library. own: True if the caller gave an
    `Agreement`, so that error messages name its fields. False if `asked` was made from arguments of
    `decode`, so that error messages name these arguments."""
    prefix = f"{place}." if own else ""
    strength = _strength(f"{prefix}strength", asked.strength)
    minimum = arrays.size(f"{prefix}minimum", asked.minimum, 1)
    keys, known = None, None
    if asked.what == "words":
        keys, known = ids, texts
        if keys is None:
            raise TypeError(f"tokens is missing: {place} needs the words of the chains")
    elif asked.what == "keys":
        keys, known = _ids(f"{place}.keys", asked.keys, lengths)
        if keys is None:
            raise TypeError(f"{place}.keys is missing; an agreement of 'keys' needs them")
    stop = [word for word in asked.stop if not arrays.missing(word)]
    if keys is not None and not (keys >= 0).any():
        stop = []  # without words it is unknown whether they are texts or integers
    if known is not None:
        stop = [known[text] for text in stop if text in known]
    parts = [arrays.longs(f"{place}.cliques[{i}]", part) for i, part in enumerate(asked.cliques)]
    offsets = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    members = np.concatenate([np.zeros(0, dtype=np.int64), *parts])
    wrong = members[(members < 0) | (members >= sum(lengths))]
    if len(wrong):
        raise OutOfRangeError(
            f"{place}.cliques holds {wrong[0]}, and there are {sum(lengths)} positions, from 0"
        )
    if asked.weights is None or not isinstance(asked.what, Property):
        weights = _joined(f"{place}.weights", asked.weights, lengths, arrays.longs)
    else:
        weights = arrays.longs(f"{place}.weights", asked.weights, len(lengths))
    return Wanted(
        dataclasses.replace(asked, strength=strength, minimum=minimum),
        "words" if asked.what == "words" else number,
        place,
        {
            "keys": keys,
            "stop": arrays.ints(f"{prefix}stop", stop),
            "stop_count": len(stop),
            "cliques": len(parts),
            "clique_offsets": offsets,
            "members": members,
            "weights": weights,
        },
    )


@contextmanager
def placed(given: Given) -> Iterator[None]:
    """For a call that takes all chains in one array: rewrites messages of errors so that they name
    chains and agreements as the caller does."""

    def place(match: re.Match[str]) -> str:
        name, index, offsets = match["name"], int(match["index"]), given.offsets
        if name == "agreements":
            return given.wanted[index].place
        # The index of a weight of a property is the number of a chain; all others are positions.
        of_chains = (wanted.place for wanted in given.wanted if wanted.prop is not None)
        if name == "weights" and message.startswith(tuple(f"{place}." for place in of_chains)):
            return match[0]
        chain = int(np.searchsorted(offsets, index, side="right")) - 1
        within = int(index - offsets[chain]) - (name == "edges")
        return f"{'unaries' if name in ('unary', 'scores') else name}[{chain}][{within}]"

    try:
        yield
    except Error as error:
        if len(error.args) == 1:
            message = str(error)
            for names in ("agreements", "unary|scores|tokens|keys|weights|edges|forced|allowed"):
                message = re.sub(rf"\b(?P<name>{names})\[(?P<index>\d+)\]", place, message)
            error.args = (message,)
            error.message = message
        raise
