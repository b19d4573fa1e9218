#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "brain/workloads/creation_order.h"
#include "hosts/simulator/intake.h"
#include "objects/kube/core/pod.h"

namespace loadline::simulator {

/// Pods that their controllers create once others of the workload run. A plan takes a pod for running as soon as it has
/// a node.
class AwaitedPods {
 public:
  /// A pod that no controller has created, and why.
  struct Uncreated {
    Arrival arrival;
    std::string message;  ///< "waits for task master (1 of 2 pods has a node)"
  };

  /// O(prerequisites). To be called before pods are counted.
  void add(AwaitedArrival awaited);
  /// A pod has a node, or (-1) has left it. O(labels of the pod), and the prerequisites that they tell of.
  void count(const kube::Pod& pod, std::int64_t sign);
  /// Those that are to be created now, in the order in which they were added; no more part of this.
  [[nodiscard]] std::vector<Arrival> take_due();
  /// Those of a workload that is stopped are not waited for any more. O(all).
  void drop(const workloads::WorkloadReference& workload);
  /// All that are left.
  [[nodiscard]] std::vector<Uncreated> take_rest();

 private:
  using Label = std::pair<std::string, std::string>;
  struct Awaited {
    std::shared_ptr<const workloads::CreationOrder> order;
    std::string name_space;
    std::vector<std::int64_t> there;                        // by prerequisite: pods on nodes
    std::vector<std::pair<std::size_t, Arrival>> arrivals;  // and when each was added
  };
  [[nodiscard]] static bool is_met(const Awaited& awaited);
  [[nodiscard]] static std::string why(const Awaited& awaited);

  std::vector<Awaited> awaited_;
  std::map<const workloads::CreationOrder*, std::size_t> places_;
  std::map<Label, std::vector<std::pair<std::size_t, std::size_t>>> by_label_;  // of the first label of prerequisites
  std::size_t added_ = 0;
  bool is_news_ = true;  // since the last look
};

}  // namespace loadline::simulator
