#!/usr/bin/env bash
# Installs the package into an environment that has libchorale, and runs the tests on what is installed.
#
#   bindings/references/tests/run.sh [DIRECTORY]     the environment; default build/python
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
unset CHORALE_LIBRARY PYTHONPATH
directory=$(realpath "${1:-build/python}")
"$directory/bin/pip" install --quiet './bindings/references[test]'
installed=$("$directory/bin/python" -c \
  'import chorale_references, pathlib; print(pathlib.Path(chorale_references.__file__).parent)')
cd bindings/references
"$directory/bin/python" -m pytest -q -p no:cacheprovider "$installed" tests
