#include "hosts/replay/queued_works.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "brain/queue/kueue/jobs/pod_set_info.h"
#include "brain/queue/kueue/round_objects.h"
#include "hosts/simulator/queue_objects.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/local_queue.h"
#include "objects/kube/kueue/workload_conditions.h"
#include "objects/kube/kueue/workload_priority_class.h"

namespace loadline::replay {

namespace kueue = queue::kueue;

namespace {

constexpr std::string_view kDefaultQueue = "default";

std::string label_of(const kube::Pod& pod, std::string_view key) {
  const auto found = pod.metadata.labels.find(key);
  return found == pod.metadata.labels.end() ? std::string() : found->second;
}

/// The scheduler, once it has been told of the queues.
const kueue::KueueScheduler& with_queues(const kube::Objects& cluster, const kueue::Switches& switches, Instant now,
                                         kueue::KueueScheduler& scheduler) {
  scheduler.set_switches(switches, now);
  simulator::set_queues(cluster, now, scheduler);
  return scheduler;
}

std::string set_name(std::size_t alike) { return fmt::format("set-{}", alike); }

}  // namespace

QueuedWorks::QueuedWorks(const kube::Objects& cluster, const kueue::Switches& switches, Instant start)
    : cluster_(cluster),
      start_(start),
      scheduler_(tree_, kueue::Settings::of(simulator::kueue_configuration_in(cluster)),
                 simulator::kueue_configuration_in(cluster).resources),
      measures_(with_queues(cluster, switches, start, scheduler_), start) {
  for (const kube::LocalQueue& each : cluster.of<kube::LocalQueue>()) {
    queues_of_[each.metadata.namespace_].push_back(each.metadata.name);
  }
}

// ---- works ----------------------------------------------------------------------------------------------------------

std::string QueuedWorks::queue_of(const trace::Work& work) const {
  const kube::Pod& pod = *work.pods.front().pod;
  std::string named = label_of(pod, kube::kQueueName);
  if (!named.empty()) return named;
  const auto here = queues_of_.find(pod.metadata.namespace_);
  if (here == queues_of_.end()) return "";
  const std::vector<std::string>& queues = here->second;
  if (std::ranges::find(queues, kDefaultQueue) != queues.end()) return std::string(kDefaultQueue);
  return queues.size() == 1 ? queues.front() : "";
}

std::int32_t QueuedWorks::priority_of(const kube::Pod& pod) const {
  const std::string named = label_of(pod, kube::kWorkloadPriorityClassLabel);
  for (const kube::WorkloadPriorityClass& each : cluster_.of<kube::WorkloadPriorityClass>()) {
    if (each.metadata.name == named) return each.value;
  }
  return pod.spec->priority.value_or(0);
}

kube::KueueWorkload QueuedWorks::workload_of(const LiveWork& live, Instant now) const {
  const kube::Pod& first = *live.work.pods.front().pod;
  kube::KueueWorkload workload;
  workload.metadata.namespace_ = first.metadata.namespace_;
  // Its uid decides between works that came at one time.
  workload.metadata.name = fmt::format("work-{:012}", live.serial);
  workload.metadata.uid = workload.metadata.name;
  workload.metadata.creation_timestamp = now;
  workload.queue_name = queue_of(live.work);
  workload.priority = priority_of(first);
  for (std::size_t i = 0; i < live.work.pods.size(); ++i) {
    kube::PodSet& set = workload.pod_sets.emplace_back();
    set.name = set_name(i);
    set.count = static_cast<std::int32_t>(live.work.pods[i].count);
    set.template_.metadata.labels = live.work.pods[i].pod->metadata.labels;
    set.template_.spec = live.work.pods[i].pod->spec;
  }
  return workload;
}

void QueuedWorks::submit(Slot slot, const LiveWork& live, Instant now) {
  scheduler_.elapse(now);
  const auto [entry, is_new] = works_.try_emplace(slot);
  QueuedWork& work = entry->second;
  if (is_new) {
    work.workload = workload_of(live, now);
    work.arrived = now - start_;
  } else {
    kube::unreserve_quota(work.workload, "Pending", "", now);
  }
  if (work.stops >= kMostStops) {
    scheduler_.remove(work.id, now);
    slot_of_.erase(work.id);
    work.id = {};
  } else {
    work.id = scheduler_.submit(work.workload, now);
    slot_of_[work.id] = slot;
  }
  if (is_new) {
    work.queue = scheduler_.workloads().at(work.id).queue;
    if (work.queue.valid()) measures_.work_arrived(work.queue);
  } else if (work.queue.valid()) {
    measures_.usage_changed(work.queue, now);
  }
}

const kube::KueueWorkload* QueuedWorks::find_workload(const std::string& name) const {
  const auto slot = slot_of_.find(scheduler_.workloads().find(name));
  return slot == slot_of_.end() ? nullptr : &works_.at(slot->second).workload;
}

const kube::ResourceFlavor* QueuedWorks::find_flavor(std::string_view name) const {
  return simulator::find_flavor(cluster_, name);
}

/// Its quota shrinks to what the pods need that have not ended.
void QueuedWorks::pod_ended(Slot slot, std::size_t alike, Instant now) {
  const auto found = works_.find(slot);
  if (found == works_.end() || !found->second.id.valid()) return;
  QueuedWork& work = found->second;
  std::vector<kube::ReclaimablePods>& ended = work.workload.status.reclaimable_pods;
  const auto known = std::ranges::find(ended, set_name(alike), &kube::ReclaimablePods::name);
  if (known == ended.end()) {
    ended.push_back({set_name(alike), 1});
  } else {
    ++known->count;
  }
  if (!kube::is_admitted(work.workload)) return;
  scheduler_.elapse(now);
  scheduler_.set(work.workload, now);
  if (work.queue.valid()) measures_.usage_changed(work.queue, now);
}

void QueuedWorks::leave(Slot slot, Instant now) {
  const auto found = works_.find(slot);
  if (found == works_.end()) return;
  scheduler_.elapse(now);
  if (found->second.id.valid()) {
    scheduler_.remove(found->second.id, now);
    slot_of_.erase(found->second.id);
  }
  scheduler_.forget(found->second.workload.metadata.namespace_, found->second.workload.metadata.name, now);
  if (found->second.queue.valid()) measures_.usage_changed(found->second.queue, now);
  works_.erase(found);
}

void QueuedWorks::give_flavors(Slot slot, std::vector<kube::Pod>& templates) const {
  const kube::KueueWorkload& workload = works_.at(slot).workload;
  const auto infos =
      kueue::pod_set_infos(workload, [&](std::string_view name) { return simulator::find_flavor(cluster_, name); });
  if (!infos) return;
  for (std::size_t i = 0; i < templates.size(); ++i) {
    const auto info = std::ranges::find(*infos, set_name(i), &kueue::PodSetInfo::name);
    if (info == infos->end()) continue;
    kube::PodTemplateSpec pod;
    pod.metadata = templates[i].metadata;
    pod.spec = templates[i].spec;
    if (Result<kube::PodTemplateSpec> merged = kueue::merged(std::move(pod), *info)) {
      templates[i].metadata = std::move(merged->metadata);
      templates[i].spec = std::move(merged->spec);
    }
  }
}

// ---- rounds ---------------------------------------------------------------------------------------------------------

QueuedWorks::Orders QueuedWorks::decide(Instant now) {
  Orders orders;
  scheduler_.elapse(now);
  while (scheduler_.is_due(now)) {
    for (const kueue::Decision& decision : scheduler_.decide_round(now).decisions) {
      if (decision.code == kueue::Decision::Code::kAdmitted) admit(decision, now, orders);
      for (const kueue::Victim& victim : decision.evicted) stop(victim, now, orders);
    }
  }
  return orders;
}

void QueuedWorks::admit(const kueue::Decision& decision, Instant now, Orders& orders) {
  const Slot slot = slot_of_.at(decision.workload);
  QueuedWork& work = works_.at(slot);
  kube::reserve_quota(work.workload, kueue::admission_of(scheduler_, decision), now);
  kube::sync_admitted(work.workload, now);
  if (!work.was_admitted) measures_.work_admitted(work.queue, now - start_ - work.arrived);
  work.was_admitted = true;
  measures_.usage_changed(work.queue, now);
  orders.starts.push_back(slot);
}

void QueuedWorks::stop(const kueue::Victim& victim, Instant now, Orders& orders) {
  const Slot slot = slot_of_.at(victim.workload);
  QueuedWork& work = works_.at(slot);
  kube::evict(work.workload, "Preempted", "", now);
  ++work.stops;
  if (std::erase(orders.starts, slot) == 0) measures_.work_stopped(work.queue);
  orders.stops.push_back(slot);
}

}  // namespace loadline::replay
