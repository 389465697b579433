#!/usr/bin/env bash
# Tests the packages of a release in bare systems: installs each package as its README says, runs
# the first example of the README, and prints how long the installation took.
#
#   bindings/roots.sh RELEASE [NAME...]
#
# RELEASE is the folder that release.sh wrote. NAME is one of the names below; without names all are
# run. Bare systems are made by debootstrap in a folder of /tmp, which is removed at the end. This
# needs root. Tools that are missing on this machine are installed (tests/setup.sh). The last lines
# of the output give for each NAME how long the installation took and what was run.
set -euo pipefail

help() {
  sed -n '2,/^set /s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" | sed '$d'
  echo "names: $(declare -F | sed -n 's/^declare -f on_//p' | paste -sd ' ')"
}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
roots=$(mktemp -d)
finish() {
  local mounted
  for mounted in "$roots"/*/proc; do
    umount "$mounted" 2>/dev/null || true
  done
  rm -rf "$roots"
}
trap finish EXIT

# Copies to a root the settings by which this machine reaches package registries.
copy_settings() { # ROOT
  local file
  for file in /etc/resolv.conf /etc/ssl/certs/ca-certificates.crt /etc/pip.conf; do
    [[ ! -f $file ]] || install -D -m 644 "$(realpath "$file")" "$1$file"
  done
}

# Makes a bare system, $roots/NAME, with some Debian packages. The base system of a suite is made
# only once, and copied.
make_root() { # NAME SUITE PACKAGE...
  local name=$1 suite=$2 base=$roots/base-$2
  shift 2
  if [[ ! -e $base ]]; then
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$base" >"$base.log" 2>&1 || {
      tail -n 20 "$base.log" >&2
      return 1
    }
    copy_settings "$base"
    echo force-unsafe-io >"$base/etc/dpkg/dpkg.cfg.d/unsafe-io" # faster: dpkg does not sync files
    mkdir "$base/work"
  fi
  cp -a "$base" "$roots/$name"
  mount -t proc proc "$roots/$name/proc"
  cp -r "$release" "$roots/$name/release"
  inside "$name" >"$roots/$name.log" 2>&1 <<<"
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $*" || {
    tail -n 20 "$roots/$name.log" >&2
    return 1
  }
}

# Runs the shell script on the standard input in the folder /work of a system. Keeps the
# environment, which may say how to reach package registries, except for the variables below.
inside() { # NAME
  chroot "$roots/$1" /usr/bin/env -u LD_PRELOAD -u PIP_FIND_LINKS HOME=/root LC_ALL=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin /bin/bash -euc "cd /work; $(cat)"
}

# Prints the first code block of a language in a Markdown file. With `out` prints instead the plain
# block that follows this code block: the output of the example.
block() { # FILE LANGUAGE [out]
  awk -v begin="\`\`\`$2" -v out="${3-}" '
    $0 == begin && !seen { seen = 1; inside = out == ""; in_code = 1; next }
    seen && /^```/ { if (inside) exit; if (in_code) in_code = 0; else inside = 1; next }
    inside' "$1"
}

# Runs a command, and sets `seconds` to a text with the time that it took and the processor time.
timed() { # COMMAND...
  local TIMEFORMAT='%R %U %S'
  { time "$@" 2>&3; } 3>&2 2>"$roots/time"
  seconds=$(awk '{ printf "%.0f s (%.0f s of a processor)", $1, $2 + $3 }' "$roots/time")
}

# Sets `remark` to a text for the summary that says what was run. Every function on_NAME does so.
python_in() { # NAME SUITE
  make_root "$1" "$2" python3 python3-venv
  block bindings/python/README.md python >"$roots/$1/work/example.py"
  block bindings/python/README.md python out >"$roots/$1/work/expected"
  cp -r tests/problems bindings/python/tests/problems.py "$roots/$1/work"
  timed inside "$1" <<'END'
    [[ -z $(command -v cc gcc c++ clang) ]]
    python3 -m venv /environment
    /environment/bin/pip install --quiet --find-links /release --only-binary :all: libchorale
END
  inside "$1" <<'END'
    /environment/bin/python example.py | diff expected -
    /environment/bin/python problems.py problems
END
  remark="pip install of the wheel, Debian $2, $(inside "$1" <<<'python3 --version'); example, tests/problems"
}
on_python-old() { python_in python-old bullseye; }
on_python-new() { python_in python-new trixie; }

# Debian's arm64 packages are only unpacked, not configured, and each command names qemu explicitly
# to run Python. So nothing has to be registered with the kernel of this machine.
aarch64_in() { # NAME SUITE
  local root=$roots/$1 qemu package
  qemu=$(command -v qemu-aarch64-static)
  debootstrap --arch=arm64 --foreign --variant=minbase --include=ca-certificates,python3,python3-pip "$2" "$root" \
    >"$root.log" 2>&1 || {
    tail -n 20 "$root.log" >&2
    return 1
  }
  for package in "$root"/var/cache/apt/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --keep-directory-symlink
  done
  mkdir -p "$root/work" "$root/proc"
  mount -t proc proc "$root/proc"
  cp "$qemu" "$root/usr/bin"
  cp -r "$release" "$root/release"
  cp -r tests/problems bindings/python/tests/problems.py "$root/work"
  block bindings/python/README.md python >"$root/work/example.py"
  block bindings/python/README.md python out >"$root/work/expected"
  copy_settings "$root"
  local python=(env -u LD_PRELOAD -u PIP_FIND_LINKS HOME=/root LC_ALL=C.UTF-8 PYTHONPATH=/work/packages
    chroot "$root" /usr/bin/qemu-aarch64-static /usr/bin/python3)
  timed "${python[@]}" -m pip install --quiet --no-cache-dir --find-links /release --only-binary :all: \
    --target /work/packages libchorale
  "${python[@]}" /work/example.py | diff "$root/work/expected" -
  "${python[@]}" /work/problems.py /work/problems
  remark="pip install of the wheel under qemu, Debian $2 arm64, $("${python[@]}" --version); example, tests/problems"
}
on_python-aarch64-old() { aarch64_in python-aarch64-old bullseye; }
on_python-aarch64() { aarch64_in python-aarch64 trixie; }

on_python-source() {
  make_root python-source trixie python3 python3-venv g++
  block bindings/python/README.md python >"$roots/python-source/work/example.py"
  block bindings/python/README.md python out >"$roots/python-source/work/expected"
  cp -r tests/problems bindings/python/tests/problems.py "$roots/python-source/work"
  rm "$roots"/python-source/release/*.whl
  timed inside python-source <<'END'
    python3 -m venv /environment
    /environment/bin/pip install --quiet /release/libchorale-*.tar.gz
END
  inside python-source <<'END'
    /environment/bin/python example.py | diff expected -
    /environment/bin/python problems.py problems
END
  remark="pip install of the source archive with g++, Debian trixie; example, tests/problems"
}

# The platforms below have no Python here. So the pip in the environment of wheels.py installs the
# wheel of the other platform, and a C program, compiled by the compiler of wheels.py, loads the
# library.
wheels_python() {
  PYTHONPATH=bindings/python python3 -c 'import wheels; print(wheels.install_tools())' | tail -n 1
}
install_wheel() { # PLATFORM
  local python
  python=$(wheels_python)
  timed env -u PIP_FIND_LINKS "$python" -m pip install --quiet --no-cache-dir --root-user-action ignore \
    --find-links "$release" --only-binary :all: --platform "$1" --target "$roots/$1" libchorale
}
zig() {
  ZIG_GLOBAL_CACHE_DIR=build/wheels/zig ZIG_LOCAL_CACHE_DIR=build/wheels/zig "$(wheels_python)" -m ziglang "$@"
}
on_musl() {
  install_wheel musllinux_1_2_x86_64
  local to=$roots/musllinux_1_2_x86_64
  zig build-exe -dynamic -lc -target x86_64-linux-musl -Iinclude bindings/python/tests/loads.c -femit-bin="$to/loads"
  /lib/ld-musl-x86_64.so.1 "$to/loads" "$to"/libchorale/libchorale.so.* tests/problems
  remark="pip install of the wheel; its library in a C program under musl's own loader; tests/problems"
}
on_musl-aarch64() {
  install_wheel musllinux_1_2_aarch64
  local to=$roots/musllinux_1_2_aarch64
  zig build-exe -dynamic -lc -target aarch64-linux-musl -Iinclude bindings/python/tests/loads.c -femit-bin="$to/loads"
  # Takes the loader, which is musl itself, from Debian's arm64 package of musl.
  debootstrap --arch=arm64 --foreign --variant=minbase --include=musl trixie "$roots/musl-arm64" >"$roots/musl.log" 2>&1
  dpkg-deb -x "$roots"/musl-arm64/var/cache/apt/archives/musl_*.deb "$to/musl"
  local loader=$to/musl/usr/lib/aarch64-linux-musl/libc.so
  qemu-aarch64-static "$loader" "$to/loads" "$to"/libchorale/libchorale.so.* tests/problems
  remark="pip install of the wheel; its library in a C program under musl's own loader and qemu; tests/problems"
}
on_windows() {
  install_wheel win_amd64
  local to=$roots/win_amd64
  zig cc -target x86_64-windows-gnu -Iinclude bindings/python/tests/loads.c -o "$to/loads.exe"
  WINEPREFIX=$roots/wine WINEDEBUG=-all wine "$to/loads.exe" "Z:$to/libchorale/chorale.dll" tests/problems
  WINEPREFIX=$roots/wine wineserver -w || true
  remark="pip install of the wheel; its library in a C program under Wine; tests/problems"
}

# Writes to the folder /work of a system a Rust program that uses both crates, and a script that
# unpacks the crates there.
stage_rust() { # NAME
  mkdir -p "$roots/$1/work/src"
  block bindings/rust/README.md rust >"$roots/$1/work/src/main.rs"
  cat >"$roots/$1/work/stage.sh" <<'END'
for crate in /release/*.crate; do tar -xf $crate; done
printf '[package]\nname = "example"\nversion = "0.0.0"\nedition = "2021"\n' >Cargo.toml
printf '[dependencies]\nlibchorale = { path = "%s", features = ["vendored"] }\n' libchorale-[0-9]* >>Cargo.toml
printf '[workspace]\n[patch.crates-io]\nlibchorale-sys = { path = "%s" }\n' libchorale-sys-* >>Cargo.toml
END
}
on_rust() {
  make_root rust trixie cargo g++
  stage_rust rust
  timed inside rust <<<'. ./stage.sh; cargo build --quiet --release'
  inside rust <<<'target/release/example'
  remark="cargo build of a program with both packages, vendored, Debian trixie, $(inside rust <<<'rustc --version'); example"
}

# Tests the oldest compiler that the crates support. Its Cargo cannot read today's registry, so
# other crates come from Debian packages. An empty crate replaces the optional dependency ndarray,
# which Debian 12 does not package.
on_rust-old() {
  make_root rust-old bookworm cargo g++ librust-cc-dev librust-pkg-config-dev
  stage_rust rust-old
  timed inside rust-old <<'END'
    . ./stage.sh
    mkdir -p .cargo ndarray/src
    printf '[source.crates-io]\nreplace-with = "debian"\n' >.cargo/config.toml
    printf '[source.debian]\ndirectory = "/usr/share/cargo/registry"\n' >>.cargo/config.toml
    printf '[package]\nname = "ndarray"\nversion = "0.15.0"\n[workspace]\n' >ndarray/Cargo.toml
    : >ndarray/src/lib.rs
    printf 'ndarray = { path = "ndarray" }\n' >>Cargo.toml
    cargo build --quiet --offline --release
END
  inside rust-old <<<'target/release/example'
  remark="the same, Debian bookworm, $(inside rust-old <<<'rustc --version'); example"
}

on_go() {
  make_root go trixie golang-go g++
  block bindings/go/README.md go >"$roots/go/work/main.go"
  block bindings/go/README.md go out >"$roots/go/work/expected"
  timed inside go <<'END'
    export GOPROXY=file:///release/go GONOSUMDB='*' GOTOOLCHAIN=local GOFLAGS=-mod=mod
    module=$(cd /release/go && find . -name @v -printf '%h\n' | sed 's|^\./||')
    go mod init example 2>/dev/null
    go get "$module" 2>/dev/null
    go build -o example .
END
  inside go <<<'./example | diff expected -'
  remark="go get and go build, Debian trixie, $(inside go <<<'go version'); example"
}

on_js() {
  make_root js trixie nodejs npm
  block bindings/js/README.md js >"$roots/js/work/example.mjs"
  block bindings/js/README.md js out >"$roots/js/work/expected"
  timed inside js <<<'npm install --silent /release/libchorale-*.tgz'
  inside js <<<'node example.mjs | diff expected -'
  remark="npm install of the package, Debian trixie, Node $(inside js <<<'node --version'); example"
}

on_conan() {
  make_root conan trixie python3 python3-venv g++ cmake make
  timed inside conan <<'END'
    python3 -m venv /environment
    /environment/bin/pip install --quiet conan
    export PATH=/environment/bin:$PATH
    tar -xf /release/chorale-*.tar.gz
    conan profile detect >/dev/null 2>&1
    conan create --no-remote chorale-* >log 2>&1 || { tail -n 40 log; exit 1; }
END
  inside conan <<<"grep '^Chorale .*: 0 0 0' log"
  remark="conan create of the archive, Debian trixie; its test package"
}

# Builds a C program by a CMakeLists.txt that uses the archive as bindings/README.md says. The
# archive is copied beside this CMakeLists.txt.
on_cmake() {
  make_root cmake trixie g++ cmake make
  cp bindings/conan/test_package/example.c "$roots/cmake/work/program.c"
  {
    printf 'cmake_minimum_required(VERSION 3.25)\nproject(program C CXX)\nadd_executable(program program.c)\n'
    block bindings/README.md cmake
  } >"$roots/cmake/work/CMakeLists.txt"
  timed inside cmake <<'END'
    cp /release/chorale-*.tar.gz .
    hash=$(sed -n 's/  chorale-[0-9.]*\.tar\.gz$//p' /release/SHA256SUMS)
    sed -i "s/SHA256=\.\.\./SHA256=$hash/; s|URL chorale|URL \${CMAKE_CURRENT_SOURCE_DIR}/chorale|" CMakeLists.txt
    cmake -B build -DCMAKE_BUILD_TYPE=Release >log 2>&1 && cmake --build build >>log 2>&1 || { tail -n 40 log; exit 1; }
END
  inside cmake <<<'build/program'
  remark="FetchContent of the archive, Debian trixie; a C program"
}

# The packages fit only the release of Debian on which they were made.
on_debian() {
  local suite
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  make_root debian "$suite" gcc libc6-dev pkg-config
  block README.md c >"$roots/debian/work/example.c"
  block README.md c out >"$roots/debian/work/expected"
  cp -r tests/problems "$roots/debian/work"
  timed inside debian <<'END'
    cd /release
    export DEBIAN_FRONTEND=noninteractive
    apt-get install --yes --no-install-recommends ./libchorale2_*.deb ./libchorale-dev_*.deb ./chorale_*.deb \
      >/work/log 2>&1 || { tail -n 20 /work/log; exit 1; }
END
  inside debian <<'END'
    cc example.c $(pkg-config --cflags --libs chorale) -o example
    ./example | diff expected -
    chorale check problems/*.chorale | tail -n 1
END
  remark="apt-get install of the packages, Debian $suite; the README's C example by pkg-config, the command"
}

# Compiles the two files without CMake. No warning may appear.
on_two-files() {
  make_root two-files trixie g++
  cp bindings/conan/test_package/example.c "$roots/two-files/work"
  timed inside two-files <<'END'
    tar -xf /release/chorale-*.tar.gz --strip-components=1
    mkdir chorale
    ln -s ../chorale.h chorale
    c++ -std=c++20 -O3 -Wall -Wextra -c chorale.cpp 2>&1 | tee warnings
    cc -DCHORALE_STATIC -I. -c example.c
    c++ example.o chorale.o -o example
    [[ ! -s warnings ]]
END
  inside two-files <<<'./example'
  remark="c++ -std=c++20 -O3 -c chorale.cpp, Debian trixie; a C program"
}

if [[ $# -eq 0 || $1 == --help ]]; then
  help
  exit 2
fi
release=$(realpath "$1")
shift
names=("$@")
[[ $# -gt 0 ]] || names=(python-old python-new python-aarch64-old python-aarch64 python-source musl musl-aarch64 windows
  rust rust-old go js debian conan two-files cmake)
tests/setup.sh roots
failed=0
summary=()
for name in "${names[@]}"; do
  [[ $(type -t "on_$name") == function ]] || {
    help
    exit 2
  }
  echo "== $name"
  # Runs in a subshell, since `set -e` has no effect in a function whose status a command tests.
  status=0
  set +e
  (
    trap - EXIT
    set -e
    "on_$name"
    printf '%s: %s, %s\n' "$name" "$seconds" "$remark" >"$roots/said"
  )
  status=$?
  set -e
  if [[ $status == 0 ]]; then
    summary+=("ok: $(cat "$roots/said")")
  else
    summary+=("FAILED: $name")
    failed=$((failed + 1))
  fi
  echo "${summary[-1]}"
  umount "$roots/$name/proc" 2>/dev/null || true
  rm -rf "${roots:?}/$name"
done
printf '%s\n' "${summary[@]}"
[[ $failed == 0 ]]
