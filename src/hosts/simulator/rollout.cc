#include "hosts/simulator/rollout.h"

#include <map>
#include <string>
#include <string_view>

#include "brain/cluster/shapes/shape_key.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/defaults.h"

namespace loadline::simulator {
namespace {

using workloads::WorkloadReference;

/// Equal for two templates exactly if no decision can tell their pods apart.
std::string key_of(const kube::PodTemplateSpec& pod_template) {
  const kube::PodSpec& spec = *pod_template.spec;
  std::string key = cluster::spec_key(spec);
  const auto add = [&](const std::string& text) { key += std::to_string(text.size()) + ':' + text; };
  for (const auto& [name, value] : pod_template.metadata.labels) {
    add(name);
    add(value);
  }
  for (const std::string& gate : spec.scheduling_gates) add(gate);
  add(spec.priority_class_name);
  add(spec.priority ? std::to_string(*spec.priority) : "");
  add(spec.preemption_policy ? std::to_string(static_cast<int>(*spec.preemption_policy)) : "");
  add(std::to_string(spec.termination_grace_period_seconds.value_or(kube::kDefaultGracePeriodSeconds)));
  return key;
}

std::string key_of(const kube::Deployment& item) { return item.paused ? "" : key_of(item.template_); }
std::string key_of(const kube::StatefulSet& item) { return key_of(item.template_); }
std::string key_of(const kube::DaemonSet& item) { return key_of(item.template_); }
std::string key_of(const kube::Job& item) { return key_of(item.spec.template_); }
std::string key_of(const kube::CronJob& item) {
  const kube::JobSpec& spec = item.job_spec;
  return key_of(spec.template_) + item.schedule + (item.suspend ? '1' : '0') + (spec.indexed ? '1' : '0') +
         std::to_string(spec.parallelism.value_or(1)) + '/' + std::to_string(spec.completions.value_or(-1));
}

template <class Kind, class Visit>
void each_changed(const std::vector<Kind>& before, const std::vector<Kind>& after, Visit visit) {
  std::map<std::pair<std::string_view, std::string_view>, const Kind*> old;
  for (const Kind& item : before) old[{item.metadata.namespace_, item.metadata.name}] = &item;
  for (const Kind& item : after) {
    const auto found = old.find({item.metadata.namespace_, item.metadata.name});
    if (found == old.end() || found->second == &item) continue;
    if (key_of(*found->second) != key_of(item)) visit(item);
  }
}

WorkloadReference workload_of(const char* kind, const kube::ObjectMeta& metadata) {
  return {kind, metadata.namespace_, metadata.name};
}

Diagnostic note_of_on_delete(const char* kind, const kube::ObjectMeta& metadata) {
  return {.severity = Severity::kWarning,
          .at = metadata.source,
          .subject = workload_of(kind, metadata).to_string(),
          .path = "spec.updateStrategy.type",
          .message = "is OnDelete; pods that are there keep the old template until they are deleted",
          .hint = "drain their nodes or delete them, and the next ones are made of the new template"};
}

}  // namespace

std::vector<Rollout> changed_templates(const kube::Objects& before, const kube::Objects& after, Diagnostics& notes) {
  std::vector<Rollout> changed;
  each_changed(before.of<kube::Deployment>(), after.of<kube::Deployment>(), [&](const kube::Deployment& item) {
    if (!item.paused) changed.push_back({workload_of("Deployment", item.metadata)});
  });
  each_changed(before.of<kube::StatefulSet>(), after.of<kube::StatefulSet>(), [&](const kube::StatefulSet& item) {
    if (item.update_strategy == "OnDelete") return notes.push_back(note_of_on_delete("StatefulSet", item.metadata));
    changed.push_back(
        {workload_of("StatefulSet", item.metadata), std::int64_t{item.ordinals_start} + item.partition.value_or(0)});
  });
  each_changed(before.of<kube::DaemonSet>(), after.of<kube::DaemonSet>(), [&](const kube::DaemonSet& item) {
    if (item.update_strategy == "OnDelete") return notes.push_back(note_of_on_delete("DaemonSet", item.metadata));
    changed.push_back({workload_of("DaemonSet", item.metadata)});
  });
  each_changed(before.of<kube::CronJob>(), after.of<kube::CronJob>(),
               [&](const auto& item) { changed.push_back({workload_of("CronJob", item.metadata)}); });
  each_changed(before.of<kube::Job>(), after.of<kube::Job>(), [&](const kube::Job& item) {
    notes.push_back({.severity = Severity::kWarning,
                     .at = item.metadata.source,
                     .subject = workload_of("Job", item.metadata).to_string(),
                     .path = "spec.template",
                     .message = "cannot be changed; the pods that are there keep the old one",
                     .hint = "kubectl apply would refuse this: delete the Job and create it anew"});
  });
  return changed;
}

}  // namespace loadline::simulator
