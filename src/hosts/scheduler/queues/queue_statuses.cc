#include "hosts/scheduler/queues/queue_statuses.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "brain/queue/kueue/round_objects.h"
#include "brain/queue/kueue/round_text.h"
#include "brain/queue/kueue/share.h"
#include "foundation/document/at.h"
#include "foundation/document/same_document.h"
#include "hosts/watching/identity.h"
#include "objects/kube/condition.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::scheduler::queues {
namespace {

using document::Array;
using document::Object;
using document::Value;
using queue::kueue::Amount;
using queue::kueue::KueueScheduler;

/// Source: UpdatesBatchPeriod, pkg/constants.
constexpr Duration kBatch = Duration::seconds(1);

Value text_of(std::string_view resource, Amount amount) {
  return Value(queue::kueue::quantity_of(resource, amount.value()).to_string());
}

Amount amount_of(const FlavorAmounts& amounts, const std::string& flavor, const std::string& resource) {
  const auto found = amounts.find({flavor, resource});
  return found == amounts.end() ? Amount() : found->second;
}

/// Of each flavor of the queue, in its order, all resources by name. `borrows`: and what of it is above its own quota.
Value usage_of(const kube::ClusterQueue& queue, const FlavorAmounts& amounts, bool tells_borrowed) {
  Array flavors;
  for (const kube::ResourceGroup& group : queue.resource_groups) {
    for (const kube::FlavorQuotas& flavor : group.flavors) {
      std::vector<kube::FlavorQuota> quotas = flavor.resources;
      std::ranges::sort(quotas, {}, &kube::FlavorQuota::resource);
      Array resources;
      for (const kube::FlavorQuota& quota : quotas) {
        const Amount used = amount_of(amounts, flavor.flavor, quota.resource);
        Object resource{{"name", Value(quota.resource), {}}, {"total", text_of(quota.resource, used), {}}};
        if (tells_borrowed) {
          const Amount above = queue.cohort.empty() ? Amount() : used - Amount::of(quota.resource, quota.nominal);
          resource.push_back({"borrowed", text_of(quota.resource, at_least_nothing(above)), {}});
        }
        resources.emplace_back(std::move(resource));
      }
      flavors.emplace_back(Object{{"name", Value(flavor.flavor), {}}, {"resources", Value(std::move(resources)), {}}});
    }
  }
  return Value(std::move(flavors));
}

Value active(bool is_active, std::string_view reason, std::string_view message) {
  return Value(Object{{"type", Value("Active"), {}},
                      {"status", Value(is_active ? "True" : "False"), {}},
                      {"reason", Value(reason), {}},
                      {"message", Value(message), {}}});
}

/// What a share is in a status: the whole number above it.
Value share_status(const KueueScheduler& scheduler, queue::kueue::QuotaNodeId node) {
  if (!scheduler.settings().fair_sharing) return {};
  const double share = share_of(scheduler.quotas(), node).weighted();
  const bool is_infinite = std::isinf(share) || share >= 9.2e18;
  const std::int64_t whole =
      is_infinite ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(std::ceil(share));
  return Value(Object{{"weightedShare", Value(whole), {}}});
}

/// The conditions of the object with this one in its place; null: they are so.
Value with_condition(const Value& object, const Value& condition, std::int64_t generation, Instant now) {
  const Value before = document::value_at(object, {"status", "conditions"});
  Array conditions = before.is_array() ? before.array() : Array{};
  const auto same_type = [&](const Value& each) {
    return document::text_at(each, {"type"}) == document::text_at(condition, {"type"});
  };
  const auto known = std::ranges::find_if(conditions, same_type);
  Value next = condition.with("observedGeneration", Value(generation));
  const bool keeps_time =
      known != conditions.end() && document::text_at(*known, {"status"}) == document::text_at(condition, {"status"});
  next = std::move(next).with("lastTransitionTime", keeps_time ? document::value_at(*known, {"lastTransitionTime"})
                                                               : Value(format_rfc3339(now)));
  if (known == conditions.end()) {
    conditions.push_back(std::move(next));
  } else {
    const bool is_same = std::ranges::all_of(next.object(), [&](const document::Member& member) {
      const Value* there = known->find(member.key);
      return there != nullptr && *there == member.value;
    });
    if (is_same) return {};
    *known = std::move(next);
  }
  return Value(std::move(conditions));
}

/// Composes the write of a queue's status.
template <class Kind>
auto say_status(const watching::Caches& caches, const EventLoop& loop) {
  return [&caches, &loop](const watching::ObjectKey& key, const QueueStatus& wanted) -> std::vector<watching::Action> {
    const auto object = caches.of<Kind>().find(key);
    if (object == nullptr) return {};
    Object changes;
    for (const document::Member& member : wanted.members.object()) {
      const Value* there = document::find_at(object->document, {"status", member.key});
      const bool is_same = there == nullptr ? member.value.is_null() : document::same_document(*there, member.value);
      if (!is_same) changes.push_back(member);
    }
    if (!wanted.condition.is_null()) {
      Value conditions = with_condition(object->document, wanted.condition, object->metadata().generation, loop.now());
      if (!conditions.is_null()) changes.push_back({"conditions", std::move(conditions), {}});
    }
    if (changes.empty()) return {};
    return {watching::patch(
        watching::kind_name<Kind>(), key, kube::PatchType::kMerge,
        Value(Object{{"metadata", Value(watching::identity(*object)), {}}, {"status", Value(std::move(changes)), {}}}),
        "status")};
  };
}

Object counts(std::int64_t pending, const QueueSums& sums) {
  return {{"pendingWorkloads", Value(pending), {}},
          {"reservingWorkloads", Value(sums.reserving), {}},
          {"admittedWorkloads", Value(sums.admitted), {}}};
}

}  // namespace

QueueStatuses::QueueStatuses(EventLoop& loop, const watching::Caches& caches, watching::Actuator& actuator,
                             QueueBooks& books)
    : loop_(loop),
      caches_(caches),
      books_(books),
      cluster_queues_(loop, actuator, say_status<kube::ClusterQueue>(caches, loop)),
      local_queues_(loop, actuator, say_status<kube::LocalQueue>(caches, loop)),
      cohorts_(loop, actuator, say_status<kube::Cohort>(caches, loop)) {}

void QueueStatuses::start(const Scheduler& scheduler) {
  const bool is_first = scheduler_ == nullptr;
  scheduler_ = &scheduler;
  if (is_first) {
    cluster_queues_.start();
    local_queues_.start();
    cohorts_.start();
  }
  touch_all();
}

void QueueStatuses::touch_all() {
  for (const auto& [name_space, named] : caches_.of<kube::ClusterQueue>().namespaces()) {
    for (const auto& [name, object] : named) books_.touch_cluster_queue(name);
  }
  for (const auto& [name_space, named] : caches_.of<kube::LocalQueue>().namespaces()) {
    for (const auto& [name, object] : named) books_.touch_local_queue(object->key());
  }
  look_later();
}

void QueueStatuses::look_later() {
  if (scheduler_ == nullptr || batch_ != nullptr || !books_.has_touched()) return;
  batch_ = loop_.after(kBatch, [this] {
    const std::unique_ptr<EventLoop::Timer> over = std::move(batch_);
    look();
  });
}

void QueueStatuses::look() {
  for (const std::string& name : books_.take_cluster_queues()) look_at_cluster_queue(name);
  for (const watching::ObjectKey& key : books_.take_local_queues()) look_at_local_queue(key);
  if (scheduler_->settings().fair_sharing) look_at_cohorts();
}

void QueueStatuses::look_at_cluster_queue(const std::string& name) {
  const auto object = caches_.of<kube::ClusterQueue>().find("", name);
  const queue::kueue::QueueId id = scheduler_->queues().find(name);
  if (object == nullptr || !id.valid()) return cluster_queues_.forget({"", name});
  const QueueSums& sums = books_.of_cluster_queue(name);
  const auto& pending = scheduler_->pending();
  Object members = counts(static_cast<std::int64_t>(pending.ready_count(id) + pending.inadmissible_count(id)), sums);
  members.push_back({"flavorsReservation", usage_of(object->view, sums.reserved, true), {}});
  members.push_back({"flavorsUsage", usage_of(object->view, sums.used, true), {}});
  members.push_back({"fairSharing", share_status(*scheduler_, id), {}});
  const queue::kueue::ActiveCondition condition = active_condition(scheduler_->queues().at(id));
  cluster_queues_.want({"", name},
                       {Value(std::move(members)), active(condition.is_active, condition.reason, condition.message)});
}

void QueueStatuses::look_at_local_queue(const watching::ObjectKey& key) {
  const auto object = caches_.of<kube::LocalQueue>().find(key);
  if (object == nullptr) return local_queues_.forget(key);
  const auto queue = caches_.of<kube::ClusterQueue>().find("", object->view.cluster_queue);
  const queue::kueue::QueueId id = scheduler_->queues().find(object->view.cluster_queue);
  const bool is_stopped = object->view.stop_policy != kube::StopPolicy::kNone;
  const QueueSums none;
  const bool leads_somewhere = queue != nullptr && id.valid();
  const QueueSums& sums = leads_somewhere ? books_.of_local_queue(key) : none;
  Object members = counts(is_stopped ? 0 : books_.of_local_queue(key).waiting, sums);
  const kube::ClusterQueue nowhere;
  const kube::ClusterQueue& of = leads_somewhere ? queue->view : nowhere;
  members.push_back({"flavorsReservation", usage_of(of, sums.reserved, false), {}});
  members.push_back({"flavorsUsage", usage_of(of, sums.used, false), {}});
  Value condition = active(true, "Ready", "Can submit new workloads to localQueue");
  if (is_stopped) {
    condition = active(false, "Stopped", "LocalQueue is stopped");
  } else if (!leads_somewhere) {
    condition = active(false, "ClusterQueueDoesNotExist", "Can't submit new workloads to clusterQueue");
  } else if (!scheduler_->queues().is_active(id)) {
    condition = active(false, "ClusterQueueIsInactive", "Can't submit new workloads to clusterQueue");
  }
  local_queues_.want(key, {Value(std::move(members)), std::move(condition)});
}

/// Their shares change with those of all queues below.
void QueueStatuses::look_at_cohorts() {
  for (const auto& [name_space, named] : caches_.of<kube::Cohort>().namespaces()) {
    for (const auto& [name, object] : named) {
      const auto node = scheduler_->quotas().tree().find(cluster::QuotaNodeKind::kGroup, name);
      if (!node.valid() || scheduler_->quotas().tree().is_in_cycle(node)) continue;
      cohorts_.want(object->key(), {Value(Object{{"fairSharing", share_status(*scheduler_, node), {}}}), Value()});
    }
  }
}

}  // namespace loadline::scheduler::queues
