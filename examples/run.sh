#!/usr/bin/env bash
set -euo pipefail

help='Usage: examples/run.sh [--no-install]

Builds Chorale (release) and runs the example: a clique solved from C.
The output of the example goes to stdout, progress to stderr.

  --no-install  name missing Debian packages instead of installing them with apt
  --help        this text'

setup_options=()
for argument in "$@"; do
  case $argument in
  --no-install) setup_options+=(--no-install) ;;
  --help | -h)
    echo "$help"
    exit 0
    ;;
  *)
    echo "examples/run.sh: unknown argument $argument" >&2
    echo "$help" >&2
    exit 2
    ;;
  esac
done

cd "$(dirname "${BASH_SOURCE[0]}")/.."
tests/setup.sh "${setup_options[@]}" examples

build=build/examples
log=$build/build.log
mkdir -p "$build"
echo "Building the library and the example in $build" >&2
if ! {
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCHORALE_BUILD_TESTS=OFF &&
    cmake --build "$build" --target example_clique
} >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi

echo "Running $build/examples/clique" >&2
"$build/examples/clique"
