#!/usr/bin/env bash
# Builds and installs the library into a folder of its own, and runs the tests of the Go package on it.
#
#   bindings/go/test.sh [--no-install]
#
# Missing Debian packages are installed with apt where that is possible, and named otherwise. Go 1.19 is enough.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tests/setup.sh "$@" tests
tests/setup.sh "$@" go
directory=$PWD/build/go

cmake -S . -B "$directory/library" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_LIBDIR=lib \
  -DCHORALE_BUILD_TESTS=OFF -DCHORALE_BUILD_EXAMPLES=OFF
cmake --build "$directory/library"
cmake --install "$directory/library" --prefix "$directory/prefix"
# The build with sanitizers is that of the other tests.
cmake --preset asan-ubsan >/dev/null
cmake --build --preset asan-ubsan --target chorale chorale_static
cmake --install build/asan-ubsan --prefix "$directory/sanitized"

# A command with the library that is installed there.
with_library() { # PREFIX COMMAND...
  local libraries
  libraries=$(dirname "$(find "$directory/$1" -name libchorale.so)")
  PKG_CONFIG_PATH=$libraries/pkgconfig LD_LIBRARY_PATH=$libraries "${@:2}"
}

cd bindings/go
go version
unformatted=$(gofmt -l .)
[[ -z $unformatted ]] || { echo "gofmt: $unformatted" >&2; exit 1; }
with_library prefix go vet ./...
with_library prefix go test -count=1 ./...
with_library prefix go test -c -o "$directory/chorale.test" .
with_library prefix ../../tests/called.sh "$directory/chorale.test"
with_library prefix go test -count=1 -short -race ./...
# With a collection at every use of a handle.
GODEBUG=cgocheck=1 with_library prefix go test -count=1 -short -tags chorale_gc ./...
# The library, the shim and what Go lends to C under the address sanitizer, which also sees leaks.
ASAN_OPTIONS=detect_leaks=1 with_library sanitized go test -count=1 -asan ./...
./bundle.sh "$directory/library"
go vet -tags bundled ./...
go test -count=1 -tags bundled ./...
