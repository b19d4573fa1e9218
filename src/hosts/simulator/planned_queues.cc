#include "hosts/simulator/planned_queues.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "brain/queue/kueue/round_objects.h"
#include "brain/queue/kueue/round_text.h"
#include "brain/queue/kueue/share.h"
#include "hosts/simulator/queued_jobs.h"

namespace loadline::simulator {

namespace kueue = queue::kueue;

namespace {

kube::Quantity quantity(std::string_view resource, kueue::Amount amount) {
  return kueue::quantity_of(resource, amount.value());
}

std::optional<kube::Quantity> limit(std::string_view resource, kueue::Amount amount) {
  if (amount.is_unlimited()) return std::nullopt;
  return quantity(resource, amount);
}

kueue::Amount least(kueue::Amount a, kueue::Amount b) { return std::min(a, b); }

PlannedQuota quota_of(const kueue::Quotas& quotas, kueue::QuotaCellId cell) {
  const cluster::QuotaTree& tree = quotas.tree();
  const cluster::QuotaColumn& column = tree.column(tree.column_of(cell));
  PlannedQuota quota;
  quota.flavor = tree.symbols().text(column.flavor);
  quota.resource = tree.symbols().text(column.resource);
  const auto told = [&](kueue::Amount amount) { return quantity(quota.resource, amount); };
  const kueue::Amount own = quotas.subtree(cell);
  const kueue::Amount used = quotas.used(cell);
  quota.nominal = told(quotas.nominal(cell));
  quota.used = told(used);
  quota.borrowed = told(kueue::at_least_nothing(used - own));
  quota.most = limit(quota.resource, quotas.potential(cell));
  if (const auto& borrowing = quotas.borrowing_limit(cell)) quota.borrowing = told(*borrowing);
  if (const auto& lending = quotas.lending_limit(cell)) quota.lending = told(*lending);
  // What is lent is gone from what the node could use by itself.
  const kueue::Amount unused = kueue::at_least_nothing(own - used);
  const kueue::Amount available = least(unused, kueue::at_least_nothing(quotas.available(cell)));
  if (!own.is_unlimited()) quota.lent = told(unused - available);
  return quota;
}

class QueueTrees {
 public:
  explicit QueueTrees(const QueuedJobs& queued) : scheduler_(queued.scheduler()), quotas_(scheduler_.quotas()) {}

  std::vector<PlannedQueue> run() && {
    for (const cluster::QuotaNodeId node : by_name(quotas_.tree().nodes())) {
      const bool is_circle = quotas_.tree().is_in_cycle(node);
      if (is_circle || !quotas_.tree().parent(node).valid()) add(node, 0);
    }
    return std::move(queues_);
  }

 private:
  void add(cluster::QuotaNodeId node, std::size_t depth) {
    const cluster::QuotaTree& tree = quotas_.tree();
    PlannedQueue queue;
    const bool is_queue = tree.kind(node) == cluster::QuotaNodeKind::kQueue;
    queue.kind = is_queue ? "ClusterQueue" : "Cohort";
    queue.name = tree.name(node);
    if (tree.parent(node).valid()) queue.parent = tree.name(tree.parent(node));
    queue.depth = depth;
    for (const kueue::QuotaCellId cell : quotas_.declared(node)) queue.quotas.push_back(quota_of(quotas_, cell));
    const kueue::Share share = kueue::share_of(quotas_, node);
    queue.weight = quotas_.weight(node);
    if (!share.is_infinite()) queue.share = share.weighted();
    if (is_queue) {
      queue.pending = scheduler_.pending().ready_count(node) + scheduler_.pending().inadmissible_count(node);
      queue.admitted = scheduler_.workloads().holders(node).size();
      const kueue::ActiveCondition active = kueue::active_condition(scheduler_.queues().at(node));
      if (!active.is_active) queue.inactive = active.message;
    }
    queues_.push_back(std::move(queue));
    if (tree.is_in_cycle(node)) return;
    for (const cluster::QuotaNodeId child : by_name(tree.children(node))) add(child, depth + 1);
  }

  /// Queues before cohorts, by name.
  [[nodiscard]] std::vector<cluster::QuotaNodeId> by_name(const auto& nodes) const {
    std::vector<cluster::QuotaNodeId> sorted(nodes.begin(), nodes.end());
    std::ranges::sort(sorted, {}, [&](cluster::QuotaNodeId node) {
      return std::pair(quotas_.tree().kind(node) != cluster::QuotaNodeKind::kQueue, quotas_.tree().name(node));
    });
    return sorted;
  }

  const kueue::KueueScheduler& scheduler_;
  const kueue::Quotas& quotas_;
  std::vector<PlannedQueue> queues_;
};

QueuedOutcome outcome_of(QueuedStage stage) {
  switch (stage) {
    case QueuedStage::kWaiting:
      return QueuedOutcome::kPending;
    case QueuedStage::kReserved:
      return QueuedOutcome::kReserved;
    case QueuedStage::kStarted:
      return QueuedOutcome::kAdmitted;
    case QueuedStage::kLeaving:
      return QueuedOutcome::kLeaving;
    case QueuedStage::kHeld:
    case QueuedStage::kOver:
      break;
  }
  return QueuedOutcome::kHeld;
}

kube::ResourceList requests_of(const kueue::KueueScheduler& scheduler, kueue::WorkloadId id) {
  kube::ResourceList requests;
  for (const kueue::PodSetDemand& set : scheduler.workloads().at(id).pod_sets) {
    for (const kueue::ResourceAmount& each : set.requests) {
      const std::string_view name = scheduler.quotas().tree().symbols().text(each.resource);
      requests[std::string(name)] += kueue::quantity_of(name, each.amount);
    }
  }
  return requests;
}

void tell_admission(const kube::WorkloadAdmission& admission, PlannedQueuedWorkload& planned) {
  planned.cluster_queue = admission.cluster_queue;
  for (const kube::PodSetAssignment& set : admission.pod_set_assignments) {
    for (const auto& [resource, flavor] : set.flavors) {
      if (std::ranges::find(planned.flavors, flavor) == planned.flavors.end()) planned.flavors.push_back(flavor);
    }
    for (const auto& [resource, amount] : set.resource_usage) planned.usage[resource] += amount;
  }
}

}  // namespace

std::vector<PlannedQueuedWorkload> planned_workloads(const QueuedJobs& queued) {
  std::vector<PlannedQueuedWorkload> workloads;
  for (std::size_t i = 0; i < queued.jobs().size(); ++i) {
    const QueuedJob& job = queued.jobs()[i];
    if (job.stage == QueuedStage::kOver) continue;
    PlannedQueuedWorkload& planned = workloads.emplace_back();
    planned.job = {job.name.kind, job.name.namespace_, job.name.name};
    planned.name = job.workload.metadata.name;
    planned.local_queue = job.workload.queue_name;
    planned.priority = job.workload.priority.value_or(0);
    planned.outcome = outcome_of(job.stage);
    planned.position = job.position;
    planned.evictions = job.stops;
    planned.after = job.after;
    if (job.stage != QueuedStage::kStarted) planned.message = queued.why_it_waits(i);
    if (job.workload.status.admission) {
      tell_admission(*job.workload.status.admission, planned);
    } else if (job.id.valid()) {
      planned.usage = requests_of(queued.scheduler(), job.id);
      const kueue::QueueId queue = queued.scheduler().workloads().at(job.id).queue;
      if (queue.valid()) planned.cluster_queue = queued.scheduler().quotas().tree().name(queue);
    }
  }
  return workloads;
}

std::vector<PlannedQueue> planned_queues(const QueuedJobs& queued) { return QueueTrees(queued).run(); }

}  // namespace loadline::simulator
