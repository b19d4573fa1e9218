#include "hosts/simulator/lost_pods.h"

#include <fmt/format.h>

#include "objects/kube/defaults.h"

namespace loadline::simulator {

LostPods::LostPods(const kube::Objects& objects, const kube::Objects& made, SimulatedPods& pods, std::uint64_t seed,
                   std::uint64_t replacements)
    : objects_(objects), made_(made), pods_(pods), seed_(seed), replacements_(replacements) {}

const workloads::Replacements& LostPods::controllers() {
  if (!controllers_) controllers_.emplace(objects_, made_, seed_);
  return *controllers_;
}

bool LostPods::follows_at_once(const kube::Pod& leaving) { return controllers().follows_at_once(leaving); }

/// Those that its controllers still count. A ReplicaSet or Job does not count a pod that is being deleted; others wait
/// until it is gone. One that the plan has given up replacing is not made again with the next one.
std::vector<const kube::Pod*> LostPods::siblings_of(std::size_t lost) {
  std::vector<const kube::Pod*> siblings;
  const bool ignores_leaving = follows_at_once(pods_[lost].pod);
  for (const std::size_t other : pods_.of_workload(pods_[lost].workload)) {
    const SimulatedPod& sibling = pods_[other];
    const bool has_left = sibling.outcome == PodOutcome::kPreempted || sibling.outcome == PodOutcome::kEvicted;
    const bool counts = !has_left || sibling.is_given_up || (!ignores_leaving && !sibling.is_gone);
    if (other != lost && counts) siblings.push_back(&sibling.pod);
  }
  return siblings;
}

std::optional<workloads::Replacement> LostPods::replacement_of(std::size_t lost,
                                                               std::vector<const kube::Pod*> waiting) {
  const std::uint64_t number = ++replacements_;
  if (!workloads::Replacements::may_follow(pods_[lost].pod)) return std::nullopt;
  std::vector<const kube::Pod*> siblings = siblings_of(lost);
  siblings.insert(siblings.end(), waiting.begin(), waiting.end());
  std::optional<workloads::Replacement> next =
      controllers().replace(pods_[lost].pod, pods_[lost].workload, std::move(siblings), number);
  if (!next) return std::nullopt;
  defaults_.set(next->pod);
  kube::prepare_for_create(next->pod);
  return next;
}

std::optional<Diagnostic> LostPods::exceeded_backoff(std::size_t lost) {
  const kube::ObjectMeta& metadata = pods_[lost].pod.metadata;
  const std::optional<std::int64_t> left = controllers().losses_left(pods_[lost].pod);
  if (!left) return std::nullopt;
  const std::int64_t losses = ++losses_[{metadata.namespace_, metadata.controller()->name}];
  if (losses != *left + 1 || *left < 0) return std::nullopt;
  return Diagnostic{.severity = Severity::kWarning,
                    .at = {},
                    .subject = fmt::format("Job {}/{}", metadata.namespace_, metadata.controller()->name),
                    .path = "spec.backoffLimit",
                    .message = "more pods are lost than it allows: a cluster would end the Job, and replace none",
                    .hint = "have podFailurePolicy ignore the condition DisruptionTarget, or raise the limit"};
}

}  // namespace loadline::simulator
