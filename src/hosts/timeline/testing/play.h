#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "foundation/document/reader.h"
#include "hosts/timeline/timeline.h"

namespace loadline::timeline::testing {

constexpr Duration minutes(std::int64_t count) { return Duration::seconds(60 * count); }

/// A Job of pods with a GPU each, that run for ten minutes unless `annotations` say otherwise.
inline std::string job(const std::string& name, const std::string& annotations = "loadline.dev/run-time: 10m",
                       const std::string& spec = "parallelism: 1", int gpus = 1) {
  return fmt::format(R"(---
apiVersion: batch/v1
kind: Job
metadata: {{name: {}}}
spec:
  {}
  template:
    metadata: {{annotations: {{{}}}}}
    spec:
      restartPolicy: Never
      containers: [{{name: main, image: train, resources: {{requests: {{cpu: "1"}}, limits: {{nvidia.com/gpu: {}}}}}}}]
)",
                     name, spec, annotations, gpus);
}

inline std::string node(const std::string& name, int gpus = 1, const std::string& metadata = "") {
  return fmt::format(R"(---
apiVersion: v1
kind: Node
metadata: {{name: {0}, labels: {{kubernetes.io/hostname: {0}}}{2}}}
status:
  capacity: {{cpu: "8", memory: 32Gi, pods: "110", nvidia.com/gpu: "{1}"}}
  allocatable: {{cpu: "8", memory: 32Gi, pods: "110", nvidia.com/gpu: "{1}"}}
  conditions: [{{type: Ready, status: "True"}}]
)",
                     name, gpus, metadata);
}

inline Timeline play(const std::string& yaml, std::optional<Duration> until = {}, std::uint64_t seed = 1) {
  TimelineOptions options;
  options.start = *parse_rfc3339("2026-01-05T08:00:00Z");
  options.until = until;
  options.seed = seed;
  Result<Timeline> timeline = run(document::read_yaml(yaml, "test").documents, options);
  EXPECT_TRUE(timeline) << timeline.error().message;
  return timeline ? std::move(*timeline) : Timeline{};
}

inline const WorkloadLife& workload(const Timeline& timeline, const std::string& name) {
  const auto found = std::ranges::find_if(timeline.workloads, [&](const auto& each) { return each.name.name == name; });
  EXPECT_NE(found, timeline.workloads.end()) << name;
  static const WorkloadLife kNone;
  return found == timeline.workloads.end() ? kNone : *found;
}

inline std::string text(const std::optional<Duration>& at) {
  return at ? fmt::format("{:.3f}", static_cast<double>(at->nanoseconds) / 1e9) : "-";
}

inline std::string steps(const std::vector<Step>& all) {
  std::string result;
  for (const Step& step : all) result += fmt::format("{}{}={}", result.empty() ? "" : " ", text(step.at), step.value);
  return result;
}

/// All of it, so that two can be compared.
inline std::string digest(const Timeline& timeline) {
  std::string all = fmt::format("{} {}\n", text(timeline.end), timeline.is_idle);
  for (const WorkloadLife& each : timeline.workloads) {
    all += fmt::format("{} {}/{} {} {} {} {} {} {} {} {}\n", each.name.kind, each.name.name_space, each.name.name,
                       text(each.arrived), text(each.started), text(each.all_started), text(each.ended),
                       static_cast<int>(each.ending), each.message, each.pods, each.failed_pods);
  }
  for (const PodLife& each : timeline.pods) {
    all += fmt::format("{}/{} {} {} {} {} {} {} {} {} {}\n", each.name_space, each.name, each.workload, each.node,
                       text(each.created), text(each.scheduled), text(each.started), text(each.ended),
                       static_cast<int>(each.ending), each.message, each.restarts);
  }
  for (const ResourceUse& use : timeline.resources) {
    all += fmt::format("{}: {} / {}\n", use.resource, steps(use.allocatable), steps(use.requested));
  }
  all += "pending: " + steps(timeline.pending_pods);
  for (const Diagnostic& note : timeline.notes) all += "\n" + note.to_string();
  return all + "\n";
}

}  // namespace loadline::timeline::testing
