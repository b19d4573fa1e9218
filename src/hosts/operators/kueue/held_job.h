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

  /// What starts it with these; each action tells of it: "Started". Errors: it cannot start so, ever.
  [[nodiscard]] virtual Result<std::vector<watching::Action>> start(const std::vector<queue::kueue::PodSetInfo>& infos,
                                                                    const std::string& message) const = 0;
  /// What stops it, one after the other, and gives it back what it was before; `workload` (may be null) says what that
  /// was. It is told of if it runs: "Stopped". None: it has stopped, and is as it was.
  [[nodiscard]] virtual std::vector<watching::Action> stop(const WorkloadObject* workload, std::string_view reason,
                                                           const std::string& message) const = 0;
  /// Holds a job that another one made. Nothing: it is held.
  [[nodiscard]] virtual std::optional<watching::Action> hold() const = 0;
  /// What is left to do for one that is over.
  [[nodiscard]] virtual std::vector<watching::Action> finalize() const { return {}; }
  /// Objects that own its Workload together, under a name of their own; empty: it is one object, which controls it.
  [[nodiscard]] virtual std::vector<const kube::ObjectMeta*> members() const { return {}; }
  [[nodiscard]] virtual std::string_view group() const { return {}; }
  /// It has a Workload, whoever made it.
  [[nodiscard]] virtual bool is_top_level() const { return false; }
};

// Why a job is stopped. Source: pkg/controller/jobframework/stop_reason.go.
inline constexpr std::string_view kWorkloadDeleted = "WorkloadDeleted";
inline constexpr std::string_view kWorkloadEvicted = "WorkloadEvicted";
inline constexpr std::string_view kNoMatchingWorkload = "NoMatchingWorkload";
inline constexpr std::string_view kNotAdmitted = "NotAdmitted";

/// Said of an object.
[[nodiscard]] watching::Event told(const watching::KindName& kind, const document::Value& object,
                                   std::string_view reason, std::string message);

/// The patch that makes one version of an object another; it fails if another writer was faster. Nothing: they are the
/// same.
[[nodiscard]] std::optional<watching::Action> patch_between(const watching::KindName& kind,
                                                            const document::Value& before,
                                                            const document::Value& after);

}  // namespace loadline::operators::kueue
