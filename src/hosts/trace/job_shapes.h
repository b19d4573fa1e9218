#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "foundation/base/rng.h"
#include "foundation/base/time.h"

namespace loadline::trace {

/// What a generated job asks for: everything of it but its arrival.
struct JobShape {
  std::int64_t gpus = 1;
  Duration run_time;
  std::string_view work_class;
};

/// Shapes of jobs of which no more than some GPUs are asked.
///
/// A job is a point of two standard normal variables with correlation 0.3. By the first's rank it has its size and its
/// class, by the second its run time, so both follow their own distribution exactly, and larger jobs run longer.
class JobShapes {
 public:
  /// REQUIRES: max_gpus >= 1.
  explicit JobShapes(std::int64_t max_gpus);

  JobShape draw(Rng& rng) const;

 private:
  struct Size {
    std::int64_t gpus;
    double up_to;  // the share of jobs of this size or less
  };
  std::vector<Size> sizes_;
};

}  // namespace loadline::trace
