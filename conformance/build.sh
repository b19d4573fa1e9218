#!/usr/bin/env bash
# Builds what the proofs of the API server need, into build/conformance/: all of it, or what is named.
#   proof        the harness itself
#   kubernetes   etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl 1.36, one program
#   kubectl-1.20, kubectl-1.32   those of Debian 12 and 13, unpacked and not installed
#   helm, prometheus, node   clients
#   operators    those in operators/*, which only recording needs: not part of all of it; operators/NAME is one of them
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly out=$PWD/../build/conformance
readonly version=k8s.io/component-base/version
mkdir -p "$out"

# build_go FOLDER NAME [ARGUMENT...]
build_go() {
  local folder=$1 name=$2
  shift 2
  mkdir -p "$(dirname "$out/$name")"
  go -C "$folder" build -o "$out/$name" "$@"
}

# stamp MAJOR.MINOR.PATCH: flags that make a program say its version.
stamp() {
  local major minor
  IFS=. read -r major minor _ <<<"$1"
  echo "-s -w -X $version.gitVersion=v$1 -X $version.gitMajor=$major -X $version.gitMinor=$minor -X $version.gitTreeState=clean"
}

# fetch_debian NAME SUITE PACKAGE: unpacks a package of that suite of Debian, whatever suite this machine has, without a
# trace in its package lists. DEBIAN_MIRROR may name another server.
fetch_debian() {
  local folder=$out/$1 suite=$2 package=$3 options option
  [[ ! -x $folder/usr/bin/kubectl ]] || return 0
  local keys=/usr/share/keyrings/debian-archive-keyring.gpg
  if ! command -v apt-get >/dev/null || [[ ! -e $keys ]]; then
    echo "no apt-get or no keys of Debian here: $1 is left out" >&2
    return 0
  fi
  mkdir -p "$folder"/apt/{lists,archives}/partial
  echo "deb [signed-by=$keys] ${DEBIAN_MIRROR-http://deb.debian.org/debian} $suite main" >"$folder/apt/sources.list"
  : >"$folder/apt/status"
  options=(-q)
  for option in Dir::Etc::SourceList="$folder/apt/sources.list" Dir::Etc::SourceParts=/dev/null Dir::Etc::Preferences=/dev/null \
    Dir::Etc::PreferencesParts=/dev/null Dir::State::Lists="$folder/apt/lists" Dir::State::Status="$folder/apt/status" \
    Dir::Cache="$folder/apt" APT::Sandbox::User= Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
    Acquire::IndexTargets::deb::Translations::DefaultEnabled=false; do
    options+=(-o "$option")
  done
  if ! (apt-get "${options[@]}" update && cd "$folder" && apt-get "${options[@]}" download "$package/$suite" &&
    dpkg-deb -x "$package"_*.deb . && rm -r apt "$package"_*.deb) >&2; then
    echo "$package of Debian's $suite cannot be had: $1 is left out" >&2
  fi
}

build_node() {
  if ! command -v npm >/dev/null; then
    echo "no npm here: left out" >&2
    return 0
  fi
  (cd clients/node && npm ci --no-audit --no-fund) >&2
}

build_one() {
  case $1 in
    proof) build_go . proof ./proof ;;
    kubernetes) build_go kubernetes kubernetes -ldflags "$(stamp 1.36.3)" . ;;
    kubectl-1.20) fetch_debian kubectl-1.20 bookworm kubernetes-client ;;
    kubectl-1.32) fetch_debian kubectl-1.32 trixie kubectl ;;
    helm) build_go helm helm -ldflags "-s -w" helm.sh/helm/v4/cmd/helm ;;
    prometheus) build_go prometheus prometheus -ldflags "-s -w" . ;;
    node) build_node ;;
    operators) for module in operators/*/go.mod; do build_one "$(dirname "$module")"; done ;;
    operators/*) build_go "$1" "$1" -ldflags "-s -w" . ;;
    *)
      echo "build.sh: nothing is called $1" >&2
      exit 2
      ;;
  esac
}

[[ $# -gt 0 ]] || set -- proof kubernetes kubectl-1.20 kubectl-1.32 helm prometheus node
for part in "$@"; do
  build_one "$part"
done
