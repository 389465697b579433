#!/usr/bin/env bash
# The repository holds no file that .gitignore names: nothing that a build or a test has written.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
git rev-parse --git-dir >/dev/null 2>&1 || exit 0 # an archive of the repository
files=$(git ls-files --cached --ignored --exclude-standard)
[[ -z $files ]] || {
  printf 'in the repository, although .gitignore names them:\n%s\n' "$files" >&2
  exit 1
}
