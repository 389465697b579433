#!/usr/bin/env bash
# Builds the wheel of the package, which is of Python alone and the same for every system. Files have
# the date SOURCE_DATE_EPOCH, or that of the last commit; the same sources give the same bytes.
#
#   bindings/references/wheel.sh DIRECTORY
set -euo pipefail
to=$(realpath -m "${1:?wheel.sh DIRECTORY}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
work=$PWD/build/references-wheel
rm -rf "$work"
mkdir -p "$work" "$to"
# The backend writes beside the sources, so it gets a copy of them.
cp -r bindings/references "$work/source"
python3 -m venv "$work/environment"
"$work/environment/bin/pip" install --quiet setuptools==80.9.0
"$work/environment/bin/pip" wheel --quiet --no-deps --no-build-isolation --wheel-dir "$to" "$work/source"
