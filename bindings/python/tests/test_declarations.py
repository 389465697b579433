"""The ctypes declarations are those of the C headers, and the package reaches all of them."""

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
SYMBOLS = TOP / "tests" / "symbols.txt"

pytestmark = pytest.mark.skipif(not HEADERS.is_dir(), reason="the C headers are not beside it")


def test_the_declarations_are_those_of_the_headers():
    subprocess.run([sys.executable, PACKAGE / "tools" / "declare.py", "--check"], check=True)


def test_a_c_compiler_sees_the_same_structs_and_constants(tmp_path):
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        pytest.skip("no C compiler")
    constants = {name: value for name, value in vars(c).items() if name.startswith("CHORALE_")}
    lines = ["#include <chorale/chorale.h>", "#include <stdio.h>", "int main(void) {"]
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
    # Not linked with the library: functions are declared, and none is called.
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
    """A C translation of every ctypes signature is redeclared beside the header: C compilers refuse
    a function that is declared twice in different ways. Addresses lose their element types in
    ctypes, so those are compared as pointers by assignment."""
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
    lines = ["#include <chorale/chorale.h>", "int main(void) { return 0; }"]
    for index, (name, (result, arguments)) in enumerate(c.FUNCTIONS.items()):
        values, given = [], []
        for position, kind in enumerate(arguments):
            spelled = names.get(kind)
            if spelled is None:
                # Any pointer converts to and from void *, and no number does so silently.
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
        # Function pointers without a name of their own are addresses in ctypes.
        if result is None:
            body = f"{call};"
        elif result in names:
            # Sizes: a wider or narrower result has another size.
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
    assert sorted(c.FUNCTIONS) == SYMBOLS.read_text().split()


def test_modules_import_each_other_in_one_direction():
    """What a module imports as it is loaded never leads back to it, not even for a type."""
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


def test_every_function_is_called(called_functions, request):
    """Runs after all other tests; where some were left out it can say nothing."""
    files = {path.name for path in Path(__file__).parent.glob("test_*.py")}
    run = {item.path.name for item in request.session.items}
    option = request.config.option
    if files - run or option.keyword or option.markexpr or option.deselect:
        pytest.skip("not all tests were run")
    exported = set(SYMBOLS.read_text().split())
    assert exported - called_functions == set()
