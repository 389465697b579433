#!/usr/bin/env bash
# Installs the package as a user would, into an environment of its own, and runs its tests on that;
# once more with the sanitized library, where build/asan-ubsan holds one.
#
#   bindings/python/tests/run.sh [DIRECTORY]     where to put the environment; default build/python
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
unset CHORALE_LIBRARY PYTHONPATH
directory=${1:-build/python}
python3 -m venv --clear "$directory"
directory=$(realpath "$directory")
# The compiler's names that CMake finds by itself, so that ccache knows what other builds compiled.
export CC=${CC-cc} CXX=${CXX-c++}
# The build is kept, so that another run compiles only what changed.
"$directory/bin/pip" install --quiet --config-settings=build-dir="$PWD/build/python-library" \
  './bindings/python[test]' mypy
# Beside it stands a package of another author's, named chorale, which must not be imported.
packages=$("$directory/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
mkdir "$packages/chorale"
echo 'raise ImportError("the other package was imported")' >"$packages/chorale/__init__.py"
# Of the checkout only the tests: the package, and the examples in its docstrings, are the installed.
installed=$("$directory/bin/python" -c \
  'import libchorale, pathlib; print(pathlib.Path(libchorale.__file__).parent)')
sanitized=$PWD/build/asan-ubsan/src/libchorale.so
cd bindings/python
tests() {
  "$directory/bin/python" -m pytest -q -p no:cacheprovider "$installed" tests "$@"
}
tests
"$directory/bin/python" -m mypy --cache-dir=/dev/null
# A program of a user's, against what is installed.
"$directory/bin/python" -m mypy --cache-dir=/dev/null --strict --config-file= tests/typed_program.py
"$directory/bin/python" tests/typed_program.py

if [[ -e $sanitized ]]; then
  # The interpreter is not sanitized: the run-time libraries have to be there first, and what it
  # never frees is no leak. Leaks of C memory are counted above.
  preload=
  for library in libasan.so libubsan.so libstdc++.so; do
    preload+="$(gcc -print-file-name=$library) "
  done
  CHORALE_LIBRARY=$sanitized LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0 \
    tests --ignore tests/test_spacy.py --ignore tests/test_crfsuite.py \
    --ignore "$installed/spacy.py"
fi
