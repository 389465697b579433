#!/usr/bin/env bash
# Writes the library as two files, chorale.h and chorale.cpp, with which a release of the module builds
# without the rest of the repository.
#
#   bindings/go/bundle.sh DIRECTORY
#
# Needs python3 and the headers of Microsoft GSL (Debian: libmsgsl-dev).
set -euo pipefail
to=${1:?bundle.sh DIRECTORY}
python3 "$(dirname "${BASH_SOURCE[0]}")/../../src/amalgamate.py" "$to"
# Without this line, go build would compile chorale.cpp also with the tag `system`, with which an
# installed library is linked instead.
sed -i '1i //go:build !system\n' "$to/chorale.cpp"
