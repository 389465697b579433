#!/bin/sh
# The sources of the library compile as one, as the two files, unity builds and WebAssembly need: names that
# only one source knows differ from those of all others.
#
#     one_source.sh PYTHON GSL COMPILER     GSL: the folder with its headers
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
"$1" "$(dirname "$0")/../src/amalgamate.py" "$work" --gsl "$2" >/dev/null
"$3" -std=c++20 -fsyntax-only -Wall -Wextra -Werror "$work/chorale.cpp"
