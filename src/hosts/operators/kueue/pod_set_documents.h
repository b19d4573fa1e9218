#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "brain/queue/kueue/jobs/pod_set_info.h"
#include "brain/queue/kueue/jobs/pod_sets.h"
#include "brain/workloads/pod_set.h"
#include "foundation/document/value.h"
#include "hosts/operators/kueue/workload_change.h"

namespace loadline::operators::kueue {

// Templates of pods as documents, with all that their author wrote: as a Workload has them, and as a job does. What
// decisions read of the same is in brain/queue/kueue/jobs.

/// A pod set of a Workload.
struct PodSetDocument {
  std::string name;
  document::Value pod_template;
  std::int32_t count = 0;
  std::optional<std::int32_t> min_count;
};
using PodSetDocuments = std::vector<PodSetDocument>;

/// The sets of a job: the templates of its document that stand at `places`, with containers that a set has besides; of
/// a set that has no template there, what is known of it. Labels of the Job controller are left out, and of variables
/// that a container declares twice the last counts. REQUIRES: no fewer sets than places.
[[nodiscard]] PodSetDocuments pod_set_documents(const document::Value& job, const workloads::PodSets& places,
                                                const queue::kueue::JobPodSets& sets);
/// Those of a Workload.
[[nodiscard]] PodSetDocuments pod_set_documents(const WorkloadObject& workload);
/// As the Workload has them.
[[nodiscard]] document::Value array_of(const PodSetDocuments& sets);

/// Whether both ask for the same: as many pods of the same containers, and as they are placed, of the same tolerations.
/// What is empty is as good as absent, and quantities are compared by value.
/// Source: Kueue v0.19.2, pkg/util/equality/podset.go.
enum class Tolerations : std::uint8_t { kCompared, kIgnored };
[[nodiscard]] bool ask_the_same(const PodSetDocuments& a, const PodSetDocuments& b, Tolerations tolerations);

/// The templates at `places` with what the infos add; they are known not to contradict them. A template that is not
/// there is made of the place's own.
[[nodiscard]] document::Value with_infos(document::Value job, const workloads::PodSets& places,
                                         const std::vector<queue::kueue::PodSetInfo>& infos);
/// The templates at `places` as those of the Workload were: labels, annotations, node selectors, tolerations, gates.
/// The labels of the Job controller stay. The same document if there are more or fewer of them.
[[nodiscard]] document::Value with_restored(document::Value job, const workloads::PodSets& places,
                                            const document::Value& workload);

/// Tolerations as documents.
[[nodiscard]] document::Array documents_of(const std::vector<kube::Toleration>& tolerations);

}  // namespace loadline::operators::kueue
