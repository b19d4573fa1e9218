#include "hosts/simulator/queued_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "brain/queue/kueue/jobs/started_job.h"
#include "brain/queue/kueue/round_objects.h"
#include "brain/queue/kueue/round_text.h"
#include "brain/workloads/kinds.h"
#include "hosts/simulator/queue_objects.h"
#include "hosts/simulator/queued_jobs_intake.h"
#include "objects/kube/kueue/job_names.h"
#include "objects/kube/kueue/local_queue.h"
#include "objects/kube/kueue/workload_conditions.h"

namespace loadline::simulator {

namespace kueue = queue::kueue;

namespace {

constexpr std::string_view kLacksQuota = "Pending";
constexpr std::string_view kPreempted = "Preempted";
/// Where repeated preemption is as upstream's, a job that others keep stopping is queued again this often; then the
/// plan says so, and leaves it.
constexpr std::size_t kMostStops = 3;

/// Acts on the job in its list: `act(object)`.
template <class Objects, class Act>
void with_job(Objects& objects, const QueuedJob& job, Act act) {
  kueue::for_each_job_kind([&]<class Kind>() {
    if (kube::kind_of<Kind>().kind == job.name.kind) act(objects.template of<Kind>().at(job.place));
  });
}

std::string checks_text(const kube::KueueWorkload& workload) {
  std::string names;
  for (const kube::AdmissionCheckStatus& check : workload.status.admission_checks) {
    if (check.state == kube::CheckState::kReady) continue;
    names += (names.empty() ? "" : ", ") + check.name;
  }
  return fmt::format("has quota in ClusterQueue {}, and waits for admission checks: {}",
                     workload.status.admission->cluster_queue, names);
}

}  // namespace

QueuedJobs::QueuedJobs(kube::Objects& objects, const admission::Admission& admission, const PlanOptions& options)
    : objects_(objects),
      options_(options),
      queued_pods_(objects),
      priorities_(priorities_in(objects)),
      scheduler_(tree_, kueue::Settings::of(kueue_configuration_in(objects)),
                 kueue_configuration_in(objects).resources) {
  scheduler_.set_switches(options.policy.queues, options.now);
  set_queues(objects, options.now, scheduler_);
  QueuedIntake intake = take_in_jobs(objects, admission, options.now);
  notes_ = std::move(intake.notes);
  jobs_ = std::move(intake.jobs);
  children_ = std::move(intake.children);
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    QueuedJob& job = jobs_[i];
    by_name_.emplace(job.name, i);
    if (job.stage == QueuedStage::kHeld || job.stage == QueuedStage::kOver) continue;
    scheduler_.set(job.workload, options.now);
    job.id = scheduler_.workloads().find(job.workload.metadata.namespace_ + "/" + job.workload.metadata.name);
    if (job.id.valid()) by_id_[job.id] = i;
    if (job.stage == QueuedStage::kStarted && intake.to_start.contains(i)) first_.starts.push_back(i);
    if (job.stage == QueuedStage::kLeaving) first_.stops.push_back(i);
  }
  for (const kube::KueueWorkload& alone : intake.without_job) {
    scheduler_.set(alone, options.now);
    note_pods_of(alone);
  }
}

const kube::KueueWorkload* QueuedJobs::find_workload(const std::string& name) const {
  const auto job = by_id_.find(scheduler_.workloads().find(name));
  return job == by_id_.end() ? nullptr : &jobs_[job->second].workload;
}

std::optional<std::size_t> QueuedJobs::first_member(const kube::KueueWorkload& workload) const {
  const std::string name = workload.metadata.namespace_ + "/" + workload.metadata.name;
  const auto job = by_id_.find(scheduler_.workloads().find(name));
  if (job == by_id_.end() || jobs_[job->second].members.empty()) return std::nullopt;
  return jobs_[job->second].members.front();
}

std::optional<std::size_t> QueuedJobs::find(std::size_t subject, const workloads::WorkloadReference& top) const {
  const auto found = by_subject_.find(subject);
  return found == by_subject_.end() ? find(top) : std::optional(found->second);
}

std::optional<std::size_t> QueuedJobs::find(const workloads::WorkloadReference& top) const {
  const auto found = by_name_.find(top);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

// ---- rounds --------------------------------------------------------------------------------------------------------

QueuedJobs::Orders QueuedJobs::decide(Instant now) {
  Orders orders;
  while (scheduler_.is_due(now)) {
    for (const kueue::Decision& decision : scheduler_.decide_round(now).decisions) carry(decision, now, orders);
    stop_those_without_pods(now, orders);
  }
  std::set<std::size_t> seen;  // those that were stopped and started again meanwhile start once
  std::erase_if(orders.starts,
                [&](std::size_t job) { return jobs_[job].stage != QueuedStage::kStarted || !seen.insert(job).second; });
  return orders;
}

/// Whoever has no pods yet, or no more, gives its quota back at once.
void QueuedJobs::stop_those_without_pods(Instant now, Orders& orders) {
  std::erase_if(orders.stops, [&](std::size_t job) {
    if (jobs_[job].pods > 0) return false;
    stop(job, now);
    return true;
  });
}

void QueuedJobs::carry(const kueue::Decision& decision, Instant now, Orders& orders) {
  const auto decided = by_id_.find(decision.workload);
  if (decided != by_id_.end()) {
    QueuedJob& job = jobs_[decided->second];
    job.after = now - options_.now;
    if (decision.code == kueue::Decision::Code::kAdmitted) {
      give_quota(decided->second, decision, now, orders);
    } else {
      job.why = kueue::text(scheduler_, decision);
      kube::unreserve_quota(job.workload, kLacksQuota, job.why, now);
    }
  }
  for (const kueue::Victim& victim : decision.evicted) {
    const auto evicted = by_id_.find(victim.workload);
    if (evicted != by_id_.end()) evict(evicted->second, victim, decision.workload, now, orders);
  }
}

void QueuedJobs::give_quota(std::size_t index, const kueue::Decision& decision, Instant now, Orders& orders) {
  QueuedJob& job = jobs_[index];
  kube::reserve_quota(job.workload, kueue::admission_of(scheduler_, decision), now);
  std::vector<kube::AdmissionCheckStatus>& checks = job.workload.status.admission_checks;
  for (const std::string& name : kueue::required_checks(scheduler_, decision)) {
    if (std::ranges::find(checks, name, &kube::AdmissionCheckStatus::name) == checks.end()) {
      checks.emplace_back().name = name;
    }
  }
  kube::sync_admitted(job.workload, now);
  if (kube::is_admitted(job.workload)) {
    job.stage = QueuedStage::kStarted;
    job.why.clear();
    orders.starts.push_back(index);
  } else {
    job.stage = QueuedStage::kReserved;
    job.why = checks_text(job.workload);
  }
}

void QueuedJobs::evict(std::size_t index, const kueue::Victim& victim, kueue::WorkloadId by, Instant now,
                       Orders& orders) {
  QueuedJob& job = jobs_[index];
  const std::string text = kueue::preempted_text(scheduler_, by, victim);
  kube::evict(job.workload, kPreempted, text, now);
  kube::set_preempted(job.workload, kueue::reason_name(victim.reason), text, now);
  job.why = named(text, by);
  job.after = now - options_.now;
  ++job.stops;
  job.stage = QueuedStage::kLeaving;
  orders.stops.push_back(index);
}

/// A reader knows the preemptor by its job, and not by the uid that Kueue tells.
std::string QueuedJobs::named(const std::string& text, kueue::WorkloadId preemptor) const {
  constexpr std::string_view kBefore = "accommodate ";
  const std::size_t from = text.find(kBefore);
  const std::size_t to = text.find(" due to ");
  const auto job = by_id_.find(preemptor);
  if (job == by_id_.end() || from == std::string::npos || to == std::string::npos) return text;
  return text.substr(0, from + kBefore.size()) + jobs_[job->second].name.to_string() + text.substr(to);
}

// ---- jobs ----------------------------------------------------------------------------------------------------------

Result<std::vector<kueue::PodSetInfo>> QueuedJobs::infos_of(const QueuedJob& job) const {
  return kueue::pod_set_infos(job.workload, [&](std::string_view name) { return find_flavor(objects_, name); });
}

bool QueuedJobs::start(std::size_t index, Instant now, kube::Objects& started) {
  QueuedJob& job = jobs_[index];
  const auto infos = infos_of(job);
  if (!infos) job.why = infos.error().message;
  with_job(objects_, job, [&]<class Kind>(Kind& object) {
    if (!infos) return;
    Result<Kind> running = kueue::started(object, *infos);
    if (!running) {
      job.why = running.error().message;
      return;
    }
    object = *std::move(running);
    started.of<Kind>().push_back(object);
  });
  if (job.why.empty()) {
    add_children(job, started);
    return true;
  }
  // It would never start, so Kueue ends its Workload.
  kube::set_condition(job.workload,
                      {"Finished", "True", job.workload.metadata.generation, now, "FailedToStart", job.why});
  forget(job, now);
  job.stage = QueuedStage::kHeld;
  return false;
}

void QueuedJobs::stop(std::size_t index, Instant now) {
  QueuedJob& job = jobs_[index];
  if (!job.bundle) with_job(objects_, job, [&](auto& object) { object = kueue::stopped(object, job.workload); });
  if (job.pods == 0) give_quota_back(job, now);
}

void QueuedJobs::name_workload(const workloads::WorkloadReference& top, kube::Pod& pod) const {
  const std::optional<std::size_t> job = find(top);
  if (!job) return;
  pod.metadata.annotations.try_emplace(std::string(kube::kWorkloadAnnotation), jobs_[*job].workload.metadata.name);
}

void QueuedJobs::pod_comes(std::size_t subject, const workloads::WorkloadReference& top) {
  if (const std::optional<std::size_t> job = find(subject, top)) ++jobs_[*job].pods;
}

void QueuedJobs::pod_goes(std::size_t subject, const workloads::WorkloadReference& top, Instant now) {
  const std::optional<std::size_t> index = find(subject, top);
  if (!index) return;
  QueuedJob& job = jobs_[*index];
  --job.pods;
  // Pods that stood in a queue by themselves have no quota without them, however they went.
  if (job.pods == 0 && (job.stage == QueuedStage::kLeaving || job.bundle)) give_quota_back(job, now);
}

void QueuedJobs::forget(QueuedJob& job, Instant now) {
  if (!job.id.valid()) return;
  scheduler_.remove(job.id, now);
  by_id_.erase(job.id);
  job.id = {};
}

void QueuedJobs::give_quota_back(QueuedJob& job, Instant now) {
  if (job.bundle && job.has_released) {  // whoever comes in their place stands in line anew
    job.stage = QueuedStage::kOver;
    return forget(job, now);
  }
  const std::string why = job.why;
  kube::unreserve_quota(job.workload, kLacksQuota, why, now);
  kube::set_requeued(job.workload, kPreempted, why, true, now);
  const bool may_go_on_for_ever = scheduler_.settings().repeated_preemption == kueue::RepeatedPreemption::kAsUpstream;
  if (may_go_on_for_ever && job.stops > kMostStops) {
    job.stage = QueuedStage::kHeld;
    job.why += "; so it was " + std::to_string(job.stops) + " times, and the plan does not queue it again";
    return forget(job, now);
  }
  job.stage = QueuedStage::kWaiting;
  job.why.clear();
  job.id = scheduler_.submit(job.workload, now);
}

void QueuedJobs::conclude() {
  for (const std::size_t index : incomplete_) {
    QueuedJob& job = jobs_[index];
    if (job.stage != QueuedStage::kHeld || job.id.valid()) continue;
    job.why = fmt::format("{} of the {} pods of its group are there", job.members.size(), job.bundle->expected);
  }
  for (const kueue::QueueId queue : scheduler_.queues().all()) {
    std::size_t ahead = 0;
    for (const kueue::WorkloadId waiting : scheduler_.pending().in_order(queue)) {
      const auto job = by_id_.find(waiting);
      if (job != by_id_.end()) jobs_[job->second].position = ahead;
      ++ahead;
    }
  }
  write_workloads();
}

std::string QueuedJobs::why_it_waits(std::size_t index) const {
  const QueuedJob& job = jobs_[index];
  if (!job.why.empty()) return job.why;
  const std::string& local = job.workload.queue_name;
  const auto& locals = objects_.of<kube::LocalQueue>();
  const auto found = std::ranges::find_if(locals, [&](const kube::LocalQueue& it) {
    return it.metadata.name == local && it.metadata.namespace_ == job.name.namespace_;
  });
  if (local.empty()) return "names no LocalQueue, and is managed all the same";
  if (found == locals.end()) return fmt::format("LocalQueue {} doesn't exist", local);
  if (found->stop_policy != kube::StopPolicy::kNone) return fmt::format("LocalQueue {} is stopped", local);
  const kueue::QueueId queue = scheduler_.queues().find(found->cluster_queue);
  if (!queue.valid()) return fmt::format("ClusterQueue {} doesn't exist", found->cluster_queue);
  if (!scheduler_.queues().is_active(queue)) {
    return fmt::format("ClusterQueue {} is inactive: {}", found->cluster_queue,
                       kueue::active_condition(scheduler_.queues().at(queue)).message);
  }
  const std::size_t ahead = job.position.value_or(0);
  return fmt::format("waits in ClusterQueue {} behind {} other workload{}", found->cluster_queue, ahead,
                     ahead == 1 ? "" : "s");
}

kube::Objects QueuedJobs::as_if_started(std::size_t index) const {
  kube::Objects started;
  with_job(objects_, jobs_[index], [&]<class Kind>(const Kind& object) {
    Kind& copy = started.of<Kind>().emplace_back(object);
    kueue::suspend_of(copy) = false;
  });
  add_children(jobs_[index], started);
  return started;
}

/// Children that a job has made before: they are held as it was, and go on with it.
void QueuedJobs::add_children(const QueuedJob& job, kube::Objects& started) const {
  const auto found = children_.find(job.name);
  if (found == children_.end()) return;
  for (const auto& [kind, place] : found->second) {
    const bool is_pod = kind == kPodKind;
    // Of a job that was stopped, only what has ended is there still.
    if (is_pod && (job.stops == 0 || objects_.of<kube::Pod>()[place].finished())) {
      started.of<kube::Pod>().push_back(objects_.of<kube::Pod>()[place]);
    }
    workloads::for_kind(kind, [&]<class Kind>() {
      Kind& copy = started.of<Kind>().emplace_back(objects_.of<Kind>()[place]);
      if constexpr (kueue::kIsJobKind<Kind>) kueue::suspend_of(copy) = false;
    });
  }
}

void QueuedJobs::write_workloads() {
  std::vector<kube::KueueWorkload>& written = objects_.of<kube::KueueWorkload>();
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (std::size_t i = 0; i < written.size(); ++i) {
    places[{written[i].metadata.namespace_, written[i].metadata.name}] = i;
  }
  for (const QueuedJob& job : jobs_) {
    const kube::ObjectMeta& metadata = job.workload.metadata;
    if (metadata.name.empty() || (job.bundle && job.stage == QueuedStage::kOver)) continue;
    const auto found = places.find({metadata.namespace_, metadata.name});
    (found == places.end() ? written.emplace_back() : written[found->second]) = job.workload;
  }
}

}  // namespace loadline::simulator
