#!/usr/bin/env bash
set -euo pipefail

help='Usage: tests/run.sh [--all] [--no-install]

Builds Chorale (preset dev) in build/dev and runs the quick tests.

  --all         also: clang, sanitizers, valgrind, headers by themselves, installed
                consumers, the ABI of releases, the bindings, the experiments on made-up data, the report in a
                browser, a short run of the benchmarks
  --no-install  name missing Debian packages instead of installing them with apt
  --help        this text

Logs are in build/log. The last line counts tests: "N passed, N failed, N skipped".'

all=no
setup_options=()
for argument in "$@"; do
  case $argument in
  --all) all=yes ;;
  --no-install) setup_options+=(--no-install) ;;
  --help | -h)
    echo "$help"
    exit 0
    ;;
  *)
    echo "tests/run.sh: unknown argument $argument" >&2
    echo "$help" >&2
    exit 2
    ;;
  esac
done

cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [[ $all == yes ]]; then
  tests/setup.sh "${setup_options[@]}" all
else
  tests/setup.sh "${setup_options[@]}" tests
fi

# The library is built many times over, often with the same flags: by presets, by every binding.
if [[ $all == yes ]]; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi

jobs=$(nproc)
logs=build/log
rm -rf "$logs"
mkdir -p "$logs"
passed=0
failed=0
skipped=0
summary=()

report() { # STATE NAME SECONDS REMARK
  local line
  printf -v line '%-8s %-28s %5s s  %s' "$1" "$2" "$3" "$4"
  summary+=("$line")
  echo "   ${4:-$1}" >&2
}

skip() { # NAME REASON
  echo "== $1" >&2
  skipped=$((skipped + 1))
  report skipped "$1" 0 "skipped: $2"
}

# Runs a command with its output in a log, shown when it fails. Sets `seconds`.
logged() { # NAME COMMAND...
  local name=$1 log="$logs/${1// /-}.log" status=0
  shift
  echo "== $name" >&2
  SECONDS=0
  "$@" >"$log" 2>&1 || status=$?
  seconds=$SECONDS
  [[ $status == 0 ]] || tail -n 60 "$log" >&2
  return "$status"
}

# A step that counts as one test.
step() { # NAME COMMAND...
  if logged "$@"; then
    passed=$((passed + 1))
    report ok "$1" "$seconds" ""
  else
    failed=$((failed + 1))
    report FAILED "$1" "$seconds" ""
    return 1
  fi
}

build() { # PRESET [TARGET...]
  local preset=$1
  shift
  cmake --preset "$preset" && cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"}
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
    report skipped "$name" "$seconds" "skipped: no such tests"
    return
  fi
  passed=$((passed + good))
  failed=$((failed + bad))
  skipped=$((skipped + not_run))
  report "$state" "$name" "$seconds" "$good passed, $bad failed, $not_run skipped"
}

count() { # STATUS RESULTS
  local matches
  matches=$(grep -c "status=\"$1\"" "$2" 2>/dev/null) || true
  echo "${matches:-0}"
}

# Builds; where that fails the steps that need the build are skipped.
build_for() { # PRESET DEPENDENT_STEP...
  local preset=$1 dependent
  shift
  if ! step "build $preset" build "$preset"; then
    for dependent in "$@"; do
      skip "$dependent" "build $preset failed"
    done
    return 1
  fi
}

dev_steps=("tests dev" "symbols dev" "readme")
[[ $all == no ]] || dev_steps+=("valgrind" "abi")
if build_for dev "${dev_steps[@]}"; then
  run_tests "tests dev" dev -LE valgrind --no-tests=error
  step "symbols dev" tests/symbols.sh build/dev || true
  step "readme" tests/readme.sh build/dev || true
  [[ $all == no ]] || run_tests "valgrind" dev -L valgrind
  [[ $all == no ]] || step "abi" tests/abi/run.sh build/dev || true
fi

if [[ $all == yes ]]; then
  step "headers" tests/headers/run.sh gcc g++ clang clang++ || true
  if build_for clang "tests clang"; then
    run_tests "tests clang" clang -LE valgrind --no-tests=error
  fi
  if build_for asan-ubsan "tests asan-ubsan"; then
    run_tests "tests asan-ubsan" asan-ubsan --no-tests=error
  fi
  if build_for tsan "tests tsan"; then
    run_tests "tests tsan" tsan -L threads
  fi
  if build_for release "tests release" "symbols release" "consumers"; then
    run_tests "tests release" release -LE valgrind --no-tests=error
    step "symbols release" tests/symbols.sh build/release || true
    step "consumers" tests/consumers/run.sh build/release || true
  fi
  step "example" examples/run.sh --no-install || true
  if tests/setup.sh "${setup_options[@]}" browser; then
    step "report" tests/report/run.sh build/dev || true
  else
    skip "report" "no Chromium"
  fi
  step "python" bindings/python/tests/run.sh build/python || true
  step "experiments" examples/experiments/test.sh || true
  step "go" bindings/go/test.sh "${setup_options[@]}" || true
  step "rust" bindings/rust/test.sh "${setup_options[@]}" || true
  if [[ -x tests/bench/run.sh ]]; then
    step "bench" tests/bench/run.sh --quick || true
  else
    skip "bench" "there is no tests/bench/run.sh"
  fi
fi

echo
printf '%s\n' "${summary[@]}"
echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed == 0 ]]
