#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brain/workloads/expansion.h"
#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "hosts/trace/work.h"
#include "objects/kube/expected_run.h"
#include "objects/kube/objects.h"

namespace loadline::trace {

/// How long a pod runs, and how long its owner expects it to; spans as Go writes them.
inline constexpr std::string_view kRunTimeAnnotation = "loadline.dev/run-time";
using kube::kExpectedDurationAnnotation;

/// What a workload comes to, as a work.
struct ObjectPods {
  std::vector<PodsAlike> pods;
  bool is_gang = false;              ///< its controller groups its pods
  std::optional<Duration> run_time;  ///< as an annotation of its pods, or of itself, says
  /// Likewise; else what bounds it, activeDeadlineSeconds.
  std::optional<Duration> estimate;
};

/// One pod or workload of some name, to be had under any other.
class NamedObject {
 public:
  /// REQUIRES: `object` holds one pod or one workload, defaulted and valid.
  explicit NamedObject(kube::Objects object) : object_(std::move(object)) {}

  /// The pods that its controllers would create for it under that name, in that namespace, defaulted and made ready as
  /// an API server would on creation. What only its name, a digest of it or a pod's number tells pods apart by is left
  /// out of their labels and annotations, so that all works of a template have the same pods; not, however, where a
  /// rule of the pods about each other may read their labels: then each work has pods of its own.
  /// Left out is also what ties a pod to controllers that the replay does not run: names, owners, finalizers.
  /// Errors say why it has no pods.
  Result<ObjectPods> pods(const std::string& name, const std::string& tenant);

 private:
  enum class Labels : std::uint8_t { kKept, kShared };

  Result<ObjectPods> finished(workloads::Expansion& expansion, Labels labels) const;

  kube::Objects object_;
  std::map<std::string, ObjectPods> by_tenant_;  // the same for every name
};

}  // namespace loadline::trace
