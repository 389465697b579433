#!/usr/bin/env bash
# Builds the package by Conan's own client: a shared library from the clone, and a static one from
# the archive of a release. Builds a C program with each package, and runs it.
#
#   bindings/conan/test.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$PWD/build/conan
rm -rf "$work"
python3 -m venv "$work/environment"
"$work/environment/bin/pip" install --quiet conan==2.34.0
export CONAN_HOME=$work/home PATH=$work/environment/bin:$PATH
conan profile detect >/dev/null

bindings/cmake/archive.sh "$work/archive"
tar -xf "$work"/archive/chorale-*.tar.gz -C "$work/archive"
cp -r bindings/conan "$work/recipe-only" # a copy: `conan create` writes files beside the recipe
mkdir -p "$work/clone/bindings"
ln -s "$PWD/src" "$PWD/include" "$PWD/LICENSE" "$work/clone"
ln -s "$PWD/bindings/cmake" "$work/clone/bindings/cmake"
mv "$work/recipe-only" "$work/clone/bindings/conan"
conan create --no-remote "$work/clone/bindings/conan" -o '&:shared=True'
conan remove --confirm 'chorale/*'
conan create --no-remote "$work"/archive/chorale-*/
echo "ok: Conan builds the library from the clone, shared, and from the archive, static"
