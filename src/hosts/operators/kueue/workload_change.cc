#include "hosts/operators/kueue/workload_change.h"

#include <algorithm>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/controllers/workload_conditions.h"
#include "hosts/operators/custom_finalizers.h"
#include "objects/kube/condition.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/workload_conditions.h"

namespace loadline::operators::kueue {
namespace {

using document::Value;

std::string cut(std::string message, std::size_t most) {
  constexpr std::string_view kMore = " ...";
  if (message.size() <= most) return message;
  message.resize(most - kMore.size());
  return message.append(kMore);
}

kube::MetaCondition condition_of(const kube::KueueWorkload& workload, std::string_view type, bool value,
                                 std::string_view reason, std::string message, Instant now) {
  constexpr std::size_t kMostOfCondition = 32 * 1024;
  return {std::string(type),
          value ? "True" : "False",
          workload.metadata.generation,
          controllers::whole_seconds(now),
          std::string(reason),
          cut(std::move(message), kMostOfCondition)};
}

bool are_same(const std::vector<kube::ReclaimablePods>& a, const std::vector<kube::ReclaimablePods>& b) {
  return a.size() == b.size() && std::ranges::all_of(a, [&](const kube::ReclaimablePods& each) {
           return std::ranges::any_of(b, [&](const kube::ReclaimablePods& other) {
             return each.name == other.name && each.count == other.count;
           });
         });
}

}  // namespace

void finish(kube::KueueWorkload& workload, std::string_view reason, std::string message, Instant now) {
  kube::set_condition(workload, condition_of(workload, "Finished", true, reason, std::move(message), now));
}

void set_pods_ready(kube::KueueWorkload& workload, bool are_ready, std::string_view reason, std::string_view message,
                    Instant now) {
  const kube::MetaCondition* known = kube::find_condition(workload.status.conditions, "PodsReady");
  if (known != nullptr && known->reason == reason && (known->status == "True") == are_ready) return;
  kube::set_condition(workload, condition_of(workload, "PodsReady", are_ready, reason, std::string(message), now));
}

void set_reclaimable(kube::KueueWorkload& workload, std::vector<kube::ReclaimablePods> pods) {
  for (kube::ReclaimablePods& each : pods) {
    for (const kube::PodSet& set : workload.pod_sets) {
      if (set.name == each.name) each.count = std::min(each.count, set.count);
    }
  }
  if (!are_same(pods, workload.status.reclaimable_pods)) workload.status.reclaimable_pods = std::move(pods);
}

std::optional<watching::Action> status_patch(const WorkloadObject& before, const kube::KueueWorkload& after) {
  Value changes = kube::status_changes(before.view, after);
  if (changes.object().empty()) return std::nullopt;
  const Value patch = document::with_at(Value().with("status", std::move(changes)), {"metadata", "resourceVersion"},
                                        Value(document::text_at(before.document, {"metadata", "resourceVersion"})));
  return watching::patch(watching::kind_name<kube::KueueWorkload>(), before.key(), kube::PatchType::kMerge, patch,
                         "status");
}

std::optional<watching::Action> finalizer_removal(const WorkloadObject& workload) {
  if (!controllers::has_finalizer(workload.metadata(), kube::kResourceInUse)) return std::nullopt;
  return watching::update(watching::kind_name<kube::KueueWorkload>(), workload.key(),
                          without_finalizer(workload.document, kube::kResourceInUse));
}

std::string short_event(std::string message) {
  constexpr std::size_t kMostOfEvent = 1024;
  return cut(std::move(message), kMostOfEvent);
}

}  // namespace loadline::operators::kueue
