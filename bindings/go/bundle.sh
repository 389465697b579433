#!/usr/bin/env bash
# Builds the C++ library for `go build -tags bundled`, as a static library in bundled/. `go generate -tags bundled` runs it.
# Needs CMake 3.25, Ninja or Make, a C++20 compiler and the headers of Microsoft GSL (Debian: cmake g++ libmsgsl-dev).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
build=${1:-../../build/go-bundled}
cmake -S ../.. -B "$build" -DCMAKE_BUILD_TYPE=Release -DCHORALE_BUILD_TESTS=OFF -DCHORALE_BUILD_EXAMPLES=OFF
cmake --build "$build" -j "$(nproc)" --target chorale_static
mkdir -p bundled
cp "$build"/src/libchorale.a bundled/
