#!/usr/bin/env bash
# Usage: tests/report/run.sh BUILD_DIR
#
# The reports that `chorale report` writes, looked at in headless Chromium: those of small
# problems made for the purpose, that of the committed problem file, and pages of mentions if
# examples/experiments/test.sh has left some; and those that take
# corrections, where bindings/js is built. Screenshots are left in BUILD_DIR/report. Needs Chromium and Python 3.
set -euo pipefail

build=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$build/report
report=("$build/src/command/chorale" report)

rm -rf "$out"
mkdir -p "$out"
"$build/tests/make_report_problems" "$out"
mv "$out/large.chorale" "$out/large"
shopt -s nullglob
reports=("$out/zero.html")
for problem in "$out"/*.chorale "$here"/../../examples/publications/data/*.chorale \
  "$here"/../../build/mentions/*.chorale; do
  html=$out/$(basename "$problem" .chorale).html
  "${report[@]}" --bound 3 --threads "$(nproc)" --json --output "$html" "$problem" >"${html%.html}.json"
  reports+=("$html")
done

# The options change what they say they change.
"${report[@]}" --strength 0 --output "$out/zero.html" "$out/named.chorale" | tee "$out/zero.txt"
grep -q '^Changed  *0 of ' "$out/zero.txt"
"${report[@]}" --properties 'LABEL after <i>title</i>' --output "$out/one.html" \
  "$out/named.chorale" >"$out/one.txt"
grep -q '^Token errors  *9 -> 8 of 68, 11.1 % fewer' "$out/one.txt"
for bad in '--strength -1' '--rounds x' '--properties none' '--no-such-option 1' 'second'; do
  status=0
  # shellcheck disable=SC2086
  "${report[@]}" $bad --output "$out/bad.html" "$out/named.chorale" 2>"$out/bad.txt" || status=$?
  [[ $status == 2 && -s $out/bad.txt && ! -e $out/bad.html ]]
done

# With the library for browsers, where that is built: a report that takes corrections.
library=$here/../../bindings/js/dist/libchorale.embedded.js
status=0
"${report[@]}" --library "$out/named.chorale" --output "$out/bad.html" "$out/named.chorale" \
  2>"$out/bad.txt" || status=$?
[[ $status == 2 && ! -e $out/bad.html ]]
grep -q '^chorale: --library is ' "$out/bad.txt"
if [[ -f $library ]]; then
  mkdir "$out/live"
  for problem in "$out"/{named,bare,empty}.chorale \
    "$here"/../../examples/publications/data/pages.chorale; do
    "${report[@]}" --bound 3 --library "$library" \
      --output "$out/live/$(basename "$problem" .chorale).html" "$problem" >/dev/null
  done
  "${report[@]}" --strength 0.5 --beam 30 --library "$library" --output "$out/live/half.html" \
    "$out/named.chorale" >/dev/null
  "${report[@]}" --learnt "$here/../../examples/publications/data/learnt.json" --library "$library" \
    --output "$out/live/learnt.html" \
    "$here"/../../examples/publications/data/pages.chorale >/dev/null
  python3 "$here/corrections.py" chromium "$build/src/command/chorale" "$out/screenshots" \
    "$out"/live/{named,bare,empty,half,learnt,pages}.html
  "${report[@]}" --library "$library" --output "$out/large.html" "$out/large" >/dev/null
  grep -q 'does not take corrections: its problem file has more than 64 MB' "$out/large.html"
  if grep -q 'globalThis.libchorale' "$out/large.html"; then
    echo "the report carries the library and no problem" >&2
    exit 1
  fi
else
  echo "no corrections: bindings/js/build.sh was not run"
fi

[[ -e $out/mentions-names.html ]] || echo "no pages of mentions: examples/experiments/test.sh was not run"
python3 "$here/check.py" chromium "$out/screenshots" "${reports[@]}"
