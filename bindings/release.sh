#!/usr/bin/env bash
# Makes everything that a release consists of, from a commit: wheels and source archive of the Python package, both
# crates, the Go module, the npm package, the library as two files with the recipe for Conan, the Debian packages, and
# SHA256SUMS.
#
#   bindings/release.sh COMMIT FOLDER [--twice]
#
# COMMIT is a tag vX.Y.Z, which must be the version of the library, or any commit. FOLDER must not be there yet. With
# --twice all is made once more, in another place, and must be the same bytes. tests/RELEASING.md says what else a release
# takes. What is missing is installed where it may be (tests/setup.sh); registries must be within reach.
set -euo pipefail
commit=${1:?release.sh COMMIT FOLDER [--twice]}
folder=$(realpath -m "${2:?release.sh COMMIT FOLDER [--twice]}")
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
[[ ! -e $folder ]] || {
  echo "release.sh: $folder is there already" >&2
  exit 1
}
hash=$(git -C "$root" rev-parse --verify "$commit^{commit}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct "$hash")
export SOURCE_DATE_EPOCH
# The compiler's own libraries need not be compiled twice.
export ZIG_GLOBAL_CACHE_DIR=${ZIG_GLOBAL_CACHE_DIR:-$work/zig}

say() {
  printf '== %s (%s)\n' "$1" "$(date +%H:%M:%S)"
}

# The version is written in the header, and where other tools insist on it in files of their own.
check_versions() { # CLONE
  local version file found
  version=$(sed -nE 's/^#define CHORALE_VERSION_[A-Z]+ ([0-9]+)$/\1/p' "$1/include/chorale/version.h" | paste -sd .)
  if [[ $commit == v* && $commit != "v$version" ]]; then
    echo "release.sh: $commit is of version $version" >&2
    return 1
  fi
  for file in rust/libchorale/Cargo.toml rust/libchorale-sys/Cargo.toml; do
    found=$(sed -nE 's/^version = "(.*)"/\1/p; s/^libchorale-sys = .*version = "([^"]*)".*/\1/p' "$1/bindings/$file" |
      sort -u)
    [[ $found == "$version" ]] || {
      echo "release.sh: bindings/$file speaks of version ${found//$'\n'/ and }, the header of $version" >&2
      return 1
    }
  done
  grep -q "\"version\": \"$version\"" "$1/bindings/js/package.json" || {
    echo "release.sh: bindings/js/package.json is not of version $version" >&2
    return 1
  }
  grep -q "^## $version" "$1/bindings/CHANGELOG.md" || {
    echo "release.sh: bindings/CHANGELOG.md says nothing of $version" >&2
    return 1
  }
}

make_all() { # CLONE TO
  local clone=$1 to=$2
  git clone --quiet --no-checkout "$root" "$clone"
  git -C "$clone" checkout --quiet "$hash"
  (
    cd "$clone"
    check_versions .
    tests/setup.sh release
    say "C, C++, Conan"
    bindings/cmake/archive.sh "$to"
    say "Go"
    bindings/go/archive.py "$to/go"
    say "JavaScript"
    bindings/js/build.sh
    (cd bindings/js && npm pack --silent --pack-destination "$to" >/dev/null)
    say "Rust"
    bindings/rust/package.sh "$to"
    say "Python"
    bindings/python/wheels.py "$to"
    say "Debian"
    bindings/debian/test.sh
    cp build/debian/packages/*.deb "$to"
    cd "$to"
    find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum >SHA256SUMS
  )
}

mkdir -p "$work/made" "$work/again"
make_all "$work/first" "$work/made"
if [[ ${3-} == --twice ]]; then
  say "once more"
  make_all "$work/elsewhere/second" "$work/again"
  diff -r "$work/made" "$work/again"
  echo "ok: the same bytes twice"
fi
mkdir -p "$(dirname "$folder")"
mv "$work/made" "$folder"
cat "$folder/SHA256SUMS"
