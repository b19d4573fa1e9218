#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hosts/timeline/timeline.h"

namespace loadline::report::testing {

inline Duration minutes(std::int64_t count) { return Duration::seconds(60 * count); }

/// Makes timelines by hand. Times are minutes.
class TimelineBuilder {
 public:
  explicit TimelineBuilder(std::int64_t end) {
    timeline_.start = *parse_rfc3339("2026-01-01T00:00:00Z");
    timeline_.end = minutes(end);
  }

  TimelineBuilder& workload(const std::string& kind, const std::string& name, timeline::Ending ending,
                            std::int64_t arrived = 0) {
    timeline::WorkloadLife& workload = timeline_.workloads.emplace_back();
    workload.name = {kind, "ml", name};
    workload.arrived = minutes(arrived);
    workload.ending = ending;
    return *this;
  }

  /// A pod of the last workload that came with it. Its workload starts with its first pod, and ends with its last one
  /// if it has ended.
  TimelineBuilder& pod(const std::string& node, std::optional<std::int64_t> from, std::optional<std::int64_t> to) {
    timeline::WorkloadLife& workload = timeline_.workloads.back();
    timeline::PodLife& pod = timeline_.pods.emplace_back();
    pod.name_space = workload.name.name_space;
    pod.name = workload.name.name + "-" + std::to_string(workload.pods++);
    pod.workload = timeline_.workloads.size() - 1;
    pod.node = node;
    pod.created = workload.arrived;
    pod.ending = workload.ending;
    pod.message = workload.message;
    if (from) {
      pod.scheduled = minutes(*from);
      pod.started = Duration{minutes(*from).nanoseconds + Duration::seconds(2).nanoseconds};
      if (!workload.started) workload.started = pod.scheduled;
      workload.all_started = pod.scheduled;
    } else {
      pod.ending = timeline::Ending::kPending;
      workload.all_started.reset();
    }
    if (to) pod.ended = minutes(*to);
    if (workload.ending != timeline::Ending::kRunning && to) workload.ended = pod.ended;
    return *this;
  }

  timeline::WorkloadLife& last_workload() { return timeline_.workloads.back(); }
  timeline::PodLife& last_pod() { return timeline_.pods.back(); }
  timeline::Timeline& timeline() { return timeline_; }

 private:
  timeline::Timeline timeline_;
};

/// Two machines for four hours: a training job of two pods, one that waits for it, one that fails, a service that goes
/// on, and a job that is too large for any machine.
inline timeline::Timeline example_timeline() {
  using timeline::Ending;
  TimelineBuilder builder(240);
  builder.timeline().nodes = {"gpu-1", "gpu-2"};
  builder.workload("Deployment", "web", Ending::kRunning).pod("gpu-2", 0, std::nullopt);
  builder.workload("Job", "train", Ending::kCompleted).pod("gpu-1", 0, 90).pod("gpu-2", 0, 90);
  builder.workload("Job", "tune", Ending::kFailed).pod("gpu-1", 90, 150);
  builder.last_workload().message = "Job has reached the specified backoff limit";
  builder.last_workload().failed_pods = 1;
  builder.last_pod().message = "The container failed with exit code 1";
  builder.workload("Job", "sweep", Ending::kStarting, 60).pod("gpu-2", 90, std::nullopt).pod("", {}, {});
  builder.last_workload().message = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.";
  builder.workload("Job", "huge", Ending::kPending, 60);
  builder.last_workload().message = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.";
  builder.pod("", {}, {});
  timeline::Timeline& timeline = builder.timeline();
  const auto at = [](std::int64_t minute, double value) { return timeline::Step{minutes(minute), value}; };
  timeline.resources = {{"cpu", {at(0, 64)}, {at(0, 32), at(90, 24), at(150, 16)}},
                        {"memory", {at(0, 512e9)}, {at(0, 128e9), at(90, 64e9)}},
                        {"example.com/none", {at(0, 0)}, {}},
                        {"nvidia.com/gpu", {at(0, 8)}, {at(0, 8), at(90, 6), at(150, 4)}}};
  timeline.pending_pods = {at(0, 1), at(60, 4), at(90, 2)};
  return timeline;
}

}  // namespace loadline::report::testing
