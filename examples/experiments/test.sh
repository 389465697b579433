#!/usr/bin/env bash
# Tests of the experiments on made-up data, with the Python package of this checkout.
#
#   examples/experiments/test.sh [DIRECTORY]     where to put the environment; default build/experiments
#
# Leaves pages of mentions in build/mentions, for tests/report.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
root=$(cd ../.. && pwd)
directory=${1:-build/experiments}
[[ $directory == /* ]] || directory=$root/$directory
python3 -m venv --clear "$directory"
# The library is compiled once for this and for the tests of the Python package: in one folder, by
# compilers of the same names.
export CC=${CC-cc} CXX=${CXX-c++}
"$directory/bin/pip" install --quiet --config-settings=build-dir="$root/build/python-library" \
  -r requirements.txt "$root/bindings/python"
unset CHORALE_LIBRARY PYTHONPATH
mkdir -p "$root/build/mentions"
CHORALE_KEEP_PAGES=$root/build/mentions PYTHONDONTWRITEBYTECODE=1 "$directory/bin/python" \
  -m unittest -q test_experiments
PYTHONDONTWRITEBYTECODE=1 "$directory/bin/python" check_cliques.py
