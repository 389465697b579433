#!/usr/bin/env bash
# Builds the wheel for Linux on x86-64 with glibc, in build/wheels/dist. Installs it into a virtual
# environment, while PATH has only this environment and so no compiler. Runs there the first example
# of the README, and tests that need only NumPy and pytest.
#
#   bindings/python/tests/wheel.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
unset CHORALE_LIBRARY PYTHONPATH
work=$PWD/build/wheels
rm -rf "$work/dist"
bindings/python/wheels.py "$work/dist" linux-x86_64
wheel=$(echo "$work"/dist/*.whl)

echo "== what it exports"
python3 -m zipfile -e "$wheel" "$work/unpacked"
library=$(echo "$work"/unpacked/libchorale/libchorale.so.*)
diff <(nm -D --defined-only "$library" | awk '{ print $3 }' | LC_ALL=C sort) \
  <(LC_ALL=C sort tests/symbols*.txt)
[[ -z $(readelf -dW "$library" | grep SONAME) ]]

echo "== installed without a compiler"
python3 -m venv --clear "$work/environment"
SECONDS=0
(
  export PATH=$work/environment/bin
  [[ -z $(command -v cc gcc c++ clang cmake) ]]
  pip install --quiet --only-binary :all: "$wheel"
)
echo "ok: in $SECONDS s"
packages=$("$work/environment/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
# Adds a package named chorale, as if by another author, which must not be imported.
mkdir "$packages/chorale"
echo 'raise ImportError("the other package was imported")' >"$packages/chorale/__init__.py"

echo "== the example of the README"
example=$(awk '/^```python$/ && !n++ { inside = 1; next } /^```/ { inside = 0 } inside' bindings/python/README.md)
printed=$(awk '/^```python$/ { seen = 1 } seen && /^```$/ && ++n == 2 { inside = 1; next } inside && /^```/ { exit } inside' \
  bindings/python/README.md)
(
  cd "$work"
  diff <(PATH=$work/environment/bin python -c "$example") <(echo "$printed")
)
[[ -n $printed ]]
echo "ok: $printed"

echo "== on a system that is not the wheel's"
other=$work/other/$(basename "$wheel" | sed -E 's/manylinux.*/manylinux_2_999_x86_64.whl/')
mkdir -p "$work/other"
cp "$wheel" "$other"
! PATH=$work/environment/bin pip install --no-deps "$other" >"$work/other/said" 2>&1
grep -o 'is not a supported wheel on this platform' "$work/other/said"

echo "== tests"
"$work/environment/bin/pip" install --quiet pytest
cd bindings/python
"$work/environment/bin/python" -m pytest -q -p no:cacheprovider tests/test_libraries.py \
  tests/test_problem_files.py tests/test_collective.py
