#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory_resource>
#include <unordered_map>
#include <utility>

namespace loadline::watching {

/// The values that were used last, by key: one more than `capacity`, and the one unused for longest is forgotten.
/// O(1). They lie together in memory of their own: what is remembered from a storm, one here and one there among all
/// that was allocated meanwhile, would keep many times its size from going back to the system.
template <class T>
class RecentlyUsed {
 public:
  explicit RecentlyUsed(std::size_t capacity) : capacity_(capacity) {}
  RecentlyUsed(const RecentlyUsed&) = delete;  // the index points into the list
  RecentlyUsed& operator=(const RecentlyUsed&) = delete;

  /// The value of that key, a new one if there was none. Good until the next call.
  T& use(std::uint64_t key) {
    if (const auto found = index_.find(key); found != index_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return found->second->second;
    }
    order_.emplace_front(key, T());
    index_.emplace(key, order_.begin());
    if (order_.size() > capacity_) {
      index_.erase(order_.back().first);
      order_.pop_back();
    }
    return order_.front().second;
  }

  [[nodiscard]] std::size_t size() const { return order_.size(); }

 private:
  using Order = std::pmr::list<std::pair<std::uint64_t, T>>;  // the one used last comes first

  std::size_t capacity_;
  std::pmr::unsynchronized_pool_resource memory_;
  Order order_{&memory_};
  std::pmr::unordered_map<std::uint64_t, typename Order::iterator> index_{&memory_};
};

}  // namespace loadline::watching
