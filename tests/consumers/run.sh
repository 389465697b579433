#!/usr/bin/env bash
# Installs a build into a scratch prefix, moves that elsewhere, runs the command there, and builds and
# runs programs outside the project against it, in every way that a program can link the library. A
# second copy, built with a symbol prefix and without optimisation, is installed beside it.
#
#   tests/consumers/run.sh BUILD_DIRECTORY     the second copy is built in its folder `second`
set -euo pipefail
build=$(realpath "${1:?a build directory}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/first" >/dev/null
cmake -S . -B "$build/second" -G Ninja -DCMAKE_BUILD_TYPE=None -DCHORALE_WERROR=ON \
  -DCHORALE_SYMBOL_PREFIX=second_ -DCHORALE_BUILD_TESTS=OFF -DCHORALE_BUILD_EXAMPLES=OFF >/dev/null
cmake --build "$build/second" -j "$(nproc)" >/dev/null
cmake --install "$build/second" --prefix "$scratch/first" >/dev/null
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

# ---- Carried along in another project ----
embedded() { # NAME HOW LIBRARY CMAKE_ARGUMENTS...
  cmake -S consumers/embedded -B "$1" -G Ninja -DHOW="$2" -DLIBRARY="$3" -DEXPECTED_VERSION="$version" \
    "${@:4}"
}
# These build the library without optimisation, which would take a minute each.
#
# No test nor example of Chorale's is built, and nothing of it is installed.
by_add_subdirectory() {
  embedded subdirectory add_subdirectory chorale::chorale_static -DSOURCE="$root" \
    -DCMAKE_BUILD_TYPE=None -DCHORALE_WERROR=ON && cmake --build subdirectory &&
    runs_without subdirectory/consumer libchorale && cmake --install subdirectory --prefix nothing &&
    [[ ! -e nothing && ! -e subdirectory/chorale/tests ]]
}
# In one folder for both types, whose objects are the same.
by_archive() { # BUILD_SHARED_LIBS
  local archive
  "$root/bindings/cmake/archive.sh" archive && archive=$(echo "$PWD"/archive/chorale-*.tar.gz) &&
    embedded by-archive archive chorale::chorale -DBUILD_SHARED_LIBS="$1" -DURL="$archive" \
      -DHASH="$(sha256sum "$archive" | cut -d ' ' -f 1)" -DCMAKE_BUILD_TYPE=None &&
    cmake --build by-archive && by-archive/consumer
}
# What FetchContent does with the repository once that is there is add_subdirectory.
by_git() {
  git -C "$root" rev-parse HEAD >commit &&
    embedded git repository chorale::chorale -DSOURCE="file://$root" -DTAG="$(cat commit)" &&
    [[ -e git/_deps/chorale-src/include/chorale/chorale.h ]]
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
# A host without exceptions and run-time types.
no_exceptions() { # LIBRARY...
  c++ -std=c++11 -x c++ -fno-exceptions -fno-rtti -Wall -Wextra -pedantic -Werror \
    "-DEXPECTED_VERSION=\"$version\"" -I"$prefix/include" consumers/consumer.c -x none "$@" \
    -Wl,-rpath,"$libdir" -o no-exceptions && ./no-exceptions
}

# ---- Two copies in one process ----
copy() { # NAME INCLUDE_DIRECTORY
  cc -std=c99 -Wall -Wextra -pedantic -Werror -c -DCOPY="$1" -I"$2" consumers/copies/copy.c \
    -o "copy-$1.o"
}
two_copies() { # LIBRARY_OF_THE_FIRST LIBRARY_OF_THE_SECOND [INCLUDE_DIRECTORY_OF_THE_SECOND]
  copy first "$prefix/include" && copy second "${3:-$prefix/include/second_chorale}" &&
    cc -std=c99 -Wall -Wextra -pedantic -Werror consumers/copies/main.c copy-first.o copy-second.o \
      "$1" "$2" -Wl,-rpath,"$libdir" -lstdc++ -lm -lpthread -o two-copies && ./two-copies
}
cmake_copies() {
  cmake -S consumers/copies -B copies -G Ninja -DCMAKE_PREFIX_PATH="$prefix" &&
    cmake --build copies && copies/two-static && copies/two-shared
}
pkg_config_second() {
  local flags
  read -ra flags < <(pkg-config --cflags --libs second_chorale)
  "${compile[@]}" consumers/consumer.c "${flags[@]}" -Wl,-rpath,"$libdir" -o second &&
    runs_without ./second 'libchorale\.' && readelf -dW ./second | grep -q libsecond_chorale
}
prefixed_exports() {
  diff <(sed 's/^/second_/' "$root"/tests/symbols*.txt | LC_ALL=C sort) \
    <(nm -D --defined-only "$libdir/libsecond_chorale.so" |
      awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort)
}
# But for tables of the C++ library and pointers to its own, the same in both.
nothing_shared() {
  local name lines
  for name in chorale second_chorale; do
    nm -C --defined-only --extern-only "$libdir/lib$name.a" |
      sed -nE 's/^[0-9a-f]+ [A-Zu] //p' | LC_ALL=C sort -u >"symbols-$name"
    [[ -s symbols-$name ]] || return 1
  done
  lines=$(LC_ALL=C comm -12 symbols-chorale symbols-second_chorale |
    grep -vE '^(std::|DW\.ref\.)' || true)
  echo "$lines"
  [[ -z $lines ]]
}

command_runs() {
  [[ $(env -u LD_LIBRARY_PATH "$prefix/bin/chorale" --version) == "chorale $version" ]] &&
    "$prefix/bin/chorale" check "$root"/tests/problems/*.chorale
}

check "the command, moved with its library" command_runs
check "CMake, shared library" cmake_shared
check "CMake, static library, a project without C++" cmake_static
check "CMake, version $major.$minor" by_cmake same-minor "$major.$minor" chorale::chorale
for other in "$major.$((minor + 1))" "$((major + 1)).0" "$major.$minor.$((patch + 1))"; do
  check "CMake, version $other is refused" refuses_version "$other"
done
check "add_subdirectory" by_add_subdirectory
check "FetchContent of an archive, static" by_archive OFF
check "FetchContent of an archive, shared" by_archive ON
if git -C "$root" rev-parse --quiet HEAD >/dev/null 2>&1; then
  check "FetchContent of a repository" by_git
fi
check "pkg-config, shared library" pkg_config_shared
check "pkg-config --static" pkg_config_static
check "cc and the static library" plain_static
check "C++ without exceptions, shared library" no_exceptions "$libdir/libchorale.so"
check "C++ without exceptions, static library" no_exceptions "$libdir/libchorale.a"
check "a prefix is before every exported name" prefixed_exports
check "a prefix leaves two archives nothing in common" nothing_shared
first=$libdir/libchorale second=$libdir/libsecond_chorale
check "two copies, both shared" two_copies "$first.so" "$second.so"
check "two copies, both static" two_copies "$first.a" "$second.a"
check "two copies, static and shared" two_copies "$first.a" "$second.so"
check "two copies, shared and static" two_copies "$first.so" "$second.a"
check "two copies without a prefix are one" \
  fails two_copies "$first.so" "$first.so" "$prefix/include"
check "two copies by CMake" cmake_copies
check "pkg-config, the second copy" pkg_config_second
check "pkg-config states version $version" \
  test "$(pkg-config --modversion chorale)" = "$version"
check "pkg-config, another version is refused" \
  fails pkg-config --exists "chorale >= $major.$((minor + 1))"
check "the installed files name no directory of the build" \
  fails grep -rlF -e "$root" -e "$build" -e "$scratch/first" "$prefix"

echo "$failures failed"
[[ $failures == 0 ]]
