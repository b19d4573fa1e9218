#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// An object that names a queue of Kueue, which does not hold it: what it makes starts as if it named none.
struct UnheldJob {
  std::string kind;
  std::string subject;  ///< "TrainJob ml/tune"
  std::string queue;
  SourcePosition source;
  std::string path;  ///< of the queue's name
  std::string hint;
  [[nodiscard]] std::string message() const;
};

/// Where queues decide: objects of kinds that Kueue holds and Loadline does not yet, or that are not known here at all;
/// and controllers of kinds that Kueue does not hold itself, whose pods or jobs do not carry the name. Those of a
/// cluster are left out: it has judged them.
[[nodiscard]] std::vector<UnheldJob> unheld_jobs(const kube::Objects& objects);

/// Says so of each.
[[nodiscard]] Diagnostics note_unheld_jobs(const kube::Objects& objects);

}  // namespace loadline::simulator
