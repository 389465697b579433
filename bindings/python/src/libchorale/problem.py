"""Problems: a model with its names, gold labels and notes, in memory and as a file."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from ctypes import POINTER, c_size_t
from typing import Any, Union, overload

import numpy as np

from . import _arrays as arrays
from . import _declarations as c
from ._callbacks import Raised
from ._handle import Closable, Recipe
from ._native import call, get, library
from ._work import told
from .errors import ClosedError, FileAccessError, Renaming
from .model import Model, ModelBuilder
from .potential import Potential
from .property import Property

# The list that names the values of a clique: "labels", "tokens", the number k of a list that
# `add_value_names` added, or None.
ValueNames = Union[str, int, None]


class _List:
    """A list of texts of a problem, which is read and set as a whole. Those of positions may also
    be set as a list for each chain."""

    def __init__(self, told: str, which: int) -> None:
        self.__doc__, self._which = told, which

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
    spaces        the white space before each word, in the same form
    chain_names, group_names, clique_names  the name of each chain, group and clique
    clique_kinds  the name of the kind of each clique
    gold          the gold label of each position, chain after chain; -1 if unknown

    `notes` is a mapping from names to texts.

    >>> builder = ModelBuilder()
    >>> _ = builder.add_chain([[2.0, 0.5], [0.0, 1.0]])
    >>> problem = Problem(builder.freeze())
    >>> problem.labels = ["O", "Title"]
    >>> problem.words = ["On", "Cliques"]
    >>> problem.gold = [0, 1]
    >>> problem.notes["title"] = "Two words"
    >>> again = Problem.from_bytes(problem.to_bytes())
    >>> again.labels, again.words, again.gold.tolist(), dict(again.notes)
    (['O', 'Title'], ['On', 'Cliques'], [0, 1], {'title': 'Two words'})
    """

    _exclusive = True
    _free = library.chorale_problem_destroy

    def __init__(self, model: Model) -> None:
        if not isinstance(model, Model):
            raise TypeError(f"model is {model!r}, not a Model")
        super().__init__(self._create(library.chorale_problem_create, None, model))
        self._of(model)

    @classmethod
    def _made(cls, pointer: int, *kept: Any, raised: Sequence[Raised] = ()) -> Problem:
        problem = cls.__new__(cls)
        super(Problem, problem).__init__(pointer, *kept)
        model = library.chorale_model_retain(get(library.chorale_problem_model, problem))
        problem._of(Model._made(model, kept, raised))
        return problem

    def __reduce__(self) -> Any:
        return Recipe(Problem, "from_bytes", (self.to_bytes(),), {}).remake()

    def _of(self, model: Model) -> None:
        self._model = model
        self._lists: dict[int, list[str]] = {}  # a cache of lists that have been set or read
        self._kinds: list[int] | None = None
        self._value_lists = 0
        count = library.chorale_problem_text_count
        while get(count, self, c.CHORALE_TEXTS_VALUES + self._value_lists):
            self._value_lists += 1

    @property
    def model(self) -> Model:
        """The model."""
        return self._model

    # ---- Lists of names

    def _texts(self, which: int) -> list[str]:
        """Returns a list of texts, read once from the library and then cached."""
        known = self._lists.get(which)
        if known is None:
            known = self._lists[which] = [
                _text(library.chorale_problem_text, self, which, index) or ""
                for index in range(get(library.chorale_problem_text_count, self, which))
            ]
        elif self.closed:
            raise ClosedError("this Problem has been closed")
        return list(known)

    def _set_texts(self, name: str, which: int, texts: Iterable[str] | None) -> None:
        given = [] if texts is None else texts if isinstance(texts, (str, bytes)) else list(texts)
        packed = _Texts(name, given)
        with Renaming({"count": f"the number of {name}"}):
            packed.set(self, which)
        self._lists[which] = list(given)

    labels = _List("The name of each label.", c.CHORALE_TEXTS_LABELS)
    tokens = _List("The text of each token id.", c.CHORALE_TEXTS_TOKENS)
    words = _List("The word at each position, chain after chain.", c.CHORALE_TEXTS_WORDS)
    spaces = _List(
        "The white space before each word, chain after chain; empty: one blank before each.",
        c.CHORALE_TEXTS_SPACES,
    )
    chain_names = _List("The name of each chain.", c.CHORALE_TEXTS_CHAINS)
    group_names = _List("Names of groups 0, 1, ...", c.CHORALE_TEXTS_GROUPS)
    clique_names = _List("The name of each clique.", c.CHORALE_TEXTS_CLIQUES)
    kinds = _List("Names of kinds of cliques.", c.CHORALE_TEXTS_KINDS)

    # ---- Kinds of cliques, and names of their values

    @property
    def clique_kinds(self) -> list[str | None]:
        """The name of the kind of each clique; None if it has no kind.

        May be set to a list of names (None: no kind), which then become `kinds`, or to a list of
        indices into `kinds` (-1: no kind). Cliques of one kind, for instance of one property, share
        a strength and are switched on and off together.
        """
        names = self.kinds
        numbers = self._kinds
        if numbers is None:
            numbers = self._kinds = [self.clique_kind(k) for k in range(self._model.cliques)]
        return [names[n] if 0 <= n < len(names) else (None if n < 0 else str(n)) for n in numbers]

    @clique_kinds.setter
    def clique_kinds(self, kinds: Sequence[Any]) -> None:
        given = kinds.tolist() if isinstance(kinds, np.ndarray) else list(kinds)
        if any(isinstance(kind, str) for kind in given):
            order = {kind: None for kind in given if kind is not None}
            for number, kind in enumerate(given):
                if not isinstance(kind, str) and kind is not None:
                    raise TypeError(
                        f"clique_kinds[{number}] is {kind!r}; beside names there may only be names "
                        "and None"
                    )
            numbers = {kind: number for number, kind in enumerate(order)}
            self.kinds = list(order)
            given = [-1 if kind is None else numbers[kind] for kind in given]
        array = arrays.ints("clique_kinds", given, size=self._model.cliques)
        call(library.chorale_problem_set_cliques, self, array, None)
        self._kinds = array.tolist()

    def clique_kind(self, clique: int) -> int:
        """Returns the index of a clique's kind in `kinds`; -1: none."""
        return int(get(library.chorale_problem_clique_kind, self, self._model._clique(clique)))

    def add_value_names(self, names: Iterable[str]) -> int:
        """Adds a list of names of values and returns its number, for use in `name_values`."""
        packed = _Texts("names", names)
        if packed.count == 0:
            raise ValueError("names is empty")
        packed.set(self, c.CHORALE_TEXTS_VALUES + self._value_lists)
        self._value_lists += 1
        return self._value_lists - 1

    def value_names(self, number: int) -> list[str]:
        """Returns the list of value names with the number that `add_value_names` returned."""
        return self._texts(
            c.CHORALE_TEXTS_VALUES + self._model._within("number", number, self._value_lists)
        )

    def name_values(self, lists: Sequence[ValueNames]) -> None:
        """Sets for each clique which list names its values: "labels", "tokens", the number of a
        list that `add_value_names` added, or None."""
        known = {"labels": c.CHORALE_TEXTS_LABELS, "tokens": c.CHORALE_TEXTS_TOKENS}
        numbers = []
        for given in lists:
            if given is None:
                numbers.append(c.CHORALE_TEXTS_NONE)
            elif isinstance(given, str):
                numbers.append(arrays.chosen("lists", given, known))
            else:
                number = arrays.integer32("lists", given)
                if not 0 <= number < self._value_lists:
                    raise ValueError(f"lists holds {number}: there are {self._value_lists} lists")
                numbers.append(c.CHORALE_TEXTS_VALUES + number)
        array = arrays.ints("lists", numbers, size=self._model.cliques)
        call(library.chorale_problem_set_cliques, self, None, array)

    def value_name(self, clique: int, value: int) -> str | None:
        """Returns the name of a value of a clique; None if the value has no name, and for EMPTY and
        CONFLICT. If the clique has a dictionary, `value` is a number in the dictionary."""
        number = self._model._clique(clique)
        return _text(library.chorale_problem_value_name, self, number, value)

    # ---- Gold labels and notes

    @property
    def gold(self) -> arrays.Ints | None:
        """The gold label of each position, chain after chain; -1 if unknown. None if there are no
        gold labels."""
        with self._use(shared=True) as problem:
            pointer = library.chorale_problem_gold(problem)
            if pointer is None:
                return None
            count = int(self._model.chain_lengths.sum())
            return arrays.view(pointer, count, ctypes.c_int32, np.int32).copy()

    @gold.setter
    def gold(self, labels: Any) -> None:
        array = None
        if labels is not None:
            size = int(self._model.chain_lengths.sum())
            array = arrays.ints("gold", labels, size=size)
        call(library.chorale_problem_set_gold, self, array)

    @property
    def notes(self) -> Notes:
        """The notes: a mapping from names, such as "title" or "licence", to texts."""
        return Notes(self)

    # ---- Files

    def to_bytes(self) -> bytes:
        """Returns the file as bytes; equal problems give equal bytes."""
        size: int = told(c_size_t, library.chorale_problem_write, self, None, 0)
        data = np.empty(size, dtype=np.uint8)
        call(library.chorale_problem_write, self, data, size, None)
        return data.tobytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file: first a temporary file in the same directory, which then replaces
        `path`."""
        with _Path(path) as encoded:
            call(library.chorale_problem_save, self, encoded)

    @classmethod
    def from_bytes(cls, data: Any) -> Problem:
        """Reads a problem from the bytes of a file."""
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
        with _Path(path) as encoded:
            pointer = cls._create(library.chorale_problem_load, None, encoded)
        return cls._made(pointer)

    def __repr__(self) -> str:
        if self.closed:
            return "<Problem, closed>"
        return f"<Problem around {self._model!r}>"


class Notes(MutableMapping[str, str]):
    """The notes of a problem, a mapping from names to texts, in the order in which they were set.
    Setting an empty text removes a note."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem

    def _all(self) -> dict[str, str]:
        names = (library.chorale_problem_note_name, library.chorale_problem_note)
        return {
            name: text
            for number in range(get(library.chorale_problem_note_count, self._problem))
            for name, text in [[_text(of, self._problem, number) or "" for of in names]]
        }

    def _set(self, name: Any, text: Any) -> None:
        name, text = _encoded("the name is", name), _encoded("the text is", text)
        both = name, len(name), text, len(text)
        call(library.chorale_problem_set_note, self._problem, *both)

    def __getitem__(self, name: str) -> str:
        return self._all()[name]

    def __setitem__(self, name: str, text: str) -> None:
        self._set(name, text)

    def __delitem__(self, name: str) -> None:
        if name not in self._all():
            raise KeyError(name)
        self._set(name, "")

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return repr(self._all())


class _Texts:
    """An array of chorale_text structs, with the bytes to which they point."""

    def __init__(self, name: str, texts: Iterable[Any]) -> None:
        if isinstance(texts, (str, bytes)):
            raise TypeError(f"{name} is {texts!r}, not a list of texts")
        parts = [_encoded(f"{name} holds", text) for text in texts]
        self.count = len(parts)
        lengths = np.fromiter(map(len, parts), np.uintp, self.count)
        self._bytes = np.frombuffer(b"".join([*parts, b"\0"]), dtype=np.uint8)
        self._array = np.empty((max(1, self.count), 2), dtype=np.uintp)
        self._array[: self.count, 0] = np.cumsum(lengths) - lengths
        self._array[: self.count, 0] += np.uintp(self._bytes.ctypes.data)
        self._array[: self.count, 1] = lengths

    def set(self, problem: Problem, which: int) -> None:
        texts = ctypes.cast(self._array.ctypes.data, POINTER(c.chorale_text))
        size = ctypes.sizeof(c.chorale_text)
        call(library.chorale_problem_set_texts, problem, which, texts, size, self.count)


def _encoded(what: str, text: Any) -> bytes:
    if not isinstance(text, str):
        raise TypeError(f"{what} {text!r}, not a str")
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"{what} {text!r}, which UTF-8 cannot hold") from None


def _text(function: Any, *arguments: Any) -> str | None:
    """Calls a C function that returns the address of a text, and stores the length of the text in
    its last argument. Returns the text, or None if the address is NULL."""
    length = c_size_t()
    address = get(function, *arguments, length)
    return None if address is None else ctypes.string_at(address, length.value).decode("utf-8")


def _end_to_end(texts: Iterable[Any] | None) -> Iterable[Any] | None:
    if texts is None or isinstance(texts, (str, bytes)):
        return texts
    flat: list[Any] = []
    for text in texts:
        if isinstance(text, (list, tuple)):
            flat.extend(text)
        else:
            flat.append(text)
    return flat


class _Path:
    """A context for a call: gives the encoded path, and adds the path to errors of the call."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._encoded = os.fsencode(path)
        if b"\0" in self._encoded:
            raise ValueError(f"path {path!r} holds a NUL")

    def __enter__(self) -> bytes:
        return self._encoded

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, FileAccessError):
            error.filename = os.fspath(self._path)


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
        pointer = get(getattr(library, f"chorale_model_clique_{name}"), model, 0)
        made: Potential | Property = kind._made(kind._retain(pointer))
    return made
