"""The ctypes declarations equal those of the C headers, and the tests call every stable function."""

from __future__ import annotations

import ast
import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from libchorale import _declarations as c

PACKAGE = Path(__file__).resolve().parent.parent
TOP = PACKAGE.parent.parent
HEADERS = TOP / "include"
SYMBOLS = sorted(
    name for path in (TOP / "tests").glob("symbols*.txt") for name in path.read_text().split()
)

pytestmark = pytest.mark.skipif(not HEADERS.is_dir(), reason="the C headers are not beside it")


def test_the_declarations_are_those_of_the_headers():
    subprocess.run([sys.executable, PACKAGE / "tools" / "declare.py", "--check"], check=True)


def test_a_c_compiler_sees_the_same_structs_and_constants(tmp_path):
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        pytest.skip("no C compiler")
    constants = {name: value for name, value in vars(c).items() if name.startswith("CHORALE_")}
    lines = ["#include <chorale/experimental.h>", "#include <stdio.h>", "int main(void) {"]
    for name in constants:
        lines.append(f'  printf("{name} %lld\\n", (long long)({name}));')
    for name, kind in c.STRUCTS.items():
        lines.append(f'  printf("{name} %zu\\n", sizeof({name}));')
        for field, *_ in kind._fields_:
            where = f"offsetof({name}, {field}), sizeof((({name} *)0)->{field})"
            lines.append(f'  printf("{name}.{field} %zu %zu\\n", {where});')
    source = tmp_path / "layout.c"
    source.write_text("\n".join([*lines, "  return 0;", "}", ""]))
    program = tmp_path / "layout"
    # The program calls no function of the library, so that it is not linked with the library.
    subprocess.run([compiler, "-std=c99", f"-I{HEADERS}", source, "-o", program], check=True)
    seen = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    expected = [f"{name} {value}" for name, value in constants.items()]
    for name, kind in c.STRUCTS.items():
        expected.append(f"{name} {ctypes.sizeof(kind)}")
        for field, *_ in kind._fields_:
            at = getattr(kind, field)
            expected.append(f"{name}.{field} {at.offset} {at.size}")
    assert seen.split("\n")[:-1] == expected


def test_a_c_compiler_sees_the_same_signatures(tmp_path):
    """Compiles, for every function, a call with arguments of the types that ctypes passes, whose
    result is taken as the type that ctypes expects. The compiler refuses conversions between
    numbers and pointers, and those that may change a number. Where ctypes has plain addresses, the
    types of elements are not compared."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        pytest.skip("no C compiler")
    names = {
        ctypes.c_int32: "int32_t",
        ctypes.c_int64: "int64_t",
        ctypes.c_size_t: "size_t",
        ctypes.c_double: "double",
        None: "void",
    }
    lines = ["#include <chorale/experimental.h>", "int main(void) { return 0; }"]
    for index, (name, (result, arguments, _)) in enumerate(c.FUNCTIONS.items()):
        values, given = [], []
        for position, kind in enumerate(arguments):
            spelled = names.get(kind)
            if spelled is None:
                # In C, any pointer converts to void * and back without a warning, but no number
                # does. ctypes also has plain addresses for function pointers without a typedef.
                if isinstance(kind, type) and issubclass(kind, ctypes._SimpleCData):
                    assert kind in (ctypes.c_void_p, ctypes.c_char_p)
                if hasattr(kind, "_argtypes_"):
                    spelled = next(n for n, v in vars(c).items() if v is kind)
                elif hasattr(kind, "contents"):
                    spelled = f"{kind._type_.__name__} *"
                else:
                    spelled = "void *"
            values.append(f"{spelled} a{position}")
            given.append(f"a{position}")
        call = f"{name}({', '.join(given)})"
        if result is None:
            body = f"{call};"
        elif result in names:
            # Refuses a result that is wider or narrower than the type of ctypes.
            body = f"typedef char same[sizeof({call}) == sizeof({names[result]}) ? 1 : -1]; "
            body += f"same x; (void)x; (void){call};"
        elif result is ctypes.c_char_p:
            body = f"const char *x = {call}; (void)x;"
        else:
            body = f"const void *x = {call}; (void)x;"
        lines.append(f"void check{index}({', '.join(values) or 'void'});")
        lines.append(f"void check{index}({', '.join(values) or 'void'}) {{ {body} }}")
    source = tmp_path / "signatures.c"
    source.write_text("\n".join([*lines, ""]))
    subprocess.run(
        [
            compiler,
            "-std=c99",
            "-Werror",
            "-Wconversion",
            "-Wno-pedantic",
            f"-I{HEADERS}",
            "-c",
            source,
            "-o",
            tmp_path / "signatures.o",
        ],
        check=True,
    )


def test_every_exported_symbol_is_declared():
    assert sorted(c.FUNCTIONS) == SYMBOLS


def test_modules_import_each_other_in_one_direction():
    """The imports that a module makes while it is loaded never lead back to it. Imports for type
    checkers alone are included."""
    source = PACKAGE / "src" / "libchorale"
    modules = {path.stem for path in source.glob("*.py")} - {"__init__"}
    imported: dict[str, set[str]] = {}
    for name in modules:
        below = imported.setdefault(name, set())
        nodes = ast.parse((source / f"{name}.py").read_text(encoding="utf-8")).body
        for node in nodes:
            nodes.extend(node.body if isinstance(node, (ast.If, ast.Try)) else ())
            if isinstance(node, ast.ImportFrom) and node.level:
                below.update([node.module] if node.module else [n.name for n in node.names])
    assert imported["run"] > {"model", "problem"} and set().union(*imported.values()) <= modules
    while imported:
        lowest = [name for name, below in imported.items() if not below & imported.keys()]
        assert lowest, f"a circle among {sorted(imported)}"
        for name in lowest:
            del imported[name]


def test_every_stable_function_is_called(called_functions, request):
    """Runs after all other tests (conftest.py). Is skipped if some of them were not run."""
    files = {path.name for path in Path(__file__).parent.glob("test_*.py")}
    run = {item.path.name for item in request.session.items}
    option = request.config.option
    if files - run or option.keyword or option.markexpr or option.deselect:
        pytest.skip("not all tests were run")
    stable = set((TOP / "tests" / "symbols.txt").read_text().split())
    assert stable - called_functions == set()
