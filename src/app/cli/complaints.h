#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/console.h"
#include "foundation/base/diagnostic.h"
#include "objects/kube/objects.h"

namespace loadline::cli {

/// Advice goes with warnings.
enum class Warnings : std::uint8_t { kShown, kHidden };

/// Errors and warnings, in order of file, line and column, each once; then how many there were.
struct Complaints {
  std::vector<std::string> lines;
  std::size_t errors = 0;
  std::size_t warnings = 0;
};

Complaints sorted_complaints(Diagnostics diagnostics, Warnings wish);

/// What happened to many objects alike, but for their names: said of the first three, and counted for the others.
Diagnostics with_repetitions_counted(const Diagnostics& diagnostics);

/// "3 errors, 1 warning".
std::string complaint_count(const Complaints& complaints);

/// One line that names what was met, is not read, and makes no pods: "skipped, as plan does not read these kinds: 3
/// Ingress (networking.k8s.io/v1), 1 Role (…)". Empty if nothing was skipped.
std::string skipped_text(const std::vector<kube::SkippedKind>& skipped);

/// A line for each capability that is not there yet, with the objects that ask for it: "read, but no machine is bought
/// yet: 1 NodePool (karpenter.sh/v1)". They are not among what was skipped.
std::vector<std::string> inert_texts(const std::vector<kube::SkippedKind>& skipped);

/// A line for each kind that is not known and makes pods, or seems to: whether they were planned.
std::vector<std::string> unplanned_texts(const std::vector<kube::SkippedKind>& skipped);

}  // namespace loadline::cli
