// What transactions ask of Cluster, too.
#include "brain/cluster/ledgers/transaction.h"

#include "foundation/base/contract.h"

namespace loadline::cluster {

Transaction::Transaction(Cluster& cluster, Visibility visibility)
    : cluster_(cluster), is_seen_(visibility == Visibility::kSeen) {
  cluster_.begin_transaction(is_seen_);
}

Transaction::~Transaction() {
  rollback();
  cluster_.end_transaction(is_seen_);
}

void Transaction::commit() { cluster_.keep_steps(is_seen_); }

void Transaction::rollback() { cluster_.undo_steps(); }

// ---- over all ledgers -----------------------------------------------------------------------------------------------

void Cluster::attach(Ledger& ledger) {
  REQUIRES(!undo_.is_open());
  attached_.push_back(&ledger);
}

void Cluster::detach(Ledger& ledger) {
  REQUIRES(!undo_.is_open());
  std::erase(attached_, &ledger);
}

void Cluster::release_claims(PodId pod) {
  REQUIRES(!undo_.is_open());
  for (auto ledger = attached_.rbegin(); ledger != attached_.rend(); ++ledger) (*ledger)->release(pod);
}

/// Beside the steps. Of the cluster's own, the compiler knows which they are: there are thousands of transactions a
/// turn.
template <class Act>
void Cluster::for_each_ledger(Act&& act) {
  act(budgets_);
  act(volumes_);
  act(reservations_);
  for (Ledger* const ledger : attached_) act(*ledger);
}

void Cluster::begin_transaction(bool is_seen) {
  REQUIRES(!is_seen || unseen_ == 0);
  if (!is_seen) ++unseen_;
  undo_.begin();
  for_each_ledger([](auto& ledger) { ledger.begin(); });
}

void Cluster::end_transaction(bool is_seen) {
  if (!is_seen) --unseen_;
  undo_.end();
  if (!undo_.is_open()) masked_.clear();
  for_each_ledger([](auto& ledger) { ledger.end(); });
}

void Cluster::keep_steps(bool is_seen) {
  const bool is_outermost_unseen = !is_seen && unseen_ == 1;
  if (is_outermost_unseen) {
    unseen_ = 0;  // what it did is no secret any more
    for (const Step& step : undo_.steps()) note_step(step);
    unseen_ = 1;
  }
  undo_.keep();
  for_each_ledger([](auto& ledger) { ledger.keep(); });
}

/// The ledgers go first: they may name what a step undoes.
void Cluster::undo_steps() {
  for_each_ledger([](auto& ledger) { ledger.roll_back(); });
  undo_.roll_back([this](const Step& step) { undo(step); });
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
    case Step::What::kNodeMasked:
      return unmask_node(step.node);
  }
}

/// The change log learns of a step that is there to stay.
void Cluster::note_step(const Step& step) {
  if (step.node.valid()) note(step.node);  // of nodes that came or went, everybody knows
  if (step.what == Step::What::kNominated && pod(step.pod).nominated.valid()) note(pod(step.pod).nominated);
}

}  // namespace loadline::cluster
