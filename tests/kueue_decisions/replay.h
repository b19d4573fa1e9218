#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/document/value.h"
#include "kueue_decisions/outcome.h"
#include "objects/kube/custom_kinds.h"

namespace loadline::kueue_decisions {

/// What came of comparing our decisions with those of a trace.
struct Replayed {
  std::size_t cycles = 0;    ///< that were compared
  std::size_t differs_at{};  ///< of the trace's steps, that of the cycle that differs
  /// Of the first cycle that differs: the ones after it are about another state.
  std::vector<Difference> differences;
};

/// Replays traces. It keeps what it has read of the objects' definitions, which takes longer than a trace.
class Replays {
 public:
  /// Tells our queues what the real ones were told, and has them decide when those did. An error: no trace.
  Result<Replayed> replay(const document::Value& trace);
  /// Replays the trace of one line. The answer is one line of JSON without its end:
  /// `{"name":…, "cycles":N, "step":N, "differences":[{"what":…, "expected":…, "actual":…}]}`, and "error" if it could
  /// not be replayed. Never throws.
  std::string answer(std::string_view line);

 private:
  kube::CustomKinds kinds_{{}};
};

}  // namespace loadline::kueue_decisions
