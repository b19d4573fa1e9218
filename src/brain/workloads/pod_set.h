#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/service.h"

namespace loadline::workloads {

/// Pods that a workload makes of one template, however deep its children make them.
struct PodSet {
  const kube::PodTemplateSpec* pod_template = nullptr;
  std::string_view path;     ///< of the template in its object: "spec.template"
  std::int64_t count = 0;    ///< how many run at once when nothing holds the workload back
  bool is_per_node = false;  ///< as many as there are nodes that want one, and `count` is 0
};
using PodSets = std::vector<PodSet>;

[[nodiscard]] PodSets pod_sets(const kube::Deployment& deployment);
[[nodiscard]] PodSets pod_sets(const kube::ReplicaSet& set);
[[nodiscard]] PodSets pod_sets(const kube::ReplicationController& controller);
[[nodiscard]] PodSets pod_sets(const kube::StatefulSet& set);
[[nodiscard]] PodSets pod_sets(const kube::DaemonSet& set);
[[nodiscard]] PodSets pod_sets(const kube::Job& job);
[[nodiscard]] PodSets pod_sets(const kube::CronJob& cron_job);

/// The template of a workload that has one.
template <class Kind>
[[nodiscard]] auto& template_in(Kind& object) {
  if constexpr (requires { object.template_; }) {
    return object.template_;
  } else if constexpr (requires { object.spec.template_; }) {
    return object.spec.template_;
  } else {
    return object.job_spec.template_;
  }
}

/// Whether the workload is told to have no pods for now.
template <class Kind>
[[nodiscard]] bool is_suspended(const Kind& object) {
  if constexpr (requires { object.spec.suspend; }) {
    return object.spec.suspend;
  } else if constexpr (requires { object.suspend; }) {
    return object.suspend;
  } else {
    return false;
  }
}

}  // namespace loadline::workloads
