#include "hosts/operators/training_operator/training_sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/controllers/ownership.h"
#include "hosts/operators/training_operator/pod_report.h"
#include "objects/kube/encoder.h"
#include "objects/kube/kubeflow/training_job_schema.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using document::Value;
using watching::Action;
using watching::Event;
using watching::kind_name;
using watching::ObjectKey;
using watching::Reconciliation;
using workloads::TrainingRole;

Value status_document(const kube::TrainingJobStatus& status) {
  return kube::encode_object(kube::kTrainingJobStatusSchema, &status);
}

}  // namespace

bool is_of_role(const kube::ObjectMeta& metadata, const TrainingRole& role) {
  const auto label = metadata.labels.find(kube::kTrainingReplicaType);
  return label != metadata.labels.end() && label->second == role.label();
}

bool is_active(const watching::Observed<kube::Pod>& pod) { return !pod.view.finished() && !pod.is_being_deleted(); }

TrainingSync::TrainingSync(const TrainingObject& job, const controllers::Context& context)
    : job_(job), view_(job.view), context_(context), draft_(job.view, job.reference, context.now) {
  const std::string& uid = view_.metadata.uid;
  const std::string& name_space = view_.metadata.namespace_;
  for (const auto& [key, pod] : context.caches.of<kube::Pod>().controlled_by(uid)) {
    if (key.name_space == name_space) pods_.push_back(pod.get());
  }
  for (const auto& [key, service] : context.caches.of<kube::Service>().controlled_by(uid)) {
    if (key.name_space == name_space) services_.push_back(service.get());
  }
}

Reconciliation TrainingSync::run() {
  if (must_wait()) return {};
  prepare();
  // The operator says so when it first hears of the job; a change before it could write takes that back.
  if (view_.status.conditions.empty() && view_.metadata.generation <= 1) {
    draft_.set_condition("Created", true, "Created",
                         fmt::format("{} {} is created.", job_.kind.kind, view_.metadata.name));
  }
  bool is_clear = true;
  if (workloads::finished_condition(view_.status) != nullptr) {
    clean_up();
  } else if (view_.spec.run_policy.suspend) {
    suspend();
  } else {
    is_clear = go_on();
  }
  result_.then(std::move(others_));
  if (is_clear) write_status();
  std::move(draft_.events.begin(), draft_.events.end(), std::back_inserter(result_.events));
  return std::move(result_);
}

// ---- when nothing is to run -----------------------------------------------------------------------------------------

void TrainingSync::clean_up() {
  remove_pods_and_services();
  expire();
  if (!draft_.has("Succeeded")) return;
  for (auto& [role, counts] : draft_.status.replicas) {
    counts.succeeded += counts.active;
    counts.active = 0;
  }
}

/// Of a job that is over, as the policy says; else all of them.
void TrainingSync::remove_pods_and_services() {
  const bool is_over = draft_.has("Succeeded") || draft_.has("Failed");
  const std::string_view policy = clean_pod_policy();
  if (is_over && (policy.empty() || policy == "None")) return;
  for (const PodObject* pod : pods_) {
    const kube::PodPhase phase = pod->view.status.phase;
    const bool may_run = phase == kube::PodPhase::kRunning || phase == kube::PodPhase::kPending;
    if (is_over && policy == "Running" && !may_run) continue;
    remove_pod(*pod);
    const auto service = context_.caches.of<kube::Service>().find(pod->key());
    if (service != nullptr) remove_service(*service);
  }
}

void TrainingSync::expire() {
  const auto& ttl = view_.spec.run_policy.ttl_seconds_after_finished;
  if (!ttl || view_.spec.run_policy.suspend || !draft_.status.completion_time) return;
  const Instant expiry = *draft_.status.completion_time + Duration::seconds(*ttl);
  if (expiry > context_.now) return result_.wake_after(expiry - context_.now);
  Action removal = watching::remove(job_.kind, job_.key, view_.metadata.uid);
  const bool says_job = view_.framework == kube::Framework::kTensorFlow ||
                        view_.framework == kube::Framework::kXgBoost || view_.framework == kube::Framework::kMpi;
  removal.said_when_done = event(Event::Type::kNormal, says_job ? "SuccessfulDeleteJob" : "SuccessfulDeletePod",
                                 "Deleted job: " + view_.metadata.name);
  others_.push_back(std::move(removal));
}

void TrainingSync::suspend() {
  remove_pods_and_services();
  for (auto& [role, counts] : draft_.status.replicas) counts.active = 0;
  const std::string message = fmt::format("{} {} is suspended.", job_.kind.kind, view_.metadata.name);
  if (draft_.has("Running")) draft_.set_condition("Running", false, "Suspended", message);
  if (!draft_.has("Suspended")) draft_.set_condition("Suspended", true, "Suspended", message);
  draft_.tell(Event::Type::kNormal, "Suspended", message);
}

// ---- when it runs ---------------------------------------------------------------------------------------------------

bool TrainingSync::go_on() {
  if (draft_.has("Suspended")) {
    const std::string message = fmt::format("{} {} is resumed.", job_.kind.kind, view_.metadata.name);
    draft_.set_condition("Suspended", false, "Resumed", message);
    draft_.status.start_time = context_.now;
    draft_.tell(Event::Type::kNormal, "Resumed", message);
  }
  for (const PodObject* pod : pods_) {
    if (is_active(*pod)) tell_of_troubles(pod->document, draft_);
  }
  if (const std::string why = limit_exceeded(); !why.empty()) {
    give_up(why);
    return true;
  }
  if (!look_at_roles()) return false;
  if (view_.spec.run_policy.active_deadline_seconds && draft_.status.start_time) {
    const Instant deadline =
        *draft_.status.start_time + Duration::seconds(*view_.spec.run_policy.active_deadline_seconds);
    if (deadline > context_.now) result_.wake_after(deadline - context_.now);
  }
  return true;
}

std::string TrainingSync::limit_exceeded() const {
  const kube::RunPolicy& policy = view_.spec.run_policy;
  if (policy.backoff_limit && (has_new_failure_and_no_retry() || restarts() >= std::max(1, *policy.backoff_limit))) {
    return fmt::format("Job {} has failed because it has reached the specified backoff limit", view_.metadata.name);
  }
  if (policy.active_deadline_seconds && draft_.status.start_time &&
      context_.now >= *draft_.status.start_time + Duration::seconds(*policy.active_deadline_seconds)) {
    return fmt::format("Job {} has failed because it was active longer than specified deadline", view_.metadata.name);
  }
  return {};
}

/// A limit of 0 allows no failure at all.
bool TrainingSync::has_new_failure_and_no_retry() const {
  if (*view_.spec.run_policy.backoff_limit > 0) return false;
  std::int64_t wanted = 0;
  std::int64_t known = 0;
  for (const TrainingRole& role : workloads::roles_of(view_)) wanted += role.count();
  for (const auto& [role, counts] : draft_.status.replicas) known += counts.failed;
  const auto failed = std::count_if(pods_.begin(), pods_.end(), [](const PodObject* pod) {
    return pod->view.status.phase == kube::PodPhase::kFailed;
  });
  const auto active = std::count_if(pods_.begin(), pods_.end(), [](const PodObject* pod) { return is_active(*pod); });
  return failed > known && active != wanted;
}

/// Of containers of running pods that may be restarted.
std::int64_t TrainingSync::restarts() const {
  std::int64_t all = 0;
  for (const TrainingRole& role : workloads::roles_of(view_)) {
    if (restart_policy_of(view_, role) == "Never") continue;
    for (const PodObject* pod : pods_) {
      const bool counts = is_of_role(pod->metadata(), role) && pod->view.status.phase == kube::PodPhase::kRunning;
      if (counts) all += restarts_of(pod->document);
    }
  }
  return all;
}

void TrainingSync::give_up(const std::string& why) {
  draft_.complete_now();
  remove_pods_and_services();
  expire();
  draft_.tell(Event::Type::kNormal, "Failed", why);
  draft_.set_condition("Failed", true, "Failed", why);
}

// ---- what it makes and removes --------------------------------------------------------------------------------------

Value TrainingSync::owner() const { return controllers::controller_reference(job_.kind, view_.metadata); }

Event TrainingSync::event(Event::Type type, std::string_view reason, std::string message) const {
  return {job_.reference, type, std::string(reason), std::move(message)};
}

Action TrainingSync::said_creation(const watching::KindName& kind, Value object, std::string_view kind_word,
                                   std::string_view word) const {
  Action action = watching::create(kind, view_.metadata.namespace_, std::move(object));
  action.said_when_done =
      event(Event::Type::kNormal, fmt::format("SuccessfulCreate{}", kind_word), fmt::format("Created {}: ", word));
  action.names_the_object = true;
  action.said_if_failed = event(Event::Type::kWarning, fmt::format("FailedCreate{}", kind_word), "Error creating: ");
  return action;
}

void TrainingSync::remove_pod(const PodObject& pod) {
  if (pod.is_being_deleted()) return;
  others_.push_back(said_removal(kind_name<kube::Pod>(), pod.key(), pod.metadata().uid, "Pod", "pod"));
}
void TrainingSync::remove_service(const ServiceObject& service) {
  if (service.is_being_deleted()) return;
  others_.push_back(
      said_removal(kind_name<kube::Service>(), service.key(), service.metadata().uid, "Service", "service"));
}
Action TrainingSync::said_removal(const watching::KindName& kind, const ObjectKey& key, const std::string& uid,
                                  std::string_view kind_word, std::string_view word) const {
  Action action = watching::remove(kind, key, uid);
  action.said_when_done = event(Event::Type::kNormal, fmt::format("SuccessfulDelete{}", kind_word),
                                fmt::format("Deleted {}: {}", word, key.name));
  action.said_if_failed = event(Event::Type::kWarning, fmt::format("FailedDelete{}", kind_word), "Error deleting: ");
  return action;
}

void TrainingSync::write_status() {
  Value written = status_document(draft_.status);
  const bool is_new = view_.status.conditions.empty();
  if (!is_new && written == status_document(view_.status)) return;
  result_.then(watching::update_status(job_.kind, job_.key, job_.written.with("status", std::move(written))));
}

}  // namespace loadline::operators
