#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/replay/live_works.h"

namespace loadline::replay {

/// What is bound to happen. At one time what ends comes first, then what its owner deletes.
enum class DueKind : std::uint8_t {
  kPodGone,   ///< the grace period of a pod that was evicted is over
  kPodEnds,   ///< a pod of a work that is no gang has run its time
  kWorkEnds,  ///< a gang has
  kDeleted,
  kDeadline,  ///< of the dispatcher
};

struct Due {
  Duration at;
  DueKind kind = DueKind::kDeadline;
  std::uint64_t order = 0;  ///< of scheduling
  LiveWorks::Slot slot = 0;
  std::uint32_t pod = 0;
  std::uint64_t serial = 0;  ///< of the work; what is due for one that is over is void
  std::uint32_t run = 0;     ///< of the pod, or the gang: what is due for a run that was interrupted is void

  friend bool operator>(const Due& a, const Due& b) {
    return std::tie(a.at, a.kind, a.order) > std::tie(b.at, b.kind, b.order);
  }
};

/// What is bound to happen, in order of time.
class Calendar {
 public:
  void add(Due due) {
    due.order = ++added_;
    queue_.push(due);
  }
  [[nodiscard]] bool empty() const { return queue_.empty(); }
  [[nodiscard]] std::optional<Duration> next() const {
    return queue_.empty() ? std::nullopt : std::optional(queue_.top().at);
  }
  /// What is due first, if it is due at `now`.
  std::optional<Due> take(Duration now) {
    if (queue_.empty() || queue_.top().at > now) return std::nullopt;
    const Due due = queue_.top();
    queue_.pop();
    return due;
  }

 private:
  std::priority_queue<Due, std::vector<Due>, std::greater<>> queue_;
  std::uint64_t added_ = 0;
};

}  // namespace loadline::replay
