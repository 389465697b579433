#!/usr/bin/env bash
# Makes chorale-VERSION.tar.gz, which contains the library as two files (for C and C++), a
# CMakeLists.txt and a recipe for Conan.
#
#   bindings/cmake/archive.sh DIRECTORY
#
# Needs python3 and the headers of Microsoft GSL (Debian: libmsgsl-dev). Files have the date
# SOURCE_DATE_EPOCH or, if it is not set, the first day of 1980.
set -euo pipefail
to=$(realpath -m "${1:?archive.sh DIRECTORY}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
version=$(sed -nE 's/^#define CHORALE_VERSION_[A-Z]+ ([0-9]+)$/\1/p' include/chorale/version.h | paste -sd .)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
folder=$stage/chorale-$version
mkdir -p "$folder" "$to"
python3 src/amalgamate.py "$folder"
cp -r LICENSE bindings/cmake/CMakeLists.txt bindings/conan/conanfile.py bindings/conan/test_package "$folder"
rm -rf "$folder"/test_package/{build,CMakeUserPresets.json}
chmod -R u=rwX,go=rX "$folder"
tar -C "$stage" --sort=name --mtime="@${SOURCE_DATE_EPOCH:-315532800}" --owner=0 --group=0 --numeric-owner \
  -cf - "chorale-$version" | gzip -9n >"$to/chorale-$version.tar.gz"
