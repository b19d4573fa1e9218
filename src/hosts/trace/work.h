#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"

namespace loadline::trace {

/// Pods of a work that differ in nothing but their names.
struct PodsAlike {
  /// What they look like, defaulted; without a name. Works of one template share it, so that a million of them cost
  /// what a few templates cost.
  std::shared_ptr<const kube::Pod> pod;
  std::size_t count = 1;
};

/// What arrives at once and ends at once: a pod, or a job of several pods. All times count from the trace's beginning.
struct Work {
  std::string name;  ///< unique in its trace
  Duration arrives;
  std::vector<PodsAlike> pods;
  bool is_gang = false;  ///< its pods start together or not at all

  // ---- ends: the truth, what decisions may read of it, and what its owner does whatever becomes of it ---------------
  std::optional<Duration> run_time;  ///< from the start of its last pod; nothing: until it is deleted, if ever
  std::optional<Duration> estimate;  ///< of run_time, as its owner sees it: loadline.dev/expected-duration
  std::optional<Duration> deleted;   ///< when its owner deletes it, whether it has started or not

  // ---- how results are grouped -------------------------------------------------------------------------------------
  std::string work_class;  ///< "training"; may be empty
  std::string tenant;      ///< the namespace of its pods
};

/// Works in order of arrival, one at a time: a file that is read as it is needed, or a generator.
class WorkSource {
 public:
  WorkSource() = default;
  WorkSource(const WorkSource&) = delete;
  WorkSource& operator=(const WorkSource&) = delete;
  virtual ~WorkSource() = default;

  /// The next one; nothing at the end. Errors: what follows cannot be read, and where; nothing more is read then.
  virtual Result<std::optional<Work>> next() = 0;
};

}  // namespace loadline::trace
