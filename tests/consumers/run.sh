#!/usr/bin/env bash
# Installs a build into a scratch prefix, moves that elsewhere, and builds and runs programs outside
# the project against it, in every way that a program can link the library.
#
#   tests/consumers/run.sh BUILD_DIRECTORY
set -euo pipefail
build=$(realpath "${1:?a build directory}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/first" >/dev/null
prefix=$scratch/moved/elsewhere
mkdir -p "${prefix%/*}"
mv "$scratch/first" "$prefix"
libdir=$(dirname "$(find "$prefix" -name libchorale.a)")
export PKG_CONFIG_PATH=$libdir/pkgconfig

# The consumers are copied too: nothing of the source tree is within their reach.
cp -r "$root/tests/consumers" "$scratch/consumers"
cd "$scratch"

version=$(sed -nE 's/^#define CHORALE_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' \
  "$prefix/include/chorale/version.h" | paste -sd .)
IFS=. read -r major minor patch <<<"$version"

failures=0
check() { # NAME COMMAND...
  local log=$scratch/log
  if "${@:2}" >"$log" 2>&1; then
    echo "ok: $1"
  else
    echo "FAILED: $1"
    cat "$log"
    failures=$((failures + 1))
  fi
}
fails() {
  ! "$@"
}
refuses_version() { # VERSION
  local output
  ! output=$(by_cmake "refused-$1" "$1" chorale::chorale 2>&1) &&
    grep -q 'compatible with requested version' <<<"$output"
}

runs_without() { # PROGRAM PATTERN_OF_SHARED_LIBRARIES
  ! readelf -dW "$1" | grep -E "\(NEEDED\).*$2" && "$1"
}

by_cmake() { # NAME VERSION LIBRARY
  cmake -S consumers/cmake -B "$1" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    -DREQUESTED_VERSION="$2" -DLIBRARY="$3" && cmake --build "$1"
}
cmake_shared() {
  by_cmake cmake-shared "$version" chorale::chorale && cmake-shared/consumer
}
cmake_static() {
  by_cmake cmake-static "$version" chorale::chorale_static &&
    runs_without cmake-static/consumer libchorale
}

compile=(cc -std=c99 -Wall -Wextra -pedantic -Werror "-DEXPECTED_VERSION=\"$version\"")
pkg_config_shared() {
  local flags
  read -ra flags < <(pkg-config --cflags --libs chorale)
  "${compile[@]}" consumers/consumer.c "${flags[@]}" -Wl,-rpath,"$libdir" -o pkg-config-shared &&
    ./pkg-config-shared
}
pkg_config_static() {
  local flags
  read -ra flags < <(pkg-config --static --cflags --libs chorale)
  "${compile[@]}" -static consumers/consumer.c "${flags[@]}" -o pkg-config-static &&
    runs_without ./pkg-config-static .
}
plain_static() {
  "${compile[@]}" -I"$prefix/include" consumers/consumer.c "$libdir/libchorale.a" \
    -lstdc++ -lm -o plain-static && runs_without ./plain-static libchorale
}

check "CMake, shared library" cmake_shared
check "CMake, static library, a project without C++" cmake_static
check "CMake, version $major.$minor" by_cmake same-minor "$major.$minor" chorale::chorale
for other in "$major.$((minor + 1))" "$((major + 1)).0" "$major.$minor.$((patch + 1))"; do
  check "CMake, version $other is refused" refuses_version "$other"
done
check "pkg-config, shared library" pkg_config_shared
check "pkg-config --static" pkg_config_static
check "cc and the static library" plain_static
check "pkg-config states version $version" \
  test "$(pkg-config --modversion chorale)" = "$version"
check "pkg-config, another version is refused" \
  fails pkg-config --exists "chorale >= $major.$((minor + 1))"
check "the installed files name no directory of the build" \
  fails grep -rlF -e "$root" -e "$build" -e "$scratch/first" "$prefix"

echo "$failures failed"
[[ $failures == 0 ]]
