"""Other libraries of the same name in the process, and systems that cannot load the package's own.

The other libraries are compiled by the tests; without a C compiler the tests are skipped. The
package is imported in a new process for each test.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import libchorale
from libchorale import _declarations

PACKAGE = Path(libchorale.__file__).resolve().parent
OWN = PACKAGE / f"libchorale.so.{_declarations.CHORALE_ABI}"

pytestmark = pytest.mark.skipif(
    not (sys.platform == "linux" and shutil.which("cc") and OWN.exists())
    or "CHORALE_LIBRARY" in os.environ,
    reason="no C compiler, or not the package's own library",
)

DECODE = """
import libchorale as ch
result = ch.decode([[[2.1, 0.3]], [[1.9, 0.2]], [[0.7, 0.9]]], tokens=[["a"]] * 3, strength=1.0)
assert [labels.tolist() for labels in result.labels] == [[0], [0], [0]]
assert ch.__version__ != "9.9.9"
"""


def compile_c(path: Path, text: str, *options: object) -> Path:
    source = path.with_suffix(".c")
    source.write_text(text)
    command = ["cc", "-shared", "-fPIC", source, "-o", path, *options]
    subprocess.run([str(word) for word in command], check=True)
    return path


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def another(tmp_path):
    """A library of another version with the same name and soname. All its functions abort, except
    chorale_version."""
    text = 'void abort(void);\nconst char *chorale_version(void) { return "9.9.9"; }\n'
    for name in _declarations.FUNCTIONS:
        if name != "chorale_version":
            text += f"void {name}(void) {{ abort(); }}\n"
    return compile_c(tmp_path / OWN.name, text, f"-Wl,-soname,{OWN.name}")


@pytest.mark.parametrize("order", ["before", "after"])
def test_another_version_in_the_process(another, order):
    """The functions of the other library are visible in the whole process (RTLD_GLOBAL). But
    neither the package nor its own library calls them."""
    load = f"""
import ctypes
other = ctypes.CDLL({str(another)!r}, ctypes.RTLD_GLOBAL)
other.chorale_version.restype = ctypes.c_char_p
assert other.chorale_version() == b"9.9.9"
"""
    done = run(load + DECODE if order == "before" else DECODE + load + DECODE)
    assert done.returncode == 0, done.stderr


def test_a_program_linked_to_another_version(another, tmp_path):
    """The same if the other library is loaded before Python starts."""
    done = run(DECODE, LD_PRELOAD=str(another))
    assert done.returncode == 0, done.stderr


def test_who_needs_another_version_gets_it(another, tmp_path):
    """A library that is linked to the other version by its soname calls that version, even if the
    package's library was loaded first."""
    user = compile_c(
        tmp_path / "user.so",
        "const char *chorale_version(void);\n"
        "const char *used(void) { return chorale_version(); }\n",
        another,
        f"-Wl,-rpath,{tmp_path}",
    )
    code = f"""
import ctypes
user = ctypes.CDLL({str(user)!r})
user.used.restype = ctypes.c_char_p
assert user.used() == b"9.9.9", user.used()
"""
    done = run(DECODE + code)
    assert done.returncode == 0, done.stderr


def test_a_system_that_is_too_old(tmp_path):
    """The error says what the library lacks, what the package is for, and what this system is."""
    copy = tmp_path / "copy" / "libchorale"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    # The library of the copy needs a symbol of version GLIBC_9.99 from libsystem.so. Then
    # libsystem.so is compiled again without this version, like the C library of an old system.
    versions = tmp_path / "versions"
    versions.write_text("GLIBC_9.99 { global: newest; };\n")
    system = compile_c(
        tmp_path / "libsystem.so", "void newest(void) {}\n", f"-Wl,--version-script,{versions}"
    )
    compile_c(
        copy / OWN.name,
        "void newest(void);\nvoid chorale_abi(void) { newest(); }\n",
        system,
        f"-Wl,-rpath,{tmp_path}",
    )
    versions.write_text("GLIBC_1.0 { global: newest; };\n")
    compile_c(system, "void newest(void) {}\n", f"-Wl,--version-script,{versions}")
    done = run("import libchorale", PYTHONPATH=str(copy.parent))
    assert done.returncode != 0
    message = done.stderr.splitlines()[-1]
    assert message.startswith("ImportError: the shared library of Chorale cannot be loaded")
    assert "`GLIBC_9.99' not found" in message
    assert re.search(r"\(the package is for [\w, ]+, this is Linux \w+ glibc [\d.]+\)", message)
