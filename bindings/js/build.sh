#!/usr/bin/env bash
# Builds the package: the module with and without vector instructions in dist/, dist/layout.js, and
# the single file dist/libchorale.embedded.js. Compiles nothing if dist/ is up to date.
#
#   bindings/js/build.sh [--no-install]       --no-install: only name missing Debian packages
#
# Uses Debian's Emscripten, and takes a minute and a half of processor time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=bindings/js
work=build/js
tests/setup.sh "$@" js
mkdir -p "$work" "$here/dist"
# A writable cache of Emscripten's libraries, which begins as a copy of Debian's.
if [[ ! -w /usr/share/emscripten/cache && -z ${EM_CACHE-} ]]; then
  export EM_CACHE=$PWD/$work/cache
  [[ -d $EM_CACHE ]] || cp -r /usr/share/emscripten/cache "$EM_CACHE"
fi

if command -v ccache >/dev/null; then
  export EM_COMPILER_WRAPPER=ccache
fi

python3 src/amalgamate.py "$work/new"
inputs=("$work"/new/{chorale.cpp,chorale.h,experimental.h} "$here"/src/native/* "$here"/tools/* "$here"/build.sh)
state=$({ em++ --version | sed -n 1p; cat "${inputs[@]}"; } | sha256sum)
if [[ $(cat "$here/dist/built" 2>/dev/null) != "$state" ]]; then
  rm -f "$here/dist/built"
  cp "$work"/new/{chorale,experimental}.h "$work"
  header=$("$here/tools/layout.py" "$work/chorale.h" "$work/layout.cpp" "$work/exports")
  echo "== layout"
  em++ -std=c++20 -DCHORALE_STATIC -I "$work" "$work/layout.cpp" -sWASM_ASYNC_COMPILATION=0 \
    -o "$work/layout.cjs"
  node "$work/layout.cjs" >"$here/dist/layout.js"

  # The sources that take little of the time of a run are compiled to small code (tools/cold.awk),
  # and all others with less inlining than -O2 has. This keeps the module below 300 kB, compressed.
  # (-inline-threshold would apply to small code as well.)
  cold='^(problem|capi|front|prices|learn|property)/|^potential/(create|recolumn|rescale|tangent)|^cluster/model/'
  cold+='|^cluster/run/(inputs|outcome|repair|dual|call|edits|labelling|state|rooms)'
  cold+='|^cluster/run/(run|polish|improve|bound_store|message_unit)|^clique/(paper|dual|flows)/'
  cold+='|^clique/(algorithms|plan|instance|search|computation|kept_labelling)'
  cold+='|^clique/(moves/alpha_expansion|passes/max_pass)'
  cold+='|^chain/(checks|joint|k_best|attachments|chain_view)'
  cold+='|^chain/(configurations|transitions|log_sums|bound_property|rule_search)'
  cold+='|^potential/(member_row|potential)|^base/(memory|parallel|workspace)'
  cold+='|^cluster/run/(evaluation|closed|chain_block|chain_program|clique_program|rounds)'
  cold+='|^clique/majority/exact_majority'
  # Leaves out contracts, the checks by GSL, which would add 4 kB to the module. The tests of the
  # native library check the contracts.
  contract='(GSL_LIKELY(cond) ? static_cast<void>(0) : gsl::details::terminate())'
  grep -qF "$contract" "$work/new/chorale.cpp"
  awk -v cold="$cold" -f "$here/tools/cold.awk" "$work/new/chorale.cpp" |
    sed "s/$contract/static_cast<void>(0)/" >"$work/chorale.cpp"
  compile=(-std=c++20 -O2 -mllvm -inlinedefault-threshold=65 -Wno-pragma-clang-attribute -fwasm-exceptions
    -mbulk-memory -msign-ext -mnontrapping-fptoint -DCHORALE_STATIC -I "$work")
  own=(allocate free allocated host score_function release_function progress_function
    learn_progress_function simd header)
  exports=$({
    sed 's/^/_/' "$work/exports"
    printf '_chorale_js_%s\n' "${own[@]}"
    printf 'stack%s\n' Save Restore
  } | paste -sd ,)
  link=(-O3 -fwasm-exceptions --no-entry "-sEXPORTED_FUNCTIONS=$exports"
    -sERROR_ON_UNDEFINED_SYMBOLS=0 -sWARN_ON_UNDEFINED_SYMBOLS=0 -sWASM_BIGINT=1 -sFILESYSTEM=0
    -sIMPORTED_MEMORY=1 -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=16MB -sMAXIMUM_MEMORY=4GB
    -sTOTAL_STACK=1MB -sMALLOC=emmalloc)
  optimise=$(em-config BINARYEN_ROOT)/bin/wasm-opt
  variant() { # NAME FLAG...
    echo "== $1.wasm"
    em++ "${compile[@]}" "${@:2}" -include "$here/src/native/libcxx.hpp" -c "$work/chorale.cpp" \
      -o "$work/$1.o"
    em++ "${compile[@]}" "${@:2}" "-DCHORALE_JS_HEADER=${header}u" -c "$here/src/native/shim.cpp" \
      -o "$work/$1.shim.o"
    em++ "${link[@]}" "${@:2}" "$work/$1.o" "$work/$1.shim.o" -o "$work/$1.linked.wasm"
    # Repeats the optimisations of the linker until they find nothing more: 2 kB less, compressed.
    "$optimise" -O3 --converge --enable-bulk-memory --enable-sign-ext --enable-mutable-globals \
      --enable-nontrapping-float-to-int --enable-exception-handling --enable-simd \
      "$work/$1.linked.wasm" -o "$here/dist/$1.wasm"
  }
  variant chorale &
  plain=$!
  variant chorale-simd -msimd128
  wait "$plain"
  printf '%s\n' "$state" >"$here/dist/built"
fi
"$here/tools/embed.mjs" "$here"
cp LICENSE "$here"
# The notices of what is linked into the module: GSL; libc++, musl and others of Emscripten.
for holder in libmsgsl-dev emscripten; do
  printf '==== %s\n\n' "$holder"
  cat "/usr/share/doc/$holder/copyright"
done >"$here/dist/NOTICES.txt"
