#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brain/admission/rejection.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/scheduling/priority_class.h"

namespace loadline::admission {

/// What a pod says of its priority.
struct PodPriority {
  std::string class_name;
  std::optional<std::int32_t> value;
  std::optional<kube::PreemptionPolicy> preemption_policy;
};

/// The PriorityClasses of a cluster: those that were written, and the two that every cluster has
/// (system-cluster-critical 2000000000, system-node-critical 2000001000).
///
/// A pod gets the value and preemption policy of the class it names. Naming none, it gets the class marked
/// globalDefault (the lowest value if several are marked, the first of those written), or else priority 0 and
/// PreemptLowerPriority. A pod that carries a number of its own must carry the same number. Source:
/// plugin/pkg/admission/priority, v1.36.
class PriorityClasses {
 public:
  explicit PriorityClasses(const std::vector<kube::PriorityClass>& written);

  /// Fills in the class's name, priority and preemptionPolicy, or says why not and leaves all as it was.
  [[nodiscard]] std::optional<Rejection> resolve(PodPriority& asked) const;
  [[nodiscard]] std::optional<Rejection> resolve(kube::PodSpec& spec) const;

  /// Nothing: there is no class of that name.
  [[nodiscard]] std::optional<std::int32_t> value_of(std::string_view class_name) const;
  /// The names of all classes, those that every cluster has among them, in order.
  [[nodiscard]] std::vector<std::string_view> names() const;

 private:
  struct Class {
    std::int32_t value = 0;
    std::optional<kube::PreemptionPolicy> preemption_policy;
  };
  std::map<std::string, Class, std::less<>> classes_;
  std::string default_name_;  // empty: no class is marked globalDefault
};

}  // namespace loadline::admission
