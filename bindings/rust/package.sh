#!/usr/bin/env bash
# Makes the packages of both crates, as the registry takes them: libchorale-sys carries the library as two
# files, chorale.h and chorale.cpp.
#
#   bindings/rust/package.sh DIRECTORY [--no-verify]
#
# Each package is built from its own archive, unless that is left out. Needs Cargo 1.90, python3 and the headers of
# Microsoft GSL (Debian: libmsgsl-dev).
set -euo pipefail
to=$(realpath -m "${1:?package.sh DIRECTORY}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
# Outside of the repository, with the files that links lead to.
mkdir "$stage/crates"
cp -rL bindings/rust/{Cargo.toml,Cargo.lock,README.md,libchorale,libchorale-sys} "$stage/crates"
python3 src/amalgamate.py "$stage/crates/libchorale-sys/vendor"
(cd "$stage/crates" && CARGO_TARGET_DIR=$stage/target cargo package --locked --workspace --features vendored "${@:2}")
mkdir -p "$to"
cp "$stage"/target/package/*.crate "$to"
