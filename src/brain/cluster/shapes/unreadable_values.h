#pragma once

#include <string>
#include <vector>

#include "objects/kube/meta.h"

namespace loadline::cluster {

/// An annotation or a label that scheduling reads, with a value that it cannot make sense of.
struct UnreadableValue {
  std::string field;    ///< below the metadata: "annotations[loadline.dev/expected-duration]"
  std::string message;  ///< what is wrong with it, what that comes to, and what was expected
};

/// Of what a pod, or a workload that ends, says of its run: loadline.dev/expected-duration, last-checkpoint,
/// checkpoint-interval and minimum-run-time, kueue.x-k8s.io/estimated-duration and max-exec-time-seconds. What cannot
/// be read counts as absent.
std::vector<UnreadableValue> unreadable_run_values(const kube::ObjectMeta& metadata);

/// Of what a pod asks for its group by the annotations kueue.x-k8s.io/podset-*-topology and podset-slice-size: see
/// topology_wish(). Source of what is expected: Kueue v0.19, pkg/controller/jobframework/tas_validation.go.
std::vector<UnreadableValue> unreadable_topology_values(const kube::ObjectMeta& pod);

}  // namespace loadline::cluster
