#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "brain/cluster/facts/labels.h"
#include "brain/cluster/ids.h"
#include "brain/cluster/shapes/shape.h"
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
  /// What a service selects; nothing, if there is no such service.
  [[nodiscard]] PodSelector service(std::string_view name_space, std::string_view name) const;
  /// `kind` is ReplicaSet, StatefulSet or ReplicationController.
  bool add_controller(std::string_view kind, const kube::ObjectMeta& metadata, const PodSelector& selector);
  bool remove_controller(std::string_view kind, std::string_view name_space, std::string_view name);

  /// The selector of everything that counts as "the same application" as the pod: its services' and its controller's,
  /// all of them. Empty if it has neither. O(labels of the pod, and services that are found by one of them).
  /// Source: plugins/helper/spread.go DefaultSelector, v1.36.
  [[nodiscard]] PodSelector selector_of(const PodShape& shape) const;

 private:
  using ControllerKey = std::tuple<Symbol, std::string, std::string>;  // namespace, name, kind

  struct Service {
    PodSelector selector;
    Label found_by;  ///< one of the labels that it asks for
  };
  struct Services {  // of a namespace
    std::map<std::string, Service, std::less<>> by_name;
    std::map<Label, std::set<std::string, std::less<>>> by_label;
  };

  /// Of the labels that a service asks for, the one by which the fewest services are found.
  [[nodiscard]] Label rarest(const Services& services, const kube::StringMap& labels) const;

  /// The services that select pods of the shape, by name.
  [[nodiscard]] std::map<std::string_view, const PodSelector*> selecting(const PodShape& shape) const;

  SymbolTable* symbols_;
  std::map<Symbol, Services> services_;  // by namespace
  std::map<ControllerKey, PodSelector> controllers_;
};

}  // namespace loadline::cluster
