#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "foundation/base/result.h"
#include "hosts/trace/pod_of_one_container.h"
#include "hosts/trace/work.h"

namespace loadline::trace {

/// What a format says of pods, made once for the works that share them.
class DescribedPods {
 public:
  using Describe = Result<std::string> (*)(const PodOfOneContainer& row);

  explicit DescribedPods(Describe describe) : describe_(describe) {}

  /// Errors name the work: its pods are not all alike, or say more than rows do, or than the format does.
  Result<std::string_view> of(const Work& work);

 private:
  struct Known {
    std::shared_ptr<const kube::Pod> pod;  // so that no other pod comes to have its address
    std::string text;
  };
  Describe describe_;
  std::unordered_map<const kube::Pod*, Known> known_;
};

/// What CSV writes of a row, by the column.
std::string selector_text(const PodOfOneContainer& row);
std::string tolerations_text(const PodOfOneContainer& row);
std::string priority_text(const PodOfOneContainer& row);

/// Why the pods of rows that our formats read cannot be these: nothing if they can.
std::optional<std::string> unsaid(const PodOfOneContainer& row);

}  // namespace loadline::trace
