// What a transaction takes back never happened: books and later decisions equal those of a cluster that never knew of
// it. LOADLINE_TRANSACTION_SEEDS runs more of these histories, LOADLINE_TRANSACTION_FIRST_SEED other ones.
#include <string>
#include <vector>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/cluster/testing/seeds.h"
#include "brain/cluster/testing/volume_books.h"
#include "brain/placement/testing/history.h"

namespace loadline::placement {
namespace {

using cluster::Cluster;
using cluster::NodeId;
using cluster::PodId;
using cluster::Transaction;
using cluster::Visibility;
using cluster::testing::PodBuilder;

/// Of a room above, which the cluster knows nothing of: who took what, in order.
class Takings final : public cluster::Ledger {
 public:
  void take(PodId pod) {
    undo_.record(takers_.size());
    takers_.push_back(pod);
  }
  [[nodiscard]] const std::vector<PodId>& takers() const { return takers_; }

  void begin() override { undo_.begin(); }
  void keep() override { undo_.keep(); }
  void roll_back() override {
    undo_.roll_back([this](std::size_t before) { takers_.resize(before); });
  }
  void end() override { undo_.end(); }

 private:
  std::vector<PodId> takers_;
  cluster::UndoLog<std::size_t> undo_;
};

class TransactionHistory : public testing::History {
 protected:
  TransactionHistory() { cluster_.attach(takings_); }
  ~TransactionHistory() override { cluster_.detach(takings_); }

  /// All ledgers, in their order, and where the objects of the volume catalog are.
  struct Books {
    std::string text;
    std::vector<const void*> addresses;
    std::vector<PodId> takers;
    friend bool operator==(const Books&, const Books&) = default;
  };

  [[nodiscard]] Books books() const {
    std::string text;
    for (const NodeId node : cluster_.nodes()) text += testing::books_of(cluster_, node) + '\n';
    for (const NodeId node : cluster_.scan_order()) text += ' ' + std::string(cluster_.node_name(node));
    for (const auto& [pod, object] : objects_.pods) text += books_of(pod);
    for (const cluster::DisruptionBudget& budget : cluster_.budgets()) {
      text += "\nbudget " + budget.name + " allows " + std::to_string(budget.allowed);
    }
    text += '\n' + testing::books_of_reservations(cluster_) + cluster::testing::books_of(cluster_.volumes());
    return {std::move(text), cluster::testing::addresses_in(cluster_.volumes()), takings_.takers()};
  }

  [[nodiscard]] std::string books_of(PodId pod) const {
    const cluster::PodRecord& record = cluster_.pod(pod);
    std::string text = '\n' + cluster_.pod_text(pod) + ' ' + std::to_string(record.revision);
    if (record.group.valid()) text += " of " + std::to_string(cluster_.group(record.group).placed) + " placed";
    if (record.node.valid()) text += " on " + std::string(cluster_.node_name(record.node));
    if (record.nominated.valid()) text += " nominated to " + std::string(cluster_.node_name(record.nominated));
    if (record.terminating) text += record.terminating_by_preemption ? " preempted" : " terminating";
    if (record.started) text += " since " + std::to_string(record.started->nanoseconds);
    return text;
  }

  // ---- what is done tentatively ------------------------------------------------------------------------------------

  /// Some steps that stay, if any may, and some that do not.
  void try_out(Visibility visibility, int depth, bool may_stay) {
    Books before = books();
    std::size_t chosen = chosen_.size();
    {
      Transaction transaction(cluster_, visibility);
      for (std::uint64_t rounds = random_.below(3); rounds > 0; --rounds) {
        take_steps(visibility, depth);
        if (may_stay && random_.chance(60)) {
          transaction.commit();
          before = books();
          chosen = chosen_.size();
          continue;
        }
        transaction.rollback();
        chosen_.resize(chosen);
        EXPECT_EQ(books(), before);
      }
      take_steps(visibility, depth);
    }
    chosen_.resize(chosen);
    EXPECT_EQ(books(), before);
  }

  void take_steps(Visibility visibility, int depth) {
    for (std::uint64_t steps = random_.below(8); steps > 0 && !HasFailure(); --steps) take_step(visibility, depth);
  }

  void take_step(Visibility visibility, int depth) {
    const PodId waiting = any_waiting();
    const PodId placed = any_placed();
    switch (random_.below(15)) {
      case 0:
        if (placed.valid()) cluster_.set_terminating(placed, random_.chance(50));
        return;
      case 1:
        if (placed.valid()) cluster_.unplace(placed);
        return;
      case 2:
        if (waiting.valid()) cluster_.nominate(waiting, random_.chance(70) ? any_node() : NodeId{});
        return;
      case 3:
        if (cluster_.budgets().empty()) return;
        return cluster_.allow_disruptions(random_.below(cluster_.budgets().size()),
                                          static_cast<std::int32_t>(random_.below(3)));
      case 4:
        return random_.chance(70) ? add_hypothetical_node(visibility) : mask_node(visibility);
      case 5:
        return expect_decisions_in_between(visibility);
      case 6:
      case 7:
        if (depth == 3) return;
        if (random_.chance(50)) visibility = Visibility::kUnseen;
        return try_out(visibility, depth + 1, true);
      case 8:
        return consume_any();
      default:
        if (waiting.valid()) serve_tentatively(waiting, visibility);
    }
  }

  PodId any_waiting() {
    std::vector<PodId> waiting;
    for (const auto& [pod, object] : objects_.pods) {
      if (!cluster_.pod(pod).node.valid()) waiting.push_back(pod);
    }
    return waiting.empty() ? PodId{} : waiting[random_.below(waiting.size())];
  }

  void serve_tentatively(PodId pod, Visibility visibility) {
    // What searches remember knows nothing of unseen steps.
    const bool is_quick = visibility == Visibility::kSeen && random_.chance(70);
    const Decision decision = decide(pod, is_quick ? Detail::kDecision : Detail::kFull);
    if (decision.attempt.scheduled()) {
      if (decision.attempt.consumes.valid()) cluster_.consume(decision.attempt.consumes);
      scheduler().reserve(pod, decision.attempt.node);
      if (random_.chance(80)) take_choices();
      cluster_.nominate(pod, NodeId{});
      cluster_.place(pod, decision.attempt.node);
      takings_.take(pod);
    } else if (decision.preemption.node.valid()) {
      cluster_.nominate(pod, decision.preemption.node);
      for (const PodId victim : decision.preemption.chosen()->victims) {
        random_.chance(50) ? cluster_.unplace(victim) : cluster_.set_terminating(victim, true);
      }
    }
  }

  void consume_any() {
    std::vector<PodId> placeholders;
    for (const cluster::ReservationId id : cluster_.reservations().all()) {
      const std::vector<PodId>& own = cluster_.reservations().at(id).placeholders;
      placeholders.insert(placeholders.end(), own.begin(), own.end());
    }
    if (!placeholders.empty()) cluster_.consume(placeholders[random_.below(placeholders.size())]);
  }

  void take_choices() {
    for (cluster::ChosenVolume& choice : cluster_.volumes().take_choices()) chosen_.push_back(std::move(choice));
  }

  void add_hypothetical_node(Visibility visibility) {
    const std::string name = random_.one_of({"hypothetical1", "hypothetical2"});
    if (visibility == Visibility::kSeen && !cluster_.find_node(name).valid()) add(random_.node(name));
  }

  /// Its pods are elsewhere, or nowhere, first.
  void mask_node(Visibility visibility) {
    if (visibility != Visibility::kSeen || cluster_.node_count() < 3) return;
    const NodeId node = any_node();
    const std::vector<PodId> hopeful = cluster_.nominated_to(node);
    for (const PodId pod : hopeful) cluster_.nominate(pod, NodeId{});
    const std::vector<PodId> pods = cluster_.pods_on(node);
    for (const PodId pod : pods) cluster_.unplace(pod);
    cluster_.mask_node(node);
  }

  /// A cluster that is filled with what is tentatively there decides alike.
  void expect_decisions_in_between(Visibility visibility) {
    Cluster fresh;
    fill(fresh);
    for (std::size_t i = 0; i < cluster_.budgets().size(); ++i) {
      const auto& now = cluster_.budgets()[i];
      for (std::size_t j = 0; j < fresh.budgets().size(); ++j) {
        if (fresh.budgets()[j].name == now.name) fresh.allow_disruptions(j, now.allowed);
      }
    }
    for (const NodeId node : cluster_.nodes()) {
      const std::vector<PodId>& pods = fresh.pods_on(fresh.find_node(cluster_.node_name(node)));
      for (std::size_t i = 0; i < pods.size(); ++i) {
        const cluster::PodRecord& record = cluster_.pod(cluster_.pods_on(node)[i]);
        if (record.terminating) fresh.set_terminating(pods[i], record.terminating_by_preemption);
      }
    }
    expect_books_of(fresh);
    std::vector<PodBuilder> askers = templates_;
    std::erase_if(askers, [](const PodBuilder& asker) { return testing::has_own_claims(asker.build()); });
    expect_decisions_of(fresh, askers, visibility == Visibility::kSeen ? Detail::kDecision : Detail::kFull);
  }

  // ---- before and after --------------------------------------------------------------------------------------------

  void decide_tentatively() {
    for (std::uint64_t pods = random_.below(5); pods > 0; --pods) create();
    const Visibility visibility = random_.chance(65) ? Visibility::kSeen : Visibility::kUnseen;
    const bool may_stay = random_.chance(15);
    try_out(visibility, 1, may_stay);
    EXPECT_TRUE(may_stay || cluster_.volumes().take_choices().empty());
    expect_counts_to_be_current();
    settle();
  }

  /// What stayed of a transaction becomes known to others, and pods that still wait have their turn or go.
  void settle() {
    take_choices();
    storage_.note(std::exchange(chosen_, {}));
    forget_consumed_placeholders();
    const std::map<PodId, kube::Pod> pods = objects_.pods;
    for (const auto& [pod, object] : pods) {
      const cluster::PodRecord& record = cluster_.pod(pod);
      const bool is_on_its_way = record.node.valid() || record.nominated.valid();
      if (record.node.valid()) {
        make_known(pod);
      } else if (record.terminating || (!is_on_its_way && random_.chance(50))) {
        remove(pod);  // what was being deleted and has left its node is gone
      }
    }
    for (const cluster::DisruptionBudget& budget : cluster_.budgets()) {
      objects_.budgets.at(budget.name).disruptions_allowed = budget.allowed;
    }
    for (const auto& [pod, object] : pods) {
      if (!objects_.pods.contains(pod)) continue;
      if (!cluster_.pod(pod).node.valid() && !cluster_.pod(pod).nominated.valid()) serve(pod);
    }
  }

  void forget_consumed_placeholders() {
    const std::map<PodId, kube::Pod> known = objects_.placeholders;
    for (const auto& [placeholder, object] : known) {
      const auto& own = cluster_.reservations().at(cluster_.pod(placeholder).reservation).placeholders;
      if (std::ranges::find(own, placeholder) == own.end()) remove_placeholder(placeholder);
    }
  }

  void make_known(PodId pod) {
    kube::Pod& object = objects_.pods.at(pod);
    const cluster::PodRecord& record = cluster_.pod(pod);
    if (!record.started) start(pod);
    if (record.terminating && !object.metadata.deletion_timestamp) object.metadata.deletion_timestamp = Instant{};
    if (!record.terminating_by_preemption) return;
    object.status.conditions = {{"DisruptionTarget", "True", "PreemptionByScheduler", ""}};
  }

  Takings takings_;
  std::vector<cluster::ChosenVolume> chosen_;
};

TEST_P(TransactionHistory, LeavesNoTraceOfWhatIsRolledBack) {
  for (std::uint64_t i = 2 + random_.below(6); i > 0; --i) add(random_.node("first" + std::to_string(i)));
  storage_.set_up();
  for (int i = 0; i < 6; ++i) templates_.push_back(random_template(i));
  for (PodBuilder& each : templates_) each.spec().pod_group_name = random_.one_of({"", "", "group"});
  if (random_.chance(70)) set_budget("one");
  if (random_.chance(60)) reserve("room1", "web");
  for (std::uint64_t i = random_.below(40); i > 0; --i) schedule();
  for (int i = 1; i <= 40 && !HasFailure(); ++i) {
    happen();
    if (i % 4 != 0) continue;
    decide_tentatively();
    expect_no_trace();
  }
}

const int kFirstSeed = cluster::testing::number_of("LOADLINE_TRANSACTION_FIRST_SEED", 0);

INSTANTIATE_TEST_SUITE_P(Seeds, TransactionHistory,
                         ::testing::Range(kFirstSeed,
                                          kFirstSeed + cluster::testing::number_of("LOADLINE_TRANSACTION_SEEDS", 25)));

}  // namespace
}  // namespace loadline::placement
