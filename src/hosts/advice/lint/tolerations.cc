#include "hosts/advice/lint/tolerations.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "foundation/base/text.h"
#include "hosts/advice/lint/pod_fields.h"
#include "hosts/advice/lint/wording.h"
#include "hosts/advice/taints.h"
#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/schema.h"

namespace loadline::advice::lint {
namespace {

/// The taints of all nodes, cordons and passing states included.
std::vector<kube::Taint> all_taints(const LintInput& input) {
  std::set<kube::Taint> taints;
  for (const kube::Node& node : input.objects().of<kube::Node>()) {
    for (kube::Taint taint : node.taints) {
      taint.time_added.reset();
      taints.insert(std::move(taint));
    }
  }
  return {taints.begin(), taints.end()};
}

/// Why the toleration misses taints that it is nearly for, and what to write; empty: it is not near to any.
struct NearMiss {
  std::string field;
  std::string hint;
};

NearMiss near_miss(const kube::Toleration& toleration, const std::vector<kube::Taint>& taints) {
  std::vector<std::string> keys;
  std::vector<std::string> values;
  const kube::Taint* other_effect = nullptr;
  for (const kube::Taint& taint : taints) {
    keys.push_back(taint.key);
    if (taint.key != toleration.key) continue;
    values.push_back(taint.value);
    kube::Toleration any_effect = toleration;
    any_effect.effect = kube::TaintEffect::kNone;
    if (covers(any_effect, taint)) other_effect = &taint;
  }
  if (other_effect != nullptr) {
    return {"effect", fmt::format("the taint {} has effect {}", toleration.key, kube::name_of(other_effect->effect))};
  }
  if (!values.empty()) {
    const std::string meant = nearest(toleration.value, values);
    return meant.empty() ? NearMiss{} : NearMiss{"value", fmt::format("did you mean \"{}\"?", meant)};
  }
  const std::string meant = nearest(toleration.key, keys);
  return meant.empty() ? NearMiss{} : NearMiss{"key", fmt::format("did you mean {}?", meant)};
}

bool is_systems(const kube::PodSpec& spec) { return spec.priority_class_name.starts_with("system-"); }

/// Nodes with GPUs that a taint is to keep for the pods that need them.
std::vector<std::size_t> guarded_gpu_nodes(const LintInput& input) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < input.nodes().size(); ++i) {
    const kube::Node& node = input.nodes()[i];
    const bool guarded = std::ranges::any_of(
        node.taints, [](const kube::Taint& taint) { return taint.effect != kube::TaintEffect::kPreferNoSchedule; });
    if (guarded && has_gpus(node)) numbers.push_back(i);
  }
  return numbers;
}

}  // namespace

void check_toleration_spelling(const LintInput& input, Findings& findings) {
  const std::vector<kube::Taint> taints = all_taints(input);
  for (const JudgedWorkload& workload : input.workloads()) {
    const bool reported_otherwise = workload.fit && workload.fit->takers.empty();
    if (!workload.judged || reported_otherwise) continue;
    for (std::size_t i = 0; i < workload.written->tolerations.size(); ++i) {
      const kube::Toleration& toleration = workload.written->tolerations[i];
      if (toleration.key.empty() || toleration.key.starts_with("node.kubernetes.io/")) continue;
      if (std::ranges::any_of(taints, [&](const kube::Taint& taint) { return covers(toleration, taint); })) continue;
      const NearMiss miss = near_miss(toleration, taints);
      if (miss.field.empty()) continue;
      findings.add(workload.subject(), workload.metadata->source,
                   workload.path(fmt::format("tolerations[{}].{}", i, miss.field)),
                   "tolerates no taint of any node, and is nearly one that would", miss.hint);
    }
  }
}

void check_tolerates_everything(const LintInput& input, Findings& findings) {
  const std::vector<std::size_t> guarded = guarded_gpu_nodes(input);
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.fit || workload.daemon || is_systems(*workload.pod.spec)) continue;
    if (!gpus_asked(*workload.pod.spec).empty()) continue;
    const auto& tolerations = workload.written->tolerations;
    const auto every = std::ranges::find_if(tolerations, tolerates_every_key);
    if (every == tolerations.end() || every->effect == kube::TaintEffect::kPreferNoSchedule) continue;
    std::vector<std::string> open;
    for (const std::size_t node : guarded) {
      if (std::ranges::binary_search(workload.fit->takers, node)) open.push_back(input.nodes()[node].metadata.name);
    }
    if (open.empty()) continue;
    findings.add(workload.subject(), workload.metadata->source,
                 workload.path(fmt::format("tolerations[{}]", every - tolerations.begin())),
                 fmt::format("tolerates every taint, so pods that need no GPU may fill {}: {}",
                             counted(open.size(), "GPU node"), listed(open)),
                 "name the keys that it has to tolerate");
  }
}

}  // namespace loadline::advice::lint
