#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "bench/subjects/sheet.h"
#include "bench/subjects/subject.h"
#include "bench/up/churn.h"
#include "foundation/base/result.h"

namespace loadline::bench {

/// How much of everything.
struct UpSizes {
  struct Scale {
    std::size_t pods;
    std::size_t nodes;
  };
  std::vector<std::size_t> nodes = {100, 5'000};  ///< that a cluster begins with
  std::vector<Scale> deployments = {{1'000, 100}, {10'000, 100}, {100'000, 1'000}};
  std::size_t peer_pods = 1'000;  ///< larger Deployments only of our own
  Scale runs = {8'000, 200};      ///< pods of Jobs, eight each, and of JobSets
  std::size_t churn_nodes = 5'000;
  ChurnPlan churn;

  /// Enough to see that all of it works, in a minute or two.
  static UpSizes quick();
};

/// Which cluster is measured, and where it keeps what is durable.
struct Candidate {
  Variant variant;
  Programs programs;
  std::filesystem::path folder;
};

/// Time until ready, and memory, with a few and with many nodes.
Result<void> measure_start(const Candidate& candidate, const UpSizes& sizes, Sheet& sheet);
/// From the POST of a Deployment until it says that all its pods are ready.
Result<void> measure_deployments(const Candidate& candidate, const UpSizes& sizes, Sheet& sheet);
/// Jobs, and JobSets of the same pods, from the first POST until all have ended. Of our own: a JobSet needs its
/// operator.
Result<void> measure_runs(const Candidate& candidate, const UpSizes& sizes, Sheet& sheet);
/// Pods that come and go at a steady rate.
Result<void> measure_churn(const Candidate& candidate, const UpSizes& sizes, Sheet& sheet);

}  // namespace loadline::bench
