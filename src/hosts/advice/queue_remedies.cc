#include "hosts/advice/queue_remedies.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "brain/queue/kueue/round_objects.h"
#include "hosts/advice/obstacle_edits.h"
#include "hosts/advice/taints.h"
#include "hosts/simulator/queued_jobs.h"
#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/kueue/local_queue.h"
#include "objects/kube/kueue/workload_priority_class.h"

namespace loadline::advice {
namespace {

namespace kueue = queue::kueue;
using kueue::Amount;
using simulator::QueuedJob;

constexpr std::size_t kMostOfAKind = 4;
/// It gives up what was asked for; the more of it, the worse.
constexpr double kSmaller = 1.5;

/// How much of each resource, by name.
using Amounts = std::map<std::string, Amount, std::less<>>;

class QueueRemedies {
 public:
  /// `spec`: of a pod of the job.
  QueueRemedies(const simulator::Planning& planning, const QueuedJob& job, const kube::PodSpec& spec,
                const Target& target)
      : planning_(planning), spec_(spec), target_(target), scheduler_(planning.queued()->scheduler()), job_(job) {
    for (const kube::LocalQueue& each : planning.objects().of<kube::LocalQueue>()) {
      const bool is_here = each.metadata.namespace_ == job.name.namespace_;
      if (is_here && each.metadata.name == job.workload.queue_name) local_ = &each;
    }
    if (local_ == nullptr) return;
    for (const kube::ClusterQueue& each : planning.objects().of<kube::ClusterQueue>()) {
      if (each.metadata.name == local_->cluster_queue) queue_ = &each;
    }
  }

  std::vector<UntriedRemedy> run() && {
    resume();
    wait_elsewhere();
    if (queue_ != nullptr && job_.id.valid()) {
      take_other_flavors();
      raise_quota();
      join_cohorts();
      shrink();
    }
    raise_priority();
    return std::move(found_);
  }

 private:
  void add(Remedy remedy, double more = 0) {
    UntriedRemedy candidate{std::move(remedy), {}, more};
    for (const Edit& edit : candidate.remedy) candidate.cost += cost_of(edit);
    if (!candidate.remedy.empty()) found_.push_back(std::move(candidate));
  }

  void resume() {
    Remedy remedy;
    if (local_ != nullptr && local_->stop_policy != kube::StopPolicy::kNone) {
      remedy.push_back(ResumeQueue{local_->metadata.namespace_, local_->metadata.name});
    }
    if (queue_ != nullptr && queue_->stop_policy != kube::StopPolicy::kNone) {
      remedy.push_back(ResumeQueue{"", queue_->metadata.name});
    }
    add(std::move(remedy));
  }

  void wait_elsewhere() {
    std::size_t count = 0;
    for (const kube::LocalQueue& each : planning_.objects().of<kube::LocalQueue>()) {
      const bool is_another = each.metadata.name != job_.workload.queue_name &&
                              (local_ == nullptr || each.cluster_queue != local_->cluster_queue);
      if (!is_another || each.metadata.namespace_ != job_.name.namespace_ || count++ == kMostOfAKind) continue;
      add({UseQueue{job_.workload.queue_name, each.metadata.name}});
    }
  }

  // ---- flavors and quota -------------------------------------------------------------------------------------------
  [[nodiscard]] const kueue::Workload& workload() const { return scheduler_.workloads().at(job_.id); }

  /// What a workload asks for, as its queue counts it.
  [[nodiscard]] Amounts needs_of(const kueue::Workload& workload) const {
    Amounts needs;
    for (const kueue::PodSetDemand& set : workload.pod_sets) {
      for (const kueue::ResourceAmount& each : set.requests) add_to(needs, name_of(each.resource), Amount(each.amount));
      add_to(needs, "pods", Amount(set.count));
    }
    return needs;
  }
  static void add_to(Amounts& amounts, std::string_view resource, Amount more) {
    Amount& amount = amounts.try_emplace(std::string(resource)).first->second;
    amount = amount + more;
  }
  [[nodiscard]] std::string_view name_of(Symbol symbol) const {
    return scheduler_.quotas().tree().symbols().text(symbol);
  }

  /// The cell of a resource of a flavor in the workload's queue; invalid: the scheduler knows none.
  [[nodiscard]] kueue::QuotaCellId cell_of(const std::string& flavor, const std::string& resource) const {
    const kueue::QueueId queue = scheduler_.queues().find(queue_->metadata.name);
    if (!queue.valid()) return {};
    for (const kueue::QuotaCellId cell : scheduler_.quotas().declared(queue)) {
      const cluster::QuotaColumn& column =
          scheduler_.quotas().tree().column(scheduler_.quotas().tree().column_of(cell));
      if (name_of(column.flavor) == flavor && name_of(column.resource) == resource) return cell;
    }
    return {};
  }

  /// What is missing of what is needed.
  [[nodiscard]] Amount lacks(const std::string& flavor, const std::string& resource, Amount needed) const {
    const kueue::QuotaCellId cell = cell_of(flavor, resource);
    if (!cell.valid()) return {};
    return kueue::at_least_nothing(needed - kueue::at_least_nothing(scheduler_.quotas().available(cell)));
  }

  /// Of each flavor that gives out what the workload asks for, what is missing: first for the workload alone, then for
  /// all that stand before it, too.
  void raise_quota() {
    add_raises(needs_of(workload()), 0);
    if (job_.position.value_or(0) == 0) return;
    Amounts needs = needs_of(workload());
    for (const QueuedJob& other : planning_.queued()->jobs()) {
      const bool is_before = other.id.valid() && other.id != job_.id && other.position &&
                             *other.position < *job_.position &&
                             scheduler_.workloads().at(other.id).queue == workload().queue;
      if (!is_before) continue;
      for (const auto& [resource, amount] : needs_of(scheduler_.workloads().at(other.id))) {
        add_to(needs, resource, amount);
      }
    }
    constexpr double kForOthers = 0.1;
    add_raises(needs, kForOthers);
  }

  void add_raises(const Amounts& needs, double more) {
    for (std::size_t group = 0; group < queue_->resource_groups.size(); ++group) {
      const std::vector<kube::FlavorQuotas>& flavors = queue_->resource_groups[group].flavors;
      for (std::size_t i = 0; i < flavors.size(); ++i) add_raise({group, i, 0}, flavors[i], needs, more);
    }
  }

  void add_raise(std::array<std::size_t, 3> at, const kube::FlavorQuotas& flavor, const Amounts& needs, double more) {
    if (!takes(flavor.flavor)) return;
    Remedy nominal;
    Remedy borrowing;
    bool has_limits = true;
    for (std::size_t i = 0; i < flavor.resources.size(); ++i) {
      const kube::FlavorQuota& quota = flavor.resources[i];
      const auto needed = needs.find(quota.resource);
      if (needed == needs.end()) continue;
      const Amount lacking = lacks(flavor.flavor, quota.resource, needed->second);
      if (lacking <= Amount()) continue;
      at[2] = i;
      const kube::Quantity missing = kueue::quantity_of(quota.resource, lacking.value());
      RaiseQueueQuota edit{queue_->metadata.name,
                           flavor.flavor,
                           quota.resource,
                           RaiseQueueQuota::Limit::kNominal,
                           quota.nominal,
                           quota.nominal + missing,
                           at};
      nominal.push_back(edit);
      if (!quota.borrowing_limit) has_limits = false;
      if (!has_limits) continue;
      edit.limit = RaiseQueueQuota::Limit::kBorrowing;
      edit.from = *quota.borrowing_limit;
      edit.to = *quota.borrowing_limit + missing;
      borrowing.push_back(edit);
    }
    add(std::move(nominal), more);
    if (has_limits && !queue_->cohort.empty()) add(std::move(borrowing), more);
  }

  [[nodiscard]] const kube::ResourceFlavor* flavor_named(const std::string& name) const {
    const auto& flavors = planning_.objects().of<kube::ResourceFlavor>();
    const auto found = std::ranges::find(flavors, name, [](const auto& each) { return each.metadata.name; });
    return found == flavors.end() ? nullptr : &*found;
  }

  /// The pods may have the flavor as they are.
  [[nodiscard]] bool takes(const std::string& flavor) const {
    const kube::ResourceFlavor* object = flavor_named(flavor);
    return object != nullptr && what_opens(*object).empty();
  }

  /// What the pods would have to say for the flavor: a toleration of its taints, and its own labels where they select
  /// others. Empty: nothing, or no such thing would do.
  [[nodiscard]] Remedy what_opens(const kube::ResourceFlavor& flavor) const {
    Remedy remedy;
    for (const kube::Taint& taint : flavor.node_taints) {
      const auto tolerates = [&](const kube::Toleration& each) { return covers(each, taint); };
      const bool is_kept_out = keeps_out(taint) && std::ranges::none_of(spec_.tolerations, tolerates) &&
                               std::ranges::none_of(flavor.tolerations, tolerates);
      if (is_kept_out)
        remedy.push_back(Tolerate{{taint.key, kube::TolerationOperator::kEqual, taint.value, taint.effect, {}}});
    }
    for (const auto& [key, value] : spec_.node_selector) {
      const auto label = flavor.node_labels.find(key);
      if (label != flavor.node_labels.end() && label->second != value) {
        remedy.push_back(SelectLabel{key, value, label->second});
      }
    }
    return remedy;
  }

  /// Has the pods take flavors that they do not as they are, where the quota of these would do.
  void take_other_flavors() {
    const Amounts needs = needs_of(workload());
    for (const kube::ResourceGroup& group : queue_->resource_groups) {
      for (const kube::FlavorQuotas& quotas : group.flavors) {
        const kube::ResourceFlavor* flavor = flavor_named(quotas.flavor);
        const bool would_do = std::ranges::all_of(quotas.resources, [&](const kube::FlavorQuota& quota) {
          const auto needed = needs.find(quota.resource);
          return needed == needs.end() || lacks(quotas.flavor, quota.resource, needed->second) <= Amount();
        });
        if (flavor != nullptr && would_do) add(what_opens(*flavor));
      }
    }
  }

  void join_cohorts() {
    if (!queue_->cohort.empty()) return;
    std::set<std::string> cohorts;
    for (const kube::ClusterQueue& each : planning_.objects().of<kube::ClusterQueue>()) {
      if (!each.cohort.empty()) cohorts.insert(each.cohort);
    }
    std::size_t count = 0;
    for (const std::string& cohort : cohorts) {
      if (count++ < kMostOfAKind) add({JoinCohort{queue_->metadata.name, cohort}});
    }
  }

  // ---- the workload itself -----------------------------------------------------------------------------------------
  /// As many pods of a Job at a time as there is quota for.
  void shrink() {
    if (target_.workload.kind != "Job" || workload().pod_sets.size() != 1) return;
    const std::int32_t count = workload().pod_sets.front().count;
    std::int32_t most = 0;
    for (const kube::ResourceGroup& group : queue_->resource_groups) {
      for (const kube::FlavorQuotas& quotas : group.flavors) most = std::max(most, most_pods(quotas, count));
    }
    if (most <= 0 || most >= count) return;
    const Scale scale{target_.workload, count, most};
    add({scale}, kSmaller + static_cast<double>(count - most) / count);
  }

  /// How many of `count` equal pods there is quota of the flavor for.
  [[nodiscard]] std::int32_t most_pods(const kube::FlavorQuotas& quotas, std::int32_t count) const {
    if (!takes(quotas.flavor)) return 0;
    const Amounts needs = needs_of(workload());
    std::int64_t most = count;
    for (const kube::FlavorQuota& quota : quotas.resources) {
      const auto needed = needs.find(quota.resource);
      if (needed == needs.end() || needed->second.value() <= 0) continue;
      const std::int64_t each = needed->second.value() / count;
      const Amount missing = lacks(quotas.flavor, quota.resource, needed->second);
      if (each > 0) most = std::min(most, (needed->second - missing).value() / each);
    }
    return static_cast<std::int32_t>(most);
  }

  void raise_priority() {
    std::vector<const kube::WorkloadPriorityClass*> classes;
    for (const kube::WorkloadPriorityClass& each : planning_.objects().of<kube::WorkloadPriorityClass>()) {
      if (each.value > job_.workload.priority.value_or(0)) classes.push_back(&each);
    }
    std::ranges::stable_sort(classes, {}, [](const kube::WorkloadPriorityClass* each) { return each->value; });
    if (classes.size() > kMostOfAKind) classes.resize(kMostOfAKind);
    for (const kube::WorkloadPriorityClass* each : classes) {
      add({UseWorkloadPriority{each->metadata.name, each->value}});
    }
  }

  const simulator::Planning& planning_;
  const kube::PodSpec& spec_;
  const Target& target_;
  const kueue::KueueScheduler& scheduler_;
  const QueuedJob& job_;
  const kube::LocalQueue* local_ = nullptr;    // that the workload names; null: it is not there
  const kube::ClusterQueue* queue_ = nullptr;  // of that; null: likewise
  std::vector<UntriedRemedy> found_;
};

}  // namespace

std::vector<UntriedRemedy> queue_remedies(const simulator::Planning& planning, std::size_t subject,
                                          const Target& target) {
  const simulator::QueuedJobs* const queued = planning.queued();
  const simulator::SimulatedPod& pod = planning.pods()[subject];
  const std::optional<std::size_t> job = queued == nullptr ? std::nullopt : queued->find(subject, pod.workload);
  if (!job) return {};
  return QueueRemedies(planning, queued->jobs()[*job], *pod.pod.spec, target).run();
}

}  // namespace loadline::advice
