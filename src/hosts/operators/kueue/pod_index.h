#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hosts/operators/kueue/pod_group.h"
#include "hosts/watching/cache.h"

namespace loadline::operators::kueue {

/// Pods by what they say they belong to, in their namespace: the group of that name, for one.
class PodIndex {
 public:
  /// `name_of`: what a pod belongs to; empty: nothing.
  explicit PodIndex(std::function<std::string_view(const kube::ObjectMeta&)> name_of) : name_of_(std::move(name_of)) {}

  /// REQUIRES: hears of every change of a pod.
  void on_change(const watching::Change<kube::Pod>& change);
  /// By name. O(those found).
  [[nodiscard]] std::vector<PodPtr> of(std::string_view name_space, std::string_view name,
                                       const watching::Cache<kube::Pod>& pods) const;

 private:
  std::function<std::string_view(const kube::ObjectMeta&)> name_of_;
  std::map<watching::ObjectKey, std::set<std::string>> names_;
};

}  // namespace loadline::operators::kueue
