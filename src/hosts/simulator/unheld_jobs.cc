#include "hosts/simulator/unheld_jobs.h"

#include <fmt/format.h>

#include <utility>

#include "brain/workloads/kinds.h"
#include "brain/workloads/pod_set.h"
#include "hosts/simulator/queue_objects.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/unread_job.h"

namespace loadline::simulator {
namespace {

std::string_view queue_named_by(const kube::ObjectMeta& metadata) {
  const auto found = metadata.labels.find(kube::kQueueName);
  return found == metadata.labels.end() ? std::string_view() : std::string_view(found->second);
}

/// What it makes carries a queue's name itself.
template <class Kind>
bool passes_name_on(const Kind& object) {
  if constexpr (requires { object.job_metadata; }) {
    if (!queue_named_by(object.job_metadata).empty()) return true;
  }
  for (const workloads::PodSet& set : workloads::pod_sets(object)) {
    if (!queue_named_by(set.pod_template->metadata).empty()) return true;
  }
  return false;
}

template <class Kind>
void add_controllers(const kube::Objects& objects, std::string_view where, std::vector<UnheldJob>& found) {
  for (const Kind& object : objects.of<Kind>()) {
    const kube::ObjectMeta& metadata = object.metadata;
    const std::string_view queue = queue_named_by(metadata);
    if (queue.empty() || metadata.from_cluster() || metadata.controller() != nullptr || passes_name_on(object)) {
      continue;
    }
    const std::string kind(workloads::kind_name<Kind>());
    found.push_back({kind, fmt::format("{} {}/{}", kind, metadata.namespace_, metadata.name), std::string(queue),
                     metadata.source, fmt::format("metadata.labels[{}]", kube::kQueueName),
                     fmt::format("Kueue reads it in {}", where)});
  }
}

}  // namespace

std::string UnheldJob::message() const {
  return fmt::format("names queue {}, which holds no {} here: nothing of it waits for quota", queue, kind);
}

std::vector<UnheldJob> unheld_jobs(const kube::Objects& objects) {
  std::vector<UnheldJob> found;
  if (!has_queues(objects)) return found;
  for (const kube::UnreadJob& job : objects.of<kube::UnreadJob>()) {
    found.push_back({job.kind, fmt::format("{} {}/{}", job.kind, job.name_space, job.name), job.queue, job.source,
                     fmt::format("metadata.labels[{}]", kube::kQueueName),
                     "what it makes is held if that carries the name, and is of a kind that queues hold"});
  }
  constexpr std::string_view kInTemplate = "spec.template.metadata.labels";
  add_controllers<kube::DaemonSet>(objects, kInTemplate, found);
  add_controllers<kube::ReplicaSet>(objects, kInTemplate, found);
  add_controllers<kube::CronJob>(objects, "spec.jobTemplate.metadata.labels", found);
  return found;
}

Diagnostics note_unheld_jobs(const kube::Objects& objects) {
  Diagnostics notes;
  for (UnheldJob& each : unheld_jobs(objects)) {
    Diagnostic& note = notes.emplace_back();
    note.severity = Severity::kWarning;
    note.at = each.source;
    note.subject = each.subject;
    note.path = each.path;
    note.message = each.message();
    note.hint = std::move(each.hint);
  }
  return notes;
}

}  // namespace loadline::simulator
