#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "brain/placement/scheduler.h"
#include "foundation/base/diagnostic.h"

namespace loadline::simulator {

/// The failures of extenders over a whole plan: each kind of failure of each extender is one warning, however often it
/// came.
class ExtenderNotes {
 public:
  void add(const placement::Decision& decision);
  /// In order of the extenders' URLs.
  [[nodiscard]] Diagnostics notes() const;

 private:
  struct Tally {
    std::size_t times = 0;
    std::string first;  // message
  };
  std::map<std::pair<std::string, placement::ExtenderTrouble::Kind>, Tally> tallies_;
};

}  // namespace loadline::simulator
