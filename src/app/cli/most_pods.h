#pragma once

#include <cstdint>
#include <optional>

#include "app/cli/plan_input.h"
#include "foundation/base/diagnostic.h"
#include "foundation/base/time.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// How many pods may be made as time passes, unless a user says otherwise: an API server keeps each, and controllers
/// do.
inline constexpr std::int64_t kMostPodsOverTime = 50'000;

/// --max-pods.
void add_most_pods(CLI::App& command, std::optional<std::int64_t>& most_pods);

/// Adds what is wrong if the workloads of the input make too many pods, with the place of the number; none is made.
void refuse_too_many_pods(const PlanFiles& files, Purpose purpose, PlanInput& input);

/// The same of what schedules make until then, which is known once it is known when time begins; nothing: a run of
/// each, for there is no end.
std::optional<Diagnostic> too_many_pods_over_time(const PlanFiles& files, const kube::Objects& objects, Instant start,
                                                  std::optional<Duration> until);

}  // namespace loadline::cli
