#!/usr/bin/env bash
set -euo pipefail

help='Usage: tests/fuzz/run.sh [--no-install] [--keep] SECONDS [NAME...]

Builds the fuzzers with clang, libFuzzer and the address and undefined-behaviour sanitizers (preset fuzz, in
build/fuzz) and runs them from their corpus, two at a time, for SECONDS of processor time in all,
divided evenly: half of that by the clock. Exits with 1 when one finds something, and says how to see
it again. Input that is new goes to build/fuzz/found/NAME, and stays there for the next run.

  NAME          only these (clique chain property model file calls learn)
  --keep        afterwards makes the corpus anew, of the fewest inputs that reach all that is reached
  --no-install  name missing Debian packages instead of installing them with apt
  --help        this text'

keep=no
setup_options=()
arguments=()
for argument in "$@"; do
  case $argument in
  --keep) keep=yes ;;
  --no-install) setup_options+=(--no-install) ;;
  --help | -h)
    echo "$help"
    exit 0
    ;;
  -*)
    echo "tests/fuzz/run.sh: unknown argument $argument" >&2
    echo "$help" >&2
    exit 2
    ;;
  *) arguments+=("$argument") ;;
  esac
done
seconds=${arguments[0]:?how many seconds}
names=("${arguments[@]:1}")
[[ ${#names[@]} -gt 0 ]] || names=(clique chain property model file calls learn)

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
tests/setup.sh "${setup_options[@]}" fuzz
mkdir -p build
{
  cmake --preset fuzz
  cmake --build --preset fuzz -j "$(nproc)"
} >build/fuzz.log 2>&1 || {
  tail -n 40 build/fuzz.log >&2
  exit 1
}

found=build/fuzz/found
each=$((seconds / ${#names[@]}))
[[ $each -gt 0 ]] || each=1

# Files are as long as the format makes them; the others run out of choices earlier.
most_bytes() { # NAME
  case $1 in
  file) echo 3300 ;;
  calls) echo 900 ;;
  *) echo 700 ;;
  esac
}

fuzz() { # NAME
  local name=$1 log=$found/$1.log
  mkdir -p "$found/$name"
  # Without entropic: with as many features as these have, it would do little but weigh them.
  if build/fuzz/tests/fuzz/fuzz_"$name" -max_total_time="$each" -timeout=30 -rss_limit_mb=2500 \
    -max_len="$(most_bytes "$name")" -len_control=0 -entropic=0 -print_final_stats=1 \
    -artifact_prefix="$found/$name-" "$found/$name" "tests/fuzz/corpus/$name" >"$log" 2>&1; then
    echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs, nothing found"
    return 0
  fi
  local input
  input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
  grep -E '^[^ ]*(tests|src)/[^ ]*:[0-9]+:|ERROR:|SUMMARY:' "$log" | head -n 5
  echo "$name: FOUND, to see it again: build/fuzz/tests/fuzz/fuzz_$name $input (log: $log)"
  return 1
}
export -f fuzz most_bytes
export each found

status=0
printf '%s\n' "${names[@]}" | xargs -P 2 -I '{}' bash -c 'fuzz {}' || status=1

if [[ $keep == yes ]]; then
  # Inputs with a name of their own stay: they were faults.
  for name in "${names[@]}"; do
    merged=$found/$name.merged
    rm -rf "$merged"
    mkdir "$merged"
    build/fuzz/tests/fuzz/fuzz_"$name" -set_cover_merge=1 -use_counters=0 -timeout=60 \
      -max_len="$(most_bytes "$name")" "$merged" "tests/fuzz/corpus/$name" "$found/$name" \
      >"$found/$name.merge.log" 2>&1
    find "tests/fuzz/corpus/$name" -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}' -delete
    cp "$merged"/* "tests/fuzz/corpus/$name"
  done
  du -sh tests/fuzz/corpus
fi
exit $status
