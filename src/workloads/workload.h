#pragma once

#include <compare>
#include <map>
#include <string>

#include "kube/objects.h"

namespace loadline::workloads {

/// The object a person wrote, under which its pods are shown: "Deployment default/web", or the pod itself.
struct Workload {
  std::string kind;
  std::string namespace_;
  std::string name;

  /// "Deployment default/web".
  [[nodiscard]] std::string to_string() const;
  friend auto operator<=>(const Workload&, const Workload&) = default;
};

/// Follows controller references upward: pod → ReplicaSet → Deployment, pod → Job → CronJob. A controller that is not
/// among the objects, or of a kind that we do not know, is the top. A ReplicaSet whose name says that a Deployment made
/// it
/// (`web-5d4f7c9b8b` with the label pod-template-hash) counts as that Deployment even if neither was read.
/// Cost: builds an index once; then O(depth × log) per pod.
class Owners {
 public:
  explicit Owners(const kube::Objects& objects);

  [[nodiscard]] Workload owner_of(const kube::Pod& pod) const;

 private:
  struct Parent {
    std::string kind;
    std::string name;
  };
  std::map<Workload, Parent> parents_;  // ReplicaSets and Jobs that something else controls
};

/// For one pod; with many, keep an `Owners`.
[[nodiscard]] Workload owner_of(const kube::Pod& pod, const kube::Objects& objects);

}  // namespace loadline::workloads
