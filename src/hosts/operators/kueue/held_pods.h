#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hosts/operators/kueue/held_job.h"
#include "hosts/operators/kueue/pod_group.h"

namespace loadline::operators::kueue {

/// A pod, or the pods of a group, as one job: gates hold them, and to be stopped they are deleted.
/// Source: Kueue v0.19.2, pkg/controller/jobs/pod/pod_controller.go.
class HeldPods final : public HeldJob {
 public:
  /// `pods`: those that count, at least one; the first speaks for all. `group`: its name; empty: it is one pod.
  HeldPods(std::vector<PodPtr> pods, std::string group, Instant now)
      : pods_(std::move(pods)), group_(std::move(group)), now_(now) {}

  [[nodiscard]] const watching::KindName& kind() const override { return watching::kind_name<kube::Pod>(); }
  [[nodiscard]] std::string_view api_version() const override { return "v1"; }
  [[nodiscard]] const document::Value& document() const override { return pods_.front()->document; }
  [[nodiscard]] const kube::ObjectMeta& metadata() const override { return pods_.front()->metadata(); }
  [[nodiscard]] bool is_top_level() const override { return true; }
  [[nodiscard]] std::string_view group() const override { return group_; }
  [[nodiscard]] std::vector<const kube::ObjectMeta*> members() const override;

  /// One of them is held, or has ended.
  [[nodiscard]] bool is_suspended() const override;
  /// One of a group runs, and is not stuck in its end.
  [[nodiscard]] bool is_active() const override;
  [[nodiscard]] std::optional<JobEnding> ending() const override;
  [[nodiscard]] bool are_pods_ready() const override;
  [[nodiscard]] std::optional<std::vector<kube::ReclaimablePods>> reclaimable_pods() const override;
  [[nodiscard]] bool is_on_hold() const override { return false; }

  [[nodiscard]] queue::kueue::JobPodSets pod_sets() const override;
  [[nodiscard]] PodSetDocuments documents(const queue::kueue::JobPodSets& sets) const override;
  [[nodiscard]] std::string priority_class() const override { return {}; }

  [[nodiscard]] Result<std::vector<watching::Action>> start(const std::vector<queue::kueue::PodSetInfo>& infos,
                                                            const std::string& message) const override;
  [[nodiscard]] std::vector<watching::Action> stop(const WorkloadObject* workload, std::string_view reason,
                                                   const std::string& message) const override;
  [[nodiscard]] std::optional<watching::Action> hold() const override { return std::nullopt; }
  [[nodiscard]] std::vector<watching::Action> finalize() const override;

 private:
  [[nodiscard]] bool is_group() const { return !group_.empty(); }

  const std::vector<PodPtr> pods_;
  const std::string group_;
  const Instant now_;
};

/// The pod without what holds it: the gates of queues, and of their topologies.
[[nodiscard]] document::Value without_gates(document::Value pod);

/// The pod may go. Nothing: it may already.
[[nodiscard]] std::optional<watching::Action> pod_release(const watching::Observed<kube::Pod>& pod);

}  // namespace loadline::operators::kueue
