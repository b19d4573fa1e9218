#include "simulation/settled_queues.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "brain/queue/kueue/adjusted_pods.h"
#include "brain/queue/kueue/round_text.h"
#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "hosts/watching/kueue_configuration.h"
#include "hosts/watching/observe.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/workload_conditions.h"
#include "objects/kube/pod_resources.h"
#include "simulation/fields.h"
#include "simulation/queue_drafts.h"

namespace loadline::simulation {
namespace {

using document::Value;
using queue::kueue::Amount;
using queue::kueue::Decision;
using queue::kueue::KueueScheduler;

/// So many rounds, a second apart, a fresh scheduler has to find something.
constexpr int kFreshRounds = 60;

bool is_over(const kube::KueueWorkload& workload) { return kube::is_finished(workload) || !workload.active; }

const kube::MetaCondition* condition_of(const kube::KueueWorkload& workload, std::string_view type) {
  return kube::find_condition(workload.status.conditions, type);
}

/// Why it does not run, by its conditions; empty: they do not say.
std::string why_it_waits(const kube::KueueWorkload& workload) {
  const kube::MetaCondition* evicted = condition_of(workload, "Evicted");
  if (!workload.active) return evicted == nullptr || evicted->status != "True" ? std::string() : evicted->message;
  const kube::MetaCondition* replaced = condition_of(workload, "WaitingForReplacementPods");
  if (replaced != nullptr && replaced->status == "True") return replaced->message;
  const kube::MetaCondition* reserved = condition_of(workload, "QuotaReserved");
  return reserved == nullptr || reserved->status != "False" ? std::string() : reserved->message;
}

/// There is quota for it, and no nodes: see the policy's `admission`.
bool lacks_nodes(const kube::KueueWorkload& workload) {
  return why_it_waits(workload).find("couldn't find nodes") != std::string::npos;
}

/// What all its pods request, by resource.
kube::ResourceList requests_of(const kube::KueueWorkload& workload) {
  kube::ResourceList sum;
  for (const kube::PodSet& set : workload.pod_sets) {
    const auto spec = queue::kueue::adjusted(set.template_.spec, {}, nullptr);
    for (std::int32_t i = 0; i < set.count; ++i) kube::add_resources(sum, kube::pod_requests(*spec, nullptr, {}));
  }
  return sum;
}

Amount amount_in(const QuotaAmounts& amounts, const std::string& flavor, const std::string& resource) {
  const auto found = amounts.find({flavor, resource});
  return found == amounts.end() ? Amount() : found->second;
}

}  // namespace

void SettledQueues::check() {
  read();
  recount();
  for (const auto& [key, workload] : workloads_) check_workload(key, workload);
  check_jobs();
  check_statuses();
  check_fresh_scheduler();
}

template <class Kind>
std::map<std::string, Kind> SettledQueues::list(const std::string& plural) {
  std::map<std::string, Kind> all;
  client_.list(kueue_resource(plural), {}, [&](const kube::Answer<kube::ObjectList>& answer) {
    if (!answer) return observer_.report(plural + " cannot be listed");
    for (const Value& item : answer->items) {
      const std::string name(document::text_at(item, {"metadata", "name"}));
      const std::string name_space(document::text_at(item, {"metadata", "namespace"}));
      const std::string key = name_space.empty() ? name : name_space + "/" + name;
      all.emplace(key, watching::read_view<Kind>(item));
      documents_.insert_or_assign(plural + " " + key, item);
    }
  });
  loop_.run_until_idle();
  return all;
}

void SettledQueues::read() {
  flavors_ = list<kube::ResourceFlavor>("resourceflavors");
  cohorts_ = list<kube::Cohort>("cohorts");
  queues_ = list<kube::ClusterQueue>("clusterqueues");
  locals_ = list<kube::LocalQueue>("localqueues");
  for (auto& [key, view] : list<kube::KueueWorkload>("workloads")) {
    workloads_.emplace(key, QueueObserver::Workload{documents_.at("workloads " + key), std::move(view)});
  }
}

/// Through a LocalQueue that is not stopped; null: none.
const kube::ClusterQueue* SettledQueues::queue_of(const kube::KueueWorkload& workload) const {
  const auto local = locals_.find(workload.metadata.namespace_ + "/" + workload.queue_name);
  if (local == locals_.end() || local->second.stop_policy != kube::StopPolicy::kNone) return nullptr;
  const auto queue = queues_.find(local->second.cluster_queue);
  return queue == queues_.end() ? nullptr : &queue->second;
}

// ---- Workloads -----------------------------------------------------------------------------------------------------

void SettledQueues::check_workload(const std::string& key, const QueueObserver::Workload& workload) {
  const kube::KueueWorkload& it = workload.view;
  const auto says = [&](std::string_view what) {
    observer_.report(fmt::format("{} {}: {}", key, what, document::write_json(workload.document)));
  };
  if (kube::is_finished(it)) return observer_.note("finished workloads");
  if (kube::is_evicted(it) && kube::has_quota_reservation(it)) says("is to leave, and keeps its quota");
  if (kube::is_admitted(it)) {
    observer_.note("workloads that run");
    if (!it.active) says("runs, but is not active");
    return check_job_of(key, workload, true);
  }
  if (kube::has_quota_reservation(it)) says("has quota, and is not admitted");
  observer_.note(it.active ? "workloads that wait" : "workloads that are not active");
  // Behind a head that waits, and where its like has failed, it has not been looked at, and says nothing.
  if (why_it_waits(it).empty()) observer_.note("workloads that were not looked at");
  check_job_of(key, workload, false);
  check_room(key, it);
}

void SettledQueues::check_job_of(const std::string& key, const QueueObserver::Workload& workload, bool runs) {
  const std::vector<std::string> owners = owners_of(workload.document);
  const auto is_owner = [&](const std::string& uid) { return std::ranges::find(owners, uid) != owners.end(); };
  for (const auto& [job_key, job] : observer_.jobs()) {
    if (!is_owner(uid_of(job)) || Observer::has_ended(job)) continue;
    const bool is_suspended = is_true_at(job, {"spec", "suspend"});
    if (runs == is_suspended) {
      observer_.report(fmt::format("{} is {}, but {} is {}", key, runs ? "admitted" : "not admitted", job_key,
                                   is_suspended ? "suspended" : "not"));
    }
    if (runs) continue;
    for (const auto& [pod_key, pod] : observer_.pods()) {
      const std::vector<std::string> of = owners_of(pod.document);
      const bool is_its = std::ranges::find(of, uid_of(job)) != of.end();
      if (is_its && !pod.view.finished())
        observer_.report(fmt::format("{} of {} is there, which is held", pod_key, job_key));
    }
  }
  for (const auto& [pod_key, pod] : observer_.pods()) {
    if (!is_owner(pod.metadata().uid) || pod.view.finished()) continue;
    const bool is_gated = std::ranges::find(pod.view.spec->scheduling_gates, kube::kAdmissionGate) !=
                          pod.view.spec->scheduling_gates.end();
    if (runs != is_gated) continue;
    observer_.report(fmt::format("{} is {}, but {} is {}", key, runs ? "admitted" : "not admitted", pod_key,
                                 is_gated ? "held" : "not"));
  }
}

/// Each Job that names a queue, and is not over, has one Workload.
void SettledQueues::check_jobs() {
  std::map<std::string, int> owned;
  for (const auto& [key, workload] : workloads_) {
    for (const std::string& owner : owners_of(workload.document)) ++owned[owner];
  }
  for (const auto& [key, job] : observer_.jobs()) {
    if (document::text_at(job, {"metadata", "labels", kube::kQueueName}).empty() || Observer::has_ended(job)) continue;
    const int count = owned[uid_of(job)];
    if (count != 1) observer_.report(fmt::format("{} has {} Workloads: {}", key, count, document::write_json(job)));
  }
}

/// A queue that has no cohort and passes by those that do not fit admits what its flavors have room for, if there are
/// nodes for it.
void SettledQueues::check_room(const std::string& key, const kube::KueueWorkload& workload) {
  const kube::ClusterQueue* queue = workload.active ? queue_of(workload) : nullptr;
  if (queue == nullptr || !queue->cohort.empty() || queue->stop_policy != kube::StopPolicy::kNone) return;
  if (queue->queueing_strategy != kube::QueueingStrategy::kBestEffortFifo) return;
  const kube::MetaCondition* replaced = condition_of(workload, "WaitingForReplacementPods");
  if (replaced != nullptr && replaced->status == "True") return;
  if (lacks_nodes(workload)) return observer_.note("workloads that wait for nodes");
  observer_.note("workloads that wait for quota of one queue");
  const kube::ResourceList requests = requests_of(workload);
  const QuotaAmounts& used = of_queues_[queue->metadata.name].reserved;
  for (const kube::FlavorQuotas& flavor : queue->resource_groups.front().flavors) {
    const bool fits = std::ranges::all_of(requests, [&](const auto& request) {
      const auto quota = std::ranges::find(flavor.resources, request.first, &kube::FlavorQuota::resource);
      if (quota == flavor.resources.end()) return request.second == kube::Quantity::of(0);
      const Amount left = Amount::of(request.first, quota->nominal) - amount_in(used, flavor.flavor, request.first);
      return Amount::of(request.first, request.second) <= left;
    });
    if (fits)
      observer_.report(fmt::format("{} waits, but {} of {} has room for it: {}", key, flavor.flavor,
                                   queue->metadata.name, why_it_waits(workload)));
  }
}

// ---- statuses of queues --------------------------------------------------------------------------------------------

void SettledQueues::recount() {
  for (const auto& [key, workload] : workloads_) {
    const kube::KueueWorkload& it = workload.view;
    if (is_over(it)) continue;
    const std::string local = it.metadata.namespace_ + "/" + it.queue_name;
    if (!kube::has_quota_reservation(it)) {
      const bool is_queued = kube::is_admissible(it);
      const kube::ClusterQueue* queue = queue_of(it);
      if (is_queued && queue != nullptr) ++of_queues_[queue->metadata.name].pending;
      if (is_queued) ++of_locals_[local].pending;
      continue;
    }
    if (!it.status.admission || !queues_.contains(it.status.admission->cluster_queue)) continue;
    for (Recount* each : {&of_queues_[it.status.admission->cluster_queue], &of_locals_[local]}) {
      ++each->reserving;
      add_to(each->reserved, usage_of(it));
      if (!kube::is_admitted(it)) continue;
      ++each->admitted;
      add_to(each->used, usage_of(it));
    }
  }
}

void SettledQueues::check_statuses() {
  for (const auto& [name, queue] : queues_) {
    const Value& object = documents_.at("clusterqueues " + name);
    check_counts("ClusterQueue " + name, object, of_queues_[name]);
    const bool is_active = kube::has_true_condition(object, "Active");
    const bool is_stopped = queue.stop_policy != kube::StopPolicy::kNone;
    if (is_stopped) observer_.note("queues that are stopped");
    if (is_active == is_stopped) observer_.report(fmt::format("{} says Active={}", name, is_active));
  }
  for (const auto& [key, local] : locals_) {
    Recount counted = of_locals_[key];
    if (local.stop_policy != kube::StopPolicy::kNone) counted.pending = 0;
    if (!queues_.contains(local.cluster_queue)) continue;
    check_counts("LocalQueue " + key, documents_.at("localqueues " + key), counted);
  }
}

void SettledQueues::check_counts(const std::string& of, const Value& object, const Recount& counted) {
  const auto check = [&](std::string_view member, std::int64_t count) {
    const std::int64_t told = integer_at(object, {"status", member});
    if (told != count) observer_.report(fmt::format("{} says {}: {}, but there are {}", of, member, told, count));
  };
  check("pendingWorkloads", counted.pending);
  check("reservingWorkloads", counted.reserving);
  check("admittedWorkloads", counted.admitted);
  check_amounts(of, object, "flavorsReservation", counted.reserved);
  check_amounts(of, object, "flavorsUsage", counted.used);
}

/// Of LocalQueues that lead elsewhere by now, flavors may be used that their ClusterQueue has none of.
void SettledQueues::check_amounts(const std::string& of, const Value& object, std::string_view member,
                                  const QuotaAmounts& amounts) {
  for (const Value& flavor : document::items_at(object, {"status", member})) {
    const std::string name(document::text_at(flavor, {"name"}));
    for (const Value& resource : document::items_at(flavor, {"resources"})) {
      const std::string named(document::text_at(resource, {"name"}));
      const auto total = kube::Quantity::parse(document::text_at(resource, {"total"}));
      if (total && Amount::of(named, *total) == amount_in(amounts, name, named)) continue;
      observer_.report(fmt::format("{} says {} of {} {}: {}, but it is {}", of, member, name, named,
                                   document::text_at(resource, {"total"}), amount_in(amounts, name, named).value()));
    }
  }
}

// ---- a fresh scheduler ---------------------------------------------------------------------------------------------

void SettledQueues::check_fresh_scheduler() {
  watching::ClustersKueueConfiguration reader;
  const kube::KueueConfiguration& configuration = reader.read(*cluster_.caches());
  cluster::QuotaTree tree;
  KueueScheduler fresh(tree, queue::kueue::Settings::of(configuration), configuration.resources);
  Instant now = loop_.now();
  for (const auto& [name, flavor] : flavors_) fresh.set(flavor, now);
  for (const auto& [name, cohort] : cohorts_) fresh.set(cohort, now);
  for (const auto& [name, queue] : queues_) fresh.set(queue, now);
  for (const auto& [key, local] : locals_) fresh.set(local);
  for (const auto& [name_space, named] : cluster_.caches()->of<kube::Namespace>().namespaces()) {
    for (const auto& [name, object] : named) fresh.set_namespace(name, object->metadata().labels, now);
  }
  for (const auto& [key, workload] : workloads_) {
    kube::KueueWorkload it = workload.view;
    for (kube::PodSet& set : it.pod_sets) set.template_.spec = queue::kueue::adjusted(set.template_.spec, {}, nullptr);
    fresh.set(it, now);
  }
  for (int rounds = 0; rounds < kFreshRounds; ++rounds) {
    now = now + Duration::seconds(1);
    if (!fresh.is_due(now)) continue;
    const queue::kueue::Round round = fresh.decide_round(now);
    observer_.note("rounds of fresh queues");
    for (const Decision& decision : round.decisions) {
      const std::string& name = fresh.workloads().at(decision.workload).name;
      const auto known = workloads_.find(name);
      // Fresh queues know of no nodes; what follows from there is another history.
      if (known != workloads_.end() && lacks_nodes(known->second.view)) return;
      if (decision.code == Decision::Code::kAdmitted)
        return observer_.report(name + " would be admitted by fresh queues");
      for (const queue::kueue::Victim& victim : decision.evicted) {
        return observer_.report(fmt::format("{} would be evicted by fresh queues for {}",
                                            fresh.workloads().at(victim.workload).name, name));
      }
    }
  }
}

std::map<std::string, std::string> standings(const QueueObserver& queues) {
  std::map<std::string, std::string> all;
  for (const auto& [key, workload] : queues.workloads()) {
    const Value* status = document::find_at(workload.document, {"status"});
    all.emplace(key, status == nullptr ? std::string() : document::write_json(*status));
  }
  return all;
}

}  // namespace loadline::simulation
