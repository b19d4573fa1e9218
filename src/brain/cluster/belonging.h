#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "brain/cluster/ids.h"
#include "brain/cluster/labels.h"
#include "brain/cluster/shape.h"
#include "objects/kube/core/service.h"
#include "objects/kube/meta.h"
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

/// What pods belong to: the services that select them, the controllers that own them, the budgets that guard them.
/// Each replaces one of the same name. What changes or removes says whether anything is different now.
class Belonging {
 public:
  explicit Belonging(SymbolTable& symbols) : symbols_(&symbols) {}

  bool add_service(const kube::Service& service);
  bool remove_service(std::string_view name_space, std::string_view name);
  /// `kind` is ReplicaSet, StatefulSet or ReplicationController.
  bool add_controller(std::string_view kind, const kube::ObjectMeta& metadata, const PodSelector& selector);
  bool remove_controller(std::string_view kind, std::string_view name_space, std::string_view name);
  bool add_budget(DisruptionBudget budget);
  /// Those after it move up.
  bool remove_budget(std::string_view name_space, std::string_view name);
  void set_budgets(std::vector<DisruptionBudget> budgets) { budgets_ = std::move(budgets); }

  /// The selector of everything that counts as "the same application" as the pod: its services' and its controller's,
  /// all of them. Empty if it belongs to nothing. Source: plugins/helper/spread.go DefaultSelector, v1.36.
  [[nodiscard]] PodSelector selector_of(const PodShape& shape) const;

  [[nodiscard]] const std::vector<DisruptionBudget>& budgets() const { return budgets_; }
  [[nodiscard]] std::vector<DisruptionBudget>& budgets() { return budgets_; }

 private:
  using ControllerKey = std::tuple<Symbol, std::string, std::string>;  // namespace, name, kind

  [[nodiscard]] std::vector<DisruptionBudget>::iterator find_budget(Symbol name_space, std::string_view name);

  SymbolTable* symbols_;
  std::map<Symbol, std::map<std::string, PodSelector, std::less<>>> services_;  // by namespace and name
  std::map<ControllerKey, PodSelector> controllers_;
  std::vector<DisruptionBudget> budgets_;
};

}  // namespace loadline::cluster
