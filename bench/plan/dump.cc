#include "bench/plan/dump.h"

#include <fmt/format.h>

#include <string_view>

#include "foundation/base/contract.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace loadline::bench {
namespace {

constexpr std::string_view kNodeTemplate = R"(
apiVersion: v1
kind: Node
metadata:
  annotations: {node.alpha.kubernetes.io/ttl: "0", volumes.kubernetes.io/controller-managed-attach-detach: "true"}
  creationTimestamp: "2026-03-01T10:00:00Z"
  labels: {kubernetes.io/arch: amd64, kubernetes.io/hostname: node-@, kubernetes.io/os: linux,
    topology.kubernetes.io/region: here, topology.kubernetes.io/zone: here-a}
  name: node-@
  resourceVersion: "@"
  uid: 00000000-0000-0000-0000-@
spec: {podCIDR: 10.0.0.0/24, podCIDRs: [10.0.0.0/24], providerID: "here://@"}
status:
  addresses: [{address: 10.0.0.1, type: InternalIP}, {address: node-@, type: Hostname}]
  allocatable: {cpu: 31850m, ephemeral-storage: "196032864297", hugepages-2Mi: "0", memory: 120472Mi, pods: "110"}
  capacity: {cpu: "32", ephemeral-storage: 212706284Ki, hugepages-2Mi: "0", memory: 130934Mi, pods: "110"}
  conditions:
  - {lastHeartbeatTime: "2026-03-01T11:00:00Z", lastTransitionTime: "2026-03-01T10:00:00Z",
     message: kubelet has sufficient memory available, reason: KubeletHasSufficientMemory, status: "False",
     type: MemoryPressure}
  - {lastHeartbeatTime: "2026-03-01T11:00:00Z", lastTransitionTime: "2026-03-01T10:00:00Z",
     message: kubelet is posting ready status, reason: KubeletReady, status: "True", type: Ready}
  daemonEndpoints: {kubeletEndpoint: {Port: 10250}}
  images:
  - {names: ["registry.example.com/a@sha256:0123456789abcdef", "registry.example.com/a:v1"], sizeBytes: 123456789}
  - {names: ["registry.example.com/b@sha256:0123456789abcdef", "registry.example.com/b:v1"], sizeBytes: 234567891}
  nodeInfo: {architecture: amd64, bootID: "@", containerRuntimeVersion: "containerd://1.7.22", kernelVersion: 6.1.109,
    kubeProxyVersion: v1.36.1, kubeletVersion: v1.36.1, machineID: "@", operatingSystem: linux, osImage: Linux,
    systemUUID: "@"}
)";

constexpr std::string_view kPodTemplate = R"(
apiVersion: v1
kind: Pod
metadata:
  annotations: {prometheus.io/port: "9090", prometheus.io/scrape: "true"}
  creationTimestamp: "2026-03-01T10:00:00Z"
  generateName: service-5d4f7c9b8b-
  labels: {app.kubernetes.io/instance: service, app.kubernetes.io/name: service, pod-template-hash: 5d4f7c9b8b}
  name: service-5d4f7c9b8b-@
  namespace: default
  ownerReferences:
  - {apiVersion: apps/v1, blockOwnerDeletion: true, controller: true, kind: ReplicaSet, name: service-5d4f7c9b8b,
     uid: 11111111-0000-0000-0000-000000000000}
  resourceVersion: "@"
  uid: 22222222-0000-0000-0000-@
spec:
  containers:
  - env: [{name: POD_NAME, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.name}}}]
    image: registry.example.com/a:v1
    imagePullPolicy: IfNotPresent
    name: main
    ports: [{containerPort: 8080, name: http, protocol: TCP}]
    resources: {limits: {cpu: "2", memory: 4Gi}, requests: {cpu: 500m, memory: 2Gi}}
    terminationMessagePath: /dev/termination-log
    terminationMessagePolicy: File
    volumeMounts: [{mountPath: /var/run/secrets/kubernetes.io/serviceaccount, name: kube-api-access-@, readOnly: true}]
  dnsPolicy: ClusterFirst
  enableServiceLinks: true
  nodeName: node-%
  preemptionPolicy: PreemptLowerPriority
  priority: 0
  restartPolicy: Always
  schedulerName: default-scheduler
  securityContext: {}
  serviceAccount: default
  serviceAccountName: default
  terminationGracePeriodSeconds: 30
  tolerations:
  - {effect: NoExecute, key: node.kubernetes.io/not-ready, operator: Exists, tolerationSeconds: 300}
  - {effect: NoExecute, key: node.kubernetes.io/unreachable, operator: Exists, tolerationSeconds: 300}
  volumes:
  - name: kube-api-access-@
    projected:
      defaultMode: 420
      sources:
      - serviceAccountToken: {expirationSeconds: 3607, path: token}
      - configMap: {items: [{key: ca.crt, path: ca.crt}], name: kube-root-ca.crt}
status:
  conditions:
  - {lastProbeTime: null, lastTransitionTime: "2026-03-01T10:00:05Z", status: "True", type: Initialized}
  - {lastProbeTime: null, lastTransitionTime: "2026-03-01T10:00:05Z", status: "True", type: Ready}
  - {lastProbeTime: null, lastTransitionTime: "2026-03-01T10:00:00Z", status: "True", type: PodScheduled}
  containerStatuses:
  - containerID: containerd://0123456789abcdef
    image: registry.example.com/a:v1
    imageID: registry.example.com/a@sha256:0123456789abcdef
    lastState: {}
    name: main
    ready: true
    restartCount: 0
    started: true
    state: {running: {startedAt: "2026-03-01T10:00:05Z"}}
  hostIP: 10.0.0.1
  phase: Running
  podIP: 10.1.0.1
  podIPs: [{ip: 10.1.0.1}]
  qosClass: Burstable
  startTime: "2026-03-01T10:00:00Z"
)";

std::string json_of(std::string_view yaml) {
  const document::Reading reading = document::read(yaml, "template");
  REQUIRES(reading.documents.size() == 1 && reading.problems.empty());
  return document::write_json(reading.documents.front(), document::JsonStyle::kIndented);
}

/// Adds the template's text with `number` for each `@`, and `node` for each `%`, indented as an item of a list.
void append_item(std::string& text, std::string_view item, std::size_t number, std::size_t node) {
  text += text.ends_with('[') ? "\n        " : ",\n        ";
  for (const char c : item) {
    if (c == '@') {
      text += fmt::format("{:012}", number);
    } else if (c == '%') {
      text += fmt::format("{:012}", node);
    } else {
      text += c;
      if (c == '\n') text += "        ";
    }
  }
}

}  // namespace

std::string dump_text(std::size_t nodes, std::size_t pods) {
  REQUIRES(nodes > 0);
  std::string text = "{\n    \"apiVersion\": \"v1\",\n    \"items\": [";
  const std::string node = json_of(kNodeTemplate);
  const std::string pod = json_of(kPodTemplate);
  for (std::size_t i = 0; i < nodes; ++i) append_item(text, node, i, i);
  for (std::size_t i = 0; i < pods; ++i) append_item(text, pod, i, i % nodes);
  return text + "\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n";
}

}  // namespace loadline::bench
