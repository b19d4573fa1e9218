#include "brain/cluster/shapes/unreadable_values.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "brain/cluster/facts/topology_annotations.h"
#include "brain/cluster/spellings/written_number.h"
#include "foundation/base/time.h"
#include "objects/kube/expected_run.h"
#include "objects/kube/maintenance_annotations.h"
#include "objects/kube/preemption_annotations.h"
#include "objects/kube/scalars.h"

namespace loadline::cluster {
namespace {

constexpr std::string_view kLevels[] = {kPodsetRequiredTopology, kPodsetPreferredTopology, kPodsetSliceTopology};

/// Null: it is not there.
const std::string* value_of(const kube::StringMap& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

UnreadableValue annotation(std::string_view key, std::string message) {
  return {fmt::format("annotations[{}]", key), std::move(message)};
}

UnreadableValue absent(std::string_view key, std::string_view what_is_wrong) {
  return annotation(key, fmt::format("counts as absent: {}", what_is_wrong));
}

}  // namespace

std::vector<UnreadableValue> unreadable_run_values(const kube::ObjectMeta& metadata) {
  std::vector<UnreadableValue> unreadable;
  for (const std::string_view key :
       {kube::kExpectedDurationAnnotation, kube::kKueueEstimateAnnotation, kube::kMinimumRunTimeAnnotation}) {
    const std::string* value = value_of(metadata.annotations, key);
    if (value == nullptr) continue;
    if (const Result<Duration> span = kube::parse_span(*value); !span) {
      unreadable.push_back(absent(key, span.error().message));
    }
  }
  const std::string* interval = value_of(metadata.annotations, kube::kCheckpointIntervalAnnotation);
  if (interval != nullptr) {
    if (const Result<Duration> span = kube::parse_checkpoint_interval(*interval); !span) {
      unreadable.push_back(absent(kube::kCheckpointIntervalAnnotation, span.error().message));
    }
  }
  const std::string* checkpoint = value_of(metadata.annotations, kube::kLastCheckpointAnnotation);
  if (checkpoint != nullptr && !parse_rfc3339(*checkpoint)) {
    unreadable.push_back(
        absent(kube::kLastCheckpointAnnotation,
               fmt::format("{} is no time; write it as 2026-01-31T12:00:00Z", kube::quoted(*checkpoint))));
  }
  const std::string* seconds = value_of(metadata.labels, kube::kMaxExecTimeLabel);
  if (seconds != nullptr && !kube::max_exec_time(*seconds)) {
    unreadable.push_back({fmt::format("labels[{}]", kube::kMaxExecTimeLabel),
                          fmt::format("counts as absent: {} is no number of seconds; write a whole number from 1 on",
                                      kube::quoted(*seconds))});
  }
  return unreadable;
}

std::vector<UnreadableValue> unreadable_topology_values(const kube::ObjectMeta& pod) {
  std::vector<UnreadableValue> unreadable;
  for (const std::string_view key : kLevels) {
    const std::string* level = value_of(pod.annotations, key);
    if (level != nullptr && !kube::is_qualified_name(*level)) {
      unreadable.push_back(annotation(
          key, fmt::format("{} is no level of a topology; write the label that nodes have", kube::quoted(*level))));
    }
  }
  const std::string* size = value_of(pod.annotations, kPodsetSliceSize);
  const bool has_level = value_of(pod.annotations, kPodsetSliceTopology) != nullptr;
  if (size != nullptr && spellings::number_in(pod.annotations, kPodsetSliceSize).value_or(0) == 0) {
    unreadable.push_back(absent(
        kPodsetSliceSize, fmt::format("{} is no number of pods; write a whole number from 1 on", kube::quoted(*size))));
  } else if (size != nullptr && !has_level) {
    unreadable.push_back(
        annotation(kPodsetSliceSize, fmt::format("slices have a size, and no {} says within what each is to "
                                                 "be",
                                                 kPodsetSliceTopology)));
  } else if (size == nullptr && has_level) {
    unreadable.push_back(
        annotation(kPodsetSliceTopology,
                   fmt::format("slices are asked for, and no {} says how many pods each has", kPodsetSliceSize)));
  }
  return unreadable;
}

}  // namespace loadline::cluster
