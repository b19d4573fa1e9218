#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "brain/queue/kueue/jobs/job_kinds.h"
#include "brain/queue/kueue/jobs/started_job.h"
#include "hosts/operators/kueue/document_path.h"
#include "hosts/operators/kueue/held_job.h"
#include "hosts/operators/kueue/job_state.h"
#include "hosts/operators/kueue/job_stop.h"

namespace loadline::operators::kueue {

/// A job of a kind that a field of it holds.
template <class Kind>
class JobOf final : public HeldJob {
 public:
  explicit JobOf(const watching::Observed<Kind>& object) : object_(object) {}

  [[nodiscard]] const watching::KindName& kind() const override { return watching::kind_name<Kind>(); }
  [[nodiscard]] std::string_view api_version() const override { return queue::kueue::kJobKind<Kind>.api_version; }
  [[nodiscard]] const document::Value& document() const override { return object_.document; }
  [[nodiscard]] const kube::ObjectMeta& metadata() const override { return object_.metadata(); }

  [[nodiscard]] bool is_suspended() const override {
    return workloads::is_suspended(object_.view) && !is_being_stopped(object_.metadata());
  }
  [[nodiscard]] bool is_active() const override { return is_job_active(object_.view); }
  [[nodiscard]] std::optional<JobEnding> ending() const override { return ending_of(object_.view); }
  [[nodiscard]] bool are_pods_ready() const override {
    if constexpr (std::is_same_v<Kind, kube::RayJob>) {
      return are_ray_job_pods_ready(object_.document);
    } else {
      return are_job_pods_ready(object_.view);
    }
  }
  [[nodiscard]] std::optional<Reclaimable> reclaimable_pods() const override {
    if constexpr (requires { reclaimable_in(object_.view); }) return reclaimable_in(object_.view);
    return std::nullopt;
  }
  [[nodiscard]] bool is_on_hold() const override {
    if constexpr (requires { is_job_on_hold(object_.view); }) return is_job_on_hold(object_.view);
    return false;
  }

  [[nodiscard]] queue::kueue::JobPodSets pod_sets() const override { return queue::kueue::job_pod_sets(object_.view); }
  [[nodiscard]] PodSetDocuments documents(const queue::kueue::JobPodSets& sets) const override {
    return pod_set_documents(object_.document, workloads::pod_sets(object_.view), sets);
  }
  [[nodiscard]] std::string priority_class() const override { return queue::kueue::priority_class_in(object_.view); }

  [[nodiscard]] Result<document::Value> started(const std::vector<queue::kueue::PodSetInfo>& infos) const override {
    const Result<Kind> after = queue::kueue::started(object_.view, infos);
    if (!after) return tl::unexpected(after.error());
    return with_counts(with_infos(with_suspend(false), workloads::pod_sets(*after), infos), *after);
  }
  [[nodiscard]] document::Value stopped(const WorkloadObject* workload) const override {
    document::Value after = with_suspend(true);
    if (workload == nullptr) return after;
    after = with_restored(std::move(after), workloads::pod_sets(object_.view), workload->document);
    if constexpr (std::is_same_v<Kind, kube::Job>) {
      if (workload->view.pod_sets.size() != 1) return after;
      kube::Job restored = object_.view;
      queue::kueue::set_parallelism(restored, workload->view.pod_sets.front().count);
      return with_counts(std::move(after), restored);
    }
    return after;
  }
  [[nodiscard]] std::vector<watching::Action> stop(const WorkloadObject* workload) const override {
    if constexpr (std::is_same_v<Kind, kube::Job>) {
      return stop_of_job(object_, stopped(workload));
    } else if (is_suspended()) {
      return {};
    }
    std::vector<watching::Action> steps;
    if (auto patch = patch_between(kind(), document(), stopped(workload))) steps.push_back(std::move(*patch));
    return steps;
  }

 private:
  [[nodiscard]] document::Value with_suspend(bool value) const {
    return with_path(object_.document, queue::kueue::kJobKind<Kind>.suspend_path, document::Value(value));
  }
  /// How many pods a Job runs may change with what it is admitted with.
  static document::Value with_counts(document::Value job, const Kind& after) {
    if constexpr (std::is_same_v<Kind, kube::Job>) return with_counts_of_job(std::move(job), after);
    return job;
  }

  const watching::Observed<Kind>& object_;
};

}  // namespace loadline::operators::kueue
