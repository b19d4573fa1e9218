#pragma once

#include <string>
#include <utility>
#include <vector>

#include "brain/workloads/expansion.h"
#include "brain/workloads/pod_set.h"

namespace loadline::workloads::testing {

/// An object "default/<name>" with one container, as defaulting would leave it.
template <class Kind>
Kind workload(std::string name) {
  Kind result;
  result.metadata.name = name;
  result.metadata.namespace_ = "default";
  kube::PodTemplateSpec& pod_template = template_in(result);
  pod_template.metadata.labels = {{"app", std::move(name)}};
  auto spec = std::make_shared<kube::PodSpec>();
  spec->containers.resize(1);
  spec->containers[0].name = "app";
  pod_template.spec = std::move(spec);
  return result;
}

/// A running pod that `kind/owner` controls.
inline kube::Pod owned_pod(std::string name, std::string kind, std::string owner) {
  kube::Pod pod;
  pod.metadata.name = std::move(name);
  pod.metadata.namespace_ = "default";
  pod.metadata.uid = "uid-" + pod.metadata.name;
  pod.metadata.owner_references = {{"", std::move(kind), std::move(owner), "", true}};
  pod.status.phase = kube::PodPhase::kRunning;
  return pod;
}

inline std::vector<std::string> names(const Expansion& expansion) {
  std::vector<std::string> result;
  for (const CreatedPod& created : expansion.pods) result.push_back(created.pod.metadata.name);
  return result;
}

inline constexpr Instant kNow{1'767'225'600'000'000'000};  // 2026-01-01T00:00:00Z, a Thursday
inline constexpr std::uint64_t kSeed = 1;

}  // namespace loadline::workloads::testing
