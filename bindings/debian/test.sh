#!/usr/bin/env bash
set -euo pipefail

help='Usage: bindings/debian/test.sh [--deep] [--no-install]

Builds the Debian packages (preset debian, in build/debian/packages) and looks at them: names,
dependencies, files, symbols, copyright; lintian finds no error; made again they are the same bytes.
Unpacked into a folder they serve programs by pkg-config and CMake, and the command runs.

  --deep        instead of unpacking: installs them into a bare root of the Debian release that this
                machine has (debootstrap; as root), uses them there, and removes them
  --no-install  name missing Debian packages instead of installing them with apt
  --help        this text'

deep=no
setup_options=()
for argument in "$@"; do
  case $argument in
  --deep) deep=yes ;;
  --no-install) setup_options+=(--no-install) ;;
  --help | -h)
    echo "$help"
    exit 0
    ;;
  *)
    echo "bindings/debian/test.sh: unknown argument $argument" >&2
    echo "$help" >&2
    exit 2
    ;;
  esac
done

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
build=$root/build/debian
packages=$build/packages
tests/setup.sh "${setup_options[@]}" debian
if [[ $deep == yes ]]; then
  tests/setup.sh "${setup_options[@]}" debootstrap
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

failures=0
check() { # NAME COMMAND...
  local log=$scratch/log
  if "${@:2}" >"$log" 2>&1; then
    echo "ok: $1"
  else
    echo "FAILED: $1"
    cat "$log"
    failures=$((failures + 1))
  fi
}

# ---- Building ----
# The files in the packages have the date of the changelog.
SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -l bindings/debian/changelog -S Timestamp)
export SOURCE_DATE_EPOCH
cmake --preset debian
cmake --build --preset debian -j "$(nproc)"
pack() { # FOLDER
  rm -rf "$1"
  cpack --config "$build/CPackConfig.cmake" -G DEB -B "$1" >"$scratch/cpack" 2>&1 ||
    { cat "$scratch/cpack"; return 1; }
  rm -rf "$1/_CPack_Packages"
}
SECONDS=0
pack "$packages"

version=$(dpkg-parsechangelog -l bindings/debian/changelog -S Version)
upstream=${version%-*}
architecture=$(dpkg --print-architecture)
triplet=$(dpkg-architecture -q DEB_HOST_MULTIARCH)
abi=$(sed -n 's/^#define CHORALE_ABI //p' include/chorale/version.h)
library=libchorale$abi
deb_of() { # PACKAGE
  echo "$packages/$1_${version}_$architecture.deb"
}
debs=("$(deb_of "$library")" "$(deb_of libchorale-dev)" "$(deb_of chorale)")

# ---- The packages ----
three_packages() {
  diff <(printf '%s\n' "${debs[@]}" | sort) <(printf '%s\n' "$packages"/* | sort)
}
depends_on() { # PACKAGE PATTERN...
  local found pattern
  found=$(dpkg-deb -f "$(deb_of "$1")" Depends)
  echo "$found"
  for pattern in "${@:2}"; do
    grep -qE "(^|, )$pattern(,|\$)" <<<"$found" || return 1
  done
}
files_are() { # PACKAGE; reads the names of the expected files from the standard input
  local expected found
  expected=$(sort)
  found=$(dpkg-deb -c "$(deb_of "$1")" | awk '$1 !~ /^d/ {print $6}' | sed 's/^\.//' | sort)
  diff <(echo "$expected") <(echo "$found")
}
documents() { # PACKAGE
  printf "/usr/share/doc/$1/%s\n" changelog.Debian.gz copyright
}
library_files() {
  {
    documents "$library"
    echo "/usr/lib/$triplet/libchorale.so.$abi"
    echo "/usr/lib/$triplet/libchorale.so.$abi.$upstream"
  } | files_are "$library"
}
development_files() {
  {
    documents libchorale-dev
    (cd include && printf '/usr/include/%s\n' chorale/*.h chorale/experimental/*.h)
    printf "/usr/lib/$triplet/%s\n" libchorale.a libchorale.so pkgconfig/chorale.pc \
      cmake/chorale/chorale-{config,config-version,targets,targets-release}.cmake
  } | files_are libchorale-dev
}
command_files() {
  {
    documents chorale
    printf '%s\n' /usr/bin/chorale /usr/share/man/man1/chorale.1.gz
  } | files_are chorale
}
owned_by_root() {
  local deb
  for deb in "${debs[@]}"; do
    dpkg-deb -c "$deb"
  done | awk '$2 != "root/root" || $1 !~ /^(drwxr-xr-x|-rw[-x]r-[-x]r-[-x]|lrwxrwxrwx)$/ {
    print
    bad = 1
  }
  END {exit bad}'
}
symbols_are_exported() {
  mkdir -p "$scratch/symbols/debian" "$scratch/symbols/library"
  dpkg-deb -x "${debs[0]}" "$scratch/symbols/library"
  dpkg-deb -e "${debs[0]}" "$scratch/symbols/control"
  printf 'Source: chorale\n\nPackage: %s\nArchitecture: any\n' "$library" \
    >"$scratch/symbols/debian/control"
  cp bindings/debian/changelog "$scratch/symbols/debian"
  diff <(sed -n 's/^ \(chorale_.*\)@CHORALE_.*/\1/p' "$scratch/symbols/control/symbols" | LC_ALL=C sort) \
    <(LC_ALL=C sort tests/symbols*.txt) &&
    (cd "$scratch/symbols" && dpkg-gensymbols -c4 "-p$library" -v"$version" -Plibrary \
      -Icontrol/symbols -O"$scratch/symbols/found")
}
notices() {
  local deb
  for deb in "${debs[@]}"; do
    dpkg-deb --fsys-tarfile "$deb" |
      tar -xO --wildcards './usr/share/doc/*/copyright' >"$scratch/notice"
    grep -q '^Copyright: 2026 The Chorale authors' "$scratch/notice" &&
      grep -q '^Copyright: 2015 Microsoft Corporation' "$scratch/notice" || return 1
  done
  # The licence must have the same words as LICENSE.
  diff <(sed -n '/^Permission/,$p' LICENSE | tr -s ' \n' ' ') \
    <(sed -n '/^ Permission/,$p' "$scratch/notice" | sed 's/^ \.$//' | tr -s ' \n' ' ' |
      sed 's/^ //')
}
# The files must not contain the path of the build folder, even before they are stripped and packed:
# the linker writes a build identifier, which is a hash of everything that it linked.
nowhere_built() {
  ! grep -lF "$root" "$build/src/libchorale.so.$abi" "$build/src/command/chorale"
}
same_again() {
  pack "$build/again" && diff -r "$packages" "$build/again"
}
no_error_of_lintian() {
  lintian --allow-root --fail-on error "${debs[@]}"
}
check "three packages" three_packages
check "the command depends on this version of the library" \
  depends_on chorale 'libc6 \([^,]*' "$library \\(= $version\\)"
check "the headers depend on this version of the library" \
  depends_on libchorale-dev "$library \\(= $version\\)"
check "the library depends on the C and the C++ library" \
  depends_on "$library" 'libc6 \([^,]*' 'libstdc\+\+6 \([^,]*'
check "files of the library" library_files
check "files of the headers" development_files
check "files of the command" command_files
check "files belong to root, who alone may write them" owned_by_root
check "the symbols file has what the library exports" symbols_are_exported
check "every package has both copyright notices" notices
check "what is in them does not depend on the folder of the build" nowhere_built
check "made again they are the same bytes" same_again
check "lintian finds no error" no_error_of_lintian

# ---- Use ----
# The sources of programs outside the project, a problem file, and the labels that the command must
# print for it.
materials=$scratch/materials
mkdir "$materials"
cp examples/clique.c examples/collective.c tests/consumers/consumer.c \
  tests/problems/model-03.chorale "$materials"
cp -r tests/consumers/cmake "$materials"
awk -F'\t' '$1 == "model-03.chorale" && $2 == "labels" {print $4}' tests/problems/expected.tsv \
  >"$materials/labels"

# This script builds and runs programs with the packages, in a folder with the materials. Its
# arguments: the path of the packages' folder /usr, the name of the library's package, the version.
cat >"$materials/use.sh" <<'USE'
set -eu
prefix=$1 library=$2 version=$3
cc -std=c99 -Wall -Werror clique.c $(pkg-config --cflags --libs chorale) -o clique
cc -std=c99 -Wall -Werror collective.c $(pkg-config --cflags --libs chorale) -lm -o collective
./clique && ./collective
cc -std=c99 -Wall -Werror "-DEXPECTED_VERSION=\"$version\"" -static consumer.c \
  $(pkg-config --static --cflags --libs chorale) -o consumer-static
./consumer-static
for kind in chorale chorale_static; do
  cmake -S cmake -B "by-$kind" -DCMAKE_PREFIX_PATH="$prefix" -DREQUESTED_VERSION="$version" \
    -DLIBRARY="chorale::$kind"
  cmake --build "by-$kind"
  "by-$kind/consumer"
done
USE
cat >"$materials/command.sh" <<'COMMAND'
set -eu
test "$(chorale --version)" = "chorale $1"
test "$(chorale check model-03.chorale)" = "model-03.chorale: ok"
chorale label --bound 8 --json model-03.chorale | grep -oE '"labels":\[[0-9,]*\]' |
  sed 's/.*\[//; s/\]//; s/,/ /g' | diff labels -
status=0
chorale label --bound none model-03.chorale 2>mistake || status=$?
test "$status" = 2 && grep -q '^chorale: --bound is "none"; it must be' mistake
COMMAND

if [[ $deep == no ]]; then
  unpacked=$scratch/unpacked
  for deb in "${debs[@]}"; do
    dpkg-deb -x "$deb" "$unpacked"
  done
  export LD_LIBRARY_PATH=$unpacked/usr/lib/$triplet
  export PKG_CONFIG_PATH=$LD_LIBRARY_PATH/pkgconfig
  in_folder() { # SCRIPT ARGUMENT...
    (cd "$materials" && PATH=$unpacked/usr/bin:$PATH sh "$@")
  }
  manual_page() {
    local said page=$unpacked/usr/share/man/man1/chorale.1.gz
    said=$(LC_ALL=C MANWIDTH=80 man --warnings -l "$page" 2>&1) &&
      grep -q 'chorale label \[OPTION\.\.\.\] FILE' <<<"$said" && ! grep -i warning <<<"$said"
  }
  check "the command runs" in_folder command.sh "$upstream"
  check "its manual page" manual_page
  check "programs by pkg-config and CMake" in_folder use.sh "$unpacked/usr" "$library" "$upstream"
else
  bare=$build/bare
  rm -rf "$bare"
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  debootstrap --variant=minbase "$suite" "$bare" >"$scratch/log" 2>&1 ||
    { tail -n 30 "$scratch/log"; exit 1; }
  mkdir "$bare/work"
  cp "${debs[@]}" "$materials"/*.* "$materials/labels" "$bare/work"
  cp -r "$materials/cmake" "$bare/work"
  inside() { # COMMAND...
    chroot "$bare" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive sh -c "cd /work && $*"
  }
  # Lists all files of the bare root, except records of dpkg and apt, caches, logs and temporary
  # files.
  listed() {
    (cd "$bare" && find . \( -path ./work -o -path ./var/lib/dpkg -o -path ./var/lib/apt \
      -o -path ./var/cache -o -path ./var/log -o -path ./tmp \) -prune -o -print | sort)
  }
  install='apt-get install --yes --no-install-recommends'
  nothing_is_left() { # FILE
    diff "$1" <(listed) && ! inside "dpkg -l | grep chorale" &&
      ! inside 'ldconfig -p | grep chorale'
  }
  manual_page() {
    inside 'MANWIDTH=80 man chorale' | grep 'chorale label \[OPTION\.\.\.\] FILE' &&
      inside 'apropos chorale || man -f chorale'
  }
  listed >"$scratch/before"
  check "library and command are installed into the bare root of $suite" inside \
    "$install ./${library}_* ./chorale_*"
  check "the command runs" inside "sh command.sh $upstream"
  check "they are removed" inside "apt-get purge --yes chorale $library"
  check "nothing of them is left" nothing_is_left "$scratch/before"
  check "a compiler and its like are installed" inside \
    "apt-get update && $install gcc g++ make cmake pkg-config man-db"
  listed >"$scratch/before"
  check "all three are installed" inside "$install ./*.deb"
  check "the command's manual page" manual_page
  check "programs by pkg-config and CMake" inside "sh use.sh /usr $library $upstream"
  check "the command runs beside the headers" inside "sh command.sh $upstream"
  check "all three are removed" inside "apt-get purge --yes chorale libchorale-dev $library"
  check "nothing of all three is left" nothing_is_left "$scratch/before"
  rm -rf "$bare"
fi

echo "$failures failed, $SECONDS s after the build"
[[ $failures == 0 ]]
