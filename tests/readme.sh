#!/usr/bin/env bash
# Usage: tests/readme.sh BUILD_DIR
#
# The C example of the README compiles without a warning against the shared library of BUILD_DIR and
# prints what the README says it prints.
set -euo pipefail

build=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md >"$work/example.c"
"${CC:-cc}" -std=c99 -Wall -Wextra -Wpedantic -Werror -Iinclude "$work/example.c" -o "$work/example" \
  -L"$build/src" -lchorale -Wl,-rpath,"$build/src"
printed=$("$work/example")
echo "$printed"
promised=$(sed -n 's/^It prints `\(.*\)`\..*/\1/p' README.md)
if [[ -z $promised || $printed != "$promised" ]]; then
  echo "the README promises: $promised" >&2
  exit 1
fi
