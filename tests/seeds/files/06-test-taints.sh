#!/bin/sh
# A tainted node takes the pod that tolerates the taint, and no other.
set -e
kubectl taint nodes gpu-t4-1 reserved=serving:NoSchedule --overwrite >/dev/null
kubectl apply -f 06-taints-tolerations-dedicated-nodes.yaml >/dev/null
kubectl wait --for=condition=Ready pod/tolerating --timeout=20s >/dev/null
kubectl wait --for=condition=PodScheduled=False pod/plain --timeout=20s >/dev/null
echo "tolerating runs on $(kubectl get pod tolerating -o jsonpath='{.spec.nodeName}'), plain waits"
