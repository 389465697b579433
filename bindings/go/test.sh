#!/usr/bin/env bash
# Builds and installs the library into a folder of its own, and runs the tests of the Go package on it.
#
#   bindings/go/test.sh [--deep] [--no-install]
#
#   --deep        also, before a release: all tests under the address sanitizer; all tests with the library compiled as a part of the
#                 package, as users compile it; a program that fetches the module from a repository, or from
#                 its archive, or vendors it
#   --no-install  name missing Debian packages instead of installing them with apt
#
# Go 1.19 is enough.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
deep=no
setup_options=()
for option; do
  case $option in
  --deep) deep=yes ;;
  --no-install) setup_options+=("$option") ;;
  *)
    echo "test.sh: unknown argument $option" >&2
    exit 2
    ;;
  esac
done
tests/setup.sh "${setup_options[@]}" tests
tests/setup.sh "${setup_options[@]}" go
directory=$PWD/build/go

# The tests of other languages use the same build folders.
for preset in release asan-ubsan; do
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset" --target chorale chorale_static chorale_command
  cmake --install "build/$preset" --prefix "$directory/$preset"
done

# Runs a command with the library that is installed under $directory/PREFIX.
with_library() { # PREFIX COMMAND...
  local libraries
  libraries=$(dirname "$(find "$directory/$1" -name libchorale.so)")
  PKG_CONFIG_PATH=$libraries/pkgconfig LD_LIBRARY_PATH=$libraries "${@:2}"
}

cd bindings/go
go version
unformatted=$(gofmt -l .)
[[ -z $unformatted ]] || { echo "gofmt: $unformatted" >&2; exit 1; }
system=(-tags system)
with_library release go vet "${system[@]}" ./...
# Runs all tests, and checks that they call every function of the library.
with_library release go test -c "${system[@]}" -o "$directory/chorale.test" .
with_library release ../../tests/called.sh "$directory/chorale.test"
with_library release go test -count=1 -short -race "${system[@]}" ./...
# Collects garbage at every use of a handle, to find objects that are not kept alive.
GODEBUG=cgocheck=1 with_library release go test -count=1 -short -tags system,chorale_gc ./...
# Runs the library, the shim and what Go lends to C under the address sanitizer, which also finds
# leaks.
short=(-short)
[[ $deep == no ]] || short=()
ASAN_OPTIONS=detect_leaks=1 with_library asan-ubsan go test -count=1 "${short[@]}" -asan "${system[@]}" ./...

# Compiles the library as a part of the package, as a clone does. Without optimisation (-O0), the
# compilation takes a third of the time. Go does not see when the sources outside of the package
# change, but it compiles again when this definition does.
CGO_CXXFLAGS=-DSOURCES=$(cat $(git ls-files ../../src ../../include | grep -v '\.png$') | sha256sum | cut -c -16)
export CGO_CXXFLAGS
quick=$directory/quick
mkdir -p "$quick"
printf '#!/bin/sh\nexec %s "$@" -O0\n' "$(command -v g++)" >"$quick/g++"
chmod +x "$quick/g++"
CXX=$quick/g++ go test -count=1 -short ./...
if [[ $deep == no ]]; then
  echo "ok"
  exit 0
fi
go vet ./...
go test -count=1 ./...

./fetched.sh "$directory/program" "$quick/g++"
