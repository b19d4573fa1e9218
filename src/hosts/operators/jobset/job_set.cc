#include "hosts/operators/jobset/job_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <utility>

#include "brain/workloads/job.h"
#include "brain/workloads/job_set.h"
#include "foundation/document/at.h"
#include "foundation/document/same_document.h"
#include "hosts/controllers/batch.h"
#include "hosts/controllers/ending_namespace.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_template.h"
#include "hosts/operators/jobset/failure_policy.h"
#include "hosts/operators/jobset/status_draft.h"
#include "objects/kube/core/service.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using controllers::Context;
using document::Array;
using document::Object;
using document::Value;
using watching::Action;
using watching::Event;
using watching::kind_name;
using watching::ObjectKey;
using watching::Observed;
using watching::Reconciliation;

bool is_suspended(const kube::Job& job) { return job.spec.suspend; }

/// The Jobs of a JobSet by how far they are.
struct ChildJobs {
  JobList active;
  JobList succeeded;
  JobList failed;
  JobList previous;  ///< of an earlier attempt: they go
};

/// Whether the Job belongs to an attempt before the present one.
bool is_of_the_past(const kube::Job& job, std::int32_t restarts) {
  const auto label = job.metadata.labels.find(kube::kJobSetRestartAttempt);
  if (label == job.metadata.labels.end()) return true;
  std::int32_t attempt = 0;
  const char* end = label->second.data() + label->second.size();
  const auto parsed = std::from_chars(label->second.data(), end, attempt);
  return parsed.ec != std::errc() || parsed.ptr != end || attempt < restarts;
}

ChildJobs children_of(const Observed<kube::JobSet>& set, const watching::Caches& caches) {
  ChildJobs children;
  for (const auto& [key, job] : caches.of<kube::Job>().controlled_by(set.metadata().uid)) {
    if (key.name_space != set.metadata().namespace_) continue;
    const kube::JobCondition* end = workloads::finished_condition(job->view);
    JobList& list = is_of_the_past(job->view, set.view.status.restarts) ? children.previous
                    : end == nullptr                                    ? children.active
                    : end->type == "Failed"                             ? children.failed
                                                                        : children.succeeded;
    list.push_back(job.get());
  }
  return children;
}

std::string_view replicated_job_of(const kube::Job& job) {
  const auto label = job.metadata.labels.find(kube::kReplicatedJobName);
  return label == job.metadata.labels.end() ? std::string_view() : std::string_view(label->second);
}

/// Whether as many pods of the Job are ready or have succeeded as should be at a time.
bool is_ready(const kube::Job& job) {
  std::int32_t pods = job.spec.parallelism.value_or(1);
  if (job.spec.completions) pods = std::min(pods, *job.spec.completions);
  return job.status.succeeded + job.status.ready.value_or(0) >= pods;
}

/// How far the replicated jobs are, the last name first.
std::vector<kube::ReplicatedJobStatus> count(const kube::JobSet& set, const ChildJobs& children) {
  std::map<std::string_view, kube::ReplicatedJobStatus, std::greater<>> counts;
  for (const kube::ReplicatedJob& each : set.replicated_jobs) counts[each.name].name = each.name;
  const auto each = [&](const JobList& jobs, auto note) {
    for (const Observed<kube::Job>* job : jobs) {
      const auto found = counts.find(replicated_job_of(job->view));
      if (found != counts.end()) note(found->second, job->view);
    }
  };
  each(children.active, [](kube::ReplicatedJobStatus& status, const kube::Job& job) {
    status.ready += is_ready(job) ? 1 : 0;
    status.active += job.status.active > 0 ? 1 : 0;
    status.suspended += is_suspended(job) ? 1 : 0;
  });
  each(children.succeeded, [](kube::ReplicatedJobStatus& status, const kube::Job&) { ++status.succeeded; });
  each(children.failed, [](kube::ReplicatedJobStatus& status, const kube::Job&) { ++status.failed; });
  std::vector<kube::ReplicatedJobStatus> statuses;
  for (auto& [name, status] : counts) statuses.push_back(std::move(status));
  return statuses;
}

/// One look at a JobSet.
class JobSetSync {
 public:
  JobSetSync(const Observed<kube::JobSet>& object, const Context& context)
      : object_(object),
        set_(object.view),
        context_(context),
        children_(children_of(object, context.caches)),
        draft_(object, context.now) {}

  Reconciliation run() {
    tell_failures();
    draft_.status.replicated_jobs = count(set_, children_);
    if (workloads::finished_condition(set_) != nullptr) {
      clean_up();
    } else {
      go_on();
    }
    draft_.write(result_);
    return std::move(result_);
  }

 private:
  /// Of the Jobs that could not be made the last time, all in one event.
  void tell_failures() {
    std::vector<std::string> lines;
    for (const watching::FailedAction& each : context_.failures) {
      if (each.action.verb != Action::Verb::kCreate || each.action.of.plural != "jobs") continue;
      lines.push_back(fmt::format("job \"{}\" creation failed with error: {}",
                                  document::text_at(each.action.document, {"metadata", "name"}), each.status.message));
    }
    if (lines.empty()) return;
    result_.events.push_back(warning("JobCreationFailed", fmt::format("{}", fmt::join(lines, "\n"))));
  }

  // ---- once it is over ----------------------------------------------------------------------------------------------
  void clean_up() {
    remove_jobs(children_.active);
    const auto& since = workloads::finished_condition(set_)->last_transition_time;
    if (!set_.ttl_seconds_after_finished || !since) return;
    const Instant expiry = *since + Duration::seconds(*set_.ttl_seconds_after_finished);
    if (expiry > context_.now) return result_.wake_after(expiry - context_.now);
    result_.then(watching::remove(kind_name<kube::JobSet>(), object_.key(), set_.metadata.uid, foreground()));
  }

  static kube::DeleteOptions foreground() {
    kube::DeleteOptions options;
    options.propagation = kube::DeleteOptions::Propagation::kForeground;
    return options;
  }

  void remove_jobs(const JobList& jobs) {
    std::vector<Action> removals;
    for (const Observed<kube::Job>* job : jobs) {
      if (job->is_being_deleted()) continue;
      removals.push_back(watching::remove(kind_name<kube::Job>(), job->key(), job->metadata().uid, foreground()));
    }
    result_.then(std::move(removals));
  }

  // ---- until then ---------------------------------------------------------------------------------------------------
  void go_on() {
    remove_jobs(children_.previous);
    if (!set_.suspend && all_jobs_are_ready()) draft_.end_restart("JobsReady", "all jobs are ready");
    if (!children_.failed.empty()) return apply_failure_policy(set_, children_.failed, draft_);
    if (!children_.succeeded.empty() && has_succeeded()) return draft_.complete();
    if (!controllers::is_ending(context_.caches, set_.metadata.namespace_)) {
      make_service();
      make_claims();
      make_jobs();
    }
    if (set_.suspend) {
      suspend_jobs();
    } else {
      resume_jobs();
    }
  }

  [[nodiscard]] bool all_jobs_are_ready() const {
    std::int64_t wanted = 0;
    std::int64_t ready = 0;
    for (const kube::ReplicatedJob& each : set_.replicated_jobs) wanted += each.replicas;
    for (const kube::ReplicatedJobStatus& each : draft_.status.replicated_jobs) ready += each.ready + each.succeeded;
    return wanted == ready;
  }

  [[nodiscard]] bool counts_for_success(std::string_view replicated_job) const {
    const auto& targets = set_.success_policy.targets;
    return targets.empty() || std::find(targets.begin(), targets.end(), replicated_job) != targets.end();
  }

  [[nodiscard]] bool has_succeeded() const {
    std::int64_t wanted = set_.success_policy.op == "Any" ? 1 : 0;
    if (set_.success_policy.op == "All") {
      for (const kube::ReplicatedJob& each : set_.replicated_jobs) {
        if (counts_for_success(each.name)) wanted += each.replicas;
      }
    }
    const auto succeeded = std::count_if(children_.succeeded.begin(), children_.succeeded.end(), [&](const auto* job) {
      return counts_for_success(replicated_job_of(job->view));
    });
    return succeeded >= wanted;
  }

  // ---- what is made -------------------------------------------------------------------------------------------------
  [[nodiscard]] Value owner() const {
    return controllers::controller_reference(kind_name<kube::JobSet>(), set_.metadata);
  }
  [[nodiscard]] Event warning(std::string_view reason, std::string message = {}) const {
    return {watching::reference_to(object_), Event::Type::kWarning, std::string(reason), std::move(message)};
  }

  void make_service() {
    const std::string name = workloads::subdomain(set_);
    if (!set_.has_dns_hostnames) return;
    if (context_.caches.of<kube::Service>().find(set_.metadata.namespace_, name) != nullptr) return;
    Value spec(Object{{"clusterIP", Value("None"), {}},
                      {"selector", Value(Object{{std::string(kube::kJobSetName), Value(set_.metadata.name), {}}}), {}},
                      {"publishNotReadyAddresses", Value(set_.publishes_not_ready_addresses), {}}});
    Value metadata(Object{{"name", Value(name), {}}, {"ownerReferences", Value(Array{owner()}), {}}});
    Action action = watching::create(kind_name<kube::Service>(), set_.metadata.namespace_,
                                     Value(Object{{"apiVersion", Value("v1"), {}},
                                                  {"kind", Value("Service"), {}},
                                                  {"metadata", std::move(metadata), {}},
                                                  {"spec", std::move(spec), {}}}));
    action.said_if_failed = warning("HeadlessServiceCreationFailed");
    result_.then(std::move(action));
  }

  void make_claims() {
    const Value* policies = document::find_at(object_.document, {"spec", "volumeClaimPolicies"});
    for (std::size_t i = 0; i < set_.volume_claim_policies.size(); ++i) {
      const kube::VolumeClaimPolicy& policy = set_.volume_claim_policies[i];
      for (std::size_t j = 0; j < policy.templates.size(); ++j) {
        const Value& written = policies->array()[i].find("templates")->array()[j];
        make_claim(policy, policy.templates[j].metadata.name, written);
      }
    }
  }

  void make_claim(const kube::VolumeClaimPolicy& policy, const std::string& name_in_pods, const Value& written) {
    const std::string name = workloads::shared_claim_name(set_, name_in_pods);
    if (context_.caches.of<kube::PersistentVolumeClaim>().find(set_.metadata.namespace_, name) != nullptr) return;
    Value labels = controllers::with_entries(document::value_at(written, {"metadata", "labels"}),
                                             {{kube::kJobSetName, set_.metadata.name}});
    Object metadata{{"name", Value(name), {}}, {"labels", std::move(labels), {}}};
    if (const Value* annotations = document::find_at(written, {"metadata", "annotations"})) {
      metadata.push_back({"annotations", *annotations, {}});
    }
    if (policy.when_deleted == "Delete") metadata.push_back({"ownerReferences", Value(Array{owner()}), {}});
    Action action = watching::create(kind_name<kube::PersistentVolumeClaim>(), set_.metadata.namespace_,
                                     Value(Object{{"apiVersion", Value("v1"), {}},
                                                  {"kind", Value("PersistentVolumeClaim"), {}},
                                                  {"metadata", Value(std::move(metadata)), {}},
                                                  {"spec", document::value_at(written, {"spec"}), {}}}));
    action.said_if_failed = warning("PVCCreationFailed");
    result_.then(std::move(action));
  }

  /// In the order of the replicated jobs, as far as the order of their starts allows.
  void make_jobs() {
    const bool waits = set_.starts_in_order && !set_.suspend;
    for (const kube::ReplicatedJob& replicated_job : set_.replicated_jobs) {
      if (!dependencies_are_met(replicated_job)) continue;
      if (waits && has_started(replicated_job)) continue;
      for (auto& step : controllers::by_fifties(creations_of(replicated_job))) result_.then(std::move(step));
      if (waits) return start_is_in_progress();
    }
    if (waits) {
      draft_.set_condition("StartupPolicyCompleted", true, "InOrderStartupPolicyCompleted",
                           "in order startup policy has completed");
    }
  }
  void start_is_in_progress() {
    draft_.set_condition("StartupPolicyInProgress", true, "InOrderStartupPolicyInProgress",
                         "in order startup policy is in progress");
  }

  [[nodiscard]] const kube::ReplicatedJobStatus* status_of(std::string_view replicated_job) const {
    const auto& all = draft_.status.replicated_jobs;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& status) { return status.name == replicated_job; });
    return found == all.end() ? nullptr : &*found;
  }
  [[nodiscard]] bool has_started(const kube::ReplicatedJob& job) const {
    const kube::ReplicatedJobStatus* status = status_of(job.name);
    return status != nullptr && job.replicas == status->failed + status->ready + status->succeeded;
  }
  /// Only replicated jobs before it can be ones that it waits for: the others count as having no replicas.
  [[nodiscard]] bool dependencies_are_met(const kube::ReplicatedJob& job) const {
    return std::all_of(job.depends_on.begin(), job.depends_on.end(), [&](const kube::ReplicatedJobDependency& on) {
      const kube::ReplicatedJobStatus* status = status_of(on.name);
      if (status == nullptr) return false;
      std::int32_t replicas = 0;
      for (const kube::ReplicatedJob& each : set_.replicated_jobs) {
        if (each.name == on.name) replicas = each.replicas;
        if (&each == &job) break;
      }
      if (on.status == "Complete") return replicas == status->succeeded;
      return on.status != "Ready" || replicas == status->failed + status->ready + status->succeeded;
    });
  }

  std::vector<Action> creations_of(const kube::ReplicatedJob& replicated_job) {
    std::vector<Action> creations;
    const bool is_blocked = set_.failure_policy && set_.failure_policy->restart_strategy == "BlockingRecreate";
    if (is_blocked && !children_.previous.empty()) return creations;
    const auto is_there = [&](std::int64_t index) {
      return has_job(workloads::JobOfSet{set_, replicated_job, index}.name());
    };
    const std::size_t most = controllers::kBurst - std::min(controllers::kBurst, jobs_made_);
    for (const std::int64_t index : controllers::first_free(replicated_job.replicas, most, is_there)) {
      creations.push_back(creation_of({set_, replicated_job, index}));
    }
    jobs_made_ += creations.size();
    return creations;
  }
  [[nodiscard]] bool has_job(const std::string& name) const {
    const auto found = context_.caches.of<kube::Job>().find(set_.metadata.namespace_, name);
    return found != nullptr && found->metadata().controller() != nullptr &&
           found->metadata().controller()->uid == set_.metadata.uid;
  }

  [[nodiscard]] const Value& written_of(const kube::ReplicatedJob& replicated_job) const {
    const auto place = static_cast<std::size_t>(&replicated_job - set_.replicated_jobs.data());
    return document::find_at(object_.document, {"spec", "replicatedJobs"})->array()[place];
  }

  Action creation_of(const workloads::JobOfSet& job) const {
    const Value& written = written_of(job.replicated_job);
    const workloads::PodDraft draft = workloads::job_draft(job, set_.metadata.uid);
    const auto entries = [&](std::string_view field, const workloads::ObjectDraft::Entries& more) {
      return controllers::with_entries(document::value_at(written, {"template", "metadata", field}), more);
    };
    Value metadata(Object{{"name", Value(job.name()), {}},
                          {"labels", entries("labels", draft.labels), {}},
                          {"annotations", entries("annotations", draft.annotations), {}},
                          {"ownerReferences", Value(Array{owner()}), {}}});
    Value spec = document::value_at(written, {"template", "spec"});
    spec = std::move(spec).with("suspend", Value(set_.suspend));
    spec = std::move(spec).with(
        "template", controllers::with_draft(document::value_at(written, {"template", "spec", "template"}), draft));
    return watching::create(kind_name<kube::Job>(), set_.metadata.namespace_,
                            Value(Object{{"apiVersion", Value("batch/v1"), {}},
                                         {"kind", Value("Job"), {}},
                                         {"metadata", std::move(metadata), {}},
                                         {"spec", std::move(spec), {}}}));
  }

  // ---- suspending and resuming --------------------------------------------------------------------------------------
  void suspend_jobs() {
    std::vector<Action> patches;
    for (const Observed<kube::Job>* job : children_.active) {
      if (is_suspended(job->view)) continue;
      patches.push_back(watching::patch(kind_name<kube::Job>(), job->key(), kube::PatchType::kMerge,
                                        document::with_at(Value(), {"spec", "suspend"}, Value(true))));
    }
    result_.then(std::move(patches));
    constexpr std::string_view kMessage = "jobset is suspended";
    draft_.set_condition("Suspended", true, "SuspendedJobs", kMessage);
    draft_.end_restart("JobSetSuspended", kMessage);
  }

  void resume_jobs() {
    for (const kube::ReplicatedJob& replicated_job : set_.replicated_jobs) {
      if (!dependencies_are_met(replicated_job)) continue;
      if (set_.starts_in_order && has_started(replicated_job)) continue;
      for (const Observed<kube::Job>* job : children_.active) {
        if (replicated_job_of(job->view) == replicated_job.name && is_suspended(job->view)) {
          resume(*job, written_of(replicated_job));
        }
      }
      if (set_.starts_in_order) return start_is_in_progress();
    }
    draft_.set_condition("Suspended", false, "ResumeJobs", "jobset is resumed");
  }

  /// The pod template of a Job that has begun is fixed: it has to forget that it had.
  void resume(const Observed<kube::Job>& job, const Value& replicated_job) {
    if (job.view.status.start_time) {
      result_.then(watching::patch(kind_name<kube::Job>(), job.key(), kube::PatchType::kMerge,
                                   document::with_at(Value(), {"status", "startTime"}, Value()), "status"));
    }
    // What others (Kueue) may have changed while it was suspended.
    const Value& now = document::value_at(replicated_job, {"template", "spec", "template"});
    Value changed;
    for (const std::string_view field : {"labels", "annotations"}) {
      changed = with_copied(std::move(changed), now, {"metadata", field});
    }
    changed = with_copied(std::move(changed), now, {"spec", "nodeSelector"});
    const Value& before = document::value_at(job.document, {"spec", "template"});
    for (const std::string_view field : {"tolerations", "schedulingGates"}) {
      changed = with_union(std::move(changed), before, now, {"spec", field});
    }
    Value patch = document::with_at(Value(), {"spec", "suspend"}, Value(false));
    if (changed.is_object()) patch = document::with_at(std::move(patch), {"spec", "template"}, std::move(changed));
    result_.then(watching::patch(kind_name<kube::Job>(), job.key(), kube::PatchType::kMerge, std::move(patch)));
  }

  static Value with_copied(Value patch, const Value& from, document::Names names) {
    const Value* found = document::find_at(from, names);
    return found == nullptr || !found->is_object() ? patch : document::with_at(std::move(patch), names, *found);
  }
  static Value with_union(Value patch, const Value& before, const Value& now, document::Names names) {
    const Value* added = document::find_at(now, names);
    if (added == nullptr || !added->is_array()) return patch;
    Array all = document::items_at(before, names);
    for (const Value& each : added->array()) {
      const auto is_same = [&](const Value& known) { return document::same_document(known, each); };
      if (std::none_of(all.begin(), all.end(), is_same)) all.push_back(each);
    }
    return document::with_at(std::move(patch), names, Value(std::move(all)));
  }

  const Observed<kube::JobSet>& object_;
  const kube::JobSet& set_;
  const Context& context_;
  const ChildJobs children_;
  std::size_t jobs_made_ = 0;
  StatusDraft draft_;
  Reconciliation result_;
};

class JobSetController final : public controllers::Controller {
 public:
  [[nodiscard]] std::string_view name() const override { return "jobset-controller"; }

  void subscribe(watching::Subscriptions& to) override {
    to.on<kube::JobSet>(watching::own_key<kube::JobSet>);
    to.on<kube::Job>(watching::controllers_of<kube::Job>("JobSet"));
    to.on<kube::Service>(watching::controllers_of<kube::Service>("JobSet"));
    to.reads<kube::PersistentVolumeClaim>();
    to.reads<kube::Namespace>();
  }

  Reconciliation reconcile(const ObjectKey& key, const Context& context) override {
    const auto set = context.caches.of<kube::JobSet>().find(key);
    if (set == nullptr || set->is_being_deleted() || workloads::is_managed_elsewhere(set->view)) return {};
    return JobSetSync(*set, context).run();
  }
};

}  // namespace

std::unique_ptr<controllers::Controller> make_job_set_controller() { return std::make_unique<JobSetController>(); }

}  // namespace loadline::operators
