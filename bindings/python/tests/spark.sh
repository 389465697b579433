#!/usr/bin/env bash
# Runs tests of Spark in DIRECTORY, a virtual environment that run.sh has made and that has pyspark.
# FILE is test_spark.py (the default) or test_spark_faults.py.
#
#   bindings/python/tests/spark.sh DIRECTORY [FILE]
set -euo pipefail
directory=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
unset CHORALE_LIBRARY PYTHONPATH
"$directory/bin/python" -c 'import pyspark'
command -v java >/dev/null
"$directory/bin/python" -m pytest -q -p no:cacheprovider --durations=0 "tests/${2:-test_spark.py}"
