#!/usr/bin/env bash
# Compiles every public header by itself, twice in a row, in every language version it promises.
#
#   tests/headers/run.sh [COMPILER...]     compilers whose name ends in ++ compile it as C++
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
[[ $# -gt 0 ]] || set -- gcc g++

c_versions=(c99 c11 c17 c2x)
cxx_versions=(c++11 c++14 c++17 c++20)
warnings=(-pedantic -Wall -Wextra -Wconversion -Wshadow -Werror)
c_warnings=(-Wstrict-prototypes -Wmissing-prototypes -Wc++-compat)
cxx_warnings=(-Wold-style-cast -Wzero-as-null-pointer-constant)

failures=0
compiled=0
for header in include/chorale/*.h include/chorale/experimental/*.h; do
  # C wants at least one declaration in a file.
  text="#include <${header#include/}>
#include <${header#include/}>
typedef int one_declaration;"
  for compiler in "$@"; do
    if [[ $compiler == *++ ]]; then
      versions=("${cxx_versions[@]}")
      options=(-x c++ "${warnings[@]}" "${cxx_warnings[@]}")
    else
      versions=("${c_versions[@]}")
      options=(-x c "${warnings[@]}" "${c_warnings[@]}")
    fi
    for version in "${versions[@]}"; do
      compiled=$((compiled + 1))
      if ! "$compiler" "${options[@]}" -std="$version" -Iinclude -fsyntax-only - <<<"$text"; then
        echo "FAILED: $header with $compiler -std=$version"
        failures=$((failures + 1))
      fi
    done
  done
done
echo "$compiled compilations, $failures failed"
[[ $failures == 0 && $compiled -gt 0 ]]
