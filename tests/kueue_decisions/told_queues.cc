#include "kueue_decisions/told_queues.h"

#include <algorithm>
#include <string>
#include <vector>

#include "objects/kube/codec.h"
#include "objects/kube/core/namespace.h"

namespace loadline::kueue_decisions {
namespace {

using document::Value;

bool is_true(const Value& settings, std::string_view field) {
  const Value* found = settings.find(field);
  return found != nullptr && found->is_boolean() && found->boolean();
}

std::vector<kube::FairSharingStrategy> strategies_of(const Value& settings) {
  const Value* names = settings.find("strategies");
  if (names == nullptr || !names->is_array()) return kube::KueueFairSharing{}.preemption_strategies;
  std::vector<kube::FairSharingStrategy> strategies;
  for (const Value& name : names->array()) {
    strategies.push_back(name == Value("LessThanInitialShare")
                             ? kube::FairSharingStrategy::kLessThanInitialShare
                             : kube::FairSharingStrategy::kLessThanOrEqualToFinalShare);
  }
  return strategies;
}

queue::kueue::Settings settings_of(const Value& settings) {
  queue::kueue::Settings it;
  if (is_true(settings, "fairSharing")) it.fair_sharing = kube::KueueFairSharing{strategies_of(settings)};
  if (is_true(settings, "creationTimestamp")) it.requeuing_timestamp = kube::RequeuingTimestamp::kCreation;
  return it;
}

/// The name behind the last slash; those before it are the kind and the namespace.
struct ObjectKey {
  std::string_view kind, name_space, name;
};

ObjectKey split(std::string_view key) {
  const std::size_t first = std::min(key.find('/'), key.size());
  const std::size_t last = std::max(key.rfind('/'), first);
  if (last == std::string_view::npos || last <= first) return {key.substr(0, first), "", ""};
  return {key.substr(0, first), key.substr(first + 1, last - first - 1), key.substr(last + 1)};
}

}  // namespace

ToldQueues::ToldQueues(const Value& settings, kube::CustomKinds& kinds)
    : kinds_(kinds), scheduler_(tree_, settings_of(settings)) {
  scheduler_.tell_attempts(true);
}

Result<void> ToldQueues::put(const Value& object) {
  const kube::Decoding decoded = kube::decode({{object, "object"}}, {}, kinds_);
  for (const Diagnostic& problem : decoded.diagnostics) {
    if (problem.severity == Severity::kError) return failure(problem.to_string());
  }
  const auto each = [&]<class Kind>(const std::vector<Kind>& objects, auto&& tell) {
    for (const Kind& it : objects) tell(it);
  };
  const auto set = [this](const auto& it) { scheduler_.set(it, now_); };
  each(decoded.objects.of<kube::ResourceFlavor>(), set);
  each(decoded.objects.of<kube::ClusterQueue>(), set);
  each(decoded.objects.of<kube::Cohort>(), set);
  each(decoded.objects.of<kube::AdmissionCheck>(), set);
  each(decoded.objects.of<kube::KueueWorkload>(), set);
  each(decoded.objects.of<kube::LocalQueue>(), [this](const kube::LocalQueue& it) { scheduler_.set(it); });
  each(decoded.objects.of<kube::Namespace>(),
       [this](const kube::Namespace& it) { scheduler_.set_namespace(it.metadata.name, it.metadata.labels, now_); });
  return {};
}

Result<void> ToldQueues::remove(std::string_view key) {
  const ObjectKey it = split(key);
  if (it.kind == "Workload") {
    scheduler_.forget(it.name_space, it.name, now_);
  } else if (it.kind == "ClusterQueue") {
    scheduler_.remove_queue(it.name);
  } else if (it.kind == "LocalQueue") {
    scheduler_.remove_local_queue(it.name_space, it.name);
  } else if (it.kind == "Cohort") {
    scheduler_.remove_cohort(it.name, now_);
  } else if (it.kind == "ResourceFlavor") {
    scheduler_.remove_flavor(it.name, now_);
  } else if (it.kind == "AdmissionCheck") {
    scheduler_.remove_check(it.name, now_);
  } else {
    return failure("nothing is known of the kind of " + std::string(key));
  }
  return {};
}

}  // namespace loadline::kueue_decisions
