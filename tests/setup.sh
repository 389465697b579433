#!/usr/bin/env bash
# Sees to it that this machine has what a set of work needs; called by examples/run.sh and
# tests/run.sh, so that nobody need call it by hand.
#
#   tests/setup.sh [--no-install] examples|references|tests|fuzz|all|machines|windows|browser|firefox|go|js|rust|debian|debootstrap|release|roots|spark|web
#
# Installs missing packages with apt where it may (as root, or through sudo without a password);
# otherwise names them and exits with 1.
set -euo pipefail

install=yes
if [[ ${1-} == --no-install ]]; then
  install=no
  shift
fi
set_name=${1:?examples, references, tests, fuzz, all, machines, windows, browser, firefox, go, js, rust, debian, debootstrap, release, roots, spark or web}

# Debian package and how to see that it is there: a command, a header in <>, a Python module in (), a
# sanitizer of clang in {}, or a file. Probing for the thing and not for the package lets a compiler or a
# CMake of other origin pass.
needs_examples=(
  'g++ g++'
  'cmake cmake'
  'ninja-build ninja'
  'libmsgsl-dev <gsl/gsl>'
)
needs_references=(
  "${needs_examples[@]}"
  'python3-venv (ensurepip)'
)
needs_tests=(
  "${needs_examples[@]}"
  'libcmocka-dev <cmocka.h>'
)
# clang alone, as Debian installs it without what it recommends, has no runtime of the sanitizers.
needs_fuzz=(
  "${needs_tests[@]}"
  'clang clang++'
  'libclang-rt-dev {fuzzer}'
)
needs_all=(
  "${needs_fuzz[@]}"
  'abigail-tools abidiff'
  'ccache ccache'
  'pkg-config pkg-config'
  'valgrind valgrind'
  'libglpk-dev <glpk.h>'
  'python3-venv (ensurepip)'
  'locales /usr/share/i18n/locales/de_DE'
)
needs_machines=(
  "${needs_tests[@]}"
  'qemu-user qemu-aarch64'
  'g++-aarch64-linux-gnu aarch64-linux-gnu-g++'
  'g++-i686-linux-gnu i686-linux-gnu-g++'
)
needs_windows=(
  "${needs_tests[@]}"
  'g++-mingw-w64-x86-64-posix x86_64-w64-mingw32-g++-posix'
  'wine wine'
  'wine64 /usr/lib/wine/wine64'
)
needs_browser=(
  'chromium chromium'
  'python3 python3'
)
needs_firefox=(
  'firefox-esr firefox-esr'
  'python3 python3'
)
needs_rust=(
  'pkg-config pkg-config'
  'cargo cargo'
  'rustc rustc'
  'rust-clippy cargo-clippy'
  'rustfmt cargo-fmt'
)
# Debian's Cargo builds with the crates that Debian packages; any other fetches them.
if [[ $(command -v cargo || echo /usr/bin/cargo) == /usr/bin/cargo ]]; then
  for crate in cc pkg-config; do
    needs_rust+=("librust-$crate-dev /usr/share/cargo/registry/$crate-*")
  done
fi
needs_go=(
  "${needs_examples[@]}"
  'pkg-config pkg-config'
  'golang-go go'
)
needs_js=(
  'libmsgsl-dev <gsl/gsl>'
  'emscripten em++'
  'nodejs node'
  'python3 python3'
)
needs_debian=(
  "${needs_examples[@]}"
  'pkg-config pkg-config'
  'dpkg-dev dpkg-gensymbols'
  'lintian lintian'
  'man-db man'
)
needs_debootstrap=('debootstrap debootstrap')
needs_release=(
  "${needs_js[@]}"
  "${needs_debian[@]}"
  'npm npm'
  'python3-venv (ensurepip)'
)
needs_roots=(
  "${needs_examples[@]}"
  'python3-venv (ensurepip)'
  'debootstrap debootstrap'
  'qemu-user-static qemu-aarch64-static'
  'musl /lib/ld-musl-*'
  'wine wine'
  'wine64 /usr/lib/wine/wine64'
)

needs_spark=(
  "${needs_examples[@]}"
  'python3-venv (ensurepip)'
  'default-jre-headless java'
)
needs_web=(
  "${needs_spark[@]}"
  'pandoc pandoc'
  'biber biber'
  'citation-style-language-styles /usr/share/citation-style-language/styles/apa.csl'
)

case $set_name in
examples) needs=("${needs_examples[@]}") ;;
references) needs=("${needs_references[@]}") ;;
tests) needs=("${needs_tests[@]}") ;;
fuzz) needs=("${needs_fuzz[@]}") ;;
all) needs=("${needs_all[@]}") ;;
machines) needs=("${needs_machines[@]}") ;;
windows) needs=("${needs_windows[@]}") ;;
browser) needs=("${needs_browser[@]}") ;;
firefox) needs=("${needs_firefox[@]}") ;;
go) needs=("${needs_go[@]}") ;;
js) needs=("${needs_js[@]}") ;;
rust) needs=("${needs_rust[@]}") ;;
debian) needs=("${needs_debian[@]}") ;;
debootstrap) needs=("${needs_debootstrap[@]}") ;;
release) needs=("${needs_release[@]}") ;;
roots) needs=("${needs_roots[@]}") ;;
spark) needs=("${needs_spark[@]}") ;;
web) needs=("${needs_web[@]}") ;;
*)
  echo "setup.sh: no such set: $set_name" >&2
  exit 2
  ;;
esac

has_sanitizer() { # NAME
  local library
  library=$(clang --print-runtime-dir 2>/dev/null) || return 1
  compgen -G "$library/libclang_rt.$1*.a" >/dev/null
}

has() { # PROBE
  case $1 in
  '<'*) echo "#if !__has_include($1)
#error
#endif" | g++ -E -x c++ - >/dev/null 2>&1 ;;
  /*) compgen -G "$1" >/dev/null ;;
  '{'*) has_sanitizer "${1//[\{\}]/}" ;;
  '('*) python3 -c "import ${1//[()]/}" 2>/dev/null ;;
  *) command -v "$1" >/dev/null ;;
  esac
}

missing_packages() {
  local need
  for need in "${needs[@]}"; do
    has "${need#* }" || echo "${need% *}"
  done
}

mapfile -t missing < <(missing_packages)
[[ ${#missing[@]} -gt 0 ]] || exit 0

refuse() { # REASON
  echo "Missing Debian packages, $1:" >&2
  echo "  apt-get install ${missing[*]}" >&2
  exit 1
}

[[ $install == yes ]] || refuse "not installed because of --no-install"
command -v apt-get >/dev/null || refuse "and this machine has no apt-get to install them with"
if [[ $(id -u) == 0 ]]; then
  as_root=(env)
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  as_root=(sudo -n env)
else
  refuse "which only root may install"
fi

echo "Installing ${missing[*]}" >&2
# Waits for another apt-get that is at work.
apt_install() {
  "${as_root[@]}" DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=600 install --yes --no-install-recommends "${missing[@]}" >&2
}
# A fresh machine has no package lists, and old ones name files that are gone.
if ! apt_install; then
  "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=600 update >&2 || true
  apt_install || refuse "and apt-get failed to install them"
fi

mapfile -t missing < <(missing_packages)
[[ ${#missing[@]} -eq 0 ]] || refuse "still, after installing them"
