#include "objects/kube/objects.h"

#include <algorithm>

namespace loadline::kube {

bool has_unplanned(const std::vector<SkippedKind>& skipped) {
  return std::any_of(skipped.begin(), skipped.end(), [](const SkippedKind& kind) { return kind.unplanned > 0; });
}

Objects::Objects(const Objects& other) : skipped(other.skipped), is_whole_cluster(other.is_whole_cluster) {
  lists_.reserve(other.lists_.size());
  for (const auto& list : other.lists_) lists_.push_back(list == nullptr ? nullptr : list->copy());
}

Objects& Objects::operator=(const Objects& other) {
  if (this != &other) *this = Objects(other);
  return *this;
}

}  // namespace loadline::kube
