#!/usr/bin/env bash
# Makes the packages of both crates for Rust's package registry. The package libchorale-sys contains
# the library as two files, chorale.h and chorale.cpp.
#
#   bindings/rust/package.sh DIRECTORY [--no-verify]
#
# Cargo builds each package from its archive, to verify it, unless --no-verify is given. Needs
# python3 and the headers of Microsoft GSL (Debian: libmsgsl-dev), and Cargo 1.90. If the system's
# Cargo is older, a Python package that installs Rust is run (needs python3-venv).
set -euo pipefail
to=$(realpath -m "${1:?package.sh DIRECTORY}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
packages_workspaces() {
  local version
  version=$(cargo --version 2>/dev/null) || return 1
  printf 'cargo 1.90\n%s\n' "$version" | sort --version-sort --check=quiet
}
if ! packages_workspaces; then
  echo "package.sh: installing Rust, in $stage, for a minute" >&2
  python3 -m venv "$stage/python"
  "$stage/python/bin/pip" install --quiet puccinialin==0.1.14
  # puccinialin prints other lines, then the environment of the Rust that it installed, as JSON.
  settings=$(XDG_CACHE_HOME=$stage/rust "$stage/python/bin/python" -m puccinialin 2>"$stage/log" | python3 -c '
import json, shlex, sys
text = sys.stdin.read()
for name, value in json.loads(text[text.index("{"):])["env"].items():
    print(f"export {name}={shlex.quote(value)}")') || {
    cat "$stage/log" >&2
    exit 1
  }
  eval "$settings"
  packages_workspaces
fi
# Copies the crates out of the repository. Symbolic links become the files that they lead to.
mkdir "$stage/crates"
cp -rL bindings/rust/{Cargo.toml,Cargo.lock,README.md,libchorale,libchorale-sys} "$stage/crates"
python3 src/amalgamate.py "$stage/crates/libchorale-sys/vendor"
(cd "$stage/crates" && CARGO_TARGET_DIR=$stage/target cargo package --locked --workspace --features vendored "${@:2}")
mkdir -p "$to"
cp "$stage"/target/package/*.crate "$to"
