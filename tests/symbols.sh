#!/usr/bin/env bash
# What the libraries of a build export, import, hold and depend on.
#
#   tests/symbols.sh BUILD_DIRECTORY      not of a sanitizer or coverage build
#
# The exported symbols are those of tests/symbols.txt, which are those that the stable headers declare,
# and those of tests/symbols_experimental.txt, which are those of the experimental headers and have a
# version node of their own. A new function goes into a list by hand; a stable one that disappears
# breaks programs.
set -euo pipefail
export LC_ALL=C
build=$(realpath "${1:?a build directory}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
shared=$build/src/libchorale.so
static=$build/src/libchorale.a
for library in "$shared" "$static"; do
  nm "$library" >/dev/null
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

failures=0
# Fails when the input has lines, which are printed below the rule that they break.
none() { # RULE
  local lines
  lines=$(cat)
  if [[ -n $lines ]]; then
    printf 'FAILED: %s\n%s\n' "$1" "$lines"
    failures=$((failures + 1))
  else
    echo "ok: $1"
  fi
}
same() { # RULE EXPECTED FOUND
  none "$1" < <(diff "$2" "$3" || true)
}

# ---- Exports ----
abi=$(sed -nE 's/^#define CHORALE_ABI ([0-9]+)$/\1/p' include/chorale/version.h)
# Functions that a header and those it includes declare.
declared() { # HEADER
  echo "#include <chorale/$1.h>" | gcc -std=c99 -Iinclude -fsyntax-only -aux-info "$scratch/$1" -x c -
  sed -nE "s#^/\* include/chorale/[^*]*\*/ [^(]*\b(chorale_[a-z0-9_]+) \(.*#\1#p" "$scratch/$1" | sort -u
}
# What the shared library exports with a version.
exported() { # VERSION
  nm -D --defined-only "$shared" | awk -v version="$1" '$2 == "T" && sub("@@" version "$", "", $3) { print $3 }' | sort -u
}
declared chorale >"$scratch/symbols"
declared experimental | comm -13 "$scratch/symbols" - >"$scratch/symbols_experimental"
for tier in "symbols:CHORALE_$abi" symbols_experimental:CHORALE_EXPERIMENTAL; do
  IFS=: read -r list version <<<"$tier"
  same "the list $list is sorted, without repetitions" "tests/$list.txt" <(sort -u "tests/$list.txt")
  same "the shared library exports its functions, and no others, as $version" "tests/$list.txt" <(exported "$version")
  same "the headers declare the functions of $list and no others" "tests/$list.txt" "$scratch/$list"
done
none "exports are functions of these versions" < <(
  nm -D --defined-only "$shared" |
    awk -v abi="$abi" '$2 != "T" && $3 !~ /^CHORALE_/ || $3 !~ "(@@|^)CHORALE_(" abi "|EXPERIMENTAL)$"'
)

# ---- Initialisers and state ----
# One pointer each is that of the compiler's start files.
none "no static initialisers in the shared library" < <(
  size -A -d "$shared" | awk '$1 ~ /^\.(init_array|fini_array|ctors|dtors)/ && $2 > 8'
)
none "no static initialisers in the objects" < <(
  size -A -d "$static" | awk '$1 ~ /^\.(preinit_array|init_array|fini_array|ctors|dtors)/'
  nm "$static" | grep -E '_GLOBAL__(sub_)?[ID]_|__cxx_global_var_init' || true
)
# Relocated constants (.data.rel.ro: tables of virtual functions) are read-only once loaded, and
# DW.ref.* is the compiler's own pointer to the C++ exception handler.
none "no mutable globals in the objects" < <(
  size -A -d "$static" | awk '$1 ~ /^\.(data|bss|tdata|tbss)/ && $2 > 0 &&
    $1 !~ /^\.data\.rel\.ro/ && $1 !~ /DW\.ref\./'
)

# ---- Imports of our own objects ----
nm --defined-only "$static" | awk 'NF == 3 {print $3}' | sort -u >"$scratch/defined"
# Lines of "symbol object".
nm -A --undefined-only "$static" | sed -nE 's/^.*:(.*\.o):.* (\S+)$/\2 \1/p' | sort -u |
  join -v 1 - "$scratch/defined" >"$scratch/imported"
[[ -s $scratch/imported ]]

# Of C: memory (malloc and its like only behind the host's hooks, in base/memory.cpp),
# mathematics, which instructions there are, and files. Nothing that prints, ends the process, or reads the environment or the locale.
memory='malloc|free|aligned_alloc|posix_memalign|mem(cpy|move|set|cmp|chr)|bcmp|strlen'
mathematics='(log|log1p|log2|exp|expm1|exp2|pow|sqrt|cbrt|hypot|fabs|fmin|fmax|fma|fmod|floor|ceil'
mathematics+='|trunc|round|lround|llround|rint|lrint|llrint|nearbyint|ldexp|frexp|scalbn|ilogb|logb'
mathematics+='|modf|copysign|nextafter|remainder)'
# Of the C++ runtime: exceptions, which the C interface catches.
runtime='__gxx_personality_v0|_Unwind_Resume|__cxa_(allocate_exception|free_exception|throw|rethrow'
runtime+='|begin_catch|end_catch|pure_virtual|throw_bad_array_new_length|init_primary_exception)'
# What the machine can do, as the C library found at its start.
machine='__x86_get_cpuid_feature_leaf'
# Threads that a run starts when its caller asks for them.
threads='pthread_(create|join)'
# Floating-point exceptions, which do not trap during a call.
traps='fe(getexcept|holdexcept|setenv)'
# Problem files: read, written beside and put in their place.
files='(open|lseek|stat)(64)?|fchmod|read|write|close|fsync|rename|unlink|__errno_location'
# What hardened compilers add.
hardening='__stack_chk_fail|__[a-z]+_chk|_GLOBAL_OFFSET_TABLE_'
none "imports from C are memory, mathematics, threads, traps and files" < <(
  grep -v '^_Z' "$scratch/imported" |
    grep -vE "^($memory|$mathematics|$runtime|$machine|$threads|$traps|$files|$hardening) " || true
)
# Of the C++ library anything (std::terminate behind Expects of GSL and noexcept, which no mistake
# of a caller reaches; clocks, to_chars, exceptions) but streams and locales, which the library
# must not touch; the guards of static locals, which are globals; and operator new, because memory
# comes through the host's hooks.
none "imports from C++ are none of streams, locales, guards, operator new, assertions" < <(
  c++filt <"$scratch/imported" |
    grep -E 'std::.*(stream|locale|filebuf|streambuf|ios_base)|^operator new|__cxa_guard|assert_fail' ||
    true
)

# ---- The file ----
same "the soname is the ABI number" <(echo "libchorale.so.$abi") <(
  readelf -dW "$shared" | sed -nE 's/.*\(SONAME\).*\[(.*)\]$/\1/p'
)
none "it depends on the C and C++ run-time libraries alone" < <(
  readelf -dW "$shared" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]$/\1/p' |
    grep -vE '^(libstdc\+\+|libm|libgcc_s|libc|ld-linux[-a-z0-9_]*)\.so\.[0-9]+$' || true
)
none "it names no directories, and its text is not relocated" < <(
  readelf -dW "$shared" | grep -E '\((RPATH|RUNPATH|TEXTREL)\)' || true
)

echo "$failures failed"
[[ $failures == 0 ]]
