#include "hosts/simulator/annotation_notes.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "brain/cluster/shapes/unreadable_values.h"
#include "brain/workloads/expected_runs.h"
#include "brain/workloads/kinds.h"

namespace loadline::simulator {
namespace {

using cluster::UnreadableValue;

Diagnostic warning(const kube::ObjectMeta& metadata, std::string subject, UnreadableValue value) {
  return {Severity::kWarning,        metadata.source,          std::move(subject),
          "metadata." + value.field, std::move(value.message), {}};
}

std::vector<UnreadableValue> unreadable_values_of(const kube::ObjectMeta& pod) {
  if (pod.annotations.empty() && pod.labels.empty()) return {};
  std::vector<UnreadableValue> values = cluster::unreadable_run_values(pod);
  for (UnreadableValue& value : cluster::unreadable_topology_values(pod)) values.push_back(std::move(value));
  return values;
}

}  // namespace

Diagnostics note_unreadable_annotations(const kube::Objects& objects, const SimulatedPods& pods) {
  Diagnostics notes;
  workloads::for_each_ending_kind([&]<class Kind>() {
    for (const Kind& workload : objects.of<Kind>()) {
      const kube::ObjectMeta& metadata = workload.metadata;
      for (UnreadableValue& value : cluster::unreadable_run_values(metadata)) {
        std::string subject = fmt::format("{} {}/{}", workloads::kind_name<Kind>(), metadata.namespace_, metadata.name);
        notes.push_back(warning(metadata, std::move(subject), std::move(value)));
      }
    }
  });
  std::set<std::tuple<workloads::WorkloadReference, std::string, std::string>> told;
  for (const SimulatedPod& subject : pods.list()) {
    const kube::ObjectMeta& metadata = subject.pod.metadata;
    for (UnreadableValue& value : unreadable_values_of(metadata)) {
      if (!told.emplace(subject.workload, value.field, value.message).second) continue;
      std::string name = fmt::format("Pod {}/{}", metadata.namespace_, metadata.name);
      notes.push_back(warning(metadata, std::move(name), std::move(value)));
    }
  }
  return notes;
}

}  // namespace loadline::simulator
