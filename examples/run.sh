#!/usr/bin/env bash
set -euo pipefail

help='Usage: examples/run.sh [--no-install] [--page] [OPTION...]
       examples/run.sh [--no-install] [--page] FILE

Builds Chorale and its examples (release), labels the publication lists of
examples/publications together, prints how much better that is than every record
alone, and writes a report to look at.

With FILE, a list of references as plain text: parses it (bindings/references), and writes
BibTeX, CSL-JSON and the same report for it, in build/examples.

  --page        build the library for browsers first, with Emscripten of Debian, so that the
                report takes corrections; two minutes, and as long again to install. A library
                that is built already is put into the report without this option
  --no-install  name missing Debian packages instead of installing them with apt
  --help        this text
  OPTION...     passed on to build/examples/src/command/chorale report, whose --help tells them

The figures go to stdout, progress to stderr.'

setup_options=()
page=no
file=
options=()
for argument in "$@"; do
  case $argument in
  --no-install) setup_options+=(--no-install) ;;
  --page) page=yes ;;
  --help | -h)
    echo "$help"
    exit 0
    ;;
  *)
    if [[ $argument != -* && -f $argument && ${#options[@]} == 0 && -z $file ]]; then
      file=$(realpath "$argument")
    else
      options+=("$argument")
    fi
    ;;
  esac
done
if [[ -n $file && ${#options[@]} -gt 0 ]]; then
  echo "examples/run.sh: with a FILE there is no ${options[0]}" >&2
  exit 2
fi

cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/progress.sh
tests/setup.sh "${setup_options[@]}" "$([[ -n $file ]] && echo references || echo examples)"

build=build/examples
mkdir -p "$build"
# Runs a command with its output in a log, shown when it fails.
logged() { # LOG COMMAND...
  local log=$1 status=0
  shift
  begin_progress "$log"
  "$@" >"$log" 2>&1 || status=$?
  end_progress
  [[ $status == 0 ]] || cat "$log" >&2
  return "$status"
}

build_examples() {
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCHORALE_BUILD_TESTS=OFF &&
    cmake --build "$build" --target examples
}

echo "Building the library and the examples in $build" >&2
logged "$build/build.log" build_examples

library=bindings/js/dist/libchorale.embedded.js
if [[ $page == yes ]]; then
  SECONDS=0
  echo "Building the library for browsers" >&2
  logged "$build/page.log" bindings/js/build.sh "${setup_options[@]}"
  echo "Built $library in $SECONDS s" >&2
fi
if [[ -f $library ]]; then
  options=(--library "$library" "${options[@]}")
else
  echo "The report will take no corrections: examples/run.sh --page builds what that needs," >&2
  echo "$library." >&2
fi

if [[ -n $file ]]; then
  environment=build/references
  if [[ ! -x $environment/bin/python ]] || ! "$environment/bin/python" -c 'import numpy, pybtex' 2>"$build/python.log"; then
    echo "Installing NumPy and pybtex in $environment" >&2
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet numpy pybtex
  fi
  # The binding takes the library that has just been built.
  export CHORALE_LIBRARY=$PWD/$build/src/libchorale.so PYTHONPATH=bindings/python/src:bindings/references/src
  name=$(basename "$file")
  to=$PWD/$build/${name%.*}
  "$environment/bin/python" -m chorale_references "$file" -o "$to.bib" -o "$to.json" -o "$to.html" \
    --chorale "$build/src/command/chorale" "${options[@]}"
  printf '%s\n' "$to.bib" "$to.json" "$to.html"
  exit
fi

"$build/src/command/chorale" report --threads "$(nproc)" --progress \
  --output "$PWD/$build/publications.html" "${options[@]}" \
  examples/publications/data/pages.chorale
