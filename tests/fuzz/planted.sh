#!/usr/bin/env bash
# Plants faults, one at a time, in a copy of the library, and sees whether the corpus of a fuzzer finds each:
# a corpus that finds none would pass whatever the library does. The copy is built in build/planted.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
jobs=$(nproc)
tree=build/planted
log=build/planted.log
mkdir -p "$tree"
rm -rf "$tree"/{src,include,tests}
cp -r CMakeLists.txt CMakePresets.json src include "$tree"
cp -r tests "$tree"

build() {
  cmake --build "$tree/build/dev" -j "$jobs" --target fuzzers >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    exit 1
  }
}
(cd "$tree" && cmake --preset dev -DCHORALE_BUILD_EXAMPLES=OFF) >"$log" 2>&1
build

replay() { # FUZZER
  "$tree/build/dev/tests/fuzz/fuzz_$1" "tests/fuzz/corpus/$1"
}

failed=0
# FUZZER FILE WHAT-IS-THERE WHAT-TAKES-ITS-PLACE FAULT
planted() {
  local fuzzer=$1 file=$tree/src/$2 place=$3 fault=$4 what=$5
  cp "$file" "$tree/before"
  python3 - "$file" "$place" "$fault" <<'PLANT'
import sys
name, place, fault = sys.argv[1:]
text = open(name).read()
if text.count(place) != 1:
    sys.exit(f"{name}: {place!r} is there {text.count(place)} times")
open(name, "w").write(text.replace(place, fault))
PLANT
  build
  if replay "$fuzzer" >>"$log" 2>&1; then
    echo "NOT FOUND by $fuzzer: $what"
    failed=$((failed + 1))
  else
    echo "found by $fuzzer: $what"
  fi
  mv "$tree/before" "$file"
  touch "$file"
}

for name in clique chain property model file calls learn; do
  replay "$name" >/dev/null || {
    echo "the corpus of $name fails without any fault planted" >&2
    exit 1
  }
done
planted clique clique/computation.cpp 'kForbidden : solution_.bound;' \
  'kForbidden : solution_.bound - 0.25;' "a bound a quarter too low"
planted chain chain/k_best.cpp 'out[0] = y;' 'out[0] = 0;' "the first label of the k best forgotten"
planted property chain/bound_property.cpp \
  $'join(fired_of(code), value);\n  if (fired == conflict() && !fires_outside_)' \
  $'value;\n  if (fired == conflict() && !fires_outside_)' \
  "a second value in the place of a conflict"
planted model cluster/run/evaluation.cpp 'state_.now.total() > state_.best.total()' 'true' \
  "the last labelling kept and not the best"
planted model prices/prices.cpp 'if (is_shared[c] != 0)' 'if (is_shared[c] > 1)' \
  "a shared clique counted into the score of its part"
planted file problem/problem.cpp '*at < -1 || *at >= of.chains[i].labels' '*at < -1' \
  "gold labels that no chain has let in"
planted learn learn/learner.cpp 'if (told_.applied != 0)' 'if (true)' \
  "strengths that are not applied"
planted calls cluster/model/builder.hpp 'if (model)' 'if (model && members.empty())' \
  "an unfinished model with cliques lost"
[[ $failed == 0 ]]
