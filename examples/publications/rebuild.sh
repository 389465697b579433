#!/usr/bin/env bash
set -euo pipefail

help='Usage: examples/publications/rebuild.sh [--no-install] [--pages-only]

Makes everything in examples/publications/data from works.json and styles.txt: the pages, set by
pandoc, and from them the problem file, with a tagger trained by CRFsuite. Takes some minutes.

  --no-install  name missing Debian packages instead of installing them with apt
  --pages-only  the pages alone
  --help        this text'

install=yes
pages_only=
for argument in "$@"; do
  case $argument in
  --no-install) install= ;;
  --pages-only) pages_only=yes ;;
  --help | -h)
    echo "$help"
    exit 0
    ;;
  *)
    echo "rebuild.sh: unknown argument $argument" >&2
    echo "$help" >&2
    exit 2
    ;;
  esac
done

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)

missing=()
command -v pandoc >/dev/null || missing+=(pandoc)
[[ -e /usr/share/citation-style-language/styles/apa.csl ]] || missing+=(citation-style-language-styles)
if [[ -z $pages_only ]]; then
  command -v g++ >/dev/null || missing+=(g++)
  echo '#include <gsl/gsl>' | g++ -E -x c++ - >/dev/null 2>&1 || missing+=(libmsgsl-dev)
  python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
fi
if ((${#missing[@]})); then
  if [[ -z $install ]]; then
    echo "rebuild.sh: missing Debian packages: ${missing[*]}" >&2
    exit 1
  fi
  as_root=()
  ((EUID == 0)) || as_root=(sudo)
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
fi

python3 "$here/make_pages.py"
[[ -z $pages_only ]] || exit 0

venv=$root/build/publications-venv
[[ -x $venv/bin/python ]] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet -r "$here/requirements.txt" "$root/bindings/python" >&2
"$venv/bin/python" "$here/train_base.py"
