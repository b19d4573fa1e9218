#include "brain/engine/dispatcher.h"

#include <utility>

#include "foundation/base/contract.h"

namespace loadline::engine {

using cluster::NodeId;
using cluster::PodId;

void Dispatcher::add(PodId pod) {
  REQUIRES(scheduler_.profile(cluster_.symbols().text(cluster_.shape_of(pod).scheduler_name)) != nullptr);
  queue_.push(pod);
}

void Dispatcher::placed_elsewhere(PodId pod) {
  ++generation_;
  queue_.pod_placed(pod);
}

void Dispatcher::take_back(PodId pod) {
  cluster_.unplace(pod);
  queue_.push(pod);
  capacity_freed();
}

void Dispatcher::leaving(PodId pod, bool by_preemption) {
  cluster_.set_terminating(pod, by_preemption);
  ++generation_;
  queue_.pod_leaving(pod);
}

void Dispatcher::capacity_freed() {
  ++generation_;
  queue_.wake_all();
}

void Dispatcher::reclaim() {
  failures_.clear();  // named by shapes
  scheduler_.reclaim();
}

bool Dispatcher::flush_unschedulable() {
  if (generation_ == retried_generation_) return false;
  retried_generation_ = generation_;
  queue_.wake_all();
  return has_next();
}

Turn Dispatcher::take(PodId pod, placement::Detail detail) {
  Turn turn = decide(pod, detail);
  if (tell_) tell_(turn);
  return turn;
}

Turn Dispatcher::decide(PodId pod, placement::Detail detail) {
  Turn turn;
  turn.pod = pod;
  // A caller that asks for more detail gets the decision itself.
  if (const KnownFailure* known = known_failure(pod); known != nullptr && detail == placement::Detail::kDecision) {
    turn.is_repeated = true;
    turn.message = known->message;
    turn.reasons = known->reasons;
    queue_.park(pod, known->refused_by);
    return turn;
  }
  turn.decision = scheduler_.decide(pod, detail);
  if (turn.decision.attempt.scheduled()) {
    place(turn);
  } else {
    fail(turn);
  }
  return turn;
}

/// Pods of one shape and priority fail alike as long as nothing changes, so the second one need not ask again.
const Dispatcher::KnownFailure* Dispatcher::known_failure(PodId pod) const {
  const cluster::PodRecord& record = cluster_.pod(pod);
  if (record.nominated.valid()) return nullptr;
  const auto known = failures_.find({record.shape, record.priority, record.preemption_policy});
  return known == failures_.end() || known->second.generation != generation_ ? nullptr : &known->second;
}

void Dispatcher::place(Turn& turn) {
  const NodeId node = turn.decision.attempt.node;
  scheduler_.reserve(turn.pod, node);
  turn.volumes = cluster_.volumes().take_choices();
  const NodeId nominated = cluster_.pod(turn.pod).nominated;
  cluster_.nominate(turn.pod, NodeId{});
  // A nomination was taken back: pods that failed because of it may fit now.
  if (nominated.valid() && nominated != node) capacity_freed();
  cluster_.place(turn.pod, node);
  ++generation_;
  turn.node = node;
  queue_.pod_placed(turn.pod);
}

void Dispatcher::fail(Turn& turn) {
  placement::Decision& decision = turn.decision;
  turn.message = decision.message;
  turn.reasons = count_reasons(decision.attempt, scheduler_.rejections(), cluster_.node_count());
  const cluster::PodRecord& record = cluster_.pod(turn.pod);
  const placement::Preemption& preemption = decision.preemption;
  const bool stays_nominated = record.nominated.valid() && preemption.keeps_nomination();
  if (record.nominated.valid() && !stays_nominated && preemption.node != record.nominated) {
    cluster_.nominate(turn.pod, NodeId{});
    capacity_freed();
  }
  // Where evictions make room, a pod affinity may still be unmet: the attempt's filters did not come so far.
  std::vector<std::string_view> refused_by = decision.attempt.rejecting_plugins;
  for (const placement::RejectionCount& counted : preemption.rejections) {
    refused_by.push_back(scheduler_.rejections().at(counted.rejection).plugin);
  }
  queue_.park(turn.pod, refused_by);
  if (preemption.node.valid()) {
    preempt(turn);
  } else if (!stays_nominated && decision.attempt.error.empty() && !decision.asked_extenders) {
    // What a scoring plugin that is not built in fails with may depend on what the shape does not hold: annotations.
    failures_[{record.shape, record.priority, record.preemption_policy}] = {generation_, turn.message, turn.reasons,
                                                                            std::move(refused_by)};
  }
  turn.nominated = record.nominated;
}

void Dispatcher::preempt(Turn& turn) {
  const NodeId node = turn.decision.preemption.node;
  const std::int32_t priority = cluster_.pod(turn.pod).priority;
  // Pods of lower priority that are nominated to this node lose their nomination.
  const std::vector<PodId> hopeful = cluster_.nominated_to(node);
  for (const PodId other : hopeful) {
    if (other == turn.pod || cluster_.pod(other).priority >= priority) continue;
    cluster_.nominate(other, NodeId{});
    turn.denominated.push_back(other);
    capacity_freed();
  }
  cluster_.nominate(turn.pod, node);
  ++generation_;
  for (const PodId victim : turn.decision.preemption.chosen()->victims) {
    if (!cluster_.pod(victim).terminating) turn.victims.push_back(victim);
  }
}

}  // namespace loadline::engine
