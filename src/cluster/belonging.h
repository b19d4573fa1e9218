#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "cluster/ids.h"
#include "cluster/labels.h"
#include "cluster/shape.h"
#include "kube/core/service.h"
#include "kube/meta.h"
#include "kube/policy/pod_disruption_budget.h"

namespace loadline::cluster {

/// A disruption budget as preemption needs it.
struct DisruptionBudget {
  Symbol name_space;
  PodSelector selector;
  std::int32_t allowed = 0;            ///< status.disruptionsAllowed
  std::vector<Symbol> disrupted_pods;  ///< status.disruptedPods, sorted: already counted
};

/// `allowed` is the number of disruptions that the budget still permits.
DisruptionBudget compile_budget(const kube::PodDisruptionBudget& budget, std::int32_t allowed, SymbolTable& symbols);

/// What pods belong to: the services that select them, the controllers that own them, the budgets that guard them.
class Belonging {
 public:
  explicit Belonging(SymbolTable& symbols) : symbols_(&symbols) {}

  void add_service(const kube::Service& service);
  /// `kind` is ReplicaSet, StatefulSet or ReplicationController.
  void add_controller(std::string_view kind, const kube::ObjectMeta& metadata, const PodSelector& selector);
  void set_budgets(std::vector<DisruptionBudget> budgets) { budgets_ = std::move(budgets); }

  /// The selector of everything that counts as "the same application" as the pod: its services' and its controller's,
  /// all of them. Empty if it belongs to nothing. Source: plugins/helper/spread.go DefaultSelector, v1.36.
  [[nodiscard]] PodSelector selector_of(const PodShape& shape) const;

  [[nodiscard]] const std::vector<DisruptionBudget>& budgets() const { return budgets_; }
  [[nodiscard]] std::vector<DisruptionBudget>& budgets() { return budgets_; }

 private:
  SymbolTable* symbols_;
  std::map<Symbol, std::vector<PodSelector>> services_;  // by namespace
  std::map<std::tuple<std::string, Symbol, std::string>, PodSelector> controllers_;
  std::vector<DisruptionBudget> budgets_;
};

}  // namespace loadline::cluster
