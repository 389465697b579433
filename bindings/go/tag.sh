#!/usr/bin/env bash
# Tags the release of the Go module that is made from a commit, so that `go get` can fetch it.
#
#   bindings/go/tag.sh COMMIT
#
# The tag bindings/go/vX.Y.Z, of the library's version, points to a new commit on top of COMMIT that
# no branch has. In it the module contains the library as two files, chorale.h and chorale.cpp, since
# Go fetches the folder of a module without the rest of its repository. Made twice from a commit, it
# has the same bytes. Needs python3 and the headers of Microsoft GSL (Debian: libmsgsl-dev).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
commit=$(git rev-parse --verify "${1:?tag.sh COMMIT}^{commit}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/sources"
git archive "$commit" | tar -x -C "$work/sources"
"$work/sources/bindings/go/bundle.sh" "$work/made"
version=$(sed -nE 's/^#define CHORALE_VERSION_[A-Z]+ ([0-9]+)$/\1/p' "$work/sources/include/chorale/version.h" |
  paste -sd .)
export GIT_INDEX_FILE=$work/index
git read-tree "$commit"
for file in chorale.h experimental.h chorale.cpp; do
  git update-index --add --cacheinfo "100644,$(git hash-object -w "$work/made/$file"),bindings/go/$file"
done
when=$(git log -1 --format=%cI "$commit")
release=$(GIT_AUTHOR_DATE=$when GIT_COMMITTER_DATE=$when \
  git commit-tree -p "$commit" -m "Go module $version, with the library as two files" "$(git write-tree)")
git tag "bindings/go/v$version" "$release"
echo "bindings/go/v$version: $release"
