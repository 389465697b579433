#!/usr/bin/env bash
set -euo pipefail

help='Usage: tests/coverage.sh [--share SHARE] [--no-run] [--no-install]

Builds Chorale for line coverage (preset coverage, in build/coverage), runs the ordinary tests and replays
what fuzzers have found (tests/fuzz/corpus), and prints which part of the lines of src/ they ran, by
folder and in all, and every line they did not. Fails below 95 % of all.

  --share SHARE  of the usual number of random tests, default 0.1: more find hardly another line
  --no-run       only reports what was run before
  --no-install   name missing Debian packages instead of installing them with apt
  --help         this text'

floor=95
share=0.1
run=yes
setup_options=()
while [[ $# -gt 0 ]]; do
  case $1 in
  --share)
    share=${2:?a share}
    shift
    ;;
  --no-run) run=no ;;
  --no-install) setup_options+=(--no-install) ;;
  --help | -h)
    echo "$help"
    exit 0
    ;;
  *)
    echo "tests/coverage.sh: unknown argument $1" >&2
    echo "$help" >&2
    exit 2
    ;;
  esac
  shift
done

cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/coverage
if [[ $run == yes ]]; then
  tests/setup.sh "${setup_options[@]}" tests
  log=$build.log
  mkdir -p build
  {
    cmake --preset coverage
    cmake --build --preset coverage -j "$(nproc)"
    find "$build" -name '*.gcda' -delete
    # Not on the standard error of a program, where a test may look.
    GCOV_ERROR_FILE=$PWD/$build.gcov CHORALE_TEST_ROUNDS=$share ctest --preset coverage -LE valgrind -j "$(nproc)" \
      --timeout 600
  } >"$log" 2>&1 || {
    tail -n 40 "$log" >&2
    exit 1
  }
fi

# Only the library's own objects: every program of the tests runs those of the shared or static library.
find "$build/src" -name '*.gcda' -print0 |
  xargs -0 gcov --json-format --stdout --preserve-paths 2>/dev/null |
  python3 tests/coverage.py "$PWD/src" "$floor"
