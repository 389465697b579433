#!/usr/bin/env bash
# Runs the README's program with the module as users get it: fetched from a repository with the tag of a
# release, fetched from an archive, and vendored. The program's path has no tools but Go, git and a
# compiler.
#
#   bindings/go/fetched.sh FOLDER [COMPILER]      FOLDER is replaced. COMPILER: in the place of g++
set -euo pipefail
program=$(realpath -m "${1:?fetched.sh FOLDER [COMPILER]}")
compiler=$(command -v "${2:-g++}")
cd "$(dirname "${BASH_SOURCE[0]}")"
rm -rf "$program"
mkdir -p "$program/path"
for tool in go as cc gcc git ld sh; do
  ln -s "$(command -v "$tool")" "$program/path/$tool"
done
ln -s "$compiler" "$program/path/g++"
version=v$(sed -nE 's/^#define CHORALE_VERSION_[A-Z]+ ([0-9]+)$/\1/p' ../../include/chorale/version.h | paste -sd .)
module=$(sed -n 's/^module //p' go.mod)
awk '/^```go$/ && !n++ { inside = 1; next } /^```/ { inside = 0 } inside' README.md >"$program/readme.go"
awk '/^It prints$/ && !n++ { said = 1 } /^```/ && said == 2 { exit } said == 2 { print } /^```/ && said { said = 2 }' \
  README.md >"$program/expected"

# Makes a program in $program/NAME that fetches the module at a path.
fetched() { # NAME PATH
  mkdir "$program/$1"
  cd "$program/$1"
  sed "s|\"$module\"|\"$2\"|" ../readme.go >main.go
  alone go mod init example
  alone go get "$2@$version"
  alone go run . | diff ../expected -
}
alone() {
  env -u PKG_CONFIG_PATH PATH="$program/path" GOFLAGS=-modcacherw GOMODCACHE="$program/modules" \
    GOTOOLCHAIN=local "$@"
}

# A repository that git finds at https://chorale.test/chorale.
address=chorale.test/chorale.git
repository=$program/chorale.git
git clone --quiet ../.. "$repository"
(
  export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test
  "$repository/bindings/go/module.sh" "$address/bindings/go"
  git -C "$repository" commit --quiet --all -m "The module's path"
  "$repository/bindings/go/tag.sh" HEAD
)
export GOPRIVATE=chorale.test GIT_CONFIG_COUNT=1 GIT_CONFIG_VALUE_0=https://chorale.test/
export GIT_CONFIG_KEY_0=url.file://$program/.insteadOf
(fetched repository "$address/bindings/go")

./archive.py "$program/proxy"
export GOPROXY=file://$program/proxy GONOSUMDB=$module
fetched archive "$module"
alone go mod vendor
alone go run -mod=vendor . | diff ../expected -
echo "ok: fetched from a repository and from an archive, and vendored"
