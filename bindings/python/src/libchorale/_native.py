"""Finds and loads the shared library, and calls its functions."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from . import _declarations as c
from .errors import from_status

Struct = TypeVar("Struct", bound=c.Struct)


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
        for name, (result, arguments) in c.FUNCTIONS.items():
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
abi: int = library.chorale_abi()


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls a function of the library that returns a status and takes an error struct last. Raises
    an exception if the status is not OK."""
    error = c.chorale_error()
    status = function(*arguments, ctypes.byref(error))
    if status:
        raise from_status(
            status,
            library.chorale_status_name(status).decode(),
            error.message.decode("utf-8", "replace"),
            function.__name__,
        )


def struct(kind: type[Struct]) -> Struct:
    """Returns a new struct of the C interface, of zeros: these are the defaults."""
    return kind(struct_size=ctypes.sizeof(kind))


if sys.maxsize < 2**63 - 1:
    raise ImportError("Chorale needs a 64-bit Python")
