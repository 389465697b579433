#!/usr/bin/env bash
# Builds and installs the library into a folder of its own, and runs the tests of the Go package on it.
#
#   bindings/go/test.sh [DIRECTORY]     where to build; default build/go
#
# Go, if it is missing, comes from apt (Debian 12: 1.19) where that is possible, and is named otherwise.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
directory=${1:-build/go}
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)

missing=()
command -v go >/dev/null || missing+=(golang-go)
command -v pkg-config >/dev/null || missing+=(pkg-config)
if [[ ${#missing[@]} -gt 0 ]]; then
  as_root=(env)
  [[ $(id -u) == 0 ]] || as_root=(sudo -n env)
  install=("${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}")
  "${install[@]}" || { "${as_root[@]}" apt-get update && "${install[@]}"; } ||
    { echo "Missing Debian packages: ${missing[*]}" >&2; exit 1; }
fi
tests/setup.sh examples

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
# Newer releases check pointers at build time, older ones at run time.
GODEBUG=cgocheck=1 go test -count=1 -short -tags chorale_gc ./...
./bundle.sh "$directory/library"
go vet -tags bundled ./...
env -u PKG_CONFIG_PATH -u LD_LIBRARY_PATH go test -count=1 -tags bundled ./...
