#!/usr/bin/env bash
# follow_readme.sh EXAMPLE CMAKE BUILD: installs the build folder to a place of its own, copies the example elsewhere, and
# follows its README there: `sh` blocks must succeed; in `console` blocks, what follows a "$ " line must be what the
# command prints, letter by letter.
set -euo pipefail

readonly example=$1 cmake=$2 build=$3
work=$(mktemp -d)
readonly work
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log" || {
  cat "$work/install.log"
  exit 1
}
cp -r "$example" "$work/example"
cd "$work/example"
export PATH=$work/prefix/bin:$PATH
export NO_COLOR=1

kind='' text='' command='' expected='' commands=0

compare() {
  [[ -n $command ]] || return 0
  local printed
  printed=$(bash -c "$command" 2>&1) || true
  if [[ $printed$'\n' != "$expected" && $printed != "$expected" ]]; then
    printf 'The README says that\n  %s\nprints\n%s\nbut it prints\n%s\n' "$command" "$expected" "$printed"
    exit 1
  fi
  commands=$((commands + 1))
  command='' expected=''
}

while IFS= read -r line; do
  case $kind:$line in
    ':```sh' | ':```console')
      kind=${line#'```'} text=''
      ;;
    'sh:```')
      bash -euc "$text"
      kind='' commands=$((commands + 1))
      ;;
    'console:```')
      compare
      kind=''
      ;;
    'sh:'*)
      text+=$line$'\n'
      ;;
    'console:$ '*)
      compare
      command=${line#'$ '}
      ;;
    'console:'*)
      expected+=$line$'\n'
      ;;
  esac
done <README.md

if ((commands == 0)); then
  echo "the README holds nothing to follow"
  exit 1
fi
echo "followed $commands commands"
