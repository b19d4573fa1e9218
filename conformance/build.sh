#!/usr/bin/env bash
# Builds what the proofs of the API server need, into build/conformance/: all of it, or what is named.
#   proof        the harness itself
#   kubernetes   etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl 1.36, one program
#   kubectl-1.20 Debian's, unpacked and not installed: its files are in the way of other packages' (Debian 12 has 1.20)
#   kubectl-1.32 from its published module
#   helm, prometheus, node   clients
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly out=$PWD/../build/conformance
readonly version=k8s.io/component-base/version
mkdir -p "$out"

# build_go FOLDER NAME [ARGUMENT...]
build_go() {
  local folder=$1 name=$2
  shift 2
  go -C "$folder" build -o "$out/$name" "$@"
}

# stamp MAJOR.MINOR.PATCH: flags that make a program say its version.
stamp() {
  local major minor
  IFS=. read -r major minor _ <<<"$1"
  echo "-s -w -X $version.gitVersion=v$1 -X $version.gitMajor=$major -X $version.gitMinor=$minor -X $version.gitTreeState=clean"
}

build_kubectl_debian() {
  local folder=$out/kubectl-1.20
  [[ ! -x $folder/usr/bin/kubectl ]] || return 0
  # Not through a pipe: grep -q ends it early, and pipefail takes that for a failure.
  if [[ $(apt-cache policy kubernetes-client 2>/dev/null) != *1.20.* ]]; then
    echo "no package kubernetes-client 1.20 here: left out" >&2
    return 0
  fi
  mkdir -p "$folder"
  (cd "$folder" && apt-get download -q kubernetes-client && dpkg-deb -x kubernetes-client_*.deb .) >&2
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
    kubectl-1.20) build_kubectl_debian ;;
    kubectl-1.32) build_go kubectl132 kubectl-1.32 -ldflags "$(stamp 1.32.13)" . ;;
    helm) build_go helm helm -ldflags "-s -w" helm.sh/helm/v4/cmd/helm ;;
    prometheus) build_go prometheus prometheus -ldflags "-s -w" . ;;
    node) build_node ;;
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
