// What transactions ask of Cluster, too.
#include "brain/cluster/transaction.h"

#include "foundation/base/contract.h"

namespace loadline::cluster {

Transaction::Transaction(Cluster& cluster, Visibility visibility)
    : cluster_(cluster), is_seen_(visibility == Visibility::kSeen), begin_(cluster.begin_transaction(is_seen_)) {}

Transaction::~Transaction() {
  rollback();
  cluster_.end_transaction(is_seen_);
}

void Transaction::commit() { begin_ = cluster_.keep_steps(begin_, is_seen_); }

void Transaction::rollback() { cluster_.undo_steps(begin_); }

// ---- over all ledgers -----------------------------------------------------------------------------------------------

Cluster::Marks Cluster::begin_transaction(bool is_seen) {
  REQUIRES(!is_seen || unseen_ == 0);
  if (!is_seen) ++unseen_;
  return {undo_.begin(), budgets_.begin(), volumes_.begin(), reservations_.begin()};
}

void Cluster::end_transaction(bool is_seen) {
  if (!is_seen) --unseen_;
  undo_.end();
  budgets_.end();
  volumes_.end();
  reservations_.end();
}

/// Returns where the next steps begin.
Cluster::Marks Cluster::keep_steps(const Marks& since, bool is_seen) {
  const bool is_outermost_unseen = !is_seen && unseen_ == 1;
  if (is_outermost_unseen) unseen_ = 0;  // what it did is no secret any more
  for (std::size_t i = since.steps; i < undo_.steps().size() && is_outermost_unseen; ++i) note_step(undo_.steps()[i]);
  if (is_outermost_unseen) unseen_ = 1;
  return {undo_.steps().size(), budgets_.mark(), volumes_.mark(), reservations_.mark()};
}

void Cluster::undo_steps(const Marks& since) {
  undo_.roll_back(since.steps, [this](const Step& step) { undo(step); });
  if (budgets_.roll_back(since.budgets)) ++budget_version_;
  volumes_.roll_back(since.volumes);
  reservations_.roll_back(since.reservations);
}

void Cluster::undo(const Step& step) {
  switch (step.what) {
    case Step::What::kPlaced:
      take_off(step.pod);
      return note(step.node);
    case Step::What::kUnplaced:
      place_at(step.pod, step.node, step.position);
      return note(step.node);
    case Step::What::kNominated:
      withdraw_nomination(step.pod);
      if (step.node.valid()) nominate_at(step.pod, step.node, step.position);
      return;
    case Step::What::kTerminating:
      return set_termination(step.pod, step.was_terminating, step.was_terminating_by_preemption);
    case Step::What::kNodeAdded:
      return drop_node(step.node);
  }
}

/// The change log learns of a step that is there to stay.
void Cluster::note_step(const Step& step) {
  if (step.node.valid()) note(step.node);
  if (step.what == Step::What::kNominated && pod(step.pod).nominated.valid()) note(pod(step.pod).nominated);
}

}  // namespace loadline::cluster
