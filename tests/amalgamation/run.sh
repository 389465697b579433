#!/usr/bin/env bash
# The library as two files: both compilers take them in one line without a warning, what they export
# is what the library exports, a benchmark runs at the library's speed, and all C tests of a build pass
# with them in its place.
#
#   tests/amalgamation/run.sh BUILD      BUILD has the tests and benchmarks, linked to the shared library
set -euo pipefail
build=$(realpath "${1:?a build directory}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$build/amalgamation
rm -rf "$work"
cmake --build "$build" --target amalgamation >/dev/null
# In a folder of their own: nothing else of the project is within reach.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$work/chorale.h" "$work/chorale.cpp" "$scratch"
cp tests/consumers/consumer.c "$scratch"
cd "$scratch"

soname=$(readelf -dW "$build/src/libchorale.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
# With the version nodes of the build, which its programs ask for.
compile() { # COMPILER OPTIMISATION
  "$1" -std=c++20 -Wall -Wextra -Wpedantic -Werror "$2" -fPIC -shared \
    -Wl,-soname,"$soname" -Wl,--version-script="$build/src/chorale.map" -pthread chorale.cpp -o "$1-$soname"
}
compile g++ -O3 &
compile clang++ -O0 & # whose warnings do not depend on it
wait -n && wait -n
echo "ok: g++ and clang++ compile it, no warnings"

exported() {
  nm -D --defined-only "$1" | sed -nE 's/.* [TDBR] ([^@]*).*/\1/p' | sort
}
for compiler in g++ clang++; do
  diff <(exported "$build/src/libchorale.so") <(exported "$compiler-$soname")
done
echo "ok: $(exported "g++-$soname" | wc -l) functions are exported, as by the library"

# A program of these two files, to which chorale/chorale.h is the one header.
mkdir chorale
ln -s ../chorale.h chorale/chorale.h
g++ -std=c++20 -DCHORALE_STATIC -c chorale.cpp
version=$(sed -nE 's/^#define CHORALE_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' chorale.h | paste -sd .)
cc -std=c99 -Wall -Wextra -Werror -DCHORALE_STATIC -DEXPECTED_VERSION="\"$version\"" -I. -c consumer.c
g++ consumer.o chorale.o -o consumer
./consumer
echo "ok: a C program of these two files"

# Instructions, as time depends on what else the machine does. Cliques, max-marginals, chains and runs of several sizes,
# each solved once; those of the benchmark itself are not counted.
instructions() { # LIBRARY
  LD_PRELOAD=$1 valgrind --tool=callgrind --callgrind-out-file=counts "$build/tests/bench/growth_bench" --quick \
    >/dev/null 2>log || { cat log >&2; return 1; }
  # Costs follow the object that they are of, except the line behind "calls=", which repeats those of a callee.
  awk '
    /^c?ob=/ {
      id = name = $0
      sub(/^c?ob=/, "", name)
      sub(/\).*/, ")", id)
      sub(/^c?ob=/, "", id)
      if (name != id) names[id] = substr(name, length(id) + 2)
      if (/^ob/) object = names[id]
      next
    }
    /^calls=/ { getline; next }
    /^[0-9+*-]/ && object !~ /growth_bench$/ { sum += $2 }
    /^[0-9+*-]/ && object ~ /libchorale\.so/ { own += $2 }
    END { if (own < 1e7) exit 1; printf "%.0f\n", sum }' counts
}
mkdir named
cp "g++-$soname" "named/$soname"
ours=$(instructions "$scratch/named/$soname")
theirs=$(instructions "$(realpath "$build/src/libchorale.so")")
awk -v a="$ours" -v b="$theirs" 'BEGIN {
  printf "%s: %.3f of the library'"'"'s instructions\n", a <= 1.03 * b ? "ok" : "FAILED", a / b
  exit a > 1.03 * b
}'

# Internal tests link the objects and would show nothing. The loader takes a library of the same soname that is there already for the one that it looks for.
internal=$(cd "$OLDPWD/tests/internal" && printf '%s|' test_*.cpp | sed 's/\.cpp//g; s/|$//')
mv "g++-$soname" "$soname"
export LD_PRELOAD=$scratch/$soname
CHORALE_TEST_ROUNDS=3e-2 ctest --test-dir "$build" -R '^test_' -E "$internal" -LE valgrind --no-tests=error -j "$(nproc)" \
  --output-on-failure
