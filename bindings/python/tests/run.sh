#!/usr/bin/env bash
# Installs the package as a user would, into an environment of its own, and runs its tests on that.
#
#   bindings/python/tests/run.sh [DIRECTORY]     where to put the environment; default build/python
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
directory=${1:-build/python}
python3 -m venv --clear "$directory"
# The build is kept, so that another run compiles only what changed.
"$directory/bin/pip" install --quiet --config-settings=build-dir="$PWD/build/python-library" \
  './bindings/python[test]' mypy
# Of the checkout only tests, and sources for their docstrings: the package is the installed one.
installed=$("$directory/bin/python" -c 'import chorale, pathlib; print(pathlib.Path(chorale.__file__).parent)')
unset CHORALE_LIBRARY PYTHONPATH
cd bindings/python
"../../$directory/bin/python" -m pytest -q -p no:cacheprovider "$installed" tests
"../../$directory/bin/python" -m mypy --cache-dir=/dev/null
