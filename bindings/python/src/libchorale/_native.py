"""Finds and loads the shared library, and calls its functions.

Arguments of functions and fields of structs are converted by their types and names in C
(_declarations.py): arrays become addresses, and numbers are checked. A handle is marked as used
while a call uses it, as shared where the function does not change it (const in C).
"""

from __future__ import annotations

import ctypes
import ctypes.util
import dataclasses
import functools
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from . import _arrays as arrays
from . import _declarations as c
from ._callbacks import Raised
from .errors import NAMES, Renaming, from_status

Struct = TypeVar("Struct", bound=c.Struct)
Result = TypeVar("Result")


def _candidates() -> list[str]:
    """Returns the paths or names by which the library may be loaded, to be tried in this order: the
    path in the environment variable CHORALE_LIBRARY if it is set; otherwise the library beside this
    file, if the wheel has put it there; otherwise names for the search path of the system."""
    named = os.environ.get("CHORALE_LIBRARY")
    if named:
        return [named]
    here = Path(__file__).resolve().parent
    names = (f"libchorale.so.{c.CHORALE_ABI}", "libchorale.so", "libchorale.dylib", "chorale.dll")
    found = [str(here / name) for name in names if (here / name).exists()]
    if found:
        return found
    system = ctypes.util.find_library("chorale")
    return [names[0], *([system] if system else [])]


def _installed_for() -> str:
    """Returns a text for the message of an ImportError, which names the platforms that the package
    is for and the present platform."""
    import importlib.metadata
    import platform

    try:
        wheel = importlib.metadata.distribution("libchorale").read_text("WHEEL") or ""
    except importlib.metadata.PackageNotFoundError:
        wheel = ""
    tags = [line.split("-")[-1] for line in wheel.splitlines() if line.startswith("Tag: ")]
    built = f"the package is for {', '.join(tags)}, " if tags else ""
    libc = " ".join(part for part in platform.libc_ver() if part)
    return f"({built}this is {platform.system()} {platform.machine()} {libc}".rstrip() + ")"


def _load() -> ctypes.CDLL:
    problems = []
    for candidate in _candidates():
        try:
            library = ctypes.CDLL(candidate)
        except OSError as error:
            problems.append(str(error))
            continue
        abi = library.chorale_abi()
        if abi != c.CHORALE_ABI:
            raise ImportError(f"{candidate} has ABI {abi}; this package needs {c.CHORALE_ABI}")
        for name, (result, arguments, _) in c.FUNCTIONS.items():
            try:
                function = getattr(library, name)
            except AttributeError:
                raise ImportError(
                    f"{candidate} has no {name}: it is of another version than this package"
                ) from None
            function.restype = result
            function.argtypes = arguments
        return library
    raise ImportError(
        f"the shared library of Chorale cannot be loaded {_installed_for()}: " + "; ".join(problems)
    )


library: Any = _load()

version: str = library.chorale_version().decode()


class Usable:
    """What is marked as used while a call of the library uses it. _raised: where callbacks of it
    store their exceptions."""

    _raised: Sequence[Raised] = ()

    def _use(self, shared: bool = True) -> Any:
        """Returns a context, which marks the object as used, and gives what C takes for it. shared:
        False: the call changes the object, and must be the only one."""
        raise NotImplementedError


def handles(arguments: Iterable[Any]) -> Iterator[Usable]:
    """Yields the handles among arguments, and in structs that are arguments."""
    for argument in arguments:
        if isinstance(argument, c.Struct):
            yield from argument.used.values()
        elif isinstance(argument, Usable):
            yield argument


class Using:
    """A context for a call that gets a struct: marks the handles in its fields as used, and gives
    its address. Messages name its fields as `names` of the struct says."""

    def __init__(self, made: c.Struct) -> None:
        self._made = made
        self._uses = {name: handle._use(True) for name, handle in made.used.items()}

    def __enter__(self) -> Any:
        try:
            for name, use in self._uses.items():
                setattr(self._made, name, use.__enter__())
        except BaseException:
            Using.__exit__(self)
            raise
        return ctypes.byref(self._made)

    def __exit__(self, *raised: Any) -> None:
        for use in self._uses.values():
            use.__exit__()
        if self._made.names and raised:
            Renaming(self._made.names).__exit__(*raised)


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls a function of the library that returns a status and takes an error struct last. Raises
    an exception if the status is not OK."""
    error = c.chorale_error()

    def checked(*given: Any) -> None:
        status = function(*given)
        if status:
            raise from_status(
                status,
                library.chorale_status_name(status).decode(),
                error.message.decode("utf-8", "replace"),
                function.__name__,
            )

    given = [*arguments, ctypes.byref(error)]
    _with(checked, given, _parameters(function.__name__), 0)


def get(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function of the library, and returns what it returns."""
    return _with(function, [*arguments], _parameters(function.__name__), 0)


_OUTPUTS = (ctypes.c_int32, ctypes.c_int64, ctypes.c_size_t, ctypes.c_double)


@functools.lru_cache(None)
def _parameters(function: str) -> list[tuple[str, Any, Any]]:
    """Returns for each parameter of a function its name in Python, how a number is checked, and
    whether the function only reads it."""
    _, kinds, names = c.FUNCTIONS[function]
    own = [name.removeprefix("const ") for name in names]
    read = [name.startswith("const ") for name in names]
    return [(NAMES.get(n, n), arrays.CHECKS.get(k), r) for n, k, r in zip(own, kinds, read)]


def _with(function: Callable[..., Any], given: list[Any], parameters: Any, first: int) -> Any:
    """Converts the arguments from number `first` on, and calls a function with them. The contexts of
    handles are nested, so that an exception between two of them ends the first. parameters: see
    `_parameters`."""
    for place in range(first, len(given)):
        argument = given[place]
        name, check, shared = parameters[place]
        if check is not None:
            given[place] = check(name, argument)
        elif isinstance(argument, np.ndarray):
            given[place] = arrays.address(argument)
        elif isinstance(argument, (Usable, c.Struct)):
            use = argument._use(shared) if isinstance(argument, Usable) else Using(argument)
            with use as given[place]:
                return _with(function, given, parameters, place + 1)
        elif isinstance(argument, _OUTPUTS):
            given[place] = ctypes.byref(argument)
    return function(*given)


@functools.lru_cache(None)
def _checks(kind: type[c.Struct]) -> dict[str, Any]:
    return {name: arrays.CHECKS.get(of) for name, of, *_ in kind._fields_}


def struct(kind: type[Struct], /, **fields: Any) -> Struct:
    """Returns a new struct of the C interface. Fields that are not given, or None, are zero: this
    is their default. Numbers are checked; an array is kept alive with the struct, and a handle is
    marked as used while a call uses the struct."""
    made = kind(struct_size=ctypes.sizeof(kind))
    made.kept, made.used = fields, {}
    checks = _checks(kind)
    for name, given in fields.items():
        if isinstance(given, Usable):
            made.used[name] = given
        elif isinstance(given, np.ndarray):
            setattr(made, name, arrays.address(given))
        elif given is not None:
            check = checks[name]
            setattr(made, name, given if check is None else check(name, given))
    return made


def read(kind: Callable[..., Result], made: c.Struct, **others: Any) -> Result:
    """Returns a dataclass with the fields of a struct that have the names of its own. others: the
    values of its other fields."""
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        if field.name not in others:
            value = getattr(made, field.name)
            others[field.name] = bool(value) if field.type == "bool" else value
    return kind(**others)


if sys.maxsize < 2**63 - 1:
    raise ImportError("Chorale needs a 64-bit Python")
