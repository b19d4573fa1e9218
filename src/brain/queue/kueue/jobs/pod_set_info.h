#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/kueue/resource_flavor.h"
#include "objects/kube/kueue/workload.h"

namespace loadline::queue::kueue {

/// What the pods of a set get when their workload starts.
struct PodSetInfo {
  std::string name;
  std::int32_t count = 0;  ///< with how many it starts
  kube::StringMap labels;
  kube::StringMap annotations;
  kube::StringMap node_selector;
  std::vector<kube::Toleration> tolerations;
};

/// Null: there is no flavor of that name.
using FindFlavor = std::function<const kube::ResourceFlavor*(std::string_view name)>;

/// By pod set: node labels and tolerations of the flavors that it was given, what checks change, and labels that tell
/// of set and queues. Errors: a flavor that is gone; checks that contradict it or each other.
/// REQUIRES: the workload has an admission, with an assignment for each of its sets.
/// Source: Kueue v0.19.2, getPodSetsInfoFromStatus in pkg/controller/jobframework/reconciler.go, pkg/podset.
[[nodiscard]] Result<std::vector<PodSetInfo>> pod_set_infos(const kube::KueueWorkload& workload,
                                                            const FindFlavor& find_flavor);

/// The template as pods of the set are made of it once the workload has started. Errors: it contradicts the info.
[[nodiscard]] Result<kube::PodTemplateSpec> merged(kube::PodTemplateSpec pod_template, const PodSetInfo& info);

/// The template as it was before: what merged() changes is as the set of the Workload has it.
[[nodiscard]] kube::PodTemplateSpec restored(kube::PodTemplateSpec pod_template, const kube::PodSet& set);

}  // namespace loadline::queue::kueue
