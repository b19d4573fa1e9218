#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "brain/cluster/ids.h"
#include "brain/cluster/labels.h"
#include "brain/cluster/shape.h"
#include "objects/kube/core/service.h"
#include "objects/kube/meta.h"

namespace loadline::cluster {

/// The services that select pods and the controllers that own them. Each replaces one of the same name. What changes or
/// removes one says whether anything is different now.
class PodOwnerIndex {
 public:
  explicit PodOwnerIndex(SymbolTable& symbols) : symbols_(&symbols) {}

  bool add_service(const kube::Service& service);
  bool remove_service(std::string_view name_space, std::string_view name);
  /// `kind` is ReplicaSet, StatefulSet or ReplicationController.
  bool add_controller(std::string_view kind, const kube::ObjectMeta& metadata, const PodSelector& selector);
  bool remove_controller(std::string_view kind, std::string_view name_space, std::string_view name);

  /// The selector of everything that counts as "the same application" as the pod: its services' and its controller's,
  /// all of them. Empty if it has neither. Source: plugins/helper/spread.go DefaultSelector, v1.36.
  [[nodiscard]] PodSelector selector_of(const PodShape& shape) const;

 private:
  using ControllerKey = std::tuple<Symbol, std::string, std::string>;  // namespace, name, kind

  SymbolTable* symbols_;
  std::map<Symbol, std::map<std::string, PodSelector, std::less<>>> services_;  // by namespace and name
  std::map<ControllerKey, PodSelector> controllers_;
};

}  // namespace loadline::cluster
