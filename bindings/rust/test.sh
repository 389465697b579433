#!/usr/bin/env bash
# Checks the crates: formatter, clippy, documentation; all tests and examples with an installed
# library; the tests with a library that has address and undefined-behaviour sanitizers; some tests
# with the library that the feature `vendored` builds.
#
#   bindings/rust/test.sh [--deep] [--no-install]
#
#   --deep        also, before a release: all tests with the library that `vendored` builds,
#                 optimised as users build it; a program that is built from the packages alone
#   --no-install  name missing Debian packages instead of installing them with apt
#
# All files that it builds are in build/ of the repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
export PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
deep=no
setup_options=()
for option; do
  case $option in
  --deep) deep=yes ;;
  --no-install) setup_options+=("$option") ;;
  *)
    echo "test.sh: unknown argument $option" >&2
    exit 2
    ;;
  esac
done
tests/setup.sh "${setup_options[@]}" tests
tests/setup.sh "${setup_options[@]}" rust

least=1.63
version=$(rustc --version | cut -d ' ' -f 2)
if [[ $(printf '%s\n' "$least" "$version" | sort -V | head -n 1) != "$least" ]]; then
  echo "test.sh: rustc is $version; $least or newer is needed" >&2
  exit 1
fi
echo "== rustc $version"

work=$root/build/rust
crates=$root/bindings/rust
mkdir -p "$work"
locked=(--locked)
features=(--features experimental,ndarray)
if [[ $(command -v cargo) == /usr/bin/cargo ]]; then
  # Debian's Cargo builds with the crates that Debian packages, whatever their versions. It runs in
  # a workspace made of links, which has no Cargo.lock and has settings of its own.
  rm -rf "$work/workspace"
  mkdir -p "$work/workspace/.cargo"
  ln -s "$crates/libchorale" "$crates/libchorale-sys" "$crates/Cargo.toml" "$work/workspace"
  cat >"$work/workspace/.cargo/config.toml" <<'END'
[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "/usr/share/cargo/registry"
END
  if ! compgen -G '/usr/share/cargo/registry/ndarray-[0-9]*' >/dev/null; then
    # Debian 12 has no ndarray, but Cargo also resolves dependencies that no feature asks for. So an
    # empty crate of this name is made, which no build uses.
    features=(--features experimental)
    mkdir -p "$work/no-ndarray/src"
    : >"$work/no-ndarray/src/lib.rs"
    printf '[package]\nname = "ndarray"\nversion = "0.15.0"\n[workspace]\n' >"$work/no-ndarray/Cargo.toml"
    printf '[patch.crates-io]\nndarray = { path = "%s" }\n' "$work/no-ndarray" \
      >>"$work/workspace/.cargo/config.toml"
    echo "== without the feature ndarray: Debian has no such crate"
  fi
  crates=$work/workspace
  locked=(--offline)
fi

# Builds the library with a CMake preset and installs it in build/rust/PRESET.
install_library() { # PRESET
  echo "== library, $1"
  cmake --preset "$1" >/dev/null
  cmake --build --preset "$1" --parallel "$(nproc)" --target chorale chorale_static chorale_command
  cmake --install "build/$1" --prefix "$work/$1" >/dev/null
}

# Runs Cargo with the library in build/rust/PRESET.
cargo_with() { # PRESET COMMAND ARGUMENT...
  local preset=$1 command=$2
  local libraries
  shift 2
  libraries=$(dirname "$(find "$work/$preset" -name libchorale.so)")
  (
    cd "$crates"
    PKG_CONFIG_PATH=$libraries/pkgconfig LD_LIBRARY_PATH=$libraries \
      CARGO_TARGET_DIR=$work/target-$preset cargo "$command" "${locked[@]}" "$@"
  )
}

echo "== format"
(cd "$crates" && cargo fmt --check)

install_library release
echo "== clippy"
cargo_with release clippy --all-targets -- -D warnings
cargo_with release clippy --all-targets "${features[@]}" -- -D warnings
echo "== documentation"
RUSTDOCFLAGS="-D warnings" cargo_with release doc --no-deps # comments must not link to what needs a feature
RUSTDOCFLAGS="-D warnings" cargo_with release doc --no-deps "${features[@]}"
echo "== tests, and every wrapped function is called"
# With lazy binding, tests/called.sh sees when a program first calls a function of the library.
lazy=(RUSTFLAGS="${RUSTFLAGS-} -C relro-level=off")
if ! rustc -C help | grep relro-level >/dev/null; then # an old rustc, where the option is unstable
  lazy=(RUSTC_BOOTSTRAP=1 RUSTFLAGS="${RUSTFLAGS-} -Z relro-level=off")
fi
export "${lazy[@]}"
mapfile -t programs < <(
  cargo_with release test --package libchorale --tests "${features[@]}" --no-run --message-format=json |
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p'
)
[[ ${#programs[@]} -gt 0 ]]
library_of() { # PRESET
  dirname "$(find "$work/$1" -name libchorale.so)"
}
(cd "$crates/libchorale" && LD_LIBRARY_PATH=$(library_of release) "$root/tests/called.sh" "${programs[@]}")
cargo_with release test --package libchorale-sys
cargo_with release test --package libchorale "${features[@]}" --doc
echo "== examples"
for example in "$crates"/libchorale/examples/*.rs; do
  cargo_with release run --quiet --package libchorale "${features[@]}" --example "$(basename "$example" .rs)"
done

# Runs the test programs again, with a library that has sanitizers. The address sanitizer also
# reports memory that tests leave allocated. It gives no memory for huge sizes, as systems do.
install_library asan-ubsan
echo "== tests, address and undefined-behaviour sanitizers"
for program in "${programs[@]}"; do
  (cd "$crates/libchorale" && LD_LIBRARY_PATH=$(library_of asan-ubsan) \
    ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 \
    LD_PRELOAD=$(gcc -print-file-name=libasan.so) "$program")
done
for setting in "${lazy[@]}"; do
  unset "${setting%%=*}"
done

# Tests problem files and callbacks only. The C++ is compiled without optimisation, which takes a
# third of the time.
echo "== tests, vendored library"
quick=$work/quick
mkdir -p "$quick"
printf '#!/bin/sh\nexec %s "$@" -O0\n' "$(command -v c++)" >"$quick/c++"
chmod +x "$quick/c++"
vendored() { # ARGUMENT...
  (
    cd "$crates"
    unset PKG_CONFIG_PATH LD_LIBRARY_PATH
    CARGO_TARGET_DIR=$work/target-vendored \
      cargo test "${locked[@]}" --features vendored,experimental --package libchorale "$@"
  )
}
CXX=$quick/c++ vendored --test problems --test callbacks
# Built again without a change, nothing is compiled.
CXX=$quick/c++ vendored --test problems --test callbacks --no-run -v 2>&1 | grep 'Fresh libchorale-sys '
[[ $deep == no ]] || vendored

# Builds and runs the first program of the README from the unpacked packages alone, without the
# sources of the repository, with no other tools than Cargo and a C++ compiler.
with_packages() {
  local program=$work/program tool
  rm -rf "$program"
  mkdir -p "$program/path" "$program/src"
  bindings/rust/package.sh "$program/packages" --no-verify
  for tool in "$program"/packages/*.crate; do
    tar -xf "$tool" -C "$program"
  done
  for tool in cargo rustc cc ar as ld; do
    ln -s "$(command -v "$tool")" "$program/path/$tool"
  done
  ln -s "$quick/c++" "$program/path/c++"
  awk '/^```rust$/ && !n++ { inside = 1; next } /^```/ { inside = 0 } inside' bindings/rust/README.md \
    >"$program/src/main.rs"
  cat >"$program/Cargo.toml" <<'END'
[package]
name = "program"
version = "0.0.0"
edition = "2021"
[dependencies]
libchorale = { path = "libchorale-VERSION", features = ["vendored"] }
[patch.crates-io]
libchorale-sys = { path = "libchorale-sys-VERSION" }
[workspace]
END
  sed -i "s/VERSION/$(sed -n 's/^version = "\(.*\)"/\1/p' bindings/rust/libchorale/Cargo.toml)/" "$program/Cargo.toml"
  (
    cd "$program"
    unset PKG_CONFIG_PATH LD_LIBRARY_PATH CXX
    PATH=$program/path CARGO_TARGET_DIR=$program/target cargo run --quiet
  )
}
echo "== packages"
if [[ $deep == no ]]; then
  echo "skipped: with --deep"
elif [[ $(printf '%s\n' 1.90 "$version" | sort -V | head -n 1) == 1.90 ]]; then
  with_packages
else
  echo "skipped: making packages needs Cargo 1.90"
fi

# This step needs bindgen, which this script does not install. Without bindgen, the declarations are
# still compared with the headers: by the tests of libchorale-sys above.
if command -v bindgen >/dev/null; then
  echo "== generated declarations"
  bindings/rust/generate.sh --check
else
  echo "== generated declarations: skipped, there is no bindgen"
fi
