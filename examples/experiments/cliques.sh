#!/bin/sh
# Measures the paper's figures of clique inference again, in the environment of run.sh; all arguments
# go to cliques.py:
#
#   examples/experiments/cliques.sh --quick              a minute
#   examples/experiments/cliques.sh --data FOLDER        everything
#
# Needs Python 3.9 or later with venv, a C compiler, and what the library needs to be built.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
venv=${CHORALE_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/chorale-experiments/venv}
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
fi
"$venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt" "$here/../../bindings/python"
OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 exec "$venv/bin/python" "$here/cliques.py" "$@"
