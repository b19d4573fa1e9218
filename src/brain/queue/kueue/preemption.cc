#include "brain/queue/kueue/preemption.h"

#include <algorithm>
#include <array>
#include <limits>

#include "brain/queue/kueue/classical_preemption.h"
#include "brain/queue/kueue/fair_preemption.h"
#include "brain/queue/kueue/trial.h"

namespace loadline::queue::kueue {

Candidates::Candidates(const Quotas& quotas, const Workloads& workloads, const PreemptionRequest& request)
    : quotas_(quotas), workloads_(workloads), preemptor_(workloads.at(request.preemptor)), spared_(request.spared) {
  for (const QuotaCellId cell : request.contested) columns_.push_back(quotas.tree().column_of(cell));
}

bool Candidates::uses_contested(WorkloadId candidate) const {
  return std::ranges::any_of(workloads_.at(candidate).uses, [this](const QuotaUse& use) {
    return std::ranges::find(columns_, quotas_.tree().column_of(use.cell)) != columns_.end();
  });
}

bool Candidates::satisfies(WorkloadId candidate, kube::QueuePreemptionPolicy policy) const {
  const Workload& it = workloads_.at(candidate);
  if (!spared_.empty() && !it.is_evicted && std::ranges::binary_search(spared_, candidate)) return false;
  const bool is_lower = it.priority < preemptor_.priority;
  switch (policy) {
    case kube::QueuePreemptionPolicy::kNever:
      return false;
    case kube::QueuePreemptionPolicy::kLowerPriority:
      return is_lower;
    case kube::QueuePreemptionPolicy::kLowerOrNewerEqualPriority:
      return is_lower || (it.priority == preemptor_.priority && preemptor_.queued_at < it.queued_at);
    case kube::QueuePreemptionPolicy::kAny:
      return true;
  }
  return false;
}

Candidates::Rank Candidates::rank(WorkloadId candidate) const {
  const Workload& it = workloads_.at(candidate);
  constexpr Instant kNow{std::numeric_limits<std::int64_t>::max()};
  Rank rank{!it.is_evicted, it.queue == preemptor_.queue, it.priority, -it.reserved_at.value_or(kNow).nanoseconds};
  for (std::size_t i = 0; i < sizeof(rank.uid); ++i) {
    rank.uid = rank.uid << 8 | (i < it.uid.size() ? static_cast<unsigned char>(it.uid[i]) : 0);
  }
  return rank;
}

bool Candidates::leaves_before(WorkloadId a, WorkloadId b) const {
  const Rank one = rank(a);
  const Rank other = rank(b);
  return one != other ? one < other : workloads_.at(a).uid < workloads_.at(b).uid;
}

bool Candidates::is_within(QuotaNodeId node) const {
  return std::ranges::all_of(columns_, [&](QuotaColumnId column) {
    const QuotaCellId cell = quotas_.tree().find_cell(node, column);
    return !cell.valid() || quotas_.is_within(cell);
  });
}

void remove_usage(Quotas& quotas, const Workload& workload) {
  for (const QuotaUse& use : workload.uses) quotas.remove(use.cell, use.amount);
}

void add_usage(Quotas& quotas, const Workload& workload) {
  for (const QuotaUse& use : workload.uses) quotas.add(use.cell, use.amount);
}

bool fits(const Quotas& quotas, std::span<const QuotaUse> uses, bool may_borrow) {
  return std::ranges::all_of(uses, [&](const QuotaUse& use) {
    if (!may_borrow && quotas.borrows_with(use.cell, use.amount)) return false;
    return use.amount <= at_least_nothing(quotas.available(use.cell));
  });
}

void fill_back(Quotas& quotas, const Workloads& workloads, const PreemptionRequest& request, bool may_borrow,
               std::vector<Victim>& victims) {
  for (std::size_t i = victims.size(); i-- > 0;) {
    if (i + 1 == victims.size()) continue;
    const Workload& victim = workloads.at(victims[i].workload);
    add_usage(quotas, victim);
    if (fits(quotas, request.uses, may_borrow)) {
      victims[i] = victims.back();
      victims.pop_back();
    } else {
      remove_usage(quotas, victim);
    }
  }
}

std::vector<Victim> Preemption::find_victims(const PreemptionRequest& request) {
  if (last_.preemptor == request.preemptor && std::ranges::equal(last_.contested, request.contested) &&
      std::ranges::equal(last_.uses, request.uses)) {
    return last_.victims;
  }
  last_.preemptor = request.preemptor;
  last_.contested.assign(request.contested.begin(), request.contested.end());
  last_.uses.assign(request.uses.begin(), request.uses.end());
  const std::vector<WorkloadId> spared = spared_by(request.preemptor);
  PreemptionRequest sparing = request;
  sparing.spared = spared;
  last_.victims = search(sparing);
  return last_.victims;
}

std::vector<Victim> Preemption::search(const PreemptionRequest& request) {
  return settings_.fair_sharing ? find_fair_victims(quotas_, queues_, workloads_, settings_, request)
                                : find_classical_victims(quotas_, queues_, workloads_, request);
}

std::vector<WorkloadId> Preemption::spared_by(WorkloadId preemptor) const {
  if (settings_.repeated_preemption == RepeatedPreemption::kAsUpstream) return {};
  return history_.spared_by(preemptor);
}

std::vector<WorkloadId> Preemption::spared_victims(const PreemptionRequest& request) {
  const std::vector<WorkloadId> spared = spared_by(request.preemptor);
  std::vector<WorkloadId> found;
  if (spared.empty()) return found;
  for (const Victim& victim : search(request)) {
    const bool is_spared = std::ranges::binary_search(spared, victim.workload);
    if (is_spared && !workloads_.at(victim.workload).is_evicted) found.push_back(victim.workload);
  }
  std::ranges::sort(found);
  return found;
}

PreemptionOracle::Answer Preemption::simulate(WorkloadId preemptor, QuotaCellId cell, Amount amount) {
  const std::array contested = {cell};
  const std::array uses = {QuotaUse{cell, amount}};
  const std::vector<Victim> victims = find_victims({preemptor, contested, uses});
  if (victims.empty()) return {PreemptionOutlook::kNoCandidates, quotas_.lowest_subtree(cell, amount).height};
  const QueueId queue = workloads_.at(preemptor).queue;
  PreemptionOutlook outlook = PreemptionOutlook::kReclaim;
  const Trial trial(quotas_.tree());
  for (const Victim& victim : victims) {
    remove_usage(quotas_, workloads_.at(victim.workload));
    if (workloads_.at(victim.workload).queue == queue) outlook = PreemptionOutlook::kPreempt;
  }
  return {outlook, quotas_.lowest_subtree(cell, amount).height};
}

}  // namespace loadline::queue::kueue
