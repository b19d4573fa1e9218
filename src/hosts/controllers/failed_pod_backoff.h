#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "foundation/base/time.h"
#include "objects/kube/apps/apps.h"

namespace loadline::controllers {

/// How long a DaemonSet waits before it replaces a pod that failed on a node again: 1 s, 2 s, 4 s, … 15 minutes; anew
/// for each generation, and after twice the longest time without failure. What is over is forgotten.
class FailedPodBackoff {
 public:
  /// How long there is still to wait; nothing: no more.
  [[nodiscard]] std::optional<Duration> wait(const kube::DaemonSet& set, std::string_view node, Instant now) const;
  /// A pod that failed there is being replaced.
  void note(const kube::DaemonSet& set, std::string_view node, Instant now);

 private:
  using Key = std::tuple<std::string, std::int64_t, std::string>;  // uid, generation, node
  struct Entry {
    Duration delay;
    Instant since;
  };
  void forget_what_is_over(Instant now);

  std::map<Key, Entry> entries_;
  std::size_t next_sweep_ = 1024;
};

}  // namespace loadline::controllers
