#!/usr/bin/env bash
set -euo pipefail

help='Usage: tests/run.sh [--all | --deep] [OPTION...]

Builds Chorale (preset dev) in build/dev and runs the quick tests.

  --all         also: sanitizers, valgrind, headers by themselves, installed consumers, the
                library as two files, Debian packages, the ABI of releases, planted faults,
                a locale with a decimal comma, a minute of fuzzing, the bindings, a wheel, the parser
                of references, Spark in local mode, the experiments on made-up data, the report in a browser, the
                site with its examples and links, a short run of the benchmarks
  --deep        also: all tests under valgrind, clang with and without vector units, line coverage, an hour of fuzzing, ten minutes under load, arm64,
                32-bit x86 emulated, Windows under Wine, other optimisation, hosts that flush
                denormals; the site in a browser; Spark that loses tasks and executors; the Go module and the Rust crates with
                the library compiled along as users compile it, from their own archives; the packages of
                a release, the same bytes twice, in bare systems; before a release, two hours
  --fuzz-seconds N  of processor time for the fuzzers (60, with --deep 3600)
  --soak-seconds N  under load (600), and a tenth of it under the thread sanitizer
  --no-install  name missing Debian packages instead of installing them with apt
  --help        this text

Logs are in build/log. The last line counts tests: "N passed, N failed, N skipped".'

all=no
deep=no
fuzz_seconds=
soak_seconds=600
setup_options=()
while [[ $# -gt 0 ]]; do
  argument=$1
  shift
  case $argument in
  --all) all=yes ;;
  --deep) all=yes deep=yes ;;
  --fuzz-seconds | --soak-seconds)
    if [[ ! ${1-} =~ ^[1-9][0-9]*$ ]]; then
      echo "tests/run.sh: $argument needs a number of seconds, not \"${1-}\"" >&2
      exit 2
    fi
    [[ $argument == --soak-seconds ]] && soak_seconds=$1 || fuzz_seconds=$1
    shift
    ;;
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
  if [[ -z $fuzz_seconds ]]; then
    [[ $deep == yes ]] && fuzz_seconds=3600 || fuzz_seconds=60
  fi
else
  tests/setup.sh "${setup_options[@]}" tests
fi

# The library is built many times over, often with the same flags: by presets, by every binding. In
# which folder of the repository does not matter.
if [[ $all == yes ]]; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_NOHASHDIR=yes
  export CCACHE_BASEDIR=$PWD
  # What was compiled with it serves builds without it. The presets come first, and have it.
  export CCACHE_IGNOREOPTIONS=-Werror
fi

# The random tests of Python, Go and JavaScript draw the same numbers in every run, except here.
if [[ $deep == yes ]]; then
  export CHORALE_SEED=$((RANDOM * 32768 + RANDOM))
  echo "CHORALE_SEED=$CHORALE_SEED"
fi

. tests/steps.sh
# Faults are planted in single sources of this one.
[[ $all == no ]] || one_by_one=dev
[[ $deep == no ]] || most_seconds=14400 # an hour of fuzzing

# Steps leave processors idle, so two sequences of them run side by side: this one, and one in a lane.
# Nothing in a lane calls apt-get: what it needs is installed by now.
in_sanitizers() {
  if build_for asan-ubsan "tests asan-ubsan"; then
    run_tests "tests asan-ubsan" asan-ubsan --no-tests=error
  fi
  if build_for tsan:threads "tests tsan"; then
    run_tests "tests tsan" tsan -L threads
  fi
  if build_for counting "limits"; then
    step "limits" build/counting/tests/test_limits || true
  fi
  step --says "fuzz" tests/fuzz/run.sh --no-install "$fuzz_seconds" || true
}
[[ $all == no ]] || begin_lane in_sanitizers

step --says "words" tests/headers/words.py || true
step --says "home" tests/headers/home.py || true
dev_steps=("tests dev" "symbols dev" "ignored files" "readme")
[[ $all == no ]] || dev_steps+=("valgrind" "abi")
if build_for dev "${dev_steps[@]}"; then
  run_tests "tests dev" dev -LE valgrind --no-tests=error
  step "symbols dev" tests/symbols.sh build/dev || true
  step "ignored files" tests/ignored.sh || true
  step "readme" tests/readme.sh build/dev || true
  if [[ $all == yes ]]; then
    # The address sanitizer sees those that take long under valgrind.
    long=(-E '^test_(learn|learn_links|answers|hostile_scale|hostile_sizes|run_determinism|run_edit|run_local_search|run_size|run_links|clique_extremes|out_of_memory)\.')
    [[ $deep == no ]] || long=()
    run_tests "valgrind" dev -L valgrind "${long[@]}"
  fi
  [[ $all == no ]] || step "abi" tests/abi/run.sh build/dev || true
fi

if [[ $all == yes ]]; then
  step "headers" tests/headers/run.sh gcc g++ clang clang++ || true
  if build_for release "tests release" "symbols release" "consumers" "amalgamation" "debian" \
    "planted"; then
    run_tests "tests release" release -LE valgrind --no-tests=error
    step "symbols release" tests/symbols.sh build/release || true
    step "consumers" tests/consumers/run.sh build/release || true
    step "amalgamation" tests/amalgamation/run.sh build/release || true
    step --says "debian" bindings/debian/test.sh "${setup_options[@]}" || true
    step --says "planted" tests/planted/run.sh build/dev build/release || true
  fi
  step --says "machine locale" tests/machines/run.sh --no-install locale || true
  step "example" examples/run.sh --no-install || true
  join_lane

  java=no
  if tests/setup.sh "${setup_options[@]}" spark; then
    java=yes
  fi
  pandoc=no
  if [[ $deep == yes ]] && tests/setup.sh "${setup_options[@]}" web; then
    pandoc=yes
  fi
  in_python() {
    step "python" bindings/python/tests/run.sh build/python || true
    step "references" bindings/references/tests/run.sh build/python || true
    step "experiments" examples/experiments/test.sh || true
    in_spark
    step "wheel" bindings/python/tests/wheel.sh || true
  }
  # In the environment of "python", whose other tests do without pyspark.
  in_spark() {
    if [[ $java == no ]]; then
      skip "spark" "no Java"
    elif ! logged "pyspark" build/python/bin/pip install --quiet pyspark; then
      skip "spark" "no pyspark"
    else
      step "spark" bindings/python/tests/spark.sh build/python || true
      if [[ $deep == yes ]]; then
        step "spark faults" bindings/python/tests/spark.sh build/python test_spark_faults.py || true
        step "spark example" examples/spark/run.sh --no-install --documents 2000 || true
        if [[ $pandoc == yes ]]; then
          step "web of pages" examples/spark/web.sh --no-install --quick || true
        else
          skip "web of pages" "no pandoc, or no citation styles"
        fi
      fi
    fi
  }
  begin_lane in_python
  compiled_along=("${setup_options[@]}")
  [[ $deep == no ]] || compiled_along+=(--deep)
  step "go" bindings/go/test.sh "${compiled_along[@]}" || true
  step "rust" bindings/rust/test.sh "${compiled_along[@]}" || true
  step "js" bindings/js/test.sh "${setup_options[@]}" || true
  # After "js", whose module takes the corrections.
  if tests/setup.sh "${setup_options[@]}" browser; then
    step "report" tests/report/run.sh build/dev || true
  else
    skip "report" "no Chromium"
  fi
  step --says "site" examples/guide/build.sh "${setup_options[@]}" --check || true
  join_lane
  step "bench" tests/bench/run.sh --quick || true
fi

if [[ $deep == yes ]]; then
  if [[ -f build/site/index.html ]] && tests/setup.sh "${setup_options[@]}" browser; then
    step --says "site in a browser" python3 examples/guide/look.py chromium build/site build/site-views || true
  else
    skip "site in a browser" "no site, or no Chromium"
  fi
  if build_for clang "tests clang"; then
    run_tests "tests clang" clang -LE valgrind --no-tests=error
  fi
  step --says "coverage" tests/coverage.sh "${setup_options[@]}" || true
  step --says "soak" build/release/tests/soak "$soak_seconds" || true
  step --says "soak tsan" "${fixed_addresses[@]}" build/tsan/tests/soak \
    "$(((soak_seconds + 9) / 10))" || true
  step --says "fuzz planted" tests/fuzz/planted.sh || true
  step --says "debian bare" bindings/debian/test.sh "${setup_options[@]}" --deep || true
  for machine in generic arm64 i386 windows o0 o3 lto flush fast-math; do
    step --says "machine $machine" tests/machines/run.sh "${setup_options[@]}" "$machine" || true
  done
  step "conan" bindings/conan/test.sh || true
  if [[ -f build/dev/report/live/named.html ]] && tests/setup.sh "${setup_options[@]}" firefox; then
    step "report in Firefox" tests/report/firefox.py firefox-esr \
      build/dev/report/screenshots/firefox.png build/dev/report/live/named.html || true
  else
    skip "report in Firefox" "no Firefox, or no report that takes corrections"
  fi
  rm -rf build/packages
  if step "packages, twice" bindings/release.sh HEAD build/packages --twice; then
    if [[ $(id -u) == 0 ]] && tests/setup.sh "${setup_options[@]}" roots; then
      step "packages in bare systems" bindings/roots.sh build/packages || true
    else
      skip "packages in bare systems" "this takes root"
    fi
  else
    skip "packages in bare systems" "there are none"
  fi
fi

finish
