#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "command/up.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"

namespace loadline::command {

/// `loadline up` of this build.
class Server : public UpProcess {
 public:
  Server(const Folder& folder, const std::string& name, const std::vector<std::string>& more)
      : UpProcess(LOADLINE_PROGRAM, folder, name, more) {}
};

/// What a command printed, if it is one document; else null.
inline document::Value json(const std::string& text) {
  const document::Reading reading = document::read_json(text, "output");
  return reading.documents.size() == 1 ? reading.documents.front() : document::Value();
}

/// The server's objects of that kind, as a snapshot has them.
inline std::vector<document::Value> saved(const Server& server, std::string_view kind) {
  const Ending snapshot = server.run({"snapshot", "save", "-"});
  EXPECT_EQ(snapshot.status, 0) << snapshot.text();
  const document::Reading reading = document::read_yaml(snapshot.out, "snapshot");
  std::vector<document::Value> objects;
  if (reading.documents.empty()) return objects;
  for (const document::Value& object : reading.documents.front().find("items")->array()) {
    if (document::text_at(object, {"kind"}) == kind) objects.push_back(object);
  }
  return objects;
}

/// A cluster as kind describes it: two nodes, one of them with eight GPUs.
inline constexpr const char* kKindCluster = R"(kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
name: ml
nodes:
- role: control-plane
- role: worker
  labels: {loadline.dev/capacity.nvidia.com__gpu: "8"}
)";

/// A Deployment that fits there, a Job that does not, and objects that nothing acts on.
inline constexpr const char* kWork = R"(apiVersion: v1
kind: Namespace
metadata: {name: team}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: serve, namespace: team}
spec:
  replicas: 2
  selector: {matchLabels: {app: serve}}
  template:
    metadata: {labels: {app: serve}}
    spec:
      containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: "3"}}}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: team}
spec:
  template:
    metadata: {annotations: {loadline.dev/run-time: 1h}}
    spec:
      restartPolicy: Never
      containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: "9"}}}]
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: serve, namespace: team}
spec: {maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: serve}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-latest}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]
  validations: [{expression: "false"}]
)";

}  // namespace loadline::command
