#pragma once

#include <map>
#include <string>
#include <vector>

#include "foundation/document/value.h"
#include "hosts/timeline/amount_over_time.h"
#include "hosts/timeline/timeline.h"

namespace loadline::timeline {

/// ClusterQueues of Kueue over time, as their statuses say.
class QueuesOverTime {
 public:
  /// The object is so from then on. Calls come in order of time.
  void see(Duration at, const document::Value& queue, bool is_gone);
  /// By name.
  [[nodiscard]] std::vector<QueueLife> lives() const;

 private:
  struct Track {
    QueueLife life;
    double pending = 0;
    double used = 0;
    double borrowed = 0;
  };

  std::map<std::string, Track, std::less<>> tracks_;
};

}  // namespace loadline::timeline
