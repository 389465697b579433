#!/usr/bin/env bash
# Installs the package as a user would, into a virtual environment, and runs the tests on the
# installed package. If build/asan-ubsan has a sanitized library, runs them again with that library.
#
#   bindings/python/tests/run.sh [DIRECTORY]     where to put the environment; default build/python
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
unset CHORALE_LIBRARY PYTHONPATH
directory=${1:-build/python}
python3 -m venv --clear "$directory"
directory=$(realpath "$directory")
# Sets the names of the compilers to those that CMake finds by itself, so that ccache recognises
# what other builds have compiled.
export CC=${CC-cc} CXX=${CXX-c++}
# Keeps the folder of the build, so that another run compiles only what has changed.
"$directory/bin/pip" install --quiet --config-settings=build-dir="$PWD/build/python-library" \
  './bindings/python[test]' mypy
# Its model has names that only few have. Not in the extra `test`, since one test alone needs it.
"$directory/bin/pip" install --quiet usaddress || echo "no usaddress: its test is skipped"
# Adds a package named chorale, as if by another author, which must not be imported.
packages=$("$directory/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
mkdir "$packages/chorale"
echo 'raise ImportError("the other package was imported")' >"$packages/chorale/__init__.py"
# The tests are those of the checkout. The package, and the examples in its docstrings, are those
# that are installed.
installed=$("$directory/bin/python" -c \
  'import libchorale, pathlib; print(pathlib.Path(libchorale.__file__).parent)')
sanitized=$PWD/build/asan-ubsan/src/libchorale.so
cd bindings/python
tests() {
  "$directory/bin/python" -m pytest -q -p no:cacheprovider "$installed" tests "$@"
}
tests
"$directory/bin/python" -m mypy --cache-dir=/dev/null
# Checks and runs a program such as a user would write, against the installed package.
"$directory/bin/python" -m mypy --cache-dir=/dev/null --strict --config-file= tests/typed_program.py
"$directory/bin/python" tests/typed_program.py

if [[ -e $sanitized ]]; then
  # The interpreter is not sanitized. So the run-time libraries of the sanitizers must be loaded
  # before it. Leaks are not reported, since the interpreter itself never frees some memory;
  # test_lifetime.py, which ran above, detects leaks of C memory.
  preload=
  for library in libasan.so libubsan.so libstdc++.so; do
    preload+="$(gcc -print-file-name=$library) "
  done
  CHORALE_LIBRARY=$sanitized LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0 \
    tests --ignore tests/test_spacy.py --ignore tests/test_crfsuite.py \
    --ignore "$installed/spacy.py"
fi
