#include "simulation/queue_observer.h"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "hosts/watching/observe.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/workload_conditions.h"
#include "simulation/fields.h"
#include "simulation/queue_drafts.h"

namespace loadline::simulation {
namespace {

using document::Value;
using queue::kueue::Amount;
using EventType = kube::WatchEvent::Type;

/// So long what was decided may take until it is written, and what was written until it is heard of.
constexpr Duration kPatienceWithWrites = Duration::seconds(120);

bool names_queue(const Value& object) {
  return !document::text_at(object, {"metadata", "labels", kube::kQueueName}).empty();
}

bool holds_admission_gate(const Value& pod) {
  return std::ranges::any_of(document::items_at(pod, {"spec", "schedulingGates"}), [](const Value& gate) {
    return document::text_at(gate, {"name"}) == kube::kAdmissionGate;
  });
}

/// Keeps the object by its name. True: it came or went, or its spec is another.
template <class Kind>
bool take_spec(const kube::WatchEvent& event, std::map<std::string, Kind>& known) {
  Kind now = watching::read_view<Kind>(event.object);
  const std::string name = now.metadata.name;
  if (event.type == EventType::kDeleted) return known.erase(name) > 0;
  const auto before = known.find(name);
  const bool is_same = before != known.end() && before->second.metadata.uid == now.metadata.uid &&
                       before->second.metadata.generation == now.metadata.generation;
  known.insert_or_assign(name, std::move(now));
  return !is_same;
}

}  // namespace

void add_to(QuotaAmounts& sum, const QuotaAmounts& more) {
  for (const auto& [of, amount] : more) sum[of] = sum[of] + amount;
}

QuotaAmounts usage_of(const kube::KueueWorkload& workload) {
  QuotaAmounts usage;
  if (!workload.status.admission) return usage;
  for (const kube::PodSetAssignment& set : workload.status.admission->pod_set_assignments) {
    const std::int64_t given = set.count.value_or(1);
    std::int64_t ended = 0;
    for (const kube::ReclaimablePods& pods : workload.status.reclaimable_pods) {
      if (pods.name == set.name) ended = pods.count;
    }
    for (const auto& [resource, amount] : set.resource_usage) {
      const auto flavor = set.flavors.find(resource);
      if (flavor == set.flavors.end()) continue;
      const std::int64_t all = Amount::of(resource, amount).value();
      const std::int64_t left = given == 0 ? 0 : all / given * std::max<std::int64_t>(0, given - ended);
      Amount& sum = usage[{flavor->second, resource}];
      sum = sum + Amount(left);
    }
  }
  return usage;
}

QueueObserver::QueueObserver(Observer& observer, const Trace& trace) : observer_(observer), trace_(trace) {
  observer.listen(kueue_resource("workloads"), [this](const kube::WatchEvent& event) { on_workload(event); });
  observer.listen(kueue_resource("clusterqueues"), [this](const kube::WatchEvent& event) {
    if (take_spec(event, queues_)) quotas_changed();
  });
  observer.listen(kueue_resource("cohorts"), [this](const kube::WatchEvent& event) {
    if (take_spec(event, cohorts_)) quotas_changed();
  });
  observer.listen({"batch", "v1", "jobs"}, [this](const kube::WatchEvent& event) { on_job(event); });
  observer.listen({"", "v1", "pods"}, [this](const kube::WatchEvent& event) { on_pod(event); });
}

// ---- who may run ---------------------------------------------------------------------------------------------------

bool QueueObserver::was_recently(const History& history, const std::string& uid) const {
  const auto found = history.find(uid);
  return found != history.end() &&
         (!found->second.now.empty() || trace_.now() - found->second.last <= kPatienceWithWrites);
}

void QueueObserver::note_admission(const std::string& key, const Value& workload, bool is_admitted) {
  for (const std::string& owner : owners_of(workload)) {
    if (is_admitted) {
      admitted_[owner].now.insert(key);
    } else if (const auto found = admitted_.find(owner); found != admitted_.end() && found->second.now.erase(key) > 0) {
      found->second.last = trace_.now();
    }
  }
}

void QueueObserver::on_workload(const kube::WatchEvent& event) {
  const std::string key = key_of(event.object);
  if (event.type == EventType::kDeleted) {
    note_admission(key, event.object, false);
    workloads_.erase(key);
    return check_quotas();
  }
  kube::KueueWorkload view = watching::read_view<kube::KueueWorkload>(event.object);
  check_state(key, view);
  note_admission(key, event.object, kube::is_admitted(view));
  workloads_.insert_or_assign(key, Workload{event.object, std::move(view)});
  check_quotas();
}

void QueueObserver::check_state(const std::string& key, const kube::KueueWorkload& workload) {
  const bool has_quota = kube::has_quota_reservation(workload);
  if (kube::is_admitted(workload)) observer_.note("admitted workloads");
  if (kube::is_evicted(workload)) observer_.note("evicted workloads");
  if (kube::is_admitted(workload) && !has_quota) report(key + " is admitted, but has no quota");
  if (has_quota != workload.status.admission.has_value()) {
    report(fmt::format("{} has {}quota, but its status has {}", key, has_quota ? "" : "no ",
                       workload.status.admission ? "an admission" : "no admission"));
  }
}

void QueueObserver::on_job(const kube::WatchEvent& event) {
  const std::string key = key_of(event.object);
  if (event.type == EventType::kDeleted) {
    jobs_.erase(key);
    return;
  }
  if (!names_queue(event.object)) return;
  const std::string uid = uid_of(event.object);
  const bool is_suspended = is_true_at(event.object, {"spec", "suspend"});
  const bool is_new = queued_jobs_.insert(uid).second;
  const bool ran = running_.contains(uid) && !running_[uid].now.empty();
  if (is_new && !is_suspended) report(key + " is created with a queue, and not suspended");
  if (!is_new && !is_suspended && !ran) {
    observer_.note("jobs that a queue started");
    if (!was_recently(admitted_, uid)) report(key + " starts, but its Workload is not admitted");
  }
  if (is_suspended && ran) running_[uid] = {{}, trace_.now()};
  if (!is_suspended) running_[uid].now.insert(key);
  jobs_.insert_or_assign(key, event.object);
}

void QueueObserver::on_pod(const kube::WatchEvent& event) {
  const std::string uid = uid_of(event.object);
  if (event.type == EventType::kDeleted) {
    pods_.erase(uid);
    return;
  }
  const std::vector<std::string> owners = owners_of(event.object);
  const auto job =
      std::ranges::find_if(owners, [this](const std::string& owner) { return queued_jobs_.contains(owner); });
  const bool is_managed = document::text_at(event.object, {"metadata", "labels", "kueue.x-k8s.io/managed"}) == "true";
  if (job == owners.end() && !is_managed) {
    if (owners.empty() && names_queue(event.object))
      report(key_of(event.object) + " names a queue that does not hold it");
    return;
  }
  const bool is_gated = holds_admission_gate(event.object);
  const bool has_node = !document::text_at(event.object, {"spec", "nodeName"}).empty();
  const auto [place, is_new] = pods_.try_emplace(uid);
  const SeenPod before = std::exchange(place->second, {is_gated, has_node});
  if (is_managed) {
    if (is_gated) observer_.note("pods that a queue holds");
    if (is_new && !is_gated) report(key_of(event.object) + " is created with a queue, and not gated");
    if (before.is_gated && !is_gated && !was_recently(admitted_, uid)) {
      report(key_of(event.object) + " starts, but its Workload is not admitted");
    }
  } else if (has_node && !before.has_node && !was_recently(running_, *job)) {
    report(key_of(event.object) + " gets a node, but its Job is suspended");
  }
}

// ---- quota ---------------------------------------------------------------------------------------------------------

std::string QueueObserver::root_of(const std::string& cohort) const {
  std::string root = cohort;
  for (std::size_t height = 0; height <= cohorts_.size(); ++height) {
    const auto found = cohorts_.find(root);
    if (found == cohorts_.end() || found->second.parent.empty()) break;
    root = found->second.parent;
  }
  return root;
}

std::map<std::string, QueueObserver::Account> QueueObserver::accounts() const {
  std::map<std::string, Account> accounts;
  for (const auto& [name, queue] : queues_) {
    Account& own = accounts["ClusterQueue " + name];
    Account* tree = queue.cohort.empty() ? nullptr : &accounts["cohort " + root_of(queue.cohort)];
    for (const kube::ResourceGroup& group : queue.resource_groups) {
      for (const kube::FlavorQuotas& flavor : group.flavors) {
        for (const kube::FlavorQuota& quota : flavor.resources) {
          const QuotaAmounts::key_type of{flavor.flavor, quota.resource};
          const Amount nominal = Amount::of(quota.resource, quota.nominal);
          Amount borrowed = tree == nullptr ? Amount() : Amount::unlimited();
          if (tree != nullptr && quota.borrowing_limit) borrowed = Amount::of(quota.resource, *quota.borrowing_limit);
          own.limits[of] = nominal + borrowed;
          if (tree != nullptr) tree->limits[of] = tree->limits[of] + nominal;
        }
      }
    }
  }
  for (const auto& [key, workload] : workloads_) {
    const kube::KueueWorkload& it = workload.view;
    if (!it.status.admission || kube::is_evicted(it) || kube::is_finished(it) || !it.active) continue;
    const auto queue = queues_.find(it.status.admission->cluster_queue);
    if (queue == queues_.end()) continue;
    const QuotaAmounts usage = usage_of(it);
    add_to(accounts["ClusterQueue " + queue->first].uses, usage);
    if (!queue->second.cohort.empty()) add_to(accounts["cohort " + root_of(queue->second.cohort)].uses, usage);
  }
  return accounts;
}

void QueueObserver::check_quotas() {
  for (const auto& [name, account] : accounts()) check_account(name, account);
}

/// What is used when quota is changed, and a moment later, is excused, and what is left of it ever after.
void QueueObserver::check_account(const std::string& name, const Account& account) {
  Overdraft& overdraft = overdrafts_[name];
  const Instant now = trace_.now();
  std::string over;
  QuotaAmounts excused;
  for (const auto& [of, used] : account.uses) {
    const auto limit = account.limits.find(of);
    const Amount most = limit == account.limits.end() ? Amount() : limit->second;
    const auto found = overdraft.excused.find(of);
    const Amount excuse = found == overdraft.excused.end() ? Amount() : found->second;
    excused[of] = now <= overdraft.excused_until ? std::max(excuse, used) : std::min(excuse, used);
    if (used <= std::max(most, excuse) || now <= overdraft.excused_until) continue;
    over += fmt::format(" {} of {} {} ({})", used.value(), most.value(), of.second, of.first);
  }
  overdraft.excused = std::move(excused);
  if (over.empty()) {
    overdraft.since.reset();
    return;
  }
  observer_.note("overdrafts that were seen");
  if (!overdraft.since) overdraft.since = now;
  if (now - *overdraft.since <= kPatienceWithWrites) return;
  report(fmt::format("of {} is used, for {} s:{}", name, (now - *overdraft.since).nanoseconds / 1'000'000'000, over));
}

void QueueObserver::quotas_changed() {
  for (const auto& [name, account] : accounts()) overdrafts_[name].excused_until = trace_.now() + kPatienceWithWrites;
  check_quotas();
}

}  // namespace loadline::simulation
