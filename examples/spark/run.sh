#!/usr/bin/env bash
set -euo pipefail

help='Usage: examples/spark/run.sh [--no-install] [OPTION...]

Labels documents with planted names on Spark, in local mode, and in one process; prints what
both take, how memory grows with the corpus, how many names are right, and how many labels
differ: none, or the exit code is 1. Then names agree across documents as well, in the tenth
of the corpus, with the same comparison. Builds the library, and installs Java and pyspark.

  --documents N   documents of the corpus (20000); a tenth of them is labelled first
  --giant N       sentences of the largest document (20000)
  --threads N     of Spark and of the one process (2)
  --memory SIZE   heap of Java (2g)
  --seed N        of the corpus (1)
  --no-install    name missing Debian packages instead of installing them with apt
  --help          this text

The figures go to stdout, progress to stderr.'

setup_options=()
documents=20000 giant=20000 threads=2 memory=2g seed=1
while [[ $# -gt 0 ]]; do
  argument=$1
  shift
  case $argument in
  --no-install) setup_options+=(--no-install) ;;
  --documents | --giant | --threads | --seed)
    if [[ ! ${1-} =~ ^[1-9][0-9]{0,8}$ ]]; then
      echo "run.sh: $argument is a number from 1 to 999999999, not \"${1-}\"" >&2
      exit 2
    fi
    if [[ $argument == --documents && $1 -lt 200 ]]; then
      echo "run.sh: --documents is $1; it must be at least 200" >&2
      exit 2
    fi
    declare "${argument#--}=$1"
    shift
    ;;
  --memory)
    if [[ ! ${1-} =~ ^[1-9][0-9]*[mg]$ ]]; then
      echo "run.sh: --memory is a size such as 500m or 2g, not \"${1-}\"" >&2
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
    echo "run.sh: unknown argument $argument" >&2
    echo "$help" >&2
    exit 2
    ;;
  esac
done

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
examples/spark/install.sh "${setup_options[@]}" spark
build=build/spark
python=$build/environment/bin/python

unset CHORALE_LIBRARY PYTHONPATH
work=$(mktemp -d "$PWD/$build/corpus.XXXXXX")
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 "$python" examples/spark/run.py --documents "$documents" \
  --giant "$giant" --threads "$threads" --memory "$memory" --seed "$seed" --work "$work"
