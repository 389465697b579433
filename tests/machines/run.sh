#!/usr/bin/env bash
# Builds the library for other machines, or puts it into other hosts, and runs the tests there.
#
#   tests/machines/run.sh [--no-install] NAME...     README.md says what each is
#
# CHORALE_TEST_ROUNDS, unless set, is lowered where that is slow. Builds are in build/machines/NAME.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=tests/machines
jobs=$(nproc)
setup_options=()
if [[ ${1-} == --no-install ]]; then
  setup_options+=(--no-install)
  shift
fi
[[ $# -gt 0 ]] || {
  sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit 2
}

fail() { # MESSAGE
  echo "FAILED: $1" >&2
  return 1
}

# Configures and builds build/machines/NAME.
build() { # NAME CMAKE_ARGUMENTS...
  local name=$1
  shift
  cmake -S . -B "build/machines/$name" -G Ninja -DCHORALE_WERROR=ON "$@"
  cmake --build "build/machines/$name" -j "$jobs"
}

# All tests of a build but valgrind's; every one must be there and pass.
run_tests() { # BUILD CTEST_ARGUMENTS...
  local build=$1
  shift
  ctest --test-dir "$build" -LE valgrind -j "$jobs" --output-on-failure --no-tests=error "$@"
}

# CMocka of another architecture, from Debian's packages: unpacked, not installed, and with package
# lists of its own, so that nothing on this machine changes.
fetch_cmocka() { # DEBIAN_ARCHITECTURE
  local to=$PWD/build/machines/packages-$1
  local config
  config=$(compgen -G "$to/root/usr/lib/*/cmake/cmocka" || true)
  if [[ -z $config ]]; then
    rm -rf "$to"
    mkdir -p "$to/state/lists/partial" "$to/cache/archives/partial" "$to/root"
    : >"$to/status"
    local apt=(apt-get -o "APT::Architecture=$1" -o "APT::Architectures::=$1"
      -o "Dir::State=$to/state" -o "Dir::State::status=$to/status" -o "Dir::Cache=$to/cache"
      -o "APT::Sandbox::User=root")
    # Sources that do not have the architecture are no reason to stop.
    "${apt[@]}" update >&2 || true
    (cd "$to" && "${apt[@]}" download libcmocka0 libcmocka-dev) >&2
    local package
    for package in "$to"/*.deb; do
      dpkg -x "$package" "$to/root"
    done
    config=$(compgen -G "$to/root/usr/lib/*/cmake/cmocka")
  fi
  echo "$config"
}

foreign() { # NAME DEBIAN_ARCHITECTURE TRIPLET_MACHINE ROUNDS EMULATOR...
  local name=$1 architecture=$2 machine=$3 rounds=$4
  shift 4
  tests/setup.sh "${setup_options[@]}" machines
  local cmocka emulator
  cmocka=$(fetch_cmocka "$architecture")
  emulator=$(printf '%s;' "$@")
  build "$name" -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$PWD/$here/cross.cmake" \
    -DMACHINE="$machine" -DEMULATOR="${emulator%;}" -Dcmocka_DIR="$cmocka" \
    -DCHORALE_BUILD_EXAMPLES=OFF
  CHORALE_TEST_ROUNDS=${CHORALE_TEST_ROUNDS:-$rounds} run_tests "build/machines/$name" --timeout 1800
  same_as_here "$name" "$@" "build/machines/$name/tests/test_problem_files"
}

# What comes out of models made up, bit for bit as on this machine.
same_as_here() { # NAME COMMAND...
  local to=build/machines/$1
  shift
  cmake --preset dev >/dev/null
  cmake --build --preset dev -j "$jobs" --target test_problem_files
  build/dev/tests/test_problem_files --tell | grep '^made-' >"$to/here.txt"
  "$@" --tell | tr -d '\r' | grep '^made-' >"$to/there.txt"
  diff "$to/here.txt" "$to/there.txt" || fail "the results are not those of this machine"
  echo "$(wc -l <"$to/here.txt") lines are the same"
}

on_arm64() {
  foreign arm64 arm64 aarch64 5e-2 qemu-aarch64 -L /usr/aarch64-linux-gnu
}
# Run as they are where the kernel runs programs of 32 bits.
on_i386() {
  tests/setup.sh "${setup_options[@]}" machines
  local root=/usr/i686-linux-gnu emulator
  emulator=($root/lib/ld-linux.so.2 --library-path $root/lib)
  $root/lib/ld-linux.so.2 --version >/dev/null 2>&1 || emulator=(qemu-i386 -L $root)
  foreign i386 i386 i686 5e-1 "${emulator[@]}"
}

# What the tests need of Windows, in a folder of its own: CMocka, from Debian's source package, and the
# headers of GSL without those of this machine beside them.
make_windows_packages() { # FOLDER
  local to=$1 here_gsl
  [[ ! -e $to/prefix/lib/cmocka.dll.a ]] || return 0
  rm -rf "$to"
  mkdir -p "$to/sources/sources.list.d" "$to/state/lists/partial" "$to/cache/archives/partial" \
    "$to/cmocka" "$to/prefix/include" "$to/prefix/share/cmake"
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
    [[ ! -f $file ]] || sed -E 's/^deb /deb-src /; s/^Types: .*/Types: deb-src/' "$file" \
      >"$to/sources/${file#/etc/apt/}"
  done
  touch "$to/sources/sources.list"
  local apt=(apt-get -o "Dir::Etc::sourcelist=$to/sources/sources.list"
    -o "Dir::Etc::sourceparts=$to/sources/sources.list.d" -o "Dir::State=$to/state"
    -o "Dir::State::status=/dev/null" -o "Dir::Cache=$to/cache" -o "APT::Sandbox::User=root")
  "${apt[@]}" update || true
  (cd "$to" && "${apt[@]}" source --download-only cmocka)
  tar -xf "$to"/cmocka_*.orig.tar.?z -C "$to/cmocka" --strip-components=1
  cmake -S "$to/cmocka" -B "$to/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DWITH_EXAMPLES=OFF \
    -DCMAKE_TOOLCHAIN_FILE="$PWD/$here/windows.cmake" -DCMAKE_INSTALL_PREFIX="$to/prefix"
  cmake --build "$to/build" -j "$jobs"
  cmake --install "$to/build"
  here_gsl=$(dirname "$(dirname "$(echo '#include <gsl/gsl>' | g++ -E -x c++ - |
    grep -om1 '"[^"]*/gsl/gsl"' | tr -d '"')")")
  cp -r "$here_gsl/gsl" "$to/prefix/include"
  cp -r "$here_gsl/../share/cmake/Microsoft.GSL" "$to/prefix/share/cmake"
  # The name under which CMocka 1.1.5 looks for itself.
  cp "$to/prefix/lib/libcmocka.dll.a" "$to/prefix/lib/cmocka.dll.a"
}

on_windows() {
  tests/setup.sh "${setup_options[@]}" windows
  local packages=$PWD/build/machines/windows-packages compiler=x86_64-w64-mingw32-g++-posix
  make_windows_packages "$packages"
  build windows -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$PWD/$here/windows.cmake" \
    -DCMAKE_C_FLAGS="-include $PWD/$here/windows.h -D__USE_MINGW_ANSI_STDIO=1 -Wno-float-conversion -Wno-format" \
    -Dcmocka_DIR="$packages/prefix/lib/cmake/cmocka" \
    -DMicrosoft.GSL_DIR="$packages/prefix/share/cmake/Microsoft.GSL" -DCHORALE_BUILD_EXAMPLES=OFF
  local libraries="Z:$PWD/build/machines/windows/src;Z:$packages/prefix/bin" library
  for library in libstdc++-6.dll libwinpthread-1.dll; do
    libraries+=";Z:$(dirname "$("$compiler" -print-file-name="$library")")"
  done
  local -x WINEPREFIX=$PWD/build/machines/wine WINEDEBUG=-all WINEPATH=$libraries
  CHORALE_TEST_ROUNDS=${CHORALE_TEST_ROUNDS:-2e-1} \
    run_tests build/machines/windows --timeout 1200
  same_as_here windows wine build/machines/windows/tests/test_problem_files.exe
}

on_generic() {
  CC=clang CXX=clang++ build generic -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCHORALE_DISPATCH=OFF \
    -DCHORALE_BUILD_EXAMPLES=OFF
  ! nm -C build/machines/generic/src/libchorale.so | grep -iE 'avx|cpuid' ||
    fail "there is code for machines that can more"
  CHORALE_TEST_ROUNDS=${CHORALE_TEST_ROUNDS:-3e-1} run_tests build/machines/generic --timeout 600
}
on_o0() {
  build o0 -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O0 -DCMAKE_CXX_FLAGS=-O0 \
    -DCHORALE_BUILD_EXAMPLES=OFF
  CHORALE_TEST_ROUNDS=${CHORALE_TEST_ROUNDS:-3e-1} run_tests build/machines/o0 --timeout 1200
}
on_o3() {
  build o3 -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O3 -DCMAKE_CXX_FLAGS=-O3 \
    -DCHORALE_BUILD_EXAMPLES=OFF
  run_tests build/machines/o3 --timeout 600
}
on_lto() {
  build lto -DCMAKE_BUILD_TYPE=Release -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON \
    -DCHORALE_BUILD_EXAMPLES=OFF
  run_tests build/machines/lto --timeout 600
}

# The tests of the development build, in a process that host.c has changed.
in_host() { # KIND [VARIABLE=VALUE...]
  local kind=$1 host=$PWD/build/machines/host
  shift
  cmake --preset dev >/dev/null
  cmake --build --preset dev -j "$jobs"
  mkdir -p "$host"
  cc -std=c99 -O2 -Wall -Wextra -Werror -shared -fPIC $here/host.c -o "$host/host.so"
  cc -std=c99 -O2 -Wall -Wextra -Werror $here/test_canary.c -lpthread -o "$host/test_canary"
  # No decimal point: there is none where these tests run.
  local in=(env "$@" CHORALE_TEST_ROUNDS="${CHORALE_TEST_ROUNDS:-2e-1}" CHORALE_TEST_HOST="$kind"
    LD_PRELOAD="$host/host.so")
  ! "$host/test_canary" "$kind" || fail "the canary sees $kind where it is not"
  "${in[@]}" "$host/test_canary" "$kind" || fail "the canary does not see $kind"
  "${in[@]}" ctest --test-dir build/dev -LE valgrind -j "$jobs" --output-on-failure \
    --no-tests=error --timeout 600
}
on_locale() {
  tests/setup.sh "${setup_options[@]}" all
  local locales=$PWD/build/machines/locales
  if [[ ! -d $locales/de_DE.UTF-8 ]]; then
    mkdir -p "$locales"
    localedef -i de_DE -f UTF-8 "$locales/de_DE.UTF-8"
  fi
  in_host locale LOCPATH="$locales"
}
on_flush() {
  in_host flush
}

# A host that was built with fast math, which flushes denormals too, against one that was not.
on_fast-math() {
  local to=$PWD/build/machines/fast-math
  cmake --preset release >/dev/null
  cmake --build --preset release -j "$jobs" --target chorale
  mkdir -p "$to"
  local compile=(cc -std=c99 -Wall -Wextra -Werror -Iinclude $here/fast_math.c
    -L build/release/src -lchorale -Wl,-rpath,"$PWD/build/release/src")
  "${compile[@]}" -O2 -o "$to/plain"
  "${compile[@]}" -O3 -ffast-math -o "$to/fast"
  local program
  for program in plain fast; do
    "$to/$program" tests/problems/*.chorale >"$to/$program.txt"
  done
  grep -q '^denormals are kept$' "$to/plain.txt" || fail "the plain host flushes denormals"
  grep -q '^denormals are flushed$' "$to/fast.txt" || fail "the fast host keeps denormals"
  diff <(tail -n +2 "$to/plain.txt") <(tail -n +2 "$to/fast.txt") ||
    fail "the results are not the same"
  echo "$(($(wc -l <"$to/plain.txt") - 1)) lines are the same"
}

failed=0
summary=()
for name in "$@"; do
  [[ $(type -t "on_$name") == function ]] || {
    echo "$0: no machine is called $name" >&2
    exit 2
  }
  echo "== $name"
  SECONDS=0
  log=build/machines/$name.log
  mkdir -p build/machines
  # In a shell of its own: `set -e` does nothing in a function that is tested.
  status=0
  set +e
  (
    set -e
    "on_$name"
  ) 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  set -e
  # What ctest, or the comparison, said last.
  said=$(grep -aE 'tests passed,|lines are the same' "$log" | paste -sd ';' | sed 's/;/, /g' || true)
  if [[ $status == 0 && -n $said ]]; then
    summary+=("ok: $name, $SECONDS s: $said")
  else
    summary+=("FAILED: $name, $SECONDS s: ${said:-no tests}")
    failed=$((failed + 1))
  fi
done
printf '%s\n' "${summary[@]}"
[[ $failed == 0 ]]
