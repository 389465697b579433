# Steps of tests/run.sh: each runs with its output in a log, is timed, counted, and told in the summary.
# Sourced from the root of the repository.

. tests/progress.sh

jobs=$(nproc)
logs=build/log
rm -rf "$logs"
mkdir -p "$logs"
passed=0
failed=0
skipped=0
summary=()

# Seconds by the clock, and of a processor.
report() { # STATE NAME SECONDS WORKED REMARK
  local line
  printf -v line '%-8s %-28s %5s s %5s s  %s' "$1" "$2" "$3" "$4" "$5"
  summary+=("$line")
  echo "   ${5:-$1}  ($3 s)" >&2
}

skip() { # NAME REASON
  echo "== $1" >&2
  skipped=$((skipped + 1))
  report skipped "$1" 0 0 "skipped: $2"
}

# Runs a command with its output in a log, shown when it fails. Sets `seconds` and `worked`. A script
# that hangs fails after `most_seconds`.
most_seconds=1200
logged() { # NAME COMMAND...
  local name=$1 log="$logs/${1// /-}.log" status=0 limit=()
  shift
  [[ $(type -t "$1") != file ]] || limit=(timeout --kill-after=10 "$most_seconds")
  echo "== $name" >&2
  SECONDS=0
  begin_progress "$log"
  { TIMEFORMAT='%U %S'; time "${limit[@]}" "$@" >"$log" 2>&1; } 2>"$log.times" || status=$?
  end_progress
  seconds=$SECONDS
  worked=$(awk 'END { print int($1 + $2) }' "$log.times")
  [[ $status != 124 ]] || echo "ended after $most_seconds s" >>"$log"
  [[ $status == 0 ]] || tail -n 60 "$log" >&2
  return "$status"
}

# A step that counts as one test. With --says the last line of its log is its remark.
step() { # [--says] NAME COMMAND...
  local says=no remark="" state=ok
  if [[ $1 == --says ]]; then
    says=yes
    shift
  fi
  logged "$@" || state=FAILED
  [[ $says == no ]] || remark=$(tail -n 1 "$logs/${1// /-}.log")
  report "$state" "$1" "$seconds" "$worked" "$remark"
  if [[ $state == ok ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    return 1
  fi
}

one_by_one= # presets that compile sources one by one
build() { # PRESET [TARGET...]
  local preset=$1 configure=()
  shift
  [[ " $one_by_one " != *" $preset "* ]] || configure=(-DCHORALE_UNITY=OFF)
  cmake --preset "$preset" "${configure[@]}" && cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}
}

# The thread sanitizer of older compilers cannot place its shadow under strong randomisation of
# addresses.
fixed_addresses=()
if setarch "$(uname -m)" -R true 2>/dev/null; then
  fixed_addresses=(setarch "$(uname -m)" -R)
fi

# The ctest tests of a build, each of which counts.
run_tests() { # NAME PRESET CTEST_ARGUMENTS...
  local name=$1 preset=$2 state=ok results good bad not_run
  shift 2
  results=$PWD/$logs/${name// /-}.xml
  logged "$name" "${fixed_addresses[@]}" ctest --preset "$preset" -j "$jobs" --timeout 600 \
    --output-junit "$results" "$@" || state=FAILED
  good=$(count run "$results")
  bad=$(count fail "$results")
  not_run=$(($(count notrun "$results") + $(count disabled "$results")))
  if [[ $state == FAILED && $bad == 0 ]]; then
    bad=1 # ctest itself
  elif [[ $((good + bad + not_run)) == 0 ]]; then
    skipped=$((skipped + 1))
    report skipped "$name" "$seconds" "$worked" "skipped: no such tests"
    return
  fi
  passed=$((passed + good))
  failed=$((failed + bad))
  skipped=$((skipped + not_run))
  report "$state" "$name" "$seconds" "$worked" "$good passed, $bad failed, $not_run skipped"
}

count() { # STATUS RESULTS
  local matches
  matches=$(grep -c "status=\"$1\"" "$2" 2>/dev/null) || true
  echo "${matches:-0}"
}

# Builds; where that fails the steps that need the build are skipped.
build_for() { # PRESET[:TARGET] DEPENDENT_STEP...
  local preset=${1%:*} target=${1#"${1%:*}"} dependent
  shift
  if ! step "build $preset" build "$preset" ${target:+"${target#:}"}; then
    for dependent in "$@"; do
      skip "$dependent" "build $preset failed"
    done
    return 1
  fi
}

# Runs the steps of a function beside those that follow, for steps that leave processors idle, until
# join_lane.
begin_lane() { # FUNCTION
  rm -f "$logs/lane"
  (
    passed=0 failed=0 skipped=0 summary=()
    "$1"
    printf '%s\n' "$passed" "$failed" "$skipped" "${summary[@]}" >"$logs/lane"
  ) &
}

join_lane() {
  local lane
  wait
  if ! mapfile -t lane <"$logs/lane"; then
    lane=(0 1 0 "FAILED   steps that ran beside others")
  fi
  passed=$((passed + lane[0])) failed=$((failed + lane[1])) skipped=$((skipped + lane[2]))
  summary+=("${lane[@]:3}")
}

# The summary; fails when anything did.
finish() {
  echo
  printf '%s\n' "${summary[@]}"
  echo "$passed passed, $failed failed, $skipped skipped"
  [[ $failed == 0 ]]
}
