#!/usr/bin/env bash
# Usage: tests/called.sh PROGRAM...
#
# Runs the test programs of a binding, and fails where they do, or where none of them calls a stable
# function (symbols.txt) or another one of the library to which a program is linked. They must be linked
# to the shared library, with lazy binding: glibc's linker then tells when a program first calls a
# function. (One that a program holds the address of is told at its start.)
set -euo pipefail
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
{
  cat "$(dirname "${BASH_SOURCE[0]}")/symbols.txt"
  for program; do nm -D --undefined-only "$program" | grep -o '\bchorale_[a-z0-9_]*' || true; done
} | sort -u >"$logs/symbols"
unset LD_BIND_NOW

for program; do
  LD_DEBUG=bindings LD_DEBUG_OUTPUT=$logs/bound "$program" >"$logs/output" 2>&1 || {
    cat "$logs/output" >&2
    exit 1
  }
  # Of this program alone: what it starts in turn, and the library itself, bind functions too. Threads
  # may tell more than one on a line.
  { grep -ohE "binding file $program [^']*'" "$logs"/bound.* || true; } |
    sed "s/.*symbol .//; s/'//" >>"$logs/called"
  rm -f "$logs"/bound.*
done
if ! missing=$(sort -u "$logs/called" | comm -13 - "$logs/symbols") || [[ -n $missing ]]; then
  printf 'no test calls %s\n' $missing >&2
  exit 1
fi
echo "all $(wc -l <"$logs/symbols") functions are called"
