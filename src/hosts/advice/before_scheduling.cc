#include <algorithm>

#include "foundation/base/closest.h"
#include "hosts/advice/fewer_replicas.h"
#include "hosts/advice/higher_classes.h"
#include "hosts/advice/obstacle_edits.h"
#include "hosts/advice/queue_remedies.h"
#include "hosts/advice/untried_remedy.h"
#include "objects/kube/node/runtime_class.h"
#include "objects/kube/pod_resources.h"
#include "objects/kube/resource_names.h"
#include "objects/kube/scheduling/priority_class.h"

namespace loadline::advice {
namespace {

using simulator::PodOutcome;
using simulator::SimulatedPod;

UntriedRemedy all_of(Remedy remedy) {
  UntriedRemedy candidate{std::move(remedy), {}, 0};
  for (const Edit& edit : candidate.remedy) candidate.cost += cost_of(edit);
  return candidate;
}

std::vector<UntriedRemedy> without_gates(const kube::PodSpec& spec) {
  Remedy remedy;
  for (const std::string& gate : spec.scheduling_gates) remedy.push_back(DropGate{gate});
  return {all_of(std::move(remedy))};
}

std::vector<UntriedRemedy> known_schedulers(const simulator::Planning& planning, const std::string& wanted) {
  std::vector<std::string_view> names;
  for (const kube::SchedulerProfile& profile : planning.configuration().profiles)
    names.push_back(profile.scheduler_name);
  std::vector<UntriedRemedy> candidates;
  if (const std::string_view nearest = closest(wanted, names); !nearest.empty()) {
    candidates.push_back(all_of({UseScheduler{std::string(nearest)}}));
  }
  if (candidates.empty() && std::ranges::find(names, "default-scheduler") != names.end()) {
    candidates.push_back(all_of({UseScheduler{"default-scheduler"}}));
  }
  return candidates;
}

std::vector<UntriedRemedy> known_classes(const simulator::Planning& planning, const kube::PodSpec& spec) {
  std::vector<std::string_view> names;
  for (const kube::PriorityClass& each : planning.objects().of<kube::PriorityClass>())
    names.push_back(each.metadata.name);
  if (spec.priority_class_name.empty() || std::ranges::find(names, spec.priority_class_name) != names.end()) return {};
  const std::string_view nearest = closest(spec.priority_class_name, names);
  if (nearest.empty()) return {};
  for (const kube::PriorityClass& each : planning.objects().of<kube::PriorityClass>()) {
    if (each.metadata.name != nearest) continue;
    UntriedRemedy candidate = all_of({UsePriorityClass{each.metadata.name, each.value, each.preemption_policy}});
    candidate.cost = 0.5;
    return {candidate};
  }
  return {};
}

/// The RuntimeClass that the pod names and the input lacks.
std::vector<UntriedRemedy> missing_runtime(const simulator::Planning& planning, const kube::PodSpec& spec) {
  const std::string& name = spec.runtime_class_name;
  const bool is_there = std::ranges::any_of(planning.objects().of<kube::RuntimeClass>(),
                                            [&](const kube::RuntimeClass& each) { return each.metadata.name == name; });
  if (name.empty() || is_there) return {};
  return {all_of({AddRuntimeClass{name}})};
}

/// The name of a request that a quota counts: "requests.nvidia.com/gpu" and "cpu" are the pod's "nvidia.com/gpu",
/// "cpu".
std::string request_name(const std::string& quota_name) {
  return quota_name.starts_with(kube::kRequestsPrefix) ? quota_name.substr(kube::kRequestsPrefix.size()) : quota_name;
}

/// Raises what the refused pods of the workload lack; or has the pod ask for what is left.
std::vector<UntriedRemedy> within_quota(const SimulatedPod& subject, std::size_t refused) {
  const kube::ResourceList requests = kube::pod_requests(*subject.pod.spec, nullptr, {});
  Remedy raise;
  Remedy less;
  for (const admission::Excess& excess : subject.excesses) {
    const kube::Quantity to = excess.used + excess.requested.times(static_cast<std::int64_t>(refused));
    raise.push_back(RaiseQuota{subject.pod.metadata.namespace_, excess.quota, excess.resource, excess.hard, to});
    const std::string resource = request_name(excess.resource);
    const kube::Quantity left = excess.hard - excess.used;
    const auto asked = requests.find(resource);
    const bool enough = asked != requests.end() && left.times(2) >= asked->second;  // less is another pod
    if (enough && left.sign() > 0) less.push_back(RequestLess{resource, asked->second, left});
  }
  std::vector<UntriedRemedy> candidates;
  if (!less.empty() && less.size() == raise.size()) candidates.push_back(all_of(std::move(less)));
  if (!raise.empty()) candidates.push_back(all_of(std::move(raise)));
  return candidates;
}

/// The largest amount that any container may use of the resource.
kube::Quantity largest_limit(const kube::PodSpec& spec, const std::string& resource) {
  kube::Quantity largest;
  for (const std::vector<kube::Container>* containers : {&spec.containers, &spec.init_containers}) {
    for (const kube::Container& container : *containers) {
      for (const kube::ResourceList* list : {&container.resources.limits, &container.resources.requests}) {
        const auto amount = list->find(resource);
        if (amount != list->end()) largest = std::max(largest, amount->second);
      }
    }
  }
  return largest;
}

/// Limits above a LimitRange's maximum, cut down to it. Of a whole pod's maximum no container knows its share.
std::vector<UntriedRemedy> within_limits(const simulator::Planning& planning, const kube::Pod& pod) {
  Remedy remedy;
  for (const kube::LimitRange& range : planning.objects().of<kube::LimitRange>()) {
    if (range.metadata.namespace_ != pod.metadata.namespace_) continue;
    for (const kube::LimitRangeItem& item : range.limits) {
      const bool whole = item.type == kube::LimitType::kPod && pod.spec->containers.size() == 1;
      if (!whole && item.type != kube::LimitType::kContainer) continue;
      for (const auto& [resource, most] : item.max) {
        const kube::Quantity largest = largest_limit(*pod.spec, resource);
        if (largest > most) remedy.push_back(LimitLess{resource, largest, most});
      }
    }
  }
  if (remedy.empty()) return {};
  return {all_of(std::move(remedy))};
}

std::size_t refused_siblings(const simulator::Planning& planning, const Target& target) {
  std::size_t refused = 0;
  for (const SimulatedPod& subject : planning.pods().list()) {
    const bool own = simulator::name_of(subject.workload) == target.workload;
    if (own && subject.outcome == PodOutcome::kRejected) ++refused;
  }
  return refused;
}

}  // namespace

std::vector<UntriedRemedy> candidates_before_scheduling(const simulator::Planning& planning, std::size_t index,
                                                        const Target& target) {
  const SimulatedPod& subject = planning.pods()[index];
  const kube::PodSpec& spec = *subject.pod.spec;
  std::vector<UntriedRemedy> candidates;
  if (subject.outcome == PodOutcome::kGated) candidates = without_gates(spec);
  if (subject.outcome == PodOutcome::kIgnored) candidates = known_schedulers(planning, spec.scheduler_name);
  if (subject.outcome == PodOutcome::kQueued) candidates = queue_remedies(planning, index, target);
  if (subject.outcome == PodOutcome::kRejected) {
    candidates = known_classes(planning, spec);
    for (UntriedRemedy& each : missing_runtime(planning, spec)) candidates.push_back(std::move(each));
    for (UntriedRemedy& each : within_limits(planning, subject.pod)) candidates.push_back(std::move(each));
    const std::size_t refused = refused_siblings(planning, target);
    for (UntriedRemedy& each : within_quota(subject, refused)) candidates.push_back(std::move(each));
    if (std::optional<UntriedRemedy> fewer = fewer_replicas(planning, target)) candidates.push_back(std::move(*fewer));
  }
  if (subject.outcome == PodOutcome::kPreempted && subject.workload.kind == "Pod") {
    candidates = higher_classes(planning.objects(), spec.priority.value_or(0));
  }
  std::ranges::stable_sort(candidates, {}, &UntriedRemedy::cost);
  return candidates;
}

}  // namespace loadline::advice
