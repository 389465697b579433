#!/usr/bin/env bash
# Writes the library as two files, chorale.h and chorale.cpp, which `go build` compiles. `go
# generate` runs this script. An archive of the module contains the two files already.
#
#   bindings/go/bundle.sh [DIRECTORY]      default: beside this script
#
# Needs python3 and the headers of Microsoft GSL (Debian: libmsgsl-dev).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
to=${1:-.}
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
python3 ../../src/amalgamate.py "$made"
# Without this line, go build would compile chorale.cpp also with the tag `system`, with which an
# installed library is linked instead.
sed -i '1i //go:build !system\n' "$made/chorale.cpp"
for file in chorale.h chorale.cpp; do
  cmp -s "$made/$file" "$to/$file" || cp "$made/$file" "$to/$file"
done
