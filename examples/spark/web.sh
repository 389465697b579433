#!/usr/bin/env bash
set -euo pipefail

help='Usage: examples/spark/web.sh [--no-install] [--quick] [OPTION...]

Makes a web of publication pages: works set by pandoc in all independent citation styles of Debian,
a page a style and round. A tagger scores it, Spark labels it, in local mode, and so does one process.
Prints what both take, how memory grows with the web, what is right on works and styles that are
new, and how many labels differ: none, or the exit code is 1. Goes on where a run before was ended.

  --to FOLDER     of pages and scores (build/web)
  --rounds N      pages in each style (4); more add to those that are there
  --styles N      only so many, evenly spaced (all); a folder is of one choice
  --jobs N        processes that make pages and scores (2)
  --threads N     of Spark and of the one process (2)
  --memory SIZE   heap of Java (2g)
  --quick         a few pages in a temporary folder, and checks of them, in place of the above
  --no-install    name missing Debian packages instead of installing them with apt
  --help          this text

The figures go to stdout, progress to stderr.'

setup_options=()
to=build/web rounds=4 styles= jobs=2 threads=2 memory=2g quick=no
while [[ $# -gt 0 ]]; do
  argument=$1
  shift
  case $argument in
  --no-install) setup_options+=(--no-install) ;;
  --quick) quick=yes ;;
  --rounds | --styles | --jobs | --threads)
    if [[ ! ${1-} =~ ^[1-9][0-9]{0,3}$ ]]; then
      echo "web.sh: $argument is a number from 1 to 9999, not \"${1-}\"" >&2
      exit 2
    fi
    declare "${argument#--}=$1"
    shift
    ;;
  --to)
    if [[ -z ${1-} ]]; then
      echo "web.sh: --to needs the name of a folder" >&2
      exit 2
    fi
    to=$(realpath -m "$1")
    shift
    ;;
  --memory)
    if [[ ! ${1-} =~ ^[1-9][0-9]*[mg]$ ]]; then
      echo "web.sh: --memory is a size such as 500m or 2g, not \"${1-}\"" >&2
      exit 2
    fi
    memory=$1
    shift
    ;;
  --help | -h)
    echo "$help"
    exit 0
    ;;
  *)
    echo "web.sh: unknown argument $argument" >&2
    echo "$help" >&2
    exit 2
    ;;
  esac
done

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
examples/spark/install.sh "${setup_options[@]}" web
python=build/spark/environment/bin/python
unset CHORALE_LIBRARY PYTHONPATH
export PYTHONDONTWRITEBYTECODE=1
if [[ $quick == yes ]]; then
  exec "$python" examples/spark/test_web.py
fi
"$python" examples/spark/web_pages.py --to "$to" --rounds "$rounds" --jobs "$jobs" \
  ${styles:+--styles "$styles"}
"$python" examples/spark/web_rows.py --web "$to" --rounds "$rounds" --jobs "$jobs"
"$python" examples/spark/web.py --web "$to" --rounds "$rounds" --threads "$threads" --memory "$memory"
