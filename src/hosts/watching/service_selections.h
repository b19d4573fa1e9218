#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hosts/watching/cache.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/service.h"

namespace loadline::watching {

/// Which pods each Service selects, and which Services select a pod. Kept current with every change of either: a change
/// of a pod costs O(its labels and the Services found by them), a new selector O(the pods that have one of its labels);
/// the first one that is found by a label's key costs a look at all pods of the namespace.
class ServiceSelections {
 public:
  using Pods = Cache<kube::Pod>::ByName;
  using Services = std::map<std::string, ObjectPtr<kube::Service>, std::less<>>;

  ServiceSelections(Cache<kube::Pod>& pods, Cache<kube::Service>& services);
  ServiceSelections(const ServiceSelections&) = delete;
  ServiceSelections& operator=(const ServiceSelections&) = delete;

  /// The pods that a Service selects, by name.
  [[nodiscard]] const Pods& pods_of(const ObjectKey& service) const {
    const auto found = selected_.find(service);
    return found == selected_.end() ? none_ : found->second;
  }
  /// The Services of a namespace that select a pod of these labels.
  [[nodiscard]] std::vector<const Observed<kube::Service>*> selecting(std::string_view name_space,
                                                                      const kube::StringMap& labels) const;

 private:
  using Label = std::pair<std::string, std::string>;
  struct LabelOrder {  // also of the members of a map, without a copy
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const {
      return a.first != b.first ? a.first < b.first : a.second < b.second;
    }
  };
  struct Space {
    std::map<Label, Services, LabelOrder> services;  ///< each under one label of its selector
    std::map<Label, Pods, LabelOrder> pods;          ///< under their labels with keys that Services were filed under
    std::set<std::string, std::less<>> keys;         ///< those keys
  };

  void on_pod(const Change<kube::Pod>& change);
  void on_service(const Change<kube::Service>& change);
  void file(const ObjectPtr<kube::Service>& service);
  void file_pods(std::string_view name_space, const std::string& label_key);
  void unfile(const ObjectKey& key);

  const Cache<kube::Pod>& pods_;
  std::map<std::string, Space, std::less<>> spaces_;
  std::map<ObjectKey, Label> filed_;  ///< under which label a Service is
  std::map<ObjectKey, Pods> selected_;
  const Pods none_;
};

}  // namespace loadline::watching
