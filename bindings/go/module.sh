#!/usr/bin/env bash
# Usage: bindings/go/module.sh PATH
#
# Gives the Go module another path: rewrites the path in go.mod, example_test.go and README.md. PATH
# is where the repository can be fetched, followed by bindings/go, the module's folder in the
# repository: HOST/OWNER/NAME/bindings/go. Releases are tagged bindings/go/vX.Y.Z.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
path=${1:?module.sh PATH}
[[ ${path%%/*} == *.* && $path == */bindings/go && $path != *[\"\\\&\|\ ]* ]] || {
  echo "the path must begin with a host, which has a dot, and end in /bindings/go: $path" >&2
  exit 1
}
old=$(sed -n 's/^module //p' go.mod)
sed -i "s|${old//./\\.}|$path|g" go.mod example_test.go README.md
