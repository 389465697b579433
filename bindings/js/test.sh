#!/usr/bin/env bash
# Builds the package and runs its tests: types, Node with both modules, the package as it is
# installed, the README's program, and a page in headless Chromium.
#
#   bindings/js/test.sh [--no-install]      --no-install: only name missing Debian packages
#
# npm fetches TypeScript if it is not there yet.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
package=$root/bindings/js
work=$root/build/js
tests/setup.sh "$@" js
"$package/build.sh" "$@"

echo "== size"
for module in chorale chorale-simd; do
  node -e 'const bytes = require("node:fs").readFileSync(process.argv[1]);
    const { length } = require("node:zlib").brotliCompressSync(bytes);
    console.log(`${process.argv[1]}: ${bytes.length} bytes, ${length} by brotli, of 300000`);
    process.exit(length <= 300000 ? 0 : 1);' "$package/dist/$module.wasm"
done

echo "== types"
cd "$package"
[[ -d node_modules/typescript ]] ||
  npm install --no-package-lock --no-audit --no-fund --loglevel=error
npx --no-install tsc -p .

echo "== tests"
node --version
rm -f "$work/called"
CALLED=$work/called node --test tests/
node tests/called.mjs "$work/called"

echo "== package"
rm -rf "$work/installed"
mkdir -p "$work/installed"
archive=$(npm pack --silent --ignore-scripts --pack-destination "$work/installed")
cd "$work/installed"
echo '{ "private": true, "type": "module" }' >package.json
npm install --offline --no-package-lock --no-audit --no-fund --loglevel=error "./$archive"
# Writes each JavaScript program of the README to programN.mjs, and the output that the README
# states for it to expectedN.
awk '/^```js$/ { name = "program" ++n ".mjs"; inside = 1; printed = 0; next }
  /^```$/ && inside { inside = 0; next }
  /^```$/ && n && !printed { printed = inside = 1; name = "expected" n; next }
  inside { print >name }' "$package/README.md"
for program in program*.mjs; do
  number=${program//[^0-9]/}
  node "$program" >"output$number"
  diff "expected$number" "output$number"
done
[[ -f program1.mjs ]]

echo "== page"
"$root/tests/setup.sh" "$@" browser
python3 "$package/tests/page.py" chromium "$package" "$work"
echo ok
