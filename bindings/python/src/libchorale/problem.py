"""Problems: a model with its names, gold labels and notes, in memory and as a file."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from ctypes import POINTER, c_size_t
from types import MappingProxyType
from typing import Any, overload

import numpy as np

from . import _arrays as arrays
from . import _declarations as c
from ._callbacks import Raised
from ._handle import Closable, instance, recipe
from ._native import call, get, library
from ._work import told
from .errors import ClosedError, FileAccessError, Renaming
from .model import Model, ModelBuilder
from .potential import Potential
from .property import Property


class _List:
    """A list of texts of a problem (`Problem`), which is read and set as a whole."""

    def __init__(self, which: int) -> None:
        self._which = which

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, problem: None, owner: Any = None) -> _List: ...
    @overload
    def __get__(self, problem: Problem, owner: Any = None) -> list[str]: ...
    def __get__(self, problem: Problem | None, owner: Any = None) -> _List | list[str]:
        return self if problem is None else problem._texts(self._which)

    def __set__(self, problem: Problem, texts: Iterable[Any] | None) -> None:
        if self._which in (c.CHORALE_TEXTS_WORDS, c.CHORALE_TEXTS_SPACES):
            texts = _end_to_end(texts)
        problem._set_texts(self._name, self._which, texts)


class Problem(Closable):
    """A model with its names, gold labels and notes. May be read by any number of threads at once,
    or changed by one.

    Everything except the model may be absent (None or empty). The following lists are read and set
    as a whole:

    labels        the name of each label
    tokens        the text of each token id
    words         the word at each position, chain after chain; a list for each chain is accepted
                  too
    spaces        the white space before each word, in the same form; empty: one blank before each
    chain_names, clique_names  the name of each chain and clique
    group_names   names of groups 0, 1, ...
    kinds         names of kinds of cliques
    clique_kinds  the name of the kind of each clique
    gold          the gold label of each position, chain after chain; -1 if unknown
    notes         texts by names

    >>> builder = ModelBuilder()
    >>> _ = builder.add_chain([[2.0, 0.5], [0.0, 1.0]])
    >>> problem = Problem(builder.freeze())
    >>> problem.labels = ["O", "Title"]
    >>> problem.words = ["On", "Cliques"]
    >>> problem.gold = [0, 1]
    >>> problem.notes = {"title": "Two words"}
    >>> again = Problem.from_bytes(problem.to_bytes())
    >>> again.labels, again.words, again.gold.tolist(), dict(again.notes)
    (['O', 'Title'], ['On', 'Cliques'], [0, 1], {'title': 'Two words'})
    """

    _free = library.chorale_problem_destroy

    def __init__(self, model: Model) -> None:
        instance("model", model, Model)
        super().__init__(self._create(library.chorale_problem_create, None, model))
        self._of(model)

    @classmethod
    def _made(cls, pointer: int, *kept: Any, raised: Sequence[Raised] = ()) -> Problem:
        problem = cls.__new__(cls)
        super(Problem, problem).__init__(pointer, *kept)
        model = library.chorale_model_retain(get(library.chorale_problem_model, problem))
        problem._of(Model._of(model, kept, raised))
        return problem

    def __reduce__(self) -> Any:
        return recipe(Problem, "from_bytes", self.to_bytes())

    def _of(self, model: Model) -> None:
        self._model = model
        self._lists: dict[int, list[str]] = {}  # a cache of lists that have been set or read

    @property
    def model(self) -> Model:
        """The model."""
        return self._model

    # ---- Lists of names

    def _read(self, which: int) -> list[str]:
        return [
            _text(library.chorale_problem_text, self, which, index) or ""
            for index in range(get(library.chorale_problem_text_count, self, which))
        ]

    def _texts(self, which: int) -> list[str]:
        """Returns a list of texts, read once from the library and then cached."""
        known = self._lists.get(which)
        if known is None:
            known = self._lists[which] = self._read(which)
        elif self.closed:
            raise ClosedError("this Problem has been closed")
        return list(known)

    def _set_texts(self, name: str, which: int, texts: Iterable[str] | None) -> None:
        given = [] if texts is None else texts if isinstance(texts, (str, bytes)) else list(texts)
        with Renaming({"count": f"the number of {name}"}):
            self._set(name, which, given)
        self._lists[which] = list(given)

    def _set(self, name: str, which: int, texts: Iterable[Any]) -> None:
        parts = arrays.texts(name, texts)
        count = len(parts)
        lengths = np.fromiter(map(len, parts), np.uintp, count)
        joined = np.frombuffer(b"".join([*parts, b"\0"]), dtype=np.uint8)
        entries = np.empty((max(1, count), 2), dtype=np.uintp)  # structs chorale_text
        entries[:count, 0] = np.cumsum(lengths) - lengths + np.uintp(joined.ctypes.data)
        entries[:count, 1] = lengths
        given = ctypes.cast(entries.ctypes.data, POINTER(c.chorale_text))
        size = ctypes.sizeof(c.chorale_text)
        call(library.chorale_problem_set_texts, self, which, given, size, count)

    labels = _List(c.CHORALE_TEXTS_LABELS)
    tokens = _List(c.CHORALE_TEXTS_TOKENS)
    words = _List(c.CHORALE_TEXTS_WORDS)
    spaces = _List(c.CHORALE_TEXTS_SPACES)
    chain_names = _List(c.CHORALE_TEXTS_CHAINS)
    group_names = _List(c.CHORALE_TEXTS_GROUPS)
    clique_names = _List(c.CHORALE_TEXTS_CLIQUES)
    kinds = _List(c.CHORALE_TEXTS_KINDS)

    # ---- Kinds of cliques, and names of their values

    @property
    def clique_kinds(self) -> list[str | None]:
        """The name of the kind of each clique; None if it has no kind. If they are set, and not all
        among `kinds`, their names become `kinds`. Cliques of one kind, for instance of one property,
        share a strength and are switched on and off together."""
        names, count = self.kinds, self._model.cliques
        numbers = (self.clique_kind(clique) for clique in range(count))
        return [names[n] if 0 <= n < len(names) else (None if n < 0 else str(n)) for n in numbers]

    @clique_kinds.setter
    def clique_kinds(self, kinds: Sequence[str | None]) -> None:
        used, names = dict.fromkeys(kind for kind in kinds if kind is not None), self.kinds
        known = used.keys() <= set(names)
        if not known:
            names = list(used)
        given = [-1 if kind is None else names.index(kind) for kind in kinds]
        array = arrays.ints("clique_kinds", given, size=self._model.cliques)
        if not known:
            self._set_texts("clique_kinds", c.CHORALE_TEXTS_KINDS, names)
        call(library.chorale_problem_set_cliques, self, array, None)

    def clique_kind(self, clique: int) -> int:
        """Returns the index of a clique's kind in `kinds`; -1: none. Rests on experimental calls of
        C: may change in any version."""
        return int(get(library.chorale_problem_clique_kind, self, self._model._clique(clique)))

    def name_values(self, names: Sequence[Sequence[str] | None]) -> None:
        """Sets for each clique the names of its values: "labels" or "tokens", which are the lists of
        the problem, a list of names, or None."""
        known = {"labels": c.CHORALE_TEXTS_LABELS, "tokens": c.CHORALE_TEXTS_TOKENS}
        lists: dict[tuple[str, ...], int] = {}
        numbers = []
        for given in names:
            if given is None:
                numbers.append(c.CHORALE_TEXTS_NONE)
            elif isinstance(given, str) or not isinstance(given, Iterable):
                numbers.append(arrays.chosen("names", given, known))
            else:
                numbers.append(lists.setdefault(tuple(given), c.CHORALE_TEXTS_VALUES + len(lists)))
        array = arrays.ints("names", numbers, size=self._model.cliques)
        for texts, which in lists.items():
            self._set("names", which, texts)
        call(library.chorale_problem_set_cliques, self, None, array)

    def value_name(self, clique: int, value: int) -> str | None:
        """Returns the name of a value of a clique; None if the value has no name, and for EMPTY and
        CONFLICT. If the clique has a dictionary, `value` is a number in the dictionary. Rests on
        experimental calls of C: may change in any version."""
        number = self._model._clique(clique)
        return _text(library.chorale_problem_value_name, self, number, value)

    # ---- Gold labels and notes

    @property
    def gold(self) -> arrays.Ints | None:
        """The gold label of each position, chain after chain; -1 if unknown. None if there are no
        gold labels."""
        with self._use() as problem:
            pointer = library.chorale_problem_gold(problem)
            count = int(self._model.chain_lengths.sum())
            own = arrays.borrowed(pointer, (count,), np.int32, None)
            return None if pointer is None else own.copy()

    @gold.setter
    def gold(self, labels: Any) -> None:
        size = int(self._model.chain_lengths.sum())
        array = arrays.optional_ints("gold", labels, size)
        call(library.chorale_problem_set_gold, self, array)

    @property
    def notes(self) -> Mapping[str, str]:
        """The notes: texts by names, such as "title" or "licence". Rests on experimental calls of
        C: may change in any version."""
        lists = (c.CHORALE_TEXTS_NOTE_NAMES, c.CHORALE_TEXTS_NOTES)
        names, texts = [self._read(which) for which in lists]
        return MappingProxyType(dict(zip(names, texts)))

    @notes.setter
    def notes(self, notes: Mapping[str, str]) -> None:
        given = {**dict.fromkeys(self.notes, ""), **notes}.items()
        says = "the name is", "the text is"
        for name, text in [tuple(map(arrays.encoded, says, note)) for note in given]:
            call(library.chorale_problem_set_note, self, name, len(name), text, len(text))

    # ---- Files

    def to_bytes(self) -> bytes:
        """Returns the file as bytes; equal problems give equal bytes. Rests on experimental calls
        of C: may change in any version."""
        size: int = told(c_size_t, library.chorale_problem_write, self, None, 0)
        data = np.empty(size, dtype=np.uint8)
        call(library.chorale_problem_write, self, data, size, None)
        return data.tobytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file: first a temporary file in the same directory, which then replaces
        `path`."""
        with _path(path) as encoded:
            call(library.chorale_problem_save, self, encoded)

    @classmethod
    def from_bytes(cls, data: Any) -> Problem:
        """Reads a problem from the bytes of a file. Rests on experimental calls of C: may change in
        any version."""
        try:
            view = memoryview(data)
        except TypeError:
            raise TypeError(f"data is {type(data).__name__}, not bytes") from None
        if not view.c_contiguous:
            raise ValueError("data is not contiguous")
        array = np.frombuffer(view.cast("B"), dtype=np.uint8) if view.nbytes else np.empty(0, "u1")
        return cls._made(cls._create(library.chorale_problem_read, None, array, len(array), 0))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Problem:
        """Loads a problem from a file or a pipe; devices and directories are refused."""
        with _path(path) as encoded:
            pointer = cls._create(library.chorale_problem_load, None, encoded)
        return cls._made(pointer)

    def _told(self) -> str:
        return f" around {self._model!r}"


def _text(function: Any, *arguments: Any) -> str | None:
    """Calls a C function that returns the address of a text, and stores the length of the text in
    its last argument. Returns the text, or None if the address is NULL."""
    length = c_size_t()
    address = get(function, *arguments, length)
    return None if address is None else ctypes.string_at(address, length.value).decode("utf-8")


def _end_to_end(texts: Iterable[Any] | None) -> Iterable[Any] | None:
    if texts is None or isinstance(texts, (str, bytes)):
        return texts
    parts = (text if isinstance(text, (list, tuple)) else [text] for text in texts)
    return [text for part in parts for text in part]


@contextlib.contextmanager
def _path(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """A context for a call: gives the encoded path, and adds the path to errors of the call."""
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError(f"path {path!r} holds a NUL")
    try:
        yield encoded
    except FileAccessError as error:
        error.filename = os.fspath(path)
        raise


def model_of(data: bytes) -> Model:
    """Returns the model of a problem from the bytes of its file."""
    return Problem.from_bytes(data).model


def pickled(**given: Any) -> Any:
    """Returns what __reduce__ must return for a potential or property: the bytes of a problem file
    with one clique that has it. given: it, by its name."""
    [(name, thing)] = given.items()
    builder = ModelBuilder()
    if name == "property":
        builder.add_cliques(1, potential=Potential.potts(thing.values, 0.0), **given)
    else:
        builder.add_cliques(1, **given)
    return unpickled, (name, Problem(builder.freeze()).to_bytes())


def unpickled(name: str, data: bytes) -> Potential | Property:
    kind: Any = {"potential": Potential, "property": Property}[name]
    with model_of(data) as model:  # to which the potential or property belongs until it is retained
        made: Potential | Property = kind._made(kind._retain(getattr(model._setup(0), name)))
    return made
