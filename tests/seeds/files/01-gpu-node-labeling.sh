#!/bin/sh
set -e
for node in node-1 node-2 node-3; do
  kubectl label node "$node" accelerator=h100 fabric=nvlink --overwrite
done
kubectl label node gpu-t4-1 accelerator=t4 fabric=pcie --overwrite
kubectl get nodes -l accelerator=t4 -o name
