#!/usr/bin/env bash
set -euo pipefail

help='Usage: examples/guide/build.sh [--check] [--no-install]

Makes the site in build/site: pages to be read in a browser, from files or from a server, without a
network. Open build/site/index.html.

Installs MkDocs with Material in a virtual environment, build/guide, and, where it is missing, builds
the library for browsers, which the playground needs (bindings/js/build.sh; two minutes).

  --check       also runs every example of the pages with the library that CHORALE_LIBRARY names
                (default: that of build/dev), and looks for links that lead nowhere and for
                public names that the reference lacks
  --no-install  name missing Debian packages instead of installing them with apt
  --help        this text'

check=no
options=()
for argument in "$@"; do
  case $argument in
  --check) check=yes ;;
  --no-install) options+=("$argument") ;;
  --help | -h)
    echo "$help"
    exit 0
    ;;
  *)
    echo "examples/guide/build.sh: unknown argument $argument" >&2
    echo "$help" >&2
    exit 2
    ;;
  esac
done

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=examples/guide
environment=build/guide
log=build/guide.log
mkdir -p build
. tests/progress.sh

# Runs a command with its output in a log, shown when it fails.
told() { # WHAT COMMAND...
  local status=0
  echo "$1" >&2
  shift
  begin_progress "$log"
  "$@" >"$log" 2>&1 || status=$?
  end_progress
  [[ $status == 0 ]] || cat "$log" >&2
  return "$status"
}

requirements=("$here/requirements.txt")
[[ $check == no ]] || requirements+=("$here/requirements-check.txt")
state=$(cat "${requirements[@]}" | sha256sum)
if [[ ! -x $environment/bin/mkdocs || $(cat "$environment/installed" 2>/dev/null) != "$state" ]]; then
  told "Making a virtual environment in $environment" python3 -m venv "$environment"
  told "Installing what $here/requirements*.txt name" \
    "$environment/bin/pip" install --disable-pip-version-check "${requirements[@]/#/-r}"
  echo "$state" >"$environment/installed"
fi

if [[ ! -f bindings/js/dist/libchorale.embedded.js ]]; then
  told "Building the library for browsers" bindings/js/build.sh "${options[@]}"
fi

export NO_MKDOCS_2_WARNING=1 # Material speaks of its successor at every build
told "Making the pages" "$environment/bin/mkdocs" build --strict --quiet --clean -f "$here/mkdocs.yml"

if [[ $check == yes ]]; then
  export CHORALE_LIBRARY=${CHORALE_LIBRARY:-$PWD/build/dev/src/libchorale.so}
  export PYTHONPATH=$PWD/bindings/python/src:$PWD/bindings/references/src
  told "Looking for links that lead nowhere" "$environment/bin/python" "$here/links.py" build/site
  told "Looking for names that the reference lacks" "$environment/bin/python" "$here/complete.py" build/site
  told "Running the examples" "$environment/bin/python" "$here/check.py"
  result=", $(tail -n 1 "$log")"
fi
echo "build/site/index.html${result-}"
