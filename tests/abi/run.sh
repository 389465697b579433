#!/usr/bin/env bash
# Holds a build to the ABI of every release that shares its ABI number.
#
#   tests/abi/run.sh BUILD_DIR           the build has debug information
#   tests/abi/run.sh --record BUILD_DIR  makes the record of the version at hand, when it is released
#
# A record is a folder: the stable symbols, the headers, what abidw sees of the stable functions and
# types that programs use, programs of its time (the examples and tests that need no data), and the sums of all these
# files. It is made once and never changed. ../ABI.md says what may change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

record=no
if [[ ${1-} == --record ]]; then
  record=yes
  shift
fi
build=${1:?the folder of a build}
library=$build/src/libchorale.so

examples=(clique collective reference_string)
tests=(test_layout test_potential test_clique_solve test_structs)

define() { # NAME
  sed -n "s/.*define CHORALE_$1 \([0-9]*\).*/\1/p" "${2:-include}/chorale/version.h"
}

# The SHA-256 sums of all files of a record but the list of sums.
sums() { # RECORD
  (cd "$1" && find . -type f ! -path ./SHA256SUMS -print0 | LC_ALL=C sort -z | xargs -0 sha256sum)
}

if [[ $record == yes ]]; then
  to=tests/abi/$(define VERSION_MAJOR).$(define VERSION_MINOR).$(define VERSION_PATCH)
  if [[ -e $to ]]; then
    echo "FAILED: $to exists: a record is made once and never changed" >&2
    exit 1
  fi
  mkdir -p "$to/include/chorale"
  cp -r include/chorale/*.h include/chorale/experimental "$to/include/chorale/"
  cp tests/symbols.txt "$to/symbols.txt"
  abidw --headers-dir include --drop-private-types --exported-interfaces-only --no-show-locs \
    --no-corpus-path --no-comp-dir-path "$library" |
    sed -E "s|path='[^']*/src/|path='src/|
      /<elf-symbol [^>]*version='CHORALE_EXPERIMENTAL'/d
      /<function-decl [^>]*@@CHORALE_EXPERIMENTAL'/,/<\/function-decl>/d" >"$to/libchorale.abi"
  mkdir -p "$to/programs"
  for program in "${examples[@]}"; do cp "examples/$program.c" "$to/programs/"; done
  for program in "${tests[@]}"; do cp "tests/$program.c" "$to/programs/"; done
  cp tests/fixture.h tests/fixture_{names,members}.h tests/fixture_{allocator,oracle,problem,run}.c \
    "$to/programs/"
  sums "$to" >"$to/SHA256SUMS"
  echo "recorded $to"
  exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { # MESSAGE
  echo "FAILED: $1"
  failed=$((failed + 1))
}

stable_headers() { # INCLUDE_DIRECTORY
  find "$1/chorale" -maxdepth 1 -name '*.h' ! -name experimental.h
}
for release in tests/abi/[0-9]*/; do
  sums "$release" | diff "${release}SHA256SUMS" - ||
    fail "$release is not what was recorded: a file has changed, is missing or was added"
done

# The public structs of stable headers; of those that begin with their size the names alone.
structs() { # INCLUDE_DIRECTORY
  stable_headers "$1" | xargs sed -nE 's/^typedef struct (chorale_[a-z_]+) \{$/\1/p'
}
sized_structs() { # INCLUDE_DIRECTORY
  stable_headers "$1" |
    xargs sed -nE '/^typedef struct chorale_[a-z_]+ \{$/{h;n;/^  size_t struct_size;/{g;s/^typedef struct ([a-z_]+) .*/\1/p}}'
}
# Some program has one of each.
uses_structs() { # INCLUDE_DIRECTORY PROGRAM...
  local name
  for name in $(structs "$1"); do
    grep -qw "$name" "${@:2}" || fail "no program of ${2%/*} has a $name"
  done
}
for name in $(structs include); do
  grep -q "STRUCT($name, " tests/test_layout.c || fail "tests/test_layout.c says nothing of $name"
done
uses_structs include tests/test_structs.c
# Experimental ones too: what zeros mean holds everywhere.
for name in $(sed -nE 's/^typedef struct (chorale_[a-z_]+) \{$/\1/p' include/chorale/*.h include/chorale/experimental/*.h); do
  grep -qw "$name" tests/test_defaults.c || fail "tests/test_defaults.c says nothing of $name"
done

# What abidiff says of changed types (--leaf-changes-only), on standard input: true if all that has
# changed is that structs which begin with their size have got fields, behind all that they had.
only_appended() { # SIZED_STRUCT...
  awk -v sized=" $* " '
    /^$/ || /^(Leaf changes|Changed leaf types) summary: / { next }
    /^Removed\/Changed\/Added (functions|variables) summary: 0 Removed, 0 Changed,/ { next }
    /^\047struct chorale_[a-z_]+( at [^ ]+)?\047 changed:$/ {
      name = $2
      gsub(/\047/, "", name)
      old = -1
      ++structs
      if (index(sized, " " name " ")) next
    }
    /^  type size changed from [0-9]+ to [0-9]+ \(in bits\)$/ { old = $5; next }
    /^  [0-9]+ data member insertions?:$/ { next }
    /^    \047.*\047, at offset [0-9]+ \(in bits\)/ {
      at = $0
      sub(/.*\047, at offset /, "", at)
      if (old >= 0 && at + 0 >= old) next
    }
    { exit bad = 1 }
    END { exit bad || !structs }'
}

nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort >"$work/symbols"
compile() { # INCLUDE_DIRECTORY ARGUMENTS...
  cc -std=c99 -I "$1" "${@:2}" -L "$build/src" -lchorale -lm -Wl,-rpath,"$(realpath "$build")/src"
}

held=0
ran=0
for release in tests/abi/[0-9]*/; do
  release=${release%/}
  [[ $(define ABI "$release/include") == "$(define ABI)" ]] || continue
  held=$((held + 1))
  missing=$(sort "$release/symbols.txt" | comm -23 - "$work/symbols")
  [[ -z $missing ]] || fail "$release: no longer exported: ${missing//$'\n'/ }"

  # Bit 4: some difference; which one the first line tells.
  status=0
  abidiff --exported-interfaces-only "$release/libchorale.abi" "$library" >"$work/diff" || status=$?
  if ((status & ~12)); then
    cat "$work/diff"
    fail "$release: abidiff could not compare (status $status)"
  elif ((status != 0)) &&
    ! grep -q '^Functions changes summary: 0 Removed, 0 Changed' "$work/diff"; then
    # shellcheck disable=SC2046
    { abidiff --exported-interfaces-only --no-added-syms --leaf-changes-only \
      "$release/libchorale.abi" "$library" || true; } |
      only_appended $(sized_structs "$release/include") || {
      cat "$work/diff"
      fail "$release: functions or their types have changed"
    }
  fi

  # Programs of the release, compiled with its headers, run on this library: examples print what they
  # print when compiled anew, tests pass.
  for program in "${examples[@]}"; do
    compile "$release/include" "$release/programs/$program.c" -o "$work/old"
    compile include "$release/programs/$program.c" -o "$work/new"
    "$work/old" >"$work/old.txt" && "$work/new" >"$work/new.txt" &&
      cmp -s "$work/old.txt" "$work/new.txt" || fail "$release: $program prints something else"
  done
  mapfile -t programs < <(printf '%s\n' "$release"/programs/*.c | grep -v /test_layout.c)
  uses_structs "$release/include" "${programs[@]}"
  for program in "${tests[@]}"; do
    compile "$release/include" "$release/programs/$program.c" "$release"/programs/fixture_*.c \
      -I "$release/programs" -lcmocka -lpthread -o "$work/$program"
    CHORALE_TEST_ROUNDS=0.2 "$work/$program" >"$work/log" 2>&1 || {
      cat "$work/log"
      fail "$release: its $program fails"
    }
    ran=$((ran + 1))
  done
done
echo "held to $held releases of ABI $(define ABI), $ran tests of theirs run on this library"
# A number above those of all releases is of an interface that may still change.
recorded=-1
for release in tests/abi/[0-9]*/; do
  number=$(define ABI "${release}include")
  [[ $number -le $recorded ]] || recorded=$number
done
[[ $held -gt 0 || $(define ABI) -gt $recorded ]] || fail "no release to hold it to"
[[ $failed == 0 ]]
