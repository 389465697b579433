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

# Builds the library and installs it to build/go/NAME-prefix.
install_library() { # NAME OPTION...
  cmake -S . -B "$directory/$1" -G Ninja -DCMAKE_INSTALL_LIBDIR=lib \
    -DCHORALE_BUILD_TESTS=OFF -DCHORALE_BUILD_EXAMPLES=OFF "${@:2}"
  cmake --build "$directory/$1"
  cmake --install "$directory/$1" --prefix "$directory/$1-prefix"
}
# A command with the library that is installed there.
with_library() { # NAME COMMAND...
  local prefix=$directory/$1-prefix
  PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib "${@:2}"
}

install_library library -DCMAKE_BUILD_TYPE=Release
sanitizers='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer'
install_library sanitized -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_C_FLAGS="$sanitizers" -DCMAKE_CXX_FLAGS="$sanitizers"

cd bindings/go
go version
unformatted=$(gofmt -l .)
[[ -z $unformatted ]] || { echo "gofmt: $unformatted" >&2; exit 1; }
with_library library go vet ./...
with_library library go test -count=1 ./...
with_library library go test -c -o "$directory/chorale.test" .
with_library library ../../tests/called.sh "$directory/chorale.test"
with_library library go test -count=1 -short -race ./...
# With a collection at every use of a handle.
GODEBUG=cgocheck=1 with_library library go test -count=1 -short -tags chorale_gc ./...
# The library, the shim and what Go lends to C under the address sanitizer, which also sees leaks.
ASAN_OPTIONS=detect_leaks=1 with_library sanitized go test -count=1 -asan ./...
./bundle.sh "$directory/library"
go vet -tags bundled ./...
go test -count=1 -tags bundled ./...
