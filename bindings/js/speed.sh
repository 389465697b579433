#!/usr/bin/env bash
# Prints the ratio of the time of solves in WebAssembly to that in a release build of the native
# library.
#
#   bindings/js/speed.sh [MOST]        fails where a ratio is above MOST
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=build/js/speed
mkdir -p "$work"
bindings/js/build.sh --no-install >/dev/null
cmake --preset release >/dev/null
cmake --build --preset release --target chorale >/dev/null
cc -O2 -Iinclude bindings/js/tests/speed.c -o "$work/native" \
  -Lbuild/release/src -lchorale -Wl,-rpath,"$PWD/build/release/src"
exec node bindings/js/tests/speed.mjs "$work/native" "$work" "$@"
