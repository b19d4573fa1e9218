#!/usr/bin/env bash
# follow_page.sh PAGE CMAKE BUILD FILE...: installs the build folder to a place of its own, copies the files to a folder
# elsewhere, and follows the page there:
#   `yaml` blocks that begin with "# NAME.yaml" are saved under that name;
#   `sh` blocks must succeed;
#   in `console` blocks, what follows a "$ " line must be what the command prints, letter by letter; a line "…" stands for
#   any number of lines.
# Other blocks (`bash`) are for reading only.
set -euo pipefail

readonly page=$1 cmake=$2 build=$3
shift 3
work=$(mktemp -d)
readonly work
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log" || {
  cat "$work/install.log"
  exit 1
}
cp "$page" "$work/page.md"
mkdir "$work/folder"
cp -r "$@" "$work/folder"
cd "$work/folder"
export PATH=$work/prefix/bin:$PATH
export NO_COLOR=1 COLUMNS=100
# What built us is there; make need not be.
export CMAKE_GENERATOR=Ninja

kind='' text='' command='' expected='' commands=0

# matches PRINTED EXPECTED: whether they are the same, but for what "…" stands for.
matches() {
  local rest=$'\n'$1$'\n' expected=$'\n'$2$'\n' part anchor=''
  while [[ $expected == *$'\n…\n'* ]]; do
    part=${expected%%$'\n…\n'*}$'\n'
    # shellcheck disable=SC2053 # the anchor is a pattern
    [[ $rest == $anchor"$part"* ]] || return 1
    rest=$'\n'${rest#*"$part"}
    expected=$'\n'${expected#*$'\n…\n'}
    anchor='*'
  done
  [[ $expected == $'\n' || $expected == $'\n\n' ]] && return
  # shellcheck disable=SC2053
  [[ $rest == $anchor"$expected" ]]
}

compare() {
  [[ -n $command ]] || return 0
  local printed
  printed=$(bash -c "$command" 2>&1) || true
  # Empty lines at the end are for the eye.
  expected=$(printf '%s' "$expected")
  if ! matches "$printed" "$expected"; then
    printf 'The page says that\n  %s\nprints\n%s\nbut it prints\n%s\n' "$command" "$expected" "$printed"
    exit 1
  fi
  commands=$((commands + 1))
  command='' expected=''
}

save() {
  local first=${text%%$'\n'*}
  [[ $first =~ ^'# '([a-z0-9-]+\.yaml)$ ]] || return 0
  printf '%s' "$text" >"${BASH_REMATCH[1]}"
}

while IFS= read -r line; do
  case $kind:$line in
    ':```sh' | ':```console' | ':```yaml')
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
    'yaml:```')
      save
      kind=''
      ;;
    'sh:'* | 'yaml:'*)
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
done <"$work/page.md"

if ((commands == 0)); then
  echo "the page holds nothing to follow"
  exit 1
fi
echo "followed $commands commands"
