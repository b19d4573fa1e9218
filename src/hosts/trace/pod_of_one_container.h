#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "objects/kube/core/pod.h"

namespace loadline::trace {

/// What the GPUs of a row are.
inline constexpr std::string_view kGpuResource = "nvidia.com/gpu";

/// What a row of a trace says of pods: of one container, `task`, and nothing but these.
struct PodOfOneContainer {
  /// cpu and memory as requests, extended resources as limits, which are their requests, too.
  kube::ResourceList resources;
  kube::StringMap node_selector;
  /// A node label and the values that it may have, as a required node affinity; empty values: any.
  std::string affinity_key;
  std::vector<std::string> affinity_values;
  std::vector<kube::Toleration> tolerations;
  std::optional<std::int32_t> priority;
  std::string priority_class;
  kube::RestartPolicy restart_policy = kube::RestartPolicy::kNever;

  friend auto operator<=>(const PodOfOneContainer&, const PodOfOneContainer&) = default;
};

/// Pods of rows: equal rows get the same pod, and pods that differ in their namespace alone the same spec.
class PodsOfOneContainer {
 public:
  /// Defaulted and made ready as an API server would on creation; without a name.
  std::shared_ptr<const kube::Pod> pod(const PodOfOneContainer& row, const std::string& tenant);

 private:
  std::map<PodOfOneContainer, std::shared_ptr<const kube::PodSpec>> specs_;
  std::map<std::pair<const kube::PodSpec*, std::string>, std::shared_ptr<const kube::Pod>> pods_;
};

/// The row that makes the pod; nothing if no row does, for the pod says more.
std::optional<PodOfOneContainer> row_of(const kube::Pod& pod);

}  // namespace loadline::trace
