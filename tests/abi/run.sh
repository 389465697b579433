#!/usr/bin/env bash
# Holds a build to the ABI of every release that shares its ABI number.
#
#   tests/abi/run.sh BUILD_DIR           the build has debug information
#   tests/abi/run.sh --record BUILD_DIR  makes the record of the version at hand, when it is released
#
# A record is a folder: the symbols, the headers, and what abidw sees of the functions and types that
# programs use. Functions may be added; removed or changed ones end a program that was linked before.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

record=no
if [[ ${1-} == --record ]]; then
  record=yes
  shift
fi
build=${1:?the folder of a build}
library=$build/src/libchorale.so

define() { # NAME
  sed -n "s/.*define CHORALE_$1 \([0-9]*\).*/\1/p" "${2:-include}/chorale/version.h"
}

if [[ $record == yes ]]; then
  to=tests/abi/$(define VERSION_MAJOR).$(define VERSION_MINOR).$(define VERSION_PATCH)
  mkdir -p "$to/include/chorale"
  cp include/chorale/*.h "$to/include/chorale/"
  cp tests/symbols.txt "$to/symbols.txt"
  abidw --headers-dir include --drop-private-types --exported-interfaces-only --no-show-locs \
    --no-corpus-path --no-comp-dir-path "$library" |
    sed -E "s|path='[^']*/src/|path='src/|" >"$to/libchorale.abi"
  echo "recorded $to"
  exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { # MESSAGE
  echo "FAILED: $1"
  failed=$((failed + 1))
}

nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort >"$work/symbols"
held=0
for release in tests/abi/[0-9]*/; do
  release=${release%/}
  [[ $(define ABI "$release/include") == "$(define ABI)" ]] || continue
  held=$((held + 1))
  missing=$(sort "$release/symbols.txt" | comm -23 - "$work/symbols")
  [[ -z $missing ]] || fail "$release: no longer exported: ${missing//$'\n'/ }"

  # Bit 4: some difference; which one the first line tells.
  status=0
  abidiff --exported-interfaces-only "$release/libchorale.abi" "$library" >"$work/diff" || status=$?
  if ((status & ~12)); then
    cat "$work/diff"
    fail "$release: abidiff could not compare (status $status)"
  elif ((status != 0)) &&
    ! grep -q '^Functions changes summary: 0 Removed, 0 Changed' "$work/diff"; then
    cat "$work/diff"
    fail "$release: functions or their types have changed"
  fi

  # A program that was compiled with the release's headers runs on this library.
  cc -std=c99 -I "$release/include" examples/collective.c -L "$build/src" -lchorale \
    -Wl,-rpath,"$PWD/$build/src" -o "$work/old"
  cc -std=c99 -I include examples/collective.c -L "$build/src" -lchorale \
    -Wl,-rpath,"$PWD/$build/src" -o "$work/new"
  "$work/old" >"$work/old.txt"
  "$work/new" >"$work/new.txt"
  cmp -s "$work/old.txt" "$work/new.txt" || fail "$release: its programs print something else"
done
echo "held to $held releases of ABI $(define ABI)"
[[ $held -gt 0 ]] || fail "no release to hold it to"
[[ $failed == 0 ]]
