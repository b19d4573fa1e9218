#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/cluster/facts/labels.h"
#include "brain/cluster/ledgers/ledger.h"
#include "brain/cluster/ledgers/undo_log.h"
#include "objects/kube/policy/pod_disruption_budget.h"

namespace loadline::cluster {

/// A disruption budget as preemption needs it.
struct DisruptionBudget {
  Symbol name_space;
  std::string name;
  PodSelector selector;
  std::int32_t allowed = 0;                 ///< status.disruptionsAllowed
  std::vector<std::string> disrupted_pods;  ///< status.disruptedPods, sorted: already counted
  friend bool operator==(const DisruptionBudget&, const DisruptionBudget&) = default;
};

/// `allowed` is the number of disruptions that the budget still permits.
DisruptionBudget compile_budget(const kube::PodDisruptionBudget& budget, std::int32_t allowed, SymbolTable& symbols);

/// The ledger of disruption budgets, in order of creation. In a transaction only allow() may be called.
class DisruptionBudgets final : public Ledger {
 public:
  [[nodiscard]] const std::vector<DisruptionBudget>& all() const { return budgets_; }
  /// Grows when a budget comes, changes or goes.
  [[nodiscard]] std::uint64_t version() const { return version_; }

  /// Replaces one of the same name.
  void add(DisruptionBudget budget);
  /// Those after it move up.
  void remove(Symbol name_space, std::string_view name);
  /// `pods` may be disrupted now. REQUIRES: `budget` is a place in all().
  void allow(std::size_t budget, std::int32_t pods);
  void replace_all(std::vector<DisruptionBudget> budgets);

  // ---- in a transaction: what allow() changed ----------------------------------------------------------------------
  void begin() override { undo_.begin(); }
  void keep() override { undo_.keep(); }
  void roll_back() override;
  void end() override { undo_.end(); }

 private:
  struct Allowed {
    std::size_t budget;
    std::int32_t before;
  };

  [[nodiscard]] std::vector<DisruptionBudget>::iterator find(Symbol name_space, std::string_view name);

  std::vector<DisruptionBudget> budgets_;
  std::uint64_t version_ = 0;
  UndoLog<Allowed> undo_;
};

}  // namespace loadline::cluster
