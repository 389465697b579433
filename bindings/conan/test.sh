#!/usr/bin/env bash
# Builds the recipe by Conan's own client, from the clone and from the archive of a release, static and shared; a C
# program is built with each package and run.
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
cp -r bindings/conan "$work/recipe-only" # what `conan create` leaves in a folder stays out of the clone
mkdir -p "$work/clone/bindings"
ln -s "$PWD/src" "$PWD/include" "$PWD/LICENSE" "$work/clone"
ln -s "$PWD/bindings/cmake" "$work/clone/bindings/cmake"
mv "$work/recipe-only" "$work/clone/bindings/conan"
conan create --no-remote "$work/clone/bindings/conan" -o '&:shared=True'
conan remove --confirm 'chorale/*'
conan create --no-remote "$work"/archive/chorale-*/
echo "ok: Conan builds the library from the clone, shared, and from the archive, static"
