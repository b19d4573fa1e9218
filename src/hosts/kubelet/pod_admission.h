#pragma once

#include <map>
#include <optional>
#include <string>

#include "brain/cluster/facts/kubelet_rejection.h"
#include "hosts/watching/caches.h"
#include "objects/kube/core/node.h"

namespace loadline::kubelet {

/// What the pods that kubelets admitted hold of their nodes, and whether they take one more
/// (brain/cluster/facts/kubelet_rejection.h).
class PodAdmission {
 public:
  /// Nothing: the pod was taken, and holds what it requests until it is released. O(resources), O(pods on the node)
  /// when a node is first asked about or the pod wants ports of the host.
  std::optional<cluster::KubeletRejection> admit(const watching::Observed<kube::Node>& node,
                                                 const watching::Observed<kube::Pod>& pod,
                                                 const watching::Caches& caches);
  /// Of a pod that was taken before: it is there, whether there is room or not.
  void hold(const watching::Observed<kube::Pod>& pod, const watching::Caches& caches);
  /// A pod that was taken holds what it requests now: it was resized in place. Others: nothing.
  void resize(const watching::Observed<kube::Pod>& pod);
  void release(const std::string& node, const std::string& uid);
  /// The node is gone. If one of that name comes back, what was taken is counted from the caches.
  void forget_node(const std::string& node) { nodes_.erase(node); }

 private:
  struct Held {
    std::map<std::string, kube::ResourceList> by_uid;
    kube::ResourceList sum;
  };
  static void add(Held& held, const watching::Observed<kube::Pod>& pod);
  Held& held_on(const std::string& node, const watching::Caches& caches, const std::string& but_for_uid);

  std::map<std::string, Held> nodes_;
};

}  // namespace loadline::kubelet
