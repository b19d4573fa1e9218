#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brain/queue/kueue/jobs/pod_set_info.h"
#include "brain/queue/kueue/jobs/pod_sets.h"
#include "foundation/base/result.h"
#include "foundation/document/value.h"
#include "hosts/operators/kueue/pod_set_documents.h"
#include "hosts/watching/action.h"
#include "hosts/watching/kind_name.h"
#include "objects/kube/meta.h"

namespace loadline::operators::kueue {

/// How a job ended.
struct JobEnding {
  std::string message;
  bool has_succeeded = false;
};

/// A job as its controller sees it, whatever its kind. Source: Kueue v0.19.2, GenericJob in
/// pkg/controller/jobframework/interface.go.
class HeldJob {
 public:
  HeldJob() = default;
  HeldJob(const HeldJob&) = delete;
  HeldJob& operator=(const HeldJob&) = delete;
  virtual ~HeldJob() = default;

  [[nodiscard]] virtual const watching::KindName& kind() const = 0;
  /// "batch/v1", as the owner of its Workload.
  [[nodiscard]] virtual std::string_view api_version() const = 0;
  [[nodiscard]] virtual const document::Value& document() const = 0;
  [[nodiscard]] virtual const kube::ObjectMeta& metadata() const = 0;

  [[nodiscard]] virtual bool is_suspended() const = 0;
  /// Pods of it run: it needs its quota, though it may be suspended already.
  [[nodiscard]] virtual bool is_active() const = 0;
  /// Nothing: it is not over.
  [[nodiscard]] virtual std::optional<JobEnding> ending() const = 0;
  [[nodiscard]] virtual bool are_pods_ready() const = 0;
  /// Pods that have ended, and need their quota no longer. Nothing: the kind does not tell.
  [[nodiscard]] virtual std::optional<std::vector<kube::ReclaimablePods>> reclaimable_pods() const = 0;
  /// It keeps its Workload, but gets no quota.
  [[nodiscard]] virtual bool is_on_hold() const = 0;

  [[nodiscard]] virtual queue::kueue::JobPodSets pod_sets() const = 0;
  [[nodiscard]] virtual PodSetDocuments documents(const queue::kueue::JobPodSets& sets) const = 0;
  /// The PriorityClass of all its pods; empty: their templates say.
  [[nodiscard]] virtual std::string priority_class() const = 0;

  /// The document of the job that runs with these. Errors: it cannot, ever.
  [[nodiscard]] virtual Result<document::Value> started(const std::vector<queue::kueue::PodSetInfo>& infos) const = 0;
  /// The document of the job that does not run; `workload` (may be null) says what its templates were before.
  [[nodiscard]] virtual document::Value stopped(const WorkloadObject* workload) const = 0;
  /// What is done to stop it, one after the other; none: it has stopped, and is as it was.
  [[nodiscard]] virtual std::vector<watching::Action> stop(const WorkloadObject* workload) const = 0;
};

/// The patch that makes one version of an object another; it fails if another writer was faster. Nothing: they are the
/// same.
[[nodiscard]] std::optional<watching::Action> patch_between(const watching::KindName& kind,
                                                            const document::Value& before,
                                                            const document::Value& after);

}  // namespace loadline::operators::kueue
