#!/usr/bin/env bash
# Usage: tests/readme.sh BUILD_DIR
#
# Every C example of README.md and include/chorale/README.md compiles without a warning against the shared library of BUILD_DIR
# and prints what the block after it says.
set -euo pipefail

build=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Blocks ```c become N.c, the next plain block becomes N.txt.
awk -v work="$work" '
  /^```c$/ { file = work "/" ++n ".c"; next }
  /^```$/ && file == "" && n > said { said = n; file = work "/" n ".txt"; next }
  /^```/ { if (file != "") close(file); file = ""; next }
  file != "" { print > file }' README.md include/chorale/README.md

examples=0
for source in "$work"/*.c; do
  example=${source%.c}
  "${CC:-cc}" -std=c99 -Wall -Wextra -Wpedantic -Werror -Iinclude "$source" -o "$example" \
    -L"$build/src" -lchorale -Wl,-rpath,"$build/src"
  "$example" | tee "$example.printed"
  diff "$example.txt" "$example.printed"
  examples=$((examples + 1))
done
[[ $examples == 2 ]]
