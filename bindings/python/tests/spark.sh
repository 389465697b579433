#!/usr/bin/env bash
# Runs tests of Spark, in an environment that run.sh made and that has pyspark.
#
#   bindings/python/tests/spark.sh DIRECTORY [FILE]     FILE is test_spark.py, or test_spark_faults.py
set -euo pipefail
directory=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
unset CHORALE_LIBRARY PYTHONPATH
"$directory/bin/python" -c 'import pyspark'
command -v java >/dev/null
"$directory/bin/python" -m pytest -q -p no:cacheprovider --durations=0 "tests/${2:-test_spark.py}"
