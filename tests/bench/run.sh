#!/bin/sh
# Builds a release and prints figures, one a line: name<TAB>value<TAB>unit.
#
#     tests/bench/run.sh [--quick]
#
# On the instances of ../shared/cliques beside the repository (or of CHORALE_SHARED_CLIQUES) when
# they are there, on generated ones of the same shapes otherwise. The programs that lie beside the
# instances are compiled with the library's own flags, and compared with in the same run.
set -eu
export LC_ALL=C

root=$(cd "$(dirname "$0")/../.." && pwd)
cliques=${CHORALE_SHARED_CLIQUES:-$root/../shared/cliques}
quick=
case ${1-} in
  '') ;;
  --quick) quick=--quick ;;
  *) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$root"
if ! { cmake --preset release -DCHORALE_BUILD_BENCH=ON &&
       cmake --build build/release --target chorale clique_bench chain_bench collective_bench mapped_bench shape_bench tagged_bench property_bench learn_bench; } >"$work/build.log" 2>&1; then
  cat "$work/build.log" >&2
  exit 1
fi

build/release/tests/bench/chain_bench $quick
build/release/tests/bench/collective_bench $quick
build/release/tests/bench/shape_bench $quick
if [ -n "$quick" ]; then
  build/release/tests/bench/mapped_bench "$work" --quick # without --quick: files of 9 GB, by hand
  build/release/tests/bench/learn_bench
else
  build/release/tests/bench/learn_bench examples/publications/data/pages.chorale
fi
# Says so where there is no python-crfsuite or no corpus.
"${PYTHON:-python3}" tests/bench/crfsuite.py build/release/tests/bench/tagged_bench $quick
# These four say so where the Python package cannot be imported, for want of NumPy.
CHORALE_LIBRARY=$root/build/release/src/libchorale.so PYTHONPATH=$root/bindings/python/src \
  "${PYTHON:-python3}" tests/bench/publications.py build/release/tests/bench/property_bench $quick
CHORALE_LIBRARY=$root/build/release/src/libchorale.so PYTHONPATH=$root/bindings/python/src \
  "${PYTHON:-python3}" tests/bench/refs.py build/release/tests/bench/property_bench $quick
CHORALE_LIBRARY=$root/build/release/src/libchorale.so PYTHONPATH=$root/bindings/python/src \
  "${PYTHON:-python3}" tests/bench/mentions.py $quick
CHORALE_LIBRARY=$root/build/release/src/libchorale.so PYTHONPATH=$root/bindings/python/src \
  "${PYTHON:-python3}" tests/bench/agree.py $quick
if [ -n "$quick" ]; then
  tests/bench/growth.sh --quick
fi
if [ -f "$cliques/best_known.tsv" ]; then
  build/release/tests/bench/clique_bench $quick "$cliques" | tee "$work/figures"
else
  build/release/tests/bench/clique_bench $quick
  exit 0
fi

# ---- The yardsticks beside the instances ------------------------------------------------------

figure() { awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$work/figures"; }
# ratio NAME YARDSTICK OURS
ratio() { awk -v n="$1" -v a="$2" -v b="$3" 'BEGIN { if (a > 0 && b > 0) printf "%s\t%.6g\tratio\n", n, a / b }'; }
compile() {
  [ -f "$cliques/$1.cpp" ] && ${CXX:-c++} -std=c++20 -O3 -DNDEBUG -fno-fast-math -ffp-contract=off -w \
    "$cliques/$1.cpp" -o "$work/$1" 2>"$work/compile.log"
}
median() { sort -g | awk '{ t[NR] = $1 } END { if (NR) print t[int(NR / 2) + 1] }'; }

potts=$(ls "$cliques"/potts/*.bin)
if [ -n "$quick" ]; then
  potts=$(echo "$potts" | awk 'NR % 5 == 1')
fi

if compile textbook_alpha_pass; then
  # shellcheck disable=SC2086
  textbook=$("$work/textbook_alpha_pass" $potts | awk '$2 == "alphapass" { print $3 }' | median)
  ratio potts.n100.speedup_vs_yardstick "$textbook" "$(figure potts.n100.ms)"
  ratio textbook.n100.ours_over_shared "$(figure textbook.n100.ms)" "$textbook"
fi
if compile exact_majority_flow; then
  for kind in m100:majority mh100:majority_hard; do
    flow=$("$work/exact_majority_flow" "$cliques"/majority/"${kind%%:*}"_*.bin |
           awk '$2 == "maj-flow" { print $3 }' | median)
    ratio "${kind##*:}.n100.speedup_vs_yardstick" "$flow" "$(figure "${kind##*:}.n100.ms")"
  done
fi
if compile count_box_branch_and_bound; then
  # shellcheck disable=SC2086
  "$work/count_box_branch_and_bound" 60000 $potts >"$work/boxes"
  boxes=$(sed -n 's/.* t=\([0-9.]*\) .*/\1/p' "$work/boxes")
  ratio exact_potts.n100.speedup_vs_yardstick "$(echo "$boxes" | median)" \
    "$(figure exact_potts.n100.median_ms)"
  ratio exact_potts.n100.max_speedup_vs_yardstick "$(echo "$boxes" | sort -g | tail -1)" \
    "$(figure exact_potts.n100.max_ms)"
fi
