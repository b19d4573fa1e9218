#include "brain/queue/kueue/round.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "brain/queue/kueue/tournament.h"
#include "brain/queue/kueue/trial.h"

namespace loadline::queue::kueue {

using DecisionCode = Decision::Code;

bool Round::has_changed_something() const {
  return std::ranges::any_of(
      decisions, [](const Decision& it) { return it.code == DecisionCode::kAdmitted || !it.evicted.empty(); });
}

// ---- nominate ------------------------------------------------------------------------------------------------------

std::vector<RoundMaker::Entry> RoundMaker::nominate(const std::vector<WorkloadId>& heads) {
  std::vector<Entry> entries;
  entries.reserve(heads.size());
  for (const WorkloadId head : heads) {
    Entry& entry = entries.emplace_back();
    entry.workload = head;
    entry.decision.workload = head;
    if (is_refused(entry)) continue;
    entry.is_nominated = true;
    assign(entry);
  }
  return entries;
}

bool RoundMaker::is_refused(Entry& entry) const {
  const Workload& workload = workloads_.at(entry.workload);
  entry.decision.code = DecisionCode::kFailedChecks;
  if (workload.has_failed_checks) return true;
  entry.decision.code = DecisionCode::kInactiveQueue;
  if (!queues_.is_active(workload.queue)) return true;
  entry.decision.code = DecisionCode::kNamespaceMissing;
  if (!namespaces_.exists(workload.name_space)) return true;
  entry.decision.code = DecisionCode::kNamespaceMismatch;
  entry.reason = RequeueReason::kNamespaceMismatch;
  if (!namespaces_.admits(workload.queue, workload.name_space)) return true;
  entry.reason = RequeueReason::kGeneric;
  entry.decision.code = DecisionCode::kPodsRefused;
  if (!workload.pod_problem.empty()) return true;
  return false;
}

/// Progress counts for the shape that it was made for, in the round after it, and as long as nothing became free.
void RoundMaker::forget_old_progress(WorkloadId workload) {
  Workload& it = workloads_.at(workload);
  if (!it.progress) return;
  const bool is_of_other = settings_.moves_classes && it.progress->of != it.equivalence;
  const bool is_recent = number_ - it.progress->round <= 1;
  const bool is_outdated = queues_.at(it.queue).generation > it.progress->generation;
  const bool is_kept = settings_.keeps_flavor_progress ? !is_of_other && (is_recent || !is_outdated) : !is_outdated;
  if (!is_kept) it.progress.reset();
}

void RoundMaker::assign(Entry& entry) {
  forget_old_progress(entry.workload);
  preemption_.forget_last();
  Workload& workload = workloads_.at(entry.workload);
  if (!try_assign(entry, {}) && settings_.admits_partially && workload.may_be_smaller()) assign_fewer(entry);
  if (entry.decision.assignment.mode == AssignmentMode::kPreempt && entry.decision.victims.empty()) note_spared(entry);
  workload.progress = entry.decision.assignment.progress;
}

/// It fits, or would without its victims. The assignment is the entry's in any case. One that may be smaller is looked
/// for nodes, too, so that it can be as small as these ask for.
bool RoundMaker::try_assign(Entry& entry, std::span<const std::int32_t> counts) {
  Decision& it = entry.decision;
  it.assignment = assigner_.assign(entry.workload, counts, number_);
  it.victims.clear();
  if (it.assignment.mode == AssignmentMode::kPreempt) {
    const std::vector<QuotaCellId> contested = it.assignment.contested();
    const std::vector<QuotaUse> uses = it.assignment.requests();
    it.victims = preemption_.find_victims({entry.workload, contested, uses});
  }
  if (it.assignment.mode != AssignmentMode::kFit && it.victims.empty()) return false;
  const bool may_be_smaller = settings_.admits_partially && workloads_.at(entry.workload).may_be_smaller();
  return !may_be_smaller || has_room(it, false);
}

bool RoundMaker::has_room(Decision& decision, bool holds) const {
  if (!ask_room_) return true;
  RoomAnswer answer = ask_room_(decision, decision.victims, holds);
  decision.why_no_room = std::move(answer.why);
  return answer.fit != decision::Fit::kNo;
}

/// Whether it would have victims if nothing were remembered.
void RoundMaker::note_spared(Entry& entry) {
  Decision& it = entry.decision;
  const std::vector<QuotaCellId> contested = it.assignment.contested();
  const std::vector<QuotaUse> uses = it.assignment.requests();
  const std::vector<WorkloadId> spared = preemption_.spared_victims({entry.workload, contested, uses});
  if (spared.empty()) return;
  it.spared = {spared.front(), history_.had_preempted(entry.workload, spared.front())};
}

/// Upstream halves the steps between all and the least; larger steps are taken to fit if smaller ones do.
void RoundMaker::assign_fewer(Entry& entry) {
  const std::vector<PodSetDemand>& sets = workloads_.at(entry.workload).pod_sets;
  std::int64_t steps = 0;
  for (const PodSetDemand& set : sets) steps += set.full - set.least;
  std::vector<std::int32_t> counts(sets.size());
  const Decision all = entry.decision;
  std::optional<std::pair<std::int64_t, Decision>> best;
  std::optional<Decision> without_nodes;  // it would have quota with these counts
  std::int64_t first = 0;
  for (std::int64_t end = steps + 1; first < end;) {
    const std::int64_t step = first + (end - first) / 2;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const std::int64_t fewer = std::int64_t{sets[i].full - sets[i].least} * step / steps;
      counts[i] = sets[i].full - static_cast<std::int32_t>(fewer);
    }
    if (try_assign(entry, counts)) {
      best = {step, entry.decision};
      end = step;
    } else {
      if (!entry.decision.why_no_room.empty()) without_nodes = entry.decision;
      first = step + 1;
    }
  }
  const Decision& none = without_nodes ? *without_nodes : all;
  entry.decision = best && best->first == first ? std::move(best->second) : none;
}

// ---- order ---------------------------------------------------------------------------------------------------------

/// Others have left, or are leaving, for it.
bool RoundMaker::comes_first(const Workload& workload) const {
  return workload.has_made_room && settings_.repeated_preemption == RepeatedPreemption::kRefused;
}

std::vector<std::size_t> RoundMaker::classical_order(const std::vector<Entry>& entries) const {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return !entries[i].is_nominated; });
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const Workload& it = workloads_.at(entries[i].workload);
    return std::tuple(!comes_first(it), entries[i].decision.assignment.borrowing,
                      settings_.sorts_by_priority ? -it.priority : 0, it.queued_at);
  });
  return order;
}

// ---- process -------------------------------------------------------------------------------------------------------

/// What the entries of a round do to each other. Its usage lasts as long as it.
class RoundMaker::Processing {
 public:
  explicit Processing(RoundMaker& round) : round_(round), quotas_(round.quotas_), trial_(quotas_.tree()) {}

  /// Where flavors have no nodes for it, the next ones may have some.
  void process(Entry& entry) {
    process_once(entry);
    const auto& progress = round_.workloads_.at(entry.workload).progress;
    while (entry.decision.code == DecisionCode::kNoRoom && progress && progress->has_more()) {
      Decision refused = std::move(entry.decision);
      entry.decision = {.workload = entry.workload};
      round_.assign(entry);
      process_once(entry);
      const bool is_decided =
          entry.decision.code == DecisionCode::kAdmitted || entry.decision.code == DecisionCode::kPreempting;
      if (is_decided || entry.decision.code == DecisionCode::kNoRoom) continue;
      entry.decision = std::move(refused);
      break;
    }
    if (entry.decision.code == DecisionCode::kNoRoom) {
      entry.reason = RequeueReason::kNoFit;
      entry.keeps_progress = false;
    }
  }

 private:
  void process_once(Entry& entry) {
    Decision& it = entry.decision;
    if (it.assignment.mode == AssignmentMode::kNoFit) {
      it.code = DecisionCode::kNoFit;
      entry.reason = RequeueReason::kNoFit;
      return;
    }
    const bool preempts = it.assignment.mode == AssignmentMode::kPreempt;
    if (preempts && it.victims.empty()) {
      it.code = it.spared ? DecisionCode::kRepetition : DecisionCode::kNoVictims;
      // What is remembered of it says nothing of others of its class.
      const bool is_special = round_.preemption_.spares_any(entry.workload);
      entry.reason = is_special ? RequeueReason::kGeneric : RequeueReason::kPreemptionNoCandidates;
      return hold_quota_for(entry);
    }
    entry.reason = RequeueReason::kFailedAfterNomination;
    const auto leaves = [this](const Victim& victim) {
      return std::ranges::find(leaving_, victim.workload) != leaving_.end();
    };
    it.code = DecisionCode::kOverlapping;
    if (std::ranges::any_of(it.victims, leaves)) return;
    if (would_repeat(entry)) return;
    for (const Victim& victim : it.victims) leaving_.push_back(victim.workload);
    it.code = DecisionCode::kTaken;
    if (!fits(it)) return leaving_.resize(leaving_.size() - it.victims.size());
    const bool waits_for_pods = !preempts && has_admitted_ && round_.settings_.blocks_admission;
    if (!waits_for_pods && !round_.has_room(it, !preempts)) {
      leaving_.resize(leaving_.size() - it.victims.size());
      it.code = DecisionCode::kNoRoom;
      return;
    }
    add(it.assignment.usage);
    has_admitted_ = has_admitted_ || !preempts;
    it.code = preempts         ? DecisionCode::kPreempting
              : waits_for_pods ? DecisionCode::kWaitsForPods
                               : DecisionCode::kAdmitted;
    entry.keeps_progress = false;
    if (!preempts) return;
    entry.reason = RequeueReason::kPendingPreemption;
    for (const Victim& victim : it.victims) {
      if (!round_.workloads_.at(victim.workload).is_evicted) round_.history_.preempt(victim.workload, entry.workload);
    }
  }

  void add(const std::vector<QuotaUse>& usage) {
    for (const QuotaUse& use : usage) quotas_.add(use.cell, use.amount);
  }

  /// With the preemptions of this round, which it was nominated without: then it has another turn.
  bool would_repeat(Entry& entry) {
    if (round_.settings_.repeated_preemption == RepeatedPreemption::kAsUpstream) return false;
    const std::vector<WorkloadId> spared = round_.history_.spared_by(entry.workload);
    for (const Victim& victim : entry.decision.victims) {
      const bool is_spared = std::ranges::binary_search(spared, victim.workload);
      if (!is_spared || round_.workloads_.at(victim.workload).is_evicted) continue;
      entry.decision.code = DecisionCode::kRepetition;
      entry.decision.spared = {victim.workload, round_.history_.had_preempted(entry.workload, victim.workload)};
      return true;
    }
    return false;
  }

  /// Once all victims so far, and its own, have left.
  [[nodiscard]] bool fits(const Decision& it) {
    const auto fits_now = [&] { return kueue::fits(quotas_, it.assignment.usage, true); };
    if (leaving_.empty()) return fits_now();
    const Trial trial(quotas_.tree());
    for (const WorkloadId victim : leaving_) remove_usage(quotas_, round_.workloads_.at(victim));
    return fits_now();
  }

  /// So that nobody of lower priority in another queue takes what it waits for.
  void hold_quota_for(const Entry& entry) {
    const QueueId queue = round_.workloads_.at(entry.workload).queue;
    const auto& rules = round_.queues_.at(queue).object.preemption;
    if (rules.reclaim_within_cohort == kube::QueuePreemptionPolicy::kAny) return;
    std::vector<QuotaUse> held;
    for (QuotaUse use : entry.decision.assignment.usage) {
      const std::optional<Amount> limit = quotas_.borrowing_limit(use.cell);
      const Amount nominal = quotas_.nominal(use.cell);
      const Amount used = quotas_.used(use.cell);
      if (entry.decision.assignment.borrowing == 0) {
        use.amount = at_least_nothing(std::min(use.amount, nominal - used));
      } else if (limit) {
        use.amount = std::min(use.amount, nominal + *limit - used);
      }
      held.push_back(use);
    }
    add(held);
  }

  RoundMaker& round_;
  Quotas& quotas_;
  Trial trial_;
  std::vector<WorkloadId> leaving_;  // victims of this round
  bool has_admitted_ = false;
};

// ---- the round -----------------------------------------------------------------------------------------------------

Round RoundMaker::decide(Instant now) {
  Round round;
  round.number = ++number_;
  std::vector<Entry> entries = nominate(pending_.pop_heads());
  std::vector<std::size_t> order;
  {
    Processing processing(*this);
    if (settings_.fair_sharing) {
      std::vector<std::size_t> places;
      std::vector<Tournament::Contestant> contestants;
      for (std::size_t i = 0; i < entries.size(); ++i) {
        if (!entries[i].is_nominated) continue;
        places.push_back(i);
        contestants.push_back({entries[i].workload, entries[i].decision.assignment.usage});
      }
      Tournament tournament(quotas_, workloads_, settings_, std::move(contestants));
      while (tournament.has_next()) {
        order.push_back(places[tournament.next()]);
        processing.process(entries[order.back()]);
      }
    } else {
      order = classical_order(entries);
      for (const std::size_t i : order) processing.process(entries[i]);
    }
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].is_nominated) order.push_back(i);
  }
  round.decisions.reserve(order.size());
  for (const std::size_t i : order) {
    settle(entries[i], now);
    round.decisions.push_back(std::move(entries[i].decision));
  }
  return round;
}

/// Whoever cannot have what others left for it, or finds that it must not, is no longer ahead of others.
void RoundMaker::note_room(Workload& workload, DecisionCode code) const {
  if (code == DecisionCode::kPreempting) workload.has_made_room = true;
  const bool may_still_have_it =
      code == DecisionCode::kPreempting || code == DecisionCode::kOverlapping || code == DecisionCode::kTaken;
  if (!may_still_have_it) workload.has_made_room = false;
}

/// What was decided becomes so: quota is given, victims are leaving, the others are in their queues again.
void RoundMaker::settle(Entry& entry, Instant now) {
  Decision& it = entry.decision;
  Workload& workload = workloads_.at(entry.workload);
  if (!entry.keeps_progress) workload.progress.reset();
  note_room(workload, it.code);
  if (it.code == DecisionCode::kAdmitted) {
    pending_.remove(entry.workload);
    workloads_.give_quota(entry.workload, it.assignment.admission(), it.assignment.usage, now);
    return;
  }
  if (it.code == DecisionCode::kPreempting) {
    for (const Victim& victim : it.victims) {
      if (std::exchange(workloads_.at(victim.workload).is_evicted, true)) continue;
      it.evicted.push_back(victim);
    }
  }
  it.is_ready = pending_.requeue(entry.workload, entry.reason, now);
}

}  // namespace loadline::queue::kueue
