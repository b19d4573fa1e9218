#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "hosts/simulator/simulated_pods.h"

namespace loadline::cli {

/// What `explain` is asked about, as kubectl would name it: "pod/web-0", "web-0", "deploy/web"; empty: whatever waits.
struct ExplainTarget {
  std::string kind;  ///< "Pod", "Deployment", …; empty: a pod, or else a workload of that name
  std::string name;
  std::string name_space;  ///< empty: any
};

/// Errors: an unknown kind, with the nearest; no name.
Result<ExplainTarget> parse_explain_target(std::string_view text, std::string name_space);

/// The pods to explain: the pod of that name; or of a workload one pod for each thing that keeps its pods waiting,
/// and if none waits its first; of no name one for each workload and reason among all that have no node, at most
/// `most`. Errors: there is none of that name, with the nearest; or in several namespaces.
Result<std::vector<std::size_t>> choose_pods(const simulator::SimulatedPods& pods, const ExplainTarget& target,
                                             std::size_t most);

}  // namespace loadline::cli
