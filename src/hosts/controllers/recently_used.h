#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace loadline::controllers {

/// The values that were used last, by key: one more than `capacity`, and the one unused for longest is forgotten.
/// O(1).
template <class T>
class RecentlyUsed {
 public:
  explicit RecentlyUsed(std::size_t capacity) : capacity_(capacity) {}
  RecentlyUsed(const RecentlyUsed&) = delete;  // the index points into the list
  RecentlyUsed& operator=(const RecentlyUsed&) = delete;

  /// The value of that key, a new one if there was none. Good until the next call.
  T& use(const std::string& key) {
    if (const auto found = index_.find(key); found != index_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return found->second->second;
    }
    order_.emplace_front(key, T());
    index_.emplace(order_.front().first, order_.begin());
    if (order_.size() > capacity_) {
      index_.erase(order_.back().first);
      order_.pop_back();
    }
    return order_.front().second;
  }

  [[nodiscard]] std::size_t size() const { return order_.size(); }

 private:
  using Order = std::list<std::pair<std::string, T>>;  // the one used last comes first

  std::size_t capacity_;
  Order order_;
  std::unordered_map<std::string_view, typename Order::iterator> index_;  // keys are in the list
};

}  // namespace loadline::controllers
