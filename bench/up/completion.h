#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "bench/subjects/session.h"
#include "foundation/base/result.h"

namespace loadline::bench {

/// Something that runs a number of pods to their end.
struct Runner {
  std::string name;        ///< "Jobs"
  std::string collection;  ///< "/apis/batch/v1/namespaces/bench/jobs"
  std::string_view done;   ///< what the text of one says that has ended
  std::string (*manifest)(const std::string& name, std::size_t pods) = nullptr;
};

/// A Job of that many pods at once, each of which runs for ten seconds.
[[nodiscard]] Runner jobs_in(const std::string& name_space);
/// A JobSet of one such Job.
[[nodiscard]] Runner job_sets_in(const std::string& name_space);

/// Creates `count` of them, one after the other, and asks until all have ended. Returns how many seconds that took.
Result<double> run_to_the_end(Session& session, const Runner& runner, std::size_t count, std::size_t pods);

}  // namespace loadline::bench
