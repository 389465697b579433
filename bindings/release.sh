#!/usr/bin/env bash
# Makes all files of a release from a commit: wheels and source archive of the Python package, the
# wheel of the parser of references, both crates, the Go module, the npm package, the library as two
# files with the recipe for Conan, the Debian packages, and SHA256SUMS.
#
#   bindings/release.sh COMMIT FOLDER [--twice]
#
# COMMIT is any commit, or a tag vX.Y.Z, where X.Y.Z must be the version of the library. FOLDER must
# not exist. With --twice everything is made a second time, in another folder, and must have the
# same bytes. Missing tools are installed if they can be (tests/setup.sh). Package registries must
# be reachable. tests/RELEASING.md describes the other steps of a release.
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
# The two builds of --twice share this cache, so that zig compiles its own libraries only once.
export ZIG_GLOBAL_CACHE_DIR=${ZIG_GLOBAL_CACHE_DIR:-$work/zig}

say() {
  printf '== %s (%s)\n' "$1" "$(date +%H:%M:%S)"
}

# Checks that the manifests of the packages and the changelog have the version of the header, and so
# does COMMIT if it is a tag.
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
  grep -q "^__version__ = \"$version\"" "$1/bindings/references/src/chorale_references/__init__.py" || {
    echo "release.sh: bindings/references is not of version $version" >&2
    return 1
  }
  grep -q "^## $version" "$1/CHANGELOG.md" || {
    echo "release.sh: CHANGELOG.md says nothing of $version" >&2
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
    say "References"
    bindings/references/wheel.sh "$to"
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
