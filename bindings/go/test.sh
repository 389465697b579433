#!/usr/bin/env bash
# Builds and installs the library into a folder of its own, and runs the tests of the Go package on it.
#
#   bindings/go/test.sh [--no-install]
#
# Missing Debian packages are installed with apt where that is possible, and named otherwise. Go 1.19 is enough.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tests/setup.sh "$@" go
directory=$PWD/build/go

cmake -S . -B "$directory/library" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_LIBDIR=lib \
  -DCHORALE_BUILD_TESTS=OFF -DCHORALE_BUILD_EXAMPLES=OFF
cmake --build "$directory/library"
cmake --install "$directory/library" --prefix "$directory/prefix"
export PKG_CONFIG_PATH=$directory/prefix/lib/pkgconfig LD_LIBRARY_PATH=$directory/prefix/lib

cd bindings/go
go version
unformatted=$(gofmt -l .)
[[ -z $unformatted ]] || { echo "gofmt: $unformatted" >&2; exit 1; }
go vet ./...
go test -count=1 ./...
go test -count=1 -short -race ./...
# With a collection at every use of a handle.
GODEBUG=cgocheck=1 go test -count=1 -short -tags chorale_gc ./...
./bundle.sh "$directory/library"
go vet -tags bundled ./...
env -u PKG_CONFIG_PATH -u LD_LIBRARY_PATH go test -count=1 -tags bundled ./...
