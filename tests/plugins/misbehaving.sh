#!/usr/bin/env bash
# misbehaving.sh LOADLINE PLUGIN: plans a small cluster with the plugin Moody (src/hosts/extension/testing/moody.c), which does
# what a pod's annotation tells it to, and checks what the command says of it, and its exit status.
set -euo pipefail

readonly loadline=$1 plugin=$2
work=$(mktemp -d)
readonly work
trap 'rm -rf "$work"' EXIT
cd "$work"

# input NAME: two nodes, and the pods "first", "odd" with the mood in question, and "last".
input() {
  local name
  for name in a b; do
    printf -- '---\napiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {score: "%d"}}\n' "$name" "${#name}"
    printf 'status: {allocatable: {cpu: "9", memory: 9Gi, pods: "9"}}\n'
  done
  for name in first odd last; do
    printf -- '---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: %s\n' "$name"
    [[ $name == odd ]] && printf '  annotations: {mood: "%s"}\n' "$1"
    printf 'spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}\n'
  done
  printf -- '---\napiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n'
  printf 'profiles: [{plugins: {score: {enabled: [{name: Moody, weight: 2}]}}}]\n'
}

fail() {
  printf '%s\n--- standard output\n%s\n--- standard error\n%s\n' "$1" "$(<out)" "$(<err)"
  exit 1
}

# expect STATUS TEXT...: the last run ended so, and said each text on standard output or standard error.
expect() {
  [[ $status == "$1" ]] || fail "status $status, not $1"
  shift
  local text
  for text in "$@"; do
    grep -qF -- "$text" out err || fail "does not say: $text"
  done
}

plan() {
  status=0
  "$loadline" plan -f - -o csv "$@" >out 2>err || status=$?
}

planned() {
  input "$1" | plan --plugin "$plugin" --plugin-timeout 2s --trust-input-configuration
}

# In a pipeline, plan runs in a shell of its own: so let it not.
shopt -s lastpipe

planned calm
expect 0 'default,first,Pod,first,Placed' 'default,odd,Pod,odd,Placed' 'default,last,Pod,last,Placed'
grep -q moody out && fail 'what the plugin prints spoils the output'

planned segv
expect 1 'default,first,Pod,first,Placed' \
  'error: plugin "Moody": it crashed with signal 11 (Segmentation fault) while it scored pod default/odd' \
  'plugin ""Moody"" failed with: not asked any more, since it crashed with signal 11 (Segmentation fault)'

planned hang
expect 1 'default,first,Pod,first,Placed' \
  'error: plugin "Moody": it did not answer within 2s while it scored pod default/odd'

planned 'score 101'
expect 1 'default,last,Pod,last,Placed' \
  'plugin ""Moody"" returns an invalid score 101, it should in the range of [0, 100] after normalizing'
grep -q '^error' err && fail 'a bad score is the end of nothing'

planned refuse
expect 1 'default,last,Pod,last,Placed' 'plugin ""Moody"" failed with: odd has a bad mood'

input calm | plan --plugin "$plugin"
expect 2 'plugin "Moody" is run for a configuration that --config names only' '--trust-input-configuration' \
  'nothing was planned'

input calm | plan
expect 2 'profiles[0].plugins.score.enabled[0].name: plugin "Moody" is not built in and no --plugin provides it'

input calm | plan --plugin ./missing.so
expect 2 'error: plugin ./missing.so: there is no such file' 'nothing was planned'

input calm | plan --plugin "$plugin" --plugin "$plugin"
expect 2 "error: plugin $plugin: another --plugin calls itself \"Moody\" too"

input calm | plan --plugin "$plugin" --plugin-timeout soon
expect 2 'error: --plugin-timeout: time: invalid duration "soon"'

input calm | plan --plugin "$plugin" --plugin-timeout 100h
expect 2 'error: --plugin-timeout: must be 1ms to 24h'
