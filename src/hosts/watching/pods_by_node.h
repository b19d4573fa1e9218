#pragma once

#include <map>
#include <string>
#include <string_view>

#include "hosts/watching/cache.h"
#include "objects/kube/core/pod.h"

namespace loadline::watching {

/// Which pods are bound to which node.
class PodsByNode {
 public:
  using Pods = std::map<ObjectKey, ObjectPtr<kube::Pod>>;

  explicit PodsByNode(Cache<kube::Pod>& pods) {
    pods.listen([this](const Change<kube::Pod>& change) { on_change(change); });
  }
  PodsByNode(const PodsByNode&) = delete;
  PodsByNode& operator=(const PodsByNode&) = delete;

  [[nodiscard]] const Pods& on(std::string_view node) const {
    const auto found = nodes_.find(node);
    return found == nodes_.end() ? none_ : found->second;
  }

 private:
  void on_change(const Change<kube::Pod>& change) {
    if (change.before != nullptr) remove(*change.before);
    if (change.after != nullptr && !change.after->view.spec->node_name.empty()) {
      nodes_[change.after->view.spec->node_name][change.after->key()] = change.after;
    }
  }
  void remove(const Observed<kube::Pod>& pod) {
    const auto found = nodes_.find(pod.view.spec->node_name);
    if (found == nodes_.end()) return;
    found->second.erase(pod.key());
    if (found->second.empty()) nodes_.erase(found);
  }

  std::map<std::string, Pods, std::less<>> nodes_;
  const Pods none_;
};

}  // namespace loadline::watching
