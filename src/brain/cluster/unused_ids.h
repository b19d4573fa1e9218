#pragma once

#include <cstddef>
#include <vector>

namespace loadline::cluster {

/// Dense ids that came free and may be given out again: those freed last first, so that what is used stays together.
template <class IdType>
class UnusedIds {
 public:
  /// The next id for a list of `size` entries: one that came free, or `size` itself, for which the list has to grow.
  [[nodiscard]] IdType take(std::size_t size) {
    if (ids_.empty()) return IdType{size};
    const IdType id = ids_.back();
    ids_.pop_back();
    return id;
  }
  void give_back(IdType id) { ids_.push_back(id); }
  [[nodiscard]] std::size_t size() const { return ids_.size(); }

 private:
  std::vector<IdType> ids_;
};

}  // namespace loadline::cluster
