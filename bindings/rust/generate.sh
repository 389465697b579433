#!/usr/bin/env bash
# Makes libchorale-sys/src/bindings.rs and, by ../mirror.py, enums.rs, structs.rs and inputs.rs in
# libchorale/src from the headers, with their comments as documentation.
#
#   bindings/rust/generate.sh [--check]      --check: only compares with the committed file
#
# Needs bindgen 0.71.1 (cargo install bindgen-cli --version 0.71.1 --locked), libclang, rustfmt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
bindgen=${BINDGEN:-bindgen}
version=$("$bindgen" --version)
if [[ $version != "bindgen 0.71.1" ]]; then
  echo "generate.sh: bindgen 0.71.1 is needed, this is $version" >&2
  exit 1
fi
made=$(mktemp)
trap 'rm -f "$made"' EXIT

"$bindgen" ../../include/chorale/experimental.h \
  --rust-target 1.59 --ctypes-prefix std::os::raw \
  --allowlist-item '[Cc][Hh][Oo][Rr][Aa][Ll][Ee]_.*' --blocklist-item 'CHORALE_(API|.*_H|.*_DECLS)' \
  --default-macro-constant-type signed --default-enum-style consts \
  --raw-line '// Made by generate.sh from include/chorale/*.h: do not edit.' \
  -- -fparse-all-comments -I../../include >"$made"
# The constants are members of unnamed enums, which go. Their type is int in C, so they become i32.
perl -0pi -e 's/^(#\[doc = [^\n]*\n)?pub type _bindgen_ty_\d+ = [^\n]*\n//mg; s/: _bindgen_ty_\d+ = /: i32 = /g' "$made"
# Titles of sections of the headers are not about the declaration that follows.
sed -i -E '/^ *#\[doc = " -{4} [^\\]* -{4,}"\]$/d; s/(#\[doc = ") -{4} [^\\]* -{4,}\\n(\\n)?/\1/' "$made"
# Functions of experimental headers need the feature.
awk 'NR == FNR { experimental[$1]; next }
  held != "" && /^ *#\[doc = / { held = held "\n" $0; next }
  held != "" { if (match($0, /chorale_[a-z0-9_]+\(/) && substr($0, RSTART, RLENGTH - 1) in experimental) print "#[cfg(feature = \"experimental\")]"; print held; held = "" }
  /^extern "C" \{$/ { held = $0; next }
  { print }' ../../tests/symbols_experimental.txt "$made" >"$made.gated"
mv "$made.gated" "$made"

../mirror.py "$@"
if [[ ${1-} == --check ]]; then
  diff "$made" libchorale-sys/src/bindings.rs
else
  cp "$made" libchorale-sys/src/bindings.rs
fi
