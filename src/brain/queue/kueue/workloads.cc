#include "brain/queue/kueue/workloads.h"

#include <algorithm>

#include "foundation/base/contract.h"

namespace loadline::queue::kueue {
namespace {

const kube::MetaCondition* find(const kube::KueueWorkload& workload, std::string_view type) {
  const auto found = std::ranges::find(workload.status.conditions, type, &kube::MetaCondition::type);
  return found == workload.status.conditions.end() ? nullptr : &*found;
}

bool is_true(const kube::KueueWorkload& workload, std::string_view type) {
  const kube::MetaCondition* condition = find(workload, type);
  return condition != nullptr && condition->status == "True";
}

bool is_false(const kube::KueueWorkload& workload, std::string_view type) {
  const kube::MetaCondition* condition = find(workload, type);
  return condition != nullptr && condition->status == "False";
}

/// Pods of the set that have ended; never more than it has.
std::int32_t reclaimable(const kube::KueueWorkload& workload, const kube::PodSet& set) {
  for (const kube::ReclaimablePods& it : workload.status.reclaimable_pods) {
    if (it.name == set.name) return std::min(it.count, set.count);
  }
  return 0;
}

std::int64_t times(std::int64_t amount, std::int64_t count) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(amount, count, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

void append(std::string& key, std::string_view part) {
  key += std::to_string(part.size());
  key += ':';
  key += part;
}

void append(std::string& key, std::int64_t number) {
  key += std::to_string(number);
  key += ';';
}

void append(std::string& key, const kube::PodSetTopologyRequest& it) {
  append(key, it.required);
  append(key, it.preferred);
  append(key, it.unconstrained ? 1 : 0);
  append(key, it.pod_index_label);
  append(key, it.sub_group_index_label);
  append(key, it.sub_group_count.value_or(-1));
  append(key, it.group_name);
  append(key, it.slice_required_topology);
  append(key, it.slice_size.value_or(-1));
  for (const kube::PodSetSliceLayer& layer : it.slice_constraints) {
    append(key, layer.topology);
    append(key, layer.size);
  }
}

}  // namespace

bool FlavorProgress::has_more() const {
  return std::ranges::any_of(pod_sets, [](const std::vector<Tried>& set) {
    return std::ranges::any_of(set, [](const Tried& tried) { return tried.flavor != -1; });
  });
}

std::size_t FlavorProgress::next(std::size_t pod_set, Symbol resource) const {
  if (pod_set >= pod_sets.size()) return 0;
  const auto found = std::ranges::find(pod_sets[pod_set], resource, &Tried::resource);
  return found == pod_sets[pod_set].end() ? 0 : static_cast<std::size_t>(found->flavor + 1);
}

bool Workload::may_be_smaller() const {
  return std::ranges::any_of(pod_sets, [](const PodSetDemand& set) { return set.full > set.least; });
}

Instant queue_order_time(const kube::KueueWorkload& workload, kube::RequeuingTimestamp timestamp) {
  const kube::MetaCondition* evicted = find(workload, "Evicted");
  const bool is_evicted = evicted != nullptr && evicted->status == "True";
  const bool counts =
      is_evicted && ((evicted->reason == "PodsReadyTimeout" && timestamp == kube::RequeuingTimestamp::kEviction) ||
                     evicted->reason == "AdmissionCheck");
  if (counts) return evicted->last_transition_time.value_or(Instant{});
  return workload.metadata.creation_timestamp.value_or(Instant{});
}

WorkloadId Workloads::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? WorkloadId{} : found->second;
}

std::span<const WorkloadId> Workloads::holders(QueueId queue) const {
  if (holders_.size() <= queue.index()) return {};
  return holders_[queue.index()];
}

std::vector<PodSetDemand> Workloads::demands_of(const kube::KueueWorkload& object) {
  std::vector<PodSetDemand> demands;
  demands.reserve(object.pod_sets.size());
  std::vector<std::string_view> groups;  // by number; of a set of its own: nothing
  for (const kube::PodSet& set : object.pod_sets) {
    const std::string_view own = set.topology_request ? std::string_view(set.topology_request->group_name) : "";
    const auto at = own.empty() ? groups.end() : std::ranges::find(groups, own);
    PodSetDemand it{set.name,  shapes_.intern(set.template_.spec), set.count - reclaimable(object, set),
                    set.count, set.min_count.value_or(set.count),  static_cast<std::int32_t>(at - groups.begin())};
    if (at == groups.end()) groups.push_back(own);
    it.requests = shapes_.at(it.shape).requests;
    for (ResourceAmount& request : it.requests) request.amount = times(request.amount, it.count);
    demands.push_back(std::move(it));
  }
  return demands;
}

ClassId Workloads::class_of(const kube::KueueWorkload& object, const Workload& workload) {
  std::string key;
  append(key, workload.priority);
  for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
    const PodSetDemand& set = workload.pod_sets[i];
    append(key, set.name);
    append(key, set.shape.value);
    append(key, set.count);
    append(key, object.pod_sets[i].min_count.value_or(-1));
    if (object.pod_sets[i].topology_request) append(key, *object.pod_sets[i].topology_request);
  }
  return classes_.emplace(std::move(key), ClassId(classes_.size())).first->second;
}

WorkloadId Workloads::set(const kube::KueueWorkload& object, QueueId queue, kube::RequeuingTimestamp timestamp) {
  std::string name = object.metadata.namespace_ + "/" + object.metadata.name;
  const auto [entry, is_new] = by_name_.emplace(name, WorkloadId(workloads_.size()));
  if (is_new && !unused_.empty()) {
    entry->second = unused_.back();
    unused_.pop_back();
  } else if (is_new) {
    workloads_.emplace_back();
    place_.push_back(0);
  }
  Workload& it = workloads_[entry->second.index()];
  it.name = std::move(name);
  it.uid = object.metadata.uid;
  const auto job = object.metadata.labels.find("kueue.x-k8s.io/job-uid");
  it.job_uid = job == object.metadata.labels.end() ? "" : std::string(job->second);
  it.name_space = quotas_.tree().symbols().intern(object.metadata.namespace_);
  if (!it.has_quota) it.queue = queue;
  it.priority = object.priority.value_or(0);
  it.generation = object.metadata.generation;
  it.created_at = object.metadata.creation_timestamp.value_or(Instant{});
  it.queued_at = queue_order_time(object, timestamp);
  it.pod_sets = demands_of(object);
  it.equivalence = class_of(object, it);
  it.requeue_at = object.status.requeue_state ? object.status.requeue_state->requeue_at : std::nullopt;
  it.is_held_back = is_false(object, "Requeued");
  it.is_evicted = is_true(object, "Evicted");
  it.has_failed_checks = std::ranges::any_of(object.status.admission_checks, [](const auto& check) {
    return check.state == kube::CheckState::kRetry || check.state == kube::CheckState::kRejected;
  });
  return entry->second;
}

void Workloads::remove(WorkloadId workload) {
  take_quota(workload);
  by_name_.erase(at(workload).name);
  at(workload) = {};
  unused_.push_back(workload);
}

void Workloads::give_quota(WorkloadId workload, std::vector<PodSetAdmission> admission, std::vector<QuotaUse> uses,
                           std::optional<Instant> since) {
  Workload& it = at(workload);
  REQUIRES(!it.has_quota);
  it.has_quota = true;
  it.has_made_room = false;
  it.is_evicted = false;  // and what was said of it before is over
  it.queued_at = it.created_at;
  it.reserved_at = since;
  it.admission = std::move(admission);
  it.uses = std::move(uses);
  for (const QuotaUse& use : it.uses) quotas_.add(use.cell, use.amount);
  if (holders_.size() <= it.queue.index()) holders_.resize(it.queue.index() + 1);
  place_[workload.index()] = static_cast<std::uint32_t>(holders_[it.queue.index()].size());
  holders_[it.queue.index()].push_back(workload);
  queues_.quota_changed_hands(it.queue);
}

void Workloads::take_quota(WorkloadId workload) {
  Workload& it = at(workload);
  if (!it.has_quota) return;
  for (const QuotaUse& use : it.uses) quotas_.remove(use.cell, use.amount);
  std::vector<WorkloadId>& others = holders_[it.queue.index()];
  const std::uint32_t place = place_[workload.index()];
  others[place] = others.back();
  place_[others[place].index()] = place;
  others.pop_back();
  it.has_quota = false;
  it.admission.clear();
  it.uses.clear();
  it.reserved_at.reset();
  queues_.quota_changed_hands(it.queue);
}

bool Workloads::adopt(WorkloadId workload, const kube::KueueWorkload& object) {
  take_quota(workload);
  const QueueId queue = object.status.admission ? queues_.find(object.status.admission->cluster_queue) : QueueId{};
  if (!queue.valid()) return false;
  SymbolTable& symbols = quotas_.tree().symbols();
  std::vector<PodSetAdmission> admission;
  std::vector<QuotaUse> uses;
  for (const kube::PodSetAssignment& set : object.status.admission->pod_set_assignments) {
    const auto asked = std::ranges::find(object.pod_sets, set.name, &kube::PodSet::name);
    const std::int32_t there = asked == object.pod_sets.end() ? 0 : asked->count - reclaimable(object, *asked);
    const std::int32_t given = set.count.value_or(asked == object.pod_sets.end() ? 0 : asked->count);
    PodSetAdmission& it = admission.emplace_back(PodSetAdmission{std::min(given, there)});
    for (const auto& [resource, amount] : set.resource_usage) {
      const auto flavor = set.flavors.find(resource);
      if (flavor == set.flavors.end()) continue;
      std::int64_t used = resource == "cpu" ? amount.milli_value() : amount.value();
      if (there < given) used = given == 0 ? 0 : times(used / given, there);
      const Symbol name = symbols.intern(resource);
      const QuotaColumnId column = quotas_.tree().column({symbols.intern(flavor->second), name});
      it.flavors.emplace_back(name, queues_.flavors().intern(flavor->second));
      const QuotaCellId cell = quotas_.cell(queue, column);
      if (std::ranges::find(uses, cell, &QuotaUse::cell) == uses.end()) uses.push_back({cell, Amount()});
      QuotaUse& use = *std::ranges::find(uses, cell, &QuotaUse::cell);
      use.amount = use.amount + Amount(used);
    }
  }
  at(workload).queue = queue;
  const Instant queued_at = at(workload).queued_at;
  const kube::MetaCondition* reserved = kueue::find(object, "QuotaReserved");
  const bool is_reserved = reserved != nullptr && reserved->status == "True";
  give_quota(workload, std::move(admission), std::move(uses),
             is_reserved ? reserved->last_transition_time : std::nullopt);
  at(workload).is_evicted = is_true(object, "Evicted");
  at(workload).queued_at = queued_at;
  return true;
}

}  // namespace loadline::queue::kueue
