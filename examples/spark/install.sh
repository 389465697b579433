#!/usr/bin/env bash
# Sees to it that build/spark/environment has the library and what the examples need; called by
# run.sh and web.sh.
#
#   examples/spark/install.sh [--no-install] spark|web
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tests/setup.sh "$@"
requirements=(-r examples/spark/requirements.txt)
[[ ${!#} != web ]] || requirements+=(-r examples/publications/requirements.txt)

build=build/spark
mkdir -p "$build"
python=$build/environment/bin/python
[[ -x $python ]] || python3 -m venv "$build/environment"
echo "Building the library and installing Python packages in $build" >&2
if ! "$python" -m pip install --disable-pip-version-check \
  --config-settings=build-dir="$PWD/build/python-library" "${requirements[@]}" \
  ./bindings/python >"$build/install.log" 2>&1; then
  tail -n 40 "$build/install.log" >&2
  exit 1
fi
