#!/bin/sh
# Builds a release, and writes how time grows with each size: growth.tsv, and growth.svg drawn of it.
#
#     tests/bench/growth.sh [--quick]      --quick: a smoke run, which leaves the two files alone
set -eu
export LC_ALL=C

root=$(cd "$(dirname "$0")/../.." && pwd)
to=$root/tests/bench
quick=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
case ${1-} in
  '') ;;
  --quick) quick=--quick; to=$work ;;
  *) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac

cd "$root"
if ! { cmake --preset release -DCHORALE_BUILD_BENCH=ON &&
       cmake --build build/release --target growth_bench; } >"$work/build.log" 2>&1; then
  cat "$work/build.log" >&2
  exit 1
fi
build/release/tests/bench/growth_bench $quick >"$work/figures"
python3 tests/bench/growth.py "$work/figures" "$work/picture"
mv "$work/figures" "$to/growth.tsv"
mv "$work/picture" "$to/growth.svg"
